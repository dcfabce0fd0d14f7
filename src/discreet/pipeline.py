"""The way of the data: read, encode, plan, apply, verify. Nothing comes out unless verify said yes."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.audit.describing import MakingFigures, describe
from discreet.columns.medians import median_ranges
from discreet.common.progress import Progress, silent
from discreet.errors import BrokenPromise, InputError, PolicyError, TooManySuppressed, rows_listed
from discreet.fit.cells import cell_problems, cell_warnings, hides, looked_at, wanted
from discreet.fit.persons import repeat_warnings
from discreet.fit.telling import refuse_own_values
from discreet.fit.values import missing_warnings, share_warnings, tight_warnings, value_problems
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import CellSearch, carry_out, refuse_many, require_rows, sample_of
from discreet.planning.detail import detail_of
from discreet.planning.find import find_plan
from discreet.planning.fitting_columns import binned_columns, changeable_columns, ends_warnings
from discreet.planning.row_sample import drawn_rows
from discreet.planning.task import Task
from discreet.policy import Policy, as_policy
from discreet.policy.bind import Bound, bind
from discreet.release import Release
from discreet.table.decimals import as_written
from discreet.table.engine import Engine
from discreet.table.source import DEFAULT, Opening, Table, open_table
from discreet.verification.promises import check

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Standing


def protect(
    table: Table,
    policy: Policy | str | Path,
    *,
    seed: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
) -> Release:
    """Return a release of `table` that keeps every promise of `policy` and hides little more than it must, verified.

    Parameters
    ----------
    table
        A pandas, Polars or PyArrow table, a relation of DuckDB, a DataFrame of Spark, or the path of a CSV or Parquet
        file; of Parquet files also a folder or a pattern, and of a DuckDB database `FILE#TABLE`.
    policy
        The policy, or the path of its file.
    seed
        For tests only: which rows are drawn for a sample or suppressed by lot is then the same every time (the
        audit says so). Chance comes from the operating system when absent. The genetic search draws other
        cuts with another seed.
    time_limit
        Seconds after which planning ends with the (safe) result so far.
    progress
        Called now and then with a `Progress`. When it returns False during planning, planning ends with the
        (safe) result so far.
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
    policy = as_policy(policy)
    say = progress or silent
    watch = _PlanningWatch(say, time_limit)
    threading.Thread(target=_load_kernels, daemon=True).start()
    job = prepare(table, policy, say, seed, Opening(engine, memory_limit, key))
    say(Progress("plan"))
    plan = replace(find_plan(job.task, watch.planned, seed=seed), kinds=job.kinds, sampled=job.sampled)
    cells = CellSearch(watch.protected, watch.seconds_left)
    try:
        return _release(plan, job.source, job.bound, say, task=job.task, seed=seed, cells=cells)
    except TooManySuppressed as too_many:  # the lot needed more rows than were reckoned with
        try:
            plan = find_plan(job.task, watch.planned, most_suppressed=0, seed=seed)
        except TooManySuppressed:  # there is no cut that removes none
            raise too_many from None
        plan = replace(plan, kinds=job.kinds, sampled=job.sampled)
        return _release(plan, job.source, job.bound, say, task=job.task, seed=seed, cells=cells)


class _PlanningWatch:
    """Says how far planning is, and hears whether it may go on: nobody objects, and there is time left."""

    def __init__(self, say: Callable[[Progress], bool | None], time_limit: float | None) -> None:
        self._say = say
        self._time_limit = math.inf if time_limit is None else time_limit
        self._begin = time.monotonic()

    def planned(self, standing: Standing) -> bool:
        """Whether a search that stands so may go on."""
        passed = self._passed()
        return self._heard(Progress("plan", standing.done, standing.left, standing.kept, passed, standing.bound))

    def protected(self, done: int, left: int) -> bool:
        """Whether a search that has protected so many cells may go on."""
        return self._heard(Progress("cells", done, left, seconds=self._passed()))

    def seconds_left(self) -> float:
        """Return how much time is left."""
        return self._time_limit - self._passed()

    def _passed(self) -> float:
        return time.monotonic() - self._begin

    def _heard(self, progress: Progress) -> bool:
        return self._say(progress) is not False and progress.seconds < self._time_limit


def _load_kernels() -> None:
    """Load what planning needs while the table is read; planning itself says what is wrong, if anything is."""
    with contextlib.suppress(Exception):
        from discreet.method.base.kernels import warm_up

        warm_up()


@dataclass(frozen=True)
class PreparedJob:
    """A table and a policy that fit: read, bound and counted."""

    source: Engine
    task: Task
    kinds: dict[str, str]
    sampled: tuple[int, ...] | None = None
    """The numbers of the rows that were drawn, where a sample is released."""

    @property
    def bound(self) -> Bound:
        """The policy on the columns of the table."""
        return self.task.bound


