"""Value trees: for a column of categories, which groups its values belong to, up to one label for all of them.

A `Taxonomy` is read from a file (`read_taxonomy`) or made from plain data, and never changes. A group with only one
group or value in it covers nothing more than that one, so the two are one node here; no label is forgotten.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice, pairwise
from pathlib import Path

from discreet.common.text_file import read_text
from discreet.common.values import as_text
from discreet.errors import InputError

MOST_LEAVES = 1_000_000
MOST_LEVELS = 50
MOST_LABELS = 2 * MOST_LEAVES
"""Labels of an inline tree that are read; aliases of aliases could make any number of a small YAML file."""
MOST_SHOWN = 10
"""Problems of one kind that are listed; the rest are counted."""
SEPARATORS = (";", ",", "\t", "|")
_SAMPLE = 200
_MOST_CIRCLES = 20
"""Circles that are looked for: there can be more of them than labels, each as long as the file."""
_EXAMPLE = "State-gov;Government;*"


@dataclass(frozen=True, slots=True)
class Node:
    """A value or a group of values: `leaves[first:stop]` of its taxonomy.

    Parameters
    ----------
    label
        The text that stands for its values in a release.
    first, stop
        The range of its leaves.
    children
        Positions in `Taxonomy.nodes`; none for a leaf, otherwise at least two.
    parent
        Position in `Taxonomy.nodes`; None for the root.
    dropped
        Labels that cover the same leaves and are not used, from the lowest up. They stand above the label;
        for a root with children, whose own label is the one kept, below it.
    """

    label: str
    first: int
    stop: int
    children: tuple[int, ...]
    parent: int | None
    dropped: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels for these leaves, kept or dropped, from the lowest up."""
        if self.parent is None and self.children:
            return (*self.dropped, self.label)
        return (self.label, *self.dropped)


