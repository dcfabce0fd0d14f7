"""JSON files that hold secrets say so in their first line."""

from __future__ import annotations

import json
from collections.abc import Mapping


def private_json(warning: str, body: Mapping[str, object]) -> str:
    """Return `body` as JSON whose first line is the warning.

    >>> print(private_json("Keep this.", {"a": 1}), end="")
    { "private": "PRIVATE: Keep this.",
     "a": 1
    }
    """
    text = json.dumps(body, indent=1, ensure_ascii=False)
    return f'{{ "private": {json.dumps("PRIVATE: " + warning)},{text[1:]}\n'
