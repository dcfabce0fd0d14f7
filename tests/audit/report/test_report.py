"""Reports: everything for the owner, no secret for the public, every text escaped."""

import json
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from discreet.attack.base import Attack, Kind
from discreet.audit.audit import Audit
from discreet.audit.report.attack_words import by_chance, figures_said, meaning, remedy
from discreet.audit.report.attacks import attacks_section
from discreet.audit.report.charts import trimmed
from discreet.audit.report.page import Figure, StepList
from discreet.audit.report.private import private_page
from discreet.audit.report.public import public_page
from discreet.audit.report.words import attacked, compared, kept_promises
from discreet.audit.risk import RiskSpread
from discreet.common.rates import Rate
from discreet.errors import InputError
from discreet.verification.answers import Answer
from discreet.verification.findings import Truth, Verification
from discreet.writing.release import write_reports
from tests.audit.audits import REAL, Change, changed, nasty, real, rich, sampled

NASTY = "</script><script>window.hacked=1</script><!-- \"'&<img src=x onerror=hacked()> \u202e\u05d0 \u2028"


class Read(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.data: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.data.append("")

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.data[-1] += data
        else:
            self.texts.append(data)

    def handle_endtag(self, _tag: str) -> None:
        self._inside = ""

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def scripts(self) -> Iterator[tuple[str | None, str]]:
        kinds = [attrs.get("type") for tag, attrs in self.tags if tag == "script"]
        return zip(kinds, self.data, strict=True)


def other(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, Answer):
        return Answer.BROKEN if value is Answer.HOLDS else Answer.HOLDS
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"S3CRET {value}"
    if isinstance(value, int):
        return value + 1729
    if isinstance(value, float):
        return value / 2 + 0.1729
    if isinstance(value, Fraction):
        return value / 3 + Fraction(1, 1729)
    return value


def only(path: str) -> Change:
    """What changes one path."""
    return lambda at, value: other(value) if at == path else value


KEPT = ("kind", "limit")
"""Words that the page understands."""


def bases() -> list[Audit]:
    whole = sampled(rich())
    return [whole, replace(rich(), utility=None)]


def test_the_owner_reads_everything() -> None:
    page = rich().to_html()
    read = Read(page)
    assert page.splitlines()[0].startswith("<!DOCTYPE html><!-- PRIVATE: ")
    assert "<title>PRIVATE: Audit of adult_release.csv</title>" in page
    for text in (
        "All 3 promises hold",
        "2 of 7 attacks do better than their comparison",
        "education = Level 3, sex = (missing)",
        "6 suppressed rows all have the same value of 'salary'",
        "73.7% to 77.4%",
        "row 66, naive_bayes",
        "There was no time for: gradient_boosting",
        "Whoever also knows hours, country of a person",
        "28 pairs",
    ):
        assert text in read.text, text


@pytest.mark.parametrize("name", REAL)
def test_what_was_not_done_is_said(name: str) -> None:
    audit = real(name)
    text = Read(audit.to_html()).text
    assert "Not attacked: run “discreet audit”" in text
    assert "not measured: run “discreet audit”" in text
    assert kept_promises(audit.promises) in text
    assert "The release was not attacked" in Read(audit.to_html(public=True)).text


def test_a_broken_promise_comes_first() -> None:
    audit = rich()
    found = (replace(audit.promises[0], answer=Answer.BROKEN), *audit.promises[1:])
    verification = Verification(found, Truth(Answer.BROKEN, ("row 7 is not true",)))
    assert audit.public.counted is not None
    seen = replace(audit.public.counted, answers=(Answer.BROKEN, Answer.HOLDS, Answer.NOT_CHECKABLE))
    terms = replace(audit.public.terms, method=None)
    broken = replace(audit, verification=verification, public=replace(audit.public, counted=seen, terms=terms))
    text = Read(broken.to_html()).text
    assert "Do not publish: a promise is broken." in text
    assert "Of 3 promises 1 is broken" in text
    assert "row 7 is not true" in text.lower()
    public = Read(broken.to_html(public=True)).text
    assert "does not keep what was promised" in public
    assert "row 7" not in public.lower()


@pytest.mark.slow
@pytest.mark.parametrize("public", [False, True])
def test_every_chart_has_words_a_table_and_a_description(public: bool) -> None:
    page = rich().to_html(public=public)
    read = Read(page)
    specs = [json.loads(text) for kind, text in read.scripts() if kind == "application/json"]
    holders = [attrs for tag, attrs in read.tags if "data-chart" in attrs]
    assert len(specs) == len(holders) == page.count("The figures as a table") > 8
    assert all(len(spec["description"]) > 20 and spec["width"] == "container" for spec in specs)
    assert all("url" not in json.dumps(spec["layer"]) for spec in specs)
    assert [kind for kind, _ in read.scripts()].count("module") == 1
    assert len({attrs["id"] for _, attrs in read.tags if "id" in attrs}) == sum("id" in attrs for _, attrs in read.tags)


def test_every_chart_is_one_of_vega_lite() -> None:
    """Whole charts are checked here, for they are not where a page is made."""
    import altair
    import jsonschema

    check = altair.TopLevelLayerSpec.validate
    pages = (private_page(rich()), public_page(sampled(rich()).public))
    specs = [dict(figure.spec) for page in pages for figure in page.figures()]
    assert len(specs) > 25
    for spec in specs:
        check(spec)
    with pytest.raises(jsonschema.ValidationError):
        check({**specs[0], "layer": [{"mark": "no such mark"}]})


@pytest.mark.parametrize("public", [False, True])
def test_headings_are_in_order_and_nothing_is_loaded(public: bool) -> None:
    read = Read(rich().to_html(public=public))
    levels = [int(tag[1]) for tag, _ in read.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    loaded = [attrs.get("src") or attrs.get("href") or "" for tag, attrs in read.tags]
    assert all(not address or address.startswith("#") for address in loaded)
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in read.tags if tag == "th")


@pytest.mark.slow
def test_the_public_page_has_nothing_but_what_may_be_published() -> None:
    """Whatever else changes in an audit, the public page stays the same to the letter."""
    for audit in bases():
        secret = changed(
            audit, lambda path, value: value if path.startswith("public.") or path.endswith(KEPT) else other(value)
        )
        assert secret != audit
        page = audit.to_html(public=True)
        assert secret.to_html(public=True) == page
        assert secret.to_html() != audit.to_html()
        assert "S3CRET" in secret.to_html()


@pytest.mark.slow
def test_what_may_be_published_is() -> None:
    """Public facts have nothing too much: each text of theirs is on the page, each figure changes it."""
    facts = sampled(rich()).public
    paths: dict[str, object] = {}
    changed(facts, lambda path, value: paths.setdefault(path, value))
    words = ("terms.kinds[]", "terms.sample[]", "counted.answers[]", "counted.sizes[][]", "counted.targets[].measure")
    page = public_page(facts)
    made_elsewhere = replace(facts, terms=replace(facts.terms, method=None))
    for path, value in paths.items():
        if value is None or path in words:
            continue
        told = made_elsewhere if path == "counted.answers[]" else facts
        now = public_page(changed(told, only(path)))
        assert now != page, path
        assert type(value) is not str or "S3CRET" in str(now), path
    assert len(paths) > 30


@pytest.mark.slow
@pytest.mark.parametrize("public", [False, True])
def test_texts_are_escaped(public: bool) -> None:
    audit = nasty(NASTY)
    clean, read = Read(rich().to_html(public=public)), Read(audit.to_html(public=public))
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in clean.tags]
    for kind, text in read.scripts():
        if kind == "application/json":
            assert json.loads(text)
    assert NASTY.split()[1] in " ".join(read.texts)


