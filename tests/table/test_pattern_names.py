"""Columns whose names Polars would read as patterns for others are columns like any other, on every engine."""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
import discreet.table.by_name
from discreet.assist.check import check_policy
from discreet.assist.draft import draft_policy
from discreet.assist.proposing.tally import count_values
from discreet.cli.app import app
from discreet.table.memory import needed, size_of_parquet
from tests.kinds import KINDS, to_rows
from tests.profiles import in_short
from tests.table.engines import frame_of

pytestmark = pytest.mark.xdist_group("pattern names")  # what plain names give is made once, by one process

PATTERNS = ["^x$", "^[$", "*", "^.*$"]
ROLES = ["person", "age", "job", "ill", "note", "pay"]
PLAIN = dict(zip(ROLES, ROLES, strict=True))
TURNS = [
    dict(zip(ROLES, [*names[turn:], *names[:turn]], strict=True))
    for names in [[*PATTERNS, "x", "y"]]
    for turn in range(len(ROLES))
]
"""Every name in every role, beside columns that it would match."""
SOURCE = Path(discreet.table.by_name.__file__).parents[1]


def table_of(names: dict[str, str], rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    plain = {
        "person": np.arange(1, rows + 1),
        "age": rng.integers(20, 40, rows),
        "job": rng.choice(["cook", "clerk", "nurse", "smith"], rows),
        "ill": rng.choice(["flu", "none", "cough"], rows),
        "note": rng.choice(["a", "b", ""], rows),
        "pay": rng.choice(["low", "high"], rows),
    }
    return pl.DataFrame({names[role]: values for role, values in plain.items()})


def group_policy(names: dict[str, str], **more: Any) -> d.Policy:
    """k-anonymity and a template, an identifier, a column that goes out as it is, a target."""
    return d.Policy(
        marker="#",
        use=d.Classify(names["pay"]),
        columns={
            names["person"]: d.Column(role="identifier"),
            names["age"]: d.Column(type="number"),
            names["note"]: d.Column(role="other"),
        },
        protect=[
            d.KAnonymity(k=4, over=[names["age"], names["job"]]),
            d.Template(given=[names["job"], names["age"]], infer={names["ill"]: "flu"}, at_most="40%"),
        ],
        **more,
    )


def cell_policy(names: dict[str, str]) -> d.Policy:
    """Confidential cells, and a person by whose name they are chosen."""
    return d.Policy(
        columns={names["person"]: d.Column(role="identifier")},
        protect=[
            d.Confidential(
                column=names["ill"],
                where={names["person"]: ["3", "11"]},
                predictors=[names["job"], names["note"], names["pay"]],
                against=["naive_bayes"],
            )
        ],
    )


def figures(audit: d.Audit) -> object:
    """What an audit says of a release, without names."""
    attacks = audit.attacks.found if audit.attacks is not None else ()
    answers = [promise.answer for promise in audit.verification.requirements]
    return answers, [(attack.name, attack.released, attack.of) for attack in attacks], audit.rows, audit.suppressed


def written(names: dict[str, str], folder: Path, form: str = "parquet") -> Path:
    path = folder / f"table.{form}"
    if form == "csv":
        table_of(names).write_csv(path)
    else:
        table_of(names).write_parquet(path)
    return path


def all_of(names: dict[str, str], policy: d.Policy, folder: Path, form: str = "parquet", **how: Any) -> list[object]:
    """What comes of protecting, writing, verifying and applying: columns in order, no names."""
    table = written(names, folder, form)
    release = d.protect(table, policy, seed=1, **how)
    shown = [name for role, name in names.items() if role != "person"]
    found: list[object] = [figures(release.audit)]
    for ending in ("parquet", "csv"):
        out = folder / f"release.{ending}"
        release.write(out, force=True)
        if how.get("engine") != "spark":  # there a release without its key has its rows in an order by lot
            assert d.verify(out, policy, table, **how).holds
        read = pl.read_csv(out, infer_schema=False) if ending == "csv" else pl.read_parquet(out)
        assert read.columns == shown
        found.append(sorted(map(str, read.rows())))
    if not release.plan.edits:  # those are not for other rows
        again = folder / "again.parquet"
        release.plan.apply(table, **how).write(again, force=True)
        found.append(sorted(map(str, pl.read_parquet(again).rows())))
    return found


@cache
def plainly(
    policy: Callable[[dict[str, str]], d.Policy], form: str = "parquet", engine: str | None = None
) -> list[object]:
    """What comes of all that where the names are plain."""
    with tempfile.TemporaryDirectory() as folder:
        return all_of(PLAIN, policy(PLAIN), Path(folder), form, engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize(("names", "kind"), [*zip(TURNS, ["polars", "pandas", "pyarrow"] * 2, strict=True)])
def test_frames(kind: str, names: dict[str, str]) -> None:
    release = d.protect(KINDS[kind](table_of(names)), group_policy(names))
    plain = d.protect(KINDS[kind](table_of(PLAIN)), group_policy(PLAIN))
    assert release.engine.columns == tuple(name for role, name in names.items() if role != "person")
    assert to_rows(release.table) == to_rows(plain.table)
    assert figures(release.audit) == figures(plain.audit)


@pytest.mark.slow
@pytest.mark.parametrize("names", in_short(TURNS[::2]))
@pytest.mark.parametrize(
    ("form", "engine"), [("csv", None), ("parquet", None), ("csv", "streaming"), ("parquet", "duckdb")]
)
def test_files(form: str, engine: str | None, names: dict[str, str], tmp_path: Path) -> None:
    assert all_of(names, group_policy(names), tmp_path, form, engine=engine) == plainly(group_policy, form, engine)


@pytest.mark.slow
@pytest.mark.parametrize("names", in_short(TURNS[::2]))
@pytest.mark.parametrize("engine", [None, "streaming", "duckdb"])
def test_confidential_cells(engine: str | None, names: dict[str, str], tmp_path: Path) -> None:
    assert all_of(names, cell_policy(names), tmp_path, engine=engine) == plainly(cell_policy, engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize(("names", "engine"), [(TURNS[0], "local"), (TURNS[3], "streaming")])
def test_attacks(engine: str, names: dict[str, str], tmp_path: Path) -> None:
    found = []
    for each in (names, PLAIN):
        table, policy, out = written(each, tmp_path), group_policy(each), tmp_path / "release.csv"
        d.protect(table, policy).write(out, force=True)
        found.append(figures(d.audit_release(out, policy, table, control=table, seed=1, engine=engine)))
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("names", in_short(TURNS[::2]))
@pytest.mark.parametrize("engine", [None, "streaming", "duckdb"])
def test_missing_values_and_removed_rows(engine: str | None, names: dict[str, str], tmp_path: Path) -> None:
    found = []
    for each in (names, PLAIN):
        table = written(each, tmp_path)
        missing, suppress = d.Missing(values=["b"], rows="drop"), d.Suppress(rows="remove")
        release = d.protect(table, group_policy(each, missing=missing, suppress=suppress), engine=engine)
        found.append((frame_of(release.table).rows(), figures(release.audit)))
    assert found[0] == found[1]


@pytest.mark.parametrize("names", TURNS)
def test_k_in_the_whole_table(names: dict[str, str]) -> None:
    """Where the groups of the release are put beside those of the original."""
    found = []
    for called in (PLAIN, names):
        known = [called["job"], called["note"]]
        policy = d.Policy(
            marker="#",
            columns={called["person"]: d.Column(role="identifier")},
            protect=[d.KAnonymity(k=12, over=known)],
            release=d.ReleaseOptions(sample="50%", k_on="population"),
        )
        release = d.protect(table_of(called), policy, seed=1)
        found.append((to_rows(release.table), figures(release.audit)))
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("names", TURNS[::3])
@pytest.mark.parametrize("engine", [None, "streaming", "duckdb"])
def test_thresholds_checks_and_values(engine: str | None, names: dict[str, str], tmp_path: Path) -> None:
    found: list[object] = []
    for called in (PLAIN, names):
        path = tmp_path / "table.parquet"
        table_of(called).write_parquet(path)
        policy = group_policy(called)
        points = d.frontier(path, policy, ["30%", "50%"], engine=engine).points
        checked = check_policy(policy, path)
        values = count_values(path, called["job"])
        found.append(([(point.threshold, point.detail) for point in points], checked.possible, values.rows))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", PATTERNS)
def test_columns_without_texts_and_with_categories(name: str) -> None:
    """Rows that miss a list are dropped; a category that no released row has is not told."""
    frame = pl.DataFrame({name: [[1], None, [2], [2]], "x": ["a", "b", "a", "a"]})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["x"])], missing=d.Missing(values=["?"], rows="drop"))
    release = d.protect(frame, policy)
    assert to_rows(release.table) == [([1], "a"), ([2], "a"), ([2], "a")]
    assert d.verify(release.table, policy, frame).holds
    kinds = pl.DataFrame({name: pl.Series(["a", "a"], dtype=pl.Enum(["a", "secret"])), "x": ["a", "a"]})
    made = d.protect(kinds, d.Policy(protect=[d.KAnonymity(k=2, over=["x"])])).table
    assert isinstance(made, pl.DataFrame)
    assert made.schema[name] == pl.Enum(["a"])


