"""Every engine makes the same release, says the same of it, and refuses the same."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Literal

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.errors import InputError
from discreet.table import memory
from tests.jobs import Job, jobs, mixed_jobs
from tests.lighter import in_full
from tests.planning.test_local import local_jobs
from tests.profiles import FEW, size
from tests.spark import GROUP
from tests.table.engines import ALL, LARGE, expected, frame_of, outcome, parquet

ODD_NAMES = ["A", "a", 'q"u.o t', "é", "row", "key", "masked", "c0", "told 0", "it's", "rows", "r"]


CELL = {"column": "ill", "rows": [1], "predictors": ["a"], "against": ["naive_bayes"]}


def assert_same(job: Job, engine: str, policy: d.Policy | None = None) -> None:
    with parquet(job.frame) as path:
        policy = policy or job.policy
        assert outcome(path, policy, engine) == outcome(path, policy, "local")


@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(jobs())
def test_templates_by_disclosure(engine: str, job: Job) -> None:
    assert_same(job, engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(
    mixed_jobs(search="coordinate", most_rows=40),
    st.sampled_from(["mask", "remove"]),
    st.sampled_from([None, "drop", "value", "unknown"]),
    st.sampled_from(["*", "yes", "<18"]),
)
def test_cuts_of_everything(
    engine: str,
    job: Job,
    rows: Literal["mask", "remove"],
    missing: Literal["drop", "value", "unknown"] | None,
    marker: str,
) -> None:
    """k-anonymity and templates, alone and together, over plain values, taxonomies, numbers and dates."""
    policy = job.policy.model_copy(
        update={
            "suppress": d.Suppress(rows=rows),
            "missing": None if missing is None else d.Missing(values=["?"], rows=missing),
            "marker": marker,
        }
    )
    assert_same(job, engine, policy)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(local_jobs())
def test_groups_with_labels_of_their_own(engine: str, job: Job) -> None:
    """Local recoding: every label, rows that are masked and removed, and what the audit says of them."""
    assert_same(job, engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(
    st.one_of(jobs(), mixed_jobs(search="coordinate", most_rows=40), local_jobs()),
    st.sampled_from(["30%", "80%"]),
    st.sampled_from(["mask", "remove"]),
    st.booleans(),
)
def test_samples(engine: str, job: Job, share: str, rows: Literal["mask", "remove"], stratified: bool) -> None:
    """The same rows are drawn, by any search, alone and by strata, and the audit says the same of them."""
    release = d.ReleaseOptions(sample=share, by=(job.columns[-1],) if stratified else ())
    assert_same(job, engine, job.policy.model_copy(update={"release": release, "suppress": d.Suppress(rows=rows)}))


@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.parametrize("rows", ["mask", "remove"])
def test_a_sample_is_put_beside_the_rows_that_were_drawn(
    engine: str, rows: Literal["mask", "remove"], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is compared are the drawn rows themselves: no row is looked for."""
    policy = d.Policy(
        columns={"a": d.Column(taxonomy={"*": {"pq": ["p", "q"], "rr": ["r"]}})},
        protect=[d.KAnonymity(k=4, over=["a", "b", "c"])],
        release=d.ReleaseOptions(sample="50%"),
        suppress=d.Suppress(rows=rows),
    )
    people().write_parquet(tmp_path / "t.parquet")
    whole = d.protect(tmp_path / "t.parquet", policy, seed=1, engine="local")
    with monkeypatch.context() as without:
        without.setattr("discreet.verification.matching.matched", None)
        release = d.protect(tmp_path / "t.parquet", policy, seed=1, engine=engine)
    released = frame_of(release.table)
    assert released.rows() == frame_of(whole.table).rows()
    numbers = release.engine.numbers().tolist()
    assert numbers == whole.engine.numbers().tolist()
    assert released["name"].to_list() == [f"n{number - 1}" for number in numbers]
    assert release.plan.sampled == whole.plan.sampled
    wrong = released.with_columns(pl.Series("ill", ["flu"] * len(released)))
    wrong.write_parquet(tmp_path / "wrong.parquet")
    assert not d.verify(tmp_path / "wrong.parquet", policy, tmp_path / "t.parquet", engine=engine).holds


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(local_jobs(), local_jobs())
def test_labels_of_groups_on_other_rows(engine: str, job: Job, other: Job) -> None:
    try:
        plan = d.protect(job.frame, job.policy, seed=1).plan
    except d.DiscreetError:
        return
    with parquet(other.frame) as path:
        found, wanted = outcome(path, job.policy, engine, plan), outcome(path, job.policy, "local", plan)
        if not any(told.audit is not None and told.audit["drawn_rows"] for told in (found, wanted)):
            assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@FEW
