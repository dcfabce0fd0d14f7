"""What a workbook holds before a library reads it: lengths that are true, and cells that the library would pass over.

A workbook is a zip archive, whose list says how long each file in it is. Nobody need believe that: each is unpacked in
pieces, and one that is longer than was said is refused.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import join, normpath
from typing import BinaryIO
from xml.etree import ElementTree

import numpy as np

BOOK = "xl/workbook.xml"
BOOK_LINKS = "xl/_rels/workbook.xml.rels"
MOST_ABOUT = 1 << 24
"""Bytes that the list of sheets may have."""
PIECE = 1 << 16
STEP = 1 << 20
HEADER = 30
LONGEST = 1 << 18
"""Bytes that a cell takes at most, with its formula."""
QUOTES, BEFORE_NAMES = (np.frombuffer(letters, np.uint8) for letters in (b"\"'", b"<:"))
_TRUTH = re.compile(rb"""\bt\s*=\s*["']b["']""")
_CELL = re.compile(
    rb"<(?:\w+:)?c\b([^>]*)>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f\s*>)\s*"
    rb"(<(?:\w+:)?v\b[^>]*/>|<(?:\w+:)?v\b[^>]*>\s*</(?:\w+:)?v\s*>)?\s*</(?:\w+:)?c\s*>"
)
_TEXT_CELL = re.compile(rb"""\bt\s*=\s*["']str["']""")
_NAME = re.compile(rb"""\br\s*=\s*["']([A-Z]{1,3}\d{1,7})["']""")


@dataclass(frozen=True)
class SheetLook:
    """What was seen in the text of a sheet.

    Parameters
    ----------
    truths
        Whether some cell may hold a truth value.
    unknown
        A cell with a formula whose result is not kept in the file (its name, or ""); None where there is none.
    """

    truths: bool
    unknown: str | None


def told_size(path: Path) -> int:
    """Return how long all files in a workbook are, as it says itself."""
    with zipfile.ZipFile(path) as archive:
        return sum(one.file_size for one in archive.infolist())


def sheet_names(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield the name of each sheet, with whether it is hidden."""
    for sheet in _elements(path, BOOK, "sheet"):
        yield sheet.get("name", ""), sheet.get("state", "visible") != "visible"


def look_at(path: Path, sheet: str) -> SheetLook:
    """Unpack all of a workbook in pieces, and look at one sheet; raise where a file in it is not as long as it says."""
    wanted = _file_of(path, sheet)
    truths, unknown = False, None
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        for member in archive.infolist():
            kept = b""
            for piece in _unpacked(file, member):
                if member.filename != wanted:
                    continue
                kept += piece
                truths = truths or _has_truth(kept)
                unknown = _unknown(kept) if unknown is None else unknown
                kept = kept[_last_cell(kept) :]
    return SheetLook(truths, unknown)


def _last_cell(text: bytes) -> int:
    """Return where the last cell of a text ends, or where so much is left that no cell is longer."""
    least = max(len(text) - LONGEST, 0)
    at = max(text.rfind(b"</c>", least), least)
    return max(text.rfind(b":c>", at), at)


def _has_truth(text: bytes) -> bool:
    """Whether a cell may hold a truth value: the bytes of its mark are looked for first, which costs little."""
    data = np.frombuffer(text, np.uint8)
    at = np.flatnonzero(data[1:-1] == ord("b")) + 1
    return bool(np.isin(data[at - 1], QUOTES).any()) and _TRUTH.search(text) is not None


def _has_formula(text: bytes) -> bool:
    """Whether an element of a text may be a formula."""
    data = np.frombuffer(text, np.uint8)
    at = np.flatnonzero(data[1:] == ord("f"))
    return bool(np.isin(data[at], BEFORE_NAMES).any())


def _unknown(text: bytes) -> str | None:
    """Return the first cell whose formula has no result; an empty text is one, in a cell that says so."""
    for cell in _CELL.finditer(text) if _has_formula(text) else ():
        if cell[2] is None or not _TEXT_CELL.search(cell[1]):
            name = _NAME.search(cell[1])
            return "" if name is None else name[1].decode()
    return None


def _unpacked(file: BinaryIO, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield what is in a file of an archive, never more than the archive says; raise where that is not all."""
    file.seek(member.header_offset)
    head = file.read(HEADER)
    if member.flag_bits & 1 or len(head) < HEADER or member.compress_type not in (0, 8):
        raise zipfile.BadZipFile
    file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    stored = member.compress_type == 0
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    left, count = member.compress_size, 0
    while left and (data := file.read(min(PIECE, left))):
        left -= len(data)
        while data:
            piece = data if stored else unpacker.decompress(data, STEP)
            data = b"" if stored else unpacker.unconsumed_tail
            count += len(piece)
            if count > member.file_size:
                raise zipfile.BadZipFile
            yield piece
    if left or count != member.file_size or not (stored or unpacker.eof):
        raise zipfile.BadZipFile


def _file_of(path: Path, sheet: str) -> str | None:
    """Return which file of a workbook holds a sheet."""
    links = {one.get("Id"): one.get("Target", "") for one in _elements(path, BOOK_LINKS, "Relationship")}
    for one in _elements(path, BOOK, "sheet"):
        if one.get("name", "") == sheet:
            link = next((value for name, value in one.attrib.items() if name.rpartition("}")[2] == "id"), None)
            target = links.get(link)
            return None if target is None else normpath(join("xl", target)).lstrip("/")
    return None


def _elements(path: Path, member: str, tag: str) -> Iterator[ElementTree.Element]:
    with zipfile.ZipFile(path) as archive, archive.open(member) as file:
        found = ElementTree.fromstring(file.read(MOST_ABOUT))  # entities are limited by expat itself
    for one in found.iter():
        if one.tag.rpartition("}")[2] == tag:
            yield one
