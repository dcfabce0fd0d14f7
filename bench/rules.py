"""Li, Shirani-Mehr and Yang's experiments with safe partial tables on Adult, beside what the paper says of them.

    python bench/rules.py [--runs 10] [--only rows confidence support conditions size values cases] [--plot FILE]
    python bench/rules.py --speed

30,000 random rows of adult.data; conditions sex, marital-status, workclass, education, education-num, income and race;
occupation is sensitive; `?` is unknown; min_confidence 60% and min_support 60 unless said. Hidden cells are those
beyond the confidential ones; the removal rate is their share of all cells of conditions and occupation. Figures are
means over the runs.
SMC: set multi-cover; MAX-D: the R-graph by MAX-DESCENDANT; CR: the baseline of Saygin et al., largest rules first and
(small) smallest first. The paper's second data set is not public. Its figures are lost: what it says stands beside.
--speed: whole commands, beside the marks. --plot: the figures as a page (HTML) or picture.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

import discreet as d
from adult import NAMES, data_folder, expanded
from discreet.encoded import encode
from discreet.method.cells import rules
from evaluation import print_table

CONDITIONS = ["sex", "marital-status", "workclass", "education", "education-num", "income", "race"]
SENSITIVE = "occupation"
COMMON = "Prof-specialty"
"""Nearly all unsafe rules lead to it."""
CASES = {
    "a": (False, True, False), "b": (True, False, False), "c": (False, False, True), "d": (True, False, True),
    "e": (False, True, True), "f": (True, True, True), "g": (True, True, False),
}  # fmt: skip
"""Other rows' conditions, other rows' sensitive cells, the row's own conditions."""


@dataclass(frozen=True)
class Adult:
    """The table as codes; unknown cells are -1."""

    cells: np.ndarray
    sensitive: np.ndarray
    values: list[str]


def adult(seed: int, rows: int = 30_000) -> Adult:
    """Return so many random rows."""
    lines = [line.split(", ") for line in (data_folder() / "adult.data").read_text().splitlines() if line.strip()]
    frame = pl.DataFrame([line for line in lines if len(line) == len(NAMES)], schema=NAMES, orient="row")
    drawn = np.sort(np.random.default_rng(seed).choice(len(frame), rows, replace=False))
    frame = frame[drawn].select([pl.col(name).replace("?", None) for name in [*CONDITIONS, SENSITIVE]])
    codes = []
    for name in [*CONDITIONS, SENSITIVE]:
        found = encode(frame[name])
        codes.append(found.codes.astype(np.int32) - (found.domain[0] is None))
        values = [value for value in found.domain if value is not None]
    return Adult(np.stack(codes[:-1]), codes[-1], values)


@dataclass(frozen=True)
class Setting:
    """One point of an experiment."""

    marked: int = 20
    confidence: str = "0.6"
    support: int = 60
    conditions: int = 7
    rows: int = 30_000
    values: int | None = None
    """Different values of the confidential cells; None: as drawn. 1: the one that rules lead to."""
    case: str = "a"


def table_of(setting: Setting, seed: int) -> rules.RuleTable:
    """Return the table of one run."""
    data = adult(seed, setting.rows)
    rng = np.random.default_rng(seed + 1000)
    known = np.flatnonzero(data.sensitive >= 0)
    if setting.values is not None:
        counts = np.bincount(data.sensitive[known])
        chosen = [data.values.index(COMMON)]
        chosen += [int(v) for v in np.argsort(-counts) if int(v) != chosen[0]][: setting.values - 1]
        known = np.flatnonzero(np.isin(data.sensitive, chosen))
    marked = np.sort(rng.permutation(known)[: setting.marked]).tolist()
    others, sensitive, own = CASES[setting.case]
    mine = np.zeros(setting.rows, dtype=np.bool_)
    mine[marked] = True
    free = np.broadcast_to(np.where(mine, own, others), (setting.conditions, setting.rows))
    limits = rules.Limits(Fraction(setting.confidence), setting.support)
    used = np.sort(rng.choice(len(CONDITIONS), setting.conditions, replace=False))
    return rules.RuleTable(data.cells[used], data.sensitive, marked, limits, free, ~mine & sensitive)


METHODS: dict[str, Callable[[rules.RuleTable], rules.HidingAnswer]] = {
    "SMC": rules.smc,
    "MAX-D": rules.r_graph,
    "CR": lambda table: rules.cr(table, conditions=not table.free_sensitive.any()),
    "CR small": lambda table: rules.cr(table, conditions=not table.free_sensitive.any(), largest_first=False),
    "best": rules.solve,
}


def measured(setting: Setting, method: str, runs: int) -> tuple[float, float, float, float]:
    """Return means of unsafe rules, hidden cells, removal rate in per cent and seconds; all results are safe."""
    found = []
    for seed in range(runs):
        table = table_of(setting, seed)
        unsafe = len(table.unsafe())
        begin = time.process_time()
        answer = METHODS[method](table)
        took = time.process_time() - begin
        if answer.status != "safe" or not table.is_safe():
            raise RuntimeError(f"{method} found no safe table: {setting}")
        rate = 100 * len(answer.hidden) / (setting.rows * (setting.conditions + 1))
        found.append((unsafe, len(answer.hidden), rate, took))
    return tuple(np.mean(found, axis=0).tolist())


