"""Tables of PostgreSQL databases, by their address: every cell by the text that the database gives it.

A table is fetched once, in one transaction that only reads. A release is a new table, made and read back in one
transaction.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.common.staging import REPLACE
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.base import NewTable, Reading, TableFormat, Writing
from discreet.table.formats.csv_reading import read_csv, stream_csv
from discreet.table.formats.csv_writing import ROWS_AT_A_TIME, write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.place import SCHEMES, Address, Place
from discreet.table.formats.postgres_session import PostgresSession, names_in, require_psycopg
from discreet.table.memory import TableSize, size_of_text
from discreet.table.stores.scratch import Scratch


class PostgresFormat(TableFormat):
    """Tables of PostgreSQL databases."""

    name: ClassVar[str] = "PostgreSQL"
    suffixes: ClassVar[tuple[str, ...]] = ()
    advised: ClassVar[tuple[str, ...]] = ()
    schemes: ClassVar[tuple[str, ...]] = SCHEMES
    is_text: ClassVar[bool] = True
    takes_formulas: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False

    def files(self, table: Path) -> None:  # noqa: ARG002
        """Return None: no file is such a table."""
        return

    def arrived(self, address: Address) -> list[Path]:
        """Return a private text file with the table, fetched when it is asked for the first time."""
        if not address.arrival:
            scratch = Scratch()
            path = scratch.new(".csv")
            with contextlib.closing(PostgresSession(address)) as session:
                try:
                    session.fetch(path)
                except OSError as error:
                    raise InputError(
                        f"{address}: cannot be kept on the disk for scratch files ({error.strerror or 'failed'})"
                    ) from None
            address.arrival.extend([scratch, path])
        return [path for path in address.arrival if isinstance(path, Path)]

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        """Return the table that was fetched."""
        return read_csv(files[0], separator=",", said=Path(str(table)))[0], None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> None:  # noqa: ARG002
        """Make a Parquet file of the table that was fetched, some rows at a time."""
        stream_csv(files[0], target, separator=",", said=Path(str(table)))

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:  # noqa: ARG002
        """Write the text that the database will be sent."""
        few = (rows for part in parts for rows in part.iter_slices(ROWS_AT_A_TIME))
        write_csv_parts(columns, few, target, Dialect())

    def new_table(self, place: Place, *, force: bool, source: Place | None) -> NewTable:
        """Begin a new table."""
        assert isinstance(place, Address)
        return PostgresTable(place, force=force, source=source if isinstance(source, Address) else None)

    def refuse_taken(self, place: Place, inputs: Sequence[Place], *, force: bool) -> None:
        """Refuse at once a database that is not there, the name of a table that is, and a table that is read."""
        assert isinstance(place, Address)
        require_psycopg()
        names_in(place)
        identity = _identity(place)
        if identity is not None and not force:
            raise InputError(f"{place}: the table exists already; {REPLACE}")
        read = [one for one in inputs if isinstance(one, Address) and one.table is not None]
        if identity is not None and any(_identity(one) == identity for one in read):
            raise InputError(f"{place}: is also another table of this command; give it a name of its own")

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much was fetched, by its start."""
        return size_of_text(path, ",")


def _identity(address: Address) -> tuple[object, ...] | None:
    with contextlib.closing(PostgresSession(address)) as session, session.saying():
        return session.identity()


class PostgresTable(NewTable):
    """A new table, in a transaction."""

    def __init__(self, place: Address, *, force: bool, source: Address | None) -> None:
        self.session, self.force, self.source = PostgresSession(place, write=True), force, source

    def fill(self, staged: Path) -> None:
        """Make the table and send it its rows."""
        with self.session.saying():
            identity = self.session.identity()
        if identity is not None and not self.force:
            raise InputError(f"{self.session.address}: the table exists already; {REPLACE}")
        if identity is not None and self.source is not None and _identity(self.source) == identity:
            raise InputError(
                f"{self.session.address}: is the table of the original; give the release a name of its own"
            )
        self.session.fill(staged, force=self.force)

    def fetch(self, target: Path) -> None:
        """Write what stands in the table now to a Parquet file."""
        rows = target.with_suffix(".rows")
        try:
            self.session.fetch(rows)
            stream_csv(rows, target, separator=",", said=Path(str(self.session.address)))
        finally:
            rows.unlink(missing_ok=True)

    def commit(self) -> None:
        """Let everybody see the table."""
        self.session.commit()

    def close(self) -> None:
        """Leave the database as it was, unless `commit` was called before."""
        self.session.close()
