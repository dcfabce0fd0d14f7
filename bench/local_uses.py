"""Local recoding for a use: misjudged rows (CM) of releases of Adult, and errors of learners on people it did not see.

    python bench/local_uses.py [--k 10 25 50 100 250 500] [--learners forest C4.5]
    python bench/local_uses.py --regress [--k 10 50 500]

The eight columns of Iyengar (2002), trees and intervals as published. For each k: one cut for the class (global), local
recoding for any use, for the class, and for the class and detail in a list (`general` with weight 5). CM and LM are
those of the released texts, counted here. Errors (in %): a learner is trained on the released training part, and judged
on the 15,060 rows of the test part, which the plan recodes without having seen them. Last, the table as it is.

`--regress`: the same releases for hours a week in the place of income, with RM, the variance of the hours inside the
groups of released texts beside that of all rows (a suppressed row is measured from the mean of all). Errors are RM of
the test part: how far its hours are from the mean of the group that its rows go to.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import polars as pl

import discreet as d
from k_anonymity import GOLDEN, adult, policy
from learners import Encoded, c45, encode

SIZES = [10, 25, 50, 100, 250, 500]
Recoding = Literal["global", "local"]
HOURS = "hours-per-week"


def uses(goal: d.Classify | d.Regress, name: str) -> dict[str, tuple[Recoding, Any]]:
    """Return how releases for a goal are made."""
    return {
        f"global, {name}": ("global", goal),
        "local, any use": ("local", d.General()),
        f"local, {name}": ("local", goal),
        f"local, {name} and detail": ("local", [goal, d.General(weight=5)]),
    }


USES = uses(d.Classify("income"), "class")


def forest(data: Encoded, train: np.ndarray, test: np.ndarray) -> float:
    """Return the share of wrong guesses on the test rows, in per cent."""
    ensemble, preprocessing = (importlib.import_module(f"sklearn.{name}") for name in ("ensemble", "preprocessing"))
    inputs = preprocessing.OneHotEncoder().fit_transform(data.codes)
    trees = ensemble.RandomForestClassifier(100, min_samples_leaf=2, random_state=0, n_jobs=1)
    trees.fit(inputs[train], data.classes[train])
    return 100 * float(np.mean(trees.predict(inputs[test]) != data.classes[test]))


LEARNERS: dict[str, Callable[..., float]] = {"C4.5": c45, "forest": forest}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=SIZES)
    parser.add_argument("--learners", nargs="*", choices=list(LEARNERS), default=["forest"])
    parser.add_argument("--regress", action="store_true", help="hours a week, and no learners")
    options = parser.parse_args()
    golden = json.loads(GOLDEN.read_text())
    known = golden["columns"]
    if options.regress:
        regressed(golden, options.k)
        return
    table, unseen = adult(known), adult(known, "adult.test")
    for recoding, use in USES.values():
        made(table.head(2000), golden, 10, recoding, use)  # compiles
    print(f"{'k':>4} {'release':>24} {'CM':>7} {'LM':>7} {'groups':>6} {'CPU s':>6} ", *options.learners)
    for k in options.k:
        for name, (recoding, use) in USES.items():
            begin = time.process_time()
            release = made(table, golden, k, recoding, use)
            seconds = time.process_time() - begin
            assert isinstance(release.table, pl.DataFrame)
            share, groups = misjudged(release.table, known)
            line = f"{k:>4} {name:>24} {share:7.4f} {1 - (release.audit.detail or 0):7.4f} {groups:>6} {seconds:6.2f} "
            if options.learners:
                both = release.plan.apply(pl.concat([table, unseen])).table
                assert isinstance(both, pl.DataFrame)
                assert len(both) == len(table) + len(unseen)
                line += errors(both, len(table), options.learners)
            print(line, flush=True)
    print("the table as it is:", errors(pl.concat([table, unseen]), len(table), options.learners))


def regressed(golden: dict[str, Any], sizes: Sequence[int]) -> None:
    """Print RM, LM and RM of the test part for releases that are for hours a week, at each k."""
    known = golden["columns"]
    table, unseen = adult(known, target=HOURS), adult(known, "adult.test", HOURS)
    for recoding, use in uses(d.Regress(HOURS), "hours").values():
        made(table.head(2000), golden, 10, recoding, use)  # compiles
    print(f"{'k':>4} {'release':>24} {'RM':>7} {'LM':>7} {'groups':>6} {'CPU s':>6} {'unseen':>7}")
    for k in sizes:
        for name, (recoding, use) in uses(d.Regress(HOURS), "hours").items():
            begin = time.process_time()
            release = made(table, golden, k, recoding, use)
            seconds = time.process_time() - begin
            both = release.plan.apply(pl.concat([table, unseen])).table
            assert isinstance(release.table, pl.DataFrame)
            assert isinstance(both, pl.DataFrame)
            share, groups = spread(release.table, known)
            print(f"{k:>4} {name:>24} {share:7.4f} {1 - (release.audit.detail or 0):7.4f} {groups:>6} {seconds:6.2f} "
                  f"{unexplained(both, len(table), known):7.4f}", flush=True)  # fmt: skip


def spread(table: pl.DataFrame, known: Sequence[str]) -> tuple[float, int]:
    """Return RM, suppressed rows being measured from the mean of all, and how many groups there are beside them."""
    hours = _hours(table, known)
    mean = hours.filter(~pl.col("hidden")).group_by(*known).agg(pl.col("hours").mean().alias("mean"))
    return _beside_all(hours, mean, known), len(mean)


def unexplained(both: pl.DataFrame, seen: int, known: Sequence[str]) -> float:
    """Return RM of the rows behind the first ones, measured from the means of the first ones' groups."""
    hours = _hours(both, known)
    mean = hours.head(seen).filter(~pl.col("hidden")).group_by(*known).agg(pl.col("hours").mean().alias("mean"))
    return _beside_all(hours, mean, known, seen)


