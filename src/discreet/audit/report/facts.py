"""What a public report may tell: a list of fields, taken one by one."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.attack.base import Kind
from discreet.audit.answers import Answer
from discreet.audit.audit import Audit
from discreet.audit.report.shared import Changed
from discreet.audit.report.words import share
from discreet.audit.risk import Spread
from discreet.policy import Confidential, Crowd


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
class Target:
    """What the groups of the release tell of a target."""

    name: str
    measure: str
    released: float


@dataclass(frozen=True)
class Shares:
    """The texts of one column of the release."""

    name: str
    shown: tuple[tuple[str | None, float], ...]


@dataclass(frozen=True)
class Facts:
    """All that a public report knows."""

    name: str | None
    columns: tuple[str, ...]
    use: str | None
    method: str | None
    promises: tuple[str, ...]
    changeable: tuple[str, ...]
    kinds: tuple[str, ...]
    answers: tuple[Answer, ...]
    truthful: Answer
    rows: int
    suppressed: int
    sample: tuple[str, str] | None
    changed: tuple[Changed, ...]
    losses: tuple[tuple[str, float], ...]
    loss: float | None
    detail: float | None
    groups: int
    smallest: int
    average: float
    targets: tuple[Target, ...]
    learned: tuple[Error, ...]
    shares: tuple[Shares, ...]
    sizes: tuple[tuple[str, Spread], ...]
    attacks: tuple[Kind, ...] | None
    thorough: bool
    not_covered: tuple[str, ...]

    @property
    def recodes(self) -> bool:
        """Whether some promise is about groups, for which whole columns are made coarser."""
        return any(kind != Confidential.kind for kind in self.kinds)


def facts(audit: Audit) -> Facts:
    """Take what may be published, and nothing else.

    From `about`: `name`, `columns`, `use`, `method`, `public`, `changeable`. From `verification`: the `kind` and
    `answer` of each requirement, and whether the release is true. `rows`, `suppressed`, `hidden_cells`,
    `coarser_cells`, `detail`, `not_covered`. From `sample`: the share and `k_on`. From `usefulness`: `groups`,
    `smallest`, `average`, and of each target its name, measure and figure on the release. From `utility`: `loss`; of
    each column `name`, `unchanged`, `coarser`, `hidden`, `loss` and `shown`; of what is learned `target`, `learner`,
    `score`, `original`, `released`, `nothing`. From `risk`, for k-anonymity that counts in the
    release: `limit` and `spread_after`. From `attacks`: which kinds were made, and whether thoroughly.

    Losses, detail, and what is learned or told of targets are rounded to whole percents: an exact figure about the
    original can give a hidden cell away to whoever tries all its values.
    """
    about, found, use = audit.about, audit.utility, audit.usefulness
    in_release = audit.sample is None or audit.sample.asked.k_on != "population"
    return Facts(
        name=None if about is None else about.name,
        columns=() if about is None else about.columns,
        use=None if about is None else about.use,
        method=None if about is None else about.method,
        promises=() if about is None else about.public,
        changeable=() if about is None else about.changeable,
        kinds=tuple(finding.kind for finding in audit.promises),
        answers=tuple(finding.answer for finding in audit.promises),
        truthful=audit.verification.truthful.answer,
        rows=audit.rows,
        suppressed=audit.suppressed,
        sample=None if audit.sample is None else (share(audit.sample.asked.sample), audit.sample.asked.k_on),
        changed=_changed(audit),
        losses=() if found is None else tuple((column.name, round(column.loss, 2)) for column in found.columns),
        loss=None if found is None else round(found.loss, 2),
        detail=None if audit.detail is None else round(audit.detail, 2),
        groups=use.groups,
        smallest=use.smallest,
        average=use.average,
        targets=tuple(Target(told.target, told.measure, round(told.released, 2)) for told in use.targets),
        learned=()
        if found is None
        else tuple(
            Error(one.target, one.learner, one.score, *(round(x, 2) for x in (one.original, one.released, one.nothing)))
            for one in found.learned
        ),
        shares=()
        if found is None
        else tuple(
            Shares(column.name, tuple((text.label, text.share) for text in column.shown))
            for column in found.columns
            if column.shown
        ),
        sizes=tuple((risk.limit, risk.spread_after) for risk in audit.risk if risk.kind == Crowd.kind and in_release),
        attacks=None if audit.attacks is None else tuple(attack.kind for attack in audit.attacks.found),
        thorough=audit.attacks is not None and audit.attacks.thorough,
        not_covered=audit.not_covered,
    )


def _changed(audit: Audit) -> tuple[Changed, ...]:
    if audit.utility is not None:
        return tuple(Changed(one.name, one.unchanged, one.coarser, one.hidden) for one in audit.utility.columns)
    return tuple(
        Changed(name, audit.rows - hidden - audit.coarser_cells.get(name, 0), audit.coarser_cells.get(name, 0), hidden)
        for name, hidden in audit.hidden_cells.items()
    )
