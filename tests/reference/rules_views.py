"""What other adversaries still see, what the one who knows the method concludes, decoys, what was lost.

Reference, slow on purpose.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil

from tests.reference.rules_model import (
    Cell,
    Rule,
    Task,
    carriers,
    counts,
    groups,
    is_safe,
    is_unsafe,
    matches,
    may_hide,
    region,
    release,
    true_value,
)

SeenPattern = tuple[tuple[int, str | None], ...]
"""Here None is a value: the cell is hidden."""


@dataclass(frozen=True)
class Seen:
    """A rule that an adversary finds, with its counts."""

    column: int
    pattern: SeenPattern
    value: str
    numerator: int
    denominator: int


def leaking(task: Task, found: Collection[Seen]) -> list[Seen]:
    return [s for s in found if is_unsafe(s.numerator, s.denominator, task.min_support, task.min_confidence)]


def paper_view(task: Task, hidden: Collection[Cell]) -> list[Seen]:
    """The paper's adversary: every row with the pattern counts."""
    released = release(task, hidden)
    return leaking(task, [Seen(*r, *counts(released, r, "all")) for r in carriers(task, released)])


def visible_view(task: Task, hidden: Collection[Cell]) -> list[Seen]:
    """A miner who leaves out the rows with a hidden sensitive cell."""
    released = release(task, hidden)
    return leaking(task, [Seen(*r, *counts(released, r, "published")) for r in carriers(task, released)])


def wildcard_view(task: Task, hidden: Collection[Cell]) -> list[Seen]:
    """A hidden condition may be anything: it matches every value."""
    released = release(task, hidden)
    found = []
    for rule in carriers(task, released):
        having = [row for row in released if all(row[c] in (v, None) for c, v in rule.pattern)]
        found.append(Seen(*rule, sum(row[rule.column] == rule.value for row in having), len(having)))
    return leaking(task, found)


def absence_view(task: Task, hidden: Collection[Cell]) -> list[Seen]:
    """That a condition is hidden is a condition itself: the patterns with at least one hidden cell."""
    released = release(task, hidden)
    found = set()
    for cell in task.minus:
        own: SeenPattern = tuple((c, released[cell.row][c]) for c in sorted(task.sensitive[cell.column]))
        for size in range(1, len(own) + 1):
            for pattern in combinations(own, size):
                if any(value is None for _, value in pattern):
                    value = true_value(task, cell)
                    having = [row for row in released if all(row[c] == v for c, v in pattern)]
                    n = sum(row[cell.column] == value for row in having)
                    found.add(Seen(cell.column, pattern, value, n, len(having)))
    return leaking(task, found)


def shares(task: Task, hidden: Collection[Cell]) -> dict[Rule, tuple[int, int]]:
    """Per rule, of the rows with the pattern whose sensitive cell we hid: those that have the value, and all."""
    released = release(task, hidden)
    concealed = {*task.minus, *hidden}
    out = {}
    for rule in carriers(task, released):
        rows = [i for i, row in enumerate(released) if Cell(i, rule.column) in concealed and matches(row, rule.pattern)]
        out[rule] = (sum(task.table[i][rule.column] == rule.value for i in rows), len(rows))
    return out


def nullset_view(task: Task, hidden: Collection[Cell]) -> list[Seen]:
    """Who knows the true values of the hidden sensitive cells as a whole: rules among these rows only."""
    return leaking(task, [Seen(*rule, n, d) for rule, (n, d) in shares(task, hidden).items()])


VIEWS = {
    "paper": paper_view,
    "visible": visible_view,
    "wildcard": wildcard_view,
    "absence": absence_view,
    "nullset": nullset_view,
}


def aware_warnings(task: Task, hidden: Collection[Cell]) -> dict[Rule, tuple[int, int]]:
    """The patterns among whose hidden cells the protected value is too frequent; support protects no one here."""
    return {rule: (n, d) for rule, (n, d) in shares(task, hidden).items() if n > task.min_confidence * d}


def lacking(task: Task, hidden: Collection[Cell]) -> dict[Rule, int]:
    """How many more hidden cells with another value each pattern needs."""
    return {rule: ceil(n / task.min_confidence) - d for rule, (n, d) in aware_warnings(task, hidden).items()}


def decoys(task: Task, hidden: list[Cell]) -> tuple[list[Cell], dict[Rule, tuple[int, int]]]:
    """Sensitive cells of other rows to hide besides, and the warnings that remain.

    Each time the cell that lowers the sum of what is lacking most and leaves the table safe; lowest row, then column.
    """
    extra: list[Cell] = []
    if task.min_confidence == 0:
        return extra, aware_warnings(task, hidden)
    free = sorted(cell for cell in may_hide(task) if region(task, cell) == "others_sensitive" and cell not in hidden)
    while True:
        now = sum(lacking(task, [*hidden, *extra]).values())
        after = {}
        for cell in free:
            tried = [*hidden, *extra, cell]
            if cell not in extra and is_safe(task, tried):
                after[cell] = sum(lacking(task, tried).values())
        best = min(after, key=lambda cell: (after[cell], cell), default=None)
        if best is None or after[best] >= now:
            return needed_decoys(task, hidden, extra)
        extra.append(best)


def needed_decoys(task: Task, hidden: list[Cell], extra: list[Cell]) -> tuple[list[Cell], dict[Rule, tuple[int, int]]]:
    """Decoys that brought no pattern within the limit are given back, last hidden first."""
    warned = set(aware_warnings(task, [*hidden, *extra]))
    left = list(extra)
    for cell in reversed(extra):
        rest = [*hidden, *(c for c in left if c != cell)]
        if set(aware_warnings(task, rest)) <= warned and is_safe(task, rest):
            left.remove(cell)
    return left, aware_warnings(task, [*hidden, *left])


def frequent_anyway(task: Task) -> dict[tuple[int, str], Fraction]:
    """The protected values that are too frequent among all known cells of their column: no hiding helps."""
    out = {}
    for column, value in groups(task):
        values = [row[column] for row in task.table if row[column] is not None]
        share = Fraction(values.count(value), len(values))
        if share > task.min_confidence:
            out[column, value] = share
    return out


def removal_rates(task: Task, hidden: Collection[Cell]) -> tuple[Fraction, Fraction]:
    """Hidden cells of rows x (conditions and sensitive columns), with and without those marked -."""
    columns = set(task.sensitive).union(*task.sensitive.values())
    cells = len(task.table) * len(columns)
    return Fraction(len({*hidden, *task.minus}), cells), Fraction(len({*hidden} - task.minus), cells)
