"""The least CM of any cut of Adult, proven, beside what coordinate search finds.

    python bench/least.py [--k 500 250 200 150 100 75 50 25]

The conditions of the published figures, as in `k_anonymity.py`: no limit on suppressed rows, fewer than k of them pass,
each counts as misjudged. For each k the rows misjudged by the cut of coordinate search, the fewest that any cut
misjudges, how far the best value known is from that (one clearly below it belongs to no cut), the sets of cuts and the
cuts that were looked at, and the CPU time of the proof: seconds from k = 50 up, a minute at 25, much longer at 10.

How: a row is judged right if it is kept and of the most frequent class of its group; where the most are judged right,
the fewest are misjudged. Two columns are numbers, education and age, the others are trees. A cell is the rows under
one node of each tree. Let each cell cut age as suits it best, for each interval of education by itself (a longest
path), and open the trees that are not settled yet as suits it: then it judges as many rows right as under any cut, or
more. One cut of education for all cells (a longest path again) so bounds all cuts of a set. The trees are settled one
after the other, sets that cannot be better than the best cut known being left out, at last the cuts of education in
the same way; the best cut of age is then found exactly. The library only finds the cut to begin with.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

import k_anonymity
from discreet.common.compiled import kernel
from k_anonymity import Published, Settings

Ints = npt.NDArray[np.int64]
ROUGH, FINE = "education", "age"


@dataclass(frozen=True, eq=False)
class Tree:
    """A column with a taxonomy: the leaf of each row, and the nodes, parents before children."""

    codes: Ints
    inside: npt.NDArray[np.bool_]
    """Which leaves (second axis) are under each node."""
    children: list[list[int]]

    @classmethod
    def of(cls, node: Any, values: Sequence[str]) -> Tree:
        """Read a taxonomy written as [name, children]."""
        leaves: list[str] = []
        spans: list[tuple[int, int]] = []
        children: list[list[int]] = []

        def add(node: Any) -> int:
            place = len(spans)
            spans.append((len(leaves), 0))
            children.append([])
            if isinstance(node, str):
                leaves.append(node)
            else:
                children[place] += [add(child) for child in node[1]]
            spans[place] = (spans[place][0], len(leaves))
            return place

        add(node)
        every = np.arange(len(leaves))
        inside = np.array([(every >= first) & (every < stop) for first, stop in spans])
        code = {leaf: number for number, leaf in enumerate(leaves)}
        return cls(np.array([code[value] for value in values], dtype=np.int64), inside, children)

    def cuts(self, place: int = 0) -> list[list[int]]:
        """Return all cuts of what is under a node, as lists of nodes."""
        below = [self.cuts(child) for child in self.children[place]]
        return [[place], *([node for part in parts for node in part] for parts in product(*below) if parts)]


@dataclass(frozen=True, eq=False)
class Facts:
    """A table: trees, two columns of numbers (as codes in their order) and the class of each row."""

    trees: list[Tree]
    rough: Ints
    fine: Ints
    classes: Ints

    @classmethod
    def of(cls, table: pl.DataFrame, golden: dict[str, Any]) -> Facts:
        """Return Adult, the trees that matter most first: their cuts leave the fewest sets."""
        first = ["marital-status", "occupation"]
        names = sorted(golden["trees"], key=lambda name: (name not in first, name == "native-country", name))
        trees = [Tree.of(golden["trees"][name], table[name].to_list()) for name in names]
        rough, fine = (_ranks(table[name].cast(pl.Int64).to_numpy()) for name in (ROUGH, FINE))
        return cls(trees, rough, fine, _ranks(table["income"].to_numpy()))


def _ranks(values: npt.NDArray[Any]) -> Ints:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Cell:
    """Rows under one node of each of the first trees, as many as a group needs or more."""

    right: Ints
    """How many are judged right at most, by interval: from which rough number on, up to which it is not."""
    kids: list[Cell | None]
    """The cells under the nodes of the next tree; None for too few rows."""


@dataclass
class Least:
    """The most rows that any cut judges right."""

    facts: Facts
    k: int
    most: int
    """The most known; the more is known at the beginning, the sooner is it proven."""
    sets: int = 0
    """Sets of cuts that were looked at."""
    settled: int = 0
    """Cuts of all columns but the fine numbers that were: of these the best cut was found exactly."""

    def __post_init__(self) -> None:
        facts = self.facts
        self.shape = tuple(int(codes.max()) + 1 for codes in (facts.rough, facts.fine, facts.classes))
        self.cuts = [tree.cuts() for tree in facts.trees]

    def prove(self) -> int:
        """Look at all cuts or bounds of them; return how many rows the best one judges right."""
        root = self._cell(0, np.arange(len(self.facts.classes)))
        if root is not None:
            self._settle([root], [])
        return self.most

    def _cell(self, level: int, rows: Ints) -> Cell | None:
        """Return a cell with all below it."""
        if len(rows) < self.k:
            return None
        facts = self.facts
        if level == len(facts.trees):
            counts = counted(
                np.zeros_like(rows), 1, facts.rough[rows], facts.fine[rows], facts.classes[rows], *self.shape
            )
            return Cell(most_right(counts[0], self.k), [])
        tree = facts.trees[level]
        codes = tree.codes[rows]
        kids = [self._cell(level + 1, rows[inside[codes]]) for inside in tree.inside]
        best = np.zeros((len(kids), self.shape[0], self.shape[0] + 1), dtype=np.int64)
        for place in range(len(kids) - 1, -1, -1):
            best[place] = best[tree.children[place]].sum(axis=0)
            kid = kids[place]
            if kid is not None:
                best[place] = np.maximum(best[place], kid.right)
        return Cell(best[0], kids)

    def _settle(self, cells: list[Cell], chosen: list[list[int]]) -> None:
        """Look at all cuts of the next tree, those of the trees before being chosen."""
        level = len(chosen)
        if level == len(self.cuts):
            self._numbers(cells, chosen)
            return
        sums = np.zeros((len(self.facts.trees[level].children), self.shape[0], self.shape[0] + 1), dtype=np.int64)
        for cell in cells:
            for place, kid in enumerate(cell.kids):
                if kid is not None:
                    sums[place] += kid.right
        for cut in self.cuts[level]:
            self.sets += 1
            if longest(sums[cut].sum(axis=0))[0] > self.most:
                kids = [kid for cell in cells for kid in (cell.kids[place] for place in cut) if kid is not None]
                self._settle(kids, [*chosen, cut])

    def _numbers(self, cells: list[Cell], chosen: list[list[int]]) -> None:
        """Look at all cuts of the rough numbers that may be better, all trees being cut."""
        facts = self.facts
        group = np.zeros(len(facts.classes), dtype=np.int64)
        for tree, cut in zip(facts.trees, chosen, strict=True):
            group = group * len(cut) + tree.inside[cut].argmax(axis=0)[tree.codes]
        group = _ranks(group)
        counts = counted(group, int(group.max()) + 1, facts.rough, facts.fine, facts.classes, *self.shape)
        right = sum((cell.right for cell in cells), np.zeros((self.shape[0], self.shape[0] + 1), dtype=np.int64))
        rest = longest(right)

        def go(begins: list[int], far: int, sure: int) -> None:
            if sure + rest[far] <= self.most:
                return
            if far == self.shape[0]:
                self.settled += 1
                self.most = max(self.most, best_fine(counts, np.array([*begins, far]), self.k))
                return
            for stop in range(far + 1, self.shape[0] + 1):
                go([*begins, far], stop, sure + int(right[far, stop]))

        go([], 0, 0)


@kernel
def counted(group, groups, rough, fine, classes, roughs, fines, kinds):  # type: ignore[no-untyped-def]
    """Return how many rows of each group have numbers below some rough and some fine one, by class."""
    counts = np.zeros((groups, roughs + 1, kinds, fines + 1), dtype=np.int32)
    for row in range(len(group)):
        counts[group[row], rough[row] + 1, classes[row], fine[row] + 1] += 1
    for g in range(groups):
        for i in range(1, roughs + 1):
            for c in range(kinds):
                for j in range(1, fines + 1):
                    more = counts[g, i - 1, c, j] + counts[g, i, c, j - 1] - counts[g, i - 1, c, j - 1]
                    counts[g, i, c, j] += more
    return counts


@kernel
def add_right(below, above, k, right, rows, largest):  # type: ignore[no-untyped-def]
    """Add how many rows between two rough numbers are judged right, to each interval of fine numbers.

    `rows` and `largest` are scratch. Figures of four bytes and loops without a way out are several times faster.
    """
    fines, kinds = below.shape[1] - 1, below.shape[0]
    rows[:] = 0
    for c in range(kinds):
        for stop in range(fines + 1):
            rows[stop] += np.int32(above[c, stop] - below[c, stop])
    for begin in range(fines):
        enough = np.int32(rows[begin] + k)
        if rows[fines] < enough:
            break
        largest[:] = 0
        for c in range(kinds):
            upper, lower = above[c], below[c]
            before = np.int32(upper[begin] - lower[begin])
            for stop in range(fines + 1):
                one = np.int32(np.int32(upper[stop] - lower[stop]) - before)
                largest[stop] = one if one > largest[stop] else largest[stop]
        sums = right[begin]
        for stop in range(fines + 1):
            sums[stop] += largest[stop] if rows[stop] >= enough else np.int32(0)


@kernel
def longest(right):  # type: ignore[no-untyped-def]
    """Return the most that intervals from each place to the end come to together."""
    places = right.shape[0]
    best = np.zeros(places + 1, dtype=np.int64)
    for begin in range(places - 1, -1, -1):
        ways, most = right[begin], 0
        for stop in range(begin + 1, places + 1):
            most = max(most, ways[stop] + best[stop])
        best[begin] = most
    return best


@kernel
def most_right(counts, k):  # type: ignore[no-untyped-def]
    """Return for each interval of rough numbers how many rows are judged right under its own best fine cut."""
    roughs, fines = counts.shape[0] - 1, counts.shape[2] - 1
    most = np.zeros((roughs, roughs + 1), dtype=np.int64)
    right = np.zeros((fines, fines + 1), dtype=np.int32)
    scratch = np.zeros((2, fines + 1), dtype=np.int32)
    for begin in range(roughs):
        for stop in range(begin + 1, roughs + 1):
            last = 0
            for c in range(counts.shape[1]):
                last += counts[stop, c, fines] - counts[stop - 1, c, fines]
            if last == 0 and stop > begin + 1:
                most[begin, stop] = most[begin, stop - 1]
                continue
            right[:] = 0
            add_right(counts[begin], counts[stop], k, right, scratch[0], scratch[1])
            most[begin, stop] = longest(right)[0]
    return most


@kernel
def best_fine(counts, ends, k):  # type: ignore[no-untyped-def]
    """Return how many rows are judged right under the best cut of the fine numbers, all others being cut."""
    fines = counts.shape[3] - 1
    right = np.zeros((fines, fines + 1), dtype=np.int32)
    scratch = np.zeros((2, fines + 1), dtype=np.int32)
    for g in range(counts.shape[0]):
        for part in range(len(ends) - 1):
            add_right(counts[g, ends[part]], counts[g, ends[part + 1]], k, right, scratch[0], scratch[1])
    return longest(right)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=[500, 250, 200, 150, 100, 75, 50, 25])
    parser.add_argument("--kicks", type=int, default=60, help="of the coordinate search")
    options = parser.parse_args()
    golden = json.loads(k_anonymity.GOLDEN.read_text())
    table = k_anonymity.adult(golden["columns"])
    facts = Facts.of(table, golden)
    Least(facts, 5_000, 0).prove()  # compiles
    print(f"{'k':>4} {'coordinate':>16} {'least':>16} {'known':>8} {'less least':>10} {'sets':>9} {'cuts':>9} "
          f"{'CPU s':>6}")  # fmt: skip
    for k in options.k:
        found = Published(table, golden, k).coordinate("CM", Settings(kicks=options.kicks))
        print(line(facts, k, round(found.cm * len(table))), flush=True)


def line(facts: Facts, k: int, misjudged: int) -> str:
    """Prove how many rows are misjudged at least, from a cut that misjudges so many."""
    rows = len(facts.classes)
    begin = time.process_time()
    proof = Least(facts, k, rows - misjudged)
    least = rows - proof.prove()
    seconds = time.process_time() - begin
    known = ""
    if k in k_anonymity.SIZES:
        value = k_anonymity.KNOWN["CM", "coordinate"][k_anonymity.SIZES.index(k)]
        known = f"{value:8.5f} {value - least / rows:+10.5f}"
    return (
        f"{k:>4} {misjudged:>7} {misjudged / rows:8.5f} {least:>7} {least / rows:8.5f} {known:>19} {proof.sets:>9,} "
        f"{proof.settled:>9,} {seconds:6.1f}"
    )


if __name__ == "__main__":
    main()
