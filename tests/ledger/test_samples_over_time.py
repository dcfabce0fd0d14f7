"""Samples with a ledger: who is not drawn is absent, and every promise holds among those who are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON
from tests.ledger.row_sequences import ASKED, policy_of_rows
from tests.ledger.test_rows_over_time import recorded
from tests.profiles import FEW
from tests.reference import releases_of_rows as slow
from tests.reference.releases import Promised
from tests.reference.releases_of_rows import PublishedRows

K3: dict[str, Any] = {"protect": [{"k": 3, "over": ["age"]}], "ledger": {"leavers": "remove", "hold": True}}


def people(number: int) -> pl.DataFrame:
    """Return a table of people of four ages."""
    return pl.DataFrame({"id": [f"p{n}" for n in range(number)], "age": [f"{n % 4}" for n in range(number)]})


def publish(tmp: Path, rows: pl.DataFrame, policy: Any, name: str, **options: Any) -> d.Release:
    """Protect a table with the ledger of a folder, and publish it."""
    release = d.protect(rows, policy, ledger=tmp / "ledger", **options)
    release.write(tmp / name)
    assert d.Ledger(tmp / "ledger").publish(name).may_go_out
    return release


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[pl.DataFrame], list[list[Promised]], str | None, int]:
    """Draw up to three tables of people, with what is promised of each; with or without a unit."""
    several = draw(st.booleans())
    texts = {"age": "xy", "job": "12", "ill": ("HIV", "flu", "cold")}
    rows = {
        (f"p{who}", str(number)): {name: draw(st.sampled_from(list(some))) for name, some in texts.items()}
        for who in range(draw(st.integers(12, 20)))
        for number in range(draw(st.integers(1, 2)) if several else 1)
    }
    tables, promised = [], []
    for _ in range(draw(st.integers(2, 3))):
        for row in draw(st.lists(st.sampled_from(sorted(rows)), max_size=3)):
            rows[row] = {**rows[row], "age": draw(st.sampled_from("xy"))}
        told = [(*key, *row.values()) for key, row in rows.items()]
        told[0] = (*told[0][:-1], "HIV")
        tables.append(pl.DataFrame(told, schema=["id", "visit", *texts], orient="row"))
        promised.append(draw(st.lists(st.sampled_from(ASKED), min_size=1, max_size=2, unique=True)))
    return tables, promised, draw(st.sampled_from([None, "visit"])) if several else "", draw(st.integers(50, 90))


@FEW
@given(drawn())
def test_what_is_drawn_keeps_every_promise(
    made: tuple[list[pl.DataFrame], list[list[Promised]], str | None, int],
) -> None:
    """A `unit` with an empty row key stands for a table of one row a person."""
    tables, promised, key, share = made
    done: list[list[Promised]] = []
    with TemporaryDirectory() as folder:
        tmp = Path(folder)
        for place, (rows, asked) in enumerate(zip(tables, promised, strict=True)):
            more: dict[str, Any] = {"ledger": {"leavers": "remove", "hold": True}, "search": "coordinate"}
            more |= {"columns": {"visit": {"role": "identifier"}}, "release": {"sample": f"{share}%"}}
            policy = policy_of_rows(PublishedRows({}, asked), **more)
            options: dict[str, Any] = {"row_key": key} if key else {}
            if key == "":
                policy = policy.model_copy(update={"unit": None})
                options = {"person": "id"}
            try:
                release = publish(tmp, rows, policy, f"{place}.csv", new_persons=True, **options)
            except d.PromiseError:  # nothing was released
                continue
            except d.PolicyError as strange:  # nobody who was drawn has the value
                assert "no row has 'ill' = 'HIV'" in str(strange)
                continue
            done.append(asked)
            found = recorded(tmp, done)
            assert not slow.all_broken_of_rows(found)
            whole = rows["id"].n_unique()
            assert len(found[-1].rows) <= whole * share // 100
            assert release.audit.sample is not None
            assert release.plan.sampled is not None
            assert len(release.plan.sampled) == release.audit.rows + release.audit.removed


def test_a_sample_says_what_it_is_and_is_verified_from_the_file(tmp_path: Path) -> None:
    rows = people(80)
    rows.write_csv(tmp_path / "table.csv")
    policy = {**K3, "release": {"sample": "60%"}}
    joint = None
    for name in ("one.csv", "two.csv"):
        made = publish(tmp_path, rows, policy, name, person="id", seed=1 if name == "one.csv" else 2)
        assert made.audit.sample is not None
        assert made.audit.sample.to_dict()["of_rows"] == 80
        joint = made.audit.verification.joint
        assert joint is not None
        assert joint.holds
        told = {"original": tmp_path / "table.csv", "ledger": tmp_path / "ledger", "person": "id"}
        checked = d.verify(tmp_path / name, policy, **told)  # type: ignore[arg-type]
        assert checked.holds
        assert checked.joint is not None
        assert checked.joint.holds
    assert joint is not None
    assert joint.left > 0
    assert joint.new == 0 or joint.new >= 3
    persons = [entry.persons for entry in d.Ledger(tmp_path / "ledger").releases()]
    assert persons[0] == 48
    assert persons[1] <= 48
    foreseen = d.check(policy, rows, ledger=tmp_path / "ledger", person="id").over_time
    assert foreseen is not None
    assert foreseen.matched + foreseen.new == 48
    audit = d.audit_release(
        tmp_path / "two.csv", policy, rows, ledger=tmp_path / "ledger", person="id", time_limit=0.0001
    )
    assert audit.verification.holds
    with pytest.raises(d.InputError, match="frontier does not plan samples beside earlier releases"):
        d.frontier(rows, policy, ledger=tmp_path / "ledger", person="id")


def test_more_than_were_to_be_drawn_are_no_sample(tmp_path: Path) -> None:
    """The ledger has sixty persons in a release of which the policy says that forty were drawn."""
    rows = people(80)
    rows.write_csv(tmp_path / "table.csv")
    publish(tmp_path, rows, {**K3, "release": {"sample": "75%"}}, "one.csv", person="id", seed=1)
    checked = d.verify(
        tmp_path / "one.csv",
        {**K3, "release": {"sample": "50%"}},
        original=tmp_path / "table.csv",
        ledger=tmp_path / "ledger",
        person="id",
    )
    assert not checked.holds
    assert any("60 rows, expected" in problem for problem in checked.truthful.problems)


def test_a_plan_draws_again(tmp_path: Path) -> None:
    rows = people(80)
    policy = {**K3, "release": {"sample": "60%"}}
    plan = publish(tmp_path, rows, policy, "one.csv", person="id", seed=1).plan
    again = d.Plan.from_json(plan.to_json()).apply(rows, ledger=tmp_path / "ledger", person="id")
    assert again.audit.sample is not None
    assert again.plan.sampled is not None
    assert set(again.plan.sampled) != set(plan.sampled or ())
    assert again.note is not None
    assert again.note.people[PERSON].n_unique() == len(again.plan.sampled)
    assert again.audit.verification.joint is not None
    assert again.audit.verification.joint.holds
