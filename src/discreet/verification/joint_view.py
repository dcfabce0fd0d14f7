"""One line for all persons who look the same in every release, with how many they are: what joint promises count.

Persons are found again by merging the releases, each of which is sorted by their names here; then those whose texts and
presence are the same everywhere become one line. No promise can tell them apart.

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.ledger.entry import PERSON, PastRelease
from discreet.ledger.names import ColumnNames
from discreet.policy import Policy
from discreet.table.engine import Recount
from discreet.table.local import LocalEngine

Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class ToldLine:
    """What a release tells of one column: the text of each line by its place among texts, -1 where nobody is in it."""

    codes: Ints
    texts: pl.Series


class JointView:
    """Lines of persons who look the same in all releases.

    Parameters
    ----------
    releases
        All of them, the last one last.
    asked
        The columns that promises speak of, by any of their names.
    """

    def __init__(self, releases: Sequence[PastRelease], asked: Iterable[str]) -> None:
        self.releases = list(releases)
        self.names = ColumnNames(release.policy for release in releases)
        wanted = self.names.ones(asked)
        everybody = _everybody([release.people.get_column(PERSON) for release in releases])
        columns: dict[str, pl.Series] = {}
        texts: dict[tuple[int, str], pl.Series] = {}
        for number, release in enumerate(releases):
            frame = release.people.sort(PERSON)
            places = _merged(frame.get_column(PERSON), everybody)
            columns[f"in {number}"] = _spread(pl.Series(np.ones(frame.height, dtype=np.int32)), places, everybody)
            for name in wanted:
                column = self.names.among(release.columns, name)
                if column is not None:
                    label = release.label(column)
                    codes, texts[number, label] = _numbers(frame.get_column(label))
                    columns[f"{number} {label}"] = _spread(codes, places, everybody)
        lines = pl.LazyFrame(columns).group_by(pl.all()).agg(pl.len().alias("persons")).collect()
        self.weights: Ints = lines.get_column("persons").to_numpy().astype(np.int64)
        """How many persons each line stands for."""
        self.there: Flags = np.stack(
            [lines.get_column(f"in {number}").to_numpy() > 0 for number in range(len(releases))], axis=1
        )
        self._told = {
            (number, label): ToldLine(lines.get_column(f"{number} {label}").to_numpy().astype(np.int64) - 1, said)
            for (number, label), said in texts.items()
        }
        self._groups: dict[tuple[tuple[int, str], ...], Ints] = {}

    @property
    def height(self) -> int:
        """How many lines there are."""
        return len(self.weights)

    def persons(self, lines: Flags) -> int:
        """Return how many persons some lines stand for."""
        return int(self.weights[lines].sum())

    def before_the_last(self) -> JointView:
        """Return the same lines as if the last release were not there yet."""
        found = object.__new__(JointView)
        found.releases, found.names, found.weights = self.releases[:-1], self.names, self.weights
        found.there = self.there[:, :-1]
        found._told, found._groups = self._told, {}
        return found

    def told(self, place: int, label: str) -> ToldLine:
        """Return what a release tells of a column."""
        return self._told[place, label]

    def groups(self, over: Sequence[str]) -> Ints:
        """Return which lines look alike on some columns."""
        keys = []
        for place, release in enumerate(self.releases):
            for name in over:
                column = self.names.among(release.columns, name)
                if column is not None:
                    keys.append((place, release.label(column)))
        known = tuple(dict.fromkeys(keys))
        if known not in self._groups:
            group = np.zeros(self.height, dtype=np.int64)
            for line in (*self.there.T.astype(np.int64), *(self.told(*key).codes + 1 for key in known)):
                both = group * (int(line.max(initial=0)) + 1) + line  # both are below the number of persons
                group = np.unique(both, return_inverse=True)[1].ravel().astype(np.int64)
            self._groups[known] = group
        return self._groups[known]

    def having(self, column: str) -> list[int]:
        """Return the releases that have a column, by their places."""
        return [
            place
            for place, release in enumerate(self.releases)
            if self.names.among(release.columns, column) is not None
        ]

    def texts(self, place: int, column: str, policy: Policy) -> pl.Series:
        """Return what a release tells of a column in each line; what tells nothing there is the policy's marker."""
        release = self.releases[place]
        name = self.names.among(release.columns, column)
        assert name is not None
        told = self.told(place, release.label(name))
        codes = pl.Series(told.codes)
        said = told.texts.gather(pl.select(pl.when(codes >= 0).then(codes)).to_series())
        silent = [text for text in release.policy.hidden_texts() if text is not None]
        hidden = said.is_in(silent).fill_null(None in release.policy.hidden_texts())
        shown = pl.when(hidden & pl.Series(self.there[:, place])).then(pl.lit(policy.marker)).otherwise(said)
        return pl.select(shown).to_series()


class WeighedTexts(LocalEngine):
    """A table each of whose rows stands for so many persons: they are what is counted."""

    def __init__(self, frame: pl.DataFrame, weights: Ints) -> None:
        super().__init__(nw.from_native(frame, eager_only=True))
        self._weights = pl.Series("persons", weights)

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the persons of groups with equal texts on `given`."""
        known = [f"given {place}" for place in range(len(given))]
        texts = [self.texts(name).alias(alias) for name, alias in zip(given, known, strict=True)]
        said = pl.repeat("", self.rows, eager=True) if column is None else self.texts(column)
        persons, sensitive = pl.col("persons"), pl.col("sensitive")
        hits = [
            persons.filter(sensitive.eq_missing(pl.lit(value, pl.String))).sum().alias(f"hits {place}")
            for place, value in enumerate(values)
        ]
        silent = persons.filter(sensitive.is_in(list(hidden), nulls_equal=True)).sum()
        groups = (
            pl.LazyFrame([*texts, said.alias("sensitive"), self._weights])
            .group_by(known or pl.lit(0).alias("everyone"))
            .agg(persons.sum().alias("rows"), *hits, (pl.lit(0) if column is None else silent).alias("hidden"))
            .collect()
        )
        return Recount.of(groups, len(given), len(values))


def _everybody(persons: Sequence[pl.Series]) -> pl.Series:
    """Return everybody who is in any release, in order."""
    if all(some.equals(persons[0]) for some in persons[1:]):
        return persons[0].sort()
    return pl.concat(persons).unique().sort()


def _merged(persons: pl.Series, everybody: pl.Series) -> Ints | None:
    """Return the places of persons, in order, among everybody; None where they are everybody."""
    return None if len(persons) == len(everybody) else everybody.search_sorted(persons).to_numpy().astype(np.int64)


def _spread(codes: pl.Series, places: Ints | None, everybody: pl.Series) -> pl.Series:
    """Return numbers of those of one release for everybody; 0 for whoever is not in it."""
    if places is None:
        return codes
    found = np.zeros(len(everybody), dtype=np.int32)
    found[places] = codes.to_numpy()
    return pl.Series(found)


def _numbers(said: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return the number of each text, from 1, and the texts."""
    if isinstance(said.dtype, pl.Enum):  # a file that has numbers of texts already
        texts = pl.concat([said.dtype.categories, pl.Series([None], dtype=pl.String)])
        return said.to_physical().cast(pl.Int32).fill_null(len(texts) - 1) + 1, texts
    texts = said.unique()
    which = said.to_frame("text").join(
        texts.to_frame("text").with_row_index("which"), on="text", how="left", nulls_equal=True, maintain_order="left"
    )
    return which.get_column("which").cast(pl.Int32) + 1, texts
