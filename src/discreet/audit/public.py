"""All that a public report knows: the policy's public parts, what the release itself tells, and rounded errors.

Whoever has the release and the policy's public parts can count all of it again, but for the errors of learned targets,
which come in whole percents. No function here is given the original or a figure of the audit: two tables with the same
release have the same facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.audit.about import about, beside_ledger, not_covered
from discreet.audit.risk import RiskSpread, crowd_spreads
from discreet.common.shares import percent
from discreet.errors import InputError
from discreet.policy import Confidential, Policy
from discreet.policy.bind import Bound
from discreet.policy.blind import tells_blocks
from discreet.policy.columns import Column, reads_like_a_set
from discreet.table.engine import Engine
from discreet.verification.answers import Answer
from discreet.verification.promises import check
from discreet.verification.told_blocks import ToldBlocks

if TYPE_CHECKING:
    from discreet.measure.learning import LearnedTarget
    from discreet.measure.utility import Shown
    from discreet.verification.joint import JointVerification


@dataclass(frozen=True)
class Terms:
    """The public parts of a policy: what is promised, for what use, and how releases are made."""

    use: str
    method: str | None
    """None where discreet did not make the release."""
    promises: tuple[str, ...]
    """In words, without naming people."""
    kinds: tuple[str, ...]
    """The kind of each promise."""
    changeable: tuple[str, ...]
    sample: tuple[str, str, tuple[str, ...]] | None
    """The share that is drawn, where k counts, and the columns by which it is stratified."""
    lots: bool
    """Whether cells may be left to the lot."""
    shuffled: bool
    """Whether the rows leave in an order drawn at random."""
    not_covered: tuple[str, ...]
    persons: bool = False
    """Whether promises are about persons with several rows."""

    @property
    def recodes(self) -> bool:
        """Whether some promise is about groups, for which whole columns are made coarser."""
        return any(kind != Confidential.kind for kind in self.kinds)


@dataclass(frozen=True)
class ToldCells:
    """The cells of a released column: how many tell one value, a group of values or an interval, nothing."""

    name: str
    one: int
    several: int
    hidden: int


@dataclass(frozen=True)
class TargetFigure:
    """What the groups of the release tell of a target."""

    name: str
    measure: str
    figure: float


@dataclass(frozen=True)
class Shares:
    """The texts of one column of the release."""

    name: str
    shown: tuple[Shown, ...]


@dataclass(frozen=True)
class ReleaseCounts:
    """What was counted on the release alone."""

    answers: tuple[Answer, ...]
    """About each promise, as far as the release alone tells."""
    masked: int
    """Rows that are hidden on all columns that may change."""
    groups: int
    smallest: int
    average: float
    targets: tuple[TargetFigure, ...]
    told: tuple[ToldCells, ...]
    shares: tuple[Shares, ...]
    sizes: tuple[tuple[int, RiskSpread], ...]
    """For each promise of k-anonymity that counts in the release k, and how large the groups are."""


@dataclass(frozen=True)
class Error:
    """How well a target is learned, in whole percents."""

    target: str
    learner: str
    score: str
    original: float
    released: float
    nothing: float


@dataclass(frozen=True)
class Facts:
    """All that a public report knows."""

    name: str | None
    columns: tuple[str, ...]
    rows: int
    terms: Terms
    counted: ReleaseCounts | None = None
    """None until the release is measured."""
    learned: tuple[Error, ...] = ()
    attacked: str | None = None
    """How it was attacked: `quick` or `thorough`; None if it was not."""


def terms(bound: Bound, *, made: bool, joint: JointVerification | None = None) -> Terms:
    """Return the public parts of a policy on a table; `made` says that discreet made the release."""
    policy = bound.policy
    said = about(policy, bound.released, (*bound.changeable, *bound.edited), name=None, made=made)
    cells = [cells for _, cells in policy.cells()]
    drawn = policy.release
    return Terms(
        use=said.use,
        method=said.method,
        promises=said.public,
        kinds=(*(promise.kind for promise in policy.promises()), *(each.kind for each in cells)),
        changeable=said.changeable,
        sample=None if drawn is None else (percent(drawn.sample), drawn.k_on, drawn.by),
        lots=any(each.two_values == "lot" for each in cells),
        shuffled=policy.shuffle,
        not_covered=beside_ledger(not_covered(policy, bound.released), joint, policy),
        persons=policy.unit is not None,
    )


def counted(released: Engine, bound: Bound) -> ReleaseCounts:
    """Return what a release tells by itself."""
    from discreet.measure.usefulness import masked_rows, usefulness_by_itself
    from discreet.measure.utility import shown

    found = usefulness_by_itself(released, bound)
    told, shares = [], []
    for name, counts in _texts(released):
        told.append(_told(name, counts, bound))
        shares.append(Shares(name, tuple(shown(counts, bound.policy.column(name)))))
    return ReleaseCounts(
        answers=tuple(finding.answer for finding in check(released, bound.policy, None).requirements),
        masked=masked_rows(released, bound),
        groups=found.groups,
        smallest=found.smallest,
        average=found.average,
        targets=tuple(TargetFigure(each.target, each.measure, round(each.released, 2)) for each in found.targets),
        told=tuple(told),
        shares=tuple(shares),
        sizes=crowd_spreads(released, bound.policy),
    )


def errors(learned: Iterable[LearnedTarget]) -> tuple[Error, ...]:
    """Return the errors of learned targets, rounded: an exact one could give a hidden cell away."""
    return tuple(
        Error(one.target, one.learner, one.score, *(round(x, 2) for x in (one.original, one.released, one.nothing)))
        for one in learned
    )


def _texts(released: Engine) -> Iterator[tuple[str, dict[str | None, int]]]:
    """Yield the columns of a release that have a text form, each with its texts and their cells."""
    for name in released.columns:
        try:
            encoded = released.encoded(name)
        except InputError:
            continue
        counts = np.bincount(encoded.codes, minlength=len(encoded.domain)).tolist()
        yield name, {text: cells for text, cells in zip(encoded.domain, counts, strict=True) if cells}


def _told(name: str, counts: dict[str | None, int], bound: Bound) -> ToldCells:
    """Say of the cells of a column how much they tell, by their texts and the policy."""
    whole = sum(counts.values())
    if name not in {*bound.changeable, *bound.edited}:
        return ToldCells(name, whole, 0, 0)
    policy, column = bound.policy, bound.policy.column(name)
    nothing = {policy.marker} if column.taxonomy is None else {policy.marker, column.taxonomy.nodes[0].labels[-1]}
    hidden = sum(counts.get(text, 0) for text in nothing)
    several = sum(counts[text] for text in counts.keys() - nothing if _covers_several(text, column, policy))
    return ToldCells(name, whole - hidden - several, several, hidden)


def _covers_several(text: str | None, column: Column, policy: Policy) -> bool:
    """Whether a text stands for several values: a median does, although it may be the very value of a row."""
    if text is None or (policy.missing is not None and policy.missing.has(text)):
        return False
    if tells_blocks(policy) and ToldBlocks(column, (), policy.missing_values).several(text):
        return True
    if column.scale is not None:
        return column.released_form == "median" or column.scale.read(text) is None
    if column.form == "set" and reads_like_a_set(text):
        return True
    return column.taxonomy is not None and text in column.released_labels() and text not in column.taxonomy.leaves
