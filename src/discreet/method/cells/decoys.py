"""Decoys: cells with other values that are hidden like confidential ones, so that to be hidden tells less.

Guarantee: where `wanting` returns nothing, of the hidden cells that are released with one text (all that a reader can
tell them by) no confidential value, or set of values taken together, has more than the share that is allowed.

Not covered: who knows more of the rows. Decoys are drawn first among rows that look like the confidential ones, as far
as there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.chance import Source
from discreet.method.cells.trees import ValueTree

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
NEVER = 2**62


@dataclass(frozen=True)
class DecoyColumn:
    """A column in the making: for each row the node that is released and the true one (0: unknown from the start).

    `hidden` are the rows that do not tell their value, those among them that never had one too where they look alike.
    """

    told: Ints
    true: Ints
    hidden: Flags


@dataclass(frozen=True)
class Want:
    """How many decoys are wanting at a released node, of values that are not `values`."""

    node: int
    number: int
    values: Ints
    cells: int
    """Hidden cells at the node."""
    alike: int
    """Those with the value that too many have."""


def wanting(column: DecoyColumn, rows: Ints, most: Fraction, together: Ints | None = None) -> list[Want]:
    """Return where confidential values (those of `rows`) have too large a share of the hidden cells.

    `together` are values that count as one, where the cells are chosen by them.
    """
    found = []
    for node in np.unique(column.told[rows[column.hidden[rows]]]).tolist():
        here = column.hidden & (column.told == node)
        counts = np.bincount(column.true[here])
        ours = rows[here[rows]]
        sets = [together] if together is not None else [np.array([v]) for v in np.unique(column.true[ours]).tolist()]
        alike = [int(counts[values[values < len(counts)]].sum()) for values in sets]
        cells = int(here.sum())
        needed = [_least(number, most) - cells for number in alike]
        short = [place for place, number in enumerate(needed) if number > 0]
        if short:
            values = np.concatenate([sets[place] for place in short])
            worst = max(alike[place] for place in short)
            found.append(Want(int(node), max(needed), values.astype(np.int64), cells, worst))
    return found


def _least(alike: int, most: Fraction) -> int:
    """Return among how many cells so many have at most some share; where that is 0, no number is enough."""
    return -(-alike * most.denominator // most.numerator) if most else NEVER if alike else 0


def one_value_only(column: DecoyColumn, rows: Ints, gone: Flags) -> int:
    """Return how many hidden cells, beside some of `rows`, have all one value that is told nowhere; 0 if none do."""
    told = np.unique(column.true[~column.hidden & ~gone])
    most = 0
    for node in np.unique(column.told[rows[column.hidden[rows]]]).tolist():
        values = column.true[column.hidden & (column.told == node)]
        if len(np.unique(values)) == 1 and values[0] not in told:
            most = max(most, len(values))
    return most


def candidates(column: DecoyColumn, tree: ValueTree, want: Want, free: Flags) -> Ints:
    """Return the rows whose cells may be decoys at a node: they tell another value that stands under it."""
    under = (column.true > want.node) & (column.true < int(tree.end[want.node]))
    fitting: Flags = free & ~column.hidden & under & ~np.isin(column.true, want.values)
    return np.flatnonzero(fitting).astype(np.int64)


def draw(among: Ints, number: int, like: Ints, looks: Sequence[npt.NDArray[np.int32]], source: Source) -> Ints:
    """Return so many rows (or all that there are) by lot: first such that look like some row of `like`.

    Each row of `like` asks for as many as any other; `looks` are the columns that rows are looked at by.
    """
    if number >= len(among):
        return among
    lot = np.argsort(np.frombuffer(source(8 * (len(among) + len(like))), dtype=np.uint64), kind="stable")
    among, like = among[lot[lot < len(among)]], like[lot[lot >= len(among)] - len(among)]
    if looks and len(like):
        both = np.stack([column[np.concatenate([like, among])] for column in looks])
        kind = np.unique(both, axis=1, return_inverse=True)[1].reshape(-1)
        asked = np.bincount(np.resize(kind[: len(like)], number), minlength=int(kind.max()) + 1)
        mine = kind[len(like) :]
        order = np.argsort(mine, kind="stable")
        start = np.searchsorted(mine[order], mine[order])
        rank = np.empty(len(mine), dtype=np.int64)
        rank[order] = np.arange(len(mine)) - start
        alike = rank < asked[mine]
        among = np.concatenate([among[alike], among[~alike]])
    return np.sort(among[:number])
