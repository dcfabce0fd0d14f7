"""Chance that protects: from the operating system, unless a seed is given for tests.

A generator that is seeded once can be worked out from what it has drawn; the operating system's cannot. So every draw
on which somebody's safety rests (rows of a sample, rows that are suppressed by lot, guesses for confidential cells, the
order of the rows) takes its bytes from here. Searches may draw from where they like: they protect nobody.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

from discreet.encoded import Ints

Source = Callable[[int], bytes]
"""Gives so many random bytes."""

_ALL = 2**64


def chance_from(seed: int | None, stream: int | None = None) -> Source:
    """Return where bytes come from: the operating system, or with a seed the same bytes every time, for tests.

    Another stream of the same seed gives other bytes.
    """
    if seed is None:
        return os.urandom
    return np.random.default_rng(seed if stream is None else [seed, stream]).bytes


def some_of(rows: int, wanted: int, chance: Source) -> Ints:
    """Return so many places of rows, ascending, every choice of them as likely as any other.

    >>> some_of(3, 3, os.urandom)
    array([0, 1, 2])
    """
    if 2 * wanted > rows:  # those that are left are fewer
        kept = np.ones(rows, dtype=np.bool_)
        kept[some_of(rows, rows - wanted, chance)] = False
        return np.flatnonzero(kept)
    drawn: Ints = np.empty(0, dtype=np.int64)
    while len(drawn) < wanted:  # the first of these that differ; at most half of the rows are taken, so few come again
        more = _below(rows, wanted - len(drawn), chance)
        drawn = np.concatenate((drawn, more))
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return np.sort(drawn)


def any_order(rows: int, chance: Source) -> Ints:
    """Return the places of rows in an order in which every one is as likely as any other.

    >>> sorted(any_order(4, os.urandom).tolist())
    [0, 1, 2, 3]
    """
    while True:
        lots = np.frombuffer(chance(8 * rows), dtype=np.uint64)
        order = np.argsort(lots, kind="stable")
        drawn = lots[order]
        if not (drawn[1:] == drawn[:-1]).any():  # else who stood first would come first
            return order


def number_below(limit: int, chance: Source) -> int:
    """Return a whole number from 0 up to a limit, each as likely as any other.

    >>> number_below(1, os.urandom)
    0
    """
    while not len(drawn := _below(limit, 1, chance)):
        pass
    return int(drawn[0])


def _below(limit: int, many: int, chance: Source) -> Ints:
    """Return so many whole numbers from 0 up to a limit, each as likely as any other."""
    numbers = np.frombuffer(chance(8 * many), dtype=np.uint64)
    fair = numbers[numbers <= np.uint64(_ALL - _ALL % limit - 1)]  # of the rest some would come more often
    return (fair % np.uint64(limit)).astype(np.int64)
