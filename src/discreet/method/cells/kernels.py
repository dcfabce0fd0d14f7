"""The inner loops of the cell methods: counts that follow every change, and exact comparisons of probabilities.

A probability of naive Bayes is a quotient of products of whole numbers, so two of them are compared exactly. Counts
are below 2**31.

All nodes of all columns are numbered together (`Frame.first`). For each class (leaf of a confidential column) `own`
counts the rows that have exactly a node, `up` those that have it or something below it. The loops of
`quotient_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import begun_plain, helper, kernel
from discreet.method.cells.quotient_kernels import MARGIN, order_of

COUNT = 0
"""Rows whose value is unknown count in the denominator."""
DROP = 1
"""They do not."""
SPREAD = 2
"""They, and nodes, are spread over the values below as the other rows lie."""

SAFE = 0
"""No further change was needed."""
DONE = 1
"""The true value is no longer the single best guess."""
DECLINED = 2
"""Left as it is by lot."""
FAILED = 3
"""No change that may be made is enough."""

GO_ON = 0
LEAVE = 1
REFUSE = 2
SMALL = 1e-150
"""A product of shares below this is turned into its logarithm, long before it can vanish."""
NOBODY = -1


class Frame(NamedTuple):
    """The table in the making, its trees and its counts."""

    codes: npt.NDArray[np.int32]
    """The node of each cell: columns x rows."""
    locked: npt.NDArray[np.bool_]
    """Cells that must stay as they are: columns x rows."""
    first: npt.NDArray[np.int64]
    """The first node of each column, and the number of all."""
    parent: npt.NDArray[np.int32]
    """The node above each node, -1 above a root."""
    end: npt.NDArray[np.int32]
    children: npt.NDArray[np.int32]
    leaf: npt.NDArray[np.int32]
    """The place of each leaf in the domain of its column; -1 for other nodes."""
    domain: npt.NDArray[np.int64]
    """The number of values of each column."""
    class_column: npt.NDArray[np.int64]
    """The confidential columns."""
    class_first: npt.NDArray[np.int64]
    """The number of the first class of each of them."""
    all_own: npt.NDArray[np.int64]
    """Rows that have exactly each node."""
    all_up: npt.NDArray[np.int64]
    """Rows that have it or something below."""
    own: npt.NDArray[np.int64]
    """The same among the rows of each class: classes x nodes."""
    up: npt.NDArray[np.int64]
    order: npt.NDArray[np.int32]
    """For each confidential column the rows by their first class, in table order."""
    begins: npt.NDArray[np.int64]
    """Where the rows of each class begin in `order` (flat), and the end."""
    real: npt.NDArray[np.int64]
    """Each row itself; for a shadow (another way its row may be seen) the row it belongs to. Shadows count nowhere."""


class Guesser(NamedTuple):
    """How the adversary reckons: the confidential column (by its place), the predictors and the options."""

    column: int
    predictors: npt.NDArray[np.int64]
    mode: int
    add: int
    """Added to every count, over `over`."""
    over: int
    guesses: int
    strict: bool
    size: int
    """How many factors a probability can have at most."""
    step: npt.NDArray[np.int32]
    """What each node becomes when it is changed: the node above it, or the root at once where values are deleted."""


@helper
def _shift(own, up, parent, node, by):  # type: ignore[no-untyped-def]
    """Count so many rows more at a node, and below all nodes above it. O(depth)."""
    own[node] += by
    while node >= 0:
        up[node] += by
        node = parent[node]


@helper
def _exchange(own, up, parent, old, new):  # type: ignore[no-untyped-def]
    """Count a row at another node of the same tree; what is above both stays.

    A node has a larger number than all above it. O(depth).
    """
    own[old] -= 1
    own[new] += 1
    while old != new:
        if old > new:
            up[old] -= 1
            old = parent[old]
        else:
            up[new] += 1
            new = parent[new]


@helper
def _exchange_in(own, up, parent, k, old, new):  # type: ignore[no-untyped-def]
    """The same among the rows of class k. O(depth)."""
    own[k, old] -= 1
    own[k, new] += 1
    while old != new:
        if old > new:
            up[k, old] -= 1
            old = parent[old]
        else:
            up[k, new] += 1
            new = parent[new]


@helper
def _shift_in(own, up, parent, k, node, by):  # type: ignore[no-untyped-def]
    """The same among the rows of class k. O(depth)."""
    own[k, node] += by
    while node >= 0:
        up[k, node] += by
        node = parent[node]


@helper
def _count_class(codes, parent, own, up, row, mine, k, by):  # type: ignore[no-untyped-def]
    """Count a row among those of class k of column `mine`. O(columns * depth)."""
    for c in range(codes.shape[0]):
        if c != mine:
            _shift_in(own, up, parent, k, codes[c, row], by)


@helper
def give_node(frame, row, column, node):  # type: ignore[no-untyped-def]
    """Give a cell another node; all counts follow.

    O(confidential columns * depth); of a confidential column O(columns * depth).
    """
    codes, parent, leaf, own, up = frame.codes, frame.parent, frame.leaf, frame.own, frame.up
    class_column, class_first = frame.class_column, frame.class_first
    old = codes[column, row]
    if old != node and frame.real[row] == row:
        for model in range(len(class_column)):
            mine, start = class_column[model], class_first[model]
            if mine != column:
                here = leaf[codes[mine, row]]
                if here >= 0:
                    _exchange_in(own, up, parent, start + here, old, node)
            else:
                if leaf[old] >= 0:
                    _count_class(codes, parent, own, up, row, mine, start + leaf[old], -1)
                if leaf[node] >= 0:
                    _count_class(codes, parent, own, up, row, mine, start + leaf[node], 1)
        _exchange(frame.all_own, frame.all_up, parent, old, node)
    codes[column, row] = node


@begun_plain
def move(frame, row, column, node):  # type: ignore[no-untyped-def]
    """Give a cell another node; all counts follow.

    O(confidential columns * depth); of a confidential column O(columns * depth).
    """
    give_node(frame, row, column, node)


@begun_plain
def forget(frame, row):  # type: ignore[no-untyped-def]
    """Take a row out of all counts. O(confidential columns * columns * depth)."""
    for model in range(len(frame.class_column)):
        mine = frame.class_column[model]
        here = frame.leaf[frame.codes[mine, row]]
        if here >= 0:
            k = frame.class_first[model] + here
            _count_class(frame.codes, frame.parent, frame.own, frame.up, row, mine, k, -1)
    for c in range(frame.codes.shape[0]):
        _shift(frame.all_own, frame.all_up, frame.parent, frame.codes[c, row], -1)


@kernel
def raised(step, node, levels):  # type: ignore[no-untyped-def]
    """Return what a node becomes when it is changed so many times; it stops at the root. O(levels)."""
    while levels > 0 and step[node] >= 0:
        node = step[node]
        levels -= 1
    return node


# Probabilities as quotients of products


@helper
def _spread(parent, children, own, up, node, top, nums, dens, n, d):  # type: ignore[no-untyped-def]
    """Append which share of what is at `top` is estimated to be at a node below; return the new lengths.

    n is -1 if it is none. O(depth).
    """
    while node != top and n >= 0:
        above = parent[node]
        below = up[above] - own[above]
        if below > 0:
            nums[n] = up[node]
            dens[d] = below
        else:
            nums[n] = 1
            dens[d] = children[above]
        n = -1 if nums[n] == 0 else n + 1
        d += 1
        node = above
    return n, d


@helper
def append_factor(mode, add, over, own, up, parent, children, root, values, total, node, nums, dens, n, d):  # type: ignore[no-untyped-def]
    """Append p(node | class) but for the frequency of the class, which is `total` where rows are only counted.

    `own` and `up` are the counts of the class, `root` is that of the node's column, which has so many `values`. n is -1
    if the probability is 0. O(depth).
    """
    if mode == SPREAD:
        if up[root] == 0:
            n = -1
        else:
            nums[n] = up[root]
            n, d = _spread(parent, children, own, up, node, root, nums, dens, n + 1, d)
    elif node != root:
        known = total if mode == COUNT else total - own[root]
        num = up[node] * over + add
        if num == 0 or known * over + add == 0:
            n = -1
        else:
            nums[n] = num
            dens[d] = known * over + add * values
            n, d = n + 1, d + 1
    return n, d


@kernel
def terms(frame, guesser, row, node, nums, dens):  # type: ignore[no-untyped-def]
    """Write the probability of class `node` for a row as a quotient; return how many factors it has.

    The first is -1 if the probability is 0. The row itself has no class here: it is hidden, or generalised to a node
    above, whose rows (and those below it) are the ones that are learned from. O(predictors * depth).
    """
    # all arrays by names of their own: to take one out of the frame costs more than to use it
    codes, first, domain, predictors = frame.codes, frame.first, frame.domain, guesser.predictors
    parent, children, all_own, all_up = frame.parent, frame.children, frame.all_own, frame.all_up
    mode, add, over = guesser.mode, guesser.add, guesser.over
    mine = frame.class_column[guesser.column]
    k = frame.class_first[guesser.column] + frame.leaf[node]
    own, up = frame.own[k], frame.up[k]
    top, root = codes[mine, row], first[mine]
    total, shares = 0, 0
    n, d = 0, 0
    if mode == SPREAD:
        if all_up[top] <= 1:  # nobody but the row itself
            return -1, 0
        n, d = _spread(parent, children, all_own, all_up, node, top, nums, dens, n, d)
        shares = n
    else:
        total = all_own[node]
        nums[0] = total * over + add
        dens[0] = (all_up[root] - all_own[root]) * over + add * domain[mine]
        n, d = -1 if nums[0] == 0 else 1, 1
    if n < 0:
        return -1, 0
    for i in range(len(predictors)):
        column = predictors[i]
        here = codes[column, row]
        if here == first[column]:
            continue  # an unknown value says nothing
        n, d = append_factor(
            mode, add, over, own, up, parent, children, first[column], domain[column], total, here, nums, dens, n, d
        )
        if n < 0:
            return -1, 0
        if mode == SPREAD:  # over the frequency of the class, which is spread as well
            dens[d] = all_up[top] - 1
            d += 1
            for s in range(shares):
                nums[n] = dens[s]
                dens[d] = nums[s]
                n += 1
                d += 1
    return n, d


# Probabilities as logarithms


@helper
def _share(parent, children, own, up, node, top, part):  # type: ignore[no-untyped-def]
    """Return the logarithm of `part` times the share of what is at `top` that is estimated to be at a node below.

    O(depth).
    """
    found = 0.0
    while node != top:
        above = parent[node]
        below = up[above] - own[above]
        part = part * up[node] / below if below > 0 else part / children[above]
        if part < SMALL:
            found += np.log(part)
            if part == 0.0:
                above = top
            part = 1.0
        node = above
    return found + np.log(part)


@helper
def _weight(mode, add, over, own, up, parent, children, root, values, total, node):  # type: ignore[no-untyped-def]
    """Return the logarithm of what `append_factor` appends. O(depth)."""
    found = 0.0
    if mode == SPREAD:
        found = _share(parent, children, own, up, node, root, 1.0 * up[root])
    else:
        known = total if mode == COUNT else total - own[root]
        of = known * over + add * values
        found = np.log((up[node] * over + add) / of) if of > 0 else -np.inf
    return found


@kernel
def weight(frame, guesser, row, node, column):  # type: ignore[no-untyped-def]
    """Return the logarithm of how much a row's value of one column, which is known, speaks for a class. O(depth)."""
    k = frame.class_first[guesser.column] + frame.leaf[node]
    return _weight(
        guesser.mode,
        guesser.add,
        guesser.over,
        frame.own[k],
        frame.up[k],
        frame.parent,
        frame.children,
        frame.first[column],
        frame.domain[column],
        frame.all_own[node],
        frame.codes[column, row],
    )


