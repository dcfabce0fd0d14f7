"""The marker of hidden cells, and words for missing ones: nothing else may read the same."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.errors import Problem
    from discreet.policy.model import Policy


def labels_that_hide(policy: Policy) -> str | None:
    """What a column calls one of its groups although that says hidden or missing, in words for the owner."""
    for name, column in policy.columns.items():
        if policy.marker in column.released_labels() or column.may_release(policy.marker):
            return f"marker: {policy.marker!r} is also a label of column {name!r}; choose another"
        for value in policy.missing_values:
            labelled = column.scale is None or column.scale.read(value) is None
            if value is not None and labelled and column.may_release(value):
                return f"missing: {value!r} is also a label of column {name!r}; rename the label"
    return None


def marker_among(policy: Policy, column: str, values: Collection[str | None]) -> Problem | None:
    """Return what is wrong where the marker is one of the values of a column that is counted or changed.

    A cell that has it on its own account could not be told from a hidden one, unless the policy says that it stands
    for a missing value: then it tells as little.
    """
    if policy.declares_missing(policy.marker) or policy.marker not in values:
        return None
    message = (
        f"the marker {policy.marker!r} occurs in column {column!r}; choose another with 'marker', "
        "or list it under missing.values if it stands for a missing value"
    )
    return policy.problem(("marker",), message)
