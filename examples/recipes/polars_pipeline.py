"""The same with Polars, from a lazy frame: python polars_pipeline.py bank.csv bank.yaml release.parquet

Run by the tests (tests/recipes). For tables larger than memory, give `d.protect` the path instead.
"""

from __future__ import annotations

import sys

import polars as pl

import discreet as d


def main(source: str, policy: str, target: str) -> None:
    """Read, prepare, protect, write."""
    prepared = (
        pl.scan_csv(source, infer_schema=False)  # values stay texts: 007 stays 007
        .filter(pl.col("Job").is_not_null())
        .with_columns(pl.col("Country").str.strip_chars())
    )
    release = d.protect(prepared.collect(), policy)  # raises d.PromiseError where a promise cannot be kept
    release.table.write_parquet(target)
    print(release.audit.promises[0].answer, f"{release.audit.detail:.0%} of the detail kept")


if __name__ == "__main__":
    main(*sys.argv[1:4])
