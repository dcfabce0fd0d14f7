"""How well the targets of the use are learned from the original, from the release, and without what was protected.

The errors BE, SE and RE of Wang, Fung and Yu, by several learners of scikit-learn (extra `attacks`). Rows are split at
random; who is learned from the original is tested on original rows, who from the release on released ones, the same
people where it is known who they are. Figures for reports, from samples: small differences mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from discreet.adversary.forest import random_forest
from discreet.adversary.learners import quietly
from discreet.common.own_program import learners, load_learners
from discreet.compare.beside import Beside
from discreet.compare.features import Encoding, numbers_of
from discreet.compare.meanings import Floats, Sense
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy.uses import PredictingUse

QUICK, THOROUGH = 10_000, 50_000
"""Rows that train at most; half as many test."""
_SEED = 0


@dataclass(frozen=True)
class LearnedTarget:
    """How well a target is learned, by one learner, scored on rows that did not train.

    `original` from the original table, `released` from the release, `without` from what is left of the original if
    `without_columns` are simply cut out instead of protected: the sensitive and confidential ones, or where there are
    none those that were changed. `score` is `error` for a class (the share of wrong guesses; lower is better) and `r2`
    for a number (the share of the variance explained; higher is better). `nothing` knows no column at all.
    """

    target: str
    learner: str
    score: str
    original: float
    released: float
    without: float | None
    nothing: float
    rows: int
    without_columns: tuple[str, ...] = ()


def learn(scene: Scene, names: Sequence[str]) -> tuple[tuple[LearnedTarget, ...], tuple[str, ...]]:
    """Return how well each target of the use is learned from some columns, and what there is to say about it."""
    goals = [goal for goal in scene.policy.goals if goal.target in names]
    if not goals:
        return (), ()
    if not load_learners():
        return (), ("how well targets are learned needs scikit-learn; install discreet[attacks]",)
    found: list[LearnedTarget] = []
    notes: list[str] = []
    for goal in goals:
        job = _LearningJob(scene, goal, tuple(names))
        for learner in _LEARNERS:
            if scene.late:
                notes.append(f"there was no time to learn {goal.target!r} by {learner}")
                continue
            learned = job.learned(learner)
            found += [] if learned is None else [learned]
        notes += job.notes()
    return tuple(found), tuple(notes)


@dataclass(frozen=True)
class _LearningTable:
    """Rows that train and rows that test, as numbers, and what is to be learned (NaN or -1: not known)."""

    features: Callable[[Ints, str], Any]
    train: Ints
    test: Ints
    y_train: Floats
    y_test: Floats
    _kept: dict[tuple[str, bool], Any] = field(default_factory=dict)

    def numbers(self, form: str, *, test: bool) -> Any:
        """Return the rows that train, or test, whose target is known; learners share them."""
        if (form, test) not in self._kept:
            rows, aims = (self.test, self.y_test) if test else (self.train, self.y_train)
            self._kept[form, test] = self.features(rows[np.isfinite(aims)], form)
        return self._kept[form, test]


@dataclass(frozen=True)
class _LearningJob:
    """One target to be learned."""

    scene: Scene
    goal: PredictingUse
    names: tuple[str, ...]

    @property
    def classes(self) -> bool:
        return not self.goal.reads_numbers

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if self.goal.sees(name) and name != self.goal.target)

    @cached_property
    def cut(self) -> tuple[str, ...]:
        """The columns that would have to be cut out instead."""
        policy = self.scene.policy
        protected = policy.sensitive | {requirement.column for _, requirement in policy.cells()}
        cut = tuple(name for name in self.inputs if name in protected)
        return cut or tuple(name for name in self.inputs if not bool(self.columns[name].unchanged.all()))

    @cached_property
    def columns(self) -> dict[str, Beside]:
        return {name: Beside(self.scene, name) for name in self.inputs}

    @cached_property
    def aim(self) -> Sense:
        return self.scene.sense(self.goal.target)

    @cached_property
    def _split(self) -> tuple[Ints, Ints]:
        """Released rows that train and that test."""
        most = THOROUGH if self.scene.thorough else QUICK
        rows = np.random.default_rng(self.scene.seed).permutation(self.scene.released.rows).astype(np.int64)
        test = len(rows) // 3
        return np.sort(rows[test : test + most]), np.sort(rows[: min(test, most // 2)])

    def _aims(self, places: Ints) -> Floats:
        """Return values of the target, by their places, as classes or numbers; NaN where there is none."""
        known = (places >= 0) & self.aim.known[np.maximum(places, 0)]
        if self.classes:
            return np.where(known, places.astype(np.float64), np.nan)
        numbers = numbers_of(self.aim) if self.aim.numbers is None else self.aim.numbers
        return np.where(known, np.nan if numbers is None else numbers[np.maximum(places, 0)], np.nan)

    @cached_property
    def _released_aims(self) -> Floats:
        """The target as released, where a text tells one value."""
        begin, covered, _ = self.aim.shares()
        one = np.diff(begin) == 1
        return self._aims(np.where(one, np.append(covered, -1)[np.where(one, begin[:-1], -1)], -1)[self.aim.codes])

    @cached_property
    def _true(self) -> Floats:
        """The target of each row of the original."""
        return self._aims(self.aim.values_of(self.scene.original))

    @cached_property
    def released(self) -> _LearningTable:
        """The release."""
        train, test = self._split
        places = self.scene.places
        true = self._released_aims if places is None else self._true[places]
        return _LearningTable(self._features_released, train, test, self._released_aims[train], true[test])

    @cached_property
    def original(self) -> _LearningTable:
        """The original."""
        return self._original()

    @cached_property
    def without(self) -> _LearningTable:
        """The original without what would have to be cut out."""
        return self._original(self.cut)

    def _original(self, cut: Sequence[str] = ()) -> _LearningTable:
        """Return the same people in the original, or as many others; without some columns."""
        train, test = self._split
        if self.scene.places is None:
            rows = np.random.default_rng(self.scene.seed).permutation(self.scene.original.rows).astype(np.int64)
            train, test = rows[len(test) : len(test) + len(train)], rows[: len(test)]
        else:
            train, test = self.scene.places[train], self.scene.places[test]
        names = [name for name in self.inputs if name not in cut]
        return _LearningTable(
            lambda rows, form: self._features_original(rows, form, names),
            train,
            test,
            self._true[train],
            self._true[test],
        )

    def _features_released(self, rows: Ints, form: str) -> Any:
        if form == "bins":
            return _stacked([column.shares[column.sense.codes[rows]] for column in self.columns.values()])
        return Encoding.of([column.sense for column in self.columns.values()]).released(rows)

    def _features_original(self, rows: Ints, form: str, names: Sequence[str]) -> Any:
        columns = [self.columns[name] for name in names]
        if form == "bins":
            return _stacked([_one_of(c.bins[c.original[rows]], c.shares.shape[1]) for c in columns])
        encoding = Encoding.of([column.sense for column in columns])
        return encoding.originals([column.original[rows] for column in columns])

    def learned(self, name: str) -> LearnedTarget | None:
        """Return how well a learner does; None where it cannot learn such a target."""
        learner = _LEARNERS[name]
        make = learner.classifier if self.classes else learner.regressor
        if make is None or not self.inputs:
            return None
        released = self.released
        scores = [self._score(make, learner.form, table) for table in (self.original, released)]
        left = [column for column in self.inputs if column not in self.cut]
        without = self._score(make, learner.form, self.without) if self.cut and left else None
        if scores[0] is None or scores[1] is None:
            return None
        nothing = self._nothing()
        return LearnedTarget(
            target=self.goal.target,
            learner=name,
            score="error" if self.classes else "r2",
            original=scores[0],
            released=scores[1],
            without=without if left or not self.cut else nothing,
            nothing=nothing,
            rows=int(np.isfinite(released.y_test).sum()),
            without_columns=self.cut,
        )

    def _score(self, make: Callable[[], Any], form: str, table: _LearningTable) -> float | None:
        """Return the error or the share of variance explained on the rows that test; None when there is no telling."""
        train, test = np.isfinite(table.y_train), np.isfinite(table.y_test)
        if not train.any() or not test.any():
            return None
        y, true = table.y_train[train], table.y_test[test]
        if len(np.unique(y)) < 2:
            return self._judged(np.full(len(true), y[0]), true)
        model = make()
        with quietly():
            model.fit(table.numbers(form, test=False), y)
            return self._judged(model.predict(table.numbers(form, test=True)), true)

    def _judged(self, guesses: Floats, true: Floats) -> float:
        if self.classes:
            return float((guesses != true).mean())
        spread = float(((true - true.mean()) ** 2).sum())
        return 1.0 - float(((guesses - true) ** 2).sum()) / spread if spread else 0.0

    def _nothing(self) -> float:
        """Return the score of who knows no column of any row, but the commonest class, or the mean, of all."""
        true = self._true[np.isfinite(self._true)]
        values, counts = np.unique(true, return_counts=True)
        guess = values[counts.argmax()] if self.classes else true.mean()
        return self._judged(np.full(len(true), guess), true)

    def notes(self) -> Iterator[str]:
        """Yield on how many rows it was done."""
        train, test = self._split
        if len(train) + len(test) < self.scene.released.rows:
            yield f"{self.goal.target!r} is learned from {len(train)} rows and tested on {len(test)}, drawn at random"


def _stacked(parts: Sequence[Floats]) -> Any:
    from scipy import sparse

    return sparse.csr_matrix(np.hstack(parts))


def _one_of(bins: Ints, size: int) -> Floats:
    """Return 1 in the bin of each, nothing for -1."""
    found = np.zeros((len(bins), size))
    some = bins >= 0
    found[np.flatnonzero(some), bins[some]] = 1.0
    return found


@dataclass(frozen=True)
class _LearnerKind:
    """How a learner is made for classes and for numbers, and in which form it takes the rows."""

    classifier: Callable[[], Any] | None
    regressor: Callable[[], Any] | None
    form: str = "numbers"


def _tree() -> Any:
    return learners("sklearn.tree").DecisionTreeClassifier(min_samples_leaf=5, random_state=_SEED)


def _tree_of_numbers() -> Any:
    return learners("sklearn.tree").DecisionTreeRegressor(min_samples_leaf=5, random_state=_SEED)


def _forest() -> Any:
    return random_forest(_SEED, trees=30, least=2)


def _forest_of_numbers() -> Any:
    return learners("sklearn.ensemble").RandomForestRegressor(n_estimators=30, min_samples_leaf=2, random_state=_SEED)


def _logistic() -> Any:
    return learners("sklearn.linear_model").LogisticRegression(max_iter=200, random_state=_SEED)


def _linear() -> Any:
    return learners("sklearn.linear_model").Ridge()


def _bayes() -> Any:
    return learners("sklearn.naive_bayes").MultinomialNB()


_LEARNERS: dict[str, _LearnerKind] = {
    "decision_tree": _LearnerKind(_tree, _tree_of_numbers),
    "random_forest": _LearnerKind(_forest, _forest_of_numbers),
    "logistic_regression": _LearnerKind(_logistic, None),
    "ridge": _LearnerKind(None, _linear),
    "naive_bayes": _LearnerKind(_bayes, None, "bins"),
}
