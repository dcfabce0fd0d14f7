"""What the values of a column look like: numbers, dates, codes or plain categories.

Shared by drafts of policies and by proposals of taxonomies, so that both see the same in a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from discreet.columns.scale import Dates, Numbers
from discreet.errors import InputError

if TYPE_CHECKING:
    import polars as pl

MISSING = (
    "?", "NA", "N/A", "n/a", "n.a.", "N.A.", "#N/A", "null", "NULL", "None", "nan", "NaN", "-", "--", ".", "unknown",
    "Unknown", "missing", "k.A.", "k. A.", "unbekannt",
)  # fmt: skip
"""The usual signs of a missing value."""
MONTH = "%Y-%m"
TIME = "time"
"""Stands for days with a time: 2024-01-31 08:00."""
_DAY_FORMS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d")
_TIMED_FORMS = tuple(f"{day} {clock}" for clock in ("%H:%M", "%H:%M:%S") for day in _DAY_FORMS)
DATE_FORMS = (None, *_DAY_FORMS, MONTH, TIME, *_TIMED_FORMS)
"""How dates are written, None for 2024-01-31."""
MOST_STRAYS = 0.2
"""The share of different values that may be something else before a column is taken for another kind."""
_CODE_WORDS = {
    "zip", "zipcode", "postcode", "postal", "postalcode", "plz", "postleitzahl", "pincode", "cep", "fips", "nuts",
    "lsoa", "icd", "icd10", "atc", "isco", "nace", "isic", "sic", "naics", "code",
}  # fmt: skip
"""Words of a column's name that say that numbers in it are codes, which begin alike when they belong together."""
_DATE_SHAPE = re.compile(r"\d{4}-?\d\d-?\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}/\d\d?/\d\d?|\d{4}-\d\d", re.ASCII)
_DAY_AND_TIME_SHAPE = re.compile(r"(\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}/\d\d?/\d\d?) \d{1,2}:\d\d(:\d\d)?", re.ASCII)
_TIME_SHAPE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*", re.ASCII)
_COMPACT_YEARS = range(1800, 2201)
"""Eight digits are a date only in our times."""
LONG = 40
"""Characters that values have on average, where they are no categories but free text."""
SAMPLE = 5_000
"""Different values that are looked at to see what they are."""


def words_of(name: str) -> set[str]:
    """Return the words of a column's name.

    >>> sorted(words_of("ZIPCode_home")), sorted(words_of("birthDate"))
    (['code', 'home', 'zip'], ['birth', 'date'])
    """
    spaced = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return set(re.split(r"[\W_]+", spaced.lower())) - {""}


def kind_of(name: str, values: pl.Series, rows: pl.Series | None = None) -> str:
    """Return number, decimal, date, code, text (long) or category: what all values of a column are.

    With `rows` the values are different ones, and so many rows have each.

    >>> import polars as pl
    >>> kind_of("age", pl.Series(["7", "42"])), kind_of("zip", pl.Series(["01067", "10115"]))
    ('number', 'code')
    """
    if values.is_empty():
        return "category"
    stripped = (values.unique() if rows is None else values).str.strip_chars()
    if stripped.str.contains(r"^[+-]?\d+$").all():
        return "code" if is_code(name, stripped.unique().to_list()) else "number"
    if stripped.str.contains(r"^[+-]?\d*[.,]?\d+([eE][+-]?\d+)?$").all():
        return "decimal"
    dates = (r"^\d{4}-\d{2}-\d{2}", r"^\d{1,2}[./]\d{1,2}[./]\d{2,4}( \d{1,2}:\d{2}(:\d{2})?)?$")
    if any(stripped.str.contains(form).all() for form in dates):
        return "date"
    lengths = values.str.len_chars().cast(int)
    together = int(lengths.sum() if rows is None else (lengths * rows).sum())
    return "text" if together > LONG * int(len(values) if rows is None else rows.sum()) else "category"


def is_code(name: str, values: Sequence[str]) -> bool:
    """Whether whole numbers are codes: all of one length, and with leading zeros or a name that says so.

    >>> is_code("income", ["20000", "35000"]), is_code("zip", ["20000", "35000"]), is_code("x", ["0042", "1000"])
    (False, True, True)
    """
    lengths = {len(value) for value in values}
    if len(lengths) != 1 or lengths.pop() < 3 or not all(value.isdigit() for value in values):
        return False
    return any(value.startswith("0") for value in values) or bool(words_of(name) & _CODE_WORDS)


def are_numbers(values: Iterable[str], decimal: str = ".") -> bool:
    """Whether every value is a number as `type: number` reads it."""
    numbers = Numbers(decimal)
    return all(numbers.read(value) is not None for value in values)


def has_time(form: str | None) -> bool:
    """Whether a form of dates tells the time of the day, too."""
    return form == TIME or (form is not None and "%H" in form)


def read_date(text: str, form: str | None) -> date | None:
    """Return the day that a text tells in one of the `DATE_FORMS`, or one of its own; the first of a month.

    >>> read_date("2024-02-29 08:15", TIME), read_date("2024-02", MONTH), read_date("29.02.2023", "%d.%m.%Y")
    (datetime.date(2024, 2, 29), datetime.date(2024, 2, 1), None)
    """
    if form == MONTH:
        day = Dates().read(f"{text.strip()}-01") if re.fullmatch(r"\s*\d{4}-\d\d\s*", text, re.ASCII) else None
    elif form in (None, TIME):
        timed = _TIME_SHAPE.fullmatch(text.strip()) is not None
        day = Dates().read(text) if timed == (form == TIME) else None
    else:
        day = Dates(form).read(text) if has_time(form) == (":" in text) else None
    return None if day is None else date.fromordinal(int(day))


def date_forms(values: Sequence[str]) -> list[str | None]:
    """Return the forms in which nearly all values are dates; more than one if day and month could be swapped.

    >>> date_forms(["2024-01-31", "2023-12-24"]), date_forms(["01/02/2024", "03/04/2024"])
    ([None], ['%d/%m/%Y', '%m/%d/%Y'])
    """
    shaped = [value for value in values if _looks_like_a_date(value)]
    read = {form: sum(_is_date(value, form) for value in shaped) for form in DATE_FORMS}
    best = max(read.values(), default=0)
    if not best or len(values) - best > MOST_STRAYS * len(values):
        return []
    return [form for form, count in read.items() if count == best]


def _looks_like_a_date(value: str) -> bool:
    text = value.strip()
    return any(shape.fullmatch(text) is not None for shape in (_DATE_SHAPE, _TIME_SHAPE, _DAY_AND_TIME_SHAPE))


def _is_date(value: str, form: str | None) -> bool:
    day = read_date(value, form)
    return day is not None and (not value.strip().isdigit() or day.year in _COMPACT_YEARS)


def some_of(values: Sequence[str]) -> list[str]:
    """Return the values, or as many of them as are looked at, from all parts of the alphabet."""
    step = max(len(values) / SAMPLE, 1.0)
    return [values[int(place * step)] for place in range(min(len(values), SAMPLE))]


def date_form(column: str, values: Sequence[str]) -> str | None:
    """Return the one form in which the values are dates; refuse to guess which of day and month comes first."""
    forms = date_forms(some_of(values))
    if not forms:
        raise InputError(
            f"column {column!r}: its values are no dates; say how they are written (date_format), or use another kind"
        )
    if len(forms) > 1:
        said = " or ".join(str(form) for form in forms)
        raise InputError(f"column {column!r}: its dates can be read in two ways; say which date_format it is: {said}")
    return forms[0]
