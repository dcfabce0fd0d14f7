"""Local recoding on Adult beside ARX: loss of detail (LM) and CPU seconds of planning, with ARX's own hierarchies.

    python bench/local.py [--k 10 25 50 100 250 500] [--rows 1000000] [--shapes] [--bound]
    python bench/local.py --k 10 --command 1000000 [--repeat 3]

Labels come only from the hierarchy files (age as 100 leaves); then with free intervals of age, and with sets of
values besides; last a whole verified release by `d.protect`, with the hierarchies. Suppressed rows count 1. Every
search is counted and scored again from the labels alone. `--rows` plans a larger table made from Adult, `--shapes`
tables of other shapes: many columns, skewed values, many levels. `--bound` tells, with ARX's hierarchies, what all
groups lose at least in which no row loses more than twice what it does in those found (and two hundredths of all there
is): the best bound of 400 rounds of Lagrangian relaxation, each exact. It takes minutes for large k.

`--command` runs the whole of `discreet protect` on tables of so many rows, made and known as in `k_scalability.py`:
each run is a process of its own on a CSV file, beside "Polars reads, groups by the same columns and writes" as a ratio,
with CPU time and peak memory; the stages are those of one more run. Compiled kernels are in the cache.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

import discreet as d
import k_anonymity
import k_scalability
from adult import data_folder, expand
from discreet.method.base.problem import CutProblem
from discreet.method.local.grouping import Local
from discreet.method.local.search import search
from discreet.method.local.shapes import Labels
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from scalability import STAGES, Run, report, timed

ARX = {10: (0.0788, 4.1), 25: (0.1156, 7.4), 50: (0.1494, 10.6), 100: (0.1917, 12.7), 250: (0.2592, 14.3),
       500: (0.3225, 15.7)}  # fmt: skip
"""LM and CPU seconds of ARX's local recoding in its ordinary run; its finest step: 0.0731 and 0.1873 at 10 and 100."""
HIERARCHIES = "adult-hierarchies"
POLARS = """import polars, sys
table = polars.read_csv(sys.argv[1], infer_schema=False)
table.group_by(sys.argv[3:]).len()
table.write_csv(sys.argv[2])"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=list(ARX))
    parser.add_argument("--rows", type=int, nargs="*", default=[])
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--bound", action="store_true", help="what groups lose at least")
    parser.add_argument("--command", type=int, nargs="+", metavar="ROWS", help="run the whole command on so many rows")
    parser.add_argument("--repeat", type=int, default=3, help="of the whole command")
    options = parser.parse_args()
    if options.command:
        commands(options.command, options.k, options.repeat)
        return
    table = adult()
    compiled(table)
    if options.bound:
        for k in options.k:
            bounded(k, problem_of(table, hierarchies(table), k))
        return
    if options.rows or options.shapes:
        for k in options.k:
            for rows in options.rows:
                frame = enlarged(table, rows)
                planned(f"Adult, {rows} rows", k, problem_of(frame, hierarchies(frame), k))
            for name, frame, columns in shapes() if options.shapes else []:
                planned(name, k, problem_of(frame, columns, k))
        return
    print(f"{'k':>4} {'ARX LM':>7} {'ours':>7} {'ratio':>6} {'ARX s':>6} {'ours':>6} {'ratio':>6} "
          f"{'free age':>8} {'s':>6} {'sets':>7} {'s':>6} {'verified':>8} {'s':>6}")  # fmt: skip
    free = {**hierarchies(table), "age": d.Column(type="number")}
    for k in options.k:
        lm, seconds = measure(problem_of(table, hierarchies(table), k))
        line = f"{k:>4} "
        if k in ARX:
            known, took = ARX[k]
            line += f"{known:7.4f} {lm:7.4f} {lm / known:6.3f} {took:6.1f} {seconds:6.2f} {seconds / took:6.3f} "
        else:
            line += f"{'':7} {lm:7.4f} {'':6} {'':6} {seconds:6.2f} {'':6} "
        problem = problem_of(table, free, k)
        kinds: list[Labels] = ["tight" if name == "age" else "set" for name in free]
        for found, took in (measure(problem), measure(problem, kinds)):
            line += f"{found:8.4f} {took:6.2f} "
        found, took = released(table, hierarchies(table), k)
        line += f"{found:8.4f} {took:6.2f}"
        print(line, flush=True)


def commands(sizes: Sequence[int], chosen: Sequence[int], repeat: int) -> None:
    """Print what the whole command costs."""
    golden = json.loads(k_anonymity.GOLDEN.read_text())
    known = golden["columns"]
    base = k_anonymity.adult(known)
    print(f"{'rows':>10} {'k':>4} {'combos':>9} {'whole':>7} {'CPU s':>7} {'peak MB':>8} {'Polars':>7} {'CPU s':>7} "
          f"{'peak MB':>8} {'ratio':>6} ", *(f"{stage:>6}" for stage in STAGES))  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        table, rules, out = (Path(name) / file for file in ("table.csv", "policy.json", "out.csv"))
        command = [sys.executable, "-m", "discreet", "protect", str(table), "--policy", str(rules), "--out", str(out)]
        staged = [sys.executable, k_scalability.__file__, "--one", str(table), str(rules), str(out)]
        base.head(3000).write_csv(table)
        write_local(rules, k_anonymity.policy(golden, 10, "LM"))
        timed([*command, "--force"])  # compiles
        for rows in sizes:
            frame = expand(base, known, rows)
            frame.write_csv(table)
            combos = frame.select(known).n_unique()
            mark = middle([timed([sys.executable, "-c", POLARS, str(table), str(out), *known]) for _ in range(repeat)])
            for k in chosen:
                write_local(rules, k_anonymity.policy(golden, k, "LM"))
                run = middle([timed([*command, "--force"]) for _ in range(repeat)])
                stages = report(timed(staged))
                print(f"{rows:>10,} {k:>4} {combos:>9,} {run.seconds:7.2f} {run.cpu:7.2f} {run.peak:8.0f} "
                      f"{mark.seconds:7.2f} {mark.cpu:7.2f} {mark.peak:8.0f} {run.seconds / mark.seconds:6.1f} ",
                      *(f"{stages[stage]:6.2f}" for stage in STAGES), flush=True)  # fmt: skip


def write_local(path: Path, rules: d.Policy) -> None:
    """Write a policy, with local recoding."""
    path.write_text(json.dumps(rules.model_copy(update={"recoding": "local"}).to_dict()))


def middle(runs: Sequence[Run]) -> Run:
    """Return the run of the median time, with the largest peak of all."""
    ordered = sorted(runs, key=lambda run: run.seconds)
    return ordered[len(runs) // 2]._replace(peak=max(run.peak for run in runs))


def adult() -> pl.DataFrame:
    """Return the 30,162 complete rows, eight identifying columns."""
    folder = data_folder(f"{HIERARCHIES}/adult.csv") / HIERARCHIES
    return pl.read_csv(folder / "adult.csv", separator=";", infer_schema=False).drop("salary-class")


def hierarchies(table: pl.DataFrame) -> dict[str, d.Column]:
    folder = data_folder() / HIERARCHIES
    return {name: d.Column(taxonomy=str(folder / f"adult_hierarchy_{name}.csv")) for name in table.columns}


def enlarged(table: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return rows of the table drawn with one or two of their values taken from other rows."""
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, len(table), rows)
    changed = rng.integers(0, len(table.columns), (2, rows))
    columns = []
    for place, name in enumerate(table.columns):
        other = rng.integers(0, len(table), rows)
        columns.append(table[name][np.where((changed == place).any(axis=0), other, drawn)])
    return pl.DataFrame(columns)


