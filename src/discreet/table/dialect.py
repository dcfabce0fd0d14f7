"""What a text file looks like, before a single value is read: encoding, separator, quotes, records.

Everything here works on the bytes of the file as UTF-8 and on the strict grammar of CSV: a field is either free
of quotes, separators and line ends, or it stands in quotes, with the quotes inside it doubled. A file that
breaks the grammar is refused with the line, because programs disagree on what such a file says. The survey
treats 64 bytes at a time as the bits of one integer, so it costs a fraction of reading the values.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from discreet.errors import InputError

CANDIDATES = (",", ";", "\t", "|")
# Stand-ins for a file of one column in which every candidate occurs as text.
UNUSED = ("\x1f", "\x1e", "\x1d", "\x1c")
GZIP = b"\x1f\x8b"
QUOTE, LF, CR = b'"\n\r'
SAMPLE = 1 << 16
BLOCK = 1 << 19  # bytes surveyed at a time, a multiple of 64 that stays in the cache

Bits = NDArray[np.uint64]


@dataclass(frozen=True)
class Dialect:
    """How a table is written down as text; what `read_csv` found and `write_csv` follows.

    Parameters
    ----------
    separator
        The one ASCII character between two fields.
    header
        Whether the first line holds the names of the columns.
    encoding
        A Python name of a text encoding.
    line_end
        ``"\\n"`` or ``"\\r\\n"``.
    bom
        Whether the text starts with a byte order mark. (The encoding ``utf-16`` writes one of its own.)
    """

    separator: str = ","
    header: bool = True
    encoding: str = "utf-8"
    line_end: str = "\n"
    bom: bool = False

    def __post_init__(self) -> None:
        """Refuse what no reader could make sense of."""
        if problem := separator_problem(self.separator):
            raise InputError(problem)
        if self.line_end not in ("\n", "\r\n"):
            raise InputError("line_end: must be LF or CR LF")


def separator_problem(separator: str) -> str | None:
    """What is wrong with a separator, or None."""
    if len(separator) != 1 or not separator.isascii() or separator in '\0"\r\n':
        return "separator: must be one ASCII character other than a quote or a line end"
    return None


@dataclass(frozen=True)
class Source:
    """A text file in memory. `data` is its text as UTF-8 and may start with a byte order mark (see `bom`)."""

    path: Path
    data: bytes
    encoding: str
    bom: bool

    @property
    def start(self) -> int:
        """Where the text starts: after the byte order mark."""
        return len(codecs.BOM_UTF8) if self.bom else 0

    def line(self, offset: int) -> int:
        """The physical line of a byte, from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def error(self, message: str, offset: int | None = None) -> InputError:
        """An error that names the file and, with an offset, the line."""
        if offset is None:
            return InputError(f"{self.path}: {message}")
        return InputError(f"{self.path}, line {self.line(offset)}: {message}")

    def not_utf8(self, start: int, end: int) -> InputError | None:
        """The error for the first bytes from `start` to `end` that are not UTF-8, or None."""
        try:
            self.data[start:end].decode("utf-8")
        except UnicodeDecodeError as error:
            return self.error("not UTF-8 text; give its `encoding`, e.g. latin-1", start + error.start)
        return None


def load(path: Path, encoding: str | None) -> Source:
    """The text of a file, unpacked if it is gzip, and as UTF-8 whatever its encoding.

    UTF-8 itself is not checked here: the reader of the values does that, and `Source.not_utf8` finds the line.
    """
    data = _unpack(path, _bytes(path))
    name = "utf-8" if encoding is None else _codec(path, encoding)
    if name in ("utf-8", "utf-8-sig"):
        if encoding is None and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InputError(f"{path}, line 1: not UTF-8 text; give its `encoding`, probably utf-16")
        return Source(path, data, "utf-8", data.startswith(codecs.BOM_UTF8))
    assert encoding is not None
    try:
        data = data.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, errors="replace").count("\n") + 1
        raise InputError(f"{path}, line {line}: not text in the encoding {encoding}") from None
    except UnicodeError:
        raise InputError(f"{path}: not text in the encoding {encoding}") from None
    return Source(path, data, encoding, data.startswith(codecs.BOM_UTF8))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a directory, not a file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise InputError(f"{path}: is not the name of a file") from None


