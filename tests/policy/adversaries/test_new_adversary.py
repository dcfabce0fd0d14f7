"""An adversary that only this module knows works from the policy to the audit: nothing else must be touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import jsonschema
import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.adversary.base import Guesses, normalised
from discreet.adversary.make import GUESSERS, GuesserKind
from discreet.adversary.view import UNKNOWN, Lines, View
from discreet.assist.check import check_policy
from discreet.policy.adversaries import base as adversaries
from discreet.policy.adversaries.base import Adversary
from discreet.policy.schema import policy_schema


def written(table: pl.DataFrame, folder: Path) -> Path:
    table.write_csv(folder / "table.csv")
    return folder / "table.csv"


class Alike(Adversary):
    """Takes the commonest value of the rows that look alike."""

    names: ClassVar[tuple[str, ...]] = ("alike",)
    at_least: int = 1

    @property
    def name(self) -> str:
        return "alike"


@dataclass(frozen=True)
class AlikeGuesser:
    """The same as it guesses: among all rows where too few look alike."""

    at_least: int
    name: str = "alike"

    def train(self, view: View) -> TrainedAlike:
        return TrainedAlike(view, self.at_least)


@dataclass(frozen=True)
class TrainedAlike:
    """The same beside the rows that it has seen."""

    view: View
    at_least: int

    def guess(self, lines: Lines) -> Guesses:
        tree = self.view.classes.tree
        classes = tree.leaf_of[self.view.classes.nodes]
        counts = np.zeros((len(lines), len(tree.domain)))
        for place in range(len(lines)):
            alike = (classes >= 0) & (np.arange(len(classes)) != lines.places[place])
            known = alike.copy()
            for seen, node in zip(self.view.predictors, lines.nodes[place], strict=True):
                alike &= (seen.nodes == node) | (node == UNKNOWN)
            rows = alike if alike.sum() >= self.at_least else known
            counts[place] = np.bincount(classes[rows], minlength=len(tree.domain))
        return Guesses(tree.domain, normalised(counts), counts == counts.max(axis=1, keepdims=True))


@pytest.fixture
def adversary() -> Iterator[None]:
    """The adversary, as a module of the package would add it."""
    adversaries.register(Alike)
    GUESSERS.add(Alike, GuesserKind(lambda said: AlikeGuesser(said.at_least)))
    try:
        yield
    finally:
        adversaries.unregister(Alike)
        GUESSERS.remove(Alike)


PATIENTS = pl.DataFrame(
    {
        "Job": ["cook", "cook", "cook", "clerk", "clerk", "clerk", "judge", "judge"],
        "Town": ["Oslo", "Oslo", "Oslo", "Rome", "Oslo", "Oslo", "Rome", "Bari"],
        "Illness": ["flu", "flu", "flu", "cold", "cold", "cold", "gout", "gout"],
    }
)


def cells(*against: object, **more: object) -> dict[str, object]:
    return {"protect": [{"column": "Illness", "rows": [1], "against": list(against), **more}]}


@pytest.mark.usefixtures("adversary")
@pytest.mark.parametrize("said", ["alike", {"alike": {"at_least": 2}}])
def test_a_new_adversary_is_held_off(said: object, tmp_path: Path) -> None:
    policy = d.Policy.from_dict(cells(said))
    assert policy.to_dict()["protect"][0]["against"] == [said]  # type: ignore[index]
    assert d.Policy.from_dict(policy.to_dict()) == policy
    assert "whoever trains alike on" in policy.protect[0].in_words()  # type: ignore[union-attr]
    jsonschema.validate(cells(said), policy_schema())
    found = check_policy(policy, written(PATIENTS, tmp_path)).cells[0]
    assert found.to_dict()["methods"] == {"alike": "greedy"}
    assert found.hidden is not None
    assert found.hidden.against[0].guessed == 1
    release = d.protect(PATIENTS, policy, seed=1)
    assert release.audit.verification.holds
    assert d.verify(release.table, policy, original=PATIENTS).holds
    assert isinstance(release.table, pl.DataFrame)
    shown = release.table.with_columns(PATIENTS["Job"], PATIENTS["Town"])
    assert not d.verify(shown, policy, original=PATIENTS).holds


@pytest.mark.usefixtures("adversary")
def test_a_new_adversary_stands_beside_others_and_is_attacked() -> None:
    policy = d.Policy.from_dict(cells("alike", "naive_bayes", "id3"))
    release = d.protect(PATIENTS, policy, seed=1)
    found = release.audit.verification.requirements[0].cells
    assert found is not None
    assert [each.adversary for each in found.against] == ["alike", "naive_bayes", "id3"]
    audit = d.audit_release(release.table, policy, PATIENTS, time_limit=2)
    assert audit.attacks is not None


@pytest.mark.usefixtures("adversary")
def test_mistakes_about_a_new_adversary_are_told() -> None:
    for against, told in (
        (["alike", {"alike": {"at_least": 3}}], "against: an adversary is listed twice"),
        (["alyke"], "did you mean 'alike'?"),
        ([{"alike": {"most": 3}}], "alike: most: unknown field 'most'"),
    ):
        with pytest.raises(d.PolicyError) as refused:
            d.Policy.from_dict(cells(*against))
        assert told in str(refused.value)
    told = "method: hid3 is against id3, c45 or decision_tree; name one of them in against"
    with pytest.raises(d.PolicyError, match=told):
        d.Policy.from_dict(cells("alike", method="hid3"))


def test_an_adversary_that_is_gone_is_unknown() -> None:
    with pytest.raises(
        d.PolicyError,
        match="unknown adversary 'alike'; known: naive_bayes, id3, c45, bayesian_network, bag_of_words, rules, ",
    ):
        d.Policy.from_dict(cells("alike"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(cells("alike"), policy_schema())
