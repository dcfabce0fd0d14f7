"""Rows weigh what the slow version says, whatever they are, in whichever order they come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.method.base import row_weights
from discreet.method.base.row_weights import BesideColumn, parts_of_numbers, parts_of_values, weighted_rows
from tests.reference import beside as slow


@st.composite
def combinations(draw: st.DrawFn) -> tuple[list[tuple[int, tuple[int, ...], int]], int, list[int]]:
    """Draw combinations (class, parts, how many rows), the number of classes and of parts of each column."""
    classes = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    one = st.tuples(
        st.integers(0, classes - 1), st.tuples(*(st.integers(0, size - 1) for size in sizes)), st.integers(0, 7)
    )
    return draw(st.lists(one, max_size=12)), classes, sizes


@given(combinations(), st.booleans())
def test_weights_equal_the_slow_ones(
    drawn: tuple[list[tuple[int, tuple[int, ...], int]], int, list[int]], ordered: bool
) -> None:
    found, classes, sizes = drawn
    rows = [(one, parts, place) for place, (one, parts, times) in enumerate(found) for _ in range(times)]
    expected = [0] * len(found)
    for (_, _, place), weight in zip(rows, slow.weights(rows, classes, sizes, ordered=ordered), strict=True):
        expected[place] += weight
    assert fast(found, classes, sizes, ordered=ordered) == expected


def fast(
    found: Sequence[tuple[int, tuple[int, ...], int]], classes: int, sizes: Sequence[int], *, ordered: bool
) -> list[int]:
    columns = [
        BesideColumn(np.array([parts[place] for _, parts, _ in found], dtype=np.int64), size)
        for place, size in enumerate(sizes)
    ]
    target = np.array([one for one, _, _ in found], dtype=np.int64)
    counts = np.array([times for _, _, times in found], dtype=np.int64)
    summed: list[int] = weighted_rows(target, classes, columns, counts, ordered=ordered).tolist()
    return summed


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    found = [(int(rng.integers(3)), (int(rng.integers(9)), int(rng.integers(5))), 2) for _ in range(60)]
    whole = fast(found, 3, [9, 5], ordered=False)
    monkeypatch.setattr(row_weights, "CHUNK", 7)
    assert fast(found, 3, [9, 5], ordered=False) == whole


def test_fractions_decide_where_floats_are_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing sure, all is decided by fractions, and comes to the same."""
    rng = np.random.default_rng(1)
    found = [(int(rng.integers(3)), (int(rng.integers(4)),), int(rng.integers(1, 9))) for _ in range(40)]
    for ordered in (False, True):
        usual = fast(found, 3, [4], ordered=ordered)
        with monkeypatch.context() as patched:
            patched.setattr(row_weights, "SURE", 2.0)
            assert fast(found, 3, [4], ordered=ordered) == usual


def test_rows_without_a_target_weigh_one() -> None:
    column = BesideColumn(np.array([0, 1]), 2)
    assert weighted_rows(np.array([-1, -1]), 2, [column], np.array([3, 4])).tolist() == [3, 4]


def test_what_is_told_already_weighs_little() -> None:
    """Of two parts one tells the class, the other nothing."""
    found = [(0, (0,), 100), (0, (1,), 100), (1, (1,), 100)]
    told, *open_ = (summed / 100 for summed in fast(found, 2, [2], ordered=False))
    assert told < 2
    assert min(open_) > 12


@given(st.lists(st.integers(1, 50), max_size=30), st.integers(1, 8))
def test_parts_cover_all_rows(rows: list[int], parts: int) -> None:
    counts = np.array(rows, dtype=np.int64)
    numbers = parts_of_numbers(counts, parts).tolist()
    assert numbers == sorted(numbers)
    assert sorted(set(numbers)) == list(range(len(set(numbers))))
    assert len(set(numbers)) <= 2 * parts
    values = parts_of_values(counts, parts).tolist()
    alone = [place for place, n in enumerate(rows) if n * parts >= sum(rows)]
    assert len({values[place] for place in alone}) == len(alone) <= parts
    assert len(set(values)) <= len(alone) + 1
