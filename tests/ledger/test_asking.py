"""`check` and `frontier` beside earlier releases: what a release would meet, and what it would come to."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import discreet as d
from tests.ledger.test_over_time import publish, table

FIRST = table(id=" ".join(f"p{n}" for n in range(24)), age="x y z " * 8, job="1 1 1 2 2 2 " * 4)
K3 = {"protect": [{"k": 3, "over": ["age", "job"]}]}
LATER = pl.concat([FIRST[1:], table(id="new", age="x", job="1")])


def test_check_says_who_would_be_met(tmp_path: Path) -> None:
    kept = {"ledger": tmp_path / "ledger", "person": "id"}
    first = d.check(K3, FIRST, **kept)  # type: ignore[arg-type]
    assert first.over_time is not None
    assert (first.over_time.releases, first.over_time.new, first.possible) == ((), 24, True)
    assert not (tmp_path / "ledger").exists()  # nothing is released, so nothing is kept
    publish(tmp_path, FIRST, K3, "one.csv")
    same = d.check(K3, FIRST, **kept)  # type: ignore[arg-type]
    assert same.over_time is not None
    assert (same.over_time.matched, same.over_time.refused, same.possible) == (24, None, True)
    later = d.check(K3, LATER, **kept)  # type: ignore[arg-type]
    assert later.over_time is not None
    assert (later.over_time.matched, later.over_time.new, later.over_time.left) == (23, 1, 1)
    assert "hold: true" in (later.over_time.refused or "")
    assert not later.possible
    policy = {**K3, "ledger": {"leavers": "remove", "hold": True}}
    found = d.check(policy, LATER, **kept)  # type: ignore[arg-type]
    assert found.over_time is not None
    assert (found.over_time.held, found.over_time.left_out, found.possible) == (1, 3, True)
    assert found.to_dict()["ledger"]["left"] == 1  # type: ignore[index]
    assert "left out 3" in found._repr_html_()
    assert len(d.Ledger(tmp_path / "ledger").releases()) == 1
    with pytest.raises(d.InputError, match="--table"):
        d.check(policy, **kept)  # type: ignore[arg-type]
    with pytest.raises(d.InputError, match="--ledger"):
        d.check(K3, FIRST, person="id")
    assert d.check(policy, FIRST).over_time is None  # a policy that speaks of a ledger may be looked at without


@pytest.mark.parametrize("search", ["coordinate", "exact", "genetic"])
def test_frontier_is_what_protect_would_plan(tmp_path: Path, search: str) -> None:
    kept = {"ledger": tmp_path / "ledger", "person": "id"}
    said = {"search": search, "ledger": {"leavers": "remove", "hold": True}}
    publish(tmp_path, FIRST, {**K3, **said}, "one.csv")
    moved = LATER.with_columns(
        pl.when(pl.col("id").is_in(["p3", "p4"])).then(pl.lit("x")).otherwise("age").alias("age")
    )
    found = d.frontier(moved, {**K3, **said}, [2, 3, 5], **kept)  # type: ignore[arg-type]
    assert [point.possible for point in found.points] == [True, True, False]
    alone = d.frontier(moved.drop("id"), {**K3, "search": search}, [2, 3, 5])
    assert [point.possible for point in alone.points] == [True, True, True]
    for point in found.points[:2]:
        k = point.threshold.denominator
        policy = {"protect": [{"k": k, "over": ["age", "job"]}], **said}
        made = d.protect(moved, policy, **kept)  # type: ignore[arg-type]
        assert made.audit.detail == pytest.approx(point.detail)
        assert point.largest is not None
        assert point.largest.denominator >= k


def test_frontier_of_a_first_release_is_that_of_the_table(tmp_path: Path) -> None:
    first = d.frontier(FIRST, K3, [2, 3], ledger=tmp_path / "ledger", person="id")
    assert [point.detail for point in first.points] == [
        point.detail for point in d.frontier(FIRST.drop("id"), K3, [2, 3]).points
    ]
    assert not (tmp_path / "ledger").exists()


def test_a_sensitive_column_that_may_have_another_name(tmp_path: Path) -> None:
    """Nothing is refused, for it may be gone; but the owner hears what nobody counts then."""

    def asked(column: str, **said: object) -> dict[str, object]:
        shown = {"infer": {column: "a"}, "given": ["job"], "at_most": "80%"}
        return {"protect": [shown], "ledger": {"leavers": "warn", **said}}

    first = FIRST.rename({"age": "ill"}).with_columns(ill=pl.Series(list("abc") * 8))
    later = first.rename({"ill": "diagnosis"})
    kept = {"ledger": tmp_path / "ledger", "person": "id"}
    publish(tmp_path, first, asked("ill"), "one.csv")

    def warned(table: pl.DataFrame, policy: dict[str, object]) -> list[str]:
        made = d.protect(table, policy, **kept)  # type: ignore[arg-type]
        found = d.check(policy, table, **kept)  # type: ignore[arg-type]
        about = [[one for one in each.warnings if "found under no name" in one] for each in (made.audit, found)]
        assert about[0] == about[1]
        return about[0]

    (said,) = warned(later, asked("diagnosis"))
    assert "'ill' of one.csv" in said
    assert "same: {diagnosis: ill}" in said
    assert "gone: [ill]" in said
    assert not warned(later, asked("diagnosis", same={"diagnosis": "ill"}))
    assert not warned(later, asked("diagnosis", gone=["ill"]))
    assert not warned(later.with_columns(first["ill"]), asked("diagnosis"))  # it is still there
    assert not warned(first, asked("ill"))
    assert not warned(first.drop("ill"), {"protect": [{"k": 2, "over": ["job"]}], "ledger": {"leavers": "warn"}})
