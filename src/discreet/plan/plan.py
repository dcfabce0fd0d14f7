"""The plan: everything that turns the table into the release. Private, for it tells what was hidden.

A plan is plain data. It is found by a method, carried out by the engine that holds the rows, kept as JSON by
the owner, and may be used again on new rows of the same kind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from discreet.columns.intervals import Interval
from discreet.common.private import private_json
from discreet.errors import InputError
from discreet.plan.decided import Decided
from discreet.plan.local_groups import PlannedGroups, is_whole, read_grouping
from discreet.plan.masks import Masks, read_masks
from discreet.plan.parts import Decoy, Edit, Kept, Protected, Recoding, Step
from discreet.plan.plain_data import as_plain
from discreet.plan.rehearsed import RehearsedColumn
from discreet.policy import Policy, as_policy
from discreet.policy.bind import binned
from discreet.policy.deciding import without_secrets
from discreet.policy.persons import number_column
from discreet.version import __version__

if TYPE_CHECKING:
    from discreet.release import Release
    from discreet.table.source import Table


WARNING = "this plan tells what was hidden and why. Keep it; never publish it."
FORM = 5
"""Version of the JSON form; a reader refuses forms it does not know."""
READABLE = (2, 3, 4, 5)
"""Forms that are read: those before 3 know no groups with labels of their own, those before 4 no confidential cells,
those before 5 no masks."""
SINCE = ("sampled", "removed", "cells", "decoys", "order", "decided", "rehearsed")
"""Parts that earlier forms lack."""
JSON_FIELDS = (
    "recodings", "sampled", "suppressed", "edits", "removed", "cells", "decoys", "steps", "kept", "redundant", "detail",
    "complete", "bound",
)  # fmt: skip
READ = ("columns", "kinds", "order", "decided", "rehearsed", *(name for name in JSON_FIELDS if name != "bound"))
"""Parts that are read as their classes have them."""


@dataclass(frozen=True, repr=False)
class Plan:
    """Recodings, suppressed rows and edits, with the policy they serve and how they were found."""

    policy: Policy
    columns: tuple[str, ...]
    recodings: tuple[Recoding, ...]
    groupings: tuple[PlannedGroups, ...] = ()
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
    order: tuple[int, ...] | None = None
    """The rows in the order in which they were released, where it was drawn and single cells are confidential, or where
    rows of persons were shuffled or left out."""
    rehearsed: tuple[RehearsedColumn, ...] = ()
    """What learners that know the method get right, where cells are protected blindly; by the other rows alone."""
    steps: tuple[Step, ...] = ()
    kept: tuple[Kept, ...] = ()
    redundant: tuple[str, ...] = ()
    detail: float = 1.0
    """Share of the detail of the changeable columns that is released (1 - LM), on the table it was made for."""
    complete: bool = True
    bound: float | None = None
    """Of what the cut costs the use, on the table it was made for, the share that no cut goes below: 1 when it is
    proven to be a best one, None when nobody looked."""
    decided: Decided | None = None
    """What the secrets decided, where the policy wants decisions to be blind."""
    version: str = field(default=__version__)

    def __repr__(self) -> str:
        if self.groupings:
            groups = sum(len(grouping.losses) for grouping in self.groupings)
            return f"<Plan: {len(self.recoded)} columns, {groups} groups; private>"
        return f"<Plan: {len(self.recodings)} columns, {len(self.steps)} steps; private>"

    def _repr_html_(self) -> str:
        from discreet.plan.shown import plan_html

        return plan_html(self, WARNING)

    @property
    def recoded(self) -> tuple[str, ...]:
        """The columns that it recodes."""
        grouped = (told.column for grouping in self.groupings for told in grouping.columns)
        return (*(recoding.column for recoding in self.recodings), *grouped)

    @property
    def searched(self) -> Policy:
        """The policy as the search was asked: with k in the place of promises about secrets where it was blind."""
        return self.policy if self.decided is None else without_secrets(self.policy, self.decided.k)

    def for_new_rows(self) -> Plan:
        """Return the part of the plan that makes sense on other rows: row numbers do not."""
        edited = replace(self, edits=(), removed=(), cells=(), decoys=(), order=None, rehearsed=())
        return replace(edited, sampled=None, suppressed=(), masks=None, bound=None)

    def apply(
        self,
        table: Table,
        *,
        policy: Policy | Mapping[str, Any] | str | Path | None = None,
        population: Table | None = None,
        engine: str | None = None,
        memory_limit: str | int | None = None,
        key: str | None = None,
        ledger: str | Path | None = None,
        person: str | None = None,
        name: str | None = None,
        secret: str | Path | None = None,
        new_persons: bool = False,
        row_key: str | None = None,
    ) -> Release:
        """Carry the plan out on new rows of the same kind, and verify the result like any other.

        A row with a value that the plan has never seen is suppressed. Where groups of rows have labels of their
        own, a combination of values that the plan has never seen goes to the group with the least loss whose labels
        cover it, or else is suppressed. `engine`, `memory_limit` and `key` as for `protect`.

        `policy` is the owner's: the result is verified against it. Without it, all promises are those of the policy
        that the plan carries, which whoever can change the plan can change; the audit then warns.

        A plan has no row of a population, only the path of its file: `population` is the table, or where it is now.

        With a `ledger`, all as for `protect`: rows that its releases and these together do not allow are suppressed.

        Raises
        ------
        BrokenPromise
            When the new rows do not keep the policy's promises under this plan, or the plan releases what the
            owner's policy would not.
        """
        pipeline = import_module("discreet.pipeline")  # the one thing that a plan asks of rooms further on
        opening = pipeline.Opening(engine, memory_limit, key)
        owners = self.policy if policy is None else as_policy(policy)
        use = pipeline.ledger_use(owners, ledger, person, name, secret, new_persons=new_persons, row_key=row_key)
        rules = None if policy is None else owners
        release: Release = pipeline.apply(self, table, opening=opening, policy=rules, population=population, use=use)
        return release

    def to_json(self) -> str:
        """Return the plan as JSON that `Plan.from_json` takes; its first line says that it is private."""
        body: dict[str, Any] = {"form": FORM, "discreet": self.version, "policy": self.policy.to_dict()}
        body |= {"columns": self.columns, "kinds": dict(self.kinds)}
        body["groupings"] = [grouping.to_dict() for grouping in self.groupings]
        body["masks"] = None if self.masks is None else self.masks.to_dict()
        for name in JSON_FIELDS:
            value = getattr(self, name)
            body[name] = [as_plain(item) for item in value] if isinstance(value, tuple) else value
        if self.order is not None:
            body["order"] = self.order
        if self.decided is not None:
            body["decided"] = as_plain(self.decided)
        if self.rehearsed:
            body["rehearsed"] = as_plain(self.rehearsed)
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
            parts: dict[str, object] = {"policy": Policy.from_dict(body["policy"]), "version": body["discreet"]}
            parts |= {name: body[name] for name in READ if name in body or name not in SINCE}
            parts["groupings"] = tuple(map(read_grouping, body.get("groupings", ())))
            parts["masks"] = None if body.get("masks") is None else read_masks(body["masks"])
            parts["bound"] = _bound(body.get("bound"))
            plan = _reader().validate_python(parts)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise InputError("not a whole plan: a part is missing or has the wrong form") from None
        recoded = plan.recoded
        beside = (told.column for grouping in plan.groupings for told in grouping.beside)
        named = {*recoded, *beside, *plan.kinds, *(edit.column for edit in plan.edits)}
        named |= {cell.column for cell in plan.cells} | {cell.column for cell in plan.decoys}
        named |= set(plan.masks.names if plan.masks is not None else ())
        columns = {*plan.columns, *(() if plan.policy.unit is None else [number_column(plan.columns)])}
        if len(set(recoded)) < len(recoded) or not named <= columns:
            raise InputError("not a whole plan: it recodes a column twice or one that is not there")
        if not all(_adjoin(recoding.intervals) for recoding in plan.recodings):
            raise InputError("not a whole plan: its intervals do not adjoin")
        searched = [recoding for recoding in plan.recodings if recoding.column not in binned(plan.policy)]
        misplaced = searched if plan.policy.is_local else plan.groupings
        if misplaced or not all(is_whole(grouping, plan.policy) for grouping in plan.groupings):
            raise InputError("not a whole plan: its groups and combinations do not fit together")
        return plan


@cache
def _reader() -> TypeAdapter[Plan]:
    """Return what reads the parts of a plan as their classes have them; made when it is first needed."""
    return TypeAdapter(Plan)


def _bound(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("not a share")
    return float(value)


def _adjoin(intervals: Sequence[Interval]) -> bool:
    """Whether each interval begins where the one before it stops, in ascending order, the outermost without end."""
    if not intervals:
        return True
    stops = [(interval.stop, interval.through) for interval in intervals[:-1]]
    inner = [(stop, through) for stop, through in stops if stop is not None]
    meet = stops == [(interval.start, interval.after) for interval in intervals[1:]] and len(inner) == len(stops)
    ends = intervals[0].start is None and intervals[-1].stop is None
    return meet and ends and all(one < other for one, other in pairwise(inner))
