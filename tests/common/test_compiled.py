"""Loops that run as they stand or compiled: the same either way, and what an older version has kept does no harm."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import discreet as d
from discreet.cli.progress import COMPILING
from discreet.common import compiled
from discreet.common.compiled import Kernel, always, as_begun, kernel, need_all, room, seldom, tell_when_compiling
from tests.warm_up import attacked, further, jobs, outcome

BEFORE = """
from typing import NamedTuple
import numpy as np
from discreet.common.compiled import always, kernel

class Pair(NamedTuple):
    one: np.ndarray
    two: np.ndarray

@kernel
def added(pair):
    return pair.one[0] + pair.two[0]

with always("compiled"):
    print(added(Pair(np.ones(1), np.ones(1))))
"""


@pytest.mark.process
def test_loops_of_an_older_version_are_compiled_anew(tmp_path: Path) -> None:
    """Whose classes have other names since: the file stands where it stood, so Numba finds what was kept for it."""
    path = tmp_path / "loops.py"
    for text in (BEFORE, BEFORE, BEFORE.replace("Pair", "Two")):
        path.write_text(text, encoding="utf-8")
        run = [sys.executable, "-c", "import loops"]
        found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (found.stdout, found.returncode) == ("2.0\n", 0), found.stderr
    assert len([*(tmp_path / "__pycache__").glob("*.nbi")]) == 1


CALLED = """
from discreet.common.compiled import helper

@helper
def called(x):
    return x + 1
"""
CALLER = """
from discreet.common.compiled import kernel
from called import called

@kernel
def caller(x):
    return called(x)
"""
USED = """
from discreet.common.compiled import always
from caller import caller
with always("compiled"):
    print(caller(1))
