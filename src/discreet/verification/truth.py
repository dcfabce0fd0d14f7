"""Whether what was released of a column is true: each text the original one, or one that covers it.

Guarantee: a pair is passed only when the two texts are equal, the released one is the marker, or it was read, in
exactly one of the forms the column may have, as something the original value lies within. Values are exact: no float
decides on which side of an end a value stands. A text that cannot be read covers nothing. Numbers, dates, intervals and
sets are read by code of this room only (`value_texts.py`, `stretches.py`, `set_texts.py`); nothing of it is used in
making a release.

Not covered: whether another text would have told more, or whether texts of one column fit together (but for medians,
which say nothing of their intervals: these must at least be able to exist).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache

from discreet.columns.taxonomy import Taxonomy
from discreet.policy.columns import Column
from discreet.verification.set_texts import set_members
from discreet.verification.stretches import StretchReader, label_reader, median_reader, tail_reader, written_reader
from discreet.verification.told_blocks import ToldBlocks
from discreet.verification.value_texts import TextKind, kind_of

Pairs = Sequence[tuple[str | None, str | None]]
"""Original and released texts of one column; None is a missing value."""


def untrue(
    pairs: Pairs,
    column: Column | None,
    marker: str,
    missing: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None = None,
    *,
    blocks: Collection[str | None] | None = None,
) -> list[bool]:
    """Say of each pair whether the released text does not cover the original.

    Parameters
    ----------
    pairs
        The distinct pairs of original and released text of one column; all of them, where medians are released.
    column
        What the policy says of the column; None when it says nothing.
    marker
        The text that covers every value.
    missing
        The texts that stand for a missing value, besides None.
    medians
        Where the interval of each released median begins and stops (blank: nowhere), as published beside the
        release. Without it, a median must lie among its originals, with no other released value between them.
    blocks
        Where sets and intervals are told for hidden cells of the column, whatever the policy says of it: the texts that
        they take for missing, besides None.

    Examples
    --------
    >>> age = Column(type="number")
    >>> untrue([("30", "[30-39]"), ("40", "[30-39]"), ("40", ">=40"), ("?", ">=40"), ("?", "*")], age, "*", ["?"])
    [False, True, False, True, False]
    """
    covered = _covered(pairs, column, marker, {None, *missing}, medians)
    if blocks is not None:
        told = ToldBlocks(column, {original for original, _ in pairs}, blocks)
        covered = [one or told.covers(*pair) for one, pair in zip(covered, pairs, strict=True)]
    return [
        not (released in (original, marker) or covers)
        for (original, released), covers in zip(pairs, covered, strict=True)
    ]


def _covered(
    pairs: Pairs,
    column: Column | None,
    marker: str,
    unknown: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None,
) -> list[bool]:
    """Say of each pair whether the column's kind of text covers the original; equal texts and markers aside."""
    if column is None:
        return [False] * len(pairs)
    if column.type == "category":
        above = [False] * len(pairs)
        if column.taxonomy is not None:
            above = _by_taxonomy(pairs, column.taxonomy, unknown)
        if column.form != "set":
            return above
        members = cache(set_members)
        return [covers or original in members(text) for covers, (original, text) in zip(above, pairs, strict=True)]
    kind = kind_of(column)
    read = cache(kind.value)
    values = [None if original is None or original in unknown else read(original) for original, _ in pairs]
    if column.form != "median":
        return _within(values, pairs, label_reader(column, kind) if column.labels is not None else written_reader(kind))
    beyond = _within(values, pairs, tail_reader(column, kind))
    if medians is None:
        told = _by_medians(values, _medians(pairs, kind, marker))
    else:
        told = _within(values, pairs, median_reader(medians, kind))
    return [one or other for one, other in zip(told, beyond, strict=True)]


def _within(values: Sequence[Fraction | None], pairs: Pairs, stretches: StretchReader) -> list[bool]:
    """Say where the original value lies within what the released text may mean."""
    found = []
    for value, (_, released) in zip(values, pairs, strict=True):
        within = False
        if value is not None and released is not None:
            for stretch in stretches(released):
                within = within or value in stretch
        found.append(within)
    return found


def _by_taxonomy(pairs: Pairs, taxonomy: Taxonomy, unknown: Collection[str | None]) -> list[bool]:
    """Say where the released text is a label above the original; above a missing value is only the root."""
    root = taxonomy.nodes[0].labels[-1]

    @cache
    def above(original: str | None) -> tuple[str, ...]:
        labels = () if original is None else taxonomy.ancestors(original)
        return labels or ((root,) if original in unknown else ())

    return [released in above(original) for original, released in pairs]


def _medians(pairs: Pairs, kind: TextKind, marker: str) -> list[Fraction | None]:
    """Return the value each original is released as; None if it is none.

    Blanks around it are in their place where the median is the very text of an original.
    """
    originals = {original for original, _ in pairs}

    @cache
    def read(released: str | None) -> Fraction | None:
        if released is None or released == marker:
            return None
        return kind.value(released) if released in originals else kind.single(released)

    return [read(released) for _, released in pairs]


def _by_medians(values: Sequence[Fraction | None], medians: Sequence[Fraction | None]) -> list[bool]:
    """Say where the median can stand for an interval: among its originals, with no other median between them."""
    originals: dict[Fraction, set[Fraction]] = {}
    for value, median in zip(values, medians, strict=True):
        if value is not None and median is not None:
            originals.setdefault(median, set()).add(value)
    true = _apart(originals)
    return [value is not None and median in true for value, median in zip(values, medians, strict=True)]


def _apart(originals: dict[Fraction, set[Fraction]]) -> set[Fraction]:
    """Return the medians that lie among their originals, in a range that meets the range of no other median."""
    ranges = sorted((min(values), max(values), median) for median, values in originals.items())
    apart = {median for low, high, median in ranges if low <= median <= high}
    reach: Fraction | None = None
    for at, (low, high, median) in enumerate(ranges):
        meets_next = at + 1 < len(ranges) and ranges[at + 1][0] <= high
        if meets_next or (reach is not None and low <= reach):
            apart.discard(median)
        reach = high if reach is None else max(reach, high)
    return apart
