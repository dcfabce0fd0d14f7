"""Writing a release with what belongs to it: the release last, and only if it reads back as it was verified.

A run killed between the names leaves a plan whose manifest does not fit the release beside it: its hash tells.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.columns.medians import map_path, stale_map, write_map
from discreet.common.staging import Staging
from discreet.errors import InputError
from discreet.plan.blind_statement import stale_statement, statement_path
from discreet.table.digests import digest_of
from discreet.table.formats.place import Address, is_standard, place_of
from discreet.writing.destinations import Destination, destination
from discreet.writing.manifest import manifest, manifest_path, name_of, refuse_unwritten_names
from discreet.writing.originals import refuse_original
from discreet.writing.recording import recording

if TYPE_CHECKING:
    from discreet.audit.audit import Audit
    from discreet.release import Release

NO_PLACE_FOR_INTERVALS = (
    "{}: medians are released, and the intervals that they stand for must stand beside them; give --out the name of "
    "a file"
)


NO_PLACE_FOR_STATEMENT = (
    "{}: cells are protected blindly, and the method statement must stand beside the release; give --out the name of "
    "a file"
)


def write_release(
    release: Release,
    out: str | Path,
    *,
    force: bool = False,
    plan: Path | None = None,
    sources: Mapping[str, str | Path] | None = None,
    reports: Mapping[Path, bool] | None = None,
) -> None:
    """Write the release to `out`; with `plan` also the private plan and a manifest beside it.

    `reports` are those of its audit, by path; True for one that everybody may see.

    Where cells are protected blindly, the public method statement is written beside `out`, and where none are, that of
    an earlier release of that name goes. Where medians are released, the intervals they stand for are written beside
    `out`; where none are, those of an earlier release of that name go.
    """
    if plan is not None:
        refuse_unwritten_names([*(sources or {}).values(), plan, out])
    place = place_of(out)
    with _staging(force=force) as staging, destination(place, force=force) as to:
        _stage_reports(staging, release.audit, reports or {})
        _write(staging, release, to, plan, sources or {})


def write_reports(audit: Audit, reports: Mapping[Path, bool], *, force: bool = False) -> None:
    """Write the reports of an audit, all or none; `reports` as for `write_release`."""
    with _staging(force=force) as staging:
        _stage_reports(staging, audit, reports)
        staging.commit(last=list(reports)[-1])


def write_private(path: Path, data: bytes, *, force: bool = False) -> None:
    """Write a file that tells more than a release, whole or not at all."""
    with _staging(force=force) as staging:
        with staging.open(path, private=True) as file:
            file.write(data)
        staging.commit(last=path)


@contextlib.contextmanager
def _staging(*, force: bool) -> Iterator[Staging]:
    """Yield a staging that is cleaned up whatever happens."""
    staging = Staging(force=force)
    try:
        with staging:
            yield staging
    finally:
        # Polars and Python both raise for one Ctrl-C: the second may come on the way into the clean-up of the first.
        staging.discard()


def _stage_reports(staging: Staging, audit: Audit, reports: Mapping[Path, bool]) -> None:
    for path, public in reports.items():
        with staging.open(path, private=not public) as file:
            file.write(audit.to_html(public=public).encode("utf-8", "replace"))


def _write(
    staging: Staging, release: Release, to: Destination, plan: Path | None, sources: Mapping[str, str | Path]
) -> None:
    to.stage(release, staging)
    _stage_intervals(staging, release, to)
    _stage_statement(staging, release, to)
    if plan is not None:
        arrived = {"input": release.source.form.digest}
        parts = {part: (name_of(path), arrived.get(part) or digest_of(path)) for part, path in sources.items()}
        kept = release.plan.to_json().encode()
        parts["plan"] = (plan.name, hashlib.sha256(kept).hexdigest())
        parts["release"] = (to.place.name, to.sha256)
        with staging.open(plan, private=True) as file:
            file.write(kept)
        with staging.open(manifest_path(plan), private=True) as file:
            file.write(manifest(parts).encode())
    with recording(release, to):
        staging.commit(last=to.file, then=to.hand_out, told=[] if to.file else [to.place])


def _stage_intervals(staging: Staging, release: Release, to: Destination) -> None:
    """Write the intervals that released medians stand for beside the release; those of an earlier one go."""
    if isinstance(to.place, Address) or is_standard(to.place):
        if release.intervals:
            raise InputError(NO_PLACE_FOR_INTERVALS.format(to.place))
        return
    if release.intervals or stale_map(to.place):
        refuse_original(map_path(to.place), release.source.form.place)
    if release.intervals:
        with staging.open(map_path(to.place)) as file:
            escape = release.plan.policy.file.escape_formulas
            file.write(write_map(release.intervals, escape_formulas=escape).encode())
    elif stale := stale_map(to.place):
        staging.remove(stale)


def _stage_statement(staging: Staging, release: Release, to: Destination) -> None:
    """Write the public method statement beside the release; that of an earlier one goes."""
    if isinstance(to.place, Address) or is_standard(to.place):
        if release.statement is not None:
            raise InputError(NO_PLACE_FOR_STATEMENT.format(to.place))
        return
    stale = stale_statement(to.place)
    if release.statement is not None or stale:
        refuse_original(statement_path(to.place), release.source.form.place)
    if release.statement is not None:
        with staging.open(statement_path(to.place)) as file:
            file.write(release.statement.to_json().encode())
    elif stale:
        staging.remove(stale)
