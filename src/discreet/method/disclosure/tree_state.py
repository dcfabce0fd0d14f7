"""A column with a taxonomy or of numbers while it is disclosed: nodes are opened, intervals cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.class_spread import ClassSpread
from discreet.method.base.gain import Counted, Floats, Gain, Pieces
from discreet.method.base.kernels import INTERVAL, NODE, SHUT
from discreet.method.base.openings import Openings, Range
from discreet.method.base.problem import ColumnCounts
from discreet.method.base.space import Flags
from discreet.method.disclosure.column_state import ColumnState, Opened, enough


class TreeState(ColumnState):
    """A column with a taxonomy or of numbers: nodes are opened, intervals cut."""

    def __init__(
        self, place: int, column: ColumnCounts, openings: Openings, gain: Gain, total: int, *, only_valid: bool
    ) -> None:
        super().__init__(place, column, openings, gain, total)
        self.only_valid = only_valid
        self.gains: Floats = np.zeros(self.space.slots)
        self._rows = np.append(0, np.cumsum(column.rows))
        self._spread = None if column.pairs is None else ClassSpread(column.pairs)
        nothing = np.zeros((1, column.tallies.shape[1]), dtype=column.tallies.dtype)
        self._tallies = np.concatenate([nothing, np.cumsum(column.tallies, axis=0)])

    def start(self, *, only_beneficial: bool) -> list[int]:
        """Hide everything under the root."""
        self.only_beneficial = only_beneficial
        size, nodes = self.space.size, len(self.space.nodes)
        self.alive[:] = False
        self.alive[nodes : nodes + size] = self.space.cuts
        self.jump[:] = np.arange(len(self.jump)) + self.first_slot
        self.jump[nodes : nodes + size][~self.space.cuts] += 1
        self.part = np.zeros(size, dtype=np.int64)
        """Of each code the first one of its part; what follows is said at that place."""
        self.stop = np.zeros(size, dtype=np.int64)
        self.node = np.zeros(size, dtype=np.int64)
        """Which node the part is, or of which an interval was cut."""
        self.chosen = np.full(size, -1, dtype=np.int64)
        """The slot that opens the part: its node, or the best cut of an interval; -1 for none."""
        self._open = np.zeros(0, dtype=np.int64)
        """The parts that have such a slot, by their first codes, ascending: a column may have far more codes."""
        self._options = self._open
        """Their slots."""
        useless: list[int] = []
        self.lost = float(self._rows[-1]) * self.space.nodes[0].loss
        self._add(0, self.space.nodes[0].first, self.space.nodes[0].stop, useless)
        return useless

    def copy(self, openings: Openings) -> TreeState:
        """Return a state that goes on by itself."""
        twin = super().copy(openings)
        assert isinstance(twin, TreeState)
        twin.gains = self.gains.copy()
        twin.part, twin.stop = self.part.copy(), self.stop.copy()
        twin.node, twin.chosen = self.node.copy(), self.chosen.copy()
        return twin

    def parts(self) -> list[tuple[int, int, int]]:
        """Return the parts as they are: first code, where it stops, which node it is or was cut of."""
        firsts = np.unique(self.part)
        return [(int(first), int(self.stop[first]), int(self.node[first])) for first in firsts]

    def options(self) -> Ints:
        """Return the nodes that may be opened and the best cut of each interval, in the order of the codes."""
        return self._options

    @property
    def left(self) -> int:
        """How many there are to choose from."""
        return len(self._open)

    def _choose_slot(self, first: int, slot: int) -> None:
        """Say which slot opens a part, -1 for none."""
        at = int(np.searchsorted(self._open, first))
        after = at + int(self.chosen[first] >= 0)
        own = [first] * (slot >= 0), [slot] * (slot >= 0)
        self.chosen[first] = slot
        self._open, self._options = (
            np.concatenate([known[:at], np.array(new, dtype=np.int64), known[after:]])
            for known, new in zip((self._open, self._options), own, strict=True)
        )

    def gains_of(self, slots: Ints) -> Floats:
        """Return what each disclosure would gain."""
        return np.asarray(self.gains[slots])

    def open(self, slot: int) -> Opened:
        """Open a node or cut an interval."""
        first = self.first_of(slot)
        stop, node = int(self.stop[first]), int(self.node[first])
        self._choose_slot(first, -1)
        self.alive[slot] = False
        useless: list[int] = []
        if slot < len(self.space.nodes):
            children = [(child, *self._range(child)) for child in self.space.nodes[node].children]
        else:
            cut = slot - len(self.space.nodes)
            self.jump[slot] = self.first_slot + slot + 1
            children = [(node, first, cut), (node, cut, stop)]
        self.lost -= self._lost(node, first, stop)
        for child, begin, end in children:
            self.lost += self._lost(child, begin, end)
            self._add(child, begin, end, useless)
        fresh = []
        if slot < len(self.space.nodes):  # the cuts of an interval were looked at before, on either side of this one
            fresh = [(begin, end) for _, begin, end in children if self.mode[begin] != SHUT]
        # The largest part may keep the old groups; the others leave them.
        children.sort(key=lambda part: self._rows[part[2]] - self._rows[part[1]])
        return Opened([(begin, end) for _, begin, end in children[:-1]], useless, fresh)

    def drop(self, slot: int) -> int:
        """Keep a node as it is."""
        first = self.first_of(slot)
        self.alive[slot] = False
        self._shut(first)
        return first

    def refresh(self) -> list[int]:
        """Choose again where the chosen cut is dead; an interval without a cut stays as it is."""
        stuck = []
        nodes = len(self.space.nodes)
        dead = (self._options >= nodes) & ~self.alive[self._options]
        for first in self._open[dead].tolist() if dead.any() else ():
            stop = int(self.stop[first])
            again = self._choose(first, stop) if self.only_valid else None
            if again is None:
                best = self._choose(first, stop, self.space.cuts)
                assert best is not None
                stuck.append(best)
                self.alive[nodes + first + 1 : nodes + stop] = False
                self._shut(first)
            else:
                self._choose_slot(first, again)
        return stuck

    def part_of(self, slot: int) -> Range:
        """Return the codes of the node or interval."""
        nodes = len(self.space.nodes)
        first = self.space.nodes[slot].first if slot < nodes else int(self.part[slot - nodes])
        return first, int(self.stop[first])

    def released(self) -> Counted:
        """Return what the use counts of each part."""
        firsts = np.unique(self.part)
        if self._spread is not None:
            part = np.searchsorted(firsts, self.part)
            return self._spread.merged(np.arange(self.space.size), part, len(firsts))
        return np.asarray(self._tallies[self.stop[firsts]] - self._tallies[firsts])

    def kill(self, slots: Ints) -> None:
        """Make these cuts never."""
        self.alive[slots] = False
        self.jump[slots] = self.first_slot + slots + 1

    def _range(self, node: int) -> Range:
        return self.space.nodes[node].first, self.space.nodes[node].stop

    def _lost(self, node: int, first: int, stop: int) -> float:
        return float(self._rows[stop] - self._rows[first]) * self._loss(node, first, stop)

    def _loss(self, node: int, first: int, stop: int) -> float:
        made_of = self.space.nodes[node]
        return self.space.width(first, stop) if made_of.interval else made_of.loss

    def _shut(self, first: int) -> None:
        self._choose_slot(first, -1)
        self.mode[first : self.stop[first]] = SHUT

    def _add(self, node: int, first: int, stop: int, useless: list[int]) -> None:
        """Take up a new part: what could be told of it next, and what that is worth."""
        self.part[first:stop] = first
        self.stop[first], self.node[first] = stop, node
        made_of = self.space.nodes[node]
        openable = bool(made_of.children) if not made_of.interval else self._cuttable(first, stop)
        if not openable or self._rows[stop] == self._rows[first]:  # of a node without rows there is nothing to tell
            self.mode[first:stop] = SHUT
            return
        whole = self._pieces(np.array([[first, stop]]), np.array([self._loss(node, first, stop)]))
        if not self._beneficial(self._classes(whole, first, stop), self.only_beneficial):
            self.mode[first:stop] = SHUT
            useless.append(first)
        elif made_of.interval:
            self._add_interval(first, stop, whole)
        else:
            self._add_node(node, whole)

    def _cuttable(self, first: int, stop: int) -> bool:
        """Whether some cut is allowed (dead ones count: their reason is told)."""
        return bool(self.space.cuts[first + 1 : stop].any())

    def _add_node(self, node: int, whole: Pieces) -> None:
        made_of = self.space.nodes[node]
        codes = slice(made_of.first, made_of.stop)
        self.mode[codes] = NODE
        self.slot[codes] = self.first_slot + node
        ranges = np.array([self._range(child) for child in made_of.children])
        for place, (first, stop) in enumerate(ranges):
            self.child[first:stop] = place
        losses = np.array([self._loss(child, *self._range(child)) for child in made_of.children])
        parts = self._pieces(ranges[np.newaxis], losses[np.newaxis])
        self.gains[node] = self._worth(_only(whole), parts)[0]
        self.alive[node] = True
        self._choose_slot(made_of.first, node)

    def _add_interval(self, first: int, stop: int, whole: Pieces) -> None:
        nodes = len(self.space.nodes)
        cuts = np.arange(first + 1, stop)
        self.mode[first:stop] = INTERVAL
        self.slot[first:stop] = self.first_slot + nodes + np.arange(first, stop)
        self.child[first:stop] = np.arange(first, stop)
        spread = None if self._spread is None else self._spread.of_cuts(first, stop)
        self.gains[nodes + cuts] = self._worth(_only(whole), self._sides(first, stop, spread))
        best = self._choose(first, stop, None if self.only_valid else self.space.cuts)
        # Without any cut alive the interval is stuck: `refresh` finds the dead one and says so.
        self._choose_slot(first, nodes + int(cuts[self.space.cuts[cuts]][0]) if best is None else best)

    def _choose(self, first: int, stop: int, allowed: Flags | None = None) -> int | None:
        """Return the slot of the best cut (the smallest of those that tie), among those alive or `allowed`."""
        nodes = len(self.space.nodes)
        among = slice(nodes + first + 1, nodes + stop)
        possible = self.alive[among] if allowed is None else allowed[first + 1 : stop]
        if not possible.any():
            return None
        gains = np.where(possible, self.gains[among], -np.inf)
        return int(nodes + first + 1 + np.argmax(gains >= enough(float(gains.max()))))

    def _pieces(self, ranges: Ints, losses: Floats, spread: Floats | None = None) -> Pieces:
        first, stop = ranges[..., 0], ranges[..., 1]
        if self._spread is not None and spread is None:
            spread, _ = self._spread.of_ranges(ranges)
        rows, tallies = self._rows[stop] - self._rows[first], self._tallies[stop] - self._tallies[first]
        return Pieces(rows, tallies, losses, losses, spread)

    def _sides(self, first: int, stop: int, spread: Floats | None) -> Pieces:
        """Return the two sides of each cut of an interval."""
        cuts, at = slice(first + 1, stop), self.space.positions
        losses = np.empty((stop - first - 1, 2))
        losses[:, 0], losses[:, 1] = at[first : stop - 1] - at[first], at[stop - 1] - at[cuts]
        rows, tallies = (_halves(sums[first], sums[cuts], sums[stop]) for sums in (self._rows, self._tallies))
        return Pieces(rows, tallies, losses, losses, spread)

    def _classes(self, whole: Pieces, first: int, stop: int) -> Ints | Floats:
        """Return what the use counts of a part; of many classes, whatever has as many that are not 0."""
        if self._spread is None:
            return np.asarray(whole.tallies[0])
        return np.ones(int(self._spread.of_ranges(np.array([[first, stop]]))[1][0]))


def _only(pieces: Pieces) -> Pieces:
    """Return the one piece that an array of one holds."""
    spread = None if pieces.spread is None else pieces.spread[0]
    return Pieces(pieces.rows[0], pieces.tallies[0], pieces.loss[0], pieces.hidden[0], spread)


def _halves(before: Any, at: Any, after: Any) -> Any:
    """Return what lies on the two sides (second axis) of each cut, from the sums up to it and to the ends."""
    found = np.empty((len(at), 2, *at.shape[1:]), dtype=at.dtype)
    found[:, 0], found[:, 1] = at - before, after - at
    return found
