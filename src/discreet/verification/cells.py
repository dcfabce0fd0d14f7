"""Verification of confidential cells: is each hidden, and does no adversary that the policy names guess it.

Guarantee: a cell *holds* against an adversary only if its released text is the marker (or, where values are
generalised, a group above the value), and the adversary, trained here on the released rows, finds another candidate at
least as probable as the true value (`strict`: more probable). Naive Bayes and ID3 are decided by whole numbers, library
learners by their own floats. Where classes are told roughly, ID3 must fail in both meanings of such rows: they train as
the commonest class that they can be, or not at all. Against rules a cell holds only if no rule to the true value is
above both thresholds, by whole numbers too. Nor does it hold where to be hidden tells the value (`audit.telling`),
unless the policy lets that pass with a warning. With `knows: original` that is so for every released combination of
recoded columns that covers the row. Nothing here knows how the release was made; nothing here is used in making it.

Not covered: other adversaries, and whoever knows that something was changed because the guess was right. For rules
there are figures of what others read in the same release, and warnings; no answer rests on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.adversary.base import Floats, Prior, Trained, prior
from discreet.adversary.make import make, readings
from discreet.adversary.rules import Rule, RulesGuesser
from discreet.adversary.view import Flags, Lines, View, joined, see
from discreet.columns.medians import Ranges
from discreet.common.rates import wilson
from discreet.encoded import Ints
from discreet.fit.cells import absent, confidential_places, is_missing, known_to
from discreet.policy import Policy
from discreet.policy.adversaries import MOST_CONDITIONS, Adversary, Rules, too_many_conditions
from discreet.policy.bind import known_to_groups
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine
from discreet.verification.answers import Answer
from discreet.verification.mined import Mined, Mining
from discreet.verification.telling import Telling, hidden_cells, judged, most_telling
from discreet.verification.truth import reach

_MOST_LINES = 200_000
_MOST_PAIRS = 8_000_000
"""What is held at a time: lines to guess, and pairs of rows and combinations."""


@dataclass(frozen=True)
class Cell:
    """One confidential cell and one adversary.

    Parameters
    ----------
    row
        Its row number in the input, from 1.
    hidden
        Whether the released text does not tell the value; None for a removed row.
    probability
        What the adversary gives the true value on the release (the largest, where several lines are possible);
        for reports: no answer rests on it.
    guessed_when_only_hidden, probability_when_only_hidden
        The same where only the confidential cells are hidden; None if that is not known.
    rule
        Against rules: the most confident one to the true value that has more than the least support.
    aware
        Against rules, among the hidden cells of rows that share some conditions: those with the true value, and all of
        them; where their share is largest. What is read by who knows how cells are protected.
    """

    row: int
    adversary: str
    answer: Answer
    hidden: bool | None
    probability: float | None
    guessed_when_only_hidden: bool | None = None
    probability_when_only_hidden: float | None = None
    rule: Rule | None = None
    aware: tuple[int, int] | None = None

    @property
    def removed(self) -> bool:
        """Whether the row is not in the release."""
        return self.hidden is None and self.answer is Answer.HOLDS

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "row": self.row,
            "adversary": self.adversary,
            "answer": str(self.answer),
            "hidden": self.hidden,
            "removed": self.removed,
            "probability": self.probability,
            "guessed_when_only_hidden": self.guessed_when_only_hidden,
            "probability_when_only_hidden": self.probability_when_only_hidden,
            "rule": None if self.rule is None else self.rule.to_dict(),
            "aware": None if self.aware is None else list(self.aware),
        }


@dataclass(frozen=True)
class Against:
    """One adversary and all cells: how many it guesses, beside what is guessed with less.

    Parameters
    ----------
    cells
        The cells in the release.
    guessed
        Those whose true value is its (single) best guess on the release.
    only_hidden, guessed_when_only_hidden
        The cells, and those guessed, where only the confidential cells are hidden; None if that is not known.
    guessed_by_prior
        Those that have the commonest value of the column, which needs no predictor to guess.
    readings
        Against rules, the cells that an unsafe rule leads to, by who reads the release: `all` and `published` divide by
        all rows with the conditions and by those whose cell is told; `absence` also takes what is not released of the
        row for a condition; `aware` looks at the hidden cells only, at least two of them.
    """

    adversary: str
    cells: int
    guessed: int
    only_hidden: int | None
    guessed_when_only_hidden: int | None
    guessed_by_prior: int
    readings: Mapping[str, int] | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data, each figure with its 95% interval."""
        return {
            "adversary": self.adversary,
            "cells": self.cells,
            "guessed": self.guessed,
            "interval": list(wilson(self.guessed, self.cells)),
            "only_hidden": None
            if self.only_hidden is None or self.guessed_when_only_hidden is None
            else {
                "cells": self.only_hidden,
                "guessed": self.guessed_when_only_hidden,
                "interval": list(wilson(self.guessed_when_only_hidden, self.only_hidden)),
            },
            "prior": {"guessed": self.guessed_by_prior, "interval": list(wilson(self.guessed_by_prior, self.cells))},
            "readings": None if self.readings is None else dict(self.readings),
        }


