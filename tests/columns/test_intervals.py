"""The texts released for numbers and dates, in every form, and what they cover when a plan is used again."""

from __future__ import annotations

import csv
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.columns.intervals import Values, closed, finder, intervals
from discreet.columns.scale import Dates, Numbers
from discreet.verification.truth import untrue


def values(*texts: str, scale: Numbers | Dates | None = None) -> Values:
    scale = scale or Numbers()
    numbers = sorted({number for text in texts if (number := scale.read(text)) is not None})
    return Values(tuple(numbers), (1,) * len(numbers), ("",) * len(numbers))


def texts(column: d.Column, found: Values, *cuts: int) -> list[str]:
    return [interval.text for interval in intervals(found, column, cuts, "*")]


TINY = "0.1" + "0" * 36 + "1"
"""A number that no float tells from 0.1."""
AGES = values("17", "18", "30", "31", "65", "90")


@pytest.mark.parametrize(
    ("said", "cuts", "expected"),
    [
        ({}, (), ["*"]),
        ({}, (2,), ["<30", ">=30"]),
        ({}, (1, 2, 3, 5), ["<18", "18", "30", "[31-89]", ">=90"]),
        ({"open_ends": False}, (), ["[17-90]"]),
        ({"open_ends": False}, (1, 3), ["17", "[18-30]", "[31-90]"]),
        ({"open_ends": False}, (5,), ["[17-89]", "90"]),
        ({"ends": [18, 40, 65, 80]}, (1, 4), ["<18", "[18-39]", ">=40"]),
        ({"ends": ["18.5"]}, (2,), ["<18.5", ">=18.5"]),
        ({"ends": [18, 65], "labels": ["minor", "adult", "senior"]}, (1, 4), ["minor", "adult", "senior"]),
        ({"ends": [18, 65], "labels": ["minor", "adult", "senior"]}, (4,), ["minor to adult", "senior"]),
        ({"ends": [18, 65], "labels": ["minor", "adult", "senior"]}, (), ["*"]),
        ({"form": "median"}, (), ["*"]),
        ({"form": "median"}, (2, 5), ["17", "31", "90"]),
    ],
)
def test_whole_numbers(said: dict[str, Any], cuts: tuple[int, ...], expected: list[str]) -> None:
    assert texts(d.Column(type="number", **said), AGES, *cuts) == expected


@pytest.mark.parametrize(
    ("found", "cuts", "expected"),
    [
        (values("-9", "-5", "-4", "0", "7"), (1, 3, 4), ["<-5", "[-5 to -1]", "0", ">=7"]),
        (values("1.5", "2", "2.25", "4"), (1, 3), ["<2", "[2, 4)", ">=4"]),
        (values("1.5", "2", "2.25", "4"), (1, 2), ["<2", "2", ">=2.25"]),
        (values("1e2", "2E2", "500", "1000.0"), (1, 3), ["<200", "[200-999]", ">=1000"]),
        (values("0.1", TINY, "0.2"), (1,), [f"<{TINY}", f">={TINY}"]),
    ],
)  # fmt: skip
def test_negative_numbers_and_decimals(found: Values, cuts: tuple[int, ...], expected: list[str]) -> None:
    assert texts(d.Column(type="number"), found, *cuts) == expected


def test_dates() -> None:
    iso = values("2023-12-31", "2024-01-01", "2024-02-29", "2024-03-01", scale=Dates())
    assert texts(d.Column(type="date"), iso, 1, 3) == ["<2024-01-01", "[2024-01-01 to 2024-02-29]", ">=2024-03-01"]
    german = d.Column(type="date", date_format="%d.%m.%Y", ends=["01.01.2024"], labels=["before", "since"])
    same = values("31.12.2023", "01.01.2024", scale=Dates("%d.%m.%Y"))
    assert texts(german, same, 1) == ["before", "since"]
    by_day = d.Column(type="date", date_format="%d.%m.%Y", open_ends=False)
    assert texts(by_day, same, 1) == ["31.12.2023", "01.01.2024"]


NUMBER = st.integers(-50, 50).map(str) | st.decimals(-999, 999, allow_nan=False, places=2).map(str)


