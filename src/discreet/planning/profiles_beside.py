"""A recoding for persons with several rows beside earlier releases: as `profiles`, with everybody's past.

Each recoding of the rows is judged by who looks alike in all releases, by all lines; who does not fit is suppressed
whole. Guarantee: all groups of persons of the release keep every promise over all releases, those of the suppressed
included, unless the policy wants what earlier releases broke reported. That the recoding is best is not said.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.chance import Source, chance_from
from discreet.common.watch import Watch
from discreet.encoded import Encoded, Ints, keys, of_texts
from discreet.errors import InputError, PromiseError
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import CarriedOut, of_profiles
from discreet.planning.joint_rows import JointPeople
from discreet.planning.joint_table import JointRequirement, of_numbers, told_values
from discreet.planning.meeting import KnownPeople
from discreet.planning.persons import speaking_of_persons
from discreet.planning.profiles import FoundProfiles, JudgedProfiles, Profiles
from discreet.planning.staying import Staying
from discreet.planning.suppression import rows_to_suppress
from discreet.planning.task import Task
from discreet.policy.bind import Bound
from discreet.policy.ledger_options import over_time
from discreet.policy.part import Frozen
from discreet.policy.requirements import KAnonymity
from discreet.policy.requirements.base import Flags
from discreet.policy.uses import General
from discreet.table.coded import CodedTable


class ProfilesBeside(Profiles):
    """The persons of a table, by all their rows in it and in earlier releases."""

    def __init__(self, staying: Staying, bound: Bound) -> None:
        assert isinstance(staying.joint, JointPeople)
        self.staying, self.joint = staying, staying.joint
        self.source, self.bound, self.rows = staying.source, bound, self.joint.rows
        self.persons = len(self.rows.ids)
        self._fixed_now: dict[str, Encoded] = {}

    def require_possible(self) -> None:
        """Raise nothing: who stays was found so that all may be hidden."""

    def also(self, last: Plan, found: FoundProfiles) -> FoundProfiles:
        """Return what the recoding of the last release leaves, where that is as much as what was found."""
        if last.groupings or {each.column for each in last.recodings} != set(self.bound.changeable):
            return found
        plan = replace(found.plan, recodings=last.recodings, kept=(), bound=None)
        try:
            judged = self.judged(plan, chance_from(None))
            again = FoundProfiles(plan, judged, self._detail(plan.recodings, judged))
        except (InputError, PromiseError, KeyError):
            return found
        fits = len(judged.gone) <= self._limit() and len(judged.gone) < self.persons
        return again if fits and again.detail >= found.detail else found

    def _task(self, wanted: int) -> Task:
        """Return the search for a recoding with so many rows alike, also on what earlier promises know."""
        task = super()._task(wanted)
        known = {tuple(name for name in item.given if name in self.bound.changeable) for item in self.staying.items}
        more = tuple(KAnonymity(k=wanted, over=list(some)) for some in sorted(known) if some)
        policy = task.bound.policy.model_copy(update={"protect": (*task.bound.policy.protect, *more)})
        return replace(task, bound=replace(task.bound, policy=policy))

    def _judged(self, recoded: dict[str, Ints | None], gone: Flags, chance: Source) -> JudgedProfiles:
        table, bound = self._beside(recoded, gone)
        found, gone = rows_to_suppress(table, bound, chance), gone.copy()
        if found.masks is not None:
            gone[table.numbers_of(found.masks, table) - 1] = True
        return JudgedProfiles(tuple((np.flatnonzero(gone) + 1).tolist()), found.drawn)

    def _beside(self, recoded: dict[str, Ints | None], gone: Flags) -> tuple[CodedTable, Bound]:
        """Return the persons with how they look in all releases, and what is promised of them."""
        joint, policy, merged = self.joint, self.bound.policy, self.staying.merged or {}
        columns: dict[str, Encoded] = {}
        looks: dict[tuple[object, ...], tuple[str, str]] = {}
        protect = []
        for number, item in enumerate(self.staying.items):
            key = item.over, item.given, item.policy.unit, number if number in merged else None
            if key not in looks:
                looks[key] = f"looks {len(looks)}", f"at best {len(looks)}"
                look, at_best = looks[key]
                now = self._rows_alike(item.given, recoded)
                told = joint.with_now(item, now)[0]
                if at_best not in self._fixed_now:
                    best = joint.at_best(item, frozenset(self.bound.columns) - frozenset(self.bound.changeable))[0]
                    best = np.where(merged[number], -1, best) if number in merged else best
                    self._fixed_now[at_best] = of_numbers(best[joint.now])
                if number in merged:
                    told = np.where(merged[number], len(told) + joint.alone(item, now), told)
                columns[look] = _hidden(of_numbers(told[joint.now]), gone, policy.marker)
                columns[at_best] = self._fixed_now[at_best]
            if item.told is not None and item.column is not None and item.column not in columns:
                columns[item.column] = told_values(item, joint.now, policy)
            look, at_best = looks[key]
            protect.append(JointRequirement(item=replace(item, given=(look,)), past=at_best))
        asked = {
            "protect": tuple(protect),
            "unit": None,
            "ledger": None,
            "search": None,
            "use": General(),
            "columns": Frozen({}),
            "suppress": policy.suppress.model_copy(update={"rows": "mask"}),
        }
        names = tuple(columns)
        bound = Bound(
            policy=policy.model_copy(update=asked),
            columns=names,
            released=names,
            changeable=tuple(look for look, _ in looks.values()),
            fixed=tuple(at_best for _, at_best in looks.values()),
            edited=(),
            binned=(),
            warnings=(),
            past=True,
        )
        return CodedTable(columns, self.persons, None), bound

    def _rows_alike(self, names: tuple[str, ...], recoded: dict[str, Ints | None]) -> Ints:
        """Return which rows look alike on some columns as they are released."""
        codes = []
        for name in names:
            own = recoded.get(name)
            codes.append(self.rows.counted.code(name).astype(np.int64) if own is None else own + 1)
        sizes = [int(code.max(initial=0)) + 1 for code in codes]
        key, _ = keys(codes, sizes, len(self.rows.person))
        return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _hidden(encoded: Encoded, gone: Flags, marker: str) -> Encoded:
    """Return a column as it is where some persons are suppressed."""
    return of_texts([*encoded.domain, marker], np.where(gone, len(encoded.domain), encoded.codes))


def planned_persons(staying: Staying, bound: Bound, people: KnownPeople, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release that the best recoding found makes of persons, for promises over all releases."""
    with speaking_of_persons():
        beside = ProfilesBeside(staying, bound)
        found = beside.find(watch, seed)
        if people.last_plan is not None and over_time(bound.policy).reuse:
            found = beside.also(people.last_plan, found)
        watch.begins("apply")
        made = of_profiles(found.plan, found.judged, beside, staying.source, bound, None)
        return replace(made, seed=seed, detail=found.detail)


def used_on_persons(staying: Staying, bound: Bound, plan: Plan) -> CarriedOut:
    """Return the release that a kept plan makes of persons who stay, for promises over all releases."""
    with speaking_of_persons():
        beside = ProfilesBeside(staying, bound)
        judged = beside.judged(plan, chance_from(None))
        made = of_profiles(plan.for_new_rows(), judged, beside, staying.source, bound, None)
        made.refuse_many(bound.policy)
        return made
