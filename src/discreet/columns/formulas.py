"""Texts that spreadsheet programs would take for formulas, written with an apostrophe before them, and read back.

A text is escaped if it begins with = + - @, a tab or a line end and is no plain number. So that it can be undone, a
text that begins like an escaped one gets an apostrophe more. Verification and attacks see the texts without it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

_STARTS = r"[=+\-@\t\r\n]"
_ESCAPED = f"^'+{_STARTS}"
_FORMULA = f"^'*{_STARTS}"
_NUMBER = r"^[+-]?(?:[0-9]+(?:[.,][0-9]+)*[.,]?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?$"


def escaped(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of texts with its cells as they are written where formulas are escaped.

    >>> escaped(pl.DataFrame({"x": ["=1+1", "-5", "-", "'=1", "'", None]}))["x"].to_list()
    ["'=1+1", '-5', "'-", "''=1", "'", None]
    """
    text = pl.all().cast(pl.String)
    is_formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return frame.with_columns(pl.when(is_formula).then("'" + text).otherwise(text).name.keep())


def unescaped(table: pl.LazyFrame, *, header: bool = True) -> pl.LazyFrame:
    """Return a table that was written by `escaped`, with its cells and, if they were written, its names as they were.

    >>> unescaped(pl.LazyFrame({"'=a": ["'=1+1", "-5", "''=1", "'", None]})).collect().to_dict(as_series=False)
    {'=a': ['=1+1', '-5', "'=1", "'", None]}
    """
    text = pl.all()
    plain = table.with_columns(pl.when(text.str.contains(_ESCAPED)).then(text.str.slice(1)).otherwise(text).name.keep())
    names = table.collect_schema().names()
    return plain.rename(dict(zip(names, unescaped_texts(names), strict=True))) if header else plain


def escaped_texts(texts: Sequence[str]) -> list[str]:
    """Return some texts as they are written where formulas are escaped.

    >>> escaped_texts(["=a", "-1", "b"])
    ["'=a", '-1', 'b']
    """
    return [f"'{text}" if re.match(_FORMULA, text) and not re.fullmatch(_NUMBER, text) else text for text in texts]


def unescaped_texts(texts: Sequence[str]) -> list[str]:
    """Return texts that were written by `escaped_texts` as they were."""
    return [text[1:] if re.match(_ESCAPED, text) else text for text in texts]
