"""Templates that follow from others (Wang, Fung, Yu, Theorem 3.1) need no search of their own.

Who knows more columns can only be surer: a template over fewer columns with the same property and no
smaller threshold holds whenever the one over more columns does. Verification still counts every template.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.policy.requirements import Inference


def without_redundant(
    inferences: Sequence[Inference],
) -> tuple[list[Inference], list[tuple[Inference, Inference]]]:
    """Return the templates to search with, and each dropped one with the template it follows from."""
    kept: list[Inference] = []
    dropped: list[tuple[Inference, Inference]] = []
    for place, inference in enumerate(inferences):
        implied_by = [
            other
            for other_place, other in enumerate(inferences)
            if other_place != place and _follows(inference, other, earlier=other_place < place)
        ]
        if implied_by:
            dropped.append((inference, implied_by[0]))
        else:
            kept.append(inference)
    return kept, dropped


def _follows(weak: Inference, strong: Inference, *, earlier: bool) -> bool:
    if weak.property != strong.property or weak.at_most < strong.at_most:
        return False
    known, more = set(weak.given), set(strong.given)
    if known == more and weak.at_most == strong.at_most:
        return earlier  # of two that say the same, the first stays
    return known <= more
