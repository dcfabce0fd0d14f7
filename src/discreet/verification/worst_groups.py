"""The worst group for each promise, counted on released texts and decided by exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.policy import GroupPromise, Inference, Policy
from discreet.table.engine import Engine, Recount
from discreet.verification.findings import Worst


def worst_of(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[Worst | None]:
    """Return the worst group on `given` for the promises of one requirement; None for a table without rows."""
    values = [promise.value for promise in promises if isinstance(promise, Inference)]
    counts = table.recount(given, promises[0].column, values, policy.hidden_texts())
    return [worst_group(counts, place, given, promise) for place, promise in enumerate(promises)]


def worst_group(counts: Recount, place: int, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the group with the largest share, decided by exact fractions."""
    if not len(counts.rows):
        return None
    hits = counts.hits[:, place] if isinstance(promise, Inference) else np.ones_like(counts.rows)
    known = counts.rows - counts.hidden
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    rough = hits / np.maximum(known, 1)
    contenders = np.flatnonzero(rough >= rough.max() * (1 - 1e-9))
    base = int(known.max()) + 1  # pairs of counts as one number: rows are far fewer than 2**31
    figures, which = np.unique(hits[contenders] * base + known[contenders], return_inverse=True)
    shares = [_share(int(figure) // base, int(figure) % base) for figure in figures]
    surest = contenders[np.array([share == max(shares) for share in shares])[which]]
    largest = surest[counts.rows[surest] == counts.rows[surest].max()]
    best = _first_by_text(counts, largest)
    return Worst(
        group=dict(zip(given, _texts(counts, best), strict=True)),
        rows=int(counts.rows[best]),
        hits=int(hits[best]),
        hidden=int(counts.hidden[best]),
        share=_share(int(hits[best]), int(known[best])),
        limit=promise.at_most,
        alone=int((counts.rows == 1).sum()),
        kind=promise.kind,
    )


def _first_by_text(counts: Recount, places: npt.NDArray[np.int64]) -> int:
    """Return the one of some groups whose texts come first."""
    for texts in counts.texts.iter_columns():
        here = texts[places].fill_null("")
        places = places[(here == here.min()).to_numpy()]
    return int(places[0])


def _texts(counts: Recount, at: int) -> tuple[str | None, ...]:
    return counts.texts.row(at) if counts.texts.width else ()


def _share(hits: int, known: int) -> Fraction:
    """Return a/(n-u), which is never below a/n; a combination that nobody has (0 rows) is as bad as can be."""
    return Fraction(hits, known) if known else Fraction(int(hits > 0))
