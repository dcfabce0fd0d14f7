"""The risk of a promise group by group: slow and plain, what `discreet.audit.risk` is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = Sequence[str | None]
Share = tuple[Fraction, int, tuple[str, ...], int]
"""Share, rows, texts and rows that have the property."""


def template(rows: Sequence[Row], value: str, hidden: Sequence[str | None]) -> list[Share]:
    """The groups of rows (the last cell is sensitive), the surest first, then the largest, then by texts."""
    groups: dict[tuple[str, ...], list[str | None]] = {}
    for row in rows:
        groups.setdefault(tuple(cell or "" for cell in row[:-1]), []).append(row[-1])
    found = []
    for texts, cells in groups.items():
        hits, known = cells.count(value), sum(cell not in hidden for cell in cells)
        found.append((Fraction(hits, known) if known else Fraction(0), len(cells), texts, hits))
    return sorted(found, key=lambda group: (-group[0], -group[1], group[2]))


def crowd(rows: Sequence[Row]) -> list[Share]:
    """The groups of rows, the smallest first."""
    groups: dict[tuple[str, ...], int] = {}
    for row in rows:
        texts = tuple(cell or "" for cell in row[:-1])
        groups[texts] = groups.get(texts, 0) + 1
    found = [(Fraction(1, size), size, texts, 1) for texts, size in groups.items()]
    return sorted(found, key=lambda group: (-group[0], -group[1], group[2]))


def above(groups: Sequence[Share], limit: Fraction) -> int:
    """The rows in groups whose share is above the limit."""
    return sum(rows for share, rows, _, _ in groups if share > limit)
