"""Which row of the original each row of a release stands for, where rows were left out.

The rows of such a release are a subsequence of the original's: in order, each covering its own. Guarantee: if they
are, the places found here show it. Each released row takes the first original row that it covers after the one that
the row above it took. By induction that is never behind the one that it has in any other way to match them: there
the row above stands no earlier than here, so its own row was still to be had. Whoever fails here fails in every way.

What is found is only a proposal. Every cell is compared afterwards with the row that it was put beside, by the code
that compares all releases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.columns.medians import Ranges
from discreet.policy.bind import Bound
from discreet.policy.blind import unsaid_by_blocks
from discreet.table.engine import Engine, Recount
from discreet.verification.matching_kernels import first_matches
from discreet.verification.reach import reach

Ints = npt.NDArray[np.int64]
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class ColumnBeside:
    """A column of a release beside that of the original: the texts as numbers, and what covers what.

    Without ranges a released cell covers an original one exactly if their numbers are equal. With them, the numbers
    of original cells are places in an order in which a released text, by its number, covers some ranges.
    """

    released: Ints
    original: Ints
    ranges: Sequence[Pairs] | None = None


def columns_beside(
    released: Engine, original: Engine, bound: Bound, names: Sequence[str], medians: Mapping[str, Ranges]
) -> list[ColumnBeside]:
    """Return some columns of a release beside those of the original."""
    return [
        _covering(released, original, bound, name, medians.get(name))
        if name in bound.changeable or name in bound.edited
        else ColumnBeside(*released.codes_beside(original, name))
        for name in names
    ]


def _covering(released: Engine, original: Engine, bound: Bound, name: str, medians: Ranges | None) -> ColumnBeside:
    """Return a column that may change, with what each released text covers; the original that it equals included."""
    policy = bound.policy
    mine, theirs = released.encoded(name), original.encoded(name)
    found = reach(
        theirs.domain, mine.domain, policy.column(name), policy.marker, policy.missing_values, medians,
        blocks=unsaid_by_blocks(policy),
    )  # fmt: skip
    place = np.empty(len(theirs.domain), dtype=np.int64)
    place[np.asarray(found.order, dtype=np.int64)] = np.arange(len(theirs.domain))
    own = dict(zip(theirs.domain, place.tolist(), strict=True))
    ranges = [
        [*pairs, (own[text], own[text] + 1)] if text in own else pairs
        for text, pairs in zip(mine.domain, found.ranges, strict=True)
    ]
    return ColumnBeside(mine.codes.astype(np.int64), place[theirs.codes], ranges)


def covered(
    released: Engine, original: Engine, bound: Bound, given: Sequence[str], medians: Mapping[str, Ranges]
) -> Recount:
    """Return for each combination of released texts on some columns how many rows of the original it covers.

    One column after the other: an original row goes on with every released text that covers its cell, as far as some
    released combination begins so.
    """
    names = sorted(given, key=lambda name: name in bound.changeable)  # where texts are equal or not, few go on
    columns = columns_beside(released, original, bound, names, medians)
    texts = pl.DataFrame({f"{place}": column.released for place, column in enumerate(columns)})
    combinations = texts.with_row_index("row").group_by(pl.exclude("row")).agg(pl.col("row").first())
    combinations = combinations.with_columns(node=pl.lit(0, pl.UInt32))
    rows = pl.DataFrame({f"{place}": column.original for place, column in enumerate(columns)})
    rows = rows.group_by(pl.all()).agg(pl.len().cast(pl.Int64).alias("rows")).with_columns(node=pl.lit(0, pl.UInt32))
    for place, column in enumerate(columns):
        name = f"{place}"
        edges = combinations.select("node", name).unique().with_row_index("next")
        combinations = combinations.join(edges, on=["node", name]).drop("node").rename({"next": "node"})
        cells = pl.DataFrame(_pairs(column, edges.get_column(name).unique().to_numpy()), schema=[name, "text"])
        rows = rows.join(cells, on=name).drop(name).join(edges.rename({name: "text"}), on=["node", "text"])
        rows = rows.drop("node", "text").rename({"next": "node"})
        rows = rows.group_by(pl.exclude("rows")).agg(pl.col("rows").sum())
    found = combinations.join(rows, on="node", how="left").with_columns(pl.col("rows").fill_null(0))
    first = found.get_column("row").to_numpy()
    shown = pl.DataFrame([_texts(released, name, first).alias(f"given {place}") for place, name in enumerate(given)])
    nothing = np.zeros((len(found), 0), dtype=np.int64)
    return Recount(shown, found.get_column("rows").to_numpy(), nothing, np.zeros(len(found), dtype=np.int64))


def covering_pairs(columns: Sequence[ColumnBeside], texts: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Return which different combinations of a release (`text`) cover which of the original (`cells`), by their `id`.

    One column after the other, as in `covered`; the combinations have a column for each, called `0`, `1`, ...
    """
    ways = texts.rename({"id": "text"}).with_columns(node=pl.lit(0, pl.UInt32))
    rows = cells.rename({"id": "cells"}).with_columns(node=pl.lit(0, pl.UInt32))
    for place, column in enumerate(columns):
        name = f"{place}"
        edges = ways.select("node", name).unique().with_row_index("next")
        ways = ways.join(edges, on=["node", name]).drop("node").rename({"next": "node"})
        pairs = pl.DataFrame(_pairs(column, edges.get_column(name).unique().to_numpy()), schema=[name, "told"])
        rows = rows.join(pairs, on=name).drop(name).join(edges.rename({name: "told"}), on=["node", "told"])
        rows = rows.drop("node", "told").rename({"next": "node"})
    return ways.select("text", "node").join(rows.select("cells", "node"), on="node").sort("text", "cells")


