"""A key gives rows on Spark an order and numbers: what needs single rows does there what it does elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal
from unittest import mock

import numpy as np
import polars as pl
import pytest
import yaml
from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli.app import app
from discreet.table.stores.opening import BigTables
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.spark.cluster import Cluster
from discreet.table.stores.spark.frames import is_spark
from discreet.table.stores.spark.order import numbered
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making, Map
from tests.jobs import bank, bank_policy
from tests.spark import GROUP, from_spark, in_any_order, require, session, to_spark
from tests.table.stores.spark.test_spark import adult
from tests.table.test_engines import without_times

pytestmark = GROUP


@pytest.fixture(autouse=True)
def _spark() -> None:
    require()


def shuffled(frame: pl.DataFrame, seed: int = 3) -> pl.DataFrame:
    return frame.sample(fraction=1, shuffle=True, seed=seed)


def customers() -> pl.DataFrame:
    """The bank's customers, known by a number."""
    numbers = [int(number) for number in np.random.default_rng(1).permutation(24) * 7]
    return bank().with_columns(id=pl.Series(numbers, dtype=pl.Int64))


CELL = d.Confidential(
    column="Job", rows=[2, 9], predictors=["Child"], against=["naive_bayes"], method="dropp", on_failure="remove"
)
HIDING = d.Policy(protect=[CELL, d.KAnonymity(k=2, over=["Country"])])


def store_of(frame: pl.DataFrame, key: str) -> SparkStore:
    table = to_spark(frame)
    return SparkStore.of(Cluster.of(table, Scratch(), "the table"), table, "the table").by_key(key)


def in_order(store: SparkStore) -> list[tuple[object, ...]]:
    """All rows of a table in their order, fetched as those of a small table and as those of a large one."""
    small = pl.concat(list(store.parts(store.columns)))
    with mock.patch("discreet.table.stores.spark.store.ALL_ROWS", 1):
        large = pl.concat(list(store.parts(store.columns)))
    assert small.equals(large)
    return small.rows()


def places_of(store: SparkStore) -> list[int]:
    places = store.places()
    assert places is not None
    return [int(place) for place in places]


@pytest.mark.parametrize(
    "keys",
    [
        pl.Series("key", [9, 10, -3, 200], dtype=pl.Int16),
        pl.Series("key", ["9", "10", "é", "Z"]),
        pl.Series("key", ["\U0001f926", "￿", "a", "A"]),
        pl.Series("key", ["2024-02-29", "1999-12-31", "2024-03-01", "0900-01-01"]).str.to_date(),
    ],
)
def test_the_order_of_a_key(keys: pl.Series) -> None:
    """Numbers as numbers, texts by code points, dates as dates: as Polars sorts them."""
    frame = pl.DataFrame([keys, pl.Series("value", ["1", "2", "3", "4"])])
    assert in_order(store_of(frame, "key")) == frame.sort("key").rows()


def test_places_count_on_from_part_to_part() -> None:
    """In many parts of many sizes, some of them empty."""
    rows = session().range(1000).selectExpr("id", "id % 7 as odd").repartition(11)
    adaptive = session().conf.get("spark.sql.adaptive.enabled")
    session().conf.set("spark.sql.adaptive.enabled", "false")
    session().conf.set("spark.sql.shuffle.partitions", "13")
    try:
        cluster = Cluster.of(rows, Scratch(), "the table")
        frame, place = numbered(cluster, rows, cluster.functions.col("id"))
        assert frame.rdd.getNumPartitions() > 1
        assert frame.filter(frame[place] != frame["id"]).count() == 0
        assert frame.count() == 1000
        frame, place = numbered(cluster, rows.filter("id < 0"), None)
        assert frame.count() == 0
    finally:
        session().conf.set("spark.sql.adaptive.enabled", str(adaptive))
        session().conf.set("spark.sql.shuffle.partitions", "2")


