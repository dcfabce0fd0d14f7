"""Where hits may lie: groups of rows of which so many have a property, nobody knows which, split into parts.

All ways to deal the hits to the rows of a group are equally probable. Of each group: how probable it is that no part
has more hits than it may, and how many hits each part has then. Floats: no promise rests on it.
"""

from __future__ import annotations

import numpy as np

from discreet.adversary.base import Floats
from discreet.attack.possible_worlds_kernels import chances_within
from discreet.encoded import Ints


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
    chances_within(starts, sizes, most, hits, logs, chance, together)
    return chance, together
