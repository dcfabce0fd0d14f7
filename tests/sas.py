"""Data sets of SAS (.sas7bdat) for tests: a small writer of the layout that is known of them.

Nobody but SAS writes such files well, and pyreadstat only reads them. The layout is that which Shotwell's and others'
descriptions tell: a header, a page with what is said of the columns, pages with rows; little endian, not compressed,
with words of 32 or 64 bits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import NamedTuple, TypeAlias

MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
EPOCH = date(1960, 1, 1)
PAGE = 4096
UTF8 = 20
TEXT_AT = 28
"""Where texts begin in the part that holds them."""
Value: TypeAlias = "float | str | date | datetime | time | None"


class SasColumn(NamedTuple):
    """A column: its name and values, how SAS shows them, and what is said of it."""

    name: str
    values: Sequence[Value]
    format: str = ""
    label: str = ""

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) for value in self.values)

    @property
    def width(self) -> int:
        return max([1, *(len(str(value or "").encode()) for value in self.values)]) if self.is_text else 8

    def cells(self) -> list[bytes]:
        """All values, each in as many bytes."""
        if not self.is_text:
            return [struct.pack("<d", _number(value)) for value in self.values]
        width = self.width
        return [str(value or "").encode().ljust(width) for value in self.values]


def _number(value: Value) -> float:
    """A value as SAS keeps it: days or seconds since 1960, seconds of a day."""
    if isinstance(value, datetime):
        return (value - datetime(1960, 1, 1)).total_seconds()  # noqa: DTZ001 - SAS has no zones
    if isinstance(value, date):
        return float((value - EPOCH).days)
    if isinstance(value, time):
        return value.hour * 3600.0 + value.minute * 60 + value.second
    assert not isinstance(value, str)
    return math.nan if value is None else value


def sas7bdat(columns: Sequence[SasColumn], *, wide: bool = False, encoding: int = UTF8) -> bytes:
    """A file with a table; `wide`: with words of 64 bits."""
    rows = len(columns[0].values)
    length = sum(column.width for column in columns)
    head = 40 if wide else 24
    fit = (PAGE - head) // length
    records = list(map(b"".join, zip(*(column.cells() for column in columns), strict=True)))
    pages = [_page(head, 0, 0, _about(columns, rows, length, wide=wide), wide=wide)]
    for start in range(0, rows, fit):
        some = range(start, min(start + fit, rows))
        data = b"".join(records[start : some.stop])
        pages.append(_page(head, 0x0100, len(some), data, wide=wide))
    return _header(len(pages), wide=wide, encoding=encoding) + b"".join(pages)


def _header(pages: int, *, wide: bool, encoding: int) -> bytes:
    size = 8192 if wide else 1024
    start = bytearray(164)
    start[:32] = MAGIC
    start[32] = start[35] = 0x33 if wide else 0x22
    start[37], start[39], start[70] = 1, ord("1"), encoding
    start[84:92], start[92:156], start[156:164] = b"SAS FILE", b"TABLE".ljust(64), b"DATA    "
    count = struct.pack("<Q" if wide else "<I", pages)
    when = bytes(4 if wide else 0) + struct.pack("<4d", 0, 0, 0, 0)
    end = b"9.0401M6" + b"Linux".ljust(16)
    return (bytes(start) + when + struct.pack("<II", size, PAGE) + count + bytes(8) + end).ljust(size, b"\0")


def _page(head: int, kind: int, rows: int, content: bytes | list[bytes], *, wide: bool) -> bytes:
    if isinstance(content, bytes):
        return (bytes(head - 8) + struct.pack("<4H", kind, rows, 0, 0) + content).ljust(PAGE, b"\0")
    pointers, end = b"", PAGE
    for part in content:
        end -= len(part)
        pointers += struct.pack("<QQB7x" if wide else "<IIB3x", end, len(part), 0)
    start = bytes(head - 8) + struct.pack("<4H", kind, len(content), len(content), 0) + pointers
    return start.ljust(end, b"\0") + b"".join(reversed(content))


def _about(columns: Sequence[SasColumn], rows: int, length: int, *, wide: bool) -> list[bytes]:
    """What is said of the columns, a part each."""
    word = 8 if wide else 4
    texts, places = bytearray(TEXT_AT), {"": (0, 0)}
    for text in (text for column in columns for text in (column.name, column.format, column.label) if text):
        places[text] = (len(texts), len(text.encode()))
        texts += text.encode()
        texts += bytes(-len(texts) % 4)
    texts += bytes(12)  # the length that is told leaves them out

    def refer(text: str) -> bytes:
        return struct.pack("<3H", 0, *places[text])

    def signed(signature: int, content: bytes) -> bytes:
        return struct.pack("<I", signature) + (b"\xff" if signature >= 0xFFFFF000 else b"\0") * (word - 4) + content

    def listed(signature: int, entries: bytes) -> bytes:
        size = len(entries) + (8 if wide else 4) + 8 + 12 - (0 if wide else 4)
        return signed(signature, struct.pack("<H6x", size - 4 - 2 * word) + entries).ljust(size, b"\0")

    numbers = "<Q" if wide else "<I"
    size = bytearray(signed(0xF7F7F7F7, bytes(119 * word)))
    struct.pack_into(numbers, size, 5 * word, length)
    struct.pack_into(numbers, size, 6 * word, rows)
    struct.pack_into("<H", texts, 0, len(texts) + word - 4 - 2 * word)
    names = b"".join(refer(column.name) + bytes(2) for column in columns)
    attributes, at = b"", 0
    for column in columns:
        attributes += struct.pack("<QIHBx" if wide else "<IIHBx", at, column.width, 4, 2 if column.is_text else 1)
        at += column.width
    formats = [
        signed(
            0xFFFFFBFE, bytes(46 - word if wide else 34 - word) + refer(column.format) + refer(column.label) + bytes(12)
        )
        for column in columns
    ]
    return [
        bytes(size),
        signed(0xF6F6F6F6, struct.pack(numbers, len(columns)) + bytes(word)),
        signed(0xFFFFFFFD, bytes(texts)),
        listed(0xFFFFFFFF, names),
        listed(0xFFFFFFFC, attributes),
        *formats,
    ]
