"""Promises about persons with several rows, counted anew on released texts.

The rows of a release are put beside those of the original, whose column says whose they are; or a token in the release
does. Then persons are compared as somebody would who knows all their rows on the known columns: two look alike when
they have the same rows there, each as often (or, where nobody knows how many, the same different rows). A person has a
property if one of her rows has it; an absence only if all of them are known to have it. Where only one row is known,
the different persons behind each group of rows are counted.

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.fit.cells import removable_places
from discreet.policy import GroupPromise, Policy
from discreet.policy.ledger_options import over_time
from discreet.policy.persons import PersonUnit
from discreet.table.by_name import by_name
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.verification.counting import Counting, counted
from discreet.verification.figures import GroupFigures
from discreet.verification.properties import TextProperty, properties_of
from discreet.verification.row_matches import Matches, rows_beside

NO_ORIGINAL = "persons can only be counted beside the original, which says whose rows they are: give it"
IN_DOUBT = "rows are missing or were shuffled, and nobody can tell for sure whose the others are: give the private plan"


def counting_of(policy: Policy) -> Counting:
    """Return how the groups of a table are counted that says whose rows they are: by persons, or by rows."""
    return counted if policy.unit is None else count_persons


def with_persons(released: Engine, policy: Policy, original: Engine | None, matches: Matches | None) -> Engine | str:
    """Return a release with the column that says whose rows they are, or why nobody can tell."""
    assert policy.unit is not None
    name = policy.unit.id
    if original is None or name not in original.columns:
        return released if name in released.columns else NO_ORIGINAL
    beside = rows_beside(released, original, matches)
    if beside is None:
        return IN_DOUBT
    if name in released.columns:  # a token, or the original itself
        return released
    return beside.taking(released, [column for column in beside.columns if column in released.columns])


def person_problems(
    released: Engine, policy: Policy, original: Engine, matches: Matches | None
) -> tuple[list[str], Engine | None]:
    """Return where persons are not released whole, or tokens do not stand for one person each.

    The rows of the original that the released ones are come second, where that is certain.
    """
    assert policy.unit is not None
    name = policy.unit.id
    beside = rows_beside(released, original, matches)
    if beside is None:
        return [], None
    problems = []
    here, whole = (table.recount((name,), None, (), ()) for table in (beside, original))
    both = _rows_of(here.texts, here.rows).join(_rows_of(whole.texts, whole.rows), on="id", nulls_equal=True)
    may_lack, gone_whole = _removable(policy, original, _rows_of(whole.texts, whole.rows))
    both = both.join(may_lack, on="id", how="left", nulls_equal=True)
    lacks = both.get_column("rows_right") - both.get_column("rows")
    parted = int(((lacks < 0) | (lacks > both.get_column("removable").fill_null(0))).sum())
    if parted:
        rows = "only some of their rows are" if parted > 1 else "only some of her rows are"
        problems.append(f"{parted} of the {name} {'are' if parted > 1 else 'is'} not released whole: {rows} there")
    sample = policy.release
    least = most = len(whole.rows) if sample is None else sample.size(len(whole.rows))
    if sample is not None and over_time(policy).leaves_out:
        least = 0  # of those who were drawn
    if policy.removes:
        least -= math.floor(policy.suppress.limit * most)
    least -= gone_whole
    if not max(least, 0) <= len(here.rows) <= most:
        expected = f"{most}" if least == most else f"{max(least, 0)} to {most}"
        problems.append(f"the release has {len(here.rows)} persons, expected {expected}")
    if policy.token == name and name in released.columns:
        problems += _token_problems(released, beside, name)
    return problems, beside


def _removable(policy: Policy, original: Engine, whole: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return of which persons rows may be left out for their confidential cells, and how many may lose all theirs."""
    places = removable_places(policy, original)
    if not len(places):
        return pl.DataFrame(schema={"id": whole.schema["id"], "removable": pl.Int64}), 0
    assert policy.unit is not None
    found = original.only(places).recount((policy.unit.id,), None, (), ())
    rows = _rows_of(found.texts, found.rows).rename({"rows": "removable"})
    both = rows.join(whole, on="id", nulls_equal=True)
    return rows, int((both.get_column("removable") == both.get_column("rows")).sum())


def _rows_of(texts: pl.DataFrame, rows: Ints) -> pl.DataFrame:
    return pl.DataFrame({"id": texts.to_series(0), "rows": rows})


