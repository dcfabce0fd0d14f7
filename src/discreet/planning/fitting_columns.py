"""The changeable columns of a table, each of its kind, and where their values do not fit what the policy says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from discreet.columns.intervals import Values
from discreet.encoded import Combinations
from discreet.errors import Problem
from discreet.fit.populations import others_than
from discreet.fit.values import name_empty
from discreet.planning.changeable import Changeable, Domain
from discreet.planning.number_column import NumberColumn
from discreet.planning.plain_column import PlainColumn
from discreet.planning.tree_column import TreeColumn
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.policy.columns import Column, reads_like_a_set
from discreet.table.engine import Engine

MANY_DRAWN = 3_000_000_000
"""Values and borders in all cuts of a genetic search from which on it takes minutes: two."""


@dataclass(frozen=True)
class JobColumns:
    """The columns that a job makes coarser."""

    changeable: list[Changeable]
    """Those of promises about groups."""
    binned: list[NumberColumn]
    """Those that are released by fixed intervals."""
    problems: list[Problem]
    """Where their values do not fit what the policy says of them."""

    def warnings(self, policy: Policy) -> list[str]:
        """Return what to know of numbers or dates that cannot be cut where they may be, and of a search for ages."""
        numbers = [column for column in (*self.changeable, *self.binned) if isinstance(column, NumberColumn)]
        whole = [column for column in numbers if len(column.values.numbers) > 1 and not column.space.cuts.any()]
        uncut = [
            f"no end of {column.name!r} lies between its smallest and largest value: nothing of it can be told apart"
            if column.column.ends is not None
            else f"all values of {column.name!r} lie at its top, or all at its bottom: nothing of it can be told apart"
            for column in whole
        ]
        return [*uncut, *_long_genetic_search(policy, self.changeable)]


def _long_genetic_search(policy: Policy, columns: Sequence[Changeable]) -> Iterator[str]:
    """Yield how long a genetic search takes whose cuts have very many places each."""
    places = sum(
        column.space.size if column.space.plain else len(column.space.nodes) + int(column.space.cuts.sum())
        for column in columns
    )
    cuts = policy.genetic.population + policy.genetic.iterations
    if policy.method == "genetic" and places * cuts >= MANY_DRAWN:
        long = "minutes" if places * cuts < 30 * MANY_DRAWN else "hours"
        yield (
            f"genetic: {cuts:,} cuts are made, each of {places:,} values and borders that may be told: it takes "
            f"{long}, and finds little among so many; write search: coordinate, or fewer ends, or set a time limit, "
            "after which the best release so far is taken"
        )


def columns_of(bound: Bound, source: Engine, counted: Combinations) -> JobColumns:
    """Return the columns that a job makes coarser."""
    changeable, unfit = changeable_columns(bound, counted)
    binned, misfits = binned_columns(bound, source)
    crowded = [] if unfit else list(_too_many_classes(bound, changeable, counted))
    return JobColumns(changeable, binned, [*unfit, *misfits, *crowded])


def _too_many_classes(bound: Bound, columns: Sequence[Changeable], counted: Combinations) -> Iterator[Problem]:
    """Yield what keeps a search from counting all classes; of fewer rows than those of the table it asks itself."""
    policy = bound.policy
    asks = policy.method in ("exact", "local") and bound.promises
    if not asks or policy.unit is not None or policy.release is not None:
        return
    from discreet.planning.problem import collapsed, room_for_classes
    from discreet.planning.uses import classes_in_pairs

    goals = [goal for goal in policy.goals if any(map(goal.sees, bound.changeable))]
    if classes := classes_in_pairs(counted, goals if policy.is_local else policy.goals):
        yield from room_for_classes(policy, len(collapsed(bound, columns, counted)[2]), classes)


def changeable_columns(bound: Bound, counted: Combinations) -> tuple[list[Changeable], list[Problem]]:
    """Return the changeable columns of a job, and where their values do not fit what the policy says of them."""
    columns: list[Changeable] = []
    problems: list[Problem] = []
    for name in bound.changeable:
        said = bound.policy.column(name)
        domain = counted.domain(name)
        column: Changeable | None
        if said.taxonomy is not None:
            column, problem = _tree_column(bound, name, said, counted)
        elif said.scale is not None:
            column, problem = _number_column(bound, name, said, counted)
        else:
            others = others_than(bound.populations, name, domain)
            column, problem = PlainColumn(name, domain, bound.policy.marker, others), None
        problem = problem or _set_problem(bound, name, said, domain)
        columns += [column] if column is not None else []
        problems += [problem] if problem is not None else []
    return columns, problems


def binned_columns(bound: Bound, source: Engine) -> tuple[list[NumberColumn], list[Problem]]:
    """Return the columns that are released by fixed intervals, and where their values do not fit what is said."""
    columns: list[NumberColumn] = []
    problems: list[Problem] = []
    for name in bound.binned:
        column, problem = _number_column(bound, name, bound.policy.column(name), source.count([name]))
        columns += [column] if column is not None else []
        problems += [problem] if problem is not None else []
    return columns, problems


def _set_problem(bound: Bound, name: str, said: Column, domain: Domain) -> Problem | None:
    """Return what keeps the labels of a column from being sets."""
    if said.form != "set":
        return None
    from discreet.method.local.shapes import MOST_IN_A_SET

    path = ("columns", name, "form")
    if len(domain) > MOST_IN_A_SET:
        message = f"the column has {len(domain)} different values, and sets are for at most {MOST_IN_A_SET}; drop it"
        return bound.policy.problem(path, message)
    if any(map(reads_like_a_set, domain)):
        return bound.policy.problem(path, "a value of the column reads like a set, {...}; drop the form")
    return None


def _tree_column(
    bound: Bound, name: str, said: Column, counted: Combinations
) -> tuple[Changeable | None, Problem | None]:
    taxonomy, domain = said.taxonomy, counted.domain(name)
    assert taxonomy is not None
    leaves = set(taxonomy.leaves)
    absent = [value for value in domain if value not in leaves]
    missing = tuple(value for value in absent if bound.policy.declares_missing(value))
    lacking = len(absent) - len(missing)
    if lacking:
        blank = " (one of them: empty)" if None in absent and None not in missing else ""
        message = (
            f"the taxonomy lacks {lacking} value{'s' if lacking > 1 else ''} of the column{blank}; "
            "add them (`discreet taxonomy TABLE COLUMN --check FILE --show-values` lists them), "
            "or name under 'missing' those that stand for a missing value"
        )
        return None, bound.policy.problem(("columns", name, "taxonomy"), message)
    if said.losses is None:
        return TreeColumn(name, taxonomy, domain, missing), None
    return TreeColumn(name, taxonomy, domain, missing, said.losses, tuple(counted.rows(name).tolist())), None


def _number_column(
    bound: Bound, name: str, said: Column, counted: Combinations
) -> tuple[NumberColumn | None, Problem | None]:
    scale = said.scale
    assert scale is not None
    domain = counted.domain(name)
    missing = tuple(value for value in domain if bound.policy.declares_missing(value))
    rows = counted.rows(name)
    found: dict[Decimal, tuple[str, int]] = {}
    read = tuple([None if value in missing else scale.read(value) for value in domain])
    bad = empty = 0
    for value, number, count in zip(domain, read, rows.tolist(), strict=True):
        if value in missing:
            continue
        if value is None or not value.strip():
            empty += count
        elif number is None:
            bad += 1
        else:
            _, before = found.get(number, ("", 0))
            spelling = value if number not in found and scale.is_plain(value) else ""
            found[number] = (spelling, before + count)
    path = ("columns", name, "type")
    if bad or empty:
        return None, bound.policy.problem(path, _unfit(bound.policy, said, bad, len(domain), empty))
    if not found:
        return None, bound.policy.problem(path, f"the column has no {said.type} at all; leave the type out")
    numbers = sorted(found)
    values = Values(
        tuple(numbers),
        tuple(found[number][1] for number in numbers),
        tuple(found[number][0] for number in numbers),
        bool(bound.populations) and others_than(bound.populations, name, [scale.write(number) for number in numbers]),
    )
    return NumberColumn(name, said, values, domain, missing, bound.policy.marker, read), None


def _unfit(policy: Policy, said: Column, bad: int, values: int, empty: int) -> str:
    """Say that some of the different values of a column are no numbers or dates, or that cells are empty."""
    if not bad:
        return f"{empty_cells(empty)} in the column; {name_empty(policy)}"
    form = ", such as 2024-01-31" if said.type == "date" else ""
    form = form if said.date_format is None else f" as {said.date_format} says"
    besides, by = (f", and {empty_cells(empty)}", ' (empty ones by "")') if empty else ("", "")
    return (
        f"{bad} of the {values} different values of the column {'is' if bad == 1 else 'are'} no {said.type}{form}"
        f"{besides}; name those that stand for a missing value under 'missing'{by}, or leave the type out"
    )


def empty_cells(number: int) -> str:
    """Say that so many cells are empty.

    >>> empty_cells(1), empty_cells(3)
    ('1 cell is empty', '3 cells are empty')
    """
    return "1 cell is empty" if number == 1 else f"{number} cells are empty"
