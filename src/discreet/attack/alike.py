"""Rows that look alike, and rows that may be somebody's: equal texts, and all texts that cover what is known of him.

`Alike` has the groups of rows with equal texts on some columns. `Paths` has different rows as a tree, one column after
the other (those with few texts first), so that who fits is found without looking at all rows: a branch that does not
fit is left at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.attack.alike_kernels import lines_fit, tally_fitting
from discreet.compare.meanings import Flags, Floats, Sense
from discreet.encoded import Ints, keys

CHUNK = 500
"""People who are looked up at once: between them the clock is asked."""


@dataclass(frozen=True)
class Alike:
    """Groups of rows with equal codes on some columns.

    Parameters
    ----------
    group
        The group of each row.
    sizes
        The rows of each group.
    first
        A row of each group.
    """

    group: Ints
    sizes: Ints
    first: Ints

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.group)

    @cached_property
    def of_row(self) -> Ints:
        """The size of the group of each row."""
        return self.sizes[self.group]

    @property
    def alone(self) -> int:
        """Rows that are the only ones of their group."""
        return int((self.sizes == 1).sum())


def alike(codes: Sequence[Ints], rows: int) -> Alike:
    """Return the groups of rows with equal codes, in the order of the codes; -1 may be one."""
    shifted = [(code + 1).astype(np.uint32) for code in codes]
    key, _ = keys(shifted, [int(code.max(initial=0)) + 1 for code in shifted], rows)
    _, first, group, sizes = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return Alike(group.astype(np.int64), sizes.astype(np.int64), first.astype(np.int64))


def told(sense: Sense, places: Ints) -> Ints:
    """Return values by their places, -1 where they tell nothing."""
    return np.where((places >= 0) & sense.known[np.maximum(places, 0)], places, -1) if len(sense.known) else places


@dataclass(frozen=True)
class Paths:
    """The different rows of a table as a tree; `of_texts` says whether they are released texts or values.

    `senses` are in the order of the tree. The nodes of all levels stand in one line; those of the last level are the
    groups of `groups`, in their order.
    """

    senses: tuple[Sense, ...]
    of_texts: bool
    groups: Alike
    level: Ints
    """Where the nodes of each level begin, and where the last ones end."""
    codes: Ints
    begin: Ints
    end: Ints
    """The nodes below each node."""
    asked: Ints
    """For each column of the tree its place among the columns as they were given."""

    @cached_property
    def ranges(self) -> tuple[Ints, Ints, Ints]:
        """What texts cover: for each column where its texts begin, for each text where its ranges do, the ranges."""
        texts = [ranges for sense in self.senses for ranges in sense.ranges]
        offsets = np.cumsum([0, *(len(sense.texts) for sense in self.senses)], dtype=np.int64)
        starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        ends = np.array([pair for ranges in texts for pair in ranges], dtype=np.int64).reshape(-1, 2)
        return offsets, starts, ends

    def count(self, lines: Ints) -> Ints:
        """Return how many rows fit each line (of values for a tree of texts, of texts for one of values)."""
        groups = len(self.groups.sizes)
        rows, nothing = self.groups.sizes.astype(np.float64), np.zeros(groups, dtype=np.int64)
        found = self.tally(lines, np.arange(groups + 1), nothing, rows, 1)[:, 0]
        return np.rint(found).astype(np.int64)

    def fits(self, lines: Ints, rows: Ints) -> Flags:
        """Say of lines of values whether each is covered by the released row beside it."""
        fits = np.zeros(len(lines), dtype=np.bool_)
        texts = np.column_stack([sense.codes[rows] for sense in self.senses])
        lines_fit(self._ordered(lines), texts, *self.ranges, fits)
        return fits

    def tally(self, lines: Ints, starts: Ints, values: Ints, weights: Floats, size: int) -> Floats:
        """Return for each line the summed weights of values (0 to `size`) of the groups that fit.

        The values of group g, with their weights, stand from `starts[g]` up to `starts[g + 1]`.
        """
        found = np.zeros((len(lines), size))
        tally_fitting(self._ordered(lines), *self._tree(), *self.ranges, self.of_texts, starts, values, weights, found)
        return found

    def _ordered(self, lines: Ints) -> Ints:
        return np.ascontiguousarray(lines[:, self.asked], dtype=np.int64)

    def _tree(self) -> tuple[Ints, Ints, Ints, Ints]:
        return self.level, self.codes, self.begin, self.end


def paths(senses: Sequence[Sense], codes: Sequence[Ints] | None = None) -> Paths:
    """Return the tree of the released rows, or of rows of values where `codes` are their places (-1 unknown)."""
    of_texts = codes is None
    columns = [sense.codes for sense in senses] if codes is None else list(codes)
    widths = [len(sense.texts) if of_texts else len(sense.values) for sense in senses]
    asked = np.array(sorted(range(len(senses)), key=lambda place: widths[place]), dtype=np.int64)
    columns = [columns[place] for place in asked.tolist()]
    groups = alike(columns, len(columns[0]))
    different = np.column_stack([column[groups.first] for column in columns])
    starts: list[Ints] = []
    new = np.zeros(len(different), dtype=np.bool_)
    new[:1] = True
    for place in range(different.shape[1]):
        new[1:] |= different[1:, place] != different[:-1, place]
        starts.append(np.flatnonzero(new))
    level = np.cumsum([0, *map(len, starts)], dtype=np.int64)
    nodes = np.concatenate([different[start, place] for place, start in enumerate(starts)])
    begin, end = np.zeros(len(nodes), dtype=np.int64), np.zeros(len(nodes), dtype=np.int64)
    for place in range(len(starts) - 1):
        here = slice(level[place], level[place + 1])
        begin[here] = level[place + 1] + np.searchsorted(starts[place + 1], starts[place])
        end[here] = np.append(begin[here][1:], level[place + 2])
    ordered = tuple(senses[place] for place in asked.tolist())
    return Paths(ordered, of_texts, groups, level, nodes, begin, end, asked)
