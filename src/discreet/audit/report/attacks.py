"""What adversaries get right, beside what anybody gets right."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.attack.base import KINDS, Attack, Attacked, Kind
from discreet.audit.report import charts
from discreet.audit.report.page import Block, Figure, Heading, ItemList, PageTable, Prose, Section, cut_table, section
from discreet.audit.report.shared import MOST_LINES, MOST_ROWS, more_lines
from discreet.audit.report.words import between, clipped, compared, listed, many, number, sentence, share
from discreet.common.rates import Rate

_WHAT: dict[Kind, tuple[str, str]] = {
    "linkage": ("Which row is whose", "of the rows are found"),
    "inference": ("What somebody's value is", "of the values are guessed"),
    "cells": ("What a confidential cell is", "of the confidential cells are guessed"),
    "aware": ("The adversary who knows the method", "are guessed by who knows the method"),
}
_MARKS = (
    ("after", "released", "on the release, with its 95% interval"),
    ("baseline", "baseline", "baseline: without any help"),
    ("control", "control", "control: people who are not in the release"),
    ("hidden", "only_hidden", "where the cells alone are hidden"),
    ("before", "original", "on the original table"),
)


def attacks_section(attacked: Attacked | None) -> Section:
    """Return all attacks, by what they are after."""
    if attacked is None:
        how = "run “discreet audit” with the release, the original and the policy"
        return section("attacks", "Attacks", [Prose(f"Not attacked: {how} to see what adversaries get right.")])
    how = "Thorough attacks" if attacked.thorough else "Quick attacks"
    lead = f"{how} on at most {many(attacked.victims, 'person or cell', 'people or cells')} each, drawn at random."
    blocks: list[Block | None] = [Prose(lead)]
    blocks += [Prose(sentence(note)) for note in attacked.notes]
    numbered = list(enumerate(attacked.found, 1))
    for kind in KINDS:
        found = [(n, attack) for n, attack in numbered if attack.kind == kind]
        if found:
            blocks.append(Heading(_WHAT[kind][0]))
            blocks.append(_figure(kind, found))
            blocks.append(_table(found))
            blocks.append(_notes(found))
    if attacked.skipped:
        blocks.append(Prose(f"There was no time for: {listed(attacked.skipped, 40)}."))
    if not attacked.found:
        blocks.append(Prose("No attack makes sense on this release."))
    return section("attacks", "Attacks", blocks)


def _title(kind: Kind, attacks: Sequence[Attack]) -> str:
    tried = [attack for attack in attacks if attack.released.share is not None]
    best = max((attack.released.share or 0.0 for attack in tried), default=0.0)
    better = sum(attack.leaks for attack in tried)
    most = f"At best {share(best)} {_WHAT[kind][1]}"
    blind = [
        attack.baseline.share for attack in tried if attack.baseline is not None and attack.baseline.share is not None
    ]
    if kind == "linkage" and not better and not any(attack.control for attack in tried):
        return f"{most} (picked blindly: {share(max(blind))})" if blind else most
    if better:
        does = "does better than its" if better == 1 else "do better than their"
        return f"{most}; {better} of {many(len(tried), 'attack')} {does} comparison"
    return f"{most}; no attack does better than its comparison"


def _figure(kind: Kind, found: Sequence[tuple[int, Attack]]) -> Figure | None:
    title = _title(kind, [attack for _, attack in found])
    tried = [(n, attack) for n, attack in found if attack.released.share is not None]
    if not tried:
        return None
    lines = [
        charts.DotLine(
            f"{n}. {_label(attack)}",
            {mark: _share(getattr(attack, field)) for mark, field, _ in _MARKS},
            attack.released.interval,
            _said(n, attack),
        )
        for n, attack in tried[:MOST_LINES]
    ]
    used = {mark for line in lines for mark, x in line.points.items() if x is not None}
    key = tuple((mark, words) for mark, _, words in _MARKS if mark in used)
    spec = charts.dots(lines, charts.Axis("right guesses"), f"{title}. Share of right guesses with 95% intervals.")
    return Figure(f"attack-{kind}", title, spec, _details(found), key, more_lines(len(tried)))


def _label(attack: Attack) -> str:
    name = attack.name.replace("_", " ")
    return clipped(name if attack.target is None else f"{name}: {attack.target}")


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


def _table(found: Sequence[tuple[int, Attack]]) -> PageTable:
    """Return what each attack does and how it compares, in words."""
    fifth = any(attack.surest is not None for _, attack in found)
    rows = tuple(
        (
            f"{n}. {_label(attack)}",
            sentence(clipped(attack.title)),
            share(attack.released.share),
            "–" if attack.released.share is None else between(attack.released.interval),
            *([share(_share(attack.surest))] if fifth else []),
            compared(attack),
        )
        for n, attack in found
    )
    head = ("Attack", "What it does", "Right", "95% interval", *(["Surest fifth"] if fifth else []), "Compared")
    return cut_table(PageTable("What each attack does", head, rows, words=frozenset({1, len(head) - 1})), MOST_ROWS)


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
        figures = [
            f"{name.replace('_', ' ')} {number(figure)}"
            for name, figure in attack.figures.items()
            if figure is not None
        ]
        notes = [*map(sentence, attack.notes), *([f"{'; '.join(figures)}."] if figures else [])]
        if notes:
            texts.append(f"{n}. {_label(attack)}: {' '.join(notes)}")
    return ItemList(tuple(texts)) if texts else None
