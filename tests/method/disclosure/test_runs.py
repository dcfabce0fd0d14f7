"""Plain columns with many values: runs of steps, and looking only where something can change, alter nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import always
from discreet.encoded import Ints
from discreet.method.base import groups
from discreet.method.base.groups import GroupCounts
from discreet.method.base.kernels import SETTLED
from discreet.method.base.openings import Range
from discreet.method.disclosure import plain_state
from discreet.method.disclosure.column_state import ColumnState
from discreet.method.disclosure.plain_state import PlainState
from discreet.method.disclosure.search import Found, Search, Unsatisfiable
from discreet.planning.disclosing import Planner
from discreet.planning.prepared import prepare

USES: tuple[Any, ...] = ({"classify": "class"}, {"regress": "pay"}, "counts", "general")


def one_by_one(patch: pytest.MonkeyPatch) -> None:
    """Make a search look at every group that changed, every value and every limit, and make single steps."""
    whole, rescore = GroupCounts.split, GroupCounts._rescore

    def split(self: GroupCounts, column: int, ranges: list[Range], fresh: list[Range], *, plain: bool = False) -> None:
        del plain
        whole(self, column, ranges, fresh)

    def unsettled(self: GroupCounts, *asked: Any) -> None:
        rescore(self, *asked)
        self._moved[:] = 0

    def drop(self: Search, column: int, doomed: list[Ints]) -> None:
        del doomed
        self._drop_breaking(column)

    patch.setattr(GroupCounts, "split", split)
    patch.setattr(GroupCounts, "_rescore", unsettled)
    patch.setattr(Search, "_drop_doomed", drop)
    patch.setattr(Search, "steps_at_once", lambda _: False)
    patch.setattr(PlainState, "contenders", ColumnState.contenders)


def table(seed: int, rows: int, values: int, others: int = 3, *, rare: bool = False) -> pl.DataFrame:
    """Return a table with a plain column of many values; some are frequent, some more often ill (or hardly ever)."""
    rng = np.random.default_rng(seed)
    town = np.where(rng.random(rows) < 0.3, rng.integers(0, 3, rows), rng.integers(0, values, rows))
    job = rng.integers(0, others, rows)
    ill = rng.random(rows) < 0.1 + 0.3 * (town % 5 == 0)
    if rare:
        ill &= rng.random(rows) < 0.1
    ill[:2] = True, False
    yes = (town % 3 + rng.integers(0, 3, rows)) > 2
    return pl.DataFrame({
        "town": town, "job": job, "ill": np.where(ill, "ill", "well"), "class": yes, "pay": rng.integers(0, 9, rows),
    }).cast(pl.String)  # fmt: skip


def found(frame: pl.DataFrame, rules: dict[str, Any]) -> Found | list[Any]:
    search = Planner(prepare(frame, d.Policy.from_dict(rules)).task).search
    try:
        search.check_limits()
    except Unsatisfiable as answer:
        return answer.least
    return search.run()


def same(one: Found | list[Any], other: Found | list[Any]) -> None:
    if isinstance(one, list) or isinstance(other, list):
        assert one == other
        return
    assert one.steps == other.steps
    assert one.refused == other.refused
    assert (one.kept, one.complete) == (other.kept, other.complete)
    for shown, too in zip(one.columns, other.columns, strict=True):
        assert np.array_equal(shown, too)


@st.composite
def searches(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Any]]:
    seed, rows, values = draw(st.integers(0, 10**6)), draw(st.integers(10, 200)), draw(st.integers(5, 120))
    frame = table(seed, rows, values, rare=draw(st.booleans()))
    template = {"infer": {"ill": "ill"}, "given": ["town", "job"], "at_most": f"{draw(st.integers(20, 80))}%"}
    small = {"k": draw(st.integers(2, 5)), "over": ["town", "job"]}
    narrow = {"infer": {"ill": "well"}, "given": ["town"], "at_most": "95%"}
    diverse = {"l": 2, "of": "ill", "over": ["town", "job"]}
    protect = draw(st.sampled_from([[template], [small], [template, small], [template, narrow], [diverse]]))
    disclose = draw(st.sampled_from(["beneficial", "always"]))
    use = draw(st.sampled_from(USES))
    options: dict[str, Any] = {"disclosure": {"disclose": disclose}} if "classify" in use else {}
    options |= {"columns": {"pay": {"type": "number"}}} if "regress" in use else {}
    return frame, {"use": use, "protect": protect, "search": "disclosure", **options}


@given(searches())
def test_the_steps_are_those_of_a_search_that_looks_at_everything(job: tuple[pl.DataFrame, dict[str, Any]]) -> None:
    """To the last bit of every gain, with the same reasons."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_state, "FEWEST_AT_ONCE", 2)
        patch.setattr(plain_state, "FEW_VALUES", 2)
        patch.setattr(plain_state, "AT_ONCE", 2)
        quick = found(*job)
    with pytest.MonkeyPatch.context() as patch:
        one_by_one(patch)
        slow = found(*job)
    same(quick, slow)


