"""The policy as text: one place in it is changed, and all others, comments too, stay as they are written.

Whatever is changed in the text is compared with the same change in the data. Where they differ (YAML can be written in
ways that few people use), the policy is written anew: right, but without its comments.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from discreet.common.printable import json_text
from discreet.policy.places import Path

_PLAIN = re.compile(r"[A-Za-z0-9_.]([\w ./%+-]*[\w%])?", re.ASCII)
_WORDS = ("null", "~", "true", "false", "yes", "no", "on", "off", "y", "n")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
NULLS = ("", "~", "null", "Null", "NULL")


class Unread(ValueError):
    """The text is no YAML, so no place in it can be found."""


def data_of(text: str) -> dict[str, Any]:
    """Return what a policy says, scalars as texts; nothing for an empty one."""
    root = _compose(text)
    data = None if root is None else _plain(root)
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise Unread
    return data


def at(data: object, path: Path) -> Any:
    """Return what stands at a place; None where there is nothing."""
    for step in path:
        try:
            data = data[step]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def line_of(text: str, path: Path) -> int | None:
    """Return the line (from 1) where a place begins."""
    node = _compose(text)
    line = None
    for step in path:
        pair = None if node is None else _child(node, step)
        if pair is None:
            return line
        key, node = pair
        line = (key if key is not None else node).start_mark.line + 1
    return line


def set_at(text: str, path: Path, value: object) -> str:
    """Return a policy that says `value` at a place."""
    data = data_of(text)
    wanted = _with(data, path, value)
    return _checked(_set(text, path, value), wanted)


def removed_at(text: str, path: Path) -> str:
    """Return a policy without what stands at a place, and without what would be empty then.

    >>> removed_at("columns: {age: {type: number}}", ("columns", "age", "top"))
    'columns: {age: {type: number}}'
    """
    data = data_of(text)
    home = at(data, path[:-1])
    if home is None or (isinstance(path[-1], str) and path[-1] not in home):
        return text
    while len(path) > 1 and len(at(data, path[:-1]) or ()) <= 1:
        path = path[:-1]
    return _checked(_removed(text, path), _without(data, path))


def uncommented(text: str, path: Path) -> str:
    """Return a policy without the comments right above an item: they say what it was."""
    node = _compose(text)
    for step in path:
        pair = None if node is None else _child(node, step)
        if pair is None:
            return text
        node = pair[1]
    start = node.start_mark.index
    begin = _line_start(text, start)
    return text[: _with_comments(text, begin, start - begin)] + text[begin:]


def appended(text: str, path: Path, value: object) -> str:
    """Return a policy with a further item of a list."""
    data = data_of(text)
    items = at(data, path) or []
    wanted = _with(data, path, [*items, value])
    return _checked(_appended(text, path, value) if items else _set(text, path, [value]), wanted)


def flow(value: object) -> str:
    """Return a value on one line of YAML.

    >>> print(flow({"infer": {"Ill": "yes"}, "given": ["Job", "Home town"], "at_most": "75%"}))
    {infer: {Ill: "yes"}, given: [Job, Home town], at_most: 75%}
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{flow(str(name))}: {flow(each)}' for name, each in value.items())}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(flow, value))}]"
    word = str(value)
    return word if _PLAIN.fullmatch(word) and word.lower() not in _WORDS else json_text(word)


def dump(data: Mapping[str, Any]) -> str:
    """Return a policy as text, a field to a line.

    >>> print(dump({"use": "general", "protect": [{"k": "3", "over": ["Job"]}], "columns": {"Id": {"role": "other"}}}))
    use: general
    protect:
      - k: 3
        over: [Job]
    columns:
      Id: {role: other}
    <BLANKLINE>
    """
    lines: list[str] = []
    for name, value in data.items():
        if name == "protect" and isinstance(value, list) and value:
            lines += [f"{flow(name)}:", *(_item(each, 2) for each in value)]
        elif name == "columns" and isinstance(value, Mapping) and value:
            lines += [f"{flow(name)}:", *(f"  {flow(str(key))}: {flow(each)}" for key, each in value.items())]
        else:
            lines.append(f"{flow(name)}: {flow(value)}")
    return "\n".join(lines) + "\n"


def _item(value: object, indent: int) -> str:
    if not isinstance(value, Mapping) or not value:
        return f"{' ' * indent}- {flow(value)}"
    first, *others = (f"{flow(str(name))}: {flow(each)}" for name, each in value.items())
    return "\n".join([f"{' ' * indent}- {first}", *(f"{' ' * indent}  {other}" for other in others)])


