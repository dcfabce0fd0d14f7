"""SQLite databases: which table is read, the texts of its cells, and releases as new tables in one transaction."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.common.staging import Staging
from discreet.policy import FileOptions
from discreet.table.source import open_source
from tests.commands import DEMO, run
from tests.table.formats.test_round_trips import POLICY, nasty, texts_of

BANK, RULES = str(DEMO / "bank.csv"), str(DEMO / "bank.yaml")


def made(path: Path, *statements: str) -> Path:
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return path


def read(path: str | Path) -> pl.DataFrame:
    frame = open_source(path, FileOptions()).native()
    assert isinstance(frame, pl.DataFrame)
    return frame


def rows(path: Path, table: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(path)
    try:
        return database.execute(f'SELECT * FROM "{table}"').fetchall()
    finally:
        database.close()


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
def test_every_text_comes_back(engine: str, tmp_path: Path) -> None:
    release = d.protect(nasty(), POLICY, engine=engine)
    for name in ("new.sqlite", "new.db#odd \"name'; DROP TABLE x; --", "new.db#second"):
        release.write(tmp_path / name)
        path = tmp_path / name
        assert d.verify(path, POLICY, original=nasty()).holds
    assert rows(tmp_path / "new.db", "second") == nasty().rows()
    (tmp_path / "new.db").rename(tmp_path / "two.db")
    assert texts_of(tmp_path / "two.db#second", None if engine == "local" else engine).equals(nasty())


def test_cells_have_the_texts_of_the_database(tmp_path: Path) -> None:
    path = made(
        tmp_path / "t.db",
        "CREATE TABLE t (a INTEGER, b REAL, c TEXT, d)",
        "INSERT INTO t VALUES (7, 1.0, '007', 'x'), (NULL, 0.1, '', 1), (-1, NULL, NULL, 2.5)",
    )
    assert read(path).rows() == [("7", "1.0", "007", "x"), (None, "0.1", "", "1"), ("-1", None, None, "2.5")]


def test_rows_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = made(
        tmp_path / "t.db",
        "CREATE TABLE t (a, b)",
        "INSERT INTO t (rowid, a, b) VALUES (3, 'c', 1), (1, 'a', 3), (2, 'b', 2)",
        "CREATE INDEX i ON t (b, a)",
        "CREATE TABLE w (k PRIMARY KEY, v) WITHOUT ROWID",
        "INSERT INTO w VALUES ('b', 1), ('a', 2)",
        "CREATE VIEW v AS SELECT a FROM t ORDER BY b",
    )
    assert read(f"{path}#t")["a"].to_list() == ["a", "b", "c"]
    assert read(f"{path}#w")["k"].to_list() == ["a", "b"]
    assert read(f"{path}#v")["a"].to_list() == ["c", "b", "a"]


def test_which_table_is_read(tmp_path: Path) -> None:
    path = made(tmp_path / "t.db", 'CREATE TABLE "a#b" (x)', 'INSERT INTO "a#b" VALUES (1)', "CREATE TABLE other (x)")
    assert read(f"{path}#a#b").rows() == [("1",)]
    with pytest.raises(d.InputError, match=r"t.db: name a table as .*t.db#TABLE; there is a#b and other"):
        read(path)
    with pytest.raises(d.InputError, match=r"there is no table 'othr'; there is a#b and other; did you mean 'other'\?"):
        read(f"{path}#othr")
    with pytest.raises(d.InputError, match="the database has no tables"):
        read(made(tmp_path / "none.db", "CREATE TABLE t (a)", "DROP TABLE t"))


def test_bytes_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "t.db", "CREATE TABLE t (a, b)", "INSERT INTO t VALUES ('x', 'y'), ('z', x'00ff')")
    with pytest.raises(d.InputError, match=r"column 'b' holds bytes \(BLOB\)"):
        read(path)


@pytest.mark.slow
def test_a_release_is_a_new_table_beside_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = made(Path("public.db"), "CREATE TABLE kept (a)", "INSERT INTO kept VALUES (1)")
    told = run("protect", BANK, "-p", RULES, "-o", "public.db#loans", "--plan", "plan.json").stdout
    assert "Written: public.db#loans, plan.json (private)" in told
    assert len(rows(path, "loans")) == 24
    assert rows(path, "kept") == [(1,)]
    run("verify", "public.db#loans", "-p", RULES, "--original", BANK)
    told = run("protect", BANK, "-p", RULES, "-o", "public.db#Loans", "--plan", "other.json", code=2).stderr
    assert "public.db#Loans: the table exists already; use --force" in told
    assert not Path("other.json").exists()
    run("protect", BANK, "-p", RULES, "-o", "public.db#loans", "--force")
    assert len(rows(path, "loans")) == 24


def test_a_release_never_joins_the_database_of_its_original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file would be published with the original in it."""
    monkeypatch.chdir(tmp_path)
    run("protect", BANK, "-p", RULES, "-o", "a.db#t")
    policy = Path("p.yaml")
    policy.write_text("protect:\n  - {k: 1, over: [Job]}\nmarker: ⊥\n")
    told = run("protect", "a.db#t", "-p", str(policy), "-o", "a.db#release", code=2).stderr
    assert "a.db#release: is the database of the original" in told


