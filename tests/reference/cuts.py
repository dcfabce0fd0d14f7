"""Cuts of a table, what they lose, and which rows they leave to suppress: the slow, obviously right version.

Fast code is compared with this one. A cut says of each column what is told of its values; the same cut is a string
of bits, one between each two neighbouring leaves or numbers, or one for each value of a plain column. Everything is
exact; whatever can be said as "the nearest of all valid strings" is found by looking at all of them.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Literal, Protocol, TypeAlias

from tests.reference.disclosure import KAnonymity, Requirement
from tests.reference.parts import Cell, Hidden, Nested, Number, Tree, Value, contracted, day, in_order, number

Bits: TypeAlias = tuple[int, ...]
ColumnCut: TypeAlias = frozenset[Value | Fraction] | None
"""A taxonomy: the labels of the nodes; numbers: where they are cut, None: not even told from missing values; a
plain column: the values that are shown."""
Cut: TypeAlias = Mapping[str, ColumnCut]
Look: TypeAlias = tuple[Cell, ...]
Rule: TypeAlias = Literal["paper", "ours"]
Repair: TypeAlias = Literal["nearest", "split", "merge"]
MARKER = "*"
"""The text that stands for a hidden value; a label that reads like it is it."""


# One column


class Column(Hashable, Protocol):
    """A column that may be changed."""

    @property
    def length(self) -> int:
        """How many bits a cut of it has."""
        ...

    def cuts(self) -> Iterator[ColumnCut]:
        """All cuts."""
        ...

    def bits(self, cut: ColumnCut) -> Bits:
        """A cut as bits."""
        ...

    def cut(self, bits: Bits) -> ColumnCut:
        """The cut of valid bits."""
        ...

    def is_valid(self, bits: Bits) -> bool:
        """Whether the bits are those of a cut."""
        ...

    def may_be_one(self, bit: int) -> bool:
        """Whether a bit is 1 in any cut."""
        ...

    def cells(self, cut: ColumnCut) -> dict[Value, tuple[Cell, Fraction]]:
        """How each value looks, and what is then lost of it, from 0 to 1."""
        ...


@dataclass(frozen=True)
class PlainColumn:
    """Single values are shown; the others are one hidden value, among them one that reads like the marker."""

    values: tuple[Value, ...]

    @property
    def length(self) -> int:
        return len(self.values)

    def cuts(self) -> Iterator[ColumnCut]:
        return (self.cut(bits) for bits in product((0, 1), repeat=self.length) if self.is_valid(bits))

    def bits(self, cut: ColumnCut) -> Bits:
        assert cut is not None
        return tuple(int(value in cut) for value in self.values)

    def cut(self, bits: Bits) -> ColumnCut:
        return frozenset(value for value, bit in zip(self.values, bits, strict=True) if bit)

    def is_valid(self, bits: Bits) -> bool:
        return all(self.may_be_one(place) for place, bit in enumerate(bits) if bit)

    def may_be_one(self, bit: int) -> bool:
        return self.values[bit] != MARKER

    def cells(self, cut: ColumnCut) -> dict[Value, tuple[Cell, Fraction]]:
        assert cut is not None
        hidden = [value for value in self.values if value not in cut]
        loss = _share(len(hidden) - 1, len(self.values) - 1)
        return {value: (Hidden.BOTTOM, loss) if value in hidden else (value, Fraction(0)) for value in self.values}


@dataclass(frozen=True)
class TreeColumn:
    """A taxonomy without nodes that have one child."""

    root: Nested

    @property
    def leaves(self) -> list[Value]:
        return leaves(self.root)

    @property
    def length(self) -> int:
        return len(self.leaves) - 1

    def cuts(self) -> Iterator[ColumnCut]:
        return map(frozenset, _node_cuts(self.root))

    def bits(self, cut: ColumnCut) -> Bits:
        cells = self._nodes(cut)
        return tuple(int(cells[left] != cells[right]) for left, right in pairwise(self.leaves))

    def cut(self, bits: Bits) -> ColumnCut:
        """The nodes that are not open and have only open ones above."""
        return frozenset(self._shut(self.root, bits, self.owned()))

    def is_valid(self, bits: Bits) -> bool:
        """Bits that are owned by one node are equal; a node with 1s has all ancestors 1."""
        owned = self.owned()
        equal = all(len({bits[place] for place in places}) == 1 for places in owned.values())
        below = {label: nodes(find(self.root, label))[1:] for label in owned}
        steps = [(above, under) for above, inner in below.items() for under, children in inner if children]
        return equal and all(bits[owned[above][0]] >= bits[owned[under][0]] for above, under in steps)

    def may_be_one(self, bit: int) -> bool:  # noqa: ARG002
        return True

    def owned(self) -> dict[Value, list[int]]:
        """The bits that each node owns: those between leaves of which it is the lowest node above both."""
        found: dict[Value, list[int]] = {}
        for place, pair in enumerate(pairwise(self.leaves)):
            above = [node for node in nodes(self.root) if set(pair) <= set(leaves(node))]
            lowest = min(above, key=lambda node: len(leaves(node)))
            found.setdefault(lowest[0], []).append(place)
        return found

    def cells(self, cut: ColumnCut) -> dict[Value, tuple[Cell, Fraction]]:
        of = len(self.leaves)
        return {
            leaf: (_cell(node[0]), _share(len(leaves(node)) - 1, of - 1)) for leaf, node in self._nodes(cut).items()
        }

    def _nodes(self, cut: ColumnCut) -> dict[Value, Nested]:
        """For each leaf the one node of the cut on its way to the root."""
        assert cut is not None
        found: dict[Value, Nested] = {}
        for leaf in self.leaves:
            (found[leaf],) = (node for node in nodes(self.root) if node[0] in cut and leaf in leaves(node))
        return found

    def _shut(self, node: Nested, bits: Bits, owned: Mapping[Value, Sequence[int]]) -> Iterator[Value]:
        if not node[1] or not all(bits[place] for place in owned[node[0]]):
            yield node[0]
        else:
            for child in node[1]:
                yield from self._shut(child, bits, owned)


@dataclass(frozen=True)
class NumberColumn:
    """Numbers in ascending order, each with its texts; missing values stand beside them, under one root."""

    numbers: tuple[Fraction, ...]
    texts: tuple[tuple[Value, Fraction], ...]
    missing: tuple[Value, ...]
    ends: tuple[Fraction, ...] | None
    """Ascending: where it may be cut; None: in front of every number."""

    @property
    def length(self) -> int:
        return len(self.missing) + len(self.numbers) - 1

    @property
    def ways(self) -> dict[int, Fraction]:
        """The bits of the intervals that may be 1, each with the value that cuts there."""
        extra, found = len(self.missing), {}
        for place, (left, right) in enumerate(pairwise(self.numbers)):
            ends = (right,) if self.ends is None else [end for end in self.ends if left < end <= right]
            if ends:
                found[extra + place] = ends[0]
        return found

    @property
    def beside(self) -> range:
        """The bits that tell missing values apart, from each other and from the numbers: all or none are 1."""
        return range(len(self.missing))

    def cuts(self) -> Iterator[ColumnCut]:
        if self.missing:
            yield None
        ways = list(self.ways.values())
        for chosen in product((False, True), repeat=len(ways)):
            yield frozenset(way for way, take in zip(ways, chosen, strict=True) if take)

    def bits(self, cut: ColumnCut) -> Bits:
        found = [0] * self.length
        if cut is not None:
            for place in self.beside:
                found[place] = 1
            for place, way in self.ways.items():
                found[place] = int(way in cut)
        return tuple(found)

    def cut(self, bits: Bits) -> ColumnCut:
        if self.missing and not all(bits[place] for place in self.beside):
            return None
        return frozenset(way for place, way in self.ways.items() if bits[place])

    def is_valid(self, bits: Bits) -> bool:
        return bits == self.bits(self.cut(bits))

    def may_be_one(self, bit: int) -> bool:
        return bit in self.beside or bit in self.ways

    def cells(self, cut: ColumnCut) -> dict[Value, tuple[Cell, Fraction]]:
        if cut is None:
            return dict.fromkeys([*self.missing, *dict(self.texts)], (Hidden.BOTTOM, Fraction(1)))
        found: dict[Value, tuple[Cell, Fraction]] = {value: (_cell(value), Fraction(0)) for value in self.missing}
        cuts = sorted(way for way in self.ways.values() if way in cut)
        parts = [bisect_right(cuts, one) for one in self.numbers]
        for text, one in self.texts:
            inside = [other for other, part in zip(self.numbers, parts, strict=True) if part == bisect_right(cuts, one)]
            loss = _share(inside[-1] - inside[0], self.numbers[-1] - self.numbers[0])
            found[text] = (f"[{inside[0]}, {inside[-1]}]" if cuts else Hidden.BOTTOM, loss)
        return found


def column(kind: Tree | Number | None, values: Set[Value], missing: Set[Value] = frozenset()) -> Column:
    """The column with these values: plain when no kind is given; None is always a missing value."""
    missing = missing | {None}
    if isinstance(kind, Tree):
        root = contracted(kind.root)
        known = set(leaves(root))
        absent: tuple[Nested, ...] = tuple((value, ()) for value in in_order((values & missing) - known))
        if absent and not root[1]:  # the one leaf gets a root again
            root = (kind.root[0] if kind.root[1] else MARKER, (root,))
        return TreeColumn((root[0], (*absent, *root[1])))
    if isinstance(kind, Number):
        read = day if kind.dates else number
        texts = {text: read(text) for text in in_order(values - missing)}
        ends = None if kind.ends is None else tuple(sorted({read(end) for end in kind.ends}))
        numbers = tuple(sorted(set(texts.values())))
        if not numbers:
            raise ValueError("a number column without a number")
        return NumberColumn(numbers, tuple(texts.items()), tuple(in_order(values & missing)), ends)
    return PlainColumn(tuple(in_order(values)))


def nodes(root: Nested) -> list[Nested]:
    """A node and all below it."""
    return [root, *(node for child in root[1] for node in nodes(child))]


def leaves(root: Nested) -> list[Value]:
    """The labels of the leaves from left to right."""
    return [label for label, children in nodes(root) if not children]


def find(root: Nested, label: Value) -> Nested:
    """The node with a label."""
    (found,) = (node for node in nodes(root) if node[0] == label)
    return found


def _node_cuts(node: Nested) -> Iterator[set[Value]]:
    yield {node[0]}
    if node[1]:
        for below in product(*(list(_node_cuts(child)) for child in node[1])):
            yield set().union(*below)


def _cell(text: Value) -> Cell:
    return Hidden.BOTTOM if text == MARKER else text


def _share(part: Fraction | int, whole: Fraction | int) -> Fraction:
    """How much of the most that can be lost; nothing where there is nothing to lose."""
    return Fraction(part) / whole if whole > 0 and part > 0 else Fraction(0)


# Bits: repair and change


@cache
def valid_strings(column: Column) -> tuple[Bits, ...]:
    """The bits of all cuts."""
    return tuple(column.bits(cut) for cut in column.cuts())


def repair(column: Column, bits: Bits, how: Repair = "nearest") -> Bits:
    """A valid string that keeps as much as possible.

    `nearest` changes the fewest bits, and of several such strings is the one with most 1s. `split` keeps all 1s and
    is otherwise as coarse as can be; `merge` keeps all 0s and is otherwise as fine as can be.
    Bits that are 0 in every cut are 0 before anything else is done.
    """
    bits = tuple(bit if column.may_be_one(place) else 0 for place, bit in enumerate(bits))
    valid = valid_strings(column)
    if how == "split":
        return _coarsest(one for one in valid if _covers(one, bits))
    if how == "merge":
        return _finest(one for one in valid if _covers(bits, one))
    return _only(valid, lambda one: (distance(one, bits), -sum(one)))


def flip(column: Column, bits: Bits, place: int) -> Bits:
    """Valid bits with one of them flipped, which wins: as few others as possible change.

    A 1 opens the node that owns the bit and those above; a 0 closes it and those below.
    """
    if not column.may_be_one(place):
        return bits
    valid = [one for one in valid_strings(column) if one[place] != bits[place]]
    if bits[place]:
        return _finest(one for one in valid if _covers(bits, one))
    return _coarsest(one for one in valid if _covers(one, bits))


def mutate(column: Column, bits: Bits, places: Iterable[int]) -> Bits:
    """Valid bits with several of them flipped: first those that become 0, then those that become 1."""
    after = bits
    for place in sorted(places, key=lambda place: -bits[place]):
        if after[place] == bits[place]:
            after = flip(column, after, place)
    return after


def distance(one: Bits, other: Bits) -> int:
    """In how many places two strings differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def genitor_rank(u: Fraction, size: int, bias: Fraction) -> int:
    """The rank (0 is the best of `size`) that is drawn when u, from 0 to 1 without 1, is drawn evenly."""
    if bias == 1:
        return math.floor(size * u)
    square = bias**2 - 4 * (bias - 1) * u

    def reached(rank: int) -> bool:
        """Whether rank <= size * (b - sqrt(b² - 4 (b - 1) u)) / (2 (b - 1)), compared without the root."""
        return size**2 * square <= (size * bias - 2 * (bias - 1) * rank) ** 2

    return bisect_left(range(size), True, key=lambda rank: not reached(rank)) - 1


