"""The audit: what was promised and found, before and after, and what nobody promised.

Private: it says more than the release does, and its first line says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.attack.base import Attacked
from discreet.audit.risk import Risk
from discreet.audit.verify import Finding, Verification
from discreet.measure.cells import CellMeasures
from discreet.measure.usefulness import Usefulness
from discreet.measure.utility import Utility
from discreet.policy import Confidential, Counts, Crowd, General, Inference, Policy, ReleaseOptions
from discreet.policy.share import percent
from discreet.private import private_json

if TYPE_CHECKING:
    from discreet.audit.public import Facts

WARNING = "this audit tells more than the release does. Keep it; never publish it."


@dataclass(frozen=True)
class About:
    """What a release is and how it was made: what a report says first.

    Parameters
    ----------
    name
        The name of the released file (without its folder), if it has one.
    columns
        The released columns, in order.
    use, method
        What it is for and how it was made, in words; `method` is None when that is not known.
    promises
        Each promise in words, as the policy has it; `public` the same without naming people: what may be printed.
    changeable
        The columns that were recoded or edited by right.
    """

    name: str | None
    columns: tuple[str, ...]
    use: str
    method: str | None
    promises: tuple[str, ...]
    public: tuple[str, ...]
    changeable: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


def about(policy: Policy, columns: Sequence[str], changeable: Sequence[str], *, name: str | None, made: bool) -> About:
    """Return what a release is; `made` says that discreet made it as the policy wants."""
    promises = [promise.in_words() for promise in policy.promises()]
    cells = [cells for cells in policy.protect if isinstance(cells, Confidential)]
    purpose = [
        f"{use.name} use" if isinstance(use, (Counts, General)) else f"predicting {use.target}" for use in policy.uses
    ]
    return About(
        name=name,
        columns=tuple(columns),
        use=", ".join(purpose),
        method=_method(policy, cells) if made else None,
        promises=(*promises, *(requirement.in_words() for requirement in cells)),
        public=(*promises, *(requirement.in_public() for requirement in cells)),
        changeable=tuple(changeable),
    )


METHODS = {
    "disclosure": "top-down disclosure: values are shown, the best first, as far as every promise allows",
    "coordinate": "the same groups and intervals for all rows, found by a search that improves one column at a time",
    "genetic": "the same groups and intervals for all rows, found by a genetic search",
    "exact": "the same groups and intervals for all rows, found by an exact search",
    "local": "rows that look alike share groups, intervals or sets of their own (local recoding)",
}


def _method(policy: Policy, cells: Sequence[Confidential]) -> str:
    """Return how a release was made, in words."""
    told = [METHODS[policy.method]] if any(True for _ in policy.promises()) else []
    methods = dict.fromkeys(
        f"{method} against {adversary.name}" for made in cells for adversary, method in made.defences
    )
    if methods:
        told.append(f"single cells hidden or made coarser by {', '.join(methods)}")
    return "; ".join(told)


@dataclass(frozen=True)
class Sampled:
    """Which share of how many rows was drawn, and where k counts."""

    asked: ReleaseOptions
    rows: int

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        told = {"share": str(self.asked.sample), "drawn_rows": self.asked.size(self.rows), "of_rows": self.rows}
        return {**told, "k_on": self.asked.k_on}

    def in_words(self, *, crowds: bool) -> str:
        """Return what the sample means, and against whom."""
        size = self.asked.size(self.rows)
        drawn = f"a random sample: {size} of {self.rows} rows ({percent(Fraction(size, self.rows))})"
        if self.asked.k_on == "population":
            return f"{drawn}; k counts in the whole table, against who does not know whether a person is in the sample"
        what = "k and every other promise count" if crowds else "every promise counts"
        return f"{drawn}; {what} in the released rows, also against who knows that a person is in the sample"


def not_covered(policy: Policy, columns: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return what the promises of a policy leave open, on a table with these released columns."""
    found = []
    if columns is not None:
        known = policy.sensitive | {column for promise in policy.promises() for column in promise.given}
        known |= {cells.column for cells in policy.protect if isinstance(cells, Confidential)}
        if any(isinstance(cells, Confidential) and cells.predictors is None for cells in policy.protect):
            known |= set(columns)
        known |= {
            column for cells in policy.protect if isinstance(cells, Confidential) for column in cells.predictors or ()
        }
        others = [column for column in columns if column not in known]
        if others:
            named = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            found.append(f"whoever also knows {named} of a person")
    found += _not_covered_of_cells(policy)
    promises = list(policy.promises())
    crowds = [set(promise.given) for promise in promises if isinstance(promise, Crowd)]
    if not all(any(set(promise.given) <= crowd for crowd in crowds) for promise in promises):
        found.append("which row is whose: a template limits what is inferred of a group, not how small it is")
    if promises and not policy.sensitive:
        found.append("what all rows of a group have in common: k-anonymity limits who it is, not what is inferred")
    if policy.k_on_population:
        found.append("whoever knows that a person is in the sample: of k rows alike in the table it may have only one")
    if policy.removes or any(isinstance(cells, Confidential) and cells.removes for cells in policy.protect):
        found.append("who was removed: whoever has the original can tell, and so may who knows that a person was in it")
    if len({promise.property for promise in promises if isinstance(promise, Inference)}) > 1:
        found.append("several protected values taken together")
    told = [name for name, column in policy.columns.items() if column.scale is not None and not column.open_ends]
    told += [name for name, column in policy.columns.items() if column.released_form == "median" and name not in told]
    tight = tight_columns(policy)
    if tight:
        found.append(f"the smallest and largest {', '.join(tight)} of each group: they are values of its rows")
    if told:
        found.append(f"the smallest and largest {', '.join(told)}: the release may tell them")
    return (*found, *ALWAYS_OPEN)


