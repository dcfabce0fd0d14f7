"""The one next step for the owner of a release, with its gain: reckoned by planning the same table another way.

Each gain is what would come out, not a guess. Where there is no time to reckon one, it is left out: advice may take a
fifth of what the job took. It tells about the table, so it is private; nothing of it is written anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from discreet.common.compiled_files import is_on_disk
from discreet.common.watch import Watch
from discreet.errors import DiscreetError
from discreet.pipeline import prepare_rows
from discreet.planning.carrying_out import sample_of
from discreet.planning.detail import details_of
from discreet.planning.find import find_plan
from discreet.policy import Column, Policy
from discreet.policy.part import Frozen
from discreet.policy.persons import beyond_persons
from discreet.policy.search_limits import beyond_local, beyond_search
from discreet.release import Release
from discreet.table.engine import alike
from discreet.table.local import LocalEngine

if TYPE_CHECKING:
    from discreet.assist.drafting.looks import ColumnLook

SHARE = 5
"""Advice takes at most one part in so many of the time of the job."""
WORTH = 0.02
"""The least gain, as a share of the detail, that is worth a word."""
NOTHING = 0.0005
"""What a promise costs at most that costs nothing."""
HIDDEN = Fraction(9, 10)
"""The share of its cells from which on a column is as good as hidden."""
MOST_COLUMNS = 2
"""Hidden columns that are tried with groups."""
FEW_ROWS = 300
"""Combinations up to which local recoding is quick although its loops are not compiled yet."""
_BY = {"code": "by prefix", "icd10": "by ICD-10", "month": "by calendar"}


class TimeForAdvice:
    """How long advice may take: until `seconds` have gone by on a clock; without them, as long as it needs."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def has(self, seconds: float) -> bool:
        """Whether so much is left."""
        return self._end is None or self._clock() + seconds <= self._end

    def watch(self) -> Watch:
        """Return a watch that ends a search when the time is over."""
        return Watch(lambda _: self.has(0))


@dataclass(frozen=True)
class TrialStep:
    """What another policy would make of the table."""

    detail: float
    columns: dict[str, float]
    """The share of the detail of each column; empty where groups have labels of their own."""
    gone: int
    """Rows suppressed or removed."""


def next_step(
    release: Release, table: str = "TABLE", *, given: TimeForAdvice | None = None, price: float = 0.0
) -> str | None:
    """Return in words what would tell more of the table, and how much more; None where nothing is found in time.

    Parameters
    ----------
    table
        What the table is called in commands.
    given
        How long it may take.
    price
        What planning the job itself took, in seconds of the same clock: no search is begun for which that is not left.
    """
    given = given or TimeForAdvice()
    policy, now = release.plan.policy, release.audit.detail
    if now is None or not _can_be_tried(release) or not given.has(price):
        return None
    steps = chain(
        _with_groups(release, policy, table, given, price),
        _by_local_recoding(release, policy, given),
        _by_promises(release, policy, given, price),
    )
    return next(steps, None)


def _can_be_tried(release: Release) -> bool:
    """Whether other plans can be made of the same rows at once: these are in memory, all told, and one a person."""
    policy = release.plan.policy
    held = isinstance(release.source, LocalEngine) and release.plan.complete
    return held and not (any(policy.cells()) or policy.release or policy.unit or policy.populations)


def _trial(release: Release, policy: Policy, given: TimeForAdvice) -> TrialStep | None:
    """Return what another policy makes of the table; None where it makes nothing, or not in time."""
    watch = given.watch()
    try:
        if beyond_search(policy) or beyond_persons(policy) or (policy.is_local and beyond_local(policy)):
            return None
        job = prepare_rows(release.source, policy, "the table", watch)
        plan = find_plan(job.task, watch)
        if not plan.complete or not given.has(0):
            return None
        made = job.carried_out(plan, watch, None)
    except DiscreetError:
        return None
    told = sample_of(release.source, made.plan)
    masks = [each.masks for each in made.suppressed]
    columns = {} if plan.groupings else details_of(job.task, made.plan, told, masks)
    return TrialStep(made.detail or 0.0, columns, made.released.suppressed + made.released.removed)