def _covers(one: Bits, other: Bits) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))


def _only(strings: Iterable[Bits], key: Callable[[Bits], tuple[int, ...]]) -> Bits:
    """The smallest by the key, of which there must be one only."""
    ranked = [(key(one), one) for one in strings]
    best, _ = min(ranked)
    (found,) = (one for rank, one in ranked if rank == best)
    return found


def _coarsest(strings: Iterable[Bits]) -> Bits:
    return _only(strings, lambda one: (sum(one),))


def _finest(strings: Iterable[Bits]) -> Bits:
    return _only(strings, lambda one: (-sum(one),))


# Tables


@dataclass(frozen=True)
class Table:
    """Rows of texts; `kinds`: the columns that are not plain; `changeable`: those that are cut."""

    names: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    changeable: tuple[str, ...]
    kinds: Mapping[str, Tree | Number]
    missing: frozenset[Value] = frozenset()

    def values(self, name: str) -> list[Value]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def columns(self) -> dict[str, Column]:
        return {name: column(self.kinds.get(name), set(self.values(name)), self.missing) for name in self.changeable}

    def cut(self, bits: Bits) -> Cut:
        """The cut that the bits of all columns, one after the other, stand for."""
        found, start = {}, 0
        for name, one in self.columns().items():
            found[name] = one.cut(bits[start : start + one.length])
            start += one.length
        assert start == len(bits)
        return found

    def bits(self, cut: Cut) -> Bits:
        return tuple(bit for name, one in self.columns().items() for bit in one.bits(cut[name]))

    def cuts(self) -> Iterator[Cut]:
        """All cuts of the table."""
        columns = self.columns()
        for chosen in product(*(list(one.cuts()) for one in columns.values())):
            yield dict(zip(columns, chosen, strict=True))


