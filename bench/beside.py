"""Columns that are published anyway: errors of learners on releases of Adult, with and without `beside`.

    python bench/beside.py [--k 10 25 50 100 250 500] [--learners C4.5 tree boosting] [--folds 10]

The eight columns of Iyengar (2002) are recoded for k by coordinate search, made for the class; hours, gain and loss go
out as they are. Once CM counts every row alike, once (`beside`) the more, the worse those three predict its class.
Errors are in % of the 30,162 complete training rows, suppressed ones too, by cross-validation on each release with the
same folds: C4.5 (see `c45.py`; numbers are categories to it), a tree and boosted trees of scikit-learn (the three
columns are numbers, all others categories). `differ` is weighted less unweighted, and in brackets how many standard
errors of it that is, from the rows that only one of the two misjudges. Last, the table as it is and the three columns
alone.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

import discreet as d
from adult import NAMES
from c45 import Tree
from k_anonymity import GOLDEN, _education, _rows, policy
from learners import encode
from reuse import parts

BESIDE = ["hours-per-week", "capital-gain", "capital-loss"]
SIZES = [10, 25, 50, 100, 250, 500]
SEED = 1
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Made:
    """A release, and what became of it."""

    table: pl.DataFrame
    suppressed: int
    detail: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=SIZES)
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--folds", type=int, default=10)
    options = parser.parse_args()
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"])
    run(table, golden, options.k, options.learners, options.folds)


def adult(columns: Sequence[str], part: str = "adult.data") -> pl.DataFrame:
    """Return the complete rows with the columns that are recoded, those published anyway, and the class."""
    return pl.DataFrame(list(_rows(part)), schema=NAMES, orient="row").select(
        *(_education() if name == "education" else pl.col(name) for name in columns), *BESIDE, "income"
    )


def run(
    table: pl.DataFrame, golden: dict[str, Any], sizes: Sequence[int], learners: Sequence[str], folds: int
) -> list[tuple[int, str, float, float]]:
    """Print the errors, and return k, learner, and the error without and with `beside` of each line."""
    print(f"Adult: {len(table):,} rows; {', '.join(BESIDE)} published; {folds}-fold cross-validation; errors in %")
    print(f"{'k':>4} {'learner':>9} {'alike':>7} {'beside':>7} {'differ':>15}   "
          f"{'suppressed':>13} {'detail kept':>13} {'seconds':>11}")  # fmt: skip
    found = []
    for k in sizes:
        alike, beside = (made(table, golden, k, weighted=weighted) for weighted in (False, True))
        besides = (f"{alike.suppressed:>6} {beside.suppressed:>6} {alike.detail:6.3f} {beside.detail:6.3f} "
                   f"{alike.seconds:5.1f} {beside.seconds:5.1f}")  # fmt: skip
        for learner in learners:
            one, other = (wrong(release.table, learner, folds) for release in (alike, beside))
            found.append((k, learner, 100 * float(one.mean()), 100 * float(other.mean())))
            print(f"{k:>4} {learner:>9} {found[-1][2]:7.2f} {found[-1][3]:7.2f} {differ(one, other)}   {besides}",
                  flush=True)  # fmt: skip
            besides = ""
    for learner in learners:
        whole, alone = (100 * float(wrong(each, learner, folds).mean()) for each in (table, table[[*BESIDE, "income"]]))
        print(f"{learner}: table as it is {whole:.2f}, the three columns alone {alone:.2f}", flush=True)
    return found


def made(table: pl.DataFrame, golden: dict[str, Any], k: int, *, weighted: bool) -> Made:
    """Return the release for the class, verified."""
    rules = policy(golden, k, "CM")
    own = d.Column(type="number") if weighted else d.Column(role="other")
    columns = {**rules.columns, **dict.fromkeys(BESIDE, own)}
    use = d.Classify("income", beside=BESIDE if weighted else None)
    begin = time.process_time()
    release = d.protect(table, rules.model_copy(update={"use": use, "columns": columns}), seed=SEED)
    assert release.audit.verification.holds
    assert isinstance(release.table, pl.DataFrame)
    return Made(release.table, release.audit.suppressed, release.audit.detail or 0.0, time.process_time() - begin)


def differ(one: Flags, other: Flags) -> str:
    """Return how much more often the other errs, and beside it how sure that is."""
    worse, better = int((other & ~one).sum()), int((one & ~other).sum())
    return f"{100 * (worse - better) / len(one):+8.2f} ({(worse - better) / max(worse + better, 1) ** 0.5:+4.1f})"


def wrong(table: pl.DataFrame, learner: str, folds: int) -> Flags:
    """Return which rows are misjudged by what is learned from the other folds."""
    learn = LEARNERS[learner](table)
    found = np.zeros(len(table), dtype=np.bool_)
    for train, test in parts(len(table), folds):
        found[test] = learn(train, test)
    return found


Learn = Callable[[npt.NDArray[np.intp], npt.NDArray[np.intp]], Flags]


def c45(table: pl.DataFrame) -> Learn:
    data = encode(table, "income")

    def learn(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Flags:
        tree = Tree(data.codes[train], data.classes[train], data.sizes)
        return np.asarray(tree.predict(data.codes[test]) != data.classes[test])

    return learn


def one_tree(table: pl.DataFrame) -> Learn:
    """Return CART with leaves of 20 rows or more, a column of zeros and ones for each category."""
    trees = importlib.import_module("sklearn.tree")
    data = encode(table, "income")
    names = [name for name in table.columns if name != "income"]
    columns = [
        table[name].cast(pl.Float64).to_numpy()[:, None] if name in BESIDE else np.eye(size)[codes]
        for name, size, codes in zip(names, data.sizes, data.codes.T, strict=True)
    ]
    inputs = np.hstack(columns).astype(np.float32)
    tree = trees.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=20, random_state=SEED)
    return lambda train, test: np.asarray(
        tree.fit(inputs[train], data.classes[train]).predict(inputs[test]) != data.classes[test]
    )


def boosting(table: pl.DataFrame) -> Learn:
    ensemble = importlib.import_module("sklearn.ensemble")
    data = encode(table, "income")
    names = [name for name in table.columns if name != "income"]
    columns = [
        table[name].cast(pl.Float64).to_numpy() if name in BESIDE else codes
        for name, codes in zip(names, data.codes.T, strict=True)
    ]
    inputs = np.column_stack(columns)
    trees = ensemble.HistGradientBoostingClassifier(
        categorical_features=[name not in BESIDE for name in names], random_state=SEED
    )
    return lambda train, test: np.asarray(
        trees.fit(inputs[train], data.classes[train]).predict(inputs[test]) != data.classes[test]
    )


LEARNERS: dict[str, Callable[[pl.DataFrame], Learn]] = {"C4.5": c45, "tree": one_tree, "boosting": boosting}


if __name__ == "__main__":
    main()
