"""Persons with several rows on Spark: the same releases as in memory, tokens, and a key to verify by."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as d
from tests.spark import GROUP, from_spark, in_any_order, require, to_spark

pytestmark = GROUP


@pytest.fixture(autouse=True)
def _spark() -> None:
    require()


def stays() -> pl.DataFrame:
    rows = [(f"p{i}", "ab"[i % 2], str(i % 5), "xy"[(i + v) % 2]) for i in range(30) for v in range(1 + i % 3)]
    return (
        pl.DataFrame(rows, schema=["who", "q", "r", "s"], orient="row").with_row_index("stay").cast({"stay": pl.Int64})
    )


@pytest.mark.parametrize("rows", ["mask", "remove"])
def test_persons_and_their_tokens(rows: str) -> None:
    """The released rows are those of the local engine; a token is the same in all rows of a person, masked or not."""
    said = {"protect": [{"k": 2, "over": ["q", "r"]}], "unit": "who", "suppress": {"rows": rows}}
    columns = {"s": {"role": "other"}, "stay": {"role": "other"}, "who": {"role": "identifier", "release": "token"}}
    policy = d.Policy.model_validate({**said, "columns": columns})
    local, found = d.protect(stays(), policy, seed=1), d.protect(to_spark(stays()), policy, seed=1, key="stay")
    told = from_spark(found.table)
    assert isinstance(local.table, pl.DataFrame)
    assert in_any_order(told.drop("who")) == in_any_order(local.table.drop("who"))
    assert found.audit.promises == local.audit.promises
    whose = told.select("stay", token="who").join(stays(), on="stay").select("token", "who").unique()
    assert whose.height == whose["who"].n_unique() == whose["token"].n_unique()
    assert not set(whose["token"]) & set(whose["who"])
