"""The ways to make the groups of peeling better: as they are, or with groups by the prices of rows in their place.

Groups that begin better may end worse, or hide more rows than may be. So both are tried where that takes no time, or
where it is not clear beforehand.
"""

from __future__ import annotations

from typing import NamedTuple

from discreet.method.local.group_kernels import ItemGroups
from discreet.method.local.group_room import total_cost
from discreet.method.local.improving import Improving
from discreet.method.local.price_kernels import PricedCells
from discreet.method.local.pricing import FEW_PRICED, MOST_PRICED, priced

LESS = 99
"""Hundredths of what groups of peeling lose: if those by prices lose less, the others are given up without a try."""


class Starts(NamedTuple):
    """Groups to make better, whether they are so already (`done`), and cells that are promising."""

    groups: list[ItemGroups]
    done: bool
    promising: PricedCells | None


def best_way(improving: Improving, *, improve: bool, last: bool) -> ItemGroups:
    """Return the groups made better in the best of the ways; no other groups are tried unless this is the `last` step.

    With `improve` near misses are released and so on, too.
    """
    starts = _by_prices(improving) if last else Starts([improving.groups], False, None)
    promising = starts.promising
    both = len(starts.groups) > 1 and improving.rows <= FEW_PRICED
    made = [
        improving.better(each, improve=improve and not starts.done, last=both, promising=promising)
        for each in starts.groups
    ]
    found = min(made, key=lambda each: each[:2])
    if last and not both and not starts.done:
        found = improving.better(found[2], improve=False, last=True, promising=promising)
    return found[2]


def _by_prices(improving: Improving) -> Starts:
    """Return the groups, after those by the prices of rows where hardly more is lost with these.

    Of many rows whose labels are those of cells the better ones alone, done unless too many are hidden.
    """
    before, part, hearing = improving.groups, improving.part, improving.hearing
    usable = improving.blocks is not None and not improving.predicts and part.least > 1
    found = None
    if usable and improving.rows <= MOST_PRICED and improving.going():
        found = priced(part, improving.levels, before, improving.going)
    if found is None:
        return Starts([before], False, None)
    improving.groups, promising = found
    if not part.told_by_levels:
        improving.dissolve()
        improving.relocate()
    improving.move_cells(promising)
    now, then = (total_cost(groups) for groups in (improving.groups, before))
    if improving.rows <= FEW_PRICED or not (part.told_by_levels and part.counts_rows):
        # They mostly get better than those of peeling when all are made better, so a hundredth more is allowed.
        return Starts([before] if now * 100 >= then * 101 else [improving.groups, before], False, promising)
    ways = [improving.groups]
    if now * 100 >= then * LESS or hearing.hides_too_many(improving.groups):
        improving.groups = before
        improving.move_cells(promising)
        ways.append(improving.groups)
    best = min((improving.better(each, improve=False, last=False) for each in ways), key=lambda way: way[:2])
    return Starts([best[2], before], False, promising) if best[0] else Starts([best[2]], True, promising)
