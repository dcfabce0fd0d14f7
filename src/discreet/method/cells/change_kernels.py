"""The inner loops of DECP, INCP and DROPP: changes that make a guess as probable as the true value.

For one cell, or for several at once. All changes are made in a `Frame`, whose counts follow them. The loops of
`kernels` and `quotient_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import begun_plain, helper, kernel
from discreet.method.cells.kernels import (
    DONE,
    FAILED,
    GO_ON,
    NOBODY,
    REFUSE,
    SPREAD,
    above,
    append_factor,
    compare,
    drawn_guess,
    evidence,
    exact_order,
    give_node,
    is_best,
    likeliest,
    logarithm,
    move,
    opening,
    prior,
    raised,
    weight,
)
from discreet.method.cells.quotient_kernels import order_of

DECP = 0
INCP = 1
DROPP = 2


# Changes that can be taken back


@helper
def _noted(frame, log, n, row, column, node):  # type: ignore[no-untyped-def]
    """Give a cell another node and write to the log what it had; return the new length of the log. Cost: as `move`."""
    log[n, 0], log[n, 1], log[n, 2] = row, column, frame.codes[column, row]
    give_node(frame, row, column, node)
    return n + 1


@kernel
def take_back(frame, log, n):  # type: ignore[no-untyped-def]
    """Undo the last n changes. Cost: n times `move`."""
    for i in range(n - 1, -1, -1):
        give_node(frame, log[i, 0], log[i, 1], log[i, 2])


# Lowering the true value: other rows


@begun_plain
def impact(frame, guesser, k, low, high, level, nums, dens):  # type: ignore[no-untyped-def]
    """Write what p(x | true value) is multiplied by when one row's `low` becomes `high`, as a quotient of two factors.

    Whether it can be done: the last row that has a value keeps it. O(1).
    """
    own, up = frame.own[k], frame.up[k]
    exactly, below = own[low], up[low] - own[low]
    if exactly < (2 if level == 1 else 1):
        return False
    nums[0], dens[0] = exactly + below - 1, exactly + below
    nums[1] = dens[1] = 1
    if guesser.mode == SPREAD:
        others = up[high] - own[high]
        if others == 1:
            return False
        nums[1], dens[1] = others, others - 1
    return order_of(nums, dens, 2, 2, dens, nums, 2, 2) < 0


@kernel
def _rarest(frame, guesser, row, k, level, done):  # type: ignore[no-untyped-def]
    """Return the place of the predictor whose change lowers the true value most, or `NOBODY`. O(predictors * level)."""
    best = NOBODY
    nums, dens = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    best_nums, best_dens = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    for i in range(len(guesser.predictors)):
        node = frame.codes[guesser.predictors[i], row]
        low, high = raised(guesser.step, node, level - 1), raised(guesser.step, node, level)
        if done[i] or low == high or not impact(frame, guesser, k, low, high, level, nums, dens):
            continue
        if best == NOBODY or order_of(nums, dens, 2, 2, best_nums, best_dens, 2, 2) < 0:
            best = i
            best_nums[:] = nums
            best_dens[:] = dens
    return best


@kernel
def lower_others(frame, guesser, row, actual, guess, levels, log, n):  # type: ignore[no-untyped-def]
    """DECP: change other rows of the true value, the rarest of the row's values first, until the guess is as good.

    Returns the number of changes in the log.
    O(levels * predictors * (predictors + rows of the class)), and each change as `move`.
    """
    codes, locked, own = frame.codes, frame.locked, frame.own
    order, begins, step, itself = frame.order, frame.begins, guesser.step, frame.real[row]
    k = frame.class_first[guesser.column] + frame.leaf[actual]
    mine = frame.class_column[guesser.column]
    strict = guesser.strict
    goal = logarithm(frame, guesser, row, guess)  # nothing here changes what is counted for the guess
    ahead = above(frame, guesser, row, actual, guess)
    for level in range(1, levels + 1):
        done = np.zeros(len(guesser.predictors), dtype=np.bool_)
        keep = 1 if level == 1 else 0
        while ahead:
            best = _rarest(frame, guesser, row, k, level, done)
            if best == NOBODY:
                break
            done[best] = True
            column = guesser.predictors[best]
            low, high = raised(step, codes[column, row], level - 1), raised(step, codes[column, row], level)
            apart = logarithm(frame, guesser, row, actual) - weight(frame, guesser, row, actual, column) - goal
            for i in range(begins[k], begins[k + 1]):
                other = order[i]
                if (
                    codes[column, other] == low
                    and codes[mine, other] == actual
                    and not locked[column, other]
                    and other != itself
                ):
                    if own[k, low] <= keep or not ahead:
                        break
                    n = _noted(frame, log, n, other, column, high)
                    now = apart + weight(frame, guesser, row, actual, column)
                    found = exact_order(frame, guesser, row, actual, guess, now)
                    ahead = found > 0 or (found == 0 and strict)
    return n


@helper
def _alike(codes, first, predictors, row, other):  # type: ignore[no-untyped-def]
    """Whether two rows share a known value of a predictor. O(predictors)."""
    found = False
    for i in range(len(predictors)):
        column = predictors[i]
        found = found or codes[column, row] == codes[column, other] != first[column]
    return found


@kernel
def raise_guesses(frame, guesser, row, actual, guess, levels, log, n):  # type: ignore[no-untyped-def]
    """INCP: hide (or generalise) the class of rows unlike this one, so that the better guesses become more probable.

    O(levels * guesses * rows * predictors), and each change as `move`.
    """
    codes, first, locked, order, real = frame.codes, frame.first, frame.locked, frame.order, frame.real
    predictors, step = guesser.predictors, guesser.step
    mine = frame.class_column[guesser.column]
    strict = guesser.strict
    true, known = evidence(frame, guesser, row, actual)  # no change here is one of its rows
    best = likeliest(frame, guesser, row)
    chosen = 0
    for node in best:
        if node != actual and compare(frame, guesser, row, node, guess) >= 0:
            best[chosen] = node
            chosen += 1
    for level in range(1, levels + 1):
        for v in best[:chosen]:
            low, high = raised(step, v, level - 1), raised(step, v, level)
            if low == high:
                continue
            begin, stop = 0, codes.shape[1]
            if level == 1:
                k = frame.class_first[guesser.column] + frame.leaf[v]
                begin, stop = frame.begins[k], frame.begins[k + 1]
            ahead = above(frame, guesser, row, actual, v)
            its, known = evidence(frame, guesser, row, v)
            for i in range(begin, stop):
                if not ahead:
                    break
                other = order[i] if level == 1 else i
                if codes[mine, other] != low or other == real[row] or locked[mine, other] or real[other] != other:
                    continue
                if not _alike(codes, first, predictors, row, other):
                    n = _noted(frame, log, n, other, mine, high)
                    if level == 1:  # a row less is learned from
                        its, known = evidence(frame, guesser, row, v)
                    now = true + prior(frame, guesser, row, actual, known) - its - prior(frame, guesser, row, v, known)
                    found = exact_order(frame, guesser, row, actual, v, now)
                    ahead = found > 0 or (found == 0 and strict)
    return n


# Lowering the true value: the row's own cells


@begun_plain
def gain(frame, guesser, actual, guess, column, low, high, nums, dens):  # type: ignore[no-untyped-def]
    """Write what p(guess)/p(actual) is multiplied by when the row's own `low` becomes `high`, as a quotient.

    O(depth).
    """
    parent, children, root, values = frame.parent, frame.children, frame.first[column], frame.domain[column]
    mode, add, over = guesser.mode, guesser.add, guesser.over
    start = frame.class_first[guesser.column]
    own, up = frame.own[start + frame.leaf[actual]], frame.up[start + frame.leaf[actual]]
    its, ups = frame.own[start + frame.leaf[guess]], frame.up[start + frame.leaf[guess]]
    total, other = frame.all_own[actual], frame.all_own[guess]
    n, d = append_factor(mode, add, over, its, ups, parent, children, root, values, other, high, nums, dens, 0, 0)
    if n >= 0:
        n, d = append_factor(mode, add, over, own, up, parent, children, root, values, total, low, nums, dens, n, d)
    if n >= 0:
        d, n = append_factor(mode, add, over, its, ups, parent, children, root, values, other, low, dens, nums, d, n)
        if d >= 0:
            d, n = append_factor(
                mode, add, over, own, up, parent, children, root, values, total, high, dens, nums, d, n
            )
        if d < 0:
            n = -1
    return n, d


@kernel
def lower_own(frame, guesser, row, actual, guess, levels, log, n):  # type: ignore[no-untyped-def]
    """DROPP: hide (or generalise) the row's own cells, the most telling first, until the guess is as good.

    What the row has now is compared with what it would have at a level: a column may have been passed over before.
    O(levels * predictors² * depth).
    """
    size, parts = guesser.size, len(guesser.predictors)
    before = np.empty(parts, dtype=np.int64)
    for i in range(parts):
        before[i] = frame.codes[guesser.predictors[i], row]
    nums, dens = np.empty(4 * size, dtype=np.int64), np.empty(4 * size, dtype=np.int64)
    best_nums, best_dens = np.empty(4 * size, dtype=np.int64), np.empty(4 * size, dtype=np.int64)
    one = np.ones(1, dtype=np.int64)
    for level in range(1, levels + 1):
        done = np.zeros(parts, dtype=np.bool_)
        while above(frame, guesser, row, actual, guess):
            best, best_n, best_d = NOBODY, 0, 0
            for i in range(parts):
                column = guesser.predictors[i]
                low, high = frame.codes[column, row], raised(guesser.step, before[i], level)
                if done[i] or low == high or frame.locked[column, row]:
                    continue
                m, d = gain(frame, guesser, actual, guess, column, low, high, nums, dens)
                if m < 0 or order_of(nums, dens, m, d, one, one, 1, 1) <= 0:
                    continue
                if best == NOBODY or order_of(nums, dens, m, d, best_nums, best_dens, best_n, best_d) > 0:
                    best, best_n, best_d = i, m, d
                    best_nums[:m] = nums[:m]
                    best_dens[:d] = dens[:d]
            if best == NOBODY:
                break
            done[best] = True
            column = guesser.predictors[best]
            n = _noted(frame, log, n, row, column, raised(guesser.step, before[best], level))
    return n


# One cell


@kernel
def _most_changes(frame, guesser, row, actual, how, levels):  # type: ignore[no-untyped-def]
    """Return how many changes can be made at most for one cell. O(1)."""
    if how == DROPP:
        return len(guesser.predictors) * levels
    k = frame.class_first[guesser.column] + frame.leaf[actual]
    others = (frame.begins[k + 1] - frame.begins[k]) * len(guesser.predictors)
    if how == INCP:
        others += frame.all_up[frame.codes[frame.class_column[guesser.column], row]]
    return others * levels


@kernel
def one_level(frame, guesser, row, actual, how, levels, coin, draw, again):  # type: ignore[no-untyped-def]
    """Protect one cell at the class level it has now; return what became of it, the guess, and the changes.

    `again`: INCP may go on with DECP where raising was not enough (and values are deleted). All is taken back when it
    fails. Cost: as `opening` and the method.
    """
    status, guess = opening(frame, guesser, row, actual, coin, draw)
    if status != DONE:
        return status, guess, np.empty((0, 3), dtype=np.int64)
    log = np.empty((_most_changes(frame, guesser, row, actual, how, levels), 3), dtype=np.int64)
    n = 0
    if how == DECP:
        n = lower_others(frame, guesser, row, actual, guess, levels, log, n)
    elif how == DROPP:
        n = lower_own(frame, guesser, row, actual, guess, levels, log, n)
    else:
        n = raise_guesses(frame, guesser, row, actual, guess, levels, log, n)
        if again and is_best(frame, guesser, row, actual):
            better = drawn_guess(frame, guesser, row, actual, draw)
            if better != NOBODY:
                n = lower_others(frame, guesser, row, actual, better, levels, log, n)
    if is_best(frame, guesser, row, actual):
        take_back(frame, log, n)
        return FAILED, guess, np.empty((0, 3), dtype=np.int64)
    return DONE, guess, log[:n].copy()


@helper
def _give(frame, row, column, node):  # type: ignore[no-untyped-def]
    """Give a row, and the one it is a shadow of, another node. Cost: as `move`, twice."""
    move(frame, frame.real[row], column, node)
    move(frame, row, column, node)


@kernel
def all_levels(frame, guesser, row, actual, how, levels, coin, draws, again):  # type: ignore[no-untyped-def]
    """Protect one cell at one class level after the other until it works, from the one it has now (or the next).

    Cost: so many times `one_level` as the class has levels.
    """
    mine = frame.class_column[guesser.column]
    top = frame.codes[mine, row]
    if top == actual:
        top = guesser.step[top]
    status, guess, changes = FAILED, NOBODY, np.empty((0, 3), dtype=np.int64)
    level = 0
    while top >= 0 and status == FAILED:
        _give(frame, row, mine, top)
        draw = draws[level % len(draws)]
        status, guess, changes = one_level(frame, guesser, row, actual, how, levels, coin, draw, again)
        top = guesser.step[top]
        level += 1
    return status, guess, changes


@begun_plain
def one_cell(frame, guesser, row, actual, how, levels, coin, draws, fall_back):  # type: ignore[no-untyped-def]
    """Protect one cell; return what became of it, the guess, and the changes. A cell that failed is hidden.

    `fall_back`: INCP may go on with DECP: at once where values are deleted, else from the first class level again, with
    no second coin. Cost: as `all_levels`, once or twice.
    """
    mine, spread = frame.class_column[guesser.column], guesser.mode == SPREAD
    begin = frame.codes[mine, row]
    again = fall_back and not spread
    found = all_levels(frame, guesser, row, actual, how, levels, coin, draws, again)
    if found[0] == FAILED and how == INCP and fall_back and spread:
        _give(frame, row, mine, begin)
        kept = REFUSE if coin == REFUSE else GO_ON
        found = all_levels(frame, guesser, row, actual, DECP, levels, kept, draws, False)
    if found[0] == FAILED:
        _give(frame, row, mine, frame.first[mine])
    return found


# Several cells at once


@begun_plain
def lower_shared(frame, guesser, rows, guesses, active, actual, column, value, low, high, keep):  # type: ignore[no-untyped-def]
    """e-DECP: change `low` to `high` in rows of the true value as long as an active row has `value`.

    Rows whose guess has become as good are active no more. `keep` rows keep the value. Returns the number of changes.
    O(rows of the class * rows); each change as `move`, with `above` of every active row.
    """
    k = frame.class_first[guesser.column] + frame.leaf[actual]
    mine = frame.class_column[guesser.column]
    changes = 0
    for i in range(frame.begins[k], frame.begins[k + 1]):
        other = frame.order[i]
        if frame.codes[column, other] != low or frame.codes[mine, other] != actual or frame.locked[column, other]:
            continue
        touched = False
        for place in range(len(rows)):
            touched = touched or (active[place] and frame.codes[column, rows[place]] == value)
        if not touched or frame.own[k, low] <= keep:
            break
        move(frame, other, column, high)
        changes += 1
        for place in range(len(rows)):
            if active[place]:
                active[place] = above(frame, guesser, rows[place], actual, guesses[place])
    return changes
