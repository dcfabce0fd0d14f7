"""What every promise about groups answers for itself, and every requirement that makes such promises.

A group is the set of rows that look alike on some columns (an equivalence class on quasi-identifiers, as the field
says). A promise makes a fraction of each group, its figure, and says that none is above a limit. Merging whole groups
must never make the figure larger than the larger of the two: then every search serves it, stopping early is safe, and
the table with everything hidden tells at once whether anything can be released. A promise may compare a group with the
whole release, whose counts it is made with (`SeenColumn`); and where its figure is no fraction of small numbers it
decides by itself what breaks it (`decides`), its figure being any that is on the right side of the limit.

Nobody else asks which kind a promise is. Verification alone counts by code of its own (`verification/counting.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from discreet.common.shares import parse_share, percent, short_percent
from discreet.encoded import Ints
from discreet.policy.part import Part
from discreet.policy.places import Path
from discreet.policy.populations import Population
from discreet.policy.requirements.any_of import KnownColumns, sets_of
from discreet.policy.requirements.seen import SeenColumn, SeenOf
from discreet.policy.requirements.wording import GroupWords, Unit, WorstGroup

if TYPE_CHECKING:
    from discreet.policy.requirements.template_promise import Inference

__all__ = [
    "Flags", "GroupPromise", "GroupRequirement", "GroupWords", "KnownColumns", "Unit", "WorstGroup",
]  # fmt: skip

Flags = npt.NDArray[np.bool_]


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
    decides: ClassVar[bool] = False
    """Whether the measure says by itself what breaks the promise; else the figure has no more below the line than
    there are rows, and is compared."""
    known_only: ClassVar[bool] = True
    """Whether only rows count whose value is known; else all do, and the first tally counts those known."""
    moves: ClassVar[bool] = False
    """Whether groups are compared with the whole release: where rows leave it, all are counted again."""
    template: ClassVar[bool] = False
    """Whether it limits how sure somebody can be of something: the search is `disclosure` if all promises do."""
    strict: ClassVar[bool] = False
    """Whether the figure must be below the limit, not at it."""
    unit: ClassVar[Unit | None] = None
    """What there must be enough of; None where a share must be small enough."""
    threshold: ClassVar[str] = "share"
    """What its threshold is: only those of the same are changed together."""
    holds_at_one: ClassVar[bool] = True
    """Whether a limit of 1 promises nothing: every figure is a share, or one part of what there must be enough of."""
    thresholds: ClassVar[tuple[Fraction, ...] | None] = None
    """Limits that are worth a look, from strict to loose; None where shares are."""
    spread: ClassVar[tuple[Fraction, ...]] = tuple(Fraction(step, 20) for step in range(21))
    """Where ranges of figures begin, for a picture of all groups."""
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
        def among(self) -> Population | None:
            """The people who are counted beside the rows: the first tally then counts rows, the second people."""

    else:
        among = None

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

    @property
    def stated(self) -> Fraction:
        """The limit as findings have it: with `strict`, what the figure must be below."""
        return self.at_most

    def over_each(self) -> Iterator[Self]:
        """Yield it for every set of columns that may be known: itself, or one for any so many of them."""
        sets = sets_of(self.given)
        this: Any = self
        yield from (self,) if len(sets) == 1 and sets[0] == self.given else (replace(this, given=one) for one in sets)

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

    def properties(self, values: Sequence[str | None], known: Flags) -> Flags:
        """Return what somebody may be sure of: a line for each property, which values of the column have it."""
        return self.marks(values, known)

    @property
    def needs_all_rows(self) -> bool:
        """Whether a person with several rows has its property only if all of them do; else one is enough."""
        return False

    def of_property(self, given: tuple[str, ...], column: str, value: str, seen: SeenOf | None) -> GroupPromise:
        """Return the same promise about another column, where a value says that somebody has one of its properties.

        Only promises that limit how sure somebody can be have properties.
        """
        raise NotImplementedError

    def numbers(self, at_most: Fraction, total: int) -> Sequence[int] | Ints | None:
        """Return what its measure needs to know besides, for this limit and so many rows in all (`vector_kernels`)."""
        del at_most, total
        return None

    def too_large(self, total: int) -> str | None:
        """Return why so many rows cannot be counted exactly, if that is so."""
        del total
        return None

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

    def sought(self) -> tuple[str | None, ...]:
        """Return the values that it is about: where no row has them, it says nothing."""
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

    @classmethod
    def shown(cls, figure: float | Fraction) -> str:
        """Return a figure in short; `stands` says more of the worst group."""
        return short_percent(figure)

    @classmethod
    def read_limit(cls, text: object) -> Fraction:
        """Return the limit on the figure that somebody writes as a threshold; raise ValueError otherwise."""
        return parse_share(text)

    @classmethod
    def limit_text(cls, limit: Fraction) -> str:
        """Return a limit as people write it."""
        return percent(limit)


class GroupRequirement(Part):
    """An item of `protect` that makes promises about groups."""

    tag: ClassVar[str]
    """The field that tells it from other requirements."""
    written: ClassVar[str] = ""
    """How that is written, where the field alone does not tell."""
    hint: ClassVar[str]
    """What else must be said, for whoever names none of the requirements or several."""
    needs: ClassVar[dict[str, str]] = {}
    """What to say of a field that is missing."""
    made: ClassVar[type[GroupPromise]]
    """The kind of promise that it makes."""
    makes: ClassVar[tuple[type[GroupPromise], ...]] = ()
    """All kinds, where it makes several."""

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that this one makes."""
        return self.made

    @classmethod
    def is_meant(cls, said: Mapping[str, Any]) -> bool:
        """Whether an item of `protect` is one of these."""
        return cls.tag in said

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know (quasi-identifiers)."""
        raise NotImplementedError

    @property
    def population(self) -> Population | None:
        """The people among whom those of the table are, where they are counted."""
        return None

    def with_population(self, population: Population) -> Self:
        """Return the same requirement among other people, where it counts any."""
        del population
        return self

    @property
    def sensitive(self) -> str | None:
        """The column of which something must not be inferred, if there is one."""
        return None

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield its promises; `index` is its position in `protect`.

        What a table at hand has `seen` of a column tells for which values a requirement promises something, and with
        what groups are compared.
        """
        raise NotImplementedError

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        raise NotImplementedError

    def named(self) -> tuple[str | None, ...]:
        """Return the values of the sensitive column that it names, which the table must have."""
        return ()

    @property
    def reads(self) -> frozenset[str]:
        """What it needs to know of the sensitive column: its type, its taxonomy."""
        return frozenset()

    def problems(self, column: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield what does not fit the sensitive column of a table, with the place; no value of it is told."""
        del column
        yield from ()

    def on_share(self, share: Fraction) -> Self:
        """Return the requirement as it is where only a share of the rows is searched."""
        del share
        return self

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another limit on the figure."""
        raise NotImplementedError
