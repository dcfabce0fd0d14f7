"""Blind protection of several releases about the same people: it starts from what earlier releases told of them."""

from __future__ import annotations

import json
import random
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.folder import opened
from discreet.verification.answers import Answer
from tests.ledger.test_cells_over_time import made_by
from tests.profiles import FEW
from tests.reference.blind import BlindTable, Item
from tests.reference.blind_before import Release as Tellings
from tests.reference.blind_before import Telling, ToldAgain, tell_before

SECRET = ("p0", "p1", "p2", "p3")
CELLS = {"column": "ill", "ids": {"column": "id", "values": list(SECRET)}, "at_most": "60%", "rehearse": False}
BLIND = {"protect": [CELLS]}
TOGETHER = "what can be inferred from several releases together"


def patients(seed: int = 3, rows: int = 230) -> pl.DataFrame:
    """Return people of whom age and job tell the illness: a little each, and both together much."""
    draw, people = random.Random(seed), []
    for who in range(rows):
        ill = draw.choice(["flu", "cold", "none"])
        age = {"flu": "young", "cold": "old", "none": "mid"}[ill] if draw.random() < 0.3 else draw.choice(AGES)
        job = {"flu": "cook", "cold": "clerk", "none": "nurse"}[ill] if draw.random() < 0.3 else draw.choice(JOBS)
        people.append([f"p{who}", ill, age, job, draw.choice("xyz")])
    found = pl.DataFrame(people, schema=["id", "ill", "age", "job", "town"], orient="row")
    return with_cells(found, {("p0", "age"): "young", ("p0", "job"): "cook", ("p0", "ill"): "flu"})


AGES, JOBS = ["young", "mid", "old"], ["cook", "clerk", "nurse"]


def with_cells(table: pl.DataFrame, cells: dict[tuple[str, str], str]) -> pl.DataFrame:
    """Return a table with other texts in some cells, by person and column."""
    for (person, column), text in cells.items():
        table = table.with_columns(pl.when(pl.col("id") == person).then(pl.lit(text)).otherwise(column).alias(column))
    return table


def made(tmp: Path, table: pl.DataFrame, policy: dict[str, Any] = BLIND) -> d.Release:
    return d.protect(table, policy, ledger=tmp / "ledger", person="id", seed=1)


def publish(tmp: Path, name: str, table: pl.DataFrame, policy: dict[str, Any] = BLIND) -> d.Release:
    release = made(tmp, table, policy)
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


def first(policy: dict[str, Any] = BLIND, **more: Any) -> dict[str, Any]:
    """Return a policy with more said of its cells."""
    return {**policy, "protect": [{**policy["protect"][0], **more}]}


def row_of(release: d.Release, place: int = 0) -> dict[str, str]:
    assert isinstance(release.table, pl.DataFrame)
    return release.table.row(place, named=True)


def text_of(release: d.Release) -> str:
    assert isinstance(release.table, pl.DataFrame)
    assert release.statement is not None
    return release.table.write_csv() + release.statement.to_json()


def surest(rest: pl.DataFrame, facts: dict[str, str]) -> Fraction:
    """Return how sure the attacker is of a value who counts the other rows that agree with all he knows."""
    alike = rest.filter(pl.all_horizontal([pl.lit(True), *(pl.col(name) == text for name, text in facts.items())]))
    shares = rest.group_by("ill").len().rows()
    counts = dict(alike.group_by("ill").len().rows())
    found = [(counts.get(ill, 0) + Fraction(10 * rows, rest.height)) / (alike.height + 10) for ill, rows in shares]
    return Fraction(max(found))


def linked(releases: list[d.Release], person: int = 0) -> dict[str, str]:
    """Return all that somebody knows who puts the rows of a person beside each other: the attack."""
    known: dict[str, str] = {}
    for release in releases:
        known |= {name: text for name, text in row_of(release, person).items() if text != "*"}
    return known


BY_AGE, BY_JOB = first(order=["age"], blocks="none"), first(order=["job"], blocks="none")


