"""`shuffle` from end to end: the same rows in an order that tells nothing, and verified all the same."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.chance import any_order, chance_from
from discreet.cli.app import app
from discreet.verification.matching import ColumnBeside
from discreet.verification.shuffled import matching
from tests.jobs import by
from tests.profiles import FEW, MANY
from tests.spark import GROUP, from_spark, to_spark
from tests.table.engines import LARGE, frame_of

SEARCHES = ["disclosure", "coordinate", "genetic", "exact", "local"]


def policy(shuffle: bool = True, search: str = "coordinate", **more: Any) -> d.Policy:
    said: dict[str, Any] = {"shuffle": shuffle, "columns": {"age": {"type": "number"}}, **more}
    said.setdefault("protect", [{"k": 2, "over": ["age", "job"]}])
    return d.Policy.from_dict(said | by(search))


def people(rows: list[tuple[int, str, str]]) -> pl.DataFrame:
    columns = {
        "age": [str(age) for age, _, _ in rows],
        "job": [job for _, job, _ in rows],
        "ill": [i for _, _, i in rows],
    }
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("ab"), st.sampled_from(["flu", "ok"])), min_size=2, max_size=12
)
MORE: list[dict[str, Any]] = [
    {},
    {"suppress": {"rows": "remove", "limit": "60%"}},
    {"missing": {"values": ["?"], "rows": "drop"}},
]


def rows_of(frame: pl.DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(frame.rows())


# The order


def test_every_order_is_as_likely_as_any_other() -> None:
    chance = chance_from(7)
    found = Counter(tuple(any_order(4, chance).tolist()) for _ in range(24 * 200))
    assert set(found) == set(permutations(range(4)))
    assert sum((seen - 200) ** 2 / 200 for seen in found.values()) < 50  # chi square, 23 degrees: one in 1000


def test_an_order_with_equal_lots_is_drawn_again() -> None:
    """Else who stood first would come first, be it once in 2^64."""
    lots = iter([np.array([5, 5], np.uint64).tobytes(), np.array([9, 1], np.uint64).tobytes()])
    assert any_order(2, lambda _: next(lots)).tolist() == [1, 0]


def test_the_order_tells_nothing() -> None:
    """An adversary who knows at which place somebody stood in the original learns no more than the shares."""
    ages = [number % 50 for number in range(3000)]
    table = people([(age, "a", "flu" if place < 1000 else "ok") for place, age in enumerate(ages)])
    plain, mixed = d.protect(table, policy(False)), d.protect(table, policy())

    def right(release: d.Release) -> float:
        return int((frame_of(release.table)["ill"].head(1000) == "flu").sum()) / 1000

    assert right(plain) == 1
    assert abs(right(mixed) - 1 / 3) < 0.08
    assert rows_of(frame_of(plain.table)) == rows_of(frame_of(mixed.table))
    assert frame_of(d.protect(table, policy()).table).rows() != frame_of(mixed.table).rows()


def test_a_seed_repeats_the_order_and_the_audit_says_so() -> None:
    table = people([(number, "a", "ok") for number in range(40)])
    one, other = d.protect(table, policy(), seed=3), d.protect(table, policy(), seed=3)
    assert frame_of(one.table).rows() == frame_of(other.table).rows()
    assert any("put the rows back" in warning for warning in one.audit.warnings)


def test_what_is_not_covered_names_the_order_only_where_it_is_kept() -> None:
    table = people([(1, "a", "ok")] * 4)
    assert any("order of the rows" in line for line in d.protect(table, policy(False)).audit.not_covered)
    assert not any("order of the rows" in line for line in d.protect(table, policy()).audit.not_covered)


# Every search and engine


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES)
@given(st.data())
def test_the_same_rows_leave_and_are_verified(search: str, data: st.DataObject) -> None:
    table = people(data.draw(ROWS))
    more = data.draw(st.sampled_from(MORE if search != "disclosure" else MORE[::2]))
    try:
        mixed = d.protect(table, policy(search=search, **more), seed=1)
    except (d.ImpossiblePromise, d.TooManySuppressed):
        return
    plain = d.protect(table, policy(False, search, **more), seed=1)
    assert rows_of(frame_of(mixed.table)) == rows_of(frame_of(plain.table))
    assert d.verify(mixed.table, policy(search=search, **more), table).holds
    assert mixed.plan.order is None
    again = d.Plan.from_json(mixed.plan.to_json()).apply(table)
    assert len(frame_of(again.table)) <= len(table)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(rows=ROWS, more=st.sampled_from(MORE))
def test_every_engine_shuffles(engine: str, rows: list[tuple[int, str, str]], more: dict[str, Any]) -> None:
    table = people(rows)
    try:
        mixed = d.protect(table, policy(**more), engine=engine, seed=1)
    except (d.ImpossiblePromise, d.TooManySuppressed):
        return
    out = frame_of(mixed.table)
    plain = d.protect(table, policy(False, **more), engine=engine, seed=1)  # the same lot among equal groups
    assert rows_of(out) == rows_of(frame_of(plain.table))
    assert d.verify(out, policy(**more), table, engine=engine).holds


@pytest.mark.parametrize("engine", ["local", *LARGE])
def test_an_engine_does_shuffle(engine: str) -> None:
    table = people([(number % 7, "a", str(number)) for number in range(200)])
    release = d.protect(table, policy(), engine=engine)
    assert frame_of(release.table)["ill"].to_list() != table["ill"].to_list()
    assert sorted(frame_of(release.table)["ill"]) == sorted(table["ill"])


def test_nothing_of_the_order_is_left_in_an_index() -> None:
    table = people([(number % 7, "a", str(number)) for number in range(50)]).to_pandas()
    out = d.protect(table, policy()).table
    assert isinstance(out, pd.DataFrame)
    assert out.index.tolist() == list(range(50))


@GROUP
def test_spark_needs_a_key() -> None:
    table = people([(number % 7, "a", str(number)) for number in range(60)])
    with pytest.raises(d.InputError, match="--key"):
        d.protect(to_spark(table), policy())
    release = d.protect(to_spark(table), policy(), key="ill")
    out = from_spark(release.table)
    assert sorted(out["ill"]) == sorted(table["ill"])
    assert out["ill"].to_list() != sorted(table["ill"])


# Files


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    table = people([(number % 7, "a", str(number)) for number in range(60)])
    release = d.protect(table, policy())
    release.write(tmp_path / "r.csv")
    release.write(tmp_path / "r.parquet")
    csv = pl.read_csv(tmp_path / "r.csv", infer_schema=False)
    assert csv.rows() == pl.read_parquet(tmp_path / "r.parquet").rows() == frame_of(release.table).rows()
    assert d.verify(tmp_path / "r.csv", policy(), table).holds


# Verification


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[ColumnBeside], int, int]:
    """A few rows beside a few others, some columns equal or not, some with ranges."""
    rows, originals = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    found = []
    for _ in range(draw(st.integers(1, 2))):
        texts = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
        cells = draw(st.lists(st.integers(0, 2), min_size=originals, max_size=originals))
        pairs = st.tuples(st.integers(0, 2), st.integers(1, 3))
        ranges = draw(st.none() | st.lists(st.lists(pairs, max_size=2), min_size=3, max_size=3))
        found.append(ColumnBeside(np.array(texts, np.int64), np.array(cells, np.int64), ranges))
    return found, rows, originals


def covers(column: ColumnBeside, text: int, cell: int) -> bool:
    here, there = int(column.released[text]), int(column.original[cell])
    return here == there if column.ranges is None else any(low <= there < high for low, high in column.ranges[here])


@MANY
@given(columns())
def test_a_matching_is_found_whenever_there_is_one(job: tuple[list[ColumnBeside], int, int]) -> None:
    beside, rows, originals = job
    fits = [[all(covers(column, row, cell) for column in beside) for cell in range(originals)] for row in range(rows)]
    possible = any(
        all(fits[row][cell] for row, cell in enumerate(some)) for some in permutations(range(originals), rows)
    )
    places, lacking = matching(beside, rows, originals)
    assert (lacking == 0) == possible
    if possible:
        assert len(set(places.tolist())) == rows
        assert all(fits[row][cell] for row, cell in enumerate(places.tolist()))


def test_a_release_with_another_row_is_found() -> None:
    table = people([(number % 5, "a", str(number % 3)) for number in range(30)])
    out = frame_of(d.protect(table, policy()).table)
    wrong = out.with_columns(ill=pl.when(pl.int_range(pl.len()) == 4).then(pl.lit("other")).otherwise("ill"))
    found = d.verify(wrong, policy(), table)
    assert not found.holds
    assert found.truthful.problems == (
        "its rows cannot be matched with different rows of the original that they are true of: 1 of 30 find none",
    )
    twice = pl.concat([out.head(29), out.head(1)])
    same_rows = rows_of(twice) == rows_of(out)
    assert d.verify(twice, policy(), table).truthful.problems == () if same_rows else True
    assert not d.verify(out, policy(False), table).holds  # in the order of the original it does not stand


def test_medians_need_their_intervals() -> None:
    table = people([(number, "a", "ok") for number in range(20)])
    asked = policy(columns={"age": {"type": "number", "form": "median"}})
    release = d.protect(table, asked)
    assert d.verify(release.table, asked, table, intervals=release.intervals).holds
    with pytest.raises(d.InputError, match="intervals"):
        d.verify(release.table, asked, table)


@pytest.mark.slow
def test_audits_and_attacks_of_a_shuffled_release() -> None:
    table = people([(number % 20, "ab"[number % 2], ["flu", "ok"][number % 3 == 0]) for number in range(200)])
    mixed, plain = d.protect(table, policy(), seed=1), d.protect(table, policy(False), seed=1)
    by_hand = d.audit_release(mixed.table, policy(), table, seed=2)
    assert by_hand.verification.holds
    rates = [
        [(one.name, one.released.right, one.released.tries) for one in found_by(audit) if one.kind == "linkage"]
        for audit in (mixed.attack(seed=2), plain.attack(seed=2), by_hand)
    ]
    assert rates[0] == rates[1] == rates[2]
    assert by_hand.coarser_cells == plain.audit.coarser_cells


def found_by(audit: d.Audit) -> tuple[Any, ...]:
    assert audit.attacks is not None
    return audit.attacks.found


# Confidential cells


def confidential() -> tuple[pl.DataFrame, d.Policy]:
    chance = random.Random(4)
    rows = [(chance.randint(0, 3), chance.choice("abc"), chance.choice(["flu", "ok", "hiv"])) for _ in range(24)]
    item = {"column": "ill", "where": {"id": "9"}, "predictors": ["age", "job"], "against": ["naive_bayes"]}
    table = people(rows).with_columns(id=pl.int_range(pl.len()).cast(pl.String))
    return table, d.Policy.from_dict({"shuffle": True, "columns": {"id": {"role": "identifier"}}, "protect": [item]})


def test_with_confidential_cells_the_plan_keeps_the_order(tmp_path: Path) -> None:
    table, asked = confidential()
    release = d.protect(table, asked)
    order = release.plan.order
    assert order is not None
    assert sorted(order) == list(range(1, 25))
    kept = frame_of(release.table)
    same = [table["age"][number - 1] == age or age == "*" for number, age in zip(order, kept["age"], strict=True)]
    assert all(same)
    assert d.Plan.from_json(release.plan.to_json()).order == order
    assert d.verify(release.table, asked, table, order=order).holds
    found = d.verify(release.table, asked, table)  # nobody knows which row is whose
    assert [str(finding.answer) for finding in found.requirements] == ["not checkable"]
    assert not found.truthful.problems
    with pytest.raises(d.InputError, match="not that of this release"):
        d.verify(release.table, asked, table, order=order[:-1])


@pytest.mark.slow
def test_the_commands_take_the_plan(tmp_path: Path) -> None:
    table, asked = confidential()
    table.write_csv(tmp_path / "t.csv")
    (tmp_path / "p.yaml").write_text(json.dumps(asked.to_dict()))
    here = {name: str(tmp_path / name) for name in ("t.csv", "p.yaml", "r.csv", "plan.json", "other.json")}
    run = CliRunner()
    made = ["protect", here["t.csv"], "--policy", here["p.yaml"], "--out", here["r.csv"], "--plan", here["plan.json"]]
    assert run.invoke(app, made).exit_code == 0
    asked_again = ["verify", here["r.csv"], "--policy", here["p.yaml"], "--original", here["t.csv"]]
    assert run.invoke(app, asked_again).exit_code == 1
    assert run.invoke(app, [*asked_again, "--plan", here["plan.json"]]).exit_code == 0
    audited = ["audit", *asked_again[1:], "--plan", here["plan.json"], "--json"]
    assert run.invoke(app, audited).exit_code == 0
    Path(here["other.json"]).write_text(d.protect(people([(1, "a", "ok")] * 4), policy()).plan.to_json())
    assert run.invoke(app, [*asked_again, "--plan", here["other.json"]]).exit_code == 2


def test_the_public_report_says_that_the_order_was_drawn() -> None:
    table = people([(number % 3, "a", "ok") for number in range(12)])
    for shuffle in (True, False):
        page = d.protect(table, policy(shuffle), seed=1).audit.to_html(public=True)
        assert ("an order drawn at random" in page) == shuffle