"""


@pytest.mark.process
def test_loops_are_compiled_anew_when_what_is_compiled_into_them_changes(tmp_path: Path) -> None:
    """Another file, which Numba does not look at: what is kept would go on with the old loop."""
    (tmp_path / "caller.py").write_text(CALLER, encoding="utf-8")
    for text, says in ((CALLED, "2"), (CALLED.replace("+ 1", "+ 10"), "11")):
        (tmp_path / "called.py").write_text(text, encoding="utf-8")
        run = [sys.executable, "-c", USED]
        found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (found.stdout.strip(), found.returncode) == (says, 0), found.stderr


JOBS = [policy for kind in jobs().values() for policy in kind]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(JOBS)))
def test_jobs_come_to_the_same_either_way(number: int) -> None:
    """Every search and every method: the release, and the plan with all that was decided on the way."""
    with always("plain"):
        plain = outcome(JOBS[number])
    with always("compiled"):
        assert outcome(JOBS[number]) == plain


@pytest.mark.slow
@pytest.mark.parametrize("search", ["disclosure", "coordinate", "local"])
def test_a_job_that_needs_little_comes_to_the_same_with_loops_that_have_all(search: str) -> None:
    policy = next(
        job for job in JOBS if (job.get("search") or job.get("recoding") or "disclosure") == search and "protect" in job
    )
    found = []
    for begin in (as_begun, need_all):
        begin()
        with always("compiled"):
            found.append(outcome(policy))
    assert found[0] == found[1]


@kernel
def _none(x):  # type: ignore[no-untyped-def]
    """Stand in for `_third`."""
    if x > 0:
        raise ValueError("compiled without")
    return x


@seldom(_none)
def _third(x):  # type: ignore[no-untyped-def]
    """Return a third."""
    return x // 3


@kernel
def _some(x):  # type: ignore[no-untyped-def]
    """Return a third of what is large, which is seldom."""
    return _third(x) if x > 10 else x


def test_what_is_seldom_needed_is_compiled_once_it_is() -> None:
    """And never quietly left out: a loop that meets it unasked for fails."""
    assert _some.lacks()
    assert not _third.lacks()
    assert _some(12) == 4  # as it stands, it has all
    with always("compiled"):
        assert _some(9) == 9
        with pytest.raises(ValueError, match="compiled without"):
            _some(12)
        lean = _some.compiled
        need_all()
        assert (_some(9), _some(12)) == (9, 4)
        assert _some.compiled is not lean
        assert _third(12) == 4
        as_begun()
        assert _some.compiled is lean


def test_limits_ask_for_what_they_need() -> None:
    """A promise that counts a vector; those of the commonest kinds do not."""
    as_begun()
    outcome({**JOBS[0], "protect": [JOBS[1]["protect"][0]]})
    assert not compiled._need_all[0]
    outcome({**JOBS[0], "protect": [{"l": 2, "of": "ill", "over": ["job"]}]})
    assert compiled._need_all[0]


@pytest.mark.slow
def test_attacks_come_to_the_same_either_way() -> None:
    with always("plain"):
        plain = attacked()
    with always("compiled"):
        assert attacked() == plain


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(further().keys() - {"attacks"}))
def test_further_jobs_come_to_the_same_either_way(name: str) -> None:
    """Cells that are protected blindly, classes by pairs, many sets of columns, exact search by cells."""
    with always("plain"):
        plain = further()[name]()
    with always("compiled"):
        assert further()[name]() == plain


def _kernels() -> Iterator[Kernel]:
    for module in pkgutil.walk_packages(d.__path__, "discreet."):
        if "kernels" in module.name or module.name.endswith("covering"):
            for found in vars(importlib.import_module(module.name)).values():
                if isinstance(found, Kernel) and found.__module__ == module.name:
                    yield found


class Line(NamedTuple):
    numbers: Any


@room
class Scratch(NamedTuple):
    numbers: Any


@kernel
def turned(line, scratch, times):  # type: ignore[no-untyped-def]
    """Add up and turn round, often: changes both arrays."""
    total = 0
    for _ in range(times):
        for at in range(len(line.numbers)):
            total += line.numbers[at] * line.numbers[at]
            line.numbers[at] += 1
            scratch.numbers[at] = total
    return total, total > 0


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint16", "uint8"])
@pytest.mark.parametrize("rounds", [1, 50, 10**6])
def test_a_loop_that_takes_too_long_begins_anew(
    dtype: str, rounds: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Compiled, and as if it had not been begun: nothing is counted twice. Narrow numbers do not go round."""
    monkeypatch.setattr(compiled, "ALLOWANCE", compiled.Allowance(rounds, rounds, 0, rounds, rounds))
    own = Kernel(turned.py_func)
    given = np.arange(200, 210, dtype=dtype), np.zeros(10, dtype=np.int64)
    found = own(Line(given[0]), Scratch(given[1]), 20)
    expected = [int(start) + turn for turn in range(20) for start in range(200, 210)]
    assert found == (sum(number**2 for number in expected), True)
    assert type(found[0]) is int
    assert given[0].tolist() == list(range(220, 230))
    assert given[1][-1] == found[0]
    assert (own._compiled is None) == (rounds == 10**6)


@kernel
def shifted(one, other):  # type: ignore[no-untyped-def]
    """Copy one by one; O(length)."""
    total = 0
    for at in range(len(one)):
        other[at] = one[at] + 1
        total += one[at]
    return total


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_arrays_that_share_memory_come_to_the_same(dtype: str) -> None:
    """What is written to one is seen in the other, narrow or not."""
    found = []
    for mode in ("either", "compiled"):
        with always(mode):
            numbers = np.arange(6, dtype=dtype)
            found.append((shifted(numbers[:4], numbers[2:]), numbers.tolist()))
    assert found[0] == found[1]


