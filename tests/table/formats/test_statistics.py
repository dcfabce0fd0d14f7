"""Files of SPSS, Stata and SAS: labels or codes, the texts of numbers and dates; nothing but cells goes out."""

from __future__ import annotations

import struct
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.policy import FileOptions
from discreet.table.source import open_source
from tests.commands import DEMO, run
from tests.sas import PAGE, SasColumn, sas7bdat
from tests.table.formats.test_round_trips import nasty

pyreadstat: Any = pytest.importorskip("pyreadstat", reason="files of SPSS, Stata and SAS need pyreadstat")
WRITE = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
RULES = str(DEMO / "bank.yaml")
K = d.Policy(protect=[d.KAnonymity(k=1, over=["a"])])


def read(path: str | Path, **options: Any) -> pl.DataFrame:
    frame = open_source(path, FileOptions(**options)).native()
    assert isinstance(frame, pl.DataFrame)
    return frame


def plain() -> pl.DataFrame:
    """The nasty table as such files can hold it: without empty texts, with names that are taken."""
    return nasty(empty=False).rename({"é x": "é_x"})


RULES_PLAIN = d.Policy(
    protect=[d.KAnonymity(k=1, over=["a"])], columns={name: {"role": "other"} for name in ("b", "c", "é_x")}, marker="⊥"
)


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_every_text_comes_back(kind: str, engine: str, tmp_path: Path) -> None:
    frame = plain()
    if kind == "sav":
        frame = frame.with_columns(pl.col("b").str.strip_chars_end(" "))
    path = tmp_path / f"r.{kind}"
    d.protect(frame, RULES_PLAIN, engine=engine).write(path)
    assert d.verify(path, RULES_PLAIN, original=frame).holds
    d.protect(path, RULES_PLAIN, engine=engine).write(tmp_path / "back.parquet")
    assert pl.read_parquet(tmp_path / "back.parquet").equals(frame)


@pytest.mark.parametrize(
    ("kind", "values", "said"),
    [
        ("sav", ["", "x"], "has an empty text, which is a missing value in SPSS files"),
        ("dta", ["", None], "has an empty text, which is a missing value in Stata files"),
        ("sav", ["x ", "y"], "has a text that ends in a space, which SPSS files do not keep"),
    ],
)
def test_what_would_not_come_back_is_refused(kind: str, values: list[str | None], said: str, tmp_path: Path) -> None:
    with pytest.raises(d.InputError, match=f"column 'a': {said}"):
        d.protect(pl.DataFrame({"a": values}), K).write(tmp_path / f"r.{kind}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_names_that_are_not_taken_are_refused(kind: str, tmp_path: Path) -> None:
    for name in ("a b", "1a", "a" * 70, "a-b"):
        policy = d.Policy(protect=[d.KAnonymity(k=1, over=["x"])], columns={name: {"role": "other"}})
        with pytest.raises(d.InputError, match="takes no such name"):
            d.protect(pl.DataFrame({"x": ["y"], name: ["z"]}), policy).write(tmp_path / f"r.{kind}")


@pytest.mark.parametrize("kind", ["sav", "dta"])
@pytest.mark.parametrize("engine", ["local", "streaming"])
def test_labels_or_codes(kind: str, engine: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 9.0, None], "b": [1.0, 2.5, 3.0, 4.0]})
    WRITE[kind](frame, str(tmp_path / f"t.{kind}"), variable_value_labels={"a": {1: "yes", 2: "no"}})
    for codes, expected in ((False, ["yes", "no", "9", None]), (True, ["1", "2", "9", None])):
        policy = d.Policy(
            protect=[d.KAnonymity(k=1, over=["a"])], columns={"b": {"role": "other"}}, file={"codes": codes}
        )
        d.protect(tmp_path / f"t.{kind}", policy, engine=engine).write(tmp_path / "r.csv", force=True)
        assert read(tmp_path / "r.csv")["a"].to_list() == expected
        assert read(tmp_path / "r.csv")["b"].to_list() == ["1", "2.5", "3", "4"]
    assert "  a:" in run("init", str(tmp_path / f"t.{kind}"), "--codes").stdout


def test_values_that_would_have_one_label_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0]})
    for labels in ({1: "other", 2: "other"}, {1: "2"}):
        pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels={"a": labels})
        with pytest.raises(d.InputError, match="two values of column 'a' would have the same label; take the codes"):
            read(tmp_path / "t.sav")
        assert read(tmp_path / "t.sav", codes=True)["a"].to_list() == ["1", "2"]


