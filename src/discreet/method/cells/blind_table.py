"""What blind protection learns of the rest: the rows without any confidential cell.

Every cell is one of a few elements of its column (a value, a class of numbers, missing, other). References are trained
on the rest alone; limits are exact fractions of its counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.method.cells.blind_columns import BlindColumn, Ints, by_element, summed
from discreet.method.cells.blind_kernels import BlindLearned
from discreet.method.cells.blind_tau import STEPS, tau_steps

BILLION = 10**9


class BlindLimit(NamedTuple):
    """How sure a reference may be: `at_most`, or `margin` more than the value's share, halfway to certainty at most."""

    at_most: Fraction
    margin: Fraction

    def of(self, rows: int, known: int) -> Fraction:
        """Return the limit of a value that some of the known rows have."""
        share = Fraction(rows, known)
        return max(self.at_most, share + min(self.margin, (1 - share) / 2))


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
        self.steps: tuple[int, ...] = tau_steps(columns, self) if bayes else ()
        """How far likelihoods are trusted with 1, 2, ... facts, in twentieths."""
        self._having: dict[int, Ints] = {}

    def having(self, place: int) -> Ints:
        """Return the rows of the rest by element of a column and value."""
        if place not in self._having:
            self._having[place] = by_element(self.columns[place], self.values, self.number)
        return self._having[place]

    def agreeing(self, place: int) -> Ints:
        """Return the rows of the rest that agree with each element of a column, by value."""
        return summed(self.columns[place], self.having(place))


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

    def limits(self, kind: BlindKind) -> list[list[Fraction]]:
        """Return the limit of each value of each secret."""
        found = []
        for place, limits in zip(kind.secrets, kind.limits, strict=True):
            secret = self.secrets[place]
            found.append([min(each.of(rows, secret.known) for each in limits) for rows in secret.rows.tolist()])
        return found

    def learned(self, kind: BlindKind) -> BlindLearned:
        """Return what kernels need for the rows of a kind."""
        columns = [self.columns[place] for place in kind.predictors]
        secrets = [self.secrets[place] for place in kind.secrets]
        first = np.cumsum([0, *(column.elements for column in columns)])
        cover = [
            [start + y for y in each] for start, column in zip(first, columns, strict=False) for each in column.agreeing
        ]
        over, parts, cap = [], [], []
        for secret, limits in zip(secrets, self.limits(kind), strict=True):
            whole = int(np.lcm.reduce(np.array([secret.known, *(limit.denominator for limit in limits)], dtype=object)))
            parts.append(whole)
            over += [int(limit * whole) for limit in limits]
            cap += [int(limit * BILLION) - 1 for limit in limits]
        rows = np.concatenate([secret.rows for secret in secrets])
        known = np.repeat([secret.known for secret in secrets], [secret.number for secret in secrets])
        having = np.concatenate([np.hstack([secret.having(place) for secret in secrets]) for place in kind.predictors])
        logs = np.concatenate(
            [
                np.log(
                    (np.hstack([secret.agreeing(place) for secret in secrets]) + 1.0)
                    / (rows + self.columns[place].elements)
                )
                for place in kind.predictors
            ]
        )
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
            prior=np.log(rows / known),
            having=np.ascontiguousarray(having),
            logs=np.ascontiguousarray(logs),
            log=np.log(np.maximum(np.arange(1 + int(rows.max()) + int(np.diff(first).max())), 1.0)),
            tau=tau,
            cap=np.array(cap, dtype=np.int64),
            over=np.array(over, dtype=np.int64),
            parts=np.array(parts, dtype=np.int64),
        )
