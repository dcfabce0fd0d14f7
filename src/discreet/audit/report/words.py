"""Figures and values as people read them in a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING

from discreet.common.shares import short_percent
from discreet.common.wording import in_persons
from discreet.policy import Confidential
from discreet.policy.requirements import PROMISES
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding, Worst

if TYPE_CHECKING:
    from discreet.attack.base import Attack
    from discreet.audit.audit import Audit

LONGEST = 120
"""Characters of a value that are shown."""
NOTHING = "–"
"""What stands where there is no figure."""


def share(value: float | Fraction | None) -> str:
    """Return a share as a percentage; what is not exactly 0 or 1 is never shown as such.

    >>> [share(x) for x in (0, 0.0004, 0.125, 0.5, 0.99999, 1, None)]
    ['0%', '<0.1%', '12.5%', '50%', '>99.9%', '100%', '–']
    """
    if value is None or not isfinite(value):
        return NOTHING
    return short_percent(value)


def whole_share(value: float) -> str:
    """Return a share in whole percents, for the public.

    >>> whole_share(0.1349)
    '13%'
    """
    return f"{value:.0%}" if isfinite(value) else NOTHING


def number(value: float | int | None) -> str:
    """Return a number with separators, and no more digits than are read.

    >>> number(30162), number(0.12345), number(2.0), number(None)
    ('30,162', '0.123', '2', '–')
    """
    if value is None or not isfinite(value):
        return NOTHING
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.3f}".rstrip("0").rstrip(".") if abs(value) >= 0.001 else f"{value:.1e}"


def many(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun.

    >>> many(1, "row"), many(1200, "row"), many(2, "is", "are")
    ('1 row', '1,200 rows', '2 are')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def between(ends: Sequence[float]) -> str:
    """Return an interval of shares.

    >>> between((0.125, 0.5))
    '12.5% to 50%'
    """
    return f"{share(ends[0])} to {share(ends[1])}"


def listed(texts: Iterable[str], most: int = 12) -> str:
    """Return some texts, the rest only counted.

    >>> listed(["a", "b"]), listed("abcd", 2)
    ('a, b', 'a, b and 2 more')
    """
    every = list(texts)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(clipped(text) for text in every[:most]) + more


def clipped(text: str) -> str:
    """Return a text that is not too long to be shown."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def value(text: str | None) -> str:
    """Return a value of the table; a missing or blank one is named.

    >>> value(None), value(""), value(" x"), value("x")
    ('(missing)', '(empty)', '“ x”', 'x')
    """
    if text is None:
        return "(missing)"
    if not text:
        return "(empty)"
    return clipped(text) if text.strip() == text else f"“{clipped(text)}”"


def sentence(text: str) -> str:
    """Return a text as a sentence.

    >>> sentence("what is left open"), sentence("protect[0]: too few")
    ('What is left open.', 'protect[0]: too few.')
    """
    text = text.strip()
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    named = not text.partition(" ")[0].isalpha()
    return ended if named else ended[:1].upper() + ended[1:]


def stand(worst: Worst | None) -> str:
    """Return how a promise stands in its worst group."""
    if worst is None:
        return NOTHING
    said = PROMISES[worst.kind].stands(worst)
    return in_persons(said) if worst.persons else said


def limit(worst: Worst | None) -> str:
    """Return what a promise allows."""
    if worst is None:
        return NOTHING
    said = PROMISES[worst.kind].allows(worst.limit)
    return in_persons(said) if worst.persons else said


def compared(attack: Attack) -> str:
    """Return in words whether an attack does better than what it is compared with."""
    if attack.released.share is None:
        return "nothing to attack"
    if attack.beside is None:
        return "nothing to compare with"
    who = "the control" if attack.control is not None else "the baseline"
    if attack.kind == "linkage" and attack.control is None:
        who = "picking blindly"
    return f"better than {who}" if attack.better else f"not better than {who}"


def recodes(findings: Sequence[Finding]) -> bool:
    """Whether some promise is about groups, for which whole columns are made coarser."""
    return any(finding.kind != Confidential.kind for finding in findings)


def kept_promises(findings: Sequence[Finding]) -> str:
    """Return how many promises hold.

    >>> kept_promises([])
    'There is no promise'
    """
    if not findings:
        return "There is no promise"
    counts = {answer: sum(finding.answer is answer for finding in findings) for answer in Answer}
    total = len(findings)
    if counts[Answer.HOLDS] == total:
        return "The promise holds" if total == 1 else f"All {total} promises hold"
    said = {
        Answer.BROKEN: ("is broken", "are broken"),
        Answer.NOT_CHECKABLE: ("cannot be checked", "cannot be checked"),
        Answer.BY_LOT: ("is left to the lot", "are left to the lot"),
    }
    parts = [
        f"{counts[answer]} {many(counts[answer], *words).split(' ', 1)[1]}"
        for answer, words in said.items()
        if counts[answer]
    ]
    return f"Of {many(total, 'promise')} {' and '.join(parts)}"


def attacked(audit: Audit) -> str:
    """Return how the attacks went."""
    if audit.attacks is None:
        return "Not attacked: run “discreet audit”"
    tried = [attack for attack in audit.attacks.found if attack.released.share is not None]
    if not tried:
        return "No attack was possible"
    more = sum(attack.leaks for attack in tried)
    if not more:
        alone = len(tried) == 1
        return (
            "The attack does no better than its comparison"
            if alone
            else f"None of {len(tried)} attacks does better than its comparison"
        )
    does = "does better than its" if more == 1 else "do better than their"
    return f"{more} of {many(len(tried), 'attack')} {does} comparison"
