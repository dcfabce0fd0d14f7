"""Whether the whole program is ours, as the command line is, or we are a guest in somebody else's."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

_ours = [False]
_loading = threading.RLock()


def be_own_program() -> None:
    """Say that all that runs in this process is ours."""
    _ours[0] = True


@contextmanager
def sparing(*names: str) -> Iterator[None]:
    """Load something without modules that it would load only to see whether they are there.

    In a program of ours alone, and where they are not loaded yet: others might want what is done with them.
    """
    with _loading:
        absent = [name for name in names if name not in sys.modules]
        if not _ours[0] or names[0] not in absent:
            yield
            return
        sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
        try:
            yield
        finally:
            for name in absent:
                del sys.modules[name]


def load_learners() -> bool:
    """Load scikit-learn, without pandas (half a second), which we never give to it; False where it is not installed."""
    if find_spec("sklearn") is None:
        return False
    if "sklearn.utils.fixes" not in sys.modules:
        with sparing("pandas"):
            import sklearn.utils.fixes  # noqa: F401
    return True
