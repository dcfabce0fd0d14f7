"""Which rows of a recoded table are suppressed, said without row numbers: by combinations of released texts.

An engine that holds its rows without numbers (a database, a cluster) joins these combinations to its recoded rows. It
takes all rows of a combination or, where chance has taken some of them, those that `discreet.table.row_lottery` names.
Private like the plan they are part of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.plan.plain_data import numbers_text, read_numbers, read_values

ALL = -1
"""Instead of a number: all rows of a combination."""
_SALT = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, repr=False)
class Masked:
    """What the combinations have in one column."""

    column: str
    values: tuple[str | None, ...]
    """Texts as released by the recodings, each once; None is a missing value."""
    of_combination: tuple[int, ...]
    """The value of each combination, by its place."""


@dataclass(frozen=True, repr=False)
class Masks:
    """Combinations of released texts, each once, and how many rows of each are suppressed."""

    columns: tuple[Masked, ...]
    rows: tuple[int, ...]
    """For each combination how many of its rows, or `ALL`."""
    salt: str = ""
    """What the lot that takes some of the rows depends on; blank where no combination has a number."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(masked.column for masked in self.columns)

    def to_dict(self) -> dict[str, object]:
        """Return plain data; long lists of numbers as one text."""
        return {
            "columns": [
                {
                    "column": masked.column,
                    "values": masked.values,
                    "of_combination": numbers_text(masked.of_combination),
                }
                for masked in self.columns
            ],
            "rows": numbers_text(self.rows),
            "salt": self.salt,
        }


def read_masks(item: Mapping[str, Any]) -> Masks:
    """Return the masks written by `to_dict`; raise `ValueError` where they do not fit together."""
    columns = tuple(
        Masked(str(one["column"]), read_values(one["values"]), read_numbers(one["of_combination"]))
        for one in item["columns"]
    )
    masks = Masks(columns, read_numbers(item["rows"]), item["salt"])
    if not _is_whole(masks):
        raise ValueError("masks do not fit together")
    return masks


def _is_whole(masks: Masks) -> bool:
    """Whether every combination is there once, with a text in every column and some rows."""
    some = any(number != ALL for number in masks.rows)
    distinct = {*zip(*(masked.of_combination for masked in masks.columns), strict=True)}
    return (
        bool(masks.columns)
        and len(set(masks.names)) == len(masks.names)
        and bool(masks.rows)
        and all(number == ALL or number > 0 for number in masks.rows)
        and len(distinct) == len(masks.rows)
        and all(
            len(set(masked.values)) == len(masked.values)
            and min(masked.of_combination) >= 0
            and max(masked.of_combination) < len(masked.values)
            for masked in masks.columns
        )
        and isinstance(masks.salt, str)
        and (_SALT.fullmatch(masks.salt) is not None if some else masks.salt == "")
    )
