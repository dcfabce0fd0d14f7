"""A changeable column whose single values are shown or hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.columns.sets import set_text
from discreet.encoded import Ints
from discreet.method.base.space import Flags, Space
from discreet.plan.local_groups import Label
from discreet.plan.parts import Recoding
from discreet.planning.changeable import Domain

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts


@dataclass(frozen=True)
class PlainColumn:
    """Single values are shown or hidden.

    Where a population has values that the table has not, they are one more value, which is never shown.
    """

    name: str
    domain: Domain
    marker: str
    others: bool = False
    """Whether a population has other values."""

    @property
    def space(self) -> Space:
        """One code per value; the last one for all others."""
        return Space(len(self.domain) + self.others)

    @property
    def codes(self) -> Ints:
        """The table's own."""
        return np.arange(len(self.domain))

    @property
    def pinned(self) -> Flags:
        """The value that is the marker, if there is one, and those that the table has not."""
        return np.array([*(value == self.marker for value in self.domain), *[True] * self.others], dtype=np.bool_)

    def codes_of(self, values: Sequence[str | None]) -> Ints:
        """Return the codes; the last one for values that the table has not."""
        places = {value: place for place, value in enumerate(self.domain)}
        return np.array([places.get(value, len(self.domain)) for value in values], dtype=np.int64)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:  # noqa: ARG002
        """Return the value."""
        return self.domain[slot], "disclose"

    def cut(self, slot: int) -> None:
        """Nothing is cut."""

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:  # noqa: ARG002
        """Return shown values as themselves, hidden ones as the marker."""
        pairs = zip(self.domain, found[: len(self.domain)], strict=True)
        return Recoding(self.name, tuple((value, value if shown else self.marker) for value, shown in pairs))

    def losses(self, recoding: Recoding) -> list[float]:
        """Return (m - 1)/(D - 1) where m of the D values are hidden."""
        to = dict(recoding.to)
        hidden = sum(text == self.marker for text in to.values()) + self.others
        values = len(to) + self.others
        lost = (hidden - 1) / (values - 1) if values > 1 else 0.0
        return [lost if to[value] == self.marker else 0.0 for value in self.domain]

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the hidden values."""
        for code, (value, shown) in enumerate(zip(self.domain, found[: len(self.domain)], strict=True)):
            if not shown:
                yield code, value

    @property
    def values_of_codes(self) -> Domain:
        """The table's own."""
        return self.domain

    def label(self, first: int, stop: int) -> Label:
        """Return the value, or the marker for several."""
        if stop - first == 1:
            return Label(self.domain[first], first, stop)
        return Label(self.marker, 0, len(self.domain))

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the set, or the marker where it has all values."""
        if len(codes) in (1, len(self.domain)):
            return self.label(codes[0], codes[-1] + 1)
        text = set_text([self.domain[code] for code in codes])
        return Label(text, codes[0], codes[-1] + 1, tuple(codes))
