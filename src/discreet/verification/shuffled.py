"""Which row of the original each row of a release stands for, where the rows leave in an order of their own.

A matching of all released rows with different rows of the original, each covering its own, is looked for among the
different combinations of cells and how often each occurs. Guarantee: if there is a matching, one is found; for as long
as some row lacks its like, others make room along a chain of combinations, and where no chain leads anywhere there is
no matching (Ford and Fulkerson). What is found is only a proposal: the rows are put back in that order, and every cell
is compared by the code that compares all releases.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.policy.bind import Bound
from discreet.table.engine import Engine
from discreet.verification.matching import ColumnBeside, columns_beside, covering_pairs
from discreet.verification.row_matches import Matches, PutBack

NO_MATCH = "its rows cannot be matched with different rows of the original that they are true of: {} of {} find none"


def put_back(released: Engine, original: Engine, bound: Bound, medians: Mapping[str, Ranges]) -> PutBack:
    """Return a release with its rows in the order of the original, matched in one of the ways there are."""
    names = [name for name in bound.released if name in released.columns]
    for name in names:
        if bound.policy.column(name).released_form == "median" and name not in medians:
            raise InputError(
                f"column {name!r} is released by medians, and rows that were shuffled can only be matched by their "
                "intervals: give them (the file beside the release; in Python intervals)"
            )
    columns = columns_beside(released, original, bound, names, medians)
    places, lacking = matching(columns, released.rows, original.rows)
    if lacking:
        return PutBack(released, None, NO_MATCH.format(lacking, released.rows))
    return _ordered(released, places, unsure=True)


def put_back_by(released: Engine, original: Engine, numbers: Sequence[int]) -> PutBack:
    """Return a release with its rows in the order of the original, which is known: that of the private plan."""
    wanted, known = np.array(numbers, dtype=np.int64), original.numbers()
    places = np.searchsorted(known, wanted)
    strange = (places >= len(known)) | (known[np.minimum(places, len(known) - 1)] != wanted)
    if len(wanted) != released.rows or len(np.unique(wanted)) < len(wanted) or strange.any():
        raise InputError("the plan is not that of this release: it has another number of rows, or other rows")
    return _ordered(released, places, unsure=False)


def _ordered(released: Engine, places: Ints, *, unsure: bool) -> PutBack:
    order = np.argsort(places, kind="stable")
    there = places[order]
    return PutBack(released.in_order(order), Matches(there, there, unsure=unsure))


def matching(columns: Sequence[ColumnBeside], rows: int, originals: int) -> tuple[Ints, int]:
    """Return the place of the original row for each released row, and how many find none (then the places are void)."""
    columns = sorted(columns, key=lambda column: column.ranges is not None)  # where texts are equal or not, few go on
    mine, theirs = _different(columns, rows, "released"), _different(columns, originals, "original")
    edges = covering_pairs(columns, mine.texts, theirs.texts)
    flow = _Flow(mine.sizes.tolist(), theirs.sizes.tolist(), edges)
    lacking = flow.settle()
    places = np.full(rows, -1, dtype=np.int64)
    if lacking:
        return places, lacking
    taken, given = np.zeros(len(theirs.sizes), dtype=np.int64), np.zeros(len(mine.sizes), dtype=np.int64)
    for text, of_text in enumerate(flow.given):
        for cells, number in of_text.items():
            here = mine.rows(text)[given[text] : given[text] + number]
            places[here] = theirs.rows(cells)[taken[cells] : taken[cells] + number]
            given[text] += number
            taken[cells] += number
    return places, 0


@dataclass(frozen=True)
class _Different:
    """The different combinations of a table, and which rows have each."""

    texts: pl.DataFrame
    """One column for each, called `0`, `1`, ..., and the number of the combination as `id`."""
    order: Ints
    starts: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def rows(self, combination: int) -> Ints:
        return self.order[self.starts[combination] : self.starts[combination + 1]]


def _different(columns: Sequence[ColumnBeside], rows: int, which: str) -> _Different:
    cells = pl.DataFrame({f"{place}": getattr(column, which) for place, column in enumerate(columns)})
    if not columns:
        cells = pl.DataFrame({"0": np.zeros(rows, dtype=np.int64)})
    texts = cells.unique(maintain_order=True).with_row_index("id")
    found = cells.join(texts, on=cells.columns, how="left", maintain_order="left").get_column("id").to_numpy()
    order = np.argsort(found, kind="stable")
    starts = np.searchsorted(found[order], np.arange(len(texts) + 1))
    return _Different(texts, order, starts)


@dataclass
class _Flow:
    """Which combinations of the original the rows of each released combination are given, and how many of each."""

    wanted: list[int]
    left: list[int]
    edges: pl.DataFrame
    """The pairs of `text` and `cells` that go together."""
    given: list[dict[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.given = [{} for _ in self.wanted]
        self.fits: list[list[int]] = [[] for _ in self.wanted]
        for text, cells in self.edges.select("text", "cells").iter_rows():
            self.fits[text].append(cells)

    def settle(self) -> int:
        """Give each released combination as many rows as it has; return how many are lacking at last."""
        for text in sorted(range(len(self.wanted)), key=lambda text: len(self.fits[text])):  # those with few first
            for cells in self.fits[text]:
                number = min(self.wanted[text], self.left[cells])
                if number:
                    self._give(text, cells, number)
                    self.wanted[text] -= number
                    self.left[cells] -= number
        self._holders: dict[int, set[int]] = defaultdict(set)
        for text, of_text in enumerate(self.given):
            for cells in of_text:
                self._holders[cells].add(text)
        for text in range(len(self.wanted)):
            while self.wanted[text] and self._make_room(text):
                pass
        return sum(self.wanted)

    def _give(self, text: int, cells: int, number: int) -> None:
        self.given[text][cells] = self.given[text].get(cells, 0) + number

    def _make_room(self, text: int) -> bool:
        """Give a combination more rows along a chain: what it takes from another that one takes elsewhere."""
        came: dict[int, int] = {}  # cells: the text that asked for them
        asked = {text: -1}  # text: the cells that it would have to give up
        queue = deque([text])
        while queue:
            here = queue.popleft()
            for cells in self.fits[here]:
                if cells in came:
                    continue
                came[cells] = here
                if self.left[cells]:
                    self._pass_on(cells, came, asked, text)
                    return True
                for holder in self._holders[cells]:
                    if holder not in asked and self.given[holder].get(cells):
                        asked[holder] = cells
                        queue.append(holder)
        return False

    def _pass_on(self, cells: int, came: Mapping[int, int], asked: Mapping[int, int], text: int) -> None:
        """Move as many rows as possible along a chain that was found."""
        chain, last = [], cells
        while last != -1:
            chain.append((came[last], last))
            last = asked[came[last]]
        number = min(self.wanted[text], self.left[cells])
        for taker, given_up in ((taker, asked[taker]) for taker, _ in chain):
            if given_up != -1:
                number = min(number, self.given[taker][given_up])
        for taker, taken in chain:
            self._give(taker, taken, number)
            self._holders[taken].add(taker)
            if asked[taker] != -1:
                self.given[taker][asked[taker]] -= number
        self.left[cells] -= number
        self.wanted[text] -= number
