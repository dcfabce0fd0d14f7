"""The defences of confidential cells: for each adversary how it is asked, and which method works against it.

Guarantee: `exposed` asks the adversary about the table as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.method.cells import bayes, hid3, kernels, rules
from discreet.method.cells.bayes import Ints, Outcome
from discreet.method.cells.chance import Chance
from discreet.method.cells.greedy import Learn, Learned
from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.walks import Grow, Walks

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RuleDefence:
    """Against association rules: when one leaks, the conditions it may use, and what may be hidden."""

    limits: rules.Limits
    conditions: tuple[int, ...]
    own_conditions: bool = False
    others_conditions: bool = False
    others_sensitive: bool = True
    prior: bool = False
    """Whether a value may not be above the limits without any condition, either."""
    decoys: bool = False
    choose: rules.Chooser | None = None
    seconds_left: Callable[[], float] = lambda: inf
    """How long an exact search may take."""


@dataclass(frozen=True)
class Defence:
    """A method against one adversary: naive Bayes (`bayes`), a learner (`learn`), a tree (`grow`), `rules`, or ID3."""

    method: str
    bayes: Bayes | None = None
    learn: Learn | None = None
    rules: RuleDefence | None = None
    grow: Grow | None = None


@dataclass(frozen=True)
class Ward:
    """The confidential cells of one requirement: their column, rows and true values (leaves of the column's tree)."""

    column: int
    predictors: tuple[int, ...]
    rows: tuple[int, ...]
    """Shadows of a row stand beside it, with the same true value and chance."""
    actuals: tuple[int, ...]
    defences: tuple[Defence, ...]
    chances: tuple[Chance, ...]
    strict: bool = False
    deletes: bool = False
    """Whether values are hidden at once, and not generalised one level after the other."""
    fall_back: bool = True
    """Whether INCP may go on with DECP."""
    removes: bool = False
    """Whether a row that cannot be protected is taken out."""
    floors: Mapping[int, int] = field(default_factory=dict)
    """The node that the cells of some rows are released with at least: decoys look like those they stand beside."""


class Guard(Protocol):
    """One defence of one ward."""

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows the true value is the single best guess."""
        ...

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Protect one cell."""
        ...

    def lenient(self) -> Guard:
        """Return the same defence where a tie with the true value is enough."""
        ...


class AgainstBayes:
    """Naive Bayes, by DECP, INCP or DROPP."""

    def __init__(self, table: CellTable, ward: Ward, options: Bayes, method: str) -> None:
        self.table, self.ward, self.options, self.method = table, ward, options, method
        self.guesser = table.guesser(ward.column, ward.predictors, options, deletes=ward.deletes)

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows naive Bayes has the true value as the single best guess."""
        start = self.table.first[self.ward.column]
        found: Flags = kernels.all_best(self.table.frame, self.guesser, rows, actuals + start)
        return found

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Protect one cell by the method of this defence."""
        return self.protect_by(self.method, row, actual, chance, fall_back=self.ward.fall_back)

    def protect_by(self, method: str, row: int, actual: int, chance: Chance, *, fall_back: bool = True) -> Outcome:
        """Protect one cell by a method that may be another one."""
        method = method.removeprefix("e-")
        return bayes.protect(self.table, self.guesser, row, actual, method, chance, fall_back=fall_back)

    def possible(self, row: int, actual: int) -> bool:
        """Whether any other value is possible at all for a row whose true value is the single best guess."""
        actual += int(self.table.first[self.ward.column])
        status = kernels.opening(self.table.frame, self.guesser, row, actual, kernels.GO_ON, 0)[0]
        return int(status) != kernels.FAILED

    def lenient(self) -> AgainstBayes:
        """Return the same defence where a tie is enough."""
        return AgainstBayes(self.table, self.ward, replace(self.options, strict=False), self.method)


class AgainstTree:
    """ID3 or any other decision tree, by HID3."""

    def __init__(self, trees: hid3.TreesOfTable, ward: Ward) -> None:
        self.trees, self.ward = trees, ward

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows some tree tells the true value."""
        table, ward = self.trees.table, self.ward
        start = int(table.first[ward.column])
        nodes = table.frame.codes[ward.column, rows]
        places = (table.frame.leaf[actuals + start] - self.trees.low[nodes]).astype(np.int64)
        found = np.zeros(len(rows), dtype=np.bool_)
        hidden = np.flatnonzero(nodes == start)
        if len(hidden):
            for tree in self.trees.trees(ward.column, int(rows[hidden[0]]), ward.predictors):
                found[hidden] |= tree.told(table, rows[hidden], places[hidden])
        for place in np.flatnonzero(nodes != start).tolist():  # each is guessed by all others
            row = int(rows[place])
            trees = self.trees.trees(ward.column, row, ward.predictors)
            found[place] = any(tree.tells(table, row, int(places[place])) for tree in trees)
        return found

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Protect one cell by HID3."""
        ward = self.ward
        return hid3.protect(self.trees, ward.column, ward.predictors, row, actual, chance, deletes=ward.deletes)

    def lenient(self) -> AgainstTree:
        """Return the same defence where a tie is enough; ID3 has one guess."""
        if not isinstance(self.trees, Walks):
            return self
        return AgainstTree(Walks(self.trees.table, self.trees.grow, strict=False), replace(self.ward, strict=False))


class AgainstLearner:
    """Any adversary with probabilities, by the greedy search."""

    def __init__(self, table: CellTable, ward: Ward, learn: Learn) -> None:
        self.table, self.ward, self.learn = table, ward, learn
        self.learned = Learned(table, ward.column, ward.predictors, learn, strict=ward.strict)

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows the learner has the true value as the single best guess."""
        return self.learned.exposed(rows, actuals)

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Protect one cell by the greedy search."""
        del chance
        return self.learned.protect(row, actual)

    def lenient(self) -> AgainstLearner:
        """Return the same defence where a tie is enough."""
        return AgainstLearner(self.table, replace(self.ward, strict=False), self.learn)


class AgainstRules:
    """All cells of a ward at once: what is hidden for one helps the others."""

    def __init__(self, table: CellTable, ward: Ward, defence: RuleDefence, method: str) -> None:
        self.table, self.ward, self.defence, self.method = table, ward, defence, method
        self.answer: rules.HidingAnswer | None = None
        """What was found last."""
        self.gap: int | None = None
        """How many cells more than needed may have been hidden at most (decoys aside), where `exact` says so."""
        self.decoys: set[int] = set()
        """Rows whose sensitive cells were hidden as decoys."""
        self._counted: tuple[int, bytes, list[int]] | None = None
        """Which rows leak, as counted last, of which rows and on which table."""

    def rule_table(self, rows: Ints, actuals: Ints) -> rules.RuleTable:
        """Return the rules about some cells on the table as it is now."""
        cells, sensitive, truth = self._cells(rows, actuals)
        free, free_sensitive = self._free_cells(rows, self.defence, self.table.frame.locked)
        real, limits = self.table.frame.real, self.defence.limits
        return rules.RuleTable(cells, sensitive, rows.tolist(), limits, free, free_sensitive, real, truth)

    def _cells(self, rows: Ints, actuals: Ints) -> tuple[rules.Codes, rules.Codes, rules.Codes]:
        """Return the conditions of all rows, their sensitive values (the true ones of `rows`), and all true ones."""
        frame, column = self.table.frame, self.ward.column
        places = list(self.defence.conditions)
        start = self.table.first[places][:, None]
        cells = (frame.codes[places] - start).astype(np.int32)
        sensitive = (frame.codes[column] - self.table.first[column]).astype(np.int32)
        truth = (self.table.original[column] - self.table.first[column]).astype(np.int32)
        cells[cells == 0], sensitive[sensitive == 0], truth[truth == 0] = NOTHING, NOTHING, NOTHING
        sensitive[rows] = actuals
        return cells, sensitive, truth

    def _free_cells(self, rows: Ints, defence: RuleDefence, locked: Flags) -> tuple[Flags, Flags]:
        """Return which conditions, and which sensitive cells, may be hidden."""
        own = np.zeros(self.table.rows, dtype=np.bool_)
        own[self.table.frame.real[rows]] = True
        free = ~locked[list(defence.conditions)] & np.where(own, defence.own_conditions, defence.others_conditions)
        return free, ~locked[self.ward.column] & ~own & defence.others_sensitive

    def safe_without(self, rows: Ints, actuals: Ints, defence: RuleDefence, locked: Flags) -> bool:
        """Whether no rule leaks once all is hidden that another defence would let be hidden."""
        cells, sensitive, _ = self._cells(rows, actuals)
        hidden, hidden_sensitive = self._free_cells(rows, defence, locked)
        real = self.table.frame.real
        shadows = np.flatnonzero(real != np.arange(len(real)))  # these keep what tells them from their rows
        hidden[:, shadows] = hidden[:, real[shadows]] & (cells[:, shadows] == cells[:, real[shadows]])
        cells[hidden], sensitive[hidden_sensitive] = NOTHING, NOTHING
        nothing, limits = np.zeros_like(hidden), self.defence.limits
        return rules.RuleTable(cells, sensitive, rows.tolist(), limits, nothing, nothing[0], real).is_safe()

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say which rows a rule leaks, or have a value that is too common."""
        return self.leaks(rows, actuals) | self.too_common(actuals)

    def leaks(self, rows: Ints, actuals: Ints) -> Flags:
        """Say which rows a rule with conditions leaks."""
        asked = rows.tobytes()
        if self._counted is None or self._counted[:2] != (self.table.stamp, asked):
            self._counted = (self.table.stamp, asked, self.rule_table(rows, actuals).leaking())
        found: Flags = np.isin(rows, self._counted[2])
        return found

    def too_common(self, actuals: Ints, *, whatever: bool = False) -> Flags:
        """Say which values are told by too many of all rows, as rules count them, where that is not to be.

        `whatever`: even if all cells of the column that may be hidden were.
        """
        frame, column, limits = self.table.frame, self.ward.column, self.defence.limits
        root = int(self.table.first[column])
        rows = int(frame.all_up[root]) - (int(frame.all_own[root]) if limits.published else 0)
        found = np.zeros(len(actuals), dtype=np.bool_)
        for value in np.unique(actuals).tolist() if self.defence.prior else ():
            telling = int(frame.all_own[root + value])
            free = self._free(value) if whatever else 0
            of = rows - (free if limits.published else 0)
            above = telling - free > limits.support and telling - free > limits.confidence * of
            found[actuals == value] = above
        return found

    def _free(self, value: int) -> int:
        """Return how many cells that tell a value may be hidden; those of confidential rows are."""
        frame, column = self.table.frame, self.ward.column
        if not self.defence.others_sensitive:
            return 0
        telling = (frame.codes[column] == self.table.first[column] + value) & ~frame.locked[column]
        return int((telling & (frame.real == np.arange(self.table.rows))).sum())

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Leave it to `protect_all`."""
        del row, actual, chance
        return Outcome("safe")

    def lenient(self) -> AgainstRules:
        """Return the same defence where a tie is enough."""
        return self

    def protect_all(self, rows: Ints, actuals: Ints, carry_on: Callable[[], bool]) -> tuple[bool, list[int]]:
        """Protect some cells; return whether something else was hidden, and the rows that still leak."""
        found = self.rule_table(rows, actuals)
        answer = rules.solve(found, self.method, self.defence.choose, carry_on, self.defence.seconds_left)
        if self.answer is None:
            self.gap = answer.gap
        elif answer.hidden:  # what was proven was about the first round
            self.gap = None
        self.answer = answer
        if answer.status == "safe" and self.defence.decoys:
            self.decoys.update(rules.decoys(found))
        for row, place in found.hidden:
            column = self.ward.column if place == rules.SENSITIVE else self.defence.conditions[place]
            self.table.set(column, row, 0)
        leaking = found.leaking()
        self._counted = (self.table.stamp, rows.tobytes(), leaking)
        return bool(found.hidden), [*leaking, *rows[self.too_common(actuals)].tolist()]


class RowRemoved:
    """NRD: the whole row goes, whatever the adversary."""

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say that every row is to go."""
        del actuals
        return np.ones(len(rows), dtype=np.bool_)

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Take the row out."""
        del row, actual, chance
        return Outcome("removed")

    def lenient(self) -> RowRemoved:
        """Return the same defence where a tie is enough."""
        return self


def guard_of(table: CellTable, trees: hid3.Trees, ward: Ward, defence: Defence) -> Guard:
    """Return a defence of a ward on a table."""
    if defence.method == "nrd":
        return RowRemoved()
    if defence.rules is not None:
        return AgainstRules(table, ward, defence.rules, defence.method)
    if defence.learn is not None:
        return AgainstLearner(table, ward, defence.learn)
    if defence.bayes is not None:
        return AgainstBayes(table, ward, defence.bayes, defence.method)
    if defence.grow is not None:
        return AgainstTree(Walks(table, defence.grow, strict=ward.strict), ward)
    return AgainstTree(trees, ward)
