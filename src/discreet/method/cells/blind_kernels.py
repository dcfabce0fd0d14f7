"""Kernels of blind protection: what is asked next of a row, and which of its values would be starred.

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
LEAST_CHANCE = 50_000_000
"""In billionths: what is less likely to be told is not asked."""
STEPS = 20
"""Powers of likelihoods are so many parts of one."""
SMALL = 1e-100
"""The logarithm of a product is taken before it is much smaller."""
STOP, UNSURE = -1, -2


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
def told_odds(logs, half, places, order, told, true, scores, odds):  # type: ignore[no-untyped-def]
    """Tell one column more of each row: add to `scores`, and reckon the odds that one step more makes.

    Return the sum of the logarithms of the odds of true values. O(rows x values)
    """
    total = 0.0
    for row in range(scores.shape[0]):
        here = logs[half[row], places[row, order[row, told]]]
        largest = -np.inf
        for v in range(scores.shape[1]):
            scores[row, v] += here[v]
            largest = max(largest, scores[row, v])
        for v in range(scores.shape[1]):
            odds[v, row] = 1.0
            if scores[row, v] < largest:
                odds[v, row] = math.exp((scores[row, v] - largest) / STEPS)
        total += (scores[row, true[row]] - largest) / STEPS
    return total


@kernel
def losses(shares, odds, step, found):  # type: ignore[no-untyped-def]
    """Reckon the sums of the logarithms, over rows, of all shares times odds to three powers: `step` and the next two.

    `shares` and `odds` are by value and row. O(rows x values)
    """
    rows = shares.shape[1]
    added, power, factor = np.zeros((3, rows)), np.zeros(rows), np.zeros(rows)
    for v in range(shares.shape[0]):
        for row in range(rows):
            power[row], factor[row] = shares[v, row], odds[v, row]
        left = step
        while left > 0:
            if left % 2 == 1:
                for row in range(rows):
                    power[row] *= factor[row]
            left //= 2
            if left > 0:
                for row in range(rows):
                    factor[row] *= factor[row]
        for row in range(rows):
            more = power[row] * odds[v, row]
            added[0, row] += power[row]
            added[1, row] += more
            added[2, row] += more * odds[v, row]
    for place in range(3):
        total, together = 0.0, 1.0
        for row in range(rows):
            together *= added[place, row]
            if together < SMALL:
                total += math.log(together)
                together = 1.0
        found[place] = total + math.log(together)


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
def _odds(learned, c, scores, logs, k, found):  # type: ignore[no-untyped-def]
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
def _largest(learned, asked, scores, logs, k, agreeing, near, slip, found, top, most):  # type: ignore[no-untyped-def]
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
        total, error = _odds(learned, c, scores, logs, k, found)
        _raise(top, 1.0 / total * BILLION, error)
        if top[0] > most:
            return


@kernel
def _judge(learned, asked, scores, logs, k, agreeing, near, slip, found, top):  # type: ignore  # noqa: C901
    """Return 1 if every reference is within the limits, 0 if one is not, `UNSURE`; raise `top` to the largest.

    Arguments are those of `_largest`. Ends early where the answer is 0: nothing is wanted of `top` then. O(values)
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
        total, error = _odds(learned, c, scores, logs, k, found)
        for v in range(learned.secret[c], learned.secret[c + 1]):
            figure, above = found[v] / total * BILLION, learned.cap[v] + 1.0
            if figure - error + 0.5 >= above:
                return 0
            if figure + error + 0.5 >= above:
                verdict = UNSURE
        _raise(top, 1.0 / total * BILLION, error)
    return verdict


@kernel
def _value(learned, asked, x, scores, k, tallied, weights, total, slip, agreeing, near, found, top):  # type: ignore[no-untyped-def]
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
    return _judge(learned, asked, scores, learned.logs[x], k, agreeing, near, slip, found, top)


@kernel
def _block_logs(learned, inside, size, elements, logs):  # type: ignore[no-untyped-def]
    """Reckon the logarithm of the likelihood of a block with each value. O(values)"""
    for c in range(len(learned.known)):
        for v in range(learned.secret[c], learned.secret[c + 1]):
            logs[v] = learned.log[inside[v] + size] - learned.log[learned.rows[v] + elements]


@kernel
def _join(learned, asked, start, x, covered, inside, agreeing, close, tallied, weights):  # type: ignore[no-untyped-def]
    """Let an element join a block: what agrees with it agrees with the block. O(elements x values)"""
    values = len(learned.rows)
    for at in range(learned.cover_first[x], learned.cover_first[x + 1]):
        y = learned.cover[at]
        if not covered[y - start]:
            covered[y - start] = True
            for v in range(values):
                inside[v] += learned.having[y, v]
                agreeing[v] += tallied[y, v]
                if asked.near:
                    close[v] += weights[y, v]