@dataclass(frozen=True)
class CellsFound:
    """The answer about one `Confidential`; `index` is its position in `protect`."""

    index: int
    promise: str
    answer: Answer
    cells: tuple[Cell, ...] = ()
    against: tuple[Against, ...] = ()
    prior: Prior | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    telling: Telling | None = None
    """What hidden cells tell by being hidden: of those that look alike, the ones that tell most."""

    def rows(self, answer: Answer) -> tuple[int, ...]:
        """Return the numbers of the rows with a cell of which this was said, ascending."""
        return tuple(sorted({cell.row for cell in self.cells if cell.answer is answer}))

    @property
    def failing(self) -> tuple[int, ...]:
        """The numbers of the rows whose cells do not hold, by lot or not."""
        return tuple(sorted({cell.row for cell in self.cells if cell.answer is not Answer.HOLDS}))

    def to_dict(self) -> dict[str, object]:
        """Return plain data; row numbers and probabilities are as private as the original."""
        return {
            "index": self.index,
            "kind": "confidential",
            "promise": self.promise,
            "answer": str(self.answer),
            "reason": self.reason,
            "warnings": list(self.warnings),
            "telling": None if self.telling is None else self.telling.to_dict(),
            "broken_rows": list(self.rows(Answer.BROKEN)),
            "by_lot_rows": list(self.rows(Answer.BY_LOT)),
            "against": [against.to_dict() for against in self.against],
            "cells": [cell.to_dict() for cell in self.cells],
        }


def check_cells(
    released: Engine,
    policy: Policy,
    index: int,
    requirement: Confidential,
    original: Engine | None,
    *,
    matches: Matches | None = None,
    hide_only: Engine | None = None,
    medians: Mapping[str, Ranges] | None = None,
) -> CellsFound:
    """Verify the confidential cells of one requirement on a release.

    Parameters
    ----------
    released, policy, index, requirement, original
        The release, the policy it should keep, the requirement and its position in `protect`, and the table it was
        made from (as read by the policy: without dropped rows).
    matches
        Which rows of the original (by place) the released ones can be; needed when rows are missing. A cell of which
        it is not certain where it stands is not checkable.
    hide_only
        The original as the recodings alone release it (its `numbers` are those of the input): the baseline. The
        confidential cells are hidden here.
    medians
        The intervals published beside the release.
    """
    checks = looked_at(
        released, policy, requirement, original, matches=matches, hide_only=hide_only, medians=medians or {}
    )
    if isinstance(checks, str):
        return CellsFound(index, str(requirement), Answer.NOT_CHECKABLE, reason=checks)
    check, alone = checks
    return check.found(index, alone)


