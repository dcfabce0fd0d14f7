"""Local recoding, slow and obvious: what every cell is released as, whether that covers it and keeps every promise,
and what it loses. Works on a `CutProblem`, one collapsed row after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem, GroupTable
from discreet.method.base.space import Flags, Space
from discreet.method.base.targets import COSTS, MAJORITY, SQUARES, CutTarget
from discreet.method.local.group_kernels import NEVER, ItemGroups, keeps
from discreet.method.local.group_room import copied, total_cost, undo_room
from discreet.method.local.grouping import Local
from discreet.method.local.items import ItemPart, breaks
from discreet.method.local.move_kernels import deal
from discreet.method.local.split_kernels import best_merge, merge, top_up

Label = tuple[int, ...]
"""The codes that a cell's label stands for; none for the marker, which stands for all."""


@dataclass(frozen=True)
class Release:
    """The label of each column in each collapsed row; None for a row that is removed."""

    problem: CutProblem
    labels: tuple[tuple[Label, ...] | None, ...]


def released(problem: CutProblem, found: Local) -> Release:
    """What the rows are released as."""
    rows: list[tuple[Label, ...] | None] = []
    for row in range(len(problem.sizes)):
        labels: list[Label] = [(int(codes[row]),) for codes in problem.codes]
        removed = False
        for grouping in found.groupings:
            g = int(grouping.group[row])
            removed = removed or g < 0
            for place, column in enumerate(grouping.columns):
                if grouping.hidden[g] or (
                    problem.columns[column].space.plain
                    and column not in grouping.sets
                    and grouping.stop[g, place] - grouping.first[g, place] > 1
                ):
                    assert (int(grouping.first[g, place]), int(grouping.stop[g, place])) == (
                        0,
                        problem.columns[column].space.size,
                    )
                    labels[column] = ()
                elif column in grouping.sets:
                    labels[column] = tuple(int(code) for code in grouping.sets[column][g].nonzero()[0])
                else:
                    labels[column] = tuple(range(int(grouping.first[g, place]), int(grouping.stop[g, place])))
        rows.append(None if removed else tuple(labels))
    return Release(problem, tuple(rows))


def hidden_with(part: ItemPart, of: Ints, hidden: Flags, losses: Ints) -> tuple[Flags, tuple[int, ...]]:
    """Which groups are hidden in the end, and promises that hidden rows break then: all rows are counted each time."""
    hidden, group = hidden.copy(), of[part.item_of]
    while True:
        changed, broken = False, set()
        for table in part.tables:
            for value in np.unique(table.fixed[hidden[group]]).tolist():
                rows = table.fixed == value
                wrong = breaks(table, rows & hidden[group])
                others = np.unique(group[rows & ~hidden[group]]) if wrong else group[:0]
                if len(others):
                    hidden[others[np.argmax(losses[others])]] = changed = True
                else:
                    broken.update(wrong)
        if not changed:
            return hidden, tuple(sorted(broken))


def settled(part: ItemPart, before: ItemGroups, g: int) -> ItemGroups | None:
    """The groups with one of them settled: every way is tried from the beginning to the end, the cheapest taken."""
    best = None
    for way in (dealt, topped_up, merged):
        groups = copied(before)
        if way(part, groups, g) and (best is None or total_cost(groups) < total_cost(best)):
            best = groups
    return best


