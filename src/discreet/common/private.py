"""What holds secrets says so in its first line."""

from __future__ import annotations

import json
from collections.abc import Mapping

from discreet.common.printable import json_text

TELLING = "this tells what was hidden and why. Keep it; never publish it."
"""What is said of the output of a command that tells more than a release does."""
MORE = "this tells more than a release does. Keep it; never publish it."
"""What is said of figures that no release would tell."""

AUDIT = "this audit tells more than the release does. Keep it; never publish it."


def private_line(warning: str = TELLING) -> str:
    """Return the first line of what holds secrets.

    >>> private_line("Keep this.")
    'PRIVATE: Keep this.'
    """
    return f"PRIVATE: {warning}"


def private_json(warning: str, body: Mapping[str, object]) -> str:
    """Return `body` as JSON whose first line is the warning.

    >>> print(private_json("Keep this.", {"a": 1}), end="")
    { "private": "PRIVATE: Keep this.",
     "a": 1
    }
    """
    text = json_text(body)
    return f'{{ "private": {json.dumps(private_line(warning))},{text[1:]}\n'
