"""Is a policy in order, what does it promise, and does it fit a table: before anything is made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from discreet.audit.audit import not_covered
from discreet.audit.verify import Worst, worst_of
from discreet.pipeline import prepare
from discreet.policy import GroupPromise, KAnonymity, Policy


@dataclass(frozen=True)
class Promise:
    """One promise in words, and with a table its risk now and the least that any release can have."""

    made: GroupPromise
    now: Worst | None = None
    least: Worst | None = None

    @property
    def possible(self) -> bool:
        """Whether some release can keep it (as far as is known without the table)."""
        return self.least is None or self.least.within

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "index": self.made.index,
            "promise": str(self.made),
            "words": self.made.in_words(),
            "now": None if self.now is None else self.now.to_dict(),
            "least_possible": None if self.least is None else str(self.least.share),
            "possible": self.possible,
        }


@dataclass(frozen=True)
class Checked:
    """What was found out about a policy that is in order."""

    promises: tuple[Promise, ...]
    not_covered: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    rows: int | None = None
    dropped: int = 0
    may_change: tuple[str, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether every promise can be kept."""
        return all(promise.possible for promise in self.promises)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "possible": self.possible,
            "promises": [promise.to_dict() for promise in self.promises],
            "rows": self.rows,
            "dropped_rows": self.dropped,
            "may_change": list(self.may_change),
            "warnings": list(self.warnings),
            "not_covered": list(self.not_covered),
        }


def check_policy(policy: Policy, table: Path | None = None) -> Checked:
    """Return what the policy promises; with a table, raise `PolicyError` with all that does not fit."""
    if table is None:
        stated = tuple(Promise(made) for made in policy.promises())
        return Checked(stated, not_covered(policy))
    job = prepare(table, policy)
    source, bound = job.source, job.bound
    promises: list[Promise] = []
    for index, requirement in enumerate(policy.protect):
        made: list[GroupPromise] = list(requirement.promises(index))
        now = worst_of(source, policy, made[0].given, made)
        unchangeable = [column for column in made[0].given if column in bound.fixed]
        least = worst_of(source, policy, unchangeable, made)
        if policy.removes and (unchangeable or not isinstance(requirement, KAnonymity)):
            least = [None] * len(made)  # without the rows that are removed it may be kept
        promises += [Promise(*found) for found in zip(made, now, least, strict=True)]
    uncovered = not_covered(policy, bound.released)
    return Checked(tuple(promises), uncovered, bound.warnings, source.rows, source.dropped, bound.changeable)
