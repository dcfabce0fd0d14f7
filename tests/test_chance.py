"""Chance that protects comes from the operating system, is even, and a seed is always said."""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.chance import chance_from, some_of

AGES = pl.DataFrame({"age": ["30"] * 12 + ["99"]})


@given(st.integers(1, 60), st.data())
def test_places_are_different_and_in_order(rows: int, data: st.DataObject) -> None:
    wanted = data.draw(st.integers(0, rows))
    places = some_of(rows, wanted, os.urandom)
    assert len(places) == wanted
    assert (np.diff(places) > 0).all()
    assert ((places >= 0) & (places < rows)).all()


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [1, 2, 3])
def test_every_choice_is_as_likely(wanted: int) -> None:
    chance, tries = chance_from(3), 12_000
    seen = Counter(tuple(some_of(5, wanted, chance).tolist()) for _ in range(tries))
    choices = list(combinations(range(5), wanted))
    assert set(seen) == set(choices)
    for choice in choices:
        assert seen[choice] / tries == pytest.approx(1 / len(choices), abs=0.02)


def test_numbers_that_would_come_more_often_are_drawn_again() -> None:
    """2**64 is 1 above a multiple of 3: the last number would make 0 a little likelier."""
    numbers = [2**64 - 1, 2**64 - 2, 5]

    def chance(size: int) -> bytes:
        assert size == 8
        return np.array([numbers.pop(0)], dtype=np.uint64).tobytes()

    assert some_of(3, 1, chance).tolist() == [2]
    assert numbers == [5]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes the operating system was asked for."""
    sizes: list[int] = []

    def bytes_of(size: int) -> bytes:
        sizes.append(size)
        return real(size)

    real = os.urandom
    monkeypatch.setattr(os, "urandom", bytes_of)
    return sizes


def test_lots_and_samples_ask_the_operating_system(asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """And no seeded generator, on which whoever sees some draws could reckon."""
    real = np.random.default_rng

    def refused(seed: object = None) -> np.random.Generator:
        assert seed is not None, "a generator that protects is seeded"
        return real(seed)  # type: ignore[arg-type]

    monkeypatch.setattr(np.random, "default_rng", refused)
    lot = d.protect(AGES, d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], search="coordinate"))
    assert lot.audit.drawn == 3
    assert sum(asked) >= 3 * 8 + 16  # the rows, and the salt that says which of equal ones
    asked.clear()
    sample = d.protect(AGES, d.Policy(protect=[d.KAnonymity(k=1, over=["age"])], release={"sample": "50%"}))
    assert sample.plan.sampled is not None
    assert sum(asked) >= 6 * 8


SAID = "a seed was given, though nothing was drawn by chance; releases are made without one"


def test_a_seed_is_said_where_nothing_is_drawn() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=1, over=["age"])])
    assert SAID in d.protect(AGES, policy, seed=7).audit.warnings
    assert SAID not in d.protect(AGES, policy).audit.warnings
    drawn = d.protect(AGES, d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], search="coordinate"), seed=7)
    assert drawn.audit.warnings == ("3 rows were suppressed by a lot that whoever knows the seed can repeat",)
