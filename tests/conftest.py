"""What every test may use: the benchmark data and the worked examples."""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discreet.common.compiled import as_begun
from tests.lighter import be_lighter, in_full
from tests.not_again import NotAgain
from tests.profiles import NIGHTLY  # and how many random examples are tried

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # else programs that tests start after Spark Connect may abort
ROOT = Path(__file__).resolve().parent.parent
REQUIRE_ALL = os.environ.get("DISCREET_REQUIRE_ALL") == "1"
"""Nothing may be skipped for want of a part."""


def load_golden(name: str) -> Any:
    """A file of worked examples in tests/golden."""
    return json.loads((ROOT / "tests" / "golden" / name).read_text(encoding="utf-8"))


def pytest_configure(config: pytest.Config) -> None:
    """Let `.ci/run` say which tests need not be run again; search and learn less."""
    config.pluginmanager.register(NotAgain())
    be_lighter()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Collect tests only: what they use may need parts that are not installed, and has no doctests."""
    is_help = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_help else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let one process run all tests that use Spark, and one all that use a browser: each is started once.
    Those that start a Spark of their own may run beside them.

    Several processes take the long tests first, so that in the end none is alone with one.
    """
    for item in items:
        for shared in ("spark", "browser"):
            if item.get_closest_marker(shared) and not item.get_closest_marker("xdist_group"):
                item.add_marker(pytest.mark.xdist_group(shared))
    # Recipes install what others make: only who asks for them runs them. What others show in short is for nights.
    left_out = {"recipes": "recipes" not in config.option.markexpr, "nightly": not NIGHTLY}
    names = [name for name, is_left_out in left_out.items() if is_left_out]
    config.hook.pytest_deselected(items=[item for item in items if any(map(item.get_closest_marker, names))])
    items[:] = [item for item in items if not any(map(item.get_closest_marker, names))]
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not any(map(item.get_closest_marker, ("process", "bench", "slow"))))


@pytest.fixture(autouse=True)
def _as_begun() -> Iterator[None]:
    """Each test begins as a program does: with loops that lack what few jobs need, and have not gone round yet."""
    yield
    as_begun()


@pytest.fixture(autouse=True, scope="module")
def _in_full(request: pytest.FixtureRequest) -> Iterator[None]:
    """Searches and learners of full size for files of tests that ask for them."""
    with in_full() if request.node.get_closest_marker("full") else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def unprivileged() -> Iterator[None]:
    """For a while, not the superuser, who may read and write everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bank example in a folder of its own, which is the current one."""
    from tests.commands import DEMO

    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of benchmark data: $DISCREET_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("DISCREET_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        reason = f"no benchmark data in {folder} (set DISCREET_DATA)"
        if REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
