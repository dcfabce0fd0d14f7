"""Method statements that lie, or are not whole: found out, in words."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.plan.blind_statement import BlindStatement, read_statement
from tests.blind_tables import policy, table, with_cells

TREE = {"any": {"work": ["cook", "clerk", "nurse"], "other": ["a", "b", "c"]}}


def wide_table() -> pl.DataFrame:
    """Return a table with a desk, a number and a date besides."""
    draw, frame = random.Random(5), table()
    ages = [str(draw.randrange(20, 80)) for _ in range(len(frame))]
    days = [f"20{draw.randrange(10, 24)}-0{draw.randrange(1, 10)}-11" for _ in range(len(frame))]
    desks = [f"desk {draw.randrange(30)}" for _ in range(len(frame))]
    return frame.with_columns(desk=pl.Series(desks), age=pl.Series(ages), day=pl.Series(days))


def released(said: dict[str, Any]) -> tuple[d.Policy, Any, BlindStatement]:
    asked = d.Policy.from_dict({"protect": [said], "columns": {"job": {"taxonomy": TREE}}})
    made = d.protect(wide_table(), asked)
    assert made.statement is not None
    assert d.verify(made.table, asked, statement=made.statement).holds
    return asked, made.table, made.statement


BY_ROWS = {"column": "ill", "rows": [3, 11, 40, 77], "at_most": "50%", "rehearse": False}
BY_DESK = {"column": "ill", "where": {"desk": ["desk 3"]}, "at_most": "60%", "rehearse": False}


def changed(statement: BlindStatement, **parts: Any) -> BlindStatement:
    return replace(statement, rows=(replace(statement.rows[0], **parts), *statement.rows[1:]))


@pytest.mark.parametrize("said", [{**BY_ROWS, "blocks": "told"}, BY_DESK])
def test_whatever_a_statement_says_there_is_an_answer(said: dict[str, Any]) -> None:
    asked, frame, statement = released(said)
    draw, kinds = random.Random(7), {"refused": 0, "broken": 0}
    odd: list[Any] = [
        None,
        0,
        -1,
        10**30,
        0.5,
        float("nan"),
        "",
        "*",
        "ill",
        "job",
        "2/5",
        "1/0",
        "none",
        "%Q",
        [],
        {},
        [[]],
        ["x"],
    ]
    for _ in range(120):
        said = copy.deepcopy(json.loads(statement.to_json()))
        place: Any = said
        while True:  # down to some part
            key = draw.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not place[key] or not isinstance(place[key], (dict, list)) or draw.random() < 0.3:
                break
            place = place[key]
        place[key] = draw.choice(odd)
        try:
            found = d.verify(frame, asked, statement=read_statement(said))
        except d.InputError:
            kinds["refused"] += 1
        else:
            kinds["broken"] += not found.holds
    assert min(kinds.values()) > 10


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("rows", ()),
        ("rows", (3, 3)),
        ("limits", ((),)),
        ("predictors", ("job", "job")),
        ("predictors", ("ill",)),
        ("known", ("nowhere",)),
    ],
)
def test_a_statement_whose_parts_do_not_hang_together_is_not_read(part: str, value: Any) -> None:
    _, _, statement = released(BY_ROWS)
    with pytest.raises(d.InputError, match="not a whole method statement"):
        read_statement(json.loads(changed(statement, **{part: value}).to_json()))


def test_a_row_stands_in_a_statement_once() -> None:
    _, _, statement = released(BY_ROWS)
    twice = replace(statement, rows=statement.rows * 2)
    with pytest.raises(d.InputError, match="not a whole method statement"):
        read_statement(json.loads(twice.to_json()))


def reason(frame: Any, asked: d.Policy, statement: BlindStatement) -> str:
    found = d.verify(frame, asked, statement=statement).requirements[0]
    assert str(found.answer) == "broken"
    return str(found.reason)


def test_who_bounds_other_predictors_than_the_policy_is_found_out() -> None:
    said = {**BY_ROWS, "predictors": ["job", "sex", "town"]}
    _, frame, statement = released(said)
    fewer = d.Policy.from_dict(
        {"protect": [{**said, "predictors": ["job", "sex"]}], "columns": {"job": {"taxonomy": TREE}}}
    )
    assert "takes 'town' for a predictor, and the policy does not" in reason(frame, fewer, statement)


def test_rows_that_a_column_chooses_are_known_from_the_release_alone() -> None:
    asked, frame, statement = released(BY_DESK)
    rows = statement.rows[0].rows
    assert "other rows" in reason(frame, asked, changed(statement, rows=rows[1:]))
    others = next(row for row in range(1, frame.height + 1) if frame["desk"][row - 1] != "desk 3")
    assert "other rows" in reason(frame, asked, changed(statement, rows=(*rows, others)))


def test_classes_that_cannot_be_read_are_found_out() -> None:
    asked, frame, statement = released(BY_ROWS)
    age = replace(statement.columns["age"], cuts=("30", "old"))
    assert "cannot be read" in reason(frame, asked, replace(statement, columns={**statement.columns, "age": age}))


def test_too_little_to_learn_from_is_found_out() -> None:
    frame, rows = table(rows=200), (3,)
    asked = policy(rows=rows, rehearse=False)
    hidden = with_cells(frame, "ill", {3: "*"})
    made = d.protect(table(rows=240), asked)
    assert made.statement is not None
    assert "too few" in reason(hidden, asked, made.statement)


def test_a_known_cell_that_reads_like_the_marker_is_no_hidden_one() -> None:
    frame = with_cells(table(), "sex", {3: "*"})
    more = {"rows": "unknown", "values": ["*"]}
    for stars in (frame, with_cells(frame, "sex", {9: "*", 20: "*"})):
        asked = d.Policy.from_dict({**policy(rows=(3, 11), known=["sex"], rehearse=False).to_dict(), "missing": more})
        made = d.protect(stars, asked)
        assert isinstance(made.table, pl.DataFrame)
        assert d.verify(made.table, asked, statement=made.statement).holds
        assert d.verify(made.table, asked, stars, statement=made.statement).holds
        hidden = with_cells(made.table, "sex", {11: "*"})
        assert not d.verify(hidden, asked, stars, statement=made.statement).holds
