"""Verification of the promises about groups beside their slow versions, on any texts at all as a release."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from tests.reference.closeness import Close
from tests.reference.promises import ANY, Diverse, Infer, Promise, Reading, each_row, kept

TREE = {"any": {"l": ["low", "mid"], "h": ["high", "top"]}}
NESTED: Any = ("any", (("l", (("low", ()), ("mid", ()))), ("h", (("high", ()), ("top", ())))))
ORDER = ("low", "mid", "high", "top")
J = ("job",)
CASES: list[tuple[dict[str, Any], Promise, bool]] = [
    ({"infer": {"ill": {"any": True}}, "at_most": "1/2"}, Infer(J, "ill", ANY, Fraction(1, 2)), True),
    (
        {"infer": {"ill": {"any_but": ["low", "mid"]}}, "at_most": "1/3"},
        Infer(J, "ill", ANY, Fraction(1, 3), but=frozenset({"low", "mid"})),
        True,
    ),
    ({"infer": {"ill": {"not": "low"}}, "at_most": "3/4"}, Infer(J, "ill", "low", Fraction(3, 4), absent=True), False),
    ({"infer": {"ill": {"any": True}}, "at_most": "3/2x"}, Infer(J, "ill", ANY, times=Fraction(3, 2)), True),
    (
        {"infer": {"ill": {"not": "low"}}, "at_most": "5/4x"},
        Infer(J, "ill", "low", times=Fraction(5, 4), absent=True),
        False,
    ),
    (
        {"infer": {"pay": {"within": 10}}, "at_most": "2/3"},
        Infer(J, "pay", at_most=Fraction(2, 3), within=Fraction(10)),
        False,
    ),
    (
        {"infer": {"pay": {"within": 10}}, "at_most": "3/2x"},
        Infer(J, "pay", times=Fraction(3, 2), within=Fraction(10)),
        False,
    ),
    ({"l": "7/4", "of": "ill", "kind": "entropy"}, Diverse(J, "ill", Fraction(7, 4), "entropy"), False),
    ({"l": 2, "of": "ill", "kind": "entropy"}, Diverse(J, "ill", Fraction(2), "entropy"), False),
    (
        {"l": 2, "of": "ill", "kind": "recursive", "c": "3/2"},
        Diverse(J, "ill", Fraction(2), "recursive", Fraction(3, 2)),
        False,
    ),
    ({"t": "1/3", "of": "ill", "distance": "equal"}, Close(J, "ill", Fraction(1, 3), "equal"), True),
    ({"t": "1/4", "of": "ill", "distance": "tree"}, Close(J, "ill", Fraction(1, 4), "tree"), True),
    (
        {"t": "1/4", "of": "ill", "distance": "ordered", "order": list(ORDER)},
        Close(J, "ill", Fraction(1, 4), "ordered", ORDER),
        False,
    ),
    ({"t": "1/4", "of": "pay", "distance": "ordered"}, Close(J, "pay", Fraction(1, 4), "ordered"), False),
]


@pytest.mark.parametrize(("item", "promise", "tree"), CASES, ids=[str(item) for item, _, _ in CASES])
@given(st.data())
def test_it_answers_as_the_slow_version(
    item: dict[str, Any], promise: Promise, tree: bool, data: st.DataObject
) -> None:
    inner = ["l", "h", "any"] if tree else []
    cells = {
        "job": st.sampled_from(["p", "q", "*"]),
        "ill": st.sampled_from([*ORDER, *inner, "*", "?"]),
        "pay": st.sampled_from(["5", "10", "15", "40", "*", "?"]),
    }
    rows = data.draw(st.lists(st.fixed_dictionaries(cells), max_size=14))
    known = "given" if "infer" in item else "over"
    columns: dict[str, Any] = {"ill": {"taxonomy": TREE}} if tree else {}
    columns |= {"pay": {"type": "number"}} if "pay" in str(item) else {}
    said = {"protect": [{**item, known: ["job"]}], "columns": columns, "missing": {"values": ["?"], "rows": "unknown"}}
    table = pl.DataFrame(rows, schema=dict.fromkeys(cells, pl.String))
    (finding,) = d.verify(table, d.Policy.from_dict(said)).requirements
    silent = frozenset({"?", None})
    readings = {"ill": Reading(silent, NESTED if tree else None), "pay": Reading(silent)}
    expected = kept(each_row(rows), promise, readings)
    assert finding.answer in (("holds", "not checkable") if expected else ("broken",))
