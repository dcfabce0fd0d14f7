"""Intervals are right: attacks with known rates, over and over, and how often the interval has the rate in it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import look
from discreet.attack.guessing import asked_here
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.table.source import open_table


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.83, 0.99])
@pytest.mark.parametrize("tries", [60, 300, 1000])
def test_whole_successes_are_covered(rate: float, tries: int) -> None:
    right = np.random.default_rng(tries).binomial(tries, rate, 3_000)
    intervals = [Rate(int(number), tries).interval for number in right.tolist()]
    covered = np.mean([low <= rate <= high for low, high in intervals])
    assert 0.92 < covered < 0.99


@pytest.mark.parametrize("spread", [0.2, 1.0, 5.0])
def test_means_of_probabilities_are_covered_at_least_as_often(spread: float) -> None:
    rng = np.random.default_rng(5)
    chances = rng.beta(0.3 * spread, 0.7 * spread, (3_000, 200))
    intervals = [Rate(float(line.sum()), 200).interval for line in chances]
    assert np.mean([low <= 0.3 <= high for low, high in intervals]) > 0.945


@pytest.mark.slow
def test_a_sampled_attack_covers_what_it_finds_on_everybody() -> None:
    rng = np.random.default_rng(3)
    job = rng.integers(0, 6, 12_000)
    ill = np.where(rng.random(12_000) < 0.7, job % 3, rng.integers(0, 3, 12_000))
    table = pl.DataFrame({"job": [f"j{n}" for n in job], "ill": [f"i{n}" for n in ill]})
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "i0"}, at_most="90%")])
    engine = open_table(table, policy)
    view = look(engine, policy, "ill", ["job"], engine)
    trained = NaiveBayesGuesser().train(view)
    everybody = np.arange(engine.rows)
    known = asked_here(Scene(engine, engine, policy, everybody), view, everybody).right(trained).share
    assert known is not None
    assert 0.7 < known < 0.9  # 0.7 + 0.3 / 3
    found = []
    for seed in range(300):
        scene = Scene(engine, engine, policy, everybody, seed=seed)
        rate = asked_here(scene, view, scene.people).right(trained)
        assert rate.tries == 1_000
        found.append(rate.interval[0] <= known <= rate.interval[1])
    assert 0.92 < np.mean(found) <= 1


def test_nothing_tried_tells_nothing() -> None:
    assert Rate(0, 0).share is None
    assert Rate(0, 0).interval == (0.0, 1.0)
