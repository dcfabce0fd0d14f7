"""Where hits may lie: groups of rows of which so many have a property, nobody knows which, split into parts.

All ways to deal the hits to the rows of a group are equally probable. Of each group: how probable it is that no part
has more hits than it may, and how many hits each part has then. Floats: no promise rests on it.
"""

from __future__ import annotations

import numba
import numpy as np

from discreet.adversary.base import Floats
from discreet.common.compiled import kernel
from discreet.encoded import Ints

MANY = 2_000
"""Hits beyond which more than two parts are taken for independent of each other."""


def within(starts: Ints, sizes: Ints, most: Ints, hits: Ints) -> tuple[Floats, Floats]:
    """Return the chance that every part of a group keeps its limit, and the chance of that and of a hit for its rows.

    Parameters
    ----------
    starts
        Where the parts of each group begin, and after the last where they stop.
    sizes, most
        The rows of each part, at least one, and how many hits it may have.
    hits
        The hits of each group.

    Returns
    -------
        For each group the chance that all parts keep their limits; for each part the chance of that together with a
        given row of the part being a hit.

    Examples
    --------
    Two rows, one hit; a part of one row may have none: it is the other row.

    >>> chance, together = within(np.array([0, 2]), np.array([1, 1]), np.array([0, 1]), np.array([1]))
    >>> chance.tolist(), together.tolist()
    ([0.5], [0.0, 0.5])
    """
    rows = int(np.add.reduceat(sizes, starts[:-1]).max(initial=0)) if len(starts) > 1 else 0
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, rows + 1)))])
    chance, together = np.zeros(len(hits)), np.zeros(len(sizes))
    _within(starts, sizes, most, hits, logs, chance, together)
    return chance, together


@numba.njit(inline="always")
def _drawn(logs, n, x, others, rest):  # type: ignore[no-untyped-def]
    """Return the chance that of x + rest hits x fall among n rows and the rest among the others."""
    ways = logs[n] - logs[x] - logs[n - x] + logs[others] - logs[rest] - logs[others - rest]
    return np.exp(ways - (logs[n + others] - logs[x + rest] - logs[n + others - x - rest]))


@kernel
def _within(starts, sizes, most, hits, logs, chance, together):  # type: ignore[no-untyped-def]  # noqa: C901
    for g in range(len(hits)):
        first, stop, a = starts[g], starts[g + 1], hits[g]
        parts, left = stop - first, 0
        for s in range(first, stop):
            left += sizes[s]
        if parts > 2 and a > MANY:
            chance[g] = 1.0
            for s in range(first, stop):
                kept, mean = 0.0, 0.0
                for x in range(max(0, a - left + sizes[s]), min(sizes[s], a, most[s]) + 1):
                    p = _drawn(logs, sizes[s], x, left - sizes[s], a - x)
                    kept += p
                    mean += p * x
                chance[g] *= kept
                together[s] = mean / sizes[s] / kept if kept > 0 else 0.0
            for s in range(first, stop):
                together[s] *= chance[g]
            continue
        # state[0, r]: the chance that r hits are left for the parts to come; state[1 + s]: that, times the hits of s
        state = np.zeros((parts + 1, a + 1))
        state[0, a] = 1.0
        for s in range(parts):
            n, limit = sizes[first + s], most[first + s]
            left -= n
            new = np.zeros((parts + 1, a + 1))
            for r in range(a + 1):
                if state[0, r] == 0.0:
                    continue
                for x in range(max(0, r - left), min(n, r, limit) + 1):
                    p = _drawn(logs, n, x, left, r - x)
                    for e in range(s + 1):
                        new[e, r - x] += state[e, r] * p
                    new[1 + s, r - x] += state[0, r] * p * x
            state = new
        chance[g] = state[0, 0]
        for s in range(parts):
            together[first + s] = state[1 + s, 0] / sizes[first + s]
