"""Workbooks of Excel, written so that reading gives the very table back: one sheet, no formulas, no author.

The form is that of ECMA-376, with the texts in the cells themselves. A text that begins with = is a text.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.numbers import as_numbers

SHEET = "Sheet1"
"""What the sheet is called when nobody says."""
MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 1_048_576, 16_384, 32_767
ROWS_AT_A_TIME = 50_000
NEVER = (1980, 1, 1, 0, 0, 0)
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
ABOUT = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_CONTROL = [chr(code) for code in (*range(9), 11, 12, *range(13, 32), 0xFFFE, 0xFFFF)]
_CODED = [f"_x{ord(letter):04X}_" for letter in _CONTROL]
_TEXT = '<c t="inlineStr"><is><t xml:space="preserve">'


def refuse_sheet_name(path: Path, name: str) -> None:
    """Refuse a name that Excel does not take for a sheet."""
    if (
        not 1 <= len(name) <= 31
        or re.search(r"[\[\]:*?/\\\x00-\x1f]", name)
        or name.startswith("'")
        or name.endswith("'")
    ):
        raise InputError(
            f"{path}: Excel takes no sheet of this name; it has 1 to 31 characters, none of them [ ] : * ? / or \\"
        )


def write_workbook(columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, sheet: str) -> None:
    """Write a table of texts that comes in parts as a workbook.

    A column in which every text is a number as it would be read again is one of numbers. Each part decides by itself:
    what is read is the same text either way, and what is not is refused when it is read back.
    """
    if len(columns) > MOST_COLUMNS:
        raise InputError(f"Excel has at most {MOST_COLUMNS:,} columns; write a CSV or Parquet file")
    header = pl.DataFrame([pl.Series(f"{place}", [name]) for place, name in enumerate(columns)])
    named = f'<sheet name="{_attribute(sheet)}" sheetId="1" r:id="rId1"/>'
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{named}'
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for name, text in {**ABOUT, "xl/workbook.xml": f"{book}</sheets></workbook>"}.items():
            archive.writestr(_about(name), HEAD + text)
        with archive.open(_about("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as file:
            file.write(f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            rows = 0
            for part in chain([header], parts):
                rows += part.height
                if rows > MOST_ROWS:
                    raise InputError(
                        f"Excel has at most {MOST_ROWS:,} rows with that of the names; write a CSV or Parquet file"
                    )
                numbers = [as_numbers(column) is not None for column in part.iter_columns()]
                for some in part.iter_slices(ROWS_AT_A_TIME):
                    file.write(_rows(some, numbers if part is not header else [False] * part.width).encode())
            file.write(b"</sheetData></worksheet>")


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _about(name: str) -> zipfile.ZipInfo:
    about = zipfile.ZipInfo(name, NEVER)
    about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
    return about


def _rows(part: pl.DataFrame, numbers: Sequence[bool]) -> str:
    """Return the rows of a part as they stand in the sheet."""
    if not part.height:
        return ""
    cells = [
        _numbers(column) if plain else _texts(column)
        for column, plain in zip(part.iter_columns(), numbers, strict=True)
    ]
    named = pl.DataFrame([cell.alias(str(place)) for place, cell in enumerate(cells)])
    rows = named.select(pl.concat_str([pl.lit("<row>"), pl.all(), pl.lit("</row>")])).to_series()
    return "".join(rows)


def _numbers(column: pl.Series) -> pl.Series:
    return ("<c><v>" + column + "</v></c>").fill_null("<c/>")


def _texts(column: pl.Series) -> pl.Series:
    texts = column.cast(pl.String)
    if (texts.str.len_chars() > MOST_LETTERS // 2).any() and any(
        len(text.encode("utf-16-le")) // 2 > MOST_LETTERS for text in texts.drop_nulls()
    ):
        raise InputError(f"column {column.name!r}: Excel has at most {MOST_LETTERS:,} characters in a cell")
    texts = texts.str.replace_all("_x", "_x005F_x", literal=True)
    for plain, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        texts = texts.str.replace_all(plain, written, literal=True)
    if texts.str.contains("[\x00-\x08\x0b-\x1f\ufffe\uffff]").any():
        texts = texts.str.replace_many(_CONTROL, _CODED)
    return (_TEXT + texts + "</t></is></c>").fill_null("<c/>")
