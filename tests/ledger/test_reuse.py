"""A kept plan carried out again beside earlier releases: `apply` with a ledger keeps every promise over all of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

import discreet as d
from tests.ledger.test_over_time import publish, recorded, table
from tests.reference import releases as slow
from tests.reference.releases import Promised

K3 = {"protect": [{"k": 3, "over": ["age"]}]}
FIRST = table(id=" ".join(f"p{n}" for n in range(18)), age="x y z " * 6)


def applied(tmp: Path, plan: d.Plan, rows: pl.DataFrame, name: str, **options: object) -> d.Release:
    """Carry a plan out with the ledger of a folder, and publish the release."""
    release = plan.apply(rows, ledger=tmp / "ledger", person="id", **options)  # type: ignore[arg-type]
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


@pytest.mark.parametrize("by", ["its own policy", "the owner's"])
def test_a_plan_carried_out_again_keeps_the_promises_together(tmp_path: Path, by: str) -> None:
    made = publish(tmp_path, FIRST, K3, "one.csv")
    moved = FIRST.with_columns(pl.when(pl.col("id") == "p0").then(pl.lit("y")).otherwise("age").alias("age"))
    release = applied(tmp_path, made.plan, moved, "two.csv", **({} if by == "its own policy" else {"policy": K3}))
    assert release.audit.suppressed == 3  # who moved, and two more of her past, drawn by lot
    promised = [Promised("k", ("age",), Fraction(3))]
    assert slow.all_broken(recorded(tmp_path, [promised] * 2)) == set()
    joint = release.audit.verification.joint
    assert joint is not None
    assert (joint.releases, joint.matched, joint.holds) == (("one.csv",), 18, True)
    assert any("two.csv" in text or "one.csv" in text for text in release.audit.not_covered)


def test_without_the_ledger_the_same_plan_breaks_them(tmp_path: Path) -> None:
    made = publish(tmp_path, FIRST, K3, "one.csv")
    moved = FIRST.with_columns(pl.when(pl.col("id") == "p0").then(pl.lit("y")).otherwise("age").alias("age"))
    alone = made.plan.apply(moved)
    ledger = d.Ledger(tmp_path / "ledger")
    assert ledger.add(alone.table, moved, K3, person="id", name="alone").broken == 1


def test_people_are_left_out_and_held_as_by_protect(tmp_path: Path) -> None:
    made = publish(tmp_path, FIRST, K3, "one.csv")
    later = pl.concat([FIRST[1:], table(id="new", age="x")])
    with pytest.raises(d.PromiseError, match="hold: true"):
        applied(tmp_path, made.plan, later, "two.csv")
    policy = {**K3, "ledger": {"leavers": "remove", "hold": True}}
    release = applied(tmp_path, made.plan, later, "two.csv", policy=policy)
    assert release.note is not None
    assert (release.note.held, release.note.left_out, release.audit.rows) == (1, 2, 15)
    assert "id" not in release.table.columns  # type: ignore[attr-defined]


def test_the_first_release_of_a_ledger_may_be_of_a_kept_plan(tmp_path: Path) -> None:
    """The plan was made without a ledger, and knows nothing of ids: they do not go out."""
    plan = d.protect(FIRST.drop("id"), K3).plan
    with pytest.raises(d.InputError, match="columns"):
        applied(tmp_path, plan, FIRST, "one.csv")
    plan = d.protect(FIRST, K3).plan  # ids went out as they are
    release = applied(tmp_path, plan, FIRST, "one.csv")
    assert release.table.columns == ["age"]  # type: ignore[attr-defined]


def test_a_plan_that_speaks_of_a_ledger_wants_one(tmp_path: Path) -> None:
    made = publish(tmp_path, FIRST, {**K3, "ledger": {"hold": True}}, "one.csv")
    with pytest.raises(d.InputError, match="speaks of a ledger"):
        made.plan.apply(FIRST)
    with pytest.raises(d.InputError, match="--person is for releases in a ledger"):
        d.protect(FIRST, K3).plan.apply(FIRST, person="id")


def test_a_disclosure_masks_nobody_and_is_refused_where_that_is_too_little(tmp_path: Path) -> None:
    policy = {"protect": [{"infer": {"ill": "HIV"}, "given": ["age"], "at_most": "50%"}]}
    one = table(id="a b c d", age="x x y y", ill="HIV flu HIV flu")
    made = publish(tmp_path, one, policy, "one.csv")
    assert applied(tmp_path, made.plan, one, "two.csv").audit.verification.holds
    moved = table(id="a b c d", age="x y y x", ill="HIV flu HIV flu")
    with pytest.raises(d.BrokenPromise):
        applied(tmp_path, made.plan, moved, "three.csv")
    assert not (tmp_path / "three.csv").exists()


def test_labels_of_groups_are_refused(tmp_path: Path) -> None:
    local = {**K3, "recoding": "local"}
    made = publish(tmp_path, FIRST, local, "one.csv")
    with pytest.raises(d.InputError, match="recoding: global"):
        applied(tmp_path, made.plan, FIRST, "two.csv")
