"""The fast method equals the slow reference, step by step, and reproduces the papers' examples."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.watch import Watch
from discreet.encoded import Ints
from discreet.method.base.problem import ColumnCounts
from discreet.method.disclosure import plain_state
from discreet.planning.disclosing import Planner
from discreet.planning.find import find_plan
from discreet.planning.prepared import prepare
from discreet.policy import Inference
from discreet.table.source import open_table
from tests.conftest import load_golden
from tests.jobs import TREE, Job, bank, bank_policy, inferences, jobs, mixed_jobs, templates, two_templates
from tests.profiles import MANY
from tests.reference import disclosure as slow

USES: dict[type, slow.Use] = {
    d.Classify: "classify",
    d.Regress: "regress",
    d.Counts: "counts",
    d.General: "general",
}


def reference(job: Job) -> slow.Outcome:
    policy = job.policy
    promises = [
        slow.Template(p.given, p.column, p.value, p.at_most)
        if isinstance(p, Inference)
        else slow.KAnonymity(p.given, p.least_rows)
        for p in policy.promises()
    ]
    return slow.disclose(
        job.columns,
        job.rows,
        promises,
        use=USES[type(policy.use)],
        target=policy.target,
        always=True if policy.disclosure.disclose == "always" else None,
        kinds={name: _kind(column) for name, column in policy.columns.items()},
        missing=frozenset(policy.missing.values if policy.missing is not None else ()),
        split=policy.disclosure.split,
        inputs=policy.inputs,
    )


def _kind(column: d.Column) -> slow.Tree | slow.Number:
    if column.taxonomy is not None:
        ((label, below),) = TREE.items()
        return slow.Tree(_nested(label, below))
    return slow.Number(ends=column.ends, dates=column.type == "date")  # type: ignore[arg-type]


def _nested(label: str, below: object) -> Any:
    if isinstance(below, dict):
        return (label, tuple(_nested(*item) for item in below.items()))
    items = [item if isinstance(item, dict) else {item: None} for item in below or ()]  # type: ignore[attr-defined]
    return (label, tuple(_nested(*pair) for item in items for pair in item.items()))


def _canonical(text: str | None) -> str | None:
    """The reference writes numbers as the table does; there are two ways for two of them."""
    return None if text is None else re.sub(r"\b1e2\b", "100", re.sub(r"\b7\.0\b", "7", text))


@pytest.mark.slow
@MANY
@given(mixed_jobs())
def test_equals_the_reference_on_numbers_taxonomies_and_k(job: Job) -> None:
    try:
        expected = reference(job)
    except slow.Unsatisfiable as answer:
        with pytest.raises(d.ImpossiblePromise) as impossible:
            d.protect(job.frame, job.policy)
        assert sorted(share for _, share in impossible.value.least) == sorted(answer.least.values())
        return
    release = d.protect(job.frame, job.policy)
    plan = release.plan
    steps = [(step.column, step.value, step.kind, step.cut) for step in plan.steps]
    assert steps == [(s.column, _canonical(s.value), s.kind, _canonical(s.cut)) for s in expected.steps]
    for step, wanted in zip(plan.steps, expected.steps, strict=True):
        assert (step.score, step.gain, step.loss) == pytest.approx((wanted.score, wanted.gain, wanted.loss), abs=1e-9)
    assert release.audit.verification.truthful.answer is d.Answer.HOLDS
    again = d.Plan.from_json(plan.to_json())
    assert again == plan
    assert again.apply(job.frame).table.equals(release.table)  # type: ignore[attr-defined]


@pytest.mark.slow
@MANY
@given(jobs())
def test_equals_the_reference_on_random_tables(job: Job) -> None:
    try:
        expected = reference(job)
    except slow.Unsatisfiable as answer:
        with pytest.raises(d.ImpossiblePromise) as impossible:
            d.protect(job.frame, job.policy)
        found = {
            (frozenset(i.given), i.column, i.value, i.at_most): share
            for i, share in impossible.value.least
            if isinstance(i, Inference)
        }
        assert found == {(*t.pair, t.at_most): share for t, share in answer.least.items()}
        return
    plan = d.protect(job.frame, job.policy).plan
    assert [(step.column, step.value) for step in plan.steps] == [(s.column, s.value) for s in expected.steps]
    for step, wanted in zip(plan.steps, expected.steps, strict=True):
        assert (step.score, step.gain, step.loss) == pytest.approx((wanted.score, wanted.gain, wanted.loss), abs=1e-12)
    assert {r.column: set(r.hidden) for r in plan.recodings} == expected.suppressed


@given(jobs())
def test_every_hidden_value_has_a_true_reason(job: Job) -> None:
    """`kept` names a promise and counts above its limit; that showing the value breaks it is tested below."""
    try:
        plan = d.protect(job.frame, job.policy).plan
    except d.ImpossiblePromise:
        return
    assert [(k.column, k.value) for k in plan.kept] == [(r.column, v) for r in plan.recodings for v in r.hidden]
    for kept in plan.kept:
        if kept.requirement is None:
            assert kept.reason == "would not help the use"
        else:
            assert kept.hits is not None
            assert kept.rows is not None
            assert Fraction(kept.hits, kept.rows) > templates(job.policy)[kept.requirement].at_most


@given(jobs(), st.integers(0, 6))
def test_stopping_at_any_step_is_safe(job: Job, after: int) -> None:
    """Anytime: after n steps the release is the same prefix of decisions, and verifies."""
    try:
        whole = d.protect(job.frame, job.policy).plan.steps
    except d.ImpossiblePromise:
        return
    prepared = prepare(job.frame, job.policy)
    source = prepared.source
    plan = find_plan(prepared.task, Watch(lambda far: far.disclosed < after))
    assert plan.steps == whole[:after]
    if after < len(whole):
        assert not plan.complete
    assert d.verify(source.apply(plan).native(), job.policy, original=job.frame).truthful.answer is d.Answer.HOLDS
    for inference in inferences(job.policy):
        rows = source.apply(plan).native().rows()  # type: ignore[attr-defined]
        share = slow.confidence(job.columns, rows, inference.given, inference.column, inference.value)
        assert share <= inference.at_most


@pytest.mark.parametrize(
    "example", ["example2_infogain", "example2_distortion", "example3_infogain", "example3_distortion"]
)
def test_bank_examples_step_by_step(example: str) -> None:
    golden = load_golden("tdd_bank.json")[example]
    use = d.Classify("Rating") if example.endswith("infogain") else d.Counts()
    policy = bank_policy(use=use) if "example2" in example else two_templates(use=use)
    plan = d.protect(bank(), policy).plan
    assert [(s.column, s.value) for s in plan.steps] == [(s["attr"], s["value"]) for s in golden["trace"]]
    for step, wanted in zip(plan.steps, golden["trace"], strict=True):
        figures = (wanted["score"], wanted["infogain"], wanted["privloss"])
        assert (step.score, step.gain, step.loss) == pytest.approx(figures, abs=1e-12)
        assert (step.kind, step.cut) == ("disclose", None)
    assert {r.column: list(r.hidden) for r in plan.recodings} == golden["suppressed"]


def crx(data_dir: Path) -> pl.DataFrame:
    golden = load_golden("tdd_crx_topn.json")
    lines = [
        line.split(",")
        for part in ("crx.data", "crx.test")
        for line in (data_dir / "crx-split" / part).read_text().splitlines()
    ]
    names = [f"A{place}" for place in range(1, 16)] + ["class"]
    frame = pl.DataFrame([line for line in lines if "?" not in line], schema=names, orient="row")
    return frame.select(golden["columns"])


def crx_policy(run: dict[str, Any]) -> d.Policy:
    columns = list(dict.fromkeys(column for column, _ in run["pis"]))
    templates = [
        d.Template(given=run["qid"], infer={column: [v for c, v in run["pis"] if c == column]}, at_most=run["h"])
        for column in columns
    ]
    return d.Policy(use=d.Classify("class"), protect=templates)


@pytest.mark.parametrize("run", load_golden("tdd_crx_topn.json")["runs"], ids=lambda run: f"top{run['N']}-{run['h']}")
def test_crx_runs(run: dict[str, Any], data_dir: Path) -> None:
    table = crx(data_dir)
    policy = crx_policy(run)
    if run["status"] == "unsatisfiable":
        with pytest.raises(d.ImpossiblePromise) as impossible:
            d.protect(table, policy)
        least = sorted(
            (i.column, i.value or "", float(share)) for i, share in impossible.value.least if isinstance(i, Inference)
        )
        assert least == sorted(tuple(violated) for violated in run["violated"])
        return
    release = d.protect(table, policy)
    assert {r.column: sorted(v or "" for v in r.hidden) for r in release.plan.recodings} == run["suppressed"]
    largest = max(finding.worst.share for finding in release.audit.promises if finding.worst)
    assert float(largest) == pytest.approx(run["max_conf"], abs=1e-11)
    assert sum(release.audit.hidden_cells.values()) == run["cells_suppressed"]
    # Tied steps may come in another order: the scores, and so the set of steps, are the same.
    assert sorted((s.column, s.value) for s in release.plan.steps) == sorted(tuple(t[:2]) for t in run["trace"])
    assert [s.score for s in release.plan.steps] == pytest.approx([t[2] for t in run["trace"]], abs=1e-11)


@pytest.mark.parametrize("keep_all", [False, True])
@pytest.mark.parametrize("use", ["infogain", "distortion"])
def test_german_with_several_known_sets(use: str, keep_all: bool, data_dir: Path) -> None:
    golden = load_golden("tdd_misc.json")[f"german_multiQID_{use}{'_noRedundancyRemoval' if keep_all else ''}"]
    places = {
        "account-status": 1, "credit-history": 3, "loan-purpose": 4, "savings-account": 6, "employment": 7,
        "personal-status": 9, "debtors": 10, "property": 12, "installments": 14, "housing": 15, "job": 17,
        "telephone": 19, "foreign": 20, "class": 21,
    }  # fmt: skip
    lines = [line.split() for line in (data_dir / "german.data").read_text().splitlines()]
    table = pl.DataFrame({name: [line[place - 1] for line in lines] for name, place in places.items()})
    policy = d.Policy(
        use=d.Classify("class") if use == "infogain" else d.Counts(),
        protect=[d.Template(given=q, infer={c: v}, at_most=h) for q, c, v, h in golden["templates"]],
    )
    plan = Planner(prepare(table, policy).task, keep_all=keep_all).run(Watch())
    assert {r.column: list(r.hidden) for r in plan.recodings} == golden["suppressed"]
    assert [s.score for s in plan.steps] == pytest.approx([t[2] for t in golden["trace"]], rel=1e-10, abs=1e-11)
    assert sorted((s.column, s.value) for s in plan.steps) == sorted((t[0], t[1]) for t in golden["trace"])
    assert len(plan.redundant) == len(golden["dropped"]) == (0 if keep_all else 1)


def test_thresholds_beyond_64_bits_are_exact() -> None:
    """A share a hair below 1/2 forbids 1 of 2, however many digits the hair has."""
    table = pl.DataFrame({"job": ["a", "a", "b", "b"], "ill": ["yes", "no", "no", "no"]})
    hair = Fraction(1, 2) - Fraction(1, 10**40)
    for at_most, shown in ((Fraction(1, 2), True), (hair, False)):
        policy = d.Policy(use=d.Counts(), protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most=at_most)])
        plan = d.protect(table, policy).plan
        assert bool(plan.recodings[0].shown) is shown


@given(jobs(), st.sampled_from([None, d.Missing(rows="unknown")]))
def test_nothing_more_could_have_been_shown(job: Job, missing: d.Missing | None) -> None:
    """With `always`, showing any single further value breaks a promise: checked by the verifier alone."""
    use = d.Counts() if isinstance(job.policy.use, d.Classify) else job.policy.use
    try:
        policy = d.Policy(use=use, protect=list(job.policy.protect), missing=missing)
        plan = d.protect(job.frame, policy).plan
    except d.PolicyError:
        assert missing is not None  # a template on the missing value itself
        return
    except d.ImpossiblePromise:
        return
    for place, recoding in enumerate(plan.recodings):
        for value in recoding.hidden:
            more = replace(recoding, to=tuple((v, v if v == value else text) for v, text in recoding.to))
            bolder = replace(plan, recodings=(*plan.recodings[:place], more, *plan.recodings[place + 1 :]))
            released = open_table(job.frame, policy).apply(bolder).native()
            assert not d.verify(released, policy).holds


@pytest.mark.slow
def test_columns_with_very_many_values() -> None:
    """Above 65,536 values the codes need more room; the result is the same."""
    rows = 70_000
    table = pl.DataFrame({"id": [f"{n:06}" for n in range(rows)], "ill": ["yes"] + ["no"] * (rows - 1)})
    policy = d.Policy(use=d.Counts(), protect=[d.Template(given=["id"], infer={"ill": "yes"}, at_most="50%")])
    release = d.protect(table, policy, time_limit=0.5)
    assert all(kept.value != "000000" or kept.hits == 1 for kept in release.plan.kept)
    assert release.audit.verification.holds


@pytest.mark.parametrize("split", ["best", "best_valid"])
def test_adult_with_numbers(split: str, data_dir: Path) -> None:
    golden = load_golden("tdd_misc.json")[f"adult1000_continuous_h0.2_{split}"]
    names = {"age": 0, "workclass": 1, "sex": 9, "hours-per-week": 12, "marital-status": 5, "income": 14}
    lines = [line.split(", ") for line in (data_dir / "adult.data").read_text().splitlines()]
    rows = [line for line in lines if len(line) == 15 and "?" not in line][:1000]
    table = pl.DataFrame({name: [row[names[name]] for row in rows] for name in golden["columns"]})
    policy = d.Policy(
        use=d.Classify("income"),
        protect=[d.Template(given=q, infer={c: v}, at_most=h) for q, c, v, h in golden["templates"]],
        columns={name: d.Column(type="number") for name in golden["continuous"]},
        disclosure=d.Disclosure(split=split),
    )
    release = d.protect(table, policy)
    steps = [[s.column, (s.value or "").replace(" ", ""), s.cut] for s in release.plan.steps]
    assert steps == [[t[0], t[1], str(t[6])] for t in golden["trace"]]
    for step, wanted in zip(release.plan.steps, golden["trace"], strict=True):
        assert (step.score, step.gain, step.loss) == pytest.approx(tuple(wanted[2:5]), abs=1e-11)
    hidden = {r.column: list(r.hidden) for r in release.plan.recodings if not r.intervals}
    assert hidden == golden["suppressed"]
    cuts = {r.column: [float(i.start) for i in r.intervals if i.start] for r in release.plan.recodings if r.intervals}
    assert cuts == golden["cuts"]
    largest = max(finding.worst.share for finding in release.audit.promises if finding.worst)
    assert float(largest) == pytest.approx(golden["max_conf"], abs=1e-11)


@given(mixed_jobs(), st.integers(0, 6))
def test_stopping_at_any_step_is_safe_with_numbers_taxonomies_and_k(job: Job, after: int) -> None:
    """After n steps the release has the same first n decisions, is true and keeps every promise."""
    try:
        whole = d.protect(job.frame, job.policy).plan
    except d.ImpossiblePromise:
        return
    stopped = d.protect(job.frame, job.policy, progress=lambda progress: progress.disclosed < after)
    assert stopped.plan.steps == whole.steps[:after]
    assert stopped.plan.complete == (after >= len(whole.steps))
    assert stopped.plan.detail <= whole.detail + 1e-9
    if not stopped.plan.complete:
        assert any(kept.reason == "the search was stopped before" for kept in stopped.plan.kept)


@given(mixed_jobs())
def test_reasons_name_a_promise_that_telling_more_would_break(job: Job) -> None:
    """`kept` names the promise and counts beyond its limit; what is not told and has no reason could not be told."""
    try:
        plan = d.protect(job.frame, job.policy).plan
    except d.ImpossiblePromise:
        return
    for kept in plan.kept:
        if kept.requirement is None:
            assert kept.reason in ("would not help the use", "is no input of the use")
            assert isinstance(job.policy.use, d.Classify)
            continue
        assert kept.hits is not None
        assert kept.rows is not None
        requirement = job.policy.protect[kept.requirement]
        if isinstance(requirement, d.KAnonymity):
            assert (kept.hits, kept.infers) == (1, None)
            assert kept.rows < requirement.k
        else:
            assert isinstance(requirement, d.Template)
            assert Fraction(kept.hits, kept.rows) > requirement.at_most


@given(jobs() | mixed_jobs())
def test_values_with_the_same_counts_are_reckoned_with_once(job: Job) -> None:
    """The steps are those that come out if each value is looked at by itself, to the last bit."""

    def each(column: ColumnCounts) -> tuple[Ints, Ints]:
        own = np.arange(column.space.size)
        return own, own

    found = []
    for alike in (plain_state._alike, each):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plain_state, "_alike", alike)
            try:
                found.append(find_plan(prepare(job.frame, job.policy).task, Watch()))
            except d.ImpossiblePromise:
                return
    assert found[0] == found[1]
