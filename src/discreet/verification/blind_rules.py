"""Does a method statement say what the rules say: reckoned anew from the release, by code of verification alone.

A statement that named fewer predictors, other classes of numbers or a smaller trust in naive Bayes would make the same
figures look harmless. What follows from the policy and the released rest is compared with it. Not reckoned anew: trust
where rows left in another order or rows were removed, since its halves are drawn by the order in which rows stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import Dates, Numbers
from discreet.fit.cells import predictors_of
from discreet.plan.blind_statement import StatedColumn, StatedRows
from discreet.policy import Policy
from discreet.policy.bind import binned, changed_for_groups, known_to_groups
from discreet.policy.blind import LEAST_REST, may_have
from discreet.policy.confidential import Confidential
from discreet.verification.blind_reading import StatedTable, stated_value

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.uint64]
TENTHS = 10
GUESSED = 500
"""Rows of each half that are guessed."""
TWENTIETHS = (3, 22)
NEARLY = 1e-6
"""A sum of surprises that is larger by less than this is as small, to who reckons with floats."""


def unfit_to_learn(table: StatedTable, policy: Policy, made: Confidential) -> str | None:
    """Return why nothing can be learned as a statement says of the cells of one requirement."""
    missing, said = policy.missing, table.statement
    if set(said.missing) != (set() if missing is None or missing.rows == "value" else set(missing.values)):
        return "the method statement is of another policy: it takes other values for missing"
    if any(stated_value(each, cut) is None for each in said.columns.values() if each.type for cut in each.cuts):
        return "the method statement has classes whose ends cannot be read"
    known = table.column(made.column).known_in_rest
    if known < LEAST_REST and any(made.column in rows.secrets for rows in said.rows):
        return f"only {known} rows without confidential cells know {made.column!r}, too few to learn from"
    return None


def departures(table: StatedTable, policy: Policy, made: Confidential) -> Iterator[str]:
    """Yield in what a statement departs from the rules, as far as it is about the cells of one requirement."""
    said = table.statement
    mine = [rows for rows in said.rows if made.column in rows.secrets]
    changing = changed_for_groups(policy)
    for rows in mine:
        hidden = {*rows.secrets, *changing, policy.token}
        wanted = {name for name in predictors_of(made, policy, table.released.columns) if name not in hidden}
        if lacking := sorted(wanted & set(table.released.columns) - set(rows.predictors)):
            yield f"the method statement leaves out {lacking[0]!r}, which may predict the cells"
        if more := sorted(set(rows.predictors) - (_predictors(table, policy, rows) - hidden)):
            yield f"the method statement takes {more[0]!r} for a predictor, and the policy does not"
        if may_have(made, rows.limits[rows.secrets.index(made.column)]):
            yield from _known_otherwise(rows, policy, made)
    if said.order != tuple(made.order or ()):
        yield "the method statement is of another policy: its order is another"
    predictors = {name for rows in mine for name in rows.predictors}
    for name in sorted({made.column, *predictors}):
        if not _is_read_so(table, policy, name):
            yield f"the method statement reads the values of {name!r} otherwise than the rules"
        elif name in said.columns and not _has_its_cuts(table, name):
            yield f"the method statement has other classes of {name!r} than the rules"
    removes = any(other.removes for _, other in policy.cells())
    if "naive_bayes" in said.references and predictors and not policy.shuffle and not removes:
        ordered = [name for name in table.released.columns if name in predictors]
        if not _is_trusted(table, made.column, ordered):
            yield f"the method statement trusts naive Bayes about {made.column!r} otherwise than the rules"


def _predictors(table: StatedTable, policy: Policy, rows: StatedRows) -> set[str]:
    """Return the predictors of all items that may be about some rows."""
    items = [made for _, made in policy.cells() if made.column in rows.secrets]
    return {name for made in items for name in predictors_of(made, policy, table.released.columns)}


def _known_otherwise(rows: StatedRows, policy: Policy, made: Confidential) -> Iterator[str]:
    """Yield in what a statement takes more for known from the start than the policy, or less, in some rows.

    Of several items about one column with equal limits nobody knows which means which row: any of them may.
    """
    said, predictors, items = set(rows.known), set(rows.predictors), [other for _, other in policy.cells()]
    never = policy.sensitive | policy.targets
    others = {name for name, column in policy.columns.items() if column.role == "other"}
    always = others | policy.sensitive | (known_to_groups(policy) & never)
    always |= {item.column for other in items for item in other.must_publish if item.rows is None}
    starts = [
        (other, always | {*(other.known or ()), *(name for _, name in other.looks_up())} & predictors)
        for other in items
    ]
    alike = [known for other, known in starts if (other.column, other.limits) == (made.column, made.limits)]
    if all((known & predictors) - said for known in alike):
        name = min(min((known & predictors) - said) for known in alike)
        yield f"the method statement does not take {name!r} for known, and the policy does"
    some = {item.column for other in items for item in other.must_publish}
    if more := said - some.union(*(known for _, known in starts)):
        yield f"the method statement takes {min(more)!r} for known, and the policy does not"


def _is_read_so(table: StatedTable, policy: Policy, name: str) -> bool:
    """Whether a column is read as texts, labels of a taxonomy, numbers or dates as the policy or the rest say."""
    stated, column = table.statement.columns.get(name, StatedColumn()), policy.column(name)
    parents: dict[str, str] = {}
    for leaf in () if column.taxonomy is None else column.taxonomy.leaves:
        parents.update(pairwise(dict.fromkeys(column.taxonomy.ancestors(leaf)) if column.taxonomy is not None else ()))
    if parents or stated.parents:
        return dict(stated.parents or {}) == parents and stated.type is None
    wanted = StatedColumn()
    if name in binned(policy):
        pass
    elif isinstance(column.scale, Numbers):
        wanted = StatedColumn("number", decimal=column.scale.decimal)
    elif isinstance(column.scale, Dates):
        wanted = StatedColumn("date", date_format=column.scale.form)
    else:
        wanted = _as_it_looks(table, policy, name)
    mine = (stated.type, stated.decimal, stated.date_format)
    return mine == (wanted.type, wanted.decimal, wanted.date_format)


def _as_it_looks(table: StatedTable, policy: Policy, name: str) -> StatedColumn:
    """Return how a column is read of which the policy says nothing: many texts that are all numbers, or dates."""
    column, said = table.column(name), table.statement
    seen = [column.domain[code] for code in np.unique(column.texts[table.rest]).tolist()]
    texts = [text for text in seen if text is not None and text not in {*said.missing, said.marker}]
    kinds = (StatedColumn("number", decimal=policy.file.decimal or "."), StatedColumn("number"), StatedColumn("date"))
    for kind in kinds if len(texts) > TENTHS else ():
        if all(stated_value(kind, text) is not None for text in texts):
            return kind
    return StatedColumn()


def _has_its_cuts(table: StatedTable, name: str) -> bool:
    """Whether classes of a column begin at the tenths of the known values of the rest, or at each of a few."""
    stated, column = table.statement.columns[name], table.column(name)
    if stated.type is None:
        return True
    missing = {None, *table.statement.missing}
    counts = np.bincount(column.texts[table.rest], minlength=len(column.domain)).tolist()
    rows_of: dict[Fraction, int] = {}
    for text, rows in zip(column.domain, counts, strict=True):
        value = None if text in missing else stated_value(stated, text or "")
        if value is not None and rows:
            rows_of[value] = rows_of.get(value, 0) + rows
    values = sorted(rows_of)
    wanted = set(values)
    if len(values) > TENTHS:
        ends = np.cumsum([rows_of[value] for value in values])
        places = [part * int(ends[-1]) // TENTHS for part in range(1, TENTHS)]
        wanted = {values[int((ends <= place).sum())] for place in places}
    return [stated_value(stated, text) for text in stated.cuts] == sorted(wanted - set(values[:1]))


def _is_trusted(table: StatedTable, secret: str, predictors: list[str]) -> bool:
    """Whether no neighbouring trust in naive Bayes makes the true values of the rest less surprising."""
    stated = table.statement.tau.get(secret, ())
    if len(stated) != len(predictors) or any(not TWENTIETHS[0] <= step <= TWENTIETHS[1] for step in stated):
        return False
    for step, (shares, scores, true) in zip(stated, _guessed(table, secret, predictors), strict=True):
        tried = [each for each in (step - 1, step, step + 1) if TWENTIETHS[0] <= each <= TWENTIETHS[1]]
        surprise = {each: _surprise(shares, scores * each / 20, true) for each in tried}
        if surprise[step] > min(surprise.values()) + NEARLY:
            return False
    return True


def _surprise(shares: Floats, scores: Floats, true: npt.NDArray[np.int64]) -> float:
    odds = shares + scores
    most = odds.max(axis=1, keepdims=True)
    total = np.log(np.exp(odds - most).sum(axis=1)) + most[:, 0]
    return float((total - odds[np.arange(len(true)), true]).sum())


def _guessed(
    table: StatedTable, secret: str, predictors: list[str]
) -> Iterator[tuple[Floats, Floats, npt.NDArray[np.int64]]]:
    """Yield for 1, 2, ... told columns what naive Bayes makes of the rows that are guessed, and their true values."""
    column = table.column(secret)
    number = np.full(column.size, -1, dtype=np.int64)
    number[column.secret_values] = np.arange(len(column.secret_values))
    rest = np.flatnonzero(table.rest)
    rest = rest[number[column.codes[rest]] >= 0]
    value, values = number[column.codes[rest]], len(column.secret_values)
    half = (_mixed(np.arange(1, len(rest) + 1, dtype=np.uint64)) % np.uint64(2)).astype(np.int64)
    chosen = []
    for which in (0, 1):
        rows = np.flatnonzero(half == which)
        chosen.append(rows if len(rows) <= GUESSED else rows[np.arange(GUESSED) * len(rows) // GUESSED])
    rows = np.concatenate(chosen)
    turns = np.arange(1, len(predictors) + 1, dtype=np.uint64)
    draws = _mixed(rows.astype(np.uint64)[:, None] * np.uint64(len(predictors)) + turns)
    order = np.argsort(draws, axis=1, kind="stable")
    taught = [np.bincount(value[half != which], minlength=values) for which in (0, 1)]
    shares = np.array([np.log((counts + 1) / (counts + 1).sum()) for counts in taught])[half[rows]]
    likely = np.zeros((len(predictors), len(rows), values))
    for place, name in enumerate(predictors):
        told = table.column(name)
        codes = told.codes[rest]
        for which in (0, 1):
            other = half != which
            counts = np.bincount(codes[other] * values + value[other], minlength=told.size * values)
            counts = counts.reshape(told.size, values)
            counts = counts if told.below is None else told.below.astype(np.int64) @ counts
            logs = np.log((counts + 1) / (taught[which] + told.size))
            mine = half[rows] == which
            likely[place, mine] = logs[codes[rows[mine]]]
    scores = np.zeros((len(rows), values))
    for turn in range(len(predictors)):
        scores = scores + likely[order[:, turn], np.arange(len(rows))]
        yield shares, scores, value[rows]


def _mixed(numbers: Whole) -> Whole:
    """Return numbers mixed up as the rules say, modulo 2^64."""
    with np.errstate(over="ignore"):
        found: Whole = numbers * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        return found ^ (found >> np.uint64(32))
