"""What covers an original value is accepted, to the very end of an interval; everything else is untrue."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.columns.taxonomy import Taxonomy
from discreet.policy.columns import Column
from discreet.verification import reach as reaching
from discreet.verification import set_texts, stretches, told_blocks, truth, value_texts
from discreet.verification.reach import reach
from discreet.verification.truth import untrue

NUMBER = Column(type="number")
DATE = Column(type="date")
GERMAN = Column(type="date", date_format="%d.%m.%Y")
WORDY = Column(type="date", date_format="%d, %m to %Y")
AGES = Column(type="number", ends=[18, 65], labels=["young", "grown", "old"])
MEDIAN = Column(type="number", form="median")
CITIES = Column(taxonomy=Taxonomy.from_tree({"any": {"North": ["Oslo", "Turku"], "South": {"Rome": None}, "?": None}}))


def true(original: str | None, released: str | None, column: Column | None, missing: Sequence[str | None] = ()) -> bool:
    return untrue([(original, released)], column, "*", missing) == [False]


@pytest.mark.parametrize("column", [None, NUMBER, DATE, GERMAN, AGES, MEDIAN, CITIES, Column(role="other")])
def test_the_original_and_the_marker_are_always_true(column: Column | None) -> None:
    for original in ("x", "30", " 30 ", "", None, "?", "Oslo", "2024-02-30"):
        assert true(original, original, column)
        assert true(original, "*", column)
        assert true(original, "*", column, ["?", "30"])


@pytest.mark.parametrize("column", [None, Column(role="other"), Column(type="category")])
def test_nothing_else_covers_a_plain_category(column: Column | None) -> None:
    for original, released in [("1", "1.0"), ("1", "[0-2]"), ("a", "A"), ("a", None), (None, ""), (None, "a")]:
        assert not true(original, released, column)


@pytest.mark.parametrize(
    ("original", "released", "expected"),
    [
        ("Oslo", "North", True),
        ("Oslo", "any", True),
        ("Oslo", "South", False),
        ("Oslo", "Turku", False),
        ("Oslo", "oslo", False),
        ("Oslo", " North", False),
        ("Oslo", None, False),
        ("Rome", "South", True),
        ("North", "any", False),  # no leaf, so the tree says nothing of it
        ("Bern", "any", False),
        (None, "any", True),
        (None, "North", False),
        ("n/a", "any", True),
        ("n/a", "North", False),
        ("?", "any", True),
        ("?", "South", False),
    ],
)
def test_taxonomy(original: str | None, released: str | None, expected: bool) -> None:
    assert true(original, released, CITIES, ["?", "n/a"]) is expected


def test_a_missing_value_is_not_covered_by_the_only_leaf() -> None:
    lone = Column(taxonomy=Taxonomy.from_tree({"any": {"North": ["Oslo"]}}))
    assert not true(None, "Oslo", lone)
    assert not true(None, "North", lone)
    assert true(None, "any", lone)
    assert true("Oslo", "any", lone)


NUMBERS_THAT_COVER = [
    ("1.0", "1"),
    ("1", "1.0"),
    (" 1 ", "1"),
    ("\t1\n", "1"),
    ("1e3", "1000"),
    ("1000", "1E+3"),
    ("+5", "5"),
    (".5", "0.5"),
    ("5.", "5"),
    ("-0", "0"),
    ("007", "7"),
    ("0.1", "[0.1, 0.2)"),
    ("17.999999999999999999999", "<18"),
    ("-5", "<-4.5"),
    ("18", ">=18"),
    ("1e300", ">=65"),
    ("30", "[30, 40)"),
    ("39.9", "[30, 40)"),
    ("40", "[30, 40]"),
    ("-2.5", "[-2.5, -1)"),
    ("-1", "[-10, 0)"),
    ("0", "[0, 0]"),
    ("30", "[30-39]"),
    ("39", "[30-39]"),
    ("39.0", "[30-39]"),
    ("30", "[30-30]"),
    ("0", "[0-9]"),
    ("-5", "[-5 to -1]"),
    ("3", "[-5 to 3]"),
    ("3", "[1 to 3]"),
    ("18", "≥18"),
    ("18.01", ">18"),
    ("40", "<=40"),
    ("40", "≤40"),
    ("20", "[20, 40["),
    ("39.99", "[20, 40["),
    ("40", "]20, 40]"),
    ("20.01", "]20, 40["),
    ("40", "(20,40]"),
    ("20", "[20,40)"),
    ("20", "[20,40]"),
    ("30", "(20, 40)"),
    ("-1.5", "(-2,-1.5]"),
]


@pytest.mark.parametrize(("original", "released"), NUMBERS_THAT_COVER)
def test_numbers_that_cover(original: str, released: str) -> None:
    assert true(original, released, NUMBER)


NUMBERS_THAT_DO_NOT = [
    ("18", "<18"),
    ("17.999999999999999999999", ">=18"),
    ("40", "[30, 40)"),
    ("29.99", "[30, 40)"),
    ("30", "[30, 30)"),
    ("40.000000000000000000001", "[30, 40]"),
    ("29", "[30-39]"),
    ("40", "[30-39]"),
    ("39.5", "[30-39]"),
    ("-6", "[-5 to -1]"),
    ("0", "[-5 to -1]"),
    ("1", "2"),
    ("0.1", "0.1000000000000000000001"),
    ("0.1", "0.1000000000000000055511151231257827"),  # the nearest float
    ("17", "≥18"),
    ("18", ">18"),
    ("40.1", "<=40"),
    ("40.1", "≤40"),
    ("40", "[20, 40["),
    ("20", "]20, 40]"),
    ("20", "]20, 40["),
    ("40", "]20, 40["),
    ("20", "(20,40]"),
    ("40", "[20,40)"),
    ("20", "(20, 20]"),
    ("40", "(20, 40)"),
    ("30", "(40,20]"),
]


@pytest.mark.parametrize(("original", "released"), NUMBERS_THAT_DO_NOT)
def test_numbers_that_do_not_cover(original: str, released: str) -> None:
    assert not true(original, released, NUMBER)


BAD_FORMS = """
<|>=|>|<=|≤|≥|=30|=<99|=>18|[|]|[]|[)|[-]|[, )|[ to ]|[30]|[30)|[30-29]|[40, 20)|[40, 20]|[40 to 20]|[30, 40|30, 40)
[30-39|30-39]|30-39|30 - 39|30 to 39|[30 - 39]|[30- 39]|[30;40)|[30,  40)|[30,,40)
[30,40,50)|(30 40]|(30]|]30[|](30, 40]|[30 , 40)|[ 30, 40)|[30, 40 )|[30, 40) |[
 <99| >=1| [30-39]|[30-39] |[30-39]x|< 99|<99 |>= 1|>=1 | 30|30 |[30-39)|[30 to 39)|(30-39]
(29-40)|]29-40[|[29-40[|(29 to 40]|(29, 40[|]29, 40)|(29 , 40]|{30-39}|30+|≤ 99|<= 99|> 18|≥\xa018
[30..39]|[30–39]|[30—39]|[-5-39]|[-5--1]|[30--39]|[29.5-39.5]|[29.5 to 39.5]|[30 TO 39]|[30  to 39]|[30\tto 39]
[30 to 39 to 40]|[30, 35, 40)|<9e9|>=1e0|<+99|[+30, 40)|[030-039]|[30.0, 40)|<99.0|[.5, 40)|[3., 40)|[-0, 40)|<99,5
<1_000|[1_0-4_0]|1_0|<inf|>=-inf|[-inf, 40)|<∞|<nan|inf|nan|60/2|<99/1|[٣٠-٣٩]|<٩٩|３０|3 0|0x1e|30e|e30|3e0001
+|-|.|<.|any|?|⊥|**|label
""".strip("\n")


@pytest.mark.parametrize("released", [form for line in BAD_FORMS.split("\n") for form in line.split("|")])
def test_bad_forms_cover_nothing(released: str) -> None:
    assert not true("30.0", released, NUMBER)


@pytest.mark.parametrize("released", [None, "", " ", "\n", "[30-39]\n", "<99\n", "30\n", "[30-\n39]", "<\n99"])
def test_empty_and_broken_lines_cover_nothing(released: str | None) -> None:
    assert not true("30.0", released, NUMBER)
    assert not true("30.0", released, MEDIAN)
    assert not true("30.0", released, AGES)


@pytest.mark.parametrize(
    "original", [None, "?", "30", "", "abc", "inf", "nan", "1e9999", "3O", "1 000", "1,5", "\u00a05"]
)
@pytest.mark.parametrize("released", ["30", "[0-99]", "<99", ">=0", "grown", "[0, 99)", "0", "inf", "?", None, "-1"])
def test_what_is_missing_or_no_number_is_covered_by_itself_only(original: str | None, released: str | None) -> None:
    for column in (NUMBER, AGES, MEDIAN):
        assert true(original, released, column, ["?", "30"]) is (original == released)


def test_very_long_numbers_are_decided_or_refused() -> None:
    assert true("0." + "9" * 4000, "<1", NUMBER)
    assert not true("1." + "0" * 4000, "<1", NUMBER)
    assert not true("1" + "0" * 10_000, ">=1", NUMBER)


@pytest.mark.parametrize(
    ("original", "released", "column", "expected"),
    [
        ("2024-01-31", "[2024-01-31 to 2024-02-29]", DATE, True),
        ("2024-02-29", "[2024-01-31 to 2024-02-29]", DATE, True),
        ("2024-03-01", "[2024-01-31 to 2024-02-29]", DATE, False),
        (" 2024-02-29 ", "[2024-02-29 to 2024-02-29]", DATE, True),
        ("20240229", "2024-02-29", DATE, True),
        ("2024-02-29", "20240229", DATE, True),
        ("2024-02-29", "<2024-03-01", DATE, True),
        ("2024-03-01", "<2024-03-01", DATE, False),
        ("2024-03-01", ">=2024-03-01", DATE, True),
        ("2024-02-29", ">=2024-03-01", DATE, False),
        ("2024-02-29", "[2024-01-01, 2024-03-01)", DATE, True),
        ("2024-03-01", "[2024-01-01, 2024-03-01)", DATE, False),
        ("2024-03-01", "[2024-01-01, 2024-03-01]", DATE, True),
        ("2024-03-01", "]2024-01-01, 2024-03-01]", DATE, True),
        ("2024-01-01", "]2024-01-01, 2024-03-01]", DATE, False),
        ("2024-03-01", "[2024-01-01,2024-03-01[", DATE, False),
        ("2024-03-01", "<=2024-03-01", DATE, True),
        ("2024-03-01", ">2024-03-01", DATE, False),
        ("2024-02-29", "[2024-01-01-2024-03-01]", DATE, False),
        ("2024-02-29", "[2024-01-01 - 2024-03-01]", DATE, False),
        ("2024-02-29", "[2024-03-01 to 2024-01-01]", DATE, False),
        ("2024-02-29", "[2024-01-01 to 2024-02-30]", DATE, False),
        ("2024-02-29", "[2024-01-01 to 2024-03-01)", DATE, False),
        ("2024-02-29", "<20240301", DATE, False),
        ("2024-02-29", " <2024-03-01", DATE, False),
        ("2024-02-29", "2024-02-29 ", DATE, False),
        ("2024-02-29", "<01.03.2024", DATE, False),
        ("2024-02-30", "<2024-03-01", DATE, False),
        ("2024-02-29T12:00", "<2024-03-01", DATE, True),
        ("2024-03-01T12:00", "<2024-03-01", DATE, False),
        ("2024-02-29T12:00", "<2024-03-01T12:00", DATE, False),
        ("30", "<2024-03-01", DATE, False),
        (None, "<2024-03-01", DATE, False),
        ("31.01.2024", "[31.01.2024 to 01.02.2024]", GERMAN, True),
        ("01.02.2024", "[31.01.2024 to 01.02.2024]", GERMAN, True),
        ("02.02.2024", "[31.01.2024 to 01.02.2024]", GERMAN, False),
        ("1.2.2024", "01.02.2024", GERMAN, True),
        ("01.02.2024", "1.2.2024", GERMAN, True),
        ("01.02.2024", "2.1.2024", GERMAN, False),
        ("01.02.2024", "<1.3.2024", GERMAN, False),
        ("01.02.2024", "<01.03.2024", GERMAN, True),
        ("01.02.2024", ">=01.03.2023", GERMAN, True),
        ("01.02.2024", "[01.02.2024, 01.03.2024)", GERMAN, True),
        ("01.02.2024", "<2024-03-01", GERMAN, False),
        ("2024-02-01", "<01.03.2024", GERMAN, False),
        ("01, 02 to 2024", "[31, 01 to 2024 to 01, 02 to 2024]", WORDY, True),
        ("01, 02 to 2024", "[31, 01 to 2024, 02, 02 to 2024)", WORDY, True),
        ("01, 02 to 2024", "[31, 01 to 2024, 01, 02 to 2024)", WORDY, False),
        ("01, 02 to 2024", "[31,  01 to 2024, 02, 02 to 2024)", WORDY, False),
    ],
)
def test_dates(original: str | None, released: str, column: Column, expected: bool) -> None:
    assert true(original, released, column) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("10", True), ("19.99", True), ("20", False), ("9", False), ("?", False), ("35", False)],
)
def test_published_intervals_say_what_a_median_stands_for(text: str, expected: bool) -> None:
    column = Column(type="number", form="median")
    medians = {"12": ("10", "20"), "30": ("20", "")}
    assert untrue([(text, "12")], column, "*", ["?"], medians) == [not expected]
    assert untrue([("35", "30"), ("35", "31")], column, "*", [], medians) == [False, True]
    assert untrue([("35", "30")], column, "*", [], {"30": ("x", "")}) == [True]


@pytest.mark.parametrize(
    ("original", "released", "expected"),
    [
        ("17.9", "young", True),
        ("18", "young", False),
        ("18", "grown", True),
        ("65", "grown", False),
        ("65", "old", True),
        ("-1e9", "young", True),
        ("18", "young to grown", True),
        ("65", "young to grown", False),
        ("65", "young to old", True),
        ("17", "grown to old", False),
        ("30", "grown to grown", False),
        ("30", "grown to young", False),
        ("30", "old to young", False),
        ("30", "young to ", False),
        ("30", "young to grown to old", False),
        ("30", "young  to old", False),
        ("30", " grown", False),
        ("30", "Grown", False),
        ("30", "[18, 65)", False),
        ("30", "<65", False),
        ("30", "30.0", False),
        ("x", "grown", False),
    ],
)
def test_labels(original: str, released: str, expected: bool) -> None:
    assert true(original, released, AGES) is expected
    assert true(original, released, AGES.model_copy(update={"form": "label"})) is expected


def test_labels_that_contain_to_may_be_read_in_any_way() -> None:
    column = Column(type="number", ends=[10, 20, 30], labels=["a", "a to b", "b to c", "c"])
    covered = {
        "a": {5},
        "a to b": {15},
        "a to b to c": {5, 15, 25, 35},  # a to "b to c" is 5, 15, 25; "a to b" to c is 15, 25, 35
        "a to a to b": {5, 15},
        "a to c": {5, 15, 25, 35},
        "b to c": {25},
        "b to c to c": {25, 35},
        "a to b to b to c": {15, 25},
    }
    for released, inside in covered.items():
        assert {value for value in (5, 15, 25, 35) if true(str(value), released, column)} == inside


def test_labels_that_look_like_numbers_are_labels() -> None:
    column = Column(type="number", ends=[10], labels=["100", "5"])
    assert true("7.5", "100", column)
    assert not true("100.0", "100", column)
    assert true("70", "5", column)


def test_labels_of_dates() -> None:
    column = Column(type="date", date_format="%d.%m.%Y", ends=["01.01.2000"], labels=["old", "new"])
    assert untrue([("31.12.1999", "old"), ("01.01.2000", "old"), ("01.01.2000", "new")], column, "*", []) == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ("10>15 15>15 20>15 30>40 50>40", "....."),
        ("10>15 20>15", ".."),  # between its originals, and none of them
        ("10>20.0 20>20 20.0>20", "..."),
        ("10>20.0 5>20", "xx"),  # above all of them
        ("10>5 20>5 30>30", "xx."),
        ("10>15 20>15 20>25 30>25", "xxxx"),  # one original in two ranges
        ("10>20 30>20 15>25 35>25 40>40", "xxxx."),
        ("10>20 40>20 30>30.0", "xxx"),  # one range inside another
        ("10>20 40>20 30>30", "xx."),  # but the original itself is never untrue
        ("10>20 30>20 25>*", "..."),  # an original between them may be hidden
        ("10>20 30>20 30.0>* 10>*", "...."),  # an original of the range may also be hidden
        ("10>20 30>20 31>* 9>*", "...."),
        ("10>20 30>20 25>abc", "..x"),
        ("10>20 30>20 ?>* na>*", "...."),
        ("10>20 30>20 ?>20 na>20", "..xx"),
        ("10>20 30>20 25>[20-29] 50>[50-59]", "..xx"),
        ("-10>-5.5 -1>-5.5 0>0", "..."),
        ("0.1>0.15 0.2>0.15 0.20000000000000000001>0.3 0.4>0.3", "...."),
    ],
)
def test_medians(pairs: str, expected: str) -> None:
    texts = [pair.partition(">") for pair in pairs.split(" ")]
    found = untrue([(original, released) for original, _, released in texts], MEDIAN, "*", ["?"])
    assert "".join("x" if lie else "." for lie in found) == expected


def test_medians_with_blanks_and_dates() -> None:
    assert untrue([("10", " 10"), (" 10", " 10"), ("12", "10")], MEDIAN, "*", []) == [False] * 3
    assert untrue([("10", " 10"), ("10", "10")], MEDIAN, "*", []) == [True, False]
    dates = Column(type="date", form="median", date_format="%d.%m.%Y")
    pairs = [("01.01.2024", "15.01.2024"), ("31.01.2024", "15.01.2024"), ("01.02.2024", "31.01.2024")]
    assert untrue(pairs, dates, "*", []) == [False, False, True]


def test_no_pairs() -> None:
    for column in (None, NUMBER, DATE, AGES, MEDIAN, CITIES):
        assert untrue([], column, "*", []) == []


NUMBERS = st.decimals(-50, 50, places=1) | st.decimals(-1000, 1000, places=3) | st.integers(-60, 60).map(Decimal)


def plain(value: Decimal) -> str:
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def spelt(value: Decimal, how: int) -> str:
    return [plain(value), f" {value:f} ", f"{value:.3f}", f"{value:.10e}"][how]


@given(NUMBERS, NUMBERS, NUMBERS, st.integers(0, 3))
@example(Decimal(30), Decimal(40), Decimal(40), 0)
@example(Decimal(30), Decimal(40), Decimal(30), 2)
@example(Decimal(-5), Decimal(-5), Decimal(-5), 1)
def test_intervals_cover_exactly_what_is_inside(one: Decimal, other: Decimal, value: Decimal, how: int) -> None:
    for x in (value, one, other, one - Decimal("0.001"), other + Decimal("0.001")):
        original = spelt(x, how)
        forms = {
            plain(one): x == one,
            f"<{plain(one)}": x < one,
            f">={plain(one)}": x >= one,
            f"[{plain(one)}, {plain(other)})": one <= x < other,
            f"[{plain(one)}, {plain(other)}]": one <= x <= other,
            f">{plain(one)}": x > one,
            f"<={plain(one)}": x <= one,
            f"[{plain(one)}, {plain(other)}[": one <= x < other,
            f"]{plain(one)},{plain(other)}]": one < x <= other,
            f"({plain(one)},{plain(other)}]": one < x <= other,
            f"]{plain(one)}, {plain(other)}[": one < x < other,
        }
        if one == int(one) and other == int(other):
            forms[f"[{plain(one)} to {plain(other)}]"] = one <= x <= other
            forms[f"[{plain(one)}-{plain(other)}]"] = 0 <= one <= x <= other
        else:
            forms[f"[{plain(one)} to {plain(other)}]"] = forms[f"[{plain(one)}-{plain(other)}]"] = False
        expected = [inside or original == released for released, inside in forms.items()]
        assert untrue([(original, released) for released in forms], NUMBER, "*", []) == [not yes for yes in expected]


DAYS = st.dates(date(1990, 1, 1), date(2030, 1, 1)) | st.dates(date(2024, 2, 27), date(2024, 3, 3))


@given(DAYS, DAYS, DAYS, st.sampled_from([None, "%d.%m.%Y", "%m/%d/%Y", "%B %d, %Y"]))
def test_dates_are_covered_to_the_day(one: date, other: date, value: date, form: str | None) -> None:
    column = Column(type="date", date_format=form)
    a, b = (day.strftime(form or "%Y-%m-%d") for day in (one, other))
    for x in (value, one, other, one - timedelta(1), other + timedelta(1)):
        forms = {
            a: x == one,
            f"<{a}": x < one,
            f">={a}": x >= one,
            f"[{a}, {b})": one <= x < other,
            f"[{a}, {b}]": one <= x <= other,
            f"[{a} to {b}]": one <= x <= other,
            f"[{a}-{b}]": False,
        }
        original = x.strftime(form or "%Y-%m-%d")
        found = untrue([(original, released) for released in forms], column, "*", [])
        assert found == [not inside for inside in forms.values()]


@given(st.lists(NUMBERS, min_size=1, max_size=6, unique=True).map(sorted), st.lists(NUMBERS, min_size=1, max_size=8))
def test_labels_cover_exactly_what_is_inside(cuts: list[Decimal], values: list[Decimal]) -> None:
    labels = [f"part {number}" for number in range(len(cuts) + 1)]
    column = Column(type="number", ends=[str(cut) for cut in cuts], labels=labels)
    for value in (*values, *cuts):
        for first, last in combinations(range(len(labels)), 2):
            inside = (first == 0 or cuts[first - 1] <= value) and (last == len(cuts) or value < cuts[last])
            assert true(str(value), f"{labels[first]} to {labels[last]}", column) is inside
            assert not true(str(value), f"{labels[last]} to {labels[first]}", column)
        home = sum(cut <= value for cut in cuts)
        assert [label for label in labels if true(str(value), label, column)] == [labels[home]]


SMALL = st.integers(0, 12).map(str)


@given(st.lists(st.tuples(SMALL, SMALL | st.just("*") | st.just("x")), max_size=14, unique=True))
def test_medians_as_the_rule_is_told(pairs: list[tuple[str, str]]) -> None:
    def alike(m: str) -> list[int]:
        return [int(original) for original, released in pairs if released == m]

    def stands(m: str) -> bool:
        if not m.isdigit():
            return False
        low, high = min(alike(m)), max(alike(m))
        ranges = [(min(alike(n)), max(alike(n))) for _, n in pairs if n != m and n.isdigit()]
        meets = any(start <= high and low <= end for start, end in ranges)
        return low <= int(m) <= high and not meets

    expected = [not (original == m or m == "*" or stands(m)) for original, m in pairs]
    assert untrue(pairs, MEDIAN, "*", []) == expected


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 3)), min_size=1, max_size=20), st.lists(NUMBERS, max_size=4))
def test_true_medians_pass(cells: list[tuple[Decimal, int]], cuts: list[Decimal]) -> None:
    """Whatever the cuts, the middle original of each interval stands for it."""
    parts: dict[int, list[Decimal]] = {}
    for value, _ in cells:
        parts.setdefault(sum(cut <= value for cut in cuts), []).append(value)
    middle = {part: sorted(values)[len(values) // 2] for part, values in parts.items()}
    pairs = [(spelt(value, how), plain(middle[sum(cut <= value for cut in cuts)])) for value, how in cells]
    assert not any(untrue(list(dict.fromkeys(pairs)), MEDIAN, "*", []))


@given(st.text(alphabet="0123456789.,-+<>=≤≥[]() toe\t", max_size=14), NUMBERS)
def test_no_other_text_is_accepted(text: str, value: Decimal) -> None:
    """A text that is accepted begins and ends as one of the forms, and holds when its bounds are read anew."""
    original = plain(value)
    if text == original or not true(original, text, NUMBER):
        return
    x = Fraction(value)
    signs = {">=": x.__ge__, "≥": x.__ge__, ">": x.__gt__, "<=": x.__le__, "≤": x.__le__, "<": x.__lt__}
    sign = next((sign for sign in signs if text.startswith(sign)), None)
    if sign is not None:
        assert signs[sign](Fraction(text[len(sign) :]))
    elif text[0] in "[](":
        inside = text[1:-1]
        separator = next(separator for separator in (", ", ",", " to ", "-") if separator in inside)
        low, high = inside.split(separator)
        assert Fraction(low) <= x <= Fraction(high)
        assert text[0] == "[" or Fraction(low) < x
        assert text[-1] == "]" or (text[-1] in ")[" and x < Fraction(high))
    else:
        assert Fraction(text) == x


def test_shares_no_code_with_what_makes_releases() -> None:
    own = (truth, reaching, set_texts, stretches, told_blocks, value_texts)
    trees = [ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8")) for module in own]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    ours = {
        name
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.startswith("discreet")
    }
    assert ours - {module.__name__ for module in own} == {"discreet.policy.columns", "discreet.columns.taxonomy"}
    assert not {"scale", "released_form"} & {node.attr for node in nodes if isinstance(node, ast.Attribute)}


_TEXTS = ["5", "17", "18", "30", " 30", "39", "64.5", "65", "1e3", "?", "", "x", None]
_POOLS: dict[str, tuple[Column, list[str | None], list[str | None]]] = {
    "number": (
        NUMBER,
        _TEXTS,
        [
            *("<18", ">=18", "[18-64]", "[5 to 30]", "[18, 64.5)", "[18, 64.5]", "30", "[30-5]", "<x"),
            *(">18", "<=30", "≤30", "≥30", "]18, 30]", "[18,30[", "(18,30]", "(18, 18]", "]18, 30["),
        ],
    ),
    "label": (
        AGES,
        _TEXTS,
        ["young", "grown", "old", "young to grown", "grown to old", "young to old", "x", "old to young"],
    ),
    "date": (DATE, ["2024-01-31", "2024-02-01", "x", None, "?"], ["<2024-02-01", "[2024-01-01 to 2024-01-31]"]),
    "german": (GERMAN, ["31.01.2024", "01.02.2024", "2024-01-31"], ["[01.01.2024 to 31.01.2024]", ">=01.02.2024"]),
    "wordy": (WORDY, ["31, 01 to 2024", "01, 02 to 2024"], ["[01, 01 to 2024 to 31, 01 to 2024]", "<01, 02 to 2024"]),
    "tree": (CITIES, ["Oslo", "Turku", "Rome", "?", "Mars", None], ["any", "North", "South", "Rome", "x"]),
    "median": (MEDIAN, _TEXTS, ["17", "30", "64.5", "x", "65"]),
}
_INTERVALS = {"17": ("", "18"), "30": ("18", "40"), "64.5": ("40", ""), "65": ("40", "50")}


@pytest.mark.parametrize("kind", _POOLS)
@given(st.data())
def test_what_is_reached_is_what_is_not_untrue(kind: str, data: st.DataObject) -> None:
    """One by one and all at once they say the same of every pair of texts."""
    column, pool, coarse = _POOLS[kind]
    originals = data.draw(st.permutations(pool))[: data.draw(st.integers(1, len(pool)))]
    released = list(dict.fromkeys(data.draw(st.lists(st.sampled_from([*pool, *coarse, "*"]), max_size=12))))
    missing = data.draw(st.lists(st.sampled_from(["?", "", "30"]), unique=True))
    medians = _INTERVALS if kind == "median" else None
    found = reach(originals, released, column, "*", missing, medians)
    assert sorted(found.order) == list(range(len(originals)))
    for text, ranges in zip(released, found.ranges, strict=True):
        reached = {originals[found.order[place]] for begin, end in ranges for place in range(begin, end)} | {text}
        for original in originals:
            assert (original in reached) == (untrue([(original, text)], column, "*", missing, medians) == [False])


def test_medians_without_their_intervals_reach_as_far_as_the_next() -> None:
    found = reach(["1", "2", "3", "4", "5", "?"], ["2", "4", "*"], MEDIAN, "*", ["?"])
    assert found.ranges == [[(0, 3)], [(2, 5)], [(0, 6)]]


def test_numbers_of_any_length_stand_in_their_order() -> None:
    tiny = "0." + "0" * 60 + "1"
    found = reach([tiny, "1/3", "1e3", "0"], [f"<{tiny}", f">={tiny}", "<1000"], NUMBER, "*", [])
    assert [found.order[place] for place in range(3)] == [3, 0, 2]
    assert found.ranges == [[(0, 1)], [(1, 3)], [(0, 2)]]
