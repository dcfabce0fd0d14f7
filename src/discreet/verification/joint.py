"""Several releases about the same people, counted anew: who looks alike for somebody who links all of them.

The joint view has one line for each person who is in any release. For a promise over some columns two persons look
alike when they agree on all these columns in all releases that have them, and on their presence in every release. On
these groups count the promises of the last policy and of every release before it: k on persons; promises about values
on the column of each release that has it, among those who are in that release, and with it as a reference; templates
besides on who was shown with something in any release.

Nothing here is used in making a release, and nothing that makes one is used here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.ledger.entry import PastRelease
from discreet.policy import GroupPromise, Policy
from discreet.policy.ledger_options import over_time
from discreet.policy.requirements import PROMISES
from discreet.policy.requirements.any_of import sets_of
from discreet.policy.requirements.base import GroupRequirement
from discreet.policy.requirements.seen import SeenColumn, SeenOf
from discreet.policy.seen_values import seen_values
from discreet.verification.answers import Answer
from discreet.verification.counting import counted
from discreet.verification.figures import broken_groups
from discreet.verification.joint_cells import KIND as CELLS
from discreet.verification.joint_cells import cells_over_time
from discreet.verification.joint_persons import PersonsJudge, PersonsView, person_judges
from discreet.verification.joint_view import JointView, WeighedTexts
from discreet.verification.properties import properties_of

PERSONS, ANY = "persons", "any release"
Flags = np.ndarray


@dataclass(frozen=True)
class JointFinding:
    """The answer about one promise over all releases. It names no person and no group."""

    of: tuple[str, ...]
    """The releases that promised it."""
    index: int
    kind: str
    promise: str
    about: str
    """What was counted: persons, the values of a release by its name, or those shown in any release."""
    answer: Answer
    persons: int = 0
    """For how many persons it is broken."""
    excused: bool = False
    """Whether it is broken only by who left, or by releases before, or about cells that the policy accepts: no release
    mends that, and the policy wants it reported."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "of": list(self.of),
            "index": self.index,
            "kind": self.kind,
            "promise": self.promise,
            "about": self.about,
            "answer": str(self.answer),
            "persons": self.persons,
            "excused": self.excused,
        }


@dataclass(frozen=True)
class JointVerification:
    """The answers about all promises over several releases."""

    releases: tuple[str, ...]
    """The earlier releases that were counted."""
    findings: tuple[JointFinding, ...]
    matched: int
    """Persons of this release who are in an earlier one."""
    new: int
    left: int
    """Persons of earlier releases who are not in this one."""
    broken: int
    """Persons for whom some promise is broken."""
    unlinked: tuple[str, ...] = ()
    """Releases in which persons have several rows that nobody linked to those of others, for want of a row key."""

    @property
    def holds(self) -> bool:
        """Whether every promise holds for everybody."""
        return all(finding.answer is Answer.HOLDS for finding in self.findings)

    @property
    def may_go_out(self) -> bool:
        """Whether whatever is broken is what the policy wants reported, and no release can mend."""
        return all(finding.answer is Answer.HOLDS or finding.excused for finding in self.findings)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "holds": self.holds,
            "releases": list(self.releases),
            "persons": {"matched": self.matched, "new": self.new, "left": self.left, "broken": self.broken},
            **({"unlinked": list(self.unlinked)} if self.unlinked else {}),
            "promises": [finding.to_dict() for finding in self.findings],
        }


def check_joint(past: Sequence[PastRelease], last: PastRelease) -> JointVerification:
    """Count every promise of the last release and of those before it on all of them together."""
    releases = [*past, last]
    several = any(release.of_rows for release in releases)
    view = PersonsView(releases) if several else JointView(releases, _spoken_of(releases))
    excused: Flags = np.zeros(view.height, dtype=np.bool_)
    if over_time(last.policy).leavers == "warn":
        excused = ~view.there[:, -1] | _broken_before(view, [*past, last])
    found, broken = [], np.zeros(view.height, dtype=np.bool_)
    for names, policy, index, made in _promised([*past, last]):
        for finding, whom in _counted(view, policy, index, made):
            found.append(replace(finding, of=names, excused=bool(whom.any()) and not (whom & ~excused).any()))
            broken |= whom
    accepted = over_time(last.policy).released == "accept"
    for cells in cells_over_time(view) if isinstance(view, JointView) else ():
        some = bool(cells.broken.any())
        answer, persons = Answer.BROKEN if some else Answer.HOLDS, view.persons(cells.broken)
        found.append(
            JointFinding(
                cells.of, cells.index, CELLS, cells.promise, cells.about, answer, persons, excused=some and accepted
            )
        )
        broken |= cells.broken
    now = view.there[:, -1]
    before = view.there[:, :-1].any(axis=1)
    return JointVerification(
        tuple(release.name for release in past),
        tuple(found),
        matched=view.persons(now & before),
        new=view.persons(now & ~before),
        left=view.persons(before & ~now),
        broken=view.persons(broken),
        unlinked=view.unlinked if isinstance(view, PersonsView) and past else (),
    )


