"""The changeable columns of a job: how the values of each may be released, and how its recodings are named.

Between the table's words (texts, taxonomy labels, intervals) and the method's (codes, nodes, slots): a
`Changeable` gives the method a `Space` and turns what it found back into recodings, steps and reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.columns.intervals import (
    Interval,
    Values,
    allowed_cuts,
    between_all_ends,
    between_ends,
    closed,
    cut_values,
    intervals,
)
from discreet.columns.scale import share_of_range
from discreet.columns.sets import set_text
from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Combinations, Ints
from discreet.errors import Problem
from discreet.fit.values import name_empty
from discreet.method.base.space import Flags, Node, Space
from discreet.method.local.shapes import MOST_IN_A_SET
from discreet.plan.local_groups import Label
from discreet.plan.parts import Recoding
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.policy.columns import Column, reads_like_a_set
from discreet.policy.matrices import Matrix
from discreet.table.engine import Engine

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts

Domain = tuple[str | None, ...]


class Changeable(Protocol):
    """One column that may be changed."""

    @property
    def name(self) -> str:
        """The column."""
        ...

    @property
    def domain(self) -> Domain:
        """The values of the table."""
        ...

    @property
    def space(self) -> Space:
        """What a method may disclose of it."""
        ...

    @property
    def codes(self) -> Ints:
        """The code in the space of each value of the table, in the order of the table's domain."""
        ...

    @property
    def pinned(self) -> Flags:
        """Which codes already are the marker."""
        ...

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:
        """Return what a disclosure opens, and its kind: disclose, specialise or split."""
        ...

    def cut(self, slot: int) -> str | None:
        """Return where a disclosure cuts an interval; None when it does something else."""
        ...

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:
        """Return the recoding that was found; no row with a code in the parts that begin at `empty` is kept."""
        ...

    def losses(self, recoding: Recoding) -> list[float]:
        """Return what a cell with each value of the table loses, from 0 to 1."""
        ...

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield first code and name of each part that is not told in full."""
        ...

    @property
    def values_of_codes(self) -> Domain:
        """The value of each code, written in one way."""
        ...

    def label(self, first: int, stop: int) -> Label:
        """Return the label of a group of rows with codes from `first` up to `stop`, a node or interval of them."""
        ...

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the label of a group of rows with these codes (ascending), where labels may be sets."""
        ...


