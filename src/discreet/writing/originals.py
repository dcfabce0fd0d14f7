"""No file of the original is ever replaced by its release, whatever is forced: it may be the only copy."""

from __future__ import annotations

import contextlib
from pathlib import Path

from discreet.errors import InputError
from discreet.table.formats.place import Address, Place, is_standard
from discreet.table.stores.files import watched


def refuse_original(out: Path, original: Place | None) -> None:
    """Refuse to write a file over one of the original, or into its folder; None for a table that came from no place."""
    if original is None or isinstance(original, Address) or is_standard(original):
        return
    files: list[Path] = []
    with contextlib.suppress(OSError, ValueError, InputError):  # the original is gone: nothing of it can be replaced
        if original.is_dir() and out.resolve().is_relative_to(original.resolve()):
            files.append(out)
        files += watched(original)
    if any(same_file(out, file) for file in files):
        raise InputError(f"{out}: belongs to the original, which is never replaced; give the release another name")


def same_file(one: Path, other: Path) -> bool:
    """Whether two names mean one file, by whatever links."""
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError, RuntimeError):
        return False  # one of them does not exist yet, or cannot: reading or writing it says so
