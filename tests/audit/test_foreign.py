"""Releases of other tools: read as they are meant, counted, and never made to look more alike than they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.audit.foreign import adopt, interval_text
from discreet.columns.scale import Dates, Numbers
from discreet.table.source import open_table
from discreet.verification.promises import check

CITY = {"any": {"North": ["Oslo", "Turku"], "South": ["Rome", "Bern"]}}
COLUMNS: Mapping[str, Mapping[str, object]] = {"age": {"type": "number"}, "city": {"taxonomy": CITY}}
POLICY = d.Policy(columns=COLUMNS, protect=[d.KAnonymity(k=2, over=["age", "city"])])
ORIGINAL = pl.DataFrame(
    {
        "age": ["20", "25", "40", "41", "66", "70"],
        "city": ["Oslo", "Turku", "Rome", "Bern", "Oslo", "Rome"],
        "ill": ["flu", "ok", "flu", "ok", "pox", "ok"],
    }
)


def adopted(
    released: pl.DataFrame, policy: d.Policy = POLICY, original: pl.DataFrame = ORIGINAL
) -> tuple[pl.DataFrame, tuple[str, ...], bool]:
    """What it is read as, the notes, and whether it then is true and keeps its promises."""
    source = open_table(original, policy)
    engine, notes = adopt(open_table(released, policy, released=True), policy, source)
    table = engine.native()
    assert isinstance(table, pl.DataFrame)
    return table, notes, check(engine, policy, source).holds


def test_as_arx_writes_it() -> None:
    released = ORIGINAL.with_columns(
        pl.Series("age", ["[20, 40[", "[20, 40[", "[40, 60[", "[40, 60[", "*", "*"]),
        pl.Series("city", ["North", "North", "South", "South", "*", "*"]),
    )
    table, notes, holds = adopted(released)
    assert table.equals(released), "all of it is read by verification itself"
    assert notes == ()
    assert holds
    assert not adopted(released.with_columns(pl.Series("age", ["[20, 40["] * 6)))[2]


def test_as_sdcmicro_writes_it() -> None:
    released = ORIGINAL.with_columns(
        pl.Series("age", ["(19,40]", "(19,40]", "(19,40]", None, None, None]),
        pl.Series("city", ["North", "North", None, None, None, None]),
    )
    policy = POLICY.model_copy(update={"protect": (d.KAnonymity(k=1, over=["age", "city"]),)})
    table, notes, holds = adopted(released, policy)
    assert table["age"].to_list() == ["(19,40]", "(19,40]", "(19,40]", "*", "*", "*"]
    assert notes == (
        "column 'age': 3 cells left blank are read as hidden",
        "column 'city': 4 cells left blank are read as hidden",
    )
    assert holds
    written = released.with_columns(pl.col("age", "city").fill_null("NA"))
    assert adopted(written, policy)[0].equals(table)


def test_as_people_write_it() -> None:
    policy = d.Policy(
        columns={"age": {"type": "number"}, "city": {"form": "set"}},
        recoding="local",
        protect=[d.KAnonymity(k=2, over=["age", "city"])],
    )
    released = ORIGINAL.with_columns(
        pl.Series("age", ["20-39", "20-39", "40 – 60", "40 – 60", "60+", "60+"]),
        pl.Series(
            "city", ["{Oslo,Turku}", "{Oslo,Turku}", "{Bern, Rome}", "{Bern, Rome}", "{Oslo,Rome}", "{Oslo,Rome}"]
        ),
    )
    table, notes, holds = adopted(released, policy)
    assert table["age"].to_list() == ["[20, 39]"] * 2 + ["[40, 60]"] * 2 + [">=60"] * 2
    assert table["city"].to_list()[::2] == ["{Oslo, Turku}", "{Bern, Rome}", "{Oslo, Rome}"]
    assert notes == (
        "column 'age': 6 cells of another tool are read as intervals, both ends of ranges included",
        "column 'city': 4 cells of another tool are read as sets",
    )
    assert holds


def test_rows_that_were_left_out() -> None:
    policy = POLICY.model_copy(update={"suppress": d.Suppress(rows="remove")})
    released = ORIGINAL[[0, 1, 4, 5]].with_columns(
        pl.Series("age", ["20-39", "20-39", ">=60", ">=60"]), pl.Series("city", ["North", "North", "", ""])
    )
    assert adopted(released, policy)[2]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("20-40", "[20, 40]"),
        ("20–40", "[20, 40]"),
        ("20 - 40", "[20, 40]"),
        ("20 to 40", "[20, 40]"),
        ("20..40", "[20, 40]"),
        ("-5 to -1", "[-5, -1]"),
        ("-5 - -1", "[-5, -1]"),
        ("[20.0, 40.50[", "[20, 40.5)"),
        ("[20;40]", "[20, 40]"),
        ("( 20 , 40 ]", "(20, 40]"),
        ("[1e+05,2e+05)", "[100000, 200000)"),
        ("(-Inf,20]", "<=20"),
        ("[65, Inf)", ">=65"),
        ("]65, ∞[", ">65"),
        ("40+", ">=40"),
        (">= 40", ">=40"),
        ("≤ 40", "<=40"),
        ("< 40.0", "<40"),
    ],
)
def test_notations_of_numbers(text: str, meaning: str) -> None:
    assert interval_text(text, Numbers()) == meaning


@pytest.mark.parametrize(
    "text",
    [
        "20,40",
        "40-20",
        "-5-1",
        "20-30-40",
        "a-b",
        "20-",
        "-20",
        "+",
        "<",
        "[20]",
        "[20, 30, 40]",
        "(-Inf, Inf)",
        "(Inf,20]",
        "20 40",
        "20/40",
        "1-2-3",
        "[-5--1]",
        "",
        "[]",
        "20--40",
        "about 40",
        "[1,5, 2,5]",
    ],
)
def test_what_could_mean_anything_is_not_read(text: str) -> None:
    assert interval_text(text, Numbers()) is None


@pytest.mark.parametrize(
    ("text", "form", "meaning"),
    [
        ("2024-01-01 to 2024-03-01", None, "[2024-01-01, 2024-03-01]"),
        ("2024-01-01 - 2024-03-01", None, "[2024-01-01, 2024-03-01]"),
        ("2024-01-01–2024-03-01", None, "[2024-01-01, 2024-03-01]"),
        ("01.01.2024–01.03.2024", "%d.%m.%Y", "[01.01.2024, 01.03.2024]"),
        ("2024-01-01-2024-03-01", None, None),
        ("2024-01", None, None),
        ("2024", None, None),
        ("< 2024-03-01", None, "<2024-03-01"),
        ("[2024-01-01;2024-03-01[", None, "[2024-01-01, 2024-03-01)"),
    ],
)
def test_notations_of_dates(text: str, form: str | None, meaning: str | None) -> None:
    assert interval_text(text, Dates(form)) == meaning


def test_two_ways_to_hide_are_not_one() -> None:
    """Readers can tell them apart: two rows here and two there are no group of four."""
    policy = POLICY.model_copy(update={"protect": (d.KAnonymity(k=3, over=["age", "city"]),)})
    hidden = pl.Series("age", ["NA", "NA", "NA", "", "", ""])
    table, notes, holds = adopted(ORIGINAL.with_columns(hidden, hidden.alias("city")), policy)
    assert sorted(table["age"].unique()) in (["", "*"], ["*", "NA"])
    assert not holds
    assert any("in several ways" in note and "3 cells are left as written" in note for note in notes)
    marked = pl.Series("age", ["*", "*", "*", "", "", ""])
    assert adopted(ORIGINAL.with_columns(marked))[0]["age"].to_list() == marked.to_list()


def test_two_ways_to_write_a_range_are_not_one() -> None:
    released = ORIGINAL.with_columns(pl.Series("age", ["20-70", "20-70", "20-70", "20–70", "[20, 70]", "[20, 70]"]))
    table, notes, holds = adopted(released)
    assert table["age"].to_list() == released["age"].to_list(), "the meaning has a text of its own already"
    assert any("4 cells could not be read" in note for note in notes)
    assert not holds


def test_a_root_is_hidden_where_nothing_else_is() -> None:
    table, notes, _ = adopted(ORIGINAL.with_columns(pl.lit("any").alias("city")))
    assert table["city"].unique().to_list() == ["*"]
    assert notes == ("column 'city': 6 cells with the root of the taxonomy are read as hidden",)
    mixed = ORIGINAL.with_columns(pl.Series("city", ["any"] * 3 + [None] * 3))
    assert adopted(mixed)[0]["city"].to_list() == ["any"] * 3 + ["*"] * 3


def test_what_the_original_has_is_left_alone() -> None:
    original = ORIGINAL.with_columns(pl.Series("city", ["Oslo", "NA", "Rome", "Bern", "Oslo", "Rome"]))
    policy = POLICY.model_copy(update={"missing": d.Missing(values=["NA"], rows="unknown")})
    released = original.with_columns(pl.Series("city", ["Oslo", "NA", "NA", "Bern", "Oslo", "Rome"]))
    table, notes, _ = adopted(released, policy, original)
    assert table.equals(released)
    assert any("1 cell more is blank than in the original" in note for note in notes)


def test_labels_need_a_taxonomy() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["age", "city"])])
    released = ORIGINAL.with_columns(pl.lit("[20, 70[").alias("age"), pl.lit("Europe").alias("city"))
    _, notes, holds = adopted(released, policy)
    assert [note.split(";")[0] for note in notes] == [
        "column 'age': 6 cells could not be read",
        "column 'city': 6 cells could not be read",
    ]
    assert all("give a taxonomy for column" in note for note in notes)
    assert not holds
    _, notes, _ = adopted(ORIGINAL.with_columns(pl.lit("Europe").alias("city")))
    assert any("add the labels to the taxonomy" in note for note in notes)


def test_notes_have_no_value() -> None:
    released = ORIGINAL.with_columns(
        pl.lit("20-secret").alias("age"), pl.lit("Atlantis").alias("city"), pl.lit("plague").alias("ill")
    )
    _, notes, _ = adopted(released)
    assert notes
    assert not any(word in note for note in notes for word in ("secret", "Atlantis", "plague"))


TEXTS = ["*", "", "NA", None, "**", "20-40", "20–40", "[20, 40]", "20 to 40", "40+", ">=40", "30", "x", "[20.0,40]"]


@given(st.lists(st.sampled_from(TEXTS), min_size=6, max_size=6), st.sampled_from(["*", "-", "hidden"]))
def test_different_texts_stay_different(ages: Sequence[str | None], marker: str) -> None:
    policy = POLICY.model_copy(update={"marker": marker})
    released = ORIGINAL.with_columns(pl.Series("age", ages, dtype=pl.String))
    found = adopted(released, policy)[0]["age"].to_list()
    pairs = set(zip(ages, found, strict=True))
    assert len(pairs) == len(set(ages)) == len(set(found))


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_any_kind_of_table(kind: str) -> None:
    from tests.kinds import KINDS, to_rows

    released = ORIGINAL.with_columns(pl.Series("age", ["20-39"] * 2 + ["40-49"] * 2 + [None] * 2))
    source = open_table(KINDS[kind](ORIGINAL), POLICY)
    engine, _ = adopt(open_table(KINDS[kind](released), POLICY, released=True), POLICY, source)
    assert [row[0] for row in to_rows(engine.native())] == ["[20, 39]"] * 2 + ["[40, 49]"] * 2 + ["*"] * 2
