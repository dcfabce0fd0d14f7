"""What notebooks show of a frontier and of a checked policy: thresholds and promises. No cell is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.common.notebook import card, items, line, rows
from discreet.common.private import MORE, private_line
from discreet.policy.requirements import PROMISES

if TYPE_CHECKING:
    from discreet.assist.check import CheckedPolicy, Promise
    from discreet.assist.frontier_points import Frontier, Point


def frontier_as_html(found: Frontier) -> str:
    """Return what can be told at each threshold."""
    possible = [point for point in found.points if point.possible]
    head = ["Threshold", f"{found.worst_name[:1].upper()}{found.worst_name[1:]}", "Detail"]
    head += [] if found.target is None else [f"Told of {found.target}"]
    verdict = f"{len(possible)} of {len(found.points)} thresholds can be kept."
    table = rows(head, [_point(found, point) for point in found.points])
    swept = line(f"The threshold of: {'; '.join(found.swept)}.")
    return card("good" if possible else "bad", verdict, [table, swept], private=private_line(MORE))


def _point(found: Frontier, point: Point) -> list[str]:
    own = " (the policy's)" if point.threshold == found.own else ""
    name = f"{found.name_of(point.threshold)}{own}"
    if not point.possible:
        return [name, found.reason(point), "–", *([] if found.target is None else ["–"])]
    worst = "–" if point.largest is None else found.figure_of(point.largest)
    told = [_share(point.detail), *([] if found.target is None else [_share(point.target)])]
    return [name, worst, *told]


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def checked_html(found: CheckedPolicy) -> str:
    """Return what a policy promises, and on a table whether that can be kept."""
    many = len(found.promises) + len(found.cells)
    verdict = f"In order: {many} promise{'' if many == 1 else 's'}."
    if found.rows is not None:
        fits = "every promise can be kept" if found.possible else "some promise cannot be kept"
        verdict = f"It fits the table of {found.rows:,} rows: {fits}."
    head = ("Promise", *([] if found.rows is None else ["Now", "Can be kept"]))
    body = [_promise(each, table=found.rows is not None) for each in found.promises]
    body += [
        [each.made.in_words(), *([] if found.rows is None else ["–", each.refused or "yes"])] for each in found.cells
    ]
    changes = f"May change: {', '.join(found.may_change)}." if found.may_change else ""
    parts = [
        rows(head, body),
        line(changes) if changes else "",
        items(f"{len(found.warnings)} warnings", found.warnings),
        items(f"{len(found.not_covered)} things that no promise covers", found.not_covered),
    ]
    if found.over_time is not None:
        met = found.over_time
        known = f"{met.matched} persons known, {met.new} new, {met.left} left; kept back {met.held}"
        parts.insert(0, line(met.refused or f"Beside earlier releases: {known}, left out {met.left_out}."))
    private = None if found.rows is None else private_line(MORE)
    return card("good" if found.possible else "bad", verdict, parts, private=private)


def _promise(each: Promise, *, table: bool) -> list[str]:
    words = each.said(each.made.in_words())
    if not table:
        return [words]
    now = "–" if each.now is None else each.said(PROMISES[each.now.kind].stands(each.now))
    return [words, now, "yes" if each.possible else "no"]
