"""Whole jobs: many confidential cells of different columns, values and rows, until all of them hold together.

Guarantee: every cell is hidden (or generalised); when the job ends, each adversary was asked about every cell on the
table as it is then, and `Job.failing` has all those whose true value is the single best guess (but for those left by
lot, and the rows that were taken out). Each round only hides, so it ends; after `ROUNDS` what is left fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.method.cells import hid3, many
from discreet.method.cells.bayes import NONE, Ints, Outcome
from discreet.method.cells.guards import AgainstBayes, AgainstRules, Defence, RuleDefence, Ward, guard_of
from discreet.method.cells.table import CellTable

__all__ = ["ROUNDS", "Defence", "Job", "RuleDefence", "Story", "Ward"]

ROUNDS = 20


@dataclass
class Story:
    """What became of one cell."""

    ward: int
    row: int
    status: str = "safe"
    guess: int | None = None
    rounds: int = 0
    changes: Ints = field(default_factory=lambda: NONE)


class Job:
    """Protects all cells of some wards on one table, which it changes."""

    def __init__(self, table: CellTable, wards: Sequence[Ward]) -> None:
        self.table, self.wards = table, tuple(wards)
        self.trees = hid3.Trees(table)
        self.guards = [[guard_of(table, self.trees, ward, each) for each in ward.defences] for ward in wards]
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
        self.given_up: dict[tuple[int, int], int] = {}
        """The cells (ward, row) for which a method last found no way, with the place of that defence."""

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
        for number in range(len(self.wards)):
            rows, actuals = self.open(number)
            hit = np.zeros(len(rows), dtype=np.bool_)
            for guard in self.guards[number] if len(rows) else ():
                hit |= guard.exposed(rows, actuals)
            found += [(number, int(row)) for row in rows[hit]]
        return found

    @property
    def failing(self) -> list[Story]:
        """The cells that are not protected."""
        return [story for story in self.stories.values() if story.status == "failed"]

    def open(self, number: int) -> tuple[Ints, Ints]:
        """Return the rows of a ward that adversaries are asked about, shadows among them, and their true values."""
        ward = self.wards[number]
        places = [place for place, row in enumerate(ward.rows) if self._is_open(number, row)]
        rows = np.array([ward.rows[place] for place in places], dtype=np.int64)
        return rows, np.array([ward.actuals[place] for place in places], dtype=np.int64)

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
        guards = [guard for guard in self.guards[number] if isinstance(guard, AgainstRules)]
        if not guards or not any(at == number for at, _ in pending):
            return True
        for guard in guards:
            rows, actuals = self.open(number)
            left = len(rows)
            hid, leaking = guard.protect_all(rows, actuals, lambda left=left: carry_on(0, left))  # type: ignore[misc]
            failed = set(leaking)
            for row in rows.tolist():
                self._note(number, row, Outcome("failed" if row in failed else "done" if hid else "safe"))
        return carry_on(len(pending), 0)

    def decoys(self, number: int) -> set[int]:
        """Return the rows whose cells were hidden only so that hidden cells of a ward tell less."""
        return {row for g in self.guards[number] if isinstance(g, AgainstRules) for row in g.decoys}

    def gap(self, number: int) -> int | None:
        """Return how many cells more than needed were hidden for a ward at most, where `exact` says so."""
        gaps = [g.gap for g in self.guards[number] if isinstance(g, AgainstRules)]
        return None if not gaps or None in gaps else sum(gap for gap in gaps if gap is not None)

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
        placed = [(place, g) for place, g in enumerate(self.guards[number]) if not isinstance(g, AgainstRules)]
        actual, chance = self.cells[number, row]
        here, true = np.array([row], dtype=np.int64), np.array([actual], dtype=np.int64)
        self.given_up.pop((number, row), None)
        for turn in range(ROUNDS):
            for place, guard in placed:
                level = table.node(column, row)
                if self.rounds <= 1 and (turn == 0 or isinstance(guard, AgainstBayes)):
                    table.set(column, row, self._least(self.wards[number], actual))
                outcome = guard.protect(row, actual, chance)
                many.raise_to(table, column, row, level)
                self._note(number, row, outcome)
                if not outcome.holds:
                    self.given_up[number, row] = place
                    return
            if not any(guard.exposed(here, true)[0] for _, guard in placed[:-1]):
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
        guard = next(guard for guard in self.guards[number] if isinstance(guard, AgainstBayes))
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
                guard = next(guard for guard in self.guards[number] if isinstance(guard, AgainstBayes))
                guessers[column] = guard.guesser
                actuals[column], chances[column] = self.cells[number, row]
            outcomes = many.e_dropp(self.table, guessers, row, actuals, chances)
            for column, number in number_of.items():
                if outcomes[column].status != "failed":
                    self._note(number, row, outcomes[column])
