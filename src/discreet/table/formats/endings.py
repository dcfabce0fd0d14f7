"""What names of files end in."""

from __future__ import annotations

from pathlib import Path

from discreet.table.formats.packing import packing_for


def ending(path: Path) -> str:
    """Return what the name ends in; .gz and other ways to pack a file left aside, unless nothing else is said.

    >>> ending(Path("release.CSV.gz")), ending(Path("release.zip"))
    ('.csv', '')
    """
    return Path(path.name if packing_for(path) is None else path.stem).suffix.lower()
