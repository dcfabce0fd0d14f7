"""What becomes of rows that are left over when local recoding has made its groups.

They are a group that breaks a limit. Its items join other groups, as far as these have room for them; what is left
takes in items that others can spare, or is merged with whole groups. Of all ways that were tried the cheapest is taken;
ways that cannot be cheaper, or would take too long, are passed over. Who asks to end it is heard all the time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, SHARE
from discreet.method.base.targets import MAJORITY
from discreet.method.local import gather_kernels, group_kernels, move_kernels, split_kernels
from discreet.method.local.group_kernels import NEVER, ItemGroups
from discreet.method.local.group_room import copied, cost_of, total_cost, undo_room
from discreet.method.local.items import ItemPart

LOOKS_AT_ONCE = 4_000_000
"""Pairs of an item and a group that are looked at before it is asked whether to go on."""
FEW_FIGURES = 16
"""Figures of a group with which a look takes no longer than with one."""
MOST_TOPPED = 5_000_000
"""Pairs of a row that a group lacks for being too small and an item that could come."""
MOST_TRIED = 50_000_000
"""Looks that a way may take which is only tried because it may be better than another, or because of a template."""
REACH, MOST_ORDERS = 24, 4
"""Items before and after one, in how many orders, whose groups may come to it."""
SOON_DONE = 200_000_000
"""Figures that are looked at in about a second: so much is done when it is to end, too, for else rows are hidden."""
MOST_REFUSED = 8
"""Items that fit nowhere until no other is tried any more: such a look goes through all groups."""


@dataclass(frozen=True)
class Settled:
    """The groups with one of them settled, and what all cost.

    Where there is no way to do so, or no time for it, that group is left, maybe with fewer items, at the cost `NEVER`.
    """

    groups: ItemGroups
    cost: int


def looks_at_once(part: ItemPart) -> int:
    """Return how many pairs of an item and a group may be looked at before it is asked whether to go on."""
    figures: int = part.items.figures.shape[1]
    return max(LOOKS_AT_ONCE * FEW_FIGURES // max(figures, FEW_FIGURES), 1)


class Settling:
    """The search for what is to become of groups that break a limit; `go_on` is asked while it takes long.

    `merges` says whether whole groups may come to one.
    """

    def __init__(self, part: ItemPart, go_on: Callable[[], bool], *, merges: bool = True) -> None:
        self.part = part
        self.merges = merges
        self.go_on = go_on
        self.looks = looks_at_once(part)
        self._width = max(part.items.figures.shape[1] // FEW_FIGURES, 1)
        self._grows = not (part.items.goals.kinds != MAJORITY).any()
        """Whether a group costs at least what it does now once others come to it, and what they cost together.

        No row of either loses less then, and none of its rows is judged better among more.
        """

    def settle(self, before: ItemGroups, g: int) -> Settled:
        """Return the groups with `g` settled in the cheapest way; the first of equally cheap ones.

        Where there is none, or no time for it, items join groups near them that have room.
        """
        found = self._cheapest(before, g)
        if found.cost < NEVER:
            return found
        return self._joined_near(copied(before) if found.groups is before else found.groups, g)

    def _cheapest(self, before: ItemGroups, g: int) -> Settled:
        found = self._gathered(before, g)
        groups = copied(before)
        if self.deal(groups, g):
            return self._others_come(before, g, _cheaper(found, groups))
        if self._allowed(groups) and (found.cost == NEVER or self.go_on()):
            # Some have joined others, and the rest is fewer.
            rest = self._gathered(groups, g)
            rest = self._others_come(rest.groups, g, rest)
            found = rest if rest.cost < found.cost or found.cost == NEVER else found
        looks = len(_members(before, g)) * int(before.numbers[0]) * self._width
        if found.cost < NEVER and looks > MOST_TRIED:
            return found
        return self._others_come(before, g, found)

    def _joined_near(self, groups: ItemGroups, g: int) -> Settled:
        """Return the groups with items of `g` in the cheapest group near each that has room; the rest is left in it."""
        part, left = self.part, _members(groups, g)
        orders, places = self._orders
        looks = 2 * len(orders) * REACH * (part.items.codes.shape[1] + part.items.figures.shape[1])
        gather_kernels.join_near(
            part.shapes, part.items, part.limits, groups, g, left[: SOON_DONE // looks], orders, places, REACH,
            part.forbidden,
        )  # fmt: skip
        return self._with_rest(groups, g)

    def _with_rest(self, groups: ItemGroups, g: int) -> Settled:
        """Return the groups, settled if what is left in `g` keeps every limit."""
        done = bool(group_kernels.keeps(groups.figures[g], self.part.limits))
        return _cheaper(Settled(groups, NEVER), groups) if done else Settled(groups, NEVER)

    @cached_property
    def _orders(self) -> tuple[Ints, Ints]:
        """Some orders of all items, by one column after the other first, and where each item stands in each."""
        codes = self.part.items.codes
        columns = codes.shape[1]
        orders = np.stack([
            np.lexsort([codes[:, (c + more) % columns] for more in range(columns)][::-1])
            for c in range(min(len(self.part.columns), MOST_ORDERS))
        ])  # fmt: skip
        places = np.empty_like(orders)
        np.put_along_axis(places, orders, np.arange(orders.shape[1])[None], axis=1)
        return orders, places

    def _gathered(self, before: ItemGroups, g: int) -> Settled:
        """Return the groups with small ones around each item of `g`, where a template makes that worth it."""
        part = self.part
        measures = part.limits.lines[:, MEASURE]
        if (measures > SHARE).any() or not (measures == SHARE).any():
            return Settled(before, NEVER)
        groups, (orders, places) = copied(before), self._orders
        left = _members(groups, g)
        looks = 8 * len(orders) * REACH
        size = max(self.looks // looks, 1)
        soon = len(left) * looks * (part.items.codes.shape[1] + part.items.figures.shape[1]) <= SOON_DONE
        for begin in range(0, len(left), size):
            if not soon and not self.go_on():
                break
            gather_kernels.gather(
                part.shapes, part.items, part.limits, groups, g, left[begin : begin + size], orders, places, REACH,
                part.forbidden,
            )  # fmt: skip
        return self._with_rest(groups, g)

    def _others_come(self, before: ItemGroups, g: int, found: Settled) -> Settled:
        """Return the cheapest of what was found, and of taking in items that others can spare, or whole groups."""
        least = cost_of(before, g) + self._lacking(before.figures[g]) * int(before.losses[g, -1])
        together = max(least, total_cost(before))
        for way, at_least in ((self._top_up, least), (self._merge, together))[: 1 + self.merges]:
            if (found.cost > at_least or not self._grows) and self.go_on():
                groups = copied(before)
                if way(groups, g):
                    found = _cheaper(found, groups)
        return found

    def deal(self, groups: ItemGroups, g: int) -> bool:
        """Deal the items of a group to others, one after the other; whether all have found one.

        Those that have found none are left in it.
        """
        part, left = self.part, _members(groups, g)
        refused: list[int] = []
        size = max(self.looks // max(int(groups.numbers[0]), 1), 1)
        undo = undo_room(part, min(size, len(left)))
        while len(left) and len(refused) < MOST_REFUSED and self.go_on():
            piece = left[:size]
            _link(groups, g, piece)
            if move_kernels.dissolve(
                part.shapes, part.items, part.limits, groups, np.array([g]), NEVER // 4, len(piece), undo
            ):
                left = left[len(piece) :]
            elif len(piece) == 1:
                refused.append(int(piece[0]))
                left = left[1:]
            else:
                size = max(len(piece) // 2, 1)
        rest = np.concatenate([np.array(refused, dtype=np.int64), left])
        _link(groups, g, rest)
        group_kernels.collect(part.shapes, part.items, groups, g)
        return not len(rest) and self._allowed(groups)

    def _top_up(self, groups: ItemGroups, g: int) -> bool:
        part, items = self.part, len(groups.of)
        if (part.least - int(groups.figures[g, 0])) * items > MOST_TOPPED:
            return False
        if self._lacking(groups.figures[g]) * items * self._width > MOST_TRIED:
            return False
        scratch = np.empty(items, dtype=np.int64)
        return bool(split_kernels.top_up(part.shapes, part.items, part.limits, groups, g, part.forbidden, scratch))

    def _merge(self, groups: ItemGroups, g: int) -> bool:
        part = self.part
        while not group_kernels.keeps(groups.figures[g], part.limits):
            if not self.go_on():
                return False
            other = int(split_kernels.best_merge(part.shapes, part.items, part.limits, groups, g, part.forbidden))
            if other < 0:
                return False
            split_kernels.merge(part.shapes, part.items, groups, g, other)
        return True

    def _allowed(self, groups: ItemGroups) -> bool:
        """Whether no group mixes rows that must be told apart."""
        return bool((groups.losses[: groups.numbers[0], -1] < self.part.forbidden).all())

    def _lacking(self, figures: Ints) -> int:
        """Return how many rows without the properties of templates a group lacks at least."""
        lacking = 0
        for rows, line in zip(self.part.limits.rows.tolist(), self.part.limits.lines.tolist(), strict=True):
            if line[MEASURE] == SHARE and line[NUMERATOR]:
                needs = -(-int(figures[line[FIRST]]) * line[DENOMINATOR] // line[NUMERATOR])
                lacking = max(lacking, needs - int(figures[rows]))
        return lacking


def _members(groups: ItemGroups, g: int) -> Ints:
    """Return the items of a group, in the order of its list."""
    members = []
    item = int(groups.head[g])
    while item >= 0:
        members.append(item)
        item = int(groups.next[item])
    return np.array(members, dtype=np.int64)


def _link(groups: ItemGroups, g: int, items: Ints) -> None:
    """Make these items, in this order, the list of a group; what it had before is forgotten."""
    groups.head[g] = items[0] if len(items) else -1
    groups.next[items] = np.append(items[1:], -1)[: len(items)]
    groups.before[items] = np.append(-1, items[:-1])[: len(items)]


def _cheaper(found: Settled, groups: ItemGroups) -> Settled:
    cost = total_cost(groups)
    return Settled(groups, cost) if cost < found.cost else found
