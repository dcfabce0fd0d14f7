"""How fast confidential cells are protected: single cells on the thesis's data, whole jobs on Adult through `protect`.

Run by `bench/cells.py --speed`; every job is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

import discreet as d
from adult import complete_rows, expand
from cells_data import DATA, TIMES
from cells_trials import times

MARK = 0.2
"""Milliseconds a cell."""
TRAINING = 30_162
"""Complete rows of adult.data; expanded tables begin with those of both files."""
COLUMN = "occupation"
JOBS = (
    ("dropp", 1_000, TRAINING, 10.0),
    ("dropp", 10_000, 1_000_000, 60.0),
    ("hid3", 1_000, TRAINING, 60.0),
    ("decp", 100, TRAINING, None),
    ("decp", 1_000, TRAINING, None),
)
"""Method, confidential cells, rows, and the mark in seconds."""


def single_cells(name: str, seed: int = 1) -> list[list[str]]:
    """Return lines of a table: milliseconds a cell of each method, one cell of each row, counts prepared."""
    data = DATA[name]()
    cells = data.one_of_each_row(np.random.default_rng(seed))
    lines = []
    for method in data.methods:
        for grown in (False, True) if method == "HID3" else (False,):
            times(data, method, cells[:5], seed)  # compiles
            found = times(data, method, cells, seed, grown=grown)
            median, mean = statistics.median(found), statistics.mean(found)
            told = "" if method.startswith("HID3") and not grown else ("kept" if median <= MARK else "missed")
            figures = [f"{figure:.3f}" for figure in (median, mean, np.quantile(found, 0.95), TIMES[name][method])]
            lines.append([f"{method}, tree grown before" if grown else method, *figures, told])
    return lines


def table(rows: int) -> pl.DataFrame:
    """Return the eight categorical columns of Adult and the class, as many rows as are wanted."""
    whole = complete_rows()
    return whole.head(rows) if rows <= len(whole) else expand(whole, whole.columns[:-1], rows)


def policy(method: str, rows: Sequence[int]) -> d.Policy:
    """Return what is asked for: some rows' cells of the column, all other columns predict."""
    cells = {"column": COLUMN, "rows": list(rows), "method": method, "on_failure": "remove"}
    return d.Policy.model_validate({"protect": [{**cells, "against": ["id3" if method == "hid3" else "naive_bayes"]}]})


def job(method: str, cells: int, rows: int, seed: int = 1) -> dict[str, float]:
    """Protect cells of a column of Adult drawn at random; return seconds, stages, memory and changes."""
    frame = table(rows)
    rng = np.random.default_rng(seed)
    numbers = np.sort(rng.choice(rows, cells, replace=False) + 1).tolist()
    d.protect(frame.head(300), policy(method, [1, 2, 3]), seed=seed)  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    marks: list[tuple[str, float]] = []

    def say(progress: d.Progress) -> None:
        if not marks or marks[-1][0] != progress.stage:
            marks.append((progress.stage, time.perf_counter()))

    begin, cpu = time.perf_counter(), time.process_time()
    release = d.protect(frame, policy(method, numbers), seed=seed, progress=say)
    end = time.perf_counter()
    stages = {f"s {stage}": after - start for (stage, start), (_, after) in pairwise([*marks, ("end", end)])}
    found = release.audit.cells
    assert found is not None
    return {
        "seconds": end - begin,
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "before": before,
        "edits": len(release.plan.edits),
        "removed": len(release.plan.removed),
        **stages,
    }


def jobs() -> list[list[str]]:
    """Return lines of a table: each job with its seconds, CPU, memory, changes and mark."""
    lines = []
    for method, cells, rows, mark in JOBS:
        command = [sys.executable, __file__, method, str(cells), str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found: dict[str, float] = json.loads(done.stdout)
        told = "" if mark is None else f"{mark:.0f} s: {'kept' if found['seconds'] <= mark else 'missed'}"
        stages = ", ".join(f"{name[2:]} {value:.1f}" for name, value in found.items() if name.startswith("s "))
        lines.append(
            [method.upper(), f"{cells:,}", f"{rows:,}", f"{found['seconds']:.1f}", f"{found['cpu']:.1f}",
             f"{found['peak']:.0f}", f"{found['edits']:,.0f}", f"{found['removed']:.0f}", told, stages]
        )  # fmt: skip
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("method")
    parser.add_argument("cells", type=int)
    parser.add_argument("rows", type=int)
    options = parser.parse_args()
    print(json.dumps(job(options.method, options.cells, options.rows)))


if __name__ == "__main__":
    main()
