"""Every engine on large tables: expanded Adult, the whole command beside what the engine itself needs for the same.

    python bench/engines.py [--rows 10000000] [--engine local streaming duckdb spark] [--form parquet csv]
                            [--policy templates k cells] [--memory-limit 2GB] [--repeat 1]

The mark is a process in which the engine alone reads the table, counts the combinations of the columns that the
policy counts with, and writes the table again, under the same memory limit. Every run is a process of its own: its
seconds, its CPU seconds, and its peak memory. The columns are Adult's eight categories and the income; rows beyond
its own are copies with 1 to 7 columns redrawn at random. The table is a folder of Parquet files of 10,000,000 rows.
`cells`: 50 occupations against naive Bayes by DROPP, 50 educations against rules; rows are drawn with a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import discreet as d
from adult import GIVEN, expanded, rarest

CHUNK = 10_000_000
COUNTED = [*GIVEN, "marital-status", "income"]
DUCKDB = """
import duckdb, sys
table, out, limit, *columns = sys.argv[1:]
con = duckdb.connect(config={"memory_limit": limit, "temp_directory": out + ".spill"})
read = f"read_csv('{table}', all_varchar=true, header=true)" if table.endswith(".csv") else f"read_parquet('{table}')"
names = ", ".join('"' + name + '"' for name in columns)
con.execute(f"COPY (SELECT {names}, count(*) FROM {read} GROUP BY ALL) TO '{out}.counts' (FORMAT parquet)")
form = "FORMAT csv" if table.endswith(".csv") else "FORMAT parquet, COMPRESSION zstd"
con.execute(f"COPY (SELECT * FROM {read}) TO '{out}' ({form})")
"""
STREAMING = """
import polars as pl, sys
table, out, limit, *columns = sys.argv[1:]
csv = table.endswith(".csv")
frame = pl.scan_csv(table, infer_schema=False) if csv else pl.scan_parquet(table)
frame.group_by(columns).len().sink_parquet(out + ".counts", engine="streaming")
frame.sink_csv(out, engine="streaming") if csv else frame.sink_parquet(out, engine="streaming")
"""
LOCAL = """
import polars as pl, sys
table, out, limit, *columns = sys.argv[1:]
csv = table.endswith(".csv")
frame = pl.read_csv(table, infer_schema=False) if csv else pl.read_parquet(table)
frame.group_by(columns).len().write_parquet(out + ".counts")
frame.write_csv(out) if csv else frame.write_parquet(out)
"""
SPARK = """
import sys
from pyspark.sql import SparkSession
table, out, limit, *columns = sys.argv[1:]
memory = f"{int(float(limit.rstrip('GB')) * 512)}m"
spark = SparkSession.builder.config("spark.driver.memory", memory).getOrCreate()
if columns:
    csv = table.endswith(".csv")
    frame = spark.read.csv(table, header=True) if csv else spark.read.parquet(table)
    frame.groupBy(*columns).count().write.mode("overwrite").parquet(out + ".counts")
    (frame.write.mode("overwrite").csv if csv else frame.write.mode("overwrite").parquet)(out)
"""
"""With half of the limit, as the command gives it. Its Java process is not in the CPU seconds and the peak memory."""
MARKS = {"duckdb": DUCKDB, "streaming": STREAMING, "local": LOCAL, "spark": SPARK}


class Run(NamedTuple):
    """What a process took."""

    seconds: float
    cpu: float
    peak: float
    """In MB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--engine", nargs="+", default=["local", "streaming", "duckdb"], choices=list(MARKS))
    parser.add_argument("--form", nargs="+", default=["parquet", "csv"], choices=["parquet", "csv"])
    parser.add_argument("--policy", nargs="+", default=["templates", "k"], choices=["templates", "k", "cells"])
    parser.add_argument("--memory-limit", default="2GB")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        print(json.dumps(make(options.make, options.rows, options.form)))
        return
    print(f"{options.rows:,} rows, memory limit {options.memory_limit}")
    print(f"{'engine':>10} {'form':>8} {'policy':>10} {'whole s':>8} {'CPU s':>7} {'peak MB':>8} {'mark s':>8} "
          f"{'CPU s':>7} {'peak MB':>8} {'ratio':>6} {'CPU':>6}")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In another process: the memory of this one would count as that of all that it starts.
        command = [sys.executable, __file__, "--make", name, "--rows", str(options.rows), "--form", *options.form]
        values = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for form in options.form:
            table = folder / ("table.csv" if form == "csv" else "table")
            for engine in options.engine:
                if engine == "spark":
                    print(f"{'':>10} {start_up(folder, options.memory_limit):.1f} s until Spark has begun", flush=True)
                mark = middle([alone(engine, table, folder, options.memory_limit) for _ in range(options.repeat)])
                for kind in options.policy:
                    rules = folder / "policy.json"
                    rules.write_text(json.dumps(policy(kind, values, options.rows).to_dict()))
                    whole = middle(
                        [
                            whole_command(engine, table, rules, folder, options.memory_limit)
                            for _ in range(options.repeat)
                        ]
                    )
                    print(f"{engine:>10} {form:>8} {kind:>10} {whole.seconds:8.1f} {whole.cpu:7.1f} {whole.peak:8.0f} "
                          f"{mark.seconds:8.1f} {mark.cpu:7.1f} {mark.peak:8.0f} {whole.seconds / mark.seconds:6.2f} "
                          f"{whole.cpu / mark.cpu:6.2f}", flush=True)  # fmt: skip


