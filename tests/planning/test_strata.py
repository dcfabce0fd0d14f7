"""A stratified sample: every stratum keeps its share, every row is as likely, and verification counts anew."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.chance import chance_from
from discreet.planning.drawing import drawn_rows, rounded
from discreet.table.source import open_table
from tests.table.engines import frame_of


def table(sizes: dict[str, int]) -> pl.DataFrame:
    regions = [region for region, rows in sizes.items() for _ in range(rows)]
    return pl.DataFrame({"region": regions, "age": [str(20 + place % 3) for place in range(len(regions))]})


def policy(share: str = "20%", by: Any = "region", **more: Any) -> d.Policy:
    said = {"k_on": "sample", **more.pop("release", {})}
    return d.Policy.from_dict({
        "columns": {"age": {"type": "number"}}, "protect": [{"k": 2, "over": ["age"]}],
        "release": {"sample": share, "by": by, **said}, **more,
    })  # fmt: skip


SIZES = {"north": 31, "south": 52, "west": 8, "east": 1}


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(7, 8), Fraction(1), Fraction(3, 7)]),
    st.integers(0, 1000),
)
def test_every_stratum_has_its_share_rounded_down_or_up(rows: list[int], share: Fraction, seed: int) -> None:
    size = floor(share * sum(rows))
    found = rounded(rows, share, size, chance_from(seed))
    assert sum(found) == size
    assert all(floor(share * some) <= drawn <= ceil(share * some) for some, drawn in zip(rows, found, strict=True))


@pytest.mark.slow
def test_who_is_rounded_up_is_drawn_as_often_as_it_lacks() -> None:
    """Three strata lack 1/2, 1/4 and 1/4 of a row: one of them gets it."""
    share, tries = Fraction(1, 4), 4000
    ups = Counter(
        place
        for seed in range(tries)
        for place, drawn in enumerate(rounded([2, 5, 9], share, 4, chance_from(seed)))
        if drawn > floor(share * [2, 5, 9][place])
    )
    assert sum(ups.values()) == tries
    assert [round(ups[place] / tries, 1) for place in range(3)] == [0.5, 0.2, 0.2] or np.allclose(
        [ups[place] / tries for place in range(3)], [0.5, 0.25, 0.25], atol=0.03
    )


@pytest.mark.slow
def test_every_row_is_as_likely_whatever_its_stratum() -> None:
    """A stratum of one row is drawn as often as a row of a large one."""
    frame, asked, drawn = table({"large": 19, "alone": 1}), policy("25%"), Counter[int]()
    source = open_table(frame, asked)
    for seed in range(2000):
        places = drawn_rows(source, asked, seed)
        assert places is not None
        assert len(places) == 5
        drawn.update(places.tolist())
    assert all(abs(drawn[place] / 2000 - 0.25) < 0.05 for place in range(20))


def test_a_release_keeps_the_shares_and_says_so() -> None:
    frame = table(SIZES)
    release = d.protect(frame, policy("50%"), seed=3)
    released = Counter(frame_of(release.table)["region"].to_list())
    assert all(floor(rows / 2) <= released[region] <= ceil(rows / 2) for region, rows in SIZES.items())
    assert sum(released.values()) == 46
    assert release.audit.sample is not None
    assert release.audit.sample.to_dict()["by"] == ["region"]
    assert any("how many rows of the whole table have each region" in said for said in release.audit.not_covered)
    assert d.verify(frame_of(release.table), policy("50%"), frame).holds


def test_another_draw_is_found_by_verification() -> None:
    """As many rows in all, but from another stratum."""
    frame, asked = table({"north": 10, "south": 10}), policy("50%")
    whole = d.protect(frame, asked, seed=1)
    again = d.protect(frame, policy("50%", by=[]), seed=1)  # not by strata
    assert d.verify(frame_of(whole.table), asked, frame).holds
    skewed = pl.concat([frame[:7], frame[10:13]]).with_columns(age=pl.lit("[20,23)"))
    found = d.verify(skewed, asked, frame)
    assert not found.holds
    assert any("2 strata have more or fewer rows" in problem for problem in found.truthful.problems)
    assert again.audit.sample is not None
    assert "by" not in again.audit.sample.to_dict()


def test_several_columns_and_a_column_that_is_recoded() -> None:
    frame = table(SIZES).with_columns(sex=pl.Series(["f", "m"] * 46))
    asked = policy("50%", by=["region", "sex"])
    drawn = Counter(map(tuple, frame_of(d.protect(frame, asked, seed=5).table).select("region", "sex").rows()))
    rows = Counter(map(tuple, frame.select("region", "sex").rows()))
    assert all(floor(rows[key] / 2) <= drawn[key] <= ceil(rows[key] / 2) for key in rows)
    recoded = policy("50%", protect=[{"k": 5, "over": ["region", "age"]}])
    release = d.protect(frame.drop("sex"), recoded, seed=5)
    assert d.verify(frame_of(release.table), recoded, frame.drop("sex")).holds


@pytest.mark.parametrize("k_on", ["sample", "population"])
def test_k_counts_where_it_is_asked_for(k_on: str) -> None:
    frame = table(SIZES)
    asked = policy("30%", release={"k_on": k_on}, search="coordinate")
    release = d.protect(frame, asked, seed=2)
    assert d.verify(frame_of(release.table), asked, frame).holds
    if k_on == "sample":
        assert min(Counter(frame_of(release.table)["age"].to_list()).values()) >= 2


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(d.PolicyError, match="no column 'town'"):
        d.protect(table(SIZES), policy(by="town"))
    with pytest.raises(d.PolicyError, match="name each column once"):
        policy(by=["region", "region"])
    with pytest.raises(d.PolicyError, match=r"not by strata; take release\.by out"):
        policy(unit="region")
