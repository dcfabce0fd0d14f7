"""Populations: where they come from, what is refused, what nobody learns of them, and the attacks on both promises."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.policy.schema import policy_schema
from tests.commands import run
from tests.table.engines import LARGE, frame_of

PEOPLE = pl.DataFrame({
    "name": [f"Person-{n}" for n in range(24)],
    "age": [str(30 + n % 12) for n in range(24)],
    "town": ["Oslo", "Turku", "Bari", "Secretville"] * 6,
})  # fmt: skip
TABLE = PEOPLE.head(9).drop("name").with_columns(ill=pl.Series(["flu", "cold", "flu"] * 3))
POLICY = """
protect:
  - {k: 4, over: [age, town], among: people.csv}
  - {infer: membership, given: [age, town], among: people.csv, at_most: 75%}
columns: {age: {type: number}, ill: {role: other}}
search: coordinate
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    PEOPLE.write_csv(tmp_path / "people.csv")
    TABLE.write_csv(tmp_path / "table.csv")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return tmp_path


def among(item: dict[str, Any], people: Any, **more: Any) -> d.Policy:
    return d.Policy.from_dict({"protect": [{**item, "among": people}], "search": "coordinate", **more})


K = {"k": 4, "over": ["age", "town"]}
MEMBER = {"infer": "membership", "given": ["age", "town"], "at_most": "75%"}


# Where a population comes from


@pytest.mark.parametrize("form", ["csv", "parquet", "xlsx", "db", "frame", "toml"])
def test_any_table_may_be_the_population(folder: Path, form: str) -> None:
    """The formats' own readers read it, relative to the policy; the release is the same whichever it was."""
    place: Any = f"people.{form}"
    if form == "parquet":
        PEOPLE.with_columns(pl.col("age").cast(pl.Float64)).write_parquet(folder / place)  # 30.0 is the number 30
    elif form == "xlsx":
        pytest.importorskip("xlsxwriter")
        PEOPLE.write_excel(folder / place, worksheet="all")
        place = f"{place}#all"
    elif form == "db":
        with sqlite3.connect(folder / place) as database:
            database.execute("create table town (name text, age text, town text)")
            database.executemany("insert into town values (?, ?, ?)", PEOPLE.rows())
        place = f"{place}#town"
    elif form == "frame":
        place = PEOPLE.to_pandas()
    expected = d.protect(folder / "table.csv", folder / "policy.yaml").table
    assert isinstance(expected, pl.DataFrame)
    if form == "toml":
        (folder / "policy.toml").write_text(
            'search = "coordinate"\n[columns]\nage = {type = "number"}\nill = {role = "other"}\n'
            '[[protect]]\nk = 4\nover = ["age", "town"]\namong = "people.csv"\n'
            '[[protect]]\ninfer = "membership"\ngiven = ["age", "town"]\namong = "people.csv"\nat_most = "75%"\n'
        )
        policy = d.read_policy(folder / "policy.toml")
    elif form == "frame":
        policy = d.read_policy(folder / "policy.yaml").with_population(place)
    else:
        (folder / "policy.yaml").write_text(POLICY.replace("people.csv", place), encoding="utf-8")
        policy = d.read_policy(folder / "policy.yaml")
    assert frame_of(d.protect(folder / "table.csv", policy).table).equals(expected)


@pytest.mark.parametrize("engine", LARGE)
def test_every_engine_makes_the_same_release(folder: Path, engine: str) -> None:
    mine = frame_of(d.protect(folder / "table.csv", folder / "policy.yaml").table)
    theirs = d.protect(folder / "table.csv", folder / "policy.yaml", engine=engine).table
    assert frame_of(theirs).to_dicts() == mine.to_dicts()


def test_the_schema_and_plain_data_have_both() -> None:
    policy = among(K, "people.csv", columns={"age": {"type": "number"}})
    plain = policy.to_dict()
    assert d.Policy.from_dict(plain) == policy
    text = json.dumps(policy_schema())
    assert "Membership" in text
    assert "the table of the people among whom" in text
    assert d.Membership(["age"], "people.csv", "50%") == d.Membership(given=["age"], among="people.csv", at_most="1/2")


# What is refused


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"release": {"sample": "50%", "k_on": "population"}}, "take one of them out"),
        ({"recoding": "local", "search": None}, "write recoding: global"),
        ({"columns": {"age": {"type": "number", "form": "median"}}}, "drop the form"),
    ],
)
def test_what_does_not_go_with_a_population_is_refused(change: dict[str, Any], says: str) -> None:
    said = {"protect": [{**K, "among": "people.csv"}], "search": "coordinate", **change}
    with pytest.raises(d.PolicyError, match=says):
        d.Policy.from_dict({name: value for name, value in said.items() if value is not None})


