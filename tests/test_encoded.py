"""Codes and collapsed counts say the same as the rows, whatever the number of values."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.encoded import Combinations, collapse, encode, keys, smallest

texts = st.one_of(st.none(), st.text(max_size=3))


@given(st.lists(texts, max_size=30))
def test_codes_stand_for_the_values_in_code_point_order(values: list[str | None]) -> None:
    encoded = encode(pl.Series(values, dtype=pl.String))
    assert [encoded.domain[code] for code in encoded.codes] == values
    present = sorted({value for value in values if value is not None})
    assert list(encoded.domain) == ([None] if None in values else []) + present


@given(st.lists(texts, max_size=40), st.integers(0, 20), st.integers(1, 9), st.integers(0, 3))
def test_codes_of_many_rows_are_those_of_few(values: list[str | None], sampled: int, every: int, few: int) -> None:
    """Whether all texts are among the rows that are looked at first, or some of them, or none."""
    column = pl.Series(values, dtype=pl.String)
    alone = encode(column)
    with pytest.MonkeyPatch.context() as patch:
        for name, number in (("SAMPLED", sampled), ("EVERY", every), ("FEW", few)):
            patch.setattr("discreet.encoded." + name, number)
        found = encode(column)
    assert found.domain == alone.domain
    assert np.array_equal(found.codes, alone.codes)
    assert found.codes.dtype == alone.codes.dtype


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=40))
def test_collapsing_keeps_every_count(rows: list[tuple[str | None, ...]]) -> None:
    columns = [encode(pl.Series([row[place] for row in rows], dtype=pl.String)) for place in range(3)]
    found = collapse(["a", "b", "c"], columns, len(rows))
    back = zip(*(np.array(found.domain(c), dtype=object)[found.code(c)] for c in "abc"), strict=True)
    assert dict(zip(back, found.counts.tolist(), strict=True)) == Counter(rows)


def test_many_wide_columns_do_not_overflow() -> None:
    """Twelve columns of a thousand values have 10**36 combinations; those that occur are told apart."""
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 1000, 500).astype(np.uint16) for _ in range(12)]
    codes = [np.concatenate([code, code]) for code in codes]
    key, bound = keys(codes, [1000] * 12, 1000)
    assert len(set(key.tolist())) == len(set(zip(*(c.tolist() for c in codes), strict=True))) == 500
    assert key.max() < bound < 2**63


@pytest.mark.parametrize(("size", "kind"), [(1, np.uint8), (256, np.uint8), (257, np.uint16), (65537, np.uint32)])
def test_smallest_integers(size: int, kind: type) -> None:
    assert smallest(size) is kind
    domain = pl.Series([str(number) for number in range(size)])
    assert encode(domain).codes.dtype == kind


def test_rows_of_a_column_are_counted_once_and_not_handed_on() -> None:
    """Nobody can change them for the next who asks, and other codes have other rows."""
    counted = Combinations(("a",), (("x", "y"),), (np.array([0, 1, 1], dtype=np.uint8),), np.array([5, 2, 4]))
    rows = counted.rows("a")
    assert rows.tolist() == [5, 6]
    assert counted.rows("a") is rows
    with pytest.raises(ValueError, match="read-only"):
        rows[0] = 7
    other = replace(counted, codes=(np.array([1, 1, 0], dtype=np.uint8),))
    assert other.rows("a").tolist() == [4, 7]
    assert counted.rows("a").tolist() == [5, 6]
