"""Suppression on counted combinations equals the row-wise one; the lot is even, whatever the number of rows."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.chance import Source, chance_from
from discreet.plan.masks import ALL, Masks
from discreet.planning import suppression
from discreet.planning.suppression import lot, rows_to_suppress
from discreet.policy.bind import bind
from discreet.table.source import open_table
from tests.jobs import Job, jobs, mixed_jobs
from tests.reference.suppression import Table, suppressed


def first_rows(among: Any, wanted: int, _: Source) -> Any:
    """Take the first rows that may be taken."""
    before = np.cumsum(among) - among
    return np.clip(wanted - before, 0, among)


def rows_of(masks: Masks | None, sizes: Counter[tuple[str | None, ...]]) -> Counter[tuple[str | None, ...]]:
    """How many rows of each combination are masked."""
    if masks is None:
        return Counter()
    texts = zip(*([column.values[at] for at in column.of_combination] for column in masks.columns), strict=True)
    return Counter({text: sizes[text] if n == ALL else n for text, n in zip(texts, masks.rows, strict=True)})


@given(
    st.one_of(jobs(most_rows=16), mixed_jobs(search="coordinate", most_rows=16)),
    st.sampled_from(["mask", "remove"]),
    st.booleans(),
    st.data(),
)
def test_equals_the_slow_version(job: Job, rows: Any, sample: bool, data: st.DataObject) -> None:
    """With some cells hidden already, some rows that are not told, and the same rows drawn in both."""
    policy = job.policy.model_copy(update={"suppress": d.Suppress(rows=rows)})
    bound = bind(policy, job.columns)
    frame = job.frame.with_columns(
        *(pl.col(name).replace({"p": "*", "x": "*", "oslo": "*"}) for name in bound.changeable)
    )
    told = [data.draw(st.booleans()) for _ in job.rows] if sample else [True] * len(job.rows)
    released = open_table(frame, d.Policy(protect=policy.protect))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suppression, "lot", first_rows)
        found = rows_to_suppress(released, bound, os.urandom, np.array(told) if sample else None)

    needed = {name for promise in policy.promises() for name in promise.given} | policy.sensitive
    columns = [name for name in job.columns if name in needed]
    looks = [tuple(row[name] for name in columns) for row in frame.rows(named=True)]

    def first(among: Any, wanted: int) -> list[int]:
        order = sorted(among, key=lambda n: ([(text is not None, text or "") for text in looks[n]], told[n]))
        return order[:wanted]

    gone, drawn = suppressed(Table(frame.rows(named=True), policy, {*bound.changeable}, told), first)
    assert found.drawn == drawn
    for masks, here in ((found.masks, True), (found.untold, False)):
        sizes = Counter(look for look, is_told in zip(looks, told, strict=True) if is_told == here)
        assert rows_of(masks, sizes) == Counter(looks[number] for number in gone if told[number] == here)


@pytest.mark.slow
def test_the_lot_is_even() -> None:
    """Rows of every combination are taken by their number; each pair of rows is as likely as any other."""
    chance = chance_from(5)
    for wanted in (1, 2, 3):
        drawn = np.array([lot(np.array([1, 0, 3]), wanted, chance) for _ in range(6000)])
        assert (drawn.sum(axis=1) == wanted).all()
        assert (drawn[:, 1] == 0).all()
        assert np.mean(drawn[:, 0]) == pytest.approx(wanted / 4, abs=0.03)


def test_the_lot_among_billions_of_rows() -> None:
    among = np.array([3 * 10**9, 0, 10**9])
    drawn = np.array([lot(among, 100, chance_from(seed)) for seed in range(60)])
    assert (drawn.sum(axis=1) == 100).all()
    assert (drawn[:, 1] == 0).all()
    assert np.mean(drawn[:, 0]) == pytest.approx(75, abs=3)
    assert (among - lot(among, 4 * 10**9 - 100, os.urandom)).sum() == 100


@pytest.mark.slow
def test_rows_drawn_by_lot_are_any_of_their_combination() -> None:
    """Every ordinary row keeps the odd one company about as often as any other, equal ones included."""
    name = ["a"] * 6 + list("bcdefg") + ["z"]
    table = pl.DataFrame({"age": ["30"] * 12 + ["99"], "name": name})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], search="coordinate")
    bound, source = bind(policy, table.columns), open_table(table, policy)
    seen: Counter[int] = Counter()
    for seed in range(1000):
        masks = rows_to_suppress(source, bound, chance_from(seed)).masks
        assert masks is not None
        assert len(masks.salt) == 32
        seen.update(source.numbers_of(masks, source).tolist())
    assert seen.pop(13) == 1000
    for number in range(1, 13):
        assert seen[number] / 1000 == pytest.approx(1 / 4, abs=0.06)
