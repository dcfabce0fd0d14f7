"""Groups of rows with labels of their own, as a plan keeps them; their plain data, and whether that is whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.columns.intervals import Interval
from discreet.plan.plain_data import as_plain, numbers_text, read_interval, read_numbers, read_values
from discreet.policy import Policy

LARGEST = 2**62
"""Losses are below this."""


@dataclass(frozen=True)
class Label:
    """A text for some values of a column: from `first` up to `stop` by their places, or only those `among` them.

    A label for numbers or dates is an `interval`; it covers others than those that were seen, too.
    """

    text: str | None
    first: int
    stop: int
    among: tuple[int, ...] = ()
    interval: Interval | None = None


@dataclass(frozen=True, repr=False)
class GroupColumn:
    """What groups of rows tell of one column."""

    column: str
    values: tuple[str | None, ...]
    """The values that the plan knows, missing ones first; numbers and dates in ascending order."""
    labels: tuple[Label, ...]
    of_group: tuple[int, ...]
    """The label of each group, by its place."""
    of_combination: tuple[int, ...]
    """The value of each combination, by its place."""


@dataclass(frozen=True, repr=False)
class PlannedGroups:
    """Groups of rows with labels of their own, and which combination of original values goes to which of them."""

    columns: tuple[GroupColumn, ...]
    beside: tuple[GroupColumn, ...]
    """Columns that never change but tell rows apart."""
    group: tuple[int, ...]
    """The group of each combination; -1 if its rows are removed."""
    hidden: tuple[int, ...]
    """The groups that tell nothing."""
    losses: tuple[int, ...]
    """What a row of each group loses, in units."""
    whole: int
    """What a row loses of which nothing is told."""

    def __repr__(self) -> str:
        return f"<Grouping: {len(self.losses)} groups over {len(self.columns)} columns; private>"

    @property
    def told(self) -> tuple[GroupColumn, ...]:
        """All columns that tell rows apart."""
        return (*self.columns, *self.beside)

    def to_dict(self) -> dict[str, object]:
        """Return plain data; long lists of numbers as texts."""
        return {
            "columns": [_told(told) for told in self.columns],
            "beside": [_told(told) for told in self.beside],
            "group": numbers_text(self.group),
            "hidden": numbers_text(self.hidden),
            "losses": numbers_text(self.losses),
            "whole": self.whole,
        }


def _told(told: GroupColumn) -> dict[str, object]:
    labels = []
    for label in told.labels:
        plain = {"text": label.text, "codes": [label.first, label.stop]}
        plain |= {"among": numbers_text(label.among)} if label.among else {}
        labels.append(plain | ({} if label.interval is None else {"interval": as_plain(label.interval)}))
    return {
        "column": told.column,
        "values": told.values,
        "labels": labels,
        "of_group": numbers_text(told.of_group),
        "of_combination": numbers_text(told.of_combination),
    }


def _read_told(item: Mapping[str, Any]) -> GroupColumn:
    labels = []
    for label in item["labels"]:
        (text,), (first, stop) = read_values([label["text"]]), label["codes"]
        among = read_numbers(label.get("among", ""))
        labels.append(
            Label(text, int(first), int(stop), among, read_interval(i) if (i := label.get("interval")) else None)
        )
    return GroupColumn(
        str(item["column"]),
        read_values(item["values"]),
        tuple(labels),
        read_numbers(item["of_group"]),
        read_numbers(item["of_combination"]),
    )


def read_grouping(item: Mapping[str, Any]) -> PlannedGroups:
    """Return what `to_dict` wrote."""
    return PlannedGroups(
        tuple(map(_read_told, item["columns"])),
        tuple(map(_read_told, item["beside"])),
        read_numbers(item["group"]),
        read_numbers(item["hidden"]),
        read_numbers(item["losses"]),
        int(item["whole"]),
    )


def is_whole(grouping: PlannedGroups, policy: Policy) -> bool:
    """Whether all numbers of a grouping stand for something that is there."""
    groups, combinations = len(grouping.losses), len(grouping.group)
    return (
        bool(grouping.columns)
        and _within(grouping.group, -1, groups)
        and _within(grouping.hidden, 0, groups)
        and _within(grouping.losses, 0, grouping.whole + 1)
        and grouping.whole < LARGEST
        and all(
            len(told.of_group) == groups
            and len(told.of_combination) == combinations
            and len(set(told.values)) == len(told.values)
            and _within(told.of_group, 0, len(told.labels))
            and _within(told.of_combination, 0, len(told.values))
            and all(_fits(label, len(told.values)) for label in told.labels)
            and (policy.column(told.column).scale is None or not any(label.among for label in told.labels))
            for told in grouping.told
        )
    )


def _fits(label: Label, values: int) -> bool:
    return 0 <= label.first < label.stop <= values and _within(label.among, label.first, label.stop)


def _within(numbers: Sequence[int], first: int, stop: int) -> bool:
    return not numbers or (min(numbers) >= first and max(numbers) < stop)
