"""Persons with several rows, end to end: what every search releases and what verification says, beside the reference.

The reference (`tests/reference/promises.py`) is written for persons and knows nothing of discreet.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import jsonschema
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.audit.schema import audit_schema
from tests.profiles import FEW, MANY
from tests.reference.closeness import Close
from tests.reference.promises import (
    AtLeast,
    Diverse,
    Infer,
    Reading,
    Row,
    SeveralValues,
    kept,
    persons,
    persons_in_rows,
)

HALF, MOST = Fraction(1, 2), Fraction(2, 3)
OVER = ("q", "r")
UNKNOWN = {"rows": "unknown", "values": ["?"]}
READINGS = {"s": Reading(silent=frozenset({"?"}))}
ASKED: list[tuple[Any, Any]] = [
    (d.KAnonymity(k=2, over=OVER), AtLeast(OVER, 2)),
    (d.KAnonymity(k=3, over=["q"]), AtLeast(("q",), 3)),
    (d.Template(given=OVER, infer={"s": "x"}, at_most=HALF), Infer(OVER, "s", "x", at_most=HALF)),
    (d.Template(given=OVER, infer={"s": d.Any()}, at_most=MOST), Infer(OVER, "s", at_most=MOST)),
    (d.Template(given=OVER, infer={"s": d.Not("x")}, at_most=MOST), Infer(OVER, "s", "x", at_most=MOST, absent=True)),
    (d.Template(given=OVER, infer={"s": "x"}, at_most="2x"), Infer(OVER, "s", "x", times=Fraction(2))),
    (d.Template(given=OVER, infer={"s": d.Any()}, at_most="2x"), Infer(OVER, "s", times=Fraction(2))),
]
ONE_VALUE: list[tuple[Any, Any]] = [
    (d.LDiversity(l=2, of="s", over=OVER), Diverse(OVER, "s", Fraction(2))),
    (d.LDiversity(l=2, of="s", over=OVER, kind="entropy"), Diverse(OVER, "s", Fraction(2), "entropy")),
    (d.TCloseness(t="40%", of="s", over=OVER, distance="equal"), Close(OVER, "s", Fraction(2, 5))),
]


def visits(*rows: str) -> list[Row]:
    """Rows of four letters: who, two that are known, one that is secret."""
    return [dict(zip(("who", "q", "r", "s"), row, strict=True)) for row in rows]


def table_of(rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame([dict(row) for row in rows], schema=dict.fromkeys(("who", "q", "r", "s"), pl.String))


@st.composite
def some_rows(draw: st.DrawFn, *, constant: bool, one_value: bool = False) -> list[Row]:
    """Up to eight persons with up to three rows each, all letters there so that policies fit."""
    rows = visits("1aex", "2bfy", "3afz")
    people = draw(st.integers(3, 8))
    for person in range(people):
        own = draw(st.tuples(st.sampled_from("abc"), st.sampled_from("ef"), st.sampled_from("xyz?")))
        for _ in range(draw(st.integers(1, 3))):
            q, r, s = draw(st.tuples(st.sampled_from("abc"), st.sampled_from("ef"), st.sampled_from("xyz?")))
            known = own[:2] if constant else (q, r)
            rows.append({"who": f"{person}", "q": known[0], "r": known[1], "s": own[2] if one_value else s})
    if constant or one_value:
        first = {row["who"]: row for row in reversed(rows)}
        names = ("q", "r") * constant + ("s",) * one_value
        rows = [{**row, **{name: first[row["who"]][name] for name in names}} for row in rows]
    return rows


def policy_of(asked: Any, unit: object, **said: Any) -> d.Policy:
    return d.Policy.model_validate({"protect": [asked], "unit": unit, "missing": UNKNOWN, **said})


def released(release: d.Release, rows: Sequence[Row]) -> list[Row]:
    """The rows of a release, with whose they are by their numbers."""
    numbers = release.engine.numbers()
    lines = release.table.iter_rows(named=True)  # type: ignore[attr-defined]
    return [{**line, "who": rows[number - 1]["who"]} for number, line in zip(numbers.tolist(), lines, strict=True)]


def hidden(rows: Sequence[Row]) -> list[Row]:
    return [{**row, "q": "*", "r": "*"} for row in rows]


SEARCHES: list[dict[str, Any]] = [
    {},
    {"search": "disclosure"},
    {"search": "coordinate"},
    {"search": "exact"},
    {"search": "genetic", "genetic": {"population": 10, "iterations": 30}},
    {"recoding": "local"},
]


@FEW
@given(some_rows(constant=True), st.sampled_from(ASKED), st.sampled_from(SEARCHES), st.booleans(), st.booleans())
def test_every_search_keeps_promises_of_persons(
    rows: list[Row], asked: tuple[Any, Any], search: dict[str, Any], counts: bool, removes: bool
) -> None:
    """Whatever is released keeps the promise; and something is released exactly if everything hidden keeps it."""
    said, promise = asked
    removes = removes and search.get("search") in ("coordinate", "exact")
    more = {**search, **({"suppress": {"rows": "remove"}} if removes else {})}
    policy = policy_of(said, {"id": "who", **({} if counts else {"rows": "unknown"})}, **more)
    possible = kept(persons(hidden(rows), "who"), promise, READINGS, counts=counts)
    try:
        release = d.protect(table_of(rows), policy, seed=1)
    except d.PromiseError:
        assert removes or not possible
        return
    assert possible or removes
    found = released(release, rows)
    assert kept(persons(found, "who"), promise, READINGS, counts=counts)
    for person in persons(found, "who"):  # whole, and all rows alike
        assert len(person) == sum(row["who"] == person[0]["who"] for row in rows)
        assert len({(row["q"], row["r"]) for row in person}) == 1
    assert d.verify(release.table, policy, table_of(rows), order=release.plan.order).holds


@FEW
@given(some_rows(constant=False), st.sampled_from(ASKED), st.booleans(), st.booleans(), st.booleans())
def test_rows_that_differ_keep_promises_of_persons(
    rows: list[Row], asked: tuple[Any, Any], counts: bool, removes: bool, discloses: bool
) -> None:
    said, promise = asked
    removes = removes and not discloses
    more = {"suppress": {"rows": "remove"}} if removes else {}
    search = "disclosure" if discloses else "coordinate"
    policy = policy_of(said, {"id": "who", **({} if counts else {"rows": "unknown"})}, search=search, **more)
    possible = kept(persons(hidden(rows), "who"), promise, READINGS, counts=counts)
    try:
        release = d.protect(table_of(rows), policy, seed=1)
    except d.PromiseError:
        assert removes or not possible
        return
    assert possible or removes
    assert kept(persons(released(release, rows), "who"), promise, READINGS, counts=counts)
    again = release.plan.apply(table_of(rows), policy=policy)
    assert kept(persons(released(again, rows), "who"), promise, READINGS, counts=counts)


@FEW
@given(some_rows(constant=False), st.integers(2, 4), st.booleans())
def test_enough_persons_are_behind_every_row(rows: list[Row], k: int, removes: bool) -> None:
    """Who knows one row: the different persons in each group of rows, counted again after suppression."""
    more = {"suppress": {"rows": "remove"}} if removes else {}
    policy = policy_of(d.KAnonymity(k=k, over=OVER), {"id": "who", "knows": "one_row"}, **more)
    enough = len({row["who"] for row in rows}) >= k
    try:
        release = d.protect(table_of(rows), policy, seed=1)
    except d.PromiseError:
        assert removes or not enough
        return
    found = released(release, rows)
    assert min(persons_in_rows(found, "who", OVER).values()) >= k
    for person in persons(found, "who"):
        assert len(person) == sum(row["who"] == person[0]["who"] for row in rows)
    assert d.verify(release.table, policy, table_of(rows), order=release.plan.order).holds


@FEW
@given(some_rows(constant=True, one_value=True), st.sampled_from(ONE_VALUE))
def test_spread_of_one_value_a_person(rows: list[Row], asked: tuple[Any, Any]) -> None:
    said, promise = asked
    possible = kept(persons(hidden(rows), "who"), promise, READINGS)
    try:
        release = d.protect(table_of(rows), policy_of(said, "who"), seed=1)
    except d.PromiseError:
        assert not possible
        return
    assert kept(persons(released(release, rows), "who"), promise, READINGS)


@pytest.mark.slow
@MANY
@given(
    some_rows(constant=False),
    st.sampled_from(ASKED + ONE_VALUE),
    st.fixed_dictionaries({letter: st.booleans() for letter in "abcef"}),
    st.booleans(),
)
def test_verification_says_what_the_reference_says(
    rows: list[Row], asked: tuple[Any, Any], shown: dict[str, bool], counts: bool
) -> None:
    """Any table with hidden values as the release: holds where the reference says so, broken elsewhere."""
    said, promise = asked
    policy = policy_of(said, {"id": "who", **({} if counts else {"rows": "unknown"})})
    hides = {name for name in OVER if name in promise.over}
    told = [{**row, **{name: row[name] if shown[str(row[name])] else "*" for name in hides}} for row in rows]
    found = d.verify(table_of(told).drop("who"), policy, table_of(rows))
    try:
        expected = kept(persons(told, "who"), promise, READINGS, counts=counts)
    except SeveralValues:
        expected = False
    answers = {finding.answer for finding in found.requirements}
    assert answers == {d.Answer.HOLDS if expected else d.Answer.BROKEN}
    assert found.truthful.answer is d.Answer.HOLDS


# A table of visits


def patients(each: int = 10) -> pl.DataFrame:
    """6 patients with so many visits, each from a town of her own: every group of rows has ten, and is one person."""
    rows = [(f"p{who}", f"T{who}", ["flu", "HIV"][who % 2 and visit > 3]) for who in range(6) for visit in range(each)]
    return pl.DataFrame(rows, schema=["patient_id", "town", "illness"], orient="row")


def test_a_table_of_visits_is_truly_protected() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])], unit="patient_id")
    release = d.protect(patients(), policy)
    (finding,) = release.audit.promises
    assert (finding.promise, str(finding.worst)) == (
        "town: at least 3 persons alike", "the smallest group has 6 persons",
    )  # fmt: skip
    assert not [warning for warning in release.audit.warnings if "rows of" in warning]
    table = release.table
    assert isinstance(table, pl.DataFrame)
    assert "patient_id" not in table.columns
    by_rows = d.protect(patients(), d.Policy(protect=[d.KAnonymity(k=10, over=["town"])], columns={
        "patient_id": d.Column(role="identifier")}))  # fmt: skip
    assert not d.verify(by_rows.table, policy, patients()).holds  # which looked safe by rows
    assert any("write unit: patient_id" in warning for warning in by_rows.audit.warnings)


def test_more_persons_than_there_are_cannot_be_promised() -> None:
    with pytest.raises(d.ImpossiblePromise, match="at least 7 persons alike cannot be kept: .* has 6 persons"):
        d.protect(patients(), d.Policy(protect=[d.KAnonymity(k=7, over=["town"])], unit="patient_id"))


def test_who_has_it_in_one_visit_has_it() -> None:
    """Every second patient has HIV in some visits: half of the persons, though fewer rows."""
    template = d.Template(given=["town"], infer={"illness": "HIV"}, at_most="45%")
    d.protect(patients(), d.Policy(protect=[template]))
    with pytest.raises(d.ImpossiblePromise, match=r"1/2 \(50%\)"):
        d.protect(patients(), d.Policy(protect=[template], unit="patient_id"))


def test_suppression_is_a_share_of_persons() -> None:
    """One person is alone with her number of visits: 1 of 7 persons, though 50 of 110 rows."""
    rows = pl.concat([patients(), patients(50).filter(pl.col("patient_id") == "p0").with_columns(
        pl.lit("p9").alias("patient_id"))])  # fmt: skip
    said = {"protect": [d.KAnonymity(k=2, over=["town"])], "unit": "patient_id", "search": "coordinate"}
    limit = {"rows": "remove", "limit": "15%"}
    release = d.protect(rows, d.Policy.model_validate({**said, "suppress": limit}))
    assert (release.audit.rows, release.audit.removed) == (60, 50)
    with pytest.raises(d.TooManySuppressed, match="of 7 persons"):
        d.protect(rows, d.Policy.model_validate({**said, "suppress": {**limit, "limit": "10%"}}))


def test_a_sample_draws_persons() -> None:
    said = {"protect": [d.KAnonymity(k=2, over=["town"])], "unit": "patient_id", "release": {"sample": "50%"}}
    policy = d.Policy.model_validate(said)
    release = d.protect(patients(), policy, seed=1)
    assert release.audit.rows == 30
    assert "3 of 6 persons" in (release.audit.sample.in_words(crowds=True) if release.audit.sample else "")
    assert d.verify(release.table, policy, patients(), order=release.plan.order).holds
    assert release.plan.order is not None
    parted = [*release.plan.order[1:], next(n for n in range(1, 61) if n not in release.plan.order)]
    found = d.verify(release.table, policy, patients(), order=parted)
    assert not found.holds  # a row of a person who was not drawn


def test_a_missing_row_is_dropped_and_said() -> None:
    rows = patients().with_columns(
        pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise(pl.col("illness")).alias("illness")
    )
    said = {"protect": [d.KAnonymity(k=2, over=["town"])], "unit": {"id": "patient_id", "rows": "unknown"}}
    release = d.protect(rows, d.Policy.model_validate({**said, "missing": {"rows": "drop"}}))
    assert (release.audit.rows, release.audit.dropped) == (59, 1)


def test_whose_rows_they_are_is_not_guessed() -> None:
    """Without the original, or where rows are missing and nobody says which, persons cannot be counted."""
    policy = d.Policy.model_validate(
        {"protect": [d.KAnonymity(k=2, over=["town"])], "unit": "patient_id", "release": {"sample": "50%"}}
    )
    release = d.protect(patients(), policy, seed=1)
    for original in (None, patients()):
        (finding,) = d.verify(release.table, policy, original).requirements
        assert finding.answer is d.Answer.NOT_CHECKABLE
        assert "give" in (finding.reason or "")
    shuffled = d.Policy.model_validate({**policy.to_dict(), "release": None, "shuffle": True})
    release = d.protect(patients(), shuffled)
    assert not d.verify(release.table, shuffled, patients()).holds
    assert d.verify(release.table, shuffled, patients(), order=release.plan.order).holds


# Tokens


def token_policy(**said: Any) -> d.Policy:
    columns = {"patient_id": {"role": "identifier", "release": "token"}}
    return d.Policy.model_validate(
        {"protect": [{"k": 3, "over": ["town"]}], "unit": "patient_id", "columns": columns, **said}
    )


def test_a_token_links_the_rows_of_a_person_and_tells_nothing_else() -> None:
    rows, policy = patients(), token_policy()
    release, again = (d.protect(rows, policy, seed=1) for _ in range(2))
    table = release.table
    assert isinstance(table, pl.DataFrame)
    tokens = table.get_column("patient_id")
    pairs = pl.DataFrame({"id": rows.get_column("patient_id"), "token": tokens}).unique()
    assert pairs.height == pairs["id"].n_unique() == pairs["token"].n_unique() == 6
    other = again.table
    assert isinstance(other, pl.DataFrame)
    assert not set(tokens) & set(other.get_column("patient_id"))  # whatever the seed
    kept_apart = release.plan.to_json() + release.audit.to_json()
    assert not any(token in kept_apart for token in tokens.unique())
    assert d.verify(table, policy, rows).holds
    assert d.verify(table, policy).requirements[0].answer is d.Answer.HOLDS  # the token says whose rows they are


def test_tokens_that_part_a_person_or_are_none_are_found() -> None:
    rows, policy = patients(), token_policy()
    table = d.protect(rows, policy).table
    assert isinstance(table, pl.DataFrame)
    ones = pl.Series("patient_id", [f"t{n}" for n in range(60)])
    found = d.verify(table.with_columns(ones), policy, rows)
    assert any("not one to one" in problem for problem in found.truthful.problems)
    found = d.verify(table.with_columns(rows.get_column("patient_id")), policy, rows)
    assert any("has values of the original" in problem for problem in found.truthful.problems)


@pytest.mark.slow
def test_tokens_do_not_follow_the_order_of_rows_or_ids() -> None:
    """Of six persons in their order, tokens come in any order: 40 drawings are hardly ever all sorted alike."""
    orders = set()
    for _ in range(40):
        table = d.protect(patients(1).with_columns(pl.lit("T").alias("town")), token_policy()).table
        assert isinstance(table, pl.DataFrame)
        orders.add(tuple(table.get_column("patient_id").arg_sort().to_list()))
    assert len(orders) > 20


# Plans, engines and audits


def test_a_plan_is_used_again_on_other_persons() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])], unit="patient_id")
    plan = d.Plan.from_json(d.protect(patients(), policy).plan.to_json())
    assert plan.apply(patients(4), policy=policy).audit.rows == 24
    few = patients().filter(pl.col("patient_id").is_in(["p0", "p1"]))
    with pytest.raises(d.PromiseError, match="persons"):
        plan.apply(few, policy=policy)
    strange = patients().with_columns(pl.lit("elsewhere").alias("town"))
    assert plan.apply(strange, policy=policy).audit.suppressed == 60


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
@pytest.mark.parametrize("rows", ["mask", "remove"])
def test_large_engines_release_the_same(engine: str, rows: str, tmp_path: Any) -> None:
    people = [(f"p{i}", "ab"[i % 2], str(i % 5), "xy"[(i + v) % 2]) for i in range(30) for v in range(1 + i % 3)]
    path = tmp_path / "rows.csv"
    pl.DataFrame(people, schema=["who", "q", "r", "s"], orient="row").write_csv(path)
    policy = d.Policy.model_validate(
        {"protect": [{"k": 2, "over": ["q", "r"]}], "unit": "who", "suppress": {"rows": rows}}
    )
    found = [d.protect(path, policy, engine=each, seed=1) for each in ("local", engine)]
    one, other = (release.audit for release in found)
    assert (one.rows, one.suppressed, one.removed) == (other.rows, other.suppressed, other.removed)
    tables = []
    for place, release in enumerate(found):
        release.write(tmp_path / f"{place}.csv")
        tables.append((tmp_path / f"{place}.csv").read_bytes())
    assert tables[0] == tables[1]
    columns = {"who": {"role": "identifier", "release": "token"}}
    tokens = d.Policy.model_validate({**policy.to_dict(), "columns": columns})
    d.protect(path, tokens, engine=engine, seed=1).write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text().count("*") == (tmp_path / "0.csv").read_text().count("*")
    told = pl.read_csv(tmp_path / "t.csv", infer_schema=False)
    assert told.drop("who").equals(pl.read_csv(tmp_path / "0.csv", infer_schema=False))
    assert not set(told["who"]) & {who for who, *_ in people}
    if rows == "mask":
        whose = pl.DataFrame({"id": [who for who, *_ in people], "token": told["who"]}).unique()
        assert whose.height == whose["id"].n_unique() == whose["token"].n_unique() == 30
        assert d.verify(tmp_path / "t.csv", tokens, path, engine=engine).holds
    else:
        assert d.verify(tmp_path / "t.csv", tokens, engine=engine).requirements[0].answer is d.Answer.HOLDS


@pytest.mark.slow
def test_an_audit_attacks_persons() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])], unit="patient_id")
    audit = d.protect(patients(), policy).attack(seed=1)
    assert audit.attacks is not None
    (attack,) = [one for one in audit.attacks.found if one.name == "person"]
    assert (attack.released.right, attack.released.tries) == (1.0, 6)
    assert attack.original is not None
    assert attack.original.right == 6.0
    jsonschema.Draft202012Validator(audit_schema()).validate(json.loads(audit.to_json()))
    (risk,) = audit.risk or ()
    assert (risk.promise, risk.rows_after) == ("town: at least 3 persons alike", 6)
    # without a unit an identifier that repeats is attacked by, too
    columns = {"patient_id": d.Column(role="identifier")}
    audit = d.protect(patients(), d.Policy(protect=[d.KAnonymity(k=10, over=["town"])], columns=columns)).attack(seed=1)
    assert audit.attacks is not None
    (attack,) = [one for one in audit.attacks.found if one.name == "person"]
    assert attack.released.right == 6.0
    assert any("persons stand alone" in warning for warning in audit.all_warnings)


def policy_with(policy: d.Policy, k: int) -> d.Policy:
    return policy.model_copy(update={"protect": (d.KAnonymity(k=k, over=["town"]),)})


def test_thresholds_are_compared_by_persons() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])], unit="patient_id")
    points = d.frontier(patients(), policy, [6, 7]).points
    assert [point.possible for point in points] == [True, False]
    rows = patients(2).with_columns(
        (pl.int_range(pl.len()) % 4).cast(pl.String).alias("town")
    )  # towns of a person differ
    points = d.frontier(rows, policy, [3, 6, 7]).points
    assert [(point.possible, point.largest) for point in points] == [
        (True, Fraction(1, 3)), (True, Fraction(1, 6)), (False, None),
    ]  # fmt: skip
    assert points[0].detail == d.protect(rows, policy_with(policy, 3)).audit.detail == 1.0
    assert points[2].least == Fraction(1, 6)


# An adversary


@FEW
@given(some_rows(constant=False))
def test_who_knows_all_rows_finds_no_fewer_than_k(rows: list[Row]) -> None:
    """Nobody whose recoded rows, and their number, fit a person's finds fewer than k persons."""
    try:
        release = d.protect(table_of(rows), policy_of(d.KAnonymity(k=2, over=OVER), "who"), seed=1)
    except d.PromiseError:
        return
    found = persons(released(release, rows), "who")
    for person in found:
        own = sorted((str(row["q"]), str(row["r"])) for row in person)
        assert sum(sorted((str(row["q"]), str(row["r"])) for row in other) == own for other in found) >= 2
