"""A text file that is streamed says what it says when it is read at once: the same table, or the same refusal."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.table.formats import dialect
from discreet.table.formats.csv_reading import read_csv, stream_csv
from discreet.table.formats.dialect import Dialect

Told = tuple[pl.DataFrame, Dialect] | str

texts = st.text(alphabet='ab,;"\n\r é\t\ufeff', max_size=40)


def both(data: bytes, **said: object) -> tuple[Told, Told]:
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "table.csv", Path(folder) / "target.parquet"
        path.write_bytes(data)
        try:
            at_once: Told = read_csv(path, **said)  # type: ignore[arg-type]
        except InputError as error:
            at_once = str(error)
        try:
            found = stream_csv(path, target, **said)  # type: ignore[arg-type]
            streamed: Told = (pl.read_parquet(target), found)
            target.unlink()
        except InputError as error:
            streamed = str(error)
            target.unlink(missing_ok=True)
        assert [file.name for file in Path(folder).iterdir()] == ["table.csv"]
        return at_once, streamed


def assert_same(data: bytes, **said: object) -> None:
    at_once, streamed = both(data, **said)
    if isinstance(at_once, str) or isinstance(streamed, str):
        assert streamed == at_once
    else:
        assert streamed[1] == at_once[1]
        assert streamed[0].rows() == at_once[0].rows()
        assert streamed[0].schema == at_once[0].schema


@given(texts, st.sampled_from([True, False, ("x", "y")]), st.integers(0, 2), st.sampled_from([None, ",", ";"]))
def test_any_text(text: str, header: bool | tuple[str, ...], skip: int, separator: str | None) -> None:
    assert_same(text.encode(), header=header, skip=skip, separator=separator)


@given(st.lists(st.lists(st.text(alphabet='ab," é\n', max_size=4), min_size=2, max_size=2), max_size=6))
def test_tables(rows: list[list[str]]) -> None:
    frame = pl.DataFrame([["one", "two"], *rows], schema=["x", "y"], orient="row")
    data = frame.write_csv(include_header=False).encode()
    assert_same(data)
    assert_same(data.decode().encode("latin-1"), encoding="latin-1")
    assert_same(data + b"\n\n")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a,b\n1,2\n\xff,3\n", {}),
        (b"a,b\n1,2\n\xff,3\n", {"encoding": "ascii"}),
        (b"a,b\n1\n", {}),
        (b"a,b\n1,2\n3\n4,5,6\n", {}),
        (b"a,b\n1,\0\n", {}),
        (b"\x1f\x8bnothing", {}),
        ("a,b\n1,2\n".encode("utf-16"), {}),
        ("a,b\n1,ü\n".encode("utf-16"), {"encoding": "utf-16"}),
        (b"", {}),
        (b"x\x9c,b\n1,2\n", {}),
    ],
)
def test_files_that_are_odd(data: bytes, said: dict[str, object]) -> None:
    assert_same(data, **said)


@pytest.mark.parametrize("fault", ["", "short", "utf-8", "quote"])
def test_a_file_of_many_steps(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file is looked at in steps, what stands across their ends is seen all the same."""
    monkeypatch.setattr(dialect, "STEP", 1 << 16)
    monkeypatch.setattr(dialect, "MAPPED", 1)
    lines = [f'{at},"é{at}",{"ü" * (at % 7)}' for at in range(30_000)]
    if fault:
        lines[25_000] = {"short": "1,2", "quote": '1,a"b,2', "utf-8": "1,2,\udcff"}[fault]
    assert_same("\n".join(["a,b,c", *lines]).encode("utf-8", "surrogateescape"))
