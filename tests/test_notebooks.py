"""Notebooks: the one in the examples does what it shows, results show themselves without any cell."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import polars as pl
import pytest

import discreet as d
from tests.audit.audits import nasty, rich
from tests.notebooks import FOLDER, executed

pytestmark = pytest.mark.full  # what is stored is what a user gets

NOTEBOOK = FOLDER / "clinic.ipynb"
NASTY = "</td><script>window.hacked=1</script><img src=x onerror=hacked()>"


@pytest.mark.slow
def test_the_notebook_shows_what_it_does() -> None:
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    now = executed(NOTEBOOK)
    assert len(stored["cells"]) == len(now["cells"]) > 10
    for before, after in zip(stored["cells"], now["cells"], strict=True):
        if ".attack(" in "".join(before["source"]):  # figures of learners differ between versions of scikit-learn
            assert "What to do" in str(after["outputs"])
        else:
            assert before == after


def test_the_notebook_is_plain_python() -> None:
    """So that it is run here without a kernel."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "code" for line in cell["source"]]
    assert not [line for line in lines if line.lstrip().startswith(("%", "!", "?"))]


class Tags(HTMLParser):
    """The tags and texts of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown(table: pl.DataFrame, policy: dict[str, Any]) -> dict[str, str]:
    """All that a notebook shows of a job."""
    release = d.protect(table, policy)
    results: dict[str, Any] = {
        "release": release,
        "plan": release.plan,
        "audit": release.audit,
        "verification": d.verify(table, policy),
        "frontier": d.frontier(table, policy, ["75%", "1%"]),
        "check": d.check(policy, table),
        "policy": d.check(policy),
    }
    assert not [name for name, result in results.items() if "canary" in repr(result)]
    return {name: result._repr_html_() for name, result in results.items()}


def people(job: str) -> pl.DataFrame:
    return pl.DataFrame({job: ["canary-1", "canary-1", "canary-2"] * 4, "Ill": ["canary-3", "yes", "canary-4"] * 4})


def test_no_cell_is_shown() -> None:
    policy = {"protect": [{"infer": {"Ill": "yes"}, "given": ["Job"], "at_most": "50%"}]}
    for name, html in shown(people("Job"), policy).items():
        assert "canary" not in html, name
        assert "Job" in html, name
        assert ("PRIVATE" in html) == (name not in ("verification", "policy")), name


def test_promises_stand_before_and_after() -> None:
    policy = {"protect": [{"infer": {"Ill": "yes"}, "given": ["Job"], "at_most": "40%"}]}
    found = shown(people("Job"), policy)
    told = Tags(found["release"]).texts
    assert "Verified: the promise holds." in " ".join(told)
    assert {"Before", "After", "Limit", "Answer", "50% (4 of 8 rows)", "40%", "✓ holds"} <= set(told)
    assert "The promise is broken: do not publish." in found["verification"]
    assert "1 of 2 thresholds can be kept." in found["frontier"]


def test_texts_are_escaped() -> None:
    policy = {"protect": [{"infer": {"Ill": "yes"}, "given": [NASTY], "at_most": "50%"}]}
    for name, html in shown(people(NASTY), policy).items():
        read = Tags(html)
        assert not {"script", "img"} & set(read.tags), name
        assert NASTY in " ".join(read.texts), name
    assert not {"script", "img"} & set(Tags(nasty(NASTY)._repr_html_()).tags)


def test_attacks_are_shown_with_what_to_do() -> None:
    html = rich()._repr_html_()
    assert "2 of 7 attacks do better than their comparison" in html
    assert "What to do" in html
    assert "salary: at best 84.5% of the values are guessed" in html
