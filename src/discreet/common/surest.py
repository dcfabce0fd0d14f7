"""The surest fifth: how often an adversary is right about the cells of which he is surest.

A rate over all cells hides what hurts: one who is right about 60% of them may be certain of some, and right about all
of these. So he is also judged by the fifth of the cells to which he gives his best guess the largest probability.
Where several cells are equally sure at the edge of the fifth, each counts by the chance that it would be drawn.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.common.rates import Rate

Floats = npt.NDArray[np.float64]
PART = 5
"""One cell in so many."""
_DIGITS = 9
"""Probabilities that do not differ in so many decimals are equally sure."""


def surest_fifth(sure: Floats, right: Floats) -> Rate | None:
    """Return how often an adversary is right in the surest fifth (rounded up); None if there are no cells.

    Parameters
    ----------
    sure
        The probability that he gives his best guess about each cell.
    right
        The probability that this guess is right: 1 or 0, or between where equally good ones are picked from.

    >>> surest_fifth(np.array([0.9, 0.5, 0.4, 0.4, 0.3, 0.8]), np.array([1.0, 0, 1, 1, 1, 0]))
    Rate(right=1.0, tries=2)
    >>> surest_fifth(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    Rate(right=0.5, tries=1)
    """
    tries = -(-len(sure) // PART)
    if not tries:
        return None
    rounded = np.round(sure, _DIGITS)
    edge = np.sort(rounded)[-tries]
    above, at = rounded > edge, rounded == edge
    left = tries - int(above.sum())
    return Rate(float(right[above].sum() + left * right[at].mean()), tries)
