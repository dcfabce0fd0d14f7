"""A table that is known by its codes is released as the same table of texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.encoded import encode, of_texts
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.table.coded import CodedTable
from discreet.table.local import LocalEngine
from tests.profiles import MANY

TEXTS = st.sampled_from(["a", "b", "*", "", None])
ROWS = st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=12)


def both(rows: list[tuple[str | None, str | None]]) -> tuple[LocalEngine, CodedTable]:
    """Return a table as texts, and as codes."""
    frame = pl.DataFrame(rows, schema={"job": pl.String, "town": pl.String}, orient="row")
    numbers = np.arange(len(rows)) * 2 + 3
    codes = {name: encode(frame.get_column(name)) for name in frame.columns}
    return LocalEngine(frame, numbers=numbers), CodedTable(codes, frame.height, numbers)


def assert_same(one: LocalEngine, other: LocalEngine) -> None:
    """Compare what two tables tell, and what they say of themselves."""
    assert one.columns == other.columns
    assert one.rows == other.rows
    assert one.numbers().tolist() == other.numbers().tolist()
    for name in one.columns:
        assert one.texts(name).to_list() == other.texts(name).to_list()
        assert one.encoded(name).domain == other.encoded(name).domain
        assert one.encoded(name).codes.tolist() == other.encoded(name).codes.tolist()
    told = [(each.suppressed, each.unseen, each.removed, each.suppressed_numbers().tolist()) for each in (one, other)]
    assert told[0] == told[1]


@MANY
@given(ROWS, st.data())
def test_a_plan_makes_the_same_of_codes(rows: list[tuple[str | None, str | None]], data: st.DataObject) -> None:
    texts, codes = both(rows)
    some = data.draw(st.lists(st.sampled_from(rows), min_size=1))  # the plan has not seen all values
    seen = [("b" if job == "*" else job, town) for job, town in some]
    policy: dict[str, Any] = {"protect": [{"k": 1, "over": ["job"]}], "columns": {"town": {"role": "other"}}}
    policy["suppress"] = {"rows": data.draw(st.sampled_from(["mask", "remove"]))}
    plan: Plan = d.protect(both(seen)[0].native(), policy, seed=1).plan
    numbers = data.draw(st.lists(st.sampled_from(texts.numbers().tolist()), unique=True))
    edits = data.draw(st.sampled_from([(), (Edit(3, "town", "*"),)]))
    plan = replace(plan, suppressed=tuple(sorted(numbers)), edits=edits, columns=texts.columns)
    assert_same(texts.apply(plan), codes.apply(plan))


@given(ROWS, st.data())
def test_some_rows_of_codes(rows: list[tuple[str | None, str | None]], data: st.DataObject) -> None:
    texts, codes = both(rows)
    places = np.array(sorted(data.draw(st.sets(st.integers(0, len(rows) - 1)))), dtype=np.int64)
    assert_same(texts.only(places), codes.only(places))


@given(st.lists(TEXTS, min_size=1), st.data())
def test_texts_that_stand_twice_or_nowhere(texts: list[str | None], data: st.DataObject) -> None:
    codes = np.array(data.draw(st.lists(st.integers(0, len(texts) - 1))), dtype=np.int64)
    found, wanted = of_texts(texts, codes), encode(pl.Series([texts[code] for code in codes], dtype=pl.String))
    assert found.domain == wanted.domain
    assert found.codes.tolist() == wanted.codes.tolist()