def shapes() -> list[tuple[str, pl.DataFrame, dict[str, d.Column]]]:
    """Return tables unlike Adult, with what is known of their columns."""
    rng = np.random.default_rng(2)
    rows = 80_000
    kinds = rng.integers(0, 30, rows)
    many = {
        f"c{n}": np.where(rng.random(rows) < 0.15, rng.integers(0, 6, rows), (kinds * (n + 3)) % 6) for n in range(18)
    }
    pay = np.round(rng.lognormal(8, 1, rows), 1)
    skewed = {
        "pay": pay, "visits": rng.geometric(0.3, rows),
        "gain": np.where(rng.random(rows) < 0.9, 0, rng.integers(1, 9000, rows)),
        "town": rng.zipf(1.5, rows) % 2000, "job": rng.zipf(1.3, rows) % 50, "code": rng.integers(0, 12, rows),
    }  # fmt: skip
    levels = {f"t{n}": np.minimum(rng.zipf(1.6, rows), 64) - 1 for n in range(6)}
    tree = {
        "any": {f"h{a}": {f"q{a}{b}": [str(a * 32 + b * 8 + c) for c in range(8)] for b in range(4)} for a in range(2)}
    }
    numbers = {name: d.Column(type="number") for name in ("pay", "visits", "gain")}
    return [
        ("18 plain columns", _texts(many), {}),
        ("skewed values", _texts(skewed), numbers),
        ("6 taxonomies of 64", _texts(levels), {name: d.Column(taxonomy=tree) for name in levels}),
    ]


def _texts(columns: dict[str, np.ndarray]) -> pl.DataFrame:
    return pl.DataFrame(columns).cast(pl.String)


def problem_of(table: pl.DataFrame, columns: dict[str, d.Column], k: int) -> CutProblem:
    rules = d.Policy(use=d.General(), protect=[d.KAnonymity(k=k, over=table.columns)], columns=columns)
    task = prepare(table, rules).task
    return cut_problem(task.bound, task.columns, list(rules.promises()), task.counted)


