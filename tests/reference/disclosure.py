"""Top-down disclosure of plain, taxonomy and number columns: the slow, obviously right version.

Fast code is compared with this one. Nothing is kept from one step to the next but the parts that each column's
values have fallen into: every confidence is counted again from the released rows, as a fraction, for every
candidate of every step, and a candidate that was invalid or not beneficial before is tried again. The only
shortcuts: equal rows are one row with a count, and a gain, which depends on the part taken apart and on nothing
else, is worked out once.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from tests.reference.parts import (
    Bottom,
    Cell,
    Hidden,
    Interval,
    Move,
    Number,
    Part,
    StepKind,
    Tree,
    Value,
    number,
    start,
)

__all__ = [
    "Cell",
    "Hidden",
    "KAnonymity",
    "Number",
    "Outcome",
    "Requirement",
    "Split",
    "Step",
    "Template",
    "Tree",
    "Unsatisfiable",
    "Use",
    "Value",
    "confidence",
    "disclose",
    "smallest_group",
]

Original: TypeAlias = Counter[tuple[Value, ...]]  # each distinct row with its count
Released: TypeAlias = Mapping[tuple[object, ...], int]  # the same with parts, or cells, for some of the values
State: TypeAlias = Mapping[str, tuple[Part, ...]]  # the parts of each column that may change
Pair: TypeAlias = tuple[frozenset[str], str | None, Value]  # QID and property; no property column: the group's size
Confidences: TypeAlias = Mapping[Pair, Fraction]
Classes: TypeAlias = Counter[Value]  # rows of each class, or of each number to predict
PerValue: TypeAlias = dict[Value, Classes]
Use: TypeAlias = Literal["classify", "regress", "counts", "general"]
Split: TypeAlias = Literal["best", "best_valid"]

TIE = 1e-12


@dataclass(frozen=True)
class Template:
    """Who knows `given` may infer `column` = `value` with a confidence of at most `at_most`."""

    given: tuple[str, ...]
    column: str
    value: Value
    at_most: Fraction

    @property
    def pair(self) -> Pair:
        return frozenset(self.given), self.column, self.value


@dataclass(frozen=True)
class KAnonymity:
    """Who knows `over` is left with `k` rows or more: may pick the right row with a confidence of at most 1/k."""

    over: tuple[str, ...]
    k: int

    @property
    def at_most(self) -> Fraction:
        return Fraction(1, self.k)

    @property
    def pair(self) -> Pair:
        return frozenset(self.over), None, None


Requirement: TypeAlias = Template | KAnonymity


@dataclass(frozen=True)
class Step:
    """One disclosed value, specialised node or split interval; `tied` candidates, this one included, were best."""

    column: str
    value: Value
    score: float
    gain: float
    loss: float
    tied: int
    kind: StepKind = "disclose"
    cut: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What was disclosed in order, what the columns then look like, and with which confidence one can infer."""

    steps: list[Step]
    suppressed: dict[str, set[Value]]  # plain columns: the values still suppressed
    confidence: dict[Requirement, Fraction]
    dropped: list[Requirement]
    nodes: dict[str, set[Cell]] = field(default_factory=dict)  # columns with a taxonomy: the labels of the cut
    cuts: dict[str, list[str]] = field(default_factory=dict)  # number columns: ascending
    released: dict[str, dict[Value, Cell]] = field(default_factory=dict)  # what each value of a column looks like


class Unsatisfiable(Exception):
    """The most suppressed table already violates the requirements in `least`: their least confidences."""

    def __init__(self, least: dict[Requirement, Fraction]) -> None:
        super().__init__(f"violated by the most suppressed table: {least}")
        self.least = least


def confidence(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], given: Iterable[str], column: str, value: Value
) -> Fraction:
    """The largest share of rows with the property among the groups of rows alike on `given`."""
    return _confidence(columns, Counter(tuple(row) for row in rows), (frozenset(given), column, value))


def smallest_group(columns: Sequence[str], rows: Sequence[Sequence[Cell]], over: Iterable[str]) -> int:
    """The number of rows in the smallest group of rows alike on `over`; 0 without rows."""
    share = _confidence(columns, Counter(tuple(row) for row in rows), (frozenset(over), None, None))
    return int(1 / share) if share else 0


def _confidence(columns: Sequence[str], table: Released, pair: Pair) -> Fraction:
    given, column, value = pair
    known = [columns.index(name) for name in given]
    sensitive = None if column is None else columns.index(column)
    size: Counter[tuple[object, ...]] = Counter()
    having: Counter[tuple[object, ...]] = Counter()
    for row, count in table.items():
        group = tuple(row[i] for i in known)
        size[group] += count
        if sensitive is not None and row[sensitive] == value:
            having[group] += count
    if sensitive is None:
        return Fraction(1, min(size.values())) if size else Fraction(0)
    different = {(having[group], size[group]) for group in size}
    return max((Fraction(count, of) for count, of in different), default=Fraction(0))


