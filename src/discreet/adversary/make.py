"""From the adversaries that a policy names to those that guess."""

from __future__ import annotations

from discreet.adversary.base import Guesser
from discreet.adversary.id3 import Id3Guesser
from discreet.adversary.learners import LibraryGuesser
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.rules import RulesGuesser
from discreet.policy.confidential import Adversary, Id3, NaiveBayes, Rules


def make(adversary: Adversary) -> Guesser:
    """Return the adversary that a policy names (of `Confidential.adversaries`, where nothing is left unsaid).

    >>> from discreet.policy.confidential import Id3
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
