"""How sure the references are of the secrets of rows, of many sets of facts: kept, for rows that share some.

Figures are those of `blind_exact`: by floats where these cannot be mistaken, else by decimals and fractions.
Cost: for each set of facts once through the rows of the rest that agree, for all predictors.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.method.cells.blind_columns import Ints
from discreet.method.cells.blind_exact import BILLION, ExactNode, billionths
from discreet.method.cells.blind_judging_kernels import ADDED, BlindLearned, BlindRules, tally
from discreet.method.cells.blind_table import BlindKind, BlindRest

Flags = npt.NDArray[np.bool_]
Facts: TypeAlias = frozenset[tuple[int, frozenset[int]]]
"""What somebody knows of a row: predictors, by place in the kind, each with the elements it may have."""
FLOAT_ERROR = 64 * 2.0**-53 * BILLION
"""Of a figure of naive Bayes by floats, in billionths, amply: times the largest score and number of values."""
NEAR = 1e-5
"""Billionths of a share nearer than this to halfway between two whole numbers are reckoned by fractions."""
NEAR_LIMIT = 1e-12
MOST_KEPT = 20_000
"""Sets of facts of which the figures are kept at a time."""


class BlindFigures:
    """The references of the rows of one kind."""

    def __init__(self, rest: BlindRest, kind: BlindKind, asked: BlindRules) -> None:
        assert not asked.near  # `kernel` is refused where this is asked
        self.rest, self.kind, self.asked = rest, kind, asked
        self.learned: BlindLearned = rest.learned(kind)
        self.exact = ExactNode(self.learned, asked, [], set())
        self.codes = np.ascontiguousarray([rest.columns[each].codes for each in kind.predictors], dtype=np.int32)
        self.values = [np.ascontiguousarray(rest.secrets[each].values, dtype=np.int32) for each in kind.secrets]
        first, width = self.learned.first, len(self.learned.rows)
        narrow = np.dtype(np.int32 if int(first[-1]) * width < 2**31 else np.int64)
        self.cells = (self.codes + first[:-1, None].astype(narrow)) * narrow.type(width)
        self._lines: dict[Facts, tuple[Flags, Ints]] = {}
        self._judged: dict[Facts, tuple[bool, int]] = {}

    def _agreeing(self, facts: Facts) -> Ints:
        """Return the rows of the rest that agree with all facts."""
        rows: Ints | None = None
        for j, elements in sorted(facts, key=lambda fact: (fact[0], sorted(fact[1]))):
            column = self.rest.columns[self.kind.predictors[j]]
            wanted = np.zeros(column.elements, dtype=np.bool_)
            wanted[[y for x in elements for y in column.agreeing[x]]] = True
            rows = np.flatnonzero(wanted[self.codes[j]]) if rows is None else rows[wanted[self.codes[j, rows]]]
        return np.arange(self.codes.shape[1]) if rows is None else rows

    def judged(self, facts: Facts) -> tuple[bool, int]:
        """Say of some facts whether all references are within the limits, and the largest figure in billionths."""
        if facts in self._judged:
            return self._judged[facts]
        rows, counts = self._agreeing(facts), np.zeros(len(self.learned.rows), dtype=np.int64)
        for values, start in zip(self.values, self.learned.secret.tolist(), strict=False):
            mine = values[rows]
            counts += np.bincount(mine[mine >= 0] + start, minlength=len(counts))
        if len(self._judged) >= MOST_KEPT:
            self._judged.clear()
        self._judged[facts] = self.exact.judge(sorted(facts, key=lambda fact: fact[0]), counts)
        return self._judged[facts]

    def lines(self, base: Facts) -> tuple[Flags, Ints]:
        """Say of each element of each predictor the same for it and the facts of `base`, none of them about it."""
        if base not in self._lines:
            if len(self._lines) >= MOST_KEPT:
                self._lines.clear()
            self._lines[base] = self._reckoned(base)
        return self._lines[base]

    def _reckoned(self, base: Facts) -> tuple[Flags, Ints]:
        learned, rows = self.learned, self._agreeing(base)
        counts: Ints = np.zeros(learned.having.size, dtype=np.int64)
        every = np.ones(len(self.codes), dtype=np.bool_)
        for values, start in zip(self.values, learned.secret.tolist(), strict=False):
            tally(self.cells, values, start, rows, every, counts)
        shaped = counts.reshape(learned.having.shape)
        agreeing = np.array([shaped[learned.cover[a:b]].sum(axis=0) for a, b in pairwise(learned.cover_first)])
        fine, top = np.ones(len(agreeing), dtype=np.bool_), np.zeros(len(agreeing), dtype=np.int64)
        for c, (begin, end) in enumerate(zip(learned.secret.tolist(), learned.secret[1:].tolist(), strict=False)):
            here = slice(begin, end)
            if self.asked.bayes:
                within, most = self._by_bayes(base, c, here)
                fine, top = fine & within, np.maximum(top, most)
            if self.asked.counts:
                within, most = self._by_count(agreeing[:, here], c, here)
                fine, top = fine & within, np.maximum(top, most)
        return fine, top

    def _by_bayes(self, base: Facts, c: int, here: slice) -> tuple[Flags, Ints]:
        learned, cap = self.learned, self.learned.cap[here]
        score = np.zeros(here.stop - here.start)
        for fact in base:
            score += np.array([np.log(over / under) for over, under in self.exact.likelihoods(fact)[here]])
        scores = learned.prior[here] + learned.tau[c, len(base) + 1] * (score + learned.logs[:, here])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        figures = odds * (BILLION / odds.sum(axis=1, keepdims=True))
        error = FLOAT_ERROR * (np.abs(scores).max(axis=1) + scores.shape[1])
        most, above = figures.max(axis=1), figures - (cap + 0.5)
        fine, top = (above < 0).all(axis=1), np.rint(most).astype(np.int64)
        unsure = (np.abs(above) < error[:, None]).any(axis=1) | (np.abs(most - np.floor(most) - 0.5) < error)
        for line in np.flatnonzero(unsure).tolist():
            j = int(np.searchsorted(learned.first, line, side="right")) - 1
            chances = self.exact.bayes(c, [*base, (j, frozenset([line - int(learned.first[j])]))])
            exactly = [billionths(Fraction(chance)) for chance in chances]
            fine[line] = all(figure <= most_of for figure, most_of in zip(exactly, cap.tolist(), strict=True))
            top[line] = max(exactly)
        return fine, top

    def _by_count(self, agreeing: Ints, c: int, here: slice) -> tuple[Flags, Ints]:
        learned, known = self.learned, int(self.learned.known[c])
        rows = agreeing.sum(axis=1)
        shares = (agreeing * known + ADDED * learned.rows[here]) / ((rows + ADDED) * known)[:, None]
        limits = np.array([int(each) / int(learned.parts[c]) for each in learned.over[here].tolist()])
        within, figures = shares <= limits, shares.max(axis=1) * BILLION
        for line, v in np.argwhere(np.abs(shares - limits) < NEAR_LIMIT).tolist():
            most = Fraction(int(learned.over[here.start + v]), int(learned.parts[c]))
            within[line, v] = self._share(agreeing, line, v, known, here) <= most
        top = np.rint(figures).astype(np.int64)
        for line in np.flatnonzero(np.abs(figures - np.floor(figures) - 0.5) < NEAR).tolist():
            top[line] = max(billionths(self._share(agreeing, line, v, known, here)) for v in range(agreeing.shape[1]))
        return within.all(axis=1), top

    def _share(self, agreeing: Ints, line: int, v: int, known: int, here: slice) -> Fraction:
        added = Fraction(ADDED * int(self.learned.rows[here.start + v]), known)
        return (int(agreeing[line, v]) + added) / (int(agreeing[line].sum()) + ADDED)
