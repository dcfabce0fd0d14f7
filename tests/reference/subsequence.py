"""Whether released rows stand, in order, for some of the original rows: every way to match them is tried."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


def stands_for_some(released: int, original: int, covers: Callable[[int, int], bool]) -> bool:
    """Whether each released row (by number) can be given an original row of its own that it covers, in order."""

    @cache
    def rest(row: int, after: int) -> bool:
        if row == released:
            return True
        return any(covers(row, at) and rest(row + 1, at + 1) for at in range(after, original))

    return rest(0, 0)
