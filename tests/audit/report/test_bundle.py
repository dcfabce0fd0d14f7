"""The JavaScript of charts is kept in the user's cache: whole, or made again."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("vl_convert", reason="reports need vl-convert")

import vl_convert

from discreet.audit.report.bundle import bundle
from discreet.errors import InputError


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of vl-convert; the cache is empty."""
    found: list[str] = []

    def make(page: str, vl_version: str) -> str:
        found.append(vl_version)
        return f"charts of {vl_version}: {page}"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", make)
    return found


def test_it_is_made_once_for_each_page_and_version(made: list[str]) -> None:
    assert {bundle("draw()", "6.1") for _ in range(3)} == {"charts of 6.1: draw()"}
    assert bundle("draw()", "6.2") == "charts of 6.2: draw()"
    assert bundle("other()", "6.1") == "charts of 6.1: other()"
    assert made == ["6.1", "6.2", "6.1"]


@pytest.mark.parametrize("damage", ["", "charts", "x" * 64 + "\nalert()", "\x00"])
def test_what_is_not_whole_is_made_again(damage: str, made: list[str], tmp_path: Path) -> None:
    """Half a file would make an empty report; a changed one would run what nobody looked at."""
    right = bundle("draw()", "6.1")
    (kept,) = (tmp_path / "discreet").glob("*.js")
    kept.write_text(damage, encoding="utf-8")
    assert bundle("draw()", "6.1") == right
    assert made == ["6.1", "6.1"]


def test_without_a_place_to_keep_it_works(made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert bundle("draw()", "6.1") == bundle("draw()", "6.1")
    assert made == ["6.1", "6.1"]


def test_what_would_end_the_script_is_refused(made: list[str]) -> None:
    with pytest.raises(InputError, match="cannot be put into a page"):
        bundle("'</script>'", "6.1")
