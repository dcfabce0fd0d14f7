"""The form in which a table is written: like the file it came from, and as the name of the new file says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import polars as pl

from discreet.columns.formulas import escaped, escaped_texts
from discreet.policy import FileOptions
from discreet.table.formats.base import TableFormat, Writing
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.known import FOR_FRAMES, refuse_foreign, written_as


@dataclass(frozen=True)
class Form:
    """How a table was written (no dialect: not a text file) and what the policy says about text files."""

    dialect: Dialect | None = None
    options: FileOptions = field(default_factory=FileOptions)
    origin: TableFormat = FOR_FRAMES
    """The format of the file that it came from."""

    def format_for(self, path: Path) -> TableFormat:
        """Return the format in which a file of this name is written."""
        refuse_foreign(path)
        chosen = written_as(path) or self.origin
        chosen.refuse_name(path)
        return chosen

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, path: Path) -> None:
        """Write a table that comes in parts: of texts where the format has nothing else."""
        chosen = self.format_for(path)
        if chosen.is_text and self.options.escape_formulas:
            names = escaped_texts(columns)
            parts = (escaped(part).rename(dict(zip(part.columns, names, strict=True))) for part in parts)
            columns = names
        chosen.write(columns, parts, target, Writing(path, self.options, self.dialect))
