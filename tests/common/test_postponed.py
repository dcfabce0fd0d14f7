"""Modules that are loaded only once something of them is used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from discreet.common.own_program import geometric_mean
from discreet.common.postponed import Later, postponed


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package whose module `user` imports `heavy`, which says that it is loaded."""
    folder = tmp_path / "sample_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("loaded = []\n")
    (folder / "heavy.py").write_text(
        "from sample_package import loaded\nloaded.append(1)\nclass Thing: size = 3\ndef doubled(x): return 2 * x\n"
    )
    (folder / "user.py").write_text(
        "import sample_package.heavy\nfrom sample_package import heavy\n"
        "from sample_package.heavy import Thing, doubled\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield "sample_package"
    for name in [name for name in sys.modules if name.partition(".")[0] == "sample_package"]:
        del sys.modules[name]


def test_it_is_loaded_by_the_first_use(package: str) -> None:
    with postponed(f"{package}.heavy"):
        user = importlib.import_module(f"{package}.user")
    loaded = sys.modules[package].loaded
    assert isinstance(user.doubled, Later)
    assert loaded == []
    assert f"{package}.heavy" not in sys.modules
    assert user.doubled(4) == 8
    assert user.heavy.doubled(5) == 10
    assert user.Thing.size == 3
    made = user.Thing()
    assert isinstance(made, user.Thing)
    assert loaded == [1]
    heavy = importlib.import_module(f"{package}.heavy")
    assert heavy.doubled(1) == 2
    assert isinstance(made, heavy.Thing)
    assert loaded == [1]


def test_what_is_loaded_stays(package: str) -> None:
    heavy = importlib.import_module(f"{package}.heavy")
    with postponed(f"{package}.heavy"):
        user = importlib.import_module(f"{package}.user")
    assert user.doubled is heavy.doubled


def test_a_use_within_the_block_loads_it(package: str) -> None:
    with postponed(f"{package}.heavy"):
        user = importlib.import_module(f"{package}.user")
        assert user.doubled(4) == 8
        assert sys.modules[package].loaded == [1]
    assert sys.modules[f"{package}.heavy"].doubled(1) == 2


@pytest.mark.process
def test_learners_are_loaded_without_what_they_hardly_use() -> None:
    pytest.importorskip("sklearn")
    program = """
import sys
from discreet.common.own_program import UNUSED, be_own_program, learners
be_own_program()
for name in ("ensemble", "linear_model", "naive_bayes", "neighbors", "svm", "tree"):
    learners(f"sklearn.{name}")
print([name for name in (*UNUSED, "pandas") if name in sys.modules])
import scipy.stats
from scipy.spatial import distance
print(scipy.stats.rankdata([3, 1]).tolist(), distance.euclidean([0], [2]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[2.0, 1.0] 2.0"]


@pytest.mark.process
def test_polars_is_loaded_without_what_few_tables_need() -> None:
    program = """
import sys
from discreet.common.own_program import OTHER_SOURCES, be_own_program, load_tables
be_own_program()
load_tables()
print([name for name in OTHER_SOURCES if name in sys.modules])
import polars as pl
from polars.io.spreadsheet import read_excel
try:
    pl.read_excel("no such file")
except FileNotFoundError:
    print("it is asked for", read_excel.__name__)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "it is asked for read_excel"]


@pytest.mark.process
@pytest.mark.parametrize(
    "first", ["import numpy.ma.core", "import numpy.ma as ma", "from numpy.ma import masked_array", ""]
)
def test_masked_arrays_are_loaded_by_whoever_uses_them(first: str) -> None:
    program = f"""
import sys
from discreet.common.own_program import be_own_program, load_tables
be_own_program()
load_tables()
import numpy as np, polars as pl
print(pl.Series(np.arange(3)).to_list(), np.unique([2, 1, 2]).tolist(), "numpy.ma.core" in sys.modules)
before = np.ma
{first}
array = np.ma.masked_array([1, 2, 3], mask=[0, 1, 0])
print(pl.Series(array).to_list(), before.getmask(array).tolist(), before.getdata(array).tolist())
print(isinstance(array, before.MaskedArray), before.is_masked(array), np.ma.is_masked(np.arange(2)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[0, 1, 2] [1, 2] False",
        "[1, None, 3] [False, True, False] [1, 2, 3]",
        "True True False",
    ]


@pytest.mark.process
def test_the_end_of_a_program_does_what_was_asked_for_at_its_end() -> None:
    program = """
import atexit, sys, threading, time
from discreet.common.own_program import Ending
class Left:
    def __del__(self):
        print("taken apart")
left = Left()
def slow():
    time.sleep(0.05)
    print("a thread ends")
with Ending():
    atexit.register(lambda: print("at the end"))
    threading.Thread(target=slow).start()
    print("no line end", end="")
    sys.exit(3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, "no line enda thread ends\nat the end\n", "")
    guest = f"import atexit\natexit.register(print, 'a guest hears of it')\n{program}"
    done = subprocess.run([sys.executable, "-c", guest], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stdout.splitlines()[-2:] == ["a guest hears of it", "taken apart"]


@pytest.mark.process
def test_an_error_ends_a_program_as_ever() -> None:
    program = "from discreet.common.own_program import Ending\nwith Ending():\n    raise ValueError('x')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ValueError: x" in done.stderr


def test_a_mean_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for shape in ((1, 3), (40, 7), (2, 200)):
        numbers = np.random.default_rng(1).random(shape)
        assert np.array_equal(geometric_mean(numbers, axis=1), stats.gmean(numbers, axis=1))


@pytest.mark.process
@pytest.mark.parametrize("first", ["import numpy.typing as npt", "from numpy import typing as npt"])
def test_types_of_arrays_are_loaded_by_whoever_uses_them(first: str) -> None:
    program = f"""
import sys
from discreet.common.own_program import be_own_program, load_tables
be_own_program()
load_tables()
import numpy as np
{first}
ours = npt.NDArray[np.int64]
print(np.linalg.eigh(np.eye(2)).eigenvalues.tolist(), "numpy._typing" in sys.modules)
npt.ArrayLike
import numpy.typing
print(numpy.typing.NDArray[np.int64] == ours, np.typing is sys.modules["numpy.typing"], "numpy._typing" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[1.0, 1.0] False", "True True True"]
