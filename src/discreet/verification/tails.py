"""Whether what lies at the top or the bottom of a column is told together only, by code of verification alone.

Guarantee: a release passes only if no text that can be read as a number or date, an interval, a label or a median tells
some of what lies there from the rest: each reading of it has all of the values from the top on, or none. No original is
needed. A text of such a column that cannot be read at all does not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from discreet.columns.medians import Ranges
from discreet.policy.columns import Column
from discreet.verification.stretches import Stretch, label_reader, median_reader, tail_reader, written_reader
from discreet.verification.value_texts import NumberTexts, TextKind, kind_of


def tells_tails(
    texts: Collection[str | None],
    column: Column,
    marker: str,
    missing: Collection[str | None],
    medians: Ranges | None = None,
) -> list[bool]:
    """Say of each released text whether it tells something of what lies at the top or the bottom.

    Examples
    --------
    >>> age = Column(type="number", top=85)
    >>> tells_tails([">=85", "[80-84]", ">=40", "85", "[80-89]", ">=90", "*"], age, "*", [])
    [False, False, False, True, True, True, False]
    """
    kind = kind_of(column)
    bottom, top = (_value(end, column, kind) for end in (column.bottom, column.top))
    tells = _median_teller(column, kind, medians, bottom, top) if column.form == "median" else None
    tells = tells or _teller(column, kind, bottom, top)
    quiet = {None, marker, *missing}
    return [text is not None and text not in quiet and tells(text) for text in texts]


Teller = Callable[[str], bool]


def _teller(column: Column, kind: TextKind, bottom: Fraction | None, top: Fraction | None) -> Teller:
    read = label_reader(column, kind) if column.labels is not None else written_reader(kind)

    def tells(text: str) -> bool:
        stretches = read(text)
        return not stretches or any(_splits_tail(stretch, bottom, top) for stretch in stretches)

    return tells


def _median_teller(
    column: Column, kind: TextKind, medians: Ranges | None, bottom: Fraction | None, top: Fraction | None
) -> Teller:
    """Medians have nothing of what lies there; only what is written as an open interval has."""
    beyond, within = tail_reader(column, kind), median_reader(medians or {}, kind)

    def tells(text: str) -> bool:
        if stretches := beyond(text):
            return any(_splits_tail(stretch, bottom, top) for stretch in stretches)
        median = kind.value(text)
        if median is None or _reaches(Stretch(median, median, closed=True), bottom, top):
            return True
        return medians is not None and any(_reaches(stretch, bottom, top) for stretch in within(text))

    return tells


def _value(text: str | None, column: Column, kind: TextKind) -> Fraction | None:
    """Return an end as the policy writes it: with a point in numbers, whatever the table has."""
    plain = NumberTexts() if column.type == "number" else kind
    return None if text is None else plain.value(text)


def _splits_tail(stretch: Stretch, bottom: Fraction | None, top: Fraction | None) -> bool:
    """Whether a stretch has some of what lies at an end, and not all."""
    some, whole = _of_top(stretch, top)
    if some and not whole:
        return True
    some, whole = _of_bottom(stretch, bottom)
    return some and not whole


def _reaches(stretch: Stretch, bottom: Fraction | None, top: Fraction | None) -> bool:
    return _of_top(stretch, top)[0] or _of_bottom(stretch, bottom)[0]


def _of_top(stretch: Stretch, top: Fraction | None) -> tuple[bool, bool]:
    """Whether a stretch has some, and all, of the values from `top` on."""
    if top is None:
        return False, False
    some = stretch.high is None or stretch.high > top or (stretch.high == top and stretch.closed)
    begins = stretch.low is None or stretch.low < top or (stretch.low == top and not stretch.beyond)
    return some, stretch.high is None and begins


def _of_bottom(stretch: Stretch, bottom: Fraction | None) -> tuple[bool, bool]:
    """Whether a stretch has some, and all, of the values up to `bottom`."""
    if bottom is None:
        return False, False
    some = stretch.low is None or stretch.low < bottom or (stretch.low == bottom and not stretch.beyond)
    goes_on = stretch.high is None or stretch.high > bottom or (stretch.high == bottom and stretch.closed)
    return some, stretch.low is None and goes_on