@given(st.lists(NUMBER, min_size=1, max_size=12), st.data())
def test_every_value_is_covered_by_its_text_alone(given_texts: list[str], data: st.DataObject) -> None:
    """Whatever the form: the verifier's own reading of the text covers the value, and every value has one text."""
    found = values(*given_texts)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(found.numbers) - 1, 1)))))
    cuts = [cut for cut in cuts if cut < len(found.numbers)]
    column = d.Column(type="number", open_ends=data.draw(st.booleans()))
    made = intervals(found, column, cuts, "*")
    assert len({interval.text for interval in made}) == len(made)
    for text in given_texts:
        released = finder(made)(Decimal(text))
        assert released is not None
        assert untrue([(text, released)], column, "*", []) == [False]
        others = [(text, other.text) for other in made if other.text != released]
        assert untrue(others, column, "*", []) == [True] * len(others)


def policy(column: d.Column, at_most: str = "50%") -> d.Policy:
    template = d.Template(given=["age"], infer={"ill": "yes"}, at_most=at_most)
    return d.Policy(protect=[template], columns={"age": column})


def people(ages: list[Any], ill: str) -> pl.DataFrame:
    return pl.DataFrame({"age": ages, "ill": ["yes" if sign == "y" else "no" for sign in ill]})


def test_a_plan_is_used_again_on_numbers_it_has_not_seen() -> None:
    table = people(["10", "20", "30", "40", "41", "50"], "ynnyyn")
    plan = d.protect(table, policy(d.Column(type="number"))).plan
    released = [interval.text for interval in plan.recodings[0].intervals]
    assert released == ["<30", "[30-40]", ">=41"]
    new = people(["-5", "29.5", "30", "40.0", "1000", "40.5"], "ynnnnn")
    release = plan.apply(new)
    assert release.table["age"].to_list() == ["<30", "<30", "[30-40]", "[30-40]", ">=41", "*"]  # type: ignore[index]
    assert release.audit.suppressed == 1  # 40.5: there was nothing between 40 and 41


def test_a_number_shown_alone_does_not_stand_for_its_neighbours() -> None:
    plan = d.protect(
        people(["10", "20", "30.5", "40", "50"], "nnnnn"),
        d.Policy(protect=[d.KAnonymity(k=1, over=["age"])], columns={"age": d.Column(type="number")}),
    ).plan
    assert [interval.text for interval in plan.recodings[0].intervals] == ["<20", "20", "30.5", "40", ">=50"]
    release = plan.apply(people(["20.00", "25", "19", "30.5"], "nnnn"))
    assert release.table["age"].to_list() == ["20", "*", "<20", "30.5"]  # type: ignore[index]


def test_closed_ends_do_not_cover_numbers_beyond_them() -> None:
    table = people(["10", "20", "30", "40"], "ynyn")
    plan = d.protect(table, policy(d.Column(type="number", open_ends=False))).plan
    new = people(["9", "20", "41", "15.5"], "nnnn")
    cells = plan.apply(new).table["age"].to_list()  # type: ignore[index]
    assert cells == ["*", "[10-29]", "*", "[10-29]"]


@pytest.mark.parametrize("form", ["%d.%m.%y", "%x"])
def test_two_digits_do_not_tell_the_century(form: str) -> None:
    with pytest.raises(d.PolicyError, match="four digits"):
        d.Column(type="date", date_format=form)


def test_a_published_median_lies_in_its_interval() -> None:
    column = d.Column(type="number", form="median")
    for text in ("Alice", "1000", "<5"):
        assert untrue([("3", text)], column, "*", [], {text: ("1", "9")}) == [True]


@pytest.mark.parametrize(
    ("said", "options"),
    [
        ({"ends": [3], "labels": ["lo", "hi"]}, {"missing": d.Missing(values=["lo"], rows="value")}),
        ({}, {"missing": d.Missing(values=["<3"], rows="value")}),
        ({}, {"marker": "<6"}),
        ({"ends": [3], "labels": ["a", "b"]}, {"marker": "a to b"}),
        ({"ends": [1, 2, 3], "labels": ["a", "b", "c", "a to c"]}, {}),
    ],
)
def test_one_text_has_one_meaning(said: dict[str, Any], options: dict[str, Any]) -> None:
    with pytest.raises(d.PolicyError):
        d.Policy(protect=[d.KAnonymity(k=2, over=["age"])], columns={"age": d.Column(type="number", **said)}, **options)


