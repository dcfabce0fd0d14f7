"""Loops compiled by Numba, kept on disk where that can be: how all files of kernels do it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first call; cache on disk where a place for it can be written."""
    try:
        compiled: Any = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)
    # Numba reads what another version of itself has kept no further than its version. What was kept for another text of
    # the file it would read to the end, and fail where that names classes which are gone since: so the text counts too.
    kept = compiled._cache._cache_file
    kept._version = f"{kept._version} {kept._source_stamp}"
    return compiled  # type: ignore[no-any-return]


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into the kernels that call it: a call with many arrays would cost more than what a short one does."""
    compiled: Callable[..., Any] = numba.njit(inline="always")(function)
    return compiled
