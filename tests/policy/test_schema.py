"""The JSON Schema accepts what the reader accepts and refuses what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

import discreet as d
from discreet.policy.schema import policy_schema
from tests.policy.test_read import YAML

DEMO = Path(d.__file__).parent / "demo" / "bank.yaml"


@pytest.mark.parametrize("text", [YAML, DEMO.read_text(encoding="utf-8")])
def test_accepts_policies(text: str) -> None:
    jsonschema.validate(yaml.safe_load(text), policy_schema())


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "blue"},
        {"use": "fun"},
        {"protect": [{"infer": {"a": "b"}, "given": ["c"]}]},
        {"protect": [{"infer": {"a": "b"}, "given": ["c"], "at_most": 75}]},
        {"protect": [{"infer": {"a": "b", "x": "y"}, "given": ["c"], "at_most": "75%"}]},
        {"columns": {"a": {"role": "boss"}}},
    ],
)
def test_refuses_mistakes(change: dict[str, Any]) -> None:
    document = yaml.safe_load(DEMO.read_text(encoding="utf-8")) | change
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, policy_schema())
    with pytest.raises(d.PolicyError):
        d.Policy.from_dict(document)
