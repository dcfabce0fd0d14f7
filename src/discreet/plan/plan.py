"""The plan: everything that turns the table into the release. Private, for it tells what was hidden.

A plan is plain data. It is found by a method, carried out by the engine that holds the rows, kept as JSON by
the owner, and may be used again on new rows of the same kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from decimal import Decimal
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.columns.intervals import Interval, finder
from discreet.columns.scale import Scale
from discreet.common.private import private_json
from discreet.errors import InputError
from discreet.plan.masks import Masks, read_masks
from discreet.policy import Policy
from discreet.policy.bind import binned
from discreet.version import __version__

LARGEST = 2**62
"""Losses are below this."""

if TYPE_CHECKING:
    from discreet.release import Release
    from discreet.table.source import Table

WARNING = "this plan tells what was hidden and why. Keep it; never publish it."
FORM = 5
"""Version of the JSON form; a reader refuses forms it does not know."""
READABLE = (2, 3, 4, 5)
"""Forms that are read: those before 3 know no groups with labels of their own, those before 4 no confidential cells,
those before 5 no masks."""
JSON_FIELDS = (
    "recodings", "sampled", "suppressed", "edits", "removed", "cells", "decoys", "steps", "kept", "redundant", "detail",
    "complete", "bound",
)  # fmt: skip


@dataclass(frozen=True)
class Recoding:
    """What becomes of the values of one column: each value with the text that is released for it.

    Numbers and dates are released by `intervals` (ascending); `to` then has the missing values only.
    """

    column: str
    to: tuple[tuple[str | None, str | None], ...]
    intervals: tuple[Interval, ...] = ()

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The values that are released as they are."""
        return tuple(value for value, text in self.to if value == text)

    @property
    def hidden(self) -> tuple[str | None, ...]:
        """The values for which something else is released."""
        return tuple(value for value, text in self.to if value != text)

    @property
    def released(self) -> tuple[str | None, ...]:
        """The texts that may be released, each once."""
        return tuple(dict.fromkeys([*(text for _, text in self.to), *(i.text for i in self.intervals)]))

    def texts(self, values: Sequence[str | None], scale: Scale | None) -> list[str | Unseen | None]:
        """Return what is released for each value, or `UNSEEN` where the plan does not say."""
        to: dict[str | None, str | Unseen | None] = dict(self.to)
        if not self.intervals or scale is None:
            return [to.get(value, UNSEEN) for value in values]
        within = finder(self.intervals)
        return [to[value] if value in to else within(scale.read(value)) or UNSEEN for value in values]


