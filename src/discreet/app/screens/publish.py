"""Publish: the files of a release are written where the owner wants them, with the command that repeats them."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response

from discreet.app.command import command_line, publish_line, python_code
from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.screens.base import LivePart, Query, Screen, needs_table
from discreet.app.screens.release import chosen
from discreet.app.work.jobs import MadeRelease
from discreet.common.staging import Staging
from discreet.errors import InputError

PUBLIC = ("release", "public_report", "policy")
MEANS = {
    "release": "the table to be published",
    "public_report": "method, promises and utility, without any secret",
    "policy": "what was asked for",
    "plan": "what was done to every value; makes the same of new rows",
    "manifest": "which files belong together, by their hashes",
    "report": "risk, attacks and usefulness, for you",
}
BESIDE = "belongs to the release, and is published with it"
TREE = "a file that the policy names; it has values of the table"


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = _job(desk, query)
    return {"job": job, "releases": [each for each in desk.jobs.all if each.state == "done"]}


def _job(desk: Desk, query: Query) -> MadeRelease | None:
    if "n" in query:
        return chosen(desk, query)
    return next((each for each in desk.jobs.all if each.state == "done"), desk.jobs.latest)


def _files(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = _job(desk, query)
    if job is None or job.state != "done":
        return {"job": job, "public": [], "private": []}
    parts = {name: part for part, name in job.names.items()}
    public: list[dict[str, Any]] = []
    private: list[dict[str, Any]] = []
    for name in job.files:
        part = parts.get(name)
        size = (job.path / name).stat().st_size
        told = {"name": name, "means": MEANS[part] if part else _means(job, name), "size": size, "part": part}
        (public if _is_public(job, name) else private).append(told)
    order = [*PUBLIC, "plan", "manifest", "report", None]
    place = {part: number for number, part in enumerate(order)}
    for some in (public, private):
        some.sort(key=lambda told: place[told["part"]])
    names = {part: name for part, name in job.names.items() if name in job.files}
    folder = job.where
    reading = desk.reading.policy
    return {
        "job": job,
        "current": desk.is_current(job),
        "public": public,
        "private": private,
        "command": command_line(job.table, names, folder, job.ledger),
        "python": python_code(job.table, names, folder, job.ledger),
        "no_reports": "report" not in names,
        "names_people": reading is not None and any(True for _ in reading.cells()),
        "in_order": job.stopped or job.limit is not None,
    }


def _ledger(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = _job(desk, query)
    kept = None if job is None or job.state != "done" else job.ledger
    line = None if job is None or kept is None else publish_line(kept, job.names["release"])
    return {"job": job, "kept": kept, "figure": desk.figure("ledger"), "line": line, "busy": desk.jobs.busy}


def _let_it_count(desk: Desk, said: FormSaid) -> str | None:
    """Publish a draft in its ledger."""
    job = desk.jobs.get(said.number("n", 1, 10**8))
    if job.ledger is None:
        raise InputError("this release was made without a ledger; name one under Release, and make it again")
    desk.jobs.send(job, "ledger", desk.folder.path)
    return f"/publish?n={job.number}"


def _is_public(job: MadeRelease, name: str) -> bool:
    return name in [job.names[part] for part in PUBLIC] or name.startswith(f"{job.names['release']}.")


def _means(job: MadeRelease, name: str) -> str:
    return BESIDE if _is_public(job, name) else TREE


def _publish(desk: Desk, said: FormSaid) -> str | None:
    job = desk.jobs.get(said.number("n", 1, 10**8))
    if job.state != "done":
        raise InputError("this release is not done yet; make it first")
    text = said.one("folder", "").strip()
    folder = desk.folder.inside(text) if text else desk.folder.path
    if not folder.is_dir():
        raise InputError(f"{text}: there is no such folder")
    out = folder / job.names["release"]
    with Staging(force=said.has("force")) as staging:
        for name in job.files:
            target = folder / name
            if target.is_symlink():
                raise InputError(f"{desk.folder.shown(target)}: is a link; remove it, or choose another folder")
            with staging.open(target, private=not _is_public(job, name)) as file, (job.path / name).open("rb") as made:
                while block := made.read(1 << 20):
                    file.write(block)
        staging.commit(last=out)
    job.where = "" if folder == desk.folder.path else desk.folder.shown(folder)
    job.published = [desk.folder.shown(folder / name) for name in job.files]
    job.keep()
    desk.hub.tell("job")
    return f"/publish?n={job.number}"


def _download(desk: Desk, query: Query) -> Response:
    """Hand out one file of a release."""
    job, name = chosen(desk, query), query["name"]
    if job is None or job.state != "done" or name not in job.files:
        raise InputError("there is no such file")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    kind = "application/octet-stream" if kind.startswith("text/html") else kind  # never opened as a page of ours
    return FileResponse(job.path / Path(name).name, media_type=kind, filename=name)


SCREEN = Screen(
    "publish",
    "Publish",
    "Write the files where you want them: three that everybody may have, and those that only you keep.",
    _view,
    {"write": _publish, "count": _let_it_count},
    {"files": LivePart(_files, ("job",)), "ledger": LivePart(_ledger, ("job", "figure:ledger"))},
    needs=needs_table,
    downloads={"{n:int}/{name}": _download},
)
