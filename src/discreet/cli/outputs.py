"""The files that a command would write: refused at once where they could only fail, or harm, at the end."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from discreet.cli.options import ReportOptions
    from discreet.policy import Policy


def released_files(out: str, policy: Policy) -> list[Path]:
    """Return the files of a release: the table and, with medians or beside an old release with some, intervals."""
    from discreet.columns.medians import map_path, stale_map
    from discreet.table.formats.known import written_file
    from discreet.table.formats.place import Address, is_standard, place_of
    from discreet.writing.release import NO_PLACE_FOR_INTERVALS

    medians = any(column.released_form == "median" for column in policy.columns.values())
    place = place_of(out)
    if isinstance(place, Address) or is_standard(place):
        if medians:
            raise InputError(NO_PLACE_FOR_INTERVALS.format(place))
        return []
    file = written_file(place)
    return [file, map_path(place)] if medians or stale_map(place) else [file]


def refuse_release(out: str, table: str, force: bool, as_json: bool) -> None:
    """Refuse at once a place where no release can go."""
    from discreet.table.formats.known import refuse_foreign, written_as
    from discreet.table.formats.place import is_standard, place_of

    place = place_of(out)
    if is_standard(place) and as_json:
        raise InputError("--json: prints to standard output, where the release goes; give --out another place")
    refuse_foreign(place)
    if (chosen := written_as(place)) is not None:
        chosen.refuse_taken(place, [place_of(table)], force=force)


@contextlib.contextmanager
def beside_release(out: str) -> Iterator[None]:
    """Let what is said of a release go to standard error where the release itself goes to standard output."""
    with contextlib.redirect_stdout(sys.stderr) if out == "-" else contextlib.nullcontext():
        yield


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


def schema_beside(policy: Path, force: bool) -> tuple[str, dict[Path, str]]:
    """Return the line by which editors find the schema beside a policy, and the schema where it is to be written.

    One that is there already stays, unless files are to be replaced. A file of that name that is none is let alone,
    and no line points to it.
    """
    import json

    from discreet.common.printable import json_text
    from discreet.policy.schema import BESIDE, HEADER, TITLE, policy_schema

    path = policy.parent / BESIDE
    if not os.path.lexists(path):
        return HEADER, {path: json_text(policy_schema()) + "\n"}
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or found.get("title") != TITLE:
        return "", {}
    return HEADER, {path: json_text(policy_schema()) + "\n"} if force else {}


def refuse_outputs(outputs: Iterable[Path], inputs: Sequence[str | Path], force: bool) -> None:
    """Refuse at once what could only fail, or harm, at the end."""
    from discreet.common.staging import refuse_unwritable
    from discreet.table.formats.known import FORMATS
    from discreet.table.stores.files import watched
    from discreet.writing.originals import same_file

    others = [file for path in inputs for file in watched(path)]
    folders = [Path(path) for path in inputs if os.path.isdir(path)]  # noqa: PTH112 - no error for a name no file can have
    for path in outputs:
        refuse_unwritable(path, force=True)
        if any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
            raise InputError(f"{path}: is inside the folder of the table; put it elsewhere")
        if any(same_file(path, other) for other in others):
            raise InputError(f"{path}: is also another file of this command; give it a name of its own")
        others.append(path)
        refuse_unwritable(path, force=force or any(one.joins(path) for one in FORMATS))
