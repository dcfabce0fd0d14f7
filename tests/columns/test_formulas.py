"""Texts that spreadsheet programs take for formulas: left alone, or written so that they are texts and read back."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.columns.formulas import escaped, escaped_texts, unescaped, unescaped_texts

ENGINES = ["local", "streaming", "duckdb"]
TEXTS = st.text(st.sampled_from("=+-@\t\r\n'0159.,eEx "), max_size=5)
CELLS = ["=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(A1)", "\t=1", "'=1", "''=1", "'", "-5", "+3", "-0.5", "-1,5", "-"]
WRITTEN = {
    "-5": "-5",
    "+3": "+3",
    "-0.5": "-0.5",
    "-1,5": "-1,5",
    "'": "'",
}
NAME = "=name"


@given(st.lists(st.none() | TEXTS, min_size=1))
def test_what_is_escaped_is_no_formula_and_comes_back(texts: list[str | None]) -> None:
    frame = pl.DataFrame({"a": texts}, schema={"a": pl.String})
    written = escaped(frame)
    assert unescaped(written.lazy()).collect().equals(frame)
    told = [text for text in texts if text is not None]
    assert written["a"].drop_nulls().to_list() == escaped_texts(told)
    assert unescaped_texts(escaped_texts(told)) == told
    for text in escaped_texts(told):
        assert not text.startswith(("=", "@", "\t", "\r", "\n"))
        if text.startswith(("+", "-")):
            assert not set(text) - set("+-0123456789.,eE")
            float(text.replace(",", "").rstrip(".") or "x")


def policy(**file: object) -> d.Policy:
    return d.Policy(protect=[d.KAnonymity(k=2, over=["a"])], file=d.FileOptions(**file))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    pl.DataFrame({"a": ["=x", "=x", *["y"] * (len(CELLS) - 2)], NAME: CELLS}).write_csv(path)
    return path


def lines(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("engine", ENGINES)
def test_formulas_go_out_as_they_came_in_unless_the_policy_says_otherwise(table: Path, engine: str) -> None:
    out = table.with_name("r.csv")
    d.protect(table, policy(), engine=engine).write(out)
    assert lines(out) == lines(table)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("header", [True, ("a", "'=name")])
def test_escaped_formulas_are_verified_audited_and_applied(
    table: Path, engine: str, header: bool | tuple[str, ...]
) -> None:
    if header is not True:
        table.write_bytes(table.read_bytes().partition(b"\n")[2])
    rules = policy(escape_formulas=True, header=header)
    out, again = table.with_name("r.csv"), table.with_name("again.csv")
    release = d.protect(table, rules, engine=engine)
    release.write(out)
    names, *rows = lines(out) if header is True else [["a", "'=name"], *lines(out)]
    assert names == ["a", "'=name"]
    assert [row[1] for row in rows] == [WRITTEN.get(cell, f"'{cell}") for cell in CELLS]
    assert [row[0] for row in rows[:3]] == ["'=x", "'=x", "y"]
    assert d.verify(out, rules, table, engine=engine).holds
    assert d.audit_release(out, rules, table, engine=engine).verification.holds
    release.plan.apply(table, engine=engine).write(again)
    assert again.read_bytes() == out.read_bytes()


def test_without_the_option_an_escaped_release_is_not_true(table: Path) -> None:
    out = table.with_name("r.csv")
    d.protect(table, policy(escape_formulas=True)).write(out)
    assert not d.verify(out, policy(), table).holds


def test_parquet_and_tables_in_memory_stay_as_they_are(table: Path) -> None:
    rules, out = policy(escape_formulas=True), table.with_name("r.parquet")
    release = d.protect(table, rules)
    release.write(out)
    assert pl.read_parquet(out).get_column(NAME).to_list() == CELLS
    assert d.verify(out, rules, table).holds
    assert d.verify(release.table, rules, table).holds


def test_medians_of_a_column_with_such_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({NAME: ["-5", "-4", "20", "21"]}).write_csv("t.csv")
    Path("p.yaml").write_text(
        f"file: {{escape_formulas: true}}\nprotect: [{{k: 2, over: ['{NAME}']}}]\n"
        f"columns: {{'{NAME}': {{type: number, form: median}}}}\n",
        encoding="utf-8",
    )
    for words in (["protect", "t.csv", "-p", "p.yaml", "-o", "r.csv"], ["verify", "r.csv", "-p", "p.yaml"]):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
    assert {line[0] for line in lines(tmp_path / "r.csv.intervals.csv")[1:]} == {f"'{NAME}"}
