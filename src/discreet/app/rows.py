"""Pages of rows out of private files that tasks have written: nothing loads a whole table into a page.

A file has a row as a line of JSON. Beside it stands where each line begins, so that a page is read by itself, and by
plain Python: the server holds no library of tables, whose memory a job needs.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = 50
"""Rows of a page."""
PLACE = struct.Struct("<q")
"""A place in the file."""


def places_path(path: Path) -> Path:
    """Return the file that says where each row of a file begins, and where the last one ends."""
    return path.with_name(f"{path.name}.places")


def changed_path(path: Path) -> Path:
    """Return the file that says which of its rows have a change, by their numbers from 0."""
    return path.with_name(f"{path.name}.changed")


def page_of(path: Path, first: int, *, changed: bool = False) -> list[dict[str, Any]]:
    """Return some rows of a file, from place `first` on; only those with a change, if asked."""
    wanted = _numbers(changed_path(path), first, PAGE) if changed else range(first, first + PAGE)
    with path.open("rb") as lines, places_path(path).open("rb") as places:
        found = []
        for row in wanted:
            places.seek(row * PLACE.size)
            both = places.read(2 * PLACE.size)
            if len(both) < 2 * PLACE.size:
                break
            (begin,), (end,) = PLACE.iter_unpack(both)
            lines.seek(begin)
            found.append(json.loads(lines.read(end - begin)))
    return found


def _numbers(path: Path, first: int, most: int) -> Iterator[int]:
    with path.open("rb") as file:
        file.seek(first * PLACE.size)
        yield from (row for (row,) in PLACE.iter_unpack(file.read(most * PLACE.size)))


def first_of(query: Any, rows: int) -> int:
    """Return the place of the first row that an address asks for, at the beginning of a page."""
    text = str(query.get("from", "0"))
    first = int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
    return max(0, min(first, rows - 1)) // PAGE * PAGE
