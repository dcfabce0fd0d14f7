"""Confidential cells against association rules: safe partial tables (Li, Shirani-Mehr, Yang).

Guarantee: an answer `safe` means that in the table as it is then no rule from any conditions of a confidential row to
its true value has both support and confidence above what is allowed; `infeasible` means that no choice of the cells
that may be hidden makes it so, and is said only with a proof; `not found` is neither.

All methods work on one `RuleTable`, which keeps the counts of all rules up to date with every cell hidden or shown.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_kernels import NOTHING

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int32]
SENSITIVE = -1
"""The place of the sensitive column among the conditions of a cell."""
Cell = tuple[int, int]
"""A row and a condition, by its place, or `SENSITIVE`."""


@dataclass(frozen=True)
class Limits:
    """When a rule leaks: support and confidence are both above these."""

    confidence: Fraction
    support: int = 0
    published: bool = False
    """Whether rows with a hidden sensitive cell are left out of what a confidence is a share of."""


def largest_share(share: Fraction, rows: int) -> Fraction:
    """Return the largest share of at most so many rows that is within a share: the same shares are above both.

    Its terms are small, whatever the digits of the share.

    >>> largest_share(Fraction("0.667"), 100), largest_share(Fraction("0.666"), 100)
    (Fraction(2, 3), Fraction(65, 98))
    """
    nearest = share.limit_denominator(max(rows, 1))
    if nearest <= share:
        return nearest
    over, under = nearest.numerator, nearest.denominator
    below = pow(over, -1, under)  # the neighbour a / b has over * b - a * under = 1
    below += (rows - below) // under * under
    return Fraction((over * below - 1) // under, below)


class RuleTable:
    """Conditions and sensitive values of all rows, and every rule about the confidential ones.

    Parameters
    ----------
    cells
        The value of each condition, conditions x rows; `NOTHING` where it is unknown. Copied.
    sensitive
        The sensitive value of each row, that of confidential rows included.
    rows
        The confidential rows. Their sensitive cells are hidden here.
    limits
        When a rule leaks.
    free
        Which condition cells may be hidden: conditions x rows.
    free_sensitive
        Which sensitive cells may be hidden.
    real
        The row itself for each row; for a shadow (another way in which its row may be seen) the row it belongs to.
        Shadows of confidential rows have rules of their own, and count nowhere.
    truth
        The sensitive values before anything was hidden, where `sensitive` lacks some of them; for decoys.
    """

    def __init__(
        self,
        cells: Codes,
        sensitive: Codes,
        rows: Sequence[int],
        limits: Limits,
        free: Flags,
        free_sensitive: Flags,
        real: Ints | None = None,
        truth: Codes | None = None,
    ) -> None:
        self.rows = tuple(rows)
        self.real = np.arange(cells.shape[1], dtype=np.int64) if real is None else real
        self.limits = limits
        self.actual = {row: int(sensitive[row]) for row in rows}
        self.free, self.free_sensitive = free.copy(), free_sensitive.copy()
        self.free_sensitive[list(rows)] = False
        self.original, self.original_sensitive = cells.astype(np.int32), sensitive.astype(np.int32)
        self.truth = self.original_sensitive if truth is None else truth
        values = self.original_sensitive.copy()
        values[list(rows)] = NOTHING
        self.values = values
        self.cells = np.ascontiguousarray(self.original).copy()
        shadows = self.real != np.arange(len(values))
        self.values[shadows] = NOTHING
        self.cells[:, shadows] = NOTHING
        self.free[:, shadows], self.free_sensitive[shadows] = False, False
        self.hidden: list[Cell] = []
        """Cells that were hidden, in order; the confidential ones aside."""
        self._build()

    def _build(self) -> None:
        """Find the patterns of the confidential rows as they are now, and count their rules."""
        seen: dict[tuple[int, ...], int] = {}
        self.pattern_of: dict[int, int] = {}
        for row in self.rows:
            key = (*self.seen(row).tolist(), self.actual[row])
            self.pattern_of[row] = seen.setdefault(key, len(seen))
        conditions = self.cells.shape[0]
        lines = np.array(list(seen), dtype=np.int32).reshape(len(seen), conditions + 1)
        patterns = np.ascontiguousarray(lines[:, :conditions])
        known = ((patterns >= 0) * (1 << np.arange(conditions))).sum(axis=1).astype(np.int64)
        size = (len(seen), 1 << conditions)
        confidence = largest_share(self.limits.confidence, self.cells.shape[1])
        self.rules = kernels.Rules(
            cells=self.cells,
            sensitive=self.values,
            patterns=patterns,
            values=np.ascontiguousarray(lines[:, conditions]),
            known=known,
            num=np.zeros(size, dtype=np.int64),
            den=np.zeros(size, dtype=np.int64),
            first=np.zeros(size, dtype=np.bool_),
            confidence=np.array([confidence.numerator, confidence.denominator], dtype=np.int64),
            support=self.limits.support,
            published=self.limits.published,
        )
        kernels.count(self.rules)
        kernels.mark_first(self.rules)

    def seen(self, row: int) -> Codes:
        """Return what the conditions of a row say now; a shadow keeps what tells it from its row."""
        real = int(self.real[row])
        same = self.original[:, row] == self.original[:, real]
        seen: Codes = np.where(same, self.cells[:, real], self.original[:, row])
        return seen

    @property
    def conditions(self) -> int:
        """The number of conditions."""
        return int(self.cells.shape[0])

    def unsafe(self) -> Ints:
        """Return pattern and mask of every unsafe rule, each once."""
        found: Ints = kernels.unsafe_rules(self.rules)
        return found

    def is_safe(self) -> bool:
        """Whether no rule leaks."""
        return not kernels.any_leaks(self.rules)

    def leaking(self) -> list[int]:
        """Return the confidential rows that some rule leaks."""
        bad = kernels.all_leaks(self.rules)
        return [row for row in self.rows if bad[self.pattern_of[row]]]

    def may(self, cell: Cell) -> bool:
        """Whether a cell may be hidden, and is not yet."""
        row, column = cell
        if column == SENSITIVE:
            return bool(self.free_sensitive[row] and self.values[row] != NOTHING)
        return bool(self.free[column, row] and self.cells[column, row] != NOTHING)

    def hide(self, cell: Cell) -> None:
        """Hide a cell; where it is a condition of a confidential row, its rules are others then."""
        self._set(cell, NOTHING)
        self.hidden.append(cell)

    def show(self, cell: Cell) -> None:
        """Show a hidden cell again."""
        row, column = cell
        self._set(cell, int(self.original_sensitive[row] if column == SENSITIVE else self.original[column, row]))
        self.hidden.remove(cell)

    def _set(self, cell: Cell, value: int) -> None:
        row, column = cell
        if column == SENSITIVE:
            kernels.set_sensitive(self.rules, row, value)
            return
        kernels.set_condition(self.rules, column, row, value)
        if row in self.actual:
            self._build()

    def take_back(self, number: int) -> None:
        """Show the last hidden cells again, until only so many are hidden."""
        while len(self.hidden) > number:
            self.show(self.hidden[-1])


@dataclass
class Answer:
    """What a method found: `safe`, `infeasible` (with the reason why) or `not found`, and the cells it hid."""

    status: str
    hidden: list[Cell] = field(default_factory=list)
    method: str = ""
    why: str = ""


def smc(table: RuleTable) -> Answer:
    """Hide sensitive cells of other rows by greedy set multi-cover: the row with most unsafe rules, again and again.

    Of several the first row. Hides at most H(2^k - 1) times as many cells as needed, for one value and k conditions.
    """
    rules = table.rules
    active = np.zeros(rules.num.shape, dtype=np.int64)
    begun = len(table.hidden)
    while True:
        kernels.needed(rules, active)
        if not active[:, -1].any():
            return Answer("safe", table.hidden[begun:], "smc")
        before = len(table.hidden)
        for value in sorted(set(rules.values.tolist())):
            if rules.published:  # what is hidden of one value raises the shares of others
                kernels.needed(rules, active)
            if active[rules.values == value, -1].any():
                _cover(table, active, value)
        if len(table.hidden) == before:
            return Answer("not found", table.hidden[begun:], "smc")


def _cover(table: RuleTable, active: Ints, value: int) -> None:
    """Hide cells with a value until its unsafe rules are covered, or none is left."""
    rules = table.rules
    rows = np.flatnonzero((table.values == value) & table.free_sensitive).astype(np.int64)
    if not len(rows):
        return
    kinds, kind = np.unique(table.cells[:, rows], axis=1, return_inverse=True)
    order = np.argsort(kind.reshape(-1), kind="stable")
    members = np.split(rows[order], np.cumsum(np.bincount(kind.reshape(-1), minlength=kinds.shape[1]))[:-1])
    gains = kernels.gains_of(rules, active, np.array([each[0] for each in members], dtype=np.int64), value)
    heap = [
        (-int(gain), int(each[0]), place) for place, (gain, each) in enumerate(zip(gains, members, strict=True)) if gain
    ]
    heapq.heapify(heap)
    taken = [0] * len(members)
    while heap:
        gain, row, place = heap[0]
        now = int(kernels.gain_of(rules, active, row, value))
        if now == 0:
            heapq.heappop(heap)
        elif now < -gain:
            heapq.heapreplace(heap, (-now, row, place))
        else:
            table.hide((row, SENSITIVE))
            kernels.needed_again(rules, active, row, value)
            taken[place] += 1
            if taken[place] == len(members[place]):
                heapq.heappop(heap)
            else:
                heapq.heapreplace(heap, (gain, int(members[place][taken[place]]), place))


def hitting_sets(table: RuleTable) -> Answer:
    """Hide conditions of the confidential rows themselves: for each the fewest that hit all its unsafe rules.

    Of several sets the first columns. Hiding one row's conditions can make another's rules unsafe: until all are safe.
    """
    begun = len(table.hidden)
    while not table.is_safe():
        before = len(table.hidden)
        for row in table.rows:
            if kernels.leaks(table.rules, table.pattern_of[row]):
                for column in _hitting_set(table, row) or ():
                    table.hide((int(table.real[row]), column))
        if len(table.hidden) == before:
            return Answer("not found", table.hidden[begun:], "hitting-set")
    return Answer("safe", table.hidden[begun:], "hitting-set")


def _hitting_set(table: RuleTable, row: int) -> list[int] | None:
    """Return the fewest conditions of a row that are in all its unsafe rules; None if it may not hide them."""
    rules, p = table.rules, table.pattern_of[row]
    unsafe = [mask for mask in _subsets(int(rules.known[p])) if kernels.is_unsafe(rules, p, mask)]
    real = int(table.real[row])
    own = table.original[:, row] == table.original[:, real]
    free = [column for column in range(table.conditions) if own[column] and table.may((real, column))]
    sets = sorted(_subsets(sum(1 << column for column in free)), key=lambda mask: (mask.bit_count(), _columns(mask)))
    for chosen in [0, *sets]:
        if all(mask & chosen for mask in unsafe):
            return _columns(chosen)
    return None


def _subsets(mask: int) -> Iterator[int]:
    """Yield the nonempty subsets of a mask."""
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask


def _columns(mask: int) -> list[int]:
    return [column for column in range(mask.bit_length()) if mask >> column & 1]


def prune(table: RuleTable, keep: int = 0) -> None:
    """Show again every hidden cell (but for the first `keep`) without which all is safe, the last hidden first.

    A condition that is shown can let another be shown: again until none can be.
    """
    before = -1
    while before != len(table.hidden):
        before = len(table.hidden)
        for cell in reversed(table.hidden[keep:]):
            place = table.hidden.index(cell)
            table.show(cell)
            if not table.is_safe():
                table._set(cell, NOTHING)
                table.hidden.insert(place, cell)


Chooser = Callable[[int], int]
"""Draws a number below another."""


# Hiding conditions of other rows


@dataclass(frozen=True)
class _Node:
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

    def active(self) -> list[_Node]:
        """Return the nodes that have rows of their own."""
        nodes: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        at: dict[tuple[int, ...], tuple[int, int]] = {}
        for kind in self.kinds:
            for pattern, mask in self.tops(kind):
                key = tuple(value if mask >> column & 1 else NOTHING for column, value in enumerate(kind))
                nodes.setdefault(key, []).append(kind)
                at.setdefault(key, (pattern, mask))
        return [_Node(*at[key], tuple(kinds)) for key, kinds in nodes.items()]

    def entry(self, node: _Node) -> int | None:
        """Return the condition to hide: in most unsafe rules below the node, and free in some row of its own."""
        within = self.within[node.pattern]
        all_unsafe = int(within[node.mask])
        best, best_score = None, 0
        for column in _columns(node.mask):
            score = all_unsafe - int(within[node.mask ^ (1 << column)])
            if score > best_score and self.usable(node, column, 1):
                best, best_score = column, score
        return best

    def usable(self, node: _Node, column: int, most: int) -> list[int]:
        """Return the first rows of a node's own whose cell may be hidden."""
        rows = [row for kind in node.kinds for row in self.kinds[kind] if self.table.may((row, column))]
        return sorted(rows)[:most]

    def key(self, node: _Node) -> tuple[int, ...]:
        """Return what a node says of each condition."""
        pattern = self.table.rules.patterns[node.pattern]
        return tuple(int(value) if node.mask >> column & 1 else NOTHING for column, value in enumerate(pattern))

    def order(self, node: _Node) -> tuple[object, ...]:
        """Return by what nodes are told apart where they are equally good: more conditions, columns, values."""
        key = self.key(node)
        columns = tuple(_columns(node.mask))
        return -len(columns), columns, tuple(key[column] for column in columns)

    def hide(self, node: _Node, column: int) -> bool:
        """Hide a condition in as many rows of a node's own as the least unsafe rule below it with it needs."""
        rules, p = self.table.rules, node.pattern
        least = min(
            int(kernels.least_hidden(rules.num[p, mask], rules.den[p, mask], rules.support, rules.confidence, True))
            for mask in _subsets(node.mask)
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


def r_graph(table: RuleTable, how: str = "max-descendant", choose: Chooser | None = None) -> Answer:
    """Hide conditions of other rows by the R-graph: `max-descendant`, `random-max` or `random` (with a chooser)."""
    begun = len(table.hidden)
    while True:
        before = len(table.hidden)
        for value in sorted(set(table.actual.values())):
            graph = _Graph(table, value)
            while _graph_step(graph, how, choose):
                pass
        if table.is_safe():
            return Answer("safe", table.hidden[begun:], how)
        if len(table.hidden) == before:
            return Answer("not found", table.hidden[begun:], how)


def _graph_step(graph: _Graph, how: str, choose: Chooser | None) -> bool:
    """Hide the condition of one node; return whether there was one."""
    kernels.unsafe_within(graph.table.rules, graph.within)
    nodes = graph.active()
    scored = [(int(graph.within[node.pattern, node.mask]), node) for node in nodes]
    keys = {graph.key(node): node for node in nodes}

    def is_top(node: _Node) -> bool:
        mine = graph.key(node)
        return not any(
            other.mask & node.mask == node.mask != other.mask
            and all(mine[column] == NOTHING or mine[column] == theirs[column] for column in range(len(mine)))
            for theirs, other in keys.items()
        )

    if how == "max-descendant":
        for _, node in sorted(scored, key=lambda pair: (-pair[0], graph.order(pair[1]))):
            if graph.within[node.pattern, node.mask] and is_top(node) and (column := graph.entry(node)) is not None:
                return graph.hide(node, column)
        return False
    able = [
        (node, entry) for score, node in scored if score and is_top(node) if (entry := graph.entry(node)) is not None
    ]
    if not able:
        return False
    able.sort(key=lambda pair: graph.order(pair[0]))
    if how == "random-max":
        able = [pair for pair in able if pair[0].mask.bit_count() == able[0][0].mask.bit_count()]
    node, column = able[choose(len(able)) if choose is not None else 0]
    return graph.hide(node, column)


# The baseline


def cr(table: RuleTable, *, conditions: bool, largest_first: bool = True) -> Answer:
    """CR (Saygin et al.), the baseline: rule by rule, the rows that support fewest of them first."""
    begun = len(table.hidden)
    rules = table.rules
    while True:
        before = len(table.hidden)
        unsafe = [(int(p), int(mask)) for p, mask in table.unsafe()]
        sign = -1 if largest_first else 1
        unsafe.sort(key=lambda rule: (sign * rule[1].bit_count(), -int(rules.num[rule]), *_named(table, *rule)))
        for p, mask in unsafe:
            _make_safe(table, p, mask, unsafe, conditions=conditions)
        if table.is_safe() or len(table.hidden) == before:
            return Answer("safe" if table.is_safe() else "not found", table.hidden[begun:], "cr")


def _named(table: RuleTable, p: int, mask: int) -> tuple[object, ...]:
    pattern = table.rules.patterns[p]
    columns = _columns(mask)
    return tuple((column, int(pattern[column])) for column in columns), int(table.rules.values[p])


def _relevant(table: RuleTable, p: int, mask: int) -> Flags:
    """Say which rows have the conditions and the value of a rule."""
    found: Flags = table.values == table.rules.values[p]
    for column in _columns(mask):
        found = found & (table.cells[column] == table.rules.patterns[p, column])
    return found


def _make_safe(table: RuleTable, p: int, mask: int, unsafe: Sequence[tuple[int, int]], *, conditions: bool) -> None:
    """Hide cells of the rows that a rule is about until it is safe."""
    rows = np.flatnonzero(_relevant(table, p, mask))
    cells, values = table.cells[:, rows], table.values[rows]
    support = np.zeros(len(rows), dtype=np.int64)
    for other, columns in ((other, _columns(conditions)) for other, conditions in unsafe):
        pattern = table.rules.patterns[other, columns][:, None]
        support += (values == table.rules.values[other]) & (cells[columns] == pattern).all(axis=0)
    for row in rows[np.lexsort((rows, support))].tolist():
        if not kernels.is_unsafe(table.rules, p, mask):
            return
        if not conditions:
            if table.may((row, SENSITIVE)):
                table.hide((row, SENSITIVE))
            continue
        columns = [column for column in _columns(mask) if table.may((row, column))]
        having = {column: int((table.cells[column] == table.cells[column, row]).sum()) for column in columns}
        if columns:
            table.hide((row, max(columns, key=lambda column: (having[column], -column))))


# Any mix of cells


def greedy(table: RuleTable, carry_on: Callable[[], bool] = lambda: True) -> Answer:
    """Hide the cell that makes the rest cheapest, again and again; whole regions when no single cell helps.

    What is left to do is the sum over the unsafe rules of the cheapest way to mend each by itself.
    """
    begun = len(table.hidden)
    left = _left(table)
    while left:
        best: tuple[int, int, int] | None = None
        for row, column in _candidates(table):
            table.hide((row, column))
            after = _left(table)
            table.show((row, column))
            if best is None or (after, row, column) < best:
                best = (after, row, column)
        if best is None or best[0] >= left or not carry_on():
            return _all_hidden(table, begun)
        table.hide(best[1:])
        left = best[0]
    return Answer("safe", table.hidden[begun:], "greedy")


def _left(table: RuleTable) -> int:
    """Return what the unsafe rules cost, each by itself."""
    rules = table.rules
    total = 0
    for p, mask in table.unsafe().tolist():
        num, den = int(rules.num[p, mask]), int(rules.den[p, mask])
        total += int(kernels.least_hidden(num, den, rules.support, rules.confidence, table.limits.published))
    return total


def _candidates(table: RuleTable) -> Iterator[Cell]:
    """Yield cells that may be hidden of rows that unsafe rules are about: of rows alike the first."""
    about = np.zeros(len(table.values), dtype=np.bool_)
    wanted = np.zeros(table.conditions, dtype=np.bool_)
    for p, mask in table.unsafe().tolist():
        about |= _relevant(table, p, mask)
        wanted[_columns(mask)] = True
    about[table.real[table.leaking()]] = True
    seen: set[tuple[object, ...]] = set()
    for row in np.flatnonzero(about).tolist():
        own = row in table.actual
        kind = (own, int(table.values[row]), tuple(table.cells[:, row].tolist()), table.actual.get(row))
        for column in [SENSITIVE, *np.flatnonzero(wanted).tolist()]:
            if table.may((row, column)) and (kind, column) not in seen:
                seen.add((kind, column))
                yield row, column


def _all_hidden(table: RuleTable, begun: int) -> Answer:
    """Hide everything that may be hidden: first the sensitive cells, then the conditions of others, then the own."""
    own = set(table.rows)
    everything = [(row, SENSITIVE) for row in np.flatnonzero(table.free_sensitive).tolist()]
    cells = [(int(row), int(column)) for column, row in zip(*np.nonzero(table.free), strict=True)]
    regions = [everything, [cell for cell in cells if cell[0] not in own], [cell for cell in cells if cell[0] in own]]
    for region in regions:
        for cell in region:
            if table.may(cell):
                table.hide(cell)
        if table.is_safe():
            return Answer("safe", table.hidden[begun:], "greedy")
    return Answer("not found", table.hidden[begun:], "greedy")


def certificate(table: RuleTable) -> str:
    """Return why nothing that may be hidden makes the table safe, by a single rule; nothing if there is no such rule.

    A rule of a row that may not hide its own conditions is unsafe whatever is hidden, if it is so when all other rows
    that it is about lose their value, or else a condition.
    """
    rules = table.rules
    for row in table.rows:
        p = table.pattern_of[row]
        for mask in _subsets(int(rules.known[p])):
            real = int(table.real[row])
            if not kernels.is_unsafe(rules, p, mask) or any(table.free[column, real] for column in _columns(mask)):
                continue
            about = np.flatnonzero(_relevant(table, p, mask))
            by_value = int(table.free_sensitive[about].sum())
            lost = table.free[_columns(mask)][:, about].any(axis=0) & ~table.free_sensitive[about]
            num = int(rules.num[p, mask]) - by_value
            den = int(rules.den[p, mask]) - (by_value if table.limits.published else 0)
            confidence, both = table.limits.confidence, int(lost.sum())
            num, den = num - both, den - both
            if num > table.limits.support and num > confidence * den:
                return f"a rule with {_counted(len(_columns(mask)), 'condition')} keeps {num} of {den} rows"
    return ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


MOST_CELLS = 5_000
"""Condition cells of a table up to which the general search is tried beside the special ones."""
MOST_COUNTED = 50_000_000
"""Pairs of rules times rows up to which the baseline is tried beside them."""


def solve(
    table: RuleTable, method: str = "best", choose: Chooser | None = None, carry_on: Callable[[], bool] = lambda: True
) -> Answer:
    """Make a table safe by a method, or by the best of those that fit what may be hidden; then show what need not hide.

    `best`: set multi-cover where other rows' sensitive cells may be hidden, else the R-graph where their conditions
    may; hitting sets where the rows' own conditions may; and the baseline and the general search where that is quick.
    The fewest cells count.
    """
    if table.is_safe():
        return Answer("safe", [], method)
    best: Answer | None = None
    for run in _runs(table, method, choose, carry_on):
        found = run(table)
        if found.status == "infeasible":
            return found
        if found.status == "safe":
            prune(table)
            found = Answer("safe", list(table.hidden), found.method)
            if best is None or len(found.hidden) < len(best.hidden):
                best = found
        table.take_back(0)
    if best is None:
        found = _all_hidden(table, 0)
        if found.status == "safe":
            prune(table)
            best = Answer("safe", list(table.hidden), "greedy")
        table.take_back(0)
    if best is None:
        why = certificate(table)
        return Answer("infeasible" if why else "not found", [], method, why)
    for cell in best.hidden:
        table.hide(cell)
    return best


def _runs(
    table: RuleTable, method: str, choose: Chooser | None, carry_on: Callable[[], bool]
) -> list[Callable[[RuleTable], Answer]]:
    """Return what is to be tried."""
    own = np.zeros(len(table.values), dtype=np.bool_)
    own[list(table.rows)] = True
    sensitive, others, mine = table.free_sensitive.any(), table.free[:, ~own].any(), table.free[:, own].any()
    if method in ("max-descendant", "random-max", "random"):
        return [lambda found: r_graph(found, method, choose)]
    if method == "cr":
        return [lambda found: cr(found, conditions=not sensitive)]
    named = {"smc": smc, "hitting-set": hitting_sets, "greedy": lambda found: greedy(found, carry_on)}
    if method in named:
        return [named[method]]
    if method == "exact":
        from discreet.method.cells.rules_exact import exact

        return [lambda found: exact(found, carry_on)]
    runs: list[Callable[[RuleTable], Answer]] = []
    if sensitive:
        runs.append(smc)
    elif others:
        runs.append(r_graph)
    if mine:
        runs.append(hitting_sets)
    if (sensitive or others) and len(table.unsafe()) ** 2 * (1000 + len(table.values)) <= MOST_COUNTED:
        runs.append(lambda found: cr(found, conditions=not sensitive))
    if table.cells.size <= MOST_CELLS:
        runs.append(named["greedy"])
    return runs


# Decoys


def decoys(table: RuleTable) -> list[int]:
    """Hide sensitive cells with other values, so that of the hidden ones few have the protected value.

    For each pattern and all its conditions, the share of the protected value among the rows with a hidden sensitive
    cell is brought within the confidence allowed, as far as cells may be hidden without a rule becoming unsafe. Cells
    that were unknown from the beginning do not count. Returns the rows.
    """
    hidden: list[int] = []
    if table.limits.confidence == 0:  # no number of others is enough
        return hidden
    while (within := _too_telling(table)).any():
        rows = np.flatnonzero(table.free_sensitive & (table.values != NOTHING)).astype(np.int64)
        gains = kernels.decoy_gains(table.rules, within, rows, table.original_sensitive)
        best = np.argsort(-gains, kind="stable")
        found = next((row for row in rows[best[gains[best] > 0]].tolist() if _hide_if_safe(table, row)), None)
        if found is None:
            break
        hidden.append(found)
    return hidden


def _too_telling(table: RuleTable) -> Ints:
    """Return for each pattern and mask how many rules (each once) within it have a too large share of hidden cells."""
    rules = table.rules
    told, true = np.zeros(rules.num.shape, dtype=np.int64), np.zeros(rules.num.shape, dtype=np.int64)
    gone = (table.values == NOTHING) & (table.truth != NOTHING)
    kernels.count_hidden(rules, gone, table.truth, told, true)
    confidence = rules.confidence
    within = (rules.first & (true * int(confidence[1]) > int(confidence[0]) * told)).astype(np.int64)
    kernels.sum_within(within)
    return within


def _hide_if_safe(table: RuleTable, row: int) -> bool:
    """Hide a sensitive cell unless a rule becomes unsafe: one to another value may, if hidden cells do not count."""
    table.hide((row, SENSITIVE))
    if table.limits.published and not table.is_safe():
        table.show((row, SENSITIVE))
        return False
    return True
