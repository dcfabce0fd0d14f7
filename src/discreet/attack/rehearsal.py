"""Rehearsal of blind protection: rows of the rest protected as if their cell were confidential, and guessed.

The references are bounded; other learners are not. Here they try: each is trained on what would be released of
rehearsed rows, stars as values of their own, as who knows the method would. It uses the rest only, so that its
figures may choose a margin without harm. Not a promise: what is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.adversary.base import Floats
from discreet.adversary.learners import fitted
from discreet.attack.learning import has_library
from discreet.attack.surest import surest_fifth
from discreet.common.rates import Rate
from discreet.common.shares import short_percent
from discreet.encoded import Ints
from discreet.method.cells.blind_table import BlindKind
from discreet.planning.blind import BlindPlanning
from discreet.planning.blind_rows import BlindCells, BlindRows, asked_by

MOST_ROWS, MOST_REST = 1_000, 20_000
"""Rows that are rehearsed, and rows that the references learn from then."""
LIBRARY = ("logistic_regression", "random_forest", "gradient_boosting", "k_nearest")
REMEDY = "write blocks: none, or a smaller margin"
_LEVEL = 0.05

Told = npt.NDArray[np.int64]
"""By row and predictor: the element that is told, or as many as there are elements for a star."""


class ShownRow(NamedTuple):
    """What is told of some rows."""

    told: Told
    numbers: Floats
    """By row and predictor: the number that is told, as a part of how far numbers of the column are apart."""

    def at(self, which: npt.NDArray[np.bool_]) -> ShownRow:
        """Return only some of them."""
        return ShownRow(self.told[which], self.numbers[which])


@dataclass(frozen=True)
class LearnerRate:
    """How often a learner is right that knows the method, beside the limit of the values that it guesses."""

    name: str
    right: Rate
    limit: float
    surest: Rate
    """In the fifth of the cells about which it is surest."""
    surest_limit: float
    passes: bool
    """Whether it is right more often than the limit, beyond what chance explains for so many learners."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "learner": self.name,
            "right": self.right.to_dict(),
            "limit": self.limit,
            "surest": self.surest.to_dict(),
            "surest_limit": self.surest_limit,
            "passes": self.passes,
        }


@dataclass(frozen=True)
class RehearsedColumn:
    """What a rehearsal comes to for one confidential column."""

    column: str
    rows: int
    hidden: float
    """Predictors of a row that are hidden, on average."""
    predictors: int
    commonest: float
    """The share of the commonest value, which needs nothing to guess."""
    limits: tuple[float, float]
    """The smallest and the largest of its values."""
    learners: tuple[LearnerRate, ...]

    @property
    def warnings(self) -> Iterator[str]:
        """Where a learner passes the limit, and what helps."""
        for each in self.learners:
            if each.passes:
                sure = short_percent(each.surest.share or 0.0)
                yield (
                    f"rehearsal of {self.column!r}: {each.name}, which knows the method, is right on "
                    f"{short_percent(each.right.share or 0.0)} of the cells (limit {short_percent(each.limit)}) and on "
                    f"{sure} of the fifth about which it is surest (limit {short_percent(each.surest_limit)}); {REMEDY}"
                )

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "column": self.column,
            "rows": self.rows,
            "hidden": self.hidden,
            "predictors": self.predictors,
            "commonest": self.commonest,
            "limits": list(self.limits),
            "learners": [each.to_dict() for each in self.learners],
        }


