"""A connection to a PostgreSQL database: its tables, and their rows as the text of a CSV file in both directions.

Who connects, and with which password, is known to the driver alone (from the environment, ~/.pgpass or a service file).
What the driver says of an error is never shown: it may name users, and values of cells.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from discreet.common.registry import listed
from discreet.errors import InputError
from discreet.policy.places import did_you_mean
from discreet.table.formats.csv_writing import write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.place import ELSEWHERE, Address

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

STEP = 1 << 20
SECONDS = 15
"""How long to wait for a server that does not answer."""
LONGEST = 63
"""Bytes that a name may have: PostgreSQL cuts longer ones off without a word."""
SHOWN = 20
_NAME = re.compile(r'"((?:[^"]|"")+)"|([^".]+)')
SETTINGS = {
    "client_encoding": "UTF8",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "iso_8601",
    "TimeZone": "UTC",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "synchronize_seqscans": "off",
    "max_parallel_workers_per_gather": "0",
    "lock_timeout": "30s",
}
"""What makes the texts of values, and the order of rows, the same each time."""


def require_psycopg() -> Any:
    """Return the driver, or say how to get it."""
    try:
        import psycopg
    except ImportError:
        raise InputError("this is a PostgreSQL database: pip install 'discreet[postgres]'") from None
    return psycopg


def names_in(address: Address) -> tuple[str, ...]:
    """Return the names that an address has after #: a table, or a schema and a table; quotes as in SQL.

    >>> names_in(Address.of('postgresql://h/d#public."a.b"'))
    ('public', 'a.b')
    """
    text = address.table or ""
    found, at = [], 0
    while at < len(text) and (part := _NAME.match(text, at)):
        found.append(part[1].replace('""', '"') if part[1] else part[2])
        at = part.end() + 1 if text[part.end() : part.end() + 1] == "." else part.end()
        if part.end() == at and at < len(text):
            break
    if at < len(text) or len(found) not in (1, 2) or text.endswith("."):
        raise InputError(
            f"{address}: name a table after #, as in postgresql://HOST/DATABASE#SCHEMA.TABLE; a name with a point in "
            "it stands in double quotes"
        )
    return tuple(found)


class PostgresSession:
    """One transaction on a database."""

    def __init__(self, address: Address, *, write: bool = False) -> None:
        self.address = address
        self.driver = require_psycopg()
        self.connection = self._connected()
        with self.saying():
            self.connection.isolation_level = self.driver.IsolationLevel.REPEATABLE_READ
            self.connection.read_only = not write
            for name, value in SETTINGS.items():
                self.connection.execute("SELECT set_config(%s, %s, true)", (name, value))

    def _connected(self) -> psycopg.Connection[Any]:
        known = {} if "connect_timeout" in self.address.server else {"connect_timeout": SECONDS}
        try:
            return self.driver.connect(self.address.server, fallback_application_name="discreet", **known)  # type: ignore[no-any-return]
        except self.driver.Error as error:
            raise InputError(f"{self.address}: {_why_not(str(error))}") from None

    @contextlib.contextmanager
    def saying(self, what: str = "read") -> Iterator[None]:
        """Say what went wrong, and nothing that the database said."""
        try:
            yield
        except self.driver.Error as error:
            if self.connection.closed or self.connection.broken or isinstance(error, self.driver.errors.AdminShutdown):
                raise InputError(f"{self.address}: the connection was lost; nothing was written") from None
            if isinstance(error, self.driver.errors.InsufficientPrivilege):
                raise InputError(
                    f"{self.address}: the user of the database may not read, or not make, this table"
                ) from None
            if isinstance(error, self.driver.errors.LockNotAvailable):
                raise InputError(f"{self.address}: somebody else holds the table; try again") from None
            state = getattr(error, "sqlstate", None) or "no code"
            raise InputError(
                f"{self.address}: could not be {what} (PostgreSQL says {state}); nothing was written"
            ) from None

    def close(self) -> None:
        """Leave the database as it was, unless the transaction was committed."""
        with contextlib.suppress(self.driver.Error):
            self.connection.rollback()
        with contextlib.suppress(self.driver.Error):
            self.connection.close()

    def found(self) -> str | None:
        """Return the number of the table that the address names; None if there is none."""
        from psycopg import sql

        named = sql.Identifier(*names_in(self.address)).as_string(self.connection)
        row = self.connection.execute("SELECT to_regclass(%s)::oid", (named,)).fetchone()
        return None if row is None or row[0] is None else str(row[0])

    def identity(self) -> tuple[object, ...] | None:
        """Return what tells this table from all others, whatever its address; None if there is none."""
        number = self.found()
        if number is None:
            return None
        return self.connection.execute(
            "SELECT pg_postmaster_start_time(), (SELECT oid FROM pg_database WHERE datname = current_database()), %s",
            (number,),
        ).fetchone()

    def table(self) -> str:
        """Return the number of the table; refuse an address that names none."""
        number = None if self.address.table is None else self.found()
        if number is None:
            raise self._no_table()
        return number

    def _no_table(self) -> InputError:
        every = [
            name if schema == "public" else f"{schema}.{name}"
            for schema, name in self.connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN "
                "('pg_catalog', 'information_schema') ORDER BY 1, 2"
            )
        ]
        if not every:
            return InputError(f"{self.address}: the database has no tables that its user may see")
        some = every if len(every) <= SHOWN else [*every[:SHOWN], f"{len(every) - SHOWN} more"]
        there = f"there is {listed(some, 'and')}"
        if self.address.table is None:
            return InputError(f"{self.address}: name a table as {self.address}#TABLE; {there}")
        return InputError(f"{self.address}: there is no such table; {there}{did_you_mean(self.address.table, every)}")

    def columns(self, number: str) -> list[str]:
        """Return the names of the columns of a table."""
        found = self.connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::oid AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum",
            (number,),
        )
        return [name for (name,) in found]

    def _key(self, number: str) -> list[str]:
        found = self.connection.execute(
            "SELECT a.attname FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, place) "
            "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum "
            "WHERE i.indrelid = %s::oid AND i.indisprimary ORDER BY k.place",
            (number,),
        )
        return [name for (name,) in found]

    def fetch(self, target: Path) -> None:
        """Write a table to a CSV file: each value by its text in the database, rows by the primary key, if any."""
        from psycopg import sql

        with self.saying():
            number = self.table()
            columns = self.columns(number)
            if not columns:
                raise InputError(f"{self.address}: the table has no columns")
            texts = sql.SQL(", ").join(sql.SQL("{}::text").format(sql.Identifier(name)) for name in columns)
            key = [sql.Identifier(name) for name in self._key(number)]
            order = sql.SQL(" ORDER BY ") + sql.SQL(", ").join(key) if key else sql.SQL("")
            select = sql.SQL("SELECT {} FROM {}").format(texts, self.named()) + order
            asked = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(select)
            with target.open("xb") as file, self.connection.cursor() as cursor:
                file.write(header(columns))
                with cursor.copy(asked) as copy:
                    for data in copy:
                        keep(file, data)

    def named(self) -> sql.Composable:
        """Return the table as it stands in a statement."""
        from psycopg import sql

        return sql.Identifier(*names_in(self.address))

    def fill(self, staged: Path, *, force: bool) -> None:
        """Make the table of a CSV file with the names of its columns; every column is one of texts."""
        from psycopg import sql

        columns = _names_of(staged)
        refuse_long_names(self.address, [*names_in(self.address), *columns])
        with self.saying("written"):
            if force:
                self.connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(self.named()))
            told = sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(name)) for name in columns)
            self.connection.execute(sql.SQL("CREATE TABLE {} ({})").format(self.named(), told))
            with staged.open("rb") as file, self.connection.cursor() as cursor:
                file.seek(len(header(columns)))
                with cursor.copy(sql.SQL("COPY {} FROM STDIN (FORMAT csv)").format(self.named())) as copy:
                    while data := file.read(STEP):
                        send(copy, data)

    def commit(self) -> None:
        """Let everybody see what was written."""
        try:
            self.connection.commit()
        except self.driver.Error:
            raise InputError(
                f"{self.address}: the connection was lost at the last moment; look whether the table is there before "
                "you try again"
            ) from None


def keep(file: BinaryIO, data: bytes | bytearray | memoryview) -> None:
    """Keep some of what the database sends."""
    file.write(data)


def send(copy: Any, data: bytes) -> None:
    """Send some of what the database shall keep."""
    copy.write(data)


def header(columns: Sequence[str]) -> bytes:
    """Return the line with the names of the columns."""
    line = io.BytesIO()
    write_csv_parts(columns, [], line, Dialect())
    return line.getvalue()


def refuse_long_names(address: Address, names: Sequence[str]) -> None:
    """Refuse names that PostgreSQL would cut off."""
    for name in names:
        if len(name.encode()) > LONGEST:
            raise InputError(
                f"{address}: the name {name!r} is longer than the {LONGEST} bytes that PostgreSQL has for it"
            )


def _names_of(staged: Path) -> list[str]:
    with staged.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def _why_not(said: str) -> str:
    """Return why there is no connection, by what the driver said, which may name a user."""
    said = said.lower()
    if "password" in said or "authentication" in said or "role" in said or "peer" in said:
        return f"the server does not know the user, or not by this password; give them by PGUSER and {ELSEWHERE}"
    if "does not exist" in said and "database" in said:
        return "the server has no such database"
    if "service file" in said or "definition of service" in said:
        return "there is no such service in the service file"
    if any(
        word in said for word in ("refused", "translate", "resolve", "timeout", "no such file", "unreachable", "closed")
    ):
        return "the server cannot be reached"
    return "cannot connect"
