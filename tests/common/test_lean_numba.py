"""What is left out when loops are compiled: they come to the same, with Numba's own way and with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.common import lean_numba
from discreet.common.compiled import Kernel, always, helper, kernel


def _moved(numbers, by):  # type: ignore[no-untyped-def]
    """Return how far numbers add up when each is moved. O(length)."""
    total = 0
    for at in range(len(numbers)):
        total += numbers[at] + by
    return total


def _doubled(numbers):  # type: ignore[no-untyped-def]
    """Return an array made here. O(length)."""
    made = np.empty(len(numbers), np.int64)
    for at in range(len(numbers)):
        made[at] = 2 * numbers[at]
    return made


def _end(numbers):  # type: ignore[no-untyped-def]
    """Return a part of an array that was given. O(1)."""
    return numbers[1:]


moved, doubled, end = kernel(_moved), kernel(_doubled), kernel(_end)
small = helper(_moved)


@kernel
def both_ways(numbers):  # type: ignore[no-untyped-def]
    """Call a loop with two numbers that are written here, and small ones at several places. O(length)."""
    return moved(numbers, 1) * moved(numbers, -1) + small(numbers, 3) - small(end(doubled(numbers)), 2)


def _fresh(function: Kernel) -> Kernel:
    return Kernel(function.py_func, inline=function.inline)


@pytest.mark.slow
@pytest.mark.parametrize("tried", [True, False])
def test_loops_come_to_the_same_with_any_version_of_numba(
    tried: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With one with which nothing was tried, all is done as Numba does it."""
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))  # nothing is kept there
    if not tried:
        monkeypatch.setattr(lean_numba, "TRIED", set())
        assert not lean_numba.options(inner=True)
        assert lean_numba.inlined() == {"inline": "always"}
    for name in ("moved", "doubled", "end", "small"):
        monkeypatch.setitem(globals(), name, _fresh(globals()[name]))
    own = _fresh(both_ways)
    numbers = np.arange(5, dtype=np.int64)
    with always("plain"):
        plain = own(numbers)
    with always("compiled"):
        assert own(numbers) == plain == 15 * 5 + 25 - 28
    called: Any = globals()["moved"].inner
    if tried and lean_numba.options(inner=True):
        assert len(called.signatures) == 1  # whatever number is written in a call
    else:
        assert len(called.signatures) == 2


@pytest.mark.parametrize("function", [_doubled, _end, _moved])
def test_arrays_live_as_long_as_they_are_needed(function: Callable[..., Any]) -> None:
    """References are counted wherever an array is made or handed on; elsewhere none is lost or kept."""
    own = Kernel(function)
    numbers = np.arange(100, dtype=np.int64)
    arguments = (numbers, 1) if function is _moved else (numbers,)
    with always("compiled"):
        first = own(*arguments)
        before = sys.getrefcount(numbers)
        for _ in range(50):
            found = own(*arguments)
        assert np.array_equal(found, first)
        assert np.array_equal(found, function(*arguments))
        assert sys.getrefcount(numbers) <= before + 1


KEPT = """
import sys
import numpy as np
from discreet.common.compiled import always, kernel

@kernel
def doubled(x):
    found = np.empty(len(x), dtype=np.int64)
    for i in range(len(x)):
        found[i] = 2 * x[i]
    return found

@kernel
def summed(x):
    return x.sum()

with always("compiled"):
    print(doubled(np.arange(3)).tolist(), "numba.np.arraymath" in sys.modules)
    if "more" in sys.argv:
        print(summed(np.ones(3)), doubled(np.arange(2)).tolist())
"""


@pytest.mark.process
@pytest.mark.skipif(not lean_numba.options(inner=True), reason="not tried with this version of Numba")
def test_a_loop_on_disk_is_loaded_alone_and_others_are_compiled_after_it(tmp_path: Path) -> None:
    (tmp_path / "kept.py").write_text(KEPT, encoding="utf-8")
    said = []
    for more in ((), (), ("more",)):
        run = [sys.executable, "kept.py", *more]
        found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr
        said.append(found.stdout.splitlines())
    assert said == [["[0, 2, 4] True"], ["[0, 2, 4] False"], ["[0, 2, 4] False", "3.0 [0, 2]"]]


AHEAD = """
import sys, time
import numpy as np
from discreet.common.compiled import kernel
from discreet.common.loading_ahead import load_ahead

@kernel
def doubled(x):
    for place in range(len(x)):
        x[place] *= 2
    return x

if __name__ == "__main__":
    import ahead
    if sys.argv[1] == "first":
        ahead.doubled(np.arange(100_000))
    load_ahead({"ahead": ["doubled"]})
    import threading
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()
    made = ahead.doubled._compiled
    print("numba" in sys.modules, made is not None and len(made.overloads), ahead.doubled(np.arange(3)).tolist())
"""
OTHER_MACHINE = {"NUMBA_CPU_NAME": "generic"}


@pytest.mark.process
@pytest.mark.skipif(not lean_numba.options(inner=True), reason="not tried with this version of Numba")
def test_what_is_on_disk_is_loaded_ahead_and_nothing_else_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "ahead.py").write_text(AHEAD, encoding="utf-8")
    said = []
    for which, machine in (("none", {}), ("first", {}), ("later", {}), ("later", OTHER_MACHINE)):
        run, env = [sys.executable, "ahead.py", which], {**os.environ, **machine}
        found = subprocess.run(run, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr
        said.append(found.stdout.strip())
    assert said == ["True False [0, 2, 4]", "True 1 [0, 2, 4]", "True 1 [0, 2, 4]", "True 0 [0, 2, 4]"]
