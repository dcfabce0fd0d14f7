"""Costs, spreads, weights and pairwise losses steer the search, and are counted right."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base import targets
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Evaluator
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem

TOWNS = ["oslo", "turku", "espoo", "rome", "bari"]
TREE = {"any": {"north": ["oslo", {"finland": ["turku", "espoo"]}], "south": ["rome", "bari"]}}


@st.composite
def losses(draw: st.DrawFn) -> dict[str, dict[str, Fraction]]:
    amounts = st.fractions(0, 4, max_denominator=4)
    found = {a: {b: draw(amounts) if a != b else Fraction(0) for b in TOWNS} for a in TOWNS}
    found["oslo"]["rome"] = Fraction(3)
    return found


@given(losses(), st.lists(st.sampled_from(TOWNS), min_size=2, max_size=12), st.integers(1, 3), st.integers(0, 2**31))
def test_pairwise_losses(apart: dict[str, dict[str, Fraction]], towns: list[str], weight: int, seed: int) -> None:
    """A value loses what it cannot be told from, beside what it could lose at all; by the weights of the columns."""
    table = pl.DataFrame({"town": towns, "job": ["p", "q"] * (len(towns) // 2) + ["p"] * (len(towns) % 2)})
    policy = d.Policy(
        protect=[d.KAnonymity(k=1, over=["town", "job"])],
        columns={"town": d.Column(taxonomy=TREE, losses=apart, weight=weight)},
        search="coordinate",
    )
    task = prepare(table, policy).task
    fast = Evaluator(cut_problem(task.bound, task.columns, list(policy.promises()), task.counted))
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    bits = cuts.random(np.random.default_rng(seed).random(), np.random.default_rng(seed))
    outcome = fast.evaluate(cut_of(bits, cuts))
    recoding = task.columns[0].recoding(cuts.found(bits)[0])
    to = dict(recoding.to)
    job_loss = Fraction(int(1 - cuts.column(bits, 1).all() if cuts.column(bits, 1).sum() == 0 else 0))

    def lost(town: str) -> Fraction:
        most = sum(apart[town].values())
        together = sum((apart[town][other] for other in TOWNS if to[other] == to[town]), Fraction(0))
        return together / most if most else Fraction(0)

    expected = sum((weight * lost(town) + job_loss for town in towns), Fraction(0))
    if table["job"].n_unique() > 1:
        assert Fraction(outcome.lost, fast.units.per_row) == expected / (weight + 1)
    assert task.columns[0].losses(recoding) == pytest.approx([float(lost(t)) for t in sorted(set(towns))])


def test_pairwise_losses_and_weights_decide_what_is_merged() -> None:
    """Two ways are as good without them: merge the towns of the north, or those of the south."""
    table = pl.DataFrame({"town": ["a", "b", "c", "d"], "n": ["1", "1", "1", "1"]})
    tree = {"all": {"north": ["a", "b"], "south": ["c", "d"]}}

    def released(**said: object) -> list[str]:
        columns = {"town": d.Column(taxonomy=tree, **said)}
        for search in ("coordinate", "disclosure"):
            policy = d.Policy(
                protect=[d.Template(given=["town"], infer={"n": "1"}, at_most="100%")], columns=columns, search=search
            )
            assert d.protect(table, policy).audit.detail == 1
        policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])], columns=columns, suppress={"limit": "0%"})
        found: list[str] = d.protect(table, policy).table["town"].to_list()  # type: ignore[index]
        return found

    assert released() == ["north", "north", "south", "south"]
    release = released(losses={"a": {"b": 9}, "b": {"a": 9}})
    assert release == ["north", "north", "south", "south"]


def test_a_weight_decides_which_column_is_told() -> None:
    table = pl.DataFrame({"a": ["1", "1", "2", "2"], "b": ["1", "2", "1", "2"]})
    for heavy, light, search in product("ab", "ab", ("coordinate", "disclosure")):
        if heavy == light:
            continue
        columns = {heavy: d.Column(weight=3)}
        policy = d.Policy(
            protect=[d.KAnonymity(k=2, over=["a", "b"])],
            columns=columns,
            search=search,  # type: ignore[arg-type]
        )
        release = d.protect(table, policy)
        assert release.audit.hidden_cells == {heavy: 0, light: 4}
        assert release.audit.detail == pytest.approx(0.75)


@pytest.mark.parametrize(("costs", "shown"), [(None, "a"), ({"no": {"yes": 10}}, "b"), ({"yes": {"no": 10}}, "a")])
def test_costs_decide_which_column_is_told(costs: dict[str, dict[str, object]] | None, shown: str) -> None:
    """By a: 5 of 8 ill, and none (3 mistakes); by b: 4 of 8 (either way), and 1 (5 mistakes, all about the ill)."""
    cells = [("0", "0", 4), ("0", "1", 1), ("1", "0", 0), ("1", "1", 0)]
    rows = [(a, b, "yes" if n < ill else "no") for a, b, ill in cells for n in range(4)]
    table = pl.DataFrame(rows, schema=["a", "b", "ill"], orient="row")
    policy = d.Policy(
        use=d.Classify("ill", costs=costs),
        protect=[d.KAnonymity(k=8, over=["a", "b"])],
        columns={name: d.Column(taxonomy={"any": ["0", "1"]}) for name in "ab"},
    )
    release = d.protect(table, policy)
    assert {name: release.audit.hidden_cells[name] for name in "ab"} == {"a": 16, "b": 16} | {shown: 0}
    (told,) = release.audit.usefulness.targets
    assert told.released == pytest.approx({None: 3, "no": 5, "yes": 3}[next(iter(costs)) if costs else None] / 16)


@pytest.mark.parametrize("by", ["variance", "median"])
def test_regression_keeps_what_tells_the_number(by: str) -> None:
    rng = np.random.default_rng(3)
    age, town = rng.integers(0, 40, 400), rng.integers(0, 4, 400)
    pay = np.where(age < 20, 10, 90) + town
    table = pl.DataFrame({"age": age.astype(str), "town": town.astype(str), "pay": pay.astype(str)})
    policy = d.Policy(
        use=d.Regress("pay", by=by),  # type: ignore[arg-type]
        protect=[d.KAnonymity(k=150, over=["age", "town"])],
        columns={"age": d.Column(type="number")},
    )
    release = d.protect(table, policy)
    assert set(release.table["age"].to_list()) == {"<20", ">=20"}  # type: ignore[index]
    (told,) = release.audit.usefulness.targets
    assert told.measure == "RM"
    assert told.released < 0.1 < told.nothing == 1


def test_many_different_numbers_are_put_on_levels() -> None:
    values = [Fraction(n, 7) for n in range(1000)]
    code = np.arange(1000)
    target = targets.numbers(values, code, np.ones(1000, dtype=np.int64), lambda x: x, (), by="median")
    assert target.fields.shape == (1000, targets.MOST_LEVELS)
    assert np.all(np.diff(target.params) > 0)
    assert np.all(target.fields.sum(axis=1) == 1)
    exact = targets.numbers(values[:50], code[:50], np.ones(50, dtype=np.int64), lambda x: x, (), by="median")
    assert exact.fields.shape == (50, 50)


def test_huge_and_tiny_numbers_do_not_overflow() -> None:
    values = [Fraction(10) ** 200, -(Fraction(10) ** 200), Fraction(1, 10**200)]
    for by in ("variance", "median"):
        target = targets.numbers(values, np.arange(3), np.full(3, 10**6), lambda x: x, (), by=by)
        assert 0 < target.whole < 2**61
        assert target.most < 2**61


def test_costs_too_large_for_the_units_are_rounded() -> None:
    costs = [[Fraction(0), Fraction(10**30)], [Fraction(1, 3), Fraction(0)]]
    target = targets.classes(np.array([[5, 5]]), (), costs)
    assert target.most < 2**61
    assert target.params[1] > 0


@given(st.data())
def test_classes_without_costs_are_those_where_every_mistake_costs_one(data: st.DataObject) -> None:
    """With thousands of classes there is no table of costs: what rows left out cost is the same as with one."""
    labels = data.draw(st.integers(1, 4))
    lines = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=labels, max_size=labels), min_size=1, max_size=4))
    counts = np.array(lines, dtype=np.int64)
    ones = [[Fraction(one != other) for other in range(labels)] for one in range(labels)]
    for suppressed in ("one", "dearest", "group"):
        plain = targets.classes(counts, (), suppressed=suppressed)
        by_costs = targets.classes(counts, (), ones, suppressed=suppressed)
        assert plain.gone.tolist() == by_costs.gone.tolist()
        assert (plain.whole, plain.most, plain.own_group) == (by_costs.whole, by_costs.most, by_costs.own_group)
