"""`top` and `bottom` from end to end: whatever the search finds, what lies there is released together only.

Texts are read here by a few lines of the test's own; a search that may not cut there is the slow one with the ends that
are left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.assist.check import check_policy
from tests.jobs import by
from tests.profiles import FEW, MANY
from tests.reference import cuts
from tests.reference.disclosure import KAnonymity
from tests.reference.diversity import least_loss, silent
from tests.reference.parts import Number
from tests.spark import GROUP, from_spark, to_spark
from tests.table.engines import LARGE, frame_of

GLOBAL = ["disclosure", "coordinate", "genetic", "exact"]
SEARCHES = [*GLOBAL, "local"]


def said(column: dict[str, Any], search: str = "coordinate", k: int = 2, **more: Any) -> d.Policy:
    """A policy that asks for k rows of each age, and a template beside it."""
    policy: dict[str, Any] = {"columns": {"age": {"type": "number", **column}}, **more}
    policy["protect"] = [{"k": k, "over": ["age"]}]
    return d.Policy.from_dict(policy | by(search))


def ages(values: Sequence[object]) -> pl.DataFrame:
    return pl.DataFrame({"age": [str(value) for value in values]}, schema={"age": pl.String})


Span = tuple[Fraction | None, Fraction | None, bool, bool]


def read(text: str) -> Span:
    """The ends of a text (None: none), and whether each belongs to it."""
    if text == "*":
        return None, None, False, False
    for sign, found in {">=": (0, True), "<=": (1, True), "<": (1, False), ">": (0, False)}.items():
        if text.startswith(sign):
            end = Fraction(text[len(sign) :])
            return (end, None, found[1], False) if found[0] == 0 else (None, end, False, found[1])
    if inside := re.fullmatch(r"([\[(])(-?[\d.]+)(?:-|, | to )(-?[\d.]+)([\])])", text):
        return Fraction(inside[2]), Fraction(inside[3]), inside[1] == "[", inside[4] == "]"
    return Fraction(text), Fraction(text), True, True


def has(span: Span, value: Fraction) -> bool:
    low, high, from_low, to_high = span
    above = low is None or low < value or (low == value and from_low)
    return above and (high is None or value < high or (value == high and to_high))


def together(texts: Sequence[str], bottom: str | None, top: str | None) -> bool:
    """Whether every text has all of what lies at an end, or nothing: tried with values near it and far away."""
    for text in texts:
        for end, way in ((top, 1), (bottom, -1)):
            if end is not None:
                tries = [Fraction(end), Fraction(end) + way * Fraction(1, 10**6), Fraction(end) + way * 10**9]
                tries += [Fraction(end) + way * Fraction(step, 2) for step in range(200)]
                if len({has(read(text), value) for value in tries}) > 1:
                    return False
    return True


@st.composite
def jobs(draw: st.DrawFn, search: str) -> tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]:
    """Ages, whole or with halves, what is said of them and of suppressed rows."""
    step = draw(st.sampled_from([Fraction(1), Fraction(1), Fraction(1, 2)]))
    numbers = [number * step for number in draw(st.lists(st.integers(-4, 24), min_size=3, max_size=14))]
    column: dict[str, Any] = {}
    ends = draw(st.sampled_from(["top", "bottom", "both", "both"]))
    low, high = draw(st.integers(-6, 10)), draw(st.integers(11, 26))
    if ends != "bottom":
        column["top"] = draw(st.sampled_from([high, f"{high}.5"]))
    if ends != "top":
        column["bottom"] = draw(st.sampled_from([low, f"{low}.5"])) if low >= 0 else low
    if draw(st.integers(0, 2)) == 0:
        column["ends"] = draw(st.sampled_from([[11], ["10.75"], ["10.75", 11]]))
    if search not in ("local",) and draw(st.integers(0, 3)) == 0:
        column["form"] = "median"
    more: dict[str, Any] = {}
    if search != "disclosure":
        more["suppress"] = {
            "rows": draw(st.sampled_from(["mask", "remove"])),
            "limit": draw(st.sampled_from(["0%", "40%", "100%"])),
        }
    values = [
        str(number.numerator) if number.denominator == 1 else str(float(number)) for number in map(Fraction, numbers)
    ]
    return ages(values), column, more


def kept(frame: pl.DataFrame, column: dict[str, Any], policy: d.Policy, engine: str = "local") -> None:
    """Protect, look at each released text, verify, and use the plan again on rows beyond all that it has seen."""
    table = to_spark(frame) if engine == "spark" else frame
    try:
        release = d.protect(table, policy, engine=engine)
    except (d.ImpossiblePromise, d.TooManySuppressed):
        return
    out = from_spark(release.table) if engine == "spark" else frame_of(release.table)
    bottom, top = (None if (end := column.get(name)) is None else str(end) for name in ("bottom", "top"))
    texts = out["age"].unique().to_list()
    if column.get("form") == "median":
        for text in texts:
            if re.fullmatch(r"-?[\d.]+", text):  # a median: nothing of what lies there
                assert top is None or Fraction(text) < Fraction(top)
                assert bottom is None or Fraction(text) > Fraction(bottom)
        texts = [text for text in texts if not re.fullmatch(r"-?[\d.]+", text)]
    assert together(texts, bottom, top)
    if engine != "spark":
        intervals = release.intervals if column.get("form") == "median" else None
        assert d.verify(release.table, policy, original=table, intervals=intervals).holds
        if len(out) == len(frame) and column.get("form") != "median":
            assert all(has(read(text), Fraction(age)) for text, age in zip(out["age"], frame["age"], strict=True))
    if engine == "local":
        again = d.Plan.from_json(release.plan.to_json())
        assert again.recodings == release.plan.recodings
        new = pl.concat([frame, ages(["-1000", "1000", "11", "11.25", *([str(top)] if top else [])] * 2)])
        try:
            found = again.apply(new)
        except (d.BrokenPromise, d.TooManySuppressed):
            return
        plain = [
            text for text in frame_of(found.table)["age"].unique().to_list() if not re.fullmatch(r"-?[\d.]+", text)
        ]
        assert together(plain, bottom, top)


# Every search and every engine


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
@given(st.data())
def test_what_lies_there_is_told_together_by_every_search(search: str, data: st.DataObject) -> None:
    frame, column, more = data.draw(jobs(search))
    kept(frame, column, said(column, search, data.draw(st.integers(1, 3)), **more))


@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(st.data())
def test_what_lies_there_is_told_together_by_every_engine(engine: str, data: st.DataObject) -> None:
    frame, column, more = data.draw(jobs("coordinate"))
    kept(frame, column, said(column, **more), engine)


@GROUP
@FEW
@given(st.data())
def test_what_lies_there_is_told_together_by_spark(data: st.DataObject) -> None:
    frame, column, more = data.draw(jobs("coordinate"))
    kept(frame, column, said(column, **more), "spark")


@pytest.mark.parametrize("search", GLOBAL)
@given(st.data())
def test_the_best_of_all_cuts_that_are_left(search: str, data: st.DataObject) -> None:
    """Without `ends` a column may be cut in front of any number but those that lie beyond an end."""
    numbers = data.draw(st.lists(st.integers(0, 9), min_size=2, max_size=7))
    bottom, top = data.draw(st.integers(0, 4)), data.draw(st.integers(5, 9))
    assume(any(bottom < number for number in numbers))
    first_inside = [number for number in sorted(set(numbers)) if number > bottom]
    allowed = [str(number) for number in first_inside if number < top]
    allowed += [str(min(number for number in first_inside if number >= top))] if first_inside[-1] >= top else []
    table = cuts.Table(("age",), tuple((str(number),) for number in numbers), ("age",), {"age": Number(allowed)})
    best = least_loss(table, [KAnonymity(("age",), 2)], silent())
    policy = (
        said({"bottom": bottom, "top": top}, search, suppress={"limit": "0%"})
        if search != "disclosure"
        else said({"bottom": bottom, "top": top}, search)
    )
    assert best is not None
    lost = 1 - d.protect(ages(numbers), policy).plan.detail
    if search == "exact":
        assert lost == pytest.approx(float(best[0]))
    assert lost >= float(best[0]) - 1e-9


# By hand

AGES = [3, 17, 18, 19, 22, 40, 41, 60, 84, 85, 87, 97]


def texts(values: Sequence[object] = AGES, k: int = 1, search: str = "exact", **column: Any) -> list[str]:
    release = d.protect(ages(values), said(column, search, k))
    return list(dict.fromkeys(frame_of(release.table)["age"].to_list()))


def test_both_ends_are_inclusive() -> None:
    found = texts(top=85, bottom=18)
    assert (found[0], found[-1]) == ("<=18", ">=85")
    assert found[1:-1] == ["[19-21]", "[22-39]", "40", "41", "60", "84"] or "19" in found


def test_nothing_beyond_the_ends_changes_nothing() -> None:
    assert texts(top=200, bottom=-5) == texts()


def test_everything_beyond_an_end_is_hidden_with_a_warning() -> None:
    release = d.protect(ages(AGES), said({"top": 3}, k=1))
    assert frame_of(release.table)["age"].unique().to_list() == ["*"]
    assert any("lie at its top" in warning for warning in release.audit.warnings)


def test_an_end_between_two_values_is_told_as_the_owner_wrote_it() -> None:
    """Not by the next value of the table, which would tell that somebody has it."""
    assert texts([1, 2, 50, 60], k=2, top=10) == ["<10", ">=10"]
    assert texts([1, 2, 50, 60], k=2, bottom=10) == ["<=10", ">10"]
    assert texts([1, 2, 50, 60], k=2, bottom="10.25") == ["<=10.25", ">10.25"]


def test_decimal_commas() -> None:
    table = pl.DataFrame({"age": ["1,5", "2,5", "84,5", "84,5", "85", "85,5", "97,25"]})
    policy = said({"top": "84.75"}, "exact", 2, file={"decimal": ","})
    release = d.protect(table, policy)
    assert frame_of(release.table)["age"].to_list()[-3:] == [">=84,75"] * 3
    assert d.verify(release.table, policy, table).holds


def test_labels_have_all_that_lies_there() -> None:
    found = texts(k=2, top=85, bottom=18, ends=[19, 60], labels=["young", "middle", "old"])
    assert found == ["young", "middle", "old"]


def test_local_labels_end_where_they_must() -> None:
    found = frame_of(d.protect(ages([1, 2, 30, 31, 80, 90, 95]), said({"top": 85, "bottom": 5}, "local", 2)).table)[
        "age"
    ].to_list()
    assert found[:2] == ["<=5", "<=5"]
    assert found[2:4] == ["[30-31]", "[30-31]"]
    assert set(found[4:]) <= {">=80", ">=85"}
    alone = frame_of(d.protect(ages([1, 30, 31, 80, 95, 95, 95]), said({"top": 85}, "local", 2)).table)["age"].to_list()
    assert together(alone, None, "85")


def test_medians_are_never_of_what_lies_there() -> None:
    release = d.protect(ages(AGES), said({"top": 85, "bottom": 18, "form": "median"}, "exact", 2))
    found = frame_of(release.table)["age"].to_list()
    assert found[:3] == ["<=18"] * 3
    assert found[-3:] == [">=85"] * 3
    assert not {"<=18", ">=85"} & set(release.intervals["age"])
    assert release.intervals["age"][found[3]][0] == ">18"


def test_a_median_beside_hidden_values_is_not_said_to_reach_the_top() -> None:
    """Its interval is open towards what is hidden, but for what lies at the top: else its own file would break it."""
    rows = [("1", "1", "a")] * 3 + [("1", "1", "b"), ("1", "1", "c"), ("3", "5", "b"), ("1", "2", "a")]
    table = pl.DataFrame(rows, schema=["size", "age", "ill"], orient="row")
    age = d.Column(type="number", top=13, form="median")
    policy = d.Policy(
        protect=[d.TCloseness(t="1/3", of="ill", over=["size", "age"], distance="equal")],
        columns={"size": d.Column(type="number"), "age": age},
    )
    release = d.protect(table, policy)
    assert frame_of(release.table)["age"].to_list() == ["1"] * 5 + ["*"] * 2
    assert release.intervals["age"] == {"1": ("", "13")}


def test_medians_and_their_file(tmp_path: Path) -> None:
    ages([*AGES, "18.5"]).write_csv(tmp_path / "t.csv")
    policy = said({"top": 85, "bottom": 18, "form": "median"}, "exact", 2)
    d.protect(tmp_path / "t.csv", policy).write(tmp_path / "r.csv")
    assert d.verify(tmp_path / "r.csv", policy, tmp_path / "t.csv").holds


def test_dates() -> None:
    days = pl.DataFrame({"age": [f"{year}-0{month}-01" for year in (1948, 1950, 1960, 1990, 2021) for month in (1, 2)]})
    policy = said({"type": "date", "bottom": "1950-12-31", "top": "2020-01-01"}, "exact", 2)
    release = d.protect(days, policy)
    assert frame_of(release.table)["age"].to_list()[:4] == ["<=1950-12-31"] * 4
    assert frame_of(release.table)["age"].to_list()[-2:] == [">=2020-01-01"] * 2
    assert d.verify(release.table, policy, days).holds


def test_python_and_toml_say_the_same(tmp_path: Path) -> None:
    python = d.Policy(
        columns={"age": d.Column(type="number", top=85, bottom=18)}, protect=[d.KAnonymity(k=2, over=["age"])]
    )
    (tmp_path / "p.toml").write_text(
        '[columns]\nage = {type = "number", top = 85, bottom = 18}\n[[protect]]\nk = 2\nover = ["age"]\n'
    )
    assert python == d.read_policy(tmp_path / "p.toml") == d.Policy.from_dict(python.to_dict())
    columns: Any = python.to_dict()["columns"]
    assert columns["age"] == {"type": "number", "top": "85", "bottom": "18"}


# Verification


@pytest.mark.parametrize(
    "bad",
    ["85", "97", ">=86", ">85", "[80-90]", "[80, 85]", "<90", "[85-85]", "18", "<=17", "<18", "[18-20]", "old", " 85"],
)
def test_verification_finds_what_tells_more(bad: str) -> None:
    policy = said({"top": 85, "bottom": 18}, k=1)
    found = d.verify(ages(["<=18", ">=85", "[19-84]", ">=40", "<40", bad, "*"]), policy)
    assert not found.holds
    (problem,) = found.truthful.problems
    assert "1 cell tells more of what lies at its top or bottom" in problem
    assert bad not in problem


@MANY
@given(
    st.lists(
        st.one_of(
            st.integers(0, 30).map(str),
            st.tuples(st.sampled_from(["<", "<=", ">", ">="]), st.integers(0, 30)).map(lambda one: f"{one[0]}{one[1]}"),
            st.tuples(st.integers(0, 15), st.integers(16, 30), st.sampled_from(["[]", "[)", "(]", "()"])).map(
                lambda one: f"{one[2][0]}{one[0]}, {one[1]}{one[2][1]}"
            ),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([None, "5", "5.5"]),
    st.sampled_from([None, "20", "20.5"]),
)
def test_verification_equals_the_slow_way(some: list[str], bottom: str | None, top: str | None) -> None:
    column = {name: end for name, end in (("bottom", bottom), ("top", top)) if end is not None}
    found = d.verify(ages(some), said(column, k=1))
    assert (not found.truthful.problems) == together(some, bottom, top)


def test_medians_that_tell_more_are_found() -> None:
    policy = said({"top": 85, "bottom": 18, "form": "median"}, k=1)
    assert d.verify(ages(["30", "90"]), policy).truthful.problems
    assert d.verify(ages(["30", ">=85", ">=40"]), policy).truthful.problems == ()
    wide = {"age": {"30": ("19", "90")}}
    assert d.verify(ages(["30", ">=85"]), policy, intervals=wide).truthful.problems
    assert d.verify(ages(["30", ">=85"]), policy, intervals={"age": {"30": ("18", "40")}}).truthful.problems
    assert not d.verify(ages(["30", ">=85"]), policy, intervals={"age": {"30": (">18", "40")}}).truthful.problems


# What is refused


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ({"top": "old"}, "top: write a number, such as 85"),
        ({"bottom": None}, "bottom: write a number, such as 18"),
        ({"type": "date", "top": "85"}, "top: write a date, such as 2020-01-01"),
        ({"type": "category", "top": 85}, "only numbers and dates have it"),
        ({"type": "category", "bottom": 85, "taxonomy": {"*": ["1", "2"]}}, "only numbers and dates have it"),
        ({"top": 18, "bottom": 18}, "must be less than top"),
        ({"top": 85, "open_ends": False}, "drop one of the two"),
        ({"top": 85, "ends": [18, 86]}, "one is more than top"),
        ({"bottom": 18, "ends": [18, 40]}, "one is not above bottom"),
    ],
)
def test_what_does_not_fit_together_is_refused(column: dict[str, Any], words: str) -> None:
    with pytest.raises(d.PolicyError, match=words):
        said(column)


def test_an_end_may_be_the_top() -> None:
    assert texts([1, 2, 30, 40, 85, 90], k=2, top=85, ends=[20, 85]) == ["<20", "[20-84]", ">=85"]


def test_a_top_without_effect_is_refused() -> None:
    """It would be told as it is."""
    policy = d.Policy.from_dict(
        {"columns": {"age": {"type": "number", "top": 85}}, "protect": [{"k": 2, "over": ["job"]}]}
    )
    with pytest.raises(d.PolicyError, match="no requirement knows 'age'"):
        d.protect(ages([1, 99]).with_columns(job=pl.lit("a")), policy)


def test_the_preview_shows_where_it_is_cut(tmp_path: Path) -> None:
    ages(AGES).write_csv(tmp_path / "t.csv")
    (preview,) = check_policy(said({"top": 85, "bottom": 18}, k=2), tmp_path / "t.csv").previews
    assert [(level.name, level.labels) for level in preview.levels] == [
        ("values", 12),
        ("top and bottom", 3),
        ("all", 1),
    ]
    assert preview.levels[1].such_as == ("<=18", "[19-84]", ">=85")
