"""Kernels of blind protection: the block of a predictor, which is told of a cell in its place.

Where it is unsure which whole number of billionths a probability is rounded to, and it matters, `UNSURE` is returned.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.common.compiled import helper, kernel
from discreet.method.cells.blind_judging_kernels import (
    ADDED,
    BILLION,
    DIFFERS,
    ERROR,
    UNSURE,
    judge,
    judge_room,
    largest_figure,
)

LARGEST = 2**62
"""More than any product of two numbers of billionths."""


@kernel
def let_in(learned, asked, start, x, times, inside, agreeing, close, tallied, weights):  # type: ignore[no-untyped-def]
    """Let an element into a block: what agrees with it agrees with the block.

    `times` has of each element of the column with how many of the block it agrees. O(elements x values)
    """
    for at in range(learned.cover_first[x], learned.cover_first[x + 1]):
        y = learned.cover[at]
        times[y - start] += 1
        if times[y - start] == 1:
            for v in range(len(learned.rows)):
                inside[v] += learned.having[y, v]
                agreeing[v] += tallied[y, v]
                if asked.near:
                    close[v] += weights[y, v]


@kernel
def _let_out(learned, asked, start, x, times, inside, agreeing, close, tallied, weights):  # type: ignore[no-untyped-def]
    """Let an element out of a block: what agrees with no other of it agrees no longer. O(elements x values)"""
    for at in range(learned.cover_first[x], learned.cover_first[x + 1]):
        y = learned.cover[at]
        times[y - start] -= 1
        if times[y - start] == 0:
            for v in range(len(learned.rows)):
                inside[v] -= learned.having[y, v]
                agreeing[v] -= tallied[y, v]
                if asked.near:
                    close[v] -= weights[y, v]


@kernel
def _block_logs(learned, inside, size, elements, logs):  # type: ignore[no-untyped-def]
    """Reckon the logarithm of the likelihood of a block with each value. O(values)"""
    for c in range(len(learned.known)):
        for v in range(learned.secret[c], learned.secret[c + 1]):
            logs[v] = learned.log[inside[v] + size] - learned.log[learned.rows[v] + elements]


@helper
def _nearly(asked, close, total, near):  # type: ignore[no-untyped-def]
    """Weigh all rows with one fact more, with which `close` of them agree. O(values)"""
    for v in range(len(total) if asked.near else 0):
        near[v] = close[v] + DIFFERS * (total[v] - close[v])


@kernel
def _judge_block(learned, asked, scores, k, elements, size, inside, agreeing, close, nearby, least, top):  # type: ignore[no-untyped-def]
    """Judge a block; raise `top` from the largest figures of what is told already to those of the block. O(values)"""
    values = len(learned.rows)
    logs, found, near = np.zeros(values), np.zeros(values), np.zeros(values)
    top[0], top[1] = least[0], least[1]
    _block_logs(learned, inside, size, elements, logs)
    _nearly(asked, close, nearby.total, near)
    return judge(learned, asked, scores, logs, k, agreeing, near, nearby.error, found, top)


@kernel
def chance(learned, asked, j, now, inside, size, agreeing, close, nearby, rows, out):  # type: ignore[no-untyped-def]
    """Reckon how likely the element of a predictor is outside its block, by the first reference, in billionths.

    O(values).
    """
    elements = learned.first[j + 1] - learned.first[j]
    end, total, outside = learned.secret[1], 0.0, 0.0
    if asked.by_count or asked.by_near:
        beside = ADDED + 0.0
        for v in range(end):
            all_rows, these = rows[v] + 0.0, agreeing[v] + 0.0
            if asked.by_near:
                all_rows, these = nearby.total[v], close[v]
            total += all_rows - these
            outside += learned.rows[v] - inside[v]
            beside += all_rows
        total = (total + ADDED * (outside / learned.known[0])) / beside
    else:
        for v in range(end):
            total += now[v] * (1.0 - (inside[v] + size) / (learned.rows[v] + elements))
    error = now[len(now) - 1] + ERROR * (end + 4.0) + (nearby.error if asked.by_near else 0.0)
    out[0] = math.floor(total * BILLION - error + 0.5)
    out[1] = math.floor(total * BILLION + error + 0.5)


@kernel
def grown(learned, asked, j, scores, k, tallied, nearby, least, bad, size, times, inside, agreeing, close, top):  # type: ignore[no-untyped-def]
    """Let the block of a predictor grow until it is within the limits, or whole; 0 or `UNSURE`.

    `bad` says which elements are in it, `size` how many; `least` has the largest figures of what is told already,
    `top` is given those of the block. O(elements^2 x values)
    """
    start, elements, values = learned.first[j], learned.first[j + 1] - learned.first[j], len(learned.rows)
    logs, found, near = np.zeros(values), np.zeros(values), np.zeros(values)
    more, also, seen = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64), times.copy()
    best, tried, closer = np.zeros(2), np.zeros(2), np.zeros(values)
    while size < elements - 1:
        chosen = -1
        for x in range(elements):
            if bad[x]:
                continue
            for v in range(values):
                more[v], also[v], closer[v] = inside[v], agreeing[v], close[v]
            for y in range(elements):
                seen[y] = times[y]
            let_in(learned, asked, start, start + x, seen, more, also, closer, tallied, nearby.weights)
            _block_logs(learned, more, size + 1, elements, logs)
            _nearly(asked, closer, nearby.total, near)
            tried[0], tried[1] = least[0], least[1]
            most = 2 * BILLION if chosen < 0 else best[1]
            largest_figure(learned, asked, scores, logs, k, also, near, nearby.error, found, tried, most)
            if chosen >= 0 and tried[1] >= best[0] and tried[0] < best[1]:
                return UNSURE
            if chosen < 0 or tried[1] < best[0]:
                chosen = x
                best[0], best[1] = tried[0], tried[1]
        bad[chosen] = True
        size += 1
        let_in(learned, asked, start, start + chosen, times, inside, agreeing, close, tallied, nearby.weights)
        verdict = _judge_block(
            learned, asked, scores, k, elements, size, inside, agreeing, close, nearby, least, top
        )  # fmt: skip
        if verdict != 0:
            return min(verdict, 0)
    for x in range(elements):
        bad[x] = True
    return 0


@kernel
def _likelihoods(learned, asked, j, now, tallied, nearby, rows, bad, likely):  # type: ignore[no-untyped-def]
    """Reckon how likely each element of a predictor is that may be told, in billionths. O(elements^2 x values)"""
    start, elements, values = learned.first[j], learned.first[j + 1] - learned.first[j], len(learned.rows)
    inside, agreeing, close = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64), np.zeros(values)
    times, other = np.zeros(elements, dtype=np.int64), np.zeros(2)
    for x in range(elements):
        if bad[x]:
            continue
        for v in range(values):
            inside[v], agreeing[v], close[v] = 0, 0, 0.0
        for y in range(elements):
            times[y] = 0
        let_in(learned, asked, start, start + x, times, inside, agreeing, close, tallied, nearby.weights)
        chance(learned, asked, j, now, inside, 1, agreeing, close, nearby, rows, other)
        likely[x, 0], likely[x, 1] = BILLION - other[1], BILLION - other[0]


@kernel
def _alike(learned, asked, j, tallied, weights, kind):  # type: ignore[no-untyped-def]
    """Give elements of a predictor that as many rows have, of each value, one number in `kind`.

    Where some agree with others, each has its own. O(elements x numbers x values)
    """
    start, elements = learned.first[j], learned.first[j + 1] - learned.first[j]
    alone = learned.cover_first[start + elements] - learned.cover_first[start] == elements
    firsts, kinds = np.zeros(elements, dtype=np.int64), 0
    for x in range(elements):
        kind[x] = kinds
        for at in range(kinds if alone else 0):
            y, same = firsts[at], True
            for v in range(len(learned.rows)):
                same = learned.having[start + x, v] == learned.having[start + y, v]
                same = same and tallied[start + x, v] == tallied[start + y, v]
                if asked.near:
                    same = same and weights[start + x, v] == weights[start + y, v]
                if not same:
                    break
            if same:
                kind[x] = at
                break
        if kind[x] == kinds:
            firsts[kinds] = x
            kinds += 1


@kernel
def left(learned, asked, j, now, rows, scores, k, tallied, nearby, least, bad, times, inside, agreeing, close, top):  # type: ignore[no-untyped-def]  # noqa: C901
    """Let all elements of a predictor into its block, and out again one by one as long as it is within the limits.

    `bad` says which may not be told, and at last which are in the block; `now` is how likely each value of the first
    secret is, `rows` the rows that agree with all facts, the rest as in `grown`. Of elements that are alike only the
    first is looked at. 0 or `UNSURE`. O(elements^2 x different elements x values)
    """
    start, elements, values = learned.first[j], learned.first[j + 1] - learned.first[j], len(learned.rows)
    logs, found, near, before = np.zeros(values), np.zeros(values), np.zeros(values), np.zeros(values)
    must, likely, room = bad.copy(), np.zeros((elements, 2)), np.zeros(2)
    weight, best = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    kind, seen, turn = np.zeros(elements, dtype=np.int64), np.zeros(elements, dtype=np.int64), 0
    _alike(learned, asked, j, tallied, nearby.weights, kind)
    _likelihoods(learned, asked, j, now, tallied, nearby, rows, must, likely)
    for x in range(elements):
        if not must[x]:
            bad[x] = True
            let_in(learned, asked, start, start + x, times, inside, agreeing, close, tallied, nearby.weights)
    size, chosen = elements, 0
    while chosen >= 0:
        chosen, turn = -1, turn + 1
        for x in range(elements):
            if must[x] or not bad[x] or seen[kind[x]] == turn:
                continue
            seen[kind[x]] = turn
            for v in range(values):
                before[v] = close[v]
            _let_out(learned, asked, start, start + x, times, inside, agreeing, close, tallied, nearby.weights)
            _block_logs(learned, inside, size - 1, elements, logs)
            _nearly(asked, close, nearby.total, near)
            enough = -LARGEST if chosen < 0 else best[0]
            verdict = judge_room(
                learned, asked, scores, logs, k, agreeing, near, nearby.error, found, likely[x], enough, room, weight
            )
            let_in(learned, asked, start, start + x, times, inside, agreeing, close, tallied, nearby.weights)
            for v in range(values):  # floats that went out and in may have changed
                close[v] = before[v]
            if verdict == UNSURE:
                return UNSURE
            if verdict == 1 and (chosen < 0 or weight[0] > best[1]):
                chosen = x
                best[0], best[1] = weight[0], weight[1]
            elif verdict == 1 and weight[1] >= best[0] and (weight[0] != weight[1] or best[0] != best[1]):
                return UNSURE
        if chosen >= 0:
            bad[chosen] = False
            size -= 1
            _let_out(learned, asked, start, start + chosen, times, inside, agreeing, close, tallied, nearby.weights)
    if size < elements:
        _judge_block(learned, asked, scores, k, elements, size, inside, agreeing, close, nearby, least, top)
    return 0


@kernel
def find_block(  # type: ignore[no-untyped-def]
    learned, asked, j, now, rows, scores, k, tallied, nearby, least, bad, times, inside, agreeing, close, top
):
    """Find the block of a predictor, of which `bad` says which elements may not be told; 0 or `UNSURE`.

    Those alone where that is enough; else others join them, or all do and some leave. Arguments are those of `left`,
    in the end of `times` to `close` the block. O(elements^2 x different elements x values)
    """
    start, elements, size = learned.first[j], learned.first[j + 1] - learned.first[j], 0
    for x in range(elements):
        if bad[x]:
            size += 1
            let_in(learned, asked, start, start + x, times, inside, agreeing, close, tallied, nearby.weights)
    verdict = _judge_block(learned, asked, scores, k, elements, size, inside, agreeing, close, nearby, least, top)
    if verdict != 0:
        return min(verdict, 0)
    if asked.leaves:
        return left(
            learned, asked, j, now, rows, scores, k, tallied, nearby, least, bad, times, inside, agreeing, close, top
        )
    return grown(learned, asked, j, scores, k, tallied, nearby, least, bad, size, times, inside, agreeing, close, top)
