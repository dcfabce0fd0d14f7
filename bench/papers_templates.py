"""The experiments of Wang, Fung and Yu (2006): templates by top-down disclosure."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import polars as pl

import discreet as d
import scalability
from claims import claims as said
from classification import Line, judge, mean, random_lines, top_down, top_lines
from evaluation import _cells as cells_of
from paper_data import BENCHMARKS, THRESHOLDS, inferences_above
from papers import Claim, Figures, Outcome, claim

TIMES = {"crx": 2, "adult": 14, "german": 3}
"""Seconds that the paper says all releases of a data set took."""


class Here(Executor):
    """Runs everything at once, in this process: the driver has other processes already."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


def bank() -> Outcome:
    """Protect the paper's table of 24 customers."""
    folder = Path(d.__file__).parent / "cli" / "demo"
    table = pl.read_csv(folder / "bank.csv", infer_schema=False)
    release = d.protect(table, d.read_policy(folder / "bank.yaml"))
    shown = release.table
    assert isinstance(shown, pl.DataFrame)
    hidden = {
        column: sorted(set(table[column].filter(shown[column] == "*").to_list())) for column in ("Job", "Country")
    }
    worst = release.audit.promises[0].worst
    try:
        strict = d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most="20%")
        d.protect(table, d.Policy(use=d.Classify("Rating"), protect=[strict]))
        least = "kept"
    except d.ImpossiblePromise as impossible:
        least = "5/24" if "5/24" in str(impossible) else "another"
    return Outcome(
        [
            same("hidden jobs", "Clerk, Trader", ", ".join(hidden["Job"])),
            same("hidden countries", "Canada, UK", ", ".join(hidden["Country"])),
            same("confidence of the worst inference left", "50%", str(worst).rpartition("(")[2].rstrip(")")),
            same("no suppression comes below", "5/24", least),
        ]
    )


def same(what: str, paper: str, here: str) -> Claim:
    return Claim(what, paper, here, "same" if paper == here else "differs")


def inferences() -> Outcome:
    """Count inferences above each threshold in the tables as they are."""
    found = []
    for name in BENCHMARKS:
        benchmark = BENCHMARKS[name]()
        for which, (known, sensitive, printed) in benchmark.inferences.items():
            here = inferences_above(benchmark.table, known, sensitive)
            found.append(same(f"{benchmark.name}, {which}", " ".join(map(str, printed)), " ".join(map(str, here))))
    return Outcome(found)


def errors(data: str, draws: int) -> Outcome:
    """Judge releases for TopN and RanN by C4.5."""
    benchmark = BENCHMARKS[data]()
    splits = 1 if benchmark.split_known else draws
    base = judge(data, benchmark.table, range(splits), splits, "C4.5")
    pool = Here()
    top_down(benchmark, benchmark.top[:1], 90)  # once without counting: nothing is loaded or compiled meanwhile
    begin = time.process_time()
    for number in range(1, len(benchmark.top) + 1):
        for threshold in THRESHOLDS:
            top_down(benchmark, benchmark.top[:number], threshold)
    seconds = time.process_time() - begin
    top = top_lines(pool, data, base, "C4.5")
    random = random_lines(pool, data, base, draws, "C4.5")
    found = [Claim(*line) for line in said(benchmark, mean(base), top, random) if "not the papers'" not in line[0]]
    found.append(
        claim(
            "all releases for TopN, seconds (another machine)",
            f"at most {TIMES[data]}",
            f"{seconds:.1f} (CPU, verified)",
            holds=seconds <= TIMES[data],
        )
    )
    return Outcome(found, [errors_by(f"TopN and RanN (draws: {draws})", [*top, *random])])


def errors_by(title: str, found: Sequence[Line]) -> Figures:
    header = ["", "sensitive", "RE", *(f"SE at {h}%" for h in THRESHOLDS), "mean SE", "SE-BE", "RE-SE", "releases"]
    return Figures(title, header, [cells_of(line) for line in found])


def scale(sizes: Sequence[int], sets: int, repeat: int) -> Outcome:
    """Run whole commands on expanded Adult."""
    wholes: dict[tuple[int, str, str], float] = {}
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        for rows in sizes:
            wholes |= scalability.measure(Path(name), rows, repeat, sets)
    kinds = {"one": "one set of known columns", "several": f"several sets (mean of {sets} draws, the paper's 30)"}
    found = [
        claim(
            f"1,000,000 rows, {kinds[kind]}, h = {at_most}: seconds (another machine)",
            str(paper),
            f"{wholes[1_000_000, kind, at_most]:.1f}",
            holds=wholes[1_000_000, kind, at_most] <= paper,
        )
        for (kind, at_most), paper in scalability.PAPER.items()
        if (1_000_000, kind, at_most) in wholes
    ]
    first, last = min(sizes), max(sizes)
    growth = wholes[last, "one", "90%"] / wholes[first, "one", "90%"]
    linear = last / first
    found.append(
        claim(
            f"from {first:,} to {last:,} rows the time grows at most as the rows (h = 90%)",
            f"{linear:.0f} times at most",
            f"{growth:.1f} times",
            holds=growth <= linear,
        )
    )
    header = ["rows", *(f"{kind}, {at_most}" for kind, at_most in scalability.PAPER)]
    lines = [
        [f"{size:,}", *(f"{wholes[size, *key]:.1f}" if (size, *key) in wholes else "" for key in scalability.PAPER)]
        for size in sizes
    ]
    title = f"Seconds of the whole command on {os.cpu_count()} cores"
    return Outcome(found, [Figures(title, header, lines)])


if __name__ == "__main__":
    print(__doc__)