def _release(columns: Sequence[str], table: Released, state: State) -> Released:
    """The table with the values of the state's columns replaced by their parts; others stay as they are."""
    recodings: list[dict[object, Part]] = [
        {value: part for part in state.get(name, ()) for value in part.values} for name in columns
    ]
    released: Counter[tuple[object, ...]] = Counter()
    for row, count in table.items():
        released[tuple(to[cell] if to else cell for cell, to in zip(row, recodings, strict=True))] += count
    return released


def _redundant(requirements: Sequence[Requirement]) -> set[int]:
    """The places of the requirements that others imply; of those that imply each other the first one stays."""

    def implies(i: int, j: int) -> bool:
        strong, weak = requirements[i], requirements[j]
        more, *strong_property = strong.pair
        fewer, *weak_property = weak.pair
        return (
            type(strong) is type(weak)
            and strong_property == weak_property
            and fewer <= more
            and weak.at_most >= strong.at_most
        )

    places = range(len(requirements))
    return {j for j in places for i in places if i != j and implies(i, j) and not (implies(j, i) and j < i)}


def _class_counts(columns: Sequence[str], table: Original, name: str, target: str | None) -> PerValue:
    """The rows of each class for every value that occurs in the column; one class when there is no target."""
    counts: PerValue = {}
    for row, count in table.items():
        label = None if target is None else row[columns.index(target)]
        counts.setdefault(row[columns.index(name)], Counter())[label] += count
    return counts


def _classes(values: Iterable[Value], per_value: PerValue) -> Classes:
    total = Classes()
    for value in values:
        total.update(per_value[value])
    return total


def _entropy(classes: Classes) -> float:
    n = classes.total()
    return -sum(count / n * math.log2(count / n) for count in classes.values() if count)


def _variance(classes: Classes) -> Fraction:
    n = classes.total()
    numbers = [(number(text), count) for text, count in classes.items()]
    mean = sum((x * count for x, count in numbers), Fraction(0)) / n
    return sum(((x - mean) * (x - mean) * count for x, count in numbers), Fraction(0)) / n


def _gain(use: Use, per_value: PerValue, move: Move) -> float:
    """InfoGain of a move; `per_value`: the class counts of every value of the column."""
    table = _classes(per_value, per_value)
    whole = _classes(move.whole.values, per_value)
    parts = [(part, _classes(part.values, per_value)) for part in move.parts if part.values]
    n = whole.total()
    if use == "classify":
        return _entropy(whole) - sum(classes.total() / n * _entropy(classes) for _, classes in parts)
    if use == "regress":
        inside = sum((classes.total() * _variance(classes) for _, classes in parts), Fraction(0)) / n
        overall = _variance(table)
        return float((_variance(whole) - inside) / overall) if overall else 0.0
    if use == "counts":
        still_hidden = sum((classes.total() * part.hidden for part, classes in parts), Fraction(0))
        return float(n * move.whole.hidden - still_hidden)
    still_lost = sum((classes.total() * part.loss for part, classes in parts), Fraction(0))
    return float((n * move.whole.loss - still_lost) / table.total())


def disclose(
    columns: Sequence[str],
    rows: Sequence[Sequence[Value]],
    templates: Sequence[Requirement],
    *,
    use: Use,
    target: str | None = None,
    always: bool | None = None,
    remove_redundant: bool = True,
    kinds: Mapping[str, Tree | Number] | None = None,
    missing: Set[Value] = frozenset(),
    split: Split = "best_valid",
    inputs: Sequence[str] | None = None,
) -> Outcome:
    """Start from the most suppressed table and take the best valid step until there is none.

    Columns not in `kinds` are plain. `missing`: the texts that mean a missing value, besides None.
    """
    always = use != "classify" if always is None else always
    _check(templates, use, target, inputs, always)
    redundant = _redundant(templates) if remove_redundant else set()
    kept = [template for i, template in enumerate(templates) if i not in redundant]

    known = {name for template in templates for name in template.pair[0]}
    sensitive = {template.pair[1] for template in templates}
    changeable = [name for name in columns if name in known - sensitive - {target}]
    counted = [name for name in columns if name in known | sensitive]
    table = Counter(tuple(row) for row in rows)
    per_column = {name: _class_counts(columns, table, name, target) for name in changeable}
    kinds = {name: kind for name, kind in (kinds or {}).items() if name in changeable}
    state = {name: start(kinds.get(name), set(per_column[name]), missing | {None}) for name in changeable}

    search = _Search(counted, _project(columns, table, counted), kept, per_column, use, always, split, inputs)
    now = search.confidences(state)
    if broken := {template: now[template.pair] for template in kept if now[template.pair] > template.at_most}:
        raise Unsatisfiable(broken)
    steps: list[Step] = []
    while candidates := [candidate for name in changeable for candidate in search.candidates(name, state, now)]:
        scores = [step.score for step, _ in candidates]
        step, parts = candidates[_first_of_the_best(scores)]
        steps.append(replace(step, tied=sum(score >= max(scores) - TIE for score in scores)))
        state[step.column] = parts
        now = search.confidences(state)

    return Outcome(
        steps,
        {name: _hidden(parts) for name, parts in state.items() if name not in kinds},
        {template: now[template.pair] for template in kept},
        [templates[i] for i in sorted(redundant)],
        {name: {part.cell for part in state[name]} for name, kind in kinds.items() if isinstance(kind, Tree)},
        {name: _cuts(state[name]) for name, kind in kinds.items() if isinstance(kind, Number)},
        {name: {value: part.cell for part in parts for value in part.values} for name, parts in state.items()},
    )


