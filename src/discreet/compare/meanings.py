"""What the released texts of a column may mean: which of its values each text covers.

Everybody knows which values a column has; that is the domain here: the values of the original and of the other tables
that are looked at (a control, a population). A released text covers the value that it equals and, as the policy
describes the column, those within its interval, group or set; the marker and what stands for a missing value cover
everything. Reading is that of verification (`audit.covers`); nothing here is used in making a release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.fit.cells import is_missing
from discreet.policy import Policy
from discreet.policy.blind import unsaid_by_blocks
from discreet.table.engine import Engine
from discreet.verification.reach import reach

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sense:
    """A released column and what its texts may mean.

    Parameters
    ----------
    name
        The column.
    values
        The domain: all values that somebody may have, in an order in which a text covers few ranges.
    texts
        The released texts.
    codes
        The text of each released row, by its place in `texts`.
    ranges
        For each text the places in `values` that it covers, as ranges without their ends.
    known
        Which of the values tell something: all but those that stand for a missing one.
    tells
        Which texts do.
    numbers
        The values as numbers, where the column is one of numbers or dates (NaN for others); None elsewhere.
    """

    name: str
    values: tuple[str | None, ...]
    texts: tuple[str | None, ...]
    codes: Ints
    ranges: tuple[tuple[tuple[int, int], ...], ...]
    known: Flags
    tells: Flags
    numbers: Floats | None = None
    _place: Mapping[str | None, int] = field(default_factory=dict, repr=False)

    def values_of(self, table: Engine) -> Ints:
        """Return the values of a table's rows (the original, a control), by their places; -1 for a stranger."""
        encoded = table.encoded(self.name)
        return np.array([self._place.get(value, -1) for value in encoded.domain], dtype=np.int64)[encoded.codes]

    @cached_property
    def sizes(self) -> Ints:
        """How many values that tell something each text covers; all of them where it tells nothing."""
        before = np.append(0, np.cumsum(self.known))
        sizes = [sum(int(before[stop] - before[first]) for first, stop in ranges) for ranges in self.ranges]
        return np.array(sizes, dtype=np.int64)

    def fits(self, values: Ints) -> Flags:
        """Say of values (by place) and all texts whether the text may stand for the value; unknown values fit all."""
        fits = np.zeros((len(values), len(self.texts)), dtype=np.bool_)
        for text, ranges in enumerate(self.ranges):
            for first, stop in ranges:
                fits[:, text] |= (first <= values) & (values < stop)
        unknown = (values < 0) | ~self.known[np.maximum(values, 0)]
        fits[unknown] = True
        return fits

    def shares(self) -> tuple[Ints, Ints, Floats]:
        """Return for each text the values it covers with even shares, as (starts, places, shares), row after row.

        Texts that tell nothing have none.
        """
        starts, places = [0], [np.empty(0, dtype=np.int64)]
        for text, ranges in enumerate(self.ranges):
            covered = [np.arange(first, stop) for first, stop in ranges] if self.tells[text] else []
            here = np.unique(np.concatenate(covered)) if covered else np.empty(0, dtype=np.int64)
            here = here[self.known[here]]
            places.append(here)
            starts.append(starts[-1] + len(here))
        begin = np.array(starts, dtype=np.int64)
        sizes = np.diff(begin)
        return begin, np.concatenate(places), np.repeat(1.0 / np.maximum(sizes, 1), sizes)


def sense_of(
    released: Engine,
    policy: Policy,
    name: str,
    tables: Sequence[Engine],
    medians: Ranges | None = None,
) -> Sense:
    """Return what a released column may mean, beside tables (the original first) that tell its values."""
    values = list(dict.fromkeys(value for table in tables for value in table.encoded(name).domain))
    encoded = released.encoded(name)
    column = policy.columns.get(name)
    missing = policy.missing_values
    found = reach(values, encoded.domain, column, policy.marker, missing, medians, blocks=unsaid_by_blocks(policy))
    ordered = tuple(values[number] for number in found.order)
    place = {value: at for at, value in enumerate(ordered)}
    tells = np.array([not is_missing(policy, text) for text in encoded.domain], dtype=np.bool_)
    ranges = []
    for text, told, covered in zip(encoded.domain, tells.tolist(), found.ranges, strict=True):
        own = [(place[text], place[text] + 1)] if text in place else []
        ranges.append(_merged([*covered, *own]) if told else ((0, len(ordered)),))
    known = np.array([not is_missing(policy, value) for value in ordered], dtype=np.bool_)
    scale = None if column is None else column.scale
    numbers = None
    if scale is not None:
        read = [scale.read(value) for value in ordered]
        numbers = np.array([np.nan if number is None else float(number) for number in read])
    texts, codes = tuple(encoded.domain), encoded.codes.astype(np.int64)
    return Sense(name, ordered, texts, codes, tuple(ranges), known, tells, numbers, place)


def _merged(ranges: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the same places as ranges that do not meet, ascending."""
    merged: list[tuple[int, int]] = []
    for first, stop in sorted(ranges):
        if stop <= first:
            continue
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        else:
            merged.append((first, stop))
    return tuple(merged)
