"""Rows for learners: what a released text covers is what its numbers say, and originals stand in the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.compare.features import MOST, Encoding
from discreet.compare.meanings import Sense, sense_of
from discreet.table.source import open_table

pytest.importorskip("sklearn")

POLICY = d.Policy(
    columns={"age": {"type": "number"}, "city": {"taxonomy": {"any": {"North": ["Oslo", "Turku"], "Rome": None}}}},
    protect=[d.KAnonymity(k=1, over=["age", "city"])],
)


def sensed(
    name: str, original: Sequence[str | None], released: Sequence[str | None], policy: d.Policy = POLICY
) -> Sense:
    table = open_table(pl.DataFrame({name: original}, schema={name: pl.String}), policy)
    return sense_of(open_table(pl.DataFrame({name: released}, schema={name: pl.String}), policy), policy, name, [table])


def released(sense: Sense) -> list[list[float]]:
    rows: list[list[float]] = Encoding.of([sense]).released().toarray().tolist()
    return rows


def test_a_number_is_its_middle_and_half_its_width() -> None:
    sense = sensed("age", ["20", "30", "40", "60"], ["[20-30]", "60", "*", ">=40"])
    assert released(sense) == [
        [0.125, 0.125, 0, *[0] * 4],
        [1, 0, 0, *[0] * 4],
        [0.5, 0.5, 1, *[0] * 4],
        [0.75, 0.25, 0, *[0] * 4],
    ]
    encoding = Encoding.of([sense])
    places = [np.array([sense.values.index("30"), -1])]
    assert encoding.originals(places).toarray()[:, :3].tolist() == [[0.25, 0, 0], [0.5, 0.5, 1]]


def test_a_category_is_shared_evenly_by_what_a_text_covers() -> None:
    sense = sensed("city", ["Oslo", "Turku", "Rome"], ["North", "Rome", "*", "any", "Mars"])
    at = {value: place for place, value in enumerate(sense.values)}
    found = np.array(released(sense))
    assert found.shape == (5, 4)
    assert found[0, [at["Oslo"], at["Turku"], at["Rome"]]].tolist() == [0.5, 0.5, 0]
    assert found[1, at["Rome"]] == 1
    assert found[2].sum() == 0
    assert found[3, :3] == pytest.approx([1 / 3] * 3)
    assert found[4].tolist() == [0, 0, 0, 1], "what nobody can read is a value of its own"


def test_original_and_released_rows_stand_in_the_same_numbers() -> None:
    table = pl.DataFrame({"age": ["20", "30", None], "city": ["Oslo", "Rome", "Turku"]})
    engine = open_table(table, POLICY)
    encoding = Encoding.of([sense_of(engine, POLICY, name, [engine]) for name in ("age", "city")])
    assert (encoding.released() != encoding.table(engine)).nnz == 0
    assert encoding.released(np.array([1])).toarray().tolist() == encoding.table(engine).toarray()[[1]].tolist()
    assert len(encoding.names) == encoding.released().shape[1]
    assert encoding.names[:3] == ("age:middle", "age:half_width", "age:unknown")


def test_columns_of_no_kind_are_numbers_if_they_are_many() -> None:
    few = sensed("other", ["1", "2"], ["1", "2"])
    assert released(few) == [[1, 0], [0, 1]]
    many = sensed("other", [str(number) for number in range(30)], ["0", "29", "*"])
    assert np.array(released(many))[:, :3].tolist() == [[0, 0, 0], [1, 0, 0], [0.5, 0.5, 1]]
    mixed = sensed("other", [*(str(number) for number in range(30)), "x"], ["0", "x"])
    assert np.array(released(mixed)).shape == (2, 31)
    days = sensed("other", [f"2024-01-{day:02}" for day in range(1, 32)], ["2024-01-01", "2024-01-31", "*"])
    assert np.array(released(days))[:, :3].tolist() == [[0, 0, 0], [1, 0, 0], [0.5, 0.5, 1]]


def test_values_of_a_number_that_are_none_are_categories() -> None:
    found = np.array(released(sensed("age", ["20", "40", "old"], ["20", "old", "*"])))
    assert found[:, :3].tolist() == [[0, 0, 0], [0.5, 0.5, 1], [0.5, 0.5, 1]]
    assert found[:, 3:].sum(axis=1).tolist() == [0, 1, 0]


def test_rare_values_are_one() -> None:
    names = [f"v{number:04}" for number in range(MOST + 50)]
    sense = sensed("other", names, [*names, *names[100:]])
    found = np.array(released(sense))
    assert found.shape[1] == MOST + 1
    assert (found.sum(axis=1) == 1).all()
    assert found[:, MOST].sum() == 50, "the commonest have numbers of their own"
