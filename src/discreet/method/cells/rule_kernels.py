"""The inner loops against association rules: all rules of a pattern at once, kept up to date with every change.

A pattern is what the conditions of a confidential row say, with its true value. Its rules are the nonempty subsets of
the conditions it knows, as bit masks. For each of them `num` counts the rows with these conditions and a released
sensitive value equal to the pattern's, `den` those with these conditions. All comparisons are of whole numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel


class RuleArrays(NamedTuple):
    """All rules about some confidential cells, and the cells they are counted from."""

    cells: npt.NDArray[np.int32]
    """The value of each cell, conditions x rows; `NOTHING` where it is hidden or unknown."""
    sensitive: npt.NDArray[np.int32]
    """The value of each sensitive cell."""
    patterns: npt.NDArray[np.int32]
    """The value of each condition: patterns x conditions; `NOTHING` where it is not known."""
    values: npt.NDArray[np.int32]
    """The true value of each pattern."""
    known: npt.NDArray[np.int64]
    """The conditions that each pattern knows, as a mask."""
    num: npt.NDArray[np.int64]
    """patterns x masks."""
    den: npt.NDArray[np.int64]
    first: npt.NDArray[np.bool_]
    """Whether a rule is the first of several equal ones, of different patterns."""
    confidence: npt.NDArray[np.int64]
    """Numerator and denominator of the largest confidence."""
    support: int
    published: bool
    """Whether rows with a hidden sensitive cell are left out of `den`."""


NOTHING = -1


@kernel
def mask_of(rules, pattern, row):  # type: ignore[no-untyped-def]
    """Return the conditions on which a row agrees with a pattern. O(conditions)."""
    cells, wanted = rules.cells, rules.patterns[pattern]
    mask = 0
    for c in range(cells.shape[0]):
        if wanted[c] >= 0 and cells[c, row] == wanted[c]:
            mask |= 1 << c
    return mask


@kernel
def _sum_supersets(line):  # type: ignore[no-untyped-def]
    """Give each mask the sum over all masks that contain it. O(masks * conditions)."""
    bit = 1
    while bit < len(line):
        for mask in range(len(line)):
            if mask & bit == 0:
                line[mask] += line[mask | bit]
        bit <<= 1


@kernel
def _sum_subsets(line):  # type: ignore[no-untyped-def]
    """Give each mask the sum over all masks that it contains. O(masks * conditions)."""
    bit = 1
    while bit < len(line):
        for mask in range(len(line)):
            if mask & bit:
                line[mask] += line[mask ^ bit]
        bit <<= 1


@kernel
def count(rules):  # type: ignore[no-untyped-def]
    """Count all rules of all patterns anew. O(patterns * conditions * (rows + masks))."""
    sensitive = rules.sensitive
    for p in range(len(rules.values)):
        num, den, value = rules.num[p], rules.den[p], rules.values[p]
        num[:] = 0
        den[:] = 0
        for row in range(len(sensitive)):
            mask = mask_of(rules, p, row)
            if not (rules.published and sensitive[row] < 0):
                den[mask] += 1
            if sensitive[row] == value:
                num[mask] += 1
        _sum_supersets(num)
        _sum_supersets(den)


@kernel
def mark_first(rules):  # type: ignore[no-untyped-def]
    """Mark of several equal rules of different patterns the first. O(patterns * conditions * (patterns + masks))."""
    conditions = rules.cells.shape[0]
    seen = np.zeros(rules.num.shape[1], dtype=np.bool_)
    for p in range(len(rules.values)):
        seen[:] = False
        for other in range(p):
            if rules.values[other] != rules.values[p]:
                continue
            mask = 0
            for c in range(conditions):
                if rules.patterns[p, c] >= 0 and rules.patterns[p, c] == rules.patterns[other, c]:
                    mask |= 1 << c
            seen[mask] = True
        for c in range(conditions):
            bit = 1 << c
            for mask in range(len(seen)):
                if mask & bit and seen[mask]:
                    seen[mask ^ bit] = True
        for mask in range(len(seen)):
            rules.first[p, mask] = mask != 0 and not seen[mask] and mask & ~rules.known[p] == 0


@kernel
def _above(num, den, support, over, under):  # type: ignore[no-untyped-def]
    """Whether support and confidence are both above what is allowed. O(1)."""
    return num > support and num * under > over * den


@kernel
def is_unsafe(rules, p, mask):  # type: ignore[no-untyped-def]
    """Whether a rule leaks its value: support and confidence are both above what is allowed. O(1)."""
    confidence = rules.confidence
    return _above(rules.num[p, mask], rules.den[p, mask], rules.support, confidence[0], confidence[1])


@kernel
def unsafe_rules(rules):  # type: ignore[no-untyped-def]
    """Return pattern and mask of every unsafe rule, each rule once. O(patterns * masks)."""
    found = np.empty((64, 2), dtype=np.int64)
    n = 0
    for p in range(len(rules.values)):
        for mask in range(1, rules.num.shape[1]):
            if rules.first[p, mask] and is_unsafe(rules, p, mask):
                if n == len(found):
                    wider = np.empty((2 * n, 2), dtype=np.int64)
                    wider[:n] = found
                    found = wider
                found[n, 0], found[n, 1] = p, mask
                n += 1
    return found[:n]


@kernel
def leaks(rules, p):  # type: ignore[no-untyped-def]
    """Whether some rule of a pattern is unsafe. O(masks)."""
    known, num, den = rules.known[p], rules.num[p], rules.den[p]
    support, over, under = rules.support, rules.confidence[0], rules.confidence[1]
    mask = known
    while mask > 0:
        if _above(num[mask], den[mask], support, over, under):
            return True
        mask = (mask - 1) & known
    return False


@kernel
def any_leaks(rules):  # type: ignore[no-untyped-def]
    """Whether some rule of any pattern is unsafe. O(patterns * masks)."""
    for p in range(len(rules.values)):  # noqa: SIM110 - compiled
        if leaks(rules, p):
            return True
    return False


@kernel
def all_leaks(rules):  # type: ignore[no-untyped-def]
    """Say of each pattern whether some rule of it is unsafe. O(patterns * masks)."""
    found = np.empty(len(rules.values), dtype=np.bool_)
    for p in range(len(found)):
        found[p] = leaks(rules, p)
    return found


@kernel
def _shift(rules, p, mask, bit, by_num, by_den):  # type: ignore[no-untyped-def]
    """Change the counts of all rules of a pattern within a mask, that contain a bit (0: any).

    O(subsets of the mask).
    """
    num, den = rules.num[p], rules.den[p]
    subset = mask
    while True:
        if subset & bit == bit:
            num[subset] += by_num
            den[subset] += by_den
        if subset == 0:
            break
        subset = (subset - 1) & mask


@kernel
def set_condition(rules, column, row, value):  # type: ignore[no-untyped-def]
    """Give a condition cell another value (`NOTHING` hides it); all counts follow.

    O(patterns * (conditions + masks)).
    """
    bit = 1 << column
    old = rules.cells[column, row]
    if old == value:
        return
    counted = not (rules.published and rules.sensitive[row] < 0)
    for p in range(len(rules.values)):
        if old >= 0 and rules.patterns[p, column] == old:
            hit = rules.sensitive[row] == rules.values[p]
            _shift(rules, p, mask_of(rules, p, row), bit, -1 if hit else 0, -1 if counted else 0)
    rules.cells[column, row] = value
    for p in range(len(rules.values)):
        if value >= 0 and rules.patterns[p, column] == value:
            hit = rules.sensitive[row] == rules.values[p]
            _shift(rules, p, mask_of(rules, p, row), bit, 1 if hit else 0, 1 if counted else 0)


@kernel
def set_sensitive(rules, row, value):  # type: ignore[no-untyped-def]
    """Give a sensitive cell another value (`NOTHING` hides it); all counts follow.

    O(patterns * (conditions + masks)).
    """
    old = rules.sensitive[row]
    if old == value:
        return
    shown = (1 if value >= 0 else 0) - (1 if old >= 0 else 0) if rules.published else 0
    for p in range(len(rules.values)):
        by = (1 if rules.values[p] == value else 0) - (1 if rules.values[p] == old else 0)
        if by or shown:
            _shift(rules, p, mask_of(rules, p, row), 0, by, shown)
    rules.sensitive[row] = value


@kernel
def least_hidden(num, den, support, confidence, both):  # type: ignore[no-untyped-def]
    """Return how many rows must lose a rule to make it safe: their value only, or (`both`) the conditions as well.

    The least x with num - x <= support, or (num - x) / den <= confidence, or (num - x) / (den - x) <= confidence. O(1).
    """
    if num <= support:
        return 0
    by_support = num - support
    above = num * confidence[1] - confidence[0] * den
    if above <= 0:
        return 0
    step = confidence[1] - confidence[0] if both else confidence[1]
    if step <= 0:  # a confidence of 1 is never exceeded
        return by_support
    return min(by_support, (above + step - 1) // step, num)


@kernel
def cheapest(rules, num, den, by_value, fixed):  # type: ignore[no-untyped-def]
    """Return the fewest cells of other rows that make one rule safe, or -1.

    Of the rows with its conditions and value `by_value` may hide the value, `fixed` neither value nor conditions, the
    rest a condition. A value goes first: it does not lower the denominator by more. O(1).
    """
    least = least_hidden(num, den, rules.support, rules.confidence, rules.published)
    if least <= by_value:
        return least
    num -= by_value
    if rules.published:
        den -= by_value
    least = least_hidden(num, den, rules.support, rules.confidence, True)
    return by_value + least if least <= num - fixed else -1


# Hiding any mix of cells


class RuleLines(NamedTuple):
    """What may be known of the confidential rows, each line by itself, and which cells may be hidden."""

    patterns: npt.NDArray[np.int64]
    """The pattern of each line."""
    rows: npt.NDArray[np.int64]
    """The row it is about."""
    own: npt.NDArray[np.int64]
    """The conditions that it does not know if the row hides them, as a mask."""
    free: npt.NDArray[np.int64]
    """The conditions that each row of the table may hide, as a mask."""
    free_sensitive: npt.NDArray[np.bool_]
    """Whether it may hide its sensitive cell."""


@kernel
def _own_cost(rules, lines, p, mask):  # type: ignore[no-untyped-def]
    """Return how many lines a rule is about, if each may lose one of its conditions, else -1. O(lines * conditions)."""
    cost = 0
    for i in range(len(lines.patterns)):
        q = lines.patterns[i]
        if rules.values[q] != rules.values[p] or mask & ~rules.known[q]:
            continue
        alike = True
        for c in range(rules.patterns.shape[1]):
            if mask >> c & 1 and rules.patterns[q, c] != rules.patterns[p, c]:
                alike = False
        if alike:
            if mask & lines.own[i] & lines.free[lines.rows[i]] == 0:
                return -1
            cost += 1
    return cost


@kernel
def to_mend(rules, lines):  # type: ignore[no-untyped-def]
    """Return how many unsafe rules nothing mends, and how many cells all others cost, each by itself.

    O(patterns * conditions * (rows + masks)), and O(lines * conditions) for each unsafe rule.
    """
    masks = rules.num.shape[1]
    by_value, fixed = np.empty(masks, dtype=np.int64), np.empty(masks, dtype=np.int64)
    stuck, total = 0, 0
    for p in range(len(rules.values)):
        if not leaks(rules, p):
            continue
        by_value[:] = 0
        fixed[:] = 0
        for row in range(len(rules.sensitive)):
            if rules.sensitive[row] == rules.values[p]:
                mask = mask_of(rules, p, row)
                if lines.free_sensitive[row]:
                    by_value[mask] += 1
                else:  # it stays in every rule within what it must show
                    fixed[mask & ~lines.free[row]] += 1
        _sum_supersets(by_value)
        _sum_supersets(fixed)
        for mask in range(1, masks):
            if rules.first[p, mask] and is_unsafe(rules, p, mask):
                cost = cheapest(rules, rules.num[p, mask], rules.den[p, mask], by_value[mask], fixed[mask])
                own = _own_cost(rules, lines, p, mask)
                if own >= 0 and (cost < 0 or own < cost):
                    cost = own
                if cost < 0:
                    stuck += 1
                else:
                    total += cost
    return stuck, total


# Hiding sensitive cells of other rows


@kernel
def _needed_of(rules, active, p):  # type: ignore[no-untyped-def]
    """Write for each mask of one pattern how many unsafe rules (each once) lie within it. O(masks * conditions)."""
    line, first, num, den = active[p], rules.first[p], rules.num[p], rules.den[p]
    support, over, under = rules.support, rules.confidence[0], rules.confidence[1]
    for mask in range(len(line)):
        line[mask] = 1 if first[mask] and _above(num[mask], den[mask], support, over, under) else 0
    _sum_subsets(line)


@kernel
def needed(rules, active):  # type: ignore[no-untyped-def]
    """Write for each pattern and mask how many unsafe rules (each once) lie within it.

    O(patterns * masks * conditions).
    """
    for p in range(len(rules.values)):
        _needed_of(rules, active, p)


@kernel
def needed_again(rules, active, row, value):  # type: ignore[no-untyped-def]
    """Write `needed` again for the patterns of a value that share conditions with a row.

    O(patterns * masks * conditions).
    """
    for p in range(len(rules.values)):
        if rules.values[p] == value and mask_of(rules, p, row):
            _needed_of(rules, active, p)


@kernel
def gain_of(rules, active, row, value):  # type: ignore[no-untyped-def]
    """Return how many unsafe rules to a value a row supports. O(patterns * conditions)."""
    total = 0
    for p in range(len(rules.values)):
        if rules.values[p] == value:
            total += active[p, mask_of(rules, p, row)]
    return total


@kernel
def gains_of(rules, active, rows, value):  # type: ignore[no-untyped-def]
    """Return how many unsafe rules to a value each row supports. O(rows * patterns * conditions)."""
    found = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        found[i] = gain_of(rules, active, rows[i], value)
    return found


@kernel
def unsafe_within(rules, within):  # type: ignore[no-untyped-def]
    """Write for each pattern and mask how many of its unsafe rules lie within it. O(patterns * masks * conditions)."""
    for p in range(len(rules.values)):
        line = within[p]
        for mask in range(len(line)):
            known = mask != 0 and mask & ~rules.known[p] == 0
            line[mask] = 1 if known and is_unsafe(rules, p, mask) else 0
        _sum_subsets(line)


# Decoys


@kernel
def count_hidden(rules, gone, sensitive, told, true):  # type: ignore[no-untyped-def]
    """Count for each rule the rows with its conditions whose sensitive cell is hidden, and those with its value.

    O(patterns * conditions * (rows + masks)).
    """
    for p in range(len(rules.values)):
        for row in range(len(gone)):
            if gone[row]:
                mask = mask_of(rules, p, row)
                told[p, mask] += 1
                if sensitive[row] == rules.values[p]:
                    true[p, mask] += 1
        _sum_supersets(told[p])
        _sum_supersets(true[p])


@kernel
def sum_within(lines):  # type: ignore[no-untyped-def]
    """Sum each line over the subsets of every mask. O(patterns * masks * conditions)."""
    for p in range(lines.shape[0]):
        _sum_subsets(lines[p])


@kernel
def decoy_gains(rules, within, rows, sensitive):  # type: ignore[no-untyped-def]
    """Return for each row how many rules that want decoys it would help; those it would harm count against it.

    O(rows * patterns * conditions).
    """
    found = np.zeros(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        for p in range(len(rules.values)):
            rules_here = within[p, mask_of(rules, p, rows[i])]
            found[i] += -rules_here if sensitive[rows[i]] == rules.values[p] else rules_here
    return found


@kernel
def fewest_hitting(rules, p, free):  # type: ignore[no-untyped-def]
    """Return the smallest set of free conditions that all unsafe rules of a pattern meet, or -1; of several the first.

    It is one without which no rule that is left is unsafe. Equal sets but for one condition each: the lower is first.
    O(masks * conditions).
    """
    known, masks = rules.known[p], rules.num.shape[1]
    bad = np.zeros(masks, dtype=np.bool_)
    for mask in range(1, masks):
        bad[mask] = mask & ~known == 0 and is_unsafe(rules, p, mask)
    bit = 1
    while bit < masks:  # now whether any rule within a mask is unsafe
        for mask in range(masks):
            if mask & bit:
                bad[mask] |= bad[mask ^ bit]
        bit *= 2
    best, least = -1, 64
    chosen = 0
    while True:
        if not bad[known & ~chosen]:
            size, rest = 0, chosen
            while rest:
                rest &= rest - 1
                size += 1
            apart = chosen ^ best
            if size < least or (size == least and apart & -apart & chosen):
                best, least = chosen, size
        chosen = (chosen - free) & free  # the next subset
        if chosen == 0:
            return best
