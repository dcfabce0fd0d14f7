"""The way of the data: read, encode, plan, apply, verify. Nothing comes out unless verify said yes."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.audit.about import Sampled, not_covered
from discreet.audit.audit import Audit
from discreet.audit.public import Facts, terms
from discreet.chance import chance_from
from discreet.columns.medians import median_ranges
from discreet.common.progress import Progress, silent
from discreet.errors import BrokenPromise, InputError, PolicyError, TooManySuppressed, rows_listed
from discreet.fit.cells import cell_problems, cell_warnings, hides, looked_at, wanted
from discreet.fit.persons import repeat_warnings
from discreet.fit.telling import refuse_own_values
from discreet.fit.values import missing_warnings, share_warnings, tight_warnings, value_problems
from discreet.measure.cells import cell_measures
from discreet.measure.changes import changes
from discreet.measure.usefulness import usefulness
from discreet.plan.plan import Plan
from discreet.plan.removal import Removal
from discreet.planning.detail import detail_of
from discreet.planning.find import find_plan
from discreet.planning.fitting_columns import binned_columns, changeable_columns, ends_warnings
from discreet.planning.row_sample import drawn_rows
from discreet.planning.suppression import Suppressed, rows_to_suppress
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
    begin = time.monotonic()

    def carry_on(standing: Standing) -> bool:
        passed = time.monotonic() - begin
        answer = say(Progress("plan", standing.done, standing.left, standing.kept, passed, standing.bound))
        return answer is not False and (time_limit is None or passed < time_limit)

    threading.Thread(target=_load_kernels, daemon=True).start()
    job = prepare(table, policy, say, seed, Opening(engine, memory_limit, key))
    say(Progress("plan"))
    plan = replace(find_plan(job.task, carry_on, seed=seed), kinds=job.kinds, sampled=job.sampled)

    def cells_left(done: int, left: int) -> bool:
        passed = time.monotonic() - begin
        answer = say(Progress("cells", done, left, seconds=passed))
        return answer is not False and (time_limit is None or passed < time_limit)

    def seconds_left() -> float:
        return math.inf if time_limit is None else time_limit - (time.monotonic() - begin)

    cells = CellSearch(cells_left, seconds_left)
    try:
        return _release(plan, job.source, job.bound, say, task=job.task, seed=seed, cells=cells)
    except TooManySuppressed as too_many:  # the lot needed more rows than were reckoned with
        try:
            plan = find_plan(job.task, carry_on, most_suppressed=0, seed=seed)
        except TooManySuppressed:  # there is no cut that removes none
            raise too_many from None
        plan = replace(plan, kinds=job.kinds, sampled=job.sampled)
        return _release(plan, job.source, job.bound, say, task=job.task, seed=seed, cells=cells)


def _load_kernels() -> None:
    """Load what planning needs while the table is read; planning itself says what is wrong, if anything is."""
    with contextlib.suppress(Exception):
        from discreet.method.base.kernels import warm_up

        warm_up()


@dataclass(frozen=True)
class Job:
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
) -> Job:
    """Read and count the table; raise `PolicyError` with all in which it and the policy do not fit.

    Where k must hold among the rows of a sample, only these are counted, and nothing is known of the others.
    """
    say(Progress("read"))
    source = open_table(table, policy, opening=opening)
    policy = as_written(policy, source)
    bound = bind(policy, source.columns)
    refuse_own_values(policy)
    _require_rows(source, table)
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
        return Job(source, Task(bound, columns, counted, binned), kinds)
    if not policy.k_on_population:
        counted = seen.only(places).count(bound.counted)
        columns, unfit = changeable_columns(bound, counted)
        if unfit:  # the whole table fits
            raise PolicyError([replace(p, message=f"in the rows that were drawn {p.message}") for p in unfit])
    return Job(source, Task(bound, columns, counted, binned), kinds, tuple(source.numbers()[places].tolist()))


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
    _require_rows(source, table)
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


@dataclass(frozen=True)
class CellSearch:
    """What the search for cells is told of time: it hears how many are done and left, and may go on or not."""

    carry_on: Callable[[int, int], bool]
    seconds_left: Callable[[], float]


def _gap_warnings(removal: Sequence[Removal]) -> Iterator[str]:
    """Yield where an exact search ended before it was proven best."""
    for each in removal:
        if each.gap:
            some = "1 cell" if each.gap == 1 else f"{each.gap} cells"
            yield (
                f"protect[{each.requirement}]: method: exact was ended by the time limit: at most {some} more than "
                "needed may be hidden"
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

    Confidential cells are protected on the table as it is recoded, for `protect` only (`cells`): edits are not
    for other rows. A `judge` is the policy that the release must keep, where it is not the plan's own; `vouched` as
    for `check`.
    """
    judge = judge or bound
    say(Progress("apply"))
    if cells is not None:
        plan = replace(plan, edits=hides(bound.policy, _sample_of(source, plan)))
    released = source.apply(plan)
    warnings = judge.warnings
    gone: list[Suppressed] = []
    removal: tuple[Removal, ...] = ()
    if bound.policy.method != "disclosure":
        plan, suppressed = _suppressing(plan, source, released, bound, seed)
        gone.append(suppressed)
        if suppressed.drawn:  # nobody reckoned exactly with the lot
            plan = replace(plan, bound=None)
        released = source.apply(plan)
        _refuse_many(released, source.rows if plan.sampled is None else len(plan.sampled), bound.policy)
    if cells is not None and any(wanted(bound.policy)):
        say(Progress("cells"))
        plan, released, removal, more = _with_cells(plan, source, released, bound, seed, cells)
        gone += more
        warnings = (*warnings, *_gap_warnings(removal))
    drawn = sum(suppressed.drawn for suppressed in gone)
    if seed is not None:
        warnings = (*warnings, *_seed_warnings(plan, drawn))
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
        _refuse_many(released, source.rows if plan.sampled is None else len(plan.sampled), bound.policy)
    told = _sample_of(source, plan)
    if task is not None:
        plan = replace(plan, detail=detail_of(task, plan, told, [suppressed.masks for suppressed in gone]))
    if source.row_wise:  # those included that no promise needs suppressed: unseen, or in groups that tell nothing
        gone_numbers = (released if whole is None else whole).suppressed_numbers()
        plan = replace(plan, suppressed=tuple(gone_numbers.tolist()))
    hidden, coarser = changes(released, source, bound)
    measured = cell_measures(released, told, bound)
    audit = Audit(
        verification=verification,
        before=check(told, bound.policy, None, vouched=True, whole=source).requirements,
        rows=released.rows,
        sample=None if bound.policy.release is None else Sampled(bound.policy.release, source.rows),
        dropped=source.dropped,
        suppressed=released.suppressed,
        removed=released.removed,
        drawn=drawn,
        unseen=released.unseen,
        hidden_cells=hidden,
        coarser_cells=coarser,
        detail=None if task is None else plan.detail,
        bound=plan.bound,
        usefulness=usefulness(released, told, bound),
        cells=None if measured is None else replace(measured, removal=removal),
        warnings=warnings,
        not_covered=not_covered(bound.policy, bound.released),
        public=Facts(None, bound.released, released.rows, terms(bound, made=True)),
    )
    source.refuse_changed()
    return Release(plan, audit, released, source)


