"""Conditions of other rows, by the R-graph of the paper.

Guarantee: that of `rules`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.rule_table import HidingAnswer, RuleTable, columns_of, subsets

Chooser = Callable[[int], int]
"""Draws a number below another."""


@dataclass(frozen=True)
class _GraphNode:
    """A node of the R-graph with rows of its own: a pattern, some of its conditions, and the kinds of rows."""

    pattern: int
    mask: int
    kinds: tuple[tuple[int, ...], ...]


class _Graph:
    """The rules to one value, and the rows that have its conditions: by kind, those alike on all conditions."""

    def __init__(self, table: RuleTable, value: int) -> None:
        self.table = table
        self.patterns = np.flatnonzero(table.rules.values == value)
        self.within = np.zeros(table.rules.num.shape, dtype=np.int64)
        self.kinds: dict[tuple[int, ...], list[int]] = {}
        for row in np.flatnonzero(table.values == value).tolist():
            self.kinds.setdefault(tuple(table.cells[:, row].tolist()), []).append(row)
        self._tops: dict[tuple[int, ...], list[tuple[int, int]]] = {}

    def tops(self, kind: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the largest patterns (and their conditions) that rows of a kind have."""
        if kind not in self._tops:
            rules = self.table.rules
            agree = (rules.patterns[self.patterns] == np.array(kind)) & (rules.patterns[self.patterns] >= 0)
            masks = (agree * (1 << np.arange(len(kind)))).sum(axis=1).tolist()
            first: dict[int, int] = {}
            for pattern, mask in zip(self.patterns.tolist(), masks, strict=True):
                if mask:
                    first.setdefault(mask, pattern)
            largest = [mask for mask in first if not any(mask & other == mask != other for other in first)]
            self._tops[kind] = [(first[mask], mask) for mask in largest]
        return self._tops[kind]

    def active(self) -> list[_GraphNode]:
        """Return the nodes that have rows of their own."""
        nodes: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        at: dict[tuple[int, ...], tuple[int, int]] = {}
        for kind in self.kinds:
            for pattern, mask in self.tops(kind):
                key = tuple(value if mask >> column & 1 else NOTHING for column, value in enumerate(kind))
                nodes.setdefault(key, []).append(kind)
                at.setdefault(key, (pattern, mask))
        return [_GraphNode(*at[key], tuple(kinds)) for key, kinds in nodes.items()]

    def entry(self, node: _GraphNode) -> int | None:
        """Return the condition to hide: in most unsafe rules below the node, and free in some row of its own."""
        within = self.within[node.pattern]
        all_unsafe = int(within[node.mask])
        best, best_score = None, 0
        for column in columns_of(node.mask):
            score = all_unsafe - int(within[node.mask ^ (1 << column)])
            if score > best_score and self.usable(node, column, 1):
                best, best_score = column, score
        return best

    def usable(self, node: _GraphNode, column: int, most: int) -> list[int]:
        """Return the first rows of a node's own whose cell may be hidden."""
        rows = [row for kind in node.kinds for row in self.kinds[kind] if self.table.may((row, column))]
        return sorted(rows)[:most]

    def key(self, node: _GraphNode) -> tuple[int, ...]:
        """Return what a node says of each condition."""
        pattern = self.table.rules.patterns[node.pattern]
        return tuple(int(value) if node.mask >> column & 1 else NOTHING for column, value in enumerate(pattern))

    def order(self, node: _GraphNode) -> tuple[object, ...]:
        """Return by what nodes are told apart where they are equally good: more conditions, columns, values."""
        key = self.key(node)
        columns = tuple(columns_of(node.mask))
        return -len(columns), columns, tuple(key[column] for column in columns)

    def is_above(self, node: _GraphNode, other: _GraphNode) -> bool:
        """Whether a node says all that another says, and more."""
        if node.mask & other.mask != other.mask or node.mask == other.mask:
            return False
        mine, theirs = self.key(node), self.key(other)
        return all(mine[column] == theirs[column] for column in columns_of(other.mask))

    def hide(self, node: _GraphNode, column: int) -> bool:
        """Hide a condition in as many rows of a node's own as the least unsafe rule below it with it needs."""
        rules, p = self.table.rules, node.pattern
        least = min(
            int(kernels.least_hidden(rules.num[p, mask], rules.den[p, mask], rules.support, rules.confidence, True))
            for mask in subsets(node.mask)
            if mask >> column & 1 and kernels.is_unsafe(rules, p, mask)
        )
        rows = self.usable(node, column, least)
        for row in rows:
            kind = tuple(self.table.cells[:, row].tolist())
            self.kinds[kind].remove(row)
            if not self.kinds[kind]:
                del self.kinds[kind]
            self.table.hide((row, column))
            after = tuple(self.table.cells[:, row].tolist())
            members = self.kinds.setdefault(after, [])
            members.append(row)
            members.sort()
        return bool(rows)


def r_graph(table: RuleTable, how: str = "max-descendant", choose: Chooser | None = None) -> HidingAnswer:
    """Hide conditions of other rows by the R-graph: `max-descendant`, `random-max` or `random` (with a chooser)."""
    begun = len(table.hidden)
    while True:
        before = len(table.hidden)
        for value in sorted(set(table.actual.values())):
            graph = _Graph(table, value)
            while _graph_step(graph, how, choose):
                pass
        if table.is_safe():
            return HidingAnswer("safe", table.hidden[begun:], how)
        if len(table.hidden) == before:
            return HidingAnswer("not found", table.hidden[begun:], how)


def _graph_step(graph: _Graph, how: str, choose: Chooser | None) -> bool:
    """Hide the condition of one node that has some to hide and none above it that has; return whether there was one."""
    kernels.unsafe_within(graph.table.rules, graph.within)
    scored = [(score, node) for node in graph.active() if (score := int(graph.within[node.pattern, node.mask]))]
    if how == "max-descendant":  # a node above another has no fewer unsafe rules below it: it comes first
        for _, node in sorted(scored, key=lambda pair: (-pair[0], graph.order(pair[1]))):
            if (column := graph.entry(node)) is not None:
                return graph.hide(node, column)
        return False
    able = [(node, entry) for _, node in scored if (entry := graph.entry(node)) is not None]
    able = [(node, entry) for node, entry in able if not any(graph.is_above(other, node) for other, _ in able)]
    if not able:
        return False
    able.sort(key=lambda pair: graph.order(pair[0]))
    if how == "random-max":
        able = [pair for pair in able if pair[0].mask.bit_count() == able[0][0].mask.bit_count()]
    node, column = able[choose(len(able)) if choose is not None else 0]
    return graph.hide(node, column)
