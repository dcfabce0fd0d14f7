"""Recodings that do not tell why they stop: `decide: blind`.

A search that stops where a promise about a secret would break tells whoever knows it why it stopped. Blind decisions
look at the known columns and the use alone, with a number k in the place of every promise about a secret. The promises
themselves are asked once about the whole release; where one is broken, the next k of a public list is tried. So all
that the secrets decide is which k.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from discreet.policy.part import Frozen
from discreet.policy.requirements.any_of import AnyOf
from discreet.policy.requirements.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from discreet.policy.model import Policy

BLIND_KS = (2, 3, 5, 10, 20, 50, 100)
"""The k that are tried, one after the other, where the policy does not say which."""
MOST_KS = 64


def _ascending(ks: tuple[int, ...]) -> tuple[int, ...]:
    if not ks or list(ks) != sorted(set(ks)):
        raise ValueError("write numbers that grow, such as [2, 3, 5, 10, 20, 50, 100]")
    if len(ks) > MOST_KS:
        raise ValueError(f"write at most {MOST_KS} numbers: each that is refused tells something")
    return ks


Deciding = Annotated[
    Literal["blind"] | None,
    Field(
        description="blind: the search does not look at what is protected, so that where it stops tells nothing; what "
        "must hold is asked once about the whole release"
    ),
]
BlindKs = Annotated[
    Annotated[tuple[Annotated[int, Field(ge=2, le=2**63 - 1)], ...], AfterValidator(_ascending)] | None,
    Field(
        description="with decide: blind, the k that are tried one after the other (default 2, 3, 5, 10, 20, 50, 100)",
        json_schema_extra={"minItems": 1},
    ),
]


def beyond_deciding(policy: Policy) -> str | None:
    """Return what of a policy does not go together with blind decisions, after the field that it is about."""
    if policy.decide is None:
        return "blind_ks: is an option of 'decide: blind'; write that, or leave it out" if policy.blind_ks else None
    if not policy.sensitive:
        return "decide: no promise is about a secret, so nothing is decided by one; leave it out"
    if told := sorted(policy.targets & policy.sensitive):
        return (
            f"decide: blind does not look at {told[0]!r}, which is protected, and the use asks to show what predicts "
            "it; take another target, or leave one of the two out"
        )
    for index, made in policy.groups():
        if told := [name for name in made.known if name in policy.sensitive]:
            return (
                f"decide: blind does not look at {told[0]!r}, which is protected, and item {index + 1} of protect "
                "takes it for known; take it out there, or leave 'decide' out"
            )
    if any(policy.cells()):
        return (
            "decide: confidential cells are hidden beside the recoding, which would then tell of them; write "
            "two policies, or leave 'decide' out"
        )
    if policy.k_on_population:
        return "decide: blind asks for k among the rows that are released; write k_on: sample"
    return None


def asked_ks(policy: Policy) -> tuple[int, ...]:
    """Return the k that are tried, in order: those of the list, but of several that change nothing only the last.

    Where the policy promises k by itself of the same columns, a smaller one changes nothing. The policy alone decides
    that.
    """
    ks = policy.blind_ks or BLIND_KS
    idle = [k for k in ks if all(any(_covers(own, k, made) for own in _own(policy)) for made in _secret(policy))]
    return ks[max(len(idle) - 1, 0) :]


def _secret(policy: Policy) -> Iterator[tuple[str, ...]]:
    """Yield what is known to whom some secret must not be told."""
    yield from (made.known for _, made in policy.groups() if made.sensitive is not None)


def _own(policy: Policy) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each k that the policy itself promises, and of which columns."""
    for promise in policy.promises():
        if promise.column is None and promise.among is None and promise.least_rows > 1:
            yield promise.least_rows, promise.given


def _covers(own: tuple[int, tuple[str, ...]], k: int, known: tuple[str, ...]) -> bool:
    least, given = own
    whole = given == known if isinstance(given, AnyOf) else set(known) <= set(given)
    return least >= k and whole


def without_secrets(policy: Policy, k: int) -> Policy:
    """Return what a blind search is asked: the same policy with k in the place of every promise about a secret.

    Nothing of it names a secret, so that no part of the search can look at one.
    """
    protect = [made if made.sensitive is None else KAnonymity(k=k, over=made.known) for _, made in policy.groups()]
    columns = {name: column for name, column in policy.columns.items() if name not in policy.sensitive}
    search = None if policy.is_local else policy.method
    said = {"protect": tuple(protect), "columns": Frozen(columns), "search": search, "decide": None, "blind_ks": None}
    return policy.model_copy(update=said)