def test_extremes_are_told_only_with_closed_ends() -> None:
    table = people([str(age) for age in range(20, 100)], "nnny" * 20)
    for open_ends in (True, False):
        release = d.protect(table, policy(d.Column(type="number", open_ends=open_ends)))
        told = " ".join(release.table["age"].unique().to_list())  # type: ignore[index]
        assert ("99" in told) is not open_ends
        assert any("smallest and largest age" in line for line in release.audit.not_covered) is not open_ends


@pytest.mark.parametrize("kind", ["int", "float", "pandas", "date"])
def test_typed_columns(kind: str) -> None:
    ages: list[Any] = [10, 20, 30, 40, 41, 50]
    frame: Any = people(ages, "ynnyyn")
    column = d.Column(type="number")
    if kind == "float":
        frame = frame.with_columns(pl.col("age") / 4)
    if kind == "date":
        frame = frame.with_columns((pl.date(2024, 1, 1) + pl.duration(days=pl.col("age"))).alias("age"))
        column = d.Column(type="date")
    if kind == "pandas":
        frame = frame.to_pandas()
    release = d.protect(frame, policy(column))
    assert release.audit.verification.truthful.answer is d.Answer.HOLDS
    assert release.audit.detail is not None
    assert release.audit.detail > 0
    assert isinstance(release.table, pd.DataFrame if kind == "pandas" else pl.DataFrame)


def test_medians_come_with_the_intervals_they_stand_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people(["10", "20", "21", "30", "40", "41", "50"], "ynnnyyn").write_csv("t.csv")
    Path("p.yaml").write_text(
        "protect: [{infer: {ill: yes}, given: [age], at_most: 60%}]\ncolumns: {age: {type: number, form: median}}\n"
    )

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, list(words))
        assert result.exit_code == code, result.output
        return result.output

    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--plan", "plan.json")
    lines = list(csv.reader(Path("r.csv.intervals.csv").read_text().splitlines()))
    assert lines[0] == ["column", "released", "from", "to"]
    ranges = {released: (begin, end) for _, released, begin, end in lines[1:]}
    cells = pl.read_csv("r.csv", infer_schema=False)["age"].to_list()
    assert set(cells) == set(ranges)
    for cell, age in zip(cells, [10, 20, 21, 30, 40, 41, 50], strict=True):
        begin, end = ranges[cell]
        assert (begin == "" or int(begin) <= age) and (end == "" or age < int(end))  # noqa: PT018
    assert "every promise holds" in run("verify", "r.csv", "-p", "p.yaml", "--original", "t.csv")
    run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", code=2)
    Path("r.csv").unlink()
    assert "r.csv.intervals.csv" in run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", code=2)
    people(["39", "12", "22", "55"], "nnnn").write_csv("new.csv")
    run("apply", "plan.json", "new.csv", "-o", "new_release.csv")
    told = Path("new_release.csv.intervals.csv").read_text().splitlines()
    assert set(told) <= set(Path("r.csv.intervals.csv").read_text().splitlines())  # and no median that is not released
    assert "every promise" in run("verify", "new_release.csv", "-p", "p.yaml", "--original", "new.csv", "--partial")
    Path("new_release.csv.intervals.csv").write_text("\n".join(told[:-1]) + "\n")
    run("verify", "new_release.csv", "-p", "p.yaml", "--original", "new.csv", "--partial", code=1)
    Path("new_release.csv.intervals.csv").write_text("x\n")
    run("verify", "new_release.csv", "-p", "p.yaml", "--original", "new.csv", "--partial", code=2)


@pytest.mark.parametrize("form", ["interval", "median"])
def test_missing_values_and_numbers_are_one_group_until_they_are_told_apart(form: str) -> None:
    """With closed ends the whole range has a text of its own, but not while missing values are hidden with it."""
    table = people(["10", "20", None, "30"], "nnyn")
    rules = policy(d.Column(type="number", open_ends=form == "median", form=form), "40%").model_copy(
        update={"missing": d.Missing(rows="value")}
    )
    release = d.protect(table, rules)
    assert release.table["age"].to_list() == ["*"] * 4  # type: ignore[index]