# What becomes of the rows


@dataclass(frozen=True)
class Evaluation:
    """A table under a cut. Rows are numbered from 0; every row is in a group, suppressed, or removed."""

    table: Table
    looks: tuple[Look, ...]
    """The changeable cells of each row under the cut, whatever becomes of the row."""
    losses: tuple[tuple[Fraction, ...], ...]
    """What each of them has lost."""
    suppressed: Set[int]
    """Rows that stand in the release with all changeable cells masked."""
    removed: Set[int]
    broken: Set[Requirement]
    """What suppressed rows break: never anything by the paper's rule."""
    stuck: Set[int]
    """The suppressed rows that break it: they must be removed, or topped up until they break nothing."""

    @property
    def groups(self) -> dict[Look, list[int]]:
        """The other rows that look alike on all changeable columns."""
        found: dict[Look, list[int]] = {}
        gone = self.suppressed | self.removed
        for row, look in enumerate(self.looks):
            if row not in gone:
                found.setdefault(look, []).append(row)
        return found

    @property
    def holds(self) -> bool:
        return not self.broken


def evaluate(
    table: Table,
    cut: Cut,
    requirements: Sequence[Requirement],
    rule: Rule,
    *,
    masked: Set[int] = frozenset(),
    removed: Set[int] = frozenset(),
) -> Evaluation:
    """Suppress the groups that break a requirement, count again, and so on until none does.

    By the `paper` rule suppressed rows are looked at no more. By `ours` they are rows like any others, whose
    changeable cells are all the marker: columns that do not change tell them apart, rows that look so anyway are among
    them. `masked` rows are suppressed and `removed` ones are gone from the start.
    """
    cells = [one.cells(cut[name]) for name, one in table.columns().items()]
    values = list(zip(*(table.values(name) for name in table.changeable), strict=True)) or [()] * len(table.rows)
    both = [[of[value] for of, value in zip(cells, row, strict=True)] for row in values]
    looks = tuple(tuple(cell for cell, _ in row) for row in both)
    losses = tuple(tuple(loss for _, loss in row) for row in both)
    suppressed = set(masked) - removed
    while True:
        counted = set(range(len(looks))) - removed - (suppressed if rule == "paper" else set())
        bad = {one: _breaking(table, looks, suppressed, counted, one) for one in requirements}
        more = set().union(*bad.values()) - suppressed
        if not more:
            broken = frozenset(one for one, rows in bad.items() if rows)
            stuck = frozenset(set().union(*bad.values()))
            gone = frozenset(removed)
            return Evaluation(table, looks, losses, frozenset(suppressed), gone, broken, stuck)
        suppressed |= more


