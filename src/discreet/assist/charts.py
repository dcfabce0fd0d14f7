"""Charts, made with Altair (the extra `report`) and loaded only when one is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.assist.frontier import Frontier

FORMS = (".html", ".svg", ".png")


def _altair() -> Any:
    try:
        import altair
    except ModuleNotFoundError:
        raise InputError("charts need Altair; install discreet[report]") from None
    return altair


def frontier_chart(frontier: Frontier) -> Any:
    """Return a chart of the detail (and what is told of the target) kept at each threshold."""
    alt = _altair()
    rows: list[dict[str, object]] = []
    for point in frontier.points:
        x = point.threshold.denominator if frontier.sizes else float(point.threshold)
        measures = {"detail of the columns": point.detail}
        if frontier.target is not None:
            measures[f"what they tell of {frontier.target}"] = point.target
        rows += [
            {"threshold": x, "kept": value, "measure": measure, "written": frontier.name_of(point.threshold)}
            for measure, value in measures.items()
            if value is not None
        ]
    impossible = [
        {"threshold": p.threshold.denominator if frontier.sizes else float(p.threshold), "kept": 0.0}
        for p in frontier.points
        if not p.possible
    ]
    own = frontier.own.denominator if frontier.sizes else float(frontier.own)
    title = "least rows alike (k)" if frontier.sizes else "largest confidence allowed"
    scale = alt.Scale(type="log") if frontier.sizes else alt.Scale(domain=[0, 1])
    axis = alt.Axis() if frontier.sizes else alt.Axis(format="%")
    x = alt.X("threshold:Q", title=title, scale=scale, axis=axis)
    y = alt.Y("kept:Q", title="kept", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    lines = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True, interpolate="step-after" if not frontier.sizes else "step-before")
        .encode(x=x, y=y, color=alt.Color("measure:N", title=None, legend=alt.Legend(orient="bottom")),
                tooltip=["written:N", "measure:N", alt.Tooltip("kept:Q", format=".1%")])
    )  # fmt: skip
    never = alt.Chart(alt.Data(values=impossible)).mark_point(shape="cross", color="#b00", size=60).encode(x=x, y=y)
    policy = alt.Chart(alt.Data(values=[{"threshold": own}])).mark_rule(strokeDash=[4, 3], color="#666").encode(x=x)
    subtitle = "dashed: the policy's own threshold" + ("; red crosses: no release can keep it" if impossible else "")
    return (policy + lines + never).properties(
        width=520, height=320, title=alt.Title("How much can be told at which threshold", subtitle=subtitle)
    )


def write_chart(chart: Any, path: Path, target: Any) -> None:
    """Write a chart to an open file; the name of `path` says in which form."""
    import io

    form = path.suffix.lower().lstrip(".")
    if form == "png":
        packed = io.BytesIO()
        chart.save(packed, format=form, scale_factor=2)
        target.write(packed.getvalue())
        return
    text = io.StringIO()
    chart.save(text, format=form, **({"inline": True} if form == "html" else {}))
    target.write(text.getvalue().encode())