@pytest.mark.parametrize("item", [{"infer": "membership", "given": ["age"], "at_most": "50%"}, {**MEMBER, "among": ""}])
def test_membership_needs_a_population(item: dict[str, Any]) -> None:
    with pytest.raises(d.PolicyError, match=r"among: .*population\.csv"):
        d.Policy.from_dict({"protect": [item]})


@pytest.mark.parametrize("command", ["protect", "check", "frontier"])
@pytest.mark.parametrize(
    ("people", "says"),
    [
        (None, "no such file"),
        (b"age,town\n1,Oslo,more\n", "people.csv"),
        (b"name,age\nAnn,30\n", "has no column 'town'"),
        (b"age,town\n", "no rows"),
        (b"age,town\n30,Oslo\n", "does not cover the table: 8 rows of 9"),
    ],
    ids=["missing", "damaged", "column", "empty", "cover"],
)
def test_a_population_that_cannot_be_is_refused_with_its_line_and_no_value(
    folder: Path, command: str, people: bytes | None, says: str
) -> None:
    """Exit code 2, nothing written, no value of the table or of the population in the message."""
    (folder / "people.csv").unlink()
    if people is not None:
        (folder / "people.csv").write_bytes(people)
    table, policy = str(folder / "table.csv"), str(folder / "policy.yaml")
    words = {
        "protect": ["protect", table, "--policy", policy, "--out", str(folder / "out.csv")],
        "check": ["check", policy, "--table", table],
        "frontier": ["frontier", table, "--policy", policy],
    }[command]
    output = " ".join(run(*words, code=2).output.split())
    assert says in output
    assert "Secretville" not in output
    assert "policy.yaml:3" in output
    assert not (folder / "out.csv").exists()


def test_what_cannot_be_kept_is_said_with_the_best_figure() -> None:
    for item, says in (({**K, "k": 25}, "24 people"), ({**MEMBER, "at_most": "1/3"}, r"3/8 \(37.5%\)")):
        with pytest.raises(d.ImpossiblePromise, match=f"with everything hidden .*{says}"):
            d.protect(TABLE, among(item, PEOPLE))


def test_too_few_people_for_masked_rows_are_no_release_with_masked_rows() -> None:
    """Nobody but the masked row's own person is left for it: rather a coarser cut, or none."""
    table = pl.DataFrame({"job": ["a"] * 4 + ["b"]})
    release = d.protect(table, among({"k": 2, "over": ["job"]}, table))
    assert set(release.table["job"]) == {"*"}  # type: ignore[index]
    assert release.audit.suppressed in (0, 5)
    people = pl.DataFrame({"job": ["a"] * 4 + ["b", "c"]})
    release = d.protect(table, among({"k": 2, "over": ["job"]}, people))
    assert sorted(release.table["job"]) == ["*", "a", "a", "a", "a"]  # type: ignore[index]


# Commands, plans, new rows


@pytest.mark.slow
def test_verify_apply_and_audit_take_the_population_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    out, plan, policy = str(folder / "out.csv"), str(folder / "plan.json"), str(folder / "policy.yaml")
    run("protect", str(folder / "table.csv"), "--policy", policy, "--out", out, "--plan", plan)
    moved = tmp_path / "elsewhere.csv"
    (folder / "people.csv").rename(moved)
    run("verify", out, "--policy", policy, code=2)
    run("verify", out, "--policy", policy, "--population", str(moved))
    again = str(folder / "again.csv")
    run("apply", plan, str(folder / "table.csv"), "--out", again, code=2)
    run("apply", plan, str(folder / "table.csv"), "--out", again, "--population", str(moved))
    assert Path(again).read_bytes() == Path(out).read_bytes()
    audit = run(
        "audit", out, "--policy", policy, "--original", str(folder / "table.csv"), "--population", str(moved), "--json"
    )
    found = json.loads(audit.output)
    assert "journalist" in json.dumps(found)
    few = tmp_path / "few.csv"
    PEOPLE.head(9).write_csv(few)
    assert "broken" in run("verify", out, "--policy", policy, "--population", str(few), code=1).output


