"""How much detail of a table a plan releases (1 - LM), suppressed rows counted as told nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from discreet.encoded import Combinations, Encoded, Ints
from discreet.plan.assigning import groups_of
from discreet.plan.local_groups import PlannedGroups
from discreet.plan.masks import ALL, Masks
from discreet.plan.parts import Unseen
from discreet.plan.plan import Plan
from discreet.planning.task import Task
from discreet.table.engine import Engine
from discreet.table.masking import mask_of


def detail_of(task: Task, plan: Plan, told: Engine, masks: Sequence[Masks | None]) -> float:
    """Return the share of the detail of the changeable columns that a plan releases of a table (1 - LM).

    `told` are the rows that are released, and `masks` say which of them are suppressed. Where chance took some rows of
    a combination, their values count by the shares that they have in it.
    """
    if plan.groupings:
        return _detail_of_groups(plan, told) if told.row_wise else _detail_of_counts(task, plan, masks)
    rows, losses = _lost_by_columns(task, plan, told, masks)
    lost = weights = 0.0
    for name, lost_of_column in losses.items():
        weight = float(task.bound.policy.column(name).weight)
        lost += weight * lost_of_column / rows
        weights += weight
    return 1 - lost / weights if weights else 1.0


def details_of(task: Task, plan: Plan, told: Engine, masks: Sequence[Masks | None]) -> dict[str, float]:
    """Return the share of the detail of each changeable column that recodings release; as `detail_of`."""
    rows, losses = _lost_by_columns(task, plan, told, masks)
    return {name: 1 - lost / rows for name, lost in losses.items()}


def _lost_by_columns(
    task: Task, plan: Plan, told: Engine, masks: Sequence[Masks | None]
) -> tuple[float, dict[str, float]]:
    """Return the number of rows, and what they lose together of each changeable column."""
    # Where k counts in the whole table, that was counted, not the rows that were drawn.
    whole = task.bound.policy.k_on_population
    counted = told.edited(plan.edits).count(task.bound.counted) if whole else task.counted
    gone = np.zeros(len(counted.counts))
    for some in masks:
        if some is not None:
            gone = np.minimum(gone + _suppressed_of(counted, plan, some), counted.counts)
    rows, gone_rows = float(counted.counts.sum()), float(gone.sum())
    found: dict[str, float] = {}
    recodings = {recoding.column: recoding for recoding in plan.recodings}
    for column in task.columns:
        recoding = recodings[column.name]
        loss_of = dict(zip(column.domain, column.losses(recoding), strict=True))
        losses = np.array([loss_of[value] for value in counted.domain(column.name)])
        kept = counted.rows(column.name)
        if gone_rows:
            kept = np.bincount(counted.code(column.name), weights=counted.counts - gone, minlength=len(losses))
        found[column.name] = float(kept @ losses) + gone_rows
    return rows, found


def _suppressed_of(counted: Combinations, plan: Plan, masks: Masks) -> npt.NDArray[np.float64]:
    """Return how many rows of each combination of original values are suppressed; by lot, how many to expect."""
    recodings = {recoding.column: recoding for recoding in plan.recodings}
    groups = _labels_of(counted, plan)

    def released(name: str) -> Encoded:
        """Return what the plan makes of a column."""
        if name in groups:
            return groups[name]
        recoding, domain = recodings.get(name), counted.domain(name)
        texts = domain if recoding is None else recoding.texts(domain, plan.policy.column(name).scale)
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([places[text] for text in texts], dtype=np.uint32)[counted.code(name)]
        return Encoded(tuple(None if isinstance(text, Unseen) else text for text in places), codes)

    mask = mask_of(masks, released, len(counted.counts))
    wanted = np.append(np.array(masks.rows, dtype=np.float64), 0.0)
    has = np.bincount(mask + 1, weights=counted.counts, minlength=len(wanted))[1:]
    share = np.where(wanted == ALL, 1.0, wanted / np.append(np.maximum(has, 1), 1))
    return np.asarray(counted.counts * share[mask], dtype=np.float64)


def _labels_of(counted: Combinations, plan: Plan) -> dict[str, Encoded]:
    """Return what groups with labels of their own show of each combination."""
    found = {}
    for grouping, group in _groups_of(counted, plan):
        for told in grouping.columns:
            texts = [*(label.text for label in told.labels), plan.policy.marker]
            order = tuple(dict.fromkeys(texts))
            place = np.array([order.index(text) for text in texts], dtype=np.uint32)
            of_group = np.append(np.array(told.of_group, dtype=np.int64), len(texts) - 1)
            found[told.column] = Encoded(order, place[of_group[group]])
    return found


def _groups_of(counted: Combinations, plan: Plan) -> Iterator[tuple[PlannedGroups, Ints]]:
    """Yield each grouping with the group of each combination; -1 for those in none."""

    def encoded(name: str) -> Encoded:
        return Encoded(counted.domain(name), counted.code(name))

    for grouping in plan.groupings:
        yield grouping, np.maximum(groups_of(grouping, plan.policy, encoded, len(counted.counts)), -1)


def _detail_of_counts(task: Task, plan: Plan, masks: Sequence[Masks | None]) -> float:
    """Return the share of detail that groups with labels of their own release, from counts alone."""
    counts = task.counted.counts
    gone, lost = np.zeros(len(counts)), np.zeros(len(counts), dtype=np.int64)
    for some in masks:
        if some is not None:
            gone = np.minimum(gone + _suppressed_of(task.counted, plan, some), counts)
    for grouping, group in _groups_of(task.counted, plan):
        lost += np.array([*grouping.losses, grouping.whole], dtype=np.int64)[group]
    whole = sum(grouping.whole for grouping in plan.groupings)
    # Where a lot takes rows, those it takes from and those it leaves lose the same: the sum is a whole number.
    more = round(math.fsum(((whole - lost) * gone).tolist()))
    return _kept(int(lost @ counts) + more, whole, int(counts.sum()))


def _kept(lost: int, whole: int, rows: int) -> float:
    """Return the share of detail that is kept when all rows lose so much together."""
    return 1 - lost / (whole * rows) if whole and rows else 1.0


def _detail_of_groups(plan: Plan, source: Engine) -> float:
    """Return the share of detail that groups with labels of their own release."""
    suppressed = np.isin(source.numbers(), np.array(plan.suppressed, dtype=np.int64))
    lost = np.zeros(source.rows, dtype=np.int64)
    whole = sum(grouping.whole for grouping in plan.groupings)
    for grouping in plan.groupings:
        group = groups_of(grouping, plan.policy, source.encoded, source.rows)
        losses = np.array([*grouping.losses, grouping.whole], dtype=np.int64)
        lost += losses[np.where(group < 0, len(grouping.losses), group)]
    return _kept(int(np.where(suppressed, whole, lost).sum()), whole, source.rows)
