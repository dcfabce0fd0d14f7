"""Rows as numbers for learners: released texts and original values in one form that knows what each text may mean.

A number (or a date) is three: the middle of what its text covers and half its width, both beside the whole range of the
column, and 1 where nothing is told. A category is one number for each value: 1 for a value itself, even shares for a
text that covers several, all 0 where nothing is told. A text that covers no value at all (a label of which nobody has
said what it means) is a value of its own. Beyond the `MOST` commonest values of a column the others are one.

A column of which the policy says nothing is one of numbers (or dates, written as 2024-01-31) if all its values read as
such and there are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.columns.scale import Dates, Numbers
from discreet.compare.meanings import Flags, Floats, Sense
from discreet.encoded import Ints
from discreet.table.engine import Engine

MOST = 200
"""Values of a column that have a number each."""
_MANY = 20
"""A column of no kind with more different numbers than this is one of numbers."""
_KNOWN_BY = ("middle", "half_width", "unknown")


@dataclass(frozen=True)
class ColumnFeatures:
    """One column: a line of numbers for each released text and for each value of the domain."""

    sense: Sense
    texts: Any
    values: Any
    """Sparse matrices; the last line of `values` is that of an unknown one."""
    names: tuple[str, ...]

    def of_texts(self, codes: Ints) -> Any:
        """Return the lines of released texts, by their places."""
        return self.texts[codes]

    def of_values(self, places: Ints) -> Any:
        """Return the lines of values, by their places; -1 is a stranger, who counts as unknown."""
        return self.values[np.where(places < 0, len(self.sense.values), places)]


@dataclass(frozen=True)
class Encoding:
    """Columns as numbers, side by side."""

    parts: tuple[ColumnFeatures, ...]

    @classmethod
    def of(cls, senses: Sequence[Sense]) -> Encoding:
        """Return the encoding of some columns, in their order."""
        return cls(tuple(_part(sense) for sense in senses))

    @property
    def names(self) -> tuple[str, ...]:
        """What each number stands for: the column, and the place of a value (never the value itself)."""
        return tuple(f"{part.sense.name}:{name}" for part in self.parts for name in part.names)

    def rows(self, codes: Sequence[Ints]) -> Any:
        """Return rows of released texts (for each column the places of its texts) as a sparse matrix."""
        return _beside([part.of_texts(code) for part, code in zip(self.parts, codes, strict=True)])

    def originals(self, places: Sequence[Ints]) -> Any:
        """Return rows of original values (for each column their places in its domain) as a sparse matrix."""
        return _beside([part.of_values(place) for part, place in zip(self.parts, places, strict=True)])

    def released(self, rows: Ints | None = None) -> Any:
        """Return the released rows, or some of them by place."""
        codes = [part.sense.codes for part in self.parts]
        return self.rows(codes if rows is None else [code[rows] for code in codes])

    def table(self, table: Engine, rows: Ints | None = None) -> Any:
        """Return the rows of a table of original values (the original, a control), or some of them by place."""
        places = [part.sense.values_of(table) for part in self.parts]
        return self.originals(places if rows is None else [place[rows] for place in places])


def _beside(parts: Sequence[Any]) -> Any:
    from scipy import sparse

    return sparse.hstack(parts, format="csr")


def _part(sense: Sense) -> ColumnFeatures:
    numbers = numbers_of(sense)
    return _of_categories(sense) if numbers is None else _of_numbers(sense, numbers)


def numbers_of(sense: Sense) -> Floats | None:
    """Return the values as numbers (NaN for others), if the column is one of numbers; None elsewhere."""
    if sense.numbers is not None:
        return sense.numbers if np.isfinite(sense.numbers[sense.known]).any() else None
    if int(sense.known.sum()) <= _MANY:
        return None
    for scale in (Numbers(), Dates()):
        read = [scale.read(value) if told else None for value, told in zip(sense.values, sense.known, strict=True)]
        if not any(number is None and told for number, told in zip(read, sense.known, strict=True)):
            return np.array([np.nan if number is None else float(number) for number in read])
    return None


def _of_categories(sense: Sense) -> ColumnFeatures:
    """Return a number for each of the commonest values, and one for all others."""
    spread, own = _shares(sense, np.ones(len(sense.values), dtype=np.bool_))
    together, size = _commonest(sense, spread)
    return ColumnFeatures(sense, spread @ together, own @ together, tuple(f"{place}" for place in range(size)))


def _of_numbers(sense: Sense, numbers: Floats) -> ColumnFeatures:
    """Return middle, half width and whether nothing is told; and what is no number as categories are."""
    from scipy import sparse

    is_number = np.isfinite(numbers) & sense.known
    low, high = float(numbers[is_number].min()), float(numbers[is_number].max())
    at = (numbers - low) / ((high - low) or 1.0)
    begin, covered, _ = sense.shares()
    text_of = np.repeat(np.arange(len(sense.texts)), np.diff(begin))
    inside = is_number[covered]
    least, most = np.full(len(sense.texts), np.inf), np.full(len(sense.texts), -np.inf)
    np.minimum.at(least, text_of[inside], at[covered[inside]])
    np.maximum.at(most, text_of[inside], at[covered[inside]])
    of_texts = _three(least, most, most >= least)
    of_values = _three(np.append(at, 0.0), np.append(at, 0.0), np.append(is_number, False))
    spread, own = _shares(sense, ~is_number)
    together, size = _commonest(sense, spread)
    return ColumnFeatures(
        sense,
        sparse.hstack([sparse.csr_matrix(of_texts), spread @ together], format="csr"),
        sparse.hstack([sparse.csr_matrix(of_values), own @ together], format="csr"),
        (*_KNOWN_BY, *(f"{place}" for place in range(size))),
    )


def _three(least: Floats, most: Floats, told: Flags) -> Floats:
    """Return middle, half width and whether nothing is told, which may then be anything."""
    least, most = np.where(told, least, 0.0), np.where(told, most, 1.0)
    return np.column_stack([(least + most) / 2, (most - least) / 2, (~told).astype(np.float64)])


def _shares(sense: Sense, wanted: Flags) -> tuple[Any, Any]:
    """Return the even shares of each text in the wanted values, and those of each value (itself; at last none).

    Texts that tell something and cover no value are values of their own, behind the others.
    """
    from scipy import sparse

    begin, covered, shares = sense.shares()
    strange = np.flatnonzero(sense.tells & (np.diff(begin) == 0))
    values, width = len(sense.values), len(sense.values) + len(strange)
    text_of = np.repeat(np.arange(len(sense.texts)), np.diff(begin))
    some = wanted[covered]
    lines = np.concatenate([text_of[some], strange])
    columns = np.concatenate([covered[some], values + np.arange(len(strange))])
    weights = np.concatenate([shares[some], np.ones(len(strange))])
    spread = sparse.csr_matrix((weights, (lines, columns)), shape=(len(sense.texts), width))
    told = np.flatnonzero(wanted & sense.known)
    own = sparse.csr_matrix((np.ones(len(told)), (told, told)), shape=(values + 1, width))
    return spread, own


def _commonest(sense: Sense, spread: Any) -> tuple[Any, int]:
    """Return what puts the rarer values together, as a matrix, and how many numbers are left."""
    from scipy import sparse

    rows = np.bincount(sense.codes, minlength=len(sense.texts)).astype(np.float64)
    weight = np.asarray(rows @ spread).ravel()
    width = spread.shape[1]
    used = np.arange(width) if width <= MOST else np.sort(np.argsort(-weight, kind="stable")[:MOST])
    size = len(used) + (width > MOST)
    to = np.full(width, len(used), dtype=np.int64)
    to[used] = np.arange(len(used))
    return sparse.csr_matrix((np.ones(width), (np.arange(width), to)), shape=(width, size)), size
