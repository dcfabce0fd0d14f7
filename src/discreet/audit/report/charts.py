"""The charts of a report, in Vega-Lite; written as they stand, for Altair takes a second to be loaded.

A line of a chart has its label above it, so that charts are read on a phone as well. No text of the table is ever part
of an expression or the name of a field; marks differ by shape, not by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.audit.report.ink import ACCENT, GRID, INK, MUTED, ORDER, PAPER, SOFT
from discreet.audit.report.words import many, share
from discreet.audit.risk import RiskSpread
from discreet.policy import GroupPromise

MARKS: dict[str, dict[str, object]] = {
    "after": {"shape": "circle", "fill": ACCENT, "stroke": PAPER, "size": 105, "strokeWidth": 1},
    "before": {"shape": "circle", "fill": PAPER, "stroke": MUTED, "size": 80, "strokeWidth": 2},
    "limit": {"shape": "stroke", "angle": 90, "stroke": INK, "size": 420, "strokeWidth": 2.5},
    "baseline": {"shape": "stroke", "angle": 90, "stroke": MUTED, "size": 220, "strokeWidth": 2},
    "control": {"shape": "diamond", "fill": PAPER, "stroke": INK, "size": 110, "strokeWidth": 2},
    "hidden": {"shape": "triangle-up", "fill": PAPER, "stroke": MUTED, "size": 80, "strokeWidth": 2},
}
"""Marks of points, in the order in which they are drawn from below."""
PARTS = (ACCENT, SOFT, PAPER)
"""The parts of a stacked bar: as it was, coarser, hidden."""


VEGA_LITE = "6"
"""The version that charts are written for: any that begins so."""
Channel = dict[str, object]
Layer = dict[str, object]
KINDS = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}


def field(name: str, **more: object) -> Channel:
    """Return what is drawn of a field: its name, with the letter of its kind behind a colon."""
    name, _, kind = name.partition(":")
    return {"field": name, "type": KINDS[kind], **more}


def layer(rows: Sequence[Mapping[str, object]], mark: str, look: Mapping[str, object], **drawn: object) -> Layer:
    """Return rows drawn with a mark that looks so; `drawn` says what of them."""
    return {"data": {"values": [dict(row) for row in rows]}, "mark": {"type": mark, **look}, "encoding": drawn}


LINES = field("n:O", axis=None)
"""Lines below each other."""
SAID = field("said:N", title=" ")


@dataclass(frozen=True)
class Axis:
    """What is along the bottom: from `start` to `end` (from the data where absent); `log` where sizes differ much."""

    title: str
    format: str = "~%"
    end: float | None = 1
    start: float | None = 0
    log: bool = False

    def along(self, name: str) -> Channel:
        """Return a field along it."""
        scale: dict[str, object]
        if self.log:
            scale = {"type": "log", "domainMin": 1, "domainMax": self.end, "nice": False}
        else:
            ends = {"domainMin": self.start, "domainMax": self.end}
            scale = {name: end for name, end in ends.items() if end is not None}
        axis = {"format": self.format, "tickCount": 5, "labelFlush": True, "labelOverlap": True}
        return field(f"{name}:Q", title=self.title, scale=scale, axis=axis)


PERCENT = Axis("")


@dataclass(frozen=True)
class DotLine:
    """One line of a chart of points: its label, where its marks stand, and what is drawn between them."""

    label: str
    points: Mapping[str, float | None]
    span: tuple[float, float] | None = None
    said: str = ""


def dots(lines: Sequence[DotLine], axis: Axis, description: str) -> dict[str, object]:
    """Return a chart with one line per item, each with marks along the axis."""
    labels = [{"n": n, "label": line.label} for n, line in enumerate(lines)]
    spans = [{"n": n, "x": line.span[0], "x2": line.span[1]} for n, line in enumerate(lines) if line.span is not None]
    layers = [
        layer(labels, "rule", {"color": GRID, "strokeWidth": 1}, y=LINES),
        _labels(labels, -16, "width"),
    ]
    if spans:
        look = {"color": SOFT, "strokeWidth": 5, "strokeCap": "round"}
        layers.append(layer(spans, "rule", look, x=axis.along("x"), x2={"field": "x2"}, y=LINES))
    for mark in ORDER:
        found = [
            {"n": n, "x": line.points[mark], "said": line.said or line.label}
            for n, line in enumerate(lines)
            if line.points.get(mark) is not None
        ]
        if found:
            look = {"opacity": 1, **MARKS[mark]}
            layers.append(layer(found, "point", look, x=axis.along("x"), y=LINES, tooltip=SAID))
    return as_spec(layers, 46 * len(lines), description)


def bars(rows: Sequence[tuple[str, float, str]], axis: Axis, description: str) -> dict[str, object]:
    """Return a chart of bars: label, length, and the length in words."""
    data = [{"n": n, "label": label, "x": length, "said": said} for n, (label, length, said) in enumerate(rows)]
    look = {"color": ACCENT, "height": 10, "yOffset": 8}
    told = [field("label:N", title=" "), SAID]
    bar = layer(data, "bar", look, x=axis.along("x"), y=LINES, tooltip=told)
    return as_spec([*_headed(data), bar], 36 * len(rows), description)


def stacked(rows: Sequence[tuple[str, tuple[float, float, float], str]], description: str) -> dict[str, object]:
    """Return a chart of bars that are all as long, each of three parts (shares)."""
    labels = [{"n": n, "label": label, "said": said} for n, (label, _, said) in enumerate(rows)]
    pieces: list[dict[str, object]] = []
    for n, (label, shares, said) in enumerate(rows):
        start = 0.0
        for length, colour in zip(shares, PARTS, strict=True):
            if length:
                told = f"{label}: {said}"
                pieces.append({"n": n, "x": start, "x2": start + length, "colour": colour, "said": told})
            start += length
    look = {"height": 12, "yOffset": 8, "stroke": MUTED, "strokeWidth": 0.8}
    filled = field("colour:N", scale=None, legend=None)
    bar = layer(pieces, "bar", look, x=PERCENT.along("x"), x2={"field": "x2"}, y=LINES, color=filled, tooltip=SAID)
    return as_spec([*_headed(labels), bar], 38 * len(rows), description)


def paired(rows: Sequence[tuple[str, float | None, float]], description: str) -> dict[str, object]:
    """Return a small chart of shares: per value the original (where it is told) as an outline, the release filled."""
    heads = [{"n": n, "label": label, "said": share(after)} for n, (label, _, after) in enumerate(rows)]
    data = [
        {"n": n, "before": before, "after": after, "said": _beside(label, before, after)}
        for n, (label, before, after) in enumerate(rows)
    ]
    top = max((max(before or 0.0, after) for _, before, after in rows), default=0.0) or 1.0
    axis = Axis("", end=min(1.0, top * 1.05))
    both = any(before is not None for _, before, _ in rows)
    look = {"color": ACCENT, "height": 7, "yOffset": 5 if both else 8}
    layers = [*_headed(heads), layer(data, "bar", look, x=axis.along("after"), y=LINES, tooltip=SAID)]
    if both:
        look = {"fill": MUTED, "height": 4, "yOffset": 12}
        layers.append(layer(data, "bar", look, x=axis.along("before"), y=LINES, tooltip=SAID))
    return as_spec(layers, 36 * len(rows), description)


def spread(
    before: RiskSpread | None, after: RiskSpread, at: Fraction, kind: type[GroupPromise], *, description: str
) -> dict[str, object]:
    """Return a chart of how many rows stand in groups of which risk, with the limit; bins are equally wide."""
    before, after = trimmed(before, after, at)
    ends = after.ends
    wide = 0.84 if before is None else 0.4
    sides: dict[str, list[dict[str, object]]] = {}
    for which, found, left in (("before", before, 0.08), ("after", after, 0.92 - wide)):
        sides[which] = [
            {"x": i + left, "x2": i + left + wide, "y": rows, "said": _bin(ends, i, rows, which, kind)}
            for i, rows in enumerate(() if found is None else found.rows)
            if rows
        ]
    named = [_end(end, kind) for end in ends] + ([""] if len(ends) == len(after.rows) else [])
    axis = {
        "values": list(range(len(named))),
        "labelExpr": f"{named!r}[datum.value]",
        "labelOverlap": True,
        "grid": False,
        "ticks": True,
    }
    scale = {"domain": [0, len(after.rows)], "nice": False}
    x = field("x:Q", title=kind.words.group[0].lower() + kind.words.group[1:], axis=axis, scale=scale)
    y = field("y:Q", title="rows", axis={"tickCount": 4, "format": "~s"})
    looks: dict[str, dict[str, object]] = {
        "before": {"fill": PAPER, "stroke": MUTED, "strokeWidth": 1.2},
        "after": {"fill": ACCENT},
    }
    layers = [
        layer(rows, "bar", looks[which], x=x, x2={"field": "x2"}, y=y, y2={"datum": 0}, tooltip=SAID)
        for which, rows in sides.items()
        if rows
    ]
    place = _place(ends, float(at))
    layers.append(layer([{"x": place}], "rule", {"color": INK, "strokeWidth": 2, "strokeDash": [5, 3]}, x=x))
    return as_spec(layers, 190, description)


def trimmed(before: RiskSpread | None, after: RiskSpread, at: Fraction) -> tuple[RiskSpread | None, RiskSpread]:
    """Return the ranges up to the last in which there is a row, or the limit."""
    sides = [found for found in (before, after) if found is not None]
    used = [i for found in sides for i, rows in enumerate(found.rows) if rows or found.ends[i] <= at]
    last = max(used, default=0) + 1

    def upto(found: RiskSpread) -> RiskSpread:
        return RiskSpread(found.ends[: last + 1], found.rows[:last])

    return None if before is None else upto(before), upto(after)


def scatter(points: Sequence[tuple[float, float, str]], titles: tuple[str, str], description: str) -> dict[str, object]:
    """Return a square of points, with the diagonal on which both are the same."""
    data = [{"x": x, "y": y, "said": said} for x, y, said in points]
    whole: Channel = {"scale": {"domain": [0, 1]}, "axis": {"format": "~%", "tickCount": 5}}
    x, y = field("x:Q", title=titles[0], **whole), field("y:Q", title=titles[1], **whole)
    same = [{"x": 0, "y": 0, "x2": 1, "y2": 1}]
    look = {"shape": "circle", "fill": ACCENT, "stroke": ACCENT, "size": 36, "opacity": 0.45}
    layers = [
        layer(same, "rule", {"color": MUTED, "strokeDash": [4, 3]}, x=x, y=y, x2={"field": "x2"}, y2={"field": "y2"}),
        layer(data, "point", look, x=x, y=y, tooltip=SAID),
    ]
    return as_spec(layers, 320, description)


def _headed(data: Sequence[Mapping[str, object]]) -> list[Layer]:
    """Return the label of each line on its left and what is said on its right."""
    look = {"align": "right", "dy": -8, "color": INK, "fontSize": 13, "fontWeight": 600}
    said = layer(data, "text", look, y=LINES, x={"value": "width"}, text=field("said:N"))
    return [_labels(data, -8, "width - 130"), said]


def _labels(data: Sequence[Mapping[str, object]], up: int, limit: str) -> Layer:
    look = {"align": "left", "dy": up, "color": INK, "fontSize": 13, "limit": {"expr": limit}}
    return layer(data, "text", look, y=LINES, x={"value": 0}, text=field("label:N"))


def _beside(label: str, before: float | None, after: float) -> str:
    told = "" if before is None else f", original {share(before)}"
    return f"{label}: release {share(after)}{told}"


def _end(end: float, kind: type[GroupPromise]) -> str:
    return kind.shown(end) if kind.unit is None else f"{int(end):,}"


def range_of(ends: Sequence[float], at: int, kind: type[GroupPromise]) -> str:
    """Return a range of numbers or shares in words."""
    first = _end(ends[at], kind)
    if at + 1 == len(ends):
        return f"{first} or more"
    if kind.unit is None:
        return f"{first} to {_end(ends[at + 1], kind)}"
    last = _end(ends[at + 1] - 1, kind)
    return first if first == last else f"{first} to {last}"


def _bin(ends: Sequence[float], at: int, rows: int, which: str, kind: type[GroupPromise]) -> str:
    where = range_of(ends, at, kind)
    if kind.unit is None:
        where = f"at {where}"
    else:
        where = f"of {where}" if kind.measure == "rows" else f"with {where} {kind.unit.many}"
    return f"{which}: {many(rows, 'row')} in groups {where}"


def _place(ends: Sequence[float], at: float) -> float:
    """Return where a number lies among the bins, each one unit wide."""
    below = max((i for i, end in enumerate(ends) if end <= at), default=0)
    if below + 1 >= len(ends):
        return float(below)
    return below + min(max((at - ends[below]) / (ends[below + 1] - ends[below]), 0.0), 1.0)


def as_spec(layers: Sequence[Layer], height: int, description: str) -> dict[str, object]:
    """Return some layers as a Vega-Lite specification as wide as its place."""
    font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
    axis = {
        "labelColor": MUTED, "titleColor": MUTED, "gridColor": GRID, "tickColor": GRID, "domain": False, "ticks": False,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelPadding": 6, "aria": False,
    }  # fmt: skip
    return {
        "$schema": f"https://vega.github.io/schema/vega-lite/v{VEGA_LITE}.json",
        "layer": list(layers),
        "width": "container",
        "height": height,
        "description": description,
        "background": "transparent",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 4, "right": 8, "top": 4, "bottom": 4},
        "config": {"font": font, "axis": axis, "view": {"stroke": None}, "mark": {"aria": False}},
    }
