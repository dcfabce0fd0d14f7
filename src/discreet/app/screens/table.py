"""Table: which table it is about; its first rows, kinds, gaps, repeated persons and what may name people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.guard import MOST_UPLOAD
from discreet.app.rows import PAGE, first_of, page_of
from discreet.app.screens.base import LivePart, Query, Screen


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    gone = desk.now.table is not None and desk.table_now() is None
    return {"tables": desk.folder.tables(), "most": MOST_UPLOAD, "gone": gone}


def _rows(desk: Desk, query: Query) -> Mapping[str, Any]:
    figure = desk.figure("opened")
    found = figure.value
    if found is None or desk.now.table is None:
        return {"figure": figure, "found": None, "rows": [], "first": 0, "page": PAGE}
    first = first_of(query, found["rows"])
    if found["file"] is not None and Path(found["file"]).is_file():
        rows = [list(row.values()) for row in page_of(Path(found["file"]), first)]
    else:
        first, rows = 0, found["first"]
    return {"figure": figure, "found": found, "rows": rows, "first": first, "page": PAGE}


def _looks(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    drafted = desk.figure("drafted")
    return {"figure": desk.figure("looked"), "drafted": drafted, "has_policy": not desk.reading.is_empty}


def _open(desk: Desk, said: FormSaid) -> str | None:
    desk.open_table(said.one("path"))
    return None


SCREEN = Screen(
    "table",
    "Table",
    "Choose the table that you want to publish, and see whether it was read as you mean it.",
    _view,
    {"open": _open},
    {"rows": LivePart(_rows, ("figure:opened",)), "looks": LivePart(_looks, ("figure:looked", "figure:drafted"))},
    scripts=("drop.js",),
)
