"""Groups of values on several levels, and the taxonomy they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from discreet.columns.taxonomy import Taxonomy
from discreet.columns.taxonomy_draft import MOST_LEAVES
from discreet.errors import InputError

NOT_IN_ANY = -1
FILL_FREELY, FILL_TIMES, FILL_MOST = 1_000, 4, 100_000
"""Values that do not occur are listed up to so many in all, or up to so many times those that do."""


class Fill(Enum):
    """Which values that do not occur are listed too, so that no group has a single member by chance."""

    NONE = "none"
    ENDS = "ends"
    ALL = "all"


@dataclass(frozen=True)
class GroupLevel:
    """Groups of values: for each value the place of its group in `labels`, or `NOT_IN_ANY`."""

    name: str
    groups: Sequence[int]
    labels: Sequence[str]


@dataclass(frozen=True)
class ProposedGroups:
    """Values in order with their groups, the smallest groups first; each is part of one group of the next level.

    `strays` are values of another kind, `stray_name` says what they are; `filled` which values do not all occur.
    """

    values: Sequence[str]
    levels: Sequence[GroupLevel]
    strays: Sequence[str] = ()
    stray_name: str = ""
    filled: Fill = Fill.NONE

    def without(self, values: frozenset[str]) -> ProposedGroups:
        """Return the same groups without some values."""
        if values.isdisjoint(self.values):
            return self
        kept = [place for place, value in enumerate(self.values) if value not in values]
        levels = [replace(level, groups=[level.groups[place] for place in kept]) for level in self.levels]
        return replace(self, values=[self.values[place] for place in kept], levels=levels)

    def taxonomy(self, missing: Sequence[str], root: str) -> Taxonomy:
        """Return the tree; signs of missing values and strays stand beside the branches."""
        beside = [("missing", missing), (self.stray_name, self.strays)]
        if len(self.values) + len(missing) + len(self.strays) > MOST_LEAVES:
            raise InputError(f"a taxonomy has at most {MOST_LEAVES:,} values, and this one would have more")
        names = _Names({*self.values, *missing, *self.strays, root})
        named = [[names.new(label) for label in level.labels] for level in reversed(self.levels)][::-1]
        columns = [
            [NOTHING if group == NOT_IN_ANY else labels[group] for group in level.groups]
            for level, labels in zip(self.levels, named, strict=True)
        ]
        rows = zip(self.values, *columns, strict=True)
        paths = [[*(label for label in row if label), root] for row in rows]
        for name, values in beside:
            above = [names.new(name), root] if len(values) > 1 else [root]
            paths += [[value, *above] for value in values]
        return Taxonomy.from_paths(paths)


NOTHING = ""
"""No label: the value has no group on this level."""


class _Names:
    """Gives every group a label of its own, which is none of the values."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def new(self, label: str) -> str:
        found = next(name for name in _variants(label) if name not in self._taken)
        self._taken.add(found)
        return found


def _variants(label: str) -> Iterator[str]:
    yield label
    yield f"{label} (group)"
    number = 2
    while True:
        yield f"{label} (group {number})"
        number += 1


def may_fill(size: int, distinct: int) -> bool:
    """Whether so many values may be listed where so many occur."""
    return size <= min(max(FILL_FREELY, FILL_TIMES * distinct), FILL_MOST)


def thinned(steps: Sequence[int], wanted: int | None) -> list[int]:
    """Return so many of the steps, evenly chosen; all when nothing was wanted.

    >>> thinned([5, 10, 20], 1), thinned([5, 10, 20], 2), thinned([5, 10, 20], None), thinned([5, 10], 0)
    ([10], [5, 20], [5, 10, 20], [])
    """
    if wanted is None:
        return list(steps)
    if wanted <= 1:
        return [steps[len(steps) // 2]] if wanted and steps else []
    return [steps[round(place * (len(steps) - 1) / (wanted - 1))] for place in range(wanted)]


def refuse_levels(wanted: int | None, possible: int, what: str) -> None:
    """Refuse more levels than there can be."""
    if wanted is not None and wanted > possible:
        levels = "1 level" if possible == 1 else f"{possible} levels"
        raise InputError(f"levels: the column allows at most {levels} of {what}, not {wanted}")
