"""The file of a release, read anew: whether what it tells is what a ledger says that it tells of everybody in it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from discreet.ledger.entry import LedgerEntry, PastRelease
from discreet.table.row_texts import row_texts
from discreet.table.source import open_table


def tells_the_same(entry: LedgerEntry, release: PastRelease) -> bool:
    """Whether the rows of the file of a release are those that its ledger has, each as often.

    Whose row each is only the original says: two rows that a ledger gave to each other's persons are not seen here.
    """
    found = open_table(Path(entry.path), release.policy, released=True)
    if tuple(found.columns) != release.columns or found.rows != release.people.height:
        return False
    labels = [release.label(column) for column in release.columns]
    file = pl.DataFrame({label: row_texts(found, name) for label, name in zip(labels, release.columns, strict=True)})
    kept = release.people.select(labels).cast(pl.String)
    return not different(file, kept).height


def different(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Return the different rows that one table has more often than another, or the other way round."""
    both = [side.lazy().with_columns(more=pl.lit(more, pl.Int64)) for side, more in ((one, 1), (other, -1))]
    counted = pl.concat(both).group_by(one.columns).agg(pl.col("more").sum()).filter(pl.col("more") != 0)
    return counted.drop("more").collect()
