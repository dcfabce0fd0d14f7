"""The best cut of Adult, proven: loss of detail (LM) by exact search, or misjudged rows, beside what is known of it.

    python bench/exact.py [--k 500 250 100 50] [--seconds 600] [--use LM]

The conditions of the published figures: fewer than k suppressed rows pass. For each k the cut of coordinate search,
the best cut, whether it is proven to be a best one or how far that may be, the CPU time of the proof and how many
sets of cuts it looked at. `--use CM` makes misjudged rows few instead, and of all such cuts takes the one that loses
least.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import k_anonymity
from discreet.method.cuts import exact
from discreet.method.cuts.objective import Candidate
from k_anonymity import Job

PROVEN = {"LM": {500: "0.49003 proven in 19 s", 250: "0.43647 proven in 185 s", 100: "0.36918 proven in 176 s",
                 50: "0.31716, none below 0.30983"}}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=[500, 250, 100, 50])
    parser.add_argument("--seconds", type=float, default=600, help="CPU time for each k")
    parser.add_argument("--kicks", type=int, default=60)
    parser.add_argument("--use", choices=["LM", "CM"], default="LM")
    options = parser.parse_args()
    golden = json.loads(k_anonymity.GOLDEN.read_text())
    few = job(golden, 1000, options.use)
    proved(few, few.coordinate(kicks=0), lambda far: far.nodes < 2)  # compiles
    print(f"{'k':>4} {'coordinate':>10} {options.use:>8} {'bound':>8} {'proof':>24} {'CPU s':>7} {'sets':>7}  known")
    for k in options.k:
        print(line(job(golden, k, options.use), k, options), flush=True)


def job(golden: dict[str, Any], k: int, use: str) -> Job:
    """Return what is to be searched, and what is made small."""
    return Job.of(k_anonymity.adult(golden["columns"]), k_anonymity.policy(golden, k, use))


def proved(job: Job, start: Candidate, carry_on: Callable[[exact.ExactWatch], bool]) -> exact.Proof:
    """Search for the best of all cuts, from one that is known."""
    return exact.search(job.evaluator.problem, job.evaluator, job.objective, start, carry_on=carry_on)


def line(job: Job, k: int, options: argparse.Namespace) -> str:
    """Search twice; return what was found."""
    total = job.evaluator.problem.total

    def measure(cost: int) -> float:
        if options.use == "CM":
            return cost // job.objective.weights[0] / total
        return job.evaluator.units.share(cost, total)

    start = job.coordinate(options.kicks)
    begin = time.process_time()
    proof = proved(job, start, lambda _: time.process_time() - begin < options.seconds)
    seconds = time.process_time() - begin
    said = "proven best"
    if not proof.proven:
        said = f"at most {proof.best.cost / max(proof.bound, 1) - 1:.2%} above best"
    known = PROVEN.get(options.use, {}).get(k, best_known(options.use, k))
    return (
        f"{k:>4} {measure(start.cost):10.5f} {measure(proof.best.cost):8.5f} {measure(proof.bound):8.5f} {said:>24} "
        f"{seconds:7.1f} {proof.nodes:>7}  {known}"
    )


def best_known(use: str, k: int) -> float | str:
    """Return the best value that earlier searches came to."""
    known = dict(zip(k_anonymity.SIZES, k_anonymity.KNOWN[use, "coordinate"], strict=True))
    return known.get(k, "")


if __name__ == "__main__":
    main()