@given(mixed_jobs(search="coordinate", most_rows=30), mixed_jobs(search="coordinate", most_rows=30))
def test_a_plan_on_other_rows(engine: str, job: Job, other: Job) -> None:
    """Values that the plan has not seen are masked, by every engine."""
    try:
        plan = d.protect(job.frame, job.policy, seed=1).plan
    except d.DiscreetError:
        return
    with parquet(other.frame) as path:
        found, wanted = outcome(path, job.policy, engine, plan), outcome(path, job.policy, "local", plan)
        drawn = [told.audit is not None and told.audit["drawn_rows"] for told in (found, wanted)]
        if any(drawn):  # chance chose, without a seed
            assert (found.refusal is None) == (wanted.refusal is None)
            assert found.columns == wanted.columns
        else:
            assert found == wanted


def odd_table(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    values = ["", "x", "*", "it's", 'a"b', "ü", "NA", "null", "a\0b", "\n"]
    columns = {name: rng.choice(values[: 2 + at % 9], rows) for at, name in enumerate(ODD_NAMES)}
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.when(pl.Series(rng.random(rows) < 0.1)).then(None).otherwise("A").alias("A"))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL)
def test_odd_names_and_texts(engine: str) -> None:
    policy = d.Policy(
        marker="#",
        protect=[
            d.KAnonymity(k=3, over=["A", "a", 'q"u.o t', "é", "row", "key"]),
            d.Template(given=["A", "c0", "told 0", "masked"], infer={"r": "x"}, at_most="40%"),
        ],
    )
    with parquet(odd_table()) as path:
        found = outcome(path, policy, engine)
        assert found == expected(path, policy, engine)
        assert found.refusal is None


def typed_table(rows: int = 500) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "age": rng.integers(0, 90, rows),
            "small": rng.integers(0, 3, rows).astype(np.int8),
            "flag": rng.random(rows) < 0.5,
            "weight": rng.random(rows),
            "nested": [[1, 2]] * rows,
            "ill": rng.choice(["yes", "no"], rows),
        }
    ).with_columns(day=pl.date(2020, 1, 1) + pl.duration(days=pl.lit(pl.Series(rng.integers(0, 9, rows)))))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ALL)