@dataclass(frozen=True)
class PlainColumn:
    """Single values are shown or hidden."""

    name: str
    domain: Domain
    marker: str

    @property
    def space(self) -> Space:
        """One code per value."""
        return Space(len(self.domain))

    @property
    def codes(self) -> Ints:
        """The table's own."""
        return np.arange(len(self.domain))

    @property
    def pinned(self) -> Flags:
        """The value that is the marker, if there is one."""
        return np.array([value == self.marker for value in self.domain], dtype=np.bool_)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:  # noqa: ARG002
        """Return the value."""
        return self.domain[slot], "disclose"

    def cut(self, slot: int) -> None:
        """Nothing is cut."""

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:  # noqa: ARG002
        """Return shown values as themselves, hidden ones as the marker."""
        pairs = zip(self.domain, found, strict=True)
        return Recoding(self.name, tuple((value, value if shown else self.marker) for value, shown in pairs))

    def losses(self, recoding: Recoding) -> list[float]:
        """Return (m - 1)/(D - 1) where m of the D values are hidden."""
        to = dict(recoding.to)
        hidden = sum(text == self.marker for text in to.values())
        lost = (hidden - 1) / (len(to) - 1) if len(to) > 1 else 0.0
        return [lost if to[value] == self.marker else 0.0 for value in self.domain]

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the hidden values."""
        for code, (value, shown) in enumerate(zip(self.domain, found, strict=True)):
            if not shown:
                yield code, value

    @property
    def values_of_codes(self) -> Domain:
        """The table's own."""
        return self.domain

    def label(self, first: int, stop: int) -> Label:
        """Return the value, or the marker for several."""
        if stop - first == 1:
            return Label(self.domain[first], first, stop)
        return Label(self.marker, 0, len(self.domain))

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the set, or the marker where it has all values."""
        if len(codes) in (1, len(self.domain)):
            return self.label(codes[0], codes[-1] + 1)
        text = set_text([self.domain[code] for code in codes])
        return Label(text, codes[0], codes[-1] + 1, tuple(codes))


@dataclass(frozen=True)
class TreeColumn:
    """Values are released as nodes of a taxonomy; missing values that it does not know stand beside its branches."""

    name: str
    taxonomy: Taxonomy
    domain: Domain
    missing: Domain
    apart: Matrix | None = None
    """How bad it is not to tell a value from another; equally bad for all when absent."""
    rows: tuple[int, ...] = ()
    """Rows with each value of the domain; needed with `apart`."""

    @cached_property
    def space(self) -> Space:
        """The missing values first, then the leaves."""
        space = self._tree
        if self.apart is None:
            return space
        shares = tuple(self._shares(node) for node in space.nodes)
        rows = [0] * space.size
        for code, n in zip(self.codes.tolist(), self.rows, strict=True):
            rows[code] += n
        nodes = tuple(
            replace(node, share=_mean(shares[place][node.first : node.stop], rows[node.first : node.stop]))
            for place, node in enumerate(space.nodes)
        )
        return replace(space, nodes=nodes, shares=shares)

    def _shares(self, node: Node) -> tuple[Fraction, ...]:
        """Return what each code loses when only a node above it is known; 0 for codes that are not under it."""
        inside = set(range(node.first, node.stop))
        return tuple(self._lost(code, inside) if code in inside else Fraction(0) for code in range(len(self._values)))

    def _lost(self, code: int, together: Collection[int]) -> Fraction:
        """Return what a value loses when it cannot be told from some others, beside what it can lose at all."""
        apart = self._apart[code]
        most = sum(apart, Fraction(0))
        return sum((apart[other] for other in together), Fraction(0)) / most if most else Fraction(0)

    @cached_property
    def _apart(self) -> list[list[Fraction]]:
        assert self.apart is not None
        return [[self.apart.cost(one, other) for other in self._values] for one in self._values]

    @cached_property
    def _values(self) -> Domain:
        return (*self.missing, *self.taxonomy.leaves)

    @property
    def _tree(self) -> Space:
        extra = len(self.missing)
        size = extra + len(self.taxonomy.leaves)
        most = max(size - 1, 1)
        nodes = [
            Node(
                node.first + extra,
                node.stop + extra,
                node.children,
                Fraction(node.stop - node.first - 1, most),
            )
            for node in self.taxonomy.nodes
        ]
        if extra:
            ours = range(len(nodes), len(nodes) + extra)
            above = nodes[0].children or (len(nodes) + extra,)
            nodes += [Node(code, code + 1) for code in range(extra)]
            if not nodes[0].children:  # a taxonomy of one value is that value beside the missing ones
                nodes.append(Node(extra, size))
            nodes[0] = Node(0, size, (*ours, *above), Fraction(size - 1, most))
        return Space(size, tuple(nodes), np.zeros(size, dtype=np.bool_))

    @cached_property
    def codes(self) -> Ints:
        """The places of the table's values among the missing values and leaves."""
        places = {value: place for place, value in enumerate(self._values)}
        return np.array([places[value] for value in self.domain], dtype=np.int64)

    @property
    def pinned(self) -> Flags:
        """None."""
        return np.zeros(len(self.missing) + len(self.taxonomy.leaves), dtype=np.bool_)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:  # noqa: ARG002
        """Return the label of the node."""
        return self._label(slot, first), "specialise"

    def cut(self, slot: int) -> None:
        """Nothing is cut."""

    def losses(self, recoding: Recoding) -> list[float]:
        """Return (m - 1)/(D - 1) where m of the D leaves have the same text."""
        to = dict(recoding.to)
        if self.apart is not None:
            alike: dict[str | None, list[int]] = {}
            for code, value in enumerate(self._values):
                alike.setdefault(to[value], []).append(code)
            return [
                float(self._lost(code, alike[to[value]]))
                for code, value in zip(self.codes.tolist(), self.domain, strict=True)
            ]
        together = Counter(to.values())
        return [(together[to[value]] - 1) / max(len(to) - 1, 1) for value in self.domain]

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:  # noqa: ARG002
        """Return the label of the node for each value, those included that do not occur."""
        to = [
            (self._values[code], self._label(node, first))
            for first, stop, node in _parts(found)
            for code in range(first, stop)
        ]
        return Recoding(self.name, tuple(to))

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the nodes that are not single values."""
        for first, stop, node in _parts(found):
            if stop - first > 1:
                yield first, self._label(node, first)

    @property
    def values_of_codes(self) -> Domain:
        """The missing values and leaves."""
        return self._values

    def label(self, first: int, stop: int) -> Label:
        """Return the label of the node."""
        return Label(self._label(self.space.node_at[first, stop], first), first, stop)

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the set, or the node where there is one with just these values."""
        first, stop = codes[0], codes[-1] + 1
        if stop - first == len(codes) and (first, stop) in self.space.node_at:
            return self.label(first, stop)
        return Label(set_text([self._values[code] for code in codes]), first, stop, tuple(codes))

    def _label(self, node: int, first: int) -> str | None:
        if node == 0 and self.missing:
            return self.taxonomy.nodes[0].labels[-1]
        if first < len(self.missing):
            return self.missing[first]
        return self.taxonomy.leaves[-1] if node >= len(self.taxonomy.nodes) else self.taxonomy.nodes[node].label


