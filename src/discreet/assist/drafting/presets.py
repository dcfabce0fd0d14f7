"""How strict a draft is, by who gets the release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Preset:
    """How strict a draft is, by who gets the release."""

    k: int
    at_most: Fraction
    shuffle: bool
    words: str


PRESETS: dict[str, Preset] = {
    "open-data": Preset(10, Fraction(1, 2), True, "anybody may get it"),
    "research": Preset(5, Fraction(3, 4), False, "researchers get it under contract"),
    "internal": Preset(3, Fraction(9, 10), False, "it stays in the house"),
}
STRICTEST = "open-data"
