"""Whether a stratified sample keeps the share of every stratum, counted anew."""

from __future__ import annotations

import math
from collections.abc import Iterator

from discreet.fit.cells import removable
from discreet.policy.bind import Bound
from discreet.table.engine import Engine
from discreet.verification.row_matches import Matches, rows_beside


def stratum_problems(released: Engine, original: Engine, bound: Bound, matches: Matches | None) -> Iterator[str]:
    """Yield whether strata have more or fewer rows than their share, rounded down or up.

    They are counted in the release where it tells them as they are; else in the rows of the original that the released
    ones are, where that is certain. Where rows may be left out for other reasons, a stratum may have fewer.
    """
    policy = bound.policy
    if policy.release is None or not policy.release.by:
        return
    by, share = list(policy.release.by), policy.release.sample
    as_they_are = all(name in released.columns and name not in (*bound.changeable, *bound.edited) for name in by)
    told = released if as_they_are else rows_beside(released, original, matches)
    if told is None:
        return
    here, whole = (table.recount(by, None, (), ()) for table in (told, original))
    drawn = dict(zip(here.texts.rows(), here.rows.tolist(), strict=True))
    fewer = policy.removes or removable(policy, original)
    wrong = 0
    for texts, rows in zip(whole.texts.rows(), whole.rows.tolist(), strict=True):
        least = 0 if fewer else math.floor(share * rows)
        wrong += not least <= drawn.pop(texts, 0) <= math.ceil(share * rows)
    wrong += len(drawn)
    if wrong:
        strata = "1 stratum has" if wrong == 1 else f"{wrong} strata have"
        yield f"{strata} more or fewer rows of the sample than their share (by {', '.join(by)})"