def test_what_to_do_comes_first() -> None:
    page = private_page(rich())
    assert [part.name for part in page.sections[:3]] == ["to-do", "attacks", "promises"]
    (steps,) = [block.steps for block in page.sections[0].blocks if isinstance(block, StepList)]
    assert steps[0].text == (
        "salary: at best 84.5% of the values are guessed; "
        "1 of 3 attacks does better than its comparison (random forest)"
    )
    assert steps[0].means == (
        "By the commonest value: 74.5%; about people who are not in the release: 79%; on the original: 90.6%. "
        "It learns more about the people of the release than about anybody else."
    )
    assert steps[0].to_do.startswith("Make protect[1] stricter")
    warned = [step for step in steps if not step.text]
    assert len(warned) == len(rich().all_warnings)
    assert all(step.level == "look" for step in steps)


def test_what_is_well_needs_nothing() -> None:
    audit = rich()
    assert audit.attacks is not None
    quiet = tuple(replace(each, warnings=()) for each in audit.attacks.found if not each.leaks)
    cells = audit.promises[2].cells
    assert cells is not None
    silent = replace(audit.promises[2], cells=replace(cells, warnings=()))
    kept = replace(audit.verification, requirements=(*audit.promises[:2], silent))
    well = replace(audit, warnings=(), attacks=replace(audit.attacks, found=quiet), verification=kept)
    (steps,) = [block.steps for block in private_page(well).sections[0].blocks if isinstance(block, StepList)]
    assert [step.text for step in steps] == ["Nothing has to be done."]
    broken = replace(silent, answer=Answer.BROKEN, reason="a cell is guessed")
    kept = replace(audit.verification, requirements=(*audit.promises[:2], broken))
    page = private_page(replace(well, verification=kept, attacks=None))
    (steps,) = [block.steps for block in page.sections[0].blocks if isinstance(block, StepList)]
    assert [step.level for step in steps] == ["bad", "look"]
    assert steps[0].text.startswith("Promise 3 is broken: occupation of 9 rows")
    assert steps[0].means == "A cell is guessed."
    assert steps[0].to_do.startswith("Do not publish.")


