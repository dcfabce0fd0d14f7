"""How much can be told at which threshold: the same table planned for many, to help the owner choose.

Every point is what `protect` would plan at that threshold. The table is read and counted once, and a stricter
threshold starts where it parts ways with the one before it. Nothing is released here, so nothing is verified.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.assist.beside_ledger import foreseen, opened_beside
from discreet.assist.frontier_points import Binding, Frontier, Point
from discreet.common.watch import Watch
from discreet.errors import ImpossiblePromise, InputError, TooManySuppressed
from discreet.ledger.note import LedgerUse, ledger_asked
from discreet.planning.carrying_out import recoded_profiles
from discreet.planning.cutting import CutPlanner
from discreet.planning.disclosing import Planner
from discreet.planning.prepared import PreparedJob, prepare
from discreet.planning.task import Task
from discreet.planning.uses import PLANNED
from discreet.policy import Policy, as_policy
from discreet.policy.persons import worded
from discreet.policy.redundant import without_redundant
from discreet.policy.requirements import REQUIREMENTS
from discreet.policy.requirements.any_of import restricted
from discreet.policy.requirements.base import GroupPromise, Unit
from discreet.table.source import DEFAULT, Opening, Table
from discreet.verification.persons import counting_of, with_persons
from discreet.verification.row_matches import Matches
from discreet.verification.worst_groups import worst_of

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Search
    from discreet.method.disclosure.sweep import Limits
    from discreet.planning.local import LocalPlanner
    from discreet.table.engine import Engine

MOST_POINTS = 20
NO_MORE = 1e-9
"""A share of detail that is less than this is no gain but what floats lose."""
SIZES = (2, 3, 5, 10, 15, 20, 25, 50, 75, 100, 150, 200, 250, 500, 1000, 2500, 5000, 10_000, 50_000, 100_000)


def frontier(
    table: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    thresholds: Sequence[str | float | Fraction | int] | None = None,
    *,
    promise: int | None = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    ledger: str | Path | None = None,
    person: str | None = None,
    secret: str | Path | None = None,
    new_persons: bool = False,
    row_key: str | None = None,
) -> Frontier:
    """Return how much can be told at each of several thresholds.

    Parameters
    ----------
    table, policy
        As for `protect`.
    thresholds
        Shares such as `"50%"` (for templates and t), times such as `"2x"`, or numbers k, l or c; chosen between what is
        possible and what the table is now when absent.
    promise
        The number of the promise (as `discreet check` shows it) whose threshold changes; all templates when
        absent, or all k if there are no templates, or all l if there is neither, or all t.
    engine, memory_limit, key, ledger, person, secret, new_persons, row_key
        As for `protect`. With a ledger each point is planned beside its releases, with who would stay.

    Raises
    ------
    InputError, PolicyError
        When the table, the policy or a threshold cannot be used.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> table = pl.DataFrame({"Job": ["cook", "cook", "clerk"], "Ill": ["no", "yes", "no"]})
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> [(str(point.threshold), point.detail) for point in d.frontier(table, policy, ["50%", "40%"]).points]
    [('1/2', 1.0), ('2/5', 0.0)]
    """
    policy, opening = as_policy(policy), Opening(engine, memory_limit, key)
    use = ledger_asked(policy, ledger, person, secret, new_persons=new_persons, row_key=row_key)
    *_, last = frontier_as_it_comes(table, policy, thresholds, promise=promise, opening=opening, use=use)
    return last


def frontier_as_it_comes(
    table: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    thresholds: Sequence[str | float | Fraction | int] | None = None,
    *,
    promise: int | None = None,
    opening: Opening = DEFAULT,
    use: LedgerUse | None = None,
) -> Iterator[Frontier]:
    """Yield the frontier with its first point, its first two, and so on; the last is the whole, with what binds."""
    policy = as_policy(policy)
    if policy.decide is not None:
        raise InputError("decide: thresholds are compared by searches that look at secrets; take 'decide: blind' out")
    places = _swept(policy, promise)
    unit = _unit(policy, places[0])
    beside, job = opened_beside(table, policy, opening, use) if use else (None, prepare(table, policy, opening=opening))
    own = [made.at_most for made in job.bound.promises if made.index in places]
    kind = dict(policy.groups())[places[0]].kind_made
    limits = _limits(thresholds, unit, kind) if thresholds is not None else _between(job, places, own, kind)
    swept = tuple(worded(policy, made, str(made)) for made in job.bound.promises if made.index in places)
    found = Frontier((), unit is not None, max(own), swept, policy.target, unit, kind.kind, tuple(limits))
    points: Iterator[Point]
    if use is not None and beside is not None and beside.people.past:
        if policy.unit is not None or policy.release is not None:
            what = "samples" if policy.unit is None else "persons with several rows"
            raise InputError(
                f"frontier does not plan {what} beside earlier releases; compare thresholds without --ledger, or "
                "protect with each of them"
            )
        policies = {limit: _with_limit(job.task, places, limit).bound.policy for limit in limits}
        points = foreseen(beside, policies, places, new_persons=use.new_persons)
    else:
        use, points = None, _points_alone(job, places, limits)
    for point in points:
        found = replace(found, points=(*found.points, point))
        yield found
    if use is None and (binding := tuple(_binding(job, places, found))):
        yield replace(found, binding=binding)


def _points_alone(job: PreparedJob, places: Sequence[int], limits: Sequence[Fraction]) -> Iterator[Point]:
    """Return the points of a release by itself."""
    if job.profiles:
        return _profile_points(job, places, limits)
    if job.bound.policy.is_local or job.bound.policy.method != "disclosure":
        return _searched_points(job, places, limits)
    return _points(job.task, places, limits)


def _binding(job: PreparedJob, places: Sequence[int], found: Frontier) -> Iterator[Binding]:
    """Yield the promises that bind where thresholds change nothing: without one of them more is told at the laxest."""
    policy = job.bound.policy
    others = [
        (index, "; ".join(worded(policy, made, str(made)) for made in job.bound.promises if made.index == index))
        for index, requirement in policy.groups()
        if index not in places and requirement.kind_made.holds_at_one
    ]
    for first, last in found.idle:
        for index, wording in others:
            without = replace(job, task=_with_limit(job.task, [index], Fraction(1)))
            point = next(_points_alone(without, places, [first.threshold]))
            if point.detail is not None and first.detail is not None and point.detail > first.detail + NO_MORE:
                yield Binding(first.threshold, last.threshold, wording, point.detail)


def _swept(policy: Policy, promise: int | None) -> list[int]:
    """Return the positions in `protect` of the requirements whose threshold changes."""
    if promise is not None:
        promises = list(policy.promises())
        if not 1 <= promise <= len(promises):
            raise InputError(f"there is no promise {promise}; the policy has 1 to {len(promises)}")
        return [promises[promise - 1].index]
    for tag in REQUIREMENTS.names():
        made = {index: each.kind_made for index, each in policy.groups() if each.tag == tag}
        if made:
            first = next(iter(made.values())).threshold
            return [index for index, kind in made.items() if kind.threshold == first]
    raise InputError("the policy has no threshold to change")


def _unit(policy: Policy, index: int) -> Unit | None:
    """Return what a requirement asks for enough of, if it does."""
    return dict(policy.groups())[index].kind_made.unit


def _limits(
    thresholds: Sequence[str | float | Fraction | int], unit: Unit | None, kind: type[GroupPromise]
) -> list[Fraction]:
    try:
        limits = [kind.read_limit(t) if unit is None else _size(t) for t in thresholds]
    except (ValueError, ZeroDivisionError) as error:
        shares = kind.threshold in ("share", "t")
        what = f"shares such as 50% ({error})" if shares else str(error).removeprefix("write ")
        what = what if unit is None else f"whole numbers {unit.letter} of at least 1"
        raise InputError(f"thresholds: write {what}") from None
    if not limits:
        raise InputError("thresholds: name at least one")
    return sorted(set(limits), reverse=True)


def _size(k: str | float | Fraction | int) -> Fraction:
    if int(str(k)) < 1:
        raise ValueError
    return Fraction(1, int(str(k)))


def _between(
    job: PreparedJob, places: Sequence[int], own: Sequence[Fraction], kind: type[GroupPromise]
) -> list[Fraction]:
    """Return thresholds between the least that is possible and what the table is as it stands."""
    policy, bound = job.bound.policy, job.bound
    now, least = Fraction(0), Fraction(0)
    for index in places:
        made = list(policy.promises_of(index, bound.seen))
        fixed = restricted(made[0].given, () if policy.removes else bound.fixed)
        counting = counting_of(policy)
        for known in (made[0].given, fixed):
            worst = worst_of(job.source, policy, known, made, counting)
            shares = [group.share for group in worst if group is not None]
            now, least = (max(now, *shares), least) if known is made[0].given else (now, max(least, *shares))
    if _unit(policy, places[0]) is not None:
        sizes = [Fraction(1, k) for k in SIZES if least <= Fraction(1, k)][-MOST_POINTS:]
        return sorted({*own, *sizes}, reverse=True)
    if kind.thresholds is not None:
        some = [limit for limit in kind.thresholds if least <= limit]
        enough = next((place for place, limit in enumerate(some) if limit >= now), len(some) - 1)
        return sorted({*own, *some[: enough + 1][:MOST_POINTS]}, reverse=True)
    for step in (Fraction(1, 20), Fraction(1, 100)):
        first, last = math.ceil(least / step), math.ceil(now / step)
        grid = [step * place for place in range(first, last + 1) if step * place <= 1]
        if len(grid) >= MOST_POINTS // 4:
            break
    while len(grid) > MOST_POINTS:
        grid = grid[::2]
    return sorted({*own, *grid}, reverse=True)


def _points(task: Task, places: Sequence[int], limits: Sequence[Fraction]) -> Iterator[Point]:
    """Yield the point of each limit, from loose to strict; limits with the same redundant promises share work."""
    from discreet.method.disclosure.search import Unsatisfiable
    from discreet.method.disclosure.sweep import sweep

    tasks = [(limit, _with_limit(task, places, limit)) for limit in limits]
    for _, alike in groupby(tasks, key=lambda pair: _searched(pair[1])):
        run = list(alike)
        planner = Planner(run[0][1])
        begun = planner.search

        def start(limits: Limits, begun: Search = begun) -> Search:
            return begun.copy(limits)

        every = [_table_limits(planner, other) for _, other in run]
        for (limit, _), answer in zip(run, sweep(start, every), strict=True):
            if isinstance(answer, Unsatisfiable):
                own = [share for number, share in answer.least if planner.promises[number].index in places]
                yield Point(limit, possible=False, least=max(own, default=None))
            else:
                yield _point(limit, answer, planner, places)


def _searched_points(job: PreparedJob, places: Sequence[int], limits: Sequence[Fraction]) -> Iterator[Point]:
    """Yield the point of each limit where cuts or groups are searched for: each search is its own, counts are shared.

    What is found for a laxer limit and keeps a stricter one is the best for that, too: it is not searched for again.
    """
    last: Point | None = None
    for limit in limits:
        if last is not None and last.largest is not None and last.largest <= limit <= last.threshold:
            last = replace(last, threshold=limit)
            yield last
            continue
        try:
            largest, detail = _planned(replace(job, task=_with_limit(job.task, places, limit)), places)
        except ImpossiblePromise as impossible:
            own = [share for made, share in impossible.least if made.index in places]
            yield Point(limit, possible=False, least=max(own, default=None))
            continue
        except TooManySuppressed:
            yield Point(limit, possible=False)
            continue
        last = Point(limit, True, largest, detail)
        yield last


def _planned(job: PreparedJob, places: Sequence[int]) -> tuple[Fraction, float]:
    """Return the largest share of what is swept in the release that a search finds, and the detail that it shows."""
    planner: LocalPlanner | CutPlanner
    task = job.task
    if task.bound.policy.is_local:
        from discreet.planning.local import LocalPlanner

        planner = LocalPlanner(task)
        if task.bound.policy.removes and job.people is None:  # which rows leave besides is seen on the rows alone
            made = job.carried_out(planner.run(Watch()), Watch(), None)
            return _largest(task, places, made.released), made.detail or 0.0
        found = planner.search(Watch())
        shares, detail = planner.largest_shares(found), planner.detail(found)
    else:
        planner = CutPlanner(task)
        best, _ = planner.search(Watch(), prove=False)  # a proof for each would take too long
        shares, detail = planner.evaluator.largest_shares(best.cut, best.outcome.left_out), planner.detail(best.outcome)
    largest = [shares[number] for number, made in enumerate(planner.promises) if made.index in places]
    return max(largest, default=Fraction(0)), detail


def _profile_points(job: PreparedJob, places: Sequence[int], limits: Sequence[Fraction]) -> Iterator[Point]:
    """Yield the point of each limit where persons are compared by all their rows: each is a search of its own."""
    for limit in limits:
        task = _with_limit(job.task, places, limit)
        try:
            made = recoded_profiles(task, job.source, Watch(), None)
        except ImpossiblePromise as impossible:
            own = [share for promise, share in impossible.least if promise.index in places]
            yield Point(limit, possible=False, least=max(own, default=None))
            continue
        except TooManySuppressed:
            yield Point(limit, possible=False)
            continue
        policy, matches = task.bound.policy, None if made.places is None else Matches(made.places, made.places)
        people = with_persons(made.released, policy, made.source, matches)
        assert not isinstance(people, str)
        yield Point(limit, True, _largest(task, places, people), made.detail)


def _largest(task: Task, places: Sequence[int], released: Engine) -> Fraction:
    """Return the largest share of what is swept in a release."""
    policy, shares = task.bound.policy, [Fraction(0)]
    for index in places:
        promises = list(policy.promises_of(index, task.bound.seen))
        worst = worst_of(released, policy, promises[0].given, promises, counting_of(policy)) if promises else []
        shares += [group.share for group in worst if group is not None]
    return max(shares)


def _table_limits(planner: Planner, task: Task) -> Limits:
    """Return the limits of a task for each table of a planner's problem."""
    promises, _ = without_redundant(task.bound.each_promise)
    return [[promises[number].at_most for number in table.promises] for table in planner.search.problem.tables]


