"""What a column may look like in a release: the parts that its values fall into, and how a part is taken apart.

Values of a column that fall into one part look alike. A plain column has the suppressed values as one part and
each disclosed value as a part of its own; a column with a taxonomy has the nodes of a cut; a number column has
intervals. Every part knows its choices: the ways to take it apart in one step.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Literal, TypeAlias


class Hidden(Enum):
    """What a suppressed value looks like: equal to itself and to nothing else, not even a missing value."""

    BOTTOM = "⊥"


Value: TypeAlias = str | None
Cell: TypeAlias = Value | Hidden
Nested: TypeAlias = tuple[Value, tuple["Nested", ...]]  # a label and the nodes right below it
StepKind: TypeAlias = Literal["disclose", "specialise", "split"]


@dataclass(frozen=True)
class Tree:
    """A column with a taxonomy: (label, (child, child, ...)), a leaf is (label, ())."""

    root: Nested


@dataclass(frozen=True)
class Number:
    """A column of numbers (or dates), cut anywhere between its values or only at `ends`."""

    ends: Sequence[str] | None = None
    dates: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """Values that look alike. `values`: those of the table; `loss`: what each of its rows has lost, 0 to 1."""

    cell: Cell
    values: frozenset[Value]
    loss: Fraction

    @property
    def hidden(self) -> Fraction:
        """How much of each of its cells counts as hidden."""
        return self.loss

    def choices(self) -> list[list["Move"]]:
        """The things that can be done to it, each with all ways to do it (several for an interval only)."""
        return []


@dataclass(frozen=True)
class Move:
    """`whole` is replaced by `parts`."""

    kind: StepKind
    value: Value
    cut: str | None
    whole: Part
    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Bottom(Part):
    """The suppressed values of a plain column that has `of` values."""

    of: int

    @property
    def hidden(self) -> Fraction:
        return Fraction(1)

    def choices(self) -> list[list[Move]]:
        return [[self._without(value)] for value in in_order(self.values)]

    def _without(self, value: Value) -> Move:
        shown, rest = _leaf(value, {value}), self.values - {value}
        return Move("disclose", value, None, self, (shown, bottom(rest, self.of)) if rest else (shown,))


@dataclass(frozen=True, eq=False)
class Node(Part):
    """A node of a taxonomy; without any row there is nothing to disclose."""

    children: tuple[Part, ...]

    def choices(self) -> list[list[Move]]:
        assert not isinstance(self.cell, Hidden)
        return [[Move("specialise", self.cell, None, self, self.children)]] if self.values else []


@dataclass(frozen=True)
class Scale:
    """The numbers of a column: what each text stands for, where one may cut (ascending), largest less smallest."""

    number: Mapping[Value, Fraction]
    cuts: Mapping[Fraction, str]
    span: Fraction

    def interval(self, texts: Sequence[Value], lower: str | None, upper: str | None) -> "Interval":
        """The interval between two cuts; `texts`: the values in it, ascending."""
        numbers = [self.number[text] for text in texts]
        first, last = texts[0], texts[numbers.index(numbers[-1])]
        label = f"[{lower or first}, {last}]" if upper is None else f"[{lower or first}, {upper})"
        loss = (numbers[-1] - numbers[0]) / self.span if self.span else Fraction(0)
        return Interval(label, frozenset(texts), loss, self, texts, lower, upper)


@dataclass(frozen=True, eq=False)
class Interval(Part):
    """The numbers from the cut `lower` (or the smallest) up to but without the cut `upper` (or to the largest)."""

    scale: Scale
    texts: Sequence[Value]  # ascending
    lower: str | None
    upper: str | None

    def choices(self) -> list[list[Move]]:
        numbers = [self.scale.number[text] for text in self.texts]
        places = {text: bisect_left(numbers, cut) for cut, text in self.scale.cuts.items()}
        moves = [self._split(text, place) for text, place in places.items() if 0 < place < len(numbers)]
        return [moves] if moves else []

    def _split(self, cut: str, place: int) -> Move:
        left = self.scale.interval(self.texts[:place], self.lower, cut)
        right = self.scale.interval(self.texts[place:], cut, self.upper)
        assert isinstance(self.cell, str)
        return Move("split", self.cell, cut, self, (left, right))


def in_order(values: Iterable[Value]) -> list[Value]:
    """None first, then by code points."""
    return sorted(values, key=lambda value: (value is not None, value or ""))


def start(kind: Tree | Number | None, values: Set[Value], missing: Set[Value]) -> tuple[Part, ...]:
    """The column with as little disclosed as can be; no kind: plain; `values`: those that occur."""
    if isinstance(kind, Tree):
        return (_tree(kind, values, missing),)
    if not values:
        return ()
    return (_number(kind, values, missing) if isinstance(kind, Number) else bottom(values, len(values)),)


def bottom(values: Set[Value], of: int) -> Bottom:
    loss = Fraction(len(values) - 1, of - 1) if of > 1 else Fraction(0)
    return Bottom(Hidden.BOTTOM, frozenset(values), loss, of)


def _leaf(value: Value, values: Set[Value]) -> Part:
    return Part(value, frozenset(values), Fraction(0))


# Taxonomies


def contracted(node: Nested) -> Nested:
    """Without nodes that have one child: of two such labels the lower one stays, but the root keeps its own."""
    label, children = node
    children = tuple(_skipped(child) for child in children)
    if len(children) != 1:
        return label, children
    only_label, below = children[0]
    return (label, below) if below else (only_label, ())


def _skipped(node: Nested) -> Nested:
    label, children = node
    children = tuple(_skipped(child) for child in children)
    return children[0] if len(children) == 1 else (label, children)


def _tree(tree: Tree, values: Set[Value], missing: Set[Value]) -> Part:
    label, children = contracted(tree.root)
    known = set(_leaves((label, children)))
    absent = in_order((values & missing) - known)
    if absent:
        if not children:  # the one leaf gets a root again
            children, label = ((label, ()),), tree.root[0] if tree.root[1] else "*"
        children = (*((value, ()) for value in absent), *children)
    below = [name for child in children for name in _labels(child)]
    if len(set(below)) < len(below):
        raise ValueError("two nodes of a taxonomy have the same label")
    if strange := values - known - missing:
        raise ValueError(f"not in the taxonomy: {in_order(strange)}")
    root: Nested = (label, children)
    return _node(root, values, len(list(_leaves(root))))


def _node(node: Nested, values: Set[Value], of: int) -> Part:
    label, children = node
    leaves = set(_leaves(node))
    if not children:
        return _leaf(label, values & leaves)
    below = tuple(_node(child, values, of) for child in children)
    return Node(label, frozenset(values & leaves), Fraction(len(leaves) - 1, of - 1), below)


def _leaves(node: Nested) -> Iterator[Value]:
    label, children = node
    if not children:
        yield label
    for child in children:
        yield from _leaves(child)


def _labels(node: Nested) -> Iterator[Value]:
    label, children = node
    yield label
    for child in children:
        yield from _labels(child)


# Numbers


@cache
def number(text: Value) -> Fraction:
    """The number that a text stands for, exactly."""
    if text is None:
        raise ValueError("a missing value is not a number")
    return Fraction(Decimal(text))


def day(text: Value) -> Fraction:
    """The number of an ISO date's day."""
    if text is None:
        raise ValueError("a missing value is not a date")
    return Fraction(date.fromisoformat(text).toordinal())


def _number(kind: Number, values: Set[Value], missing: Set[Value]) -> Part:
    read: Callable[[Value], Fraction] = day if kind.dates else number
    texts = sorted(in_order(values - missing), key=read)
    parts = [_leaf(value, {value}) for value in in_order(values & missing)]
    if texts:
        cuts: dict[Fraction, str] = {}
        for text in sorted(in_order(texts if kind.ends is None else kind.ends), key=read):
            assert text is not None
            cuts.setdefault(read(text), text)  # of several texts for one number the first in order
        scale = Scale({text: read(text) for text in texts}, cuts, read(texts[-1]) - read(texts[0]))
        parts.append(scale.interval(texts, None, None))
    return Node("*", frozenset(values), Fraction(1), tuple(parts)) if values & missing else parts[0]
