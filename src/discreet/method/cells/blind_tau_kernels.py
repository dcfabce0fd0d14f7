"""Kernels of how far naive Bayes is trusted: columns told one by one, and what each power of likelihoods loses."""

from __future__ import annotations

import math

import numpy as np

from discreet.common.compiled import kernel

STEPS = 20
"""Powers of likelihoods are so many parts of one."""
SMALL = 1e-100
"""The logarithm of a product is taken before it is much smaller."""


@kernel
def told_odds(logs, half, places, order, told, true, scores, odds):  # type: ignore[no-untyped-def]
    """Tell one column more of each row: add to `scores`, and reckon the odds that one step more makes.

    Return the sum of the logarithms of the odds of true values. O(rows x values)
    """
    total = 0.0
    for row in range(scores.shape[0]):
        here = logs[half[row], places[row, order[row, told]]]
        largest = -np.inf
        for v in range(scores.shape[1]):
            scores[row, v] += here[v]
            largest = max(largest, scores[row, v])
        for v in range(scores.shape[1]):
            odds[v, row] = 1.0
            if scores[row, v] < largest:
                odds[v, row] = math.exp((scores[row, v] - largest) / STEPS)
        total += (scores[row, true[row]] - largest) / STEPS
    return total


@kernel
def losses(shares, odds, step, found):  # type: ignore[no-untyped-def]
    """Reckon the sums of the logarithms, over rows, of all shares times odds to three powers: `step` and the next two.

    `shares` and `odds` are by value and row. O(rows x values)
    """
    rows = shares.shape[1]
    added, power, factor = np.zeros((3, rows)), np.zeros(rows), np.zeros(rows)
    for v in range(shares.shape[0]):
        for row in range(rows):
            power[row], factor[row] = shares[v, row], odds[v, row]
        left = step
        while left > 0:
            if left % 2 == 1:
                for row in range(rows):
                    power[row] *= factor[row]
            left //= 2
            if left > 0:
                for row in range(rows):
                    factor[row] *= factor[row]
        for row in range(rows):
            more = power[row] * odds[v, row]
            added[0, row] += power[row]
            added[1, row] += more
            added[2, row] += more * odds[v, row]
    for place in range(3):
        total, together = 0.0, 1.0
        for row in range(rows):
            together *= added[place, row]
            if together < SMALL:
                total += math.log(together)
                together = 1.0
        found[place] = total + math.log(together)