@pytest.mark.parametrize(
    "damage",
    [
        lambda found: found.reverse(),
        lambda found: found[1].update(start=None),
        lambda found: found[1].update(start="NaN"),
        lambda found: found.pop(1),
        lambda found: found[0].update(text=None),
    ],
)
def test_damaged_intervals_are_no_plan(damage: Any) -> None:
    import json

    plan = d.protect(people(["10", "20", "30", "40", "41", "50"], "ynnyyn"), policy(d.Column(type="number"))).plan
    body = json.loads(plan.to_json())
    damage(body["recodings"][0]["intervals"])
    with pytest.raises(d.InputError, match="not a whole plan"):
        d.Plan.from_json(json.dumps(body))


def test_ends_beyond_all_values_are_warned_about() -> None:
    """Nothing can be told apart; the owner probably mistook the unit. No value is named."""
    table = people(["1990", "1991", "1992", "1993"], "ynnn")
    for ends, warned in ((["18", "65"], True), (["1990"], True), (["1993"], False), (["18", "1991"], False)):
        warnings = d.protect(table, policy(d.Column(type="number", ends=ends), "1")).audit.warnings
        told = [warning for warning in warnings if "no end of 'age' lies between" in warning]
        assert len(told) == warned
        assert not any("19" in warning for warning in told)
    one = people(["5", "5", "5"], "ynn")
    assert not d.protect(one, policy(d.Column(type="number", ends=["18"]), "1")).audit.warnings


def medians_policy(k: int = 2) -> d.Policy:
    return d.Policy(protect=[d.KAnonymity(k=k, over=["age"])], columns={"age": d.Column(type="number", form="median")})


def test_the_intervals_of_a_frame_can_be_given() -> None:
    table = pl.DataFrame({"age": ["10", "11", "12", "40", "41"]})
    release = d.protect(table, medians_policy())
    out: Any = release.table
    assert set(release.intervals["age"]) == set(out["age"])
    assert d.verify(out, medians_policy(), table, intervals=release.intervals).holds
    # A median that its interval does not have is found out with the intervals only.
    narrow = {"age": dict.fromkeys(release.intervals["age"], ("11", "12"))}
    assert d.verify(out, medians_policy(), table).holds
    assert not d.verify(out, medians_policy(), table, intervals=narrow).holds
    with pytest.raises(d.InputError, match="intervals: 'town' is not a column that the policy releases by medians"):
        d.verify(out, medians_policy(), table, intervals={"town": {}})


def test_the_intervals_of_a_frame_can_be_in_a_file(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": ["10", "11", "12", "40", "41"]})
    release = d.protect(table, medians_policy())
    release.write(tmp_path / "r.parquet")
    out: Any = release.table
    for path in (tmp_path / "r.parquet.intervals.csv", str(tmp_path / "r.parquet.intervals.csv")):
        assert d.verify(out, medians_policy(), table, intervals=path).holds
    with pytest.raises(d.InputError, match="there is no such file"):
        d.verify(out, medians_policy(), table, intervals=tmp_path / "absent.csv")
    (tmp_path / "x.csv").write_text("x\n")
    with pytest.raises(d.InputError, match="is not a file of intervals"):
        d.verify(out, medians_policy(), table, intervals=tmp_path / "x.csv")


def test_two_releases_of_one_stem_have_their_own_intervals(tmp_path: Path) -> None:
    tables = {"x.csv": ["10", "11", "12", "40", "41"], "x.parquet": ["70", "71", "72", "90", "91"]}
    for name, ages in tables.items():
        d.protect(pl.DataFrame({"age": ages}), medians_policy()).write(tmp_path / name)
    for name, ages in tables.items():
        assert d.verify(tmp_path / name, medians_policy(), original=pl.DataFrame({"age": ages})).holds
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "x.csv", "x.csv.intervals.csv", "x.parquet", "x.parquet.intervals.csv",
    ]  # fmt: skip


