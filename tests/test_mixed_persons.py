"""Persons with several rows beside everything else a policy may ask: several promises, confidential cells, tokens.

Releases are judged by the reference for persons (`tests/reference/promises.py`), which knows nothing of discreet.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.assist.check import check_policy
from discreet.audit.secrets import secret_risks
from discreet.cli.app import app
from discreet.table.source import open_table
from tests.profiles import FEW
from tests.reference.promises import Reading, Row, kept, persons
from tests.test_persons import ASKED, ONE_VALUE, UNKNOWN, hidden, patients, released, some_rows, table_of, visits

READINGS = {"s": Reading(silent=frozenset({"?", "*"}))}


def one_more() -> pl.DataFrame:
    """Six patients with two visits each, and one with five."""
    other = patients(5).filter(pl.col("patient_id") == "p0")
    return pl.concat([patients(2), other.with_columns(pl.lit("p9").alias("patient_id"))])


def cells_of(rows: Sequence[int], **said: Any) -> dict[str, Any]:
    """Confidential cells of the secret, which anything known may guess."""
    return {
        "column": "s", "rows": list(rows), "predictors": ["q", "r"], "against": ["naive_bayes"], "method": "dropp",
        "tells": "warn", **said,
    }  # fmt: skip


@st.composite
def mixed_jobs(draw: st.DrawFn) -> tuple[list[Row], list[tuple[Any, Any]], dict[str, Any]]:
    """Rows of persons, one to three promises with their references, and the rest of a policy."""
    one_value = draw(st.booleans())
    rows = draw(some_rows(constant=draw(st.booleans()), one_value=one_value))
    asked = draw(st.lists(st.sampled_from(ASKED + ONE_VALUE * one_value), min_size=1, max_size=3))
    search = draw(st.sampled_from(["disclosure", "coordinate", "exact"]))
    policy: dict[str, Any] = {"search": search, "missing": UNKNOWN, "shuffle": draw(st.booleans())}
    policy["unit"] = {"id": "who", "rows": "unknown"} if draw(st.booleans()) else "who"
    if policy["unit"] == "who" and draw(st.booleans()):
        policy["columns"] = {"who": {"role": "identifier", "release": "token"}}
    if search != "disclosure" and draw(st.booleans()):
        policy["suppress"] = {"rows": draw(st.sampled_from(["mask", "remove"]))}
    if draw(st.integers(0, 3)) == 0:
        policy["release"] = {"sample": "80%"}
    cells = []
    if draw(st.booleans()):
        known = [place for place, row in enumerate(rows, 1) if row["s"] != "?"]
        some = draw(st.lists(st.sampled_from(known), min_size=1, max_size=2, unique=True))
        cells = [cells_of(some, on_failure=draw(st.sampled_from(["remove", "fail"])))]
    policy["protect"] = [*(said for said, _ in asked), *cells]
    return rows, asked, policy


@pytest.mark.slow
@given(mixed_jobs())
def test_random_jobs_of_persons(job: tuple[list[Row], list[tuple[Any, Any]], dict[str, Any]]) -> None:
    """What comes out keeps every promise by the reference and by verification; the rest is refused."""
    rows, asked, said = job
    policy, counts = d.Policy.model_validate(said), said["unit"] == "who"
    try:
        release = d.protect(table_of(rows), policy, seed=1)
    except d.BrokenPromise as broken:  # but for what nothing masks: how many rows a person has
        assert "left out for confidential cells" in str(broken)
        return
    except d.PromiseError:
        assert (
            any(item.get("column") for item in said["protect"] if isinstance(item, dict))
            or "release" in said
            or (
                "suppress" in said
                or not all(kept(persons(hidden(rows), "who"), promise, READINGS, counts=counts) for _, promise in asked)
            )
        )
        return
    except d.PolicyError as unfit:  # somebody has several values; a sample without anybody; a cell of one value
        assert str(unfit)
        return
    found = released_in_order(release, rows)
    for _, promise in asked:
        assert kept(persons(found, "who"), promise, READINGS, counts=counts), promise
    assert d.verify(release.table, policy, table_of(rows), order=release.plan.order).holds
    if release.order is None and len(found) == len(rows):
        for row, was in zip(found, rows, strict=True):
            assert all(row[name] in (was[name], "*") for name in ("q", "r", "s"))


def released_in_order(release: d.Release, rows: Sequence[Row]) -> list[Row]:
    if release.order is None:
        return released(release, rows)
    assert release.plan.order is not None
    lines = release.table.iter_rows(named=True)  # type: ignore[attr-defined]
    pairs = zip(release.plan.order, lines, strict=True)
    return [{**line, "who": rows[number - 1]["who"]} for number, line in sorted(pairs, key=lambda pair: pair[0])]


# Confidential cells


@FEW
@given(some_rows(constant=True), st.booleans())
def test_cells_that_cannot_be_protected_take_their_row_with_them(rows: list[Row], differ: bool) -> None:
    """A row that is left out leaves its person with fewer rows, and persons are counted again."""
    if differ:
        rows = [*rows, {**rows[0], "q": "b"}]
    known = [place for place, row in enumerate(rows, 1) if row["s"] != "?"][:2]
    said = {"unit": "who", "missing": UNKNOWN, "search": "coordinate"}
    policy = d.Policy.model_validate({**said, "protect": [ASKED[0][0], cells_of(known, on_failure="remove")]})
    try:
        release = d.protect(table_of(rows), policy, seed=1)
    except (d.PromiseError, d.PolicyError) as refused:
        # nothing masks how many rows a person has
        assert not isinstance(refused, d.BrokenPromise) or "left out for confidential cells" in str(refused)
        return
    assert kept(persons(released(release, rows), "who"), ASKED[0][1], READINGS)
    assert d.verify(release.table, policy, table_of(rows), order=release.plan.order).holds
    gone = set(range(1, len(rows) + 1)) - set(release.engine.numbers().tolist())
    assert gone == set(release.plan.removed) <= set(known)


def test_a_row_that_is_missing_for_no_cell_is_found() -> None:
    rows = visits("1aex", "1aey", "2aex", "2aey", "3aez", "3aex")
    said = {"unit": {"id": "who", "rows": "unknown"}, "protect": [ASKED[1][0], cells_of([1], on_failure="remove")]}
    policy = d.Policy.model_validate({**said, "search": "coordinate"})
    whole = table_of(rows).drop("who")
    told = whole.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("*")).otherwise("s").alias("s"))
    for without, problem in ((0, False), (3, True)):  # of the first person a row may be left out, of the second none
        order = [place + 1 for place in range(6) if place != without]
        found = d.verify(told.with_row_index().filter(pl.col("index") != without).drop("index"), policy, table_of(rows),
                         order=order)  # fmt: skip
        assert any("not released whole" in text for text in found.truthful.problems) is problem


def test_who_has_a_hidden_cell_does_not_lack_what_it_may_be() -> None:
    """The first has y and a hidden cell: for z she counts neither way, as verification has it."""
    rows = visits(*["1aey", "1aex", "2aey", "2aey", "3aex", "3aez", "4aez", "4aey"])
    item = d.Template(given=["q"], infer={"s": "z"}, at_most="70%")
    said = {"unit": "who", "search": "coordinate", "protect": [item, cells_of([2], on_failure="fail")]}
    policy = d.Policy.model_validate(said)
    finding = d.protect(table_of(rows), policy, seed=1).audit.promises[0]
    assert finding.worst is not None
    assert (finding.worst.hits, finding.worst.rows, finding.worst.hidden) == (2, 4, 1)


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
def test_large_engines_refuse_cells_of_persons(engine: str, tmp_path: Any) -> None:
    table_of(visits("1aex", "1aey", "2aex", "2aez", "3aez", "3aex")).write_csv(tmp_path / "t.csv")
    policy = d.Policy.model_validate({"unit": "who", "protect": [ASKED[1][0], cells_of([1])], "search": "coordinate"})
    with pytest.raises(d.InputError, match="local engine"):
        d.protect(tmp_path / "t.csv", policy, engine=engine)


def test_blind_protection_beside_a_unit_is_refused() -> None:
    with pytest.raises(d.PolicyError, match="blind"):
        d.Policy.from_dict({"unit": "who", "protect": [
            {"k": 2, "over": ["q"]}, {"column": "s", "rows": [1], "at_most": "50%", "method": "blind"},
        ]})  # fmt: skip


# What the fuzz found


def test_one_value_for_t_is_several_for_a_template() -> None:
    """An unknown row beside a known one: one value to t, but nobody knows whether she has another one."""
    rows = visits(*["1aex", "1ae?", "2aey", "2ae?", "3aex", "3aex", "4aey", "4aey"])
    items = [ONE_VALUE[2][0], d.Template(given=["q", "r"], infer={"s": d.AnyBut(["x"])}, at_most="60%")]
    policy = d.Policy.model_validate({"unit": "who", "missing": UNKNOWN, "protect": items})
    # y: known of 2, 3 and 4 (1 may have it), and 2 of them have it
    with pytest.raises(d.ImpossiblePromise, match=r"2/3"):
        d.protect(table_of(rows), policy)


def test_rows_with_tokens_are_found_again_where_some_are_removed() -> None:
    rows = one_more()
    columns = {"patient_id": {"role": "identifier", "release": "token"}}
    said = {"protect": [d.KAnonymity(k=2, over=["town"])], "unit": "patient_id", "columns": columns}
    policy = d.Policy.model_validate({**said, "search": "coordinate", "suppress": {"rows": "remove"}})
    release = d.protect(rows, policy)
    assert release.audit.removed >= 5
    assert d.verify(release.table, policy, rows, order=release.plan.order).holds


def test_a_use_that_predicts_serves_rows_that_differ() -> None:
    rows = visits(*["1aex", "1bex", "2aey", "2bey", "3aex", "3bey"])
    said = {"unit": "who", "use": {"classify": "s"}, "search": "coordinate"}
    policy = d.Policy.model_validate({**said, "protect": [d.KAnonymity(k=3, over=["q", "r"])]})
    assert d.protect(table_of(rows), policy).audit.detail == 1.0


# Words and figures


def test_figures_of_secrets_count_persons() -> None:
    """Three persons of a group have one illness each: l = 2, though one has it in nine rows."""
    rows = visits(*["1aex"] * 9, "2aey", "3aex", "4bez", "5bez")
    said = {"unit": {"id": "who", "rows": "unknown"}, "protect": [{"infer": {"s": "x"}, "given": ["q"], "at_most": 1}]}
    policy = d.Policy.model_validate(said)
    release = d.protect(table_of(rows), policy)
    (found,) = secret_risks(release.engine, open_table(table_of(rows), policy), policy)
    assert (found.before.l, found.before.beta) == (1, Fraction(3, 2))  # z: 2 of 2 beside 2 of 5
    assert found.before.t == Fraction(3, 5)
    several = [*rows, {**rows[0], "s": "z"}]
    release = d.protect(table_of(several), policy)
    (found,) = secret_risks(release.engine, open_table(table_of(several), policy), policy)
    assert (found.before.l, found.before.t) == (None, None)
    assert found.before.beta is not None


def test_suppressed_persons_are_counted_and_said(tmp_path: Any) -> None:
    rows = one_more()
    path, policy = tmp_path / "t.csv", tmp_path / "p.yaml"
    rows.write_csv(path)
    tree = "{'*': {A: [T0, T1, T2], B: [T3, T4, T5]}}"
    policy.write_text(
        f"unit: patient_id\nprotect: [{{k: 2, over: [town]}}]\nsuppress: {{rows: remove}}\nsearch: coordinate\n"
        f"columns: {{town: {{taxonomy: {tree}}}, illness: {{role: other}}}}\n"
    )
    out = str(tmp_path / "r.csv")
    result = CliRunner().invoke(app, ["protect", str(path), "-p", str(policy), "-o", out])
    assert "Persons removed: 1 of 7" in result.output
    assert "5 of 17 rows" in result.output
    checked = CliRunner().invoke(app, ["check", str(policy), "--table", str(path)]).output
    assert "17 rows of 7 persons" in checked
    assert "persons alone in their group: 7 of 7" in checked
    assert "1 person" in checked
    found = check_policy(d.read_policy(policy), path)
    assert (found.persons, [preview.persons for preview in found.previews]) == (7, [True])
    assert d.protect(path, policy).audit.to_dict()["persons"] == {"suppressed": 1, "of": 7}