def test_who_links_age_from_one_release_and_job_from_another_is_no_surer_than_the_limit(tmp_path: Path) -> None:
    table = patients()
    rest = table.filter(~pl.col("id").is_in(SECRET)).drop("id")
    one = publish(tmp_path, "one.csv", table, BY_AGE)
    assert one.audit.verification.holds
    alone = d.protect(table.drop("id"), {"protect": [{**BY_JOB["protect"][0], "ids": None, "rows": [1, 2, 3, 4]}]})
    assert (row_of(one)["age"], row_of(one)["job"]) == ("young", "*")
    assert (row_of(alone)["age"], row_of(alone)["job"]) == ("*", "cook")
    assert surest(rest, linked([one, alone])) > Fraction(3, 5), "without the ledger the attack works"
    two = publish(tmp_path, "two.csv", table, BY_JOB)
    assert surest(rest, linked([one, two])) <= Fraction(3, 5)
    assert row_of(two)["job"] == "*"
    joint = two.audit.verification.joint
    assert joint is not None
    assert joint.holds
    assert TOGETHER not in two.audit.not_covered
    assert any("learns from the other rows of an earlier release" in text for text in two.audit.not_covered)


def test_it_is_verified_with_the_ledger_and_not_without(tmp_path: Path) -> None:
    table = patients()
    publish(tmp_path, "one.csv", table, BY_AGE)
    second = publish(tmp_path, "two.csv", table, BY_JOB)
    asked: dict[str, Any] = {"original": table, "ledger": tmp_path / "ledger", "person": "id"}
    assert d.verify(tmp_path / "two.csv", BY_JOB, **asked).holds
    assert d.verify(tmp_path / "one.csv", BY_AGE, **asked).holds, "what came later does not count for the first"
    without = d.verify(tmp_path / "two.csv", BY_JOB, original=table).requirements[0]
    assert (without.answer, "one.csv" in str(without.reason)) == (Answer.NOT_CHECKABLE, True)
    assert second.statement is not None
    lying = json.loads(second.statement.to_json())
    del lying["earlier"]
    lying["form"] = 1
    said = d.verify(second.table, BY_JOB, statement=lying, **asked).requirements[0]
    assert "starts from other earlier releases" in str(said.reason)
    audit = d.audit_release(
        tmp_path / "two.csv", BY_JOB, table, ledger=tmp_path / "ledger", person="id", time_limit=0.0001
    )
    assert audit.verification.requirements[0].answer is Answer.HOLDS


@pytest.mark.parametrize(("column", "text"), [("job", "cook"), ("age", "*")])
def test_a_cell_that_is_told_otherwise_than_the_rules_say_is_found(tmp_path: Path, column: str, text: str) -> None:
    table = patients()
    publish(tmp_path, "one.csv", table, BY_AGE)
    second = made(tmp_path, table, BY_JOB)
    assert isinstance(second.table, pl.DataFrame)
    wrong = second.table.with_columns(
        pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(text)).otherwise(column).alias(column)
    )
    found = d.verify(
        wrong, BY_JOB, original=table, statement=second.statement, ledger=tmp_path / "ledger", person="id"
    ).requirements[0]
    assert found.answer is Answer.BROKEN


@pytest.mark.slow
def test_other_secrets_and_other_hidden_cells_give_the_same_releases(tmp_path: Path) -> None:
    """P1 and P2: what is told of a row follows from the rest, from what was told before, and from what is told."""
    table, draw = patients(), random.Random(4)
    later = with_cells(table, {("p1", "job"): "nurse", ("p2", "town"): "y", ("p30", "job"): "cook"})
    before = publish(tmp_path, "one.csv", table), publish(tmp_path, "two.csv", later)
    hidden = [
        (place, name) for place in range(4) for name in ("age", "job", "town") if row_of(before[1], place)[name] == "*"
    ]
    told = {(person, column): block for person, column, block in stars(tmp_path, "two.csv", table)}
    assert hidden
    for turn in range(3):
        folder = tmp_path / f"again {turn}"
        folder.mkdir()
        other = {(who, "ill"): draw.choice(["flu", "cold", "none", "rare"]) for who in SECRET}
        one = publish(folder, "one.csv", with_cells(table, other))
        unasked = {
            (f"p{place}", name): draw.choice(AGES + JOBS) for place, name in hidden if (f"p{place}", name) not in told
        }
        two = made(folder, with_cells(later, {**other, **unasked}))
        assert (text_of(one), text_of(two)) == (text_of(before[0]), text_of(before[1]))


