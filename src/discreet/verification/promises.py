"""Verification: every promise counted again on the released table, by code of its own.

Guarantee: `holds` is said only when each requirement was counted on the texts that are in the release (and,
with the original, when each cell was found to be the original or something that covers it). Nothing here knows how the
release was made; nothing here is used in making it.

Where sensitive cells are hidden or unknown (a rows have the property, u are hidden, n rows in the group), both a/(n-u)
and a/n must be within the limit; (a+u)/n, the worst case, is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.columns.medians import Ranges, map_path, read_map
from discreet.common.printable import json_text
from discreet.common.shares import percent
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.fit.cells import removable
from discreet.policy import Confidential, Crowd, GroupPromise, Inference, Policy, as_policy
from discreet.policy.bind import Bound, bind
from discreet.policy.places import column_hint
from discreet.table.decimals import as_written
from discreet.table.engine import Engine, Mismatch, Recount
from discreet.table.source import Opening, Table, open_tables
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import CellsFound
from discreet.verification.cells import check_cells
from discreet.verification.row_matches import Matches
from discreet.verification.truth import untrue

WHOLE = "k counts in the whole table, of which this is a sample: give the original"


@dataclass(frozen=True)
class Worst:
    """The group in which a property is surest (or the smallest one), by counts; texts as released.

    None is a missing value. For k-anonymity `hits` is 1: one row of the group is the one looked for.
    """

    group: dict[str, str | None] = field(repr=False)
    rows: int
    hits: int
    hidden: int
    share: Fraction
    limit: Fraction
    alone: int = 0
    """Rows that are the only ones of their group, in the whole table."""
    kind: str = Inference.kind

    @property
    def worst_case(self) -> Fraction:
        """The share if every hidden cell had the property."""
        return Fraction(self.hits + self.hidden, self.rows) if self.rows else Fraction(0)

    @property
    def within(self) -> bool:
        """Whether the share is within the limit: what decides a promise."""
        return self.share <= self.limit

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data; shares are exact fractions."""
        return {
            **({"group": self.group} if groups else {}),
            "rows": self.rows,
            "hits": self.hits,
            "hidden": self.hidden,
            "share": str(self.share),
            "limit": str(self.limit),
            "worst_case": str(self.worst_case),
            "alone": self.alone,
        }

    def __str__(self) -> str:
        if self.kind == Crowd.kind:
            return f"the smallest group has {self.rows} row{'' if self.rows == 1 else 's'}"
        among = (
            f"{self.rows - self.hidden} known rows"
            if self.hidden
            else "1 row"
            if self.rows == 1
            else f"{self.rows} rows"
        )
        return f"{self.hits} of {among}, {self.share} ({percent(self.share)})"


