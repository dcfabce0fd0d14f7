"""What suppression costs, after section 2.4 of Hintoglu's thesis: DD, SKLD, ACMI, mean change of information, SCE.

Logarithms are to base 2; whether something is zero or infinite is decided in exact fractions. Generalised cells are
spread down their taxonomy as their column lies; null cells are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import inf, log2

from tests.reference.cells_model import Cell, Table, Taxonomy, spread

Weights = dict[str, Fraction]
Joint = dict[tuple[str, str], Fraction]


def direct_distance(before: Table, after: Table) -> int:
    """DD: the number of changed cells (2.7)."""
    return sum(1 for old, new in zip(before, after, strict=True) for a, b in zip(old, new, strict=True) if a != b)


def column_weights(table: Table, c: int, taxonomies: Sequence[Taxonomy] | None) -> list[Weights]:
    """For every row the values of the column it can have with their weights; none for null."""
    if taxonomies is None:
        return [{} if (cell := row[c]) is None else {cell: Fraction(1)} for row in table]
    taxonomy = taxonomies[c]
    estimate = spread(taxonomy, [row[c] for row in table])
    return [leaf_weights(taxonomy, estimate, row[c]) for row in table]


def leaf_weights(taxonomy: Taxonomy, estimate: dict[Cell, Fraction], cell: Cell) -> Weights:
    """A known cell spread over the leaves below it."""
    if cell is None:
        return {}
    return {leaf: estimate[leaf] / estimate[cell] for leaf in taxonomy.leaves(cell)}


def distribution(weights: Sequence[Weights]) -> Weights:
    """The shares of the values among the known cells."""
    total = sum(1 for w in weights if w)
    shares: Weights = {}
    for w in weights:
        for value, share in w.items():
            shares[value] = shares.get(value, Fraction(0)) + share / total
    return shares


def kld(p: Weights, q: Weights) -> float:
    """Infinite when a value vanishes (2.8)."""
    if any(share and not q.get(value) for value, share in p.items()):
        return inf
    return sum(float(share) * log2(share / q[value]) for value, share in p.items() if share)


def skld(before: Table, after: Table, taxonomies: Sequence[Taxonomy] | None = None) -> float:
    """The sum of the columns' Kullback-Leibler distances (2.9)."""
    return sum(
        kld(
            distribution(column_weights(before, c, taxonomies)),
            distribution(column_weights(after, c, taxonomies)),
        )
        for c in range(len(before[0]))
    )


def joint(a: Sequence[Weights], b: Sequence[Weights]) -> Joint:
    """The shares of the pairs among the rows that know both."""
    total = sum(1 for x, y in zip(a, b, strict=True) if x and y)
    shares: Joint = {}
    for x, y in zip(a, b, strict=True):
        for v, p in x.items():
            for w, q in y.items():
                shares[v, w] = shares.get((v, w), Fraction(0)) + p * q / total
    return shares


def margins(pairs: Joint) -> tuple[Weights, Weights]:
    left: Weights = {}
    right: Weights = {}
    for (v, w), share in pairs.items():
        left[v] = left.get(v, Fraction(0)) + share
        right[w] = right.get(w, Fraction(0)) + share
    return left, right


def mutual_information(table: Table, k: int, m: int, taxonomies: Sequence[Taxonomy] | None = None) -> float:
    """I(k; m) (2.10), exactly 0.0 for independent columns."""
    a, b = column_weights(table, k, taxonomies), column_weights(table, m, taxonomies)
    pairs = {(v, v): share for v, share in distribution(a).items()} if k == m else joint(a, b)
    left, right = margins(pairs)
    if all(pairs.get((v, w), Fraction(0)) == left[v] * right[w] for v in left for w in right):
        return 0.0
    return sum(float(p) * log2(p / (left[v] * right[w])) for (v, w), p in pairs.items() if p)


@dataclass
class Change:
    """The average change in mutual information: of the finite terms, with the number of infinite ones."""

    acmi: float
    infinite: int
    mean_difference: float


def mutual_change(
    before: Table, after: Table, taxonomies: Sequence[Taxonomy] | None = None, with_own: bool = False
) -> Change:
    """ACMI (2.11) over pairs i < j, and the mean of |I_D - I_D'|; 0/0 counts as 1, x/0 is counted apart.

    ``with_own`` adds the pairs j = i, as (2.11) is printed.
    """
    n = len(before[0])
    pairs = list(combinations_with_replacement(range(n), 2) if with_own else combinations(range(n), 2))
    total, infinite, difference = 0.0, 0, 0.0
    for k, m in pairs:
        old, new = mutual_information(before, k, m, taxonomies), mutual_information(after, k, m, taxonomies)
        difference += abs(old - new)
        if new:
            total += old / new
        elif old:
            infinite += 1
        else:
            total += 1
    number = n * (n - 1) // 2
    return Change(total / number, infinite, difference / number)


def sce(before: Table, after: Table, taxonomies: Sequence[Taxonomy] | None = None) -> float:
    """The sum over columns of the conditional entropy of the original given the published cells (2.13).

    A published null is a value of its own; an original null is not counted.
    """
    total = 0.0
    for c in range(len(before[0])):
        old = column_weights(before, c, taxonomies)
        new = column_weights(after, c, taxonomies)
        pairs: dict[tuple[str, Cell], Fraction] = {}
        given: dict[Cell, Fraction] = {}
        for x, y in zip(old, new, strict=True):
            published: dict[Cell, Fraction] = dict(y.items()) if y else {None: Fraction(1)}
            for w, q in published.items():
                given[w] = given.get(w, Fraction(0)) + q
                for v, p in x.items():
                    pairs[v, w] = pairs.get((v, w), Fraction(0)) + p * q
        total -= sum(float(n) / len(before) * log2(n / given[w]) for (_, w), n in pairs.items() if n)
    return total
