"""What rules give away of confidential cells, and what other readers of the same release would find.

The answer rests on the rules as the policy describes them, counted by whole numbers. The other readings are figures
and warnings: dividing by the other denominator; taking "it is not released" for a condition (a test of absence); and
looking at the hidden cells only, as whoever knows the method does: where nearly all of them have the protected value,
to be hidden is to have it. A cell that is hidden alone with its conditions is no news there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.adversary.base import Floats
from discreet.adversary.rules import Judged, Rule, RulesGuesser, aware
from discreet.adversary.view import UNKNOWN, Flags, Lines, View
from discreet.common.shares import percent
from discreet.encoded import Ints


@dataclass(frozen=True)
class Mined:
    """What rules give away of some cells.

    Parameters
    ----------
    exposed
        The cells to whose true value some rule is unsafe.
    confidence, rules
        Of the worst rule to the true value of each; for reports.
    aware
        Where among the hidden cells the share of the true value is largest: those that have it, and all of them. None
        where no other hidden cell has any of the conditions. The least support protects nobody here.
    readings
        The number of cells that each reader finds; see `Against`.
    common
        The cells whose value is common enough among the released ones to be guessed without a rule.
    all_alike
        The cells that only hidden cells of the same value stand beside.
    """

    exposed: Flags
    confidence: Floats
    rules: tuple[Rule | None, ...]
    aware: tuple[tuple[int, int] | None, ...]
    readings: Mapping[str, int]
    common: Flags
    all_alike: Flags

    def warnings(self, column: str, min_confidence: Fraction, *, decoys: bool) -> Iterator[str]:
        """Yield what the promise does not cover on this release."""
        limit, cells = percent(min_confidence), len(self.exposed)
        if number := self.readings["aware"]:
            alike = int(self.all_alike.sum())
            only = f" (for {alike} of them all have it)" if alike else ""
            more = "" if decoys else "; 'decoys: true' also hides other values"
            yield (
                f"of {number} of {cells} confidential cells the value is told to who knows how they are protected: "
                f"more than {limit} of the hidden cells of {column!r} in rows with some of the same conditions have it"
                f"{only}{more}"
            )
        if common := int(self.common.sum()):
            yield (
                f"{common} of {cells} confidential cells have a value that more than {limit} of the released cells of "
                f"{column!r} have: this guess needs no rule"
            )


class Mining:
    """Cells with what is known of them (a cell may have several lines) beside a release.

    Parameters
    ----------
    view
        The release as the adversary sees it.
    lines, owner
        What may be known, and the cell that each line is about; every cell has one.
    true
        The true value of each cell, by its place in the domain.
    truth
        That of each row of the release; -1 where there is none.
    """

    def __init__(self, view: View, lines: Lines, owner: Ints, true: Ints, truth: Ints) -> None:
        self.view, self.lines, self.owner, self.true, self.truth = view, lines, owner, true, truth

    def mine(self, guesser: RulesGuesser) -> Mined:
        """Return what rules give away."""
        told = self._judged(guesser, self.view)
        hidden = aware(self.view, self.truth)
        beside = self._judged(replace(guesser, min_support=0, min_rows=2, denominator="all"), hidden)
        having, number = self._having(hidden)
        exposed = beside.exposed | (guesser.above(having, number) & (number > 1))
        alike = (beside.sets > 0) & (beside.support == beside.rows)
        readings = {
            "all": int((told.unsafe_all > 0).sum()),
            "published": int((told.unsafe_published > 0).sum()),
            "absence": int(self._by_absence(guesser, told).sum()),
            "aware": int(exposed.sum()),
        }
        worst = [beside.worst(place) for place in range(len(self.true))]
        return Mined(
            told.exposed,
            told.confidence,
            tuple(told.worst(place) for place in range(len(self.true))),
            tuple(None if rule is None else (rule.support, rule.rows) for rule in worst),
            readings,
            guesser.above(*self._having(self.view)),
            exposed & (alike | (having == number)),
        )

    def _judged(self, guesser: RulesGuesser, view: View) -> Judged:
        """Return what rules of some rows say of each cell: of its lines the worst one."""
        judged = guesser.train(view).judge(self.lines, self.true[self.owner])
        order = np.lexsort((judged.support, judged.confidence, judged.exposed, self.owner))
        last = np.searchsorted(self.owner[order], np.arange(len(self.true)), side="right") - 1
        return judged.at(order[last])

    def _by_absence(self, guesser: RulesGuesser, told: Judged) -> Flags:
        """Say to which cells an unsafe rule leads when "it is not released" is a condition too."""
        if not (self.lines.nodes == UNKNOWN).any():
            return told.exposed
        return self._judged(replace(guesser, absence=True), self.view).exposed

    def _having(self, view: View) -> tuple[Ints, Ints]:
        """Return how many rows tell the value of each cell, and how many tell any."""
        tree = view.classes.tree
        leaves = tree.leaf_of[view.classes.nodes]
        known = np.bincount(leaves[leaves >= 0], minlength=len(tree.domain)).astype(np.int64)
        return known[self.true], np.full(len(self.true), known.sum(), dtype=np.int64)