class Unseen(Enum):
    """Stands for a value that a plan says nothing of."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN


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
class Told:
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
class Grouping:
    """Groups of rows with labels of their own, and which combination of original values goes to which of them."""

    columns: tuple[Told, ...]
    beside: tuple[Told, ...]
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
    def told(self) -> tuple[Told, ...]:
        """All columns that tell rows apart."""
        return (*self.columns, *self.beside)

    def to_dict(self) -> dict[str, object]:
        """Return plain data; long lists of numbers as texts."""
        return {
            "columns": [_told(told) for told in self.columns],
            "beside": [_told(told) for told in self.beside],
            "group": _numbers(self.group),
            "hidden": _numbers(self.hidden),
            "losses": _numbers(self.losses),
            "whole": self.whole,
        }


@dataclass(frozen=True)
class Edit:
    """One cell, by row number of the input (from 1), and the text it gets."""

    row: int
    column: str
    text: str


@dataclass(frozen=True)
class Protected:
    """A confidential cell, by row number of the input, and what was done so that nobody guesses it.

    `status` is `safe` (hiding it was enough), `done` (more had to change), `by lot` (two values only, and chance left
    it as it is) or `removed` (the row is not released). `guess` is the value that was to become as probable,
    `changed` are the other cells that were changed for it; where cells share their changes, none are listed.
    """

    requirement: int
    row: int
    column: str
    status: str
    guess: str | None = None
    rounds: int = 1
    changed: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Decoy:
    """A cell, by row number of the input, that was hidden only so that hidden cells of its column tell less."""

    requirement: int
    row: int
    column: str


@dataclass(frozen=True)
class Step:
    """One decision of the search, in order.

    `kind` is `disclose` (a value of a plain column), `specialise` (a taxonomy node) or `split` (an interval, at
    `cut`). `gain` is what the use gains, `loss` how much surer an adversary gets (mean over the promises
    concerned), `score` what the method compared.
    """

    column: str
    value: str | None
    kind: str
    score: float
    gain: float
    loss: float
    cut: str | None = None


@dataclass(frozen=True)
class Kept:
    """A value that stays hidden (or a node or interval that is not told finer), and why.

    `requirement` is the position in `protect` of the promise that telling it would break, `infers` its
    sensitive value (None for k-anonymity), `hits` of `rows` what the worst group would have had, `cut` where the
    interval would best have been cut; `requirement` is None when telling more would not help the use, or when
    the search was stopped before.
    """

    column: str
    value: str | None
    reason: str
    requirement: int | None = None
    infers: str | None = None
    hits: int | None = None
    rows: int | None = None
    cut: str | None = None


@dataclass(frozen=True, repr=False)
class Plan:
    """Recodings, suppressed rows and edits, with the policy they serve and how they were found."""

    policy: Policy
    columns: tuple[str, ...]
    recodings: tuple[Recoding, ...]
    groupings: tuple[Grouping, ...] = ()
    """Instead of recodings, where groups of rows have labels of their own."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    sampled: tuple[int, ...] | None = None
    """The rows that were drawn, where a sample is released."""
    suppressed: tuple[int, ...] = ()
    """The rows of which nothing is told or that are, where the policy says so, removed, by engines that know their rows
    by numbers."""
    masks: Masks | None = None
    """The same, by engines that do not: how many rows of which combinations of released texts, rows with
    values that the plan has not seen aside. Every engine carries out what is said here; none says both."""
    edits: tuple[Edit, ...] = ()
    removed: tuple[int, ...] = ()
    """Rows that are left out because their confidential cells could not be protected."""
    cells: tuple[Protected, ...] = ()
    decoys: tuple[Decoy, ...] = ()
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    redundant: tuple[str, ...] = ()
    detail: float = 1.0
    """Share of the detail of the changeable columns that is released (1 - LM), on the table it was made for."""
    complete: bool = True
    bound: float | None = None
    """Of what the cut costs the use, on the table it was made for, the share that no cut goes below: 1 when it is
    proven to be a best one, None when nobody looked."""
    version: str = field(default=__version__)

    def __repr__(self) -> str:
        if self.groupings:
            groups = sum(len(grouping.losses) for grouping in self.groupings)
            return f"<Plan: {len(self.recoded)} columns, {groups} groups; private>"
        return f"<Plan: {len(self.recodings)} columns, {len(self.steps)} steps; private>"

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns that it recodes."""
        grouped = (told.column for grouping in self.groupings for told in grouping.columns)
        return (*(recoding.column for recoding in self.recodings), *grouped)

    def for_new_rows(self) -> Plan:
        """Return the part of the plan that makes sense on other rows: row numbers do not."""
        edited = replace(self, edits=(), removed=(), cells=(), decoys=())
        return replace(edited, sampled=None, suppressed=(), masks=None, bound=None)

    def apply(
        self,
        table: Table,
        *,
        policy: Policy | str | Path | None = None,
        engine: str | None = None,
        memory_limit: str | int | None = None,
        key: str | None = None,
    ) -> Release:
        """Carry the plan out on new rows of the same kind, and verify the result like any other.

        A row with a value that the plan has never seen is suppressed. Where groups of rows have labels of their
        own, a combination of values that the plan has never seen goes to the group with the least loss whose labels
        cover it, or else is suppressed. `engine`, `memory_limit` and `key` as for `protect`.

        `policy` is the owner's: the result is verified against it. Without it, all promises are those of the policy
        that the plan carries, which whoever can change the plan can change; the audit then warns.

        Raises
        ------
        BrokenPromise
            When the new rows do not keep the policy's promises under this plan, or the plan releases what the
            owner's policy would not.
        """
        pipeline = import_module("discreet.pipeline")  # the one thing that a plan asks of rooms further on
        opening = pipeline.Opening(engine, memory_limit, key)
        release: Release = pipeline.apply(self, table, opening=opening, policy=policy)
        return release

    def to_json(self) -> str:
        """Return the plan as JSON that `Plan.from_json` takes; its first line says that it is private."""
        body: dict[str, Any] = {"form": FORM, "discreet": self.version, "policy": self.policy.to_dict()}
        body |= {"columns": self.columns, "kinds": dict(self.kinds)}
        body["groupings"] = [grouping.to_dict() for grouping in self.groupings]
        body["masks"] = None if self.masks is None else self.masks.to_dict()
        for name in JSON_FIELDS:
            value = getattr(self, name)
            body[name] = [_plain(item) for item in value] if isinstance(value, tuple) else value
        return private_json(WARNING, body)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan written by `to_json`."""
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):  # also a number of thousands of digits
            raise InputError("not a plan: not valid JSON") from None
        if not isinstance(body, Mapping) or "form" not in body:
            raise InputError("not a plan written by discreet")
        if body["form"] not in READABLE:
            known = f"{', '.join(map(str, READABLE[:-1]))} and {READABLE[-1]}"
            raise InputError(f"the plan has form {body['form']!r}; this version of discreet reads forms {known}")
        try:
            plan = cls(
                policy=Policy.from_dict(body["policy"]),
                columns=_texts(body["columns"]),
                recodings=tuple(
                    Recoding(
                        str(item["column"]),
                        tuple(_pair(pair) for pair in item["to"]),
                        tuple(_interval(found) for found in item["intervals"]),
                    )
                    for item in body["recodings"]
                ),
                groupings=tuple(_read_grouping(item) for item in body.get("groupings", ())),
                kinds={str(column): str(kind) for column, kind in body["kinds"].items()},
                sampled=None if body.get("sampled") is None else tuple(int(row) for row in body["sampled"]),
                suppressed=tuple(int(row) for row in body["suppressed"]),
                masks=None if body.get("masks") is None else read_masks(body["masks"]),
                edits=tuple(Edit(int(item["row"]), str(item["column"]), str(item["text"])) for item in body["edits"]),
                removed=tuple(int(row) for row in body.get("removed", ())),
                cells=tuple(_read_protected(item) for item in body.get("cells", ())),
                decoys=tuple(
                    Decoy(int(item["requirement"]), int(item["row"]), str(item["column"]))
                    for item in body.get("decoys", ())
                ),
                steps=tuple(Step(**item) for item in body["steps"]),
                kept=tuple(Kept(**item) for item in body["kept"]),
                redundant=_texts(body["redundant"]),
                detail=float(body["detail"]),
                complete=bool(body["complete"]),
                bound=_bound(body.get("bound")),
                version=str(body["discreet"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise InputError("not a whole plan: a part is missing or has the wrong form") from None
        recoded = plan.recoded
        beside = (told.column for grouping in plan.groupings for told in grouping.beside)
        named = {*recoded, *beside, *plan.kinds, *(edit.column for edit in plan.edits)}
        named |= {cell.column for cell in plan.cells} | {cell.column for cell in plan.decoys}
        named |= set(plan.masks.names if plan.masks is not None else ())
        if len(set(recoded)) < len(recoded) or not named <= set(plan.columns):
            raise InputError("not a whole plan: it recodes a column twice or one that is not there")
        if not all(_adjoin(recoding.intervals) for recoding in plan.recodings):
            raise InputError("not a whole plan: its intervals do not adjoin")
        searched = [recoding for recoding in plan.recodings if recoding.column not in binned(plan.policy)]
        misplaced = searched if plan.policy.is_local else plan.groupings
        if misplaced or not all(_is_whole(grouping, plan.policy) for grouping in plan.groupings):
            raise InputError("not a whole plan: its groups and combinations do not fit together")
        return plan


def _read_protected(item: Mapping[str, Any]) -> Protected:
    changed = tuple((int(row), str(column)) for row, column in item["changed"])
    return replace(Protected(**{**item, "changed": ()}), changed=changed)


def _bound(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("not a share")
    return float(value)


def _numbers(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _read_numbers(text: object) -> tuple[int, ...]:
    if not isinstance(text, str):
        raise TypeError("not a text of numbers")
    return tuple(map(int, text.split()))


def _told(told: Told) -> dict[str, object]:
    labels = []
    for label in told.labels:
        plain = {"text": label.text, "codes": [label.first, label.stop]}
        plain |= {"among": _numbers(label.among)} if label.among else {}
        labels.append(plain | ({} if label.interval is None else {"interval": _plain(label.interval)}))
    return {
        "column": told.column,
        "values": told.values,
        "labels": labels,
        "of_group": _numbers(told.of_group),
        "of_combination": _numbers(told.of_combination),
    }


def _read_told(item: Mapping[str, Any]) -> Told:
    labels = []
    for label in item["labels"]:
        (text,), (first, stop) = _values([label["text"]]), label["codes"]
        among = _read_numbers(label.get("among", ""))
        labels.append(Label(text, int(first), int(stop), among, _interval(i) if (i := label.get("interval")) else None))
    return Told(
        str(item["column"]),
        _values(item["values"]),
        tuple(labels),
        _read_numbers(item["of_group"]),
        _read_numbers(item["of_combination"]),
    )


def _read_grouping(item: Mapping[str, Any]) -> Grouping:
    return Grouping(
        tuple(map(_read_told, item["columns"])),
        tuple(map(_read_told, item["beside"])),
        _read_numbers(item["group"]),
        _read_numbers(item["hidden"]),
        _read_numbers(item["losses"]),
        int(item["whole"]),
    )


def _is_whole(grouping: Grouping, policy: Policy) -> bool:
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


def _texts(values: object) -> tuple[str, ...]:
    found = _values(values)
    if None in found:
        raise TypeError("a text is missing")
    return tuple(text for text in found if text is not None)


def _pair(values: object) -> tuple[str | None, str | None]:
    value, text = _values(values)
    return value, text


def _interval(found: Mapping[str, str | None]) -> Interval:
    text = found["text"]
    if not isinstance(text, str):
        raise TypeError("a text is missing")
    start, stop, low, high = (
        None if found[name] is None else Decimal(str(found[name])) for name in ("start", "stop", "low", "high")
    )
    if any(number is not None and not number.is_finite() for number in (start, stop, low, high)):
        raise ValueError("not a number")
    return Interval(start, stop, text, low, high)


def _adjoin(intervals: Sequence[Interval]) -> bool:
    """Whether each interval begins where the one before it stops, in ascending order, the outermost without end."""
    if not intervals:
        return True
    stops = [interval.stop for interval in intervals[:-1]]
    inner = [stop for stop in stops if stop is not None]
    meet = stops == [interval.start for interval in intervals[1:]] and len(inner) == len(stops)
    ends = intervals[0].start is None and intervals[-1].stop is None
    return meet and ends and all(one < other for one, other in pairwise(inner))


def _values(values: object) -> tuple[str | None, ...]:
    if not isinstance(values, list) or not all(value is None or isinstance(value, str) for value in values):
        raise TypeError("not a list of texts")
    return tuple(values)


def _plain(item: Any) -> object:
    if is_dataclass(item) and not isinstance(item, type):
        return {name: _plain(value) for name, value in vars(item).items()}
    if isinstance(item, tuple):
        return [_plain(part) for part in item]
    return str(item) if isinstance(item, Decimal) else item
