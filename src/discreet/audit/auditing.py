"""The audit of a release, whoever made it: verified, attacked, measured, and what is left said plainly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet.attack.base import Attacked
from discreet.attack.blind import full_rehearsal
from discreet.attack.run import attack, planned
from discreet.audit.about import about
from discreet.audit.audit import Audit
from discreet.audit.describing import describe
from discreet.audit.foreign import adopt
from discreet.audit.public import counted, errors
from discreet.audit.risk import risks
from discreet.audit.secrets import secret_risks
from discreet.columns.medians import Ranges, median_ranges
from discreet.common.showing import Heard, listening
from discreet.common.watch import Watch
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.fit.fitting import bind_to
from discreet.fit.persons import repeat_warnings
from discreet.measure.utility import utility
from discreet.plan.blind_statement import BlindStatement
from discreet.policy import Policy, as_policy
from discreet.policy.bind import Bound, bind, known_to_groups
from discreet.table.engine import Engine
from discreet.table.formats.place import place_of
from discreet.table.populations import people_of
from discreet.table.source import DEFAULT, Opening, Table, open_table, open_tables
from discreet.verification.findings import Truth
from discreet.verification.promises import (
    back_in_order,
    check,
    published_intervals,
    published_statement,
    stated_in_order,
)
from discreet.verification.row_matches import Matches
from discreet.verification.true_release import truth_of
from discreet.verification.with_ledger import LedgerCheck, ledger_check, not_checkable

if TYPE_CHECKING:
    from discreet.release import Release

UNMATCHED = "nobody can tell which row of the release is whose"
_IN_ORDER = 0.9
"""The share of rows whose unchanged columns must be those of the original, for the rows to stand in its order."""


def audit_release(
    release: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    original: Table,
    *,
    control: Table | None = None,
    population: Table | None = None,
    targets: Sequence[str] = (),
    thorough: bool = False,
    time_limit: float | None = None,
    seed: int | None = None,
    intervals: Mapping[str, Ranges] | str | Path | None = None,
    progress: Heard = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    order: Sequence[int] | None = None,
    statement: BlindStatement | Mapping[str, Any] | str | Path | None = None,
    ledger: str | Path | None = None,
    person: str | None = None,
    secret: str | Path | None = None,
    row_key: str | None = None,
) -> Audit:
    """Verify a release, attack it, and measure what it is still good for, however it was made.

    Parameters
    ----------
    release
        The released table, by discreet or by another tool: a dataframe, or the path of a file.
    policy
        The policy it should keep, a dictionary, or the path of its file.
    original
        The table it was made from, by which guesses are judged.
    control
        Rows of people of the same kind who are not in the original: what is learned about them is no leak.
    population
        Rows of all people among whom those of the release are known to be, for the journalist; also in the place of
        the population that the policy names, which is taken when absent.
    targets
        Columns that adversaries shall guess besides the sensitive ones of the policy.
    thorough
        Take all the time it takes: more people are attacked, and learners train on more rows.
    time_limit
        Seconds after which no further attack is begun; those that are left out are named.
    seed
        For tests: the same people are drawn every time.
    intervals
        As for `verify`.
    progress
        As for `protect`; who returns False while attacking leaves the other attacks out.
    engine, memory_limit, key
        As for `verify`; attacks fetch columns row by row, up to a limit.
    order
        As for `verify`. When absent, guesses are judged by rows that are matched in some way.
    statement, ledger, person, secret, row_key
        As for `verify`.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk", "clerk"], "Ill": ["no", "yes", "no", "yes"]})
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> audit = d.audit_release(table, policy, table, seed=1)
    >>> audit.verification.holds, audit.attacks.found[0].name
    (True, 'prosecutor')
    """
    people = AttackedPeople(control, population, tuple(targets), thorough, seed)
    rules, beside = as_policy(policy), None
    if ledger is not None:
        rules, beside = ledger_check(release, rules, ledger, person, secret, row_key)
    with listening(progress) as hear:
        watch = Watch(hear, time_limit)
        opening = Opening(engine, memory_limit, key)
        met = _met(release, rules, original, people, watch, opening, intervals, order, beside)
        scene, bound = met.scene, met.bound
        adopted, source, places = scene.released, scene.original, scene.places
        stated = published_statement(release, bound.policy, statement)
        verification = check(
            adopted,
            bound.policy,
            source,
            medians=scene.medians,
            hide_only=scene.hide_only,
            found=met.truth,
            statement=stated_in_order(stated, order, shuffled=bound.policy.shuffle),
            beside=beside,
        )
        if beside is not None:
            joint = not_checkable(UNMATCHED)
            joint = joint if places is None else beside.checked(adopted, bound.policy, source, places)
            verification = replace(verification, joint=joint)
        elif bound.policy.ledger is not None:
            verification = replace(verification, joint=not_checkable())
        told = source if places is None else source.only(places)
        warnings = (*met.notes, *bound.warnings, *repeat_warnings(bound.policy, source))
        found = describe(verification, adopted, told, source, bound, warnings, matched=places is not None)
        name = place_of(release).name if isinstance(release, (str, Path)) else None
        return _deepened(found, scene.stated_by(stated), bound, watch, name=name, made=False)


def attack_release(
    release: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    original: Table,
    *,
    control: Table | None = None,
    population: Table | None = None,
    targets: Sequence[str] = (),
    thorough: bool = False,
    time_limit: float | None = None,
    seed: int | None = None,
    intervals: Mapping[str, Ranges] | str | Path | None = None,
    progress: Heard = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    order: Sequence[int] | None = None,
) -> Attacked:
    """Attack a release, however it was made, and return what adversaries get right: `audit_release` without the rest.

    Promises are not verified here, and it is not measured what is kept.

    Parameters
    ----------
    release, policy, original
        As for `audit_release`.
    control, population, targets, thorough, time_limit, seed, intervals, progress, engine, memory_limit, key, order
        As for `audit_release`.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk", "clerk"], "Ill": ["no", "yes", "no", "yes"]})
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> d.attack_release(table, policy, table, seed=1).found[0].name
    'prosecutor'
    """
    people = AttackedPeople(control, population, tuple(targets), thorough, seed)
    with listening(progress) as hear:
        watch = Watch(hear, time_limit)
        met = _met(
            release, as_policy(policy), original, people, watch, Opening(engine, memory_limit, key), intervals, order
        )
        control_or_rest = met.scene.control or _not_drawn(met.scene.original, met.bound.policy, met.scene.places)
        stated = published_statement(release, met.bound.policy, None)
        scene = replace(met.scene.stated_by(stated), watch=watch, control=control_or_rest)
        tasks = planned(scene)
        return attack(scene, tasks, watch.anew().attacks(len(tasks), sum(task.seconds for task in tasks)))


@dataclass(frozen=True)
class AttackedPeople:
    """Who is attacked, beside whom, and how."""

    control: Table | None
    population: Table | None
    targets: tuple[str, ...]
    thorough: bool
    seed: int | None


@dataclass(frozen=True)
class MetTables:
    """A release and the table it was made from, their rows matched where that can be."""

    scene: Scene
    bound: Bound
    truth: tuple[Truth, Matches | None]
    notes: tuple[str, ...]


def _met(
    release: Table,
    policy: Policy,
    original: Table,
    people: AttackedPeople,
    watch: Watch,
    opening: Opening,
    intervals: Mapping[str, Ranges] | str | Path | None,
    order: Sequence[int] | None,
    beside: LedgerCheck | None = None,
) -> MetTables:
    """Open a release and its original, and find out which row is which."""
    policy = policy if people.population is None else policy.with_population(people.population)
    watch.begins("read")
    released, source = open_tables([(release, True), (original, False)], policy, opening)
    source, policy = (source, policy) if beside is None else beside.members_of(source, policy)
    bound = bind_to(policy, source)
    policy = bound.policy
    for table, whose in ((released, "the release"), (source, "the original")):
        if not table.rows:
            raise InputError(f"{whose} has no rows")
    scene = _scene(released, source, bound, people.control, people.population, people.targets, opening)
    adopted, notes = adopt(released, policy, source)
    medians = published_intervals(release, policy, intervals)
    watch.begins("verify")
    known = order is not None and policy.unit is not None
    back = back_in_order(adopted, bound, source, medians, order) if policy.shuffle or known else None
    adopted = adopted if back is None else back.released
    truth, matches = truth_of(adopted, policy, source, medians, back)
    places = _places(matches, adopted, source, bound)
    if places is not None:
        adopted = adopted.numbered(source.numbers()[places])
    hide_only = _hide_only(adopted, source, bound, places)
    scene = replace(scene, released=adopted, places=places, hide_only=hide_only, medians=medians)
    linked = None
    if beside is not None and places is not None:
        linked = beside.linked(source, places, several=policy.unit is not None)
    scene = replace(scene, thorough=people.thorough, seed=people.seed, linked=linked)
    return MetTables(scene, bound, (truth, matches), tuple(notes))


def attacked(
    release: Release,
    *,
    name: str | None = None,
    control: Table | None = None,
    population: Table | None = None,
    targets: Sequence[str] = (),
    thorough: bool = False,
    time_limit: float | None = None,
    seed: int | None = None,
    progress: Heard = None,
) -> Audit:
    """Return the audit of a release that was just made, attacked and measured; see `audit_release`."""
    plan, source, released = release.plan, release.source, release.engine
    bound = bind(plan.policy, source.columns)
    scene = _scene(released, source, bound, control, population, targets)
    alone = source.apply(replace(plan, edits=(), removed=())) if any(plan.policy.cells()) else None
    places = np.searchsorted(source.numbers(), released.numbers())
    scene = replace(scene, places=places, hide_only=alone, medians=median_ranges(plan), thorough=thorough, seed=seed)
    scene = replace(scene, linked=None if release.note is None else release.note.linked)
    with listening(progress) as hear:
        return _deepened(release.audit, scene, bound, Watch(hear, time_limit), name=name, made=True)


def _deepened(found: Audit, scene: Scene, bound: Bound, watch: Watch, *, name: str | None, made: bool) -> Audit:
    """Return a release as it was described, with what it is, the risk of groups, what is kept, and attacks.

    `made` says that discreet made it, `name` is that of its file.
    """
    released, policy, places = scene.released, scene.policy, scene.places
    scene = replace(scene, watch=watch, control=scene.control or _not_drawn(scene.original, policy, places))
    watch = watch.anew()  # how long attacks take is told by itself
    watch.begins("measure")
    told = scene.original if places is None or policy.k_on_population else scene.original.only(np.sort(places))
    risk, kept = risks(released, told, policy), utility(scene)
    secrets = secret_risks(released, told, policy)
    tasks = planned(scene)
    may_go_on = watch.attacks(len(tasks), sum(task.seconds for task in tasks))
    return replace(
        found,
        risk=risk,
        secrets=secrets,
        utility=kept,
        attacks=attack(scene, tasks, may_go_on),
        rehearsed=found.rehearsed if scene.late else full_rehearsal(scene) or found.rehearsed,
        about=about(policy, released.columns, (*bound.changeable, *bound.edited), name=name, made=made),
        public=replace(  # of the original it may tell nothing but the rounded errors of learned targets
            found.public,
            name=name,
            counted=counted(released, bound),
            learned=errors(kept.learned),
            attacked="thorough" if scene.thorough else "quick",
        ),
    )


def _scene(
    released: Engine,
    source: Engine,
    bound: Bound,
    control: Table | None,
    population: Table | None,
    targets: Sequence[str],
    opening: Opening = DEFAULT,
) -> Scene:
    """Return a release with those beside whom it is attacked; refuse what does not go together."""
    others = _others(control, "control", bound, opening)
    everybody = _others(population, "population", bound, opening)
    if everybody is None and len(bound.policy.populations) == 1:
        everybody, _ = people_of(bound.policy.populations[0], bound.policy)
    for name in targets:
        if name not in released.columns or name not in source.columns:
            raise InputError(f"target {name!r} is not a column of the release and of the original")
    return Scene(released, source, bound.policy, control=others, population=everybody, targets=tuple(targets))


def _others(table: Table | None, name: str, bound: Bound, opening: Opening) -> Engine | None:
    """Return a table of other people; refuse one that lacks columns which the policy knows or protects."""
    if table is None:
        return None
    found = open_table(table, bound.policy, opening=replace(opening, key=None, in_any_order=True))
    if not found.rows:
        raise InputError(f"the {name} has no rows")
    lacking = [column for column in bound.counted if column not in found.columns]
    lacking = [column for column in lacking if name == "control" or column in known_to_groups(bound.policy)]
    if lacking:
        raise InputError(f"the {name} has no column {lacking[0]!r}")
    return found


def _not_drawn(source: Engine, policy: Policy, places: Ints | None) -> Engine | None:
    """Return the people who were not drawn, where a sample is released: they are as good a control as any."""
    if policy.release is None or places is None or len(places) == source.rows:
        return None
    return source.only(np.setdiff1d(np.arange(source.rows), places))


def _places(matches: Matches | None, released: Engine, source: Engine, bound: Bound) -> Ints | None:
    """Return the row of the original that each released row is; None where they could not be matched."""
    if matches is not None:
        return matches.first
    if released.rows != source.rows:
        return None
    same = [name for name in bound.released if name not in {*bound.changeable, *bound.edited, bound.policy.token}]
    for name in same:
        if name in released.columns:
            mine, theirs = released.codes_beside(source, name)
            told = _told(released, name, bound.policy.marker)
            if told.any() and (mine == theirs)[told].mean() < _IN_ORDER:
                return None
    return np.arange(source.rows)


def _told(released: Engine, name: str, marker: str) -> npt.NDArray[np.bool_]:
    """Say which cells of a column speak for or against the order of the rows: a hidden one does neither."""
    try:
        encoded = released.encoded(name)
    except InputError:  # it has no text form, and so no marker
        return np.ones(released.rows, dtype=np.bool_)
    told: npt.NDArray[np.bool_] = np.array([text != marker for text in encoded.domain], dtype=np.bool_)[encoded.codes]
    return told


def _hide_only(released: Engine, source: Engine, bound: Bound, places: Ints | None) -> Engine | None:
    """Return the original as it would be released if the confidential cells alone were hidden."""
    if places is None or not any(bound.policy.cells()):
        return None
    recoded = [name for name in (*bound.changeable, *bound.binned) if name in released.columns]
    alone = source.only(places)
    return alone.taking(released, recoded) if recoded else alone
