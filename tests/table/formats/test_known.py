"""Formats that only this module knows are read, written and read back: nothing else must be touched for a new one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl
import pytest

import discreet as d
from discreet.errors import InputError
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.known import FORMATS, file_table, other_ways, refuse_foreign, written_as
from discreet.table.formats.place import Place
from tests.commands import run
from tests.jobs import bank, bank_policy

MAGIC = b"LINES\n"


class Lines(TableFormat):
    """A file with a line of JSON for each row; cells keep their types."""

    name: ClassVar[str] = "lines"
    suffixes: ClassVar[tuple[str, ...]] = (".lines", ".json")
    advised: ClassVar[tuple[str, ...]] = (".lines",)

    def files(self, table: Path) -> list[Path] | None:
        return [table] if table.is_file() and table.read_bytes().startswith(MAGIC) else None

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        head, *rows = files[0].read_bytes().removeprefix(MAGIC).splitlines()
        try:
            return pl.DataFrame(list(map(json.loads, rows)), schema=json.loads(head), orient="row"), None
        except ValueError:
            raise InputError(f"{table}: is not a readable file of lines") from None

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, _: Writing) -> None:
        target.write(MAGIC + json.dumps(list(columns)).encode() + b"\n")
        for part in parts:
            target.writelines(json.dumps(row).encode() + b"\n" for row in part.rows())


class Texts(Lines):
    """The same with nothing but texts."""

    name: ClassVar[str] = "texts"
    suffixes: ClassVar[tuple[str, ...]] = (".texts",)
    advised: ClassVar[tuple[str, ...]] = (".texts",)
    options: ClassVar[tuple[str, ...]] = ("encoding",)
    is_text: ClassVar[bool] = True

    def files(self, table: Path) -> list[Path] | None:
        return None if table.suffix != ".texts" else super().files(table)


@pytest.fixture(autouse=True)
def formats() -> Iterator[None]:
    """The two formats, as a module of the package would add them."""
    FORMATS.add("texts", Texts())
    FORMATS.add("lines", Lines())
    try:
        yield
    finally:
        FORMATS.remove("texts")
        FORMATS.remove("lines")


def written(path: Path, frame: pl.DataFrame | None = None) -> Path:
    frame = bank() if frame is None else frame
    with path.open("wb") as file:
        Lines().write(frame.columns, [frame], file, Writing(path, bank_policy().file))
    return path


@pytest.mark.parametrize("engine", ["local", "streaming", "duckdb"])
@pytest.mark.parametrize("ending", ["lines", "texts"])
def test_a_new_format_goes_in_and_out(engine: str, ending: str, tmp_path: Path) -> None:
    source = written(tmp_path / f"bank.{ending}")
    release = d.protect(source, bank_policy(), engine=engine)
    known = d.protect(bank(), bank_policy())
    assert isinstance(known.table, pl.DataFrame)
    for name in (f"release.{ending}", "release", "release.csv", "release.parquet"):
        release.write(tmp_path / name)
        assert d.verify(tmp_path / name, bank_policy(), original=source, engine=engine).holds
    for name in (f"release.{ending}", "release") if ending == "lines" else (f"release.{ending}",):
        found = file_table(tmp_path / name)
        assert found.format.name == ending
        assert found.format.read(tmp_path / name, found.files, Reading(bank_policy().file))[0].equals(known.table)


def test_types_are_kept_by_a_format_that_has_them(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 30, 41, 41], "town": ["a", "a", "b", "b"], "cost": [1.5, 2.5, None, 4.0]})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])])
    d.protect(written(tmp_path / "t.lines", frame), policy).write(tmp_path / "r.lines")
    found = Lines().read(tmp_path / "r.lines", [tmp_path / "r.lines"], Reading(policy.file))[0]
    assert found.equals(frame)


def test_formulas_are_escaped_in_texts_of_any_format(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["a", "a"], "=note": ["=1+1", "plain"]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=2, over=["town"])],
        columns={"=note": {"role": "other"}},
        file={"escape_formulas": True},
    )
    for engine in ("local", "streaming"):
        d.protect(written(tmp_path / "t.texts", frame), policy, engine=engine).write(tmp_path / "r.texts", force=True)
        assert '"\'=1+1"' in (tmp_path / "r.texts").read_text()
        assert d.verify(tmp_path / "r.texts", policy, original=tmp_path / "t.texts", engine=engine).holds


def test_the_commands_know_a_new_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(Path("bank.lines"))
    Path("p.yaml").write_text(json.dumps(bank_policy().to_dict()))
    run("protect", "bank.lines", "-p", "p.yaml", "-o", "r.json")
    run("verify", "r.json", "-p", "p.yaml", "--original", "bank.lines")
    assert file_table(Path("r.json")).format.name == "lines"
    told = run("protect", "bank.lines", "-p", "p.yaml", "-o", "r.ods", code=2).stderr
    assert ".texts or .lines" in " ".join(told.split())
    told = run("protect", "bank.lines", "-p", "p.yaml", "-o", "r.lines.gz", code=2).stderr
    assert "a lines file is packed already" in " ".join(told.split())


def test_what_is_said_of_formats() -> None:
    texts, csv = FORMATS["texts"], FORMATS["CSV"]
    assert other_ways(texts) == "say the encoding under 'file', or write a CSV or Parquet file"
    FORMATS.remove("texts")
    FORMATS.remove("lines")
    try:
        assert other_ways(csv) == "say the separator, header and encoding under 'file', or write a Parquet file"
        assert written_as(Path("release.lines")) is None
        with pytest.raises(InputError, match=r"\.json files are not written; give a name that ends in \.csv, \.tsv, "):
            refuse_foreign(Path("release.json"))
    finally:
        FORMATS.add("texts", Texts())
        FORMATS.add("lines", Lines())