@pytest.mark.parametrize("name", PATTERNS)
def test_a_character_that_cannot_be_written_and_the_size_of_a_table(name: str, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({name: ["long text" * 10, "é"] * 500}).write_parquet(path)
    plain = tmp_path / "plain.parquet"
    pl.DataFrame({"plain": ["long text" * 10, "é"] * 500}).write_parquet(plain)
    assert abs(needed([path], size_of_parquet) - needed([plain], size_of_parquet)) < 1000  # only the names differ
    policy = d.Policy(file=d.FileOptions(encoding="ascii"), protect=[d.KAnonymity(k=2, over=[name])])
    release = d.protect(path, policy)
    with pytest.raises(d.InputError, match="has a character that ascii cannot write") as caught:
        release.write(tmp_path / "release.csv")
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("names", TURNS)
def test_drafts(names: dict[str, str], tmp_path: Path) -> None:
    """`init` finds the columns that single people out, as it would under other names."""
    path = tmp_path / "table.csv"
    table_of(names).write_csv(path)
    draft = draft_policy(path)
    plain = tmp_path / "plain.csv"
    table_of(dict(zip(ROLES, "abcdef", strict=True))).write_csv(plain)
    assert [names[ROLES["abcdef".index(name)]] for name in draft_policy(plain).known] == list(draft.known)
    assert CliRunner().invoke(app, ["init", str(path)]).stdout == draft.text


def test_only_one_place_asks_polars_for_a_column_by_a_name_that_is_not_ours() -> None:
    """`pl.col` reads patterns: elsewhere it gets names that stand in the code."""
    wrong = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("pl.col", "pl.exclude"):
                plain = all(isinstance(name, (ast.Constant, ast.JoinedStr)) for name in node.args)
                wrong += [] if plain else [f"{path.relative_to(SOURCE)}:{node.lineno}"]
    assert not wrong
