"""What a draft says of single columns: where intervals may begin, groups that follow from how values are written."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import polars as pl

from discreet.assist.drafting.looks import ColumnLook
from discreet.assist.drafting.names import is_age
from discreet.assist.proposing.propose import propose
from discreet.assist.proposing.tally import ValueTally
from discreet.columns.scale import Dates, Numbers, Scale
from discreet.columns.taxonomy import Taxonomy
from discreet.errors import InputError
from discreet.table.by_name import nameless

FEW = 12
"""Different numbers up to which intervals may begin at each of them."""
MOST_ENDS = 20
OUTSIDE = 20
"""One of so many rows lies below the first end, and one above the last: ends tell nothing of extremes."""
WIDTHS = ("1", "2", "5")
AGES = Decimal(5)
YEARS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Said:
    """What a draft says of a column: fields in YAML, the reason beside them, and a tree in a file."""

    fields: str
    reason: str
    tree: Taxonomy | None = None
    secret: bool = False


def numbers_of(column: pl.Series, scale: Scale) -> list[Decimal]:
    """Return the numbers or days of a column in order, as often as rows have them; others are passed over."""
    counted = nameless(column).drop_nulls().value_counts()
    read = ((scale.read(text), rows) for text, rows in counted.iter_rows())
    return [value for value, rows in sorted((v, n) for v, n in read if v is not None) for _ in range(rows)]


def scale_of(look: ColumnLook, decimal: str) -> Scale:
    """Return how the values of a column of numbers or dates are read."""
    return Numbers(decimal) if look.type == "number" else Dates(look.date_format)


def said_of_scale(look: ColumnLook, column: pl.Series, decimal: str) -> Said:
    """Return what is said of a known column of numbers or dates."""
    scale = scale_of(look, decimal)
    values = numbers_of(column, scale)
    form = "" if look.date_format is None else f', date_format: "{look.date_format}"'
    ends = _ends(look, values) if len(set(values)) > FEW else []
    if not ends:
        return Said(f"{{type: {look.type}{form}}}", "released as intervals, cut wherever that loses least")
    write = (Numbers() if look.type == "number" else scale).write
    texts = ", ".join(write(end) if look.type == "number" else f'"{write(end)}"' for end in ends)
    return Said(f"{{type: {look.type}{form}, ends: [{texts}]}}", "released as intervals that begin at some of the ends")


def width_of(look: ColumnLook, column: pl.Series, decimal: str) -> str | None:
    """Return how near to a secret number nobody may get: a round part of what the middle half of the rows spans."""
    values = numbers_of(column, scale_of(look, decimal))
    if len(set(values)) <= FEW:
        return None
    width = _round((values[3 * len(values) // 4] - values[len(values) // 4]) / 4)
    if width <= 0:
        return None
    return f"{max(int(width), 1)} days" if look.type == "date" else Numbers().write(width)


def said_of_tree(look: ColumnLook, column: pl.Series, order: Sequence[str] | None, signs: Iterable[str]) -> Said | None:
    """Return a tree for a column, where one follows from how its values are written or from the order of the owner."""
    present = nameless(column).drop_nulls()
    absent = {"", *signs}
    counted = pl.DataFrame({"value": present}).group_by("value").len().sort("value")
    kept = counted.filter(~counted["value"].is_in(list(absent)))
    tally = ValueTally(
        look.name, tuple(kept["value"].to_list()), tuple(kept["len"].to_list()), missing=frozenset(absent - {""})
    )
    if order is None and not look.has_tree:
        return None
    kind = "ordered" if order else {"code": "prefix", "month": "dates", "icd10": "icd10"}[look.kind]
    try:
        found = propose(tally, kind, order=order)
    except InputError:
        if order is None:
            return None
        raise
    if not found.steps:
        return None
    how = {
        "prefix": "groups by their beginnings",
        "dates": "groups by calendar",
        "icd10": "groups by category, block and chapter",
        "ordered": "groups of neighbours in your order",
    }[kind]
    return Said("", how, found.taxonomy)


def _round(width: Decimal) -> Decimal:
    """Return a width with one digit, 1, 2 or 5, not above the one given.

    >>> float(_round(Decimal(37))), float(_round(Decimal("0.15"))), float(_round(Decimal(0)))
    (20.0, 0.1, 0.0)
    """
    if width <= 0:
        return Decimal(0)
    unit = Decimal(1).scaleb(width.adjusted())
    return max(unit * Decimal(digit) for digit in WIDTHS if unit * Decimal(digit) <= width)


def _ends(look: ColumnLook, values: Sequence[Decimal]) -> list[Decimal]:
    """Return where intervals may begin: at round numbers, months or years, none among the outermost values."""
    low, high = values[len(values) // OUTSIDE], values[-1 - len(values) // OUTSIDE]
    if low >= high:
        return []
    if look.type == "date":
        return _calendar(low, high, values)
    width = AGES if is_age(look.name) else _wide_enough((high - low) / MOST_ENDS)
    first = (low / width).to_integral_value(ROUND_CEILING)
    last = (high / width).to_integral_value(ROUND_FLOOR)
    ends = [width * Decimal(place) for place in range(int(first), int(last) + 1)]
    return _between(ends, values) if len(ends) <= 2 * MOST_ENDS else []


def _wide_enough(width: Decimal) -> Decimal:
    """Return the least width with one digit, 1, 2 or 5, that is not below the one given."""
    unit = Decimal(1).scaleb(width.adjusted())
    return min(unit * Decimal(digit) for digit in (*WIDTHS, "10") if unit * Decimal(digit) >= width)


def _calendar(low: Decimal, high: Decimal, values: Sequence[Decimal]) -> list[Decimal]:
    """Return the first days of months, or of years where these would be too many."""
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    months = [date(year, month, 1) for year in range(first.year, last.year + 1) for month in range(1, 13)]
    for days in (months, *([d for d in months if d.month == 1 and d.year % step == 0] for step in YEARS)):
        ends = [Decimal(day.toordinal()) for day in days if first < day <= last]
        if len(ends) <= MOST_ENDS:
            return _between(ends, values)
    return []


def _between(ends: Sequence[Decimal], values: Sequence[Decimal]) -> list[Decimal]:
    """Return the ends that have some value between them and the one before."""
    kept: list[Decimal] = []
    before = 0
    for end in ends:
        place = bisect_left(values, end)
        if before < place < len(values):
            kept.append(end)
            before = place
    return kept
