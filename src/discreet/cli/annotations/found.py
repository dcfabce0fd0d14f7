"""What verification found as remarks: the file, the promise by its place in the policy, the answer; no value."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.cli.annotations.base import Remark
from discreet.table.formats.place import Address, is_standard, place_of
from discreet.verification.answers import Answer

if TYPE_CHECKING:
    from discreet.policy import Policy
    from discreet.verification.findings import Verification

SEE = "Run discreet verify where the table may be seen: it says which group"
GIVE = "give what it needs (--original, --plan, --ledger), or allow it (--partial)"
_WORST = (Answer.BROKEN, Answer.NOT_CHECKABLE, Answer.BY_LOT)
_TITLES = {
    Answer.BROKEN: "is broken",
    Answer.NOT_CHECKABLE: "cannot be checked",
    Answer.BY_LOT: "is left to the lot",
}


@dataclass(frozen=True)
class VerifiedPair:
    """A release and the policy that it shall keep, by the names of their files."""

    release: str
    policy: str
    partial: bool = False
    """Whether a promise that cannot be checked is no reason to fail."""

    @property
    def file(self) -> str:
        """The file that remarks are about: the release, or its policy where the release is no file."""
        if os.path.lexists(self.release):  # a name with # in it, too
            return self.release
        place = place_of(self.release)
        if isinstance(place, Address) or is_standard(place):
            return self.policy
        return self.release.partition("#")[0] or self.release

    def failed(self, message: str) -> Remark:
        """Return that it could not be verified at all."""
        return Remark(self.file, 1, "bad-input", "discreet cannot verify", message)

    def remarks(self, found: Verification, policy: Policy, *, with_original: bool) -> Iterator[Remark]:
        """Yield a remark for each requirement that does not hold, and for whatever else is wrong."""
        answers: dict[int, set[Answer]] = {}
        kinds: dict[int, str] = {}
        for finding in found.requirements:
            answers.setdefault(finding.index, set()).add(finding.answer)
            kinds.setdefault(finding.index, finding.kind)
        for index, said in answers.items():
            worst = next((answer for answer in _WORST if answer in said), None)
            if worst is not None:
                yield self._promise(policy, index, kinds[index], worst)
        if found.truthful.answer is Answer.BROKEN:
            what = (
                "it is not true to the original" if with_original else "it has a column that should have been left out"
            )
            yield Remark(
                self.file, 1, "truthful", "discreet: the release is not true", f"{self._names()}: {what}. {SEE}."
            )
        together = () if found.joint is None else found.joint.findings
        worst = next((answer for answer in _WORST if answer in {finding.answer for finding in together}), None)
        if worst is not None:
            title = f"discreet: a promise over several releases {_TITLES[worst]}"
            yield Remark(
                self.file, 1, "several-releases", title, f"{self._names()}: {_next(worst)}.", self._is_error(worst)
            )

    def _promise(self, policy: Policy, index: int, kind: str, answer: Answer) -> Remark:
        made = policy.protect[index]
        columns = ", ".join(dict.fromkeys(column for _, column in made.mentions()))
        line = policy.problem(("protect", index), "").line
        where = "" if line is None else f", line {line}"
        title = f"discreet: promise {index + 1} {_TITLES[answer]}"
        message = f"{self._names()}{where}: promise {index + 1} ({kind}: {columns}) {_TITLES[answer]}. {_next(answer)}."
        at = line or 1 if self.file == self.policy else 1
        return Remark(self.file, at, kind, title, message, self._is_error(answer))

    def _names(self) -> str:
        return f"{place_of(self.release)} and {self.policy}"

    def _is_error(self, answer: Answer) -> bool:
        return answer is Answer.BROKEN or (answer is Answer.NOT_CHECKABLE and not self.partial)


def _next(answer: Answer) -> str:
    """Return what to do."""
    if answer is Answer.BY_LOT:
        return "The policy allows it, and nothing is promised of those cells"
    return SEE if answer is Answer.BROKEN else f"To check it, {GIVE}"
