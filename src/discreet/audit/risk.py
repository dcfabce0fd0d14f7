"""The risk of every promise about groups before and after: the worst groups by counts, and how all of them lie."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import polars as pl

from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.policy import GroupPromise, Policy
from discreet.policy.bind import bind
from discreet.policy.persons import worded
from discreet.policy.requirements.any_of import sets_of
from discreet.policy.requirements.seen import SeenColumn
from discreet.policy.seen_values import seen_values
from discreet.table.engine import Engine
from discreet.verification.figures import GroupFigures
from discreet.verification.findings import Worst
from discreet.verification.persons import counting_of, with_persons
from discreet.verification.worst_groups import worst_of

SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""Where ranges of sizes begin; k is always one of them."""


@dataclass(frozen=True)
class RiskSpread:
    """How many rows stand in groups of which risk: `rows[i]` between `ends[i]` and `ends[i + 1]`.

    For a template the risk is the share of the property in the group; for k-anonymity the ends are sizes of groups, for
    l-diversity numbers of different values.
    The last range has no end.
    """

    ends: tuple[float, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class Risk:
    """One promise about groups before and after.

    `worst_before` and `worst_after` are the groups that come first when sorted by risk (then by size); `above_before`
    and `above_after` count the rows in groups that do not keep the promise.
    """

    index: int
    kind: str
    promise: str
    limit: str
    """The share that is allowed, or the least number (k, l), as an exact number in words such as 3/4 or 10."""
    rows_before: int
    rows_after: int
    groups_before: int
    groups_after: int
    above_before: int
    above_after: int
    worst_before: tuple[Worst, ...]
    worst_after: tuple[Worst, ...]
    spread_before: RiskSpread
    spread_after: RiskSpread

    def to_dict(self) -> dict[str, object]:
        """Return plain data; the worst groups have their texts."""
        return {
            "index": self.index,
            "kind": self.kind,
            "promise": self.promise,
            "limit": self.limit,
            "rows": {"before": self.rows_before, "after": self.rows_after},
            "groups": {"before": self.groups_before, "after": self.groups_after},
            "above": {"before": self.above_before, "after": self.above_after},
            "worst": {
                "before": [worst.to_dict() for worst in self.worst_before],
                "after": [worst.to_dict() for worst in self.worst_after],
            },
            "spread": {
                "before": {"ends": list(self.spread_before.ends), "rows": list(self.spread_before.rows)},
                "after": {"ends": list(self.spread_after.ends), "rows": list(self.spread_after.rows)},
            },
        }


def risks(
    released: Engine,
    original: Engine,
    policy: Policy,
    most: int = 10,
    *,
    medians: Mapping[str, Ranges] | None = None,
) -> tuple[Risk, ...]:
    """Return the risk of every promise about groups, by counts on the release and on the original.

    Parameters
    ----------
    released, original, policy
        The release, the table it was made from, and what is promised.
    most
        So many of the worst groups are listed.
    medians
        The intervals published beside the release; they matter where k counts in the whole table.

    Returns
    -------
    tuple of Risk
        One for each promise whose columns both tables have; confidential cells have no groups.
    """
    return tuple(_risks(released, original, policy, most, medians or {}))


def _risks(
    released: Engine, original: Engine, policy: Policy, most: int, medians: Mapping[str, Ranges]
) -> Iterator[Risk]:
    if policy.unit is not None:
        found = with_persons(released, policy, original, None)
        if isinstance(found, str) or policy.unit.id not in original.columns:
            return
        released = found
    counted = counting_of(policy)
    for index, requirement in policy.groups():
        names = {name for _, name in requirement.mentions()}
        promises = list(policy.promises_of(index, partial(_seen, policy, original)))
        if not promises or not names <= set(released.columns) & set(original.columns):
            continue
        given = _worst_set(released, policy, promises)
        before, after = (counted(table, policy, given, promises) for table in (original, released))
        if promises[0].whole:
            sizes = _covered(released, original, policy, given, after[0], medians)
            after = [replace(groups, below=sizes) for groups in after]
        for promise, earlier, later in zip(promises, before, after, strict=True):
            groups = [_RiskGroups(each, promise, given, policy.unit is not None) for each in (earlier, later)]
            yield replace(_risk(promise, groups[0], groups[1], most), promise=worded(policy, promise, str(promise)))


def _worst_set(released: Engine, policy: Policy, promises: Sequence[GroupPromise]) -> tuple[str, ...]:
    """Return the known columns; where any so many may be known, those of the worst group."""
    sets = sets_of(promises[0].given)
    (worst, *_) = (
        [None] if len(sets) == 1 else worst_of(released, policy, promises[0].given, promises, counting_of(policy))
    )
    return sets[0] if worst is None else tuple(worst.group)


def _seen(policy: Policy, table: Engine, column: str) -> SeenColumn:
    """Return the different values of a column."""
    if column not in table.columns:
        return SeenColumn((), (), 0, policy.column(column))
    counted = table.count([column])
    rows = np.bincount(counted.code(column), weights=counted.counts, minlength=len(counted.domain(column)))
    return seen_values(policy, column, counted.domain(column), rows.astype(np.int64).tolist())


def crowd_spreads(released: Engine, policy: Policy) -> tuple[tuple[int, RiskSpread], ...]:
    """Return k and how large the groups are, for each promise of k-anonymity that counts in the release."""
    if policy.unit is not None and policy.token is None:
        return ()  # nobody can count persons on the release alone
    crowds = [made for made in policy.promises() if made.measure == "rows" and not made.whole]
    crowds = [made for made in crowds if len(sets_of(made.given)) == 1 and set(made.given) <= set(released.columns)]
    found = [(made, counting_of(policy)(released, policy, made.given, [made])[0]) for made in crowds]
    return tuple(
        (made.least_rows, _RiskGroups(groups, made, made.given, policy.unit is not None).spread())
        for made, groups in found
    )


def _covered(
    released: Engine,
    original: Engine,
    policy: Policy,
    given: Sequence[str],
    after: GroupFigures,
    medians: Mapping[str, Ranges],
) -> Ints:
    """Return how many rows of the original each group of the release covers: what k counts in the whole table."""
    from discreet.verification.matching import covered  # compiled: only loaded when needed

    found = covered(released, original, bind(policy, original.columns), given, medians)
    sizes = found.texts.with_columns(pl.Series("rows", found.rows))
    joined = after.texts.join(sizes, on=after.texts.columns, how="left", nulls_equal=True, maintain_order="left")
    return joined.get_column("rows").fill_null(0).to_numpy().astype(np.int64)


@dataclass(frozen=True)
class _RiskGroups:
    """The groups of a table for one promise."""

    counts: GroupFigures
    promise: GroupPromise
    given: tuple[str, ...]
    persons: bool = False
    """Whether the groups are of persons, not of rows."""

    @property
    def rows(self) -> Ints:
        """The rows of the table in each group."""
        return self.counts.rows

    @cached_property
    def figures(self) -> tuple[list[tuple[int, int]], Ints]:
        """The different pairs above and below the line, and which of them each group has."""
        return self.counts.pairs()

    @cached_property
    def shares(self) -> list[Fraction]:
        """The figure of each such pair."""
        return [self.counts.figure(*figure) for figure in self.figures[0]]

    def above(self) -> int:
        """Return how many rows stand in groups that do not keep the promise; exact."""
        bad = np.array([share > self.promise.at_most for share in self.shares], dtype=np.bool_)
        return int(self.rows[bad[self.figures[1]]].sum()) if len(bad) else 0

    def worst(self, most: int) -> tuple[Worst, ...]:
        """Return the groups with the largest shares, the larger ones first, then by their texts."""
        ranks = {share: rank for rank, share in enumerate(sorted(set(self.shares), reverse=True))}
        rank = np.array([ranks[share] for share in self.shares], dtype=np.int64)
        alone = int((self.rows == 1).sum())
        return tuple(self._worst(place, alone) for place in self._first(rank[self.figures[1]], most))

    def _first(self, rank: Ints, most: int) -> list[int]:
        """Return the first groups by rank, size (larger first) and text."""
        order = np.lexsort((-self.rows, rank))[:most]
        if not len(order):
            return []
        last = order[-1]
        same = (rank == rank[last]) & (self.rows == self.rows[last])
        better = order[~same[order]]
        places = np.concatenate([better, self._first_texts(np.flatnonzero(same), most)])
        texts = self.counts.texts[places].fill_null("")
        columns = [f"{number}" for number in range(texts.width)]
        table = pl.DataFrame(
            [pl.Series("rank", rank[places]), pl.Series("size", -self.rows[places]), pl.Series("place", places)]
            + [texts.to_series(number).alias(name) for number, name in enumerate(columns)]
        )
        return table.sort("rank", "size", *columns).get_column("place").head(most).to_list()

    def _first_texts(self, places: Ints, most: int) -> Ints:
        """Return those of many groups whose first text is among the first ones: the others need not be sorted."""
        if len(places) <= most or not self.counts.texts.width:
            return places
        first = self.counts.texts.to_series(0)[places].fill_null("")
        chosen: Ints = places[(first <= first.bottom_k(most).max()).to_numpy()]
        return chosen

    def _worst(self, at: int, alone: int) -> Worst:
        texts = self.counts.texts.row(at) if self.counts.texts.width else ()
        return Worst(
            group=dict(zip(self.given, texts, strict=True)),
            rows=int(self.counts.below[at] if self.promise.whole else self.rows[at]),
            hits=self.counts.hits_at(at),
            hidden=int(self.counts.hidden[at]),
            share=self.shares[int(self.figures[1][at])],
            limit=self.promise.stated,
            alone=alone,
            kind=self.promise.kind,
            coarse=self.counts.is_coarse(at),
            persons=self.persons,
        )

    def spread(self) -> RiskSpread:
        """Return how many rows stand in groups of which share, or with how many rows or values."""
        if self.promise.unit is not None:
            ends = tuple(map(float, sorted({*SIZES, self.promise.at_most.denominator})))
            at = np.maximum(np.searchsorted(np.array(ends), self.counts.below, side="right") - 1, 0)
        else:
            exact = self.promise.spread
            ends = tuple(map(float, exact))
            at = np.array([bisect_right(exact, share) - 1 for share in self.shares], dtype=np.int64)[self.figures[1]]
        rows = np.zeros(len(ends), dtype=np.int64)
        # A group of which nothing is known stands nowhere: it keeps every promise about numbers of values.
        counts = np.ones_like(self.rows, dtype=np.bool_) if self.promise.unit is None else self.counts.above > 0
        np.add.at(rows, at[counts], self.rows[counts])
        return RiskSpread(ends, tuple(rows.tolist()))


def _risk(promise: GroupPromise, before: _RiskGroups, after: _RiskGroups, most: int) -> Risk:
    return Risk(
        index=promise.index,
        kind=promise.kind,
        promise=str(promise),
        limit=str(promise.stated if promise.unit is None else promise.at_most.denominator),
        rows_before=int(before.rows.sum()),
        rows_after=int(after.rows.sum()),
        groups_before=len(before.rows),
        groups_after=len(after.rows),
        above_before=before.above(),
        above_after=after.above(),
        worst_before=before.worst(most),
        worst_after=after.worst(most),
        spread_before=before.spread(),
        spread_after=after.spread(),
    )
