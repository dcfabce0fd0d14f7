"""Many known columns: what every search takes for 30 and 60 of them, and what it keeps.

    python bench/wide.py [--columns 30 60] [--rows 10000] [--k 10]
                         [--ways coordinate disclosure local any-2 any-3 any-4]

Iyengar (2002, section 6) asks for experiments with more columns than eight. Tables are made, with a fixed seed: of
every three columns one is a number (0 to 99), one a category with a taxonomy (12 values), one plain (2 to 6 values);
all lean on three hidden figures, so that columns tell of each other and of the class. `coordinate` keeps k over all
columns for no use in particular, `local` the same with labels for each group, `disclosure` two templates over half of
the columns each, for the class, `any-L` k over any L of the columns, by coordinate search. Each job is a process of its
own: seconds of `check` and of `protect` (kernels are compiled before), seconds of the processor, peak memory, the
detail kept (1 - LM) and the rows suppressed. What is more than a search takes on is refused by the policy itself,
before any table is read: then the line says so. A search that the limit ends says so too; what it has is released. The
limit counts seconds of the processor, lest other work on the machine changes what is found.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any
from unittest import mock

import numpy as np
import polars as pl

import discreet as d

WAYS = ["coordinate", "disclosure", "local", "any-2", "any-3", "any-4"]
SEED = 1
LIMIT = 30
"""Seconds of the processor after which a search ends with the best that it has."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[30, 60])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--ways", nargs="+", default=WAYS, help="coordinate, disclosure, local, any-L")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds of the processor of a search")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(job(options.columns[0], options.rows, options.k, options.one, options.limit)))
        return
    print(f"{options.rows:,} rows, k = {options.k}; at most {options.limit:g} s of the processor a search")
    print(
        f"{'known':>5} {'way':>10} {'check s':>8} {'protect s':>9} {'CPU s':>7} {'peak MB':>8} "
        f"{'detail':>7} {'suppressed':>10}"
    )
    for columns in options.columns:
        for way in options.ways:
            told = [
                "--columns",
                columns,
                "--rows",
                options.rows,
                "--k",
                options.k,
                "--limit",
                options.limit,
                "--one",
                way,
            ]
            ran = subprocess.run(
                [sys.executable, __file__, *map(str, told)], capture_output=True, text=True, check=False
            )
            if ran.returncode:
                sys.exit(f"{columns} columns, {way}: fell over\n{ran.stderr}")
            print(line(columns, way, json.loads(ran.stdout)), flush=True)


def line(columns: int, way: str, found: Mapping[str, Any]) -> str:
    """Return one job as a line of the table."""
    if "refused" in found:
        return f"{columns:>5} {way:>10} refused: {found['refused']}"
    end = "" if found["complete"] else " (stopped)"
    end += ", said by check to be long" if found["warned"] else ""
    return (
        f"{columns:>5} {way:>10} {found['check']:8.1f} {found['seconds']:9.1f} {found['cpu']:7.1f} "
        f"{found['peak']:8.0f} {found['detail']:7.3f} {found['suppressed']:>10,}{end}"
    )


def job(columns: int, rows: int, k: int, way: str, limit: float = LIMIT) -> dict[str, Any]:
    """Return what a release takes, or why it is refused."""
    made = table(columns, rows)
    try:
        rules = policy(columns, k, way)
        begin = time.perf_counter()
        warned = [one for one in d.check(rules, made).warnings if "sets" in one]
        checked = time.perf_counter() - begin
    except d.PolicyError as error:
        return {"refused": str(error)}
    d.protect(table(columns, 200), rules, seed=SEED, time_limit=1)  # compiles
    begin, cpu = time.perf_counter(), time.process_time()
    with mock.patch.object(time, "monotonic", time.process_time):
        release = d.protect(made, rules, seed=SEED, time_limit=limit)
    assert release.audit.verification.holds
    return {
        "check": checked,
        "seconds": time.perf_counter() - begin,
        "cpu": time.process_time() - cpu,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "detail": release.audit.detail or 0.0,
        "suppressed": release.audit.suppressed,
        "complete": release.plan.complete,
        "warned": bool(warned),
    }


def table(columns: int, rows: int) -> pl.DataFrame:
    """Return a table whose columns tell of each other, a class and a secret."""
    rng = np.random.default_rng(SEED)
    hidden = rng.normal(size=(rows, 3))

    def lean(values: int) -> list[str]:
        figure = hidden @ rng.normal(size=3) + rng.normal(size=rows)
        shares = np.clip((figure + 6) / 12, 0, 0.9999)
        return [str(one) for one in (shares * values).astype(int)]

    found = {name: lean({"n": 100, "t": 12, "p": 2 + place % 5}[name[0]]) for place, name in enumerate(names(columns))}
    found["class"] = np.where(hidden @ rng.normal(size=3) + rng.normal(size=rows) > 0, "yes", "no").tolist()
    found["secret"] = np.where(rng.random(rows) < 0.2, "ill", "well").tolist()
    return pl.DataFrame(found)


def names(columns: int) -> list[str]:
    return [f"{'ntp'[place % 3]}{place}" for place in range(columns)]


def policy(columns: int, k: int, way: str) -> d.Policy:
    """Return the policy of one way; raise `PolicyError` where it is more than a search takes on."""
    known = names(columns)
    taxonomy = {"*": {f"g{first}": [str(first + one) for one in range(4)] for first in (0, 4, 8)}}
    kinds: dict[str, dict[str, Any]] = {
        "n": {"type": "number", "ends": list(range(0, 101, 10))},
        "t": {"taxonomy": taxonomy},
    }
    rules: dict[str, Any] = {"columns": {name: kinds[name[0]] for name in known if name[0] in kinds}}
    if way == "disclosure":
        halves = [known[::2], known[1::2]]
        rules |= {
            "use": {"classify": "class"},
            "protect": [{"infer": {"secret": "ill"}, "given": half, "at_most": "50%"} for half in halves],
        }
        return d.Policy.from_dict(rules)
    over = {"any": int(way.removeprefix("any-")), "of": known} if way.startswith("any-") else known
    rules |= {"protect": [{"k": k, "over": over}], "use": "general"}
    rules["columns"] |= {"class": {"role": "other"}, "secret": {"role": "other"}}
    if way == "local":
        rules["recoding"] = "local"
    return d.Policy.from_dict(rules)


if __name__ == "__main__":
    main()
