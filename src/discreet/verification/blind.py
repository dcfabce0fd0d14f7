"""Verification of blind promises: is each cell hidden, and is no reference surer of a value than its limit.

From the release and its public method statement alone: the rules are replayed on the released rows, and the statement
is held against what the policy and the rules make of them. With the original it is checked besides that the statement
names the very cells that the policy means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from discreet.fit.cells import absent, confidential_places
from discreet.ledger.entry import PastRelease
from discreet.plan.blind_statement import BlindStatement
from discreet.policy import Policy
from discreet.policy.bind import bind, changed_for_groups
from discreet.policy.blind import may_have
from discreet.policy.confidential import Confidential
from discreet.table.engine import Engine
from discreet.verification.answers import Answer
from discreet.verification.blind_before import replayed_before
from discreet.verification.blind_reading import Places, StatedTable
from discreet.verification.blind_references import BILLION
from discreet.verification.blind_replay import Replay, Replayed
from discreet.verification.blind_rules import departures, unfit_to_learn
from discreet.verification.blind_tellings import PastTellings, told_before, unfit
from discreet.verification.cell_answers import Cell, CellsFound
from discreet.verification.row_matches import Matches

NO_STATEMENT = (
    "there is no method statement beside the release (RELEASE.method.json): put it there, or in Python give statement="
)
NO_LEDGER = "what is told of the rows was decided beside earlier releases ({}): give --ledger"


@dataclass(frozen=True)
class EarlierReleases:
    """Those of a ledger that came before a release, and who is who."""

    past: Sequence[PastRelease]
    everybody: pl.Series
    """Whose row each of the original is."""
    persons: pl.Series | None
    """Whose row each of the release is, where that is certain."""


class BlindCheck:
    """A release beside its method statement."""

    def __init__(
        self,
        released: Engine,
        policy: Policy,
        statement: BlindStatement | None,
        original: Engine | None = None,
        matches: Matches | None = None,
        beside: EarlierReleases | None = None,
    ) -> None:
        """Take a release; `beside` are the earlier ones of a ledger from which it had to start."""
        self.released, self.policy, self.statement = released, policy, statement
        self.original, self.matches, self.beside = original, matches, beside
        self.places = None if matches is None else matches.first

    @cached_property
    def table(self) -> StatedTable:
        """The release as the statement reads it."""
        assert self.statement is not None
        return StatedTable(self.released, self.statement)

    @cached_property
    def replayed(self) -> list[Replayed]:
        """What was found of all rows."""
        told = {} if self.told is None else self.told[0]
        return list(replayed_before(self.table, told, lambda stated: Replay(self.table, stated).run()))

    @cached_property
    def told(self) -> tuple[dict[int, PastTellings], str | None] | None:
        """What earlier releases told of the rows, and why nobody can start from that; None where there are none."""
        if self.beside is None or self.beside.persons is None or self.original is None or not self.beside.past:
            return None
        past, persons = self.beside.past, self.beside.persons
        why = unfit(past, self.policy, self.original, self.beside.everybody)
        return ({}, why) if why else told_before(self.table, past, self.policy, persons)

    @cached_property
    def _elsewhere(self) -> tuple[Answer, str] | None:
        """What there is to say of earlier releases, if not all is well."""
        assert self.statement is not None
        earlier = self.statement.earlier
        if self.beside is None:
            return (Answer.NOT_CHECKABLE, NO_LEDGER.format(", ".join(earlier))) if earlier else None
        if set(earlier) != {release.name for release in self.beside.past}:
            return Answer.BROKEN, "the method statement starts from other earlier releases than the ledger has"
        if earlier and self.told is None:
            return Answer.NOT_CHECKABLE, "nobody can tell for sure whose the rows are that earlier releases tell of"
        return (Answer.BROKEN, self.told[1]) if self.told is not None and self.told[1] else None

    @cached_property
    def hidden_though_known(self) -> str | None:
        """What was hidden in rows with confidential cells that is to be told from the start."""
        assert self.statement is not None
        assert self.original is not None
        for each in self.statement.rows:
            rows = np.array(each.rows, dtype=np.int64) - 1
            places = rows if self.places is None else np.asarray(self.places)[rows]
            for name in each.known:
                before = self.original.encoded(name)
                own = np.array([text == self.policy.marker for text in before.domain], dtype=np.bool_)
                if (self.table.column(name).starred[rows] & ~own[before.codes[places]]).any():
                    return f"a cell of {name!r} is hidden that is known from elsewhere"
        return None

    @cached_property
    def changed_elsewhere(self) -> str | None:
        """What was hidden in rows without confidential cells, where no promise about groups is to blame."""
        assert self.original is not None
        released, original = self._beside(np.flatnonzero(self.table.rest))
        for name in self._changed_for_cells:
            if released.mismatches(original, name, None) is not None:
                return f"a cell of {name!r} is hidden that is not in a row with confidential cells"
        return None

    @cached_property
    def told_otherwise(self) -> str | None:
        """What rows with confidential cells tell that is neither their own text nor written as rules hide it.

        Asked where it is certain whose row it is. Something that covers the original is true, but no step of the rules
        leads to it, and what it tells is not reckoned.
        """
        assert self.statement is not None
        assert self.original is not None
        secret = ~self.table.rest
        if self.matches is not None:
            secret &= (np.asarray(self.matches.first) == np.asarray(self.matches.last)) & (not self.matches.unsure)
        elif self.original.rows != self.released.rows:
            return None
        told = self.statement.blocks == "told"
        past = np.zeros(len(secret), dtype=np.bool_)
        past[[] if self.told is None else list(self.told[0])] = True
        for rows, sets in ((np.flatnonzero(secret & ~past), told), (np.flatnonzero(secret & past), False)):
            released, original = self._beside(rows)
            for name in self._changed_for_cells if len(rows) else ():
                if not (told or self.policy.column(name).coarsens):
                    continue  # whatever is neither its own text nor a star is not true
                hidden = {self.policy.marker, *(self.table.column(name).block_texts if sets else ())}
                pairs = released.pairs(original, name)
                if any(text not in hidden and text != own for own, text, _ in pairs):
                    return f"a cell of {name!r} is made coarser in a row with confidential cells, as the rules do not"
        return None

    def _beside(self, rows: Places) -> tuple[Engine, Engine]:
        """Return some rows of the release (from 0), and what they were."""
        assert self.original is not None
        places = rows if self.places is None else np.asarray(self.places)[rows]
        return self.released.only(rows), self.original.only(places)

    @cached_property
    def _changed_for_cells(self) -> list[str]:
        """The columns of the release that are changed for confidential cells alone."""
        assert self.original is not None
        bound = bind(self.policy, self.original.columns)
        left = [name for name in bound.edited if name not in (*bound.changeable, *bound.binned)]
        return [name for name in left if name in self.released.columns]

    def found(self, index: int, made: Confidential) -> CellsFound:
        """Return what is found about the cells of one requirement."""
        reason = self._unready(made)
        if reason is not None:
            return CellsFound(index, str(made), Answer.NOT_CHECKABLE, reason=reason)
        if self._elsewhere is not None:
            answer, reason = self._elsewhere
            return CellsFound(index, str(made), answer, reason=reason)
        fault = self._unlike(made) or unfit_to_learn(self.table, self.policy, made)
        rows = self._rows(made)
        fault = fault or self._chosen_otherwise(made, rows) or (self._misnamed(made, rows) if self._in_place else None)
        if fault := fault or next(departures(self.table, self.policy, made), None):
            return CellsFound(index, str(made), Answer.BROKEN, reason=fault)
        if self.original is not None:
            fault = self._other_rows(made, rows) or self.hidden_though_known
            if fault := fault or self.changed_elsewhere or self.told_otherwise:
                return CellsFound(index, str(made), Answer.BROKEN, reason=fault)
        cells = tuple(self._cells(made, rows))
        faults = dict.fromkeys(each.fault for each in self.replayed if each.fault and rows & set(each.rows))
        if any(cell.hidden is False for cell in cells):
            faults["a confidential cell is not hidden"] = None
        answer = Answer.BROKEN if faults else Answer.HOLDS
        surest = max((each.surest.get(made.column, 0) for each in self.replayed if rows & set(each.rows)), default=0)
        told = f"; at most {float(surest) / BILLION * 100:.1f}%" if surest else ""
        said = "; ".join(str(fault) for fault in faults) or f"no reference is surer of a value than its limit{told}"
        return CellsFound(index, str(made), answer, cells, reason=said)

    def _unready(self, made: Confidential) -> str | None:
        if self.statement is None:
            return NO_STATEMENT
        named = {name for each in self.statement.rows for name in (*each.secrets, *each.predictors)}
        gone = [name for name in (made.column, *sorted(named)) if name not in self.released.columns]
        if gone:
            return f"there is no column {gone[0]!r}"
        if any(max(each.rows, default=0) > self.released.rows for each in self.statement.rows):
            return "the method statement is about more rows than the release has"
        if self.original is not None and (missing := absent(made, self.original)):
            return f"the original lacks {missing} of the rows whose cells are confidential"
        return None

    @property
    def _in_place(self) -> bool:
        """Whether rows of the release have the numbers of the input: none was dropped, removed or moved."""
        missing = self.policy.missing
        dropped = missing is not None and missing.rows == "drop"
        moved = self.policy.shuffle or self.policy.removes or any(made.removes for _, made in self.policy.cells())
        return self.original is None and not dropped and not moved

    def _misnamed(self, made: Confidential, rows: set[int]) -> str | None:
        """Return whether the statement lacks rows that the policy names by number, or has others.

        Others are as bad: what is stated to be confidential teaches the references nothing.
        """
        if not {row - 1 for row in made.rows or ()} <= rows:
            return "the method statement lacks rows that the policy names"
        named = [other.rows for _, other in self.policy.cells() if other.column == made.column]
        if all(named) and not rows <= {row - 1 for some in named for row in some or ()}:
            return "the method statement has rows that the policy does not name"
        return None

    def _chosen_otherwise(self, made: Confidential, rows: set[int]) -> str | None:
        """Return whether the statement means other rows than the columns say by which they are chosen.

        Such columns are told from the start, so that it can be seen in the release; but for those that are left out of
        it, and those that promises about groups change.
        """
        columns = {name for _, name in made.looks_up()}
        changing = changed_for_groups(self.policy)
        if not columns or not columns <= set(self.released.columns) - changing:
            return None
        wanted = set(confidential_places(made, self.released).tolist())
        if wanted - rows or (rows - wanted and not self._shared(made)):
            return "the method statement names other rows than the policy means"
        return None

    def _rows(self, made: Confidential) -> set[int]:
        """Return the rows of the release (from 0) whose cells of the column are stated to be confidential."""
        assert self.statement is not None
        return {
            row - 1
            for each in self.statement.rows
            for name, limits in zip(each.secrets, each.limits, strict=True)
            if name == made.column and may_have(made, limits)
            for row in each.rows
        }

    def _unlike(self, made: Confidential) -> str | None:
        """Return in what the statement promises less than the policy asks for."""
        assert self.statement is not None
        if self.statement.marker != self.policy.marker or self.statement.blocks != made.told_blocks:
            return "the method statement is of another policy: its marker or its blocks are others"
        if self.statement.references != made.references_used:
            return "the method statement is of another policy: its references are others"
        if not any(
            made.column in each.secrets and may_have(made, each.limits[each.secrets.index(made.column)])
            for each in self.statement.rows
        ):
            return None if made.removes else "the method statement names no cell of this promise, or other limits"
        return None

    def _other_rows(self, made: Confidential, rows: set[int]) -> str | None:
        """Return whether the statement means other rows than the policy, as the original has them."""
        assert self.original is not None
        wanted = set(confidential_places(made, self.original).tolist())
        places = np.arange(self.released.rows) if self.places is None else self.places
        stated = {int(places[row]) for row in rows}
        lacking = wanted - stated
        if made.removes:
            lacking &= set(np.asarray(places).tolist())
        if lacking or (stated - wanted and not self._shared(made)):
            return "the method statement names other rows than the policy means"
        return None

    def _shared(self, made: Confidential) -> bool:
        """Whether another requirement is about the same column and limits."""
        same = [other for _, other in self.policy.cells() if (other.column, other.limits) == (made.column, made.limits)]
        return len(same) > 1

    def _cells(self, made: Confidential, rows: set[int]) -> list[Cell]:
        starred = self.table.column(made.column).starred
        found: dict[int, Replayed] = {}
        for each in self.replayed:
            for row in each.rows:
                if row in rows and (row not in found or each.fault):
                    found[row] = each
        numbers = self.released.numbers()
        cells = []
        for row in sorted(rows):
            seen = found.get(row)
            hidden = bool(starred[row])
            fine = hidden and seen is not None and seen.fault is None
            answer = Answer.HOLDS if fine else Answer.BROKEN
            chance = None if seen is None else float(seen.surest.get(made.column, 0)) / BILLION
            cells.append(Cell(int(numbers[row]), "references", answer, hidden, chance))
        return cells
