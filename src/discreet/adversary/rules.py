"""Association rules: whatever is released of a row -> its value, by exact counts of the released rows.

A rule has as conditions any nonempty set of what is released of the row (a hidden or unknown condition is left out)
and as consequent a value (Li, Shirani-Mehr, Yang). Its support is the number of rows with the conditions and the
value, its confidence their share of the rows with the conditions: of all of them (`all`), or of those whose sensitive
cell is told (`published`). A hidden cell matches nothing. A rule is unsafe when both its support and its confidence
are above the owner's thresholds; a cell is exposed when some rule to its true value is.

Exact: whole numbers decide. Nothing here is used in making a release.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from discreet.adversary.base import Floats, Guesses
from discreet.adversary.lattice import Kinds, kinds_of, set_sizes
from discreet.adversary.view import UNKNOWN, Flags, Lines, Tree, View
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.policy.adversaries import MOST_CONDITIONS, too_many_conditions

Denominator: TypeAlias = Literal["all", "published"]
MOST_RULES = 10_000
"""Unsafe rules that are listed, when nothing else is said."""
_MOST_COUNTS = 1_000_000
"""Counts of the rules to several values that are held at once."""


@dataclass(frozen=True)
class Rule:
    """What is counted of one rule.

    Parameters
    ----------
    columns
        Its conditions.
    support
        The rows with the conditions and the value: the numerator.
    rows, published
        The rows with the conditions: all of them, and those whose sensitive cell is told. Two denominators.
    """

    columns: tuple[str, ...]
    support: int
    rows: int
    published: int

    def confidence(self, denominator: Denominator = "all") -> Fraction:
        """Return the share of the rows with the conditions that have the value; 0/0 is 0."""
        among = self.rows if denominator == "all" else self.published
        return Fraction(self.support, among) if among else Fraction(0)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "columns": list(self.columns),
            "support": self.support,
            "rows": self.rows,
            "published": self.published,
        }


@dataclass(frozen=True)
class Leak:
    """An unsafe rule: what it says, and the cells (places of the lines asked about) that it gives away."""

    rule: Rule
    texts: tuple[str | None, ...]
    value: str | None
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Judged:
    """What the rules to their true values say of some cells; of each the worst rule, the most confident one.

    Parameters
    ----------
    unsafe_all, unsafe_published
        The number of unsafe rules, by either denominator.
    sets
        The conditions of the worst rule, as bits of the columns; 0 where no rule has enough support.
    support, rows, published
        Its counts.
    """

    columns: tuple[str, ...]
    denominator: Denominator
    unsafe_all: Ints
    unsafe_published: Ints
    sets: Ints
    support: Ints
    rows: Ints
    published: Ints

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def exposed(self) -> Flags:
        """The cells with an unsafe rule."""
        unsafe: Flags = (self.unsafe_all if self.denominator == "all" else self.unsafe_published) > 0
        return unsafe

    @property
    def confidence(self) -> Floats:
        """The confidence of the worst rule of each cell, for reports."""
        among = self.rows if self.denominator == "all" else self.published
        shares: Floats = self.support / np.maximum(among, 1)
        return shares

    def worst(self, line: int) -> Rule | None:
        """Return the worst rule of a cell; None where no rule has enough support."""
        if not self.sets[line]:
            return None
        columns = tuple(name for bit, name in enumerate(self.columns) if int(self.sets[line]) >> bit & 1)
        return Rule(columns, int(self.support[line]), int(self.rows[line]), int(self.published[line]))

    def at(self, which: Ints) -> Judged:
        """Return what is said of some of the cells."""
        return replace(
            self,
            unsafe_all=self.unsafe_all[which],
            unsafe_published=self.unsafe_published[which],
            sets=self.sets[which],
            support=self.support[which],
            rows=self.rows[which],
            published=self.published[which],
        )


@dataclass(frozen=True)
class RuleGuesses(Guesses):
    """What rules take some cells for: several values, or none.

    `weights` are the largest confidences of the rules to each value with enough support (they need not sum to 1);
    `best` says to which values some rule is unsafe.
    """

    def exposes(self, true: Ints, *, strict: bool = False) -> Flags:
        """Say where some rule to the true value is unsafe; whether ties are enough has no meaning here."""
        del strict
        hit: Flags = self.best[np.arange(len(true)), true]
        return hit


@dataclass(frozen=True)
class RulesGuesser:
    """Rules with their thresholds, as `Rules` of a policy.

    Parameters
    ----------
    min_confidence, min_support, denominator
        As in the policy.
    absence
        Whether "it is not released" is a condition like any other (a test of absence).
    min_rows
        Rules with fewer rows that have the conditions are no rules.
    """

    min_confidence: Fraction
    min_support: int = 0
    denominator: Denominator = "all"
    absence: bool = False
    min_rows: int = 0

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "rules"

    def train(self, view: View) -> TrainedRules:
        """Count the rows of a release; raise `InputError` where there are too many conditions."""
        if len(view.predictors) > MOST_CONDITIONS:
            raise InputError(too_many_conditions(len(view.predictors)))
        return TrainedRules(view, self)

    def above(self, support: Ints, rows: Ints) -> Flags:
        """Say which confidences are above the threshold: whole numbers only."""
        over, under = self.min_confidence.numerator, self.min_confidence.denominator
        if under * (int(rows.max(initial=0)) + 1) < 2**63:
            above: Flags = support * under > rows * over
            return above
        different, which = np.unique(rows, return_inverse=True)
        most = np.array([number * over // under for number in different.tolist()], dtype=np.int64)
        more: Flags = support > most[which.reshape(rows.shape)]
        return more


@dataclass(frozen=True)
class _CountedRules:
    """All rules over the subsets of one pattern (a set of them is a number) to one value."""

    support: Ints
    rows: Ints
    published: Ints

    def supported(self, options: RulesGuesser) -> Flags:
        """Say which rules have enough support; no conditions are no rule."""
        enough: Flags = (self.support > options.min_support) & (self.rows >= options.min_rows)
        enough[0] = False
        return enough


@dataclass(frozen=True)
class TrainedRules:
    """Rules beside the rows they are counted in."""

    view: View
    options: RulesGuesser

    @cached_property
    def _kinds(self) -> Kinds:
        return kinds_of(self.view)

    def guess(self, lines: Lines) -> RuleGuesses:
        """Return to which values there are rules, for the cells with these lines."""
        domain, patterns, which = self.view.classes.tree.domain, *_patterns(lines)
        weights, best = np.zeros((len(patterns), len(domain))), np.zeros((len(patterns), len(domain)), dtype=np.bool_)
        for place, nodes in enumerate(patterns):
            for value, counted in self._counted(self._pattern(nodes), self._kinds.values):
                supported, among = counted.supported(self.options), self._among(counted)
                weights[place, value] = (counted.support / np.maximum(among, 1))[supported].max(initial=0)
                best[place, value] = (supported & self.options.above(counted.support, among)).any()
        return RuleGuesses(domain, weights[which], best[which])

    def judge(self, lines: Lines, true: Ints) -> Judged:
        """Return what the rules to the true values (their places in the domain) say of the cells with these lines."""
        patterns, asked, which = self._asked(lines, true)
        found = np.zeros((len(asked), 6), dtype=np.int64)
        for nodes, places in _grouped(patterns, asked):
            pattern = self._pattern(nodes)
            counts = dict(self._counted(pattern, asked[places, 1]))
            for place in places:
                found[place] = self._judged(pattern, counts[int(asked[place, 1])])
        names = tuple(seen.name for seen in self.view.predictors)
        return Judged(names, self.options.denominator, *found[which].T)

    def leaks(self, lines: Lines, true: Ints, most: int = MOST_RULES) -> list[Leak]:
        """Return the unsafe rules to the true values, each once, the shortest of a cell first; at most so many."""
        patterns, asked, which = self._asked(lines, true)
        found: dict[tuple[object, ...], tuple[Rule, list[int]]] = {}
        for nodes, places in _grouped(patterns, asked):
            pattern = self._pattern(nodes)
            for value, counted in self._counted(pattern, asked[places, 1]):
                asking = np.flatnonzero(which == places[asked[places, 1] == value][0]).tolist()
                for number in self._unsafe(counted):
                    conditions = tuple(pair for bit, pair in enumerate(pattern) if number >> bit & 1)
                    key = (value, conditions)
                    if key in found:
                        found[key][1].extend(asking)
                    elif len(found) < most:
                        found[key] = (self._rule(conditions, counted, number), list(asking))
        return [self._leak(key, rule, cells) for key, (rule, cells) in found.items()]

    def _asked(self, lines: Lines, true: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the different patterns, the different pairs of a pattern and a value, and which each line asks."""
        patterns, which = _patterns(lines)
        if not len(which):
            return patterns, np.empty((0, 2), dtype=np.int64), which
        asked, pair = np.unique(np.column_stack([which, true]), axis=0, return_inverse=True)
        return patterns, asked, pair.reshape(-1)

    def _pattern(self, nodes: Ints) -> list[tuple[int, int]]:
        """Return what is known of a row, as columns and nodes."""
        pairs = enumerate(nodes.tolist())
        return [(column, node) for column, node in pairs if node != UNKNOWN or self.options.absence]

    def _counted(self, pattern: Sequence[tuple[int, int]], values: Ints) -> Iterator[tuple[int, _CountedRules]]:
        """Yield the rules of a pattern to each of some different values."""
        kinds, size = self._kinds, 1 << len(pattern)
        agree, told, end = kinds.agreeing(pattern), int(kinds.starts[0]), int(kinds.starts[-1])
        published = kinds.counted(agree, told, end, size)
        rows = published + kinds.counted(agree, 0, told, size)
        for begin in range(0, len(values), some := max(1, _MOST_COUNTS // size)):
            here = values[begin : begin + some]
            for value, found in zip(here.tolist(), kinds.counted_of(agree, here, size), strict=True):
                yield value, _CountedRules(found, rows, published)

    def _among(self, counted: _CountedRules) -> Ints:
        return counted.rows if self.options.denominator == "all" else counted.published

    def _judged(self, pattern: Sequence[tuple[int, int]], counted: _CountedRules) -> tuple[int, ...]:
        """Return the fields of `Judged` for one cell."""
        rules = np.flatnonzero(counted.supported(self.options))
        if not len(rules):
            return (0, 0, 0, 0, 0, 0)
        support, rows, published = counted.support[rules], counted.rows[rules], counted.published[rules]
        worst = _worst(support, rows if self.options.denominator == "all" else published, rules)
        columns = sum(1 << column for bit, (column, _) in enumerate(pattern) if int(rules[worst]) >> bit & 1)
        unsafe = [int(self.options.above(support, among).sum()) for among in (rows, published)]
        return (*unsafe, columns, int(support[worst]), int(rows[worst]), int(published[worst]))

    def _unsafe(self, counted: _CountedRules) -> list[int]:
        """Return the unsafe ones of the rules, the shortest first."""
        unsafe = counted.supported(self.options)
        rules = np.flatnonzero(unsafe & self.options.above(counted.support, self._among(counted)))
        found: list[int] = rules[np.lexsort((rules, set_sizes(rules)))].tolist()
        return found

    def _rule(self, conditions: Sequence[tuple[int, int]], counted: _CountedRules, number: int) -> Rule:
        names = tuple(self.view.predictors[column].name for column, _ in conditions)
        return Rule(names, int(counted.support[number]), int(counted.rows[number]), int(counted.published[number]))

    def _leak(self, key: tuple[object, ...], rule: Rule, lines: list[int]) -> Leak:
        value, conditions = key
        assert isinstance(value, int)
        assert isinstance(conditions, tuple)
        texts = tuple(_text(self.view.predictors[column].tree, node) for column, node in conditions)
        return Leak(rule, texts, self.view.classes.tree.domain[value], tuple(sorted(lines)))


def aware(view: View, truth: Ints) -> View:
    """Return the rows whose sensitive cell is hidden, with the true values told: what who knows the method reads.

    `truth` is the true value of each row by its place in the domain, -1 where there is none. The rules of these rows
    have as confidence the share of a value among the hidden cells with the conditions.
    """
    seen = view.classes
    leaves = np.flatnonzero(seen.tree.leaf_of[1:] >= 0) + 1
    node = np.zeros(len(seen.tree.domain), dtype=np.int64)
    node[seen.tree.leaf_of[leaves]] = leaves
    hidden = np.flatnonzero((seen.nodes == UNKNOWN) & (truth >= 0))
    predictors = tuple(replace(other, nodes=other.nodes[hidden]) for other in view.predictors)
    return View(replace(seen, nodes=node[truth[hidden]]), predictors)


def _patterns(lines: Lines) -> tuple[Ints, Ints]:
    """Return the different patterns of some lines, and which of them each has."""
    if not len(lines):
        return lines.nodes, np.empty(0, dtype=np.int64)
    if not lines.nodes.shape[1]:
        return lines.nodes[:1], np.zeros(len(lines), dtype=np.int64)
    patterns, which = np.unique(lines.nodes, axis=0, return_inverse=True)
    return patterns, which.reshape(-1)


def _grouped(patterns: Ints, asked: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield each pattern with the places of the pairs that ask about it; the pairs are in order."""
    ends = np.searchsorted(asked[:, 0], np.arange(len(patterns) + 1))
    for place, nodes in enumerate(patterns):
        yield nodes, np.arange(ends[place], ends[place + 1])


def _worst(support: Ints, among: Ints, rules: Ints) -> int:
    """Return the place of the most confident rule; of equals that with most support, fewest, then first conditions."""
    shares: Floats = support / among
    best = int(np.argmax(shares))
    while True:
        # Floats may take two shares for equal: whole numbers decide.
        more = np.flatnonzero(support * among[best] > support[best] * among)
        if not len(more):
            break
        best = int(more[np.argmax(shares[more])])
    equal = np.flatnonzero(support * among[best] == support[best] * among)
    equal = equal[support[equal] == support[equal].max()]
    sizes = set_sizes(rules[equal])
    equal = equal[sizes == sizes.min()]
    backwards = sum((rules[equal] >> bit & 1) << (MOST_CONDITIONS - bit) for bit in range(MOST_CONDITIONS))
    return int(equal[np.argmax(backwards)])


def _text(tree: Tree, node: int) -> str | None:
    """Return what is released for a node; None for what is not."""
    if tree.leaf_of[node] >= 0:
        return tree.domain[int(tree.leaf_of[node])]
    return next((text for text, place in tree.node_of.items() if place == node), None)
