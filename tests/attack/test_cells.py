"""Attacks on confidential cells by adversaries of every kind, named in the policy or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.cells import cell_attacks
from discreet.attack.learning import LIBRARY, OUTSIDE
from discreet.compare.scene import Scene
from discreet.table.source import open_table


def patients(rows: int, seed: int) -> pl.DataFrame:
    """Return people of whom two columns tell the third."""
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 3, rows), rng.integers(0, 4, rows)
    ill = np.where(rng.random(rows) < 0.1, rng.integers(0, 3, rows), one)
    return pl.DataFrame(
        {"pain": [f"p{n}" for n in one], "age": [f"a{n}" for n in other], "ill": [f"i{n}" for n in ill]}
    )


def policy(rows: list[int], **options: Any) -> d.Policy:
    cells = d.Confidential(column="ill", rows=rows, predictors=["pain", "age"], **options)
    return d.Policy(protect=[cells])


def attacked(scene: Scene) -> dict[str, Attack]:
    return {attack.name: attack for task in cell_attacks(scene) for attack in task.run()}


ROWS = list(range(1, 41))


def hiding_only(table: pl.DataFrame, control: pl.DataFrame | None = None) -> Scene:
    """Return a release in which the confidential cells are hidden, and nothing else."""
    made = policy(ROWS, against=["naive_bayes"])
    hidden = table.with_columns(ill=pl.when(pl.int_range(table.height) < 40).then(pl.lit("*")).otherwise("ill"))
    original, released = open_table(table, made), open_table(hidden, made, released=True)
    outside = None if control is None else open_table(control, made)
    return Scene(released, original, made, np.arange(table.height), original, outside, seed=0)


def test_hiding_only_the_cell_is_no_help_against_anybody() -> None:
    found = attacked(hiding_only(patients(300, 0)))
    assert {"naive_bayes", "naive_bayes drop", "naive_bayes spread", "naive_bayes laplace", "id3", "rules"} <= set(
        found
    )
    assert set(LIBRARY) <= set(found)
    for attack in found.values():
        assert attack.kind == "cells"
        assert attack.requirement == 0
        assert attack.of == attack.released.tries == 40
        assert attack.only_hidden == attack.released, attack.name
        assert (attack.released.share or 0) > 0.7, attack.name
        assert len(attack.warnings) == 1
        assert attack.control is None


def test_people_outside_are_guessed_as_well() -> None:
    for attack in attacked(hiding_only(patients(300, 1), patients(100, 2))).values():
        assert attack.control_by == OUTSIDE
        assert attack.control is not None
        assert attack.control.tries == 100
        assert (attack.control.share or 0) > 0.7, attack.name


@pytest.mark.parametrize("method", ["decp", "dropp"])
def test_protected_cells_are_not_guessed_by_the_adversary_that_was_named(method: str) -> None:
    table, made = patients(300, 3), policy(ROWS[:10], against=["naive_bayes"], method=method, on_failure="remove")
    release = d.protect(table, made, seed=0)
    places = np.searchsorted(release.source.numbers(), release.engine.numbers())
    scene = Scene(release.engine, release.source, made, places, release.source, seed=0)
    found = attacked(scene)
    named = found["naive_bayes"]
    assert named.only_hidden is not None
    assert (named.only_hidden.share or 0) > 0.6
    assert named.released.right <= named.released.tries / 2  # a tie is picked from
    assert not any(f"i{n}" in warning for attack in found.values() for warning in attack.warnings for n in range(3))


def test_the_same_cells_are_asked_about_on_both_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.compare.scene.QUICK", 15)
    for attack in attacked(hiding_only(patients(300, 4))).values():
        assert attack.released.tries == 15
        assert attack.sampled
        assert attack.only_hidden == attack.released, attack.name
