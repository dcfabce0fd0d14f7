"""Nothing is ever half-written, nothing that exists is lost, strays are swept."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest

from discreet.errors import InputError
from discreet.table.staging import PREFIX, Staging, refuse_unwritable
from tests.conftest import unprivileged


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_files_appear_together_and_only_at_commit(tmp_path: Path) -> None:
    release, plan = tmp_path / "r.csv", tmp_path / "p.json"
    with Staging() as staging:
        with staging.open(release) as file:
            file.write(b"release")
        with staging.open(plan, private=True) as file:
            file.write(b"plan")
        assert not release.exists()
        assert staging.staged(release).read_bytes() == b"release"
        staging.commit(last=release)
    assert names(tmp_path) == ["p.json", "r.csv"]
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    target.write_bytes(b"old")
    with pytest.raises(ValueError, match="halfway"), Staging(force=True) as staging:
        with staging.open(target) as file:
            file.write(b"new")
        raise ValueError("halfway")
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["r.csv"]


def test_an_existing_file_is_refused_without_force(tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    target.write_bytes(b"old")
    with pytest.raises(InputError, match="exists already; use --force"), Staging() as staging, staging.open(target):
        pass
    assert target.read_bytes() == b"old"


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    with pytest.raises(InputError, match="exists already"), Staging() as staging:
        with staging.open(target) as file:
            file.write(b"new")
        target.write_bytes(b"somebody else's")
        staging.commit(last=target)
    assert target.read_bytes() == b"somebody else's"
    assert names(tmp_path) == ["r.csv"]


def test_strays_of_dead_runs_are_swept_and_those_of_living_ones_kept(tmp_path: Path) -> None:
    """A living run holds a lock; the number of a process tells nothing (in a container it comes again)."""
    target = tmp_path / "r[1].csv"
    stray = tmp_path / f"{PREFIX}{os.getpid()}.abcd.{target.name}"
    other = tmp_path / f"{PREFIX}1.abcd.other.csv"
    for path in (stray, other):
        path.touch()
    with Staging() as living, living.open(target) as unfinished:
        unfinished.write(b"half")
        with Staging() as staging:
            with staging.open(target) as file:
                file.write(b"new")
            staging.commit(last=target)
        assert living.staged(target).exists()
    assert names(tmp_path) == sorted([other.name, target.name])


def test_all_names_are_taken_back_when_one_cannot_be_given(tmp_path: Path) -> None:
    """Without --force: the plan of a release that could not be written does not stay behind."""
    release, plan = tmp_path / "r.csv", tmp_path / "p.json"
    with pytest.raises(InputError, match="exists already"), Staging() as staging:
        for path in (plan, release):
            with staging.open(path) as file:
                file.write(b"new")
        release.write_bytes(b"somebody else's")
        staging.commit(last=release)
    assert names(tmp_path) == ["r.csv"]
    assert release.read_bytes() == b"somebody else's"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    """Writing to /dev/full fails like a full disk does."""
    target = tmp_path / "r.csv"
    with pytest.raises(InputError, match="cannot be written"), Staging() as staging, staging.open(target) as file:
        os.dup2(os.open("/dev/full", os.O_WRONLY), file.fileno())
        file.write(b"x" * 100)
    assert names(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    for target, message in [(tmp_path, "is a folder"), (tmp_path / "no" / "r.csv", "there is no folder")]:
        with pytest.raises(InputError, match=message):
            refuse_unwritable(target, force=True)


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    target = folder / "r.csv"
    target.write_text("old")
    folder.chmod(0o500)
    tmp_path.chmod(0o755)
    with (
        unprivileged(),
        pytest.raises(InputError, match=r"r\.csv: "),
        Staging(force=True) as staging,
        staging.open(target),
    ):
        pass
    folder.chmod(0o700)
    assert target.read_text() == "old"


def test_an_interrupt_waits_until_the_names_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of the renames: both files have their names when it is heard."""
    release, plan = tmp_path / "r.csv", tmp_path / "p.json"
    real = os.link

    def interrupted(*paths: Path) -> None:
        signal.raise_signal(signal.SIGINT)
        real(*paths)

    monkeypatch.setattr(os, "link", interrupted)
    with pytest.raises(KeyboardInterrupt), Staging() as staging:
        for path in (plan, release):
            with staging.open(path) as file:
                file.write(b"new")
        staging.commit(last=release)
    assert names(tmp_path) == ["p.json", "r.csv"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_while_cleaning_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.unlink
    calls = []

    def interrupted(path: Path) -> None:
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real(path)

    monkeypatch.setattr(Path, "unlink", interrupted)
    with pytest.raises(KeyboardInterrupt), Staging() as staging, staging.open(tmp_path / "r.csv") as file:
        file.write(b"half")
        raise ValueError
    assert names(tmp_path) == []
