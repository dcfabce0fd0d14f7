"""What a policy may ask that one kind of recoding or search does not know, in words for the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discreet.common.registry import listed
from discreet.policy.columns import Column
from discreet.policy.uses import ReleaseUse
from discreet.policy.uses.field import detailed

if TYPE_CHECKING:
    from discreet.policy.model import Policy


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
    if policy.goals:
        return f"recoding: local is for use {listed(detailed())}, not for predicting; write recoding: global"
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
