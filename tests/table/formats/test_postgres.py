"""A real PostgreSQL: tables are read by their texts, releases are new ones in one transaction; no password is told."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.table.formats import postgres_session
from discreet.table.formats.place import Address
from discreet.table.formats.postgres_session import names_in
from tests.commands import DEMO, run
from tests.postgres import PASSWORD, Server, server
from tests.table.formats.test_round_trips import POLICY, nasty

BANK, RULES = str(DEMO / "bank.csv"), str(DEMO / "bank.yaml")


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as one:
        yield one


@pytest.fixture
def db(running: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A database without tables; the password stands in the environment."""
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with contextlib.closing(running.admin()) as one:
        one.execute("DROP SCHEMA IF EXISTS other CASCADE")
        one.execute("DROP SCHEMA public CASCADE")
        one.execute("CREATE SCHEMA public AUTHORIZATION ann")
        one.execute("CREATE SCHEMA other AUTHORIZATION ann")
    return running


def table_of(address: str, engine: str | None = None, **policy: Any) -> pl.DataFrame:
    """A table as it is read: by a release in which nothing changes."""
    first = policy.pop("first", "a")
    rules = d.Policy(protect=[d.KAnonymity(k=1, over=[first])], marker="⊥", **policy)
    found = d.protect(address, rules, engine=engine).table
    assert isinstance(found, (pl.DataFrame, pl.LazyFrame))
    return found.lazy().collect()


