"""From the adversaries that a policy names to those that guess."""

from __future__ import annotations

from discreet.adversary.base import Guesser
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.policy.confidential import Adversary, NaiveBayes


def make(adversary: Adversary) -> Guesser:
    """Return the adversary that a policy names (of `Confidential.adversaries`, where nothing is left unsaid)."""
    if isinstance(adversary, NaiveBayes):
        return NaiveBayesGuesser(adversary.nulls or "count", adversary.laplace)
    raise NotImplementedError(adversary.name)
