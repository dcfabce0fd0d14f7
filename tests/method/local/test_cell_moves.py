"""Opening and closing cells never breaks a limit, never loses more, and ends where neither pays any more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import always
from discreet.method.local import cell_moves, improving, pricing, search, ways
from discreet.method.local.cell_move_kernels import CELL, LAST, NEXT, MovedItems, find_boxes, move_cells
from discreet.method.local.group_kernels import GroupLimits
from discreet.method.local.group_room import collected, total_cost
from discreet.method.local.hearing import Hearing
from discreet.method.local.peeling import PeelingWatch
from discreet.method.local.price_kernels import PricedCells, cheapest_first
from discreet.method.local.pricing import cells_of_items
from discreet.method.local.shapes import SET, TABLE, Labels
from tests.method.local.test_pricing import checked, competing, peeled
from tests.method.local.test_search import check, problem_of
from tests.reference import cell_moves as slow
from tests.reference.pricing import Cell


@dataclass(frozen=True)
class Groups:
    """Rows in cells, each with none or enough rows."""

    cells: list[Cell]
    sizes: list[int]
    home: list[int]
    need: int

    def priced(self) -> PricedCells:
        begin = np.append(0, np.cumsum([len(rows) for _, rows in self.cells])).astype(np.int64)
        members = np.array([row for _, rows in self.cells for row in sorted(rows)], dtype=np.uint32)
        return PricedCells(begin, np.array([lost for lost, _ in self.cells], dtype=np.int64), members)


@st.composite
def groups(draw: st.DrawFn) -> Groups:
    """Cells over some rows; the first has all rows, so that there is always a way."""
    rows = draw(st.integers(2, 14))
    sizes = draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    need = draw(st.integers(2, 5))
    assume(sum(sizes) >= need)
    cell = st.tuples(st.integers(0, 900), st.frozensets(st.integers(0, rows - 1), min_size=1))
    cells = [(draw(st.integers(500, 1000)), frozenset(range(rows))), *draw(st.lists(cell, max_size=9))]
    home = [0] * rows
    for number in draw(st.permutations(range(1, len(cells)))):
        wanted = [row for row in cells[number][1] if home[row] == 0 and draw(st.booleans())]
        tried = [number if row in wanted else at for row, at in enumerate(home)]
        if slow.possible(cells, sizes, need, tried):
            home = tried
    return Groups(cells, sizes, home, need)


class Steps:
    """Cells and the rows in them, as the loops have them."""

    def __init__(self, case: Groups, *, most_moves: int = 100, ordered: bool = False) -> None:
        self.case = case
        cells = case.priced()
        sizes, home = np.array(case.sizes, dtype=np.int64), np.array(case.home)
        count = len(case.cells)
        figures = np.array(slow.rows_of(case.cells, case.sizes, case.home))[:, None]
        lost = cells.loss[home]
        if ordered:
            for begin, stop in pairwise(cells.begin.tolist()):
                rows = cells.members[begin:stop]
                rows[:] = rows[np.argsort(-lost[rows], kind="stable")]
        self.homes = cell_moves._homes(home, figures, cells.loss)._replace(begun=cells_of_items(cells, len(sizes)))
        self.homes.ordered[0] = len(cells.members) * ordered
        self.marks = cell_moves._marks(len(sizes), count)
        room = cell_moves._scratch(len(sizes))
        room = room._replace(moves=room.moves[:most_moves])
        none = GroupLimits(np.zeros(0, dtype=np.int64), np.zeros((0, 5), dtype=np.int64))
        items = MovedItems(sizes, lost, lost.copy(), sizes[:, None].copy())
        self.given = cells, items, none, self.homes, room, case.need
        self.index = cells_of_items(cells, len(sizes))

    def counted(self, more: int) -> None:
        """All that is kept of homes is what a plain count says."""
        assert more <= 0
        cells, items, _, homes, _, _ = self.given
        home = homes.links[:, CELL].tolist()
        rows = slow.rows_of(self.case.cells, self.case.sizes, home)
        assert homes.figures[:, 0].tolist() == rows
        assert (homes.head >= 0).tolist() == [have > 0 for have in rows]
        assert items.price.tolist() == cells.loss[homes.links[:, CELL]].tolist()
        for cell in range(len(rows)):
            listed: list[int] = []
            item = int(homes.head[cell])
            while item >= 0:
                assert homes.links[item, LAST] == (listed[-1] if listed else -1)
                listed.append(item)
                item = int(homes.links[item, NEXT])
            assert sorted(listed) == [row for row, at in enumerate(home) if at == cell]

    def gone_through(self, *, chains: bool) -> int:
        cells, items, limits, homes, room, need = self.given
        self.marks.usual[:] = homes.worth
        order = np.arange(len(self.case.cells))
        more: int = move_cells(cells, self.index, items, limits, homes, self.marks, room, need, order, chains)
        self.counted(more)
        return more


def moved(
    case: Groups, *, sweeps: int, most_moves: int = 100, ordered: bool = False, chains: int = 0
) -> tuple[list[int], int]:
    """The cells of rows after some sweeps and some chains, and what all lose more by what the loops say."""
    steps = Steps(case, most_moves=most_moves, ordered=ordered)
    more = 0
    for _ in range(sweeps):
        step = steps.gone_through(chains=False)
        more += step
        if step == 0:
            break
    more += sum(steps.gone_through(chains=True) for _ in range(chains))
    return steps.homes.links[:, CELL].tolist(), more


@given(groups(), st.integers(0, 3), st.integers(0, 2), st.booleans())
def test_every_group_has_enough_rows_and_what_is_said_to_be_gained_is(
    case: Groups, sweeps: int, chains: int, ordered: bool
) -> None:
    home, more = moved(case, sweeps=sweeps, chains=chains, ordered=ordered)
    assert slow.possible(case.cells, case.sizes, case.need, home)
    assert slow.lost(case.cells, case.sizes, home) == slow.lost(case.cells, case.sizes, case.home) + more


@given(groups())
def test_in_the_end_no_closing_and_no_plain_opening_pays(case: Groups) -> None:
    home, _ = moved(case, sweeps=100)
    now = slow.lost(case.cells, case.sizes, home)
    for cell, have in enumerate(slow.rows_of(case.cells, case.sizes, home)):
        after = slow.closed(case.cells, case.sizes, home, cell) if have else None
        for other in (after, slow.opened(case.cells, home, cell)):
            if other is not None and slow.possible(case.cells, case.sizes, case.need, other):
                assert slow.lost(case.cells, case.sizes, other) >= now


@given(groups(), st.integers(1, 20))
def test_steps_of_too_many_moves_are_not_taken(case: Groups, most: int) -> None:
    home, more = moved(case, sweeps=3, most_moves=most, chains=2)
    assert slow.possible(case.cells, case.sizes, case.need, home)
    assert slow.lost(case.cells, case.sizes, home) == slow.lost(case.cells, case.sizes, case.home) + more


def test_what_is_left_of_one_group_fills_up_another() -> None:
    """Rows 0 to 3 gain in cell 1; then cells 0 and 2 lack rows, and those of cell 0 fill up cell 2."""
    everybody = frozenset(range(9))
    case = Groups([(100, everybody), (10, frozenset(range(4))), (90, frozenset(range(2, 9)))], [1] * 9,
                  [0, 0, 2, 2, 2, 2, 0, 0, 0], 4)  # fmt: skip
    home, more = moved(case, sweeps=100)
    assert home == [1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert more == 4 * 10 + 5 * 90 - (5 * 100 + 4 * 90)


def test_a_chain_opens_a_cell_that_does_not_pay_by_itself() -> None:
    """Two groups of four rows change halves: with one of the new cells alone the other rows would have to leave."""
    everybody = frozenset(range(12))
    cells = [(14, everybody), (10, frozenset(range(4))), (10, frozenset(range(4, 8))), (8, frozenset({0, 1, 4, 5})),
             (9, frozenset({2, 3, 6, 7}))]  # fmt: skip
    case = Groups(cells, [1] * 12, [1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0], 4)
    assert moved(case, sweeps=100) == (case.home, 0)
    assert moved(case, sweeps=100, chains=1) == ([3, 3, 4, 4, 3, 3, 4, 4, 0, 0, 0, 0], 4 * 8 + 4 * 9 - 8 * 10)
    # Where the second loses as much as the groups do, it does not make up for the first, and all is as before.
    dear = Groups([*cells[:4], (12, cells[4][1])], case.sizes, case.home, 4)
    assert moved(dear, sweeps=100, chains=1) == (case.home, 0)


@given(st.data())
def test_the_cheapest_come_first(data: st.DataObject) -> None:
    number = data.draw(st.integers(0, 40))
    keys = np.array(data.draw(st.lists(st.integers(-5, 20), min_size=number, max_size=number)), dtype=np.int64)
    sizes = np.array(data.draw(st.lists(st.integers(1, 3), min_size=number, max_size=number)), dtype=np.int64)
    begin = data.draw(st.integers(0, number))
    lacks = data.draw(st.integers(-1, 60))
    rows, before = np.arange(number), keys.copy()
    end = cheapest_first(keys, rows, sizes, begin, number, lacks)
    assert sorted(rows.tolist()) == list(range(number))
    assert keys.tolist() == before[rows].tolist()
    assert rows[:begin].tolist() == list(range(begin))
    taken = sizes[rows[begin:end]]
    assert taken.sum() >= lacks or end == number
    if end > begin:
        assert taken[:-1].sum() < lacks
        assert keys[begin:end].max() == keys[end - 1] <= keys[end:].min(initial=100)


class Counted(list[int]):
    """Numbers that count how often one of them was looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        self.looks += 1
        return super().__getitem__(at)


