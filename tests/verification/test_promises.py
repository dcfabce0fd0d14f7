"""Verification accepts true releases and rejects every broken one, by its own counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from tests.jobs import Job, bank, bank_policy, inferences, jobs, two_templates
from tests.reference.disclosure import confidence


def released() -> pl.DataFrame:
    table = d.protect(bank(), bank_policy()).table
    assert isinstance(table, pl.DataFrame)
    return table


def with_cell(frame: pl.DataFrame, row: int, column: str, value: str | None) -> pl.DataFrame:
    cells = frame.get_column(column).to_list()
    cells[row] = value
    return frame.with_columns(pl.Series(column, cells, dtype=pl.String))


TRADERS = [row for row, job in enumerate(bank().get_column("Job")) if job == "Trader"]


def traders_back(frame: pl.DataFrame) -> pl.DataFrame:
    """Both hidden values put back for the five traders in the UK: 4 of 5 are discharged."""
    original = bank()
    uk = (original["Job"] == "Trader") & (original["Country"] == "UK")
    return frame.with_columns(
        pl.when(uk).then(original[name]).otherwise(pl.col(name)).alias(name) for name in ("Job", "Country")
    )


BROKEN: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], str]] = {
    "values put back": (traders_back, "protect"),
    "one count over the threshold": (
        # 5 of 10 unknown rows are discharged; naming three of those who are not leaves 5 of 7, four leave 5 of 6.
        lambda frame: frame.with_columns(
            pl.when((pl.col("Job") == "*") & (pl.col("Bankruptcy") == "Never") & (pl.int_range(pl.len()) != 22))
            .then(bank()["Job"])
            .otherwise(pl.col("Job"))
            .alias("Job")
        ),
        "protect",
    ),
    "a value changed to another true value": (lambda frame: with_cell(frame, 0, "Job", "Artist"), "'Job': 1 cell is"),
    "a value nobody has": (lambda frame: with_cell(frame, 3, "Country", "Mars"), "'Country': 1 cell is"),
    "a sensitive value changed": (lambda frame: with_cell(frame, 0, "Bankruptcy", "Never"), "'Bankruptcy': 1 cell is"),
    "the class changed": (lambda frame: with_cell(frame, 0, "Rating", "G"), "'Rating': 1 cell is"),
    "a cell that may not be hidden": (lambda frame: with_cell(frame, 0, "Child", "*"), "'Child': 1 cell is"),
    "a hidden value made missing": (lambda frame: with_cell(frame, TRADERS[0], "Job", None), "'Job': 1 cell is"),
    "a row dropped": (lambda frame: frame.slice(1), "23 rows, expected 24"),
    "a row added": (lambda frame: pl.concat([frame, frame.slice(0, 1)]), "25 rows, expected 24"),
    "two rows exchanged": (lambda frame: pl.concat([frame[6:7], frame[1:6], frame[0:1], frame[7:]]), "first in row 1"),
    "a column left out": (lambda frame: frame.drop("Child"), "'Child' is not in the release"),
    "a column added": (lambda frame: frame.with_row_index("id"), "'id' of the release"),
    "columns in another order": (lambda frame: frame.select(sorted(frame.columns)), "another order"),
}


def test_the_true_release_is_accepted() -> None:
    found = d.verify(released(), bank_policy(), original=bank())
    assert found.holds
    assert found.truthful.answer is d.Answer.HOLDS


@pytest.mark.parametrize("name", BROKEN)
def test_hand_broken_releases_are_rejected(name: str) -> None:
    spoil, expected = BROKEN[name]
    found = d.verify(spoil(released()), bank_policy(), original=bank())
    assert not found.holds
    if expected == "protect":
        assert found.requirements[0].answer is d.Answer.BROKEN
        assert found.truthful.answer is d.Answer.HOLDS  # nothing but the promise is broken
    else:
        assert any(expected in problem for problem in found.truthful.problems)


def test_one_count_decides() -> None:
    """Exactly at the limit holds; one row more is broken."""
    policy = bank_policy("5/6")
    spoiled = BROKEN["one count over the threshold"][0](released())
    found = d.verify(spoiled, policy)
    assert found.requirements[0].worst
    assert (found.requirements[0].worst.share, found.holds) == (Fraction(5, 6), True)
    assert not d.verify(spoiled, bank_policy("0.8333333333333333")).holds


def test_worst_group_as_counts_and_exact_share() -> None:
    found = d.verify(bank(), bank_policy()).requirements[0]
    assert found.worst
    assert found.worst.group == {"Job": "Trader", "Country": "UK"}
    assert (found.worst.hits, found.worst.rows, found.worst.share) == (4, 5, Fraction(4, 5))
    hidden = bank().with_columns(pl.lit("*").alias("Job"), pl.lit("*").alias("Country"))
    worst = d.verify(hidden, bank_policy()).requirements[0].worst
    assert worst
    assert worst.to_dict()["share"] == "5/24"


def test_json_form() -> None:
    document = json.loads(d.verify(released(), two_templates("75%")).to_json())
    assert set(document) == {"holds", "requirements", "truthful"}
    assert [(r["index"], r["kind"], r["answer"]) for r in document["requirements"]] == [
        (0, "template", "holds"),
        (1, "template", "holds"),
    ]
    assert document["requirements"][0]["worst"]["share"] == "1/2"
    assert document["truthful"]["answer"] == "not checkable"


def test_a_table_without_the_column_is_not_checkable() -> None:
    found = d.verify(released().rename({"Job": "Jobs"}), bank_policy())
    assert not found.holds
    assert found.requirements[0].answer is d.Answer.NOT_CHECKABLE
    assert found.requirements[0].reason == "the table has no column 'Job'; did you mean 'Jobs'?"


def test_hidden_sensitive_cells_count_as_unknown() -> None:
    """3 known rows, 2 of them ill, 1 hidden: 2/3 counts (not 2/4), and 3/4 is reported as the worst case."""
    table = pl.DataFrame({"job": ["a"] * 4, "ill": ["yes", "yes", "no", "*"]})
    template = d.Template(given=["job"], infer={"ill": "yes"}, at_most="60%")
    worst = d.verify(table, d.Policy(protect=[template])).requirements[0].worst
    assert worst
    assert (worst.share, worst.worst_case, worst.hidden) == (Fraction(2, 3), Fraction(3, 4), 1)
    assert not d.verify(table, d.Policy(protect=[template])).holds
    as_value = d.Policy(protect=[template], missing=d.Missing(values=("*",), rows="value"))
    assert d.verify(table, as_value).holds


def test_identifiers_may_not_be_in_a_release() -> None:
    policy = d.Policy(
        protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="1")],
        columns={"name": d.Column(role="identifier")},
    )
    table = pl.DataFrame({"name": ["x"], "job": ["a"], "ill": ["yes"]})
    assert d.verify(table, policy).truthful.problems == ("column 'name' should have been left out",)
    assert d.verify(table.drop("name"), policy, original=table).holds


@given(jobs())
def test_counts_like_the_slow_reference(job: Job) -> None:
    """The verifier's worst share is the reference's, on any table, with missing values and odd texts."""
    for finding, inference in zip(d.verify(job.frame, job.policy).requirements, inferences(job.policy), strict=True):
        expected = confidence(job.columns, job.rows, inference.given, inference.column, inference.value)
        assert finding.worst
        assert finding.worst.share == expected
        assert (finding.answer is d.Answer.HOLDS) == (expected <= inference.at_most)


@given(jobs(), st.data())
def test_no_false_cell_survives(job: Job, data: st.DataObject) -> None:
    """Change any cell of a release to any other text: the truth is checked cell by cell."""
    try:
        table = d.protect(job.frame, job.policy).table
    except d.ImpossiblePromise:
        return
    assert isinstance(table, pl.DataFrame)
    row = data.draw(st.integers(0, len(table) - 1))
    column = data.draw(st.sampled_from(job.columns))
    false = data.draw(st.sampled_from(["p", "yes", "1", "", "zebra", None]))
    if false in (table[row, column], job.frame[row, column]):
        return
    assert not d.verify(with_cell(table, row, column, false), job.policy, original=job.frame).holds


def test_unknown_sensitive_values_count_neither_way() -> None:
    """'?' and a blank cell tell nothing: 1 ill of 2 known, at worst 3 of 4."""
    table = pl.DataFrame({"job": ["a"] * 4, "ill": ["yes", "no", "?", None]})
    template = d.Template(given=["job"], infer={"ill": "yes"}, at_most="40%")
    policy = d.Policy(protect=[template], missing=d.Missing(values=("?",), rows="unknown"))
    worst = d.verify(table, policy).requirements[0].worst
    assert worst
    assert (worst.share, worst.worst_case, worst.hidden) == (Fraction(1, 2), Fraction(3, 4), 2)
    with pytest.raises(d.ImpossiblePromise, match="still 1/2"):
        d.protect(table, policy)
    as_values = d.Policy(protect=[template], missing=d.Missing(values=("?",), rows="value"))
    assert d.protect(table, as_values).audit.verification.holds  # 1 of 4
    with pytest.raises(d.PolicyError, match="cannot be unknown"):
        d.Policy(
            protect=[d.Template(given=["job"], infer={"ill": "?"}, at_most="1/2")],
            missing=d.Missing(values=("?",), rows="unknown"),
        )


@pytest.mark.parametrize("values", [["true", "true"], [True, True], [1, 1]])
def test_a_value_that_occurs_nowhere_is_not_checkable(values: list[object]) -> None:
    """'True' may be absent, misspelt, or typed otherwise in this table: nobody can say that the promise holds."""
    table = pl.DataFrame({"job": ["a", "a"], "ill": values})
    template = d.Template(given=["job"], infer={"ill": "True"}, at_most="50%")
    found = d.verify(table, d.Policy(protect=[template]))
    assert found.requirements[0].answer is d.Answer.NOT_CHECKABLE
    assert "spelt, typed and encoded" in (found.requirements[0].reason or "")
    assert not found.holds


@pytest.mark.parametrize("rows", ["drop", "unknown"])
def test_a_marker_declared_missing_stays_hidden(rows: str) -> None:
    """Hidden cells are not 'no': 1 of 1 known row is ill, whatever else the marker is called."""
    table = pl.DataFrame({"job": ["a"] * 3, "ill": ["yes", "*", "*"]})
    template = d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%")
    policy = d.Policy(protect=[template], missing=d.Missing(values=("*", "?"), rows=rows))
    assert not d.verify(table, policy).holds


def test_a_value_that_the_original_has_is_checkable() -> None:
    """In a sample, or where rows were removed, nobody may have the value any more; it is not misspelt for that."""
    original = pl.DataFrame({"job": ["a", "a", "b"], "ill": ["no", "no", "yes"]})
    policy = d.Policy(
        protect=[
            d.KAnonymity(k=2, over=["job"]),
            d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%"),
        ],
        suppress={"rows": "remove"},
        search="coordinate",
    )
    assert d.verify(original[:2], policy).requirements[1].answer is d.Answer.NOT_CHECKABLE
    assert d.verify(original[:2], policy, original=original).holds
