"""The worst group for each promise, counted on released texts and decided by exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import numpy as np

from discreet.encoded import Ints
from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements.any_of import sets_of
from discreet.table.engine import Engine
from discreet.verification import many_sets
from discreet.verification.counting import Counting
from discreet.verification.counting import counted as count_rows
from discreet.verification.figures import GroupFigures
from discreet.verification.findings import Worst


def worst_of(
    table: Engine,
    policy: Policy,
    given: Sequence[str],
    promises: Sequence[GroupPromise],
    counted: Counting = count_rows,
) -> list[Worst | None]:
    """Return the worst group on `given` for the promises of one requirement; None for a table without rows.

    Where any so many of the columns may be known, it is the worst of all sets of them. `counted` counts the groups.
    """
    worst: list[Worst | None] = [None] * len(promises)
    sets = sets_of(given if isinstance(given, tuple) else tuple(given))
    if many_sets.serves(table, sets):
        columns = [*given, *(promise.column for promise in promises if promise.column is not None)]
        read = many_sets.ReadOnce(table, columns)
        table = cast("Engine", read)
        if promises[0].kind == "k-anonymity" and counted is count_rows:  # only rows count: persons may have several
            sets = (sets[read.smallest_in(sets)],)
    for known in sets:
        found = counted(table, policy, known, promises)
        for place, (groups, promise) in enumerate(zip(found, promises, strict=True)):
            before = worst[place]
            surest = _surest(groups)
            if before is None or (len(surest) and _badness(groups, int(surest[0])) > (before.coarse, before.share)):
                worst[place] = _told(groups, surest, known, promise)
    return worst


def worst_group(groups: GroupFigures, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the group with the largest figure, decided by exact fractions."""
    return _told(groups, _surest(groups), given, promise)


def _surest(groups: GroupFigures) -> Ints:
    """Return the places of the groups with the largest figure; none of a table without rows."""
    if not len(groups.rows):
        return np.empty(0, dtype=np.int64)
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    rough = groups.above / np.maximum(groups.below, 1)
    if groups.coarse is not None:
        rough = np.where(groups.coarse, np.inf, rough)
    contenders = np.flatnonzero(rough >= rough.max() * (1 - 1e-9))
    figures, which = groups.pairs(contenders)
    shares = [groups.figure(*figure) for figure in figures]
    largest_share = max(shares)
    found: Ints = contenders[np.array([share == largest_share for share in shares])[which]]
    return found


def _badness(groups: GroupFigures, at: int) -> tuple[bool, Fraction]:
    """Return by what groups are compared, the worst last."""
    return groups.is_coarse(at), groups.figure(int(groups.above[at]), int(groups.below[at]))


def _told(groups: GroupFigures, surest: Ints, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the one of some groups that is told of: with the most rows, and of these the first by its texts."""
    if not len(surest):
        return None
    largest = surest[groups.rows[surest] == groups.rows[surest].max()]
    best = _first_by_text(groups, largest)
    coarse, share = _badness(groups, best)
    return Worst(
        group=dict(zip(given, _texts(groups, best) if given else (), strict=True)),
        rows=int(groups.rows[best]),
        hits=groups.hits_at(best),
        hidden=int(groups.hidden[best]),
        share=share,
        limit=promise.stated,
        alone=int((groups.rows == 1).sum()),
        kind=promise.kind,
        coarse=coarse,
    )


def _first_by_text(groups: GroupFigures, places: Ints) -> int:
    """Return the one of some groups whose texts come first; a missing one comes before an empty one."""
    for texts in groups.texts.iter_columns():
        here = texts[places]
        first = here.is_null() if here.null_count() else here == here.min()
        places = places[first.to_numpy()]
    return int(places[0])


def _texts(groups: GroupFigures, at: int) -> tuple[str | None, ...]:
    return groups.texts.row(at) if groups.texts.width else ()
