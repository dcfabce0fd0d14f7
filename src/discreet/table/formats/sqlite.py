"""SQLite databases as a format of tables: every cell by the text that the database gives it.

A release is a table of a new file, or a new one of a database that is there already, made in one transaction.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar
from urllib.parse import quote

import polars as pl

from discreet.common.registry import listed
from discreet.common.staging import REPLACE
from discreet.errors import InputError
from discreet.policy.places import did_you_mean
from discreet.table.formats.base import NewTable, Reading, TableFormat, Writing
from discreet.table.formats.place import Place, file_and_part
from discreet.table.formats.spooling import texts_to_parquet
from discreet.table.stores.scratch import Scratch

MAGIC = b"SQLite format 3\0"
BESIDE = ("-wal", "-journal", "-shm")
"""What stands beside a database while it is written to, or was when a program was killed."""
TABLE = "release"
"""What the table of a release is called when nobody says."""
ROWS_AT_A_TIME = 50_000
WAIT = 10.0
"""Seconds to wait for somebody else who writes to the database."""
SHOWN = 20


class SqliteFormat(TableFormat):
    """Databases of SQLite."""

    name: ClassVar[str] = "SQLite"
    suffixes: ClassVar[tuple[str, ...]] = (".sqlite", ".sqlite3", ".db")
    advised: ClassVar[tuple[str, ...]] = (".sqlite",)
    is_text: ClassVar[bool] = True
    has_parts: ClassVar[bool] = True
    takes_formulas: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False

    def files(self, table: Path) -> list[Path] | None:
        """Return the file, and what was written to it last where that stands beside it."""
        file, _ = file_and_part(table)
        if not _is_database(file) and not (file.suffix.lower() in self.suffixes and _is_file(file)):
            return None
        beside = file.with_name(f"{file.name}-wal")
        return [file, beside] if _is_file(beside) and beside.stat().st_size else [file]

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        """Return a table of the database: the one that is named, or the only one."""
        with _reading(table), contextlib.closing(_connected(files[0])) as database:
            found = _Table.of(table, database, _part(table))
            parts = list(found.parts())
            return pl.concat(parts) if parts else found.no_rows(), None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> None:  # noqa: ARG002
        """Make a Parquet file of the table, some rows at a time."""
        with _reading(table), contextlib.closing(_connected(files[0])) as database:
            _Table.of(table, database, _part(table)).to_parquet(target)

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write a database with one table of texts."""
        name = _table_name(how.path)
        scratch = Scratch()
        with contextlib.closing(scratch):
            path = scratch.new(".sqlite")
            with _writing(how.path), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = OFF")
                database.execute("BEGIN")
                _make(database, name, columns)
                for part in parts:
                    for some in part.cast(pl.String).iter_slices(ROWS_AT_A_TIME):
                        database.executemany(_insert(name, columns), some.rows())
                database.execute("COMMIT")
            with path.open("rb") as file:
                shutil.copyfileobj(file, target, 1 << 20)

    def joins(self, place: Path) -> bool:
        """Whether the database of a release is there already."""
        return _is_database(file_and_part(place)[0])

    def new_table(self, place: Place, *, force: bool, source: Place | None) -> NewTable:
        """Begin a new table of a database that is there, and not that of the original."""
        assert isinstance(place, Path)
        _refuse_source(place, source)
        return SqliteTable(place, force=force)

    def refuse_beside(self, file: Path) -> None:
        """Refuse a new database beside what belongs to another: SQLite would read old rows from there."""
        for beside in (file.with_name(f"{file.name}{ending}") for ending in BESIDE):
            if os.path.lexists(beside):
                raise InputError(
                    f"{file}: {beside.name} stands beside it, which belongs to another database of this name and would "
                    "be read as part of the new one; remove it, or give another name"
                )

    def refuse_name(self, path: Path) -> None:
        """Refuse the name of a table that SQLite would not take."""
        super().refuse_name(path)
        name = _table_name(path)
        if "\0" in name or name.lower().startswith("sqlite_"):
            raise InputError(f"{path}: SQLite takes no table of this name; give another after #")

    def refuse_taken(self, place: Place, inputs: Sequence[Place], *, force: bool) -> None:
        """Refuse the name of a table that is there, unless it is to be replaced, and the database of an input."""
        assert isinstance(place, Path)
        if not self.joins(place):
            self.refuse_beside(place.with_name(place.name.partition("#")[0]) if _is_new(place) else place)
        else:
            for one in inputs:
                _refuse_source(place, one)
            with _reading(place), contextlib.closing(_connected(file_and_part(place)[0])) as database:
                _refuse_taken(database, place, force=force)


