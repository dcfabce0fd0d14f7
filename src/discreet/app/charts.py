"""Small charts as SVG, made here: no library, no script; beside each stand its figures as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 190, 40, 34, 10


_LINE = Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>')
_LABEL = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>')
_DOT = Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>')
_CROSS = Markup('<path class="cross" d="M{:.1f} {:.1f}l8 8m0 -8l-8 8"/>')
_CHART = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>')


def frontier_svg(points: Sequence[Mapping[str, Any]], coming: Sequence[str] = ()) -> Markup:
    """Return how much can be told at which threshold: loose on the left, strict on the right.

    Points that are still `coming` have their place already.
    """
    wide, high = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
    names = [*(point["name"] for point in points), *coming]
    step = wide / max(len(names) - 1, 1)
    parts: list[Markup] = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = TOP + high * (1 - share)
        parts.append(_LINE.format(LEFT, WIDTH - 12, y, y))
        parts.append(_LABEL.format("", LEFT - 6, y + 4, "end", f"{share:.0%}"))
    line: list[str] = []
    marks: list[Markup] = []
    for place, point in enumerate(points):
        x, y = LEFT + step * place, TOP + high * (1 - (point["detail"] or 0))
        if point["possible"]:
            line.append(f"{x:.1f},{y:.1f}")
            marks.append(_DOT.format("own", x, y, 6) if point["own"] else _DOT.format("dot", x, y, 3.5))
        else:
            marks.append(_CROSS.format(x - 4, TOP + high - 4))
    every = max(1, -(-len(names) // 6))
    own = next((place for place, point in enumerate(points) if point["own"]), None)
    for place, name in enumerate(names):
        x = LEFT + step * place
        if place == own or (place % every == 0 and (own is None or abs(place - own) * 2 > every)):
            marks.append(_LABEL.format("own" if place == own else "", x, HEIGHT - 14, "middle", name))
    parts.append(Markup('<polyline class="line" points="{}"/>').format(" ".join(line)))
    text = "Detail told at each threshold, from loose to strict; the figures are in the table below."
    return _CHART.format(WIDTH, HEIGHT, text, Markup("").join([*parts, *marks]))
