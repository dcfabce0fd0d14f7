"""The inner loops of the group methods, compiled by Numba and cached.

Plain loops over integers only: no sorting, no array reductions (they compile slowly). Keep this file
stable: any change compiles all of it anew. All comparisons of shares are products of integers below 2**63
(see `GroupCounts`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; cache on disk where a place for it can be written."""
    try:
        compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package folder nor the user's cache can be written
        compiled = numba.njit(nogil=True)(function)
    return compiled


@kernel
def split(rows, row_at, place, codes, sizes, hits, group, start, stop, groups, moved, touched):  # type: ignore[no-untyped-def]
    """Move `rows` out of their groups into new groups of their own, one per group they are in.

    The rows of group g stand together, at start[g]:stop[g]; `row_at` says which row stands where and `place`
    where each row stands. What is known of a row (`codes`, `sizes`, `hits`) moves with it, so that a group is
    always read from one piece of memory. `moved` is scratch full of zeros. Writes the groups that changed, the
    old and the new ones, to `touched`. A group whose rows all move only changes its name and is left alone.
    Returns numbers of groups and of touched ones.
    """
    first = 0
    for row in rows:
        g = group[row]
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
    touched, start, stop, codes, offsets, shown, live, sizes, hits, now, after, count, hit, seen
):
    """Raise the largest shares for the groups in `touched`: as they are, and after each single disclosure.

    `now[p]` is the largest share (hits, rows) of property p over all groups, `after[v, p]` the largest over
    the two parts into which disclosing value v cuts a group. Shares only grow as groups are cut (a part is
    at least as extreme as the whole), so old entries stay right and only the touched groups are looked at.
    `count`, `hit`, `seen` are scratch, zero on entry and on return.
    """
    properties = hits.shape[0]
    for g in touched:
        rows = 0
        for at in range(start[g], stop[g]):
            rows += sizes[at]
        for p in range(properties):
            total = 0
            for at in range(start[g], stop[g]):
                total += hits[p, at]
            if total * now[p, 1] > now[p, 0] * rows:
                now[p, 0] = total
                now[p, 1] = rows
        for c in range(codes.shape[0]):
            if not live[c] or shown[offsets[c] + codes[c, start[g]]]:
                continue
            found = 0
            for at in range(start[g], stop[g]):
                v = codes[c, at]
                if count[v] == 0:
                    seen[found] = v
                    found += 1
                count[v] += sizes[at]
            for p in range(properties):
                total = 0
                for at in range(start[g], stop[g]):
                    if hits[p, at] != 0:
                        hit[codes[c, at]] += hits[p, at]
                        total += hits[p, at]
                for i in range(found):
                    v = seen[i]
                    if count[v] < rows:
                        best = after[offsets[c] + v, p]
                        if hit[v] * best[1] > best[0] * count[v]:
                            best[0] = hit[v]
                            best[1] = count[v]
                        if (total - hit[v]) * best[1] > best[0] * (rows - count[v]):
                            best[0] = total - hit[v]
                            best[1] = rows - count[v]
                    hit[v] = 0
            for i in range(found):
                count[seen[i]] = 0
