"""The papers' scalability experiment: 200,000 to 10,000,000 rows, one set of known columns and several.

    python bench/scalability.py [--sizes 200000 1000000 10000000] [--sets 30] [--repeat 3]

Every run is a process of its own on a CSV file: the whole command beside "Polars reads and writes the same
CSV" as a ratio, its stages, and its peak memory. The papers' figures are from a 3 GHz Pentium IV: 192 s (one
set, 90%), 296 s (one set, 100%), 318 s and 412 s (several sets) for 1,000,000 rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import discreet as d
from adult import GIVEN, expanded, rarest

POLARS = "import polars, sys; polars.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])"
STAGES = ("start", "read", "count", "plan", "apply", "verify", "write")
PAPER = {("one", "90%"): 192, ("one", "100%"): 296, ("several", "90%"): 318, ("several", "100%"): 412}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[200_000, 400_000, 600_000, 800_000, 1_000_000])
    parser.add_argument("--large", type=int, default=10_000_000, help="one more size, run once; 0 for none")
    parser.add_argument("--sets", type=int, default=5, help="random sets of several known columns (the papers: 30)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--one", nargs=3, metavar=("TABLE", "POLICY", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_run(*map(Path, options.one))))
        return
    print(f"{'rows':>10} {'known':>8} {'h':>5} {'combos':>9} {'whole':>7} {'Polars':>7} {'ratio':>6}  "
          + " ".join(f"{stage:>6}" for stage in STAGES) + f" {'peak MB':>8} {'paper':>6}")  # fmt: skip
    wholes: dict[tuple[int, str, str], float] = {}
    with tempfile.TemporaryDirectory() as name:
        for rows in [*options.sizes, *([options.large] if options.large else [])]:
            repeat = options.repeat if rows <= 1_000_000 else 1
            sets = options.sets if rows <= 1_000_000 else 0
            wholes |= measure(Path(name), rows, repeat, sets)
    base = wholes.get((1_000_000, "one", "90%"))
    if base and options.large:
        for at_most in ("90%", "100%"):
            growth = wholes[options.large, "one", at_most] / wholes[1_000_000, "one", at_most]
            print(f"1,000,000 to {options.large:,} rows at {at_most}: {growth:.1f} times")


def measure(folder: Path, rows: int, repeat: int, sets: int) -> dict[tuple[int, str, str], float]:
    """Print the figures of one size; return the seconds of the whole command."""
    frame = expanded(rows)
    table = folder / f"{rows}.csv"
    frame.write_csv(table)
    values = rarest(frame, "marital-status", 3)
    combos = {"one": frame.select(*GIVEN).n_unique(), "several": 0}
    del frame
    mark = statistics.median(timed([sys.executable, "-c", POLARS, str(table), str(folder / "c.csv")]).seconds
                             for _ in range(repeat))  # fmt: skip
    wholes = {}
    for kind, known in (("one", [[GIVEN]]), ("several", several(sets))):
        for at_most in ("90%", "100%"):
            runs = []
            for given in known:
                policy = policy_file(folder, given, values, at_most)
                command = [sys.executable, __file__, "--one", str(table), str(policy), str(folder / "r.csv")]
                runs += [report(timed(command)) for _ in range(repeat if kind == "one" else 1)]
            if not runs:
                continue
            whole = statistics.median(run["whole"] for run in runs)
            wholes[rows, kind, at_most] = whole
            stages = " ".join(f"{statistics.median(run[stage] for run in runs):6.2f}" for stage in STAGES)
            paper = f"{PAPER[kind, at_most]:>5} s" if rows == 1_000_000 else ""
            peak = max(run["peak"] for run in runs)
            print(f"{rows:>10,} {kind:>8} {at_most:>5} {combos[kind] or '':>9} {whole:7.2f} {mark:7.2f} "
                  f"{whole / mark:6.1f}  {stages} {peak:8.0f} {paper}", flush=True)  # fmt: skip
    table.unlink()
    return wholes


def several(sets: int) -> list[list[list[str]]]:
    """Return sets of 3 to 6 different known column sets of one length from 2 to 5, drawn at random."""
    draw = random.Random(1)
    found = []
    for _ in range(sets):
        length, number = draw.randint(2, 5), draw.randint(3, 6)
        chosen: set[tuple[str, ...]] = set()
        while len(chosen) < number:
            chosen.add(tuple(sorted(draw.sample(GIVEN, length))))
        found.append([list(given) for given in sorted(chosen)])
    return found


def policy_file(folder: Path, known: Sequence[Sequence[str]], values: list[str], at_most: str) -> Path:
    templates = [d.Template(given=given, infer={"marital-status": values}, at_most=at_most) for given in known]
    path = folder / "policy.json"
    path.write_text(json.dumps(d.Policy(use=d.Classify("income"), protect=templates).to_dict()))
    return path


def one_run(table: Path, policy: Path, out: Path) -> dict[str, float]:
    """Do one job as the command line does; return the seconds of each stage."""
    from discreet.policy import read_policy

    marks: list[tuple[str, float]] = []

    def say(progress: d.Progress) -> None:
        if not marks or marks[-1][0] != progress.stage:
            marks.append((progress.stage, time.time()))

    release = d.protect(table, read_policy(policy), progress=say)
    marks.append(("write", time.time()))
    release.write(out, force=True)
    marks.append(("end", time.time()))
    stages = {stage: after - begin for (stage, begin), (_, after) in pairwise(marks)}
    return {**stages, "first": marks[0][1], "last": marks[-1][1]}


class Run(NamedTuple):
    """One process: the seconds it took, when it began, its CPU seconds, its peak memory in MB, what it printed."""

    seconds: float
    begin: float
    cpu: float
    peak: float
    printed: str


def timed(command: Sequence[str]) -> Run:
    """Run a command; raise `CalledProcessError` if it fails."""
    begin = time.time()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.time() - begin
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(seconds, begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, printed)


def report(run: Run) -> dict[str, float]:
    """Return the figures of a run that printed its stages."""
    found: dict[str, float] = json.loads(run.printed)
    return {**found, "whole": run.seconds, "start": found["first"] - run.begin, "peak": run.peak}


if __name__ == "__main__":
    main()
