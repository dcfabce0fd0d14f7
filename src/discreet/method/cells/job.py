"""Whole jobs: many confidential cells of different columns, values and rows, until all of them hold together.

Guarantee: every cell is hidden (or generalised); when the job ends, each adversary was asked about every cell on the
table as it is then, and `Job.failing` has all those whose true value is the single best guess (but for those left by
lot, and the rows that were taken out). Each round only hides, so it ends; after `ROUNDS` what is left fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.method.cells import bayes, hid3, kernels, many, rules
from discreet.method.cells.bayes import NONE, Ints, Outcome
from discreet.method.cells.chance import Chance
from discreet.method.cells.greedy import Learn, Learned
from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.table import Bayes, CellTable

ROUNDS = 20
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
    """A method against one adversary: naive Bayes (`bayes`), a learner (`learn`), rules (`rules`), or else ID3."""

    method: str
    bayes: Bayes | None = None
    learn: Learn | None = None
    rules: RuleDefence | None = None


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


@dataclass
class Story:
    """What became of one cell."""

    ward: int
    row: int
    status: str = "safe"
    guess: int | None = None
    rounds: int = 0
    changes: Ints = field(default_factory=lambda: NONE)


class _Guard(Protocol):
    """One defence of one ward."""

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows the true value is the single best guess."""
        ...

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        """Protect one cell."""
        ...


class _AgainstBayes:
    def __init__(self, table: CellTable, ward: Ward, options: Bayes, method: str) -> None:
        self.table, self.ward, self.method = table, ward, method
        self.guesser = table.guesser(ward.column, ward.predictors, options, deletes=ward.deletes)

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        start = self.table.first[self.ward.column]
        found: Flags = kernels.all_best(self.table.frame, self.guesser, rows, actuals + start)
        return found

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        method = self.method.removeprefix("e-")
        return bayes.protect(self.table, self.guesser, row, actual, method, chance, fall_back=self.ward.fall_back)


class _AgainstTree:
    def __init__(self, trees: hid3.Trees, ward: Ward) -> None:
        self.trees, self.ward = trees, ward

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        table, ward = self.trees.table, self.ward
        start = int(table.first[ward.column])
        nodes = table.frame.codes[ward.column, rows]
        places = (table.frame.leaf[actuals + start] - self.trees.low[nodes]).astype(np.int64)
        found = np.zeros(len(rows), dtype=np.bool_)
        hidden = np.flatnonzero(nodes == start)
        if len(hidden):
            for tree in self.trees.trees(ward.column, int(rows[hidden[0]]), ward.predictors):
                found[hidden] |= tree.guesses(table, rows[hidden]) == places[hidden]
        for place in np.flatnonzero(nodes != start).tolist():  # each is guessed by all others
            row = int(rows[place])
            trees = self.trees.trees(ward.column, row, ward.predictors)
            found[place] = any(tree.guess(table, row) == places[place] for tree in trees)
        return found

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        ward = self.ward
        return hid3.protect(self.trees, ward.column, ward.predictors, row, actual, chance, deletes=ward.deletes)


class _AgainstLearner:
    def __init__(self, table: CellTable, ward: Ward, learn: Learn) -> None:
        self.learned = Learned(table, ward.column, ward.predictors, learn, strict=ward.strict)

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        return self.learned.exposed(rows, actuals)

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        del chance
        return self.learned.protect(row, actual)


