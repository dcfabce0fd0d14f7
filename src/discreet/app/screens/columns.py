"""Columns: what each of them is. Four bins, sorted by the draft, with how many people stand alone beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.policy_edits import BINS, bins_of, moved
from discreet.app.screens.base import LivePart, Query, Screen, needs_policy
from discreet.errors import InputError

MEANS = {
    "identifier": "Names, numbers, addresses: left out of the release.",
    "known": "Somebody may know it of a person, and look for the row. Made coarser where it must be.",
    "secret": "Nobody may infer it. It is released as it is; what could give it away is not.",
    "harmless": "Neither known nor secret: goes out unchanged.",
}


def _columns(desk: Desk) -> list[str]:
    """Return the columns of the table, as far as they are known."""
    found = desk.figure("opened").value
    if found is not None:
        return list(found["columns"])
    policy = desk.reading.policy
    return [] if policy is None else list(policy.columns)


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    policy = desk.reading.policy
    assert policy is not None  # the screen needs one
    bins = bins_of(policy, _columns(desk))
    return {"bins": bins, "names": BINS, "means": MEANS, "looks": _looks(desk), "target": policy.target}


def _looks(desk: Desk) -> dict[str, Any]:
    looked = desk.figure("looked").value
    return {each["name"]: each for each in looked["columns"]} if looked else {}


def _alone(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    return {"figure": desk.figure("alone"), "known": desk.known() or ()}


def _move(desk: Desk, said: FormSaid) -> str | None:
    column, to = said.one("column"), said.one("to")
    policy = desk.reading.policy
    if policy is None:
        raise InputError("the policy has mistakes; mend them under Promises first")
    columns = _columns(desk)
    if column not in columns or to not in BINS:
        raise InputError("the table has no such column")
    before = next(name for name, some in bins_of(policy, columns).items() if column in some)
    look = _looks(desk).get(column)
    desk.edit(f"{column}: {BINS[to].lower()}", lambda text: moved(text, column, before, to, look))
    return None


SCREEN = Screen(
    "columns",
    "Columns",
    "Decide what each column is: what names people, what others may know of them, and what they must not find out.",
    _view,
    {"move": _move},
    {"alone": LivePart(_alone, ("figure:alone",))},
    needs=needs_policy,
    scripts=("bins.js",),
)
