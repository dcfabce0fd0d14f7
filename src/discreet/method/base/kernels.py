"""The inner loops of the group methods, compiled by Numba and cached.

Plain loops over integers only: no sorting by library, no array reductions (they compile slowly). Keep this
file stable: any change compiles all of it anew. The loops of `measure_kernels` are compiled into these: after a change
there, this file's code on disk is stale too. All comparisons are products of integers below 2**63 (see `GroupCounts`).
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.base.measure_kernels import FIRST, MEASURE, ROWS, SHARE, STOP, figure_of

SHUT = 0
"""Nothing more can be disclosed of a code."""
VALUE = 1
"""The code is a hidden value of a plain column: it can be told from all others."""
NODE = 2
"""The code stands under a node that can be opened."""
INTERVAL = 3
"""The code stands in an interval that can be cut."""

SETTLED = -1
"""Stands in `moved` for a group of which nothing is asked any more: its rows stay where they are."""


@kernel
def split(  # type: ignore[no-untyped-def]
    order, begin, end, row_at, place, codes, sizes, hits, group, start, stop, groups, moved, touched
):  # fmt: skip
    """Move the rows `order[begin:end]` out of their groups into new groups of their own, one per group they are in.

    The rows of group g stand together, at start[g]:stop[g]; `row_at` says which row stands where and `place`
    where each row stands. What is known of a row (`codes`, `sizes`, `hits`) moves with it, so that a group is
    always read from one piece of memory. `moved` is scratch, full of zeros but for groups that are `SETTLED`: their
    rows are passed over. Writes the groups that changed, the old and the new ones, to `touched`. A group whose rows
    all move only changes its name and is left alone. Returns numbers of groups and of touched ones.
    O(rows + rows that move * (columns + properties)), and the rows of groups that changed.
    """
    first = 0
    for which in range(begin, end):
        row = order[which]
        g = group[row]
        if moved[g] == SETTLED:
            continue
        if moved[g] == 0:
            touched[first] = g
            first += 1
        moved[g] += 1
        here = place[row]
        there = stop[g] - moved[g]
        other = row_at[there]
        row_at[here], row_at[there] = other, row
        place[other], place[row] = here, there
        sizes[here], sizes[there] = sizes[there], sizes[here]
        for c in range(codes.shape[0]):
            codes[c, here], codes[c, there] = codes[c, there], codes[c, here]
        for p in range(hits.shape[0]):
            hits[p, here], hits[p, there] = hits[p, there], hits[p, here]
    changed = 0
    fresh = groups
    for i in range(first):
        g = touched[i]
        count = moved[g]
        moved[g] = 0
        if count == stop[g] - start[g]:
            continue
        start[fresh] = stop[g] - count
        stop[fresh] = stop[g]
        stop[g] -= count
        for at in range(start[fresh], stop[fresh]):
            group[row_at[at]] = fresh
        touched[changed] = g
        changed += 1
        fresh += 1
    for i in range(fresh - groups):
        touched[changed + i] = groups + i
    return fresh, 2 * changed


@kernel
def rescore(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    touched, number, rests, left_column, moved, start, stop, codes, offsets, mode, slot, child, alive, jump, sizes,
    hits, limits, now, after, sums, widest, doomed, found_doomed, count, seen, part, total, side,
):  # fmt: skip
    """Raise the largest figures for groups: as they are, and after each single disclosure.

    They are the first in `touched`, a `number` of them.
    `now[p]` is the largest figure (above and below the line) of limit p over all groups, `after[s, p]` the largest
    over the parts into which disclosure s cuts a group, where it is above `now`. Figures only grow as groups are
    cut (a part is at least as extreme as the whole), so old entries stay right and only the touched groups
    are looked at. Of a code (at `offsets[c]` + code): `mode` says how its group can be cut, `slot` which
    disclosure does it (for an interval: the cut in front of the code), `child` the part it falls into. The
    cut of an interval that breaks a limit is dead at once (not `alive`); `jump` leads from a dead cut to the
    next one alive. `count` and `part` (tallies by code) are scratch, zero on entry and on return, `seen`, `total` and
    `side` are scratch.

    The first `rests` groups are what one value of the plain column `left_column` left behind: of its other values only
    the rest without each has changed, and if no such rest can be above `now` the column is not looked at there. What
    left is as many groups further on in `touched`. `sums` has rows and tallies of each group, if it has any lines.
    `widest[c, g]` is at least the rows of any value of column c in group g that may still be shown. Disclosures of
    values that are found to break a limit are marked in `doomed` and written to `found_doomed`, each once; returns
    how many.

    Where all limits are shares, a group in which nobody has any of the properties is `SETTLED` (in `moved`) and not
    looked at: nobody has in any part of it.
    O(rows of the groups * columns * tallies), and sorting the codes of an interval; no more than O(rows that left)
    where no column is looked at.
    """
    dooms = 0
    for turn in range(number):
        g = touched[turn]
        of = g
        less = turn < rests and len(sums) > 0
        if less:  # what has left is in the new group
            of = touched[rests + turn]
        rows = 0
        for t in range(hits.shape[0]):
            total[t] = 0
        for at in range(start[of], stop[of]):
            rows += sizes[at]
        for t in range(hits.shape[0]):
            for at in range(start[of], stop[of]):
                total[t] += hits[t, at]
        if less:
            rows = sums[g, 0] - rows
            for t in range(hits.shape[0]):
                total[t] = sums[g, t + 1] - total[t]
        if len(sums) > 0:
            sums[g, 0] = rows
            for t in range(hits.shape[0]):
                sums[g, t + 1] = total[t]
        asked = False
        for p in range(len(limits)):
            asked = asked or limits[p, MEASURE] != SHARE or total[limits[p, FIRST]] != 0
        if not asked:
            moved[g] = SETTLED
            continue
        for p in range(len(limits)):
            a, n = figure_of(rows, total, limits, p)
            if a * now[p, 1] > now[p, 0] * n:
                now[p, 0] = a
                now[p, 1] = n
        for c in range(codes.shape[0]):
            base = offsets[c]
            here = base + codes[c, start[g]]
            kind = mode[here]
            if kind == SHUT or (kind == NODE and not alive[slot[here]]):
                continue
            if turn < rests and c == left_column and kind == VALUE:
                without = rows - widest[c, g]
                above = without <= 0
                for p in range(len(limits)):
                    if limits[p, MEASURE] == SHARE:
                        above = above or total[limits[p, FIRST]] * now[p, 1] > now[p, 0] * without
                    elif limits[p, MEASURE] == ROWS:
                        above = above or now[p, 1] > now[p, 0] * without
                    else:
                        above = True
                if not above:
                    continue
            found = 0
            for at in range(start[g], stop[g]):
                v = codes[c, at]
                if kind == NODE:
                    v = child[base + v]
                if count[v] == 0:
                    seen[found] = v
                    found += 1
                count[v] += sizes[at]
            if found == 1:
                count[seen[0]] = 0
                continue
            if kind == VALUE:
                most = 0
                for i in range(found):
                    if count[seen[i]] > most and alive[slot[base + seen[i]]]:
                        most = count[seen[i]]
                widest[c, g] = most
            if kind == INTERVAL:
                gap = found // 2
                while gap > 0:
                    for i in range(gap, found):
                        v = seen[i]
                        j = i
                        while j >= gap and seen[j - gap] > v:
                            seen[j] = seen[j - gap]
                            j -= gap
                        seen[j] = v
                    gap //= 2
            for t in range(hits.shape[0]):
                if total[t] != 0:
                    for at in range(start[g], stop[g]):
                        if hits[t, at] != 0:
                            v = codes[c, at]
                            if kind == NODE:
                                v = child[base + v]
                            part[v, t] += hits[t, at]
            for p in range(len(limits)):
                first = limits[p, FIRST]
                last = limits[p, STOP]
                if limits[p, MEASURE] == SHARE and total[first] == 0:
                    continue
                left = 0
                for t in range(first, last):
                    side[t] = 0
                for i in range(found):
                    if i == found - 1 and kind == INTERVAL:
                        break
                    v = seen[i]
                    # The worse of the two sides: a value or part against the rest, or all up to v against the rest.
                    if kind == INTERVAL:
                        left += count[v]
                        for t in range(first, last):
                            side[t] += part[v, t]
                    else:
                        left = count[v]
                        for t in range(first, last):
                            side[t] = part[v, t]
                    a, n = figure_of(left, side, limits, p)
                    if kind != NODE:
                        for t in range(first, last):
                            side[t] = total[t] - side[t]
                        other_a, other_n = figure_of(rows - left, side, limits, p)
                        for t in range(first, last):
                            side[t] = total[t] - side[t]
                        if other_a * n > a * other_n:
                            a = other_a
                            n = other_n
                    if a * now[p, 1] <= now[p, 0] * n:
                        continue
                    if kind == VALUE:
                        s = slot[base + v]
                        if alive[s] and a * after[s, p, 1] > after[s, p, 0] * n:
                            after[s, p, 0] = a
                            after[s, p, 1] = n
                            if not doomed[s] and a * limits[p, 1] > limits[p, 0] * n:
                                doomed[s] = True
                                found_doomed[dooms] = s
                                dooms += 1
                    elif kind == NODE:
                        s = slot[here]
                        if a * after[s, p, 1] > after[s, p, 0] * n:
                            after[s, p, 0] = a
                            after[s, p, 1] = n
                    else:
                        breaks = a * limits[p, 1] > limits[p, 0] * n
                        s = slot[base + v + 1]
                        end = slot[base + seen[i + 1]]
                        while s <= end:
                            while jump[s] != s:
                                jump[s] = jump[jump[s]]
                                s = jump[s]
                            if s > end:
                                break
                            if a * after[s, p, 1] > after[s, p, 0] * n:
                                after[s, p, 0] = a
                                after[s, p, 1] = n
                            if breaks:
                                alive[s] = False
                                jump[s] = s + 1
                            s += 1
            for i in range(found):
                count[seen[i]] = 0
                for t in range(hits.shape[0]):
                    part[seen[i], t] = 0
    return dooms


@kernel
def show_in_turn(  # type: ignore[no-untyped-def]
    values, first_code, first_slot, was, order, starts, column, row_at, place, group, groups, moved, touched,
    start, stop, codes, offsets, mode, slot, child, alive, jump, sizes, hits, limits, now,
    after, sums, widest, doomed, found_doomed, count, seen, part, total, side,
):  # fmt: skip
    """Show values of one plain column, one after the other, while that changes nothing of what was known before.

    Each is shown as `split` and `rescore` do it, by its rows `order[starts[v]:starts[v + 1]]`. It ends before a value
    that would make some figure larger than the largest now, and after one with which a largest figure grew above what
    it `was` or a value was doomed. Returns how many are shown, the number of groups, and how many are doomed.
    O(rows of the values * (columns + tallies)), and what `rescore` takes for the groups it looks at.
    """
    made = 0
    dooms = 0
    going = True
    while going and made < len(values):
        v = values[made]
        s = first_slot + v
        for p in range(len(limits)):
            if after[s, p, 0] * now[p, 1] > now[p, 0] * after[s, p, 1]:
                going = False
        if going:
            alive[s] = False
            mode[first_code + v] = SHUT
            groups, changed = split(
                order, starts[v], starts[v + 1], row_at, place, codes, sizes, hits, group, start, stop, groups, moved,
                touched,
            )  # fmt: skip
            dooms = rescore(
                touched, changed, changed // 2, column, moved, start, stop, codes, offsets, mode, slot, child, alive,
                jump, sizes, hits, limits, now, after, sums, widest, doomed, found_doomed, count, seen, part, total,
                side,
            )  # fmt: skip
            made += 1
            going = dooms == 0
            for p in range(len(limits)):
                if now[p, 0] != was[p, 0] or now[p, 1] != was[p, 1]:
                    going = False
    return made, groups, dooms