@dataclass(frozen=True)
class _Search:
    """What stays the same from step to step; `table` has those `columns` only that confidences depend on."""

    columns: Sequence[str]
    table: Released
    kept: Sequence[Requirement]
    per_column: Mapping[str, PerValue]
    use: Use
    always: bool
    split: Split
    inputs: Sequence[str] | None
    known: dict[Part, list[list[tuple[Move, float]]]] = field(default_factory=dict)

    def candidates(self, name: str, state: State, now: Confidences) -> list[tuple[Step, tuple[Part, ...]]]:
        """The column's valid and beneficial steps, in the order that decides ties, and its parts after each.

        `now`: the confidences before.
        """
        per_value = self.per_column[name]
        # rows that look alike on all other columns and have the same value here stay together in every candidate
        others = _release(self.columns, self.table, {other: state[other] for other in state if other != name})
        found = []
        for part in state[name]:
            if not self.always and not (self.useful(name) and len(_classes(part.values, per_value)) > 1):
                continue
            for ways in self.choices(name, part):
                valid = []
                for move, gain in ways:
                    after = _moved(state[name], move)
                    then = self.confidences({name: after}, others)
                    if all(then[template.pair] <= template.at_most for template in self.kept):
                        valid.append((_step(name, move, gain, now, then), after))
                if valid:
                    found.append(valid[_first_of_the_best([step.gain for step, _ in valid])])
        return found

    def choices(self, name: str, part: Part) -> list[list[tuple[Move, float]]]:
        """What can be done to a part, each with the ways to try and their gains: the same in every step."""
        if part not in self.known:
            self.known[part] = [[(move, self.gain(name, move)) for move in ways] for ways in part.choices()]
        if self.split == "best":
            return [[ways[_first_of_the_best([gain for _, gain in ways])]] for ways in self.known[part]]
        return self.known[part]

    def gain(self, name: str, move: Move) -> float:
        return _gain(self.use, self.per_column[name], move) if self.useful(name) else 0.0

    def useful(self, name: str) -> bool:
        return self.inputs is None or name in self.inputs

    def confidences(self, state: State, table: Released | None = None) -> Confidences:
        """Counted from the rows of the (partly released) table when its columns look like the state."""
        released = _release(self.columns, self.table if table is None else table, state)
        return {pair: _confidence(self.columns, released, pair) for pair in {one.pair for one in self.kept}}


def _step(name: str, move: Move, gain: float, now: Confidences, then: Confidences) -> Step:
    rises = [then[pair] - now[pair] for pair in now if name in pair[0]]
    loss = float(sum(rises, Fraction(0)) / len(rises))
    return Step(name, move.value, gain / (loss + 1), gain, loss, 1, move.kind, move.cut)


def _check(requirements: Sequence[Requirement], use: Use, target: str | None, inputs: object, always: bool) -> None:
    if target is None and (use in ("classify", "regress") or not always):
        raise ValueError("classes need a target")
    if inputs is not None and use not in ("classify", "regress"):
        raise ValueError("inputs need something to predict")
    if any(isinstance(one, Template) and one.column in one.given for one in requirements):
        raise ValueError("a template's given contains its own property's column")


def _project(columns: Sequence[str], table: Original, some: Sequence[str]) -> Released:
    places = [columns.index(name) for name in some]
    projected: Counter[tuple[object, ...]] = Counter()
    for row, count in table.items():
        projected[tuple(row[i] for i in places)] += count
    return projected


def _first_of_the_best(figures: Sequence[float]) -> int:
    best = max(figures)
    return next(i for i, figure in enumerate(figures) if figure >= best - TIE)


def _moved(parts: tuple[Part, ...], move: Move) -> tuple[Part, ...]:
    place = parts.index(move.whole)
    return (*parts[:place], *move.parts, *parts[place + 1 :])


def _hidden(parts: Iterable[Part]) -> set[Value]:
    return {value for part in parts if isinstance(part, Bottom) for value in part.values}


def _cuts(parts: Iterable[Part]) -> list[str]:
    return [part.lower for part in parts if isinstance(part, Interval) and part.lower is not None]