@dataclass(frozen=True)
class NumberColumn:
    """Numbers or dates are released as intervals; missing values stand beside them."""

    name: str
    column: Column
    values: Values
    domain: Domain
    missing: Domain
    marker: str

    @cached_property
    def space(self) -> Space:
        """The missing values first, then the numbers in ascending order."""
        numbers, extra = self.values.numbers, len(self.missing)
        size = extra + len(numbers)
        lowest, highest = numbers[0], numbers[-1]
        places = (Fraction(0),) * extra + tuple(share_of_range(number, lowest, highest) for number in numbers)
        cuts = np.zeros(size, dtype=np.bool_)
        cuts[extra:] = allowed_cuts(self.values, self.column)
        cuts[extra] = False
        whole = Node(extra, size, share=Fraction(int(lowest != highest)), interval=True)
        if not extra:
            return Space(size, (whole,), cuts, places)
        leaves = [Node(code, code + 1) for code in range(extra)]
        root = Node(0, size, tuple(range(1, extra + 2)), Fraction(1))
        return Space(size, (root, *leaves, whole), cuts, places)

    @cached_property
    def codes(self) -> Ints:
        """The places of the table's values among the missing values and numbers."""
        places: dict[str | Decimal | None, int] = {value: place for place, value in enumerate(self.missing)}
        places |= {number: place for place, number in enumerate(self.values.numbers, start=len(self.missing))}
        scale = self.column.scale
        assert scale is not None
        return np.array(
            [places[value if value in places else scale.read(value)] for value in self.domain], dtype=np.int64
        )

    @property
    def pinned(self) -> Flags:
        """None."""
        return np.zeros(len(self.missing) + len(self.values.numbers), dtype=np.bool_)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:
        """Return the interval."""
        return (self.marker, "specialise") if slot < self._nodes else (self._interval(first, stop), "split")

    def cut(self, slot: int) -> str | None:
        """Return the number in front of which an interval is cut."""
        if slot < self._nodes:
            return None
        (cut,) = cut_values(self.values, self.column, [slot - self._nodes - len(self.missing)])
        return self._write(cut)

    @property
    def _nodes(self) -> int:
        """How many nodes the space has."""
        return len(self.missing) + 2 if self.missing else 1

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:
        """Return the intervals, and what becomes of missing values.

        Outermost intervals without a kept row are hidden, so that their neighbours do not tell where they begin.
        """
        extra = len(self.missing)
        parts = _parts(found)
        if extra and len(parts) == 1:
            to: tuple[tuple[str | None, str | None], ...] = tuple((value, self.marker) for value in self.missing)
            return Recoding(self.name, to, (Interval(None, None, self.marker),))
        numbers = [(first - extra, stop - extra) for first, stop, _ in parts if first >= extra]
        gone = [first + extra in empty for first, _ in numbers]
        if all(gone):
            gone = [False] * len(gone)
        low = gone.index(False)
        high = len(gone) - gone[::-1].index(False)
        to = tuple((value, value) for value in self.missing)
        return Recoding(self.name, to, tuple(self._intervals(numbers[low:high])))

    def binned(self) -> Recoding:
        """Return the recoding by all intervals between the owner's ends."""
        to = tuple((value, value) for value in self.missing)
        return Recoding(self.name, to, tuple(between_all_ends(self.values, self.column, self.marker)))

    def _intervals(self, numbers: Sequence[tuple[int, int]]) -> list[Interval]:
        """Return the intervals of these ranges, and hidden ones for what lies outside."""
        first, stop = numbers[0][0], numbers[-1][1]
        inside = Values(
            self.values.numbers[first:stop], self.values.rows[first:stop], self.values.spellings[first:stop]
        )
        made = intervals(inside, self.column, [begin - first for begin, _ in numbers[1:]], self.marker)
        if made[0].text == self.marker and stop - first < len(self.values.numbers):
            made = [self._alone(first, stop)]
        if first > 0:
            (begin,) = cut_values(self.values, self.column, [first])
            made = [Interval(None, begin, self.marker), replace(made[0], start=begin), *made[1:]]
        if stop < len(self.values.numbers):
            (end,) = cut_values(self.values, self.column, [stop])
            made = [*made[:-1], replace(made[-1], stop=end), Interval(end, None, self.marker)]
        return made

    def _alone(self, first: int, stop: int) -> Interval:
        """Return the only interval that is told, with a text of its own: the marker stands for those that are hidden.

        Without `ends` it is told by one value of its own rows; those of the others are not told.
        """
        if self.column.ends is not None or self.column.released_form != "interval":
            return between_ends(self.values, self.column, first, stop, self.marker)
        low, high = self.values.numbers[first], self.values.numbers[stop - 1]
        if first > 0:
            return Interval(None, None, f">={self._write(low)}")
        return Interval(None, None, f"<={self._write(high)}", high=high)

    def losses(self, recoding: Recoding) -> list[float]:
        """Return the share of the range between the smallest and largest value with the same text."""
        scale = self.column.scale
        assert scale is not None
        texts = recoding.texts(self.domain, scale)
        numbers = [None if value in self.missing else scale.read(value) for value in self.domain]
        reach: dict[object, tuple[Decimal, Decimal]] = {}
        for text, number in zip(texts, numbers, strict=True):
            if number is not None:
                low, high = reach.get(text, (number, number))
                reach[text] = (min(low, number), max(high, number))
        lowest, highest = self.values.numbers[0], self.values.numbers[-1]
        width = {
            text: float(share_of_range(high, lowest, highest) - share_of_range(low, lowest, highest))
            for text, (low, high) in reach.items()
        }
        # The marker for missing values too hides more than the numbers have to tell.
        width[self.marker] = float(lowest != highest or any(text == self.marker for _, text in recoding.to))
        return [
            (0.0 if text == value != self.marker else 1.0) if number is None else width[text]
            for value, text, number in zip(self.domain, texts, numbers, strict=True)
        ]

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the intervals with more than one number, and the root above missing values."""
        for first, stop, _ in _parts(found):
            if stop - first > 1:
                yield first, self.marker if first < len(self.missing) else self._interval(first, stop)

    @property
    def values_of_codes(self) -> Domain:
        """The missing values and the numbers, each as it stands somewhere in the table."""
        spelled = dict(zip(self.codes.tolist(), self.domain, strict=True))
        return tuple(spelled[code] for code in range(len(spelled)))

    def label(self, first: int, stop: int) -> Label:
        """Return a missing value, the marker for all, or the interval."""
        extra = len(self.missing)
        if first < extra:
            text = self.missing[first] if stop - first == 1 else self.marker
            return Label(text, first, stop)
        write = closed if self.column.ends is None else between_ends
        interval = write(self.values, self.column, first - extra, stop - extra, self.marker)
        return Label(interval.text, first, stop, interval=interval)

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the interval: numbers have no sets."""
        return self.label(codes[0], codes[-1] + 1)

    def _interval(self, first: int, stop: int) -> str:
        """Return an interval for the eyes of the owner: as far as the values reach, the last closed."""
        extra, scale = len(self.missing), self.column.scale
        low, high = self.values.numbers[0], self.values.numbers[-1]
        link = ", " if scale is None else scale.link
        if first > extra:
            (low,) = cut_values(self.values, self.column, [first - extra])
        if stop < extra + len(self.values.numbers):
            (high,) = cut_values(self.values, self.column, [stop - extra])
            return f"[{self._write(low)}{link}{self._write(high)})"
        return f"[{self._write(low)}{link}{self._write(high)}]"

    def _write(self, value: Decimal) -> str:
        scale = self.column.scale
        assert scale is not None
        return scale.write(value)


