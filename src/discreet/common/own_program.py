"""Whether the whole program is ours, as the command line is, or we are a guest in somebody else's."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType, TracebackType
from typing import Any, Self

from discreet.common.lean_annotations import compile_annotations_later
from discreet.common.lean_dataclasses import compile_methods_later
from discreet.common.postponed import postpone_array_types, postpone_masked_arrays, postponed

UNUSED = (
    "numpy.f2py",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg.interpolative",
    "scipy.optimize._linprog",
    "scipy.optimize._shgo",
    "scipy.spatial",
    "scipy.stats",
)
"""What scikit-learn loads, for half of the time that its loading takes, and the learners that we ask hardly use."""

MATRICES = "scipy", "scipy.linalg.cython_blas"
"""What Numba loads to see whether it is there, for loops that multiply matrices."""

OTHER_SOURCES = (
    "polars.catalog.unity",
    "polars.io.database",
    "polars.io.delta",
    "polars.io.iceberg",
    "polars.io.spreadsheet",
)
"""What Polars loads, for a fifth of the time that its loading takes, to read what few tables come from."""

DOCUMENTATION = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")
"""What NumPy loads, for a fifth of the time that its loading takes, for `help()` to say what its functions do."""

TYPES = "numpy._typing"
"""What NumPy loads, for a fifth of the time that its loading takes, to say of which type five results are."""

_ours = [False]
_loading = threading.RLock()


def be_own_program() -> None:
    """Say that all that runs in this process is ours."""
    _ours[0] = True
    compile_annotations_later()
    compile_methods_later()
    without_plugins()
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # its threads sleep when idle; else they spin for a while


class Ending:
    """The end of a program of ours alone: once all is done, it does not take itself apart (a tenth of a second).

    Threads have ended and whatever is to be done at the end has been done by then, for this was asked for first.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        if not atexit._ncallbacks():  # else somebody was here before us, who wants to hear of the end after us
            atexit.register(self._leave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(error, SystemExit) and isinstance(error.code, int):
            self.code = error.code

    def _leave(self) -> None:
        if self.code is None:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):  # Python says so, with an exit code of its own
            return
        os._exit(self.code)


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


def without_plugins() -> None:
    """Let Pydantic not look through all that is installed for what might watch it: a program of ours has no such."""
    if "pydantic" not in sys.modules:
        loader = ModuleType("pydantic.plugin._loader")
        vars(loader)["get_plugins"] = tuple
        sys.modules.setdefault(loader.__name__, loader)


def load_tables() -> None:
    """Load NumPy and Polars, in a program of ours alone; what few tables need of them only once that is used."""
    if _ours[0]:
        with _loading:
            _load_without("numpy", *DOCUMENTATION, TYPES, NDArray=list)
            postpone_masked_arrays()
            postpone_array_types()
            _load_without("polars", *OTHER_SOURCES)


def _load_without(name: str, *parts: str, **instead: Any) -> None:
    if name in sys.modules:
        return
    try:
        with postponed(*parts, **instead):
            importlib.import_module(name)
    except ImportError:  # another version, which wants something of them at once
        importlib.import_module(name)


def load_learners() -> bool:
    """Load scikit-learn; False where it is not installed."""
    if find_spec("sklearn") is None:
        return False
    if "sklearn.utils.fixes" not in sys.modules:
        learners("sklearn.utils.fixes")
    return True


def learners(name: str) -> Any:
    """Return a module of scikit-learn.

    It is loaded without pandas (half a second), which we never give to it, and what is hardly used only once it is.
    """
    if name in sys.modules or not _ours[0]:
        return importlib.import_module(name)
    import numpy as np

    assert np  # it asks for its own part anew until there is one: it must know what stands for it
    with sparing("pandas"):
        try:
            with postponed(*UNUSED, gmean=geometric_mean):
                return importlib.import_module(name)
        except ImportError:  # another version, which wants something of them at once
            return importlib.import_module(name)


def geometric_mean(numbers: Any, axis: int) -> Any:
    """Return what `scipy.stats.gmean` does, the one thing of it that boosting asks for."""
    import numpy as np

    return np.exp(np.mean(np.log(numbers), axis=axis))
