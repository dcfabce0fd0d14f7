"""What is found out about a table: its rows for the page, what its columns look like, a drafted policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from discreet.app.rows import PAGE
from discreet.app.work.child import Talk
from discreet.app.work.row_file import RowFile, blocks
from discreet.errors import InputError
from discreet.fit.persons import repeated
from discreet.policy import FileOptions
from discreet.table.formats.place import place_of
from discreet.table.local import LocalEngine
from discreet.table.memory import limit_of, shown
from discreet.table.source import memory_needed, read_file

_open: dict[tuple[str, str, str], LocalEngine] = {}
"""The table that was read last, by its path, its stamp and how its text is written."""


TOO_LARGE = (
    "this table needs about {} of memory, more than the {} that a job may take on this machine: its rows and figures "
    "about it are not shown here. Open a file with some of its rows, and make the policy with that; then open this one "
    "with `discreet app TABLE --policy POLICY` and make the release, or run `discreet protect TABLE --policy POLICY "
    "--out RELEASE`: both read it piece by piece"
)


def warm(talk: Talk) -> None:
    """Load what will be needed."""
    del talk
    import discreet.assist.check
    import discreet.assist.frontier  # noqa: F401


def engine_of(table: str, stamp: str, options: Mapping[str, Any]) -> LocalEngine:
    """Return a table, read once."""
    key = table, stamp, str(sorted(options.items()))
    if key not in _open:
        _open.clear()
        place, said = place_of(table), FileOptions(**options)
        wanted, limit = memory_needed(place, said), limit_of(None)
        if wanted > limit:
            raise InputError(TOO_LARGE.format(shown(wanted), shown(limit)))
        _open[key] = read_file(place, said)
    return _open[key]


def opened(talk: Talk, table: str, stamp: str, options: Mapping[str, Any], rows: str) -> dict[str, Any]:
    """Read a table; its texts go to the private file `rows`, of which pages are shown."""
    engine = engine_of(table, stamp, options)
    told = [column for column in engine.columns if engine.has_text(column)]
    found: dict[str, Any] = {
        "rows": engine.rows,
        "columns": told,
        "kinds": [engine.kind(column) for column in told],
        "without_text": [column for column in engine.columns if column not in told],
        "dialect": _dialect(engine),
        "first": [list(row) for row in _texts(engine, told, slice(0, PAGE)).iter_rows()],
        "file": None,
    }
    talk.part(found)
    with RowFile(Path(rows)) as file:
        for part in blocks(engine.rows):
            file.add(_texts(engine, told, part))
    return {**found, "file": rows}


def _texts(engine: LocalEngine, columns: Sequence[str], part: slice) -> pl.DataFrame:
    """Return the texts of some rows."""
    some = engine.only(np.arange(engine.rows)[part])
    return pl.DataFrame([some.texts(column).alias(f"c{place}") for place, column in enumerate(columns)])


def _dialect(engine: LocalEngine) -> dict[str, Any] | None:
    dialect = engine.form.dialect
    if dialect is None:
        return None
    return {"separator": dialect.separator, "header": dialect.header, "encoding": dialect.encoding}


def looked(talk: Talk, table: str, stamp: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Look at the columns: their kinds, what is missing, who may be named, and what a draft takes them for."""
    from discreet.assist.draft import DraftChoices, DraftJob  # the first rows are shown without it

    del talk
    engine = engine_of(table, stamp, options)
    job = DraftJob(table, source=engine)
    parts = job.parts(DraftChoices())
    columns = []
    for look in job.looks:
        bin_, why = "harmless", "neither known nor secret, as far as can be seen"
        if look.name in parts.identifiers:
            bin_, why = "identifier", parts.identifiers[look.name]
        elif look.name in parts.secrets:
            bin_, why = "secret", parts.reasons[look.name]
        elif look.name in parts.known:
            bin_, why = (
                "known",
                "what others know, by its name" if look.known_by_name else "it singles people out",
            )
        gaps = sum(look.missing.values())
        columns.append({**asdict(look), "values": look.values, "bin": bin_, "why": why, "gaps": gaps})
    return {
        "columns": columns,
        "repeated": [repeated(*each) for each in _shared(engine, list(parts.identifiers))],
        "rows": engine.rows,
    }


def _shared(engine: LocalEngine, identifiers: Sequence[str]) -> list[tuple[str, int, int]]:
    found = [(name, engine.named(name, ())) for name in identifiers]
    return [(name, *each) for name, each in found if each is not None and each[1] < each[0]]


def drafted(
    talk: Talk, table: str, stamp: str, options: Mapping[str, Any], preset: str | None = None
) -> dict[str, Any]:
    """Draft a policy, with trees for files beside it: what `discreet init TABLE --out policy.yaml` writes."""
    from discreet.assist.draft import DraftChoices, DraftJob

    del talk
    draft = DraftJob(table, source=engine_of(table, stamp, options)).draft(DraftChoices(preset=preset), beside="policy")
    trees = {name: tree.to_csv().encode() for name, tree in draft.trees.items()}
    return {"text": draft.text, "trees": trees, "table": table, "warnings": list(draft.warnings)}