def _mean(shares: Sequence[Fraction], rows: Sequence[int]) -> Fraction:
    """Return the mean share by rows; the plain mean where there are none."""
    weights = rows if any(rows) else [1] * len(rows)
    return sum((share * n for share, n in zip(shares, weights, strict=True)), Fraction(0)) / max(sum(weights), 1)


def _parts(found: Flags | Parts) -> Parts:
    assert isinstance(found, list)
    return found


def changeable_columns(bound: Bound, counted: Combinations) -> tuple[list[Changeable], list[Problem]]:
    """Return the changeable columns of a job, and where their values do not fit what the policy says of them."""
    columns: list[Changeable] = []
    problems: list[Problem] = []
    for name in bound.changeable:
        said = bound.policy.column(name)
        domain = counted.domain(name)
        column: Changeable | None
        if said.taxonomy is not None:
            column, problem = _tree_column(bound, name, said, counted)
        elif said.scale is not None:
            column, problem = _number_column(bound, name, said, counted)
        else:
            column, problem = PlainColumn(name, domain, bound.policy.marker), None
        problem = problem or _set_problem(bound, name, said, domain)
        columns += [column] if column is not None else []
        problems += [problem] if problem is not None else []
    return columns, problems


def binned_columns(bound: Bound, source: Engine) -> tuple[list[NumberColumn], list[Problem]]:
    """Return the columns that are released by fixed intervals, and where their values do not fit what is said."""
    columns: list[NumberColumn] = []
    problems: list[Problem] = []
    for name in bound.binned:
        column, problem = _number_column(bound, name, bound.policy.column(name), source.count([name]))
        columns += [column] if column is not None else []
        problems += [problem] if problem is not None else []
    return columns, problems


