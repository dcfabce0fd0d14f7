"""Which rows of a combination are taken: by the written rule, the same ones everywhere, all as likely as any other."""

from __future__ import annotations

from hashlib import md5

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.table.row_lottery import lot_texts, taken

SALT = "00112233445566778899aabbccddeeff"
CELLS = st.none() | st.sampled_from(["", "a", "-", "1:a", "#1", "é", "🤦🏼‍♂️", "a1:b"]) | st.text(max_size=3)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[str | None, ...]], list[int], list[int]]:
    """Rows, the combination of each, and how many are wanted of each combination."""
    width = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12))
    combination = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return rows, combination, [draw(st.integers(0, combination.count(one))) for one in range(3)]


def columns_of(rows: list[tuple[str | None, ...]]) -> list[pl.Series]:
    return [pl.Series(values, dtype=pl.String) for values in zip(*rows, strict=True)]


@given(tables())
def test_equals_the_written_rule(table: tuple[list[tuple[str | None, ...]], list[int], list[int]]) -> None:
    rows, combination, wanted = table
    texts = []
    for place, row in enumerate(rows):
        text = SALT + "".join("-" if cell is None else f"{len(cell)}:{cell}" for cell in row)
        alike = [other for other in range(place + 1) if (rows[other], combination[other]) == (row, combination[place])]
        texts.append(f"{text}#{len(alike)}")
    expected = set()
    for one, number in enumerate(wanted):
        here = [place for place in range(len(rows)) if combination[place] == one]
        expected |= set(sorted(here, key=lambda place: md5(texts[place].encode()).hexdigest())[:number])
    which = np.array(combination, dtype=np.int64)
    assert lot_texts(columns_of(rows), which, SALT).to_list() == texts
    found = taken(columns_of(rows), which, np.array(wanted), SALT)
    assert set(np.flatnonzero(found).tolist()) == expected


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=8, unique=True))
def test_different_rows_have_different_texts(rows: list[tuple[str | None, ...]]) -> None:
    texts = lot_texts(columns_of(rows), np.zeros(len(rows), dtype=np.int64), SALT).to_list()
    assert len(set(texts)) == len(rows)


def test_a_database_makes_the_same_texts() -> None:
    """The rule can be written in SQL: lengths in code points, digests in lower-case hexadecimal digits."""
    rows: list[tuple[str | None, ...]] = [("a", None), ("a", None), ("🤦🏼‍♂️é", ""), (None, "1:x"), ("a", None)]
    frame = pl.DataFrame(rows, schema=["p", "q"], orient="row")
    held = " || ".join(f"coalesce(length({name}) || ':' || {name}, '-')" for name in frame.columns)
    numbered = "text || '#' || row_number() over (partition by text)"
    found = (
        duckdb.connect().sql(f"select md5({numbered}) from (select '{SALT}' || {held} as text from frame)").fetchall()
    )
    mine = lot_texts(columns_of(rows), np.zeros(len(rows), dtype=np.int64), SALT).to_list()
    assert sorted(digest for (digest,) in found) == sorted(md5(text.encode()).hexdigest() for text in mine)


def test_rows_without_any_text() -> None:
    """Only their numbers tell them apart."""
    assert lot_texts([], np.array([0, 0, 1]), SALT).to_list() == [f"{SALT}#1", f"{SALT}#2", f"{SALT}#1"]


@pytest.mark.slow
def test_equal_rows_are_as_likely_as_others() -> None:
    """One row of four, of which three are equal: each in a quarter of the cases."""
    columns = [pl.Series(["a", "a", "a", "b"])]
    first = sum(
        taken(columns, np.zeros(4, dtype=np.int64), np.array([1]), f"{salt:032x}").astype(int) for salt in range(2000)
    )
    assert first / 2000 == pytest.approx([1 / 4] * 4, abs=0.04)
