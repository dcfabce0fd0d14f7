"""A plan carried out: rows sampled, suppressed or removed, cells edited; and what there is to say of the result."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.chance import any_order, chance_from
from discreet.columns.medians import Ranges, median_ranges
from discreet.common.watch import Watch
from discreet.encoded import Ints
from discreet.errors import InputError, TooManySuppressed, rows_listed
from discreet.fit.cells import hides
from discreet.fit.fitting import require_rows, seen_column
from discreet.plan.blind_statement import BlindStatement
from discreet.plan.decided import Decided
from discreet.plan.plan import Plan
from discreet.plan.rehearsed import RehearsedColumn
from discreet.plan.removal import Removal
from discreet.planning.detail import detail_of
from discreet.planning.drawing import drawn_rows, rows_drawn
from discreet.planning.making_warnings import gap_warnings, seed_warnings
from discreet.planning.persons import People, people_of
from discreet.planning.profiles import JudgedProfiles, Profiles, needs_profiles, refuse_local
from discreet.planning.suppressed_persons import PersonCount, drawn_persons, unlike_persons, whose_rows
from discreet.planning.suppression import Suppressed, rows_to_suppress
from discreet.planning.task import Task
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine

if TYPE_CHECKING:
    from discreet.planning.blind_beside import EarlierTold

ORDERING = 3
"""The stream of a seed by which the order of the rows is drawn."""
ROUNDS = 20
"""How often groups that lost rows are masked, and cells protected anew, before it is given up."""


def carry_out(plan: Plan, task: Task, source: Engine, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release that a plan makes of the table that it was found for.

    Of the rows of the sample the confidential cells are hidden and the columns recoded. Rows that do not fit then are
    suppressed or, where the policy says so, removed. On what is left cells are edited, and rows removed whose cells
    cannot be protected.
    """
    watch.begins("apply")
    if task.bound.policy.is_blind:
        return carried_out_blindly(plan, task, source, watch, seed)
    bound, told = task.bound, rows_drawn(source, plan.sampled)
    plan = replace(plan, edits=hides(bound.policy, told))
    made = CarriedOut(plan, source, source.apply(plan), bound, seed)
    if bound.policy.method != "disclosure":
        made = _suppressed(made, bound)
    if any(bound.policy.cells()):
        watch.begins("cells")
        made = _edited(made, bound, watch)
    return replace(made, detail=detail_of(task, made.plan, told, [each.masks for each in made.suppressed]))


def carried_out_blindly(
    plan: Plan, task: Task, source: Engine, watch: Watch, seed: int | None, earlier: EarlierTold | None = None
) -> CarriedOut:
    """Return the release that a plan, found on the rows without confidential cells, makes of all rows.

    Which of the others are suppressed is decided among them alone. Then it is decided, from what `earlier` releases of
    a ledger told, what is told of each row with confidential cells, which no promise about groups may suppress.
    """
    from discreet.planning.blind import BlindPlanning, rest_of  # compiled: only loaded when needed
    from discreet.planning.blind_unseen import told_alone
    from discreet.planning.rehearsal import rehearsed, settled

    bound, rest = task.bound, rest_of(task.bound.policy, source)
    made = CarriedOut(plan, rest, rest.apply(plan), bound, seed)
    if bound.policy.method != "disclosure":
        made = _suppressed(made, bound)
    if made.plan.masks is not None and made.released.suppressed:
        raise InputError(
            "beside promises about groups that suppress rows, confidential cells are protected blindly by the local "
            "engine only: use --engine local"
        )
    watch.begins("cells")
    made = replace(made, source=source, released=source.apply(made.plan))
    alone = told_alone(made.plan, source, made.released)
    planning = settled(BlindPlanning(made.released.edited(alone), source, made.plan.policy, earlier=earlier))
    found = planning.plan()
    wanted = all(each.rehearse is not False for _, each in bound.policy.cells()) and watch.seconds_left() > 0
    tried = tuple(rehearsed(planning, quick=True).values()) if wanted else ()
    hidden = {(edit.row, edit.column) for edit in found.edits}
    edits = (*(edit for edit in alone if (edit.row, edit.column) not in hidden), *found.edits)
    edited = made.having(edits=edits, removed=found.removed, cells=found.cells, rehearsed=tried)
    require_rows(edited.released, "the release")
    masks = [each.masks for each in made.suppressed]
    return replace(edited, statement=found.statement, stars=found.stars, detail=detail_of(task, made.plan, rest, masks))