def stars(tmp: Path, name: str, table: pl.DataFrame) -> list[tuple[str, str, Any]]:
    """Return what the ledger knows that stars tell of the four: person, column, block."""
    found = []
    with opened(tmp / "ledger") as folder:
        release = folder.read(folder.entry(name))
        names = folder.secret.names(list(SECRET)).to_list()
    for row in release.people.iter_rows(named=True):
        for place, column in enumerate(release.columns):
            if row["person"] in names and row.get(f"b{place}") is not None:
                found.append((SECRET[names.index(row["person"])], column, json.loads(row[f"b{place}"])))
    return found


def test_a_value_is_told_again_while_it_is_the_same_and_a_star_says_that_it_changed(tmp_path: Path) -> None:
    table = patients(24)
    assert row_of(publish(tmp_path, "one.csv", table))["job"] == "cook"
    assert row_of(made(tmp_path, table))["job"] == "cook"
    changed = with_cells(table, {("p0", "job"): "clerk"})
    assert row_of(publish(tmp_path, "two.csv", changed))["job"] == "*"
    said = [block for person, column, block in stars(tmp_path, "two.csv", table) if (person, column) == ("p0", "job")]
    assert [(block["not"], block["texts"]) for block in said] == [(True, ["cook"])]
    asked: dict[str, Any] = {"original": changed, "ledger": tmp_path / "ledger", "person": "id"}
    assert d.verify(tmp_path / "two.csv", BLIND, **asked).holds
    hidden = pl.read_csv(tmp_path / "two.csv").with_columns(
        job=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("clerk")).otherwise("job")
    )
    stated = tmp_path / "two.csv.method.json"
    found = d.verify(hidden, BLIND, statement=stated, **asked).requirements[0]
    assert found.answer is Answer.BROKEN, "a job that changed is not told"


@pytest.mark.slow
def test_another_engine_makes_the_same_releases_and_ledger(tmp_path: Path) -> None:
    changed = with_cells(patients(24), {("p0", "job"): "clerk"})
    turns = [(patients(24), BLIND), (changed, BLIND), (changed, BLIND)]
    local, duckdb = (made_by(engine, tmp_path / engine, turns) for engine in ("local", "duckdb"))
    assert local == duckdb


def test_where_too_much_was_told_before_the_row_fails(tmp_path: Path) -> None:
    table = patients()
    plain = {"protect": [{**CELLS, "column": "town"}]}
    publish(tmp_path, "one.csv", table.drop("ill"), plain)  # tells age and job: no illness was there
    with pytest.raises(d.UnprotectedCells, match="what earlier releases of a ledger told"):
        made(tmp_path, table, {"protect": [CELLS, {**CELLS, "column": "town"}]})
    removing = [{**CELLS, "on_failure": "remove"}, {**CELLS, "column": "town", "on_failure": "remove"}]
    left = made(tmp_path, table, {"protect": removing})
    assert isinstance(left.table, pl.DataFrame)
    assert left.table.height < table.height
    assert left.audit.verification.holds


# What may have looked at the cells, or tells what nobody can reckon with


OTHERS = {"column": "town", "ids": {"column": "id", "values": ["p200"]}, "against": ["naive_bayes"], "method": "decp"}
ORDINARY = {"protect": [OTHERS]}
GROUPS = {"protect": [{"k": 2, "over": ["town"]}]}


@pytest.mark.parametrize(
    ("policy", "later", "why"),
    [
        (ORDINARY, BLIND, "a method that looks at them"),
        (GROUPS, BLIND, "one.csv has some"),
        (first(column="town"), {"protect": [*GROUPS["protect"], CELLS]}, "the policy has some"),
        (first(column="town"), first(references=["naive_bayes", "count", "kernel"]), "kernel is not known"),
    ],
)
def test_refused_beside_releases_that_may_have_looked(tmp_path: Path, policy: Any, later: Any, why: str) -> None:
    table = patients()
    first_table = table.drop("ill")
    publish(tmp_path, "one.csv", first_table, policy)
    more = {"ledger": {"released": "accept"}}
    with pytest.raises((d.PromiseError, d.InputError), match=why):
        made(tmp_path, table, {**later, **more})


