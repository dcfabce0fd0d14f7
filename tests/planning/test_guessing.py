"""Columns that go out as they are (`beside`): what they leave open counts, however rows are counted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base import targets
from discreet.method.cuts import exact
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Candidate
from discreet.planning.objectives import objectives
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from tests.reference import beside as slow

JOBS = ["cook", "nurse", "pilot", "poet"]


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    row = st.tuples(
        st.sampled_from(JOBS), st.sampled_from(["1", "2", "3"]), st.sampled_from("xy"), st.sampled_from("01234")
    )
    rows = draw(st.lists(row, min_size=2, max_size=25))
    return pl.DataFrame(rows, schema=["job", "hours", "gain", "pay"], orient="row")


def policy(use: Any, **more: Any) -> d.Policy:
    return d.Policy.from_dict({"use": use, "protect": [{"k": 2, "over": ["job"]}], **more})


def rows_of(table: pl.DataFrame, part: dict[str, int]) -> list[slow.Row]:
    """Return the rows as the slow version takes them: the part of the pay, hours and gain, and which row it is."""
    hours, gains = sorted(table["hours"].unique()), sorted(table["gain"].unique())
    said = [(JOBS.index(job), hour, gain, pay) for job, hour, gain, pay in table.rows()]
    names = sorted(set(said))
    return [(part[one[3]], (hours.index(one[1]), gains.index(one[2])), names.index(one)) for one in said]


def evaluated(table: pl.DataFrame, rules: d.Policy, seed: int) -> tuple[Fraction, Fraction, list[int]]:
    """Return what a random cut costs rows that are kept and left out, by the measure, and the group of each row.

    Rows left out are of group -1.
    """
    task = prepare(table, rules).task
    problem = cut_problem(task.bound, task.columns, task.bound.promises, task.counted)
    fast = Evaluator(problem, few_may_pass=True)
    cuts = cuts_of([column.space for column in problem.columns], [column.pinned for column in problem.columns])
    rng = np.random.default_rng(seed)
    cut = cut_of(cuts.random(rng.random(), rng), cuts)
    outcome, whole = fast.evaluate(cut), problem.targets[0].whole
    part = fast.parts(cut).numbers.tolist()
    shown = [part[int(code)] for code in problem.codes[0]]
    gone = {shown[row] for row in np.flatnonzero(outcome.left_out)}
    of = dict(zip(task.counted.domain("job"), part, strict=True))
    groups = [-1 if of[job] in gone else of[job] for job in table["job"]]
    return Fraction(outcome.kept[0], whole), Fraction(outcome.dropped[0], whole), groups


COSTS = st.none() | st.fixed_dictionaries(
    {"0": st.fixed_dictionaries({"1": st.integers(0, 3), "2": st.fractions(0, 3, max_denominator=2).map(float)})}
)


def costs_among(
    costs: Mapping[str, Mapping[str, float]] | None, classes: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the costs of classes that there are; none where all would be 0."""
    named = {
        one: {other: cost for other, cost in line.items() if other in classes}
        for one, line in (costs or {}).items()
        if one in classes
    }
    return {one: line for one, line in named.items() if any(line.values())}


@given(
    tables(),
    COSTS,
    st.sampled_from(["beside", "one", "dearest", "group"]),
    st.integers(0, 2**31),
    st.sampled_from([1, 5]),
)
def test_a_class_costs_what_the_slow_version_says(
    table: pl.DataFrame, costs: dict[str, dict[str, float]] | None, suppressed: str, seed: int, overrules: int
) -> None:
    use = {"classify": "pay", "beside": ["hours", "gain"], "suppressed": suppressed}
    classes = sorted(table["pay"].unique())
    named = costs_among(costs, classes)
    rules = policy({**use, **({"costs": named} if named else {})})

    def cost(true: int, taken: int) -> Fraction:
        return Fraction(named.get(classes[true], {}).get(classes[taken], 1)) if true != taken else Fraction(0)

    with pytest.MonkeyPatch.context() as patched:
        for module in (targets, slow):
            patched.setattr(module, "OVERRULES", overrules)
        check_classes(table, rules, seed, suppressed, cost)