class _Table:
    """One table of an open database, which does not change while it is read."""

    def __init__(self, place: Place, database: sqlite3.Connection, name: str) -> None:
        self.place, self.database, self.name = place, database, name
        found = database.execute(f"SELECT * FROM {quoted(name)} LIMIT 0")
        self.columns = [column[0] for column in found.description]
        twice = {column for column in self.columns if self.columns.count(column) > 1}
        if twice:
            raise InputError(f"{place}: two columns have the same name")

    @classmethod
    def of(cls, place: Place, database: sqlite3.Connection, name: str | None) -> _Table:
        """Return the table that is meant."""
        database.execute("BEGIN")
        every = _tables(database)
        if not every:
            raise InputError(f"{place}: the database has no tables")
        if name is None:
            if len(every) > 1:
                raise InputError(f"{place}: name a table as {place}#TABLE; there is {_some(every)}")
            name = every[0]
        elif name not in every:
            hint = did_you_mean(name, every)
            raise InputError(f"{place}: there is no table {name!r}; there is {_some(every)}{hint}")
        return cls(place, database, name)

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield the rows, some at a time, in the order of their numbers."""
        self._refuse_bytes()
        texts = ", ".join(f"CAST({quoted(column)} AS TEXT)" for column in self.columns)
        found = self.database.execute(f"SELECT {texts} FROM {quoted(self.name)}{self._order()}")
        while rows := found.fetchmany(ROWS_AT_A_TIME):
            yield pl.DataFrame(rows, schema=self._schema, orient="row")

    def no_rows(self) -> pl.DataFrame:
        """Return the table without rows."""
        return pl.DataFrame(schema=self._schema)

    def to_parquet(self, target: Path) -> None:
        """Write the table to a Parquet file, some rows at a time."""
        texts_to_parquet(self.columns, self.parts(), target, self.place)

    @property
    def _schema(self) -> dict[str, type[pl.String]]:
        return dict.fromkeys(self.columns, pl.String)

    def _refuse_bytes(self) -> None:
        kinds = ", ".join(f"max(typeof({quoted(column)}) = 'blob')" for column in self.columns)
        found = self.database.execute(f"SELECT {kinds} FROM {quoted(self.name)}").fetchone()
        for column, has_bytes in zip(self.columns, found, strict=True):
            if has_bytes:
                raise InputError(
                    f"{self.place}: column {column!r} holds bytes (BLOB), which have no text; leave it out in a view"
                )

    def _order(self) -> str:
        """Return the order of the rows: by the numbers that SQLite gives them, where it does."""
        taken = {column.lower() for column in self.columns}
        number = next((name for name in ("rowid", "_rowid_", "oid") if name not in taken), None)
        kind = self.database.execute("SELECT type FROM main.sqlite_master WHERE name = ?", (self.name,)).fetchone()
        with contextlib.suppress(sqlite3.OperationalError):  # a table without such numbers
            if number is not None and kind == ("table",):
                self.database.execute(f"SELECT {number} FROM {quoted(self.name)} LIMIT 0")
                return f" ORDER BY {number}"
        return ""


class SqliteTable(NewTable):
    """A new table of a database that is there."""

    def __init__(self, place: Path, *, force: bool) -> None:
        self.place, self.name = place, _table_name(place)
        self.file = file_and_part(place)[0]
        with _writing(place):
            self.database = sqlite3.connect(self.file, timeout=WAIT, isolation_level=None)
        self.force = force

    def fill(self, staged: Path) -> None:
        """Copy the table of a database that was written before."""
        with _writing(self.place):
            self.database.execute("PRAGMA secure_delete = ON")
            self.database.execute("ATTACH DATABASE ? AS staged", (str(staged),))
            self.database.execute("BEGIN IMMEDIATE")
            _refuse_taken(self.database, self.place, force=self.force)
            self.database.execute(f"DROP TABLE IF EXISTS main.{quoted(self.name)}")
            found = self.database.execute(f"SELECT * FROM staged.{quoted(self.name)} LIMIT 0")
            columns = [column[0] for column in found.description]
            _make(self.database, self.name, columns)
            source = f"SELECT * FROM staged.{quoted(self.name)} ORDER BY rowid"
            self.database.execute(f"INSERT INTO main.{quoted(self.name)} {source}")

    def fetch(self, target: Path) -> None:
        """Write what stands in the table now to a Parquet file."""
        with _writing(self.place):
            _Table(self.place, self.database, self.name).to_parquet(target)

    def commit(self) -> None:
        """Let everybody see the table."""
        with _writing(self.place):
            self.database.execute("COMMIT")

    def close(self) -> None:
        """Leave the database as it was, unless `commit` was called before."""
        with contextlib.suppress(sqlite3.Error):
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
        self.database.close()


def quoted(name: str) -> str:
    """Return a name as it stands in a statement, whatever is in it.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _part(table: Place) -> str | None:
    return file_and_part(table)[1] if isinstance(table, Path) else None


