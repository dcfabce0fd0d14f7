"""Kernel: the released rows put beside original ones that they cover, in order."""

from __future__ import annotations

from discreet.common.compiled import kernel


@kernel
def first_matches(released, original, exact, offsets, starts, ends, places):  # type: ignore[no-untyped-def]
    """Give each released row the first original row that it covers after the one before; return how many got one.

    O(original rows x columns x ranges of a text): no original row is looked at twice.
    """
    at = 0
    for row in range(released.shape[0]):
        taken = -1
        while at < original.shape[0] and taken < 0:
            covers = True
            for c in range(exact):
                if released[row, c] != original[at, c]:
                    covers = False
                    break
            c = exact
            while covers and c < released.shape[1]:
                text = offsets[c] + released[row, c]
                covers = False
                for i in range(starts[text], starts[text + 1]):
                    if ends[i, 0] <= original[at, c] < ends[i, 1]:
                        covers = True
                        break
                c += 1
            if covers:
                taken = at
            at += 1
        if taken < 0:
            return row
        places[row] = taken
    return released.shape[0]
