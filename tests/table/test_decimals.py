"""Numbers with a decimal comma, and those too long for a machine word, are read and released as they are written."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.audit.foreign import interval_text
from discreet.cli.app import app
from discreet.columns.intervals import Values, finder, intervals
from discreet.columns.scale import Numbers
from discreet.verification.truth import untrue
from tests.spark import session
from tests.table.engines import ALL

COSTS = ["1,5", "1,5", "1,6", "2,5", "2,5", "3,25", "4,75", "4,75", "5"]
RELEASED = ["<2,5"] * 3 + ["[2,5; 4,75)"] * 3 + [">=4,75"] * 3


def policy(decimal: str | None = None, **said: Any) -> d.Policy:
    column = d.Column(type="number", **said)
    file: dict[str, Any] = {} if decimal is None else {"decimal": decimal}
    return d.Policy(protect=[d.KAnonymity(k=3, over=["cost"])], columns={"cost": column}, file=file)


def written(folder: Path, costs: list[str] = COSTS, separator: str = ";") -> Path:
    path = folder / "t.csv"
    pl.DataFrame({"cost": costs, "note": ["a"] * len(costs)}).write_csv(path, separator=separator)
    return path


def costs_of(table: Any) -> list[str]:
    return list(table["cost"])


def test_a_comma_is_found_out_beside_semicolons(tmp_path: Path) -> None:
    path = written(tmp_path)
    release = d.protect(path, policy())
    assert costs_of(release.table) == RELEASED
    release.write(tmp_path / "r.csv")
    assert '"[2,5; 4,75)";a' in (tmp_path / "r.csv").read_text()
    assert d.verify(tmp_path / "r.csv", policy(), original=path).holds
    assert d.audit_release(tmp_path / "r.csv", policy(), original=path).verification.holds
    wrong = pl.DataFrame({"cost": [">=4,75"] * 9, "note": ["a"] * 9})
    assert not d.verify(wrong, policy(), original=path).holds


@pytest.mark.parametrize(
    ("costs", "separator", "said"),
    [
        (COSTS, ",", None),  # a comma is not found out where fields end with it
        ([*COSTS[:-1], "5.5"], ";", None),  # nor where another number has a point
        (COSTS, ";", "."),  # nor against the owner's word
    ],
)
def test_a_comma_is_not_guessed(tmp_path: Path, costs: list[str], separator: str, said: str | None) -> None:
    with pytest.raises(d.PolicyError, match="of the column are no number"):
        d.protect(written(tmp_path, costs, separator), policy(said))


def test_what_is_said_holds_for_every_text(tmp_path: Path) -> None:
    """In any text file and in frames of texts; a point is then in no number, for it could part thousands."""
    frame = pl.DataFrame({"cost": COSTS})
    for table in (written(tmp_path, separator="\t"), frame, frame.to_pandas(), frame.to_arrow()):
        release = d.protect(table, policy(","))
        found: Any = release.table
        assert [str(cost) for cost in found["cost"]] == RELEASED
        assert d.verify(found, policy(","), original=table).holds
    with pytest.raises(d.PolicyError, match="1 of the 6 different values of the column is no number"):
        d.protect(pl.DataFrame({"cost": [*COSTS[:-1], "1.500"]}), policy(","))


def test_columns_of_numbers_have_points_whatever_is_said() -> None:
    table = pl.DataFrame({"cost": [float(cost.replace(",", ".")) for cost in COSTS]})
    release = d.protect(table, policy(","))
    assert costs_of(release.table) == [text.replace(",", ".").replace(";", ",") for text in RELEASED]
    assert d.verify(release.table, policy(","), original=table).holds
    assert costs_of(release.plan.apply(table).table) == costs_of(release.table)


@pytest.mark.parametrize(
    ("said", "released"),
    [
        ({"ends": [2.5, "4.75"]}, ["<2,5", "[2,5; 4,75)", ">=4,75"]),
        ({"ends": [2.5, 4.75], "labels": ["low", "mid", "high"]}, ["low", "mid", "high"]),
        ({"ends": [2.5, 4.75], "open_ends": False}, ["[1,5; 2,5)", "[2,5; 4,75)", "[4,75; 5]"]),
        ({"form": "median"}, ["1,5", "2,5", "4,75"]),
    ],
)
def test_forms_of_intervals(tmp_path: Path, said: dict[str, Any], released: list[str]) -> None:
    """Ends have a point, as numbers in a policy do; what is released has the comma of the table."""
    path = written(tmp_path)
    release = d.protect(path, policy(**said))
    assert list(dict.fromkeys(costs_of(release.table))) == released
    release.write(tmp_path / "r.csv")
    assert d.verify(tmp_path / "r.csv", policy(**said), original=path).holds


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_a_plan_knows_the_comma(tmp_path: Path, recoding: str) -> None:
    rules = policy(ends=[2.5, 4.75]).model_copy(update={"recoding": recoding})
    release = d.protect(written(tmp_path), rules)
    kept = d.Plan.from_json(release.plan.to_json())
    assert kept.policy.file.decimal == ","
    more = written(tmp_path, ["0,5", "1", "2", "2,75", "3", "4", "9,5", "10", "11"])
    assert costs_of(kept.apply(more).table) == costs_of(release.table)
    assert costs_of(kept.apply(more, policy=rules).table) == costs_of(release.table)


def test_a_target_with_a_comma(tmp_path: Path) -> None:
    promise = d.KAnonymity(k=3, over=["note"])
    release = d.protect(written(tmp_path), d.Policy(use=d.Regress("cost"), protect=[promise]))
    assert costs_of(release.table) == COSTS


@pytest.mark.parametrize("engine", ALL)
def test_every_engine(engine: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    if engine == "spark":
        session()  # the one of all tests
    d.protect(path, policy(), engine=engine).write(tmp_path / "r.csv")
    found = pl.read_csv(tmp_path / "r.csv", separator=";", infer_schema=False)
    assert sorted(costs_of(found)) == sorted(RELEASED)
    if engine != "spark":
        assert d.verify(tmp_path / "r.csv", policy(), original=path, engine=engine).holds


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, separator="\t").rename("t.tsv")
    Path("p.yaml").write_text("protect: [{k: 3, over: [cost]}]\ncolumns: {cost: {type: number}}\n")

    def run(*words: str) -> str:
        result = CliRunner().invoke(app, list(words))
        assert result.exit_code == 0, result.output
        return result.output

    comma = ["--policy", "p.yaml", "--decimal", ","]
    assert CliRunner().invoke(app, ["check", "p.yaml", "--table", "t.tsv"]).exit_code == 2
    run("check", "p.yaml", "--table", "t.tsv", "--decimal", ",")
    run("protect", "t.tsv", *comma, "--out", "r.tsv", "--plan", "plan.json")
    assert "[2,5; 4,75)" in Path("r.tsv").read_text()
    run("verify", "r.tsv", *comma, "--original", "t.tsv")
    run("audit", "r.tsv", *comma, "--original", "t.tsv", "--report", "r.html")
    run("apply", "plan.json", "t.tsv", "--out", "again.tsv")
    run("apply", "plan.json", "t.tsv", *comma, "--out", "more.tsv")
    assert Path("again.tsv").read_text() == Path("r.tsv").read_text() == Path("more.tsv").read_text()
    assert CliRunner().invoke(app, ["check", "p.yaml", "--decimal", ";"]).exit_code == 2


def test_a_draft_says_the_comma(tmp_path: Path) -> None:
    rows = [f"{20 + n % 30};{n % 9},{n % 7}{n % 3};{'abc'[n % 3]}" for n in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["age;weight at birth;ward", *rows]) + "\n")
    result = CliRunner().invoke(app, ["init", str(tmp_path / "t.csv"), "--out", str(tmp_path / "p.yaml")])
    assert result.exit_code == 0, result.output
    lines = (tmp_path / "p.yaml").read_text().splitlines()
    draft = "\n".join(line.removeprefix("#") if "k: 10" in line else line for line in lines)
    said = yaml.safe_load(draft)
    assert said["file"]["decimal"] == ","
    assert said["columns"]["weight at birth"]["type"] == "number"
    assert 0.5 in said["columns"]["weight at birth"]["ends"]
    (tmp_path / "p.yaml").write_text(draft)
    assert d.protect(tmp_path / "t.csv", tmp_path / "p.yaml").audit.verification.holds


@given(st.lists(st.decimals(-999, 999, allow_nan=False, places=2), min_size=1, max_size=12), st.data())
def test_every_value_is_covered_by_its_text_alone(numbers: list[Decimal], data: st.DataObject) -> None:
    scale = Numbers(",")
    texts = [str(number).replace(".", ",") for number in numbers]
    found = sorted({scale.read(text) or Decimal(0) for text in texts})
    values = Values(tuple(found), (1,) * len(found), ("",) * len(found))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(found) - 1))) if len(found) > 1 else [])
    column = policy(",", open_ends=data.draw(st.booleans())).column("cost")
    made = intervals(values, column, cuts, "*")
    for text, number in zip(texts, numbers, strict=True):
        released = finder(made)(number)
        assert released is not None
        assert untrue([(text, released)], column, "*", []) == [False]
        others = [(text, other.text) for other in made if other.text != released]
        assert untrue(others, column, "*", []) == [True] * len(others)


def test_releases_of_other_tools_may_have_commas() -> None:
    found = [interval_text(text, Numbers(",")) for text in ("[1,5;2,5[", "1,5 - 2,5", ">1,5", "[1,5)", "[1.5; 2)")]
    assert found == ["[1,5; 2,5)", "[1,5; 2,5]", ">1,5", None, None]


@pytest.mark.parametrize(
    ("values", "released"),
    [
        ([Decimal("1.50"), Decimal("1.5"), Decimal("2.25"), Decimal("9")], ["<2.25", "<2.25", ">=2.25", ">=2.25"]),
        ([2**70, 2**70 + 1, 2**80, 5], [f"<{2**70 + 1}", f">={2**70 + 1}", f">={2**70 + 1}", f"<{2**70 + 1}"]),
        ([-(2**64), None, 2**64, 2**65], [f"<{2**64}", None, f">={2**64}", f">={2**64}"]),
    ],
)
def test_long_numbers_of_pandas_are_read_by_their_texts(values: list[Any], released: list[str | None]) -> None:
    table = pd.DataFrame({"cost": pd.Series(values, dtype=object), "note": ["a"] * 4})
    rules = d.Policy(
        protect=[d.KAnonymity(k=1 if None in values else 2, over=["cost"])],
        columns={"cost": d.Column(type="number", ends=[released[-1].lstrip("<>=")] if released[-1] else None)},
        missing=d.Missing(rows="value"),
    )
    release = d.protect(table, rules)
    found: Any = release.table
    assert [None if pd.isna(cost) else cost for cost in found["cost"]] == released
    assert d.verify(found, rules, original=table).holds


def test_long_numbers_go_out_as_they_are(tmp_path: Path) -> None:
    table = pd.DataFrame({"cost": pd.Series([Decimal("1.50"), Decimal("1.5"), Decimal(3)], dtype=object)})
    rules = d.Policy(protect=[d.KAnonymity(k=1, over=["cost"])])
    release = d.protect(table, rules)
    found: Any = release.table
    assert [str(cost) for cost in found["cost"]] == ["1.50", "1.5", "3"]
    release.write(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "cost\n1.50\n1.5\n3\n"


def test_the_schema_knows_it() -> None:
    result = CliRunner().invoke(app, ["schema"])
    assert "decimal" in json.loads(result.output)["$defs"]["FileOptions"]["properties"]


def test_decimals_that_are_equal_but_written_otherwise_are_counted_apart() -> None:
    """They can be told apart in the release, so neither hides among the others."""
    values = [Decimal("1.0"), Decimal("1.00"), Decimal("1.0"), Decimal("1.0")]
    table = pd.DataFrame({"cost": pd.Series(values, dtype=object)})
    rules = d.Policy(protect=[d.KAnonymity(k=2, over=["cost"])])
    assert not d.verify(table, rules).holds
    found: Any = d.protect(table, rules).table
    assert "1.00" not in [str(cost) for cost in found["cost"]]
