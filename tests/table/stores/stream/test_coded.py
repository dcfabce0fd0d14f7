"""Counting the combinations of a streamed table by codes, without holding too many."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.table.stores.stream import coded


def test_combinations_are_counted_without_holding_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"a": [str(at) for at in range(500)], "b": ["x", None] * 250}).lazy()
    asked: list[pl.DataFrame] = []

    def collect(query: pl.LazyFrame) -> pl.DataFrame:
        asked.append(query.collect())
        return asked[-1]

    assert coded.counted(frame, ["p", "q"], 500, 100, collect, "the table") is None
    assert all(found.height <= 100 for found in asked)
    twice = pl.concat([frame, frame])
    found = coded.counted(twice, ["p", "q"], 1000, 500, collect, "the table")
    assert found is not None
    assert found.domains == (tuple(sorted(str(at) for at in range(500))), (None, "x"))
    assert found.codes[0].tolist() == list(range(500))
    assert found.codes[1].tolist() == [int(int(text) % 2 == 0) for text in found.domains[0]]
    assert found.counts.tolist() == [2] * 500
    monkeypatch.setattr("discreet.table.stores.packing.MOST_BITS", 9)  # more columns than fit into one number
    again = coded.counted(twice, ["p", "q"], 1000, 500, collect, "the table")
    assert again is not None
    assert [codes.tolist() for codes in again.codes] == [codes.tolist() for codes in found.codes]
