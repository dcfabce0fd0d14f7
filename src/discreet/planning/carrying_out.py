"""A plan carried out: rows drawn and recoded, those that do not fit suppressed, confidential cells edited."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.chance import chance_from
from discreet.common.progress import Progress
from discreet.errors import InputError, TooManySuppressed
from discreet.fit.cells import hides, wanted
from discreet.plan.plan import Plan
from discreet.plan.removal import Removal
from discreet.planning.suppression import Suppressed, rows_to_suppress
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine

ROUNDS = 20
"""How often groups that lost rows are masked, and cells protected anew, before it is given up."""


@dataclass(frozen=True)
class CellSearch:
    """What the search for cells is told of time: it hears how many are done and left, and may go on or not."""

    carry_on: Callable[[int, int], bool]
    seconds_left: Callable[[], float]


@dataclass(frozen=True)
class CarriedOut:
    """What became of a plan: the release, not verified yet, and what was suppressed and hidden on the way."""

    plan: Plan
    """With the rows and cells that it hides."""
    released: Engine
    suppressed: tuple[Suppressed, ...] = ()
    """Each time that rows were suppressed."""
    removal: tuple[Removal, ...] = ()
    """What is hidden against association rules."""

    @property
    def drawn(self) -> int:
        """How many rows were suppressed by lot."""
        return sum(suppressed.drawn for suppressed in self.suppressed)

    def warnings(self, seed: int | None) -> Iterator[str]:
        """Yield what the owner should know of how it was made."""
        yield from _gap_warnings(self.removal)
        if seed is not None:
            yield from _seed_warnings(self.plan, self.drawn)


def carry_out(
    plan: Plan,
    source: Engine,
    bound: Bound,
    say: Callable[[Progress], bool | None],
    *,
    seed: int | None = None,
    cells: CellSearch | None = None,
) -> CarriedOut:
    """Return the release that a plan makes, and the plan with all that this added to it.

    Confidential cells are protected on the table as it is recoded, and only with a search for them (`cells`): edits
    are not for other rows.
    """
    say(Progress("apply"))
    if cells is not None:
        plan = replace(plan, edits=hides(bound.policy, sample_of(source, plan)))
    released = source.apply(plan)
    gone: list[Suppressed] = []
    if bound.policy.method != "disclosure":
        plan, suppressed = _suppressing(plan, source, released, bound, seed)
        gone.append(suppressed)
        if suppressed.drawn:  # nobody reckoned exactly with the lot
            plan = replace(plan, bound=None)
        released = source.apply(plan)
        refuse_many(released, source, plan, bound.policy)
    if cells is None or not any(wanted(bound.policy)):
        return CarriedOut(plan, released, tuple(gone))
    say(Progress("cells"))
    plan, released, removal, more = _with_cells(plan, source, released, bound, seed, cells)
    return CarriedOut(plan, released, (*gone, *more), removal)


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
        require_rows(left, "the release")
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
        refuse_many(released, source, plan, bound.policy)


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


def sample_of(source: Engine, plan: Plan) -> Engine:
    """Return the rows that were drawn, or all where there is no sample."""
    if plan.sampled is None:
        return source
    return source.only(np.searchsorted(source.numbers(), np.array(plan.sampled, dtype=np.int64)))


def refuse_many(released: Engine, source: Engine, plan: Plan, policy: Policy) -> None:
    """Refuse a release with more suppressed rows than the policy allows, or with none left."""
    rows = source.rows if plan.sampled is None else len(plan.sampled)
    gone = released.suppressed + released.removed
    if gone > math.floor(policy.suppress.limit * rows) or not released.rows:
        raise TooManySuppressed(gone, rows, policy.suppress.limit)


def require_rows(source: Engine, table: object) -> None:
    """Refuse a table without rows: there is nothing to release."""
    if source.rows == 0:
        name = str(table) if isinstance(table, (str, Path)) else "the table"
        raise InputError(f"{name}: has no rows" + (" without a missing value" if source.dropped else ""))


def _gap_warnings(removal: Sequence[Removal]) -> Iterator[str]:
    """Yield where an exact search ended before it was proven best."""
    for each in removal:
        if each.gap:
            some = "1 cell" if each.gap == 1 else f"{each.gap} cells"
            yield (
                f"protect[{each.requirement}]: method: exact was ended by the time limit: at most {some} more than "
                "needed may be hidden"
            )


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
