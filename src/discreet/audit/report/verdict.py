"""How a release stands, first of all: one line, what a director reads, and a few figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.audit.report.page import Card, Level
from discreet.audit.report.words import attacked, kept_promises, many, number, recodes, share
from discreet.verification.answers import Answer

if TYPE_CHECKING:
    from discreet.audit.audit import Audit


def verdict_of(audit: Audit) -> tuple[Level, str]:
    """Return how things stand in one line."""
    found = audit.verification
    if not found.holds:
        if any(finding.answer is Answer.BROKEN for finding in found.requirements):
            return "bad", "Do not publish: a promise is broken."
        if found.truthful.answer is Answer.BROKEN:
            return "bad", "Do not publish: the release is not true to the original."
        return "bad", "Do not publish yet: a promise could not be checked."
    if any(finding.answer is Answer.BY_LOT for finding in found.requirements):
        return "look", "Nothing is broken, but some cells are left to the lot, which promises nothing."
    if audit.attacks is None:
        if audit.all_warnings:
            return "look", "Every promise holds, but the release was not attacked; see what to do."
        return "good", "Every promise holds. The release was not attacked."
    if any(attack.leaks for attack in audit.attacks.found):
        return (
            "look",
            "Every promise holds, but some attacks learn more than they should: see what to do.",
        )
    if audit.all_warnings:
        return "look", "Every promise holds and no attack stands out; a few things are worth a look."
    return "good", "Every promise holds, and no attack learns more than it would about anybody."


def summary_of(audit: Audit) -> Iterator[str]:
    """Yield what a director reads."""
    yield f"{kept_promises(audit.promises)}."
    if audit.attacks is None:
        yield f"{attacked(audit)} to see what adversaries get right."
    else:
        thorough = "thorough" if audit.attacks.thorough else "quick"
        yield f"{attacked(audit)} ({thorough} attacks in {number(round(audit.attacks.seconds, 1))} seconds)."
    truth = {
        Answer.HOLDS: "Every released cell is the original, something that covers it, or hidden.",
        Answer.BROKEN: "The release is not true to the original: see below.",
    }
    yield truth.get(
        audit.verification.truthful.answer, "Whether every cell is true was not checked: that needs the original."
    )
    warned = len(audit.all_warnings)
    open_ = many(len(audit.not_covered), "thing")
    yield f"{many(warned, 'warning') if warned else 'No warning'}, and {open_} that no promise covers."


def cards_of(audit: Audit) -> Iterator[Card]:
    """Yield the figures that stand first."""
    answers = [finding.answer for finding in audit.promises]
    held = sum(answer is Answer.HOLDS for answer in answers)
    level: Level = "good" if held == len(answers) else "bad" if Answer.BROKEN in answers else "look"
    yield Card("Promises", f"{held} of {len(answers)}", "hold", level)
    if audit.attacks is None:
        yield Card("Attacks", "none", "run “discreet audit”", "look")
    else:
        tried = [attack for attack in audit.attacks.found if attack.released.share is not None]
        better = sum(attack.leaks for attack in tried)
        yield Card(
            "Attacks", f"{better} of {len(tried)}", "do better than their comparison", "look" if better else "good"
        )
    if not recodes(audit.promises):
        pass  # single cells alone: no column is made coarser
    elif audit.detail is not None:
        yield Card("Detail", share(audit.detail), "of the columns that may change is released")
    elif audit.utility is not None:
        yield Card("Detail", share(1 - audit.utility.loss), "of the columns that may change is released")
    hidden = sum(audit.hidden_cells.values())
    gone = audit.suppressed + audit.removed
    gone, noun = (gone, "row") if audit.persons is None else (audit.persons.gone, "person")
    rows = f"; {many(gone, noun)} suppressed or removed" if gone else ""
    yield Card("Hidden", number(hidden), f"{'cell' if hidden == 1 else 'cells'}{rows}")
