"""What is said beforehand of columns that a job makes coarser."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as d
from discreet.planning import fitting_columns

FRAME = pl.DataFrame({"pay": [str(10 * row) for row in range(40)], "town": ["oslo", "rome"] * 20})
RULES = {
    "columns": {"pay": {"type": "number"}},
    "protect": [{"k": 4, "over": ["pay", "town"]}],
    "genetic": {"population": 10, "iterations": 90},
}


def said(rules: dict[str, object]) -> list[str]:
    return [
        warning for warning in d.check(d.Policy.from_dict({**RULES, **rules}), FRAME).warnings if "takes" in warning
    ]


def test_a_genetic_search_among_very_many_cuts_is_told_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred cuts, each with 39 borders of pay, its root, and two towns."""
    places = 39 + 1 + 2
    assert not said({"search": "genetic"})
    monkeypatch.setattr(fitting_columns, "MANY_DRAWN", 100 * places + 1)
    assert not said({"search": "genetic"})
    monkeypatch.setattr(fitting_columns, "MANY_DRAWN", 100 * places)
    (warning,) = said({"search": "genetic"})
    assert warning.startswith(
        "genetic: 100 cuts are made, each of 42 values and borders that may be told: it takes min"
    )
    assert not said({"search": "coordinate", "genetic": {}})
    assert not said({"search": "genetic", "columns": {"pay": {"type": "number", "ends": [100, 200]}}})
    monkeypatch.setattr(fitting_columns, "MANY_DRAWN", 3 * places)
    (warning,) = said({"search": "genetic"})
    assert "it takes hours" in warning
