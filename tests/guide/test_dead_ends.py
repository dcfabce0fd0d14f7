"""The five dead ends of a hospital's data manager: each says now where to go on."""

from __future__ import annotations

from itertools import chain, repeat
from pathlib import Path

import polars as pl

import discreet as d
from discreet.assist.advice import next_step
from discreet.assist.trials import TimeForAdvice
from tests.guide import tables
from tests.guide.test_whole_way import folder, run

__all__ = ["folder"]


def test_a_draft_has_no_empty_protect(folder: Path) -> None:
    tables.write(tables.hospital(60), folder / "t.csv")
    run("init", "t.csv", "--out", "p.yaml")
    assert d.read_policy("p.yaml").protect
    (folder / "empty.yaml").write_text("protect:\n")
    assert "discreet init TABLE --out POLICY" in run("check", "empty.yaml", code=2).stderr


def test_a_value_that_no_row_has_leads_to_those_there_are(folder: Path) -> None:
    tables.write(tables.hospital(60), folder / "t.csv")
    (folder / "p.yaml").write_text("protect: [{infer: {Verletzung: VALUE}, given: [PLZ], at_most: 75%}]\n")
    said = run("check", "p.yaml", "--table", "t.csv", code=2).stderr
    assert "discreet check POLICY --table TABLE --show-values" in said
    assert "{any: true}" in said
    assert "Fraktur" not in said
    listed = run("check", "p.yaml", "--table", "t.csv", "--show-values", code=2).stdout
    assert listed.startswith("PRIVATE")
    for value in ("keine", "Fraktur", "Prellung"):
        assert value in listed
    assert "E11.9" not in listed  # only what must not be inferred is listed
    assert "--show-values" in run("check", "p.yaml", "--show-values", code=2).stderr


def test_the_same_field_twice_says_how_to_begin_another_promise(folder: Path) -> None:
    (folder / "p.yaml").write_text(
        "protect:\n  - infer: {ill: yes}\n    given: [age]\n    at_most: 50%\n    given: [sex]\n"
    )
    said = run("check", "p.yaml", code=2).stderr
    assert "p.yaml:5: protect[0].given: stands here twice; keep one, or begin a further promise before it" in said


def test_words_are_not_grouped_by_the_alphabet_in_silence(folder: Path) -> None:
    tables.write(tables.survey(100), folder / "t.csv")
    said = run("taxonomy", "t.csv", "estudios", "--kind", "balanced").stderr
    assert "neighbours in the alphabet and mean nothing yet" in said
    assert "--order FIRST,...,LAST" in said
    order = "ninguno,primaria,secundaria,bachillerato,universidad"
    made = run("taxonomy", "t.csv", "estudios", "--order", order).stdout.splitlines()
    assert [line.split(";")[0] for line in made] == order.split(",")
    run("init", "t.csv", "--out", "p.yaml")
    assert d.read_policy("p.yaml").column("estudios").taxonomy is None


def postcodes() -> pl.DataFrame:
    """Postcodes that nobody shares, in areas that many share."""
    codes = [f"{area}{number:03}" for area in ("10", "20", "80") for number in range(40)]
    return pl.DataFrame({"zip": codes, "ill": ["flu", "cold", "gout"] * 40})


def test_a_postcode_that_is_wholly_hidden_comes_with_advice() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=10, over=["zip"])])
    release = d.protect(postcodes(), policy)
    assert release.audit.hidden_cells == {"zip": 120}
    said = next_step(release, "t.csv")
    assert said is not None
    assert said.startswith("zip is wholly hidden: with a taxonomy by prefix ")
    assert "discreet taxonomy t.csv zip --out zip.csv, then columns: zip: {taxonomy: zip.csv}" in said
    tree = d.propose_taxonomy(postcodes(), "zip")
    better = d.protect(postcodes(), policy.model_copy(update={"columns": {"zip": d.Column(taxonomy=tree)}}))
    assert f"{better.audit.detail:.0%} of it can be told" in said
    assert next_step(release, given=TimeForAdvice(0.0)) is None
    assert next_step(release, given=TimeForAdvice(5.0, chain([0.0], repeat(3.0)).__next__), price=2.5) is None


def test_many_suppressed_rows_are_said_before_the_verdict(folder: Path) -> None:
    (folder / "t.csv").write_text("a\n" + "x\n" * 50 + "y\n")
    (folder / "p.yaml").write_text("protect: [{k: 2, over: [a]}]\nsuppress: {rows: remove}\n")
    said = run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--quiet").stdout.splitlines()
    assert said[0] == "1 of 51 rows (~1.96%) are left out."
    assert said[1].startswith("Verified: r.csv, 50 rows")
