"""Texts as they may go to a terminal or into a log: whatever would steer a terminal is shown escaped."""

from __future__ import annotations

import json
import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_STEERING = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}]")
_STEERING_LINES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_BIDI}]")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text with control characters (C0, C1, those of the writing direction) shown escaped.

    `lines` leaves line ends and tabs as they are.

    >>> print(printable("a\x1b[2Jb\n"), printable("a\x9b\u202e"))
    a\x1b[2Jb\n a\x9b\u202e
    """
    return (_STEERING_LINES if lines else _STEERING).sub(lambda found: ascii(found[0])[1:-1], text)


def json_text(value: object, indent: int | None = 1) -> str:
    r"""Return JSON that may be shown on a terminal: JSON itself escapes but some control characters.

    >>> print(json_text("a\x9b\u202eb\x7f"))
    "a\u009b\u202eb\u007f"
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _STEERING_LINES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