def _table_name(path: Path) -> str:
    return path.name.partition("#")[2] if _is_new(path) else file_and_part(path)[1] or TABLE


def _is_new(path: Path) -> bool:
    """Whether neither the file nor one of a part of its name is there."""
    return "#" in path.name and file_and_part(path)[1] is None and not path.exists()


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute(
        "SELECT name FROM main.sqlite_master WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' "
        "ORDER BY name"
    )
    return [name for (name,) in found]


def _some(every: Sequence[str]) -> str:
    return listed(every, "and") if len(every) <= SHOWN else f"{', '.join(every[:SHOWN])} and {len(every) - SHOWN} more"


def _refuse_source(place: Path, source: Place | None) -> None:
    """Refuse the database that the original is in."""
    if not isinstance(source, Path):
        return
    with contextlib.suppress(OSError, ValueError):  # reading or writing it says what is wrong
        if file_and_part(place)[0].samefile(file_and_part(source)[0]):
            raise InputError(
                f"{place}: is the database of the original, which whoever gets the file would get as well; give "
                "another file"
            )


def _refuse_taken(database: sqlite3.Connection, place: Path, *, force: bool) -> None:
    name = _table_name(place)
    taken = {one.lower() for one in _tables(database)}
    if name.lower() in taken and not force:
        raise InputError(f"{place}: the table exists already; {REPLACE}")


def _make(database: sqlite3.Connection, name: str, columns: Sequence[str]) -> None:
    if len({column.lower() for column in columns}) < len(columns):
        raise InputError(
            "two columns have names that differ by capital letters only, which are one in SQLite; rename one"
        )
    told = ", ".join(f"{quoted(column)} TEXT" for column in columns)
    database.execute(f"CREATE TABLE main.{quoted(name)} ({told})")


def _insert(name: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO main.{quoted(name)} VALUES ({', '.join('?' for _ in columns)})"


def _connected(path: Path) -> sqlite3.Connection:
    """Open a database to read it, whatever stands in its name; nothing in it is trusted."""
    database = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro", uri=True, timeout=WAIT, isolation_level=None
    )
    database.execute("PRAGMA trusted_schema = OFF")
    return database


@contextlib.contextmanager
def _reading(table: Place) -> Iterator[None]:
    """Say what is wrong with a database, and never a value."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorname", "")
        if code in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise InputError(f"{table}: somebody else is writing to the database; try again") from None
        raise InputError(f"{table}: is not a readable SQLite database; it is damaged, cut off or encrypted") from None


@contextlib.contextmanager
def _writing(place: Path) -> Iterator[None]:
    """Say why nothing was written, and never a value."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", "failed")
        raise InputError(f"{place}: cannot be written ({code}); nothing was changed") from None


def _is_database(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would never end
            return False
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False  # reading it as text says what is wrong


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
