"""Releases made elsewhere, whose texts are coarser or written otherwise than ours, do not hold where they break."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding

TREE = {"Any": {"Inf": ["HIV", "Flu"], "Inj": ["Leg", "Arm"]}}
LABELS = d.Column(type="number", ends=["20", "30"], labels=["kid", "young", "old"])
NUMBER, DATE = d.Column(type="number"), d.Column(type="date")


def one(asked: Any, values: Sequence[Any] | pl.Series, column: d.Column | None = None, **more: Any) -> Finding:
    """Return the last finding about a table with one group, or with those in `groups`."""
    groups = more.pop("groups", ["a"] * len(values))
    said = {} if column is None else {"s": column}
    table = pl.DataFrame({"g": groups, "s": values})
    engine = more.pop("engine", "local")
    local: dict[str, Any] = {"recoding": "local"} if column is not None and column.form == "set" else {}
    asks = [d.KAnonymity(k=2, over=["g"]), asked] if local else [asked]
    return d.verify(table, d.Policy(protect=asks, columns=said, **local, **more), engine=engine).requirements[-1]


def within(width: str | int) -> d.Template:
    return d.Template(given=["g"], infer={"s": d.Within(width)}, at_most="50%")


def about(value: Any, at_most: str = "50%") -> d.Template:
    return d.Template(given=["g"], infer={"s": value}, at_most=at_most)


def share(found: Finding) -> Fraction:
    assert found.worst is not None
    return found.worst.share


@pytest.mark.parametrize(
    ("text", "width", "column"),
    [
        (" 5", 1, NUMBER),
        ("5 ", 1, NUMBER),
        (" 2024-01-01", "30 days", DATE),
        ("young", 20, LABELS),
        ("[2024-01-01, 2024-02-01)", "30 days", DATE),
        ("(2023-12-31, 2024-01-31]", "30 days", DATE),
        ("[0-9]", 9, NUMBER),
    ],
)
def test_windows_read_what_the_table_reads(text: str, width: str | int, column: d.Column) -> None:
    """Blanks, labels and half-open intervals of days hide nothing: all rows are in one window."""
    found = one(within(width), [text] * 4, column)
    assert found.answer is Answer.BROKEN
    assert share(found) == 1


@pytest.mark.parametrize(("text", "column"), [("abc", NUMBER), (None, NUMBER), ("kids", LABELS), ("2024", DATE)])
def test_windows_with_a_text_that_nobody_can_read_are_broken(text: str | None, column: d.Column) -> None:
    """As in l and t: a text of which nobody knows where it lies is no hidden one."""
    values = pl.Series([text] * 4, dtype=pl.String)
    width = "20 days" if column is DATE else 20
    for at_most in ("50%", "2x"):
        asked = d.Template(given=["g"], infer={"s": d.Within(width)}, at_most=at_most)
        found = one(asked, values, column)
        assert found.answer is Answer.BROKEN
        assert "cannot be read" in str(found.worst)


def test_windows_leave_open_what_is_open() -> None:
    """An interval without an end, or too wide, is in no window, and counts neither way; so does what is hidden."""
    assert one(within(20), [">=85"] * 4, NUMBER).answer is Answer.HOLDS
    assert one(within(20), ["old"] * 4, LABELS).answer is Answer.HOLDS
    assert one(within(20), ["*"] * 4, NUMBER).answer is Answer.HOLDS
    assert one(within(29), ["[2024-01-01, 2024-02-01)"] * 4, NUMBER).answer is Answer.BROKEN  # no numbers
    assert one(within("29 days"), ["[2024-01-01, 2024-02-01)"] * 4, DATE).answer is Answer.HOLDS
    assert share(one(within(1), ["5", ">=85", "[0-9]"], NUMBER)) == 1
    assert share(one(within(1), ["5", "80", "90"], NUMBER)) == Fraction(1, 3)


def test_windows_take_missing_values_for_what_the_policy_says() -> None:
    """A declared missing value is known to be in no window, or unknown; it does not make a group unreadable."""
    missing = d.Missing(values=["NA"], rows="value")
    assert share(one(within(1), ["5", "NA"], NUMBER, missing=missing)) == Fraction(1, 2)
    missing = d.Missing(values=["NA"], rows="unknown")
    assert share(one(within(1), ["5", "NA"], NUMBER, missing=missing)) == 1


@pytest.mark.parametrize(("column", "width"), [(None, 20), (NUMBER, "20 days"), (DATE, 20)])
def test_windows_that_do_not_fit_the_column_are_not_checkable(column: d.Column | None, width: str | int) -> None:
    """Where the column has no numbers or days, nothing can be counted."""
    found = one(within(width), ["5"] * 4, column)
    assert found.answer is Answer.NOT_CHECKABLE
    assert found.reason is not None
    assert "write" in found.reason


@pytest.mark.parametrize("value", ["1", d.Not("1"), "no such value"])
@pytest.mark.parametrize("at_most", ["3/2x", "100%"])
def test_a_value_that_occurs_nowhere_is_not_checkable(value: Any, at_most: str) -> None:
    """It may be misspelt or of another type: then every promise about it would hold."""
    found = one(about(value, at_most), [1.0, 1.0, 0.0, 0.0], groups=["a", "b", "a", "b"])
    assert found.answer is Answer.NOT_CHECKABLE
    assert found.reason is not None
    assert "spelt" in found.reason


def test_a_value_of_the_original_is_checkable_in_times() -> None:
    """Where the original has the value it is spelt as there, and nobody in the release has it."""
    original = pl.DataFrame({"g": ["a", "a", "b", "b"], "s": ["x", "y", "x", "y"]})
    released = original.with_columns(s=pl.Series(["*", "y", "*", "y"]))
    policy = d.Policy(protect=[about("x", "3/2x")])
    assert d.verify(released, policy, original).requirements[0].answer is Answer.HOLDS
    assert d.verify(released, policy).requirements[0].answer is Answer.NOT_CHECKABLE


def test_a_taxonomy_of_one_value_hides_nothing_from_l() -> None:
    """The value at the root of such a taxonomy is a value, and the only one."""
    column = d.Column(taxonomy={"Any": ["HIV"]})
    found = one(d.LDiversity(l=2, of="s", over=["g"]), ["HIV"] * 4, column)
    assert found.answer is Answer.BROKEN


ABOVE = [
    (["HIV", "Inf", "Inf", "Inf"], TREE, 1, 3),
    (["HIV", "Any", "Any", "Any"], TREE, 1, 3),
    (["HIV", "Inj", "Inf", "Flu"], TREE, Fraction(1, 3), 1),
    (["X", "X", "X", "HIV"], {"Any": {"X": ["HIV"], "Y": ["B", "C"]}}, 1, 0),
]


@pytest.mark.parametrize(("values", "tree", "figure", "hidden"), ABOVE)
@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
def test_groups_above_a_value_leave_it_open(
    values: list[str], tree: dict[str, Any], figure: Fraction, hidden: int, engine: str
) -> None:
    """Rows released as a group of the taxonomy above the value are unknown; a group of that one value is the value."""
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    found = one(about("HIV"), values, d.Column(taxonomy=tree), engine=engine)
    assert found.worst is not None
    assert (found.worst.share, found.worst.hidden) == (figure, hidden)
    assert found.worst.worst_case == Fraction(found.worst.hits + hidden, 4)


def test_groups_above_a_value_leave_it_open_in_times() -> None:
    """2x: of five known rows one has it, of the one known row of a group too."""
    values, groups = ["HIV", "Inf", "Any", "Inf", *["Leg"] * 4], ["a"] * 4 + ["b"] * 4
    assert share(one(about("HIV", "3/2x"), values, d.Column(taxonomy=TREE), groups=groups)) == 5


def test_a_group_of_the_taxonomy_is_inferred_from_what_is_below() -> None:
    """Whoever has HIV has an infection, and who is known to have an injury has none."""
    column = d.Column(taxonomy=TREE)
    assert share(one(about("Inf"), ["HIV", "Flu", "Inf", "Leg", "Any"], column)) == Fraction(3, 4)
    assert share(one(about(d.Not("HIV"), "90%"), ["HIV", "Flu", "Inf", "Leg", "Any"], column)) == Fraction(2, 3)


@pytest.mark.parametrize(
    ("values", "column", "value"),
    [
        (["A", "{A, B}", "{A, C}"], d.Column(form="set"), "A"),
        (["5", "[0-9]", "[0-19]"], NUMBER, "5"),
        (["2024-01-05", "[2024-01-01, 2024-01-06)", ">=2024-01-01"], DATE, "2024-01-05"),
        (["21", "young", "kid to young"], LABELS, "21"),
    ],
)
def test_sets_and_intervals_leave_their_values_open(values: list[str], column: d.Column, value: str) -> None:
    """A set or an interval with the value in it may be the value: one row is known, and has it."""
    for asked in (d.Any(), value):
        found = one(about(asked), values, column)
        assert found.answer is Answer.BROKEN
        assert share(found) == 1


def test_sets_and_intervals_without_the_value_are_known_not_to_be_it() -> None:
    """Half-open ends decide: the 6th is not in an interval up to it."""
    assert share(one(about("2024-01-06"), ["2024-01-06", "[2024-01-01, 2024-01-06)"], DATE)) == Fraction(1, 2)
    assert share(one(about("A"), ["A", "{B, C}"], d.Column(form="set"))) == Fraction(1, 2)
    assert share(one(about("20"), ["20", "[0, 20)"], NUMBER)) == Fraction(1, 2)


def test_any_but_leaves_out_every_way_to_write_a_harmless_number() -> None:
    """5 and 5.0 are one number, in what is harmless too."""
    assert share(one(about(d.AnyBut(["5"])), ["5", "5.0", "5.0", "6"], NUMBER)) == Fraction(1, 4)


def test_sets_break_t_closeness() -> None:
    """In l and t nothing may be made coarser."""
    asked = d.TCloseness(t=0, of="s", over=["g"], distance="equal")
    assert one(asked, ["{A, B}"] * 4, d.Column(form="set")).answer is Answer.BROKEN
    assert one(asked, ["A", "B"] * 2, d.Column(form="set")).answer is Answer.HOLDS


def test_an_order_does_not_make_groups_of_a_taxonomy_values() -> None:
    """A released group breaks t-closeness even if the order names it."""
    asked = d.TCloseness(t=0, of="s", over=["g"], order=["Inf", "Inj"])
    assert one(asked, ["Inf", "Inj"] * 2, d.Column(taxonomy=TREE)).answer is Answer.BROKEN


def test_a_distance_that_does_not_fit_the_column_is_not_checkable() -> None:
    """The reason tells no value of the table."""
    found = one(d.TCloseness(t=0, of="s", over=["g"], order=["3", "1"]), ["1", "1.0", "3", "3"], NUMBER)
    assert found.answer is Answer.NOT_CHECKABLE
    assert found.reason == "order: 's' is a number, and has its own; leave it out"
    found = one(d.TCloseness(t=0, of="s", over=["g"], distance="tree"), ["x", "y"])
    assert found.answer is Answer.NOT_CHECKABLE


@pytest.mark.parametrize("unit", [None, "who"])
@pytest.mark.parametrize("column", [None, d.Column(taxonomy=TREE)], ids=["values", "taxonomy"])
@pytest.mark.parametrize("at_most", ["2x", "50%"])
@pytest.mark.parametrize(("many", "few", "above"), [("Leg", "HIV", "Inf"), ("HIV", "Leg", "Inj")])
def test_the_order_of_rows_says_nothing_of_the_worst_value(
    at_most: str, column: d.Column | None, unit: str | None, many: str, few: str, above: str
) -> None:
    """Of values that are as likely among those of whom it is known the one of most rows is named."""
    values = [many, few, many, "Flu" if few == "Leg" else "Arm", *([above] * 4 if column is not None else [])]
    table = pl.DataFrame({"g": "a", "s": values, "who": [str(number) for number in range(len(values))]})
    columns = {} if column is None else {"s": column}
    if unit is not None:
        columns[unit] = d.Column(role="identifier")
    policy = d.Policy(protect=[about(d.AnyBut([above]), at_most)], columns=columns, unit=unit)
    rows = [table, table[::-1], table.sort("s"), table.sort("s", descending=True)]
    found = [d.verify(each, policy).requirements[0].worst for each in rows]
    assert found[0] is not None
    assert found[0].hits == 2
    assert all(each == found[0] for each in found)
