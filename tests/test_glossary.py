"""The words of the field stand in the glossary, and on the pages where its readers look for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

DOCS = ROOT / "docs"
GLOSSARY = DOCS / "glossary.md"
LINK = re.compile(r"\]\(([^()\s:]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
WORDS = (
    "attribute disclosure", "background knowledge", "confidence bounding", "differential privacy", "direct identifier",
    "discernibility", "equivalence class", "full-domain generalisation", "generalisation hierarchy", "global recoding",
    "homogeneity attack", "identity disclosure", "information loss", "intruder", "journalist risk", "k-anonymity",
    "k-map", "l-diversity", "local recoding", "local suppression", "marketer risk", "membership disclosure",
    "microaggregation", "microdata", "minimality attack", "PRAM", "prosecutor risk", "quasi-identifier",
    "re-identification", "sample uniqueness", "sensitive attribute", "statistical disclosure control",
    "suppression limit", "synthetic data", "t-closeness", "top and bottom coding", "utility",
)  # fmt: skip
ON_THE_PAGE = {
    "../README.md": ("microdata", "quasi-identifier", "attribute disclosure"),
    "index.md": ("microdata", "quasi-identifier", "sensitive attribute", "attribute disclosure", "identity disclosure"),
    "policies.md": ("quasi-identifier", "sensitive attribute", "direct identifier", "utility", "suppression limit"),
    "k-anonymity.md": ("quasi-identifier", "equivalence class", "record suppression", "information loss", "k-map"),
    "templates.md": ("attribute disclosure", "quasi-identifier", "equivalence class", "l-diversity"),
    "local-recoding.md": ("local recoding", "global recoding", "cell-level", "equivalence class"),
    "columns.md": ("generalisation hierarchy", "top and bottom coding", "microaggregation", "information loss"),
    "confidential-cells.md": ("local suppression", "attribute disclosure", "sensitive attribute"),
    "attacks.md": ("re-identification", "prosecutor", "homogeneity attack", "background knowledge"),
    "audit.md": ("utility", "information loss"),
}  # fmt: skip


def headings(page: Path) -> set[str]:
    """Return the places of a page that a link may name, as the site makes them of its headings."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in found}


def dead_links(text: str, folder: Path) -> list[str]:
    """Return the links that lead to no page, or to no heading of it."""
    dead = []
    for target in LINK.findall(FENCE.sub("", text)):
        name, _, heading = target.partition("#")
        page = folder / name
        if not page.exists() or (heading and heading not in headings(page)):
            dead.append(target)
    return dead


def rows(text: str) -> list[list[str]]:
    """Return the cells of all tables, without their heads."""
    lines = [line for line in FENCE.sub("", text).splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if "ARX" not in row]


def test_every_word_is_explained_somewhere() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    assert dead_links(text, DOCS) == []
    table = rows(text)
    assert len(table) > 40
    assert [row for row in table if len(row) != 5 or not all(row) or not LINK.search(" ".join(row))] == []


@pytest.mark.parametrize("text", ["[a](gone.md)", "[a](glossary.md#gone)"])
def test_a_dead_link_is_found(text: str) -> None:
    assert len(dead_links(text, DOCS)) == 1


def test_the_words_of_the_field_are_there() -> None:
    text = GLOSSARY.read_text(encoding="utf-8").lower()
    assert [word for word in WORDS if word.lower() not in text] == []


@pytest.mark.parametrize("page", ON_THE_PAGE)
def test_a_page_has_the_words_of_its_subject(page: str) -> None:
    """Each once at least, beside our own, so that who looks for them finds the page."""
    text = " ".join(FENCE.sub("", (DOCS / page).read_text(encoding="utf-8")).lower().split())
    assert [word for word in ON_THE_PAGE[page] if word.lower() not in text] == []
