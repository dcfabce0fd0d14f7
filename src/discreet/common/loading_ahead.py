"""What compiled loops need, loaded while something else is read: for jobs that will hardly do without."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading

from discreet.common.compiled import Kernel, may_compile
from discreet.common.with_numba import load


def load_ahead(*modules: str) -> None:
    """Begin to load Numba, some modules, and what is on disk of the loops in them."""
    if "numba" not in sys.modules and may_compile():
        threading.Thread(target=_load, args=modules, daemon=True).start()


def _load(*modules: str) -> None:
    with contextlib.suppress(Exception):  # whoever needs it says what is wrong
        load()
        for name in modules:
            for found in vars(importlib.import_module(name)).values():
                if isinstance(found, Kernel) and found.__module__ == name:
                    found.load()
