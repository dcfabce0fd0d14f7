"""Promises about groups, slow and obvious: each decided for one group beside the whole release, with whole fractions.

Everything is written for persons. A person is the tuple of her rows; where no unit is named, each row is a person of
its own (`each_row`). Persons look alike on some columns when the multisets of their rows there are equal; a group is
all persons who look alike. Nothing is kept from one group to the next, nothing is remembered, nothing is a float.

A cell of the column spoken of tells a value, or something above values (a node of a taxonomy, an interval), or nothing.
A property is a function of a cell: True, False, or None where the cell leaves it open.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Literal, Protocol, TypeAlias, TypeVar

from tests.reference.cuts import find, leaves, nodes
from tests.reference.parts import Hidden, Nested, Value, number

MARKER = "*"


@dataclass(frozen=True)
class Span:
    """A released interval of numbers (of days): from `low` to `high`, the last included where it is `closed`.

    None: it has no end on that side.
    """

    low: Fraction | None
    high: Fraction | None
    closed: bool = False


Cell: TypeAlias = Value | Hidden | Span
Row: TypeAlias = Mapping[str, Cell]
Person: TypeAlias = tuple[Row, ...]
Property: TypeAlias = Callable[[Cell], bool | None]
Look: TypeAlias = frozenset[tuple[tuple[Cell, ...], int]]
"""The different rows of a person on some columns, each with how often she has it."""


def each_row(rows: Iterable[Row]) -> list[Person]:
    """Each row as a person of its own."""
    return [(row,) for row in rows]


def persons(rows: Iterable[Row], unit: str) -> list[Person]:
    """The rows of each value of the column `unit`, in order of its first row."""
    found: dict[Cell, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[unit]].append(row)
    return [tuple(some) for some in found.values()]


def look(person: Person, over: Sequence[str], *, counts: bool = True) -> Look:
    """The multiset of her rows on some columns; without `counts` how often she has each row is not known."""
    found = Counter(tuple(row[name] for name in over) for row in person)
    return frozenset(found.items() if counts else ((one, 1) for one in found))


def alike(whole: Iterable[Person], over: Sequence[str], *, counts: bool = True) -> dict[Look, list[Person]]:
    """The groups of persons who look alike."""
    found: dict[Look, list[Person]] = defaultdict(list)
    for person in whole:
        found[look(person, over, counts=counts)].append(person)
    return dict(found)


# What a cell tells


@dataclass(frozen=True)
class Reading:
    """What the texts of the column spoken of stand for. `silent`: those that tell nothing, beside the marker."""

    silent: frozenset[Value] = frozenset()
    tree: Nested | None = None
    number: Callable[[Value], Fraction] = number
    """How a text that is no interval is read as a number; `parts.day` for dates."""

    def tells(self, cell: Cell) -> bool:
        """Whether a cell tells anything: not the marker, a missing value that is unknown, the root of a taxonomy."""
        if isinstance(cell, Span):
            return cell.low is not None or cell.high is not None
        root = None if self.tree is None or not self.tree[1] else self.tree[0]
        return cell not in (Hidden.BOTTOM, MARKER) and cell not in self.silent and (root is None or cell != root)

    def under(self, cell: Cell) -> frozenset[Cell]:
        """The cell itself and all that is below it."""
        if self.tree is None or cell not in {label for label, _ in nodes(self.tree)}:
            return frozenset({cell})
        assert not isinstance(cell, Hidden | Span)
        return frozenset(label for label, _ in nodes(find(self.tree, cell)))

    def coarse(self, cell: Cell) -> bool:
        """Whether it tells something, but no value."""
        return self.tells(cell) and (isinstance(cell, Span) or len(self.under(cell)) > 1)

    def span(self, cell: Cell) -> Span:
        """The numbers that a cell may stand for."""
        if isinstance(cell, Span):
            return cell
        assert not isinstance(cell, Hidden)
        exact = self.number(cell)
        return Span(exact, exact, closed=True)


PLAIN = Reading()


def has(reading: Reading, value: Cell) -> Property:
    """The property of having a value, or something below it."""

    def property_of(cell: Cell) -> bool | None:
        if not reading.tells(cell):
            return None
        if isinstance(cell, Span) or isinstance(value, Span):
            return _lies_in(reading.span(cell), reading.span(value))
        if cell in reading.under(value):
            return True
        return None if value in reading.under(cell) else False

    return property_of


def lacks(reading: Reading, value: Cell) -> Property:
    """The property "known, and not this value"."""

    def property_of(cell: Cell) -> bool | None:
        found = has(reading, value)(cell)
        return None if found is None else not found

    return property_of


def inside(reading: Reading, start: Fraction, width: Fraction) -> Property:
    """The property of lying in the closed window that begins at `start`. What is partly inside is left open."""

    def property_of(cell: Cell) -> bool | None:
        if not reading.tells(cell):
            return None
        return _lies_in(reading.span(cell), Span(start, start + width, closed=True))

    return property_of


def _lies_in(span: Span, window: Span) -> bool | None:
    """Whether all that an interval may stand for lies in another, or nothing of it, or only some."""
    if _disjoint(span, window) or _disjoint(window, span):
        return False
    begins = window.low is None or (span.low is not None and window.low <= span.low)
    return True if begins and _ends_within(span, window) else None


def _disjoint(left: Span, right: Span) -> bool:
    """Whether the one ends before the other begins."""
    if left.high is None or right.low is None:
        return False
    return left.high < right.low or (left.high == right.low and not left.closed)


def _ends_within(span: Span, window: Span) -> bool:
    if window.high is None or span.high is None:
        return window.high is None
    return span.high < window.high or (span.high == window.high and (window.closed or not span.closed))


# Persons with a property


def one_row_has(person: Person, of: str, wanted: Property) -> bool | None:
    """A person has a property if one of her rows has it; it is open if none has and one leaves it open."""
    found = [wanted(row[of]) for row in person]
    return True if True in found else None if None in found else False


def all_rows_have(person: Person, of: str, wanted: Property) -> bool | None:
    """Absence: all her rows are known and have it. One row that has it not is enough to know."""
    found = [wanted(row[of]) for row in person]
    return False if False in found else None if None in found else True


@dataclass(frozen=True)
class Tally:
    """How many persons of a group have a property, of how many it is open, and how many there are."""

    has: int
    open: int
    all: int

    @property
    def share(self) -> Fraction:
        """The share among those of whom it is known; never less than that among all."""
        shares = [Fraction(self.has, total) for total in (self.all, self.all - self.open) if total]
        return max(shares, default=Fraction(0))

    @property
    def worst_case(self) -> Fraction:
        """The share if all of whom it is open had it."""
        return Fraction(self.has + self.open, self.all) if self.all else Fraction(0)


Asked: TypeAlias = Callable[[Person, str, Property], bool | None]


def tally(group: Iterable[Person], of: str, wanted: Property, asked: Asked = one_row_has) -> Tally:
    """Count the persons of a group."""
    found = [asked(person, of, wanted) for person in group]
    return Tally(found.count(True), found.count(None), len(found))


# Promises that are templates, one for each property


class Anything(Enum):
    """Stands for each value of a column."""

    ANY = "any"


ANY = Anything.ANY


class Promise(Protocol):
    """What every promise answers."""

    @property
    def over(self) -> tuple[str, ...]:
        """The columns that are known."""
        ...

    def holds(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> bool:
        """Whether it holds in one group of the whole release."""
        ...


@dataclass(frozen=True)
class Infer:
    """A share, or so many times the usual share (`times`), of the persons who have a property.

    `value`: this one; ANY: each value of the column, and each node below the root or interval that is released, but
    those that `but` names (a node is left out where all its leaves are named). `absent`: known and not `value`.
    `within`: in any window of that width.
    """

    over: tuple[str, ...]
    of: str
    value: Value | Anything = ANY
    at_most: Fraction | None = None
    times: Fraction | None = None
    but: frozenset[Value] = frozenset()
    absent: bool = False
    within: Fraction | None = None

    def properties(self, whole: Sequence[Person], reading: Reading) -> list[Property]:
        """The properties that may not be too common."""
        if self.within is not None:
            return [inside(reading, start, self.within) for start in lower_ends(whole, self.of, reading)]
        if self.value is not ANY:
            return [(lacks if self.absent else has)(reading, self.value)]
        told = {row[self.of] for person in whole for row in person if reading.tells(row[self.of])}
        return [has(reading, cell) for cell in told if not _excepted(cell, self.but, reading)]

    def figure(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> Fraction:
        """The largest share, or the largest of the shares as so many times the usual."""
        asked = all_rows_have if self.absent else one_row_has
        figures = [self._one(group, whole, wanted, asked) for wanted in self.properties(whole, reading)]
        return max(figures, default=Fraction(0))

    def _one(self, group: Sequence[Person], whole: Sequence[Person], wanted: Property, asked: Asked) -> Fraction:
        here = tally(group, self.of, wanted, asked)
        if self.times is None:
            return here.share
        everywhere = tally(whole, self.of, wanted, asked)
        if not here.has:
            return Fraction(0)
        known = Fraction(here.has * (everywhere.all - everywhere.open), everywhere.has * (here.all - here.open))
        return max(known, Fraction(here.has * everywhere.all, everywhere.has * here.all))

    def holds(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> bool:
        limit = self.at_most if self.times is None else self.times
        assert limit is not None
        return self.figure(group, whole, reading) <= limit


def _excepted(cell: Cell, but: frozenset[Value], reading: Reading) -> bool:
    """Whether a value, or all values under a node, are named or below one that is named."""
    named = {label for value in but for label in reading.under(value)}
    if reading.tree is None or cell not in {label for label, _ in nodes(reading.tree)}:
        return cell in named
    assert not isinstance(cell, Hidden | Span)
    return set(leaves(find(reading.tree, cell))) <= named


def lower_ends(some: Iterable[Person], of: str, reading: Reading) -> list[Fraction]:
    """Where the windows begin that are looked at: at the numbers, and at the lower ends of the intervals, of a release.

    Those of the whole release, not of the group alone: the windows are then the same for all groups, each of them is a
    template, and merging is safe. Of exact numbers no other window holds more than these, and those that begin at a
    number of the group are enough. Of intervals others may: a window may touch intervals on both sides, which then
    count as unknown (see the tests).
    """
    cells = {row[of] for person in some for row in person}
    ends = {reading.span(cell).low for cell in cells if reading.tells(cell)}
    return sorted(end for end in ends if end is not None)


def every_start(some: Iterable[Person], of: str, width: Fraction, reading: Reading) -> list[Fraction]:
    """Where all windows begin that differ in what they hold: at all ends, such that they end there, between these."""
    spans = [reading.span(cell) for cell in {row[of] for person in some for row in person} if reading.tells(cell)]
    ends = {end for span in spans for end in (span.low, span.high) if end is not None}
    places = sorted({*ends, *(end - width for end in ends)})
    return sorted({*places, *((left + right) / 2 for left, right in pairwise(places))})


# Promises about how the values of a column are spread


class Coarse(ValueError):
    """The column spoken of is released as something above a value: the promise is broken."""


class SeveralValues(ValueError):
    """A person has several values of the column: the promise cannot be made."""


def known_values(group: Iterable[Person], of: str, reading: Reading) -> Counter[Value]:
    """How many persons of a group have each value. Who tells none is not counted."""
    found: Counter[Value] = Counter()
    for person in group:
        cells = {row[of] for row in person if reading.tells(row[of])}
        if any(reading.coarse(cell) for cell in cells):
            raise Coarse
        if len(cells) > 1:
            raise SeveralValues
        for cell in cells:
            assert not isinstance(cell, Hidden | Span)
            found[cell] += 1
    return found


@dataclass(frozen=True)
class Diverse:
    """l-diversity of a column: `distinct`, `entropy` (l may be a fraction) or `recursive` (with c)."""

    over: tuple[str, ...]
    of: str
    least: Fraction
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Fraction | None = None

    def holds(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> bool:  # noqa: ARG002
        try:
            counts = list(known_values(group, self.of, reading).values())
        except Coarse:
            return False
        return not counts or diverse(counts, self.least, self.kind, self.c)


def diverse(
    counts: Sequence[int],
    least: Fraction | int,
    kind: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: Fraction | None = None,
) -> bool:
    """Whether values that occur so often are l-diverse."""
    n = sum(counts)
    if kind == "distinct":
        return len(counts) >= least
    if kind == "entropy":
        a, b = Fraction(least).as_integer_ratio()
        product: int = math.prod(count**count for count in counts)
        return bool(b**n * n**n >= a**n * product)
    assert c is not None
    assert Fraction(least).denominator == 1
    return recursive_figure(counts, int(least)) < c


def recursive_figure(counts: Sequence[int], least: int) -> Fraction | float:
    """The most frequent value beside all but the l - 1 most frequent ones: c must be larger. None left: infinite."""
    ordered = sorted(counts, reverse=True)
    rest = sum(ordered[least - 1 :])
    return Fraction(ordered[0], rest) if rest else float("inf")


# Promises about persons


@dataclass(frozen=True)
class AtLeast:
    """k-anonymity: so many persons."""

    over: tuple[str, ...]
    k: int

    def holds(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> bool:  # noqa: ARG002
        return len(group) >= self.k


# A whole release


def reading_of(promise: Promise, readings: Mapping[str, Reading]) -> Reading:
    """How the column that a promise speaks of is read; plainly where nothing is said of it."""
    of: str = getattr(promise, "of", "")
    return readings.get(of, PLAIN)


def kept(
    whole: Sequence[Person], promise: Promise, readings: Mapping[str, Reading] | None = None, *, counts: bool = True
) -> bool:
    """Whether a promise holds in every group; without `counts` nobody knows how many rows a person has."""
    reading = reading_of(promise, readings or {})
    return all(promise.holds(group, whole, reading) for group in alike(whole, promise.over, counts=counts).values())


Kind = TypeVar("Kind", Infer, Diverse, AtLeast)


def any_of(promise: Kind, size: int, columns: Sequence[str]) -> Iterator[Kind]:
    """Who knows any so many of the columns: the promise for every set of exactly that many."""
    for over in combinations(columns, size):
        yield replace(promise, over=over)


# Who knows one row of a person only


def persons_in_rows(rows: Iterable[Row], unit: str, over: Sequence[str]) -> dict[tuple[Cell, ...], int]:
    """How many different persons each group of rows has: what k counts where one row is known."""
    found: dict[tuple[Cell, ...], set[Cell]] = defaultdict(set)
    for row in rows:
        found[tuple(row[name] for name in over)].add(row[unit])
    return {one: len(some) for one, some in found.items()}