@helper
def _prior(frame, guesser, row, node, known):  # type: ignore[no-untyped-def]
    """Return the logarithm of how probable a class is before anything is known of a row, -inf only for 0.

    Where values are spread, what `known` values say of a class is divided by its frequency here. O(depth).
    """
    all_own, all_up = frame.all_own, frame.all_up
    mine, over, add = frame.class_column[guesser.column], guesser.over, guesser.add
    top, root = frame.codes[mine, row], frame.first[mine]
    found = -np.inf
    if guesser.mode == SPREAD:
        if all_up[top] > 1:  # somebody but the row itself
            found = _share(frame.parent, frame.children, all_own, all_up, node, top, 1.0)
        if found > -np.inf:
            found -= known * (found + np.log(all_up[top] - 1))
    elif all_own[node] * over + add > 0:
        of = (all_up[root] - all_own[root]) * over + add * frame.domain[mine]
        found = np.log((all_own[node] * over + add) / of)
    return found


@helper
def _evidence(frame, guesser, row, node):  # type: ignore[no-untyped-def]
    """Return the logarithm of how much all known values of a row speak for a class, and how many they are.

    O(predictors * depth).
    """
    codes, first, domain, predictors = frame.codes, frame.first, frame.domain, guesser.predictors
    parent, children, mode, add, over = frame.parent, frame.children, guesser.mode, guesser.add, guesser.over
    k, total = frame.class_first[guesser.column] + frame.leaf[node], frame.all_own[node]
    own, up = frame.own[k], frame.up[k]
    found, known = 0.0, 0
    for i in range(len(predictors)):
        column = predictors[i]
        here, root = codes[column, row], first[column]
        if here != root:
            known += 1
            found += _weight(mode, add, over, own, up, parent, children, root, domain[column], total, here)
    return found, known