@kernel
def _block(learned, asked, j, scores, k, tallied, nearby, least, bad, covered, inside, agreeing, close, top):  # type: ignore[no-untyped-def]  # noqa: C901
    """Let the block of a predictor grow until it is within the limits, or whole; 0 or `UNSURE`.

    `bad` says which elements are in it, `least` has the largest figures of what is told already, `top` is given those
    of the block. O(elements^2 x values)
    """
    start, elements, values = learned.first[j], learned.first[j + 1] - learned.first[j], len(learned.rows)
    logs, found = np.zeros(values), np.zeros(values)
    more, also, seen = np.zeros(values, dtype=np.int64), np.zeros(values, dtype=np.int64), covered.copy()
    best, tried = np.zeros(2), np.zeros(2)
    near, closer = np.zeros(values), np.zeros(values)
    size = 0
    for x in range(elements):
        if bad[x]:
            size += 1
            _join(learned, asked, start, start + x, covered, inside, agreeing, close, tallied, nearby.weights)
    while 0 < size < elements:
        top[0], top[1] = least[0], least[1]
        _block_logs(learned, inside, size, elements, logs)
        for v in range(values if asked.near else 0):
            near[v] = close[v] + DIFFERS * (nearby.total[v] - close[v])
        verdict = _judge(learned, asked, scores, logs, k, agreeing, near, nearby.error, found, top)
        if verdict == UNSURE:
            return UNSURE
        if verdict == 1:
            return 0
        if size == elements - 1:
            for x in range(elements):
                bad[x] = True
            return 0
        chosen = -1
        for x in range(elements):
            if bad[x]:
                continue
            for v in range(values):
                more[v], also[v], closer[v] = inside[v], agreeing[v], close[v]
            for y in range(elements):
                seen[y] = covered[y]
            _join(learned, asked, start, start + x, seen, more, also, closer, tallied, nearby.weights)
            _block_logs(learned, more, size + 1, elements, logs)
            for v in range(values if asked.near else 0):
                near[v] = closer[v] + DIFFERS * (nearby.total[v] - closer[v])
            tried[0], tried[1] = least[0], least[1]
            most = 2 * BILLION if chosen < 0 else best[1]
            _largest(learned, asked, scores, logs, k, also, near, nearby.error, found, tried, most)
            if chosen >= 0 and tried[1] >= best[0] and tried[0] < best[1]:
                return UNSURE
            if chosen < 0 or tried[1] < best[0]:
                chosen = x
                best[0], best[1] = tried[0], tried[1]
        bad[chosen] = True
        size += 1
        _join(learned, asked, start, start + chosen, covered, inside, agreeing, close, tallied, nearby.weights)
    return 0


@kernel
def _chance(learned, asked, j, now, inside, size, agreeing, close, nearby, rows, out):  # type: ignore[no-untyped-def]
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
    covered = np.zeros(elements, dtype=np.bool_)
    size = 0
    likely[0], likely[1] = BILLION, BILLION
    for x in range(elements):
        if bad[x]:
            continue
        verdict = _value(
            learned, asked, start + x, scores, k + 1, tallied, nearby.weights, nearby.total, nearby.error, agreeing,
            near, found, tops[x],
        )  # fmt: skip
        if k > told and verdict != 0:
            other = _value(
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
        _join(learned, asked, start, start + x, covered, inside, block, close, tallied, nearby.weights)
        marked = learned.marked[j]
        if marked >= 0 and not bad[marked]:
            bad[marked] = True
            size += 1
            _join(learned, asked, start, start + marked, covered, inside, block, close, tallied, nearby.weights)
        _chance(learned, asked, j, now, inside, size, block, close, nearby, rows, likely)
        if likely[1] < enough:
            return elements
    return size


@helper
def _shown(bad, tops, top):  # type: ignore[no-untyped-def]
    """Raise `top` to the largest figures of the elements that may be told. O(elements)"""
    for x in range(len(bad)):
        if not bad[x]:
            top[0] = max(top[0], tops[x, 0])
            top[1] = max(top[1], tops[x, 1])


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

    O(open predictors x elements x values), where blocks grow O(elements) times that.
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
        _largest(learned, asked, starless, nothing, told, agreeing, nearby.told_total, slip, found, least, 2 * BILLION)
    if k == 0:
        for v in range(learned.secret[1]):
            now[v] = learned.rows[v] / learned.known[0]
    elif asked.bayes:
        total, now[values] = _odds(learned, 0, scores, nothing, k, found)
        for v in range(learned.secret[1]):
            now[v] = found[v] / total
    bad, tops = np.zeros(learned.first[predictors], dtype=np.bool_), np.zeros((learned.first[predictors], 2))
    covered = np.zeros(len(block), dtype=np.bool_)
    # Blocks only grow, and what is told becomes less likely: what cannot become the likeliest is left alone.
    bound = np.full(predictors, -1.0)
    chosen, best, worst_best = STOP, np.zeros(2), np.zeros(2)
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
            _shown(bad[start : start + elements], tops[start : start + elements], top)
            better = _better(j, chosen, rank, likely, best, top, worst_best)
            if better == UNSURE:
                return UNSURE
            if better == 1:
                chosen = j
                best[0], best[1], worst_best[0], worst_best[1] = likely[0], likely[1], top[0], top[1]
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
            covered[x] = False
        verdict = _block(
            learned, asked, j, scores, k + 1, tallied, nearby, least, starred, covered, inside, agreeing, close, top
        )
        if verdict == UNSURE:
            return UNSURE
        size = 0
        for x in range(elements):
            size += starred[x]
        if size == elements:
            continue
        _chance(learned, asked, j, now, inside, size, agreeing, close, nearby, rows, likely)
        if likely[0] < LEAST_CHANCE <= likely[1]:
            return UNSURE
        if likely[1] < LEAST_CHANCE:
            continue
        _shown(starred, tops[start : start + elements], top)
        better = _better(j, chosen, rank, likely, best, top, worst_best)
        if better == UNSURE:
            return UNSURE
        if better == 1:
            chosen = j
            best[0], best[1], worst_best[0], worst_best[1] = likely[0], likely[1], top[0], top[1]
    for x in range(len(block)):
        block[x] = chosen != STOP and x < learned.first[chosen + 1] - learned.first[chosen]
        if block[x]:
            block[x] = bad[learned.first[chosen] + x]
    return chosen
