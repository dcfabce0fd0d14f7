"""Attacks: what adversaries get right about the release, beside what they would get right without it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.responses import FileResponse, Response

from discreet.app.command import audit_line, ledger_words
from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.policy_text import Unread
from discreet.app.remedying import RemedyOffer, offers
from discreet.app.screens.base import LivePart, Query, Screen, needs_table
from discreet.app.screens.release import ENDING, chosen
from discreet.app.work.jobs import REPORT, MadeRelease
from discreet.errors import InputError


def page_of_attacks(job: MadeRelease) -> dict[str, Any] | None:
    """Return what the attacks on a release have found; None while they are being made."""
    try:
        found: dict[str, Any] = json.loads((job.path / "app" / "attacks.json").read_bytes())
    except (OSError, ValueError):
        return None
    return found


def _job(desk: Desk, query: Query) -> MadeRelease | None:
    """Return the release that is asked for, else the latest that was made."""
    if "n" in query:
        return chosen(desk, query)
    return next((each for each in desk.jobs.all if each.made is not None), desk.jobs.latest)


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    return {"job": _job(desk, query), "releases": [each for each in desk.jobs.all if each.made is not None]}


def _found(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = _job(desk, query)
    page = None if job is None else page_of_attacks(job)
    current = job is not None and desk.is_current(job)
    offered = {} if page is None or not current else _offered(desk, page)
    return {
        "job": job,
        "page": page,
        "current": current,
        "busy": desk.jobs.busy is not None,
        "offers": offered,
        "command": None if job is None or job.made is None else _command(job, job.made),
        "report": job is not None and (job.path / "app" / REPORT).is_file(),
    }


def _command(job: MadeRelease, made: Mapping[str, Any]) -> str:
    return audit_line(job.table, job.names, job.where, shuffled=made["shuffled"], more=ledger_words(job.ledger))


def _steps(page: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all that is to be done."""
    for block in page["to_do"]:
        yield from block.get("steps", ())


def _offered(desk: Desk, page: Mapping[str, Any]) -> dict[str, RemedyOffer]:
    """Return what can be done with one click, by the places of step and offer; each once, and told to its step."""
    found: dict[str, RemedyOffer] = {}
    known: set[str] = set()
    for place, step in enumerate(_steps(page)):
        try:
            made = offers(step["remedy"], desk.now.text)
        except Unread:
            return {}
        for number, offer in enumerate(made):
            if offer.words not in known:
                known.add(offer.words)
                found[f"{place}.{number}"] = offer
                step.setdefault("offers", []).append({"name": f"{place}.{number}", "words": offer.words})
    return found


def _apply(desk: Desk, said: FormSaid) -> str | None:
    """Change the policy by a remedy, and go to where promises are made."""
    job = desk.jobs.get(said.number("n", 1, 10**8))
    page = page_of_attacks(job)
    offer = None if page is None or not desk.is_current(job) else _offered(desk, page).get(said.one("offer"))
    if offer is None:
        raise InputError("the policy has changed since this release was made; make another one, and see its attacks")
    before = desk.now.number
    desk.edit(offer.words, offer.edit)
    if desk.reading.mistakes:
        told = desk.reading.mistakes[0].words
        if desk.now.number != before:
            desk.undo()
        raise InputError(f"the policy does not allow that as it stands: {told}")
    return "/promises"


def _again(desk: Desk, said: FormSaid) -> str | None:
    job = desk.jobs.get(said.number("n", 1, 10**8))
    desk.jobs.send(job, "attack", desk.folder.path)
    return f"/attacks?n={job.number}"


def _report(desk: Desk, query: Query) -> Response:
    """Hand out the report of the thorough attacks."""
    job = chosen(desk, query)
    if job is None or not (job.path / "app" / REPORT).is_file():
        raise InputError("there is no such report")
    name = job.names["report"].removesuffix("-report.html") + "-" + REPORT
    return FileResponse(job.path / "app" / REPORT, media_type="application/octet-stream", filename=name)


SCREEN = Screen(
    "attacks",
    "Attacks",
    "See what somebody who wants to know more would get right, and decide whether that is acceptable.",
    _view,
    {"apply": _apply, "again": _again, **ENDING},
    {"found": LivePart(_found, ("job", "progress"))},
    needs=needs_table,
    downloads={"{n:int}/report": _report},
)