def check_classes(
    table: pl.DataFrame, rules: d.Policy, seed: int, suppressed: str, cost: Callable[[int, int], Fraction]
) -> None:
    classes = sorted(table["pay"].unique())
    kept, dropped, groups = evaluated(table, rules, seed)
    rows = rows_of(table, {value: place for place, value in enumerate(classes)})
    sizes = [table["hours"].n_unique(), table["gain"].n_unique()]
    found = slow.guesses(rows, len(classes), sizes)
    judged = [
        (row[0], guess, level)
        for row, (guess, _), level in zip(rows, found, slow.levels(found, len(classes)), strict=True)
    ]
    by_group = {g: [one for one, own in zip(judged, groups, strict=True) if own == g] for g in set(groups)}
    expected = sum((slow.group_cost(own, len(classes), cost) for g, own in by_group.items() if g >= 0), Fraction(0))
    assert kept == expected / len(table)
    away = by_group.get(-1, [])
    price = {
        "beside": sum((cost(true, guess) for true, guess, _ in away), Fraction(0)),
        "one": Fraction(len(away)),
        "dearest": sum((max(cost(true, one) for one in range(len(classes))) for true, _, _ in away), Fraction(0)),
        "group": slow.group_cost(away, len(classes), cost),
    }[suppressed]
    assert dropped == price / len(table)


