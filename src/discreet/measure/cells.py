"""What protecting confidential cells cost: direct distance, distances of distributions, what is left uncertain.

The measures of Hintoglu's thesis (section 2.4), for reports: logarithms are to base 2, sums are floats; whether two
columns are independent, and what is infinite, is decided exactly. A generalised cell counts as the values below it, as
the other cells of its column lie (evenly where there are none); an unknown cell is left out. Cells are codes here, and
equal pairs are counted once: nothing is done row by row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import inf

import numpy as np
import numpy.typing as npt

from discreet.adversary.view import UNKNOWN, Tree, domain_of, see_column
from discreet.encoded import Ints
from discreet.fit.cells import is_missing
from discreet.plan.parts import Recoding, Unseen
from discreet.plan.removal import Removal
from discreet.planning.fitting_columns import binned_columns
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine

MOST_PAIRS = 435
"""Pairs of columns that are looked at: those of 30 columns."""
DENSE = 2**22
"""Pairs of values up to which each has a counter of its own."""
MOST_TERMS = 2**24
"""Pairs of values that the generalised cells of two columns may stand for; the pair is left out beyond."""
DOUBTFUL = 1e-9
"""Less information than this may be none: it is decided exactly."""
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class CellMeasures:
    """What the edits cost.

    Parameters
    ----------
    dd
        Direct distance: the number of changed cells. A row that was removed counts with all its released cells here;
        it is left out of all other measures.
    skld
        The sum over the columns of the Kullback-Leibler distance of the released values from the original ones;
        infinite when a value is not released any more.
    acmi
        The average over pairs of columns of the quotient of their original and their released mutual information; 0/0
        counts as 1.
    acmi_infinite
        Pairs that lost all of their information: they count as 0 in `acmi`.
    mutual_information_change
        The average over the pairs of the absolute difference of the two.
    sce
        The sum over the columns of the entropy of the original values given the released ones: what is uncertain.
    columns
        The columns that could be edited: these are measured.
    pairs, of_pairs
        The pairs of columns that were looked at, of so many. Not all where there are very many columns or values;
        those with a confidential column come first.
    removal
        What is hidden against association rules, for each requirement that names them.
    """

    dd: int
    skld: float
    acmi: float
    acmi_infinite: int
    mutual_information_change: float
    sce: float
    columns: int
    pairs: int
    of_pairs: int
    removal: tuple[Removal, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data; what is infinite is None."""
        return {
            "direct_distance": self.dd,
            "skld": None if self.skld == inf else self.skld,
            "acmi": self.acmi,
            "acmi_infinite": self.acmi_infinite,
            "mutual_information_change": self.mutual_information_change,
            "sce": self.sce,
            "columns": self.columns,
            "pairs": self.pairs,
            "of_pairs": self.of_pairs,
            "removal": [removal.to_dict() for removal in self.removal],
        }


def cell_measures(released: Engine, original: Engine, bound: Bound) -> CellMeasures | None:
    """Return what the edits of a release cost, or None where its policy has no confidential cells.

    The columns are those of which single cells may be edited (`bound.edited`); the original is the table the release
    was made from, without dropped rows.
    """
    confidential = {item.column for _, item in bound.policy.cells()}
    if not confidential:
        return None
    removed = original.rows - released.rows
    kept = original.only(np.searchsorted(original.numbers(), released.numbers())) if removed else original
    bins = {column.name: column.binned() for column in binned_columns(bound, original)[0]}
    columns = [
        _binned(released, kept, bound.policy, bins[name])
        if name in bins
        else _beside(released, kept, original, bound.policy, name)
        for name in bound.edited
    ]
    return measure(columns, {bound.edited.index(name) for name in confidential}, removed * len(released.columns))


def _beside(released: Engine, kept: Engine, original: Engine, policy: Policy, name: str) -> ChangedColumn:
    domain = domain_of(original, policy, name)
    after = see_column(released, policy, name, domain)
    return ChangedColumn(after.tree, see_column(kept, policy, name, domain).nodes, after.nodes)


def _binned(released: Engine, kept: Engine, policy: Policy, bins: Recoding) -> ChangedColumn:
    """Return a column that is released by fixed intervals: these are its values, of which edits hide some."""
    encoded = kept.encoded(bins.column)
    told = bins.texts(encoded.domain, policy.column(bins.column).scale)
    texts = [policy.marker if isinstance(text, Unseen) else text for text in told]
    domain = [text for text in dict.fromkeys(texts) if not is_missing(policy, text)]
    after = see_column(released, policy, bins.column, domain)
    nodes = np.array([after.tree.node_of.get(text, UNKNOWN) for text in texts], dtype=np.int32)
    return ChangedColumn(after.tree, nodes[encoded.codes], after.nodes)