def _broken_before(view: JointView | PersonsView, releases: Sequence[PastRelease]) -> Flags:
    """Return for whom the releases before the last break a promise of any of them together already.

    Those who are in none of them are nobody there, however few they are.
    """
    found = np.zeros(view.height, dtype=np.bool_)
    if len(releases) > 1:
        before = view.before_the_last()
        for _, policy, index, made in _promised(releases):
            for _, whom in _counted(before, policy, index, made):
                found |= whom & before.there.any(axis=1)
    return found


def _spoken_of(releases: Sequence[PastRelease]) -> set[str]:
    """Return the columns that promises of any release speak of, and those with confidential cells."""
    found: set[str] = set()
    for release in releases:
        found |= set(release.confidential_columns)
        for _, made in release.policy.groups():
            found |= {name for over in sets_of(made.known) for name in over}
            found |= set() if made.sensitive is None else {made.sensitive}
    return found


def _promised(
    releases: Sequence[PastRelease],
) -> Iterator[tuple[tuple[str, ...], Policy, int, GroupRequirement]]:
    """Yield every requirement about groups of all policies, equal ones once, with who made it; the last one's first."""
    found: dict[tuple[object, ...], tuple[list[str], Policy, int, GroupRequirement]] = {}
    for release in reversed(releases):
        policy = release.policy
        for index, made in policy.groups():
            column = "" if made.sensitive is None else policy.column(made.sensitive).model_dump_json()
            missing = "" if policy.missing is None else policy.missing.model_dump_json()
            key = (made.model_dump_json(), column, missing, policy.marker, _knowing_rows(policy))
            found.setdefault(key, ([], policy, index, made))[0].append(release.name)
    for names, policy, index, made in found.values():
        yield tuple(reversed(names)), policy, index, made


def _knowing_rows(policy: Policy) -> bool:
    """Whether it is asked against somebody who knows how many rows a person has."""
    return policy.unit is None or policy.unit.counts_rows


@dataclass(frozen=True)
class _JointJudge:
    """One promise with what it is counted on, for any way to tell persons apart."""

    view: JointView
    policy: Policy
    promise: GroupPromise
    counts: Flags
    """Who counts."""
    places: tuple[int, ...]
    """The releases whose values are counted; none for k."""

    def broken_on(self, over: Sequence[str]) -> Flags:
        """Return who stands in a group on some columns that breaks the promise."""
        return self.broken(self.view.groups(over))

    def broken(self, group: Ints) -> Flags:
        """Return who stands in a group that breaks the promise."""
        mine = group[self.counts]
        if not len(mine):
            return np.zeros(len(group), dtype=np.bool_)
        kinds, dense = np.unique(mine, return_inverse=True)
        weights = self.view.weights[self.counts]
        bad = self._of_any(dense, len(kinds), weights) if len(self.places) > 1 else self._of_one(dense, weights)
        found = np.zeros(len(group), dtype=np.bool_)
        found[self.counts] = bad[dense]
        return found

    def _of_one(self, dense: Ints, weights: Ints) -> Flags:
        """Return which groups break it, counted as in a single release."""
        column = self.promise.column
        label = f"{column} group"
        frame = pl.DataFrame({label: pl.Series(dense).cast(pl.String)})
        if column is not None:
            said = self.view.texts(self.places[0], column, self.policy).filter(pl.Series(self.counts))
            frame = frame.with_columns(said.alias(column))
        (figures,) = counted(WeighedTexts(frame, weights), self.policy, (label,), [self.promise])
        at = figures.texts.to_series(0).cast(pl.Int64).to_numpy()
        bad = np.zeros(int(dense.max()) + 1, dtype=np.bool_)
        bad[at] = broken_groups(figures, self.promise)
        return bad

    def _of_any(self, dense: Ints, number: int, weights: Ints) -> Flags:
        """Return the groups in which too many were shown with something in any release."""
        column = self.promise.column
        assert column is not None
        told, said = self._told
        silent = np.array([text in self.policy.hidden_texts() for text in said], dtype=np.bool_)
        sizes = _summed(dense, weights, number)
        bad = np.zeros(number, dtype=np.bool_)
        found = properties_of(said, silent, self.policy, self.promise)
        limit, strict = self.promise.stated, PROMISES[self.promise.kind].strict
        for one in found.properties:
            has, may = self._anywhere(told, one.has), self._anywhere(told, one.open & ~one.has)
            owns = _summed(dense[has], weights[has], number)
            known = sizes - _summed(dense[may & ~has], weights[may & ~has], number)
            usual, all_known = int(owns.sum()), int(known.sum())
            pairs, which = np.unique(np.stack((owns, known, sizes)), axis=1, return_inverse=True)
            verdicts = []
            for mine, here, size in pairs.T.tolist():
                figure = Fraction(mine, max(here, 1))
                if found.relative:
                    all_of = Fraction(mine * int(sizes.sum()), max(usual * size, 1))
                    figure = max(Fraction(mine * all_known, max(usual * here, 1)), all_of)
                verdicts.append(figure >= limit if strict and mine else figure > limit)
            bad |= np.array(verdicts, dtype=np.bool_)[which.ravel()]
        if found.unread is not None and found.unread.any():
            bad |= np.bincount(dense[self._anywhere(told, found.unread)], minlength=number) > 0
        return bad

    @cached_property
    def _told(self) -> tuple[list[Ints], tuple[str | None, ...]]:
        """What each release tells of everybody who counts, by places in all texts; -1 where she is not in it."""
        column = self.promise.column or ""
        columns = [self.view.texts(place, column, self.policy).filter(pl.Series(self.counts)) for place in self.places]
        there = [self.view.there[self.counts, place] for place in self.places]
        values = pl.concat([said.filter(pl.Series(here)) for said, here in zip(columns, there, strict=True)])
        domain = values.unique().sort().to_list()
        known = pl.DataFrame({"text": pl.Series(domain, dtype=pl.String)}).with_row_index("which")
        codes = []
        for said, here in zip(columns, there, strict=True):
            found = said.to_frame("text").join(known, on="text", how="left", nulls_equal=True, maintain_order="left")
            codes.append(np.where(here, found.get_column("which").fill_null(0).to_numpy().astype(np.int64), -1))
        return codes, tuple(domain)

    def _anywhere(self, told: Sequence[Ints], texts: Flags) -> Flags:
        """Return who was shown with one of some texts in any release."""
        padded = np.append(texts, False)
        found: Flags = np.logical_or.reduce([padded[codes] for codes in told])
        return found


