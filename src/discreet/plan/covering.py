"""Kernel: which of some groups covers a combination of values."""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import kernel


@kernel
def first_covering(positions, low, high, sets, flags):  # type: ignore[no-untyped-def]
    """Return the first group whose labels cover each combination (first axis); -1 if there is none.

    A label covers the positions from `low` up to `high`; where `sets` is not negative, only those with a flag there.
    O(combinations x groups x columns), less where a group that covers is found early.
    """
    found = np.full(positions.shape[0], -1, dtype=np.int64)
    for row in range(positions.shape[0]):
        for group in range(low.shape[0]):
            covers = True
            for c in range(positions.shape[1]):
                at = positions[row, c]
                if (
                    at < low[group, c]
                    or at >= high[group, c]
                    or (sets[group, c] >= 0 and not flags[sets[group, c] + at])
                ):
                    covers = False
                    break
            if covers:
                found[row] = group
                break
    return found