def _unpack(path: Path, data: bytes) -> bytes:
    if not data.startswith(GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{path}: is a gzip file that is damaged or cut off") from None


def _codec(path: Path, encoding: str) -> str:
    """Python's own name of a text encoding."""
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise InputError(f"{path}: there is no text encoding {encoding!r}; try utf-8 or latin-1") from None


def sniff(source: Source, start: int) -> str:
    """The separator among , ; tab | that gives every sampled record the same number of fields.

    When several do, the most fields win (a tab wins in a .tsv file). When none does but one stands in most
    records, it is taken all the same, so that the uneven record is reported rather than the file mistaken for
    one column. In a file of one column the answer is a character that does not occur in it.
    """
    names = sorted(CANDIDATES, key=lambda c: c != "\t") if _is_tsv(source.path) else list(CANDIDATES)
    even: list[tuple[int, str]] = []
    uneven: list[tuple[int, str]] = []
    for separator, fields in _sample(source.data, start, names):
        common = int(np.bincount(fields).argmax()) if fields.size else 1
        if common > 1 and bool((fields == common).all()):
            even.append((common, separator))
        elif 2 * np.count_nonzero(fields > 1) > fields.size:
            uneven.append((int(np.count_nonzero(fields == common)), separator))
    if even and _is_tsv(source.path) and even[0][1] == "\t":
        return "\t"
    if even or uneven:
        return max(even or uneven, key=lambda found: found[0])[1]
    for separator in (*names, *UNUSED):
        if source.data.find(separator.encode(), start) < 0:
            return separator
    raise source.error("the separator cannot be guessed; give it as `separator`")


def _is_tsv(path: Path) -> bool:
    return ".tsv" in (suffix.lower() for suffix in path.suffixes)


def _sample(data: bytes, start: int, separators: list[str]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """For each separator, the number of fields of each of the first records that are not blank."""
    size = SAMPLE
    while True:
        text = np.frombuffer(data[start : start + size], np.uint8)
        outside = ~np.logical_xor.accumulate(text == QUOTE)
        ends = np.flatnonzero((text == LF) & outside)
        if ends.size or start + size >= len(data):
            break
        size *= 4
    if start + size >= len(data) and text.size and text[-1] != LF:
        ends = np.append(ends, text.size)
    starts = np.concatenate(([0], ends[:-1] + 1))[: ends.size]
    blank = (starts == ends) | ((starts + 1 == ends) & (text[np.minimum(starts, text.size - 1)] == CR))
    for separator in separators:
        count = np.concatenate(([0], np.cumsum((text == ord(separator)) & outside)))
        yield separator, (count[ends] - count[starts] + 1)[~blank]


class _Block(NamedTuple):
    """A part of the text, one bit per byte: separators and line ends outside quotes, breaches of the grammar."""

    offset: int
    separators: Bits
    ends: Bits
    wrong: Bits
    inside: bool  # the block ends inside quotes


def survey(source: Source, start: int, end: int, separator: str) -> tuple[int, int]:
    """Count records and separators between them; refuse stray and unclosed quotes and lone carriage returns."""
    data = source.data
    if start == end:
        return 0, 0
    unfinished = int(data[end - 1] != LF)
    if data.find(b'"', start, end) < 0 and data.find(b"\r", start, end) < 0:
        return _count(data, start, end, LF) + unfinished, _count(data, start, end, ord(separator))
    records, separators, inside = unfinished, 0, False
    for block in _blocks(data, start, end, separator):
        if block.wrong.any():
            raise _breach(source, block.offset + int(_positions(block.wrong)[0]))
        records += int(np.bitwise_count(block.ends).sum())
        separators += int(np.bitwise_count(block.separators).sum())
        inside = block.inside
    if inside:
        raise source.error("a quote opens here that is never closed", _opening(data, data.rfind(b'"', 0, end)))
    if data[end - 1] == CR:
        raise _breach(source, end)
    return records, separators


def uneven_record(source: Source, start: int, end: int, separator: str, fields: int) -> tuple[int, int] | None:
    """The first record with another number of fields: where it starts, and how many it has."""
    begin, found = start, 1
    for block in _blocks(source.data, start, end, separator):
        places = _positions(block.separators | block.ends) + block.offset
        text = np.frombuffer(source.data, np.uint8)
        ends = np.flatnonzero(text[places] == LF)
        counts = np.diff(ends, prepend=-1)
        counts[:1] += found - 1
        begins = np.concatenate(([begin], places[ends] + 1))
        wrong = np.flatnonzero(counts != fields)
        if wrong.size:
            return int(begins[wrong[0]]), int(counts[wrong[0]])
        begin = int(begins[-1])
        found = places.size - int(ends[-1]) if ends.size else found + places.size
    return (begin, found) if begin < end and found != fields else None


def _count(data: bytes, start: int, end: int, byte: int) -> int:
    text = np.frombuffer(data, np.uint8)[start:end]
    return sum(int(np.count_nonzero(text[offset : offset + BLOCK] == byte)) for offset in range(0, text.size, BLOCK))


def _blocks(data: bytes, start: int, end: int, separator: str) -> Iterator[_Block]:
    """Survey the text block by block; what a byte means depends on the quotes before it, so a state is carried.

    In correct text quotes open and close in turn. One that opens follows a separator, a line end, or the quote
    that closed before it (a doubled quote); what follows one that closes is one of these or a carriage return.
    """
    text = np.frombuffer(data, np.uint8)
    inside = closed = returned = 0
    bounded = 1
    for offset in range(start, end, BLOCK):
        block = text[offset : min(offset + BLOCK, end)]
        quotes = _bits(block == QUOTE)
        quoted = _parity(quotes, inside)
        inside = int(quoted[-1] >> np.uint64(63))
        free = ~quoted
        separators, ends, returns = (_bits(block == byte) & free for byte in (ord(separator), LF, CR))
        opening, closing = quotes & quoted, quotes & free
        boundaries = separators | ends
        after_boundary, bounded = _next(boundaries | closing, bounded)
        after_closing, closed = _next(closing, closed)
        after_return, returned = _next(returns, returned)
        wrong = opening & ~after_boundary
        wrong |= after_closing & ~(boundaries | returns | opening)
        wrong |= after_return & ~ends
        if beyond := block.size % 64:
            wrong[-1] &= np.uint64((1 << beyond) - 1)
        yield _Block(offset, separators, ends, wrong, bool(inside))


def _bits(mask: NDArray[np.bool_]) -> Bits:
    """64 truth values in each integer, the first in its lowest bit."""
    packed = np.packbits(mask, bitorder="little")
    if missing := -packed.size % 8:
        packed = np.append(packed, np.zeros(missing, np.uint8))
    return packed.view("<u8")


def _positions(bits: Bits) -> NDArray[np.int64]:
    """Which bits are set."""
    return np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little"))


def _parity(bits: Bits, before: int) -> Bits:
    """In each place, whether an odd number of bits is set up to and with it, `before` counted in."""
    parity = bits.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        parity ^= parity << np.uint64(shift)
    carried = np.empty_like(parity)
    carried[0] = before
    carried[1:] = np.bitwise_xor.accumulate(parity[:-1] >> np.uint64(63)) ^ np.uint64(before)
    return parity ^ (np.uint64(0) - carried)


def _next(bits: Bits, before: int) -> tuple[Bits, int]:
    """The places after the set ones, and whether the last place was set."""
    moved = bits << np.uint64(1)
    moved[1:] |= bits[:-1] >> np.uint64(63)
    moved[0] |= np.uint64(before)
    return moved, int(bits[-1] >> np.uint64(63))


def _breach(source: Source, offset: int) -> InputError:
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


def _opening(data: bytes, quote: int) -> int:
    """Where the field opens of which this is an opening quote or the second one of a doubled quote."""
    while quote > 0 and data[quote - 1] == QUOTE:
        quote = data.rfind(b'"', 0, quote - 1)
    return quote
