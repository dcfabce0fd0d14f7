"""The table as it came in is counted while a plan is searched for: the same figures, and only where that is right."""

from __future__ import annotations

import threading
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.audit import before
from discreet.policy.bind import bind
from discreet.table.local import LocalEngine

TABLE = pl.DataFrame(
    {
        "job": ["cook", "cook", "clerk", "clerk", "smith", "smith"] * 4,
        "town": ["A", "B", "A", "B"] * 6,
        "ill": ["yes", "no", "no"] * 8,
    }
)
TEMPLATE = d.Template(given=["job", "town"], infer={"ill": "yes"}, at_most="50%")
JOBS: dict[str, tuple[dict[str, Any], bool]] = {
    "a template": ({"protect": [TEMPLATE]}, True),
    "k": ({"protect": [d.KAnonymity(k=3, over=["job", "town"])]}, True),
    "both": ({"protect": [TEMPLATE, d.KAnonymity(k=3, over=["job", "town"])]}, True),
    "rows that are dropped": ({"protect": [TEMPLATE], "missing": {"values": ["A"], "rows": "drop"}}, True),
    "a use": ({"use": d.Classify("ill"), "protect": [d.KAnonymity(k=3, over=["job", "town"])]}, True),
    "a sample": ({"protect": [TEMPLATE], "release": {"sample": "50%"}}, False),
}


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return, for each time that the table was counted, whether another thread did it."""
    found: list[bool] = []
    count = before.kept_before

    def counting(*asked: Any) -> Any:
        found.append(threading.current_thread() is not threading.main_thread())
        return count(*asked)

    monkeypatch.setattr(before, "kept_before", counting)
    monkeypatch.setattr("discreet.audit.describing.kept_before", counting)
    return found


@pytest.mark.parametrize("job", JOBS)
def test_figures_are_the_same_with_a_thread_and_without(
    job: str, counted: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    said, ahead = JOBS[job]
    policy = d.Policy(**said)
    alone = d.protect(TABLE, policy, seed=1)
    assert counted == [False]
    monkeypatch.setattr(before, "MANY", 1)
    together = d.protect(TABLE, policy, seed=1)
    assert counted == [False, ahead]  # once, not twice
    assert together.audit.before == alone.audit.before
    assert together.audit.before
    assert together.audit.usefulness == alone.audit.usefulness
    assert isinstance(together.table, pl.DataFrame)
    assert isinstance(alone.table, pl.DataFrame)
    assert together.table.equals(alone.table)


def test_cells_and_many_sets_of_columns_are_counted_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may take long, and who stops the job would wait for them."""
    monkeypatch.setattr(before, "MANY", 1)
    table = LocalEngine(TABLE)
    sets = [["job"], ["town"], ["ill"], ["job", "town"], ["job", "ill"]]
    assert len(sets) > before.FEW_SETS
    cells = d.Confidential(column="ill", rows=[1], predictors=["job"], against=["naive_bayes"])
    asked: list[tuple[list[Any], bool]] = [
        ([TEMPLATE], True),
        ([d.KAnonymity(k=2, over=known) for known in sets], False),
        ([TEMPLATE, cells], False),
    ]
    for protect, ahead in asked:
        assert before._is_worth_it(table, bind(d.Policy(protect=protect), TABLE.columns)) is ahead
