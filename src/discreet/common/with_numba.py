"""What is asked of Numba: it is loaded here and nowhere else, and only when it is needed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from discreet.common.compiled_files import stamp
from discreet.common.own_program import MATRICES, sparing

Function = Callable[..., Any]


def load() -> Any:
    """Load Numba; without SciPy where no loop can be meant to multiply matrices but ours, and ours do not.

    Numba would load it to see whether it is there: half a second.
    """
    if "numba" in sys.modules:
        import numba

        return numba
    with sparing(*MATRICES):
        import numba

        from discreet.common.lean_numba import TRIED

        if numba.version_info.short not in TRIED:  # else before the first loop is compiled, if any is
            import numba.np.arraymath
    return numba


def njit(function: Function, files: set[str]) -> Function:
    """Compile on first call; keep it on disk where a place for it can be written."""
    numba = load()
    from discreet.common.lean_numba import any_number, load_alone, options

    try:
        compiled: Any = numba.njit(cache=True, nogil=True, **options(inner=False))(function)
    except RuntimeError:  # neither the package folder nor the user's cache can be written
        compiled = numba.njit(nogil=True, **options(inner=False))(function)
    else:
        # Numba reads what another version of itself has kept no further than its version. What was kept for another
        # text of the file it would read to the end, and fail where that names classes which are gone since: so the text
        # counts too, and that of all files whose loops are compiled into it, which Numba does not look at.
        kept = compiled._cache._cache_file
        kept._version = f"{kept._version} {[stamp(name) for name in sorted(files)]}"
        load_alone(compiled)
    any_number(compiled)
    return compiled  # type: ignore[no-any-return]


def load_kept(compiled: Function) -> None:
    """Load what is on disk of a function that `njit` made, before it is called."""
    from discreet.common.lean_numba import load_each

    load_each(compiled)


def inner(function: Function) -> Function:
    """Compile for loops that call it; it is kept on disk as a part of them."""
    numba = load()
    from discreet.common.lean_numba import any_number, options

    compiled = numba.njit(nogil=True, **options(inner=True))(function)
    any_number(compiled)
    return compiled  # type: ignore[no-any-return]


def inlined(function: Function) -> Function:
    """Compile into whatever calls it."""
    numba = load()
    from discreet.common.lean_numba import any_number
    from discreet.common.lean_numba import inlined as asked

    compiled = numba.njit(**asked())(function)
    any_number(compiled)
    return compiled  # type: ignore[no-any-return]
