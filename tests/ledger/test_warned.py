"""`leavers: warn`: whoever is in the release keeps every promise; who left is reported, and what was broken before."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PastRelease
from discreet.ledger.folder import opened
from discreet.verification.joint import check_joint
from tests.ledger.sequences import PROMISED, item_of
from tests.ledger.test_over_time import publish, recorded, table, tables
from tests.profiles import FEW
from tests.reference import releases as slow
from tests.reference.releases import Promised

WARNED = {"leavers": "warn", "hold": True}


@pytest.mark.slow
@FEW
@given(tables(), st.lists(st.sampled_from(PROMISED), min_size=1, max_size=3, unique=True))
def test_who_is_here_keeps_every_promise(rows: list[pl.DataFrame], promised: list[Promised]) -> None:
    policy = {"protect": [item_of(promise, {}) for promise in promised], "ledger": WARNED}
    with TemporaryDirectory() as folder:
        tmp, lost, made = Path(folder), set[str](), 0
        for number, one in enumerate(rows):
            try:
                publish(tmp, one, policy, f"r{number}.csv", new_persons=True)
            except (d.PromiseError, d.PolicyError):  # nobody is left, no release can keep it, or a value is not there
                continue
            made += 1
            found = recorded(tmp, [promised] * made)
            broken = slow.all_broken(found)
            assert broken & set(found[-1].rows) <= lost
            lost = broken


def test_a_rare_past_stays_out_and_those_who_left_are_hidden_by_that(tmp_path: Path) -> None:
    """Of three with one past one left: two stay, too few; without them all three are absent together."""
    three = {"protect": [{"k": 3, "over": ["age"]}]}
    publish(tmp_path, table(id="a b c d e f g", age="x x x y y y y"), three, "one.csv")
    later = table(id="b c d e f g", age="x x y y y y")
    warned = publish(tmp_path, later, {**three, "ledger": WARNED}, "two.csv")
    joint = warned.audit.verification.joint
    assert joint is not None
    assert (warned.audit.rows, joint.broken, joint.holds) == (4, 0, True)


def test_verification_excuses_nobody_who_is_here(tmp_path: Path) -> None:
    """A release that leaves two with a rare past in it does not go out, whatever made it."""
    three = {"protect": [{"k": 3, "over": ["age"]}]}
    publish(tmp_path, table(id="a b c d e f g", age="x x x y y y y"), three, "one.csv")
    publish(tmp_path, table(id="a b c d e f", age="x x x y y y"), {**three, "ledger": WARNED}, "two.csv")
    with opened(tmp_path / "ledger") as folder:
        one, two = folder.past()
    assert check_joint([one], two).may_go_out  # only who left is broken
    x = two.people.filter(pl.col("c0") == "x").get_column("person")
    fewer: PastRelease = replace(two, people=two.people.filter(~pl.col("person").is_in(x[:1].implode())))
    found = check_joint([one], fewer)
    assert (found.broken, found.may_go_out) == (4, False)


@pytest.mark.parametrize("leavers", ["remove", "warn"])
def test_a_seed_makes_the_same_releases_whatever_the_secret(tmp_path: Path, leavers: str) -> None:
    """Also what is drawn by lot where the recoding of the last release is used again."""
    first = pl.DataFrame({"id": [f"p{n}" for n in range(60)], "age": [str(n % 3) for n in range(60)]})
    moved = pl.col("id").is_in(["p5", "p10", "p16"])
    later = first[1:].with_columns(pl.when(moved).then(pl.lit("0")).otherwise("age").alias("age"))
    policy = {"protect": [{"k": 4, "over": ["age"]}], "ledger": {"leavers": leavers, "hold": True}}
    made = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        publish(folder, first, policy, "one.csv")
        again = publish(folder, later, policy, "two.csv")
        assert again.audit.drawn
        assert any("seed" in text for text in again.audit.warnings)
        made.append((folder / "two.csv").read_bytes())
    assert len(set(made)) == 1


@pytest.mark.parametrize("unit", [{}, {"unit": "id"}])
def test_nobody_excuses_a_new_person_who_is_alone(tmp_path: Path, unit: dict[str, str]) -> None:
    """Two drafts beside nothing: once the first counts, e of the second is the only one who is new."""
    policy = {"protect": [{"k": 2, "over": ["age"]}], "ledger": {"leavers": "warn"}, **unit}
    for name, who in (("one.csv", "a b c d"), ("two.csv", "a b c d e")):
        rows = table(id=who, age="x " * len(who.split()))
        d.protect(rows, policy, ledger=tmp_path / "ledger", person="id").write(tmp_path / name)
    ledger = d.Ledger(tmp_path / "ledger")
    assert ledger.publish("one.csv").holds
    with pytest.raises(d.PromiseError, match="breaks a promise for 1 persons"):
        ledger.publish("two.csv")
    checked = d.verify(tmp_path / "two.csv", policy, original=rows, ledger=tmp_path / "ledger", person="id")
    assert checked.joint is not None
    assert not checked.joint.may_go_out


def test_verification_excuses_no_newcomer(tmp_path: Path) -> None:
    """Who comes alone is in no earlier release, so none of them broke anything for her, and a later one mends it."""
    two = {"protect": [{"k": 2, "over": ["age"]}]}
    publish(tmp_path, table(id="a b c d", age="x x y y"), two, "one.csv")
    with opened(tmp_path / "ledger") as folder:
        past = folder.past()
    everybody = past[0].people
    strange = everybody.with_columns(person=pl.max("person") - 1)[:1]
    asked = d.Policy.from_dict({**two, "ledger": WARNED})
    last = replace(past[0], name="two.csv", policy=asked, people=pl.concat([everybody, strange]))
    found = check_joint(past, last)
    assert (found.new, found.broken, found.may_go_out) == (1, 1, False)
