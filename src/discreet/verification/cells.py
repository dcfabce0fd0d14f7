"""Verification of confidential cells: is each hidden, and does no adversary that the policy names guess it.

Guarantee: a cell *holds* against an adversary only if its released text is the marker (or, where values are
generalised, a group above the value), and the adversary, trained here on the released rows, finds another candidate at
least as probable as the true value (`strict`: more probable). Naive Bayes and ID3 are decided by whole numbers, library
learners by their own floats. Where classes are told roughly, ID3 must fail in both meanings of such rows: they train as
the commonest class that they can be, or not at all. Against rules a cell holds only if no rule to the true value is
above both thresholds, by whole numbers too. Nor does it hold where to be hidden tells the value (`telling.py`), unless
the policy lets that pass with a warning. With `knows: original` that is so for every released combination of recoded
columns that covers the row. Nothing here knows how the release was made; nothing here is used in making it.

Not covered: other adversaries, and whoever knows that something was changed because the guess was right. For rules
there are figures of what others read in the same release, and warnings; no answer rests on them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.fit.cells import absent, known_to
from discreet.policy import Policy
from discreet.policy.adversaries import MOST_CONDITIONS, Rules, too_many_conditions
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import CellsFound
from discreet.verification.cell_check import CellCheck
from discreet.verification.row_matches import Matches


def check_cells(
    released: Engine,
    policy: Policy,
    index: int,
    requirement: Confidential,
    original: Engine | None,
    *,
    matches: Matches | None = None,
    hide_only: Engine | None = None,
    medians: Mapping[str, Ranges] | None = None,
) -> CellsFound:
    """Verify the confidential cells of one requirement on a release.

    Parameters
    ----------
    released, policy, index, requirement, original
        The release, the policy it should keep, the requirement and its position in `protect`, and the table it was
        made from (as read by the policy: without dropped rows).
    matches
        Which rows of the original (by place) the released ones can be; needed when rows are missing. A cell of which
        it is not certain where it stands is not checkable.
    hide_only
        The original as the recodings alone release it (its `numbers` are those of the input): the baseline. The
        confidential cells are hidden here.
    medians
        The intervals published beside the release.
    """
    checks = looked_at(
        released, policy, requirement, original, matches=matches, hide_only=hide_only, medians=medians or {}
    )
    if isinstance(checks, str):
        return CellsFound(index, str(requirement), Answer.NOT_CHECKABLE, reason=checks)
    check, alone = checks
    return check.found(index, alone)


def looked_at(
    released: Engine,
    policy: Policy,
    requirement: Confidential,
    original: Engine | None,
    *,
    matches: Matches | None,
    hide_only: Engine | None,
    medians: Mapping[str, Ranges],
) -> tuple[CellCheck, CellCheck | None] | str:
    """Return the cells of a requirement on the release and, if it is known, where they alone are hidden.

    A text says why nobody can look at them. The rest is as for `check_cells`.
    """
    places = None if matches is None else matches.first
    if reason := _unready(released, policy, requirement, original, places):
        return reason
    assert original is not None
    check = CellCheck(released, policy, requirement, original, _placed(released, places), medians, matches=matches)
    if hide_only is None:
        return check, None
    beside = np.searchsorted(original.numbers(), hide_only.numbers())
    return check, CellCheck(hide_only, policy, requirement, original, beside, medians, hiding=True)


def _placed(released: Engine, places: Ints | None) -> Ints:
    return np.arange(released.rows) if places is None else np.asarray(places, dtype=np.int64)


def _unready(
    released: Engine, policy: Policy, requirement: Confidential, original: Engine | None, places: Ints | None
) -> str | None:
    """Return why nothing can be said, if so."""
    if original is None:
        return "give the original: without it nobody can say whether a guess is right"
    rules = [adversary for adversary in requirement.adversaries if isinstance(adversary, Rules)]
    conditions = [name for adversary in rules for name in adversary.conditions or ()]
    columns = [requirement.column, *(requirement.predictors or ()), *conditions]
    gone = [name for name in columns if name not in released.columns or name not in original.columns]
    gone += [name for _, name in requirement.looks_up() if name not in original.columns]
    if gone:
        return f"there is no column {gone[0]!r}"
    number = max((len(known_to(adversary, requirement, policy, released.columns)) for adversary in rules), default=0)
    if number > MOST_CONDITIONS:
        return too_many_conditions(number)
    if missing := absent(requirement, original):
        return f"the original lacks {missing} of the rows whose cells are confidential"
    if places is None and released.rows != original.rows:
        return "the release has not as many rows as the original, and it is not known which they are"
    if places is not None:
        ends = np.concatenate([[-1], np.asarray(places), [original.rows]])
        if len(places) != released.rows or (np.diff(ends) <= 0).any():
            return "the rows of the release could not be matched with those of the original"
    return None