def test_columns_that_do_not_change_keep_their_type(engine: str) -> None:
    policy = d.Policy(
        columns={"age": d.Column(type="number"), "day": d.Column(type="date")},
        protect=[d.KAnonymity(k=5, over=["age", "small", "flag", "day"])],
    )
    with parquet(typed_table()) as path:
        found = outcome(path, policy, engine)
        assert found == expected(path, policy, engine)
        assert found.kinds is not None
        assert found.kinds[3:6] == ["Float64", "List(Int64)", "String"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "values"),
    [("streaming", 300), ("duckdb", 300), ("duckdb", 3_000), pytest.param("spark", 300, marks=GROUP)],
)
def test_many_values(engine: str, values: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number with more values than are looked up in a list, cut into few intervals."""
    for module in ("steps", "store"):
        monkeypatch.setattr(f"discreet.table.stores.duck.{module}.LONGEST", 1_000)
    rng = np.random.default_rng(4)
    frame = pl.DataFrame({"pay": rng.integers(0, values, 9_000).astype(str), "sex": rng.choice(["f", "m"], 9_000)})
    policy = d.Policy(columns={"pay": d.Column(type="number", ends=[str(values // 4), str(values // 2)])},
                      protect=[d.KAnonymity(k=50, over=["pay", "sex"])])  # fmt: skip
    with parquet(frame) as path:
        assert outcome(path, policy, engine) == expected(path, policy, engine)


CELLS = """
columns: {name: {role: identifier}}
protect:
  - {column: ill, where: {name: [n3, n40]}, predictors: [a, b], against: [naive_bayes]}
  - {k: 2, over: [c]}
"""


def people(rows: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "name": [f"n{at}" for at in range(rows)],
            "a": rng.choice(["p", "q", "r"], rows),
            "b": rng.choice(["x", "y"], rows),
            "c": rng.choice(["1", "2", "3", "4"], rows),
            "ill": rng.choice(["flu", "cold", "gout"], rows),
        }
    )


@pytest.mark.parametrize("engine", LARGE)
def test_confidential_cells(engine: str, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(CELLS)
    policy = d.read_policy(tmp_path / "p.yaml")
    people().write_parquet(tmp_path / "t.parquet")
    found = outcome(tmp_path / "t.parquet", policy, engine)
    assert found == outcome(tmp_path / "t.parquet", policy, "local")
    assert found.refusal is None
    hidden = [row[3] for row in found.rows or []]
    assert hidden[3] == hidden[40] == "*"


def cell_job(seed: int) -> tuple[pl.DataFrame, d.Policy]:
    """A random table, sorted by its key, with a policy about groups and single cells."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(60, 140))
    keys = sorted(rng.choice(9999, rows, replace=False).tolist())
    name: pl.Series = [pl.Series(keys), pl.Series(sorted(map(str, keys))), pl.from_epoch(pl.Series(keys), "d")][
        seed % 3
    ]
    sick = rng.choice(["flu", "cold", "gout", "?"], rows, p=[0.4, 0.3, 0.25, 0.05])
    frame = people(rows).with_columns(name=name, ill=pl.Series(sick), age=pl.Series(rng.integers(20, 40, rows)))
    known = np.flatnonzero(sick != "?")
    chosen = sorted((rng.choice(known, 3, replace=False) + 1).tolist())
    which: dict[str, object] = {"rows": chosen}
    if seed % 2:
        which = {"ids": {"column": "name", "values": [str(name[row - 1]) for row in chosen]}}
    cells = {"column": "ill", **which, "predictors": ["a"], "against": ["naive_bayes"], "on_failure": "remove"}
    policy = {
        "columns": {"age": {"type": "number"}, **({"name": {"role": "identifier"}} if seed % 4 < 2 else {})},
        "missing": {"values": ["?"], "rows": "drop" if seed % 2 else "value"},
        "suppress": {"rows": "remove" if seed % 3 else "mask"},
        "protect": [
            {**cells, "method": "dropp" if seed % 3 else "decp"},
            {"k": 3, "over": ["age", "c"]},
            {"given": ["c"], "infer": {"a": "p"}, "at_most": "60%"},
        ],
    }
    return frame, d.Policy.from_dict(policy)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "seed"),
    [
        *((engine, seed) for engine in LARGE for seed in range(4)),
        *(pytest.param("spark", seed, marks=GROUP) for seed in (1,)),
    ],
)
def test_groups_and_single_cells(engine: str, seed: int) -> None:
    """Spark has its rows in any order, and a key; the others have them sorted by it."""
    frame, policy = cell_job(seed)
    # With another cut large engines refuse where the local one masks once more: they fail closed.
    with in_full(), parquet(frame) as path, parquet(frame.sample(fraction=1, shuffle=True, seed=seed)) as mixed:
        found = outcome(mixed if engine == "spark" else path, policy, engine, key="name")
        assert found == expected(path, policy, engine)
        assert found.refusal is None


def test_too_many_single_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.yaml").write_text(CELLS)
    people().write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(memory, "MOST_CELLS", 200)
    with pytest.raises(InputError, match=r"columns of 120 rows .* are more than 200 cells, the most that is ever"):
        d.protect(tmp_path / "t.parquet", tmp_path / "p.yaml", engine="duckdb")


@pytest.mark.parametrize("engine", LARGE)
def test_too_many_combinations_are_refused(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(memory, "MOST_COMBINATIONS", 10)
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b", "c"])])
    with pytest.raises(InputError, match="more than 10 different combinations"):
        d.protect(tmp_path / "t.parquet", policy, engine=engine)


@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"release": {"sample": "50%", "k_on": "population"}}, "a sample beside k_on: population needs the table in"),
        ({"release": {"sample": "50%"}, "unit": "b"}, "a sample beside 'unit' needs the table in memory"),
        ({"release": {"sample": "50%"}, "protect": [CELL]}, "a sample beside confidential cells needs the table in"),
        ({"recoding": "local", "protect": [CELL]}, "recoding: local beside confidential cells"),
        ({"recoding": "local", "unit": "b"}, "recoding: local beside 'unit'"),
    ],
)
def test_what_needs_all_rows_is_refused_at_once(engine: str, more: dict[str, object], message: str) -> None:
    policy = d.Policy.from_dict({"protect": [{"k": 2, "over": ["a"]}], **more})
    with pytest.raises(InputError, match=message):
        d.protect("nothing.parquet", policy, engine=engine)


