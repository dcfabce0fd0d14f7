"""From every kind of table through a written file to the eyes of whoever reads it: no promise is broken on the way.

The released file is read by Python's own csv module, or by PyArrow, and counted by the slow reference: nothing
of discreet's reading, encoding or counting is between the release and the verdict.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from tests.jobs import Job, inferences, jobs, templates
from tests.kinds import KINDS
from tests.reference.disclosure import confidence


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def typed(frame: pl.DataFrame) -> pl.DataFrame:
    """The class as whole numbers, `ill` as booleans, `a` as categories: texts change, counts do not."""
    return frame.with_columns(
        pl.col("class").cast(pl.Int16),
        pl.col("ill") == "yes",
        pl.col("a").cast(pl.Categorical),
        pl.col("b").cast(pl.Enum(["", "007", "x"])),
    )


def policy_for(job: Job, *, is_typed: bool, marker: str) -> d.Policy:
    words = {"yes": "true", "no": "false"}
    changed = []
    for template in templates(job.policy):
        values = [words[str(v)] if is_typed and template.column == "ill" else v for v in template.values]
        changed.append(d.Template(given=template.given, infer={template.column: values}, at_most=template.at_most))
    return job.policy.model_copy(update={"protect": tuple(changed), "marker": marker})


def read_by_others(path: Path, columns: list[str]) -> list[tuple[str | None, ...]]:
    if path.suffix == ".parquet":
        return [tuple(None if v is None else str(v) for v in row.values()) for row in pq.read_table(path).to_pylist()]
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
    assert header == columns
    return [tuple(row) for row in rows]


@given(jobs(), st.sampled_from(sorted(KINDS)), st.booleans(), st.sampled_from(["r.csv", "r.tsv", "r.parquet"]))
def test_whoever_reads_the_file_finds_the_promises_kept(
    folder: Path, job: Job, kind: str, is_typed: bool, name: str
) -> None:
    frame = typed(job.frame) if is_typed else job.frame
    policy = policy_for(job, is_typed=is_typed, marker="⊥")
    table: Any = KINDS[kind](frame)
    try:
        release = d.protect(table, policy)
    except d.ImpossiblePromise:
        return
    release.write(folder / name, force=True)
    rows = read_by_others(folder / name, job.columns)
    assert len(rows) == len(job.rows)
    spelt = {"true": "True", "false": "False"} if name.endswith("parquet") else {}
    for inference in inferences(policy):
        value = spelt.get(inference.value or "", inference.value) if inference.column == "ill" else inference.value
        if not name.endswith("parquet") and value is None:
            value = ""  # a blank and an empty text look alike in a text file
        share = confidence(job.columns, rows, inference.given, inference.column, value)
        assert share <= inference.at_most
    assert d.verify(folder / name, policy, original=table).truthful.answer is d.Answer.HOLDS