@kernel
def prior(frame, guesser, row, node, known):  # type: ignore[no-untyped-def]
    """Return the part of `logarithm` that comes from the frequency of the class. O(depth)."""
    return _prior(frame, guesser, row, node, known)


@kernel
def evidence(frame, guesser, row, node):  # type: ignore[no-untyped-def]
    """Return the part of `logarithm` that comes from the row's known values, and how many they are.

    O(predictors * depth).
    """
    return _evidence(frame, guesser, row, node)


@kernel
def logarithm(frame, guesser, row, node):  # type: ignore[no-untyped-def]
    """Return the logarithm of the probability of class `node` for a row, near enough for `MARGIN`; -inf only for 0.

    The same that `terms` writes, many times faster. O(predictors * depth).
    """
    found, known = _evidence(frame, guesser, row, node)
    return found + _prior(frame, guesser, row, node, known)


@kernel
def compare(frame, guesser, row, node, other):  # type: ignore[no-untyped-def]
    """Return 1, 0 or -1 as class `node` is more, as or less probable than `other`; exact.

    O(predictors * depth), but for near ties (see `order_of`).
    """
    apart = logarithm(frame, guesser, row, node) - logarithm(frame, guesser, row, other)
    return exact_order(frame, guesser, row, node, other, apart)


