"""Blind protection beside the methods that look: what is changed, and what is guessed by who knows the method.

    python bench/blind.py [--data wbc adult car] [--runs 5] [--cells 100] [--only NAMES] [--jobs 2]
    python bench/blind.py --confirm
    python bench/blind.py --large

Cells drawn at random, one in each of 100 rows, all of a draw confidential at once; the other rows are the rest. "hide
only": nothing but the cells is hidden; "row left out": every predictor is hidden as well, and the commonest value is
left. "grown blocks": as earlier versions found them. DECP, DROPP and HID3: one cell at a time on a fresh table, guessed
by who knows the method (bench/attacks.py).
Learners: naive Bayes, a tree, logistic regression, a random forest and nearest neighbours, trained anew on the rest
with the columns that are shown ("anew"); the same and gradient boosting trained on rows of the rest that were protected
as if they were confidential, stars as values of their own ("stars"); a forest that reads each star as its block
("blocks"). "surest": the fifth of the cells about which a learner is surest (posterior minus the share of the commonest
value). Marks: in neither is a learner right more often than the limits of its guesses, by an exact binomial test at 5%
with Bonferroni's correction over the learners. "prototype": the changed cells of the specification's prototype, whose
limit was laxer. CPU: that of the method, training included, reading and learners not; the median of five runs of a draw
that follow one which is not counted. The first of a process loads or compiles loops: its seconds are printed apart.
--confirm: Credit Approval and German Credit, 3 draws. --large: 10,000 cells of 1,000,000 rows, in memory, rehearsed and
verified. Needs the data (DISCREET_DATA).
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import discreet as d
from adult import expanded
from attacks import one_trial
from blind_data import CONFIRMING, DATA, MISSING, BlindData, Floats, Ints, guess
from cells_trials import Bench
from discreet.common.rates import wilson
from discreet.common.surest import surest_fifth
from discreet.plan.blind_statement import GROWING, LEAVING
from discreet.planning.blind_texts import tell_texts
from evaluation import print_table

PROTOTYPE = {"wbc": 6.7, "adult": 4.9, "car": 2.1, "german": 4.3, "crx": 4.6}
"""Changed cells of the specification's prototype, the cell itself included."""
ANEW = ("Bayes", "tree", "logistic", "forest", "nearest")
STARS = (*ANEW, "boosting")
LEARNERS = (*(f"{name} anew" for name in ANEW), *(f"{name} stars" for name in STARS), "forest blocks")
LOOKING = ("DECP", "DROPP", "HID3")
REHEARSED = 1_000
SIGNIFICANT = 0.05
WARM = 5
"""Runs of the method that are timed, after one that is not."""
MOST_MS = 1.0
"""CPU milliseconds a cell on Wisconsin, training included."""
MOST_SECONDS = 30
"""For 10,000 cells of 1,000,000 rows."""
LARGE_COLUMNS = ("occupation", "relationship")
"""One that nothing in the large table tells, so that all is shown, and one that much does."""
AT_MOST = Fraction(1, 2)


@dataclass(frozen=True)
class Way:
    """How the rows of a draw are protected: blind, or one of two ways that nobody has to decide."""

    name: str
    margin: int = 5
    blocks: str = "starred"
    blind: bool = True
    rule: str = LEAVING

    def limits(self, shares: Sequence[Fraction]) -> Floats:
        """Return the limit of each value."""
        margin = Fraction(self.margin, 100)
        return np.array([float(max(AT_MOST, share + min(margin, (1 - share) / 2))) for share in shares])


WAYS = (
    Way("hide only", blind=False),
    Way("blind, blocks, 5"),
    Way("blind, grown blocks, 5", rule=GROWING),
    Way("blind, blocks, 10", margin=10),
    Way("blind, no blocks, 5", blocks="none"),
    Way("row left out", blind=False),
)
Shown = Mapping[str, int | tuple[int, ...]]


