"""Every kind of file, damaged, empty, encrypted, and too large: a clear error (or the right table), nothing written.

The kinds are those of the registry: a new one is not done before it stands here.
"""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.table.formats.csv_reading import read_csv
from discreet.table.formats.known import FORMATS
from discreet.table.formats.packing import PACKINGS
from tests.commands import run
from tests.table.formats.samples import KINDS, RULES, bank, sample

TIMES = 40
"""How often the 24 rows of the bank stand in a file: enough for more than one page of a database."""
NO_FILES = {"PostgreSQL"}
"""Kinds whose tables are in no file: `test_postgres.py` loses connections instead."""


def test_every_kind_is_here() -> None:
    assert {kind for kind, _ in KINDS.values()} | NO_FILES == set(FORMATS.names())
    assert {f".{name.rpartition('.')[2]}" for name in KINDS if "." in name} == {one.suffix for one in PACKINGS}
    for one in FORMATS:
        assert one.name in NO_FILES or any(f".{name}" in (*one.suffixes, ".arrows") for name in KINDS), one.name


def cut(whole: bytes) -> bytes:
    return whole[: len(whole) * 2 // 3 + 7]


def noise(whole: bytes) -> bytes:
    third = len(whole) // 3
    return whole[:third] + b"\xff\0" * (third // 2) + whole[2 * third :]


def empty(_: bytes) -> bytes:
    return b""


def short(whole: bytes) -> bytes:
    return whole[:20]


def encrypted(whole: bytes) -> bytes:
    """As gpg, age or SQLCipher leave a file: bytes without any order."""
    return bytes([0x8C]) + random.Random(1).randbytes(len(whole))


HARMS: dict[str, Callable[[bytes], bytes]] = {one.__name__: one for one in (cut, noise, empty, short, encrypted)}


def refused(source: Path, *options: str) -> str:
    """What is said of a file that cannot be read; nothing is there afterwards but what was before."""
    Path("rules.yaml").write_text(RULES)
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    told = run("protect", str(source), "-p", "rules.yaml", "-o", "r.csv", "--plan", "p.json", *options, code=2).stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before
    told = " ".join(told.split())
    assert f"error: {source}" in told or "no column 'Bankrupt'" in told  # the start of a text is a text
    assert "internal error" not in told
    assert "Discharged" not in told
    assert "Traceback" not in told
    return told


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_damaged_empty_or_encrypted_is_refused(kind: str, harm: str, engine: str) -> None:
    source = sample(kind, Path(f"t.{kind}"), TIMES)
    source.write_bytes(HARMS[harm](source.read_bytes()))
    refused(source, "--engine", engine)


def marked_zip(whole: bytes) -> bytes:
    """A zip archive whose files say that they are encrypted."""
    data = bytearray(whole)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + place] |= 1
            at = data.find(mark, at + 4)
    return bytes(data)


NAMED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "csv.zip": (marked_zip, "is an encrypted zip archive; decrypt it first"),
    "parquet": (lambda whole: b"PARE" + whole[4:-4] + b"PARE", "this is an encrypted Parquet file; decrypt it first"),
    "xlsx": (
        lambda whole: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + whole,
        "an old Excel workbook (.xls) or an encrypted one",
    ),
    "sqlite": (encrypted, "it is damaged, cut off or encrypted"),
    "sav": (lambda whole: b"\x1c" + bytes(7) + b"ENCRYPTEDSAV" + whole, "damaged, cut off, encrypted"),
    "dta": (encrypted, "damaged, cut off, encrypted"),
    "sas7bdat": (encrypted, "damaged, cut off, encrypted"),
}


@pytest.mark.parametrize("kind", NAMED)
def test_what_is_encrypted_is_named_where_that_can_be_seen(kind: str) -> None:
    source = sample(kind, Path(f"t.{kind}"), TIMES)
    harm, said = NAMED[kind]
    source.write_bytes(harm(source.read_bytes()))
    assert said in refused(source)


