"""Kernels: which lines of values fit which released texts, and what the rows that fit have."""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import kernel


@kernel
def _covers(text, value, starts, ends):  # type: ignore[no-untyped-def]
    """Whether a text may stand for a value; an unknown value may be anything.

    O(ranges of the text).
    """
    if value < 0:
        return True
    covers = False
    for i in range(starts[text], starts[text + 1]):
        covers |= ends[i, 0] <= value < ends[i, 1]
    return covers


@kernel
def lines_fit(lines, texts, offsets, starts, ends, found):  # type: ignore[no-untyped-def]
    """Say of each line of values whether the texts beside it cover it.

    O(lines x columns x ranges of a text).
    """
    for q in range(lines.shape[0]):
        fits = True
        for c in range(lines.shape[1]):
            if not _covers(offsets[c] + texts[q, c], lines[q, c], starts, ends):
                fits = False
                break
        found[q] = fits


@kernel
def tally_fitting(lines, level, codes, begin, end, offsets, starts, ends, of_texts, first, values, weights, found):  # type: ignore[no-untyped-def]
    """Sum up the weights of the values of the groups that fit each line.

    O(lines x nodes of the tree x ranges of a text) and the values of the groups that fit; what stands under a node that
    does not fit is not looked at.
    """
    depth = lines.shape[1]
    at, stop = np.zeros(depth, dtype=np.int64), np.zeros(depth, dtype=np.int64)
    bottom = level[depth - 1]
    for q in range(lines.shape[0]):
        c = 0
        at[0], stop[0] = 0, level[1]
        while c >= 0:
            if at[c] == stop[c]:
                c -= 1
                continue
            node = at[c]
            at[c] += 1
            text = codes[node] if of_texts else lines[q, c]
            value = lines[q, c] if of_texts else codes[node]
            if not _covers(offsets[c] + text, value, starts, ends):
                continue
            if c == depth - 1:
                group = node - bottom
                for i in range(first[group], first[group + 1]):
                    found[q, values[i]] += weights[i]
            else:
                c += 1
                at[c], stop[c] = begin[node], end[node]
