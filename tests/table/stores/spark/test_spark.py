"""Tables on Spark: the same releases as in memory, up to the order of rows; nothing is released unverified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as d
from discreet.plan.masks import Masked, Masks
from discreet.table.stores.opening import BigTables
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.spark.cluster import Cluster, require_spark
from discreet.table.stores.spark.frames import is_spark
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making, Map
from tests.jobs import Job, bank, bank_policy, jobs, mixed_jobs
from tests.profiles import FEW, size
from tests.spark import GROUP, from_spark, in_any_order, require, session, to_spark

pytestmark = GROUP
SOME = settings(FEW, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


@pytest.fixture(autouse=True)
def _spark() -> None:
    require()


def assert_same(frame: pl.DataFrame, policy: d.Policy, seed: int | None = 1) -> d.Release:
    """Protect a table in memory and on Spark: the same rows, the same audit, and the release verified once more."""
    table = to_spark(frame)
    try:
        expected = d.protect(frame, policy, seed=seed)
    except d.ImpossiblePromise:
        with pytest.raises(d.ImpossiblePromise):
            d.protect(table, policy, seed=seed)
        raise
    found = d.protect(table, policy, seed=seed)
    assert is_spark(found.table)
    released = from_spark(found.table)
    assert isinstance(expected.table, pl.DataFrame)
    assert released.schema == expected.table.schema
    assert in_any_order(released) == in_any_order(expected.table)
    assert found.audit.to_dict() == expected.audit.to_dict()
    assert found.audit.verification.holds
    assert d.verify(found.table, policy).requirements == d.verify(expected.table, policy).requirements
    return found


def assert_same_if_possible(job: Job, seed: int) -> None:
    try:
        assert_same(job.frame, job.policy, seed)
    except d.ImpossiblePromise:
        return


@SOME
@given(jobs())
def test_templates(job: Job) -> None:
    assert_same_if_possible(job, 1)


@SOME
@given(mixed_jobs(search="coordinate"), st.integers(0, 9))
def test_mixed_policies(job: Job, seed: int) -> None:
    assert_same_if_possible(job, seed)


@pytest.mark.parametrize("at_once", [0, 100])
def test_columns_are_counted_together_or_one_by_one(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, and pairs of original and released texts, missing ones and those of an empty table too."""
    monkeypatch.setattr("discreet.table.stores.spark.cluster.AT_ONCE", at_once)
    frame = pl.DataFrame({"a.b": ["x", None, "", "x"], "A": ["1", "1", None, "2"], "é": ["c"] * 4})
    cluster = Cluster.of(to_spark(frame), Scratch(), "the table")
    column, pair = cluster.functions.col, cluster.functions.struct
    for rows in (frame, frame.clear()):
        table = to_spark(rows)
        texts = [column(f"`{name}`") for name in frame.columns]
        counted = list(cluster.counted(table, texts, max(rows.height, 1)))
        for name, found in zip(frame.columns, counted, strict=True):
            assert sorted(map(repr, found.rows())) == in_any_order(rows.group_by(name).len())
        pairs = [pair(column("`A`").alias("original"), text.alias("released")) for text in texts]
        for name, found in zip(frame.columns, cluster.counted(table, pairs, max(rows.height, 1)), strict=True):
            both = rows.group_by(original="A", released=name).len()
            assert sorted(map(repr, found.unnest("value").rows())) == in_any_order(both)
    assert_same(ODD, K4, 2)


ODD = pl.DataFrame(
    {
        "age": [30] * 12 + [31] * 12 + [99],
        "Name": [*"aabbcdeefghijklmnopqqqqq", None],
        "name": ["é", "🤦🏼‍♂️", "", None, "-"] * 5,
        "weight": [place / 7 for place in range(25)],
    },
    schema_overrides={"age": pl.Int32},
)
K4 = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")})


def test_the_lot_takes_the_same_rows() -> None:
    """Three of the others go with the odd one: those that the rule names, whoever holds the rows."""
    assert assert_same(ODD, K4, 2).audit.drawn == 3


def test_rows_that_are_removed() -> None:
    found = assert_same(ODD, K4.model_copy(update={"suppress": d.Suppress(rows="remove")}))
    assert found.audit.removed == 1


def test_missing_rows_are_dropped() -> None:
    frame = ODD.with_columns(pl.col("weight").round(3).cast(pl.String)).with_columns(age=pl.col("age").cast(pl.String))
    policy = K4.model_copy(update={"missing": d.Missing(values=["", "99"], rows="drop")})
    assert assert_same(frame, policy).audit.dropped > 5


def test_a_plan_on_new_rows() -> None:
    """The stranger is masked at once, others by lot with it."""
    towns = pl.DataFrame({"town": ["a"] * 10 + ["b"] * 10})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["town"])])
    plan = d.protect(towns, policy).plan
    new = pl.DataFrame({"town": ["a"] * 9 + ["b"] * 9 + ["x"]})
    found = plan.apply(to_spark(new))
    assert (found.audit.unseen, found.audit.drawn, found.audit.suppressed) == (1, 3, 4)
    assert from_spark(found.table)["town"].to_list().count("*") == 4


