"""What a group method is asked: columns that may be disclosed, and groups that must keep their promises.

Everything here is counts of collapsed rows. A `GroupTable` is one set of known columns (a QID) with what
must hold in its groups; fixed columns split its rows from the start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.encoded import Codes, Ints
from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.gain import Counted
from discreet.method.base.limits import GroupLimit
from discreet.method.base.space import Flags, Space
from discreet.method.base.targets import CutTarget


@dataclass(frozen=True)
class ColumnCounts:
    """A changeable column: what may be disclosed of it, and the rows that have each of its codes."""

    space: Space
    rows: Ints
    """Rows per code."""
    tallies: npt.NDArray[np.int64] | npt.NDArray[np.float64]
    """What the use counts per code: rows of each class, or sums of 1, y, y²."""
    pinned: Flags
    """Values of a plain column that are never disclosed because they already are the marker."""
    useful: bool = True
    """Whether the use has anything from knowing this column."""
    weight: Fraction = Fraction(1)
    """How much its loss of detail weighs beside that of the others."""
    pairs: ClassPairs | None = None
    """Rows of each class per code, where there are very many; `tallies` are all rows then."""

    @property
    def counted(self) -> Counted:
        """What the use counts per code, in either way."""
        return self.tallies if self.pairs is None else self.pairs


@dataclass(frozen=True)
class GroupTable:
    """One set of known columns over collapsed rows, with what must hold in its groups.

    Rows whose sensitive value is unknown do not count: shares are taken among those who are known.
    """

    columns: tuple[int, ...]
    """Which changeable columns are known; positions in the problem's `columns`."""
    fixed: Ints
    """Rows that differ here are told apart whatever is disclosed; in a `CutProblem` numbers from 0."""
    sizes: Ints
    """How many rows count in each collapsed row: in a `CutProblem` fewer where a sensitive value is unknown."""
    hits: Ints
    """What limits count besides: tallies (first axis), such as the rows with a property, of each collapsed row."""
    limits: tuple[GroupLimit, ...]
    strangers: int = -1
    """What `fixed` has for people of a population that the table does not know: they are in no group of its rows."""

    @property
    def promises(self) -> tuple[int, ...]:
        """Which promise each limit belongs to, by number."""
        return tuple(limit.promise for limit in self.limits)


@dataclass(frozen=True)
class GroupProblem:
    """A whole job for a group method; each table has collapsed rows of its own."""

    total: int
    columns: tuple[ColumnCounts, ...]
    tables: tuple[GroupTable, ...]
    codes: tuple[Codes, ...]
    """For each table the code of each known changeable column (first axis) in each of its collapsed rows."""


@dataclass(frozen=True)
class CutProblem:
    """A job for a search over cuts: all changeable columns of the collapsed rows, which all tables share."""

    total: int
    columns: tuple[ColumnCounts, ...]
    codes: npt.NDArray[np.int32]
    """Code of each changeable column (first axis) in each collapsed row."""
    sizes: Ints
    """Rows of each collapsed row: none where people of a population stand, who are only counted beside the rows."""
    targets: tuple[CutTarget, ...]
    """What is to be predicted; nothing for general use."""
    tables: tuple[GroupTable, ...]

    def rows_only(self) -> CutProblem:
        """Return the problem without the people of populations, and without the limits that count them."""
        kept = np.flatnonzero(self.sizes)
        tables = [
            replace(table, fixed=table.fixed[kept], sizes=table.sizes[kept], hits=table.hits[:, kept])
            for table in self.tables
            if not any(limit.people for limit in table.limits)
        ]
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, kept]),
            sizes=self.sizes[kept],
            targets=tuple(target.of_rows(kept) for target in self.targets),
            tables=tuple(tables),
        )
