"""From the adversaries that a policy names to those that guess."""

from __future__ import annotations

from discreet.adversary.base import AdversaryGuesser, Trained
from discreet.adversary.id3 import Id3Guesser
from discreet.adversary.learners import LibraryGuesser
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.rules import RulesGuesser
from discreet.adversary.view import View
from discreet.policy.adversaries import Adversary, Id3, NaiveBayes, Rules


def make(adversary: Adversary) -> AdversaryGuesser:
    """Return the adversary that a policy names (of `Confidential.adversaries`, where nothing is left unsaid).

    >>> from discreet.policy.adversaries import Id3
    >>> make(Id3()).name
    'id3'
    """
    if isinstance(adversary, NaiveBayes):
        return NaiveBayesGuesser(adversary.nulls or "count", adversary.laplace)
    if isinstance(adversary, Id3):
        return Id3Guesser()
    if isinstance(adversary, Rules):
        return RulesGuesser(adversary.min_confidence, adversary.min_support, adversary.denominator)
    return LibraryGuesser(adversary.name)


def readings(adversary: Adversary, view: View) -> tuple[Trained, ...]:
    """Return an adversary who has seen a release, once for each meaning that is promised of what it tells roughly.

    Classes that are told roughly train an ID3 tree as the commonest one that they can be, or not at all.
    """
    found = [make(adversary).train(view)]
    if isinstance(adversary, Id3) and view.tells_roughly:
        found.append(Id3Guesser(leaves_out=True).train(view))
    return tuple(found)