def _token_problems(released: Engine, beside: Engine, name: str) -> Iterator[str]:
    """Yield where tokens do not stand for one person each, or are not drawn."""
    pairs = released.pairs(beside, name)
    ids, tokens = {pair.original for pair in pairs}, {pair.released for pair in pairs}
    if len(ids) < len(pairs) or len(tokens) < len(pairs):
        yield f"column {name!r}: the tokens and the persons are not one to one"
    if ids & tokens:
        yield f"column {name!r}: should have tokens, and has values of the original"


@dataclass(frozen=True)
class PersonsAlike:
    """The persons of a table by how they look on some columns, with the texts that they have of another one."""

    texts: pl.DataFrame
    """Of each group, a column for each known one."""
    group: Ints
    """The group of each person."""
    person: Ints
    text: Ints
    """Each person with each of her texts, once."""
    said: tuple[str | None, ...]
    silent: np.ndarray

    @cached_property
    def size(self) -> Ints:
        """The persons of each group."""
        return self.of(np.ones(len(self.group), dtype=np.bool_))

    def of(self, which: np.ndarray) -> Ints:
        """Return how many of some persons each group has."""
        return np.bincount(self.group[which], minlength=self.texts.height or 1).astype(np.int64)

    def having(self, texts: np.ndarray) -> np.ndarray:
        """Return which persons have one of some texts in one of their rows."""
        found = np.zeros(len(self.group), dtype=np.bool_)
        found[self.person[texts[self.text]]] = True
        return found

    def owners(self, one: TextProperty, *, all_rows: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return who has a property, and of whom it is not known."""
        if all_rows:
            lacks = self.having(~one.has & ~one.open)
            unknown = ~lacks & self.having(one.open)
            return ~lacks & ~unknown, unknown
        has = self.having(one.has)
        return has, ~has & self.having(one.open & ~one.has)


def count_persons(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Return the groups of persons on `given` as each promise of one requirement sees them."""
    assert policy.unit is not None
    if policy.unit.one_row:
        return [_behind_rows(table, policy.unit.id, given)] * len(promises)
    column = promises[0].column
    assert all(promise.kind == promises[0].kind and promise.column == column for promise in promises)
    people = _looking_alike(table, policy, policy.unit, given, column)
    if column is None:
        ones = np.ones_like(people.size)
        return [GroupFigures(people.texts, people.size, np.zeros_like(ones), ones, people.size)] * len(promises)
    if not all(promise.template for promise in promises):
        return of_one_value(people, policy, column, promises)
    return [surest_of(people, policy, promise) for promise in promises]


def _behind_rows(table: Engine, name: str, given: Sequence[str]) -> GroupFigures:
    """Return how many different persons each group of rows has."""
    fine = table.recount((*given, name), None, (), ())
    names = [f"known {place}" for place in range(len(given))]
    rows = fine.texts.rename(dict(zip(fine.texts.columns, [*names, "id"], strict=True)))
    everybody = [] if names else [pl.lit("").alias("everybody")]
    groups = rows.group_by(names or everybody, maintain_order=True).agg(pl.col("id").n_unique().alias("persons"))
    persons = groups.get_column("persons").to_numpy().astype(np.int64)
    texts = groups.drop("persons")
    return GroupFigures(texts, persons, np.zeros_like(persons), np.ones_like(persons), persons)


def _looking_alike(
    table: Engine, policy: Policy, unit: PersonUnit, given: Sequence[str], column: str | None
) -> PersonsAlike:
    """Return the persons of a table by the rows that they have on `given`, each as often."""
    names = [f"known {place}" for place in range(len(given))]
    fine = table.recount((unit.id, *given, *(() if column is None else (column,))), None, (), ())
    labels = ["id", *names, *(() if column is None else ("value",))]
    rows = fine.texts.rename(dict(zip(fine.texts.columns, labels, strict=True)))
    rows = rows.with_columns(pl.Series("rows", fine.rows))
    looks = rows.group_by("id", *names).agg(pl.col("rows").sum())
    if names:
        kinds = looks.select(names).unique().sort(names).with_row_index("look")
        looks = looks.join(kinds, on=names, nulls_equal=True).sort("id", "look")
    else:
        kinds = pl.DataFrame({"look": pl.Series([0], dtype=pl.UInt32)})
        looks = looks.with_columns(look=pl.lit(0, pl.UInt32)).sort("id")
    each = pl.col("look").cast(pl.String)
    if unit.counts_rows:
        each = each + pl.lit("x") + pl.col("rows").cast(pl.String)
    people = looks.group_by("id", maintain_order=True).agg(each.str.join("+").alias("profile"))
    profiles = people.select("profile").unique(maintain_order=True).with_row_index("group")
    people = people.join(profiles, on="profile", maintain_order="left")
    person = people.select("id", pl.int_range(pl.len()).alias("person"))
    shown = _group_texts(profiles, kinds, names)
    group = people.get_column("group").to_numpy().astype(np.int64)
    if column is None:
        none = np.zeros(0, dtype=np.int64)
        return PersonsAlike(shown, group, none, none, (), np.zeros(0, dtype=np.bool_))
    values = rows.select("value").unique().sort("value").with_row_index("text")
    owned = rows.select("id", "value").unique().join(person, on="id", nulls_equal=True)
    owned = owned.join(values, on="value", nulls_equal=True)
    said = values.get_column("value").to_list()
    silent = set(policy.hidden_texts())
    taxonomy = policy.column(column).taxonomy
    if taxonomy is not None:
        silent |= set(taxonomy.nodes[0].labels) - set(taxonomy.leaves)
    return PersonsAlike(
        shown,
        group,
        owned.get_column("person").to_numpy().astype(np.int64),
        owned.get_column("text").to_numpy().astype(np.int64),
        tuple(said),
        np.array([text in silent for text in said], dtype=np.bool_),
    )


def _group_texts(profiles: pl.DataFrame, kinds: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return how each group looks, for people: the texts of its rows, one after the other where they differ."""
    looks = profiles.select("group", pl.col("profile").str.split("+")).explode("profile")
    looks = looks.with_columns(look=pl.col("profile").str.split("x").list.first().cast(kinds.schema["look"]))
    looks = looks.join(kinds, on="look", how="left", maintain_order="left")
    shown = [
        pl.when(pl.len() == 1).then(by_name(name).first()).otherwise(by_name(name).fill_null("").str.join(" + "))
        for name in names
    ]
    groups = looks.group_by("group", maintain_order=True).agg(shown).sort("group")
    return groups.select(names) if names else groups.select(everybody=pl.col("group").cast(pl.String))


def of_one_value(
    people: PersonsAlike, policy: Policy, column: str, promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Return the figures of promises that need one value of each person; who has several breaks them."""
    known = ~people.silent[people.text]
    several = np.bincount(people.person[known], minlength=len(people.group)) > 1
    one = np.full(len(people.group), -1, dtype=np.int64)
    one[people.person[~known]] = people.text[~known]
    one[people.person[known]] = people.text[known]
    said = pl.Series(column, [people.said[place] for place in one.tolist()], dtype=pl.String)
    label = f"{column} group"
    frame = pl.DataFrame({label: pl.Series(people.group).cast(pl.String), column: said})
    found = counted(LocalEngine(frame), policy, (label,), promises)
    broken = people.of(several) > 0
    figures = []
    for each in found:
        at = each.texts.to_series(0).cast(pl.Int64).to_numpy()
        coarse = broken[at] if each.coarse is None else each.coarse | broken[at]
        figures.append(replace(each, texts=people.texts[at], coarse=coarse if coarse.any() else each.coarse))
    return figures


def surest_of(people: PersonsAlike, policy: Policy, promise: GroupPromise) -> GroupFigures:
    """Return the property of a promise of which one can be surest, or which is commonest beside the usual."""
    found = properties_of(people.said, people.silent, policy, promise)
    above, below = np.zeros_like(people.size), people.size.copy()
    hits, hidden = np.zeros_like(people.size), np.zeros_like(people.size)
    best = [(0, 1)] * len(people.size)
    for one in found.properties:
        has, unknown = people.owners(one, all_rows=found.all_rows)
        owns, known = people.of(has), people.size - people.of(unknown)
        everywhere, all_known = int(owns.sum()), int(known.sum())
        for place in np.flatnonzero(owns).tolist():
            count, here, size = int(owns[place]), int(known[place]), int(people.size[place])
            figure = (count, here)
            if found.relative:
                among_known = (count * all_known, everywhere * here)
                among_all = (count * len(people.group), everywhere * size)
                figure = among_known if _larger(among_known, among_all) else among_all
            # Of properties of which one is as sure the one of most persons, whatever their order.
            more = count > hits[place] and not _larger(best[place], figure)
            if more or _larger(figure, best[place]):
                best[place] = figure
                above[place], below[place] = figure
                hits[place], hidden[place] = count, size - here
    coarse = found.coarse(people.person, people.text, people.group, len(people.size))
    return GroupFigures(people.texts, people.size, hidden, above, np.maximum(below, 1), hits=hits, coarse=coarse)


def _larger(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether a fraction is larger than another, by whole numbers."""
    return one[0] * other[1] > other[0] * one[1]
