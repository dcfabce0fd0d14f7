"""What releases of Adult are good for: errors of a tree learner on them, and cuts used again on new rows.

    python bench/reuse.py [--k 10 25 50 75 100 150 200 250 500] [--search coordinate] [--figures 8 11 12]
                          [--learners C4.5] [--folds 10]

Figure 8 of Iyengar (2002): the error of C4.5 (see `c45.py`) by ten-fold cross-validation on what `protect` releases of
the 30,162 complete training rows, for the nine k, made for the class (CM) and for no use in particular (LM), beside the
table as it is. Suppressed rows stay in the release and count. Numbers and intervals are categories to this learner.
Figures 11 and 12: CM and LM on the 15,060 complete rows of the test part, under the published conditions (see
`k_anonymity.py`), with the cut of the training part beside a cut made for the test part; and how many rows are
suppressed when the plan of `protect` is applied to the test part under our own rule, verified.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import discreet as d
from c45 import Codes
from discreet.method.cuts.evaluation import Cut
from k_anonymity import GOLDEN, SIZES, Published, Scored, Settings, adult, compile_all, policy
from learners import LEARNERS, encode

SEED = 1
FIGURES = {"11": "CM", "12": "LM"}
PAPER = {
    "8": "The paper prints: 17.1% on the table as it is (with numbers as numbers); 17.3% to 18.5% made for the class; "
    "made for no use much more, from k = 200 on that of guessing the most frequent class. "
    "The single points of its figure cannot be read.",
    "11": "The paper prints no figures: the cut used again does worse, mostly because it suppresses more rows.",
    "12": "The paper prints no figures: the cut used again does worse, but less so than for CM.",
}


@dataclass(frozen=True)
class Bench:
    """The data, and how the cuts are searched for."""

    golden: dict[str, Any]
    train: pl.DataFrame
    test: pl.DataFrame
    search: str
    settings: Settings

    def release(self, k: int, aim: str) -> d.Release:
        release = d.protect(self.train, policy(self.golden, k, aim, self.search, self.settings), seed=SEED)
        assert release.audit.verification.holds
        return release


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=SIZES)
    parser.add_argument("--search", choices=["genetic", "coordinate"], default="coordinate")
    parser.add_argument("--figures", nargs="+", choices=["8", *FIGURES], default=["8", *FIGURES])
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=["C4.5"])
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    golden = json.loads(GOLDEN.read_text())
    train, test = (adult(golden["columns"], part) for part in ("adult.data", "adult.test"))
    bench = Bench(golden, train, test, options.search, Settings(seeds=(0,)))
    compile_all(Published(train, golden, 10))
    print(f"Adult: {len(train):,} training rows, {len(test):,} test rows; {options.search} search\n")
    if "8" in options.figures:
        for learner in options.learners:
            errors(bench, options.k, learner, options.folds)
    for figure in ("11", "12"):
        if figure in options.figures:
            reused(figure, bench, options.k)


def errors(bench: Bench, chosen: Sequence[int], learner: str, folds: int) -> None:
    """Print how often a learner errs on the releases."""
    most = bench.train["income"].value_counts()["count"].max()
    assert isinstance(most, int)
    print(f"Figure 8: errors of {learner} in %, {folds}-fold cross-validation")
    print(f"table as it is {error(bench.train, learner, folds):.2f}; always the most frequent class "
          f"{100 * (1 - most / len(bench.train)):.2f}")  # fmt: skip
    print(f"{'k':>4} {'made for the class':>19} {'suppressed':>10} {'for no use':>11} {'suppressed':>10}")
    for k in chosen:
        line = f"{k:>4}"
        for aim, width in (("CM", 19), ("LM", 11)):
            release = bench.release(k, aim)
            assert isinstance(release.table, pl.DataFrame)
            line += f" {error(release.table, learner, folds):{width}.2f} {release.audit.suppressed:>10}"
        print(line, flush=True)
    print(f"{PAPER['8']}\n", flush=True)


def error(table: pl.DataFrame, learner: str, folds: int) -> float:
    """Return the share of rows that are misjudged by what is learned from the other folds, in per cent."""
    data = encode(table, "income")
    wrong = sum(LEARNERS[learner](data, train, test) * len(test) for train, test in parts(len(table), folds))
    return wrong / len(table)


def parts(rows: int, folds: int) -> Iterator[tuple[Codes, Codes]]:
    """Yield the rows to learn from and those to judge, for each fold; the same for every table of that many rows."""
    fold = np.random.default_rng(SEED).permutation(rows) % folds
    for number in range(folds):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def reused(figure: str, bench: Bench, chosen: Sequence[int]) -> None:
    """Print what the cut of the training part comes to on the test part, beside one made for it."""
    aim = FIGURES[figure]
    print(f"Figure {figure}: {aim} on the test part, of a cut made for it and of that of the training part")
    print(f"{'k':>4} {'made for it':>11} {'suppressed':>10} {'used again':>11} {'suppressed':>10} {'difference':>10} "
          f"{'by apply, suppressed':>21}")  # fmt: skip
    for k in chosen:
        first, second = Published(bench.train, bench.golden, k), Published(bench.test, bench.golden, k)
        made = second.best(bench.search, aim, bench.settings)[0]
        used = moved(first.best(bench.search, aim, bench.settings)[0], bench, second)
        applied = bench.release(k, aim).plan.apply(bench.test)
        assert applied.audit.verification.holds
        print(f"{k:>4} {made.by(aim):11.5f} {made.gone:>10} {used.by(aim):11.5f} {used.gone:>10} "
              f"{used.by(aim) - made.by(aim):+10.5f} {applied.audit.suppressed:>21}", flush=True)  # fmt: skip
    print(f"{PAPER[figure]}\n", flush=True)


def moved(found: Scored, bench: Bench, to: Published) -> Scored:
    """Return what a cut of the training part comes to on the test part.

    Taxonomies have the same codes in both; intervals of numbers begin at the same numbers.
    """
    trees, train, test = bench.golden["trees"], bench.train, bench.test
    cut: Cut = tuple(
        firsts if name in trees else again(firsts, numbers(train[name]), numbers(test[name]))
        for name, firsts in zip(bench.golden["columns"], found.cut, strict=True)
    )
    return to.score(cut)


def numbers(column: pl.Series) -> Codes:
    """Return the different numbers of a column, in order."""
    return np.unique(column.cast(pl.Int64).to_numpy()).astype(np.intp)


def again(firsts: Codes, before: Codes, now: Codes) -> Codes:
    """Return a cut of the numbers `before` as one of other numbers."""
    assert len(firsts) == len(before)
    begins = np.searchsorted(now, before[np.unique(firsts)])
    begins[0] = 0
    return np.asarray(begins[np.searchsorted(begins, np.arange(len(now)), side="right") - 1])


if __name__ == "__main__":
    main()
