"""The inner loops of the quick evaluation of bit strings; see `quick`. Integers only; the records only carry arrays.

A string is worked on as its switches (see `Cuts`): one byte each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel, room
from discreet.encoded import LARGEST_KEY, Ints
from discreet.method.base.space import Flags
from discreet.method.cuts.evaluation_kernels import HASH, POSITIVE

Bytes = npt.NDArray[np.uint8]

Words = npt.NDArray[np.uint64]
TOO_MANY = 2**62
"""What is allowed costs less than this; leaving out too many rows costs this, and 1 more for each row too many."""


class Meaning(NamedTuple):
    """What strings say: in which part each code is and what it loses. All columns one after the other."""

    bits: Ints
    """Where the bits of each column begin."""
    codes: Ints
    """Where the codes of each column begin, and where the last ones end."""
    plain: Flags
    nodes: Ints
    """Where the nodes that begin at each code begin in the two below."""
    stops: Ints
    losses: Ints
    positions: Ints
    """By code: where the number stands."""
    hidden_at: Ints
    hidden: Ints
    """By plain column, from `hidden_at` on: loss of a hidden value where so many besides are hidden."""
    numbers: Ints
    """By column: the first code that is a number, where outermost intervals are hidden; -1 elsewhere."""


class PackedRows(NamedTuple):
    """The rows to be counted, collapsed as far as the strings of a mask allow."""

    mask: Words
    """The switches that may be on."""
    codes: npt.NDArray[np.uint32]
    """Some columns together have one code: by such a set and row."""
    counts: Ints
    """What is counted of each row, several figures packed into each of some integers: row after row."""
    columns: Ints
    """The columns of all sets."""
    sets: Ints
    """Where the columns of each set begin, and where the last ones end."""
    firsts: Ints
    """By column and code (collapsed): one of the codes that it stands for."""
    at: Ints
    """By column: where its collapsed codes begin there, and where the last ones end."""


class Aims(NamedTuple):
    """What strings cost."""

    covers: bool
    """Whether the quick evaluation is right here."""
    least: int
    """Rows of a group that is kept."""
    company: int
    """Rows that must be left out if any is."""
    loss: int
    wrong: int
    gone: int
    most_gone: int
    total: int
    """Rows in all."""
    fields: int
    """How many figures are counted: rows of each class, or all rows."""
    bits: int
    """How wide a figure is."""
    words: int
    """Integers of each row."""
    hides: bool
    """Whether outermost intervals of which no row is kept are hidden."""


@room
class CountScratch(NamedTuple):
    """Scratch; `keys` and `table` are all zeros whenever the evaluation is not at work."""

    part: Ints
    """By code: its part."""
    loss: Ints
    """By code: what it loses."""
    parts: Ints
    """By column: how many parts it has."""
    begin: Ints
    """By set of columns: where its codes begin in the two below."""
    key_of: Ints
    loss_of: Ints
    key: Ints
    """By row."""
    keys: Ints
    """By place of a hash table: the key there, plus 1; 0 for none."""
    table: Ints
    """By place: what is counted there."""
    touched: Ints
    """By group: its place."""
    rows: Ints
    """By group: one of its rows."""
    child: Bytes
    """What is told of a string, as a string."""
    low: Ints
    high: Ints
    """By column: the least and the greatest part of numbers of which a row is kept; -1 for none."""
    hidden: Ints
    """By column: how many outermost intervals are hidden."""
    low_at: Ints
    last_at: Ints
    stop_at: Ints
    """By column: where the lowest and the highest interval that is told begins, and where the latter stops."""


class Tables(NamedTuple):
    """All that the quick evaluation looks at."""

    meaning: Meaning
    every: PackedRows
    few: PackedRows
    """Collapsed further, for the strings that its mask has."""
    room: CountScratch
    aims: Aims


@kernel
def describe(child, switch, meaning, room):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Write the part and the loss of every code under a string, and how many parts each column has.

    O(codes + nodes).
    """
    for c in range(len(meaning.plain)):
        base = meaning.codes[c]
        bit = meaning.bits[c]
        size = meaning.codes[c + 1] - base
        found = 0
        if meaning.plain[c]:
            hidden = 0
            for v in range(size):
                s = switch[bit + v]
                if s >= 0 and child[s] != 0:
                    found += 1
                    room.part[base + v] = found
                    room.loss[base + v] = 0
                else:
                    room.part[base + v] = 0
                    hidden += 1
            each = meaning.hidden[meaning.hidden_at[c] + max(hidden - 1, 0)]
            for v in range(size):
                if room.part[base + v] == 0:
                    room.loss[base + v] = each
            room.parts[c] = found + 1
            continue
        first = 0
        for v in range(size):
            if v < size - 1:
                s = switch[bit + v]
                if s < 0 or child[s] == 0:
                    continue
            each = meaning.positions[base + v] - meaning.positions[base + first]
            for node in range(meaning.nodes[base + first], meaning.nodes[base + first + 1]):
                if meaning.stops[node] == v + 1:
                    each = meaning.losses[node]
                    break
            for u in range(first, v + 1):
                room.part[base + u] = found
                room.loss[base + u] = each
            found += 1
            first = v + 1
        room.parts[c] = found


