"""How the text file of a table is written: separator, header, encoding, decimals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from discreet.policy.part import Part, Whole


def _one_character(value: object) -> object:
    if isinstance(value, str) and value.lower() in ("tab", "\\t"):
        return "\t"
    if isinstance(value, str) and (len(value) != 1 or not value.isascii() or value in '"\r\n'):
        raise ValueError("the separator is one ASCII character, such as ',' ';' '|' or tab")
    return value


def _header(value: object) -> object:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    if not isinstance(value, (bool, list, tuple)):
        raise ValueError("write true, false or the list of column names")
    return value if isinstance(value, bool) else tuple(value)


class FileOptions(Part):
    """How the text file is written; what is not said is found out by looking at the file."""

    separator: Annotated[str | None, BeforeValidator(_one_character)] = Field(
        default=None,
        description="what stands between two cells of a line; found out when absent",
        json_schema_extra={"pattern": r"^([^\"\r\n]|tab|\\t)$"},
    )
    header: Annotated[bool | tuple[str, ...], BeforeValidator(_header)] = Field(
        default=True,
        description="true; false (columns are then column_1, column_2, ...); or the list of names",
    )
    encoding: str | None = Field(default=None, description="utf-8 when absent")
    skip: Whole = Field(
        default=0, ge=0, description="lines to leave out at the top of the original (never of a release)"
    )
    escape_formulas: bool = Field(
        default=False,
        description="write an apostrophe before texts that spreadsheet programs would take for formulas, in a release "
        "that is a text file; verify, audit and apply know of it",
    )
    codes: bool = Field(
        default=False, description="read the codes of SPSS and Stata files where values have labels; labels when absent"
    )
    decimal: Literal[".", ","] | None = Field(
        default=None, description="what stands before the decimals of numbers; found out when absent"
    )
