"""Do the people whom a policy names fit its table: are they all there, and written in the same way."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from discreet.encoded import Codes, Combinations, Ints, keys
from discreet.errors import InputError, PolicyError, Problem
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.policy.populations import Population
from discreet.table.engine import Engine
from discreet.table.populations import people_of

MOST_PEOPLE = 3_000_000_000
"""Products of two counts stay below 2**63."""


def with_people(bound: Bound) -> Bound:
    """Return a bound policy with the populations that it names, read and counted; raise `PolicyError` for all else."""
    policy, found, problems = bound.policy, dict[Population, Combinations](), list[Problem]()
    for population in policy.populations:
        made = [(index, made) for index, made in policy.groups() if made.population == population]
        columns = [column for column in bound.columns if any(column in each.known for _, each in made)]
        try:
            found[population] = people_counts(population, policy, columns)
        except InputError as error:
            if isinstance(error, PolicyError):
                raise
            message = str(error).removeprefix("among: ")
            problems.append(policy.problem(("protect", made[0][0], "among"), message))
    if problems:
        raise PolicyError(problems)
    return replace(bound, populations=found)


def people_counts(population: Population, policy: Policy, columns: Sequence[str]) -> Combinations:
    """Return the combinations that people have of some columns; numbers and dates are written in the table's way."""
    people, there = people_of(population, policy, columns)
    if people.rows > MOST_PEOPLE:
        raise InputError(f"{population.name} has {people.rows} rows; at most {MOST_PEOPLE} can be counted")
    counted = people.count(columns)
    domains, codes = list(counted.domains), list(counted.codes)
    for place, name in enumerate(columns):
        texts = as_told(policy, there, name, counted.domains[place])
        new = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        domains[place] = tuple(new)
        codes[place] = np.array([new[text] for text in texts], dtype=np.uint32)[counted.codes[place]]
    return replace(counted, domains=tuple(domains), codes=tuple(codes))


def as_told(policy: Policy, there: Policy, name: str, domain: Sequence[str | None]) -> list[str | None]:
    """Return values of a column by which they can be compared: equal numbers and dates have equal texts.

    `there` reads the values, `policy` writes them.
    """
    mine, theirs = policy.column(name).scale, there.column(name).scale
    if mine is None or theirs is None:
        return list(domain)
    read = [None if policy.declares_missing(value) else theirs.read(value) for value in domain]
    return [value if number is None else mine.write(number) for value, number in zip(domain, read, strict=True)]


def others_than(people: Mapping[Population, Combinations], name: str, values: Collection[str | None]) -> bool:
    """Whether some population has other values in a column than the table."""
    known = set(values)
    return any(name in counted.columns and not known.issuperset(counted.domain(name)) for counted in people.values())


def people_problems(bound: Bound, counted: Combinations) -> Iterator[Problem]:
    """Yield where the people of the table are not among those of a population; no value is told."""
    policy = bound.policy
    for index, made in policy.groups():
        if made.population is None:
            continue
        given = [column for column in bound.columns if column in made.known]
        lacking = _lacking(policy, counted, bound.populations[made.population], given)
        if lacking:
            rows = "1 row" if lacking == 1 else f"{lacking} rows"
            message = (
                f"does not cover the table: {rows} of {int(counted.counts.sum())} with a combination of "
                f"{', '.join(given)} that {made.population.name} does not have, or not so often; the people of the "
                "table must be among those of the population, and written in the same way"
            )
            yield policy.problem(("protect", index, "among"), message)


def refuse_strangers(bound: Bound, source: Engine) -> None:
    """Refuse new rows that are not among the people of a population."""
    if bound.populations and (problems := list(people_problems(bound, source.count(bound.counted)))):
        raise PolicyError(problems)


def _lacking(policy: Policy, counted: Combinations, people: Combinations, given: Sequence[str]) -> int:
    """Return how many rows of a table have nobody in a population."""
    both: list[Codes] = []
    sizes = []
    for name in given:
        new: dict[str | None, int] = {}
        mine = _places(new, as_told(policy, policy, name, counted.domain(name)))
        theirs = _places(new, people.domain(name))
        both.append(np.concatenate((mine[counted.code(name)], theirs[people.code(name)])))
        sizes.append(len(new))
    rows = len(counted.counts)
    key, _ = keys(both, sizes, rows + len(people.counts))
    which = np.unique(key, return_inverse=True)[1]
    balance = np.zeros(int(which.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(balance, which[:rows], counted.counts)
    np.subtract.at(balance, which[rows:], people.counts)
    return int(np.maximum(balance, 0).sum())


def _places(new: dict[str | None, int], values: Sequence[str | None]) -> Codes:
    found: Ints = np.array([new.setdefault(value, len(new)) for value in values], dtype=np.int64)
    return found.astype(np.uint32)