def adult(data_dir: Path) -> pl.DataFrame:
    names = ["age", "work", "weight", "education", "years", "marital", "job", "relation", "race", "sex", "gain", "loss"]
    names += ["hours", "country", "salary"]
    frame = pl.read_csv(
        data_dir / "adult.data", has_header=False, new_columns=names, infer_schema=False, truncate_ragged_lines=True
    )
    frame = frame.select(pl.all().str.strip_chars()).with_columns(pl.col("age").cast(pl.Int64)).drop_nulls()
    return frame.head(size(3_000, nightly=12_000))


@pytest.mark.parametrize("which", ["templates", "mixed"])
def test_adult(which: str, data_dir: Path) -> None:
    template = d.Template(given=["education", "sex", "race"], infer={"salary": ">50K"}, at_most="60%")
    k = d.KAnonymity(k=10, over=["age", "education", "sex", "race"])
    policies = {
        "templates": d.Policy(use=d.Classify("hours"), protect=[template]),
        "mixed": d.Policy(columns={"age": d.Column(type="number")}, protect=[k, template]),
    }
    assert_same(adult(data_dir), policies[which])


def store_of(frame: pl.DataFrame) -> SparkStore:
    table = to_spark(frame)
    return SparkStore.of(Cluster.of(table, Scratch(), "the table"), table, "the table")


def test_a_row_number_among_equal_rows() -> None:
    """Parts of groups, nulls among their texts, by exactly the rule of the local engine."""
    frame = pl.DataFrame({"g": ["x"] * 9 + [None] * 6, "t": [None, "a", "a", "#1", "1:a"] * 3})
    masks = Masks((Masked("g", ("x", None), (0, 1)),), (4, 2), "0123456789abcdef" * 2)
    values = pl.DataFrame({"value": [None, "x"], "text": [None, "x"], "gone": [False, False]})
    made = store_of(frame).make(Making(("g", "t"), {"g": Map(values)}, "*", hides=True, masks=masks))
    from discreet.table.row_lottery import taken

    which = frame["g"].is_null().cast(pl.Int64).to_numpy()
    chosen = pl.Series(taken([frame["g"], frame["t"]], which, pl.Series([4, 2]).to_numpy(), masks.salt))
    expected = frame.with_columns(g=pl.when(chosen).then(pl.lit("*")).otherwise("g"))
    assert in_any_order(from_spark(made.native())) == in_any_order(expected)


def test_types_and_names_are_kept() -> None:
    """Columns that nobody changes keep their types; notes about columns go."""
    from pyspark.sql import functions as F  # noqa: N812

    table = to_spark(ODD).select(
        "age", "weight", F.array(F.lit(1), F.lit(None)).alias("list"), F.lit(None).alias("nothing"),
        F.current_timestamp().alias("time"), F.lit("x").alias("noted", metadata={"secret": "value"}),
        F.lit(1.5).cast("decimal(9,2)").alias("exact"),
    )  # fmt: skip
    released: Any = d.protect(table, K4).table
    assert released.columns == table.columns
    assert released.dtypes == [(name, "string" if name == "age" else kind) for name, kind in table.dtypes]
    assert all(not field.metadata for field in released.schema.fields)


def test_a_case_blind_column_is_told_apart() -> None:
    table = session().sql("select collate(t, 'UTF8_LCASE') as t from values ('A'), ('a'), ('a') as rows(t)")
    store = SparkStore.of(Cluster.of(table, Scratch(), "the table"), table, "the table")
    counted = store.count(["t"], 10)
    assert counted is not None
    assert (counted.domains[0], counted.counts.tolist()) == (("A", "a"), [1, 2])


def test_more_combinations_than_are_fetched() -> None:
    assert store_of(ODD).count(["Name"], 3) is None
    with mock.patch("discreet.table.memory.MOST_COMBINATIONS", 2), pytest.raises(d.InputError, match="more than 2"):
        d.protect(to_spark(ODD), K4)


def test_values_without_texts_are_refused() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["weight"])])
    with pytest.raises(d.InputError, match="Float64"):
        d.protect(to_spark(ODD), policy)


def test_what_needs_single_rows_is_refused() -> None:
    table = to_spark(bank())
    confidential = d.Policy(
        protect=[
            d.Confidential(column="Bankruptcy", rows=[1], predictors=["Job"], against=["naive_bayes"], method="dropp")
        ]
    )
    with pytest.raises(d.InputError, match=r"protect\[0\].*single rows"):
        d.protect(table, confidential)
    with pytest.raises(d.InputError, match="no order"):
        d.verify(table, bank_policy(), original=table)
    with pytest.raises(d.InputError, match="read by Spark only"):
        d.protect(table, bank_policy(), engine="duckdb")
    engine = BigTables("spark", 1 << 30).open(table, bank_policy(), released=False)
    for ask in (lambda: engine.encoded("Job"), engine.numbers):
        with pytest.raises(d.InputError, match="neither numbers nor an order"):
            ask()


def test_a_table_without_rows() -> None:
    with pytest.raises(d.InputError, match="has no rows"):
        d.protect(to_spark(bank().head(0)), bank_policy())


