"""Rows that do not fit are left out: nobody else's promise breaks, and verification finds the others again."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.planning.prepared import prepare
from discreet.policy import Inference
from discreet.verification.matching import ColumnBeside, matched
from discreet.verification.truth import untrue
from tests.jobs import Job, mixed_jobs
from tests.kinds import KINDS, to_rows
from tests.reference.subsequence import stands_for_some

AGES = ["34"] * 10 + ["35"] * 10 + ["99"]
REMOVE = d.Suppress(rows="remove")


def ages_policy(**more: Any) -> d.Policy:
    said: dict[str, Any] = {"columns": {"age": d.Column(type="number")}, "suppress": REMOVE, **more}
    return d.Policy(protect=[d.KAnonymity(k=3, over=["age"])], **said)


def removing(job: Job, limit: Fraction = Fraction(1)) -> Job:
    suppress = d.Suppress(limit=limit, rows="remove")
    return Job(job.columns, job.rows, job.policy.model_copy(update={"suppress": suppress}))


def removed_slowly(table: pl.DataFrame, policy: d.Policy) -> set[int]:
    """The rows (from 0) of a recoded table that have to go, group by group, until nothing changes."""
    rows, gone = table.rows(named=True), set[int]()
    while True:
        more = set[int]()
        for promise in policy.promises():
            groups: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
            for number, row in enumerate(rows):
                if number not in gone:
                    groups[tuple(row[name] for name in promise.given)].append(number)
            for group in groups.values():
                if isinstance(promise, Inference):
                    hits = sum(rows[number][promise.column] == promise.value for number in group)
                    broken = Fraction(hits, len(group)) > promise.at_most
                else:
                    broken = len(group) < promise.least_rows
                more |= set(group) if broken else set()
        if not more:
            return gone
        gone |= more


def recoded(frame: pl.DataFrame, plan: d.Plan) -> pl.DataFrame:
    """The table under the recodings of a plan, no row suppressed."""
    for recoding in plan.recodings:
        texts = recoding.texts(frame[recoding.column].to_list(), plan.policy.column(recoding.column).scale)
        frame = frame.with_columns(pl.Series(recoding.column, texts, dtype=pl.String))
    return frame


# The whole way


@pytest.mark.slow
@given(mixed_jobs(search="coordinate"), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 5), Fraction(0)]))
def test_every_release_lacks_the_rows_that_do_not_fit_and_no_others(job: Job, limit: Fraction) -> None:
    job = removing(job, limit)
    try:
        release = d.protect(job.frame, job.policy)
    except (d.ImpossiblePromise, d.TooManySuppressed) as refused:
        assert refused.exit_code == 1
        return
    table: Any = release.table
    plan = release.plan
    assert {number - 1 for number in plan.suppressed} == removed_slowly(recoded(job.frame, plan), job.policy)
    kept = [number for number in range(len(job.rows)) if number + 1 not in plan.suppressed]
    assert table.equals(recoded(job.frame, plan)[kept])
    assert (release.audit.removed, release.audit.suppressed, release.audit.drawn) == (len(plan.suppressed), 0, 0)
    assert len(plan.suppressed) <= floor(limit * len(job.rows))
    found = d.verify(table, job.policy, original=job.frame)
    assert found.truthful.answer is d.Answer.HOLDS
    assert all(finding.answer is not d.Answer.BROKEN for finding in found.requirements)
    assert d.Plan.from_json(plan.to_json()) == plan
    assert plan.apply(job.frame).table.equals(table)  # type: ignore[attr-defined]


@pytest.mark.slow
@given(mixed_jobs(search="coordinate", most_rows=12), mixed_jobs(search="coordinate", most_rows=12))
def test_new_rows_fit_or_are_left_out(job: Job, other: Job) -> None:
    """Rows of another table: with unseen values, of other sizes, with other shares of the property."""
    job = removing(job)
    try:
        plan = d.protect(job.frame, job.policy).plan
        again = plan.apply(other.frame)
    except (d.ImpossiblePromise, d.TooManySuppressed):
        return
    except d.PolicyError:  # a template names a value that nobody has
        return
    found = d.verify(again.table, job.policy, original=other.frame)
    assert found.truthful.answer is d.Answer.HOLDS
    assert again.audit.rows + again.audit.removed == len(other.rows)
    assert again.audit.unseen <= again.audit.removed


def test_one_odd_row_goes_and_nobody_with_it() -> None:
    """Masked it would need company; removed it needs none."""
    table = pl.DataFrame({"age": AGES})
    masked = d.protect(table, ages_policy(suppress=d.Suppress()))
    removed = d.protect(table, ages_policy())
    assert (masked.audit.suppressed, masked.audit.drawn, masked.audit.removed) == (3, 2, 0)
    assert (removed.audit.suppressed, removed.audit.drawn, removed.audit.removed) == (0, 0, 1)
    assert removed.plan.suppressed == (21,)
    assert removed.audit.rows == 20
    assert removed.audit.detail == removed.plan.detail == pytest.approx(20 / 21)
    assert any("who was removed" in line for line in removed.audit.not_covered)
    assert not any("who was removed" in line for line in masked.audit.not_covered)


def test_removing_for_one_promise_may_break_another() -> None:
    """Three go because their age tells too much; the two others from Bari are then too few, and go too."""
    table = pl.DataFrame(
        {"age": ["1"] * 6 + ["2"] * 3, "town": ["oslo"] * 4 + ["bari"] * 2 + ["bari"] * 3, "ill": ["n"] * 6 + ["y"] * 3}
    )
    policy = d.Policy(
        protect=[
            d.KAnonymity(k=3, over=["town"]),
            d.Template(given=["age"], infer={"ill": "y"}, at_most="1/4"),
        ],
        suppress=REMOVE,
    )
    release = d.protect(table, policy)
    assert release.plan.suppressed == (5, 6, 7, 8, 9)
    assert removed_slowly(recoded(table, release.plan), policy) == {4, 5, 6, 7, 8}


def test_a_column_that_never_changes_costs_only_its_own_rows() -> None:
    """Masked, no release can keep it: the two managers stay two. Removed, the others can be released."""
    table = pl.DataFrame({"age": ["30", "31"] * 6, "class": ["1"] * 10 + ["2"] * 2})
    said: dict[str, Any] = {"use": d.Classify("class"), "protect": [d.KAnonymity(k=3, over=["age", "class"])]}
    with pytest.raises(d.ImpossiblePromise):
        d.protect(table, d.Policy(**said))
    release = d.protect(table, d.Policy(**said, suppress=REMOVE))
    assert release.plan.suppressed == (11, 12)


@pytest.mark.parametrize(
    ("k", "limit", "error", "message"),
    [
        (22, "100%", d.ImpossiblePromise, "the smallest group has 21 rows"),
        (2, "0", None, ""),
        (12, "10%", None, ""),
    ],
)
def test_what_cannot_be_kept(k: int, limit: str, error: type[Exception] | None, message: str) -> None:
    policy = d.Policy(
        protect=[d.KAnonymity(k=k, over=["age"])],
        columns={"age": d.Column(type="number")},
        suppress=d.Suppress(limit=limit, rows="remove"),
    )
    table = pl.DataFrame({"age": AGES})
    if error is None:
        assert d.protect(table, policy).audit.removed <= floor(Fraction(policy.suppress.limit) * 21)
    else:
        with pytest.raises(error, match=message):
            d.protect(table, policy)


def test_nothing_left_is_no_release() -> None:
    table = pl.DataFrame({"job": ["a", "b"], "ill": ["y", "y"]})
    template = d.Template(given=["job"], infer={"ill": "y"}, at_most="1/2")
    policy = d.Policy(protect=[template], search="coordinate", suppress=REMOVE)
    with pytest.raises(d.TooManySuppressed, match="all 2 rows would have to be removed, so nothing is left"):
        d.protect(table, policy)
    limited = policy.model_copy(update={"suppress": d.Suppress(limit="50%", rows="remove")})
    with pytest.raises(d.TooManySuppressed, match="2 of 2 rows would have to be suppressed, more than 50%"):
        d.protect(table, limited)
    plan = d.protect(pl.DataFrame({"age": AGES}), ages_policy()).plan
    with pytest.raises(d.TooManySuppressed, match="all 2 rows"):
        plan.apply(pl.DataFrame({"age": ["34", "35"]}))


@pytest.mark.parametrize("rows", ["remove", "mask"])
@pytest.mark.parametrize(
    ("said", "ages", "told"),
    [
        ({}, ["34", "99"], "<=34"),
        ({}, ["1", "34", "99"], ">=34"),
        ({}, ["1", "34"], ">=34"),
        ({"open_ends": False}, ["1", "34", "99"], "34"),
        ({"form": "median"}, ["1", "34", "99"], "34"),
        ({"ends": [30, 40, 50]}, ["1", "34", "99"], "[30-39]"),
        ({"ends": [30, 40], "labels": ["low", "mid", "high"]}, ["1", "34", "99"], "mid"),
    ],
)
def test_the_only_interval_that_is_kept_is_told_apart_from_those_that_are_not(
    said: dict[str, Any], ages: list[str], told: str, rows: Any
) -> None:
    """The marker stands for the rows that do not fit; and nothing tells how old they are."""
    table = pl.DataFrame({"age": [age for age in ages for _ in range(9 if age == "34" else 1)]})
    policy = ages_policy(columns={"age": d.Column(type="number", **said)}, suppress=d.Suppress(rows=rows))
    release = d.protect(table, policy)
    texts: list[str] = release.table["age"].unique().to_list()  # type: ignore[index]
    assert set(texts) - {"*"} == {told}
    assert ("*" in texts) == (rows == "mask")
    assert release.audit.removed + release.audit.suppressed == (len(ages) - 1 if rows == "remove" else 3)
    assert d.verify(release.table, policy, original=table, intervals=release.intervals).holds
    published = [end for ends in release.intervals.values() for pair in ends.values() for end in pair]
    assert not {"1", "99"} & {*texts, *published}


@pytest.mark.parametrize("columns", [{}, {"b": d.Column(type="number")}])
def test_numbers_are_removed_no_sooner_than_values(columns: dict[str, d.Column]) -> None:
    """Whoever has 1 tells nothing: the others go, and one row is released."""
    table = pl.DataFrame({"b": ["1", "21", "2"], "s": ["x", "y", "y"]})
    template = d.Template(given=["b"], infer={"s": "y"}, at_most="1/3")
    policy = d.Policy(protect=[template], columns=columns, search="exact", suppress=REMOVE)
    release = d.protect(table, policy)
    assert release.plan.suppressed == (2, 3)
    assert d.verify(release.table, policy, original=table).holds


def test_unseen_values_remove_their_rows() -> None:
    table = pl.DataFrame({"town": ["a"] * 10 + ["b"] * 10})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])], suppress={"limit": "40%", "rows": "remove"})
    plan = d.protect(table, policy).plan
    again = plan.apply(pl.DataFrame({"town": ["a", "x", "a", "b", "x", "b", "a", "b"]}))
    assert again.table["town"].to_list() == ["a", "a", "b", "b", "a", "b"]  # type: ignore[index]
    assert (again.audit.removed, again.audit.unseen, again.audit.suppressed) == (2, 2, 0)
    with pytest.raises(d.TooManySuppressed, match="4 of 9 rows"):
        plan.apply(pl.DataFrame({"town": ["a", "x", "a", "x", "x", "x", "a", "b", "b"]}))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table(kind: str) -> None:
    """Rows go, columns that do not change keep their type, and no index tells who went."""
    frame = pl.DataFrame({"age": ["1"] * 3 + ["7"] + ["1"] * 2, "pay": [1, 2, 3, 4, 5, 6], "job": list("aabbab")})
    policy = d.Policy(
        protect=[d.KAnonymity(k=3, over=["age"])],
        columns={"pay": d.Column(role="other"), "job": d.Column(role="other")},
        suppress=REMOVE,
    )
    table = KINDS[kind](frame)
    release = d.protect(table, policy)
    assert to_rows(release.table) == [row for row in frame.rows() if row[0] != "7"]
    assert d.verify(release.table, policy, original=table).holds
    if kind.startswith("pandas"):
        assert list(release.table.index) == [0, 1, 2, 3, 4]  # type: ignore[attr-defined]


def test_columns_without_a_text_are_put_side_by_side_too() -> None:
    frame = pl.DataFrame({"age": ["1", "9", "1", "1"], "tags": [[1], [2], [3], [4, 5]]})
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["age"])], suppress=REMOVE)
    release = d.protect(frame, policy)
    assert release.plan.suppressed == (2,)
    other = release.table.with_columns(tags=pl.Series([[1], [2], [4, 5]]))  # type: ignore[attr-defined]
    assert not d.verify(other, policy, original=frame).holds


def test_rows_dropped_for_a_missing_value_do_not_count() -> None:
    """Two of 23 rows have no age and are dropped; of the other 21 the policy allows 5% to be removed: one."""
    table = pl.DataFrame({"age": ["?", *AGES, "?"]})
    suppress = d.Suppress(limit="5%", rows="remove")
    policy = ages_policy(missing=d.Missing(values=["?"], rows="drop"), suppress=suppress)
    release = d.protect(table, policy)
    assert (release.audit.dropped, release.audit.removed, release.plan.suppressed) == (2, 1, (22,))
    assert d.verify(release.table, policy, original=table).holds
    fewer = release.table[1:]  # type: ignore[index]
    problems = d.verify(fewer, policy, original=table).truthful.problems
    assert problems == ("the release has 19 rows, expected 20 to 21",)


def test_the_share_of_removed_rows_is_told_at_each_threshold() -> None:
    points = d.frontier(pl.DataFrame({"age": AGES}), ages_policy(), [2, 11, 22]).points
    assert [point.possible for point in points] == [True, True, False]
    assert points[0].largest == Fraction(1, 10)  # the removed row is no group
    template = d.Template(given=["job"], infer={"ill": "y"}, at_most="1/2")
    policy = d.Policy(protect=[template], search="coordinate", suppress=REMOVE)
    found = d.frontier(pl.DataFrame({"job": ["a", "b"], "ill": ["y", "y"]}), policy, ["1/2"])
    assert [(point.possible, point.least) for point in found.points] == [(False, None)]


# Verification


def cut_rows(frame: pl.DataFrame, gone: Sequence[int]) -> pl.DataFrame:
    return frame[[number for number in range(len(frame)) if number not in set(gone)]]


_AGE = d.Column(type="number", form=None)
_TOWN = d.Column(taxonomy={"any": {"north": ["oslo", "turku"], "rome": None}})
_CELLS: dict[str, list[str]] = {
    "age": ["5", "30", "39", "<30", ">=30", "[30-39]", "*", "x"],
    "town": ["oslo", "turku", "rome", "north", "any", "*", "south"],
    "job": ["a", "b", "*"],
    "id": ["1", "2"],
}


@given(st.data())
def test_a_release_is_accepted_exactly_if_its_rows_can_stand_for_some_of_the_original_in_order(
    data: st.DataObject,
) -> None:
    """By brute force over every way to match the rows; cells as the check of single cells has it."""
    originals = {"age": ["5", "30", "39"], "town": ["oslo", "turku", "rome"], "job": ["a", "b"], "id": ["1", "2"]}
    row = st.tuples(*map(st.sampled_from, originals.values()))
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    told = []
    for source in data.draw(st.permutations(rows) if data.draw(st.booleans()) else st.just(rows)):
        if data.draw(st.integers(0, 3)):
            cells = [
                data.draw(st.sampled_from([value, value, *_CELLS[name]]))
                for name, value in zip(originals, source, strict=True)
            ]
            told.append(tuple(cells))
    policy = d.Policy(
        protect=[d.KAnonymity(k=1, over=["age", "town", "job"])],
        columns={"age": _AGE, "town": _TOWN, "id": d.Column(role="other")},
        suppress=REMOVE,
    )
    names = list(originals)
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    release = pl.DataFrame(told, schema=dict.fromkeys(names, pl.String), orient="row")

    def covers(mine: int, theirs: int) -> bool:
        for place, name in enumerate(names):
            pair = [(rows[theirs][place], told[mine][place])]
            column = policy.column(name) if name != "id" else None
            marker = "*" if name != "id" else "no marker"
            if untrue(pair, column, marker, []) == [True]:
                return False
        return True

    expected = stands_for_some(len(told), len(rows), covers)
    found = d.verify(release, policy, original=frame).truthful
    assert (found.answer is d.Answer.HOLDS) == expected
    assert all(value not in problem for problem in found.problems for value in ("oslo", "turku", "[30"))


@given(st.data())
def test_the_first_row_that_fits_is_as_good_as_any(data: st.DataObject) -> None:
    """On any relation of rows: the compiled match gives up exactly where every way to match fails."""
    released, original = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 8))
    table = data.draw(
        st.lists(st.lists(st.booleans(), min_size=original, max_size=original), min_size=released, max_size=released)
    )
    ranges = [[(at, at + 1) for at in range(original) if line[at]] for line in table]
    places = matched([ColumnBeside(np.arange(released), np.arange(original), ranges)], released)
    for row, at in enumerate(places.tolist()):
        assert table[row][at]
    assert (np.diff(places) > 0).all()
    found = stands_for_some(released, original, lambda row, at: table[row][at])
    assert (len(places) == released) == found
    assert not stands_for_some(min(len(places) + 1, released), original, lambda r, a: table[r][a]) or found


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda frame: frame[::-1], "fits no row of the original"),
        (lambda frame: pl.concat([frame, frame]), "the release has 40 rows, expected 19 to 21"),
        (lambda frame: frame[:18], "the release has 18 rows, expected 19 to 21"),
        (lambda frame: frame.with_columns(id=pl.Series(["0", *frame["id"][1:]])), "row 1 of the release fits no row"),
        (lambda frame: frame.with_columns(age=pl.lit("34")), "row 11 of the release fits no row"),
        (lambda frame: frame.drop("id"), "column 'id' is not in the release"),
        (lambda frame: frame.select(pl.lit("x").alias("other")), "column 'age' is not in the release"),
    ],
)
def test_spoiled_releases_are_refused(spoil: Any, message: str) -> None:
    table = pl.DataFrame({"age": AGES, "id": [str(number) for number in range(1, 22)]})
    policy = ages_policy(suppress=d.Suppress(limit="10%", rows="remove"), columns={"age": d.Column(type="number")})
    release: Any = d.protect(table, policy).table
    assert d.verify(release, policy, original=table).holds
    found = d.verify(spoil(release), policy, original=table)
    assert not found.holds
    assert any(message in problem for problem in found.truthful.problems), found.truthful.problems


def test_masking_allows_no_row_to_be_missing() -> None:
    table = pl.DataFrame({"age": ["1"] * 6})
    policy = ages_policy(suppress=d.Suppress())
    found = d.verify(table[1:], policy, original=table)
    assert found.truthful.problems == ("the release has 5 rows, expected 6",)


@pytest.mark.parametrize("published", [True, False])
def test_medians_of_rows_side_by_side(published: bool, tmp_path: Path) -> None:
    table = pl.DataFrame({"age": ["1", "2", "3", "2", "50", "51", "52", "52", "99"] * 3, "pay": list("abcdefghi") * 3})
    policy = d.Policy(
        protect=[d.KAnonymity(k=4, over=["age", "pay"])],
        columns={"age": d.Column(type="number", form="median"), "pay": d.Column(taxonomy={"*": list("abcdefghi")})},
        suppress=REMOVE,
    )
    release = d.protect(table, policy)
    if published:
        release.write(tmp_path / "r.csv")
        assert d.verify(tmp_path / "r.csv", policy, original=table).holds
    assert d.verify(release.table, policy, original=table).holds


@pytest.mark.slow
def test_a_million_rows_are_put_side_by_side_quickly() -> None:
    """No loop of Python over rows: a few seconds of one core, where such a loop would take a minute."""

    rng = np.random.default_rng(3)
    rows = 1_000_000
    table = pl.DataFrame(
        {
            "age": pl.Series(rng.integers(0, 90, rows)).cast(pl.String),
            "note": pl.Series(rng.integers(0, rows, rows)).cast(pl.String),
        }
    )
    told = table.with_columns(
        pl.when(pl.col("age").cast(pl.Int64) < 40).then(pl.lit("<40")).otherwise(pl.lit(">=40")).alias("age")
    ).filter(pl.Series(rng.random(rows) < 0.9))
    policy = ages_policy(columns={"age": d.Column(type="number"), "note": d.Column(role="other")})
    assert d.verify(told, policy, original=table).holds


# Policy and command line


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"rows": "drop"}, "suppress.rows: write one of 'mask' or 'remove'"),
        ({"row": "remove"}, "unknown field 'row'; did you mean 'rows'?"),
        ({"rows": None}, "suppress.rows: write one of 'mask' or 'remove'"),
    ],
)
def test_mistakes(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Policy.from_dict({"protect": [{"k": 3, "over": ["age"]}], "suppress": said})
    assert message in str(error.value)


def test_top_down_disclosure_removes_nobody() -> None:
    with pytest.raises(d.PolicyError, match="suppress: is an option of 'search: coordinate'"):
        ages_policy(search="disclosure")


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame({"age": [*AGES[:5], "99", *AGES[5:20]], "secret": [f"s{number}" for number in range(21)]})
    table.write_csv("t.csv")
    Path("p.yaml").write_text(
        "protect: [{k: 3, over: [age]}]\ncolumns: {age: {type: number}, secret: {role: other}}\n"
        "suppress: {rows: remove, limit: 5%}\n"
    )
    said = run("protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--plan", "plan.json")
    assert "t.csv -> r.csv: 20 rows, verified" in said
    assert "Rows removed: 1 of 21 (~4.76%)\n" in said
    assert "who was removed: whoever has the original can tell" in said
    assert json.loads(Path("plan.json").read_text())["suppressed"] == [6]
    assert "every promise holds" in run("verify", "r.csv", "-p", "p.yaml", "--original", "t.csv")
    lines = Path("r.csv").read_text().splitlines()
    Path("r.csv").write_text("\n".join([*lines[:-1], lines[-1].replace("s20", "s19")]) + "\n")
    wrong = run("verify", "r.csv", "-p", "p.yaml", "--original", "t.csv", code=1)
    assert "broken: row 20 of the release fits no row of the original" in wrong
    assert "s19" not in wrong
    assert "s20" not in wrong
    document = json.loads(run("protect", "t.csv", "-p", "p.yaml", "-o", "again.csv", "--json"))
    assert document["audit"]["removed_rows"] == 1
    assert document["audit"]["suppressed_rows"] == document["audit"]["drawn_rows"] == 0
    pl.DataFrame({"age": ["34"] * 5 + ["99"] * 2, "secret": list("abcdefg")}).write_csv("new.csv")
    said = run("apply", "plan.json", "new.csv", "-o", "new_release.csv", code=1)
    assert "2 of 7 rows would have to be suppressed, more than 5%" in said
    assert not Path("new_release.csv").exists()


def test_check_does_not_call_impossible_what_removing_makes_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": ["30", "31"] * 6, "class": ["1"] * 10 + ["2"] * 2}).write_csv("t.csv")
    text = "use: {classify: class}\nprotect: [{k: 3, over: [age, class]}]\n"
    Path("mask.yaml").write_text(text)
    Path("remove.yaml").write_text(text + "suppress: {rows: remove}\n")
    Path("many.yaml").write_text("protect: [{k: 13, over: [age]}]\nsuppress: {rows: remove}\n")
    assert "cannot be kept" in run("check", "mask.yaml", "--table", "t.csv", code=1)
    assert "not kept by the table as it is" in run("check", "remove.yaml", "--table", "t.csv")
    assert "the smallest group has 12 rows" in run("check", "many.yaml", "--table", "t.csv", code=1)


def test_the_report_says_how_many_rows_were_drawn_by_lot() -> None:
    """With a seed and without: a count, not which."""
    table = pl.DataFrame({"age": AGES})
    for seed in (None, 1):
        audit = d.protect(table, ages_policy(suppress=d.Suppress()), seed=seed).audit
        assert audit.drawn == audit.to_dict()["drawn_rows"] == 2
        assert len(audit.warnings) == (seed is not None)


def test_the_lot_for_a_template_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many rows rich in the property need many others: they are drawn in a few rounds, not one by one."""
    table = pl.DataFrame({"job": ["a"] * 400 + ["b"] * 4000, "ill": ["y"] * 400 + ["n"] * 4000})
    policy = d.Policy(
        protect=[d.Template(given=["job"], infer={"ill": "y"}, at_most="1/10")], search="coordinate", suppress={}
    )
    task = prepare(table, policy).task
    from discreet.planning import suppression
    from discreet.planning.suppression import lot, rows_to_suppress
    from discreet.table.source import open_table

    calls = []

    def counting(*words: Any) -> Any:
        calls.append(1)
        return lot(*words)

    monkeypatch.setattr(suppression, "lot", counting)
    source = open_table(table, policy)
    found = rows_to_suppress(source, task.bound, os.urandom)
    assert found.masks is not None
    assert (found.drawn, len(source.numbers_of(found.masks, source))) == (3600, 4000)
    assert len(calls) == 1


@pytest.mark.slow
def test_a_refusal_tells_the_figures_of_the_first_try() -> None:
    """Nobody of the drawn rows is left by chance; that no cut removes none is beside the point."""
    table = pl.DataFrame({"job": ["a"] * 5 + [f"x{number}" for number in range(95)]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=5, over=["job"]), d.Template(given=["job"], infer={"ill": "y"}, at_most="0")],
        release={"sample": "2%", "k_on": "population"},
        suppress=REMOVE,
    )
    ill = table.with_columns(pl.Series("ill", ["n"] * 5 + ["y"] * 95))
    refused = []
    for seed in range(8):
        try:
            d.protect(ill, policy, seed=seed)
        except d.TooManySuppressed as error:
            refused.append(str(error))
    assert refused
    assert all("all 2 rows would have to be removed, so nothing is left to release" in text for text in refused)
