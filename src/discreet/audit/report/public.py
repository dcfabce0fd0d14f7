"""The report that may be published: the method, the promises and the utility, without any secret.

Nothing of the audit gets here but what `facts` takes, field by field: no function below sees anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from discreet.attack.base import KINDS, Kind
from discreet.audit.answers import Answer
from discreet.audit.audit import Audit
from discreet.audit.report import charts
from discreet.audit.report.facts import Facts, facts
from discreet.audit.report.groups import spread_table
from discreet.audit.report.page import (
    Block,
    Card,
    Figure,
    Figures,
    Heading,
    Items,
    Level,
    Page,
    Prose,
    Section,
    Table,
    section,
)
from discreet.audit.report.shared import changes_figure, left_open, loss_figure
from discreet.audit.report.words import clipped, listed, many, number, sentence, share, value, whole_share
from discreet.audit.risk import Spread
from discreet.policy import Confidential, Crowd, Inference
from discreet.version import __version__

MOST_SMALL = 12
BANNER = (
    "This report may be published: it tells the method, the promises and the use, and nothing of single rows or cells."
)
_KINDS = {
    Inference.kind: ("limit on what can be inferred of a group", "limits on what can be inferred of groups"),
    Crowd.kind: ("promise of k-anonymity", "promises of k-anonymity"),
    Confidential.kind: ("promise about confidential cells", "promises about confidential cells"),
}
_ATTACKS: dict[Kind, str] = {
    "linkage": "who a row is",
    "inference": "what somebody's value is",
    "cells": "what a confidential cell is",
    "aware": "the same with knowledge of the method",
}


def public_page(audit: Audit) -> Page:
    """Return the report that may be published."""
    charts.altair()
    told = facts(audit)
    level, verdict = _verdict(told)
    return Page(
        title="About this release" if told.name is None else f"About {told.name}",
        subtitle=f"{_size(told)}: what was promised, how it was made, what it is good for",
        banner=BANNER,
        private=False,
        verdict=verdict,
        level=level,
        summary=tuple(_summary(told)),
        cards=tuple(_cards(told)),
        sections=(
            _promises(told),
            _made(told),
            _changes(told),
            _usefulness(told),
            left_open(told.not_covered),
            _reading(),
        ),
        made_by=f"discreet {__version__}",
    )


def _size(told: Facts) -> str:
    columns = f", {many(len(told.columns), 'column')}" if told.columns else ""
    return f"{many(told.rows, 'row')}{columns}"


def _verdict(told: Facts) -> tuple[Level, str]:
    if Answer.BROKEN in told.answers or told.truthful is Answer.BROKEN:
        return "bad", "This release does not keep what was promised."
    if Answer.NOT_CHECKABLE in told.answers:
        return "look", "Not every promise could be checked."
    if Answer.BY_LOT in told.answers:
        return "look", "Nothing is broken, but some cells are left to the lot, which promises nothing."
    return "good", "Every promise was counted again on this release, and holds."


def _summary(told: Facts) -> Iterator[str]:
    if told.truthful is Answer.HOLDS:
        yield "Every cell is the original value, something that covers it, or hidden. Nothing is invented."
    if told.attacks is None:
        yield "The release was not attacked."
    else:
        done = [_ATTACKS[kind] for kind in KINDS if kind in told.attacks]
        how = "thorough" if told.thorough else "quick"
        yield f"The owner attacked it before it was published ({how} attacks): {listed(done) or 'no attack fits'}."
    yield f"{many(len(told.not_covered), 'thing')} that no promise covers: see below."


def _cards(told: Facts) -> Iterator[Card]:
    held = sum(answer is Answer.HOLDS for answer in told.answers)
    yield Card("Promises", f"{held} of {len(told.answers)}", "hold", _verdict(told)[0])
    if told.detail is not None and told.recodes:
        yield Card("Detail", share(told.detail), "of the columns that may change is released")
    if told.recodes:
        yield Card(
            "Groups", number(told.groups), f"of rows that look alike; the smallest has {many(told.smallest, 'row')}"
        )
    hidden = sum(column.hidden for column in told.changed)
    yield Card("Hidden", number(hidden), "cells" if hidden != 1 else "cell")


def _promises(told: Facts) -> Section:
    counts = Counter(told.kinds)
    kinds = [many(count, *_KINDS[kind]) for kind, count in counts.items() if kind in _KINDS]
    lead = Prose(sentence(f"The policy has {listed(kinds)}")) if kinds else None
    return section(
        "promises", "What is promised", [lead, Items(tuple(map(sentence, told.promises))) if told.promises else None]
    )


def _made(told: Facts) -> Section:
    rows = [
        ("For", told.use or "not said"),
        ("Made by", told.method or "not said"),
        ("Columns", listed(told.columns, 40) or "not said"),
        ("May change", listed(told.changeable, 40) or "not said"),
    ]
    if told.sample is not None:
        where = "the released rows" if told.sample[1] == "sample" else "the whole table"
        rows.append(("Sample", f"{told.sample[0]} of the rows, drawn at random; k counts in {where}"))
    return section("made", "How it was made", [Table("The release", ("", ""), tuple(rows), words=frozenset({1}))])


def _changes(told: Facts) -> Section:
    rows = [("Rows released", number(told.rows))]
    if told.suppressed:
        rows.append(("Of these hidden on all columns that may change", number(told.suppressed)))
    return section(
        "changes", "What was changed where", [changes_figure(told.changed), Table("Rows", ("", "Rows"), tuple(rows))]
    )


def _usefulness(told: Facts) -> Section:
    rows = [
        ("Detail of the columns that may change that is released (1 − LM)", share(told.detail)),
        ("Groups of rows that look alike on all of them", number(told.groups)),
        ("Rows in the smallest group", number(told.smallest)),
        ("Rows in a group on average", number(round(told.average, 1))),
        *(
            (f"What the groups do not tell of {target.name} ({target.measure})", whole_share(target.released))
            for target in told.targets
        ),
    ]
    blocks: list[Block | None] = [
        Table("Groups and detail", ("", ""), tuple(rows)) if told.recodes else None,
        *(_sizes(n, limit, found) for n, (limit, found) in enumerate(told.sizes, 1)),
        loss_figure(told.losses, told.loss),
        _learned(told),
        *_shares(told),
    ]
    return section("usefulness", "What it is good for", blocks)


def _sizes(n: int, limit: str, found: Spread) -> Figure | None:
    if not sum(found.rows):
        return None
    title = f"Every row stands in a group of at least {limit} that look alike"
    small = sum(rows for end, rows in zip(found.ends, found.rows, strict=False) if end < Fraction(limit))
    if small:
        title = "How large the groups are in which the rows stand"
    spec = charts.spread(
        None, found, Fraction(limit), sizes=True, description=f"{title}. Rows by the size of their group."
    )
    return Figure(
        f"sizes-{n}",
        title,
        spec,
        spread_table(None, found, Fraction(limit), sizes=True),
        (("bar-after", "rows"), ("dashed", f"k = {limit}")),
    )


def _learned(told: Facts) -> Table | None:
    if not told.learned:
        return None
    rows = tuple(
        (
            f"{clipped(one.target)} by {clipped(one.learner)} ({one.score})",
            *map(whole_share, (one.original, one.released, one.nothing)),
        )
        for one in told.learned
    )
    return Table(
        "How well targets are learned, in whole percents",
        ("Target and learner", "Original", "Release", "No column"),
        rows,
    )


def _shares(told: Facts) -> list[Block | None]:
    figures = []
    for n, column in enumerate(told.shares[:MOST_SMALL], 1):
        rows = [("all others" if label is None else value(label), None, part) for label, part in column.shown]
        title = f"{clipped(column.name)} in the release"
        table = Table(title, ("Text", "Share"), tuple((label, share(part)) for label, _, part in rows))
        figures.append(Figure(f"values-{n}", title, charts.paired(rows, f"{title}: shares of its texts."), table))
    return [Heading("Distributions in the release"), Figures(tuple(figures))] if figures else []


def _reading() -> Section:
    rows = (
        ("Group", "Rows that look alike on all columns that may change."),
        ("Coarser", "A group of values or an interval that covers the original value."),
        ("Loss", "0% is a cell that tells its value; 100% is one that tells nothing; a group of values lies between."),
        ("CM", "The share of rows that are not of the most frequent class of their group."),
        ("RM", "The spread of a number inside the groups beside its spread among all rows."),
    )
    return section(
        "reading", "How to read this", [Table("What the words mean", ("Word", "Meaning"), rows, words=frozenset({1}))]
    )
