"""l-diversity (Machanavajjhala et al.): no group has fewer than l different values of a sensitive column.

The distinct kind stands here; `entropy_diversity` and `recursive_diversity` are the other two of the paper.

In every group one value is one of the different ones there are, 1/values, which is at most 1/l; a union of groups has
all values of each. Rows whose value is hidden or unknown count nowhere, and a group of which no value is known
keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from discreet.encoded import Ints
from discreet.policy.requirements.amounts import LeastValues, Times
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import (
    GroupPromise,
    GroupWords,
    KnownColumns,
    Unit,
    WorstGroup,
)
from discreet.policy.requirements.entropy_diversity import EntropyDiversity
from discreet.policy.requirements.of_values import DifferentValues, OfColumn
from discreet.policy.requirements.recursive_diversity import RecursiveDiversity, ratio_of
from discreet.policy.requirements.seen import SeenOf, Value

_WHOLE_UNLESS_ENTROPY = {
    "if": {"properties": {"kind": {"const": "entropy"}}, "required": ["kind"]},
    "else": {"properties": {"l": {"type": "integer"}}},
}
_C_IF_RECURSIVE = {
    "if": {"properties": {"kind": {"const": "recursive"}}, "required": ["kind"]},
    "then": {"required": ["c"], "properties": {"c": {"not": {"type": "null"}}, "l": {"minimum": 2}}},
    "else": {"properties": {"c": {"type": "null"}}},
}
_SCHEMA: dict[str, Any] = {"allOf": [_WHOLE_UNLESS_ENTROPY, _C_IF_RECURSIVE]}

UNIT = Unit("different value", "different values", "l", "least different values", "least diverse group")


@dataclass(frozen=True)
class Diversity(DifferentValues):
    """One promise of l-diversity: who looks alike on `given` has at least `l` different values of `column`."""

    kind: ClassVar[str] = "l-diversity"
    called: ClassVar[str] = "l-diversity"
    measure: ClassVar[str] = "different"
    threshold: ClassVar[str] = "l"
    unit: ClassVar[Unit | None] = UNIT
    words: ClassVar[GroupWords] = GroupWords(
        name="diversity",
        public=("promise of l-diversity", "promises of l-diversity"),
        title="Every group has at least {} of a sensitive column",
        broken="A group has only {}: fewer than was promised",
        axis="different values in the least diverse group",
        caption="The least diverse group of each promise",
        column="Promise",
        group="Different values in the group",
        above="in groups with fewer than {} different values",
    )

    index: int
    given: tuple[str, ...]
    column: str
    l: int  # noqa: E741 - as the field calls it
    lines: tuple[tuple[Value, ...], ...] = field(default=(), compare=False, repr=False)
    """The different values of the table, where it is at hand."""

    @property
    def at_most(self) -> Fraction:
        """The largest share that one value may be of the different ones."""
        return Fraction(1, self.l)

    @property
    def about(self) -> tuple[str, str]:
        """The different values of a column."""
        return self.kind, self.column

    @property
    def needs_rows(self) -> int:
        """A row has one value."""
        return self.l

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return one value, and how many different ones there are."""
        del rows
        different = (tallies > 0).sum(axis=0)
        return (different > 0).astype(np.int64), np.maximum(different, 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows with further values each group lacks at least."""
        del rows, most
        different = (tallies > 0).sum(axis=0)
        return np.where(different > 0, np.maximum(self.l - different, 0), 0)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        left = f"at least {self.l} different values of {self.column} that could be theirs"
        return f"Whoever knows {in_words(self.given)} and sees the release is left with {left}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: how many values there are at most."""
        values = UNIT.counted(least.denominator)
        return f"cannot be kept: with everything hidden a group has {values}; ask for at most that many"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group with so few values breaks it."""
        del above
        return f"a group with {UNIT.counted(below)} of {self.column}, fewer than {self.l}"

    def leaves_open(self) -> tuple[str, ...]:
        """Return that values need not be evenly common."""
        few = "l-diversity limits how few values there are, not how sure one can be of one of them"
        why = f"that so much is hidden of some people may tell which {self.column} they have in common"
        return (f"how common a value of {self.column} is in a group: {few}", f"whoever knows the method: {why}")

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how many values the least diverse group has."""
        return f"the least diverse group has {UNIT.counted(cls.number(worst))}"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"least diverse group: {UNIT.counted(cls.number(worst))}"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how many values there must be at least."""
        return UNIT.counted(limit.denominator)

    def __str__(self) -> str:
        return f"{in_short(self.given)}: at least {self.l} different values of {self.column}"


class LDiversity(OfColumn):
    """Every combination of released values on the columns `over` has at least `l` different values of `of`.

    Parameters
    ----------
    l
        The least number of different values; with the kind `entropy` it may be a fraction.
    of
        The sensitive column.
    over
        The columns an adversary may know.
    kind
        `distinct` (so many different values), `entropy` (as uncertain as among so many equally common values) or
        `recursive` (the commonest value is below `c` times as common as all that are not among the l - 1 commonest).
    c
        For the kind `recursive`.

    Examples
    --------
    >>> print(*LDiversity(l=3, of="Illness", over=["age", "sex"]).promises(0))
    age, sex: at least 3 different values of Illness
    """

    tag: ClassVar[str] = "l"
    made: ClassVar[type[GroupPromise]] = Diversity
    makes: ClassVar[tuple[type[GroupPromise], ...]] = (Diversity, EntropyDiversity, RecursiveDiversity)
    model_config = ConfigDict(json_schema_extra=_SCHEMA)

    l: LeastValues = Field(description="the least number of different values in a group")  # noqa: E741
    of: str = Field(description="the sensitive column")
    over: KnownColumns
    kind: Literal["distinct", "entropy", "recursive"] = Field(
        default="distinct",
        description="what is counted: different values, their entropy, or how common the commonest is",
    )
    c: Times | None = Field(
        default=None, description="recursive: less than so many times as common as the values beyond the commonest"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            l: float | str | Fraction,  # noqa: E741
            of: str,
            over: Sequence[str],
            kind: Literal["distinct", "entropy", "recursive"] = "distinct",
            c: float | str | Fraction | None = None,
        ) -> None: ...

    @model_serializer(mode="wrap")
    def _without_defaults(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what only some kinds have."""
        said: dict[str, Any] = plain(self)
        return {name: value for name, value in said.items() if name not in ("kind", "c") or self.kind != "distinct"}

    @model_validator(mode="after")
    def _fits_its_kind(self) -> LDiversity:
        if self.kind != "entropy" and self.l.denominator != 1:
            raise ValueError(f"l: write a whole number, or kind: entropy (with kind: {self.kind} values are counted)")
        if self.kind == "recursive" and self.c is None:
            raise ValueError("c: is missing; write how many times as common the commonest value may be, such as c: 2")
        if self.kind == "recursive" and self.l < 2:
            raise ValueError("l: recursive l-diversity begins with 2")
        if self.kind != "recursive" and self.c is not None:
            raise ValueError("c: is for kind: recursive; write that, or leave it out")
        return self

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that this one makes."""
        return self.makes[("distinct", "entropy", "recursive").index(self.kind)]

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield the promise; `index` is the position of this requirement in `protect`."""
        lines = () if seen is None else seen(self.of).different
        if self.kind == "entropy":
            yield EntropyDiversity(index, self.over, self.of, Fraction(self.l), lines)
        elif self.kind == "recursive":
            assert self.c is not None
            yield RecursiveDiversity(index, self.over, self.of, int(self.l), self.c, lines)
        else:
            yield Diversity(index, self.over, self.of, int(self.l), lines)

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another l, or another c."""
        if self.kind == "recursive":
            return self.model_copy(update={"c": ratio_of(limit)})
        return self.model_copy(update={"l": 1 / limit if self.kind == "entropy" else limit.denominator})
