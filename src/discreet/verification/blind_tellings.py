"""What earlier releases told of rows with confidential cells, read off a ledger by code of verification alone.

Also whether these releases may have looked at the cells: then what they tell is more than what can be read.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl

from discreet.fit.cells import confidential_flags
from discreet.ledger.entry import PERSON, PastRelease
from discreet.ledger.names import ColumnNames
from discreet.plan.blind_statement import StatedColumn
from discreet.policy import Policy
from discreet.policy.bind import binned
from discreet.table.engine import Engine
from discreet.verification.blind_reading import MISSING, OTHER, ReleasedColumn, StatedTable, stated_value


class ToldEarlier(NamedTuple):
    """What one release tells of a predictor (by its place): the elements it may be."""

    elements: frozenset[int]
    star: bool = False
    """Whether only who knows the method reads it."""
    denies: int | None = None
    """Of a star of this release: the earlier one whose value it denies."""


PastTellings: TypeAlias = tuple[tuple[tuple[str, ToldEarlier], ...], ...]
"""By release, what it told of columns."""


def unfit(past: Sequence[PastRelease], policy: Policy, original: Engine, persons: pl.Series) -> str | None:
    """Return why nobody can say that earlier releases looked at no cell that is protected blindly now."""
    if any("kernel" in made.references_used for _, made in policy.cells()):
        return "beside earlier releases nobody reckons the reference kernel"
    names = ColumnNames([*(each.policy for each in past), policy])
    secret = {names.one(made.column) for _, made in policy.cells()}
    rows = np.zeros(original.rows, dtype=np.bool_)
    for line in confidential_flags(policy, original).values():
        rows |= line
    mine = persons.filter(pl.Series(rows)).implode()
    for release in past:
        if any(release.policy.groups()) or any(policy.groups()):
            return f"{release.name}, or this release, has promises about groups, which look at the rows"
        if not release.persons.is_in(mine).any():
            continue
        lookers = [made for _, made in release.policy.cells() if not made.is_blind]
        chosen = {names.one(column) for _, made in release.policy.cells() for _, column in made.looks_up()}
        if not release.made_here or lookers or chosen & secret:
            return f"{release.name} may depend on the confidential cells, which it does not show"
        if release.policy.missing != policy.missing:
            return f"{release.name} takes other values for missing"
        cut = binned(release.policy) | binned(policy)
        for column in release.columns:
            now = names.among(original.columns, column)
            if now is not None and {column, now} & cut and release.policy.column(column) != policy.column(now):
                return f"{release.name} cuts {column!r} at other ends"
    return None


def told_before(
    table: StatedTable, past: Sequence[PastRelease], policy: Policy, persons: pl.Series
) -> tuple[dict[int, PastTellings], str | None]:
    """Return what earlier releases told of each row with confidential cells (from 0), or what nobody can reckon with.

    `persons` are whose rows the released ones are.
    """
    names = ColumnNames([*(each.policy for each in past), policy])
    predictors = {name for each in table.statement.rows for name in each.predictors}
    rows = sorted({row - 1 for each in table.statement.rows for row in each.rows})
    whose = persons.gather(rows)
    own: dict[int, set[str]] = {row: set() for row in rows}
    for each in table.statement.rows:
        for row in each.rows:
            own[row - 1] |= set(each.secrets)
    found: dict[int, list[tuple[tuple[str, ToldEarlier], ...]]] = {row: [] for row in rows}
    for release in past:
        mine = pl.DataFrame({PERSON: whose, "row": rows}).join(release.people, on=PERSON, how="inner")
        for line in mine.iter_rows(named=True):
            confidential = [column for column in release.columns if line.get(f"s{release.columns.index(column)}")]
            told = []
            for place, column in enumerate(release.columns):
                text, block = line[f"c{place}"], line.get(f"b{place}")
                hidden = column in confidential or (bool(confidential) and text == release.policy.marker)
                if block is None and hidden:
                    continue
                now = names.among(table.released.columns, column)
                if now is None:
                    return {}, f"{release.name} tells {column!r} of a row, and this release has no such column"
                if now in own[line["row"]] and (block is not None or len(own[line["row"]]) > 1):
                    return {}, f"{release.name} tells of a confidential cell what nobody can reckon with"
                if now not in predictors:
                    continue
                read = table.column(now)
                may_be = of_text(read, text, table.statement.missing) if block is None else of_block(read, block)
                if may_be != {len(read.elements) - 1} and len(may_be) < len(read.elements):
                    told.append((now, ToldEarlier(may_be, block is not None and text == release.policy.marker)))
            if told:
                found[line["row"]].append(tuple(told))
    return {row: tuple(each) for row, each in found.items() if each}, None


def of_text(column: ReleasedColumn, text: str | None, missing: Sequence[str | None]) -> frozenset[int]:
    """Return the elements that a cell with a released text may be."""
    place = {element: at for at, element in enumerate(column.elements)}
    other, stated = place[OTHER], column.stated
    if text is None or text in missing:
        return frozenset([place.get(MISSING, other)])
    if stated.type is not None:
        value = stated_value(stated, text)
        if value is None:
            return frozenset([other])
        return frozenset([place.get(bisect_right(_cuts(stated), value), other)])
    if text in place:
        return frozenset([place[text]])
    below, parents = {text}, stated.parents or {}
    for _ in parents:
        below |= {label for label, above in parents.items() if above in below}
    return frozenset([other, *(place[label] for label in below if label in place)])


def of_block(column: ReleasedColumn, text: str) -> frozenset[int]:
    """Return the elements that a cell may be of which a star told who knew the method."""
    said = json.loads(text)
    stated = StatedColumn(said.get("type"), (), said.get("decimal", "."), said.get("date_format"))
    listed = said["texts"]
    ends = [[None if end is None else Fraction(end) for end in each] for each in said["stretches"]]

    def has(number: Fraction) -> bool:
        return any((low is None or low <= number) and (high is None or number < high) for low, high in ends)

    def allowed(element: str | None) -> bool:
        number = None if element is None or stated.type is None else stated_value(stated, element)
        return (element in listed or (number is not None and has(number))) is not said["not"]

    own = column.stated
    numbers = [stated_value(own, each) for each in listed if each is not None] if own.type is not None else []
    points = sorted({end for each in ends for end in each if end is not None} | {each for each in numbers if each})
    found = set()
    for place, element in enumerate(column.elements):
        if element == OTHER:
            unknown = any(of_text(column, each, ()) == {place} for each in listed if each is not None)
            unknown |= None in listed and MISSING not in column.elements
            if said["not"] or unknown or (bool(ends) and 0 not in column.elements):
                found.add(place)
        elif element == MISSING:
            found |= {place} if allowed(None) else set()
        elif isinstance(element, int):
            inside = _representatives(_cuts(own), element, points)
            if any((has(point) or point in numbers) is not said["not"] for point in inside):
                found.add(place)
        elif allowed(str(element)):
            found.add(place)
    return frozenset(found)


def _cuts(stated: StatedColumn) -> list[Fraction]:
    return [value for text in stated.cuts if (value := stated_value(stated, text)) is not None]


def _representatives(cuts: Sequence[Fraction], number: int, points: Sequence[Fraction]) -> list[Fraction]:
    """Return numbers of a class, some between any two ends of stretches, and these ends themselves."""
    low = cuts[number - 1] if number else None
    high = cuts[number] if number < len(cuts) else None
    inside = [each for each in points if (low is None or low <= each) and (high is None or each < high)]
    first = low if low is not None else min([*inside, *([] if high is None else [high]), Fraction(0)]) - 1
    last = high if high is not None else max([*inside, first]) + 2
    marks = [first, *inside, last]
    return [first, *inside, *((one + other) / 2 for one, other in pairwise(marks) if one < other)]
