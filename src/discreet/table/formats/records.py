"""The records of a CSV text: counted, and held to the strict grammar, without reading a value.

A field is either free of quotes, separators and line ends, or it stands in quotes, with the quotes inside it
doubled; records end in LF or CR LF. A file that breaks the grammar is refused with the line, because programs
disagree on what such a file says. 64 bytes at a time are treated as the bits of one integer, so that looking at
all of them costs a fraction of what reading the values costs.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError
from discreet.table.formats.dialect import CR, LF, QUOTE, TextSource

BLOCKS = 16  # after so many blocks their memory is let go of
BLOCK = 1 << 19  # bytes in a block, a multiple of 64; it should stay in the cache of a processor

Bits = NDArray[np.uint64]
ONE = np.uint64(1)


class RecordCounts(NamedTuple):
    """How many records there are, and how many separators they have together."""

    records: int
    separators: int


class Record(NamedTuple):
    """Where a record starts, and how many fields it has."""

    start: int
    fields: int


class _TextBlock(NamedTuple):
    """A part of the text, one bit per byte: separators and line ends outside quotes, breaches of the grammar."""

    start: int
    separators: Bits
    ends: Bits
    wrong: Bits
    inside: bool  # it ends inside quotes


def tally(source: TextSource, start: int, end: int, separator: str) -> RecordCounts:
    """Count from `start` to `end`; an InputError at the first place that breaks the grammar."""
    data = source.data
    unfinished = int(end > start and data[end - 1] != LF)
    if (plain := _without_quotes(source, start, end, ord(separator))) is not None:
        return RecordCounts(plain.records + unfinished, plain.separators)
    records, separators, inside = unfinished, 0, False
    for block in _blocks(source, start, end, ord(separator)):
        if block.wrong.any():
            raise _breach(source, block.start + int(_positions(block.wrong)[0]))
        records += int(np.bitwise_count(block.ends).sum())
        separators += int(np.bitwise_count(block.separators).sum())
        inside = block.inside
    if inside:
        opening = _opening(data, data.rfind(b'"', start, end))
        raise source.error("a quote opens here that is never closed", opening)
    if data[end - 1] == CR:
        raise _breach(source, end)
    return RecordCounts(records, separators)


def uneven(source: TextSource, start: int, end: int, separator: str, width: int) -> Record | None:
    """The first record that has not `width` fields, in a text that keeps the grammar."""
    begin, carried = start, 0
    for block in _blocks(source, start, end, ord(separator)):
        places = _positions(block.ends)
        # The separators before each line end: those in the words before its own, and those in its own.
        ranks = np.concatenate(([0], np.cumsum(np.bitwise_count(block.separators), dtype=np.int64)))
        words, beyond = places >> 6, (~places & 63).view(np.uint64)
        before = ranks[words] + np.bitwise_count(block.separators[words] << beyond)
        counts = np.diff(before, prepend=-carried)
        begins = np.concatenate(([begin], block.start + places + 1))
        if (wrong := np.flatnonzero(counts != width - 1)).size:
            return Record(int(begins[wrong[0]]), int(counts[wrong[0]]) + 1)
        begin = int(begins[-1])
        carried = int(ranks[-1] - before[-1]) if places.size else carried + int(ranks[-1])
    return Record(begin, carried + 1) if begin < end and carried != width - 1 else None


def _without_quotes(source: TextSource, start: int, end: int, separator: int) -> RecordCounts | None:
    """Count line ends and separators; None where there are quotes, or a carriage return before no line feed.

    In one go: to bring the text of a mapped file into memory takes as long as to look at it.
    """
    data, text = source.data, np.frombuffer(source.data, np.uint8)
    found = np.zeros(2, dtype=np.int64)
    for place in _places(source, start, end):
        stop = min(place + BLOCK, end)
        if data.find(b'"', place, stop) >= 0 or not _only_crlf(source, place, stop, end):
            return None
        part = text[place:stop]
        found += np.count_nonzero(part == LF), np.count_nonzero(part == separator)
    return RecordCounts(*found.tolist())


def _places(source: TextSource, start: int, end: int) -> Iterator[int]:
    """Where the blocks of a text start."""
    for place in range(start, end, BLOCK):
        yield place
        if (place - start) // BLOCK % BLOCKS == BLOCKS - 1:
            source.forget(place)


def _only_crlf(source: TextSource, start: int, stop: int, end: int) -> bool:
    """Whether every carriage return from `start` to `stop` stands before a line feed, in a text that ends at `end`."""
    if source.data.find(b"\r", start, stop) < 0:
        return True
    text = np.frombuffer(source.data, np.uint8)
    returns, feeds = text[start:stop] == CR, text[start + 1 : min(stop + 1, end)] == LF
    return not (returns[feeds.size :].any() or (returns[: feeds.size] > feeds).any())


def _blocks(source: TextSource, start: int, end: int, separator: int) -> Iterator[_TextBlock]:
    """The structure of the text.

    In correct text quotes open and close in turn. One that opens follows a separator, a line end, or the
    quote that closed before it (a doubled quote); what follows one that closes is one of these or a carriage
    return, and what follows a carriage return outside quotes is a line feed.
    """
    text = np.frombuffer(source.data, np.uint8)
    has_returns = source.find(b"\r", start, end) >= 0
    inside, before = False, LF
    for place in _places(source, start, end):
        part = text[place : min(place + BLOCK, end)]
        quotes = _bits(part == QUOTE)
        quoted = _parity(quotes, inside)
        free = ~quoted
        separators, ends = _bits(part == separator) & free, _bits(part == LF) & free
        opening, closing = quotes & quoted, quotes & free
        boundaries = separators | ends
        after_boundary = _next(boundaries, not inside and before in (separator, LF))
        after_closing = _next(closing, not inside and before == QUOTE)
        wrong = opening & ~(after_boundary | after_closing)
        may_follow = boundaries | opening
        if has_returns:
            returns = _bits(part == CR) & free
            wrong |= _next(returns, not inside and before == CR) & ~ends
            may_follow |= returns
        wrong |= after_closing & ~may_follow
        if used := part.size % 64:
            wrong[-1] &= (ONE << np.uint64(used)) - ONE
        inside, before = bool(quoted[-1] >> np.uint64(63)), int(part[-1])
        yield _TextBlock(place, separators, ends, wrong, inside)


def _bits(mask: NDArray[np.bool_]) -> Bits:
    """64 truth values in each integer, the first in its lowest bit."""
    packed = np.packbits(mask, bitorder="little")
    if missing := -packed.size % 8:
        packed = np.append(packed, np.zeros(missing, np.uint8))
    return packed.view("<u8")


def _positions(bits: Bits) -> NDArray[np.int64]:
    """Which bits are set."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little").view(np.bool_))


