"""Small charts, drawn on the server: SVG in percent of the width there is, so that texts keep their size on a phone.

The colours are those of the reports by their light values; `look.css` replaces each on dark paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from discreet.audit.report.ink import ACCENT, GRID, INK, MUTED, ORDER, PAPER, SOFT

if TYPE_CHECKING:
    from discreet.audit.report.charts import Axis, DotLine

LINE = 24
"""Height of a line of dots."""
BARS = 96
"""Height of a histogram."""
_MARKS = {
    "after": f'<circle r="6" fill="{ACCENT}" stroke="{PAPER}"/>',
    "before": f'<circle r="5" fill="{PAPER}" stroke="{MUTED}" stroke-width="2"/>',
    "limit": f'<path d="M0-9V9" stroke="{INK}" stroke-width="2.5"/>',
    "baseline": f'<path d="M0-7V7" stroke="{MUTED}" stroke-width="2"/>',
    "control": f'<path d="M0-7 7 0 0 7-7 0Z" fill="{PAPER}" stroke="{INK}" stroke-width="2"/>',
    "hidden": f'<path d="M0-6 6 5H-6Z" fill="{PAPER}" stroke="{MUTED}" stroke-width="2"/>',
}


def plain_dots(lines: Sequence[DotLine], axis: Axis, description: str) -> dict[str, object]:
    """Return lines of dots as plain data, to be drawn by `drawn`."""
    return {
        "description": description,
        "axis": axis.title,
        "lines": [
            {"label": line.label, "points": dict(line.points), "span": line.span, "said": line.said} for line in lines
        ],
    }


def drawn(figure: Mapping[str, Any]) -> Markup:
    """Return a chart of dots: a line each, its label above it, shares from left to right."""
    spec = figure["spec"]
    lines = Markup("").join(_line(line) for line in spec["lines"])
    ticks = Markup("").join(Markup('<span class="t{0}">{0}%</span>').format(at) for at in range(0, 101, 25))
    return Markup('<div class="chart dots" role="img" aria-label="{}">{}<p class="ticks">{}</p></div>').format(
        spec["description"], lines, ticks
    )


def _line(line: Mapping[str, Any]) -> Markup:
    parts = [Markup('<line x1="0" x2="100%" y1="{0}" y2="{0}" stroke="{1}"/>').format(LINE // 2, GRID)]
    if line["span"] is not None:
        low, high = line["span"]
        bar = Markup(
            '<line x1="{:.2f}%" x2="{:.2f}%" y1="{y}" y2="{y}" stroke="{}" stroke-width="5" stroke-linecap="round"/>'
        )
        parts.append(bar.format(100 * low, 100 * high, SOFT, y=LINE // 2))
    for mark in ORDER:
        share = line["points"].get(mark)
        if share is not None:
            place = Markup('<svg x="{:.2f}%" y="{}" overflow="visible">{}</svg>')
            parts.append(place.format(100 * share, LINE // 2, Markup(_MARKS[mark])))
    return Markup(
        '<p class="dotlabel"><bdi>{}</bdi></p><svg class="dotline" width="100%" height="{}"><title>{}</title>{}</svg>'
    ).format(line["label"], LINE, line["said"], Markup("").join(parts))


def histogram(bins: Sequence[int], ends: Sequence[float], tails: Sequence[float], description: str) -> Markup:
    """Return a histogram; `ends` and `tails` are places from 0 to 1 at which intervals may begin, or are closed."""
    most = max(bins, default=0) or 1
    width = 100 / max(len(bins), 1)
    bars = Markup("").join(
        Markup('<rect x="{:.3f}%" y="{:.1f}" width="{:.3f}%" height="{:.1f}" fill="{}"/>').format(
            place * width, BARS - BARS * rows / most, width * 0.92, BARS * rows / most, SOFT
        )
        for place, rows in enumerate(bins)
    )
    lines = Markup("").join(
        Markup(
            '<line data-end="{}" x1="{at:.3f}%" x2="{at:.3f}%" y1="0" y2="{}" stroke="{}" stroke-width="2"{}/>'
        ).format(number, BARS, INK, Markup(' stroke-dasharray="4 3"') if tail else "", at=100 * place)
        for number, (place, tail) in enumerate([*((each, False) for each in ends), *((each, True) for each in tails)])
    )
    base = Markup('<line x1="0" x2="100%" y1="{0}" y2="{0}" stroke="{1}"/>').format(BARS, MUTED)
    svg = Markup('<svg role="img" width="100%" height="{}" overflow="visible" aria-label="{}">{}{}{}</svg>')
    return Markup('<div class="chart hist">{}</div>').format(svg.format(BARS, description, bars, base, lines))
