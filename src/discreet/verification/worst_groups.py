"""The worst group for each promise, counted on released texts and decided by exact fractions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements.any_of import sets_of
from discreet.table.engine import Engine
from discreet.verification.counting import Counting, counted
from discreet.verification.figures import GroupFigures
from discreet.verification.findings import Worst


def worst_of(
    table: Engine,
    policy: Policy,
    given: Sequence[str],
    promises: Sequence[GroupPromise],
    counted: Counting = counted,
) -> list[Worst | None]:
    """Return the worst group on `given` for the promises of one requirement; None for a table without rows.

    Where any so many of the columns may be known, it is the worst of all sets of them. `counted` counts the groups.
    """
    worst: list[Worst | None] = [None] * len(promises)
    for known in sets_of(tuple(given) if not isinstance(given, tuple) else given):
        found = counted(table, policy, known, promises)
        for place, (groups, promise) in enumerate(zip(found, promises, strict=True)):
            here, before = worst_group(groups, known, promise), worst[place]
            if before is None or (here is not None and (here.coarse, here.share) > (before.coarse, before.share)):
                worst[place] = here
    return worst


def worst_group(groups: GroupFigures, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the group with the largest figure, decided by exact fractions."""
    if not len(groups.rows):
        return None
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    rough = groups.above / np.maximum(groups.below, 1)
    if groups.coarse is not None:
        rough = np.where(groups.coarse, np.inf, rough)
    contenders = np.flatnonzero(rough >= rough.max() * (1 - 1e-9))
    figures, which = groups.pairs(contenders)
    shares = [groups.figure(*figure) for figure in figures]
    surest = contenders[np.array([share == max(shares) for share in shares])[which]]
    largest = surest[groups.rows[surest] == groups.rows[surest].max()]
    best = _first_by_text(groups, largest)
    return Worst(
        group=dict(zip(given, _texts(groups, best) if given else (), strict=True)),
        rows=int(groups.rows[best]),
        hits=groups.hits_at(best),
        hidden=int(groups.hidden[best]),
        share=groups.figure(int(groups.above[best]), int(groups.below[best])),
        limit=promise.stated,
        alone=int((groups.rows == 1).sum()),
        kind=promise.kind,
        coarse=groups.is_coarse(best),
    )


def _first_by_text(groups: GroupFigures, places: npt.NDArray[np.int64]) -> int:
    """Return the one of some groups whose texts come first."""
    for texts in groups.texts.iter_columns():
        here = texts[places].fill_null("")
        places = places[(here == here.min()).to_numpy()]
    return int(places[0])


def _texts(groups: GroupFigures, at: int) -> tuple[str | None, ...]:
    return groups.texts.row(at) if groups.texts.width else ()
