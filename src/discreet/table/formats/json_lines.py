"""JSON lines as a format of tables: an object a line; texts, numbers and truth values keep their types."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.common.staging import escaped
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.by_name import by_names
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.json_names import refuse_names_twice
from discreet.table.formats.place import Place
from discreet.table.memory import TableSize, size_of_text
from discreet.table.no_room import is_disk_full

FIRST = 1 << 16
"""Bytes in which the first line must end for a file of another name to be taken for JSON lines."""
EXACT = 2.0**53
"""Whole numbers from here on are not all floats."""
PIECE = 1 << 20
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".data")


class JsonLinesFormat(TableFormat):
    """Files with a JSON object in each line."""

    name: ClassVar[str] = "JSON lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    advised: ClassVar[tuple[str, ...]] = (".jsonl",)

    def files(self, table: Path) -> list[Path] | None:
        """Return the file, if its name says so or its first line is a JSON object."""
        try:
            if not table.is_file() or table.suffix.lower() in TEXT_ENDINGS:
                return None
            with table.open("rb") as file:
                start = file.read(1).strip()
                if table.suffix.lower() in (*self.suffixes, ".json"):
                    return [table] if start in (b"", b"{", b"[") else None
                return [table] if start == b"{" and _is_object(b"{" + file.readline(FIRST)) else None
        except (OSError, ValueError):
            return None  # reading it as text says what is wrong

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        """Return the table in a file."""
        _refuse_document(table, files[0])
        _refuse_half_letters(table, files[0])
        refuse_names_twice(table, files[0])
        with _reading(table, files[0]):
            frame = _scan(files[0]).collect()
            if others := _texts_instead(table, frame.lazy()):
                frame = _scan(files[0], {**frame.schema, **others}).collect()
            return frame, None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> None:  # noqa: ARG002
        """Make a Parquet file of the table, some rows at a time."""
        _refuse_document(table, files[0])
        _refuse_half_letters(table, files[0])
        refuse_names_twice(table, files[0])
        with _reading(table, files[0]):
            schema = dict(_scan(files[0]).collect_schema())
            others = _texts_instead(table, _scan(files[0], schema))
            _scan(files[0], {**schema, **others}).sink_parquet(target, engine="streaming")

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:  # noqa: ARG002
        """Write an object for each row; a missing value is null."""
        for part in parts:
            packed = io.BytesIO()
            _as_json_has(part).write_ndjson(packed)
            target.write(packed.getbuffer())

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much a file holds, by its start."""
        return size_of_text(path, ",")


def _scan(path: Path, schema: Mapping[str, pl.DataType] | None = None) -> pl.LazyFrame:
    """Return the rows of a file; where nobody says what its columns hold, all of it is looked at for that."""
    return pl.scan_ndjson(escaped(str(path.absolute())), schema=schema, infer_schema_length=None)


def _texts_instead(table: Place, frame: pl.LazyFrame) -> dict[str, pl.DataType]:
    """Return the columns that are to be read as texts: without any value, or with numbers that no float holds."""
    schema = frame.collect_schema()
    if not schema:
        raise InputError(f"{table}: has no columns; give a file with a JSON object in each line")
    floats = [name for name, kind in schema.items() if kind.is_float()]
    most = (
        frame.select(column.abs().max() for column in by_names(floats)).collect(engine="streaming").row(0)
        if floats
        else ()
    )
    large = [name for name, value in zip(floats, most, strict=True) if (value or 0.0) >= EXACT]
    return {name: pl.String() for name in (*large, *(name for name, kind in schema.items() if kind == pl.Null))}


@contextlib.contextmanager
def _reading(table: Place, path: Path) -> Iterator[None]:
    """Turn an error of Polars, which would show values, into one that says what is wrong."""
    try:
        yield
    except InputError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        if is_disk_full(str(error)):
            raise InputError(
                f"{table}: the disk for scratch files is full; let TMPDIR name a folder on another disk"
            ) from None
        raise _unreadable(table, path) from None


def _refuse_document(table: Place, path: Path) -> None:
    """Refuse one JSON document, which is no table of lines."""
    with path.open("rb") as file:
        start = file.read(FIRST).lstrip()
    if not start:
        raise InputError(f"{table}: is empty; give a file with a JSON object in each line")
    if start[:1] == b"[" or start.splitlines()[0].strip() == b"{":
        raise InputError(
            f"{table}: this is a JSON document, not JSON lines; write an object a line, as by `jq -c '.[]'`"
        )


def _refuse_half_letters(table: Place, path: Path) -> None:
    """Refuse one half of a surrogate pair, which is no letter: Polars would make another one of it."""
    with path.open("rb") as file:
        last = b""
        while data := file.read(PIECE):
            if _SURROGATE.search(last + data):
                break
            last = data[-8:]
        else:
            return
        file.seek(0)
        for number, line in enumerate(file, start=1):
            if _SURROGATE.search(line) and not _is_written(line):
                raise InputError(f"{table}, line {number}: has one half of a surrogate pair (\\ud800 to \\udfff) alone")


def _is_written(line: bytes) -> bool:
    """Whether all texts of a line can be written as UTF-8; what is no JSON is named elsewhere."""
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True
    return True


def _unreadable(table: Place, path: Path) -> InputError:
    """Return the error that names the first line that is no JSON object; only for messages."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip() and not _is_object(line):
                return InputError(f"{table}, line {number}: is not a JSON object")
    return InputError(f"{table}: cannot be read as JSON lines with the same kind of value in each column")


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _as_json_has(part: pl.DataFrame) -> pl.DataFrame:
    """Return a table with what JSON has not by its texts: dates, times, decimals."""
    changed = []
    for column in part.iter_columns():
        kind = column.dtype
        if kind == pl.Binary:
            raise InputError(f"column {column.name!r}: JSON has no bytes; write a Parquet file")
        if kind.is_temporal() or kind.is_decimal() or kind in (pl.Categorical, pl.Enum):
            changed.append(column.cast(pl.String))
        elif kind.is_float():
            if column.is_infinite().any():
                raise InputError(f"column {column.name!r}: JSON has no infinite numbers; write a Parquet or CSV file")
            changed.append(column.fill_nan(None))
    return part.with_columns(changed)
