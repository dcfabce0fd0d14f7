"""Blind decisions beside earlier releases: no search sees a secret of any release, and all are asked together."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.errors import Undecided
from tests.ledger.test_cells_over_time import made_by

KNOWN = ["job", "town"]
TEMPLATE = {"infer": {"ill": "hiv"}, "given": KNOWN, "at_most": "60%"}
BLIND = {"protect": [TEMPLATE], "decide": "blind", "blind_ks": [5, 10, 20]}


def people(rows: int = 160, seed: int = 0) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame({
        "id": [f"p{who}" for who in range(rows)],
        "job": [draw.choice("abcd") for _ in range(rows)],
        "town": [draw.choice("uvw") for _ in range(rows)],
        "ill": [draw.choice(["hiv", "flu", "cold", "no", "no", "no"]) for _ in range(rows)],
    })  # fmt: skip


def moved(table: pl.DataFrame, part: int = 8) -> pl.DataFrame:
    """Return the same people, some of whom live in another town."""
    towns = [
        {"u": "v", "v": "w", "w": "u"}[town] if who % part == 0 else town for who, town in enumerate(table["town"])
    ]
    return table.with_columns(town=pl.Series(towns))


def made(tmp: Path, table: pl.DataFrame, policy: dict[str, Any] | None = None) -> d.Release:
    return d.protect(table, policy or BLIND, ledger=tmp / "ledger", person="id", seed=1)


def publish(tmp: Path, name: str, table: pl.DataFrame, policy: dict[str, Any] | None = None) -> d.Release:
    tmp.mkdir(exist_ok=True)
    release = made(tmp, table, policy)
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


def known_of(release: d.Release) -> str:
    assert isinstance(release.table, pl.DataFrame)
    return release.table.select(KNOWN).write_csv()


def k_of(release: d.Release) -> tuple[int, tuple[int, ...]]:
    assert release.plan.decided is not None
    return release.plan.decided.k, release.plan.decided.refused


@pytest.mark.parametrize("search", ["disclosure", "coordinate"])
def test_other_secrets_with_the_same_answers_make_the_same_releases(tmp_path: Path, search: str) -> None:
    """P1: the second release follows from known columns, from what was published, and from k."""
    policy = {**BLIND, "search": search, "protect": [{**TEMPLATE, "at_most": "90%"}]}
    table = people()
    found: dict[tuple[Any, ...], set[tuple[str, str]]] = {}
    for number in range(3):
        mixed = table.with_columns(table["ill"].shuffle(seed=number))
        later = moved(mixed).with_columns(mixed["ill"].shuffle(seed=number + 7))
        one = publish(tmp_path / f"{number}", "one.csv", mixed, policy)
        two = publish(tmp_path / f"{number}", "two.csv", later, policy)
        assert two.audit.verification.holds
        found.setdefault((k_of(one), k_of(two)), set()).add((known_of(one), known_of(two)))
    assert all(len(releases) == 1 for releases in found.values())
    assert len(found) < 3, "some secrets had the same answers"


def test_k_is_kept_by_who_looks_alike_in_both_releases(tmp_path: Path) -> None:
    table = people()
    one = publish(tmp_path, "one.csv", table)
    two = publish(tmp_path, "two.csv", moved(table))
    assert isinstance(one.table, pl.DataFrame)
    assert isinstance(two.table, pl.DataFrame)
    both = pl.concat([one.table.select(KNOWN), two.table.select(pl.all().name.prefix("later "))], how="horizontal")
    looks = both.group_by([*KNOWN, "later job", "later town"]).agg(pl.len(), (pl.col("later ill") == "hiv").mean())
    assert looks["len"].min() >= k_of(two)[0]  # type: ignore[operator]
    assert looks["later ill"].max() <= 0.6  # type: ignore[operator]
    assert d.verify(tmp_path / "two.csv", BLIND, moved(table), ledger=tmp_path / "ledger", person="id").holds


def test_what_only_both_releases_together_break_asks_for_the_next_k(tmp_path: Path) -> None:
    """Whoever moves is ill: the second release alone keeps its promise with the first k, both together do not."""
    table = people(480, 3)
    later = moved(table, 4)
    ill = ["hiv" if who % 4 == 0 else had for who, had in enumerate(table["ill"])]
    later = later.with_columns(ill=pl.Series(ill))
    alone = d.protect(later.drop("id"), BLIND, seed=1)
    assert k_of(alone) == (5, ())
    publish(tmp_path, "one.csv", table)
    try:
        asked = k_of(made(tmp_path, later))[1]
    except Undecided as none:
        asked = none.asked
        assert "with earlier releases" in str(none)
    assert 5 in asked


@pytest.mark.slow
def test_another_engine_decides_the_same(tmp_path: Path) -> None:
    turns = [(people(), BLIND), (moved(people()), BLIND)]
    local, duckdb = (made_by(engine, tmp_path / engine, turns) for engine in ("local", "duckdb"))
    assert local == duckdb


def test_refused_where_a_secret_of_one_release_is_known_in_another(tmp_path: Path) -> None:
    table = people()
    publish(tmp_path, "one.csv", table, {"protect": [{"k": 2, "over": ["job", "ill"]}]})
    with pytest.raises(d.InputError, match="one.csv takes it for known"):
        made(tmp_path, table)
    with pytest.raises(d.InputError, match="for `protect` alone"):
        d.check(BLIND, table, ledger=tmp_path / "ledger", person="id")
