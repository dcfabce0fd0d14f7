"""Decoys of confidential cells: which other rows' cells are hidden beside them, drawn as they are needed.

A decoy is protected like the cells it stands beside, by the same method against the same adversaries: nothing in the
release tells it from them. One that cannot be protected so is given back, and another is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.chance import Source
from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import TellingCells
from discreet.fit.telling import too_much_alike
from discreet.method.cells.decoys import DecoyColumn, Want, candidates, draw, wanting
from discreet.method.cells.trees import ValueTree
from discreet.policy import Policy
from discreet.policy.confidential import Confidential

NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Asking:
    """One requirement that wants decoys, beside the table in the making."""

    index: int
    made: Confidential
    rows: Ints
    """Its confidential rows that are released."""
    together: Ints | None
    """The values (nodes) that the cells are chosen by, if they are chosen so."""
    tree: ValueTree
    looks: Sequence[npt.NDArray[np.int32]]
    """Its predictors, by which rows look alike."""

    def wants(self, column: DecoyColumn) -> list[Want]:
        """Return where the hidden cells of its column tell too much."""
        most = self.made.most_alike
        return [] if most is None else wanting(column, self.rows, most, self.together)


@dataclass
class Drawn:
    """The decoys of all requirements, by position in `protect`; each row with the least general node for its cell."""

    policy: Policy
    source: Source
    nodes: dict[int, dict[int, int]] = field(default_factory=dict)
    raised: dict[int, dict[int, int]] = field(default_factory=dict)
    """Confidential rows that are released with a more general node than they need, as their decoys need it."""
    unfit: dict[int, set[int]] = field(default_factory=dict)
    """Rows that could not be protected as decoys."""
    failures: dict[int, Counter[int]] = field(default_factory=dict)
    """How often each value could not: others are drawn first."""

    def rows(self, index: int) -> Ints:
        """Return the decoys of a requirement, ascending."""
        return np.array(sorted(self.nodes.get(index, ())), dtype=np.int64)

    def floors(self, index: int) -> dict[int, int]:
        """Return the least general nodes that cells of a requirement are released with, as far as they are bound."""
        return {**self.raised.get(index, {}), **self.nodes.get(index, {})}

    def give_back(self, index: int, rows: Sequence[int], column: DecoyColumn) -> None:
        """Take decoys back that could not be protected; they are not drawn again."""
        for row in rows:
            self.unfit.setdefault(index, set()).add(row)
            self.failures.setdefault(index, Counter())[int(column.true[row])] += 1
            del self.nodes[index][row]

    def exhausted(self) -> list[tuple[int, str]]:
        """Return what to say where decoys were drawn again and again, and never all of them fitted."""
        message = "too few other cells could be protected like the confidential ones; ask for fewer decoys"
        asking = [index for index, made in self.policy.cells() if made.decoy_share is not None]
        return [(index, str(self.policy.problem(("protect", index, "decoys"), message))) for index in asking]

    def add(self, asking: Asking, column: DecoyColumn, free: npt.NDArray[np.bool_]) -> bool:
        """Draw what is wanting beside the hidden cells of a requirement; return whether that was anything.

        Raises
        ------
        TellingCells
            Where there are too few other cells that may be hidden.
        """
        wants = asking.wants(column) if asking.made.decoy_share is not None else []
        unfit = np.array(sorted(self.unfit.get(asking.index, ())), dtype=np.int64)
        for want in wants:
            if self._raise(asking, column, want):
                continue
            may = free.copy()
            may[unfit] = False
            among = candidates(column, asking.tree, want, may)
            if len(among) < want.number:
                raise TellingCells([(asking.index, self._too_few(asking, want, len(among), len(unfit)))])
            among = self._likely(asking.index, among, column.true[among], want.number)
            here = asking.rows[column.told[asking.rows] == want.node]
            like = here[np.isin(column.true[here], want.values)]
            for row in draw(among, want.number, like, asking.looks, self.source).tolist():
                self.nodes.setdefault(asking.index, {})[row] = want.node
        return bool(wants)

    def _raise(self, asking: Asking, column: DecoyColumn, want: Want) -> bool:
        """Bind cells at a node to the one above, if their decoys could not stay there; return whether that was so."""
        decoys, up = self.nodes.get(asking.index, {}), int(asking.tree.parent[want.node])
        here = [row for row, node in decoys.items() if node == want.node]
        if all(column.told[row] == want.node for row in here):
            return False
        decoys.update(dict.fromkeys(here, up))
        rows = asking.rows[column.told[asking.rows] == want.node].tolist()
        self.raised.setdefault(asking.index, {}).update(dict.fromkeys(rows, up))
        return True

    def _likely(self, index: int, among: Ints, values: Ints, number: int) -> Ints:
        """Return at least so many of some rows: those most likely to fit, by how often their values did not."""
        failed = np.zeros(int(values.max()) + 1, dtype=np.int64)
        for value, times in self.failures.get(index, Counter()).items():
            failed[value : value + 1] = times
        often = failed[values]
        likely: Ints = among[often <= np.sort(often)[number - 1]]
        return likely

    def _too_few(self, asking: Asking, want: Want, number: int, unfit: int) -> str:
        made = asking.made
        assert made.decoy_share is not None
        others = f" ({unfit} others could not be protected)" if unfit else ""
        there = "is no cell" if not number else "is only 1 cell" if number == 1 else f"are only {number} cells"
        message = (
            f"{want.alike} of {want.cells} hidden cells of {made.column!r} have a confidential value: for a share of "
            f"{percent(made.decoy_share)} other values {want.number} more must be hidden, and there {there} with "
            f"another value that may be{others}; ask for fewer decoys, or list fewer cells under must_publish"
        )
        return str(self.policy.problem(("protect", asking.index, "decoys"), message))


def not_enough(policy: Policy, asking: Asking, column: DecoyColumn) -> list[tuple[int, str]]:
    """Return where hidden cells tell more than they may, with the requirement."""
    found = []
    for want in asking.wants(column):
        most = asking.made.most_alike
        assert most is not None
        told = too_much_alike(asking.made.column, want.alike, want.cells, most)
        message = f"{told}; ask for fewer decoys, choose the cells otherwise, or write tells: warn"
        found.append((asking.index, str(policy.problem(("protect", asking.index, "decoys"), message))))
    return found