def removing(table: Table, cut: Cut, requirements: Sequence[Requirement]) -> Evaluation:
    """Our rule; suppressed rows that break a promise are removed, until all promises are kept."""
    found = evaluate(table, cut, requirements, "ours")
    while not found.holds:  # every round hides more; what was suppressed stays so
        removed = found.removed | found.stuck
        found = evaluate(table, cut, requirements, "ours", masked=found.suppressed, removed=removed)
    return found


def donors(evaluation: Evaluation, requirements: Sequence[Requirement]) -> frozenset[int]:
    """The rows that may be masked to top up suppressed ones: each leaves k rows or more in its groups."""
    shown = set(range(len(evaluation.looks))) - evaluation.suppressed - evaluation.removed
    found = set(shown)
    for one in requirements:
        if isinstance(one, KAnonymity):
            groups = _groups(evaluation.table, evaluation.looks, evaluation.suppressed, shown, one.over)
            found -= {row for rows in groups if len(rows) <= one.k for row in rows}
    return frozenset(found)


def _breaking(table: Table, looks: Sequence[Look], suppressed: Set[int], rows: Set[int], one: Requirement) -> set[int]:
    """The rows of the groups that break a requirement."""
    known = one.over if isinstance(one, KAnonymity) else one.given
    return {
        row for group in _groups(table, looks, suppressed, rows, known) if _breaks(table, group, one) for row in group
    }


