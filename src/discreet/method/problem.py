"""What a group method is asked: columns that may be disclosed, and groups that must keep their promises.

Everything here is counts of collapsed rows. A `GroupTable` is one set of known columns (a QID) with the
properties that must not be inferred from it; fixed columns split its rows from the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.measure.gain import ColumnCounts
from discreet.table.encode import Codes, Ints


@dataclass(frozen=True)
class GroupTable:
    """The collapsed rows of one set of known columns and how many of them have each property.

    Rows whose sensitive value is unknown are left out: shares are taken among those who are known.
    """

    columns: tuple[int, ...]
    """Which changeable columns are known; positions in `GroupProblem.columns`."""
    codes: Codes
    """Code of each known changeable column (first axis) in each collapsed row."""
    fixed: Ints
    """Rows that differ here are told apart whatever is disclosed."""
    sizes: Ints
    hits: Ints
    """Rows with each property (first axis) in each collapsed row."""
    limits: tuple[Fraction, ...]
    promises: tuple[int, ...]
    """Which promise each property belongs to, by number: the method's answers name promises so."""


@dataclass(frozen=True)
class GroupProblem:
    """A whole job for a group method."""

    total: int
    columns: tuple[ColumnCounts, ...]
    tables: tuple[GroupTable, ...]
