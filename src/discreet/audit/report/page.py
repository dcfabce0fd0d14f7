"""What a page is made of: sections of paragraphs, lists, tables and figures. Plain texts; the template escapes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from discreet.audit.report.remedies import Remedy

Level = Literal["good", "look", "bad"]
"""How something stands: as promised, worth a closer look, broken."""


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    kind: ClassVar[str] = "prose"
    text: str


@dataclass(frozen=True)
class ItemList:
    """A list; `level` marks it as a warning."""

    kind: ClassVar[str] = "items"
    texts: tuple[str, ...]
    level: Level | None = None


@dataclass(frozen=True)
class PageTable:
    """A table; the first column heads the rows, `words` says which of the others are not figures."""

    kind: ClassVar[str] = "table"
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[int] = frozenset()
    folded: bool = False
    """Whether it is shown only when asked for."""
    left: int = 0
    """Rows that were left out."""
    narrow: bool = False
    """Whether its first column has short texts, so that little room is needed."""


@dataclass(frozen=True)
class Figure:
    """A chart with what it shows in words, a key to its marks, and the same figures as a table."""

    kind: ClassVar[str] = "figure"
    name: str
    title: str
    spec: Mapping[str, object]
    table: PageTable
    key: tuple[tuple[str, str], ...] = ()
    """Marks (by the names of `charts.MARKS`) and what they mean."""
    note: str | None = None
    shown: bool = False
    """Whether the table is there without being asked for."""


@dataclass(frozen=True)
class Figures:
    """Small figures side by side."""

    kind: ClassVar[str] = "figures"
    figures: tuple[Figure, ...]
    key: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class PageStep:
    """Something found: what it is, what it means, and what to do about it."""

    text: str
    level: Level
    means: str = ""
    to_do: str = ""
    remedy: Remedy | None = None
    """The same as a change of the policy, where there is one."""


@dataclass(frozen=True)
class StepList:
    """Findings, each with what it means and what to do."""

    kind: ClassVar[str] = "steps"
    steps: tuple[PageStep, ...]


@dataclass(frozen=True)
class Fold:
    """Blocks that are shown when asked for."""

    kind: ClassVar[str] = "fold"
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Code:
    """A long text, shown when asked for."""

    kind: ClassVar[str] = "code"
    caption: str
    text: str


Block = Prose | ItemList | PageTable | Figure | Figures | Heading | StepList | Fold | Code


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Card:
    """One figure of the summary."""

    label: str
    figure: str
    text: str
    level: Level | None = None


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    subtitle: str
    banner: str
    private: bool
    verdict: str
    level: Level
    summary: tuple[str, ...]
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    made_by: str = ""

    def figures(self) -> Iterator[Figure]:
        """Yield all figures, in order."""
        for section in self.sections:
            yield from _figures(section.blocks)


def _figures(blocks: Sequence[Block]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Figures):
            yield from block.figures
        elif isinstance(block, Fold):
            yield from _figures(block.blocks)


def fold(title: str, blocks: Sequence[Block | None]) -> Fold | None:
    """Return blocks that are folded, without the absent ones; None where there are none."""
    there = tuple(block for block in blocks if block is not None)
    return Fold(title, there) if there else None


def cut_table(table: PageTable, most: int) -> PageTable:
    """Return a table with its first rows, and how many were left out."""
    left = max(len(table.rows) - most, 0)
    return replace(table, rows=table.rows[:most], left=left) if left else table


def section(name: str, title: str, blocks: Sequence[Block | None]) -> Section:
    """Return a section without its absent blocks."""
    return Section(name, title, tuple(block for block in blocks if block is not None))
