"""Searches and learners as tests have them: fewer starts of a search, forests of few trees, boosting of few rounds.

Half of the time of small jobs went into looking again and again for what is found at once there, and most of an audit's
into trees. Most tests look at what is done with a plan or with a learner's guesses, not at how good they are. Files of
tests that compare figures with what a user gets are marked `full`: there everything is as users have it. So it is in
programs that tests start, and nightly.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from discreet.adversary import learners as adversaries
from discreet.measure import learning as measures
from discreet.planning import cutting
from tests.profiles import NIGHTLY

KICKS = 20
TREES = ROUNDS = 5

Make = Callable[..., Any]
Learners = tuple[dict[str, Any], dict[str, Any]]


def _small(make: Make | None) -> Make | None:
    """Return what makes a smaller learner."""
    if make is None:
        return None

    def made(*arguments: Any) -> Any:
        learner = make(*arguments)
        for name, most in (("n_estimators", TREES), ("max_iter", ROUNDS)):
            if hasattr(learner, name):
                setattr(learner, name, most)
        return learner

    return made


_whole: Learners = dict(adversaries.LEARNERS), dict(measures._LEARNERS)
_forest = _whole[1]["random_forest"]
_few: Learners = (
    {name: _small(_whole[0][name]) for name in ("random_forest", "gradient_boosting", "multilayer_perceptron")},
    {"random_forest": replace(_forest, classifier=_small(_forest.classifier), regressor=_small(_forest.regressor))},
)
_most_kicks = cutting.MOST_KICKS


def _take(some: Learners, kicks: int) -> None:
    adversaries.LEARNERS.update(some[0])
    measures._LEARNERS.update(some[1])
    cutting.MOST_KICKS = kicks


def be_lighter() -> None:
    """Search and learn less from now on, unless it is night."""
    if not NIGHTLY:
        _take(_few, KICKS)


@contextlib.contextmanager
def in_full() -> Iterator[None]:
    """Search and learn as users do within this block."""
    _take(_whole, _most_kicks)
    try:
        yield
    finally:
        be_lighter()
