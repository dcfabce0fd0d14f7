"""A verified release with its private plan and audit, and what its owner may do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from discreet.audit.audit import Audit
from discreet.columns.medians import Ranges, median_ranges
from discreet.common.watch import Progress
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

    def __repr__(self) -> str:
        return f"<Release: {self.audit.rows} rows, verified; its plan and audit are private>"

    def write(self, path: str | Path, *, force: bool = False) -> None:
        """Write the release to a CSV or Parquet file (by its name), whole or not at all.

        The file is read back before it gets its name: what is published is what was verified.
        """
        from discreet.writing.release import write_release

        write_release(self, Path(path), force=force)

    def attack(
        self,
        *,
        control: Table | None = None,
        population: Table | None = None,
        targets: Sequence[str] = (),
        thorough: bool = False,
        time_limit: float | None = None,
        seed: int | None = None,
        progress: Callable[[Progress], bool | None] | None = None,
    ) -> Audit:
        """Attack the release and measure what is kept; return its audit with that. Parameters as of `audit_release`."""
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

    @property
    def table(self) -> object:
        """The released table, of the kind that came in (a Polars frame for a file)."""
        return self.engine.native()
