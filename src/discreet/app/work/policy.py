"""What is found out about a policy on a table: who stands alone, whether it can be kept, how much can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.app.work.child import Talk
from discreet.app.work.table import engine_of
from discreet.assist.check import CheckedPolicy, check_job
from discreet.assist.frontier import frontier_as_it_comes
from discreet.assist.frontier_points import Frontier
from discreet.common.shares import percent
from discreet.errors import DiscreetError
from discreet.planning.prepared import prepare_rows
from discreet.policy import Policy, read_policy
from discreet.policy.requirements import PROMISES
from discreet.table.local import LocalEngine

SAMPLE = 10_000
"""Rows of the sample on which figures are reckoned first, where a table has more than twice as many."""


def alone(talk: Talk, table: str, stamp: str, options: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """Count the rows that nobody else looks like on some columns, and what each column adds to that."""
    del talk
    engine = engine_of(table, stamp, options)

    def single(columns: Sequence[str]) -> int:
        return int((engine.count(columns).counts == 1).sum()) if columns else int(engine.rows == 1)

    without = {name: single([other for other in known if other != name]) for name in known}
    return {"rows": engine.rows, "alone": single(known), "without": without}


def checked(talk: Talk, table: str, stamp: str, options: Mapping[str, Any], policy: str) -> dict[str, Any]:
    """Say whether the promises can be kept, and how the table stands now: `discreet check`."""
    engine = engine_of(table, stamp, options)
    rules = read_policy(policy)
    for rows, sample in _samples(engine):
        try:
            found = _check(rules, rows, table, sample)
        except DiscreetError:
            if sample is None:
                raise
            continue
        if sample is None:
            return found
        talk.part(found)
    raise AssertionError("the table itself comes last")


def _samples(engine: LocalEngine) -> list[tuple[LocalEngine, int | None]]:
    """Return a sample of a large table, with its size, then the table."""
    if engine.rows <= 2 * SAMPLE:
        return [(engine, None)]
    places = np.sort(np.random.default_rng().choice(engine.rows, SAMPLE, replace=False))
    return [(engine.only(places), SAMPLE), (engine, None)]


def _check(policy: Policy, engine: LocalEngine, table: str, sample: int | None) -> dict[str, Any]:
    found = check_job(policy, prepare_rows(engine.without_missing(policy.missing), policy, table))
    return {
        "sample": sample,
        "possible": found.possible,
        "rows": found.rows,
        "dropped": found.dropped,
        "warnings": list(found.warnings),
        "not_covered": list(found.not_covered),
        "may_change": list(found.may_change),
        "promises": list(_promises(found)),
        "levels": [preview.to_dict() for preview in found.previews],
    }


def _promises(found: CheckedPolicy) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    for each in found.promises:
        now = None if each.now is None else each.said(PROMISES[each.now.kind].stands(each.now))
        told.append(
            {
                "index": each.made.index,
                "words": each.said(each.made.in_words()),
                "now": now,
                "possible": each.possible,
                "least": None if each.least is None else each.made.limit_text(each.least.share),
            }
        )
    return told + [
        {
            "index": cells.index,
            "words": cells.made.in_words(),
            "now": None,
            "possible": cells.refused is None,
            "least": cells.refused,
        }
        for cells in found.cells
    ]


def frontiers(talk: Talk, table: str, stamp: str, options: Mapping[str, Any], policy: str) -> dict[str, Any]:
    """Say how much can be told at which threshold, point by point: `discreet frontier`."""
    told: dict[str, Any] = {}
    engine = engine_of(table, stamp, options)
    rules = read_policy(policy)
    for rows, sample in _samples(engine):
        try:
            for found in frontier_as_it_comes(rows.native(), rules):
                told = _frontier(found, sample)
                if sample is not None or told["coming"]:
                    talk.part(told)
        except DiscreetError:
            if sample is None:
                raise
    return told


def _frontier(found: Frontier, sample: int | None) -> dict[str, Any]:
    points = [
        {
            "name": found.name_of(point.threshold),
            "value": _written(found, point.threshold),
            "own": point.threshold == found.own,
            "possible": point.possible,
            "detail": point.detail,
            "target": point.target,
            "worst": None if point.largest is None else found.figure_of(point.largest),
            "why": None if point.possible else found.reason(point),
        }
        for point in found.points
    ]
    rest = [found.name_of(threshold) for threshold in found.asked[len(points) :]]
    return {"sample": sample, "points": points, "coming": rest, "swept": list(found.swept), "sizes": found.sizes,
            "worst_name": found.worst_name, "target": found.target}  # fmt: skip


def _written(found: Frontier, threshold: Fraction) -> str:
    """Return a threshold as a policy writes it."""
    return str(threshold.denominator) if found.unit is not None else percent(threshold)
