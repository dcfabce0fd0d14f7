"""What a command reads: the policy, how the text of its table is written, and that no file changes meanwhile."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.common.own_program import load_tables
from discreet.table.formats.ahead import LARGE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discreet.cli.options import EngineOptions, LayoutOptions
    from discreet.policy import FileOptions, Policy


TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".data")
TELLING = {"--engine", "--memory-limit", "--help"}
"""Options with which a table may not be read into memory."""


def read_rules(path: Path, layout: LayoutOptions) -> Policy:
    """Return the policy of a file; what the command line says of the table's file counts more than what it says."""
    from discreet.policy import read_policy

    return read_policy(path).with_file(**layout.said())


def begin_at_once(words: Sequence[str]) -> None:
    """Begin to read the large text file of `protect TABLE ...` before the command line is loaded that reads the words.

    What other words say of how it is read is seen then: what was read otherwise is forgotten.
    """
    if len(words) < 2 or words[0] != "protect" or words[1].startswith("-"):
        return
    if TELLING.isdisjoint(word.partition("=")[0] for word in words):
        with contextlib.suppress(OSError, ValueError):  # the command says what is wrong
            if Path(words[1]).stat().st_size >= LARGE:
                load_tables()
                _read_ahead(words[1])


def begin_reading(table: str, rows: EngineOptions) -> None:
    """Begin to read a large text file while the rest of the program is loaded, if it will be read into memory."""
    if rows.engine in (None, "local") and rows.memory_limit is None:
        _read_ahead(table)


def _read_ahead(table: str) -> None:
    if Path(table).suffix.lower() in TEXT_ENDINGS:
        from discreet.table.formats.csv_reading import read_ahead

        read_ahead(Path(table))


def file_options(layout: LayoutOptions) -> FileOptions:
    """Return how the text of a table is written, as far as the command line says."""
    from discreet.policy import FileOptions

    return FileOptions(**{name: value for name, value in layout.said().items() if value is not None})


def stamp_of(path: str | Path) -> object:
    """Return what tells that a table or another file was not written to meanwhile."""
    from discreet.table.stores.files import stamp, watched

    return [(file, stamp(file)) for file in watched(path)]


def shown_name(table: str) -> str:
    """Return what a table is called in what is printed."""
    from discreet.table.formats.place import place_of

    return str(place_of(table))


def refuse_changed(before: Mapping[str | Path, object]) -> None:
    """Refuse files of which one is not as it was when its stamp was taken."""
    from discreet.table.stores.files import changed

    for path, stamp in before.items():
        if stamp_of(path) != stamp:
            raise changed(str(path))
