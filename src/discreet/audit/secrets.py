"""How much groups tell of each secret, by the figures of the field: l, t and β, whatever was promised.

Counted as verification counts, on the release and on the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements.any_value import Any
from discreet.policy.requirements.entropy_diversity import EntropyDiversity
from discreet.policy.requirements.l_diversity import Diversity
from discreet.policy.requirements.t_closeness import Closeness
from discreet.policy.requirements.times import TimesUsual
from discreet.table.engine import Engine
from discreet.verification.findings import Worst
from discreet.verification.persons import counting_of, with_persons
from discreet.verification.vectors import CountedOnce
from discreet.verification.worst_groups import worst_of

MOST_VALUES = 1_000
"""A column with more different texts is no secret that groups could tell: these figures are not counted of it."""


@dataclass(frozen=True)
class SecretFigures:
    """What the worst group on some columns tells of a secret; None where nothing of it is known."""

    l: int | None  # noqa: E741 - as the field calls it
    """The fewest different values (distinct l-diversity)."""
    entropy_l: float | None
    """The fewest equally common values that are as uncertain (entropy l-diversity)."""
    t: Fraction | None
    """The largest distance from the whole table (t-closeness)."""
    beta: Fraction | None
    """How much commoner than in the whole table some value is at most, less 1 (β-likeness)."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data; fractions are exact."""
        t, beta = (None if figure is None else str(figure) for figure in (self.t, self.beta))
        return {"l": self.l, "entropy_l": self.entropy_l, "t": t, "beta": beta}


@dataclass(frozen=True)
class SecretRisk:
    """What groups on some columns tell of a secret, before and after."""

    known: tuple[str, ...]
    column: str
    distance: str
    """How far values are apart for t."""
    before: SecretFigures
    after: SecretFigures

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "known": list(self.known),
            "column": self.column,
            "distance": self.distance,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }


def secret_risks(released: Engine, original: Engine, policy: Policy) -> tuple[SecretRisk, ...]:
    """Return the figures of every secret for every set of columns that some promise takes for known.

    Where promises are about persons with several rows, persons are counted; l and t need one value of each.
    """
    if policy.unit is not None:
        found = with_persons(released, policy, original, None)
        if isinstance(found, str) or policy.unit.one_row or policy.unit.id not in original.columns:
            return ()
        released = found
    return tuple(_risks(released, original, policy))


def _risks(released: Engine, original: Engine, policy: Policy) -> Iterator[SecretRisk]:
    both = set(released.columns) & set(original.columns)
    secrets = {*policy.sensitive, *policy.targets, *(cells.column for _, cells in policy.cells())}
    for known in dict.fromkeys(tuple(made.known) for _, made in policy.groups()):
        for column in original.columns:
            if column not in secrets & both or column in known or not set(known) <= both:
                continue
            if len(original.count([column]).domain(column)) > MOST_VALUES:
                continue
            distance = _distance(policy, column)
            before, after = (_figures(table, policy, known, column, distance) for table in (original, released))
            yield SecretRisk(known, column, distance, before, after)


def _distance(policy: Policy, column: str) -> str:
    said = policy.column(column)
    return "ordered" if said.scale is not None else "equal" if said.taxonomy is None else "tree"


def _figures(table: Engine, policy: Policy, known: Sequence[str], column: str, distance: str) -> SecretFigures:
    given = tuple(known)
    once = table if policy.unit is not None else cast(Engine, CountedOnce(table))  # all four ask for the same groups

    def worst(promise: GroupPromise) -> Worst | None:
        (found,) = worst_of(once, policy, given, [promise], counting_of(policy))
        return None if found is None or found.rows == found.hidden else found

    values, even = worst(Diversity(0, given, column, 1)), worst(EntropyDiversity(0, given, column, Fraction(1)))
    far = worst(Closeness(0, given, column, Fraction(1), distance))
    times = worst(TimesUsual(0, given, column, Any(), Fraction(2)))
    if policy.unit is not None and any(found is not None and found.coarse for found in (values, even, far)):
        values = even = far = None  # somebody has several values
    return SecretFigures(
        None if values is None else Diversity.number(values),
        None if even is None or not even.share else round(float(1 / even.share), 4),
        None if far is None or far.coarse else far.share,
        None if times is None else times.share - 1,
    )
