"""The groups that a cut makes of the rows, what they lose and which break a limit. Integers only.

The loops of `target_kernels` and `measure_kernels` are compiled into these: after a change there, this file's code on
disk is stale too.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.encoded import LARGEST_KEY
from discreet.method.base.measure_kernels import passes
from discreet.method.cuts.target_kernels import target_cost

HASH = 0x1E3779B97F4A7C15
"""Keys are multiplied by this to spread them: 2**64 over the golden ratio, without its highest bit."""
POSITIVE = 0x7FFFFFFFFFFFFFFF
"""All bits but the sign."""
PIECE = 2048
"""Rows that stay near the processor while several columns are read."""


@kernel
def dense(key, bound, ids, table, places):  # type: ignore[no-untyped-def]
    """Number the different keys in the order they come; return how many. `table` and `places` are scratch.

    Keys are from 0 up to `bound`; where that is small they are their own places, else they are hashed into a
    table of a power of two entries, at least twice as many as keys. O(rows + the smaller of bound and table).
    """
    rows = len(key)
    found = 0
    size = len(table)
    if bound <= size:
        for at in range(bound):
            places[at] = -1
        for row in range(rows):
            at = key[row]
            if places[at] < 0:
                places[at] = found
                found += 1
            ids[row] = places[at]
        return found
    for at in range(size):
        places[at] = -1
    mask = size - 1
    for row in range(rows):
        k = key[row]
        h = k ^ (k >> 29)
        h = (h * HASH) & POSITIVE
        at = (h ^ (h >> 32)) & mask
        while places[at] >= 0 and table[at] != k:
            at = (at + 1) & mask
        if places[at] < 0:
            places[at] = found
            table[at] = k
            found += 1
        ids[row] = places[at]
    return found


@kernel
def group(codes, columns, part, offsets, widths, fixed, fixed_bound, key, ids, table, places):  # type: ignore[no-untyped-def]
    """Number the groups of rows with equal parts on the columns and equal `fixed`; return how many.

    `part` (at `offsets[c]` + code) is the number of the part that a code of column c falls into, below `widths[c]`.
    O(rows * columns + table).
    """
    rows = codes.shape[1]
    bound = fixed_bound
    for row in range(rows):
        key[row] = fixed[row]
    at = 0
    while at < len(columns):
        stop = at
        after = bound
        while stop < len(columns) and after <= LARGEST_KEY // widths[columns[stop]]:
            after *= widths[columns[stop]]
            stop += 1
        if stop == at:
            bound = dense(key, bound, ids, table, places)
            for row in range(rows):
                key[row] = ids[row]
            continue
        for first in range(0, rows, PIECE):  # a piece of the keys stays at hand while all columns are added
            last = min(first + PIECE, rows)
            for place in range(at, stop):
                c = columns[place]
                width = widths[c]
                base = offsets[c]
                for row in range(first, last):
                    key[row] = key[row] * width + part[base + codes[c, row]]
        bound = after
        at = stop
    return dense(key, bound, ids, table, places)


@kernel
def group_packed(  # type: ignore[no-untyped-def]
    joint, starts, columns, sizes, known, part, offsets, widths, fixed, fixed_bound, looked, key, ids, table, places
):
    """Do as `group` does, with columns looked up together: pack p has `columns` from `starts[p]` to `starts[p + 1]`.

    `joint` has the code of each pack in each row: a number with a digit for each column, below `sizes[c]`. `known` says
    which columns count. `looked` is scratch for what is looked up of all packs. The product of the widths of the known
    columns and of `fixed_bound` is at most `LARGEST_KEY`. O(rows * packs + table + codes of packs).
    """
    rows = joint.shape[1]
    bound = fixed_bound
    for row in range(rows):
        key[row] = fixed[row]
    begin = 0
    for pack in range(len(starts) - 1):
        length = 1
        counts = False
        looked[begin] = 0
        for place in range(starts[pack], starts[pack + 1]):
            c = columns[place]
            weight = 0
            if known[c]:
                counts = True
                weight = bound
                bound *= widths[c]
            for at in range(length - 1, -1, -1):  # from behind: what is written has been read
                before = looked[begin + at]
                for code in range(sizes[c] - 1, -1, -1):
                    looked[begin + at * sizes[c] + code] = before + weight * part[offsets[c] + code]
            length *= sizes[c]
        if counts:
            for row in range(rows):
                key[row] += looked[begin + joint[pack, row]]
        begin += length
    return dense(key, bound, ids, table, places)


@kernel
def sum_groups(ids, sizes, hits, codes, loss, offsets, fields, groups, sums):  # type: ignore[no-untyped-def]
    """Sum up each group: rows, loss, fields, and what limits count besides.

    O(rows * (columns + fields + tallies) + groups * sums).
    """
    tallies = hits.shape[0]
    width = fields.shape[1]
    columns = codes.shape[0]
    for g in range(groups):
        for at in range(sums.shape[1]):
            sums[g, at] = 0
    for first in range(0, len(ids), PIECE):  # a piece of each column stays at hand
        last = min(first + PIECE, len(ids))
        for row in range(first, last):
            g = ids[row]
            each = 0
            for c in range(columns):
                each += loss[offsets[c] + codes[c, row]]
            sums[g, 0] += sizes[row]
            sums[g, 1] += each * sizes[row]
            for f in range(width):
                sums[g, 2 + f] += fields[row, f]
            for t in range(tallies):
                if hits[t, row] != 0:
                    sums[g, 2 + width + t] += hits[t, row]


@kernel
def judge_sums(sums, groups, limits, shape, broken, kept, tally, told):  # type: ignore[no-untyped-def]
    """Say which groups break a limit; return the loss of the others, and how many rows are left out.

    `kept` gets what the others cost each target; the sums of those left out are in the second half of `tally`, and
    what limits count of them besides rows in `told`.
    O(groups * (tallies + fields)), and `target_cost` of each group.
    """
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    width = begins[len(kinds)]
    lost = 0
    gone = 0
    for t in range(len(kinds)):
        kept[t] = 0
    for f in range(width, 2 * width):
        tally[f] = 0
    for t in range(len(told)):
        told[t] = 0
    for g in range(groups):
        n = sums[g, 0]
        bad = False
        counted = sums[g, 2 + width :]
        for p in range(len(limits)):
            if passes(n, counted, limits, p):
                bad = True
        broken[g] = bad
        if bad:
            gone += n
            for f in range(width):
                tally[width + f] += sums[g, 2 + f]
            for t in range(len(told)):
                told[t] += sums[g, 2 + width + t]
            continue
        lost += sums[g, 1]
        for t in range(len(kinds)):
            kept[t] += target_cost(sums[g, 2 : 2 + width], kinds, begins, at_params, params, t)
    return lost, gone


@kernel
def find_broken(ids, groups, sizes, hits, limits, left_out, size, tally, broken):  # type: ignore[no-untyped-def]
    """Say of each group whether it breaks a limit, rows that are `left_out` aside; return whether any does.

    `size` and `tally` (a line for each group) are scratch. O((rows + groups) * tallies).
    """
    tallies = hits.shape[0]
    for g in range(groups):
        size[g] = 0
        broken[g] = False
        for t in range(tallies):
            tally[g, t] = 0
    for row in range(len(ids)):
        if not left_out[row]:
            size[ids[row]] += sizes[row]
    for t in range(tallies):
        for row in range(len(ids)):
            if hits[t, row] != 0 and not left_out[row]:
                tally[ids[row], t] += hits[t, row]
    any_broken = False
    for g in range(groups):
        counted = tally[g]
        for p in range(len(limits)):
            if size[g] > 0 and passes(size[g], counted, limits, p):
                broken[g] = True
                any_broken = True
    return any_broken


@kernel
def lost_by(codes, sizes, loss, offsets, left_out):  # type: ignore[no-untyped-def]
    """Return the summed loss of the rows kept, and how many rows are left out. O(rows * columns)."""
    total = 0
    gone = 0
    for row in range(len(sizes)):
        if left_out[row]:
            gone += sizes[row]
            continue
        each = 0
        for c in range(codes.shape[0]):
            each += loss[offsets[c] + codes[c, row]]
        total += each * sizes[row]
    return total, gone


@kernel
def kept_reach(codes, order, columns, firsts, left_out, low, high):  # type: ignore[no-untyped-def]
    """Write the least and the greatest code, from `firsts` on, that a row kept has in each column; -1 for none.

    `order` has for each of the columns the rows by their codes. O(rows * columns), of which few where most are kept.
    """
    rows = len(left_out)
    for at in range(len(columns)):
        c = columns[at]
        low[c] = -1
        high[c] = -1
        last = rows - 1
        while last >= 0 and left_out[order[at, last]]:
            last -= 1
        if last < 0 or codes[c, order[at, last]] < firsts[c]:
            continue
        high[c] = codes[c, order[at, last]]
        begin = 0
        while left_out[order[at, begin]] or codes[c, order[at, begin]] < firsts[c]:
            begin += 1
        low[c] = codes[c, order[at, begin]]


@kernel
def by_group(ids, groups, start, sorted_rows):  # type: ignore[no-untyped-def]
    """Sort rows by their group, within one as they are; `start` has where each group begins. O(rows + groups)."""
    for g in range(groups + 1):
        start[g] = 0
    for row in range(len(ids)):
        start[ids[row] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    for row in range(len(ids)):
        g = ids[row]
        sorted_rows[start[g]] = row
        start[g] += 1
    for g in range(groups, 0, -1):
        start[g] = start[g - 1]
    start[0] = 0
