"""Protect a pandas table: python examples/bank_pandas.py bank.csv (from `discreet demo FOLDER`)."""

from __future__ import annotations

import sys

import pandas as pd

import discreet as d


def main(path: str) -> None:
    """Print the release of the bank table with the steps and reasons behind it."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    policy = d.Policy(
        use=d.Classify("Rating"),
        protect=[d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most="75%")],
        columns={"Child": d.Column(role="other")},
    )
    release = d.protect(table, policy)
    for step in release.plan.steps:
        print(f"shown: {step.column} = {step.value} (gain {step.gain:.3f}, privacy loss {step.loss:.3f})")
    for kept in release.plan.kept:
        print(f"hidden: {kept.column} = {kept.value}: {kept.reason}")
    print(release.table)
    print("worst group:", release.audit.promises[0].worst)


if __name__ == "__main__":
    main(sys.argv[1])