def _breaks(table: Table, group: Sequence[int], one: Requirement) -> bool:
    if isinstance(one, KAnonymity):
        return len(group) < one.k
    place = table.names.index(one.column)
    return Fraction(sum(table.rows[row][place] == one.value for row in group), len(group)) > one.at_most


def _groups(
    table: Table, looks: Sequence[Look], suppressed: Set[int], rows: Set[int], known: Iterable[str]
) -> list[list[int]]:
    """The rows that look alike to who knows some columns."""
    changeable = [table.changeable.index(name) for name in known if name in table.changeable]
    fixed = [table.names.index(name) for name in known if name not in table.changeable]
    found: dict[tuple[object, ...], list[int]] = {}
    for row in sorted(rows):
        changed = [Hidden.BOTTOM if row in suppressed else looks[row][place] for place in changeable]
        found.setdefault((*changed, *(table.rows[row][place] for place in fixed)), []).append(row)
    return list(found.values())


# What is lost


Costs: TypeAlias = Mapping[Value, Mapping[Value, Fraction]]
"""What it costs that a row of a class (first) is taken for one of another."""


def lm(evaluation: Evaluation, weights: Mapping[str, Fraction] | None = None) -> Fraction:
    """The mean loss of a changeable cell, by the weights of the columns; cells of suppressed or removed rows lose 1."""
    names = evaluation.table.changeable
    share = [(weights or {}).get(name, Fraction(1)) for name in names]
    gone = evaluation.suppressed | evaluation.removed
    total = Fraction(0)
    for place, weight in enumerate(share):
        counted = Counter(losses[place] for row, losses in enumerate(evaluation.losses) if row not in gone)
        total += weight * (len(gone) + sum((loss * rows for loss, rows in counted.items()), Fraction(0)))
    return _share(total, sum(share) * len(evaluation.looks))