def test_old_intervals_do_not_stay_beside_a_new_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"age": ["10", "11", "12", "40", "41"]})
    table.write_csv("t.csv")
    plain = d.Policy(protect=[d.KAnonymity(k=2, over=["age"])], columns={"age": d.Column(type="number")})
    Path("plain.yaml").write_text("protect: [{k: 2, over: [age]}]\ncolumns: {age: {type: number}}\n")
    beside = Path("r.csv.intervals.csv")
    d.protect(table, medians_policy()).write("r.csv")
    assert beside.exists()
    with pytest.raises(d.InputError, match=r"r.csv: exists already"):
        d.protect(table, plain).write("r.csv")
    Path("r.csv").unlink()
    with pytest.raises(d.InputError, match=r"r.csv.intervals.csv: exists already"):
        d.protect(table, plain).write("r.csv")
    result = CliRunner().invoke(app, ["protect", "t.csv", "-p", "plain.yaml", "-o", "r.csv"])
    assert (result.exit_code, "r.csv.intervals.csv: exists already" in result.output) == (2, True)
    assert beside.exists()
    assert not Path("r.csv").exists()
    result = CliRunner().invoke(app, ["protect", "t.csv", "-p", "plain.yaml", "-o", "r.csv", "--force"])
    assert result.exit_code == 0, result.output
    assert Path("r.csv").exists()
    assert not beside.exists()
    beside.write_text("somebody else's\n")  # what is not ours stays
    d.protect(table, plain).write("r.csv", force=True)
    assert beside.read_text() == "somebody else's\n"


@pytest.mark.parametrize("kind", ["text", "float", "nan", "date", "quoted"])
def test_an_empty_cell_is_called_empty_and_the_advice_helps(kind: str) -> None:
    written: dict[str, list[Any]] = {"date": ["2024-01-01", "2024-01-02"], "float": [1.5, 2.5]}
    ages = written.get(kind, ["30", "40"])
    table: Any = pl.DataFrame({"age": [*ages, "" if kind == "quoted" else None], "ill": ["a", "b", "c"]})
    if kind == "nan":
        table = pd.DataFrame({"age": [30.0, 40.0, float("nan")], "ill": ["a", "b", "c"]})
    column = d.Column(type="date" if kind == "date" else "number")
    rules = d.Policy(protect=[d.KAnonymity(k=1, over=["age"])], columns={"age": column})
    with pytest.raises(d.PolicyError) as refused:
        d.protect(table, rules)
    advice = 'write missing: {values: [""], rows: value}'
    assert "1 cell is empty" in str(refused.value)
    assert advice in str(refused.value)
    said = d.Policy(**{**dict(rules), "missing": {"values": [""], "rows": "value"}})
    release = d.protect(table, said)
    assert list(release.table["ill"]) == ["a", "b", "c"]  # type: ignore[index]
    assert not [warning for warning in release.audit.warnings if "missing" in warning]


def test_empty_cells_beside_other_texts() -> None:
    table = people(["10", "20", "?", "", None], "nnnnn")
    with pytest.raises(d.PolicyError, match=r"1 of the 5 different values .* no number, and 2 cells are empty; name"):
        d.protect(table, policy(d.Column(type="number")))
    named = policy(d.Column(type="number")).model_copy(update={"missing": d.Missing(values=["?"], rows="value")})
    with pytest.raises(d.PolicyError, match='1 cell is empty in the column; add "" to missing.values'):
        d.protect(table, named)


def test_an_empty_target_is_called_empty() -> None:
    rules = d.Policy(use=d.Regress("age"), protect=[d.KAnonymity(k=2, over=["ill"])])
    with pytest.raises(d.PolicyError, match="cells of 'age' are empty; write missing"):
        d.protect(people(["10", "20", None], "nnn"), rules)


def test_labels_of_many_numbers_look_at_the_numbers_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether all are integers is the same for each label: thousands of labels of thousands of numbers are no work."""
    found = values(*map(str, range(2000)))
    looked: list[Decimal] = []

    class Counted(Decimal):
        def to_integral_value(self, *options: Any, **more: Any) -> Decimal:
            looked.append(self)
            return super().to_integral_value(*options, **more)

    counted = replace(found, numbers=tuple(map(Counted, found.numbers)))
    column = d.Column(type="number")
    told = [closed(counted, column, first, first + 5, "*").text for first in range(1000)]
    assert told[:2] == ["[0-4]", "[1-5]"]
    assert told == [closed(found, column, first, first + 5, "*").text for first in range(1000)]
    assert len(looked) == 2000
