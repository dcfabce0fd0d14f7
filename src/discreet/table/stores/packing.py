"""Combinations of texts as one whole number, or few: a database groups by numbers much faster than by texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from discreet.encoded import Combinations, Ints, smallest
from discreet.table.stores.files import changed

MOST_BITS = 62
FEW = 60
"""So many texts, or fewer, are looked up one by one; more by a table of them, or a type of their own."""
LONGEST = 20_000
"""Where a column has more values, combinations are counted by their texts; so many are looked up quickly."""
ERROR = 1.1
"""How far a number of different values may be off where it is only estimated."""

Number = TypeVar("Number", bound=Any)


class Packing:
    """How the values of some columns become numbers.

    The code of a value is its place (from 1) among the known values of its column; that of a missing one is 0. The
    codes of several columns make one number, side by side in its bits, as long as there are enough.

    Parameters
    ----------
    columns
        Names of the columns.
    domains
        Their values in code-point order, a missing one (None) first.
    """

    def __init__(self, columns: Sequence[str], domains: Sequence[tuple[str | None, ...]]) -> None:
        self.columns, self.domains = tuple(columns), tuple(domains)
        self.packs: list[list[int]] = [[]]
        """The columns, by place, that make each number."""
        taken = 0
        for place in range(len(columns)):
            if taken + self.bits(place) > MOST_BITS:
                self.packs.append([])
                taken = 0
            self.packs[-1].append(place)
            taken += self.bits(place)

    def bits(self, place: int) -> int:
        """Return how many bits the codes of a column take."""
        return len(self.known(place)).bit_length()

    def known(self, place: int) -> tuple[str | None, ...]:
        """Return the values of a column that are not missing."""
        domain = self.domains[place]
        return domain[1:] if domain[:1] == (None,) else domain

    def numbers(self, codes: Sequence[Number]) -> list[Number]:
        """Return the numbers that the codes of all columns make, whatever it is that can be multiplied and added."""
        found = []
        for pack in self.packs:
            number = codes[pack[0]]
            for place in pack[1:]:
                number = number * (1 << self.bits(place)) + codes[place]
            found.append(number)
        return found

    def read(self, numbers: Sequence[Ints], counts: Ints, name: str) -> Combinations:
        """Return what `unpacked` does; refuse a table (called `name`) that has come to have other values."""
        counted = self.unpacked(numbers, counts)
        if counted is None:
            raise changed(name)
        return counted

    def unpacked(self, numbers: Sequence[Ints], counts: Ints) -> Combinations | None:
        """Return the combinations that some numbers (different ones, one for each pack) stand for, in order.

        None where one stands for a value that is not known.
        """
        order = np.lexsort(numbers[::-1]) if len(numbers) > 1 else np.argsort(numbers[0])
        codes = {}
        for pack, given in zip(self.packs, numbers, strict=True):
            left = given[order]
            for place in reversed(pack):
                code = left & ((1 << self.bits(place)) - 1)
                left = left >> self.bits(place)
                first = int(self.domains[place][:1] != (None,))
                if first and len(code) and not code.all():
                    return None
                codes[place] = (code - first).astype(smallest(max(len(self.domains[place]), 1)))
        return Combinations(
            self.columns, self.domains, tuple(codes[place] for place in range(len(self.columns))), counts[order]
        )
