"""Reading a policy from YAML or TOML, with the line of every field for the error messages.

Scalars stay texts until a field asks for something else: the value `No` of a column is `No`, `007` is `007`
and the threshold `0.75` is the fraction 3/4, not the float nearest to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from discreet.columns.taxonomy import Taxonomy
from discreet.errors import InputError, PolicyError, Problem
from discreet.policy.build import build_policy
from discreet.policy.model import Policy
from discreet.policy.places import Path, PolicySource

MOST_DEPTH = 50
"""Lists and mappings inside each other; the readers of YAML and TOML have no bottom, or crash before they find it."""
MOST_NODES = 100_000
"""Parts of a YAML file that are read; aliases of aliases could make any number of a small file."""
_NAME = r"""[ \t]*+(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DEEP_KEY = re.compile(rf"^[ \t]*+\[*+{_NAME}(?:\.{_NAME}){{{MOST_DEPTH}}}", re.MULTILINE)
_SUFFIXES = {".yaml": "yaml", ".yml": "yaml", ".json": "yaml", ".toml": "toml"}


_NEW_ITEM: dict[Path, str] = {("protect",): ", or begin a further promise before it, with '- ' of its own"}


def read_policy(path: str | FilePath) -> Policy:
    """Return the policy in a YAML or TOML file.

    Parameters
    ----------
    path
        The file; its name ends in .yaml, .yml, .json or .toml.

    Raises
    ------
    PolicyError
        With all mistakes at once, each with file, line, field and what to write instead.
    """
    path = FilePath(path)
    form = _SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise InputError(f"{path}: a policy file ends in .yaml, .yml, .json or .toml")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such policy file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, not a policy file") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise PolicyError([Problem("", "is not UTF-8 text; save it as UTF-8", str(path), line)]) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise InputError(f"{str(path)!r}: is not the name of a file") from None
    data, lines, mistakes = _read_toml(text, str(path)) if form == "toml" else read_yaml(text, str(path))
    return build_policy(Policy, data, PolicySource(str(path), lines), mistakes)


def policy_of_text(text: str, trees: Mapping[str, Taxonomy] | None = None) -> Policy:
    """Return the policy in a text of YAML; `trees` are taxonomies by the names of files that are not written yet."""
    data, lines, mistakes = read_yaml(text, "")
    columns = data.get("columns") if isinstance(data, dict) else None
    for said in (columns or {}).values():
        if isinstance(said, dict) and said.get("taxonomy") in (trees or {}):
            said["taxonomy"] = (trees or {})[said["taxonomy"]]
    return build_policy(Policy, data, PolicySource(None, lines), mistakes)


def as_policy(policy: Policy | Mapping[str, Any] | str | FilePath) -> Policy:
    """Return a policy, the one that plain data say, or the one in the file of that name."""
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return Policy.from_dict(policy)
    if isinstance(policy, (str, FilePath)):
        return read_policy(policy)
    raise InputError(f"{type(policy).__name__} is not a policy; give a Policy, a dictionary, or the path of its file")


Read = tuple[object, dict[Path, int], list[Problem]]


def read_yaml(text: str, file: str) -> Read:
    """Return what a text of YAML says, the line of every field, and mistakes; scalars stay texts."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _refuse_deep_yaml(yaml.parse(text, Loader=loader), file)
        root = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(part for part in (error.context, error.problem) if part)
        line = None if mark is None else mark.line + 1
        raise PolicyError([Problem("", f"is not valid YAML: {what}", file, line)]) from None
    except yaml.YAMLError:
        raise PolicyError([Problem("", "is not valid YAML", file)]) from None
    if root is None:
        return None, {}, []
    reader = _YamlReader(file)
    return reader.data(root, ()), reader.lines, reader.mistakes


def _refuse_deep_yaml(events: Iterable[Any], file: str) -> None:
    """Refuse what is nested too deeply before anything that calls itself looks at it."""
    import yaml

    depth = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            raise _too_deep(file, event.start_mark.line + 1)


def _too_deep(file: str, line: int | None = None) -> PolicyError:
    return PolicyError([Problem("", f"is nested too deeply; at most {MOST_DEPTH} levels can be", file, line)])


class _YamlReader:
    """Turns YAML nodes into plain data and remembers the line of each path."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path, int] = {}
        self.mistakes: list[Problem] = []
        self._open: list[int] = []
        self._nodes = 0
        self._too_large = False

    def data(self, node: Any, path: Path) -> object:
        import yaml

        self.lines.setdefault(path, node.start_mark.line + 1)
        self._nodes += 1
        if isinstance(node, yaml.ScalarNode):
            plain = not node.style
            if plain and node.value == "" and "infer" in path:
                self._mistake(node, path, "has no value; write the value, or null for a missing one")
            return None if plain and node.value in ("", "~", "null", "Null", "NULL") else str(node.value)
        if id(node) in self._open or len(self._open) > MOST_DEPTH or self._nodes > MOST_NODES:
            if self._nodes <= MOST_NODES or not self._too_large:
                self._mistake(node, path, "refers to itself, is nested too deeply or is too large")
            self._too_large = self._nodes > MOST_NODES
            return None
        self._open.append(id(node))
        try:
            if isinstance(node, yaml.SequenceNode):
                return [self.data(item, (*path, place)) for place, item in enumerate(node.value)]
            return self._mapping(node, path)
        finally:
            self._open.pop()

    def _mapping(self, node: Any, path: Path) -> dict[str, object]:
        import yaml

        result: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self._mistake(key, path, "a field name must be a text")
                continue
            name = str(key.value)
            if name in result:
                self._mistake(key, (*path, name), "stands here twice; keep one" + _NEW_ITEM.get(path[:1], ""))
            self.lines[(*path, name)] = key.start_mark.line + 1
            result[name] = self.data(value, (*path, name))
        return result

    def _mistake(self, node: Any, path: Path, message: str) -> None:
        self.mistakes.append(PolicySource(self.file, {path: node.start_mark.line + 1}).problem(path, message))


def _read_toml(text: str, file: str) -> Read:
    import tomllib

    from discreet.policy.toml_lines import toml_lines

    if deep := _DEEP_KEY.search(text):
        raise _too_deep(file, text.count("\n", 0, deep.start()) + 1)
    try:
        data = tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError([Problem("", f"is not valid TOML: {error}", file)]) from None
    except RecursionError:
        raise _too_deep(file) from None
    except ValueError:  # of Python's, for a number of thousands of digits
        raise PolicyError(
            [Problem("", "has a number or a date that is out of reach; write a smaller one", file)]
        ) from None
    return data, toml_lines(text), []
