"""Promises: what nobody may find out, as sentences with sliders and as YAML beside it, with what that would cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.app.charts import frontier_svg
from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.app.policy_edits import (
    bins_of,
    preset_of,
    sliders,
    with_cell,
    with_crowd,
    with_known,
    with_preset,
    with_threshold,
    without_promise,
)
from discreet.app.screens.base import UNSAVED, LivePart, Query, Screen, UnsavedText, needs_table
from discreet.assist.drafting.presets import PRESETS
from discreet.errors import InputError

COVERS = {
    "open-data": "Does not cover what can be inferred from several releases together.",
    "research": "Does not cover readers who break their contract and know more than you suppose.",
    "internal": "Does not cover colleagues who know people of the table well, or a file that leaves the house.",
}
MOST_CELLS = 1000
ELSEWHERE = (
    "The policy was changed elsewhere (another tab) since you began to write. Below is your text: compare it, and save "
    "it once more to take it."
)


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    reading = desk.reading
    policy = reading.policy
    columns = _columns(desk)
    return {
        "presets": PRESETS,
        "covers": COVERS,
        "preset": preset_of(reading.data) if policy is not None else None,
        "promises": [] if policy is None else _promises(desk),
        "columns": columns,
        "bins": {} if policy is None else bins_of(policy, columns),
        "mistakes": reading.mistakes,
        "lines": {mistake.line for mistake in reading.mistakes},
        "text": query.get(UNSAVED, desk.now.text),
        "unsaved": UNSAVED in query,
        "in_order": policy is not None,
        "drafting": desk.figure("drafted") if reading.is_empty else None,
    }


def _columns(desk: Desk) -> list[str]:
    found = desk.figure("opened").value
    return [] if found is None else list(found["columns"])


def _promises(desk: Desk) -> list[dict[str, Any]]:
    """Return the promises of the policy, each in words, with what can be changed by hand."""
    policy, data = desk.reading.policy, desk.reading.data
    assert policy is not None
    words: dict[int, list[str]] = {}
    for made in policy.promises():
        words.setdefault(made.index, []).append(made.in_words())
    for index, cells in policy.cells():
        words.setdefault(index, []).append(cells.in_words())
    found = []
    for index, item in enumerate(data.get("protect") or ()):
        known = next((item[field] for field in ("over", "given") if isinstance(item.get(field), list)), None)
        said = words.get(index) or _unseen(desk, index)
        found.append({"index": index, "words": said, "sliders": list(sliders(data, index)), "known": known})
    return found


def _unseen(desk: Desk, index: int) -> list[str]:
    """Return a promise that has its words from the table: as the check found it, else as it is written."""
    value = desk.figure("checked").value
    found = [each["words"] for each in value["promises"] if each["index"] == index] if value else []
    policy = desk.reading.policy
    assert policy is not None
    return found[:3] or [str(policy.protect[index])]


def _possible(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    return {"figure": desk.figure("checked")}


def _frontier(desk: Desk, query: Query) -> Mapping[str, Any]:
    del query
    figure = desk.figure("frontier")
    found = figure.value
    return {"figure": figure, "chart": frontier_svg(found["points"], found["coming"]) if found else None}


def _threshold(desk: Desk, said: FormSaid) -> str | None:
    place, field = said.number("place", 0, 10_000), said.one("field")
    number = said.number("number", 1, 10**6)
    desk.edit(f"{field} of promise {place + 1}: {number}", lambda text: with_threshold(text, place, field, number))
    return None


def _known(desk: Desk, said: FormSaid) -> str | None:
    place, names = said.number("place", 0, 10_000), said.all("known")
    _refuse_strangers(desk, names)
    desk.edit(f"What is known in promise {place + 1}", lambda text: with_known(text, place, names))
    return None


def _refuse_strangers(desk: Desk, names: Sequence[str]) -> None:
    columns = _columns(desk)
    if any(name not in columns for name in names):
        raise InputError("the table has no such column; reload the page")


def _remove(desk: Desk, said: FormSaid) -> str | None:
    place = said.number("place", 0, 10_000)
    desk.edit(f"Took away promise {place + 1}", lambda text: without_promise(text, place))
    return None


def _preset(desk: Desk, said: FormSaid) -> str | None:
    name = said.one("preset")
    desk.edit(f"As strict as {name}", lambda text: with_preset(text, name))
    return None


def _crowd(desk: Desk, said: FormSaid) -> str | None:
    names, k = said.all("known"), said.number("k", 2, 10**6)
    _refuse_strangers(desk, names)
    desk.edit("Added: enough people look alike", lambda text: with_crowd(text, names, k))
    return None


def _cell(desk: Desk, said: FormSaid) -> str | None:
    column, predictors = said.one("column"), said.all("known")
    _refuse_strangers(desk, [column, *predictors])
    rows = _numbers(said.one("rows"))
    desk.edit(f"Added: single cells of {column}", lambda text: with_cell(text, column, rows, predictors))
    return None


def _numbers(text: str) -> list[int]:
    """Return row numbers as people write them.

    >>> _numbers("3, 5-7")
    [3, 5, 6, 7]
    """
    found: list[int] = []
    for part in text.replace(",", " ").split():
        low, dash, high = part.partition("-")
        if not (low.isdigit() and (high.isdigit() or not dash) and len(part) < 24):
            raise InputError("write the numbers of rows, such as 3, 5-7")
        last = int(high or low)
        if int(low) < 1 or last < int(low) or len(found) + last - int(low) >= MOST_CELLS:
            raise InputError(f"rows are counted from 1, and at most {MOST_CELLS} can be named here; write a file")
        found += range(int(low), last + 1)
    return sorted(set(found))


def _write(desk: Desk, said: FormSaid) -> str | None:
    """Take the text as it was written, unless the policy was changed elsewhere meanwhile."""
    text = said.one("text").replace("\r\n", "\n")
    if said.one("at", "") != str(desk.now.number) and not said.has("over"):
        raise UnsavedText(ELSEWHERE, text)
    desk.write("Edited the policy as text", text)
    return None


SCREEN = Screen(
    "promises",
    "Promises",
    "Decide what nobody may find out, and how sure they may be at most; see at once whether that can be kept.",
    _view,
    {
        "threshold": _threshold,
        "known": _known,
        "remove": _remove,
        "preset": _preset,
        "crowd": _crowd,
        "cell": _cell,
        "write": _write,
    },
    {
        "possible": LivePart(_possible, ("figure:checked",)),
        "frontier": LivePart(_frontier, ("figure:frontier",)),
    },
    needs=needs_table,
    scripts=("editor.js",),
)
