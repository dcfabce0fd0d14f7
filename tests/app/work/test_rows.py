"""Pages of rows come from private files, by plain Python: written part by part, whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")

from discreet.app.rows import PAGE, changed_path, first_of, page_of, places_path
from discreet.app.work import row_file, table
from discreet.app.work.row_file import RowFile, blocks
from discreet.errors import InputError
from tests.app.talking import Heard

NASTY = ['a"b\\', "new\nline", "</script>", "\u2028é\U0001f600", "", None, "\x00\x1f"]


def written(path: Path, rows: int, block: int = 7) -> pl.DataFrame:
    frame = pl.DataFrame({"n": range(rows), "c0": [NASTY[row % len(NASTY)] for row in range(rows)]})
    with RowFile(path) as file:
        for begin in range(0, rows, block):
            part = frame.slice(begin, block)
            file.add(part, part["n"] % 3 == 0)
    return frame


@pytest.mark.parametrize("rows", [0, 1, PAGE, PAGE + 1, 3 * PAGE - 1])
def test_a_page_is_what_was_written(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "made" / "a.rows"
    frame = written(path, rows)
    for first in range(0, rows + PAGE, PAGE):
        assert page_of(path, first) == frame.slice(first, PAGE).to_dicts()
        changed = frame.filter(pl.col("n") % 3 == 0)
        assert page_of(path, first, changed=True) == changed.slice(first, PAGE).to_dicts()
    for one in (path, places_path(path), changed_path(path)):
        assert oct(one.stat().st_mode)[-3:] == "600"


def test_a_file_that_is_not_finished_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.rows"
    with pytest.raises(RuntimeError), RowFile(path) as file:
        file.add(pl.DataFrame({"c0": ["secret"]}))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_file, "BLOCK", 3)
    assert [(part.start, part.stop) for part in blocks(7)] == [(0, 3), (3, 6), (6, 7)]
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{n},x{n}\n" for n in range(7)))
    talk = Heard()
    found = table.opened(talk, str(tmp_path / "t.csv"), "", {}, str(tmp_path / "t.rows"))
    assert talk.heard[0][0] == "part"
    assert talk.heard[0][1]["first"] == [[str(n), f"x{n}"] for n in range(7)]
    assert page_of(Path(found["file"]), 0) == [{"c0": str(n), "c1": f"x{n}"} for n in range(7)]


@pytest.mark.parametrize("said", ["-1", "x", "9" * 30, "١", "51"])
def test_an_address_names_a_page_that_there_is(said: str) -> None:
    assert first_of({"from": said}, 60) in (0, 50)


def test_a_table_larger_than_memory_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(table, "memory_needed", lambda *_: 1 << 60)
    with pytest.raises(InputError, match="discreet protect TABLE --policy"):
        table.opened(Heard(), str(tmp_path / "t.csv"), "large", {}, str(tmp_path / "t.rows"))
    assert not (tmp_path / "t.rows").exists()


@pytest.mark.slow
def test_the_server_holds_no_library_of_tables() -> None:
    """A job needs the memory: what looks at rows is in processes of its own."""
    code = (
        "import sys\nimport discreet.app.serve\n"
        "print([name for name in ('polars', 'pandas', 'pyarrow', 'numba', 'sklearn', 'duckdb') if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "[]\n"


def test_the_endings_are_those_of_all_formats() -> None:
    from discreet.table.formats.endings import ENDINGS
    from discreet.table.formats.known import FORMATS

    assert {suffix for one in FORMATS for suffix in one.suffixes} == ENDINGS
