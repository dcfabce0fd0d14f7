"""k-anonymity on Adult by one cut: loss of detail (LM) and misjudged rows (CM) for the paper's nine k.

    python bench/k_anonymity.py [--k 10 25 50 75 100 150 200 250 500] [--searches genetic coordinate] [--seeds 0 1 2]
                                [--figures 6 7 9 10 own] [--picture FILE]

Figures 6 and 7 of Iyengar (2002), under the conditions of the published figures (fewer than k suppressed rows pass,
none is looked at again): CM or LM is made small, the other measure is that of the same cut. Of the genetic search the
best of all seeds, with the paper's population and iterations; beside each the best values known of either search.
Figures 9 and 10: the best value and the number of different cuts by iteration (k = 100; the paper prints no figures).
Last, by the whole of `protect` under our own rule (suppressed rows keep every promise too), verified. Education is a
number, 17 - education-num, as published. Seconds are of one core, compilation aside.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as d
from adult import NAMES, data_folder
from discreet.method.cuts import coordinate, genetic
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.objective import Candidate, Objective
from discreet.planning.objectives import loss_bound, objectives
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden" / "ga_adult.json"
SIZES = [10, 25, 50, 75, 100, 150, 200, 250, 500]
KNOWN = {
    ("LM", "genetic"): [0.21697, 0.26664, 0.31716, 0.34259, 0.36967, 0.39633, 0.42460, 0.43647, 0.49062],
    ("LM", "coordinate"): [0.21584, 0.26664, 0.31716, 0.34259, 0.36918, 0.39633, 0.42460, 0.43647, 0.49003],
    ("CM", "genetic"): [0.17343, 0.17539, 0.17830, 0.18205, 0.18238, 0.18162, 0.18268, 0.18268, 0.18613],
    ("CM", "coordinate"): [0.17343, 0.17539, 0.17830, 0.17983, 0.18069, 0.18162, 0.18162, 0.18162, 0.18613],
}
"""What earlier runs of such searches came to, by measure and search.

