"""The ledger itself: private, versioned, one writer at a time, whole whenever it is killed."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import discreet as d
from discreet.ledger import folder as folders
from discreet.ledger.entry import PENDING
from discreet.ledger.folder import opened, stands
from tests.profiles import KILLS

POLICY = {"protect": [{"k": 2, "over": ["age"]}]}
ROWS = pl.DataFrame({"id": ["a", "b", "c", "d"], "age": ["x", "x", "y", "y"]})


def drafted(tmp: Path, name: str = "one.csv", **options: object) -> d.Ledger:
    """Protect a table, and write it: a draft."""
    d.protect(ROWS, POLICY, ledger=tmp / "ledger", person="id", **options).write(tmp / name)  # type: ignore[arg-type]
    return d.Ledger(tmp / "ledger")


def test_it_is_private_and_has_no_id(tmp_path: Path) -> None:
    drafted(tmp_path)
    ledger = tmp_path / "ledger"
    assert stat.S_IMODE(ledger.stat().st_mode) == 0o700
    for path in ledger.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path.name
        if path.suffix == ".parquet":
            people = pl.read_parquet(path)
            assert people.columns == ["person", "person_low", "c0"]
            assert not set(people["person"]) & set(ROWS["id"])
            assert people["person"].to_list() == sorted(people["person"])
    ledger.chmod(0o755)
    with pytest.raises(d.InputError, match="chmod 700"):
        d.Ledger(ledger).releases()


def test_drafts_do_not_count_until_they_are_published(tmp_path: Path) -> None:
    ledger = drafted(tmp_path)
    assert ledger.check() is None
    drafted(tmp_path, "two.csv")
    found = ledger.publish("one.csv")
    assert (found.releases, found.new) == ((), 4)
    assert ledger.publish("two.csv").releases == ("one.csv",)
    with pytest.raises(d.InputError, match="only a draft"):
        ledger.publish("two.csv")
    with pytest.raises(d.InputError, match="only a draft"):
        ledger.drop("one.csv")
    ledger.withdraw("one.csv")
    assert [entry.state for entry in ledger.releases()] == ["withdrawn", "published"]
    joint = ledger.check()
    assert joint is not None
    assert joint.releases == ("one.csv",)  # what was public stays known


def test_a_draft_can_be_dropped_or_made_anew(tmp_path: Path) -> None:
    ledger = drafted(tmp_path)
    ledger.drop("one.csv")
    assert ledger.releases() == ()
    assert sorted(path.name for path in (tmp_path / "ledger").iterdir()) == ["ledger.json", "lock", "secret"]
    (tmp_path / "one.csv").unlink()
    drafted(tmp_path)
    (tmp_path / "one.csv").unlink()
    drafted(tmp_path)  # a draft of the same name takes its place
    assert len(ledger.releases()) == 1
    ledger.publish("one.csv")
    (tmp_path / "one.csv").unlink()
    with pytest.raises(d.InputError, match="already"):
        drafted(tmp_path)
    assert not (tmp_path / "one.csv").exists()


def test_a_draft_is_counted_again_when_it_is_published(tmp_path: Path) -> None:
    """Two drafts that keep everything with what was public then, and not with each other."""
    one = pl.DataFrame({"id": list("abcd"), "age": list("xxyy")})
    two = pl.DataFrame({"id": list("abcd"), "age": list("xyxy")})
    for name, rows in (("one.csv", one), ("two.csv", two)):
        d.protect(rows, POLICY, ledger=tmp_path / "ledger", person="id").write(tmp_path / name)
    ledger = d.Ledger(tmp_path / "ledger")
    ledger.publish("one.csv")
    with pytest.raises(d.PromiseError, match="for 4 persons"):
        ledger.publish("two.csv")
    assert [entry.state for entry in ledger.releases()] == ["draft", "published"]


def test_what_was_changed_is_not_published(tmp_path: Path) -> None:
    ledger = drafted(tmp_path)
    with (tmp_path / "one.csv").open("a") as file:
        file.write("z\n")
    with pytest.raises(d.InputError, match="as recorded"):
        ledger.publish("one.csv")


def test_the_secret_may_lie_elsewhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    drafted(tmp_path, secret=secret)
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert not (tmp_path / "ledger" / "secret").exists()
    with pytest.raises(d.InputError, match="--secret"):
        d.Ledger(tmp_path / "ledger").releases()
    other = tmp_path / "other.txt"
    other.write_text("another secret, long enough")
    other.chmod(0o600)
    with pytest.raises(d.InputError, match="is not the secret"):
        d.Ledger(tmp_path / "ledger", other).releases()
    assert len(d.Ledger(tmp_path / "ledger", secret).releases()) == 1


def test_another_version_is_not_read(tmp_path: Path) -> None:
    drafted(tmp_path)
    index = tmp_path / "ledger" / "ledger.json"
    body = json.loads(index.read_text())
    index.write_text(json.dumps({**body, "version": 5}))
    with pytest.raises(d.InputError, match="version 5"):
        d.Ledger(tmp_path / "ledger").releases()


def test_a_file_that_is_not_as_it_was_written_is_not_read(tmp_path: Path) -> None:
    """Each byte of each file counts: a changed one is neither read otherwise, nor ends the program."""
    drafted(tmp_path)
    d.Ledger(tmp_path / "ledger").publish("one.csv")
    for path in sorted((tmp_path / "ledger").iterdir()):
        if path.name in ("lock", "secret"):
            continue
        data = path.read_bytes()
        begin = data.index(b'"version"') if path.name == "ledger.json" else 0  # the first line is a warning
        for place in {begin, (begin + len(data)) // 2, len(data) - 3}:
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            with pytest.raises(d.InputError, match=f"{path.name}: |version"):
                d.protect(ROWS, POLICY, ledger=tmp_path / "ledger", person="id")
        path.unlink()
        with pytest.raises(d.InputError, match="restore the ledger from a copy|has no ledger"):
            d.protect(ROWS, POLICY, ledger=tmp_path / "ledger", person="id")
        path.write_bytes(data)
    assert d.protect(ROWS, POLICY, ledger=tmp_path / "ledger", person="id").note is not None


def test_pending_is_completed_where_the_release_is_there(tmp_path: Path) -> None:
    drafted(tmp_path)
    with opened(tmp_path / "ledger") as folder:
        folder.put(folder.entries[0].becoming(PENDING))
        assert [one.name for one in folder.past()] == ["one.csv"]  # a pending one counts
        assert stands(folder.entries[0])
    assert [entry.state for entry in d.Ledger(tmp_path / "ledger").releases()] == ["draft"]
    with opened(tmp_path / "ledger") as folder:
        folder.put(folder.entries[0].becoming(PENDING))
    (tmp_path / "one.csv").unlink()
    assert d.Ledger(tmp_path / "ledger").releases() == ()


def test_a_release_that_cannot_get_its_name_is_not_recorded(tmp_path: Path) -> None:
    release = d.protect(ROWS, POLICY, ledger=tmp_path / "ledger", person="id")
    (tmp_path / "one.csv").write_text("somebody's\n")
    with pytest.raises(d.InputError):
        release.write(tmp_path / "one.csv")
    assert d.Ledger(tmp_path / "ledger").releases() == ()
    with pytest.raises(d.InputError, match="goes to a file"):
        release.write("-")


def test_two_writers_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drafted(tmp_path)
    monkeypatch.setattr(folders, "WAIT", 0.2)
    with (
        opened(tmp_path / "ledger"),
        pytest.raises(d.InputError, match="another program"),
        opened(tmp_path / "ledger"),
    ):
        pass
    assert len(d.Ledger(tmp_path / "ledger").releases()) == 1


def test_persons_get_other_ids(tmp_path: Path) -> None:
    ledger = drafted(tmp_path)
    ledger.publish("one.csv")
    assert ledger.rekey({"a": "A", "nobody": "N"}) == 1
    renamed = ROWS.with_columns(pl.col("id").replace({"a": "A"}))
    found = d.protect(renamed, POLICY, ledger=tmp_path / "ledger", person="id").audit.verification.joint
    assert found is not None
    assert (found.matched, found.new, found.left) == (4, 0, 0)
    with pytest.raises(d.InputError, match="would become one"):
        ledger.rekey({"b": "c"})


def test_two_persons_of_different_releases_that_are_one(tmp_path: Path) -> None:
    ledger = d.Ledger(tmp_path / "ledger")
    rows = ROWS.with_columns(pl.lit("x").alias("age"))
    ledger.add(rows.drop("id"), rows, POLICY, person="id", name="one")
    later = rows.with_columns(pl.col("id").replace({"a": "a2", "b": "b2"}))
    assert ledger.add(later.drop("id"), later, POLICY, person="id", name="two").left == 2
    assert ledger.rekey({"a2": "a", "b2": "b"}) == 2
    found = ledger.check()
    assert found is not None
    assert (found.left, found.broken) == (0, 0)


def test_an_earlier_release_is_added_only_where_it_is_certain_whose_rows_they_are(tmp_path: Path) -> None:
    ledger = d.Ledger(tmp_path / "ledger")
    hidden = pl.DataFrame({"age": ["*", "*", "y", "y"]})
    assert ledger.add(hidden, ROWS, POLICY, person="id", name="by hand").new == 4
    with pytest.raises(d.InputError, match="already"):
        ledger.add(hidden, ROWS, POLICY, person="id", name="by hand")
    with pytest.raises(d.InputError, match="no release of that table"):
        ledger.add(pl.DataFrame({"age": ["q", "x", "y", "y"]}), ROWS, POLICY, person="id", name="another")
    policy = {**POLICY, "suppress": {"rows": "remove"}}
    with pytest.raises(d.InputError, match="whose"):
        ledger.add(hidden[:2], ROWS, policy, person="id", name="fewer")


SCRIPT = """
import sys, polars as pl, discreet as d
rows = pl.DataFrame({"id": [str(n) for n in range(3000)], "age": [str(n % 7) for n in range(3000)]})
release = d.protect(rows, {"protect": [{"k": 2, "over": ["age"]}]}, ledger=sys.argv[1], person="id")
print("made", flush=True)
for number in range(100):
    release.write(sys.argv[2], force=True)
    print(number, flush=True)
