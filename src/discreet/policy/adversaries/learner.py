"""Who trains a learner of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args

from discreet.policy.adversaries.base import Adversary
from discreet.policy.cell_methods import AGAINST_TREES, Hideable

LearnerName = Literal[
    "logistic_regression",
    "linear_svm",
    "random_forest",
    "gradient_boosting",
    "k_nearest",
    "decision_tree",
    "perceptron",
    "multilayer_perceptron",
    "winnow",
]
TREES = ("decision_tree",)
"""Learners that are one tree, whose walk HID3 can stop."""


class Learner(Adversary):
    """An adversary who trains a learner of scikit-learn (extra `attacks`) on the released rows with a known class.

    Parameters
    ----------
    name
        The learner, such as `"random_forest"` or `"logistic_regression"`.
    """

    names: ClassVar[tuple[str, ...]] = get_args(LearnerName)
    unbounded: ClassVar[str] = (
        "does not know rows of which only a part is told, and its figures differ between machines, so that nobody "
        "could verify a bound; of all adversaries only naive_bayes, without options, can be a reference"
    )
    name: LearnerName

    @classmethod
    def named(cls, name: str, options: Mapping[str, Any]) -> Self:
        """Return the learner of a name."""
        if options:
            raise ValueError(f"{name}: has no options")
        return cls(name=name)

    @classmethod
    def described(cls) -> str:
        """Return what people are told that may be written."""
        return "a learner of scikit-learn"

    @classmethod
    def needs_options(cls) -> bool:
        """Whether its word alone does not say enough."""
        return False

    @classmethod
    def options_schema(cls) -> dict[str, Any]:
        """Return that nothing may be said of it, as JSON Schema."""
        return {"type": ["object", "null"], "maxProperties": 0}

    def options(self) -> dict[str, Any]:
        """Return nothing: its name says it all."""
        return {}

    @property
    def compares_numbers(self) -> bool:
        """Whether it is given numbers as they are: a tree asks for thresholds."""
        return self.name in TREES

    @classmethod
    def met(cls, method: str) -> tuple[str, ...]:
        """Return the words of those that a method is against."""
        return TREES if method in AGAINST_TREES else ()

    @property
    def met_by(self) -> tuple[str, ...]:
        """The methods that may be against it besides those for all: HID3, if it is a tree."""
        return AGAINST_TREES if self.name in TREES else ()

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:
        """Return the method against it where the policy names none."""
        return AGAINST_TREES[0] if self.name in TREES else super().usual_defence(may_hide)
