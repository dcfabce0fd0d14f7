"""What every promise about groups answers for itself, and every requirement that makes such promises.

A group is the set of rows that look alike on some columns (an equivalence class on quasi-identifiers, as the field
says). A promise makes a fraction of each group, its figure, and says that none is above a limit. Merging whole groups
must never make the figure larger than the larger of the two: then every search serves it, stopping early is safe, and
the table with everything hidden tells at once whether anything can be released.

Nobody else asks which kind a promise is. Verification alone counts by code of its own (`verification/counting.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field

from discreet.encoded import Ints
from discreet.policy.part import Part
from discreet.policy.places import Path

if TYPE_CHECKING:
    from discreet.policy.requirements.template import Inference

Flags = npt.NDArray[np.bool_]
ValuesOf = Callable[[str], Sequence[str | None]]
"""The different values of a column of the table at hand."""


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


class GroupPromise(ABC):
    """One promise about all groups of rows that look alike on `given`: the figure of each is at most `at_most`."""

    kind: ClassVar[str]
    """How plans, audits and the JSON call it."""
    noun: ClassVar[tuple[str, str]]
    """What counts rows, as a sentence calls it when it stands alone, and beside others."""
    called: ClassVar[str]
    """How a sentence calls such a promise."""
    measure: ClassVar[str]
    """What is counted of a group: rows, a share, different values (`method.base.measure_kernels`)."""
    unit: ClassVar[Unit | None] = None
    """What there must be enough of; None where a share must be small enough."""
    words: ClassVar[GroupWords]

    if TYPE_CHECKING:  # fields of some kinds, reckoned by others

        @property
        def index(self) -> int:
            """The position of its requirement in `protect`."""

        @property
        def given(self) -> tuple[str, ...]:
            """The columns that an adversary may know."""

        @property
        def at_most(self) -> Fraction:
            """The largest figure that a group may have."""

        @property
        def column(self) -> str | None:
            """The sensitive column whose values are counted, if any are."""

        @property
        def value(self) -> str | None:
            """The value that it is about, where it is a single one."""

        @property
        def whole(self) -> bool:
            """Whether the rows of the whole table count, of which a sample is released."""

    @property
    @abstractmethod
    def about(self) -> Hashable:
        """What it is about: of two promises about the same, that over fewer columns and no smaller limit follows."""

    @property
    def least_rows(self) -> int:
        """How many rows every group needs, where that is what is promised."""
        return 1

    @property
    def needs_rows(self) -> int:
        """How many rows a group cannot keep it without, where all of them count; 1 where any number may do."""
        return self.least_rows

    def notes(self, values: Sequence[str | None], known: Flags) -> Iterator[str]:
        """Yield what an owner should know of it on a table whose column has these values; those `known` count."""
        del values, known
        yield from ()

    def marks(self, values: Sequence[str | None], known: Flags) -> Flags:
        """Return what is counted of a group: a line for each tally, which values of the column it counts.

        `known` says which of the values tell something. Nothing is counted but rows unless a kind says so.
        """
        del known
        return np.zeros((0, len(values)), dtype=np.bool_)

    @abstractmethod
    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the figures of groups as fractions: above and below the line.

        `rows` are those of each group whose value is known, `tallies` (first axis: lines of `marks`) count them.
        """

    @abstractmethod
    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows at least each group lacks to keep the promise, `most` where none would help."""

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks that are drawn evenly from the others; `most` where none would help.

        `tallies` are those of the group, the others of the whole table.
        """
        del all_rows, all_tallies
        return int(self.lacking(np.array([rows]), tallies.reshape(-1, 1), most)[0])

    def helping(self, rows: Ints, tallies: Ints) -> Ints:
        """Return how many of some rows may help a group that breaks the promise."""
        del tallies
        return rows

    def inferences(self) -> tuple[Inference, ...]:
        """Return the promises that somebody cannot be too sure of a certain value: itself, or none."""
        return ()

    def in_whole_table(self) -> GroupPromise:
        """Return the promise where a sample is released and rows are counted in the whole table."""
        return self

    @abstractmethod
    def in_words(self) -> str:
        """Return the promise as a sentence."""

    @abstractmethod
    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the best possible figure."""

    @abstractmethod
    def would_break(self, above: int, below: int) -> str:
        """Return how a group with this figure breaks it."""

    def leaves_open(self) -> tuple[str, ...]:
        """Return what it does not cover although one might think so."""
        return ()

    @classmethod
    @abstractmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words what was found in the worst group."""

    @classmethod
    @abstractmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short, for a table."""

    @classmethod
    @abstractmethod
    def allows(cls, limit: Fraction) -> str:
        """Return a limit in short, for a table."""

    @classmethod
    def number(cls, worst: WorstGroup) -> int:
        """Return how many of its unit the worst group has."""
        return worst.share.denominator if worst.share else 0


class GroupRequirement(Part):
    """An item of `protect` that makes promises about groups."""

    tag: ClassVar[str]
    """The field that tells it from other requirements."""
    hint: ClassVar[str]
    """What else must be said, for whoever names none of the requirements or several."""
    needs: ClassVar[dict[str, str]] = {}
    """What to say of a field that is missing."""
    made: ClassVar[type[GroupPromise]]
    """The kind of promise that it makes."""

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know (quasi-identifiers)."""
        raise NotImplementedError

    @property
    def sensitive(self) -> str | None:
        """The column of which something must not be inferred, if there is one."""
        return None

    def promises(self, index: int, values: ValuesOf | None = None) -> Iterator[GroupPromise]:
        """Yield its promises; `index` is its position in `protect`.

        With the `values` of a table at hand a requirement may promise something for each of them.
        """
        raise NotImplementedError

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        raise NotImplementedError

    def on_share(self, share: Fraction) -> Self:
        """Return the requirement as it is where only a share of the rows is searched."""
        del share
        return self

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another limit on the figure."""
        raise NotImplementedError


def _known_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    if not columns:
        raise ValueError("name at least one column that an adversary may know")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is listed twice")
    return columns


KnownColumns = Annotated[
    tuple[str, ...],
    AfterValidator(_known_columns),
    Field(json_schema_extra={"minItems": 1, "uniqueItems": True}),
]
