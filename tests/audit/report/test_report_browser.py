"""Reports and frontiers in a browser: all charts drawn, no error, no request, no menu, nothing wider than a phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.errors import InputError
from tests.assist.test_frontier_page import nasty as nasty_frontier
from tests.assist.test_frontier_page import shares, sizes
from tests.audit.audits import nasty, real, rich
from tests.audit.report.test_report import NASTY
from tests.browser import Browser, chromium

pytestmark = pytest.mark.browser

DRAWN = "document.querySelectorAll('[data-drawn]').length === document.querySelectorAll('[data-chart]').length"
SEEN_DRAWN = (
    "[...document.querySelectorAll('[data-chart]')]"
    ".every(one => one.closest('details:not([open])') || one.hasAttribute('data-drawn'))"
)
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true })"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of a rich audit, of one full of nasty texts, and of a real one; frontiers of the same kinds."""
    folder = tmp_path_factory.mktemp("reports")
    bad = nasty(NASTY + "x" * 300)
    made = {
        "owner": rich().to_html(),
        "public": rich().to_html(public=True),
        "nasty": bad.to_html(),
        "nasty_public": bad.to_html(public=True),
        "real": real("bob").to_html(),
        "frontier": shares().to_html(),
        "frontier_k": sizes().to_html(),
        "frontier_nasty": nasty_frontier(NASTY + "x" * 300).to_html(),
    }
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("owner", 320),
        ("owner", 390),
        ("owner", 1280),
        ("public", 390),
        ("nasty", 320),
        ("nasty_public", 390),
        ("real", 390),
        ("frontier", 320),
        ("frontier", 390),
        ("frontier", 1280),
        ("frontier_k", 390),
        ("frontier_nasty", 390),
    ],
)
def test_a_page_is_drawn_and_stays_by_itself(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    tab = browser.open(pages[name], width)
    tab.wait_until(SEEN_DRAWN)
    assert tab.value("document.documentElement.scrollWidth") <= width
    tab.value(UNFOLD)
    tab.wait_until(DRAWN)
    charts = tab.value("document.querySelectorAll('[data-chart]').length")
    assert charts == tab.value("document.querySelectorAll('[data-chart] svg').length") > 0
    assert tab.value("[...document.querySelectorAll('[data-chart] svg')].every(one => one.clientWidth > 100)")
    assert tab.problems() == []
    assert tab.requests() == [pages[name].resolve().as_uri()]
    assert tab.value("window.hacked") is None
    assert tab.value("document.querySelectorAll('.vega-actions, details.vega-embed, .has-actions').length") == 0
    assert tab.value("[...document.links].every(link => link.getAttribute('href').startsWith('#'))")
    assert tab.value("document.documentElement.scrollWidth") <= width
    tab.close()


def test_verdict_and_attacks_come_first_and_the_rest_is_folded(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["owner"], 1280)
    tab.wait_until(SEEN_DRAWN)
    tops = tab.value("[...document.querySelectorAll('section')].map(one => [one.id, one.getBoundingClientRect().top])")
    assert [name for name, _ in tops][:3] == ["to-do", "attacks", "promises"]
    assert dict(tops)["attacks"] < 1800
    height = "document.documentElement.scrollHeight"
    folded = tab.value(height)
    tab.value(UNFOLD)
    tab.wait_until(DRAWN)
    assert folded < 0.6 * tab.value(height)
    tab.close()


def test_tables_stack_on_a_phone(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["owner"], 390)
    tab.wait_until(SEEN_DRAWN)
    tab.value(UNFOLD)
    tab.wait_until(DRAWN)
    assert tab.value("document.querySelectorAll('table.stacks').length") > 5
    assert tab.value("[...document.querySelectorAll('.scroll')].every(one => one.scrollWidth <= one.clientWidth + 1)")
    said = "getComputedStyle(document.querySelector('#promises table.stacks td'), '::before').content"
    assert tab.value(said) in ("attr(data-head)", '"Before"')
    tab.close()


def test_a_report_on_paper_by_the_browser_that_is_there(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    made = rich().to_pdf(public=True)
    assert made.startswith(b"%PDF")
    assert len(made) > 20_000
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="none was found; install one, or write the page"):
        rich().to_pdf()


def test_an_error_would_be_heard(browser: Browser, tmp_path: Path) -> None:
    """The tests above can fail: errors, requests and wide pages are found."""
    page = tmp_path / "bad.html"
    page.write_text(
        "<!DOCTYPE html><div style='width: 5000px'>wide</div><img src='gone.png'>"
        "<script>console.error('x'); gone()</script>",
        encoding="utf-8",
    )
    tab = browser.open(page, 390)
    tab.wait_until("document.readyState === 'complete'")
    assert any("'x'" in text for text in tab.problems())
    assert any("gone" in text for text in tab.problems())
    assert len(tab.requests()) == 2
    assert tab.value("document.documentElement.scrollWidth") > 390
    tab.close()


def test_without_scripts_the_figures_are_tables(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["owner"], 390, script=False)
    tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert tab.value("document.querySelectorAll('[data-chart] svg').length") == 0
    assert tab.value("document.querySelectorAll('figure table').length") > 8
    assert "need JavaScript" in tab.value("document.body.textContent")
    tab.close()


def test_it_is_readable_in_the_dark_and_on_paper(browser: Browser, pages: dict[str, Path]) -> None:
    tab = browser.open(pages["owner"], 1280, dark=True)
    tab.wait_until(SEEN_DRAWN)
    paper = "getComputedStyle(document.body).backgroundColor"
    marks = "getComputedStyle(document.querySelector('.chart .mark-text.role-mark text')).fill"
    assert tab.value(paper) == "rgb(19, 24, 28)"
    assert tab.value(marks) == "rgb(232, 236, 239)"
    tab.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.value(paper) == "rgb(255, 255, 255)"
    assert tab.value(marks) == "rgb(0, 0, 0)"
    assert tab.value("getComputedStyle(document.querySelector('details:not([open])')).display") == "none"
    assert tab.printed().startswith(b"%PDF")
    tab.close()


def test_a_frontier_is_read_on_a_phone_in_the_dark_and_without_scripts(
    browser: Browser, pages: dict[str, Path]
) -> None:
    tab = browser.open(pages["frontier"], 390, dark=True)
    tab.wait_until(DRAWN)
    assert tab.value("getComputedStyle(document.querySelector('.chart path[stroke=\\'#0b6370\\']')).stroke") == (
        "rgb(87, 191, 204)"
    )
    assert tab.value("document.querySelector('.chart svg').getBoundingClientRect().right") <= 390
    assert tab.value("[...document.querySelectorAll('.scroll')].every(one => one.scrollWidth <= one.clientWidth)")
    tab.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.value("document.querySelector('figure table').getBoundingClientRect().height") > 100
    tab.close()
    tab = browser.open(pages["frontier"], 390, script=False)
    tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert tab.value("document.querySelectorAll('[data-chart] svg').length") == 0
    assert tab.value("document.querySelector('figure table').getBoundingClientRect().height") > 100
    assert tab.value("document.documentElement.scrollWidth") <= 390
    tab.close()
