"""The best cut of Adult, proven: loss of detail (LM) by exact search, beside what is known of it.

    python bench/exact.py [--k 500 250 100 50] [--seconds 600] [--use LM]

The conditions of the published figures: fewer than k suppressed rows pass. For each k the cut of coordinate search,
the best cut, whether it is proven to be a best one or how far that may be, the CPU time of the proof and how many
sets of cuts it looked at. `--use CM` makes misjudged rows few instead; its bound is weak.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np

import discreet as d
import k_anonymity
from discreet.grouping import cut_problem
from discreet.method import coordinate, exact
from discreet.method.coordinate import Objective
from discreet.method.evaluation import Evaluator
from discreet.pipeline import prepare

PROVEN = {"LM": {500: "0.49062 proven in 19 s", 250: "0.43647 proven in 185 s", 100: "0.36918 proven in 176 s",
                 50: "0.31716, none below 0.30983"}}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=[500, 250, 100, 50])
    parser.add_argument("--seconds", type=float, default=600, help="CPU time for each k")
    parser.add_argument("--kicks", type=int, default=60)
    parser.add_argument("--use", choices=["LM", "CM"], default="LM")
    options = parser.parse_args()
    golden = json.loads(k_anonymity.GOLDEN.read_text())
    evaluator, objective, first = job(golden, 1000, options.use)
    start = coordinate.search(evaluator.problem, evaluator, objective, kicks=0, rng=np.random.default_rng(0))
    exact.search(evaluator.problem, evaluator, objective, start, carry_on=lambda far: far.nodes < 2)  # compiles
    print(f"{'k':>4} {'coordinate':>10} {options.use:>8} {'bound':>8} {'proof':>24} {'CPU s':>7} {'sets':>7}  known")
    for k in options.k:
        evaluator, objective, first = job(golden, k, options.use)
        print(line(evaluator, objective, first, k, options), flush=True)


def job(golden: dict[str, object], k: int, use: str) -> tuple[Evaluator, Objective, Objective | None]:
    """Return what is to be searched, and what is made small."""
    columns = golden["columns"]
    assert isinstance(columns, list)
    rules = k_anonymity.policy(golden, k, use).model_copy(update={"use": d.Classify("income")})
    task = prepare(k_anonymity.adult(columns), rules).task
    problem = cut_problem(task.bound, task.columns, list(rules.promises()), task.counted)
    evaluator = Evaluator(problem, few_may_pass=True)
    row, total = evaluator.units.per_row, problem.total
    wrong = row * total + 1
    if use == "CM":
        return evaluator, Objective(1, row, (wrong,), total), Objective(-1, -row, (wrong,), total)
    return evaluator, Objective(1, row, (0,), total), None


def line(
    evaluator: Evaluator, objective: Objective, first: Objective | None, k: int, options: argparse.Namespace
) -> str:
    """Search twice; return what was found."""
    problem = evaluator.problem

    def measure(cost: int) -> float:
        if options.use == "CM":
            return cost // objective.weights[0] / problem.total
        return evaluator.units.share(cost, problem.total)

    start = coordinate.search(
        problem, evaluator, objective, first=first, kicks=options.kicks, rng=np.random.default_rng(0)
    )
    begin = time.process_time()
    proof = exact.search(
        problem, evaluator, objective, start, carry_on=lambda _: time.process_time() - begin < options.seconds
    )
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
