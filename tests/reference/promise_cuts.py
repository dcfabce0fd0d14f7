"""All cuts of tiny tables: which promises any of them keeps, and the best figure that any of them reaches.

A plain column may show any set of its values, a taxonomy any cut, a number any intervals. No row is suppressed.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

from tests.reference.closeness import Close
from tests.reference.cuts import Column, ColumnCut, Cut, NumberColumn, PlainColumn, Table, TreeColumn
from tests.reference.diversity import released
from tests.reference.parts import Hidden, Value, number
from tests.reference.promises import (
    AtLeast,
    Cell,
    Coarse,
    Diverse,
    Infer,
    Person,
    Promise,
    Reading,
    Row,
    alike,
    each_row,
    kept,
    known_values,
    persons,
    reading_of,
    recursive_figure,
)

Readings: TypeAlias = Mapping[str, Reading]


@dataclass(frozen=True)
class CutTried:
    """A cut of a table: the rows under it, and the promises that it breaks."""

    cut: Cut
    rows: tuple[Row, ...]
    broken: tuple[Promise, ...]


def every_cut(
    table: Table, promises: Sequence[Promise], readings: Readings | None = None, *, unit: str | None = None
) -> Iterator[CutTried]:
    """Every cut there is, with what it breaks; `unit`: the promises speak of its persons."""
    for cut in table.cuts():
        rows = tuple(released(table, cut))
        whole = people(rows, unit)
        yield CutTried(cut, rows, tuple(one for one in promises if not kept(whole, one, readings)))


def people(rows: Sequence[Row], unit: str | None) -> list[Person]:
    """The rows by person; each for itself where no unit is named."""
    return each_row(rows) if unit is None else persons(rows, unit)


def possible(
    table: Table, promises: Sequence[Promise], readings: Readings | None = None, *, unit: str | None = None
) -> bool:
    """Whether any cut keeps all promises."""
    return any(not one.broken for one in every_cut(table, promises, readings, unit=unit))


def best_figure(
    table: Table, promise: Promise, readings: Readings | None = None, *, unit: str | None = None
) -> Fraction | float | None:
    """The best figure of all cuts, each with that of its worst group; None where nothing is ever known."""
    reading = reading_of(promise, readings or {})
    worsts = [worst_figure(people(one.rows, unit), promise, reading) for one in every_cut(table, [], unit=unit)]
    figures = [figure for figure in worsts if figure is not None]
    if len(figures) < len(worsts):
        return None
    return max(figures) if more_is_better(promise) else min(figures)


def more_is_better(promise: Promise) -> bool:
    """Whether a large figure keeps it: persons, different values, not shares and distances."""
    return isinstance(promise, AtLeast) or (isinstance(promise, Diverse) and promise.kind != "recursive")


def worst_figure(whole: Sequence[Person], promise: Promise, reading: Reading) -> Fraction | float | None:
    """The figure of the worst group; None where no group tells anything, or the figure is not a number (coarse)."""
    found = [figure(group, whole, promise, reading) for group in alike(whole, promise.over).values()]
    told = [one for one in found if one is not None]
    if not told:
        return None
    return min(told) if more_is_better(promise) else max(told)


def figure(
    group: Sequence[Person], whole: Sequence[Person], promise: Promise, reading: Reading
) -> Fraction | float | None:
    """The figure of one group, as the promise compares it; of entropy the effective number of values, a float."""
    if isinstance(promise, AtLeast):
        return Fraction(len(group))
    if isinstance(promise, Infer):
        return promise.figure(group, whole, reading)
    try:
        if isinstance(promise, Close):
            return promise.figure(group, whole, reading)
        assert isinstance(promise, Diverse)
        counts = list(known_values(group, promise.of, reading).values())
    except Coarse:
        return 0.0 if more_is_better(promise) else float("inf")
    if not counts:
        return None
    if promise.kind == "distinct":
        return Fraction(len(counts))
    return effective_values(counts) if promise.kind == "entropy" else recursive_figure(counts, int(promise.least))


def effective_values(counts: Sequence[int]) -> float:
    """How many equally frequent values have the same entropy: n / ∏ c^(c/n), by logarithms, near enough to compare."""
    with localcontext() as context:
        context.prec = 60
        total = Decimal(sum(counts))
        logs = sum((count * Decimal(count).ln() for count in counts), Decimal(0))
        return float((total.ln() - logs / total).exp())


# A population under a cut of the table


def recode(column: Column, cut: ColumnCut, value: Value) -> Cell:
    """How a value looks under the cut of a column that may not have it: like the marker, or in an open interval."""
    cells = column.cells(cut)
    if value in cells:
        return cells[value][0]
    if isinstance(column, PlainColumn | TreeColumn) or cut is None:
        return Hidden.BOTTOM
    assert isinstance(column, NumberColumn)
    cuts = sorted(way for way in column.ways.values() if way in cut)
    part = bisect_right(cuts, number(value))
    (label,) = {cells[text][0] for text, one in column.texts if bisect_right(cuts, one) == part}
    return label


def recoded(table: Table, cut: Cut, population: Sequence[Mapping[str, Value]]) -> list[Row]:
    """The rows of a population under the cut of a table."""
    columns = table.columns()
    return [
        {name: recode(columns[name], cut[name], value) if name in columns else value for name, value in row.items()}
        for row in population
    ]
