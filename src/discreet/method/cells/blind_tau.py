"""How far naive Bayes is trusted: the power to which likelihoods are raised, for each number of facts.

Without it naive Bayes is far too sure, hides more than it need, and its figures are no probabilities. The power is
chosen by log loss: each half of the rest is guessed by what the other half teaches, from so many columns; halves and
columns are drawn by a written rule (not by turns: a table that repeats itself would have halves that are unlike).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.method.cells.blind_columns import BlindColumn, by_element, summed
from discreet.method.cells.blind_tau_kernels import STEPS, losses, told_odds

if TYPE_CHECKING:
    from discreet.method.cells.blind_table import BlindSecret

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIRST, LAST = 3, 22
EVALUATED = 500
"""Rows of each half."""
NEAR = 1e-6
"""Sums of losses that are nearer to each other are compared exactly."""
DIGITS = 30
ROUNDED = Decimal("1e-9")


def tau_steps(losses: Losses) -> tuple[int, ...]:
    """Return the power for 1, 2, ... facts, in twentieths."""
    found: list[int] = []
    step = STEPS
    for _ in losses.elements:
        losses.tell()
        if losses.rows:
            step = _lowest(losses, step)
        found.append(step)
    return tuple(found)


def _lowest(losses: Losses, start: int) -> int:
    """Return the step with the least loss, the first of several; the loss is convex."""
    step = start
    while step > FIRST and not losses.less(step, step - 1):
        step -= 1
    if step == start:
        while step < LAST and losses.less(step + 1, step):
            step += 1
    return step


class Losses:
    """The rows that are guessed, with ever more columns told."""

    def __init__(self, columns: Sequence[BlindColumn], secret: BlindSecret) -> None:
        known = np.flatnonzero(secret.values >= 0)
        turn = np.arange(len(known))
        drawn = (mixed(turn.astype(np.uint64) + np.uint64(1)) & np.uint64(1)).astype(np.int64)
        halves = [turn[drawn == half] for half in (0, 1)]
        told = [
            half if len(half) <= EVALUATED else half[np.arange(EVALUATED) * len(half) // EVALUATED] for half in halves
        ]
        number = np.concatenate(told)
        self.rows = len(number)
        self.half = drawn[number]
        self.true = secret.values[known[number]].astype(np.int64)
        self.codes = [columns[place].codes[known[number]].astype(np.int64) for place in secret.predictors]
        self.order = drawn_order(number, len(secret.predictors))
        self.prior: list[Ints] = []
        """By the half that is guessed: rows of the other, and one, with each value."""
        self.having: list[list[Ints]] = []
        mine = [columns[place] for place in secret.predictors]
        each_half = by_element(mine, secret.values, secret.number, [known[half] for half in halves])
        self.rows_having = [one + other for one, other in zip(*each_half, strict=True)]
        """Of all rows, by predictor: so many by element and value."""
        for other in (1, 0):
            rows = secret.values[known[halves[other]]]
            self.prior.append(np.bincount(rows, minlength=secret.number).astype(np.int64) + 1)
            self.having.append([summed(column, rows) + 1 for column, rows in zip(mine, each_half[other], strict=True)])
        self.elements = [columns[place].elements for place in secret.predictors]
        self.logs: Floats = np.array(
            [
                np.concatenate(
                    [np.log(rows / (prior - 1 + elements)) for rows, elements in zip(each, self.elements, strict=True)]
                )
                for each, prior in zip(self.having, self.prior, strict=True)
            ]
        )
        """By the half that is guessed, element of all columns, and value."""
        start = np.cumsum([0, *self.elements])
        self.places = np.array([first + codes for first, codes in zip(start, self.codes, strict=False)]).T
        self.shares: Floats = np.array([prior / prior.sum() for prior in self.prior]).T[:, self.half]
        """By value and row."""
        self.told = 0
        self.scores: Floats = np.zeros((self.rows, secret.number))
        self.odds = np.ones((secret.number, self.rows))
        """What one step more makes of each value, beside the likeliest."""
        self.true_shares = float(np.log(self.shares[self.true, np.arange(self.rows)]).sum())
        self.true_odds = 0.0
        """Logarithms of the shares and of these odds, of all true values."""
        self._known: dict[int, float] = {}

    def tell(self) -> None:
        """Tell one column more of each row."""
        self.true_odds = float(
            told_odds(
                self.logs, self.half, self.places, self.order, self.told, self.true, self.scores, self.odds,
            )
        )  # fmt: skip
        self.told += 1
        self._known = {}

    def less(self, one: int, other: int) -> bool:
        """Whether the loss at one step is less than at another, both rounded to 9 decimals."""
        first, second = self.about(one), self.about(other)
        if abs(first - second) > NEAR:
            return first < second
        return self.exact(one) < self.exact(other)

    def about(self, step: int) -> float:
        """Return the loss, nearly."""
        if step not in self._known:
            first = step - 1  # three at once: the neighbours are asked for next
            if self._known:
                first = step - 2 if step < min(self._known) else step
            found = np.zeros(3)
            losses(self.shares, self.odds, first, found)
            for each, lost in enumerate(found.tolist(), first):
                self._known[each] = lost - (self.true_shares + each * self.true_odds)
        return self._known[step]

    def exact(self, step: int) -> Decimal:
        """Return the loss, rounded to 9 decimals from 30 digits."""
        with localcontext() as context:
            context.prec = DIGITS
            logs: dict[tuple[int, int], Decimal] = {}
            power, total = Decimal(step) / STEPS, Decimal(0)
            seen: dict[tuple[int, ...], tuple[int, Decimal]] = {}
            for row in range(self.rows):
                half = int(self.half[row])
                facts = sorted((int(j), int(self.codes[j][row])) for j in self.order[row, : self.told])
                key = (half, int(self.true[row]), *(part for fact in facts for part in fact))
                if key not in seen:
                    seen[key] = 0, self._loss(half, int(self.true[row]), facts, power, logs)
                seen[key] = seen[key][0] + 1, seen[key][1]
            total = sum((times * loss for times, loss in seen.values()), Decimal(0))
            return total.quantize(ROUNDED)

    def _loss(
        self,
        half: int,
        true: int,
        facts: Sequence[tuple[int, int]],
        power: Decimal,
        logs: dict[tuple[int, int], Decimal],
    ) -> Decimal:
        """Return how surprising the true value of a row is."""
        prior = self.prior[half]
        scores = []
        log = _remembered(logs)
        for value in range(len(prior)):
            score = log(int(prior[value]), int(prior.sum()))
            for j, element in facts:
                rows = int(prior[value]) - 1 + self.elements[j]
                score += power * log(int(self.having[half][j][element, value]), rows)
            scores.append(score)
        largest = max(scores)
        return largest + sum(((score - largest).exp() for score in scores), Decimal(0)).ln() - scores[true]


def _remembered(logs: dict[tuple[int, int], Decimal]) -> Callable[[int, int], Decimal]:
    def log(over: int, under: int) -> Decimal:
        if (over, under) not in logs:
            logs[over, under] = (Decimal(over) / under).ln()
        return logs[over, under]

    return log


def drawn_order(rows: Ints, columns: int) -> Ints:
    """Return the order in which columns are told of each row, by a written rule."""
    place = np.arange(1, columns + 1, dtype=np.uint64)
    number: npt.NDArray[np.uint64] = rows.astype(np.uint64)[:, None] * np.uint64(columns) + place
    return np.argsort(mixed(number), axis=1, kind="stable").astype(np.int64)


def mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return numbers mixed up by a written rule: no order or period of the rows is seen in them."""
    with np.errstate(over="ignore"):
        found: npt.NDArray[np.uint64] = numbers * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(32)
        found *= np.uint64(0xD6E8FEB86659FD93)
        found ^= found >> np.uint64(32)
    return found
