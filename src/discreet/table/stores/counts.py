"""Counts of large tables in memory: combinations as the planner takes them, some of their columns, and after a plan."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from discreet.encoded import Codes, Combinations, Ints, encode, keys, smallest
from discreet.table.stores.store import Map


def combinations(found: pl.DataFrame, columns: Sequence[str]) -> Combinations:
    """Return counts as a store gives them (columns in order, then `rows`) as combinations in order."""
    encoded = [encode(found.to_series(place)) for place in range(len(columns))]
    domains, codes = [column.domain for column in encoded], [column.codes for column in encoded]
    return collapsed(columns, domains, codes, found.get_column("rows").to_numpy())


def projected(counted: Combinations, columns: Sequence[str]) -> Combinations:
    """Return the combinations of some of the columns."""
    if len(columns) == 1:
        rows = counted.rows(columns[0])
        there = np.flatnonzero(rows)
        domain = tuple(counted.domain(columns[0])[at] for at in there.tolist())
        return Combinations(
            tuple(columns), (domain,), (np.arange(len(there), dtype=smallest(max(len(there), 1))),), rows[there]
        )
    domains = [counted.domain(column) for column in columns]
    return collapsed(columns, domains, [counted.code(column) for column in columns], counted.counts)


def released(
    counted: Combinations, columns: Sequence[str], maps: Mapping[str, Map], marker: str, *, removes: bool
) -> Combinations:
    """Return the combinations of some columns after maps; rows with a value that is gone are masked or left out."""
    gone = np.zeros(len(counted.counts), dtype=np.bool_)
    for name, map_ in maps.items():
        if name in counted.columns and len(map_.gone):
            lost = set(map_.gone.to_list())
            gone |= np.array([value in lost for value in counted.domain(name)], dtype=np.bool_)[counted.code(name)]
    kept = ~gone if removes else np.ones_like(gone)
    domains: list[tuple[str | None, ...]] = []
    codes: list[Codes] = []
    for name in columns:
        domain, code = counted.domain(name), counted.code(name)
        if name in maps:
            told = dict(zip(*(maps[name].table.get_column(part).to_list() for part in ("value", "text")), strict=True))
            texts = [told[value] for value in domain]
            masks = bool(gone.any()) and not removes and not maps[name].stays
            order = _ordered({*texts, marker} if masks else set(texts))
            place = {text: at for at, text in enumerate(order)}
            new = np.array([place[text] for text in texts], dtype=smallest(max(len(order), 1)))[code]
            code = np.where(gone, new.dtype.type(place[marker]), new) if masks else new
            domain = order
        domains.append(domain)
        codes.append(code[kept])
    return collapsed(columns, domains, codes, counted.counts[kept])


def recounted(
    counted: Combinations,
    given: Sequence[str],
    column: str | None,
    values: Sequence[str | None],
    hidden: Sequence[str | None],
) -> pl.DataFrame:
    """Return the groups of an original as a store's `recount` gives them, from counts on the same columns."""
    codes = [counted.code(name) for name in given]
    key, _ = keys(codes, [len(counted.domain(name)) for name in given], len(counted.counts))
    order, starts = _sorted(key)

    def summed(rows: Ints) -> pl.Series:
        return pl.Series(np.add.reduceat(rows[order], starts) if len(rows) else rows)

    def having(texts: Sequence[str | None]) -> Ints:
        if column is None:
            return np.zeros_like(counted.counts)
        has = np.array([value in texts for value in counted.domain(column)], dtype=np.int64)
        return counted.counts * has[counted.code(column)]

    first = order[starts]
    found = {
        f"given {place}": pl.Series(counted.domain(name), dtype=pl.String).gather(code[first].astype(np.uint32))
        for place, (name, code) in enumerate(zip(given, codes, strict=True))
    }
    found["rows"] = summed(counted.counts)
    found |= {f"hits {place}": summed(having([value])) for place, value in enumerate(values)}
    return pl.DataFrame(found | {"hidden": summed(having(hidden))})


def _ordered(texts: set[str | None]) -> tuple[str | None, ...]:
    """Return texts in code-point order, a missing one first."""
    known = sorted(text for text in texts if text is not None)
    return (None, *known) if None in texts else tuple(known)


def collapsed(
    columns: Sequence[str], domains: Sequence[tuple[str | None, ...]], codes: Sequence[Codes], counts: Ints
) -> Combinations:
    """Return different combinations in the order of their codes, with the values that occur."""
    counts = counts.astype(np.int64)
    used, fresh = [], []
    for domain, code in zip(domains, codes, strict=True):
        occurs = np.zeros(len(domain), dtype=np.bool_)
        occurs[code] = True
        all_occur = bool(occurs.all())
        used.append(tuple(domain) if all_occur else tuple(itertools.compress(domain, occurs.tolist())))
        kind = smallest(max(len(used[-1]), 1))
        fresh.append(code.astype(kind, copy=False) if all_occur else (np.cumsum(occurs) - 1).astype(kind)[code])
    key, bound = keys(fresh, [len(domain) for domain in used], len(counts))
    at, totals = _summed(key, bound, counts)
    return Combinations(tuple(columns), tuple(used), tuple(code[at] for code in fresh), totals)


def _summed(key: Ints, bound: int, counts: Ints) -> tuple[Ints, Ints]:
    """Return where each key stands first, in the order of the keys, and the sum of its counts."""
    if bound <= 4 * len(key):
        first = np.full(bound, -1, dtype=np.int64)
        first[key[::-1]] = np.arange(len(key))[::-1]
        present = np.flatnonzero(first >= 0)
        sums = np.bincount(key, weights=counts, minlength=bound)[present]  # exact: there are fewer than 2**53 rows
        return first[present], sums.astype(np.int64)
    order, starts = _sorted(key)
    return order[starts], np.add.reduceat(counts[order], starts) if len(key) else counts


def _sorted(key: Ints) -> tuple[Ints, Ints]:
    """Return an order in which equal keys stand together, whichever of them comes first, and where each begins."""
    order = np.argsort(key)
    return order, np.flatnonzero(np.append(True, np.diff(key[order]) != 0)) if len(key) else order
