"""What a changeable column is: how its values may be released, and how its recodings are named.

Between the table's words (texts, taxonomy labels, intervals) and the method's (codes, nodes, slots): a
`Changeable` gives the method a `Space` and turns what it found back into recodings, steps and reasons.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from discreet.encoded import Ints
from discreet.method.base.space import Flags, Space
from discreet.plan.local_groups import Label
from discreet.plan.parts import Recoding

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts


Domain = tuple[str | None, ...]


class Changeable(Protocol):
    """One column that may be changed."""

    @property
    def name(self) -> str:
        """The column."""
        ...

    @property
    def domain(self) -> Domain:
        """The values of the table."""
        ...

    @property
    def space(self) -> Space:
        """What a method may disclose of it."""
        ...

    @property
    def codes(self) -> Ints:
        """The code in the space of each value of the table, in the order of the table's domain."""
        ...

    def codes_of(self, values: Sequence[str | None]) -> Ints:
        """Return the code of each value of a population; -1 where the value may be released with no text of the space.

        Whatever is disclosed, the text of the code covers the value.
        """
        ...

    @property
    def pinned(self) -> Flags:
        """Which codes already are the marker."""
        ...

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:
        """Return what a disclosure opens, and its kind: disclose, specialise or split."""
        ...

    def cut(self, slot: int) -> str | None:
        """Return where a disclosure cuts an interval; None when it does something else."""
        ...

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:
        """Return the recoding that was found; no row with a code in the parts that begin at `empty` is kept."""
        ...

    def losses(self, recoding: Recoding) -> list[float]:
        """Return what a cell with each value of the table loses, from 0 to 1."""
        ...

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield first code and name of each part that is not told in full."""
        ...

    @property
    def values_of_codes(self) -> Domain:
        """The value of each code, written in one way."""
        ...

    def label(self, first: int, stop: int) -> Label:
        """Return the label of a group of rows with codes from `first` up to `stop`, a node or interval of them."""
        ...

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the label of a group of rows with these codes (ascending), where labels may be sets."""
        ...


def as_parts(found: Flags | Parts) -> Parts:
    """Return what was found of a column whose values are told by nodes or intervals: its parts."""
    assert isinstance(found, list)
    return found