def test_every_attack_has_a_meaning_and_a_remedy() -> None:
    attacks = rich().attacks
    assert attacks is not None
    for attack in attacks.found:
        assert meaning(attack).endswith(".")
        assert remedy(attack).endswith(".")
        said = figures_said(attack)
        assert "_" not in said
        assert not said or said.endswith(".")
    told = Read(rich().to_html()).text
    assert "something was changed for 9 of the cells; 8 of these are guessed" in told.lower()
    one = [attacks.found[3]]
    rest = [attacks.found[2]] * 30
    assert by_chance([*one, *rest]) is not None
    assert by_chance([*one, *one, *rest]) is None


def test_odd_values_are_named() -> None:
    audit = rich()
    worst = replace(audit.risk[1].worst_after[0], group={"a": None, "b": "", "c": "  ", "d": "x" * 5000})
    risk = replace(audit.risk[1], worst_after=(worst,))
    page = replace(audit, risk=(risk,)).to_html()
    assert "a = (missing), b = (empty), c = “  ”, d = xxx" in page
    assert "x" * 200 not in page


def test_many_cells_are_points_and_tables_are_cut() -> None:
    audit = rich()
    finding = audit.promises[2]
    assert finding.cells is not None
    many = tuple(replace(cell, row=row) for row, cell in enumerate(finding.cells.cells * 50, 1))
    findings = (*audit.promises[:2], replace(finding, cells=replace(finding.cells, cells=many)))
    page = replace(audit, verification=Verification(findings, Truth(Answer.HOLDS))).to_html()
    assert "Each point is a cell" in page
    assert "600 more are not shown here" in page


def test_many_promises_are_not_shown_one_by_one() -> None:
    audit = replace(rich(), risk=rich().risk * 20, utility=None)
    page = audit.to_html()
    assert page.count("The worst groups of the release") == 2 * 12
    assert "28 more are not shown one by one" in page
    names = [attrs["id"] for _, attrs in Read(page).tags if "id" in attrs]
    assert len({*names}) == len(names)


def test_ranges_without_rows_are_left_away() -> None:
    before, after = RiskSpread((1, 2, 5, 10, 20), (3, 0, 0, 0, 0)), RiskSpread((1, 2, 5, 10, 20), (0, 4, 0, 0, 0))
    assert trimmed(before, after, Fraction(4)) == (RiskSpread((1, 2, 5), (3, 0)), RiskSpread((1, 2, 5), (0, 4)))
    assert trimmed(None, after, Fraction(10)) == (None, RiskSpread((1, 2, 5, 10, 20), (0, 4, 0, 0)))
    assert trimmed(None, RiskSpread((1, 2), (0, 7)), Fraction(1)) == (None, RiskSpread((1, 2), (0, 7)))


def test_the_surest_fifth_stands_beside_the_rates_of_confidential_cells() -> None:
    found = rich().attacks
    assert found is not None
    tables = {block.name: block.table for block in attacks_section(found).blocks if isinstance(block, Figure)}
    cells = tables["attack-cells"]
    at = cells.head.index("Surest fifth")
    assert cells.rows[0][at : at + 2] == ("0% (0 of 2)", "100% (2 of 2)")
    assert "Surest fifth" not in tables["attack-linkage"].head
    assert "Surest fifth" in Read(rich().to_html()).text


def test_attacks_are_compared_with_the_control_first() -> None:
    def attack(control: Rate | None, kind: Kind = "inference") -> Attack:
        return Attack(kind, "a", "guesses", "x", (), Rate(60, 100), 100, baseline=Rate(40, 100), control=control)

    assert attack(None).leaks
    assert compared(attack(None)) == "better than the baseline"
    assert not attack(Rate(58, 100)).leaks
    assert compared(attack(Rate(58, 100))) == "not better than the control"
    assert attack(Rate(30, 100), "linkage").leaks
    assert not attack(None, "linkage").leaks
    assert compared(attack(None, "linkage")) == "better than picking blindly"
    assert not Rate(0, 0).beyond(Rate(0, 5))
    assert compared(replace(attack(None), baseline=None)) == "nothing to compare with"
    found = rich().attacks
    assert found is not None
    assert attacked(replace(rich(), attacks=replace(found, found=()))) == "No attack was possible"


@pytest.mark.slow
def test_a_private_report_is_for_its_owner_only(tmp_path: Path) -> None:
    write_reports(rich(), {tmp_path / "owner.html": False})
    write_reports(rich(), {tmp_path / "public.html": True})
    assert stat.S_IMODE((tmp_path / "owner.html").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "public.html").stat().st_mode) & 0o077
    assert (tmp_path / "owner.html").read_text(encoding="utf-8") == rich().to_html()
    assert (tmp_path / "public.html").read_text(encoding="utf-8") == rich().to_html(public=True)
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(InputError, match="exists already"):
        write_reports(rich(), {tmp_path / "owner.html": False})
    write_reports(real("bob"), {tmp_path / "owner.html": False}, force=True)
    assert "9 rows" in (tmp_path / "owner.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("missing", ["altair", "vl_convert", "jinja2"])
def test_what_is_missing_is_said(missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r"install discreet\[report\]"):
        write_reports(rich(), {tmp_path / "r.html": False})
    assert list(tmp_path.iterdir()) == []
