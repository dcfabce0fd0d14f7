"""Which tests cost most: processor seconds of each test, of the fixtures it waited for and of the programs it started.

python -m pytest -p tools.slowest [...]     a run, with the most expensive files, tests and fixtures at its end
python tools/slowest.py REPORT [...]        the same from reports of earlier runs

The report is `.pytest_cache/slowest.jsonl`, or what `DISCREET_SLOWEST` names. Seconds are of the processor, so they are
the same whatever else the machine does; a program that a test starts counts, whether it has ended or not (Spark).
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

REPORT = Path(os.environ.get("DISCREET_SLOWEST") or Path(".pytest_cache") / "slowest.jsonl").resolve()
LINES = 25
TICKS = os.sysconf("SC_CLK_TCK")

KINDS = ("slow", "spark", "process", "browser", "bench", "reference")

Part = dict[str, Any]
"""A part of a test (setup, call, teardown): what it cost, the fixtures that were made in it, and the marks."""


def spent() -> float:
    """Return the processor seconds of this process and all that it has started."""
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system + sum(map(_of, _below(os.getpid())))


def _below(process: int) -> Iterator[int]:
    """Yield the programs that a process has started and that run still, and theirs."""
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
        children = [int(word) for thread in threads for word in (thread / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        yield child
        yield from _below(child)


def _of(process: int) -> float:
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / TICKS


class Meter:
    """What pytest tells while it runs, in the process that runs tests and in the one that hands them out."""

    def __init__(self) -> None:
        self.began = 0.0
        self.fixtures: dict[str, float] = {}
        self.inner = [0.0]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Send along what this part of a test has cost."""
        now = spent()
        report = yield
        report.cost = now - self.began  # type: ignore[attr-defined]
        report.fixtures, self.fixtures = self.fixtures, {}  # type: ignore[attr-defined]
        report.marks = sorted({mark.name for mark in item.iter_markers()})  # type: ignore[attr-defined]
        self.began = now
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Begin to count where a test begins."""
        self.began = spent()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
        """Count what a fixture costs, without the fixtures that it asks for."""
        began = spent()
        self.inner.append(0.0)
        try:
            return (yield)
        finally:
            cost = spent() - began
            name = f"{fixturedef.baseid}::{fixturedef.argname}"
            self.fixtures[name] = self.fixtures.get(name, 0.0) + cost - self.inner.pop()
            self.inner[-1] += cost

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Begin the report, in the process that hands out tests."""
        if not hasattr(session.config, "workerinput"):
            REPORT.parent.mkdir(parents=True, exist_ok=True)
            REPORT.write_text("", encoding="utf-8")

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write what came with a part of a test: at once, so that a run that is stopped has its report too."""
        if "PYTEST_XDIST_WORKER" not in os.environ:
            names = ("nodeid", "when", "cost", "duration", "fixtures", "marks")
            with REPORT.open("a", encoding="utf-8") as file:
                file.write(json.dumps({name: getattr(report, name) for name in names}) + "\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what is most expensive."""
        terminalreporter.section(f"processor seconds ({REPORT.name})")
        for line in told(read([REPORT]), LINES):
            terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    """Measure."""
    config.pluginmanager.register(Meter())


def _most(name: str, costs: Iterable[tuple[str, float]], lines: int) -> Iterator[str]:
    total: dict[str, list[float]] = defaultdict(list)
    for key, cost in costs:
        total[key].append(cost)
    yield f"{name}:"
    for key in sorted(total, key=lambda key: -sum(total[key]))[:lines]:
        yield f"{sum(total[key]):8.1f} s {len(total[key]):6d} x  {key}"


def read(reports: Iterable[Path]) -> list[Part]:
    """Return the parts of tests of which reports tell."""
    return [json.loads(line) for report in reports for line in report.read_text(encoding="utf-8").splitlines()]


def told(parts: list[Part], lines: int = LINES) -> Iterator[str]:
    """Yield the most expensive kinds, files, tests and fixtures, a line each."""
    whole: dict[str, float] = defaultdict(float)
    kinds = {}
    for part in parts:
        whole[part["nodeid"]] += part["cost"]
        kinds[part["nodeid"]] = " ".join(kind for kind in part["marks"] if kind in KINDS) or "-"
    yield f"{sum(whole.values()):.0f} s, {len(whole)} tests"
    yield from _most("kinds", ((kinds[name], cost) for name, cost in whole.items()), lines)
    yield from _most("files", ((name.partition("::")[0], cost) for name, cost in whole.items()), lines)
    yield from _most("tests", ((name.partition("[")[0], cost) for name, cost in whole.items()), lines)
    yield from _most("fixtures", (pair for part in parts for pair in part["fixtures"].items()), lines)


if __name__ == "__main__":
    sys.stdout.write("\n".join(told(read(map(Path, sys.argv[1:])))) + "\n")
