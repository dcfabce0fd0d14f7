"""Rows that are left over are settled as by trying every way, in less time, and somebody who asks to end is heard."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import need_all
from discreet.method.base.problem import CutProblem
from discreet.method.local import gather_kernels, group_kernels, settling
from discreet.method.local.group_kernels import NEVER, ItemGroups
from discreet.method.local.group_room import collected, copied, total_cost
from discreet.method.local.items import ItemPart, parts_of
from discreet.method.local.peeling import PeelingWatch
from discreet.method.local.search import search
from discreet.method.local.settling import Settling
from discreet.method.local.shapes import shape_of, units_of
from discreet.method.local.sweeping import by_halves
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from tests.jobs import Job, mixed_jobs
from tests.method.local.test_search import COLUMNS, asked, check, problem_of, town_problem, towns
from tests.reference import local as slow

GIVEN = ["town", "age", "job"]
TEMPLATE = d.Template(given=GIVEN, infer={"ill": "yes"}, at_most="40%")


def the_part(problem: CutProblem, worth: tuple[int, ...] = ()) -> ItemPart:
    columns = problem.columns
    units = units_of(columns, ["tight"] * len(columns), [Fraction(1)] * len(columns), problem.total)
    return parts_of(problem, [shape_of(*each, "tight") for each in zip(columns, units.columns, strict=True)], worth)[0]


def groups_of(part: ItemPart, rng: np.random.Generator, size: int) -> tuple[ItemGroups, int]:
    """Groups of about `size` items at random that keep every limit, and one with all that is left."""
    items = len(part.items.codes)
    of = rng.integers(0, max(items // size, 1), items)
    of = np.unique(of * part.fixed + part.apart, return_inverse=True)[1].astype(np.int64)
    groups = collected(part, of, int(of.max()) + 1)
    broken = [g for g in range(int(groups.numbers[0])) if not group_kernels.keeps(groups.figures[g], part.limits)]
    numbers, of = np.unique(np.where(np.isin(of, broken), -1, of), return_inverse=True)
    of = np.where(numbers[of] < 0, len(numbers), of)  # the last
    return collected(part, of.astype(np.int64), len(numbers) + 1), len(numbers)


def of_problem(at_most: str, rows: int, seed: int, k: int, worth: tuple[int, ...] = ()) -> ItemPart:
    if worth:
        need_all()
    use = d.Classify("job") if worth else d.General()
    over = ["town", "age"] if worth else GIVEN
    template = d.Template(given=over, infer={"ill": "yes"}, at_most=at_most)
    policy = d.Policy(use=use, protect=[template, d.KAnonymity(k=k, over=over)], columns=COLUMNS)
    frame = pl.concat([towns(rows, seed), pl.DataFrame({"town": "rome", "age": "40", "job": "job 1", "ill": "yes"})])
    return the_part(problem_of(frame, policy), worth)


@given(
    st.sampled_from(["15%", "25%", "40%", "50%"]), st.integers(10, 150), st.integers(0, 20), st.integers(1, 4),
    st.sampled_from([(), (1000,)]), st.integers(1, 8),
)  # fmt: skip
def test_the_cheapest_way_is_found(
    at_most: str, rows: int, seed: int, k: int, worth: tuple[int, ...], size: int
) -> None:
    part = of_problem(at_most, rows, seed, k, worth)
    before, g = groups_of(part, np.random.default_rng(seed), size)
    assume(before.head[g] >= 0 and not group_kernels.keeps(before.figures[g], part.limits))
    untouched = copied(before)
    found = Settling(part, lambda: True).settle(before, g)
    best = slow.settled(part, untouched, g)
    for name in ("of", "head", "figures", "losses"):
        assert np.array_equal(getattr(before, name), getattr(untouched, name))
    if best is None:
        assert found.cost == NEVER or total_cost(found.groups) == found.cost
        return
    assert found.cost == total_cost(found.groups) <= total_cost(best)
    used = range(int(found.groups.numbers[0]))
    assert all(group_kernels.keeps(found.groups.figures[n], part.limits) for n in used if found.groups.head[n] >= 0)
    again = collected(part, found.groups.of, len(used))
    assert np.array_equal(again.figures[: len(used)], found.groups.figures[: len(used)])
    assert np.array_equal(again.losses[: len(used)], found.groups.losses[: len(used)])


@given(
    st.sampled_from(["15%", "25%", "40%"]), st.integers(5, 60), st.integers(0, 30), st.integers(1, 5),
    st.integers(1, 4), st.integers(1, 9), st.integers(1, 3),
)  # fmt: skip
def test_small_groups_come_to_each_item_as_in_the_slow_search(
    at_most: str, rows: int, seed: int, k: int, size: int, reach: int, ways: int
) -> None:
    part, rng = of_problem(at_most, rows, seed, k), np.random.default_rng(seed)
    groups, g = groups_of(part, rng, size)
    assume(groups.head[g] >= 0)
    seeds = rng.permutation(np.flatnonzero(groups.of == g))
    orders = np.stack([rng.permutation(len(groups.of)) for _ in range(ways)])
    places = np.argsort(orders, axis=1)
    expected, left = slow.gathered(part, groups.of.tolist(), g, seeds.tolist(), orders, reach)
    before = len(expected)
    made = gather_kernels.gather(
        part.shapes, part.items, part.limits, groups, g, seeds, orders, places, reach, part.forbidden
    )
    found = [set(np.flatnonzero(groups.of == number).tolist()) for number in np.unique(groups.of).tolist()]
    assert {frozenset(each) for each in found} == {frozenset(each) for each in [*expected, left] if each}
    assert made <= before + len(seeds)
    used = int(groups.numbers[0])
    again = collected(part, groups.of, used)
    for name in ("figures", "losses"):
        assert np.array_equal(getattr(again, name)[:used], getattr(groups, name)[:used])


@given(
    st.sampled_from(["25%", "40%", "50%"]), st.integers(5, 80), st.integers(0, 30), st.integers(1, 5),
    st.integers(1, 4), st.integers(1, 9),
)  # fmt: skip
def test_items_join_groups_near_them_as_in_the_slow_search(
    at_most: str, rows: int, seed: int, k: int, size: int, reach: int
) -> None:
    part, rng = of_problem(at_most, rows, seed, k), np.random.default_rng(seed)
    groups, g = groups_of(part, rng, size)
    some = rng.permutation(np.flatnonzero(groups.of == g))
    orders = np.stack([rng.permutation(len(groups.of)) for _ in range(2)])
    expected = slow.joined_near(part, groups.of.tolist(), g, some.tolist(), orders, reach)
    gone = gather_kernels.join_near(
        part.shapes, part.items, part.limits, groups, g, some, orders, np.argsort(orders, axis=1), reach, part.forbidden
    )
    assert groups.of.tolist() == expected
    assert gone == len(some) - expected.count(g)
    again = collected(part, groups.of, int(groups.numbers[0]))
    used = int(groups.numbers[0])
    for name in ("figures", "losses"):
        assert np.array_equal(getattr(again, name)[:used], getattr(groups, name)[:used])


def test_rows_that_nobody_has_room_for_get_groups_of_their_own() -> None:
    """Ages that differ, a tenth of them ill: no group of one has room for an ill one; two neighbours come to each."""
    rows = 300
    frame = pl.DataFrame(
        {
            "age": [str(row) for row in range(rows)],
            "ill": ["yes" if row % 10 == 5 else "no" for row in range(rows)],
        }
    )
    template = d.Template(given=["age"], infer={"ill": "yes"}, at_most="40%")
    policy = d.Policy(protect=[template], columns={"age": d.Column(type="number")}, recoding="local")
    part = the_part(problem_of(frame, policy))
    ill = part.items.codes[:, 0] % 10 == 5
    for go_on in (True, False):  # also when it is to end at once: it does not take long
        before = collected(part, np.where(ill, rows, np.arange(rows)), rows + 1)
        found = Settling(part, lambda go_on=go_on: go_on).settle(before, rows)  # type: ignore[misc]
        groups = found.groups
        assert found.cost == total_cost(groups) == 30 * 3 * 2 * part.shapes.whole[0] // (rows - 1)
        assert sorted(np.bincount(groups.of).tolist()) == [0] * 91 + [1] * 210 + [3] * 30


@given(st.integers(10, 150), st.integers(0, 20), st.sampled_from([(), (1000,)]), st.integers(1, 12))
def test_items_are_dealt_in_pieces_as_at_once(rows: int, seed: int, worth: tuple[int, ...], looks: int) -> None:
    part = of_problem("50%", rows, seed, 1, worth)
    before, g = groups_of(part, np.random.default_rng(seed), 3)
    assume(before.head[g] >= 0)
    whole, pieces = copied(before), copied(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "LOOKS_AT_ONCE", looks * int(before.numbers[0]))
        done = Settling(part, lambda: True).deal(pieces, g)
    assert done == slow.dealt(part, whole, g)
    if done:
        for name in ("of", "head", "next", "before", "figures", "losses", "first", "last", "judged"):
            assert np.array_equal(getattr(pieces, name), getattr(whole, name))


def test_what_finds_no_place_stays_and_the_others_do_not() -> None:
    """Room for two of the five who are left: two groups of two with room for one each."""
    frame = [("1", "no")] * 2 + [("2", "no")] * 2 + [(str(n), "yes") for n in range(3, 8)]
    problem = problem_of(
        pl.DataFrame(frame, schema=["age", "ill"], orient="row"),
        d.Policy(
            protect=[d.Template(given=["age"], infer={"ill": "yes"}, at_most="1/3")],
            columns={"age": d.Column(type="number")},
        ),
    )
    part = the_part(problem)
    groups = collected(part, np.array([0, 1, 2, 2, 2, 2, 2]), 3)
    assert not Settling(part, lambda: True).deal(groups, 2)
    assert sorted(groups.figures[:3, 0].tolist()) == [3, 3, 3]
    assert all(group_kernels.keeps(groups.figures[g], part.limits) for g in (0, 1))


@given(mixed_jobs(search="coordinate"), st.data())
def test_hidden_rows_take_others_along_as_counted_each_time(job: Job, data: st.DataObject) -> None:
    problem = asked(job)
    ones = [Fraction(1)] * len(problem.columns)
    units = units_of(problem.columns, ["tight"] * len(ones), ones, problem.total)
    shapes = [shape_of(*each, "tight") for each in zip(problem.columns, units.columns, strict=True)]
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for part in parts_of(problem, shapes):
        of = np.unique(part.apart * 5 + rng.integers(0, 5, len(part.items.codes)), return_inverse=True)[1]
        hidden, losses = rng.random(of.max(initial=-1) + 1) < 0.3, rng.integers(0, 4, of.max(initial=-1) + 1)
        fast, broken = part.hidden_with(of, hidden, losses)
        expected, expected_broken = slow.hidden_with(part, of, hidden, losses)
        assert np.array_equal(fast, expected)
        assert broken == expected_broken


@pytest.mark.parametrize("moment", range(3, 40, 3))
def test_an_end_while_rows_are_settled(moment: int) -> None:
    """Those who are left then are hidden, with others as need be; where they would be too many, it goes on."""
    problem = town_problem(300, TEMPLATE)
    heard: list[PeelingWatch] = []

    def carry_on(watch: PeelingWatch) -> bool:
        heard.append(watch)
        return len(heard) < moment

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "LOOKS_AT_ONCE", 1)
        found = search(problem, carry_on=carry_on)
        check(problem, found, ["tight"] * 3, [Fraction(1)] * 3)
        assert len(heard) <= moment
        heard.clear()
        told = search(problem, carry_on=carry_on, most_gone=0)
    check(problem, told, ["tight"] * 3, [Fraction(1)] * 3)
    assert told.gone == 0


def test_who_asks_to_end_is_heard_within_few_looks() -> None:
    """Each time after `LOOKS_AT_ONCE` pairs of an item and a group at most, fewer where much is counted of each."""
    part = of_problem("25%", 150, 1, 1)
    before, g = groups_of(part, np.random.default_rng(1), 4)
    looks: list[int] = []

    def go_on() -> bool:
        looks.append(int(groups.numbers[1]))
        return True

    groups = copied(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "LOOKS_AT_ONCE", 4 * int(before.numbers[0]))
        Settling(part, go_on).deal(groups, g)
    assert len(looks) > 3
    assert max(np.diff(looks)) <= 4 * int(before.numbers[0])
    assert settling.looks_at_once(part) == settling.LOOKS_AT_ONCE


@given(st.sampled_from(["15%", "40%", "50%"]), st.integers(5, 60), st.integers(0, 30), st.integers(1, 9))
def test_items_beside_each_other_become_groups_as_in_the_slow_search(
    at_most: str, rows: int, seed: int, k: int
) -> None:
    part, rng = of_problem(at_most, rows, seed, k), np.random.default_rng(seed)
    apart = rng.integers(0, 3, len(part.items.codes))
    order = rng.permutation(len(apart))
    order = order[np.argsort(apart[order], kind="stable")]
    of = np.full(len(apart), -1, dtype=np.int64)
    number = gather_kernels.sweep(part.items, part.limits, order, apart, part.least, of, 7)
    groups, left = slow.swept(part, order.tolist(), apart.tolist())
    assert {frozenset(np.flatnonzero(of == n).tolist()) for n in range(7, number)} == {*map(frozenset, groups)}
    assert set(np.flatnonzero(of < 0).tolist()) == left


def test_rows_that_stand_near_each_other_are_alike() -> None:
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(0, 1000, 800), rng.integers(0, 4, 800), np.zeros(800)], axis=1)
    order = by_halves(codes, np.array([100, 100, 100]))
    assert sorted(order.tolist()) == list(range(800))
    near = codes[order].reshape(-1, 8, 3)
    assert float(np.ptp(near[:, :, 0], axis=1).mean()) < 150
    assert float((np.ptp(near[:, :, 1], axis=1) > 0).mean()) < 0.2


@pytest.mark.parametrize("moment", [0, 1, 2, 5])
def test_an_end_while_rows_are_looked_at_leaves_groups_of_neighbours(moment: int) -> None:
    problem = town_problem(600, d.KAnonymity(k=6, over=GIVEN))
    heard: list[PeelingWatch] = []

    def carry_on(watch: PeelingWatch) -> bool:
        heard.append(watch)
        return len(heard) <= moment

    found = search(problem, carry_on=carry_on)
    check(problem, found, ["tight"] * 3, [Fraction(1)] * 3)
    assert found.gone < 60
    assert found.lost < 0.7 * found.units.per_row * problem.total


@pytest.mark.parametrize("moment", [1, 2, 40])
def test_what_nobody_has_looked_at_when_time_is_up_is_put_together(moment: int) -> None:
    """Also where the promise is no template, and rows that are left have not been dealt to others."""
    policy = d.Policy(protect=[d.LDiversity(l=2, of="ill", over=GIVEN)], columns=COLUMNS)
    task = prepare(towns(400), policy).task
    problem = cut_problem(task.bound, task.columns, list(task.bound.each_promise), task.counted)
    heard: list[PeelingWatch] = []

    def carry_on(watch: PeelingWatch) -> bool:
        heard.append(watch)
        return len(heard) <= moment

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "LOOKS_AT_ONCE", 1)
        found = search(problem, carry_on=carry_on)
    check(problem, found, ["tight"] * 3, [Fraction(1)] * 3)
    assert found.gone < 40


@pytest.mark.parametrize("seed", [2, 4, 25, 34])
def test_hidden_rows_keep_every_promise_where_others_are_left_out(seed: int) -> None:
    """An end while some are left out already and others are still to be settled."""
    rng = np.random.default_rng(seed)
    frame = towns(60, seed).with_columns(sex=pl.Series(rng.choice(["m", "f", "x"], 60)))
    policy = d.Policy(
        protect=[
            d.Template(given=[*GIVEN, "sex"], infer={"ill": "yes"}, at_most="40%"),
            d.Template(given=["town"], infer={"sex": "m"}, at_most="99%"),  # so nobody's sex is made coarser
            d.KAnonymity(k=8, over=GIVEN),
        ],
        columns=COLUMNS,
    )
    problem, heard = problem_of(frame, policy), 0

    def carry_on(_: PeelingWatch) -> bool:
        nonlocal heard
        heard += 1
        return heard < moment

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settling, "LOOKS_AT_ONCE", 1)
        for moment in range(2, 40, 4):  # noqa: B007 - `carry_on` looks at it
            heard = 0
            found = search(problem, carry_on=carry_on, remove=True, most_gone=10)
            check(problem, found, ["tight"] * 3, [Fraction(1)] * 3)
