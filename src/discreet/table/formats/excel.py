"""Excel workbooks (.xlsx) as a format of tables: a sheet is a table, its first row has the names, every cell is a text.

Numbers are read as Excel shows whole ones (`1`, not `1.0`), dates as ISO, truth values as `true` and `false`. A
formula is read by its last result; none is ever written.
"""

from __future__ import annotations

import contextlib
import logging
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import polars as pl

from discreet.common.registry import listed
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.policy.places import did_you_mean
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.excel_checking import BOOK, look_at, sheet_names, told_size
from discreet.table.formats.excel_writing import SHEET, refuse_sheet_name, write_workbook
from discreet.table.formats.numbers import moment_texts, number_texts
from discreet.table.formats.place import Place, file_and_part
from discreet.table.machine import memory_for_a_job
from discreet.table.memory import TableSize

MAGIC = b"PK\x03\x04"
PER_CELL = 30
"""Bytes that a cell takes in the text of a sheet, about."""
NO_DAY = date(1899, 12, 31)
"""The day that the library gives to a time of day; Excel has none before 1900."""
SHARE = 4
"""A sheet that is read takes so many times the memory of its text, at least."""
_LOG = logging.getLogger("discreet")


class ExcelFormat(TableFormat):
    """Workbooks of Excel, in its form since 2007."""

    name: ClassVar[str] = "Excel"
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)
    advised: ClassVar[tuple[str, ...]] = (".xlsx",)
    is_text: ClassVar[bool] = True
    has_parts: ClassVar[bool] = True
    takes_formulas: ClassVar[bool] = False

    def files(self, table: Path) -> list[Path] | None:
        """Return the file, if it is an archive that holds a workbook."""
        file, _ = file_and_part(table)
        return [file] if _is_workbook(file) else None

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:
        """Return the table in a sheet: the one that is named, else the first that is not hidden."""
        _require()
        part = file_and_part(table)[1] if isinstance(table, Path) else None
        _refuse_huge(table, files[0])
        sheet = _chosen(table, files[0], part)
        with _reading(table):
            seen = look_at(files[0], sheet)
        if seen.unknown is not None:
            where = f"in cell {seen.unknown} " if seen.unknown else ""
            raise InputError(
                f"{table}: sheet {sheet!r}: a formula {where}has no result in the file: the program that wrote it did "
                "not compute any; open it in Excel or LibreOffice, and save it there"
            )
        return _Sheet(table, files[0], sheet, reading.options.skip, truths=seen.truths).texts(), None

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write a workbook with one sheet: texts as texts, a column of nothing but plain numbers as numbers."""
        write_workbook(columns, parts, target, _sheet_name(how.path))

    def refuse_name(self, path: Path) -> None:
        """Refuse the name of a sheet that Excel would not take."""
        super().refuse_name(path)
        _require()
        refuse_sheet_name(path, _sheet_name(path))

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much a file holds, by how long the texts of its sheets are."""
        size = told_size(path)
        return TableSize(SHARE * size, size // PER_CELL, 1, 0)


def _sheet_name(path: Path) -> str:
    found = re.search(r"\.xlsx#(.+)$", path.name, re.IGNORECASE | re.DOTALL)
    return SHEET if found is None or path.exists() else found[1]


def _require() -> None:
    try:
        import fastexcel  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError("this is an Excel workbook: pip install 'discreet[excel]'") from None


def _is_workbook(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe would never end
            return False
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                return False
        with zipfile.ZipFile(path) as archive:
            return BOOK in archive.namelist()
    except (OSError, ValueError, zipfile.BadZipFile):
        return path.suffix.lower() == ".xlsx"


@contextlib.contextmanager
def _reading(table: Place) -> Iterator[None]:
    """Turn an error of a library, which may show values, into one that says what is wrong."""
    try:
        yield
    except InputError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise InputError(f"{table}: is not a readable Excel workbook; it is damaged or cut off") from None


def _refuse_huge(table: Place, path: Path) -> None:
    """Refuse a workbook that would not fit into memory: it cannot be read in parts."""
    with _reading(table):
        size, most = SHARE * told_size(path), memory_for_a_job()
    if size > most:
        raise InputError(
            f"{table}: a workbook of {size // SHARE >> 20:,} MB unpacked takes more memory than there is; save the "
            "sheet as CSV"
        )


def _chosen(table: Place, path: Path, part: str | None) -> str:
    """Return the name of the sheet that is meant; the first one is said."""
    with _reading(table):
        names = list(sheet_names(path))
    every = [name for name, _ in names]
    if part is not None:
        if part not in every:
            raise InputError(
                f"{table}: there is no sheet {part!r}; there is {listed(every, 'and')}{did_you_mean(part, every)}"
            )
        return part
    if not names:
        raise InputError(f"{table}: has no sheets")
    first = next((name for name, hidden in names if not hidden), every[0])
    if len(every) > 1:
        _LOG.info("%s: sheet %r is read, the first of %d; name another as %s#SHEET", table, first, len(every), table)
    return first


class _Sheet:
    """One sheet, as fastexcel reads it."""

    def __init__(self, table: Place, path: Path, name: str, skip: int, *, truths: bool) -> None:
        import fastexcel

        self.table, self.skip, self.truths = table, skip, truths
        with _reading(table):
            self.book = fastexcel.read_excel(str(path))
            self.name = name
            self.sheet: Any = self.book.load_sheet(name, header_row=skip, schema_sample_rows=None)
            self.columns = self.sheet.available_columns()

    def texts(self) -> pl.DataFrame:
        """Return all cells as texts."""
        if not self.columns:
            raise InputError(f"{self.table}: sheet {self.name!r} is empty")
        with _reading(self.table):
            cells, errors = self.sheet.to_arrow_with_errors()
            frame = pl.from_arrow(cells)
        assert isinstance(frame, pl.DataFrame)
        if errors is not None and errors.errors:
            frame = self._with_empty_texts(frame, sorted({one.position[1] for one in errors.errors}))
        named = [
            column
            for column, about in zip(self._apart(frame).iter_columns(), self.columns, strict=True)
            if about.column_name_from != "generated" or column.null_count() < len(column)
        ]
        self._refuse_names()
        return pl.DataFrame([_texts(column) for column in named])

    def _apart(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the table with words for truth values that stand among numbers; fastexcel makes 1 and 0 of them."""
        numbers = [place for place, kind in enumerate(frame.dtypes) if kind.is_numeric()]
        if not self.truths or not numbers:
            return frame
        words, _ = self._as_texts(numbers)
        for place in numbers:
            column = words.to_series(place)
            if column.is_in(["true", "false"]).any():
                frame = frame.replace_column(place, column)
        return frame

    def _as_texts(self, places: Sequence[int]) -> tuple[pl.DataFrame, Any]:
        """Return the table with some of its columns as texts, and the cells that are none; a sheet may begin at B."""
        kinds: Any = {self.columns[place].absolute_index: "string" for place in places}
        with _reading(self.table):
            sheet = self.book.load_sheet(self.name, header_row=self.skip, schema_sample_rows=None, dtypes=kinds)
            cells, errors = sheet.to_arrow_with_errors()
            texts = pl.from_arrow(cells)
        assert isinstance(texts, pl.DataFrame)
        return texts, errors

    def _with_empty_texts(self, frame: pl.DataFrame, places: Sequence[int]) -> pl.DataFrame:
        """Return the table with columns as texts that have empty texts among numbers, dates or truth values.

        Formulas give such texts; fastexcel passes them over when it looks for the kind of a column, and then takes
        them for errors, as it does errors of Excel.
        """
        texts, errors = self._as_texts(places)
        self._refuse_errors(errors)
        return frame.with_columns(texts.to_series(place) for place in places)

    def _refuse_errors(self, errors: Any) -> None:
        """Refuse cells with an error of Excel: they have no value."""
        found = list(errors.errors) if errors is not None else []
        if found:
            row, column = found[0].position
            more = f", and {len(found) - 1} more" if len(found) > 1 else ""
            raise InputError(
                f"{self.table}: sheet {self.name!r}: an error of Excel (such as #N/A) in row {row + 1}, column "
                f"{column + 1}{more}; mend it, or empty the cell"
            )

    def _refuse_names(self) -> None:
        """Refuse columns without a name, and two with the same: fastexcel makes up names for them."""
        for place, about in enumerate(self.columns, start=1):
            if about.column_name_from == "generated" and self._has_values(place - 1):
                raise InputError(
                    f"{self.table}: sheet {self.name!r}: column {place} has no name; put the names of the columns into "
                    "the first row (see `skip`)"
                )
        names = {about.name for about in self.columns}
        if not any((found := re.fullmatch(r"(.*)_\d+", name)) and found[1] in names for name in names):
            return
        with _reading(self.table):
            only_first: Any = {"header_row": None, "skip_rows": self.skip, "n_rows": 1, "dtypes": "string"}
            first = self.book.load_sheet(self.name, **only_first).to_polars().row(0)
        seen: dict[str, int] = {}
        for place, name in enumerate(first, start=1):
            if name is not None and name in seen:
                raise InputError(
                    f"{self.table}: sheet {self.name!r}: columns {seen[name]} and {place} have the same name"
                )
            seen[str(name)] = place

    def _has_values(self, place: int) -> bool:
        column: pl.Series = self.sheet.to_polars().to_series(place)
        return column.null_count() < len(column)


def _texts(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind.is_float():
        return number_texts(column)
    if isinstance(kind, (pl.Datetime, pl.Date)):
        return _moment_texts(column)
    if isinstance(kind, pl.Duration):
        return _time_texts(column)
    return column.cast(pl.String)


def _moment_texts(column: pl.Series) -> pl.Series:
    """Return points in time as ISO; what Excel keeps as a part of a day, without any day, as 10:30:00."""
    bare = column.dt.date() == NO_DAY
    if column.dtype == pl.Date or not bare.any():
        return moment_texts(column)
    whole = (column.dt.microsecond() == 0).all()
    times = column.dt.strftime("%H:%M:%S" if whole else "%H:%M:%S%.6f")
    days = moment_texts(column.set(bare, None))
    return days.zip_with(~bare.fill_null(value=False), times)


def _time_texts(column: pl.Series) -> pl.Series:
    """Return times of day, which Excel keeps as parts of a day, as 10:30:00."""
    seconds = column.dt.total_seconds()
    parts = pl.DataFrame({"h": seconds // 3600, "m": seconds // 60 % 60, "s": seconds % 60})
    two = [part.cast(pl.String).str.zfill(2) for part in (pl.col("h"), pl.col("m"), pl.col("s"))]
    return parts.select(pl.concat_str(two, separator=":").alias(column.name)).to_series()
