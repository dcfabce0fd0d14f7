"""Which cells of a table a `Confidential` means, and where it does not fit the table.

Messages name columns, row numbers and counts, never a value of the table nor an id.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import same_number
from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import Problem, rows_listed
from discreet.plan.parts import Edit
from discreet.policy import Policy
from discreet.policy.adversaries import MOST_CONDITIONS, Adversary, too_many_conditions
from discreet.policy.bind import known_to_groups
from discreet.policy.blind import LEAST_REST
from discreet.policy.confidential import Confidential
from discreet.policy.marker import marker_among
from discreet.table.engine import Engine

Flags = npt.NDArray[np.bool_]


def confidential_places(requirement: Confidential, original: Engine) -> Ints:
    """Return the places (from 0, ascending) of the rows whose cells are confidential; those that there are."""
    if requirement.rows is not None:
        return _places_of(requirement.rows, original)[0]
    if requirement.ids is not None:
        return np.flatnonzero(_having(original, requirement.ids.column, requirement.ids.values))
    meets = np.ones(original.rows, dtype=np.bool_)
    for column, values in (requirement.where or {}).items():
        meets &= _having(original, column, values)
    return np.flatnonzero(meets)


def confidential_flags(policy: Policy, original: Engine) -> dict[str, Flags]:
    """Return for each column with confidential cells in which rows they are; those that can be looked up."""
    found: dict[str, Flags] = {}
    for _, requirement in policy.cells():
        if all(name in original.columns for name in (requirement.column, *(at for _, at in requirement.looks_up()))):
            rows = found.setdefault(requirement.column, np.zeros(original.rows, dtype=np.bool_))
            rows[confidential_places(requirement, original)] = True
    return found


def absent(requirement: Confidential, original: Engine) -> int:
    """Return how many of the rows or ids that it names the table lacks (1 for a condition that nobody meets)."""
    if requirement.rows is not None:
        return len(_places_of(requirement.rows, original)[1])
    if requirement.ids is not None:
        domain = set(original.domain(requirement.ids.column))
        return sum(value not in domain for value in requirement.ids.values)
    return int(not len(confidential_places(requirement, original)))


def removable(policy: Policy, original: Engine) -> int:
    """Return how many rows may be left out of a release because of their confidential cells."""
    return len(removable_places(policy, original))


def removable_places(policy: Policy, original: Engine) -> Ints:
    """Return the places (from 0, ascending) of these rows."""
    rows = [
        confidential_places(requirement, original)
        for _, requirement in policy.cells()
        if requirement.removes and all(column in original.columns for _, column in requirement.looks_up())
    ]
    return np.unique(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)


def hides(policy: Policy, source: Engine) -> tuple[Edit, ...]:
    """Return the edits that hide every confidential cell, and nothing else."""
    found: dict[tuple[str, int], Edit] = {}
    for _, requirement in policy.cells():
        for number in source.numbers()[confidential_places(requirement, source)].tolist():
            found[requirement.column, number] = Edit(number, requirement.column, policy.marker)
    return tuple(found.values())


def untouchable(policy: Policy) -> frozenset[str]:
    """Return the columns that cell methods leave alone."""
    other = {name for name, column in policy.columns.items() if column.role == "other"}
    return needed_elsewhere(policy) | other


def needed_elsewhere(policy: Policy) -> frozenset[str]:
    """Return the columns that cell methods leave alone because of another promise, or of the use."""
    return known_to_groups(policy) | policy.sensitive | policy.targets


def predictors_of(requirement: Confidential, policy: Policy, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns the cells could be predicted from: as named, or all other released ones."""
    if requirement.predictors is not None:
        return requirement.predictors
    left_out = {requirement.column, *policy.identifiers}
    return tuple(column for column in columns if column not in left_out)