def dealt(part: ItemPart, groups: ItemGroups, g: int) -> bool:
    """Deal all items of a group to others at once; whether that can be."""
    rows = len(groups.of)
    done, _ = deal(part.shapes, part.items, part.limits, groups, g, NEVER // 2, rows, undo_room(part, rows))
    return bool(done) and bool((groups.losses[: groups.numbers[0], -1] < part.forbidden).all())


def topped_up(part: ItemPart, groups: ItemGroups, g: int) -> bool:
    """Move items that others can spare into a group; whether it keeps every limit then."""
    scratch = np.empty(len(groups.of), dtype=np.int64)
    return bool(top_up(part.shapes, part.items, part.limits, groups, g, part.forbidden, scratch))


def merged(part: ItemPart, groups: ItemGroups, g: int) -> bool:
    """Merge a group with others; whether it keeps every limit then."""
    while not keeps(groups.figures[g], part.limits):
        other = int(best_merge(part.shapes, part.items, part.limits, groups, g, part.forbidden))
        if other < 0:
            return False
        merge(part.shapes, part.items, groups, g, other)
    return True


def gathered(
    part: ItemPart, of: Sequence[int], g: int, seeds: Sequence[int], orders: Ints, reach: int
) -> tuple[list[set[int]], set[int]]:
    """The groups once small ones have come to each of some items of `g`, and what is left of `g`."""
    groups = [{item for item, own in enumerate(of) if own == number} for number in sorted({*of}) if number != g]
    left = {item for item, own in enumerate(of) if own == g}
    for seed in seeds:
        made, taken = {seed}, []
        while not _keeps(part, made):
            best = None
            for order in orders.tolist():
                here = order.index(seed)
                for item in order[max(here - reach, 0) : here + reach + 1]:
                    near = next((other for other in groups if item in other), None)
                    if item in made or near is None or not (helps := _helps(part, made, near)) > 0:
                        continue
                    loss = _loss(part, made | near)
                    if loss is None:
                        continue
                    rows = [_figures(part, each)[0] for each in (made | near, made, near)]
                    more = rows[0] * loss - rows[1] * (_loss(part, made) or 0) - rows[2] * (_loss(part, near) or 0)
                    if best is None or more / helps < best[0]:
                        best = more / helps, near
            if best is None:
                break
            groups.remove(best[1])
            taken.append(best[1])
            made = made | best[1]
        if _keeps(part, made):
            groups.append(made)
            left.remove(seed)
        else:
            left |= made
    return groups, left


def joined_near(part: ItemPart, of: Sequence[int], g: int, some: Sequence[int], orders: Ints, reach: int) -> list[int]:
    """The group of each item once some of `g` have joined the cheapest group near each that keeps all limits then."""
    found = list(of)
    for item in some:
        best = None
        for order in orders.tolist():
            here = order.index(item)
            for h in [found[near] for near in order[max(here - reach, 0) : here + reach + 1]]:
                before = {other for other, own in enumerate(found) if own == h}
                loss = _loss(part, before | {item})
                if h == g or loss is None or not _keeps(part, before | {item}):
                    continue
                more = _figures(part, before | {item})[0] * loss - _figures(part, before)[0] * (
                    _loss(part, before) or 0
                )
                if best is None or more < best[0]:
                    best = more, h
        if best is not None:
            found[item] = best[1]
    return found


def swept(part: ItemPart, order: Sequence[int], apart: Sequence[int]) -> tuple[list[set[int]], set[int]]:
    """The groups of items beside each other, each as soon as it keeps all limits, and what is in none."""
    groups: list[set[int]] = []
    left: set[int] = set()
    for number in sorted({*apart}):
        own: list[set[int]] = []
        some: set[int] = set()
        for item in (item for item in order if apart[item] == number):
            some = some | {item}
            if _figures(part, some)[0] >= part.least and _keeps(part, some):
                own.append(some)
                some = set()
        if own and _keeps(part, own[-1] | some):
            own[-1] |= some
            some = set()
        groups += own
        left |= some
    return groups, left


def _figures(part: ItemPart, items: set[int]) -> list[int]:
    return [int(each) for each in part.items.figures[sorted(items)].sum(axis=0)]


def _loss(part: ItemPart, items: set[int]) -> int | None:
    """What a row loses in a group of these items; None where they must be told apart."""
    if len({int(part.apart[item]) for item in items}) > 1:
        return None
    codes = part.items.codes[sorted(items)].astype(np.int64)
    return sum(
        int(shape.losses(codes[:, c].min(keepdims=True), codes[:, c].max(keepdims=True))[0])
        for c, shape in enumerate(part.shape)
    )


def _counts(part: ItemPart, items: set[int]) -> Iterator[tuple[int, int]]:
    """By limit: what counts for it and what against it, in whole numbers; it is kept where the first is no less."""
    figures = _figures(part, items)
    for rows, line in zip(part.limits.rows.tolist(), part.limits.lines.tolist(), strict=True):
        over, under, measure, first = line[:4]
        yield over * figures[rows], under * (figures[first] if measure else 1)


def _keeps(part: ItemPart, items: set[int]) -> bool:
    return all(above >= below for above, below in _counts(part, items))


def _helps(part: ItemPart, items: set[int], others: set[int]) -> float:
    """What part of all that a group lacks others bring."""
    found = 0.0
    measures = part.limits.lines[:, 2].tolist()
    for own, more, measure in zip(_counts(part, items), _counts(part, others), measures, strict=True):
        lacks = own[1] - own[0]
        if lacks > 0:
            found += min(more[0] - (more[1] if measure else 0), lacks) / lacks
    return found


def uncovered(release: Release) -> list[tuple[int, int]]:
    """The cells (row, column) whose label does not stand for their value."""
    return [
        (row, column)
        for row, labels in enumerate(release.labels)
        for column, label in enumerate(labels or ())
        if label and int(release.problem.codes[column][row]) not in label
    ]


def is_label(space: Space, label: Label, kind: str) -> bool:
    """Whether a column may be released so."""
    if kind == "set" or not label:
        return True
    first, stop = label[0], label[-1] + 1
    if label != tuple(range(first, stop)):
        return False
    if space.plain:
        return len(label) == 1
    if any((node.first, node.stop) == (first, stop) for node in space.nodes if not node.interval):
        return True
    for node in space.nodes:
        if node.interval and node.first <= first and stop <= node.stop:
            ends = {node.first, node.stop, *(code for code in range(space.size) if space.cuts[code])}
            return kind == "tight" or {first, stop} <= ends
    return False


def broken(release: Release) -> set[int]:
    """The promises (by number) that some group of rows with the same labels breaks."""
    found: set[int] = set()
    for table in release.problem.tables:
        groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for row, labels in enumerate(release.labels):
            if labels is not None:
                groups[(int(table.fixed[row]), *(labels[column] for column in table.columns))].append(row)
        for rows in groups.values():
            found |= _broken_by(table, rows)
    return found


def _broken_by(table: GroupTable, rows: Sequence[int]) -> set[int]:
    size = sum(int(table.sizes[row]) for row in rows)
    found = set()
    for limit in table.limits:
        tallies = [sum(int(tally[row]) for row in rows) for tally in limit.own(table.hits)]
        figure = {
            "rows": Fraction(1, max(size, 1)),
            "share": Fraction(sum(tallies), max(size, 1)),
            "different": Fraction(1, max(sum(tally > 0 for tally in tallies), 1)),
        }[limit.measure]
        if size and figure > limit.at_most:
            found.add(limit.promise)
    return found


def hidden(problem: CutProblem) -> Release:
    """Everything hidden."""
    return Release(problem, tuple(((),) * len(problem.columns) for _ in problem.sizes))


def loss(space: Space, label: Label, kind: str) -> Fraction:
    """What a cell with this label loses."""
    if not label:
        return Fraction(1)
    if kind == "set" or space.plain:
        return Fraction(len(label) - 1, max(space.size - 1, 1))
    for node in space.nodes:
        if (node.first, node.stop) == (label[0], label[-1] + 1) and not node.interval:
            return node.share
    return space.places[label[-1]] - space.places[label[0]]


def lost(release: Release, kinds: Sequence[str], weights: Sequence[Fraction]) -> Fraction:
    """The weighted loss of all rows; a removed row loses all."""
    total = Fraction(0)
    for size, labels in zip(release.problem.sizes, release.labels, strict=True):
        for place, column in enumerate(release.problem.columns):
            each = Fraction(1) if labels is None else loss(column.space, labels[place], kinds[place])
            total += int(size) * weights[place] * each
    return total


def told(release: Release, place: int) -> int:
    """What the groups that look alike cost the target in this place, in its units; rows left out as it says."""
    problem, target = release.problem, release.problem.targets[place]
    groups: dict[tuple[Label, ...], list[list[int]]] = defaultdict(list)
    hidden: list[list[int]] = []
    total = 0
    for labels, fields in zip(release.labels, target.fields.tolist(), strict=True):
        if labels is None or (all(label == () for label in labels) and not target.own_group):
            total += sum(each * count for each, count in zip(target.gone.tolist(), fields, strict=True))
        elif all(label == () for label in labels):
            hidden.append(fields)
        else:
            groups[labels].append(fields)
    assert all(len(labels) == len(problem.columns) for labels in groups)
    sums = [[sum(each) for each in zip(*rows, strict=True)] for rows in [*groups.values(), hidden] if rows]
    return total + sum(_group_cost(target, each) for each in sums)


def _group_cost(target: CutTarget, sums: Sequence[int]) -> int:
    params: list[int] = target.params.tolist()
    if target.kind == MAJORITY:
        return sum(sums) - max(sums)
    if target.kind == COSTS:
        usual = [taken for taken, rows in enumerate(sums) if rows == max(sums)]
        return min(sum(rows * params[true * len(sums) + taken] for true, rows in enumerate(sums)) for taken in usual)
    if target.kind == SQUARES:
        rows, total, squares = sums
        return ceil(squares - Fraction(total**2, rows)) if rows else 0
    numbers = [number for number, rows in zip(params, sums, strict=True) for _ in range(rows)]
    middle = numbers[(len(numbers) - 1) // 2] if numbers else 0
    return sum(abs(number - middle) for number in numbers)


def groupings(rows: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to put rows into groups."""
    if not rows:
        yield []
        return
    head, *tail = rows
    for rest in groupings(tail):
        yield [[head], *rest]
        for place in range(len(rest)):
            yield [*rest[:place], [head, *rest[place]], *rest[place + 1 :]]


def tightest(problem: CutProblem, rows: Sequence[int], kinds: Sequence[str]) -> tuple[Label, ...]:
    """The label with the least loss that covers some rows, in each column."""
    labels = []
    for column, codes, kind in zip(problem.columns, problem.codes, kinds, strict=True):
        wanted = {int(codes[row]) for row in rows}
        size = column.space.size
        if kind == "set":
            labels.append(tuple(sorted(wanted)))
            continue
        ranges: list[Label] = [()]
        ranges += [tuple(range(first, stop)) for first in range(size) for stop in range(first + 1, size + 1)]
        fitting = [
            label for label in ranges if (not label or wanted <= set(label)) and is_label(column.space, label, kind)
        ]
        labels.append(min(fitting, key=lambda label: (loss(column.space, label, kind), len(label))))
    return tuple(labels)


def least(problem: CutProblem, kinds: Sequence[str], weights: Sequence[Fraction]) -> Fraction | None:
    """The least loss of all safe ways to group whole collapsed rows with the tightest labels, if there is one."""
    best: Fraction | None = None
    for groups in groupings(range(len(problem.sizes))):
        labels = {row: tightest(problem, rows, kinds) for rows in groups for row in rows}
        release = Release(problem, tuple(labels[row] for row in range(len(problem.sizes))))
        if not broken(release):
            found = lost(release, kinds, weights)
            best = found if best is None else min(best, found)
    return best