def _texts(released: Engine, name: str, rows: Ints) -> pl.Series:
    """Return the texts of some rows."""
    encoded = released.encoded(name)
    return pl.Series(encoded.domain, dtype=pl.String).gather(encoded.codes[rows].astype(np.uint32))


def _pairs(column: ColumnBeside, texts: Ints) -> list[Ints]:
    """Return the numbers of the original cells that some released texts cover, and those of the texts, pair by pair."""
    if column.ranges is None:
        return [texts, texts]
    cells, owners = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for text in texts.tolist():
        here = np.unique(np.concatenate([np.arange(*pair) for pair in column.ranges[text]] or cells[:1]))
        cells.append(here)
        owners.append(np.full(len(here), text))
    return [np.concatenate(cells), np.concatenate(owners)]


def matched(columns: Sequence[ColumnBeside], rows: int) -> Ints:
    """Return the place of the original row for each released row, as far as there is one in order.

    The places are fewer than the `rows` of the release when a row (the next one) finds none.
    """
    columns = sorted(columns, key=lambda column: column.ranges is not None)  # equal or not is quickly seen
    released = np.stack([column.released for column in columns], axis=1)
    original = np.stack([column.original for column in columns], axis=1)
    exact = sum(column.ranges is None for column in columns)
    texts = [pairs for column in columns[exact:] for pairs in column.ranges or ()]
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    ends = np.array([pair for pairs in texts for pair in pairs], dtype=np.int64).reshape(-1, 2)
    offsets = np.cumsum([0] * (exact + 1) + [len(column.ranges or ()) for column in columns[exact:]], dtype=np.int64)
    places = np.empty(rows, dtype=np.int64)
    found = first_matches(released, original, exact, offsets, starts, ends, places)
    return places[:found]


def last_matched(columns: Sequence[ColumnBeside], rows: int) -> Ints:
    """Return the last place that each released row can stand for in any way to match them; all rows must match."""
    turned = [ColumnBeside(column.released[::-1], column.original[::-1], column.ranges) for column in columns]
    last: Ints = len(columns[0].original) - 1 - matched(turned, rows)[::-1]
    return last
