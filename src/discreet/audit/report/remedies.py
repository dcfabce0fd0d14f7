"""What may be done about an attack: in words for people, and as a change of the policy for the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discreet.audit.report.words import clipped, listed, number, share

if TYPE_CHECKING:
    from discreet.attack.base import Attack

Change = Literal["larger_k", "stricter", "promise", "against", "decoys"]
"""How a policy is changed: a larger k; a promise made stricter, or about all that may be known; a new promise about the
target; the adversary named under `against`; decoys."""
NOTHING_TO_DO = "Nothing to do."


@dataclass(frozen=True)
class Remedy:
    """What to do about an attack; `change` says how the policy would do it, where it can."""

    words: str
    change: Change | None = None
    requirement: int | None = None
    """The position in `protect` of the promise that is changed."""
    target: str | None = None
    knows: tuple[str, ...] = ()
    adversary: str = ""


def remedy_of(attack: Attack) -> Remedy:
    """Return what the owner may do about an attack."""
    if attack.released.share is None:
        return Remedy(NOTHING_TO_DO)
    if not attack.leaks and not attack.warnings:
        return Remedy(_if_all_is_well(attack))
    words, change = _said(attack)
    return Remedy(words, change, attack.requirement, attack.target, attack.knows, attack.name)


def _said(attack: Attack) -> tuple[str, Change | None]:
    said = None if attack.requirement is None else f"protect[{attack.requirement}]"
    target = "" if attack.target is None else clipped(attack.target)
    known = listed([clipped(name) for name in attack.knows], 6)
    if attack.kind == "linkage":
        return (
            f"Ask for a larger k over {known or 'what is known'}, or leave out a column that tells people apart.",
            "larger_k",
        )
    if attack.kind == "inference" and said is not None:
        return f"Make {said} stricter, or let it count with all that may be known ({known}).", "stricter"
    if attack.kind == "inference":
        return f"Add a promise: infer: {{{target}: {{any: true}}}}, given: [{known}], at_most: 50%.", "promise"
    if attack.kind == "cells":
        return (
            f"Name this adversary under 'against' of {said or 'the promise'}, or let more be hidden (may_hide).",
            "against",
        )
    if attack.name == "minimality":
        highest, limit = attack.figures.get("highest"), attack.figures.get("limit")
        if highest is not None and limit is not None:
            told = f"Count on {share(highest)} where the policy says {share(limit)}."
            return f"{told} If that is too sure, lower at_most, or write decide: blind.", "stricter"
    if "decoys" not in attack.name:
        return (
            f"Ask for decoys (decoys: 50%) in {said or 'the promise'}: then to be hidden does not tell the value.",
            "decoys",
        )
    return f"Make {said or 'the promise'} stricter.", "stricter"


def _if_all_is_well(attack: Attack) -> str:
    if attack.kind == "linkage" and attack.control is None:
        least = attack.figures.get("smallest_group") or attack.figures.get("fewest")
        if least:
            return f"Nothing, if one in {number(least)} is what you meant to allow. A larger k makes it harder."
    if attack.kind == "inference" and attack.figures.get("homogeneous_rows"):
        return "Nothing, if that value harms nobody. “any: true”, or l, keeps a group from having one value only."
    return NOTHING_TO_DO