def prepare(
    table: Table,
    policy: Policy,
    say: Callable[[Progress], bool | None] = silent,
    seed: int | None = None,
    opening: Opening = DEFAULT,
) -> PreparedJob:
    """Read and count the table; raise `PolicyError` with all in which it and the policy do not fit.

    Where k must hold among the rows of a sample, only these are counted, and nothing is known of the others.
    """
    say(Progress("read"))
    source = open_table(table, policy, opening=opening)
    policy = as_written(policy, source)
    bound = bind(policy, source.columns)
    refuse_own_values(policy)
    require_rows(source, table)
    if rows := looked_at(policy, source.columns):
        source.refuse_rows(len(rows))
    say(Progress("count"))
    counted = source.count(bound.counted)
    kinds = {column: source.kind(column) for column in bound.counted}
    columns, unfit = changeable_columns(bound, counted)
    cut, misfits = binned_columns(bound, source)
    if problems := [*value_problems(bound, counted, kinds), *unfit, *misfits, *cell_problems(policy, source)]:
        raise PolicyError(problems)
    edits = hides(policy, source)
    seen = source.edited(edits) if edits and bound.counted else source
    counted = counted if seen is source else seen.count(bound.counted)
    warnings = [
        *missing_warnings(bound, counted, source.dropped),
        *ends_warnings([*columns, *cut]),
        *share_warnings(policy),
    ]
    warnings += [*tight_warnings(policy), *cell_warnings(policy, source), *repeat_warnings(policy, source)]
    bound = replace(bound, warnings=(*bound.warnings, *warnings))
    places = drawn_rows(source, policy, seed)
    binned = tuple(column.binned() for column in cut)
    if places is None:
        return PreparedJob(source, Task(bound, columns, counted, binned), kinds)
    if not policy.k_on_population:
        counted = seen.only(places).count(bound.counted)
        columns, unfit = changeable_columns(bound, counted)
        if unfit:  # the whole table fits
            raise PolicyError([replace(p, message=f"in the rows that were drawn {p.message}") for p in unfit])
    return PreparedJob(source, Task(bound, columns, counted, binned), kinds, tuple(source.numbers()[places].tolist()))


def apply(
    plan: Plan,
    table: Table,
    progress: Callable[[Progress], bool | None] | None = None,
    opening: Opening = DEFAULT,
    policy: Policy | str | Path | None = None,
) -> Release:
    """Carry a plan out on new rows of the same kind and verify the result; see `Plan.apply`.

    With the owner's `policy`, nothing that the plan says of itself is believed: the table is read, and the result
    verified, as that policy has it.
    """
    say = progress or silent
    say(Progress("read"))
    owners = plan.policy if policy is None else as_policy(policy)
    source = open_table(table, owners, opening=opening)
    if source.columns != plan.columns:
        raise InputError("the table does not have the columns, in the same order, that the plan was made for")
    plan, owners = replace(plan, policy=as_written(plan.policy, source)), as_written(owners, source)
    bound, judge = bind(plan.policy, source.columns), bind(owners, source.columns)
    require_rows(source, table)
    for column, kind in plan.kinds.items():
        if source.kind(column) != kind:
            raise InputError(f"column {column!r} holds {source.kind(column)}, but {kind} when the plan was made")
    places = drawn_rows(source, plan.policy)
    sampled = None if places is None else tuple(source.numbers()[places].tolist())
    warnings = [*([ITS_OWN_POLICY] if policy is None else []), *repeat_warnings(owners, source)]
    judge = replace(judge, warnings=(*judge.warnings, *warnings))
    # Who sees only the texts of a file has the owner's word for how values are written; of other kinds the plan's.
    vouched = policy is None or all(source.kind(column) == "text" for column in owners.sensitive)
    return _release(replace(plan.for_new_rows(), sampled=sampled), source, bound, say, judge=judge, vouched=vouched)


ITS_OWN_POLICY = (
    "verified against the policy that the plan carries, and nothing else: whoever can change the plan can change its "
    "promises; give the owner's policy with --policy (in Python policy=...)"
)


def _release(
    plan: Plan,
    source: Engine,
    bound: Bound,
    say: Callable[[Progress], bool | None],
    *,
    task: Task | None = None,
    seed: int | None = None,
    cells: CellSearch | None = None,
    judge: Bound | None = None,
    vouched: bool = True,
) -> Release:
    """Carry the plan out; release nothing that verification does not confirm.

    `cells` as for `carry_out`, for `protect` only. A `judge` is the policy that the release must keep, where it is not
    the plan's own; `vouched` as for `check`.
    """
    judge = judge or bound
    made = carry_out(plan, source, bound, say, seed=seed, cells=cells)
    plan, released = made.plan, made.released
    warnings = (*judge.warnings, *made.warnings(seed))
    say(Progress("verify"))
    whole = source.apply(replace(plan, sampled=None)) if judge.policy.k_on_population else None
    hide_only = source.apply(replace(plan, edits=(), removed=())) if any(wanted(judge.policy)) else None
    hint = _hint(released, plan, judge.policy)
    plan, bound = replace(plan, policy=judge.policy), judge
    verification = check(
        released,
        bound.policy,
        source,
        vouched=vouched,
        medians=median_ranges(plan),
        whole=whole,
        places=np.searchsorted(source.numbers(), released.numbers()) if any(wanted(bound.policy)) else None,
        hide_only=hide_only,
    )
    if not verification.holds:
        raise BrokenPromise(verification, hint)
    if bound.policy.method != "disclosure":
        refuse_many(released, source, plan, bound.policy)
    told = sample_of(source, plan)
    if task is not None:
        plan = replace(plan, detail=detail_of(task, plan, told, [suppressed.masks for suppressed in made.suppressed]))
    if source.row_wise:  # those included that no promise needs suppressed: unseen, or in groups that tell nothing
        gone_numbers = (released if whole is None else whole).suppressed_numbers()
        plan = replace(plan, suppressed=tuple(gone_numbers.tolist()))
    making = MakingFigures(made.drawn, made.removal, None if task is None else plan.detail, plan.bound)
    audit = describe(verification, released, told, source, bound, warnings, making=making)
    source.refuse_changed()
    return Release(plan, audit, released, source)


def _hint(released: Engine, plan: Plan, policy: Policy) -> str:
    """Return why a promise may be broken: another policy, values that the plan has not seen, the luck of the draw."""
    if plan.policy.with_file_of(policy) != policy:
        return "the policy that the plan was made for is another one; make a new plan with `protect`"
    if not plan.cells and any(wanted(plan.policy)):
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
