"""A verified release with its private plan and audit, and what its owner may do with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discreet.audit.audit import Audit
from discreet.columns.medians import Ranges, median_ranges
from discreet.common.showing import Heard
from discreet.encoded import Ints
from discreet.ledger.note import LedgerNote
from discreet.plan.blind_statement import BlindStatement
from discreet.plan.plan import Plan
from discreet.table.engine import Engine
from discreet.table.source import Table


@dataclass(frozen=True, repr=False)
class Release:
    """A verified release with its private plan and audit."""

    plan: Plan
    audit: Audit
    engine: Engine
    source: Engine
    """The table it was made from."""
    order: Ints | None = None
    """The places of its rows in the order in which they leave; None for that of the original. Private."""
    statement: BlindStatement | None = None
    """Where confidential cells are protected blindly: what anybody needs to check that; publish it as well."""
    note: LedgerNote | None = None
    """Where a ledger is kept: what it records when the release is written. Private."""

    def __repr__(self) -> str:
        return f"<Release: {self.audit.rows} rows, verified; its plan and audit are private>"

    def _repr_html_(self) -> str:
        return self.audit._repr_html_()

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the release to a file whose name says in which form, or to a database, whole or not at all.

        `path` is the name of a file, `FILE#TABLE`, the address of a new table (`postgresql://HOST/DATABASE#TABLE`), or
        `-` for standard output. What was written is read back before anybody sees it: what is published is what was
        verified.

        Parameters
        ----------
        path
            Where it goes.
        force
            Whether a file that is there may be replaced.
        """
        from discreet.writing.release import write_release

        write_release(self, path, force=force)

    def attack(
        self,
        *,
        control: Table | None = None,
        population: Table | None = None,
        targets: Sequence[str] = (),
        thorough: bool = False,
        time_limit: float | None = None,
        seed: int | None = None,
        progress: Heard = None,
    ) -> Audit:
        """Attack the release and measure what is kept; return its audit with that.

        Parameters
        ----------
        control, population, targets, thorough, time_limit, seed, progress
            As for `audit_release`.
        """
        from discreet.audit.auditing import attacked

        return attacked(
            self,
            control=control,
            population=population,
            targets=targets,
            thorough=thorough,
            time_limit=time_limit,
            seed=seed,
            progress=progress,
        )

    @property
    def intervals(self) -> dict[str, Ranges]:
        """For each column released by medians, where the interval of each begins and stops; publish it as well."""
        return {
            column: {text: ends for text, ends in ranges.items() if self.engine.occurrences(column, text)}
            for column, ranges in median_ranges(self.plan).items()
        }

    @cached_property
    def published(self) -> Engine:
        """The rows as they leave: in the order that was drawn, where one was; nothing tells which row is which."""
        return self.engine if self.order is None else self.engine.in_order(self.order)

    @property
    def table(self) -> object:
        """The released table, of the kind that came in (a Polars frame for a file)."""
        return self.published.native()