@dataclass(frozen=True, repr=False)
class Taxonomy:
    """A value tree; make it with `from_tree`, `from_paths` or `read_taxonomy`, which check it.

    Parameters
    ----------
    leaves
        The values, in the order of the tree.
    nodes
        Groups and leaves in preorder; `nodes[0]` is the root.

    Examples
    --------
    >>> taxonomy = Taxonomy.from_tree({"*": {"Government": ["State-gov", "Local-gov"], "Private": None}})
    >>> taxonomy
    Taxonomy(3 values in 1 group under '*')
    >>> taxonomy.leaves
    ('State-gov', 'Local-gov', 'Private')
    >>> [(node.label, node.first, node.stop) for node in taxonomy.nodes]
    [('*', 0, 3), ('Government', 0, 2), ('State-gov', 0, 1), ('Local-gov', 1, 2), ('Private', 2, 3)]
    """

    leaves: tuple[str, ...]
    nodes: tuple[Node, ...]

    @classmethod
    def from_tree(cls, tree: object) -> Taxonomy:
        """Return the taxonomy written as nested plain data, as in a policy.

        Parameters
        ----------
        tree
            A mapping with one label, the root. Under a label stands a list (of values, or of mappings with more
            labels), a mapping, or nothing (None or "") if the label is a value of the table.

        Raises
        ------
        ValueError
            With all problems, one on each line.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": [{"North": ["Oslo", "Turku"]}, "Rome"]}).leaves
        ('Oslo', 'Turku', 'Rome')
        >>> Taxonomy.from_tree({"*": {"North": ["Oslo"], "South": ["Oslo", "Rome"]}})
        Traceback (most recent call last):
        ValueError: the value 'Oslo' is under 'North' and under 'South'; keep one of the two
        """
        draft = _Draft()
        if not isinstance(tree, Mapping) or not tree:
            given = type(tree).__name__ if tree is not None and not isinstance(tree, Mapping) else "nothing"
            raise ValueError(
                f'write one label for all values and the rest under it, as in {{"*": ...}}; given: {given}'
            )
        if len(tree) > 1:
            roots = _listed([_quoted(str(label)) for label in tree])
            raise ValueError(f"has {len(tree)} roots: {roots}; put them under one most general label, such as *")
        _Walk(draft).below((), tree)
        return draft.taxonomy_or(ValueError)

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[object]]) -> Taxonomy:
        """Return the taxonomy of paths from a value to the root, as on the lines of a file for `read_taxonomy`.

        Parameters
        ----------
        paths
            For each value a list: the value, the group it belongs to, the group of that one, ..., the root. They
            may differ in length; equal neighbours are one node; equal paths count once.

        Raises
        ------
        ValueError
            With all problems, one on each line; `line 1` is the first path.

        Examples
        --------
        >>> taxonomy = Taxonomy.from_paths([["Oslo", "North", "*"], ["Rome", "*"], ["Turku", "North", "*"]])
        >>> taxonomy.leaves
        ('Oslo', 'Turku', 'Rome')
        """
        draft = _Draft()
        for line, path in enumerate(paths, start=1):
            if isinstance(path, str) or not isinstance(path, Sequence):
                draft.problems.add("lines that are not lists", line, "write a list, from the value up to the root")
                continue
            labels = [_as_label(label) for label in path]
            if None in labels:
                draft.problems.add("labels that are not texts", line, "write the labels as texts")
            else:
                draft.add([label for label in labels if label is not None], line)
        return draft.taxonomy_or(ValueError)

    def to_tree(self) -> dict[str, object]:
        """Return the taxonomy as nested plain data, dropped labels and all: `from_tree` gives an equal one back.

        Examples
        --------
        >>> Taxonomy.from_paths([["Oslo", "North", "*"], ["Rome", "*"], ["Turku", "North", "*"]]).to_tree()
        {'*': {'North': ['Oslo', 'Turku'], 'Rome': None}}
        """
        return dict([self._written(0)])

    def _written(self, position: int) -> tuple[str, object]:
        """The uppermost label of a node and what stands under it."""
        node = self.nodes[position]
        below: object = None
        if node.children:
            pairs = [self._written(child) for child in node.children]
            all_leaves = all(inner is None for _, inner in pairs)
            below = [label for label, _ in pairs] if all_leaves else dict(pairs)
        for label in node.labels[:-1]:
            below = [label] if below is None else {label: below}
        return node.labels[-1], below

    def ancestors(self, value: str) -> tuple[str, ...]:
        """Return the labels from a value itself up to the root, dropped ones too; none if it is not a leaf.

        Examples
        --------
        >>> taxonomy = Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "South": ["Rome"]}})
        >>> taxonomy.ancestors("Oslo"), taxonomy.ancestors("Rome"), taxonomy.ancestors("North")
        (('Oslo', 'North', '*'), ('Rome', 'South', '*'), ())
        """
        labels: tuple[str, ...] = ()
        position = self._position_of.get(value)
        while position is not None:
            node = self.nodes[position]
            labels += node.labels
            position = node.parent
        return labels

    def to_paths(self) -> list[tuple[str, ...]]:
        """Return a path from each value to the root, dropped labels and all: `from_paths` gives an equal one back.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "Rome": None}}).to_paths()
        [('Oslo', 'North', '*'), ('Turku', 'North', '*'), ('Rome', '*')]
        """
        return [self.ancestors(value) for value in self.leaves]

    def to_csv(self) -> str:
        """Return the taxonomy as the text of a file for `read_taxonomy`, which gives an equal one back.

        Raises
        ------
        ValueError
            When some label cannot stand in such a file: it is extremely long, or has a NUL character in it.

        Examples
        --------
        >>> print(Taxonomy.from_tree({"*": {"North": ["Oslo", "Turku"], "Rome": None}}).to_csv(), end="")
        Oslo;North;*
        Turku;North;*
        Rome;*
        """
        paths = self.to_paths()
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):  # with all labels in quotes no other separator makes sense
            file = io.StringIO(newline="")
            csv.writer(file, delimiter=SEPARATORS[0], quoting=quoting, lineterminator="\n").writerows(paths)
            text = file.getvalue()
            if _reads_back(text, paths):
                return text
        raise ValueError("a label is too long for a file, or has a NUL character in it; change it in the table first")

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the taxonomy to a file for `read_taxonomy`, readable by its owner only, whole or not at all.

        Parameters
        ----------
        path
            The file; in a policy it is `taxonomy: FILE`.
        force
            Replace a file that exists.

        Raises
        ------
        InputError
            When the file exists or cannot be written.
        """
        from discreet.common.staging import Staging  # policies use taxonomies, and files have policies

        path = Path(path)
        try:
            text = self.to_csv()
        except ValueError as error:
            raise InputError(f"{path}: cannot be written: {error}") from None
        with Staging(force=force) as staging:
            with staging.open(path, private=True) as file:
                file.write(text.encode())
            staging.commit(last=path)

    def missing_from(self, values: Iterable[str]) -> list[str]:
        """Return those of some values that are not leaves, each once, in their order.

        Examples
        --------
        >>> Taxonomy.from_tree({"*": ["Oslo", "Rome"]}).missing_from(["Rome", "rome", "*", "rome"])
        ['rome', '*']
        """
        return [value for value in dict.fromkeys(values) if value not in self._position_of]

    @cached_property
    def _position_of(self) -> dict[str, int]:
        """Where the leaves are among the nodes."""
        return {node.label: position for position, node in enumerate(self.nodes) if not node.children}

    def __str__(self) -> str:
        groups = max(len(self.nodes) - len(self.leaves) - 1, 0)
        inside = f" in {_counted(groups, 'group')}" if groups else ""
        return f"{_counted(len(self.leaves), 'value')}{inside} under {_quoted(self.nodes[0].labels[-1])}"

    def __repr__(self) -> str:
        return f"Taxonomy({self})"


def read_taxonomy(path: str | Path) -> Taxonomy:
    """Return the taxonomy in a text file with one line for each value: the value, its group, ..., the root.

    This is the form of ARX's hierarchies: no header; separated by ; , tab or | (found out); labels may be quoted;
    lines may differ in length, but none may end with empty cells; blank lines and repeated lines do not matter.

    Parameters
    ----------
    path
        A file in UTF-8.

    Raises
    ------
    InputError
        With all problems, one on each line, with file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "city.csv")
    ...     _ = file.write_text("Oslo;North;*\\nTurku;North;*\\nRome;*\\n", encoding="utf-8")
    ...     taxonomy = read_taxonomy(file)
    >>> print(taxonomy)
    3 values in 1 group under '*'
    """
    path = Path(path)
    text = read_text(path, "taxonomy")
    draft = _Draft()
    for line, row in _rows(text, draft.problems):
        draft.add(row, line)
        if len(draft.values) > MOST_LEAVES:
            break
    return draft.taxonomy_or(InputError, str(path))


def _reads_back(text: str, paths: list[tuple[str, ...]]) -> bool:
    """Whether a text is read as the lines that it was written from."""
    if "\0" in text or text.startswith("\ufeff"):
        return False
    problems = _Problems()
    rows = [tuple(row) for _, row in _rows(text, problems)]
    return rows == paths and not problems


def _rows(text: str, problems: _Problems) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not blank, with their numbers; a label in quotes may go over several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    line = 1
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        fix = 'write a quote inside a quoted label twice: "a ""b"" c"'
        if "unexpected end" in str(error):
            problems.add("bad quotes", line, f"a quote is opened and never closed; {fix}")
        elif "field limit" in str(error):
            problems.add("bad quotes", line, f"a label is too long, or a quote is not closed; {fix}")
        else:
            problems.add("bad quotes", line, f"a label goes on after its closing quote; {fix}")


def _separator(text: str) -> str:
    """The separator that makes the best sense of the first lines.

    Lines may differ in length, so their number of fields decides little. But quotes end at a separator, lines have
    at least two labels, end with the same root and share their groups: a separator inside the values would make
    more groups, not fewer.
    """

    def sense(separator: str) -> tuple[int, ...]:
        rows, broken = [], 0
        try:
            for row in islice(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True), _SAMPLE):
                if len(row) > 1:
                    rows.append(row)  # noqa: PERF401 (those before an error count)
        except csv.Error:
            broken = 1
        same_root = max(Counter(row[-1] for row in rows).values(), default=0)
        return -broken, len(rows), same_root, -len({tuple(row[1:]) for row in rows}), sum(map(len, rows))

    return max(SEPARATORS, key=sense)


class _Problems:
    """What is wrong with a taxonomy: of each kind the first few, and how many more."""

    def __init__(self) -> None:
        self._shown: dict[str, list[tuple[int | None, str]]] = {}
        self._count: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._count)

    def add(self, kind: str, line: int | None, message: str) -> None:
        self._count[kind] += 1
        shown = self._shown.setdefault(kind, [])
        if len(shown) < MOST_SHOWN:
            shown.append((line, message))

    def text(self, file: str | None) -> str:
        """All problems, one on each line, with the places where they are."""
        found = []
        for kind, shown in self._shown.items():
            for line, message in shown:
                place = ", ".join(filter(None, [file, None if line is None else f"line {line}"]))
                found.append(f"{place}: {message}" if place else message)
            if more := self._count[kind] - len(shown):
                found.append(f"{file + ': ' if file else ''}and {more:,} more {kind}")
        return "\n".join(found)


class _Draft:
    """A taxonomy in the making: who is under whom, and the line (None in plain data) that said so first."""

    def __init__(self) -> None:
        self.problems = _Problems()
        self.values: dict[str, int | None] = {}
        self._groups: dict[str, int | None] = {}
        self._roots: dict[str, int | None] = {}
        self._alone: dict[str, int | None] = {}
        self._parent_of: dict[str, tuple[str, int | None]] = {}
        self._more_parents: dict[str, dict[str, int | None]] = {}
        self._known: set[tuple[str, ...]] = set()

    def add(self, row: Sequence[str], line: int | None) -> None:
        """Take in a path from a value to the root."""
        if "" in row or not row:
            self.problems.add("lines with empty labels", line, _empty_label(row))
            return
        path = tuple(row)
        if len(set(row)) < len(row):
            path = tuple(label for label, _ in groupby(row))
        if len(path) > MOST_LEVELS:
            self.problems.add("lines that are too deep", line, f"has {len(path)} levels; at most {MOST_LEVELS} can be")
        elif len(path) == 1:
            self._alone.setdefault(path[0], line)
        else:
            self.values.setdefault(path[0], line)
            self._put(path[0], path[1], line)
            # Most lines differ from an earlier one in the value only.
            if path[1:] not in self._known:
                self._known.add(path[1:])
                self._add_groups(path[1:], line)

    def _add_groups(self, path: Sequence[str], line: int | None) -> None:
        for label, parent in pairwise(path):
            self._put(label, parent, line)
        for label in path:
            self._groups.setdefault(label, line)
        self._roots.setdefault(path[-1], line)

    def _put(self, label: str, parent: str, line: int | None) -> None:
        first = self._parent_of.setdefault(label, (parent, line))
        if first[0] != parent:
            self._more_parents.setdefault(label, {}).setdefault(parent, line)

    def _check(self) -> None:
        """Find what keeps the paths from being one tree."""
        if not self.values:
            self._check_not_empty()
            return
        for label, line in self._alone.items():
            message = f"{_quoted(label)} has no group above it; write the groups too, up to the root"
            self.problems.add("lines with only one label", line, message)
        if len(self.values) > MOST_LEAVES:
            self.problems.add("", None, f"is too large: it has more than {MOST_LEAVES:,} values")
        if len(self._roots) > 1:
            roots = _listed([_quoted(label) + _at(line) for label, line in self._roots.items()])
            fix = "let every line end with the same most general label, such as *"
            self.problems.add("", None, f"has {len(self._roots):,} roots: {roots}; {fix}")
        # A circle always comes with two parents, two roots or a root that has a parent.
        root_has_parent = not self._roots.keys().isdisjoint(self._parent_of)
        may_have_circle = self._more_parents or len(self._roots) > 1 or root_has_parent
        steps = self._check_circles() if may_have_circle else set()
        self._check_parents(steps)
        self._check_values({label for label, _ in steps})

    def _check_not_empty(self) -> None:
        if self._alone:
            label, line = next(iter(self._alone.items()))
            if line is None:
                message = f"{_quoted(label)} has no values under it; write them as [one, two]"
            else:
                fix = f"write each value, the group it is in, and so on up to one label for all: {_EXAMPLE}"
                message = f"has only one column, no groups; {fix}"
            self.problems.add("", None, message)
        elif not self.problems:
            self.problems.add("", None, f"is empty; write one line for each value, such as {_EXAMPLE}")

    def _check_circles(self) -> set[tuple[str, str]]:
        """Report labels that are below themselves; return the steps of these circles."""
        steps = set()
        circles = list(islice(self._circles(), _MOST_CIRCLES))
        kind = "circles" if len(circles) < _MOST_CIRCLES else "circles, and perhaps others"
        for circle in circles:
            ways = list(pairwise(circle))
            steps.update(ways)
            lines = [self._parents(label)[parent] for label, parent in ways]
            told = [f"{_quoted(a)} is under {_quoted(b)}{_at(line)}" for (a, b), line in zip(ways, lines, strict=True)]
            fix = "no group can be below itself, so take one of these steps out"
            last = max((line for line in lines if line is not None), default=None)
            self.problems.add(kind, last, f"goes round in a circle: {_listed(told)}; {fix}")
        return steps

    def _circles(self) -> Iterator[list[str]]:
        """Yield ways that go up from a label to itself, at least one for each set of labels that has any."""
        done: set[str] = set()
        for start in self._parent_of:
            way = {} if start in done else {start: iter(self._parents(start))}
            while way:
                label = next(reversed(way))
                parent = next(way[label], None)
                if parent is None:
                    done.add(label)
                    del way[label]
                elif parent in way:
                    labels = list(way)
                    yield [*labels[labels.index(parent) :], parent]
                elif parent not in done:
                    way[parent] = iter(self._parents(parent))

    def _parents(self, label: str) -> dict[str, int | None]:
        if label not in self._parent_of:
            return {}
        parent, line = self._parent_of[label]
        return {parent: line} | self._more_parents.get(label, {})

    def _check_parents(self, told: set[tuple[str, str]]) -> None:
        """Report labels under two parents, except where a circle already told so."""
        for label in self._more_parents:
            is_value, is_group = label in self.values, label in self._groups
            if is_value and is_group:
                continue  # of the two that share this label each may have one parent
            parents = [(parent, line) for parent, line in self._parents(label).items() if (label, parent) not in told]
            for parent, line in parents[1:]:
                first, first_line = parents[0]
                under = f"is under {_quoted(first)}{_at(first_line)} and under {_quoted(parent)}{_at(line)}"
                if is_value:
                    fix = "keep one of the two" + ("" if line is None else " lines")
                    self.problems.add("values in two places", line, f"the value {_quoted(label)} {under}; {fix}")
                else:
                    fix = "put it under the same label everywhere, or give it two names"
                    self.problems.add("groups in two places", line, f"the group {_quoted(label)} {under}; {fix}")

    def _check_values(self, told: set[str]) -> None:
        """Report values that are groups too, except where a circle already told so."""
        for label, line in self.values.items():
            if label not in self._groups or label in told:
                continue
            other = self._groups[label]
            last = None if line is None or other is None else max(line, other)
            both = f"{_quoted(label)} is a value{_at(line)} and a group{_at(other)}"
            self.problems.add("labels that are both a value and a group", last, f"{both}; give the group another name")

    def taxonomy_or(self, error: type[ValueError] | type[InputError], file: str | None = None) -> Taxonomy:
        """The taxonomy; or an error with all problems."""
        self._check()
        if self.problems:
            raise error(self.problems.text(file))
        children: dict[str, list[str]] = {}
        for label, (parent, _) in self._parent_of.items():
            children.setdefault(parent, []).append(label)
        return _grow(next(iter(self._roots)), children)


def _grow(root: str, children: Mapping[str, Sequence[str]]) -> Taxonomy:
    """The taxonomy of a tree, with nodes of one child contracted."""
    leaves: list[str] = []
    nodes: list[Node | None] = []

    def add(label: str, parent: int | None) -> int:
        chain, below = [label], children.get(label, ())
        while len(below) == 1:
            chain.append(below[0])
            below = children.get(below[0], ())
        # The root keeps its own label, which says "anything"; the others keep the one that says most.
        keeps_upper = parent is None and bool(below)
        label, *dropped = chain if keeps_upper else reversed(chain)
        position, first = len(nodes), len(leaves)
        nodes.append(None)
        if not below:
            leaves.append(label)
        places = tuple([add(child, position) for child in below])
        lowest_first = tuple(reversed(dropped) if keeps_upper else dropped)
        nodes[position] = Node(label, first, len(leaves), places, parent, lowest_first)
        return position

    add(root, None)
    return Taxonomy(tuple(leaves), tuple(node for node in nodes if node is not None))


class _Walk:
    """Goes through nested plain data and hands each value with its groups to a draft."""

    def __init__(self, draft: _Draft) -> None:
        self._draft = draft
        self._labels = 0

    def below(self, groups: tuple[str, ...], items: Mapping[object, object] | Sequence[object]) -> None:
        """Take in what stands under a label; `groups` are that label and those above it."""
        for key, inner in self._pairs(items):
            label = _as_label(key)
            if label:
                self._take((label, *groups), inner)
            else:
                what = "an empty label" if key is None or label == "" else f"a {type(key).__name__} for a label"
                self._mistake(groups, f"has {what} under it; write texts, or mappings with what is under each label")

    def _pairs(self, items: Mapping[object, object] | Sequence[object]) -> Iterator[tuple[object, object]]:
        if isinstance(items, Mapping):
            yield from items.items()
            return
        for item in items:
            if isinstance(item, Mapping) and item:
                yield from item.items()
            else:
                yield item, None

    def _take(self, path: tuple[str, ...], inner: object) -> None:
        self._labels += 1
        # Both limits stop the walk at once: data that contain themselves have no end.
        if len(path) > MOST_LEVELS:
            raise ValueError(f"is too deep, near {_quoted(path[0])}; at most {MOST_LEVELS} levels can be")
        if self._labels > MOST_LABELS:
            raise ValueError(f"is too large: it has more than {MOST_LABELS:,} labels")
        if inner is None or (isinstance(inner, str) and not inner):
            self._draft.add(path, None)
        elif not isinstance(inner, (Mapping, list, tuple)):
            self._mistake(path, "has no list; write the values under it as [one, two], or nothing if it is a value")
        elif not inner:
            self._mistake(path, "is an empty group; write the values under it, or nothing if it is a value")
        else:
            self.below(path, inner)

    def _mistake(self, path: tuple[str, ...], message: str) -> None:
        place = f"{_quoted(path[0])} " if path else "the tree "
        self._draft.problems.add("mistakes in the tree", None, f"{place}{message}")


def _as_label(value: object) -> str | None:
    """The text of a label; None if it is nothing or has none."""
    if isinstance(value, str):
        return value
    try:
        text = as_text(value)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _empty_label(row: Sequence[str]) -> str:
    if not any(row):
        return "has no labels; write the value and the groups above it, or leave the line out"
    if not row[-1]:
        return "ends with an empty cell; end the line with its most general label, without a separator after it"
    return f"the label in column {row.index('') + 1} is empty; write a label, or leave the cell out"


def _quoted(label: str) -> str:
    return repr(label if len(label) <= 60 else label[:57] + "...")


def _at(line: int | None) -> str:
    return "" if line is None else f" (line {line})"


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_SHOWN
    return ", ".join(texts[:MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
