"""Promises about groups count rows: where an identifier stands in several, everybody who asks is warned."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.assist.draft import draft_policy
from discreet.cli.app import app

K = "60 rows of 6 patient: k counts rows"


def visits(patients: int = 6, each: int = 10) -> pl.DataFrame:
    """Patients with a town each, and so many visits."""
    who = [place for place in range(patients) for _ in range(each)]
    return pl.DataFrame(
        {"patient": [f"p{one}" for one in who], "town": [f"T{one}" for one in who], "ill": ["y", "n"] * (len(who) // 2)}
    )


def policy(*protect: d.KAnonymity | d.Template, **said: object) -> d.Policy:
    columns = {"patient": d.Column(role="identifier")}
    asked = protect or (d.KAnonymity(k=10, over=["town"]),)
    return d.Policy.model_validate({"columns": columns, "protect": asked, **said})


def about_rows(warnings: tuple[str, ...]) -> list[str]:
    return [warning for warning in warnings if "rows of" in warning]


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
def test_ten_visits_of_one_patient_are_no_crowd(engine: str, tmp_path: Path) -> None:
    visits().write_csv(tmp_path / "visits.csv")
    release = d.protect(tmp_path / "visits.csv", policy(), engine=engine)
    (warning,) = about_rows(release.audit.warnings)
    assert warning.startswith(K)
    assert "one patient; write unit: patient" in warning
    assert not any(name in warning for name in visits()["patient"].unique())
    (again,) = about_rows(release.plan.apply(tmp_path / "visits.csv", policy=policy(), engine=engine).audit.warnings)
    assert again == warning


def test_templates_count_rows_too() -> None:
    template = d.Template(given=["town"], infer={"ill": "y"}, at_most="50%")
    (warning,) = about_rows(d.protect(visits(), policy(template)).audit.warnings)
    assert warning.startswith("60 rows of 6 patient: a template counts rows")
    (warning,) = about_rows(d.protect(visits(), policy(template, d.KAnonymity(k=5, over=["town"]))).audit.warnings)
    assert warning.startswith("60 rows of 6 patient: k and templates count rows")


def test_other_people_s_releases_are_looked_at() -> None:
    table = visits()
    audit = d.audit_release(table.drop("patient"), policy(), table, time_limit=0)
    assert [warning[: len(K)] for warning in about_rows(audit.warnings)] == [K]


def test_who_stands_in_one_row_is_one_person() -> None:
    once = visits(60, 2).unique("patient")
    assert about_rows(d.protect(once, policy(d.KAnonymity(k=2, over=["town"]))).audit.warnings) == []


def test_missing_identifiers_are_no_person() -> None:
    table = visits(10, 2).unique("patient", maintain_order=True)
    table = table.with_columns(pl.Series("patient", [None, None, "?", "?", *table["patient"][4:]]))
    missing = d.Missing(values=["?"], rows="value")
    found = d.protect(table, policy(d.KAnonymity(k=2, over=["town"]), missing=missing)).audit.warnings
    assert about_rows(found) == []


def test_cells_are_not_counted_in_groups() -> None:
    cell = d.Confidential(column="town", rows=[1], predictors=["ill"], against=["id3"])
    asked = d.Policy(columns={"patient": d.Column(role="identifier")}, protect=[cell])
    assert about_rows(d.protect(visits(), asked, seed=1).audit.warnings) == []


def test_the_commands_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    visits().rename({"patient": "patient id"}).write_csv("visits.csv")
    Path("p.yaml").write_text('columns: {"patient id": {role: identifier}}\nprotect: [{k: 10, over: [town]}]\n')
    said = "60 rows of 6 patient id: k counts rows"
    for words in (
        ["check", "p.yaml", "--table", "visits.csv"],
        ["protect", "visits.csv", "-p", "p.yaml", "-o", "r.csv"],
    ):
        result = CliRunner().invoke(app, words)
        assert f"Warning: {said}" in result.output, words
    assert f"# Beware: {said}" in CliRunner().invoke(app, ["init", "visits.csv"]).output
    assert f"Warning: {said}" in CliRunner().invoke(app, ["init", "visits.csv", "-o", "draft.yaml"]).output
    assert draft_policy("visits.csv").warnings[0].startswith(said)