@dataclass(frozen=True)
class Finding:
    """The answer about one requirement; `index` is its position in `protect`."""

    index: int
    kind: str
    promise: str
    answer: Answer
    worst: Worst | None = None
    reason: str | None = None
    cells: CellsFound | None = None
    """What was found about confidential cells."""

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data."""
        return {
            **({} if self.cells is None else {"cells": self.cells.to_dict()}),
            "index": self.index,
            "kind": self.kind,
            "promise": self.promise,
            "answer": str(self.answer),
            "worst": None if self.worst is None else self.worst.to_dict(groups=groups),
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Truth:
    """Whether every released cell is the original or something that covers it."""

    answer: Answer
    problems: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"answer": str(self.answer), "problems": list(self.problems)}


@dataclass(frozen=True, repr=False)
class Verification:
    """The answers about all requirements, and about truthfulness."""

    requirements: tuple[Finding, ...]
    truthful: Truth

    def __repr__(self) -> str:
        return f"<Verification: {'holds' if self.holds else 'does not hold'}, promises {len(self.requirements)}>"

    def without_groups(self) -> Verification:
        """Return the same without the texts of the worst groups, or the commonest value of a column."""
        bare = [
            replace(
                finding,
                worst=None if finding.worst is None else replace(finding.worst, group={}),
                cells=None if finding.cells is None else replace(finding.cells, prior=None),
            )
            for finding in self.requirements
        ]
        return replace(self, requirements=tuple(bare))

    @property
    def holds(self) -> bool:
        """Whether every promise holds and nothing was found to be untrue."""
        kept = all(finding.answer in (Answer.HOLDS, Answer.BY_LOT) for finding in self.requirements)
        return kept and self.truthful.answer is not Answer.BROKEN

    def to_dict(self, *, groups: bool = True) -> dict[str, object]:
        """Return plain data, with or without the texts of the worst groups."""
        return {
            "holds": self.holds,
            "requirements": [finding.to_dict(groups=groups) for finding in self.requirements],
            "truthful": self.truthful.to_dict(),
        }

    def to_json(self) -> str:
        """Return `{holds, requirements: [{index, kind, answer, worst, ...}], truthful}` as JSON."""
        return json_text(self.to_dict())


def verify(
    table: Table,
    policy: Policy | str | Path,
    original: Table | None = None,
    *,
    intervals: Mapping[str, Ranges] | str | Path | None = None,
    engine: str | None = None,
    memory_limit: str | int | None = None,
    key: str | None = None,
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

    Examples
    --------
    >>> import discreet as d, polars as pl
    >>> policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Ill": "yes"}, at_most="50%")])
    >>> d.verify(pl.DataFrame({"Job": ["a", "a", "b"], "Ill": ["yes", "no", "no"]}), policy).holds
    True
    """
    policy = as_policy(policy)
    tables = [(table, True), *([] if original is None else [(original, False)])]
    released, *source = open_tables(tables, policy, Opening(engine, memory_limit, key))
    policy = as_written(policy, source[0] if source else released)
    medians = published_intervals(table, policy, intervals)
    return check(released, policy, source[0] if source else None, medians=medians)


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
) -> Verification:
    """Verify a release held by an engine; as `verify`. `medians` are the intervals published beside it.

    `places` are those of the released rows in the original, where they are known; `hide_only` is the table by the
    recodings alone, on which confidential cells are guessed for comparison; `found` is what `truth_of` said, if it was
    asked already.

    Where k counts in the `whole` table, of which the release is a sample, it is counted there as well, if it is known
    what became of it; else only by how many rows of the original each released combination covers.

    A value that occurs nowhere may be absent, or misspelt, of another type, or in another encoding: then its
    template is not checkable, unless the original has it, or the caller has `vouched` for the way the values are
    written.
    """
    truth, matches = truth_of(released, policy, original, medians or {}) if found is None else found
    matches = matches if places is None else Matches(places, places)
    counter = _Counter(released, policy, original, medians or {}, whole, matches, hide_only)
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

    def cells(self, index: int, requirement: Confidential) -> Finding:
        """Return what is found about confidential cells."""
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
        return Finding(index, Confidential.kind, str(requirement), found.answer, reason=found.reason, cells=found)

    def can_count(self, promise: GroupPromise) -> bool:
        """Whether it is known what a promise is about."""
        here = not (isinstance(promise, Crowd) and promise.whole)
        return here or self.whole is not None or self.original is not None

    def was_there(self, promise: GroupPromise) -> bool:
        """Whether the original has the value of a template, which is then written as in the table."""
        if self.original is None or not isinstance(promise, Inference) or promise.column not in self.original.columns:
            return False
        return bool(self.original.recount((), promise.column, [promise.value], ()).hits.sum())

    def worst_of(self, promises: Sequence[GroupPromise]) -> list[Worst | None]:
        """Return the worst group for the promises of one requirement."""
        (first, *_), given = promises, promises[0].given
        if not (isinstance(first, Crowd) and first.whole):
            return worst_of(self.released, self.policy, given, promises)
        found = [] if self.whole is None else worst_of(self.whole, self.policy, given, promises)
        if self.original is not None:
            found.append(_worst(self._covered(self.original, given), 0, given, first))
        return [max((worst for worst in found if worst is not None), key=lambda worst: worst.share, default=None)]

    def _covered(self, original: Engine, given: Sequence[str]) -> Recount:
        from discreet.verification.matching import covered  # compiled: only loaded when needed

        bound = bind(self.policy, original.columns)
        return covered(self.released, original, bound, given, self.medians)


