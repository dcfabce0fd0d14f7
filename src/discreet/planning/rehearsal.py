"""Rehearsal of blind protection: rows of the rest protected as if their cell were confidential, and guessed.

The references are bounded; other learners are not. Here they try: each is trained on what would be released of
rehearsed rows, stars as values of their own or as the blocks that they tell, as who knows the method would. It uses the
rest only, so that its figures may choose a margin without harm. Not a promise: what is measured.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from math import exp, lgamma, log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.adversary.base import Floats
from discreet.common.rates import Rate
from discreet.common.shares import percent
from discreet.common.surest import surest_fifth
from discreet.encoded import Ints
from discreet.method.cells.blind_table import BlindKind
from discreet.plan.rehearsed import LearnerRate, RehearsedColumn
from discreet.planning.blind import BlindPlanning
from discreet.planning.blind_reading import ReadColumn
from discreet.planning.blind_rows import BlindCells, BlindRows
from discreet.policy.blind import BY_REHEARSAL, MARGINS

MOST_ROWS, FEW_ROWS, MOST_REST = 1_000, 400, 20_000
"""Rows that are rehearsed, where it shall be quick, and rows that the references learn from then."""
OWN = ("naive_bayes", "nearest")
LIBRARY = ("logistic_regression", "random_forest", "gradient_boosting", "k_nearest")
BLOCKS = " on blocks"
"""Who reads stars as the blocks that they tell."""
_LEVEL = 0.05

Told = npt.NDArray[np.int64]
"""By row and predictor: the element that is told, as many as there are elements for a star, more for each block."""


class ShownRow(NamedTuple):
    """What is told of some rows."""

    told: Told
    numbers: Floats
    """By row and predictor: the number that is told, as a part of how far numbers of the column are apart."""

    def at(self, which: npt.NDArray[np.bool_]) -> ShownRow:
        """Return only some of them."""
        return ShownRow(self.told[which], self.numbers[which])


def has_library() -> bool:
    """Whether there are learners of the library."""
    return find_spec("sklearn") is not None


class Rehearsal:
    """Rows of the rest of a table, protected as those of the commonest kind with a confidential cell of a column."""

    def __init__(self, planning: BlindPlanning, column: str, *, quick: bool = False) -> None:
        """Take a planned table; if `quick`, few rows and no learners of the library."""
        self.planning, self.column, self.quick = planning, column, quick
        self.secret = planning.columns.index(column)
        kinds = {kind: len(rows) for kind, rows in planning.walked.kinds.items() if self.secret in kind.secrets}
        self.kind: BlindKind = max(kinds, key=lambda kind: kinds[kind])
        made = planning.walked.rest.secrets[self.secret]
        self.values = made.number
        self.shares: Floats = made.rows / made.known
        at = self.kind.secrets.index(self.secret)
        parts, limits = planning.walked.rest.secrets[self.kind.secrets[at]].limits(self.kind.limits[at])
        self.limits: Floats = np.array([limit / parts for limit in limits])
        read = planning.read[self.secret]
        value_of = np.full(len(read.elements), -1, dtype=np.int64)
        value_of[list(read.blind.values)] = np.arange(self.values)
        self.value_of = value_of
        known = np.flatnonzero(~planning.secret & (value_of[read.codes] >= 0))
        most = min(FEW_ROWS if quick else MOST_ROWS, len(known))
        self.rows: Ints = known[np.arange(most) * len(known) // max(most, 1)]
        self.true: Ints = value_of[read.codes[self.rows]]
        self.fold = np.arange(len(self.rows)) % 2
        self.stars = np.array([len(planning.read[place].elements) for place in self.kind.predictors], dtype=np.int64)
        self._blocks: list[dict[str, int]] = [{} for _ in self.kind.predictors]
        """For each predictor the blocks that were met, by their texts."""

    @cached_property
    def told(self) -> Told:
        """What would be released of the rows."""
        found = np.tile(self.stars, (len(self.rows), 1))
        for fold in (0, 1):
            columns, walked = self._walked(self.rows[self.fold == fold])
            self._write(found, self.rows, walked, columns)
        return found

    def told_of(self, rows: Ints) -> Told:
        """Return what is told of rows with confidential cells, as anybody reckons it from a release."""
        found = np.tile(self.stars, (len(rows), 1))
        self._write(found, rows, self.planning.replayed(), self.planning.read)
        return found

    def _write(self, found: Told, rows: Ints, walked: BlindRows, columns: list[ReadColumn]) -> None:
        """Write into lines what is told of rows."""
        at = {place: number for number, place in enumerate(self.kind.predictors)}
        line = {int(row): number for number, row in enumerate(rows)}
        texts = self.planning.block_texts(columns)
        for each in walked.tell():
            here = [row for row in each.rows if row in line]
            lines = [line[row] for row in here]
            for place, fact in each.facts if here else ():
                if place not in at:
                    continue
                if isinstance(fact, int):
                    codes = self.planning.read[place].codes[here]
                    found[lines, at[place]] = np.where(codes < 0, self.stars[at[place]], codes)
                else:
                    blocks = self._blocks[at[place]]
                    block = blocks.setdefault(texts[place].text(fact), len(blocks))
                    found[lines, at[place]] = self.stars[at[place]] + 1 + block

    def _walked(self, fold: Ints) -> tuple[list[ReadColumn], BlindRows]:
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
        return columns, planning.rows_of(columns, cells)

    def learners(self) -> tuple[str, ...]:
        """Return who tries."""
        library = LIBRARY if has_library() and not self.quick else ()
        if self.planning.blocks != "starred":
            return (*OWN, *library)
        on_blocks = ["naive_bayes", *(["random_forest"] if library else [])]
        return (*OWN, *library, *(name + BLOCKS for name in on_blocks))

    def learned(self, name: str, known: ShownRow, true: Ints, asked: ShownRow) -> Floats:
        """Return the probability that a learner gives each value, given rows to learn from and rows to guess."""
        if not name.endswith(BLOCKS) and self.planning.blocks != "told":  # what is told, everybody reads
            known, asked = (ShownRow(np.minimum(each.told, self.stars), each.numbers) for each in (known, asked))
        name = name.removesuffix(BLOCKS)
        if name == "naive_bayes":
            return self._bayes(known.told, true, asked.told)
        if name == "nearest":
            return self._nearest(known, true, asked)
        from discreet.adversary.learners import fitted  # only loaded when needed

        return fitted(name, self._numbers(known.told), true, self.values)(self._numbers(asked.told))

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
                others = floats[np.unique(encoded.codes[~self.planning.secret])]
                others = others[np.isfinite(others)]  # what is hidden of other rows must not choose a margin
                spread = others.max() - others.min() if len(others) else 0.0
                star = told[:, column] >= self.stars[column]
                numbers[:, column] = np.where(star, np.nan, floats[encoded.codes[rows]] / (spread or 1.0))
        return ShownRow(told, numbers)

    @property
    def _sizes(self) -> Ints:
        """How many things may be told of each predictor."""
        return self.stars + 1 + np.array([len(blocks) for blocks in self._blocks], dtype=np.int64)

    def _bayes(self, known: Told, true: Ints, asked: Told) -> Floats:
        scores = np.tile(np.log(np.bincount(true, minlength=self.values) + 1.0), (len(asked), 1))
        for column, size in enumerate(self._sizes.tolist()):
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

    def _numbers(self, told: Told) -> Any:
        """Return a sparse matrix with a column for each element, each star and each block."""
        from scipy.sparse import csr_matrix

        start = np.concatenate([[0], np.cumsum(self._sizes)])
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
        who = self.learners() if len(self.rows) > 1 else ()
        found = []
        shown = self.shown(self.rows, self.told)
        for name in who:
            chances = np.zeros((len(self.rows), self.values))
            for fold in (0, 1):
                here = self.fold == fold
                chances[here] = self.learned(name, shown.at(~here), self.true[~here], shown.at(here))
            found.append(self.judged(name, chances, self.true, len(who)))
        hidden = float((self.told >= self.stars).sum(axis=1).mean()) if len(self.rows) else 0.0
        limits = (float(self.limits.min()), float(self.limits.max()))
        chosen = [made.margin for _, made in self.planning.asked if made.column == self.column]
        margin = self.planning.margin_of(self.column) if BY_REHEARSAL in chosen else None
        return RehearsedColumn(
            self.column, len(self.rows), hidden, len(self.kind.predictors), float(self.shares.max()), limits,
            tuple(found), None if margin is None else percent(margin),
        )  # fmt: skip


def rehearsed(planning: BlindPlanning, *, quick: bool = False) -> dict[str, RehearsedColumn]:
    """Return the rehearsal of every confidential column; if `quick`, on few rows and without learners of a library."""
    names = dict.fromkeys(made.column for _, made in planning.requirements)
    return {name: Rehearsal(planning, name, quick=quick).run() for name in names}


def settled(planning: BlindPlanning) -> BlindPlanning:
    """Return the same with every margin that a rehearsal shall choose: the largest with which nobody passes a limit.

    From the rest alone, with learners that reckon the same everywhere.
    """
    open_ = [index for index, made in planning.asked if made.margin == BY_REHEARSAL]
    chosen: dict[int, Fraction] = {}
    for column in dict.fromkeys(made.column for index, made in planning.asked if index in open_):
        for margin in MARGINS:
            tried = planning.with_margins(dict.fromkeys(open_, margin))
            if not any(each.passes for each in Rehearsal(tried, column, quick=True).run().learners):
                break
        chosen.update((index, margin) for index, made in planning.asked if index in open_ and made.column == column)
    return planning.with_margins(chosen) if open_ else planning


def _tail(rate: Rate, chance: float) -> float:
    """Return how likely at least so many are right if each is with some chance, by the binomial distribution."""
    if chance >= 1 or rate.right <= 0:
        return 1.0
    tries, total = rate.tries, 0.0
    for hits in range(int(rate.right), tries + 1):
        ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(tries - hits + 1)
        total += exp(ways + hits * log(max(chance, 1e-300)) + (tries - hits) * log(1 - chance))
    return min(total, 1.0)
