"""Which rows are drawn for a sample: evenly, or evenly in each stratum."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.chance import Source, any_order, chance_from, number_below, some_of
from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import PolicyError
from discreet.policy import Policy
from discreet.table.engine import Engine


def drawn_rows(source: Engine, policy: Policy, seed: int | None = None) -> Ints | None:
    """Return the places of the rows that are drawn for a sample, ascending; None where all are released.

    They are drawn without replacement, by chance of the operating system; which ones depends on nothing that they hold
    but their stratum, where the sample is stratified. A seed is for tests: whoever knows it can draw again.
    """
    if policy.release is None:
        return None
    size, chance = sample_size(source.rows, policy), _chance(seed)
    if not policy.release.by:
        return some_of(source.rows, size, chance)
    stratum = strata(source, policy.release.by)
    rows = np.bincount(stratum)
    sizes = rounded(rows.tolist(), policy.release.sample, size, chance)
    order = np.argsort(stratum, kind="stable")
    ends = np.cumsum(rows)
    drawn = [
        order[end - all_rows : end][some_of(all_rows, some, chance)]
        for end, all_rows, some in zip(ends.tolist(), rows.tolist(), sizes, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def rows_drawn(source: Engine, sampled: tuple[int, ...] | None) -> Engine:
    """Return the rows that were drawn, or all."""
    if sampled is None:
        return source
    return source.only(np.searchsorted(source.numbers(), np.array(sampled, dtype=np.int64)))


def sample_places(rows: int, policy: Policy, seed: int | None) -> Ints:
    """Return which of so many rows (or persons) are drawn for a sample, ascending, each as likely as any other."""
    return some_of(rows, sample_size(rows, policy), _chance(seed))


def _chance(seed: int | None) -> Source:
    return chance_from(seed, stream=1)  # another stream than that of the lot


def sample_size(rows: int, policy: Policy) -> int:
    """Return how many of so many rows (or persons) are drawn."""
    assert policy.release is not None
    size = policy.release.size(rows)
    if not size:
        message = f"{percent(policy.release.sample)} of {rows} rows is less than one row; draw more"
        raise PolicyError([policy.problem(("release", "sample"), message)])
    return size


def strata(source: Engine, columns: Sequence[str]) -> Ints:
    """Return the stratum of each row: those with the same texts have the same number."""
    codes = np.column_stack([source.encoded(name).codes for name in columns])
    return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)


def rounded(rows: Sequence[int], share: Fraction, size: int, chance: Source) -> list[int]:
    """Return how many of the rows of each stratum are drawn: its share rounded down or up, `size` in all.

    Which are rounded up is drawn, each as likely as what it lacks is large; so every row of the table is as likely to
    be drawn as any other, whatever its stratum, but for what rounding the whole takes from all of them alike. The
    strata stand in an order that is drawn, and are met by even steps from a beginning that is drawn.
    """
    low = [share.numerator * some // share.denominator for some in rows]
    lacks = [share.numerator * some % share.denominator for some in rows]
    more, total = size - sum(low), sum(lacks)
    if not more:
        return low
    order = any_order(len(rows), chance).tolist()
    begin, passed, steps = number_below(total, chance), 0, 0
    for place in order:  # each is shorter than a step: none is met twice
        passed += more * lacks[place]
        if steps < more and begin + steps * total < passed:
            low[place] += 1
            steps += 1
    return low
