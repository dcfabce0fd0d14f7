"""How a block is written where hidden cells are released as what they may be (`blocks: told`).

A node of the taxonomy where one fits exactly; one interval for neighbouring classes of numbers or dates; else the set,
`{cook, nurse}`, or, where it has what nobody in the rest has, what it is not: `not {clerk}`. What is written depends on
the rest alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from discreet.columns.scale import Scale
from discreet.columns.sets import set_text
from discreet.planning.blind_reading import OTHER, Element, ReadColumn

SPLIT = {"number": Decimal(0), "date": Decimal(730_120)}
"""Where all values are cut in two when there is no class to cut at: 0, and the first day of 2000."""


@dataclass(frozen=True)
class BlockTexts:
    """The blocks of one column as texts."""

    read: ReadColumn
    scale: Scale | None = None
    parents: Mapping[str, str] | None = None
    """The label above each label of a taxonomy."""

    def text(self, block: Collection[int]) -> str:
        """Return what is released for a cell of which the block is told."""
        elements = self.read.elements
        inside = [element for place, element in enumerate(elements) if place in block]
        if OTHER in inside:
            return "not " + set_text(self._items([each for each in elements if each not in inside]))
        node = self._nodes.get(frozenset(inside))
        if node is not None:
            return node
        items = self._items(inside)
        if self.scale is not None and len(items) == 1 and items[0] is not None:
            return items[0]
        return set_text(items)

    def _items(self, elements: Sequence[Element]) -> list[str | None]:
        """Return elements as the items of a set: neighbouring classes are one interval, or two if they are all."""
        runs: list[list[int]] = []
        for each in elements:
            if isinstance(each, int):
                if runs and runs[-1][-1] == each - 1:
                    runs[-1].append(each)
                else:
                    runs.append([each])
        items: list[str | None] = [text for run in runs for text in self._intervals(run[0], run[-1])]
        return items + [each for each in elements if each is None or isinstance(each, str)]

    def _intervals(self, first: int, last: int) -> list[str]:
        assert self.scale is not None
        cuts = self.read.cuts or ()
        low = self.scale.write(cuts[first - 1]) if first else None
        high = self.scale.write(cuts[last]) if last < len(cuts) else None
        if low is None and high is None:
            middle = self.scale.write(cuts[0] if cuts else SPLIT[self.scale.name])
            return [f"<{middle}", f">={middle}"]
        if low is None:
            return [f"<{high}"]
        return [f">={low}" if high is None else f"[{low}{self.scale.link}{high})"]

    @cached_property
    def _nodes(self) -> dict[frozenset[Element], str]:
        """The labels that no row of the rest has, by what the rest has below them, if that is all there is."""
        parents = self.parents or {}
        here = {each for each in self.read.elements if isinstance(each, str)}
        inner = set(parents.values())
        below: dict[str, set[str]] = {}
        depth: dict[str, int] = {}
        for label in [*parents, *inner]:
            path = [label]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            depth[label] = len(path)
            for above in path[1:]:
                below.setdefault(above, set()).add(label)
        found: dict[frozenset[Element], str] = {}
        for label in sorted(inner & parents.keys() - here, key=lambda each: (depth[each], each)):
            leaves = below[label] - inner
            if leaves <= here:
                found[frozenset(below[label] & here)] = label  # of several, the lowest comes last
        return found


def reads_like_a_block(text: str | None, *, numbers: bool = False) -> bool:
    """Whether a text of the table could be taken for a block.

    >>> reads_like_a_block("{cook}"), reads_like_a_block("not {cook}"), reads_like_a_block("<5", numbers=True)
    (True, True, True)
    """
    if text is None:
        return False
    braces = text.startswith(("{", "not {")) and text.endswith("}")
    return braces or (numbers and (text.startswith(("<", ">")) or (text.startswith("[") and text.endswith(")"))))