def test_rows_by_their_places() -> None:
    """Rows are taken out, edited, left out and put beside others by their places, and keep their numbers."""
    frame = pl.DataFrame({"key": list("abcde"), "x": ["1", None, "3", "4", "5"], "y": [[1], [2], [3], [4], [5]]})
    store = store_of(shuffled(frame), "key")
    some = store.only(np.array([1, 3, 4]))
    assert in_order(some) == [frame.rows()[at] for at in (1, 3, 4)]
    assert places_of(some) == [1, 3, 4]
    assert some.places_at(np.array([2, 0])).tolist() == [4, 1]
    fewer = some.without_missing([])
    assert (in_order(fewer), places_of(fewer)) == ([frame.rows()[at] for at in (3, 4)], [1, 2])
    texts = pl.DataFrame({"place": [0, 1], "text": ["new", "too"]})
    edits = {"x": texts, "key": pl.DataFrame({"place": [1], "text": ["k"]})}
    made = store.make(Making(("key", "x"), edits=edits, left_out=np.array([2])))
    assert in_order(made) == [("a", "new"), ("k", "too"), ("d", "4"), ("e", "5")]
    kept = made.kept_of(store)
    pairs = made.beside(kept).pairs(["x"])["x"]
    assert sorted(pairs.rows(), key=str) == [("1", "new", 1), ("4", "4", 1), ("5", "5", 1), (None, "too", 1)]
    assert made.beside(kept).first_of("x", pairs) == 0
    assert made.beside(kept).first_of("x", pairs.filter(pl.col("released").is_in(["too", "5"]))) == 1
    assert kept.places_at(np.array([3])).tolist() == [4]
    other = store_of(frame.with_columns(pl.lit("z").alias("x")), "key")
    assert in_order(store.taking(other, ["x"])) == [(key, "z", y) for key, _, y in frame.rows()]
    changed = store_of(frame.with_columns(y=pl.Series([[1], [2], [0], [4], [0]]), x=pl.col("x").fill_null("*")), "key")
    found = changed.beside(store).differences(["key", "x", "y"], "*")
    assert [(one.cells, one.first, one.unmarked, one.first_unmarked) for one in found.values()] == [
        (0, None, 0, None), (1, 1, 0, None), (2, 2, 2, 2),
    ]  # fmt: skip


def test_the_lot_among_equal_rows_is_that_of_the_local_engine() -> None:
    """Rows that are equal but for the key: the same ones are masked, for the order is the same."""
    frame = pl.DataFrame({"age": ["30"] * 12 + ["31"] * 12 + ["99"], "id": list(range(25))})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")})
    found = d.protect(to_spark(shuffled(frame)), policy, seed=1, key="id")
    expected: Any = d.protect(frame, policy, seed=1)
    assert found.audit.drawn == 3
    assert sorted(from_spark(found.table).rows(), key=lambda row: row[1]) == expected.table.rows()


@pytest.mark.parametrize("missing", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_cells_attacks_and_verification(missing: bool) -> None:
    """The same release, plan, attacks and verification as of the sorted table in memory."""
    frame, policy = customers(), HIDING
    if missing:
        frame = frame.with_columns(Rating=pl.when(pl.col("id") % 5 == 0).then(pl.lit("?")).otherwise("Rating"))
        policy = policy.model_copy(update={"missing": d.Missing(values=["?"], rows="drop")})
    table, plain = to_spark(shuffled(frame)), frame.sort("id")
    expected: Any = d.protect(plain, policy, seed=1)
    found = d.protect(table, policy, seed=1, key="id")
    assert is_spark(found.table)
    assert from_spark(found.table).sort("id").equals(expected.table)
    assert found.audit.to_dict() == expected.audit.to_dict()
    assert found.audit.dropped == (5 if missing else 0)
    assert found.plan.to_json() == expected.plan.to_json()
    if missing:
        one, other = (whole.attack(seed=1).to_dict() for whole in (found, expected))
        assert without_times(one) == without_times(other)
        return
    assert d.verify(found.table, policy, table, key="id").to_dict() == (
        d.verify(expected.table, policy, plain).to_dict()
    )


def test_a_plan_is_carried_out_by_key() -> None:
    """A policy with cells on new rows: refused by verification, as in memory; without cells the same release."""
    policy = bank_policy().model_copy(update={"columns": {"id": d.Column(role="identifier")}})
    plan = d.protect(customers(), policy).plan
    found, expected = plan.apply(to_spark(customers()), key="id"), plan.apply(customers())
    assert in_any_order(from_spark(found.table)) == in_any_order(expected.table)  # type: ignore[arg-type]
    plan = d.protect(customers().sort("id"), HIDING).plan
    refusals = []
    for table, key in ((to_spark(customers()), "id"), (customers().sort("id"), None)):
        with pytest.raises(d.BrokenPromise) as caught:
            plan.apply(table, key=key)
        refusals.append(str(caught.value))
    assert refusals[0] == refusals[1]


def test_rows_that_are_left_out_keep_their_numbers() -> None:
    plain = pl.DataFrame({"age": ["99"] + ["30"] * 12 + ["31"] * 12, "id": list(range(25))})
    policy = d.Policy(
        protect=[d.KAnonymity(k=4, over=["age"])],
        columns={"age": d.Column(type="number")},
        suppress=d.Suppress(rows="remove"),
    )
    table = to_spark(shuffled(plain))
    expected: Any = d.protect(plain, policy, seed=1)
    found = d.protect(table, policy, seed=1, key="id")
    assert found.audit.removed == 1
    assert found.engine.numbers().tolist() == expected.engine.numbers().tolist() == list(range(2, 26))
    assert from_spark(found.table).sort("id").equals(expected.table)
    answers = [
        d.verify(release, policy, original, key=key).to_dict()
        for release, original, key in (
            (found.table, table, "id"), (expected.table, plain, None),
        )
    ]  # fmt: skip
    assert answers[0] == answers[1]
    assert answers[0]["holds"]


def test_a_false_cell_is_found_by_key() -> None:
    release: Any = d.protect(customers(), bank_policy()).table
    wrong = release.with_columns(Rating=pl.when(pl.col("id") == 7 * 3).then(pl.lit("?")).otherwise("Rating"))
    found = d.verify(to_spark(shuffled(wrong)), bank_policy(), to_spark(customers()), key="id")
    expected = d.verify(wrong.sort("id"), bank_policy(), customers().sort("id"))
    assert found.to_dict() == expected.to_dict()
    assert not found.holds
    assert "row 4" in str(found.to_dict()["truthful"])


def test_the_order_does_not_tell_a_key_that_is_not_released(tmp_path: Path) -> None:
    """A key that is released as it is may be seen in the order of the rows, another one may not."""
    frame = pl.DataFrame({"id": range(400), "at": [f"{place:03}" for place in range(400)], "town": ["a", "b"] * 200})
    shown = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])])
    hidden = shown.model_copy(update={"columns": {"id": d.Column(role="identifier")}})
    coarse = d.Policy(protect=[d.KAnonymity(k=2, over=["id"])], columns={"id": d.Column(type="number")})
    for policy, tells in ((shown, True), (hidden, False), (coarse, False)):
        release = d.protect(to_spark(shuffled(frame)), policy, key="id")
        release.write(tmp_path / f"{tells}.parquet", force=True)
        release.write(tmp_path / "folder")
        read = [pl.read_parquet(path)["at"] for path in sorted((tmp_path / "folder").iterdir())]
        for path in (tmp_path / "folder").iterdir():
            path.unlink()
        (tmp_path / "folder").rmdir()
        written = pl.read_parquet(tmp_path / f"{tells}.parquet")["at"]
        for order in (written, pl.concat(read), from_spark(release.table)["at"]):
            assert sorted(order) == frame["at"].to_list()
            if order is written or not tells:
                assert (order.to_list() == frame["at"].to_list()) == tells
        if not tells:
            far = (written.cast(pl.Int64) - pl.Series(range(400))).abs().mean()
            assert isinstance(far, float)
            assert far > 100  # 133 when shuffled


