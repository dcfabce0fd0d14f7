"""What compiled loops need, loaded while something else is read: for jobs that will hardly do without."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections.abc import Mapping, Sequence

from discreet.common.compiled import may_compile
from discreet.common.with_numba import load


def load_ahead(modules: Mapping[str, Sequence[str]]) -> None:
    """Begin to load Numba, some modules, and what is on disk of the loops in each that are named."""
    if "numba" not in sys.modules and may_compile():
        threading.Thread(target=_load, args=(modules,), daemon=True).start()


def _load(modules: Mapping[str, Sequence[str]]) -> None:
    with contextlib.suppress(Exception):  # whoever needs it says what is wrong
        load()
        for name, loops in modules.items():
            module = importlib.import_module(name)
            for loop in loops:
                vars(module)[loop].load()
