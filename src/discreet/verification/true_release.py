"""Whether a whole release is true: its columns, its rows and each cell beside the original."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from discreet.columns.medians import Ranges
from discreet.fit.cells import removable
from discreet.policy import Policy
from discreet.policy.bind import Bound, bind
from discreet.policy.blind import unsaid_by_blocks
from discreet.policy.ledger_options import over_time
from discreet.table.engine import Engine, Mismatch
from discreet.verification.answers import Answer
from discreet.verification.findings import Truth
from discreet.verification.persons import person_problems
from discreet.verification.row_matches import Matches, PutBack
from discreet.verification.strata import stratum_problems
from discreet.verification.tails import tells_tails
from discreet.verification.truth import untrue


def truth_of(
    released: Engine,
    policy: Policy,
    original: Engine | None,
    medians: Mapping[str, Ranges],
    back: PutBack | None = None,
) -> tuple[Truth, Matches | None]:
    """Return whether the release is true, and where its rows stand in the original if some are missing.

    `back`: how its rows, which came in an order of their own, were put back into that of the original.
    """
    places: Matches | None = None
    left_out = [name for name in policy.identifiers if name in released.columns]
    problems = [f"column {name!r} should have been left out" for name in left_out]
    problems += _tail_problems(released, policy, medians)
    if original is not None:
        bound = bind(policy, original.columns)
        problems += _column_problems(released.columns, bound.released)
        found, places = _row_problems(released, original, bound, medians, back)
        problems += found
        problems += stratum_problems(released, original, bound, places)
    if problems:
        return Truth(Answer.BROKEN, tuple(problems)), places
    return Truth(Answer.NOT_CHECKABLE if original is None else Answer.HOLDS), places


def true_of_persons(
    truth: Truth,
    released: Engine,
    policy: Policy,
    original: Engine,
    matches: Matches | None,
    medians: Mapping[str, Ranges],
) -> Truth:
    """Return whether a release is true whose rows are those of persons: persons whole, and where rows were left out
    every cell beside the row that it is said to be.
    """
    problems, beside = person_problems(released, policy, original, matches)
    if beside is not None and matches is not None:
        problems += cell_problems(released, beside, bind(policy, original.columns), medians)
    if not problems:
        return truth
    return Truth(Answer.BROKEN, tuple(dict.fromkeys([*truth.problems, *problems])))


def _tail_problems(released: Engine, policy: Policy, medians: Mapping[str, Ranges]) -> Iterator[str]:
    """Yield where more is told of what lies at the top or the bottom of a column than that it lies there."""
    for name, column in policy.columns.items():
        if (column.top is None and column.bottom is None) or name not in released.columns:
            continue
        counted = released.recount([name], None, (), ())
        texts = counted.texts.to_series(0).to_list()
        told = tells_tails(texts, column, policy.marker, policy.missing_values, medians.get(name))
        cells = sum(rows for rows, tells in zip(counted.rows.tolist(), told, strict=True) if tells)
        if cells:
            ends = " or ".join(end for end in ("top", "bottom") if getattr(column, end) is not None)
            tell = "1 cell tells" if cells == 1 else f"{cells} cells tell"
            yield f"column {name!r}: {tell} more of what lies at its {ends} than that it lies there, or cannot be read"


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
    released: Engine, original: Engine, bound: Bound, medians: Mapping[str, Ranges], back: PutBack | None
) -> tuple[list[str], Matches | None]:
    """Return what is wrong with the number of rows, with their order, and with their cells; and where they stand."""
    sample = bound.policy.release
    least = most = original.rows if sample is None else sample.size(original.rows)
    if sample is not None and over_time(bound.policy).leaves_out:
        least = 0  # of those who were drawn
    if bound.policy.removes:
        least -= math.floor(bound.policy.suppress.limit * most)
    least = max(least - removable(bound.policy, original), 0)
    if bound.policy.unit is not None and (sample is not None or bound.policy.removes):
        least, most = 0, original.rows  # what is drawn or removed are persons, who are counted by themselves
    problems: list[str] = []
    if not least <= released.rows <= most:
        expected = f"{most}" if least == most else f"{least} to {most}"
        problems.append(f"the release has {released.rows} rows, expected {expected}")
    if back is not None:
        if back.matches is None:
            return [*problems, back.problem], None
        told = original if released.rows == original.rows else original.only(back.matches.first)
        return [*problems, *cell_problems(released, told, bound, medians)], back.matches
    if released.rows == original.rows:
        return [*problems, *cell_problems(released, original, bound, medians)], None
    known = released.beside(original)  # where the engine proposes none, they are looked for
    if known is not None:
        return [*problems, *cell_problems(released, known, bound, medians)], None
    if least < original.rows and released.rows < original.rows and set(released.columns) & set(bound.released):
        from discreet.verification.matching import (  # compiled: only loaded when needed
            columns_beside,
            last_matched,
            matched,
        )

        names = [name for name in bound.released if name in released.columns and name != bound.policy.token]
        columns = columns_beside(released, original, bound, names, medians)
        places = matched(columns, released.rows)
        if len(places) < released.rows:
            after = "" if not len(places) else " after those of the rows above it"
            problems.append(f"row {len(places) + 1} of the release fits no row of the original{after}")
        else:
            found = Matches(places, last_matched(columns, released.rows))
            return [*problems, *cell_problems(released, original.only(places), bound, medians)], found
    return problems, None


def cell_problems(released: Engine, original: Engine, bound: Bound, medians: Mapping[str, Ranges]) -> Iterator[str]:
    """Yield what is wrong with the cells of a release beside a table of as many rows in the same order."""
    for name in bound.released:
        if name in released.columns and name != bound.policy.token:
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
    blocks = unsaid_by_blocks(policy) if name in bound.edited else None
    if not changes or not (policy.column(name).coarsens or blocks is not None):
        return released.mismatches(original, name, policy.marker if changes else None)
    pairs = released.pairs(original, name)
    texts = [(original, released) for original, released, _ in pairs]
    wrong = untrue(texts, policy.column(name), policy.marker, policy.missing_values, medians, blocks=blocks)
    bad = [pair for pair, is_wrong in zip(pairs, wrong, strict=True) if is_wrong]
    if not bad:
        return None
    return Mismatch(sum(pair.cells for pair in bad), released.first_of(original, name, bad))
