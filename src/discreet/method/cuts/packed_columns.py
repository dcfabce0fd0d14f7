"""Columns with few codes, looked up together: rows are put into groups with fewer reads."""

from __future__ import annotations

from math import prod

import numpy as np

from discreet.encoded import LARGEST_KEY, Ints
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.cuts.evaluation_kernels import group_packed

LARGEST_PACK = 2048
"""Columns are looked up together as long as they have no more combinations of codes."""
MOST_ROWS = 120_000
"""Of more rows, searches look at a share only; they would take room here."""


class PackedColumns:
    """The columns of a problem in packs."""

    def __init__(self, problem: CutProblem) -> None:
        sizes = [column.space.size for column in problem.columns]
        packs: list[list[int]] = []
        for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):  # the largest that fits goes first
            for pack in packs:
                if prod(sizes[own] for own in pack) * sizes[place] <= LARGEST_PACK:
                    pack.append(place)
                    break
            else:
                packs.append([place])
        self.sizes = np.array(sizes, dtype=np.int64)
        self.columns = np.array([place for pack in packs for place in pack], dtype=np.int64)
        self.starts = np.cumsum([0, *map(len, packs)], dtype=np.int64)
        self.joint = np.zeros((len(packs), problem.codes.shape[1]), dtype=np.int32)
        for line, pack in zip(self.joint, packs, strict=True):
            for place in pack:
                line *= sizes[place]
                line += problem.codes[place]
        self.looked = np.empty(sum(prod(sizes[place] for place in pack) for pack in packs), dtype=np.int64)

    def group(
        self, columns: Ints, numbers: Ints, offsets: Ints, widths: Ints, fixed: Ints, bound: int, key: Ints, ids: Ints,
        table: Ints, places: Ints,
    ) -> int | None:  # fmt: skip
        """Do as `evaluation_kernels.group`; None where one key does not hold all that is told apart."""
        if bound * prod(widths[columns].tolist()) > LARGEST_KEY:
            return None
        known: Flags = np.zeros(len(self.sizes), dtype=np.bool_)
        known[columns] = True
        return int(
            group_packed(self.joint, self.starts, self.columns, self.sizes, known, numbers, offsets, widths, fixed,
                         bound, self.looked, key, ids, table, places)
        )  # fmt: skip


def packed(problem: CutProblem) -> PackedColumns | None:
    """Return the columns in packs, where some share one."""
    if problem.codes.shape[1] > MOST_ROWS:
        return None
    found = PackedColumns(problem)
    return found if len(found.starts) - 1 < len(found.sizes) else None
