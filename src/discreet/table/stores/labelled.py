"""Groups with labels of their own on large tables: a table as the plan's groups show it, row by row as it stands.

Which combination of texts goes to which group follows from counts alone (`groups_of`, as in memory); the store looks
the combination of each row up. Rows are masked and cells edited on this table, as on one that is recoded by column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Codes, Combinations, Encoded, Ints, smallest
from discreet.plan.assigning import REMOVED, UNCOVERED, groups_of
from discreet.plan.masks import ALL, Masked, Masks
from discreet.plan.plan import Plan
from discreet.table.stores import counts
from discreet.table.stores.from_plan import making_of, map_of, rows_meant
from discreet.table.stores.keys import Keys
from discreet.table.stores.store import Making, Store

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine

TOLD, HIDDEN, GONE, STRANGE = "told", "hidden", "gone", "strange"
"""What is said of a row beside its labels: something is told, or nothing; it is removed; the plan cannot place it."""


@dataclass(frozen=True)
class Labelling:
    """What rows show, by the combination of their texts in some columns."""

    masks: Masks
    """The combinations of original texts that occur."""
    look: Ints
    """How each combination looks, by number."""
    texts: dict[str, pl.Series]
    """For each column that is changed or added its text, by look."""

    @cached_property
    def keys(self) -> Keys:
        """A key for each combination."""
        return Keys(self.masks)


class LabelledTable:
    """A large table as groups of a plan show it, settled when somebody needs more of it than counts."""

    def __init__(self, table: BigEngine, plan: Plan) -> None:
        self.table, self.groupings = table, plan.groupings
        names = tuple(dict.fromkeys(told.column for grouping in plan.groupings for told in grouping.told))
        counted = table.count(names)
        self.flag = free_name(table.columns)
        shown = _shown(plan, counted, self.flag)
        stays = [not plan.policy.removes or said not in (GONE, STRANGE) for said in shown[self.flag]]
        self.same = tuple(name for name in shown if name in names and _same(shown[name], counted, name, stays))
        """Columns whose labels are the values themselves: they keep their types."""
        shown = {name: column for name, column in shown.items() if name not in self.same}
        self.labelling = _labelling(counted, shown)

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that show labels."""
        return tuple(name for name in self.labelling.texts if name != self.flag)

    @cached_property
    def store(self) -> Store:
        """Where the rows are as they are shown; they are settled now if they were not yet."""
        settled = self.table.store.labelled(self.labelling)
        self.table.refuse_changed()
        return settled

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts: they follow from those of the table."""
        labelled = [name for name in columns if name in self.labelling.texts]
        if not labelled:
            return self.table.count(columns)
        known = self.labelling.masks.names
        counted = self.table.count(tuple(dict.fromkeys((*known, *(name for name in columns if name not in labelled)))))
        look = self._looks(counted)
        domains: list[tuple[str | None, ...]] = []
        codes: list[Codes] = []
        for name in columns:
            if name not in labelled:
                domains.append(counted.domain(name))
                codes.append(counted.code(name))
                continue
            texts = self.labelling.texts[name]
            order = texts.unique().sort(nulls_last=False).to_list()
            place = {text: at for at, text in enumerate(order)}
            of_look = np.array([place[text] for text in texts.to_list()], dtype=smallest(max(len(order), 1)))
            domains.append(tuple(order))
            codes.append(of_look[look])
        return counts.collapsed(columns, domains, codes, counted.counts)

    def _looks(self, counted: Combinations) -> Ints:
        """Return how each of some combinations looks."""
        places = []
        for masked in self.labelling.masks.columns:
            place = {value: at for at, value in enumerate(masked.values)}
            of_code = np.array([place[value] for value in counted.domain(masked.column)], dtype=np.int64)
            places.append(of_code[counted.code(masked.column)])
        asked = Masks(
            tuple(
                Masked(masked.column, masked.values, tuple(at.tolist()))
                for masked, at in zip(self.labelling.masks.columns, places, strict=True)
            ),
            (ALL,) * len(counted.counts),
        )
        return self.labelling.look[self.labelling.keys.numbers(Keys(asked).all)]

    def making_of(self, plan: Plan) -> Making:
        """Return how a plan makes its release of this table; edits are those of rows of the table itself."""
        maps = {}
        for name in (*self.labels, *self.same):
            domain = self.count([name]).domains[0]
            maps[name] = map_of(domain, domain)
        domain = self.count([self.flag]).domains[0]
        gone = [text in (GONE, STRANGE) for text in domain]
        if any(gone):
            maps[self.flag] = map_of(domain, domain, gone)
        return replace(making_of(plan, self.table, maps), labelled=frozenset(self.labels))

    def rows_unseen(self) -> int:
        """Return how many rows the plan cannot place."""
        return self._rows_that(STRANGE)

    def rows_masked(self, making: Making) -> int | None:
        """Return how many rows show nothing, or are left out instead; None where rows are to be looked at for that."""
        masks, nothing = making.masks, (HIDDEN, GONE, STRANGE)
        if making.removes:
            return None
        rows = self._rows_that(*nothing)
        if masks is None:
            return rows
        counted = self.count(tuple(dict.fromkeys((*masks.names, self.flag))))
        told = np.array([text not in nothing for text in counted.domain(self.flag)], dtype=np.bool_)
        return rows + rows_meant(masks, counted, np.where(told[counted.code(self.flag)], counted.counts, 0))

    def _rows_that(self, *said: str) -> int:
        """Return how many rows are such as is said."""
        counted = self.count([self.flag])
        wanted = np.array([text in said for text in counted.domains[0]], dtype=np.bool_)
        return int(counted.counts[wanted[counted.codes[0]]].sum())


def labelled(plan: Plan, table: BigEngine, last: LabelledTable | None) -> LabelledTable:
    """Return a table as a plan shows it; the last one, if that is the same."""
    if last is not None and last.groupings is plan.groupings:
        return last
    return LabelledTable(table, plan)


def free_name(columns: Sequence[str]) -> str:
    """Return a name that no column has, whatever its case."""
    name, taken = "shown", {column.casefold() for column in columns}
    while name in taken:
        name += "_"
    return name


def _shown(plan: Plan, counted: Combinations, flag: str) -> dict[str, list[str | None]]:
    """Return what each combination shows in the columns of groups, and what is said of it beside that."""

    def encoded(name: str) -> Encoded:
        return Encoded(counted.domain(name), counted.code(name))

    number = len(counted.counts)
    groups = [groups_of(grouping, plan.policy, encoded, number) for grouping in plan.groupings]
    worst = np.min([np.zeros(number, dtype=np.int64), *groups], axis=0)
    hidden = np.ones(number, dtype=np.bool_)
    shown: dict[str, list[str | None]] = {}
    for grouping, group in zip(plan.groupings, groups, strict=True):
        hidden &= np.isin(group, np.array(grouping.hidden, dtype=np.int64))
        for told in grouping.columns:
            of_group = np.array(told.of_group or (0,), dtype=np.int64)[np.maximum(group, 0)]
            texts = [label.text for label in told.labels]
            cells = zip(of_group.tolist(), (worst < 0).tolist(), strict=True)
            shown[told.column] = [plan.policy.marker if gone else texts[at] for at, gone in cells]
    words = {UNCOVERED: STRANGE, REMOVED: GONE}
    shown[flag] = [
        words.get(low, HIDDEN if nothing else TOLD)
        for low, nothing in zip(worst.tolist(), hidden.tolist(), strict=True)
    ]
    return shown


def _same(shown: Sequence[str | None], counted: Combinations, name: str, stays: Sequence[bool]) -> bool:
    """Whether every combination that stays in the release shows its own value."""
    domain = counted.domain(name)
    cells = zip(shown, counted.code(name).tolist(), stays, strict=True)
    return all(text == domain[code] for text, code, here in cells if here)


def _labelling(counted: Combinations, shown: dict[str, list[str | None]]) -> Labelling:
    table = pl.DataFrame({f"{at}": pl.Series(texts, dtype=pl.String) for at, texts in enumerate(shown.values())})
    looks = table.unique(maintain_order=True).with_row_index("look")
    of = table.join(looks, on=table.columns, how="left", nulls_equal=True, maintain_order="left").get_column("look")
    columns = tuple(
        Masked(name, domain, tuple(code.tolist()))
        for name, domain, code in zip(counted.columns, counted.domains, counted.codes, strict=True)
    )
    masks = Masks(columns, (ALL,) * len(counted.counts))
    texts = {name: looks.get_column(f"{at}") for at, name in enumerate(shown)}
    return Labelling(masks, of.to_numpy().astype(np.int64), texts)
