"""A table in memory whose groups are counted by codes instead of texts: for what is told of it, not for promises.

Equal texts have equal codes, so the groups are the same. Who verifies a release counts its texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from discreet.table.engine import Recount
from discreet.table.local import LocalEngine


class CountedByCodes(LocalEngine):
    """The same table; what was read and encoded of it is shared."""

    def __init__(self, table: LocalEngine) -> None:
        vars(self).update(vars(table))

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal codes on `given`."""
        known = {f"given {place}": self.encoded(name) for place, name in enumerate(given)}
        domain: tuple[str | None, ...] = ()
        codes = pl.repeat(0, self.rows, dtype=pl.UInt8, eager=True)
        if column is not None:
            domain, codes = self.encoded(column).domain, pl.Series(self.encoded(column).codes)
        code = pl.col("sensitive")
        groups = (
            pl.LazyFrame({**{name: own.codes for name, own in known.items()}, "sensitive": codes})
            .group_by(list(known) or pl.lit(0).alias("everyone"))
            .agg(
                pl.len().cast(pl.Int64).alias("rows"),
                *(
                    (code == domain.index(value) if value in domain else pl.lit(value=False))
                    .sum()
                    .cast(pl.Int64)
                    .alias(f"hits {place}")
                    for place, value in enumerate(values)
                ),
                code.is_in([place for place, text in enumerate(domain) if text in hidden])
                .sum()
                .cast(pl.Int64)
                .alias("hidden"),
            )
            .collect()
        )
        texts = [
            pl.Series(name, own.domain, dtype=pl.String).gather(groups.get_column(name).cast(pl.UInt32))
            for name, own in known.items()
        ]
        return Recount.of(groups.with_columns(*texts), len(given), len(values))