def _findings(counter: _Counter, *, vouched: bool) -> Iterator[Finding]:
    released, policy = counter.released, counter.policy
    for index, requirement in enumerate(policy.protect):
        if isinstance(requirement, Confidential):
            yield counter.cells(index, requirement)
            continue
        promises: list[GroupPromise] = list(policy.promises_of(index))
        absent = [name for _, name in requirement.mentions() if name not in released.columns]
        if absent:
            hint = column_hint(absent[0], released.columns, [name for _, name in requirement.mentions()])
            for promise in promises:
                reason = f"the table has no column {absent[0]!r}{hint}"
                yield Finding(index, promise.kind, str(promise), Answer.NOT_CHECKABLE, reason=reason)
            continue
        if not all(map(counter.can_count, promises)):
            for promise in promises:
                yield Finding(index, promise.kind, str(promise), Answer.NOT_CHECKABLE, reason=WHOLE)
            continue
        worst_groups = counter.worst_of(promises)
        for promise, worst in zip(promises, worst_groups, strict=True):
            unsaid: str | None = None
            answer = Answer.HOLDS if worst is None or worst.within else Answer.BROKEN
            if worst is not None and worst.hits == 0 and not (vouched or counter.was_there(promise)):
                answer = Answer.NOT_CHECKABLE
                unsaid = "no row has this value: is it spelt, typed and encoded as in the table?"
            yield Finding(index, promise.kind, str(promise), answer, worst, unsaid)


