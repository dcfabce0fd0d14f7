"""The references of blind protection, trained on the released rest: how sure each is of every value of a secret.

Figures are whole numbers of billionths, exact: long floats where these cannot be mistaken, else decimals of 30 digits.
By code of verification alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.plan.blind_statement import StatedRows
from discreet.verification.blind_reading import Places, StatedTable

Long = npt.NDArray[np.longdouble]
Billionths = npt.NDArray[np.int64]
StatedFact = tuple[int, frozenset[int]]
"""A predictor (by its place among those of the rows) and the elements that are left open."""

BILLION = 10**9
BAND = 1e-5 if np.finfo(np.longdouble).eps < 1e-18 else 5e-3
"""Billionths nearer than this to halfway between two whole numbers are reckoned with decimals."""
SHORT_ERROR = 64 * 2.0**-53 * BILLION
"""Of a figure of naive Bayes by short floats, in billionths, amply: times the largest score and number of values."""
SHORT_BAND = 1e-5
"""The same as `BAND` for a quotient of two whole numbers by short floats, whose error is below a millionth."""
NEAR_LIMIT = 1e-12
"""Shares nearer than this to a limit are compared as fractions."""
EXTRA = 10
"""Rows that `count` and `kernel` add, spread like the whole column."""
QUARTER = 4
"""A row weighs one of so many parts for each fact in which it differs, to `kernel`."""


@lru_cache(maxsize=1 << 16)
def _log(over: int, under: int) -> Decimal:
    with localcontext() as context:
        context.prec = 30
        return (Decimal(over) / Decimal(under)).ln()


class StatedSecret:
    """One secret of some rows: what is known of it in the rest."""

    def __init__(self, table: StatedTable, rows: StatedRows, place: int) -> None:
        name = rows.secrets[place]
        column = table.column(name)
        self.name, self.tau = name, table.statement.tau.get(name, ())
        number = np.full(column.size, -1, dtype=np.int64)
        number[column.secret_values] = np.arange(len(column.secret_values))
        rest = np.flatnonzero(table.rest)
        value = number[column.codes[rest]]
        self.knowing: Places = rest[value >= 0]
        """Rows of the release that know it, and are in the rest."""
        self.value = value[value >= 0]
        self.values = len(column.secret_values)
        self.rows = np.bincount(self.value, minlength=self.values).astype(np.int64)
        self.total = int(self.rows.sum())
        self.limits = [
            min(
                max(at_most, share + min(margin, (1 - share) / 2))
                for at_most, margin in rows.limits[place]
                for share in [Fraction(int(count), self.total)]
            )
            for count in self.rows.tolist()
        ]
        self.short_limits = np.array([limit.numerator / limit.denominator for limit in self.limits])
        self.most = np.array([int(limit * BILLION) - 1 for limit in self.limits], dtype=np.int64)
        """Billionths that naive Bayes may have before more is told."""
        self.columns = [table.column(predictor) for predictor in rows.predictors]
        self.start = np.concatenate([[0], np.cumsum([column.size for column in self.columns])]).astype(np.int64)
        codes = [column.codes[self.knowing] for column in self.columns]
        self.codes: Places = np.array(codes, dtype=np.int64).reshape(len(self.columns), len(self.knowing))
        self.own = self.tally(np.arange(len(self.knowing)))
        sizes = np.array([column.size for column in self.columns for _ in range(column.size)], dtype=np.int64)
        self.single: Long = np.log(
            (self.agree(self.own) + 1).astype(np.longdouble)
            / (self.rows[None, :] + sizes[:, None]).astype(np.longdouble)
        )
        self.shares: Long = np.log(self.rows.astype(np.longdouble) / self.total)
        self.short_shares = self.shares.astype(np.float64)

    def tally(self, members: Places) -> Places:
        """Count some of the rows that know it by the elements of all predictors, and value."""
        if not len(self.columns):
            return np.zeros((0, self.values), dtype=np.int64)
        cells = (self.start[:-1, None] + self.codes[:, members]) * self.values + self.value[members]
        size = int(self.start[-1]) * self.values
        return np.bincount(cells.ravel(), minlength=size).reshape(-1, self.values).astype(np.int64)

    def agree(self, own: Places) -> Places:
        """Return of a tally how many rows agree with each element."""
        parts = [own[self.start[j] : self.start[j + 1]] for j in range(len(self.columns))]
        return np.concatenate(
            [
                own[:0],  # where promises about groups leave nothing that predicts
                *(
                    part if column.below is None else column.below.astype(np.int64) @ part
                    for part, column in zip(parts, self.columns, strict=True)
                ),
            ]
        )

    def inside(self, fact: StatedFact, own: Places | None = None) -> Places:
        """Return how many rows agree with a fact, by value."""
        j, elements = fact
        places = [int(self.start[j]) + element for element in self.columns[j].agreeing(elements)]
        found: Places = (self.own if own is None else own)[places].sum(axis=0)
        return found

    def logs(self, fact: StatedFact) -> Long:
        """Return the logarithm of the likelihood of a fact with each value."""
        if len(fact[1]) == 1:
            single: Long = self.single[int(self.start[fact[0]]) + next(iter(fact[1]))]
            return single
        over = (self.inside(fact) + len(fact[1])).astype(np.longdouble)
        found: Long = np.log(over / (self.rows + self.columns[fact[0]].size).astype(np.longdouble))
        return found

    def power(self, facts: int) -> int:
        """Return how far likelihoods are trusted, in twentieths."""
        return self.tau[facts - 1] if 0 < facts <= len(self.tau) else 20

    def bayes(
        self, told: Sequence[StatedFact], score: Long, more: Sequence[StatedFact], logs: Long
    ) -> tuple[npt.NDArray[np.bool_], Billionths]:
        """Say whether naive Bayes is within the limits with what is told and, line by line, one fact more; how sure.

        By short floats where these cannot be mistaken, else by long ones.
        """
        power = self.power(len(told) + 1) / 20
        scores = self.short_shares + (score.astype(np.float64) + logs.astype(np.float64)) * power
        error = SHORT_ERROR * (float(np.abs(scores).max()) + self.values)  # logarithms of shares: all of one sign
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        scaled = odds * (BILLION / odds.sum(axis=1, keepdims=True))
        most, above = scaled.max(axis=1), scaled - (self.most + 0.5)
        fine, top = (above < 0).all(axis=1), np.rint(most).astype(np.int64)
        unsure = (np.abs(above) < error).any(axis=1) | (np.abs(most - np.floor(most) - 0.5) < error)
        if unsure.any():
            lines = np.flatnonzero(unsure)
            figures = self._long(told, score, [more[line] for line in lines.tolist()], logs[lines])
            fine[lines], top[lines] = (figures <= self.most).all(axis=1), figures.max(axis=1)
        return fine, top

    def _long(self, told: Sequence[StatedFact], score: Long, more: Sequence[StatedFact], logs: Long) -> Billionths:
        """Return how sure naive Bayes is of each value, line by line."""
        scores = self.shares + (score + logs) * (np.longdouble(self.power(len(told) + 1)) / 20)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        scaled = odds / odds.sum(axis=1, keepdims=True) * BILLION
        found: Billionths = np.rint(scaled).astype(np.int64)
        for line in np.flatnonzero((np.abs(scaled - np.floor(scaled) - 0.5) < BAND).any(axis=1)).tolist():
            found[line] = self.exactly([*told, more[line]])
        return found

    def figures(self, told: Sequence[StatedFact], score: Long) -> list[int]:
        """Return how sure naive Bayes is of each value, given the sum of the logarithms of what is told."""
        scores = self.shares + score * (np.longdouble(self.power(len(told))) / 20)
        odds = np.exp(scores - scores.max())
        scaled = odds / odds.sum() * BILLION
        if (np.abs(scaled - np.floor(scaled) - 0.5) < BAND).any():
            return self.exactly(told)
        found: list[int] = np.rint(scaled).astype(np.int64).tolist()
        return found

    def exactly(self, told: Sequence[StatedFact]) -> list[int]:
        """Return how sure naive Bayes is of each value, by decimals."""
        chances = self.decimals(told)
        with localcontext() as context:
            context.prec = 30
            return [int((chance * BILLION).to_integral_value(ROUND_HALF_EVEN)) for chance in chances]

    def decimals(self, told: Sequence[StatedFact]) -> list[Decimal]:
        """Return the same, not rounded."""
        inside = [(self.inside(fact) + len(fact[1]), self.columns[fact[0]].size) for fact in told]
        with localcontext() as context:
            context.prec = 30
            tau = Decimal(self.power(len(told))) / 20
            scores = []
            for value in range(self.values):
                rows = int(self.rows[value])
                sums = sum((_log(int(over[value]), rows + size) for over, size in inside), Decimal(0))
                scores.append(_log(rows, self.total) + tau * sums)
            top = max(scores)
            odds = [(score - top).exp() for score in scores]
            whole = sum(odds, Decimal(0))
            return [each / whole for each in odds]

    def weighed(self, far: Places, facts: int) -> tuple[Any, Any]:
        """Return the weights of rows by element and value, and by value: a quarter for each fact in which one differs.

        In whole numbers: a row that differs in nothing weighs 4 to the power of the number of facts.
        """
        by_element: Any = np.zeros((int(self.start[-1]), self.values), dtype=object)
        by_value: Any = np.zeros(self.values, dtype=object)
        for differing in sorted(set(far.tolist())):
            members = np.flatnonzero(far == differing)
            weight = QUARTER ** (facts - differing)
            by_element = by_element + self.tally(members).astype(object) * weight
            by_value = by_value + np.bincount(self.value[members], minlength=self.values).astype(object) * weight
        return by_element, by_value

    def each_bayes(
        self, told: Sequence[StatedFact], score: Long, more: Sequence[StatedFact], logs: Long
    ) -> tuple[npt.NDArray[np.bool_], Billionths]:
        """Say as `bayes` whether naive Bayes is within the limits, and how sure it is of each value."""
        figures = self._long(told, score, more, logs)
        fine: npt.NDArray[np.bool_] = np.all(figures <= self.most, axis=1)
        return fine, figures

    def counted(self, agreeing: Any, one: int = 1) -> tuple[npt.NDArray[np.bool_], Billionths]:
        """Say of lines of agreeing rows by value whether `count` is within the limits, and how sure it is at most.

        The same for `kernel`: lines of weights, of which a row that agrees with all has `one`.
        """
        over, under, scaled, within = self._compared(agreeing, one)
        most = scaled.max(axis=1) * BILLION
        top = np.rint(most).astype(np.int64)
        for line in np.flatnonzero(np.abs(most - np.floor(most) - 0.5) < SHORT_BAND).tolist():
            top[line] = round(Fraction(int(over[line].max()), int(under[line])) * BILLION)
        return within, top

    def each_counted(self, agreeing: Any, one: int = 1) -> tuple[npt.NDArray[np.bool_], Billionths]:
        """Say as `counted` whether it is within the limits, and how sure it is of each value."""
        over, under, scaled, within = self._compared(agreeing, one)
        billionths = scaled * BILLION
        figures = np.rint(billionths).astype(np.int64)
        for line, value in np.argwhere(np.abs(billionths - np.floor(billionths) - 0.5) < SHORT_BAND).tolist():
            figures[line, value] = round(Fraction(int(over[line, value]), int(under[line])) * BILLION)
        return within, figures

    def _compared(self, agreeing: Any, one: int) -> tuple[Any, Any, npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return shares over and under the line, as floats, and of each line whether all are within the limits."""
        extra = EXTRA * one
        own: Any = self.rows if agreeing.dtype != object else self.rows.astype(object)
        over: Any = agreeing * self.total + own * extra
        under: Any = (agreeing.sum(axis=1) + extra) * self.total
        scaled = over.astype(np.float64) / under.astype(np.float64)[:, None]
        apart = scaled - self.short_limits
        within = apart <= 0
        near = np.abs(apart) < NEAR_LIMIT
        for line, value in np.argwhere(near).tolist() if near.any() else ():
            within[line, value] = Fraction(int(over[line, value]), int(under[line])) <= self.limits[value]
        return over, under, scaled, within.all(axis=1)
