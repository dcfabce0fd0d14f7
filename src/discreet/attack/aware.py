"""The aware adversary: for each method the attack of who knows it, and knows that it was used.

A method changes a table only where a guess was right. So a change tells that the guess was right, and often what it
was: `refill` puts back what was hidden in other rows (DECP, INCP), `inversion` fills what was hidden in the row itself
(DROPP, HID3, greedy), `hidden_values` looks at hidden cells only (set multi-cover and the like, against rules),
`absence` takes "it is not released" for a condition, and `minimality` asks why a recoding does not show more. None of
this breaks a promise, for no promise covers it; the figures say what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from discreet.adversary.base import Floats, Guesses, Trained, normalised, prior
from discreet.adversary.make import GUESSERS, make
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import Flags
from discreet.attack.base import Attack, AttackTask
from discreet.attack.blind import blind_attacks
from discreet.attack.counting import ClassCounts
from discreet.attack.deciding import decided_attacks
from discreet.attack.hidden_values import rule_attacks
from discreet.attack.inversion import invert
from discreet.attack.minimality import minimality_attacks
from discreet.attack.protected import ProtectedCells, right, told
from discreet.attack.refill import refill
from discreet.common.rates import Rate
from discreet.common.surest import surest_fifth
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy.adversaries import Adversary
from discreet.policy.bind import known_to_groups
from discreet.policy.confidential import Confidential
from discreet.verification.cell_check import CellCheck
from discreet.verification.cells import looked_at
from discreet.verification.row_matches import Matches

REFILLED = ("decp", "e-decp", "incp")
INVERTED = ("dropp", "e-dropp", "hid3", "greedy")
_FEW = 30
"""Below so many cells no interval tells anything."""


def aware_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attacks of who knows the methods that a policy names."""
    for index, requirement in scene.policy.cells():
        if scene.places is None or requirement.is_blind:
            continue  # whose row is whose is not known: no guess could be judged; or see `attack/blind.py`
        cells = _AwareCells(scene, index, requirement)
        for adversary, method in requirement.defences:
            if method == "nrd":
                continue  # the rows are not there
            name = f"aware, {method} against {adversary.name}"
            yield AttackTask(name, _seconds(scene, requirement, adversary), _Run(cells, adversary, method))
    yield from blind_attacks(scene)
    yield from minimality_attacks(scene)
    yield from decided_attacks(scene)


def _seconds(scene: Scene, requirement: Confidential, adversary: Adversary) -> float:
    """Return about how long an attack takes."""
    cells = min(len(scene.cells(requirement)), scene.victims)
    first, each = (0.1, 0.001) if GUESSERS.of(adversary).is_quick else (1.0, 0.02)
    return first + cells * each + scene.released.rows * 2e-6 * len(scene.released.columns)


class _Run:
    """What is to be tried for one defence."""

    def __init__(self, cells: _AwareCells, adversary: Adversary, method: str) -> None:
        self.cells, self.adversary, self.method = cells, adversary, method

    def __call__(self) -> Iterator[Attack]:
        if isinstance(self.cells.looked, str):
            return
        if self.adversary.mines_rules:
            yield from rule_attacks(self.cells.index, self.adversary, *self.cells.looked)
            return
        if not len(self.cells.tried):
            return
        trial = _Trial(self.cells, self.adversary)
        if self.method in REFILLED or (trial.bayes is not None and self.cells.others_changed):
            yield trial.refill(classes=self.method == "incp" or self.cells.others_hidden)
        if self.method in INVERTED or self.cells.rows_changed:
            yield trial.invert()


