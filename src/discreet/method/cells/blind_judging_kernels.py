"""Kernels of blind protection: how sure the references are of each value, and whether that is within the limits.

Probabilities are compared by the whole number of billionths that they are rounded to. A float says between which two
whole numbers that is; where these differ and it matters, `UNSURE` is returned, and whoever asked reckons exactly.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from discreet.common.compiled import helper, kernel

BILLION = 1e9
ERROR = 2.3e-16 * BILLION * 8
"""Of one step of reckoning, in billionths, amply."""
ADDED = 10
"""Rows, spread like the whole column, that `count` adds to those that agree."""
DIFFERS = 0.25
"""What a row weighs for `kernel`, for each fact in which it differs."""
UNSURE = -2


class BlindLearned(NamedTuple):
    """What the references have learned of the secrets of some rows; values of all secrets stand side by side."""

    first: np.ndarray
    """Where the elements of each predictor begin, and where the last ends."""
    cover_first: np.ndarray
    cover: np.ndarray
    """For each element the elements of rows that agree with it."""
    marked: np.ndarray
    """For each predictor the element that reads like a hidden cell, or -1."""
    secret: np.ndarray
    """Where the values of each secret begin, and where the last ends."""
    rows: np.ndarray
    """The rows of the rest with each value."""
    known: np.ndarray
    """The rows of the rest that know each secret."""
    spread: np.ndarray
    """Of each value: so many of the rows that are added to those that agree."""
    prior: np.ndarray
    """The logarithm of each value's share."""
    having: np.ndarray
    """By element and value: rows of the rest."""
    logs: np.ndarray
    """By element and value: the logarithm of its likelihood."""
    log: np.ndarray
    """The logarithms of whole numbers."""
    tau: np.ndarray
    """By secret and number of facts."""
    cap: np.ndarray
    """Of each value: so many billionths are within its limit for naive Bayes."""
    over: np.ndarray
    """The limit of each value, of so many parts..."""
    parts: np.ndarray
    """...of each secret."""


class BlindRules(NamedTuple):
    """What decides beside what was learned."""

    bayes: bool
    counts: bool
    by_count: bool
    """Whether `count` is the first reference."""
    whole: bool
    """Whether there are no blocks."""
    leaves: bool
    """Whether values leave a block that was whole, rather than join one that has only what may not be told."""
    near: bool = False
    """Whether `kernel` is a reference."""
    by_near: bool = False
    """Whether it is the first."""


class BlindNear(NamedTuple):
    """All rows of the rest, weighed by how near they are to what is told; nothing where `kernel` is no reference."""

    weights: np.ndarray
    """By element and value, stars read as blocks."""
    total: np.ndarray
    """By value."""
    told: np.ndarray
    """As `weights`, stars read as nothing."""
    told_total: np.ndarray
    error: float
    """Of a figure, in billionths."""


@kernel
def tally(cells, values, start, rows, open_, found):  # type: ignore[no-untyped-def]
    """Count some rows of the rest by the elements of open predictors and the values of a secret into `found`.

    `cells` has, by predictor and row, where the values of its element begin; those of this secret `start` there.
    O(rows x open predictors)
    """
    for j in range(len(open_)):
        if open_[j]:
            for i in range(len(rows)):
                row = rows[i]
                if values[row] >= 0:
                    found[cells[j, row] + start + values[row]] += 1


@helper
def value_odds(learned, c, scores, logs, k, found):  # type: ignore[no-untyped-def]
    """Reckon the odds of each value by naive Bayes, beside the likeliest, into `found`; return sum and error. O(values)

    The error is that of a posterior, in billionths.
    """
    begin, end = learned.secret[c], learned.secret[c + 1]
    tau = learned.tau[c, k]
    largest, size = -np.inf, 1.0
    for v in range(begin, end):
        score = learned.prior[v] + tau * (scores[v] + logs[v])
        found[v] = score
        largest = max(largest, score)
        size = max(size, -tau * (scores[v] + logs[v]) - learned.prior[v])
    total = 0.0
    for v in range(begin, end):
        odds = 1.0
        if found[v] < largest:
            odds = math.exp(found[v] - largest)
        found[v] = odds
        total += odds
    return total, ERROR * (k + 4.0 + end - begin) * size


