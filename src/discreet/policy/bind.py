"""A policy seen on the columns of one table: who plays which role, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from discreet.common.registry import listed
from discreet.encoded import Combinations
from discreet.errors import PolicyError, Problem
from discreet.policy.beside import beside, not_beside
from discreet.policy.columns import Column
from discreet.policy.model import Policy
from discreet.policy.places import Path, column_hint
from discreet.policy.populations import Population
from discreet.policy.requirements.base import GroupPromise
from discreet.policy.requirements.seen import SeenOf
from discreet.policy.uses.field import detailed


@dataclass(frozen=True)
class Bound:
    """The roles that `use` and `protect` give to the columns of a table, all in table order."""

    policy: Policy
    columns: tuple[str, ...]
    released: tuple[str, ...]
    changeable: tuple[str, ...]
    fixed: tuple[str, ...]
    edited: tuple[str, ...]
    """The columns of which single cells may be hidden or generalised."""
    binned: tuple[str, ...]
    """Those of them that are released by the intervals between their ends."""
    warnings: tuple[str, ...]
    seen: SeenOf | None = field(default=None, compare=False, repr=False)
    """The different values of each column that was counted and their rows, once they are known."""
    populations: Mapping[Population, Combinations] = field(default_factory=dict, compare=False, repr=False)
    """The people among whom those of the table are, by the columns that are known of them, once they are read."""
    past: bool = False
    """Whether fixed columns tell the past of persons, which everybody knows who has seen earlier releases."""

    @property
    def promises(self) -> tuple[GroupPromise, ...]:
        """What is promised of groups, on the values of this table."""
        return tuple(self.policy.promises(self.seen))

    @property
    def each_promise(self) -> tuple[GroupPromise, ...]:
        """The same for every set of columns by itself, where any so many of them may be known."""
        return tuple(one for promise in self.promises for one in promise.over_each())

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns whose combinations the planner needs to have counted."""
        needed = {*self.changeable, *self.fixed, *self.policy.sensitive, *self.policy.targets, *beside(self.policy)}
        return tuple(column for column in self.columns if column in needed)


def bind(policy: Policy, columns: Sequence[str]) -> Bound:
    """Return the policy bound to `columns`; raise `PolicyError` with all that does not fit.

    Sensitive columns and the target of `use` are never changed, not even where another template knows them
    (spec, point 7): they are `fixed` when some requirement counts with them.
    """
    problems = [*_unknown_columns(policy, columns), *_role_clashes(policy)]
    if problems:
        raise PolicyError(sorted(problems, key=lambda problem: problem.line or 0))
    known, changing = set(known_to_groups(policy)), set(changed_for_groups(policy))
    never = policy.sensitive | policy.targets
    inputs = {column for goal in policy.goals for column in goal.inputs or ()}
    cells = set(_edited(policy, columns, known | never))
    cut = binned(policy) & set(columns)
    if problems := list(not_beside(policy, changing, cells)):
        raise PolicyError(problems)
    if problems := list(_without_effect(policy, changing, cells, cut)):
        raise PolicyError(problems)
    return Bound(
        policy=policy,
        columns=tuple(columns),
        released=tuple(column for column in columns if column not in policy.identifiers),
        changeable=tuple(column for column in columns if column in changing),
        fixed=tuple(column for column in columns if column in known & never),
        edited=tuple(column for column in columns if column in cells),
        binned=tuple(column for column in columns if column in cut),
        warnings=(
            *_warnings(policy, columns, known | never | inputs | beside(policy) | cells | _told_of_cells(policy)),
            *_idle(policy, known, cells),
        ),
    )


def _edited(policy: Policy, columns: Sequence[str], kept: set[str]) -> Iterator[str]:
    """Yield the columns that cell requirements may change: confidential ones, and known ones that are not `kept`."""
    for _, requirement in policy.cells():
        yield requirement.column
        published = {item.column for item in requirement.must_publish if item.rows is None}
        if requirement.is_blind:  # a target is like any other; what is known from elsewhere is never hidden
            needed = known_to_groups(policy) | policy.sensitive
            kept, published = (kept - policy.targets) | needed, published | set(requirement.known or ())
        predictors = columns if requirement.predictors is None else requirement.predictors
        known = [adversary.own_columns or predictors for adversary in requirement.adversaries]
        for column in dict.fromkeys(name for names in known for name in names):
            if column not in kept | published and policy.column(column).role is None:
                yield column


