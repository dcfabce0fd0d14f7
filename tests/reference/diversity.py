"""Distinct l-diversity, slow and obvious: the values that each group tells, and the best of all cuts that keep it.

A group is the rows whose released texts on the known columns are equal. It holds when nothing is known of it, or when
at least so many different values are. Everything is counted again for each group and each cut, in plain Python.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from tests.reference.cuts import Cut, Table
from tests.reference.disclosure import KAnonymity, Template
from tests.reference.parts import Cell, Hidden, Value

Row: TypeAlias = Mapping[str, Cell]
MARKER = "*"


@dataclass(frozen=True)
class Diversity:
    """Who knows `over` is left with `least` different values of the column `of` or more, or with none at all."""

    over: tuple[str, ...]
    of: str
    least: int


Promise: TypeAlias = Diversity | KAnonymity | Template


@dataclass(frozen=True)
class Silent:
    """What tells nothing of a column: these texts; and which texts are above a value, but tell something."""

    texts: frozenset[Cell]
    inner: frozenset[Cell] = frozenset()
    """Inner nodes of a taxonomy below its root: a column that is counted may not be released so."""


def silent(marker: str = MARKER, unknown: Collection[Value] = (), root: Value = MARKER) -> Silent:
    """The marker tells nothing, nor do missing values where they are unknown, nor does the root of a taxonomy."""
    return Silent(frozenset({marker, root, Hidden.BOTTOM, *unknown}))


# Groups


@dataclass(frozen=True)
class Group:
    """Rows that look alike: how many, what is known of them, and what is told of them that is no value."""

    look: tuple[Cell, ...]
    rows: int
    known: frozenset[Cell]
    coarse: frozenset[Cell]

    @property
    def different(self) -> int:
        """How many different values are known."""
        return len(self.known)

    def keeps(self, least: int) -> bool:
        """Whether it tells so many values, or nothing."""
        return not self.coarse and (not self.known or self.different >= least)


def alike(rows: Iterable[Row], columns: Sequence[str]) -> dict[tuple[Cell, ...], list[Row]]:
    """The rows by how they look on some columns."""
    found: dict[tuple[Cell, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in columns)].append(row)
    return dict(found)


def group(look: tuple[Cell, ...], cells: Sequence[Cell], quiet: Silent) -> Group:
    """A group with these cells in the column that is counted."""
    told = frozenset(cell for cell in cells if cell not in quiet.texts)
    return Group(look, len(cells), told - quiet.inner, told & quiet.inner)


def groups(rows: Iterable[Row], over: Sequence[str], of: str, quiet: Silent) -> list[Group]:
    """All groups of rows that look alike on `over`, with what they tell of the column `of`."""
    return [group(look, [row[of] for row in some], quiet) for look, some in alike(rows, over).items()]


def worst(found: Iterable[Group]) -> list[Group]:
    """The groups with the fewest different values, of those that tell any; none where nothing is known at all."""
    telling = [one for one in found if one.known]
    fewest = min((one.different for one in telling), default=0)
    return [one for one in telling if one.different == fewest]


def keeps(rows: Iterable[Row], promise: Diversity, quiet: Silent) -> bool:
    """Whether every group keeps the promise."""
    return all(one.keeps(promise.least) for one in groups(rows, promise.over, promise.of, quiet))


# Several promises


def broken(rows: Sequence[Row], promises: Iterable[Promise], quiet: Silent) -> list[Promise]:
    """The promises that some group breaks."""
    return [promise for promise in promises if not _kept(rows, promise, quiet)]


def _kept(rows: Sequence[Row], promise: Promise, quiet: Silent) -> bool:
    if isinstance(promise, Diversity):
        return keeps(rows, promise, quiet)
    if isinstance(promise, KAnonymity):
        return all(len(some) >= promise.k for some in alike(rows, promise.over).values())
    return all(_share(some, promise, quiet) <= promise.at_most for some in alike(rows, promise.given).values())


def _share(rows: Sequence[Row], promise: Template, quiet: Silent) -> Fraction:
    """How sure one is of the property among the rows that tell something; never less than among all rows."""
    cells = [row[promise.column] for row in rows]
    known = [cell for cell in cells if cell not in quiet.texts]
    return Fraction(known.count(promise.value), len(known)) if known else Fraction(0)


def all_hidden(rows: Iterable[Row], changeable: Collection[str], marker: str = MARKER) -> list[Row]:
    """The table with every column hidden that may be changed: if this breaks a promise, every release of it does."""
    return [{name: marker if name in changeable else cell for name, cell in row.items()} for row in rows]


# All cuts


@dataclass(frozen=True)
class Tried:
    """A cut of a table without any row suppressed: what is lost (0 to 1), and what is broken."""

    cut: Cut
    loss: Fraction
    broken: tuple[Promise, ...]


def every_cut(
    table: Table, promises: Sequence[Promise], quiet: Silent, weights: Mapping[str, Fraction] | None = None
) -> Iterator[Tried]:
    """Every cut there is. A column of which nothing is said of its weight has weight 1."""
    share = {name: (weights or {}).get(name, Fraction(1)) for name in table.changeable}
    columns = table.columns()
    ways = {name: {cut: column.cells(cut) for cut in column.cuts()} for name, column in columns.items()}
    for cut in table.cuts():
        cells = {name: ways[name][part] for name, part in cut.items()}
        lost = sum((share[name] * _lost(table, name, cells[name]) for name in cells), Fraction(0))
        whole = sum(share.values(), Fraction(0)) * len(table.rows)
        found = broken(_rows(table, cells), promises, quiet)
        yield Tried(cut, lost / whole if whole else Fraction(0), tuple(found))


def released(table: Table, cut: Cut) -> list[Row]:
    """The rows under a cut."""
    return _rows(table, {name: column.cells(cut[name]) for name, column in table.columns().items()})


def least_loss(
    table: Table, promises: Sequence[Promise], quiet: Silent, weights: Mapping[str, Fraction] | None = None
) -> tuple[Fraction, list[Cut]] | None:
    """The least loss of all cuts that keep every promise, with the cuts that have it; None if none keeps them."""
    safe = [one for one in every_cut(table, promises, quiet, weights) if not one.broken]
    if not safe:
        return None
    least = min(one.loss for one in safe)
    return least, [one.cut for one in safe if one.loss == least]


Cells: TypeAlias = Mapping[Value, tuple[Cell, Fraction]]
"""How each value of a column looks, and what is then lost of it."""


def _rows(table: Table, cells: Mapping[str, Cells]) -> list[Row]:
    return [
        {name: cells[name][value][0] if name in cells else value for name, value in zip(table.names, row, strict=True)}
        for row in table.rows
    ]


def _lost(table: Table, name: str, cells: Cells) -> Fraction:
    return sum((cells[value][1] for value in table.values(name)), Fraction(0))
