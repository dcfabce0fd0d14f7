"""Cuts as bit strings, for the searches over them: what is valid, how to repair, change and mix.

A cut says what is told of each column. As a string it has one bit between each two neighbouring codes of a tree or
number column (1: they are told apart) and one per value of a plain column (1: it is shown), column after column.

Guarantee: every string that `repair`, `random`, `flip`, `mutate` and `crossover` return is valid: the bits that one
node owns are equal, and a node with 1s has only nodes with 1s above it. The bits inside an interval are each on their
own, below the node that has the interval as a child; a bit where nothing may be cut is 0. `repair` by "nearest" is
exact (Iyengar, section 4, asks to retain as much of a string as possible). Nothing here looks at rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.space import Flags, Floats, Space

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts

Bits = npt.NDArray[np.uint8]
"""One string, or several as rows of an array."""
Repair = Literal["nearest", "split", "merge"]
MANY = 2**62


@dataclass(frozen=True, eq=False)
class SwitchLevel:
    """The switches `first` to `stop` - 1, equally far below the top, those below one switch side by side."""

    first: int
    stop: int
    above: Ints
    """The switches that have some of these right below."""
    starts: Ints
    """Where, counted from `first`, those of each begin."""
    parents: Ints
    """For each of these the switch right above."""

    @property
    def own(self) -> slice:
        """Where these switches are."""
        return slice(self.first, self.stop)


@dataclass(frozen=True, eq=False)
class Cuts:
    """The strings of the cuts of some columns together; made by `cuts_of`.

    Bits that are always equal, those of one node, hang on one switch: a node is open or not, an interval is cut at
    a place or not, a value is shown or not. A switch may be on only when the one above it is.
    """

    spaces: tuple[Space, ...]
    offsets: Ints
    """Where the bits of each column begin, and where the last ones end."""
    switch: Ints
    """The switch of each bit; -1 where it is never 1."""
    parent: Ints
    """The switch above each switch, which has a smaller number; -1 for none."""
    widths: Ints
    """How many bits hang on each switch."""
    levels: tuple[SwitchLevel, ...]
    """The switches that have one above them, from the top down."""
    order: Ints
    """The bits that may be 1, by their switches."""
    begins: Ints
    """Where in that order the bits of each switch begin."""

    @property
    def length(self) -> int:
        """The number of bits."""
        return int(self.offsets[-1])

    def column(self, bits: Bits, place: int) -> Bits:
        """Return (a view of) the bits of one column."""
        return bits[..., self.offsets[place] : self.offsets[place + 1]]

    def is_valid(self, bits: Bits) -> bool:
        """Whether the string is that of a cut; of several, whether all are."""
        ones = self._ones(bits)
        on = ones > 0
        below = all(bool(np.all(on[..., level.parents] | ~on[..., level.own])) for level in self.levels)
        return below and bool(np.all(~on | (ones == self.widths))) and not bits[..., self.switch < 0].any()

    def repair(self, bits: Bits, how: Repair = "nearest") -> Bits:
        """Return a valid string that keeps as much as possible, in time linear in the bits.

        "nearest" changes the fewest bits, and of several such strings is the one with the most 1s. (There is only one:
        what is open in either of two nearest strings is open in a third.) "split" keeps every 1 and adds the fewest
        others; "merge" keeps every 0 and adds the fewest others. A 1 at a bit that is never 1 is dropped first and
        decides nothing.
        """
        ones = self._ones(bits)
        if how == "split":
            return self.strings(self._with_above(ones > 0))
        if how == "merge":
            return self.strings(self._with_below(ones == self.widths))
        # How many bits more are changed if a switch is on, those below it as is best, than if it and they are off.
        more = self.widths - 2 * ones
        for level in reversed(self.levels):
            more[..., level.above] += np.add.reduceat(np.minimum(more[..., level.own], 0), level.starts, axis=-1)
        return self.strings(self._with_below(more <= 0))

    def flip(self, bits: Bits, place: int) -> Bits:
        """Return a valid string with one bit flipped, which wins; a bit that is never 1 stays.

        To 1: the node that owns the bit and those above it are opened. To 0: it and all below are closed.
        """
        drawn = np.zeros(self.length, dtype=np.bool_)
        drawn[place] = True
        return self._flipped(bits, drawn)

    def mutate(self, bits: Bits, probability: float, rng: np.random.Generator) -> Bits:
        """Return a valid string with each bit flipped by lot, as in `flip`; a node is when any of its bits is drawn.

        What closes is closed before anything is opened.
        """
        drawn = rng.random(bits.shape) < probability
        return self._flipped(bits, drawn) if drawn.any() else bits.copy()

    def crossover(self, one: Bits, other: Bits, rng: np.random.Generator) -> Bits:
        """Return `one` with a stretch of `other`, both ends drawn by lot, repaired.

        Both give at least one bit (before the repair). Where there are fewer than two, there is nothing to mix.
        """
        if self.length < 2:
            return one.copy()
        start, stop = int(rng.integers(self.length)), int(rng.integers(self.length - 1))
        stop += stop >= start
        return self.cross(one, other, min(start, stop), max(start, stop))

    def cross(self, one: Bits, other: Bits, start: int, stop: int) -> Bits:
        """Return `one` with the bits from `start` up to `stop` of `other`, repaired."""
        child = one.copy()
        child[..., start:stop] = other[..., start:stop]
        return self.repair(child)

    def random(self, density: float | Floats, rng: np.random.Generator) -> Bits:
        """Return a random cut for each density: on average this share, 0 to 1, of the bits that may be 1 are.

        Nodes (places, values) are opened in random order, each with those above it, until there are enough 1s; the
        last is opened by lot, so that the average is exact.
        """
        dense = np.asarray(density, dtype=np.float64)[..., None]
        turn = rng.random((*dense.shape[:-1], len(self.parent)))
        for level in reversed(self.levels):
            first = np.minimum.reduceat(turn[..., level.own], level.starts, axis=-1)
            turn[..., level.above] = np.minimum(turn[..., level.above], first)
        order = np.argsort(turn, axis=-1, kind="stable")  # a switch opens in the turn of one below it, but before it
        widths = self.widths[order]
        before = np.cumsum(widths, axis=-1) - widths
        on = np.zeros(turn.shape, dtype=np.bool_)
        enough = dense * self.widths.sum() - before > rng.random(dense.shape) * widths
        np.put_along_axis(on, order, enough, axis=-1)
        return self.strings(on)

    def parts(self, bits: Bits) -> list[Ints]:
        """Return for each column, by code, the first code of the part that it is in; hidden values are one part.

        The string must be valid.
        """
        return [_shown_parts(own) if space.plain else _cut_parts(own, space.size) for space, own in self._columns(bits)]

    def bits_of(self, parts: Sequence[Ints]) -> Bits:
        """Return the string of a cut from its `parts`; raise ValueError when they are not those of a cut.

        The only hidden value of a plain column, which is in a part of its own, counts as shown where it may be.
        """
        bits = np.zeros(self.length, dtype=np.uint8)
        for place, (space, part) in enumerate(zip(self.spaces, parts, strict=True)):
            own = slice(self.offsets[place], self.offsets[place + 1])
            bits[own] = _alone(part) & (self.switch[own] >= 0) if space.plain else part[1:] != part[:-1]
        again = self.parts(bits)
        if not self.is_valid(bits) or not all(map(np.array_equal, again, parts)):
            raise ValueError("these parts are not those of a cut of the columns")
        return bits

    def found(self, bits: Bits) -> list[Flags | Parts]:
        """Return a cut as plans take it: which values of a column are shown, or its parts with their nodes.

        The string must be valid.
        """
        return [own.astype(np.bool_) if space.plain else _nodes(space, own) for space, own in self._columns(bits)]

    def _columns(self, bits: Bits) -> Iterator[tuple[Space, Bits]]:
        for place, space in enumerate(self.spaces):
            yield space, self.column(bits, place)

    def _flipped(self, bits: Bits, drawn: Flags) -> Bits:
        on, hit = self._ones(bits) > 0, self._ones(drawn) > 0
        kept = self._with_below(on & ~hit)
        return self.strings(self._with_above(kept | (hit & ~on)))

    def _ones(self, bits: Bits | Flags) -> Ints:
        """Return how many of each switch's bits are 1."""
        return np.asarray(np.add.reduceat(bits[..., self.order], self.begins, axis=-1, dtype=np.int64))

    def strings(self, on: Flags) -> Bits:
        """Return the strings with these switches on; one on its own, or several as rows of an array."""
        bits = np.zeros((*on.shape[:-1], self.length), dtype=np.uint8)
        bits[..., self.order] = np.repeat(on, self.widths, axis=-1)
        return bits

    def _with_above(self, on: Flags) -> Flags:
        """Switch on what is above any switch that is on."""
        for level in reversed(self.levels):
            on[..., level.above] |= np.logical_or.reduceat(on[..., level.own], level.starts, axis=-1)
        return on

    def _with_below(self, on: Flags) -> Flags:
        """Switch off what is below any switch that is off."""
        for level in self.levels:
            on[..., level.own] &= on[..., level.parents]
        return on