@given(
    tables(),
    st.sampled_from(["variance", "median"]),
    st.sampled_from(["beside", "all", "group"]),
    st.integers(0, 2**31),
)
def test_a_number_costs_what_the_slow_version_says(table: pl.DataFrame, by: str, suppressed: str, seed: int) -> None:
    """What is left of a number beyond the one that is expected, inside the groups, and of rows left out."""
    rules = policy({"regress": "pay", "beside": ["hours", "gain"], "by": by, "suppressed": suppressed})
    kept, dropped, groups = evaluated(table, rules, seed)
    values, rows = sorted(table["pay"].unique()), len(table)
    ends = []
    for value in values:
        first = int((table["pay"] < value).sum())
        ends.append((first * 8 // rows, (first + int((table["pay"] == value).sum()) - 1) * 8 // rows))
    part = {value: sorted(set(ends)).index(end) for value, end in zip(values, ends, strict=True)}
    pays = [Fraction(pay) for pay in table["pay"]]
    means = []
    for one in range(len(set(ends))):
        own = [pay for pay, text in zip(pays, table["pay"], strict=True) if part[text] == one]
        means.append(sum(own, Fraction(0)) / len(own))
    width = max(means) - min(means)
    places = [(mean - min(means)) / (width or 1) for mean in means]
    sizes = [table["hours"].n_unique(), table["gain"].n_unique()]
    steps = slow.guesses(rows_of(table, part), len(means), sizes, places)
    left = [pay - min(means) - width * Fraction(step, 1000) for pay, (_, step) in zip(pays, steps, strict=True)]

    def centre(numbers: Sequence[Fraction]) -> Fraction:
        middle = sorted(numbers)[(len(numbers) - 1) // 2]
        return sum(numbers, Fraction(0)) / len(numbers) if by == "variance" else middle

    def far(numbers: Sequence[Fraction], of: Fraction) -> Fraction:
        return sum((abs(one - of) ** (2 if by == "variance" else 1) for one in numbers), Fraction(0))

    whole = far(pays, centre(pays))
    groups_left = {g: [one for one, own in zip(left, groups, strict=True) if own == g] for g in set(groups)}
    expected = sum((far(own, centre(own)) for g, own in groups_left.items() if g >= 0), Fraction(0))
    away = groups_left.get(-1, [])
    price = {
        "beside": far(away, Fraction(0)),
        "all": far([pay for pay, own in zip(pays, groups, strict=True) if own < 0], centre(pays)),
        "group": far(away, centre(away)) if away else Fraction(0),
    }[suppressed]
    if whole:
        assert float(kept) == pytest.approx(float(expected / whole), rel=1e-6, abs=1e-6)
        assert float(dropped) == pytest.approx(float(price / whole), rel=1e-6, abs=1e-6)


@pytest.mark.slow
@given(tables(), COSTS, st.sampled_from(["beside", "one", "dearest", "group"]), st.sampled_from([1, 5]))
def test_the_exact_search_proves_the_best_of_all_cuts(
    table: pl.DataFrame, costs: dict[str, dict[str, float]] | None, suppressed: str, overrules: int
) -> None:
    """Joining groups may cost less than they do alone, as the price of overruling is paid once: bounds know it."""
    classes = set(table["pay"])
    named = costs_among(costs, classes)
    use = {"classify": "pay", "beside": ["hours"], "suppressed": suppressed, **({"costs": named} if named else {})}
    rules = d.Policy.from_dict({"use": use, "protect": [{"k": 2, "over": ["job", "gain"]}]})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(targets, "OVERRULES", overrules)
        task = prepare(table, rules).task
        problem = cut_problem(task.bound, task.columns, task.bound.promises, task.counted)
    fast = Evaluator(problem, few_may_pass=True)
    goal = objectives(fast, rules, len(table))[1]
    cuts = cuts_of([column.space for column in problem.columns], [column.pinned for column in problem.columns])
    bits = product((0, 1), repeat=len(cuts.random(0.5, np.random.default_rng(0))))
    found = [fast.evaluate(cut_of(np.array(one, dtype=np.uint8), cuts)) for one in bits]
    first = Candidate(found[0].cut, found[0], goal.cost(found[0]))
    proof = exact.search(problem, fast, goal, first, carry_on=lambda _: True, most_work=0)
    least = min(goal.cost(outcome) for outcome in found)
    assert proof.best.cost == least
    assert proof.bound <= least


def test_rows_that_are_removed_cost_as_ever() -> None:
    """They do not go out at all, so the columns beside tell nothing of them."""
    use, sick = {"classify": "pay", "beside": ["hours"]}, {"suppress": {"rows": "remove"}}
    for more, one, guess in ((sick, 1, 0), ({}, 0, 1)):
        task = prepare(big(), policy(use, **more)).task
        problem = cut_problem(task.bound, task.columns, task.bound.promises, task.counted)
        assert problem.targets[0].gone.tolist()[:3] == [guess, one, one]


def big(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    hours, job = rng.integers(0, 60, rows), rng.integers(0, 4, rows)
    rich = (hours > 45) | ((job == 2) & (rng.random(rows) < 0.8))
    columns = {
        "job": [JOBS[one] for one in job], "age": rng.integers(20, 60, rows).astype(str), "hours": hours.astype(str),
        "pay": np.where(rich, "much", "little"), "sum": (hours * 3 + job * 40).astype(str),
    }  # fmt: skip
    return pl.DataFrame(columns)


COLUMNS: dict[str, dict[str, Any]] = {"age": {"type": "number"}, "hours": {"type": "number"}}


@pytest.mark.parametrize("use", [{"classify": "pay"}, {"regress": "sum"}, {"regress": "sum", "by": "median"}])
@pytest.mark.parametrize("search", ["coordinate", "genetic"])
def test_releases_do_not_depend_on_the_order_of_rows(use: dict[str, Any], search: str) -> None:
    rules: dict[str, Any] = {
        "use": {**use, "beside": ["hours"]}, "protect": [{"k": 5, "over": ["job", "age"]}], "columns": COLUMNS,
        "search": search, **({"genetic": {"population": 20, "iterations": 50}} if search == "genetic" else {}),
    }  # fmt: skip
    table = big()
    first = d.protect(table, d.Policy.from_dict(rules), seed=0)
    again = d.protect(table.reverse(), d.Policy.from_dict(rules), seed=0)
    assert first.audit.verification.holds
    assert first.plan.recodings == again.plan.recodings
    assert isinstance(first.table, pl.DataFrame)
    assert first.table["hours"].to_list() == table["hours"].to_list()


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
def test_engines_make_the_same_release(engine: str, tmp_path: Any) -> None:
    table = big()
    path = tmp_path / "t.csv"
    table.write_csv(path)
    rules = policy({"classify": "pay", "beside": ["hours"]}, columns=COLUMNS | {"sum": {"role": "other"}})
    one, other = d.protect(path, rules, seed=0), d.protect(path, rules, seed=0, engine=engine)
    assert one.plan.recodings == other.plan.recodings


def test_what_is_refused() -> None:
    table = big(40)
    refused: list[tuple[Any, dict[str, Any], str]] = [
        ({"classify": "pay", "beside": ["pay"]}, {}, "'pay' is what is to be predicted"),
        ({"classify": "pay", "beside": []}, {}, "name at least one column, each once"),
        ({"classify": "pay", "beside": ["hours", "hours"]}, {}, "name at least one column, each once"),
        ({"classify": "pay", "beside": ["job"]}, {}, "'job' is recoded, so it does not go out as it is"),
        ({"classify": "pay", "beside": ["wage"]}, {}, "no column 'wage'"),
        ({"classify": "pay", "beside": ["hours"]}, {"columns": {"hours": {"role": "identifier"}}}, "role identifier"),
        ([{"classify": "pay", "beside": ["sum"]}, {"regress": "sum"}], {}, "is to be predicted itself"),
        ({"classify": "pay", "beside": ["hours"]}, {"search": "disclosure"}, "disclosure does not know 'beside'"),
        ({"classify": "pay", "beside": ["hours"]}, {"recoding": "local"}, "recoding: local does not know 'beside'"),
        ({"classify": "pay", "beside": ["hours"]}, {"unit": "age"}, "'beside' judges single rows"),
        ({"classify": "pay", "suppressed": "beside"}, {}, "name them in 'beside'"),
    ]
    for use, more, message in refused:
        with pytest.raises(d.PolicyError, match=message):
            d.protect(table, policy(use, **more))
    secret = {"infer": {"hours": "7"}, "given": ["job"], "at_most": "90%"}
    with pytest.raises(d.PolicyError, match="'hours' is sensitive"):
        d.protect(table, d.Policy.from_dict({"use": {"classify": "pay", "beside": ["hours"]}, "protect": [secret]}))
    for protects in (
        {"infer": {"pay": "much"}, "given": ["job"], "at_most": "90%"},
        {"l": 2, "of": "pay", "over": ["job"]},
        {"column": "pay", "rows": [1], "predictors": ["job"], "against": ["naive_bayes"]},
    ):
        rules = {"use": {"classify": "pay", "beside": ["hours"]}, "protect": [{"k": 2, "over": ["job"]}, protects]}
        with pytest.raises(d.PolicyError, match="use.classify: 'pay' is protected, and 'beside' would bring rows"):
            d.protect(table, d.Policy.from_dict(rules))
    cells = {"column": "sum", "rows": [1], "predictors": ["hours"], "against": ["naive_bayes"]}
    with pytest.raises(d.PolicyError, match="'hours' may lose single cells"):
        d.protect(table, d.Policy.from_dict({"use": {"classify": "pay", "beside": ["hours"]}, "protect": [cells]}))


def test_it_may_go_out_on_purpose_and_is_named_in_no_warning() -> None:
    rules = policy(
        {"classify": "pay", "beside": ["hours"]}, columns={"hours": {"role": "other"}, "sum": {"role": "other"}}
    )
    release = d.protect(big(40).drop("age"), rules, seed=0)
    assert not [warning for warning in release.audit.warnings if "hours" in warning]
    assert [use.in_words() for use in rules.uses] == ["predicting pay beyond what hours tells"]
    typed = policy({"classify": "pay", "beside": ["hours"]}, columns={"hours": {"type": "number"}})
    assert not [warning for warning in d.protect(big(40), typed, seed=0).audit.warnings if "hours" in warning]


def test_it_is_written_as_it_was_read() -> None:
    rules = policy({"classify": "pay", "beside": ["hours"]})
    assert d.Policy.from_dict(rules.to_dict()) == rules
    assert rules.use == d.Classify("pay", beside=["hours"])
    assert rules.use == d.Classify("pay", beside=["hours"], suppressed="beside")
    assert rules.to_dict()["use"] == {"classify": "pay", "beside": ["hours"]}
    for use in (
        d.Classify("pay", beside=["hours"], suppressed="one"),
        d.Regress("sum", beside=["hours"], suppressed="all"),
        d.Regress("sum", beside=["hours"]),
    ):
        rules = d.Policy(use=use, protect=[d.KAnonymity(k=2, over=["job"])])
        assert d.Policy.from_dict(rules.to_dict()) == rules


def test_a_share_of_the_rows_and_several_uses() -> None:
    uses = [{"classify": "pay", "beside": ["hours"]}, {"regress": "sum", "weight": 2}, "general"]
    rules = d.Policy.from_dict(
        {"use": uses, "protect": [{"k": 5, "over": ["job", "age"]}], "columns": COLUMNS, "search_on": "50%"}
    )
    assert d.protect(big(), rules, seed=0).audit.verification.holds
