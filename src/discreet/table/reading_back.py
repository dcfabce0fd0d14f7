"""A written file read back: whether whoever reads it finds the very table that was verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from discreet.errors import InputError
from discreet.policy import Policy
from discreet.table.engine import Engine, Opened
from discreet.table.formats.base import Reading
from discreet.table.formats.known import file_table


def is_read_back(table: Engine, texts: Callable[[], pl.DataFrame], path: Path, policy: Policy, opened: Opened) -> bool:
    """Whether a file is read as this very table, of which `texts` gives all cells as texts.

    A large text file is read some rows at a time, beside the table; whatever else as a whole, by `opened`.
    """
    try:
        same = _in_parts(path, policy, texts)
        if same is None:
            found = opened(path, policy)
            same = found.columns == table.columns and found.rows == table.rows
            same = same and all(found.mismatches(table, name, None) is None for name in found.columns)
        return same
    except InputError:
        return False


def _in_parts(path: Path, policy: Policy, texts: Callable[[], pl.DataFrame]) -> bool | None:
    """Whether a text file is read as this table; None where it is not read in parts."""
    found = file_table(path)
    return found.format.is_read_as(found.files, Reading.of_release(policy), texts()) if found.format.is_text else None