def compiled(table: pl.DataFrame) -> None:
    """Compile what is measured."""
    problem = problem_of(table.head(3000), hierarchies(table), 10)
    search(problem)
    search(problem, labels=["set"] * len(problem.columns))
    released(table.head(3000), hierarchies(table), 10)


def measure(problem: CutProblem, labels: Sequence[Labels] | None = None) -> tuple[float, float]:
    """Return LM and CPU seconds of one search, its answer counted again."""
    begin = time.process_time()
    found = search(problem, labels=labels)
    seconds = time.process_time() - begin
    return scored(problem, found), seconds


def released(table: pl.DataFrame, columns: dict[str, d.Column], k: int) -> tuple[float, float]:
    """Return LM and CPU seconds of a whole verified release: read, planned, applied and counted again."""
    rules = d.Policy(protect=[d.KAnonymity(k=k, over=table.columns)], columns=columns, recoding="local")
    begin = time.process_time()
    release = d.protect(table, rules)
    seconds = time.process_time() - begin
    assert release.audit.detail is not None
    return 1 - release.audit.detail, seconds


def scored(problem: CutProblem, found: Local) -> float:
    """Return LM from the labels alone, after checking that they cover the rows and that every group has enough."""
    (grouping,) = found.groupings
    group = grouping.group
    total = np.zeros(len(problem.sizes))
    texts = []
    for place, column in enumerate(grouping.columns):
        space, codes = problem.columns[column].space, problem.codes[column]
        first, stop = grouping.first[group, place], grouping.stop[group, place]
        assert ((first <= codes) & (codes < stop)).all()
        if column in grouping.sets:
            has = grouping.sets[column]
            assert has[group, codes].all()
            total += (has.sum(axis=1)[group] - 1) / (space.size - 1)
            texts.append(np.unique(has, axis=0, return_inverse=True)[1].ravel()[group])
            continue
        if len(space.places):
            total += space.positions[stop - 1] - space.positions[first]
        else:
            total += (stop - first - 1) / (space.size - 1)
        texts.append(first * (space.size + 1) + stop)
    _, alike = np.unique(np.stack(texts), axis=1, return_inverse=True)
    limit = problem.tables[0].limits[0].at_most
    rows = np.bincount(alike.ravel(), weights=problem.sizes)
    assert (rows * float(limit) > 1 - 1e-9).all()
    return float((total * problem.sizes).sum() / problem.total / len(problem.columns))


def planned(name: str, k: int, problem: CutProblem) -> None:
    lm, seconds = measure(problem)
    print(
        f"{name}: {problem.total} rows, {len(problem.sizes)} different, k = {k}: LM {lm:.4f}, {seconds:.2f} s",
        flush=True,
    )


def bounded(k: int, problem: CutProblem) -> None:
    """Print what the groups found lose, and the bound."""
    # Only here: other versions, which other benchmarks run beside this one, have other loops.
    from discreet.method.local import gains
    from discreet.method.local.items import parts_of
    from discreet.method.local.lattice import few_levels
    from discreet.method.local.price_kernels import PricedCells, PricedRows, raise_prices
    from discreet.method.local.pricing import cell_states, pricing_room
    from discreet.method.local.shapes import shape_of

    found = search(problem)
    (grouping,) = found.groupings
    shapes = [shape_of(*each, "tight") for each in zip(problem.columns, found.units.columns, strict=True)]
    (part,) = parts_of(problem, shapes)
    levels = few_levels(part.levels, len(part.sizes))
    now = np.zeros(len(part.sizes), dtype=np.int64)
    now[part.item_of] = grouping.losses[grouping.group].sum(axis=1)
    whole = int(part.shapes.whole.sum())
    most = 2 * now + whole // 50
    gains.MOST_SEEN = 10**12
    cells = gains.cells_in_which(part, levels, most, part.least, 1, 2_000_000, 100_000_000)
    assert cells is not None
    priced = PricedCells(cells.begin, np.ascontiguousarray(cells.cells[:, 3]), cells.members)
    rows = PricedRows(part.sizes, now.copy(), most)
    states, scratch = cell_states(priced), pricing_room(len(now))
    scratch.course[:] = 0, -(1 << 62), 0, 1024
    live = np.arange(len(priced.loss))
    best = raise_prices(priced, rows, states, live, part.least, 400, found.lost, 51, False, scratch)
    lost, least = (each / whole / problem.total for each in (found.lost, best))
    print(
        f"k = {k}: found {lost:.4f}, none below {least:.4f} ({lost / least - 1:.1%} more), {len(priced.loss):,} cells",
        flush=True,
    )


if __name__ == "__main__":
    main()
