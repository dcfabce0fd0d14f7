"""Confidential cells: how many each adversary guesses, and how probable each true value is before and after."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.audit.report import charts
from discreet.audit.report.page import Block, Figure, Heading, PageTable, Prose, Section, cut_table, fold, section
from discreet.audit.report.shared import MOST_LINES, MOST_PROMISES, MOST_ROWS, more_promises
from discreet.audit.report.words import NOTHING, between, clipped, listed, many, number, sentence, share
from discreet.common.rates import Rate
from discreet.plan.rehearsed import RehearsedColumn
from discreet.verification.cell_answers import Against, Cell, CellsFound
from discreet.verification.findings import Finding

MOST_POINTS = 2000
FEW = 24
"""Cells that have a line of their own in the chart."""


def cells_section(findings: Sequence[Finding], rehearsed: Sequence[RehearsedColumn] = ()) -> Section | None:
    """Return what was found about confidential cells; None where the policy has none."""
    found = [(n, one.cells) for n, one in enumerate(findings, 1) if one.cells is not None]
    if not found:
        return None
    blocks: list[Block | None] = []
    for n, cells in found[:MOST_PROMISES]:
        blocks.append(Heading(f"Promise {n}: {clipped(cells.promise)}"))
        if cells.reason:
            blocks.append(Prose(sentence(cells.reason)))
        blocks += [_guessed(n, cells), _readings(cells)]
        blocks.append(fold("How probable each true value is", [_probable(n, cells)]))
    blocks.append(more_promises(len(found)))
    blocks += [_rehearsal(each) for each in rehearsed]
    return section("cells", "Confidential cells", blocks)


def _rehearsal(found: RehearsedColumn) -> PageTable:
    """Return what learners that know the method get right on rows without confidential cells, beside the limits."""
    head = ("Learner that knows the method", "Right", "95% interval", "Limit", "Surest fifth", "Its limit", "Passes")
    rows = [
        (each.name.replace("_", " "), share(each.right.share or 0.0), between(each.right.interval), share(each.limit),
         share(each.surest.share or 0.0), share(each.surest_limit), "yes" if each.passes else "no")
        for each in found.learners
    ]  # fmt: skip
    title = f"Rehearsal of {clipped(found.column)} on {many(found.rows, 'other row')}"
    return PageTable(title, head, tuple(rows))


def _rates(one: Against) -> tuple[Rate, Rate | None, Rate]:
    alone = None
    if one.only_hidden is not None and one.guessed_when_only_hidden is not None:
        alone = Rate(one.guessed_when_only_hidden, one.only_hidden)
    return Rate(one.guessed, one.cells), alone, Rate(one.guessed_by_prior, one.cells)


def _guessed(n: int, found: CellsFound) -> Figure | None:
    """Return how many cells each adversary guesses."""
    against = [one for one in found.against if one.cells]
    if not against:
        return None
    worst = max(against, key=lambda one: one.guessed / one.cells)
    if worst.guessed:
        title = f"{worst.adversary} guesses {worst.guessed:,} of {many(worst.cells, 'cell')}"
    else:
        title = f"No adversary that the policy names guesses any of {many(worst.cells, 'cell')}"
    lines = []
    for one in against:
        release, alone, prior = _rates(one)
        points = {"after": release.share, "hidden": None if alone is None else alone.share, "baseline": prior.share}
        said = f"{one.adversary}: {one.guessed} of {one.cells}"
        lines.append(charts.DotLine(one.adversary, points, release.interval, said))
    key = [("after", "guessed on the release, with its 95% interval"), ("baseline", "by the commonest value alone")]
    if any(one.only_hidden is not None for one in against):
        key.append(("hidden", "where the cells alone are hidden"))
    rows = []
    for one in against:
        release, alone, prior = _rates(one)
        earlier = NOTHING if alone is None else f"{number(alone.right)} of {alone.tries:,}"
        told = (number(one.cells), number(one.guessed), between(release.interval), earlier, number(prior.right))
        rows.append((one.adversary, *told))
    head = ("Adversary", "Cells", "Guessed", "95% interval", "If only hidden", "By the commonest value")
    table = PageTable("Cells that each adversary guesses", head, tuple(rows))
    spec = charts.dots(lines, charts.Axis("guessed"), f"{title}. Share of cells guessed with 95% intervals.")
    return Figure(f"guessed-{n}", title, spec, table, tuple(key))


def _readings(found: CellsFound) -> PageTable | None:
    """Return what others read in the same release, where rules are the adversary."""
    said = {
        "all": "among all rows with the conditions",
        "published": "among those whose cell is told",
        "absence": "what is not released of the row is a condition too",
        "aware": "looking at hidden cells only",
    }
    rows = [
        (f"{one.adversary}: {said.get(reading, reading)}", number(cells), number(one.cells))
        for one in found.against
        for reading, cells in (one.readings or {}).items()
    ]
    head = ("Who reads the release", "Cells that an unsafe rule leads to", "Of")
    return PageTable("The same release read otherwise", head, tuple(rows)) if rows else None


def _probable(n: int, found: CellsFound) -> Figure | None:
    """Return how probable each true value is, before (the cells alone hidden) and after."""
    cells = sorted(
        (cell for cell in found.cells if cell.probability is not None), key=lambda cell: -(cell.probability or 0.0)
    )
    if not cells:
        return None
    known = [cell for cell in cells if cell.probability_when_only_hidden is not None]
    fallen = sum(_fell(cell) for cell in known)
    if known:
        of = many(len(known), "cell and adversary", "cells and adversaries")
        title = f"The true value became less probable for {fallen:,} of {of}"
    else:
        title = f"The true value has at most probability {share(cells[0].probability)}"
    key: tuple[tuple[str, str], ...] = (("after", "on the release"), ("before", "where the cells alone are hidden"))
    if len(cells) > FEW and known:
        points = [
            (cell.probability_when_only_hidden or 0.0, cell.probability or 0.0, _name(cell))
            for cell in known[:MOST_POINTS]
        ]
        titles = ("probability where the cells alone are hidden", "probability on the release")
        spec = charts.scatter(points, titles, f"{title}. Below the diagonal it became less probable.")
        key, note = (), "Each point is a cell; below the dashed line its value became less probable."
    else:
        lines = [
            charts.DotLine(
                _name(cell),
                {"after": cell.probability, "before": cell.probability_when_only_hidden},
                _between(cell),
                f"{_name(cell)}: {share(cell.probability)}, before {share(cell.probability_when_only_hidden)}",
            )
            for cell in cells[:MOST_LINES]
        ]
        spec = charts.dots(
            lines, charts.Axis("probability of the true value"), f"{title}. Probability before and after."
        )
        note = "The probabilities are the adversaries' own; no answer rests on them."
    return Figure(f"probable-{n}", title, spec, _cell_table(found), key, note)


def _fell(cell: Cell) -> bool:
    before, after = cell.probability_when_only_hidden, cell.probability
    return before is not None and after is not None and after < before


def _between(cell: Cell) -> tuple[float, float] | None:
    before, after = cell.probability_when_only_hidden, cell.probability
    if before is None or after is None:
        return None
    return min(before, after), max(before, after)


def _name(cell: Cell) -> str:
    return f"row {cell.row:,}, {cell.adversary}"


def _cell_table(found: CellsFound) -> PageTable:
    rules = any(cell.rule is not None for cell in found.cells)
    head = ["Cell", "Answer", "Probability", "If only hidden", "Guessed if only hidden"]
    head += ["Most confident rule"] if rules else []
    rows = []
    for cell in sorted(found.cells, key=lambda cell: -(cell.probability or 0.0)):
        guessed = NOTHING if cell.guessed_when_only_hidden is None else "yes" if cell.guessed_when_only_hidden else "no"
        row = [_name(cell), "removed" if cell.removed else str(cell.answer), share(cell.probability),
               share(cell.probability_when_only_hidden), guessed]  # fmt: skip
        if rules:
            rule = cell.rule
            row.append(
                NOTHING
                if rule is None
                else f"{listed(rule.columns) or 'no condition'}: {rule.support:,} of {rule.rows:,}"
            )
        rows.append(tuple(row))
    words = frozenset({1, 4, 5})
    return cut_table(PageTable("Every confidential cell", tuple(head), tuple(rows), words=words), MOST_ROWS)
