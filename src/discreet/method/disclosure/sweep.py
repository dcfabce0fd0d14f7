"""Top-down disclosure under many limits at once, from loose to strict.

Guarantee: each result is that of a search of its own under its limits (see `disclosure`); only work is shared.
A search under stricter limits takes the same steps until one of them would break its limits: it starts there,
from a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from discreet.method.disclosure.search import Search, Unsatisfiable

Limits = Sequence[Sequence[Fraction]]
"""One list of limits for each table of the problem, in the order of its properties."""

MOST_ROWS_COPIED = 5_000_000
"""Collapsed rows in all waiting copies; beyond that a search starts from the beginning, to save memory."""


def sweep(
    start: Callable[[Limits], Search], every: Sequence[Limits], first: Search | None = None
) -> Iterator[Search | Unsatisfiable]:
    """Yield the finished search for each of the ever stricter limits, or that nothing can be released.

    `start` makes a search that has not begun; `first` is one that has, under the first limits.
    """
    try:
        search = first or start(every[0])
        search.check_limits()
    except Unsatisfiable as answer:
        yield answer
        if len(every) > 1:
            yield from sweep(start, every[1:])
        return
    same, forks = _finish(search, every[1:])
    for _ in range(1 + same):
        yield search
    while forks:
        fork, limits = forks.pop()
        yield from sweep(start, limits, fork)


def _finish(search: Search, stricter: Sequence[Limits]) -> tuple[int, list[tuple[Search | None, Sequence[Limits]]]]:
    """Run a search to its end; return how many of the stricter limits it serves too, and where the others fork off."""
    forks: list[tuple[Search | None, Sequence[Limits]]] = []
    waiting = list(stricter)
    copied = 0
    while search.candidates_left():
        best = search.best()
        along = next((n for n, limits in enumerate(waiting) if search.parts_ways(best, limits)), len(waiting))
        if along < len(waiting):
            copied += search.size()
            copy = search.copy(waiting[along]) if copied <= MOST_ROWS_COPIED else None
            forks.append((copy, waiting[along:]))
            waiting = waiting[:along]
        search.step(best)
    along = next((n for n, limits in enumerate(waiting) if search.violates(limits)), len(waiting))
    if along < len(waiting):  # there was no step at all, and never will be
        forks.append((None, waiting[along:]))
    return along, forks
