"""What the reference of the confidential cells is made of: tables, choices, taxonomies, naive Bayes in both meanings.

Slow on purpose: every number is counted again from the table whenever it is needed, in exact fractions.
Source: Hintoglu's thesis, chapters 2 to 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Protocol

Cell = str | None
Row = list[Cell]
Table = list[Row]
Probabilities = dict[str, Fraction]
Step = dict[str, object]

SUPPRESSED = "suppressed"
NOT_NEEDED = "not_needed"
DELETED = "deleted"
FAILED = "failed"  # no way at this point: the row is deleted, or the next class level tried
DECLINED = "declined"  # the coin of a two-valued domain said stop: hidden, still predictable


class Chooser(Protocol):
    """The only source of chance."""

    def about(self, cell: int, level: int) -> None:
        """Which cell (by row, or by column where those of one row are at stake) and class level comes next."""

    def pick(self, candidates: Sequence[str]) -> str:
        """One of the eligible next best guesses, given in Top-k order."""

    def coin(self) -> bool:
        """True: go on with the suppression."""


class First:
    """The choices of the worked examples: the first candidate, and always go on."""

    def about(self, cell: int, level: int) -> None:
        pass

    def pick(self, candidates: Sequence[str]) -> str:
        return candidates[0]

    def coin(self) -> bool:
        return True


@dataclass
class Drawn:
    """Choices by a seeded generator."""

    generator: Random

    def about(self, cell: int, level: int) -> None:
        pass

    def pick(self, candidates: Sequence[str]) -> str:
        return self.generator.choice(candidates)

    def coin(self) -> bool:
        return self.generator.random() < 0.5


@dataclass
class Result:
    """What a method for one confidential cell did."""

    status: str
    published: Table
    changed: list[tuple[int, int, Cell]]
    rnbg: str | None = None
    p0: Probabilities | None = None
    p1: Probabilities | None = None
    steps: list[Step] = field(default_factory=list)


@dataclass
class ManyResult:
    """What a method for several confidential cells did; the keys are rows (e-DECP) or columns (e-DROPP).

    ``exposed`` are the keys called suppressed or not needed that a later change, made for another cell, made
    predictable again: the thesis does not look back, the golden files neither.
    """

    status: dict[int, str]
    rnbg: dict[int, str]
    published: Table
    changed: list[tuple[int, int, Cell]]
    exposed: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def copied(table: Table) -> Table:
    return [list(row) for row in table]


def differences(before: Table, after: Table) -> list[tuple[int, int, Cell]]:
    """The changed cells with their new values, in row and column order."""
    return [
        (r, c, new)
        for r, (old_row, new_row) in enumerate(zip(before, after, strict=True))
        for c, (old, new) in enumerate(zip(old_row, new_row, strict=True))
        if old != new
    ]


def blank(table: Table, i: int) -> None:
    """Delete a row: all its cells become null."""
    table[i] = [None] * len(table[i])


def secret(table: Table, i: int, j: int, predictors: Sequence[int], domain: Sequence[str]) -> str:
    """The value to protect, after checking that the question makes sense."""
    actual = table[i][j]
    if actual is None or actual not in domain:
        raise ValueError("the confidential cell must hold a value of its domain")
    if j in predictors:
        raise ValueError("the confidential column is not a predictor")
    return actual


# --- guesses -----------------------------------------------------------------------------------------------------


def is_top(p: Probabilities, actual: str, strict: bool) -> bool:
    """Whether the classifier predicts the value (3.8): more probable than every OTHER candidate.

    With ``strict`` a value that ties for the top counts as predicted too.
    """
    others = [p[v] for v in p if v != actual]
    return all(p[actual] >= q if strict else p[actual] > q for q in others)


def is_above(p: Probabilities, actual: str, guess: str, strict: bool) -> bool:
    """Whether the value is still ahead of the guess; a tie is enough unless ``strict``."""
    return p[actual] >= p[guess] if strict else p[actual] > p[guess]


def top_k(p: Probabilities, k: int) -> list[str]:
    """The k most probable values, ties in the order of the domain (Definition 3.1)."""
    return sorted(p, key=lambda v: -p[v])[:k]


def eligible(p: Probabilities, actual: str, k: int, strict: bool) -> list[str]:
    """The candidates for the random next best guess in Top-k order (Definition 3.2)."""
    return [v for v in top_k(p, k) if v != actual and p[v] > 0 and is_above(p, actual, v, strict)]


def next_best_guesses(p: Probabilities, actual: str, rnbg: str, k: int) -> list[str]:
    """The next best guess set in Top-k order (Definition 3.3)."""
    return [v for v in top_k(p, k) if v != actual and p[v] >= p[rnbg]]


@dataclass
class Opening:
    """How a suppression begins: with a guess, or at once with a status."""

    status: str = ""
    rnbg: str = ""


def opening(p: Probabilities, actual: str, k: int, chooser: Chooser, strict: bool, toss: bool = True) -> Opening:
    """The need for a change, the coin of a domain of two values, the random next best guess: in this order."""
    if not is_top(p, actual, strict):
        return Opening(status=NOT_NEEDED)
    if toss and len(p) == 2 and not chooser.coin():
        return Opening(status=DECLINED)
    guesses = eligible(p, actual, k, strict)
    return Opening(rnbg=chooser.pick(guesses)) if guesses else Opening(status=FAILED)


# --- naive Bayes of the deletion methods -------------------------------------------------------------------------


def count(table: Table, leave_out: int, conditions: Mapping[int, Cell]) -> int:
    """The number of rows, but for one, that have these values."""
    return len(matching(table, leave_out, conditions))


def matching(table: Table, leave_out: int, conditions: Mapping[int, Cell]) -> list[int]:
    """The rows, but for one, that have these values, in table order."""
    return [
        r
        for r, row in enumerate(table)
        if r != leave_out and all(row[column] == value for column, value in conditions.items())
    ]


def naive_bayes(table: Table, i: int, j: int, predictors: Sequence[int], domain: Sequence[str]) -> Probabilities:
    """p(v) times the product of p(x|v), trained without row i; no smoothing.

    n(v) counts rows whose x is null too (Example 2); a predictor that is null in row i says nothing.
    """
    known = sum(1 for r, row in enumerate(table) if r != i and row[j] is not None)
    probabilities = {}
    for v in domain:
        n_v = count(table, i, {j: v})
        p = Fraction(n_v, known) if n_v else Fraction(0)
        for c in predictors:
            if p and table[i][c] is not None:
                p *= Fraction(count(table, i, {j: v, c: table[i][c]}), n_v)
        probabilities[v] = p
    return probabilities


# --- taxonomies --------------------------------------------------------------------------------------------------

Nested = Mapping[str, "Nested"]


class Taxonomy:
    """A tree of values; the root is null. The leaves in their order are the domain."""

    def __init__(self, nested: Nested) -> None:
        self.parent: dict[str, Cell] = {}
        self.children: dict[Cell, list[str]] = {None: []}
        self._add(None, nested)
        self.domain = self.leaves(None)

    def _add(self, node: Cell, below: Nested) -> None:
        for child, further in below.items():
            self.parent[child] = node
            self.children[node].append(child)
            self.children[child] = []
            self._add(child, further)

    def leaves(self, node: Cell) -> list[str]:
        """The leaves at or below a node, in order."""
        if node is not None and not self.children[node]:
            return [node]
        return [leaf for child in self.children[node] for leaf in self.leaves(child)]

    def up(self, value: Cell, levels: int) -> Cell:
        """The value generalised by some levels; it stops at the root."""
        for _ in range(levels):
            if value is None:
                break
            value = self.parent[value]
        return value

    def is_below(self, value: Cell, node: Cell) -> bool:
        """Strictly below."""
        while value is not None:
            value = self.parent[value]
            if value == node:
                return True
        return False

    def covers(self, node: Cell, value: Cell) -> bool:
        """At or below."""
        return value == node or self.is_below(value, node)

    def depth(self, value: Cell) -> int:
        """How many levels the value can be generalised (FindMaxLevel)."""
        return 0 if value is None else 1 + self.depth(self.parent[value])

    def max_depth(self) -> int:
        return max((self.depth(leaf) for leaf in self.domain), default=0)

    def higher(self, a: Cell, b: Cell) -> Cell:
        """The more general one of two values on one path."""
        return a if self.covers(a, b) else b


def summed_up(taxonomy: Taxonomy, values: Sequence[Cell]) -> dict[Cell, int]:
    """The count of every node with all that is below it."""
    return {node: sum(1 for value in values if taxonomy.covers(node, value)) for node in [None, *taxonomy.parent]}


def spread(taxonomy: Taxonomy, values: Sequence[Cell]) -> dict[Cell, Fraction]:
    """The estimated count of every node (Figure 4.3): what is known only roughly is spread down as the rest lies.

    Below a node without any counts it is spread uniformly.
    """
    up = summed_up(taxonomy, values)
    estimate: dict[Cell, Fraction] = {None: Fraction(up[None])}

    def down(node: Cell) -> None:
        children = taxonomy.children[node]
        total = sum(up[child] for child in children)
        for child in children:
            share = Fraction(up[child], total) if total else Fraction(1, len(children))
            estimate[child] = estimate[node] * share
            down(child)

    down(None)
    return estimate


# --- naive Bayes of the generalising methods ---------------------------------------------------------------------


@dataclass
class SpreadModel:
    """Naive Bayes among the leaves below a generalised class: numerators, class frequencies, probabilities."""

    num: dict[str, dict[int, Fraction]]
    frequency: Probabilities
    p: Probabilities


def spread_bayes(
    table: Table, i: int, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], level: Cell
) -> SpreadModel:
    """Naive Bayes trained, without row i, on the rows whose class is ``level`` or below it (Table 4.3).

    Rows with a generalised class count in the class frequency, not in the attribute counts (Table 4.6). A predictor
    that is null in row i says nothing.
    """
    classes = taxonomies[j]
    training = [row for r, row in enumerate(table) if r != i and classes.covers(level, row[j])]
    spread_classes = spread(classes, [row[j] for row in training])
    model = SpreadModel({}, {}, {})
    for v in classes.leaves(level):
        frequency = spread_classes[v] if training else Fraction(0)
        p = frequency / len(training) if training else Fraction(0)
        model.num[v] = {}
        for c in predictors:
            estimate = spread(taxonomies[c], [row[c] for row in training if row[j] == v])
            model.num[v][c] = estimate[table[i][c]]
            if frequency and table[i][c] is not None:
                p *= model.num[v][c] / frequency
        model.frequency[v] = frequency
        model.p[v] = p
    return model
