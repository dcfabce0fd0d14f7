"""Groups and ends of a column as edits of the policy: a tree is a file beside it, or stays in it if it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from discreet.app.desk import Desk
from discreet.app.group_tree import GroupTree
from discreet.app.policy_text import at, data_of, set_at
from discreet.app.reading import files_named
from discreet.app.sitting import write_whole
from discreet.assist.proposing.tally import ValueTally
from discreet.columns.taxonomy import read_taxonomy
from discreet.errors import InputError
from discreet.policy import Column
from discreet.policy.columns import PLAIN

COLUMNS = ("columns",)


def column_said(desk: Desk, name: str) -> Column:
    """Return what the policy says of a column."""
    policy = desk.reading.policy
    return PLAIN if policy is None else policy.columns.get(name, PLAIN)


def tree_of(desk: Desk, name: str) -> GroupTree | None:
    """Return the groups of a column, to be edited; None where there are none."""
    taxonomy = column_said(desk, name).taxonomy
    return None if taxonomy is None else GroupTree.of(taxonomy)


def tally_of(desk: Desk, name: str) -> ValueTally:
    """Return the values of a column with their rows, as they were counted."""
    figure = desk.figure("values")
    found = None if figure.value is None or figure.stale else figure.value["columns"].get(name)
    if found is None:
        raise InputError("the values are still being counted; try again in a moment")
    if found["values"] is None:
        raise InputError(f"column {name!r} has too many different values for groups here; import a file")
    return ValueTally(name, tuple(found["values"]), tuple(found["rows"]), found["blank"])


def keep_tree(desk: Desk, name: str, tree: GroupTree, what: str) -> None:
    """Write the groups of a column into the policy, or into the file beside it that it names."""
    taxonomy = tree.taxonomy()
    path = (*COLUMNS, name, "taxonomy")
    now = at(desk.reading.data, path)
    text = desk.now.text
    if isinstance(now, dict):
        desk.write(what, set_at(text, path, taxonomy.to_tree()))
        return
    file = now if isinstance(now, str) and now in desk.now.files else _file_name(name, set(desk.now.files))
    desk.write(what, text if now == file else set_at(text, path, file), {file: taxonomy.to_csv().encode()})


def edit_without_files(desk: Desk, what: str, change: Callable[[str], str]) -> None:
    """Change the policy; files beside it that it named and names no more go with the change."""
    text = change(desk.now.text)
    named = {name for _, name in files_named(data_of(text))}
    before = {name for _, name in files_named(desk.reading.data)}
    desk.write(what, text, {name: None for name in desk.now.files if name in before - named})


def _file_name(column: str, taken: set[str]) -> str:
    """Return a name for a new file beside the policy, whatever the column is called.

    >>> _file_name("../Home town", set()), _file_name("job", {"job-groups.csv"})
    ('Home-town-groups.csv', 'job-groups-2.csv')
    """
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", column).strip("-")[:40] or "column"
    names = (f"{stem}-groups{'' if number == 1 else f'-{number}'}.csv" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def read_tree(desk: Desk, path: str, text: str) -> GroupTree:
    """Return groups from a file of the folder, or from a text that was dropped; ARX's hierarchies too."""
    if path:
        return GroupTree.of(read_taxonomy(desk.folder.inside(path)))
    if not text.strip():
        raise InputError("name a file, or choose one")
    file = desk.sitting.path / "groups.csv"
    try:
        write_whole(file, text.encode("utf-8", "surrogatepass"))
        return GroupTree.of(read_taxonomy(file))
    except InputError as error:
        raise InputError(str(error).replace(f"{file}", "the file")) from None
    finally:
        file.unlink(missing_ok=True)


def ends_of(column: Column, texts: Sequence[str], dropped: str) -> list[str]:
    """Return ends in ascending order, each once, without the one that is to go."""
    scale = column.scale
    if scale is None:
        raise InputError("only numbers and dates have ends")
    found = {}
    for text in (text.strip() for text in texts):
        if not text or text == dropped:
            continue
        value = scale.read(text)
        if value is None:
            raise InputError(f"an end is a {scale.name}; write one as in the table")
        found[value] = text
    return [found[value] for value in sorted(found)]
