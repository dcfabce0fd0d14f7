"""What hidden cells tell by being hidden: how many of those that a reader cannot tell apart have the same value.

Who reads a release sees which cells of a column are hidden, and by which text. The cells with one such text are a
group: if all of them have one value, and nobody is released with it any more, the text is another word for the value.
All hidden cells count, whatever they were hidden for. Whole numbers decide; nothing here is used in making a release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.common.rates import Rate
from discreet.encoded import Ints
from discreet.fit.cells import is_missing
from discreet.fit.telling import INSTEAD, all_have_it, better_than_anybody, by_own_value, too_much_alike
from discreet.policy import Confidential, Policy
from discreet.table.engine import Engine
from discreet.verification.answers import Answer

UNKNOWN = -1
"""The value of a cell that tells none in the original, either."""
_UNSURE = "it is not certain which rows of the original the released ones are, and so not what is hidden"


@dataclass(frozen=True)
class HiddenCells:
    """The cells of a column that do not tell their value.

    Parameters
    ----------
    column
        The column.
    rows, texts, values
        Of each hidden cell: its row in the release (from 0), its released text (by code), and its true value (by its
        place in the domain of the original; `UNKNOWN` for none).
    kept
        How many released rows tell each value.
    everybody
        How many rows of the original have each value.
    domain, labels
        The values, and the released texts by code.
    """

    column: str
    rows: Ints
    texts: Ints
    values: Ints
    kept: Ints
    everybody: Ints
    domain: tuple[str | None, ...]
    labels: tuple[str | None, ...]

    def groups(self) -> Iterator[tuple[int, Ints]]:
        """Yield each text that hides something, and the places of its cells."""
        order = np.argsort(self.texts, kind="stable")
        texts, first, number = np.unique(self.texts[order], return_index=True, return_counts=True)
        for text, start, cells in zip(texts.tolist(), first.tolist(), number.tolist(), strict=True):
            yield text, order[start : start + cells]

    @property
    def common(self) -> Rate:
        """How often whoever takes the commonest value for everybody's is right."""
        return Rate(int(self.everybody.max(initial=0)), int(self.everybody.sum()))


def marked_rows(table: Engine, column: str, marker: str) -> npt.NDArray[np.bool_]:
    """Say of each row whether its text in a column is the marker."""
    encoded = table.encoded(column)
    marked: npt.NDArray[np.bool_] = np.array([text == marker for text in encoded.domain], dtype=np.bool_)[encoded.codes]
    return marked


def hidden_cells(released: Engine, original: Engine, beside: Ints, policy: Policy, column: str) -> HiddenCells:
    """Return the hidden cells of a column; `beside` has the row of the original that each released row is.

    A cell is hidden if its text is the marker, or not that of the original where this tells a value.
    """
    here, there = released.encoded(column), original.encoded(column)
    code_of = {text: code for code, text in enumerate(here.domain)}
    as_released = np.array([code_of.get(text, -1) for text in there.domain], dtype=np.int64)
    known = np.array([not is_missing(policy, text) for text in there.domain], dtype=np.bool_)
    texts, true = here.codes.astype(np.int64), there.codes[beside].astype(np.int64)
    told = (as_released[true] == texts) & known[true]
    rows = np.flatnonzero(marked_rows(released, column, policy.marker) | (~told & known[true]))
    size = len(there.domain)
    return HiddenCells(
        column,
        rows,
        texts[rows],
        np.where(known[true[rows]], true[rows], UNKNOWN),
        np.bincount(true[told], minlength=size).astype(np.int64),
        np.where(known, np.bincount(there.codes, minlength=size), 0).astype(np.int64),
        tuple(there.domain),
        tuple(here.domain),
    )


