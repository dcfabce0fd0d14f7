"""The report that may be published: the method, the promises and the utility, without any secret.

It is made of public facts alone (`discreet.audit.public`): no function here sees an audit or the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from discreet.audit.public import Facts, ReleaseCounts
from discreet.audit.report import charts
from discreet.audit.report.groups import of_persons, spread_table, table_of_persons
from discreet.audit.report.page import (
    Block,
    Card,
    Figure,
    Figures,
    ItemList,
    Level,
    Page,
    PageTable,
    Prose,
    Section,
    fold,
    section,
)
from discreet.audit.report.shared import ONE_VALUE, ChangedCells, changes_figure, left_open
from discreet.audit.report.words import clipped, listed, many, number, sentence, share, value, whole_share
from discreet.audit.risk import RiskSpread
from discreet.common.wording import in_persons
from discreet.policy import Confidential
from discreet.policy.requirements import PROMISES
from discreet.verification.answers import Answer
from discreet.version import __version__

MOST_SMALL = 12
BANNER = (
    "This report may be published: it tells the method, the promises and the use, and nothing of single rows or cells."
)
_KINDS = {
    **{kind: promise.words.public for kind, promise in PROMISES.items()},
    Confidential.kind: ("promise about confidential cells", "promises about confidential cells"),
}

_BY_SIZE = next(promise for promise in PROMISES.values() if promise.measure == "rows")


def public_page(told: Facts) -> Page:
    """Return the report that may be published."""
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
            left_open(told.terms.not_covered),
            _reading(),
        ),
        made_by=f"discreet {__version__}",
    )


def _size(told: Facts) -> str:
    return f"{many(told.rows, 'row')}, {many(len(told.columns), 'column')}"


def _verdict(told: Facts) -> tuple[Level, str]:
    """Say what a release that discreet made always keeps, and of another one what it shows itself."""
    if told.terms.method is not None:
        if told.terms.lots:
            return "look", "Nothing is broken, but cells may be left to the lot, which promises nothing."
        return "good", "Every promise was counted again on this release, and holds."
    answers = () if told.counted is None else told.counted.answers
    if Answer.BROKEN in answers:
        return "bad", "This release does not keep what was promised."
    if not answers or Answer.NOT_CHECKABLE in answers:
        return "look", "Not every promise can be checked by the release alone."
    return "good", "Every promise was counted again on this release, and holds."


def _summary(told: Facts) -> Iterator[str]:
    if told.terms.method is not None:
        yield "Every cell is the original value, something that covers it, or hidden. Nothing is invented."
    if told.attacked is None:
        yield "The release was not attacked."
    else:
        yield f"The owner attacked it before it was published ({told.attacked} attacks)."
    yield f"{many(len(told.terms.not_covered), 'thing')} that no promise covers: see below."


def _cards(told: Facts) -> Iterator[Card]:
    every = len(told.terms.kinds)
    held = every
    if told.terms.method is None:
        held = 0 if told.counted is None else sum(answer is Answer.HOLDS for answer in told.counted.answers)
    yield Card("Promises", f"{held} of {every}", "hold", _verdict(told)[0])
    if told.counted is None:
        return
    if told.terms.recodes:
        smallest = many(told.counted.smallest, "row")
        yield Card("Groups", number(told.counted.groups), f"of rows that look alike; the smallest has {smallest}")
    hidden = sum(column.hidden for column in told.counted.told)
    yield Card("Hidden", number(hidden), "cells" if hidden != 1 else "cell")


def _promises(told: Facts) -> Section:
    counts = Counter(told.terms.kinds)
    kinds = [many(count, *_KINDS[kind]) for kind, count in counts.items() if kind in _KINDS]
    lead = Prose(sentence(f"The policy has {listed(kinds)}")) if kinds else None
    said = told.terms.promises
    return section("promises", "What is promised", [lead, ItemList(tuple(map(sentence, said))) if said else None])


def _made(told: Facts) -> Section:
    rows = [
        ("For", told.terms.use),
        ("Made by", told.terms.method or "not said"),
        ("Columns", listed(told.columns, 40)),
        ("May change", listed(told.terms.changeable, 40) or "none"),
    ]
    if told.terms.sample is not None:
        drawn, k_on, by = told.terms.sample
        noun = "persons" if told.terms.persons else "rows"
        where = f"the released {noun}" if k_on == "sample" else "the whole table"
        strata = f" from each {' and '.join(by)}" if by else ""
        rows.append(("Sample", f"{drawn} of the {noun}, drawn at random{strata}; k counts in {where}"))
    if told.terms.shuffled and told.terms.method is not None:
        rows.append(("Order", "the rows are in an order drawn at random"))
    return section("made", "How it was made", [PageTable("The release", ("", ""), tuple(rows), words=frozenset({1}))])


def _changes(told: Facts) -> Section:
    rows = [("Rows released", number(told.rows))]
    if told.counted is None:
        return section("changes", "How much is told", [PageTable("Rows", ("", "Rows"), tuple(rows)), _unmeasured()])
    if told.counted.masked:
        rows.append(("Of these hidden on all columns that may change", number(told.counted.masked)))
    columns = [ChangedCells(one.name, one.one, one.several, one.hidden) for one in told.counted.told]
    blocks = [changes_figure(columns, ONE_VALUE), PageTable("Rows", ("", "Rows"), tuple(rows))]
    return section("changes", "How much is told", blocks)


def _unmeasured() -> Prose:
    return Prose("Not measured: a report of “discreet audit” has more.")


def _usefulness(told: Facts) -> Section:
    if told.counted is None:
        return section("usefulness", "What it is good for", [_unmeasured()])
    counted = told.counted
    rows = [
        ("Groups of rows that look alike on all columns that may change", number(counted.groups)),
        ("Rows in the smallest group", number(counted.smallest)),
        ("Rows in a group on average", number(round(counted.average, 1))),
        *(
            (f"What the groups do not tell of {target.name} ({target.measure})", whole_share(target.figure))
            for target in counted.targets
        ),
    ]
    blocks: list[Block | None] = [
        PageTable("Groups", ("", ""), tuple(rows)) if told.terms.recodes else None,
        *(_sizes(n, k, found, persons=told.terms.persons) for n, (k, found) in enumerate(counted.sizes, 1)),
        _learned(told),
        *_shares(counted),
    ]
    return section("usefulness", "What it is good for", blocks)


def _sizes(n: int, k: int, found: RiskSpread, *, persons: bool) -> Figure | None:
    """Return how large the groups are in which rows stand or, where a token tells whose they are, persons."""
    if not sum(found.rows):
        return None
    title = f"Every row stands in a group of at least {k} that look alike"
    small = sum(rows for end, rows in zip(found.ends, found.rows, strict=False) if end < k)
    if small:
        title = "How large the groups are in which the rows stand"
    spec = charts.spread(None, found, Fraction(k), _BY_SIZE, description=f"{title}. Rows by the size of their group.")
    table = spread_table(None, found, Fraction(k), _BY_SIZE)
    if persons:
        title, spec, table = in_persons(title), of_persons(spec), table_of_persons(table)
    key = (("bar-after", "persons" if persons else "rows"), ("dashed", f"k = {k}"))
    return Figure(f"sizes-{n}", title, spec, table, key)


def _learned(told: Facts) -> PageTable | None:
    if not told.learned:
        return None
    rows = tuple(
        (
            f"{clipped(one.target)} by {clipped(one.learner)} ({one.score})",
            *map(whole_share, (one.original, one.released, one.nothing)),
        )
        for one in told.learned
    )
    return PageTable(
        "How well targets are learned, in whole percents",
        ("Target and learner", "Original", "Release", "No column"),
        rows,
    )


def _shares(counted: ReleaseCounts) -> list[Block | None]:
    figures = []
    for n, column in enumerate(counted.shares[:MOST_SMALL], 1):
        rows = [("all others" if one.label is None else value(one.label), None, one.share) for one in column.shown]
        title = f"{clipped(column.name)} in the release"
        table = PageTable(title, ("Text", "Share"), tuple((label, share(part)) for label, _, part in rows))
        figures.append(Figure(f"values-{n}", title, charts.paired(rows, f"{title}: shares of its texts."), table))
    return [fold("The values of each column in the release", [Figures(tuple(figures))])] if figures else []


def _reading() -> Section:
    rows = (
        ("Group", "Rows that look alike on all columns that may change; rows hidden on all of them are one, too."),
        ("Coarser", "A group of values or an interval that covers the original value; a median stands for one."),
        ("CM", "The share of released rows that are not of the most frequent class of their group."),
        ("RM", "The spread of a number inside the groups beside its spread among all released rows."),
    )
    return section(
        "reading",
        "How to read this",
        [PageTable("What the words mean", ("Word", "Meaning"), rows, words=frozenset({1}), folded=True)],
    )