def known_to(
    adversary: Adversary, requirement: Confidential, policy: Policy, columns: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns from which an adversary predicts: the conditions that rules name, else the predictors."""
    own = adversary.own_columns
    return predictors_of(requirement, policy, columns) if own is None else own


def seen_by_adversaries(policy: Policy, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns with confidential cells, and those that an adversary knows who would guess them."""
    found: dict[str, None] = {}
    for _, requirement in policy.cells():
        found[requirement.column] = None
        for adversary in requirement.adversaries:
            found.update(dict.fromkeys(known_to(adversary, requirement, policy, columns)))
    return tuple(found)


def looked_at(policy: Policy, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are looked at row by row for confidential cells: these, and those that choose them."""
    choosing = [name for _, requirement in policy.cells() for _, name in requirement.looks_up()]
    return tuple(dict.fromkeys((*seen_by_adversaries(policy, columns), *choosing)))


def is_missing(policy: Policy, value: str | None) -> bool:
    """Whether a cell with this text tells no value: the marker, or a missing value that is no value of its own."""
    if value == policy.marker:
        return True
    if policy.missing is None:
        return value is None
    return policy.missing.rows != "value" and policy.missing.has(value)


def cell_problems(policy: Policy, original: Engine) -> list[Problem]:
    """Return where the confidential cells that a policy asks for do not fit the table."""
    problems: list[Problem] = []
    for index, requirement in policy.cells():
        found = _Checked(policy, index, requirement, original)
        if requirement.is_blind:
            problems += [*found.rows(), *found.columns(), *found.blind_values(), *found.published()]
            continue
        problems += [*found.rows(), *found.columns(), *found.conditions(), *found.values(), *found.published()]
        problems += [*found.taxonomies(), *found.decoys()]
    return problems


def cell_warnings(policy: Policy, original: Engine) -> list[str]:
    """Return what the owner should know of confidential cells before they are protected, on a table that fits."""
    found = [text for index, made in policy.cells() for text in _Checked(policy, index, made, original).too_common()]
    return [*found, *looking_warnings(policy)]


def looking_warnings(policy: Policy) -> list[str]:
    """Return that confidential cells decide what is hidden for them, if there are any that do."""
    looking = [index for index, made in policy.cells() if not made.is_blind]
    return [LOOKS_AT_SECRETS.format(looking[0])] if looking else []


LOOKS_AT_SECRETS = (
    "protect[{}]: what is hidden for confidential cells is decided by looking at them, which whoever knows the method "
    "may reckon back; with at_most (such as at_most: 50%) nothing is decided by them: see docs/blind.md"
)


class _Checked:
    """One requirement beside the table."""

    def __init__(self, policy: Policy, index: int, requirement: Confidential, original: Engine) -> None:
        self.policy, self.index, self.requirement, self.original = policy, index, requirement, original
        self.places = confidential_places(requirement, original)

    def problem(self, field: str, message: str) -> Problem:
        return self.policy.problem(("protect", self.index, field), message)

    def rows(self) -> Iterator[Problem]:
        """Yield what is wrong with the choice of rows."""
        requirement = self.requirement
        if requirement.rows is not None:
            yield from self._absent_rows("rows", requirement.rows)
        elif requirement.ids is not None:
            if strangers := absent(requirement, self.original):
                some = _counted(strangers, len(requirement.ids.values), "id")
                yield self.problem("ids", f"nobody has {some} in {requirement.ids.column!r}; check the spelling")
        elif not len(self.places):
            yield self.problem("where", f"no row meets this condition; {self._spelling()}")

    def _spelling(self) -> str:
        """Say how a condition should be written: of the table only other texts of the very numbers that it names."""
        for column, values in (self.requirement.where or {}).items():
            domain = self.original.domain(column)
            for value in values:
                if value not in domain and (same := same_number(value, domain)) is not None:
                    return f"{column!r} = {value!r} is written {same!r} in the table: write that"
        return "check the spelling"

    def _absent_rows(self, field: str, rows: Sequence[int]) -> Iterator[Problem]:
        strangers = _places_of(rows, self.original)[1]
        if not strangers:
            return
        dropped = " (rows with a missing value were dropped)" if self.original.dropped else ""
        message = (
            f"the table has no {rows_listed(strangers)}{dropped}; rows are counted from 1, without the header line"
        )
        yield self.problem(field, message)

    def columns(self) -> Iterator[Problem]:
        """Yield what is wrong with the columns."""
        requirement, policy = self.requirement, self.policy
        for place, name in enumerate(requirement.predictors or ()):
            if name in policy.identifiers:
                message = f"{name!r} is an identifier, which is left out of the release; take it out"
                yield policy.problem(("protect", self.index, "predictors", place), message)
        if not predictors_of(requirement, policy, self.original.columns) and not self._names_conditions():
            yield self.problem("predictors", "there is no other released column to predict from")
        if requirement.column in known_to_groups(policy):
            message = (
                f"{requirement.column!r} is known to a group requirement (given or over): single cells cannot be "
                "hidden without breaking its groups; take it out of one of the two"
            )
            yield self.problem("column", message)
        known = [name for adversary in requirement.adversaries for name in self._known_to(adversary)]
        for name in dict.fromkeys([requirement.column, *known]):
            if problem := marker_among(self.policy, name, self.original.domain(name)):
                yield problem

    def _known_to(self, adversary: Adversary) -> tuple[str, ...]:
        return known_to(adversary, self.requirement, self.policy, self.original.columns)

    def _names_conditions(self) -> bool:
        """Whether every adversary has named the columns that it knows."""
        return all(each.own_columns is not None for each in self.requirement.adversaries)

    def conditions(self) -> Iterator[Problem]:
        """Yield what is wrong with the conditions of rules."""
        for place, adversary in enumerate(self.requirement.against):
            here = ("protect", self.index, "against", place, adversary.name, "conditions")
            for name in adversary.own_columns or ():
                if name in self.policy.identifiers:
                    message = f"{name!r} is an identifier, which is left out of the release; take it out"
                    yield self.policy.problem(here, message)
            number = len(self._known_to(adversary))
            if adversary.mines_rules and number > MOST_CONDITIONS:
                yield self.policy.problem(here, too_many_conditions(number))

    def too_common(self) -> Iterator[str]:
        """Yield a warning where confidential values are common enough to be guessed without a rule."""
        encoded = self.original.encoded(self.requirement.column)
        told = np.array([not is_missing(self.policy, value) for value in encoded.domain], dtype=np.bool_)
        counts = np.where(told, np.bincount(encoded.codes, minlength=len(told)), 0)
        known = int(counts.sum())
        for adversary in self.requirement.adversaries:
            limit = adversary.confidence
            if limit is None:
                continue
            common = [count > limit * known for count in counts.tolist()]
            if cells := int(np.array(common, dtype=np.bool_)[encoded.codes[self.places]].sum()):
                yield (
                    f"protect[{self.index}]: {cells} of the {len(self.places)} confidential cells have a value that "
                    f"more than {percent(limit)} of the known cells of {self.requirement.column!r} have: this guess "
                    "needs no rule"
                )

    def values(self) -> Iterator[Problem]:
        """Yield what is wrong with the values of the confidential column."""
        requirement, policy = self.requirement, self.policy
        column = self.original.encoded(requirement.column)
        as_values = policy.missing is not None and policy.missing.rows == "value"
        blank = [not as_values and not (value or "").strip() for value in column.domain]
        empty = [is_missing(policy, value) or not_there for value, not_there in zip(column.domain, blank, strict=True)]
        bad = self.original.numbers()[self.places[np.array(empty, dtype=np.bool_)[column.codes[self.places]]]]
        if len(bad):
            message = (
                f"the cell is already missing in {rows_listed(bad.tolist())}: there is nothing to hide; take it out"
            )
            yield self.problem(_chosen_by(requirement), message)
        known = sum(not is_missing(policy, value) for value in column.domain)
        if known == 1:
            yield self.problem("column", f"{requirement.column!r} has only one value, so there is nothing to guess")
        elif known == 2 and requirement.two_values == "refuse" and not self._only_rules():
            message = (
                f"{requirement.column!r} has only two values: not to be the one is to be the other, and no method "
                "here protects that; two_values: lot leaves each cell to chance, which protects no single one"
            )
            yield self.problem("column", message)

    def blind_values(self) -> Iterator[Problem]:
        """Yield a column that leaves too little to learn from; nothing of the confidential cells is looked at."""
        column = self.original.encoded(self.requirement.column)
        rest = np.ones(self.original.rows, dtype=np.bool_)
        for _, other in self.policy.cells():
            rest[confidential_places(other, self.original)] = False
        rows = np.bincount(column.codes[rest], minlength=len(column.domain)).tolist()
        known = [
            count
            for value, count in zip(column.domain, rows, strict=True)
            if value is not None and not is_missing(self.policy, value)
        ]
        if sum(known) < LEAST_REST:
            message = (
                f"only {sum(known)} rows without confidential cells know {self.requirement.column!r}, too few to learn "
                f"from (at least {LEAST_REST}): make fewer cells confidential, or leave the column out"
            )
            yield self.problem("column", message)
        elif sum(count > 0 for count in known) == 1:
            message = f"{self.requirement.column!r} has only one value in the other rows, so there is nothing to guess"
            yield self.problem("column", message)

    def _only_rules(self) -> bool:
        """Whether confidence alone decides: hiding one of two values does not tell the other then."""
        return all(adversary.mines_rules for adversary in self.requirement.adversaries)

    def published(self) -> Iterator[Problem]:
        """Yield cells that must be published and do not exist, or are confidential."""
        for item in self.requirement.must_publish:
            yield from self._absent_rows("must_publish", item.rows or ())
            if item.column == self.requirement.column and item.rows is not None:
                both = np.intersect1d(_places_of(item.rows, self.original)[0], self.places)
                if len(both):
                    listed = rows_listed(self.original.numbers()[both].tolist())
                    yield self.problem("must_publish", f"the cell of {listed} is confidential; take it out")

    def decoys(self) -> Iterator[Problem]:
        """Yield a column of which no other cells may be hidden."""
        column = self.requirement.column
        if self.requirement.decoy_share is not None and column in untouchable(self.policy):
            message = (
                f"{column!r} is the column of a template or of another promise about groups, or the target of the use: "
                "cells that are not confidential are left alone there; leave decoys out"
            )
            yield self.problem("decoys", message)

    def taxonomies(self) -> Iterator[Problem]:
        """Yield columns that cannot be generalised."""
        requirement, policy = self.requirement, self.policy
        if requirement.change != "generalise":
            return
        names = [requirement.column]
        if requirement.may("own.conditions") or requirement.may("others.conditions"):
            kept = {item.column for item in requirement.must_publish if item.rows is None} | known_to_groups(policy)
            names += [name for name in predictors_of(requirement, policy, self.original.columns) if name not in kept]
        for name in names:
            taxonomy = policy.column(name).taxonomy
            if taxonomy is None:
                message = f"{name!r} has no taxonomy to generalise by; give it one, or write change: delete"
                yield self.problem("change", message)
                continue
            values = [value for value in self.original.domain(name) if not is_missing(policy, value)]
            strange = len(taxonomy.missing_from(value for value in values if value is not None)) + (None in values)
            if strange:
                message = f"{strange} of the {len(values)} values of {name!r} are not in its taxonomy; add them there"
                yield policy.problem(("columns", name, "taxonomy"), message)


def _places_of(rows: Sequence[int], table: Engine) -> tuple[Ints, list[int]]:
    """Return the places of the rows with these numbers, and the numbers that no row has."""
    wanted, numbers = np.array(sorted(rows), dtype=np.int64), table.numbers()
    if not len(numbers):
        return np.empty(0, dtype=np.int64), wanted.tolist()
    places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    found = numbers[places] == wanted
    return places[found].astype(np.int64), wanted[~found].tolist()


def _having(table: Engine, column: str, values: Sequence[str | None]) -> Flags:
    """Say which rows have one of the values in a column."""
    encoded, wanted = table.encoded(column), set(values)
    having: Flags = np.array([value in wanted for value in encoded.domain], dtype=np.bool_)[encoded.codes]
    return having


def _chosen_by(requirement: Confidential) -> str:
    return next(name for name in ("rows", "ids", "where") if getattr(requirement, name) is not None)


def _counted(some: int, of: int, what: str) -> str:
    """Return "2 of the 5 ids", never which."""
    return f"{some} of the {of} {what}s" if of > 1 else f"the {what}"
