"""An engine that only counts: what holds of a database or a cluster, whose rows have no numbers and no order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from discreet.encoded import Combinations, Encoded, Ints
from discreet.plan.masks import Masks
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.policy import Policy
from discreet.table.engine import Engine, Mismatch, Opened, Pair, Recount
from discreet.table.formats.place import Place
from discreet.table.local import LocalEngine


class AskedForRowsError(AssertionError):
    """Somebody wanted to see single rows."""


class CountsOnly:
    """A local engine that refuses whatever is about single rows."""

    row_wise = False

    def __init__(self, inner: LocalEngine) -> None:
        self.inner = inner
        self.columns, self.rows = inner.columns, inner.rows
        self.dropped, self.suppressed = inner.dropped, inner.suppressed
        self.removed, self.unseen = inner.removed, inner.unseen
        self.form = inner.form

    def kind(self, column: str) -> str:
        return self.inner.kind(column)

    def count(self, columns: Sequence[str]) -> Combinations:
        return self.inner.count(columns)

    def named(self, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
        return self.inner.named(column, missing)

    def apply(self, plan: Plan) -> CountsOnly:
        assert not plan.suppressed
        return CountsOnly(self.inner.apply(plan))

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        return self.inner.recount(given, column, values, hidden)

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        return self.inner.mismatches(_inner(original), column, marker)

    def pairs(self, original: Engine, column: str) -> list[Pair]:
        return self.inner.pairs(_inner(original), column)

    def first_of(self, original: Engine, column: str, pairs: Sequence[Pair]) -> int:
        return self.inner.first_of(_inner(original), column, pairs)

    def occurrences(self, column: str, text: str) -> int:
        return self.inner.occurrences(column, text)

    def native(self) -> object:
        return self.inner.native()

    def write(self, target: BinaryIO, path: Place) -> None:
        self.inner.write(target, path)

    def domain(self, column: str) -> tuple[str | None, ...]:
        return self.inner.domain(column)

    def refuse_rows(self, columns: int) -> None:
        raise AskedForRowsError("refuse_rows", columns)

    def encoded(self, column: str) -> Encoded:
        raise AskedForRowsError("encoded", column)

    def numbers(self) -> Ints:
        raise AskedForRowsError("numbers")

    def suppressed_numbers(self) -> Ints:
        raise AskedForRowsError("suppressed_numbers")

    def numbers_of(self, masks: Masks, released: Engine) -> Ints:
        raise AskedForRowsError("numbers_of", masks, released)

    def edited(self, edits: Sequence[Edit]) -> Engine:
        raise AskedForRowsError("edited", edits)

    def only(self, places: Ints) -> Engine:
        raise AskedForRowsError("only", places)

    def in_order(self, places: Ints) -> Engine:
        raise AskedForRowsError("in_order", places)

    def numbered(self, numbers: Ints) -> Engine:
        raise AskedForRowsError("numbered", numbers)

    def taking(self, other: Engine, columns: Sequence[str]) -> Engine:
        raise AskedForRowsError("taking", other, columns)

    def reworded(self, changes: Mapping[str, Mapping[str | None, str]]) -> Engine:
        raise AskedForRowsError("reworded", changes)

    def reads_back(self, path: Path, policy: Policy, opened: Opened) -> bool:
        return self.inner.reads_back(path, policy, opened)

    def beside(self, original: Engine) -> Engine | None:
        del original
        return None

    def refuse_changed(self) -> None:
        self.inner.refuse_changed()

    def codes_beside(self, original: Engine, column: str) -> tuple[Ints, Ints]:
        raise AskedForRowsError("codes_beside", original, column)


def _inner(engine: Engine) -> LocalEngine:
    return cast(CountsOnly, engine).inner
