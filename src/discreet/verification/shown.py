"""What notebooks show of promises: each before and after, with its limit and the answer. By counts; no cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.common.notebook import Level, card, items, line, rows
from discreet.common.wording import in_persons
from discreet.policy.requirements import PROMISES
from discreet.verification.answers import Answer

if TYPE_CHECKING:
    from discreet.verification.findings import Finding, Verification, Worst

_ANSWERS = {
    Answer.HOLDS: "✓ holds",
    Answer.BROKEN: "✕ broken",
    Answer.NOT_CHECKABLE: "? not checkable",
    Answer.BY_LOT: "? by lot",
}
NOTHING = "–"


def verification_html(found: Verification) -> str:
    """Return the answers of a verification."""
    level, verdict = verdict_of(found)
    truth = {
        Answer.HOLDS: "Every released cell is the original, something that covers it, or hidden.",
        Answer.BROKEN: "It holds what no true release by this policy can hold: see why.",
    }
    told = truth.get(found.truthful.answer, "Whether every cell is true was not checked: that needs the original.")
    reasons = [f"{finding.promise}: {finding.reason}" for finding in found.requirements if finding.reason]
    parts = [promises_table(found.requirements), line(told), items("Why", [*reasons, *found.truthful.problems])]
    return card(level, verdict, parts)


def verdict_of(found: Verification) -> tuple[Level, str]:
    """Return how the promises stand, in a sentence."""
    answers = [finding.answer for finding in found.requirements]
    if not found.holds:
        if Answer.BROKEN in answers:
            broken = answers.count(Answer.BROKEN)
            some = "The promise is" if len(answers) == 1 else f"{broken} of {len(answers)} promises {_are(broken)}"
            return "bad", f"{some} broken: do not publish."
        if found.truthful.answer is Answer.BROKEN:
            return "bad", "Not true to the original: do not publish."
        return "bad", "Not every promise could be checked: do not publish yet."
    if Answer.BY_LOT in answers:
        return "look", "Nothing is broken, but some cells are left to the lot, which promises nothing."
    every = {1: "the promise holds", 2: "both promises hold"}.get(len(answers), f"all {len(answers)} promises hold")
    return "good", f"Verified: {every}."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def promises_table(after: Sequence[Finding], before: Sequence[Finding] | None = None) -> str:
    """Return each promise with its worst group by counts, and what it was on the original where that is known."""
    head = ["Promise", *([] if before is None else ["Before"]), "Now" if before is None else "After", "Limit", "Answer"]
    body = []
    for n, found in enumerate(after):
        earlier = [] if before is None else [_stands(before[n].worst)]
        body.append([found.promise, *earlier, _after(found), _limit(found.worst), _ANSWERS[found.answer]])
    return rows(head, body)


def _after(found: Finding) -> str:
    if found.cells is None or not found.cells.against:
        return _stands(found.worst)
    return (
        f"{max(one.guessed for one in found.cells.against)} of {max(one.cells for one in found.cells.against)} guessed"
    )


def _stands(worst: Worst | None) -> str:
    if worst is None:
        return NOTHING
    said = PROMISES[worst.kind].stands(worst)
    return in_persons(said) if worst.persons else said


def _limit(worst: Worst | None) -> str:
    if worst is None:
        return NOTHING
    said = PROMISES[worst.kind].allows(worst.limit)
    return in_persons(said) if worst.persons else said