def cm(
    evaluation: Evaluation,
    target: str,
    *,
    costs: Costs | None = None,
    suppressed: Literal["one", "group", "dearest"] = "one",
) -> Fraction:
    """The mean cost of taking each row for one of its group's majority class; without `costs` a mistake costs 1.

    Of classes with equally many rows of a group the one that costs least is its majority. A suppressed row costs 1; or
    suppressed rows are a group; or each costs the dearest mistake that can be made about its class. A removed row
    is in no group: it costs 1 where suppressed rows are one.
    """
    classes = evaluation.table.values(target)
    if costs is None:
        costs = {one: {other: Fraction(one != other) for other in set(classes)} for one in set(classes)}
    total = sum((_mistakes([classes[row] for row in rows], costs) for rows in evaluation.groups.values()), Fraction(0))
    alone = evaluation.removed if suppressed == "group" else evaluation.removed | evaluation.suppressed
    for row in alone:
        total += max(costs[classes[row]].values()) if suppressed == "dearest" else 1
    if suppressed == "group":
        total += _mistakes([classes[row] for row in evaluation.suppressed], costs)
    return _share(total, len(classes))


def _mistakes(classes: Sequence[Value], costs: Costs) -> Fraction:
    counted = Counter(classes)
    majority = [one for one, rows in counted.items() if rows == max(counted.values())]
    totals = [sum((costs[true][taken] * rows for true, rows in counted.items()), Fraction(0)) for taken in majority]
    return min(totals, default=Fraction(0))


def rm(
    evaluation: Evaluation,
    target: str,
    *,
    by: Literal["variance", "median"] = "variance",
    suppressed: Literal["group", "all"] = "group",
) -> Fraction:
    """How far the target's numbers are from the centre of their groups, beside how far from the centre of all rows.

    Squares from the mean, or distances from the median. Suppressed rows are a group, or are measured from the
    centre of all rows, as removed ones always are.
    """
    numbers = [number(text) for text in evaluation.table.values(target)]
    middle = _centre(numbers, by)
    apart = evaluation.removed if suppressed == "group" else evaluation.removed | evaluation.suppressed
    total = sum((_far(numbers[row], middle, by) for row in apart), Fraction(0))
    groups = [*evaluation.groups.values(), sorted(evaluation.suppressed - apart)]
    for rows in groups:
        inside = [numbers[row] for row in rows]
        total += sum((_far(one, _centre(inside, by), by) for one in inside), Fraction(0))
    return _share(total, sum((_far(one, middle, by) for one in numbers), Fraction(0)))


def _centre(numbers: Sequence[Fraction], by: Literal["variance", "median"]) -> Fraction:
    if not numbers:
        return Fraction(0)
    return sum(numbers, Fraction(0)) / len(numbers) if by == "variance" else sorted(numbers)[(len(numbers) - 1) // 2]


def _far(one: Fraction, centre: Fraction, by: Literal["variance", "median"]) -> Fraction:
    return (one - centre) ** 2 if by == "variance" else abs(one - centre)


def discernibility(evaluation: Evaluation, *, suppressed: Literal["each", "group"] = "each") -> int:
    """For each row the rows that it cannot be told from, summed.

    A suppressed row is told from none of the table (or only suppressed rows are alike); a removed one from none.
    """
    total = sum(len(rows) ** 2 for rows in evaluation.groups.values())
    hidden, gone, all_rows = len(evaluation.suppressed), len(evaluation.removed), len(evaluation.looks)
    return total + gone * all_rows + (hidden**2 if suppressed == "group" else hidden * all_rows)


def average_group_size(evaluation: Evaluation) -> Fraction:
    """The rows of a group on average; suppressed rows are no group here. 0 without groups."""
    groups = evaluation.groups
    return _share(sum(map(len, groups.values())), len(groups))


# The best of all cuts


Measure: TypeAlias = Callable[[Evaluation], Fraction]


def best_cuts(
    table: Table, requirements: Sequence[Requirement], measure: Measure, rule: Rule, *, limit: Fraction = Fraction(1)
) -> tuple[Fraction, list[Cut]] | None:
    """The least loss of all cuts, and every cut that has it; None when no cut will do.

    By our rule suppressed rows that break a promise are removed. `limit`: the share of rows that may be suppressed or
    removed.
    """
    found: list[tuple[Fraction, Cut]] = []
    for cut in table.cuts():
        one = evaluate(table, cut, requirements, rule) if rule == "paper" else removing(table, cut, requirements)
        if len(one.suppressed | one.removed) <= limit * len(table.rows):
            found.append((measure(one), cut))
    if not found:
        return None
    least = min(loss for loss, _ in found)
    return least, [cut for loss, cut in found if loss == least]
