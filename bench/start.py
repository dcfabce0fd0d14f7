"""The first second and the first run: what a command costs beside the imports that it cannot do without.

    python bench/start.py [--kinds templates k genetic exact local cells] [--tables small adult million]
                          [--before SOURCE] [--repeat 3] [--jobs protect report audit] [--kernels] [--goals]

CPU seconds (and wall seconds, and peak memory) of whole commands, each a process of its own: `warm`, where compiled
loops are on disk, and `cold`, where none are (the first run on a machine; byte code of all modules, also of libraries,
is there in both). With
`--before`, the folder `src` of another version, both are run in turn, and the releases are compared byte for byte; in
turn with them Polars reads and writes the table in a process of its own.
`--kernels` lists the loops that a cold run compiles, and how long each takes. At the end stands what has a goal; with
`--goals` exactly that is measured: all kinds on 24 rows and on Adult, the report of 24 rows, the audit of Adult with
both reports, and 1,000,000 rows; with `--kinds`, `--tables` or `--jobs` beside it, the part of it that they name.

The floor is `import numpy, polars, pydantic, typer, rich`. Tables: 24 rows made here; Adult, 45,222 rows, and 1,000,000
made of it (these need the Adult data, DISCREET_DATA). On Adult the kind `exact` is over four columns: over all, the
search itself takes minutes, and what a first run takes above a warm one would be lost in that.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import discreet
from adult import CATEGORIES, complete_rows, expanded, rarest

SOURCE = Path(__file__).resolve().parents[1] / "src"
FLOOR = "import numpy, polars, pydantic, typer, rich"
POLARS = "import polars as pl, sys; pl.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])"
KINDS = ("templates", "k", "genetic", "exact", "local", "cells")
JOBS = ("protect", "report", "audit")
GOALS_OF = {
    "small": [*((kind, "protect") for kind in KINDS), ("templates", "report")],
    "adult": [*((kind, "protect") for kind in KINDS), ("templates", "audit")],
    "million": [("templates", "protect")],
}
"""The jobs on each table that have a goal."""
KERNELS = """
import sys
from numba.core import event
recorder = event.RecordingListener()
event.register("numba:compile", recorder)
from discreet.__main__ import main
try:
    main()
finally:
    print(*(f"{when} {what.is_start} {what.data['dispatcher'].py_func.__module__}.{what.data['dispatcher'].__name__}"
            for when, what in recorder.buffer), sep="\\n", file=sys.stderr)
