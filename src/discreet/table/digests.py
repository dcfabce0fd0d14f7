"""Hashes of the files of a table: by them a release is known again."""

from __future__ import annotations

import hashlib
from pathlib import Path

from discreet.table.stores.files import watched


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(table: str | Path) -> str:
    """Return the SHA-256 of the file of a table or, where it has several, of their names and hashes, line by line."""
    files = [path for path in watched(table) if path.exists()]
    if len(files) == 1:
        return digest(files[0])
    lines = "".join(f"{digest(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()
