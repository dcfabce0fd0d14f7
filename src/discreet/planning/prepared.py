"""A table and a policy made ready to be planned: opened, bound, fitted and counted."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from discreet.common.watch import Watch
from discreet.fit.fitting import bind_to, fitted, fitted_persons, refuse_at_sight
from discreet.fit.populations import with_people
from discreet.plan.decided import Decided
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import CarriedOut, carry_out, carry_out_on_persons
from discreet.planning.fitting_columns import columns_of
from discreet.planning.persons import People, people_of
from discreet.planning.profiles import needs_profiles, refuse_local
from discreet.planning.task import Task, task_of
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine
from discreet.table.source import DEFAULT, Opening, Table, open_table


@dataclass(frozen=True)
class PreparedJob:
    """A table and a policy that fit: read, bound and counted."""

    source: Engine
    task: Task
    """What is to be planned: on rows, or on persons with one row each."""
    people: People | None = None
    """The persons, where they have several rows."""
    profiles: bool = False
    """Whether persons are compared by all their rows: nothing can be planned on one row of each."""
    judge: Bound | None = None
    """The policy that the release must keep, where it is another one than what is searched for."""
    decided: Decided | None = None
    """What is asked of a search that looks at no secret."""

    @property
    def bound(self) -> Bound:
        """The policy on the columns of the table."""
        return self.task.bound if self.people is None else self.people.rows

    def carried_out(self, plan: Plan, watch: Watch, seed: int | None) -> CarriedOut:
        """Return the release that a plan makes of the table."""
        if self.people is None:
            return self.judged(carry_out(plan, self.task, self.source, watch, seed))
        return self.judged(carry_out_on_persons(plan, self.task, self.people, watch, seed))

    def judged(self, made: CarriedOut) -> CarriedOut:
        """Return the same with the policy that it must keep, and what was decided by it."""
        if self.judge is None:
            return made
        return replace(made, judge=self.judge, plan=replace(made.plan, decided=self.decided))

    def speaking(self) -> AbstractContextManager[None]:
        """Let errors speak of what is searched on."""
        return nullcontext() if self.people is None else self.people.speaking()


def prepare(
    table: Table, policy: Policy, watch: Watch | None = None, seed: int | None = None, opening: Opening = DEFAULT
) -> PreparedJob:
    """Read and count the table; raise `PolicyError` with all in which it and the policy do not fit."""
    watch = watch or Watch()
    watch.begins("read")
    return prepare_rows(open_table(table, policy, opening=opening), policy, table, watch, seed)


def prepare_rows(
    source: Engine, policy: Policy, table: object, watch: Watch | None = None, seed: int | None = None
) -> PreparedJob:
    """Count a table that is open, without the rows that the policy wants dropped; `table` is what it came from."""
    watch = watch or Watch()
    bound = bind_to(policy, source)
    refuse_at_sight(bound.policy, source, table)
    bound = with_people(bound)
    watch.begins("count")
    seen = _seen(bound.policy, source)
    counted = seen.count(bound.counted)
    columns = columns_of(bound, seen, counted)
    fits = fitted(bound, source, counted, columns.problems, columns.warnings(bound.policy), seen)
    if policy.unit is None:
        return PreparedJob(source, task_of(fits, columns, source, seed))
    binned = tuple(column.binned() for column in columns.binned)
    if needs_profiles(fits.seen, fits.bound):
        refuse_local(fits.bound, fits.seen)
        task = Task(fits.bound, columns.changeable, fits.counted, binned, fits.kinds)
        return PreparedJob(source, task, profiles=True)
    people = people_of(source, fits.bound, fits.seen, binned)
    counted = people.table.count(people.bound.counted)
    columns = columns_of(people.bound, people.table, counted)
    fits = fitted_persons(people.bound, people.table, counted, columns.problems)
    return PreparedJob(source, task_of(fits, columns, people.table, seed), people)


def _seen(policy: Policy, source: Engine) -> Engine:
    """Return the rows that planning may look at: all, but for rows with cells that are protected blindly."""
    if not policy.is_blind:
        return source
    from discreet.planning.blind import rest_of  # compiled: only loaded when needed

    return rest_of(policy, source)
