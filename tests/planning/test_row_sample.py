"""A random sample is released: promises hold where the owner asked for them, and nothing tells who was drawn."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.chance import chance_from
from discreet.cli.app import app
from discreet.plan.masks import ALL, Masks
from discreet.planning.drawing import drawn_rows
from discreet.planning.suppression import rows_to_suppress
from discreet.policy import Inference
from discreet.policy.bind import bind
from discreet.policy.requirements.k_anonymity import Crowd
from discreet.table.source import open_table
from discreet.verification.matching import covered
from discreet.verification.truth import untrue
from tests.jobs import Job, mixed_jobs
from tests.kinds import KINDS, to_rows
from tests.planning.test_removal import recoded

AGES = [str(20 + number % 10) for number in range(100)]


def policy(share: str = "20%", k_on: str = "sample", k: int = 3, **more: Any) -> d.Policy:
    said: dict[str, Any] = {"columns": {"age": d.Column(type="number")}, **more}
    return d.Policy(protect=[d.KAnonymity(k=k, over=["age"])], release={"sample": share, "k_on": k_on}, **said)


def sampling(job: Job, share: Fraction, k_on: Literal["sample", "population"], rows: Literal["mask", "remove"]) -> Job:
    crowds = any(isinstance(promise, Crowd) for promise in job.policy.promises())
    changed = {
        "release": d.ReleaseOptions(sample=share, k_on=k_on if crowds else "sample"),
        "suppress": d.Suppress(rows=rows),
    }
    return Job(job.columns, job.rows, job.policy.model_copy(update=changed))


@pytest.mark.slow
@given(
    mixed_jobs(search="coordinate", most_rows=24),
    st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(1)]),
    st.sampled_from(["sample", "population"]),
    st.sampled_from(["mask", "remove"]),
    st.integers(0, 100),
)
def test_every_promise_holds_where_it_counts(job: Job, share: Fraction, k_on: Any, rows: Any, seed: int) -> None:
    job = sampling(job, share, k_on, rows)
    try:
        release = d.protect(job.frame, job.policy, seed=seed)
    except (d.ImpossiblePromise, d.TooManySuppressed, d.PolicyError):
        return
    except d.BrokenPromise as broken:
        assert job.policy.k_on_population
        assert "the rows that were drawn cannot keep it" in str(broken)
        assert too_rich(job, seed)
        return
    plan, out = release.plan, release.table
    assert isinstance(out, pl.DataFrame)
    size = floor(share * len(job.rows))
    assert plan.sampled is not None
    assert len(set(plan.sampled)) == size == len(out) + release.audit.removed
    whole = recoded(job.frame, plan) if job.policy.k_on_population else None
    gone = {number - 1 for number in plan.suppressed}
    told = [number - 1 for number in plan.sampled if rows == "mask" or number - 1 not in gone]
    assert len(told) == len(out)
    found = d.verify(out, job.policy, original=job.frame)
    assert found.truthful.answer is d.Answer.HOLDS
    assert all(finding.answer is not d.Answer.BROKEN for finding in found.requirements)
    if whole is not None:
        assert_crowds(whole, job.policy, gone, removed=rows == "remove", changeable=changeable(job))
        masked = [column for column in changeable(job) if rows == "mask"]
        for number, row in zip(told, out.rows(named=True), strict=True):
            for name in out.columns:
                expected = "*" if number in gone and name in masked else whole[number, name]
                assert row[name] == expected
    assert d.Plan.from_json(plan.to_json()) == plan
    again = d.protect(job.frame, job.policy, seed=seed)
    assert out.equals(again.table)  # type: ignore[arg-type]


def too_rich(job: Job, seed: int) -> bool:
    """Whether the drawn rows have too much of a property although everything that may be is masked."""
    places = drawn_rows(open_table(job.frame, job.policy), job.policy, seed)
    assert places is not None
    drawn = job.frame[places].rows(named=True)
    for promise in job.policy.promises():
        if isinstance(promise, Inference):
            fixed = [name for name in promise.given if name not in changeable(job)]
            groups = Counter(tuple(row[name] for name in fixed) for row in drawn)
            hits = Counter(tuple(row[name] for name in fixed) for row in drawn if row[promise.column] == promise.value)
            if any(Fraction(hits[group], groups[group]) > promise.at_most for group in groups):
                return True
    return False


def test_templates_count_in_the_drawn_rows() -> None:
    """Half of the cooks are ill, which is within the limit; of the drawn ones all are: masked, with two others."""
    table = pl.DataFrame({"job": ["cook"] * 4 + ["clerk"] * 20, "ill": ["y", "y", "n", "n"] + ["n"] * 20})
    template = d.Template(given=["job"], infer={"ill": "y"}, at_most="1/2")
    rules = d.Policy(
        protect=[template, d.KAnonymity(k=4, over=["job"])], release={"sample": "50%", "k_on": "population"}
    )
    told = np.array([True] * 2 + [False] * 2 + [True] * 10 + [False] * 10)
    bound, source = bind(rules, table.columns), open_table(table, rules)
    found = rows_to_suppress(source, bound, chance_from(1), told)
    assert found.drawn == 2
    assert rows_of(found.masks) == {("cook", "y"): ALL, ("clerk", "n"): 2}
    assert rows_of(found.untold) == {("cook", "n"): ALL}
    none = rows_to_suppress(source, bound, chance_from(1), np.ones(24, dtype=np.bool_))
    assert none.masks is none.untold is None
    # Nobody drawn helps: everything drawn is masked, and verification will say no.
    told[4:] = False
    stuck = rows_to_suppress(source, bound, chance_from(1), told)
    assert rows_of(stuck.masks) == {("cook", "y"): ALL}
    assert rows_of(stuck.untold)["cook", "n"] == ALL


def rows_of(masks: Masks | None) -> dict[tuple[str | None, ...], int]:
    """How many rows of each combination are masked."""
    assert masks is not None
    texts = [[masked.values[place] for place in masked.of_combination] for masked in masks.columns]
    return dict(zip(zip(*texts, strict=True), masks.rows, strict=True))


def changeable(job: Job) -> tuple[str, ...]:
    return bind(job.policy, job.columns).changeable


def assert_crowds(
    whole: pl.DataFrame, rules: d.Policy, gone: set[int], *, removed: bool, changeable: tuple[str, ...]
) -> None:
    """Every group of the whole table, those without a drawn row included, has k rows."""
    for promise in rules.promises():
        if isinstance(promise, Crowd):
            looks = Counter(
                tuple("*" if number in gone and name in changeable else row[name] for name in promise.given)
                for number, row in enumerate(whole.rows(named=True))
                if not (removed and number in gone)
            )
            assert min(looks.values()) >= promise.k


def test_k_among_the_released_rows_is_the_default() -> None:
    table = pl.DataFrame({"age": AGES})
    release = d.protect(table, policy())
    out: Any = release.table
    assert len(out) == 20
    assert min(out["age"].value_counts()["count"]) >= 3
    assert d.verify(out, policy()).holds
    assert d.verify(out, policy(), original=table).holds
    whole: Any = d.protect(table, policy(k_on="population")).table
    # Every age has ten rows in the table: no need to hide any.
    assert set(whole["age"]) <= {*AGES, "<21", ">=29"}


def test_k_in_the_whole_table_is_not_checkable_without_it() -> None:
    table = pl.DataFrame({"age": AGES})
    rules = policy(k_on="population")
    release = d.protect(table, rules)
    assert release.audit.promises[0].worst is not None
    assert release.audit.promises[0].worst.rows == 10
    alone = d.verify(release.table, rules)
    assert alone.requirements[0].answer is d.Answer.NOT_CHECKABLE
    assert "give the original" in (alone.requirements[0].reason or "")
    assert not alone.holds
    found = d.verify(release.table, rules, original=table)
    assert found.requirements[0].worst is not None
    assert (found.holds, found.requirements[0].worst.rows) == (True, 10)


def test_a_combination_that_too_few_rows_have_is_found() -> None:
    """Ten of each age but for one 99: shown, it is broken; covered by an interval with others, it is not."""
    table = pl.DataFrame({"age": [*AGES[:99], "99"]})
    rules = policy("3%", k_on="population", k=5)
    for shown, holds in (("99", False), (">=29", True), ("[30-99]", False), ("*", True)):
        found = d.verify(pl.DataFrame({"age": ["20", "21", shown]}), rules, original=table)
        assert found.truthful.answer is d.Answer.HOLDS
        assert found.holds == holds, shown
    found = d.verify(pl.DataFrame({"age": ["20", "21", "7"]}), rules, original=table)
    assert found.requirements[0].answer is d.Answer.BROKEN  # nobody has it
    assert found.truthful.answer is d.Answer.BROKEN


_TREE = d.Column(taxonomy={"any": {"north": ["oslo", "turku"], "rome": None}})
_ORIGINAL = {
    "age": ["5", "30", "39", "?"],
    "town": ["oslo", "turku", "rome", "?"],
    "job": ["a", "b"],
    "sex": ["m", "f"],
}
_RELEASED = {
    "age": ["5", "30", "<30", ">=30", "[30-39]", "*", "x", "?"],
    "town": ["oslo", "north", "any", "*", "rome", "?"],
    "job": ["a", "*", "c"],
    "sex": ["m", "f"],
}


@given(
    st.lists(st.tuples(*map(st.sampled_from, _ORIGINAL.values())), min_size=1, max_size=10),
    st.lists(st.tuples(*map(st.sampled_from, _RELEASED.values())), min_size=1, max_size=8),
)
def test_covered_rows_are_counted_as_one_by_one(rows: list[Any], told: list[Any]) -> None:
    names = list(_ORIGINAL)
    rules = d.Policy(
        use=d.Classify("sex"),
        protect=[d.KAnonymity(k=2, over=names)],
        columns={"age": d.Column(type="number"), "town": _TREE},
        missing=d.Missing(values=["?"], rows="value"),
    )
    frames = [pl.DataFrame(cells, schema=names, orient="row") for cells in (told, rows)]
    released, original = (open_table(frame, rules) for frame in frames)
    given = ["sex", "town", "job", "age"]
    found = covered(released, original, bind(rules, names), given, {})

    def covers(mine: Any, theirs: Any) -> bool:
        pairs = zip(names, theirs, mine, strict=True)
        return not any(
            untrue([(one, other)], None if name == "sex" else rules.column(name), "*" if name != "sex" else "-", ["?"])[
                0
            ]
            for name, one, other in pairs
        )

    expected = {
        tuple(mine[names.index(name)] for name in given): sum(covers(mine, row) for row in rows) for mine in told
    }
    assert dict(zip(found.texts.rows(), found.rows.tolist(), strict=True)) == expected


def test_a_seed_repeats_the_sample_and_the_audit_says_so() -> None:
    table = pl.DataFrame({"age": AGES})
    first, second = (d.protect(table, policy(), seed=4) for _ in range(2))
    assert first.plan.sampled == second.plan.sampled
    assert "whoever knows the seed can tell which rows were drawn for the sample" in first.audit.warnings
    drawn = {d.protect(table, policy()).plan.sampled for _ in range(3)}
    assert len(drawn) == 3  # chance of the operating system
    assert d.protect(table, policy()).audit.warnings == ()


@pytest.mark.slow
def test_every_row_is_as_likely_to_be_drawn() -> None:
    source = open_table(pl.DataFrame({"age": AGES}), policy())
    times = np.zeros(100)
    for seed in range(1000):
        places = drawn_rows(source, policy(), seed)
        assert places is not None
        assert (np.diff(places) > 0).all()
        times[places] += 1
    assert times.min() > 200 - 6 * 13  # 200 expected, with a standard deviation of 12.6
    assert times.max() < 200 + 6 * 13


def test_new_rows_are_drawn_anew() -> None:
    table = pl.DataFrame({"age": AGES})
    for k_on in ("sample", "population"):
        plan = d.protect(table, policy(k_on=k_on), seed=1).plan
        samples = [plan.apply(table) for _ in range(3)]
        assert len({again.plan.sampled for again in samples}) == 3
        for again in samples:
            assert again.audit.rows == 20
            assert d.verify(again.table, policy(k_on=k_on), original=table).holds


def test_a_sample_that_lacks_the_property_may_be_released() -> None:
    """One of a hundred rows is ill: the policy is in order although the sample may have none."""
    table = pl.DataFrame({"job": ["a"] * 100, "ill": ["y"] + ["n"] * 99})
    rules = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "y"}, at_most="1/2")], release={"sample": "5%"})
    assert rules.method == "disclosure"
    for seed in range(5):
        release = d.protect(table, rules, seed=seed)
        assert release.audit.rows == 5
        found = d.verify(release.table, rules, original=table)
        assert found.truthful.answer is d.Answer.HOLDS


def test_only_values_of_the_sample_are_told() -> None:
    """Where k counts in the sample, intervals begin at values that somebody in it has."""
    table = pl.DataFrame({"age": [str(number) for number in range(1000)]})
    release = d.protect(table, policy("5%"), seed=3)
    assert release.plan.sampled is not None
    drawn = {str(number - 1) for number in release.plan.sampled}
    begins = {str(interval.start) for interval in release.plan.recodings[0].intervals if interval.start is not None}
    assert begins
    assert begins <= drawn


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(kind: str) -> None:
    frame = pl.DataFrame({"age": AGES, "id": list(range(100))})
    rules = policy("30%", columns={"age": d.Column(type="number"), "id": d.Column(role="other")})
    table = KINDS[kind](frame)
    release = d.protect(table, rules, seed=1)
    numbers = [row[1] + 1 for row in to_rows(release.table)]  # type: ignore[operator]
    assert tuple(numbers) == release.plan.sampled  # in order
    assert d.verify(release.table, rules, original=table).holds
    if kind.startswith("pandas"):
        assert list(release.table.index) == list(range(30))  # type: ignore[attr-defined]


def test_dropped_rows_are_not_drawn() -> None:
    table = pl.DataFrame({"age": ["?", *AGES[:50], "?"]})
    rules = policy("50%", missing=d.Missing(values=["?"], rows="drop"))
    release = d.protect(table, rules)
    assert (release.audit.rows, release.audit.dropped) == (25, 2)
    assert release.audit.sample is not None
    assert release.audit.sample.to_dict() == {"share": "1/2", "drawn_rows": 25, "of_rows": 50, "k_on": "sample"}
    assert d.verify(release.table, rules, original=table).holds


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda frame: frame[1:], "the release has 19 rows, expected 20"),
        (lambda frame: pl.concat([frame, frame]), "the release has 40 rows, expected 20"),
        (lambda frame: frame[::-1], "of the release fits no row of the original"),
        (lambda frame: frame.with_columns(id=pl.lit("7")), "of the release fits no row"),
    ],
)
def test_spoiled_samples_are_refused(spoil: Any, message: str) -> None:
    table = pl.DataFrame({"age": AGES, "id": [str(number) for number in range(100)]})
    release: Any = d.protect(table, policy()).table
    found = d.verify(spoil(release), policy(), original=table)
    assert any(message in problem for problem in found.truthful.problems), found.truthful.problems


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"sample": "0%"}, "release.sample: a sample has rows; write more than 0%"),
        ({"sample": 10}, "release.sample: 10 is more than everybody"),
        ({}, "release.sample: is missing; write the share of the rows to release"),
        ({"sample": "10%", "k_on": "table"}, "release.k_on: write one of 'sample' or 'population'"),
        ("10%", "release: write fields and values, such as {sample: 10%}"),
        ({"sample": "10%", "seed": 1}, "unknown field 'seed'"),
    ],
)
def test_mistakes(said: Any, message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Policy.from_dict({"protect": [{"k": 3, "over": ["age"]}], "release": said})
    assert message in str(error.value)


def test_where_k_counts_must_fit_the_policy() -> None:
    with pytest.raises(d.PolicyError, match="'k_on: population' needs a search over cuts"):
        policy(k_on="population", search="disclosure")
    template = d.Template(given=["age"], infer={"ill": "y"}, at_most="1/2")
    with pytest.raises(d.PolicyError, match="no requirement has one"):
        d.Policy(protect=[template], search="coordinate", release={"sample": "10%", "k_on": "population"})


def test_less_than_one_row() -> None:
    with pytest.raises(d.PolicyError, match=r"release.sample: 0.5% of 100 rows is less than one row"):
        d.protect(pl.DataFrame({"age": AGES}), policy("0.5%"))


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": AGES}).write_csv("t.csv")
    text = "protect: [{k: 3, over: [age]}]\ncolumns: {age: {type: number}}\nrelease: {sample: 20%, k_on: KIND}\n"
    for kind in ("sample", "population"):
        Path(f"{kind}.yaml").write_text(text.replace("KIND", kind))
        said = run("protect", "t.csv", "-p", f"{kind}.yaml", "-o", f"{kind}.csv", "--plan", f"{kind}.json")
        assert f"t.csv -> {kind}.csv: 20 rows, verified" in said
        assert "Released is a random sample: 20 of 100 rows (20%); k " in said
        assert ("whoever knows that a person is in the sample: of k rows alike" in said) == (kind == "population")
        plan = json.loads(Path(f"{kind}.json").read_text())
        assert len(plan["sampled"]) == 20
        assert "every promise holds" in run("verify", f"{kind}.csv", "-p", f"{kind}.yaml", "--original", "t.csv")
        run("apply", f"{kind}.json", "t.csv", "-o", f"{kind}_new.csv")
    assert "age: at least 3 rows alike in the whole table" in run(
        "verify", "population.csv", "-p", "population.yaml", code=1
    )
    assert "not checkable" in run("verify", "population.csv", "-p", "population.yaml", "--partial")
    document = json.loads(run("protect", "t.csv", "-p", "sample.yaml", "-o", "again.csv", "--json"))
    assert document["audit"]["sample"] == {"share": "1/5", "drawn_rows": 20, "of_rows": 100, "k_on": "sample"}
    assert "unless they know that the person is in the sample" in run("check", "population.yaml", "--table", "t.csv")
    many = text.replace("k: 3", "k: 21")
    Path("many.yaml").write_text(many.replace("KIND", "sample"))
    assert "the smallest group has 20 rows" in run("check", "many.yaml", "--table", "t.csv", code=1)
    Path("many.yaml").write_text(many.replace("KIND", "population"))
    run("check", "many.yaml", "--table", "t.csv")


@pytest.mark.slow
def test_the_schema_knows_samples() -> None:
    import jsonschema

    from discreet.policy.schema import policy_schema

    good = {"protect": [{"k": 3, "over": ["age"]}], "release": {"sample": "10%", "k_on": "population"}}
    jsonschema.validate(good, policy_schema())
    for bad in ({"sample": "10%", "k_on": "all"}, {"k_on": "population"}, {"sample": 10}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**good, "release": bad}, policy_schema())


def test_a_draw_that_does_not_fit_says_so() -> None:
    table = pl.DataFrame({"age": ["?"] * 199 + ["5"]})
    rules = policy("1%", k=1, missing=d.Missing(values=["?"], rows="value"))
    with pytest.raises(d.PolicyError, match="in the rows that were drawn the column has no number at all"):
        d.protect(table, rules, seed=1)
