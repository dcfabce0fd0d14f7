"""The same table goes in and out through every kind of file with equal texts, by every command; whatever is damaged is
refused with a clear word and nothing is written."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.policy import FileOptions
from discreet.table.formats.csv_reading import read_csv
from discreet.table.formats.json_names import refuse_names_twice
from discreet.table.source import open_source
from tests.commands import DEMO, run

NASTY = [
    "007",
    "NA",
    " x",
    "7",
    "é",
    "日本\U0001f600",
    "=1+1",
    "@a",
    'say "a"',
    "a;b,c",
    "true",
    "1.0",
    "1e5",
    "2020-01-02",
]
PACKED = ("csv.gz", "csv.bz2", "csv.xz", "csv.zst", "csv.zip", "tsv.zip")
PLAIN = ("csv", "parquet", "jsonl", "ndjson", "feather", "arrow", *PACKED)
EVERYTHING = (*PLAIN, "xlsx")
"""Kinds that tell an empty text from a missing one, and keep every character."""
ONE_OF_EACH = ("csv.zip", "jsonl", "feather", "xlsx")
EXTRA = {"csv.zst": "zstandard", "xlsx": "fastexcel"}
POLICY = d.Policy(
    protect=[d.KAnonymity(k=1, over=["a"])], columns={name: {"role": "other"} for name in ("b", "c", "é x")}, marker="⊥"
)


def nasty(*, empty: bool = True) -> pl.DataFrame:
    """A table with all that some program somewhere takes for something else."""
    texts: list[str | None] = [*NASTY, None, "" if empty else "x", "last"]
    return pl.DataFrame(
        {
            "a": texts,
            "b": [None if text is None else text[::-1] for text in reversed(texts)],
            "c": [str(place) for place in range(len(texts))],
            "é x": [None, "" if empty else None, *["line\nend"] * (len(texts) - 2)],
        },
        schema=dict.fromkeys(("a", "b", "c", "é x"), pl.String),
    )


def need(kind: str) -> None:
    """Skip a test whose library is not installed."""
    if kind in EXTRA:
        pytest.importorskip(EXTRA[kind], reason=f"reading .{kind} needs {EXTRA[kind]}")


def texts_of(path: Path, engine: str | None = None) -> pl.DataFrame:
    """Return what a file holds, as texts: by a release in which nothing changes."""
    back = path.with_name("back.csv")
    d.protect(path, POLICY, engine=engine).write(back, force=True)
    return read_csv(back, separator=",")[0]


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("kind", EVERYTHING)
def test_every_text_comes_back(kind: str, engine: str, tmp_path: Path) -> None:
    need(kind)
    release = d.protect(nasty(), POLICY, engine=engine)
    path = tmp_path / f"release.{kind}"
    release.write(path)
    assert d.verify(path, POLICY, original=nasty()).holds
    assert texts_of(path, engine).equals(nasty())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_the_commands_take_every_kind(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(kind)
    monkeypatch.chdir(tmp_path)
    source, policy = f"bank.{kind}", str(DEMO / "bank.yaml")
    d.protect(DEMO / "bank.csv", d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(source)
    run("protect", source, "-p", policy, "-o", f"release.{kind}", "--plan", "plan.json")
    run("verify", f"release.{kind}", "-p", policy, "--original", source)
    run("audit", f"release.{kind}", "-p", policy, "--original", source, "--time-limit", "0")
    run("apply", "plan.json", source, "-o", f"again.{kind}")
    run("check", policy, "--table", source)
    run("frontier", source, "-p", policy, "--thresholds", "75%")
    assert "Bankruptcy" in run("init", source).stdout
    assert run("taxonomy", source, "Job", "--kind", "balanced").stdout
    release = d.protect(DEMO / "bank.csv", policy)
    release.write("known.csv")
    d.protect(f"release.{kind}", d.Policy(marker="⊥", protect=[d.KAnonymity(k=1, over=["Job"])])).write("texts.csv")
    assert read_csv(Path("texts.csv"))[0].equals(read_csv(Path("known.csv"))[0])


@pytest.mark.parametrize("kind", [kind for kind in EVERYTHING if kind != "csv"])
@pytest.mark.parametrize("harm", ["cut", "empty", "noise"])
def test_what_is_damaged_is_refused(kind: str, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(kind)
    monkeypatch.chdir(tmp_path)
    source = Path(f"bank.{kind}")
    d.protect(DEMO / "bank.csv", d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(source)
    whole = source.read_bytes()
    middle = len(whole) // 2
    harmed = {
        "cut": whole[: middle + 7],
        "empty": b"",
        "noise": whole[:middle] + b"\x00\xff" * 40 + whole[middle + 80 :],
    }
    source.write_bytes(harmed[harm])
    told = run("protect", str(source), "-p", str(DEMO / "bank.yaml"), "-o", f"release.{kind}", code=2).stderr
    assert told.startswith("error: bank.")
    assert "internal error" not in told
    assert "Discharged" not in told
    assert sorted(path.name for path in Path().iterdir()) == [source.name]


class TestJsonLines:
    def read(self, tmp_path: Path, text: str, name: str = "t.jsonl") -> pl.DataFrame:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        table = open_source(path, FileOptions()).native()
        assert isinstance(table, pl.DataFrame)
        return table

    def test_values_keep_their_types(self, tmp_path: Path) -> None:
        frame = self.read(tmp_path, '{"a": 1, "b": "007", "c": true, "d": 1.5}\n{"a": 2, "b": null, "c": false}\n')
        assert frame.rows() == [(1, "007", True, 1.5), (2, None, False, None)]

    def test_a_column_that_mixes_kinds_is_text(self, tmp_path: Path) -> None:
        frame = self.read(tmp_path, '{"a": 1}\n{"a": "x"}\n{"a": true}\n')
        assert frame["a"].to_list() == ["1", "x", "true"]

    def test_long_whole_numbers_keep_every_digit(self, tmp_path: Path) -> None:
        frame = self.read(tmp_path, '{"a": 12345678901234567890, "b": 9007199254740993}\n{"a": 1, "b": 0.5}\n')
        assert frame["a"].cast(pl.String).to_list() == ["12345678901234567890", "1"]
        assert frame["b"].cast(pl.String).to_list() == ["9007199254740993", "0.5"]

    def test_a_kind_that_shows_late_is_seen(self, tmp_path: Path) -> None:
        lines = ['{"a": 1}'] * 5000 + ['{"a": "x", "b": 1}']
        frame = self.read(tmp_path, "\n".join(lines) + "\n")
        assert frame["a"][-1] == "x"
        assert frame["b"].to_list() == [None] * 5000 + [1]

    def test_it_is_known_by_its_first_line(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, '{"a": 1}\n', "table.log")["a"].to_list() == [1]
        with pytest.raises(d.InputError, match="a stray quote"):
            self.read(tmp_path, '{"a": 1}\n', "table.csv")

    def test_a_name_that_is_a_pattern_means_itself(self, tmp_path: Path) -> None:
        (tmp_path / "t1.jsonl").write_text('{"a": 2}\n')
        assert self.read(tmp_path, '{"a": 1}\n', "t[1].jsonl")["a"].to_list() == [1]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ('[{"a": 1}]', "this is a JSON document, not JSON lines"),
            ('{\n "a": 1\n}\n', "this is a JSON document, not JSON lines"),
            ('{"a": 1}\n{"a": \n', "line 2: is not a JSON object"),
            ('{"a": 1}\n[2]\n', "line 2: is not a JSON object"),
            ("\n\n", "is empty"),
            ("{}\n", "has no columns"),
        ],
    )
    def test_what_is_no_table_is_refused(self, text: str, said: str, tmp_path: Path) -> None:
        with pytest.raises(d.InputError, match=said):
            self.read(tmp_path, text)

    def test_dates_become_texts(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"a": [date(2020, 1, 2), date(2021, 1, 2)], "f": [float("nan"), 1.5]})
        d.protect(frame, d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])).write(tmp_path / "r.jsonl")
        rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
        assert rows == [{"a": "2020-01-02", "f": None}, {"a": "2021-01-02", "f": 1.5}]

    def test_what_json_lacks_is_refused(self, tmp_path: Path) -> None:
        for values in ([float("inf"), 1.0], [b"x", b"y"]):
            release = d.protect(
                pl.DataFrame({"a": ["1", "2"], "b": values}), d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])
            )
            with pytest.raises(d.InputError, match="column 'b': JSON has no"):
                release.write(tmp_path / "r.jsonl")
        assert not list(tmp_path.iterdir())


class TestArrow:
    def test_metadata_stays_at_home(self, tmp_path: Path) -> None:
        pa = pytest.importorskip("pyarrow")
        feather = pytest.importorskip("pyarrow.feather")
        field = pa.field("a", pa.string(), metadata={"secret": "of Ann"})
        schema = pa.schema([field], metadata={"author": "Ann", "pandas": "{}"})
        feather.write_feather(pa.table([["x", "y"]], schema=schema), str(tmp_path / "t.feather"))
        d.protect(tmp_path / "t.feather", d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])).write(tmp_path / "r.arrow")
        found = feather.read_table(str(tmp_path / "r.arrow"))
        assert found.schema.metadata is None
        assert found.schema.field("a").metadata is None
        assert b"Ann" not in (tmp_path / "r.arrow").read_bytes()

    def test_a_stream_is_read(self, tmp_path: Path) -> None:
        nasty().write_ipc_stream(tmp_path / "t.arrows")
        for engine in ("local", "streaming"):
            assert texts_of(tmp_path / "t.arrows", engine).equals(nasty())

    def test_types_are_kept(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"a": [1, 2], "b": [1.5, None], "c": [True, False], "d": [b"x", None]})
        d.protect(frame, d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])).write(tmp_path / "r.feather")
        assert pl.read_ipc(tmp_path / "r.feather").equals(frame)


class TestArchives:
    def zipped(self, path: Path, members: dict[str, bytes]) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return path

    def test_a_zip_must_hold_one_file(self, tmp_path: Path) -> None:
        for members, said in (({}, "empty zip archive"), ({"a.csv": b"a\n1\n", "b.csv": b"b\n"}, "holds 2 files")):
            with pytest.raises(d.InputError, match=said):
                d.protect(self.zipped(tmp_path / "t.zip", members), POLICY)

    def test_names_in_a_zip_are_never_used(self, tmp_path: Path) -> None:
        folder = tmp_path / "inside"
        folder.mkdir()
        path = self.zipped(folder / "t.zip", {"../../evil.csv": b"a,b\n1,2\n"})
        for engine in ("local", "streaming"):
            assert d.protect(path, d.Policy(protect=[d.KAnonymity(k=1, over=["a"])]), engine=engine).audit.rows == 1
        assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["t.zip"]

    def test_what_a_mac_adds_is_no_file(self, tmp_path: Path) -> None:
        members = {"t.csv": b"a\n1\n", "__MACOSX/._t.csv": b"\0\1", "folder/": b""}
        assert (
            d.protect(
                self.zipped(tmp_path / "t.zip", members), d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])
            ).audit.rows
            == 1
        )

    def test_an_encrypted_zip_is_named(self, tmp_path: Path) -> None:
        path = self.zipped(tmp_path / "t.zip", {"t.csv": b"a\n1\n"})
        data = bytearray(path.read_bytes())
        for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            data[data.index(mark) + place] |= 1
        path.write_bytes(data)
        with pytest.raises(d.InputError, match="is an encrypted zip archive; decrypt it first"):
            d.protect(path, POLICY)

    @pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zip"])
    def test_a_bomb_is_not_unpacked(self, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = b"a,b\n" + b"1,2\n" * 1_000_000
        path = tmp_path / f"t.csv.{kind}"
        if kind == "zip":
            self.zipped(path, {"t.csv": text})
        else:
            pack: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
            path.write_bytes(pack[kind](text))
        assert path.stat().st_size < len(text) / 300
        monkeypatch.setattr("discreet.table.formats.dialect.memory_for_a_job", lambda: 1 << 20)
        monkeypatch.setattr("discreet.table.formats.dialect.room_on_disk", lambda _: 1 << 20)
        for engine, said in (("local", "more than fits into memory"), ("streaming", "more than the disk for scratch")):
            with pytest.raises(d.InputError, match=said):
                d.protect(path, POLICY, engine=engine)

    def test_a_packed_workbook_is_named(self, tmp_path: Path) -> None:
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("xl/workbook.xml", "\0")
        path = self.zipped(tmp_path / "t.zip", {"t.xlsx": inner.getvalue()})
        with pytest.raises(d.InputError, match="this is a zip archive inside a packed file; unpack it first"):
            d.protect(path, POLICY)

    def test_two_releases_of_a_table_are_the_same_bytes(self, tmp_path: Path) -> None:
        for kind in ("zip", "csv.gz"):
            for name in ("a", "b"):
                (tmp_path / name).mkdir(exist_ok=True)
                d.protect(DEMO / "bank.csv", DEMO / "bank.yaml").write(tmp_path / name / f"r.{kind}")
            assert (tmp_path / "a" / f"r.{kind}").read_bytes() == (tmp_path / "b" / f"r.{kind}").read_bytes()

    def test_a_text_that_begins_like_a_packed_file_is_a_text(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("BZh9,b\n1,2\n")
        assert d.protect(path, d.Policy(protect=[d.KAnonymity(k=1, over=["b"])])).audit.rows == 1


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", r"an old Excel workbook \(.xls\) or an encrypted one"),
        (b"%PDF-1.7\n\0\xff", "a PDF document; export its table as CSV"),
        (b"7z\xbc\xaf\x27\x1c\0\0", "a 7z archive; unpack it first"),
        (b"\x80\x04\x95\0\0", "a pickle of Python, which is never opened"),
        (b"PAR1\0\0\0\0", "a Parquet file that is cut off"),
    ],
)
def test_unknown_content_is_named(start: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(start + b"\n" * 20)
    with pytest.raises(d.InputError, match=f"table.csv: this is {said}"):
        d.protect(path, POLICY)


def piped(*words: str, text: bytes = b"", code: int = 0) -> subprocess.CompletedProcess[bytes]:
    """Run a command with a table in its standard input."""
    done = subprocess.run([sys.executable, "-m", "discreet", *words], input=text, capture_output=True, check=False)
    assert done.returncode == code, done.stderr.decode()
    return done


@pytest.mark.process
class TestPipes:
    POLICY: str = str(DEMO / "bank.yaml")

    def test_from_a_pipe_to_a_pipe(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        known = d.protect(DEMO / "bank.csv", self.POLICY)
        known.write("known.csv")
        text = (DEMO / "bank.csv").read_bytes()
        done = piped("protect", "-", "-p", self.POLICY, "-o", "-", "--plan", "plan.json", text=text)
        assert done.stdout == Path("known.csv").read_bytes()
        assert b"every promise holds" in done.stderr
        told = json.loads(Path("plan.manifest.json").read_text())
        assert told["input"]["name"] == told["release"]["name"] == "-"
        assert told["input"]["sha256"] == hashlib.sha256(text).hexdigest()
        assert told["release"]["sha256"] == hashlib.sha256(done.stdout).hexdigest()
        again = piped("verify", "-", "-p", self.POLICY, "--original", str(DEMO / "bank.csv"), text=done.stdout)
        assert b"every promise holds" in again.stdout

    def test_a_pipe_may_hold_any_kind(self, tmp_path: Path) -> None:
        d.protect(DEMO / "bank.csv", d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(tmp_path / "b.parquet")
        done = piped("protect", "-", "-p", self.POLICY, "-o", "-", "-q", text=(tmp_path / "b.parquet").read_bytes())
        assert pl.read_parquet(io.BytesIO(done.stdout)).height == 24

    def test_nothing_goes_out_that_breaks_a_promise(self, tmp_path: Path) -> None:
        policy = tmp_path / "p.yaml"
        policy.write_text('protect:\n  - {infer: {Bankruptcy: Discharged}, given: [Job], at_most: "1%"}\n')
        done = piped("protect", "-", "-p", str(policy), "-o", "-", text=(DEMO / "bank.csv").read_bytes(), code=1)
        assert done.stdout == b""

    def test_what_cannot_be_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert b"is empty" in piped("protect", "-", "-p", self.POLICY, "-o", "-", code=2).stderr
        told = piped("protect", str(DEMO / "bank.csv"), "-p", self.POLICY, "-o", "-", "--json", code=2)
        assert b"--json: prints to standard output, where the release goes" in told.stderr

    def test_a_closed_pipe_leaves_no_plan(self, tmp_path: Path) -> None:
        done = subprocess.run(
            ["bash", "-c", '"$@" | (exec 0<&-; sleep 3)', "-", sys.executable, "-m", "discreet", "protect",
             str(DEMO / "bank.csv"), "-p", self.POLICY, "-o", "-", "--plan", str(tmp_path / "plan.json")],
            capture_output=True, check=False,
        )  # fmt: skip
        assert b"standard output: cannot be written" in done.stderr
        assert not list(tmp_path.iterdir())


def column_of(path: Path, engine: str | None) -> list[str | None]:
    """What a file holds in its column `a`: by a release in which nothing changes."""
    found = d.protect(path, d.Policy(protect=[d.KAnonymity(k=1, over=["a"])], marker="⊥"), engine=engine).table
    assert isinstance(found, (pl.DataFrame, pl.LazyFrame))
    return found.lazy().collect()["a"].to_list()


def test_a_stream_of_arrow_without_its_end_is_refused(tmp_path: Path) -> None:
    """Cut off between two parts of the table, it would be read as a shorter one."""
    ipc = pytest.importorskip("pyarrow.ipc")
    table = pl.DataFrame({"a": [str(row) for row in range(300)]}).to_arrow()
    path = tmp_path / "t.arrow"
    ends = []
    with path.open("wb") as file:
        writer = ipc.new_stream(file, table.schema)
        for start in (0, 100, 200):
            writer.write_table(table.slice(start, 100))
            ends.append(file.tell())
        writer.close()
    whole = path.read_bytes()
    for engine in (None, "streaming"):
        path.write_bytes(whole)
        assert len(column_of(path, engine)) == 300
        for cut in (4, ends[1], ends[1] + 4, ends[2], len(whole) - 1):
            path.write_bytes(whole[:cut])
            with pytest.raises(d.InputError, match="damaged or cut off"):
                column_of(path, engine)


def test_half_a_letter_in_json_lines_is_refused(tmp_path: Path) -> None:
    """Polars would make a NUL of it."""
    path = tmp_path / "t.jsonl"
    good = '{"a": "x"}\n{"a": "\\ud83d\\ude00"}\n{"a": "\\\\ud83d"}\n'
    path.write_text(good)
    assert column_of(path, None) == ["x", "\U0001f600", "\\ud83d"]
    for half in ("\\ud83d", "\\uDE00", "\\ude00\\ud83d", "\\ud83dx"):
        path.write_text(good + f'{{"a": "{half}"}}\n')
        for engine in (None, "streaming"):
            with pytest.raises(d.InputError, match="line 4: has one half of a surrogate pair"):
                column_of(path, engine)


TWICE = [
    '{"a": 1, "a": 2}',
    '{"a": 1, "b": 2, "a": 1}',
    '{"a":null,"b":"x","a":null}',
    '{"a" : 1, "b": 2, "a": 3}',
    '{"a": 1, "\\u0061": 2}',
    '{"a": 1, "b": 2, "\\u0061"\t: 2}',
    '{"a": "x", "long name of a column": 1, "long name of a column": 2}',
    '{"a": "x", "long name of a colum\\u006e": 1, "long name of a column": 2}',
    '{"a": "x", "say \\"b\\"": 1, "say \\"b\\"": 2}',
    '{"a": "x", "' + "é" * 200 + '": 1, "' + "é" * 200 + '": 2}',
    '{"a": "x", "": 1, "": 2}',
    '{"": 1, "a": 2, "b": 3, "": 4}',
]


@pytest.mark.parametrize("engine", [None, "streaming"])
@pytest.mark.parametrize("line", TWICE)
def test_a_name_that_an_object_has_twice_is_refused(line: str, engine: str | None, tmp_path: Path) -> None:
    """Polars takes the first value and other programs the last one, without a word."""
    path = tmp_path / "t.jsonl"
    for before in (1, 70_000):
        path.write_text('{"a": "x", "b": "y"}\n' * before + line + '\n{"a": "x"}\n')
        with pytest.raises(d.InputError, match=rf"t.jsonl, line {before + 1}: has the name '.*' twice"):
            column_of(path, engine)


def test_what_looks_like_a_name_twice_is_read(tmp_path: Path) -> None:
    lines = [
        {"a": '"a": 1', "b": "1"},
        {"b": '", "b": "', "a": "b"},
        {"a": "a:", "b": '":"'},
        {"a": "x"},
        {"b": "\\", "a": '\\": '},
        {"name of a column, 1": "1", "name of a column, 2": "2"},
    ]
    path = tmp_path / "t.jsonl"
    for before in (b"{", b"{ "):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        path.write_bytes(text.replace(b"{", before) * 3 + b"\n" + text.rstrip())
        assert column_of(path, None) == [line.get("a") for line in lines] * 4


@given(st.lists(st.dictionaries(st.text(max_size=12), st.text(max_size=6), max_size=5), min_size=1), st.booleans())
def test_every_name_that_comes_twice_is_found(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, str]], ascii_only: bool
) -> None:
    """Whatever the names and texts are: with one name more, and only then, a line is refused."""
    path = tmp_path_factory.mktemp("json") / "t.jsonl"
    written = [json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    path.write_text("\n".join(written) + "\n", encoding="utf-8", errors="surrogatepass", newline="")
    refuse_names_twice(path, path)
    for place, line in enumerate(lines):
        for name in line:
            twice = [*written]
            twice[place] = f"{{{json.dumps(name)}: 1, {twice[place][1:]}"
            path.write_text("\n".join(twice) + "\n", encoding="utf-8", errors="surrogatepass", newline="")
            with pytest.raises(d.InputError, match=f"line {place + 1}: has the name"):
                refuse_names_twice(path, path)
