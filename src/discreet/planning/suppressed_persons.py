"""Persons with several rows, drawn and suppressed whole: by the rows that are theirs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.chance import Source
from discreet.errors import TooManySuppressed
from discreet.plan.plan import Plan
from discreet.planning.drawing import sample_places
from discreet.planning.profiles import Profiles
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine


@dataclass(frozen=True)
class PersonCount:
    """How many persons are suppressed, and how many there are."""

    gone: int
    total: int

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"suppressed": self.gone, "of": self.total}

    def refuse_many(self, policy: Policy) -> None:
        """Refuse a release with more suppressed persons than a policy allows."""
        if self.gone > math.floor(policy.suppress.limit * self.total):
            raise TooManySuppressed(self.gone, self.total, policy.suppress.limit, "persons")


def drawn_persons(source: Engine, policy: Policy, seed: int | None) -> tuple[int, ...] | None:
    """Return the numbers of the rows of persons that are drawn for a sample; None where all are released."""
    if policy.release is None:
        return None
    assert policy.unit is not None
    encoded = source.encoded(policy.unit.id)
    there = np.unique(encoded.codes)
    drawn = there[sample_places(len(there), policy, seed)]
    return tuple(source.numbers()[np.flatnonzero(np.isin(encoded.codes, drawn))].tolist())


def unlike_persons(
    source: Engine, released: Engine, plan: Plan, bound: Bound, chance: Source
) -> tuple[tuple[int, ...], int]:
    """Return the rows, by number, of persons that must be suppressed as they are released now, and how many by lot."""
    places = np.searchsorted(source.numbers(), released.numbers())
    there = set(released.columns) - {bound.policy.token}
    told = source.only(places).taking(released, [name for name in source.columns if name in there])
    profiles = Profiles(told, bound)
    judged = profiles.as_told(whose_rows(source, bound.policy, plan.suppressed), chance)
    gone = {profiles.rows.ids[number - 1] for number in judged.gone}
    encoded = source.encoded(profiles.unit.id)  # also rows that were left out for their cells, and may not be later
    rows = np.array([value in gone for value in encoded.domain], dtype=np.bool_)[encoded.codes]
    return tuple(source.numbers()[rows].tolist()), judged.drawn


def whose_rows(source: Engine, policy: Policy, numbers: Sequence[int]) -> frozenset[str | None]:
    """Return the persons that some rows are of, by their ids."""
    assert policy.unit is not None
    encoded = source.encoded(policy.unit.id)
    codes = encoded.codes[np.searchsorted(source.numbers(), np.array(numbers, dtype=np.int64))]
    return frozenset(encoded.domain[code] for code in np.unique(codes).tolist())
