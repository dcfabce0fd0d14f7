"""Tables that come from no file of their own are kept once in a private file: a table is read more than once."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from discreet.errors import InputError
from discreet.table.formats.place import Address, Place, is_standard
from discreet.table.stores.scratch import Scratch

_KEPT: list[tuple[Scratch, Path]] = []


def standard_input() -> Path:
    """Return a file with all of standard input; it is read when this is asked for the first time."""
    if not _KEPT:
        if sys.stdin is None or sys.stdin.isatty():
            raise InputError(
                "-: standard input is a terminal; send a table to it, as in `cat table.csv | discreet ...`"
            )
        scratch = Scratch()
        path = scratch.new(".input")
        try:
            with path.open("xb") as file:
                path.chmod(0o600)
                shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        except OSError as error:
            raise InputError(
                f"-: standard input cannot be kept ({error.strerror or 'failed'}); nothing was written"
            ) from None
        _KEPT.append((scratch, path))
    return _KEPT[0][1]


def forget_standard_input() -> None:
    """Let the next question read standard input anew."""
    while _KEPT:
        _KEPT.pop()[0].close()


def digest_of_arrival(table: Place, files: Sequence[Path]) -> str | None:
    """Return the SHA-256 of what came from no file of its own; None for a file."""
    if not isinstance(table, Address) and not is_standard(table):
        return None
    with files[0].open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
