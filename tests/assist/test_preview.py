"""What `check` shows of a column at each level is what counting the labels gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.assist.check import check_policy
from discreet.assist.preview import Preview, level_of, tree_cuts
from discreet.columns.taxonomy import Taxonomy

TOWNS = {"*": {"North": {"Norway": ["Oslo", "Bergen"], "Finland": ["Turku"]}, "Rome": None}}


def previews(folder: Path, frame: pl.DataFrame, policy: d.Policy) -> list[Preview]:
    frame.write_csv(folder / "t.csv")
    return list(check_policy(policy, folder / "t.csv").previews)


def test_a_taxonomy_is_shown_column_by_column_of_its_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["Oslo"] * 3 + ["Bergen", "Turku", "Rome", "Rome"], "sex": list("fmfmfmf")})
    need = [d.KAnonymity(k=3, over=["town", "sex"]), d.KAnonymity(k=2, over=["town"])]
    policy = d.Policy(protect=need, columns={"town": d.Column(taxonomy=Taxonomy.from_tree(TOWNS))})
    (town,) = previews(tmp_path, frame, policy)  # sex is plain
    assert (town.column, town.kind, town.k, town.rows) == ("town", "taxonomy", 3, 7)
    assert [(level.name, level.labels, level.smallest, level.below) for level in town.levels] == [
        ("values", 4, 1, 4),
        ("level 1", 3, 1, 3),  # Norway, Turku (for Finland), Rome
        ("level 2", 2, 2, 2),
        ("all", 1, 7, 0),
    ]
    assert town.levels[1].such_as == ("Norway", "Turku", "Rome")


def test_numbers_are_shown_at_their_ends_or_at_round_ones(tmp_path: Path) -> None:
    ages = [3, 8, 12, 34, 36, 38, 39, 51, 54, 57, 68, 77, 93]
    frame = pl.DataFrame({"age": ages, "born": [f"20{age // 10}0-01-0{age % 9 + 1}" for age in ages], "ends": ages})
    template = d.Template(given=["age", "born", "ends"], infer={"ill": "yes"}, at_most="90%")
    columns = {
        "age": d.Column(type="number"),
        "born": d.Column(type="date"),
        "ends": d.Column(type="number", ends=[18, 65]),
    }
    frame = frame.with_columns(ill=pl.Series(["yes", "no"] * 6 + ["no"]))
    age, born, ends = previews(tmp_path, frame, d.Policy(protect=[template], columns=columns))
    assert [level.name for level in age.levels] == ["values", "e.g. by 20", "all"]
    assert age.levels[0].labels == 13
    assert all(level.below is None for level in age.levels)
    assert "e.g. by decade" in [level.name for level in born.levels]
    assert [(level.name, level.such_as) for level in ends.levels[1:]] == [
        ("ends", ("<18", "[18-64]", ">=65")),
        ("all", ("*",)),
    ]
    assert ends.levels[1].smallest == 3


def test_missing_values_stand_beside_every_level_but_the_last(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": ["1", "2", "?", None, "30"], "town": ["Oslo", "?", None, "Rome", "Rome"]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=2, over=["age", "town"])],
        columns={"age": d.Column(type="number"), "town": d.Column(taxonomy=Taxonomy.from_tree(TOWNS))},
        missing=d.Missing(values=["?"], rows="value"),
    )
    age, town = previews(tmp_path, frame, policy)
    assert [level.labels for level in age.levels] == [5, 1]
    assert [level.labels for level in town.levels] == [4, 4, 4, 1]
    assert age.levels[-1].smallest == town.levels[-1].smallest == 5
    assert sum(level.below or 0 for level in town.levels) == 9


@st.composite
def trees(draw: st.DrawFn) -> dict[str, object]:
    names = iter(range(1000))

    def below(depth: int) -> object:
        if depth == 0 or draw(st.booleans()):
            return None
        return {f"n{next(names)}": below(depth - 1) for _ in range(draw(st.integers(1, 3)))}

    return {"root": below(4) or {"only": None}}


@given(trees(), st.data())
def test_levels_are_the_columns_of_the_file_counted_from_the_root(tree: dict[str, object], data: st.DataObject) -> None:
    taxonomy = Taxonomy.from_tree(tree)
    values = data.draw(st.lists(st.sampled_from(taxonomy.leaves), unique=True, min_size=1))
    rows = np.array(data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values))))
    shown = {label: node.label for node in taxonomy.nodes for label in node.labels}
    chains = {value: taxonomy.ancestors(value)[::-1] for value in taxonomy.leaves}
    chains = {value: (path[0], *(shown[label] for label in path[1:])) for value, path in chains.items()}
    if len(taxonomy.nodes) > 1:  # labels between the root and the first fork are those of the root
        skip = len(taxonomy.nodes[0].dropped)
        chains = {value: (path[0], *path[1 + skip :]) for value, path in chains.items()}
    cuts = list(tree_cuts(taxonomy, values))
    depths = range(max(map(len, chains.values())) - 1, 0, -1) if len(taxonomy.nodes) > 1 else [1]
    assert len(cuts) == len(depths)
    for (name, groups, labels), depth in zip(cuts, depths, strict=True):
        counted: Counter[str] = Counter()
        for value, count in zip(values, rows.tolist(), strict=True):
            path = chains[value]
            counted[path[min(depth, len(path) - 1)]] += count
        level = level_of(name, groups, labels, rows, 4)
        assert level.labels == len(counted)
        assert level.smallest == min(counted.values())
        assert level.below == sum(count for count in counted.values() if count < 4)
        assert set(level.such_as) <= set(counted)


def test_a_table_without_such_columns_has_no_previews(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x", "y"]})
    assert previews(tmp_path, frame, d.Policy(protect=[d.KAnonymity(k=2, over=["a"])])) == []


@pytest.mark.parametrize("ends", [None, ["2020-01-01"]])
def test_dates_with_a_form_of_their_own(tmp_path: Path, ends: list[str] | None) -> None:
    frame = pl.DataFrame({"born": ["31.01.2019", "01.02.2019", "15.06.2021", "16.06.2021"]})
    said = d.Column(type="date", date_format="%d.%m.%Y", **({} if ends is None else {"ends": ["01.01.2020"]}))
    (born,) = previews(tmp_path, frame, d.Policy(protect=[d.KAnonymity(k=2, over=["born"])], columns={"born": said}))
    found = {level.name: level.such_as for level in born.levels}
    assert found["values"][0] == "31.01.2019"
    if ends is None:
        assert found["e.g. by month"] == ("2019-01", "2019-02", "2021-06")
    else:
        assert found["ends"] == ("<01.01.2020", ">=01.01.2020")
