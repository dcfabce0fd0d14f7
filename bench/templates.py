"""Top-down disclosure on Adult: the whole command beside what just reading and writing the file costs.

    python bench/templates.py [--rows 45222 1000000] [--at-most 90%] [--repeat 3]

Prints for each size the median time of the whole command, of `discreet --help`, of Polars reading and
writing the same CSV, their ratio, the time of each stage, peak memory, and what was kept. Needs the Adult
data (DISCREET_DATA).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import discreet as d
from adult import GIVEN, complete_rows, expanded, rarest

POLARS = "import polars as pl, sys; pl.read_csv(sys.argv[1], infer_schema=False).write_csv(sys.argv[2])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[45_222, 1_000_000])
    parser.add_argument("--at-most", default="90%")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    values = rarest(complete_rows(), "marital-status", 3)
    template = d.Template(given=GIVEN, infer={"marital-status": values}, at_most=options.at_most)
    policy = d.Policy(use=d.Classify("income"), protect=[template])
    with tempfile.TemporaryDirectory() as name:
        for rows in options.rows:
            report(Path(name), rows, policy, options.repeat)


def report(folder: Path, rows: int, policy: d.Policy, repeat: int) -> None:
    table, rules, out = folder / "adult.csv", folder / "policy.json", folder / "release.csv"
    expanded(rows).write_csv(table)
    rules.write_text(json.dumps(policy.to_dict()))
    command = [sys.executable, "-m", "discreet"]
    protect = [*command, "protect", str(table), "-p", str(rules), "-o", str(out), "--force", "--json"]
    run(protect)  # compiles the kernels, warms the file cache
    ours = [run(protect) for _ in range(repeat)]
    theirs = [run([sys.executable, "-c", POLARS, str(table), str(folder / "copy.csv")]) for _ in range(repeat)]
    start = [run([*command, "--help"]) for _ in range(repeat)]
    whole, mark = (statistics.median(seconds for seconds, _ in runs) for runs in (ours, theirs))
    print(f"Adult, {rows} rows, {len(GIVEN)} known columns, 3 properties, at most {next(policy.promises()).at_most}")
    print(f"  whole command      {whole:7.2f} s   peak {max(peak for _, peak in ours) / 1024:6.0f} MB")
    print(f"  Polars read+write  {mark:7.2f} s   peak {max(peak for _, peak in theirs) / 1024:6.0f} MB")
    print(f"  ratio              {whole / mark:7.1f}")
    print(f"  discreet --help    {statistics.median(seconds for seconds, _ in start):7.2f} s")
    stages, release = staged(table, policy)
    print("  in one process:    " + ", ".join(f"{stage} {seconds:.2f} s" for stage, seconds in stages.items()))
    hidden = sum(release.audit.hidden_cells.values())
    steps = len(release.plan.steps)
    print(f"  kept: {steps} values disclosed, {1 - hidden / (rows * len(GIVEN)):.1%} of the known cells shown\n")


def run(words: list[str]) -> tuple[float, int]:
    """Return the seconds a command took and its peak memory in kilobytes."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed with exit code {process.returncode}: {' '.join(words)}")
    return time.perf_counter() - begin, usage.ru_maxrss


def staged(table: Path, policy: d.Policy) -> tuple[dict[str, float], d.Release]:
    """Return the seconds each stage took in this process, and the release."""
    marks: list[tuple[str, float]] = []

    def say(progress: d.Progress) -> None:
        if not marks or marks[-1][0] != progress.stage:
            marks.append((progress.stage, time.perf_counter()))

    d.protect(table, policy)  # once without counting, so that nothing is compiled meanwhile
    release = d.protect(table, policy, progress=say)
    marks.append(("end", time.perf_counter()))
    stages = {stage: after - begin for (stage, begin), (_, after) in pairwise(marks)}
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as file:
        release.engine.write(file, Path("release.csv"))
    stages["write"] = time.perf_counter() - begin
    return stages, release


if __name__ == "__main__":
    main()
