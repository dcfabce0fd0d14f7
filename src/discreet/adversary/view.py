"""What an adversary sees: the released texts of the class and of the predictors, and what each text stands for.

Every column is a tree of values whose root tells nothing: the taxonomy of the column, or simply all its values under
one root. A released text is a node of it: the root (the marker, a missing value), a leaf (a value) or a group between.
The leaves in their order are the domain of the column.

A column that a group requirement knows, or that is released by intervals for the sake of confidential cells, has been
recoded: its released texts (groups, intervals, sets) are values like any others, for nothing more precise is released.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import Scale
from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Ints
from discreet.fit.cells import is_missing, predictors_of
from discreet.policy import Policy
from discreet.policy.bind import recoded
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine

UNKNOWN = 0
"""The root of every tree."""
Flags = npt.NDArray[np.bool_]
Domain = Sequence[str | None]


@dataclass(frozen=True)
class Tree:
    """The values of a column; node 0, the root, has children. Nodes come after their parents.

    Parameters
    ----------
    domain
        The values, in order.
    parent
        Of each node; -1 for the root.
    first, stop
        Which leaves stand under each node: `domain[first:stop]`.
    node_of
        The node that each text stands for; all others tell nothing.
    """

    domain: tuple[str | None, ...]
    parent: Ints
    first: Ints
    stop: Ints
    node_of: Mapping[str | None, int]

    @cached_property
    def children(self) -> Ints:
        """How many children each node has."""
        return np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int64)

    @cached_property
    def leaf_of(self) -> Ints:
        """The place in the domain of each node; -1 for groups."""
        return np.where(self.children == 0, self.first, -1)

    @cached_property
    def depth(self) -> Ints:
        """How far each node is from the root."""
        depth = np.zeros(len(self.parent), dtype=np.int64)
        above = self.parent
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parent[above], -1)
        return depth

    def paths(self, nodes: Ints, top: Ints | None = None) -> Ints:
        """Return for each node the nodes from just below `top` (the root when absent) down to it; -1 fills up."""
        above = np.zeros_like(nodes) if top is None else top
        length = self.depth[nodes] - self.depth[above]
        paths = np.full((len(nodes), int(length.max(initial=0))), -1, dtype=np.int64)
        at = nodes.copy()
        for step in range(paths.shape[1]):
            going = length > step
            paths[going, length[going] - 1 - step] = at[going]
            at[going] = self.parent[at[going]]
        return paths

    def summed(self, counts: Ints) -> Ints:
        """Return counts (by node on the last axis) with those of all nodes below added to each."""
        total = counts.copy()
        by_node = np.moveaxis(total, -1, 0)
        for level in range(int(self.depth.max()), 0, -1):
            nodes = np.flatnonzero(self.depth == level)
            np.add.at(by_node, self.parent[nodes], by_node[nodes])
        return total

    def covers(self, nodes: Ints) -> Flags:
        """Say which values of the domain stand under each node."""
        places = np.arange(len(self.domain))
        under: Flags = (self.first[nodes, None] <= places) & (places < self.stop[nodes, None])
        return under


def flat_tree(domain: Domain) -> Tree:
    """Return the tree of values that belong to no groups."""
    size = len(domain)
    return Tree(
        tuple(domain),
        np.array([-1] + [0] * size, dtype=np.int64),
        np.array([0, *range(size)], dtype=np.int64),
        np.array([size, *range(1, size + 1)], dtype=np.int64),
        {value: place + 1 for place, value in enumerate(domain)},
    )


def tree_of(taxonomy: Taxonomy, others: Domain = ()) -> Tree:
    """Return the tree of a taxonomy; `others` are values that it lacks, which belong to no group."""
    if not taxonomy.nodes[0].children:
        return flat_tree([*taxonomy.leaves, *others])
    leaves, size = len(taxonomy.leaves), len(taxonomy.nodes)
    extra = range(leaves, leaves + len(others))
    first = [node.first for node in taxonomy.nodes]
    stop = [leaves + len(others), *(node.stop for node in taxonomy.nodes[1:])]
    node_of: dict[str | None, int] = {
        label: place for place, node in enumerate(taxonomy.nodes) if place for label in node.labels
    }
    node_of.update({value: size + place for place, value in enumerate(others)})
    return Tree(
        (*taxonomy.leaves, *others),
        np.array([-1 if node.parent is None else node.parent for node in taxonomy.nodes] + [0] * len(others)),
        np.array([*first, *extra], dtype=np.int64),
        np.array([*stop, *(place + 1 for place in extra)], dtype=np.int64),
        node_of,
    )


@dataclass(frozen=True)
class Seen:
    """A column as released: its tree, and the node that each row's text stands for."""

    name: str
    tree: Tree
    nodes: npt.NDArray[np.int32] | Ints
    numbers: npt.NDArray[np.float64] | None = None
    """The number of each node, where the values are numbers or dates; see `numbers_of`."""


def numbers_of(tree: Tree, scale: Scale) -> npt.NDArray[np.float64] | None:
    """Return the number that each node of a column of numbers (or days) is, for a learner that asks for thresholds.

    A group is the mean of its values. What is unknown is a number below all others, as far below the smallest as the
    largest is above it, and one more: so a threshold can tell it from every number. None where a value is no number, or
    too large for single precision, in which such learners compare: then values are told apart only by being equal.
    """
    read = [scale.read(value) for value in tree.domain]
    if not read or any(value is None for value in read):
        return None
    leaves = np.array([float(value) for value in read if value is not None])
    if not (np.abs(leaves) < 2.0**125).all():
        return None
    spans = zip(tree.first.tolist(), tree.stop.tolist(), strict=True)
    numbers = np.array([math.fsum(leaves[first:stop]) / (stop - first) for first, stop in spans])
    numbers[UNKNOWN] = leaves.min() - (leaves.max() - leaves.min()) - 1
    return numbers