@dataclass
class Judged:
    """What became of some cells: for each learner whether it is right, how sure it is, and the limit of its guess."""

    hidden: list[int] = field(default_factory=list)
    """Predictors that are hidden in the row of each cell."""
    bare: list[bool] = field(default_factory=list)
    """Whether nothing is shown of its row."""
    seconds: float = 0.0
    """Of the method, its loops compiled."""
    first: float = 0.0
    """Seconds of the run before those that are timed; of several draws the longest."""
    right: dict[str, list[float]] = field(default_factory=dict)
    sure: dict[str, list[float]] = field(default_factory=dict)
    limit: dict[str, list[float]] = field(default_factory=dict)

    def add(self, learner: str, right: float, sure: float, limit: float) -> None:
        for kept, figure in ((self.right, right), (self.sure, sure), (self.limit, limit)):
            kept.setdefault(learner, []).append(figure)

    def __add__(self, other: Judged) -> Judged:
        made = Judged(self.hidden + other.hidden, self.bare + other.bare, self.seconds + other.seconds)
        made.first = max(self.first, other.first)
        for one in (self, other):
            for learner, rights in one.right.items():
                for figures in zip(rights, one.sure[learner], one.limit[learner], strict=True):
                    made.add(learner, *figures)
        return made

    def surest(self, learner: str) -> Ints:
        """Return the fifth of the cells about which a learner is surest, the first of those that are equally sure."""
        order = np.argsort(-np.round(self.sure[learner], 9), kind="stable")
        return np.asarray(order[: -(-len(order) // 5)], dtype=np.int64)

    def best(self, *, surest: bool = False) -> tuple[str, float, float]:
        """Return the learner that is right most often, how often, and the mean limit there."""
        found = []
        for learner, rights in self.right.items():
            which = self.surest(learner) if surest else np.arange(len(rights))
            found.append((float(np.mean(np.array(rights)[which])), learner, which))
        share, learner, which = max(found, key=lambda each: each[0])
        return learner, share, float(np.mean(np.array(self.limit[learner])[which]))

    def passing(self, *, surest: bool) -> list[str]:
        """Return the learners that are right more often than their limits, beyond chance."""
        found = []
        for learner, rights in self.right.items():
            which = self.surest(learner) if surest else np.arange(len(rights))
            limit = float(np.mean(np.array(self.limit[learner])[which]))
            chance = tail(round(float(np.array(rights)[which].sum())), len(which), limit)
            if chance * len(self.right) < SIGNIFICANT:
                found.append(learner)
        return found


def tail(right: int, tries: int, share: float) -> float:
    """Return the probability of at least so many right guesses, each right with this probability."""
    return float(importlib.import_module("scipy.stats").binom.sf(right - 1, tries, share))


class Coded:
    """The texts of a data set as codes; one code more in each column is the star."""

    def __init__(self, data: BlindData) -> None:
        self.domains = [sorted(set(column)) for column in zip(*data.rows, strict=True)]
        places = [{text: code for code, text in enumerate(domain)} for domain in self.domains]
        self.codes: Ints = np.array([[of[text] for of, text in zip(places, row, strict=True)] for row in data.rows])
        self.sizes: Ints = np.array([len(domain) for domain in self.domains])

    def starred(self, row: int, shown: Sequence[bool]) -> Ints:
        return np.where(shown, self.codes[row], self.sizes)


def protect(data: BlindData, way: Way, rows: Sequence[int], cells: Sequence[tuple[int, int]]) -> dict[int, Shown]:
    """Protect cells beside some rows of a data set by the product's method; return what is told of each."""
    place = {row: at for at, row in enumerate(rows)}
    by_column: dict[int, list[int]] = {}
    for row, column in cells:
        by_column.setdefault(column, []).append(place[row])
    items = [
        {"column": data.names[column], "rows": sorted(mine), "at_most": AT_MOST, "margin": Fraction(way.margin, 100)}
        for column, mine in sorted(by_column.items())
    ]
    answer = tell_texts(
        names=list(data.names),
        rows=[list(data.rows[row]) for row in rows],
        items=items,
        blocks=way.blocks,
        rule=way.rule,
        missing=[MISSING],
    )
    return {row: answer.told[place[row]] for row, _ in cells}


def told_of(data: BlindData, way: Way, rows: Sequence[int], cells: Sequence[tuple[int, int]]) -> dict[int, Shown]:
    """Return what is told of the rows of the cells."""
    if way.blind:
        return protect(data, way, rows, cells)
    everything = dict.fromkeys(data.names, 0) if way.name == "hide only" else {}
    return {
        row: {name: told for name, told in everything.items() if name != data.names[column]} for row, column in cells
    }


def one_draw(data: BlindData, way: Way, number: int, seed: int) -> Judged:
    """Protect the cells of a draw, and let all learners guess them."""
    cells = data.cells(number, seed)
    times = []
    for _ in range(1 + WARM):
        begin = time.process_time()
        told = told_of(data, way, range(len(data.rows)), cells)
        times.append(time.process_time() - begin)
    judged = Judged(seconds=float(np.median(times[1:])), first=times[0])
    coded = Coded(data)
    chosen = {row for row, _ in cells}
    rest = np.array([row for row in range(len(data.rows)) if row not in chosen])
    for column in sorted({column for _, column in cells}):
        mine = [row for row, of in cells if of == column]
        _Column(data, coded, way, rest, column, seed).judge(mine, told, judged)
    return judged


class _Column:
    """The learners of one sensitive column."""

    def __init__(self, data: BlindData, coded: Coded, way: Way, rest: Ints, column: int, seed: int) -> None:
        self.data, self.coded, self.way, self.column, self.seed = data, coded, way, column, seed
        self.predictors = [place for place in range(len(data.names)) if place != column]
        known = np.array([data.rows[row][column] != MISSING for row in rest.tolist()])
        self.rest = rest[known]
        self.classes = coded.codes[self.rest, column]
        self.values = int(coded.sizes[column])
        counts = np.bincount(self.classes, minlength=self.values)
        self.limits = way.limits([Fraction(int(count), len(self.rest)) for count in counts])
        self.common = float(counts.max() / len(self.rest))

    def judge(self, rows: list[int], told: Mapping[int, Shown], judged: Judged) -> None:
        """Let all learners guess the cells of some rows."""
        true = self.coded.codes[rows, self.column]
        shown = [[isinstance(told[row].get(self.data.names[place]), int) for place in self.predictors] for row in rows]
        judged.hidden += [len(flags) - sum(flags) for flags in shown]
        judged.bare += [not any(flags) for flags in shown]
        found = {f"{name} anew": self._anew(name, rows, shown) for name in ANEW}
        found |= self._rehearsed(rows, told)
        for learner, likely in found.items():
            best = likely.argmax(axis=1)
            for value, sure, actual in zip(best.tolist(), likely.max(axis=1).tolist(), true.tolist(), strict=True):
                judged.add(learner, float(value == actual), sure - self.common, float(self.limits[value]))

    def _anew(self, name: str, rows: list[int], shown: list[list[bool]]) -> Floats:
        """Train on the rest with the columns that are shown of each row."""
        likely = np.zeros((len(rows), self.values))
        for flags in sorted({tuple(each) for each in shown}):
            here = [at for at, each in enumerate(shown) if tuple(each) == flags]
            columns = [place for place, flag in zip(self.predictors, flags, strict=True) if flag]
            training, asked = self.coded.codes[self.rest][:, columns], self.coded.codes[[rows[at] for at in here]]
            sizes = self.coded.sizes[columns]
            likely[here] = guess(name, training, sizes, self.classes, self.values, asked[:, columns])
        return likely

    def _rehearsed(self, rows: list[int], told: Mapping[int, Shown]) -> dict[str, Floats]:
        """Train on rows of the rest that are protected as if their cells were confidential."""
        rng = np.random.default_rng(self.seed)
        order = rng.permutation(self.rest).tolist()
        halves = [order[half::2] for half in (0, 1)]
        training: dict[int, Shown] = {}
        for half, other in ((0, 1), (1, 0)):
            some = sorted(halves[half][: REHEARSED // 2])
            beside = [*sorted(halves[other]), *some]
            training |= told_of(self.data, self.way, beside, [(row, self.column) for row in some])
        found = {}
        for reading, names in (("stars", STARS), ("blocks", ("forest",))):
            lines, sizes = self._lines([*training.items(), *((row, told[row]) for row in rows)], reading)
            classes = self.coded.codes[list(training), self.column]
            for name in names:
                likely = guess(name, lines[: len(training)], sizes, classes, self.values, lines[len(training) :])
                found[f"{name} {reading}"] = likely
        return found

    def _lines(self, told: Sequence[tuple[int, Shown]], reading: str) -> tuple[Ints, Ints]:
        """Return rows of codes as they are released, with a star or each block as a value of its own."""
        columns, sizes = [], []
        for place in self.predictors:
            codes: dict[object, int] = {}
            line = []
            for row, shown in told:
                fact = shown.get(self.data.names[place])
                star: object = fact if reading == "blocks" else None
                seen = self.data.rows[row][place] if isinstance(fact, int) else star
                line.append(codes.setdefault(seen, len(codes)))
            columns.append(line)
            sizes.append(len(codes))
        return np.array(columns).T.reshape(len(told), len(columns)), np.array(sizes)


def looked(data: BlindData, method: str, number: int, seed: int) -> dict[str, list[float]]:
    """Return what becomes of the cells of a draw by a method that looks at the secret, one at a time."""
    made = data.as_cells()
    bench = Bench(made, general=False)
    cells = data.cells(number, seed)
    found: dict[str, list[float]] = {"plain": [], "aware": [], "sure": [], "cells": [], "blank": []}
    for (row, column), chance in zip(cells, bench.chances(len(cells), seed), strict=True):
        trial = one_trial(bench, method, row, column, chance)
        for name, figure in (("plain", trial.plain), ("aware", trial.aware), ("sure", trial.sure),
                             ("cells", float(trial.cells)), ("blank", float(trial.blank))):  # fmt: skip
            found[name].append(figure)
    return found


def percent(right: float, tries: int) -> str:
    low, high = wilson(right, tries)
    return f"{100 * right / tries:.0f} ({100 * low:.0f}-{100 * high:.0f})"


def way_line(way: Way, judged: Judged, cells: int) -> list[str]:
    """Return the figures of one way."""
    name, share, limit = judged.best()
    sure_name, sure_share, sure_limit = judged.best(surest=True)
    bounded = way.blind
    marks = [", ".join(judged.passing(surest=surest)) or "held" if bounded else "" for surest in (False, True)]
    return [
        way.name,
        f"{1 + np.mean(judged.hidden):.1f}",
        f"{100 * np.mean(judged.bare):.0f}%",
        f"{100 * np.mean(judged.right['Bayes anew']):.0f}",
        f"{percent(share * cells, cells)} {name}",
        f"{100 * limit:.0f}" if bounded else "",
        f"{100 * sure_share:.0f}{f' / {100 * sure_limit:.0f}' if bounded else ''} {sure_name}",
        *marks,
        f"{1000 * judged.seconds / cells:.2f}" if way.blind else "",
    ]


def looking_line(method: str, found: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the figures of a method that looks."""
    aware = np.array(found["aware"])
    fifth = surest_fifth(np.array(found["sure"]), aware)
    assert fifth is not None
    return [
        method,
        f"{np.mean(found['cells']):.1f}",
        f"{100 * np.mean(found['blank']):.0f}%",
        f"{100 * np.mean(found['plain']):.0f}",
        f"{percent(float(aware.sum()), len(aware))} knows it",
        "",
        f"{100 * (fifth.share or 0):.0f} knows it",
        "",
        "",
        "",
    ]


HEADS = ["", "changed", "all hidden", "plain Bayes", "best learner", "limit", "surest / limit", "mark", "mark, surest",
         "CPU ms a cell"]  # fmt: skip


def print_data(data: BlindData, only: Sequence[str], runs: int, cells: int, jobs: int) -> None:
    """Print the table of one data set."""
    lines: list[list[str]] = []
    changed_by: dict[Way, Judged] = {}
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        ways = [way for way in WAYS if way.name in only]
        asked: dict[str, list[Any]] = {
            way.name: [pool.submit(one_draw, data, way, cells, seed) for seed in range(runs)] for way in ways
        }
        asked |= {
            method: [pool.submit(looked, data, method, cells, seed) for seed in range(runs)]
            for method in LOOKING
            if method in only
        }
        for way in ways:
            judged = sum((future.result() for future in asked[way.name]), Judged())
            lines.append(way_line(way, judged, len(judged.hidden)))
            print("; ".join(part for part in lines[-1] if part), file=sys.stderr, flush=True)
            changed_by[way] = judged
        for method in LOOKING:
            if method in only:
                made = [future.result() for future in asked[method]]
                lines.append(looking_line(method, {name: [x for one in made for x in one[name]] for name in made[0]}))
    print_table(f"{data.title}: {cells} cells x {runs} draws, right guesses in %", HEADS, lines)
    ours, grown = changed_by.get(WAYS[1]), changed_by.get(WAYS[2])
    if ours is not None:
        changed, mark = 1 + float(np.mean(ours.hidden)), PROTOTYPE[data.name]
        seconds = 1000 * ours.seconds / len(ours.hidden)
        print(f"changed cells {changed:.2f}, prototype {mark} ({changed / mark:.2f} of it)")
        if grown is not None:
            print(f"by grown blocks {1 + float(np.mean(grown.hidden)):.2f}")
        if data.name == "wbc":
            print(f"CPU {seconds:.2f} ms a cell, mark {MOST_MS} ({seconds / MOST_MS:.2f} of it)", end="; ")
            print(f"the first draw of a process, its loops loaded or compiled, {ours.first:.1f} s")
    print(flush=True)


def print_large(rows: int = 1_000_000, cells: int = 10_000) -> None:
    """Print the time of many cells of a large table, by the whole way of the data."""
    table = expanded(rows)
    chosen = sorted((np.random.default_rng(1).choice(rows, cells, replace=False) + 1).tolist())
    for column in LARGE_COLUMNS:
        policy = d.Policy.from_dict({"protect": [{"column": column, "rows": chosen, "at_most": "50%"}]})
        wall, cpu = time.perf_counter(), time.process_time()
        release = d.protect(table, policy)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        hidden = sum(release.audit.hidden_cells.values())
        print(
            f"{cells:,} cells ({column}) of {rows:,} rows: {wall:.1f} s, {cpu:.1f} s of CPU, mark {MOST_SECONDS} s",
            end="",
        )
        print(f" ({wall / MOST_SECONDS:.2f} of it); {hidden / cells:.2f} cells hidden for each", flush=True)


def main() -> None:
    names = [*(way.name for way in WAYS), *LOOKING]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=[*DATA], default=[*DATA])
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--cells", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--confirm", action="store_true")
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args()
    if options.large:
        print_large()
        return
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}  # for the processes
    makers = list(CONFIRMING.values()) if options.confirm else [DATA[name] for name in options.data]
    runs = options.runs or (3 if options.confirm else 5)
    for made in [maker() for maker in makers]:  # ends here, in words, if there are no data
        print_data(made, options.only, runs, options.cells, options.jobs)


if __name__ == "__main__":
    main()
