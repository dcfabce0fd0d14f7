"""What names of files end in."""

from __future__ import annotations

from pathlib import Path


def ending(path: Path) -> str:
    """Return what the name ends in, .gz left aside.

    >>> ending(Path("release.CSV.gz"))
    '.csv'
    """
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()
