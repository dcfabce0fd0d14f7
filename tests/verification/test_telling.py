"""Hidden cells that tell their value by being hidden: refused, warned of, or hidden among decoys; and attacked."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.attack.base import Attack
from discreet.chance import chance_from
from discreet.cli.app import app
from discreet.method.cells.decoys import draw

ILL = ["flu", "cold", "hiv", "flu", "ulcer"]
ROWS = 300
TABLE = pl.DataFrame(
    {
        "age": [str(20 + i % 7) for i in range(ROWS)],
        "sex": ["mf"[i % 2] for i in range(ROWS)],
        "ill": [ILL[i * 7 % 5] for i in range(ROWS)],
    }
)
HIV = [i + 1 for i, text in enumerate(TABLE["ill"]) if text == "hiv"]
TREE = {"*": {"lungs": ["flu", "cold"], "others": ["hiv", "ulcer"]}}
RULES = [{"rules": {"min_confidence": "50%"}}]


def ask(**said: Any) -> d.Confidential:
    return d.Confidential(**{"column": "ill", "predictors": ["age", "sex"], **said})


def policy(*asked: d.Confidential | d.Template | d.KAnonymity, **more: Any) -> d.Policy:
    return d.Policy(protect=list(asked), **more)


def hiding(rows: list[int], text: str = "*") -> pl.DataFrame:
    """The table with the cells of some rows hidden, and nothing else."""
    place = pl.int_range(1, TABLE.height + 1)
    return TABLE.with_columns(ill=pl.when(place.is_in(rows)).then(pl.lit(text)).otherwise("ill"))


def hidden_values(released: pl.DataFrame, text: str = "*") -> Counter[str]:
    return Counter(true for true, told in zip(TABLE["ill"], released["ill"], strict=True) if told == text)


def assert_tells_nothing(message: str) -> None:
    assert not any(value in message for value in {*ILL, "20", "26"})


# ---- chosen by their own value


def test_cells_chosen_by_their_own_value_are_refused(tmp_path: Path) -> None:
    for against in ([], ["id3"], RULES, ["decision_tree"]):
        with pytest.raises(d.TellingCells, match=r"protect\[0\]\.where: names 'ill'") as error:
            d.protect(TABLE, policy(ask(where={"ill": "hiv"}, against=against)))
        assert_tells_nothing(str(error.value))
        assert "tells: warn" in str(error.value)
        assert error.value.exit_code == 1
        assert error.value.details() == {"telling": [{"index": 0, "why": str(error.value)}]}
    path, table = tmp_path / "p.yaml", tmp_path / "t.csv"
    TABLE.write_csv(table)
    path.write_text("protect:\n  - {column: ill, where: {ill: hiv}, predictors: [age, sex]}\n")
    for arguments in ([], ["--table", str(table)]):
        told = CliRunner().invoke(app, ["check", str(path), *arguments])
        assert told.exit_code == 1
        assert "p.yaml:2: protect[0].where: names 'ill'" in told.output
        assert "hiv" not in told.output


def test_what_protect_refuses_does_not_hold() -> None:
    released = hiding(HIV)
    found = d.verify(released, policy(ask(where={"ill": "hiv"})), TABLE)
    assert not found.holds
    assert found.requirements[0].answer == "broken"
    assert "names 'ill'" in (found.requirements[0].reason or "")
    assert d.verify(released, policy(ask(where={"ill": "hiv"}))).requirements[0].answer == "not checkable"
    gone = TABLE.filter(pl.col("ill") != "hiv")
    assert not d.verify(gone, policy(ask(where={"ill": "hiv"}, method="nrd")), TABLE).holds


def test_it_may_pass_with_a_warning() -> None:
    release = d.protect(TABLE, policy(ask(where={"ill": "hiv"}, tells="warn")))
    own, all_have_it = release.audit.promises[0].cells.warnings  # type: ignore[union-attr]
    assert "chosen by their own value" in own
    assert all_have_it.startswith("all 60 hidden cells of 'ill' have one value that no released row has any more")
    assert release.audit.verification.holds


# ---- all hidden cells have one value that nobody else has


def test_hidden_cells_with_a_value_that_nobody_else_has_are_refused() -> None:
    asked = policy(ask(rows=HIV))
    with pytest.raises(d.TellingCells, match=r"protect\[0\]: all 60 hidden cells of 'ill' have one value") as error:
        d.protect(TABLE, asked)
    assert_tells_nothing(str(error.value))
    found = d.verify(hiding(HIV), asked, TABLE)
    assert found.requirements[0].answer == "broken"
    assert_tells_nothing(found.requirements[0].reason or "")
    passed = d.protect(TABLE, policy(ask(rows=HIV, tells="warn")))
    assert d.verify(passed.table, passed.plan.policy, TABLE).holds
    assert "to be hidden is to have it" in str(passed.audit.promises[0].cells)


def test_all_items_of_a_column_are_looked_at_together() -> None:
    """Each hides half of the cells: neither tells anything by itself."""
    halves = [ask(rows=HIV[:30]), ask(rows=HIV[30:], against=["id3"])]
    with pytest.raises(d.TellingCells) as error:
        d.protect(TABLE, policy(*halves))
    assert [index for index, _ in error.value.cells] == [0, 1]
    found = d.verify(hiding(HIV), policy(*halves), TABLE)
    assert [finding.answer for finding in found.requirements] == ["broken", "broken"]
    others = policy(*halves, ask(rows=[1, 3], method="decp"))  # other values are hidden for their own sake
    assert d.verify(d.protect(TABLE, others).table, others, TABLE).holds


def test_check_says_so_beforehand(tmp_path: Path) -> None:
    path, table = tmp_path / "p.json", tmp_path / "t.csv"
    TABLE.write_csv(table)
    asked = policy(ask(rows=HIV))
    path.write_text(json.dumps(asked.to_dict()))
    told = CliRunner().invoke(app, ["check", str(path), "--table", str(table)])
    assert told.exit_code == 1
    assert "cannot be kept: all 60 hidden cells of 'ill'" in told.output
    path.write_text(json.dumps(policy(ask(rows=HIV, tells="warn")).to_dict()))
    told = CliRunner().invoke(app, ["check", str(path), "--table", str(table)])
    assert told.exit_code == 0
    assert "Warning: protect[0]: all 60 hidden cells of 'ill'" in told.output


def test_a_single_cell_whose_value_nobody_else_has_is_a_warning() -> None:
    table = TABLE.with_columns(ill=pl.when(pl.int_range(ROWS) == 1).then(pl.lit("plague")).otherwise("ill"))
    release = d.protect(table, policy(ask(rows=[2])))
    (warning,) = release.audit.promises[0].cells.warnings  # type: ignore[union-attr]
    assert warning.startswith("the hidden cell of 'ill' has a value that no released row has any more")
    assert "plague" not in warning


def test_hidden_cells_that_tell_more_than_is_known_of_anybody_are_a_warning() -> None:
    release = d.protect(TABLE, policy(ask(rows=HIV[:30])))
    found = release.audit.promises[0].cells
    assert found is not None
    assert found.telling is not None
    assert (found.telling.cells, found.telling.alike, found.telling.vanished) == (30, 30, False)
    (warning,) = found.warnings
    assert warning.startswith("of 30 hidden cells of 'ill' 30 have the same value, which tells more")
    assert "120 of all 300" in warning
    assert_tells_nothing(warning.replace("120", "").replace("300", ""))


def test_people_who_ask_for_it_are_no_news() -> None:
    release = d.protect(TABLE, policy(ask(rows=[2, 3, 4, 7, 8, 9], method="decp")))
    found = release.audit.promises[0].cells
    assert found is not None
    assert found.warnings == ()


def test_cells_that_never_told_a_value_look_the_same() -> None:
    """A source whose missing values are written like hidden ones: the marker does not mean the value."""
    blank = TABLE.with_columns(ill=pl.when(pl.int_range(ROWS) < 1).then(pl.lit("*")).otherwise("ill"))
    asked = policy(ask(rows=HIV), missing={"values": ["*"], "rows": "unknown"})
    release = d.protect(blank, asked)
    assert d.verify(release.table, asked, blank).holds


def test_rows_that_may_be_others_are_not_checkable() -> None:
    """Rows are missing, and it is not certain which: so is what is hidden."""
    table = pl.DataFrame({"a": ["x", "x", "y", "z", "z"], "ill": ["hiv", "hiv", "cold", "flu", "gout"]})
    asked = policy(d.Confidential(column="ill", rows=[1, 2], predictors=["a"], on_failure="remove"))
    released = pl.DataFrame({"a": ["x", "y", "z", "z"], "ill": ["*", "cold", "flu", "gout"]})
    assert d.verify(released, asked, table).requirements[0].answer == "not checkable"


# ---- a group of the taxonomy in the place of the value


def test_a_group_may_tell_the_value_as_well() -> None:
    columns = {"ill": {"taxonomy": TREE}}
    kept: dict[str, Any] = {"rows": HIV, "change": "generalise", "must_publish": ["age", "sex"]}
    asked = ask(**kept)
    with pytest.raises(d.TellingCells, match="all 60 hidden cells"):
        d.protect(TABLE, policy(asked, columns=columns))
    decoys = policy(ask(**kept, decoys="40%"), columns=columns)
    release = d.protect(TABLE, decoys, seed=3)
    told: Counter[str] = Counter(release.table["ill"])  # type: ignore[index]
    at = next(text for text in ("others", "*") if told[text])
    there = hidden_values(release.table, at)  # type: ignore[arg-type]
    assert there["hiv"] == 60
    assert there["hiv"] <= 0.6 * there.total()
    assert d.verify(release.table, decoys, TABLE).holds


# ---- decoys


@pytest.mark.parametrize(
    "said",
    [
        {"method": "dropp"},
        {"method": "e-dropp"},
        {"method": "decp"},
        {"method": "e-decp"},
        {"method": "incp"},
        {"against": ["id3"]},
        {"against": ["naive_bayes", "id3"], "method": "decp"},
        {"against": ["decision_tree"], "method": "greedy"},
        {"against": RULES},
        {"against": RULES, "method": "smc"},
    ],
    ids=str,
)
@pytest.mark.parametrize("which", [{"where": {"ill": "hiv"}}, {"rows": HIV[:12]}], ids=["by value", "by rows"])
def test_decoys_stand_beside_the_cells_of_every_method(said: dict[str, Any], which: dict[str, Any]) -> None:
    asked = policy(ask(**which, **said, decoys="60%"))
    release = d.protect(TABLE, asked, seed=5)
    hidden = hidden_values(release.table)  # type: ignore[arg-type]
    assert hidden["hiv"] >= 12
    assert 10 * hidden["hiv"] <= 4 * hidden.total()
    assert release.plan.decoys
    assert {TABLE["ill"][cell.row - 1] for cell in release.plan.decoys}.isdisjoint({"hiv"})
    edited = {(edit.row, edit.column) for edit in release.plan.edits}
    assert {(cell.row, cell.column) for cell in release.plan.decoys} <= edited
    assert {cell.row for cell in release.plan.cells}.isdisjoint({cell.row for cell in release.plan.decoys})
    assert d.Plan.from_json(release.plan.to_json()) == release.plan
    assert d.verify(release.table, asked, TABLE).holds
    found = release.audit.promises[0].cells
    assert found is not None
    assert found.telling is not None
    assert found.telling.to_dict() == {
        "cells": hidden.total(), "alike": hidden["hiv"], "vanished": False, "common": 120, "known": 300
    }  # fmt: skip


def test_decoys_are_protected_like_the_cells_they_stand_beside() -> None:
    """Whoever trains the adversary finds another value as probable for each hidden cell, be it asked for or a decoy."""
    asked = policy(ask(rows=HIV[:10], decoys="50%"))
    release = d.protect(TABLE, asked, seed=2)
    every = policy(ask(rows=sorted({*HIV[:10], *(cell.row for cell in release.plan.decoys)})))
    found = d.verify(release.table, every, TABLE).requirements[0].cells
    assert found is not None
    assert len(found.cells) == 20
    assert not found.failing


def test_chance_draws_them() -> None:
    asked = policy(ask(rows=HIV[:10], decoys="50%", method="decp"))
    rows = [{cell.row for cell in d.protect(TABLE, asked, seed=seed).plan.decoys} for seed in (1, 1, 2)]
    assert rows[0] == rows[1] != rows[2]
    assert len({frozenset(cell.row for cell in d.protect(TABLE, asked).plan.decoys) for _ in range(2)}) == 2


def test_values_that_cells_are_chosen_by_count_together() -> None:
    """To have one of two values is known of them all, though each has only half of the cells."""
    asked = policy(ask(where={"ill": ["hiv", "ulcer"]}, decoys="20%"))
    hidden = hidden_values(d.protect(TABLE, asked, seed=1).table)  # type: ignore[arg-type]
    assert 10 * (hidden["hiv"] + hidden["ulcer"]) <= 8 * hidden.total()
    rows = [i + 1 for i, text in enumerate(TABLE["ill"]) if text in ("hiv", "ulcer")]
    assert d.verify(hiding(rows), asked, TABLE).requirements[0].answer == "broken"


@pytest.mark.slow
def test_decoys_of_rules_must_be_enough_where_cells_are_chosen_by_their_value() -> None:
    asked = ask(where={"ill": "hiv"}, against=RULES, decoys=True)
    hidden = hidden_values(d.protect(TABLE, policy(asked)).table)  # type: ignore[arg-type]
    assert 2 * hidden["hiv"] <= hidden.total()
    only = [{"column": "ill", "rows": [i + 1 for i, text in enumerate(TABLE["ill"]) if text != "hiv"]}]
    bound = ask(where={"ill": "hiv"}, against=RULES, decoys=True, must_publish=only)
    with pytest.raises(d.TellingCells, match="of 60 hidden cells of 'ill' 60 have a confidential value, more than the"):
        d.protect(TABLE, policy(bound))


def test_too_few_other_cells_are_refused() -> None:
    with pytest.raises(d.TellingCells, match=r"protect\[0\]\.decoys: .* 891 more must be .* only 240 cells") as error:
        d.protect(TABLE, policy(ask(rows=HIV[:9], decoys="99%")))
    assert_tells_nothing(str(error.value))
    others = [i + 1 for i, text in enumerate(TABLE["ill"]) if text != "hiv"]
    kept = [{"column": "ill", "rows": others[5:]}]
    with pytest.raises(d.TellingCells, match="are only 5 cells"):
        d.protect(TABLE, policy(ask(rows=HIV[:9], decoys="50%", must_publish=kept)))


def test_decoys_that_cannot_be_protected_are_drawn_again() -> None:
    """Most of the others have the commonest value, which DROPP cannot make less probable."""
    many = TABLE.with_columns(ill=pl.when(pl.col("ill") == "cold").then(pl.lit("flu")).otherwise("ill"))
    asked = policy(ask(rows=HIV[:20], decoys="50%"))
    release = d.protect(many, asked, seed=1)
    assert len(release.plan.decoys) == 20
    assert {many["ill"][cell.row - 1] for cell in release.plan.decoys} == {"ulcer"}
    with pytest.raises(d.TellingCells, match="could not be protected|could be protected like"):
        d.protect(many.with_columns(ill=pl.col("ill").replace("ulcer", "flu")), policy(
            ask(rows=HIV[:20], decoys="50%", two_values="lot", strict=True, must_publish=["age", "sex"])
        ))  # fmt: skip


def test_a_release_with_too_few_decoys_does_not_hold() -> None:
    asked = policy(ask(rows=HIV[:10], decoys="50%"))
    others = [1, 3, 4, 5, 6, 8, 9, 10, 11]
    found = d.verify(hiding([*HIV[:10], *others]), asked, TABLE).requirements[0]
    assert found.answer == "broken"
    assert found.reason == (
        "of 19 hidden cells of 'ill' 10 have a confidential value, more than the 50% that decoys are to leave"
    )
    found = d.verify(hiding([*HIV[:10], *others, 13]), asked, TABLE).requirements[0]
    assert found.reason is None


def test_decoys_are_not_taken_from_a_column_that_others_need() -> None:
    needs = d.Template(given=["age"], infer={"ill": "hiv"}, at_most="90%")
    with pytest.raises(d.PolicyError, match=r"protect\[1\]\.decoys: 'ill' is the column of a template"):
        d.protect(TABLE, policy(needs, ask(rows=[2], decoys="50%")))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"decoys": "0%"}, "decoys: more than nobody"),
        ({"decoys": 1}, "decoys: more than nobody"),
        ({"decoys": "many"}, "decoys: write the share of other values"),
        ({"decoys": True}, "decoys: true is against rules"),
        ({"decoys": "50%", "method": "nrd"}, "decoys: nrd leaves rows out"),
        ({"tells": "maybe"}, "tells: write one of 'refuse' or 'warn'"),
    ],
)
def test_mistakes(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError, match=message):
        ask(rows=[1], **said)


def test_a_policy_with_decoys_is_written_and_read() -> None:
    asked = policy(ask(rows=[1], decoys="0.25", tells="warn"))
    said = asked.to_dict()["protect"][0]  # type: ignore[index]
    assert (said["decoys"], said["tells"]) == ("1/4", "warn")
    assert d.Policy.from_dict(asked.to_dict()) == asked
    assert "at least 25% of the hidden cells of ill have another value" in asked.protect[0].in_words()  # type: ignore[union-attr]


def test_rows_that_look_the_same_are_drawn_first() -> None:
    looks = [np.array([1, 1, 2, 2, 3, 3, 1, 2, 3], dtype=np.int32)]
    among, like = np.arange(6, dtype=np.int64), np.array([6, 7], dtype=np.int64)
    for seed in range(20):
        drawn = draw(among, 2, like, looks, chance_from(seed))
        assert sorted(looks[0][drawn].tolist()) == [1, 2]
        assert len(draw(among, 5, like, looks, chance_from(seed))) == 5
    assert draw(among, 9, like, looks, chance_from(0)).tolist() == among.tolist()


# ---- the attack


def hidden_means(audit: d.Audit) -> Attack:
    assert audit.attacks is not None
    (found,) = (attack for attack in audit.attacks.found if attack.name == "hidden_means")
    return found


def test_who_takes_hidden_for_the_missing_value_is_found() -> None:
    found = hidden_means(d.protect(TABLE, policy(ask(rows=HIV, tells="warn"))).attack(seed=1))
    assert (found.kind, found.target, found.requirement) == ("aware", "ill", 0)
    assert (found.released, found.baseline) == (d.Rate(60, 60), d.Rate(120, 300))
    assert found.leaks
    assert found.figures == {"lacking_right": 60, "mostly_right": 60, "lacking": 1}
    (warning,) = found.warnings
    assert_tells_nothing(warning)


def test_enough_decoys_silence_it() -> None:
    found = hidden_means(d.protect(TABLE, policy(ask(where={"ill": "hiv"}, decoys="60%")), seed=1).attack(seed=1))
    assert found.released == d.Rate(60, 150)
    assert not found.leaks
    assert found.warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["*", ""], ids=["marker", "blank"])
@pytest.mark.parametrize(
    "made",
    [
        ask(rows=HIV),
        ask(where={"ill": "hiv"}),
        d.Template(given=["age", "sex"], infer={"ill": "hiv"}, at_most="50%"),
        d.KAnonymity(k=2, over=["age", "sex"]),
    ],
    ids=["rows", "where", "template", "k"],
)
def test_releases_of_others_are_attacked_too(made: Any, text: str) -> None:
    found = hidden_means(d.audit_release(hiding(HIV, text), policy(made), TABLE, seed=1))
    assert found.released == d.Rate(60, 60)
    assert found.leaks


@pytest.mark.slow
def test_it_says_nothing_where_nothing_is_hidden_and_little_where_anybody_is() -> None:
    audit = d.audit_release(TABLE, policy(d.KAnonymity(k=2, over=["age"])), TABLE, seed=1)
    assert audit.attacks is not None
    assert all(attack.name != "hidden_means" for attack in audit.attacks.found)
    everybody = d.audit_release(hiding(list(range(1, 301))), policy(ask(rows=[2])), TABLE, seed=1)
    found = hidden_means(everybody)
    assert found.released == d.Rate(120, 300)
    assert not found.leaks
