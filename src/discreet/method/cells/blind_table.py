"""What blind protection learns of the rest: the rows without any confidential cell.

Every cell is one of a few elements of its column (a value, a class of numbers, missing, other). References are trained
on the rest alone; limits are exact fractions of its counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from discreet.method.cells.blind_columns import BlindColumn, Ints, by_element, summed
from discreet.method.cells.blind_judging_kernels import ADDED, BlindLearned
from discreet.method.cells.blind_tau import Losses, tau_steps
from discreet.method.cells.blind_tau_kernels import STEPS

BILLION = 10**9


class BlindLimit(NamedTuple):
    """How sure a reference may be: `at_most`, or `margin` more than the value's share, halfway to certainty at most."""

    at_most: Fraction
    margin: Fraction

    def parts(self, share: int, whole: int) -> int:
        """Return the limit of a value with some share, all of them whole numbers of parts.

        `whole` parts make one: an even number, and a multiple of all denominators.
        """
        at_most, margin = (each.numerator * (whole // each.denominator) for each in self)
        return max(at_most, share + min(margin, (whole - share) // 2))


class BlindSecret:
    """A confidential column: what the references learned of it on the rest."""

    def __init__(self, columns: Sequence[BlindColumn], place: int, predictors: Sequence[int], *, bayes: bool) -> None:
        self.columns, self.place, self.predictors = columns, place, tuple(predictors)
        column = columns[place]
        value_of = np.full(column.elements, -1, dtype=np.int32)
        value_of[list(column.values)] = np.arange(len(column.values))
        self.values = value_of[column.codes]
        """Of each row of the rest; -1 where it is not known."""
        self.number = len(column.values)
        self.rows = np.bincount(self.values[self.values >= 0], minlength=self.number).astype(np.int64)
        self.known = int(self.rows.sum())
        self.steps: tuple[int, ...] = ()
        """How far likelihoods are trusted with 1, 2, ... facts, in twentieths."""
        having: Sequence[Ints] = ()
        if bayes and predictors:
            losses = Losses(columns, self)
            self.steps, having = tau_steps(losses), losses.rows_having
        elif predictors:
            everything = np.arange(len(self.values))
            mine = [columns[predictor] for predictor in predictors]
            (having,) = by_element(mine, self.values, self.number, [everything])
        self.having = dict(zip(self.predictors, having, strict=True))
        """The rows of the rest by element of each predictor and value."""

    def limits(self, limits: Sequence[BlindLimit]) -> tuple[int, list[int]]:
        """Return the strictest limit of each value as a whole number of parts, and how many parts make one."""
        whole = 2 * self.known * lcm(*(share.denominator for limit in limits for share in limit))
        each = whole // self.known
        return whole, [min(limit.parts(rows * each, whole) for limit in limits) for rows in self.rows.tolist()]

    def agreeing(self, place: int) -> Ints:
        """Return the rows of the rest that agree with each element of a column, by value."""
        return summed(self.columns[place], self.having[place])


class BlindKind(NamedTuple):
    """What rows have in common that are protected alike."""

    secrets: tuple[int, ...]
    predictors: tuple[int, ...]
    known: tuple[int, ...]
    """Predictors that are told from the start."""
    limits: tuple[tuple[BlindLimit, ...], ...]
    """Of each secret; the strictest counts."""


@dataclass(frozen=True, eq=False)
class BlindRest:
    """All columns of the rest, and what was learned of each secret."""

    columns: Sequence[BlindColumn]
    secrets: Mapping[int, BlindSecret]

    def learned(self, kind: BlindKind) -> BlindLearned:
        """Return what kernels need for the rows of a kind."""
        columns = [self.columns[place] for place in kind.predictors]
        secrets = [self.secrets[place] for place in kind.secrets]
        first = np.cumsum([0, *(column.elements for column in columns)])
        cover = [
            [start + y for y in each] for start, column in zip(first, columns, strict=False) for each in column.agreeing
        ]
        over, parts, cap = [], [], []
        for secret, limits in zip(secrets, kind.limits, strict=True):
            whole, most = secret.limits(limits)
            parts.append(whole)
            over += most
            cap += [limit * BILLION // whole - 1 for limit in most]
        fits = all(whole * (secret.known + ADDED) < 2**62 for whole, secret in zip(parts, secrets, strict=True))
        rows = np.concatenate([secret.rows for secret in secrets])
        known = np.repeat([secret.known for secret in secrets], [secret.number for secret in secrets])
        having = np.hstack([np.concatenate([secret.having[place] for place in kind.predictors]) for secret in secrets])
        agreeing = np.hstack(
            [np.concatenate([secret.agreeing(place) for place in kind.predictors]) for secret in secrets]
        )
        elements = np.diff(first)
        logs = np.log((agreeing + 1.0) / (rows + np.repeat(elements, elements)[:, None]))
        tau = np.ones((len(secrets), 2 + max((len(secret.steps) for secret in secrets), default=0)))
        for place, secret in enumerate(secrets):
            tau[place, 1 : 1 + len(secret.steps)] = np.array(secret.steps) / STEPS
        return BlindLearned(
            first=first.astype(np.int64),
            cover_first=np.cumsum([0, *map(len, cover)]).astype(np.int64),
            cover=np.array([y for each in cover for y in each], dtype=np.int64),
            marked=np.array([column.marked for column in columns], dtype=np.int64),
            secret=np.cumsum([0, *(secret.number for secret in secrets)]).astype(np.int64),
            rows=rows,
            known=np.array([secret.known for secret in secrets], dtype=np.int64),
            spread=ADDED * (rows / known),
            prior=np.log(rows / known),
            having=np.ascontiguousarray(having),
            logs=np.ascontiguousarray(logs),
            log=np.log(np.maximum(np.arange(1 + int(rows.max()) + int(np.diff(first).max())), 1.0)),
            tau=tau,
            cap=np.array(cap, dtype=np.int64),
            over=np.array(over, dtype=np.int64 if fits else object),
            parts=np.array(parts, dtype=np.int64 if fits else object),
        )
