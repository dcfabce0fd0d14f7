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
    for place, promise in enumerate(promises):
        implied_by = [
            other
            for other_place, other in enumerate(promises)
            if other_place != place and _follows(promise, other, earlier=other_place < place)
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