def _summed(group: Ints, weights: Ints, number: int) -> Ints:
    """Return how many persons each group has: whole numbers, summed as such."""
    found = np.zeros(number, dtype=np.int64)
    np.add.at(found, group, weights)
    return found


def _counted(
    view: JointView | PersonsView, policy: Policy, index: int, made: GroupRequirement
) -> Iterator[tuple[JointFinding, Flags]]:
    """Yield what is found of one requirement, and for whom it is broken."""
    for about, judge in _judging(view, policy, index, made):
        broken = np.zeros(view.height, dtype=np.bool_)
        for over in sets_of(judge.promise.given):
            broken |= judge.broken_on(over)
        answer = Answer.BROKEN if broken.any() else Answer.HOLDS
        yield (
            JointFinding((), index, judge.promise.kind, str(judge.promise), about, answer, view.persons(broken)),
            broken,
        )


def _judging(
    view: JointView | PersonsView, policy: Policy, index: int, made: GroupRequirement
) -> Iterator[tuple[str, _JointJudge | PersonsJudge]]:
    """Yield what is counted of one requirement: on persons with a row each, or by all their rows."""
    if isinstance(view, PersonsView):
        yield from person_judges(view, policy, index, made)
    else:
        yield from _judges(view, policy, index, made)


def _judges(view: JointView, policy: Policy, index: int, made: GroupRequirement) -> Iterator[tuple[str, _JointJudge]]:
    """Yield what is counted of one requirement: of persons, in each release that has its column, in any of them."""
    column = made.sensitive
    if column is None:
        for promise in policy.promises_of(index):
            yield PERSONS, _JointJudge(view, policy, promise, np.ones(view.height, dtype=np.bool_), ())
        return
    having = view.having(column)
    for place in having:
        for promise in policy.promises_of(index, _always(_seen(view, policy, column, [place]))):
            yield view.releases[place].name, _JointJudge(view, policy, promise, view.there[:, place], (place,))
    if len(having) > 1 and made.kind_made.template:
        there: Flags = np.asarray(view.there[:, having].any(axis=1))
        for promise in policy.promises_of(index, _always(_seen(view, policy, column, having))):
            yield ANY, _JointJudge(view, policy, promise, there, tuple(having))


def _always(seen: SeenColumn) -> SeenOf:
    return lambda _: seen


def _seen(view: JointView, policy: Policy, column: str, places: Sequence[int]) -> SeenColumn:
    """Return the different texts of a column in some releases that tell something."""
    said = []
    for place in places:
        there = pl.Series(view.there[:, place])
        texts = view.texts(place, column, policy)
        said.append(pl.DataFrame({"text": texts, "persons": view.weights}).filter(there))
    rows = pl.concat(said).group_by("text").agg(pl.col("persons").sum()).sort("text", nulls_last=False)
    return seen_values(policy, column, rows.get_column("text").to_list(), rows.get_column("persons").to_list())
