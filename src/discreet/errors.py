"""Everything discreet refuses to do, said so that the reader knows what to write instead.

Messages are read by people and end up in logs: they name files, lines, columns, fields and counts, never
the value of a cell. The exit code of the command line is a property of the kind of error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.policy import GroupPromise
    from discreet.verification.findings import Verification


class DiscreetError(Exception):
    """The root of all errors that discreet raises on purpose."""

    exit_code = 2

    def details(self) -> dict[str, object]:
        """Return what a program would want to know beside the message; no value of a cell."""
        return {}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the message and what the error has; no value of a cell."""
        return _read_back, (type(self), self.args), self._kept()

    def _kept(self) -> dict[str, object]:
        return dict(vars(self))


def _read_back(kind: type[DiscreetError], args: tuple[object, ...]) -> DiscreetError:
    """Return a pickled error: it is not made anew, as its message is there already."""
    return kind.__new__(kind, *args)


class InputError(DiscreetError):
    """A file, a table, an option or a policy that cannot be used as it is (exit code 2)."""


class PromiseError(DiscreetError):
    """A promise that cannot be kept, or was found broken (exit code 1)."""

    exit_code = 1


@dataclass(frozen=True)
class Problem:
    """One mistake in a policy: where it stands, what is wrong, what to write instead."""

    field: str
    message: str
    file: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = ""
        if self.file is not None:
            place = self.file if self.line is None else f"{self.file}:{self.line}"
            place += ": "
        return f"{place}{self.field}: {self.message}" if self.field else f"{place}{self.message}"


