"""A quick evaluation of bit strings for the common case: one table of all columns, groups need only be large enough.

Guarantee: wherever `covers` says so, the figures are those of `Evaluator.evaluate`, in integers. Rows are collapsed as
far as the strings at hand can tell them apart and counted by keys that are looked up for several columns at once; their
classes are packed into as few integers as hold them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.encoded import Ints, keys
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.base.targets import MAJORITY, CutTarget
from discreet.method.cuts.bits import Bits, Cuts
from discreet.method.cuts.evaluation import CutOutcome, Evaluator
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.quick_kernels import (
    TOO_MANY,
    Aims,
    CountScratch,
    Meaning,
    PackedRows,
    Tables,
    Words,
    outcome_of,
)

DIRECT = 2**20
"""Keys below this are their own places in the table of counts; others are hashed."""
LARGEST_SET = 2048
"""Columns are looked up together as long as they have no more combinations of codes."""


def covers(problem: CutProblem, objective: Objective) -> bool:
    """Whether the quick evaluation is right for a problem; everything else is left to `Evaluator.evaluate`.

    An objective that counts anything but loss, misjudged rows and rows left out is refused here.
    """
    if len(problem.tables) != 1 or not problem.columns:
        return False
    table = problem.tables[0]
    every = table.columns == tuple(range(len(problem.columns)))
    rows_only = all(limit.measure == "rows" and limit.at_most for limit in table.limits)
    large = rows_only and not table.fixed.any()
    known = np.array_equal(table.sizes, problem.sizes)
    by_code = any(column.space.shares for column in problem.columns)
    counted = [target for target, weight in zip(problem.targets, objective.weights, strict=True) if weight]
    judged = len(counted) <= 1 and all(_is_class(target, problem) for target in counted)
    return every and large and known and judged and not by_code


def _is_class(target: CutTarget, problem: CutProblem) -> bool:
    """Whether a target is a class that all columns tell, each mistake and each row left out costing 1."""
    every = target.columns == tuple(range(len(problem.columns)))
    simple = target.kind == MAJORITY and not target.own_group and bool((target.gone == 1).all())
    return every and simple and np.array_equal(target.fields.sum(axis=1), problem.sizes)


def _judged(problem: CutProblem, objective: Objective) -> tuple[Ints, int]:
    """Return what is counted of the rows: those of each class with what a misjudged one costs, or just the rows."""
    for target, weight in zip(problem.targets, objective.weights, strict=True):
        if weight:
            return target.fields, weight
    return problem.sizes.reshape(-1, 1), 0


class Quick:
    """The quick evaluation of a problem; what strings cost, however they are evaluated."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator, objective: Objective, cuts: Cuts) -> None:
        self.problem, self.objective, self.cuts = problem, objective, cuts
        aims = _aims(problem, evaluator, objective)
        self.counts = _packed(_judged(problem, objective)[0] if aims.covers else problem.sizes.reshape(-1, 1), aims)
        self.used: Flags = np.ones(len(cuts.parent), dtype=np.bool_)
        rows = self._rows(self.used, aims.words)
        self.tables = Tables(_meaning(evaluator, cuts), rows, rows, _room(problem, aims, len(cuts.parent)), aims)

    @property
    def covers(self) -> bool:
        """Whether it is right here."""
        return self.tables.aims.covers

    def narrow(self, members: Bits) -> None:
        """Collapse the rows as far as all members (by switches) allow: most of what is bred from them is then cheap."""
        used: Flags = np.asarray(members.any(axis=0), dtype=np.bool_)
        if self.covers and not np.array_equal(used, self.used):
            self.used = used
            self.tables = self.tables._replace(few=self._rows(used, self.tables.aims.words))

    def outcome(self, bits: Bits) -> tuple[int, int, int, int] | None:
        """Return units lost, rows misjudged, left out, and to be left out besides; None where numbers are too large.

        Rows are misjudged only where the objective counts them.
        """
        on = bits[self.cuts.order[self.cuts.begins]]
        rows = self.tables.every if (on.astype(np.bool_) & ~self.used).any() else self.tables.few
        lost, wrong, gone, short = outcome_of(on, self.cuts.switch, rows, self.tables)
        return None if lost < 0 else (lost, wrong, gone, short)

    def cost(self, outcome: CutOutcome) -> int:
        """Return what an outcome costs; too many rows left out cost more than anything else does."""
        if self.objective.allows(outcome):
            return self.objective.cost(outcome)
        excess = outcome.gone + outcome.short - self.objective.most_gone
        return TOO_MANY + min(excess, 2 * self.problem.total)

    def _rows(self, used: Flags, words: int) -> PackedRows:
        """Return the rows as they can be told apart by strings that have only these switches on."""
        parts = self.cuts.parts(self.cuts.strings(used))
        firsts, codes = [], []
        for part, code in zip(parts, self.problem.codes, strict=True):
            first, number = np.unique(part, return_inverse=True)
            firsts.append(first)
            codes.append(number[code])
        sizes = [len(first) for first in firsts]
        rows, counts = codes, self.counts
        if not used.all():
            key, _ = keys(codes, sizes, len(self.counts))
            _, at, group = np.unique(key, return_index=True, return_inverse=True)
            rows = [code[at] for code in codes]
            counts = np.zeros((len(at), words), dtype=np.int64)
            np.add.at(counts, group, self.counts)
        sets = _sets(sizes)
        together = np.stack([keys([rows[c] for c in own], [sizes[c] for c in own], len(counts))[0] for own in sets])
        return PackedRows(
            mask=_mask(used),
            codes=together.astype(np.uint32),
            counts=counts.ravel(),
            columns=np.array([c for own in sets for c in own], dtype=np.int64),
            sets=np.cumsum([0, *map(len, sets)], dtype=np.int64),
            firsts=np.concatenate([np.zeros(0, dtype=np.int64), *firsts]),
            at=np.cumsum([0, *sizes], dtype=np.int64),
        )


