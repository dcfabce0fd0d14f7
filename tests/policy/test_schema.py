"""The JSON Schema accepts what the reader accepts and refuses what it refuses."""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest
import yaml

import discreet as d
from discreet.policy.requirements import REQUIREMENTS
from discreet.policy.schema import policy_schema
from tests import commands
from tests.conftest import ROOT
from tests.policy.test_read import YAML

DEMO = commands.DEMO / "bank.yaml"
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "examples" / "README.md"]
BLOCK = re.compile(r"^( *)```(yaml|toml)\b([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
ITEM = {*REQUIREMENTS.names(), "against"}
"""What an item of `protect` may begin with."""


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(policy_schema())


def read(text: str, kind: str) -> Any:
    """A policy as an editor sees it: dates are texts."""
    document = yaml.safe_load(text) if kind == "yaml" else tomllib.loads(text)
    return json.loads(json.dumps(document, default=str))


def whole(document: Any) -> Any:
    """A policy, of which pages sometimes show only some fields, or one item of `protect`."""
    some = {"k": 2, "over": ["a"]}
    if isinstance(document, dict) and set(document) & ITEM:
        return {"protect": [{"column": "a", "rows": [1], **document} if "against" in document else document]}
    return {"protect": [some], **(document or {})}


def written() -> Iterator[tuple[str, Any]]:
    """Every policy that is shown or comes with the project."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            name = f"{page.name}:{text.count(chr(10), 0, block.start()) + 1}"
            yield f"{name} {block[3].strip()}", whole(read(textwrap.dedent(block[4]), block[2]))
    files = [DEMO, *(ROOT / "examples").glob("*.yaml"), *(ROOT / "examples").glob("*.toml")]
    yield from ((file.name, read(file.read_text(encoding="utf-8"), file.suffix[1:])) for file in files)


def mistakes(document: Any) -> list[str]:
    return [f"{list(error.path)}: {error.message}" for error in validator().iter_errors(document)]


def test_every_policy_of_the_documentation_and_examples_passes() -> None:
    found = dict(written())
    wrong = {name for name in found if "mistakes" in name}
    assert len(found) > 60
    assert len(wrong) == 1
    assert {name: mistakes(found[name]) for name in found if mistakes(found[name])}.keys() == wrong


def test_accepts_policies() -> None:
    assert mistakes(read(YAML, "yaml")) == []


def test_accepts_columns_of_which_nothing_is_said() -> None:
    """As a draft has them where all that it could say is a comment."""
    document = {"protect": [{"k": 2, "over": ["a"]}], "columns": None}
    assert d.Policy.from_dict(document)
    assert mistakes(document) == []


CELL = {"column": "a", "rows": [1]}


@pytest.mark.parametrize(
    "item",
    [
        {**CELL, "against": [{"rules": {"min_confidence": "55%", "prior": "warn"}}]},
        {**CELL, "against": [{"naive_bayes": {"laplace": 0, "nulls": "drop"}}]},
        {**CELL, "against": [{"id3": None}, {"decision_tree": None}, "random_forest"]},
        {**CELL, "against": [{"rules": {"min_confidence": "1/2"}}], "may_hide": "c"},
        {"column": "a", "where": {"b": [1, None, True]}, "predictors": ["c"]},
        {"column": "a", "where": {"b": "Bob"}, "predictors": ["c"]},
    ],
)
def test_accepts_what_the_reader_accepts(item: dict[str, Any]) -> None:
    document = {"protect": [item]}
    assert d.Policy.from_dict(document)
    assert mistakes(document) == []


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "blue"},
        {"use": "fun"},
        {"protect": [{"infer": {"a": "b"}, "given": ["c"]}]},
        {"protect": [{"infer": {"a": "b"}, "given": ["c"], "at_most": 75}]},
        {"protect": [{"infer": {"a": "b", "x": "y"}, "given": ["c"], "at_most": "75%"}]},
        {"protect": [{**CELL, "against": [{"rules": {"prior": "warn"}}]}]},
        {"protect": [{**CELL, "against": [{"rules": {"min_confidence": "1/2", "prior": "maybe"}}]}]},
        {"protect": [{**CELL, "against": ["rules"]}]},
        {"protect": [{**CELL, "against": [{"decision_tree": {"depth": 3}}]}]},
        {"protect": [{**CELL, "may_hide": "z"}]},
        {"protect": [{"column": "a", "where": {"b": {"c": 1}}, "predictors": ["c"]}]},
        {"columns": {"a": {"role": "boss"}}},
        {"columns": {"Job": {"type": "number", "ends": [[18], 25]}}},
        {"columns": {"Job": {"weight": 0}}},
        {"missing": {"values": [{}], "rows": "drop"}},
    ],
)
def test_refuses_mistakes(change: dict[str, Any]) -> None:
    document = yaml.safe_load(DEMO.read_text(encoding="utf-8")) | change
    assert mistakes(document)
    with pytest.raises(d.PolicyError):
        d.Policy.from_dict(document)
