"""Where compiled loops are kept on disk, as Numba names them: asked without loading Numba."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any


@cache
def stamp(name: str) -> tuple[str, int, int]:
    """Return name, time and size of a file, which many kernels ask for."""
    stat = Path(name).stat()
    return Path(name).name, stat.st_mtime_ns, stat.st_size


def is_on_disk(function: Callable[..., Any], kept_as: str) -> bool:
    """Whether something compiled from a function, perhaps of an earlier version, seems to be kept on disk."""
    code = function.__code__
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    return f"{function.__module__.rpartition('.')[2]}.{kept_as}-{code.co_firstlineno}.{version}.nbi" in _kept(
        code.co_filename
    )


@cache
def _kept(file: str) -> frozenset[str]:
    """Return the names of what is kept for a file of kernels, where Numba may have put it."""
    own, elsewhere = os.environ.get("NUMBA_CACHE_DIR"), f"{Path(file).parent.name}_*"
    if own:
        places = [*Path(own).glob(elsewhere)]
    else:
        places = [Path(file).parent / "__pycache__", *(Path.home() / ".cache" / "numba").glob(elsewhere)]
    return frozenset(path.name for place in places for path in place.glob(f"{Path(file).stem}.*.nbi"))
