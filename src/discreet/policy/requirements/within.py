"""A number or date nearly known: nobody may be too sure in which window of some width it lies.

Every closed window of that width is a property, and the template of each must hold; it is enough to look at windows
that begin at a value that the table has. For each fixed window this is a template, so unions of groups keep it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field, field_validator

from discreet.columns.scale import EXACT, Numbers
from discreet.common.shares import percent
from discreet.policy.part import Text
from discreet.policy.places import Path
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import GroupPromise, GroupWords
from discreet.policy.requirements.seen import SeenColumn
from discreet.policy.requirements.value_kinds import PartPromise, ValueKind, ValueParts, register_kind

_DAYS = re.compile(r"\s*(\d{1,7})\s*days?\s*")
_WRITE = "write a width such as 10000 for numbers, or 30 days for dates"


def width_of(text: str | None) -> Decimal | None:
    """Return a width: a number, or a number of days.

    >>> width_of("10000"), width_of("30 days"), width_of("x")
    (Decimal('10000'), Decimal('30'), None)
    """
    days = _DAYS.fullmatch(text or "")
    return Decimal(days[1]) if days else Numbers().read(text)


@dataclass(frozen=True)
class Window(PartPromise):
    """Who looks alike on `given` must not be known too surely to lie in any window of the width `within`."""

    kind: ClassVar[str] = "window"
    noun: ClassVar[tuple[str, str]] = ("a template", "templates")
    called: ClassVar[str] = "a template"
    together: ClassVar[str] = "in one window"
    words: ClassVar[GroupWords] = GroupWords(
        name="windows",
        public=("limit on how nearly a number is known", "limits on how nearly numbers are known"),
        title="Nobody can be surer than {} of a number, to within what was said",
        broken="A number can be nearly known with {}: above its limit",
        axis="share of the fullest window in the worst group",
        caption="The fullest window in the worst group of each promise",
        column="Promise",
        group="Share of the fullest window",
        above="in groups where a window has more than {}",
        hits="In the fullest window",
    )

    index: int
    given: tuple[str, ...]
    column: str
    within: str
    """The width, as the owner wrote it."""
    at_most: Fraction
    parts: ValueParts = field(default=ValueParts(), compare=False, repr=False)

    @property
    def about(self) -> tuple[str, str, str]:
        """Windows of one width over a column."""
        return self.kind, self.column, self.within

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        sure = f"cannot be more than {percent(self.at_most)} sure of {self.column} to within {self.within}"
        return f"Whoever knows {in_words(self.given)} and sees the release {sure}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the share of the fullest window."""
        full = f"with everything hidden some window still has {least} ({percent(least)}) of a group"
        return f"cannot be kept: {full}; allow at least that much, or ask for a narrower window"

    def leaves_open(self) -> tuple[str, ...]:
        """Return that wider windows are not limited."""
        return (f"{self.column} to within more than {self.within}: a wider window may hold all rows of a group",)

    def __str__(self) -> str:
        known = f"{in_short(self.given)} -> {self.column} to within {self.within}"
        return f"{known}, at most {percent(self.at_most)}"


@register_kind
class Within(ValueKind):
    """A number or date to within some width: any closed window of that width.

    Parameters
    ----------
    within
        The width: a number, or for dates such as `"30 days"`.

    Examples
    --------
    >>> Within(10000).short("income")
    'income to within 10000'
    """

    tag: ClassVar[str] = "within"
    positional: ClassVar[tuple[str, ...]] = ("within",)
    made: ClassVar[type[GroupPromise]] = Window
    reads: ClassVar[frozenset[str]] = frozenset({"type"})

    within: Text = Field()

    if TYPE_CHECKING:

        def __init__(self, within: str | float) -> None: ...

    @field_validator("within")
    @classmethod
    def _is_a_width(cls, text: str | None) -> str:
        width = width_of(text)
        if text is None or width is None or width < 0:
            raise ValueError(_WRITE)
        return " ".join(text.split())

    @property
    def width(self) -> Decimal:
        """The width as a number."""
        found = width_of(self.within)
        assert found is not None
        return found

    def parts(self, seen: SeenColumn) -> ValueParts:
        """Return every window that begins at a value."""
        scale = seen.column.scale
        values = [(None if scale is None else scale.read(texts[0]), texts) for texts in seen.different]
        read = [(value, texts) for value, texts in values if value is not None]
        ranges: list[tuple[int, int]] = []
        stop = 0
        for first, (begin, _) in enumerate(read):
            while stop < len(read) and EXACT.subtract(read[stop][0], begin) <= self.width:
                stop += 1
            ranges.append((first, stop))
        return ValueParts(tuple(texts for _, texts in read), tuple(ranges))

    def promise(self, index: int, given: tuple[str, ...], column: str, at_most: Fraction, parts: ValueParts) -> Window:
        """Return the promise that no window is too full; one inside another is no fuller than that."""
        assert self.within is not None
        stops = [0, *(stop for _, stop in parts.ranges)]
        outer = tuple(ends for before, ends in zip(stops, parts.ranges, strict=False) if ends[1] > before)
        return Window(index, given, column, self.within, at_most, ValueParts(parts.order, outer))

    def short(self, column: str) -> str:
        """Return what is meant in short."""
        return f"{column} to within {self.within}"

    def in_words(self, column: str) -> str:
        """Return what somebody may be sure of."""
        return f"of {column} to within {self.within}"

    def problems(self, column: str, seen: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield that the column must be of numbers, or of dates where the width is in days."""
        scale, days = seen.column.scale, _DAYS.fullmatch(self.within or "") is not None
        if scale is None:
            yield ("within",), f"only numbers and dates lie within something; write type: number or date for {column!r}"
        elif days != (scale.name == "date"):
            write = "a number of days, such as 30 days" if scale.name == "date" else "a number, such as 10000"
            yield ("within",), f"{column!r} is a {scale.name}; write {write}"
        else:
            bad = sum(scale.read(value) is None for value in seen.values if value not in seen.missing)
            if bad:
                many = f"{bad} of the {len(seen.values)} different values of {column!r} are no {scale.name}"
                yield ("within",), f"{many}; name missing ones under 'missing'"
