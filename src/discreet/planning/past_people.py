"""Everybody in earlier releases, once: where each stands in each release, and how she looked in all of them together.

A ledger keeps persons in the order of their names, which are whole numbers, so they are found by merging. How somebody
looked on some columns becomes one number, made release by release, and is kept: whoever asks again reads one column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.encoded import LARGEST_KEY, Ints
from discreet.ledger.entry import PastRelease
from discreet.ledger.names import ColumnNames
from discreet.ledger.siphash import order_of
from discreet.policy import Policy

Flags = npt.NDArray[np.bool_]
SPARSE = 16
"""How many times as many numbers as rows are counted in a table, rather than sorted."""


def numbered(key: Ints, bound: int) -> tuple[Ints, int]:
    """Return keys below a bound as numbers from 0 in their order, and how many there are.

    >>> numbered(np.array([7, 3, 7]), 8)
    (array([1, 0, 1]), 2)
    """
    if bound > SPARSE * len(key) + 1024:
        found, codes = np.unique(key, return_inverse=True)
        return codes.astype(np.int64).ravel(), len(found)
    there = np.zeros(bound, dtype=np.bool_)
    there[key] = True
    different = np.flatnonzero(there)
    code = np.empty(bound, dtype=np.int64)
    code[different] = np.arange(len(different))
    return code[key], len(different)


def places_among(persons: pl.Series, among: pl.Series) -> Ints:
    """Return the place of each person among others, who are in order and there once; -1 where she is not there."""
    if persons.equals(among):
        return np.arange(len(persons), dtype=np.int64)
    if not len(among):
        return np.full(len(persons), -1, dtype=np.int64)
    if not persons.is_sorted():
        order = order_of(persons)
        found = np.empty(len(persons), dtype=np.int64)
        found[order] = places_among(persons.gather(order).set_sorted(), among)
        return found
    at = among.search_sorted(persons)
    at = at.clip(0, len(among) - 1)
    return np.where((among.gather(at) == persons).to_numpy(), at.to_numpy().astype(np.int64), -1)


class PastPeople:
    """Everybody who is in an earlier release, in the order of their names."""

    def __init__(self, past: Sequence[PastRelease], policy: Policy) -> None:
        self.past = past
        self.names = ColumnNames([*(release.policy for release in past), policy])
        persons = past[0].persons if past[0].persons.is_sorted() else past[0].persons.sort()
        for release in past[1:]:
            strangers = release.persons.filter(pl.Series(places_among(release.persons, persons) < 0))
            if len(strangers):
                persons = pl.concat([persons, strangers]).sort()
        self.persons = persons
        self.places = [places_among(release.persons, persons) for release in past]
        self.was_there = np.zeros((len(past), len(persons)), dtype=np.bool_)
        for line, places in zip(self.was_there, self.places, strict=True):
            line[places] = True
        self._looks: dict[tuple[str, ...], tuple[Ints, int]] = {}

    def looks(self, over: Sequence[str]) -> tuple[Ints, int]:
        """Return a number for how each person looked on some columns, presence included, and how many there are."""
        which = self.names.ones(over)
        if which not in self._looks:
            rows = len(self.persons)
            code, number = np.zeros(rows, dtype=np.int64), 1
            for line in self.was_there:
                if not line.all():
                    code, number = numbered(code * 2 + line, number * 2)
            for release, places in zip(self.past, self.places, strict=True):
                told, wide = self._look(release, which)
                told += 1
                if not release.persons.equals(self.persons):
                    mine, told = told, np.zeros(rows, dtype=np.int64)
                    told[places] = mine
                if number * (wide + 1) > LARGEST_KEY:  # both are below the number of persons
                    code, number = numbered(code, number)
                code = code * (wide + 1)
                code += told
                code, number = numbered(code, number * (wide + 1))
            self._looks[which] = code, number
        return self._looks[which]

    def _look(self, release: PastRelease, which: Sequence[str]) -> tuple[Ints, int]:
        """Return a number for how those of one release look in it, and how many there are."""
        code, number = np.zeros(release.people.height, dtype=np.int64), 1
        for name in which:
            if (column := self.names.among(release.columns, name)) is not None:
                encoded = release.encoded(column)
                wide = len(encoded.domain)
                if number * wide > LARGEST_KEY:
                    code, number = numbered(code, number)
                code *= wide
                code += encoded.codes
                number *= wide
        return numbered(code, number)
