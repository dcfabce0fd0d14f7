"""The form in which a table is written: like the file it came from, and as the name of the new file says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

import polars as pl

from discreet.columns.formulas import escaped, escaped_texts
from discreet.policy import FileOptions
from discreet.table.formats.base import TableFormat, Writing
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.known import FOR_FRAMES, FOR_PIPES, refuse_foreign, written_as
from discreet.table.formats.place import STANDARD, Address, Place, is_standard


@dataclass(frozen=True)
class Form:
    """How a table was written (no dialect: not a text file) and what the policy says about text files."""

    dialect: Dialect | None = None
    options: FileOptions = field(default_factory=FileOptions)
    origin: TableFormat = FOR_FRAMES
    """The format of the file that it came from."""
    digest: str | None = None
    """The SHA-256 of what was read, where it did not stand in a file."""
    place: Place | None = None
    """Where the table was read, if that was a place: no release goes there."""

    def format_for(self, path: Place) -> TableFormat:
        """Return the format in which a file of this name is written."""
        refuse_foreign(path)
        like_source = self.origin if self.origin.goes_on else FOR_PIPES if is_standard(path) else FOR_FRAMES
        chosen = written_as(path) or like_source
        if not isinstance(path, Address):
            chosen.refuse_name(path)
        return chosen

    def write(
        self,
        columns: Sequence[str],
        parts: Iterable[pl.DataFrame],
        target: BinaryIO,
        path: Place,
        different: Mapping[str, Sequence[str | None]] | None = None,
    ) -> None:
        """Write a table that comes in parts: of texts where the format has nothing else.

        `different` are the different texts of columns of which they are known.
        """
        chosen = self.format_for(path)
        if chosen.escapes and self.options.escape_formulas:
            names = escaped_texts(columns)
            parts = (escaped(part).rename(dict(zip(part.columns, names, strict=True))) for part in parts)
            columns, different = names, None
        name = STANDARD if isinstance(path, Address) else path
        chosen.write(columns, parts, target, Writing(name, self.options, self.dialect, different or {}))
