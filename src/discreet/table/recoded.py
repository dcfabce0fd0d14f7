"""What a plan makes of the texts of rows: by recodings of single columns, by groups with labels of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.common.at_once import each
from discreet.encoded import Codes, Encoded
from discreet.plan.assigning import UNCOVERED, groups_of
from discreet.plan.parts import Edit, Recoding, Unseen
from discreet.plan.plan import Plan
from discreet.policy import Policy

TextsAndCodes = tuple[list[str | None], Codes]
"""Some texts, and which of them each row has."""


@dataclass(frozen=True)
class RecodedRows:
    """What a plan makes of the rows: for each column texts and which of them each row has."""

    texts: dict[str, TextsAndCodes]
    unseen: npt.NDArray[np.bool_]
    """Rows that the plan cannot place."""
    gone: npt.NDArray[np.bool_]
    """Rows that are masked or removed."""
    hidden: npt.NDArray[np.bool_]
    """Rows of which their texts tell nothing."""

    def beside(self, bins: RecodedRows) -> RecodedRows:
        """Return what is made of the columns of groups, and of others by fixed intervals."""
        unseen, gone = self.unseen | bins.unseen, self.gone | bins.gone
        return RecodedRows({**self.texts, **bins.texts}, unseen, gone, self.hidden)


def told(
    recoding: Recoding, domain: Sequence[str | None], policy: Policy
) -> tuple[list[str | None], npt.NDArray[np.bool_]]:
    """Return what a recoding makes of some values, and which of them it has not seen: the marker stands for these."""
    texts = recoding.texts(domain, policy.column(recoding.column).scale)
    unseen = np.array([isinstance(text, Unseen) for text in texts], dtype=np.bool_)
    return [policy.marker if isinstance(text, Unseen) else text for text in texts], unseen


def by_recodings(plan: Plan, encoded: Callable[[str], Encoded], rows: int) -> RecodedRows:
    """Return what becomes of each column by itself."""
    unseen = np.zeros(rows, dtype=np.bool_)
    made: dict[str, TextsAndCodes] = {}
    for recoding in plan.recodings:
        column = encoded(recoding.column)
        texts, strange = told(recoding, column.domain, plan.policy)
        if strange.any():
            unseen |= strange[column.codes]
        made[recoding.column] = (texts, column.codes)
    return RecodedRows(made, unseen, unseen.copy(), np.zeros_like(unseen))


def by_groups(plan: Plan, encoded: Callable[[str], Encoded], rows: int) -> RecodedRows:
    """Return what becomes of groups of rows; rows of which nothing is told are suppressed."""
    unseen, gone = np.zeros(rows, dtype=np.bool_), np.zeros(rows, dtype=np.bool_)
    hidden = np.ones(rows, dtype=np.bool_)
    made: dict[str, TextsAndCodes] = {}
    for grouping in plan.groupings:
        group = groups_of(grouping, plan.policy, encoded, rows)
        unseen |= group == UNCOVERED
        gone |= group < 0
        group = np.maximum(group, 0)
        hidden &= np.isin(group, np.array(grouping.hidden, dtype=np.int64))
        for labelled in grouping.columns:
            of_group = np.array(labelled.of_group or (0,), dtype=np.uint32)
            made[labelled.column] = ([label.text for label in labelled.labels], of_group[group])
    return RecodedRows(made, unseen, gone, hidden)


def released_columns(
    made: Mapping[str, TextsAndCodes],
    before: Callable[[str], Encoded],
    original: Callable[[str], pl.Series],
    masked: npt.NDArray[np.bool_],
    marker: str,
) -> dict[str, pl.Series | None]:
    """Return the released texts of each column, as `released_texts` does; for many rows by two threads."""

    def released(column: str) -> tuple[str, pl.Series | None]:
        return column, released_texts(made[column], before(column), original(column), masked, marker)

    return dict(each(released, made, len(masked)))


def released_texts(
    cells: TextsAndCodes, before: Encoded, original: pl.Series, masked: npt.NDArray[np.bool_], marker: str
) -> pl.Series | None:
    """Return the released texts of a column; None when nothing changes, so that its type is kept.

    Parameters
    ----------
    cells
        What a plan makes of the column.
    before, original
        The column as it was: as codes, and as texts.
    masked
        The rows in which the marker stands instead.
    marker
        The marker.
    """
    texts, codes = cells
    if not masked.any() and codes is before.codes and texts == list(before.domain):
        return None
    found = pl.Series(texts, dtype=pl.String).gather(pl.Series(codes).cast(pl.UInt32))
    if codes is not before.codes and not masked.any() and found.eq_missing(original).all():
        return None
    return found.zip_with(~pl.Series(masked), pl.Series([marker])) if masked.any() else found


def edits_by_column(edits: Sequence[Edit]) -> list[tuple[str, list[int], list[str]]]:
    """Return for each column the row numbers of its edits and the other texts."""
    columns: dict[str, tuple[list[int], list[str]]] = {}
    for edit in edits:
        rows, texts = columns.setdefault(edit.column, ([], []))
        rows.append(edit.row)
        texts.append(edit.text)
    return [(column, rows, texts) for column, (rows, texts) in columns.items()]
