"""Searches at their limits: wide columns, thousands of classes, frontiers, proofs and local recoding, beside goals.

    python bench/cliffs.py [--only numbers plain ...] [--before SOURCE] [--limit 150] [--repeat 1] [--rows 2000]

Each case is a table that is made here (the first three) or made of public data, a policy, and a process of its own:
seconds of CPU (what is compiled is compiled before, on a small table of the same shape), wall seconds, peak memory and
how good the answer is, beside the goal. With `--before`, the folder `src` of another version, both are run in turn, and
a line says whether their answers are the same, byte for byte. A search that the limit ends says `stopped`, and its
figures are of what it has by then. The peak of a first run is that of compiling. Made tables repeat themselves.
`--rows` makes every made table smaller, to try the bench out; goals are those of the whole.

numbers: 100,000 rows, a number with as many different values, one of 80, two categories; k = 10.
plain: 300,000 rows, a plain column of 70,000 values (a few of them frequent), two others; one template, for a class.
few-classes, classes: 100,000 rows, 10 and 5,000 classes; k = 10. few-disclosed, disclosed: the same with a template.
frontier: Adult, 68,725 rows, k = 10 and a template at 18 thresholds. exact-cm: Adult, the fewest misjudged rows at
k = 25 to 500 proven. exact-templates: Credit Approval, 653 rows, the paper's first template at 50%. local: Adult,
1,000,000 rows, k = 10. local-numbers: the table of numbers, k = 10. local-arx: Adult with ARX's hierarchies, k = 10 and
100. disclosed-numbers: the table of numbers with a template, for a class that nothing tells of: tens of thousands of
steps. local-template: 100,000 rows with a template, local recoding. local-wide: the same of 20,000 rows with eleven
known columns, so that hardly any row has another like it. local-limit: 9,000 rows, 5,000 classes and a template, local
recoding with a time limit of 10 seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import discreet as d
from discreet.common.compiled import always

SOURCE = Path(__file__).resolve().parents[1] / "src"
SEED = 1
SMALL = 1_500
"""Rows of the table on which loops are compiled."""
THRESHOLDS = [f"{share}%" for share in range(95, 5, -5)]


class Answer(NamedTuple):
    """What a job came to: in words, and the stamp of its answer."""

    words: str
    stamp: str


@dataclass(frozen=True)
class Case:
    """A job: `run` does it on a table of so many rows, for so many seconds at most."""

    rows: int
    run: Callable[[int, float], Answer]
    goal: str
    """In words; figures are CPU seconds where nothing else is said."""
    prepared: float = 60
    """Seconds for the small table: a search that compiles its loops must not be ended before it has come to all."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=tuple(cases()), default=list(cases()))
    parser.add_argument("--before", type=Path)
    parser.add_argument("--limit", type=float, default=150, help="seconds of a search")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--rows", type=int, help="of made tables, to try the bench out")
    parser.add_argument("--one", choices=tuple(cases()), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, options.rows, options.limit)))
        return
    versions = {"now": SOURCE, **({} if options.before is None else {"before": options.before.resolve()})}
    print(f"{'case':>15} {'version':>7} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}  goal; answer")
    for name in options.only:
        found: dict[str, list[dict[str, Any]]] = {version: [] for version in versions}
        for _ in range(options.repeat):
            for version, source in versions.items():
                found[version].append(started(name, source, options.rows, options.limit))
        for version, runs in found.items():
            print(line(name, version, runs), flush=True)
        if len(versions) > 1:
            stamps = {run["stamp"] for runs in found.values() for run in runs}
            print(f"{name:>15} {'':>7} answers {'are the same' if len(stamps) == 1 else 'DIFFER'}", flush=True)


def line(name: str, version: str, runs: list[dict[str, Any]]) -> str:
    """Return the medians of some runs as a line of the table."""
    cpu, wall, peak = (statistics.median(run[what] for run in runs) for what in ("cpu", "wall", "peak"))
    return f"{name:>15} {version:>7} {cpu:8.1f} {wall:8.1f} {peak:8.0f}  {cases()[name].goal}; {runs[0]['words']}"


