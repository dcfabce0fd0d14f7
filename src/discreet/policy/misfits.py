"""What parts of a policy do not go together, each right by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.policy.beside import beside_persons
from discreet.policy.blind import beyond_blind
from discreet.policy.deciding import beyond_deciding
from discreet.policy.marker import labels_that_hide
from discreet.policy.persons import beyond_persons
from discreet.policy.search_limits import beyond_global, beyond_local, beyond_search
from discreet.policy.uses.field import beneficial

if TYPE_CHECKING:
    from discreet.policy.model import Policy


def misfit(policy: Policy) -> str | None:
    """Return the first thing that does not go together, after the field that it is about; None if all does."""
    return (
        _disclosure(policy)
        or beyond_search(policy)
        or beyond_persons(policy)
        or beside_persons(policy)
        or (beyond_local(policy) if policy.is_local else beyond_global(policy.columns))
        or _weight(policy)
        or _unknown(policy)
        or _generalised(policy)
        or beyond_blind(policy)
        or beyond_deciding(policy)
        or labels_that_hide(policy)
    )


def _disclosure(policy: Policy) -> str | None:
    if policy.disclosure.disclose == "beneficial" and not policy.uses[0].knows_benefit:
        return f"disclosure: 'disclose: beneficial' needs 'use: {beneficial()}'; leave it out"
    return None


def _weight(policy: Policy) -> str | None:
    if not isinstance(policy.use, tuple) and policy.use.importance != 1:
        return "use: a weight only counts in a list of uses; take it out"
    return None


def _unknown(policy: Policy) -> str | None:
    if any(policy.is_unknown(value) for _, made in policy.groups() for value in made.named()):
        return "missing: a value that must not be inferred cannot be unknown; write rows: value"
    return None


def _generalised(policy: Policy) -> str | None:
    for index, item in policy.cells():
        if item.change == "generalise" and item.column in policy.sensitive:
            what = "is sensitive in a promise about groups: its cells are hidden, not generalised"
            return f"protect: item {index + 1}: {item.column!r} {what}; write change: delete"
    return None