def looked_at(
    released: Engine,
    policy: Policy,
    requirement: Confidential,
    original: Engine | None,
    *,
    matches: Matches | None,
    hide_only: Engine | None,
    medians: Mapping[str, Ranges],
) -> tuple[CellCheck, CellCheck | None] | str:
    """Return the cells of a requirement on the release and, if it is known, where they alone are hidden.

    A text says why nobody can look at them. The rest is as for `check_cells`.
    """
    places = None if matches is None else matches.first
    if reason := _unready(released, policy, requirement, original, places):
        return reason
    assert original is not None
    check = CellCheck(released, policy, requirement, original, _placed(released, places), medians, matches=matches)
    if hide_only is None:
        return check, None
    beside = np.searchsorted(original.numbers(), hide_only.numbers())
    return check, CellCheck(hide_only, policy, requirement, original, beside, medians, hiding=True)


@dataclass(frozen=True)
class Matches:
    """The first and the last row of the original (by place) that each released row can stand for."""

    first: Ints
    last: Ints

    def doubt(self, places: Ints) -> Flags:
        """Say of which rows of the original it is not certain which released row they are, or whether they are any."""
        stop = np.searchsorted(self.first, places, side="right")
        start = np.searchsorted(self.last, places, side="left")
        inside = np.minimum(start, max(len(self.first) - 1, 0))
        certain = np.zeros(len(places), dtype=np.bool_)
        if len(self.first):
            certain = (stop - start == 1) & (self.first[inside] == self.last[inside])
        doubtful: Flags = (stop > start) & ~certain
        return doubtful


def _placed(released: Engine, places: Ints | None) -> Ints:
    return np.arange(released.rows) if places is None else np.asarray(places, dtype=np.int64)


def _unready(
    released: Engine, policy: Policy, requirement: Confidential, original: Engine | None, places: Ints | None
) -> str | None:
    """Return why nothing can be said, if so."""
    if original is None:
        return "give the original: without it nobody can say whether a guess is right"
    rules = [adversary for adversary in requirement.adversaries if isinstance(adversary, Rules)]
    conditions = [name for adversary in rules for name in adversary.conditions or ()]
    columns = [requirement.column, *(requirement.predictors or ()), *conditions]
    gone = [name for name in columns if name not in released.columns or name not in original.columns]
    gone += [name for _, name in requirement.looks_up() if name not in original.columns]
    if gone:
        return f"there is no column {gone[0]!r}"
    number = max((len(known_to(adversary, requirement, policy, released.columns)) for adversary in rules), default=0)
    if number > MOST_CONDITIONS:
        return too_many_conditions(number)
    if missing := absent(requirement, original):
        return f"the original lacks {missing} of the rows whose cells are confidential"
    if places is None and released.rows != original.rows:
        return "the release has not as many rows as the original, and it is not known which they are"
    if places is not None:
        ends = np.concatenate([[-1], np.asarray(places), [original.rows]])
        if len(places) != released.rows or (np.diff(ends) <= 0).any():
            return "the rows of the release could not be matched with those of the original"
    return None


@dataclass(frozen=True)
class _Attack:
    """What an adversary found out of the checked cells."""

    exposed: Flags
    probability: Floats
    mined: Mined | None = None
    warnings: tuple[str, ...] = ()


