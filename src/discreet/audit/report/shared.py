"""Parts of a page that the owner's and the public report have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.audit.report import charts
from discreet.audit.report.page import Figure, Items, Prose, Section, Table, cut_table, section
from discreet.audit.report.words import clipped, number, sentence, share

MOST_LINES = 40
"""Lines of a chart; the table below it has more."""
MOST_ROWS = 300
"""Rows of a table; the JSON of the audit has all."""
MOST_PROMISES = 12
"""Promises that are shown with their groups or cells."""


@dataclass(frozen=True)
class Changed:
    """The cells of a column: how many tell the original, something that covers it, nothing."""

    name: str
    unchanged: int
    coarser: int
    hidden: int

    @property
    def cells(self) -> int:
        """All of them."""
        return self.unchanged + self.coarser + self.hidden


def changes_figure(columns: Sequence[Changed]) -> Figure | None:
    """Return what was changed where."""
    told = [column for column in columns if column.cells]
    if not told:
        return None
    ranked = sorted(told, key=lambda column: column.unchanged / column.cells)
    touched = [column for column in ranked if column.unchanged < column.cells]
    whole = sum(column.cells for column in told)
    kept = sum(column.unchanged for column in told)
    title = f"{share(kept / whole)} of the cells are as they were"
    if not touched:
        title = "No cell of these columns was changed"
    elif kept and len(told) > 1:
        most = touched[0]
        title += f"; {clipped(most.name)} changed most ({share(most.unchanged / most.cells)} kept)"
    lines = [
        (
            clipped(column.name),
            (column.unchanged / column.cells, column.coarser / column.cells, column.hidden / column.cells),
            f"{share(column.unchanged / column.cells)} kept",
        )
        for column in ranked[:MOST_LINES]
    ]
    table = Table(
        "Cells of each column",
        ("Column", "Unchanged", "Coarser", "Hidden", "Cells"),
        tuple(
            (clipped(column.name), *map(number, (column.unchanged, column.coarser, column.hidden, column.cells)))
            for column in ranked
        ),
    )
    description = f"{title}. Per column the shares of unchanged, coarser and hidden cells."
    return Figure(
        "changes", title, charts.stacked(lines, description),
        cut_table(table, MOST_ROWS),
        key=(("all", "as it was"), ("some", "coarser: a group, an interval"), ("none", "hidden")),
        note=more_lines(len(ranked)),
    )  # fmt: skip


def loss_figure(losses: Sequence[tuple[str, float]], mean: float | None) -> Figure | None:
    """Return how much detail each column lost."""
    if not losses:
        return None
    ranked = sorted(losses, key=lambda one: -one[1])
    name, most = ranked[0]
    average = "" if mean is None else f"; {share(mean)} on average over the columns that may change"
    title = f"{clipped(name)} lost most of its detail: {share(most)}{average}" if most else "No column lost any detail"
    table = Table(
        "Loss of each column, from 0% (all told) to 100% (nothing told)",
        ("Column", "Loss"),
        tuple((clipped(column), share(loss)) for column, loss in ranked),
    )
    lines = [(clipped(column), loss, share(loss)) for column, loss in ranked[:MOST_LINES]]
    return Figure(
        "loss", title, charts.bars(lines, charts.Axis("detail lost"), f"{title}. Loss of detail per column."),
        cut_table(table, MOST_ROWS), note=more_lines(len(ranked)),
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
    return section("not-covered", "What is not covered", [Items(tuple(map(sentence, texts)))])
