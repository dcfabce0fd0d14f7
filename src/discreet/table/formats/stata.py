"""Files of Stata (.dta) as a format of tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.place import Place
from discreet.table.formats.statistics import StatisticsFormat

HEAD = 512
END = b"</stata_dta>"


class StataFormat(StatisticsFormat):
    """Files of Stata."""

    name: ClassVar[str] = "Stata"
    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    advised: ClassVar[tuple[str, ...]] = (".dta",)
    magic: ClassVar[tuple[bytes, ...]] = (b"<stata_dta>",)
    letters: ClassVar[int] = 32
    first: ClassVar[str] = r"[^\W\d]"

    def reader(self, path: Path) -> Callable[..., tuple[Any, Any]]:  # noqa: ARG002
        """Return the function of pyreadstat that reads a file."""
        import pyreadstat

        reader: Callable[..., tuple[Any, Any]] = pyreadstat.read_dta
        return reader

    def refuse_damaged(self, table: Place, path: Path) -> None:
        """Refuse a file that does not end as it should: what it lacks would be read as nothing."""
        with path.open("rb") as file:
            if file.read(len(self.magic[0])) != self.magic[0]:
                return  # an older form
            file.seek(max(path.stat().st_size - 2 * len(END), 0))
            if END not in file.read():
                raise InputError(f"{table}: is a Stata file that is damaged or cut off")

    def save(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a table of texts and numbers."""
        import pyreadstat

        pyreadstat.write_dta(frame, str(path))
        with path.open("r+b") as file:
            head = file.read(HEAD)
            file.seek(0)
            file.write(re.sub(rb"(<timestamp>\x11).{17}", rb"\g<1>01 Jan 1980 00:00", head, flags=re.DOTALL))
