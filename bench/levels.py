"""The space that ARX searches, by brute force: one level of its hierarchy for each column, and suppressed rows.

    python bench/levels.py [--only PART] [--rows ROWS]

Adult as in `promises.py`, with the same promises. Every one of the 4,320 choices of levels is tried; rows whose group
breaks the promise are suppressed, as many as it takes, and count as lost. Of all choices the one that keeps the most
detail (1 - LM) is printed beside what coordinate search keeps: first whatever becomes of the suppressed rows, of which
ARX asks nothing; then of those choices whose suppressed rows, which show their secret too, keep the promise as well, as
ours do, and where a row that is suppressed is missed by the other groups that it was in.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np
import polars as pl

import discreet as d
from adult import data_folder
from promises import HIERARCHIES, SECRET, adult, columns, crowd, known, promises

Numbers: TypeAlias = Any
"""An array."""
NEARLY = 1e-9
"""Who misses a threshold by so little keeps it here."""


@dataclass(frozen=True)
class Levels:
    """A column at each level of its hierarchy: codes of the rows, and what each row loses."""

    codes: list[Numbers]
    losses: list[Numbers]

    @classmethod
    def of(cls, table: pl.DataFrame, column: str) -> Levels:
        """Read the hierarchy of a column."""
        lines = hierarchy(column)
        place = {line[0]: number for number, line in enumerate(lines)}
        leaf = np.array([place[value] for value in table[column]])
        codes, losses = [], []
        for level in zip(*lines, strict=True):
            names, code, sizes = np.unique(np.array(level), return_inverse=True, return_counts=True)
            del names
            codes.append(code[leaf])
            losses.append(((sizes - 1) / (len(lines) - 1))[code][leaf])
        return cls(codes, losses)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="promises whose name has this in it")
    parser.add_argument("--rows", type=int, default=30_162, help="so many rows of Adult")
    chosen = parser.parse_args()
    table = adult().head(chosen.rows)
    wanted = [("k = 10", [crowd(table)]), *promises(table)]
    wanted = [(name, protect) for name, protect in wanted if chosen.only in name]
    best = best_of_levels(table, [name for name, _ in wanted])
    print(f"{'promise':<34} {'one level':>10} {'kept by all':>12} {'ours':>7}")
    for name, protect in wanted:
        release = d.protect(table, d.Policy(protect=protect, columns=columns(table, protect), search="coordinate"))
        detail = release.audit.detail or 0.0
        over = "" if detail >= best[name].safe - NEARLY else " less than one level keeps"
        print(f"{name:<34} {best[name].any:10.4f} {best[name].safe:12.4f} {detail:7.4f}{over}", flush=True)


@dataclass
class Best:
    """The most detail of all choices, and of those whose suppressed rows keep the promise too."""

    any: float = 0.0
    safe: float = 0.0

    def take(self, detail: float, is_safe: Callable[[], bool]) -> None:
        """Look at a choice; whether it is safe is asked only where that matters."""
        self.any = max(self.any, detail)
        if detail > self.safe and is_safe():
            self.safe = detail


def best_of_levels(table: pl.DataFrame, names: list[str]) -> dict[str, Best]:
    """Return the most detail that one level per column keeps, promise by promise."""
    all_levels = [Levels.of(table, column) for column in known(table)]
    values, secret = np.unique(table[SECRET].to_numpy(), return_inverse=True)
    checks = {name: check(name, values.tolist(), np.bincount(secret)) for name in names if not name.startswith("any 3")}
    threes = next((name for name in names if name not in checks), None)
    best = {name: Best() for name in names}
    rare = {} if threes is None else rare_threes(all_levels, 10)
    for choice in itertools.product(*[range(len(levels.codes)) for levels in all_levels]):
        chosen = [(levels.codes[level], levels.losses[level]) for levels, level in zip(all_levels, choice, strict=True)]
        loss = sum(lost for _, lost in chosen) / len(chosen)
        groups = grouped([codes for codes, _ in chosen])
        counts = np.bincount(groups * len(values) + secret, minlength=(groups.max() + 1) * len(values))
        counts = counts.reshape(-1, len(values))
        for name, holds in checks.items():
            keeps = holds(counts)
            gone = counts[~keeps].sum(axis=0, keepdims=True)
            detail = 1 - float(np.where(keeps[groups], loss, 1).mean())
            best[name].take(detail, partial(_keeps_too, gone, holds))
        if threes is not None:
            bad = np.any([rare[three] for three in itertools.combinations(enumerate(choice), 3)], axis=0)
            detail = 1 - float(np.where(bad, 1, loss).mean())
            if detail > best[threes].safe:
                best[threes].any = max(best[threes].any, detail)
                all_bad = rare_in_the_end([codes for codes, _ in chosen], bad, 10)
                best[threes].safe = max(best[threes].safe, 1 - float(np.where(all_bad, 1, loss).mean()))
    return best


def _keeps_too(gone: Numbers, holds: Callable[[Numbers], Numbers]) -> bool:
    """Whether the suppressed rows, as a group, keep a promise as well."""
    return not gone.any() or bool(holds(gone)[0])


def rare_in_the_end(codes: list[Numbers], bad: Numbers, k: int) -> Numbers:
    """Return which rows are too few alike on some three columns once those that are have been suppressed, and so on."""
    found = bad
    while True:
        left = np.flatnonzero(~found)
        more = np.zeros(len(left), dtype=bool)
        for three in itertools.combinations(codes, 3):
            groups = grouped([each[left] for each in three])
            more |= np.bincount(groups)[groups] < k
        if not more.any():
            return found
        found = found.copy()
        found[left[more]] = True


def rare_threes(all_levels: list[Levels], k: int) -> dict[Any, Numbers]:
    """Return which rows are fewer than k alike, by three columns and their levels."""
    found = {}
    each = [[(number, level) for level in range(len(levels.codes))] for number, levels in enumerate(all_levels)]
    for three in itertools.combinations(each, 3):
        for choice in itertools.product(*three):
            groups = grouped([all_levels[number].codes[level] for number, level in choice])
            found[choice] = np.bincount(groups)[groups] < k
    return found


def grouped(codes: list[Numbers]) -> Numbers:
    """Return the group of each row by its codes."""
    sizes = [int(code.max()) + 1 for code in codes]
    assert prod(sizes) < 2**62
    joined = np.zeros(len(codes[0]), dtype=np.int64)
    for code, size in zip(codes, sizes, strict=True):
        joined = joined * size + code
    return np.unique(joined, return_inverse=True)[1]


def check(name: str, values: list[str], totals: Numbers) -> Callable[[Numbers], Numbers]:
    """Return what tells which groups keep a promise, from the counts of their values."""
    words = name.split(" ")
    whole = totals / totals.sum()
    if words[0] == "k":
        return lambda counts: counts.sum(axis=1) >= int(words[-1])
    if words[0] == "l":
        return lambda counts: (counts > 0).sum(axis=1) >= int(words[-1])
    if words[0] == "entropy":
        return lambda counts: entropy(counts) >= np.log(int(words[-1])) - NEARLY
    if words[0] == "recursive":
        least = int(words[3].rstrip(","))
        return lambda counts: commonest(counts) < 2 * np.sort(counts, axis=1)[:, ::-1][:, least - 1 :].sum(axis=1)
    if words[0] == "2x":
        return lambda counts: (shares(counts) <= 2 * whole + NEARLY).all(axis=1)
    if words[0] == "any":
        return lambda counts: shares(counts).max(axis=1) <= 0.5 + NEARLY
    most = int(words[2].rstrip("%")) / 100 + NEARLY
    far = {"equal": equal_distance, "ordered": ordered_distance, "tree": tree_distance(values)}[words[3]]
    return lambda counts: far(shares(counts) - whole) <= most


def shares(counts: Numbers) -> Numbers:
    """Return the shares of the values in each group."""
    return counts / counts.sum(axis=1, keepdims=True)


def entropy(counts: Numbers) -> Numbers:
    """Return the entropy of each group."""
    parts = shares(counts)
    return -(parts * np.log(np.where(parts > 0, parts, 1))).sum(axis=1)


def commonest(counts: Numbers) -> Numbers:
    """Return how often the commonest value of each group is there."""
    return counts.max(axis=1)


def equal_distance(surplus: Numbers) -> Numbers:
    """Return how much must be moved where all values are equally far from each other."""
    return np.abs(surplus).sum(axis=1) / 2


def ordered_distance(surplus: Numbers) -> Numbers:
    """Return how much must be moved how far along the order of the values."""
    return np.abs(np.cumsum(surplus, axis=1)).sum(axis=1) / (surplus.shape[1] - 1)


def tree_distance(values: list[str]) -> Callable[[Numbers], Numbers]:
    """Return what tells how much must be moved how high up the hierarchy."""
    lines = {line[0]: line for line in hierarchy(SECRET)}
    levels = [np.unique([lines[value][level] for value in values], return_inverse=True)[1] for level in range(
        len(lines[values[0]]))]  # fmt: skip

    def distance(surplus: Numbers) -> Numbers:
        total, height = np.zeros(len(surplus)), len(levels) - 1
        for level in range(1, len(levels)):
            child = added(surplus, levels[level - 1])
            parents = np.zeros(levels[level - 1].max() + 1, dtype=np.int64)
            parents[levels[level - 1]] = levels[level]
            more, less = added(np.maximum(child, 0), parents), added(np.maximum(-child, 0), parents)
            total += np.minimum(more, less).sum(axis=1) * level / height
        return total

    return distance


def added(parts: Numbers, places: Numbers) -> Numbers:
    """Return the sums of the columns that have the same place."""
    found = np.zeros((len(parts), places.max() + 1))
    np.add.at(found, (slice(None), places), parts)  # type: ignore[arg-type]
    return found


def hierarchy(column: str) -> list[list[str]]:
    """Return the lines of a hierarchy: a value and what stands above it."""
    path = data_folder(f"{HIERARCHIES}/adult.csv") / HIERARCHIES / f"adult_hierarchy_{column}.csv"
    return [line.split(";") for line in path.read_text(encoding="utf-8").splitlines() if line]


if __name__ == "__main__":
    main()
