"""The page of a frontier is made like a report: private, by itself, every text escaped."""

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.assist import charts
from discreet.assist.frontier_points import Frontier, Point
from discreet.cli.app import app
from tests.audit.audits import rich
from tests.audit.report.test_report import NASTY, Read
from tests.jobs import bank, bank_policy

PRIVATE = "PRIVATE: this tells more than a release does. Keep it; never publish it."


def shares() -> Frontier:
    """Two lines, and thresholds that cannot be kept."""
    return d.frontier(bank(), bank_policy(), ["75%", "50%", "25%", "20%", "10%"])


def sizes() -> Frontier:
    """One line, by cuts; k without bound."""
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["Job", "Country"])])
    return d.frontier(bank(), policy, [3, 12, 30])


def elsewhere() -> Frontier:
    """The policy's own threshold was not tried, and nothing is possible."""
    return d.frontier(bank(), bank_policy(), ["10%"])


def nasty(text: str = NASTY) -> Frontier:
    """A frontier whose texts are out for harm."""
    points = (Point(Fraction(3, 4), True, Fraction(1, 2), 0.5, 0.25, 3), Point(Fraction(1, 4), False))
    return Frontier(points, False, Fraction(3, 4), (f"{text} -> x",), text)


MADE: list[Callable[[], Frontier]] = [shares, sizes, elsewhere, nasty]


def policy_of(page: str) -> str | None:
    tags = Read(page).tags
    return next(attrs["content"] for _, attrs in tags if attrs.get("http-equiv") == "Content-Security-Policy")


def specs(page: str) -> list[dict[str, Any]]:
    return [json.loads(text) for kind, text in Read(page).scripts() if kind == "application/json"]


@pytest.mark.parametrize("made", MADE)
def test_its_chart_is_one_of_vega_lite(made: Callable[[], Frontier]) -> None:
    """Whole charts are checked here, for they are not where a page is made."""
    import altair

    for figure in charts.frontier_page(made()).figures():
        altair.TopLevelLayerSpec.validate(dict(figure.spec))


@pytest.mark.slow
@pytest.mark.parametrize("made", MADE)
def test_it_says_that_it_is_private(made: Callable[[], Frontier]) -> None:
    page = made().to_html()
    assert page.splitlines()[0] == f"<!DOCTYPE html><!-- {PRIVATE} -->"
    assert "<title>PRIVATE: How much can be told at which threshold</title>" in page
    assert f'<div class="banner private" role="note">{PRIVATE}</div>' in page


@pytest.mark.slow
@pytest.mark.parametrize("made", MADE)
def test_it_may_do_what_a_report_may_and_no_more(made: Callable[[], Frontier]) -> None:
    page, report = made().to_html(), rich().to_html()
    assert policy_of(page) == policy_of(report) is not None
    style = [text for text in Read(report).texts if ":root" in text]
    assert style
    assert style[0] in Read(page).texts
    scripts = [text for kind, text in Read(page).scripts() if kind == "module"]
    assert scripts == [text for kind, text in Read(report).scripts() if kind == "module"]


@pytest.mark.parametrize("made", MADE)
def test_nothing_leads_out_of_it(made: Callable[[], Frontier]) -> None:
    page = made().to_html()
    read = Read(page)
    addresses = [attrs.get("src") or attrs.get("href") or "" for _, attrs in read.tags]
    assert all(not address or address.startswith("#") for address in addresses)
    assert not [name for _, attrs in read.tags for name in attrs if name.startswith("on")]
    assert "http" not in " ".join(read.texts)
    (spec,) = specs(page)
    del spec["$schema"]
    assert "http" not in json.dumps(spec)
    assert "url" not in json.dumps(spec)


