"""The files that a command would write: refused at once where they could only fail, or harm, at the end."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.cli.options import ReportOptions
    from discreet.policy import Policy


def released_files(out: Path, policy: Policy) -> list[Path]:
    """Return the files of a release: the table and, with medians or beside an old release with some, intervals."""
    from discreet.columns.medians import map_path, stale_map

    medians = any(column.released_form == "median" for column in policy.columns.values())
    return [out, map_path(out)] if medians or stale_map(out) else [out]


def report_files(said: ReportOptions) -> dict[Path, bool]:
    """Return the reports to be written, each with whether everybody may see it; refuse at once what cannot be."""
    report, public = said.report, said.public_report
    wanted = {path: is_public for path, is_public in ((report, False), (public, True)) if path is not None}
    if report is not None and report == public:
        raise InputError(f"{report}: is also another file of this command; give it a name of its own")
    for path in wanted:
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: a report ends in .html")
    if wanted:
        from discreet.audit.report.render import refuse_report

        refuse_report()
    return wanted


def refuse_outputs(outputs: Iterable[Path], inputs: list[Path], force: bool) -> None:
    """Refuse at once what could only fail, or harm, at the end."""
    from discreet.common.staging import refuse_unwritable
    from discreet.table.stores.files import watched

    others = [file for path in inputs for file in watched(path)]
    folders = [path for path in inputs if os.path.isdir(path)]  # noqa: PTH112 - no error for a name no file can have
    for path in outputs:
        refuse_unwritable(path, force=True)
        if any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
            raise InputError(f"{path}: is inside the folder of the table; put it elsewhere")
        if any(_same_file(path, other) for other in others):
            raise InputError(f"{path}: is also another file of this command; give it a name of its own")
        others.append(path)
        refuse_unwritable(path, force=force)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError, RuntimeError):
        return False  # one of them does not exist yet, or cannot: reading or writing it says so