@dataclass(frozen=True)
class Lines:
    """What is known of each cell to guess: its class (the root, or a group above it) and its predictors, as nodes."""

    places: Ints
    """The row of the release that each is about (from 0): it does not train."""
    levels: Ints
    nodes: Ints
    """One column for each predictor."""

    def __len__(self) -> int:
        return len(self.levels)

    def at(self, which: Ints | slice) -> Lines:
        """Return only some of the lines."""
        return Lines(self.places[which], self.levels[which], self.nodes[which])

    def distinct(self) -> tuple[Lines, Ints]:
        """Return each different line once (about the first row that has it), and which of them each line is."""
        if not len(self):
            return self, np.empty(0, dtype=np.int64)
        both = np.column_stack([self.levels, self.nodes])
        _, first, which = np.unique(both, axis=0, return_index=True, return_inverse=True)
        return self.at(first), which.reshape(-1)


def joined(lines: Sequence[Lines]) -> Lines:
    """Return all lines after each other; at least one list of them."""
    return Lines(
        np.concatenate([some.places for some in lines]),
        np.concatenate([some.levels for some in lines]),
        np.concatenate([some.nodes for some in lines]),
    )


@dataclass(frozen=True)
class View:
    """A released table as the adversary of one `Confidential` sees it."""

    classes: Seen
    predictors: tuple[Seen, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.classes.nodes)

    @cached_property
    def training(self) -> Ints:
        """The rows with a known class."""
        return np.flatnonzero(self.classes.tree.leaf_of[self.classes.nodes] >= 0)

    @cached_property
    def training_classes(self) -> Ints:
        """The class of each of these, by its place in the domain."""
        return self.classes.tree.leaf_of[self.classes.nodes[self.training]]

    @property
    def tells_roughly(self) -> bool:
        """Whether a group is released as the class of some row."""
        groups = (self.classes.tree.leaf_of < 0) & (np.arange(len(self.classes.tree.parent)) != UNKNOWN)
        return bool(groups[self.classes.nodes].any())

    def lines(self, places: Ints) -> Lines:
        """Return what is released of some rows."""
        nodes = [seen.nodes[places].astype(np.int64) for seen in self.predictors]
        stacked = np.column_stack(nodes) if nodes else np.empty((len(places), 0), dtype=np.int64)
        return Lines(places, self.classes.nodes[places].astype(np.int64), stacked)

    def hiding(self, places: Ints) -> View:
        """Return the same table with the class of some rows hidden."""
        nodes = self.classes.nodes.copy()
        nodes[places] = UNKNOWN
        return replace(self, classes=replace(self.classes, nodes=nodes))


def domain_of(original: Engine, policy: Policy, column: str) -> tuple[str | None, ...]:
    """Return the values of a column in order: as in its taxonomy, else those of the original by code points."""
    known = [value for value in original.domain(column) if not is_missing(policy, value)]
    taxonomy = policy.column(column).taxonomy
    if taxonomy is None:
        return tuple(known)
    strange = set(known) - set(taxonomy.leaves)
    return (*taxonomy.leaves, *(value for value in known if value in strange))


def see(
    released: Engine,
    policy: Policy,
    requirement: Confidential,
    original: Engine,
    columns: Sequence[str] | None = None,
) -> View:
    """Return the release as an adversary of a `Confidential` sees it; the original tells which values there are.

    `columns` are those that this adversary knows; the predictors when absent.
    """
    predictors = predictors_of(requirement, policy, released.columns) if columns is None else columns
    return look(released, policy, requirement.column, predictors, original)


def look(released: Engine, policy: Policy, target: str, predictors: Sequence[str], original: Engine) -> View:
    """Return the release as who wants to know `target` from `predictors` sees it."""
    coarser = recoded(policy)

    def seen(column: str) -> Seen:
        domain = () if column in coarser else domain_of(original, policy, column)
        return see_column(released, policy, column, domain, taxonomic=column not in coarser)

    return View(seen(target), tuple(seen(column) for column in predictors))


def see_column(released: Engine, policy: Policy, column: str, domain: Domain, *, taxonomic: bool = True) -> Seen:
    """Return a released column; texts that are neither in the domain nor labels are values at its end."""
    encoded = released.encoded(column)
    known = [text for text in encoded.domain if not is_missing(policy, text)]
    taxonomy = policy.column(column).taxonomy if taxonomic else None
    if taxonomy is None:
        tree = flat_tree(_with(domain, known))
    else:
        labels = {label for node in taxonomy.nodes for label in node.labels}
        beyond = [value for value in domain if value not in labels]
        tree = tree_of(taxonomy, _with(beyond, [text for text in known if text not in labels]))
    nodes = [UNKNOWN if is_missing(policy, text) else tree.node_of.get(text, UNKNOWN) for text in encoded.domain]
    scale = policy.column(column).scale
    return Seen(
        column,
        tree,
        np.array(nodes, dtype=np.int32)[encoded.codes] if nodes else np.empty(0, dtype=np.int32),
        None if scale is None else numbers_of(tree, scale),
    )


def _with(domain: Iterable[str | None], texts: Iterable[str | None]) -> list[str | None]:
    return list(dict.fromkeys([*domain, *texts]))
