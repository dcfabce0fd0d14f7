"""What a policy may ask that one kind of recoding or search does not know, in words for the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.policy.beside import beside
from discreet.policy.columns import Column
from discreet.policy.part import Part
from discreet.policy.released_rows import Suppress
from discreet.policy.search_options import Disclosure, Genetic
from discreet.policy.uses import ReleaseUse

if TYPE_CHECKING:
    from discreet.policy.model import Policy


_OPTIONS: tuple[tuple[str, tuple[str, ...], Part], ...] = (
    ("disclosure", ("disclosure",), Disclosure()),
    ("genetic", ("genetic",), Genetic()),
    ("suppress", ("coordinate", "genetic", "exact", "local"), Suppress()),
)
"""The options of searches: which have them, and how they are when nothing is said."""


def beyond_search(policy: Policy) -> str | None:
    """What is said of a search that is an option of another one, or that it does not know."""
    for name, searches, silent in _OPTIONS:
        if getattr(policy, name) != silent and policy.method not in searches:
            said = " or ".join(f"'search: {search}'" for search in searches if search != "local")
            return f"{name}: is an option of {said}; write that, or leave it out"
    if what := _beyond_people(policy):
        return what
    disclosing = policy.method == "disclosure"
    if disclosing and (what := beyond_disclosure(policy.uses)):
        return f"search: disclosure does not know {what}; write search: coordinate"
    if disclosing and policy.search_on is not None:
        return "search_on: is for searches over cuts; write search: coordinate, or leave it out"
    if disclosing and policy.k_on_population:
        return "release: 'k_on: population' needs a search over cuts; write search: coordinate"
    if policy.k_on_population and policy.populations:
        return (
            "release: 'k_on: population' counts in the whole table, and 'among' in a population; take one of them out"
        )
    if policy.k_on_population and not any(promise.whole for promise in policy.promises()):
        return "release: 'k_on: population' is about k, and no requirement has one; leave it out"
    return None


def _beyond_people(policy: Policy) -> str | None:
    """What is said of columns by which nobody can say where a person of a population would be."""
    for name in (name for _, made in policy.groups() if made.population is not None for name in made.known):
        if policy.column(name).released_form == "median":
            what = "a median does not tell who of the population in 'among' it stands for"
            return f"columns: {name!r}: {what}; drop the form"
    return None


def beyond_global(columns: Mapping[str, Column]) -> str | None:
    """What is said of columns that only local recoding knows."""
    for name, column in columns.items():
        if column.form == "set":
            return f"columns: {name!r} can have sets of values (form: set) only with recoding: local"
    return None


def beyond_local(policy: Policy) -> str | None:
    """What is asked for that local recoding does not know."""
    if policy.search is not None:
        return "search: recoding: local has a search of its own; take one of the two out"
    if policy.search_on is not None:
        return "search_on: recoding: local searches on all rows; take one of the two out"
    if policy.k_on_population:
        return "release: recoding: local does not know 'k_on: population'; write k_on: sample"
    if policy.populations:
        return (
            "recoding: local gives rows alike different labels, so nobody can say where a person of the population in "
            "'among' would be; write recoding: global"
        )
    if beside(policy):
        return "use: recoding: local does not know 'beside'; take it out, or write recoding: global"
    told = policy.targets & (policy.sensitive | {cell.column for _, cell in policy.cells()})
    if told:
        return (
            f"use: recoding: local would bring rows together that are alike in {min(told)!r}, which is protected; "
            "take another target, or write recoding: global"
        )
    for name, column in policy.columns.items():
        if what := _beyond_local_labels(column):
            return f"columns: {name!r}: recoding: local does not know {what}"
        if column.form == "set" and (use := policy.uses[0]).whole_cells:
            return f"columns: {name!r}: use {use.name} takes every set for a changed cell; drop the form, or the use"
    return None


def _beyond_local_labels(column: Column) -> str | None:
    """What is said of the labels of a column that local recoding does not know, and what to do about it."""
    if column.released_form == "median":
        return "form: median; drop it"
    if column.labels is not None:
        return "labels; drop them"
    if column.losses is not None:
        return "losses; drop them"
    if "open_ends" in column.model_fields_set and column.ends is None:
        return "open_ends without ends: it tells the extremes of every group; write ends too, or drop it"
    return None


def beyond_disclosure(uses: Sequence[ReleaseUse]) -> str | None:
    """What the uses ask for that top-down disclosure, which never suppresses a row, cannot reckon with."""
    return "several uses" if len(uses) > 1 else uses[0].beyond_disclosure()
