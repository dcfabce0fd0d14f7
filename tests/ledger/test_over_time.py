"""Releases about the same people, made one after the other with a ledger: every promise holds over all of them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON
from discreet.ledger.folder import opened
from tests.ledger.sequences import PROMISED, item_of
from tests.profiles import FEW
from tests.reference import releases as slow
from tests.reference.releases import Promised, Published

K2 = {"k": 2, "over": ["age"]}
KEPT: dict[str, Any] = {"leavers": "remove", "hold": True}


def table(**columns: str) -> pl.DataFrame:
    """Return a table from columns of values with blanks between them."""
    return pl.DataFrame({name: texts.split() for name, texts in columns.items()})


def publish(tmp: Path, rows: pl.DataFrame, policy: dict[str, Any], name: str, **options: Any) -> d.Release:
    """Protect a table with the ledger of a folder, and publish it."""
    release = d.protect(rows, policy, ledger=tmp / "ledger", person="id", seed=1, **options)
    release.write(tmp / name)
    d.Ledger(tmp / "ledger").publish(name)
    return release


def recorded(tmp: Path, promises: list[list[Promised]], same: list[dict[str, str]] | None = None) -> list[Published]:
    """Return what the ledger has, as the slow version takes it."""
    with opened(tmp / "ledger") as folder:
        past = folder.past()
    found = []
    for place, release in enumerate(past):
        rows = {
            row[PERSON]: {name: row[release.label(name)] for name in release.columns}
            for row in release.people.iter_rows(named=True)
        }
        found.append(Published(rows, promises[place], same[place] if same else {}))
    return found


@st.composite
def tables(draw: st.DrawFn) -> list[pl.DataFrame]:
    """Draw up to four tables of people who come, change and go."""
    people = [f"p{number}" for number in range(draw(st.integers(12, 40)))]
    values = {"age": "stuvwx", "job": "12", "ill": ["HIV", "flu", "cold"]}
    texts = {person: {name: draw(st.sampled_from(list(some))) for name, some in values.items()} for person in people}
    found = []
    for _ in range(draw(st.integers(2, 4))):
        there = [person for person in people if draw(st.integers(0, 9))] or people[:1]
        for person in there:
            if draw(st.integers(0, 9)) == 0:
                name = draw(st.sampled_from(list(values)))
                texts[person] = {**texts[person], name: draw(st.sampled_from(list(values[name])))}
        found.append(pl.DataFrame([{"id": person, **texts[person]} for person in there]))
    return found


@pytest.mark.slow
@FEW
@given(tables(), st.lists(st.sampled_from(PROMISED), min_size=1, max_size=3, unique=True), st.data())
def test_nothing_is_broken_over_all_releases(
    rows: list[pl.DataFrame], promised: list[Promised], data: st.DataObject
) -> None:
    searches = [{}, {"recoding": "local"}, *({"search": name} for name in ("coordinate", "exact", "genetic"))]
    said = {
        **data.draw(st.sampled_from(searches)),
        "suppress": {"rows": data.draw(st.sampled_from(["mask", "remove"]))},
    }
    policy = {"protect": [item_of(promise, {}) for promise in promised], "ledger": KEPT, **said}
    with TemporaryDirectory() as folder:
        tmp = Path(folder)
        made = 0
        for number, one in enumerate(rows):
            try:
                publish(tmp, one, policy, f"r{number}.csv", new_persons=True)
                made += 1
            except (d.PromiseError, d.PolicyError):  # nobody is left, no release can keep it, or a value is not there
                pass
        assert slow.all_broken(recorded(tmp, [promised] * made)) == set() if made else True


def test_an_old_promise_breaks_when_a_column_goes_out_as_it_is(tmp_path: Path) -> None:
    rows = table(id="a b c d", age="x x x x", zip="1 2 1 2")
    publish(tmp_path, rows, {"protect": [{"k": 2, "over": ["age", "zip"]}]}, "one.csv")
    moved = table(id="a b c d", age="x x x x", zip="1 2 2 3")
    with pytest.raises(d.PromiseError, match=r"one\.csv"):
        publish(tmp_path, moved, {"protect": [K2], "columns": {"zip": {"role": "other"}}}, "two.csv")
    kept = publish(tmp_path, moved, {"protect": [K2, {"k": 1, "over": ["zip"]}]}, "two.csv")
    assert kept.audit.verification.joint is not None
    assert kept.audit.verification.joint.holds


def test_hiv_then_flu_and_flu_then_hiv(tmp_path: Path) -> None:
    half = {"protect": [{"infer": {"ill": "HIV"}, "given": ["age"], "at_most": "50%"}]}
    publish(tmp_path, table(id="a b", age="x x", ill="HIV flu"), half, "one.csv")
    with pytest.raises(d.PromiseError, match="any release"):
        publish(tmp_path, table(id="a b", age="x x", ill="flu HIV"), half, "two.csv")


def test_leavers_are_refused_removed_or_reported(tmp_path: Path) -> None:
    publish(tmp_path, table(id="a b c d e", age="x x x x x"), {"protect": [K2]}, "one.csv")
    later = table(id="a b c d", age="x x x x")

    def made(leavers: str) -> d.Release:
        policy = {"protect": [K2], "ledger": {"leavers": leavers}}
        return d.protect(later, policy, ledger=tmp_path / "ledger", person="id", seed=1)

    with pytest.raises(d.PromiseError, match="1 person of earlier releases") as refused:
        made("refuse")
    assert refused.value.exit_code == 1
    removed = made("remove")
    assert removed.note is not None
    assert (removed.audit.rows, removed.note.left_out) == (3, 1)
    assert removed.audit.verification.holds
    warned = made("warn")
    joint = warned.audit.verification.joint
    assert joint is not None
    assert (warned.audit.rows, joint.broken, joint.holds, joint.may_go_out) == (4, 1, False, True)
    assert "what can be inferred from several releases together" in warned.audit.not_covered
    assert "what can be inferred from several releases together" not in removed.audit.not_covered
    assert any("one.csv" in text for text in removed.audit.not_covered)


@pytest.mark.slow
def test_who_is_removed_is_drawn_by_lot(tmp_path: Path) -> None:
    """Not by what they hold: over many draws everybody with the same past is left out at some time."""
    publish(tmp_path, table(id="a b c d e f", age="x x x x x x"), {"protect": [K2]}, "one.csv")
    later = table(id="a b c d e", age="x x x y y")
    policy = {"protect": [K2], "ledger": {"leavers": "remove"}}
    left = set()
    for seed in range(40):
        made = d.protect(later, policy, ledger=tmp_path / "ledger", person="id", seed=seed)
        assert made.note is not None
        left |= set("abcde") - set(made.source.texts("id").to_list())  # type: ignore[attr-defined]
    assert left == set("abcde")


def test_small_batches_wait_or_are_held(tmp_path: Path) -> None:
    publish(tmp_path, table(id="a b c d", age="x x x x"), {"protect": [K2]}, "one.csv")
    later = table(id="a b c d e", age="x x x x x")
    with pytest.raises(d.PromiseError, match="first time"):
        publish(tmp_path, later, {"protect": [K2]}, "two.csv")
    held = publish(tmp_path, later, {"protect": [K2], "ledger": {"hold": True}}, "two.csv")
    assert held.note is not None
    assert (held.audit.rows, held.note.held) == (4, 1)
    both = publish(tmp_path, table(id="a b c d e f", age="x x x x x x"), {"protect": [K2]}, "three.csv")
    assert both.audit.rows == 6


def test_earlier_releases_that_break_a_promise_together_are_found_first(tmp_path: Path) -> None:
    ledger = d.Ledger(tmp_path / "ledger")
    one, two = table(id="a b c d", age="x x y y"), table(id="a b c d", age="x y x y")
    for name, rows in (("one", one), ("two", two)):
        ledger.add(rows.drop("id"), rows, {"protect": [K2]}, person="id", name=name)
    found = ledger.check()
    assert found is not None
    assert found.broken == 4
    with pytest.raises(d.PromiseError, match="already break a promise for 4 persons"):
        publish(tmp_path, one, {"protect": [K2]}, "three.csv")
    warned = publish(tmp_path, one, {"protect": [K2], "ledger": {"leavers": "warn"}}, "three.csv")
    assert warned.audit.verification.joint is not None
    assert warned.audit.verification.joint.broken == 4


def test_renamed_and_gone_columns(tmp_path: Path) -> None:
    publish(tmp_path, table(id="a b c d", age="x x y y"), {"protect": [K2]}, "one.csv")
    later = table(id="a b c d", years="1 2 1 2")
    asked = {"protect": [{"k": 2, "over": ["years"]}]}
    with pytest.raises(d.InputError, match="'age', which is found under no name now"):
        publish(tmp_path, later, asked, "two.csv")
    gone = d.protect(later, {**asked, "ledger": {"gone": ["age"]}}, ledger=tmp_path / "ledger", person="id", seed=1)
    assert gone.audit.detail == 1  # nobody who knows only years sees more than these
    same = publish(tmp_path, later, {**asked, "ledger": {"same": {"years": "age"}}}, "two.csv")
    assert set(same.table["years"].to_list()) == {"*"}  # type: ignore[index]
    assert (
        slow.all_broken(recorded(tmp_path, [[Promised("k", ("age",), Fraction(2))], []], [{}, {"years": "age"}]))
        == set()
    )


def test_ids_written_otherwise_make_everybody_new(tmp_path: Path) -> None:
    publish(tmp_path, table(id="007 008 009 010", age="x x x x"), {"protect": [K2]}, "one.csv")
    later = table(id="7 8 9 010", age="x x x x")
    with pytest.raises(d.PromiseError, match="only 1 of 4 persons"):
        publish(tmp_path, later, {"protect": [K2]}, "two.csv")


@pytest.mark.parametrize(
    ("rows", "policy", "message"),
    [
        (table(id="a a", age="x x"), {}, "have several rows"),
        (pl.DataFrame({"id": ["a", None], "age": ["x", "x"]}), {}, "1 row has no 'id'"),
        (table(id="a b", age="x x"), {"columns": {"id": {"role": "other"}}}, "says who somebody is"),
        (
            table(id="a b", age="x x"),
            {"release": {"sample": "50%", "k_on": "population"}},
            "k_on: population counts on nobody knowing who was drawn",
        ),
        (table(id="a b", age="x x"), {"release": {"sample": "50%", "by": ["age"]}}, "does not know strata"),
        (
            table(id="a b", age="x x"),
            {"release": {"sample": "50%"}, "decide": "blind", "protect": [{"l": 2, "of": "age", "over": ["id"]}]},
            "samples beside decide: blind",
        ),
    ],
)
def test_what_a_ledger_does_not_serve_is_said(
    tmp_path: Path, rows: pl.DataFrame, policy: dict[str, Any], message: str
) -> None:
    with pytest.raises(d.InputError, match=message):
        d.protect(rows, {"protect": [K2], **policy}, ledger=tmp_path / "ledger", person="id")


def test_spark_is_refused_plainly(tmp_path: Path) -> None:
    with pytest.raises(d.InputError, match="a ledger lies beside one machine, and Spark may run on many"):
        d.protect(
            table(id="a b", age="x x"), {"protect": [K2]}, ledger=tmp_path / "ledger", person="id", engine="spark"
        )
    assert not (tmp_path / "ledger").exists()


def test_options_of_a_ledger_without_one_are_refused(tmp_path: Path) -> None:
    rows = table(id="a b", age="x x")
    with pytest.raises(d.InputError, match="speaks of a ledger"):
        d.protect(rows, {"protect": [K2], "ledger": {"hold": True}})
    with pytest.raises(d.InputError, match="--person is for releases in a ledger"):
        d.protect(rows, {"protect": [K2]}, person="id")
    with pytest.raises(d.InputError, match="name the column with --person"):
        d.protect(rows, {"protect": [K2]}, ledger=tmp_path / "ledger")


@pytest.mark.parametrize("engine", ["local", "duckdb"])
def test_who_is_removed_stands_among_those_who_left(tmp_path: Path, engine: str) -> None:
    """One moved, so she is removed; and one more of her past, drawn by lot: else she would be the only one absent."""
    policy = {"protect": [K2], "suppress": {"rows": "remove"}}
    publish(tmp_path, table(id="a b c d e f g", age="x x x x y y y"), policy, "one.csv", engine=engine)
    moved = table(id="a b c d e f g", age="y x x x y y y")
    removed = publish(tmp_path, moved, policy, "two.csv", engine=engine)
    assert removed.audit.rows == 5
    assert removed.audit.verification.joint is not None
    assert removed.audit.verification.joint.left == 2
    assert not slow.all_broken(recorded(tmp_path, [[Promised("k", ("age",), Fraction(2))]] * 2))
    assert sorted((tmp_path / "two.csv").read_text().split()) == ["age", "x", "x", "y", "y", "y"]


def test_groups_with_labels_of_their_own_are_of_one_past(tmp_path: Path) -> None:
    """Who moved is told together with others of her past; the ledger has nobody's id for that."""
    columns = {"age": {"taxonomy": {"*": {"low": ["s", "t"], "high": ["x", "y"]}}}}
    policy = {"columns": columns, "protect": [K2], "recoding": "local"}
    rows = table(id="p1 p2 p3 p4 p5 p6 p7 p8", age="s s s s x x x x")
    publish(tmp_path, rows, policy, "one.csv")
    moved = table(id="p1 p2 p3 p4 p5 p6 p7 p8", age="t s s s s s x x")
    made = publish(tmp_path, moved, policy, "two.csv")
    assert made.table["age"].to_list() == ["low"] * 4 + ["s", "s", "x", "x"]  # type: ignore[index]
    assert not slow.all_broken(recorded(tmp_path, [[Promised("k", ("age",), Fraction(2))]] * 2))
    again = d.Plan.from_json(made.plan.to_json()).apply(moved, ledger=tmp_path / "other", person="id")
    assert again.table.equals(made.table)  # type: ignore[attr-defined]
    for path in (tmp_path / "ledger").iterdir():
        assert b"p3" not in path.read_bytes(), path.name