@kernel
def tabulate(rows, meaning, room):  # type: ignore[no-untyped-def]
    """Write the key and the loss of every code of each set of columns; return a bound above all sums of keys.

    Returns 0 when it would be too large. O(combinations of codes in all sets).
    """
    bound = 1
    end = 0
    for t in range(len(rows.sets) - 1):
        begin = end
        room.begin[t] = begin
        room.key_of[begin] = 0
        room.loss_of[begin] = 0
        filled = 1
        kinds = 1
        for place in range(rows.sets[t], rows.sets[t + 1]):
            c = rows.columns[place]
            at = rows.at[c]
            size = rows.at[c + 1] - at
            parts = room.parts[c]
            base = meaning.codes[c]
            if kinds > LARGEST_KEY // parts:
                return 0
            for i in range(filled - 1, -1, -1):
                key = room.key_of[begin + i] * parts
                loss = room.loss_of[begin + i]
                for j in range(size - 1, -1, -1):
                    code = base + rows.firsts[at + j]
                    room.key_of[begin + i * size + j] = key + room.part[code]
                    room.loss_of[begin + i * size + j] = loss + room.loss[code]
            filled *= size
            kinds *= parts
        if bound > LARGEST_KEY // kinds:
            return 0
        end = begin + filled
        for i in range(begin, end):
            room.key_of[i] *= bound
        bound *= kinds
    return bound


@kernel
def add_keys(rows, room):  # type: ignore[no-untyped-def]
    """Write the key of each row. O(rows * sets)."""
    key = room.key
    for t in range(rows.codes.shape[0]):
        codes, own = rows.codes[t], room.key_of[room.begin[t] :]
        if t == 0:
            for row in range(len(codes)):
                key[row] = own[codes[row]]
        else:
            for row in range(len(codes)):
                key[row] += own[codes[row]]


@kernel
def count(rows, direct, room, words):  # type: ignore[no-untyped-def]
    """Count the rows of each key; write the places of those that occur, with a row of each, and return how many.

    A key is its own place if `direct`, else it is hashed. O(rows * words).
    """
    counts, key, keys, table, touched, sample = rows.counts, room.key, room.keys, room.table, room.touched, room.rows
    mask = len(keys) - 1
    found = 0
    if direct and words == 1:  # most often
        for row in range(rows.codes.shape[1]):
            at = key[row]
            before = table[at]
            table[at] = before + counts[row]
            if before == 0:
                touched[found] = at
                sample[found] = row
                found += 1
        return found
    for row in range(rows.codes.shape[1]):
        at = key[row]
        if not direct:
            h = at ^ (at >> 29)
            h = (h * HASH) & POSITIVE
            at = (h ^ (h >> 32)) & mask
            while keys[at] != key[row] + 1 and keys[at] != 0:
                at = (at + 1) & mask
            keys[at] = key[row] + 1
        fresh = True
        for w in range(words):
            before = table[at * words + w]
            fresh &= before == 0
            table[at * words + w] = before + counts[row * words + w]
        if fresh:
            touched[found] = at
            sample[found] = row
            found += 1
    return found


@kernel
def sum_up(found, direct, rows, quick):  # type: ignore[no-untyped-def]
    """Return the loss of the groups kept, their misjudged rows, and the rows left out; leave all places empty.

    O(groups * (fields + columns)).
    """
    room, aims = quick.room, quick.aims
    lost = 0
    wrong = 0
    gone = 0
    full = (1 << aims.bits) - 1
    per_word = 63 // aims.bits
    for g in range(found):
        at = room.touched[g]
        if not direct:
            room.keys[at] = 0
        n = 0
        most = 0
        left = aims.fields
        for w in range(at * aims.words, (at + 1) * aims.words):
            packed = room.table[w]
            room.table[w] = 0
            for _ in range(min(left, per_word)):
                figure = packed & full
                packed >>= aims.bits
                n += figure
                most = max(most, figure)
            left -= per_word
        if n < aims.least:
            gone += n
            continue
        wrong += n - most
        each = 0
        row = room.rows[g]
        for t in range(rows.codes.shape[0]):
            each += room.loss_of[room.begin[t] + rows.codes[t, row]]
        lost += n * each
        if aims.hides:
            find_reach(row, rows, quick.meaning, room)
    return lost, wrong, gone