def make(folder: Path, rows: int, forms: list[str]) -> list[str]:
    """Write the table; return the rarest values of its sensitive column."""
    parts = folder / "table"
    parts.mkdir()
    values: list[str] = []
    for at, begin in enumerate(range(0, rows, CHUNK)):
        frame = expanded(min(CHUNK, rows - begin), seed=at + 1)
        values = values or rarest(frame, "marital-status", 3)
        frame.write_parquet(parts / f"part-{at:03}.parquet")
    if "csv" in forms:
        pl.scan_parquet(parts).sink_csv(folder / "table.csv", engine="streaming")
    return values


def policy(kind: str, values: list[str], rows: int) -> d.Policy:
    """Return templates about the marital status, k-anonymity with one of them, or 100 confidential cells."""
    if kind == "cells":
        drawn = sorted((np.random.default_rng(1).choice(rows, 100, replace=False) + 1).tolist())
        known = ["workclass", "occupation", "relationship", "race", "sex", "income"]
        rules = d.Rules(min_confidence="36%", min_support=max(rows // 5000, 1), conditions=known)
        return d.Policy(
            protect=[
                d.Confidential(column="occupation", rows=drawn[::2], against=[d.NaiveBayes()]),
                d.Confidential(column="education", rows=drawn[1::2], against=[rules]),
            ]
        )
    template = d.Template(given=GIVEN, infer={"marital-status": values}, at_most="90%")
    if kind == "templates":
        return d.Policy(use=d.Classify("income"), protect=[template])
    return d.Policy(use=d.Classify("income"), protect=[d.KAnonymity(k=10, over=GIVEN), template])


def alone(engine: str, table: Path, folder: Path, limit: str) -> Run:
    """Let the engine read, count and write."""
    out = folder / ("out.csv" if table.suffix == ".csv" else "out.parquet")
    source = str(table) if table.suffix == ".csv" else f"{table}/*.parquet"
    return timed([sys.executable, "-c", MARKS[engine], source, str(out), limit, *COUNTED])


def start_up(folder: Path, limit: str) -> float:
    """Return the seconds until a session of Spark has begun and ended."""
    return timed([sys.executable, "-c", SPARK, "", str(folder / "nothing"), limit]).seconds


def whole_command(engine: str, table: Path, rules: Path, folder: Path, limit: str) -> Run:
    out = folder / ("release.csv" if table.suffix == ".csv" else "release.parquet" if engine != "spark" else "release")
    if out.is_dir():
        shutil.rmtree(out)
    command = [sys.executable, "-m", "discreet", "protect", str(table), "-p", str(rules), "-o", str(out), "--force"]
    # The local engine would stream what is beyond the limit: here it shall hold it.
    limits = ["--memory-limit", limit if engine != "local" else "1TB"]
    return timed([*command, "--engine", engine, *limits, "--seed", "1"])


def timed(command: list[str]) -> Run:
    """Run a command; end the program if it fails."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        assert process.stderr is not None
        sys.exit(f"failed: {process.stderr.read()}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def middle(runs: list[Run]) -> Run:
    """Return the medians of some runs."""
    return Run(*(statistics.median(run[at] for run in runs) for at in range(3)))


if __name__ == "__main__":
    main()