class PolicyError(InputError):
    """A policy with mistakes; all of them at once, in `problems`."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def details(self) -> dict[str, object]:
        """Return the mistakes one by one."""
        return {"problems": [vars(problem) for problem in self.problems]}


class ImpossiblePromise(PromiseError):
    """No release can keep these promises; `least` has the least possible share of each."""

    def __init__(
        self, least: list[tuple[GroupPromise, Fraction]], worded: Callable[[str, Sequence[str]], str] | None = None
    ) -> None:
        self.least = least
        lines = [f"protect[{promise.index}]: {promise} {promise.cannot_be_kept(share)}" for promise, share in least]
        if worded is not None:
            names = [[*promise.given, promise.column or "", promise.value or ""] for promise, _ in least]
            lines = [worded(line, some) for line, some in zip(lines, names, strict=True)]
        super().__init__("\n".join(lines))

    def details(self) -> dict[str, object]:
        """Return each promise with its least possible share."""
        return {"least": [{"index": i.index, "promise": str(i), "share": str(share)} for i, share in self.least]}


class TooManySuppressed(PromiseError):
    """More rows (or persons) would have to be suppressed than the policy allows. Nothing was released."""

    def __init__(self, rows: int, total: int, limit: Fraction, noun: str = "rows") -> None:
        from discreet.common.shares import percent

        self.rows, self.total, self.limit = rows, total, limit
        if rows == total and limit == 1:
            message = f"suppress.rows: all {total} {noun} would have to be removed, so nothing is left to release"
            super().__init__(f"{message}; ask for less, or write rows: mask")
            return
        super().__init__(
            f"suppress.limit: {rows} of {total} {noun} would have to be suppressed, more than {percent(limit)}; "
            "allow more, or ask for less"
        )

    def details(self) -> dict[str, object]:
        """Return the figures."""
        return {"suppressed": self.rows, "rows": self.total, "limit": str(self.limit)}


class Undecided(PromiseError):
    """No k of the list of blind decisions keeps every promise about secrets. Nothing was released."""

    def __init__(self, asked: Sequence[int], broken: Sequence[str], stopped: str = "") -> None:
        self.asked, self.broken = tuple(asked), tuple(broken)
        several = "none of" if len(asked) > 1 else "not even"
        ks = f"{several} k = {', '.join(map(str, asked))}"
        lines = [f"decide: blind: {ks} keeps every promise", *broken, *([stopped] if stopped else [])]
        super().__init__("\n".join([*lines, "add a larger k to blind_ks, ask for less, or leave 'decide' out"]))

    def details(self) -> dict[str, object]:
        """Return the k that were asked."""
        return {"asked": list(self.asked)}


class Unsettled(PromiseError):
    """Rows that were suppressed to keep the promises break them anew, and nothing more can be done about it.

    Groups are compared with a release that changes whenever rows leave it; or there are too few people of a population
    whom the masked rows could be about.
    """

    def __init__(self, rounds: int, message: str = "") -> None:
        self.rounds = rounds
        moving = (
            f"suppress.rows: after {rounds} rounds of removing rows there are still groups too unlike the rest, which "
            "changes each time; write rows: mask, or ask for less"
        )
        super().__init__(message or moving)

    def details(self) -> dict[str, object]:
        """Return how often it was tried."""
        return {"rounds": self.rounds}


def rows_listed(numbers: Sequence[int], most: int = 10) -> str:
    """Return some row numbers in words.

    >>> rows_listed([3]), rows_listed([3, 8, 9], most=2)
    ('row 3', 'rows 3, 8 and 1 more')
    """
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"row{'' if len(numbers) == 1 else 's'} {shown}{more}"


@dataclass(frozen=True)
class Reason:
    """Why some rows were not protected: a code, and the same in words."""

    code: str
    adversaries: tuple[str, ...]
    """Who guesses the cells, as a policy names them."""
    rows: tuple[int, ...]
    says: str
    steps: tuple[str, ...]
    """What the owner may do, one way each."""

    def __str__(self) -> str:
        against = f"protected against {' and '.join(self.adversaries)}"
        what = f"not {against}" if self.code == "stopped" else f"cannot be {against}"
        *ways, last = self.steps
        return f"{rows_listed(self.rows)} {what}: {self.says}; {', '.join([*ways, f'or {last}' if ways else last])}"


@dataclass(frozen=True)
class Unprotected:
    """The rows, by number, whose confidential cells no method could protect."""

    index: int
    promise: str
    rows: tuple[int, ...]
    stopped: bool = False
    """Whether there was no time to try everything."""
    why: str = ""
    """Why there is no way at all, where that is proven."""
    prior: str = ""
    """How common values are without any condition, where that is too common for rules."""
    reasons: tuple[Reason, ...] = ()
    """Why each of the rows was not protected, and what would help."""

    def __str__(self) -> str:
        said = [str(reason) for reason in self.reasons] or [f"{rows_listed(self.rows)} cannot be protected"]
        return "\n".join(f"protect[{self.index}]: {self.promise}: {each}" for each in said)


class UnprotectedCells(PromiseError):
    """Confidential cells that an adversary would still guess; `cells` says which. Nothing was released."""

    def __init__(self, cells: Sequence[Unprotected]) -> None:
        self.cells = tuple(cells)
        super().__init__("\n".join(map(str, self.cells)))

    def details(self) -> dict[str, object]:
        """Return the rows of each requirement, and why they were not protected."""
        return {
            "unprotected": [
                {
                    "index": each.index,
                    "rows": list(each.rows),
                    "stopped": each.stopped,
                    "why": each.why or None,
                    "prior": each.prior or None,
                    "reasons": [
                        {
                            "code": reason.code,
                            "adversaries": list(reason.adversaries),
                            "rows": list(reason.rows),
                            "says": reason.says,
                            "steps": list(reason.steps),
                        }
                        for reason in each.reasons
                    ],
                }
                for each in self.cells
            ]
        }


class TellingCells(PromiseError):
    """Hidden cells whose being hidden tells what is in them; `cells` says of which requirement, and why.

    Nothing was released.
    """

    def __init__(self, cells: Sequence[tuple[int, str]]) -> None:
        self.cells = tuple(cells)
        super().__init__("\n".join(dict.fromkeys(message for _, message in self.cells)))

    def details(self) -> dict[str, object]:
        """Return the requirements by their positions, and why."""
        return {"telling": [{"index": index, "why": message} for index, message in self.cells]}


class BrokenPromise(PromiseError):
    """Verification did not say yes; `verification` has the findings. Nothing was released."""

    def __init__(self, verification: Verification, hint: str = "") -> None:
        self.verification = verification
        lines = [
            f"protect[{finding.index}]: {finding.promise}: {finding.answer}"
            + (f", worst {finding.worst}" if finding.worst else "")
            + (f" for {rows_listed(finding.cells.failing)}" if finding.cells and finding.cells.failing else "")
            + (f": {finding.reason}" if finding.cells and finding.reason else "")
            for finding in verification.requirements
            if finding.answer != "holds"
        ]
        together = () if verification.joint is None else verification.joint.findings
        lines += [
            f"over all releases together: {finding.promise}: {finding.answer} for {finding.persons} persons"
            for finding in together
            if finding.answer != "holds" and not finding.excused
        ]
        super().__init__("\n".join([*lines, *verification.truthful.problems, *([hint] if hint else [])]))

    def details(self) -> dict[str, object]:
        """Return the findings by counts, without the texts of the groups."""
        found = self.verification.to_dict(groups=False)
        return {"verification": found}

    def _kept(self) -> dict[str, object]:
        return {**super()._kept(), "verification": self.verification.without_groups()}
