"""Entropy l-diversity (Machanavajjhala et al.): the values of a group are as uncertain as l equally common ones.

With c rows of each value and n in all, n^n >= l^n times the product of c^c; the entropy of a union of groups is at
least that of one of them, because entropy is concave. What decides is exact: logarithms with a proven error first,
whole numbers where these are too near. The figure is one over the number of equally common values with the same
entropy, rounded, but always on the right side of 1/l. Rows whose value is hidden or unknown count nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encoded import Ints
from discreet.policy.requirements.amounts import amount_text, read_amount
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import Flags, GroupWords, WorstGroup
from discreet.policy.requirements.of_values import DifferentValues, mixed
from discreet.policy.requirements.seen import Value

PARTS = 10**9
"""Of what the figure is a part."""


def keeps_entropy(counts: Sequence[int], least: Fraction) -> bool:
    """Whether values with these counts are at least as uncertain as `least` equally common ones; exact.

    >>> keeps_entropy([1, 1], Fraction(2)), keeps_entropy([2, 1], Fraction(2)), keeps_entropy([4, 2, 2], Fraction(5, 2))
    (True, False, True)
    """
    counts = [count for count in counts if count]
    rows = sum(counts)
    if not rows:
        return True
    with localcontext(prec=60):  # logarithms below 100 are right to 58 places after the point
        sure = rows * (_log(rows) + _log(least.denominator) - _log(least.numerator))
        sure -= sum(count * _log(count) for count in counts)
        if abs(sure) > Decimal(10) ** -50 * rows * (len(counts) + 4):
            return sure > 0
    product = least.numerator**rows
    for count in counts:
        product *= count**count
    return bool((least.denominator * rows) ** rows >= product)


def _log(number: int) -> Decimal:
    return Decimal(number).ln()


@dataclass(frozen=True)
class EntropyDiversity(DifferentValues):
    """Who looks alike on `given` has values of `column` as uncertain as `l` equally common ones."""

    kind: ClassVar[str] = "entropy-l-diversity"
    called: ClassVar[str] = "entropy l-diversity"
    measure: ClassVar[str] = "entropy"
    threshold: ClassVar[str] = "entropy l"
    thresholds: ClassVar[tuple[Fraction, ...] | None] = tuple(Fraction(4, fourths) for fourths in range(80, 3, -1))
    decides: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name="entropy",
        public=("promise of entropy l-diversity", "promises of entropy l-diversity"),
        title="Every group is as uncertain as {} equally common values, or more",
        broken="A group is only as uncertain as {} equally common values: fewer than was promised",
        axis="one over the number of equally common values, in the worst group",
        caption="How uncertain the values of the worst group are, as a number of equally common ones",
        column="Promise",
        group="One over the number of equally common values",
        above="in groups less uncertain than {}",
        figure="Like so many equal values",
    )

    index: int
    given: tuple[str, ...]
    column: str
    l: Fraction  # noqa: E741 - as the field calls it
    lines: tuple[tuple[Value, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def at_most(self) -> Fraction:
        """One over l."""
        return 1 / self.l

    @property
    def about(self) -> tuple[str, str]:
        """The entropy of a column."""
        return self.kind, self.column

    @property
    def needs_rows(self) -> int:
        """A row has one value."""
        return math.ceil(self.l)

    def numbers(self, at_most: Fraction, total: int) -> Sequence[int]:
        """Return l, above and below the line."""
        del total
        return [at_most.denominator, at_most.numerator]

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return one over the number of equally common values, in parts of a thousand million."""
        del rows
        known, terms = tallies.sum(axis=0), _terms(tallies)
        near = np.exp(terms / np.maximum(known, 1)) / np.maximum(known, 1)
        limit = self.at_most.numerator * PARTS // self.at_most.denominator
        parts = np.where(known > 0, np.minimum(near * PARTS, PARTS), 0).astype(np.int64)
        breaks = self._breaks(tallies)
        return np.where(breaks, np.maximum(parts, limit + 1), np.minimum(parts, limit)), np.full(len(parts), PARTS)

    def _breaks(self, tallies: Ints) -> Flags:
        known, terms = tallies.sum(axis=0), _terms(tallies)
        whole = known * np.log(np.maximum(known, 1))
        wanted = math.log(self.l.numerator) - math.log(self.l.denominator)
        sure = whole - terms - known * wanted
        error = 1e-14 * (len(tallies) + 8) * (whole + known * math.log(self.l.numerator * self.l.denominator) + 1)
        breaks: Flags = sure < 0
        for place in np.flatnonzero(np.abs(sure) <= error).tolist():
            breaks[place] = not keeps_entropy(tallies[:, place].tolist(), self.l)
        return breaks

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return one row where a group breaks it: more are needed, and how many depends on them."""
        del rows, most
        return self._breaks(tallies).astype(np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others are as usual."""
        del rows, all_rows
        return mixed(lambda mix: _sure(mix) >= math.log(self.l), tallies, all_tallies, most)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        left = f"as uncertain about {self.column} as among {amount_text(self.l)} equally common values"
        return f"Whoever knows {in_words(self.given)} and sees the release is left {left}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the largest l possible."""
        return f"cannot be kept: with everything hidden a group has an l of {self.shown(least)}; ask for at most that"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group breaks it."""
        del above, below
        return f"a group less uncertain of {self.column} than {amount_text(self.l)} equally common values"

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how uncertain the worst group is."""
        return f"the worst group is as uncertain as {cls.shown(worst.share)} equally common values"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"like {cls.shown(worst.share)} equal values"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how many equally common values there must be."""
        return f"{amount_text(1 / limit) if limit else 'any number'} equal values"

    @classmethod
    def shown(cls, figure: float | Fraction) -> str:
        """Return how many equally common values are as uncertain."""
        return f"{1 / float(figure):.2f}".rstrip("0").rstrip(".") if figure else "any number"

    @classmethod
    def read_limit(cls, text: object) -> Fraction:
        """Return the limit that an l stands for."""
        found = read_amount(text)
        if found < 1:
            raise ValueError("write an l of at least 1")
        return 1 / found

    @classmethod
    def limit_text(cls, limit: Fraction) -> str:
        """Return the l that a limit stands for."""
        return f"l = {amount_text(1 / limit)}" if limit else "any l"

    def __str__(self) -> str:
        return f"{in_short(self.given)}: {self.column} as uncertain as {amount_text(self.l)} equally common values"


def _terms(tallies: Ints) -> np.ndarray:
    found: np.ndarray = (tallies * np.log(np.maximum(tallies, 1))).sum(axis=0)
    return found


def _sure(mix: np.ndarray) -> float:
    total = mix.sum()
    shares = mix[mix > 0] / total if total else mix[:0]
    return float(-(shares * np.log(shares)).sum())
