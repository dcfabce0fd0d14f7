"""What the columns of a table look like: their kinds, signs of missing values, and what they may be of a person."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from discreet.assist.drafting.names import is_known_by_name, is_secret_by_name, names_people
from discreet.assist.proposing.column import MISSING, MONTH, TIME, are_numbers, date_forms, kind_of, read_date, some_of
from discreet.assist.proposing.icd10 import are_icd10
from discreet.encoded import Encoded
from discreet.table.by_name import nameless
from discreet.table.local import LocalEngine

MANY = 8
"""Values of a category beyond which groups would be work to write by hand."""


@dataclass(frozen=True)
class ColumnLook:
    """What one column looks like."""

    name: str
    kind: str
    """number, decimal, date, month, code, icd10, text or category."""
    distinct: int
    missing: dict[str, int] = field(default_factory=dict)
    type: str | None = None
    """How to say that it is a column of numbers or dates; None for others."""
    identifier: str | None = None
    """Why it seems to name people, if it does."""
    known_by_name: bool = False
    sensitive_by_name: bool = False
    date_format: str | None = None
    """How dates are written, where they are not written as 2024-01-31."""

    @property
    def wants_groups(self) -> bool:
        """Whether a taxonomy would be work to write by hand."""
        return self.type is None and self.distinct > MANY

    @property
    def has_tree(self) -> bool:
        """Whether groups follow from how its values are written: codes by their beginnings, months, diagnoses."""
        return self.type is None and self.kind in ("code", "month", "icd10")

    @property
    def why_secret(self) -> str | None:
        """Why it seems to be a secret, if it does."""
        if self.identifier is not None or self.kind in ("date", "month"):
            return None
        if self.kind == "icd10":
            return "codes of diagnoses (ICD-10)"
        return "a secret by its name" if self.sensitive_by_name else None

    @property
    def values(self) -> str:
        """How many different values it has, and of which kind."""
        return f"{self.distinct} different {'value' if self.distinct == 1 else 'values'} ({self.kind})"


def look_at(column: pl.Series, decimal: str) -> ColumnLook:
    """Return what a column looks like."""
    counted = nameless(column).value_counts(name="rows")
    texts, rows = counted.get_columns()
    return look_at_counts(column.name, texts, rows, decimal)


def look_at_codes(column: str, encoded: Encoded, decimal: str) -> ColumnLook:
    """Return what a column looks like of which it is known which text each row has."""
    rows = np.bincount(encoded.codes, minlength=len(encoded.domain))
    return look_at_counts(column, pl.Series(encoded.domain, dtype=pl.String), pl.Series(rows), decimal)


def look_at_counts(name: str, texts: pl.Series, rows: pl.Series, decimal: str) -> ColumnLook:
    """Return what a column looks like, by its different texts and how many rows have each."""
    sign = texts.fill_null("")
    told = {text: int(rows.filter(sign == text).sum()) for text in (*MISSING, "")}
    signs = {text: count for text, count in told.items() if count}
    there = ~sign.is_in(["", *MISSING])
    different, present = texts.filter(there), rows.filter(there)
    distinct = len(different)
    kind = _kind(name, different, present)
    said, form = _type(kind, different, decimal)
    return ColumnLook(
        name,
        kind,
        distinct,
        signs,
        said,
        _why_identifier(name, kind, int(present.sum()), distinct),
        is_known_by_name(name) or kind in ("date", "month"),
        is_secret_by_name(name),
        form,
    )


def _kind(name: str, different: pl.Series, rows: pl.Series) -> str:
    """Return the kind of the values: as taxonomies see them, and months and diagnoses besides."""
    kind = kind_of(name, different, rows)
    if kind != "category" or different.is_empty():
        return kind
    some = some_of(different.sort().to_list())
    if date_forms(some) == [MONTH]:
        return "month"
    return "icd10" if are_icd10(name, some) else kind


def _type(kind: str, different: pl.Series, decimal: str) -> tuple[str | None, str | None]:
    """Return the type of a column as a policy says it, where it can be cut into intervals; the form of its dates."""
    some = different.head(1000).to_list()
    if kind in ("number", "decimal"):
        return ("number" if are_numbers(some, decimal) else None), None
    if kind != "date":
        return None, None
    forms = date_forms(some)
    if len(forms) != 1 or forms[0] == MONTH or any(read_date(value, forms[0]) is None for value in some):
        return None, None
    return "date", None if forms[0] == TIME else forms[0]


def _why_identifier(name: str, kind: str, rows: int, distinct: int) -> str | None:
    """Return why a column seems to name people; leaving one out too many does less harm than one too few."""
    if kind == "text":
        return "free text may name people"
    if kind not in ("date", "month", "decimal") and names_people(name, distinct, rows):
        return f"its name; {distinct} different values in {rows} rows"
    if kind in ("decimal", "date", "month", "icd10") or is_known_by_name(name) or is_secret_by_name(name):
        return None
    if rows >= 10 and distinct >= 0.95 * rows:
        return f"{distinct} different values in {rows} rows"
    if kind == "category" and distinct > max(50, rows / 10):
        return f"{distinct} different texts in {rows} rows"
    return None


def decimal_of(source: LocalEngine, frame: pl.DataFrame) -> str:
    """Return a comma where numbers of a file with semicolons have one before their decimals, and none has a point."""
    if source.form.dialect is None or source.form.dialect.separator != ";":
        return "."
    some = [nameless(column).drop_nulls() for column in frame.iter_columns()]
    decimals = [values for values in some if kind_of("", values.filter(~values.is_in(list(MISSING)))) == "decimal"]
    commas = any(values.str.contains(",", literal=True).any() for values in decimals)
    return "," if commas and not any(values.str.contains(".", literal=True).any() for values in decimals) else "."
