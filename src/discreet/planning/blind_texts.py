"""Blind protection of rows of texts, without a policy, an engine or a file: what is told of each row.

For comparing with other codes; `planning/blind.py` does the same on tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from discreet.columns.scale import Numbers
from discreet.encoded import encode
from discreet.method.cells.blind_before import Before
from discreet.method.cells.blind_table import BlindLimit
from discreet.plan.blind_statement import LEAVING
from discreet.planning.blind_reading import BlindReading, Element
from discreet.planning.blind_rows import BlindCells, BlindRows, asked_by
from discreet.planning.blind_sets import BlockTexts


@dataclass(frozen=True)
class ToldTexts:
    """What is told of each confidential row."""

    domains: Mapping[str, list[Element]]
    tau: Mapping[str, list[int]]
    """For each secret, in twentieths."""
    told: Mapping[int, Mapping[str, int | tuple[int, ...]]]
    failed: frozenset[int]
    written: Mapping[int, Mapping[str, str]]
    """Of each row the blocks as they are written where they are told."""


def tell_texts(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    items: Sequence[Mapping[str, Any]],
    *,
    blocks: str = "starred",
    references: Sequence[str] = ("naive_bayes", "count"),
    order: Sequence[str] = (),
    numbers: Sequence[str] = (),
    trees: Mapping[str, Mapping[str, str]] | None = None,
    missing: Sequence[str] = (),
    marker: str = "*",
    rule: str = LEAVING,
    exact: bool = False,
    before: Mapping[int, Before] | None = None,
) -> ToldTexts:
    """Return what blind protection tells of the rows with confidential cells; rows from 0.

    `items` have `column`, `rows`, `at_most` and `margin` (fractions), and perhaps `predictors` and `known`; `rule` says
    how blocks are found, `exact` makes every decision with 30 digits; `before` is what earlier releases told of some of
    the rows, by places.
    """
    secret = np.zeros(len(rows), dtype=np.bool_)
    for item in items:
        secret[list(item["rows"])] = True
    columns = []
    for place, name in enumerate(names):
        reading = BlindReading(
            lambda text: text is None or text in missing,
            marker,
            Numbers() if name in numbers else None,
            (trees or {}).get(name),
        )
        encoded = encode(pl.Series([row[place] for row in rows], dtype=pl.String))
        columns.append(reading.column(encoded, ~secret))
    cells = [
        BlindCells(
            names.index(item["column"]),
            tuple(item["rows"]),
            tuple(names.index(name) for name in item.get("predictors") or names if name != item["column"]),
            {row: tuple(names.index(name) for name in item.get("known") or ()) for row in item["rows"]},
            BlindLimit(Fraction(item["at_most"]), Fraction(item["margin"])),
        )
        for item in items
    ]
    asked = asked_by(blocks, references, rule)
    told = BlindRows(columns, cells, asked, [names.index(name) for name in order], exact=exact, before=before)
    texts = [
        BlockTexts(column, Numbers() if name in numbers else None, (trees or {}).get(name))
        for name, column in zip(names, columns, strict=True)
    ]
    written: dict[int, dict[str, str]] = {}
    for each in told.tell() if blocks == "told" else ():
        blocked = {names[j]: texts[j].text(fact) for j, fact in each.facts if not isinstance(fact, int)}
        written.update((row, blocked) for row in each.rows)
    found = {row: {names[j]: fact for j, fact in each.facts} for each in told.tell() for row in each.rows}
    return ToldTexts(
        {name: list(column.elements) for name, column in zip(names, columns, strict=True)},
        {names[place]: list(made.steps) for place, made in told.rest.secrets.items() if asked.bayes},
        found,
        frozenset(row for each in told.tell() if each.failed for row in each.rows),
        written,
    )
