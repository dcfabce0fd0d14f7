"""e-DECP and e-DROPP: several confidential cells at once, sharing the changes (Hintoglu), deleting or generalising.

Guarantee: as for single cells, at the moment when a cell is done. As in the thesis, a change for one cell may expose
another that was done before: whoever calls this looks at all cells again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from discreet.method.cells import change_kernels, kernels
from discreet.method.cells.bayes import OUTCOMES, Outcome
from discreet.method.cells.chance import Chance
from discreet.method.cells.kernels import Guesser
from discreet.method.cells.table import CellTable


def e_decp(
    table: CellTable, guesser: Guesser, rows: Sequence[int], actual: int, chances: Sequence[Chance]
) -> dict[int, Outcome]:
    """Protect the cells of several rows of one column that have the same value, by changing other rows."""
    column = table.confidential[guesser.column]
    start = int(table.first[column])
    levels = _levels(table, guesser, guesser.predictors.tolist())
    found: dict[int, Outcome] = {}
    top = int(guesser.step[start + actual])
    level = 1
    while top >= 0 and len(found) < len(rows):
        remaining = [place for place, row in enumerate(rows) if row not in found]
        for place in remaining:
            raise_to(table, column, rows[place], top - start)
        active: list[tuple[int, int]] = []
        for place in remaining:
            chance, row = chances[place], rows[place]
            begun = kernels.opening(table.frame, guesser, row, actual + start, chance.coin, chance.draw(level))
            status, guess = int(begun[0]), int(begun[1])
            if status == kernels.DONE:
                active.append((row, guess))
            elif status != kernels.FAILED:
                found[row] = Outcome("done" if level > 1 and status == kernels.SAFE else OUTCOMES[status])
        for row, guess in _lowered(table, guesser, active, actual, levels):
            found[row] = Outcome("done", guess - start)
        top = int(guesser.step[top])
        level += 1
    for row in rows:
        found.setdefault(row, Outcome("failed"))
    return found


def raise_to(table: CellTable, column: int, row: int, node: int) -> None:
    """Release a node for a cell, unless it is more general already."""
    now = table.node(column, row)
    if not now <= node < int(table.trees[column].end[now]):
        table.set(column, row, node)


def _levels(table: CellTable, guesser: Guesser, columns: Sequence[int]) -> int:
    """How many levels the values of some columns can be generalised; one where they are deleted."""
    if guesser.mode != kernels.SPREAD:
        return 1
    return max((table.levels[c] for c in columns), default=0)


def _lowered(
    table: CellTable, guesser: Guesser, active: Sequence[tuple[int, int]], actual: int, levels: int
) -> list[tuple[int, int]]:
    """Lower the true value for several rows with their guesses; return those for which it was enough."""
    frame = table.frame
    actual += int(table.first[table.confidential[guesser.column]])
    rows = np.array([row for row, _ in active], dtype=np.int64)
    guesses = np.array([guess for _, guess in active], dtype=np.int64)
    left = np.ones(len(rows), dtype=np.bool_)
    for level in range(1, levels + 1):
        for column, value in _shared(table, guesser, rows[left].tolist(), actual, level):
            if not left.any():
                break
            low, high = (int(kernels.raised(guesser.step, value, by)) for by in (level - 1, level))
            keep = 1 if level == 1 else 0
            if change_kernels.lower_shared(frame, guesser, rows, guesses, left, actual, column, value, low, high, keep):
                table.touch()
                table.follow(column)
    return [pair for pair, still in zip(active, left, strict=True) if not still]


def _shared(table: CellTable, guesser: Guesser, rows: Sequence[int], actual: int, level: int) -> list[tuple[int, int]]:
    """Return the columns and values of the rows whose change helps: those that most rows have, then the rarest."""
    frame = table.frame
    k = int(frame.class_first[guesser.column] + frame.leaf[actual])
    nums, dens = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    order: list[tuple[int, Fraction, int, int]] = []
    for column in guesser.predictors.tolist():
        values, having = np.unique(frame.codes[column, rows], return_counts=True)
        for value, rows_having in zip(values.tolist(), having.tolist(), strict=True):
            low, high = (int(kernels.raised(guesser.step, value, by)) for by in (level - 1, level))
            if low != high and change_kernels.impact(frame, guesser, k, low, high, level, nums, dens):
                factor = Fraction(int(nums[0]) * int(nums[1]), int(dens[0]) * int(dens[1]))
                order.append((-rows_having, factor, column, value))
    return [(column, value) for _, _, column, value in sorted(order, key=lambda item: item[:2])]


def e_dropp(
    table: CellTable,
    guessers: Mapping[int, Guesser],
    row: int,
    actuals: Mapping[int, int],
    chances: Mapping[int, Chance],
) -> dict[int, Outcome]:
    """Protect several cells of one row, by column, by changing its other cells.

    The guessers' predictors may include the other confidential columns: what is left of those predicts, too.
    """
    spread = any(guesser.mode == kernels.SPREAD for guesser in guessers.values())
    free = list(dict.fromkeys(c for g in guessers.values() for c in g.predictors.tolist() if c not in guessers))
    class_levels = 1
    if spread:
        class_levels = max(table.levels[c] for c in (*guessers, *free))
    levels = max(_levels(table, guesser, free) for guesser in guessers.values())
    before = {column: int(table.frame.codes[column, row]) for column in free}
    found: dict[int, Outcome] = {}
    for class_level in range(1, class_levels + 1):
        remaining = [column for column in guessers if column not in found]
        for column in remaining:
            start = int(table.first[column])
            top = int(kernels.raised(guessers[column].step, start + actuals[column], class_level))
            raise_to(table, column, row, top - start)
        active: dict[int, int] = {}
        for column in remaining:
            actual, chance = actuals[column] + int(table.first[column]), chances[column]
            draw = chance.draw(class_level)
            begun = kernels.opening(table.frame, guessers[column], row, actual, chance.coin, draw)
            status, guess = int(begun[0]), int(begun[1])
            if status == kernels.DONE:
                active[column] = guess
            elif status != kernels.FAILED:
                found[column] = Outcome("done" if class_level > 1 and status == kernels.SAFE else OUTCOMES[status])
        done = _own_lowered(table, guessers, row, actuals, active, before, levels)
        found |= {column: Outcome("done", guess - int(table.first[column])) for column, guess in done.items()}
    return {column: found.get(column, Outcome("failed")) for column in guessers}


def _own_lowered(
    table: CellTable,
    guessers: Mapping[int, Guesser],
    row: int,
    actuals: Mapping[int, int],
    active: dict[int, int],
    before: Mapping[int, int],
    levels: int,
) -> dict[int, int]:
    """Change the row's free cells, the most telling on average first; return the columns that are done, and guesses."""
    frame, step = table.frame, next(iter(guessers.values())).step
    done: dict[int, int] = {}
    for level in range(1, levels + 1):
        telling: list[tuple[Fraction, int, int]] = []
        for column, value in before.items():
            low, high = (int(kernels.raised(step, value, by)) for by in (level - 1, level))
            if low == high or frame.codes[column, row] != low or frame.locked[column, row]:
                continue
            facts = [_telling(table, guessers[j], actuals[j], guess, column, low, high) for j, guess in active.items()]
            if facts:
                telling.append((sum(facts, Fraction(0)) / len(facts), column, high))
        for _, column, high in sorted(telling, key=lambda item: -item[0]):
            if not active:
                return done
            table.set(column, row, high - int(table.first[column]))
            for j, guess in list(active.items()):
                actual = actuals[j] + int(table.first[j])
                if not kernels.above(frame, guessers[j], row, actual, guess):
                    done[j] = active.pop(j)
    return done


def _telling(table: CellTable, guesser: Guesser, actual: int, guess: int, column: int, low: int, high: int) -> Fraction:
    """How much more a value of the row speaks for the true value than for the guess.

    Where values are deleted it is the quotient of the two counts, as in the thesis; else what generalising changes.
    """
    frame = table.frame
    j = table.confidential[guesser.column]
    first = int(frame.class_first[guesser.column])
    k, other = first + int(frame.leaf[actual + int(table.first[j])]), first + int(frame.leaf[guess])
    if guesser.mode != kernels.SPREAD:
        if not frame.up[other, low]:
            return Fraction(0)
        return Fraction(int(frame.up[k, low]), int(frame.up[other, low]))
    nums, dens = np.empty(4 * guesser.size, dtype=np.int64), np.empty(4 * guesser.size, dtype=np.int64)
    start = int(table.first[j])
    n, d = change_kernels.gain(frame, guesser, actual + start, guess, column, low, high, nums, dens)
    if n < 0:
        return Fraction(0)
    quotient = Fraction(1)
    for num in nums[: int(n)].tolist():
        quotient *= num
    for den in dens[: int(d)].tolist():
        quotient /= den
    return quotient
