"""Confidential cells of several releases about the same people: is one shown in a release that is hidden in another.

A cell, of a person and a column, that was confidential before must not be shown by the last release, unless that takes
it for confidential itself and tells of it what its own promise allows; of one that is confidential in the last release
none before may tell anything, but as a confidential cell. One that was protected blindly must be so again: else nobody
counts what this release tells of it. What adversaries guess from the other cells of all releases together is counted
for blind cells alone (`blind_before`).

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from discreet.policy.blind import as_strict
from discreet.verification.joint_view import Flags, JointView

KIND = "confidential"
STAYS, NEVER = "{}: cells that were confidential stay so", "{}: confidential cells were never shown"
BLIND = "{}: cells that were protected blindly stay so, by limits as strict"


@dataclass(frozen=True)
class CellsOverTime:
    """What was found about the cells of a column: who asks, where it was looked, and whom it is broken for."""

    of: tuple[str, ...]
    index: int
    promise: str
    about: str
    broken: Flags


def cells_over_time(view: JointView) -> Iterator[CellsOverTime]:
    """Yield what the last release and those before it show of each other's confidential cells."""
    *before, last = range(len(view.releases))
    if not before:
        return
    told = {column for release in view.releases[:-1] for column in release.confidential_columns}
    for column in view.names.ones(told):
        asking = [place for place in before if view.confidential(place, column).any()]
        if not asking or last not in view.having(column):
            continue
        kept = np.logical_or.reduce([view.confidential(place, column) for place in asking])
        broken = kept & _shows(view, last, column) & ~view.confidential(last, column)
        of = tuple(view.releases[place].name for place in asking)
        said = STAYS.format(view.names.among(view.releases[last].columns, column))
        yield CellsOverTime(of, _index(view, asking[0], column), said, view.releases[last].name, broken)
    yield from _blind_cells(view, before, last)
    for column in view.releases[last].confidential_columns:
        asked = view.confidential(last, column)
        broken = np.zeros(view.height, dtype=np.bool_)
        for place in view.having(column):
            if place != last:
                broken |= asked & _shows(view, place, column) & ~view.confidential(place, column)
        of = (view.releases[last].name,)
        yield CellsOverTime(of, _index(view, last, column), NEVER.format(column), "earlier releases", broken)


def _blind_cells(view: JointView, before: Sequence[int], last: int) -> Iterator[CellsOverTime]:
    """Yield who had a cell that an earlier release protects blindly, and has none so in the last one.

    What that tells of her would be counted by nobody.
    """
    policy = view.releases[last].policy
    told = {made.column for place in before for _, made in view.releases[place].policy.cells() if made.is_blind}
    for column in view.names.ones(told):
        now = [made for _, made in policy.cells() if view.names.one(made.column) == column]
        kept = view.confidential(last, column) if now else np.zeros(view.height, dtype=np.bool_)
        broken, asking = np.zeros(view.height, dtype=np.bool_), []
        for place in before:
            cells = [made for _, made in view.releases[place].policy.cells() if view.names.one(made.column) == column]
            asked = view.confidential(place, column)
            if any(made.is_blind for made in cells) and asked.any():
                asking.append(place)
                stays = kept if as_strict(now, cells, view.names.one) else np.zeros_like(kept)
                broken |= asked & view.there[:, last] & ~stays
        if asking:
            of = tuple(view.releases[place].name for place in asking)
            said = BLIND.format(view.names.among(view.releases[asking[0]].columns, column))
            yield CellsOverTime(of, _index(view, asking[0], column), said, view.releases[last].name, broken)


def _shows(view: JointView, place: int, column: str) -> Flags:
    """Return of whom a release tells something of a column."""
    policy = view.releases[place].policy
    said = view.texts(place, column, policy)
    silent = pl.Series(list(policy.hidden_texts()), dtype=pl.String)
    shown: Flags = view.there[:, place] & ~said.is_in(silent.implode(), nulls_equal=True).to_numpy()
    return shown


def _index(view: JointView, place: int, column: str) -> int:
    """Return the position in a policy of the first item about cells of a column; 0 where it has none."""
    one = view.names.one(column)
    return next((at for at, made in view.releases[place].policy.cells() if view.names.one(made.column) == one), 0)
