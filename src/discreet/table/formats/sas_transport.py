"""Transport files of SAS (.xpt): what their layout tells of a file that is cut off, or that holds several tables.

A file has nothing but records of 80 bytes: headers, a description of each column, and behind the last header the rows
without a gap, with blanks up to the end of the last record. Version 8 says in that header how many rows there are;
version 5 does not, but what stands behind the last whole row must be blank, and less than a record.
"""

from __future__ import annotations

import mmap
from pathlib import Path

from discreet.errors import InputError
from discreet.table.formats.place import Place

TRANSPORT = b"HEADER RECORD*******LIB"
RECORD = 80
"""Bytes of a record."""
NAMES = 7
"""Records before that which says how many columns there are."""
DESCRIPTION = 140
"""Bytes of the description of a column."""
_MEMBER, _ROWS = b"HEADER RECORD*******MEMB", b"HEADER RECORD*******OBS"


def is_transport(path: Path) -> bool:
    """Whether a file begins as transport files do."""
    with path.open("rb") as file:
        return file.read(len(TRANSPORT)) == TRANSPORT


def refuse_cut_transport(table: Place, path: Path) -> None:
    """Refuse what pyreadstat would read as another table: a file that is cut off, or that holds several tables."""
    if path.stat().st_size % RECORD:
        raise _cut(table, "its last record is not whole")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = _record(data, _ROWS, 0)
        length = _row_length(data)
        if start is None or length is None:
            raise _cut(table, "it ends before its rows")
        if _record(data, _MEMBER, start) is not None:
            raise InputError(
                f"{table}: is a SAS transport file that holds several tables; save the one that is meant alone"
            )
        told = data[start + 48 : start + 63].strip()
        _refuse_short(table, data, start + RECORD, length, int(told) if told.isdigit() else 0)


def _refuse_short(table: Place, data: mmap.mmap, start: int, length: int, told: int) -> None:
    """Refuse rows that do not end as they should; `told` is how many there are, 0 where that is not said."""
    size = len(data) - start
    if told:
        if size != -(-told * length // RECORD) * RECORD:
            raise _cut(table, f"it says that it has {told:,} rows")
        rows = told
    else:
        rows = size // length
        if size % length >= RECORD or data[start + rows * length :].strip(b" "):
            raise _cut(table, "its last row is not whole")
    if (
        (told or length >= RECORD)
        and rows
        and not data[start + (rows - 1) * length : start + rows * length].strip(b" ")
    ):
        raise InputError(
            f"{table}: the last row has nothing but empty texts, which a SAS transport file does not tell from no row; "
            "take it out, or save the table in another form"
        )


def _record(data: mmap.mmap, begin: bytes, start: int) -> int | None:
    """Return where the first record from `start` on is that begins so."""
    at = data.find(begin, start)
    while at >= 0 and at % RECORD:
        at = data.find(begin, at + 1)
    return None if at < 0 else at


def _row_length(data: mmap.mmap) -> int | None:
    """Return how many bytes a row has; None where the descriptions of the columns are not all there."""
    told = data[NAMES * RECORD + 53 : NAMES * RECORD + 58]
    columns = int(told) if told.isdigit() else 0
    first = (NAMES + 1) * RECORD
    if not columns or first + columns * DESCRIPTION > len(data):
        return None
    places = range(first + 4, first + 4 + columns * DESCRIPTION, DESCRIPTION)
    return sum(int.from_bytes(data[at : at + 2], "big") for at in places) or None


def _cut(table: Place, why: str) -> InputError:
    return InputError(f"{table}: is a SAS transport file that is damaged or cut off: {why}")
