"""The people among whom those of a table are: a file or a table of Python, named by `among` in a requirement.

A policy only says where the population is. Its rows are read when they are needed (`table/populations.py`), and are
written nowhere: a plan keeps the path, never a row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema

IN_MEMORY = "<a table in memory>"
"""What stands in a plan for a population that was no file."""


class Population:
    """Where a population is: the path of a file (or an address), or a table.

    Examples
    --------
    >>> Population("/data/register.csv").name
    'register.csv'
    """

    def __init__(self, table: Any) -> None:
        self.table = str(table) if isinstance(table, Path) else table
        self.held: dict[object, Any] = {}
        """What was read of it, for whoever reads it; no part of the policy."""

    @property
    def path(self) -> str | None:
        """The path or address; None for a table of Python."""
        return self.table if isinstance(self.table, str) else None

    @property
    def name(self) -> str:
        """How messages call it: the name of its file, without the folder."""
        if self.path is None or self.path == IN_MEMORY:
            return "the population"
        return self.path.rpartition("/")[2].rpartition("\\")[2] or self.path

    @property
    def plain(self) -> str:
        """What is written of it: its path."""
        return IN_MEMORY if self.path is None else self.path

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        return self.table is other.table or (self.path is not None and self.path == other.path)

    def __hash__(self) -> int:
        return hash(self.path) if self.path is not None else id(self.table)

    def __repr__(self) -> str:
        return f"Population({self.name!r})"

    def __deepcopy__(self, _: object) -> Population:
        return self

    def __reduce__(self) -> tuple[type[Population], tuple[Any]]:
        return Population, (self.table,)


def as_population(value: object, folder: Path | None = None) -> Population:
    """Return a population as somebody names it: a path (relative to a folder), an address, or a table."""
    if isinstance(value, Population):
        return value
    if isinstance(value, (str, Path)):
        text = str(value)
        if not text.strip():
            raise ValueError("write the file of the population, such as population.csv")
        if text == "-":
            raise ValueError("a population is read more than once, so not from standard input; save it to a file")
        if text == IN_MEMORY or "://" in text:
            return Population(text)
        return Population(((folder or Path()) / text).absolute())
    if not hasattr(value, "columns"):
        raise ValueError("write the file of the population, such as population.csv")
    return Population(value)


def _population(value: object, info: ValidationInfo) -> Population:
    return as_population(value, Path((info.context or {}).get("folder", Path())))


Among = Annotated[
    Population,
    PlainValidator(_population),
    PlainSerializer(lambda population: population.plain),
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "description": "the table of the people among whom those of the table are: a file, relative to the policy",
        }
    ),
]
"""A population as a policy names it."""
