"""Blind decisions, slowly and from the specification alone: the last section of the one on blind protection.

Steps are decided by k and the use; the secrets are not even handed over. Then the templates are asked once about the
whole table; on no, the next k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.reference.disclosure import KAnonymity, Outcome, Template, Unsatisfiable, disclose


@dataclass(frozen=True)
class BlindOutcome:
    """The first k that did, and what was disclosed with it."""

    k: int
    outcome: Outcome


def decide(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    templates: Sequence[Template],
    ks: Sequence[int],
    *,
    target: str | None = None,
) -> BlindOutcome | None:
    """Return the first release by k that keeps every template; None if there is none."""
    secrets = {template.column for template in templates}
    public = [name for name in columns if name not in secrets]
    blind = [[cell for name, cell in zip(columns, row, strict=True) if name not in secrets] for row in rows]
    for k in ks:
        crowds = [KAnonymity(template.given, k) for template in templates]
        try:
            found = disclose(public, blind, crowds, use="classify" if target else "counts", target=target)
        except Unsatisfiable:
            return None
        if all(_keeps(columns, rows, template, found) for template in templates):
            return BlindOutcome(k, found)
    return None


def _keeps(columns: Sequence[str], rows: Sequence[Sequence[str]], template: Template, found: Outcome) -> bool:
    """Whether in every group of rows that look alike few enough have the value."""
    groups: dict[tuple[object, ...], list[bool]] = {}
    for row in rows:
        cells = dict(zip(columns, row, strict=True))
        alike = tuple(None if cells[name] in found.suppressed.get(name, ()) else cells[name] for name in template.given)
        groups.setdefault(alike, []).append(cells[template.column] == template.value)
    return all(Fraction(sum(hits), len(hits)) <= template.at_most for hits in groups.values())
