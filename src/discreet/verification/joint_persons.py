"""Several releases about persons with several rows, counted anew: who looks alike for somebody who links all of them.

Each row that is linked by its key is one line through all releases; a row that nobody links is a line of its own. Two
persons look alike when they have the same lines on the known columns, each as often (or, where nobody knows how many
rows she has, the same different lines). A person has a property in a release if one of her rows there has it, an
absence only if all of them are known to have it; in any release, if she has it in one.

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.ledger.entry import PastRelease
from discreet.ledger.names import ColumnNames
from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements import PROMISES
from discreet.policy.requirements.base import GroupRequirement
from discreet.policy.seen_values import seen_values
from discreet.verification.figures import GroupFigures, broken_groups
from discreet.verification.persons import PersonsAlike, of_one_value, surest_of
from discreet.verification.properties import properties_of

Flags = np.ndarray


class PersonsView:
    """Everybody in any release, with all lines of her rows."""

    def __init__(self, releases: Sequence[PastRelease]) -> None:
        self.releases = list(releases)
        self.names = ColumnNames(release.policy for release in releases)
        for release in releases:
            if release.confidential_columns:
                raise InputError(
                    f"ledger: {release.name} has confidential cells, which are not counted beside persons with several "
                    "rows; give these a ledger of their own"
                )
        everybody = pl.concat([release.persons for release in releases]).unique(maintain_order=True)
        self._numbers = pl.DataFrame({"name": everybody, "who": pl.int_range(len(everybody), eager=True)})
        self.who: list[Ints] = [self._who(release) for release in releases]
        """Of each release, whose each row is."""
        self.there: Flags = np.zeros((len(everybody), len(releases)), dtype=np.bool_)
        for place, who in enumerate(self.who):
            self.there[who, place] = True
        self.weights: Ints = np.ones(len(everybody), dtype=np.int64)
        """Each person stands for herself."""
        self._groups: dict[tuple[tuple[str, ...], bool], Ints] = {}

    @property
    def height(self) -> int:
        """How many persons there are."""
        return len(self.weights)

    @property
    def unlinked(self) -> tuple[str, ...]:
        """The releases with persons of several rows that nobody links to rows of others."""
        return tuple(release.name for release in self.releases if release.of_rows and release.rows is None)

    def persons(self, which: Flags) -> int:
        """Return how many persons these are."""
        return int(which.sum())

    def before_the_last(self) -> PersonsView:
        """Return the same persons as if the last release were not there yet."""
        return self.of(range(len(self.releases) - 1))

    def of(self, places: Sequence[int]) -> PersonsView:
        """Return the same persons with some of the releases only."""
        found = object.__new__(PersonsView)
        found.releases, found.names = [self.releases[place] for place in places], self.names
        found._numbers, found.weights = self._numbers, self.weights
        found._groups = {}
        found.who, found.there = [self.who[place] for place in places], self.there[:, list(places)]
        return found

    def _who(self, release: PastRelease) -> Ints:
        both = release.persons.to_frame("name").join(self._numbers, on="name", how="left", maintain_order="left")
        return both.get_column("who").to_numpy().astype(np.int64)

    def groups(self, over: Sequence[str], policy: Policy) -> Ints:
        """Return which persons look alike on some columns to whom a promise of a policy is about."""
        key = tuple(over), policy.unit is None or policy.unit.counts_rows
        if key not in self._groups:
            self._groups[key] = self._alike(over, counts_rows=key[1])
        return self._groups[key]

    def _alike(self, over: Sequence[str], *, counts_rows: bool) -> Ints:
        lines = pl.concat([self._lines(place, over) for place in range(len(self.releases))])
        through = (
            lines.sort("who", "line", "place")
            .group_by("who", "line", maintain_order=True)
            .agg((pl.col("place").cast(pl.String) + ":" + pl.col("look").cast(pl.String)).str.join(" ").alias("seen"))
        )
        if not counts_rows:
            through = through.unique(["who", "seen"])
        whole = through.sort("who", "seen").group_by("who", maintain_order=True).agg(pl.col("seen").str.join("; "))
        kinds = whole.select("seen").unique(maintain_order=True).with_row_index("kind")
        found = whole.join(kinds, on="seen", maintain_order="left")
        group: Ints = np.full(self.height, -1, dtype=np.int64)  # -1: in none of these releases
        group[found.get_column("who").to_numpy()] = found.get_column("kind").to_numpy().astype(np.int64)
        return group

    def _lines(self, place: int, over: Sequence[str]) -> pl.DataFrame:
        """Return the rows of a release: whose, which line, and how they look on some columns."""
        release = self.releases[place]
        columns = [self.names.among(release.columns, name) for name in over]
        texts = [release.texts(name).cast(pl.String).alias(f"known {at}") for at, name in enumerate(columns) if name]
        alone = pl.Series([f"{place}/{row}" for row in range(release.people.height)], dtype=pl.String)
        line = alone if release.rows is None else "key " + release.rows.cast(pl.String)
        rows = pl.DataFrame([pl.Series("who", self.who[place]), line.alias("line"), *texts])
        names = [text.name for text in texts]
        if not names:
            return rows.select("who", "line", pl.lit(place).alias("place"), pl.lit(0, pl.UInt32).alias("look"))
        kinds = rows.select(names).unique(maintain_order=True).with_row_index("look")
        both = rows.join(kinds, on=names, how="left", nulls_equal=True, maintain_order="left")
        return both.select("who", "line", pl.lit(place).alias("place"), pl.col("look").cast(pl.UInt32))

    def having(self, column: str) -> list[int]:
        """Return the releases that have a column, by their places."""
        found = (self.names.among(release.columns, column) for release in self.releases)
        return [place for place, name in enumerate(found) if name is not None]

    def texts(self, place: int, column: str, policy: Policy) -> pl.Series:
        """Return what a release tells of a column in each row; what tells nothing there is the policy's marker."""
        release = self.releases[place]
        name = self.names.among(release.columns, column)
        assert name is not None
        said = release.texts(name).cast(pl.String)
        hidden = set(release.policy.hidden_texts())
        return pl.Series([policy.marker if text in hidden else text for text in said.to_list()], dtype=pl.String)


