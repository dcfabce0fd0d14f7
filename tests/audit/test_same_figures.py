"""A figure that stands in several places is the same in all of them: terminal, owner's report, public report, JSON."""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from discreet.cli.app import app
from discreet.compare.natural import natural_order
from discreet.policy import Column
from tests import commands

pytestmark = pytest.mark.xdist_group("same figures")  # made once, by the process that runs them

K = """
use: general
protect: [{k: 5, over: [age, town, job]}]
columns:
  age: {type: number, ends: [20, 30, 40, 50, 60, 70, 80]}
  town: {taxonomy: {"*": {North: [Oslo, Turku], South: [Rome, Bari]}}}
  income: {role: other}
"""
BANK = commands.DEMO


def people(rows: int = 300) -> pl.DataFrame:
    """Return a table in which some rows have to be suppressed, and with them every poet."""
    rng = np.random.default_rng(1)
    age = rng.integers(20, 80, rows)
    town = rng.choice(["Oslo", "Turku", "Rome", "Bari"], rows, p=[0.6, 0.25, 0.13, 0.02])
    job = rng.choice(["clerk", "cook", "judge", "smith", "poet"], rows, p=[0.5, 0.3, 0.16, 0.03, 0.01])
    return pl.DataFrame({"age": age, "town": town, "job": job, "income": rng.choice(["high", "low"], rows)})


def said(path: Path) -> str:
    """Return the words of a report, one cell after the other."""
    text = re.sub(r"(?s)<(script|style|svg).*?</\1>", "", path.read_text(encoding="utf-8"))
    return html.unescape(re.sub(r"(?:<[^>]+>)+", "|", text))


def figure(text: str, after: str) -> str:
    """Return the cell after another one."""
    return text.partition(f"|{after}|")[2].partition("|")[0]


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def suppressing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what is made of a table with k-anonymity, where rows are suppressed."""
    folder = tmp_path_factory.mktemp("people")
    people().write_csv(folder / "table.csv")
    (folder / "policy.yaml").write_text(K, encoding="utf-8")
    return made(folder)


@pytest.fixture(scope="module")
def disclosing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return what is made of a table by top-down disclosure, which suppresses no row."""
    folder = tmp_path_factory.mktemp("bank")
    shutil.copy(BANK / "bank.csv", folder / "table.csv")
    shutil.copy(BANK / "bank.yaml", folder / "policy.yaml")
    return made(folder)


def made(folder: Path) -> Path:
    table, policy, out = (str(folder / name) for name in ("table.csv", "policy.yaml", "release.csv"))
    reports = ["--report", str(folder / "own.html"), "--public-report", str(folder / "public.html")]
    release = ["audit", out, "-p", policy, "--original", table]
    for name, words in (
        ("protect.txt", ["protect", table, "-p", policy, "-o", out, *reports]),
        ("audit.txt", release),
        ("audit.json", [*release, "--json"]),
    ):
        (folder / name).write_text(run(*words), encoding="utf-8")
    return folder


def lines_of(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made_by", "changeable"), [("suppressing", ["age", "town", "job"]), ("disclosing", ["Job", "Country"])]
)
def test_groups_are_counted_alike_everywhere(
    made_by: str, changeable: list[str], request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(made_by)
    audit = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    sizes = (
        pl.read_csv(folder / "release.csv", infer_schema=False).group_by(changeable).len().get_column("len").to_list()
    )
    groups, smallest, average = str(len(sizes)), str(min(sizes)), sum(sizes) / len(sizes)
    line = f"{groups} groups of rows alike, {average:.1f} rows on average, at least {smallest}."
    assert line in lines_of(folder, "protect.txt")
    assert line in lines_of(folder, "audit.txt")
    assert [audit["usefulness"][name] for name in ("groups", "smallest")] == [int(groups), int(smallest)]
    assert audit["risk"][0]["groups"]["after"] == int(groups)
    own, public = said(folder / "own.html"), said(folder / "public.html")
    assert figure(own, "Groups of rows that look alike on all of them") == groups
    assert figure(public, "Groups of rows that look alike on all columns that may change") == groups
    for page in (own, public):
        assert figure(page, "Rows in the smallest group") == smallest


@pytest.mark.slow
def test_the_error_without_any_column_is_the_same_everywhere(disclosing: Path) -> None:
    """It once was that of the few rows that test: 88% where 37.5% of all rows are not of the commonest class."""
    audit = json.loads((disclosing / "audit.json").read_text(encoding="utf-8"))
    learned = [one["nothing"] for one in audit["utility"]["learned"]]
    assert learned == [9 / 24] * len(learned) != []
    assert [one["nothing"] for one in audit["usefulness"]["targets"]] == [9 / 24]
    for name in ("protect.txt", "audit.txt"):
        assert "37.5% if nothing were known" in (disclosing / name).read_text(encoding="utf-8")
    assert "37.5% knowing nothing" in (disclosing / "audit.txt").read_text(encoding="utf-8")
    public = said(disclosing / "public.html")
    lines = re.findall(r"\|Rating by \w+ \(error\)(?:\|\s*)+\d+%(?:\|\s*)+\d+%(?:\|\s*)+(\d+%)", public)
    assert set(lines) == {"38%"}


@pytest.mark.slow
def test_what_the_groups_tell_is_the_same_in_both_commands(disclosing: Path) -> None:
    """`audit` once took rows that top-down disclosure hides for suppressed ones, which cost more."""
    told = [line for name in ("protect.txt", "audit.txt") for line in lines_of(disclosing, name) if "majority" in line]
    assert len(told) == 2
    assert told[0] == told[1]


@pytest.mark.slow
def test_intervals_stand_in_their_order(suppressing: Path) -> None:
    table = said(suppressing / "public.html").rpartition("age in the release")[2].partition("in the release")[0]
    told = [cell.strip() for cell in table.split("|") if re.match(r"[<>\[]", cell)]
    released = set(pl.read_csv(suppressing / "release.csv").get_column("age")) - {"*"}
    order = natural_order(told, Column(type="number"))
    assert order is not None
    assert told == sorted(released, key=order)
    assert len(told) > 2


@pytest.mark.slow
def test_only_texts_that_occur_are_called_shown(suppressing: Path) -> None:
    released = pl.read_csv(suppressing / "release.csv", infer_schema=False).get_column("job").unique()
    assert "poet" not in released
    lines = lines_of(suppressing, "protect.txt")
    line = next(
        line for line in lines[lines.index(next(x for x in lines if x.startswith("What"))) :] if " job " in line
    )
    shown, hidden = re.split(r"\s{2,}", line.strip())[1:3]
    assert set(shown.split(", ")) == set(released) - {"*"}
    assert "poet" in hidden.split(", ")


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (Column(type="number"), ["<-5", "[-5 to -1]", "0", "[1-4]", "[5, 10)", "10", ">=11", "*"]),
        (Column(type="date"), ["<2024-01-01", "[2024-01-01 to 2024-02-05]", "2024-03-01", ">=2024-04-01", "(missing)"]),
        (Column(type="number", ends=["5", "9"], labels=["b", "c", "a"]), ["b", "c", "a", "*"]),
        (None, ["2", "9", "10", "100", "*"]),
    ],
)
def test_natural_order(column: Column | None, texts: list[str]) -> None:
    order = natural_order(texts, column)
    assert order is not None
    assert sorted(sorted(texts), key=order) == texts
    assert natural_order(["cook", "clerk", "2"], None) is None