KEYS = {
    "lacks": (["x"] * 3, "other", "has no column 'other'"),
    "null": ([1, None, 3], "key", "is missing in 1 row;"),
    "twice": (["secret", "secret", "b"], "key", "its 3 rows have 2 different values"),
    "float": ([0.5, 1.5, 2.5], "key", "holds Float64; a key holds text, whole numbers or dates"),
}


@pytest.mark.parametrize("which", list(KEYS))
def test_what_is_no_key(which: str) -> None:
    values, key, message = KEYS[which]
    frame = pl.DataFrame({"key": values, "a": ["x"] * 3})
    with pytest.raises(d.InputError, match=message) as caught:
        d.protect(to_spark(frame), d.Policy(protect=[d.KAnonymity(k=2, over=["a"])]), key=key)
    assert "secret" not in str(caught.value)


def test_a_key_that_does_not_fit() -> None:
    table, policy = to_spark(customers()), bank_policy()
    with pytest.raises(d.InputError, match="the release has no column 'id', which is the key"):
        d.verify(to_spark(bank()), policy, table, key="id")
    with pytest.raises(d.InputError, match="holds text in the release and whole numbers in the original"):
        d.verify(to_spark(customers().with_columns(pl.col("id").cast(pl.String))), policy, table, key="id")
    for engine in (None, "local", "streaming", "duckdb"):
        with pytest.raises(d.InputError, match="--key gives rows on Spark an order"):
            d.protect(customers(), policy, engine=engine, key="id")


def test_other_people_need_no_key() -> None:
    """Those of a control are put beside nobody: they are numbered as they come."""
    policy = bank_policy()
    release: Any = d.protect(customers(), policy, seed=1).table
    tables = release, customers().sort("id"), bank().head(9)
    found = d.audit_release(*_audited(tables), control=to_spark(tables[2]), seed=1, key="id")
    expected = d.audit_release(release.sort("id"), policy, tables[1], control=tables[2], seed=1)
    assert found.verification.holds
    assert without_times(found.to_dict()["risk"]) == without_times(expected.to_dict()["risk"])
    assert found.attacks is not None
    assert expected.attacks is not None
    assert [one.name for one in found.attacks.found] == [one.name for one in expected.attacks.found]
    engine = BigTables("spark", 1 << 30, in_any_order=True).open(to_spark(bank()), policy, released=False)
    assert engine.numbers().tolist() == list(range(1, 25))


