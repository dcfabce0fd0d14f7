"""Small text files that a policy names: taxonomies, costs."""

from __future__ import annotations

from pathlib import Path

from discreet.common.reading import reading_file
from discreet.errors import InputError


def read_text(path: Path, what: str) -> str:
    """Return the text of a small UTF-8 file; raise `InputError` with the fix when it is none."""
    with reading_file(path, missing=f"there is no such {what} file", folder=f"is a folder, not a {what} file"):
        data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: is not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"{path}, line {line}: has a NUL byte; save it as UTF-8 text")
    return text
