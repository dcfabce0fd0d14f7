"""From the adversaries that a policy names to those that guess, a line each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discreet.adversary.base import AdversaryGuesser, Trained
from discreet.adversary.bayesian_network import NetworkGuesser
from discreet.adversary.c45 import C45Guesser
from discreet.adversary.id3 import Id3Guesser
from discreet.adversary.learners import LibraryGuesser
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.rules import RulesGuesser
from discreet.adversary.view import View
from discreet.adversary.words import WordsGuesser
from discreet.common.registry import Sides
from discreet.policy.adversaries import C45, Adversary, BagOfWords, BayesianNetwork, Id3, Learner, NaiveBayes, Rules


@dataclass(frozen=True)
class GuesserKind:
    """How an adversary of a policy guesses."""

    make: Callable[[Any], AdversaryGuesser]
    """From what the policy says of it."""
    rough: AdversaryGuesser | None = None
    """How it guesses besides where classes are told roughly, if that may be read in two ways."""
    is_quick: bool = False
    """Whether it only counts, and is soon done."""
    ways: tuple[int, int] = (200, 2_000)
    """So many rows it is asked about where all ways to fill one are tried: quickly, and thoroughly."""


GUESSERS: Sides[GuesserKind] = Sides("guesser")
GUESSERS.add(
    NaiveBayes,
    GuesserKind(
        lambda said: NaiveBayesGuesser(said.nulls or "count", said.laplace), is_quick=True, ways=(4_000, 40_000)
    ),
)
GUESSERS.add(
    Id3,
    # Classes that are told roughly train a tree as the commonest one that they can be, or not at all.
    GuesserKind(lambda _: Id3Guesser(), rough=Id3Guesser(leaves_out=True), is_quick=True, ways=(1_000, 10_000)),
)
GUESSERS.add(
    Rules,
    GuesserKind(
        lambda said: RulesGuesser(said.min_confidence, said.min_support, said.denominator),
        is_quick=True,
    ),
)
GUESSERS.add(C45, GuesserKind(lambda _: C45Guesser(), is_quick=True, ways=(400, 4_000)))
GUESSERS.add(BayesianNetwork, GuesserKind(lambda _: NetworkGuesser(), is_quick=True, ways=(400, 4_000)))
GUESSERS.add(BagOfWords, GuesserKind(lambda _: WordsGuesser(), is_quick=True))
GUESSERS.add(Learner, GuesserKind(lambda said: LibraryGuesser(said.name)))


def make(adversary: Adversary) -> AdversaryGuesser:
    """Return the adversary that a policy names (of `Confidential.adversaries`, where nothing is left unsaid).

    >>> from discreet.policy.adversaries import Id3
    >>> make(Id3()).name
    'id3'
    """
    return GUESSERS.of(adversary).make(adversary)


def readings(adversary: Adversary, view: View) -> tuple[Trained, ...]:
    """Return an adversary who has seen a release, once for each meaning that is promised of what it tells roughly."""
    rough = GUESSERS.of(adversary).rough
    found = [make(adversary).train(view)]
    if rough is not None and view.tells_roughly:
        found.append(rough.train(view))
    return tuple(found)
