"""Files of SPSS (.sav) as a format of tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.statistics import StatisticsFormat

WHEN = 92
"""Where a file says when it was made: nine characters for the day, eight for the time."""
PACKED = b"$FL3"
MOST_PACKED = 1032
"""Bytes that a byte of zlib stands for at most."""


class SpssFormat(StatisticsFormat):
    """System files of SPSS."""

    name: ClassVar[str] = "SPSS"
    suffixes: ClassVar[tuple[str, ...]] = (".sav", ".zsav")
    advised: ClassVar[tuple[str, ...]] = (".sav",)
    magic: ClassVar[tuple[bytes, ...]] = (b"$FL2", PACKED)

    def reader(self, path: Path) -> Callable[..., tuple[Any, Any]]:  # noqa: ARG002
        """Return the function of pyreadstat that reads a file."""
        import pyreadstat

        reader: Callable[..., tuple[Any, Any]] = pyreadstat.read_sav
        return reader

    def most_cells(self, path: Path, columns: int) -> int:
        """Return how many cells a file can hold at most: one packed by zlib more than it has bytes."""
        with path.open("rb") as file:
            packed = file.read(len(PACKED)) == PACKED
        return super().most_cells(path, columns) * (MOST_PACKED if packed else 1)

    def save(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a table of texts and numbers; whole ones are shown without decimals."""
        import pyreadstat

        whole = {name: "F12.0" for name, kind in frame.schema.items() if kind.is_integer()}
        pyreadstat.write_sav(frame, str(path), variable_format=whole, compress=path.suffix == ".zsav")
        with path.open("r+b") as file:
            file.seek(WHEN)
            file.write(b"01 Jan 8000:00:00")

    def _column(self, column: pl.Series) -> pl.Series:
        """Return a column of texts as it is written."""
        if column.str.ends_with(" ").any():
            raise InputError(
                f"column {column.name!r}: has a text that ends in a space, which SPSS files do not keep; write a CSV "
                "or Parquet file"
            )
        return super()._column(column)
