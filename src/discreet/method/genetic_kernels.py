"""The inner loops of the genetic search, compiled by Numba and cached. Integers only; see `kernels`.

A string is worked on as its switches (see `Cuts`): one byte each. The records below only carry arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.method.kernels import kernel
from discreet.method.space import Flags
from discreet.table.encode import Ints

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
DIRECT = 2**20
"""Keys below this are their own places in the table of counts; others are hashed."""
UNKNOWN = -(2**63)
"""Instead of a cost that cannot be told."""


class Strings(NamedTuple):
    """How strings are made: the arrays of `Cuts`, and a random number for each switch."""

    switch: Ints
    parent: Ints
    widths: Ints
    marks: Words


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

    least: int
    """Rows of a group that is kept."""
    company: int
    """Rows that must be left out if any is."""
    loss: int
    wrong: int
    gone: int
    most_gone: int
    too_many: int
    """The cost of leaving out as many as allowed is below this; each row more costs 1 more."""
    fields: int
    """How many figures are counted: rows of each class, or all rows."""
    bits: int
    """How wide a figure is."""
    words: int
    """Integers of each row."""


class Room(NamedTuple):
    """Scratch of the evaluation; `direct` and `hashed` are all zeros whenever it is not at work."""

    part: Ints
    loss: Ints
    parts: Ints
    key_of: Ints
    loss_of: Ints
    narrow: npt.NDArray[np.uint32]
    begin: Ints
    key: npt.NDArray[np.uint32]
    direct: Ints
    hashed: Ints
    touched: Ints
    rows: Ints


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
    packed: Words
    ones: Ints
    hit: Flags
    state: Ints
    """Entries of the memo; different strings so far; rows looked at; whether the child waits for its cost; members."""


@kernel
def cross(one, other, start, stop, strings, ones, child):  # type: ignore[no-untyped-def]
    """Write `one` with the bits from `start` up to `stop` of `other`, repaired by "nearest", to `child`.

    All three are switches. See `Cuts.repair`.
    """
    switch, parent, widths = strings.switch, strings.parent, strings.widths
    for s in range(len(parent)):
        ones[s] = widths[s] - 2 * widths[s] * one[s]
    for bit in range(start, stop):
        s = switch[bit]
        if s >= 0:
            ones[s] -= 2 * (np.int64(other[s]) - np.int64(one[s]))
    for s in range(len(parent) - 1, -1, -1):
        if ones[s] < 0 and parent[s] >= 0:
            ones[parent[s]] += ones[s]
    for s in range(len(parent)):
        above = parent[s]
        child[s] = 1 if ones[s] <= 0 and (above < 0 or child[above] != 0) else 0


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
def describe(child, strings, meaning, room):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Write the part and the loss of every code under a string, and how many parts each column has."""
    for c in range(len(meaning.plain)):
        base = meaning.codes[c]
        bit = meaning.bits[c]
        size = meaning.codes[c + 1] - base
        found = 0
        if meaning.plain[c]:
            hidden = 0
            for v in range(size):
                s = strings.switch[bit + v]
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
                s = strings.switch[bit + v]
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
            if kinds > 4611686018427387904 // parts:
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
        if bound > 4611686018427387904 // kinds:
            return 0
        end = begin + filled
        for i in range(begin, end):
            room.key_of[i] *= bound
            room.narrow[i] = room.key_of[i]
        bound *= kinds
    return bound


