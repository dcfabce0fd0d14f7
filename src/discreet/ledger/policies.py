"""A policy as it is where a ledger is kept: the column that says who somebody is, and what does not go together."""

from __future__ import annotations

from discreet.errors import InputError, PolicyError
from discreet.policy import Policy
from discreet.policy.bind import known_to_groups
from discreet.policy.columns import Column
from discreet.policy.part import Frozen

NO_UNIT = (
    "a ledger does not know persons with several rows yet: make the table one row a person, or take the unit out and "
    "leave the ledger away"
)


def person_column(policy: Policy, person: str | None) -> str:
    """Return the column that says who somebody is: the one that was named, or the policy's unit."""
    name = person or (None if policy.unit is None else policy.unit.id)
    if name is None:
        raise InputError("--ledger needs to know who is who: name the column with --person (in Python person=...)")
    return name


def with_person(policy: Policy, person: str) -> Policy:
    """Return a policy under which the column that says who somebody is stays out of the release.

    Refuses what a ledger does not serve.
    """
    if policy.unit is not None:
        raise PolicyError([policy.problem(("unit",), NO_UNIT)])
    if policy.release is not None:
        message = "a ledger does not know samples: who is not drawn would stand among those who left; take one out"
        raise PolicyError([policy.problem(("release",), message)])
    for index, made in policy.groups():
        if made.population is not None:
            message = "counts the people of a population, of whose past a ledger knows nothing; take 'among' out"
            raise PolicyError([policy.problem(("protect", index, "among"), message)])
    used = known_to_groups(policy) | policy.sensitive | policy.targets
    said = policy.columns.get(person)
    if person in used or (said is not None and said.role != "identifier"):
        message = f"{person!r} says who somebody is and does not go out; write role: identifier for it, or nothing"
        raise PolicyError([policy.problem(("columns", person), message)])
    if said is not None:
        return policy
    columns = Frozen({**policy.columns, person: Column(role="identifier")})
    return policy.model_copy(update={"columns": columns})