CM of coordinate search is the least there is from k = 25 up, as `exact.py --use CM` proves.
"""
FIGURES = {"6": "CM", "7": "LM", "9": "CM", "10": "LM"}
LOOKS = [0, 4_000, 12_000, 20_000, 40_000, 60_000, 100_000, 200_000, 300_000, 400_000, 500_000]


@dataclass(frozen=True)
class Settings:
    """How long the searches are to search."""

    population: int = 5_000
    iterations: int = 500_000
    kicks: int = 60
    seeds: tuple[int, ...] = (0, 1, 2)


@dataclass(frozen=True)
class Scored:
    """A cut by both measures."""

    cut: Cut
    lm: float
    cm: float
    gone: int
    seconds: float = 0.0

    def by(self, aim: str) -> float:
        return self.lm if aim == "LM" else self.cm


@dataclass(frozen=True)
class Job:
    """What is searched and made small under the published conditions, as `protect` does it."""

    evaluator: Evaluator
    objective: Objective
    first: Objective | None

    @classmethod
    def of(cls, table: pl.DataFrame, rules: d.Policy) -> Job:
        task = prepare(table, rules).task
        problem = cut_problem(task.bound, task.columns, list(rules.promises()), task.counted)
        evaluator = Evaluator(problem, few_may_pass=True, largest=loss_bound(problem, rules))
        first, objective = objectives(evaluator, rules, problem.total)
        return cls(evaluator, objective, first)

    def coordinate(self, kicks: int) -> Candidate:
        rng = np.random.default_rng(0)
        problem = self.evaluator.problem
        return coordinate.search(problem, self.evaluator, self.objective, first=self.first, kicks=kicks, rng=rng)


class Published:
    """Adult under the published conditions, for one k."""

    def __init__(self, table: pl.DataFrame, golden: dict[str, Any], k: int) -> None:
        self.jobs = {aim: Job.of(table, policy(golden, k, aim)) for aim in ("LM", "CM")}
        self.evaluator = self.jobs["CM"].evaluator  # classes are counted whatever is made small
        self.problem = self.evaluator.problem

    def score(self, cut: Cut, seconds: float = 0.0) -> Scored:
        outcome, total = self.evaluator.evaluate(cut), self.problem.total
        lost = outcome.lost + outcome.gone * self.evaluator.units.per_row
        return Scored(
            cut,
            self.evaluator.units.share(lost, total),
            (outcome.kept[0] + outcome.dropped[0]) / total,
            outcome.gone,
            seconds,
        )

    def coordinate(self, aim: str, settings: Settings) -> Scored:
        return self._timed(lambda: self.jobs[aim].coordinate(settings.kicks))

    def genetic(
        self,
        aim: str,
        settings: Settings,
        seed: int,
        carry_on: Callable[[genetic.GeneticWatch], bool] = lambda _: True,
    ) -> Scored:
        job = self.jobs[aim]
        return self._timed(
            lambda: genetic.search(
                job.evaluator.problem,
                job.evaluator,
                job.objective,
                population=settings.population,
                iterations=settings.iterations,
                rng=np.random.default_rng(seed),
                carry_on=carry_on,
            )
        )

    def best(self, search: str, aim: str, settings: Settings) -> list[Scored]:
        """Return what one search finds, the best of all seeds first."""
        if search == "coordinate":
            return [self.coordinate(aim, settings)]
        found = [self.genetic(aim, settings, seed) for seed in settings.seeds]
        return sorted(found, key=lambda scored: (scored.by(aim), scored.lm))

    def _timed(self, run: Callable[[], Candidate]) -> Scored:
        begin = time.process_time()
        found = run()
        return self.score(found.cut, time.process_time() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--k", type=int, nargs="+", default=SIZES)
    parser.add_argument("--searches", nargs="+", choices=["genetic", "coordinate"], default=["genetic", "coordinate"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="of the genetic search")
    parser.add_argument("--figures", nargs="+", choices=[*FIGURES, "own"], default=[*FIGURES, "own"])
    parser.add_argument("--population", type=int, default=5_000)
    parser.add_argument("--iterations", type=int, default=500_000)
    parser.add_argument("--kicks", type=int, default=60, help="of the coordinate search")
    parser.add_argument("--picture", type=Path, help="draw figures 9 and 10 to this file (.html, .svg or .png)")
    options = parser.parse_args()
    if options.picture is not None and not find_spec("altair"):
        sys.exit("a picture needs Altair; install discreet[report]")
    settings = Settings(options.population, options.iterations, options.kicks, tuple(options.seeds))
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"])
    compile_all(Published(table, golden, 10))
    for figure in ("6", "7"):
        if figure in options.figures:
            sizes(figure, table, golden, options.k, options.searches, settings)
    watched = [
        (figure, by_iteration(figure, table, golden, settings)) for figure in ("9", "10") if figure in options.figures
    ]
    if options.picture is not None:
        chart(watched).save(options.picture, inline=options.picture.suffix == ".html", scale_factor=2)
    if "own" in options.figures:
        own_rule(table, golden, options.k, options.searches, settings)


def compile_all(published: Published) -> None:
    few = Settings(population=10, iterations=10, kicks=1)
    for aim in ("LM", "CM"):
        published.coordinate(aim, few)
        published.genetic(aim, few, 0)


def sizes(
    figure: str,
    table: pl.DataFrame,
    golden: dict[str, Any],
    chosen: Sequence[int],
    searches: Sequence[str],
    settings: Settings,
) -> None:
    """Print one measure made small at each k, and the other one."""
    aim = FIGURES[figure]
    print(f"Figure {figure}: {aim} made small, published conditions; genetic: best of seeds {list(settings.seeds)}")
    print(f"{'search':>10} {'k':>4} {'LM':>8} {'CM':>8} {'suppressed':>10} {'CPU s':>6} {'worst seed':>10} "
          f"{'known: genetic':>19} {'coordinate':>18}")  # fmt: skip
    for search in searches:
        for k in chosen:
            found = Published(table, golden, k).best(search, aim, settings)
            seconds = sum(scored.seconds for scored in found) / len(found)
            worst = f"{found[-1].by(aim):10.5f}" if len(found) > 1 else " " * 10
            best = found[0]
            known = " ".join(beside(best.by(aim), aim, other, k) for other in ("genetic", "coordinate"))
            print(f"{search:>10} {k:>4} {best.lm:8.5f} {best.cm:8.5f} {best.gone:>10} {seconds:6.1f} {worst} {known}",
                  flush=True)  # fmt: skip
    print()


def beside(found: float, aim: str, search: str, k: int) -> str:
    """Return the best known value and how much larger ours is."""
    if k not in SIZES:
        return " " * 18
    known = KNOWN[aim, search][SIZES.index(k)]
    return f"{known:9.5f} {found - known:+8.5f}"


@dataclass(frozen=True)
class Look:
    """How far a genetic search is."""

    iterations: int
    value: float
    distinct: int


def by_iteration(figure: str, table: pl.DataFrame, golden: dict[str, Any], settings: Settings) -> list[Look]:
    """Print and return the best value and the different cuts so far, by iteration."""
    aim, published = FIGURES[figure], Published(table, golden, 100)
    looks: dict[int, Look] = {}

    def watch(far: genetic.GeneticWatch) -> bool:
        value = published.score(far.best.cut).by(aim)
        looks[far.iterations] = Look(far.iterations, value, far.distinct)
        return True

    published.genetic(aim, settings, settings.seeds[0], watch)
    print(f"Figure {figure}: the best {aim} and the different cuts by iteration; k = 100, seed {settings.seeds[0]}")
    print(f"{'iterations':>10} {aim:>8} {'different':>10}")
    for place in (place for place in looks if place in LOOKS or place == max(looks)):
        print(f"{place:>10,} {looks[place].value:8.5f} {looks[place].distinct:>10,}")
    print(flush=True)
    return list(looks.values())


def chart(watched: Sequence[tuple[str, Sequence[Look]]]) -> Any:
    """Return the curves of figures 9 and 10, as in the paper: the best value and the different cuts."""
    alt: Any = importlib.import_module("altair")

    def curve(figure: str, looks: Sequence[Look], what: str, title: str, dash: list[int]) -> Any:
        values = [{"iterations": look.iterations, what: getattr(look, what)} for look in looks]
        scale = alt.Scale(zero=what == "distinct")
        return (
            alt.Chart(alt.Data(values=values), title=f"Figure {figure}")
            .mark_line(strokeDash=dash)
            .encode(x="iterations:Q", y=alt.Y(f"{what}:Q", title=title, scale=scale))
        )

    figures = [
        alt.layer(
            curve(figure, looks, "value", f"best {FIGURES[figure]} (solid)", [1, 0]),
            curve(figure, looks, "distinct", "different cuts (dashed)", [4, 3]),
        ).resolve_scale(y="independent")
        for figure, looks in watched
    ]
    return alt.hconcat(*figures)


def own_rule(
    table: pl.DataFrame, golden: dict[str, Any], chosen: Sequence[int], searches: Sequence[str], settings: Settings
) -> None:
    """Print what the whole of `protect` comes to."""
    print("The whole of protect: suppressed rows keep every promise too, verified; genetic: one seed")
    print(f"{'search':>10} {'use':>9} {'k':>4} {'LM':>8} {'CM':>8} {'suppressed':>10} {'CPU s':>6}")
    for search in searches:
        for aim in ("LM", "CM"):
            for k in chosen:
                begin = time.process_time()
                release = d.protect(table, policy(golden, k, aim, search, settings), seed=settings.seeds[0])
                seconds = time.process_time() - begin
                assert release.audit.verification.holds
                use = "general" if aim == "LM" else "classify"
                print(f"{search:>10} {use:>9} {k:>4} {1 - (release.audit.detail or 0):8.5f} "
                      f"{misjudged(release, golden):8.5f} {release.audit.suppressed:>10} {seconds:6.1f}",
                      flush=True)  # fmt: skip


def misjudged(release: d.Release, golden: dict[str, Any]) -> float:
    """Return CM of a release: the share of rows that are suppressed or not of their group's most frequent class."""
    assert isinstance(release.table, pl.DataFrame)
    suppressed = pl.Series([number - 1 for number in release.plan.suppressed], dtype=pl.UInt32)
    kept = release.table.with_row_index().filter(~pl.col("index").is_in(suppressed.implode()))
    groups = kept.group_by(*golden["columns"], "income").len().group_by(*golden["columns"]).agg(pl.col("len").max())
    return 1 - float(groups["len"].sum()) / len(release.table)