PLAIN: dict[str, Any] = {
    "use": {"classify": "class"},
    "protect": [{"infer": {"ill": "ill"}, "given": ["town", "job"], "at_most": "40%"}],
}


@pytest.mark.parametrize("way", ["plain", "compiled"])
def test_runs_are_made_and_are_the_same_either_way(way: str) -> None:
    """As Python and compiled; most steps belong to a run."""
    frame = table(3, 600, 150)
    alone, made = Search.steps_at_once, []

    def counted(self: Search) -> bool:
        before = len(self.steps)
        at_once = alone(self)
        made.append(len(self.steps) - before)
        return at_once

    with pytest.MonkeyPatch.context() as patch, always(way):
        patch.setattr(plain_state, "FEWEST_AT_ONCE", 2)
        patch.setattr(Search, "steps_at_once", counted)
        quick = found(frame, PLAIN)
    with pytest.MonkeyPatch.context() as patch:
        one_by_one(patch)
        slow = found(frame, PLAIN)
    same(quick, slow)
    assert isinstance(slow, Found)
    assert sum(made) > len(slow.steps) // 2


@pytest.mark.parametrize("limit", [{"infer": {"ill": "ill"}, "at_most": "40%"}, {"k": 1}])
def test_groups_in_which_nobody_has_the_property_are_not_split(limit: dict[str, Any]) -> None:
    """Whatever is shown of the others; but for k every group counts."""
    frame = pl.DataFrame({
        "town": [town for town in "abcd" for _ in range(6)],
        "job": ["x", "x", "x", "y", "y", "z"] * 4,
        "ill": ["ill", *["well"] * 23],
        "class": ["good", "good", "bad", "bad", "bad", "bad"] * 4,
    })  # fmt: skip
    known = "over" if "k" in limit else "given"
    rules = {"use": "general", "protect": [{**limit, known: ["town", "job"]}], "search": "disclosure"}
    search = Planner(prepare(frame, d.Policy.from_dict(rules)).task).search
    search.check_limits()
    search.run()
    (counts,) = search.tables
    hits = counts._hits.sum(axis=0) if len(counts._hits) else np.ones(len(counts._sizes))
    asked = [bool(hits[counts._start[g] : counts._stop[g]].any()) for g in range(counts._groups)]
    assert [settled == SETTLED for settled in counts._moved[: counts._groups]] == [not any_hit for any_hit in asked]
    assert (counts._groups < 12) == (known == "given")


def test_a_search_that_is_stopped_keeps_the_first_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a run, too: what is made by then are the steps that all searches begin with."""
    monkeypatch.setattr(plain_state, "FEWEST_AT_ONCE", 2)
    frame = table(3, 600, 150)
    whole = found(frame, PLAIN)
    assert isinstance(whole, Found)
    search = Planner(prepare(frame, d.Policy.from_dict(PLAIN)).task).search
    search.check_limits()
    stopped = search.run(lambda far: far.done < len(whole.steps) // 2)
    assert not stopped.complete
    assert len(whole.steps) // 2 <= len(stopped.steps) < len(whole.steps)
    assert stopped.steps == whole.steps[: len(stopped.steps)]


@pytest.mark.slow
@pytest.mark.parametrize("use", [{"classify": "income"}, "general"])
def test_plain_columns_of_real_data(data_dir: Path, use: Any) -> None:
    """Adult: weights (over 6,000 of them) as texts beside jobs and countries."""
    names = ["weight", "occupation", "country", "income", "marital"]
    frame = pl.read_csv(data_dir / "adult.data", has_header=False, infer_schema=False)
    frame = frame.select(frame.columns[place] for place in (2, 6, 13, 14, 5)).head(8_000).rename(
        dict(zip([frame.columns[place] for place in (2, 6, 13, 14, 5)], names, strict=True))
    )  # fmt: skip
    rules = {"use": use, "search": "disclosure", "protect": [
        {"infer": {"marital": " Divorced"}, "given": ["weight", "occupation", "country"], "at_most": "50%"},
    ]}  # fmt: skip
    quick = found(frame, rules)
    with pytest.MonkeyPatch.context() as patch:
        one_by_one(patch)
        slow = found(frame, rules)
    same(quick, slow)


@given(searches())
def test_places_of_64_bits_come_to_the_same(job: tuple[pl.DataFrame, dict[str, Any]]) -> None:
    """Where there are too many rows for places of 32 bits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "MOST_NARROW", 0)
        wide = found(*job)
    same(wide, found(*job))