def test_a_sample_on_spark_needs_a_key() -> None:
    policy = d.Policy.from_dict({"protect": [{"k": 2, "over": ["a"]}], "release": {"sample": "50%"}})
    with pytest.raises(InputError, match="by the places of rows, and rows on Spark have none; name a column"):
        d.protect("nothing.parquet", policy, engine="spark")


@pytest.mark.parametrize("engine", LARGE)
def test_values_that_stay_as_they_are_keep_their_type_where_others_are_removed(
    engine: Literal["streaming", "duckdb"],
) -> None:
    frame = pl.DataFrame({"a": [22, 22, 40, 40, 41], "b": list("xyxyx")})
    said = {"protect": [{"k": 2, "over": ["a"]}], "recoding": "local", "suppress": {"rows": "remove"}}
    with parquet(frame) as path:
        release = d.protect(path, said, engine=engine, seed=1)
        release.write(path.with_name("out.parquet"))
        assert pl.read_parquet(path.with_name("out.parquet")).equals(frame[:4])


def test_groups_with_labels_of_their_own_are_not_for_spark() -> None:
    policy = d.Policy.from_dict({"protect": [{"k": 2, "over": ["a"]}], "recoding": "local"})
    with pytest.raises(InputError, match="recoding: local is not for Spark"):
        d.protect("nothing.parquet", policy, engine="spark")


POLICY = d.Policy(
    protect=[d.KAnonymity(k=3, over=["a", "b", "c"]), d.Template(given=["a"], infer={"ill": "flu"}, at_most="60%")]
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.parametrize("form", ["csv", "csv.gz", "latin", "semicolon"])
def test_text_files(engine: str, form: str, tmp_path: Path) -> None:
    """A text file goes in and out as with the local engine, byte by byte."""
    frame = people().with_columns(a=pl.col("a").replace("p", "é"), b=pl.col("b").replace("y", ""))
    policy, path, out = POLICY, tmp_path / "t.csv", "r.csv"
    text = frame.write_csv(separator=";" if form == "semicolon" else ",", line_terminator="\r\n")
    path.write_bytes(text.encode("latin-1" if form == "latin" else "utf-8"))
    if form == "latin":
        policy = policy.with_file(encoding="latin-1")
    if form == "csv.gz":
        path, out = tmp_path / "t.csv.gz", "r.csv.gz"
        path.write_bytes(gzip.compress(text.encode()))
    for name in ("local", engine):
        (tmp_path / name).mkdir()
        d.protect(path, policy, seed=1, engine=name).write(tmp_path / name / out)
    assert (tmp_path / engine / out).read_bytes() == (tmp_path / "local" / out).read_bytes()
    assert d.verify(tmp_path / engine / out, policy, path, engine=engine).holds


@pytest.mark.parametrize("engine", LARGE)
def test_verification_finds_what_is_wrong(engine: str, tmp_path: Path) -> None:
    frame = people()
    frame.write_parquet(tmp_path / "t.parquet")
    released = frame_of(d.protect(tmp_path / "t.parquet", POLICY, seed=1).table)
    wrong = {
        "as it was": frame,
        "changed": released.with_columns(name=pl.when(pl.col("name") == "n7").then(pl.lit("x")).otherwise("name")),
        "untrue": released.with_columns(a=pl.lit("q")),
        "shorter": released.head(100),
        "other order": released.reverse(),
        "whole": released,
    }
    for what, table in wrong.items():
        table.write_parquet(tmp_path / "r.parquet")
        found, wanted = (
            d.verify(tmp_path / "r.parquet", POLICY, tmp_path / "t.parquet", engine=name) for name in (engine, "local")
        )
        assert found.to_dict() == wanted.to_dict(), what
        assert found.holds == (what == "whole")


@pytest.mark.slow
def test_relations_come_in_and_go_out(tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "people.duckdb"))
    frame = people()
    frame.write_parquet(tmp_path / "t.parquet")
    connection.execute(f"CREATE TABLE people AS SELECT * FROM read_parquet('{tmp_path / 't.parquet'}')")
    wanted = outcome(frame, POLICY, "local")
    release = d.protect(connection.table("people"), POLICY, seed=1)
    assert isinstance(release.table, duckdb.DuckDBPyRelation)
    assert frame_of(release.table).rows() == wanted.rows
    assert d.verify(release.table, POLICY, connection.table("people")).holds
    again = release.plan.apply(connection.table("people"))
    assert frame_of(again.table).height == frame.height
    connection.close()
    assert outcome(tmp_path / "people.duckdb", POLICY, "duckdb") == wanted
    assert outcome(f"{tmp_path / 'people.duckdb'}#people", POLICY, "duckdb") == wanted
    with pytest.raises(InputError, match="has no table 'others'"):
        d.protect(f"{tmp_path / 'people.duckdb'}#others", POLICY)
    with pytest.raises(InputError, match="read by DuckDB only"):
        d.protect(tmp_path / "people.duckdb", POLICY, engine="local")


