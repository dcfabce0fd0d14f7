"""Kernels of blind protection: what is asked next of a row, and which of its values would be starred.

Probabilities are compared by the whole number of billionths that they are rounded to. A float says between which two
whole numbers that is; where these differ and it matters, `UNSURE` is returned, and whoever asked reckons exactly.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import helper, kernel
from discreet.method.cells.blind_block_kernels import chance, find_block, let_in
from discreet.method.cells.blind_judging_kernels import BILLION, UNSURE, judge_value, largest_figure, value_odds

LEAST_CHANCE = 50_000_000
"""In billionths: what is less likely to be told is not asked."""
STOP = -1


@kernel
def _outset(  # type: ignore[no-untyped-def]
    learned, asked, j, scores, starless, k, told, tallied, tallied_told, nearby, now, rows, enough, bad, tops, likely
):
    """Return how many elements of a predictor cannot be told; `UNSURE`; all of them where it need not be asked.

    They are marked in `bad`, the largest figures of the others are in `tops`, and how likely one of the others is in
    `likely`: it need not be asked where that is less than `enough`. O(elements x values)
    """
    start, elements, values = learned.first[j], learned.first[j + 1] - learned.first[j], len(learned.rows)
    agreeing, near, found = np.zeros(values, dtype=np.int64), np.zeros(values), np.zeros(values)
    inside, block, close = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64), np.zeros(values)
    times = np.zeros(elements, dtype=np.int64)
    size = 0
    likely[0], likely[1] = BILLION, BILLION
    for x in range(elements):
        if bad[x]:
            continue
        verdict = judge_value(
            learned, asked, start + x, scores, k + 1, tallied, nearby.weights, nearby.total, nearby.error, agreeing,
            near, found, tops[x],
        )  # fmt: skip
        if k > told and verdict != 0:
            other = judge_value(
                learned, asked, start + x, starless, told + 1, tallied_told, nearby.told, nearby.told_total,
                nearby.error, agreeing, near, found, tops[x],
            )  # fmt: skip
            if other != 1:
                verdict = other
        if verdict == UNSURE:
            return UNSURE
        if verdict == 1:
            continue
        if asked.whole:
            return elements
        bad[x] = True
        size += 1
        let_in(learned, asked, start, start + x, times, inside, block, close, tallied, nearby.weights)
        marked = learned.marked[j]
        if marked >= 0 and not bad[marked]:
            bad[marked] = True
            size += 1
            let_in(learned, asked, start, start + marked, times, inside, block, close, tallied, nearby.weights)
        chance(learned, asked, j, now, inside, size, block, close, nearby, rows, likely)
        if likely[1] < enough:
            return elements
    return size


@helper
def _better(j, chosen, rank, likely, best, top, worst):  # type: ignore[no-untyped-def]
    """Return 1 if a predictor is asked rather than the one that is chosen so far, 0 if not, `UNSURE`. O(1)"""
    better = 0
    if chosen == STOP or rank[j] < rank[chosen] or (rank[j] == rank[chosen] and likely[0] > best[1]):
        better = 1
    elif rank[j] == rank[chosen] and likely[1] >= best[0]:  # about as likely
        if likely[0] != likely[1] or best[0] != best[1]:
            better = UNSURE
        elif j > chosen:
            if top[1] < worst[0]:
                better = 1
            elif top[0] < worst[1]:
                better = UNSURE
        elif worst[0] >= top[1]:
            better = 1
        elif worst[1] >= top[0]:
            better = UNSURE
    return better


@helper
def _weighed(j, chosen, rank, bad, tops, likely, top, best, worst):  # type: ignore[no-untyped-def]
    """Return which is asked of a predictor and the one that is chosen so far; `UNSURE`.

    `top` are the largest figures of its block, `tops` those of its elements, which may be told but for those that are
    `bad`. `best` and `worst` are how likely the chosen one is told, and the largest figures of it. O(elements)
    """
    for x in range(len(bad)):
        if not bad[x]:
            top[0] = max(top[0], tops[x, 0])
            top[1] = max(top[1], tops[x, 1])
    better = _better(j, chosen, rank, likely, best, top, worst)
    if better == UNSURE:
        return UNSURE
    if better == 0:
        return chosen
    best[0], best[1], worst[0], worst[1] = likely[0], likely[1], top[0], top[1]
    return j


@kernel
def decide(learned, asked, open_, rank, scores, starless, k, told, tallied, tallied_told, nearby, rows, block):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Return the predictor that is asked next with its block in `block`; `STOP`, or `UNSURE`.

    Parameters
    ----------
    open_
        Which predictors may be asked.
    rank
        Of each the place in the order that is wanted; as many as there are predictors for those without.
    scores, k, tallied
        Sums of logarithms, number of facts and rows that agree by element, stars read as blocks.
    starless, told, tallied_told
        The same, stars read as nothing.
    nearby
        What `kernel` knows.
    rows
        The rows of the rest that agree with all facts, by value.

    O(open predictors x elements x values), where blocks are found O(elements^2) times that.
    """
    values, predictors = len(learned.rows), len(open_)
    agreeing, inside = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64)
    found, nothing, now = np.zeros(values), np.zeros(values), np.zeros(values + 1)
    close, slip = np.zeros(values), nearby.error
    least, top, likely = np.zeros(2), np.zeros(2), np.zeros(2)
    if told > 0:  # nothing is added: what was told as values
        start = 0
        while not open_[start] and start < predictors - 1:
            start += 1
        for x in range(learned.first[start], learned.first[start + 1]):
            for v in range(values):
                agreeing[v] += tallied_told[x, v]
        largest_figure(
            learned, asked, starless, nothing, told, agreeing, nearby.told_total, slip, found, least, 2 * BILLION
        )
    if k == 0:
        for v in range(learned.secret[1]):
            now[v] = learned.rows[v] / learned.known[0]
    elif asked.bayes:
        total, now[values] = value_odds(learned, 0, scores, nothing, k, found)
        for v in range(learned.secret[1]):
            now[v] = found[v] / total
    bad, tops = np.zeros(learned.first[predictors], dtype=np.bool_), np.zeros((learned.first[predictors], 2))
    times = np.zeros(len(block), dtype=np.int64)
    # A block has all that may not be told: what cannot become the likeliest by that alone is left alone.
    bound = np.full(predictors, -1.0)
    chosen, best, worst = STOP, np.zeros(2), np.zeros(2)
    for j in range(predictors):
        if not open_[j] or (chosen != STOP and rank[j] > rank[chosen]):
            continue
        start, elements = learned.first[j], learned.first[j + 1] - learned.first[j]
        enough = LEAST_CHANCE + 0.0
        if chosen != STOP and rank[j] == rank[chosen]:
            enough = best[0]
        size = _outset(
            learned, asked, j, scores, starless, k, told, tallied, tallied_told, nearby, now, rows, enough,
            bad[start : start + elements], tops[start : start + elements], likely,
        )  # fmt: skip
        if size == UNSURE:
            return UNSURE
        if size == elements:
            continue
        bound[j] = likely[1]
        if size == 0:
            bound[j], top[0], top[1] = -1.0, 0.0, 0.0
            chosen = _weighed(
                j, chosen, rank, bad[start : start + elements], tops[start : start + elements], likely, top, best, worst
            )
            if chosen == UNSURE:
                return UNSURE
    while True:
        j = -1
        for other in range(predictors):
            if bound[other] >= 0 and (
                j < 0 or rank[other] < rank[j] or (rank[other] == rank[j] and bound[other] > bound[j])
            ):
                j = other
        if j < 0 or (chosen != STOP and (rank[j] > rank[chosen] or (rank[j] == rank[chosen] and bound[j] < best[0]))):
            break
        bound[j] = -1.0
        start, elements = learned.first[j], learned.first[j + 1] - learned.first[j]
        starred = bad[start : start + elements]
        for v in range(values):
            inside[v], agreeing[v], close[v] = 0, 0, 0.0
        for x in range(elements):
            times[x] = 0
        verdict = find_block(
            learned, asked, j, now, rows, scores, k + 1, tallied, nearby, least, starred, times, inside, agreeing,
            close, top,
        )  # fmt: skip
        if verdict == UNSURE:
            return UNSURE
        size = 0
        for x in range(elements):
            size += starred[x]
        if size == elements:
            continue
        chance(learned, asked, j, now, inside, size, agreeing, close, nearby, rows, likely)
        if likely[0] < LEAST_CHANCE <= likely[1]:
            return UNSURE
        if likely[1] < LEAST_CHANCE:
            continue
        chosen = _weighed(j, chosen, rank, starred, tops[start : start + elements], likely, top, best, worst)
        if chosen == UNSURE:
            return UNSURE
    for x in range(len(block)):
        block[x] = chosen != STOP and x < learned.first[chosen + 1] - learned.first[chosen]
        if block[x]:
            block[x] = bad[learned.first[chosen] + x]
    return chosen