class _AwareCells:
    """The confidential cells of one requirement, looked at when they are asked for."""

    def __init__(self, scene: Scene, index: int, requirement: Confidential) -> None:
        self.scene, self.index, self.requirement = scene, index, requirement

    @cached_property
    def looked(self) -> tuple[CellCheck, CellCheck | None] | str:
        """The cells on the release and where they alone are hidden; or why nobody can look at them."""
        scene = self.scene
        assert scene.places is not None
        matches = Matches(scene.places, scene.places)
        return looked_at(
            scene.released, scene.policy, self.requirement, scene.original, matches=matches,
            hide_only=scene.hide_only, medians=scene.medians,
        )  # fmt: skip

    @property
    def check(self) -> CellCheck:
        """The cells on the release."""
        assert not isinstance(self.looked, str)
        learner = next(each for each in self.requirement.adversaries if not each.mines_rules)
        return self.looked[0].knowing(learner)

    @cached_property
    def tried(self) -> Ints:
        """The cells that are guessed, by their places among the checked ones."""
        return self.scene.draw(np.arange(len(self.check.checked)))

    @property
    def alone(self) -> bool:
        """Whether all edits of the release are for this requirement."""
        return sum(1 for _ in self.scene.policy.cells()) == 1

    @cached_property
    def protected(self) -> ProtectedCells:
        """The cells as who knows the method sees them."""
        check, policy = self.check, self.scene.policy
        lines = check.view.lines(check.here[check.checked][self.tried])
        columns = [self._changed(seen.name) for seen in check.view.predictors]
        changed = np.column_stack(columns) if columns else np.zeros((check.view.rows, 0), dtype=np.bool_)
        others = {made.column for at, made in policy.cells() if at != self.index}
        unsaid = np.array([seen.name in others for seen in check.view.predictors], dtype=np.bool_)
        tree = check.view.classes.tree
        two = tree.stop[lines.levels] - tree.first[lines.levels] == 2
        lot: Flags = two & (self.requirement.two_values == "lot")
        hidden = self._changed(self.requirement.column)
        return ProtectedCells(check.view, lines, changed, hidden, self.alone, unsaid, self.requirement.strict, lot)

    def _changed(self, name: str) -> Flags:
        """Say in which rows a column has a text that an edit may have put there."""
        policy, encoded = self.scene.policy, self.scene.released.encoded(name)
        if name in known_to_groups(policy):
            return np.zeros(len(encoded.codes), dtype=np.bool_)
        texts: set[str | None] = {policy.marker}
        taxonomy = policy.column(name).taxonomy
        if taxonomy is not None and any(made.change == "generalise" for _, made in policy.cells()):
            texts |= {label for node in taxonomy.nodes if node.children for label in node.labels}
        changed: Flags = np.array([text in texts for text in encoded.domain], dtype=np.bool_)[encoded.codes]
        return changed

    @property
    def others_changed(self) -> bool:
        """Whether rows whose class is told were changed, and for nothing else than these cells."""
        return self.alone and bool(self.protected.changed[~self.protected.hidden].any())

    @property
    def others_hidden(self) -> bool:
        """Whether more classes are hidden than are confidential, and for nothing else than these cells."""
        return self.alone and int(self.protected.hidden.sum()) > int((self.check.here >= 0).sum())

    @property
    def rows_changed(self) -> bool:
        """Whether the rows of the cells were changed, and for nothing else than these cells."""
        return self.alone and bool(self.protected.own.any())


