"""Which group each row goes to, where groups of rows have labels of their own.

A combination of values that the plan knows goes to its group. Another one goes to the group with the least loss whose
labels cover it (the first of several), if there is one. No row is looked at by itself: only different combinations.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.columns.intervals import Interval
from discreet.encoded import Encoded, Ints, keys, regroup
from discreet.plan.local_groups import GroupColumn, Label, PlannedGroups
from discreet.policy import Policy

REMOVED = -1
"""Rows that the plan removes."""
UNCOVERED = -2
"""Rows that no group covers."""
NOWHERE = -1
"""The place of a value that the plan does not know."""


def groups_of(grouping: PlannedGroups, policy: Policy, encoded: Callable[[str], Encoded], rows: int) -> Ints:
    """Return the group of each row, `REMOVED` or `UNCOVERED`."""
    columns = [encoded(told.column) for told in grouping.told]
    key, _ = keys([column.codes for column in columns], [len(column.domain) for column in columns], rows)
    order, starts, of_row = regroup(key)
    first = order[starts]
    places = [placed(told, policy, column.domain) for told, column in zip(grouping.told, columns, strict=True)]
    codes = [here.codes[column.codes[first]] for here, column in zip(places, columns, strict=True)]
    found = _known(grouping, codes)
    strange = np.flatnonzero(found == UNCOVERED)
    if len(strange):
        positions = [here.positions[column.codes[first[strange]]] for here, column in zip(places, columns, strict=True)]
        found[strange] = _covering(grouping, places, np.stack(positions, axis=1))
    return found[of_row]


@dataclass(frozen=True)
class Placed:
    """The values of a table's column among those that the plan knows.

    Labels cover ranges of positions: known values stand in the plan's order, numbers in ascending order whether they
    are known or not.
    """

    codes: Ints
    """The place of each value among the plan's; `NOWHERE` for others."""
    positions: Ints
    low: Ints
    """The first position that each label covers."""
    high: Ints
    """The first position after it."""


class _MissingNumber(NamedTuple):
    """A text, or none, that stands for a missing number."""

    text: str | None


def placed(told: GroupColumn, policy: Policy, domain: Sequence[str | None]) -> Placed:
    """Return where the values of a table's column stand among those that the plan knows."""
    scale = policy.column(told.column).scale
    if scale is None:
        places = {value: place for place, value in enumerate(told.values)}
        codes = np.array([places.get(value, NOWHERE) for value in domain], dtype=np.int64)
        low, high = ([getattr(label, name) for label in told.labels] for name in ("first", "stop"))
        return Placed(codes, codes, np.array(low, dtype=np.int64), np.array(high, dtype=np.int64))

    def read(value: str | None) -> _MissingNumber | Decimal | None:
        """Return what a text stands for; None if it is no number."""
        return _MissingNumber(value) if policy.declares_missing(value) else scale.read(value)

    known = {read(value): place for place, value in enumerate(told.values)}
    extra = sum(not isinstance(value, Decimal) for value in known)
    values = [read(value) for value in domain]
    numbers = sorted({value for value in values if isinstance(value, Decimal)})
    positions: dict[_MissingNumber | Decimal | None, int] = {
        number: extra + place for place, number in enumerate(numbers)
    }
    positions |= {value: place for value, place in known.items() if not isinstance(value, Decimal)}
    reach = [_reach(label, numbers, extra) for label in told.labels]
    return Placed(
        np.array([known.get(value, NOWHERE) for value in values], dtype=np.int64),
        np.array([positions.get(value, NOWHERE) for value in values], dtype=np.int64),
        np.array([low for low, _ in reach], dtype=np.int64),
        np.array([high for _, high in reach], dtype=np.int64),
    )


def _reach(label: Label, numbers: Sequence[Decimal], extra: int) -> tuple[int, int]:
    """Return which positions a label of numbers covers; `extra` missing values stand in front."""
    if label.interval is not None:
        first, stop = _inside(label.interval, numbers)
        return extra + first, extra + stop
    return (label.first, label.stop) if label.stop <= extra else (0, extra + len(numbers))


def _inside(interval: Interval, numbers: Sequence[Decimal]) -> tuple[int, int]:
    first = [0] if interval.low is None else [bisect_left(numbers, interval.low)]
    if interval.start is not None:
        first.append((bisect_right if interval.after else bisect_left)(numbers, interval.start))
    stop = [len(numbers)]
    if interval.stop is not None:
        stop.append((bisect_right if interval.through else bisect_left)(numbers, interval.stop))
    stop += [] if interval.high is None else [bisect_right(numbers, interval.high)]
    return max(first), min(stop)


def _known(grouping: PlannedGroups, codes: Sequence[Ints]) -> Ints:
    """Return the group of each combination that the plan knows."""
    known = [np.array(told.of_combination, dtype=np.int64) for told in grouping.told]
    both = [np.concatenate([one, other]) + 1 for one, other in zip(known, codes, strict=True)]
    sizes = [len(told.values) + 1 for told in grouping.told]
    key, _ = keys([each.astype(np.uint64) for each in both], sizes, len(both[0]))
    mine, theirs = key[: len(grouping.group)], key[len(grouping.group) :]
    found = np.full(len(theirs), UNCOVERED, dtype=np.int64)
    if not len(mine):
        return found
    group = np.array(grouping.group, dtype=np.int64)
    if (mine[1:] < mine[:-1]).any():  # a plan that was just made has them in order
        order = np.argsort(mine, kind="stable")
        mine, group = mine[order], group[order]
    at = np.minimum(np.searchsorted(mine, theirs), len(mine) - 1)
    same = mine[at] == theirs
    found[same] = group[at[same]]
    return found


def _covering(grouping: PlannedGroups, placed: Sequence[Placed], positions: Ints) -> Ints:
    """Return the group with the least loss that covers each combination of positions."""
    from discreet.plan.covering import first_covering  # compiled: only loaded when needed

    telling = np.ones(len(grouping.losses), dtype=np.bool_)
    telling[list(grouping.hidden)] = False
    order = np.argsort(np.array(grouping.losses, dtype=np.int64), kind="stable")
    order = order[telling[order]]
    low, high, sets, flags = [], [], [], np.zeros(0, dtype=np.bool_)
    for told, here in zip(grouping.told, placed, strict=True):
        of_group = np.array(told.of_group, dtype=np.int64)[order]
        offset, inside = _set_flags(told, len(flags))
        flags = np.concatenate([flags, inside])
        low.append(here.low[of_group])
        high.append(here.high[of_group])
        sets.append(offset[of_group])
    if not len(order):
        return np.full(len(positions), UNCOVERED, dtype=np.int64)
    found = first_covering(
        np.ascontiguousarray(positions), np.stack(low, axis=1), np.stack(high, axis=1), np.stack(sets, axis=1), flags
    )
    return np.where(found < 0, UNCOVERED, order[np.maximum(found, 0)])


def _set_flags(told: GroupColumn, offset: int) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return where the flags of each label's values begin (-1: it is no set), and all flags."""
    begins = np.full(len(told.labels), -1, dtype=np.int64)
    sets = [place for place, label in enumerate(told.labels) if label.among]
    flags = np.zeros((len(sets), len(told.values)), dtype=np.bool_)
    for line, place in enumerate(sets):
        flags[line, list(told.labels[place].among)] = True
        begins[place] = offset + line * len(told.values)
    return begins, flags.ravel()
