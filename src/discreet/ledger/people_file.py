"""What a release tells of everybody, as a file of a ledger: Parquet, in the order of the persons' names.

A name is a whole number of 128 bits. It is kept as its halves, `person` and `person_low`, which every program reads;
columns are kept as numbers of their texts. Rows that are linked by a key have names too, `row` and `row_low`. Files of
the first version have the name of a person as 32 hexadecimal digits.
"""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

from discreet.ledger.entry import PERSON, ROW
from discreet.ledger.siphash import halves, joined

LOW, ROW_LOW = "person_low", "row_low"


def people_bytes(people: pl.DataFrame) -> bytes:
    """Return what is written."""
    # Whose row stood where is nobody's business.
    ordered = people if people.get_column(PERSON).is_sorted() else people.sort(PERSON)
    high, low = halves(ordered.get_column(PERSON))
    whose = [pl.Series(PERSON, high), pl.Series(LOW, low)]
    if ROW in ordered.columns:
        high, low = halves(ordered.get_column(ROW))
        whose += [pl.Series(ROW, high), pl.Series(ROW_LOW, low)]
    held = io.BytesIO()
    pl.DataFrame([*whose, *ordered.drop(PERSON, ROW, strict=False)]).write_parquet(held, compression="lz4")
    return held.getvalue()


def read_people(file: Path | io.BytesIO) -> pl.DataFrame:
    """Return what a file tells of everybody."""
    people = pl.read_parquet(file)
    if ROW_LOW in people.columns:
        rows = joined(people.get_column(ROW).to_numpy(), people.get_column(ROW_LOW).to_numpy())
        people = people.drop(ROW_LOW).with_columns(rows.alias(ROW))
    if LOW in people.columns:
        names = joined(people.get_column(PERSON).to_numpy(), people.get_column(LOW).to_numpy())
        return people.drop(LOW).with_columns(names.alias(PERSON))
    return people.with_columns(number_of(people.get_column(PERSON)))


def number_of(digits: pl.Series) -> pl.Series:
    """Return names of 32 hexadecimal digits as whole numbers.

    >>> number_of(pl.Series(["0" * 30 + "ff"])).item()
    255
    """
    return digits.str.decode("hex").bin.reinterpret(dtype=pl.UInt128, endianness="big")
