"""Rows are guessed as the slow version does, whatever they are, in whichever order they come."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.method.base import guesses
from discreet.method.base.guesses import (
    BesideColumn,
    TargetGuesses,
    guessed,
    levels_of,
    parts_of_numbers,
    parts_of_values,
)
from tests.reference import beside as slow

Kind = tuple[int, tuple[int, ...], int]


@st.composite
def combinations(draw: st.DrawFn) -> tuple[list[Kind], int, list[int]]:
    """Draw combinations (class, parts, how many rows), the number of classes and of parts of each column."""
    classes = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    one = st.tuples(
        st.integers(0, classes - 1), st.tuples(*(st.integers(0, size - 1) for size in sizes)), st.integers(0, 7)
    )
    return draw(st.lists(one, max_size=12)), classes, sizes


@given(combinations(), st.booleans())
def test_guesses_and_levels_equal_the_slow_ones(drawn: tuple[list[Kind], int, list[int]], as_numbers: bool) -> None:
    found, classes, sizes = drawn
    rows = [(one, parts, place) for place, (one, parts, times) in enumerate(found) for _ in range(times)]
    numbers = [Fraction(one, classes) for one in range(classes)] if as_numbers else None
    expected = slow.guesses(rows, classes, sizes, numbers)
    fast = fast_guesses(found, classes, sizes, numbers)
    assert told(fast) == sorted((place, *guess) for (_, _, place), guess in zip(rows, expected, strict=True))
    if numbers is None:
        level, levels = levels_of(fast, classes)
        slowly = slow.levels(expected, classes)
        assert sorted(np.repeat(level, fast.rows).tolist()) == sorted(slowly)
        assert levels == max(slowly, default=0) + 1
        each = dict(zip(expected, slowly, strict=True))
        pairs = zip(fast.guess.tolist(), fast.step.tolist(), strict=True)
        assert level.tolist() == [each[pair] for pair in pairs]


def fast_guesses(
    found: Sequence[Kind], classes: int, sizes: Sequence[int], numbers: Sequence[Fraction] | None = None
) -> TargetGuesses:
    columns = [
        BesideColumn(np.array([parts[place] for _, parts, _ in found], dtype=np.int64), size)
        for place, size in enumerate(sizes)
    ]
    target = np.array([one for one, _, _ in found], dtype=np.int64)
    return guessed(target, classes, columns, np.array([times for _, _, times in found], dtype=np.int64), numbers)


def told(lines: TargetGuesses) -> list[tuple[int, int, int]]:
    """Return the combination, guess and step of every row."""
    each = zip(*(figures.tolist() for figures in (lines.at, lines.rows, lines.guess, lines.step)), strict=True)
    return sorted((at, guess, step) for at, rows, guess, step in each for _ in range(rows))


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    found = [(int(rng.integers(3)), (int(rng.integers(9)), int(rng.integers(5))), 2) for _ in range(60)]
    whole = told(fast_guesses(found, 3, [9, 5]))
    monkeypatch.setattr(guesses, "CHUNK", 7)
    assert told(fast_guesses(found, 3, [9, 5])) == whole


def test_fractions_decide_where_floats_are_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing sure, all is decided by fractions, and comes to the same."""
    rng = np.random.default_rng(1)
    found = [(int(rng.integers(3)), (int(rng.integers(4)),), int(rng.integers(1, 9))) for _ in range(40)]
    for numbers in (None, [Fraction(0), Fraction(1, 3), Fraction(1)]):
        usual = told(fast_guesses(found, 3, [4], numbers))
        with monkeypatch.context() as patched:
            patched.setattr(guesses, "SURE", 2.0)
            assert told(fast_guesses(found, 3, [4], numbers)) == usual


def test_rows_without_a_target_are_not_guessed() -> None:
    column = BesideColumn(np.array([0, 1]), 2)
    assert not len(guessed(np.array([-1, -1]), 2, [column], np.array([3, 4])).rows)


def test_a_row_has_no_part_in_its_own_guess() -> None:
    """A part that one row alone has tells nothing of it: it is taken for what most others are."""
    lines = fast_guesses([(0, (0,), 50), (1, (1,), 1)], 2, [2])
    assert dict(zip(lines.at.tolist(), lines.guess.tolist(), strict=True))[1] == 0


def test_many_classes_have_one_level() -> None:
    found = [(one, (one,), 20) for one in range(9)]
    assert levels_of(fast_guesses(found, 9, [9]), 9)[1] == 1
    assert levels_of(fast_guesses(found[:8], 8, [8]), 8)[1] == 8


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