def _aims(problem: CutProblem, evaluator: Evaluator, objective: Objective) -> Aims:
    total, covered = problem.total, covers(problem, objective)
    limits = [limit.at_most for limit in problem.tables[0].limits] if covered else []
    near = evaluator.limits[0][:, :2].tolist() if covered else []
    least = max((-(-under // over) if over else total + 1 for over, under in near), default=0)
    company = 0 if evaluator.few_may_pass else max((math.ceil(1 / limit) for limit in limits), default=0)
    figures, wrong = _judged(problem, objective)
    fields = figures.shape[1] if covered else 1
    bits = max(total.bit_length(), 1)
    return Aims(
        covers=covered,
        least=least,
        company=company,
        loss=objective.loss,
        wrong=wrong,
        gone=objective.gone + wrong,
        most_gone=objective.most_gone,
        total=total,
        fields=fields,
        bits=bits,
        words=-(-fields // (63 // bits)),
        hides=evaluator.outermost is not None and bool(len(evaluator.outermost.places)),
    )


def _packed(figures: Ints, aims: Aims) -> Ints:
    """Return the figures of each row in as few integers as hold them."""
    per_word = 63 // aims.bits
    packed = np.zeros((len(figures), aims.words), dtype=np.int64)
    for field in range(aims.fields):
        packed[:, field // per_word] += figures[:, field] << (field % per_word * aims.bits)
    return packed


def _meaning(evaluator: Evaluator, cuts: Cuts) -> Meaning:
    nodes, stops, losses = [0], list[int](), list[int]()
    positions, hidden, hidden_at = list[int](), list[int](), list[int]()
    for space, units in zip(cuts.spaces, evaluator.units.columns, strict=True):
        hidden_at.append(len(hidden))
        hidden += units.nodes.tolist() if space.plain else []
        positions += units.positions.tolist() if len(units.positions) else [0] * space.size
        begin: list[list[int]] = [[] for _ in range(space.size)]
        for place, node in enumerate(space.nodes):
            if not node.interval:
                begin[node.first].append(place)
        for places in begin:
            stops += [space.nodes[place].stop for place in places]
            losses += [int(units.nodes[place]) for place in places]
            nodes.append(len(stops))
    return Meaning(
        bits=cuts.offsets,
        codes=evaluator.offsets,
        plain=np.array([space.plain for space in cuts.spaces], dtype=np.bool_),
        nodes=np.array(nodes, dtype=np.int64),
        stops=np.array(stops, dtype=np.int64),
        losses=np.array(losses, dtype=np.int64),
        positions=np.array(positions, dtype=np.int64),
        hidden_at=np.array(hidden_at, dtype=np.int64),
        hidden=np.array(hidden, dtype=np.int64),
        numbers=np.full(len(cuts.spaces), -1) if evaluator.outermost is None else evaluator.outermost.firsts,
    )


def _sets(sizes: Sequence[int]) -> list[list[int]]:
    """Share the columns out to as few sets as have not too many combinations of codes each."""
    sets: list[list[int]] = [[]]
    for many in range(1, len(sizes) + 1):
        sets = [[] for _ in range(many)]
        products = [1] * many
        for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
            least = products.index(min(products))
            sets[least].append(column)
            products[least] *= sizes[column]
        if max(products) <= LARGEST_SET:
            break
    return sets


def _room(problem: CutProblem, aims: Aims, switches: int) -> CountScratch:
    sizes = [column.space.size for column in problem.columns]
    rows, columns, codes = len(problem.sizes), len(sizes), sum(sizes)
    entries = columns * LARGEST_SET + codes  # enough for any sets of columns
    places = 1 << max((2 * rows).bit_length(), 4)

    def zeros(length: int) -> Ints:
        return np.zeros(length, dtype=np.int64)

    return CountScratch(
        part=zeros(codes),
        loss=zeros(codes),
        parts=zeros(columns),
        begin=zeros(columns),
        key_of=zeros(entries),
        loss_of=zeros(entries),
        key=zeros(rows),
        keys=zeros(places),
        table=zeros(max(min(math.prod(sizes), DIRECT), places) * aims.words),
        touched=zeros(rows + 1),
        rows=zeros(rows + 1),
        child=np.zeros(switches, dtype=np.uint8),
        low=zeros(columns),
        high=zeros(columns),
        hidden=zeros(columns),
        low_at=zeros(columns),
        last_at=zeros(columns),
        stop_at=zeros(columns),
    )


def _mask(used: Flags) -> Words:
    mask = np.zeros(-(-len(used) // 64), dtype=np.uint64)
    for switch in np.flatnonzero(used).tolist():
        mask[switch >> 6] |= np.uint64(1 << (switch & 63))
    return mask
