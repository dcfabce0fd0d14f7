"""The other ways in which confidential rows may be seen by who knows their original values.

Where a column is recoded, several released labels may cover one original value: whoever knows that value may take a row
for any of them, so a cell must hold in each of these readings, its *shadows*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.adversary.view import Seen
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.method.cells.trees import Nodes
from discreet.plan.assigning import placed
from discreet.plan.parts import Unseen
from discreet.plan.plan import Plan
from discreet.table.engine import Engine

MOST_SHADOWS = 2_000_000
"""Ways in which confidential rows may be seen, that are kept."""


@dataclass(frozen=True)
class Shadows:
    """The rows of one requirement, and what adversaries know of them."""

    plan: Plan
    source: Engine
    numbers: Ints
    """Of the released rows."""
    columns: Sequence[str]
    seen: Sequence[Seen]
    index: int
    """The position of the requirement."""
    rows: Ints
    known: Sequence[tuple[str, ...]]
    """The recoded columns that each adversary combines."""

    def among(self, table: Nodes) -> tuple[Nodes, Ints]:
        """Return the other ways in which the rows may be seen: nodes, and the row.

        They are all released combinations of labels of recoded columns that cover the row's original values; each
        adversary combines the columns that it knows.
        """
        shadows, of = [table[:, :0]], [np.empty(0, dtype=np.int64)]
        for names in self.known if len(self.rows) else ():
            some, whose = self._by(names, table)
            shadows.append(some)
            of.append(whose)
        return np.concatenate(shadows, axis=1), np.concatenate(of)

    def _by(self, names: Sequence[str], table: Nodes) -> tuple[Nodes, Ints]:
        """Return the shadows by some recoded columns."""
        rows = self.rows
        places = [self.columns.index(name) for name in names]
        combinations = np.unique(table[places][:, : len(self.numbers)], axis=1)
        at = np.searchsorted(self.source.numbers(), self.numbers[rows])
        originals = [self.source.encoded(name) for name in names]
        kinds, kind = np.unique(np.stack([each.codes[at] for each in originals]), axis=1, return_inverse=True)
        fits = np.ones((kinds.shape[1], combinations.shape[1]), dtype=np.bool_)
        for line, (name, place) in enumerate(zip(names, places, strict=True)):
            covers = self._covers(name, originals[line].domain, place)
            fits &= covers[kinds[line]][:, combinations[line]]
        fitting = fits[kind.reshape(-1)]
        if (number := int(fitting.sum())) > MOST_SHADOWS:
            message = f"knows: there are {number:,} ways in which the rows may be seen; write knows: released"
            raise InputError(f"protect[{self.index}]: {message}")
        which, combination = np.nonzero(fitting)
        shadows = table[:, rows[which]]
        shadows[places] = combinations[:, combination]
        other = (shadows != table[:, rows[which]]).any(axis=0)
        return shadows[:, other], rows[which[other]]

    def _covers(self, name: str, values: Sequence[str | None], place: int) -> npt.NDArray[np.bool_]:
        """Say which original values (by code) each node of a recoded column may stand for."""
        node_of = self.seen[place].tree.node_of
        covers = np.zeros((len(values), len(self.seen[place].tree.parent)), dtype=np.bool_)
        covers[:, 0] = True
        for recoding in self.plan.recodings:
            if recoding.column == name:
                texts = recoding.texts(values, self.plan.policy.column(name).scale)
                for code, text in enumerate(texts):
                    covers[code, 0 if isinstance(text, Unseen) else node_of.get(text, 0)] = True
        for told in (told for grouping in self.plan.groupings for told in grouping.columns if told.column == name):
            here = placed(told, self.plan.policy, values)
            for label, low, high in zip(told.labels, here.low.tolist(), here.high.tolist(), strict=True):
                inside = (here.positions >= low) & (here.positions < high)
                if label.among:
                    inside &= np.isin(here.codes, label.among)
                covers[inside, node_of.get(label.text, 0)] = True
        return covers
