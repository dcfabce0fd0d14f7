"""What the owner has to do about a release: what is broken, what attacks learn, what to look at; first of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.attack.base import KINDS
from discreet.audit.report.attack_words import by_chance
from discreet.audit.report.attacks import findings
from discreet.audit.report.page import Level, PageStep, Prose, Section, StepList, section
from discreet.audit.report.remedies import remedy_of
from discreet.audit.report.words import clipped, limit, sentence, stand
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding

if TYPE_CHECKING:
    from discreet.audit.audit import Audit

_AGAIN = "Do not publish. Make the release again with “discreet protect”, or change the promise in the policy."
_ADVICE = {
    Answer.BROKEN: ("is broken", _AGAIN),
    Answer.NOT_CHECKABLE: (
        "could not be checked",
        "Do not publish yet. Run “discreet audit” with the original, and with the plan if rows were shuffled.",
    ),
    Answer.BY_LOT: (
        "is left to the lot for some cells",
        "Write two_values: refuse, or hide more: a cell that was left open by a coin is not protected.",
    ),
}


def to_do_section(audit: Audit) -> Section:
    """Return what to do, the most urgent first."""
    steps = [*_of_promises(audit), *_of_truth(audit), *_of_attacks(audit), *_of_warnings(audit)]
    if audit.attacks is None:
        how = "Run “discreet audit” with the release, the original and the policy: it says what adversaries get right."
        steps.append(PageStep("The release was not attacked.", "look", to_do=how))
    if not steps:
        means = "Every promise holds, no attack stands out, and there is no warning. What no promise covers is below."
        steps = [PageStep("Nothing has to be done.", "good", means)]
    chance = None if audit.attacks is None else by_chance(audit.attacks.found)
    return section("to-do", "What to do", [StepList(tuple(steps)), None if chance is None else Prose(chance)])


def _of_promises(audit: Audit) -> Iterator[PageStep]:
    for n, finding in enumerate(audit.promises, 1):
        if finding.answer in _ADVICE:
            what, advice = _ADVICE[finding.answer]
            level: Level = "bad" if finding.answer is not Answer.BY_LOT else "look"
            yield PageStep(f"Promise {n} {what}: {clipped(finding.promise)}", level, _means(finding), advice)


def _means(finding: Finding) -> str:
    if finding.reason:
        return sentence(finding.reason)
    worst = finding.worst
    return "" if worst is None else sentence(f"the worst group: {stand(worst)}; the limit: {limit(worst)}")


def _of_truth(audit: Audit) -> Iterator[PageStep]:
    broken = audit.verification.truthful.answer is Answer.BROKEN
    for text in audit.verification.truthful.problems:
        yield PageStep(sentence(text), "bad" if broken else "look", to_do=_AGAIN if broken else "")


def _of_attacks(audit: Audit) -> Iterator[PageStep]:
    """Yield what attacks learn that they should not."""
    if audit.attacks is None:
        return
    for kind in KINDS:
        found = [attack for attack in audit.attacks.found if attack.kind == kind]
        yield from findings(found, leaking=True)


def _of_warnings(audit: Audit) -> Iterator[PageStep]:
    attacks = () if audit.attacks is None else audit.attacks.found
    for text in audit.all_warnings:
        by = next((attack for attack in attacks if text in attack.warnings), None)
        do = None if by is None else remedy_of(by)
        yield PageStep("", "look", sentence(text), "" if do is None else do.words, do)