def cuts_of(spaces: Sequence[Space], pinned: Sequence[Flags] | None = None) -> Cuts:
    """Return the strings of the cuts of some columns; `pinned`, by column and code: values that are never shown.

    >>> cuts = cuts_of([Space(3)])
    >>> cuts.parts(np.array([0, 1, 0], dtype=np.uint8))
    [array([0, 1, 0])]
    """
    lengths = [space.size if space.plain else space.size - 1 for space in spaces]
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    switches = np.full(offsets[-1], -1, dtype=np.int64)
    parents: list[int] = []
    for place, space in enumerate(spaces):
        own = switches[offsets[place] : offsets[place + 1]]
        if space.plain:
            shown = np.ones(space.size, dtype=np.bool_) if pinned is None else ~pinned[place]
            _hang_each(own, np.flatnonzero(shown), -1, parents)
        else:
            _hang_nodes(own, space, parents)
    return _numbered(tuple(spaces), offsets, switches, np.array(parents, dtype=np.int64))


def number_of_cuts(cuts: Cuts) -> int:
    """Return how many cuts there are, MANY for that many or more.

    >>> number_of_cuts(cuts_of([Space(3)]))
    8
    """
    ways = [1] * len(cuts.parent)
    total = 1
    for switch in range(len(ways) - 1, -1, -1):
        above = int(cuts.parent[switch])
        mine = min(ways[switch] + 1, MANY)
        if above < 0:
            total = min(total * mine, MANY)
        else:
            ways[above] = min(ways[above] * mine, MANY)
    return total


