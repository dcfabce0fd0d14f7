"""What `.ci/run` does not run twice: a file names the tests that passed in the default install.

`DISCREET_PASSED` names a file to which a run adds its passed tests; with `DISCREET_NOT_AGAIN` a run leaves out those
that the file names. A test that was skipped, failed or did not get to its end is not in the file, so it is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

WRITTEN, READ = "DISCREET_PASSED", "DISCREET_NOT_AGAIN"


def passed(reports: Iterable[pytest.TestReport]) -> list[str]:
    """The tests of which every part passed: what comes before, the test itself, and what comes after."""
    parts: dict[str, set[tuple[str, str]]] = {}
    for report in reports:
        parts.setdefault(name_of(report.nodeid), set()).add((report.when, report.outcome))
    whole = {(when, "passed") for when in ("setup", "call", "teardown")}
    return [name for name, found in parts.items() if found == whole]


def name_of(nodeid: str) -> str:
    """The name of a test, without the group to which pytest-xdist says that it belongs."""
    name, _, group = nodeid.rpartition("@")
    return name if name and "]" not in group else nodeid  # an @ among the parameters has a bracket after it


def split(items: Sequence[pytest.Item], names: set[str]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests that are run, and those that are not, for they are among the names."""
    again = [item for item in items if name_of(item.nodeid) not in names]
    return again, [item for item in items if name_of(item.nodeid) in names]


class NotAgain:
    """What pytest tells while it runs."""

    def __init__(self) -> None:
        self.reports: list[pytest.TestReport] = []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what need not be run again."""
        if path := os.environ.get(READ):
            again, others = split(items, set(Path(path).read_text(encoding="utf-8").splitlines()))
            items[:] = again
            config.hook.pytest_deselected(items=others)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what is told."""
        if WRITTEN in os.environ:
            self.reports.append(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the names of what passed; the process that hands out tests is told of all of them."""
        path = os.environ.get(WRITTEN)
        if path and not hasattr(session.config, "workerinput"):
            with Path(path).open("a", encoding="utf-8") as file:
                file.writelines(f"{name}\n" for name in passed(self.reports))