def test_kinds_of_missing_values_are_values(tmp_path: Path) -> None:
    labels = {"a": {1: "one", 99: "refused"}}
    pyreadstat.write_sav(
        pl.DataFrame({"a": [1.0, 99.0, None]}),
        str(tmp_path / "t.sav"),
        missing_ranges={"a": [99]},
        variable_value_labels=labels,
    )
    assert read(tmp_path / "t.sav")["a"].to_list() == ["one", "refused", None]
    pd = pytest.importorskip("pandas")
    kinds = pd.DataFrame({"a": [1, 2, "a"]})
    pyreadstat.write_dta(
        kinds,
        str(tmp_path / "t.dta"),
        missing_user_values={"a": ["a"]},
        variable_value_labels={"a": {1: "one", "a": "refused"}},
    )
    assert read(tmp_path / "t.dta")["a"].to_list() == ["one", "2", "refused"]
    assert read(tmp_path / "t.dta", codes=True)["a"].to_list() == ["1", "2", "a"]


@pytest.mark.parametrize("kind", ["sav", "dta", "xpt"])
def test_numbers_and_dates_as_people_write_them(kind: str, tmp_path: Path) -> None:
    moment = datetime(2020, 1, 2, 10, 30)  # noqa: DTZ001 - these files have no zones
    frame = pl.DataFrame(
        {
            "n": [1.0, 2.5, None],
            "d": [date(2020, 1, 2), None, None],
            "m": [moment, None, None],
            "h": [time(9), None, None],
        }
    )
    WRITE[kind](frame, str(tmp_path / f"t.{kind}"))
    expected = [
        ("1", "2020-01-02", "2020-01-02 10:30:00", "09:00:00"),
        ("2.5", None, None, None),
        (None, None, None, None),
    ]
    assert read(tmp_path / f"t.{kind}").rows() == expected


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_nothing_about_the_source_goes_out(kind: str, tmp_path: Path) -> None:
    more = {"note": "note of Ann"} if kind == "sav" else {}
    WRITE[kind](
        pl.DataFrame({"a": [1.0, 2.0]}),
        str(tmp_path / f"t.{kind}"),
        file_label="patients of Ann",
        column_labels={"a": "of Ann"},
        variable_value_labels={"a": {1: "yes", 2: "no", 3: "Ann"}},
        **more,
    )
    d.protect(tmp_path / f"t.{kind}", K).write(tmp_path / f"r.{kind}")
    written = (tmp_path / f"r.{kind}").read_bytes()
    assert b"Ann" not in written
    assert (b"01 Jan 80" if kind == "sav" else b"01 Jan 1980 00:00") in written