@dataclass(frozen=True)
class PersonsJudge:
    """One promise with the releases that it is counted on, for any way to tell persons apart."""

    view: PersonsView
    policy: Policy
    promise: GroupPromise
    places: tuple[int, ...]
    """The releases whose values are counted; none for k."""

    def broken_on(self, over: Sequence[str]) -> Flags:
        """Return who stands in a group on some columns that breaks the promise."""
        return self.broken(self.view.groups(over, self.policy))

    def broken(self, group: Ints) -> Flags:
        """Return who stands in a group that breaks the promise."""
        found = np.zeros(len(group), dtype=np.bool_)
        counts = group >= 0
        if self.places:
            counts &= self.view.there[:, list(self.places)].any(axis=1)
        kinds, dense = np.unique(group[counts], return_inverse=True)
        if not len(kinds):
            return found
        if not self.places:
            sizes = np.bincount(dense).astype(np.int64)
            shown = pl.DataFrame({"kind": kinds})
            figures = GroupFigures(shown, sizes, np.zeros_like(sizes), np.ones_like(sizes), sizes)
            found[counts] = broken_groups(figures, self.promise)[dense]
            return found
        number = np.full(len(group), -1, dtype=np.int64)
        number[counts] = np.arange(int(counts.sum()))
        alike = [self._alike(place, dense.astype(np.int64), number, len(kinds)) for place in self.places]
        if len(alike) == 1 and not self.promise.template:
            (figures,) = of_one_value(alike[0], self.policy, self.promise.column or "", [self.promise])
            texts = figures.texts.get_column("kind").cast(pl.Int64).to_numpy()
            bad = np.zeros(len(kinds), dtype=np.bool_)
            bad[texts] = broken_groups(figures, self.promise)
        elif len(alike) == 1:
            bad = broken_groups(surest_of(alike[0], self.policy, self.promise), self.promise)
        else:
            bad = self._of_any(alike)
        found[counts] = bad[dense]
        return found

    def _alike(self, place: int, group: Ints, number: Ints, kinds: int) -> PersonsAlike:
        """Return the persons who count, with the texts that they have in a release."""
        who = number[self.view.who[place]]
        said, silent, which = self._told
        texts = which[self.places.index(place)]
        pairs = np.unique(np.stack((who, texts)), axis=1)
        shown = pl.DataFrame({"kind": list(map(str, range(kinds)))})
        return PersonsAlike(shown, group, pairs[0], pairs[1], said, silent)

    @cached_property
    def _told(self) -> tuple[tuple[str | None, ...], Flags, list[Ints]]:
        """The different texts of all releases that count, which of them tell nothing, and that of each row."""
        column = self.promise.column or ""
        told = [self.view.texts(place, column, self.policy) for place in self.places]
        domain = pl.concat(told).unique().sort().to_list()
        place_of = {text: place for place, text in enumerate(domain)}
        silent = set(self.policy.hidden_texts())
        taxonomy = self.policy.column(column).taxonomy
        if taxonomy is not None:
            silent |= set(taxonomy.nodes[0].labels) - set(taxonomy.leaves)
        which = [np.array([place_of[text] for text in each.to_list()], dtype=np.int64) for each in told]
        return tuple(domain), np.array([text in silent for text in domain], dtype=np.bool_), which

    def _of_any(self, alike: Sequence[PersonsAlike]) -> Flags:
        """Return the groups in which too many have something in any release."""
        first = alike[0]
        said, silent, _ = self._told
        found = properties_of(said, silent, self.policy, self.promise)
        limit, strict = self.promise.stated, PROMISES[self.promise.kind].strict
        sizes = first.size
        bad = np.zeros(len(sizes), dtype=np.bool_)
        present = [np.isin(np.arange(len(first.group)), each.person) for each in alike]
        for one in found.properties:
            has = np.zeros(len(first.group), dtype=np.bool_)
            may = np.zeros(len(first.group), dtype=np.bool_)
            for each, there in zip(alike, present, strict=True):
                owns, unknown = each.owners(one, all_rows=found.all_rows)
                has, may = has | (owns & there), may | (unknown & there)
            owned, known = first.of(has), sizes - first.of(may & ~has)
            usual, all_known = int(owned.sum()), int(known.sum())
            for at, (mine, here, size) in enumerate(zip(owned.tolist(), known.tolist(), sizes.tolist(), strict=True)):
                share = Fraction(mine, max(here, 1))
                if found.relative:
                    all_of = Fraction(mine * int(sizes.sum()), max(usual * size, 1))
                    share = max(Fraction(mine * all_known, max(usual * here, 1)), all_of)
                bad[at] |= share >= limit if strict and mine else share > limit
        for each in alike:
            coarse = found.coarse(each.person, each.text, each.group, len(sizes))
            bad |= False if coarse is None else coarse
        return bad


def person_judges(
    view: PersonsView, policy: Policy, index: int, made: GroupRequirement
) -> Iterator[tuple[str, PersonsJudge]]:
    """Yield what is counted of one requirement: of persons, in each release that has its column, in any of them."""
    column = made.sensitive
    if column is None:
        for promise in policy.promises_of(index):
            yield "persons", PersonsJudge(view, policy, promise, ())
        return
    having = view.having(column)
    some = [*((place,) for place in having), *([tuple(having)] if len(having) > 1 and made.kind_made.template else [])]
    for places in some:
        told = pl.concat([view.texts(place, column, policy) for place in places]).value_counts(name="rows")
        values, rows = told.to_series(0).to_list(), told.get_column("rows").to_list()
        ordered = sorted(zip(values, rows, strict=True), key=lambda pair: (pair[0] is not None, pair[0] or ""))
        seen = seen_values(policy, column, [value for value, _ in ordered], [number for _, number in ordered])
        about = view.releases[places[0]].name if len(places) == 1 else "any release"
        for promise in policy.promises_of(index, lambda _, seen=seen: seen):  # type: ignore[misc]
            yield about, PersonsJudge(view, policy, promise, places)
