"""The promises about groups: before and after, how all groups lie, the worst of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.audit.report import charts
from discreet.audit.report.page import Block, Figure, PageTable, Prose, Section, fold, section
from discreet.audit.report.shared import MOST_LINES, MOST_PROMISES, more_lines, more_promises
from discreet.audit.report.words import (
    NOTHING,
    clipped,
    kept_promises,
    limit,
    listed,
    many,
    number,
    sentence,
    share,
    stand,
    value,
)
from discreet.audit.risk import Risk, RiskSpread
from discreet.audit.secrets import SecretRisk
from discreet.common.wording import in_persons
from discreet.policy import Confidential, GroupPromise
from discreet.policy.requirements import PROMISES
from discreet.policy.requirements.base import GroupWords, Unit
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding, Worst

if TYPE_CHECKING:
    from discreet.audit.audit import Audit

_KEY = (("before", "before"), ("after", "after"), ("limit", "limit"))
_Pair = tuple[int, Finding, Finding]


def promises_section(audit: Audit) -> Section:
    """Return every promise before and after, and the groups behind them."""
    pairs = [(n, before, after) for n, (before, after) in enumerate(zip(audit.before, audit.promises, strict=True), 1)]
    blocks: list[Block | None] = [_table(pairs)]
    reasons = [f"{n}. {after.reason}" for n, _, after in pairs if after.reason]
    blocks += [Prose(sentence(reason)) for reason in reasons]
    blocks += _figures(pairs)
    for at, risk in enumerate(audit.risk[:MOST_PROMISES], 1):
        blocks += _of_risk(f"spread-{at}", risk, audit.promises)
    if not audit.risk:
        blocks += _worst_only(pairs[:MOST_PROMISES])
    blocks.append(more_promises(len(audit.risk) or len(pairs)))
    blocks.append(_secrets(audit.secrets))
    return section("promises", "Promises", blocks)


def _secrets(found: Sequence[SecretRisk]) -> PageTable | None:
    """Return what the worst groups tell of each secret by the figures of the field."""
    if not found:
        return None
    head = ("Secret", "Known", "", "l (values)", "l (entropy)", "t (distance)", "β (commoner by)")
    rows = [
        (
            clipped(each.column),
            listed([clipped(name) for name in each.known], 40),
            when,
            number(figures.l),
            number(figures.entropy_l),
            share(figures.t),
            share(figures.beta),
        )
        for each in found[:MOST_PROMISES]
        for when, figures in (("before", each.before), ("after", each.after))
    ]
    return PageTable("What the worst groups tell of each secret, whatever was promised", head, tuple(rows), folded=True)


def _table(pairs: Sequence[_Pair]) -> PageTable:
    rows = tuple(
        (f"{n}. {after.promise}", *_before_after(before, after), limit(after.worst), _said(after.answer))
        for n, before, after in pairs
    )
    head = ("Promise", "Before", "After", "Limit", "Answer")
    return PageTable(f"{kept_promises([after for _, _, after in pairs])}", head, rows, words=frozenset({1, 2, 3, 4}))


def _before_after(before: Finding, after: Finding) -> tuple[str, str]:
    if after.kind != Confidential.kind or after.cells is None:
        return stand(before.worst), stand(after.worst)
    found = after.cells.against
    alone = max((one.guessed_when_only_hidden or 0 for one in found if one.only_hidden is not None), default=None)
    if not found:
        return NOTHING, NOTHING
    cells = many(max(one.cells for one in found), "cell")
    earlier = NOTHING if alone is None else f"{alone:,} of {cells} guessed if they alone are hidden"
    return earlier, f"{max(one.guessed for one in found):,} of {cells} guessed"


def _said(answer: Answer) -> str:
    return {
        Answer.HOLDS: "✓ holds",
        Answer.BROKEN: "✕ broken",
        Answer.NOT_CHECKABLE: "? not checkable",
        Answer.BY_LOT: "? by lot",
    }[answer]


@dataclass(frozen=True)
class _Measured:
    """The worst group of one promise before and after."""

    number: int
    promise: str
    before: Worst | None
    after: Worst

    @property
    def said(self) -> str:
        """Both in words, and the limit."""
        return f"{self.number}. before {stand(self.before)}, after {stand(self.after)}, limit {limit(self.after)}"


def _figures(pairs: Sequence[_Pair]) -> list[Figure]:
    """Return the worst groups before and after, a chart for each kind of promise."""
    figures = []
    for kind in PROMISES.values():
        found = [
            _Measured(n, after.promise, before.worst, after.worst)
            for n, before, after in pairs
            if after.kind == kind.kind and after.worst is not None
        ]
        if found:
            figures.append(_shares(kind, found) if kind.unit is None else _numbers(kind, kind.unit, found))
    return figures


def _words_of(kind: type[GroupPromise], *, persons: bool) -> GroupWords:
    """Return how reports speak of a kind of promise, of rows or of persons."""
    if not persons:
        return kind.words
    words = kind.words
    return replace(
        words,
        title=in_persons(words.title),
        broken=in_persons(words.broken),
        axis=in_persons(words.axis),
        caption=in_persons(words.caption),
        group=in_persons(words.group),
        above=in_persons(words.above),
    )


def _shares(kind: type[GroupPromise], found: Sequence[_Measured]) -> Figure:
    """Return the share in the worst group of each promise before and after."""
    words = _words_of(kind, persons=found[0].after.persons)
    surest = max(each.after.share for each in found)
    earlier = max((each.before.share for each in found if each.before is not None), default=None)
    from_ = "" if earlier is None else f" (before: {kind.shown(earlier)})"
    title = f"{words.title.format(kind.shown(surest))}{from_}"
    if not all(each.after.within for each in found):
        title = words.broken.format(kind.shown(surest))
    lines = [
        charts.DotLine(
            f"{each.number}. {clipped(each.promise)}",
            {"before": _float(each.before), "after": float(each.after.share), "limit": float(each.after.limit)},
            None if each.before is None else _ordered(float(each.before.share), float(each.after.share)),
            each.said,
        )
        for each in found[:MOST_LINES]
    ]
    table = PageTable(
        words.caption,
        (words.column, "Before", "After", "Limit", "If all hidden cells had it"),
        tuple(
            (
                f"{each.number}. {clipped(each.promise)}",
                stand(each.before),
                stand(each.after),
                limit(each.after),
                kind.shown(each.after.worst_case),
            )
            for each in found
        ),
    )
    most = max(x for line in lines for x in line.points.values() if x is not None)
    axis = charts.Axis(words.axis) if most <= 1 else charts.Axis(words.axis, "~g", 1.1 * most)
    spec = charts.dots(lines, axis, f"{title}. {words.axis.capitalize()}, before and after.")
    return Figure(words.name, title, spec, table, _KEY, more_lines(len(found)))


def _numbers(kind: type[GroupPromise], unit: Unit, found: Sequence[_Measured]) -> Figure:
    """Return how many rows or values the worst group of each promise has before and after."""
    persons = found[0].after.persons
    words = _words_of(kind, persons=persons)
    fewest = min(kind.number(each.after) for each in found)
    earlier = min((kind.number(each.before) for each in found if each.before is not None), default=None)
    from_ = "" if earlier is None else f" (before: {earlier:,})"
    title = f"{words.title.format(_counted(unit, fewest, persons=persons))}{from_}"
    if not all(each.after.within for each in found):
        title = words.broken.format(_counted(unit, fewest, persons=persons))
    lines = []
    for each in found[:MOST_LINES]:
        before = None if each.before is None else max(kind.number(each.before), 1)
        after = max(kind.number(each.after), 1)
        lines.append(
            charts.DotLine(
                f"{each.number}. {clipped(each.promise)}",
                {"before": before, "after": after, "limit": each.after.limit.denominator},
                None if before is None else _ordered(before, after),
                each.said,
            )
        )
    table = PageTable(
        words.caption,
        (words.column, "Before", "After", "Limit", "Alone before", "Alone after"),
        tuple(
            (
                f"{each.number}. {clipped(each.promise)}",
                "–" if each.before is None else number(kind.number(each.before)),
                number(kind.number(each.after)),
                number(each.after.limit.denominator),
                "–" if each.before is None else number(each.before.alone),
                number(each.after.alone),
            )
            for each in found
        ),
    )
    most = max(x for line in lines for x in line.points.values() if x is not None)
    spec = charts.dots(lines, charts.Axis(words.axis, "~s", 1.5 * most, log=True), f"{title}. Before and after.")
    return Figure(words.name, title, spec, table, _KEY, more_lines(len(found)))


def _counted(unit: Unit, number: int, *, persons: bool) -> str:
    return in_persons(unit.counted(number)) if persons else unit.counted(number)


def _of_risk(name: str, risk: Risk, findings: Sequence[Finding]) -> list[Block | None]:
    """Return how the groups of one promise lie, and the worst of them by counts."""
    n = next((n for n, one in enumerate(findings, 1) if one.promise == risk.promise), risk.index + 1)
    title = f"Promise {n}: how its groups lie, and the worst of them ({clipped(risk.promise)})"
    return [
        fold(
            title,
            [
                spread_figure(name, risk),
                _worst("The worst groups of the release", risk.worst_after),
                _worst("The worst groups before", risk.worst_before),
            ],
        )
    ]


def spread_figure(name: str, risk: Risk) -> Figure | None:
    """Return how many rows stand in groups of which risk, before and after."""
    if not risk.spread_after.rows or not risk.rows_after:
        return None
    before, after = (share(count / rows) if rows else "0%" for count, rows in
                     ((risk.above_before, risk.rows_before), (risk.above_after, risk.rows_after)))  # fmt: skip
    kind, at = PROMISES[risk.kind], Fraction(risk.limit)
    persons = any(worst.persons for worst in risk.worst_after)
    above = _words_of(kind, persons=persons).above
    where = above.format(kind.shown(at) if kind.unit is None else risk.limit)
    title = f"{after} of the {'persons' if persons else 'rows'} stand {where} (before: {before})"
    earlier = risk.spread_before if risk.spread_before.ends == risk.spread_after.ends else None
    spec = charts.spread(earlier, risk.spread_after, at, kind, description=f"{title}. Rows by group.")
    table = spread_table(earlier, risk.spread_after, at, kind)
    if persons:
        spec, table = of_persons(spec), table_of_persons(table)
    key = (("bar-before", "before"), ("bar-after", "after"), ("dashed", "limit"))
    return Figure(name, title, spec, table, key)


def of_persons(spec: dict[str, object]) -> dict[str, object]:
    """Return a chart whose words are about persons, not rows."""
    return {name: _of_persons(part) for name, part in spec.items()}


def table_of_persons(table: PageTable) -> PageTable:
    """Return the same of the table beside it."""
    return replace(table, caption=in_persons(table.caption), head=tuple(map(in_persons, table.head)))


def _of_persons(part: object) -> object:
    """Return a part of a chart whose words are about persons, not rows."""
    if isinstance(part, dict):
        return {
            name: in_persons(each) if name in ("said", "title") and isinstance(each, str) else _of_persons(each)
            for name, each in part.items()
        }
    return [_of_persons(each) for each in part] if isinstance(part, list) else part


def spread_table(before: RiskSpread | None, after: RiskSpread, at: Fraction, kind: type[GroupPromise]) -> PageTable:
    """Return how many rows stand in groups of which risk."""
    before, after = charts.trimmed(before, after, at)
    named = [charts.range_of(after.ends, i, kind) for i in range(len(after.rows))]
    head = (
        kind.words.group,
        *([] if before is None else ["Rows before"]),
        "Rows after",
    )
    rows = [
        (
            label,
            *([] if before is None else [number(before.rows[i]) if i < len(before.rows) else "–"]),
            number(after.rows[i]),
        )
        for i, label in enumerate(named)
    ]
    return PageTable("Rows by the group they stand in", head, tuple(rows))


def _worst(caption: str, groups: Sequence[Worst]) -> PageTable | None:
    """Return groups by counts, with their texts."""
    if not groups:
        return None
    kind = PROMISES[groups[0].kind]
    hides = any(group.hidden for group in groups)
    columns = list(groups[0].group)
    head = ["Group", "Persons" if groups[0].persons else "Rows"]
    if kind.unit is None:
        head += [*([kind.words.hits] if kind.words.hits else []), *(["Hidden"] if hides else []), kind.words.figure]
    elif kind.measure != "rows":
        head += [*(["Hidden"] if hides else []), kind.unit.many.capitalize()]
    rows = []
    for group in groups:
        told = listed([f"{clipped(column)} = {value(group.group[column])}" for column in columns], 40)
        row = [told or "all rows", number(group.rows)]
        if kind.unit is None:
            row += [number(group.hits)] if kind.words.hits else []
            row += [*([number(group.hidden)] if hides else []), kind.shown(group.share)]
        elif kind.measure != "rows":
            row += [*([number(group.hidden)] if hides else []), number(kind.number(group))]
        rows.append(tuple(row))
    return PageTable(caption, tuple(head), tuple(rows))


def _worst_only(pairs: Sequence[_Pair]) -> list[Block | None]:
    """Return the one worst group of each promise, where no more are known."""
    blocks: list[Block | None] = []
    for n, before, after in pairs:
        if after.worst is None:
            continue
        blocks.append(
            fold(
                f"Promise {n}: its worst group ({clipped(after.promise)})",
                [
                    _worst("The worst group of the release", [after.worst]),
                    _worst("The worst group before", [before.worst] if before.worst else []),
                ],
            )
        )
    return blocks


def _float(worst: Worst | None) -> float | None:
    return None if worst is None else float(worst.share)


def _ordered(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)
