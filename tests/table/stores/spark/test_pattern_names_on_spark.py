"""Columns whose names Polars would read as patterns for others, on Spark: in the group of all tests that share one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as d
from tests.spark import GROUP, session
from tests.table.test_pattern_names import TURNS, all_of, cell_policy, group_policy, plainly


@GROUP
@pytest.mark.parametrize(("names", "policy"), [(TURNS[0], group_policy), (TURNS[3], cell_policy)])
def test_every_name_in_every_role(
    names: dict[str, str], policy: Callable[[dict[str, str]], d.Policy], tmp_path: Path
) -> None:
    """There the identifier is the key, too, by which the rows stand as the other engines have them."""
    session()
    found = all_of(names, policy(names), tmp_path, engine="spark", key=names["person"])
    assert found == plainly(policy)
