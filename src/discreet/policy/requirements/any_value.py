"""Any value: nobody may be too sure of any value of a sensitive column, or of any but some harmless ones.

It is the template of every value of the table at once (basic confidence bounding; l-diversity is implied for l up to
one over the limit), so a union of groups keeps it because it keeps each of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator

from discreet.common.registry import listed
from discreet.common.shares import percent
from discreet.policy.part import VALUES, Text
from discreet.policy.places import Path
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import GroupPromise, GroupWords
from discreet.policy.requirements.seen import SeenColumn, Value
from discreet.policy.requirements.value_kinds import PartPromise, ValueKind, ValueParts, register_kind


def _but(values: Sequence[Value]) -> str:
    return f" but {listed(['a missing value' if value is None else value for value in values])}" if values else ""


@dataclass(frozen=True)
class AnyValue(PartPromise):
    """Who looks alike on `given` must not be known too surely to have any one value of `column`."""

    kind: ClassVar[str] = "any-value"
    noun: ClassVar[tuple[str, str]] = ("a template", "templates")
    called: ClassVar[str] = "a template"
    together: ClassVar[str] = "with one value"
    words: ClassVar[GroupWords] = GroupWords(
        name="any-value",
        public=("limit on every value of a column in a group", "limits on every value of a column in groups"),
        title="Nobody can be surer than {} of any value",
        broken="Some value can be inferred with {}: above its limit",
        axis="share of the commonest value in the worst group",
        caption="The commonest value in the worst group of each promise",
        column="Promise",
        group="Share of the commonest value",
        above="in groups where a value has more than {}",
        hits="With the commonest value",
    )

    index: int
    given: tuple[str, ...]
    column: str
    but: tuple[Value, ...]
    """The values of which everybody may be sure."""
    at_most: Fraction
    parts: ValueParts = field(default=ValueParts(), compare=False, repr=False)

    @property
    def about(self) -> tuple[str, str, tuple[Value, ...]]:
        """All values of a column but some."""
        return self.kind, self.column, self.but

    @property
    def needs_rows(self) -> int:
        """Every row has some value, and with fewer rows that one alone is too common."""
        return 1 if self.but or not self.at_most else -(-self.at_most.denominator // self.at_most.numerator)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        sure = f"cannot be more than {percent(self.at_most)} sure of any value of {self.column}{_but(self.but)}"
        return f"Whoever knows {in_words(self.given)} and sees the release {sure}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the share of the commonest value."""
        common = f"with everything hidden some value still has {least} ({percent(least)}) of a group"
        return f"cannot be kept: {common}; allow at least that much, or name it in any_but if it harms nobody"

    def leaves_open(self) -> tuple[str, ...]:
        """Return that values together are not limited."""
        return (f"several values of {self.column} taken together, such as two illnesses of one kind",)

    def __str__(self) -> str:
        return f"{in_short(self.given)} -> any {self.column}{_but(self.but)}, at most {percent(self.at_most)}"


class _AnyOfColumn(ValueKind):
    """What `Any` and `AnyBut` have in common."""

    made: ClassVar[type[GroupPromise]] = AnyValue
    reads: ClassVar[frozenset[str]] = frozenset({"taxonomy"})

    @property
    def but(self) -> tuple[Value, ...]:
        """The values of which everybody may be sure."""
        return ()

    def parts(self, seen: SeenColumn) -> ValueParts:
        """Return every value but those, each by itself."""
        order = tuple(some for some in seen.different if not set(some) & set(self.but))
        return ValueParts(order, tuple((place, place + 1) for place in range(len(order))))

    def problems(self, column: str, seen: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield that values above others cannot be counted beside them: who has one may have any value below it."""
        taxonomy = seen.column.taxonomy
        if taxonomy is not None:
            above = {node.label for node in taxonomy.nodes if node.children}.difference(taxonomy.leaves)
            if inner := sum(value in above for value in seen.values if value not in seen.missing):
                many = f"{inner} of the {len(seen.values)} different values of {column!r} have others below them"
                yield (self.tag,), f"{many} in its taxonomy; make them leaves, or name them under 'missing'"

    def promise(
        self, index: int, given: tuple[str, ...], column: str, at_most: Fraction, parts: ValueParts
    ) -> AnyValue:
        """Return the promise that no value is too common."""
        return AnyValue(index, given, column, self.but, at_most, parts)

    def short(self, column: str) -> str:
        """Return what is meant in short."""
        return f"any {column}{_but(self.but)}"

    def in_words(self, column: str) -> str:
        """Return what somebody may be sure of."""
        return f"of any value of {column}{_but(self.but)}"


def _as_true(value: object) -> object:
    """Return a yes, however it is written: in a file whose values are texts it is one, too."""
    if value is True or (isinstance(value, str) and value.lower() == "true"):
        return True
    raise ValueError("write any: true, or a value by itself")


@register_kind
class Any(_AnyOfColumn):
    """Every value of a column, whichever the table has.

    Parameters
    ----------
    any
        Always True: how a policy file writes it.

    Examples
    --------
    >>> from discreet.policy.requirements import Template
    >>> print(*Template(given=["age"], infer={"Illness": Any()}, at_most="30%").promises(0))
    age -> any Illness, at most 30%
    """

    tag: ClassVar[str] = "any"

    any: Annotated[Literal[True], BeforeValidator(_as_true)] = True


def _as_list(value: object) -> object:
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


@register_kind
class AnyBut(_AnyOfColumn):
    """Every value of a column but some that harm nobody.

    Parameters
    ----------
    any_but
        The value, or a list of those, that harm nobody.

    Examples
    --------
    >>> AnyBut(["Healthy"]).short("Illness")
    'any Illness but Healthy'
    """

    tag: ClassVar[str] = "any_but"
    positional: ClassVar[tuple[str, ...]] = ("any_but",)

    any_but: Annotated[tuple[Text, ...], BeforeValidator(_as_list)] = Field(json_schema_extra=VALUES)

    if TYPE_CHECKING:

        def __init__(self, any_but: str | Sequence[str | int | float | bool | None]) -> None: ...

    @field_validator("any_but")
    @classmethod
    def _each_once(cls, values: tuple[Value, ...]) -> tuple[Value, ...]:
        if not values:
            raise ValueError("name at least one value of which everybody may be sure, or write any: true")
        if len(set(values)) < len(values):
            raise ValueError("a value is listed twice")
        return values

    @property
    def but(self) -> tuple[Value, ...]:
        """The values of which everybody may be sure."""
        return self.any_but

    def named(self) -> tuple[Value, ...]:
        """Return the values of which everybody may be sure."""
        return self.any_but