@pytest.mark.parametrize("least", [0, 7])
def test_many_that_are_equally_cheap_are_not_looked_at_one_by_one(least: int) -> None:
    number = 2000
    keys = Counted([7] * number)
    keys[number // 3] = least
    with always("plain"):
        end = cheapest_first(keys, list(range(number)), [1] * number, 0, number, number // 2)
    assert end == number // 2
    assert keys.looks < 10 * number


@given(st.data())
def test_the_items_that_labels_cover_are_found(data: st.DataObject) -> None:
    columns, rows, count = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 12)), data.draw(st.integers(1, 5))
    is_set = data.draw(st.lists(st.booleans(), min_size=columns, max_size=columns))
    codes = np.array(
        [data.draw(st.lists(st.integers(0, 4), min_size=columns, max_size=columns)) for _ in range(rows)],
        dtype=np.int32,
    )
    low, high = np.zeros((count, columns), dtype=np.int64), np.zeros((count, columns), dtype=np.int64)
    for g in range(count):
        for c in range(columns):
            low[g, c], high[g, c] = sorted(data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
            if is_set[c]:
                low[g, c] = data.draw(st.integers(0, 31))
    order = np.argsort(codes[:, 0], kind="stable")
    start = np.append(0, np.cumsum(np.bincount(codes[:, 0], minlength=6)))
    kind = np.array([SET if one else TABLE for one in is_set])
    begin, members = np.zeros(count + 1, dtype=np.int64), np.empty(data.draw(st.integers(0, 40)), dtype=np.uint32)
    for some in np.split(np.arange(count), sorted(data.draw(st.lists(st.integers(0, count), max_size=2)))):
        if len(some):
            here, here_on = slice(some[0], some[-1] + 1), begin[some[0] : some[-1] + 2]
            find_boxes(kind, codes, order, start, low[here], high[here], here_on, members)
    room = len(members)
    for g in range(count):
        wanted = {
            row for row in range(rows) if slow.covered(low[g].tolist(), high[g].tolist(), is_set, codes[row].tolist())
        }
        found = members[begin[g] : begin[g + 1]].tolist()
        assert set(found) == (wanted if len(wanted) <= room else set())
        assert len(found) == len(set(found))
        room -= len(found)


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a table of many different rows: groups by prices may be taken as they are."""
    monkeypatch.setattr(ways, "FEW_PRICED", 0)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("also", [False, True])
def test_groups_by_cell_moves_keep_every_promise_and_lose_less(also: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = competing(1000, also)
    found = checked(problem)
    assert found < peeled(problem, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(improving, "by_cell_moves", lambda _part, groups, _promising, _carry_on: groups)
        assert found < checked(problem)


@pytest.mark.parametrize("seed", range(6))
def test_groups_with_sets_lose_no_more_than_they_did(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns stand in another order in a part than in the problem; cells must have what their labels cover."""
    rng, rows = np.random.default_rng(seed), 400
    frame = pl.DataFrame({
        "a": rng.integers(0, 30, rows).astype(str), "b": rng.choice(list("pqrstu"), rows),
        "c": rng.choice(list("xyz"), rows), "d": rng.integers(0, 9, rows).astype(str),
    })  # fmt: skip
    problem = problem_of(
        frame,
        d.Policy(protect=[d.KAnonymity(k=4, over=frame.columns)], columns={"a": d.Column(type="number")}),
    )
    seen: list[tuple[int, int]] = []

    def compared(part: Any, before: Any, promising: Any, carry_on: Any) -> Any:
        found = cell_moves.by_cell_moves(part, before, promising, carry_on)
        seen.append((total_cost(found), total_cost(before)))
        return found

    monkeypatch.setattr(improving, "by_cell_moves", compared)
    kinds: list[Labels] = ["tight", "set", "tight", "set"]
    check(problem, search.search(problem, labels=kinds), kinds, [Fraction(1)] * 4)
    assert seen
    assert all(now <= then for now, then in seen)


@pytest.mark.parametrize("worse", [1, 0])
def test_moved_cells_that_hide_more_or_lose_more_are_given_up(worse: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows can no longer be spared after the last moves, the groups before them are taken."""
    problem = competing(300)
    wanted = checked(problem)
    moves: list[bool] = []

    def spoilt(part: Any, groups: Any, promising: Any, carry_on: Any) -> Any:
        moves.append(True)
        if len(moves) > 1 or not worse:
            return collected(part, np.zeros_like(groups.of), 1)
        return cell_moves.by_cell_moves(part, groups, promising, carry_on)

    monkeypatch.setattr(improving, "by_cell_moves", spoilt)
    found = search.search(problem, most_gone=0)
    assert len(moves) > 1
    assert found.gone == 0
    assert found.lost < 2 * wanted


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("name", "room"), [("MOST_COVERED", 200), ("MOST_COVERED", 0), ("MOST_BOXED", 0)])
def test_without_room_groups_have_their_own_rows(name: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = competing(300)
    monkeypatch.setattr(cell_moves, name, room)
    assert checked(problem) <= peeled(problem, monkeypatch)


@pytest.mark.usefixtures("many")
def test_they_are_the_same_compiled() -> None:
    problem = competing(300)
    with always("plain"):
        one = search.search(problem)
    with always("compiled"):
        other = search.search(problem)
    assert [each.group.tolist() for each in one.groupings] == [each.group.tolist() for each in other.groupings]


@pytest.mark.usefixtures("many")
def test_whoever_ends_them_meanwhile_has_groups_that_are_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_moves, "AT_ONCE", 50)
    problem = competing(300)
    for most in (*range(0, 80, 3), 200):
        asked = 0

        def carry_on(_: PeelingWatch, most: int = most) -> bool:
            nonlocal asked
            asked += 1
            return asked <= most

        check(problem, search.search(problem, carry_on=carry_on), ["tight"] * 5, [Fraction(1)] * 5)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("too_many", [False, True])
def test_groups_that_hide_too_many_rows_are_made_better_in_every_way(
    too_many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[bool] = []
    monkeypatch.setattr(Hearing, "hides_too_many", lambda *_: too_many)
    monkeypatch.setattr(improving.Improving, "improve", lambda _: called.append(True))
    checked(competing(300))
    assert len(called) == 2 * too_many


def test_of_cells_with_the_same_rows_the_one_that_loses_least_stays() -> None:
    cells = PricedCells(
        np.array([0, 2, 4, 6, 8]), np.array([5, 3, 9, 3]), np.array([0, 1, 0, 1, 1, 2, 0, 1], dtype=np.uint32)
    )
    found = pricing._different(cells)
    assert (found.loss.tolist(), found.members.tolist()) == ([3, 9], [0, 1, 1, 2])