EXPERIMENTS: dict[str, tuple[str, str, Sequence[object], Sequence[str], str]] = {
    "rows": ("marked", "case a: confidential rows", (2, 4, 8, 16, 24, 35), ("SMC", "CR", "CR small"),
             "paper: grows, .006% at 4, .45% at 35; CR more. Known: SMC 9-10, 82-99 at 4, 35; CR small 17, 280"),
    "confidence": ("confidence", "case a: min_confidence, 20 rows",
                   ("0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"), ("SMC", "CR"),
                   "paper: falls as the confidence grows; SMC below CR"),
    "support": ("support", "case a: min_support, 20 rows", (0, 15, 30, 60, 120, 240), ("SMC", "CR"),
                "fewer unsafe rules with more support"),
    "conditions": ("conditions", f"case b: conditions, 10 rows with {COMMON}", (3, 4, 5, 6), ("MAX-D", "CR"),
                   "paper: grows with the conditions; below CR. Known: MAX-D 208 268 364 565, CR 427 582 915 1466"),
    "size": ("rows", f"case b: rows of the table, 10 rows with {COMMON}, 5 conditions", (5_000, 10_000, 20_000, 30_000),
             ("MAX-D", "CR"), "paper: grows with the rows; below CR"),
    "values": ("values", "case b: different values, 20 rows, 5 conditions, min_confidence 0.7", (1, 3, 5, 7, 9),
               ("MAX-D", "CR"), "paper: more values need more removals"),
    "cases": ("case", f"all cases, 10 rows with {COMMON}, 4 conditions", tuple(CASES), ("best",),
              "g as a and f as e (Lemma 1)"),
}  # fmt: skip
BASE = {
    "conditions": Setting(marked=10, values=1, case="b"),
    "size": Setting(marked=10, values=1, case="b", conditions=5),
    "values": Setting(case="b", conditions=5, confidence="0.7"),
    "cases": Setting(marked=10, values=1, conditions=4),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=[*EXPERIMENTS], default=[*EXPERIMENTS])
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--one", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one_command(*options.one)
        return
    if options.speed:
        print_speed()
        return
    adult(0)
    rules.smc(table_of(Setting(marked=2), 0))
    points = []
    for name in options.only:
        points += print_experiment(name, options.runs)
    if options.plot:
        plot(points, options.plot)


def print_experiment(name: str, runs: int) -> list[dict[str, object]]:
    """Print one experiment; return its points."""
    field, title, values, methods, said = EXPERIMENTS[name]
    lines, points = [], []
    for value in values:
        setting = Setting(**{**vars(BASE.get(name, Setting())), field: value})
        line = [str(value)]
        for method in methods:
            unsafe, hidden, rate, seconds = measured(setting, method, runs)
            line += ([f"{unsafe:.0f}"] if method == methods[0] else []) + [
                f"{hidden:.1f}",
                f"{rate:.4f}",
                f"{seconds:.3f}",
            ]
            points.append(
                {"experiment": title, "x": str(value), "method": method, "hidden": hidden, "seconds": seconds}
            )
        lines.append(line)
    heads = [field, "unsafe"]
    for method in methods:
        heads += [method, "rate %", "CPU s"]
    print_table(f"{title} ({runs} runs; {said})", heads, lines)
    return points


def plot(points: Sequence[dict[str, object]], path: Path) -> None:
    """Draw the hidden cells of all experiments."""
    import altair as alt

    charts = []
    for title in dict.fromkeys(str(point["experiment"]) for point in points):
        mine = [point for point in points if point["experiment"] == title]
        order = list(dict.fromkeys(str(point["x"]) for point in mine))
        charts.append(
            alt.Chart(alt.InlineData(values=mine), title=title, width=260, height=180)
            .mark_line(point=True)
            .encode(x=alt.X("x:N", sort=order, title=None), y=alt.Y("hidden:Q", title="cells hidden"),
                    color=alt.Color("method:N", title=None))
        )  # fmt: skip
    whole = alt.concat(*charts, columns=3).resolve_scale(color="shared")
    whole.save(path, inline=path.suffix == ".html", scale_factor=2)
    print(f"figures: {path}")


def print_speed() -> None:
    """Print whole commands beside their marks."""
    lines = []
    for rows, marked, mark in ((1_000_000, 35, 15), (45_222, 1_000, 30)):
        command = [sys.executable, __file__, "--one", str(rows), str(marked)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        lines.append([f"{rows:,}", str(marked), *(f"{found[name]:.1f}" for name in ("wall", "cpu")),
                      f"{found['peak']:.0f}", str(found["hidden"]), f"under {mark} s"])  # fmt: skip
    heads = ["rows", "marked", "wall s", "CPU s", "peak MB", "cells hidden", "mark"]
    print_table("Read, planned and verified in one process", heads, lines)


def one_command(rows: int, marked: int) -> None:
    """Protect one table; print figures as JSON."""
    import resource

    rng = np.random.default_rng(0)
    frame = expanded(rows)
    names = ["sex", "marital-status", "workclass", "education", "income", "race", "relationship"]
    if rows > 100_000:
        frame = frame.with_columns(
            **{name: pl.Series(rng.integers(0, 5, rows).astype(str)) for name in ("made-1", "made-2")}
        )
        names += ["native-country", "made-1", "made-2"]
    chosen = sorted((rng.choice(frame.height, marked, replace=False) + 1).tolist())
    support = 0 if rows > 100_000 else 60
    against: list[dict[str, object]] = [{"rules": {"min_confidence": "60%", "min_support": support}}]
    policy = d.Policy(protect=[d.Confidential(column=SENSITIVE, rows=chosen, predictors=names, against=against)])
    d.protect(
        frame.head(2_000),
        d.Policy(protect=[d.Confidential(column=SENSITIVE, rows=[1], predictors=names, against=against)]),
    )  # fmt: skip - compiles what is not cached
    begin, cpu = time.perf_counter(), time.process_time()
    release = d.protect(frame, policy)
    found = {"wall": time.perf_counter() - begin, "cpu": time.process_time() - cpu}
    found |= {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    print(json.dumps({**found, "hidden": len(release.plan.edits) - marked}))


if __name__ == "__main__":
    main()
