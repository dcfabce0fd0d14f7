"""Number columns with very many values: read once, counted in whole numbers, cut at few places and then around them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.columns.scale import share_of_range, whole_distances
from discreet.common.watch import Watch
from discreet.encoded import Ints
from discreet.method.base.loss import ColumnUnits, loss_units
from discreet.method.base.space import Node, Places, Space
from discreet.method.cuts import column_cuts
from discreet.method.cuts.column_cuts import MOST_BLOCKS, ColumnCuts
from discreet.method.cuts.parts import Firsts, code_losses, part_numbers, part_ranges
from discreet.planning.cutting import CutPlanner
from discreet.planning.prepared import prepare

NUMBERS = st.decimals(-10_000, 10_000, places=3) | st.sampled_from([Decimal("1E+30"), Decimal("1E-9"), Decimal("-0.0")])


@given(st.lists(NUMBERS, min_size=1, max_size=12, unique=True), st.fractions(0, 10**9))
def test_places_are_those_of_fractions(numbers: list[Decimal], scale: Fraction) -> None:
    numbers.sort()
    slow = [share_of_range(number, numbers[0], numbers[-1]) for number in numbers]
    away = whole_distances(numbers)
    places = Places(tuple(away), max(away[-1], 1))
    assert [Fraction(one, places.denominator) for one in places.numerators] == slow
    assert places.floats().tolist() == [float(one) for one in slow]
    assert places.unit == np.lcm.reduce(np.array([one.denominator for one in slow], dtype=object))
    assert places.times(scale).tolist() == [round(scale * one) for one in slow]


def number_space(values: int, missing: int = 0) -> Space:
    """Return the space of numbers that may be cut anywhere, with missing values before them."""
    cuts = np.arange(values + missing) > missing
    places = Places((0,) * missing + tuple(place * place for place in range(values)), max((values - 1) ** 2, 1))
    whole = Node(missing, values + missing, share=Fraction(1), interval=True)
    if not missing:
        return Space(values, (whole,), cuts, places)
    leaves = [Node(code, code + 1) for code in range(missing)]
    root = Node(0, values + missing, tuple(range(1, missing + 2)), Fraction(1))
    return Space(values + missing, (root, *leaves, whole), cuts, places)


def slow_losses(space: Space, units: ColumnUnits, firsts: Firsts) -> Ints:
    """Look at one part after the other."""
    loss = np.zeros(space.size, dtype=np.int64)
    for first, stop in part_ranges(firsts):
        node = space.node_at.get((first, stop))
        loss[first:stop] = units.nodes[node] if node is not None else units.positions[stop - 1] - units.positions[first]
    return loss


@given(st.integers(1, 9), st.integers(0, 2), st.data())
def test_parts_and_losses_are_those_of_one_part_after_the_other(values: int, missing: int, data: st.DataObject) -> None:
    space = number_space(values, missing)
    (units,) = loss_units([space], [Fraction(1)], 10).columns
    begins = data.draw(st.lists(st.booleans(), min_size=values - 1, max_size=values - 1))
    told = [True] * (missing + 1) if data.draw(st.booleans()) else [True] + [False] * (space.size - 1)
    flags = np.array((told + begins)[: space.size])
    firsts = np.maximum.accumulate(np.where(flags, np.arange(space.size), 0))
    assert part_numbers(space, firsts).tolist() == np.unique(firsts, return_inverse=True)[1].tolist()
    assert code_losses(space, units, firsts).tolist() == slow_losses(space, units, firsts).tolist()


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_parts_of_plain_columns(shown: list[bool]) -> None:
    firsts = np.where(shown, np.arange(len(shown)), -1)
    expected = np.unique(firsts, return_inverse=True)[1]
    assert part_numbers(Space(len(shown)), firsts).tolist() == expected.tolist()


def test_few_places_are_looked_at_and_more_around_a_cut() -> None:
    space = number_space(2_000)
    rows = np.ones(2_000, dtype=np.int64)
    few = ColumnCuts(space, rows)
    assert few.thinned
    assert len(few.begins) == column_cuts.FEW_BLOCKS
    assert few.searched().cuts.sum() == len(few.begins) - 1
    found = np.repeat([0, 7, 1_234], [7, 1_227, 766])
    more = ColumnCuts(space, rows, found)
    assert {7, 1_234} <= set(more.begins.tolist())
    assert more.thinned
    assert 200 < len(more.begins) <= MOST_BLOCKS
    assert {1, 2, 5, 6, 8, 9, 11, 1_226, 1_230, 1_233, 1_235, 1_238, 1_999} <= set(more.begins.tolist())
    narrow = ColumnCuts(number_space(200), rows[:200])
    assert not narrow.thinned
    assert narrow.searched() is narrow.space
    assert len(narrow.begins) == 200


def test_a_wide_column_is_cut_nearly_as_well_as_if_every_place_were_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """And better than at quantiles alone."""
    rng = np.random.default_rng(5)
    pay = rng.choice(4_000, 320, replace=False) ** 2 + 1
    table = pl.DataFrame({"pay": pay.astype(str), "sex": rng.integers(0, 2, 320).astype(str)})
    rules = d.Policy(
        protect=[d.KAnonymity(k=12, over=["pay", "sex"])],
        columns={"pay": d.Column(type="number")},
    )

    def lost(most: int, few: int, looks: int) -> float:
        monkeypatch.setattr(column_cuts, "MOST_BLOCKS", most)
        monkeypatch.setattr(column_cuts, "FEW_BLOCKS", few)
        monkeypatch.setattr("discreet.method.cuts.coordinate.MOST_LOOKS_AROUND", looks)
        monkeypatch.setattr("discreet.planning.cutting.MOST_KICKS", 2)
        planner = CutPlanner(prepare(table, rules).task)
        best, _ = planner.search(Watch())
        return 1 - planner.detail(best.outcome)

    every, quantiles, around = lost(10_000, 10_000, 4), lost(100, 25, 0), lost(100, 25, 4)
    assert around < 0.9 * quantiles
    assert around < 1.1 * every