def started(name: str, source: Path, rows: int | None, limit: float) -> dict[str, Any]:
    """Return what a case takes in a process of its own, with the version in a folder."""
    words = [sys.executable, __file__, "--one", name, "--limit", str(limit)]
    words += [] if rows is None else ["--rows", str(rows)]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    ran = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{name}: fell over\n{ran.stderr}{ran.stdout}")
    figures: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def measured(name: str, rows: int | None, limit: float) -> dict[str, Any]:
    """Return what a case takes in this process, after a small one of its kind."""
    case = cases()[name]
    size = min(rows or case.rows, case.rows)
    with always("compiled"):
        case.run(min(SMALL, size), case.prepared)
    begin, cpu = time.perf_counter(), time.process_time()
    answer = case.run(size, limit)
    return {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - begin,
        "peak": peak(),
        "words": answer.words,
        "stamp": answer.stamp,
    }


def peak() -> float:
    """Return the most memory that this process has taken, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cases() -> dict[str, Case]:
    """Return the cases by name."""
    like = "as with few classes"
    return {
        "numbers": Case(100_000, lambda n, s: protected(numbers(n), NUMBERS, s), "3"),
        "plain": Case(300_000, lambda n, s: protected(plain(n), PLAIN, s), "10"),
        "few-classes": Case(100_000, lambda n, s: protected(classes(n, 10), CLASSES, s), "none"),
        "classes": Case(100_000, lambda n, s: protected(classes(n, 5_000), CLASSES, s), like),
        "few-disclosed": Case(100_000, lambda n, s: protected(classes(n, 10), DISCLOSED, s), "none"),
        "disclosed": Case(100_000, lambda n, s: protected(classes(n, 5_000), DISCLOSED, s), like),
        "frontier": Case(68_725, frontier, "15"),
        "exact-cm": Case(30_162, exact_cm, "each k proven in 60", prepared=1),
        "exact-templates": Case(653, exact_templates, "proven or within 5% in 60", prepared=1),
        "local": Case(1_000_000, local, "8 wall"),
        "local-numbers": Case(100_000, lambda n, s: protected(numbers(n), {**NUMBERS, "recoding": "local"}, s), "3"),
        "disclosed-numbers": Case(100_000, lambda n, s: protected(noise(n), NOISE, s), "12"),
        "local-template": Case(
            100_000, lambda n, s: protected(classes(n, 10).drop("class"), LOCAL_TEMPLATE, s), "5", prepared=5
        ),
        "local-wide": Case(20_000, lambda n, s: protected(wide(n), LOCAL_WIDE, s), "10"),
        "local-limit": Case(
            9_000,
            lambda n, s: protected(classes(n, 5_000), LOCAL_CLASSES, min(s, 10)),
            "11: its limit is 10",
            prepared=20,
        ),
        "local-arx": Case(30_162, local_arx, "LM .068 and .178 in 2 each"),
    }


NUMBERS = {
    "columns": {"pay": {"type": "number"}, "age": {"type": "number"}},
    "protect": [{"k": 10, "over": ["pay", "age", "sex", "region"]}],
}
PLAIN = {
    "use": {"classify": "class"},
    "protect": [{"infer": {"secret": "ill"}, "given": ["town", "job", "sex"], "at_most": "40%"}],
}
CLASSES = {
    "use": {"classify": "class"},
    "columns": {"age": {"type": "number"}, "pay": {"type": "number"}},
    "protect": [{"k": 10, "over": ["age", "pay", "sex", "region"]}],
}
DISCLOSED = {
    **CLASSES,
    "protect": [{"infer": {"secret": "ill"}, "given": ["age", "pay", "sex", "region"], "at_most": "40%"}],
}
NOISE = {
    **NUMBERS,
    "use": {"classify": "class"},
    "protect": [{"infer": {"secret": "ill"}, "given": ["pay", "age", "sex", "region"], "at_most": "40%"}],
}
LOCAL_TEMPLATE = {"columns": DISCLOSED["columns"], "protect": DISCLOSED["protect"], "recoding": "local"}
LOCAL_CLASSES = {**DISCLOSED, "recoding": "local"}
WIDE = {
    "age": 80,
    "sex": 2,
    "region": 12,
    **{f"answer {place}": size for place, size in enumerate([3, 5, 20, 50, 200, 7, 2, 1000])},
}
LOCAL_WIDE = {
    "columns": {"age": {"type": "number"}},
    "protect": [{"infer": {"secret": "ill"}, "given": list(WIDE), "at_most": "40%"}],
    "recoding": "local",
}


def noise(rows: int) -> pl.DataFrame:
    """Return the table of numbers with a class and a secret that have nothing to do with them."""
    rng = np.random.default_rng(SEED + 1)
    ill = np.where(rng.random(rows) < 0.1, "ill", "well")
    chance = {"class": rng.integers(0, 3, rows), "secret": ill}
    return pl.concat([numbers(rows), texts(chance)], how="horizontal")


def wide(rows: int) -> pl.DataFrame:
    """Return a table of eleven columns, in all of which hardly any two rows are alike, and a secret."""
    rng = np.random.default_rng(SEED)
    known = {name: rng.integers(0, size, rows) for name, size in WIDE.items()}
    return texts({**known, "secret": np.where(rng.random(rows) < 0.1, "ill", "well")})


def numbers(rows: int) -> pl.DataFrame:
    """Return a table with a number that is different in every row."""
    rng = np.random.default_rng(SEED)
    age = rng.integers(18, 98, rows)
    pay = rng.choice(10 * rows, rows, replace=False) + 2_000 * age
    return texts({"pay": distinct(pay), "age": age, "sex": rng.integers(0, 2, rows), "region": regions(rng, rows)})


def distinct(figures: np.ndarray) -> np.ndarray:
    """Return numbers in the same order, no two of them equal: with two digits after the point."""
    order = np.argsort(figures, kind="stable")
    taken = np.empty(len(figures), dtype=np.int64)
    taken[order] = figures[order] + np.arange(len(figures))
    return np.char.add(np.char.add((taken // 100).astype(str), "."), np.char.zfill((taken % 100).astype(str), 2))


def plain(rows: int) -> pl.DataFrame:
    """Return a table with a plain column of nearly a quarter as many values as rows, a few of them frequent."""
    rng = np.random.default_rng(SEED)
    values = max(rows * 70 // 300, 2)
    town = np.where(rng.random(rows) < 0.3, rng.zipf(1.3, rows) % values, rng.integers(0, values, rows))
    town[:values] = np.arange(values)
    ill = rng.random(rows) < 0.05 + 0.2 * (town % 7 == 0)
    job, sex = rng.integers(0, 12, rows), rng.integers(0, 2, rows)
    yes = (town % 3 + job % 2 + rng.integers(0, 3, rows)) > 2
    return texts({"town": town, "job": job, "sex": sex, "secret": np.where(ill, "ill", "well"), "class": yes})


def classes(rows: int, number: int) -> pl.DataFrame:
    """Return a table with so many classes that lean on the known columns."""
    rng = np.random.default_rng(SEED)
    age, pay = rng.integers(18, 98, rows), rng.integers(0, 1_000, rows)
    place = regions(rng, rows)
    lean = (age // 10 * 37 + pay // 100 * 11 + place) % number
    label = np.where(rng.random(rows) < 0.5, lean, rng.integers(0, number, rows))
    ill = np.where(rng.random(rows) < 0.1, "ill", "well")
    return texts(
        {"age": age, "pay": pay, "sex": rng.integers(0, 2, rows), "region": place, "secret": ill, "class": label}
    )


def regions(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Return one of twelve regions for each row, some of them small."""
    return np.minimum(rng.geometric(0.25, rows), 12)


