"""Who trains a Bayesian network."""

from __future__ import annotations

from typing import ClassVar

from discreet.policy.adversaries.base import Adversary


class BayesianNetwork(Adversary):
    """An adversary who trains a Bayesian network on the released rows with a known class: tree-augmented naive Bayes.

    Examples
    --------
    >>> BayesianNetwork().name
    'bayesian_network'
    """

    names: ClassVar[tuple[str, ...]] = ("bayesian_network",)
    unbounded: ClassVar[str] = (
        "is reckoned here for rows that are told whole, not for blocks and hidden predictors; of all adversaries only "
        "naive_bayes, without options, can be a reference"
    )

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "bayesian_network"
