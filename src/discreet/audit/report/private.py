"""The owner's report: everything the audit holds. Private, and says so."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from discreet.audit.report import charts
from discreet.audit.report.attacks import attacks_section
from discreet.audit.report.cells import cells_section
from discreet.audit.report.groups import promises_section
from discreet.audit.report.page import Block, Card, Code, Level, Page, PageTable, Prose, Section, section
from discreet.audit.report.shared import ChangedCells, changes_figure, left_open
from discreet.audit.report.to_do import to_do_section
from discreet.audit.report.usefulness import usefulness_section
from discreet.audit.report.words import attacked, kept_promises, listed, many, number, recodes, sentence, share
from discreet.common.private import AUDIT, private_line
from discreet.policy.requirements import PROMISES
from discreet.verification.answers import Answer
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.audit.audit import Audit

SMALL = 30_000
"""Characters of JSON that are put into the page."""


@charts.unchecked
def private_page(audit: Audit) -> Page:
    """Return the report for the owner of the table."""
    name = None if audit.about is None else audit.about.name
    sections = [
        to_do_section(audit),
        attacks_section(audit.attacks),
        promises_section(audit),
        cells_section(audit.promises),
        _changes(audit),
        usefulness_section(audit),
        left_open(audit.not_covered),
        _made(audit),
        READING,
    ]
    level, verdict = _verdict(audit)
    return Page(
        title="Audit of a release" if name is None else f"Audit of {name}",
        subtitle=f"{many(audit.rows, 'row')}, {_columns(audit)}; for the owner of the table",
        banner=private_line(AUDIT),
        private=True,
        verdict=verdict,
        level=level,
        summary=tuple(_summary(audit)),
        cards=tuple(_cards(audit)),
        sections=tuple(part for part in sections if part is not None),
        made_by=f"discreet {__version__}",
    )


def _columns(audit: Audit) -> str:
    if audit.about is None:
        return many(len(audit.hidden_cells), "column that may change", "columns that may change")
    return many(len(audit.about.columns), "column")


def _verdict(audit: Audit) -> tuple[Level, str]:
    """Return how things stand in one line."""
    found = audit.verification
    if not found.holds:
        if any(finding.answer is Answer.BROKEN for finding in found.requirements):
            return "bad", "Do not publish: a promise is broken."
        if found.truthful.answer is Answer.BROKEN:
            return "bad", "Do not publish: the release is not true to the original."
        return "bad", "Do not publish yet: a promise could not be checked."
    if any(finding.answer is Answer.BY_LOT for finding in found.requirements):
        return "look", "Nothing is broken, but some cells are left to the lot, which promises nothing."
    if audit.attacks is None:
        if audit.all_warnings:
            return "look", "Every promise holds, but the release was not attacked; see what to do."
        return "good", "Every promise holds. The release was not attacked."
    if any(attack.leaks for attack in audit.attacks.found):
        return (
            "look",
            "Every promise holds, but some attacks learn more than they should: see what to do.",
        )
    if audit.all_warnings:
        return "look", "Every promise holds and no attack stands out; a few things are worth a look."
    return "good", "Every promise holds, and no attack learns more than it would about anybody."


def _summary(audit: Audit) -> Iterator[str]:
    """Yield what a director reads."""
    yield f"{kept_promises(audit.promises)}."
    if audit.attacks is None:
        yield f"{attacked(audit)} to see what adversaries get right."
    else:
        thorough = "thorough" if audit.attacks.thorough else "quick"
        yield f"{attacked(audit)} ({thorough} attacks in {number(round(audit.attacks.seconds, 1))} seconds)."
    truth = {
        Answer.HOLDS: "Every released cell is the original, something that covers it, or hidden.",
        Answer.BROKEN: "The release is not true to the original: see below.",
    }
    yield truth.get(
        audit.verification.truthful.answer, "Whether every cell is true was not checked: that needs the original."
    )
    warned = len(audit.all_warnings)
    open_ = many(len(audit.not_covered), "thing")
    yield f"{many(warned, 'warning') if warned else 'No warning'}, and {open_} that no promise covers."


def _cards(audit: Audit) -> Iterator[Card]:
    answers = [finding.answer for finding in audit.promises]
    held = sum(answer is Answer.HOLDS for answer in answers)
    level: Level = "good" if held == len(answers) else "bad" if Answer.BROKEN in answers else "look"
    yield Card("Promises", f"{held} of {len(answers)}", "hold", level)
    if audit.attacks is None:
        yield Card("Attacks", "none", "run “discreet audit”", "look")
    else:
        tried = [attack for attack in audit.attacks.found if attack.released.share is not None]
        better = sum(attack.leaks for attack in tried)
        yield Card(
            "Attacks", f"{better} of {len(tried)}", "do better than their comparison", "look" if better else "good"
        )
    if not recodes(audit.promises):
        pass  # single cells alone: no column is made coarser
    elif audit.detail is not None:
        yield Card("Detail", share(audit.detail), "of the columns that may change is released")
    elif audit.utility is not None:
        yield Card("Detail", share(1 - audit.utility.loss), "of the columns that may change is released")
    hidden = sum(audit.hidden_cells.values())
    gone = audit.suppressed + audit.removed
    gone, noun = (gone, "row") if audit.persons is None else (audit.persons.gone, "person")
    rows = f"; {many(gone, noun)} suppressed or removed" if gone else ""
    yield Card("Hidden", number(hidden), f"{'cell' if hidden == 1 else 'cells'}{rows}")


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