def texts(columns: Mapping[str, np.ndarray]) -> pl.DataFrame:
    return pl.DataFrame(dict(columns)).cast(pl.String)


def protected(table: pl.DataFrame, rules: d.Policy | dict[str, Any], limit: float) -> Answer:
    """Return what the whole of `protect` comes to."""
    release = d.protect(table, rules, seed=SEED, time_limit=limit)
    assert release.audit.verification.holds
    words = f"detail {release.audit.detail or 0:.4f}, suppressed {release.audit.suppressed:,}"
    policy = release.plan.policy
    if policy.target is not None:
        known = next(policy.promises()).given
        words += f", misjudged {misjudged(release.table, known, policy.target):.4f}"
    words += "" if release.plan.complete else ", stopped"
    return Answer(words, stamp(csv_of(release.table)))


def misjudged(released: Any, known: Iterable[str], target: str) -> float:
    """Return the share of rows that are not of their group's most frequent class; suppressed rows are a group."""
    most = released.group_by(*known, target).len().group_by(*known).agg(pl.col("len").max())["len"].sum()
    return 1 - float(most) / len(released)


def csv_of(table: Any) -> str:
    """Return a released table of Polars as a file."""
    return str(table.write_csv())


def stamp(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def frontier(rows: int, limit: float) -> Answer:  # noqa: ARG001 - it has none
    """Return the frontier of a template beside k-anonymity, on a table made of Adult."""
    import k_anonymity
    from adult import expand

    golden = json.loads(k_anonymity.GOLDEN.read_text())
    table = expand(k_anonymity.adult(golden["columns"]), golden["columns"], rows, SEED)
    rules: dict[str, Any] = k_anonymity.policy(golden, 10, "LM").to_dict()
    known = [column for column in golden["columns"] if column != "marital-status"]
    rules["protect"] = [
        {"k": 10, "over": golden["columns"]},
        {"infer": {"marital-status": "Divorced"}, "given": known, "at_most": "50%"},
    ]
    rules["columns"].pop("marital-status")
    rules["protect"][0]["over"] = known
    found = d.frontier(table, rules, THRESHOLDS)
    details = [point.detail for point in found.points]
    different = len({(point.largest, point.detail) for point in found.points if point.possible})
    last = next((detail for detail in reversed(details) if detail is not None), 0.0)
    words = f"{len(details)} points, {different} different, detail {details[0] or 0:.4f} to {last:.4f}"
    return Answer(words, stamp(json.dumps([(str(point.largest), point.detail) for point in found.points])))


def exact_cm(rows: int, limit: float) -> Answer:
    """Return what `search: exact` proves of misjudged rows, with a minute of CPU (or less) for each k."""
    import k_anonymity

    golden = json.loads(k_anonymity.GOLDEN.read_text())
    table = k_anonymity.adult(golden["columns"]).head(rows)
    return proofs(
        [(f"k = {k}", k_anonymity.policy(golden, k, "CM")) for k in (500, 250, 100, 50, 25)], table, min(limit, 60)
    )


def exact_templates(rows: int, limit: float) -> Answer:
    """Return what `search: exact` proves of Credit Approval with the paper's first template."""
    import paper_data

    data = paper_data.crx()
    rules = [(f"{share}%", paper_data.policy(data, data.top[:1], share)) for share in (90, 70, 50)]
    return proofs(rules, data.table.head(rows), min(limit, 60))


def _within(end: float) -> Callable[[object], bool]:
    """Return whether to go on, as a search asks: until so much CPU has gone."""
    return lambda _: time.process_time() < end


def proofs(jobs: list[tuple[str, d.Policy]], table: pl.DataFrame, limit: float) -> Answer:
    """Return how far exact search proves each of some jobs, in so many seconds of CPU each."""
    words, stamps = [], []
    for name, rules in jobs:
        begin = time.process_time()
        release = d.protect(
            table,
            rules.model_copy(update={"search": "exact"}),
            seed=SEED,
            progress=_within(begin + limit),
        )
        bound = release.plan.bound
        said = "proven" if bound == 1 else f"{1 / bound - 1:.1%} above the bound" if bound else "no bound"
        words.append(f"{name} {said} in {time.process_time() - begin:.0f} s")
        stamps.append(stamp(csv_of(release.table)))
    return Answer(", ".join(words), stamp(" ".join(stamps)))


def local(rows: int, limit: float) -> Answer:
    """Return local recoding of a table made of Adult, as `local.py --command` has it."""
    import k_anonymity
    from adult import expand

    golden = json.loads(k_anonymity.GOLDEN.read_text())
    table = expand(k_anonymity.adult(golden["columns"]), golden["columns"], rows, SEED)
    return protected(table, k_anonymity.policy(golden, 10, "LM").model_copy(update={"recoding": "local"}), limit)


def local_arx(rows: int, limit: float) -> Answer:
    """Return local recoding of Adult with ARX's labels at two k: loss of detail, and seconds of each."""
    import local as local_bench

    table = local_bench.adult().head(rows)
    words, stamps = [], []
    for k in (10, 100):
        begin = time.process_time()
        rules = d.Policy(
            protect=[d.KAnonymity(k=k, over=table.columns)],
            columns=local_bench.hierarchies(table),
            recoding="local",
        )
        release = d.protect(table, rules, seed=SEED, time_limit=limit)
        words.append(f"k = {k}: LM {1 - (release.audit.detail or 0):.4f} in {time.process_time() - begin:.1f} s")
        stamps.append(stamp(csv_of(release.table)))
    return Answer(", ".join(words), stamp(" ".join(stamps)))


if __name__ == "__main__":
    main()