def test_nothing_of_a_failed_run_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step fails: neither the table nor the plan is there, and the old table is as it was."""
    monkeypatch.chdir(tmp_path)
    path = made(Path("public.db"), "CREATE TABLE loans (a)", "INSERT INTO loans VALUES ('old')")
    before = path.read_bytes()

    def lost(_: object) -> None:
        raise d.InputError("the disk is gone")

    monkeypatch.setattr("discreet.table.formats.sqlite.SqliteTable.commit", lost)
    told = run("protect", BANK, "-p", RULES, "-o", "public.db#loans", "--plan", "plan.json", "--force", code=2).stderr
    assert "the disk is gone" in told
    assert path.read_bytes() == before
    assert sorted(file.name for file in Path().iterdir()) == ["public.db"]


def test_what_would_be_read_otherwise_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trigger of the database changes what is written: the release is refused, and the database is as it was."""
    path = made(tmp_path / "public.db", "CREATE TABLE kept (a)")
    monkeypatch.setattr("discreet.table.formats.sqlite._Table._order", lambda _: " ORDER BY rowid DESC")
    release = d.protect(BANK, RULES)
    with pytest.raises(d.InputError, match="the release would not be read back as it is"):
        release.write(f"{path}#loans")
    assert {name for (name,) in sqlite3.connect(path).execute("SELECT name FROM sqlite_master")} == {"kept"}


def test_a_locked_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "public.db", "CREATE TABLE kept (a)")
    monkeypatch.setattr("discreet.table.formats.sqlite.WAIT", 0.1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(d.InputError, match=r"cannot be written \(SQLITE_BUSY\); nothing was changed"):
            d.protect(BANK, RULES).write(f"{path}#loans")
        with pytest.raises(d.InputError, match="somebody else is writing"):
            read(path)
    finally:
        other.close()


def test_deleted_rows_of_the_source_do_not_go_along(tmp_path: Path) -> None:
    path = made(tmp_path / "t.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES ('secret of Ann'), ('x')")
    made(path, "PRAGMA secure_delete = OFF", "DELETE FROM t WHERE a LIKE 'secret%'")
    d.protect(path, d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])).write(tmp_path / "r.db")
    assert b"secret of Ann" in path.read_bytes()
    assert b"secret" not in (tmp_path / "r.db").read_bytes()


def test_what_was_written_last_is_read(tmp_path: Path) -> None:
    """A database in WAL mode keeps its newest rows beside its file."""
    path = tmp_path / "t.db"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE t (a)")
    database.execute("INSERT INTO t VALUES ('new')")
    try:
        assert read(path).rows() == [("new",)]
        run("protect", str(path), "-p", RULES, "-o", str(tmp_path / "r.csv"), code=2)
    finally:
        database.close()


def test_columns_that_are_one_to_sqlite_are_refused(tmp_path: Path) -> None:
    release = d.protect(pl.DataFrame({"a": ["x"], "A": ["y"]}), d.Policy(protect=[d.KAnonymity(k=1, over=["a", "A"])]))
    with pytest.raises(d.InputError, match="two columns have names that differ by capital letters only"):
        release.write(tmp_path / "r.db")
    with pytest.raises(d.InputError, match="SQLite takes no table of this name"):
        release.write(tmp_path / "r.db#sqlite_x")


