"""Absence: nobody may be too sure that somebody does not have a value.

The template of the property "known, and not that value"; it is kept by unions of groups as every template is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from discreet.common.shares import percent
from discreet.policy.part import Text
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import Flags, GroupPromise
from discreet.policy.requirements.seen import SeenColumn, Value
from discreet.policy.requirements.template_promise import Inference
from discreet.policy.requirements.value_kinds import ValueKind, ValueParts, register_kind


@dataclass(frozen=True)
class Absence(Inference):
    """Who looks alike on `given` must not be known too surely to have another value of `column` than this one."""

    kind: ClassVar[str] = "absence"

    @property
    def about(self) -> tuple[str, str | None]:
        """The absence of a value."""
        return f"not {self.column}", self.value

    def marks(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return which values are known and are not the one."""
        return (np.array([[value != self.value for value in values]], dtype=np.bool_)) & known

    @property
    def needs_all_rows(self) -> bool:
        """Who has the value in one row does not lack it."""
        return True

    def inferences(self) -> tuple[Inference, ...]:
        """Return nothing: who is sure of an absence is sure of no value."""
        return ()

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        value = "missing" if self.value is None else self.value
        sure = f"cannot be more than {percent(self.at_most)} sure that {self.column} is not {value}"
        return f"Whoever knows {in_words(self.given)} and sees the release {sure}."

    def __str__(self) -> str:
        value = "a missing value" if self.value is None else self.value
        return f"{in_short(self.given)} -> {self.column} is not {value}, at most {percent(self.at_most)}"


@register_kind
class Not(ValueKind):
    """The absence of a value: that somebody is known not to have it.

    Parameters
    ----------
    value
        The value that nobody shall be known not to have.

    Examples
    --------
    >>> Not("HIV").short("Illness")
    'Illness is not HIV'
    """

    tag: ClassVar[str] = "not"
    positional: ClassVar[tuple[str, ...]] = ("value",)
    made: ClassVar[type[GroupPromise]] = Absence
    needs_all_rows: ClassVar[bool] = True

    value: Text = Field(alias="not")

    if TYPE_CHECKING:

        def __init__(self, value: str | int | float | bool | None) -> None: ...

    def parts(self, seen: SeenColumn) -> ValueParts:
        """Return all other values as one property."""
        return ValueParts((tuple(value for value in seen.values if value != self.value),), ((0, 1),))

    def promise(self, index: int, given: tuple[str, ...], column: str, at_most: Fraction, parts: ValueParts) -> Absence:
        """Return the promise that nobody is known too surely not to have it."""
        del parts
        return Absence(index, given, column, self.value, at_most)

    def short(self, column: str) -> str:
        """Return what is meant in short."""
        return f"{column} is not {'a missing value' if self.value is None else self.value}"

    def in_words(self, column: str) -> str:
        """Return what somebody may be sure of."""
        return f"that {column} is not {'missing' if self.value is None else self.value}"

    def named(self) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value,)

    def sought(self) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value,)
