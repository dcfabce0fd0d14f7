"""The inner loops of the genetic search and its quick evaluation, compiled by Numba and cached; see `kernels`.

A string is worked on as its switches (see `Cuts`): one byte each. Integers only. The records only carry arrays.
All is in one file because a cached function is compiled anew only when its own file changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel
from discreet.encoded import Ints
from discreet.method.base.space import Flags

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
MOST = 2**62
"""Keys are below this."""
TOO_MANY = 2**62
"""What is allowed costs less than this; leaving out too many rows costs this, and 1 more for each row too many."""
UNKNOWN = -(2**63)
"""Instead of a cost that cannot be told here."""
ENTRIES, DISTINCT, LOOKED, WAITS, MEMBERS = range(5)
"""Where the figures of `Herd.state` stand."""


# The quick evaluation


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


class Rows(NamedTuple):
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


class Room(NamedTuple):
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
    every: Rows
    few: Rows
    """Collapsed further, for the strings that its mask has."""
    room: Room
    aims: Aims


@kernel
def describe(child, switch, meaning, room):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Write the part and the loss of every code under a string, and how many parts each column has."""
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

    Returns 0 when it would be too large.
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
            if kinds > MOST // parts:
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
        if bound > MOST // kinds:
            return 0
        end = begin + filled
        for i in range(begin, end):
            room.key_of[i] *= bound
        bound *= kinds
    return bound


@kernel
def add_keys(rows, room):  # type: ignore[no-untyped-def]
    """Write the key of each row."""
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

    A key is its own place if `direct`, else it is hashed.
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
            h = (h * 0x1E3779B97F4A7C15) & 0x7FFFFFFFFFFFFFFF
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
    """Return the loss of the groups kept, their misjudged rows, and the rows left out; leave all places empty."""
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
    """Note that a row is kept: in which parts its numbers are."""
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
    """Return loss, misjudged rows and rows left out as the parts are; -1 for all if keys are too large."""
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
    """Make one interval of the numbers of a column from a code up to another."""
    for v in range(begin, end - 1):
        s = switch[meaning.bits[c] + v]
        if s >= 0:
            child[s] = 0


@kernel
def find_inner(c, meaning, room):  # type: ignore[no-untyped-def]
    """Write where the told intervals of a column begin, where the last one does and stops; return how many are not."""
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

    -1 if keys are too large.
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
    """Return loss, misjudged rows, rows left out and rows to be left out besides; -1 for all if keys are too large."""
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
    """Return what an outcome costs; too many rows left out cost more than anything else does."""
    excess = gone + short - aims.most_gone
    if excess > 0:
        return TOO_MANY + min(excess, 2 * aims.total)
    return aims.loss * lost + aims.wrong * wrong + aims.gone * (gone + short)


# The search


class Strings(NamedTuple):
    """How strings are made: the arrays of `Cuts`, and a random number for each switch."""

    switch: Ints
    parent: Ints
    widths: Ints
    marks: Words


class Herd(NamedTuple):
    """The population, the best first, and everything that was ever made."""

    order: Ints
    """Which member has each rank."""
    costs: Ints
    """By rank."""
    members: Bytes
    """By member: its switches."""
    entries: Ints
    """By member: its entry in the memo."""
    places: npt.NDArray[np.int32]
    """A hash table of entries, counted from 1; 0 for none."""
    words: Words
    """By entry: the string, packed."""
    paid: Ints
    """By entry: the cost."""
    inside: Flags
    """By entry: whether it is in the population."""
    child: Bytes
    """The string at hand."""
    packed: Words
    """The string looked up last."""
    more: Ints
    hit: Flags
    state: Ints
    """Entries of the memo; different strings so far; rows looked at; whether the child waits for its cost; members."""