@kernel
def exact_order(frame, guesser, row, node, other, apart):  # type: ignore[no-untyped-def]
    """Return how two classes compare whose logarithms are so far apart (not a number where both are impossible).

    O(1), but for near ties (see `order_of`).
    """
    if apart > MARGIN:
        return 1
    if apart < -MARGIN:
        return -1
    size = guesser.size
    nums, dens = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    other_nums, other_dens = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    n, d = terms(frame, guesser, row, node, nums, dens)
    other_n, other_d = terms(frame, guesser, row, other, other_nums, other_dens)
    return order_of(nums, dens, n, d, other_nums, other_dens, other_n, other_d)


@begun_plain
def above(frame, guesser, row, actual, guess):  # type: ignore[no-untyped-def]
    """Whether the true value is still ahead of a guess; a tie is enough unless the policy is strict.

    Cost: as `compare`.
    """
    found = compare(frame, guesser, row, actual, guess)
    return found >= 0 if guesser.strict else found > 0


@kernel
def candidates(frame, guesser, row):  # type: ignore[no-untyped-def]
    """Return the leaves below the released class of a row, in order. O(nodes below the class)."""
    leaf, top = frame.leaf, frame.codes[frame.class_column[guesser.column], row]
    end = frame.end[top]
    found = np.empty(end - top, dtype=np.int64)
    n = 0
    for node in range(top, end):
        if leaf[node] >= 0:
            found[n] = node
            n += 1
    return found[:n]


