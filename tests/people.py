"""The people of a population as a plan makes them look: by its recodings, as anybody may read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

import discreet as d

Cells = dict[str, str | None]


def recoded(plan: d.Plan, people: Sequence[Mapping[str, str | None]]) -> list[Cells]:
    """What a plan makes of people; whom no text of a column covers has the marker there."""
    made: list[Cells] = [dict(person) for person in people]
    for recoding in plan.recodings:
        to = dict(recoding.to)
        for person in made:
            value = person[recoding.column]
            if value in to:
                person[recoding.column] = str(to[value])
                continue
            number = _number(value)
            within = [] if number is None else [one.text for one in recoding.intervals if one.has(number)]
            person[recoding.column] = within[0] if within else "*"
    return made


def _number(value: str | None) -> Decimal | None:
    try:
        return None if value is None else Decimal(value)
    except InvalidOperation:
        return None
