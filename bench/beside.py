"""Columns that are published anyway: errors of learners on releases of Adult, with and without `beside`.

    python bench/beside.py [--k 10 25 50 100 250 500] [--learners C4.5 tree boosting] [--folds 10]
                            [--part adult.data]

The eight columns of Iyengar (2002) are recoded for k by coordinate search, made for the class; hours, gain and loss go
out as they are. `alike`: CM of the groups alone, a suppressed row costs one mistake. `beside`: what these three columns
leave open. `group`: as `alike`, but suppressed rows are one more group, which is the price of suppression without the
columns beside. Errors are in % of all complete rows (30,162 of `adult.data`), suppressed ones too, by cross-validation
on each release with the same folds: C4.5 (see `c45.py`; numbers are categories to it), a tree and boosted trees of
scikit-learn (the three columns are numbers, all others categories). `- alike` and `- group` are what `beside` errs more
(below 0: less) than these, each with its standard error over the folds. Last, means over all k, the table as it is, and
the three columns alone. The form was chosen on `adult.data`; `--part adult.test` are rows that had no part in that.
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
    parser.add_argument("--part", choices=["adult.data", "adult.test"], default="adult.data")
    options = parser.parse_args()
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"], options.part)
    run(table, golden, options.k, options.learners, options.folds)


def adult(columns: Sequence[str], part: str = "adult.data") -> pl.DataFrame:
    """Return the complete rows with the columns that are recoded, those published anyway, and the class."""
    return pl.DataFrame(list(_rows(part)), schema=NAMES, orient="row").select(
        *(_education() if name == "education" else pl.col(name) for name in columns), *BESIDE, "income"
    )


def run(
    table: pl.DataFrame, golden: dict[str, Any], sizes: Sequence[int], learners: Sequence[str], folds: int
) -> list[tuple[int, str, list[float]]]:
    """Print the errors, and return k, learner, and the errors of each kind of release."""
    print(f"Adult: {len(table):,} rows; {', '.join(BESIDE)} published; {folds}-fold cross-validation; errors in %")
    print(f"{'k':>4} {'learner':>9} {'alike':>6} {'beside':>6} {'group':>6} {'- alike':>13} {'- group':>13}   "
          f"{'suppressed':>18} {'detail kept':>17} {'seconds':>14}")  # fmt: skip
    found = []
    for k in sizes:
        releases = [made(table, golden, k, kind) for kind in USES]
        besides = "   " + " ".join(f"{each.suppressed:>6}" for each in releases)
        besides += "".join(f" {each.detail:5.3f}" for each in releases)
        besides += "".join(f" {each.seconds:4.1f}" for each in releases)
        for learner in learners:
            flags = [wrong(release.table, learner, folds) for release in releases]
            found.append((k, learner, [100 * float(each.mean()) for each in flags]))
            errors = " ".join(f"{error:6.2f}" for error in found[-1][2])
            against = " ".join(differ(flags[place], flags[1], folds) for place in (0, 2))
            print(f"{k:>4} {learner:>9} {errors} {against}{besides}", flush=True)
            besides = ""
    for learner in learners:
        means = np.mean([errors for _, own, errors in found if own == learner], axis=0)
        print(f"mean {learner:>9} " + " ".join(f"{mean:6.2f}" for mean in means))
        whole, alone = (100 * float(wrong(each, learner, folds).mean()) for each in (table, table[[*BESIDE, "income"]]))
        print(f"     {learner:>9} table as it is {whole:.2f}, the three columns alone {alone:.2f}", flush=True)
    return found


USES = {
    "alike": d.Classify("income"),
    "beside": d.Classify("income", beside=BESIDE),
    "group": d.Classify("income", suppressed="group"),
}


def made(table: pl.DataFrame, golden: dict[str, Any], k: int, kind: str) -> Made:
    """Return the release for the class, verified."""
    rules = policy(golden, k, "CM")
    own = d.Column(type="number") if kind == "beside" else d.Column(role="other")
    columns = {**rules.columns, **dict.fromkeys(BESIDE, own)}
    begin = time.process_time()
    release = d.protect(table, rules.model_copy(update={"use": USES[kind], "columns": columns}), seed=SEED)
    assert release.audit.verification.holds
    assert isinstance(release.table, pl.DataFrame)
    return Made(release.table, release.audit.suppressed, release.audit.detail or 0.0, time.process_time() - begin)


def differ(one: Flags, other: Flags, folds: int) -> str:
    """Return how much more often the other errs, and the standard error of that over the folds."""
    each = [100 * float(other[test].mean() - one[test].mean()) for _, test in parts(len(one), folds)]
    return f"{np.mean(each):+6.2f} ({np.std(each, ddof=1) / len(each) ** 0.5:.2f})"


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
