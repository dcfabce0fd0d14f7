"""The way of the data: open, bind, fit, count, find, carry out, verify, describe.

Nothing comes out unless verification said yes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.audit.describing import describe
from discreet.common.compiled import load_ahead
from discreet.common.showing import Heard, listening
from discreet.common.watch import Progress, Watch
from discreet.errors import BrokenPromise, InputError, PromiseError, TooManySuppressed, Unsettled
from discreet.fit.fitting import (
    bind_to,
    fitted,
    fitted_persons,
    refuse_at_sight,
    refuse_unread,
    refuse_without_order,
    require_rows,
)
from discreet.fit.persons import repeat_warnings
from discreet.fit.populations import refuse_strangers, with_people
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import (
    CarriedOut,
    carry_out,
    carry_out_again,
    carry_out_on_persons,
    carry_out_profiles,
)
from discreet.planning.find import find_plan
from discreet.planning.fitting_columns import columns_of
from discreet.planning.persons import People, people_of, speaking_of_persons
from discreet.planning.profiles import needs_profiles, refuse_local
from discreet.planning.task import Task, task_of
from discreet.policy import Policy, as_policy
from discreet.policy.bind import Bound
from discreet.release import Release
from discreet.table.engine import Engine
from discreet.table.source import DEFAULT, Opening, Table, open_table
from discreet.verification.promises import check


def protect(
    table: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    *,
    seed: int | None = None,
    time_limit: float | None = None,
    progress: Heard = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
) -> Release:
    """Return a release of `table` that keeps every promise of `policy` and hides little more than it must, verified.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a relation of DuckDB, a DataFrame of Spark, the path of a file (CSV,
        Parquet, Excel, JSON lines, Arrow, SPSS, Stata, SAS), `FILE#SHEET` or `FILE#TABLE`, a folder or pattern of
        Parquet files, `postgresql://HOST/DATABASE#TABLE`, or `-` for standard input.
    policy
        The policy, a dictionary with what its file would say, or the path of its file.
    seed
        For tests only: which rows are drawn for a sample or suppressed by lot is then the same every time (the
        audit says so). Chance comes from the operating system when absent. The genetic search draws other
        cuts with another seed.
    time_limit
        Seconds after which planning ends with the (safe) result so far.
    progress
        When absent, a bar on a terminal or in a notebook, and nothing where the output is piped; False shows none. A
        function is called now and then with a `Progress`; when it returns False during planning, planning ends with
        the (safe) result so far.
    engine
        `"local"`, `"streaming"`, `"duckdb"` or `"spark"`; what suits the table when absent.
    memory_limit
        How much memory to take, as `"2GB"` or a number of bytes; 60% of the machine's when absent. The local engine
        streams a file that would need more.
    key
        On Spark, a column whose values are all there and each once. It gives the rows an order and numbers, from 1,
        which promises about single cells and attacks need.

    Raises
    ------
    InputError, PolicyError
        When the table or the policy cannot be used as they are.
    ImpossiblePromise
        When no release can keep the promises.
    BrokenPromise
        When verification does not confirm the result; nothing is released.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk"], "Ill": ["no", "no", "yes"]})
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> d.protect(table, policy).table["Job"].to_list()
    ['*', '*', '*']
    """
    with listening(progress) as hear:
        return _made(table, as_policy(policy), Watch(hear, time_limit), seed, Opening(engine, memory_limit, key))


def _made(table: Table, policy: Policy, watch: Watch, seed: int | None, opening: Opening) -> Release:
    """Return a verified release; see `protect`."""
    if _is_large(table):
        load_ahead()
    job = prepare(table, policy, watch, seed, opening)
    watch.begins("plan")
    if job.profiles:
        with speaking_of_persons():
            return _verified(carry_out_profiles(job.task, job.source, watch, seed), watch)
    with job.speaking():
        plan = find_plan(job.task, watch, seed=seed)
        try:
            return _verified(job.carried_out(plan, watch, seed), watch)
        except (TooManySuppressed, Unsettled) as too_many:  # the lot needed more rows than were reckoned with
            refused: PromiseError = too_many
            try:
                plan = find_plan(job.task, watch, most_suppressed=0, seed=seed)
            except TooManySuppressed:  # there is no cut that removes none
                raise refused from None
            return _verified(job.carried_out(plan, watch, seed), watch)


def apply(
    plan: Plan,
    table: Table,
    progress: Callable[[Progress], bool | None] | None = None,
    opening: Opening = DEFAULT,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    population: Table | None = None,
) -> Release:
    """Carry a plan out on new rows of the same kind and verify the result; see `Plan.apply`.

    With the owner's `policy`, nothing that the plan says of itself is believed: the table is read, and the result
    verified, as that policy has it. `population` takes the place of the one that is named in either of them.
    """
    watch = Watch(progress)
    watch.begins("read")
    owners = plan.policy if policy is None else as_policy(policy)
    if population is not None:
        owners = owners.with_population(population)
    if len(owners.populations) == 1:  # the owner knows where it is now
        plan = replace(plan, policy=plan.policy.with_population(*owners.populations))
    source = open_table(table, owners, opening=opening)
    if source.columns != plan.columns:
        raise InputError("the table does not have the columns, in the same order, that the plan was made for")
    bound, judge = with_people(bind_to(plan.policy, source)), bind_to(owners, source)
    require_rows(source, table)
    refuse_strangers(bound, source)
    refuse_without_order(owners, source)
    refuse_unread(judge.policy, source)
    for column, kind in plan.kinds.items():
        if source.kind(column) != kind:
            raise InputError(f"column {column!r} holds {source.kind(column)}, but {kind} when the plan was made")
    warnings = [*([ITS_OWN_POLICY] if policy is None else []), *repeat_warnings(judge.policy, source)]
    judge = replace(judge, warnings=(*judge.warnings, *warnings))
    # Who sees only the texts of a file has the owner's word for how values are written; of other kinds the plan's.
    vouched = policy is None or all(source.kind(column) == "text" for column in owners.sensitive)
    made = carry_out_again(replace(plan, policy=bound.policy), bound, judge, source, watch)
    return _verified(made, watch, vouched=vouched)


LARGE_FILE, LARGE_TABLE = 1_000_000, 10_000
"""Bytes of a file, and rows of a table."""
ITS_OWN_POLICY = (
    "verified against the policy that the plan carries, and nothing else: whoever can change the plan can change its "
    "promises; give the owner's policy with --policy (in Python policy=...)"
)


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

    @property
    def bound(self) -> Bound:
        """The policy on the columns of the table."""
        return self.task.bound if self.people is None else self.people.rows

    def carried_out(self, plan: Plan, watch: Watch, seed: int | None) -> CarriedOut:
        """Return the release that a plan makes of the table."""
        if self.people is None:
            return carry_out(plan, self.task, self.source, watch, seed)
        return carry_out_on_persons(plan, self.task, self.people, watch, seed)

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
    fits = fitted(bound, source, counted, columns.problems, columns.warnings(), seen)
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


def _is_large(table: Table) -> bool:
    """Whether a table is so large, at first sight, that its loops will be compiled."""
    if isinstance(table, str | Path):
        return Path(table).is_file() and Path(table).stat().st_size > LARGE_FILE
    shape = getattr(table, "shape", None)
    return isinstance(shape, tuple) and shape[0] > LARGE_TABLE


def _verified(made: CarriedOut, watch: Watch, *, vouched: bool = True) -> Release:
    """Return a release, described, that verification confirms, and nothing else; `vouched` as for `check`."""
    watch.begins("verify")
    policy = made.judge.policy
    verification = check(
        made.released,
        policy,
        made.source,
        vouched=vouched,
        medians=made.medians,
        whole=made.whole,
        places=made.places,
        hide_only=made.hide_only,
        statement=made.statement,
    )
    if not verification.holds:
        raise BrokenPromise(verification, made.hint)
    if policy.method != "disclosure":
        made.refuse_many(policy)
    plan = made.kept_plan
    order = made.drawn_order()
    if order is not None and (any(policy.cells()) or policy.unit is not None):
        # else nobody can tell any more whose cell, or whose row, is whose
        plan = replace(plan, order=tuple(made.released.numbers()[order].tolist()))
    elif policy.unit is not None and made.source.row_wise and made.released.rows < made.source.rows:
        plan = replace(plan, order=tuple(made.released.numbers().tolist()))
    audit = describe(verification, made.released, made.told, made.source, made.judge, made.warnings, making=made)
    made.source.refuse_changed()
    stated = made.statement if made.statement is None or order is None else made.statement.moved(order.tolist())
    return Release(plan, audit, made.released, made.source, order, stated)
