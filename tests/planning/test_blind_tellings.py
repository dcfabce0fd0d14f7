"""What a release told of a cell, read by a later one: what any text of a universe could have been."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns.scale import Numbers
from discreet.encoded import encode
from discreet.plan.blind_statement import StatedColumn
from discreet.planning.blind_reading import OTHER, BlindReading, ReadColumn
from discreet.planning.blind_tellings import TellingReader, block_json
from discreet.verification.blind_reading import MISSING
from discreet.verification.blind_reading import OTHER as OTHER_STATED
from discreet.verification.blind_tellings import of_block, of_text
from tests.profiles import MANY

UNIVERSE: list[str | None] = [None, "cook", "x, y", "nurse", *(f"{half / 2:g}" for half in range(-6, 60))]
"""Texts: words, and numbers so near to each other that some lie between any two ends of classes."""


def reading(texts: list[str | None], scale: Numbers | None) -> tuple[BlindReading, ReadColumn, list[int]]:
    """Return how a column is read whose rest has some texts, and the element of each text of the universe."""
    how = BlindReading(lambda text: text is None, "*", scale)
    encoded = encode(pl.Series([*texts, *UNIVERSE], dtype=pl.String))
    column = how.column(encoded, np.arange(len(texts) + len(UNIVERSE)) < len(texts))
    return how, column, column.codes[len(texts) :].tolist()


def stated(column: ReadColumn, scale: Numbers | None) -> Any:
    """Return the same column as verification has it."""
    of = {None: MISSING, OTHER: OTHER_STATED}
    elements = [of[each] if each is None or each is OTHER else each for each in column.elements]
    said = StatedColumn() if scale is None else StatedColumn("number", tuple(map(scale.write, column.cuts or ())))
    return SimpleNamespace(elements=elements, stated=said)


@MANY
@given(st.data())
def test_a_block_of_one_release_is_all_that_its_texts_are_in_another(data: st.DataObject) -> None:
    numbers = [f"{whole}" for whole in range(1, 26)]
    texts = st.lists(st.sampled_from(["cook", "x, y", None, *numbers]), max_size=30)
    scales = st.sampled_from([None, Numbers()])
    first, second = data.draw(scales), data.draw(scales)
    _, earlier, codes = reading(data.draw(texts), first)
    how, later, then = reading(data.draw(texts), second)
    block = data.draw(st.sets(st.sampled_from(range(len(earlier.elements))), min_size=1))
    said = block_json(earlier, first, sorted(block))
    possible = {new for old, new in zip(codes, then, strict=True) if old in block}
    assert set(TellingReader(later, how).of_block(said)) == possible
    assert of_block(stated(later, second), said) == possible
    assert json.loads(said)["not"] is (len(earlier.elements) - 1 in block)
    for text, code in zip(UNIVERSE, then, strict=True):
        assert TellingReader(later, how).of_text(text) == (code,)
        assert of_text(stated(later, second), text, ()) == {code}


def test_a_label_tells_what_is_below_it() -> None:
    parents = {"cook": "kitchen", "baker": "kitchen", "nurse": "ward", "kitchen": "all", "ward": "all"}
    how = BlindReading(lambda text: text is None, "*", None, parents)
    column = how.column(encode(pl.Series(["baker", "cook", "nurse", "clerk"])), np.ones(4, dtype=np.bool_))
    told = TellingReader(column, how).of_text("kitchen")
    assert [column.elements[place] for place in told] == ["baker", "cook", OTHER]
    assert [column.elements[place] for place in TellingReader(column, how).of_text("cook")] == ["cook"]
    there = SimpleNamespace(
        elements=["baker", "clerk", "cook", "nurse", OTHER_STATED], stated=StatedColumn(parents=parents)
    )
    assert of_text(there, "kitchen", ()) == set(told)  # type: ignore[arg-type]