"""
"""Runs a command and tells when which loop was compiled."""


@dataclass(frozen=True)
class Cost:
    """What a process cost: seconds of CPU and of the clock, and kilobytes at its peak."""

    cpu: float
    wall: float
    peak: int

    def __str__(self) -> str:
        return f"{self.cpu:6.2f} CPU {self.wall:6.2f} wall {self.peak / 1024:6.0f} MB"


@dataclass(frozen=True)
class Measured:
    """What a job costs, by cold or warm and the version; `mark` is Polars reading and writing the table."""

    table: str
    kind: str
    job: str
    costs: dict[tuple[str, str], Cost]
    mark: Cost

    def beside_goals(self) -> Iterator[str]:
        """Yield in words each figure that has a goal, beside it."""
        for version in dict.fromkeys(name for _, name in self.costs):
            cold, warm = self.costs.get(("cold", version)), self.costs[("warm", version)]
            for what, figure, goal in self._figures(cold, warm):
                verdict = "kept" if figure <= goal else "MISSED"
                yield f"{self.table}, {self.kind}, {self.job}, {version}: {what} {figure:.2f}, goal {goal:g}: {verdict}"

    def _figures(self, cold: Cost | None, warm: Cost) -> Iterator[tuple[str, float, float]]:
        asked = self.table, self.job
        if asked == ("small", "protect"):
            if self.kind == "templates":
                yield "warm, CPU s", warm.cpu, 0.9
            if cold is not None:
                yield "first run, CPU s", cold.cpu, 3
        elif asked == ("small", "report"):
            yield "warm, CPU s", warm.cpu, 3
        elif asked == ("adult", "protect") and cold is not None:
            yield "first run above warm, CPU s", cold.cpu - warm.cpu, 8
            if self.kind == "templates":
                yield "warm, wall s", warm.wall, 1.3
        elif asked == ("adult", "audit"):
            yield "quick audit with both reports, CPU s", warm.cpu, 8
        elif asked == ("million", "protect") and self.kind == "templates":
            yield "wall s", warm.wall, 3
            yield "times Polars", warm.wall / self.mark.wall, 3.5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=KINDS)
    parser.add_argument("--tables", nargs="+", choices=tuple(GOALS_OF))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--jobs", nargs="+", choices=JOBS)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--goals", action="store_true")
    options = parser.parse_args()
    tables_asked = options.tables or (list(GOALS_OF) if options.goals else ["small", "adult"])
    versions = {"now": SOURCE, **({} if options.before is None else {"before": options.before.resolve()})}
    for source in versions.values():
        compileall.compile_dir(source, quiet=2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor = median([run([sys.executable, "-c", FLOOR], SOURCE, folder) for _ in range(options.repeat + 1)][1:])
        print(f"floor: {FLOOR}\n  {floor}\n")
        found: list[Measured] = []
        for table in tables_asked:
            frame = tables()[table]()
            path = folder / f"{table}.csv"
            frame.write_csv(path)
            print(f"{table}: {len(frame):,} rows")
            for kind, job in jobs_of(table, options):
                policy = folder / f"{kind}.json"
                policy.write_text(json.dumps(policies(table, frame)[kind]))
                costs, mark = compare(versions, folder, path, policy, job, options.repeat)
                found.append(Measured(table, kind, job, {key: median(cost) for key, cost in costs.items()}, mark))
                if options.kernels and job == "protect":
                    compiled(command("protect", path, policy, folder), folder)
        print("\nbeside the goals (the floor stands above)")
        for measured in found:
            for line in measured.beside_goals():
                print(f"  {line}")


def jobs_of(table: str, options: argparse.Namespace) -> list[tuple[str, str]]:
    """Return the jobs that are measured on a table, each by its kind and what is done."""
    jobs = options.jobs or (JOBS if options.goals else ["protect"])
    asked = [(kind, job) for kind in options.kinds or KINDS for job in jobs]
    return [found for found in GOALS_OF[table] if found in asked] if options.goals else asked


def compare(
    versions: dict[str, Path], folder: Path, table: Path, policy: Path, job: str, repeat: int
) -> tuple[dict[tuple[str, str], list[Cost]], Cost]:
    """Print and return what a job costs, cold and warm, in each version; print whether the releases are the same.

    Second comes what Polars takes to read and write the table, measured in turn with the others.
    """
    releases = set()
    copy = [sys.executable, "-c", POLARS, str(table), str(folder / "copy.csv")]
    marks = [run(copy, SOURCE, folder)]
    costs: dict[tuple[str, str], list[Cost]] = {}
    kept = {name: folder / f"kept-{name}" for name in versions}
    run(command("protect" if job == "audit" else job, table, policy, folder), SOURCE, kept["now"])
    for turn in range(repeat + 1):
        for name, source in versions.items():
            cold = folder / "cold" if turn < min(repeat, 2) else None
            if job == "audit":
                run(command("protect", table, policy, folder), source, kept[name])
            words = command(job, table, policy, folder)
            if cold is not None and job == "protect":
                shutil.rmtree(cold, ignore_errors=True)
                costs.setdefault(("cold", name), []).append(run(words, source, cold))
            done = run(words, source, kept[name])
            if turn:  # the first one compiles
                costs.setdefault(("warm", name), []).append(done)
            releases.add((folder / "release.csv").read_bytes())
        marks.append(run(copy, SOURCE, folder))
    mark = median(marks[1:])  # the first one may have loaded its libraries from a disk
    print(f"  {policy.stem}, {job}" + ("" if len(releases) == 1 else "   RELEASES DIFFER"))
    print(f"    Polars reads and writes the table: {mark}")
    for (state, name), found in sorted(costs.items()):
        middle = median(found)
        print(f"    {state} {name:7} {middle}   {middle.wall / mark.wall:5.1f} x Polars")
    return costs, mark


def command(job: str, table: Path, policy: Path, folder: Path) -> list[str]:
    """Return the words of a job."""
    out = folder / "release.csv"
    words = [sys.executable, "-m", "discreet"]
    if job == "audit":
        reports = ["--report", str(folder / "r.html"), "--public-report", str(folder / "p.html"), "--force"]
        return [*words, "audit", str(out), "-p", str(policy), "--original", str(table), *reports]
    words += ["protect", str(table), "-p", str(policy), "-o", str(out), "--force", "--seed", "1"]
    return [*words, "--report", str(folder / "r.html")] if job == "report" else words


def compiled(words: list[str], folder: Path) -> None:
    """Print the loops that a cold run compiles, each with its own seconds, without those that it calls."""
    shutil.rmtree(folder / "cold", ignore_errors=True)
    words = [words[0], "-c", KERNELS, *words[3:]]
    done = subprocess.run(words, env=environment(SOURCE, folder / "cold"), capture_output=True, text=True, check=False)
    own: dict[str, list[float]] = {}
    stack: list[tuple[str, float, float]] = []
    for line in done.stderr.splitlines():
        when, starts, name = (*line.split(" "), "", "")[:3]
        if starts == "True":
            stack.append((name, float(when), 0.0))
        elif starts == "False":
            name, began, inner = stack.pop()
            whole = float(when) - began
            own.setdefault(name, []).append(whole - inner)
            if stack:
                stack[-1] = (*stack[-1][:2], stack[-1][2] + whole)
    for name, found in sorted(own.items(), key=lambda item: -sum(item[1])):
        print(f"      {sum(found):6.2f} s {len(found):2} times  {name.removeprefix('discreet.')}")
    print(f"      {sum(map(sum, own.values())):6.2f} s together")


def run(words: list[str], source: Path, kept: Path) -> Cost:
    """Return what a command cost, with the loops that are kept in a folder."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        words, env=environment(source, kept), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed with exit code {process.returncode}: {' '.join(words)}\n{said}")
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss)


