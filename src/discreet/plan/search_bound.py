"""What an exact search found out about a cut, until it is carried out: only then all suppressed rows are known."""

from __future__ import annotations

from dataclasses import dataclass

NEARLY = 10**9
"""How finely the bound of a cut is told."""


@dataclass(frozen=True)
class SearchBound:
    """What a cut costs, and what no release by any cut goes below, in units of the search."""

    least: int
    """No release by any cut costs less, whichever rows are drawn by lot."""
    cost: int
    """What the cut costs if just the rows are suppressed whose groups break a promise."""
    gone: int
    """How many these are."""
    each: int | None
    """What each further suppressed row adds at most; None if nothing is known then."""

    def share(self, suppressed: int) -> float | None:
        """Return the share of what the release costs that none goes below, from how many rows are suppressed."""
        more = suppressed - self.gone
        if more > 0 and self.each is None:
            return None
        cost = self.cost + max(more, 0) * (self.each or 0)
        return 1.0 if self.least >= cost and not more else share_of(self.least, cost)


def share_of(bound: int, cost: int) -> float:
    """Return the bound of a cut as a share of what it costs: below 1, for 1 is a proof."""
    return (NEARLY * bound // cost if 0 <= bound < cost else NEARLY - 1) / NEARLY
