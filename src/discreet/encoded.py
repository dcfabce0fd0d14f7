"""Columns as small integers, and equal rows collapsed to one with a count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.common.stable_order import counted, numbered, stable_order

if TYPE_CHECKING:
    import polars as pl

Codes = npt.NDArray[np.unsignedinteger]
Ints = npt.NDArray[np.int64]

LARGEST_KEY = 2**62
SAMPLED, EVERY, FEW = 200_000, 8, 1000
"""Of so many rows one in so many is looked at first for the texts of a column, if these are few."""


@dataclass(frozen=True)
class Encoded:
    """A column: its occurring values in code-point order (None, a missing value, first) and a code per row."""

    domain: tuple[str | None, ...]
    codes: Codes


@dataclass(frozen=True)
class Combinations:
    """The distinct combinations of some columns with the number of rows that have each."""

    columns: tuple[str, ...]
    domains: tuple[tuple[str | None, ...], ...]
    codes: tuple[Codes, ...]
    counts: Ints
    _rows: dict[str, Ints] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was counted of single columns; not passed on to whatever replaces something of this."""

    def domain(self, column: str) -> tuple[str | None, ...]:
        """Return the occurring values of a column in code-point order."""
        return self.domains[self.columns.index(column)]

    def code(self, column: str) -> Codes:
        """Return the code of a column in each combination."""
        return self.codes[self.columns.index(column)]

    def rows(self, column: str) -> Ints:
        """Return how many rows have each value of a column; counted once."""
        found = self._rows.get(column)
        if found is None:
            found = np.zeros(len(self.domain(column)), dtype=np.int64)
            np.add.at(found, self.code(column), self.counts)
            found.flags.writeable = False
            self._rows[column] = found
        return found


def smallest(size: int) -> type[np.unsignedinteger]:
    """Return the smallest integer type that holds the codes of `size` values."""
    return next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if size <= np.iinfo(kind).max + 1)


def encode(texts: pl.Series) -> Encoded:
    """Return the column as codes.

    >>> import polars as pl
    >>> encode(pl.Series(["b", None, "a", "b"]))
    Encoded(domain=(None, 'a', 'b'), codes=array([2, 0, 1, 2], dtype=uint8))
    """
    import polars as pl  # not for whoever needs the names of types only

    values, physical = _numbered_texts(texts, sampled=len(texts) >= SAMPLED)
    domain: tuple[str | None, ...] = tuple(values.to_list())
    if texts.null_count():
        domain = (None, *domain)
        physical = (physical.cast(pl.UInt32) + 1).fill_null(0)
    return Encoded(domain, physical.to_numpy().astype(smallest(len(domain)), copy=False))


def _numbered_texts(texts: pl.Series, *, sampled: bool) -> tuple[pl.Series, pl.Series]:
    """Return the different texts of a column in code-point order, and which of them each row has.

    Of many rows a part is looked at first: often it has all texts, and whether it does is seen when rows are numbered.
    """
    import polars as pl

    values = (texts.gather_every(EVERY) if sampled else texts).drop_nulls().unique().sort()
    if sampled and len(values) > FEW:
        return _numbered_texts(texts, sampled=False)
    numbers = texts.cast(pl.Enum(values), strict=not sampled).to_physical()
    if numbers.null_count() > texts.null_count():
        return _numbered_texts(texts, sampled=False)
    return values, numbers


def of_texts(texts: Sequence[str | None], codes: npt.NDArray[np.integer[Any]]) -> Encoded:
    """Return a column as codes that has some texts, in any order and perhaps twice, and which of them each row has.

    >>> of_texts(["b", None, "a", "b"], np.array([0, 1, 3, 0]))
    Encoded(domain=(None, 'b'), codes=array([1, 0, 1, 1], dtype=uint8))
    """
    there = np.flatnonzero(np.bincount(codes, minlength=len(texts))).tolist()
    domain = sorted({texts[place] for place in there}, key=lambda text: (text is not None, text or ""))
    place_of = {text: place for place, text in enumerate(domain)}
    code = np.zeros(len(texts), dtype=smallest(len(domain)))
    code[there] = [place_of[texts[place]] for place in there]
    return Encoded(tuple(domain), code[codes])


def keys(codes: Sequence[npt.NDArray[np.integer[Any]]], sizes: Sequence[int], rows: int) -> tuple[Ints, int]:
    """Return one integer per row that tells its combination of codes, and a bound above all of them."""
    key = np.zeros(rows, dtype=np.int64)
    bound = 1
    for code, size in zip(codes, sizes, strict=True):
        if bound * max(size, 1) > LARGEST_KEY:
            found, key = numbered(key)
            bound = len(found)
        if bound > 1:
            key *= size
        np.add(key, code, out=key, casting="unsafe")  # codes are far below what the key holds
        bound *= max(size, 1)
    return key, bound


def places_among(
    codes: Sequence[Codes], among: Sequence[Ints], sizes: Sequence[int], rows: int, combinations: int
) -> Ints:
    """Return for each row the place of its combination of codes among some distinct ones; -1 where it is not there.

    >>> places_among([np.array([0, 1, 2], dtype=np.uint8)], [np.array([2, 0])], [3], 3, 2)
    array([ 1, -1,  0])
    """
    both = [np.concatenate((mine, theirs)) for mine, theirs in zip(codes, among, strict=True)]
    key, bound = keys(both, sizes, rows + combinations)
    mine, theirs = key[:rows], key[rows:]
    if bound <= 4 * rows:
        place = np.full(bound, -1, dtype=np.int64)
        place[theirs] = np.arange(combinations)
        return place[mine]
    if not combinations:
        return np.full(rows, -1, dtype=np.int64)
    order = np.argsort(theirs)
    found = order[np.minimum(np.searchsorted(theirs[order], mine), combinations - 1)]
    return np.where(theirs[found] == mine, found, -1)


def collapse(columns: Sequence[str], encoded: Sequence[Encoded], rows: int) -> Combinations:
    """Return the distinct combinations of the columns with their counts, in the order of their codes."""
    key, bound = keys([column.codes for column in encoded], [len(column.domain) for column in encoded], rows)
    if bound <= 4 * rows:
        totals = np.bincount(key, minlength=1)
        present = np.flatnonzero(totals)
        first = np.zeros(len(totals), dtype=np.int64)
        first[key] = np.arange(rows)
        counts, at = totals[present].astype(np.int64), first[present]
    else:
        _, at, counts = counted(key)
    return Combinations(
        tuple(columns),
        tuple(column.domain for column in encoded),
        tuple(column.codes[at] for column in encoded),
        counts.astype(np.int64),
    )


def occurring(key: Ints) -> tuple[Ints, Ints]:
    """Return the different keys, ascending (none is below 0), and how many rows have each.

    >>> occurring(np.array([7, 2, 7]))
    (array([2, 7]), array([1, 2]))
    """
    if len(key) and int(key.max()) < 4 * len(key):
        totals = np.bincount(key).astype(np.int64)
        present = np.flatnonzero(totals)
        return present, totals[present]
    found, counts = np.unique(key, return_counts=True)
    return found, counts.astype(np.int64)


def regroup(key: Ints) -> tuple[Ints, Ints, Ints]:
    """Sort rows by key: return the order, the start of each group in it, and the group of each row."""
    order = stable_order(key)
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(key) else order[:0]
    group = np.empty(len(key), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(key))))
    return order, starts, group
