"""No release replaces its original in Python either, wherever that came from and whatever is forced."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

import discreet as d
from tests.table.formats.samples import KINDS, RULES, bank, sample

SAID = "belongs to the original, which is never replaced|is the database of the original"


def released(path: str | Path, engine: str | None = None) -> d.Release:
    Path("rules.yaml").write_text(RULES)
    return d.protect(path, "rules.yaml", engine=engine)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_any_kind_stays(kind: str, engine: str) -> None:
    source = sample(kind, Path(f"t.{kind}"))
    before = source.read_bytes()
    release = released(source, engine)
    for place in (f"t.{kind}", Path(f"t.{kind}").absolute(), f"../{Path.cwd().name}/t.{kind}"):
        with pytest.raises(d.InputError, match=SAID):
            release.write(place, force=True)
    assert source.read_bytes() == before
    release.write("other.csv" if KINDS[kind][0] == "SAS" else f"other.{kind}", force=True)


def test_links_mean_the_file() -> None:
    source = sample("csv", Path("t.csv"))
    Path("soft.csv").symlink_to(source)
    os.link(source, "hard.csv")
    for made in (released("t.csv"), released("soft.csv")):
        for place in ("t.csv", "soft.csv", "hard.csv"):
            with pytest.raises(d.InputError, match=SAID):
                made.write(place, force=True)


def test_a_sheet_of_the_workbook_is_the_workbook() -> None:
    sample("xlsx", Path("t.xlsx"))
    release = released("t.xlsx#Sheet1")
    for place in ("t.xlsx", "t.xlsx#Sheet1", "t.xlsx#Other"):
        with pytest.raises(d.InputError, match=SAID):
            release.write(place, force=True)


def test_a_folder_and_a_pattern_are_all_their_files() -> None:
    Path("many").mkdir()
    for name in ("a", "b"):
        bank().write_parquet(f"many/{name}.parquet")
    for table in ("many", "many/*.parquet"):
        with pytest.raises(d.InputError, match=SAID):
            released(table).write("many/b.parquet", force=True)
    with pytest.raises(d.InputError, match=SAID):
        released("many").write("many/new.parquet")
    released("many/*.parquet").write("new.parquet")


def test_a_database_of_duckdb_stays() -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = bank()
    with duckdb.connect("t.db") as database:
        database.execute("CREATE TABLE loans AS SELECT * FROM frame")
    assert frame.height == 24
    with pytest.raises(d.InputError, match=SAID):
        released("t.db#loans").write("t.db", force=True)


def test_the_original_is_known_from_another_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    source = sample("csv", Path("t.csv")).absolute()
    release = released("t.csv")
    Path("else").mkdir()
    monkeypatch.chdir("else")
    with pytest.raises(d.InputError, match=SAID):
        release.write(source, force=True)
    release.write("t.csv")
    assert pl.read_csv("t.csv").height == 24


def test_what_was_applied_to_stays_too() -> None:
    sample("csv", Path("t.csv"))
    sample("csv", Path("later.csv"))
    applied = released("t.csv").plan.apply("later.csv")
    with pytest.raises(d.InputError, match=SAID):
        applied.write("later.csv", force=True)


def test_a_table_from_nowhere_goes_anywhere() -> None:
    sample("csv", Path("t.csv"))
    Path("rules.yaml").write_text(RULES)
    d.protect(pl.read_csv("t.csv", infer_schema=False), "rules.yaml").write("t.csv", force=True)


def test_intervals_beside_a_release_are_not_the_original() -> None:
    """Their name may be that of the original."""
    Path("r.csv.intervals.csv").write_text("column,released,from,to\na,1,0,2\na,1,0,2\n")
    release = d.protect("r.csv.intervals.csv", d.Policy(protect=[d.KAnonymity(k=2, over=["column"])]))
    with pytest.raises(d.InputError, match=SAID):
        release.write("r.csv", force=True)
    assert Path("r.csv.intervals.csv").exists()
    assert not Path("r.csv").exists()
