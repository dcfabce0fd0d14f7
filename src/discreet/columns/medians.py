"""The intervals that released medians stand for: published beside the release, for without them a median is no truth.

`release.csv` has `release.csv.intervals.csv` beside it: one line per column and released value, with the interval
from (included, but for `>18`) and to (not included); a blank end is open. What is only told together is no median.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from discreet.columns.formulas import escaped_texts, unescaped_texts
from discreet.columns.intervals import Border
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.columns.intervals import Interval
    from discreet.columns.scale import Scale
    from discreet.plan.plan import Plan

Ranges: TypeAlias = Mapping[str, tuple[str, str]]
"""Where the interval of each released text begins and stops; blank where it is open."""
HEADER = ["column", "released", "from", "to"]


def map_path(release: Path) -> Path:
    """Return where the intervals of a release stand.

    >>> map_path(Path("release.csv.gz")).name
    'release.csv.gz.intervals.csv'
    """
    return release.parent / f"{release.name}.intervals.csv"


def stale_map(release: Path) -> Path | None:
    """Return the intervals that an earlier release of this name has left, if there are any written by discreet."""
    path = map_path(release)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return path if next(csv.reader(file), None) == HEADER else None
    except (OSError, ValueError, csv.Error):
        return None


def median_ranges(plan: Plan) -> dict[str, Ranges]:
    """Return, for each column released by medians, the interval of each.

    Beside hidden intervals it is open, lest it tells a value of rows that are not released; not at the owner's `ends`.
    It ends before `top` and `bottom`: of what lies there no median tells.
    """
    found: dict[str, Ranges] = {}
    for recoding in plan.recodings:
        column = plan.policy.column(recoding.column)
        scale = column.scale
        if scale is None or column.released_form != "median":
            continue
        told = [interval for interval in recoding.intervals if interval.text != plan.policy.marker]
        if told and column.ends is None:  # only outermost intervals are hidden
            bottom, top = column.tails
            if _is_median(scale, told[0]):
                told[0] = told[0].beginning(None if bottom is None else Border(bottom, True))
            if _is_median(scale, told[-1]):
                told[-1] = told[-1].stopping(None if top is None else Border(top, False))
        found[recoding.column] = {
            interval.text: (_begin(scale, interval), "" if interval.stop is None else scale.write(interval.stop))
            for interval in told
            if _is_median(scale, interval)
        }
    return found


def _is_median(scale: Scale, interval: Interval) -> bool:
    """Whether an interval is told by a value; the others are what is only told together."""
    return scale.read(interval.text) is not None


def _begin(scale: Scale, interval: Interval) -> str:
    """Return where an interval begins; of days the first one, of numbers that may be none."""
    if interval.start is None:
        return ""
    if interval.after:
        return scale.write(interval.start + 1) if scale.always_whole else f">{scale.write(interval.start)}"
    return scale.write(interval.start)


def write_map(ranges: Mapping[str, Ranges], *, escape_formulas: bool = False) -> str:
    """Return the intervals as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for column, intervals in ranges.items():
        lines = [[column, released, *ends] for released, ends in intervals.items()]
        writer.writerows(map(escaped_texts, lines) if escape_formulas else lines)
    return text.getvalue()


def read_map(path: Path, *, escape_formulas: bool = False) -> dict[str, Ranges]:
    """Return the intervals in a file written by `write_map`; none when there is no such file."""
    try:
        lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError(f"{path}: cannot be read as the intervals of the release beside it") from None
    if not lines or lines[0] != HEADER or any(len(line) != len(HEADER) for line in lines):
        raise InputError(f"{path}: is not a file of intervals written by discreet")
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for column, released, begin, end in map(unescaped_texts, lines[1:]) if escape_formulas else lines[1:]:
        found.setdefault(column, {})[released] = (begin, end)
    return dict(found)