@pytest.mark.parametrize("engine", ["local", *LARGE])
def test_many_parquet_files(engine: str, tmp_path: Path) -> None:
    frame, folder = people(), tmp_path / "parts"
    folder.mkdir()
    for at in range(4):
        frame[at * 30 : at * 30 + 30].write_parquet(folder / f"part-{at}.parquet")
    (folder / "_SUCCESS").touch()
    wanted = outcome(frame, POLICY, "local")
    assert outcome(folder, POLICY, engine) == wanted
    assert outcome(folder / "part-*.parquet", POLICY, engine) == wanted
    with pytest.raises(InputError, match="there are no Parquet files there"):
        d.protect(tmp_path / "*.parquet", POLICY, engine=engine)
    (folder / "sex=f").mkdir()
    frame.write_parquet(folder / "sex=f" / "x.parquet")
    with pytest.raises(InputError, match="divided into folders"):
        d.protect(folder, POLICY, engine=engine)


@pytest.mark.slow
def test_the_frontier_and_the_audit(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    d.protect(tmp_path / "t.parquet", POLICY, seed=1).write(tmp_path / "r.parquet")
    files = tmp_path / "r.parquet", POLICY, tmp_path / "t.parquet"
    found = {
        name: (
            d.frontier(tmp_path / "t.parquet", POLICY, engine=name).to_dict(),
            without_times(d.audit_release(*files, seed=1, engine=name).to_dict()),
        )
        for name in ("local", *LARGE)
    }
    for name in LARGE:
        assert found[name] == found["local"], name


def without_times(audit: object) -> object:
    if isinstance(audit, dict):
        return {name: without_times(value) for name, value in audit.items() if "second" not in name}
    return [without_times(value) for value in audit] if isinstance(audit, list) else audit


@pytest.mark.slow
def test_adult(data_dir: Path, tmp_path: Path) -> None:
    names = ["age", "workclass", "w", "education", "n", "marital", "occupation", "relationship", "race", "sex"]
    names += ["gain", "loss", "hours", "country", "income"]
    lines = [line.split(", ") for line in (data_dir / "adult.data").read_text().splitlines() if line]
    frame = pl.DataFrame(lines, schema=names, orient="row").drop("w", "n", "gain", "loss")
    frame.gather_every(size(6, nightly=1)).write_parquet(tmp_path / "t.parquet", row_group_size=2_000)
    policy = d.Policy(
        columns={"age": d.Column(type="number")},
        missing=d.Missing(values=["?"], rows="drop"),
        use=d.Classify("income"),
        protect=[
            d.KAnonymity(k=10, over=["age", "workclass", "education", "race", "sex"]),
            d.Template(given=["education", "sex", "race"], infer={"income": ">50K"}, at_most="60%"),
        ],
        search="coordinate",
    )
    wanted = outcome(tmp_path / "t.parquet", policy, "local")
    assert wanted.refusal is None
    for engine in LARGE:
        assert outcome(tmp_path / "t.parquet", policy, engine) == wanted, engine


def test_an_engine_that_does_not_exist() -> None:
    with pytest.raises(InputError, match=r"there is no engine 'duck'; choose local, streaming, duckdb or spark"):
        d.protect(people(), POLICY, engine="duck")


def test_a_file_beyond_the_memory_limit_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from discreet.table import source

    people().write_csv(tmp_path / "t.csv")
    wanted = outcome(tmp_path / "t.csv", POLICY, "local")
    monkeypatch.setattr(source, "needed", lambda *_, **__: 1 << 60)
    release = d.protect(tmp_path / "t.csv", POLICY, seed=1)
    assert isinstance(release.table, pl.LazyFrame)
    assert frame_of(release.table).rows() == wanted.rows


def test_a_relation_cannot_have_names_that_differ_in_case_only(tmp_path: Path) -> None:
    pl.DataFrame({"A": ["x"] * 4, "a": ["y"] * 4}).write_parquet(tmp_path / "t.parquet")
    release = d.protect(tmp_path / "t.parquet", d.Policy(protect=[d.KAnonymity(k=2, over=["A"])]), engine="duckdb")
    with pytest.raises(InputError, match="'A' and 'a' differ in case only"):
        _ = release.table
