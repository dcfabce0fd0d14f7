"""What a table shows of one column, for requirements that promise something about each of its values, or about all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.policy.columns import Column

Value = str | None


@dataclass(frozen=True)
class SeenColumn:
    """The different values of a column that tell something, and how many rows have each."""

    values: tuple[Value, ...]
    counts: tuple[int, ...]
    rows: int
    """All rows, those of which nothing is known included."""
    column: Column
    """What the policy says of it: how its values are read, which groups they belong to."""
    missing: frozenset[Value] = frozenset()
    """Those of the values that stand for none, where that is a value like any other."""

    @property
    def known(self) -> int:
        """The rows whose value tells something."""
        return sum(self.counts)

    @cached_property
    def different(self) -> tuple[tuple[Value, ...], ...]:
        """The values, those together that say the same: of numbers and dates all texts of one, in ascending order."""
        scale = self.column.scale
        if scale is None:
            return tuple((value,) for value in self.values)
        read = {value: scale.read(value) for value in self.values}
        texts: dict[object, list[Value]] = {}
        for value in sorted(self.values, key=lambda text: (read[text] is None, read[text] or 0)):
            texts.setdefault(value if read[value] is None else read[value], []).append(value)
        return tuple(map(tuple, texts.values()))

    def rows_with(self, values: Sequence[Value]) -> int:
        """Return how many rows have one of some values."""
        return sum(self._counted.get(value, 0) for value in values)

    @cached_property
    def _counted(self) -> dict[Value, int]:
        return dict(zip(self.values, self.counts, strict=True))


SeenOf = Callable[[str], SeenColumn]
"""What the table at hand shows of a column."""


def lines_for(order: Sequence[Sequence[Value]], values: Sequence[Value]) -> npt.NDArray[np.bool_]:
    """Return a line for each of some sets of values: which of the values of a table belong to it."""
    place = {value: at for at, value in enumerate(values)}
    lines = np.zeros((len(order), len(values)), dtype=np.bool_)
    for line, some in zip(lines, order, strict=True):
        line[[place[value] for value in some if value in place]] = True
    return lines
