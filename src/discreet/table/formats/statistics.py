"""What files of statistics packages (SPSS, Stata, SAS) have in common; pyreadstat reads and writes them.

Every cell is a text. A value that has a label is told by it, unless the policy asks for codes; other numbers are told
as people write them (`1`, not `1.0`), dates as ISO. An empty text is a missing value, as it is to these packages.
Labels of columns and of the file, notes, and who made it when stay at home.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.numbers import as_numbers, number_texts
from discreet.table.formats.place import Place
from discreet.table.formats.spooling import texts_to_parquet
from discreet.table.memory import TableSize
from discreet.table.stores.scratch import Scratch

ROWS_AT_A_TIME = 100_000
WHOLE = 2**31 - 100
"""Whole numbers below this are written as such where the package has them."""


class StatisticsFormat(TableFormat):
    """Files of one package."""

    is_text: ClassVar[bool] = True
    takes_formulas: ClassVar[bool] = False
    magic: ClassVar[tuple[bytes, ...]]
    """How its files begin."""
    letters: ClassVar[int] = 64
    """Characters that the name of a column may have, or bytes, whichever is more."""
    first: ClassVar[str] = r"[^\W\d_]"
    """What the name of a column begins with."""
    keeps_missing: ClassVar[bool] = True
    """Whether the package tells kinds of missing values apart, which are values like any other here."""

    @abstractmethod
    def reader(self, path: Path) -> Callable[..., tuple[Any, Any]]:
        """Return the function of pyreadstat that reads a file."""

    def save(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a table of texts and numbers, without a word about when."""
        raise NotImplementedError

    def refuse_damaged(self, table: Place, path: Path) -> None:
        """Refuse a file of which pyreadstat would not say that it is cut off."""

    def files(self, table: Path) -> list[Path] | None:
        """Return the file, if it begins as such files do, or its name says so."""
        try:
            if not table.is_file():  # a pipe would never end
                return None
            with table.open("rb") as file:
                start = file.read(max(map(len, self.magic)))
        except (OSError, ValueError):
            return None  # reading it as text says what is wrong
        return [table] if start.startswith(self.magic) or table.suffix.lower() in self.suffixes else None

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:
        """Return the table in a file."""
        self._require()
        self.refuse_damaged(table, files[0])
        with self._reading(table):
            self._refuse_forged(table, files[0], reading.options)
            frame, about = self.reader(files[0])(str(files[0]), **self._asked(reading))
            return self._texts(table, frame, about, reading), None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> None:
        """Make a Parquet file of the table, some rows at a time."""
        self._require()
        self.refuse_damaged(table, files[0])
        with self._reading(table):
            self._refuse_forged(table, files[0], reading.options)
            _, about = self.reader(files[0])(str(files[0]), **self._asked(reading), row_limit=1)
            texts_to_parquet(about.column_names, self._parts(table, files[0], reading), target, table)

    def _parts(self, table: Place, path: Path, reading: Reading) -> Iterator[pl.DataFrame]:
        import pyreadstat

        asked = self._asked(reading)
        for frame, about in pyreadstat.read_file_in_chunks(
            self.reader(path), str(path), chunksize=ROWS_AT_A_TIME, **asked
        ):
            yield self._texts(table, frame, about, reading)

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write texts as texts, and a column of nothing but plain numbers as numbers."""
        self._require()
        self._refuse_names(columns)
        whole = pl.concat(list(parts)).cast(pl.String)
        made = pl.DataFrame([self._column(column) for column in whole.iter_columns()])
        with contextlib.closing(Scratch()) as scratch:
            ending = how.path.suffix.lower()
            path = scratch.new(ending if ending in self.suffixes else self.suffixes[0])
            try:
                self.save(made, path)
            except OSError:
                raise
            except Exception:
                raise InputError(
                    f"{how.path}: cannot be written as a {self.name} file; write a CSV or Parquet file"
                ) from None
            with path.open("rb") as file:
                shutil.copyfileobj(file, target, 1 << 20)

    def refuse_name(self, path: Path) -> None:
        """Refuse to write where pyreadstat is not installed."""
        super().refuse_name(path)
        self._require()

    def _require(self) -> None:
        try:
            import pyreadstat  # noqa: F401
        except ImportError:
            raise InputError(f"this is a {self.name} file: pip install 'discreet[stats]'") from None

    def most_cells(self, path: Path, columns: int) -> int:  # noqa: ARG002
        """Return how many cells a file can hold at most: none takes less than a byte."""
        return path.stat().st_size

    def _refuse_forged(self, table: Place, path: Path, options: FileOptions) -> None:
        """Refuse a file that says it has more rows than it can hold: pyreadstat makes room for all of them at once."""
        rows, columns = self._told(path, options)
        if rows * columns > self.most_cells(path, columns):
            raise InputError(
                f"{table}: is not a readable {self.name} file; it is damaged or cut off: it is too short for the rows "
                "that it says it has"
            )

    def _told(self, path: Path, options: FileOptions) -> tuple[int, int]:
        """Return how many rows (0 where that is not said) and columns a file says that it has."""
        asked = {"output_format": "polars", "encoding": options.encoding}
        about = self.reader(path)(str(path), metadataonly=True, **asked)[1]
        return about.number_rows or 0, about.number_columns

    def size(self, path: Path, options: FileOptions) -> TableSize:
        """Return how much a file holds, by what it says of itself, if it can hold that."""
        rows, columns = self._told(path, options)
        if not rows or rows * columns > self.most_cells(path, columns):
            return super().size(path, options)
        return TableSize(path.stat().st_size, rows, columns, 0)

    def _asked(self, reading: Reading) -> dict[str, Any]:
        asked: dict[str, Any] = {"output_format": "polars", "encoding": reading.options.encoding}
        return {**asked, "user_missing": True} if self.keeps_missing else asked

    @contextlib.contextmanager
    def _reading(self, table: Place) -> Iterator[None]:
        """Turn an error of a library, which may show values, into one that says what is wrong."""
        try:
            yield
        except InputError:
            raise
        except (Exception, pl.exceptions.PanicException):
            raise InputError(
                f"{table}: is not a readable {self.name} file; it is damaged, cut off, encrypted, or in another "
                "`encoding`"
            ) from None

    def _texts(self, table: Place, frame: pl.DataFrame, about: Any, reading: Reading) -> pl.DataFrame:
        """Return a table as texts."""
        if not frame.width:
            raise InputError(f"{table}: has no columns")
        labels = {} if reading.options.codes else about.variable_value_labels
        return pl.DataFrame([_labelled(table, column, labels.get(column.name, {})) for column in frame.iter_columns()])

    def _column(self, column: pl.Series) -> pl.Series:
        """Return a column of texts as it is written."""
        numbers = as_numbers(column)
        if numbers is not None:
            small = (numbers == numbers.round(0)).all() and float(numbers.abs().max() or 0) < WHOLE  # type: ignore[arg-type]
            return numbers.cast(pl.Int32) if small else numbers
        if (column == "").any():
            raise InputError(
                f"column {column.name!r}: has an empty text, which is a missing value in {self.name} files; write a "
                "CSV or Parquet file"
            )
        return column

    def _refuse_names(self, columns: Sequence[str]) -> None:
        for name in columns:
            if not re.fullmatch(rf"{self.first}\w*", name) or len(name.encode()) > self.letters:
                raise InputError(
                    f"column {name!r}: {self.name} takes no such name; it has letters, digits and _, begins with a "
                    f"letter, and is at most {self.letters} bytes long"
                )
        if len({name.lower() for name in columns}) < len(columns):
            raise InputError(f"two columns have names that differ by capital letters only; {self.name} wants others")


def _labelled(table: Place, column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """Return a column as texts, with labels in the place of values that have some."""
    texts = _plain(column)
    if not labels:
        return texts
    told = dict(zip(_plain(pl.Series(list(map(_number, labels)), dtype=pl.Object)), labels.values(), strict=True))
    words = set(told.values())
    bare = texts.drop_nulls().unique()
    if len(words) < len(told) or any(text in words for text in bare if text not in told):
        raise InputError(
            f"{table}: two values of column {column.name!r} would have the same label; take the codes instead, with "
            "--codes or `file: {codes: true}`"
        )
    return texts.replace(told).replace("", None)


def _number(value: object) -> object:
    return float(value) if isinstance(value, int) else value


def _plain(column: pl.Series) -> pl.Series:
    """Return a column as texts; an empty one is missing."""
    kind = column.dtype
    if kind.is_float():
        return number_texts(column)
    if kind == pl.Object:  # numbers beside kinds of missing values
        numbers = pl.Series([value if isinstance(value, (int, float)) else None for value in column], dtype=pl.Float64)
        words = pl.Series([value if isinstance(value, str) else None for value in column], dtype=pl.String)
        return number_texts(numbers).zip_with(numbers.is_not_null(), words).alias(column.name)
    if isinstance(kind, pl.Datetime):
        return column.dt.strftime("%Y-%m-%d %H:%M:%S%.f")
    if isinstance(kind, pl.Time):
        return column.dt.strftime("%H:%M:%S%.f")
    texts = column.cast(pl.String)
    return texts.replace("", None) if kind == pl.String else texts
