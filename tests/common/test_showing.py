"""Progress shows itself where somebody looks, and nowhere else."""

from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.common import showing
from discreet.common.showing import NotebookBar, TerminalLine, find_display, listening
from discreet.common.watch import Progress

TABLE = pl.DataFrame({"Job": ["cook", "cook", "clerk"], "Ill": ["no", "no", "yes"]})
POLICY = {"protect": [{"infer": {"Ill": "yes"}, "given": ["Job"], "at_most": "50%"}]}


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    monkeypatch.setattr(showing, "sys", SimpleNamespace(stderr=found, modules=sys.modules))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(showing, "WAIT", 0)
    monkeypatch.setattr(showing, "PAUSE", 0)
    return found


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a notebook is told to display."""
    told: list[str] = []
    handle = SimpleNamespace(update=told.append)

    def display(text: str, *, display_id: bool) -> Any:
        assert display_id
        told.append(text)
        return handle

    module = ModuleType("IPython")
    module.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    module.display = SimpleNamespace(display=display, HTML=str)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setattr(showing, "WAIT", 0)
    monkeypatch.setattr(showing, "PAUSE", 0)
    return told


def test_nothing_is_shown_where_the_output_is_piped(capsys: pytest.CaptureFixture[str]) -> None:
    assert find_display() is None
    d.protect(TABLE, POLICY)
    assert capsys.readouterr() == ("", "")


def test_a_line_on_a_terminal(terminal: Terminal) -> None:
    d.protect(TABLE, POLICY)
    told = terminal.getvalue()
    assert "planning" in told
    assert "verifying" in told
    assert told.endswith("\r\x1b[2K")


def test_who_wants_none_has_none(terminal: Terminal) -> None:
    d.protect(TABLE, POLICY, progress=False)
    assert terminal.getvalue() == ""


def test_who_is_told_is_not_shown_it_too(terminal: Terminal) -> None:
    heard: list[Progress] = []
    d.protect(TABLE, POLICY, progress=heard.append)
    assert heard[0].stage == "read"
    assert terminal.getvalue() == ""


def test_a_bar_in_a_notebook(notebook: list[str], terminal: Terminal) -> None:
    with listening(None) as hear:
        assert hear is not None
        hear(Progress("attack", 3, 1))
        hear(Progress("verify"))
    assert notebook[0] == '<progress value="0.750"></progress> attacking: 3 done, 1 left'
    assert notebook[1] == "<progress></progress> verifying"
    assert notebook[-1] == ""
    assert terminal.getvalue() == ""


def test_quick_jobs_show_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showing, "WAIT", 1000)
    d.protect(TABLE, POLICY)
    assert terminal.getvalue() == ""


def test_the_line_goes_when_a_job_fails(terminal: Terminal) -> None:
    with pytest.raises(d.ImpossiblePromise):
        d.protect(TABLE, {"protect": [{"infer": {"Ill": "yes"}, "given": ["Job"], "at_most": "1%"}]})
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_a_long_line_does_not_wrap(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    TerminalLine().show("planning: 3 done, 5 to try, 25% of the detail shown", 0.5)
    assert len(terminal.getvalue()) == len("\r\x1b[2K") + 19


def test_words_in_a_notebook_are_escaped(notebook: list[str]) -> None:
    NotebookBar().show("<b>", None)
    assert notebook == ["<progress></progress> &lt;b&gt;"]
