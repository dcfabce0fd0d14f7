"""The risk before and after: exact at the threshold, the worst groups first, every row somewhere in the spread."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.audit.risk import Risk, risks
from discreet.table.source import open_table
from tests.reference import risks as reference

COLUMNS = ["job", "town", "ill"]
Rows = list[tuple[str | None, str | None, str]]


def policy_of(limit: str = "1/3", k: int = 3) -> d.Policy:
    template = d.Template(given=["job", "town"], infer={"ill": ["flu", "pox"]}, at_most=limit)
    return d.Policy(
        protect=[template, d.KAnonymity(k=k, over=["job", "town"])],
        missing=d.Missing(values=["?"], rows="unknown"),
    )


def frame(rows: Sequence[Sequence[str | None]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def found(released: pl.DataFrame, original: pl.DataFrame, policy: d.Policy, most: int = 10) -> tuple[Risk, ...]:
    return risks(open_table(released, policy, released=True), open_table(original, policy), policy, most)


CELLS = st.tuples(
    st.sampled_from(["a", "b", "*", None]),
    st.sampled_from(["x", "y", "*"]),
    st.sampled_from(["flu", "pox", "*", "?", "-"]),
)


@given(
    st.lists(CELLS, min_size=1, max_size=30), st.integers(1, 8), st.integers(1, 5), st.sampled_from(["1/3", "50%", "1"])
)
def test_risks_are_the_plain_ones(rows: Rows, most: int, k: int, limit: str) -> None:
    policy = policy_of(limit, k)
    flu, pox, crowd = found(frame(rows), frame(rows[:5]), policy, most)
    for risk, value in ((flu, "flu"), (pox, "pox")):
        groups = reference.template(rows, value, ["*", "?", None])
        before = reference.template(rows[:5], value, ["*", "?", None])
        assert risk.above_after == reference.above(groups, Fraction(limit.replace("50%", "1/2")))
        assert risk.above_before == reference.above(before, Fraction(limit.replace("50%", "1/2")))
        _worst_are(risk, groups, most)
        counts = [0] * 21
        for share, size, _, _ in groups:
            counts[int(share * 20)] += size
        assert list(risk.spread_after.rows) == counts
        assert risk.groups_after == len(groups)
    groups = reference.crowd(rows)
    assert crowd.above_after == reference.above(groups, Fraction(1, k))
    _worst_are(crowd, groups, most)
    assert sum(crowd.spread_after.rows) == len(rows)
    under = sum(count for end, count in zip(crowd.spread_after.ends, crowd.spread_after.rows, strict=True) if end < k)
    assert under == crowd.above_after, "k is one of the ends"
    first = [finding.worst for finding in d.verify(frame(rows), policy).requirements]
    assert [risk.worst_after[0] for risk in (flu, pox, crowd)] == first, "as verification says"


def _worst_are(risk: Risk, groups: Sequence[reference.Share], most: int) -> None:
    shown = [
        (worst.share, worst.rows, tuple(text or "" for text in worst.group.values()), worst.hits)
        for worst in risk.worst_after
    ]
    assert shown == list(groups[:most])


def test_the_threshold_itself_is_kept() -> None:
    rows = [("a", "x", "flu"), ("a", "x", "-"), ("a", "x", "-")]
    assert found(frame(rows), frame(rows), policy_of("1/3"))[0].above_after == 0
    assert found(frame(rows), frame(rows), policy_of("0.333333333333333333"))[0].above_after == 3
    assert found(frame(rows), frame(rows), policy_of("1/3"))[0].limit == "1/3"


def test_hidden_cells_are_no_reason_to_be_calm() -> None:
    rows = [("a", "x", "flu"), ("a", "x", "*"), ("a", "x", "*"), ("b", "x", "*")]
    risk = found(frame(rows), frame(rows), policy_of("1/2"))[0]
    assert risk.above_after == 3, "1 of 1 known"
    assert risk.worst_after[0].hidden == 2
    assert risk.worst_after[1].share == 0


def test_columns_that_the_release_lacks_are_left_out() -> None:
    rows = [("a", "x", "flu")]
    assert [risk.kind for risk in found(frame(rows).drop("ill"), frame(rows), policy_of())] == ["k-anonymity"]


def test_confidential_cells_have_no_groups() -> None:
    rows = [("a", "x", "flu"), ("a", "y", "pox"), ("b", "x", "-")]
    policy = d.Policy(protect=[d.Confidential(column="ill", rows=[1], predictors=["job"], against=["naive_bayes"])])
    assert found(frame(rows), frame(rows), policy) == ()


def test_k_in_the_whole_table_counts_what_is_covered() -> None:
    original = frame([("a", "x", "-")] * 3 + [("b", "x", "-"), ("b", "y", "-")])
    policy = d.Policy(
        protect=[d.KAnonymity(k=3, over=["job", "town"])],
        release=d.ReleaseOptions(sample="60%", k_on="population"),
    )
    (risk,) = found(frame([("a", "x", "-"), ("b", "x", "-"), ("b", "*", "-")]), original, policy)
    assert risk.above_after == 2
    assert [(worst.rows, worst.share) for worst in risk.worst_after] == [
        (1, Fraction(1, 1)),
        (2, Fraction(1, 2)),
        (3, Fraction(1, 3)),
    ]


def test_plain_data() -> None:
    rows = [("a", "x", "flu"), ("b", "y", "-")]
    told = found(frame(rows), frame(rows), policy_of())[0].to_dict()
    assert told["above"] == {"before": 1, "after": 1}
    assert told["limit"] == "1/3"


@pytest.mark.parametrize("rows", [0, 200_000])
def test_many_groups_and_none(rows: int) -> None:
    numbers = np.arange(rows)
    table = pl.DataFrame({"job": (numbers // 2).astype(str), "town": (numbers % 7).astype(str), "ill": ["flu"] * rows})
    table = table.cast(dict.fromkeys(COLUMNS, pl.String))
    policy = policy_of()
    flu, _, crowd = found(table, table, policy)
    assert flu.above_after == crowd.above_after == rows
    assert len(flu.worst_after) == min(rows, 10)
