"""Uses with costs and weights, columns with weights and losses: reading, refusing, writing down."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet as d

K = d.KAnonymity(k=2, over=["town"])
TREE = {"all": {"north": ["oslo", "turku"], "south": ["rome"]}}


def written(folder: Path, policy: str, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    path = folder / "policy.yaml"
    path.write_text(policy, encoding="utf-8")
    return path


def test_everything_from_a_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
use:
  - {classify: rating, costs: costs.csv, suppressed: dearest, weight: 2}
  - {regress: income, by: median, suppressed: group}
  - {general: true, weight: 1/3}
protect: [{k: 2, over: [town]}]
columns:
  town: {taxonomy: {all: {north: [oslo, turku], south: [rome]}}, weight: 1.5, losses: losses.csv}
""",
        costs="true;good;bad\ngood;0;1\nbad;5.5;0\n",
        losses=",oslo,turku,rome\noslo,0,1,4\nturku,1,0,4\nrome,4,4,0\n",
    )
    policy = d.read_policy(path)
    classify, regress, general = policy.uses
    assert isinstance(classify, d.Classify)
    assert classify.costs is not None
    assert classify.costs.cost("bad", "good") == Fraction(11, 2)
    assert classify.costs.cost("good", "bad") == 1
    assert classify.weight == 2
    assert classify.suppressed == "dearest"
    assert isinstance(regress, d.Regress)
    assert regress.by == "median"
    assert regress.suppressed == "group"
    assert regress.weight == 1
    assert isinstance(general, d.General)
    assert general.weight == Fraction(1, 3)
    town = policy.columns["town"]
    assert town.weight == Fraction(3, 2)
    assert town.losses is not None
    assert town.losses.cost("oslo", "rome") == 4
    (tmp_path / "costs.csv").unlink()
    (tmp_path / "losses.csv").unlink()
    again = d.Policy.from_dict(policy.to_dict())  # holds what the files held
    assert again == policy
    assert hash(again) == hash(policy)
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert policy.targets == {"rating", "income"}


def test_pairs_that_nobody_mentions() -> None:
    costs = d.Classify("x", costs={"a": {"b": 2}}).costs
    assert costs is not None
    assert [costs.cost(*pair) for pair in (("a", "b"), ("b", "a"), ("a", "a"), (None, "a"))] == [2, 1, 0, 1]


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ({"classify": "x", "costs": {}}, "use.costs: is empty"),
        ({"classify": "x", "costs": {"a": 3}}, "use.costs: write {TRUE: {TAKEN: 2.5}}"),
        ({"classify": "x", "costs": 3}, "use.costs: write {TRUE: {TAKEN: 2.5}}"),
        ({"classify": "x", "costs": {"a": {"b": -1}}}, "use.costs: write a number that is not negative"),
        ({"classify": "x", "costs": {"a": {"b": "nan"}}}, "use.costs: write a number that is not negative"),
        ({"classify": "x", "costs": {"a": {"b": True}}}, "use.costs: write a number that is not negative"),
        ({"classify": "x", "costs": {"a": {"a": 1}}}, "use.costs: what is taken for itself costs nothing"),
        ({"classify": "x", "costs": {"a": {"b": 0}}}, "use.costs: all numbers are 0"),
        ({"classify": "x", "costs": "gone.csv"}, "there is no such costs file"),
        ({"classify": "x", "suppressed": "two"}, "use.suppressed: write one of"),
        ({"regress": "x", "by": "mode"}, "use.by: write one of"),
        ({"regress": "x", "costs": {"a": {"b": 1}}}, "use.costs: unknown field"),
        ({"classify": "x", "weight": 2}, "use: a weight only counts in a list of uses"),
        ([], "use: is an empty list"),
        (["counts", {"classify": "x"}], "use: counts stands alone"),
        ([{"classify": "x"}, {"classify": "x", "weight": 2}], "use: the same use stands there twice"),
        ([{"classify": "x", "weight": 0}], r"use[0].weight: must be more than 0"),
        ([{"classify": "x"}, {"regres": "y"}], "use[1]: write {classify: COLUMN}"),
        ([{"classify": "x"}, {"regress": "y", "bye": 1}], "use[1].bye: unknown field"),
        ([{"general": 3}], "use[0].general: write {general: true"),
        ("everything", "write {classify: COLUMN}"),
    ],
)
def test_refused_uses(use: Any, message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Policy(protect=[K], use=use)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"weight": 0}, "weight: must be more than 0"),
        ({"weight": "heavy"}, "weight: write a number"),
        ({"losses": {"oslo": {"rome": 2}}}, "losses: need a taxonomy"),
        ({"taxonomy": TREE, "losses": {"oslo": {"paris": 2}}}, "losses: 'paris' is no value of the taxonomy"),
    ],
)
def test_refused_columns(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Column(**said)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no numbers"),
        ("true,a\n", "has no numbers"),
        ("true,a,b\na,0\n", "line 2: has 2 cells, the first line has 3"),
        ("true,a,b\na,0,1\na,0,2\n", "line 3: stands there twice"),
        ("true,a,a\na,0,1\n", "line 1: names a value twice"),
        ("true,a,b\na,0,x\n", "line 2: write a number"),
        ('true,a,b\na,0,"1\n', "not CSV"),
        ("true,a,b\na,3,1\n", "what is taken for itself costs nothing"),
    ],
)
def test_refused_files(text: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, "use: {classify: x, costs: costs.csv}\nprotect: [{k: 2, over: [town]}]\n", costs=text)
    with pytest.raises(d.PolicyError) as error:
        d.read_policy(path)
    assert message in str(error.value)
    assert "policy.yaml:1" in str(error.value)


def test_what_has_no_effect_is_refused() -> None:
    import polars as pl

    table = pl.DataFrame({"town": ["oslo", "rome"] * 3, "class": ["a", "b"] * 3, "pay": ["1", "2"] * 3})

    def refusal(**said: Any) -> str:
        with pytest.raises(d.PolicyError) as error:
            d.protect(table, d.Policy(protect=[K], **said))
        return str(error.value)

    weighty = {"town": d.Column(weight=2)}
    assert "columns.town.weight: only counts for use general" in refusal(use=d.Classify("class"), columns=weighty)
    assert "columns.pay.weight: 'pay' is never changed" in refusal(columns={"pay": d.Column(weight=2)})
    assert "no row has 'class' = 'c'" in refusal(use=d.Classify("class", costs={"c": {"a": 2}}))
    assert "use[1].regress: 2 of the 2 different values of 'class' are no number" in refusal(
        use=["general", d.Regress("class")]
    )
    assert "use[0].classify: no column 'clas'" in refusal(use=[d.Classify("clas"), "general"])


@pytest.mark.parametrize("weight", [1e-7, 1e22, Decimal("1E-50"), "0." + "3" * 98, Fraction(1, 3), 7])
def test_weights_are_written_so_that_they_can_be_read(weight: object) -> None:
    policy = d.Policy(use=[d.Classify("x", weight=weight), d.General()], protect=[d.KAnonymity(k=2, over=["a"])])
    assert d.Policy.from_dict(policy.to_dict()) == policy


@pytest.mark.parametrize("weight", [Fraction(10**400), 10**101, 1e300, float("nan"), float("inf"), Decimal("1E+99999")])
def test_weights_beyond_all_measure(weight: object) -> None:
    with pytest.raises(d.PolicyError, match="write a number that is not negative"):
        d.Classify("x", weight=weight)