@dataclass(frozen=True)
class Telling:
    """What the hidden cells with one text tell of a confidential value that is among them.

    Parameters
    ----------
    cells
        Hidden cells with the text.
    alike
        Those with the value: that which most of them have or, where cells are chosen by their own value, any of those
        that choose them.
    doubtful
        Those of which it is not certain whose they are; they are not among `alike`.
    vanished
        Whether all that are certain have one value that no released row has.
    common, known
        How many of all cells of the column have the commonest value.
    """

    cells: int
    alike: int
    doubtful: int
    vanished: bool
    common: int
    known: int

    @property
    def share(self) -> Fraction:
        """The share of the value among the hidden cells."""
        return Fraction(self.alike, self.cells)

    @property
    def better(self) -> bool:
        """Whether it is above what is known of anybody, beyond what chance explains."""
        return self.cells > 1 and Rate(self.alike, self.cells).beyond(Rate(self.common, self.known))

    def within(self, most: Fraction) -> bool | None:
        """Whether the value has at most some share of the hidden cells; None if that is not certain."""
        if self.alike + self.doubtful <= most * self.cells:
            return True
        return False if self.alike > most * self.cells else None

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "cells": self.cells,
            "alike": self.alike,
            "vanished": self.vanished,
            "common": self.common,
            "known": self.known,
        }


def most_telling(hidden: HiddenCells, asked: Ints, together: Ints | None, doubtful: Ints) -> Telling | None:
    """Return of the hidden cells with one text those that tell most of a confidential value among them.

    Parameters
    ----------
    hidden
        The hidden cells of the column.
    asked
        The released rows with a confidential cell.
    together
        The values (by place) that count as one, where cells are chosen by them.
    doubtful
        The released rows of which it is not certain whose they are.
    """
    found: list[Telling] = []
    ours, doubt = np.isin(hidden.rows, asked), np.isin(hidden.rows, doubtful)
    for _, places in hidden.groups():
        if not ours[places].any():
            continue
        certain = places[~doubt[places]]
        values = hidden.values[certain]
        confidential = np.unique(values[ours[certain] & (values != UNKNOWN)])
        counts = np.bincount(values[values != UNKNOWN], minlength=len(hidden.domain))
        alike = int(counts[confidential].max(initial=0))
        if together is not None:
            alike = int(counts[together].sum())
        one = len(confidential) == 1 and int(counts[confidential[0]]) == len(certain)
        vanished = bool(one and not hidden.kept[confidential[0]])
        common = hidden.common
        doubts = len(places) - len(certain)
        found.append(Telling(len(places), alike, doubts, vanished, int(common.right), common.tries))
    return max(found, key=lambda each: (each.vanished, each.share, each.cells), default=None)


def judged(requirement: Confidential, telling: Telling | None) -> tuple[Answer, str | None, list[str]]:
    """Return whether a requirement may hold with what its hidden cells tell, why not, and what to warn of."""
    column, refuses = requirement.column, requirement.tells == "refuse"
    warnings: list[str] = []
    if requirement.by_own_value and not requirement.decoys:
        if refuses:
            return Answer.BROKEN, f"where: {by_own_value(column)}", warnings
        warnings.append("the cells are chosen by their own value: whoever knows that knows what is hidden")
    if telling is None:
        return Answer.HOLDS, None, warnings
    if (most := requirement.most_alike) is not None and (within := telling.within(most)) is not True:
        if within is None:
            return Answer.NOT_CHECKABLE, _UNSURE, warnings
        return Answer.BROKEN, too_much_alike(column, telling.alike, telling.cells, most), warnings
    if telling.vanished:
        told = all_have_it(column, telling.cells)
        if refuses and telling.cells > 1:
            if telling.doubtful:
                return Answer.NOT_CHECKABLE, _UNSURE, warnings
            return Answer.BROKEN, f"{told}; {INSTEAD}", warnings
        warnings.append(told)
    elif telling.better:
        warnings.append(
            better_than_anybody(column, telling.alike, telling.cells, telling.common, telling.known)
            + ("" if requirement.decoys else "; decoys hide other values beside them")
        )
    return Answer.HOLDS, None, warnings
