"""The JSON Schema of policies, for editors that complete and check them."""

from __future__ import annotations

from typing import Any

from discreet.policy.model import Policy

TITLE = "A discreet policy"
BESIDE = "policy.schema.json"
"""What the schema is called that lies beside policies."""
HEADER = f"# yaml-language-server: $schema={BESIDE}\n"
"""The first line of a policy that editors complete and check by the schema beside it."""


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of a policy file."""
    schema = Policy.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_tidy(schema),
        "title": TITLE,
    }


def _tidy(part: Any) -> Any:
    """Keep the first line of each description: the rest is for readers of the code."""
    if isinstance(part, dict):
        return {
            key: value.splitlines()[0] if key == "description" and isinstance(value, str) else _tidy(value)
            for key, value in part.items()
        }
    return [_tidy(item) for item in part] if isinstance(part, list) else part
