"""From a plan to how a release is made of a large table, and how many rows that masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Encoded, Ints
from discreet.plan.masks import ALL, Masks
from discreet.plan.parts import Edit, Recoding
from discreet.plan.plan import Plan
from discreet.table.masking import mask_of
from discreet.table.recoded import told
from discreet.table.row_numbers import no_such_rows
from discreet.table.stores import counts
from discreet.table.stores.fetching import fetched_texts
from discreet.table.stores.numbering import places_of
from discreet.table.stores.packing import FEW
from discreet.table.stores.store import Making, Map
from discreet.table.tokens import tokens_of

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine


def making_of(plan: Plan, table: BigEngine, more: Mapping[str, Map] | None = None) -> Making:
    """Return how a plan makes a release of a table, with maps of other columns besides."""
    maps = {recoding.column: _recoded(plan, recoding, table) for recoding in plan.recodings} | dict(more or {})
    masks = plan.masks is not None or any(len(map_.gone) for map_ in maps.values())
    meant = plan.masks
    if plan.policy.token is not None:
        maps[plan.policy.token] = _tokens(plan.policy.token, table)
        meant = None if meant is None else _by_tokens(meant, plan.policy.token, maps[plan.policy.token])
    return Making(
        columns=tuple(name for name in table.columns if name not in plan.policy.identifiers),
        maps=maps,
        marker=plan.policy.marker,
        hides=masks,
        masks=meant,
        edits=edits_of(plan.edits, table),
        removes=plan.policy.removes and masks,
        left_out=places_of(plan.removed, table) if plan.removed else None,
    )


def _recoded(plan: Plan, recoding: Recoding, table: BigEngine) -> Map:
    """Return what a plan makes of the texts of a column."""
    domain = table.count([recoding.column]).domains[0]
    texts, unseen = told(recoding, domain, plan.policy)
    return map_of(domain, texts, unseen.tolist())


def _tokens(column: str, table: BigEngine) -> Map:
    """Return a token for each text of a column, drawn anew; rows that are masked keep theirs."""
    domain = table.count([column]).domains[0]
    tokens = tokens_of(pl.Series(domain, dtype=pl.String)).to_list()
    # by token: whatever is made of the order, such as a list of categories, must not tell that of the texts
    return Map(map_of(domain, tokens).table.sort("text"), stays=True)


def _by_tokens(masks: Masks, column: str, tokens: Map) -> Masks:
    """Return masks that mean texts of a column as they are released: its tokens."""
    drawn = dict(zip(*(tokens.table.get_column(part).to_list() for part in ("value", "text")), strict=True))
    columns = [
        replace(masked, values=tuple(drawn[value] for value in masked.values)) if masked.column == column else masked
        for masked in masks.columns
    ]
    return replace(masks, columns=tuple(columns))


def map_of(values: Sequence[str | None], texts: Sequence[str | None], gone: Sequence[bool] | None = None) -> Map:
    """Return what is released for some values."""
    columns = {"value": values, "text": texts, "gone": gone or [False] * len(values)}
    return Map(pl.DataFrame(columns, schema={"value": pl.String, "text": pl.String, "gone": pl.Boolean}))


def edits_of(edits: Sequence[Edit], table: BigEngine) -> dict[str, pl.DataFrame]:
    """Return edits by columns, with the places of their rows."""
    texts: dict[str, dict[int, str]] = {}
    for edit in edits:
        texts.setdefault(edit.column, {})[edit.row] = edit.text
    found = {}
    for column, by_row in texts.items():
        rows = sorted(by_row)
        cells = [by_row[row] for row in rows]
        found[column] = pl.DataFrame(
            {"place": pl.Series(places_of(rows, table)), "text": pl.Series(cells, dtype=pl.String)}
        )
    return found


def rows_gone(making: Making, table: BigEngine) -> int:
    """Return how many rows have a value that is gone."""
    names = [name for name, map_ in making.maps.items() if len(map_.gone)]
    if not names:
        return 0
    counted = table.count(names)
    gone = np.zeros(len(counted.counts), dtype=np.bool_)
    for name in names:
        lost = set(making.maps[name].gone.to_list())
        gone |= np.array([value in lost for value in counted.domain(name)], dtype=np.bool_)[counted.code(name)]
    return int(counted.counts[gone].sum())


def rows_masked(making: Making, table: BigEngine) -> int | None:
    """Return how many rows masks mean; None where that does not follow from counts.

    It does where no edit is among what decides, and nobody is gone.
    """
    masks = making.masks
    if masks is None or set(making.edits) & set(masks.names) or any(len(map_.gone) for map_ in making.maps.values()):
        return None
    return _rows_of(masks, replace(making, masks=None, hides=False), table)


def _rows_of(masks: Masks, recoded: Making, table: BigEngine) -> int:
    """Return how many rows masks mean; refuse those that mean rows which are not there."""
    found = _among(masks, recoded, table) or table.count(masks.names)
    counted = counts.released(found, masks.names, recoded.maps, recoded.marker, removes=False)
    return rows_meant(masks, counted, counted.counts)


def _among(masks: Masks, recoded: Making, table: BigEngine) -> Combinations | None:
    """Return the counts of what masks name value by value, such as persons; None where all values are counted as well.

    Where there are many values, the column is read rather than all of it counted.
    """
    masked = masks.columns[0]
    if len(masks.columns) > 1 or masked.column in recoded.maps or table.known(masks.names) is not None:
        return None
    if len(masked.values) <= FEW or not table.is_ordered() or table.rows > table.limits.cells:
        return None
    texts = fetched_texts(table, masked.column)
    some = texts.filter(texts.is_in(pl.Series(masked.values, dtype=pl.String).implode(), nulls_equal=True))
    return counts.combinations(some.to_frame("text").group_by("text").agg(pl.len().alias("rows")), masks.names)


def rows_meant(masks: Masks, counted: Combinations, some: Ints) -> int:
    """Return how many of some rows of each combination masks mean; refuse those that mean rows which are not there."""
    place = {name: at for at, name in enumerate(counted.columns)}

    def encoded(name: str) -> Encoded:
        return Encoded(counted.domains[place[name]], counted.codes[place[name]])

    mask = mask_of(masks, encoded, len(counted.counts))
    wanted = np.array(masks.rows, dtype=np.int64)
    has = np.zeros(len(wanted) + 1, dtype=np.int64)
    np.add.at(has, mask, counted.counts)
    has, of_some = has[:-1], np.zeros(len(wanted) + 1, dtype=np.int64)
    np.add.at(of_some, mask, some)
    if (has < np.abs(wanted)).any():
        raise no_such_rows()
    return int(np.where(wanted == ALL, of_some[:-1], np.minimum(wanted, of_some[:-1])).sum())
