"""Chance: drawn once for each cell, from the operating system unless a test says otherwise.

A cell keeps its numbers however often it is looked at again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from discreet.chance import Source

LEVELS = 64
"""Class levels that have a number of their own; deeper ones begin again."""


@dataclass(frozen=True)
class Chance:
    """The numbers drawn for one cell."""

    coin: int
    """What to do where only two values are possible: 0 go on, 1 leave it, 2 refuse."""
    numbers: tuple[int, ...] = (0,)

    def draw(self, level: int) -> int:
        """Return the number by which a guess is chosen at a class level (from 1)."""
        return self.numbers[(level - 1) % len(self.numbers)]


FIRST = Chance(0)
"""Always go on, always the first guess: for tests that replay worked examples."""


def drawn(cells: int, source: Source = os.urandom, levels: int = 1) -> list[Chance]:
    """Return chance for so many cells.

    >>> drawn(1, bytes)
    [Chance(coin=0, numbers=(0,))]
    """
    levels = min(levels, LEVELS)
    numbers = np.frombuffer(source(8 * cells * (levels + 1)), dtype=np.uint64).reshape(cells, levels + 1) >> np.uint64(
        1
    )
    return [Chance(int(line[0] & 1), tuple(int(number) for number in line[1:])) for line in numbers]