@pytest.mark.parametrize("made", MADE)
def test_the_chart_has_words_and_a_table_in_sight(made: Callable[[], Frontier]) -> None:
    found = made()
    page = found.to_html()
    read = Read(page)
    (spec,) = specs(page)
    assert len(spec["description"]) > 20
    assert spec["width"] == "container"
    assert "details" not in [tag for tag, _ in read.tags]
    heads = [text.removesuffix(" (the policy's)") for text in read.texts]
    assert all(found.name_of(point.threshold) in heads for point in found.points)
    levels = [int(tag[1]) for tag, _ in read.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    names = [attrs["id"] for _, attrs in read.tags if "id" in attrs]
    assert len({*names}) == len(names)


def test_it_tells_where_the_policy_stands() -> None:
    text = Read(shares().to_html()).text
    for told in (
        "The policy's own threshold, 75%, keeps 87.8% of the detail.",
        "50% is stricter and would keep as much.",
        "The strictest of these that can be kept is 25%, with 33.3% of the detail.",
        "2 of 5 thresholds cannot be kept.",
        "20%, 10% cannot be kept; at least ~20.83%.",
        "Of Rating kept",
        "Job, Country -> Bankruptcy = Discharged, at most 75%",
    ):
        assert told in text, told
    text = Read(sizes().to_html()).text
    assert "k = 30 cannot be kept; at most k = 24." in text
    assert "Smallest group" in text
    assert "Disclosures" not in text  # there are none to count
    text = Read(elsewhere().to_html()).text
    assert "The policy's own threshold, 75%, is not among these." in text
    assert "None of these can be kept." in text
    impossible = d.frontier(bank(), bank_policy("10%"), ["10%", "50%"])
    assert "The policy's own threshold, 10%, cannot be kept; at least ~20.83%." in Read(impossible.to_html()).text


def test_many_promises_are_counted() -> None:
    found = nasty("x")
    many = Frontier(found.points, False, found.own, tuple(f"promise {n}" for n in range(50)), None)
    text = Read(many.to_html()).text
    assert "promise 39" in text
    assert "promise 40" not in text
    assert "10 more are not shown here." in text


def test_texts_are_escaped() -> None:
    clean, read = Read(nasty("x").to_html()), Read(nasty().to_html())
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in clean.tags]
    assert NASTY.split()[1] in " ".join(read.texts)
    assert "\u202e" not in nasty().to_html()


@pytest.mark.slow
@pytest.mark.parametrize("made", MADE)
def test_a_picture_alone_is_private_too(made: Callable[[], Frontier]) -> None:
    found = made()
    picture = ElementTree.fromstring(charts.drawn(found, Path("f.svg")))
    assert picture.tag.endswith("svg")
    assert PRIVATE in [text.strip() for text in picture.itertext()]
    assert not [tag for tag in picture.iter() if tag.tag.endswith(("script", "image", "}a"))]
    assert charts.drawn(found, Path("f.PNG")).startswith(b"\x89PNG")


def test_a_chart_shown_in_a_notebook_has_no_menu() -> None:
    spec = shares().plot().to_dict()
    assert spec["usermeta"] == {"embedOptions": {"actions": False}}
    assert PRIVATE in spec["title"]["subtitle"]


WORDS = ["frontier", "bank.csv", "-p", "bank.yaml", "--thresholds", "75%", "--plot", "f.html"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bank().write_csv("bank.csv")
    Path("bank.yaml").write_text("protect: [{infer: {Bankruptcy: Discharged}, given: [Job], at_most: 75%}]\n")
    return tmp_path


def test_a_page_that_exists_is_replaced_only_when_asked(files: Path) -> None:
    page = files / "f.html"
    page.write_text("old")
    result = CliRunner().invoke(app, WORDS)
    assert result.exit_code == 2
    assert "f.html: exists already; use --force" in result.stderr
    assert page.read_text() == "old"
    result = CliRunner().invoke(app, [*WORDS, "--force"])
    assert result.exit_code == 0, result.output
    assert page.read_text(encoding="utf-8") == d.frontier("bank.csv", "bank.yaml", ["75%"]).to_html()
    assert page.stat().st_mode & 0o077 == 0


def test_a_page_is_never_half_written(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> bytes:
        raise d.InputError("cannot be drawn")

    (files / "f.html").write_text("old")
    monkeypatch.setattr(charts, "drawn", fails)
    result = CliRunner().invoke(app, [*WORDS, "--force"])
    assert result.exit_code == 2
    assert sorted(path.name for path in files.iterdir()) == ["bank.csv", "bank.yaml", "f.html"]
    assert (files / "f.html").read_text() == "old"
