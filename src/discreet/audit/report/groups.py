"""The promises about groups: before and after, how all groups lie, the worst of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.audit.report import charts
from discreet.audit.report.page import Block, Figure, Heading, PageTable, Prose, Section, section
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
from discreet.policy import Confidential, Crowd, Inference
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
    blocks += [_confidence(pairs), _sizes(pairs)]
    for at, risk in enumerate(audit.risk[:MOST_PROMISES], 1):
        blocks += _of_risk(f"spread-{at}", risk, audit.promises)
    if not audit.risk:
        blocks += _worst_only(pairs[:MOST_PROMISES])
    blocks.append(more_promises(len(audit.risk) or len(pairs)))
    return section("promises", "Promises", blocks)


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


def _measured(pairs: Sequence[_Pair], kind: str) -> list[tuple[int, str, Worst | None, Worst]]:
    return [
        (n, after.promise, before.worst, after.worst)
        for n, before, after in pairs
        if after.kind == kind and after.worst is not None
    ]


def _confidence(pairs: Sequence[_Pair]) -> Figure | None:
    """Return the confidence of each template before and after."""
    found = _measured(pairs, Inference.kind)
    if not found:
        return None
    surest = max((after.share for _, _, _, after in found))
    earlier = max((before.share for _, _, before, _ in found if before is not None), default=None)
    kept = all(after.within for _, _, _, after in found)
    from_ = "" if earlier is None else f" (before: {share(earlier)})"
    title = f"Nobody can be surer than {share(surest)} of a protected value{from_}"
    if not kept:
        title = f"A protected value can be inferred with {share(surest)}: above its limit"
    lines = [
        charts.DotLine(
            f"{n}. {clipped(promise)}",
            {"before": _float(before), "after": float(after.share), "limit": float(after.limit)},
            None if before is None else _ordered(float(before.share), float(after.share)),
            f"{n}. before {stand(before)}, after {stand(after)}, limit {limit(after)}",
        )
        for n, promise, before, after in found[:MOST_LINES]
    ]
    table = PageTable(
        "Confidence in the worst group of each template",
        ("Template", "Before", "After", "Limit", "If all hidden cells had it"),
        tuple(
            (f"{n}. {clipped(promise)}", stand(before), stand(after), limit(after), share(after.worst_case))
            for n, promise, before, after in found
        ),
    )
    spec = charts.dots(lines, charts.Axis("confidence in the worst group"), f"{title}. Confidence before and after.")
    return Figure("confidence", title, spec, table, _KEY, more_lines(len(found)))


def _sizes(pairs: Sequence[_Pair]) -> Figure | None:
    """Return the smallest group of each promise of k-anonymity before and after."""
    found = _measured(pairs, Crowd.kind)
    if not found:
        return None
    smallest = min(after.rows for _, _, _, after in found)
    earlier = min((before.rows for _, _, before, _ in found if before is not None), default=None)
    from_ = "" if earlier is None else f" (before: {earlier:,})"
    title = f"Everybody is one of at least {many(smallest, 'row')} that look alike{from_}"
    if not all(after.within for _, _, _, after in found):
        title = f"A group has only {many(smallest, 'row')}: fewer than was promised"
    lines = [
        charts.DotLine(
            f"{n}. {clipped(promise)}",
            {
                "before": None if before is None else max(before.rows, 1),
                "after": max(after.rows, 1),
                "limit": after.limit.denominator,
            },
            None if before is None else _ordered(max(before.rows, 1), max(after.rows, 1)),
            f"{n}. before {stand(before)}, after {stand(after)}, limit {limit(after)}",
        )
        for n, promise, before, after in found[:MOST_LINES]
    ]
    table = PageTable(
        "The smallest group of each promise",
        ("Promise", "Before", "After", "Limit", "Alone before", "Alone after"),
        tuple(
            (
                f"{n}. {clipped(promise)}",
                "–" if before is None else number(before.rows),
                number(after.rows),
                number(after.limit.denominator),
                "–" if before is None else number(before.alone),
                number(after.alone),
            )
            for n, promise, before, after in found
        ),
    )
    most = max(x for line in lines for x in line.points.values() if x is not None)
    spec = charts.dots(
        lines, charts.Axis("rows in the smallest group", "~s", 1.5 * most, log=True), f"{title}. Before and after."
    )
    return Figure("sizes", title, spec, table, _KEY, more_lines(len(found)))


def _of_risk(name: str, risk: Risk, findings: Sequence[Finding]) -> list[Block | None]:
    """Return how the groups of one promise lie, and the worst of them by counts."""
    sizes = risk.kind == Crowd.kind
    n = next((n for n, one in enumerate(findings, 1) if one.promise == risk.promise), risk.index + 1)
    heading = Heading(f"Promise {n}: {clipped(risk.promise)}")
    return [
        heading,
        spread_figure(name, risk, sizes=sizes),
        _worst("The worst groups of the release", risk.worst_after),
        _worst("The worst groups before", risk.worst_before, folded=True),
    ]


def spread_figure(name: str, risk: Risk, *, sizes: bool) -> Figure | None:
    """Return how many rows stand in groups of which risk, before and after."""
    if not risk.spread_after.rows or not risk.rows_after:
        return None
    before, after = (share(count / rows) if rows else "0%" for count, rows in
                     ((risk.above_before, risk.rows_before), (risk.above_after, risk.rows_after)))  # fmt: skip
    where = f"in groups of fewer than {risk.limit} rows" if sizes else f"in groups above {share(Fraction(risk.limit))}"
    title = f"{after} of the rows stand {where} (before: {before})"
    earlier = risk.spread_before if risk.spread_before.ends == risk.spread_after.ends else None
    spec = charts.spread(
        earlier, risk.spread_after, Fraction(risk.limit), sizes=sizes, description=f"{title}. Rows by group."
    )
    key = (("bar-before", "before"), ("bar-after", "after"), ("dashed", "limit"))
    return Figure(name, title, spec, spread_table(earlier, risk.spread_after, Fraction(risk.limit), sizes=sizes), key)


def spread_table(before: RiskSpread | None, after: RiskSpread, at: Fraction, *, sizes: bool) -> PageTable:
    """Return how many rows stand in groups of which risk."""
    before, after = charts.trimmed(before, after, at)
    named = [charts.range_of(after.ends, i, sizes=sizes) for i in range(len(after.rows))]
    head = (
        "Rows in the group" if sizes else "Confidence in the group",
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


def _worst(caption: str, groups: Sequence[Worst], *, folded: bool = False) -> PageTable | None:
    """Return groups by counts, with their texts."""
    if not groups:
        return None
    sizes = groups[0].kind == Crowd.kind
    hides = any(group.hidden for group in groups)
    columns = list(groups[0].group)
    head = ["Group", "Rows"]
    if not sizes:
        head += ["With the value", *(["Hidden"] if hides else []), "Confidence"]
    rows = []
    for group in groups:
        told = listed([f"{clipped(column)} = {value(group.group[column])}" for column in columns], 40)
        row = [told or "all rows", number(group.rows)]
        if not sizes:
            row += [number(group.hits), *([number(group.hidden)] if hides else []), share(group.share)]
        rows.append(tuple(row))
    return PageTable(caption, tuple(head), tuple(rows), folded=folded)


def _worst_only(pairs: Sequence[_Pair]) -> list[Block | None]:
    """Return the one worst group of each promise, where no more are known."""
    blocks: list[Block | None] = []
    for n, before, after in pairs:
        if after.worst is None:
            continue
        blocks.append(Heading(f"Promise {n}: {clipped(after.promise)}"))
        blocks.append(_worst("The worst group of the release", [after.worst]))
        blocks.append(_worst("The worst group before", [before.worst] if before.worst else [], folded=True))
    return blocks


def _float(worst: Worst | None) -> float | None:
    return None if worst is None else float(worst.share)


def _ordered(one: float, other: float) -> tuple[float, float]:
    return min(one, other), max(one, other)