class _AgainstRules:
    """All cells of a ward at once: what is hidden for one helps the others."""

    def __init__(self, table: CellTable, ward: Ward, defence: RuleDefence, method: str) -> None:
        self.table, self.ward, self.defence, self.method = table, ward, defence, method
        self.why = ""
        self.common = self.proven = False
        """Whether some values are too common without any condition, and would be whatever is hidden of what may be."""
        self.asked = False
        self.gap: int | None = None
        """How many cells more than needed may have been hidden at most (decoys aside), where `exact` says so."""
        self.decoys: set[int] = set()
        """Rows whose sensitive cells were hidden as decoys."""
        self._counted: tuple[int, bytes, list[int]] | None = None
        """Which rows leak, as counted last, of which rows and on which table."""

    def rule_table(self, rows: Ints, actuals: Ints) -> rules.RuleTable:
        """Return the rules about some cells on the table as it is now."""
        frame, defence, column = self.table.frame, self.defence, self.ward.column
        places = list(defence.conditions)
        start = self.table.first[places][:, None]
        cells = (frame.codes[places] - start).astype(np.int32)
        sensitive = (frame.codes[column] - self.table.first[column]).astype(np.int32)
        truth = (self.table.original[column] - self.table.first[column]).astype(np.int32)
        cells[cells == 0], sensitive[sensitive == 0], truth[truth == 0] = NOTHING, NOTHING, NOTHING
        sensitive[rows] = actuals
        own = np.zeros(self.table.rows, dtype=np.bool_)
        own[frame.real[rows]] = True
        free = ~frame.locked[places] & np.where(own, defence.own_conditions, defence.others_conditions)
        free_sensitive = ~frame.locked[column] & ~own & defence.others_sensitive
        return rules.RuleTable(cells, sensitive, rows.tolist(), defence.limits, free, free_sensitive, frame.real, truth)

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        asked = rows.tobytes()
        if self._counted is None or self._counted[:2] != (self.table.stamp, asked):
            self._counted = (self.table.stamp, asked, self.rule_table(rows, actuals).leaking())
        return np.isin(rows, self._counted[2]) | self.too_common(actuals)

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
        del row, actual, chance
        return Outcome("safe")  # see `protect_all`

    def protect_all(self, rows: Ints, actuals: Ints, carry_on: Callable[[], bool]) -> tuple[bool, list[int]]:
        """Protect some cells; return whether something else was hidden, and the rows that still leak."""
        found = self.rule_table(rows, actuals)
        answer = rules.solve(found, self.method, self.defence.choose, carry_on, self.defence.seconds_left)
        if not self.asked:
            self.gap = answer.gap
        elif answer.hidden:  # what was proven was about the first round
            self.gap = None
        self.asked = True
        self.why = answer.why
        if answer.status == "safe" and self.defence.decoys:
            self.decoys.update(rules.decoys(found))
        for row, place in found.hidden:
            column = self.ward.column if place == rules.SENSITIVE else self.defence.conditions[place]
            self.table.set(column, row, 0)
        leaking = found.leaking()
        self._counted = (self.table.stamp, rows.tobytes(), leaking)
        common = self.too_common(actuals)
        self.proven = bool(common.any() and self.too_common(actuals[common], whatever=True).any())
        self.common = self.proven or bool(common.any() and not leaking)  # else rules are the reason
        return bool(found.hidden), [*leaking, *rows[common].tolist()]


class _RowRemoved:
    """NRD: the whole row goes, whatever the adversary."""

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        del actuals
        return np.ones(len(rows), dtype=np.bool_)

    def protect(self, row: int, actual: int, chance: Chance) -> Outcome:
        del row, actual, chance
        return Outcome("removed")


