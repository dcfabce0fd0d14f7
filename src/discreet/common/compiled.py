"""Loops compiled by Numba, kept on disk where that can be: how all files of kernels do it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

_COMPILED_FROM: dict[str, set[str]] = {}
"""For each file of kernels those whose loops are compiled into its own, itself included."""


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; cache on disk where a place for it can be written."""
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)
    # Numba reads what another version of itself has kept no further than its version. What was kept for another text of
    # the file it would read to the end, and fail where that names classes which are gone since: so the text counts too,
    # and that of all files whose loops are compiled into it, which Numba does not look at.
    kept = compiled._cache._cache_file
    kept._version = f"{kept._version} {_stamps(function)}"
    return compiled  # type: ignore[no-any-return]


def _stamps(function: Callable[..., Any]) -> list[tuple[str, int, int]]:
    """Return name, time and size of the files that a function is compiled from: its own and those it calls."""
    own = function.__code__.co_filename
    needed = _COMPILED_FROM.setdefault(own, {own})
    for other in function.__globals__.values():
        called = getattr(other, "py_func", None)
        if called is not None:
            needed |= _COMPILED_FROM.get(called.__code__.co_filename, {called.__code__.co_filename})
    return [_stamp(name) for name in sorted(needed)]


@cache
def _stamp(name: str) -> tuple[str, int, int]:
    """Return name, time and size of a file, which many kernels ask for."""
    stat = Path(name).stat()
    return Path(name).name, stat.st_mtime_ns, stat.st_size


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into the kernels that call it: a call with many arrays would cost more than what a short one does."""
    compiled: Callable[..., Any] = numba.njit(inline="always")(function)
    return compiled
