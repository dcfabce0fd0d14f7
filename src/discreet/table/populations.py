"""The people among whom those of a table are, held as any table is: read once, counted by whoever asks.

A population is taken as it is: no row of it is dropped, whatever becomes of missing values in the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.populations import IN_MEMORY, Population
from discreet.table.decimals import as_written
from discreet.table.engine import Engine
from discreet.table.source import Opening, open_table


def people_of(population: Population, policy: Policy, columns: Sequence[str] = ()) -> tuple[Engine, Policy]:
    """Return the people, and the policy with numbers as they are written there; refuse what cannot be read.

    The last table that was read is kept as long as the policy is, and read again where its file has changed.
    """
    if population.path == IN_MEMORY:
        raise InputError(
            "among: the population was a table in Python, which no file keeps; give it with population=... in Python, "
            "or save it to a file and give that with --population"
        )
    key = _stamp(population), policy.file
    found: tuple[Engine, Policy] | None = population.held.get(key)
    if found is None:
        found = _read(population, policy)
        population.held.clear()
        population.held[key] = found
    people, _ = found
    if lacking := [name for name in columns if name not in people.columns]:
        raise InputError(f"among: {population.name} has no column {lacking[0]!r}, which the promise knows")
    return people, as_written(policy, people)


def _read(population: Population, policy: Policy) -> tuple[Engine, Policy]:
    alone = policy.model_copy(update={"missing": None})
    try:
        people = open_table(population.table, alone, opening=Opening(in_any_order=True))
    except InputError as error:
        raise InputError(f"among: {error}") from None
    if not people.rows:
        raise InputError(f"among: {population.name} has no rows")
    return people, policy


def _stamp(population: Population) -> object:
    """Return what tells whether a file has changed; a table of Python stays what it is."""
    if population.path is None:
        return None
    path: Any = Path(population.path.partition("#")[0]) if "://" not in population.path else None
    try:
        state = None if path is None else path.stat()
    except (OSError, ValueError):  # reading it says what is wrong
        return None
    return None if state is None else (state.st_mtime_ns, state.st_size)
