"""What protection costs a classifier: BE, SE and RE of a data set for chosen and for drawn sensitive columns.

BE is the error on the table as it is, SE on the release, RE on the table without its sensitive columns; all on the
test part, in per cent. The release is made of the whole table before it is split, so both parts are recoded alike.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

import discreet as d
from learners import LEARNERS, encode
from paper_data import BENCHMARKS, THRESHOLDS, Benchmark, policy

SEED = 1


@dataclass(frozen=True)
class Job:
    """Some sensitive columns of a data set, the splits (of so many) to judge them on, and by which learner."""

    data: str
    sensitive: tuple[str, ...]
    splits: tuple[int, ...]
    of: int
    learner: str


@dataclass(frozen=True)
class Outcome:
    """Errors by split: of the table without the sensitive columns, and of each release (None: there is none)."""

    removed: tuple[float, ...]
    released: dict[int, tuple[float, ...] | None]


@dataclass(frozen=True)
class Sample:
    """The errors of one draw, or on one split."""

    base: float
    removed: float
    released: dict[int, float | None]


@dataclass(frozen=True)
class Line:
    """The mean errors of several samples.

    `se` and the differences are means over the samples and the `averaged` thresholds, where there is a release.
    """

    name: str
    sensitive: str
    samples: tuple[Sample, ...]
    averaged: tuple[int, ...]

    @property
    def re(self) -> float:
        return statistics.fmean(sample.removed for sample in self.samples)

    @property
    def pairs(self) -> list[tuple[Sample, float]]:
        """The samples with their SE, once for each threshold that counts and can be kept."""
        return [(s, error) for s in self.samples for h in self.averaged if (error := s.released[h]) is not None]

    @property
    def se(self) -> float:
        return mean(error for _, error in self.pairs)

    @property
    def se_be(self) -> float:
        return mean(error - sample.base for sample, error in self.pairs)

    @property
    def re_se(self) -> float:
        return mean(sample.removed - error for sample, error in self.pairs)

    def at(self, threshold: int) -> float | None:
        """Return the mean SE at one threshold; None when no sample has a release."""
        errors = [error for sample in self.samples if (error := sample.released[threshold]) is not None]
        return statistics.fmean(errors) if errors else None


def mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return statistics.fmean(found) if found else float("nan")


def top_lines(pool: Executor, data: str, base: Sequence[float], learner: str) -> list[Line]:
    """Return TopN: the papers' first N columns are sensitive, judged on every split."""
    benchmark = BENCHMARKS[data]()
    sets = [benchmark.top[:number] for number in range(1, len(benchmark.top) + 1)]
    every = tuple(range(len(base)))
    outcomes = pool.map(measure, [Job(data, chosen, every, len(base), learner) for chosen in sets])
    lines = []
    for chosen, outcome in zip(sets, outcomes, strict=True):
        samples = tuple(_sample(outcome, place, base[place]) for place in every)
        more = chosen[-1] if len(chosen) == 1 else f"and {chosen[-1]}"
        lines.append(Line(f"Top{len(chosen)}", more, samples, benchmark.averaged))
    return lines


def random_lines(pool: Executor, data: str, base: Sequence[float], draws: int, learner: str) -> list[Line]:
    """Return RanN: N sensitive columns drawn at random, each draw judged on the split in turn.

    Equal draws are protected once only.
    """
    benchmark = BENCHMARKS[data]()
    rng = np.random.default_rng(SEED)
    drawn: dict[int, list[tuple[tuple[str, ...], int]]] = {}
    wanted: dict[tuple[str, ...], set[int]] = {}
    for number in range(1, len(benchmark.top) + 1):
        picks = [rng.choice(len(benchmark.columns), number, replace=False) for _ in range(draws)]
        sets = [tuple(benchmark.columns[place] for place in sorted(pick)) for pick in picks]
        drawn[number] = [(chosen, draw % len(base)) for draw, chosen in enumerate(sets)]
        for chosen, split in drawn[number]:
            wanted.setdefault(chosen, set()).add(split)
    jobs = [Job(data, chosen, tuple(sorted(splits)), len(base), learner) for chosen, splits in wanted.items()]
    outcomes = {job.sensitive: (job, outcome) for job, outcome in zip(jobs, pool.map(measure, jobs), strict=True)}
    lines = []
    for number, pairs in drawn.items():
        samples = []
        for chosen, split in pairs:
            job, outcome = outcomes[chosen]
            samples.append(_sample(outcome, job.splits.index(split), base[split]))
        different = len({chosen for chosen, _ in pairs})
        lines.append(Line(f"Ran{number}", f"{different} different", tuple(samples), benchmark.averaged))
    return lines


def measure(job: Job) -> Outcome:
    """Protect at every threshold, and judge."""
    benchmark = BENCHMARKS[job.data]()
    released: dict[int, tuple[float, ...] | None] = {}
    for threshold in THRESHOLDS:
        release = top_down(benchmark, job.sensitive, threshold)
        released[threshold] = None if release is None else judge(job.data, release, job.splits, job.of, job.learner)
    without = benchmark.table.drop(job.sensitive)
    return Outcome(judge(job.data, without, job.splits, job.of, job.learner), released)


def judge(data: str, table: pl.DataFrame, splits: Iterable[int], of: int, learner: str) -> tuple[float, ...]:
    """Return the error of a table of this data set on each of the splits."""
    benchmark, orders = BENCHMARKS[data](), _orders(data, of)
    encoded = encode(table, benchmark.target)
    parts = [np.split(orders[split], [benchmark.train]) for split in splits]
    return tuple(LEARNERS[learner](encoded, train, test) for train, test in parts)


def constant_error(data: str, splits: int) -> float:
    """Return the mean error of always guessing the class most frequent in the training part."""
    benchmark = BENCHMARKS[data]()
    classes = encode(benchmark.table, benchmark.target).classes
    parts = [np.split(classes[order], [benchmark.train]) for order in _orders(data, splits)]
    return mean(100 * float(np.mean(test != np.bincount(train).argmax())) for train, test in parts)


def top_down(benchmark: Benchmark, sensitive: Sequence[str], threshold: int) -> pl.DataFrame | None:
    """Return the release, or None when there can be none."""
    try:
        release = d.protect(benchmark.table, policy(benchmark, sensitive, threshold)).table
    except d.ImpossiblePromise:
        return None
    assert isinstance(release, pl.DataFrame)
    return release


def number_of_splits(data: str, draws: int) -> int:
    return len(_orders(data, draws))


@cache
def _orders(data: str, number: int) -> list[NDArray[np.intp]]:
    return BENCHMARKS[data]().splits(number, SEED)


def _sample(outcome: Outcome, place: int, base: float) -> Sample:
    released = {h: None if errors is None else errors[place] for h, errors in outcome.released.items()}
    return Sample(base, outcome.removed[place], released)


if __name__ == "__main__":
    print(__doc__)