def carry_out_again(
    plan: Plan, bound: Bound, judge: Bound, source: Engine, watch: Watch, seed: int | None = None
) -> CarriedOut:
    """Return the release that a plan, `bound` to a table of other rows, makes of these; what it must keep says `judge`.

    As `carry_out`, but a sample is drawn anew, and no cell is edited: edits are not for other rows.
    """
    if judge.policy.unit is not None:
        return _persons_again(plan, bound, judge, source, watch)
    places = drawn_rows(source, plan.policy)
    sampled = None if places is None else tuple(source.numbers()[places].tolist())
    watch.begins("apply")
    plan = replace(plan.for_new_rows(), sampled=sampled)
    made = CarriedOut(plan, source, source.apply(plan), judge, seed)
    return made if plan.policy.method == "disclosure" else _suppressed(made, bound)


def carry_out_on_persons(plan: Plan, task: Task, people: People, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release that a plan for persons makes of all their rows."""
    return with_cells(_in_rows(carry_out(plan, task, people.table, watch, seed), people, people.rows), watch)


def carry_out_profiles(task: Task, source: Engine, watch: Watch, seed: int | None) -> CarriedOut:
    """Find a plan for persons whose rows differ, and return the release that it makes."""
    return with_cells(recoded_profiles(task, source, watch, seed), watch)


def recoded_profiles(task: Task, source: Engine, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the same before anything is done for confidential cells but to hide them."""
    bound = task.bound
    sampled = drawn_persons(source, bound.policy, seed)
    told = rows_drawn(source, sampled)
    edits = hides(bound.policy, told)
    profiles = Profiles(told.edited(edits) if edits else told, bound)
    found = profiles.find(watch, seed)
    watch.begins("apply")
    plan = replace(found.plan, recodings=(*found.plan.recodings, *task.binned))
    made = of_profiles(plan, found.judged, profiles, source, bound, sampled)
    return replace(made, seed=seed, detail=found.detail)


def with_cells(made: CarriedOut, watch: Watch) -> CarriedOut:
    """Return what became of the rows of persons with the edits for confidential cells, which are about rows."""
    bound = made.judge
    if not any(bound.policy.cells()):
        return made
    if bound.policy.unit is not None and not made.source.row_wise:
        raise InputError(
            "confidential cells beside a unit are protected by the local engine only, on a table that fits into the "
            "memory: use --engine local"
        )
    watch.begins("cells")
    return _edited(made.having(edits=hides(bound.policy, made.told)), bound, watch)


def _persons_again(plan: Plan, bound: Bound, judge: Bound, source: Engine, watch: Watch) -> CarriedOut:
    """Return the release that a plan makes of the rows of other persons."""
    bound = replace(bound, seen=partial(seen_column, bound.policy, source.count(bound.counted)))
    watch.begins("apply")
    if needs_profiles(source, bound):
        refuse_local(bound, source)
        sampled = drawn_persons(source, bound.policy, None)
        profiles = Profiles(rows_drawn(source, sampled), bound)
        judged = profiles.judged(plan, chance_from(None))
        made = of_profiles(plan.for_new_rows(), judged, profiles, source, judge, sampled)
        made.refuse_many(bound.policy)
        return made
    people = people_of(source, bound)
    cut = [recoding for recoding in plan.recodings if recoding.column in people.table.columns]
    people = replace(people, binned=tuple(recoding for recoding in plan.recodings if recoding not in cut))
    plan = replace(plan, policy=people.bound.policy, columns=people.table.columns, recodings=tuple(cut))
    return _in_rows(carry_out_again(plan, people.bound, people.bound, people.table, watch), people, judge)


def _in_rows(made: CarriedOut, people: People, judge: Bound) -> CarriedOut:
    """Return what became of persons as what becomes of all their rows."""
    plan = people.in_rows(made.plan, made.plan.suppressed)
    total = made.source.rows if made.plan.sampled is None else len(made.plan.sampled)
    count = PersonCount(made.released.suppressed + made.released.removed, total)
    released = people.source.apply(plan)
    return replace(made, plan=plan, source=people.source, released=released, judge=judge, persons=count)


def of_profiles(
    plan: Plan,
    judged: JudgedProfiles,
    profiles: Profiles,
    source: Engine,
    judge: Bound,
    sampled: tuple[int, ...] | None,
) -> CarriedOut:
    """Return a plan for rows carried out without the persons that do not fit."""
    plan = replace(profiles.people().in_rows(plan, judged.gone), sampled=sampled, columns=source.columns)
    kinds = {name: source.kind(name) for name in profiles.bound.counted}
    plan = replace(plan, policy=judge.policy, kinds=kinds)
    gone = (Suppressed(None, judged.drawn),)
    count = PersonCount(len(judged.gone), profiles.persons)
    return CarriedOut(plan, source, source.apply(plan), judge, suppressed=gone, persons=count)


@dataclass(frozen=True)
class CarriedOut:
    """What became of a plan: the release, not verified yet, and what was suppressed and hidden on the way."""

    plan: Plan
    """With the rows and cells that it hides."""
    source: Engine
    released: Engine
    judge: Bound
    """The policy that the release must keep: the plan's own, or the owner's."""
    seed: int | None = None
    suppressed: tuple[Suppressed, ...] = ()
    """Each time that rows were suppressed."""
    removal: tuple[Removal, ...] = ()
    """What is hidden against association rules."""
    detail: float | None = None
    """The share of detail that is released; None where a plan is used again."""
    persons: PersonCount | None = None
    """How many persons are suppressed, where persons have several rows."""
    statement: BlindStatement | None = None
    """The method statement, where confidential cells are protected blindly."""
    stars: tuple[tuple[int, str, str], ...] = ()
    """What stars tell, for a ledger: see `BlindPlan`."""

    @property
    def drawn(self) -> int:
        """How many rows were suppressed by lot."""
        return sum(suppressed.drawn for suppressed in self.suppressed)

    @property
    def rehearsed(self) -> tuple[RehearsedColumn, ...]:
        """What learners that know the method get right, where cells are protected blindly."""
        return self.plan.rehearsed

    @property
    def bound(self) -> float | None:
        """Of what the cut costs the use the share that no cut goes below."""
        return self.plan.bound

    @property
    def decided(self) -> Decided | None:
        """What the secrets decided, where decisions are blind."""
        return self.plan.decided

    @cached_property
    def told(self) -> Engine:
        """The rows of the source that the release tells of."""
        return rows_drawn(self.source, self.plan.sampled)

    @cached_property
    def whole(self) -> Engine | None:
        """What would be released of all rows, where k counts among them and not in the sample."""
        if not self.judge.policy.k_on_population:
            return None
        return self.source.apply(replace(self.plan, sampled=None))

    @property
    def medians(self) -> dict[str, Ranges]:
        """The intervals that are published beside the release, as the owner's policy has them."""
        return median_ranges(replace(self.plan, policy=self.judge.policy))

    @property
    def hide_only(self) -> Engine | None:
        """What the recodings alone release, where single cells are confidential."""
        if not any(self.judge.policy.cells()):
            return None
        return self.source.apply(replace(self.plan, edits=(), removed=()))

    @property
    def places(self) -> Ints | None:
        """The row of the source that each released row is, where cells are confidential or persons have several."""
        if not any(self.judge.policy.cells()) and (self.judge.policy.unit is None or not self.source.row_wise):
            return None
        return np.searchsorted(self.source.numbers(), self.released.numbers())

    @property
    def kept_plan(self) -> Plan:
        """The plan as its owner keeps it: with the policy that it was verified by, and the rows that it suppresses.

        Those included that no promise needs suppressed: unseen, or in groups that tell nothing.
        """
        plan = replace(self.plan, policy=self.judge.policy)
        if self.detail is not None:
            plan = replace(plan, detail=self.detail)
        if self.source.row_wise:
            gone = (self.released if self.whole is None else self.whole).suppressed_numbers()
            plan = replace(plan, suppressed=tuple(gone.tolist()))
        return plan

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner should know of the policy, and of how the release was made."""
        of_seed = () if self.seed is None else seed_warnings(self.plan, self.drawn)
        of_rehearsal = [text for each in self.rehearsed for text in each.warnings]
        return (*self.judge.warnings, *gap_warnings(self.removal), *of_seed, *of_rehearsal)

    def drawn_order(self) -> Ints | None:
        """Draw the order in which the rows leave, by their places; None where it is that of the original."""
        if not self.judge.policy.shuffle:
            return None
        return any_order(self.released.rows, chance_from(self.seed, ORDERING))

    @property
    def hint(self) -> str:
        """Why a promise may be broken: another policy, values that the plan has not seen, the luck of the draw."""
        plan, released, policy = self.plan, self.released, self.judge.policy
        if plan.decided is None and plan.policy.with_file_of(policy) != policy:
            return "the policy that the plan was made for is another one; make a new plan with `protect`"
        if not plan.cells and any(plan.policy.cells()):
            return "confidential cells are not edited when a plan is used again; make a new plan with `protect`"
        if plan.removed:
            return (
                f"{rows_listed(plan.removed)} left out for confidential cells, and a group without "
                "them no longer keeps its promise; ask for less, or protect the cells by another method"
            )
        if not released.unseen:
            return "the rows that were drawn cannot keep it; draw again, or ask for less" if plan.sampled else ""
        became = "removed" if released.removed else "suppressed"
        rows = f"1 row was {became}" if released.unseen == 1 else f"{released.unseen} rows were {became}"
        return f"values that the plan has not seen: {rows}; make a new plan with `protect`"

    def having(self, **parts: Any) -> CarriedOut:
        """Return the same with other parts of the plan, carried out."""
        plan = replace(self.plan, **parts)
        return replace(self, plan=plan, released=self.source.apply(plan))

    def refuse_many(self, policy: Policy) -> None:
        """Refuse a release with more suppressed rows (or persons) than a policy allows, or with none left."""
        if self.persons is not None and self.released.rows:
            self.persons.refuse_many(policy)
            return
        rows = self.source.rows if self.plan.sampled is None else len(self.plan.sampled)
        gone = self.released.suppressed + self.released.removed
        if gone > math.floor(policy.suppress.limit * rows) or not self.released.rows:
            raise TooManySuppressed(gone, rows, policy.suppress.limit)


def _suppressed(made: CarriedOut, bound: Bound) -> CarriedOut:
    """Return a recoded table without the rows that do not fit."""
    plan, gone = _suppressing(made, bound)
    if gone.drawn:  # nobody reckoned exactly with the lot
        plan = replace(plan, bound=None)
    same = plan.suppressed == made.plan.suppressed and plan.masks == made.plan.masks
    made = replace(made, plan=plan, released=made.released if same else made.source.apply(plan), suppressed=(gone,))
    made.refuse_many(bound.policy)
    return made


def _edited(made: CarriedOut, bound: Bound, watch: Watch) -> CarriedOut:
    """Return a recoded table with the edits for confidential cells.

    A row that is left out for its cells may break a promise about its group: such groups are masked whole, and the
    cells protected anew on what is then released. Each round hides more, so it ends; verification has the last word.
    """
    from discreet.planning.cells import plan_cells  # compiled: only loaded when needed

    before = len(made.suppressed)
    while True:
        found = plan_cells(made.released, made.source, made.plan, made.seed, watch)
        edited = made.having(edits=found.edits, removed=found.removed, cells=found.cells, decoys=found.decoys)
        edited = replace(edited, removal=found.removal)
        require_rows(edited.released, "the release")
        rounds = len(made.suppressed) - before
        # Later a row may not be left out any more whose group was masked without it.
        moved = any(promise.moves for promise in bound.promises)
        if not (found.removed or rounds or moved) or not bound.counted or rounds == ROUNDS:
            return edited
        again, more = _suppressing(edited, bound)
        fresh = set(again.suppressed) - set(made.plan.suppressed)
        if not fresh:
            return edited
        made = made.having(suppressed=tuple(sorted({*made.plan.suppressed, *fresh})), bound=None)
        made = replace(made, suppressed=(*made.suppressed, more))
        if made.persons is not None:  # what they had to tell is not counted anew
            gone = len(whose_rows(made.source, bound.policy, made.plan.suppressed))
            made = replace(made, persons=replace(made.persons, gone=gone), detail=None)
        made.refuse_many(bound.policy)


def _suppressing(made: CarriedOut, bound: Bound) -> tuple[Plan, Suppressed]:
    """Return the plan with the rows that must be suppressed, by their numbers where they have any; and these."""
    plan, source, released, told = made.plan, made.source, made.released, None
    if made.persons is not None:
        unlike, drawn = unlike_persons(source, released, plan, bound, chance_from(made.seed))
        return replace(plan, suppressed=unlike), Suppressed(None, drawn)
    if bound.policy.k_on_population and plan.sampled is not None:
        released = source.apply(replace(plan, sampled=None))
        told = np.isin(released.numbers(), np.array(plan.sampled, dtype=np.int64))
    found = rows_to_suppress(released, bound, chance_from(made.seed), told, plan)
    if not source.row_wise:
        return replace(plan, masks=found.masks), found
    numbers: list[int] = []
    for masks, which in ((found.masks, told), (found.untold, None if told is None else ~told)):
        if masks is not None:
            among = released if which is None else released.only(np.flatnonzero(which))
            numbers += source.numbers_of(masks, among).tolist()
    return replace(plan, suppressed=tuple(sorted(numbers))), found
