"""A taxonomy in the making: paths from values to a root, and all that keeps them from being one tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, pairwise

from discreet.columns.taxonomy_nodes import TaxonomyNode, grown
from discreet.errors import InputError

MOST_LEAVES = 1_000_000
MOST_LEVELS = 50
MOST_SHOWN = 10
"""Problems of one kind that are listed; the rest are counted."""
_MOST_CIRCLES = 20
"""Circles that are looked for: there can be more of them than labels, each as long as the file."""
_EXAMPLE = "State-gov;Government;*"


class TaxonomyProblems:
    """What is wrong with a taxonomy: of each kind the first few, and how many more."""

    def __init__(self) -> None:
        self._shown: dict[str, list[tuple[int | None, str]]] = {}
        self._count: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._count)

    def add(self, kind: str, line: int | None, message: str) -> None:
        """Note a problem of some kind, with the line that it is in."""
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


class TaxonomyDraft:
    """A taxonomy in the making: who is under whom, and the line (None in plain data) that said so first."""

    def __init__(self) -> None:
        self.problems = TaxonomyProblems()
        self.values: dict[str, int | None] = {}
        self._groups: dict[str, int | None] = {}
        self._roots: dict[str, int | None] = {}
        self._alone: dict[str, int | None] = {}
        self._parent_of: dict[str, tuple[str, int | None]] = {}
        self._more_parents: dict[str, dict[str, int | None]] = {}
        self._known: set[tuple[str, ...]] = set()

    @property
    def is_too_large(self) -> bool:
        """Whether it has more values than can be."""
        return len(self.values) > MOST_LEAVES

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
            message = f"{quoted(label)} has no group above it; write the groups too, up to the root"
            self.problems.add("lines with only one label", line, message)
        if self.is_too_large:
            self.problems.add("", None, f"is too large: it has more than {MOST_LEAVES:,} values")
        if len(self._roots) > 1:
            roots = listed([quoted(label) + _at(line) for label, line in self._roots.items()])
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
                message = f"{quoted(label)} has no values under it; write them as [one, two]"
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
            told = [f"{quoted(a)} is under {quoted(b)}{_at(line)}" for (a, b), line in zip(ways, lines, strict=True)]
            fix = "no group can be below itself, so take one of these steps out"
            last = max((line for line in lines if line is not None), default=None)
            self.problems.add(kind, last, f"goes round in a circle: {listed(told)}; {fix}")
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
                under = f"is under {quoted(first)}{_at(first_line)} and under {quoted(parent)}{_at(line)}"
                if is_value:
                    fix = "keep one of the two" + ("" if line is None else " lines")
                    self.problems.add("values in two places", line, f"the value {quoted(label)} {under}; {fix}")
                else:
                    fix = "put it under the same label everywhere, or give it two names"
                    self.problems.add("groups in two places", line, f"the group {quoted(label)} {under}; {fix}")

    def _check_values(self, told: set[str]) -> None:
        """Report values that are groups too, except where a circle already told so."""
        for label, line in self.values.items():
            if label not in self._groups or label in told:
                continue
            other = self._groups[label]
            last = None if line is None or other is None else max(line, other)
            both = f"{quoted(label)} is a value{_at(line)} and a group{_at(other)}"
            self.problems.add("labels that are both a value and a group", last, f"{both}; give the group another name")

    def tree_or(
        self, error: type[ValueError] | type[InputError], file: str | None = None
    ) -> tuple[tuple[str, ...], tuple[TaxonomyNode, ...]]:
        """Return the leaves and the nodes of the taxonomy; or raise an error with all problems."""
        self._check()
        if self.problems:
            raise error(self.problems.text(file))
        children: dict[str, list[str]] = {}
        for label, (parent, _) in self._parent_of.items():
            children.setdefault(parent, []).append(label)
        return grown(next(iter(self._roots)), children)


def _empty_label(row: Sequence[str]) -> str:
    if not any(row):
        return "has no labels; write the value and the groups above it, or leave the line out"
    if not row[-1]:
        return "ends with an empty cell; end the line with its most general label, without a separator after it"
    return f"the label in column {row.index('') + 1} is empty; write a label, or leave the cell out"


def quoted(label: str) -> str:
    """Return a label as messages show it: in quotes, a long one cut off."""
    return repr(label if len(label) <= 60 else label[:57] + "...")


def _at(line: int | None) -> str:
    return "" if line is None else f" (line {line})"


def listed(texts: Sequence[str]) -> str:
    """Return the first few of some texts, and how many more there are."""
    more = len(texts) - MOST_SHOWN
    return ", ".join(texts[:MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