def test_a_plan_on_new_rows_keeps_the_promises_or_says_no(folder: Path) -> None:
    release = d.protect(TABLE, folder / "policy.yaml")
    fewer = release.plan.apply(TABLE.head(6))
    assert fewer.audit.verification.holds
    strangers = TABLE.with_columns(town=pl.lit("Nowhere"))
    with pytest.raises(d.PolicyError, match="does not cover the table: 9 rows of 9"):
        release.plan.apply(strangers)
    kept = d.Plan.from_json(d.protect(TABLE, among(K, PEOPLE, columns={"age": {"type": "number"}})).plan.to_json())
    with pytest.raises(d.InputError, match="give it with population="):
        kept.apply(TABLE)
    assert kept.apply(TABLE, population=PEOPLE).audit.verification.holds


@pytest.mark.slow
def test_check_and_frontier_speak_of_people(folder: Path) -> None:
    output = run("check", str(folder / "policy.yaml"), "--table", str(folder / "table.csv")).output
    assert "finds at least 4 people of the population" in output
    assert "in the release" in output
    points = d.frontier(TABLE, among(K, PEOPLE), [2, 6, 24, 25]).points
    assert [point.possible for point in points] == [True, True, True, False]
    assert points[-1].least is not None
    assert points[-1].least.denominator == 24
    shares = d.frontier(TABLE, among(MEMBER, PEOPLE)).points
    assert shares[0].detail is not None
    assert [point.threshold for point in shares] == sorted((p.threshold for p in shares), reverse=True)


# What nobody learns


@pytest.mark.slow
def test_public_texts_and_plans_tell_nothing_of_the_population(folder: Path) -> None:
    """Adversary's view: no name, no count of people, no path in what is public; no row of the population anywhere.

    The population has 26 people, two of a town that the table has not: neither that number nor that town, its file or
    its folder stand in any public text, and none of its rows in the plan.
    """
    pytest.importorskip("altair")
    strangers = PEOPLE.head(2).with_columns(town=pl.lit("Onlythere"))
    pl.concat([PEOPLE, strangers]).write_csv(folder / "people.csv")
    release = d.protect(folder / "table.csv", folder / "policy.yaml")
    audit = release.attack(seed=1)
    public, plan = audit.to_html(public=True), release.plan.to_json()
    body = public[public.index("<body") :]
    text = body[: body.find("<script")] if "<script" in body else body
    for secret in ("Person-", "people.csv", str(folder), "Onlythere"):
        assert secret not in public
    assert "26" not in text
    counts = {finding.worst.hits for finding in audit.promises if finding.worst is not None}
    assert counts
    assert not any(f"{count} people" in text for count in counts - {4})  # k itself is public
    for whole in (plan, audit.to_json(), audit.to_html()):
        assert "Person-" not in whole
        assert "Onlythere" not in whole
    assert "population" in text  # that there is such a promise is public


# The attacks


def test_whoever_has_a_list_of_everybody_finds_at_least_k_people_for_each_row() -> None:
    """k-map stops linkage with a register; it does not stop who knows that a person is in the release."""
    register = PEOPLE
    release = d.protect(TABLE, among({"k": 4, "over": ["town"]}, register))
    rows = release.table["town"].to_list()  # type: ignore[index]
    shown = set(rows) - {"*"}
    for town in rows:
        fits = [person for person in register["town"] if person == town or (town == "*" and person not in shown)]
        assert len(fits) >= 4
    # Not stopped: one row of a town is the only one, and whoever knows that she is in the release has her row.
    alone = d.protect(pl.DataFrame({"town": ["Oslo", "Turku", "Turku"]}), among({"k": 4, "over": ["town"]}, register))
    assert alone.table["town"].to_list().count("Oslo") == 1  # type: ignore[index]


def test_whoever_has_a_list_of_everybody_is_not_sure_who_is_in_the_release() -> None:
    """Membership stops "she is surely in it"; it does not stop "he is surely not in it"."""
    table = pl.DataFrame({"town": ["Oslo"] * 6 + ["Turku"]})
    release = d.protect(table, among({"infer": "membership", "given": ["town"], "at_most": "60%"}, PEOPLE))
    rows = release.table["town"].to_list()  # type: ignore[index]
    assert "Oslo" not in rows  # all six people of Oslo are in it
    people = pl.DataFrame({"town": ["Oslo"] * 12 + ["Bari"] * 4})
    told = d.protect(table.head(6), among({"infer": "membership", "given": ["town"], "at_most": "60%"}, people))
    assert set(told.table["town"]) == {"Oslo"}  # type: ignore[index]  # so nobody of Bari is in it, for sure
