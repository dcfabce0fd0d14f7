"""The examples run as their README says."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import discreet as d
from tests import commands
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
BANK = commands.DEMO / "bank.csv"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bank_pandas.py", "worst group: 5 of 10 rows, 1/2 (50%)"),
        ("thresholds.py", "with everything hidden it is still 5/24"),
    ],
)
def test_scripts(name: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / name))["main"](str(BANK))
    assert expected in capsys.readouterr().out


def test_policies_in_files() -> None:
    assert d.read_policy(EXAMPLES / "bank.toml") == d.read_policy(BANK.with_suffix(".yaml"))
    release = d.protect(BANK, EXAMPLES / "two_templates.yaml")
    assert [step.value for step in release.plan.steps] == ["Cook", "Artist", "Doctor", "US", "France", "No", "Yes"]


def test_the_clinic() -> None:
    """Numbers, dates, a taxonomy, k-anonymity and a template in one policy; each ends in what the other leaves."""
    release = d.protect(EXAMPLES / "clinic.csv", EXAMPLES / "clinic.yaml")
    assert {recoding.column: recoding.released for recoding in release.plan.recodings} == {
        "age": ("<45", ">=45"),
        "admitted": ("<2024-03-01", ">=2024-03-01"),
        "town": ("North", "South"),
    }
    assert [str(finding.worst) for finding in release.audit.promises] == [
        "the smallest group has 5 rows",
        "3 of 10 rows, 3/10 (30%)",
    ]
    assert {kept.requirement for kept in release.plan.kept} == {0, 1}
    assert d.verify(release.table, EXAMPLES / "clinic.yaml", original=EXAMPLES / "clinic.csv").holds


def test_the_clinic_with_rows_suppressed() -> None:
    """k-anonymity alone, by the default search; enough rows do not fit, so none is drawn by lot."""
    policy = d.read_policy(EXAMPLES / "clinic_k.yaml")
    assert policy.method == "coordinate"
    release = d.protect(EXAMPLES / "clinic.csv", policy)
    assert {recoding.column: recoding.released for recoding in release.plan.recodings} == {
        "age": ("<45", ">=45"),
        "admitted": ("<2024-04-01", ">=2024-04-01"),
        "town": ("Coast", "Hills", "Valley", "Plain"),
    }
    assert release.plan.suppressed == (46, 81, 86, 87, 104)
    assert str(release.audit.promises[0].worst) == "the smallest group has 5 rows"
    assert d.verify(release.table, policy, original=EXAMPLES / "clinic.csv").holds


def test_bob() -> None:
    """A confidential cell against naive Bayes; the page about them shows these very files."""
    release = d.protect(EXAMPLES / "bob.csv", EXAMPLES / "bob.yaml")
    assert {(edit.row, edit.column) for edit in release.plan.edits} == {
        (2, "Diagnosis"),
        (2, "Indigestion"),
        (2, "Palpitation"),
    }
    (against,) = release.audit.promises[0].cells.against  # type: ignore[union-attr]
    assert (against.guessed, against.guessed_when_only_hidden) == (0, 1)
    assert d.verify(release.table, EXAMPLES / "bob.yaml", original=EXAMPLES / "bob.csv").holds
    page = (ROOT / "docs" / "confidential-cells.md").read_text(encoding="utf-8")
    for name in ("bob.csv", "bob.yaml"):
        assert f'title="{name}"\n{(EXAMPLES / name).read_text(encoding="utf-8")}```' in page


def test_figure_2() -> None:
    """Confidential cells against rules, as few cells as possible; the page about them shows these very files."""
    release = d.protect(EXAMPLES / "fig2.csv", EXAMPLES / "fig2.yaml")
    assert [(edit.row, edit.column) for edit in release.plan.edits] == [(row, "A4") for row in (1, 2, 5, 7)]
    (against,) = release.audit.promises[0].cells.against  # type: ignore[union-attr]
    assert (against.guessed, against.guessed_when_only_hidden) == (0, 2)
    assert d.verify(release.table, EXAMPLES / "fig2.yaml", original=EXAMPLES / "fig2.csv").holds
    page = (ROOT / "docs" / "confidential-cells.md").read_text(encoding="utf-8")
    for name in ("fig2.csv", "fig2.yaml"):
        assert f'title="{name}"\n{(EXAMPLES / name).read_text(encoding="utf-8")}```' in page


def test_every_example_is_in_the_readme_and_the_other_way_round() -> None:
    text = (EXAMPLES / "README.md").read_text()
    for path in EXAMPLES.iterdir():
        assert path.name == "README.md" or f"({path.name})" in text


def test_the_benchmark_says_why_it_cannot_run(tmp_path: Path) -> None:
    """Without the data it ends with the reason, not with a trace."""
    script = ROOT / "bench" / "templates.py"
    result = subprocess.run(
        [sys.executable, str(script)], env={"DISCREET_DATA": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.startswith("skipped: no Adult data")
