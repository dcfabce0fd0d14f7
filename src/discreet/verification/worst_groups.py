"""The worst group for each promise, counted on released texts and decided by exact fractions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.policy import GroupPromise, Policy
from discreet.table.engine import Engine
from discreet.verification.counting import GroupFigures, counted
from discreet.verification.findings import Worst


def worst_of(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[Worst | None]:
    """Return the worst group on `given` for the promises of one requirement; None for a table without rows."""
    found = counted(table, policy, given, promises)
    return [worst_group(groups, given, promise) for groups, promise in zip(found, promises, strict=True)]


def worst_group(groups: GroupFigures, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the group with the largest figure, decided by exact fractions."""
    if not len(groups.rows):
        return None
    hits, known = groups.above, groups.below
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    rough = hits / np.maximum(known, 1)
    contenders = np.flatnonzero(rough >= rough.max() * (1 - 1e-9))
    base = int(known.max()) + 1  # pairs of counts as one number: rows are far fewer than 2**31
    figures, which = np.unique(hits[contenders] * base + known[contenders], return_inverse=True)
    shares = [groups.figure(int(figure) // base, int(figure) % base) for figure in figures]
    surest = contenders[np.array([share == max(shares) for share in shares])[which]]
    largest = surest[groups.rows[surest] == groups.rows[surest].max()]
    best = _first_by_text(groups, largest)
    return Worst(
        group=dict(zip(given, _texts(groups, best), strict=True)),
        rows=int(groups.rows[best]),
        hits=int(hits[best]),
        hidden=int(groups.hidden[best]),
        share=groups.figure(int(hits[best]), int(known[best])),
        limit=promise.at_most,
        alone=int((groups.rows == 1).sum()),
        kind=promise.kind,
    )


def _first_by_text(groups: GroupFigures, places: npt.NDArray[np.int64]) -> int:
    """Return the one of some groups whose texts come first."""
    for texts in groups.texts.iter_columns():
        here = texts[places].fill_null("")
        places = places[(here == here.min()).to_numpy()]
    return int(places[0])


def _texts(groups: GroupFigures, at: int) -> tuple[str | None, ...]:
    return groups.texts.row(at) if groups.texts.width else ()
