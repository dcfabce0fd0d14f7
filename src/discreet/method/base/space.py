"""What may be disclosed of one column: the space of its recodings, by codes.

A plain column discloses single values; all others stay one hidden value. Every other column is a tree whose
nodes are ranges of codes: a disclosure opens a node into its children. A node may be an interval of numbers,
which a disclosure cuts in two in front of some code.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Node:
    """The codes from `first` up to `stop`; `share` of detail (from 0 to 1) is lost when no more than this is known."""

    first: int
    stop: int
    children: tuple[int, ...] = ()
    share: Fraction = Fraction(0)
    interval: bool = False

    @property
    def loss(self) -> float:
        """The share of detail lost, as a float."""
        return float(self.share)


@dataclass(frozen=True)
class Places:
    """Where the number of each code stands between the smallest (0) and the largest (1): all over one denominator."""

    numerators: tuple[int, ...] = ()
    denominator: int = 1

    def __len__(self) -> int:
        return len(self.numerators)

    def __getitem__(self, code: int) -> Fraction:
        return Fraction(self.numerators[code], self.denominator)

    @property
    def unit(self) -> int:
        """The least number of equal parts such that every number stands at the end of one."""
        return self.denominator // math.gcd(self.denominator, *self.numerators)

    def floats(self) -> Floats:
        """Return the places, each rounded once."""
        return np.array([numerator / self.denominator for numerator in self.numerators])

    def times(self, scale: Fraction) -> npt.NDArray[np.int64]:
        """Return the places in parts of a whole of so many, each rounded to the nearest, halves to the even one."""
        by, whole = scale.numerator, scale.denominator * self.denominator
        found = np.empty(len(self), dtype=np.int64)
        for at, numerator in enumerate(self.numerators):
            below, over = divmod(by * numerator, whole)
            found[at] = below + (2 * over > whole or (2 * over == whole and below & 1))
        return found


@dataclass(frozen=True)
class Space:
    """The codes 0 to `size` - 1 of a column and how they may be told apart."""

    size: int
    nodes: tuple[Node, ...] = ()
    """The root first; none for a plain column."""
    cuts: Flags = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """In front of which codes an interval may be cut."""
    places: Places = Places()
    """Where the number of each code stands; none without intervals."""
    shares: tuple[tuple[Fraction, ...], ...] = ()
    """For each node what a value of each code loses when only the node is known; none where that is the node's share
    for all of them."""

    @cached_property
    def positions(self) -> Floats:
        """The places as floats."""
        return self.places.floats()

    @cached_property
    def node_at(self) -> dict[tuple[int, int], int]:
        """The node with just these codes, intervals aside."""
        return {(node.first, node.stop): place for place, node in enumerate(self.nodes) if not node.interval}

    @property
    def plain(self) -> bool:
        """Whether single values are shown or hidden."""
        return not self.nodes

    @property
    def slots(self) -> int:
        """How many different disclosures there are: one per value, or one per node and one per cut (and an end)."""
        return self.size if self.plain else len(self.nodes) + self.size + 1

    def width(self, first: int, stop: int) -> float:
        """Return what is lost when only the interval of these codes is known."""
        return float(self.positions[stop - 1] - self.positions[first])