class CellCheck:
    """The cells of one requirement on one table: the release, or the one where they alone are hidden.

    `columns` are those that an adversary knows; those of the first one when absent.
    """

    def __init__(
        self,
        table: Engine,
        policy: Policy,
        requirement: Confidential,
        original: Engine,
        beside: Ints,
        medians: Mapping[str, Ranges],
        *,
        hiding: bool = False,
        columns: tuple[str, ...] | None = None,
        matches: Matches | None = None,
    ) -> None:
        self.table, self.policy, self.requirement, self.original = table, policy, requirement, original
        self.medians, self.beside, self.hiding, self.matches = medians, beside, hiding, matches
        self.columns = self._known_to(requirement.adversaries[0]) if columns is None else columns
        self.places = confidential_places(requirement, original)
        here = np.full(original.rows, -1, dtype=np.int64)
        here[beside] = np.arange(len(beside))
        self.here = here[self.places]
        self.doubtful = np.zeros(len(self.places), dtype=np.bool_) if matches is None else matches.doubt(self.places)
        """Where each cell's row stands in the table; -1 if it was removed."""
        view = see(table, policy, requirement, original, self.columns)
        self.view: View = view.hiding(self.here[self.here >= 0]) if hiding else view
        self.true = self._true(self.places)
        self.checked = np.flatnonzero((self.here >= 0) & (self.true >= 0) & ~self.doubtful)
        """The cells that somebody could guess."""

    def _known_to(self, adversary: Adversary) -> tuple[str, ...]:
        return known_to(adversary, self.requirement, self.policy, self.table.columns)

    def knowing(self, adversary: Adversary) -> CellCheck:
        """Return the same cells beside the columns that an adversary knows."""
        columns = self._known_to(adversary)
        if columns == self.columns:
            return self
        return CellCheck(
            self.table, self.policy, self.requirement, self.original, self.beside, self.medians,
            hiding=self.hiding, columns=columns, matches=self.matches,
        )  # fmt: skip

    def _true(self, places: Ints) -> Ints:
        """Return the true value of some rows of the original, by its place in the domain; -1 where there is none."""
        encoded, tree = self.original.encoded(self.requirement.column), self.view.classes.tree
        of_text = [
            -1 if is_missing(self.policy, text) else int(tree.leaf_of[tree.node_of.get(text, 0)])
            for text in encoded.domain
        ]
        return np.array(of_text, dtype=np.int64)[encoded.codes[places]]

    def hidden(self) -> Flags:
        """Say whether the released text of each checked cell does not tell its value."""
        here, encoded = self.here[self.checked], self.table.encoded(self.requirement.column)
        marked = np.array([text == self.policy.marker for text in encoded.domain], dtype=np.bool_)
        hidden: Flags = marked[encoded.codes[here]]
        if self.requirement.change == "generalise":
            hidden |= self._above(here)
        return hidden

    def _above(self, here: Ints) -> Flags:
        """Say where the released text is a label of the taxonomy above the true value."""
        taxonomy = self.policy.column(self.requirement.column).taxonomy
        encoded, tree = self.table.encoded(self.requirement.column), self.view.classes.tree
        if taxonomy is None:
            return np.zeros(len(here), dtype=np.bool_)
        groups = {label for node in taxonomy.nodes if node.children for label in node.labels}
        is_group = np.array([text in groups for text in encoded.domain], dtype=np.bool_)
        nodes, true = self.view.classes.nodes[here], self.true[self.checked]
        above: Flags = is_group[encoded.codes[here]] & (tree.first[nodes] <= true) & (true < tree.stop[nodes])
        return above

    @cached_property
    def lines(self) -> tuple[Lines, Ints]:
        """What may be known of each checked cell, and which of them each line is about."""
        own, owner = self.view.lines(self.here[self.checked]), np.arange(len(self.checked))
        recoded = known_to_groups(self.policy)
        places = [place for place, seen in enumerate(self.view.predictors) if seen.name in recoded]
        if self.requirement.knows == "released" or not places or not len(owner):
            return own, owner
        return self._covering_lines(own, places)

    def _covering_lines(self, own: Lines, columns: list[int]) -> tuple[Lines, Ints]:
        """Return a line for each released combination of recoded columns that covers the row's original values."""
        names = [self.view.predictors[column].name for column in columns]
        texts = self.table.recount(names, None, (), ()).texts
        nodes, covers = [], []
        for place, (column, name) in enumerate(zip(columns, names, strict=True)):
            encoded = self.table.encoded(name)
            at = {text: code for code, text in enumerate(encoded.domain)}
            released = np.array([at[text] for text in texts.to_series(place).to_list()], dtype=np.int64)
            tree = self.view.predictors[column].tree
            of_text = [0 if is_missing(self.policy, text) else tree.node_of.get(text, 0) for text in encoded.domain]
            nodes.append(np.array(of_text, dtype=np.int64)[released])
            covers.append(self._covers(name)[:, released])
        combined = np.column_stack(nodes)
        originals = np.column_stack(
            [self.original.encoded(name).codes[self.places[self.checked]].astype(np.int64) for name in names]
        )
        kinds, kind = np.unique(originals, axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        lines, owners = [own], [np.arange(len(own))]
        size = max(1, _MOST_PAIRS // max(1, len(combined)))
        for start in range(0, len(kinds), size):
            among = kinds[start : start + size]
            fits = np.ones((len(among), len(combined)), dtype=np.bool_)
            for place in range(len(names)):
                fits &= covers[place][among[:, place]]
            cells = np.flatnonzero((kind >= start) & (kind < start + len(among)))
            which, combination = np.nonzero(fits[kind[cells] - start])
            owner = cells[which]
            known = own.nodes[owner]
            known[:, columns] = combined[combination]
            lines.append(Lines(own.places[owner], own.levels[owner], known))
            owners.append(owner)
        return joined(lines), np.concatenate(owners)

    def _covers(self, name: str) -> Flags:
        """Say which originals (by code) each released text (by code) of a recoded column covers."""
        originals, released = self.original.domain(name), self.table.domain(name)
        missing = self.policy.missing.values if self.policy.missing is not None else ()
        column, marker = self.policy.columns.get(name), self.policy.marker
        found = reach(originals, released, column, marker, missing, self.medians.get(name))
        order = np.array(found.order, dtype=np.int64)
        at = {text: number for number, text in enumerate(originals)}
        covers = np.zeros((len(originals), len(released)), dtype=np.bool_)
        for place, ranges in enumerate(found.ranges):
            for first, stop in ranges:
                covers[order[first:stop], place] = True
            if released[place] in at:
                covers[at[released[place]], place] = True
        return covers

    def attack(self, adversary: Adversary) -> _Attack:
        """Return what an adversary who knows these columns finds out."""
        guesser = make(adversary)
        if isinstance(guesser, RulesGuesser):
            return self._mined(guesser)
        found = [self._guessed_by(one) for one in readings(adversary, self.view)]
        exposed = np.logical_or.reduce([exposed for exposed, _ in found])
        return _Attack(exposed, np.maximum.reduce([probability for _, probability in found]))

    def _guessed_by(self, adversary: Trained) -> tuple[Flags, Floats]:
        """Return which checked cells an adversary guesses, and the probability of their true values."""
        lines, owners = self.lines
        exposed = np.zeros(len(self.checked), dtype=np.bool_)
        probability = np.zeros(len(self.checked))
        true = self.true[self.checked]
        for start in range(0, len(lines), _MOST_LINES):
            owner = owners[start : start + _MOST_LINES]
            guesses = adversary.guess(lines.at(slice(start, start + _MOST_LINES)))
            wanted = true[owner]
            np.logical_or.at(exposed, owner, guesses.exposes(wanted, strict=self.requirement.strict))
            np.maximum.at(probability, owner, guesses.weights[np.arange(len(owner)), wanted])
        return exposed, probability

    def _mined(self, guesser: RulesGuesser) -> _Attack:
        """Return the cells that rules give away, and what others would read in the same rows."""
        truth = self._true(self.beside)
        found = Mining(self.view, *self.lines, self.true[self.checked], truth).mine(guesser)
        column, decoys = self.requirement.column, self.requirement.decoys
        warnings = tuple(found.warnings(column, guesser.min_confidence, decoys=bool(decoys)))
        return _Attack(found.exposed, found.confidence, found, warnings)

    def _left_to_lot(self) -> Flags:
        """Say which checked cells have only two candidates, and are left to chance by the policy."""
        levels, tree = self.view.classes.nodes[self.here[self.checked]], self.view.classes.tree
        if self.requirement.two_values != "lot":
            return np.zeros(len(levels), dtype=np.bool_)
        values = self.original.domain(self.requirement.column)
        if sum(not is_missing(self.policy, value) for value in values) <= 2:
            return np.ones(len(levels), dtype=np.bool_)
        two: Flags = tree.stop[levels] - tree.first[levels] == 2
        return two

    def found(self, index: int, alone: CellCheck | None) -> CellsFound:
        """Return the answers about all cells and adversaries."""
        cells: list[Cell] = []
        against: list[Against] = []
        hidden, lot, first = self.hidden(), self._left_to_lot(), prior(self.view)
        by_prior = sum(self.view.classes.tree.domain[place] == first.value for place in self.true[self.checked])
        warnings: list[str] = []
        for adversary in self.requirement.adversaries:
            attack = self.knowing(adversary).attack(adversary)
            before = None if alone is None else alone._guessed(adversary)
            chance = lot & (not isinstance(adversary, Rules))
            cells += self._cells(adversary.name, attack, hidden, chance, before)
            warnings += attack.warnings
            known = None if before is None else before[0][before[0] >= 0]
            against.append(
                Against(
                    adversary.name,
                    len(self.checked),
                    int(attack.exposed.sum()),
                    None if known is None else len(known),
                    None if known is None else int(known.sum()),
                    by_prior,
                    None if attack.mined is None else attack.mined.readings,
                )
            )
        telling = self._telling()
        refused, reason, more = judged(self.requirement, telling)
        answer = _worst([*(cell.answer for cell in cells), refused])
        return CellsFound(
            index, str(self.requirement), answer, tuple(cells), tuple(against), first, reason,
            (*warnings, *more), telling,
        )  # fmt: skip

    def _telling(self) -> Telling | None:
        """Return what hidden cells of the column tell by being hidden."""
        requirement = self.requirement
        hidden = hidden_cells(self.table, self.original, self.beside, self.policy, requirement.column)
        doubtful = np.empty(0, dtype=np.int64)
        if self.matches is not None:
            doubtful = np.flatnonzero(self.matches.doubt(self.beside))
        chosen = (requirement.where or {}).get(requirement.column)
        together = None if chosen is None else [at for at, text in enumerate(hidden.domain) if text in chosen]
        values = None if together is None else np.array(together, dtype=np.int64)
        return most_telling(hidden, self.here[self.here >= 0], values, doubtful)

    def _guessed(self, adversary: Adversary) -> tuple[Ints, Floats]:
        """Return for each cell 1 if it is guessed, 0 if not, -1 if nobody could guess it; and how probable it is."""
        guessed, probability = np.full(len(self.places), -1, dtype=np.int64), np.zeros(len(self.places))
        attack = self.knowing(adversary).attack(adversary)
        guessed[self.checked], probability[self.checked] = attack.exposed, attack.probability
        return guessed, probability

    def _cells(
        self,
        adversary: str,
        attack: _Attack,
        hidden: Flags,
        lot: Flags,
        before: tuple[Ints, Floats] | None,
    ) -> list[Cell]:
        at = {int(place): number for number, place in enumerate(self.checked)}
        numbers = self.original.numbers()[self.places]
        cells = []
        for place, number in enumerate(numbers.tolist()):
            unknown = before is None or before[0][place] < 0
            earlier = (None, None) if before is None or unknown else (bool(before[0][place]), float(before[1][place]))
            if place not in at:
                gone = self.here[place] < 0 and not self.doubtful[place]
                answer = Answer.HOLDS if gone else Answer.NOT_CHECKABLE
                cells.append(Cell(number, adversary, answer, None, None, *earlier))
                continue
            here = at[place]
            answer = Answer.HOLDS
            if not hidden[here]:
                answer = Answer.BROKEN
            elif attack.exposed[here]:
                answer = Answer.BY_LOT if lot[here] else Answer.BROKEN
            told = float(attack.probability[here])
            cell = Cell(number, adversary, answer, bool(hidden[here]), told, *earlier)
            if attack.mined is not None:
                cell = replace(cell, rule=attack.mined.rules[here], aware=attack.mined.aware[here])
            cells.append(cell)
        return cells


def _worst(said: list[Answer]) -> Answer:
    """Return the worst answer of all."""
    worst = (Answer.BROKEN, Answer.NOT_CHECKABLE, Answer.BY_LOT)
    return next((answer for answer in worst if answer in said), Answer.HOLDS)
