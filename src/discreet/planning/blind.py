"""From a policy's confidential cells to edits, blindly: what is told of their rows, decided from the other rows alone.

Works on the release as the recodings made it. Columns that recodings change for promises about groups are hidden in
rows with confidential cells and tell nothing; columns that never change are known from the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import Dates, Numbers, Scale
from discreet.encoded import Encoded, Ints
from discreet.errors import InputError, Reason, Unprotected, UnprotectedCells
from discreet.fit.cells import confidential_places, predictors_of
from discreet.method.cells.blind_before import Before
from discreet.method.cells.blind_table import BlindLimit
from discreet.method.cells.blind_walk import Told
from discreet.plan.blind_statement import LEAVING, BlindStatement, StatedColumn, StatedRows
from discreet.plan.parts import Edit, Protected
from discreet.planning.blind_reading import CLASSES, BlindReading, ReadColumn
from discreet.planning.blind_rows import BlindCells, BlindRows, asked_by
from discreet.planning.blind_sets import BlockTexts, reads_like_a_block
from discreet.planning.blind_tellings import block_json
from discreet.policy import Policy
from discreet.policy.bind import binned, known_to_groups
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine

if TYPE_CHECKING:
    from discreet.planning.blind_beside import EarlierTold

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class BlindPlan:
    """What is done for the confidential cells."""

    edits: tuple[Edit, ...]
    removed: tuple[int, ...]
    """Row numbers."""
    cells: tuple[Protected, ...]
    statement: BlindStatement
    """Its rows are places (from 1) in the release without those that are removed."""
    stars: tuple[tuple[int, str, str], ...] = ()
    """Where a ledger is kept: row number, column and block of each star that tells something."""


def secret_rows(policy: Policy, source: Engine) -> Flags:
    """Say which rows of a table have confidential cells."""
    found = np.zeros(source.rows, dtype=np.bool_)
    for _, requirement in policy.cells():
        found[confidential_places(requirement, source)] = True
    return found


def rest_of(policy: Policy, source: Engine) -> Engine:
    """Return the rows without confidential cells: all that planning may look at."""
    return source.only(np.flatnonzero(~secret_rows(policy, source)))


class BlindPlanning:
    """A release as the recodings made it, and the rows of it with confidential cells."""

    def __init__(
        self,
        released: Engine,
        source: Engine,
        policy: Policy,
        margins: Mapping[int, Fraction] | None = None,
        rule: str = LEAVING,
        earlier: EarlierTold | None = None,
    ) -> None:
        """Take a release and its source; `margins` are those of requirements that leave theirs open.

        `rule` says how blocks are found: releases of earlier versions had another one. `earlier` are the releases from
        what they told of its rows it starts.
        """
        self.released, self.source, self.policy, self.rule = released, source, policy, rule
        self.earlier = earlier
        self.numbers = released.numbers()
        self.asked = list(policy.cells())
        """The requirements as the policy has them."""
        chosen = margins or {}
        self.requirements = [
            (index, made.model_copy(update={"margin": chosen[index]}) if index in chosen else made)
            for index, made in self.asked
        ]
        self.rows = {index: self._rows(made) for index, made in self.requirements}
        self.secret = np.zeros(released.rows, dtype=np.bool_)
        for rows in self.rows.values():
            self.secret[rows] = True
        groups, never = known_to_groups(policy), policy.sensitive | policy.targets
        self.masked = tuple(name for name in released.columns if name in groups - never)
        """Columns of which nothing is told: recodings change them for promises about groups."""
        unchanged = {name for name, column in policy.columns.items() if column.role == "other"}
        self.unchanged = (unchanged | policy.sensitive | (groups & never)) & set(released.columns)
        confidential = {made.column for _, made in self.requirements}
        predictors = {name for _, made in self.requirements for name in self.predictors(made)}
        self.columns = tuple(name for name in released.columns if name in confidential | predictors)
        first = self.requirements[0][1]
        self.blocks, self.references, self.order = first.told_blocks, first.references_used, first.order or ()

    def _rows(self, made: Confidential) -> Ints:
        """Return where the rows with confidential cells stand in the release."""
        numbers = self.source.numbers()[confidential_places(made, self.source)]
        places = np.searchsorted(self.numbers, numbers)
        there = places < len(self.numbers)
        there[there] = self.numbers[places[there]] == numbers[there]
        return places[there].astype(np.int64)

    def predictors(self, made: Confidential) -> tuple[str, ...]:
        """Return the columns that may tell of a requirement's cells."""
        named = predictors_of(made, self.policy, self.released.columns)
        left_out = {*self.masked, self.policy.token, made.column}
        return tuple(name for name in named if name not in left_out)

    def scale(self, name: str, encoded: Encoded) -> Scale | None:
        """Return how the values of a column are put in order: as the policy says, or as the rest shows."""
        column = self.policy.column(name)
        if column.taxonomy is not None or (name in binned(self.policy) and self.released is not self.source):
            return None
        if column.scale is not None:
            return column.scale
        there = np.bincount(encoded.codes[~self.secret], minlength=len(encoded.domain)) > 0
        values = [text for text, seen in zip(encoded.domain, there, strict=True) if seen and not self.is_missing(text)]
        values = [text for text in values if text != self.policy.marker]
        if len(values) <= CLASSES:
            return None
        scales: tuple[Scale, ...] = (Numbers(self.policy.file.decimal or "."), Numbers(), Dates())
        return next((scale for scale in scales if all(scale.read(text) is not None for text in values)), None)

    def is_missing(self, text: str | None) -> bool:
        """Whether a cell with this text has no value."""
        missing = self.policy.missing
        return text is None or (missing is not None and missing.rows != "value" and missing.has(text))

    @cached_property
    def scales(self) -> dict[str, Scale | None]:
        """How the values of each column are put in order."""
        return {name: self.scale(name, self.released.encoded(name)) for name in self.columns}

    @cached_property
    def read(self) -> list[ReadColumn]:
        """The columns as they are read."""
        return self.read_for(~self.secret)

    def read_for(self, rest: Flags) -> list[ReadColumn]:
        """Return the columns as they would be read with another rest."""
        return [self.reading(name).column(self.released.encoded(name), rest) for name in self.columns]

    def reading(self, name: str) -> BlindReading:
        """Return how the texts of a column are read."""
        return BlindReading(self.is_missing, self.policy.marker, self.scales[name], self._parents(name))

    def _parents(self, name: str) -> dict[str, str] | None:
        taxonomy = self.policy.column(name).taxonomy
        if taxonomy is None:
            return None
        found: dict[str, str] = {}
        for leaf in taxonomy.leaves:
            path = list(dict.fromkeys(taxonomy.ancestors(leaf)))
            found.update(pairwise(path))
        return found

    def _known(self, made: Confidential) -> dict[int, tuple[int, ...]]:
        """Return for each row of a requirement the predictors that are told from the start."""
        named = {*(made.known or ()), *(name for _, name in made.looks_up()), *self.unchanged}
        some: list[tuple[str, Flags]] = []
        for _, other in self.requirements:
            for item in other.must_publish:
                if item.rows is None:
                    named.add(item.column)
                else:
                    some.append((item.column, np.isin(self.numbers, item.rows)))
        always = {self.columns.index(name) for name in named if name in self.columns}
        found: dict[int, tuple[int, ...]] = {}
        for row in self.rows[self._index(made)].tolist():
            here = {self.columns.index(name) for name, rows in some if rows[row] and name in self.columns}
            found[row] = tuple(sorted(always | here))
        return found

    def _index(self, made: Confidential) -> int:
        return next(index for index, other in self.requirements if other is made)

    @cached_property
    def walked(self) -> BlindRows:
        """The rows with confidential cells, and what is told of them."""
        cells = [
            BlindCells(
                self.columns.index(made.column),
                self.rows[index].tolist(),
                tuple(self.columns.index(name) for name in self.predictors(made)),
                self._known(made),
                BlindLimit(*made.limits),
            )
            for index, made in self.requirements
        ]
        return self.rows_of(self.read, cells, {} if self.earlier is None else self.earlier.told(self))

    def rows_of(
        self, columns: Sequence[ReadColumn], cells: Sequence[BlindCells], before: Mapping[int, Before] | None = None
    ) -> BlindRows:
        """Return rows with confidential cells as columns have them, asked as the policy wants it."""
        order = [self.columns.index(name) for name in self.order if name in self.columns]
        asked = asked_by(self.blocks, self.references, self.rule)
        return BlindRows(columns, cells, asked, order, before=before)

    def replayed(self) -> BlindRows:
        """Return the rows as anybody reckons them from the release alone: what is hidden is in its block."""
        read = []
        for name, column in zip(self.columns, self.read, strict=True):
            encoded, numbers = self.released.encoded(name), self.scales[name] is not None
            told = self.blocks == "told"
            groups = set((self._parents(name) or {}).values()) - set(column.elements) if told else set()
            hidden = [
                text == self.policy.marker or (told and (text in groups or reads_like_a_block(text, numbers=numbers)))
                for text in encoded.domain
            ]
            unknown = np.array(hidden, dtype=np.bool_)[encoded.codes] & self.secret
            read.append(replace(column, codes=np.where(unknown, np.int32(-1), column.codes)))
        return self.rows_of(read, self.walked.cells, self.walked.before)

    def block_texts(self, columns: Sequence[ReadColumn] | None = None) -> list[BlockTexts]:
        """Return how blocks of each column are written, as it is read here or with another rest."""
        read = self.read if columns is None else columns
        return [
            BlockTexts(column, self.scales[name], self._parents(name))
            for name, column in zip(self.columns, read, strict=True)
        ]

    def _refuse_like_blocks(self) -> None:
        """Refuse values that could be taken for the text of a block."""
        for name in self.columns:
            domain, parents = self.released.encoded(name).domain, self._parents(name) or {}
            there = np.bincount(self.released.encoded(name).codes[~self.secret], minlength=len(domain)) > 0
            groups = set(parents.values()) - {text for text, seen in zip(domain, there, strict=True) if seen}
            numbers = self.scales[name] is not None
            if any(text in groups or reads_like_a_block(text, numbers=numbers) for text in domain):
                raise InputError(
                    f"column {name!r} has values that read like the sets, intervals or groups that blocks: told writes "
                    "for hidden cells; rename them, or write blocks: starred"
                )

    def with_margins(self, margins: Mapping[int, Fraction]) -> BlindPlanning:
        """Return the same with other margins of some requirements; nothing is read anew."""
        other = BlindPlanning(self.released, self.source, self.policy, margins, self.rule, self.earlier)
        other.__dict__.update(scales=self.scales, read=self.read)
        return other

    def margin_of(self, column: str) -> Fraction:
        """Return the margin of the first requirement about a column."""
        return next(made.limits[1] for _, made in self.requirements if made.column == column)

    def plan(self) -> BlindPlan:
        """Return what becomes of the rows.

        Raises
        ------
        UnprotectedCells
            With the rows, by number, of which too much is known already.
        """
        if self.blocks == "told":
            self._refuse_like_blocks()
        told = self.walked.tell()
        removed = self._removed([row for each in told if each.failed for row in each.rows])
        edits = tuple(self._edits(told, set(removed)))
        changed: dict[int, int] = {}
        for edit in edits:
            changed[edit.row] = changed.get(edit.row, 0) + 1
        cells = []
        for index, made in self.requirements:
            for number in self.numbers[self.rows[index]].tolist():
                status = "removed" if number in removed else "safe" if changed.get(number, 0) <= 1 else "done"
                cells.append(Protected(index, number, made.column, status))
        stars = () if self.earlier is None else tuple(self._stars())
        return BlindPlan(edits, tuple(sorted(removed)), tuple(cells), self.statement(removed), stars)

    def _removed(self, failed: Sequence[int]) -> frozenset[int]:
        """Return the numbers of rows that are left out because of what is known of them; refuse where none may be."""
        rows = set(failed)
        refused = []
        for index, made in self.requirements:
            here = [row for row in self.rows[index].tolist() if row in rows]
            if here and made.on_failure == "fail":
                numbers = tuple(self.numbers[here].tolist())
                refused.append(
                    Unprotected(index, str(made), numbers, reasons=(_too_much_known(numbers, made.references_used),))
                )
        if refused:
            raise UnprotectedCells(refused)
        return frozenset(self.numbers[sorted(rows)].tolist())

    def _edits(self, told: Sequence[Told], removed: set[int]) -> Iterator[Edit]:
        """Yield every cell of the rows that is hidden."""
        marker = self.policy.marker
        hidden: dict[str, set[int]] = {}
        for index, made in self.requirements:
            hidden.setdefault(made.column, set()).update(self.rows[index].tolist())
        kinds = {row: kind for kind, rows in self.walked.kinds.items() for row in rows}
        write = self.block_texts() if self.blocks == "told" else None
        for each in told:
            shown = {place for place, fact in each.facts if isinstance(fact, int)}
            blocks = {
                place: write[place].text(fact)
                for place, fact in each.facts
                if write is not None and not isinstance(fact, int) and each.rows[0] not in self.walked.before
            }
            for row in each.rows:
                number = int(self.numbers[row])
                if number in removed:
                    continue
                for place in kinds[row].predictors:
                    if place not in shown:
                        yield Edit(number, self.columns[place], blocks.get(place, marker))
                for name in self.masked:
                    yield Edit(number, name, marker)
        for name, rows in hidden.items():
            for row in sorted(rows):
                if int(self.numbers[row]) not in removed and name not in self.masked:
                    yield Edit(int(self.numbers[row]), name, marker)

    def statement(self, removed: frozenset[int]) -> BlindStatement:
        """Return what anybody needs to reckon the same."""
        left = ~np.isin(self.numbers, sorted(removed))
        place = np.cumsum(left)
        names = self.columns
        columns = {}
        for name, read in zip(names, self.read, strict=True):
            scale, parents = self.scales[name], self._parents(name)
            if scale is not None:
                cuts = tuple(map(scale.write, read.cuts or ()))
                decimal = scale.decimal if isinstance(scale, Numbers) else "."
                form = scale.form if isinstance(scale, Dates) else None
                columns[name] = StatedColumn(scale.name, cuts, decimal, form)
            elif parents:
                columns[name] = StatedColumn(parents=parents)
        rows = []
        for kind, members in self.walked.kinds.items():
            kept = tuple(int(place[row]) for row in members if left[row])
            if kept:
                limits = tuple(tuple((each.at_most, each.margin) for each in several) for several in kind.limits)
                secrets = tuple(names[at] for at in kind.secrets)
                stated = (tuple(names[at] for at in kind.predictors), tuple(names[at] for at in kind.known))
                rows.append(StatedRows(kept, secrets, limits, *stated))
        missing = self.policy.missing
        return BlindStatement(
            self.policy.marker,
            () if missing is None or missing.rows == "value" else tuple(missing.values),
            self.blocks,
            tuple(self.references),
            tuple(self.order),
            columns,
            tuple(rows),
            {names[at]: made.steps for at, made in self.walked.rest.secrets.items()},
            self.rule,
            () if self.earlier is None else self.earlier.releases,
        )

    def _stars(self) -> Iterator[tuple[int, str, str]]:
        """Yield what stars tell who knows the method, as a ledger keeps it: row number, column, block."""
        for each in self.walked.tell():
            for place, fact in each.facts:
                if not isinstance(fact, int):
                    name = self.columns[place]
                    said = block_json(self.read[place], self.scales[name], fact)
                    for row in each.rows:
                        yield int(self.numbers[row]), name, said


def _too_much_known(rows: tuple[int, ...], references: Sequence[str]) -> Reason:
    """Say why rows cannot be protected."""
    return Reason(
        code="known",
        adversaries=tuple(references),
        rows=rows,
        says="what is known of it (known, must_publish, the columns it is chosen by, columns that never change, what "
        "earlier releases of a ledger told of it) is more than the limit allows",
        steps=(
            "name less in known and must_publish",
            "raise at_most or margin",
            "on_failure: remove leaves the row out",
        ),
    )
