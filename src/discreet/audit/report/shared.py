"""Parts of a page that the owner's and the public report have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.audit.report import charts
from discreet.audit.report.page import Figure, ItemList, PageTable, Prose, Section, cut_table, section
from discreet.audit.report.words import clipped, number, sentence, share

MOST_LINES = 40
"""Lines of a chart; the table below it has more."""
MOST_ROWS = 300
"""Rows of a table; the JSON of the audit has all."""
MOST_PROMISES = 12
"""Promises that are shown with their groups or cells."""


@dataclass(frozen=True)
class ChangedCells:
    """The cells of a column: how many tell the original, something that covers it, nothing."""

    name: str
    unchanged: int
    coarser: int
    hidden: int

    @property
    def cells(self) -> int:
        """All of them."""
        return self.unchanged + self.coarser + self.hidden


@dataclass(frozen=True)
class KeptWording:
    """How it is said that a cell was not made coarser: beside the original, or by the release alone."""

    head: str
    key: str
    cells: str
    all: str
    most: str
    each: str


AS_IT_WAS = KeptWording(
    "Unchanged", "as it was", "of the cells are as they were", "No cell of these columns was changed", "changed most",
    "kept",
)  # fmt: skip
ONE_VALUE = KeptWording(
    "One value", "tells one value", "of the cells tell one value", "Every cell of these columns tells one value",
    "is coarsest", "one value",
)  # fmt: skip


def changes_figure(columns: Sequence[ChangedCells], kept: KeptWording = AS_IT_WAS) -> Figure | None:
    """Return what was changed where."""
    told = [column for column in columns if column.cells]
    if not told:
        return None
    ranked = sorted(told, key=lambda column: column.unchanged / column.cells)
    touched = [column for column in ranked if column.unchanged < column.cells]
    whole = sum(column.cells for column in told)
    left = sum(column.unchanged for column in told)
    title = f"{share(left / whole)} {kept.cells}"
    if not touched:
        title = kept.all
    elif left and len(told) > 1:
        most = touched[0]
        title += f"; {clipped(most.name)} {kept.most} ({share(most.unchanged / most.cells)} {kept.each})"
    lines = [
        (
            clipped(column.name),
            (column.unchanged / column.cells, column.coarser / column.cells, column.hidden / column.cells),
            f"{share(column.unchanged / column.cells)} {kept.each}",
        )
        for column in ranked[:MOST_LINES]
    ]
    table = PageTable(
        "Cells of each column",
        ("Column", kept.head, "Coarser", "Hidden", "Cells"),
        tuple(
            (clipped(column.name), *map(number, (column.unchanged, column.coarser, column.hidden, column.cells)))
            for column in ranked
        ),
    )
    description = f"{title}. Per column the shares of cells: {kept.key}, coarser, hidden."
    return Figure(
        "changes", title, charts.stacked(lines, description),
        cut_table(table, MOST_ROWS),
        key=(("all", kept.key), ("some", "coarser: a group, an interval"), ("none", "hidden")),
        note=more_lines(len(ranked)),
    )  # fmt: skip


def more_lines(count: int) -> str | None:
    """Return how many lines a chart leaves to its table."""
    return None if count <= MOST_LINES else f"The first {MOST_LINES} of {count:,}; the others are in the table."


def more_promises(count: int) -> Prose | None:
    """Return how many promises are not shown one by one."""
    left = count - MOST_PROMISES
    return Prose(f"{left:,} more are not shown one by one; the audit as JSON has all.") if left > 0 else None


def left_open(texts: Sequence[str]) -> Section:
    """Return what nobody promised."""
    return section("not-covered", "What is not covered", [ItemList(tuple(map(sentence, texts)))])
