"""Plain data in a plan's JSON: texts, numbers and intervals written, and read with a check of their form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from typing import Any

from discreet.columns.intervals import Interval


def numbers_text(numbers: Sequence[int]) -> str:
    """Return a long list of numbers as one text."""
    return " ".join(map(str, numbers))


def read_numbers(text: object) -> tuple[int, ...]:
    """Return the numbers of such a text."""
    if not isinstance(text, str):
        raise TypeError("not a text of numbers")
    return tuple(map(int, text.split()))


def read_interval(found: Mapping[str, Any]) -> Interval:
    """Return an interval; its ends are exact numbers, written as texts."""
    text = found["text"]
    if not isinstance(text, str):
        raise TypeError("a text is missing")
    start, stop, low, high = (
        None if found[name] is None else Decimal(str(found[name])) for name in ("start", "stop", "low", "high")
    )
    if any(number is not None and not number.is_finite() for number in (start, stop, low, high)):
        raise ValueError("not a number")
    after, through = found.get("after", False), found.get("through", False)
    if not isinstance(after, bool) or not isinstance(through, bool):
        raise TypeError("not true or false")
    return Interval(start, stop, text, low, high, after, through)


def read_values(values: object) -> tuple[str | None, ...]:
    """Return a list of texts; None is a missing value."""
    if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
        raise TypeError("not a list of texts")
    return tuple(values)


def as_plain(item: Any) -> object:
    """Return the parts of a plan as mappings and lists, and exact numbers as texts."""
    if isinstance(item, Interval):  # hardly any has such an end
        return {name: as_plain(value) for name, value in _said(item) if name not in ("after", "through") or value}
    if is_dataclass(item) and not isinstance(item, type):
        return {name: as_plain(value) for name, value in _said(item)}
    if isinstance(item, tuple):
        return [as_plain(part) for part in item]
    return str(item) if isinstance(item, Decimal) else item


def _said(item: Any) -> list[tuple[str, object]]:
    """Return the fields of a part: whatever else it holds, to be quick, is not written."""
    return [(field.name, getattr(item, field.name)) for field in fields(item)]
