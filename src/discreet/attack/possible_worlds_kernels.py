"""Kernels: the chance that hits, dealt to the rows of a group in all ways, keep the limits of its parts."""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import helper, kernel

MANY = 2_000
"""Hits beyond which more than two parts are taken for independent of each other."""


@helper
def _drawn(logs, n, x, others, rest):  # type: ignore[no-untyped-def]
    """Return the chance that of x + rest hits x fall among n rows and the rest among the others.

    O(1).
    """
    ways = logs[n] - logs[x] - logs[n - x] + logs[others] - logs[rest] - logs[others - rest]
    return np.exp(ways - (logs[n + others] - logs[x + rest] - logs[n + others - x - rest]))


@kernel
def chances_within(starts, sizes, most, hits, logs, chance, together):  # type: ignore[no-untyped-def]  # noqa: C901
    """Write the chance that all parts of each group keep their limits, and that together with a hit for a part's row.

    For each group O(parts^2 x hits^2); O(parts x hits) with more than two parts and more than `MANY` hits.
    """
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
