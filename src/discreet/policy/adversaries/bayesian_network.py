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
        "chooses by all rows which columns depend on which, so that no limit can be asked cell by cell; of all "
        "adversaries only naive_bayes, without options, can be a reference"
    )

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "bayesian_network"
