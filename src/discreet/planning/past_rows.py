"""Persons with several rows in earlier releases: whose each row is, and which rows of several releases are one.

Rows are linked by their key, person by person. Without one nobody links them: each row is a line of its own, in one
release. Somebody who knows all rows of a person in all releases sees her lines, as many as there are of each look; so
what he sees without keys is how her rows look in each release, and with keys also which row became which.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from discreet.encoded import LARGEST_KEY, Ints
from discreet.ledger.entry import PastRelease
from discreet.ledger.names import ColumnNames
from discreet.planning.past_people import Flags, numbered, places_among
from discreet.policy import Policy


class PastRows:
    """Everybody in earlier releases, in the order of their names, and the lines of their rows in all of them."""

    def __init__(self, past: Sequence[PastRelease], policy: Policy) -> None:
        self.past = past
        self.names = ColumnNames([*(release.policy for release in past), policy])
        everybody = pl.concat([release.persons for release in past])
        self.persons = everybody.unique().sort()
        self.places = [places_among(release.persons, self.persons) for release in past]
        """Of each release, whose each row is."""
        self.was_there: Flags = np.zeros((len(past), len(self.persons)), dtype=np.bool_)
        for line, places in zip(self.was_there, self.places, strict=True):
            line[places] = True
        linked = [
            pl.DataFrame({"person": places, "row": release.rows})
            for release, places in zip(past, self.places, strict=True)
            if release.rows is not None
        ]
        self._keyed = pl.concat(linked).unique(maintain_order=True).with_row_index("line") if linked else None
        lines = 0 if self._keyed is None else self._keyed.height
        whose = [] if self._keyed is None else [self._keyed.get_column("person").to_numpy()]
        self.line_of: list[Ints] = []
        """Of each release, the line of each row."""
        for release, places in zip(past, self.places, strict=True):
            if release.rows is None:
                self.line_of.append(np.arange(lines, lines + len(places)))
                whose.append(places)
                lines += len(places)
            else:
                self.line_of.append(self.known_lines(places, release.rows))
        self.whose: Ints = np.concatenate(whose).astype(np.int64) if whose else np.zeros(0, dtype=np.int64)
        """Whose each line is."""
        self._looks: dict[tuple[str, ...], tuple[Ints, int]] = {}

    def known_lines(self, persons: Ints, rows: pl.Series) -> Ints:
        """Return the line of each of some rows by its person and its name; -1 where no release has it."""
        if self._keyed is None:
            return np.full(len(persons), -1, dtype=np.int64)
        wanted = pl.DataFrame({"person": persons, "row": rows})
        both = wanted.join(self._keyed, on=["person", "row"], how="left", maintain_order="left")
        return both.get_column("line").cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64)

    def looks(self, over: Sequence[str]) -> tuple[Ints, int]:
        """Return a number for how each line looks on some columns in all releases, and how many there are."""
        which = self.names.ones(over)
        if which not in self._looks:
            code, number = np.zeros(len(self.whose), dtype=np.int64), 1
            for release, line_of in zip(self.past, self.line_of, strict=True):
                told = np.zeros(len(self.whose), dtype=np.int64)  # 0: not in it
                look, wide = self._look(release, which)
                told[line_of] = look + 1
                code, number = numbered(code * (wide + 1) + told, number * (wide + 1))
            self._looks[which] = code, number
        return self._looks[which]

    def _look(self, release: PastRelease, which: Sequence[str]) -> tuple[Ints, int]:
        """Return a number for how the rows of one release look in it, and how many there are."""
        code, number = np.zeros(release.people.height, dtype=np.int64), 1
        for name in which:
            if (column := self.names.among(release.columns, name)) is not None:
                encoded = release.encoded(column)
                wide = len(encoded.domain)
                if number * wide > LARGEST_KEY:
                    code, number = numbered(code, number)
                code, number = code * wide + encoded.codes, number * wide
        return numbered(code, number)


def profiles(whose: Ints, look: Ints, rows: Ints, persons: int, *, counts_rows: bool) -> tuple[Ints, int]:
    """Return a number for the lines of each person, how often she has each look included, and how many there are.

    Parameters
    ----------
    whose, look, rows
        Of each line the person by her place, how it looks, and for how many rows it stands.
    counts_rows
        Whether somebody knows how many rows of a look a person has.

    >>> profiles(np.array([0, 1, 0, 1]), np.array([5, 7, 7, 5]), np.ones(4, dtype=np.int64), 3, counts_rows=True)
    (array([1, 1, 0]), 2)
    """
    order = np.lexsort((look, whose))
    whose, look, rows = whose[order], look[order], rows[order]
    first = np.ones(len(whose), dtype=np.bool_)
    first[1:] = (whose[1:] != whose[:-1]) | (look[1:] != look[:-1])
    begin = np.flatnonzero(first)
    often = np.add.reduceat(rows, begin) if len(begin) else rows
    whose, look = whose[begin], look[begin]
    often = often if counts_rows else np.ones_like(often)
    item = np.unique(np.column_stack((look, often)), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    wide = int(item.max(initial=0)) + 1
    starts = np.searchsorted(whose, np.arange(persons), side="left")
    sizes = np.searchsorted(whose, np.arange(persons), side="right") - starts
    key, given = np.zeros(persons, dtype=np.int64), 1
    for place in range(int(sizes.max(initial=0))):  # as often as somebody has different lines
        some = np.flatnonzero(sizes > place)
        found, number = numbered(key[some] * wide + item[starts[some] + place], given * wide)
        key[some] = given + found  # numbers that nobody has yet who has fewer lines
        given += number
    return numbered(key, given)
