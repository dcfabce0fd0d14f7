"""Groups: how each column that may be made coarser is grouped, as a tree or on a scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from discreet.app.desk import Desk
from discreet.app.drawing import histogram
from discreet.app.forms import FormSaid
from discreet.app.group_edits import (
    COLUMNS,
    column_said,
    edit_without_files,
    ends_of,
    keep_tree,
    read_tree,
    tally_of,
    tree_of,
)
from discreet.app.group_tree import GroupTree, TreeNode
from discreet.app.policy_text import removed_at, set_at
from discreet.app.screens.base import LivePart, Query, Screen, needs_policy
from discreet.assist.proposing.propose import KINDS, propose
from discreet.columns.scale import Scale
from discreet.errors import InputError

MOST_NODES = 600
"""Values and groups of a tree that are shown."""


def _chosen(desk: Desk, query: Query) -> str | None:
    names = desk.coarser()
    said = query.get("column")
    return said if said in names else next(iter(names), None)


def _view(desk: Desk, query: Query) -> Mapping[str, Any]:
    return {"names": [(name, _told_as(desk, name)) for name in desk.coarser()], "name": _chosen(desk, query)}


def _told_as(desk: Desk, name: str) -> str:
    said = column_said(desk, name)
    if said.type != "category":
        return {"number": "numbers", "date": "dates"}[said.type]
    return "groups" if said.taxonomy is not None else "told or hidden"


def _edit(desk: Desk, query: Query) -> Mapping[str, Any]:
    name = _chosen(desk, query)
    figure = desk.figure("values")
    if name is None:
        return {"name": None, "figure": figure, "said": None}
    found = None if figure.value is None else figure.value["columns"].get(name)
    said = column_said(desk, name)
    return {
        "name": name,
        "figure": figure,
        "found": found,
        "said": said,
        "kinds": [kind for kind in KINDS if kind != "ordered"],
        "tables": desk.folder.tables(),
        **(_on_scale(desk, name, found) if said.type != "category" else _as_tree(desk, name, found)),
    }


def _as_tree(desk: Desk, name: str, found: Mapping[str, Any] | None) -> dict[str, Any]:
    tree = tree_of(desk, name)
    values = None if found is None else found["values"]
    counts = {} if values is None or found is None else dict(zip(values, found["rows"], strict=True))
    if tree is None:
        common = sorted(counts.items(), key=lambda each: -each[1])[:20]
        return {"tree": None, "common": common, "most_rows": max(counts.values(), default=1)}
    total: dict[str, int] = {}
    _count(tree.root, counts, total)
    nodes = sum(1 for _ in tree.root.walk())
    known = set(tree.root.leaves())
    return {
        "tree": tree.root,
        "groups": [node.label for node in tree.groups()],
        "total": total,
        "most_rows": max((total[each.label] for each in tree.root.children), default=1) or 1,
        "too_many": nodes > MOST_NODES,
        "nodes": nodes,
        "lacking": [value for value in counts if value not in known],
        "counted": values is not None,
    }


def _count(node: TreeNode, counts: Mapping[str, int], total: dict[str, int]) -> int:
    rows = sum(_count(child, counts, total) for child in node.children) if node.children else counts.get(node.label, 0)
    total[node.label] = rows
    return rows


def _on_scale(desk: Desk, name: str, found: Mapping[str, Any] | None) -> dict[str, Any]:
    said = column_said(desk, name)
    scale = said.scale
    shown = None if found is None else found["scale"]
    ends = [str(end) for end in said.ends or ()]
    drawn = None
    if shown is not None and scale is not None:
        places = [_place(end, scale, shown) for end in ends]
        tails = [_place(str(tail), scale, shown) for tail in (said.bottom, said.top) if tail is not None]
        words = f"{name}: rows from {shown['low_text']} to {shown['high_text']}, and where intervals may begin"
        inside = [place for place in places if place is not None]
        drawn = histogram(shown["bins"], inside, [place for place in tails if place is not None], words)
    return {"ends": ends, "shown": shown, "drawn": drawn, "tree": None}


def _place(text: str, scale: Scale, shown: Mapping[str, Any]) -> float | None:
    """Return where something stands on the scale, from 0 to 1; None where it is not on it."""
    value = scale.read(text)
    wide = (shown["high"] - shown["low"]) or 1.0
    place = None if value is None else (float(value) - shown["low"]) / wide
    return place if place is not None and 0 <= place <= 1 else None


def _levels(desk: Desk, query: Query) -> Mapping[str, Any]:
    name, figure = _chosen(desk, query), desk.figure("checked")
    levels = () if figure.value is None else figure.value["levels"]
    return {"figure": figure, "name": name, "preview": next((each for each in levels if each["column"] == name), None)}


# What forms do


def _back(name: str) -> str:
    return f"/groups?column={quote(name, safe='')}"


def _name(desk: Desk, said: FormSaid) -> str:
    name = said.one("column")
    if name not in desk.coarser():
        raise InputError("this column is not among those that may be made coarser; reload the page")
    return name


def _tree(desk: Desk, said: FormSaid) -> str | None:
    """Move, gather, rename, dissolve, or put in order."""
    name, act = _name(desk, said), said.one("act")
    tree = tree_of(desk, name)
    if tree is None:
        raise InputError("this column has no groups yet; propose or import some")
    chosen = list(dict.fromkeys(said.all("node")))
    if act == "move":
        tree.move(chosen, said.one("to"))
        what = f"Moved {_some(chosen)} of {name}"
    elif act == "gather":
        tree.gather(chosen, said.one("name", "").strip())
        what = f"Put {_some(chosen)} of {name} into a new group"
    elif act == "rename":
        if len(chosen) != 1:
            raise InputError("choose one group to be renamed")
        tree.rename(chosen[0], said.one("name", "").strip())
        what = f"Renamed a group of {name}"
    elif act == "dissolve":
        if not chosen:
            raise InputError("choose at least one group")
        tree.dissolve(chosen)
        what = f"Dissolved {_some(chosen, 'group')} of {name}"
    elif act in ("up", "down"):
        tree.shift(chosen, -1 if act == "up" else 1)
        what = f"Put values of {name} in order"
    else:
        raise InputError("there is no such edit")
    keep_tree(desk, name, tree, what)
    return _back(name)


def _some(chosen: list[str], noun: str = "value") -> str:
    return f"1 {noun}" if len(chosen) == 1 else f"{len(chosen)} {noun}s"


def _add(desk: Desk, said: FormSaid) -> str | None:
    """Put values of the table that the tree lacks right under the group of all."""
    name = _name(desk, said)
    tree, tally = tree_of(desk, name), tally_of(desk, name)
    if tree is not None:
        tree.add(tally.values)
        keep_tree(desk, name, tree, f"Added the values that the groups of {name} lacked")
    return _back(name)


def _propose(desk: Desk, said: FormSaid) -> str | None:
    name = _name(desk, said)
    kind = said.one("kind", "auto")
    tally = tally_of(desk, name)
    if kind == "none":
        tree = GroupTree.flat(tally.values)
        what = f"Began groups of {name}"
    else:
        levels = said.number("levels", 1, 20) if said.one("levels", "").strip() else None
        tree = GroupTree.of(propose(tally, kind, levels=levels).taxonomy)
        what = f"Took proposed groups of {name}"
    keep_tree(desk, name, tree, what)
    return _back(name)


def _import(desk: Desk, said: FormSaid) -> str | None:
    name = _name(desk, said)
    tree = read_tree(desk, said.one("path", "").strip(), said.one("text", ""))
    keep_tree(desk, name, tree, f"Imported groups of {name}")
    return _back(name)


def _remove(desk: Desk, said: FormSaid) -> str | None:
    name = _name(desk, said)
    path = (*COLUMNS, name, "taxonomy")
    edit_without_files(desk, f"Removed the groups of {name}", lambda text: removed_at(text, path))
    return _back(name)


def _type(desk: Desk, said: FormSaid) -> str | None:
    """Take a column for numbers, dates or categories."""
    name, kind = _name(desk, said), said.one("type")
    if kind not in ("number", "date", "category"):
        raise InputError("write number, date or category")
    form = said.one("date_format", "")

    def change(text: str) -> str:
        for field in ("taxonomy", "ends", "labels", "top", "bottom", "form", "date_format", "type", "open_ends"):
            text = removed_at(text, (*COLUMNS, name, field))
        if kind != "category":
            text = set_at(text, (*COLUMNS, name, "type"), kind)
        return set_at(text, (*COLUMNS, name, "date_format"), form) if kind == "date" and form else text

    edit_without_files(desk, f"Took {name} for a {kind}", change)
    return _back(name)


def _ends(desk: Desk, said: FormSaid) -> str | None:
    """Say where intervals may begin, and from where on nothing is told apart."""
    name = _name(desk, said)
    column = column_said(desk, name)
    ends = ends_of(column, [*said.all("end"), *said.one("more", "").replace(";", " ").split()], said.one("drop", ""))
    tails = {field: said.one(field, "").strip() for field in ("bottom", "top")}
    form = said.one("form", "")

    def change(text: str) -> str:
        for field, value in {**tails, "form": form if form in ("interval", "median") else ""}.items():
            path = (*COLUMNS, name, field)
            if said.has(field):
                text = set_at(text, path, value) if value and value != "interval" else removed_at(text, path)
        path = (*COLUMNS, name, "ends")
        return set_at(text, path, ends) if ends else removed_at(text, path)

    before = desk.now.number
    desk.edit(f"Moved the ends of {name}", change)
    if desk.reading.mistakes:
        told = desk.reading.mistakes[0].words
        if desk.now.number != before:
            desk.undo()
        raise InputError(told)
    return _back(name)


SCREEN = Screen(
    "groups",
    "Groups",
    "Decide how values may be told more coarsely: as groups, or as intervals of numbers and dates.",
    _view,
    {
        "tree": _tree,
        "add": _add,
        "propose": _propose,
        "import": _import,
        "remove": _remove,
        "type": _type,
        "ends": _ends,
    },
    {"edit": LivePart(_edit, ("figure:values",)), "levels": LivePart(_levels, ("figure:checked",))},
    needs=needs_policy,
    scripts=("groups.js",),
)