def small_machine(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A machine with too little memory for any table; what is streamed there is kept."""
    streamed: list[str] = []
    monkeypatch.setattr("discreet.table.memory.machine", lambda: 1 << 20)
    for one in FORMATS:
        real = type(one).to_parquet

        def watched(self: Any, *words: Any, real: Any = real) -> Any:
            streamed.append(self.name)
            return real(self, *words)

        monkeypatch.setattr(type(one), "to_parquet", watched)
    return streamed


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_does_not_fit_is_streamed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or, as a workbook, refused where it would not fit: it cannot be read in parts."""
    source = sample(kind, Path(f"t.{kind}"), TIMES)
    Path("rules.yaml").write_text(RULES)
    known = d.protect(source, "rules.yaml", engine="local")
    known.write("known.csv")
    streamed = small_machine(monkeypatch)
    if kind == "xlsx":
        monkeypatch.setattr("discreet.table.formats.excel.memory_for_a_job", lambda: 1 << 10)
        assert "takes more memory than there is; save the sheet as CSV" in refused(source)
        return
    found = d.protect(source, "rules.yaml")
    assert not isinstance(found.engine, type(known.engine))
    assert streamed == ([] if kind == "parquet" else [KINDS[kind][0]])
    found.write("found.csv")
    assert read_csv(Path("found.csv"))[0].equals(read_csv(Path("known.csv"))[0])


def told_rows(kind: str, whole: bytes, rows: int, told: int) -> bytes:
    """A file of a statistics package that says it has other rows than it has."""
    data = bytearray(whole)
    if kind in ("sav", "zsav"):
        assert struct.unpack_from("<i", data, 80) == (rows,)
        struct.pack_into("<i", data, 80, told)
    elif kind == "dta":
        at = data.index(b"<N>") + 3
        assert struct.unpack_from("<q", data, at) == (rows,)
        struct.pack_into("<q", data, at, told)
    else:
        at = data.index(struct.pack("<i", rows), 1024)
        struct.pack_into("<i", data, at, told)
    return bytes(data)


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("kind", ["sav", "zsav", "dta", "sas7bdat"])
def test_no_room_is_made_for_rows_that_cannot_be_there(kind: str, engine: str) -> None:
    """A few bytes would take all memory: pyreadstat makes room for what a file says."""
    source = sample(kind, Path(f"t.{kind}"), TIMES)
    whole = source.read_bytes()
    for told in (24 * TIMES + 1, 10_000_000):
        source.write_bytes(told_rows(kind, whole, 24 * TIMES, told))
        said = refused(source, "--engine", engine)
    assert "it is too short for the rows that it says it has" in said


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("csv.")])
def test_a_bomb_fills_neither_memory_nor_disk(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(f"t.{kind}")
    text = pl.concat([bank()] * 2000)
    sample(kind, source)
    d.protect(text, d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(source, force=True)
    assert source.stat().st_size < text.estimated_size() / 20
    monkeypatch.setattr("discreet.table.formats.dialect.memory_for_a_job", lambda: 1 << 18)
    monkeypatch.setattr("discreet.table.formats.dialect.room_on_disk", lambda _: 1 << 18)
    assert "more than fits into memory" in refused(source, "--engine", "local")
    assert "more than the disk for scratch files has room for" in refused(source, "--engine", "streaming")


def test_nobody_believes_what_an_archive_says_of_its_length() -> None:
    """One that says less is damaged; one that says more holds what it holds."""
    source = sample("csv.zip", Path("t.csv.zip"), TIMES)
    with zipfile.ZipFile(source) as archive:
        size = archive.infolist()[0].file_size
    whole = source.read_bytes()
    assert whole.count(struct.pack("<I", size)) > 1
    source.write_bytes(whole.replace(struct.pack("<I", size), struct.pack("<I", 10)))
    assert "is a zip file that is damaged or cut off" in refused(source)
    source.write_bytes(whole.replace(struct.pack("<I", size), struct.pack("<I", 2**32 - 2)))
    assert d.protect(source, "rules.yaml", engine="local").audit.rows == 24 * TIMES
