"""Blind protection: what is told of rows with confidential cells, decided by nothing that an adversary cannot reckon.

Guarantee: what is told of a row is a function of the rest (rows without confidential cells) and of what is told; a cell
is looked at only after it was decided which of its values would be starred; and no reference, trained on the rest, is
surer of any value of a secret than its limit, whether stars are read as their blocks or as nothing.

Not covered: other learners than the references; hidden cells that are known from elsewhere; that cells were chosen
because of their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.method.cells.blind_columns import Codes, Ints
from discreet.method.cells.blind_exact import ExactNode, decide_exactly
from discreet.method.cells.blind_judging_kernels import UNSURE, BlindLearned, BlindRules, tally
from discreet.method.cells.blind_kernels import STOP, decide
from discreet.method.cells.blind_near import NOTHING, Apart, NearRows
from discreet.method.cells.blind_table import BlindKind, BlindRest

Fact = tuple[int, int | tuple[int, ...]]
"""A predictor (by its place in the table) with an element, or with the elements of a block."""


@dataclass(frozen=True)
class Told:
    """What is told of some rows: facts in the order in which they were asked for."""

    rows: tuple[int, ...]
    facts: tuple[Fact, ...]
    failed: bool = False
    """Whether what is known of them passes a limit already."""


class _WalkNode(NamedTuple):
    """Rows of which the same is told, and the rows of the rest that agree."""

    rows: Ints
    facts: tuple[Fact, ...]
    open: npt.NDArray[np.bool_]
    rest: tuple[Ints, Ints]
    """Rows of the rest, stars read as blocks and as nothing."""
    scores: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
    k: tuple[int, int]
    apart: tuple[Apart, Apart] | None = None
    """Where `kernel` is a reference, of each row of the rest the facts in which it differs, in both readings."""
    told: Ints | None = None
    """What was counted of the rest with stars read as nothing, if the node above had it."""


class Walk:
    """The rows of one kind, asked together as long as they are told the same."""

    def __init__(
        self, rest: BlindRest, kind: BlindKind, asked: BlindRules, order: Sequence[int], *, exact: bool = False
    ) -> None:
        self.rest, self.kind, self.asked = rest, kind, asked
        self.learned: BlindLearned = rest.learned(kind)
        self.exact = exact or self.learned.over.dtype == object
        """Whether all is reckoned with 30 digits: where one wants it, or limits have too many parts for kernels."""
        self.codes = np.ascontiguousarray([rest.columns[place].codes for place in kind.predictors], dtype=np.int32)
        self.values = np.ascontiguousarray([rest.secrets[place].values for place in kind.secrets], dtype=np.int32)
        wanted = [kind.predictors.index(place) for place in order if place in kind.predictors]
        self.rank = np.full(len(kind.predictors), len(kind.predictors), dtype=np.int64)
        self.rank[wanted] = np.arange(len(wanted))
        narrow = np.dtype(np.int32 if self.learned.having.size < 2**31 else np.int64)
        first = self.learned.first[:-1, None].astype(narrow)
        self.cells: npt.NDArray[Any] = (self.codes + first) * narrow.type(len(self.learned.rows))
        """By predictor and row of the rest: the place of its element among those of all predictors, and values."""
        self.starts: list[int] = self.learned.secret[:-1].tolist()
        """Where the values of each secret begin."""
        self.near = NearRows(self.cells, self.values, self.learned.secret, len(self.learned.having))
        self.widest = max(rest.columns[place].elements for place in kind.predictors)
        self.exact_nodes = 0

    def tell(self, cells: Codes) -> Iterator[Told]:
        """Yield what is told of rows, given the elements of their predictors (by predictor and row)."""
        everything = np.arange(self.codes.shape[1], dtype=np.int64)
        scores = np.zeros(len(self.learned.rows))
        is_open = np.ones(len(self.kind.predictors), dtype=np.bool_)
        alike = np.zeros(len(everything), dtype=np.int16)
        root = _WalkNode(
            np.arange(cells.shape[1]), (), is_open, (everything, everything), (scores, scores), (0, 0),
            (alike, alike) if self.asked.near else None,
        )  # fmt: skip
        known = [self.kind.predictors.index(place) for place in self.kind.known]
        stack = [root]
        for j in known:
            stack = [child for node in stack for child in self._values(node, j, cells[j], ())]
        while stack:
            node = stack.pop()
            if len(node.facts) == len(known) and known and not self._within(node):
                yield self._told(node, failed=True)
                continue
            if not node.open.any():
                yield self._told(node)
                continue
            j, block, told = self._decided(node)
            if j == STOP:
                yield self._told(node)
                continue
            stack += self._values(node, j, cells[j], block, told)

    def _told(self, node: _WalkNode, *, failed: bool = False) -> Told:
        facts = tuple((self.kind.predictors[j], element) for j, element in node.facts)
        return Told(tuple(node.rows.tolist()), facts, failed)

    def _values(
        self, node: _WalkNode, j: int, cells: Codes, block: tuple[int, ...], told: Ints | None = None
    ) -> Iterator[_WalkNode]:
        """Yield the nodes below one at which a predictor is asked."""
        is_open = node.open.copy()
        is_open[j] = False
        starred, shown = self._parted(node.rows, j, cells[node.rows], block)
        if len(starred):
            agree = self._covered(j, block)
            score = node.scores[0] + self._block_logs(j, block)
            yield _WalkNode(
                starred, (*node.facts, (j, block)), is_open, (self._agreeing(j, agree, node.rest[0]), node.rest[1]),
                (score, node.scores[1]), (node.k[0] + 1, node.k[1]), self._apart(node, j, agree, star=True), told,
            )  # fmt: skip
        for element, rows in shown:
            logs = self.learned.logs[self.learned.first[j] + element]
            agree = self._covered(j, (element,))
            rest = self._agreeing(j, agree, node.rest[0])
            other = rest if node.k[0] == node.k[1] else self._agreeing(j, agree, node.rest[1])
            yield _WalkNode(
                rows, (*node.facts, (j, element)), is_open, (rest, other),
                (node.scores[0] + logs, node.scores[1] + logs), (node.k[0] + 1, node.k[1] + 1),
                self._apart(node, j, agree, star=False),
            )  # fmt: skip

    def _parted(
        self, rows: Ints, j: int, here: Codes, block: tuple[int, ...]
    ) -> tuple[Ints, Iterable[tuple[int, Ints]]]:
        """Return the rows whose element is in a block, and the others by element.

        What is hidden in a release is in the block, or where nothing is hidden the marker itself.
        """
        if len(rows) == 1:
            element = int(here[0])
            if bool(block) if element < 0 else element in block:
                return rows, ()
            return rows[:0], [(int(self.learned.marked[j]) if element < 0 else element, rows)]
        starred = self._among(j, block)[here]
        if (here < 0).any():
            starred = np.where(here < 0, bool(block), starred)
            here = np.where(here < 0, np.int32(self.learned.marked[j]), here)
        shown, here = rows[~starred], here[~starred]
        return rows[starred], [(element, shown[here == element]) for element in np.unique(here).tolist()]

    def _agreeing(self, j: int, elements: Sequence[int], rows: Ints) -> Ints:
        """Return those of some rows of the rest that have one of these elements."""
        codes = self.codes[j, rows]
        found: Ints = rows[codes == elements[0] if len(elements) == 1 else self._among(j, elements)[codes]]
        return found

    def _apart(self, node: _WalkNode, j: int, agreeing: Sequence[int], *, star: bool) -> tuple[Apart, Apart] | None:
        """Return in how many facts rows differ, with one more."""
        if node.apart is None:
            return None
        differs = ~self._among(j, agreeing)[self.codes[j]]
        first = node.apart[0] + differs
        if node.apart[1] is node.apart[0] and not star:
            return first, first
        return first, node.apart[1] if star else node.apart[1] + differs

    def _among(self, j: int, elements: Sequence[int]) -> npt.NDArray[np.bool_]:
        found = np.zeros(self.rest.columns[self.kind.predictors[j]].elements, dtype=np.bool_)
        found[list(elements)] = True
        return found

    def _covered(self, j: int, elements: Sequence[int]) -> list[int]:
        column = self.rest.columns[self.kind.predictors[j]]
        if not column.above:
            return list(elements)
        agreeing = column.agreeing
        return sorted({y for x in elements for y in agreeing[x]})

    def _block_logs(self, j: int, block: Sequence[int]) -> npt.NDArray[np.float64]:
        first, last = int(self.learned.first[j]), int(self.learned.first[j + 1])
        inside = self.learned.having[[first + y for y in self._covered(j, block)]].sum(axis=0)
        found: npt.NDArray[np.float64] = np.log((inside + len(block)) / (self.learned.rows + last - first))
        return found

    def _tallied(self, rows: Ints, is_open: npt.NDArray[np.bool_]) -> Ints:
        """Count some rows of the rest by the elements of open predictors and the values of secrets."""
        if len(rows) == self.codes.shape[1]:
            return self.learned.having
        found = np.zeros(self.learned.having.size, dtype=np.int64)
        for values, start in zip(self.values, self.starts, strict=True):
            tally(self.cells, values, start, rows, is_open, found)
        return found.reshape(self.learned.having.shape)

    def _decided(self, node: _WalkNode) -> tuple[int, tuple[int, ...], Ints]:
        """Return what is asked next, its block, and what was counted with stars read as nothing."""
        tallied = self._tallied(node.rest[0], node.open)
        told = tallied
        if node.k[0] > node.k[1]:
            told = self._tallied(node.rest[1], node.open) if node.told is None else node.told
        chosen = UNSURE
        block = np.zeros(self.widest, dtype=np.bool_)
        if not self.exact:
            rows = self.learned.rows
            if self.asked.by_count:
                rows = np.bincount(self.values[0][node.rest[0]] + 1, minlength=2 + int(self.learned.secret[1]))[1:]
            chosen = decide(
                self.learned, self.asked, node.open, self.rank, *node.scores, *node.k, tallied, told,
                NOTHING if node.apart is None else self.near.near(node.apart, node.k), rows, block,
            )  # fmt: skip
        if chosen != UNSURE:
            return chosen, tuple(np.flatnonzero(block).tolist()) if chosen >= 0 else (), told
        self.exact_nodes += 1
        is_open = np.flatnonzero(node.open).tolist()
        found, elements = decide_exactly(self._exactly(node), is_open, self.rank.tolist(), tallied, told)
        return found, tuple(sorted(elements)), told

    def _exactly(self, node: _WalkNode) -> ExactNode:
        facts = [(j, frozenset([told] if isinstance(told, int) else told)) for j, told in node.facts]
        stars = {j for j, told in node.facts if not isinstance(told, int)}
        near = None
        if node.apart is not None:
            near = self.near.exactly(node.apart[0], node.k[0]), self.near.exactly(node.apart[1], node.k[1])
        return ExactNode(self.learned, self.asked, facts, stars, near)

    def _within(self, node: _WalkNode) -> bool:
        """Whether what is known of rows is within the limits."""
        agreeing = np.zeros(len(self.learned.rows), dtype=np.int64)
        for c, begin in enumerate(self.learned.secret[:-1].tolist()):
            values = self.values[c][node.rest[0]]
            found = np.bincount(values[values >= 0], minlength=int(self.learned.secret[c + 1]) - begin)
            agreeing[begin : begin + len(found)] = found
        exactly = self._exactly(node)
        near = None if exactly.near is None else (exactly.near[0].total, exactly.near[0].scale)
        return exactly.judge(exactly.readings[0], agreeing, near)[0]
