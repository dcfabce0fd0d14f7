"""What a search over cuts makes small, and a cut with what it comes to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from discreet.method.cuts.evaluation import Cut, CutFigures, CutOutcome


@dataclass(frozen=True)
class Objective:
    """What a search makes small: units of loss, what targets cost, and the rows left out beside that."""

    loss: int
    gone: int
    """Of a row left out, beside what it costs the targets."""
    weights: tuple[int, ...]
    """Of a unit of each target."""
    most_gone: int
    """Rows that may be left out at most."""
    total: int = 1
    """Rows in all."""
    usual: int = 0
    """What a row left out costs the targets on average."""

    def cost(self, outcome: CutFigures) -> int:
        """Return what an outcome costs."""
        cost = self.loss * outcome.lost + self.gone * (outcome.gone + outcome.short)
        for weight, kept, dropped in zip(self.weights, outcome.kept, outcome.dropped, strict=True):
            cost += weight * (kept + dropped)
        return cost

    def allows(self, outcome: CutOutcome) -> bool:
        """Whether not too many rows are left out."""
        return outcome.gone + outcome.short <= self.most_gone

    def sterner(self, times: int) -> Objective:
        """Return an objective that is more reluctant to leave rows out, as far as the numbers hold it."""
        most = max(2**60 // max(self.total, 1), self.gone)
        return replace(self, gone=min((self.gone + self.usual) * 4**times - self.usual, most))


@dataclass(frozen=True)
class Candidate:
    """A cut with what it comes to."""

    cut: Cut
    outcome: CutOutcome
    cost: int