def _parity(bits: Bits, before: bool) -> Bits:
    """In each place, whether an odd number of bits is set up to and with it, `before` counted in."""
    parity = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        parity ^= parity << np.uint64(shift)
    carried = np.empty_like(parity)
    carried[0] = before
    carried[1:] = np.bitwise_xor.accumulate(parity[:-1] >> np.uint64(63)) ^ np.uint64(before)
    return parity ^ (np.uint64(0) - carried)


def _next(bits: Bits, before: bool) -> Bits:
    """The places after the set ones; `before` is what stands before the first."""
    moved = bits << ONE
    moved[1:] |= bits[:-1] >> np.uint64(63)
    moved[0] |= np.uint64(before)
    return moved


def _breach(source: TextSource, offset: int) -> InputError:
    """What is wrong at the first byte where the text cannot be CSV."""
    before = source.data[offset - 1]
    if before == CR:
        return source.error("a lone carriage return (CR) outside quotes; convert the line ends to LF or CR LF", offset)
    if before != QUOTE:
        return source.error(
            "a stray quote in a field that does not start with one; put the field in quotes and double the quote",
            offset,
        )
    opened = source.line(_opening(source.data, source.data.rfind(b'"', 0, offset - 1)))
    return source.error(
        f"a stray quote in the quoted field that opens in line {opened}; double the quotes inside a field",
        offset - 1,
    )


def _opening(data: bytes | mmap.mmap, quote: int) -> int:
    """Where the field opens of which this is the opening quote, or the second one of a doubled quote."""
    while quote > 0 and data[quote - 1] == QUOTE:
        quote = data.rfind(b'"', 0, quote - 1)
    return quote