def worst_of(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[Worst | None]:
    """Return the worst group on `given` for the promises of one requirement; None for a table without rows."""
    values = [promise.value for promise in promises if isinstance(promise, Inference)]
    counts = table.recount(given, promises[0].column, values, policy.hidden_texts())
    return [_worst(counts, place, given, promise) for place, promise in enumerate(promises)]


def _worst(counts: Recount, place: int, given: Sequence[str], promise: GroupPromise) -> Worst | None:
    """Return the group with the largest share, decided by exact fractions."""
    if not len(counts.rows):
        return None
    hits = counts.hits[:, place] if isinstance(promise, Inference) else np.ones_like(counts.rows)
    known = counts.rows - counts.hidden
    # Floats only choose who is looked at; a margin far above their error keeps every contender in.
    rough = hits / np.maximum(known, 1)
    contenders = np.flatnonzero(rough >= rough.max() * (1 - 1e-9))
    base = int(known.max()) + 1  # pairs of counts as one number: rows are far fewer than 2**31
    figures, which = np.unique(hits[contenders] * base + known[contenders], return_inverse=True)
    shares = [_share(int(figure) // base, int(figure) % base) for figure in figures]
    surest = contenders[np.array([share == max(shares) for share in shares])[which]]
    largest = surest[counts.rows[surest] == counts.rows[surest].max()]
    best = _first_by_text(counts, largest)
    return Worst(
        group=dict(zip(given, _texts(counts, best), strict=True)),
        rows=int(counts.rows[best]),
        hits=int(hits[best]),
        hidden=int(counts.hidden[best]),
        share=_share(int(hits[best]), int(known[best])),
        limit=promise.at_most,
        alone=int((counts.rows == 1).sum()),
        kind=promise.kind,
    )


def _first_by_text(counts: Recount, places: npt.NDArray[np.int64]) -> int:
    """Return the one of some groups whose texts come first."""
    for texts in counts.texts.iter_columns():
        here = texts[places].fill_null("")
        places = places[(here == here.min()).to_numpy()]
    return int(places[0])


def _texts(counts: Recount, at: int) -> tuple[str | None, ...]:
    return counts.texts.row(at) if counts.texts.width else ()


def _share(hits: int, known: int) -> Fraction:
    """Return a/(n-u), which is never below a/n; a combination that nobody has (0 rows) is as bad as can be."""
    return Fraction(hits, known) if known else Fraction(int(hits > 0))


def truth_of(
    released: Engine, policy: Policy, original: Engine | None, medians: Mapping[str, Ranges]
) -> tuple[Truth, Matches | None]:
    """Return whether the release is true, and where its rows stand in the original if some are missing."""
    places: Matches | None = None
    left_out = [name for name in policy.identifiers if name in released.columns]
    problems = [f"column {name!r} should have been left out" for name in left_out]
    if original is not None:
        bound = bind(policy, original.columns)
        problems += _column_problems(released.columns, bound.released)
        found, places = _row_problems(released, original, bound, medians)
        problems += found
    if problems:
        return Truth(Answer.BROKEN, tuple(problems)), places
    return Truth(Answer.NOT_CHECKABLE if original is None else Answer.HOLDS), places


def _column_problems(columns: Sequence[str], expected: Sequence[str]) -> Iterator[str]:
    for name in expected:
        if name not in columns:
            yield f"column {name!r} is not in the release"
    for name in columns:
        if name not in expected:
            yield f"column {name!r} of the release is not one that the policy releases"
    if tuple(columns) != tuple(expected) and sorted(columns) == sorted(expected):
        yield "the columns are in another order"


def _row_problems(
    released: Engine, original: Engine, bound: Bound, medians: Mapping[str, Ranges]
) -> tuple[list[str], Matches | None]:
    """Return what is wrong with the number of rows, with their order, and with their cells; and where they stand."""
    sample = bound.policy.release
    least = most = original.rows if sample is None else sample.size(original.rows)
    if bound.policy.removes:
        least -= math.floor(bound.policy.suppress.limit * most)
    least = max(least - removable(bound.policy, original), 0)
    problems: list[str] = []
    if not least <= released.rows <= most:
        expected = f"{most}" if least == most else f"{least} to {most}"
        problems.append(f"the release has {released.rows} rows, expected {expected}")
    if released.rows == original.rows:
        return [*problems, *_cell_problems(released, original, bound, medians)], None
    told = released.beside(original)  # where the engine proposes none, they are looked for
    if told is not None:
        return [*problems, *_cell_problems(released, told, bound, medians)], None
    if least < original.rows and released.rows < original.rows and set(released.columns) & set(bound.released):
        from discreet.verification.matching import (  # compiled: only loaded when needed
            columns_beside,
            last_matched,
            matched,
        )

        names = [name for name in bound.released if name in released.columns]
        columns = columns_beside(released, original, bound, names, medians)
        places = matched(columns, released.rows)
        if len(places) < released.rows:
            after = "" if not len(places) else " after those of the rows above it"
            problems.append(f"row {len(places) + 1} of the release fits no row of the original{after}")
        else:
            found = Matches(places, last_matched(columns, released.rows))
            return [*problems, *_cell_problems(released, original.only(places), bound, medians)], found
    return problems, None


def _cell_problems(released: Engine, original: Engine, bound: Bound, medians: Mapping[str, Ranges]) -> Iterator[str]:
    for name in bound.released:
        if name in released.columns:
            found = _mismatch(released, original, bound, name, medians.get(name))
            if found is not None:
                kind = "neither the original nor something that covers it"
                kind = kind if name in bound.changeable or name in bound.edited else "not the original"
                cells = "1 cell is" if found.cells == 1 else f"{found.cells} cells are"
                first = f", first in row {found.first_row}" if found.first_row else ""  # 0: rows have no numbers
                yield f"column {name!r}: {cells} {kind}{first}"


def _mismatch(released: Engine, original: Engine, bound: Bound, name: str, medians: Ranges | None) -> Mismatch | None:
    policy = bound.policy
    changes = name in bound.changeable or name in bound.edited
    if not changes or not policy.column(name).coarsens:
        return released.mismatches(original, name, policy.marker if changes else None)
    pairs = released.pairs(original, name)
    missing = policy.missing.values if policy.missing is not None else ()
    texts = [(pair.original, pair.released) for pair in pairs]
    wrong = untrue(texts, policy.column(name), policy.marker, missing, medians)
    bad = [pair for pair, is_wrong in zip(pairs, wrong, strict=True) if is_wrong]
    if not bad:
        return None
    return Mismatch(sum(pair.cells for pair in bad), released.first_of(original, name, bad))