class Rehearsal:
    """Rows of the rest of a table, protected as those of the commonest kind with a confidential cell of a column."""

    def __init__(self, planning: BlindPlanning, column: str) -> None:
        self.planning, self.column = planning, column
        self.secret = planning.columns.index(column)
        kinds = {kind: len(rows) for kind, rows in planning.walked.kinds.items() if self.secret in kind.secrets}
        self.kind: BlindKind = max(kinds, key=lambda kind: kinds[kind])
        made = planning.walked.rest.secrets[self.secret]
        self.values = made.number
        self.shares: Floats = made.rows / made.known
        at = self.kind.secrets.index(self.secret)
        self.limits: Floats = np.array([float(limit) for limit in planning.walked.rest.limits(self.kind)[at]])
        read = planning.read[self.secret]
        value_of = np.full(len(read.elements), -1, dtype=np.int64)
        value_of[list(read.blind.values)] = np.arange(self.values)
        self.value_of = value_of
        known = np.flatnonzero(~planning.secret & (value_of[read.codes] >= 0))
        step = max(len(known), 1)
        self.rows: Ints = known[np.arange(min(MOST_ROWS, len(known))) * step // max(min(MOST_ROWS, len(known)), 1)]
        self.true: Ints = value_of[read.codes[self.rows]]
        self.fold = np.arange(len(self.rows)) % 2

    @cached_property
    def told(self) -> Told:
        """What would be released of the rows."""
        stars = np.array([len(self.planning.read[place].elements) for place in self.kind.predictors], dtype=np.int64)
        found = np.tile(stars, (len(self.rows), 1))
        at = {place: number for number, place in enumerate(self.kind.predictors)}
        line = {int(row): number for number, row in enumerate(self.rows)}
        for fold in (0, 1):
            for each in self._walked(self.rows[self.fold == fold]).tell():
                for place, fact in each.facts:
                    if isinstance(fact, int):
                        rows = list(each.rows)
                        codes = self.planning.read[place].codes[rows]
                        found[[line[row] for row in rows], at[place]] = codes
        return found

    def _walked(self, fold: Ints) -> BlindRows:
        """Return rows as if they were confidential, the references trained on others."""
        planning = self.planning
        rest = ~planning.secret
        rest[fold] = False
        places = np.flatnonzero(rest)
        if len(places) > MOST_REST:
            rest[:] = False
            rest[places[np.arange(MOST_REST) * len(places) // MOST_REST]] = True
        columns = planning.read_for(rest)
        rows = fold.tolist()
        cells = [
            BlindCells(place, rows, self.kind.predictors, dict.fromkeys(rows, self.kind.known), limit)
            for place, limits in zip(self.kind.secrets, self.kind.limits, strict=True)
            for limit in limits
        ]
        order = [planning.columns.index(name) for name in planning.order if name in planning.columns]
        return BlindRows(columns, cells, asked_by(planning.blocks, planning.references), order)

    def learners(self) -> tuple[str, ...]:
        """Return who tries."""
        return ("naive_bayes", "nearest", *(LIBRARY if has_library() else ()))

    def learned(self, name: str, known: ShownRow, true: Ints, asked: ShownRow) -> Floats:
        """Return the probability that a learner gives each value, given rows to learn from and rows to guess."""
        if name == "naive_bayes":
            return self._bayes(known.told, true, asked.told)
        if name == "nearest":
            return self._nearest(known, true, asked)
        return self._library(name, known.told, true, asked.told)

    def shown(self, rows: Ints, told: Told) -> ShownRow:
        """Return what is told of rows, with the numbers themselves where they are told."""
        numbers = np.full(told.shape, np.nan)
        for column, place in enumerate(self.kind.predictors):
            name = self.planning.columns[place]
            scale = self.planning.scales[name]
            if scale is not None:
                encoded = self.planning.released.encoded(name)
                read = [None if self.planning.is_missing(text) else scale.read(text) for text in encoded.domain]
                floats = np.array([np.nan if value is None else float(value) for value in read])
                spread = np.nanmax(floats) - np.nanmin(floats) if np.isfinite(floats).any() else 0.0
                star = told[:, column] == len(self.planning.read[place].elements)
                numbers[:, column] = np.where(star, np.nan, floats[encoded.codes[rows]] / (spread or 1.0))
        return ShownRow(told, numbers)

    def _bayes(self, known: Told, true: Ints, asked: Told) -> Floats:
        scores = np.tile(np.log(np.bincount(true, minlength=self.values) + 1.0), (len(asked), 1))
        for column, place in enumerate(self.kind.predictors):
            size = len(self.planning.read[place].elements) + 1
            counts = np.ones((size, self.values))
            np.add.at(counts, (known[:, column], true), 1)
            scores += np.log(counts / counts.sum(axis=0))[asked[:, column]]
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        found: Floats = odds / odds.sum(axis=1, keepdims=True)
        return found

    def _nearest(self, known: ShownRow, true: Ints, asked: ShownRow) -> Floats:
        """Ask the five nearest rows: told numbers by how far they are apart, all else by whether it differs."""
        found = np.zeros((len(asked.told), self.values))
        for at in range(len(asked.told)):
            apart = np.abs(known.numbers - asked.numbers[at])
            far = np.where(np.isnan(apart), known.told != asked.told[at], apart).sum(axis=1)
            nearest = np.argsort(far, kind="stable")[:5]
            found[at] = np.bincount(true[nearest], minlength=self.values) / max(len(nearest), 1)
        return found

    def _library(self, name: str, known: Told, true: Ints, asked: Told) -> Floats:
        return fitted(name, self._numbers(known), true, self.values)(self._numbers(asked))

    def _numbers(self, told: Told) -> Any:
        """Return a sparse matrix with a column for each element and each star."""
        from scipy.sparse import csr_matrix

        sizes = np.array([len(self.planning.read[place].elements) + 1 for place in self.kind.predictors])
        start = np.concatenate([[0], np.cumsum(sizes)])
        columns = (start[:-1] + told).ravel()
        rows = np.repeat(np.arange(len(told)), told.shape[1])
        return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(told), int(start[-1])))

    def judged(self, name: str, chances: Floats, true: Ints, learners: int) -> LearnerRate:
        """Return how often a learner is right that gives values such chances."""
        guess = chances.argmax(axis=1)
        right = (guess == true).astype(np.float64)
        sure = chances[np.arange(len(guess)), guess]
        limit = self.limits[guess]
        all_right = Rate(float(right.sum()), len(right))
        fifth, allowed = surest_fifth(sure, right), surest_fifth(sure, limit)
        assert fifth is not None
        assert allowed is not None
        surest_limit = allowed.share or 0.0
        level = _LEVEL / max(2 * learners, 1)
        passes = _tail(all_right, float(limit.mean())) < level or _tail(fifth, surest_limit) < level
        return LearnerRate(name, all_right, float(limit.mean()), fifth, surest_limit, passes)

    def run(self) -> RehearsedColumn:
        """Let every learner guess each half of the rows by what it learned on the other."""
        who = self.learners()
        found = []
        shown = self.shown(self.rows, self.told)
        for name in who:
            chances = np.zeros((len(self.rows), self.values))
            for fold in (0, 1):
                here = self.fold == fold
                chances[here] = self.learned(name, shown.at(~here), self.true[~here], shown.at(here))
            found.append(self.judged(name, chances, self.true, len(who)))
        stars = np.array([len(self.planning.read[place].elements) for place in self.kind.predictors])
        hidden = float((self.told == stars).sum(axis=1).mean()) if len(self.rows) else 0.0
        limits = (float(self.limits.min()), float(self.limits.max()))
        commonest = float(self.shares.max())
        return RehearsedColumn(
            self.column, len(self.rows), hidden, len(self.kind.predictors), commonest, limits, tuple(found)
        )


def rehearsed(planning: BlindPlanning) -> dict[str, RehearsedColumn]:
    """Return the rehearsal of every confidential column."""
    names = dict.fromkeys(made.column for _, made in planning.requirements)
    return {name: Rehearsal(planning, name).run() for name in names}


def _tail(rate: Rate, chance: float) -> float:
    """Return how likely at least so many are right if each is with some chance, by the binomial distribution."""
    if chance >= 1 or rate.right <= 0:
        return 1.0
    tries, total = rate.tries, 0.0
    for hits in range(int(rate.right), tries + 1):
        ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(tries - hits + 1)
        total += exp(ways + hits * log(max(chance, 1e-300)) + (tries - hits) * log(1 - chance))
    return min(total, 1.0)
