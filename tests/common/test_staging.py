"""Nothing is ever half-written, nothing that exists is lost, strays are swept."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.common.staging import PREFIX, Staging, refuse_unwritable, telling
from discreet.errors import InputError
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


def test_what_cannot_be_forced_to_the_disk_gets_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk says so once, and perhaps long after the last byte: it is forced by a thread, while others go on."""
    release, plan, threads = tmp_path / "r.csv", tmp_path / "p.json", list[threading.Thread]()
    release.write_bytes(b"old")

    def force(number: int) -> None:
        threads.append(threading.current_thread())
        if os.fstat(number).st_size == 3:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", force)
    with Staging(force=True) as staging:
        for target, text in ((release, b"new"), (plan, b"plan")):
            with staging.open(target) as file:
                file.write(text)
        with pytest.raises(InputError, match="r.csv: cannot be written .Input/output error.; nothing was changed"):
            staging.commit(last=release)
        assert release.read_bytes() == b"old"
    assert names(tmp_path) == ["r.csv"]
    assert len(threads) == 2
    assert threading.main_thread() not in threads


def test_nothing_has_its_name_before_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, there, forced = tmp_path / "r.csv", list[bool](), threading.Event()

    def force(_: int) -> None:
        assert forced.wait(30)
        there.append(target.exists())

    monkeypatch.setattr(os, "fsync", force)
    with Staging() as staging:
        with staging.open(target) as file:
            file.write(b"x")
        assert staging.staged(target).read_bytes() == b"x"
        assert not there
        forced.set()
        staging.commit()
    assert there[0] is False
    assert target.read_bytes() == b"x"


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


OLD = {"a.json": b"old a", "map.csv": b"old map", "r.csv": b"old r"}
NEW = {"a.json": b"new a", "b.html": b"new b", "r.csv": b"new r"}
"""The files of two jobs: the new one has no map, and a report."""


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names(folder)}


class Faults:
    """Lets calls fail that give or take names, from the `first` on, so `many`; those of `always` all fail."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, first: int, many: int = 1, always: tuple[str, ...] = ()
    ) -> None:
        self.calls, self.failed, self.on = 0, 0, False
        for name in ("link", "replace", "unlink"):
            monkeypatch.setattr(os, name, self._failing(getattr(os, name), first, many, fails=name in always))

    def _failing(self, real: Callable[..., None], first: int, many: int, *, fails: bool) -> Callable[..., None]:
        def call(*args: object, **more: object) -> None:
            if self.on and fails:
                raise OSError(errno.EPERM, "Operation not permitted")
            self.calls += self.on
            if self.on and first <= self.calls < first + many:
                self.failed += 1
                raise OSError(errno.EIO, "Input/output error")
            real(*args, **more)

        return call

    def commit(self, folder: Path) -> None:
        """Write the new files over the old ones; only giving the names may fail."""
        with Staging(force=True) as staging:
            for name, content in NEW.items():
                with staging.open(folder / name) as file:
                    file.write(content)
            staging.remove(folder / "map.csv")
            self.on = True
            try:
                staging.commit(last=folder / "r.csv")
            finally:
                self.on = False


@pytest.mark.parametrize("always", [(), ("link",)], ids=["links", "no links"])
@pytest.mark.parametrize("first", range(1, 14))
def test_a_name_that_cannot_be_given_leaves_all_old_files(
    first: int, always: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails: all files are the old ones or all the new ones, it is said, and nothing else is left."""
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "a.json").chmod(0o640)
    faults = Faults(monkeypatch, first, always=always)
    try:
        faults.commit(tmp_path)
    except InputError as error:
        assert faults.failed
        assert str(error).endswith("cannot be written (Input/output error); nothing was changed")
        assert contents(tmp_path) == OLD
        assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o640
    else:
        assert contents(tmp_path) == NEW


def test_the_first_faults_are_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above fails when the names are given, and when old ones are taken away."""
    failed = 0
    for first in range(1, 14):
        for name, content in OLD.items():
            (tmp_path / name).write_bytes(content)
        (tmp_path / "b.html").unlink(missing_ok=True)
        with monkeypatch.context() as patch, contextlib.suppress(InputError):
            faults = Faults(patch, first)
            faults.commit(tmp_path)
            continue
        failed += 1
    assert failed == 4  # three new names and the end of the map; where there is no link, a copy is kept


def test_what_could_not_be_taken_back_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk fails for good after the first new name."""
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        Faults(monkeypatch, 3, many=100).commit(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'b.html'}: cannot be written (Input/output error); and not all could be")
    assert f"{tmp_path / 'a.json'} is the new one" in message
    found = contents(tmp_path)
    (kept,) = [name for name in found if name.startswith(PREFIX) and found[name] == b"old a"]
    assert f"(the old one is {tmp_path / kept}: rename it)" in message
    assert {name: found[name] for name in OLD} == {**OLD, "a.json": b"new a"}


def test_a_new_name_is_taken_back_without_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.link

    def failing(source: Path, target: Path) -> None:
        if Path(target).name == "r.csv":
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", failing)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match=r"No space left on device\); nothing was changed"), Staging() as staging:
        for name in ("a.json", "r.csv"):
            with staging.open(tmp_path / name) as file:
                file.write(b"new")
        staging.commit(last=tmp_path / "r.csv")
    assert names(tmp_path) == []


def test_old_files_that_a_killed_run_kept_are_swept() -> None:
    """Also where nobody may write to them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target, kept = folder / "r.csv", folder / f"{PREFIX}1.abcd.r.csv"
        target.write_bytes(b"old")
        target.chmod(0o444)
        os.link(target, kept)
        folder.chmod(0o777)
        with unprivileged(), Staging(force=True) as staging:
            with staging.open(target) as file:
                file.write(b"new")
            staging.commit(last=target)
        assert contents(folder) == {"r.csv": b"new"}


def test_a_link_is_put_back_as_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in OLD.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "a.json").rename(tmp_path / "elsewhere")
    (tmp_path / "a.json").symlink_to("elsewhere")
    with pytest.raises(InputError, match="nothing was changed"):
        Faults(monkeypatch, 5).commit(tmp_path)
    assert (tmp_path / "a.json").is_symlink()
    assert contents(tmp_path) == {**OLD, "elsewhere": b"old a"}


def test_whoever_listens_hears_of_files_that_have_their_names(tmp_path: Path) -> None:
    heard: list[Path] = []
    with telling(heard.extend), Staging() as staging:
        for name in ("r.csv", "a.json"):
            with staging.open(tmp_path / name) as file:
                file.write(b"new")
        assert not heard
        staging.commit(last=tmp_path / "r.csv")
        assert heard == [tmp_path / "a.json", tmp_path / "r.csv"]


def test_handlers_of_signals_are_put_back(tmp_path: Path) -> None:
    heard: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, lambda which, _: heard.append(which)) for number in numbers]
    mine = [signal.getsignal(number) for number in numbers]
    try:
        with telling(lambda _: list(map(signal.raise_signal, numbers))), Staging() as staging:
            with staging.open(tmp_path / "r.csv") as file:
                file.write(b"new")
            staging.commit(last=tmp_path / "r.csv")
        assert [signal.getsignal(number) for number in numbers] == mine
        assert heard == [signal.SIGINT]  # once, and when all was done
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