class Chunk(NamedTuple):
    """What is drawn by lot for some iterations."""

    pairs: Ints
    """Ranks of the first and the second parent."""
    spans: Ints
    """From which bit up to which the second gives."""
    flips: Ints
    """Bits flipped."""
    begins: Ints
    """Where those of each iteration begin, and where the last ones end."""


@kernel
def cross(one, other, start, stop, strings, more, child):  # type: ignore[no-untyped-def]
    """Write `one` with the bits from `start` up to `stop` of `other`, repaired by "nearest", to `child`.

    All three are switches. As in `Cuts.repair`, `more` is how many bits more are changed if a switch is on.
    """
    switch, parent, widths = strings.switch, strings.parent, strings.widths
    for s in range(len(parent)):
        more[s] = widths[s] - 2 * widths[s] * one[s]
    for bit in range(start, stop):
        s = switch[bit]
        if s >= 0:
            more[s] -= 2 * (np.int64(other[s]) - np.int64(one[s]))
    for s in range(len(parent) - 1, -1, -1):
        if more[s] < 0 and parent[s] >= 0:
            more[parent[s]] += more[s]
    for s in range(len(parent)):
        above = parent[s]
        child[s] = 1 if more[s] <= 0 and (above < 0 or child[above] != 0) else 0


@kernel
def mutate(flips, strings, hit, child):  # type: ignore[no-untyped-def]
    """Flip these bits, which win; see `Cuts.mutate`. `hit` is scratch, all false on entry and on return."""
    parent = strings.parent
    any_hit = False
    for bit in flips:
        s = strings.switch[bit]
        if s >= 0:
            hit[s] = True
            any_hit = True
    if not any_hit:
        return
    for s in range(len(parent)):
        # 2 and more: it is to be opened, whatever else happens
        opened = hit[s] and child[s] == 0
        above = parent[s]
        kept = child[s] != 0 and not hit[s] and (above < 0 or child[above] % 2 == 1)
        child[s] = (1 if kept else 0) + (2 if opened else 0)
        hit[s] = False
    for s in range(len(parent) - 1, -1, -1):
        if child[s] != 0:
            child[s] = 1
            if parent[s] >= 0:
                child[parent[s]] = 1


@kernel
def look_up(child, strings, herd):  # type: ignore[no-untyped-def]
    """Pack the child's switches; return its entry, or -1 - place where there is none yet."""
    packed = herd.packed
    for w in range(len(packed)):
        packed[w] = np.uint64(0)
    h = np.uint64(0)
    for s in range(len(child)):
        if child[s] != 0:
            h ^= strings.marks[s]
            packed[s >> 6] |= np.uint64(1) << np.uint64(s & 63)
    places = herd.places
    mask = len(places) - 1
    at = np.int64(h & np.uint64(mask))
    while places[at] != 0:
        entry = places[at] - 1
        same = True
        for w in range(len(packed)):
            if herd.words[entry, w] != packed[w]:
                same = False
                break
        if same:
            return entry
        at = (at + 1) & mask
    return -1 - at


@kernel
def remember(place, cost, herd):  # type: ignore[no-untyped-def]
    """Enter the packed string with its cost; return its entry."""
    entry = herd.state[ENTRIES]
    herd.state[ENTRIES] += 1
    herd.places[place] = entry + 1
    for w in range(len(herd.packed)):
        herd.words[entry, w] = herd.packed[w]
    herd.paid[entry] = cost
    herd.inside[entry] = False
    return entry


@kernel
def insert(entry, herd):  # type: ignore[no-untyped-def]
    """Put the child in its rank, behind its equals: as one member more, or for the worst one if it is not worse."""
    cost = herd.paid[entry]
    last = herd.state[MEMBERS]
    member = last
    if last < len(herd.order):
        herd.state[MEMBERS] += 1
    else:
        last -= 1
        if cost > herd.costs[last]:
            return
        member = herd.order[last]
        herd.inside[herd.entries[member]] = False
    herd.inside[entry] = True
    herd.entries[member] = entry
    for s in range(len(herd.child)):
        herd.members[member, s] = herd.child[s]
    low = 0
    high = last
    while low < high:
        middle = (low + high) // 2
        if herd.costs[middle] <= cost:
            low = middle + 1
        else:
            high = middle
    for rank in range(last, low, -1):
        herd.order[rank] = herd.order[rank - 1]
        herd.costs[rank] = herd.costs[rank - 1]
    herd.order[low] = member
    herd.costs[low] = cost


