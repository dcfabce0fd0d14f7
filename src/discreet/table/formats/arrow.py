"""Arrow files (Feather, version 2) as a format of tables: cells keep their types, and nothing else goes along."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.place import Place
from discreet.table.memory import TableSize, size_of_frame

MAGIC = b"ARROW1\0\0"
STREAM = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins: with a message, and no word of its own."""
END = STREAM + b"\0\0\0\0"
"""How a stream of Arrow ends: without it nobody knows whether all of it is there."""


class ArrowFormat(TableFormat):
    """Files of Arrow, which Feather is since its version 2, and streams of it."""

    name: ClassVar[str] = "Arrow"
    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")
    advised: ClassVar[tuple[str, ...]] = (".feather",)

    def files(self, table: Path) -> list[Path] | None:
        """Return the file, if it begins as such files do."""
        return [table] if _starts(table, MAGIC) or _starts(table, STREAM) else None

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        """Return the table in a file."""
        try:
            with files[0].open("rb") as file:
                if _starts(files[0], STREAM):
                    file.seek(-len(END), 2)
                    if file.read() != END:
                        raise _damaged(table)
                    file.seek(0)
                    return pl.read_ipc_stream(file), None
                return pl.read_ipc(file), None
        except (Exception, pl.exceptions.PanicException):
            raise _damaged(table) from None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> None:
        """Make a Parquet file of the table, some rows at a time."""
        if _starts(files[0], STREAM):
            self.read(table, files, reading)[0].write_parquet(target)
            return
        try:
            pl.scan_ipc(files[0], glob=False).sink_parquet(target, engine="streaming")
        except (Exception, pl.exceptions.PanicException):
            raise _damaged(table) from None

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:  # noqa: ARG002
        """Write a table; one that comes in parts is put together first."""
        first, *others = parts
        packed = io.BytesIO()  # Polars would not say why a write failed
        whole = pl.concat([first, *others]) if others else first
        whole.write_ipc(packed, compression="zstd", compat_level=pl.CompatLevel.oldest())
        target.write(packed.getbuffer())

    def size(self, path: Path, options: FileOptions) -> TableSize:
        """Return how much a file holds, by what it says of itself and its first rows."""
        if _starts(path, STREAM):
            return super().size(path, options)
        return size_of_frame(path, pl.scan_ipc(path, glob=False))


def _damaged(table: Place) -> InputError:
    return InputError(f"{table}: is not a readable Arrow (Feather) file; it is damaged or cut off")


def _starts(path: Path, magic: bytes) -> bool:
    try:
        if not path.is_file():  # a pipe would never end
            return False
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except (OSError, ValueError):
        return False  # reading it as text says what is wrong
