"""How often each text of a sensitive column stands in each group, counted anew on released texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.policy import Policy
from discreet.table.engine import Engine, Recount

AT_ONCE = 4_000_000
"""Numbers of groups times values that are looked at together."""


@dataclass(frozen=True)
class TextCounts:
    """Groups on some columns, and how many of their rows have each text of another."""

    groups: pl.DataFrame
    """The texts of each group."""
    texts: tuple[str | None, ...]
    """The texts of the sensitive column, of which those in `silent` tell nothing."""
    silent: np.ndarray
    group: Ints
    text: Ints
    count: Ints
    """A group, a text and the rows with both, sorted by group and text."""

    @cached_property
    def rows(self) -> Ints:
        """The rows of each group."""
        return self.summed(np.ones(len(self.texts), dtype=np.bool_))

    @cached_property
    def hidden(self) -> Ints:
        """The rows of each group whose text tells nothing."""
        return self.summed(self.silent)

    @property
    def known(self) -> Ints:
        """The rows of each group whose text tells something."""
        return self.rows - self.hidden

    @cached_property
    def everywhere(self) -> Ints:
        """The rows of all groups with each text."""
        return np.bincount(self.text, weights=self.count, minlength=len(self.texts)).astype(np.int64)

    def summed(self, which: np.ndarray) -> Ints:
        """Return how many rows of each group have one of some texts; sums of counts below 2**53 are exact."""
        kept = which[self.text]
        sums = np.bincount(self.group[kept], weights=self.count[kept], minlength=self.groups.height or 1)
        return sums[: self.size].astype(np.int64)

    @property
    def size(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    def dense(self, places: Sequence[int] | Ints) -> Iterator[tuple[slice, Ints]]:
        """Yield some groups at a time, with the rows (first axis: groups) of the texts at some places, in that order.

        A place may stand for several texts, then their rows are added up: `places` says where each text goes, -1 for
        nowhere.
        """
        to = np.asarray(places, dtype=np.int64)
        width = int(to.max(initial=-1)) + 1
        step = max(AT_ONCE // max(width, 1), 1)
        starts = np.searchsorted(self.group, np.arange(0, self.size + step, step))
        for number, (begin, end) in enumerate(pairwise(starts.tolist())):
            first = number * step
            many = min(step, self.size - first)
            if many <= 0:
                return
            counts = np.zeros((many, width), dtype=np.int64)
            at = to[self.text[begin:end]]
            kept = at >= 0
            np.add.at(counts, (self.group[begin:end][kept] - first, at[kept]), self.count[begin:end][kept])
            yield slice(first, first + many), counts


class CountedOnce:
    """A table whose groups are counted once, however many figures are made of them; whatever else is asked of itself.

    It holds what it has counted: it is made for some figures, and not kept longer.
    """

    def __init__(self, table: Engine) -> None:
        self._table = table
        self._recounts: dict[tuple[tuple[object, ...], ...], Recount] = {}
        self._texts: dict[tuple[object, ...], TextCounts] = {}

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`."""
        asked = tuple(given), (column,), tuple(values), tuple(hidden)
        if asked not in self._recounts:
            self._recounts[asked] = self._table.recount(given, column, values, hidden)
        return self._recounts[asked]

    def texts_by_group(self, policy: Policy, given: Sequence[str], column: str) -> TextCounts:
        """Return the texts of a column by groups on others, with one policy."""
        asked = tuple(given), column
        if asked not in self._texts:
            self._texts[asked] = _counted_texts(self.recount((*given, column), None, (), ()), policy, given, column)
        return self._texts[asked]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


def text_counts(table: Engine | CountedOnce, policy: Policy, given: Sequence[str], column: str) -> TextCounts:
    """Return the texts of a column by groups on others; the root of its taxonomy tells nothing, either."""
    if isinstance(table, CountedOnce):
        return table.texts_by_group(policy, given, column)
    return _counted_texts(table.recount((*given, column), None, (), ()), policy, given, column)


def _counted_texts(fine: Recount, policy: Policy, given: Sequence[str], column: str) -> TextCounts:
    names = [f"known {place}" for place in range(len(given))]
    rows = fine.texts.rename(dict(zip(fine.texts.columns, [*names, "value"], strict=True)))
    texts = rows.get_column("value").unique(maintain_order=True)
    of_text = pl.DataFrame({"value": texts, "text": np.arange(len(texts))})
    rows = rows.with_columns(pl.Series("rows", fine.rows))
    rows = rows.join(of_text, on="value", how="left", nulls_equal=True, maintain_order="left").drop("value")
    if names:
        told = rows.group_by(names, maintain_order=True).agg("text", "rows")
        groups = told.select(names)
        sizes = told.get_column("text").list.len().to_numpy()
        rows = told.select(pl.col("text").explode(), pl.col("rows").explode())
        rows = rows.with_columns(group=np.repeat(np.arange(groups.height), sizes))
    else:
        groups = pl.DataFrame()
        rows = rows.with_columns(group=pl.lit(0))
    rows = rows.sort("group", "text")
    silent = set(policy.hidden_texts())
    said = policy.column(column)
    if said.taxonomy is not None:
        silent |= set(said.taxonomy.nodes[0].labels) - set(said.taxonomy.leaves)
    found = texts.to_list()
    return TextCounts(
        groups,
        tuple(found),
        np.array([text in silent for text in found], dtype=np.bool_),
        rows.get_column("group").to_numpy().astype(np.int64),
        rows.get_column("text").to_numpy().astype(np.int64),
        rows.get_column("rows").to_numpy().astype(np.int64),
    )
