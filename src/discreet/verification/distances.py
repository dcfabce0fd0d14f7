"""How far groups are from the whole release (t-closeness), and how uncertain their values are (l-diversity): by code
of its own, on released texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements.entropy_diversity import EntropyDiversity
from discreet.policy.requirements.recursive_diversity import RecursiveDiversity
from discreet.policy.requirements.t_closeness import Closeness
from discreet.table.engine import Engine
from discreet.verification.figures import GroupFigures
from discreet.verification.vectors import TextCounts, text_counts

FINE = 10**9


def closeness(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """t-closeness: what must be moved, times how far, from a group's distribution to that of all."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, Closeness)
        taxonomy = policy.column(promise.column).taxonomy
        places, coarse = _places(counts, policy, promise)
        usual = np.bincount(places[places >= 0], weights=counts.everywhere[places >= 0]).astype(np.int64)
        total = int(usual.sum())
        height = _heights(taxonomy)[0] if promise.distance == "tree" and taxonomy is not None else 1
        if total * total * max(len(usual), 2 * height) >= 2**62:
            raise InputError(f"{total} rows are too many to verify distances over {len(usual)} values")
        above, below = np.zeros(counts.size, dtype=np.int64), np.ones(counts.size, dtype=np.int64)
        for which, rows in counts.dense(places):
            known = rows.sum(axis=1)
            extra = rows * total - usual * known[:, None]
            if promise.distance == "ordered":
                moved, most = np.abs(np.cumsum(extra, axis=1)[:, :-1]).sum(axis=1), max(len(usual) - 1, 1)
            elif promise.distance == "tree" and taxonomy is not None:
                moved, most = _moved_in_tree(taxonomy, extra), max(height, 1)
            else:
                moved, most = np.maximum(extra, 0).sum(axis=1), 1
            above[which], below[which] = moved, np.maximum(known * total * most, 1)
        found.append(GroupFigures(counts.groups, counts.rows, counts.hidden, above, below, coarse=coarse))
    return found


def _places(counts: TextCounts, policy: Policy, promise: Closeness) -> tuple[Ints, np.ndarray]:
    """Return where each text stands in the order of the distance (-1: it tells nothing), and groups with unfit texts.

    A text that is no single value (a group of the taxonomy, an interval, a set) or that nobody has put in order makes a
    group as bad as can be.
    """
    column = policy.column(promise.column)
    told = [text for text, silent in zip(counts.texts, counts.silent.tolist(), strict=True) if not silent]
    unfit: set[str | None] = set()
    meaning: dict[str | None, object] = {text: text for text in told}
    if column.taxonomy is not None:
        unfit = set(told) - set(column.taxonomy.leaves)
        order: list[object] = list(column.taxonomy.leaves)
        if promise.distance != "tree":
            order = [leaf for leaf in order if leaf in told]
    elif column.scale is not None:
        meaning = {text: column.scale.read(text) for text in told}
        unfit = {text for text in told if meaning[text] is None}
        order = sorted({value for value in meaning.values() if value is not None})  # type: ignore[type-var]
    else:
        order = sorted(told, key=str)
    if column.form == "set":
        unfit |= {text for text in told if text is not None and text.startswith("{")}
    if promise.distance == "ordered" and promise.order is not None and column.scale is None:
        unfit |= set(told) - set(promise.order)
        order = [value for value in promise.order if value in told]
    at = {value: place for place, value in enumerate(order)}
    places = [-1 if s or t in unfit else at[meaning[t]] for t, s in zip(counts.texts, counts.silent, strict=True)]
    coarse = counts.summed(np.array([text in unfit for text in counts.texts], dtype=np.bool_)) > 0
    return np.array(places, dtype=np.int64), coarse


def _heights(taxonomy: Taxonomy) -> list[int]:
    """Return how far the furthest leaf is below each node."""

    def height(place: int) -> int:
        return max((1 + height(child) for child in taxonomy.nodes[place].children), default=0)

    return [height(place) for place in range(len(taxonomy.nodes))]


def _moved_in_tree(taxonomy: Taxonomy, extra: Ints) -> Ints:
    """Return what is moved through each inner node, times its height (Li, Li, Venkatasubramanian, section 4.3).

    Through a node goes the smaller of what is too much and what is too little in its children.
    """
    leaves = len(taxonomy.leaves)
    extra = np.pad(extra, ((0, 0), (0, leaves - extra.shape[1])))
    heights, moved = _heights(taxonomy), np.zeros(len(extra), dtype=np.int64)
    for place, node in enumerate(taxonomy.nodes):
        if node.children:
            children = [taxonomy.nodes[child] for child in node.children]
            sums = np.stack([extra[:, child.first : child.stop].sum(axis=1) for child in children])
            too_much, too_little = np.maximum(sums, 0).sum(axis=0), np.maximum(-sums, 0).sum(axis=0)
            moved += heights[place] * np.minimum(too_much, too_little)
    return moved