@dataclass(frozen=True)
class ChangedColumn:
    """A column before and after: the same rows, as nodes of one tree."""

    tree: Tree
    before: npt.NDArray[np.int32] | Ints
    after: npt.NDArray[np.int32] | Ints

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The column before and after, each by itself."""
        return Side(self.tree, self.before), Side(self.tree, self.after)


@dataclass(frozen=True)
class Side:
    """A column of one table."""

    tree: Tree
    nodes: npt.NDArray[np.int32] | Ints

    @cached_property
    def own(self) -> Ints:
        """How many rows have exactly each node."""
        return np.bincount(self.nodes, minlength=len(self.tree.parent)).astype(np.int64)

    @cached_property
    def rough(self) -> bool:
        """Whether some cell tells a group only."""
        return bool(self.own[1:][self.tree.leaf_of[1:] < 0].any())

    @cached_property
    def shares(self) -> tuple[Ints, Ints]:
        """The share of each node in the one above it, as a quotient: that of the rows, or an even one."""
        up, parent = self.tree.summed(self.own), self.tree.parent
        below = np.zeros(len(parent), dtype=np.int64)
        np.add.at(below, parent[1:], up[1:])
        some = below[parent] > 0
        return np.where(some, up, 1), np.where(some, below[parent], self.tree.children[parent])

    @cached_property
    def reach(self) -> Floats:
        """The share of each node in the whole column."""
        num, den = self.shares
        reach, parent = np.ones(len(num)), self.tree.parent
        for level in range(1, int(self.tree.depth.max()) + 1):
            nodes = np.flatnonzero(self.tree.depth == level)
            reach[nodes] = reach[parent[nodes]] * num[nodes] / den[nodes]
        return reach

    def exact_share(self, leaf: int, node: int) -> Fraction:
        """Return the share of a leaf (a node as well) in a node above it."""
        num, den = self.shares
        share = Fraction(1)
        while leaf != node:
            share *= Fraction(int(num[leaf]), int(den[leaf]))
            leaf = int(self.tree.parent[leaf])
        return share

    @cached_property
    def leaf_node(self) -> Ints:
        """The node of each value of the domain."""
        nodes = np.flatnonzero(self.tree.leaf_of[1:] >= 0) + 1
        found = np.zeros(len(self.tree.domain), dtype=np.int64)
        found[self.tree.leaf_of[nodes]] = nodes
        return found

    def width(self, nodes: Ints) -> Ints:
        """Return how many values stand under each node; the unknown one is a value of its own."""
        return np.where(nodes == UNKNOWN, 1, self.tree.stop[nodes] - self.tree.first[nodes])

    def spread(self, nodes: Ints) -> tuple[Ints, Ints, Floats]:
        """Return the values that nodes stand for: whose they are (by place), which leaf node, with which share.

        The unknown node stays what it is.
        """
        width = self.width(nodes)
        whose = np.repeat(np.arange(len(nodes)), width)
        place = np.arange(len(whose)) - np.repeat(np.cumsum(width) - width, width)
        place += self.tree.first[nodes[whose]]
        unknown = nodes[whose] == UNKNOWN
        leaves = np.full(len(whose), UNKNOWN, dtype=np.int64)
        leaves[~unknown] = self.leaf_node[place[~unknown]]
        return whose, leaves, np.where(unknown, 1.0, self.reach[leaves] / self.reach[nodes[whose]])

    def distribution(self) -> Floats:
        """Return the share of each node (leaves only) among the known cells; all 0 when there is none."""
        known = np.flatnonzero(self.own[1:]) + 1
        whose, leaves, share = self.spread(known)
        found = np.bincount(leaves, weights=self.own[known][whose] * share, minlength=len(self.own))
        return np.asarray(found / max(int(self.own[1:].sum()), 1))


def measure(columns: Sequence[ChangedColumn], confidential: Collection[int], removed_cells: int = 0) -> CellMeasures:
    """Return the measures of some columns, before and after; `confidential` are the places of those with such cells."""
    pairs = sorted(
        combinations(range(len(columns)), 2), key=lambda pair: not (pair[0] in confidential or pair[1] in confidential)
    )
    informations = list(_informations(columns, pairs[:MOST_PAIRS]))
    finite = sum(_quotient(old, new) for old, new in informations if new or not old)
    infinite = sum(1 for old, new in informations if old and not new)
    number = max(len(informations), 1)
    return CellMeasures(
        dd=sum(int((column.before != column.after).sum()) for column in columns) + removed_cells,
        skld=sum(_distance(*(side.distribution() for side in column.sides)) for column in columns),
        acmi=finite / number,
        acmi_infinite=infinite,
        mutual_information_change=sum(abs(old - new) for old, new in informations) / number,
        sce=sum(_uncertainty(*column.sides) for column in columns),
        columns=len(columns),
        pairs=len(informations),
        of_pairs=len(pairs),
    )


def _quotient(old: float, new: float) -> float:
    return old / new if new else 1.0


def _distance(p: Floats, q: Floats) -> float:
    """Return the Kullback-Leibler distance of q from p."""
    known = p > 0
    if (q[known] == 0).any():
        return inf
    return float((p[known] * np.log2(p[known] / q[known])).sum())


def _uncertainty(old: Side, new: Side) -> float:
    """Return the entropy of the old values given the new ones; unknown is a new value, but not an old one."""
    rows = len(old.nodes)
    if not rows:
        return 0.0
    pairs = _counted(old, new)
    given = np.bincount(pairs.right, weights=pairs.weight, minlength=len(new.own))
    known = pairs.left != UNKNOWN
    weight = pairs.weight[known]
    return float(-(weight * np.log2(weight / given[pairs.right[known]])).sum() / rows)


@dataclass(frozen=True)
class _NodePairs:
    """Different pairs of leaf nodes of two columns, with the rows (or parts of rows) that have each."""

    left: Ints
    right: Ints
    weight: Floats


def _informations(columns: Sequence[ChangedColumn], pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[float, float]]:
    """Yield the mutual information of each pair of columns, before and after."""
    for a, b in pairs:
        (old_a, new_a), (old_b, new_b) = columns[a].sides, columns[b].sides
        before, after = _information(old_a, old_b), _information(new_a, new_b)
        if before is not None and after is not None:
            yield before, after


def _information(a: Side, b: Side) -> float | None:
    """Return the mutual information of two columns among the rows that know both; None if it is too much work."""
    left, right, rows = _node_pairs(a, b)
    known = (left != UNKNOWN) & (right != UNKNOWN)
    left, right, rows = left[known], right[known], rows[known]
    total = int(rows.sum())
    if not total:
        return 0.0
    if int((a.width(left) * b.width(right)).sum()) > MOST_TERMS:
        return None
    pairs = _spread_pairs(a, b, left, right, rows)
    p = pairs.weight / total
    p_left, p_right = np.bincount(pairs.left, weights=p), np.bincount(pairs.right, weights=p)
    found = float((p * np.log2(p / (p_left[pairs.left] * p_right[pairs.right]))).sum())
    if found < DOUBTFUL and _independent(a, b, left, right, rows):
        return 0.0
    return max(found, float(np.finfo(np.float64).tiny))


def _independent(a: Side, b: Side, left: Ints, right: Ints, rows: Ints) -> bool:
    """Whether two columns tell nothing of each other; exact."""
    if not a.rough and not b.rough:
        by_left, by_right = np.bincount(left, weights=rows), np.bincount(right, weights=rows)
        whole = np.count_nonzero(by_left) * np.count_nonzero(by_right) == len(rows)
        of_left, of_right = by_left[left].astype(np.int64), by_right[right].astype(np.int64)
        return whole and bool((rows * int(rows.sum()) == of_left * of_right).all())
    joint: dict[tuple[int, int], Fraction] = {}
    by_a: dict[int, Fraction] = {}
    by_b: dict[int, Fraction] = {}
    for one, other, count in zip(left.tolist(), right.tolist(), rows.tolist(), strict=True):
        for leaf in a.spread(np.array([one]))[1].tolist():
            for partner in b.spread(np.array([other]))[1].tolist():
                weight = count * a.exact_share(leaf, one) * b.exact_share(partner, other)
                joint[leaf, partner] = joint.get((leaf, partner), Fraction(0)) + weight
                by_a[leaf] = by_a.get(leaf, Fraction(0)) + weight
                by_b[partner] = by_b.get(partner, Fraction(0)) + weight
    total = int(rows.sum())
    return all(joint.get((x, y), Fraction(0)) * total == by_a[x] * by_b[y] for x in by_a for y in by_b)


def _counted(a: Side, b: Side) -> _NodePairs:
    return _spread_pairs(a, b, *_node_pairs(a, b))


def _node_pairs(a: Side, b: Side) -> tuple[Ints, Ints, Ints]:
    """Return the different pairs of nodes, and the rows that have each."""
    size = len(b.own)
    key = a.nodes.astype(np.int64) * size + b.nodes
    if len(a.own) * size <= DENSE:
        counts = np.bincount(key, minlength=1)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = np.unique(key, return_counts=True)
    return found // size, found % size, counts.astype(np.int64)


def _spread_pairs(a: Side, b: Side, left: Ints, right: Ints, rows: Ints) -> _NodePairs:
    """Spread pairs of nodes over the values that they stand for; a pair without weight is left out."""
    if not a.rough and not b.rough:
        return _NodePairs(left, right, rows.astype(np.float64))
    whose, left, share = a.spread(left)
    right, weight = right[whose], rows[whose] * share
    whose, right, share = b.spread(right)
    size = len(b.own)
    found, place = np.unique(left[whose] * size + right, return_inverse=True)
    total = np.bincount(place.reshape(-1), weights=weight[whose] * share, minlength=len(found))
    some = total > 0
    return _NodePairs(found[some] // size, found[some] % size, total[some].astype(np.float64))
