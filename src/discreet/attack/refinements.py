"""What a global recoding could have shown and did not: one more value, node or end of one column.

Read from the release and the known values of its people, as an adversary does who has an outside table of them; no
plan is needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from discreet.adversary.view import Flags
from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Encoded, Ints
from discreet.policy.columns import Column


@dataclass(frozen=True)
class ShownColumn:
    """A recoded column: the values of the people, what is released for each, and whose rows were masked.

    Parameters
    ----------
    name, column, marker
        The column, what the policy says of it, and the text that tells nothing.
    domain, values
        The values of the original, and which of them each row has.
    texts, released
        The released texts, and which of them each row has.
    """

    name: str
    column: Column | None
    marker: str
    domain: tuple[str | None, ...]
    values: Ints
    texts: tuple[str | None, ...]
    released: Ints

    @property
    def text_of(self) -> Ints | None:
        """The text that stands for each value (-1: no row has it); None if one value has several."""
        pairs = np.unique(self.values * len(self.texts) + self.released)
        marked = np.array([text == self.marker for text in self.texts], dtype=np.bool_)
        value, text = pairs // len(self.texts), pairs % len(self.texts)
        found = np.full(len(self.domain), -1, dtype=np.int64)
        found[value[marked[text]]] = text[marked[text]]
        plain = ~marked[text]
        if len(np.unique(value[plain])) < plain.sum():
            return None
        found[value[plain]] = text[plain]
        return found

    def masked(self, text_of: Ints) -> Flags:
        """Say which rows are hidden although their values are not."""
        other: Flags = self.released != text_of[self.values]
        return other

    def refinements(self, text_of: Ints) -> Iterator[tuple[int, Ints]]:
        """Yield each text that could be split, and the part that each value would belong to (-1: not below it)."""
        for text in range(len(self.texts)):
            below = np.flatnonzero(text_of == text)
            if len(below) > 1:
                for parts in self._splits(text, below):
                    yield text, parts

    def _splits(self, text: int, below: Ints) -> Iterator[Ints]:
        scale = None if self.column is None else self.column.scale
        if scale is not None and self.column is not None:
            read = [scale.read(value) if value is not None else None for value in self.domain]
            ends = self.column.end_points
            yield from _cuts(read, ends, below, len(self.domain))
        elif self.column is not None and self.column.taxonomy is not None:
            parts = _children(self.column.taxonomy, self.texts[text], self.marker, self.domain, below)
            if parts is not None:
                yield parts
        elif self.texts[text] == self.marker:
            yield from _single_values(below, len(self.domain))


def shown(
    name: str, column: Column | None, marker: str, original: Encoded, places: Ints, released: Encoded
) -> ShownColumn:
    """Return a column as released beside the values of the same rows in the original (by place)."""
    values, texts = original.codes[places].astype(np.int64), released.codes.astype(np.int64)
    return ShownColumn(name, column, marker, tuple(original.domain), values, tuple(released.domain), texts)


def _cuts(read: list[Decimal | None], ends: Sequence[Decimal] | None, below: Ints, size: int) -> Iterator[Ints]:
    """Yield an interval cut at each place where it may be: before each value, or at the ends that are allowed."""
    numbers = {code: number for code in below.tolist() if (number := read[code]) is not None}
    different = sorted(set(numbers.values()))
    allowed = different[1:]
    if ends is not None:
        allowed = [end for end in ends if different and different[0] < end <= different[-1]]
    for cut in allowed:
        parts = np.full(size, -1, dtype=np.int64)
        for code, number in numbers.items():
            parts[code] = int(number >= cut)
        yield parts


def _children(
    taxonomy: Taxonomy, text: str | None, marker: str, domain: tuple[str | None, ...], below: Ints
) -> Ints | None:
    """Return which child of the node with a text each value stands under; None if that tells nothing apart."""
    place_of = {leaf: place for place, leaf in enumerate(taxonomy.leaves)}
    if any(domain[code] not in place_of for code in below.tolist()):
        return None
    leaves = np.array([place_of[str(domain[code])] for code in below.tolist()], dtype=np.int64)
    at = next((place for place, node in enumerate(taxonomy.nodes) if text in node.labels), 0 if text == marker else -1)
    while at >= 0 and taxonomy.nodes[at].children:
        children = taxonomy.nodes[at].children
        firsts = np.array([taxonomy.nodes[child].first for child in children], dtype=np.int64)
        which = np.searchsorted(firsts, leaves, side="right") - 1
        different, part = np.unique(which, return_inverse=True)
        if len(different) > 1:
            parts = np.full(len(domain), -1, dtype=np.int64)
            parts[below] = part.reshape(-1)
            return parts
        at = children[int(different[0])]
    return None


def _single_values(below: Ints, size: int) -> Iterator[Ints]:
    """Yield each hidden value told from all other hidden ones."""
    for code in below.tolist():
        parts = np.full(size, -1, dtype=np.int64)
        parts[below] = 1
        parts[code] = 0
        yield parts
