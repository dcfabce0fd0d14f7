"""The picture of a frontier: a chart of Altair (the extra `report`), or a part of a page like those of reports."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.audit.report.charts import SAID, Channel, Layer, as_spec, field, layer
from discreet.audit.report.ink import ACCENT, INK, PAPER
from discreet.audit.report.page import Block, Card, Figure, ItemList, Level, Page, PageTable, Prose, Section, section
from discreet.audit.report.render import refuse_report, render
from discreet.audit.report.shared import MOST_LINES
from discreet.audit.report.words import NOTHING, clipped, many, number, share
from discreet.common.printable import printable
from discreet.common.private import MORE, private_line
from discreet.errors import InputError
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.assist.frontier_points import Frontier, Point

FORMS = (".html", ".svg", ".png")
TITLE = "How much can be told at which threshold"
SAME = 1e-9
"""Shares that differ by less are the same to the eye."""


@dataclass(frozen=True)
class _Curve:
    """What is drawn as one line: its colours, the shape of its points, its mark in the key of a page."""

    name: str
    of: Callable[[Point], float | None]
    stroke: str
    fill: str
    shape: str
    mark: str


def drawn(frontier: Frontier, path: Path) -> bytes:
    """Return the picture as a file; the name of `path` says in which form."""
    form = path.suffix.lower().lstrip(".")
    if form == "html":
        return frontier_html(frontier).encode("utf-8", "replace")
    chart = frontier_chart(frontier)
    if form == "png":
        packed = io.BytesIO()
        chart.save(packed, format=form, scale_factor=2)
        return packed.getvalue()
    text = io.StringIO()
    chart.save(text, format=form)
    return text.getvalue().encode()


def frontier_chart(frontier: Frontier) -> Any:
    """Return a chart of the detail (and what is told of the target) kept at each threshold; it says that it is private.

    Nothing in it leads to the editor of Vega, to which a click would send the figures.
    """
    alt = _altair()
    said = [private_line(MORE), f"dashed: the policy's own threshold, {frontier.name_of(frontier.own)}"]
    said += ["crosses: no release can keep it"] if _impossible(frontier) else []
    legend: Channel = {"title": None, "orient": "bottom", "direction": "vertical", "labelLimit": 480}
    return alt.LayerChart.from_dict({"layer": _layers(frontier, legend)}).properties(
        width=520,
        height=320,
        title=alt.Title(TITLE, subtitle=said, anchor="start"),
        usermeta={"embedOptions": {"actions": False}},
    )


def _altair() -> Any:
    """Return Altair, or say what to install."""
    try:
        import altair
    except ModuleNotFoundError:
        raise InputError("charts need Altair; install discreet[report]") from None
    return altair


def frontier_html(frontier: Frontier) -> str:
    """Return the frontier as one HTML page that needs nothing else."""
    refuse_report()
    return render(frontier_page(frontier))


def frontier_page(frontier: Frontier) -> Page:
    """Return the page: where the policy stands, the chart and its figures, what they mean."""
    level, verdict = _verdict(frontier)
    return Page(
        title=TITLE,
        subtitle=f"{many(len(frontier.points), 'threshold')}, planned and not released; for the owner of the table",
        banner=private_line(MORE),
        private=True,
        verdict=verdict,
        level=level,
        summary=tuple(_summary(frontier)),
        cards=tuple(_cards(frontier)),
        sections=(_kept(frontier), _changed(frontier), _reading(frontier)),
        made_by=f"discreet {__version__}",
    )


def _lines(frontier: Frontier) -> list[_Curve]:
    lines = [_Curve("detail of the columns", lambda point: point.detail, ACCENT, ACCENT, "circle", "after")]
    if (target := _target(frontier)) is not None:
        told = f"what they tell of {target}"
        lines.append(_Curve(told, lambda point: point.target, INK, PAPER, "diamond", "control"))
    return lines


def _target(frontier: Frontier) -> str | None:
    """Return the name of the target as it may be shown; None where nothing is known of it."""
    known = frontier.target is not None and any(point.target is not None for point in frontier.points)
    return clipped(printable(frontier.target)) if known and frontier.target is not None else None


def _impossible(frontier: Frontier) -> list[Point]:
    return [point for point in frontier.points if not point.possible]


def _possible(frontier: Frontier) -> list[Point]:
    return [point for point in frontier.points if point.possible]


def _own(frontier: Frontier) -> Point | None:
    return next((point for point in frontier.points if point.threshold == frontier.own), None)


def _layers(frontier: Frontier, legend: Channel | None) -> list[Layer]:
    """Return the parts of the chart: steps, for what a stricter threshold keeps can be kept at a looser one."""
    lines = _lines(frontier)

    def by_line(looks: Sequence[str]) -> Channel:
        scale = {"domain": [line.name for line in lines], "range": list(looks)}
        return field("line:N", title=None, scale=scale, legend=legend)

    def place(threshold: Fraction) -> float:
        return threshold.denominator if frontier.sizes else float(threshold)

    data = [
        {"x": place(point.threshold), "y": kept, "line": line.name, "said": _said(frontier, point, line, kept)}
        for line in reversed(lines)
        for point in frontier.points
        if (kept := line.of(point)) is not None
    ]
    never = [
        {"x": place(point.threshold), "y": 0, "said": f"{frontier.name_of(point.threshold)} {frontier.reason(point)}"}
        for point in _impossible(frontier)
    ]
    x = _across(frontier, sorted({place(at) for at in (frontier.own, *(p.threshold for p in frontier.points))}))
    y = field("y:Q", title="kept", scale={"domain": [0, 1]}, axis={"format": "~%", "tickCount": 5})
    stroke = by_line([line.stroke for line in lines])
    step = {"strokeWidth": 2, "interpolate": "step-before" if frontier.sizes else "step-after"}
    point = {"opacity": 1, "size": 60, "strokeWidth": 1.5}
    fill, shape = by_line([line.fill for line in lines]), by_line([line.shape for line in lines])
    cross = {"shape": "M-1,-1L1,1M1,-1L-1,1", "stroke": INK, "opacity": 1, "size": 60, "strokeWidth": 2}
    own = {"color": INK, "strokeWidth": 2, "strokeDash": [5, 3]}
    return [
        layer([{"x": place(frontier.own)}], "rule", own, x=x),
        layer(data, "line", step, x=x, y=y, stroke=stroke),
        layer(data, "point", point, x=x, y=y, stroke=stroke, fill=fill, shape=shape, tooltip=SAID),
        layer(never, "point", cross, x=x, y=y, tooltip=SAID),
    ]


def _across(frontier: Frontier, places: Sequence[float]) -> Channel:
    """Return the axis of the thresholds, as wide as they are apart; sizes differ much and are drawn by their ratio."""
    first, last = places[0], places[-1]
    if frontier.unit is not None:
        wider = max((last / first) ** 0.04, 1.1)
        scale: Channel = {"type": "log", "domain": [first / wider, last * wider], "nice": False}
        axis: Channel = {
            "values": list(places), "format": ",d", "labelOverlap": "greedy", "labelSeparation": 4, "grid": False,
        }  # fmt: skip
        return field("x:Q", title=f"{frontier.unit.least} ({frontier.unit.letter})", scale=scale, axis=axis)
    margin = max((last - first) * 0.04, 0.005)
    shares = last <= 1
    highest = min(last + margin, 1) if shares else last + margin
    scale = {"domain": [max(first - margin, 0), highest], "nice": False}
    axis = {"format": "~%" if shares else "~g", "tickCount": 5, "labelOverlap": True}
    name = "confidence" if frontier.worst_name == "largest share" else frontier.worst_name
    return field("x:Q", title=f"largest {name} allowed", scale=scale, axis=axis)


def _said(frontier: Frontier, point: Point, line: _Curve, kept: float) -> str:
    return f"{frontier.name_of(point.threshold)}: {share(kept)} of the {line.name}"


def _kept(frontier: Frontier) -> Section:
    """Return the chart with its table, and which thresholds cannot be kept."""
    possible, impossible = _possible(frontier), _impossible(frontier)
    title = "None of these thresholds can be kept"
    if possible:
        loosest, strictest = possible[0], possible[-1]
        title = f"{share(loosest.detail)} of the detail is kept at {frontier.name_of(loosest.threshold)}"
        if strictest is not loosest:
            same = share(strictest.detail) == share(loosest.detail)
            title += f"{' and' if same else f', {share(strictest.detail)}'} at {frontier.name_of(strictest.threshold)}"
    lines = _lines(frontier)
    key = [(line.mark, line.name) for line in lines] if possible else []
    key.append(("dashed", f"the policy's own: {frontier.name_of(frontier.own)}"))
    key += [("cross", "cannot be kept")] if impossible else []
    description = f"{title}. Per threshold, how much is kept: {' and '.join(line.name for line in lines)}."
    chart = as_spec(_layers(frontier, None), 300, description)
    blocks: list[Block | None] = [
        Figure("frontier", title, chart, _table(frontier), key=tuple(key), shown=True),
        ItemList(tuple(_refused(frontier))) if impossible else None,
    ]
    return section("kept", "What is kept at each threshold", blocks)


def _table(frontier: Frontier) -> PageTable:
    """Return the figures, without columns in which there is none."""
    largest = _largest(frontier)
    target = _target(frontier)
    columns: dict[str, Callable[[Point], str]] = {largest: lambda point: _limit(frontier, point.largest)}
    columns["Detail kept"] = lambda point: share(point.detail)
    if target is not None:
        columns[f"Of {target} kept"] = lambda point: share(point.target)
    if any(point.steps is not None for point in frontier.points):
        columns["Disclosures"] = lambda point: number(point.steps)
    rows = [(_name(frontier, point), *(told(point) for told in columns.values())) for point in frontier.points]
    return PageTable("What would be kept at each threshold", ("Threshold", *columns), tuple(rows), narrow=True)


def _largest(frontier: Frontier) -> str:
    return frontier.worst_name.capitalize()


def _limit(frontier: Frontier, largest: Fraction | None) -> str:
    if largest is None:
        return NOTHING
    return number(largest.denominator) if frontier.sizes else frontier.figure_of(largest)


def _name(frontier: Frontier, point: Point) -> str:
    return frontier.name_of(point.threshold) + (" (the policy's)" if point.threshold == frontier.own else "")


def _refused(frontier: Frontier) -> Iterator[str]:
    """Yield which thresholds no release can keep, and what could be."""
    for reason, points in groupby(_impossible(frontier), key=frontier.reason):
        yield f"{', '.join(frontier.name_of(point.threshold) for point in points)} {reason}."


def _verdict(frontier: Frontier) -> tuple[Level, str]:
    """Return where the policy stands in one line."""
    name, own = frontier.name_of(frontier.own), _own(frontier)
    if own is None:
        return "look", f"The policy's own threshold, {name}, is not among these."
    if not own.possible:
        return "bad", f"The policy's own threshold, {name}, {frontier.reason(own)}."
    return "good", f"The policy's own threshold, {name}, keeps {share(own.detail)} of the detail."


def _summary(frontier: Frontier) -> Iterator[str]:
    """Yield what helps to choose."""
    possible, impossible, own = _possible(frontier), _impossible(frontier), _own(frontier)
    if own is not None and own.possible:
        as_much = [point for point in possible if point.threshold < own.threshold and _no_less(point, own)]
        if as_much:
            yield f"{frontier.name_of(as_much[-1].threshold)} is stricter and would keep as much."
    if possible:
        last = possible[-1]
        yield (
            f"The strictest of these that can be kept is {frontier.name_of(last.threshold)}, "
            f"with {share(last.detail)} of the detail."
        )
        if impossible:
            yield f"{len(impossible)} of {many(len(frontier.points), 'threshold')} cannot be kept."
    else:
        yield "None of these can be kept."
    yield "Each is what would be planned at that threshold. Nothing was released, so nothing was verified."


def _no_less(point: Point, than: Point) -> bool:
    pairs = ((point.detail, than.detail), (point.target, than.target))
    return all(one is None or other is None or one >= other - SAME for one, other in pairs)


def _cards(frontier: Frontier) -> Iterator[Card]:
    whose = "of several the loosest" if len(frontier.swept) > 1 else "as it is written"
    yield Card("The policy's threshold", frontier.name_of(frontier.own), whose)
    own = _own(frontier)
    if own is None or not own.possible:
        return
    yield Card(_largest(frontier), _limit(frontier, own.largest), "in the planned release")
    yield Card("Detail", share(own.detail), "of the columns that may change would be shown")
    if own.target is not None:
        yield Card("Target", share(own.target), f"of what they tell of {_target(frontier)} would be told")


def _changed(frontier: Frontier) -> Section:
    """Return the promises whose threshold was changed."""
    left = len(frontier.swept) - MOST_LINES
    blocks: list[Block | None] = [
        Prose("The threshold of these promises was set to each in turn; all others stay as they are and are kept."),
        ItemList(tuple(printable(promise) for promise in frontier.swept[:MOST_LINES])),
        Prose(f"{left:,} more are not shown here.") if left > 0 else None,
    ]
    return section("changed", "Which threshold changes", blocks)


def _reading(frontier: Frontier) -> Section:
    unit = frontier.unit
    group, bound = ("surest group", "a share of each group") if unit is None else (unit.worst, f"the {unit.least}")
    words = {
        "Threshold": f"What the promises would allow: {bound}.",
        _largest(frontier): f"The {group} of the planned release.",
        "Detail kept": "How much of the detail of the columns that may change would be shown; 100% is all of it.",
    }
    if (target := _target(frontier)) is not None:
        words[f"Of {target} kept"] = (
            "How much of what these columns, each alone, tell of the target would still be told."
        )
    if any(point.steps is not None for point in frontier.points):
        words["Disclosures"] = "Steps of the search."
    rows = (
        *words.items(),
        ("Detail that grows", "A stricter threshold may keep more by chance: no search is sure to find the best."),
    )
    table = PageTable("What the words mean", ("Word", "Meaning"), rows, words=frozenset({1}))
    return section("reading", "How to read this", [table])
