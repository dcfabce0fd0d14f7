"""The owner's report: everything the audit holds. Private, and says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.audit.report.attacks import attacks_section
from discreet.audit.report.cells import cells_section
from discreet.audit.report.groups import promises_section
from discreet.audit.report.page import Block, Code, Page, PageTable, Prose, Section, section
from discreet.audit.report.shared import ChangedCells, changes_figure, left_open
from discreet.audit.report.to_do import to_do_section
from discreet.audit.report.usefulness import usefulness_section
from discreet.audit.report.verdict import cards_of, summary_of, verdict_of
from discreet.audit.report.words import listed, many, number, sentence
from discreet.common.private import AUDIT, private_line
from discreet.policy.requirements import PROMISES
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.audit.audit import Audit

SMALL = 30_000
"""Characters of JSON that are put into the page."""


def private_page(audit: Audit) -> Page:
    """Return the report for the owner of the table."""
    name = None if audit.about is None else audit.about.name
    sections = [
        to_do_section(audit),
        attacks_section(audit.attacks),
        promises_section(audit),
        cells_section(audit.promises, audit.rehearsed),
        _changes(audit),
        usefulness_section(audit),
        left_open(audit.not_covered),
        _made(audit),
        READING,
    ]
    level, verdict = verdict_of(audit)
    return Page(
        title="Audit of a release" if name is None else f"Audit of {name}",
        subtitle=f"{many(audit.rows, 'row')}, {_columns(audit)}; for the owner of the table",
        banner=private_line(AUDIT),
        private=True,
        verdict=verdict,
        level=level,
        summary=tuple(summary_of(audit)),
        cards=tuple(cards_of(audit)),
        sections=tuple(part for part in sections if part is not None),
        made_by=f"discreet {__version__}",
    )


def _columns(audit: Audit) -> str:
    if audit.about is None:
        return many(len(audit.hidden_cells), "column that may change", "columns that may change")
    return many(len(audit.about.columns), "column")


def _changes(audit: Audit) -> Section:
    """Return what was changed where: cells by column, and rows."""
    if audit.utility is not None:
        columns = [ChangedCells(one.name, one.unchanged, one.coarser, one.hidden) for one in audit.utility.columns]
    else:
        columns = [
            ChangedCells(
                name, audit.rows - hidden - audit.coarser_cells.get(name, 0), audit.coarser_cells.get(name, 0), hidden
            )
            for name, hidden in audit.hidden_cells.items()
        ]
    persons = 0 if audit.persons is None else audit.persons.gone
    rows = {
        "Rows released": audit.rows,
        "Suppressed: hidden on all columns that may change": audit.suppressed,
        "Removed because they do not fit": audit.removed,
        "Of these drawn by lot": audit.drawn,
        "Of these with a value that the plan has not seen": audit.unseen,
        "Left out because a value is missing": audit.dropped,
    }
    told = tuple((name, number(count)) for name, count in rows.items() if count)
    blocks: list[Block | None] = [changes_figure(columns), PageTable("Rows", ("", "Rows"), told)]
    if persons and audit.persons is not None:
        all_persons = many(audit.persons.total, "person")
        blocks.append(Prose(f"{number(persons)} of {all_persons} suppressed or removed, with all their rows."))
    if audit.sample is not None:
        crowds = any(PROMISES[finding.kind].measure == "rows" for finding in audit.promises if finding.kind in PROMISES)
        blocks.append(Prose(sentence(f"Released is {audit.sample.in_words(crowds=crowds)}")))
    return section("changes", "What was changed where", blocks)


def _made(audit: Audit) -> Section:
    """Return how the release was made, and the audit itself where it is small."""
    about = audit.about
    rows: list[tuple[str, str]] = []
    if about is not None:
        rows = [
            ("Release", about.name or "not written to a file"),
            ("For", about.use),
            ("Made by", about.method or "not known"),
            ("Columns", listed(about.columns, 40)),
            ("May change", listed(about.changeable, 40) or "none"),
        ]
    text = json.dumps(audit.to_dict(), indent=1, ensure_ascii=False)
    blocks: list[Block | None] = [
        PageTable("The release", ("", ""), tuple(rows), words=frozenset({1})) if rows else None,
        Code("The audit as JSON", text)
        if len(text) <= SMALL
        else Prose("The audit as JSON has all figures: “discreet audit --json”, or audit.to_json() in Python."),
    ]
    return section("made", "How it was made", blocks)


def _explained(words: Mapping[str, str]) -> Section:
    table = PageTable(
        "What the words mean", ("Word", "Meaning"), tuple(words.items()), words=frozenset({1}), folded=True
    )
    return section("reading", "How to read this", [table])


READING = _explained(
    {
        "Before, after": "The table as it came in, and the release.",
        "Confidence": "In a group of rows that look alike: the share that has the protected value.",
        "95% interval": "Only some people were attacked. The share among all of them lies in here, if 19 of 20 such "
        "intervals are to be right. A wide interval means that few were tried.",
        "Baseline": "What is right without any help: always the commonest value, or a row picked blindly.",
        "Control": "The same attack on people who are not in the release. What is learned about them is knowledge "
        "about everybody, which a useful table gives. Only what goes beyond it is a leak.",
        "Only hidden": "The same attack on the table in which the confidential cells alone are hidden.",
        "Better than its comparison": "Better than the control, or where there is none than the baseline, by more than "
        "chance explains at 95%. Finding rows is always easier than picking them blindly: it counts only beside a "
        "control. Of 40 attacks that learn nothing, about one looks better by chance.",
        "Loss": "0% is a cell that tells its value; 100% is one that tells nothing; a group of values lies between.",
    }
)
