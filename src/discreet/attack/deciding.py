"""Minimality where decisions are blind: the adversary decides anew, without any secret, and compares.

Who knows the known columns of everybody, the target and the policy can search as the owner did, with each k of the
list in turn. The first recoding that is the one released was found without the secrets, and tells nothing of them.
What is left is that every k before it was refused: with it some promise would have been broken. Among all ways to deal
the secrets to the rows that the release does not tell apart, those count in which that is so. They are drawn at random,
so that small differences are not seen.

A release that no k comes to was not decided blindly, whatever its policy says: it is attacked like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.adversary.base import Floats
from discreet.adversary.view import Flags
from discreet.attack.base import Attack, AttackTask
from discreet.attack.minimality import attack_recoding, groups_of
from discreet.common.rates import Rate
from discreet.common.shares import percent
from discreet.common.watch import Watch
from discreet.compare.scene import Scene
from discreet.encoded import Codes, Ints
from discreet.errors import DiscreetError
from discreet.plan.decided import Decided
from discreet.planning.deciding import decided_again
from discreet.policy import Inference, Policy
from discreet.policy.bind import bind
from discreet.policy.deciding import asked_ks, without_secrets
from discreet.table.engine import Engine

WORK = 20_000_000
"""Rows that are dealt anew, in all draws together."""
LEAST_DRAWS, MOST_DRAWS = 100, 1_000
SURE = 3
"""Standard errors by which somebody must be surer than the limit to be counted."""
NOT_TRIED = {
    "genetic": "not attacked: the genetic search draws its cuts, so that nobody can decide as it did",
    "local": "not attacked: it is for recodings that treat all rows alike, and this one does not",
}
UNLIKE = "no k of the list comes to this recoding: it was not decided blindly, or from another table"


@dataclass(frozen=True)
class RecodedAnew:
    """A recoding that was decided anew with k: the rows of the release as it would have them."""

    k: int
    table: Engine
    merges: bool
    """Whether rows in groups of less than k are masked, and so together."""

    def groups(self, given: Sequence[str]) -> Ints:
        """Return the group of each row on some columns."""
        found = groups_of(self.table, given)
        if self.merges:
            small = np.bincount(found)[found] < self.k
            found = np.where(small, -1, found) + 1
        return found


def decided_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attack on blind decisions, where there are any."""
    if scene.policy.decide is None or not scene.policy.templates() or scene.places is None:
        return
    seconds = 1.0 + len(asked_ks(scene.policy)) * (0.2 + scene.original.rows * 2e-5)
    yield AttackTask("aware, blind decisions made anew", seconds, lambda: attack_decisions(scene))


def attack_decisions(scene: Scene) -> Iterator[Attack]:
    """Yield for each template what the recoding tells to who decides anew."""
    policy = scene.policy
    note = NOT_TRIED.get(policy.method)
    if note is None and scene.linked is not None and scene.linked.past:
        note = "not attacked: what earlier releases told took part in it, and is not decided anew here"
    if note is None and (policy.unit is not None or policy.release is not None):
        note = "not attacked: it is for tables that are released whole, one row a person"
    if note is not None:
        yield from (_attack(scene, promise, note) for promise in policy.templates())
        return
    replayed, found = _decide_again(scene)
    if scene.late:
        late = "stopped for want of time: not every k was tried"
        yield from (_attack(scene, promise, late) for promise in policy.templates())
    elif not found:
        for attack in attack_recoding(scene):
            yield replace(attack, warnings=(*attack.warnings, UNLIKE))
    else:
        yield from _judged(scene, replayed)