def _set_problem(bound: Bound, name: str, said: Column, domain: Domain) -> Problem | None:
    """Return what keeps the labels of a column from being sets."""
    if said.form != "set":
        return None
    path = ("columns", name, "form")
    if len(domain) > MOST_IN_A_SET:
        message = f"the column has {len(domain)} different values, and sets are for at most {MOST_IN_A_SET}; drop it"
        return bound.policy.problem(path, message)
    if any(map(reads_like_a_set, domain)):
        return bound.policy.problem(path, "a value of the column reads like a set, {...}; drop the form")
    return None


def _tree_column(
    bound: Bound, name: str, said: Column, counted: Combinations
) -> tuple[Changeable | None, Problem | None]:
    taxonomy, domain = said.taxonomy, counted.domain(name)
    assert taxonomy is not None
    leaves = set(taxonomy.leaves)
    absent = [value for value in domain if value not in leaves]
    missing = tuple(value for value in absent if _is_missing(bound, value))
    lacking = len(absent) - len(missing)
    if lacking:
        blank = " (one of them: empty)" if None in absent and None not in missing else ""
        message = (
            f"the taxonomy lacks {lacking} value{'s' if lacking > 1 else ''} of the column{blank}; "
            "add them (`discreet taxonomy TABLE COLUMN --check FILE --show-values` lists them), "
            "or name under 'missing' those that stand for a missing value"
        )
        return None, bound.policy.problem(("columns", name, "taxonomy"), message)
    if said.losses is None:
        return TreeColumn(name, taxonomy, domain, missing), None
    return TreeColumn(name, taxonomy, domain, missing, said.losses, tuple(counted.rows(name).tolist())), None


