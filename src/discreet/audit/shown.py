"""What notebooks show of a release and its audit: verdict, promises before and after, what is kept. No cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.attack.base import KINDS
from discreet.audit.report.attacks import findings
from discreet.audit.report.words import attacked, clipped, listed, many, number, recodes, sentence, share
from discreet.common.notebook import card, items, line, rows
from discreet.common.private import AUDIT, private_line
from discreet.verification.shown import promises_table, verdict_of

if TYPE_CHECKING:
    from discreet.attack.base import Attacked
    from discreet.audit.audit import Audit


def audit_html(audit: Audit) -> str:
    """Return an audit, or a release by its audit."""
    level, verdict = verdict_of(audit.verification)
    if level == "good" and audit.attacks is not None and any(attack.leaks for attack in audit.attacks.found):
        level, verdict = "look", f"{verdict} But {attacked(audit)[0].lower()}{attacked(audit)[1:]}."
    return card(level, verdict, _parts(audit), private=private_line(AUDIT))


def _parts(audit: Audit) -> Iterator[str]:
    yield promises_table(audit.promises, audit.before)
    yield line(f"{' '.join(_kept(audit))}")
    yield _attacks(audit.attacks)
    if audit.attacks is None:
        yield line("Not attacked: release.attack(), or d.audit_release(...), says what adversaries get right.")
    yield items(many(len(audit.all_warnings), "warning"), [sentence(text) for text in audit.all_warnings])
    yield items(
        f"{many(len(audit.not_covered), 'thing')} that no promise covers", list(map(sentence, audit.not_covered))
    )


def _kept(audit: Audit) -> Iterator[str]:
    """Yield what the release has, and what was done to it."""
    yield f"{many(audit.rows, 'row')}."
    if audit.detail is not None and recodes(audit.promises):
        yield f"{share(audit.detail)} of the detail of the columns that may change is released."
    hidden = {name: cells for name, cells in audit.hidden_cells.items() if cells}
    if hidden:
        yield f"Hidden cells: {listed([f'{clipped(name)} {number(cells)}' for name, cells in hidden.items()])}."
    coarser = {name: cells for name, cells in audit.coarser_cells.items() if cells}
    if coarser:
        yield f"Coarser cells: {listed([f'{clipped(name)} {number(cells)}' for name, cells in coarser.items()])}."
    if audit.suppressed or audit.removed:
        yield f"{many(audit.suppressed, 'row')} suppressed, {number(audit.removed)} removed."


def _attacks(found: Attacked | None) -> str:
    if found is None:
        return ""
    steps = [step for kind in KINDS for step in findings([each for each in found.found if each.kind == kind])]
    return rows(("Attacks", "What it means", "What to do"), [(step.text, step.means, step.to_do) for step in steps])
