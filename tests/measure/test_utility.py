"""What is kept: loss as the planner counts it, distributions, what columns tell of each other, what can be learned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.watch import Watch
from discreet.compare.scene import Scene
from discreet.measure import learning
from discreet.measure.cells import cell_measures
from discreet.measure.learning import LearnedTarget
from discreet.measure.utility import ColumnKept, Utility, utility
from discreet.policy.bind import bind
from discreet.table.source import open_table
from tests.attack.test_linkage import ADULT, adult

COLUMNS: dict[str, Mapping[str, object]] = {
    "age": {"type": "number"},
    "city": {"taxonomy": {"any": {"North": ["Oslo", "Turku"], "Rome": None}}},
}
POLICY = d.Policy(columns=COLUMNS, protect=[d.KAnonymity(k=1, over=["age", "city", "job"])])


def measured(
    released: pl.DataFrame,
    original: pl.DataFrame,
    policy: d.Policy = POLICY,
    places: Sequence[int] | None = (),
    seed: int = 1,
) -> Utility:
    at = None if places is None else np.array(places or range(len(released)), dtype=np.int64)
    scene = Scene(
        open_table(released, policy, released=True), open_table(original, policy), policy, places=at, seed=seed
    )
    return utility(scene)


def column(found: Utility, name: str) -> ColumnKept:
    return next(kept for kept in found.columns if kept.name == name)


TABLE = pl.DataFrame(
    {
        "age": ["20", "30", "40", "60", "20", "20"],
        "city": ["Oslo", "Turku", "Rome", "Rome", "Oslo", "Oslo"],
        "job": ["cook", "clerk", "cook", "nurse", "cook", "cook"],
    }
)
RELEASED = pl.DataFrame(
    {
        "age": ["[20-30]", "[20-30]", "40", ">=40", "[20-30]", "*"],
        "city": ["North", "North", "Rome", "any", "Oslo", "*"],
        "job": ["cook", "*", "cook", "nurse", "*", "*"],
    }
)


def test_what_is_kept_of_columns() -> None:
    found = measured(RELEASED, TABLE)
    age, city, job = (column(found, name) for name in ("age", "city", "job"))
    assert (age.cells, age.unchanged, age.coarser, age.hidden, age.values, age.texts) == (6, 1, 4, 1, 4, 4)
    assert (city.unchanged, city.coarser, city.hidden) == (2, 2, 2), "the root tells nothing"
    assert (job.unchanged, job.coarser, job.hidden) == (3, 0, 3)
    assert age.loss == pytest.approx((0.25 + 0.25 + 0 + 0.5 + 0.25 + 1) / 6)
    assert city.loss == pytest.approx((0.5 + 0.5 + 0 + 1 + 0 + 1) / 6)
    assert job.loss == pytest.approx(0.5)
    assert found.loss == pytest.approx((age.loss + city.loss + job.loss) / 3)
    assert found.of_pairs == len(found.pairs) == 3


def test_distributions_side_by_side() -> None:
    found = measured(RELEASED, TABLE)
    bars = {bar.label: (bar.original, bar.released) for bar in column(found, "age").bars}
    assert list(bars["20"]) == pytest.approx([3 / 6, 1.5 / 5]), "three cells are 20 or 30, one is hidden"
    assert list(bars["40"]) == pytest.approx([1 / 6, 1.5 / 5])
    assert list(bars) == ["20", "30", "40", "60"]
    assert column(found, "age").distance == pytest.approx((0.2 + abs(1 / 6 - 0.3) * 2 + abs(1 / 6 - 0.1)) / 2)
    assert column(measured(TABLE, TABLE), "age").distance == 0
    hidden = TABLE.with_columns(pl.lit("*").alias("job"))
    assert column(measured(hidden, TABLE), "job").distance is None


def test_many_values_are_shown_by_ranges_or_the_commonest() -> None:
    rows = [str(number) for number in range(100)]
    table = pl.DataFrame({"age": rows, "city": ["Oslo"] * 100, "job": [f"job {number // 2}" for number in range(100)]})
    found = measured(table, table)
    ages = column(found, "age").bars
    assert len(ages) == 12
    assert ages[0].label == "0 to 7"
    assert sum(bar.original for bar in ages) == pytest.approx(1)
    assert [bar.original for bar in ages] == [bar.released for bar in ages]
    jobs = column(found, "job").bars
    assert len(jobs) == 13
    assert jobs[-1].label is None
    assert jobs[-1].original == pytest.approx(1 - 12 * 0.02)


def test_without_knowing_whose_rows_are_whose() -> None:
    found = column(measured(RELEASED, TABLE, places=None), "city")
    assert (found.unchanged, found.coarser, found.hidden) == (2, 2, 2)


def test_rows_that_were_left_out() -> None:
    found = column(measured(TABLE[[1, 3]], TABLE, places=[1, 3]), "age")
    assert (found.cells, found.unchanged, found.loss) == (2, 2, 0)
    assert found.distance == pytest.approx((2 / 3 + 2 / 3) / 2), "those who are gone are missed"


def test_texts_that_nobody_can_read_are_said_and_lost() -> None:
    found = measured(TABLE.with_columns(pl.lit("Elsewhere").alias("city")), TABLE)
    assert column(found, "city").loss == 1
    assert any("'city': 6 cells have a text that covers no value" in note for note in found.notes)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_loss_is_that_of_the_planner(k: int) -> None:
    """Beside taxonomies and numbers, on whose labels both agree; hidden rows included."""
    rng = np.random.default_rng(k)
    table = pl.DataFrame(
        {
            "age": rng.integers(18, 70, 300).astype(str),
            "city": rng.choice(["Oslo", "Turku", "Rome"], 300),
            "ill": rng.choice(["flu", "ok"], 300),
        }
    )
    policy = d.Policy(columns=COLUMNS, protect=[d.KAnonymity(k=k, over=["age", "city"])])
    release = d.protect(table, policy, seed=1)
    assert isinstance(release.table, pl.DataFrame)
    assert release.audit.detail is not None
    assert measured(release.table, table, policy).loss == pytest.approx(1 - release.audit.detail)


@pytest.mark.slow
def test_loss_on_adult_is_that_of_the_planner(data_dir: Path) -> None:
    table = adult(data_dir)
    trees = data_dir / "adult-hierarchies"
    columns: dict[str, dict[str, str]] = {
        name: {"taxonomy": str(trees / f"adult_hierarchy_{name}.csv")} for name in ADULT if name != "age"
    }
    policy = d.Policy(
        columns={"age": {"type": "number"}, **columns},
        use=d.Classify("salary"),
        protect=[d.KAnonymity(k=10, over=ADULT)],
    )
    release = d.protect(table, policy, seed=1)
    assert isinstance(release.table, pl.DataFrame)
    assert release.audit.detail is not None
    found = measured(release.table, table, policy)
    assert found.loss == pytest.approx(1 - release.audit.detail, abs=1e-9)
    for learned in found.learned:
        assert learned.original < learned.nothing
        assert learned.released < learned.nothing


def information(pairs: Sequence[tuple[str, str]]) -> float:
    both, left, right = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return sum(
        count / len(pairs) * math.log2(count * len(pairs) / (left[a] * right[b])) for (a, b), count in both.items()
    )


CELLS = st.tuples(st.sampled_from(["20", "30", "40", "60"]), st.sampled_from("xyz"))


@given(st.lists(CELLS, min_size=1, max_size=20), st.lists(st.booleans(), min_size=20, max_size=20))
def test_what_columns_tell_of_each_other(cells: list[tuple[str, str]], hidden: list[bool]) -> None:
    """Groups that do not overlap tell as much as their texts do; hidden cells are left out."""
    to = {"20": "[20-30]", "30": "[20-30]", "40": "40", "60": "60"}
    policy = d.Policy(columns={"age": {"type": "number"}}, protect=[d.KAnonymity(k=1, over=["age", "job"])])
    table = pl.DataFrame(cells, schema=["age", "job"], orient="row")
    coarse = [(to[age], "*" if gone else job) for (age, job), gone in zip(cells, hidden, strict=False)]
    found = measured(pl.DataFrame(coarse, schema=["age", "job"], orient="row"), table, policy)
    (pair,) = found.pairs
    assert pair.original == pytest.approx(information(cells), abs=1e-12)
    told = [pair for pair in coarse if pair[1] != "*"]
    assert pair.released == pytest.approx(information(told) if told else 0.0, abs=1e-12)


@given(
    st.lists(st.tuples(*[st.sampled_from("ab")] * 3), min_size=2, max_size=15),
    st.lists(st.integers(0, 44), max_size=10),
)
def test_single_cells_count_as_elsewhere(cells: list[tuple[str, str, str]], hidden: list[int]) -> None:
    """The change of mutual information is that of the measures of edits."""
    names = ["a", "b", "c"]
    policy = d.Policy(protect=[d.Confidential(column="a", rows=[1], against=["naive_bayes"], two_values="lot")])
    rows = [list(row) for row in cells]
    for cell in hidden:
        if cell // 3 < len(rows):
            rows[cell // 3][cell % 3] = "*"
    table, release = (pl.DataFrame(lines, schema=names, orient="row") for lines in ([list(row) for row in cells], rows))
    original = open_table(table, policy)
    cost = cell_measures(open_table(release, policy, released=True), original, bind(policy, names))
    assert cost is not None
    changes = [abs(pair.original - pair.released) for pair in measured(release, table, policy).pairs]
    assert sum(changes) / 3 == pytest.approx(cost.mutual_information_change, abs=1e-9)


def lessons(rows: int = 600) -> pl.DataFrame:
    """A class and a number that follow from columns."""
    rng = np.random.default_rng(3)
    job, age = rng.choice(["cook", "clerk", "nurse"], rows), rng.integers(20, 60, rows)
    rich = np.where(job == "cook", "yes", "no")
    return pl.DataFrame(
        {
            "job": job,
            "age": age.astype(str),
            "town": rng.choice(["x", "y"], rows),
            "rich": rich,
            "pay": (age * 10).astype(str),
        }
    )


def learned(found: Utility) -> dict[str, LearnedTarget]:
    return {one.learner: one for one in found.learned}


def test_a_class_is_learned_as_far_as_it_is_told() -> None:
    pytest.importorskip("sklearn")
    policy = d.Policy(
        use=d.Classify("rich", inputs=["job", "town"]),
        protect=[d.Template(given=["town"], infer={"job": "cook"}, at_most="50%")],
    )
    table = lessons().drop("age", "pay")
    found = learned(measured(table, table, policy))
    assert set(found) == {"decision_tree", "random_forest", "logistic_regression", "naive_bayes"}
    for one in found.values():
        assert (one.score, one.original, one.released, one.rows) == ("error", 0, 0, 200)
        assert one.without_columns == ("job",)
        assert one.without is not None
        assert one.without > 0.2
        assert 0.2 < one.nothing < 0.5
    half = table.with_columns(pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("*")).otherwise("job").alias("job"))
    worse = learned(measured(half, table, policy))
    assert all(0.05 < one.released < 0.3 and one.original == 0 for one in worse.values())


def test_a_number_is_learned_from_intervals() -> None:
    pytest.importorskip("sklearn")
    policy = d.Policy(
        use=d.Regress("pay", inputs=["age"]),
        columns={"age": {"type": "number"}},
        protect=[d.KAnonymity(k=2, over=["age"])],
    )
    table = lessons().drop("rich", "job")
    coarse = table.with_columns(
        pl.when(pl.col("age").cast(pl.Int64) < 40).then(pl.lit("[20-39]")).otherwise(pl.lit("[40-59]")).alias("age")
    )
    found = learned(measured(coarse, table, policy))
    assert set(found) == {"decision_tree", "random_forest", "ridge"}
    for one in found.values():
        assert one.score == "r2"
        assert one.original > 0.99
        assert 0.6 < one.released < 0.85, "two intervals tell three quarters of an even spread"
        assert one.without == one.nothing == pytest.approx(0, abs=0.05)


def test_whose_rows_are_whose_need_not_be_known() -> None:
    pytest.importorskip("sklearn")
    policy = d.Policy(use=d.Classify("rich"), protect=[d.KAnonymity(k=1, over=["job"])])
    table = lessons().drop("age", "pay")
    found = measured(table.reverse(), table, policy, places=None)
    assert all(one.original == one.released == 0 for one in found.learned)


def test_without_the_library_there_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "load_learners", lambda: False)
    policy = d.Policy(use=d.Classify("rich"), protect=[d.KAnonymity(k=1, over=["job"])])
    table = lessons(30)
    found = measured(table, table, policy)
    assert found.learned == ()
    assert any("install discreet[attacks]" in note for note in found.notes)


def test_when_time_is_over_it_is_said() -> None:
    pytest.importorskip("sklearn")
    policy = d.Policy(use=d.Classify("rich"), protect=[d.KAnonymity(k=1, over=["job"])])
    engine = open_table(lessons(30), policy)
    found = utility(Scene(engine, engine, policy, places=np.arange(30), watch=Watch(time_limit=-1)))
    assert found.learned == ()
    assert any("no time" in note for note in found.notes)


def test_plain_data() -> None:
    told = measured(RELEASED, TABLE).to_dict()
    assert isinstance(told["columns"], (list, tuple))
    assert told["of_pairs"] == 3


def test_the_texts_of_the_release_are_counted_as_they_stand() -> None:
    """What a public report shows: nothing here comes from the original."""
    found = measured(RELEASED, TABLE)
    for kept in found.columns:
        texts = [("(missing)" if text is None else text) for text in RELEASED[kept.name].to_list()]
        assert {one.label: one.share for one in kept.shown} == pytest.approx(
            {text: texts.count(text) / len(texts) for text in texts}
        )