def binned(policy: Policy) -> frozenset[str]:
    """Return the columns of numbers or dates that nobody knows but who guesses confidential cells.

    They are released by the intervals between the owner's ends, all of them: nothing is searched for. Blind protection
    cuts only those that have ends; so do policies against an adversary who compares numbers.
    """
    kept = known_to_groups(policy) | policy.sensitive | policy.targets
    confidential = {made.column for _, made in policy.cells()}
    names = frozenset(_edited(policy, tuple(policy.columns), set(kept))) - confidential
    return frozenset(name for name in names if _is_cut(policy, policy.column(name)))


def _is_cut(policy: Policy, column: Column) -> bool:
    """Whether a column is released by intervals; those without ends are told as they are, if they are read at all."""
    return column.scale is not None and (column.ends is not None or not _reads_numbers(policy))


def _reads_numbers(policy: Policy) -> bool:
    """Whether numbers matter that are not cut into intervals: for blind protection, or to an adversary."""
    against = (adversary for _, made in policy.cells() for adversary in made.adversaries)
    return policy.is_blind or any(adversary.compares_numbers for adversary in against)


def known_to_groups(policy: Policy) -> frozenset[str]:
    """Return the columns that some group requirement takes for known; recodings may change them, edits may not."""
    return frozenset(column for _, made in policy.groups() for column in made.known)


def changed_for_groups(policy: Policy) -> frozenset[str]:
    """Return those of them that recodings may change: all but what is sensitive or a target."""
    return known_to_groups(policy) - policy.sensitive - policy.targets


def recoded(policy: Policy) -> frozenset[str]:
    """Return the columns whose released texts are groups, intervals or sets: all that is told of their values."""
    return known_to_groups(policy) | binned(policy)


def _told_of_cells(policy: Policy) -> set[str]:
    """Return the columns by which confidential rows are found, and those named as predictors or to be published."""
    return {column for _, cells in policy.cells() for _, column in (*cells.looks_up(), *cells.mentions())}


def _looks_up(policy: Policy) -> Iterator[tuple[int, Path, str]]:
    for index, requirement in policy.cells():
        for path, column in requirement.looks_up():
            yield index, path, column


def _mentions(policy: Policy) -> Iterator[tuple[Path, str]]:
    """Yield each place of the policy that names a column of the table."""
    for number, use in enumerate(policy.uses):
        here: Path = ("use", number) if isinstance(policy.use, tuple) else ("use",)
        for path, column in use.mentions():
            yield (*here, *path), column
    for index, requirement in enumerate(policy.protect):
        for path, column in requirement.mentions():
            yield ("protect", index, *path), column


def _without_effect(policy: Policy, changeable: set[str], edited: set[str], cut: frozenset[str]) -> Iterator[Problem]:
    """Yield what is said of columns that are never made coarser."""
    for name, column in policy.columns.items():
        if "weight" in column.model_fields_set:
            if name not in changeable:
                yield policy.problem(("columns", name, "weight"), f"{name!r} is never changed; take the weight out")
            elif not any(use.weighs_columns for use in policy.uses):
                uses = f"{listed(detailed())} (or {listed(detailed(in_list=True))} in a list of uses)"
                message = f"only counts for use {uses}; take it out"
                yield policy.problem(("columns", name, "weight"), message)
        if any(goal.reads_numbers and goal.target == name for goal in policy.goals):
            # How its numbers or dates are read matters; it is never made coarser.
            for what in ("taxonomy", "ends", "labels", "form", "open_ends", "top", "bottom"):
                if what in column.model_fields_set:
                    message = f"{name!r} is never changed (it is the target); take the {what} out"
                    yield policy.problem(("columns", name, what), message)
        elif column.coarsens and name not in changeable and not _is_read(policy, name, column):
            yield from _cannot_be_coarser(policy, name, column, edited, cut)


def _is_read(policy: Policy, name: str, column: Column) -> bool:
    """Whether promises about a sensitive column need all that is said of its values."""
    read = frozenset(what for _, made in policy.groups() if made.sensitive == name for what in made.reads)
    said = {"type", "taxonomy", "ends", "labels", "form", "open_ends"} & column.model_fields_set
    return bool(said) and said <= read


def _told_as_they_are(policy: Policy, uncut: set[str]) -> set[str]:
    """Return the columns whose numbers may be read as they are: all that blind protection may hide, else predictors."""
    if not _reads_numbers(policy):
        return set()
    return uncut if policy.is_blind else uncut - {made.column for _, made in policy.cells()}


