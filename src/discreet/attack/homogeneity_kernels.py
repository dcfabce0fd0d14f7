"""Kernels: the commonest value of a group of rows with one of them left out."""

from __future__ import annotations

from discreet.common.compiled import kernel


@kernel
def _place_within(values, begin, end, value):  # type: ignore[no-untyped-def]
    """Return the place of a value in an ascending part of a list; -1 if it is not there.

    O(log(end - begin)).
    """
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < value:
            begin = middle + 1
        elif values[middle] > value:
            end = middle
        else:
            return middle
    return -1


@kernel
def commonest_without_own(groups, texts, starts, values, weights, ranked, begin, covered, shares, near, found):  # type: ignore[no-untyped-def]
    """Write the commonest value of each group without one row of a text; -1 where nothing is left.

    For each pair of a group and a text O(v log v), v the values that the text covers: at most so many of the group's
    values are passed over, and each is looked for in the other list.
    """
    for p in range(len(groups)):
        first, stop = starts[groups[p]], starts[groups[p] + 1]
        own, own_stop = begin[texts[p]], begin[texts[p] + 1]
        best, most = -1, near
        for i in range(first, stop):  # the commonest that the own row does not tell
            entry = ranked[i]
            if _place_within(covered, own, own_stop, values[entry]) < 0:
                best, most = values[entry], weights[entry]
                break
        for i in range(own, own_stop):
            entry = _place_within(values, first, stop, covered[i])
            if entry < 0:
                continue
            left = weights[entry] - shares[i]
            if left > most + near or (left > most - near and left > near and (best < 0 or values[entry] < best)):
                best, most = values[entry], left
        found[p] = best
