"""Which rows of a combination are taken, where chance takes only some of them: the same ones on every engine.

The rule needs no row numbers. For every row of the combination a text is made of, in this order,

- the salt, 32 lower-case hexadecimal digits;
- for each released column of the source, in the order of the table (identifiers are not released; only columns of
  texts, whole numbers, truth values and dates count, for other values have no text or another one on other engines):
  `-` for a missing value, else the number of code points of the source's text in decimal digits, `:`, and the text;
- `#` and the row's number, from 1 in decimal digits, among those rows of the combination with which it shares all that.

The rows with the smallest MD5 digests of these texts in UTF-8 (compared as bytes, or as lower-case hexadecimal texts)
are taken. Lengths make the text unambiguous. With the number at its end no two rows have the same one, so every row is
as likely to be taken as any other, however many are equal to it. Which of equal rows gets which number does not
matter: to the lot they are interchangeable (here they are numbered in row order).

Whoever does not know the salt cannot tell which rows are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import md5

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.encoded import Ints
from discreet.table.by_name import by_name

Flags = npt.NDArray[np.bool_]
AT_ONCE = 2**17
"""Texts that are hashed together."""
PLAIN = {"text", "Boolean", "Date", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}
"""Kinds of columns whose values have the same texts on every engine."""


def taken(columns: Sequence[pl.Series], combination: Ints, wanted: Ints, salt: str) -> Flags:
    """Say which rows are taken.

    Parameters
    ----------
    columns
        The texts of the rows, column by column.
    combination
        The combination of each row.
    wanted
        How many rows are taken of each combination.
    salt
        32 lower-case hexadecimal digits.

    >>> taken([pl.Series(["a", "b", "b"])], np.array([0, 0, 0]), np.array([2]), "0" * 32).tolist()
    [True, True, False]
    """
    parts = [
        b"".join([md5(text.encode(), usedforsecurity=False).digest() for text in part["text"].to_list()])
        for part in lot_texts(columns, combination, salt).to_frame("text").iter_slices(AT_ONCE)
    ]
    high, low = np.frombuffer(b"".join(parts), dtype=">u8").reshape(-1, 2).T
    order = np.lexsort((low, high, combination))
    rows = np.bincount(combination, minlength=len(wanted))
    rank = np.arange(len(order)) - np.repeat(np.cumsum(rows) - rows, rows)
    found = np.zeros(len(order), dtype=np.bool_)
    found[order] = rank < np.repeat(wanted, rows)
    return found


def lot_texts(columns: Sequence[pl.Series], combination: Ints, salt: str) -> pl.Series:
    """Return the text of each row whose digest decides.

    >>> lot_texts([pl.Series(["a", None, None]), pl.Series(["", "é:", "é:"])], np.array([0, 1, 1]), "5").to_list()
    ['51:a0:#1', '5-2:é:#1', '5-2:é:#2']
    """
    names = [f"column {place}" for place in range(len(columns))]
    frame = pl.DataFrame(
        [pl.Series("combination", combination)]
        + [texts.alias(name) for texts, name in zip(columns, names, strict=True)]
    )
    held = [
        pl.concat_str(by_name(name).str.len_chars().cast(pl.String), pl.lit(":"), by_name(name)).fill_null("-")
        for name in names
    ]
    frame = frame.select("combination", text=pl.concat_str(pl.lit(salt), *held) if held else pl.lit(salt))
    return frame.select(pl.concat_str("text", pl.lit("#"), pl.Series(_numbers(frame)).cast(pl.String))).to_series()


def _numbers(frame: pl.DataFrame) -> Ints:
    """Return the number of each row among those that are equal, from 1."""
    numbers = np.ones(len(frame), dtype=np.int64)
    among = frame.select(pl.struct("combination", "text").is_duplicated()).to_series()
    if among.any():
        equal = frame.filter(among).select(pl.int_range(1, pl.len() + 1).over("combination", "text"))
        numbers[among.to_numpy()] = equal.to_series().to_numpy()
    return numbers
