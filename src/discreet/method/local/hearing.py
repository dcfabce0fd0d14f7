"""Whether a local search goes on, and what it hides: too many hidden rows are worse than a search that goes on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.method.base.space import Flags
from discreet.method.local.group_kernels import ItemGroups
from discreet.method.local.group_room import copied, total_loss
from discreet.method.local.items import ItemPart
from discreet.method.local.peeling import PeelingWatch
from discreet.method.local.settling import Settling


class Hearing:
    """Who is asked whether the search over a part goes on, and how many rows (`most`) may be hidden."""

    def __init__(self, part: ItemPart, tell: Callable[[PeelingWatch], bool], most: int) -> None:
        self.part = part
        self.tell = tell
        self.most = most
        self.going = True
        self.whole = int(part.shapes.whole[: len(part.columns)].sum())

    def goes_on(self, watch: PeelingWatch) -> bool:
        """Say how far the search is; return whether it goes on. Once it does not, nobody is asked again."""
        self.going = self.going and self.tell(watch)
        return self.going

    def goes_on_with(self, groups: ItemGroups) -> bool:
        """Whether it goes on with these groups, or because they hide too many rows."""
        return self.goes_on(PeelingWatch(1.0, total_loss(groups))) or self.hides_too_many(groups)

    def hidden(self, groups: ItemGroups) -> Flags:
        """Return which groups tell nothing."""
        used = int(groups.numbers[0])
        hidden = groups.losses[:used, : len(self.part.columns)].sum(axis=1) >= self.whole
        return np.asarray(hidden & (groups.head[:used] >= 0))

    def hides_too_many(self, groups: ItemGroups) -> bool:
        """Whether more rows are hidden than may be."""
        return int(groups.figures[self.hidden(groups).nonzero()[0], 0].sum()) > self.most

    def spare_hidden(self, groups: ItemGroups) -> ItemGroups:
        """Return the groups, hidden rows dealt to others as long as there are too many of them."""
        for g in np.flatnonzero(self.hidden(groups)).tolist():
            if not self.hides_too_many(groups):
                break
            dealt = copied(groups)
            if Settling(self.part, lambda: True).deal(dealt, g):
                groups = dealt
        return groups
