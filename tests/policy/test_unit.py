"""`unit`: what a policy may say of persons with several rows, and what it is told where that does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.policy.persons import number_column
from discreet.policy.requirements.any_of import AnyOf, also_knowing

K: dict[str, Any] = {"k": 2, "over": ["q"]}
TEMPLATE: dict[str, Any] = {"infer": {"s": "x"}, "given": ["q"], "at_most": "90%"}
TOKEN = {"who": {"role": "identifier", "release": "token"}}


def rows(**columns: list[str | None]) -> pl.DataFrame:
    made: dict[str, list[str | None]] = {"who": ["1", "1", "2", "3"], "q": list("aabb"), "s": list("xyxy")}
    return pl.DataFrame({**made, **columns})


def policy(**said: Any) -> d.Policy:
    return d.Policy.from_dict({"protect": [K], **said})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"unit": 3}, "unit: write the column that says whose row it is"),
        ({"unit": {"rows": "known"}}, "unit.id: is missing"),
        ({"unit": {"id": "who", "knows": "two_rows"}}, "unit.knows: write one of"),
        ({"unit": {"id": "who", "knows": "one_row", "rows": "unknown"}}, "does not know how many"),
        ({"unit": {"id": "who", "knows": "one_row"}, "protect": [TEMPLATE]}, "serves k alone, not item 1 of protect"),
        ({"unit": {"id": "who", "knows": "one_row"}, "recoding": "local"}, "does not know recoding: local"),
        ({"unit": {"id": "who", "rows": "unknown"}, "columns": TOKEN}, "take rows: unknown or release: token out"),
        ({"unit": "who", "columns": {"who": {"role": "other"}}}, "write role: identifier"),
        ({"columns": TOKEN}, "write unit: who too"),
        ({"columns": {"q": {"role": "other", "release": "token"}}}, "only an identifier is released as a token"),
        ({"unit": "who", "release": {"sample": "50%", "k_on": "population"}}, "write k_on: sample"),
        ({"unit": "who", "protect": [K, {**K, "among": "all.csv"}]}, "does not know 'among' of item 2 of protect"),
        (
            {"unit": {"id": "who", "knows": "one_row"}, "protect": [{**K, "among": "all.csv"}]},
            "does not know 'among' of item 1",
        ),
        (
            {"unit": "who", "protect": [K, {"column": "s", "rows": [1], "at_most": "50%"}]},
            "blind",
        ),
    ],
)
def test_what_does_not_go_together_is_said(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError, match=message.replace(".", r"\.")):
        policy(**said)


@pytest.mark.parametrize(
    ("table", "said", "message"),
    [
        (rows(who=["1", None, "2", "3"]), {"unit": "who"}, "1 row has no 'who', and nobody knows whose they are"),
        (
            rows(who=["1", "?", "2", "?"]),
            {"unit": "who", "missing": {"values": ["?"], "rows": "value"}},
            "2 rows have no 'who'",
        ),
        (rows(), {"unit": "whom"}, "no column 'whom'"),
        (rows(), {"unit": "q"}, "'q' is the unit"),
        (
            rows(),
            {"unit": "who", "protect": [{"l": 2, "of": "s", "over": ["q"]}]},
            r"1 of the 3 who have several values of 's', .* write infer: \{s: \{any: true\}\}",
        ),
        (rows(q=list("abab")), {"unit": "who", "recoding": "local"}, "'q' differ; write recoding: global"),
    ],
)
def test_what_does_not_fit_a_table_is_said(table: pl.DataFrame, said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError, match=message):
        d.protect(table, policy(**said))


def test_errors_end_with_two_and_tell_no_value(tmp_path: Path) -> None:
    rows(who=["secret-1", None, "secret-2", "secret-3"]).write_csv(tmp_path / "t.csv")
    (tmp_path / "p.json").write_text(json.dumps({"protect": [K], "unit": "who"}))
    for command in ("protect", "check"):
        table = ["--table", str(tmp_path / "t.csv")]
        place = [str(tmp_path / "t.csv"), "--policy", str(tmp_path / "p.json"), "--out", str(tmp_path / "o.csv")]
        said = place if command == "protect" else [str(tmp_path / "p.json"), *table]
        result = CliRunner().invoke(app, [command, *said])
        assert result.exit_code == 2
        assert "whose they are" in result.output.replace("\n", " ")
        assert "secret" not in result.output
    assert not (tmp_path / "o.csv").exists()


def test_a_policy_is_written_and_read_again() -> None:
    for unit in ("who", {"id": "who", "rows": "unknown"}, {"id": "who", "knows": "one_row"}):
        made = policy(unit=unit)
        assert d.Policy.from_dict(made.to_dict()) == made
    assert policy(unit="who").to_dict()["unit"] == {"id": "who"}
    assert "unit" not in policy().to_dict()
    assert policy(unit="who").identifiers == ("who",)
    assert policy(unit="who", columns=TOKEN).identifiers == ()


def test_check_speaks_of_persons(tmp_path: Path) -> None:
    rows().write_csv(tmp_path / "t.csv")
    (tmp_path / "p.json").write_text(json.dumps({"protect": [K], "unit": {"id": "who", "rows": "unknown"}}))
    result = CliRunner().invoke(app, ["check", str(tmp_path / "p.json"), "--table", str(tmp_path / "t.csv")])
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert "finds at least 2 persons who could be the one" in said
    assert "the smallest group has 1 person" in said
    assert "persons alone in their group: 1" in said


def test_the_number_of_rows_is_known_whichever_columns_are() -> None:
    assert number_column(["number of rows", "number of rows_"]) == "number of rows__"
    some = also_knowing(AnyOf(2, ["a", "b", "c"]), "n")
    assert isinstance(some, AnyOf)
    assert some.sets == (("a", "b", "n"), ("a", "c", "n"), ("b", "c", "n"))
    assert some != AnyOf(2, ["a", "b", "c", "n"])
