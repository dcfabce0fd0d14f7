"""Hintoglu's experiments with confidential cells: success, cost and time of every method, beside the thesis's figures.

    python bench/cells.py [--data wbc car] [--runs 5] [--cells 100] [--jobs 2] [--speed] [--trees]

1. Table 5.3: per cent of cells that naive Bayes, ID3 and a linear SVM (one-hot and integer coded) do not guess, each
   cell protected by itself on a fresh table. A deleted row is a failure ("with deleted" counts it as a success, as the
   thesis must have). "hide" changes the cell only: what any figure is to be compared with.
2. Figure 5.1: average direct distance (changed cells, a deleted row with all its cells).
3. Figures 5.2 to 5.5: cells one after the other on one table, and its distance from the original.
4. Figure 5.6: the hybrids, each cell on a fresh table.
5. Figure 5.7: the enhanced methods beside single cells one after the other, both on one table.
--speed: Table 5.2, and whole jobs on Adult through `protect`, beside the marks.
--trees: HID3 beside the greedy search against trees that are not ID3 (CART of scikit-learn, C4.5).

Cells come from columns with more than two values; k of Top-k is 3; figures are means over the runs. The thesis gives
no numbers for its figures, but says what they show: this stands beside ours. Needs the data (DISCREET_DATA) and, for
the SVMs, scikit-learn.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from importlib.util import find_spec

from cells_data import DATA, DELETING, SUCCESS
from cells_speed import MARK, jobs, single_cells
from cells_trees import print_trees
from cells_trials import CLASSIFIERS, Many, Tally, one_run, shared, together
from discreet.measure.cells import CellMeasures
from evaluation import print_table

COUNTS = (10, 20, 30, 40, 50)
"""Cells of the enhanced methods."""
ORDERS = {
    "dd": ("Figure 5.2: HID3 < DROPP < INCP < DECP", ("HID3", "DROPP", "INCP", "DECP")),
    "skld": ("Figure 5.3: HID3 < DROPP < INCP < DECP", ("HID3", "DROPP", "INCP", "DECP")),
    "acmi": ("Figure 5.4: HID3 < DROPP < INCP < DECP", ("HID3", "DROPP", "INCP", "DECP")),
    "sce": ("Figure 5.5: HID3 < DROPP < INCP < DECP", ("HID3", "DROPP", "INCP", "DECP")),
}
"""What the thesis says of the order of the deleting methods."""
BETTER = {"dd": False, "skld": True, "acmi": True, "sce": True}
"""Whether the generalising methods are said to be better than the deleting ones."""


def main() -> None:
    options = _options()
    begin = time.perf_counter()
    for name in options.data:
        DATA[name]()
    if options.speed:
        print_speed(options.data)
        return
    if options.trees:
        print_trees(options.data, options.runs, options.cells)
        print(f"{time.perf_counter() - begin:.0f} s in all")
        return
    if not find_spec("sklearn"):
        print("SVMs left out: scikit-learn is not installed.\n")
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for name in options.data:
            print_success(pool, name, options.runs, options.cells)
            print_together(pool, name, options.runs, options.cells)
            print_hybrids(pool, name, options.runs, options.cells)
            print_enhanced(pool, name, options.runs)
    print(f"{time.perf_counter() - begin:.0f} s in all")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA))
    parser.add_argument("--runs", type=int, default=5, help="runs over which figures are averaged (5)")
    parser.add_argument("--cells", type=int, default=100, help="confidential cells of each run (100)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes side by side (one for each core)")
    parser.add_argument("--speed", action="store_true", help="milliseconds a cell, and whole jobs on Adult")
    parser.add_argument("--trees", action="store_true", help="HID3 and greedy against CART and C4.5")
    return parser.parse_args()


def tallies(
    pool: Executor, name: str, methods: Sequence[str], runs: int, cells: int, *, svm: bool
) -> dict[str, list[Tally]]:
    """Return what each method did in each run."""
    futures = [pool.submit(one_run, name, methods, cells, seed, svm=svm) for seed in range(1, runs + 1)]
    found = [future.result() for future in futures]
    return {method: [run[method] for run in found] for method in methods}


def mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)


def print_success(pool: Executor, name: str, runs: int, cells: int) -> None:
    data = DATA[name]()
    hides = ("hide", "hide-G") if len(data.methods) > len(DELETING) else ("hide",)
    svm = find_spec("sklearn") is not None
    found = tallies(pool, name, [*hides, *data.methods, "NRD"], runs, cells, svm=svm)
    classifiers = CLASSIFIERS if svm else CLASSIFIERS[:2]
    lines = []
    for method in (*hides, *data.methods):
        of = found[method]
        printed = SUCCESS[name].get(method)
        line = [method, f"{mean([100 * tally.deleted / tally.cells for tally in of]):.0f}"]
        for classifier in classifiers:
            held = mean([tally.success(classifier) for tally in of])
            more = mean([tally.success(classifier, deleted=True) for tally in of])
            thesis = "" if printed is None else f"{printed[min(CLASSIFIERS.index(classifier), 2)]}"
            line += [f"{held:.0f}", f"{more:.0f}", thesis]
        lines.append(line)
    header = ["", "deleted"]
    for classifier in classifiers:
        header += [classifier, "with deleted", "thesis"]
    title = f"1. {data.title}: cells not guessed, per cent (Table 5.3); {runs} runs of {cells} cells"
    print_table(title, header, lines)
    lines = [
        [method, f"{mean([tally.average for tally in found[method]]):.1f}",
         f"{mean([100 * tally.deleted / tally.cells for tally in found[method]]):.0f}"]
        for method in (*hides, *data.methods, "NRD")
    ]  # fmt: skip
    print_table(
        f"2. {data.title}: average direct distance (Figure 5.1)", ["", "changed cells", "rows deleted, %"], lines
    )
    order = sorted(data.methods, key=lambda method: mean([tally.average for tally in found[method]]))
    print("  The thesis: HID3, HID3-G < DROPP, DROPP-G < NRD; DECP, INCP worse; -G slightly worse than deleting.")
    print(f"  Here: {' < '.join(order)}\n", flush=True)


def print_together(pool: Executor, name: str, runs: int, cells: int) -> None:
    data = DATA[name]()
    steps = sorted({max(1, cells * part // 4) for part in range(1, 5)})
    methods = (*data.methods, "NRD")
    futures = {
        method: [pool.submit(together, name, method, cells, steps, seed) for seed in range(1, runs + 1)]
        for method in methods
    }
    found = {method: [future.result() for future in of] for method, of in futures.items()}
    lines = []
    for method in methods:
        for place, step in enumerate(steps):
            at = [run[place] for run in found[method]]
            lines.append([method if place == 0 else "", str(step), *_measured(at)])
    header = ["", "cells", "DD", "SKLD", "infinite", "ACMI", "infinite", "|I-I'|", "SCE"]
    print_table(f"3. {data.title}: cells one after the other on one table (Figures 5.2 to 5.5)", header, lines)
    last = {method: [run[-1] for run in of] for method, of in found.items()}
    print_table("   What the thesis says of the figures", ["", "here", ""], said(last, data.methods))


def _measured(at: Sequence[CellMeasures]) -> list[str]:
    """Return the means; an infinite SKLD is counted apart."""
    finite = [found.skld for found in at if found.skld != float("inf")]
    return [
        f"{mean([found.dd for found in at]):.0f}",
        f"{mean(finite):.4f}" if finite else "",
        str(len(at) - len(finite)),
        f"{mean([found.acmi for found in at]):.4f}",
        f"{mean([found.acmi_infinite for found in at]):.1f}",
        f"{mean([found.mutual_information_change for found in at]):.4f}",
        f"{mean([found.sce for found in at]):.3f}",
    ]


def said(last: dict[str, list[CellMeasures]], methods: Sequence[str]) -> list[list[str]]:
    """Return each thing that the thesis says of a figure, what is so here, and whether it is the same."""
    lines = []
    for measure, (claim, order) in ORDERS.items():
        figures = {method: mean([getattr(found, measure) for found in of]) for method, of in last.items()}
        mine = sorted(order, key=lambda method: figures[method])
        lines.append([claim, " < ".join(mine), "holds" if tuple(mine) == order else "differs"])
        for method in order if f"{order[0]}-G" in methods else ():
            less = figures[f"{method}-G"] < figures[method]
            word = "less" if BETTER[measure] else "more"
            here = "less" if less else "not less"
            claim = f"   {method}-G costs {word} than {method}"
            lines.append([claim, here, "holds" if less == BETTER[measure] else "differs"])
    return lines


def print_hybrids(pool: Executor, name: str, runs: int, cells: int) -> None:
    data = DATA[name]()
    ends = ("", "-G") if len(data.methods) > len(DELETING) else ("",)
    methods = [f"HID3{end}+{other}{end}" for end in ends for other in ("DROPP", "INCP", "DECP")]
    found = tallies(pool, name, methods, runs, cells, svm=False)
    lines = []
    for method in methods:
        of = found[method]
        held = [mean([tally.success(classifier) for tally in of]) for classifier in CLASSIFIERS[:2]]
        deleted = mean([100 * tally.deleted / tally.cells for tally in of])
        lines.append([method, f"{mean([tally.average for tally in of]):.1f}", *(f"{share:.0f}" for share in held),
                      f"{deleted:.0f}", "100"])  # fmt: skip
    header = ["", "changed cells", *CLASSIFIERS[:2], "rows deleted, %", "thesis, both"]
    print_table(f"4. {data.title}: hybrids (Figure 5.6); cells not guessed in per cent", header, lines)
    print("  The thesis: HID3+DROPP < HID3+INCP < HID3+DECP, each with its -G after it.\n", flush=True)


def print_enhanced(pool: Executor, name: str, runs: int) -> None:
    data = DATA[name]()
    methods = [method for method in data.methods if method.startswith(("DECP", "DROPP"))]
    lines = []
    for method in methods:
        for number in COUNTS:
            futures = [pool.submit(shared, name, method, number, COUNTS[-1], seed) for seed in range(1, runs + 1)]
            lines.append([f"e-{method}" if number == COUNTS[0] else "", *saved([f.result() for f in futures], number)])
    header = ["", "cells", "one by one", "at once", "fewer, %", "deleted", "at once", "exposed", "at once"]
    print_table(f"5. {data.title}: enhanced methods (Figure 5.7; the thesis: about 50% fewer changes)", header, lines)


def saved(pairs: Sequence[tuple[Many, Many]], number: int) -> list[str]:
    """Return mean changes, deleted rows and cells exposed again: one by one, and at once."""
    single, at_once = [one for one, _ in pairs], [many for _, many in pairs]
    before, after = (mean([many.changed for many in of]) for of in (single, at_once))
    line = [str(number), f"{before:.0f}", f"{after:.0f}", f"{100 * (1 - after / before):.0f}"]
    line += [f"{mean([many.deleted for many in of]):.1f}" for of in (single, at_once)]
    return line + [f"{mean([many.exposed for many in of]):.1f}" for of in (single, at_once)]


def print_speed(names: Sequence[str]) -> None:
    for name in names:
        header = ["", "median", "mean", "95%", "thesis", f"mark {MARK}"]
        title = f"{DATA[name]().title}: CPU milliseconds a cell, counts prepared, one cell of each row (Table 5.2)"
        print_table(title, header, single_cells(name))
    header = ["", "cells", "rows", "seconds", "CPU", "peak MB", "changed", "removed", "mark", "stages"]
    print_table("Adult: whole jobs through protect, occupation from all other columns, verified", header, jobs())


if __name__ == "__main__":
    main()
