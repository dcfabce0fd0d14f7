"""What the release is still good for: groups, targets, columns, pairs of columns, distributions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from discreet.audit.report import charts
from discreet.audit.report.page import (
    Block,
    Figure,
    Figures,
    Heading,
    PageTable,
    Prose,
    Section,
    cut_table,
    fold,
    section,
)
from discreet.audit.report.shared import MOST_LINES, MOST_ROWS, more_lines
from discreet.audit.report.words import NOTHING, clipped, listed, number, recodes, sentence, share, value
from discreet.measure.cells import CellMeasures
from discreet.measure.learning import LearnedTarget
from discreet.measure.usefulness import Usefulness
from discreet.measure.utility import ColumnKept, PairKept, Utility

if TYPE_CHECKING:
    from discreet.audit.audit import Audit

MOST_PAIRS = 15
MOST_SMALL = 12
"""Columns whose distributions are drawn."""


def usefulness_section(audit: Audit) -> Section:
    """Return all figures of utility."""
    found = audit.utility
    blocks: list[Block | None] = [_figures(audit), _targets(audit.usefulness)]
    if found is None:
        blocks.append(Prose("Columns, pairs of columns and learned targets were not measured: run “discreet audit”."))
    else:
        blocks += utility_blocks(found)
    blocks += _of_cells(audit.cells)
    return section("usefulness", "What it is still good for", blocks)


def utility_blocks(found: Utility) -> list[Block | None]:
    """Return what is kept of columns and pairs of them, and how well targets are learned."""
    learned = [learned_figure(found.learned, score) for score in dict.fromkeys(one.score for one in found.learned)]
    loss = _loss([(column.name, column.loss) for column in found.columns], found.loss)
    notes = [Prose(sentence(note)) for note in found.notes]
    return [
        *learned,
        fold("The detail that each column lost", [loss]),
        fold("What pairs of columns still tell of each other", [_pairs(found)]),
        fold("The values of each column, original and release side by side", _distributions(found.columns)),
        *notes,
    ]


def _loss(losses: Sequence[tuple[str, float]], mean: float) -> Figure | None:
    """Return how much detail each column lost."""
    if not losses:
        return None
    ranked = sorted(losses, key=lambda one: -one[1])
    name, most = ranked[0]
    average = f"; {share(mean)} on average over the columns that may change"
    title = f"{clipped(name)} lost most of its detail: {share(most)}{average}" if most else "No column lost any detail"
    table = PageTable(
        "Loss of each column, from 0% (all told) to 100% (nothing told)",
        ("Column", "Loss"),
        tuple((clipped(column), share(loss)) for column, loss in ranked),
    )
    lines = [(clipped(column), loss, share(loss)) for column, loss in ranked[:MOST_LINES]]
    return Figure(
        "loss", title, charts.bars(lines, charts.Axis("detail lost"), f"{title}. Loss of detail per column."),
        cut_table(table, MOST_ROWS), note=more_lines(len(ranked)),
    )  # fmt: skip


def _figures(audit: Audit) -> PageTable | None:
    if not recodes(audit.promises):
        return None
    use = audit.usefulness
    rows = [
        ("Detail of the columns that may change that is released (1 − LM)", share(audit.detail)),
        *(
            []
            if audit.bound is None
            else [("Of what the cut costs, the share that no cut goes below", share(audit.bound))]
        ),
        ("Groups of rows that look alike on all of them", number(use.groups)),
        ("Rows in the smallest group", number(use.smallest)),
        ("Rows in a group on average", number(use.average)),
        ("Discernibility: for each row those it cannot be told from, summed", number(use.discernibility)),
    ]
    return PageTable("Groups and detail", ("", ""), tuple(rows))


def _targets(use: Usefulness) -> PageTable | None:
    rows = tuple(
        (
            f"{told.target} ({told.measure}{', by the costs of the use' if told.costs else ''})",
            *map(number, (told.original, told.released, told.nothing)),
        )
        for told in use.targets
    )
    head = ("Target", "Original", "Release", "No column")
    return PageTable("What the groups tell of each target: 0 is all, lower is better", head, rows) if rows else None


def learned_figure(every: Sequence[LearnedTarget], score: str) -> Figure:
    """Return how well targets are learned from the original, the release, and without the protected columns."""
    found = [one for one in every if one.score == score]
    title = _learned_title(found, score)
    lines = [
        charts.DotLine(
            f"{clipped(one.target)} by {clipped(one.learner)}",
            {"after": one.released, "before": one.original, "hidden": one.without, "baseline": one.nothing},
            (min(one.original, one.released), max(one.original, one.released)),
            f"{one.learner}: release {share(one.released)}, original {share(one.original)}",
        )
        for one in found
    ]
    key = [("after", "learned from the release"), ("before", "from the original")]
    if any(one.without is not None for one in found):
        key.append(("hidden", "from the release without the protected columns"))
    key.append(("baseline", "without any column"))
    head = (
        "Target and learner",
        "Original",
        "Release",
        "Without protected columns",
        "No column",
        "Rows scored",
        "Without",
    )
    rows = tuple(
        (
            f"{clipped(one.target)} by {clipped(one.learner)}",
            *map(share, (one.original, one.released, one.without, one.nothing)),
            number(one.rows),
            listed(one.without_columns) or NOTHING,
        )
        for one in found
    )
    table = PageTable(f"{sentence(score)[:-1]} on rows that did not train", head, rows, words=frozenset({6}))
    lowest = min((x for line in lines for x in line.points.values() if x is not None), default=0.0)
    axis = charts.Axis(score) if lowest >= 0 else charts.Axis(score, end=None, start=None)
    return Figure(
        f"learned-{_slug(score)}", title, charts.dots(lines, axis, f"{title}. {sentence(score)}"), table, tuple(key)
    )


def _slug(text: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text.lower())


def higher_is_better(score: str) -> bool:
    """Whether a score is one that should be high: all but errors."""
    return "error" not in score.lower()


def _learned_title(found: Sequence[LearnedTarget], score: str) -> str:
    worse = [
        (one.original - one.released) if higher_is_better(score) else (one.released - one.original) for one in found
    ]
    most = max(range(len(found)), key=lambda i: worse[i])
    one, cost = found[most], worse[most]
    if cost <= 0:
        return f"{clipped(one.target)} is learned as well from the release as from the original"
    points = f"{cost * 100:.1f}".removesuffix(".0")
    return f"{clipped(one.target)} is learned at most {points} percentage points worse than from the original"


def _pairs(found: Utility) -> Figure | None:
    """Return what pairs of columns tell of each other, before and after."""
    if not found.pairs:
        return None
    ranked = sorted(found.pairs, key=lambda pair: -max(pair.original, pair.released))
    before, after = sum(pair.original for pair in ranked), sum(pair.released for pair in ranked)
    kept = f"{share(after / before)} of what" if before > 0 and after <= before else "What"
    title = (
        f"{kept} pairs of columns tell of each other is kept"
        if before > 0 and after <= before
        else "Pairs of columns tell of each other at least as much as before"
    )
    lines = [
        charts.DotLine(
            _pair(pair),
            {"before": pair.original, "after": pair.released},
            (min(pair.original, pair.released), max(pair.original, pair.released)),
            f"{_pair(pair)}: {number(pair.original)} bits before, {number(pair.released)} after",
        )
        for pair in ranked[:MOST_PAIRS]
    ]
    table = PageTable(
        "Mutual information in bits",
        ("Columns", "Before", "After"),
        tuple((_pair(pair), number(pair.original), number(pair.released)) for pair in ranked),
    )
    left = max(found.of_pairs - len(ranked), 0)
    note = (
        f"The {MOST_PAIRS} strongest of {len(ranked):,} pairs; the others are in the table."
        if len(ranked) > MOST_PAIRS
        else ""
    )
    note += f" {left:,} pairs were not measured." if left else ""
    spec = charts.dots(lines, charts.Axis("bits", "~g", None), f"{title}. Mutual information before and after.")
    return Figure(
        "pairs",
        title,
        spec,
        cut_table(table, MOST_ROWS),
        (("before", "before"), ("after", "after")),
        note.strip() or None,
    )


def _pair(pair: PairKept) -> str:
    return f"{clipped(pair.one)} and {clipped(pair.other)}"


def _distributions(columns: Sequence[ColumnKept]) -> list[Block | None]:
    """Return the distributions of the columns that changed most, original and release side by side."""
    drawn = sorted((one for one in columns if one.bars), key=lambda one: -_distance(one))
    if not drawn:
        return []
    figures = []
    for n, column in enumerate(drawn[:MOST_SMALL], 1):
        told = [
            ("all others" if bar.label is None else value(bar.label), bar.original, bar.released) for bar in column.bars
        ]
        title = f"{clipped(column.name)}: {_moved(column)}"
        table = PageTable(
            f"Shares of the known cells of {clipped(column.name)}",
            ("Value", "Original", "Release"),
            tuple((label, share(before), share(after)) for label, before, after in told),
        )
        figures.append(Figure(f"values-{n}", title, charts.paired(told, f"{title}. Shares of its values."), table))
    key = (("bar-thick", "release"), ("bar-thin", "original"))
    rest = [column.name for column in drawn[MOST_SMALL:]]
    more = Prose(f"Not drawn because they changed less: {listed(rest, 40)}.") if rest else None
    return [Figures(tuple(figures), key), more, _columns_table(columns)]


def _distance(column: ColumnKept) -> float:
    return column.distance if column.distance is not None and isfinite(column.distance) else 0.0


def _moved(column: ColumnKept) -> str:
    distance = column.distance
    if distance is None:
        return "nothing is told of it any more" if column.hidden == column.cells else "not comparable"
    return "distributed as before" if distance < 0.0005 else f"{share(distance)} of its shares moved"


def _columns_table(columns: Sequence[ColumnKept]) -> PageTable:
    head = ("Column", "Values before", "Texts released", "Loss", "Distance")
    rows = tuple(
        (clipped(one.name), number(one.values), number(one.texts), share(one.loss), share(one.distance))
        for one in columns
    )
    return cut_table(PageTable("All columns", head, rows, folded=True), MOST_ROWS)


def _of_cells(cost: CellMeasures | None) -> list[Block | None]:
    """Return what the edits for confidential cells cost."""
    if cost is None:
        return []
    rows = [
        ("Changed cells (direct distance)", number(cost.dd)),
        (
            "Distance of the values from the original (SKLD)",
            number(cost.skld) if isfinite(cost.skld) else "infinite: a value is not released any more",
        ),
        ("Original mutual information divided by the released (ACMI), average of the pairs", number(cost.acmi)),
        ("Pairs that lost all of it", number(cost.acmi_infinite)),
        ("Change of mutual information, average of the pairs", number(cost.mutual_information_change)),
        ("What is uncertain of the original values (SCE)", number(cost.sce)),
        ("Columns that could be edited", number(cost.columns)),
        ("Pairs looked at", f"{cost.pairs:,} of {cost.of_pairs:,}"),
    ]
    removal = [
        (
            f"Promise {one.requirement + 1}",
            *map(number, (one.hidden, one.confidential, one.decoys, one.gap, one.cells)),
            share(one.hidden / one.cells if one.cells else 0.0),
        )
        for one in cost.removal
    ]
    head = ("Requirement", "Hidden", "Confidential", "Decoys", "Too many at most", "Of cells", "Removal rate")
    return [
        Heading("What protecting single cells cost"),
        PageTable("Edits", ("", ""), tuple(rows)),
        PageTable("Hidden against association rules", head, tuple(removal)) if removal else None,
    ]