@pytest.mark.parametrize("harm", ["cut", "noise", "encrypted", "empty"])
def test_what_is_damaged_is_refused(harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(Path("t.db"), "CREATE TABLE t (Job, Country, Child, Bankruptcy, Rating)")
    with sqlite3.connect("t.db") as database:
        database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [("Discharged",) * 5] * 3000)
    database.close()
    whole = Path("t.db").read_bytes()
    harmed = {
        "cut": whole[:9000],
        "noise": whole[:4096] + b"\xff" * 8192 + whole[12288:],
        "encrypted": bytes(255 - byte for byte in whole),
        "empty": b"",
    }
    Path("t.db").write_bytes(harmed[harm])
    told = run("protect", "t.db", "-p", RULES, "-o", "r.csv", code=2).stderr
    assert ("is not a readable SQLite database" in told) or ("has no tables" in told and harm == "empty")
    assert "Discharged" not in told
    assert [file.name for file in Path().iterdir()] == ["t.db"]


@pytest.mark.parametrize("engine", ["local", "streaming"])
def test_the_database_of_the_original_is_refused_in_python_too(engine: str, tmp_path: Path) -> None:
    """Whoever gets the file would get the original; and the original must not be replaced by its release."""
    path = made(tmp_path / "t.db", "CREATE TABLE t (a)", "INSERT INTO t VALUES ('x'), ('y')")
    (tmp_path / "link.db").symlink_to(path)
    release = d.protect(f"{path}#t", d.Policy(protect=[d.KAnonymity(k=2, over=["a"])]), engine=engine)
    before = path.read_bytes()
    for place in (path, f"{path}#public", f"{path}#t", tmp_path / "link.db#t", tmp_path / "link.db#public"):
        for force in (False, True):
            with pytest.raises(d.InputError, match="is the database of the original"):
                release.write(place, force=force)
    assert path.read_bytes() == before
    other = made(tmp_path / "other.db", "CREATE TABLE t (a)")
    release.write(f"{other}#t", force=True)
    assert len(rows(other, "t")) == 2


@pytest.mark.parametrize("ending", ["-wal", "-journal", "-shm"])
def test_what_belongs_to_another_database_is_not_read_as_the_release(ending: str, tmp_path: Path) -> None:
    """SQLite would take old rows from there, of the original perhaps."""
    beside = tmp_path / f"r.sqlite{ending}"
    beside.write_bytes(b"old")
    for place in ("r.sqlite", "r.sqlite#loans"):
        told = run("protect", BANK, "-p", RULES, "-o", str(tmp_path / place), code=2).stderr
        assert f"{beside.name} stands beside it" in " ".join(told.split())
        with pytest.raises(d.InputError, match=f"{beside.name} stands beside it"):
            d.protect(BANK, RULES).write(tmp_path / place, force=True)
    assert [file.name for file in tmp_path.iterdir()] == [beside.name]


def test_what_appears_beside_the_release_at_the_last_moment_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Staging._rename_all

    def late(self: Staging, *given: Any) -> None:
        (tmp_path / "r.sqlite-wal").write_bytes(b"old")
        real(self, *given)

    monkeypatch.setattr(Staging, "_rename_all", late)
    with pytest.raises(d.InputError, match="r.sqlite-wal stands beside it"):
        d.protect(BANK, RULES).write(tmp_path / "r.sqlite")
    assert [file.name for file in tmp_path.iterdir()] == ["r.sqlite-wal"]


def test_a_database_whose_name_does_not_say_so_is_not_written_to(tmp_path: Path) -> None:
    path = made(tmp_path / "t.bin", "CREATE TABLE t (a)")
    for place in (f"{path}#x", str(path)):
        told = run("protect", BANK, "-p", RULES, "-o", place, "--force", code=2).stderr
        assert "this is a SQLite database whose name does not say so" in " ".join(told.split())
        with pytest.raises(d.InputError, match="whose name does not say so"):
            d.protect(BANK, RULES).write(place, force=True)
    assert rows(path, "t") == []
