"""A written text file read in parts, beside the table it should hold: whatever is not the very table is found."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.policy import KAnonymity, Policy
from discreet.table.formats import dialect as dialects
from discreet.table.formats.csv_beside import is_read_as
from discreet.table.formats.csv_reading import read_csv
from discreet.table.formats.csv_writing import write_csv
from discreet.table.formats.dialect import Dialect
from discreet.table.local import LocalEngine
from discreet.table.source import reopened

LONG = 150_000
"""Rows that are read in several parts."""
CELLS = st.sampled_from(
    [None, "", "a", "b", "*", "007", "NA", " x", 'say "no"', "a,b", "a;b", "l\nl", "l\r\nl", "é🙂", "=1", "'=1", "-5"]
)


def of(data: bytes, path: Path, table: pl.DataFrame, **said: Any) -> bool | None:
    path.write_bytes(data)
    options = {"separator": None, "header": True, "encoding": None, "skip": 0, "escaped": False, **said}
    with mock.patch.object(dialects, "MAPPED", 1):
        return is_read_as(path, table, said=path, **options)


def written(table: pl.DataFrame, dialect: Dialect) -> bytes:
    target = io.BytesIO()
    write_csv(table, target, dialect)
    return target.getvalue()


def rows(*rows: Sequence[str | None]) -> pl.DataFrame:
    names = [f"c{place}" for place in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


@given(data=st.data())
def test_it_says_what_reading_the_whole_file_says(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    width = data.draw(st.integers(1, 4))
    made = st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=8).map(lambda lines: rows(*lines))
    table = data.draw(made)
    other = data.draw(made | st.just(table))
    header = data.draw(st.booleans())
    separator = data.draw(st.sampled_from([",", ";"]))
    dialect = Dialect(separator, header, line_end=data.draw(st.sampled_from(["\n", "\r\n"])))
    path = tmp_path_factory.mktemp("csv") / "r.csv"
    text = written(other, dialect)
    said: dict[str, Any] = {"separator": separator, "header": header or table.columns}
    path.write_bytes(text)
    try:
        whole: object = read_csv(path, **said)[0].equals(table)
    except InputError as error:
        whole = str(error)
    try:
        found: object = of(text, path, table, **said)
    except InputError as error:
        found = str(error)
    if found is None:  # something stands behind the rows
        assert text.endswith((b"\n\n", b"\n\r\n")) or text.startswith(b'"\xef')
    elif isinstance(whole, str):
        assert found in (whole, False)
    else:
        assert found is whole
    if other.equals(table):
        assert found in (True, None) or found == whole


@pytest.fixture(scope="module")
def long() -> pl.DataFrame:
    number = pl.int_range(LONG, eager=True)
    return pl.DataFrame(
        {
            "id": number.cast(pl.String),
            "text": ("a longer text: " + (number % 7).cast(pl.String)),
            "last": pl.select(pl.when(number % 5 > 0).then((number % 3).cast(pl.String))).to_series(),
        }
    )


@pytest.mark.parametrize("row", [0, 1, LONG // 2, LONG - 2, LONG - 1])
@pytest.mark.parametrize("column", ["id", "text", "last"])
@pytest.mark.parametrize("new", ["x", None])
def test_one_changed_cell_is_found_wherever_it_stands(
    row: int, column: str, new: str | None, long: pl.DataFrame, tmp_path: Path
) -> None:
    cells = long[column].clone().scatter(row, "y" if new is None and long[column][row] is None else new)
    text = written(long.with_columns(cells), Dialect())
    assert of(text, tmp_path / "r.csv", long) is False


def test_a_long_table_is_itself_and_nothing_else(long: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    half = LONG // 2
    assert of(written(long, Dialect()), path, long) is True
    assert of(written(long[:half].vstack(long[half + 1 :]), Dialect()), path, long) is False  # a row is lost
    assert of(written(long.vstack(long[-1:]), Dialect()), path, long) is False  # one comes twice
    order = pl.int_range(LONG, eager=True).scatter([half, half + 1], [half + 1, half])
    assert of(written(long[order.to_list()], Dialect()), path, long) is False  # two have changed places
    nothing = long.clear(2).with_columns(pl.all().cast(pl.String))
    assert of(written(long.vstack(nothing), Dialect()), path, long) is False  # rows of nothing
    assert of(written(long, Dialect()), path, long.vstack(nothing)) is False


def test_the_names_count(long: pl.DataFrame, tmp_path: Path) -> None:
    path, text = tmp_path / "r.csv", written(long, Dialect())
    assert of(text, path, long.rename({"text": "Text"})) is False
    assert of(text, path, long.select("text", "id", "last")) is False
    assert of(text, path, long.drop("last")) is False
    assert of(text, path, long.with_columns(more=pl.lit("x"))) is False
    headless = written(long, Dialect(header=False))
    assert of(headless, path, long, header=long.columns) is True
    assert of(headless, path, long, header=False) is False
    assert of(headless, path, long[1:].rename(dict(zip(long.columns, "xyz", strict=True))), header=list("xyz")) is False
    formula = long.rename({"text": "=text"})
    assert of(written(long.rename({"text": "'=text"}), Dialect()), path, formula, escaped=True) is True
    assert of(written(formula, Dialect()), path, formula, escaped=True) is True


def test_records_that_are_short_or_long_and_broken_quotes_are_found(long: pl.DataFrame, tmp_path: Path) -> None:
    path, lines = tmp_path / "r.csv", written(long, Dialect()).splitlines(keepends=True)
    for place in (1, LONG // 2, LONG):
        short = [*lines[:place], lines[place].replace(b",", b"", 1), *lines[place + 1 :]]
        assert of(b"".join(short), path, long) is False
    short_and_long = [lines[0], lines[1].rsplit(b",", 1)[0] + b"\n", lines[2][:-1] + b",x\n", *lines[3:]]
    assert not of(b"".join(short_and_long), path, long)
    for wrong in (b'a"b,x,y\n', b'"a,x,y\n', b"a\rb,x,y\n", b"a\0b,x,y\n"):
        with pytest.raises(InputError):
            of(b"".join([*lines[:9], wrong, *lines[10:]]), path, long)
    latin = [*lines[:9], b"\xe9,x,y\n", *lines[10:]]
    assert not of(b"".join(latin), path, long)


def test_what_cannot_be_mapped_is_left_to_reading_it_whole(long: pl.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    table = rows(("a", "b"), ("c", "d"))
    assert of(written(table, Dialect(encoding="utf-16")), path, table, encoding="utf-16") is None
    assert of(written(table, Dialect()) + b"\n\n", path, table) is None
    assert is_read_as(path, table, separator=None, header=True, encoding=None, skip=0, said=path, escaped=False) is None


@pytest.mark.parametrize("options", [{}, {"escape_formulas": True}, {"header": False}, {"separator": ";"}])
def test_the_local_engine_reads_text_back_in_parts(options: dict[str, Any], tmp_path: Path) -> None:
    table = rows(("=1+1", "a"), ("'=1", None), ("-", "x;y"), ("", "*")).rename({"c0": "column_1", "c1": "column_2"})
    policy = Policy(protect=[KAnonymity(k=2, over=["column_1"])], file=options)
    path = tmp_path / "r.csv"
    engine, whole = LocalEngine(table), mock.Mock(side_effect=reopened)
    engine.form = type(engine.form)(options=policy.file)
    with path.open("wb") as file, mock.patch.object(dialects, "MAPPED", 1):
        engine.write(file, path)
        file.flush()
        assert engine.reads_back(path, policy, whole)
        assert not LocalEngine(table.reverse()).reads_back(path, policy, whole)
    assert not whole.called
    assert engine.reads_back(path, policy, whole)
    assert whole.called