@helper
def _raise(top, figure, error):  # type: ignore[no-untyped-def]
    """Raise `top` to a figure, both in billionths, rounded at both ends of its error. O(1)"""
    top[0] = max(top[0], math.floor(figure - error + 0.5))
    top[1] = max(top[1], math.floor(figure + error + 0.5))


@helper
def _count_share(learned, c, agreeing, rows):  # type: ignore[no-untyped-def]
    """Return the largest share among some rows that agree, with those that are added. O(values)"""
    most = 0.0
    for v in range(learned.secret[c], learned.secret[c + 1]):
        most = max(most, agreeing[v] + learned.spread[v])
    return most / rows


@kernel
def largest_figure(learned, asked, scores, logs, k, agreeing, near, slip, found, top, most):  # type: ignore[no-untyped-def]
    """Raise `top` to the largest figure of all references; end as soon as it is above `most`. O(values)

    `scores` are sums of logarithms before a fact, `logs` those of the fact, `agreeing` the rows that agree with all,
    `near` those that do nearly, by weight, with an error of `slip` billionths.
    """
    for c in range(len(learned.known) if asked.counts else 0):
        rows = ADDED
        for v in range(learned.secret[c], learned.secret[c + 1]):
            rows += agreeing[v]
        _raise(top, _count_share(learned, c, agreeing, rows) * BILLION, ERROR)
        if top[0] > most:
            return
    for c in range(len(learned.known) if asked.near else 0):
        weight, figure = ADDED + 0.0, 0.0
        for v in range(learned.secret[c], learned.secret[c + 1]):
            weight += near[v]
            figure = max(figure, near[v] + learned.spread[v])
        _raise(top, figure / weight * BILLION, slip)
        if top[0] > most:
            return
    for c in range(len(learned.known) if asked.bayes else 0):
        total, error = value_odds(learned, c, scores, logs, k, found)
        _raise(top, 1.0 / total * BILLION, error)
        if top[0] > most:
            return


@kernel
def judge(learned, asked, scores, logs, k, agreeing, near, slip, found, top):  # type: ignore  # noqa: C901
    """Return 1 if every reference is within the limits, 0 if one is not, `UNSURE`; raise `top` to the largest.

    Arguments are those of `largest_figure`. Ends early where the answer is 0: nothing is wanted of `top`. O(values)
    """
    verdict = 1
    for c in range(len(learned.known) if asked.counts else 0):
        begin, end = learned.secret[c], learned.secret[c + 1]
        rows = ADDED
        for v in range(begin, end):
            rows += agreeing[v]
        each = learned.parts[c] // learned.known[c]
        for v in range(begin, end):
            if agreeing[v] * learned.parts[c] + ADDED * learned.rows[v] * each > learned.over[v] * rows:
                return 0
        _raise(top, _count_share(learned, c, agreeing, rows) * BILLION, ERROR)
    for c in range(len(learned.known) if asked.near else 0):
        weight = ADDED + 0.0
        for v in range(learned.secret[c], learned.secret[c + 1]):
            weight += near[v]
        for v in range(learned.secret[c], learned.secret[c + 1]):
            figure = (near[v] + learned.spread[v]) / weight * BILLION
            edge = learned.over[v] / learned.parts[c] * BILLION
            _raise(top, figure, slip)
            if figure - slip > edge:
                return 0
            if figure + slip > edge:
                verdict = UNSURE
    for c in range(len(learned.known) if asked.bayes else 0):
        total, error = value_odds(learned, c, scores, logs, k, found)
        for v in range(learned.secret[c], learned.secret[c + 1]):
            figure, above = found[v] / total * BILLION, learned.cap[v] + 1.0
            if figure - error + 0.5 >= above:
                return 0
            if figure + error + 0.5 >= above:
                verdict = UNSURE
        _raise(top, 1.0 / total * BILLION, error)
    return verdict