@kernel
def is_best(frame, guesser, row, actual):  # type: ignore[no-untyped-def]
    """Whether the true value is the single best guess (strict: one of the best). O(candidates * predictors * depth)."""
    strict, its = guesser.strict, logarithm(frame, guesser, row, actual)
    for node in candidates(frame, guesser, row):
        if node != actual:
            ahead = exact_order(frame, guesser, row, actual, node, its - logarithm(frame, guesser, row, node))
            if ahead < 0 or (ahead == 0 and not strict):
                return False
    return True


@begun_plain
def all_best(frame, guesser, rows, actuals):  # type: ignore[no-untyped-def]
    """Say of several rows whether their true value is the single best guess.

    O(rows * candidates * predictors * depth).
    """
    found = np.empty(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        found[i] = is_best(frame, guesser, rows[i], actuals[i])
    return found


@begun_plain
def chances(frame, guesser, row):  # type: ignore[no-untyped-def]
    """Return the probability of each candidate, as floats that sum to 1 (or are all 0): for reports only.

    O(candidates * predictors * depth).
    """
    nodes = candidates(frame, guesser, row)
    logs = np.empty(len(nodes), dtype=np.float64)
    most = -np.inf
    for i in range(len(nodes)):
        logs[i] = logarithm(frame, guesser, row, nodes[i])
        most = max(most, logs[i])
    total = 0.0
    for i in range(len(nodes)):
        logs[i] = np.exp(logs[i] - most) if most > -np.inf else 0.0
        total += logs[i]
    for i in range(len(nodes)):
        logs[i] = logs[i] / total if total > 0 else 0.0
    return logs


@kernel
def likeliest(frame, guesser, row):  # type: ignore[no-untyped-def]
    """Return the most probable candidates (as many as the policy's guesses), ties in the order of the domain.

    O(candidates * (predictors * depth + guesses)).
    """
    nodes = candidates(frame, guesser, row)
    logs = np.empty(len(nodes), dtype=np.float64)
    for i in range(len(nodes)):
        logs[i] = logarithm(frame, guesser, row, nodes[i])
    taken = np.zeros(len(nodes), dtype=np.bool_)
    found = np.empty(min(guesser.guesses, len(nodes)), dtype=np.int64)
    for place in range(len(found)):
        best = NOBODY
        for i in range(len(nodes)):
            if not taken[i] and (
                best == NOBODY or exact_order(frame, guesser, row, nodes[i], nodes[best], logs[i] - logs[best]) > 0
            ):
                best = i
        taken[best] = True
        found[place] = nodes[best]
    return found


@kernel
def drawn_guess(frame, guesser, row, actual, draw):  # type: ignore[no-untyped-def]
    """Return the guess drawn among those that may become the better one, or `NOBODY`.

    O((candidates + guesses) * predictors * depth).
    """
    found = likeliest(frame, guesser, row)
    n = 0
    for node in found:
        possible = logarithm(frame, guesser, row, node) > -np.inf
        if node != actual and possible and above(frame, guesser, row, actual, node):
            found[n] = node
            n += 1
    return found[draw % n] if n else NOBODY


@begun_plain
def opening(frame, guesser, row, actual, coin, draw):  # type: ignore[no-untyped-def]
    """Return what becomes of a cell before anything else is changed, and the guess that shall become better.

    `coin` decides where there are only two candidates: `LEAVE` it, `REFUSE` to try, or go on.
    O((candidates + guesses) * predictors * depth).
    """
    if not is_best(frame, guesser, row, actual):
        return SAFE, NOBODY
    if coin != GO_ON and len(candidates(frame, guesser, row)) == 2:
        return (DECLINED if coin == LEAVE else FAILED), NOBODY
    guess = drawn_guess(frame, guesser, row, actual, draw)
    return (FAILED, NOBODY) if guess == NOBODY else (DONE, guess)
