"""bench/reproduce.py: the page is what it writes, experiments can be called, missing data and failures are named."""

from __future__ import annotations

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

import papers
import reproduce
from papers import BY_NAME, EXPERIMENTS, PAPERS, WHERE, Claim, Experiment, Figures, Outcome
from papers_page import choose, page


def test_the_page_is_what_the_command_writes() -> None:
    results = json.loads(reproduce.RESULTS.read_text(encoding="utf-8"))
    assert reproduce.PAGE.read_text(encoding="utf-8") == page(results)
    assert set(results) <= set(BY_NAME)


def test_every_paper_and_file_is_known() -> None:
    assert {experiment.paper for experiment in EXPERIMENTS} == set(PAPERS)
    assert {name for experiment in EXPERIMENTS for name in experiment.needs} == set(WHERE)
    assert len(BY_NAME) == len(EXPERIMENTS)
    assert all(bool(experiment.run) != bool(experiment.skipped) for experiment in EXPERIMENTS)


@pytest.mark.bench
@pytest.mark.parametrize("experiment", [one for one in EXPERIMENTS if one.run], ids=lambda one: one.name)
def test_every_experiment_can_be_called(experiment: Experiment) -> None:
    module, _, function = experiment.run.partition(":")
    parameters = inspect.signature(getattr(import_module(module), function)).parameters
    for mode in ("quick", "full"):
        assert {*experiment.always, *experiment.settings(mode)} == set(parameters)


@pytest.mark.bench
def test_one_experiment_from_run_to_page(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    assert reproduce.run_all([BY_NAME["templates-tables-1-2"]], "quick", 1, results) == []
    kept = json.loads(results.read_text(encoding="utf-8"))
    assert {claim["verdict"] for claim in kept["templates-tables-1-2"]["quick"]["claims"]} == {"same"}
    assert "| hidden jobs | Clerk, Trader | Clerk, Trader | same |" in page(kept)


def test_missing_data_is_named_with_its_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(papers, "DATA", tmp_path)
    reason = reproduce.reason_to_skip(BY_NAME["templates-figure-3-german"])
    assert "german.data (UCI Machine Learning Repository" in reason
    assert "DISCREET_DATA" in reason
    assert "never published" in reproduce.reason_to_skip(BY_NAME["rules-bank"])


@pytest.mark.bench
def test_an_experiment_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And what was kept of it before stays."""
    monkeypatch.setattr(papers, "DATA", Path(papers.DATA))
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))  # the process of its own finds no data
    broken = Experiment("templates-table-3", "templates", "Table 3", "papers_templates:inferences")
    assert reproduce.run_all([broken], "quick", 1, tmp_path / "none.json") == ["templates-table-3"]
    assert "templates-table-3: failed" in capfd.readouterr().out
    assert not (tmp_path / "none.json").exists()


def test_a_full_result_of_this_version_is_shown_before_a_quick_one() -> None:
    from discreet.version import __version__

    now, before = {"version": __version__}, {"version": "0.0.1"}
    assert choose({"full": now, "quick": now}) == ("full", now)
    assert choose({"full": before, "quick": now}) == ("quick", now)
    assert choose({"full": before}) == ("full", before)
    assert choose({}) is None


def test_the_page_says_why_and_shows_signs_as_they_are() -> None:
    outcome = Outcome([Claim("a | b", "*", "c", "differs")], [Figures("Title", ["x"], [["1"]])]).to_dict()
    kept = {**outcome, "settings": {"sizes": [1_000], "runs": 2}, "version": "0", "date": "2026-01-01", "cpu": 3}
    text = page({"k-figures-9-10": {"quick": kept}})
    assert "Quick run (sizes 1,000, runs 2) of 2026-01-01, discreet 0, 3 s of CPU time." in text
    assert "| a \\| b | \\* | c | differs |" in text
    assert "Why it differs is not known." in text
    assert "Not run yet." in text
