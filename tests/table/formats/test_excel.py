"""Workbooks of Excel: which sheet is read, how its cells become texts, and that no formula and no author is written."""

from __future__ import annotations

import logging
import zipfile
import zlib
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.policy import FileOptions
from discreet.table.source import open_source
from tests.commands import DEMO, run

fastexcel = pytest.importorskip("fastexcel", reason="Excel workbooks need fastexcel")
POLICY = d.Policy(protect=[d.KAnonymity(k=1, over=["a"])], columns={"b": {"role": "other"}})


def book(path: Path, sheets: dict[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> Path:
    """A workbook as Excel writes it, with an author and all."""
    writer = pytest.importorskip("xlsxwriter", reason="workbooks for tests are made with xlsxwriter")
    made = writer.Workbook(str(path), {"default_date_format": "yyyy-mm-dd hh:mm"})
    made.set_properties({"author": "Ann Secret", "comments": "of ward 7"})
    for name, rows in sheets.items():
        sheet = made.add_worksheet(name)
        if name in hidden:
            sheet.hide()
        else:
            sheet.activate()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    made.close()
    return path


def moment(*parts: int) -> datetime:
    """A point in time without a zone, which is what Excel has."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001


def read(path: str | Path, **options: Any) -> pl.DataFrame:
    frame = open_source(path, FileOptions(**options)).native()
    assert isinstance(frame, pl.DataFrame)
    return frame


def test_cells_have_the_texts_that_excel_shows(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["whole", "some", "day", "moment", "truth", "mixed", "text"],
        [1, 1, moment(2020, 1, 2), moment(2020, 1, 2, 10, 30), True, 1, "007"],
        [20, 2.5, moment(2020, 1, 3), moment(2020, 1, 3), False, "x", " x"],
        [-3, None, None, None, None, None, None],
    ]
    frame = read(book(tmp_path / "t.xlsx", {"One": rows}))
    assert frame.to_dict(as_series=False) == {
        "whole": ["1", "20", "-3"],
        "some": ["1", "2.5", None],
        "day": ["2020-01-02", "2020-01-03", None],
        "moment": ["2020-01-02 10:30:00", "2020-01-03 00:00:00", None],
        "truth": ["true", "false", None],
        "mixed": ["1", "x", None],
        "text": ["007", " x", None],
    }


def test_a_kind_that_shows_late_is_seen(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["a"], *[[1]] * 3000, ["x"]]
    assert read(book(tmp_path / "t.xlsx", {"One": rows}))["a"].to_list() == [*["1"] * 3000, "x"]


def test_which_sheet_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = book(tmp_path / "t.xlsx", {"Old": [["a"], [0]], "One": [["a"], [1]], "T#2": [["a"], [2]]}, hidden=("Old",))
    with caplog.at_level(logging.INFO, "discreet"):
        assert read(path)["a"].to_list() == ["1"]
    assert "sheet 'One' is read, the first of 3; name another as" in caplog.text
    assert read(f"{path}#Old")["a"].to_list() == ["0"]
    assert read(f"{path}#T#2")["a"].to_list() == ["2"]
    with pytest.raises(d.InputError, match="there is no sheet 'one'; there is Old, One and T#2; did you mean 'One'"):
        read(f"{path}#one")


def test_a_file_whose_own_name_has_the_sign_comes_first(tmp_path: Path) -> None:
    book(tmp_path / "t.xlsx", {"One": [["a"], [1]]})
    book(tmp_path / "t.xlsx#One", {"Other": [["a"], [2]]})
    assert read(tmp_path / "t.xlsx#One")["a"].to_list() == ["2"]
    assert read(f"{tmp_path / 't.xlsx#One'}#Other")["a"].to_list() == ["2"]


def test_lines_above_the_names_are_left_out(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [["Our patients", None], ["a", "b"], [1, 2]]})
    assert read(path, skip=1).rows() == [("1", "2")]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "sheet 'One' is empty"),
        ([["a", "a"], [1, 2]], "columns 1 and 2 have the same name"),
        ([["a", "a_1", "a"], [1, 2, 3]], "columns 1 and 3 have the same name"),
        ([["a", None, "c"], [1, 2, 3]], "column 2 has no name"),
    ],
)
def test_what_is_no_table_is_refused(rows: list[list[Any]], said: str, tmp_path: Path) -> None:
    with pytest.raises(d.InputError, match=said):
        read(book(tmp_path / "t.xlsx", {"One": rows}))


def test_an_empty_column_without_a_name_is_none(tmp_path: Path) -> None:
    assert read(book(tmp_path / "t.xlsx", {"One": [["a", None, "a_1"], [1, None, 3]]})).columns == ["a", "a_1"]


def test_an_error_of_excel_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [["a", "b"], [1, 2], [3, "=1/0"]]})
    data = {name: zipfile.ZipFile(path).read(name) for name in zipfile.ZipFile(path).namelist()}
    sheet = data["xl/worksheets/sheet1.xml"].replace(
        b'<c r="B3"><f>1/0</f><v>0</v>', b'<c r="B3" t="e"><f>1/0</f><v>#DIV/0!</v>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in {**data, "xl/worksheets/sheet1.xml": sheet}.items():
            archive.writestr(name, content)
    with pytest.raises(d.InputError, match=r"an error of Excel \(such as #N/A\) in row 3, column 2"):
        read(path)


def test_no_formula_and_nothing_about_the_source_goes_out(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["a", "b"], ["x", 1], ["x", 2]]
    source = book(tmp_path / "t.xlsx", {"One": rows, "Hidden": [["Ann"], ["secret of Ann"]]}, hidden=("Hidden",))
    d.protect(source, POLICY).write(tmp_path / "r.xlsx")
    formulas = pl.DataFrame({"a": ["=1+1", "=HYPERLINK(1)", "@x", "+1"], "b": ["1", "2.5", None, "-3"]})
    d.protect(formulas, POLICY.with_file(escape_formulas=True)).write(tmp_path / "f.xlsx")
    for name in ("r.xlsx", "f.xlsx"):
        with zipfile.ZipFile(tmp_path / name) as archive:
            whole = b"".join(map(archive.read, archive.namelist()))
            assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"Ann" not in whole
        assert b"<f>" not in whole
        assert not any("docProps" in part for part in archive.namelist())
    assert b'<c t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c><c><v>1</v></c>' in whole
    assert read(tmp_path / "f.xlsx").equals(formulas)
    assert d.verify(tmp_path / "f.xlsx", POLICY.with_file(escape_formulas=True), original=formulas).holds


def test_the_sheet_of_a_release_has_the_name_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    policy = str(DEMO / "bank.yaml")
    run("protect", str(DEMO / "bank.csv"), "-p", policy, "-o", "r.xlsx#Loans & <more>")
    assert fastexcel.read_excel("r.xlsx").sheet_names == ["Loans & <more>"]
    run("verify", "r.xlsx#Loans & <more>", "-p", policy, "--original", str(DEMO / "bank.csv"))
    told = run("protect", str(DEMO / "bank.csv"), "-p", policy, "-o", "r.xlsx#Other", code=2).stderr
    assert "r.xlsx: exists already" in told
    told = run("protect", str(DEMO / "bank.csv"), "-p", policy, "-o", "q.xlsx#a:b", code=2).stderr
    assert "Excel takes no sheet of this name" in told


def test_the_sign_may_stand_in_folders_and_sheets(tmp_path: Path) -> None:
    (tmp_path / "a#b").mkdir()
    path = tmp_path / "a#b" / "r.xlsx#x#y"
    d.protect(DEMO / "bank.csv", DEMO / "bank.yaml").write(path)
    assert fastexcel.read_excel(str(tmp_path / "a#b" / "r.xlsx")).sheet_names == ["x#y"]
    assert d.verify(path, DEMO / "bank.yaml", original=DEMO / "bank.csv").holds


def test_a_workbook_that_would_not_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [["a"], *[["x" * 2000]] * 2000]})
    monkeypatch.setattr("discreet.table.formats.excel.memory_for_a_job", lambda: 1 << 12)
    with pytest.raises(d.InputError, match="takes more memory than there is; save the sheet as CSV"):
        read(path)


def test_without_its_library_a_workbook_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [["a"], [1]]}).rename(tmp_path / "t.csv")
    monkeypatch.setitem(__import__("sys").modules, "fastexcel", None)
    with pytest.raises(d.InputError, match=r"this is an Excel workbook: pip install 'discreet\[excel\]'"):
        read(path)
    with pytest.raises(d.InputError, match=r"pip install 'discreet\[excel\]'"):
        d.protect(pl.DataFrame({"a": ["x"], "b": ["y"]}), POLICY).write(tmp_path / "r.xlsx")


@given(
    st.lists(
        st.one_of(st.none(), st.text(max_size=6), st.sampled_from(["_x0041_x0042_", "1", "-0", "1e5", "0.1", "inf"]))
    )
)
def test_any_text_comes_back_or_is_refused(tmp_path_factory: pytest.TempPathFactory, values: list[str | None]) -> None:
    path = tmp_path_factory.mktemp("excel") / "r.xlsx"
    frame = pl.DataFrame(
        {"a": ["x"] * (len(values) + 1), "b": [*values, "end"]}, schema={"a": pl.String, "b": pl.String}
    )
    try:
        d.protect(frame, POLICY).write(path)
    except d.InputError as refused:
        assert "would not be read back" in str(refused)
        assert any(letter in "\ufffe\uffff" for value in values if value for letter in value)
    else:
        assert read(path).equals(frame)


def test_truth_values_stay_apart_from_numbers(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["mixed", "whole", "truth", "some"],
        [True, 1, True, 2.5],
        [1, 2, False, 1],
        [False, 3, None, None],
        [0, 4, True, 1e-7],
    ]
    frame = read(book(tmp_path / "t.xlsx", {"One": rows}))
    beside = [[None, *row] for row in rows]
    assert read(book(tmp_path / "beside.xlsx", {"One": beside})).equals(frame)
    assert frame.to_dict(as_series=False) == {
        "mixed": ["true", "1", "false", "0"],
        "whole": ["1", "2", "3", "4"],
        "truth": ["true", "false", None, "true"],
        "some": ["2.5", "1", None, "1e-7"],
    }


def timed(path: Path, cells: list[tuple[float, str]]) -> list[str | None]:
    """The texts of numbers in the formats that people give to them."""
    writer = pytest.importorskip("xlsxwriter", reason="workbooks for tests are made with xlsxwriter")
    made = writer.Workbook(str(path))
    sheet = made.add_worksheet("One")
    sheet.write(0, 0, "a")
    for row, (value, shown) in enumerate(cells, start=1):
        sheet.write_number(row, 0, value, made.add_format({"num_format": shown}))
    made.close()
    return read(path)["a"].to_list()


def test_times_of_day_have_no_day(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    ten = 37200 / 86400
    assert timed(path, [(ten, "h:mm"), (0.4375, "h:mm:ss"), (0, "h:mm")]) == ["10:20:00", "10:30:00", "00:00:00"]
    assert timed(path, [(ten, "h:mm"), (37203.84 / 86400, "h:mm")]) == ["10:20:00.000000", "10:20:03.840000"]
    assert timed(path, [(ten, "h:mm"), (43832, "yyyy-mm-dd")]) == ["10:20:00", "2020-01-02"]
    assert timed(path, [(ten, "h:mm"), (43832.5, "yyyy-mm-dd h:mm")]) == ["10:20:00", "2020-01-02 12:00:00"]


def changed(path: Path, old: str, new: str) -> Path:
    """A workbook with another text in its first sheet."""
    whole = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            whole[name] = archive.read(name)
    sheet = "xl/worksheets/sheet1.xml"
    assert old.encode() in whole[sheet]
    whole[sheet] = whole[sheet].replace(old.encode(), new.encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("result", ["", "<v></v>", "<v/>", "<v />"])
@pytest.mark.parametrize("before", [1, 20_000])
def test_a_formula_without_a_result_is_refused(result: str, before: int, tmp_path: Path) -> None:
    """It would be read as missing, which it is not; other sheets do not matter."""
    rows: list[list[Any]] = [["a"], *[[1.5]] * before, ["=1+1"], [3]]
    path = changed(book(tmp_path / "t.xlsx", {"One": rows, "Two": [["a"], [1]]}), "<v>0</v>", result)
    with pytest.raises(d.InputError, match=rf"sheet 'One': a formula in cell A{before + 2} has no result in the file"):
        read(f"{path}#One")
    assert read(f"{path}#Two")["a"].to_list() == ["1"]


def test_a_formula_with_an_empty_text_has_a_result(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [["a"], ["=1+1"], ["x"]]})
    changed(path, '<c r="A2"><f>1+1</f><v>0</v></c>', '<c r="A2" t="str"><f>A1</f><v></v></c>')
    assert read(path)["a"].to_list() == ["", "x"]


EMPTY = [
    '<c r="A2" t="str"><f>A1</f><v></v></c>',
    '<c r="A2" t="str"><f>A1</f><v/></c>',
    '<c r="A2" t="inlineStr"><f>A1</f><is><t></t></is></c>',
]


@pytest.mark.parametrize("cell", EMPTY)
@pytest.mark.parametrize(
    ("other", "text"),
    [(3, "3"), (2.5, "2.5"), (True, "true"), (moment(2020, 1, 2), "2020-01-02 00:00:00"), ("x", "x"), (None, None)],
)
def test_an_empty_text_of_a_formula_may_stand_anywhere(cell: str, other: Any, text: str | None, tmp_path: Path) -> None:
    """As by =IF(A1>0,A1,""): it is neither an error nor missing."""
    path = book(tmp_path / "t.xlsx", {"One": [["a", "b"], ["=1+1", 1], [other, 2]]})
    changed(path, '<c r="A2"><f>1+1</f><v>0</v></c>', cell)
    assert read(path).rows() == [("", "1"), (text, "2")]


def test_an_error_beside_an_empty_text_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path / "t.xlsx", {"One": [[None, "a", "b"], [None, "=1+1", 1], [None, 3, 2], [None, "=1/0", 3]]})
    changed(path, '<c r="B2"><f>1+1</f><v>0</v></c>', '<c r="B2" t="str"><f>A1</f><v></v></c>')
    assert read(path).rows() == [("", "1"), ("3", "2"), ("0", "3")]
    changed(path, '<c r="B4"><f>1/0</f><v>0</v></c>', '<c r="B4" t="e"><f>1/0</f><v>#DIV/0!</v></c>')
    with pytest.raises(d.InputError, match=r"an error of Excel \(such as #N/A\) in row 4"):
        read(path)


def test_a_workbook_that_counts_from_1904(tmp_path: Path) -> None:
    """Its days are the same; a time of day is one of its first day, which may be a day that is meant."""
    writer = pytest.importorskip("xlsxwriter", reason="workbooks for tests are made with xlsxwriter")
    made = writer.Workbook(str(tmp_path / "t.xlsx"), {"date_1904": True})
    sheet = made.add_worksheet("One")
    day, clock = (made.add_format({"num_format": shown}) for shown in ("yyyy-mm-dd", "h:mm"))
    sheet.write_row(0, 0, ["day", "time", "both", "text"])
    for row in (1, 2):
        sheet.write_datetime(row, 0, moment(2020 - row, 1, 2), day)
        sheet.write_number(row, 1, 0.4375, clock)
    sheet.write_number(1, 2, 0.4375, clock)
    sheet.write_datetime(2, 2, moment(1904, 1, 1), day)
    sheet.write_datetime(1, 3, moment(2020, 1, 2), day)
    sheet.write(2, 3, "x")
    made.close()
    with zipfile.ZipFile(tmp_path / "t.xlsx") as archive:
        assert b'date1904="1"' in archive.read("xl/workbook.xml")
    assert read(tmp_path / "t.xlsx").rows() == [
        ("2019-01-02", "1904-01-01 10:30:00", "1904-01-01 10:30:00", "2020-01-02 00:00:00"),
        ("2018-01-02", "1904-01-01 10:30:00", "1904-01-01 00:00:00", "x"),
    ]


def test_a_workbook_that_says_less_than_it_holds_is_refused(tmp_path: Path) -> None:
    """It would unpack to more than there is memory for; its sum of bytes fits what it says."""
    path = book(tmp_path / "t.xlsx", {"One": [["a"], *[["x" * 1000 + str(row)] for row in range(2000)]]})
    for said in (1000, 10**8):
        data = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            about = archive.getinfo("xl/sharedStrings.xml")
            start = archive.read(about)[:said]
        at = data.rfind(b"PK\x01\x02", 0, data.rfind(b"xl/sharedStrings.xml"))
        data[at + 16 : at + 20] = zlib.crc32(start).to_bytes(4, "little")
        data[at + 24 : at + 28] = said.to_bytes(4, "little")
        (tmp_path / "less.xlsx").write_bytes(data)
        with pytest.raises(d.InputError, match="is not a readable Excel workbook"):
            read(tmp_path / "less.xlsx")