def test_refused_beside_a_release_that_was_added_or_lost_a_column(tmp_path: Path) -> None:
    table = patients()
    added = tmp_path / "added"
    added.mkdir()
    released = with_cells(table, {("p200", "town"): "*"}).drop("id", "ill")
    d.Ledger(added / "ledger").add(released, table.drop("ill"), ORDINARY, person="id", name="one")
    with pytest.raises(d.PromiseError, match="one was added"):
        made(added, table, {**BLIND, "ledger": {"released": "accept"}})
    with pytest.raises(d.PolicyError, match="only where it is made with the ledger"):
        d.Ledger(added / "ledger").add(table.drop("id"), table, BLIND, person="id", name="two")
    publish(tmp_path, "one.csv", table)
    with pytest.raises(d.PromiseError, match="the table has no such column"):
        made(tmp_path, table.drop("town"))


ANY = {"protect": [{"k": 1, "over": ["town"]}]}


def test_refused_where_a_star_told_of_what_is_confidential_now(tmp_path: Path) -> None:
    table = patients()
    jobs = {**CELLS, "column": "job", "at_most": "50%"}
    publish(tmp_path, "one.csv", table, {"protect": [jobs]})
    assert ("p0", "ill") in {(person, column) for person, column, _ in stars(tmp_path, "one.csv", table)}
    now = {**CELLS, "ids": {"column": "id", "values": ["p0"]}, "at_most": "50%"}
    with pytest.raises(d.PromiseError, match="tells by what it hides"):
        made(tmp_path, table, {"protect": [now, jobs]})


def test_a_cell_stays_under_a_bound_at_least_as_strict(tmp_path: Path) -> None:
    table = patients()
    publish(tmp_path, "one.csv", table)
    weaker: list[tuple[dict[str, Any], pl.DataFrame]] = [
        (ANY, table.drop("ill")),
        (first(at_most="70%"), table),
        (first(margin="10%"), table),
        (first(references=["count"]), table),
        (first(predictors=["age"]), table),
    ]
    for policy, rows in weaker:
        with pytest.raises(d.PromiseError, match="4 cells were protected blindly in an earlier release"):
            made(tmp_path, rows, policy)
    accepted = made(tmp_path, table.drop("ill"), {**ANY, "ledger": {"released": "accept"}})
    joint = accepted.audit.verification.joint
    assert joint is not None
    assert (joint.holds, joint.may_go_out, joint.broken) == (False, True, 4)
    assert TOGETHER in accepted.audit.not_covered
    without = made(tmp_path, table.filter(~pl.col("id").is_in(SECRET)), {**ANY, "ledger": {"leavers": "warn"}})
    assert without.audit.verification.may_go_out


def test_a_draft_is_stale_once_another_release_is_published(tmp_path: Path) -> None:
    table = patients()
    publish(tmp_path, "one.csv", table)
    draft = made(tmp_path, table)
    draft.write(tmp_path / "draft.csv")
    publish(tmp_path, "two.csv", table)
    with pytest.raises(d.PromiseError, match="decided beside other releases"):
        d.Ledger(tmp_path / "ledger").publish("draft.csv")


# Random sequences