def test_a_source_that_changes_is_detected(tmp_path: Path) -> None:
    """Between planning and applying another job writes to the source: as many rows, but others."""
    path = tmp_path / "source"
    to_spark(bank()).write.parquet(str(path))
    table = session().read.parquet(str(path))
    make = SparkStore.make

    def changed(self: SparkStore, making: Making) -> SparkStore:
        for file in path.glob("*.parquet"):
            part = pl.read_parquet(file)
            part.with_columns(Job=pl.col("Job").reverse()).write_parquet(file)
        for file in path.glob(".*.crc"):
            file.unlink()
        return make(self, making)

    with mock.patch.object(SparkStore, "make", changed), pytest.raises(d.InputError, match="was changed"):
        d.protect(table, bank_policy())


def test_what_was_verified_is_handed_out(tmp_path: Path) -> None:
    """The source may change or go afterwards: the release does not."""
    path = tmp_path / "source.parquet"
    bank().write_parquet(path)
    release = d.protect(session().read.parquet(str(path)), bank_policy())
    before = in_any_order(from_spark(release.table))
    path.unlink()
    assert in_any_order(from_spark(release.table)) == before


def test_chance_in_the_source_is_noticed() -> None:
    """A frame that is another one whenever it is computed cannot be planned for."""
    from pyspark.sql import functions as F  # noqa: N812

    table = to_spark(bank()).filter(F.rand() < 0.5)
    with pytest.raises(d.InputError, match="was changed"):
        d.protect(table, bank_policy())


def test_errors_do_not_show_values(capfd: pytest.CaptureFixture[str]) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    table = to_spark(bank()).withColumn("Child", F.raise_error(F.concat(F.lit("secret "), F.col("Job"))).cast("string"))
    with pytest.raises(d.InputError) as caught:
        d.protect(table, bank_policy())
    assert "secret" not in str(caught.value)
    assert "secret" not in "".join(capfd.readouterr())


def test_spark_is_not_imported_for_other_tables() -> None:
    program = (
        "import sys, discreet as d, polars as pl\n"
        "policy = d.Policy(protect=[d.KAnonymity(k=2, over=['a'])])\n"
        "d.protect(pl.DataFrame({'a': ['x', 'x']}), policy)\n"
        "assert 'pyspark' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_without_spark_or_java() -> None:
    with mock.patch.dict(sys.modules, {"pyspark.sql": None}), pytest.raises(d.InputError, match=r"discreet\[spark\]"):
        require_spark()
    with (
        mock.patch("shutil.which", return_value=None),
        mock.patch.dict("os.environ", {"JAVA_HOME": "/nowhere"}),
        pytest.raises(d.InputError, match="needs Java"),
    ):
        require_spark()


def test_files_on_the_command_line(tmp_path: Path) -> None:
    """A text file goes in; a folder, a Parquet and a text file with the same rows come out, each verified again."""
    session()
    bank().write_csv(tmp_path / "bank.csv")
    expected: Any = d.protect(bank(), bank_policy()).table
    for name in ("release", "release.parquet", "release.csv"):
        release = d.protect(tmp_path / "bank.csv", bank_policy(), engine="spark")
        release.write(tmp_path / name)
        found = d.verify(tmp_path / name, bank_policy(), tmp_path / "bank.csv", engine="local")
        rows = pl.read_csv(tmp_path / name, infer_schema=False) if name.endswith("csv") else read_all(tmp_path / name)
        assert in_any_order(rows) == in_any_order(expected)
        assert all(finding.answer == "holds" for finding in found.requirements)
    assert all(path.suffix == ".parquet" for path in (tmp_path / "release").iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bank.csv", "release", "release.csv", "release.parquet"]
    with pytest.raises(d.InputError, match="is a folder"):
        release.write(tmp_path / "release", force=True)


def read_all(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path / "*.parquet" if path.is_dir() else path)


def test_a_folder_that_is_not_what_was_verified(tmp_path: Path) -> None:
    """A worker that writes somewhere else, or other rows: nothing is published."""
    write = SparkStore.write_folder

    def other(self: SparkStore, folder: Path) -> None:
        write(self, folder)
        for path in folder.glob("*.parquet"):
            frame = pl.read_parquet(path)
            frame.with_columns(Rating=pl.col("Rating").reverse()).write_parquet(path)

    release = d.protect(to_spark(bank()), bank_policy())
    with mock.patch.object(SparkStore, "write_folder", other), pytest.raises(d.InputError, match="not be read back"):
        release.write(tmp_path / "release")
    assert not list(tmp_path.iterdir())


def test_a_report_is_refused_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "discreet", "protect", "t", "-p", "p.yaml", "-o", "o", "--engine", "spark"]
    (tmp_path / "p.yaml").write_text("protect: [{k: 2, over: [a]}]")
    (tmp_path / "t").write_text("a\nx\nx\n")
    found = subprocess.run(
        [*command, "--report", "r.html"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == 2
    assert "attacks look at single rows" in found.stderr
    assert "--key" in found.stderr
