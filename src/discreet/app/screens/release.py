"""Release: made by the policy as it stands, with progress; then before and after, and why something is not told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.rows import PAGE, first_of, page_of
from discreet.app.screens.base import Action, LivePart, Query, Screen, needs_table
from discreet.app.work.jobs import KeptLedger, MadeRelease
from discreet.errors import InputError

MASKED = (
    "The whole row is hidden on the columns that may change: it fits into no group of rows that keeps the promises."
)
EDITED = "This cell was changed by itself, so that nobody can guess a confidential cell."
WITH_OTHERS = "It is told as the values beside it are, so that every promise is kept; the plan has the rest."
LEFT_OUT = "The column names people, so it is left out of the release."


def chosen(desk: Desk, query: Query) -> MadeRelease | None:
    """Return the release that an address asks for, else the latest."""
    text = str(query.get("n", ""))
    if text.isascii() and text.isdigit() and len(text) < 9:
        return desk.jobs.get(int(text))
    return desk.jobs.latest


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    return {"job": chosen(desk, query), "why_not": _why_not(desk), "mistakes": desk.reading.mistakes}


def _why_not(desk: Desk) -> str | None:
    """Return why no release can be made by the policy as it stands; None where one can."""
    if desk.reading.policy is None:
        return "The policy is being drafted." if desk.reading.is_empty else "The policy has mistakes; mend them first."
    return None


def _job(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = chosen(desk, query)
    return {
        "job": job,
        "current": job is not None and desk.is_current(job),
        "why_not": _why_not(desk),
        "busy": desk.jobs.busy,
        "kept": next((each.ledger for each in desk.jobs.all if each.ledger is not None), None),
        "columns": (desk.figure("opened").value or {"columns": []})["columns"],
        "parts": [] if job is None or job.made is None else _bars(job.made),
    }


def _bars(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the columns that may change with the shares of their cells, those that changed most first."""
    told = [each for each in made["columns"] if not each["left_out"]]
    return sorted(told, key=lambda each: each["kept"])


def _sides(desk: Desk, query: Query) -> Mapping[str, Any]:
    job = chosen(desk, query)
    if job is None or job.made is None or job.made["sides"] is None:
        return {"job": job, "sides": None}
    sides = job.made["sides"]
    only = query.get("only") == "changed"
    rows = sides["changed"] if only else sides["rows"]
    first = first_of(query, rows)
    found = page_of(job.path / "app" / "sides.rows", first, changed=only)
    return {
        "job": job,
        "sides": sides,
        "only": only,
        "count": rows,
        "first": first,
        "page": PAGE,
        "rows": [_row(each, sides, job.made["marker"]) for each in found],
        "why": _why(job, query, found),
    }


def _row(row: Mapping[str, Any], sides: Mapping[str, Any], marker: str) -> dict[str, Any]:
    """Return a row as it is shown: each cell before and after, and how it was changed."""
    cells = []
    for place, name in enumerate(sides["columns"]):
        was, now = row[f"b{place}"], row.get(f"a{place}")
        if name not in sides["released"]:
            how = "gone"
        elif was == now:
            how = "kept"
        else:
            how = "hidden" if now == marker else "coarser"
        cells.append({"was": was, "now": now, "how": how, "place": place})
    return {"number": row["n"], "cells": cells}


def _why(job: MadeRelease, query: Query, rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return why one cell is as it is, for the cell `why=ROW.COLUMN`."""
    number, _, place = str(query.get("why", "")).partition(".")
    made = job.made or {}
    sides = made["sides"]
    row = next((each for each in rows if str(each["n"]) == number), None)
    if row is None or not place.isdigit() or int(place) >= len(sides["columns"]):
        return None
    name = sides["columns"][int(place)]
    was, now = row[f"b{place}"], row.get(f"a{place}")
    return {"row": row["n"], "column": name, "was": was, "now": now, "words": _reason(made, row["n"], name, was, now)}


def _reason(made: Mapping[str, Any], number: int, name: str, was: str | None, now: str | None) -> str:
    sides = made["sides"]
    if name not in sides["released"]:
        return LEFT_OUT
    if any(edit["row"] == number and edit["column"] == name for edit in sides["edited"]):
        return EDITED
    if number in sides["suppressed"]:
        return MASKED
    reasons = made["why"].get(name, {})
    found = reasons.get(was or "") or reasons.get(now or "")
    return f"To tell more {found}." if found and found.startswith("would") else (f"{found}." if found else WITH_OTHERS)


def _make(desk: Desk, said: FormSaid) -> str | None:
    text = said.one("limit", "").strip()
    limit = None
    if text:
        try:
            limit = float(text)
        except ValueError:
            raise InputError("the time limit is a number of seconds, or nothing") from None
        if not 0 <= limit <= 1_000_000:
            raise InputError("the time limit is a number of seconds, or nothing")
    desk.begin_release(limit, _ledger_said(desk, said))
    return None


def _ledger_said(desk: Desk, said: FormSaid) -> KeptLedger | None:
    """Return the ledger that the release is to be recorded in, if one is named."""
    text, person = said.one("ledger", "").strip(), said.one("person", "")
    if not text:
        return None
    if not person:
        raise InputError("a ledger knows people by a column: say which one tells who somebody is")
    path = desk.folder.inside(text)
    if path == desk.folder.path or (path.exists() and not path.is_dir()):
        raise InputError(f"{text}: is no ledger; name a folder of its own, which is made where there is none")
    return KeptLedger(desk.folder.shown(path), person, said.has("new_persons"))


def _stop(desk: Desk, said: FormSaid) -> str | None:
    del said
    desk.jobs.stop()
    return None


def _cancel(desk: Desk, said: FormSaid) -> str | None:
    del said
    desk.jobs.cancel()
    return None


ENDING: Mapping[str, Action] = {"stop": _stop, "cancel": _cancel}
"""What ends a job, on every screen that shows one."""

SCREEN = Screen(
    "release",
    "Release",
    "Make the release, see beside the original what it tells and what not, and decide whether that is useful enough.",
    _view,
    {"make": _make, **ENDING},
    {"job": LivePart(_job, ("job", "progress")), "sides": LivePart(_sides, ("job",))},
    needs=needs_table,
)
