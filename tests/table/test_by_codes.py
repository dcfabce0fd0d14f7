"""Groups counted by codes are those that are counted by texts."""

from __future__ import annotations

from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from discreet.table.by_codes import CountedByCodes
from discreet.table.engine import Recount
from discreet.table.local import LocalEngine

TEXTS = st.sampled_from([None, "", "a", "b", "*", "\u00e9", "\U0001f642"])
LINES = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=12)


def lines(found: Recount) -> list[Any]:
    """Return the groups with all that is counted of them, in any order."""
    counted = zip(found.rows.tolist(), found.hits.tolist(), found.hidden.tolist(), strict=True)
    texts = found.texts.rows() if found.texts.width else [()] * len(found.rows)
    return sorted(zip(texts, counted, strict=True), key=repr)


@given(
    LINES,
    st.lists(st.sampled_from("xyz"), unique=True, max_size=3),
    st.sampled_from([None, "x", "z"]),
    st.lists(TEXTS, unique=True, max_size=3),
    st.lists(TEXTS, unique=True, max_size=2),
)
def test_groups_are_the_same(
    rows: list[Any], known: list[str], column: str | None, values: list[str | None], hidden: list[str | None]
) -> None:
    table = LocalEngine(pl.DataFrame(rows, schema=dict.fromkeys("xyz", pl.String), orient="row"))
    asked = tuple(known), column, () if column is None else values, hidden
    by_texts, by_codes = table.recount(*asked), CountedByCodes(table).recount(*asked)
    assert lines(by_codes) == lines(by_texts)
    assert by_codes.texts.schema == by_texts.texts.schema
    assert by_codes.hits.shape == by_texts.hits.shape