def _number_column(
    bound: Bound, name: str, said: Column, counted: Combinations
) -> tuple[NumberColumn | None, Problem | None]:
    scale = said.scale
    assert scale is not None
    domain = counted.domain(name)
    missing = tuple(value for value in domain if _is_missing(bound, value))
    rows = counted.rows(name)
    found: dict[Decimal, tuple[str, int]] = {}
    bad = empty = 0
    for value, count in zip(domain, rows.tolist(), strict=True):
        if value in missing:
            continue
        number = scale.read(value)
        if value is None or not value.strip():
            empty += count
        elif number is None:
            bad += 1
        else:
            _, before = found.get(number, ("", 0))
            spelling = value if number not in found and scale.is_plain(value) else ""
            found[number] = (spelling, before + count)
    path = ("columns", name, "type")
    if bad or empty:
        return None, bound.policy.problem(path, _unfit(bound.policy, said, bad, len(domain), empty))
    if not found:
        return None, bound.policy.problem(path, f"the column has no {said.type} at all; leave the type out")
    numbers = sorted(found)
    values = Values(
        tuple(numbers), tuple(found[number][1] for number in numbers), tuple(found[number][0] for number in numbers)
    )
    return NumberColumn(name, said, values, domain, missing, bound.policy.marker), None


def _unfit(policy: Policy, said: Column, bad: int, values: int, empty: int) -> str:
    """Say that some of the different values of a column are no numbers or dates, or that cells are empty."""
    if not bad:
        return f"{empty_cells(empty)} in the column; {name_empty(policy)}"
    form = ", such as 2024-01-31" if said.type == "date" else ""
    form = form if said.date_format is None else f" as {said.date_format} says"
    besides, by = (f", and {empty_cells(empty)}", ' (empty ones by "")') if empty else ("", "")
    return (
        f"{bad} of the {values} different values of the column {'is' if bad == 1 else 'are'} no {said.type}{form}"
        f"{besides}; name those that stand for a missing value under 'missing'{by}, or leave the type out"
    )


def empty_cells(number: int) -> str:
    """Say that so many cells are empty.

    >>> empty_cells(1), empty_cells(3)
    ('1 cell is empty', '3 cells are empty')
    """
    return "1 cell is empty" if number == 1 else f"{number} cells are empty"


def _is_missing(bound: Bound, value: str | None) -> bool:
    missing = bound.policy.missing
    return missing is not None and missing.has(value)


def ends_warnings(columns: Sequence[Changeable]) -> list[str]:
    """Return a warning for each column of numbers or dates that cannot be cut at any of the ends it was given."""
    return [
        f"no end of {column.name!r} lies between its smallest and largest value: nothing of it can be told apart"
        for column in columns
        if isinstance(column, NumberColumn)
        and column.column.ends is not None
        and len(column.values.numbers) > 1
        and not column.space.cuts.any()
    ]