def _with_groups(release: Release, policy: Policy, table: str, given: TimeForAdvice, price: float) -> Iterator[str]:
    """Yield what groups or intervals would tell of a column that is hidden as it is."""
    audit = release.audit
    hidden = {
        name: cells
        for name, cells in audit.hidden_cells.items()
        if cells >= HIDDEN * max(audit.rows, 1) and not policy.column(name).coarsens
    }
    if not hidden:
        return
    from discreet.assist.drafting.looks import look_at

    decimal = policy.file.decimal or "."
    source = alike(LocalEngine, release.source)
    looks = [look_at(source.texts(name).alias(name), decimal) for name in hidden]
    looks = [look for look in looks if look.has_tree or look.type is not None]
    for look in sorted(looks, key=lambda look: -look.distinct)[:MOST_COLUMNS]:
        said, how, write = _groups_for(source, look, table)
        if said is None or not given.has(price):
            continue
        columns = Frozen({**policy.columns, look.name: said.written_with(decimal)})
        trial = _trial(release, policy.model_copy(update={"columns": columns}), given)
        if trial is not None and trial.columns.get(look.name, 0) >= WORTH and trial.detail > (audit.detail or 0):
            wholly = "wholly hidden" if hidden[look.name] == audit.rows else "nearly all hidden"
            told = f"{trial.columns[look.name]:.0%} of it can be told"
            yield f"{look.name} is {wholly}: {how} {told} ({_all(trial, release)}): {write}"


def _groups_for(source: LocalEngine, look: ColumnLook, table: str) -> tuple[Column | None, str, str]:
    """Return what may be said of a column, in words, and what to write."""
    from discreet.assist.drafting.columns import said_of_tree
    from discreet.assist.drafting.writing import taxonomy_command
    from discreet.policy.spelling import yaml_name

    name = yaml_name(look.name)
    if look.type is not None:
        form = "" if look.date_format is None else f', date_format: "{look.date_format}"'
        said = Column(type=look.type, date_format=look.date_format) if look.date_format else Column(type=look.type)
        return said, "released as intervals", f"write columns: {name}: {{type: {look.type}{form}}}"
    found = said_of_tree(look, source.texts(look.name), None, ())
    if found is None or found.tree is None:
        return None, "", ""
    file = f"{look.name}.csv"
    make = taxonomy_command(table, look.name, file)
    return (
        Column(taxonomy=found.tree),
        f"with a taxonomy {_BY[look.kind]}",
        f"{make}, then columns: {name}: {{taxonomy: {yaml_name(file)}}}",
    )


def _all(trial: TrialStep, release: Release) -> str:
    return f"of all columns together {trial.detail:.0%} instead of {release.audit.detail:.0%}"


def _by_local_recoding(release: Release, policy: Policy, given: TimeForAdvice) -> Iterator[str]:
    """Yield what local recoding would tell."""
    if policy.is_local or policy.method != "coordinate" or not given.has(0) or not _local_is_quick(release):
        return
    local = policy.model_copy(update={"recoding": "local"})
    trial = None if beyond_local(local) else _trial(release, local, given)
    now = release.audit.detail or 0.0
    if trial is not None and trial.detail - now >= WORTH:
        before = release.audit.suppressed + release.audit.removed
        rows = f", and {trial.gone} rows are suppressed instead of {before}" if trial.gone < before else ""
        yield f"local recoding keeps {trial.detail:.0%} of the detail instead of {now:.0%}{rows}: write recoding: local"


def _local_is_quick(release: Release) -> bool:
    """Whether the loops of local recoding need not be compiled first, which takes longer than most jobs."""
    from discreet.method.local import group_kernels

    kernel = group_kernels.collect
    return release.source.rows <= FEW_ROWS or is_on_disk(kernel.py_func, kernel.py_func.__qualname__)


def _by_promises(release: Release, policy: Policy, given: TimeForAdvice, price: float) -> Iterator[str]:
    """Yield what each promise costs, where there are several: which one binds, and which cost nothing."""
    groups = list(policy.groups())
    now = release.audit.detail or 0.0
    if len(groups) < 2 or now >= 1 - NOTHING:
        return
    costs: list[tuple[float, str]] = []
    for index, _ in groups:
        if not given.has(price):
            return
        rest = tuple(made for place, made in enumerate(policy.protect) if place != index)
        trial = _trial(release, policy.model_copy(update={"protect": rest}), given)
        if trial is None:
            return
        costs.append((trial.detail - now, _called(policy, index)))
    most, binding = max(costs)
    free = [name for cost, name in costs if cost <= NOTHING]
    if most < WORTH:
        return
    costless = f"; {' and '.join(free)} {'costs' if len(free) == 1 else 'cost'} nothing" if free else ""
    told = f"{now + most:.0%} of the detail would be told instead of {now:.0%}"
    yield f"{binding} binds: without it {told}{costless} (discreet frontier shows what other thresholds tell)"


def _called(policy: Policy, index: int) -> str:
    """Return what an item of `protect` is called: the numbers of its promises, as printed, and its kind."""
    some = [(number, made) for number, made in enumerate(policy.promises(), start=1) if made.index == index]
    numbers = " and ".join(f"promise {number}" for number, _ in some)
    return f"{numbers} ({some[0][1].called.removeprefix('a ')})"
