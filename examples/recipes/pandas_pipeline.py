"""A step in a chain of pandas functions: python pandas_pipeline.py bank.csv bank.yaml release.csv

Run by the tests (tests/recipes). The step raises where a promise cannot be kept, so nothing after it runs.
"""

from __future__ import annotations

import sys

import pandas as pd

import discreet as d


def with_a_job(table: pd.DataFrame) -> pd.DataFrame:
    """A step of one's own before it: whatever it does, the release is verified against what comes out of it."""
    return table[table["Job"] != ""].reset_index(drop=True)


def protected(table: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Return the release; raise `d.PromiseError` where there is none."""
    release = d.protect(table, policy)
    assert d.verify(release.table, policy, original=table).holds  # by other code; protect has done so, too
    return release.table


def main(source: str, policy: str, target: str) -> None:
    """Read, prepare, protect, write."""
    table = pd.read_csv(source, dtype=str, keep_default_na=False)  # values stay texts: 007 stays 007
    table.pipe(with_a_job).pipe(protected, policy).to_csv(target, index=False)


if __name__ == "__main__":
    main(*sys.argv[1:4])
