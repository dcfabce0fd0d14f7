"""What the reference of the cells safe against association rules is made of: tasks, rules, counts, thresholds.

Slow on purpose: every number is counted again from the released table whenever it is needed, in exact fractions.
Source: Li, Shirani-Mehr, Yang, "Protecting Individual Information Against Inference Attacks in Data Publishing".
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

Table = list[list[str | None]]
Denominator = Literal["all", "published"]
Pattern = tuple[tuple[int, str], ...]
"""Columns with their values, by column."""

SAFE = "safe"
INFEASIBLE = "infeasible"  # proved
NOT_FOUND = "not found"  # nobody knows


class Cell(NamedTuple):
    """A place in the table."""

    row: int
    column: int


class Rule(NamedTuple):
    """What the adversary concludes: whoever has the pattern has the value in the sensitive column."""

    column: int
    pattern: Pattern
    value: str


class Regions(NamedTuple):
    """Which unmarked cells may be hidden."""

    others_conditions: bool = False
    others_sensitive: bool = False
    own_conditions: bool = False


NOTHING = Regions()
CASES = {
    "a": Regions(others_sensitive=True),
    "b": Regions(others_conditions=True),
    "c": Regions(own_conditions=True),
    "d": Regions(others_conditions=True, own_conditions=True),
    "e": Regions(others_sensitive=True, own_conditions=True),
    "f": Regions(others_conditions=True, others_sensitive=True, own_conditions=True),
    "g": Regions(others_conditions=True, others_sensitive=True),
    "h": NOTHING,
}


@dataclass(frozen=True)
class Task:
    """What the owner asks: `minus` is hidden, `plus` is published, the regions may be hidden where it helps."""

    table: Table
    sensitive: dict[int, list[int]]
    """Every sensitive column with its condition columns."""
    minus: set[Cell]
    min_confidence: Fraction
    min_support: int = 0
    regions: Regions = NOTHING
    plus: set[Cell] = field(default_factory=set)
    denominator: Denominator = "all"

    def __post_init__(self) -> None:
        if self.minus & self.plus:
            raise ValueError("a cell is marked both + and -")
        for row, column in self.minus:
            if column not in self.sensitive:
                raise ValueError("a cell marked - lies outside the sensitive columns")
            if self.table[row][column] is None:
                raise ValueError("a cell marked - is missing already")
        for column, conditions in self.sensitive.items():
            if column in conditions:
                raise ValueError("a sensitive column is its own condition")


@dataclass(frozen=True)
class Certificate:
    """A rule about this row that stays unsafe whatever is hidden: at best its counts are these."""

    row: int
    rule: Rule
    numerator: int
    denominator: int


@dataclass(frozen=True)
class Exhausted:
    """Every choice of cells was tried."""


@dataclass(frozen=True)
class Answer:
    """What a method found: the cells hidden beyond those marked -, in the order of hiding."""

    status: str
    hidden: list[Cell]
    proof: Certificate | Exhausted | None = None
    method: str = ""

    @property
    def cost(self) -> int:
        return len(self.hidden)


def release(task: Task, hidden: Collection[Cell]) -> Table:
    """The table as it is published: a hidden cell is None."""
    out = [list(row) for row in task.table]
    for row, column in [*task.minus, *hidden]:
        out[row][column] = None
    return out


def subsets(pairs: Pattern) -> Iterator[Pattern]:
    """The nonempty parts of a pattern."""
    for size in range(1, len(pairs) + 1):
        yield from combinations(pairs, size)


def matches(row: list[str | None], pattern: Pattern) -> bool:
    """A hidden or missing cell matches nothing."""
    return all(row[column] == value for column, value in pattern)


def known(released: Table, task: Task, cell: Cell) -> Pattern:
    """The released conditions of a sensitive cell's row."""
    row = released[cell.row]
    values = ((column, row[column]) for column in sorted(task.sensitive[cell.column]))
    return tuple((column, value) for column, value in values if value is not None)


def true_value(task: Task, cell: Cell) -> str:
    value = task.table[cell.row][cell.column]
    assert value is not None
    return value


def carriers(task: Task, released: Table) -> dict[Rule, list[int]]:
    """Every rule about a cell marked -, with the rows it is about; by sensitive column, row, pattern size."""
    out: dict[Rule, list[int]] = {}
    for cell in sorted(task.minus, key=lambda cell: (cell.column, cell.row)):
        for pattern in subsets(known(released, task, cell)):
            out.setdefault(Rule(cell.column, pattern, true_value(task, cell)), []).append(cell.row)
    return out


def relevant(released: Table, rule: Rule) -> list[int]:
    """The rows that support the rule."""
    return [i for i, row in enumerate(released) if row[rule.column] == rule.value and matches(row, rule.pattern)]


def counts(released: Table, rule: Rule, denominator: Denominator) -> tuple[int, int]:
    """Support of the rule and of its pattern; a hidden sensitive cell counts in the latter, or not at all."""
    having = [row for row in released if matches(row, rule.pattern)]
    if denominator == "published":
        having = [row for row in having if row[rule.column] is not None]
    return sum(row[rule.column] == rule.value for row in having), len(having)


def is_unsafe(numerator: int, denominator: int, min_support: int, min_confidence: Fraction) -> bool:
    """Both tests are strict, and 0/0 is safe."""
    return numerator > min_support and numerator > min_confidence * denominator


def unsafe_rules(task: Task, released: Table) -> dict[Rule, tuple[int, int]]:
    """The rules that leak, with their counts."""
    out = {}
    for rule in carriers(task, released):
        n, d = counts(released, rule, task.denominator)
        if is_unsafe(n, d, task.min_support, task.min_confidence):
            out[rule] = (n, d)
    return out


def is_safe(task: Task, hidden: Collection[Cell]) -> bool:
    return not unsafe_rules(task, release(task, hidden))


def min_hide(numerator: int, denominator: int, min_support: int, min_confidence: Fraction) -> int:
    """How many relevant rows have to leave the pattern."""
    x = 0
    while is_unsafe(numerator - x, denominator - x, min_support, min_confidence):
        x += 1
    return x


def beta(
    numerator: int, denominator: int, min_support: int, min_confidence: Fraction, counted: Denominator = "all"
) -> int:
    """How many relevant rows have to lose their sensitive value."""
    if counted == "published":
        return min_hide(numerator, denominator, min_support, min_confidence)
    x = 0
    while is_unsafe(numerator - x, denominator, min_support, min_confidence):
        x += 1
    return x


def region(task: Task, cell: Cell) -> str | None:
    """The region a cell lies in; a condition of its own row's sensitive cell is that first of all."""
    if cell in task.minus:
        return None
    if any(r == cell.row and cell.column in task.sensitive[s] for r, s in task.minus):
        return "own_conditions"
    if cell.column in task.sensitive:
        return "others_sensitive"
    if any(cell.column in conditions for conditions in task.sensitive.values()):
        return "others_conditions"
    return None


def may_hide(task: Task) -> set[Cell]:
    """The cells that may be hidden: unmarked, not missing, in a region given free."""
    out = set()
    for i, row in enumerate(task.table):
        for j, value in enumerate(row):
            where = region(task, Cell(i, j))
            if value is not None and Cell(i, j) not in task.plus and where and getattr(task.regions, where):
                out.add(Cell(i, j))
    return out


def groups(task: Task) -> list[tuple[int, str]]:
    """The protected values: by sensitive column, then text."""
    return sorted({(cell.column, true_value(task, cell)) for cell in task.minus})
