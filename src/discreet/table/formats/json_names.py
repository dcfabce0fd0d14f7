"""Names that a JSON object has twice: programs disagree on which of their values counts, so they are refused.

Libraries that read JSON lines fast do not say that a name came twice. Looking for them in Python costs more than
reading the file, so lines are first looked at by their bytes, all of a piece at once: a name ends where a quote stands
before a colon, and is known by a number made of its bytes. Only lines in which two of these are the same, or which
write a name in an unusual way, are read as JSON here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.table.formats.place import Place

PIECE = 1 << 20
LONGEST = 64
"""Bytes of a name that are looked at, from its end: longer ones are only taken for the same too often."""
QUOTE, COLON, BACKSLASH, LF = b'":\\\n'
_IS_SPACE = np.zeros(256, np.bool_)
_IS_SPACE[list(b" \t\r")] = True
WORD = 8
LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
MIX = np.uint64(0x9E3779B97F4A7C15)

Places = NDArray[np.int64]
Words = NDArray[np.uint64]


class _NameTwice(Exception):
    """An object has a name twice."""


def refuse_names_twice(table: Place, path: Path) -> None:
    """Refuse a file with an object in which a name stands twice."""
    before = 0
    for text in _pieces(path):
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == LF)
        starts = np.concatenate(([0], ends + 1))
        for line in _suspects(text, ends):
            start = int(starts[line])
            stop = int(ends[line]) if line < ends.size else len(text)
            try:
                json.loads(text[start:stop], object_pairs_hook=_refuse_twice)
            except _NameTwice as twice:
                raise InputError(
                    f"{table}, line {before + line + 1}: has the name {str(twice)!r} twice; programs do not agree on "
                    "which value counts; take one out"
                ) from None
            except (ValueError, RecursionError):
                continue  # reading it says what is wrong
        before += ends.size


def _refuse_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _NameTwice(next(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
    return found


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, many at once."""
    with path.open("rb") as file:
        while data := file.read(PIECE):
            yield data + file.readline()


def _suspects(text: bytes, ends: Places) -> list[int]:
    """Return the lines of a piece in which a name may stand twice."""
    data = np.frombuffer(text, np.uint8)
    colons = np.flatnonzero(data[1:] == COLON) + 1
    last = data[colons - 1]
    spaced = colons[_IS_SPACE[last]]
    closing = colons[last == QUOTE] - 1
    names, odd = _named(text, closing)
    found = {*np.searchsorted(ends, spaced).tolist(), *np.searchsorted(ends, odd).tolist()}
    stops = np.searchsorted(closing, np.append(ends, data.size))
    counts = np.diff(stops, prepend=0)
    for count in np.unique(counts):
        if count < 2:
            continue
        lines = np.flatnonzero(counts == count)
        found.update(lines[_with_equals(names[(stops[lines] - count)[:, None] + np.arange(count)])].tolist())
    return sorted(found)


def _with_equals(names: Words) -> NDArray[np.bool_]:
    """Return which rows have two equal numbers; most rows are like the first one, which is looked at once."""
    found = np.full(len(names), np.unique(names[0]).size < names.shape[1])
    other = np.flatnonzero((names != names[0]).any(axis=1))
    ordered = np.sort(names[other], axis=1)
    found[other] = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return found


def _named(text: bytes, closing: Places) -> tuple[Words, Places]:
    """Return a number for each name that ends at these quotes, and the quotes of those with an escape in them.

    Eight bytes are looked at at once, as the bits of one integer, from the end of a name to its beginning.
    """
    padded = np.frombuffer(bytes(WORD) + text, np.uint8)
    words = np.ndarray((len(text) + 1,), "<u8", padded, strides=(1,))
    names = np.zeros(closing.size, np.uint64)
    odd = []
    still, at = np.arange(closing.size), closing
    for _ in range(LONGEST // WORD):
        word = words[at]
        quotes = _bytes_with(word, QUOTE)
        outside = quotes.copy()  # from the last quote on, in the order of the text: the lower bits
        for shift in (1, 2, 4, 8, 16, 32):
            outside |= outside >> np.uint64(shift)
        odd.append(closing[still[(_bytes_with(word, BACKSLASH) & ~outside) != 0]])
        names[still] = (names[still] ^ (word & ~outside)) * MIX + np.uint64(1)
        more = (quotes == 0) & (at >= WORD)
        still, at = still[more], at[more] - WORD
        if not still.size:
            break
    return names, np.concatenate(odd)


def _bytes_with(words: Words, byte: int) -> Words:
    """Return the highest bit of every byte that is this one."""
    found = words ^ np.uint64(byte * 0x0101010101010101)
    return ~(((found & LOW) + LOW) | found | LOW)
