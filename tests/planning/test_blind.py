"""Blind protection: what is released depends on nothing that an adversary cannot reckon himself."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.plan.blind_statement import BlindStatement, StatedColumn, StatedRows, statement_path
from discreet.planning.blind_texts import tell_texts
from discreet.verification.blind_references import StatedSecret
from tests.blind_tables import policy, table, with_cells

ROWS = (3, 11, 40, 77, 123, 200)


def protected(frame: pl.DataFrame, asked: d.Policy) -> d.Release:
    release = d.protect(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    return release


def text_of(release: d.Release) -> str:
    assert isinstance(release.table, pl.DataFrame)
    return release.table.write_csv()


@pytest.mark.slow
@pytest.mark.parametrize("blocks", ["starred", "none"])
def test_other_secrets_give_the_same_release(blocks: str) -> None:
    frame, draw = table(), random.Random(2)
    asked = policy(blocks=blocks)
    release = protected(frame, asked)
    for _ in range(3):
        other = with_cells(frame, "ill", {row: draw.choice(["flu", "cold", "none", "never seen"]) for row in ROWS})
        again = protected(other, asked)
        assert text_of(again) == text_of(release)
        assert again.statement is not None
        assert release.statement is not None
        assert again.statement.to_json() == release.statement.to_json()


def told(frame: pl.DataFrame, rows: tuple[int, ...] = ROWS, **more: Any) -> Any:
    item = {"column": "ill", "rows": [row - 1 for row in rows], "at_most": Fraction(1, 2), "margin": Fraction(1, 20)}
    return tell_texts(frame.columns, frame.rows(), [item], **more)


def test_what_was_never_asked_and_what_is_starred_within_its_block_may_be_anything() -> None:
    frame, draw = table(), random.Random(3)
    asked = policy()
    release = protected(frame, asked)
    found = told(frame)
    changed, starred = frame, 0
    for row, facts in found.told.items():
        for name in frame.columns[1:]:
            domain = [text for text in found.domains[name] if isinstance(text, str)]
            fact = facts.get(name)
            if isinstance(fact, int):
                continue
            inside = domain if fact is None else [found.domains[name][at] for at in fact]
            texts = [text if isinstance(text, str) else "never seen" for text in inside]
            starred += fact is not None
            changed = with_cells(changed, name, {row + 1: draw.choice(texts)})
    assert starred
    assert not changed.equals(frame)
    assert text_of(protected(changed, asked)) == text_of(release)


def test_the_release_can_be_replayed_from_itself() -> None:
    asked = policy()
    release = protected(table(), asked)
    assert isinstance(release.table, pl.DataFrame)
    assert d.verify(release.table, asked, statement=release.statement).holds
    hidden = [row for row in ROWS if release.table["job"][row - 1] == "*"]
    assert hidden, "the job tells the illness, and is hidden somewhere"


def counted_anew(release: d.Release, told_of: Any, at_most: Fraction) -> None:
    """Reckon both references from what is told, by code of this test, and compare with the limits."""
    frame = release.table
    assert isinstance(frame, pl.DataFrame)
    secret = {row - 1 for row in ROWS}
    rest = [dict(zip(frame.columns, row, strict=True)) for at, row in enumerate(frame.rows()) if at not in secret]
    values = sorted({row["ill"] for row in rest})
    for facts in told_of.told.values():
        for stars in (True, False):
            known = {
                name: [told_of.domains[name][at] for at in ([fact] if isinstance(fact, int) else fact)]
                for name, fact in facts.items()
                if stars or isinstance(fact, int)
            }
            if not known:
                continue
            agree = [row for row in rest if all(row[name] in texts for name, texts in known.items())]
            step = told_of.tau["ill"][len(known) - 1] / 20
            odds = []
            for value in values:
                those = [row for row in rest if row["ill"] == value]
                odd = len(those) / len(rest)
                for name, texts in known.items():
                    inside = sum(row[name] in texts for row in those)
                    odd *= ((inside + len(texts)) / (len(those) + len(told_of.domains[name]))) ** step
                odds.append(odd)
            for value, odd in zip(values, odds, strict=True):
                share = Fraction(sum(row["ill"] == value for row in rest), len(rest))
                limit = max(at_most, share + min(Fraction(1, 20), (1 - share) / 2))
                assert odd / sum(odds) <= limit + Fraction(1, 10**9)
                counted = (sum(row["ill"] == value for row in agree) + 10 * share) / (len(agree) + 10)
                assert counted <= limit


def test_no_reference_is_surer_than_the_limit() -> None:
    frame = table()
    counted_anew(protected(frame, policy()), told(frame), Fraction(1, 2))


def test_a_rare_value_is_protected_where_another_has_nearly_all() -> None:
    draw = random.Random(4)
    rows = [["ill", "odd"] if draw.random() < 0.04 else ["well", draw.choice("ab")] for _ in range(400)]
    rows[5] = ["ill", "odd"]
    frame = pl.DataFrame(rows, schema=["state", "sign"], orient="row")
    asked = d.Policy.from_dict({"protect": [{"column": "state", "rows": [6, 7], "at_most": "50%"}]})
    release = d.protect(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert release.table["sign"][5] == "*"


def test_a_telling_number_is_read_in_classes() -> None:
    draw = random.Random(5)
    rows = [
        [ill, str((500 if ill == "yes" else 0) + draw.randrange(400))] for ill in draw.choices(["yes", "no"], k=300)
    ]
    frame = pl.DataFrame(rows, schema=["ill", "dose"], orient="row")
    asked = d.Policy.from_dict({"protect": [{"column": "ill", "rows": list(range(1, 21)), "method": "blind"}]})
    release = d.protect(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert release.statement is not None
    assert set(release.table["dose"][:20]) == {"*"}
    assert release.statement.columns["dose"].type == "number"
    assert d.verify(release.table, asked, frame, statement=release.statement).holds


def test_k_beside_blind_is_planned_on_the_other_rows_alone() -> None:
    frame = table()
    asked = policy({"k": 4, "over": ["job", "floor"]})
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert {text for row in ROWS for text in (release.table["job"][row - 1], release.table["floor"][row - 1])} == {"*"}
    changed = with_cells(frame, "job", dict.fromkeys(ROWS, "a job that nobody else has"))
    again = protected(changed, asked)
    assert text_of(again) == text_of(release)
    few = policy({"k": 4, "over": ["job", "floor"]}, rows=(3, 11))
    if all(text != "*" for text in release.table["job"].to_list()[20:]):
        with pytest.raises(d.BrokenPromise):
            d.protect(frame, few)


def test_several_secrets_of_a_row_are_all_hidden_and_bounded() -> None:
    frame = table()
    asked = policy({"column": "job", "rows": [11, 12], "at_most": "60%", "margin": "10%"})
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert release.table["ill"][10] == release.table["job"][10] == release.table["job"][11] == "*"
    assert d.verify(release.table, asked, frame, statement=release.statement).holds


def test_known_columns_are_told_or_the_row_fails() -> None:
    frame = table()
    release = protected(frame, policy(known=["sex"], order=["floor", "town"]))
    assert isinstance(release.table, pl.DataFrame)
    assert all(release.table["sex"][row - 1] == frame["sex"][row - 1] for row in ROWS)
    with pytest.raises(d.UnprotectedCells, match="what is known of it"):
        d.protect(frame, policy(known=["job"]))
    fewer = protected(frame, policy(known=["job"], on_failure="remove"))
    assert isinstance(fewer.table, pl.DataFrame)
    assert 234 <= fewer.table.height < 240
    assert d.verify(fewer.table, policy(known=["job"], on_failure="remove"), statement=fewer.statement).holds


@pytest.mark.slow
def test_the_statement_stands_beside_the_release_and_is_enough_to_verify(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    out, asked = tmp_path / "out.csv", policy()
    for engine in ("local", "duckdb"):
        d.protect(tmp_path / "t.csv", asked, engine=engine).write(out, force=True)
        said = json.loads(statement_path(out).read_text())
        assert said["rows"][0]["rows"] == list(ROWS)
        assert d.verify(out, asked).holds
        assert d.verify(out, asked, tmp_path / "t.csv").holds
    d.protect(tmp_path / "t.csv", d.Policy.from_dict({"protect": [{"k": 2, "over": ["job"]}]})).write(out, force=True)
    assert not statement_path(out).exists()
    with pytest.raises(d.InputError, match="method statement must stand beside"):
        d.protect(tmp_path / "t.csv", asked).write("-")


def test_who_tells_more_than_the_rules_or_hides_more_is_found_out() -> None:
    frame, asked = table(), policy()
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    row = next(row for row in ROWS if release.table["job"][row - 1] == "*")
    more = with_cells(release.table, "job", {row: frame["job"][row - 1]})
    assert not d.verify(more, asked, statement=release.statement).holds
    shown = [(row, name) for row in ROWS for name in frame.columns[1:] if release.table[name][row - 1] != "*"]
    row, name = shown[0]
    less = with_cells(release.table, name, {row: "*"})
    found = d.verify(less, asked, statement=release.statement)
    assert not found.holds or told(less).told[row - 1] != told(frame).told[row - 1]
    secret = with_cells(release.table, "ill", {ROWS[0]: frame["ill"][ROWS[0] - 1]})
    assert not d.verify(secret, asked, statement=release.statement).holds
    assert not d.verify(release.table, asked).holds  # without a statement nobody can say


@pytest.mark.parametrize("by", ["long floats", "decimals"])
def test_verification_says_the_same_by_short_and_long_floats_and_decimals(
    by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets: list[StatedSecret] = []
    begin = StatedSecret.__init__

    def kept(self: StatedSecret, *said: Any) -> None:
        begin(self, *said)
        secrets.append(self)

    monkeypatch.setattr(StatedSecret, "__init__", kept)
    protected(table(), policy(rehearse=False))
    secret = secrets[0]
    facts = [(j, frozenset([x])) for j, column in enumerate(secret.columns) for x in range(column.size)]
    logs = np.array([secret.logs(fact) for fact in facts])

    def found() -> list[list[Any]]:
        judged = [secret.bayes([fact], secret.logs(fact), facts, logs) for fact in facts]
        return [part.tolist() for each in judged for part in each]

    quick = found()
    monkeypatch.setattr(f"{StatedSecret.__module__}.SHORT_ERROR", 1e9)
    if by == "decimals":
        monkeypatch.setattr(f"{StatedSecret.__module__}.BAND", 1.0)
    assert found() == quick
    assert {fine for part in quick[::2] for fine in part} == {True, False}


def test_a_statement_that_leaves_a_row_out_is_found_out() -> None:
    frame, asked = table(), policy()
    fewer = protected(with_cells(frame, "ill", {3: "flu"}), policy(rows=ROWS[1:]))
    for original in (None, frame):
        assert not d.verify(fewer.table, asked, original, statement=fewer.statement).holds


def test_a_statement_that_keeps_more_rows_from_teaching_is_found_out() -> None:
    frame = table()
    more = protected(frame, policy(rows=(*ROWS, 5)))
    for original in (None, frame):
        found = d.verify(more.table, policy(), original, statement=more.statement).requirements[0]
        assert "rows" in str(found.reason)
        assert str(found.answer) == "broken"


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        (lambda said: {"tau": {"ill": (3,) * len(said.tau["ill"])}}, "trusts naive Bayes about 'ill' otherwise"),
        (lambda _: {"tau": {}}, "trusts naive Bayes about 'ill' otherwise"),
        (lambda said: {"rows": tuple(_without(each, "job") for each in said.rows)}, "leaves out 'job'"),
        (lambda said: {"columns": {"age": replace(said.columns["age"], cuts=())}}, "other classes of 'age'"),
        (lambda _: {"missing": ("flu",)}, "other values for missing"),
        (lambda _: {"columns": {}}, "reads the values of 'age' otherwise"),
        (lambda _: {"columns": {"age": StatedColumn("date")}}, "reads the values of 'age' otherwise"),
        (
            lambda said: {"columns": {**said.columns, "job": StatedColumn(parents={"cook": "x"})}},
            "reads the values of 'job'",
        ),
        (lambda _: {"order": ("sex",)}, "its order is another"),
        (lambda said: {"rows": tuple(replace(each, known=("sex",)) for each in said.rows)}, "takes 'sex' for known"),
    ],
)
def test_a_statement_that_makes_figures_look_harmless_is_found_out(
    lie: Callable[[BlindStatement], dict[str, Any]], why: str
) -> None:
    rng = random.Random(5)
    frame = table().with_columns(age=pl.Series([str(rng.randrange(20, 80)) for _ in range(len(table()))]))
    asked = policy()
    release = protected(frame, asked)
    assert release.statement is not None
    assert d.verify(release.table, asked, statement=release.statement).holds
    found = d.verify(release.table, asked, statement=replace(release.statement, **lie(release.statement)))
    assert not found.holds
    assert why in str(found.requirements[0].reason)


def _without(rows: StatedRows, name: str) -> StatedRows:
    return replace(rows, predictors=tuple(each for each in rows.predictors if each != name))


def test_nothing_else_may_be_changed() -> None:
    frame, asked = table(), policy()
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    other = with_cells(release.table, "sex", {1: "*"})
    found = d.verify(other, asked, frame, statement=release.statement)
    assert "hidden that is not" in str(found.requirements[0].reason)
    assert not found.holds


def test_rows_that_leave_in_another_order_are_found_again() -> None:
    frame = table()
    asked = d.Policy.from_dict({**policy().to_dict(), "shuffle": True})
    release = d.protect(frame, asked, seed=1)
    assert d.verify(release.table, asked, statement=release.statement).holds
    assert d.verify(release.table, asked, frame, statement=release.statement, order=release.plan.order).holds


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"guesses": 4}, "guesses"),
        ({"strict": True}, "strict"),
        ({"two_values": "lot"}, "two_values"),
        ({"knows": "released"}, "knows"),
        ({"change": "generalise"}, "change"),
        ({"may_hide": "c"}, "may_hide"),
        ({"decoys": "50%"}, "decoys"),
        ({"method": "dropp"}, "looks at the secret"),
        ({"against": [{"rules": {"min_confidence": "60%"}}]}, "sure by construction"),
        ({"against": ["id3"]}, "sure by construction"),
        ({"against": ["random_forest"]}, "only a part is told"),
        ({"against": [{"naive_bayes": {"laplace": 2}}]}, "has no options"),
        ({"references": []}, "at least one reference"),
        ({"known": ["ill"]}, "what is hidden"),
        ({"rows": None, "where": {"ill": "flu"}}, "where"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_reason(said: dict[str, Any], why: str) -> None:
    item = {name: value for name, value in {"column": "ill", "rows": [1], "at_most": "50%", **said}.items() if value}
    item |= {name: value for name, value in said.items() if value == []}
    with pytest.raises(d.PolicyError, match=why):
        d.Policy.from_dict({"protect": [item]})


@pytest.mark.parametrize(
    ("others", "more", "why"),
    [
        ([{"column": "job", "rows": [1]}], {}, "looks at secrets"),
        ([{"column": "job", "rows": [1], "at_most": "50%", "blocks": "none"}], {}, "blocks"),
        ([{"column": "job", "where": {"ill": "flu"}, "at_most": "50%"}], {}, "confidential"),
        ([{"k": 2, "over": ["job"]}], {"suppress": {"rows": "remove"}}, "rows: mask"),
        ([], {"release": {"sample": "50%"}}, "sample"),
        (
            [{"column": "ill", "where": {"job": "cook"}, "at_most": "50%"}],
            {"missing": {"values": ["?"], "rows": "drop"}},
            "to be left out tells that",
        ),
    ],
)
def test_other_parts_of_a_policy_that_do_not_go_together(others: list[Any], more: dict[str, Any], why: str) -> None:
    with pytest.raises(d.PolicyError, match=why):
        d.Policy.from_dict({"protect": [{"column": "ill", "rows": [1], "at_most": "50%"}, *others], **more})


def test_an_adversary_that_gives_probabilities_is_a_reference() -> None:
    asked = policy(references=["count"], against=["naive_bayes"])
    assert next(asked.cells())[1].references_used == ("count", "naive_bayes")
    release = protected(table(), asked)
    assert release.statement is not None
    assert release.statement.references == ("count", "naive_bayes")
    assert d.verify(release.table, asked, statement=release.statement).holds


@pytest.mark.parametrize("blocks", ["starred", "told", "none"])
@pytest.mark.parametrize("references", [["kernel"], ["naive_bayes", "count", "kernel"]])
def test_rows_that_nearly_agree_are_a_reference(references: list[str], blocks: str) -> None:
    frame, asked = table(), policy(references=references, blocks=blocks, rehearse=False)
    release = protected(frame, asked)
    assert d.verify(release.table, asked, frame, statement=release.statement).holds
    other = with_cells(frame, "ill", dict.fromkeys(ROWS, "never seen"))
    assert text_of(protected(other, asked)) == text_of(release)
    found = told(frame, references=references, blocks=blocks)
    rest = [row for at, row in enumerate(frame.rows(named=True)) if at + 1 not in ROWS]
    for facts in found.told.values():
        named = {
            name: {found.domains[name][at] for at in ([fact] if isinstance(fact, int) else fact)}
            for name, fact in facts.items()
        }
        weights = [Fraction(1, 4) ** sum(row[name] not in texts for name, texts in named.items()) for row in rest]
        for value in ("flu", "cold", "none"):
            share = Fraction(sum(row["ill"] == value for row in rest), len(rest))
            near = sum(weight for row, weight in zip(rest, weights, strict=True) if row["ill"] == value)
            assert (near + 10 * share) / (sum(weights) + 10) <= max(Fraction(1, 2), share + Fraction(1, 20))


def test_margin_without_at_most_is_refused() -> None:
    with pytest.raises(d.PolicyError, match="for blind protection"):
        d.Policy.from_dict({"protect": [{"column": "ill", "rows": [1], "margin": "5%"}]})


def test_too_few_other_rows_are_refused_and_old_methods_point_here() -> None:
    with pytest.raises(d.PolicyError, match="too few to learn from"):
        d.protect(table(rows=150), policy(rows=(3,)))
    item = {"column": "ill", "rows": [3], "predictors": ["sex"], "on_failure": "remove"}
    old = d.protect(table(), d.Policy.from_dict({"protect": [item]}))
    assert any("at_most" in warning for warning in old.audit.warnings)


def test_rows_that_do_not_know_the_secret_teach_nothing() -> None:
    frame = table()
    texts = [None if row % 4 == 0 else text for row, text in enumerate(frame["ill"].to_list())]
    asked = d.Policy.from_dict({**policy().to_dict(), "missing": {"values": ["?"], "rows": "value"}})
    with pytest.raises(d.PolicyError, match="only 1[0-9]+ rows without confidential cells know 'ill'"):
        d.protect(frame.with_columns(ill=pl.Series(texts)), asked)


def test_no_value_of_a_cell_is_in_a_message() -> None:
    frame = with_cells(table(), "ill", dict.fromkeys(ROWS, "c4n4ry"))
    frame = with_cells(frame, "job", dict.fromkeys(ROWS, "c4n4ry"))
    with pytest.raises(d.UnprotectedCells) as refused:
        d.protect(frame, policy(known=["town", "job"], at_most="20%", margin="0%"))
    assert "c4n4ry" not in str(refused.value)
    release = protected(frame, policy())
    assert release.statement is not None
    assert "c4n4ry" not in release.statement.to_json() + repr(release) + str(release.audit.warnings)
    assert "c4n4ry" not in d.verify(release.table, policy(), frame, statement=release.statement).to_json()


def test_numbers_dates_taxonomies_and_rows_chosen_by_a_column() -> None:
    draw = random.Random(6)
    frame = pl.DataFrame({
        "age": [draw.randrange(18, 90) for _ in range(260)],
        "pay": [draw.randrange(100) for _ in range(260)],
        "town": [draw.choice("aaaabbbbc") for _ in range(260)],
        "ill": [draw.choice(["x", "y"]) for _ in range(260)],
        "day": [f"2024-0{draw.randrange(1, 9)}-1{draw.randrange(10)}" for _ in range(260)],
    })  # fmt: skip
    said = {
        "columns": {
            "age": {"type": "number", "ends": [30, 60]},
            "town": {"taxonomy": {"all": {"ab": ["a", "b"], "c": None}}},
        },
        "protect": [{"column": "ill", "where": {"town": "c"}, "at_most": "50%"}],
    }
    asked = d.Policy.from_dict(said)
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert release.statement is not None
    columns = release.statement.columns
    assert (columns["pay"].type, columns["day"].type) == ("number", "date")
    assert columns["town"].parents == {"a": "ab", "b": "ab", "ab": "all", "c": "all"}
    assert "age" not in columns  # its intervals are what is told
    chosen = release.table.filter(pl.Series(frame["town"] == "c"))
    assert set(chosen["town"]) == {"c"}
    assert set(chosen["ill"]) == {"*"}
    assert set(release.table["age"]) <= {"<30", "[30-59]", ">=60", "*"}
    assert d.verify(release.table, asked, frame, statement=release.statement).holds


def test_nothing_is_told_where_promises_about_groups_know_every_other_column() -> None:
    release = protected(table().select("ill", "job"), policy({"k": 2, "over": ["job"]}))
    assert isinstance(release.table, pl.DataFrame)
    assert release.audit.verification.holds
    assert {release.table.row(row - 1) for row in ROWS} == {("*", "*")}


def test_a_cell_that_tells_nothing_may_have_a_value_that_nobody_else_has() -> None:
    """The town is hidden for k; a town of her own must not hide the age, which is told by intervals."""
    draw = random.Random(9)
    frame = table().drop("job", "sex", "floor")
    frame = frame.with_columns(age=pl.Series([str(draw.randrange(20, 70)) for _ in range(frame.height)]))
    said = policy({"k": 2, "over": ["town"]}).to_dict()
    asked = d.Policy.from_dict({**said, "columns": {"age": {"type": "number", "ends": [30, 50]}}})
    release = protected(frame, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert "*" not in set(release.table["age"])
    other = with_cells(frame, "town", {ROWS[0]: "a town of her own", ROWS[1]: "another"})
    assert text_of(protected(other, asked)) == text_of(release)


@pytest.mark.parametrize("chosen", [{"rows": [1]}, {"ids": {"column": "job", "values": ["only one"]}}])
def test_who_is_named_is_not_dropped_for_a_secret_that_is_missing(chosen: dict[str, Any]) -> None:
    frame = with_cells(with_cells(table(), "job", {1: "only one"}), "ill", {1: "?"})
    item = {"column": "ill", "at_most": "50%", **chosen}
    with pytest.raises(d.PolicyError, match="no row 1 |nobody has"):
        d.protect(frame, {"missing": {"values": ["?"], "rows": "drop"}, "protect": [item]})


def test_what_the_policy_takes_for_known_was_told_from_the_start() -> None:
    """Who knows the job besides is surer than the limit: `protect` refuses it, and no other release keeps it."""
    frame = table()
    release = protected(frame, policy())
    asking: list[tuple[str, dict[str, Any]]] = [("job", {"known": ["job"]}), ("sex", {"must_publish": ["sex"]})]
    for known, item in asking:
        found = d.verify(release.table, policy(**item), statement=release.statement)
        assert not found.holds
        assert f"does not take {known!r} for known" in str(found.requirements[0].reason)
    two = {"column": "ill", "rows": [3], "at_most": "50%", "known": ["sex"]}
    asked = policy(two, rows=(11, 40))
    assert protected(frame, asked).audit.verification.holds


@pytest.mark.slow
def test_a_column_of_very_many_values_is_protected_and_verified() -> None:
    frame = table(rows=1_200)
    frame = frame.with_columns(desk=pl.Series([f"desk {row % 1_000}" for row in range(len(frame))]))
    asked = policy(rehearse=False)
    release = protected(frame, asked)
    assert d.verify(release.table, asked, statement=release.statement).holds