def _checked(text: str | None, wanted: dict[str, Any]) -> str:
    try:
        if text is not None and data_of(text) == _texts(wanted):
            return text
    except (Unread, yaml.YAMLError):
        pass
    return dump(wanted)


def _texts(value: object) -> Any:
    """Return data as they are read back: every scalar a text."""
    if isinstance(value, Mapping):
        return {str(name): _texts(each) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_texts(each) for each in value]
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _with(data: dict[str, Any], path: Path, value: object) -> dict[str, Any]:
    data = copy.deepcopy(data)
    where: Any = data
    for place, step in enumerate(path[:-1]):
        if isinstance(where, dict) and where.get(step) is None:
            where[step] = [] if isinstance(path[place + 1], int) else {}
        where = where[step]
    where[path[-1]] = value
    return data


def _without(data: dict[str, Any], path: Path) -> dict[str, Any]:
    data = copy.deepcopy(data)
    del at(data, path[:-1])[path[-1]]
    return data


def _compose(text: str) -> Any:
    try:
        return yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, RecursionError):
        raise Unread from None


def _plain(node: Any) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return None if not node.style and node.value in NULLS else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return {str(key.value): _plain(value) for key, value in node.value}


def _child(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


def _end(node: Any) -> int:
    """Return where a node ends, without blanks and comments behind it."""
    if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)


def _line_start(text: str, index: int) -> int:
    return text.rfind("\n", 0, index) + 1


def _line_end(text: str, index: int) -> int:
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def _set(text: str, path: Path, value: object) -> str | None:
    node = _compose(text)
    if node is None:
        for step in reversed(path):
            value = {str(step): value}
        return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{dump(value)}"  # type: ignore[arg-type]
    for place, step in enumerate(path):
        pair = _child(node, step)
        if pair is None:
            for inner in reversed(path[place + 1 :]):
                value = {str(inner): value}
            return _added(text, node, step, value)
        node = pair[1]
    start, end = node.start_mark.index, _end(node)
    space = " " if start == end and text[start - 1 : start] == ":" else ""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:  # from lines of its own to the line of its key
        start = len(text[:start].rstrip())
        space = " "
        if text[start - 1 : start] not in (":", "-"):  # a comment stands between
            return None
    return f"{text[:start]}{space}{flow(value)}{text[end:]}"


def _added(text: str, node: Any, step: str | int, value: object) -> str | None:
    """Return the text with a further field of a mapping."""
    if not isinstance(node, yaml.MappingNode) or not isinstance(step, str):
        return None
    said = f"{flow(step)}: {flow(value)}"
    if node.flow_style or not node.value:
        end = node.end_mark.index - 1
        return f"{text[:end].rstrip()}{', ' if node.value else ''}{said}{text[end:]}"
    first, end = node.value[0][0], _line_end(text, _end(node))
    indent = first.start_mark.column
    if not indent:
        return f"{text}{'' if text.endswith(chr(10)) else chr(10)}{dump({step: value})}"
    new = "" if text[:end].endswith("\n") else "\n"
    return f"{text[:end]}{new}{' ' * indent}{said}\n{text[end:]}"


def _appended(text: str, path: Path, value: object) -> str | None:
    node = _compose(text)
    for step in path:
        pair = _child(node, step)
        if pair is None:
            return None
        node = pair[1]
    if node.flow_style:
        end = node.end_mark.index - 1
        return f"{text[:end].rstrip()}, {flow(value)}{text[end:]}"
    end = _line_end(text, _end(node))
    new = "" if text[:end].endswith("\n") else "\n"
    return f"{text[:end]}{new}{_item(value, node.start_mark.column)}\n{text[end:]}"


def _removed(text: str, path: Path) -> str | None:
    node = _compose(text)
    parent, pair = node, None
    for step in path:
        pair = _child(node, step)
        if pair is None:
            return None
        parent, node = node, pair[1]
    assert pair is not None
    start = (pair[0] if pair[0] is not None else node).start_mark.index
    end = _end(node)
    if parent.flow_style:
        rest = text[end:].lstrip()
        if rest.startswith(","):
            return f"{text[:start]}{rest[1:].lstrip()}"
        return f"{text[:start].rstrip().removesuffix(',')}{text[end:]}"
    begin = _line_start(text, start)
    return text[: _with_comments(text, begin, start - begin)] + text[_line_end(text, end) :]


def _with_comments(text: str, begin: int, indent: int) -> int:
    """Return where the comments right above a line begin that stand as far in as it does: they are about it."""
    while begin:
        above = _line_start(text, begin - 1)
        said = text[above : begin - 1]
        inner = len(said) - len(said.lstrip())
        if not said.lstrip().startswith("#") or not inner or inner > indent:
            break
        begin = above
    return begin