@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_whole_numbers_stay_numbers(kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["1", "2"], "b": ["1.5", None], "c": ["007", "1"]})
    policy = d.Policy(protect=[d.KAnonymity(k=1, over=["a"])], columns={name: {"role": "other"} for name in "bc"})
    d.protect(frame, policy).write(tmp_path / f"r.{kind}")
    found = (pyreadstat.read_sav if kind == "sav" else pyreadstat.read_dta)(
        str(tmp_path / f"r.{kind}"), output_format="polars"
    )[0]
    assert [kind.is_numeric() for kind in found.dtypes] == [True, True, False]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_the_commands_take_them(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"bank.{kind}"
    d.protect(DEMO / "bank.csv", d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(source)
    run("protect", source, "-p", RULES, "-o", f"release.{kind}", "--plan", "plan.json")
    run("verify", f"release.{kind}", "-p", RULES, "--original", source)
    run("audit", f"release.{kind}", "-p", RULES, "--original", source, "--time-limit", "0")
    run("apply", "plan.json", source, "-o", f"again.{kind}")
    run("check", RULES, "--table", source)
    run("frontier", source, "-p", RULES, "--thresholds", "75%")
    assert "Bankruptcy" in run("init", source).stdout


def test_sas_is_read_and_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.read_csv(DEMO / "bank.csv").rename({"Bankruptcy": "Bankrupt"})
    pyreadstat.write_xport(frame, "bank.xpt")
    Path("p.yaml").write_text("protect:\n  - {infer: {Bankrupt: Discharged}, given: [Job, Country], at_most: 75%}\n")
    run("protect", "bank.xpt", "-p", "p.yaml", "-o", "r.csv")
    run("verify", "r.csv", "-p", "p.yaml", "--original", "bank.xpt")
    told = run("protect", "bank.xpt", "-p", "p.yaml", "-o", "r.xpt", code=2).stderr
    assert "SAS files are read, but not written" in told
    run("protect", "bank.xpt", "-p", "p.yaml", "-o", "release")
    assert pl.read_parquet("release").height == 24


@pytest.mark.parametrize("kind", ["sav", "dta", "xpt", "sas7bdat"])
@pytest.mark.parametrize("harm", ["cut", "empty", "noise"])
def test_what_is_damaged_is_refused(kind: str, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = Path(f"t.{kind}")
    if kind == "sas7bdat":
        whole = sas7bdat([SasColumn("Job", ["Discharged"] * 500)])
    else:
        WRITE[kind](pl.DataFrame({"Job": ["Discharged"] * 500}), str(source))
        whole = source.read_bytes()
    harmed = {"cut": whole[: len(whole) // 2], "empty": b"", "noise": whole[:8] + b"\xff\0" * 400 + whole[808:]}
    source.write_bytes(harmed[harm])
    told = run("protect", str(source), "-p", RULES, "-o", "r.csv", code=2).stderr
    assert "is not a readable" in told or "is damaged or cut off" in told
    assert "Discharged" not in told
    assert [path.name for path in Path().iterdir()] == [source.name]


def transport(path: Path, version: int, rows: int = 500, *, wide: bool = False) -> bytes:
    """A transport file; `wide`: with rows of more than a record."""
    frame = pl.DataFrame(
        {
            "a": [float(row) for row in range(rows)],
            "b": [f"x{row:05}" + "y" * 90 * wide for row in range(rows)],
        }
    )
    path.unlink(missing_ok=True)
    pyreadstat.write_xport(frame, str(path), file_format_version=version)
    assert open_source(path, FileOptions()).rows == rows
    return path.read_bytes()


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("version", [5, 8])
def test_a_transport_file_that_is_cut_off_is_refused(version: int, wide: bool, tmp_path: Path) -> None:
    """pyreadstat would read the rows that are there; only version 8 says how many there are."""
    path = tmp_path / "t.xpt"
    whole = transport(path, version, wide=wide)
    row = 104 if wide else 14
    start = whole.index(b"HEADER RECORD*******OBS") + 80
    for cut in (*range(80, len(whole), 80), len(whole) - 1, len(whole) - 79, len(whole) * 4 // 5 // 80 * 80 + 16):
        if version == 5 and cut >= start and (cut - start) % row == 0:
            continue  # it ends with a row: nobody can tell
        path.write_bytes(whole[:cut])
        with pytest.raises(d.InputError, match="is a SAS transport file that is damaged or cut off"):
            open_source(path, FileOptions())


def test_a_transport_file_with_several_tables_is_refused(tmp_path: Path) -> None:
    """pyreadstat would take the second one for rows of the first."""
    path = tmp_path / "t.xpt"
    for version in (5, 8):
        whole = transport(path, version)
        path.write_bytes(whole + whole[240:])
        with pytest.raises(d.InputError, match="a SAS transport file that holds several tables"):
            open_source(path, FileOptions())


def test_rows_that_cannot_be_told_from_padding_are_refused(tmp_path: Path) -> None:
    """pyreadstat leaves rows out at the end that are nothing but blanks."""
    path = tmp_path / "t.xpt"
    frame = pl.DataFrame({"a": ["x", "", "y", ""], "b": ["z" * 90, "", "z", ""]})
    for version, rows in ((5, frame), (8, frame), (8, frame.select("a"))):
        path.unlink(missing_ok=True)
        pyreadstat.write_xport(rows.head(3), str(path), file_format_version=version)
        assert open_source(path, FileOptions()).rows == 3
        pyreadstat.write_xport(rows, str(path), file_format_version=version)
        with pytest.raises(d.InputError, match="the last row has nothing but empty texts"):
            open_source(path, FileOptions())
    path.unlink()
    pyreadstat.write_xport(frame.select("a"), str(path), file_format_version=5)
    assert open_source(path, FileOptions()).rows == 3  # a row that is shorter than a record: nobody can tell


def data_set(rows: int = 3) -> list[SasColumn]:
    """Columns of every kind that SAS has, with what it says of them."""
    moment = datetime(2020, 1, 2, 10, 30)  # noqa: DTZ001 - SAS has no zones
    return [
        SasColumn("n", [1.0, 2.5, None] * rows, "BEST", "number of Ann"),
        SasColumn("t", ["007", "é日本", ""] * rows, "$CHAR"),
        SasColumn("d", [date(2020, 1, 2), None, date(1959, 12, 31)] * rows, "DATE"),
        SasColumn("m", [moment, None, moment.replace(second=1)] * rows, "DATETIME"),
        SasColumn("h", [time(9), None, time(23, 59, 59)] * rows, "TIME"),
    ]


DATA_SET = [
    ("1", "007", "2020-01-02", "2020-01-02 10:30:00", "09:00:00"),
    ("2.5", "é日本", None, None, None),
    (None, None, "1959-12-31", "2020-01-02 10:30:01", "23:59:59"),
]


@pytest.mark.parametrize("engine", ["local", "streaming"])
@pytest.mark.parametrize("wide", [False, True])
def test_a_data_set_of_sas_is_read(wide: bool, engine: str, tmp_path: Path) -> None:
    path = tmp_path / "t.sas7bdat"
    path.write_bytes(sas7bdat(data_set(1000), wide=wide))
    columns = {name: {"role": "other"} for name in "tdmh"}
    policy = d.Policy(protect=[d.KAnonymity(k=1, over=["n"])], columns=columns, marker="⊥")
    release = d.protect(path, policy, engine=engine)
    release.write(tmp_path / "r.csv")
    assert read(tmp_path / "r.csv").rows() == DATA_SET * 1000
    assert d.verify(tmp_path / "r.csv", policy, original=path, engine=engine).holds
    assert b"of Ann" not in (tmp_path / "r.csv").read_bytes()


def test_two_libraries_read_the_same_from_it(tmp_path: Path) -> None:
    """The files that these tests make are what others take for data sets of SAS, too."""
    pd = pytest.importorskip("pandas")
    path = tmp_path / "t.sas7bdat"
    for wide in (False, True):
        path.write_bytes(sas7bdat(data_set(), wide=wide))
        found = pd.read_sas(path, encoding="utf-8")
        assert list(found.columns) == list("ntdmh")
        assert found["t"].fillna("").to_list() == ["007", "é日本", ""] * 3
        assert found["n"].fillna(-1).to_list() == [1.0, 2.5, -1] * 3
        assert found["d"].dt.date.to_list()[0] == date(2020, 1, 2)


def test_every_kind_of_missing_value_of_sas_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.sas7bdat"
    kinds = [struct.unpack("<d", ((0xFFFF00 | 255 - ord(kind)) << 40).to_bytes(8, "little"))[0] for kind in ".AZ_"]
    path.write_bytes(sas7bdat([SasColumn("a", [1.0, *kinds])]))
    assert read(path)["a"].to_list() == ["1", None, None, None, None]


def test_a_data_set_has_an_encoding(tmp_path: Path) -> None:
    """It says which one; `encoding` says another, where that is wrong."""
    path = tmp_path / "t.sas7bdat"
    path.write_bytes(sas7bdat([SasColumn("a", ["é"])], encoding=29))
    assert read(path)["a"].to_list() == ["Ã©"]
    assert read(path, encoding="utf-8")["a"].to_list() == ["é"]


@pytest.mark.parametrize("wide", [False, True])
def test_a_data_set_that_is_cut_off_or_damaged_is_refused(wide: bool, tmp_path: Path) -> None:
    path = tmp_path / "t.sas7bdat"
    whole = sas7bdat(data_set(1000), wide=wide)
    head = 8192 if wide else 1024
    harmed = [whole[:cut] for cut in (40, 300, head, head + 100, *range(head + PAGE, len(whole), PAGE), len(whole) - 1)]
    harmed.append(whole[: head + 2 * PAGE] + bytes(PAGE) + whole[head + 3 * PAGE :])  # a page of rows is lost
    harmed.append(whole[:head] + b"\xff\0" * (PAGE // 2) + whole[head + PAGE :])  # what is said of the columns is
    count = bytearray(whole)
    rows = whole.index((3000).to_bytes(8 if wide else 4, "little"), head)
    for told in (3001, 2_000_000):  # more rows than there are
        count[rows : rows + 4] = told.to_bytes(4, "little")
        harmed.append(bytes(count))
    for data in harmed:
        path.write_bytes(data)
        for engine in ("local", "streaming"):
            with pytest.raises(d.InputError, match="is not a readable SAS file; it is damaged"):
                d.protect(path, d.Policy(protect=[d.KAnonymity(k=1, over=["n"])]), engine=engine)


def test_without_their_library_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyreadstat.write_sav(pl.DataFrame({"a": ["x"]}), str(tmp_path / "t.csv"))
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(d.InputError, match=r"this is a SPSS file: pip install 'discreet\[stats\]'"):
        read(tmp_path / "t.csv")


def test_nothing_else_is_taken_for_them(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("$FL,b\n1,2\n")
    assert read(tmp_path / "t.csv").columns == ["$FL", "b"]


@pytest.mark.parametrize(("ending", "begins"), [(".sav", b"$FL2"), (".zsav", b"$FL3")])
def test_a_release_is_packed_where_its_name_says_so(tmp_path: Path, ending: str, begins: bytes) -> None:
    pytest.importorskip("pyreadstat")
    table = pl.DataFrame({"job": ["p", "p", "q"], "ill": ["no", "no", "yes"]})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["job"])])
    path = tmp_path / f"release{ending}"
    d.protect(table, policy).write(path)
    assert path.read_bytes().startswith(begins)
    assert d.verify(path, policy, table).holds
