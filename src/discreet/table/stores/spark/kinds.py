"""The types of Spark's columns, by the names that Polars has for them."""

from __future__ import annotations

from discreet.table.stores.cells import MOMENTS

KINDS = {
    "string": "text",
    "void": "text",
    "boolean": "Boolean",
    "date": "Date",
    "tinyint": "Int8",
    "smallint": "Int16",
    "int": "Int32",
    "bigint": "Int64",
    "float": "Float32",
    "double": "Float64",
    "timestamp_ntz": MOMENTS,
    "binary": "Binary",
}


def kind_of(kind: str) -> str:
    """Return the name that Polars has for a type of Spark."""
    if kind.startswith(("string collate", "char(", "varchar(")):
        return "text"
    return KINDS.get(kind, kind)