def test_the_same_recoding_tells_nothing_new(tmp_path: Path) -> None:
    rows = table(id=" ".join(map(str, range(24))), age="x x x x y y y y z z z z " * 2)
    policy = {"protect": [K2]}
    publish(tmp_path, rows, policy, "one.csv")
    again = publish(tmp_path, rows, policy, "two.csv")
    assert again.audit.detail == 1
    assert again.audit.suppressed == 0


def test_a_seed_draws_the_same_persons_whatever_the_secret(tmp_path: Path) -> None:
    rows = table(id=" ".join(f"p{n}" for n in range(30)), age="x " * 30)
    left = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        publish(folder, rows, {"protect": [{"k": 5, "over": ["age"]}]}, "one.csv")
        policy = {"protect": [{"k": 5, "over": ["age"]}], "ledger": {"leavers": "remove"}}
        made = d.protect(rows[1:], policy, ledger=folder / "ledger", person="id", seed=3)
        left.append(made.source.texts("id").to_list())  # type: ignore[attr-defined]
    assert left[0] == left[1]
    assert len(left[0]) == 25


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "streaming"])
def test_large_engines_keep_the_promises_too(tmp_path: Path, engine: str) -> None:
    """Nobody leaves, so nobody has to be left out; who came and who changed is counted alike."""
    people = range(60)
    first = pl.DataFrame({"id": [f"p{n}" for n in people], "age": [f"{n % 6}" for n in people]})
    moved = first.with_columns(
        pl.when(pl.col("id").is_in(["p1", "p2"])).then(pl.lit("0")).otherwise("age").alias("age")
    )
    policy: dict[str, Any] = {"protect": [{"k": 3, "over": ["age"]}]}
    for name, rows in (("one", first), ("two", moved)):
        rows.write_csv(tmp_path / f"{name}.csv")
        made = d.protect(
            tmp_path / f"{name}.csv", policy, ledger=tmp_path / "ledger", person="id", engine=engine, seed=1
        )
        made.write(tmp_path / f"r-{name}.csv")
        d.Ledger(tmp_path / "ledger").publish(f"r-{name}.csv")
    promised = [Promised("k", ("age",), Fraction(3))]
    found = recorded(tmp_path, [promised, promised])
    assert [len(one.rows) for one in found] == [60, 60]
    assert not slow.all_broken(found)
    written = pl.read_csv(tmp_path / "r-two.csv", infer_schema=False)["age"].to_list()
    assert sorted(written) == sorted(row["age"] for row in found[1].rows.values())
    later = tmp_path / "three.csv"  # one left, one came: two more of her past are left out, who came is held
    pl.concat([moved[1:], table(id="new", age="0")]).write_csv(later)
    policy = {**policy, "ledger": KEPT}
    made = d.protect(later, policy, ledger=tmp_path / "ledger", person="id", engine=engine, seed=1)
    assert made.note is not None
    assert (made.note.held, made.note.left_out, made.audit.rows) == (1, 2, 57)
    made.write(tmp_path / "r-three.csv")
    assert d.Ledger(tmp_path / "ledger").publish("r-three.csv").holds
    found = recorded(tmp_path, [promised] * 3)
    assert [len(one.rows) for one in found] == [60, 60, 57]
    assert not slow.all_broken(found)
    assert pl.read_csv(tmp_path / "r-three.csv").columns == ["age"]
    checked = d.verify(
        tmp_path / "r-three.csv", policy, original=later, ledger=tmp_path / "ledger", person="id", engine=engine
    )
    assert checked.holds
