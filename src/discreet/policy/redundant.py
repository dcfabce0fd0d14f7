"""Promises that follow from others (Wang, Fung, Yu, Theorem 3.1) need no search of their own.

Who knows more columns can only be surer: a promise over fewer columns with the same property and no
smaller limit holds whenever the one over more columns does. Verification still counts every promise.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.policy.requirements import GroupPromise


def without_redundant(
    promises: Sequence[GroupPromise],
) -> tuple[list[GroupPromise], list[tuple[GroupPromise, GroupPromise]]]:
    """Return the promises to search with, and each dropped one with the one it follows from."""
    kept: list[GroupPromise] = []
    dropped: list[tuple[GroupPromise, GroupPromise]] = []
    alike: dict[object, dict[int, list[int]]] = {}  # by what they are about, and how many columns they know
    same: dict[object, list[int]] = {}
    for place, promise in enumerate(promises):
        alike.setdefault((promise.kind, promise.about), {}).setdefault(len(promise.given), []).append(place)
        same.setdefault((promise.kind, promise.about, frozenset(promise.given)), []).append(place)
    for place, promise in enumerate(promises):
        wider = [
            at
            for columns, places in alike[promise.kind, promise.about].items()
            if columns > len(promise.given)
            for at in places
        ]
        equal = same[promise.kind, promise.about, frozenset(promise.given)]
        implied_by = [
            promises[at]
            for at in sorted([*wider, *equal])
            if at != place and _follows(promise, promises[at], earlier=at < place)
        ]
        if implied_by:
            dropped.append((promise, implied_by[0]))
        else:
            kept.append(promise)
    return kept, dropped


def _follows(weak: GroupPromise, strong: GroupPromise, *, earlier: bool) -> bool:
    if (weak.kind, weak.about) != (strong.kind, strong.about) or weak.at_most < strong.at_most:
        return False
    known, more = set(weak.given), set(strong.given)
    if known == more and weak.at_most == strong.at_most:
        return earlier  # of two that say the same, the first stays
    return known <= more
