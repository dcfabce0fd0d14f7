"""What adversaries get right, beside what anybody gets right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from discreet.attack.base import KINDS, Attack, Attacked, Kind
from discreet.audit.report import charts
from discreet.audit.report.attack_words import RIGHT, figures_said, meaning, remedy
from discreet.audit.report.charts import Axis, DotLine
from discreet.audit.report.page import (
    Block,
    Figure,
    Fold,
    Heading,
    ItemList,
    Level,
    PageStep,
    PageTable,
    Prose,
    Section,
    StepList,
    cut_table,
    fold,
    section,
)
from discreet.audit.report.remedies import remedy_of
from discreet.audit.report.shared import MOST_LINES, MOST_ROWS
from discreet.audit.report.words import between, clipped, compared, listed, many, number, sentence, share
from discreet.common.rates import Rate

_WHAT: dict[Kind, str] = {
    "linkage": "Which row is whose",
    "inference": "What somebody's value is",
    "cells": "What a confidential cell is",
    "aware": "The adversary who knows the method",
}
MOST_LEAKS = 3
"""Attacks on one column that are drawn because they stand out, besides the best one."""
_MARKS = (
    ("after", "released", "on the release, with its 95% interval"),
    ("baseline", "baseline", "baseline: without any help"),
    ("control", "control", "control: people who are not in the release"),
    ("hidden", "only_hidden", "where the cells alone are hidden"),
    ("before", "original", "on the original table"),
)


Draw = Callable[[Sequence[DotLine], Axis, str], Mapping[str, object]]
"""Draws lines of dots along an axis, with a description."""


def attacks_section(attacked: Attacked | None, draw: Draw = charts.dots) -> Section:
    """Return all attacks, by what they are after: the best ones first, each with what it means and what to do."""
    if attacked is None:
        how = "run “discreet audit” with the release, the original and the policy"
        return section("attacks", "Attacks", [Prose(f"Not attacked: {how} to see what adversaries get right.")])
    how = "Thorough attacks" if attacked.thorough else "Quick attacks"
    lead = f"{how} on at most {many(attacked.victims, 'person or cell', 'people or cells')} each, drawn at random."
    blocks: list[Block | None] = [Prose(lead)]
    numbered = list(enumerate(attacked.found, 1))
    for kind in KINDS:
        found = [(n, attack) for n, attack in numbered if attack.kind == kind]
        if found:
            blocks += [Heading(_WHAT[kind]), StepList(tuple(findings([attack for _, attack in found])))]
            blocks += [_figure(kind, found, draw), _each(found)]
    if attacked.skipped:
        blocks.append(Prose(f"There was no time for: {listed(attacked.skipped, 40)}."))
    if not attacked.found:
        blocks.append(Prose("No attack makes sense on this release."))
    notes = tuple(map(sentence, attacked.notes))
    blocks.append(fold("How the attacks were made", [ItemList(notes)] if notes else []))
    return section("attacks", "Attacks", blocks)


def findings(attacks: Sequence[Attack], *, leaking: bool = False) -> Iterator[PageStep]:
    """Yield what attacks of one kind found, column by column: the best one with what it means and what to do.

    Where `leaking`, only what was found by attacks that learn more than they should.
    """
    for target in dict.fromkeys(attack.target for attack in attacks):
        tried = [each for each in attacks if each.target == target and each.released.share is not None]
        leaks = [attack for attack in tried if attack.leaks]
        if not tried or (leaking and not leaks):
            continue
        best = max(leaks or tried, key=lambda attack: attack.released.share or 0.0)
        level: Level = "look" if leaks or best.warnings else "good"
        do = remedy_of(best)
        yield PageStep(_stands(tried, best, len(leaks)), level, meaning(best), do.words, do)


def _stands(tried: Sequence[Attack], best: Attack, leaks: int) -> str:
    about = "" if best.target is None else f"{clipped(best.target)}: "
    said = f"at best {share(best.released.share)} {RIGHT[best.kind]}"
    if leaks:
        does = "does better than its" if leaks == 1 else "do better than their"
        some = f"{leaks} of {many(len(tried), 'attack')}" if len(tried) > 1 else "it"
        said += f"; {some} {does} comparison"
    elif best.kind != "linkage" or any(attack.control for attack in tried):
        said += "; no attack does better than its comparison" if len(tried) > 1 else ", no better than its comparison"
    by = f" ({_called(best)})" if len(tried) > 1 else ""
    return f"{about}{said}{by}" if about else f"{said[:1].upper()}{said[1:]}{by}"


def _title(kind: Kind, attacks: Sequence[Attack]) -> str:
    tried = [attack for attack in attacks if attack.released.share is not None]
    better = sum(attack.leaks for attack in tried)
    best = max((attack.released.share or 0.0 for attack in tried), default=0.0)
    most = f"At best {share(best)} {RIGHT[kind]}"
    if better:
        does = "does better than its" if better == 1 else "do better than their"
        return f"{most}; {better} of {many(len(tried), 'attack')} {does} comparison"
    return most if kind == "linkage" else f"{most}; no attack does better than its comparison"


def _drawn(tried: Sequence[tuple[int, Attack]]) -> list[tuple[int, Attack]]:
    """Return the attacks that are drawn: of each column the best one, and those that stand out."""
    if tried[0][1].kind == "linkage":
        return list(tried[:MOST_LINES])
    chosen: list[tuple[int, Attack]] = []
    for target in dict.fromkeys(attack.target for _, attack in tried):
        ranked = sorted((each for each in tried if each[1].target == target), key=lambda each: -_share_of(each[1]))
        leaks = [each for each in ranked if each[1].leaks]
        chosen += dict(sorted([*leaks[:MOST_LEAKS], ranked[0]])).items()
    return chosen[:MOST_LINES]


def _share_of(attack: Attack) -> float:
    return attack.released.share or 0.0


def _figure(kind: Kind, found: Sequence[tuple[int, Attack]], draw: Draw) -> Figure | None:
    title = _title(kind, [attack for _, attack in found])
    tried = [(n, attack) for n, attack in found if attack.released.share is not None]
    if not tried:
        return None
    drawn = _drawn(tried)
    lines = [
        DotLine(
            f"{n}. {_label(attack)}",
            {mark: _share(getattr(attack, field)) for mark, field, _ in _MARKS},
            attack.released.interval,
            _said(n, attack),
        )
        for n, attack in drawn
    ]
    used = {mark for line in lines for mark, x in line.points.items() if x is not None}
    key = tuple((mark, words) for mark, _, words in _MARKS if mark in used)
    spec = draw(lines, Axis("right guesses"), f"{title}. Share of right guesses with 95% intervals.")
    left = len(tried) - len(drawn)
    note = f"Drawn are the best ones; {many(left, 'more is', 'more are')} in the table." if left else None
    drawn_are = "How often they are right" if not left else "How often the best of them are right"
    return Figure(f"attack-{kind}", drawn_are, spec, _details(found), key, note)


def _called(attack: Attack) -> str:
    return attack.name.replace("_", " ")


def _label(attack: Attack) -> str:
    return clipped(_called(attack) if attack.target is None else f"{_called(attack)}: {attack.target}")


def _share(rate: Rate | None) -> float | None:
    return None if rate is None else rate.share


def _rate(rate: Rate | None) -> str:
    if rate is None or rate.share is None:
        return "–"
    return f"{share(rate.share)} ({number(round(rate.right, 1))} of {rate.tries:,})"


def _said(n: int, attack: Attack) -> str:
    told = [
        f"{n}. {clipped(attack.title)}",
        f"{share(attack.released.share)} right ({between(attack.released.interval)})",
    ]
    told += [
        f"{field.replace('_', ' ')} {share(_share(getattr(attack, field)))}"
        for _, field, _ in _MARKS[1:]
        if _share(getattr(attack, field)) is not None
    ]
    return "; ".join(told)


def _each(found: Sequence[tuple[int, Attack]]) -> Fold | None:
    """Return what each attack does, what it means and what to do, and how to read it."""
    fifth = any(attack.surest is not None for _, attack in found)
    rows = tuple(
        (
            f"{n}. {_label(attack)}",
            sentence(clipped(attack.title)),
            share(attack.released.share),
            "–" if attack.released.share is None else between(attack.released.interval),
            *([share(_share(attack.surest))] if fifth else []),
            compared(attack),
            meaning(attack),
            remedy(attack),
        )
        for n, attack in found
    )
    head = (
        *("Attack", "What it does", "Right", "95% interval", *(["Surest fifth"] if fifth else [])),
        *("Compared", "What it means", "What to do"),
    )
    words = frozenset({1, *range(len(head) - 3, len(head))})
    table = PageTable("What each attack does, means, and asks for", head, rows, words=words)
    title = "The attack in full" if len(found) == 1 else f"Each of the {len(found)} attacks in full"
    return fold(title, [cut_table(table, MOST_ROWS), _notes(found)])


def _details(found: Sequence[tuple[int, Attack]]) -> PageTable:
    """Return all rates of each attack by counts."""
    fifth = any(attack.surest is not None for _, attack in found)
    head = (
        "Attack",
        "Right",
        "95% interval",
        "Baseline",
        "Control",
        "Only hidden",
        "Original",
        *(["Surest fifth", "Surest fifth, only hidden"] if fifth else []),
        "Could be attacked",
        "Knows",
    )
    rows = tuple(
        (
            f"{n}. {_label(attack)}",
            _rate(attack.released),
            "–" if attack.released.share is None else between(attack.released.interval),
            _rate(attack.baseline),
            _rate(attack.control) + (f" {attack.control_by}" if attack.control and attack.control_by else ""),
            _rate(attack.only_hidden),
            _rate(attack.original),
            *([_rate(attack.surest), _rate(attack.surest_only_hidden)] if fifth else []),
            f"{attack.of:,}{' (a sample was tried)' if attack.sampled else ''}",
            listed(attack.knows) or "–",
        )
        for n, attack in found
    )
    return cut_table(PageTable("All rates by counts", head, rows, words=frozenset({len(head) - 1})), MOST_ROWS)


def _notes(found: Sequence[tuple[int, Attack]]) -> ItemList | None:
    """Return how to read the attacks, and further figures of theirs."""
    texts = []
    for n, attack in found:
        said = figures_said(attack)
        notes = [*map(sentence, attack.notes), *([said] if said else [])]
        if notes:
            texts.append(f"{n}. {_label(attack)}: {' '.join(notes)}")
    return ItemList(tuple(texts)) if texts else None