def _values(counts: TextCounts, policy: Policy, column: str) -> tuple[Ints, np.ndarray]:
    """Return which value each text is (-1: it tells nothing), and the groups with texts that stand for several."""
    said = policy.column(column)
    numbers: dict[object, int] = {}
    places, several = [], []
    for text, silent in zip(counts.texts, counts.silent.tolist(), strict=True):
        value: object = text if said.scale is None else said.scale.read(text)
        coarse = not silent and (
            (said.scale is not None and value is None and not policy.declares_missing(text))
            or (said.taxonomy is not None and text not in said.taxonomy.leaves)
            or (said.form == "set" and text is not None and text.startswith("{"))
        )
        several.append(coarse)
        places.append(-1 if silent else numbers.setdefault(text if value is None else value, len(numbers)))
    return np.array(places, dtype=np.int64), counts.summed(np.array(several, dtype=np.bool_)) > 0


def entropy(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Entropy l-diversity: one over the number of equally common values, rounded on the right side of the limit."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    places, coarse = _values(counts, policy, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, EntropyDiversity)
        limit = promise.l.denominator * FINE // promise.l.numerator
        above = np.zeros(counts.size, dtype=np.int64)
        for which, rows in counts.dense(places):
            known = np.maximum(rows.sum(axis=1), 1)
            shares = rows / known[:, None]
            bits = -np.where(rows > 0, shares * np.log(np.maximum(shares, 1e-300)), 0.0).sum(axis=1)
            near = np.where(rows.sum(axis=1) > 0, np.minimum(np.exp(-bits) * FINE, FINE), 0).astype(np.int64)
            unsure = (promise.l > 1) & (np.abs(bits - math.log(promise.l)) < 1e-9 * (1 + rows.shape[1]))
            kept = (bits > math.log(promise.l)) | (promise.l <= 1)  # nothing is surer than one value
            kept[rows.sum(axis=1) == 0] = True
            for place in np.flatnonzero(unsure & (rows.sum(axis=1) > 0)).tolist():
                kept[place] = _uncertain([int(count) for count in rows[place] if count], promise.l)
            above[which] = np.where(kept, np.minimum(near, limit), np.maximum(near, limit + 1))
        below = np.full(counts.size, FINE, dtype=np.int64)
        found.append(GroupFigures(counts.groups, counts.rows, counts.hidden, above, below, coarse=coarse))
    return found


def _uncertain(counts: Sequence[int], least: Fraction) -> bool:
    """Whether the entropy of some counts is at least that of `least` equally common values: by logarithms of 80 digits,
    by the whole numbers themselves where these are as good as equal."""
    rows = sum(counts)
    if rows > 300:
        with localcontext(prec=80):
            left = rows * (Decimal(rows).ln() + Decimal(least.denominator).ln() - Decimal(least.numerator).ln())
            apart = left - sum(count * Decimal(count).ln() for count in counts)
            if abs(apart) > Decimal(10) ** -60 * rows * (len(counts) + 3):
                return apart > 0
    powers = math.prod(count**count for count in counts)
    return bool((rows * least.denominator) ** rows >= least.numerator**rows * powers)


def recursive(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Recursive (c, l)-diversity: the commonest value beside all that are not among the l - 1 commonest."""
    counts = text_counts(table, policy, given, promises[0].column or "")
    places, coarse = _values(counts, policy, promises[0].column or "")
    found = []
    for promise in promises:
        assert isinstance(promise, RecursiveDiversity)
        above, below = np.zeros(counts.size, dtype=np.int64), np.ones(counts.size, dtype=np.int64)
        for which, rows in counts.dense(places):
            if rows.shape[1]:
                ascending = np.sort(rows, axis=1)
                rarer = ascending[:, : max(rows.shape[1] - promise.l + 1, 0)].sum(axis=1)
                above[which] = ascending[:, -1]
                below[which] = np.maximum(ascending[:, -1] + rarer, 1)
        found.append(GroupFigures(counts.groups, counts.rows, counts.hidden, above, below, coarse=coarse))
    return found
