"""Verification: every promise counted again on the released table, by code of its own.

Guarantee: `holds` is said only when each requirement was counted on the texts that are in the release (and,
with the original, when each cell was found to be the original or something that covers it). Nothing here knows how the
release was made; nothing here is used in making it.

Where sensitive cells are hidden or unknown (a rows have the property, u are hidden, n rows in the group), both a/(n-u)
and a/n must be within the limit; (a+u)/n, the worst case, is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.columns.medians import Ranges, map_path, read_map
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.plan.blind_statement import BlindStatement, read_statement, read_statement_file, statement_path
from discreet.policy import Confidential, GroupPromise, Policy, as_policy
from discreet.policy.bind import Bound, bind
from discreet.policy.persons import worded
from discreet.policy.places import column_hint
from discreet.policy.requirements.base import GroupRequirement
from discreet.policy.requirements.seen import SeenColumn
from discreet.policy.seen_values import seen_values
from discreet.table.decimals import as_written
from discreet.table.engine import Engine, Recount
from discreet.table.source import Opening, Table, open_tables
from discreet.verification.answers import Answer
from discreet.verification.counting import persons
from discreet.verification.findings import Finding, Truth, Verification, Worst
from discreet.verification.persons import count_persons, with_persons
from discreet.verification.properties import occurs
from discreet.verification.row_matches import Matches, PutBack
from discreet.verification.true_release import true_of_persons, truth_of
from discreet.verification.worst_groups import worst_group, worst_of

if TYPE_CHECKING:
    from discreet.verification.blind import BlindCheck
    from discreet.verification.cell_answers import CellsFound
    from discreet.verification.with_ledger import LedgerCheck

SHUFFLED = "rows were shuffled, and nobody can tell whose they are: give the private plan with --plan"
WHOLE = "k counts in the whole table, of which this is a sample: give the original"


def verify(
    table: Table,
    policy: Policy | Mapping[str, Any] | str | Path,
    original: Table | None = None,
    *,
    intervals: Mapping[str, Ranges] | str | Path | None = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
    order: Sequence[int] | None = None,
    population: Table | None = None,
    statement: BlindStatement | Mapping[str, Any] | str | Path | None = None,
    ledger: str | Path | None = None,
    person: str | None = None,
    secret: str | Path | None = None,
    row_key: str | None = None,
) -> Verification:
    """Count every promise of the policy again on a released table, however it was made.

    Parameters
    ----------
    table
        The release: a dataframe, or the path of a file.
    policy
        The policy it should keep, or the path of its file.
    original
        The table it was made from, to check that every released cell is true.
    intervals
        Where medians are released, the intervals they stand for: `Release.intervals`, or the path of their file.
        When absent, those beside the file of the release are taken, if there are any.
    engine, memory_limit, key
        As for `protect`; both tables are held by the same engine. On Spark, rows of the release and of the original are
        put side by side in the order of `key`, which both have.
    order
        Where the rows left in an order that was drawn, the row numbers of the original in that order, as the private
        plan has them (`Plan.order`). When absent, rows are matched in some way in which every cell is true, and nobody
        can say whether a confidential cell is protected.
    population
        The people among whom those of the release are, where the policy names some: instead of the file that it names.
    statement
        Of blind protection, the method statement: `Release.statement`, or the path of its file. When absent, the one
        beside the file of the release is taken, if there is one.
    ledger, person, secret, row_key
        The ledger of releases about the same people, the column of the original that says who somebody is, and the file
        with the ledger's secret, where that lies elsewhere: every promise is counted on all releases together.
        `row_key` links the rows of persons who have several, as for `protect`.

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> d.verify(pl.DataFrame({"Job": ["a", "a", "b"], "Ill": ["yes", "no", "no"]}), policy).holds
    True
    """
    policy = as_policy(policy)
    policy = policy if population is None else policy.with_population(population)
    beside = None
    if ledger is not None:
        if original is None:
            raise InputError("--ledger: the original says whose rows they are: give it with --original")
        from discreet.verification.with_ledger import ledger_check

        policy, beside = ledger_check(table, policy, ledger, person, secret, row_key)
    tables = [(table, True), *([] if original is None else [(original, False)])]
    released, *source = open_tables(tables, policy, Opening(engine, memory_limit, key))
    policy = as_written(policy, source[0] if source else released)
    medians = published_intervals(table, policy, intervals)
    stated = published_statement(table, policy, statement)
    if beside is not None:
        source[0], policy = beside.members_of(source[0], policy)
    if not source or not (policy.shuffle or (order is not None and policy.unit is not None)):
        first = source[0] if source else None
        found = check(released, policy, first, medians=medians, statement=stated, beside=beside)
        return _with_earlier(found, policy, beside, released, first, medians)
    back = back_in_order(released, bind(policy, source[0].columns), source[0], medians, order)
    truth = truth_of(back.released, policy, source[0], medians, back)
    if order is not None:
        stated = stated_in_order(stated, order, shuffled=policy.shuffle)
    elif stated is not None:
        return replace(check(released, policy, None, medians=medians, statement=stated), truthful=truth[0])
    found = check(back.released, policy, source[0], medians=medians, found=truth, statement=stated, beside=beside)
    if order is None and beside is not None:
        from discreet.verification.with_ledger import not_checkable

        return replace(found, joint=not_checkable(SHUFFLED))
    return _with_earlier(found, policy, beside, back.released, source[0], medians)


def _with_earlier(
    found: Verification,
    policy: Policy,
    beside: LedgerCheck | None,
    released: Engine,
    original: Engine | None,
    medians: Mapping[str, Ranges],
) -> Verification:
    """Return what was found, with the answer about earlier releases: it needs a ledger."""
    if policy.ledger is None and (beside is None or original is None):
        return found
    from discreet.verification.with_ledger import not_checkable, places_of

    if beside is None or original is None:
        return replace(found, joint=not_checkable())
    places = places_of(truth_of(released, policy, original, medians)[1])
    return replace(found, joint=beside.checked(released, policy, original, places))


def stated_in_order(
    stated: BlindStatement | None, order: Sequence[int] | None, *, shuffled: bool
) -> BlindStatement | None:
    """Return a method statement about rows that were put back into their order; None where that is not known."""
    if stated is None or not shuffled:
        return stated
    return None if order is None else stated.moved(np.argsort(np.asarray(order)).tolist())


def published_statement(
    table: Table, policy: Policy, statement: BlindStatement | Mapping[str, Any] | str | Path | None
) -> BlindStatement | None:
    """Return the method statement of blind protection, as given or as it stands beside the release."""
    if not policy.is_blind or statement is None or isinstance(statement, BlindStatement):
        if policy.is_blind and statement is None and isinstance(table, (str, Path)):
            return read_statement_file(statement_path(Path(table)))
        return statement if isinstance(statement, BlindStatement) else None
    if isinstance(statement, Mapping):
        return read_statement(statement)
    if (found := read_statement_file(Path(statement))) is None:
        raise InputError(f"{statement}: there is no such file")
    return found


def back_in_order(
    released: Engine, bound: Bound, original: Engine, medians: Mapping[str, Ranges], order: Sequence[int] | None
) -> PutBack:
    """Return a release that came in an order of its own in that of the original: the known one, or one that fits."""
    from discreet.verification.shuffled import put_back, put_back_by  # compiled: only loaded when needed

    return put_back(released, original, bound, medians) if order is None else put_back_by(released, original, order)


def published_intervals(
    table: Table, policy: Policy, intervals: Mapping[str, Ranges] | str | Path | None
) -> Mapping[str, Ranges]:
    """Return the intervals that released medians stand for, as given or as they stand beside the release."""
    if isinstance(intervals, (str, Path)):
        if not Path(intervals).exists():
            raise InputError(f"{intervals}: there is no such file")
        return read_map(Path(intervals), escape_formulas=policy.file.escape_formulas)
    if intervals is not None:
        unknown = [name for name in intervals if policy.column(name).released_form != "median"]
        if unknown:
            raise InputError(f"intervals: {unknown[0]!r} is not a column that the policy releases by medians")
        return intervals
    by_medians = any(column.released_form == "median" for column in policy.columns.values())
    if not by_medians or not isinstance(table, (str, Path)):
        return {}
    return read_map(map_path(Path(table)), escape_formulas=policy.file.escape_formulas)


def check(
    released: Engine,
    policy: Policy,
    original: Engine | None,
    *,
    vouched: bool = False,
    medians: Mapping[str, Ranges] | None = None,
    whole: Engine | None = None,
    places: Ints | None = None,
    hide_only: Engine | None = None,
    found: tuple[Truth, Matches | None] | None = None,
    statement: BlindStatement | None = None,
    beside: LedgerCheck | None = None,
) -> Verification:
    """Verify a release held by an engine; as `verify`. `medians` are the intervals published beside it.

    `places` are those of the released rows in the original, where they are known; `hide_only` is the table by the
    recodings alone, on which confidential cells are guessed for comparison; `found` is what `truth_of` said, if it was
    asked already; `statement` is the method statement of blind protection, `beside` the ledger of earlier releases.

    Where k counts in the `whole` table, of which the release is a sample, it is counted there as well, if it is known
    what became of it; else only by how many rows of the original each released combination covers.

    A value that occurs nowhere may be absent, or misspelt, of another type, or in another encoding: then its
    template is not checkable, unless the original has it, or the caller has `vouched` for the way the values are
    written.
    """
    truth, matches = truth_of(released, policy, original, medians or {}) if found is None else found
    matches = matches if places is None else Matches(places, places)
    people: Engine | str | None = None
    if policy.unit is not None:
        people = with_persons(released, policy, original, matches)
        if original is not None:
            truth = true_of_persons(truth, released, policy, original, matches, medians or {})
    counter = _Counter(released, policy, original, medians or {}, whole, matches, hide_only, people, statement, beside)
    return Verification(tuple(_findings(counter, vouched=vouched)), truth)


@dataclass(frozen=True)
class _Counter:
    """Counts the groups that decide about promises, in the release or in the whole table."""

    released: Engine
    policy: Policy
    original: Engine | None
    medians: Mapping[str, Ranges]
    whole: Engine | None
    matches: Matches | None = None
    """Where the released rows stand in the original, if rows are missing."""
    hide_only: Engine | None = None
    people: Engine | str | None = None
    """The release with whose rows they are, or why nobody can tell, where promises are about persons."""
    statement: BlindStatement | None = None
    beside: LedgerCheck | None = None

    @cached_property
    def blind(self) -> BlindCheck:
        """The release beside its method statement."""
        from discreet.verification.blind import BlindCheck  # only loaded when needed

        earlier = None
        if self.beside is not None and self.original is not None:
            earlier = self.beside.earlier(self.released, self.original, self.matches)
        return BlindCheck(self.released, self.policy, self.statement, self.original, self.matches, earlier)

    def cells(self, index: int, requirement: Confidential) -> Finding:
        """Return what is found about confidential cells."""
        if requirement.is_blind:
            return _of_cells(index, requirement, self.blind.found(index, requirement))
        from discreet.verification.cells import check_cells  # loads all adversaries

        found = check_cells(
            self.released,
            self.policy,
            index,
            requirement,
            self.original,
            matches=self.matches,
            hide_only=self.hide_only,
            medians=self.medians,
        )
        return _of_cells(index, requirement, found)

    def seen(self, column: str) -> SeenColumn:
        """Return the different texts of a column of the release that tell something."""
        if column not in self.released.columns:
            return SeenColumn((), (), 0, self.policy.column(column))
        found = self.released.recount((column,), None, (), ())
        pairs = sorted(zip(found.texts.to_series(0).to_list(), found.rows.tolist(), strict=True), key=_by_text)
        return seen_values(self.policy, column, [text for text, _ in pairs], [rows for _, rows in pairs])

    def can_count(self, promise: GroupPromise) -> bool:
        """Whether it is known what a promise is about."""
        return not promise.whole or self.whole is not None or self.original is not None

    def misfit(self, requirement: GroupRequirement) -> str | None:
        """Return why a requirement cannot be counted in its column, whatever values that has."""
        if requirement.sensitive is None:
            return None
        empty = SeenColumn((), (), 0, self.policy.column(requirement.sensitive))
        return next((message for _, message in requirement.problems(empty)), None)

    def nobody_has(self, promise: GroupPromise) -> bool:
        """Whether a promise is about a value that neither the release nor the original has: nobody knows why."""
        column, values = promise.column, promise.sought()
        if column is None or not values:
            return False
        tables = [self.released, *([] if self.original is None else [self.original])]
        there = [table for table in tables if column in table.columns]
        return not all(any(occurs(table, self.policy, column, value) for table in there) for value in values)

    def worst_of(self, promises: Sequence[GroupPromise]) -> list[Worst | None]:
        """Return the worst group for the promises of one requirement."""
        (first, *_), given = promises, promises[0].given
        if self.people is not None:
            assert not isinstance(self.people, str)
            return worst_of(self.people, self.policy, given, promises, count_persons)
        if not first.whole:
            return worst_of(self.released, self.policy, given, promises)
        found = [] if self.whole is None else worst_of(self.whole, self.policy, given, promises)
        if self.original is not None:
            found.append(worst_group(persons(self._covered(self.original, given)), given, first))
        return [max((worst for worst in found if worst is not None), key=lambda worst: worst.share, default=None)]

    def _covered(self, original: Engine, given: Sequence[str]) -> Recount:
        from discreet.verification.matching import covered  # compiled: only loaded when needed

        bound = bind(self.policy, original.columns)
        return covered(self.released, original, bound, given, self.medians)


def _by_text(pair: tuple[str | None, int]) -> tuple[bool, str]:
    return pair[0] is not None, pair[0] or ""


def _findings(counter: _Counter, *, vouched: bool) -> Iterator[Finding]:
    released, policy = counter.released, counter.policy
    cells, made = dict(policy.cells()), dict(policy.groups())
    for index, requirement in enumerate(policy.protect):
        if index in cells:
            yield counter.cells(index, cells[index])
            continue
        promises = list(policy.promises_of(index, counter.seen))
        lacking = [name for _, name in requirement.mentions() if name not in released.columns]
        if not promises:  # it promises something for each value, and no value is told
            kind, answer = made[index].kind_made.kind, Answer.NOT_CHECKABLE if lacking else Answer.HOLDS
            reason = f"the table has no column {lacking[0]!r}" if lacking else "no value is told"
            yield Finding(index, kind, f"{', '.join(made[index].known)}: no value", answer, reason=reason)
            continue
        if (why := _not_countable(counter, made[index], promises, lacking)) is not None:
            for promise in promises:
                yield replace(_of_promise(policy, index, promise), answer=Answer.NOT_CHECKABLE, reason=why)
            continue
        worst_groups = counter.worst_of(promises)
        for promise, worst in zip(promises, worst_groups, strict=True):
            unsaid: str | None = None
            answer = Answer.HOLDS if worst is None or worst.within else Answer.BROKEN
            seen = worst is None or (worst.hits > 0 and bool(promise.inferences()))
            if answer is Answer.HOLDS and not (seen or vouched) and counter.nobody_has(promise):
                answer = Answer.NOT_CHECKABLE
                unsaid = "no row has this value: is it spelt, typed and encoded as in the table?"
            if worst is not None and policy.unit is not None:
                worst = replace(worst, persons=True)
            yield replace(_of_promise(policy, index, promise), answer=answer, worst=worst, reason=unsaid)


def _of_promise(policy: Policy, index: int, promise: GroupPromise) -> Finding:
    said, sentence = (worded(policy, promise, text) for text in (str(promise), promise.in_words()))
    return Finding(index, promise.kind, said, Answer.NOT_CHECKABLE, sentence=sentence)


def _of_cells(index: int, made: Confidential, found: CellsFound) -> Finding:
    answer, reason = found.answer, found.reason
    return Finding(index, made.kind, str(made), answer, reason=reason, cells=found, sentence=made.in_words())


def _not_countable(
    counter: _Counter, requirement: GroupRequirement, promises: Sequence[GroupPromise], lacking: Sequence[str]
) -> str | None:
    """Return why the promises of a requirement cannot be counted, if so."""
    if lacking:
        hint = column_hint(lacking[0], counter.released.columns, [name for _, name in requirement.mentions()])
        return f"the table has no column {lacking[0]!r}{hint}"
    if isinstance(counter.people, str):
        return counter.people
    if not all(map(counter.can_count, promises)):
        return WHOLE
    return counter.misfit(requirement)
