"""A policy as it is where a ledger is kept: the column that says who somebody is, and what does not go together."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import InputError, PolicyError
from discreet.policy import Policy
from discreet.policy.bind import known_to_groups
from discreet.policy.columns import Column
from discreet.policy.part import Frozen


def person_column(policy: Policy, person: str | None) -> str:
    """Return the column that says who somebody is: the one that was named, or the policy's unit."""
    name = person or (None if policy.unit is None else policy.unit.id)
    if name is None:
        raise InputError("--ledger needs to know who is who: name the column with --person (in Python person=...)")
    return name


def with_person(policy: Policy, person: str, row_key: str | None = None) -> Policy:
    """Return a policy under which the columns that say who somebody is, and which row it is, stay out of the release.

    Refuses what a ledger does not serve.
    """
    _refuse_samples(policy)
    for index, made in policy.groups():
        if made.population is not None:
            message = "counts the people of a population, of whose past a ledger knows nothing; take 'among' out"
            raise PolicyError([policy.problem(("protect", index, "among"), message)])
    _refuse_of_rows(policy, person, row_key)
    return _left_out(policy, [person, *([] if row_key is None else [row_key])])


def _refuse_samples(policy: Policy) -> None:
    """Refuse samples of which promises do not count those who are drawn alone, or that are drawn by more than a lot."""
    if policy.release is None:
        return
    if policy.k_on_population:
        message = (
            "k_on: population counts on nobody knowing who was drawn, and a ledger counts for whoever knows who is in "
            "which release; write k_on: sample"
        )
        raise PolicyError([policy.problem(("release", "k_on"), message)])
    if policy.release.by:
        message = "a ledger does not know strata: whoever is left out for earlier releases changes their shares"
        raise PolicyError([policy.problem(("release", "by"), message)])
    if any(policy.cells()) or policy.decide is not None:
        what = "decide: blind" if policy.decide is not None else "confidential cells"
        message = f"a ledger does not know samples beside {what}; draw the sample before, or take one of the two out"
        raise PolicyError([policy.problem(("release",), message)])


def _refuse_of_rows(policy: Policy, person: str, row_key: str | None) -> None:
    """Refuse what does not go together with persons who have several rows, or with one row each."""
    unit = policy.unit
    if unit is None:
        if row_key is not None:
            raise InputError(
                f"--row-key links the rows of persons who have several, and the policy has none: write unit: {person}, "
                "or leave --row-key out"
            )
        return
    if unit.id != person:
        raise InputError(
            f"--person: the policy's unit is {unit.id!r}, by which its promises count, and not {person!r}; name one of "
            "them in both places"
        )
    if row_key == person:
        raise InputError(f"--row-key: {row_key!r} says who somebody is; name the column that tells her rows apart")
    if unit.one_row:
        message = (
            "who knows one row of a person in each of several releases knows several; beside a ledger write "
            "knows: all_rows"
        )
        raise PolicyError([policy.problem(("unit", "knows"), message)])
    if policy.token is not None:
        message = "a ledger does not know tokens: release the table without them, or leave the ledger away"
        raise PolicyError([policy.problem(("columns", policy.token), message)])
    if policy.is_local:
        message = "persons with several rows beside a ledger have one recoding for all: write recoding: global"
        raise PolicyError([policy.problem(("recoding",), message)])
    if policy.decide is not None:
        message = "decide: blind beside a ledger needs one row a person; leave 'decide' or the ledger out"
        raise PolicyError([policy.problem(("decide",), message)])
    for index, _ in policy.cells():
        message = (
            "a ledger remembers confidential cells of tables with one row a person; take the unit out and leave the "
            "ledger away, or protect the column with infer"
        )
        raise PolicyError([policy.problem(("protect", index), message)])


def _left_out(policy: Policy, names: Sequence[str]) -> Policy:
    """Return a policy under which some columns do not go out."""
    used = known_to_groups(policy) | policy.sensitive | policy.targets
    for place, name in enumerate(names):
        says = "which row of a person it is" if place else "who somebody is"
        said = policy.columns.get(name)
        if name in used or (said is not None and said.role != "identifier"):
            message = f"{name!r} says {says} and does not go out; write role: identifier for it, or nothing"
            raise PolicyError([policy.problem(("columns", name), message)])
    fresh = {name: Column(role="identifier") for name in names if name not in policy.columns}
    return policy.model_copy(update={"columns": Frozen({**policy.columns, **fresh})}) if fresh else policy