"""


@pytest.mark.process
def test_a_kill_at_any_moment_leaves_ledger_and_release_together(tmp_path: Path) -> None:
    """Whatever has a name was recorded, and whatever was recorded has its name."""
    for attempt in range(KILLS):
        out, ledger = tmp_path / f"{attempt}.csv", tmp_path / f"ledger {attempt}"
        with subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(ledger), str(out)], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "made\n"
            time.sleep(0.004 * attempt)
            os.kill(program.pid, signal.SIGKILL)
            program.wait()
        entries = d.Ledger(ledger).releases()
        assert len(entries) <= 1
        assert out.exists() == bool(entries)
        for entry in entries:
            assert entry.state == "draft"
            with opened(ledger) as folder:
                assert folder.read(entry).people.height == 3000
            if not stands(entry):  # killed between two releases of one name: publishing it is refused
                with pytest.raises(d.InputError, match="as recorded"):
                    d.Ledger(ledger).publish(entry.name)


def test_a_draft_stays_until_the_one_that_replaces_it_has_its_name(tmp_path: Path) -> None:
    """A program that is killed while it replaces a draft leaves the old one, which is still there."""
    drafted(tmp_path)
    with opened(tmp_path / "ledger") as folder:
        (old,) = folder.entries
        folder.list([old, dataclasses.replace(old, state=PENDING, sha256="0" * 64)])
    assert d.Ledger(tmp_path / "ledger").releases() == (old,)
    with opened(tmp_path / "ledger") as folder:
        folder.list([dataclasses.replace(old, sha256="0" * 64), dataclasses.replace(old, state=PENDING)])
    assert d.Ledger(tmp_path / "ledger").releases() == (old,)