class Job:
    """Protects all cells of some wards on one table, which it changes."""

    def __init__(self, table: CellTable, wards: Sequence[Ward]) -> None:
        self.table, self.wards = table, tuple(wards)
        self.trees = hid3.Trees(table)
        self.guards = [[self._guard(ward, defence) for defence in ward.defences] for ward in wards]
        self.stories = {
            (number, row): Story(number, row)
            for number, ward in enumerate(self.wards)
            for row in ward.rows
            if table.frame.real[row] == row
        }
        self.cells = {
            (number, row): (actual, chance)
            for number, ward in enumerate(self.wards)
            for row, actual, chance in zip(ward.rows, ward.actuals, ward.chances, strict=True)
        }
        self.rounds = 0
        self.stopped = False
        """Whether it was told to stop before all cells were done."""

    def _guard(self, ward: Ward, defence: Defence) -> _Guard:
        if defence.method == "nrd":
            return _RowRemoved()
        if defence.rules is not None:
            return _AgainstRules(self.table, ward, defence.rules, defence.method)
        if defence.learn is not None:
            return _AgainstLearner(self.table, ward, defence.learn)
        if defence.bayes is not None:
            return _AgainstBayes(self.table, ward, defence.bayes, defence.method)
        return _AgainstTree(self.trees, ward)

    def run(self, carry_on: Callable[[int, int], bool] = lambda *_: True) -> None:
        """Hide all cells, then protect them until all hold; `carry_on` hears how many are done and left in a round.

        It stops when `carry_on` says so: what is exposed then fails.
        """
        for ward in self.wards:
            for row, actual in zip(ward.rows, ward.actuals, strict=True):
                if self.table.node(ward.column, row) == actual:
                    self.table.set(ward.column, row, ward.floors.get(row, self._least(ward, actual)))
        pending = [(number, row) for number, ward in enumerate(self.wards) for row in ward.rows]
        while pending and self.rounds < ROUNDS:
            self.rounds += 1
            before = self.table.frame.codes.sum(), self.table.gone.sum()
            if not self._protect(pending, carry_on):
                self.stopped = True
                break
            pending = self.exposed()
            if (self.table.frame.codes.sum(), self.table.gone.sum()) == before and self.rounds > 1:
                break
        self._remove_exposed()
        for story in self.failing:  # changes for other cells may have helped
            story.status = "done"
        for number, row in self.exposed():
            self._story(number, row).status = "failed"

    def _remove_exposed(self) -> None:
        """Take out rows that the rounds did not protect, where the policy says so; this may expose others."""
        while not self.stopped:
            left = [(number, row) for number, row in self.exposed() if self.wards[number].removes]
            for number, row in left:
                self._note(number, row, Outcome("failed"))
            if not left:
                return

    def exposed(self) -> list[tuple[int, int]]:
        """Return the cells (ward, row) whose true value some adversary has as the single best guess."""
        found = []
        for number, ward in enumerate(self.wards):
            keys = [(place, row) for place, row in enumerate(ward.rows) if self._is_open(number, row)]
            rows = np.array([row for _, row in keys], dtype=np.int64)
            actuals = np.array([ward.actuals[place] for place, _ in keys], dtype=np.int64)
            hit = np.zeros(len(rows), dtype=np.bool_)
            for guard in self.guards[number] if len(rows) else ():
                hit |= guard.exposed(rows, actuals)
            found += [(number, int(row)) for row in rows[hit]]
        return found

    @property
    def failing(self) -> list[Story]:
        """The cells that are not protected."""
        return [story for story in self.stories.values() if story.status == "failed"]

    def _is_open(self, number: int, row: int) -> bool:
        """Whether a cell is in the table and was not left by lot."""
        return not self.table.gone[row] and self._story(number, row).status != "by lot"

    def _least(self, ward: Ward, actual: int) -> int:
        """Return the least general node that hides a value."""
        return 0 if ward.deletes else int(self.table.trees[ward.column].parent[actual])

    def _story(self, number: int, row: int) -> Story:
        return self.stories[number, int(self.table.frame.real[row])]

    def _protect(self, pending: Sequence[tuple[int, int]], carry_on: Callable[[int, int], bool]) -> bool:
        """Protect some cells, once; return whether to go on."""
        together = {key for key in pending if self._method(key[0]) == "e-dropp"}
        self._protect_rows(together)
        for number in range(len(self.wards)):
            if not self._protect_from_rules(number, pending, carry_on):
                return False
            if self._method(number) == "e-decp":
                self._protect_values(number, [row for at, row in pending if at == number])
            for done, (at, row) in enumerate(pending):
                if at == number and self._is_open(number, row):
                    if done % 16 == 0 and not carry_on(done, len(pending) - done):
                        return False
                    self.take_turns(number, row)
        return carry_on(len(pending), 0)

    def _protect_from_rules(
        self, number: int, pending: Sequence[tuple[int, int]], carry_on: Callable[[int, int], bool]
    ) -> bool:
        """Protect all cells of a ward against rules, where it has them; return whether to go on."""
        guards = [guard for guard in self.guards[number] if isinstance(guard, _AgainstRules)]
        if not guards or not any(at == number for at, _ in pending):
            return True
        ward = self.wards[number]
        for guard in guards:
            places = [place for place, row in enumerate(ward.rows) if self._is_open(number, row)]
            rows = np.array([ward.rows[place] for place in places], dtype=np.int64)
            actuals = np.array([ward.actuals[place] for place in places], dtype=np.int64)
            left = len(rows)
            hid, leaking = guard.protect_all(rows, actuals, lambda left=left: carry_on(0, left))  # type: ignore[misc]
            failed = set(leaking)
            for row in rows.tolist():
                self._note(number, row, Outcome("failed" if row in failed else "done" if hid else "safe"))
        return carry_on(len(pending), 0)

    def decoys(self, number: int) -> set[int]:
        """Return the rows whose cells were hidden only so that hidden cells of a ward tell less."""
        return {row for g in self.guards[number] if isinstance(g, _AgainstRules) for row in g.decoys}

    def gap(self, number: int) -> int | None:
        """Return how many cells more than needed were hidden for a ward at most, where `exact` says so."""
        gaps = [g.gap for g in self.guards[number] if isinstance(g, _AgainstRules)]
        return None if not gaps or None in gaps else sum(gap for gap in gaps if gap is not None)

    def common(self, number: int) -> list[tuple[RuleDefence, bool]]:
        """Return against which rules values of a ward are too common, and whether that is so whatever is hidden."""
        return [(g.defence, g.proven) for g in self.guards[number] if isinstance(g, _AgainstRules) and g.common]

    def why(self, number: int) -> str:
        """Return why the cells of a ward cannot be protected, where that is known."""
        return "; ".join(g.why for g in self.guards[number] if isinstance(g, _AgainstRules) and g.why)

    def _method(self, number: int) -> str | None:
        """Return the method of a ward that works on several cells at once, if it has one."""
        shared = ("e-decp", "e-dropp")
        return next((defence.method for defence in self.wards[number].defences if defence.method in shared), None)

    def take_turns(self, number: int, row: int) -> None:
        """Let the defences of a cell of a ward take turns until all hold.

        At first each begins with the least general class that hides the value; the cell keeps the most general one
        that any of them asks for. Later rounds begin with what the cell has, and so do later turns of trees, which may
        know at a more general class what they do not at a lesser one.
        """
        table, column = self.table, self.wards[number].column
        guards = [guard for guard in self.guards[number] if not isinstance(guard, _AgainstRules)]
        actual, chance = self.cells[number, row]
        here, true = np.array([row], dtype=np.int64), np.array([actual], dtype=np.int64)
        for turn in range(ROUNDS):
            for guard in guards:
                level = table.node(column, row)
                if self.rounds <= 1 and (turn == 0 or isinstance(guard, _AgainstBayes)):
                    table.set(column, row, self._least(self.wards[number], actual))
                outcome = guard.protect(row, actual, chance)
                many.raise_to(table, column, row, level)
                self._note(number, row, outcome)
                if not outcome.holds:
                    return
            if not any(guard.exposed(here, true)[0] for guard in guards[:-1]):
                return

    def _note(self, number: int, row: int, outcome: Outcome) -> None:
        story = self._story(number, row)
        story.rounds = self.rounds
        if len(outcome.changes):
            changes = outcome.changes.copy()
            changes[:, 0] = self.table.frame.real[changes[:, 0]]
            story.changes = np.concatenate([story.changes, changes])
        if outcome.guess is not None:
            story.guess = outcome.guess
        if outcome.status == "removed" or (outcome.status == "failed" and self.wards[number].removes):
            story.status = "removed"
            self.table.remove(row)
        elif outcome.status != "safe" or story.status == "failed":
            story.status = outcome.status

    def _protect_values(self, number: int, rows: Sequence[int]) -> None:
        """e-DECP: rows with the same true value share the changes."""
        ward = self.wards[number]
        guard = next(guard for guard in self.guards[number] if isinstance(guard, _AgainstBayes))
        place_of = {row: place for place, row in enumerate(ward.rows)}
        by_value: dict[int, list[int]] = {}
        for row in rows:
            if self._is_open(number, row):
                by_value.setdefault(ward.actuals[place_of[row]], []).append(row)
        for actual, together in by_value.items():
            chances = [ward.chances[place_of[row]] for row in together]
            for row, outcome in many.e_decp(self.table, guard.guesser, together, actual, chances).items():
                if outcome.status != "failed":  # it is tried by itself next
                    self._note(number, row, outcome)

    def _protect_rows(self, pending: set[tuple[int, int]]) -> None:
        """e-DROPP: cells of one row share the changes."""
        by_row: dict[int, dict[int, int]] = {}
        for number, row in sorted(pending):
            if self._is_open(number, row):  # of several wards of one cell only the first shares
                by_row.setdefault(row, {}).setdefault(self.wards[number].column, number)
        for row, number_of in by_row.items():
            guessers, actuals, chances = {}, {}, {}
            for column, number in number_of.items():
                guard = next(guard for guard in self.guards[number] if isinstance(guard, _AgainstBayes))
                guessers[column] = guard.guesser
                actuals[column], chances[column] = self.cells[number, row]
            outcomes = many.e_dropp(self.table, guessers, row, actuals, chances)
            for column, number in number_of.items():
                if outcomes[column].status != "failed":
                    self._note(number, row, outcomes[column])
