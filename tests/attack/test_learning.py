"""Attacks by learners on columns that an adversary wants to know."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.adversary.view import look
from discreet.attack.base import Attack
from discreet.attack.guessing import asked_here, asked_outside, lines_of
from discreet.attack.learning import LEFT_OUT, LIBRARY, ONLINE, OUTSIDE, BestRule, learning_attacks
from discreet.compare.scene import Scene
from discreet.table.source import open_table

pytestmark = pytest.mark.full  # how well they guess is what this is about


def people(rows: int, seed: int, noise: float = 0.0) -> pl.DataFrame:
    """Return people whose illness follows from their job, but for some noise."""
    rng = np.random.default_rng(seed)
    job, age = rng.integers(0, 4, rows), rng.integers(20, 26, rows)
    ill = np.where(rng.random(rows) < noise, rng.integers(0, 4, rows), job)
    return pl.DataFrame({"job": [f"j{n}" for n in job], "age": [str(n) for n in age], "ill": [f"i{n}" for n in ill]})


POLICY = d.Policy(
    columns={"age": d.Column(type="number")},
    protect=[d.Template(given=["job", "age"], infer={"ill": "i0"}, at_most="99%")],
)


def attacked(
    table: pl.DataFrame, released: pl.DataFrame | None = None, control: pl.DataFrame | None = None
) -> dict[str, Attack]:
    engine = open_table(table, POLICY)
    release = engine if released is None else open_table(released, POLICY, released=True)
    places = np.arange(engine.rows) if release.rows == engine.rows else None
    outside = None if control is None else open_table(control, POLICY)
    scene = Scene(release, engine, POLICY, places, control=outside, seed=0)
    return {attack.name: attack for task in learning_attacks(scene) for attack in task.run()}


@pytest.mark.slow
def test_what_follows_is_learned_by_all_and_is_no_leak() -> None:
    found = attacked(people(400, 0))
    assert {"naive_bayes", "id3", "c45", "rules", "decision_tree", *LIBRARY} <= set(found)
    for attack in found.values():
        assert attack.kind == "inference"
        assert attack.target == "ill"
        assert attack.control_by == LEFT_OUT
        assert attack.released.share is not None
        assert attack.released.share > 0.95, attack.name
        assert attack.control is not None
        assert (attack.control.share or 0) > 0.9, attack.name
        assert attack.warnings == ()
        assert attack.baseline is not None
        assert (attack.baseline.share or 1) < 0.5


@pytest.mark.slow
def test_what_only_ones_own_row_tells_is_a_leak() -> None:
    table = people(400, 1, noise=1.0).with_columns(age=pl.Series([str(n) for n in range(400)]))
    found = attacked(table)
    forest = found["random_forest"]
    assert (forest.released.share or 0) > 0.9
    assert forest.control is not None
    assert (forest.control.share or 1) < 0.5
    assert any("'ill' of people in the table" in warning for warning in forest.warnings)
    assert not any(f"i{n}" in warning for warning in forest.warnings for n in range(4))


@pytest.mark.slow
def test_people_outside_are_the_control_where_they_are_given() -> None:
    found = attacked(people(300, 2), control=people(200, 3))
    for attack in found.values():
        assert attack.control_by == OUTSIDE
        assert attack.control is not None
        assert attack.control.tries == 200
        assert (attack.control.share or 0) > 0.9, attack.name


@pytest.mark.slow
def test_a_release_that_tells_nothing_teaches_nothing() -> None:
    table = people(400, 4)
    hidden = table.with_columns(job=pl.lit("*"), age=pl.lit("*"))
    found = attacked(table, hidden)
    for attack in found.values():
        assert attack.baseline is not None
        if attack.name in ("rules", "k_nearest", *ONLINE):  # no rule, nobody nearer, and any value as good as another
            assert attack.released.right <= attack.baseline.right
        else:
            assert attack.released.right == pytest.approx(attack.baseline.right), attack.name
        assert (attack.original.share if attack.original else 0) or 0 > 0.9


@pytest.mark.slow
def test_intervals_are_understood_by_learners() -> None:
    rng = np.random.default_rng(6)
    age = rng.integers(20, 60, 600)
    table = pl.DataFrame({"job": ["j"] * 600, "age": [str(n) for n in age], "ill": [f"i{n // 10}" for n in age]})
    released = table.with_columns(age=pl.Series([f"[{n // 10 * 10}, {n // 10 * 10 + 10})" for n in age]))
    found = attacked(table, released)
    for name in ("random_forest", "gradient_boosting", "k_nearest"):
        assert (found[name].released.share or 0) > 0.95, name


def test_without_knowing_whose_row_is_whose_people_are_found_by_their_values() -> None:
    table = people(300, 7)
    released = table.with_columns(age=pl.lit("*")).sample(280, shuffle=True, seed=1)
    found = attacked(table, released)
    assert (found["naive_bayes"].released.share or 0) > 0.95
    assert (found["linear_svm"].released.share or 0) > 0.95
    assert found["naive_bayes"].control is None


def test_lines_take_the_narrowest_text_over_a_value() -> None:
    table = pl.DataFrame({"job": ["a", "b"], "age": ["25", "41"], "ill": ["x", "y"]})
    released = pl.DataFrame({"job": ["a", "*"], "age": ["[20, 30)", "[20, 60)"], "ill": ["x", "y"]})
    engine, release = open_table(table, POLICY), open_table(released, POLICY, released=True)
    scene = Scene(release, engine, POLICY)
    view = look(release, POLICY, "ill", ["job", "age"], engine)
    nodes = lines_of(scene, view, engine, np.array([0, 1])).nodes
    age = view.predictors[1].tree
    assert [age.domain[age.leaf_of[node]] for node in nodes[:, 1]] == ["[20, 30)", "[20, 60)"]
    assert nodes[1, 0] == 0  # nobody is shown as a b
    assert nodes[0, 0] != 0


def test_people_without_a_value_are_not_asked_about() -> None:
    table = people(40, 8).with_columns(ill=pl.when(pl.int_range(40) < 5).then(None).otherwise(pl.col("ill")))
    policy = POLICY.model_copy(update={"missing": d.Missing(rows="unknown")})
    engine = open_table(table, policy)
    scene = Scene(engine, engine, policy, np.arange(40))
    view = look(engine, policy, "ill", ["job", "age"], engine)
    assert len(asked_here(scene, view, np.arange(40))) == 35
    assert asked_outside(scene, view) is None


def test_the_most_confident_rule_is_taken() -> None:
    rows = [("a", "x", "i")] * 6 + [("a", "y", "k")] * 5 + [("b", "y", "i")] * 2
    table = pl.DataFrame(rows, schema=["job", "age", "ill"], orient="row")
    policy = d.Policy(protect=[d.Template(given=["job", "age"], infer={"ill": "i"}, at_most="99%")])
    engine = open_table(table, policy)
    view = look(engine, policy, "ill", ["job", "age"], engine)
    guesses = BestRule().train(view).guess(view.lines(np.array([0, 6, 11])))
    best = [[guesses.values[place] for place in np.flatnonzero(line)] for line in guesses.best]
    assert best[0] == ["i"]
    assert best[1] == ["k"]
    assert best[2] == ["k"]  # by age y alone: the rule over both has too few rows