def test_much_is_compiled_at_once_but_room_is_not_much(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = np.zeros(3, dtype=np.int64), np.zeros(compiled.LARGE + 1, dtype=np.int64)
    own = Kernel(turned.py_func)
    monkeypatch.setattr(own, "_kept", False)
    assert own._left((Line(few), Scratch(many), 1)) > 0
    assert own._left((Line(many), Scratch(many), 1)) == 0


def test_who_waits_for_a_compilation_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(compiled, "PATIENCE", 0.0)
    monkeypatch.setattr(compiled, "is_on_disk", lambda *_: False)
    tell_when_compiling(lambda: said.append("compiling"))
    try:
        for _ in range(2):
            with always("compiled"):
                Kernel(turned.py_func)(Line(np.arange(3)), Scratch(np.arange(3)), 1)
    finally:
        tell_when_compiling(None)
    assert said == ["compiling"]


def test_seconds_of_many_loops_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten loops of half a second each are five seconds to whoever waits."""
    said: list[str] = []
    clock = iter([0.0, 0.9, 0.9, 1.8])
    waits: list[float] = []

    class Waiting:
        def __init__(self, seconds: float, tell: Callable[[], None]) -> None:
            waits.append(seconds)
            self.tell = tell
            self.daemon = False

        def start(self) -> None:
            if waits[-1] < 0.9:
                self.tell()

        def cancel(self) -> None:
            """Nothing runs."""

    monkeypatch.setattr(compiled, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    monkeypatch.setattr(compiled, "threading", SimpleNamespace(Timer=Waiting))
    monkeypatch.setattr(compiled, "is_on_disk", lambda *_: False)
    tell_when_compiling(lambda: said.append("compiling"))
    try:
        for told in ([], ["compiling"], ["compiling"]):
            with always("compiled"):
                Kernel(turned.py_func)(Line(np.arange(3)), Scratch(np.arange(3)), 1)
            assert said == told
    finally:
        tell_when_compiling(None)
    assert waits == pytest.approx([1.0, 0.1])


IMPATIENT = """
import discreet.common.compiled as compiled
compiled.PATIENCE = 0.05
from discreet.__main__ import main
main()
"""


@pytest.mark.process
def test_a_first_run_says_once_on_stderr_that_it_compiles(tmp_path: Path) -> None:
    rows = [f"{row % 97},{row % 89},{row % 83},{'yes' if row % 3 else 'no'}" for row in range(8000)]
    (tmp_path / "t.csv").write_text("a,b,c,ill\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "protect: [{infer: {ill: 'yes'}, given: [a, b, c], at_most: 90%}]", encoding="utf-8"
    )
    said = []
    for _ in range(2):
        words = ["protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--force", "--seed", "1"]
        done = subprocess.run(
            [sys.executable, "-c", IMPATIENT, *words],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
    assert said == [f"{COMPILING}\n", ""]


def test_every_kernel_says_what_it_costs() -> None:
    missing = [
        f"{each.__module__}.{each.__name__}"
        for each in _kernels()
        if "O(" not in (each.__doc__ or "") and "Cost" not in (each.__doc__ or "")
    ]
    assert not missing


@pytest.mark.process
def test_a_small_job_loads_no_compiler_and_a_large_one_loads_it_ahead(tmp_path: Path) -> None:
    """Loading it takes half a second: as long as everything else that a small job does."""
    program = """
import sys, threading
import polars as pl
import discreet as d
rows = int(sys.argv[1])
table = pl.DataFrame({"job": ["pq"[row % 2] for row in range(rows)], "ill": ["yes", "no", "no", "no"] * (rows // 4)})
d.protect(table, d.Policy(protect=[d.Template(given=["job"], infer={"ill": "yes"}, at_most="90%")]))
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join()
print("numba" in sys.modules)
"""
    for rows, loaded in ((24, "False"), (20_000, "True")):
        done = subprocess.run(
            [sys.executable, "-c", program, str(rows)], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert (done.stdout.strip(), done.returncode) == (loaded, 0), done.stderr


ALGEBRA = """
import sys
import numpy as np
from discreet.common import own_program
from discreet.common.compiled import always, kernel
if "ours" in sys.argv:
    own_program.be_own_program()

@kernel
def summed(x):
    return x.sum()

with always("compiled"):
    assert summed(np.ones(3)) == 3
print("scipy.linalg" in sys.modules)
import scipy.linalg
print(scipy.linalg.det([[2.0]]))
"""


@pytest.mark.process
@pytest.mark.parametrize(("whose", "loads"), [("ours", "False"), ("theirs", "True")])
def test_a_program_of_ours_loads_no_algebra_for_loops_and_can_later(whose: str, loads: str, tmp_path: Path) -> None:
    """A guest in somebody else's program leaves Numba as it is: loops of theirs may multiply matrices."""
    (tmp_path / "algebra.py").write_text(ALGEBRA, encoding="utf-8")
    run = [sys.executable, "algebra.py", whose]
    found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.stdout.split() == [loads, "2.0"], found.stderr
