"""The next step and its gain are what would come out, and no promise is asked for that cannot be tried."""

from __future__ import annotations

import random
import re

import polars as pl
import pytest

import discreet as d
from discreet.assist import advice
from discreet.assist.advice import next_step
from discreet.assist.trials import TimeForAdvice


def people(rows: int = 80) -> pl.DataFrame:
    draw = random.Random(3)
    return pl.DataFrame(
        {
            "age": [str(draw.randrange(20, 60)) for _ in range(rows)],
            "town": [draw.choice("abcdef") for _ in range(rows)],
            "ill": [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)],
        }
    )


AGE = {"age": d.Column(type="number")}


def test_local_recoding_keeps_what_it_is_said_to_keep() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    said = next_step(release)
    local = d.protect(people(), policy.model_copy(update={"recoding": "local"}))
    assert local.audit.detail is not None
    assert release.audit.detail is not None
    assert said is not None
    assert f"local recoding keeps {local.audit.detail:.0%} of the detail instead of {release.audit.detail:.0%}" in said
    assert said.endswith("write recoding: local")


def test_which_promise_binds_and_which_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_local_is_quick", lambda _: False)
    template = d.Template(given=["town"], infer={"ill": d.Any()}, at_most="99%")
    policy = d.Policy(protect=[d.KAnonymity(k=15, over=["age", "town"]), template], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    said = next_step(release)
    assert said is not None
    assert said.startswith("promise 1 (k-anonymity) binds: without it 100% of the detail would be told instead of ")
    assert "promise 2 (template) costs nothing" in said


def test_where_nothing_is_lost_or_nothing_can_be_tried_nothing_is_said() -> None:
    whole = d.protect(people(), d.Policy(protect=[d.KAnonymity(k=1, over=["town"])]))
    assert next_step(whole) is None
    cell = d.Confidential(column="ill", rows=[1], predictors=["town"], against=["id3"])
    assert next_step(d.protect(people(), d.Policy(protect=[cell]), seed=1)) is None
    sample = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])], release=d.ReleaseOptions(sample="50%"))
    assert next_step(d.protect(people(), sample, seed=1)) is None


def test_a_release_is_not_changed_by_advice() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    before = release.table, release.plan.to_json()
    next_step(release)
    assert isinstance(before[0], pl.DataFrame)
    assert before[0].equals(release.table)  # type: ignore[arg-type]
    assert before[1] == release.plan.to_json()


class Ticking:
    """A clock on which each look takes a while."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


@pytest.mark.parametrize("seconds", [6, 15, 40, 300])
def test_a_search_that_is_stopped_promises_no_more_than_can_be_had(seconds: int) -> None:
    """It is said that it is at least so much; on a clock that runs out, nothing is said."""
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    said = next_step(release, given=TimeForAdvice(seconds, Ticking()))
    local = d.protect(people(), policy.model_copy(update={"recoding": "local"})).audit.detail
    assert local is not None
    if said is not None:
        found = re.search(r"keeps (at least )?(\d+)% of the detail", said)
        assert found is not None
        assert int(found[2]) <= round(100 * local)
        assert found[1] or int(found[2]) == round(100 * local)


def test_nothing_is_tried_for_which_there_is_no_time() -> None:
    release = d.protect(people(), d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE), seed=1)
    clock = Ticking()
    assert next_step(release, given=TimeForAdvice(10, clock), price=50) is None
    assert clock.looks < 10


def test_persons_with_several_rows_are_advised_too() -> None:
    rows = people().with_row_index("id")
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE, unit="id")
    release = d.protect(pl.concat([rows, rows]), policy, seed=1)
    said = next_step(release)
    local = d.protect(pl.concat([rows, rows]), policy.model_copy(update={"recoding": "local"})).audit.detail
    assert said is not None
    assert f"local recoding keeps {local:.0%} of the detail" in said


def test_a_hidden_code_is_advised_groups_among_a_population_and_for_persons_too() -> None:
    draw = random.Random(5)
    codes = [f"{draw.choice([10, 11, 20])}{draw.randrange(1000):03}" for _ in range(60)]
    table = pl.DataFrame({"zip": codes, "id": [str(place) for place in range(60)]})
    among = d.Policy(
        protect=[d.KAnonymity(k=5, over=["zip"], among=pl.concat([table, table]))],
        columns={"id": d.Column(role="identifier")},
    )
    said = next_step(d.protect(table, among, seed=1), "stays.csv")
    assert said is not None
    assert said.startswith("zip is wholly hidden: with a taxonomy by prefix ")
    assert "of it can be told" in said
    persons = d.Policy(protect=[d.KAnonymity(k=5, over=["zip"])], unit="id")
    said = next_step(d.protect(pl.concat([table, table]), persons, seed=1), "stays.csv")
    assert said is not None
    assert re.match(
        r"zip is wholly hidden: with a taxonomy by prefix \d+% of all columns together is told instead", said
    )
