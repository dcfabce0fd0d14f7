"""The rows that a cut leaves out where many sets of columns may be known: all sets together. Integers only.

Rows that are alike on the columns of a set are one combination of that set, however they are cut; so each set is
counted by its combinations, of which there are few, and not by the rows. A group is known by its first combination.
"""

from __future__ import annotations

from discreet.common.compiled import kernel


@kernel
def combinations(codes, columns, widths, sizes, least, of, members, first, counts, room):  # type: ignore[no-untyped-def]
    """Number the combinations of one set of columns, from `least` on, in the order in which they first occur.

    `of` each row its combination, its rows one after the other in `members`, the `first` row of each and its rows by
    `sizes` (`counts`, of a line for each row) are filled; their number is returned. `room` is as large as the most
    combinations that there may be, and zero. O(rows * columns).
    """
    rows = len(of)
    found = 0
    for row in range(rows):
        number = 0
        for c in range(len(columns)):
            number = number * widths[columns[c]] + codes[columns[c], row]
        at = room[number] - 1
        if at < 0:
            at = found
            room[number] = at + 1
            first[at] = row
            counts[at] = 0
            found += 1
        of[row] = at
        counts[at] += sizes[row]
    for at in range(found):
        number = 0
        for c in range(len(columns)):
            number = number * widths[columns[c]] + codes[columns[c], first[at]]
        room[number] = 0
    for row in range(rows):
        room[of[row]] += 1
    begin = 0
    for at in range(found):
        many = room[at]
        room[at] = begin
        begin += many
    for row in range(rows):
        at = of[row]
        members[room[at]] = row
        room[at] += 1
        of[row] = at + least
    for at in range(found):
        room[at] = 0
    return found


@kernel
def put_together(sets, anew, part, offsets, widths, groups, room):  # type: ignore[no-untyped-def]
    """Put the combinations of some sets (`anew`) into groups, and count their rows.

    `sets` has what never changes: the `columns` (first axis: sets), where the combinations of each set `begin`, their
    `codes` and how many rows each has (`counts`). `groups` is filled: the group `of` each combination and its `number`,
    the `next` combination of the same group (-1: none), and the `rows` of each group. `room` is as large as the most
    groups that a set may have, and zero. O(combinations of these sets * columns).
    """
    known = sets.columns.shape[1]
    for s in range(sets.columns.shape[0]):
        if anew[s]:
            for at in range(sets.begin[s], sets.begin[s + 1]):
                number = 0
                for c in range(known):
                    column = sets.columns[s, c]
                    number = number * widths[column] + part[offsets[column] + sets.codes[c, at]]
                groups.number[at] = number
                first = room[number] - 1
                groups.next[at] = -1
                groups.rows[at] = 0
                if first < 0:
                    first = at
                    room[number] = at + 1
                else:
                    groups.next[at] = groups.next[first]
                    groups.next[first] = at
                groups.of[at] = first
                groups.rows[first] += sets.counts[at]
            for at in range(sets.begin[s], sets.begin[s + 1]):
                room[groups.number[at]] = 0


@kernel
def too_few(sets, least, sizes, groups, rows, waiting, left_out):  # type: ignore[no-untyped-def]
    """Leave out the rows of groups with fewer than `least` rows in some set, until nothing changes.

    `sets` also has the combination `of` each row (second axis: sets), and the rows (`members`) of each combination,
    which `start` there. `rows` holds those of each group and is changed; `waiting` is scratch. A row that is left out
    is missed by its groups in all sets; a group that then has too few waits for its turn, once. What is left out in the
    end does not depend on the order. O(combinations + rows left out * sets).
    """
    many = sets.columns.shape[0]
    end = 0
    for s in range(many):
        for at in range(sets.begin[s], sets.begin[s + 1]):
            if 0 < rows[at] < least[s]:
                waiting[end] = at
                end += 1
    turn = 0
    while turn < end:
        at = waiting[turn]
        turn += 1
        while at >= 0:
            for i in range(sets.start[at], sets.start[at + 1]):
                row = sets.members[i]
                if not left_out[row]:
                    left_out[row] = True
                    for s in range(many):
                        group = groups.of[sets.of[row, s]]
                        before = rows[group]
                        rows[group] = before - sizes[row]
                        if before >= least[s] and rows[group] < least[s]:
                            waiting[end] = group
                            end += 1
            at = groups.next[at]
