"""Large tables written to a file, and read back."""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import polars as pl

from discreet.errors import InputError
from discreet.table.by_name import nameless
from discreet.table.formats.place import Place
from discreet.table.stores.cells import may_be_text, texts_of
from discreet.table.stores.files import Files
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.stream.store import StreamStore

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine


def write_table(table: BigEngine, target: BinaryIO, path: Place) -> None:
    """Write a table; the name of `path` says in which form."""
    chosen = table.form.format_for(path)
    if chosen.held_by_stores:
        with table.store.saved().open("rb") as file:
            shutil.copyfileobj(file, target, 1 << 20)
        return
    cells = _written if chosen.is_text else _as_they_are
    parts = (pl.DataFrame(list(map(cells, part))) for part in _settled(table).parts(table.columns))
    table.form.write(table.columns, parts, target, path)


def reads_back(table: BigEngine, path: Path, opened: Callable[[], StreamStore]) -> bool:
    """Whether a written file, or a folder of such, is read as this very table; `opened` reads it."""
    if isinstance(table.store, SparkStore) and path.is_dir():
        return table.store.reads_back(path)
    if table.form.format_for(path).held_by_stores and filecmp.cmp(table.store.saved(), path, shallow=False):
        return True
    mine, found = _settled(table), opened()
    if found.columns != mine.columns or found.rows != mine.rows:
        return False
    return not any(difference.cells for difference in found.beside(mine).differences(mine.columns, None).values())


def _settled(table: BigEngine) -> StreamStore:
    """Return the file that holds the table, as Polars reads it: texts are then those of the local engine."""
    return StreamStore.open(Files.of([table.store.saved()], own=True), table.store.scratch, table.name)


def _as_they_are(cells: pl.Series) -> pl.Series:
    return cells


def _written(cells: pl.Series) -> pl.Series:
    """Return cells as they are written to a text file."""
    if not may_be_text(cells.dtype):
        raise InputError(f"column {cells.name!r}: is not text and cannot be written to a CSV file")
    return texts_of(nameless(cells)).alias(cells.name)
