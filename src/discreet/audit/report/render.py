"""Reports: one HTML file that works offline, for the owner with everything, for the public without any secret.

Needs the extra `report` (vl-convert, Jinja2; Altair for the chart of a frontier), loaded only when it is used.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from discreet.errors import InputError

if TYPE_CHECKING:
    from markupsafe import Markup

    from discreet.audit.audit import Audit
    from discreet.audit.public import Facts
    from discreet.audit.report.page import Figure, Page

NEEDS = ("altair", "vl_convert", "jinja2")
"""What a report is made with."""


def refuse_report() -> None:
    """Refuse at once where reports cannot be written."""
    from importlib.util import find_spec

    for name in NEEDS:
        try:
            found = find_spec(name)
        except ValueError:  # loaded in a way of its own
            found = None
        if found is None:
            raise InputError("reports and pictures need Altair, vl-convert and Jinja2; install discreet[report]")


def owner_html(audit: Audit) -> str:
    """Return the owner's report as one HTML page that needs nothing else."""
    refuse_report()
    from discreet.audit.report.private import private_page

    return render(private_page(audit))


def public_html(facts: Facts) -> str:
    """Return the report that may be published; `discreet.audit.public` says of what it is made."""
    refuse_report()
    from discreet.audit.report.public import public_page

    return render(public_page(facts))


def render(page: Page) -> str:
    """Return a page as HTML; every text is escaped."""
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "style"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=False,
    )
    environment.globals.update(chart=_chart, more=lambda _: "")
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.from_string(_text("page.html.jinja")).render(
        page=page,
        style=Markup(_text("style/look.css") + _text("page.css")),
        script=Markup(script),
        digest=digest,
    )


def _chart(figure: Figure) -> Markup:
    """Return where a chart is drawn by the script of the page, and of what."""
    from markupsafe import Markup

    drawn = Markup(
        '<div class="chart" data-chart="{0}-spec"></div>\n<script type="application/json" id="{0}-spec">{1}</script>'
    )
    return drawn.format(figure.name, Markup(safe_json(figure.spec)))


def safe_json(value: Any) -> str:
    """Return JSON that can stand inside a script element, whatever texts it has.

    >>> print(safe_json({"a": "</script><!--"}))
    {"a":"\\u003c/script\\u003e\\u003c!--"}
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _script() -> str:
    """Return the JavaScript of a page: the libraries that draw charts, once, and what calls them."""
    from discreet.audit.report.bundle import bundle
    from discreet.audit.report.charts import VEGA_LITE

    return bundle(_text("page.js"), VEGA_LITE)


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
