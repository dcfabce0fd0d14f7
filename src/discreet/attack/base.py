"""One interface for all attacks: what each tried, how often it was right, and beside it what anybody gets right.

A rate stands never alone: beside it the prior (the commonest value, or a row picked blindly), where cells are
confidential the table in which they alone are hidden, and the control: the same attack on people who are not in the
release. What is learned about them is knowledge about everybody, which a useful table gives; a leak is what is learned
about its own people beyond that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from discreet.common.rates import Rate

Kind = Literal["linkage", "inference", "cells", "aware"]
KINDS: tuple[Kind, ...] = ("linkage", "inference", "cells", "aware")


@dataclass(frozen=True)
class Attack:
    """What one attack found.

    Parameters
    ----------
    kind
        `linkage`: which row is whose; `inference`: what somebody's value is; `cells`: what a confidential cell is;
        `aware`: the same by who knows the method.
    name, title
        Its short name (`naive_bayes`), and what it does in words, a sentence without its full stop.
    target
        The column that is guessed; None for linkage.
    knows
        The columns that the adversary knows of each person.
    released
        How often it is right on the release.
    baseline
        How often whoever knows only how common each value is (or picks a row blindly).
    original
        How often the same attack is right on the original table: the risk before.
    only_hidden
        Where cells are confidential: how often on the table where they alone are hidden.
    control
        How often about people who are not in the release; `control_by` says who they are.
    surest, surest_only_hidden
        Where cells are confidential: how often on the fifth of them about which the adversary is surest, on the
        release, and on the table where they alone are hidden (the fifth about which he is surest there).
    of
        How many people or cells could be attacked; where fewer were tried, they are drawn at random.
    requirement
        The position in `protect` of the promise that it concerns.
    warnings
        What the owner should know: worded without any value of the table.
    notes
        How to read the figures.
    figures
        Further figures by name, for reports: numbers only.
    """

    kind: Kind
    name: str
    title: str
    target: str | None
    knows: tuple[str, ...]
    released: Rate
    of: int
    baseline: Rate | None = None
    original: Rate | None = None
    only_hidden: Rate | None = None
    control: Rate | None = None
    control_by: str | None = None
    surest: Rate | None = None
    surest_only_hidden: Rate | None = None
    requirement: int | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def beside(self) -> Rate | None:
        """What it is to be compared with: people outside the release, or who knows nothing."""
        return self.baseline if self.control is None else self.control

    @property
    def better(self) -> bool:
        """Whether it is right more often than what it is compared with."""
        return self.beside is not None and self.released.beyond(self.beside)

    @property
    def leaks(self) -> bool:
        """Whether it learns more about the people of the release than it would about anybody.

        It must be right more often than the control and than who knows nothing. Any table makes it easier to find a
        row than picking one blindly: linkage counts only beside a control.
        """
        beside = [rate for rate in (self.control, self.baseline) if rate is not None]
        alone = self.kind == "linkage" and self.control is None
        return bool(beside) and not alone and all(self.released.beyond(rate) for rate in beside)

    @property
    def sampled(self) -> bool:
        """Whether only some were tried."""
        return self.released.tries < self.of

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""

        def told(rate: Rate | None) -> dict[str, object] | None:
            return None if rate is None else rate.to_dict()

        return {
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            "target": self.target,
            "knows": list(self.knows),
            "requirement": self.requirement,
            "released": self.released.to_dict(),
            "baseline": told(self.baseline),
            "original": told(self.original),
            "only_hidden": told(self.only_hidden),
            "control": told(self.control),
            "control_by": self.control_by,
            "surest": told(self.surest),
            "surest_only_hidden": told(self.surest_only_hidden),
            "of": self.of,
            "sampled": self.sampled,
            "leaks": self.leaks,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "figures": dict(self.figures),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class AttackTask:
    """An attack to be made: what it is called, about how many seconds it takes, and how it is made."""

    name: str
    seconds: float
    run: Callable[[], Iterable[Attack]]


@dataclass(frozen=True, repr=False)
class Attacked:
    """All attacks on a release."""

    found: tuple[Attack, ...]
    skipped: tuple[str, ...]
    """Names of attacks for which there was no time."""
    thorough: bool
    victims: int
    """At most so many people or cells are attacked in each."""
    seconds: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Attacked: {len(self.found)} attacks; private>"

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner should know, each once."""
        return tuple(dict.fromkeys(text for attack in self.found for text in attack.warnings))

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "thorough": self.thorough,
            "victims": self.victims,
            "seconds": round(self.seconds, 3),
            "attacks": [attack.to_dict() for attack in self.found],
            "skipped": list(self.skipped),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }
