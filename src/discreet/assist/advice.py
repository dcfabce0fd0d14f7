"""The one next step for the owner of a release, with its gain: reckoned by planning the same table another way.

Each gain is what would come out at least, not a guess: a search that is stopped early has found most of it. Where there
is no time for even that, it is left out: advice may take a fifth of what the job took. It tells about the table, so it
is private; nothing of it is written anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

from discreet.assist.trials import TimeForAdvice, Trials, TrialStep
from discreet.common.compiled_files import is_on_disk
from discreet.policy import Column, Policy
from discreet.policy.part import Frozen
from discreet.policy.search_limits import beyond_local
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
LOCAL_PART = 1 / 3
"""The part of the time that local recoding has: it looks at the clock less often than others."""
FEW_ROWS = 300
"""Combinations up to which local recoding is quick although its loops are not compiled yet."""
_BY = {"code": "by prefix", "icd10": "by ICD-10", "month": "by calendar"}


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
        What counting the table and carrying out a plan takes, in seconds of the same clock: nothing is tried for which
        that is not left.
    """
    if release.audit.detail is None:
        return None
    trials = Trials(release, given or TimeForAdvice(), price)
    if not trials.can_be:
        return None
    policy = release.plan.policy
    steps = chain(
        _with_groups(release, policy, table, trials),
        _by_local_recoding(release, policy, trials),
        _by_promises(policy, trials),
    )
    return next(steps, None)


def _with_groups(release: Release, policy: Policy, table: str, trials: Trials) -> Iterator[str]:
    """Yield what groups or intervals would tell of a column that is hidden as it is."""
    audit = release.audit
    hidden = {
        name: cells
        for name, cells in audit.hidden_cells.items()
        if cells >= HIDDEN * max(audit.rows, 1) and not policy.column(name).coarsens
    }
    if not hidden:
        return
    from discreet.assist.drafting.looks import look_at_codes

    decimal = policy.file.decimal or "."
    source = alike(LocalEngine, release.source)
    looks = [look_at_codes(name, source.encoded(name), decimal) for name in hidden]
    looks = [look for look in looks if look.has_tree or look.type is not None]
    for look in sorted(looks, key=lambda look: -look.distinct)[:MOST_COLUMNS]:
        said, how, write = _groups_for(source, look, table)
        if said is None:
            continue
        columns = Frozen({**policy.columns, look.name: said.written_with(decimal)})
        trial = trials.of(policy.model_copy(update={"columns": columns}))
        if trial is None or trial.detail <= trials.now:
            continue
        wholly = "wholly hidden" if hidden[look.name] == audit.rows else "nearly all hidden"
        if trial.columns.get(look.name, 0) >= WORTH:
            told = f"{trial.shown(trial.columns[look.name])} of it can be told ({_all(trial, trials)})"
            yield f"{look.name} is {wholly}: {how} {told}: {write}"
        elif not trial.columns and trial.detail - trials.now >= WORTH:
            told = f"{trial.shown(trial.detail)} of all columns together is told instead of {trials.now:.0%}"
            yield f"{look.name} is {wholly}: {how} {told}: {write}"


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


def _all(trial: TrialStep, trials: Trials) -> str:
    return f"of all columns together {trial.shown(trial.detail)} instead of {trials.now:.0%}"


def _by_local_recoding(release: Release, policy: Policy, trials: Trials) -> Iterator[str]:
    """Yield what local recoding would tell."""
    if policy.is_local or policy.method != "coordinate" or not _local_is_quick(release):
        return
    local = policy.model_copy(update={"recoding": "local"})
    trial = None if beyond_local(local) else trials.of(local, LOCAL_PART)
    if trial is not None and trial.detail - trials.now >= WORTH:
        before = release.audit.suppressed + release.audit.removed
        rows = f", and {trial.gone} rows are suppressed instead of {before}" if trial.gone < before else ""
        kept = f"keeps {trial.shown(trial.detail)} of the detail instead of {trials.now:.0%}"
        yield f"local recoding {kept}{rows}: write recoding: local"


def _local_is_quick(release: Release) -> bool:
    """Whether the loops of local recoding need not be compiled first, which takes longer than most jobs."""
    from discreet.method.local import group_kernels

    kernel = group_kernels.collect
    return release.source.rows <= FEW_ROWS or is_on_disk(kernel.py_func, kernel.py_func.__qualname__)


def _by_promises(policy: Policy, trials: Trials) -> Iterator[str]:
    """Yield what each promise costs, where there are several: which one binds, and which cost nothing."""
    groups = list(policy.groups())
    if len(groups) < 2 or trials.now >= 1 - NOTHING:
        return
    costs: list[tuple[float, str, TrialStep]] = []
    for place, (index, _) in enumerate(groups):
        rest = tuple(made for other, made in enumerate(policy.protect) if other != index)
        trial = trials.of(policy.model_copy(update={"protect": rest}), 1 / (len(groups) - place))
        if trial is None:
            return
        costs.append((trial.detail - trials.now, _called(policy, index), trial))
    most, binding, best = max(costs, key=lambda one: one[0])
    free = [name for cost, name, _ in costs if cost <= NOTHING]
    if most < WORTH:
        return
    plural = "s" if len(free) == 1 else ""
    cost = f"cost{plural}" if all(trial.complete for _, _, trial in costs) else f"seem{plural} to cost"
    costless = f"; {' and '.join(free)} {cost} nothing" if free else ""
    told = f"{best.shown(best.detail)} of the detail would be told instead of {trials.now:.0%}"
    yield f"{binding} binds: without it {told}{costless} (discreet frontier shows what other thresholds tell)"


def _called(policy: Policy, index: int) -> str:
    """Return what an item of `protect` is called: the numbers of its promises, as printed, and its kind."""
    some = [(number, made) for number, made in enumerate(policy.promises(), start=1) if made.index == index]
    numbers = " and ".join(f"promise {number}" for number, _ in some)
    return f"{numbers} ({some[0][1].called.removeprefix('a ')})"
