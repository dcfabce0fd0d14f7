"""A changeable column whose values are released as nodes of a taxonomy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.columns.sets import set_text
from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Ints
from discreet.method.base.space import Flags, Node, Space
from discreet.plan.local_groups import Label
from discreet.plan.parts import Recoding
from discreet.planning.changeable import Domain, as_parts
from discreet.policy.matrices import Matrix

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts


@dataclass(frozen=True)
class TreeColumn:
    """Values are released as nodes of a taxonomy; missing values that it does not know stand beside its branches."""

    name: str
    taxonomy: Taxonomy
    domain: Domain
    missing: Domain
    apart: Matrix | None = None
    """How bad it is not to tell a value from another; equally bad for all when absent."""
    rows: tuple[int, ...] = ()
    """Rows with each value of the domain; needed with `apart`."""

    @cached_property
    def space(self) -> Space:
        """The missing values first, then the leaves."""
        space = self._tree
        if self.apart is None:
            return space
        shares = tuple(self._shares(node) for node in space.nodes)
        rows = [0] * space.size
        for code, n in zip(self.codes.tolist(), self.rows, strict=True):
            rows[code] += n
        nodes = tuple(
            replace(node, share=_mean(shares[place][node.first : node.stop], rows[node.first : node.stop]))
            for place, node in enumerate(space.nodes)
        )
        return replace(space, nodes=nodes, shares=shares)

    def _shares(self, node: Node) -> tuple[Fraction, ...]:
        """Return what each code loses when only a node above it is known; 0 for codes that are not under it."""
        inside = set(range(node.first, node.stop))
        return tuple(self._lost(code, inside) if code in inside else Fraction(0) for code in range(len(self._values)))

    def _lost(self, code: int, together: Collection[int]) -> Fraction:
        """Return what a value loses when it cannot be told from some others, beside what it can lose at all."""
        apart = self._apart[code]
        most = sum(apart, Fraction(0))
        return sum((apart[other] for other in together), Fraction(0)) / most if most else Fraction(0)

    @cached_property
    def _apart(self) -> list[list[Fraction]]:
        assert self.apart is not None
        return [[self.apart.cost(one, other) for other in self._values] for one in self._values]

    @cached_property
    def _values(self) -> Domain:
        return (*self.missing, *self.taxonomy.leaves)

    @property
    def _tree(self) -> Space:
        extra = len(self.missing)
        size = extra + len(self.taxonomy.leaves)
        most = max(size - 1, 1)
        nodes = [
            Node(
                node.first + extra,
                node.stop + extra,
                node.children,
                Fraction(node.stop - node.first - 1, most),
            )
            for node in self.taxonomy.nodes
        ]
        if extra:
            ours = range(len(nodes), len(nodes) + extra)
            above = nodes[0].children or (len(nodes) + extra,)
            nodes += [Node(code, code + 1) for code in range(extra)]
            if not nodes[0].children:  # a taxonomy of one value is that value beside the missing ones
                nodes.append(Node(extra, size))
            nodes[0] = Node(0, size, (*ours, *above), Fraction(size - 1, most))
        return Space(size, tuple(nodes), np.zeros(size, dtype=np.bool_))

    @cached_property
    def codes(self) -> Ints:
        """The places of the table's values among the missing values and leaves."""
        places = {value: place for place, value in enumerate(self._values)}
        return np.array([places[value] for value in self.domain], dtype=np.int64)

    def codes_of(self, values: Sequence[str | None]) -> Ints:
        """Return their places; none for a value that neither the table nor the taxonomy has."""
        places = {value: place for place, value in enumerate(self._values)}
        return np.array([places.get(value, -1) for value in values], dtype=np.int64)

    @property
    def pinned(self) -> Flags:
        """None."""
        return np.zeros(len(self.missing) + len(self.taxonomy.leaves), dtype=np.bool_)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:  # noqa: ARG002
        """Return the label of the node."""
        return self._label(slot, first), "specialise"

    def cut(self, slot: int) -> None:
        """Nothing is cut."""

    def losses(self, recoding: Recoding) -> list[float]:
        """Return (m - 1)/(D - 1) where m of the D leaves have the same text."""
        to = dict(recoding.to)
        if self.apart is not None:
            alike: dict[str | None, list[int]] = {}
            for code, value in enumerate(self._values):
                alike.setdefault(to[value], []).append(code)
            return [
                float(self._lost(code, alike[to[value]]))
                for code, value in zip(self.codes.tolist(), self.domain, strict=True)
            ]
        together = Counter(to.values())
        return [(together[to[value]] - 1) / max(len(to) - 1, 1) for value in self.domain]

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:  # noqa: ARG002
        """Return the label of the node for each value, those included that do not occur."""
        to = [
            (self._values[code], self._label(node, first))
            for first, stop, node in as_parts(found)
            for code in range(first, stop)
        ]
        return Recoding(self.name, tuple(to))

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the nodes that are not single values."""
        for first, stop, node in as_parts(found):
            if stop - first > 1:
                yield first, self._label(node, first)

    @property
    def values_of_codes(self) -> Domain:
        """The missing values and leaves."""
        return self._values

    def label(self, first: int, stop: int) -> Label:
        """Return the label of the node."""
        return Label(self._label(self.space.node_at[first, stop], first), first, stop)

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the set, or the node where there is one with just these values."""
        first, stop = codes[0], codes[-1] + 1
        if stop - first == len(codes) and (first, stop) in self.space.node_at:
            return self.label(first, stop)
        return Label(set_text([self._values[code] for code in codes]), first, stop, tuple(codes))

    def _label(self, node: int, first: int) -> str | None:
        if node == 0 and self.missing:
            return self.taxonomy.nodes[0].labels[-1]
        if first < len(self.missing):
            return self.missing[first]
        return self.taxonomy.leaves[-1] if node >= len(self.taxonomy.nodes) else self.taxonomy.nodes[node].label


def _mean(shares: Sequence[Fraction], rows: Sequence[int]) -> Fraction:
    """Return the mean share by rows; the plain mean where there are none."""
    weights = rows if any(rows) else [1] * len(rows)
    return sum((share * n for share, n in zip(shares, weights, strict=True)), Fraction(0)) / max(sum(weights), 1)
