"""The parts of a plan: recodings, edits, protected cells, the steps of a search and what it left hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from discreet.columns.intervals import Interval, finder
from discreet.columns.scale import Scale
from discreet.plan.reasons import KeptReason


@dataclass(frozen=True)
class Recoding:
    """What becomes of the values of one column: each value with the text that is released for it.

    Numbers and dates are released by `intervals` (ascending); `to` then has the missing values only.
    """

    column: str
    to: tuple[tuple[str | None, str | None], ...]
    intervals: tuple[Interval, ...] = ()

    @property
    def shown(self) -> tuple[str | None, ...]:
        """The values that are released as they are."""
        return tuple(value for value, text in self.to if value == text)

    @property
    def hidden(self) -> tuple[str | None, ...]:
        """The values for which something else is released."""
        return tuple(value for value, text in self.to if value != text)

    @property
    def released(self) -> tuple[str | None, ...]:
        """The texts that may be released, each once."""
        return tuple(dict.fromkeys([*(text for _, text in self.to), *(i.text for i in self.intervals)]))

    def texts(self, values: Sequence[str | None], scale: Scale | None) -> list[str | Unseen | None]:
        """Return what is released for each value, or `UNSEEN` where the plan does not say."""
        to: dict[str | None, str | Unseen | None] = dict(self.to)
        if not self.intervals or scale is None:
            return [to.get(value, UNSEEN) for value in values]
        if (last := self.__dict__.get("_last")) is not None and last[:2] == (values, scale):
            return list(last[2])
        within = finder(self.intervals)
        read = self.__dict__.pop("_read", None)
        numbers = read[2] if read is not None and read[:2] == (values, scale) else map(scale.read, values)
        found = [
            to[value] if value in to else within(number) or UNSEEN
            for value, number in zip(values, numbers, strict=True)
        ]
        if isinstance(values, tuple):  # a column's values are asked for several times, and to read them takes long
            self.__dict__["_last"] = values, scale, found
        return list(found)

    def read_already(self, values: Sequence[str | None], scale: Scale, numbers: Sequence[Decimal | None]) -> None:
        """Take these numbers of values the next time that texts are asked for: they need not be read again."""
        self.__dict__["_read"] = values, scale, numbers

    def __getstate__(self) -> dict[str, object]:
        """Return what is copied and kept of it: the fields."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_last", "_read")}


class Unseen(Enum):
    """Stands for a value that a plan says nothing of."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN


@dataclass(frozen=True)
class Edit:
    """One cell, by row number of the input (from 1), and the text it gets."""

    row: int
    column: str
    text: str


@dataclass(frozen=True)
class Protected:
    """A confidential cell, by row number of the input, and what was done so that nobody guesses it.

    `status` is `safe` (hiding it was enough), `done` (more had to change), `by lot` (two values only, and chance left
    it as it is) or `removed` (the row is not released). `guess` is the value that was to become as probable,
    `changed` are the other cells that were changed for it; where cells share their changes, none are listed.
    """

    requirement: int
    row: int
    column: str
    status: str
    guess: str | None = None
    rounds: int = 1
    changed: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Decoy:
    """A cell, by row number of the input, that was hidden only so that hidden cells of its column tell less."""

    requirement: int
    row: int
    column: str


@dataclass(frozen=True)
class Step:
    """One decision of the search, in order.

    `kind` is `disclose` (a value of a plain column), `specialise` (a taxonomy node) or `split` (an interval, at
    `cut`). `gain` is what the use gains, `loss` how much surer an adversary gets (mean over the promises
    concerned), `score` what the method compared.
    """

    column: str
    value: str | None
    kind: str
    score: float
    gain: float
    loss: float
    cut: str | None = None


@dataclass(frozen=True)
class Kept:
    """A value that stays hidden (or a node or interval that is not told finer), and why.

    `requirement` is the position in `protect` of the promise that telling it would break, `infers` its
    sensitive value (None for k-anonymity), `hits` of `rows` what the worst group would have had, `cut` where the
    interval would best have been cut; `requirement` is None when telling more would not help the use, or when
    the search was stopped before.
    """

    column: str
    value: str | None
    reason: KeptReason
    requirement: int | None = None
    infers: str | None = None
    hits: int | None = None
    rows: int | None = None
    cut: str | None = None
