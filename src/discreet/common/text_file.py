"""Small text files that a policy names: taxonomies, costs."""

from __future__ import annotations

from pathlib import Path

from discreet.errors import InputError


def read_text(path: Path, what: str) -> str:
    """Return the text of a small UTF-8 file; raise `InputError` with the fix when it is none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such {what} file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder, not a {what} file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or 'failed'})") from None
    except ValueError:
        raise InputError(f"{path}: is not the name of a file") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{path}, line {line}: is not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"{path}, line {line}: has a NUL byte; save it as UTF-8 text")
    return text
