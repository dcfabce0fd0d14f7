"""The rows that a cut leaves out where many sets of columns may be known: all sets together. Integers only.

Rows that are alike on the columns of a set are one combination of that set, however they are cut; so each set is
counted by its combinations, of which there are few, and not by the rows.
"""

from __future__ import annotations

from discreet.common.compiled import kernel


@kernel
def too_few(sets, least, part, offsets, widths, sizes, count, group, room, left_out):  # type: ignore[no-untyped-def]  # noqa: C901
    """Leave out the rows of groups with fewer than `least` rows in some set, until nothing changes.

    `sets` has what never changes: the `columns` (first axis: sets), where the combinations of each set `begin`, their
    `codes`, the combination `of` each row in each set, and the rows (`members`) of each combination, which `start`
    there. `count` holds the rows of each combination and is changed. `room` is as large as the most groups that a set
    may have, and zero; `group` is scratch.
    O(combinations * columns), and for each round O(combinations + rows left out * sets).
    """
    many = sets.columns.shape[0]
    known = sets.columns.shape[1]
    for s in range(many):
        for at in range(sets.begin[s], sets.begin[s + 1]):
            number = 0
            for c in range(known):
                column = sets.columns[s, c]
                number = number * widths[column] + part[offsets[column] + sets.codes[c, at]]
            group[at] = number
    changed = True
    while changed:
        changed = False
        for s in range(many):
            for at in range(sets.begin[s], sets.begin[s + 1]):
                room[group[at]] += count[at]
            for at in range(sets.begin[s], sets.begin[s + 1]):
                if count[at] > 0 and room[group[at]] < least[s]:
                    for i in range(sets.start[at], sets.start[at + 1]):
                        row = sets.members[i]
                        if left_out[row] == 0:
                            left_out[row] = 2
                            changed = True
            for at in range(sets.begin[s], sets.begin[s + 1]):
                room[group[at]] = 0
        if changed:
            for row in range(len(sizes)):
                if left_out[row] == 2:
                    left_out[row] = 1
                    for s in range(many):
                        count[sets.of[s, row]] -= sizes[row]
