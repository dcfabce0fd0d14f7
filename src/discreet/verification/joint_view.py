"""One line for all persons who look the same in every release, with how many they are: what joint promises count.

Persons are found again by merging the releases, each of which is sorted by their names here; then those whose texts and
presence are the same everywhere become one line. No promise can tell them apart.

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.ledger.entry import PERSON, PastRelease, secret_label
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
        frames = [_in_order(release.people) for release in releases]
        everybody = _everybody([frame.get_column(PERSON) for frame in frames])
        lines = _JointLines(len(everybody))
        texts: dict[tuple[int, str], pl.Series] = {}
        for number, (release, frame) in enumerate(zip(releases, frames, strict=True)):
            places = _merged(frame.get_column(PERSON), everybody)
            told: dict[str, Ints] = {}
            for name in wanted:
                column = self.names.among(release.columns, name)
                if column is not None:
                    label = release.label(column)
                    told[label], texts[number, label] = _numbers(frame.get_column(label))
            for column in release.confidential_columns:
                label = f"confidential {column}"
                told[label] = frame.get_column(secret_label(release.columns.index(column))).cast(pl.Int64).to_numpy()
                texts[number, label] = pl.Series(["no", "yes"])
            lines.tell(told, {label: len(texts[number, label]) for label in told}, places, frame.height)
        self.weights: Ints = lines.weights()
        """How many persons each line stands for."""
        found = list(lines.told())
        self.there: Flags = np.stack([there for there, _ in found], axis=1)
        self._told = {
            (number, label): ToldLine(codes, texts[number, label])
            for number, (_, told) in enumerate(found)
            for label, codes in told.items()
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

    def confidential(self, place: int, column: str) -> Flags:
        """Return in which lines the cell of a column is confidential in a release."""
        name = self.names.among(self.releases[place].columns, column)
        told = self._told.get((place, f"confidential {name}"))
        return np.zeros(self.height, dtype=np.bool_) if told is None else told.codes == 1

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
        super().__init__(frame)
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


class _JointLines:
    """Persons by how they look in all releases: a release after the other is told, and lines are parted by it."""

    def __init__(self, persons: int) -> None:
        self._line: Ints = np.zeros(persons, dtype=np.int64)
        self._number = 1
        self._looks: list[tuple[Ints, dict[str, Ints]]] = []

    def tell(self, told: Mapping[str, Ints], widths: Mapping[str, int], places: Ints | None, members: int) -> None:
        """Part lines by what one release tells of its members, who stand at some places; None: they are everybody."""
        look: Ints = np.zeros(members, dtype=np.int64)
        number = 1
        for label, codes in told.items():
            look *= widths[label]
            look += codes
            number *= widths[label]
            if number > members:
                look, number = _dense(look, number)
        one = np.zeros(number, dtype=np.int64)
        one[look] = np.arange(members)
        if places is not None:
            everybody = np.full(len(self._line), -1, dtype=np.int64)
            everybody[places] = look
            look = everybody
        self._looks.append((look, {label: codes[one] if members else codes for label, codes in told.items()}))
        wide = number + 1
        self._line *= wide
        self._line += look
        self._line += 1
        self._line, self._number = _dense(self._line, self._number * wide)

    def weights(self) -> Ints:
        """Return how many persons each line stands for."""
        return np.bincount(self._line, minlength=self._number if len(self._line) else 0).astype(np.int64)

    def told(self) -> Iterator[tuple[Flags, dict[str, Ints]]]:
        """Yield for each release which lines are in it, and what it tells of each: -1 where they are not."""
        one = np.zeros(len(self.weights()), dtype=np.int64)
        one[self._line] = np.arange(len(self._line))
        for look, told in self._looks:
            mine = look[one]
            yield mine >= 0, {label: np.append(codes, -1)[mine] for label, codes in told.items()}


def _dense(key: Ints, bound: int) -> tuple[Ints, int]:
    """Return numbers from 0 that are equal where keys below a bound are, and how many there are."""
    if bound > 16 * len(key) + 1000:
        kinds, which = np.unique(key, return_inverse=True)
        return which.ravel().astype(np.int64), len(kinds)
    number_of = np.zeros(bound, dtype=np.int32)
    number_of[key] = 1
    there = np.flatnonzero(number_of)
    number_of[there] = np.arange(len(there))
    return number_of[key].astype(np.int64), len(there)


def _in_order(people: pl.DataFrame) -> pl.DataFrame:
    """Return what a release tells of everybody in the order of their names."""
    return people if people.get_column(PERSON).is_sorted() else people.sort(PERSON)


def _everybody(persons: Sequence[pl.Series]) -> pl.Series:
    """Return everybody who is in any release, in order, from those of each, in order."""
    found = persons[0].alias("person")
    for some in persons[1:]:
        if not some.equals(found):
            both = found.to_frame().merge_sorted(some.alias("person").to_frame(), key="person").to_series()
            found = both.filter(both.ne_missing(both.shift()))
    return found


def _merged(persons: pl.Series, everybody: pl.Series) -> Ints | None:
    """Return the places of persons, in order, among everybody; None where they are everybody."""
    return None if len(persons) == len(everybody) else everybody.search_sorted(persons).to_numpy().astype(np.int64)


def _numbers(said: pl.Series) -> tuple[Ints, pl.Series]:
    """Return which text each is, and the texts."""
    if isinstance(said.dtype, pl.Enum):  # a file that has numbers of texts already
        texts = pl.concat([said.dtype.categories, pl.Series([None], dtype=pl.String)])
        return said.to_physical().cast(pl.UInt32).fill_null(len(texts) - 1).to_numpy(), texts
    texts = said.unique()
    which = said.to_frame("text").join(
        texts.to_frame("text").with_row_index("which"), on="text", how="left", nulls_equal=True, maintain_order="left"
    )
    return which.get_column("which").to_numpy().astype(np.int64), texts