@st.composite
def sequences(draw: st.DrawFn) -> list[tuple[BlindTable, pl.DataFrame]]:
    """Draw up to three tables of the same people, of whom some change, and whose cells are confidential in each."""
    number = draw(st.integers(9, 13))
    columns = {"a": ("x", "y"), "b": ("x", "y", "z"), "ill": ("u", "v")}
    rows = [[draw(st.sampled_from(texts)) for texts in columns.values()] for _ in range(number)]
    secret = sorted(draw(st.sets(st.integers(0, number - 1), min_size=1, max_size=3)))
    found = []
    for _ in range(draw(st.integers(2, 3))):
        for row in rows:
            if draw(st.integers(0, 3)) == 0:
                place = draw(st.integers(0, 1))
                row[place] = draw(st.sampled_from(list(columns.values())[place]))
        item = Item("ill", tuple(secret), Fraction(7, 10), Fraction(1, 20))
        blocks = draw(st.sampled_from(("starred", "told", "none")))
        of = BlindTable(tuple(columns), tuple(map(tuple, rows)), (item,), blocks)
        frame = pl.DataFrame(rows, schema=list(columns), orient="row")
        found.append((of, frame.with_columns(id=pl.Series([f"p{who}" for who in range(number)]))))
    return found


def told_in(of: BlindTable, row: int, told: ToldAgain | Any) -> dict[str, tuple[set[str] | None, set[str], bool]]:
    """What a release tells of a row: the texts that it may be (None: all but the second set), and if by a star."""
    found: dict[str, tuple[set[str] | None, set[str], bool]] = {}
    for name in told.values:
        found[name] = ({of.text(row, name)}, set(), False)
    if isinstance(told, ToldAgain):
        return found | {name: (None, {str(element)}, True) for name, (element, _) in told.denied.items()}
    for name, block in told.blocks.items():
        others = {str(each) for each in of.domains[name] if each not in block and each is not ...}
        star = of.blocks != "told"  # else everybody reads it
        found[name] = (None, others, star) if ... in block else ({str(each) for each in block}, set(), star)
    return found


def read_now(of: BlindTable, told: dict[str, tuple[set[str] | None, set[str], bool]]) -> Tellings:
    """The same in the elements of a later table; what says nothing, or what nobody there has, is left out."""
    found = {}
    for name, (texts, others, star) in told.items():
        fact = tuple(
            each
            for each in of.domains[name]
            if (each not in others if texts is None else each in texts)
            or (each is ... and (texts is None or any(text not in of.domains[name] for text in texts)))
        )
        if fact != (...,) and len(fact) < len(of.domains[name]):
            found[name] = Telling(fact, star)
    return found


@pytest.mark.slow
@FEW
@given(st.data())
def test_sequences_equal_the_slow_version(data: st.DataObject) -> None:
    drawn = data.draw(sequences())
    assume(all(len({of.text(row, "ill") for row in of.rest}) > 1 for of, _ in drawn))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.fit.cells.LEAST_REST", 1)
        patch.setattr("discreet.verification.blind_rules.LEAST_REST", 1)
        compare_sequence(Path(folder), drawn)


def compare_sequence(tmp: Path, drawn: list[tuple[BlindTable, pl.DataFrame]]) -> None:
    past: dict[int, list[dict[str, tuple[set[str] | None, set[str], bool]]]] = {}
    for turn, (of, frame) in enumerate(drawn):
        cells: dict[str, Any] = {
            "column": "ill",
            "ids": {"column": "id", "values": [f"p{row}" for row in of.confidential]},
        }
        cells |= {"at_most": "70%", "blocks": of.blocks, "rehearse": False, "on_failure": "fail"}
        slow: dict[int, Any] = {}
        for row in of.confidential:
            before = [read for one in past.get(row, []) if (read := read_now(of, one))]
            slow[row] = tell_before(of, row, before) if before else of.tell(row)
        if any(told.failed for told in slow.values()):
            with pytest.raises(d.UnprotectedCells):
                made(tmp, frame, {"protect": [cells]})
            return
        release = publish(tmp, f"{turn}.csv", frame, {"protect": [cells]})
        assert release.audit.verification.holds
        for row, told in slow.items():
            shown = row_of(release, row)
            hidden = {"ill": "*", **{name: "*" for name in ("a", "b") if name not in told.values}}
            if of.blocks == "told" and not isinstance(told, ToldAgain):
                hidden |= {name: of.written(name, block) for name, block in told.blocks.items()}
            assert shown == {name: hidden.get(name, of.text(row, name)) for name in ("a", "b", "ill")}
            past.setdefault(row, []).append(told_in(of, row, told))
