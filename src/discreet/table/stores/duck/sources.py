"""What DuckDB reads a table from: Parquet files or a table in a database file, and the types of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from discreet.common.staging import escaped
from discreet.errors import InputError
from discreet.table.stores.cells import MOMENTS
from discreet.table.stores.duck.session import Session, identifier, literal

KINDS = {
    "VARCHAR": "text",
    '"NULL"': "text",
    "BOOLEAN": "Boolean",
    "DATE": "Date",
    "TINYINT": "Int8",
    "SMALLINT": "Int16",
    "INTEGER": "Int32",
    "BIGINT": "Int64",
    "UTINYINT": "UInt8",
    "USMALLINT": "UInt16",
    "UINTEGER": "UInt32",
    "UBIGINT": "UInt64",
    "FLOAT": "Float32",
    "DOUBLE": "Float64",
    "TIMESTAMP": MOMENTS,
    "TIME": "Time",
    "BLOB": "Binary",
    "INTERVAL": "Duration",
}


def parquet_source(paths: Sequence[Path], columns: int, *, row: bool = False) -> str:
    """Return what stands for the table in some Parquet files, its columns called c0, ... (and r)."""
    listed = ", ".join(literal(escaped(str(path.absolute()))) for path in paths)
    return f"read_parquet([{listed}], hive_partitioning=false) AS t({_names(columns, row=row)})"


def database_table(session: Session, path: Path, table: str | None) -> tuple[str, tuple[str, ...]]:
    """Return what stands for a table in a database file, the one that is named or the only one, and its columns."""
    database = session.fresh("database")
    session.run(f"ATTACH {literal(str(path))} AS {database} (READ_ONLY)")
    found = session.run(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal", [database]
    )
    wanted = [(schema, one) for schema, one in found if table is None or table in (one, f"{schema}.{one}")]
    if len(wanted) != 1:
        raise InputError(_which(path, table, [one for _, one in found]))
    schema, one = wanted[0]
    columns = session.run(
        "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = ? "
        "AND table_name = ? ORDER BY column_index",
        [database, schema, one],
    )
    names = tuple(column for (column,) in columns)
    return f"{database}.{identifier(schema)}.{identifier(one)} AS t({_names(len(names))})", names


def _which(path: Path, table: str | None, tables: Sequence[str]) -> str:
    if not tables:
        return f"{path}: has no table"
    if table is not None:
        return f"{path}: has no table {table!r}; it has {', '.join(map(repr, tables))}"
    return f"{path}: has several tables; say which, as {path.name}#{tables[0]}"


def _names(number: int, *, row: bool = False) -> str:
    return ", ".join([*(f"c{place}" for place in range(number)), *(["r"] if row else [])])


def types_of(session: Session, source: str) -> tuple[str, ...]:
    """Return DuckDB's names of the types of the columns of a table."""
    return tuple(kind for _, kind, *_ in session.run(f"DESCRIBE SELECT * FROM {source}"))


def kind_of(kind: str) -> str:
    """Return the name that Polars has for a type of DuckDB."""
    return "text" if kind.startswith("ENUM(") else KINDS.get(kind, kind)