ROUNDS = 20
"""How often groups that lost rows are masked, and cells protected anew, before it is given up."""


def _with_cells(
    plan: Plan, source: Engine, released: Engine, bound: Bound, seed: int | None, cells: CellSearch
) -> tuple[Plan, Engine, tuple[Removal, ...], list[Suppressed]]:
    """Return the plan with the edits for confidential cells and its release; what they hide, and rows suppressed.

    A row that is left out for its cells may break a promise about its group: such groups are masked whole, and the
    cells protected anew on what is then released. Each round hides more, so it ends; verification has the last word.
    """
    from discreet.planning.cells import plan_cells  # compiled: only loaded when needed

    gone: list[Suppressed] = []
    while True:
        found = plan_cells(released, source, plan, seed, cells.carry_on, cells.seconds_left)
        edited = replace(plan, edits=found.edits, removed=found.removed, cells=found.cells, decoys=found.decoys)
        left = source.apply(edited)
        _require_rows(left, "the release")
        # Later a row may not be left out any more whose group was masked without it.
        if not (found.removed or gone) or not bound.counted or len(gone) == ROUNDS:
            return edited, left, found.removal, gone
        again, more = _suppressing(edited, source, left, bound, seed)
        fresh = set(again.suppressed) - set(plan.suppressed)
        if not fresh:
            return edited, left, found.removal, gone
        gone.append(more)
        plan = replace(plan, suppressed=tuple(sorted({*plan.suppressed, *fresh})), bound=None)
        released = source.apply(plan)
        _refuse_many(released, source.rows if plan.sampled is None else len(plan.sampled), bound.policy)


def _suppressing(
    plan: Plan, source: Engine, released: Engine, bound: Bound, seed: int | None
) -> tuple[Plan, Suppressed]:
    """Return the plan with the rows that must be suppressed, by their numbers where they have any; and these."""
    told = None
    if bound.policy.k_on_population and plan.sampled is not None:
        released = source.apply(replace(plan, sampled=None))
        told = np.isin(released.numbers(), np.array(plan.sampled, dtype=np.int64))
    found = rows_to_suppress(released, bound, chance_from(seed), told)
    if not source.row_wise:
        return replace(plan, masks=found.masks), found
    numbers: list[int] = []
    for masks, which in ((found.masks, told), (found.untold, None if told is None else ~told)):
        if masks is not None:
            among = released if which is None else released.only(np.flatnonzero(which))
            numbers += source.numbers_of(masks, among).tolist()
    return replace(plan, suppressed=tuple(sorted(numbers))), found


def _sample_of(source: Engine, plan: Plan) -> Engine:
    """Return the rows that were drawn, or all where there is no sample."""
    if plan.sampled is None:
        return source
    return source.only(np.searchsorted(source.numbers(), np.array(plan.sampled, dtype=np.int64)))


def _seed_warnings(plan: Plan, drawn: int) -> Iterator[str]:
    """Yield what a given seed makes repeatable; that one was given is said in any case."""
    if plan.sampled is None and not drawn and not plan.cells:
        yield "a seed was given, though nothing was drawn by chance; releases are made without one"
    if plan.sampled is not None:
        yield "whoever knows the seed can tell which rows were drawn for the sample"
    if drawn:
        rows = "1 row was" if drawn == 1 else f"{drawn} rows were"
        yield f"{rows} suppressed by a lot that whoever knows the seed can repeat"
    if plan.cells:
        yield "whoever knows the seed can tell which guesses were drawn for the confidential cells"


def _refuse_many(released: Engine, rows: int, policy: Policy) -> None:
    """Refuse a release with more suppressed rows than the policy allows, or with none left."""
    gone = released.suppressed + released.removed
    if gone > math.floor(policy.suppress.limit * rows) or not released.rows:
        raise TooManySuppressed(gone, rows, policy.suppress.limit)


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


def _require_rows(source: Engine, table: object) -> None:
    """Refuse a table without rows: there is nothing to release."""
    if source.rows == 0:
        name = str(table) if isinstance(table, (str, Path)) else "the table"
        raise InputError(f"{name}: has no rows" + (" without a missing value" if source.dropped else ""))
