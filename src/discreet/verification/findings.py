"""What verification answers: a finding for each promise with its worst group, truthfulness, and all of it together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.common.printable import json_text
from discreet.common.wording import in_persons
from discreet.policy.requirements import PROMISES
from discreet.verification.answers import Answer

if TYPE_CHECKING:
    from discreet.verification.cell_answers import CellsFound
    from discreet.verification.joint import JointVerification


@dataclass(frozen=True)
class Worst:
    """The group in which a property is surest (or the smallest one), by counts; texts as released.

    None is a missing value. For k-anonymity `hits` is 1: one row of the group is the one looked for; for l-diversity
    too: one of the different values there are, and `share` is one over their number.
    """

    group: dict[str, str | None] = field(repr=False)
    rows: int
    hits: int
    hidden: int
    share: Fraction
    limit: Fraction
    alone: int = 0
    """Rows that are the only ones of their group, in the whole table."""
    kind: str = "template"
    coarse: bool = False
    """Whether values of the group were made coarser or cannot be read, which breaks the promise whatever its figure."""

    persons: bool = False
    """Whether `rows`, `hits`, `hidden` and `alone` are persons, who may have several rows."""

    @property
    def worst_case(self) -> Fraction:
        """The share if every hidden cell had the property."""
        if PROMISES[self.kind].measure != "share":
            return self.share
        return Fraction(self.hits + self.hidden, self.rows) if self.rows else Fraction(0)

    @property
    def within(self) -> bool:
        """Whether the share is within the limit: what decides a promise."""
        if self.coarse:
            return False
        return self.share < self.limit if PROMISES[self.kind].strict else self.share <= self.limit

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data; shares are exact fractions."""
        return {
            **({"group": self.group} if groups else {}),
            "rows": self.rows,
            "hits": self.hits,
            "hidden": self.hidden,
            "share": str(self.share),
            "limit": str(self.limit),
            "worst_case": str(self.worst_case),
            "alone": self.alone,
            **({"persons": True} if self.persons else {}),
        }

    def __str__(self) -> str:
        if self.coarse:
            return "a group has values that were made coarser or cannot be read, and nobody can count those"
        found = PROMISES[self.kind].found(self)
        return in_persons(found) if self.persons else found


@dataclass(frozen=True)
class Finding:
    """The answer about one requirement; `index` is its position in `protect`."""

    index: int
    kind: str
    promise: str
    answer: Answer
    worst: Worst | None = None
    reason: str | None = None
    cells: CellsFound | None = None
    """What was found about confidential cells."""
    sentence: str | None = None
    """The promise as `check` says it."""

    @property
    def in_words(self) -> str:
        """The promise as a sentence, where there is one."""
        return self.sentence or self.promise

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data."""
        return {
            **({} if self.cells is None else {"cells": self.cells.to_dict()}),
            "index": self.index,
            "kind": self.kind,
            "promise": self.promise,
            "answer": str(self.answer),
            "worst": None if self.worst is None else self.worst.to_dict(groups=groups),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Truth:
    """Whether every released cell is the original or something that covers it."""

    answer: Answer
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"answer": str(self.answer), "problems": list(self.problems)}


@dataclass(frozen=True, repr=False)
class Verification:
    """The answers about all requirements, and about truthfulness."""

    requirements: tuple[Finding, ...]
    truthful: Truth
    joint: JointVerification | None = None
    """The answers about this release and earlier ones together, where a ledger was given."""

    def __repr__(self) -> str:
        return f"<Verification: {'holds' if self.holds else 'does not hold'}, promises {len(self.requirements)}>"

    def _repr_html_(self) -> str:
        from discreet.verification.shown import verification_html

        return verification_html(self)

    def without_groups(self) -> Verification:
        """Return the same without the texts of the worst groups, or the commonest value of a column."""
        bare = [
            replace(
                finding,
                worst=None if finding.worst is None else replace(finding.worst, group={}),
                cells=None if finding.cells is None else replace(finding.cells, prior=None),
            )
            for finding in self.requirements
        ]
        return replace(self, requirements=tuple(bare))

    @property
    def holds(self) -> bool:
        """Whether every promise holds and nothing was found to be untrue."""
        return self._holds_alone and (self.joint is None or self.joint.holds)

    @property
    def may_go_out(self) -> bool:
        """Whether it holds but for what no release mends, and the policy wants reported (`leavers: warn`)."""
        return self._holds_alone and (self.joint is None or self.joint.may_go_out)

    @property
    def _holds_alone(self) -> bool:
        kept = all(finding.answer in (Answer.HOLDS, Answer.BY_LOT) for finding in self.requirements)
        return kept and self.truthful.answer is not Answer.BROKEN

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data, with or without the texts of the worst groups."""
        return {
            "holds": self.holds,
            "requirements": [finding.to_dict(groups=groups) for finding in self.requirements],
            "truthful": self.truthful.to_dict(),
            **({} if self.joint is None else {"joint": self.joint.to_dict()}),
        }

    def to_json(self) -> str:
        """Return `{holds, requirements: [{index, kind, answer, worst, ...}], truthful}` as JSON."""
        return json_text(self.to_dict())