def _audited(tables: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> tuple[Any, d.Policy, Any]:
    return to_spark(tables[0]), bank_policy(), to_spark(tables[1])


def test_a_removed_value_and_a_place() -> None:
    """Values that are gone and rows that are left out, at once."""
    values = pl.DataFrame({"value": ["a", "b", "c"], "text": ["a", "*", "c"], "gone": [False, True, False]})
    store = store_of(pl.DataFrame({"key": [4, 3, 2, 1], "x": ["a", "b", "c", "c"]}), "key")
    made = store.make(Making(("key", "x"), {"x": Map(values)}, "*", hides=True, removes=True, left_out=np.array([0])))
    assert in_order(made) == [(2, "c"), (4, "a")]
    assert made.masked(Making(("x",), {"x": Map(values)}, "*", hides=True)) == 0
    assert places_of(made) == [1, 3]


def run(*words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--engine", "spark"])


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a key a release is attacked, verified beside its original and audited; without one that is refused."""
    session()
    monkeypatch.chdir(tmp_path)
    customers().write_parquet("bank.parquet")
    Path("p.yaml").write_text(yaml.safe_dump(bank_policy().to_dict()))
    protect = ["protect", "bank.parquet", "-p", "p.yaml", "-o", "r.parquet", "--report", "r.html"]
    beside = ["r.parquet", "-p", "p.yaml", "--original", "bank.parquet"]
    assert run(*protect, "--key", "id").exit_code == 0
    assert Path("r.html").stat().st_size
    assert pl.read_parquet("r.parquet")["id"].is_sorted()
    for command in ("verify", "audit"):
        found = run(command, *beside, "--key", "id")
        assert found.exit_code == 0, found.output
        refused = run(command, *beside)
        assert (refused.exit_code, "--key" in refused.output) == (2, True)
    Path("r.parquet").unlink()
    refused = run(*protect[:-2], "--key", "Job")
    assert refused.exit_code == 2
    assert "the key 'Job' is not unique" in refused.output
    assert not Path("r.parquet").exists()


def test_thresholds() -> None:
    """With single cells that are hidden, by key; without them, of any rows."""
    frame = customers().sort("id")
    policy = bank_policy().model_copy(
        update={
            "protect": (
                CELL.model_copy(update={"column": "Child", "predictors": ("Rating",), "two_values": "lot"}),
                *bank_policy().protect,
            )
        }
    )
    for rules, key in ((bank_policy(), None), (policy, "id")):
        found = d.frontier(to_spark(frame), rules, ["75%", "60%"], key=key)
        assert found.to_dict() == d.frontier(frame, rules, ["75%", "60%"]).to_dict()
    with pytest.raises(d.InputError, match="--key"):
        d.frontier(to_spark(frame), policy)


@pytest.mark.nightly
def test_adult(data_dir: Path) -> None:
    """Groups and single cells of real people, known by a number."""
    rows = adult(data_dir).head(2500)
    frame = rows.with_columns(id=pl.Series(np.random.default_rng(5).permutation(len(rows)) + 10**6)).sort("id")
    policy = d.Policy(
        columns={"age": d.Column(type="number"), "id": d.Column(role="identifier")},
        protect=[
            d.KAnonymity(k=10, over=["age", "education", "sex", "race"]),
            d.Template(given=["education", "sex"], infer={"salary": ">50K"}, at_most="80%"),
            d.Confidential(column="job", rows=[7, 1500, 2499], predictors=["work", "hours"], against=["naive_bayes"]),
        ],
    )
    expected = d.protect(frame, policy, seed=1)
    found = d.protect(to_spark(shuffled(frame)), policy, seed=1, key="id")
    assert in_any_order(from_spark(found.table)) == in_any_order(expected.table)  # type: ignore[arg-type]
    assert found.audit.to_dict() == expected.audit.to_dict()


@pytest.mark.parametrize("rows", ["mask", "remove"])
def test_samples(rows: Literal["mask", "remove"]) -> None:
    """The same rows are drawn as of the table sorted by the key, and released the same."""
    policy = d.Policy(
        protect=[d.KAnonymity(k=3, over=["Job", "Country"])],
        release=d.ReleaseOptions(sample="60%", by=("Child",)),
        suppress=d.Suppress(rows=rows),
        columns={"id": d.Column(role="identifier")},
    )
    whole = d.protect(customers().sort("id"), policy, seed=1)
    found = d.protect(to_spark(shuffled(customers())), policy, seed=1, key="id")
    assert found.plan.sampled == whole.plan.sampled
    assert in_any_order(from_spark(found.table)) == in_any_order(whole.table)  # type: ignore[arg-type]
    assert found.audit.to_dict() == whole.audit.to_dict()
