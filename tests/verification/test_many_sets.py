"""Many sets of known columns, read at once, are counted as the engine counts them one by one."""

from __future__ import annotations

from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.table.source import open_table
from discreet.verification import many_sets
from discreet.verification.worst_groups import worst_of

NAMES = ["a", "b", "c", "d", "e"]
OVER = {"any": 2, "of": NAMES}
PROMISES = [
    {"k": 2, "over": OVER},
    {"infer": {"ill": ["x", "y"]}, "given": OVER, "at_most": "50%"},
    {"l": 2, "of": "ill", "over": OVER},
]


@given(
    st.lists(
        st.tuples(*[st.sampled_from(["1", "2", "", None])] * 5, st.sampled_from(["x", "y", "*", None])), min_size=1
    ),
    st.sampled_from(PROMISES),
)
def test_the_worst_group_is_that_of_the_sets_one_by_one(
    rows: list[tuple[str | None, ...]], promise: dict[str, object]
) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys([*NAMES, "ill"], pl.String), orient="row")
    policy = d.Policy.from_dict({"protect": [promise]})
    made = list(policy.promises())
    table = open_table(frame, policy)
    found = worst_of(table, policy, made[0].given, made)
    with mock.patch.object(many_sets, "FEWEST_SETS", 11):
        assert found == worst_of(table, policy, made[0].given, made)


def test_columns_whose_numbers_do_not_fit_are_numbered_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({name: [str(row % (place + 2)) for row in range(24)] for place, name in enumerate(NAMES)})
    read = many_sets.ReadOnce(open_table(frame, d.Policy(protect=[d.KAnonymity(k=2, over=NAMES)])), NAMES)
    expected = read.recount(NAMES, None, (), ())
    monkeypatch.setattr(many_sets, "_LARGEST", 10)
    found = read.recount(NAMES, None, (), ())
    assert sorted(zip(found.texts.rows(), found.rows, strict=True)) == sorted(
        zip(expected.texts.rows(), expected.rows, strict=True)
    )
    assert len(found.rows) == frame.n_unique()


def test_check_says_beforehand_that_there_are_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({name: [str(row % (place + 2)) for row in range(24)] for place, name in enumerate(NAMES)})
    policy = d.Policy.from_dict({"protect": [{"k": 2, "over": OVER}]})
    assert not any("sets" in warning for warning in d.check(policy, frame).warnings)
    monkeypatch.setattr("discreet.fit.many_sets.MANY_COUNTED", 100)
    (warning,) = [warning for warning in d.check(policy, frame).warnings if "sets" in warning]
    assert warning.startswith(
        "any 2 of 5 columns are 10 sets, and each step of the search counts 24 rows in all of them"
    )
    assert warning.endswith("or write any: 1 (5 sets)")
