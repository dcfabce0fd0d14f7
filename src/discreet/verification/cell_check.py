"""The confidential cells of one requirement looked at on one table: hidden or not, guessed or not, telling or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.adversary.base import Floats, Trained, prior
from discreet.adversary.make import make, readings
from discreet.adversary.rules import RulesGuesser
from discreet.adversary.view import Flags, Lines, View, joined, see
from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.fit.cells import confidential_places, is_missing, known_to
from discreet.policy import Policy
from discreet.policy.adversaries import Adversary, Rules
from discreet.policy.bind import known_to_groups
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine
from discreet.verification.answers import Answer
from discreet.verification.cart import RetrainedCart, is_cart
from discreet.verification.cell_answers import Against, Cell, CellsFound
from discreet.verification.mined import Mined, Mining
from discreet.verification.reach import reach
from discreet.verification.row_matches import Matches
from discreet.verification.telling import Telling, hidden_cells, judged, marked_rows, most_telling

_MOST_LINES = 200_000
_MOST_PAIRS = 8_000_000
"""What is held at a time: lines to guess, and pairs of rows and combinations."""


@dataclass(frozen=True)
class _Guessed:
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
        """Where each cell's row stands in the table; -1 if it was removed."""
        self.doubtful = np.zeros(len(self.places), dtype=np.bool_) if matches is None else matches.doubt(self.places)
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
        here = self.here[self.checked]
        hidden: Flags = marked_rows(self.table, self.requirement.column, self.policy.marker)[here]
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
        column, marker = self.policy.columns.get(name), self.policy.marker
        found = reach(originals, released, column, marker, self.policy.missing_values, self.medians.get(name))
        order = np.array(found.order, dtype=np.int64)
        at = {text: number for number, text in enumerate(originals)}
        covers = np.zeros((len(originals), len(released)), dtype=np.bool_)
        for place, ranges in enumerate(found.ranges):
            for first, stop in ranges:
                covers[order[first:stop], place] = True
            if released[place] in at:
                covers[at[released[place]], place] = True
        return covers

    def attack(self, adversary: Adversary) -> _Guessed:
        """Return what an adversary who knows these columns finds out."""
        guesser = make(adversary)
        if isinstance(guesser, RulesGuesser):
            return self._mined(guesser)
        seen = [RetrainedCart(self.view, self.policy)] if is_cart(adversary) else readings(adversary, self.view)
        found = [self._guessed_by(one) for one in seen]
        exposed = np.logical_or.reduce([exposed for exposed, _ in found])
        return _Guessed(exposed, np.maximum.reduce([probability for _, probability in found]))

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

    def _mined(self, guesser: RulesGuesser) -> _Guessed:
        """Return the cells that rules give away, and what others would read in the same rows."""
        truth = self._true(self.beside)
        found = Mining(self.view, *self.lines, self.true[self.checked], truth).mine(guesser)
        column, decoys = self.requirement.column, self.requirement.decoys
        warnings = tuple(found.warnings(column, guesser.min_confidence, decoys=bool(decoys)))
        return _Guessed(found.exposed, found.confidence, found, warnings)

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
        attack: _Guessed,
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