def _cannot_be_coarser(
    policy: Policy, name: str, column: Column, edited: set[str], cut: frozenset[str]
) -> Iterator[Problem]:
    """Yield why a column that no search makes coarser cannot be made so."""
    what = _coarsens_by(column)
    if name in policy.sensitive or name in policy.targets:
        why = "sensitive" if name in policy.sensitive else "the target"
        yield policy.problem(("columns", name, what), f"{name!r} is never changed (it is {why}); take the {what} out")
    elif name in cut and column.ends is None:
        example = "[18, 40, 65]" if column.type == "number" else "[2010-01-01, 2020-01-01]"
        message = (
            f"only whoever guesses confidential cells knows {name!r}, and no search cuts it into intervals: say where "
            f"they begin, such as ends: {example}, or take the type out"
        )
        yield policy.problem(("columns", name, "ends"), message)
    elif name in _told_as_they_are(policy, edited - cut) and column.scale is not None:
        if said := [what for what in ("form", "open_ends", "top", "bottom") if what in column.model_fields_set]:
            message = (
                f"{name!r} has no ends, so its numbers are told as they are, or not; give it ends, or take this out"
            )
            yield policy.problem(("columns", name, said[0]), message)
    elif name in edited - cut and column.taxonomy is None:
        message = f"{name!r} has confidential cells, which are hidden, not made coarser; take the {what} out"
        yield policy.problem(("columns", name, what), message)
    elif name not in edited and column.tails != (None, None):
        tail = "top" if column.top is not None else "bottom"
        message = (
            f"no requirement knows {name!r}, so it goes out as it is, whatever lies at its {tail}: name it in a "
            f"requirement, leave it out with role: identifier, or take the {tail} out"
        )
        yield policy.problem(("columns", name, tail), message)


def _coarsens_by(column: Column) -> str:
    """Return the field that says how a column may be made coarser."""
    return "taxonomy" if column.taxonomy is not None else "form" if column.form == "set" else "type"


def _idle(policy: Policy, known: set[str], edited: set[str]) -> Iterator[str]:
    """Yield a warning for each column that is never made coarser although it is said how."""
    for name, column in policy.columns.items():
        if column.coarsens and name not in known | edited | policy.sensitive | policy.targets:
            what = _coarsens_by(column)
            if what == "type" and column.ends is None and name in beside(policy):
                continue  # it says how its values are read
            yield f"no requirement knows {name!r}, so it is never made coarser: its {what} has no effect"


def _unknown_columns(policy: Policy, columns: Sequence[str]) -> Iterator[Problem]:
    mentions = [*_mentions(policy), *((("columns", name), name) for name in policy.columns)]
    mentions += [] if policy.unit is None else [(("unit",), policy.unit.id)]
    mentions += [] if policy.release is None else [(("release", "by"), name) for name in policy.release.by]
    mentions += [(("protect", index, *path), name) for index, path, name in _looks_up(policy)]
    for path, name in mentions:
        if name not in columns:
            hint = (
                column_hint(name, columns, [other for _, other in mentions])
                or f" among the {len(columns)} of the table; has it a header line?"
            )
            yield policy.problem(path, f"no column {name!r}{hint}")


def _role_clashes(policy: Policy) -> Iterator[Problem]:
    whose = None if policy.unit is None else policy.unit.id
    for path, name in _mentions(policy):
        column = policy.columns.get(name)
        if name == whose and column is None:
            left_out = "it says whose row it is, and is left out of the release"
            message = f"{name!r} is the unit: {left_out}; drop one of the two"
            yield policy.problem(path, message)
        if path[2:3] in (("predictors",), ("against",)) and column is not None and column.role == "other":
            continue  # it goes out unchanged, and whoever reads it may use it
        if name in beside(policy) and "beside" in path and column is not None and column.role == "other":
            continue  # so it must
        if column is not None and column.role is not None:
            left_out = "left out of the release" if column.role == "identifier" else "to go out unchanged"
            message = f"{name!r} has the role {column.role} ({left_out}) under 'columns'; drop one of the two"
            yield policy.problem(path, message)


def _warnings(policy: Policy, columns: Sequence[str], used: set[str]) -> Iterator[str]:
    used = used | set(policy.identifiers)
    unmentioned = [column for column in columns if column not in used and policy.column(column).role is None]
    if unmentioned:
        yield (
            f"nobody mentions {_listed(unmentioned)}: released unchanged, and what can be inferred from "
            f"{'it' if len(unmentioned) == 1 else 'them'} is not limited "
            "(say so with 'role: other', or 'role: identifier' to leave out)"
        )


def _listed(columns: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(repr(column) for column in columns[:most])
    return shown if len(columns) <= most else f"{shown} and {len(columns) - most} more"


def tight_columns(policy: Policy) -> list[str]:
    """Return the columns of numbers and dates whose labels end with values of the rows themselves."""
    columns = policy.columns.items() if policy.is_local else ()
    known = known_to_groups(policy)
    return [name for name, column in columns if name in known and column.scale is not None and column.ends is None]