@kernel
def find_reach(row, rows, meaning, room):  # type: ignore[no-untyped-def]
    """Note that a row is kept: in which parts its numbers are. O(columns)."""
    for t in range(rows.codes.shape[0]):
        code = np.int64(rows.codes[t, row])
        for place in range(rows.sets[t + 1] - 1, rows.sets[t] - 1, -1):
            c = rows.columns[place]
            at = rows.at[c]
            size = rows.at[c + 1] - at
            v = rows.firsts[at + code % size]
            code //= size
            if 0 <= meaning.numbers[c] <= v:
                part = room.part[meaning.codes[c] + v]
                if room.high[c] < 0:
                    room.low[c] = part
                    room.high[c] = part
                room.low[c] = min(room.low[c], part)
                room.high[c] = max(room.high[c], part)


@kernel
def counted(rows, quick):  # type: ignore[no-untyped-def]
    """Return loss, misjudged rows and rows left out as the parts are; -1 for all if keys are too large.

    O(rows * (sets + words) + combinations of codes in all sets).
    """
    room, aims = quick.room, quick.aims
    bound = tabulate(rows, quick.meaning, room)
    if bound == 0:
        return -1, -1, -1
    direct = bound <= len(room.table) // aims.words
    add_keys(rows, room)
    found = count(rows, direct, room, aims.words)
    for c in range(len(room.low)):
        room.low[c] = -1
        room.high[c] = -1
    return sum_up(found, direct, rows, quick)


@kernel
def close(c, begin, end, switch, meaning, child):  # type: ignore[no-untyped-def]
    """Make one interval of the numbers of a column from a code up to another. O(end - begin)."""
    for v in range(begin, end - 1):
        s = switch[meaning.bits[c] + v]
        if s >= 0:
            child[s] = 0


@kernel
def find_inner(c, meaning, room):  # type: ignore[no-untyped-def]
    """Write where the told intervals of a column begin, where the last one does and stops; return how many are not.

    O(codes of the column).
    """
    first = meaning.numbers[c]
    base = meaning.codes[c]
    size = meaning.codes[c + 1] - base
    room.low_at[c] = -1
    if first < 0 or room.high[c] < 0 or (first > 0 and room.part[base] == room.part[base + first]):
        return 0
    for v in range(first, size):
        part = room.part[base + v]
        if part == room.low[c] and room.low_at[c] < 0:
            room.low_at[c] = v
        if part == room.high[c]:
            if room.part[base + v - 1] != part or v == first:
                room.last_at[c] = v
            room.stop_at[c] = v + 1
    return room.low[c] - room.part[base + first] + room.part[base + size - 1] - room.high[c]


@kernel
def make_coarser(gone, rows, switch, quick):  # type: ignore[no-untyped-def]
    """Make the string at hand say more truly what is told, see `outermost`; return whether it had to be changed.

    -1 if keys are too large. O(codes) and `counted`, where several intervals are hidden.
    """
    meaning, room = quick.meaning, quick.room
    several = False
    for c in range(len(meaning.plain)):
        room.hidden[c] = find_inner(c, meaning, room)
        several = several or room.hidden[c] > 1
    if not several:
        return 0
    for c in range(len(meaning.plain)):
        if room.hidden[c] > 1:
            base = meaning.codes[c]
            size = meaning.codes[c + 1] - base
            first = meaning.numbers[c]
            one = room.part[base + (first if room.low_at[c] > first else size - 1)]
            for v in range(first, size):
                if v < room.low_at[c] or v >= room.stop_at[c]:
                    room.part[base + v] = one
    _, _, together = counted(rows, quick)
    if together == gone:
        return 0
    for c in range(len(meaning.plain)):
        if room.hidden[c] > 1:
            first = meaning.numbers[c]
            with_last = room.hidden[c] == 2 and room.low_at[c] > first
            above = room.last_at[c] if with_last else room.stop_at[c]
            close(c, first, room.low_at[c], switch, meaning, room.child)
            close(c, above, meaning.codes[c + 1] - meaning.codes[c], switch, meaning, room.child)
    return 1 if together >= 0 else -1


@kernel
def outcome_of(child, switch, rows, quick):  # type: ignore[no-untyped-def]
    """Return loss, misjudged rows, rows left out and rows to be left out besides; -1 for all if keys are too large.

    Cost: `describe` and `counted`, again as often as the string has to be changed.
    """
    room, aims = quick.room, quick.aims
    for s in range(len(child)):
        room.child[s] = child[s]
    changed = 1
    lost = wrong = gone = 0
    while changed == 1:
        describe(room.child, switch, quick.meaning, room)
        lost, wrong, gone = counted(rows, quick)
        changed = make_coarser(gone, rows, switch, quick) if gone > 0 else 0
    if gone < 0 or changed < 0:
        return -1, -1, -1, -1
    short = aims.company - gone if 0 < gone < aims.company else 0
    return lost, wrong, gone, short


@kernel
def cost_of(lost, wrong, gone, short, aims):  # type: ignore[no-untyped-def]
    """Return what an outcome costs; too many rows left out cost more than anything else does. O(1)."""
    excess = gone + short - aims.most_gone
    if excess > 0:
        return TOO_MANY + min(excess, 2 * aims.total)
    return aims.loss * lost + aims.wrong * wrong + aims.gone * (gone + short)
