"""Groups of rows that stand near each other, for when time is up before rows were looked at more closely."""

from __future__ import annotations

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import gather_kernels
from discreet.method.local.items import ItemPart

LEAF = 16
"""Items that are not put in order any more."""


def swept(part: ItemPart, of: Ints, count: int) -> tuple[Ints, int]:
    """Return the groups of items and how many there are, once those that are in none (-1) have got some.

    Some may still be in none.
    """
    of, left = of.copy(), np.flatnonzero(of < 0)
    order = left[by_halves(part.items.codes[left].astype(np.int64), part.shapes.whole)]
    order = order[np.argsort(part.apart[order], kind="stable")]
    count = int(gather_kernels.sweep(part.items, part.limits, order, part.apart, part.least, of, count))
    return of, count


def by_halves(codes: Ints, whole: Ints) -> Ints:
    """Return an order in which items stand near those like them.

    They are halved, and the halves halved again, each time by the column in which they are farthest apart: all its
    codes count for what it loses as a `whole`.
    """
    scale = whole / np.maximum(codes.max(axis=0, initial=0), 1)
    order, waiting = np.arange(len(codes)), [(0, len(codes))]
    while waiting:
        begin, end = waiting.pop()
        if end - begin <= LEAF:
            continue
        own = order[begin:end]
        some = codes[own]
        apart = (some.max(axis=0) - some.min(axis=0)) * scale
        widest = int(apart.argmax())
        if not apart[widest]:
            continue
        column = some[:, widest]
        middle = np.partition(column, len(column) // 2)[len(column) // 2]
        below = column < middle
        below = below if below.any() else column <= middle
        order[begin:end] = np.concatenate([own[below], own[~below]])
        cut = begin + int(below.sum())
        waiting += [(begin, cut), (cut, end)]
    return order
