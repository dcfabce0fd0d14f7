"""Drafts leave out what names people, guess what is known, and write down no value."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.assist.draft import draft_policy
from discreet.assist.drafting.looks import look_at, look_at_codes
from discreet.cli.app import app
from discreet.encoded import encode


def visits(folder: Path) -> Path:
    """500 visits of 120 patients: nobody is unique, and everything names somebody."""
    patients = [n % 120 for n in range(500)]
    frame = pl.DataFrame(
        {
            "PatientID": [f"P{n:04}" for n in patients],
            "FullName": [f"First{n % 90} Last{n}" for n in patients],
            "email": [f"p{n}@example.org" for n in patients],
            "SSN": [f"{n:03}-11-{n * 7 % 10000:04}" for n in patients],
            "dob": [f"19{n % 60 + 30}-0{n % 9 + 1}-1{n % 9}" for n in patients],
            "zip": [str(10000 + n % 40) for n in patients],
            "sex": ["fm"[n % 2] for n in patients],
            "Kosten (EUR)": [f"{n * 13 % 9973},{n % 100:02}" for n in range(500)],
            "Ort": ["k.A." if n % 50 == 0 else f"Ort {n % 7}" for n in range(500)],
            "Bemerkung": [f"Patientin kam am Morgen in Begleitung, Gespräch mit Frau Nr {n}" for n in range(500)],
            "diagnosis": [["flu", "cold", "HIV", "asthma"][n * 7 % 4] for n in range(500)],
        }
    )
    frame.write_csv(folder / "visits.csv", separator=";")
    return folder / "visits.csv"


def test_what_names_people_is_left_out(tmp_path: Path) -> None:
    draft = draft_policy(visits(tmp_path))
    out = {look.name for look in draft.looks if look.identifier}
    assert out == {"PatientID", "FullName", "email", "SSN", "Bemerkung"}
    assert {"dob", "zip", "sex"} <= set(draft.known)
    assert "diagnosis" not in draft.known


def test_kinds_and_signs_of_missing_values(tmp_path: Path) -> None:
    draft = draft_policy(visits(tmp_path))
    kinds = {look.name: look.kind for look in draft.looks}
    assert (kinds["Kosten (EUR)"], kinds["dob"], kinds["zip"], kinds["Bemerkung"]) == (
        "decimal",
        "date",
        "code",
        "text",
    )
    assert '#missing: {values: ["k.A."], rows: drop}' in draft.text
    assert 'separator: ";"' in draft.text


def test_no_value_is_in_a_draft(tmp_path: Path) -> None:
    text = draft_policy(visits(tmp_path)).text
    for value in ("HIV", "asthma", "P0001", "First1", "example.org", "10001", "Ort 1"):
        assert value not in text


def test_commented_lines_can_be_used_as_they_are(tmp_path: Path) -> None:
    text = draft_policy(visits(tmp_path)).text
    comment = '#  "Kosten (EUR)": {role: other}'  # quoted where YAML needs it
    assert comment in text
    path = tmp_path / "p.yaml"
    path.write_text(text.replace(comment, comment[1:]).replace("#missing", "missing"), encoding="utf-8")
    assert d.read_policy(path).column("Kosten (EUR)").role == "other"


def test_a_table_without_anything_to_guess(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("x\n1\n1\n")
    assert draft_policy(tmp_path / "one.csv").known == ("x",)


def test_dates_and_codes_get_what_fits_them(tmp_path: Path) -> None:
    rows = ["13/02/1980,01067,05/06/2020", "01/03/1990,10115,07/08/2021", "25/12/1975,80331,01/02/2022"]
    (tmp_path / "t.csv").write_text("\n".join(["dob,plz,birth2", *rows]) + "\n")
    looks = {look.name: look for look in draft_policy(tmp_path / "t.csv").looks}
    assert (looks["dob"].type, looks["dob"].date_format) == ("date", "%d/%m/%Y")
    assert looks["birth2"].type is None  # day and month could be swapped
    assert (looks["plz"].kind, looks["plz"].type) == ("code", None)


@pytest.mark.parametrize("sign", ["", "NA"])
def test_a_draft_with_missing_numbers_passes_check(tmp_path: Path, sign: str) -> None:
    rows = [f"{20 + n % 7 if n % 9 else sign},{'fm'[n % 2]},2024-01-{n % 9 + 10} 13:45,k.A." for n in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex,birth,town", *rows]) + "\n")
    draft = draft_policy(tmp_path / "t.csv").text
    assert f'\nmissing: {{values: ["{sign}"], rows: value}}\n' in draft
    assert "birth: {type: date}" in draft
    (tmp_path / "p.yaml").write_text(draft)
    result = CliRunner().invoke(app, ["check", str(tmp_path / "p.yaml"), "--table", str(tmp_path / "t.csv")])
    assert result.exit_code == 0, result.output
    assert "missing value" not in result.output


@given(
    st.lists(st.sampled_from([None, "", "?", "NA", "7", "42", "0042", "1.5", "2024-01", "2024-01-31", "a", "b" * 90]))
)
def test_a_column_looks_the_same_by_its_codes(values: list[str | None]) -> None:
    column = pl.Series("zip", values, dtype=pl.String)
    assert look_at_codes("zip", encode(column), ".") == look_at(column, ".")
    look = look_at(column, ".")
    told = [value for value in values if value not in (None, "", "?", "NA")]
    assert (look.distinct, sum(look.missing.values())) == (len(set(told)), len(values) - len(told))
    long = bool(told) and sum(map(len, told)) > 40 * len(told)
    assert (look.kind == "text") is (long and look.kind not in ("number", "code", "decimal", "date"))
