"""Blind protection of confidential cells, as a policy asks for it: `at_most`, or `method: blind`.

What is hidden depends on nothing that an adversary cannot reckon himself, so that nobody gains by knowing the method.
The promise is that no reference, trained on the rows without confidential cells, is surer of a value than its limit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from discreet.common.shares import SHARE_SCHEMA, parse_share, percent

if TYPE_CHECKING:
    from discreet.policy.confidential import Confidential
    from discreet.policy.model import Policy

Blocks: TypeAlias = Literal["starred", "told", "none"]
Reference: TypeAlias = Literal["naive_bayes", "count", "kernel"]
REFERENCES: tuple[Reference, ...] = ("naive_bayes", "count")
AT_MOST, MARGIN = Fraction(1, 2), Fraction(1, 20)
BY_REHEARSAL = "rehearsed"
Margin = Annotated[
    Fraction | Literal["rehearsed"],
    BeforeValidator(lambda said: said if said == BY_REHEARSAL else parse_share(said)),
    PlainSerializer(str, return_type=str),
    WithJsonSchema({"anyOf": [{"const": BY_REHEARSAL}, SHARE_SCHEMA]}),
]
MARGINS = tuple(Fraction(points, 100) for points in (20, 10, 5, 2, 0))
"""Those that a rehearsal may choose from, the largest first."""
LEAST_REST = 200
"""Rows with a known value that the references need to learn from."""
ONLY_BLIND = ("margin", "blocks", "references", "known", "order", "rehearse")

WHY_NOT = {
    "guesses": "blind protection bounds how sure of a value one can be, and draws no guess",
    "strict": "blind protection bounds how sure of a value one can be, whichever is likelier",
    "two_values": "blind protection serves columns of two values like any other",
    "knows": "blind protection bounds what is told, and names what else is known in 'known'",
    "change": "blind protection hides values, and makes none coarser",
    "may_hide": "blind protection hides cells of the confidential rows only",
    "decoys": "whose cells are confidential is taken for known, so others beside them hide nothing",
    "tells": "whose cells are confidential is taken for known",
}
"""Fields that mean nothing to it, and why."""


def blind_misfit(made: Confidential) -> str | None:
    """Return what of an item does not go together with blind protection, or only with it."""
    if not made.is_blind:
        said = [name for name in ONLY_BLIND if getattr(made, name) is not None]
        return (
            f"{said[0]}: is for blind protection; write at_most, such as at_most: 50%, or take it out" if said else None
        )
    if made.method not in (None, "blind"):
        return f"method: {made.method} looks at the secret, and at_most promises that nothing does; keep one of the two"
    for name, why in WHY_NOT.items():
        if getattr(made, name) != type(made).model_fields[name].get_default():
            return f"{name}: {why}; take it out"
    if made.by_own_value:
        return f"where: names {made.column!r} itself, so that to be chosen tells the value; choose rows in another way"
    for adversary in made.against:
        if adversary.reference is None or adversary.options():
            return f"against: {adversary.name} {adversary.unbounded}; take it out, rehearsal and audit try others"
    if made.column in (*(made.known or ()), *(made.order or ())):
        return f"known, order: {made.column!r} is what is hidden; take it out"
    beside = [name for name in made.known or () if made.predictors is not None and name not in made.predictors]
    if beside:
        return f"known: {beside[0]!r} is not among the predictors; add it there, or take it out"
    return None


def beyond_blind(policy: Policy) -> str | None:
    """Return what else of a policy does not go together with blind protection."""
    cells = list(policy.cells())
    blind = [(index, made) for index, made in cells if made.is_blind]
    if not blind:
        return None
    for index, made in cells:
        if not made.is_blind:
            return (
                f"protect: item {index + 1}: its method looks at secrets, so that what is released of other rows would "
                "depend on them, and blind protection of other cells with it; write at_most here too, or nowhere"
            )
    if told := _chosen_wrongly(policy):
        return told
    _, first = blind[0]
    for index, made in blind[1:]:
        for name in ("told_blocks", "references_used", "order"):
            if getattr(made, name) != getattr(first, name):
                said = {"told_blocks": "blocks", "references_used": "references"}.get(name, name)
                return f"protect: item {index + 1}: {said}: one walk serves a row; write the same in all items"
    if policy.release is not None:
        return "release: blind protection is of a whole table; draw the sample before, or take it out"
    if policy.unit is not None:
        return "unit: rows of one person tell of each other, which blind protection does not bound; keep one of the two"
    if policy.removes and any(policy.groups()):
        return (
            "suppress: rows: remove would leave out confidential rows because of their values, and blind protection "
            "tells nothing by them; write rows: mask"
        )
    return None


def _chosen_wrongly(policy: Policy) -> str | None:
    """Return how rows are chosen by what is in confidential cells: by their text, or by whether they have one."""
    for index, field, column in chosen_by_secrets(policy):
        what = f"{field}: {column!r} is confidential, and to be chosen by it tells it; choose rows in another way"
        return f"protect: item {index + 1}: {what}"
    drops = policy.missing is not None and policy.missing.rows == "drop"
    for index, made in policy.cells():
        if drops and made.where:  # a row that `rows` or `ids` name is missed where it was dropped
            what = "where: with missing: {rows: drop} nobody is chosen whose confidential cell is missing, and to be "
            what += "left out tells that; write missing: {rows: unknown}, or name rows or ids"
            return f"protect: item {index + 1}: {what}"
    return None


def may_have(made: Confidential, limits: Collection[tuple[Fraction, Fraction]]) -> bool:
    """Whether the limits of an item are among some; where a rehearsal chooses its margin, with any it may choose."""
    at_most, margin = made.limits
    margins = MARGINS if made.margin == BY_REHEARSAL else (margin,)
    return any((at_most, each) in limits for each in margins)


def as_strict(now: Sequence[Confidential], before: Sequence[Confidential], one: Callable[[str], str]) -> bool:
    """Whether items about a column promise at least what earlier ones did; `one` names a column as all releases do."""
    return all(later.is_blind and _as_strict(later, earlier, one) for later in now for earlier in before)


def _as_strict(now: Confidential, before: Confidential, one: Callable[[str], str]) -> bool:
    (at_most, margin), (most, more) = now.limits, before.limits
    rehearsed = BY_REHEARSAL in (now.margin, before.margin)
    near = now.margin == before.margin if rehearsed else margin <= more
    asked = {one(name) for name in now.predictors or ()}
    wide = now.predictors is None or (before.predictors is not None and asked >= {one(n) for n in before.predictors})
    return at_most <= most and near and wide and set(before.references_used) <= set(now.references_used)


def bounded(made: Confidential, given: str) -> str:
    """Say how sure of a value one can be."""
    at_most, margin = made.limits
    more = "a margin (chosen on the other rows)" if made.margin == BY_REHEARSAL else percent(margin)
    names = " and ".join(name.replace("_", " ") for name in made.references_used)
    return (
        f"from {given}, {names}, trained on the other rows, are of no value surer than {percent(at_most)} or "
        f"{more} more than its share, and what is hidden was decided without looking at it."
    )


def tells_blocks(policy: Policy) -> bool:
    """Whether hidden cells are released as what they may be."""
    return any(made.is_blind and made.told_blocks == "told" for _, made in policy.cells())


def unsaid_by_blocks(policy: Policy) -> tuple[str | None, ...] | None:
    """Return the texts that stand for no value where hidden cells are released as what they may be; None elsewhere.

    A block names a value that is missing by nothing, and one that only reads so (`missing: {rows: value}`) by its text.
    """
    if not tells_blocks(policy):
        return None
    return () if policy.missing is None or policy.missing.rows == "value" else policy.missing.values


def chosen_by_secrets(policy: Policy) -> Iterator[tuple[int, str, str]]:
    """Yield items whose rows are found by a column that is confidential in another item: item, field, column."""
    secret = {made.column for _, made in policy.cells()}
    for index, made in policy.cells():
        for path, column in made.looks_up() if made.is_blind else ():
            if column in secret:
                yield index, str(path[0]), column
