"""The nodes of a value tree: values and groups of values, each a range of the leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaxonomyNode:
    """A value or a group of values: `leaves[first:stop]` of its taxonomy.

    Parameters
    ----------
    label
        The text that stands for its values in a release.
    first, stop
        The range of its leaves.
    children
        Positions in `Taxonomy.nodes`; none for a leaf, otherwise at least two.
    parent
        Position in `Taxonomy.nodes`; None for the root.
    dropped
        Labels that cover the same leaves and are not used, from the lowest up. They stand above the label;
        for a root with children, whose own label is the one kept, below it.
    """

    label: str
    first: int
    stop: int
    children: tuple[int, ...]
    parent: int | None
    dropped: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels for these leaves, kept or dropped, from the lowest up."""
        if self.parent is None and self.children:
            return (*self.dropped, self.label)
        return (self.label, *self.dropped)


def grown(root: str, children: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], tuple[TaxonomyNode, ...]]:
    """Return the leaves and the nodes, in preorder, of a tree, with nodes of one child contracted."""
    leaves: list[str] = []
    nodes: list[TaxonomyNode | None] = []

    def add(label: str, parent: int | None) -> int:
        chain, below = [label], children.get(label, ())
        while len(below) == 1:
            chain.append(below[0])
            below = children.get(below[0], ())
        # The root keeps its own label, which says "anything"; the others keep the one that says most.
        keeps_upper = parent is None and bool(below)
        label, *dropped = chain if keeps_upper else reversed(chain)
        position, first = len(nodes), len(leaves)
        nodes.append(None)
        if not below:
            leaves.append(label)
        places = tuple([add(child, position) for child in below])
        lowest_first = tuple(reversed(dropped) if keeps_upper else dropped)
        nodes[position] = TaxonomyNode(label, first, len(leaves), places, parent, lowest_first)
        return position

    add(root, None)
    return tuple(leaves), tuple(node for node in nodes if node is not None)
