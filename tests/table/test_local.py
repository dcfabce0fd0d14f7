"""Every kind of table comes out as it went in, but for what the plan hides; nothing else leaks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as d
from discreet.encoded import encode
from discreet.plan.plan import Plan
from discreet.policy import Policy
from discreet.table.engine import alike
from discreet.table.local import LocalEngine
from discreet.table.source import open_table
from tests.jobs import bank, bank_policy
from tests.kinds import KINDS, to_rows

ODD = pl.DataFrame(
    {
        "job": ["007", "NA", " x", "", None, "é\u200b😀", "007"],
        "ill": ["no", "no", "no", "no", "no", "no", "yes"],
        "age": pl.Series([1, 2, 3, 4, 5, 6, 7], dtype=pl.Int16),
        "height": [1.5, 2.5, 3.25, 1e20, 1e-7, 0.1, 1.0],
        "member": [True, False, True, True, False, True, False],
    }
)


def odd_policy(at_most: str, **more: Any) -> Policy:
    template = d.Template(given=["job", "age"], infer={"ill": "yes"}, at_most=at_most)
    return d.Policy(use=d.Counts(), protect=[template], **more)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_hide_nothing_changes(kind: str) -> None:
    """Values, types, names and order of an already safe table come out untouched."""
    table = KINDS[kind](ODD)
    out: Any = d.protect(table, odd_policy("100%")).table
    assert type(out) is type(table)
    assert to_rows(out) == to_rows(table)
    if isinstance(out, pd.DataFrame):
        pd.testing.assert_frame_equal(out, table)
    elif isinstance(out, pl.LazyFrame):
        assert out.collect_schema() == ODD.schema
    else:
        assert out.schema == table.schema


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_release_from_every_kind(kind: str) -> None:
    """Numbers become text only where some are hidden; columns that stay keep their type."""
    release = d.protect(KINDS[kind](ODD), odd_policy("50%"))
    reference: Any = d.protect(ODD, odd_policy("50%")).table
    out: Any = release.table
    assert to_rows(out) == to_rows(reference)
    assert release.plan.steps == d.protect(ODD, odd_policy("50%")).plan.steps
    assert sum(release.audit.hidden_cells.values()) > 0
    if isinstance(out, pl.LazyFrame):
        out = out.collect()
    assert list(out.columns if not isinstance(out, pa.Table) else out.column_names) == ODD.columns
    if isinstance(out, pl.DataFrame):
        assert out.schema["height"] == pl.Float64
        assert out.schema["age"] == pl.String


def test_the_index_and_other_luggage_stay_at_home() -> None:
    """A pandas index, attributes and Arrow metadata often hold names or row numbers of the source."""
    frame = bank().to_pandas()
    frame.index = [f"customer {n}" for n in range(len(frame))]
    frame.attrs = {"source": "secret.csv"}
    out: Any = d.protect(frame, bank_policy()).table
    assert list(out.index) == list(range(24))
    assert out.attrs == {}
    assert frame.index[0] == "customer 0"  # the owner's table is left alone
    table = bank().to_arrow().replace_schema_metadata({"pandas": "index: names"})
    released: Any = d.protect(table, bank_policy()).table
    assert released.schema.metadata is None


def test_the_order_of_categories_does_not_tell_in_which_order_the_rows_were() -> None:
    """A file with dictionaries has its categories as they were first met; an order that the owner gave stays."""
    jobs = [f"job {number * 7 % 24:02}" for number in range(24)]
    ranks = pd.Categorical(["low", "high"] * 12, categories=["low", "high"], ordered=True)
    table = pd.DataFrame({"job": pd.Categorical(jobs, categories=jobs), "rank": ranks, "ill": ["yes", "no"] * 12})
    policy = d.Policy(protect=[d.Template(given=["rank"], infer={"ill": "yes"}, at_most="100%")], shuffle=True)
    released: Any = d.protect(table, policy).table
    assert list(released["job"].cat.categories) == sorted(jobs)
    assert list(released["rank"].cat.categories) == ["low", "high"]


def test_categories_of_dropped_rows_stay_at_home() -> None:
    """The list of categories would name a diagnosis that no released row has."""
    table = pl.DataFrame({"ward": ["A", "A", None], "ill": ["flu", "cold", "HIV"]})
    policy = d.Policy(
        protect=[d.Template(given=["ward"], infer={"ill": "flu"}, at_most="50%")], missing=d.Missing(rows="drop")
    )
    pandas: Any = d.protect(table.to_pandas().astype({"ill": "category"}), policy).table
    assert list(pandas["ill"].cat.categories) == ["cold", "flu"]
    enum: Any = d.protect(table.with_columns(pl.col("ill").cast(pl.Enum(["flu", "HIV", "cold"]))), policy).table
    assert enum.schema["ill"] == pl.Enum(["flu", "cold"])
    arrow = table.to_arrow()
    coded = arrow["ill"].cast(pa.string()).dictionary_encode()
    field = pa.field("ill", coded.type, metadata={"source": "secret.csv"})
    released: Any = d.protect(arrow.set_column(1, field, coded), policy).table
    assert released.schema.field("ill").metadata is None
    assert released.schema.field("ill").type == coded.type
    assert sorted(released["ill"].combine_chunks().dictionary.to_pylist()) == ["cold", "flu"]


def test_identifiers_are_left_out() -> None:
    table = bank().with_columns(pl.arange(24).cast(pl.String).alias("Name"))
    policy = bank_policy().model_copy(update={"columns": {"Name": d.Column(role="identifier")}})
    out: Any = d.protect(table, policy).table
    assert "Name" not in out.columns


def test_missing_rows_are_dropped_and_keep_their_numbers() -> None:
    """A row with a missing value in any column goes; problems are named by the row numbers of the input."""
    table = pl.DataFrame({"job": ["a", "?", "a", "b"], "ill": ["yes", "no", "no", "no"], "note": ["", "", None, "n"]})
    policy = d.Policy(
        use=d.Counts(),
        protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="100%")],
        missing=d.Missing(values=("?",), rows="drop"),
    )
    release = d.protect(table, policy)
    out: Any = release.table
    assert out.rows() == [("a", "yes", ""), ("b", "no", "n")]
    assert release.audit.dropped == 2
    assert not d.verify(pl.concat([out, table[1:2]]), policy, original=table).holds  # a dropped row put back
    false = out.with_columns(pl.Series("note", ["", "m"]))
    assert "first in row 4" in d.verify(false, policy, original=table).truthful.problems[0]


def test_missing_as_a_value_of_its_own() -> None:
    table = pl.DataFrame({"job": [None, None, "a", "a"], "ill": ["yes", "no", "no", "no"]})
    policy = d.Policy(use=d.Counts(), protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%")])
    out: Any = d.protect(table, policy).table
    assert out["job"].to_list() == [None, None, "a", "a"]
    stricter = d.Policy(use=d.Counts(), protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="30%")])
    hidden: Any = d.protect(table, stricter).table
    assert hidden["job"].to_list() == ["*"] * 4


def test_suppressed_rows_and_edits_of_a_plan_are_carried_out() -> None:
    """By row numbers of the input, from 1, also when rows were dropped before."""
    table = pl.DataFrame({"job": ["?", "a", "b", "b"], "ill": ["no", "no", "yes", "no"], "n": [1, 2, 3, 4]})
    policy = d.Policy(
        protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="1")],
        missing=d.Missing(values=("?",), rows="drop"),
    )
    plan = Plan(
        policy,
        ("job", "ill", "n"),
        (d.Recoding("job", (("a", "a"), ("b", "b"))),),
        suppressed=(4,),
        edits=(d.Edit(3, "ill", "*"), d.Edit(2, "n", "1-5")),
    )
    out: Any = open_table(table, policy).apply(plan).native()
    assert out.rows() == [("a", "no", "1-5"), ("b", "*", "3"), ("*", "no", "4")]
    for row in (1, 5):
        with pytest.raises(d.InputError, match="names a row that the table does not have"):
            open_table(table, policy).apply(Plan(policy, plan.columns, plan.recodings, suppressed=(row,)))


def test_the_codes_of_a_release_are_those_of_its_own_texts() -> None:
    """Columns that go out as they were keep the codes of the source; no other column does."""
    source = alike(LocalEngine, open_table(bank(), bank_policy()))
    plan = d.protect(bank(), bank_policy()).plan
    suppressed = replace(plan, suppressed=(2, 5))
    edited = replace(plan, edits=(d.Edit(1, "Child", "*"),))
    for each in (plan, suppressed, edited):
        for name in source.columns:
            source.encoded(name)
        release = source.apply(each)
        changed = [name for name in release.columns if not release.texts(name).equals(source.texts(name))]
        assert changed
        for name in release.columns:
            found, fresh = release.encoded(name), encode(release.texts(name))
            assert found.domain == fresh.domain
            assert np.array_equal(found.codes, fresh.codes)


def test_the_codes_of_groups_with_labels_of_their_own_are_those_of_their_texts() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["Job", "Country"])], recoding="local")
    release = alike(LocalEngine, d.protect(bank(), policy).engine)
    for name in release.columns:
        found, fresh = release.encoded(name), encode(release.texts(name))
        assert found.domain == fresh.domain
        assert np.array_equal(found.codes, fresh.codes)


def test_edits_leave_the_table_as_it_was() -> None:
    """What verification compares a release with is the table that came in, not what the edits made of it."""
    table = pl.DataFrame({"job": ["a", "b"], "ill": ["no", "yes"]})
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="1")])
    recoding = d.Recoding("job", (("a", "a"), ("b", "b")))
    source = open_table(table, policy)
    out: Any = source.apply(Plan(policy, ("job", "ill"), (recoding,), edits=(d.Edit(1, "ill", "*"),))).native()
    edited: Any = source.edited([d.Edit(2, "job", "*")]).native()
    assert (out["ill"].to_list(), edited["job"].to_list()) == (["*", "yes"], ["a", "*"])
    assert (source.encoded("ill").domain, source.encoded("job").domain) == (("no", "yes"), ("a", "b"))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2], "list is not a table"),
        (pd.DataFrame([[1, 2]], columns=[0, 1]), "column 1 of the table has a name that is not a text"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), "same name"),
        (bank().clear(), "the table: has no rows"),
        (bank().with_columns(pl.Series("Job", [["a"]] * 24)), "column 'Job' holds List"),
        (bank().with_columns(pl.Series("Job", [b"a"] * 24)), "column 'Job' holds Binary"),
        (bank().to_pandas().assign(Job=[1, "a", b"b"] * 8), "column 'Job' mixes kinds of values"),
        # Python values that differ although Arrow would give them one text: counted together, released apart.
        (bank().to_pandas().assign(Job=pd.Series([10115, 10115.0] * 12, dtype=object)), "'Job' mixes kinds"),
        (bank().to_pandas().assign(Job=pd.Series([Decimal("1.0"), 1] * 12)), "'Job' mixes kinds"),
        (bank().to_pandas().assign(Job=pd.Categorical([Decimal("1.0"), Decimal(2)] * 12)), "'Job' mixes kinds"),
        (bank().to_pandas().assign(Job=pd.Series([date(2020, 1, 1), datetime(2020, 1, 1)] * 12)), "'Job' "),  # noqa: DTZ001
        (bank().to_pandas().assign(Job=pd.Categorical(pd.Series([1, "1"] * 12, dtype=object))), "'Job' mixes kinds"),
        (bank().to_pandas().assign(Job=pd.Series([2**70, 1.5] * 12, dtype=object)), "'Job' mixes kinds"),
        (bank().to_pandas().assign(Job=[1j] * 24), "column 'Job' "),
        (bank().with_columns(pl.Series("Job", [1.5, float("nan"), None] * 8)), "both NaN and null"),
        (bank().with_columns(pl.Series("Job", [timedelta(1)] * 24)), "column 'Job' holds Duration"),
    ],
)
def test_tables_that_cannot_be_used(table: Any, message: str) -> None:
    with pytest.raises(d.InputError, match=message):
        d.protect(table, bank_policy())


def test_a_nested_column_nobody_uses_goes_out_unchanged() -> None:
    table = bank().with_columns(pl.Series("tags", [["a", "b"]] * 24))
    out: Any = d.protect(table, bank_policy()).table
    assert out["tags"].to_list() == table["tags"].to_list()
    false = out.with_columns(pl.Series("tags", [["a"]] * 24))
    assert not d.verify(false, bank_policy(), original=table).holds


def test_the_marker_may_not_be_a_value_of_a_column_that_counts() -> None:
    table = bank().with_columns(pl.col("Job").replace("Cook", "*"))
    with pytest.raises(d.PolicyError, match="the marker '\\*' occurs in column 'Job'"):
        d.protect(table, bank_policy())
    other = bank_policy().model_copy(update={"marker": "⊥"})
    assert d.protect(table, other).audit.verification.holds


def test_a_release_can_be_released_again() -> None:
    """A marker declared as a missing value stays hidden and shares its group with what is hidden now."""
    first: Any = d.protect(bank(), bank_policy()).table
    declared = d.Missing(values=("*",), rows="value")
    again = d.protect(first, bank_policy("40%").model_copy(update={"missing": declared, "use": d.Counts()}))
    assert again.audit.verification.holds
    recoding = {r.column: r for r in again.plan.recodings}
    assert ("*", "*") in recoding["Job"].to
    assert ("Job", "*", "is the marker already") in [(k.column, k.value, k.reason) for k in again.plan.kept]


@pytest.mark.parametrize(
    "odd",
    [
        pd.Series([pd.Timedelta(1, "D")] * 24),
        pd.Series(pd.period_range("2020", periods=24, freq="M")),
        pd.Series([[1, 2]] * 24),
        pd.Series([1, "a", b"b", None] * 6, dtype=object),
        pd.arrays.IntervalArray.from_breaks(range(25)),
    ],
    ids=["timedelta", "period", "lists", "mixed", "intervals"],
)
def test_columns_of_any_kind_that_nobody_uses_go_out_unchanged(odd: Any) -> None:
    table = bank().to_pandas().assign(odd=odd)
    out: Any = d.protect(table, bank_policy()).table
    pd.testing.assert_series_equal(out["odd"], table["odd"])
    other = out.assign(odd=list(out["odd"])[::-1]) if odd is not None and len(set(map(repr, odd))) > 1 else None
    if other is not None:
        assert not d.verify(other, bank_policy(), original=table).holds


def test_nan_is_missing_in_every_kind_of_table() -> None:
    """Polars and PyArrow tell NaN from null, pandas does not; for a promise both are no value."""
    values = [1.0, 0.0, float("nan"), float("nan"), 0.0, 0.0]
    template = d.Template(given=["job"], infer={"ill": "1.0"}, at_most="30%")
    policy = d.Policy(protect=[template], missing=d.Missing(rows="unknown"))
    frame = pl.DataFrame({"job": ["a"] * 6, "ill": values})
    for table in (frame, frame.to_pandas(), frame.to_arrow()):
        worst = d.protect(table, policy).audit.promises[0].worst
        assert worst
        assert (worst.hits, worst.rows, worst.hidden) == (1, 6, 2)


def test_none_beside_nan_does_not_tell_rows_apart() -> None:
    table = pd.DataFrame({"job": pd.Series(["a", None, float("nan")], dtype=object), "ill": ["no", "yes", "no"]})
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="50%")])
    out: Any = d.protect(table, policy).table
    assert len({repr(value) for value in out["job"][1:]}) == 1


def test_missing_values_that_are_written_otherwise_are_warned_about() -> None:
    """-1 in the policy is not -1.0 in a column of decimals; NA finds nothing in a table that says n/a."""
    table = pl.DataFrame({"job": ["a", "a", "b"], "ill": [1.0, -1.0, 0.0]})
    template = d.Template(given=["job"], infer={"ill": "1.0"}, at_most="1")
    warned = d.protect(table, d.Policy(protect=[template], missing={"values": [-1], "rows": "unknown"})).audit.warnings
    assert any("no column that counts has the missing value '-1'" in warning for warning in warned)
    right = d.protect(table, d.Policy(protect=[template], missing={"values": ["-1.0"], "rows": "unknown"})).audit
    assert right.warnings == ()
    dropped = d.protect(table, d.Policy(protect=[template], missing={"values": ["NA"], "rows": "drop"})).audit
    assert any("finds no missing value" in warning for warning in dropped.warnings)


def test_a_column_without_any_value_can_be_counted() -> None:
    """Such a column of Python objects becomes one without a type in Parquet; it is a column of missing values."""
    policy = d.Policy(protect=[d.Template(given=["job", "empty"], infer={"ill": "yes"}, at_most="40%")])
    frame = ODD.with_columns(pl.Series("empty", [None] * len(ODD), dtype=pl.Null))
    assert not d.verify(frame, policy).holds
    released = d.protect(frame, policy).table
    assert [row[0] for row in to_rows(released)].count("*") > 2
    assert d.verify(released, policy, original=frame).holds
