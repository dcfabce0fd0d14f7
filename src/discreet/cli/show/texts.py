"""Values, counts and lists of them as people read them."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 12
"""Values or steps listed before the rest is only counted; the plan has them all."""
LONGEST = 60
"""Characters of a value that are shown."""


def text_of(value: str | None) -> str:
    """Return a value as shown to people; a missing or blank one is named."""
    if value is None:
        return "(missing)"
    if len(value) > LONGEST:
        value = f"{value[: LONGEST - 3]}..."
    return value if value.strip() == value != "" and value.isprintable() else repr(value)


def listed(texts: Sequence[str], most: int = MOST) -> str:
    """Return texts in a row; those beyond `most` are only counted."""
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"


def counted(count: int, noun: str, nouns: str | None = None) -> str:
    """Return how many there are of something, such as 1 row or 2,000 rows."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