def genitor_rank(u: float, size: int, bias: float = 1.5) -> int:
    """Return the rank, 0 the best of `size`, that GENITOR draws where u is drawn evenly from [0, 1).

    The bias, 1 to 2, is how many times as often as the one in the middle the best is drawn: with 1 all are equally
    likely, with 2 the worst is hardly ever drawn.

    >>> genitor_rank(0.5, 5000, 1.5)
    1909
    """
    # size * (bias - sqrt(...)) / (2 * (bias - 1)), multiplied out so that nothing cancels and a bias of 1 is no case
    root = math.sqrt(bias * bias - 4 * (bias - 1) * u)
    return min(int(size * 2 * u / (bias + root)), size - 1)


def _hang_each(own: Ints, places: Ints, above: int, parents: list[int]) -> None:
    """Give each of these bits a switch of its own."""
    own[places] = np.arange(len(parents), len(parents) + len(places))
    parents.extend([above] * len(places))


def _hang_nodes(own: Ints, space: Space, parents: list[int]) -> None:
    """Give each node a switch for the borders between its children, each interval one for each cut."""
    todo = [(0, -1)]
    while todo:
        place, above = todo.pop()
        node = space.nodes[place]
        if node.interval:
            _hang_each(own, np.flatnonzero(space.cuts[node.first + 1 : node.stop]) + node.first, above, parents)
        elif borders := _borders(space, place):
            own[borders] = len(parents)
            parents.append(above)
            above = len(parents) - 1
        todo += [(child, above) for child in node.children]


def _borders(space: Space, place: int) -> list[int]:
    """Return the bits that a node owns: those between its children."""
    node = space.nodes[place]
    return [space.nodes[child].first - 1 for child in node.children if space.nodes[child].first > node.first]


def _numbered(spaces: tuple[Space, ...], offsets: Ints, switches: Ints, parents: Ints) -> Cuts:
    """Number the switches level by level, so that those right below one stand side by side."""
    number = np.full(len(parents) + 1, -1, dtype=np.int64)  # the last one is for "none"
    now = np.flatnonzero(parents < 0)
    done = 0
    levels: list[SwitchLevel] = []
    while len(now):
        number[now] = np.arange(done, done + len(now))
        above = number[parents[now]]
        if done:
            levels.append(SwitchLevel(done, done + len(now), *np.unique(above, return_index=True), above))
        done += len(now)
        below = np.flatnonzero(np.isin(parents, now))
        now = below[np.argsort(number[parents[below]], kind="stable")]
    parent = np.empty_like(parents)
    parent[number[:-1]] = number[parents]
    switch = number[switches]
    order = np.argsort(switch, kind="stable")[np.count_nonzero(switch < 0) :]
    widths = np.bincount(switch[order], minlength=len(parent))
    return Cuts(spaces, offsets, switch, parent, widths, tuple(levels), order, np.cumsum(widths) - widths)


def _shown_parts(shown: Bits) -> Ints:
    parts = np.arange(len(shown))
    hidden = np.flatnonzero(shown == 0)
    parts[hidden] = hidden[:1]
    return parts


def _cut_parts(cut: Bits, size: int) -> Ints:
    first = np.zeros(size, dtype=np.int64)
    first[1:] = np.where(cut, np.arange(1, size), 0)
    return np.maximum.accumulate(first)


def _alone(part: Ints) -> Flags:
    """Return which codes are in a part of their own."""
    return np.asarray(np.bincount(part, minlength=len(part))[part] == 1)


def _nodes(space: Space, bits: Bits) -> Parts:
    """Return first code, stop and node of each part."""
    found: Parts = []
    todo = [0]
    while todo:
        place = todo.pop()
        node = space.nodes[place]
        if node.interval:
            cuts = np.flatnonzero(bits[node.first : node.stop - 1]) + node.first + 1
            found += [(first, stop, place) for first, stop in pairwise([node.first, *cuts.tolist(), node.stop])]
        elif node.children and bits[_borders(space, place)].all():
            todo += reversed(node.children)
        else:
            found.append((node.first, node.stop, place))
    return found
