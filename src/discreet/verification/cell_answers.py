"""What is said of confidential cells: of each cell and adversary, of each adversary, of a whole requirement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.common.rates import wilson
from discreet.verification.answers import Answer
from discreet.verification.telling import Telling

if TYPE_CHECKING:
    from discreet.adversary.base import Prior
    from discreet.adversary.rules import Rule


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
