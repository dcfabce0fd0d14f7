"""The local engine: a table in memory, of whatever kind came in (pandas, Polars, PyArrow, a file).

The frame that came in is only asked for columns and given back with some replaced; values are worked on as texts.
Planning counts with NumPy on codes (`count`), verification with Polars on texts (`recount`): no code shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.common.at_once import each
from discreet.encoded import Combinations, Encoded, Ints, collapse, encode, of_texts
from discreet.plan.masks import Masks
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.policy import Missing, Policy
from discreet.table.engine import Engine, Mismatch, Opened, Pair, Recount, alike, pair_texts
from discreet.table.formats.form import Form
from discreet.table.formats.place import Place
from discreet.table.frames import Frame, native_of, polars_of
from discreet.table.masking import masked_rows
from discreet.table.reading_back import is_read_back
from discreet.table.recoded import by_groups, by_recodings, edits_by_column, released_columns
from discreet.table.row_lottery import PLAIN
from discreet.table.row_numbers import places_of_numbers
from discreet.table.strip_metadata import without_luggage
from discreet.table.texts import Texts, as_texts, differences, has_text, like, printed
from discreet.table.tokens import tokens_of


class LocalEngine:
    """A table in memory."""

    row_wise = True

    def __init__(
        self,
        frame: Frame,
        form: Form | None = None,
        *,
        lazy: bool = False,
        numbers: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._frame = frame
        self.form = form or Form()
        self._lazy = lazy
        self._numbers = numbers
        self._texts: dict[str, Texts] = {}
        self._encoded: dict[str, Encoded] = {}
        self._named: dict[tuple[str | None, ...], tuple[int, int]] = {}
        self._suppressed = np.zeros(0, dtype=np.int64)
        self.dropped = 0
        self.suppressed = 0
        self.removed = 0
        self.unseen = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(self._frame.columns)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._frame)

    def texts(self, column: str) -> pl.Series:
        """Return a column as texts; null where there is no value."""
        return self._read(column).values

    def kind(self, column: str) -> str:
        """Return the kind of values of a column: text, or the name of their type."""
        return self._read(column).kind

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have a text form (nested and binary ones have none)."""
        return has_text(self._frame.get_column(column))

    def _is_in_lots(self, column: str) -> bool:
        """Whether the texts of a column are the same on every engine, so that lots depend on them."""
        is_float = self._frame.get_column(column).dtype.is_float()
        return not is_float and self.has_text(column) and self.kind(column) in PLAIN

    def without_missing(self, missing: Missing | None) -> LocalEngine:
        """Return the table without the rows that the policy wants dropped."""
        if missing is None or missing.rows != "drop":
            return self
        keep = np.ones(self.rows, dtype=np.bool_)
        absent = [value for value in missing.values if value is not None]
        for column in self.columns:
            if self.has_text(column):
                texts = self.texts(column)
                keep &= ~(texts.is_null() | texts.is_in(absent).fill_null(False)).to_numpy()
            else:
                keep &= ~self._frame.get_column(column).alias("").is_null().to_numpy()
        if keep.all():
            return self
        kept = self.only(np.flatnonzero(keep))
        kept.dropped = int((~keep).sum())
        return kept

    def only(self, places: npt.NDArray[np.int64]) -> LocalEngine:
        """Return the table with only the rows at these places (from 0, ascending); they keep their numbers."""
        return self._with(self._frame[places, :], self.numbers()[places])

    def in_order(self, places: npt.NDArray[np.int64]) -> LocalEngine:
        """Return the table with its rows (by their places, each once) in another order; numbers are forgotten."""
        return self._with(without_luggage(self._frame[places, :]), None)

    def numbered(self, numbers: npt.NDArray[np.int64]) -> LocalEngine:
        """Return the same table with its rows known by these numbers (ascending) of the input."""
        return self._with(self._frame, numbers)

    def taking(self, other: Engine, columns: Sequence[str]) -> LocalEngine:
        """Return the table with some columns as another one (with the same rows in the same order) has them."""
        theirs = alike(LocalEngine, other)
        taken = [like(self._frame, name, theirs.texts(name)) for name in columns]
        return self._with(self._frame.with_columns(*taken), self._numbers)

    def edited(self, edits: Sequence[Edit]) -> LocalEngine:
        """Return the table with other texts in some cells; its rows keep their numbers."""
        if not edits:
            return self
        changed = {
            column: self.texts(column).clone().scatter(self._positions(rows), new)  # scatter writes in place
            for column, rows, new in edits_by_column(edits)
        }
        frame = self._frame.with_columns(*(like(self._frame, name, texts) for name, texts in changed.items()))
        return self._with(frame, self._numbers)

    def reworded(self, changes: Mapping[str, Mapping[str | None, str]]) -> LocalEngine:
        """Return the table with other texts for some texts of some columns; its rows keep their numbers."""
        columns = []
        for name, to in changes.items():
            encoded = self.encoded(name)
            texts = pl.Series([to.get(text, text) for text in encoded.domain], dtype=pl.String)
            columns.append(like(self._frame, name, texts.gather(pl.Series(encoded.codes).cast(pl.UInt32))))
        return self._with(self._frame.with_columns(*columns), self._numbers)

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts, for the planner."""
        return collapse(columns, each(self.encoded, columns, self.rows), self.rows)

    def apply(self, plan: Plan) -> LocalEngine:
        """Return the release that the plan makes of this table."""
        if plan.masks is not None:
            return self.apply(self._numbered_masks(plan, plan.masks))
        if plan.sampled is not None:
            return self._sampled(plan.sampled, plan)
        if plan.removed:
            return self._unprotected(plan)
        made = by_recodings(plan, self.encoded, self.rows)
        if plan.groupings:
            made = by_groups(plan, partial(self._of_persons, plan), self.rows).beside(made)
        masked, strangers = made.gone, int(made.unseen.sum())
        masked[self._positions(plan.suppressed)] = True
        if plan.policy.removes and masked.any():
            return self._without(masked, strangers, plan)
        changed = released_columns(made.texts, self.encoded, self.texts, masked, plan.policy.marker)
        for column, rows, new in edits_by_column(plan.edits):
            current = changed.get(column)
            base = self.texts(column).clone() if current is None else current  # scatter writes in place
            changed[column] = base.scatter(self._positions(rows), new)
        if plan.policy.token is not None:
            changed[plan.policy.token] = tokens_of(self.texts(plan.policy.token))
        new_texts = {name: texts for name, texts in changed.items() if texts is not None}
        frame = self._frame.with_columns(*(like(self._frame, name, texts) for name, texts in new_texts.items()))
        frame = frame[:, [name for name in frame.columns if name not in plan.policy.identifiers]]
        release = self._with(without_luggage(frame), self._numbers)
        as_before = [name for name in frame.columns if name in self._encoded and name not in new_texts]
        release._encoded = {name: self._encoded[name] for name in as_before}
        if not masked.any():
            edited = {edit.column for edit in plan.edits} | {plan.policy.token}
            changed_alone = made.texts.keys() & new_texts.keys() - edited
            release._encoded |= dict(each(lambda name: (name, of_texts(*made.texts[name])), changed_alone, self.rows))
        told_nothing = masked | made.hidden
        release.suppressed, release.unseen = int(told_nothing.sum()), strangers
        if not plan.policy.removes:  # else those of which nothing is told stay
            release._suppressed = self.numbers()[told_nothing]
        return release

    def _of_persons(self, plan: Plan, column: str) -> Encoded:
        """Return a column as codes, or how many rows the person of each row has, where a plan goes by that too."""
        if column in self.columns or plan.policy.unit is None:
            return self.encoded(column)
        whose = pl.DataFrame({"id": self.texts(plan.policy.unit.id)})
        return encode(whose.select(pl.len().over("id").cast(pl.String)).to_series())

    def _numbered_masks(self, plan: Plan, masks: Masks) -> Plan:
        """Return the plan with row numbers instead of masks, which are about all recoded rows, cells apart."""
        recoded = self.apply(replace(plan, masks=None, removed=()))
        numbers = {*plan.suppressed, *self.numbers_of(masks, recoded).tolist()}
        return replace(plan, masks=None, suppressed=tuple(sorted(numbers)))

    def numbers_of(self, masks: Masks, released: Engine) -> Ints:
        """Return the row numbers, ascending, of what masks mean in a recoded table that was made of this one."""
        numbers = released.numbers()

        def texts(rows: Ints) -> list[pl.Series]:
            few = self.only(self._positions(numbers[rows]))
            return [few.texts(name) for name in released.columns if few._is_in_lots(name)]

        return numbers[masked_rows(masks, released.encoded, released.rows, texts)]

    def suppressed_numbers(self) -> Ints:
        """Return the row numbers, ascending, of the rows that this release masks or lacks because they do not fit."""
        return self._suppressed

    def _sampled(self, numbers: Sequence[int], plan: Plan) -> LocalEngine:
        """Return the release of the rows that were drawn."""
        drawn = self.only(np.sort(self._positions(numbers)))
        kept = set(numbers)
        return drawn.apply(
            replace(
                plan,
                sampled=None,
                suppressed=tuple(number for number in plan.suppressed if number in kept),
                edits=tuple(edit for edit in plan.edits if edit.row in kept),
                removed=tuple(number for number in plan.removed if number in kept),
            )
        )

    def _unprotected(self, plan: Plan) -> LocalEngine:
        """Return the release without the rows whose confidential cells could not be protected."""
        removed = np.zeros(self.rows, dtype=np.bool_)
        removed[self._positions(plan.removed)] = True
        gone = set(plan.removed)
        rest = self.only(np.flatnonzero(~removed))
        release = rest.apply(
            replace(
                plan,
                removed=(),
                suppressed=tuple(number for number in plan.suppressed if number not in gone),
                edits=tuple(edit for edit in plan.edits if edit.row not in gone),
            )
        )
        release.removed += len(gone)
        return release

    def _without(self, removed: npt.NDArray[np.bool_], strangers: int, plan: Plan) -> LocalEngine:
        """Return the release of the rows that are not removed."""
        kept = self.only(np.flatnonzero(~removed))
        numbers = set(kept.numbers().tolist()) if plan.edits else set()
        edits = tuple(edit for edit in plan.edits if edit.row in numbers)
        release = kept.apply(replace(plan, suppressed=(), edits=edits))
        release.removed, release.unseen = int(removed.sum()), strangers
        release._suppressed = self.numbers()[removed]
        return release

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`, for verification."""
        known = [f"given {place}" for place in range(len(given))]
        texts = pl.LazyFrame(
            [self.texts(name).alias(alias) for name, alias in zip(given, known, strict=True)]
            + [(pl.repeat("", self.rows, eager=True) if column is None else self.texts(column)).alias("sensitive")]
        )
        sensitive = pl.col("sensitive")
        groups = (
            texts.group_by(known or pl.lit(0).alias("everyone"))
            .agg(
                pl.len().cast(pl.Int64).alias("rows"),
                *(
                    sensitive.eq_missing(pl.lit(value, pl.String)).sum().cast(pl.Int64).alias(f"hits {place}")
                    for place, value in enumerate(values)
                ),
                (
                    sensitive.is_in(list(hidden), nulls_equal=True).sum().cast(pl.Int64)
                    if column is not None
                    else pl.lit(0, pl.Int64)
                ).alias("hidden"),
            )
            .collect()
        )
        return Recount.of(groups, len(given), len(values))

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column with that of the original, row by row; `marker` may stand for anything."""
        theirs = alike(LocalEngine, original)
        if not (self.has_text(column) and theirs.has_text(column)):
            bad = differences(self._frame.get_column(column), theirs._frame.get_column(column))
        else:
            mine, source = self.texts(column), theirs.texts(column)
            bad = ~mine.eq_missing(source)
            if marker is not None:
                bad &= ~mine.eq_missing(pl.Series([marker]))
        if not bad.any():
            return None
        first = int(bad.arg_true()[0])
        number = first + 1 if theirs._numbers is None else int(theirs._numbers[first])
        return Mismatch(int(bad.sum()), number)

    def pairs(self, original: Engine, column: str) -> list[Pair]:
        """Return the different pairs of original and released text of a column, with the cells that have them."""
        both = self._beside_texts(original, column)
        found = both.group_by("original", "released").agg(pl.len().alias("cells")).collect()
        return list(map(Pair._make, found.iter_rows()))

    def first_of(self, original: Engine, column: str, pairs: Sequence[Pair]) -> int:
        """Return the row number of the first row with one of some pairs of texts."""
        both = self._beside_texts(original, column).with_row_index("place")
        found = both.join(pair_texts(pairs).lazy(), on=["original", "released"], how="semi", nulls_equal=True)
        return int(original.numbers()[found.select(pl.col("place").min()).collect().item()])

    def _beside_texts(self, original: Engine, column: str) -> pl.LazyFrame:
        """Return the texts of a column beside those of the original."""
        theirs = alike(LocalEngine, original)
        return pl.LazyFrame({"original": theirs.texts(column), "released": self.texts(column)})

    def codes_beside(self, original: Engine, column: str) -> tuple[Ints, Ints]:
        """Return a column of this table and of the original as codes that are equal where the values are."""
        theirs = alike(LocalEngine, original)
        if self.has_text(column) and theirs.has_text(column):
            mine, source = self.texts(column), theirs.texts(column)
        else:  # by how they print
            mine, source = printed(self._frame.get_column(column)), printed(theirs._frame.get_column(column))
        both = pl.concat([mine, source])
        codes = both.cast(pl.Enum(both.drop_nulls().unique())).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return codes[: self.rows], codes[self.rows :]

    def numbers(self) -> npt.NDArray[np.int64]:
        """Return the row number of the input (from 1) of each row."""
        return np.arange(1, self.rows + 1) if self._numbers is None else self._numbers

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with this text."""
        return int((self.texts(column) == text).sum() or 0)

    def native(self) -> object:
        """Return the table as the kind of table that came in."""
        native = native_of(self._frame)
        return native.lazy() if self._lazy else native

    def write(self, target: BinaryIO, path: Place) -> None:
        """Write the table; the name of `path` says in which form."""
        frame = self._all_texts() if self.form.format_for(path).is_text else polars_of(self._frame)
        different = {name: encoded.domain for name, encoded in self._encoded.items()}
        self.form.write(frame.columns, [frame], target, path, different)

    def reads_back(self, path: Path, policy: Policy, opened: Opened) -> bool:
        """Whether a file that `write` wrote is read as this very table."""
        return is_read_back(self, self._all_texts, path, policy, opened)

    def _all_texts(self) -> pl.DataFrame:
        return pl.DataFrame([self.texts(column).alias(column) for column in self.columns])

    def beside(self, original: Engine) -> None:  # noqa: ARG002 - verification finds the rows itself
        """Propose nothing: verification looks for the rows itself."""
        return

    def refuse_changed(self) -> None:
        """Accept everything: the rows were read when the table was opened."""

    def _read(self, column: str) -> Texts:
        if column not in self._texts:
            self._texts[column] = as_texts(self._frame.get_column(column), column)
        return self._texts[column]

    def _with(self, frame: Frame, numbers: npt.NDArray[np.int64] | None) -> LocalEngine:
        return LocalEngine(frame, self.form, lazy=self._lazy, numbers=numbers)

    def domain(self, column: str) -> tuple[str | None, ...]:
        """Return the values that occur in a column in code-point order, a missing one first."""
        return self.encoded(column).domain

    def named(self, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
        """Return how many rows have a value in a column, and how many different ones."""
        if not self.has_text(column):
            return None
        if (column, *missing) not in self._named:
            texts = self.texts(column).drop_nulls()
            texts = texts.filter(~texts.is_in([value for value in missing if value is not None]))
            self._named[column, *missing] = len(texts), texts.n_unique()
        return self._named[column, *missing]

    def refuse_rows(self, columns: int) -> None:
        """Accept any number: the rows are in memory."""

    def encoded(self, column: str) -> Encoded:
        """Return a column as codes, row by row."""
        if column not in self._encoded:
            self._encoded[column] = encode(self.texts(column))
        return self._encoded[column]

    def _positions(self, numbers: Sequence[int] | Ints) -> npt.NDArray[np.int64]:
        """Return where the rows with these numbers of the input stand."""
        return places_of_numbers(numbers, self.numbers())
