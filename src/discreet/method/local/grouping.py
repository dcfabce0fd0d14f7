"""What local recoding finds: groups of rows with a label in each column."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.encoded import Ints
from discreet.method.base.loss import Units
from discreet.method.base.space import Flags


@dataclass(frozen=True)
class LocalGrouping:
    """Groups over some columns: the group of each collapsed row, and the label of each group in each column."""

    columns: tuple[int, ...]
    """Positions in the problem's columns, in the order in which the labels have them."""
    group: Ints
    """-1 for a row that is removed."""
    first: Ints
    """The first code that a group's label (first axis) stands for in each column (second axis)."""
    stop: Ints
    """The first code after it: a taxonomy node, an interval or a value; all codes of a plain column: the marker."""
    sets: dict[int, Flags]
    """For a column with sets (by its position in the problem) the codes of each group's label (second axis)."""
    hidden: Flags
    """Groups whose rows are masked altogether: every column shows the marker."""
    losses: Ints
    """What a row of each group loses in each column, in units."""


@dataclass(frozen=True)
class Local:
    """What was found. Columns that no promises know together are grouped apart from each other."""

    groupings: tuple[LocalGrouping, ...]
    lost: int
    """Loss of all rows in units, those removed included."""
    judged: int
    """What the groups cost those who predict something, by `worth`; rows left out too."""
    gone: int
    """Rows that are removed or hidden on every column."""
    broken: tuple[int, ...]
    """Promises (by number) that cannot be kept even when everything is hidden; then the rest counts for nothing."""
    units: Units


@dataclass(frozen=True)
class PartFound:
    """The groups of one part, and which of them are gone (the last stands for removed rows)."""

    grouping: LocalGrouping
    lost: int
    judged: int
    gone: Flags
    broken: tuple[int, ...]
