"""k-anonymity by one cut on large tables: expanded Adult with its taxonomies and numbers, the whole command.

    python bench/k_scalability.py [--sizes 100000 1000000] [--k 10] [--repeat 3]

Every run is a process of its own on a CSV file, beside "Polars reads and writes the same CSV" as a ratio, with its
stages and its peak memory. All eight columns of Adult are known; rows beyond its own are copies with 1 to 8 columns
redrawn at random, so most combinations occur once.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import discreet as d
from adult import expand
from k_anonymity import GOLDEN, adult, policy
from scalability import POLARS, STAGES, one_run, report, timed


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--one", nargs=3, metavar=("TABLE", "POLICY", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_run(*map(Path, options.one))))
        return
    golden = json.loads(GOLDEN.read_text())
    base = adult(golden["columns"])
    rules = {
        "general": policy(golden, options.k, "LM"),
        "classify": policy(golden, options.k, "CM"),
        "k + template": with_template(policy(golden, options.k, "LM")),
    }
    names = [f"{'rows':>10} {'policy':>13} {'combos':>9} {'whole':>7} {'Polars':>7} {'ratio':>6}"]
    print(*names, *(f"{stage:>6}" for stage in STAGES), f"{'peak MB':>8}")
    with tempfile.TemporaryDirectory() as name:
        for rows in options.sizes:
            frame = expand(base, golden["columns"], rows)
            table, out, file = Path(name) / "table.csv", Path(name) / "out.csv", Path(name) / "policy.json"
            frame.write_csv(table)
            combos = frame.select(golden["columns"]).n_unique()
            command = [sys.executable, "-c", POLARS, str(table), str(out)]
            mark = statistics.median(timed(command).seconds for _ in range(options.repeat))
            for kind, rule in rules.items():
                file.write_text(json.dumps(rule.to_dict()))
                command = [sys.executable, __file__, "--one", str(table), str(file), str(out)]
                runs = [report(timed(command)) for _ in range(options.repeat)]
                whole = statistics.median(run["whole"] for run in runs)
                stages = " ".join(f"{statistics.median(run[stage] for run in runs):6.2f}" for stage in STAGES)
                print(f"{rows:>10,} {kind:>13} {combos:>9,} {whole:7.2f} {mark:7.2f} {whole / mark:6.1f} {stages} "
                      f"{max(run['peak'] for run in runs):8.0f}", flush=True)  # fmt: skip


def with_template(rules: d.Policy) -> d.Policy:
    """Return a policy that also limits what is known of the income."""
    (crowd,) = rules.protect
    assert isinstance(crowd, d.KAnonymity)
    template = d.Template(given=list(crowd.over), infer={"income": ">50K"}, at_most="60%")
    return rules.model_copy(update={"protect": (crowd, template)})


if __name__ == "__main__":
    main()