@kernel
def count_directly(rows, room, words):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Count the rows of each key; write the keys that occur (as places) with a row of each, return how many."""
    codes, counts, key = rows.codes, rows.counts, room.key
    sets = codes.shape[0]
    narrow = room.narrow
    first = narrow[room.begin[0] :]
    if sets == 1:
        for row in range(codes.shape[1]):
            key[row] = first[codes[0, row]]
    elif sets == 2:
        second = narrow[room.begin[1] :]
        for row in range(codes.shape[1]):
            key[row] = first[codes[0, row]] + second[codes[1, row]]
    else:
        second = narrow[room.begin[1] :]
        third = narrow[room.begin[2] :]
        for row in range(codes.shape[1]):
            key[row] = first[codes[0, row]] + second[codes[1, row]] + third[codes[2, row]]
        for t in range(3, sets):
            more = narrow[room.begin[t] :]
            for row in range(codes.shape[1]):
                key[row] += more[codes[t, row]]
    direct, touched, sample = room.direct, room.touched, room.rows
    found = 0
    if words == 1:
        for row in range(codes.shape[1]):
            k = key[row]
            before = direct[k]
            if before == 0:
                touched[found] = k
                sample[found] = row
                found += 1
            direct[k] = before + counts[row]
        return found
    for row in range(codes.shape[1]):
        at = np.int64(key[row]) * words
        fresh = True
        for w in range(words):
            fresh &= direct[at + w] == 0
            direct[at + w] += counts[row * words + w]
        if fresh:
            touched[found] = key[row]
            sample[found] = row
            found += 1
    return found


@kernel
def count_hashed(rows, room, words):  # type: ignore[no-untyped-def]
    """Count as `count_directly` does, for keys of any size; the counts stand behind their key (plus 1)."""
    codes, counts, hashed = rows.codes, rows.counts, room.hashed
    stride = words + 1
    mask = len(hashed) // stride - 1
    found = 0
    for row in range(codes.shape[1]):
        key = 1
        for t in range(codes.shape[0]):
            key += room.key_of[room.begin[t] + codes[t, row]]
        h = key ^ (key >> 29)
        h = (h * 0x1E3779B97F4A7C15) & 0x7FFFFFFFFFFFFFFF
        at = (h ^ (h >> 32)) & mask
        while hashed[at * stride] != key and hashed[at * stride] != 0:
            at = (at + 1) & mask
        if hashed[at * stride] == 0:
            hashed[at * stride] = key
            room.touched[found] = at
            room.rows[found] = row
            found += 1
        for w in range(words):
            hashed[at * stride + 1 + w] += counts[row * words + w]
    return found


@kernel
def sum_up(found, table, skip, rows, room, aims):  # type: ignore[no-untyped-def]
    """Return the loss of the groups kept, their misjudged rows, and the rows left out; leave `table` all zeros.

    The counts of each group stand there behind `skip` other integers.
    """
    lost = 0
    wrong = 0
    gone = 0
    full = (1 << aims.bits) - 1
    per_word = 63 // aims.bits
    words = aims.words
    for g in range(found):
        at = room.touched[g] * (skip + words)
        for w in range(skip):
            table[at + w] = 0
        at += skip
        n = 0
        most = 0
        left = aims.fields
        for w in range(words):
            packed = table[at + w]
            table[at + w] = 0
            for _ in range(min(left, per_word)):
                figure = packed & full
                packed >>= aims.bits
                n += figure
                if figure > most:
                    most = figure
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
    return lost, wrong, gone


@kernel
def outcome_of(child, strings, meaning, rows, room, aims):  # type: ignore[no-untyped-def]
    """Return loss, misjudged rows, rows left out and rows to be left out besides; -1 for all if keys are too large.

    As `Evaluator.evaluate` does where one table of all columns asks for nothing but groups that are large enough.
    """
    describe(child, strings, meaning, room)
    bound = tabulate(rows, meaning, room)
    if bound == 0:
        return -1, -1, -1, -1
    if bound * aims.words <= len(room.direct):
        table, skip = room.direct, 0
        found = count_directly(rows, room, aims.words)
    else:
        table, skip = room.hashed, 1
        found = count_hashed(rows, room, aims.words)
    lost, wrong, gone = sum_up(found, table, skip, rows, room, aims)
    short = aims.company - gone if 0 < gone < aims.company else 0
    return lost, wrong, gone, short


@kernel
def cost_of(lost, wrong, gone, short, aims):  # type: ignore[no-untyped-def]
    """Return what an outcome costs; too many rows left out cost more than anything else does."""
    excess = gone + short - aims.most_gone
    if excess > 0:
        return aims.too_many + excess
    return aims.loss * lost + aims.wrong * wrong + aims.gone * (gone + short)


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
    """Enter the packed child with its cost; return its entry."""
    entry = herd.state[0]
    herd.state[0] += 1
    herd.places[place] = entry + 1
    for w in range(len(herd.packed)):
        herd.words[entry, w] = herd.packed[w]
    herd.paid[entry] = cost
    herd.inside[entry] = False
    return entry


@kernel
def insert(child, entry, herd):  # type: ignore[no-untyped-def]
    """Put the child in the place of the worst member, if it is not worse, and in its rank, behind its equals."""
    cost = herd.paid[entry]
    last = len(herd.order) - 1
    if cost > herd.costs[last]:
        return
    member = herd.order[last]
    herd.inside[herd.entries[member]] = False
    herd.inside[entry] = True
    herd.entries[member] = entry
    for s in range(len(child)):
        herd.members[member, s] = child[s]
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
def price(strings, meaning, every, few, room, aims, herd):  # type: ignore[no-untyped-def]
    """Return what the packed child costs; UNKNOWN if that cannot be told here."""
    rows = few
    for w in range(len(herd.packed)):
        if herd.packed[w] & ~few.mask[w] != 0:
            rows = every
    herd.state[2] += rows.codes.shape[1]
    lost, wrong, gone, short = outcome_of(herd.child, strings, meaning, rows, room, aims)
    if lost < 0:
        return UNKNOWN
    return cost_of(lost, wrong, gone, short, aims)


@kernel
def settle(cost, herd, place):  # type: ignore[no-untyped-def]
    """Add the packed child to a population that is not full."""
    entry = remember(place, cost, herd)
    herd.state[1] += 1
    member = herd.state[4]
    herd.state[4] += 1
    herd.inside[entry] = True
    herd.entries[member] = entry
    for s in range(len(herd.child)):
        herd.members[member, s] = herd.child[s]


@kernel
def gather(i, drawn, strings, meaning, every, few, room, aims, herd, most, quick):  # type: ignore[no-untyped-def]
    """Take the drawn strings from the i-th on into the population, each once, until it is full; return where it ends.

    It ends early after `most` rows looked at, and where the cost of a string (now the child) cannot be told here.
    """
    stop = herd.state[2] + most
    herd.state[3] = 0
    while i < len(drawn) and herd.state[4] < len(herd.order) and herd.state[2] <= stop:
        for s in range(len(herd.child)):
            herd.child[s] = drawn[i, s]
        place = look_up(herd.child, strings, herd)
        if place < 0:
            cost = price(strings, meaning, every, few, room, aims, herd) if quick else UNKNOWN
            if cost == UNKNOWN:
                herd.state[3] = 1
                return i
            settle(cost, herd, -1 - place)
        i += 1
    return i


@kernel
def breed(i, pairs, spans, flips, begins, strings, meaning, every, few, room, aims, herd, most, quick):  # type: ignore[no-untyped-def]
    """Make the children from the i-th on and insert those that are good enough; return where it ends.

    `pairs` are the ranks of two parents (at the time) for each, `spans` the bits that the second gives, `flips` the
    bits that are flipped, from `begins` on. It ends early as `gather` does.
    """
    stop = herd.state[2] + most
    herd.state[3] = 0
    while i < pairs.shape[1] and herd.state[2] <= stop:
        one = herd.members[herd.order[pairs[0, i]]]
        other = herd.members[herd.order[pairs[1, i]]]
        cross(one, other, spans[0, i], spans[1, i], strings, herd.ones, herd.child)
        if begins[i] < begins[i + 1]:
            mutate(flips[begins[i] : begins[i + 1]], strings, herd.hit, herd.child)
        entry = look_up(herd.child, strings, herd)
        if entry < 0:
            cost = price(strings, meaning, every, few, room, aims, herd) if quick else UNKNOWN
            if cost == UNKNOWN:
                herd.state[3] = 1
                return i
            entry = remember(-1 - entry, cost, herd)
            herd.state[1] += 1
            insert(herd.child, entry, herd)
        elif not herd.inside[entry]:
            insert(herd.child, entry, herd)
        i += 1
    return i


@kernel
def admit(cost, strings, herd, full):  # type: ignore[no-untyped-def]
    """Go on with the child that waits for its cost."""
    place = -1 - look_up(herd.child, strings, herd)
    herd.state[3] = 0
    if not full:
        settle(cost, herd, place)
        return
    entry = remember(place, cost, herd)
    herd.state[1] += 1
    insert(herd.child, entry, herd)


@kernel
def forget(costs, strings, herd):  # type: ignore[no-untyped-def]
    """Enter only the members in the emptied memo; `costs` are by member."""
    herd.state[0] = 0
    for member in range(len(herd.order)):
        place = -1 - look_up(herd.members[member], strings, herd)
        entry = remember(place, costs[member], herd)
        herd.inside[entry] = True
        herd.entries[member] = entry
