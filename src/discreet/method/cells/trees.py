"""The values of a column as a tree: the root is the unknown value, the leaves are the domain in its order.

A column without a taxonomy is a tree of one level. Nodes are numbered in preorder, so that all that is below a node
follows it at once: node n covers m if n <= m < end[n].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ValueTree:
    """A tree of values; `texts[n]` are the names of node n (the first is released), none for a root without a name."""

    texts: tuple[tuple[str, ...], ...]
    parent: Nodes
    """The node above each, -1 above the root."""

    @cached_property
    def end(self) -> Nodes:
        """The first node after all that is below each node."""
        end = np.arange(1, len(self.parent) + 1, dtype=np.int32)
        for node in range(len(self.parent) - 1, 0, -1):
            above = self.parent[node]
            end[above] = max(end[above], end[node])
        return end

    @cached_property
    def depth(self) -> Nodes:
        """How many levels each node can be generalised."""
        depth = np.zeros(len(self.parent), dtype=np.int32)
        for node in range(1, len(self.parent)):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @cached_property
    def children(self) -> Nodes:
        """The number of nodes directly below each."""
        return np.bincount(self.parent[1:], minlength=len(self.parent)).astype(np.int32)

    @cached_property
    def leaves(self) -> Nodes:
        """The nodes with nothing below them, in order."""
        leaves = np.flatnonzero(self.children == 0).astype(np.int32)
        return leaves[leaves > 0]  # a root alone has no values

    def place_of(self) -> dict[str, int]:
        """Return the node of each text."""
        return {text: node for node, texts in enumerate(self.texts) for text in texts}


def flat(values: Iterable[str]) -> ValueTree:
    """Return the tree of a column without a taxonomy.

    >>> flat(["a", "b"]).parent
    array([-1,  0,  0], dtype=int32)
    """
    texts = ((), *((value,) for value in values))
    parent = np.zeros(len(texts), dtype=np.int32)
    parent[0] = -1
    return ValueTree(texts, parent)


def from_nested(nested: Mapping[str, object]) -> ValueTree:
    """Return the tree written as nested fields, under a root without a name.

    >>> tree = from_nested({"A": {"a1": {}, "a2": {}}, "b": {}})
    >>> [texts[0] for texts in tree.texts[1:]], tree.parent.tolist()
    (['A', 'a1', 'a2', 'b'], [-1, 0, 1, 1, 0])
    """
    texts: list[tuple[str, ...]] = [()]
    parent = [-1]

    def add(above: int, below: Mapping[str, object]) -> None:
        for label, further in below.items():
            texts.append((label,))
            parent.append(above)
            if isinstance(further, Mapping):
                add(len(texts) - 1, further)

    add(0, nested)
    return ValueTree(tuple(texts), np.array(parent, dtype=np.int32))


def coded(values: Sequence[str | None], tree: ValueTree, unknown: Iterable[str | None]) -> Nodes:
    """Return the node of each value; those that are unknown are the root.

    >>> coded(["b", None], flat(["a", "b"]), [None]).tolist()
    [2, 0]
    """
    places, hidden = tree.place_of(), set(unknown)
    return np.array([0 if value in hidden or value is None else places[value] for value in values], dtype=np.int32)
