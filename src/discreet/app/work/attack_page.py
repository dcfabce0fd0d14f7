"""What the Attacks screen shows: the same parts as the owner's report, as plain data."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from discreet.app.drawing import plain_dots
from discreet.attack.learning import has_library
from discreet.audit.audit import Audit
from discreet.audit.report.attacks import attacks_section
from discreet.audit.report.shared import left_open
from discreet.audit.report.to_do import to_do_section
from discreet.audit.report.verdict import cards_of, summary_of, verdict_of


def attack_page(audit: Audit) -> dict[str, Any]:
    """Return the parts of the report that are about attacks: the verdict, what to do, each attack."""
    level, words = verdict_of(audit)
    found = audit.attacks
    return {
        "level": level,
        "verdict": words,
        "summary": list(summary_of(audit)),
        "cards": plain(list(cards_of(audit))),
        "to_do": plain(to_do_section(audit).blocks),
        "attacks": plain(attacks_section(found, plain_dots).blocks),
        "not_covered": plain(left_open(audit.not_covered).blocks),
        "thorough": found is not None and found.thorough,
        "tried": 0 if found is None else len(found.found),
        "leaks": 0 if found is None else sum(attack.leaks for attack in found.found),
        "best": {} if found is None else _best(audit),
        "learned": [] if audit.utility is None else plain(audit.utility.learned),
        "learners": has_library(),
    }


def _best(audit: Audit) -> dict[str, list[float | None]]:
    """Return by what is guessed the best rate, and what it is compared with, for a comparison of releases."""
    best: dict[str, list[float | None]] = {}
    for attack in () if audit.attacks is None else audit.attacks.found:
        share = attack.released.share
        name = "whose row it is" if attack.target is None else attack.target
        if share is not None and share > (best.get(name, [-1.0])[0] or 0.0):
            best[name] = [share, None if attack.beside is None else attack.beside.share]
    return best


def plain(value: Any) -> Any:
    """Return parts of a page as plain data, each with its kind."""
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        kind = getattr(type(value), "kind", None)
        return told if kind is None else {"kind": kind, **told}
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple, frozenset, set)):
        return [plain(each) for each in value]
    return value