def _decide_again(scene: Scene) -> tuple[list[RecodedAnew], bool]:
    """Return the recodings that were decided anew, the last being the one released; and whether one is."""
    assert scene.places is not None
    policy, replayed = scene.policy, []
    changeable = [name for name in bind(policy, scene.original.columns).changeable if name in scene.released.columns]
    masked = _masked(scene.released, changeable, policy.marker)
    for k in asked_ks(policy):
        if scene.late:
            break
        try:
            plan = decided_again(scene.original, policy, k, Watch())
        except DiscreetError:  # nothing with so large a k can be released
            break
        table = scene.original.apply(plan).only(scene.places)
        replayed.append(RecodedAnew(k, table, policy.method != "disclosure"))
        suppressed = masked & ~_masked(table, changeable, policy.marker)
        if not _explained(suppressed, table, without_secrets(policy, k)):
            continue
        if all(_same(table, scene.released, name, ~suppressed) for name in changeable):
            return replayed, True
    return replayed, False


def _masked(table: Engine, changeable: Sequence[str], marker: str) -> Flags:
    """Say which rows tell nothing on any column that may change."""
    masked = np.ones(table.rows, dtype=np.bool_)
    for name in changeable:
        encoded = table.encoded(name)
        masked &= np.array([text == marker for text in encoded.domain], dtype=np.bool_)[encoded.codes]
    return masked


def _explained(suppressed: Flags, table: Engine, asked: Policy) -> bool:
    """Whether rows were suppressed as a search suppresses them: those in groups that are too small.

    Some more may be drawn by lot, until there are enough of them; none where nothing is suppressed.
    """
    crowds = [one for promise in asked.promises() for one in promise.over_each() if promise.among is None]
    most = max((promise.least_rows for promise in crowds), default=1)
    small = np.zeros(table.rows, dtype=np.bool_)
    if asked.method != "disclosure":
        for promise in crowds:
            group = groups_of(table, promise.given)
            small |= np.bincount(group)[group] < promise.least_rows
    drawn = int((suppressed & ~small).sum())
    return drawn == 0 if asked.method == "disclosure" else drawn < most