@pytest.mark.process
@pytest.mark.xdist_group("postgres")
class TestReal:
    @pytest.mark.parametrize("engine", ["local", "streaming"])
    def test_every_text_comes_back(self, db: Server, engine: str) -> None:
        release = d.protect(nasty(), POLICY, engine=engine)
        for name in ("new", 'other."odd ""name""; DROP TABLE new; --"', "other.Capital"):
            address = db.address(name)
            release.write(address)
            assert d.verify(address, POLICY, original=nasty(), engine=engine).holds
            assert table_of(address, engine).equals(nasty())
        assert db.run("SELECT count(*) FROM new") == [(nasty().height,)]
        assert db.run("SELECT data_type FROM information_schema.columns WHERE table_name = 'new'") == [("text",)] * 4

    def test_the_commands_take_them(self, db: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        source, release = db.address("bank"), db.address("other.release")
        d.protect(BANK, d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(source)
        told = run("protect", source, "-p", RULES, "-o", release, "--plan", "plan.json").stdout
        shown = f"postgresql://127.0.0.1:{db.port}/bank#"
        assert f"{shown}bank -> {shown}other.release: 24 rows, verified" in told
        assert f"Written: {shown}other.release, plan.json (private)" in told
        manifest = json.loads(Path("plan.manifest.json").read_text())
        assert manifest["input"]["name"] == f"{shown}bank"
        assert manifest["release"]["name"] == f"{shown}other.release"
        assert len(manifest["input"]["sha256"]) == 64
        run("verify", release, "-p", RULES, "--original", source)
        run("audit", release, "-p", RULES, "--original", source, "--time-limit", "0")
        run("apply", "plan.json", source, "-o", db.address("again"))
        run("check", RULES, "--table", source)
        run("frontier", source, "-p", RULES, "--thresholds", "75%")
        assert "Bankruptcy" in run("init", source).stdout
        assert db.run("SELECT count(*) FROM again") == [(24,)]
        told = run("protect", source, "-p", RULES, "-o", release, code=2).stderr
        assert f"{shown}other.release: the table exists already; use --force" in " ".join(told.split())
        run("protect", source, "-p", RULES, "-o", release, "--force", "--json")

    def test_values_have_the_text_of_the_database(self, db: Server) -> None:
        db.run(
            "CREATE TABLE t (a int, b numeric(8,2), c float, d bool, e date, f timestamptz, g text, h char(3))",
            "INSERT INTO t VALUES (7, 1.50, 1, true, '2020-01-02', '2020-01-02 10:30+01', '', 'x')",
            "INSERT INTO t VALUES (NULL, NULL, 0.1, false, NULL, NULL, NULL, NULL)",
        )
        found = table_of(db.address("t"))
        assert found.row(0) == ("7", "1.50", "1", "true", "2020-01-02", "2020-01-02 09:30:00+00", "", "x")
        assert found.row(1) == (None, None, "0.1", "false", None, None, None, None)

    def test_rows_come_by_the_primary_key(self, db: Server) -> None:
        db.run("CREATE TABLE t (a text, k int, PRIMARY KEY (k))", "INSERT INTO t VALUES ('c', 3), ('a', 1), ('b', 2)")
        assert table_of(db.address("t"))["a"].to_list() == ["a", "b", "c"]
        db.run("CREATE VIEW v AS SELECT a FROM t ORDER BY k DESC")
        assert table_of(db.address("v"))["a"].to_list() == ["c", "b", "a"]

    def test_one_column_and_no_rows(self, db: Server) -> None:
        db.run("CREATE TABLE one (a text)", "INSERT INTO one VALUES ('x'), (NULL), (''), (E'\\\\.')")
        assert table_of(db.address("one"))["a"].to_list() == ["x", None, "", "\\."]
        db.run("DELETE FROM one")
        with pytest.raises(d.InputError, match=r"#one: .*no rows|has no rows"):
            table_of(db.address("one"))

    def test_what_is_not_there_is_said(self, db: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(d.InputError, match="the database has no tables that its user may see"):
            table_of(db.address("t"))
        db.run("CREATE TABLE loans (a text)", 'CREATE TABLE other."Mixed" (a text)', "CREATE TABLE none ()")
        with pytest.raises(d.InputError, match=r"name a table as .*/bank#TABLE; there is other.Mixed, loans and none"):
            table_of(db.address())
        with pytest.raises(d.InputError, match=r"there is no such table; there is .*; did you mean 'loans'\?"):
            table_of(db.address("loan"))
        with pytest.raises(d.InputError, match="the table has no columns"):
            table_of(db.address("none"))
        with pytest.raises(d.InputError, match="name a table after #"):
            table_of(db.address("a.b.c"))
        with pytest.raises(d.InputError, match="the server has no such database"):
            table_of(db.address("t").replace("/bank", "/bnak"))
        with pytest.raises(d.InputError, match="the server cannot be reached"):
            table_of(db.address("t").replace(f":{db.port}", ":1"))
        monkeypatch.setenv("PGPASSWORD", "wrong")
        with pytest.raises(d.InputError, match="the server does not know the user, or not by this password"):
            table_of(db.address("t"))

    def test_who_may_not_read_or_write_is_told(self, db: Server) -> None:
        with contextlib.closing(db.admin()) as one:
            one.execute("CREATE TABLE public.hidden (a text)")
            one.execute("CREATE SCHEMA IF NOT EXISTS closed")
        with pytest.raises(d.InputError, match="may not read, or not make, this table"):
            table_of(db.address("hidden"))
        with pytest.raises(d.InputError, match="may not read, or not make, this table"):
            d.protect(BANK, RULES).write(db.address("closed.release"))

    def test_the_password_may_come_from_a_file(
        self, db: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        db.run("CREATE TABLE t (a text)", "INSERT INTO t VALUES ('x')")
        monkeypatch.delenv("PGPASSWORD")
        secrets = tmp_path / "pgpass"
        secrets.write_text(f"127.0.0.1:{db.port}:bank:ann:{PASSWORD}\n")
        secrets.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(secrets))
        assert table_of(db.address("t")).height == 1
        service = tmp_path / "service.conf"
        service.write_text(f"[bank]\nhost=127.0.0.1\nport={db.port}\ndbname=bank\nuser=ann\npassword={PASSWORD}\n")
        monkeypatch.setenv("PGSERVICEFILE", str(service))
        monkeypatch.delenv("PGPASSFILE")
        assert table_of("postgresql://?service=bank#t").height == 1
        with pytest.raises(d.InputError, match="there is no such service"):
            table_of("postgresql://?service=bnak#t")
        socket = f"postgresql://postgres@/bank?host={db.folder}&port={db.port}#t"
        assert table_of(socket).height == 1

    def test_no_password_is_ever_shown(
        self, db: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        caplog.set_level(logging.DEBUG)
        d.protect(BANK, d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(db.address("bank"))
        said = [
            run("protect", db.address("bank"), "-p", RULES, "-o", db.address("r"), "--plan", "plan.json"),
            run("protect", db.address("nobody"), "-p", RULES, "-o", "r.csv", code=2),
            run("protect", db.address("bank"), "-p", RULES, "-o", db.address("r"), code=2),
        ]
        for secret in (
            f"postgresql://ann:{PASSWORD}@h/d#t",
            f"postgresql://h/d?password={PASSWORD}#t",
            f"host=h password={PASSWORD}",
        ):
            said += [
                run("protect", secret, "-p", RULES, "-o", "r.csv", code=2),
                run("protect", BANK, "-p", RULES, "-o", secret, code=2),
                run("verify", secret, "-p", RULES, code=2),
                run("check", RULES, "--table", secret, code=2),
                run("init", secret, code=2),
                run("audit", BANK, "-p", RULES, "--original", secret, code=2),
            ]
            assert "password" in said[-1].stderr
        for one in said:
            assert PASSWORD not in one.output
            assert "ann" not in one.output.replace("annot", "")
        for file in tmp_path.iterdir():
            assert PASSWORD not in file.read_text()
            assert "ann@" not in file.read_text()
        assert PASSWORD not in caplog.text
        assert PASSWORD not in repr(Address.of(db.address("t")))

    def test_a_connection_lost_while_reading(self, db: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        db.run(
            "CREATE TABLE t (a text)", "INSERT INTO t SELECT repeat('x', 100) || i FROM generate_series(1, 200000) i"
        )
        keep, kept = postgres_session.keep, []

        def cut(file: Any, data: Any) -> None:
            kept.append(1)
            if len(kept) == 1000:
                self.cut_off(db)
            keep(file, data)

        monkeypatch.setattr(postgres_session, "keep", cut)
        Path("p.yaml").write_text("protect:\n  - {k: 1, over: [a]}\n")
        told = run("protect", db.address("t"), "-p", "p.yaml", "-o", "r.csv", "--plan", "plan.json", code=2).stderr
        assert "the connection was lost; nothing was written" in told
        assert 1000 <= len(kept) < 200_000
        assert sorted(path.name for path in Path().iterdir()) == ["p.yaml"]

    @pytest.mark.parametrize("when", ["send", "fetch", "commit"])
    def test_a_connection_lost_while_writing(
        self, db: Server, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        db.run("CREATE TABLE r (a text)", "INSERT INTO r VALUES ('old')")
        owner = postgres_session if when == "send" else postgres_session.PostgresSession
        real = getattr(owner, when)

        def cut(*words: Any) -> None:
            self.cut_off(db)
            real(*words)

        monkeypatch.setattr(owner, when, cut)
        told = run("protect", BANK, "-p", RULES, "-o", db.address("r"), "--plan", "plan.json", "--force", code=2).stderr
        assert "the connection was lost" in told
        assert not list(tmp_path.iterdir())
        assert db.run("SELECT a FROM r") == [("old",)]

    def cut_off(self, db: Server) -> None:
        with contextlib.closing(db.admin()) as one:
            one.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'discreet'"
            )

    def test_nobody_sees_a_table_before_all_is_well(self, db: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the database keeps is not what was sent: it is refused, and the plan is not written either."""
        seen: list[Any] = []
        real = postgres_session.PostgresSession.fetch

        def look(session: Any, target: Path) -> None:
            seen.append(db.run("SELECT to_regclass('public.r')"))
            session.connection.execute("UPDATE r SET \"Job\" = 'other' WHERE \"Job\" = 'Cook'")
            real(session, target)

        monkeypatch.setattr(postgres_session.PostgresSession, "fetch", look)
        with pytest.raises(d.InputError, match="the release would not be read back as it is"):
            d.protect(BANK, RULES).write(db.address("r"))
        assert seen == [[(None,)]]
        assert db.run("SELECT to_regclass('public.r')") == [(None,)]

    def test_the_original_is_never_replaced(self, db: Server, tmp_path: Path) -> None:
        """However its address is written."""
        db.run("CREATE TABLE t (a text)", "INSERT INTO t VALUES ('x')")
        (tmp_path / "p.yaml").write_text("protect:\n  - {k: 1, over: [a]}\n")
        for same in (
            db.address("t"),
            db.address("public.t"),
            f"postgresql://ann@/bank?host={db.folder}&port={db.port}#t",
        ):
            told = run("protect", db.address("t"), "-p", str(tmp_path / "p.yaml"), "-o", same, "--force", code=2).stderr
            assert "is also another table of this command" in " ".join(told.split())
        assert db.run("SELECT * FROM t") == [("x",)]

    def test_the_original_is_never_replaced_in_python_either(self, db: Server) -> None:
        db.run("CREATE TABLE t (a text)", "INSERT INTO t VALUES ('x'), ('y')")
        rules = d.Policy(protect=[d.KAnonymity(k=2, over=["a"])])
        for engine in ("local", "streaming"):
            release = d.protect(db.address("t"), rules, engine=engine)
            for same in (
                db.address("t"),
                db.address("public.t"),
                f"postgresql://ann@/bank?host={db.folder}&port={db.port}#t",
            ):
                with pytest.raises(d.InputError, match="is the table of the original"):
                    release.write(same, force=True)
            release.write(db.address("r"), force=True)
        assert db.run("SELECT * FROM t ORDER BY a") == [("x",), ("y",)]

    def test_long_names_are_refused(self, db: Server) -> None:
        name = "é" * 32
        release = d.protect(pl.DataFrame({name: ["x"]}), d.Policy(protect=[d.KAnonymity(k=1, over=[name])]))
        with pytest.raises(d.InputError, match="longer than the 63 bytes"):
            release.write(db.address("t"))
        with pytest.raises(d.InputError, match="longer than the 63 bytes"):
            d.protect(BANK, RULES).write(db.address("x" * 64))

    def test_a_table_is_read_once_in_one_moment(self, db: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        db.run("CREATE TABLE t (a text)", "INSERT INTO t VALUES ('x')")
        real, fetched = postgres_session.PostgresSession.fetch, []

        def counted(session: Any, target: Path) -> None:
            fetched.append(session.connection.read_only)
            real(session, target)

        monkeypatch.setattr(postgres_session.PostgresSession, "fetch", counted)
        for engine in ("local", "streaming"):
            table_of(db.address("t"), engine)
        assert fetched == [True, True]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("t", ("t",)),
        ("s.t", ("s", "t")),
        ('"a.b"', ("a.b",)),
        ('s."a""b"', ("s", 'a"b')),
        ("a b", ("a b",)),
        ("%22x%22", ("x",)),
    ],
)
def test_names_in_an_address(text: str, names: tuple[str, ...]) -> None:
    assert names_in(Address.of(f"postgresql://h/d#{text}")) == names


@pytest.mark.parametrize("text", ["", "a.", ".a", "a..b", '"a', '"a"b', "a.b.c"])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(d.InputError, match="name a table after #"):
        names_in(Address.of(f"postgresql://h/d#{text}"))


def test_without_its_driver_a_database_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(d.InputError, match=r"this is a PostgreSQL database: pip install 'discreet\[postgres\]'"):
        table_of("postgresql://localhost/bank#t")


def test_other_addresses_and_paths_are_refused() -> None:
    for text in ("mysql://u:p4ss@h/d#t", "https://example.org/t.csv?token=p4ss", "s3://bucket/p4ss"):
        with pytest.raises(d.InputError, match="tables are read from files and postgresql:// addresses") as refused:
            table_of(text)
        assert "p4ss" not in str(refused.value)
    with pytest.raises(d.InputError, match="is given as a text, not as a Path"):
        d.protect(Path("postgresql://h/d#t"), RULES)