def _point(limit: Fraction, search: Search, planner: Planner, places: Sequence[int]) -> Point:
    swept = [number for number, made in enumerate(planner.promises) if made.index in places]
    policy = planner.task.bound.policy
    target = None
    if (kept := PLANNED.of(policy.uses[0]).kept) is not None:
        told = [state for state in search.states if state.column.useful]
        target = kept([(state.column.counted, state.released()) for state in told])
    largest = max((search.share(number) for number in swept), default=Fraction(0))
    return Point(limit, True, largest, search.kept(), target, len(search.steps))


def _searched(task: Task) -> tuple[tuple[object, ...], ...]:
    """Return which promises a search has to look at."""
    promises, _ = without_redundant(task.bound.each_promise)
    # What decides by itself is scored for one limit only.
    return tuple((made.index, made.about, made.given, made.at_most if made.decides else None) for made in promises)


def _with_limit(task: Task, places: Sequence[int], limit: Fraction) -> Task:
    """Return the task with another threshold for some requirements."""
    policy = task.bound.policy
    protect = list(policy.protect)
    for index, requirement in policy.groups():
        made = next(requirement.promises(index), None)  # of persons, several may be of one item of the owner's
        if (index if made is None else made.index) in places:
            protect[index] = requirement.with_limit(limit)
    return replace(task, bound=replace(task.bound, policy=policy.model_copy(update={"protect": tuple(protect)})))
