"""The one question that blind decisions ask about secrets: is a promise about them broken?"""

from __future__ import annotations

from discreet.policy import Policy
from discreet.verification.answers import Answer
from discreet.verification.findings import Verification


def broken_about_secrets(found: Verification, policy: Policy) -> list[str] | None:
    """Return what is broken, in words, if that is nothing but promises about secrets; else None: it is a fault."""
    if found.truthful.answer is Answer.BROKEN:
        return None
    broken = [finding for finding in found.requirements if finding.answer not in (Answer.HOLDS, Answer.BY_LOT)]
    secret = {index for index, made in policy.groups() if made.sensitive is not None}
    if any(finding.answer is not Answer.BROKEN or finding.index not in secret for finding in broken):
        return None
    said = [f"protect[{finding.index}]: {finding.promise}: worst {finding.worst}" for finding in broken]
    if found.joint is None:
        return said
    from discreet.verification.joint import PERSONS  # with a ledger only, as the next
    from discreet.verification.joint_cells import KIND

    for each in found.joint.findings:
        if each.answer is Answer.HOLDS or each.excused:
            continue
        if each.answer is not Answer.BROKEN or each.about == PERSONS or each.kind == KIND:
            return None
        said.append(f"with earlier releases: {each.promise}: broken for {each.persons} persons")
    return said
