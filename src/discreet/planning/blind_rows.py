"""Rows with confidential cells, put together by what they have in common, and what is told of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.method.cells.blind_before import Before, WalkBefore
from discreet.method.cells.blind_figures import BlindFigures
from discreet.method.cells.blind_judging_kernels import BlindRules
from discreet.method.cells.blind_table import BlindKind, BlindLimit, BlindRest, BlindSecret
from discreet.method.cells.blind_walk import Told, Walk
from discreet.plan.blind_statement import LEAVING
from discreet.planning.blind_reading import ReadColumn


@dataclass(frozen=True)
class BlindCells:
    """The confidential cells of one requirement; columns and rows by their places."""

    column: int
    rows: Sequence[int]
    predictors: tuple[int, ...]
    known: Mapping[int, tuple[int, ...]]
    """For each row the columns that are told from the start, predictors or not."""
    limit: BlindLimit


def asked_by(blocks: str, references: Sequence[str], rule: str = LEAVING) -> BlindRules:
    """Return what kernels want to know of the references and blocks that a policy names, and how blocks are found."""
    return BlindRules(
        bayes="naive_bayes" in references,
        counts="count" in references,
        by_count=references[0] == "count",
        whole=blocks == "none",
        leaves=rule == LEAVING,
        near="kernel" in references,
        by_near=references[0] == "kernel",
    )


class BlindRows:
    """All rows with confidential cells."""

    def __init__(
        self,
        columns: Sequence[ReadColumn],
        cells: Sequence[BlindCells],
        asked: BlindRules,
        order: Sequence[int] = (),
        *,
        exact: bool = False,
        before: Mapping[int, Before] | None = None,
    ) -> None:
        """Take columns and cells; `before` is what earlier releases told of some of the rows."""
        self.before = before or {}
        self.columns, self.cells, self.asked, self.order, self.exact = columns, cells, asked, order, exact
        self.kinds = self._kinds()
        predictors: dict[int, set[int]] = {}
        for kind in self.kinds:
            for place in kind.secrets:
                predictors.setdefault(place, set()).update(kind.predictors)
        blind = [column.blind for column in columns]
        secrets = {
            place: BlindSecret(blind, place, sorted(named), bayes=asked.bayes)
            for place, named in sorted(predictors.items())
        }
        self.rest = BlindRest(blind, secrets)

    def _kinds(self) -> dict[BlindKind, list[int]]:
        """Return the rows of each kind."""
        items_of: dict[int, list[BlindCells]] = {}
        for item in self.cells:
            for row in item.rows:
                items_of.setdefault(row, []).append(item)
        found: dict[BlindKind, list[int]] = {}
        made: dict[tuple[object, ...], BlindKind] = {}
        for row in sorted(items_of):
            items = items_of[row]
            key = tuple((id(item), item.known.get(row, ())) for item in items)
            if key not in made:
                made[key] = self._kind(items, row)
            found.setdefault(made[key], []).append(row)
        return found

    def _kind(self, items: Sequence[BlindCells], row: int) -> BlindKind:
        secrets = sorted({item.column for item in items})
        predictors = sorted({place for item in items for place in item.predictors} - set(secrets))
        known = sorted({place for item in items for place in item.known.get(row, ())} & set(predictors))
        limits = tuple(tuple(sorted({item.limit for item in items if item.column == place})) for place in secrets)
        return BlindKind(tuple(secrets), tuple(predictors), tuple(known), limits)

    def tell(self) -> list[Told]:
        """Return what is told of the rows, those together that are told the same."""
        return self._told

    @cached_property
    def _told(self) -> list[Told]:
        found: list[Told] = []
        for kind, rows in self.kinds.items():
            if not kind.predictors:
                found.append(Told(tuple(rows), ()))
                continue
            alike: dict[Before, list[int]] = {}
            for row in rows:
                alike.setdefault(self.before.get(row, ()), []).append(row)
            figures = BlindFigures(self.rest, kind, self.asked) if any(alike) else None
            for before, some in alike.items():
                places = np.array(some, dtype=np.int64)
                cells = np.array([self.columns[place].codes[places] for place in kind.predictors], dtype=np.int32)
                if before and figures is not None:
                    told = WalkBefore(figures, self.order, before).tell(cells)
                else:
                    told = Walk(self.rest, kind, self.asked, self.order, exact=self.exact).tell(cells)
                found += [Told(tuple(places[list(each.rows)].tolist()), each.facts, each.failed) for each in told]
        return found
