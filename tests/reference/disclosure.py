"""Top-down disclosure of plain categorical columns: the slow, obviously right version.

Fast code is compared with this one. Nothing is kept from one step to the next but the sets of suppressed
values: every confidence is counted again from the released rows, as a fraction, for every candidate of every
step, and a candidate that was invalid or not beneficial before is tried again. The only shortcut: equal rows
are one row with a count.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Literal, TypeAlias


class Hidden(Enum):
    """What a suppressed value looks like: equal to itself and to nothing else, not even a missing value."""

    BOTTOM = "⊥"


Value: TypeAlias = str | None
Cell: TypeAlias = Value | Hidden
Original: TypeAlias = Counter[tuple[Value, ...]]  # each distinct row with its count
Table: TypeAlias = Mapping[tuple[Cell, ...], int]  # each distinct released row with its count
Suppressed: TypeAlias = Mapping[str, Set[Value]]
Pair: TypeAlias = tuple[frozenset[str], str, Value]  # QID, property column, property value
Classes: TypeAlias = Counter[Value]  # rows of each class
PerValue: TypeAlias = dict[Value, Classes]
Use: TypeAlias = Literal["classify", "counts", "general"]

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
class Step:
    """One disclosed value; `tied` candidates, this one included, had the best score."""

    column: str
    value: Value
    score: float
    gain: float
    loss: float
    tied: int


@dataclass(frozen=True)
class Outcome:
    """What was disclosed in order, what is still suppressed, and with which confidence one can infer."""

    steps: list[Step]
    suppressed: dict[str, set[Value]]
    confidence: dict[Template, Fraction]
    dropped: list[Template]


class Unsatisfiable(Exception):
    """The most suppressed table already violates the templates in `least`: their least confidences."""

    def __init__(self, least: dict[Template, Fraction]) -> None:
        super().__init__(f"violated by the most suppressed table: {least}")
        self.least = least


def confidence(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], given: Iterable[str], column: str, value: Value
) -> Fraction:
    """The largest share of rows with the property among the groups of rows alike on `given`."""
    return _confidence(columns, Counter(tuple(row) for row in rows), (frozenset(given), column, value))


def _confidence(columns: Sequence[str], table: Table, pair: Pair) -> Fraction:
    given, column, value = pair
    known = [columns.index(name) for name in given]
    sensitive = columns.index(column)
    size: Counter[tuple[Cell, ...]] = Counter()
    having: Counter[tuple[Cell, ...]] = Counter()
    for row, count in table.items():
        group = tuple(row[i] for i in known)
        size[group] += count
        if row[sensitive] == value:
            having[group] += count
    return max((Fraction(having[group], size[group]) for group in size), default=Fraction(0))


def _release(columns: Sequence[str], table: Original, suppressed: Suppressed) -> Table:
    """The table with every suppressed value of every column hidden."""
    hide = [suppressed.get(name, frozenset()) for name in columns]
    released: Counter[tuple[Cell, ...]] = Counter()
    for row, count in table.items():
        cells = (Hidden.BOTTOM if cell in gone else cell for cell, gone in zip(row, hide, strict=True))
        released[tuple(cells)] += count
    return released


def _redundant(templates: Sequence[Template]) -> set[int]:
    """The places of the templates that others imply; of those that imply each other the first one stays."""

    def implies(i: int, j: int) -> bool:
        strong, weak = templates[i], templates[j]
        return (
            (strong.column, strong.value) == (weak.column, weak.value)
            and set(weak.given) <= set(strong.given)
            and weak.at_most >= strong.at_most
        )

    places = range(len(templates))
    return {j for j in places for i in places if i != j and implies(i, j) and not (implies(j, i) and j < i)}


def _class_counts(columns: Sequence[str], table: Original, name: str, target: str | None) -> PerValue:
    """The rows of each class for every value that occurs in the column; one class when there is no target."""
    counts: PerValue = {}
    for row, count in table.items():
        label = None if target is None else row[columns.index(target)]
        counts.setdefault(row[columns.index(name)], Counter())[label] += count
    return counts


def _entropy(classes: Classes) -> float:
    n = classes.total()
    return -sum(count / n * math.log2(count / n) for count in classes.values() if count)


def _gain(use: Use, per_value: PerValue, hidden: Set[Value], value: Value) -> float:
    """InfoGain of disclosing a hidden value; `per_value`: the class counts of every value of the column."""
    with_value = per_value[value]
    without = sum((per_value[other] for other in hidden if other != value), Classes())
    n, n_value = with_value.total() + without.total(), with_value.total()
    if use == "classify":
        parts = sum(part.total() / n * _entropy(part) for part in (with_value, without))
        return _entropy(with_value + without) - parts
    if use == "counts":
        return float(n_value)
    values, rows = len(per_value), sum(part.total() for part in per_value.values())
    if values == 1:
        return 0.0
    before = Fraction(n * (len(hidden) - 1), values - 1)
    after = Fraction((n - n_value) * max(len(hidden) - 2, 0), values - 1)
    return float((before - after) / rows)


def _beneficial(per_value: PerValue, hidden: Set[Value]) -> bool:
    return len({label for value in hidden for label in per_value[value]}) > 1


def disclose(
    columns: Sequence[str],
    rows: Sequence[Sequence[Value]],
    templates: Sequence[Template],
    *,
    use: Use,
    target: str | None = None,
    always: bool | None = None,
    remove_redundant: bool = True,
) -> Outcome:
    """Start from the most suppressed table and disclose the best valid value until there is none."""
    always = use != "classify" if always is None else always
    if target is None and (use == "classify" or not always):
        raise ValueError("classes need a target")
    if any(template.column in template.given for template in templates):
        raise ValueError("a template's given contains its own property's column")

    redundant = _redundant(templates) if remove_redundant else set()
    kept = [template for i, template in enumerate(templates) if i not in redundant]
    fixed = {template.column for template in templates} | {target}
    changeable = [name for name in columns if name not in fixed and any(name in t.given for t in templates)]

    table = Counter(tuple(row) for row in rows)
    per_column = {name: _class_counts(columns, table, name, target) for name in changeable}

    def confidences(hidden: Suppressed) -> dict[Pair, Fraction]:
        released = _release(columns, table, hidden)
        return {pair: _confidence(columns, released, pair) for pair in {template.pair for template in kept}}

    suppressed = {name: set(per_column[name]) for name in changeable}
    now = confidences(suppressed)
    if broken := {t: now[t.pair] for t in kept if now[t.pair] > t.at_most}:
        raise Unsatisfiable(broken)

    steps: list[Step] = []
    while True:
        candidates: list[Step] = []  # the valid and beneficial ones, in the order that decides ties
        for name in changeable:
            if not always and not _beneficial(per_column[name], suppressed[name]):
                continue
            for value in sorted(suppressed[name], key=lambda v: (v is not None, v or "")):
                then = confidences(suppressed | {name: suppressed[name] - {value}})
                if any(then[t.pair] > t.at_most for t in kept):
                    continue
                rises = [then[pair] - now[pair] for pair in now if name in pair[0]]
                loss = float(sum(rises, Fraction(0)) / len(rises))
                gain = _gain(use, per_column[name], suppressed[name], value)
                candidates.append(Step(name, value, gain / (loss + 1), gain, loss, tied=1))
        if not candidates:
            break
        best = max(candidate.score for candidate in candidates)
        tied = [candidate for candidate in candidates if candidate.score >= best - TIE]
        first = tied[0]
        steps.append(Step(first.column, first.value, first.score, first.gain, first.loss, len(tied)))
        suppressed[first.column].remove(first.value)
        now = confidences(suppressed)

    final = {template: now[template.pair] for template in kept}
    return Outcome(steps, suppressed, final, [templates[i] for i in sorted(redundant)])