@kernel
def price(strings, quick, herd):  # type: ignore[no-untyped-def]
    """Return what the packed child costs; UNKNOWN if that cannot be told here."""
    if not quick.aims.covers:
        return UNKNOWN
    rows = quick.few
    for w in range(len(herd.packed)):
        if herd.packed[w] & ~rows.mask[w] != 0:
            rows = quick.every
            break
    herd.state[LOOKED] += rows.codes.shape[1]
    lost, wrong, gone, short = outcome_of(herd.child, strings.switch, rows, quick)
    if lost < 0:
        return UNKNOWN
    return cost_of(lost, wrong, gone, short, quick.aims)


@kernel
def take(cost, strings, herd):  # type: ignore[no-untyped-def]
    """Take in the child, which is new, at this cost."""
    place = -1 - look_up(herd.child, strings, herd)
    herd.state[DISTINCT] += 1
    insert(remember(place, cost, herd), herd)


@kernel
def enter(strings, quick, herd):  # type: ignore[no-untyped-def]
    """Take in the child unless it is there already; return whether its cost could be told here."""
    entry = look_up(herd.child, strings, herd)
    if entry >= 0:
        if not herd.inside[entry]:
            insert(entry, herd)
        return True
    cost = price(strings, quick, herd)
    if cost == UNKNOWN:
        herd.state[WAITS] = 1
        return False
    take(cost, strings, herd)
    return True


@kernel
def gather(i, drawn, strings, quick, herd, most):  # type: ignore[no-untyped-def]
    """Take the drawn strings from the i-th on into the population until it is full; return how far it came.

    It ends early after `most` rows looked at, and where the cost of a string (now the child) cannot be told here.
    """
    stop = herd.state[LOOKED] + most
    herd.state[WAITS] = 0
    while i < len(drawn) and herd.state[LOOKED] <= stop:
        if herd.state[MEMBERS] == len(herd.order):
            return len(drawn)
        for s in range(len(herd.child)):
            herd.child[s] = drawn[i, s]
        if not enter(strings, quick, herd):
            return i
        i += 1
    return i


@kernel
def breed(i, chunk, strings, quick, herd, most):  # type: ignore[no-untyped-def]
    """Make the children from the i-th on and insert those that are good enough; return how far it came.

    It ends early as `gather` does.
    """
    stop = herd.state[LOOKED] + most
    herd.state[WAITS] = 0
    while i < chunk.pairs.shape[1] and herd.state[LOOKED] <= stop:
        one = herd.members[herd.order[chunk.pairs[0, i]]]
        other = herd.members[herd.order[chunk.pairs[1, i]]]
        cross(one, other, chunk.spans[0, i], chunk.spans[1, i], strings, herd.more, herd.child)
        begin, end = chunk.begins[i], chunk.begins[i + 1]
        if begin < end:
            mutate(chunk.flips[begin:end], strings, herd.hit, herd.child)
        if not enter(strings, quick, herd):
            return i
        i += 1
    return i


@kernel
def forget(strings, herd):  # type: ignore[no-untyped-def]
    """Enter only the members in the emptied memo."""
    herd.state[ENTRIES] = 0
    for rank in range(len(herd.order)):
        member = herd.order[rank]
        place = -1 - look_up(herd.members[member], strings, herd)
        entry = remember(place, herd.costs[rank], herd)
        herd.inside[entry] = True
        herd.entries[member] = entry
