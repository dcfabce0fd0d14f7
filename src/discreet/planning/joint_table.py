"""The table beside the past of everybody in it: what is searched on, and what is found as a plan for the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from discreet.encoded import Encoded, Ints, encode, of_texts
from discreet.errors import ImpossiblePromise, PromiseError
from discreet.ledger.secret import LedgerSecret
from discreet.plan.assigning import groups_of, placed
from discreet.plan.local_groups import GroupColumn, Label, PlannedGroups
from discreet.plan.masks import ALL, Masked, Masks
from discreet.plan.plan import Plan
from discreet.planning.joint import JointItem, JointPast, JointRows
from discreet.planning.past_people import numbered
from discreet.policy import GroupPromise, Policy
from discreet.policy.bind import Bound
from discreet.policy.persons import free_name
from discreet.policy.places import Path
from discreet.policy.requirements.base import Flags, GroupRequirement
from discreet.policy.requirements.seen import SeenColumn, SeenOf
from discreet.table.coded import CodedTable
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.table.row_texts import row_texts


class JointRequirement(GroupRequirement):
    """One promise over all releases, on the table beside everybody's past."""

    tag = ""
    hint = ""
    item: Any
    past: str
    """The column with the past that it knows."""

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know: of the table, and the past."""
        return (*self.item.given, self.past)

    @property
    def sensitive(self) -> str | None:
        """The column of which something must not be inferred."""
        sensitive: str | None = self.item.column
        return sensitive

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that it makes."""
        kind: type[GroupPromise] = self.item.kind
        return kind

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield the promise, under its position here."""
        promise: Any = self.item.make(seen)
        if promise is not None:
            yield replace(promise, given=self.known, index=index)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield nothing: the owner names columns of the table."""
        yield from ()

    def problems(self, column: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield nothing: it was looked at on the table."""
        del column
        yield from ()

    def on_share(self, share: Fraction) -> JointRequirement:
        """Return it as it is: the past of those who are not searched on is known as well."""
        del share
        return self


@dataclass(frozen=True)
class JointTable:
    """The table with the past of everybody in it, and the policy as it is about both."""

    source: Engine
    rows: Bound
    """The policy on the table."""
    table: LocalEngine
    bound: Bound
    """The policy on the table beside the past."""
    items: tuple[JointItem, ...]
    person: str
    ids: pl.Series

    def in_rows(self, plan: Plan) -> Plan:
        """Return a plan for the table beside the past as one for the table."""
        source = self.source
        kinds = {name: source.kind(name) for name in plan.kinds if name in source.columns}
        kept = tuple(replace(kept, infers=None) if kept.infers not in (None, *source.columns) else kept
                     for kept in plan.kept)  # fmt: skip
        gone = plan.suppressed
        groupings = tuple(self._by_person(grouping, plan.policy) for grouping in plan.groupings)
        plan = replace(
            plan,
            groupings=groupings,
            policy=self.rows.policy,
            columns=source.columns,
            kinds=kinds,
            kept=kept,
            redundant=(),
            steps=(),
        )
        if source.row_wise:
            return replace(plan, masks=None)
        whose = tuple(self.ids.gather([number - 1 for number in gone]).to_list())
        masks = Masks((Masked(self.person, whose, tuple(range(len(whose)))),), (ALL,) * len(whose)) if whose else None
        return replace(plan, suppressed=(), masks=masks)

    def _by_person(self, grouping: PlannedGroups, policy: Policy) -> PlannedGroups:
        """Return groups of rows told apart by the past as groups of persons: the table does not have their past."""
        group = groups_of(grouping, policy, self.table.encoded, self.table.rows)
        columns = []
        for told in grouping.columns:
            encoded = self.table.encoded(told.column)
            values = placed(told, policy, encoded.domain).codes[encoded.codes]
            columns.append(replace(told, of_combination=tuple(values.tolist())))
        everybody, groups = len(self.ids), len(grouping.losses)
        all_of_them = (Label(None, 0, max(everybody, 1)),)
        whose = GroupColumn(self.person, tuple(self.ids.to_list()), all_of_them, (0,) * groups, tuple(range(everybody)))
        return replace(grouping, columns=tuple(columns), beside=(whose,), group=tuple(group.tolist()))

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Let errors of the search name promises as the owners of the releases know them."""
        try:
            yield
        except ImpossiblePromise as impossible:
            named = dict.fromkeys(str(self.items[promise.index]) for promise, _ in impossible.least)
            raise PromiseError(
                "over all releases together these promises cannot be kept, whatever is hidden: "
                + "; ".join(named)
                + "; ask for less, or let more columns change: one that goes out as it is splits every group"
            ) from None


def table_now(
    source: Engine, person: str, columns: Sequence[str], needed: Sequence[str], secret: LedgerSecret, *, by_row: bool
) -> tuple[JointRows, pl.Series]:
    """Return the table to be released as searches need it, and the ids of its persons; `by_row`: in its order.

    Else those whose rows are not known one by one are in the order of their ids.
    """
    ids = row_texts(source, person)
    if source.row_wise or by_row:
        texts = {name: source.encoded(name) for name in needed}
    else:
        order = ids.arg_sort()
        ids = ids.gather(order)
        texts = {name: encode(row_texts(source, name).gather(order)) for name in needed}
    assert not ids.null_count()
    return JointRows(tuple(columns), secret.names(ids), texts.__getitem__), ids


def joint_table(
    source: Engine,
    rows: Bound,
    joint: JointPast,
    items: Sequence[JointItem],
    person: str,
    ids: pl.Series,
    merged: dict[int, Flags],
) -> JointTable:
    """Return the table beside the past of everybody in it.

    Parameters
    ----------
    merged
        For some items, who stands in a group that breaks it whatever is hidden: to be looked at together.
    """
    columns = {name: joint.table.encoded(name) for name in rows.counted}
    for item in items:
        for name in (*item.given, *(() if item.told is not None or item.column is None else (item.column,))):
            columns.setdefault(name, joint.table.encoded(name))
    protect: list[JointRequirement] = []
    pasts: dict[tuple[str, ...], str] = {}
    for number, item in enumerate(items):
        if number in merged:
            label = free_name(f"past of {number}", (*source.columns, *columns))
            past = np.where(merged[number], -1, joint.past_of(item.over))
            columns[label] = of_numbers(past[joint.now])
        elif item.over in pasts:
            label = pasts[item.over]
        else:
            label = pasts[item.over] = free_name(f"past {len(pasts)}", (*source.columns, *columns))
            columns[label] = of_numbers(joint.past_of(item.over)[joint.now])
        if item.told is not None and item.column is not None and item.column not in columns:
            columns[item.column] = told_values(item, joint.now, rows.policy)
        protect.append(JointRequirement(item=item, past=label))
    numbers = source.numbers() if source.row_wise else None
    table = CodedTable(columns, len(joint.now), numbers)
    known = {name for made in protect for name in made.known}
    search = None if rows.policy.is_local else rows.policy.method
    # Masked rows of one past keep every promise as a group, so they do as well among those who left: a policy that
    # removes rows removes these.
    masking = rows.policy.suppress.model_copy(update={"rows": "mask"})
    asked = {"protect": tuple(protect), "search": search, "ledger": None, "suppress": masking}
    policy = rows.policy.model_copy(update=asked)
    changeable = tuple(name for name in table.columns if name in rows.changeable)
    bound = Bound(
        policy=policy,
        columns=table.columns,
        released=table.columns,
        changeable=changeable,
        fixed=tuple(name for name in table.columns if name in known and name not in changeable),
        edited=(),
        binned=(),
        warnings=(),
        past=True,
    )
    return JointTable(source, rows, table, bound, tuple(items), person, ids)


def of_numbers(numbers: Ints) -> Encoded:
    """Return whole numbers from -1 as codes of their texts."""
    codes, different = numbered(numbers + 1, int(numbers.max(initial=-1)) + 2)
    values = np.empty(different, dtype=np.int64)
    values[codes] = numbers
    return of_texts(list(map(str, values.tolist())), codes)


def told_values(item: JointItem, now: Ints, policy: Policy) -> Encoded:
    """Return what is told of those in the table; nothing of whoever it is not told of."""
    assert item.told is not None
    codes = item.told.codes[now]
    return of_texts([*item.told.values, policy.marker], np.where(codes < 0, len(item.told.values), codes))
