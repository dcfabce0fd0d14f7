"""The local engine: a table in memory, of whatever kind came in (pandas, Polars, PyArrow, a file).

The frame that came in is only asked for columns and given back with some of them replaced; all work on
values happens on their texts. Planning counts with NumPy on codes (`count`), verification with Polars on
texts (`recount`): they share no counting code.
"""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.errors import InputError
from discreet.plan import Plan, Recoding
from discreet.policy import Missing
from discreet.table.csv import Dialect, write_csv
from discreet.table.encode import Combinations, Encoded, collapse, encode
from discreet.table.engine import Engine, Mismatch, Recount
from discreet.table.luggage import without_luggage

PARQUET = (".parquet", ".pq")
CSV = (".csv", ".tsv", ".txt", ".data")


class LocalEngine:
    """A table in memory."""

    def __init__(
        self,
        frame: nw.DataFrame[Any],
        dialect: Dialect | None = None,
        *,
        separator_said: bool = False,
        numbers: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._frame = frame
        self._dialect = dialect
        self._said = separator_said
        self._numbers = numbers
        self._texts: dict[str, pl.Series] = {}
        self._encoded: dict[str, Encoded] = {}
        self.dropped = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(self._frame.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._frame)

    def texts(self, column: str) -> pl.Series:
        """Return a column as texts; null where there is no value."""
        if column not in self._texts:
            self._texts[column] = as_texts(self._frame.get_column(column), column)
        return self._texts[column]

    @property
    def dialect(self) -> Dialect | None:
        """How the text file that the table came from is written, if it came from one."""
        return self._dialect

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have a text form (nested and binary ones have none)."""
        return _has_text(self._frame.get_column(column).dtype)

    def without_missing(self, missing: Missing | None) -> LocalEngine:
        """Return the table without the rows that the policy wants dropped."""
        if missing is None or missing.rows != "drop":
            return self
        keep = np.ones(self.rows, dtype=np.bool_)
        absent = [value for value in missing.values if value is not None]
        for column in self.columns:
            series = self._frame.get_column(column)
            keep &= ~series.is_null().to_numpy()
            if _has_text(series.dtype):
                keep &= ~self.texts(column).is_in(absent).fill_null(False).to_numpy()
        if keep.all():
            return self
        kept = self._with(self._frame.filter(keep.tolist()), np.flatnonzero(keep) + 1)
        kept.dropped = int((~keep).sum())
        return kept

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts, for the planner."""
        return collapse(columns, [self._encode(column) for column in columns], self.rows)

    def apply(self, plan: Plan) -> LocalEngine:
        """Return the release that the plan makes of this table."""
        marker = plan.policy.marker
        masked = np.zeros(self.rows, dtype=np.bool_)
        masked[self._positions(plan.suppressed)] = True
        for recoding in plan.recodings:
            masked |= self._unseen(recoding)
        changed = {recoding.column: self._recoded(recoding, masked, marker) for recoding in plan.recodings}
        for column, rows, new in _edits_by_column(plan):
            current = changed.get(column)
            base = self.texts(column) if current is None else current
            changed[column] = base.scatter(self._positions(rows), new)
        left_out = [name for name, column in plan.policy.columns.items() if column.role == "identifier"]
        frame = self._frame.with_columns(
            *(_like(self._frame, name, texts) for name, texts in changed.items() if texts is not None)
        ).drop(left_out, strict=False)
        return self._with(without_luggage(frame), self._numbers)

    def recount(
        self, given: Sequence[str], column: str, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`, for verification."""
        known = [f"given {place}" for place in range(len(given))]
        texts = pl.LazyFrame(
            [self.texts(name).alias(alias) for name, alias in zip(given, known, strict=True)]
            + [self.texts(column).alias("sensitive")]
        )
        sensitive = pl.col("sensitive")
        groups = (
            texts.group_by(known or pl.lit(0).alias("everyone"))
            .agg(
                pl.len().cast(pl.Int64).alias("rows"),
                *(
                    sensitive.eq_missing(pl.lit(value, pl.String)).sum().cast(pl.Int64).alias(f"hits {place}")
                    for place, value in enumerate(values)
                ),
                sensitive.is_in(list(hidden), nulls_equal=True).sum().cast(pl.Int64).alias("hidden"),
            )
            .collect()
        )
        hits = np.empty((len(groups), len(values)), dtype=np.int64)
        for place in range(len(values)):
            hits[:, place] = groups.get_column(f"hits {place}").to_numpy()
        return Recount(
            groups.select(known).rename(dict(zip(known, given, strict=True))),
            groups.get_column("rows").to_numpy(),
            hits,
            groups.get_column("hidden").to_numpy(),
        )

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column with that of the original, row by row; `marker` may stand for anything."""
        if not isinstance(original, LocalEngine):
            raise TypeError("both tables must be held by the same kind of engine")
        ours, theirs = self._frame.get_column(column), original._frame.get_column(column)
        if not (_has_text(ours.dtype) and _has_text(theirs.dtype)):
            bad = _nested_differences(ours, theirs)
        else:
            mine, source = self.texts(column), original.texts(column)
            bad = ~mine.eq_missing(source)
            if marker is not None:
                bad &= ~mine.eq_missing(pl.Series([marker]))
        if not bad.any():
            return None
        first = int(bad.arg_true()[0])
        number = first + 1 if original._numbers is None else int(original._numbers[first])
        return Mismatch(int(bad.sum()), number)

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with this text."""
        return int((self.texts(column) == text).sum() or 0)

    def native(self) -> object:
        """Return the table as the kind of table that came in."""
        return self._frame.to_native()

    def write(self, target: BinaryIO, path: Path) -> None:
        """Write the table; the name of `path` says in which form."""
        packed = path.suffix.lower() == ".gz"
        suffix = Path(path.stem if packed else path.name).suffix.lower()
        if suffix in PARQUET or (self._dialect is None and suffix not in CSV):
            if packed:
                raise InputError(f"{path}: a Parquet file is packed already; leave out .gz")
            self._frame.to_polars().write_parquet(target)
            return
        frame = pl.DataFrame([self.texts(column).alias(column) for column in self.columns])
        with contextlib.ExitStack() as stack:
            if packed:
                target = cast(BinaryIO, stack.enter_context(gzip.GzipFile("", "wb", fileobj=target, mtime=0)))
            write_csv(frame, target, self._dialect_for(suffix))

    def _dialect_for(self, suffix: str) -> Dialect:
        """Return how to write a text file: like the one that was read, with a separator that fits the name."""
        dialect = self._dialect or Dialect()
        if suffix == ".tsv" and not self._said:
            return replace(dialect, separator="\t")
        if suffix == ".csv" and not self._said and dialect.separator == "\t":
            return replace(dialect, separator=",")
        return dialect

    def _with(self, frame: nw.DataFrame[Any], numbers: npt.NDArray[np.int64] | None) -> LocalEngine:
        return LocalEngine(frame, self._dialect, separator_said=self._said, numbers=numbers)

    def _encode(self, column: str) -> Encoded:
        if column not in self._encoded:
            self._encoded[column] = encode(self.texts(column))
        return self._encoded[column]

    def _positions(self, numbers: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return where the rows with these numbers of the input stand."""
        wanted = np.asarray(numbers, dtype=np.int64)
        have = np.arange(1, self.rows + 1) if self._numbers is None else self._numbers
        found = np.searchsorted(have, wanted)
        if len(wanted) and (found.max() >= len(have) or (have[found] != wanted).any()):
            raise InputError("the plan names a row that the table does not have")
        return found

    def _unseen(self, recoding: Recoding) -> npt.NDArray[np.bool_]:
        encoded = self._encode(recoding.column)
        seen = {*recoding.shown, *recoding.hidden}
        return np.asarray(np.array([value not in seen for value in encoded.domain], dtype=np.bool_)[encoded.codes])

    def _recoded(self, recoding: Recoding, masked: npt.NDArray[np.bool_], marker: str) -> pl.Series | None:
        """Return the released texts of a column; None when nothing changes, so that its type is kept."""
        encoded = self._encode(recoding.column)
        shown = set(recoding.shown)
        if not masked.any() and shown.issuperset(encoded.domain):
            return None
        released = pl.Series([value if value in shown else marker for value in encoded.domain], dtype=pl.String)
        texts = released.gather(pl.Series(encoded.codes).cast(pl.UInt32))
        return texts.zip_with(~pl.Series(masked), pl.Series([marker])) if masked.any() else texts


def as_texts(series: nw.Series[Any], name: str) -> pl.Series:
    """Return a column of any kind of table as texts; null where there is no value."""
    if not _has_text(series.dtype):
        raise InputError(f"column {name!r} holds {series.dtype}, which has no text form; only plain values can be used")
    try:
        return series.to_polars().cast(pl.String)
    except ModuleNotFoundError as error:
        raise InputError(f"reading this kind of table needs {error.name}; install discreet[pandas]") from None
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        raise InputError(f"column {name!r} mixes kinds of values; make it all text first") from None


def _has_text(kind: nw.dtypes.DType) -> bool:
    return not kind.is_nested() and not isinstance(kind, nw.Binary)


def _nested_differences(ours: nw.Series[Any], theirs: nw.Series[Any]) -> pl.Series:
    mine, source = ours.to_polars(), theirs.to_polars()
    if mine.dtype != source.dtype:
        return pl.Series([True] * len(mine), dtype=pl.Boolean)
    return ~mine.eq_missing(source)


def _edits_by_column(plan: Plan) -> list[tuple[str, list[int], list[str]]]:
    columns: dict[str, tuple[list[int], list[str]]] = {}
    for edit in plan.edits:
        rows, texts = columns.setdefault(edit.column, ([], []))
        rows.append(edit.row)
        texts.append(edit.text)
    return [(column, rows, texts) for column, (rows, texts) in columns.items()]


def _like(frame: nw.DataFrame[Any], name: str, texts: pl.Series) -> nw.Series[Any]:
    """Return texts as a column of the same kind of table as `frame`."""
    texts = texts.alias(name)
    native: Any = texts
    if frame.implementation.is_pandas_like():
        native = texts.to_pandas()
        native.index = frame.to_native().index
    elif frame.implementation.is_pyarrow():
        import pyarrow as pa

        native = pa.chunked_array([texts.to_arrow().cast(pa.string())])
    column: nw.Series[Any] = nw.from_native(native, series_only=True)
    return column.alias(name)
