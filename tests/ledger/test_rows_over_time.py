"""Persons with several rows, released one table after the other with a ledger: every promise holds over all of them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.audit.schema import audit_schema
from discreet.ledger.entry import PERSON, ROW
from discreet.ledger.folder import opened
from tests.ledger.row_sequences import ASKED, policy_of_rows
from tests.profiles import FEW
from tests.reference import releases_of_rows as slow
from tests.reference.releases import Promised
from tests.reference.releases_of_rows import PublishedRows

K2 = {"k": 2, "over": ["ward"]}
KEPT: dict[str, Any] = {"leavers": "remove", "hold": True}


def table(**columns: str) -> pl.DataFrame:
    """Return a table from columns of values with blanks between them."""
    return pl.DataFrame({name: texts.split() for name, texts in columns.items()})


def publish(tmp: Path, rows: pl.DataFrame, policy: Any, name: str, **options: Any) -> d.Release:
    """Protect a table with the ledger of a folder, and publish it."""
    release = d.protect(rows, policy, ledger=tmp / "ledger", seed=1, **options)
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


def recorded(tmp: Path, promises: list[list[Promised]], *, counts_rows: bool = True) -> list[PublishedRows]:
    """Return what a ledger has, as the slow version knows it."""
    with opened(tmp / "ledger") as folder:
        found = []
        for release, asked in zip(folder.past(), promises, strict=True):
            rows: dict[str, list[tuple[str | None, dict[str, str]]]] = {}
            for line in release.people.iter_rows(named=True):
                told = {name: line[release.label(name)] for name in release.columns}
                key = str(line[ROW]) if ROW in line else None
                rows.setdefault(str(line[PERSON]), []).append((key, told))
            found.append(PublishedRows(rows, asked, counts_rows))
        return found


@st.composite
def years(draw: st.DrawFn) -> tuple[list[pl.DataFrame], list[list[Promised]], bool, str | None, str, str]:
    """Draw up to three tables of persons whose rows come, change and go, with what is promised of each."""
    texts = {"age": "xy", "job": "12", "ill": ("HIV", "flu", "cold")}
    people = [f"p{number}" for number in range(draw(st.integers(6, 12)))]
    rows = {
        (who, str(number)): {name: draw(st.sampled_from(list(some))) for name, some in texts.items()}
        for who in people
        for number in range(draw(st.integers(1, 2)))
    }
    tables, promised = [], []
    for _ in range(draw(st.integers(2, 3))):
        gone = set(draw(st.lists(st.sampled_from(people), max_size=2)))
        for row in draw(st.lists(st.sampled_from(sorted(rows)), max_size=4)):
            rows[row] = {**rows[row], "age": draw(st.sampled_from("xy")), "ill": draw(st.sampled_from(texts["ill"]))}
        there = [(*key, *row.values()) for key, row in rows.items() if key[0] not in gone]
        if not any("HIV" in row for row in there):  # a promise about a value that nobody has is a mistake
            there[0] = (*there[0][:-1], "HIV")
        tables.append(pl.DataFrame(there, schema=["id", "visit", *texts], orient="row"))
        promised.append(draw(st.lists(st.sampled_from(ASKED), min_size=1, max_size=2, unique=True)))
    key = draw(st.sampled_from([None, "visit"]))
    leavers = draw(st.sampled_from(["refuse", "remove", "warn"]))
    return tables, promised, draw(st.booleans()), key, leavers, draw(st.sampled_from(["mask", "remove"]))


@FEW
@given(years())
def test_what_is_published_keeps_every_promise_for_persons(
    made: tuple[list[pl.DataFrame], list[list[Promised]], bool, str | None, str, str],
) -> None:
    tables, promised, counts_rows, key, leavers, suppressed = made
    done: list[list[Promised]] = []
    with TemporaryDirectory() as folder:
        tmp = Path(folder)
        for place, (rows, asked) in enumerate(zip(tables, promised, strict=True)):
            more: dict[str, Any] = {"ledger": {"leavers": leavers, "hold": True}, "suppress": {"rows": suppressed}}
            more["search"] = "coordinate"
            more["columns"] = {"visit": {"role": "identifier"}}
            policy = policy_of_rows(PublishedRows({}, asked, counts_rows), **more)
            try:
                release = publish(tmp, rows, policy, f"{place}.csv", row_key=key)
            except d.PromiseError:  # nothing was released
                continue
            done.append(asked)
            found = recorded(tmp, done, counts_rows=counts_rows)
            broken = slow.all_broken_of_rows(found)
            if leavers == "warn":  # nobody in it but whom earlier releases broke a promise for
                asked_now = [*found[-2].promises, *asked] if found[1:] else []
                earlier = [*found[:-2], *(replace(one, promises=asked_now) for one in found[-2:-1])]
                before = slow.all_broken_of_rows(earlier) if earlier else set()
                broken = (broken & set(found[-1].rows)) - before
            assert not broken
            names = sorted(str(name) for name in found[-1].rows)
            assert len(names) == len(set(names))
            written = sorted(map(tuple, pl.read_csv(tmp / f"{place}.csv", infer_schema=False).rows()))
            told = [tuple(row.values()) for lines in found[-1].rows.values() for _, row in lines]
            assert sorted(told) == written
            assert release.audit.verification.joint is not None
            unlinked = release.audit.verification.joint.unlinked
            assert len(unlinked) == (0 if key or len(done) == 1 else len(done))


ONE = table(id="a a b b c c d d", visit="1 2 1 2 1 2 1 2", ward="X Y X Y X Y X Y")
TURNED = table(id="a a b b c c d d", visit="1 2 1 2 1 2 1 2", ward="X Y X Y X Y Y X")


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_a_key_tells_which_row_became_which(tmp_path: Path, engine: str) -> None:
    """Of d the wards changed places: whoever links her rows knows her; whoever does not sees nothing new."""
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    k2 = [Promised("k", ("ward",), Fraction(2))]
    for key, wanted in ((None, "X Y X Y X Y Y X"), ("visit", None)):
        folder = tmp_path / f"by {key}"
        folder.mkdir()
        for name, rows in (("one.csv", ONE), ("two.csv", TURNED)):
            rows.write_csv(folder / f"from-{name}")
            made = d.protect(
                folder / f"from-{name}", policy, ledger=folder / "ledger", row_key=key, engine=engine, seed=1
            )
            made.write(folder / name)
            assert d.Ledger(folder / "ledger").publish(name).holds
        told = pl.read_csv(folder / "two.csv")["ward"].to_list()
        if wanted:
            assert told == wanted.split()
        else:
            assert told[6:] == ["*", "*"]  # with one more, drawn by lot
            assert told.count("*") == 4
        assert not slow.all_broken_of_rows(recorded(folder, [k2, k2]))
        checked = d.verify(
            folder / "two.csv",
            policy,
            original=folder / "from-two.csv",
            ledger=folder / "ledger",
            row_key=key,
            engine=engine,
        )
        assert checked.holds
        assert checked.joint is not None
        assert checked.joint.unlinked == (() if key else ("one.csv", "two.csv"))


def test_verification_finds_what_a_release_without_keys_tells_who_links_rows(tmp_path: Path) -> None:
    """Two releases that were made without the ledger, added with keys: two persons stand alone."""
    ledger = d.Ledger(tmp_path / "ledger")
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    for name, rows in (("one", ONE), ("two", TURNED)):
        ledger.add(rows.select("ward"), rows, policy, name=name, row_key="visit")
    found = ledger.check()
    assert found is not None
    assert found.broken == 1
    assert (found.matched, found.new, found.left, found.unlinked) == (4, 0, 0, ())
    assert [entry.persons for entry in ledger.releases()] == [4, 4]
    alone = d.Ledger(tmp_path / "alone")
    for name, rows in (("one", ONE), ("two", TURNED)):
        alone.add(rows.select("ward"), rows, policy, name=name)
    found = alone.check()
    assert found is not None
    assert found.holds
    assert found.unlinked == ("one", "two")


def test_rows_that_come_and_go_are_known(tmp_path: Path) -> None:
    """One visit more: who knows how many rows each has knows her, so hers, and those of one more, are hidden."""
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    publish(tmp_path, ONE, policy, "one.csv", row_key="visit")
    more = pl.concat([ONE, table(id="a", visit="3", ward="X")])
    with pytest.raises(d.PromiseError, match="ha(s|ve) a past that too few others in this|cannot be kept"):
        publish(tmp_path, more, policy, "two.csv", row_key="visit")
    unknown = {**policy, "unit": {"id": "id", "rows": "unknown"}}
    with pytest.raises(d.PromiseError):  # the promise of the first release counts rows
        publish(tmp_path, more, unknown, "two.csv")


def test_an_earlier_table_had_one_row_a_person(tmp_path: Path) -> None:
    ledger = d.Ledger(tmp_path / "ledger")
    first = table(id="a b c d", ward="X X X X")
    ledger.add(first.select("ward"), first, {"protect": [K2]}, person="id", name="one")
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    made = publish(tmp_path, ONE, policy, "two.csv", row_key="visit")
    assert made.audit.detail == 1
    with pytest.raises(d.PolicyError, match="two.csv has persons with several rows; write unit: id"):
        publish(tmp_path, first, {"protect": [K2]}, "three.csv", person="id")
    assert publish(tmp_path, ONE, policy, "three.csv", row_key="visit").audit.detail == 1


def test_a_plan_is_carried_out_again_beside_the_past(tmp_path: Path) -> None:
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    plan = publish(tmp_path, ONE, policy, "one.csv", row_key="visit").plan
    again = d.Plan.from_json(plan.to_json()).apply(TURNED, ledger=tmp_path / "ledger", row_key="visit")
    told = again.table["ward"].to_list()  # type: ignore[index]
    assert told[6:] == ["*", "*"]
    assert told.count("*") == 4
    again.write(tmp_path / "two.csv")
    assert d.Ledger(tmp_path / "ledger").publish("two.csv").holds


def test_rekey_joins_persons_unless_their_rows_have_one_key(tmp_path: Path) -> None:
    ledger = d.Ledger(tmp_path / "ledger")
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    rows = table(id="a a b c d", visit="1 2 3 1 2", ward="X X X X X")
    ledger.add(rows.select("ward"), rows, policy, name="one", row_key="visit")
    with pytest.raises(d.InputError, match="rows with the same key"):
        ledger.rekey({"c": "a"})
    assert ledger.rekey({"b": "a"}) == 1
    with opened(tmp_path / "ledger") as folder:
        (past,) = folder.past()
        assert past.persons.n_unique() == 3
        assert past.people.height == 5
        assert past.persons.is_sorted()


def test_the_ledger_has_neither_keys_nor_ids(tmp_path: Path) -> None:
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    rows = ONE.with_columns(id="who-" + pl.col("id"), visit="stay-" + pl.col("visit"))
    publish(tmp_path, rows, policy, "one.csv", row_key="visit")
    for path in (tmp_path / "ledger").iterdir():
        assert b"who-" not in path.read_bytes(), path.name
        assert b"stay-" not in path.read_bytes(), path.name


UNIT = {"unit": "id"}


@pytest.mark.parametrize(
    ("rows", "policy", "options", "message"),
    [
        (ONE, {}, {"person": "id"}, "have several rows, and a ledger needs one row a person; .* write unit: id"),
        (ONE, {}, {"person": "id", "row_key": "visit"}, "write unit: id, or leave --row-key out"),
        (ONE, UNIT, {"row_key": "stay"}, "the table has no column 'stay'"),
        (ONE, UNIT, {"row_key": "id"}, "says who somebody is; name the column"),
        (ONE, UNIT, {"row_key": "ward"}, "'ward' says which row of a person it is and does not go out"),
        (ONE, UNIT, {"person": "visit"}, "the policy's unit is 'id'"),
        (ONE.with_columns(visit=pl.lit("1")), UNIT, {"row_key": "visit"}, "8 rows have the same 'visit'"),
        (ONE.with_columns(visit=pl.lit(None, pl.String)), UNIT, {"row_key": "visit"}, "8 rows have no 'visit'"),
        (ONE.with_columns(id=pl.lit(None, pl.String)), UNIT, {}, "8 rows have no 'id'"),
        (ONE, {"unit": {"id": "id", "knows": "one_row"}}, {}, "who knows one row of a person in each of several"),
        (ONE, {**UNIT, "columns": {"id": {"role": "identifier", "release": "token"}}}, {}, "does not know tokens"),
        (ONE, {**UNIT, "recoding": "local"}, {}, "write recoding: global"),
        (
            ONE,
            {
                **UNIT,
                "protect": [
                    K2,
                    {"column": "visit", "where": {"id": "a"}, "predictors": ["ward"], "against": ["naive_bayes"]},
                ],
            },
            {},
            "remembers confidential cells of tables with one row a person",
        ),
    ],
)
def test_what_is_not_served_is_said(
    tmp_path: Path, rows: pl.DataFrame, policy: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(d.InputError, match=message):
        d.protect(rows, {"protect": [K2], **policy}, ledger=tmp_path / "ledger", **options)
    assert not (tmp_path / "ledger").exists()


def test_a_row_key_needs_a_ledger() -> None:
    with pytest.raises(d.InputError, match="--row-key is for releases in a ledger"):
        d.protect(ONE, {"protect": [K2], **UNIT}, row_key="visit")


def test_the_audit_says_what_is_not_linked_as_its_schema_has_it(tmp_path: Path) -> None:
    policy = {"protect": [K2], "unit": "id", "columns": {"visit": {"role": "identifier"}}}
    publish(tmp_path, ONE, policy, "one.csv")
    made = publish(tmp_path, TURNED, policy, "two.csv")
    told = json.loads(made.audit.to_json())
    jsonschema.validate(told, audit_schema())
    assert told["joint"]["unlinked"] == ["one.csv", "this release"]
    assert any("no row key links single rows of one.csv, this release" in text for text in made.audit.not_covered)
    attacked = made.attack(seed=1)
    assert attacked.attacks is not None
    kinds = {one.name: one for one in attacked.attacks.found}
    assert kinds["linker"].figures["below_k"] == 0
    assert "no row key" in kinds["linker"].notes[1]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "rows"), [(None, "mask"), ("visit", "mask"), (None, "remove"), ("visit", "remove")])
def test_duckdb_keeps_them_too_and_the_ledger_has_what_the_file_tells(
    tmp_path: Path, key: str | None, rows: str
) -> None:
    """Forty persons with two visits each, of whom a few change each year."""
    rng = np.random.default_rng(3)
    ages, ills = rng.integers(0, 3, 80), rng.integers(0, 4, 80)
    asked = [Promised("k", ("age",), Fraction(2)), Promised("template", ("age",), Fraction(7, 10), "ill", "i1")]
    policy = policy_of_rows(
        PublishedRows({}, asked),
        search="coordinate",
        suppress={"rows": rows},
        columns={"visit": {"role": "identifier"}},
        ledger=KEPT,
    )
    for year in range(3):
        people = [(f"p{n // 2}", f"{n % 2}", f"a{ages[n]}", f"i{ills[n]}") for n in range(80)]
        original = tmp_path / f"original-{year}.csv"
        pl.DataFrame(people, schema=["id", "visit", "age", "ill"], orient="row").write_csv(original)
        made = d.protect(original, policy, ledger=tmp_path / "ledger", row_key=key, engine="duckdb", seed=1)
        made.write(tmp_path / f"{year}.csv")
        assert d.Ledger(tmp_path / "ledger").publish(f"{year}.csv").holds
        found = recorded(tmp_path, [asked] * (year + 1))
        assert not slow.all_broken_of_rows(found)
        told = sorted(tuple(row.values()) for lines in found[-1].rows.values() for _, row in lines)
        assert told == sorted(map(tuple, pl.read_csv(tmp_path / f"{year}.csv", infer_schema=False).rows()))
        ages[rng.integers(0, 80, 3)] = rng.integers(0, 3, 3)


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
def test_who_is_left_out_is_who_has_to_be(tmp_path: Path, engine: str) -> None:
    """Persons with one row each, who stand in another order than that of their ids: two left with a ward of their own.

    Two more of it are left out by lot, so that k of them are gone; nobody of another ward is.
    """
    policy = {"unit": "id", "protect": [{"k": 4, "over": ["ward"]}], "ledger": KEPT}
    wards = ["A", "B", "C"] * 8
    rows = pl.DataFrame({"id": [f"p{n}" for n in range(24)], "ward": wards, "tag": wards})[::-1]
    rows.write_csv(tmp_path / "one.csv")
    rows.filter(~pl.col("id").is_in(["p0", "p3"])).write_csv(tmp_path / "two.csv")
    for name in ("one", "two"):
        release = d.protect(tmp_path / f"{name}.csv", policy, ledger=tmp_path / "ledger", engine=engine)
        release.write(tmp_path / f"r{name}.csv")
        d.Ledger(tmp_path / "ledger").publish(f"r{name}.csv")
    assert release.note is not None
    assert release.note.left_out == 2
    written = pl.read_csv(tmp_path / "rtwo.csv")
    assert sorted(written["tag"].to_list()) == ["A"] * 4 + ["B"] * 8 + ["C"] * 8