class _Trial:
    """The cells of one requirement beside one adversary whom they are protected from."""

    def __init__(self, cells: _AwareCells, adversary: Adversary) -> None:
        self.cells, self.adversary = cells, adversary
        self.protected = cells.protected
        check = cells.check
        self.true = check.true[check.checked][cells.tried]
        guesser = make(adversary)
        self.bayes = guesser if isinstance(guesser, NaiveBayesGuesser) else None
        """Whose counts are known: naive Bayes itself."""
        self.trained: Trained = guesser.train(self.protected.view)
        self.guesses: Guesses = self.trained.guess(self.protected.lines)

    @cached_property
    def before(self) -> Guesses | None:
        """What the adversary takes the same cells for where they alone are hidden; None if that is not known."""
        assert not isinstance(self.cells.looked, str)
        if self.cells.looked[1] is None:
            return None
        alone = self.cells.looked[1].knowing(self.adversary)
        places = self.cells.check.checked[self.cells.tried]
        return make(self.adversary).train(alone.view).guess(alone.view.lines(alone.here[places]))

    def refill(self, *, classes: bool) -> Attack:
        """Put back what was hidden in other rows."""
        assert self.bayes is not None
        found = refill(self.protected, self.bayes, self.guesses, classes=classes)
        notes = []
        changed = found.changed
        if changed is None:
            notes.append(
                "several cells were protected together: what was hidden is shared among their rows by how probable "
                "each value is for them, so it is put back only roughly"
            )
            before = None if self.before is None else told(self.before, self.true)
            changed = None if before is None else before == 1
            if changed is not None:
                notes.append("changed cells are those that the adversary guessed when they alone were hidden")
        title = "puts back what was hidden in other rows, for each value that the cell may have"
        return self._attack("refill", title, found.weights, changed, notes)

    def invert(self) -> Attack:
        """Fill what was hidden in the rows of the cells."""
        thorough = self.cells.scene.thorough
        most = GUESSERS.of(self.adversary).ways[thorough]
        if self.bayes is not None:
            options = self.bayes
        elif self.cells.requirement.change == "generalise":
            options = NaiveBayesGuesser("spread")
        else:
            options = NaiveBayesGuesser("drop", Fraction(1))
        counts = ClassCounts(self.protected.view, options)
        rng = np.random.default_rng(self.cells.scene.seed)
        asked = self.trained if self.bayes is None else None
        weights = invert(self.protected, counts, self.guesses, asked, most, rng)
        notes = [f"hidden cells are filled in all ways, or in {most} drawn at random where there are more"]
        if self.protected.unsaid.any():
            notes.append("cells of other confidential columns may be hidden for their own sake")
        title = "fills what was hidden in the row in every way, and asks which value was guessed with it"
        return self._attack("inversion", title, weights, self.protected.touched, notes)

    def _attack(self, name: str, title: str, weights: Floats, changed: Flags | None, notes: list[str]) -> Attack:
        check, tries = self.cells.check, len(self.true)
        found = right(weights, self.true)
        before = None if self.before is None else told(self.before, self.true)
        first = prior(self.protected.view)
        common = [self.protected.view.classes.tree.domain[place] == first.value for place in self.true]
        released, baseline = Rate(float(found.sum()), tries), Rate(sum(common), tries)
        hidden = None if before is None else Rate(float(before.sum()), tries)
        figures: dict[str, float | int | None] = {
            "plain_right": float(told(self.guesses, self.true).sum()),
            "changed": None if changed is None else int(changed.sum()),
            "changed_right": None if changed is None else float(found[changed].sum()),
            "removed": int((check.here < 0).sum()),
        }
        attack = Attack(
            "aware",
            f"{name}_{self.adversary.name}",
            title,
            self.cells.requirement.column,
            tuple(seen.name for seen in self.protected.view.predictors),
            released,
            len(check.checked),
            baseline=baseline,
            only_hidden=hidden,
            surest=surest_fifth(_sure(normalised(weights)), found),
            surest_only_hidden=(
                None if self.before is None or before is None else surest_fifth(_sure(self.before.weights), before)
            ),
            requirement=self.cells.index,
            notes=tuple(notes),
            figures=figures,
        )
        return replace(attack, warnings=tuple(_warnings(attack)))


def _sure(weights: Floats) -> Floats:
    """Return the probability of the best guess of each line."""
    sure: Floats = weights.max(axis=1, initial=0.0)
    return sure


def _warnings(attack: Attack) -> Iterator[str]:
    """Yield what the owner should know: worded without any value of the table."""
    released, baseline = attack.released, attack.baseline
    assert baseline is not None
    told_apart = released.tries < _FEW or released.interval[0] > baseline.right / baseline.tries
    if released.right <= baseline.right or not told_apart:
        if attack.surest is not None and attack.surest.beyond(baseline):
            yield (
                f"whoever knows how the cells of {attack.target!r} are protected guesses "
                f"{_counted(attack.surest.right)} of the {attack.surest.tries} about which he is surest, and who "
                f"guesses the commonest value {_counted(baseline.right)} of all {baseline.tries}"
            )
        return
    plain, hidden = attack.figures["plain_right"], attack.only_hidden
    before = "" if hidden is None else f", {_counted(hidden.right)} when the cells alone were hidden"
    yield (
        f"whoever knows how the cells of {attack.target!r} are protected guesses {_counted(released.right)} of "
        f"{released.tries} of them; who does not, {_counted(plain or 0)}{before}, and who guesses the commonest value "
        f"{_counted(baseline.right)}"
    )


def _counted(number: float) -> str:
    """Return a number of cells, with a decimal only where chance has a part in it."""
    return f"{number:.0f}" if abs(number - round(number)) < 0.05 else f"{number:.1f}"
