"""The natural order of the texts of a column: numbers, dates and their intervals from the lowest to the highest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal

from discreet.columns.scale import Numbers, Scale
from discreet.policy.columns import Column

Place = tuple[int, Decimal]
_LOWEST, _UNPLACED = (0, Decimal(0)), (3, Decimal(0))


def natural_order(texts: Iterable[str], column: Column | None) -> Callable[[str], Place] | None:
    """Return what puts texts of a released column in order; None where they have none but by the alphabet.

    Texts without a place (the marker, a missing value) come last.

    >>> texts = ["[18-44]", "*", ">=65", "<18", "[45-64]"]
    >>> order = natural_order(texts, Column(type="number"))
    >>> sorted(texts, key=order)
    ['<18', '[18-44]', '[45-64]', '>=65', '*']
    >>> groups = ["100-119", "20-39", "*", "40-59"]
    >>> sorted(groups, key=natural_order(groups, Column(taxonomy={"*": ["20-39", "40-59", "100-119"]})))
    ['20-39', '40-59', '100-119', '*']
    """
    if column is not None and column.labels:
        labels = column.labels
        known = {label: (1, Decimal(place)) for place, label in enumerate(labels)}
        return lambda text: known.get(text) or known.get(text.partition(" to ")[0], _UNPLACED)
    scale = None if column is None else column.scale
    if scale is not None:
        return lambda text: _place(text, scale)
    numbers = Numbers()
    places = [_place(text, numbers) for text in texts]
    if sum(place != _UNPLACED for place in places) < max(len(places) - 1, 1):  # one may be the marker
        return None
    return lambda text: _place(text, numbers)


def _place(text: str, scale: Scale) -> Place:
    """Return where a number, a date or an interval of them begins."""
    if text.startswith("<"):
        return _LOWEST
    body = text.removeprefix(">=").strip("[]() ")
    for first in (body, re.split(r" to |, ?", body)[0], re.split(r"(?<=\d)-", body)[0]):
        number = scale.read(first)
        if number is not None:
            return (1, number)
    return _UNPLACED