def _not_covered_of_cells(policy: Policy) -> list[str]:
    """Return what the promises about single cells leave open."""
    cells = [requirement for requirement in policy.protect if isinstance(requirement, Confidential)]
    if not cells:
        return []
    names = list(dict.fromkeys(adversary.name for requirement in cells for adversary in requirement.adversaries))
    found = [f"whoever guesses confidential cells by other means than {' or '.join(names)}"]
    found.append(
        "whoever knows the method: that something was changed for a cell tells that it was guessed before, and what "
        "the guess was can often be reckoned back"
    )
    if any(requirement.may("own.conditions") for requirement in cells):
        found.append("whoever knows from elsewhere the values that were hidden in the row of a confidential cell")
    return found


def tight_columns(policy: Policy) -> list[str]:
    """Return the columns of numbers and dates whose labels end with values of the rows themselves."""
    columns = policy.columns.items() if policy.is_local else ()
    return [name for name, column in columns if column.scale is not None and column.ends is None]


ALWAYS_OPEN = (
    "what can be inferred from several releases together",
    "an adversary with probabilistic knowledge of his own",
    "an adversary who reasons about how the method chooses what to hide",
    "what the order of the rows tells (it is that of the original)",
)


@dataclass(frozen=True, repr=False)
class Audit:
    """The figures of every promise, before and after; how much is hidden; what is not covered."""

    verification: Verification
    before: tuple[Finding, ...]
    rows: int
    sample: Sampled | None
    """Of how many rows these were drawn, where a sample is released."""
    dropped: int
    suppressed: int
    """Rows of the release that are hidden on all columns that may change."""
    removed: int
    """Rows that the release lacks because they do not fit."""
    drawn: int
    """Of the suppressed rows those drawn by lot."""
    unseen: int
    """Of the suppressed or removed rows those with a value that the plan has not seen."""
    hidden_cells: dict[str, int]
    coarser_cells: dict[str, int]
    """Cells with something that covers the original, such as a group or an interval."""
    detail: float | None
    """Share of the detail of the changeable columns that is released (1 - LM); None when a plan was used again."""
    bound: float | None
    """Of what the cut costs the use the share that no cut goes below: 1 when it is proven to be a best one; None when
    that is not known."""
    usefulness: Usefulness
    """The groups of the release, and what they tell of each target."""
    cells: CellMeasures | None
    """What the edits for confidential cells cost; None when the policy has none."""
    warnings: tuple[str, ...]
    not_covered: tuple[str, ...]
    public: Facts
    """All that a public report may tell; a part by itself, made of nothing else that is here."""
    risk: tuple[Risk, ...] = ()
    """The groups of every promise about groups, before and after."""
    utility: Utility | None = None
    """What is kept of columns and pairs of them, and how well targets are learned; None unless asked for."""
    attacks: Attacked | None = None
    """What adversaries get right; None when the release was not attacked."""
    about: About | None = None
    """What the release is, for the owner's report."""

    def __repr__(self) -> str:
        return f"<Audit: rows {self.rows}, promises {len(self.promises)}; private>"

    @property
    def promises(self) -> tuple[Finding, ...]:
        """The answer about each requirement on the release."""
        return self.verification.requirements

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """What the owner should know: of the release, of the attacks and of confidential cells, each once."""
        of_attacks = () if self.attacks is None else self.attacks.warnings
        of_cells = [text for finding in self.promises if finding.cells is not None for text in finding.cells.warnings]
        return tuple(dict.fromkeys((*self.warnings, *of_attacks, *of_cells)))

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        promises = [
            {**after.to_dict(), "before": None if before.worst is None else before.worst.to_dict()}
            for before, after in zip(self.before, self.promises, strict=True)
        ]
        return {
            "holds": self.verification.holds,
            "requirements": promises,
            "truthful": self.verification.truthful.to_dict(),
            "rows": self.rows,
            "sample": None if self.sample is None else self.sample.to_dict(),
            "dropped_rows": self.dropped,
            "suppressed_rows": self.suppressed,
            "removed_rows": self.removed,
            "drawn_rows": self.drawn,
            "unseen_rows": self.unseen,
            "hidden_cells": self.hidden_cells,
            "coarser_cells": self.coarser_cells,
            "detail": self.detail,
            "bound": self.bound,
            "usefulness": self.usefulness.to_dict(),
            "cells": None if self.cells is None else self.cells.to_dict(),
            "warnings": list(self.warnings),
            "not_covered": list(self.not_covered),
            "risk": [risk.to_dict() for risk in self.risk],
            "utility": None if self.utility is None else self.utility.to_dict(),
            "attacks": None if self.attacks is None else self.attacks.to_dict(),
            "about": None if self.about is None else self.about.to_dict(),
        }

    def to_json(self) -> str:
        """Return the audit as JSON; its first line says that it is private."""
        return private_json(WARNING, self.to_dict())

    def to_html(self, *, public: bool = False) -> str:
        """Return the audit as a page to be read: for the owner, or `public` without any secret."""
        from discreet.audit.report import owner_html, public_html

        return public_html(self.public) if public else owner_html(self)
