"""A sample that is drawn beside earlier releases: who is not drawn is absent, like everybody who left.

Everything is planned on those who are drawn; in the joint view presence counts in every release, so each promise holds
also against whoever knows who is in which. What becomes of them is then said of the whole table.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.plan.plan import Plan
from discreet.planning.carrying_out import CarriedOut
from discreet.planning.drawing import drawn_rows
from discreet.planning.staying import BesideLedger
from discreet.planning.suppressed_persons import drawn_persons


def drawn_beside(beside: BesideLedger, seed: int | None) -> BesideLedger:
    """Return those who are drawn as a table that is released whole; all where no sample is asked for."""
    source, policy = beside.source, beside.policy
    if policy.release is None:
        return beside
    if policy.unit is None:
        places = drawn_rows(source, policy, seed)
    else:
        places = np.searchsorted(source.numbers(), np.array(drawn_persons(source, policy, seed), dtype=np.int64))
    assert places is not None
    return replace(beside, source=source.only(places), policy=policy.model_copy(update={"release": None}))


def drawn_again(plan: Plan) -> Plan:
    """Return a plan for a table that was drawn already."""
    return replace(plan, policy=plan.policy.model_copy(update={"release": None}))


def of_the_whole(made: CarriedOut, beside: BesideLedger) -> CarriedOut:
    """Return what became of those who were drawn, and stay, as what becomes of the whole table."""
    asked = beside.policy.release
    if asked is None:
        return made
    sampled = tuple(made.source.numbers().tolist())
    plan = replace(made.plan, policy=made.plan.policy.model_copy(update={"release": asked}), sampled=sampled)
    judge = replace(made.judge, policy=made.judge.policy.model_copy(update={"release": asked}))
    return replace(made, plan=plan, source=beside.source, judge=judge)
