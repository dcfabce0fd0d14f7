"""What a template may be about besides a value: any value, the absence of one, a number nearly known.

Each kind is one file. It says which properties of the rows are meant on a table at hand (`ValueParts`), and which
promise limits how sure one can be of them. With a limit such as `2x` they are compared with what is usual (`times.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from discreet.common.shares import percent, short_percent
from discreet.encoded import Ints
from discreet.policy.part import Part
from discreet.policy.places import Path
from discreet.policy.requirements.base import Flags, GroupPromise, WorstGroup
from discreet.policy.requirements.seen import SeenColumn, SeenOf, Value, lines_for
from discreet.policy.requirements.template_promise import Inference


@dataclass(frozen=True)
class ValueParts:
    """Properties of rows: sets of values in an order, and which neighbouring ones together are a property."""

    order: tuple[tuple[Value, ...], ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()

    def counts(self, seen: SeenColumn) -> tuple[int, ...]:
        """Return how many rows have each property."""
        each = np.cumsum([0, *(seen.rows_with(values) for values in self.order)])
        return tuple(int(each[stop] - each[first]) for first, stop in self.ranges)

    def sums(self, tallies: Ints) -> Ints:
        """Return the rows of groups (second axis) with each property (first axis)."""
        if not self.ranges:
            return np.zeros((1, tallies.shape[1]), dtype=np.int64)
        so_far = np.concatenate([np.zeros((1, tallies.shape[1]), dtype=np.int64), np.cumsum(tallies, axis=0)])
        first, stop = self._ends
        found: Ints = so_far[stop] - so_far[first]
        return found

    def unions(self, lines: Flags) -> Flags:
        """Return which values have each property (first axis), from the values of each set."""
        unions = [lines[first:stop].any(axis=0) for first, stop in self.ranges]
        return np.stack(unions) if unions else np.zeros((0, lines.shape[1]), dtype=np.bool_)

    @cached_property
    def _ends(self) -> Ints:
        return np.array(self.ranges, dtype=np.int64).T


class ValueKind(Part):
    """What somebody must not be too sure of, of a sensitive column."""

    tag: ClassVar[str]
    """The field that tells it from other kinds."""
    made: ClassVar[type[GroupPromise]]
    """The promise that it makes with a share for a limit."""
    reads: ClassVar[frozenset[str]] = frozenset()
    """What it needs to know of the column."""
    needs_all_rows: ClassVar[bool] = False
    """Whether a person with several rows has such a property only if all of them do."""

    def parts(self, seen: SeenColumn) -> ValueParts:
        """Return the properties that are meant on a table."""
        raise NotImplementedError

    def promise(
        self, index: int, given: tuple[str, ...], column: str, at_most: Fraction, parts: ValueParts
    ) -> GroupPromise:
        """Return the promise that nobody is too sure of any of the properties."""
        raise NotImplementedError

    def unbound(self, index: int, given: tuple[str, ...], column: str, at_most: Fraction) -> GroupPromise:
        """Return the promise where no table is at hand."""
        return self.promise(index, given, column, at_most, ValueParts())

    def short(self, column: str) -> str:
        """Return what is meant in short."""
        raise NotImplementedError

    def in_words(self, column: str) -> str:
        """Return what somebody may be sure of, as a part of a sentence: 'sure ...'."""
        raise NotImplementedError

    def named(self) -> tuple[Value, ...]:
        """Return the values that it names, which the table must have."""
        return ()

    def sought(self) -> tuple[Value, ...]:
        """Return those of the named values that it is about, and not all others."""
        return ()

    def problems(self, column: str, seen: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield what does not fit a table."""
        del column, seen
        yield from ()

    def plain(self) -> Any:
        """Return it as a policy file has it."""
        return self.model_dump(mode="json", by_alias=True)


VALUE_KINDS: dict[str, type[ValueKind]] = {}
"""The kinds by the fields that tell which is meant."""


def register_kind(kind: type[ValueKind]) -> type[ValueKind]:
    """Let templates have a further kind."""
    VALUE_KINDS[kind.tag] = kind
    return kind


class PartPromise(GroupPromise):
    """A promise that no property of several has more than a share of any group; the share of the commonest counts."""

    measure: ClassVar[str] = "part"
    template: ClassVar[bool] = True
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False
    together: ClassVar[str]
    """What the rows with the commonest property have in common, as `with one value`."""

    parts: ValueParts

    def would_break(self, above: int, below: int) -> str:
        """Return how a group with such a share breaks it."""
        rows = "1 row" if below == 1 else f"{below} rows"
        return f"{above} of {rows} {self.together}, {percent(Fraction(above, below or 1))} > {percent(self.at_most)}"

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how common the commonest property is in the worst group."""
        rows = worst.rows - worst.hidden
        among = f"{rows} known rows" if worst.hidden else "1 row" if rows == 1 else f"{rows} rows"
        return f"{worst.hits} of {among} {cls.together}, {worst.share} ({percent(worst.share)})"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"{short_percent(worst.share)} ({worst.hits:,} of {worst.rows - worst.hidden:,} rows)"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return the largest share allowed."""
        return short_percent(limit)

    def marks(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return the values of each set on a line of their own."""
        return lines_for(self.parts.order, values) & known

    def properties(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return the values of each property."""
        return self.parts.unions(self.marks(values, known))

    def of_property(self, given: tuple[str, ...], column: str, value: str, seen: SeenOf | None) -> GroupPromise:
        """Return the template of a value that says who has one of the properties."""
        del seen
        return Inference(self.index, given, column, value, self.at_most)

    def numbers(self, at_most: Fraction, total: int) -> Sequence[int]:
        """Return how many properties there are, and from which line to which each goes."""
        del at_most, total
        return [len(self.parts.ranges), *(end for ends in self.parts.ranges for end in ends)]

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the rows with the commonest property, and those of which it is known."""
        return self.parts.sums(tallies).max(axis=0), np.maximum(rows, 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows without the commonest property each group lacks."""
        hits, limit = self.parts.sums(tallies).max(axis=0), self.at_most
        if not limit:
            return np.where(hits > 0, most, 0)
        exact = -(-hits.astype(object) * limit.denominator // limit.numerator)  # ceil(hits / limit), by integers
        return np.asarray(np.minimum(np.maximum(exact - rows, 0), most), dtype=np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others have each property as often as is usual."""
        here, everywhere = (self.parts.sums(each.reshape(-1, 1))[:, 0] for each in (tallies, all_tallies))
        limit = float(self.at_most)
        over = here > limit * rows
        if not over.any():
            return 0
        usual = (everywhere - here) / max(all_rows - rows, 1)
        if (usual[over] >= limit).any():
            return most
        return min(int(np.ceil(((here - limit * rows)[over] / (limit - usual)[over]).max())), most)
