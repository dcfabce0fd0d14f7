"""Every proposed taxonomy covers every value, says what is true of it, and is read back as it was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.assist.proposing.column import date_forms
from discreet.assist.proposing.propose import propose, recognise
from discreet.assist.proposing.tally import ValueTally, count_values
from discreet.columns.scale import Numbers
from discreet.columns.taxonomy import Taxonomy, read_taxonomy
from tests.kinds import KINDS
from tests.profiles import size

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
WHOLE = st.integers(-(10**6), 10**6).map(str)
DECIMALS = st.decimals(-1000, 1000, allow_nan=False, places=2).map(str)
DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1)).map(date.isoformat)
CODES = st.from_regex(r"[0-9]{5}|[A-C][0-9]{2}(\.[0-9]{1,2})?", fullmatch=True)
ODD = st.sampled_from(
    ["*", "?", "NA", "a;b", "a,b", 'x"y', " ", "a\nb", "\ufeffz", "0-4", "1 to 2", "any", "missing", "10*"]
)
COLUMNS = st.one_of(
    *(st.lists(st.one_of(kind, kind, kind, ODD), min_size=1) for kind in (TEXTS, WHOLE, DECIMALS, DAYS, CODES))
)


def tree(values: Sequence[object], kind: Any = "auto", **said: Any) -> Taxonomy:
    return d.propose_taxonomy(pl.DataFrame({"x": values}), "x", kind, **said)


def paths(values: Sequence[object], kind: Any = "auto", **said: Any) -> list[str]:
    return tree(values, kind, **said).to_csv().splitlines()


@pytest.mark.slow
@given(COLUMNS, st.sampled_from(["auto", "ranges", "prefix", "balanced"]), st.booleans())
def test_every_value_is_covered_and_every_label_is_its_own(values: list[str], kind: str, fill: bool) -> None:
    tally = count_values(pl.DataFrame({"x": values}), "x")
    try:
        found = propose(tally, kind, fill=fill).taxonomy
    except d.InputError as error:
        assert "none of its values fits" in str(error)
        assert kind == "ranges"
        assert all(Numbers().read(value) is None for value in values if value not in ("?", "NA"))
        return
    assert found.missing_from(values) == []
    labels = [label for node in found.nodes for label in node.labels]
    assert len(set(labels)) == len(labels)
    assert not {label for node in found.nodes if node.children for label in (node.label,)} & set(found.leaves)


@given(COLUMNS, st.sampled_from(["auto", "balanced", "prefix"]))
def test_a_file_is_read_back_as_the_same_tree(values: list[str], kind: str) -> None:
    import tempfile

    found = tree(values, kind)
    with tempfile.TemporaryDirectory() as folder:
        found.write(Path(folder) / "x.csv")
        assert read_taxonomy(Path(folder) / "x.csv") == found
    assert Taxonomy.from_paths(found.to_paths()) == found


def in_range(label: str, value: str) -> bool:
    """Whether a number is in a range, by another reader than the one that made it."""
    if half_open := re.fullmatch(r"\[(\S+), (\S+)\)", label):
        return Fraction(half_open[1]) <= Fraction(value) < Fraction(half_open[2])
    ends = re.fullmatch(r"(-?\d+)(?:-| to )(-?\d+)", label)
    assert ends, label
    return int(ends[1]) <= Fraction(value) <= int(ends[2])


@given(st.one_of(st.lists(WHOLE, min_size=1), st.lists(DECIMALS, min_size=1)), st.booleans())
def test_numbers_are_in_their_ranges(values: list[str], fill: bool) -> None:
    found = tree(values, "ranges", fill=fill)
    for value in found.leaves:
        assert all(in_range(label, value) for label in found.ancestors(value)[1:-1])
    if fill:
        assert not any(node.dropped for node in found.nodes[1:])  # no range has a single member


@given(st.lists(DAYS, min_size=1), st.booleans())
def test_dates_are_in_their_months_quarters_years_and_decades(values: list[str], fill: bool) -> None:
    found = tree(values, "dates", fill=fill)
    for value in found.leaves:
        day = date.fromisoformat(value)
        true = {value[:7], f"{day.year}-Q{(day.month - 1) // 3 + 1}", value[:4], f"{value[:3]}0-{value[:3]}9"}
        assert set(found.ancestors(value)[1:-1]) <= true
    if fill:
        assert not any(node.dropped for node in found.nodes[1:])


@given(st.lists(st.from_regex(r"[0-9]{5}", fullmatch=True), min_size=1))
def test_codes_begin_as_their_prefixes(values: list[str]) -> None:
    found = tree(values, "prefix")
    for value in values:
        for label in found.ancestors(value)[1:-1]:
            assert re.fullmatch(re.escape(label).replace(r"\*", "."), value)


@given(st.dictionaries(st.sampled_from("abcdefghijklmnop"), st.integers(1, 50), min_size=5))
def test_balanced_groups_are_neighbours_and_no_lighter_division_was_at_hand(rows: dict[str, int]) -> None:
    """Slow and plain: divide the heaviest group where the halves weigh most alike, again and again."""
    parts = [sorted(rows)]

    def weight(part: list[str]) -> int:
        return sum(rows[value] for value in part)

    while len(parts) < 4:
        heaviest = min((part for part in parts if len(part) > 1), key=lambda part: (-weight(part), part[0]))
        cut = min(range(1, len(heaviest)), key=lambda at: (abs(weight(heaviest[:at]) - weight(heaviest[at:])), at))
        place = parts.index(heaviest)
        parts[place : place + 1] = [heaviest[:cut], heaviest[cut:]]
    found = propose(
        ValueTally("x", tuple(sorted(rows)), tuple(rows[value] for value in sorted(rows))), "balanced", steps=[4]
    )
    top = found.taxonomy.nodes[0].children
    nodes = [found.taxonomy.nodes[place] for place in top]
    assert [list(found.taxonomy.leaves[node.first : node.stop]) for node in nodes] == parts


@pytest.mark.parametrize(
    ("column", "values", "kind"),
    [
        ("age", ["7", "42", "18"], "ranges"),
        ("income", ["20000", "30000", "40000"], "ranges"),
        ("zip", ["20000", "30000", "40000"], "prefix"),
        ("homeZipCode", ["20000", "30000", "40000"], "prefix"),
        ("x", ["01067", "10115", "80331"], "prefix"),
        ("x", ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "CR2 6XJ"], "prefix"),
        ("x", ["E11", "E11.9", "J45.0", "J45.1"], "icd10"),
        ("Hauptdiagnose", ["E11", "I10", "J45"], "icd10"),
        ("seat", ["E11", "I10", "J45", "J46"], "prefix"),
        ("x", ["2024-01-31", "2023-05-01"], "dates"),
        ("x", ["31.01.2024", "01.05.2023"], "dates"),
        ("x", ["2024-01", "2023-05"], "dates"),
        ("x", ["20240131", "20230501"], "dates"),
        ("x", ["20249931", "20239901"], "ranges"),
        ("x", ["2024-01-31 08:15", "2023-05-01T09:00:00"], "dates"),
        ("x", ["31.01.2024 08:15", "01.05.2023 9:00"], "dates"),
        ("x", ["1/31/2024 08:15:00", "12/5/2023 19:00:01"], "dates"),
        ("x", ["-1.5", "2e3", "7"], "ranges"),
        ("x", ["1", "2", "3", "4", "many"], "ranges"),
        ("x", ["1", "many", "few"], "balanced"),
        ("x", ["Oslo", "Rome"], "balanced"),
        ("x", ["A1", "A2", "A3"], "balanced"),  # their beginnings tell nothing
        ("x", ["11th", "12th", "Masters", "Doctorate"], "balanced"),
    ],
)
def test_kinds_are_recognised(column: str, values: list[str], kind: str) -> None:
    assert recognise(column, values) == kind


def test_a_time_of_the_day_is_read_in_every_form_of_dates_and_its_day_is_the_first_group() -> None:
    assert date_forms(["31.01.2024 08:15", "01.05.2023 9:00"]) == ["%d.%m.%Y %H:%M"]
    assert date_forms(["31.01.2024", "01.05.2023"]) == ["%d.%m.%Y"]
    assert date_forms(["1/31/2024 08:15:00", "12/5/2023 19:00:01"]) == ["%m/%d/%Y %H:%M:%S"]
    found = tree(["31.01.2024 08:15", "31.01.2024 09:30", "01.05.2023 9:00"])
    assert found.ancestors("31.01.2024 08:15")[1] == "2024-01-31"


def test_ranges_are_round_and_nest() -> None:
    ages = tree([str(age) for age in range(17, 91)])
    assert len(ages.leaves) == 100  # all of 0-99: none tells that it occurs
    assert ages.ancestors("17") == ("17", "15-19", "10-19", "0-19", "*")
    assert ages.ancestors("99") == ("99", "95-99", "90-99", "80-99", "*")
    assert paths(["1", "3", "5", "7", "8", "10"])[0] == "1;1-5;*"  # 1 to 10 in two, not in three
    assert tree(["0", "3", "8", "10", "11", "19"], steps=[5, 10]).ancestors("11") == ("11", "10-14", "10-19", "*")


def test_negative_and_decimal_numbers() -> None:
    found = tree(["-12", "-5", "3", "17", "25", "41"], fill=False)
    assert found.to_csv().splitlines()[:3] == ["-12;-20 to -1;*", "-5;-20 to -1;*", "3;0 to 19;*"]
    assert paths(["0.5", "1.25", "1.75", "2.5", "3.0"], fill=False, steps=[1, 2])[:3] == [
        "0.5;[0, 1);[0, 2);*",
        "1.25;[1, 2);[0, 2);*",
        "1.75;[1, 2);[0, 2);*",
    ]
    assert paths(["1", "2", "3", "4"], steps=["2.5"], fill=False)[2] == "3;[2.5, 5);*"


def test_spellings_of_the_same_number_are_together_and_kept() -> None:
    found = tree(["40", "40.0", "+7", " 12", "55", "90"], "ranges", steps=[50])
    assert {"40", "40.0", "+7", " 12", "0", "49"} <= set(found.leaves)
    assert len({found.ancestors(value)[1] for value in ("40", "40.0", "+7", " 12")}) == 1
    assert "001" in tree(["007", "012", "100", "180"], "ranges").leaves
    assert "1.0" in tree(["7.0", "12.0", "30.0", "40.0"]).leaves


def test_dates_in_any_form_tell_the_calendar() -> None:
    assert tree(["31.01.2019", "01.05.2023"]).ancestors("31.01.2019") == (
        "31.01.2019", "2019-01", "2019-Q1", "2019", "2010-2019", "*",
    )  # fmt: skip
    assert tree(["2024-02", "2024-11"]).ancestors("2024-03") == ("2024-03", "2024-Q1", "*")
    assert tree(["2024-01-31 08:15", "2024-02-01 09:00"]).ancestors("2024-01-31 08:15")[1] == "2024-01-31"
    few = tree(["2024-01-30", "2024-03-02"])
    assert {"2024-01-01", "2024-02-29", "2024-03-31"} <= set(few.leaves)  # every day of these months
    assert not any(node.dropped for node in tree(["2018-01-01", "2020-01-01"]).nodes)  # nor has a decade one month only
    assert tree(["1900-05-05", "2000-05-05"]).leaves.index("1900-05-31") > 0  # the ends only: too many days


def test_day_and_month_are_never_swapped_by_a_guess() -> None:
    with pytest.raises(d.InputError, match="can be read in two ways.*%d/%m/%Y or %m/%d/%Y"):
        tree(["01/02/2024", "03/04/2024"])
    said = tree(["01/02/2024", "03/04/2024"], date_format="%m/%d/%Y", fill=False)
    assert said.ancestors("01/02/2024")[1] == "2024-01"
    assert tree(["01/02/2024", "13/04/2024"], fill=False).ancestors("01/02/2024")[1] == "2024-02"


def test_codes_of_several_lengths() -> None:
    icd = tree(["E11", "E11.65", "E11.9", "J44", "J45.0", "J45.1"], "prefix")
    assert icd.ancestors("E11.9")[1:3] == ("E11.*", "E11*")
    assert icd.ancestors("E11")[1] == "E11*"
    british = tree(["SW1A 1AA", "SW1A 1AB", "SW1A 2AA", "SW9 1AA", "M1 1AE", "M2 1AE", "ME1 1AE"])
    assert british.ancestors("SW1A 1AA") == ("SW1A 1AA", "SW1A 1**", "SW1A ***", "SW (area)", "*")
    assert british.ancestors("M1 1AE")[-2] == "M (area)"
    assert tree(["1234 AB", "1234 CD", "1235 AB", "9999 ZZ"]).ancestors("1234 AB")[1] == "1234 **"


def test_strays_missing_signs_and_blanks_stand_beside() -> None:
    values = [*(str(n) for n in range(30)), "about 40", "many", "?", "NA", "", None]
    tally = count_values(pl.DataFrame({"x": values}), "x")
    assert tally.blank == 2
    found = propose(tally)
    assert found.taxonomy.ancestors("many") == ("many", "no number", "*")
    assert found.taxonomy.ancestors("?") == ("?", "missing", "*")
    told = " ".join(found.notes)
    assert "2 values of another form" in told
    assert "2 values beside the rest may stand for a missing value" in told
    assert "2 cells have no value" in told
    assert "type: number" not in told  # which would not take them
    left_out = tree(values, missing=["?", "NA", "many"])
    assert not {"?", "NA", "many"} & set(left_out.leaves)
    assert tree(["?", "?"]).leaves == ("?",)


def test_what_stands_for_a_missing_value_is_not_filled_in_again() -> None:
    """As a leaf it would be a number like any other, in the range around it."""
    values = [str(age) for age in range(17, 100)]
    assert "99" not in tree(values, missing=[99]).leaves
    assert "98" in tree(values, missing=[99]).leaves
    assert "2024-01-01" not in tree(["2024-01-01", "2024-01-05", "2024-02-07"], missing=["2024-01-01"]).leaves


def test_labels_never_equal_values() -> None:
    assert "0-9 (group)" in tree(["0-9", *map(str, range(21))], steps=[10]).ancestors("3")
    star = tree(["*", "a", "b"])
    assert star.nodes[0].label == "any"
    assert tree(["*", "any", "b"]).nodes[0].label == "any (2)"
    assert tree(["a", "b"], root="All").nodes[0].label == "All"
    same = tree(["a to b", "c", "a", "b to c"], "balanced", steps=[2])
    labels = [node.label for node in same.nodes]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("values", [["x"], ["7", "7"], ["2024-01-01"], ["f", "m"], ["0", "1"], [None, "a"]])
def test_too_few_values_for_groups(values: list[str | None]) -> None:
    found = propose(count_values(pl.DataFrame({"x": values}), "x"))
    assert all(len(path) == 2 for path in found.taxonomy.to_paths())
    assert any("too few values for groups" in note for note in found.notes)


def test_levels_are_as_many_as_asked() -> None:
    ages = [str(age) for age in range(17, 91)]
    for levels, first in ((1, "10-19"), (2, "15-19"), (3, "15-19")):
        path = tree(ages, levels=levels).ancestors("17")
        assert (len(path), path[1]) == (levels + 2, first)
    with pytest.raises(d.InputError, match="at most 3 levels of ranges, not 9"):
        tree(ages, levels=9)
    with pytest.raises(d.InputError, match="at most 2 levels of dates"):
        tree(["2024-01-31", "2024-05-01"], levels=3)
    towns = [f"town {letter}" for letter in "abcdefghijklmnopq"]
    for levels in (1, 2, 3, 4):
        assert max(len(path) for path in tree(towns, levels=levels).to_paths()) == levels + 2
    with pytest.raises(d.InputError, match="of balanced groups"):
        tree(towns, levels=12)


@pytest.mark.parametrize(
    ("values", "said", "message"),
    [
        (["1", "2"], {"kind": "fast"}, "kind: write one of auto, ranges"),
        (["1", "2"], {"levels": 0}, "levels: write a number from 1"),
        (["1", "2"], {"levels": 1, "steps": [2]}, "leave one of the two out"),
        (["1", "2"], {"steps": []}, "steps: write 1 to"),
        (["1", "2"], {"steps": [object()]}, "steps: write texts or numbers"),
        (["1", "2"], {"missing": [object()]}, "missing: write texts or numbers"),
        (["1", "2"], {"kind": "ranges", "steps": ["wide"]}, "write widths"),
        (["1", "2"], {"kind": "ranges", "steps": [-5]}, "write widths"),
        (["1", "2"], {"kind": "ranges", "steps": [5, 12]}, "multiple of the one before"),
        (["1", "2"], {"kind": "ranges", "steps": [1, 5]}, "width 1 is the number itself"),
        (["2024-01-01"], {"kind": "dates", "steps": ["year", "month"]}, "in this order"),
        (["2024-01-01"], {"kind": "dates", "steps": ["week"]}, "write some of month, quarter"),
        (["x"], {"kind": "dates"}, "are no dates"),
        (["x"], {"kind": "ranges"}, "none of its values fits"),
        (["01/02/2024"], {"date_format": "%m/%Y"}, "must tell day, month and year"),
        (["1"], {"kind": "ranges", "date_format": "%d.%m.%Y"}, "is for dates"),
        (["abc"], {"kind": "prefix", "steps": [2, 3]}, "fewer and fewer"),
        (["a", "b", "c"], {"kind": "balanced", "steps": [3]}, "fewer than the 3 values"),
        (["a", "b"], {"root": "a"}, "root: write a text that is no value"),
        (["a", "b"], {"root": ""}, "root: write a text that is no value"),
        ([None, ""], {}, "has no values"),
        (["a\0b", "c"], {}, "NUL character"),
        (["a" * 200_000, "c"], {}, "too long for a file"),
    ],
)
def test_what_cannot_be_done_is_said(values: list[str | None], said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.InputError, match=message) as caught:
        tree(values, **said)
    assert "abc" not in str(caught.value)


def test_an_unknown_column_is_named_with_a_near_one() -> None:
    with pytest.raises(d.InputError, match="no column 'aeg' among the"):
        d.propose_taxonomy(pl.DataFrame({"age": ["1"]}), "aeg")


@pytest.mark.parametrize("kind", list(KINDS))
def test_any_kind_of_table(kind: str) -> None:
    table = KINDS[kind](pl.DataFrame({"n": [1, 2, 3, 40], "t": ["a", "b", "c", "d"]}))
    assert d.propose_taxonomy(table, "t").leaves == ("a", "b", "c", "d")
    assert {"1", "40"} <= set(d.propose_taxonomy(table, "n").leaves)


def test_a_column_without_any_value_has_no_type_and_no_tree() -> None:
    with pytest.raises(d.InputError, match="column 'x' has no values"):
        d.propose_taxonomy(pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Null)}), "x")


def very_many(rows: int) -> pl.DataFrame:
    numbers = range(rows)
    return pl.DataFrame(
        {
            "number": [str(n * 7919 % 10**9) for n in numbers],
            "day": [(date(1800, 1, 1) + timedelta(days=n)).isoformat() for n in numbers],
            "zip": [f"{n:05}" for n in numbers],
            "name": [f"name of {n:x}y" for n in numbers],
        }
    )


@pytest.mark.slow
def test_very_many_values_have_groups_or_are_refused() -> None:
    rows = size(20_000, nightly=100_000)
    frame = very_many(rows)
    for column in ("day", "zip"):
        found = d.propose_taxonomy(frame, column)
        assert found.missing_from(frame[column]) == []
        assert rows <= len(found.leaves) < 1.1 * rows
    with pytest.raises(d.InputError, match=f"{rows:,} different values.*role: identifier"):
        d.propose_taxonomy(frame, "name")
    assert d.propose_taxonomy(frame, "name", "balanced").missing_from(frame["name"]) == []


def test_the_warning_is_true() -> None:
    """What is filled does not tell which values occur; all else does, and says so."""

    def note(values: list[str], **said: Any) -> str:
        return propose(count_values(pl.DataFrame({"x": values}), "x"), **said).notes[0]

    ages = [str(age) for age in range(17, 91, 3)]
    assert "lists numbers whether they occur or not" in note(ages)
    assert "shows which values occur, the smallest and largest" in note(ages, fill=False)
    assert "ends of its ranges are listed too" in note(["1", "999983", "40000", "77"])
    assert "How often they occur shapes the groups" in note(list("abcdef"))
    assert tree(ages) == tree([str(age) for age in range(18, 91, 3)])  # not even which ages there are


def test_real_columns(data_dir: Path) -> None:
    adult = data_dir / "adult-hierarchies" / "adult.csv"
    age = d.propose_taxonomy(adult, "age")
    assert age.to_paths()[17:20] == [
        ("17", "15-19", "10-19", "0-19", "*"),
        ("18", "15-19", "10-19", "0-19", "*"),
        ("19", "15-19", "10-19", "0-19", "*"),
    ]
    education = d.propose_taxonomy(adult, "education")
    assert education.leaves[:5] == ("1st-4th", "5th-6th", "7th-8th", "9th", "10th")
    table = pl.read_csv(adult, separator=";", infer_schema=False)
    for column in table.columns:
        assert d.propose_taxonomy(adult, column).missing_from(table[column]) == []


def test_diagnoses_are_in_their_categories_blocks_and_chapters() -> None:
    icd = tree(["E11.9", "E11.2", "E10.1", "E66", "I10", "U07.1", "E17.0", "home"])
    assert icd.ancestors("E11.9")[1:] == ("E11.-", "E08-E14", "E00-E90", "*")
    assert icd.ancestors("E10.1")[1:] == ("E08-E14", "E00-E90", "*")
    assert icd.ancestors("E17.0")[1:] == ("E00-E90", "*")  # no block has it
    assert icd.ancestors("I10")[-1] == "*"
    assert paths(["E11.9", "E11.2", "I10"], steps=["chapter"])[0] == "E11.2;E00-E90;*"
    with pytest.raises(d.InputError, match="category, block, chapter"):
        tree(["E11.9"], "icd10", steps=["chapter", "block"])


@pytest.mark.parametrize(
    ("code", "block", "chapter"),
    [
        ("B99.1", "B99-B99", "A00-B99"),
        ("C97.0", "C97-C97", "C00-D49"),
        ("I16.0", "I10-I16", "I00-I99"),  # ICD-10-CM has more codes in a block than the WHO
        ("N52.9", "N40-N53", "N00-N99"),
        ("Z79.4", "Z77-Z99", "Z00-Z99"),
        ("X99.0", "X85-Y09", "V00-Y99"),
        ("U07.1", "U00-U49", "U00-U99"),
        ("D78.0", None, "D50-D89"),
        ("C7A.0", None, "C00-D49"),
        ("D3A.0", None, "C00-D49"),
    ],
)
def test_diagnoses_are_in_the_blocks_and_chapters_of_the_classification(
    code: str, block: str | None, chapter: str
) -> None:
    above = tree([code, "A00.0", "A15.0", "K00.0"], "icd10", steps=["block", "chapter"]).ancestors(code)
    assert above == (code, *([block] if block else []), chapter, "*")


@given(st.lists(st.from_regex(r"[A-Z][0-9][0-9AB](\.[0-9])?", fullmatch=True), min_size=1))
def test_every_range_of_diagnoses_covers_its_codes(values: list[str]) -> None:
    found = tree(values, "icd10")
    for value in found.leaves:
        for label in found.ancestors(value)[1:-1]:
            first, last = (label[:3], label[:3]) if label.endswith(".-") else label.split("-")
            assert first <= value[:3] <= last


def test_words_are_grouped_in_the_order_that_their_owner_gives() -> None:
    words = ["none", "some", "severe", "mild", "mild"]
    order = ["none", "mild", "some", "severe"]
    assert paths(words, order=order) == [
        "none;none or mild;*", "mild;none or mild;*", "some;some or severe;*", "severe;some or severe;*"
    ]  # fmt: skip
    assert tree([*words, "?", "odd"], order=order).missing_from([*words, "?", "odd"]) == []
    with pytest.raises(d.InputError, match="order: is missing"):
        tree(words, "ordered")
    with pytest.raises(d.InputError, match="order: is for the kind ordered"):
        tree(words, "balanced", order=order)
    for wrong in (["none"], ["none", "none"], ["none", ""]):
        with pytest.raises(d.InputError, match="each once"):
            tree(words, order=wrong)
