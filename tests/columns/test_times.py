"""Columns of times are columns of dates: each time is taken by its day, whatever kind of table it stands in."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.columns.scale import Dates
from discreet.verification.truth import untrue
from tests.table.engines import ALL, outcome

MOMENTS = [datetime(2024, 3, 1, 13, 45) + timedelta(days=n // 2, hours=7 * (n % 2)) for n in range(12)]  # noqa: DTZ001
RELEASED = ["<2024-03-04"] * 6 + [">=2024-03-04"] * 6


def policy(k: int = 6, **said: Any) -> d.Policy:
    column = d.Column(type="date", **said)
    return d.Policy(protect=[d.KAnonymity(k=k, over=["at"])], columns={"at": column})


def written(form: str) -> list[str]:
    return [moment.strftime(form) for moment in MOMENTS]


def cells(release: d.Release) -> list[str]:
    table: Any = release.table
    return list(table["at"].to_pylist() if hasattr(table["at"], "to_pylist") else table["at"])


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"at": MOMENTS}),
        pl.DataFrame({"at": MOMENTS}).select(pl.col("at").dt.replace_time_zone("Asia/Kolkata").dt.cast_time_unit("ns")),
        pl.DataFrame({"at": MOMENTS}, schema={"at": pl.Datetime("ms")}),
        pd.DataFrame({"at": MOMENTS}),
        pd.DataFrame({"at": pd.to_datetime(MOMENTS).tz_localize("Europe/Berlin")}),
        pl.DataFrame({"at": MOMENTS}).to_arrow(),
        *(
            pl.DataFrame({"at": written(form)})
            for form in (
                "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.250", "%Y-%m-%dT%H:%MZ", "%Y-%m-%d %H:%M+01",
                "%Y-%m-%d %H:%M:%S +0530", " %Y-%m-%d %H:%M",
            )
        ),
    ],
)  # fmt: skip
def test_times_are_taken_by_their_day(table: Any) -> None:
    release = d.protect(table, policy())
    assert cells(release) == RELEASED
    assert d.verify(release.table, policy(), original=table).holds


def test_a_day_with_several_times_is_told_as_a_day_only() -> None:
    """Without ends an interval of one day is that day: no row's time comes out, not even where all have the same."""
    table = pl.DataFrame({"at": [f"2024-03-0{day} 13:45" for day in (1, 1, 2, 2, 3, 3)]})
    release = d.protect(table, policy(2))
    assert cells(release) == ["<2024-03-02"] * 2 + ["2024-03-02"] * 2 + [">=2024-03-03"] * 2
    assert d.verify(release.table, policy(2), original=table).holds
    tight = policy(2, open_ends=False)
    assert cells(d.protect(table, tight)) == [text[:10] for text in table["at"]]
    medians = policy(2, form="median")
    assert cells(d.protect(table, medians)) == [text[:10] for text in table["at"]]


@pytest.mark.parametrize(
    ("form", "ends", "released"),
    [
        ("%d.%m.%Y %H:%M", ["04.03.2024"], ["<04.03.2024", ">=04.03.2024"]),
        ("%d.%m.%Y %H:%M", ["04.03.2024 00:00"], ["<04.03.2024", ">=04.03.2024"]),
        ("%H:%M, %d.%m.%Y", None, ["<04.03.2024", ">=04.03.2024"]),
        ("%m/%d/%Y %I:%M %p", None, ["<03/04/2024", ">=03/04/2024"]),
        ("%Y-%m-%dT%H:%M:%S.%f%z", None, ["<2024-03-04", ">=2024-03-04"]),
    ],
)
def test_a_form_may_have_a_time(form: str, ends: list[str] | None, released: list[str]) -> None:
    column: dict[str, Any] = {"date_format": form} | ({} if ends is None else {"ends": ends})
    table = pl.DataFrame({"at": [text + "+0100" if form.endswith("%z") else text for text in written(form)]})
    release = d.protect(table, policy(**column))
    assert cells(release) == [released[0]] * 6 + [released[1]] * 6
    assert d.verify(release.table, policy(**column), original=table).holds
    again = release.plan.apply(table)
    assert cells(again) == cells(release)


def test_what_is_no_time_is_no_date() -> None:
    for text in ("2024-03-01 25:00", "2024-03-01 13:45 or so", "2024-03-01x13:45", "2024-02-30 13:45", "13:45"):
        assert Dates().read(text) is None
        assert untrue([(text, ">=2024-01-01")], d.Column(type="date"), "*", []) == [True]


FORMS = [None, "%d.%m.%Y %H:%M", "%d.%m.%Y"]


@given(
    st.datetimes(min_value=MOMENTS[0].replace(year=1000)), st.dates(min_value=date(1000, 1, 1)), st.sampled_from(FORMS)
)
def test_a_time_is_covered_by_the_days_that_it_lies_on(moment: datetime, day: date, form: str | None) -> None:
    column, scale = d.Column(type="date", date_format=form), Dates(form)
    text = str(moment) if form is None else moment.strftime(form)
    number = scale.read(text)
    assert number == moment.date().toordinal()
    assert number is not None
    released = scale.write(number)
    end = str(day) if form is None else day.strftime(form.removesuffix(" %H:%M"))
    pairs = [(text, released), (text, f">={end}"), (text, f"<{end}")]
    assert untrue(pairs, column, "*", []) == [False, moment.date() < day, moment.date() >= day]


@pytest.mark.parametrize("engine", ["local", *ALL])
@pytest.mark.parametrize("kind", ["time", "text"])
def test_every_engine(engine: str, kind: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"at": MOMENTS})
    if kind == "text":
        frame = pl.DataFrame({"at": written("%Y-%m-%d %H:%M")})
    frame.write_parquet(tmp_path / "t.parquet")
    found = outcome(tmp_path / "t.parquet", policy(), engine)
    assert found.refusal is None
    assert found.rows == [(text,) for text in RELEASED]
