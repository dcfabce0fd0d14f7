"""Promises about vectors of counts at their edges: hidden, coarse, missing, new, single and very many values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.assist.check import check_policy
from tests.jobs import by
from tests.profiles import NIGHTLY, size
from tests.table.engines import frame_of

SEARCHES = ["disclosure", "coordinate", "exact", "local"]


def frame(**columns: Sequence[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def asks(item: dict[str, Any], **more: Any) -> d.Policy:
    known = {"given" if "infer" in item else "over": ["job"]}
    return d.Policy.from_dict({"protect": [{**item, **known}], **more})


ITEMS: list[dict[str, Any]] = [
    {"infer": {"ill": {"any": True}}, "at_most": "60%"},
    {"infer": {"ill": {"any": True}}, "at_most": "1.6x"},
    {"l": 2, "of": "ill", "kind": "entropy"},
    {"l": 2, "of": "ill", "kind": "recursive", "c": 2},
    {"t": "10%", "of": "ill"},
]
FOUR = frame(job=["p", "p", "q", "q"], ill=["flu", "cold", "flu", "cold"])


@pytest.mark.parametrize("item", ITEMS, ids=str)
def test_a_group_of_which_nothing_is_known_keeps_it(item: dict[str, Any]) -> None:
    table = pl.concat([FOUR, frame(job=["r", "r"], ill=["*", "*"])])
    assert d.verify(table, asks(item)).holds
    missing = {"values": ["?"], "rows": "unknown"}
    unknown = pl.concat([FOUR, frame(job=["r", "r"], ill=["?", None])])
    assert d.verify(unknown, asks(item, missing=missing)).holds
    for search in SEARCHES:
        assert d.protect(unknown, asks(item, missing=missing, **by(search))).audit.verification.holds


@pytest.mark.parametrize("item", ITEMS[2:], ids=str)
def test_a_released_group_of_the_taxonomy_breaks_l_and_t(item: dict[str, Any]) -> None:
    tree = {"any": {"HIV": ["HIV-1", "HIV-2"], "other": ["flu", "cold"]}}
    table = pl.concat([FOUR, frame(job=["p", "q"], ill=["HIV", "HIV"])])
    (finding,) = d.verify(table, asks(item, columns={"ill": {"taxonomy": tree}})).requirements
    assert finding.answer == "broken"
    assert "coarser" in str(finding.worst)


@pytest.mark.parametrize("item", ITEMS, ids=str)
def test_new_rows_are_counted_for_themselves(item: dict[str, Any]) -> None:
    plan = d.Plan.from_json(d.protect(FOUR, asks(item, search="coordinate")).plan.to_json())
    new = frame(job=["p", "p", "q", "q"], ill=["hiv", "ulcer", "ulcer", "hiv"])
    assert plan.apply(new).audit.verification.holds  # values that the plan has not seen
    with pytest.raises(d.InputError):
        plan.apply(new.drop("ill"))


@pytest.mark.parametrize("search", SEARCHES)
def test_one_value(search: str) -> None:
    table = frame(job=["p", "p", "q"], ill=["flu"] * 3)
    for item in ({"t": "0%", "of": "ill"}, {"infer": {"ill": {"any": True}}, "at_most": "1.01x"}):
        assert frame_of(d.protect(table, asks(item, **by(search))).table).equals(table)
    for item in ITEMS[0], ITEMS[2], ITEMS[3]:
        with pytest.raises(d.ImpossiblePromise, match="cannot be kept"):
            d.protect(table, asks(item, **by(search)))


@pytest.mark.parametrize("search", SEARCHES)
def test_no_distance_at_all(search: str) -> None:
    """t = 0: every group is exactly like the whole."""
    assert frame_of(d.protect(FOUR, asks({"t": 0, "of": "ill"}, **by(search))).table).equals(FOUR)
    uneven = frame(job=["p", "p", "q"], ill=["flu", "cold", "flu"])
    assert frame_of(d.protect(uneven, asks({"t": 0, "of": "ill"}, **by(search))).table)["job"].to_list() == ["*"] * 3


def test_the_best_possible_distance_is_not_0_where_a_column_cannot_change() -> None:
    table = frame(job=["p", "p", "q", "q"], sex=["m", "m", "f", "f"], ill=["flu", "flu", "flu", "cold"])
    policy = d.Policy.from_dict({
        "protect": [
            {"t": "10%", "of": "ill", "over": ["job", "sex"]},
            {"infer": {"sex": "m"}, "given": ["job"], "at_most": "100%"},
        ]
    })  # fmt: skip
    with pytest.raises(d.ImpossiblePromise, match="25%"):
        d.protect(table, policy)


def test_more_values_than_there_are() -> None:
    recursive = {"l": 5, "of": "ill", "kind": "recursive", "c": 9}
    for item, best in (({"l": 5, "of": "ill", "kind": "entropy"}, "l of 2"), (recursive, "fewer than 5")):
        with pytest.raises(d.ImpossiblePromise, match=best):
            d.protect(FOUR, asks(item))


@pytest.mark.parametrize("times", ["1x", "0.5x", "x", "-2x", "1/0x", "2x%", "1e3x"])
def test_times_must_be_above_1(times: str) -> None:
    with pytest.raises(d.PolicyError, match="at_most"):
        asks({"infer": {"ill": "flu"}, "at_most": times})


def test_the_text_of_times_is_kept() -> None:
    policy = asks({"infer": {"ill": "flu"}, "at_most": "3/2x"})
    assert policy.to_dict()["protect"][0]["at_most"] == "3/2x"  # type: ignore[index]
    assert d.Policy.from_dict(policy.to_dict()) == policy
    assert asks({"infer": {"ill": "any"}, "at_most": "50%"}).templates()[0].value == "any"  # a bare any is a value


@pytest.mark.slow
def test_very_many_values_work_or_are_refused_before_memory_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = size(4_000, nightly=20_000)
    if not NIGHTLY:
        monkeypatch.setattr("discreet.planning.limits.MOST_TALLIES", 1_000_000)
    many = pl.DataFrame({"job": [str(n % 40) for n in range(rows)], "ill": [str(n % (rows // 2)) for n in range(rows)]})
    for item in ({"t": "30%", "of": "ill"}, {"infer": {"ill": {"any": True}}, "at_most": "50%"}):
        assert d.verify(many.head(400), asks(item)).requirements
        assert d.protect(many, asks(item, search="coordinate")).audit.verification.holds
    wide = many.with_columns(job=pl.Series([str(n) for n in range(rows)]))
    with pytest.raises(d.InputError, match=f"{rows // 2} different values, too many to count in {rows} different rows"):
        d.protect(wide, asks({"t": "30%", "of": "ill"}, search="coordinate"))


def test_what_does_not_fit_the_column_is_said() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"t": "10%", "of": "ill", "distance": "tree"}, {}, "needs a taxonomy"),
        ({"t": "10%", "of": "ill", "distance": "ordered"}, {}, "needs an order"),
        ({"t": "10%", "of": "ill", "order": ["flu", "hiv"]}, {}, "leaves out 1 of the 2"),
        ({"infer": {"ill": {"within": 3}}, "at_most": "50%"}, {}, "write type: number"),
        ({"infer": {"ill": {"within": "3 days"}}, "at_most": "50%"}, {"ill": {"type": "number"}}, "such as 10000"),
        ({"infer": {"ill": {"within": 3}}, "at_most": "50%"}, {"ill": {"type": "number"}}, "are no number"),
        ({"infer": {"ill": {"any_but": ["fly"]}}, "at_most": "50%"}, {}, "check the spelling"),
    ]
    for item, columns, says in cases:
        with pytest.raises(d.PolicyError, match=says) as refused:
            d.protect(FOUR, asks(item, columns=columns))
        assert "cold" not in str(refused.value)


def test_rows_that_are_removed_move_what_groups_are_compared_with() -> None:
    """Without r the rest is like itself; with it nothing was."""
    table = frame(job=["p"] * 4 + ["q"] * 4 + ["r"] * 2, ill=["flu", "flu", "cold", "cold"] * 2 + ["hiv", "hiv"])
    for item in ({"t": "0%", "of": "ill"}, {"infer": {"ill": {"any": True}}, "at_most": "1.1x"}):
        policy = asks(item, search="coordinate", suppress={"rows": "remove"})
        try:
            release = d.protect(table, policy)
        except d.PromiseError:
            continue
        assert d.verify(release.table, policy).holds


@pytest.mark.parametrize("item", ITEMS, ids=str)
def test_the_frontier_and_the_check_know_it(item: dict[str, Any], tmp_path: Any) -> None:
    table = frame(job=["p", "p", "p", "q", "q", "q"], ill=["flu", "cold", "flu", "cold", "cold", "flu"])
    found = d.frontier(table, asks(item, search="coordinate"))
    assert any(point.possible for point in found.points)
    assert all(found.name_of(point.threshold) for point in found.points)
    path = tmp_path / "t.csv"
    table.write_csv(path)
    checked = check_policy(asks(item), path)
    assert "job" in checked.promises[0].made.in_words()
