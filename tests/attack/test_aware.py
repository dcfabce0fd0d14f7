"""Who knows the method, on releases as they are made: figures beside baselines, and warnings that tell no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.attack.aware import aware_attacks
from discreet.attack.base import Attack
from discreet.compare.scene import Scene
from discreet.table.source import open_table

NAMES = ["a", "b", "c", "d"]
VALUES = ["ursa", "vega", "wolf", "xray"]
TREE = {"*": {"uv": VALUES[:2], "wx": VALUES[2:]}}
ROWS = [1, 2, 5, 8, 20, 30, 41, 50, 55, 60, 64, 71]


def frame(seed: int = 1, rows: int = 120) -> pl.DataFrame:
    """Columns of four values that depend on each other."""
    generator = Random(seed)
    lines = []
    for _ in range(rows):
        like = generator.expovariate(0.6)
        drawn = [like if generator.random() < 0.7 else generator.expovariate(0.6) for _ in NAMES]
        lines.append([VALUES[min(int(x), 3)] for x in drawn])
    return pl.DataFrame(lines, schema=NAMES, orient="row")


def ask(**said: Any) -> d.Confidential:
    return d.Confidential(**{"column": "d", "rows": ROWS, "on_failure": "remove", **said})


def scene_of(table: pl.DataFrame, *asked: d.Confidential, columns: Any = None, **more: Any) -> Scene:
    """A release as it is made, ready to be attacked."""
    policy = d.Policy(protect=list(asked), **({} if columns is None else {"columns": columns}))
    plan = d.protect(table, policy, seed=1).plan
    source = open_table(table, policy)
    released = source.apply(plan)
    places = np.searchsorted(source.numbers(), released.numbers())
    hide_only = source.apply(replace(plan, edits=(), removed=()))
    return replace(Scene(released, source, plan.policy, places=places, hide_only=hide_only, seed=1), **more)


def attacks(scene: Scene) -> list[Attack]:
    return [found for task in aware_attacks(scene) for found in task.run()]


def assert_sound(found: Attack, cells: Sequence[int] = ROWS) -> None:
    """Everything that is said fits together, and no value is told."""
    assert (found.kind, found.target) == ("aware", "d")
    assert found.released.tries + int(found.figures.get("removed") or 0) == len(cells)
    assert found.of == found.released.tries
    assert found.baseline is not None
    assert found.baseline.tries == found.released.tries
    changed, right = found.figures.get("changed"), found.figures.get("changed_right")
    if changed is not None and right is not None:
        assert 0 <= right <= changed <= found.released.tries
        assert right <= found.released.right + 1e-9
    for text in (*found.warnings, *found.notes, found.title):
        assert not any(value in text for value in VALUES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "against", "name"),
    [
        ("decp", "naive_bayes", "refill_naive_bayes"),
        ("e-decp", "naive_bayes", "refill_naive_bayes"),
        ("incp", "naive_bayes", "refill_naive_bayes"),
        ("dropp", "naive_bayes", "inversion_naive_bayes"),
        ("e-dropp", "naive_bayes", "inversion_naive_bayes"),
        ("hid3", "id3", "inversion_id3"),
    ],
)
@pytest.mark.parametrize("change", ["delete", "generalise"])
def test_each_method_has_the_attack_that_knows_it(method: str, against: str, name: str, change: str) -> None:
    columns = {column: {"taxonomy": TREE} for column in NAMES} if change == "generalise" else None
    scene = scene_of(frame(), ask(method=method, against=[against], change=change), columns=columns)
    (found,) = attacks(scene)
    assert found.name == name
    assert_sound(found)
    assert found.only_hidden is not None
    assert found.only_hidden.tries == found.released.tries
    # the promise holds: nobody guesses a cell by the plain adversary, but for ties
    assert (found.figures["plain_right"] or 0) < found.released.tries / 2
    assert found.released.right > (found.figures["plain_right"] or 0)


def test_greedy_and_learners_are_inverted() -> None:
    pytest.importorskip("sklearn")
    (found,) = attacks(scene_of(frame(), ask(against=["logistic_regression"])))
    assert found.name == "inversion_logistic_regression"
    assert_sound(found)


def test_hybrids_are_attacked_by_both() -> None:
    names = {found.name for found in attacks(scene_of(frame(), ask(method="decp", against=["id3", "naive_bayes"])))}
    assert {"inversion_id3", "refill_naive_bayes"} <= names


def test_rows_that_are_not_there_are_not_guessed() -> None:
    assert not attacks(scene_of(frame(), ask(method="nrd")))


@pytest.mark.slow
def test_one_cell_alone_is_read_from_its_changes() -> None:
    """DECP changes only rows of the true value: whoever knows it reads the value."""
    table = frame()
    read = changed = 0
    for row in range(1, 25):
        scene = scene_of(table, ask(method="decp", rows=[row]))
        (found,) = attacks(scene)
        assert_sound(found, [row])
        read += int(found.figures["changed_right"] or 0)
        changed += int(found.figures["changed"] or 0)
        assert bool(found.warnings) == (found.released.right > (found.baseline.right if found.baseline else 0))
    assert changed > 5
    assert read == changed


def test_a_release_made_elsewhere_is_attacked_by_what_it_shows() -> None:
    """The policy says DROPP, but other rows were changed."""
    table = frame()
    scene = scene_of(table, ask(method="decp", rows=[1]))
    (plain,) = attacks(scene)
    elsewhere = d.Policy(protect=[ask(method="dropp", rows=[1])])
    found = attacks(replace(scene, policy=elsewhere))
    by_name = {attack.name: attack for attack in found}
    if plain.figures["changed"]:
        assert by_name["refill_naive_bayes"].released == plain.released
    assert "inversion_naive_bayes" in by_name


def test_only_some_cells_are_tried_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.compare.scene.QUICK", 5)
    (found,) = attacks(scene_of(frame(), ask(method="dropp")))
    assert (found.released.tries, found.sampled) == (5, True)


def test_without_the_hide_only_table_there_is_no_such_baseline() -> None:
    (found,) = attacks(scene_of(frame(), ask(method="decp"), hide_only=None))
    assert (found.only_hidden, found.figures["changed"]) == (None, None)
    assert not attacks(scene_of(frame(), ask(method="decp"), places=None))


def test_other_confidential_columns_may_be_hidden_for_their_own_sake() -> None:
    asked = [ask(method="dropp"), d.Confidential(column="a", rows=ROWS, on_failure="remove")]
    found = [attack for attack in attacks(scene_of(frame(), *asked)) if attack.target == "d"]
    assert any("for their own sake" in note for attack in found for note in attack.notes)


def rules(rows: Sequence[int], **said: Any) -> d.Confidential:
    against = [{"rules": {"min_confidence": "50%", "min_support": 2}}]
    return d.Confidential(**{"column": "d", "rows": rows, "against": against, **said})


def of_one_value(table: pl.DataFrame) -> list[int]:
    value = table["d"].mode().sort()[0]
    return [place + 1 for place, text in enumerate(table["d"]) if text == value][:6]


def test_hidden_means_the_value_unless_there_are_decoys() -> None:
    table = frame()
    rows = of_one_value(table)
    plain, absence = attacks(scene_of(table, rules(rows, method="smc")))
    assert (plain.name, absence.name) == ("hidden_values", "absence")
    assert plain.released.right == plain.released.tries == len(rows)
    assert plain.only_hidden is not None
    assert plain.only_hidden.right > 0
    assert "told to who knows how they are protected" in plain.warnings[0]
    assert not any(value in text for value in VALUES for text in plain.warnings)
    covered, _ = attacks(scene_of(table, rules(rows, method="smc", decoys=True)))
    assert (covered.released.right, covered.warnings) == (0, ())


@pytest.mark.slow
def test_adult_safe_table(data_dir: Path) -> None:
    """The warning fires for set multi-cover with one value, and is silent with decoys."""
    conditions = ["sex", "marital-status", "workclass", "education", "education-num", "income", "race"]
    names = [
        "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
        "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
    ]  # fmt: skip
    lines = [line.split(", ") for line in (data_dir / "adult.data").read_text().splitlines() if line.strip()]
    table = pl.DataFrame(lines, schema=names, orient="row").select([*conditions, "occupation"]).head(30_000)
    having = (np.flatnonzero((table["occupation"] == "Prof-specialty").to_numpy()) + 1).tolist()
    rows = sorted(Random(3).sample(having, 4))  # beside each stand enough other values
    found = {}
    for decoys in (False, True):
        against = [{"rules": {"min_confidence": "60%", "min_support": 60}}]
        asked = d.Confidential(column="occupation", rows=rows, predictors=conditions, against=against, method="smc",
                               decoys=decoys)  # fmt: skip
        policy = d.Policy(protect=[asked], missing=d.Missing(values=("?",), rows="unknown"))
        plan = d.protect(table, policy, seed=1).plan
        source = open_table(table, policy)
        scene = Scene(source.apply(plan), source, policy, places=np.arange(source.rows))
        found[decoys] = attacks(scene)[0]
    assert found[False].released.right == found[False].released.tries == 4
    assert "told to who knows" in found[False].warnings[0]
    assert "Prof" not in found[False].warnings[0]
    assert found[True].released.right == 0
    assert not found[True].warnings
