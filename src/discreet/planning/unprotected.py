"""Confidential cells that were not protected, in words: from whom, why, and what to write instead. No value is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import Reason, Unprotected
from discreet.fit.cells import needed_elsewhere
from discreet.method.cells.failures import Failure, Why, failures
from discreet.method.cells.guards import AgainstRules
from discreet.method.cells.job import Job
from discreet.policy import Policy
from discreet.policy.cell_methods import CASES, USUAL, Hideable
from discreet.policy.confidential import Confidential

REGION: dict[str, Hideable] = {
    "own_conditions": "own.conditions",
    "others_conditions": "others.conditions",
    "others_sensitive": "others.sensitive",
}
"""What may be hidden, as a policy says it."""
SAYS = {
    Why.STOPPED: "the search was stopped before",
    Why.TWO_VALUES: "only two values are possible, and not to be the one is to be the other",
    Why.ANYBODY: "the value is also what it guesses of a row of which it knows nothing",
    Why.NOTHING: "all that {method} would change is kept: {kept}",
    Why.KEPT: "with all else of the row hidden, what is kept still leads to the value: {kept}",
    Why.ALONE: "no other value is possible with what is known of the row, and {method} needs one",
    Why.MISSED: "{method} found no way, though to hide all that may be hidden of the row would do",
    Why.OTHERS: "the value is still its guess with other rows changed as far as {method} may",
    Why.TIE: "another value is as probable at best, and strict: true asks for more",
    Why.ORIGINAL: "the value is its guess where the row, by its original values, is taken for another released group",
    Why.UNDONE: "what is changed for other cells or against other adversaries exposes the value again",
    Why.PRIOR: "more than {share} of {all} tell a value that is to be hidden, without any condition{always}",
    Why.PROVEN: "whatever is hidden of what may be, {proof}",
    Why.NOT_FOUND: "{method} found no way, and there are too many to try them all",
}
"""Each reason as a sentence that goes on after the adversary."""


@dataclass(frozen=True)
class Words:
    """One requirement and its ward, by which a failure is put into words."""

    index: int
    requirement: Confidential
    policy: Policy
    columns: Sequence[str]
    numbers: Ints

    def unprotected(self, job: Job, ward: int, rows: Sequence[int]) -> Unprotected:
        """Return which rows of a ward, by their numbers, were not protected, and why."""
        elsewhere = needed_elsewhere(self.policy)
        bound = frozenset(place for place, name in enumerate(self.columns) if name in elsewhere)
        found = failures(job, ward, rows, bound)
        reasons = tuple(self._reason(job, ward, failure) for failure in found)
        return Unprotected(
            self.index,
            str(self.requirement),
            self._numbers(rows),
            stopped=job.stopped,
            why="; ".join(dict.fromkeys(self._proof(job, ward, each) for each in found if each.why is Why.PROVEN)),
            prior=next((each.says for each in reasons if each.code == Why.PRIOR), ""),
            reasons=reasons,
        )

    def _numbers(self, rows: Sequence[int]) -> tuple[int, ...]:
        return tuple(sorted({int(self.numbers[row]) for row in rows}))

    def _names(self, places: Sequence[int]) -> list[str]:
        return [self.columns[place] for place in places]

    def _reason(self, job: Job, ward: int, failure: Failure) -> Reason:
        defences = [self.requirement.defences[place] for place in failure.places]
        method = defences[0][1] if defences else ""
        said = {"method": "the search" if method == "best" else method, "kept": self._kept(self._names(failure.kept))}
        if failure.why is Why.PRIOR:
            said |= self._common(job, ward, failure)
        elif failure.why is Why.PROVEN:
            said["proof"] = self._proof(job, ward, failure)
        return Reason(
            code=failure.why.value,
            adversaries=tuple(adversary.name for adversary, _ in defences),
            rows=self._numbers(failure.rows),
            says=SAYS[failure.why].format(**said),
            steps=tuple(self._steps(failure, method)),
        )

    def _common(self, job: Job, ward: int, failure: Failure) -> dict[str, str]:
        """Say what is too common: values are told by too many rows for any hiding by rules to help."""
        guard = job.guards[ward][failure.places[0]]
        if not isinstance(guard, AgainstRules):
            return {}
        limits = guard.defence.limits
        return {
            "share": percent(limits.confidence),
            "all": "the released cells" if limits.published else "all rows",
            "always": ", whatever is hidden of what may be" if failure.proven else "",
        }

    def _proof(self, job: Job, ward: int, failure: Failure) -> str:
        guard = job.guards[ward][failure.places[0]]
        return guard.answer.why if isinstance(guard, AgainstRules) and guard.answer is not None else ""

    def _steps(self, failure: Failure, method: str) -> Iterator[str]:
        """Yield what the owner may do, one way each; all but the last keep the rows."""
        asked, found = self.requirement, False
        if failure.why is Why.STOPPED:
            yield "allow more time"
            return
        for step in self._ways(failure, method):
            found = True
            yield step
        if not found and failure.why in (Why.PROVEN, Why.NOT_FOUND):
            yield "raise min_confidence"
        elif not found and failure.without and len(asked.adversaries) > 1 and asked.method != method:
            yield f"take {asked.defences[failure.places[0]][0].name} out of against"
        yield f"write on_failure: remove to leave out the row{'s' if len(failure.rows) > 1 else ''}"

    def _ways(self, failure: Failure, method: str) -> Iterator[str]:
        """Yield what would help."""
        if failure.why is Why.PRIOR:
            yield from ("raise min_confidence", "write prior: warn")
        if failure.why is Why.TWO_VALUES:
            yield "write two_values: lot"
        if failure.why is Why.ORIGINAL:
            yield "write knows: released"
        if failure.lenient:
            yield "write strict: false"
        if failure.lifted:
            other = "" if failure.lifted_by is None else f" and write {self._by(failure.lifted_by)}"
            yield self._lift(self._names(failure.lifted)) + other
        for each in failure.methods:
            yield f"write {self._by(each)}"
        if failure.region is not None:
            yield f"write {self._may_hide({REGION[failure.region]})}"
        if failure.why is Why.NOT_FOUND and method != "exact":
            yield "write method: exact"

    def _by(self, method: str) -> str:
        """Return what is written for another method, with all that it may hide where the policy says what may be."""
        may_hide = self.requirement.may_hide
        if may_hide is None or set(may_hide) >= USUAL[method]:
            return f"method: {method}"
        return f"method: {method} and {self._may_hide(USUAL[method])}"

    def _may_hide(self, more: frozenset[Hideable] | set[Hideable]) -> str:
        return f"may_hide: [{', '.join(each for each in CASES['f'] if each in more or self.requirement.may(each))}]"

    def _kept_by(self, name: str) -> str:
        """Return why a column may not be changed."""
        if name in self.policy.targets:
            return "the use"
        if name in needed_elsewhere(self.policy):
            return "another promise"
        published = {item.column for _, made in self.policy.cells() for item in made.must_publish}
        return "must_publish" if name in published else "role: other"

    def _kept(self, names: Sequence[str]) -> str:
        """Return columns that may not be changed, with why."""
        by: dict[str, list[str]] = {}
        for name in names:
            by.setdefault(self._kept_by(name), []).append(name)
        return ", ".join(f"{', '.join(some)} ({why})" for why, some in by.items())

    def _lift(self, names: Sequence[str]) -> str:
        """Return what is written so that columns may be changed."""
        published = {item.column for _, made in self.policy.cells() for item in made.must_publish}
        kept = [name for name in names if name in published]
        other = [name for name in names if self.policy.column(name).role == "other"]
        steps = [f"take {', '.join(kept)} out of must_publish"] if kept else []
        steps += [f"take role: other from {', '.join(other)}"] if other else []
        return " and ".join(steps)
