"""Rows with confidential cells in which a plan has not seen a value: what it masks besides, though that is its own.

A plan for blind protection is found on the other rows. A value that none of them has is masked, and with it all that
the plan changes in the row. But which columns of such a row are told must not depend on a cell that tells nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.planning.blind import secret_rows
from discreet.policy.bind import binned
from discreet.table.engine import Engine


def told_alone(plan: Plan, source: Engine, released: Engine) -> list[Edit]:
    """Return what fixed intervals make of cells that a plan masks for the sake of other cells of their rows.

    In rows with confidential cells only; where rows are removed nothing is left to tell of them.
    """
    if not released.unseen or plan.policy.removes:
        return []
    places = np.flatnonzero(secret_rows(plan.policy, source))
    some, shown = source.only(places), released.only(places)
    found = []
    for recoding in plan.recodings:
        if recoding.column in binned(plan.policy):
            alone = replace(plan, recodings=(recoding,), groupings=(), suppressed=(), masks=None, edits=())
            own, masked = some.apply(alone).encoded(recoding.column), shown.encoded(recoding.column)
            for number, mine, other in zip(some.numbers().tolist(), own.codes, masked.codes, strict=True):
                text = own.domain[mine]
                if text is not None and text != masked.domain[other]:
                    found.append(Edit(number, recoding.column, text))
    return found
