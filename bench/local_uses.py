"""Local recoding for a use: misjudged rows (CM) of releases of Adult, and errors of learners on people it did not see.

    python bench/local_uses.py [--k 10 25 50 100 250 500] [--learners forest C4.5]

The eight columns of Iyengar (2002), trees and intervals as published. For each k: one cut for the class (global), local
recoding for any use, for the class, and for the class and detail in a list (`general` with weight 5). CM and LM are
those of the released texts, counted here. Errors (in %): a learner is trained on the released training part, and judged
on the 15,060 rows of the test part, which the plan recodes without having seen them. Last, the table as it is.
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
USES: dict[str, tuple[Recoding, Any]] = {
    "global, class": ("global", d.Classify("income")),
    "local, any use": ("local", d.General()),
    "local, class": ("local", d.Classify("income")),
    "local, class and detail": ("local", [d.Classify("income"), d.General(weight=5)]),
}


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
    options = parser.parse_args()
    golden = json.loads(GOLDEN.read_text())
    known = golden["columns"]
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