def environment(source: Path, kept: Path) -> dict[str, str]:
    """Return the environment of a command: which version, and where compiled loops are kept."""
    said = {**os.environ, "PYTHONPATH": str(source), "NUMBA_CACHE_DIR": str(kept)}
    said.pop("PYTHONDONTWRITEBYTECODE", None)  # each job is run once before it is measured: byte code is there then
    return said


def median(costs: list[Cost]) -> Cost:
    """Return the medians."""
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
        int(statistics.median(cost.peak for cost in costs)),
    )


def tables() -> dict[str, Any]:
    """Return how each table is made."""
    return {"small": small, "adult": complete_rows, "million": lambda: expanded(1_000_000)}


def small() -> pl.DataFrame:
    """Return the bank of the README, 24 rows."""
    bank = Path(discreet.__file__).parent / "cli" / "demo" / "bank.csv"
    return pl.read_csv(bank, infer_schema=False)


def policies(table: str, frame: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the policies of a table by the kind of job."""
    if table == "small":
        known, secret, value, target, k = ["Job", "Country"], "Bankruptcy", "Discharged", "Rating", 3
        cells = {"column": "Bankruptcy", "rows": [1, 2], "predictors": ["Job", "Country", "Child"]}
        most, proven = "75%", known
    else:
        known = [name for name in CATEGORIES if name != "marital-status"]
        secret, target, k, most = "marital-status", "income", 10, "90%"
        value = rarest(frame, secret, 1)[0]
        cells = {"column": "occupation", "rows": list(range(1, 101)), "predictors": known[:2]}
        proven = ["workclass", "relationship", "race", "sex"]
    template = {"infer": {secret: value}, "given": known, "at_most": most}
    group = {"k": k, "over": known}
    base = {"use": {"classify": target}}
    return {
        "templates": {**base, "protect": [template]},
        "k": {**base, "protect": [group], "search": "coordinate"},
        "genetic": {
            **base, "protect": [group], "search": "genetic", "genetic": {"population": 500, "iterations": 20_000},
        },
        "exact": {**base, "use": "general", "protect": [{"k": k, "over": proven}], "search": "exact"},
        "local": {"protect": [group], "recoding": "local"},
        "cells": {"protect": [{**cells, "against": ["naive_bayes", "id3"], "on_failure": "remove"}]},
    }  # fmt: skip


if __name__ == "__main__":
    main()
