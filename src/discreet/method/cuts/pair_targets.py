"""What targets with very many classes cost: what calls the loops of `pair_kernels`, with scratch arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import room
from discreet.encoded import Ints
from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.space import Flags
from discreet.method.base.targets import PairShape
from discreet.method.cuts.pair_kernels import class_costs, collapse_pairs, flip_pairs, interval_pairs, node_pairs

Codes = npt.NDArray[np.int32]

if TYPE_CHECKING:
    from discreet.method.cuts.contexts import Contexts


@room
class PairsByClass(NamedTuple):
    """Room for pairs ordered by class; see `set_largest`."""

    rows: Codes
    counts: Ints
    next: Ints
    """By class: where its next pair goes."""
    every: Ints
    """By row: how many rows of all classes it has."""
    most: Ints


class GroupedRows(NamedTuple):
    """Rows ordered by group."""

    rows: Ints
    start: Ints
    """Where each group begins, and where the last one ends."""
    groups: int
    left_out: Flags
    """By row, not by place."""
    pairs: ClassPairs | None = None
    """Those of the rows, if they are collapsed; None: those of the problem."""


class PairTargets:
    """The targets of a problem that have pairs; each call overwrites what the last one of its kind returned."""

    def __init__(self, shape: PairShape) -> None:
        self.shape, self.pairs = shape, shape.pairs
        classes, targets = shape.pairs.size, len(shape.first) - 1
        self._tally, self._dropped = (np.zeros(classes, dtype=np.int64) for _ in range(2))
        self._most = np.zeros(targets, dtype=np.int64)
        self._largest = int(shape.pairs.of_all().max(initial=0))
        """Rows of the largest class."""
        self._bits = classes.bit_length()
        """In which a class can be written; above them there is room for all rows."""
        self._at = np.empty(shape.pairs.rows + 1, dtype=np.int64)
        self._classes, self._counts = np.empty_like(shape.pairs.classes), np.empty_like(shape.pairs.counts)
        self._scratch = np.empty_like(self._counts)
        self._rows = np.empty_like(self._classes)
        self._next, self._every = np.empty_like(self._tally), np.empty(shape.pairs.rows, dtype=np.int64)

    def cost(self, place: int, grouped: GroupedRows) -> int:
        """Return what the rows that are kept cost one target. 0 where it has no pairs."""
        first, last = self.shape.first[place : place + 2]
        if first == last:
            return 0
        rows, start, groups, left_out, pairs = grouped
        return int(
            class_costs(rows, start, groups, left_out, *self._given(self.pairs if pairs is None else pairs), first,
                        last, place, self._dropped, self._tally, self._most)
        )  # fmt: skip

    def left_out(self, place: int) -> Ints:
        """Return the rows of each class of a target that are left out, as of the last `cost`."""
        return self._dropped[self.shape.first[place] : self.shape.first[place + 1]]

    def collapsed(self, into: Ints, rows: Ints, found: int) -> ClassPairs:
        """Return the pairs of collapsed rows: `into` says which of them (so many) each of the rows is a part of."""
        last = collapse_pairs(
            into, rows, found, self.pairs.at, self.pairs.classes, self.pairs.counts, self._at, self._classes,
            self._counts, self._tally, self._scratch, self._bits,
        )  # fmt: skip
        return ClassPairs(self._at[: found + 1], self._classes[:last], self._counts[:last], self.pairs.size)

    def cost_of_leaving(self, pairs: ClassPairs, weights: Ints) -> Ints:
        """Return what rows cost when they are left out."""
        return pairs.added(self.shape.gone * weights[self.shape.target])

    def add_nodes(self, contexts: Contexts, leaf: Ints, parent: Ints, limits: Ints, weights: Ints, cost: Ints) -> None:
        """Add to the cost of each node of a tree; see `node_costs`."""
        scratch = (np.zeros(len(parent), dtype=np.int64) for _ in range(3))
        node_pairs(
            contexts.start, contexts.groups, contexts.codes, leaf, parent, contexts.sizes, contexts.hits, limits,
            weights, *self._of(contexts), cost, _sums(contexts), self._tally, self._most, *scratch,
        )  # fmt: skip

    def add_intervals(
        self, contexts: Contexts, first: int, stop: int, limits: Ints, weights: Ints, based: Ints
    ) -> None:
        """Add to the cost of each interval; see `interval_costs`."""
        largest = np.zeros((stop - first, stop - first), dtype=np.int64)
        order = PairsByClass(self._rows, self._scratch, self._next, self._every, largest)
        interval_pairs(
            contexts.start, contexts.groups, contexts.codes, first, stop, contexts.sizes, contexts.hits, limits,
            weights, *self._of(contexts), based, _sums(contexts), self._tally, self._most, order,
        )  # fmt: skip

    def add_flips(self, contexts: Contexts, hidden: Flags, limits: Ints, weights: Ints, cost: Ints) -> None:
        """Add to the cost of showing or hiding each value; see `flip_costs`."""
        having = np.zeros((len(weights), self._largest + 1), dtype=np.int32)
        flip_pairs(
            contexts.start, contexts.groups, contexts.codes, hidden, contexts.sizes, contexts.hits, limits, weights,
            *self._of(contexts), cost, _sums(contexts), _sums(contexts), self._tally, self._most,
            np.zeros_like(self._tally), np.zeros_like(self._most), having,
        )  # fmt: skip

    def _of(self, contexts: Contexts) -> tuple[Ints, Codes, Ints, Ints]:
        assert contexts.pairs is not None
        return self._given(contexts.pairs)

    def _given(self, pairs: ClassPairs) -> tuple[Ints, Codes, Ints, Ints]:
        """Return pairs as the loops take them."""
        return pairs.at, pairs.classes, pairs.counts, self.shape.target


def _sums(contexts: Contexts) -> Ints:
    """Return room for the hits of one group."""
    return np.zeros(len(contexts.hits), dtype=np.int64)
