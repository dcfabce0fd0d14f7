"""What cuts of one column would cost where limits ask for rows and one share at most, and nothing is to be predicted.

The same as `interval_costs` and `node_costs` of `context_kernels`, for the commonest problems. A group breaks a limit
if it has fewer than `least` rows (but some), or if `under` times its tally is more than `over` times its rows. Integers
only.
"""

from __future__ import annotations

from discreet.common.compiled import kernel


@kernel
def plain_interval_costs(  # type: ignore[no-untyped-def]
    start, groups, code, first, stop, sizes, dropped, tallies, others, least, over, under, lm, kept, based
):
    """Do as `interval_costs`; `tallies` are what the share counts of each row. O(sum over contexts of codes²)."""
    last = stop - first
    for g in range(groups):
        begin = start[g]
        end = start[g + 1]
        while begin < end and code[begin] < first:
            begin += 1
        while begin < end and code[end - 1] >= stop:
            end -= 1
        each = lm * others[g]
        low = 0
        for i in range(begin, end):
            high = code[i] - first + 1
            n = 0
            out = 0
            tally = 0
            kept_before = 0
            based_before = 0
            for j in range(i, end):
                n += sizes[j]
                out += dropped[j]
                tally += tallies[j]
                rows = n
                base = each * n
                if 0 < n < least or tally * under > over * n:
                    rows = 0
                    base = out
                near = code[j] - first
                if rows != kept_before:
                    kept[low, near] += rows - kept_before
                    kept[high, near] -= rows - kept_before
                    kept_before = rows
                based[low, near] += base - based_before
                based[high, near] -= base - based_before
                based_before = base
            kept[low, last] -= kept_before
            kept[high, last] += kept_before
            based[low, last] -= based_before
            based[high, last] += based_before
            low = high


@kernel
def plain_node_costs(  # type: ignore[no-untyped-def]
    start, groups, code, leaf, parent, losses, sizes, dropped, tallies, others, least, over, under, lm, cost, touched,
    seen, sums,
):  # fmt: skip
    """Do as `node_costs`; `losses` are by node. The last three are scratch, `seen` with -1 for each node.

    O(rows * depth).
    """
    for g in range(groups):
        found = 0
        for row in range(start[g], start[g + 1]):
            n = sizes[row]
            out = dropped[row]
            tally = tallies[row]
            node = leaf[code[row]]
            while node >= 0:
                if seen[node] != g:
                    seen[node] = g
                    touched[found] = node
                    found += 1
                    sums[node, 0] = n
                    sums[node, 1] = out
                    sums[node, 2] = tally
                else:
                    sums[node, 0] += n
                    sums[node, 1] += out
                    sums[node, 2] += tally
                node = parent[node]
        for i in range(found):
            node = touched[i]
            n = sums[node, 0]
            if 0 < n < least or sums[node, 2] * under > over * n:
                cost[node] += sums[node, 1]
            else:
                cost[node] += lm * n * (others[g] + losses[node])
