"""Files of SAS (.sas7bdat, .xpt) as a format of tables: read, not written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from discreet.table.formats.place import Place
from discreet.table.formats.sas_transport import TRANSPORT, is_transport, refuse_cut_transport
from discreet.table.formats.statistics import StatisticsFormat

POINTER = 12
"""Bytes that tell where a compressed row of a data set is."""


class SasFormat(StatisticsFormat):
    """Data sets of SAS, and its transport files."""

    name: ClassVar[str] = "SAS"
    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat", ".xpt")
    advised: ClassVar[tuple[str, ...]] = ()
    magic: ClassVar[tuple[bytes, ...]] = (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", TRANSPORT)
    is_written: ClassVar[bool] = False
    goes_on: ClassVar[bool] = False
    keeps_missing: ClassVar[bool] = False

    def refuse_damaged(self, table: Place, path: Path) -> None:
        """Refuse a transport file that is cut off: pyreadstat reads what is there."""
        if is_transport(path):
            refuse_cut_transport(table, path)

    def most_cells(self, path: Path, columns: int) -> int:
        """Return how many cells a file can hold at most: a row, if it is compressed, takes no less than its place."""
        size = path.stat().st_size
        return max(size, size // POINTER * columns)

    def reader(self, path: Path) -> Callable[..., tuple[Any, Any]]:
        """Return the function of pyreadstat that reads a file."""
        import pyreadstat

        reader: Callable[..., tuple[Any, Any]] = (
            pyreadstat.read_xport if is_transport(path) else pyreadstat.read_sas7bdat
        )
        return reader
