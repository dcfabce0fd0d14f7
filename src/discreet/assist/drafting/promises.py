"""What a draft promises: that enough people look alike, and that nobody is too sure of a secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.common.shares import percent
from discreet.policy.spelling import yaml_name

STEP = Fraction(1, 20)
"""Limits are raised to multiples of it."""
ROOM = Fraction(1, 4)
"""The share of what is left above the least possible that a raised limit allows, or nothing could be told."""


@dataclass(frozen=True)
class DraftedPromise:
    """One promise of a draft: k, or a limit on what is inferred of a secret."""

    limit: Fraction
    """1/k, or the largest share."""
    secret: str | None = None
    inferred: str = ""
    """What is written of the secret in YAML: any value, some values, a width."""
    why: str = ""
    raised: str = ""
    """Why the limit is not that of the preset."""

    def lines(self, given: Sequence[str], people: str) -> Iterator[str]:
        """Yield it as lines of YAML, with what it means before them."""
        known = ", ".join(map(yaml_name, given))
        if self.secret is None:
            yield f"  # Whoever knows these columns of a person finds at least {self.limit.denominator} {people} alike."
            yield from self._raised()
            yield f"  - k: {self.limit.denominator}"
            yield f"    over: [{known}]"
            return
        name = " ".join(self.secret.split())
        yield f"  # Nobody who knows them is more than {percent(self.limit)} sure of {name}: {self.why}."
        yield from self._raised()
        yield f"  - infer: {{{yaml_name(self.secret)}: {self.inferred}}}"
        yield f"    given: [{known}]"
        yield f"    at_most: {percent(self.limit)}"

    def _raised(self) -> Iterator[str]:
        if self.raised:
            yield f"  # {self.raised}"

    def allowing(self, least: Fraction) -> DraftedPromise | None:
        """Return it with a limit that can be kept, where the least possible figure is known; None if none is."""
        if self.secret is None:
            if least >= 1:
                return None
            return replace(self, limit=least, raised="The table has no more of them.")
        wanted = least + (1 - least) * ROOM
        limit = -(-wanted // STEP) * STEP
        if limit >= 1:
            limit = max(least, Fraction(99, 100))
        if limit >= 1:
            return None
        why = (
            f"With everything hidden {percent(least)} of a group still have the same, so a smaller limit cannot be kept"
        )
        return replace(self, limit=limit, raised=f"{why}: name the values that harm (--secret COLUMN=VALUE).")


def promises_of(
    k: int,
    at_most: Fraction,
    secrets: Mapping[str, tuple[str, ...]],
    reasons: Mapping[str, str],
    widths: Mapping[str, str],
) -> list[DraftedPromise]:
    """Return what a draft promises first; `widths` are those of secrets that are numbers or dates."""
    made = [DraftedPromise(Fraction(1, k))]
    for name, values in secrets.items():
        if values:
            inferred = yaml_value(values[0]) if len(values) == 1 else f"[{', '.join(map(yaml_value, values))}]"
        elif name in widths:
            inferred = f"{{within: {widths[name]}}}"
        else:
            inferred = "{any: true}"
        made.append(DraftedPromise(at_most, name, inferred, reasons[name]))
    return made


def yaml_value(value: str) -> str:
    """Return a value as it must be written in YAML: always as a text."""
    from discreet.common.printable import json_text

    return json_text(value)