def adult(columns: list[str], part: str = "adult.data", target: str = "income") -> pl.DataFrame:
    """Return the complete rows of the training part (30,162) or of another."""
    return pl.DataFrame(list(_rows(part)), schema=NAMES, orient="row").select(
        *(_education() if name == "education" else pl.col(name) for name in columns), target
    )


def _rows(part: str) -> Iterator[list[str]]:
    for line in (data_folder(part) / part).read_text().splitlines():
        cells = [cell.strip().rstrip(".") for cell in line.split(",")]
        if len(cells) == len(NAMES) and "?" not in cells:
            yield cells


def _education() -> pl.Expr:
    return (17 - pl.col("education-num").cast(pl.Int64)).cast(pl.String).alias("education")


def policy(
    golden: dict[str, Any], k: int, aim: str, search: str = "coordinate", settings: Settings | None = None
) -> d.Policy:
    def tree(node: Any) -> Any:
        return {node[0]: [tree(child) if isinstance(child, list) else child for child in node[1]]}

    columns = {name: d.Column(taxonomy=tree(node)) for name, node in golden["trees"].items()}
    columns |= {name: d.Column(type="number") for name in ("age", "education")}
    protect = [d.KAnonymity(k=k, over=golden["columns"])]
    use = d.General() if aim == "LM" else d.Classify("income")
    if search != "genetic":
        return d.Policy(use=use, protect=protect, columns=columns)
    chosen = settings or Settings()
    options = d.Genetic(population=chosen.population, iterations=chosen.iterations)
    return d.Policy(use=use, protect=protect, columns=columns, search="genetic", genetic=options)


if __name__ == "__main__":
    main()
