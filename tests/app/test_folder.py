"""Files only under the folder; the private folder is private; nothing is lost by a crash, everything by forget."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from discreet.app.folder import OpenFolder
from discreet.app.journal import Journal
from discreet.app.sitting import Sitting
from discreet.app.uploads import plain_name
from discreet.errors import InputError
from tests.app.served import OWN, Served, served, wait

pytestmark = pytest.mark.xdist_group("app")
TABLE = "town,ill\na,yes\nb,no\n"
POLICY = "protect:\n  - {k: 2, over: [town]}\n"


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    (tmp_path / "outside.csv").write_text(TABLE)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "table.csv").write_text(TABLE)
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (folder / "away").symlink_to(tmp_path)
    return folder


@pytest.mark.parametrize(
    "path",
    ["../outside.csv", "/etc/passwd", "link.csv", "away/outside.csv", "away", "x/../../outside.csv", "\0", "", " ",
     ".discreet-app/lock", "postgresql://host/db#t", "-", "~/.bashrc", "file:///etc/passwd"],
)  # fmt: skip
def test_paths_that_lead_elsewhere_are_refused(inside: Path, path: str) -> None:
    with served(inside) as app:
        app.enter()
        code, text = app.answer("/table/open", path=path)
        assert code == 422, text
        assert app.desk.now.table is None
        assert "root:" not in text


def test_a_name_that_no_file_can_have(inside: Path) -> None:
    with served(inside) as app:
        app.enter()
        for path in ("a" * 300, "a" * 5000):
            assert app.post("/table/open", path=path) == 422


def test_a_pipe_is_no_table(inside: Path) -> None:
    os.mkfifo(inside / "pipe.csv")
    with served(inside) as app:
        app.enter()
        assert app.post("/table/open", path="pipe.csv") == 422


def test_a_policy_names_no_file_elsewhere(inside: Path) -> None:
    (inside.parent / "tree.csv").write_text("a,*\nb,*\n")
    with served(inside) as app:
        app.enter()
        app.desk.open_table("table.csv")
        for name in ("../tree.csv", str(inside.parent / "tree.csv"), "/etc/passwd"):
            text = f"{POLICY}columns:\n  town: {{taxonomy: {name}}}\n"
            app.desk.write("try", text)
            (mistake,) = app.desk.reading.mistakes
            assert mistake.line == 4
            assert mistake.field == "columns.town.taxonomy"
            assert "root:" not in mistake.message


def test_releases_are_not_written_elsewhere(inside: Path) -> None:
    with served(inside) as app:
        app.enter()
        for folder in ("..", "away", "/tmp"):
            code, _ = app.answer("/publish/write", n="1", folder=folder)
            assert code == 422
    assert not list(inside.parent.glob("*release*"))


def test_the_working_folder_is_private(inside: Path) -> None:
    with served(inside) as app:
        app.desk.open_table("table.csv")
        home = inside / ".discreet-app"
        for path in [home, *home.rglob("*")]:
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_one_app_at_a_time(inside: Path) -> None:
    first = Sitting.begin(OpenFolder.of(inside))
    with pytest.raises(InputError, match="open on this folder already"):
        Sitting.begin(OpenFolder.of(inside))
    first.close()
    Sitting.begin(OpenFolder.of(inside)).close()


def test_a_linked_working_folder_is_refused(inside: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (inside / ".discreet-app").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError):
        Sitting.begin(OpenFolder.of(inside))


def test_undo_and_redo_and_a_crash(inside: Path) -> None:
    with served(inside, crash=True) as app:
        app.enter()
        app.desk.write("first", "protect: []\n", {"tree.csv": b"a,*\n"})
        app.desk.write("second", POLICY)
        app.desk.write("third", POLICY + "shuffle: true\n", {"tree.csv": None})
        assert app.post("/step/undo", back="promises") == 303
        assert app.desk.now.text == POLICY
    with served(inside, resume=True) as again:
        assert again.desk.now.text == POLICY
        assert again.desk.journal.undoes == "second"
        assert list(again.desk.now.files) == ["tree.csv"]
        again.desk.redo()
        assert again.desk.now.text.endswith("shuffle: true\n")
        assert not again.desk.now.files
        again.desk.redo()
        again.desk.undo()
        again.desk.write("other", "# other\n" + POLICY)
        again.desk.redo()
        assert again.desk.now.what == "other", "what was undone is gone once something else was done"


def test_a_journal_that_was_cut_off_keeps_what_is_whole(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "states")
    journal.add("first", text="a: 1\n")
    last = journal.add("second", text="b: 2\n")
    (last.path / "state.json").write_text("{")
    (tmp_path / "states" / ".000099.part").mkdir()
    found = Journal(tmp_path / "states")
    assert found.now.text == "a: 1\n"
    assert found.add("third", text="c: 3\n").number > last.number
    (tmp_path / "states" / "journal.json").write_text("not json")
    assert Journal(tmp_path / "states").now.text == "c: 3\n", "the states themselves are still there"


def put(app: Served, name: str, data: bytes) -> int:
    headers = {**OWN, "x-discreet-token": app.entrance.form}
    return app.client.put("/upload", params={"name": name}, content=data, headers=headers).status_code


def test_a_dropped_file_is_a_private_copy_that_goes_at_the_end(inside: Path) -> None:
    with served(inside) as app:
        app.enter()
        assert put(app, "../../evil.csv", TABLE.encode()) == 200
        assert app.desk.now.dropped
        (copy,) = app.desk.sitting.dropped.iterdir()
        assert copy.name == "evil.csv"
        assert stat.S_IMODE(copy.stat().st_mode) == 0o600
        assert put(app, "x.html", b"<script>") == 422
        assert put(app, "", TABLE.encode()) == 422
        assert put(app, "empty.csv", b"") == 422
    assert not copy.exists()
    assert not (inside.parent / "evil.csv").exists()
    with served(inside, resume=True) as again:
        again.enter()
        assert "is not there any more" in again.words("/table")


def test_a_dropped_file_survives_a_crash_and_not_a_new_start(inside: Path) -> None:
    with served(inside, crash=True) as app:
        app.enter()
        put(app, "a.csv", TABLE.encode())
    with served(inside, resume=True, crash=True) as again:
        assert again.desk.table_now() is not None
    with served(inside):
        assert not list((inside / ".discreet-app").glob("sitting-*/dropped/*"))


def test_forget_erases_everything(inside: Path) -> None:
    with served(inside) as app:
        app.enter()
        put(app, "secret.csv", TABLE.encode())
        app.desk.write("mine", POLICY)
        number = app.desk.now.number
        assert app.post("/step/forget") == 303
        assert app.desk.now.table is None
        assert app.desk.now.text == ""
        assert app.desk.now.number > number, "a page of before must see that something has changed"
        left = [path for path in app.desk.sitting.path.rglob("*") if path.is_file()]
        assert all(b"town" not in path.read_bytes() for path in left)


def test_names_of_dropped_files() -> None:
    assert plain_name("C:\\data\\Kunden.csv") == "Kunden.csv"
    assert "/" not in plain_name("a\u2215b\x00<x>.csv")
    assert json.dumps(plain_name("-rf .csv")) == '"rf .csv"'


def test_resume_needs_something(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to resume"):
        Sitting.begin(OpenFolder.of(tmp_path), resume=True)


@pytest.mark.slow
def test_rows_are_shown_by_pages(inside: Path) -> None:
    (inside / "long.csv").write_text("n,v\n" + "".join(f"{n},v{n}\n" for n in range(120)))
    with served(inside) as app:
        app.enter()
        app.desk.open_table("long.csv")
        wait(lambda: app.desk.figure("opened").is_current)
        assert "v49" in app.page("/table")
        assert "v50" not in app.page("/table")
        assert "v119" in app.page("/table?from=100")
        for odd in ("-1", "x", "99999999999999999999", "7"):
            assert app.page(f"/table?from={odd}")
