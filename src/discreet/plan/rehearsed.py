"""What a rehearsal of blind protection came to: how often learners that know the method are right, beside the limits.

Learned from the rows without confidential cells alone: private, like all of a plan, but no secret is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from discreet.common.rates import Rate
from discreet.common.shares import short_percent

REMEDY = "write blocks: none, a smaller margin (or margin: rehearsed), or kernel among the references"


@dataclass(frozen=True)
class LearnerRate:
    """How often a learner is right that knows the method, beside the limit of the values that it guesses."""

    name: str
    right: Rate
    limit: float
    surest: Rate
    """In the fifth of the cells about which it is surest."""
    surest_limit: float
    passes: bool
    """Whether it is right more often than the limit, beyond what chance explains for so many learners."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "learner": self.name,
            "right": self.right.to_dict(),
            "limit": self.limit,
            "surest": self.surest.to_dict(),
            "surest_limit": self.surest_limit,
            "passes": self.passes,
        }


@dataclass(frozen=True)
class RehearsedColumn:
    """What a rehearsal comes to for one confidential column."""

    column: str
    rows: int
    hidden: float
    """Predictors of a row that are hidden, on average."""
    predictors: int
    commonest: float
    """The share of the commonest value, which needs nothing to guess."""
    limits: tuple[float, float]
    """The smallest and the largest of its values."""
    learners: tuple[LearnerRate, ...]
    margin: str | None = None
    """The margin, where the rehearsal chose it."""

    @property
    def warnings(self) -> Iterator[str]:
        """Where a learner passes the limit, and what helps."""
        for each in self.learners:
            if each.passes:
                sure = short_percent(each.surest.share or 0.0)
                yield (
                    f"rehearsal of {self.column!r}: {each.name}, which knows the method, is right on "
                    f"{short_percent(each.right.share or 0.0)} of the cells (limit {short_percent(each.limit)}) and on "
                    f"{sure} of the fifth about which it is surest (limit {short_percent(each.surest_limit)}); {REMEDY}"
                )

    def in_words(self) -> Iterator[str]:
        """Yield what it came to, line by line."""
        low, high = map(short_percent, self.limits)
        limits = f"limit {low}" if low == high else f"limits from {low} to {high}"
        chosen = "" if self.margin is None else f"; margin {self.margin}, chosen by rehearsal"
        yield f"the commonest value has {short_percent(self.commonest)} of the other rows; {limits}{chosen}"
        yield (
            f"rehearsed on {self.rows} other rows: beside the cell about {self.hidden:.1f} of {self.predictors} "
            "predictors are hidden"
        )
        for each in self.learners:
            yield (
                f"  {each.name}, which knows the method: right on {_with_interval(each.right)}, "
                f"limit {short_percent(each.limit)}; "
                f"surest fifth {_with_interval(each.surest)}, limit {short_percent(each.surest_limit)}"
            )

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "column": self.column,
            "rows": self.rows,
            "hidden": self.hidden,
            "predictors": self.predictors,
            "commonest": self.commonest,
            "limits": list(self.limits),
            "margin": self.margin,
            "learners": [each.to_dict() for each in self.learners],
        }


def _with_interval(rate: Rate) -> str:
    low, high = map(short_percent, rate.interval)
    return f"{short_percent(rate.share or 0.0)} ({low} to {high})"
