"""The inner loops of the genetic search. Integers only; the records only carry arrays.

A string is worked on as its switches (see `Cuts`): one byte each. The loops of `quick_kernels` are compiled into these:
after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel, room
from discreet.encoded import Ints
from discreet.method.base.space import Flags
from discreet.method.cuts.quick_kernels import Bytes, Words, cost_of, outcome_of

UNKNOWN = -(2**63)
"""Instead of a cost that cannot be told here."""
ENTRIES, DISTINCT, LOOKED, WAITS, MEMBERS = range(5)
"""Where the figures of `Herd.state` stand."""


class Strings(NamedTuple):
    """How strings are made: the arrays of `Cuts`, and a random number for each switch."""

    switch: Ints
    parent: Ints
    widths: Ints
    marks: Words


@room
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


@room
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
    O(switches + stop - start).
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
    """Flip these bits, which win; see `Cuts.mutate`. `hit` is scratch, all false on entry and on return.

    O(switches + flips).
    """
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
    """Pack the child's switches; return its entry, or -1 - place where there is none yet. O(switches)."""
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
    """Enter the packed string with its cost; return its entry. O(words)."""
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
    """Put the child in its rank, behind its equals: as one member more, or for the worst one if it is not worse.

    O(members + switches).
    """
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
    """Return what the packed child costs; UNKNOWN if that cannot be told here. Cost: as `outcome_of`."""
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
    """Take in the child, which is new, at this cost. O(members + switches)."""
    place = -1 - look_up(herd.child, strings, herd)
    herd.state[DISTINCT] += 1
    insert(remember(place, cost, herd), herd)


@kernel
def enter(strings, quick, herd):  # type: ignore[no-untyped-def]
    """Take in the child unless it is there already; return whether its cost could be told here.

    O(members + switches), and `price` of a new string.
    """
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
def advance(i, drawn, chunk, strings, quick, herd, most):  # type: ignore[no-untyped-def]
    """Take the drawn strings from the i-th on until the population is full; where none is drawn, breed so on.

    Return how far it came: it ends early after `most` rows looked at, and where the cost of a string (now the child)
    cannot be told here. Both are one loop, for each is compiled with all that it calls. Cost: as `enter`, for each.
    """
    stop = herd.state[LOOKED] + most
    herd.state[WAITS] = 0
    gathers = len(drawn) > 0
    end = len(drawn) if gathers else chunk.pairs.shape[1]
    while i < end and herd.state[LOOKED] <= stop:
        if gathers:
            if herd.state[MEMBERS] == len(herd.order):
                return end
            for s in range(len(herd.child)):
                herd.child[s] = drawn[i, s]
        else:
            one = herd.members[herd.order[chunk.pairs[0, i]]]
            other = herd.members[herd.order[chunk.pairs[1, i]]]
            cross(one, other, chunk.spans[0, i], chunk.spans[1, i], strings, herd.more, herd.child)
            begin, stops = chunk.begins[i], chunk.begins[i + 1]
            if begin < stops:
                mutate(chunk.flips[begin:stops], strings, herd.hit, herd.child)
        if not enter(strings, quick, herd):
            return i
        i += 1
    return i


@kernel
def forget(strings, herd):  # type: ignore[no-untyped-def]
    """Enter only the members in the emptied memo. O(members * switches)."""
    herd.state[ENTRIES] = 0
    for rank in range(len(herd.order)):
        member = herd.order[rank]
        place = -1 - look_up(herd.members[member], strings, herd)
        entry = remember(place, herd.costs[rank], herd)
        herd.inside[entry] = True
        herd.entries[member] = entry
