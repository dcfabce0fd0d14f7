"""A file that cannot be read: the one place that says why."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from discreet.errors import InputError


@contextlib.contextmanager
def reading_file(
    path: str | Path, *, missing: str = "there is no such file", folder: str | None = None
) -> Iterator[None]:
    """Turn what the system says of a file into an `InputError` with its name.

    Parameters
    ----------
    path
        The file.
    missing, folder
        What is said where there is none, and where it is a folder (as of other files that cannot be read, when absent).

    Examples
    --------
    >>> with reading_file("a"):
    ...     raise PermissionError(13, "Permission denied")
    Traceback (most recent call last):
    discreet.errors.InputError: a: cannot be read (Permission denied)
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path}: {missing}") from None
    except OSError as error:
        is_folder = folder is not None and isinstance(error, IsADirectoryError)
        said = folder if is_folder else f"cannot be read ({error.strerror or 'failed'})"
        raise InputError(f"{path}: {said}") from None
    except ValueError:
        raise InputError(f"{path}: is not the name of a file") from None