@helper
def _lower(room, cap, figure, error):  # type: ignore[no-untyped-def]
    """Lower `room` to what is left of a limit beside a figure, in billionths, at both ends of its error. O(1)"""
    room[0] = min(room[0], cap + 1.0 - math.floor(figure + error + 0.5))
    room[1] = min(room[1], cap + 1.0 - math.floor(figure - error + 0.5))


@helper
def weigh(likely, room, weight):  # type: ignore[no-untyped-def]
    """Put the least and the largest product of two numbers of billionths, the first at least 0, into `weight`. O(1)"""
    least, most = int(max(likely[0], 0.0)), int(likely[1])
    low, high = int(room[0]), int(room[1])
    weight[0] = min(least * low, most * low)
    weight[1] = max(least * high, most * high)


@kernel
def judge_room(learned, asked, scores, logs, k, agreeing, near, slip, found, likely, least, room, weight):  # type: ignore  # noqa: C901
    """Judge a block that a value has left: 1 if every reference is within the limits, 0, or `UNSURE`.

    `room` is given the least that any reference leaves of a limit, in billionths, and `weight` its product with how
    `likely` the value is. Ends early, with 0, where that is below `least`. Other arguments are those of
    `largest_figure`. O(values)
    """
    verdict = 1
    room[0], room[1] = BILLION, BILLION
    for c in range(len(learned.known) if asked.counts else 0):
        begin, end = learned.secret[c], learned.secret[c + 1]
        rows = ADDED
        for v in range(begin, end):
            rows += agreeing[v]
        each = learned.parts[c] // learned.known[c]
        for v in range(begin, end):
            if agreeing[v] * learned.parts[c] + ADDED * learned.rows[v] * each > learned.over[v] * rows:
                return 0
            _lower(room, learned.cap[v], (agreeing[v] + learned.spread[v]) / rows * BILLION, ERROR)
    for c in range(len(learned.known) if asked.near else 0):
        rows_near = ADDED + 0.0
        for v in range(learned.secret[c], learned.secret[c + 1]):
            rows_near += near[v]
        for v in range(learned.secret[c], learned.secret[c + 1]):
            figure = (near[v] + learned.spread[v]) / rows_near * BILLION
            edge = learned.over[v] / learned.parts[c] * BILLION
            if figure - slip > edge:
                return 0
            if figure + slip > edge:
                verdict = UNSURE
            _lower(room, learned.cap[v], figure, slip)
    weigh(likely, room, weight)
    if weight[1] < least:
        return 0
    for c in range(len(learned.known) if asked.bayes else 0):
        total, error = value_odds(learned, c, scores, logs, k, found)
        for v in range(learned.secret[c], learned.secret[c + 1]):
            figure, above = found[v] / total * BILLION, learned.cap[v] + 1.0
            if figure - error + 0.5 >= above:
                return 0
            if figure + error + 0.5 >= above:
                verdict = UNSURE
            _lower(room, learned.cap[v], figure, error)
    weigh(likely, room, weight)
    if weight[1] < least:
        return 0
    return verdict


@kernel
def judge_value(learned, asked, x, scores, k, tallied, weights, total, slip, agreeing, near, found, top):  # type: ignore[no-untyped-def]
    """Judge the fact that a predictor has an element, in one reading. O(values)"""
    values = len(learned.rows)
    for v in range(values):
        agreeing[v], near[v] = 0, 0.0
    for at in range(learned.cover_first[x], learned.cover_first[x + 1]):
        for v in range(values):
            agreeing[v] += tallied[learned.cover[at], v]
            if asked.near:
                near[v] += weights[learned.cover[at], v]
    for v in range(values if asked.near else 0):
        near[v] += DIFFERS * (total[v] - near[v])
    return judge(learned, asked, scores, learned.logs[x], k, agreeing, near, slip, found, top)
