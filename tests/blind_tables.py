"""Tables and policies for tests of blind protection."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

import discreet as d

ROWS = 240


def table(seed: int = 1, rows: int = ROWS) -> pl.DataFrame:
    """Return people whose illness shows in job and town, and in nothing else."""
    draw = random.Random(seed)
    people = []
    for _ in range(rows):
        ill = draw.choices(["flu", "cold", "none"], [3, 4, 5])[0]
        job = {"flu": "cook", "cold": "clerk", "none": "nurse"}[ill] if draw.random() < 0.6 else draw.choice("abc")
        town = ill[0] if draw.random() < 0.4 else draw.choice("xyz")
        people.append([ill, job, town, draw.choice("mf"), draw.choice(["1", "2", "3"])])
    return pl.DataFrame(people, schema=["ill", "job", "town", "sex", "floor"], orient="row")


def policy(*others: Any, rows: tuple[int, ...] = (3, 11, 40, 77, 123, 200), **more: Any) -> d.Policy:
    """Return a policy with some cells that are protected blindly."""
    said = {"column": "ill", "rows": list(rows), "at_most": "50%", **more}
    return d.Policy.from_dict({"protect": [said, *others]})


def with_cells(frame: pl.DataFrame, column: str, cells: dict[int, str]) -> pl.DataFrame:
    """Return a table with other texts in some cells, by row number from 1."""
    texts = frame[column].to_list()
    for row, text in cells.items():
        texts[row - 1] = text
    return frame.with_columns(pl.Series(column, texts))
