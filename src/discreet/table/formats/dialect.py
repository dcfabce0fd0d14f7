"""What a text file looks like, before a single value is read: its encoding and its separator."""

from __future__ import annotations

import codecs
import contextlib
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from discreet.common.reading import reading_file
from discreet.errors import InputError
from discreet.table.formats.packing import packed_as, packing_of, room_on_disk, too_large, unpacked, unpacking
from discreet.table.formats.signatures import foreign
from discreet.table.machine import memory_for_a_job

CANDIDATES = (",", ";", "\t", "|")
# Stand-ins for a file of one column in which every candidate occurs as text.
UNUSED = ("\x1f", "\x1e", "\x1d", "\x1c")
QUOTE, LF, CR = b'"\n\r'
# Codecs from text to bytes for host names and source code: they know no lines, or write a line end as two characters.
NOT_FOR_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
SAMPLE = 1 << 16
MAPPED = 1 << 20  # a file of this size is mapped into memory rather than read
STEP = 1 << 23  # bytes that are looked at before their memory is let go of; a multiple of the size of a page


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
class TextSource:
    """The text of a file as UTF-8, perhaps with a byte order mark at its start (see `bom`).

    A large file is not copied but mapped; `status` then tells whether somebody has changed it meanwhile.
    """

    path: Path
    data: bytes | mmap.mmap
    encoding: str
    bom: bool
    status: tuple[int, ...] | None = None
    file: Path | None = None
    """The file that is mapped, where that is not `path`: one with the same text unpacked, or what `path` stands for."""

    @property
    def start(self) -> int:
        """Where the text starts: after the byte order mark."""
        return len(codecs.BOM_UTF8) if self.bom else 0

    def has(self, text: bytes, offset: int) -> bool:
        """Whether some bytes stand at a place."""
        return self.data[offset : offset + len(text)] == text

    def line(self, offset: int) -> int:
        """The physical line of a byte, from 1."""
        return sum(self.data[at : min(at + STEP, offset)].count(b"\n") for at in range(0, offset, STEP)) + 1

    def find(self, byte: bytes, start: int, end: int | None = None) -> int:
        """Where a byte stands first; -1 if it does not."""
        stop = len(self.data) if end is None else end
        for at in range(start, stop, STEP):
            found = self.data.find(byte, at, min(at + STEP, stop))
            self.forget(at)
            if found >= 0:
                return found
        return -1

    def forget(self, before: int) -> None:
        """Let go of the memory for what was looked at of a mapped file; it is read again when it is needed."""
        if isinstance(self.data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED") and before >= STEP:
            self.data.madvise(mmap.MADV_DONTNEED, 0, before // STEP * STEP)

    def error(self, message: str, offset: int | None = None) -> InputError:
        """An error that names the file and, with an offset, the line."""
        if offset is None:
            return InputError(f"{self.path}: {message}")
        return InputError(f"{self.path}, line {self.line(offset)}: {message}")

    def not_utf8(self, start: int, end: int) -> InputError | None:
        """The error for the first bytes from `start` to `end` that are not UTF-8, or None."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        for at in range(start, end, STEP):
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(self.data[at : min(at + STEP, end)], final=at + STEP >= end)
            except UnicodeDecodeError as error:
                place = at - pending + error.start
                return self.foreign() or self.error("not UTF-8 text; give its `encoding`, e.g. latin-1", place)
            self.forget(at)
        return None

    def foreign(self) -> InputError | None:
        """The error for a file that is no text but something known, by its first bytes; or None."""
        said = foreign(self.data[:16])
        return None if said is None else self.error(f"this is {said}")

    def changed(self) -> bool:
        """Whether a mapped file is not the same any more."""
        try:
            return self.status is not None and self.status != _status((self.file or self.path).stat())
        except OSError:
            return True


def load(path: Path, encoding: str | None, unpacked: Path | None = None, said: Path | None = None) -> TextSource:
    """The text of a file, unpacked if it is packed, and as UTF-8 whatever its encoding.

    UTF-8 itself is not checked here: who reads the values does that, and `TextSource.not_utf8` finds the line. Where
    the text has to be unpacked or put into UTF-8, that is done in memory, or in the file `unpacked` if one is given.
    `said` is what the file is called in messages.
    """
    said = said or path
    name = "utf-8" if encoding is None else _codec(said, encoding)
    other = encoding if encoding is not None and name not in ("utf-8", "utf-8-sig") else None
    file = path
    if unpacked is not None and (other is not None or packed_as(path) is not None):
        _unpack_to(path, unpacked, other, said)
        file, other = unpacked, None
    elif other is not None:
        data: bytes | mmap.mmap = _as_utf8(said, _content(path, said)[0][:], other)
        return TextSource(said, data, other, data[:3] == codecs.BOM_UTF8)
    data, status = _content(file, said, may_map=True)
    if encoding is None and data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError(f"{said}, line 1: not UTF-8 text; give its `encoding`, probably utf-16")
    written = encoding if encoding is not None and name not in ("utf-8", "utf-8-sig") else "utf-8"
    return TextSource(said, data, written, data[:3] == codecs.BOM_UTF8, status, file)


@contextlib.contextmanager
def _opened(path: Path, said: Path) -> Iterator[BinaryIO]:
    """Open a file to read its text, packed or not."""
    if packed_as(path) is not None:
        with unpacking(path, said) as inner:
            yield inner
    else:
        with path.open("rb") as file:
            yield file


def _unpack_to(path: Path, target: Path, encoding: str | None, said: Path) -> None:
    """Write the text of a file to another one, unpacked and in UTF-8, some of it at a time."""
    decoder = None if encoding is None else codecs.getincrementaldecoder(encoding)()
    line, most = 1, room_on_disk(target.parent)
    try:
        with _opened(path, said) as source, target.open("wb") as file:
            while True:
                data = source.read(STEP)
                try:
                    text = data if decoder is None else decoder.decode(data, final=not data).encode("utf-8")
                except UnicodeError as error:
                    if isinstance(error, UnicodeDecodeError):
                        line += error.object[: error.start].decode(str(encoding), errors="replace").count("\n")
                    message = f"not text in the encoding {encoding}; give another `encoding`"
                    raise InputError(f"{said}, line {line}: {message}") from None
                line += text.count(b"\n")
                if file.tell() + len(text) > most:
                    raise too_large(said, most)
                file.write(text)
                if not data:
                    return
    except FileNotFoundError:
        raise InputError(f"{said}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{said}: cannot be unpacked ({error.strerror or 'failed'})") from None


def _content(path: Path, said: Path, *, may_map: bool = False) -> tuple[bytes | mmap.mmap, tuple[int, ...] | None]:
    with reading_file(said, folder="is a directory, not a file"), path.open("rb") as file:
        status = os.fstat(file.fileno())
        if packing_of(file.peek(10)[:10]) is not None:
            return unpacked(path, said, memory_for_a_job()), None
        if may_map and S_ISREG(status.st_mode) and status.st_size >= MAPPED:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), _status(status)
        return file.read(), None


def _status(status: os.stat_result) -> tuple[int, ...]:
    """What changes whenever a file is written to: who sets its time back does not set back when that was done."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _as_utf8(path: Path, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeError as error:
        place = str(path)
        if isinstance(error, UnicodeDecodeError):
            with contextlib.suppress(UnicodeError):
                line = data[: error.start].decode(encoding, errors="replace").count("\n") + 1
                place = f"{path}, line {line}"
        raise InputError(f"{place}: not text in the encoding {encoding}; give another `encoding`") from None


def codec_name(encoding: str) -> str | None:
    """Python's own name of an encoding of text files; None if it is none."""
    try:
        "a".encode(encoding)  # refuses codecs that are not for text
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        return None
    return None if name.replace("_", "-") in NOT_FOR_FILES else name


def _codec(path: Path, encoding: str) -> str:
    name = codec_name(encoding)
    if name is None:
        raise InputError(f"{path}: there is no text encoding {encoding!r}; try utf-8 or latin-1")
    return name


def sniff(source: TextSource, start: int) -> str:
    """The separator among , ; tab | that gives every sampled record the same number of fields.

    When several do, the most fields win (a tab wins in a .tsv file). When none does but one stands in the
    first record or in most of them, it is taken all the same, so that the uneven record is reported rather
    than the file mistaken for one column. For a file of one column: a character that does not occur in it.
    """
    is_tsv = ".tsv" in (suffix.lower() for suffix in source.path.suffixes)
    candidates = ("\t", ",", ";", "|") if is_tsv else CANDIDATES
    even: list[tuple[int, str]] = []
    uneven: list[tuple[int, str]] = []
    for separator, fields in _sample(source.data, start, candidates):
        common = int(np.bincount(fields).argmax()) if fields.size else 1
        if common > 1 and bool((fields == common).all()):
            even.append((common, separator))
        elif fields.size and (fields[0] > 1 or 2 * np.count_nonzero(fields > 1) > fields.size):
            uneven.append((int(np.count_nonzero(fields == common)), separator))
    if is_tsv and even and even[0][1] == "\t":
        return "\t"
    if even or uneven:
        return max(even or uneven, key=lambda found: found[0])[1]
    for separator in (*candidates, *UNUSED):
        if source.data.find(separator.encode(), start) < 0:
            return separator
    raise source.error("the separator cannot be guessed; give it as `separator`")


def _sample(data: bytes | mmap.mmap, start: int, separators: Sequence[str]) -> Iterator[tuple[str, NDArray[np.int64]]]:
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
