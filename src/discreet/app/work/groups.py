"""What the Groups screen shows of columns: their values with counts, and numbers and dates on a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from discreet.app.work.child import Talk
from discreet.app.work.table import engine_of
from discreet.assist.proposing.column import MONTH, TIME, date_forms, kind_of, some_of
from discreet.assist.proposing.ranges import range_levels
from discreet.columns.scale import Dates, Numbers, Scale

MOST_VALUES = 20_000
"""Different values that are told to the page; columns with more have no tree there."""
MOST_ON_SCALE = 200_000
"""Different numbers or dates that are put on a scale."""
BINS = 48
MOST_ENDS = 60
"""Ends that a proposal has."""


def values(
    talk: Talk,
    table: str,
    stamp: str,
    options: Mapping[str, Any],
    columns: Mapping[str, Mapping[str, Any]],
    missing: Sequence[str],
) -> dict[str, Any]:
    """Count the values of columns; `columns` says of each its type, date_format and decimal sign."""
    engine = engine_of(table, stamp, options)
    found: dict[str, Any] = {}
    for name, said in columns.items():
        if name in engine.columns and engine.has_text(name):
            found[name] = _column(name, engine.texts(name), said, missing)
            talk.part({"columns": found, "rows": engine.rows})
    return {"columns": found, "rows": engine.rows}


def _column(name: str, texts: pl.Series, said: Mapping[str, Any], missing: Sequence[str]) -> dict[str, Any]:
    counted = pl.DataFrame({"value": texts}).group_by("value").len().sort("value")
    gone = counted["value"].is_null() | counted["value"].is_in(["", *missing])
    kept = counted.filter(~gone)
    blank = int(counted.filter(gone)["len"].sum())
    shown = kept.height <= MOST_VALUES
    looks = _looks(name, kept["value"])
    told: dict[str, Any] = {
        "distinct": kept.height,
        "blank": blank,
        "values": kept["value"].to_list() if shown else None,
        "rows": kept["len"].to_list() if shown else None,
        "looks": looks[0],
        "date_format": looks[1],
        "scale": None,
    }
    if said["type"] != "category" and 0 < kept.height <= MOST_ON_SCALE:
        scale: Scale = Numbers(said["decimal"]) if said["type"] == "number" else Dates(said["date_format"])
        told["scale"] = _scale(kept, scale, said["type"])
    return told


def _looks(name: str, values: pl.Series) -> tuple[str, str | None]:
    """Return whether values look like numbers or dates, and how the dates are written."""
    kind = kind_of(name, values) if not values.is_empty() else "category"
    if kind in ("number", "decimal"):
        return "number", None
    forms = [form for form in date_forms(some_of(values.to_list())) if form not in (MONTH, TIME)]
    return ("date", forms[0]) if len(forms) == 1 else ("category", None)


def _scale(kept: pl.DataFrame, scale: Scale, kind: str) -> dict[str, Any] | None:
    """Return numbers by bins of equal width, and round ends that may be taken."""
    read = [(scale.read(value), rows) for value, rows in kept.iter_rows()]
    numbers = sorted((number, rows) for number, rows in read if number is not None)
    if not numbers:
        return None
    low, high = numbers[0][0], numbers[-1][0]
    width = (high - low) or Decimal(1)
    bins = [0] * BINS
    for number, rows in numbers:
        bins[min(int((number - low) / width * BINS), BINS - 1)] += rows
    alone = [number for number, _ in numbers]
    return {
        "low": float(low),
        "high": float(high),
        "low_text": scale.write(low),
        "high_text": scale.write(high),
        "bins": bins,
        "strays": sum(rows for number, rows in read if number is None),
        "whole": all(number == number.to_integral_value() for number in alone),
        "rounds": _round_numbers(alone, scale) if kind == "number" else _round_days(low, high, scale),
    }


def _round_numbers(numbers: Sequence[Decimal], scale: Scale) -> list[dict[str, Any]]:
    found = []
    for level in range_levels(numbers) if len(numbers) > 1 else ():
        step = Numbers().read(level.name)
        if step is None:
            continue
        first = (numbers[0] // step + 1) * step
        count = int((numbers[-1] - first) // step) + 1
        if 0 < count <= MOST_ENDS:
            ends = [scale.write(first + step * place) for place in range(count)]
            found.append({"name": f"every {level.name}", "ends": ends})
    return found


def _round_days(low: Decimal, high: Decimal, scale: Scale) -> list[dict[str, Any]]:
    first, last = date.fromordinal(int(low)), date.fromordinal(int(high))
    found = []
    for name, months in (("month", 1), ("quarter", 3), ("year", 12), ("decade", 120)):
        begin = (first.year * 12 + first.month - 1) // months + 1
        stop = (last.year * 12 + last.month - 1) // months
        if 0 < stop - begin + 1 <= MOST_ENDS:
            days = [date(place * months // 12, place * months % 12 + 1, 1) for place in range(begin, stop + 1)]
            found.append({"name": f"every {name}", "ends": [scale.write(Decimal(day.toordinal())) for day in days]})
    return found
