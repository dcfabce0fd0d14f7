"""The papers' evaluation: what can be inferred, what protection costs a classifier, what the other way costs.

    python bench/evaluation.py [--data crx german adult] [--draws 30] [--jobs 2] [--quick]

1. The number of inferences above each threshold h in the tables as they are (the paper's Table 3).
2. Errors on the test part, in per cent: BE of the table as it is, SE of the release, RE of the table without its
   sensitive columns. TopN: the N columns best for a classifier are sensitive; RanN: N columns drawn at random.
3. Top-down disclosure beside bottom-up suppression: cells hidden, SE, time.

The learner is C4.5, the papers' own; with scikit-learn installed TopN is judged by CART too. The papers' figures stand
beside ours ("same": to the last digit printed; "holds": within a bound they state; "near": at most half a point off).
All draws are seeded. Needs the data (DISCREET_DATA).
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import polars as pl

import discreet as d
from bottom_up import bottom_up
from claims import claims
from classification import Line, constant_error, judge, mean, number_of_splits, random_lines, top_down, top_lines
from learners import LEARNERS, ranked
from paper_data import BENCHMARKS, THRESHOLDS, Benchmark, hidden_cells, inferences_above, policy, properties


def main() -> None:
    options = _options()
    begin = time.perf_counter()
    benchmarks = {name: BENCHMARKS[name]() for name in options.data}
    print_inferences(benchmarks.values())
    os.environ["POLARS_MAX_THREADS"] = "1"  # for the processes that start here
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in benchmarks:
            print_errors(pool, name, options.draws, ["C4.5"] if options.quick else list(LEARNERS))
    for name in benchmarks:
        print_bottom_up(name, options.draws, (50, 90) if options.quick else THRESHOLDS, 1 if options.quick else 3)
    print(f"{time.perf_counter() - begin:.0f} s in all")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=list(BENCHMARKS), default=list(BENCHMARKS))
    parser.add_argument("--draws", type=int, help="draws of RanN, and splits where the papers' is not known (30)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes side by side (one for each core)")
    parser.add_argument("--quick", action="store_true", help="2 draws, C4.5 only, part 3 at 50%% and 90%% only")
    options = parser.parse_args()
    options.draws = options.draws or (2 if options.quick else 30)
    return options


def print_table(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print lines of cells as aligned columns: figures to the right, words to the left."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    print(title)
    for line in (header, *lines):
        cells = [
            cell.ljust(width) if head in ("", "sensitive") else cell.rjust(width)
            for head, cell, width in zip(header, line, widths, strict=True)
        ]
        print(("  " + "  ".join(cells)).rstrip())
    print(flush=True)


def print_inferences(benchmarks: Iterable[Benchmark]) -> None:
    lines = []
    for benchmark in benchmarks:
        for name, (known, sensitive, printed) in benchmark.inferences.items():
            found = inferences_above(benchmark.table, known, sensitive)
            verdict = "same" if found == printed else "differs"
            lines.append([f"{benchmark.name}: {name}", *map(str, found), "|", *map(str, printed), verdict])
    heads = [f"{threshold}%" for threshold in THRESHOLDS]
    print_table("1. Inferences above h | the paper's figures", ["", *heads, "|", *heads, ""], lines)


def print_errors(pool: Executor, data: str, draws: int, learners: Sequence[str]) -> None:
    benchmark = BENCHMARKS[data]()
    rows, train, splits = len(benchmark.table), benchmark.train, number_of_splits(data, draws)
    print(f"2. {benchmark.name}: {rows} rows, {train} to learn from, {rows - train} to be judged on")
    if not benchmark.split_known:
        print(f"   Which ones is not known: means over {splits} random splits.")
    print(f"   Always guessing the most frequent class: error {constant_error(data, splits):.2f}")
    order = ranked(benchmark.table.head(train), benchmark.target, len(benchmark.top))
    same = "the same" if tuple(order) == benchmark.top else ", ".join(order)
    print(f"   TopN, the papers: {', '.join(benchmark.top)}")
    print(f"   TopN, C4.5 on the first {train} rows: {same}\n")
    for learner in learners:
        base = judge(data, benchmark.table, range(splits), splits, learner)
        top = top_lines(pool, data, base, learner)
        random = random_lines(pool, data, base, draws, learner) if learner == "C4.5" else []
        title = f"{benchmark.name}, {learner}: BE {mean(base):.2f}"
        print_lines(f"{title}; RanN: {draws} draws" if random else title, [*top, *random])
        found = claims(benchmark, mean(base), top, random)
        print_table(f"{benchmark.name}, {learner}: what the papers say", ["", "paper", "here", ""], found)
    if "CART" not in LEARNERS:
        print("CART left out: scikit-learn is not installed.\n")


def print_lines(title: str, lines: Sequence[Line]) -> None:
    averaged = ", ".join(str(threshold) for threshold in lines[0].averaged)
    header = ["", "sensitive", "RE", *(f"{h}%" for h in THRESHOLDS), "mean SE", "SE-BE", "RE-SE", "releases"]
    print_table(f"{title}; SE at h, means over {averaged}%", header, [_cells(line) for line in lines])


def _cells(line: Line) -> list[str]:
    return [
        line.name,
        line.sensitive,
        f"{line.re:.2f}",
        *(_cell(line, threshold) for threshold in THRESHOLDS),
        *(f"{figure:.2f}" for figure in (line.se, line.se_be, line.re_se)),
        f"{len(line.pairs)} of {len(line.samples) * len(line.averaged)}",
    ]


def _cell(line: Line, threshold: int) -> str:
    """Return the SE, with the number of releases behind it where some cannot be made."""
    error = line.at(threshold)
    if error is None:
        return "cannot"
    made = sum(sample.released[threshold] is not None for sample in line.samples)
    return f"{error:.2f}" if made == len(line.samples) else f"({made}) {error:.2f}"


@dataclass(frozen=True)
class Cost:
    """What a way to keep the promises costs: cells hidden, the error, seconds (verification and all)."""

    cells: int
    error: float
    seconds: float


def print_bottom_up(data: str, draws: int, thresholds: Sequence[int], repeat: int) -> None:
    benchmark = BENCHMARKS[data]()
    compare(data, benchmark.top, 90, draws, 1)  # once without counting, so that nothing is compiled meanwhile
    lines, costs = [], []
    for number in range(1, len(benchmark.top) + 1):
        for threshold in thresholds:
            found = compare(data, benchmark.top[:number], threshold, draws, repeat)
            if found is None:
                lines.append([f"Top{number}", f"{threshold}%", *["cannot"] * 2, *[""] * 6])
                continue
            costs.append(found)
            down, up = found
            cells = [f"{down.cells}", f"{up.cells}", f"{up.cells / down.cells:.2f}"]
            errors = [f"{down.error:.2f}", f"{up.error:.2f}"]
            seconds = [f"{down.seconds:.3f}", f"{up.seconds:.3f}", f"{up.seconds / down.seconds:.1f}"]
            lines.append([f"Top{number}", f"{threshold}%", *cells, *errors, *seconds])
    cells_ratio = _geometric(up.cells / down.cells for down, up in costs)
    seconds_ratio = _geometric(up.seconds / down.seconds for down, up in costs)
    errors = [f"{mean(down.error for down, _ in costs):.2f}", f"{mean(up.error for _, up in costs):.2f}"]
    lines.append(["mean", "", "", "", f"{cells_ratio:.2f}", *errors, "", "", f"{seconds_ratio:.1f}"])
    header = ["", "h", "cells down", "up", "ratio", "SE down", "up", "s down", "up", "ratio"]
    title = f"3. {benchmark.name}: top-down disclosure (down) and bottom-up suppression (up)"
    print_table(f"{title}; ratios up to down, their geometric mean", header, lines)


def compare(data: str, sensitive: Sequence[str], threshold: int, draws: int, repeat: int) -> tuple[Cost, Cost] | None:
    """Return the costs of the two ways; None when neither can be."""
    benchmark, splits = BENCHMARKS[data](), number_of_splits(data, draws)
    if top_down(benchmark, sensitive, threshold) is None:
        return None
    costs = []
    for way in (top_down, bottom_up_verified):
        release, seconds = _timed(partial(way, benchmark, sensitive, threshold), repeat)
        assert release is not None
        error = mean(judge(data, release, range(splits), splits, "C4.5"))
        costs.append(Cost(hidden_cells(benchmark.table, release), error, seconds))
    return costs[0], costs[1]


def bottom_up_verified(benchmark: Benchmark, sensitive: Sequence[str], threshold: int) -> pl.DataFrame:
    infer = [(column, value) for column in sensitive for value in properties(benchmark.table, column)]
    release = bottom_up(benchmark.table, benchmark.known(sensitive), infer, benchmark.target, threshold)
    assert d.verify(release, policy(benchmark, sensitive, threshold)).holds
    return release


def _timed(way: Callable[[], pl.DataFrame | None], repeat: int) -> tuple[pl.DataFrame | None, float]:
    """Return the answer and the least seconds it took."""
    least = math.inf
    answer = None
    for _ in range(repeat):
        begin = time.perf_counter()
        answer = way()
        least = min(least, time.perf_counter() - begin)
    return answer, least


def _geometric(ratios: Iterable[float]) -> float:
    return math.exp(mean(math.log(ratio) for ratio in ratios))


if __name__ == "__main__":
    main()
