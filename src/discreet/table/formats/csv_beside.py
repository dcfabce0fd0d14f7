"""A CSV file that was written, read once more beside the table that it should hold: some rows at a time.

Read by Polars as whoever gets it reads it, after the records were counted as always; only that its values are not all
in memory at once, where the table is already.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import polars as pl

from discreet.columns.formulas import unescaped, unescaped_texts
from discreet.common.at_once import Meanwhile
from discreet.table.formats.csv_layout import uneven_error
from discreet.table.formats.csv_reading import as_written, counted, is_mistaken, laid_out, lines_before
from discreet.table.formats.dialect import load


def is_read_as(
    path: Path,
    table: pl.DataFrame,
    *,
    separator: str | None,
    header: bool | Sequence[str],
    encoding: str | None,
    skip: int,
    said: Path,
    escaped: bool,
) -> bool | None:
    """Whether a text file is read as this very table of texts; None where it cannot be read in parts.

    `escaped` says that formulas are escaped in it. The others are as for `read_csv`; what that refuses is refused.
    """
    layout = laid_out(partial(load, said=said), path, separator, header, encoding, skip)
    source = layout.source
    if not isinstance(source.data, mmap.mmap) or layout.end < len(source.data) or is_mistaken(layout):
        return None
    names = unescaped_texts(layout.names) if escaped and layout.header else layout.names
    if names != table.columns:
        return False
    file, skipped = (source.file or source.path).absolute(), lines_before(layout)
    read = pl.scan_csv(file, skip_lines=skipped, **as_written(layout))
    with Meanwhile(partial(_compared, unescaped(read, header=False) if escaped else read, table)) as compared:
        text = counted(layout)
    if text.rows != table.height or not text.even:
        return False
    try:
        rows, blanks, *same = compared()
    except (Exception, pl.exceptions.PanicException):
        return None  # not as many rows, or no text: what is wrong is seen when it is read as always
    text.refuse(rows)
    if text.may_be_short(blanks) and uneven_error(layout):
        return False
    return all(same)


def _compared(read: pl.LazyFrame, table: pl.DataFrame) -> tuple[int, int, *tuple[bool, ...]]:
    """Return how many rows were read, how many of them have nothing last, and which columns are the same."""
    places = range(table.width)
    theirs = read.select(pl.nth(place).alias(f"read {place}") for place in places)
    mine = table.lazy().select(pl.nth(place).alias(f"written {place}") for place in places)
    was_read = pl.col("read")
    found = (
        pl.concat([theirs.with_columns(pl.lit(True).alias("read")), mine], how="horizontal")
        .select(
            was_read.count(),
            (pl.col(f"read {places[-1]}").is_null() & was_read.is_not_null()).sum().alias("blanks"),
            *(
                pl.col(f"read {place}").eq_missing(pl.col(f"written {place}")).all().alias(f"same {place}")
                for place in places
            ),
        )
        .collect(engine="streaming")
    )
    return found.row(0)
