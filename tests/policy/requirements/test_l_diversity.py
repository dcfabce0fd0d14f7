"""How l-diversity is written in a policy: alike in YAML, TOML and Python; mistakes are named; the schema knows it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from tests.commands import run

ITEM: dict[str, Any] = {"l": 3, "of": "Illness", "over": ["age", "town"]}
YAML = """
protect:
  - {l: 3, of: Illness, over: [age, town]}
  - {k: 2, over: [age]}
"""
TOML = """
[[protect]]
l = 3
of = "Illness"
over = ["age", "town"]

[[protect]]
k = 2
over = ["age"]
"""


def test_yaml_toml_and_python_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(YAML)
    (tmp_path / "p.toml").write_text(TOML)
    (tmp_path / "p.json").write_text(json.dumps({"protect": [ITEM, {"k": 2, "over": ["age"]}]}))
    python = d.Policy(protect=[d.LDiversity(l=3, of="Illness", over=["age", "town"]), d.KAnonymity(k=2, over=["age"])])
    assert {name: d.read_policy(tmp_path / name) == python for name in ("p.yaml", "p.toml", "p.json")} == {
        "p.yaml": True, "p.toml": True, "p.json": True,
    }  # fmt: skip
    (made, _) = python.protect
    assert isinstance(made, d.LDiversity)
    assert (made.l, made.of, made.over) == (3, "Illness", ("age", "town"))


@given(st.integers(1, 50), st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=5, unique=True))
def test_it_comes_back_from_plain_data(least: int, names: list[str]) -> None:
    policy = d.Policy(protect=[d.LDiversity(l=least, of=names[0], over=names[1:])])
    again = d.Policy.from_dict(json.loads(json.dumps(policy.to_dict())))
    assert again == policy
    assert hash(again.protect) == hash(policy.protect)
    assert pickle.loads(pickle.dumps(policy)) == policy
    item = policy.to_dict()["protect"][0]  # type: ignore[index]
    assert (item["l"], item["of"], item["over"]) == (least, names[0], names[1:])


def test_it_is_about_a_sensitive_column() -> None:
    policy = d.Policy.from_dict({"protect": [ITEM]})
    assert policy.sensitive == {"Illness"}
    (promise,) = policy.promises()
    assert promise.given == ("age", "town")
    assert all(word in promise.in_words() for word in ("age", "town", "Illness", "3"))
    assert all(word in str(promise) for word in ("age", "town", "Illness", "3"))


@pytest.mark.parametrize(
    "change",
    [
        {"l": 0},
        {"l": -3},
        {"l": "x"},
        {"l": 1.5},
        {"l": None},
        {"l": True},
        {"of": None},
        {"of": ["Illness"]},
        {"of": {"Illness": "HIV"}},
        {"over": []},
        {"over": ["age", "age"]},
        {"kind": "any"},
        {"kind": "recursive"},
        {"kind": "recursive", "c": 0},
        {"kind": "recursive", "c": 2, "l": 1},
        {"kind": "recursive", "c": 2, "l": 2.5},
        {"kind": "entropy", "c": 2},
        {"c": 2},
        {"at_most": "50%"},
        {"k": 2},
    ],
)
def test_mistakes_are_refused_by_reader_and_schema(change: dict[str, Any]) -> None:
    document = {"protect": [{**ITEM, **change}]}
    with pytest.raises(d.PolicyError) as refused:
        d.Policy.from_dict(document)
    assert all("protect" in problem.field for problem in refused.value.problems)
    assert not schema().is_valid(document)


@pytest.mark.parametrize("field", ["of", "over"])
def test_nothing_may_be_left_out(field: str) -> None:
    document = {"protect": [{name: value for name, value in ITEM.items() if name != field}]}
    with pytest.raises(d.PolicyError, match=rf"\b{field}\b"):
        d.Policy.from_dict(document)
    assert not schema().is_valid(document)


def test_its_own_column_cannot_be_known() -> None:
    with pytest.raises(d.PolicyError, match="Illness"):
        d.Policy.from_dict({"protect": [{**ITEM, "over": ["age", "Illness"]}]})
    with pytest.raises(d.PolicyError, match="Illness"):
        d.LDiversity(l=3, of="Illness", over=["age", "Illness"])


def schema() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(run("schema").stdout))


def test_the_schema_knows_it() -> None:
    assert schema().is_valid({"protect": [ITEM]})
    assert schema().is_valid({"protect": [ITEM, {"k": 2, "over": ["age"]}]})
