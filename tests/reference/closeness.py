"""t-closeness, slow and obvious: how far the values of a group are from those of the whole release.

Three ground distances between values: all equally far (1); as far as they are apart in their order, of m - 1 steps;
in a taxonomy as high as their lowest common node stands, of the height of the root. The closed formulas of the
specification are written out; `transported` solves the transport problem itself, for comparison.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from math import gcd, lcm
from typing import Literal, TypeAlias

from scipy.optimize import linprog

from tests.reference.cuts import leaves, nodes
from tests.reference.parts import Nested, Value, contracted
from tests.reference.promises import Coarse, Person, Reading, known_values

Counts: TypeAlias = Mapping[Value, int]
Ground: TypeAlias = Mapping[tuple[Value, Value], Fraction]


@dataclass(frozen=True)
class Close:
    """t-closeness of a column. `order`: of its values, where the distance is `ordered`; numbers have their own."""

    over: tuple[str, ...]
    of: str
    t: Fraction
    distance: Literal["equal", "ordered", "tree"] = "equal"
    order: tuple[Value, ...] | None = None

    def holds(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> bool:
        try:
            found = self.figure(group, whole, reading)
        except Coarse:
            return False
        return found is None or found <= self.t

    def figure(self, group: Sequence[Person], whole: Sequence[Person], reading: Reading) -> Fraction | None:
        """How far a group is, 0 to 1; None where nothing is known of it."""
        here, everywhere = known_values(group, self.of, reading), known_values(whole, self.of, reading)
        if not here:
            return None
        if self.distance == "equal":
            return equal(here, everywhere)
        if self.distance == "tree":
            assert reading.tree is not None
            return in_tree(here, everywhere, reading.tree)
        if self.order is None:
            return by_number(here, everywhere, reading)
        return ordered(here, everywhere, self.order)


# The formulas


def extra(here: Counts, everywhere: Counts, value: Value) -> Fraction:
    """How much larger the share of a value is here than everywhere."""
    return Fraction(here.get(value, 0), sum(here.values())) - Fraction(
        everywhere.get(value, 0), sum(everywhere.values())
    )


def equal(here: Counts, everywhere: Counts) -> Fraction:
    """Half the sum of all differences."""
    return sum((abs(extra(here, everywhere, value)) for value in everywhere), Fraction(0)) / 2


def ordered(here: Counts, everywhere: Counts, order: Sequence[Value]) -> Fraction:
    """The differences up to each value, in order; values that the release has not are no steps."""
    present = [value for value in order if value in everywhere]
    assert set(present) == set(everywhere)
    upto = [sum((extra(here, everywhere, one) for one in present[:end]), Fraction(0)) for end in range(1, len(present))]
    return sum(map(abs, upto), Fraction(0)) / (len(present) - 1) if len(present) > 1 else Fraction(0)


def by_number(here: Counts, everywhere: Counts, reading: Reading) -> Fraction:
    """The ordered distance of numbers or dates; texts that stand for one number are one value."""

    def merged(counts: Counts) -> Counter[Value]:
        found: Counter[Value] = Counter()
        for text, count in counts.items():
            found[str(reading.number(text))] += count
        return found

    return ordered(merged(here), merged(everywhere), sorted(merged(everywhere), key=lambda text: Fraction(str(text))))


def height(node: Nested) -> int:
    """The longest way to a leaf."""
    return 1 + max(map(height, node[1])) if node[1] else 0


def in_tree(here: Counts, everywhere: Counts, tree: Nested) -> Fraction:
    """What each node has too much or too little, times the way from it to the node above."""
    root = contracted(tree)
    assert set(everywhere) <= set(leaves(root))
    whole = height(root)
    found = Fraction(0)
    for parent in nodes(root):
        for child in parent[1]:
            moved = abs(sum((extra(here, everywhere, leaf) for leaf in leaves(child)), Fraction(0)))
            found += Fraction(height(parent) - height(child), 2 * whole) * moved
    return found


def li_in_tree(here: Counts, everywhere: Counts, tree: Nested) -> Fraction:
    """Li, Li and Venkatasubramanian's own formula: at each node, what its children can settle among themselves."""
    root = contracted(tree)
    whole = height(root)
    found = Fraction(0)
    for node in nodes(root):
        if node[1]:
            extras = [sum((extra(here, everywhere, leaf) for leaf in leaves(child)), Fraction(0)) for child in node[1]]
            positive = sum((one for one in extras if one > 0), Fraction(0))
            negative = -sum((one for one in extras if one < 0), Fraction(0))
            found += Fraction(height(node), whole) * min(positive, negative)
    return found


# The ground distances


def equal_ground(values: Sequence[Value]) -> Ground:
    """All values are equally far."""
    return {(one, other): Fraction(int(one != other)) for one in values for other in values}


def ordered_ground(order: Sequence[Value]) -> Ground:
    """Steps in the order, of all steps."""
    steps = max(len(order) - 1, 1)
    return {
        (one, other): Fraction(abs(left - right), steps)
        for left, one in enumerate(order)
        for right, other in enumerate(order)
    }


def tree_ground(tree: Nested) -> Ground:
    """The height of the lowest common node, of that of the root."""
    root = contracted(tree)
    whole = height(root)
    found: dict[tuple[Value, Value], Fraction] = {}
    for one in leaves(root):
        for other in leaves(root):
            common = [height(node) for node in nodes(root) if {one, other} <= set(leaves(node))]
            found[one, other] = Fraction(0) if one == other else Fraction(min(common), whole)
    return found


# Transport itself


def atoms(here: Counts, everywhere: Counts) -> tuple[list[Value], list[Value]]:
    """Both distributions as equally many values of equal weight, as few as can be."""

    def reduced(counts: Counts) -> Counter[Value]:
        shared = gcd(*counts.values())
        return Counter({value: count // shared for value, count in counts.items()})

    one, other = reduced(here), reduced(everywhere)
    many = lcm(one.total(), other.total())
    return [value for value, count in one.items() for _ in range(count * many // one.total())], [
        value for value, count in other.items() for _ in range(count * many // other.total())
    ]


def transported(here: Counts, everywhere: Counts, ground: Ground, *, most: int = 7) -> Fraction | None:
    """The least mean way by which one distribution is moved to the other: the best of all pairings of equal weights.

    (A cheapest transport between equal weights pairs them off, by Birkhoff and von Neumann.) None where there are more
    than `most` of them to pair.
    """
    left, right = atoms(here, everywhere)
    if len(left) > most:
        return None
    ways = (sum((ground[pair] for pair in zip(left, some, strict=True)), Fraction(0)) for some in permutations(right))
    return min(ways) / len(left)


def programmed(here: Counts, everywhere: Counts, ground: Ground) -> float:
    """The same by linear programming, in floating point, for any counts."""
    values = sorted({*here, *everywhere}, key=str)
    many = len(values)
    rows: list[list[float]] = []
    for value in range(many):
        rows.append([float(place // many == value) for place in range(many * many)])
        rows.append([float(place % many == value) for place in range(many * many)])
    sides = [(here, sum(here.values())), (everywhere, sum(everywhere.values()))]
    masses = [counts.get(value, 0) / total for value in values for counts, total in sides]
    costs = [float(ground[one, other]) for one in values for other in values]
    return float(linprog(costs, A_eq=rows, b_eq=masses, method="highs").fun)
