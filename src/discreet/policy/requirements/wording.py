"""What reports and findings need to speak of a kind of promise, and of the worst group that was found."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

__all__ = ["GroupWords", "Unit", "WorstGroup"]


class WorstGroup(Protocol):
    """The worst group of a table, as verification found it."""

    @property
    def rows(self) -> int:
        """Its rows."""

    @property
    def hits(self) -> int:
        """Those with the property; 1 where a promise is about one person or one value."""

    @property
    def hidden(self) -> int:
        """Those of which it is not known."""

    @property
    def share(self) -> Fraction:
        """Its figure."""

    @property
    def limit(self) -> Fraction:
        """What is allowed."""


@dataclass(frozen=True)
class Unit:
    """What a promise counts that asks for at least so many of something: its figure is one over that number."""

    one: str
    many: str
    letter: str
    """How the field calls the least number: k, l."""
    least: str
    """What the least number is of, in words."""
    worst: str
    """Which group has the fewest."""

    @property
    def field(self) -> str:
        """How JSON calls the number that the worst group has."""
        return self.worst.replace(" ", "_")

    def counted(self, number: int) -> str:
        """Return a number of them in words."""
        return f"{number:,} {self.one if number == 1 else self.many}"


@dataclass(frozen=True)
class GroupWords:
    """How reports speak of a kind of promise; `{}` stands for a figure."""

    name: str
    """The name of its chart."""
    public: tuple[str, str]
    """What a public report calls one such promise, and several."""
    title: str
    """What the worst of all figures means."""
    broken: str
    """What it means where a limit is passed."""
    axis: str
    caption: str
    column: str
    """What the first column of the table under the chart is called."""
    group: str
    """What the groups are sorted by."""
    above: str
    """Where rows stand whose group does not keep the limit."""
    hits: str | None = None
    """What the rows are called that a figure is about, where there are such."""
    figure: str = "Confidence"
    """What a figure is called in a table of groups."""