def _hours(table: pl.DataFrame, known: Sequence[str]) -> pl.DataFrame:
    hidden = pl.all_horizontal([pl.col(name) == "*" for name in known])
    return table.with_columns(hidden.alias("hidden"), pl.col(HOURS).cast(pl.Float64).alias("hours"))


def _beside_all(hours: pl.DataFrame, mean: pl.DataFrame, known: Sequence[str], seen: int = 0) -> float:
    """Return the squared distances from means of groups, of rows behind the first ones, as a share of those from one.

    Rows of no group are measured from the mean of all rows that are seen (of all, where that is asked of all).
    """
    centre = hours["hours"].head(seen or len(hours)).to_numpy().mean()
    joined = hours.join(mean, on=list(known), how="left", maintain_order="left").slice(seen)
    true, guess = joined["hours"].to_numpy(), joined["mean"].fill_null(centre).to_numpy()
    return float(((true - guess) ** 2).sum() / ((true - true.mean()) ** 2).sum())


def made(table: pl.DataFrame, golden: dict[str, Any], k: int, recoding: Recoding, use: Any) -> d.Release:
    """Return a verified release."""
    rules = policy(golden, k, "LM")
    release = d.protect(table, d.Policy(use=use, protect=rules.protect, columns=rules.columns, recoding=recoding))
    assert release.audit.verification.holds
    return release


def misjudged(table: pl.DataFrame, known: Sequence[str]) -> tuple[float, int]:
    """Return CM, a suppressed row being one mistake, and how many groups there are beside those rows."""
    hidden = pl.all_horizontal([pl.col(name) == "*" for name in known])
    groups = table.filter(~hidden).group_by(*known, "income").len().group_by(*known)
    wrong = groups.agg(pl.col("len").sum() - pl.col("len").max())
    return (int(wrong["len"].sum()) + table.filter(hidden).height) / len(table), len(wrong)


def errors(table: pl.DataFrame, seen: int, learners: Sequence[str]) -> str:
    """Return the errors of learners, trained on the first rows, on all others."""
    data = encode(table, "income")
    rows = np.arange(len(table))
    return " ".join(f"{LEARNERS[name](data, rows[:seen], rows[seen:]):6.2f}" for name in learners)


if __name__ == "__main__":
    main()
