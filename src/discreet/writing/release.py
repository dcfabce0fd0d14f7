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
from discreet.table.formats.known import other_ways
from discreet.table.source import reopened
from discreet.table.stores.engine import BigEngine
from discreet.writing.manifest import digest_of, manifest, manifest_path, refuse_unwritten_names

if TYPE_CHECKING:
    from discreet.audit.audit import Audit
    from discreet.release import Release


def write_release(
    release: Release,
    out: Path,
    *,
    force: bool = False,
    plan: Path | None = None,
    sources: dict[str, Path] | None = None,
    reports: Mapping[Path, bool] | None = None,
) -> None:
    """Write the release to `out`; with `plan` also the private plan and a manifest beside it.

    `reports` are those of its audit, by path; True for one that everybody may see.

    Where medians are released, the intervals they stand for are written beside `out`; where none are, those of an
    earlier release of that name go.
    """
    if plan is not None:
        refuse_unwritten_names([*(sources or {}).values(), plan, out])
    with _staging(force=force) as staging:
        _stage_reports(staging, release.audit, reports or {})
        _write(staging, release, out, plan, sources or {})


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


def _write(staging: Staging, release: Release, out: Path, plan: Path | None, sources: dict[str, Path]) -> None:
    if isinstance(release.engine, BigEngine) and release.engine.writes_folder(out):
        with staging.folder(out) as folder:
            release.engine.write_folder(folder)
    else:
        with staging.open(out) as file:
            release.engine.write(file, out)
    _read_back(release, staging.staged(out), out)
    if release.intervals:
        with staging.open(map_path(out)) as file:
            escape = release.plan.policy.file.escape_formulas
            file.write(write_map(release.intervals, escape_formulas=escape).encode())
    elif stale := stale_map(out):
        staging.remove(stale)
    if plan is not None:
        parts = {part: (path.name, digest_of(path)) for part, path in sources.items()}
        kept = release.plan.to_json().encode()
        parts["plan"] = (plan.name, hashlib.sha256(kept).hexdigest())
        parts["release"] = (out.name, digest_of(staging.staged(out)))
        with staging.open(plan, private=True) as file:
            file.write(kept)
        with staging.open(manifest_path(plan), private=True) as file:
            file.write(manifest(parts).encode())
    staging.commit(last=out)


def _read_back(release: Release, written: Path, out: Path) -> None:
    """Refuse a file that would be read as another table than the one that was verified."""
    same = release.engine.reads_back(written, release.plan.policy, reopened)
    if not same:
        raise InputError(
            f"{out}: the release would not be read back as it is; {other_ways(release.engine.form.format_for(out))}"
        )
