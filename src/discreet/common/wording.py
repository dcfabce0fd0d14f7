"""Words that depend on what is counted: rows, or persons."""

from __future__ import annotations

import re
from collections.abc import Iterable

_THEIRS = "rows that could be theirs"
_ROWS = {
    "row": "person",
    "rows": "persons",
    "Row": "Person",
    "Rows": "Persons",
    _THEIRS: "persons who could be the one",
}
_WORD = rf"\b{_THEIRS}\b|\b[Rr]ows?\b"


def in_persons(text: str, names: Iterable[str] = ()) -> str:
    """Return a text about rows as one about persons; `names` of columns and values stay as they are.

    >>> in_persons("rows seen: at least 3 rows alike", ["rows seen"])
    'rows seen: at least 3 persons alike'
    """
    kept = sorted({name for name in names if re.search(_WORD, name)}, key=len, reverse=True)
    pattern = "|".join([*map(re.escape, kept), _WORD])
    return re.sub(pattern, lambda found: _in_place(found[0], kept), text)


def _in_place(found: str, kept: list[str]) -> str:
    return found if found in kept else _ROWS[found]