def _same(one: Engine, other: Engine, name: str, rows: Flags) -> bool:
    """Whether two tables have the same texts of a column in some rows."""
    left, right = one.encoded(name), other.encoded(name)
    pairs = np.unique(left.codes[rows].astype(np.int64) * len(right.domain) + right.codes[rows])
    return all(left.domain[pair // len(right.domain)] == right.domain[pair % len(right.domain)] for pair in pairs)


def _judged(scene: Scene, replayed: Sequence[RecodedAnew]) -> Iterator[Attack]:
    """Yield what is told by the k that were refused before the recoding that was released."""
    promises = scene.policy.templates()
    decided = Decided(replayed[-1].k, tuple(each.k for each in replayed[:-1]), len(asked_ks(scene.policy)))
    if not decided.refused:
        same = "decided anew without any secret, the recoding is the same at the first k: it tells nothing of them"
        yield from (_attack(scene, promise, same, decided) for promise in promises)
        return
    dealt = _Dealing(scene, replayed[:-1])
    dealt.run()
    for place, promise in enumerate(promises):
        yield dealt.attack(place, promise, decided)


class _Dealing:
    """The secrets dealt anew, many times, to the rows that the release does not tell apart."""

    def __init__(self, scene: Scene, refused: Sequence[RecodedAnew]) -> None:
        policy, released = scene.policy, scene.released
        self.scene, self.promises = scene, policy.templates()
        known = [name for name in released.columns if any(name in made.known for _, made in policy.groups())]
        self.alike = groups_of(released, known)
        self.order = np.argsort(self.alike, kind="stable")
        self.groups = [[each.groups(promise.given) for promise in self.promises] for each in refused]
        cell = self.alike
        for groups in (group for each in self.groups for group in each):
            cell = np.unique(cell * (int(groups.max(initial=0)) + 1) + groups, return_inverse=True)[1].reshape(-1)
        self.cell = cell.astype(np.int64)
        self.cells = np.bincount(self.cell)
        self.codes = {promise.column: released.encoded(promise.column).codes for promise in self.promises}
        self.having = [
            np.array([text == promise.value for text in released.encoded(promise.column).domain], dtype=np.bool_)
            for promise in self.promises
        ]
        self.known = {
            column: np.array([not policy.is_unknown(text) for text in released.encoded(column).domain], dtype=np.bool_)
            for column in self.codes
        }
        self.draws = self.accepted = 0
        self.sums = [np.zeros(len(self.cells)) for _ in self.promises]
        self.squares = [np.zeros(len(self.cells)) for _ in self.promises]

    def run(self) -> None:
        """Deal as often as there is time for."""
        rng = np.random.default_rng(self.scene.seed)
        rows = max(len(self.order), 1)
        for _ in range(min(max(WORK // rows, LEAST_DRAWS), MOST_DRAWS)):
            if self.scene.late:
                return
            self.draws += 1
            mixed = np.lexsort((rng.random(len(self.order)), self.alike))
            dealt = {}
            for column, codes in self.codes.items():
                dealt[column] = np.empty_like(codes)
                dealt[column][self.order] = codes[mixed]
            hits = [having[dealt[promise.column]] for promise, having in zip(self.promises, self.having, strict=True)]
            if all(self._breaks(groups, hits, dealt) for groups in self.groups):
                self.accepted += 1
                for place, hit in enumerate(hits):
                    share = np.bincount(self.cell, weights=hit) / self.cells
                    self.sums[place] += share
                    self.squares[place] += share * share

    def _breaks(self, groups: Sequence[Ints], hits: Sequence[Flags], dealt: dict[str, Codes]) -> bool:
        """Whether some promise is broken on a recoding, so dealt."""
        for promise, group, hit in zip(self.promises, groups, hits, strict=True):
            rows = np.bincount(group, weights=self.known[promise.column][dealt[promise.column]]).astype(np.int64)
            having = np.bincount(group, weights=hit).astype(np.int64)
            if (having * promise.at_most.denominator > rows * promise.at_most.numerator).any():
                return True
        return False

    def attack(self, place: int, promise: Inference, decided: Decided) -> Attack:
        """Return what somebody is surer of than the limit allows."""
        if not self.accepted:
            rare = "that a smaller k was refused is so rare by chance that nothing can be reckoned from it here"
            return _attack(self.scene, promise, rare, decided)
        mean = self.sums[place] / self.accepted
        spread = np.sqrt(np.maximum(self.squares[place] / self.accepted - mean * mean, 0.0) / self.accepted)
        surest = (mean - SURE * spread)[self.cell]
        drawn = f"{self.accepted} of {self.draws} ways to deal the secrets break a promise with every k refused"
        made = _attack(self.scene, promise, drawn, decided, surest)
        return replace(made, figures={**made.figures, "highest": float(mean.max(initial=0.0))})


def _attack(
    scene: Scene, promise: Inference, note: str, decided: Decided | None = None, surest: Floats | None = None
) -> Attack:
    assert scene.places is not None
    above = np.zeros(0, dtype=np.int64)
    if surest is not None:
        above = np.flatnonzero(surest > float(promise.at_most))
    encoded = scene.original.encoded(promise.column)
    having = np.array([text == promise.value for text in encoded.domain], dtype=np.bool_)[encoded.codes[scene.places]]
    figures: dict[str, float | int | None] = {"limit": float(promise.at_most), "rows": scene.released.rows}
    if decided is not None:
        figures |= {"k": decided.k, "asked": len(decided.refused) + 1, "of": decided.of, "bits": decided.bits}
    attack = Attack(
        "aware",
        "minimality",
        "decides anew without the secrets, and asks why no smaller k did",
        promise.column,
        tuple(promise.given),
        Rate(int(having[above].sum()), len(above)),
        len(above),
        baseline=Rate(float(having.mean() * len(above)) if len(above) else 0.0, len(above)),
        requirement=promise.index,
        notes=(note,),
        figures={"refinements": 0, "highest": None, **figures},
    )
    if not len(above) or decided is None:
        return attack
    refused = ", ".join(map(str, decided.refused))
    warning = (
        f"whoever knows the {', '.join(promise.given)} of everybody can reckon that k = {refused} was refused, and is "
        f"then surer than {percent(promise.at_most)} of a protected value of {promise.column!r} for {len(above)} rows"
    )
    return replace(attack, warnings=(warning,))
