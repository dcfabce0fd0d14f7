"""The page `docs/papers.md`: the papers beside what comes out here, from kept results; written by `reproduce.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from discreet.version import __version__
from papers import EXPERIMENTS, PAPERS, Experiment

CLAIM = ("what", "paper", "here", "verdict")
VERDICTS = ("same", "holds", "near", "differs")
HEAD = """# The papers beside what comes out here

<!-- Written by `make reproduce` (bench/reproduce.py). Do not edit: change bench/papers*.py and run it again. -->

discreet's methods come from four papers. `make reproduce` runs every experiment of them and writes this page: figure by
figure what the paper prints or says, what comes out here, how close that is, and why it differs where it does.
`make reproduce FULL=1` does so with the papers' own numbers of draws and runs. Data is not shipped: it is looked for in
the folder `DISCREET_DATA`; what is missing is skipped, and the command says where to get it.

- **same**: equal to the last digit that the paper prints.
- **holds**: what the paper says (a bound, a range, an order) is so here.
- **near**: close, but not the same: half a point of an error, 5 points of a share of few cells, a quarter of a rate.
- **differs**: none of these. The reason stands below, as far as it is known.

Claims about time compare machines that are 15 to 25 years apart, and ours may have been busy with other work: they say
no more than that the order of magnitude is right, or is not. A quick run has few draws: single figures vary.

"""


OPEN_ENDS = (
    (
        "Hintoglu, 3.2",
        'HID3 "can be used to suppress a confidential data value from any decision tree algorithm"',
        (
            "done: [CART and C4.5](confidential-cells.md#any-decision-tree), by deleting and generalising, with "
            "thresholds on numbers; `bench/cells.py --trees` compares it with the greedy search"
        ),
    ),
    (
        "Hintoglu, the list of classifiers",
        "others than naive Bayes and ID3: Bayesian networks, perceptron and neural networks, Winnow, bag of words",
        (
            "done, as [adversaries](confidential-cells.md#adversaries) of a policy and in every "
            "[audit](attacks.md#learning-a-value)"
        ),
    ),
    (
        "Iyengar, section 6",
        "columns that are published anyway already tell of the target",
        (
            "done: [`beside`](k-anonymity.md#columns-that-are-published-anyway); on Adult it lowers the errors of "
            "learners for the same k (`bench/beside.py`)"
        ),
    ),
    (
        "Iyengar, section 6",
        "samples, with k among the drawn rows or in the whole table",
        "done: [samples](k-anonymity.md#a-sample-of-the-rows), [stratified](k-anonymity.md#stratified-samples) too",
    ),
    (
        "Iyengar, section 6",
        '"further experiments are needed" with more columns',
        (
            "done for 30 and 60 known columns of made tables: [many known columns](k-anonymity.md#many-known-columns), "
            "`bench/wide.py`"
        ),
    ),
)
"""What the papers leave open: which paper, what, and what became of it."""


def open_ends() -> Iterator[str]:
    """Yield what the papers name as possible or to be done, without an experiment to set beside it."""
    yield "## What the papers leave open"
    yield ""
    yield "What the papers name as possible or to be done, without an experiment of their own, and what became of it."
    yield ""
    yield from table(["paper", "what it leaves open", "here"], [list(line) for line in OPEN_ENDS])
    yield ""


def page(results: dict[str, dict[str, Any]]) -> str:
    """Return the page."""
    chosen = {experiment.name: choose(results.get(experiment.name, {})) for experiment in EXPERIMENTS}
    return HEAD + "\n".join([*summary(chosen), "", *open_ends(), *papers(chosen)]).rstrip() + "\n"


def choose(by_mode: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the mode and the result to show: a full one of this version, else a quick one, else any."""
    full, quick = by_mode.get("full"), by_mode.get("quick")
    if full and (full["version"] == __version__ or not quick):
        return "full", full
    return ("quick", quick) if quick else None


def summary(chosen: dict[str, tuple[str, dict[str, Any]] | None]) -> Iterator[str]:
    """Yield the table of all experiments."""
    yield "## All experiments"
    yield ""
    yield "| experiment | run | same | holds | near | differs |"
    yield "|---|---|---|---|---|---|"
    whole: Counter[str] = Counter()
    for experiment in EXPERIMENTS:
        found = chosen[experiment.name]
        if found is None:
            yield f"| [{experiment.title}](#{anchor(experiment)}) | not run | | | | |"
            continue
        mode, result = found
        counts = Counter(claim["verdict"] for claim in result["claims"])
        whole += counts
        cells = " | ".join(str(counts[verdict] or "") for verdict in VERDICTS)
        yield f"| [{experiment.title}](#{anchor(experiment)}) | {mode} | {cells} |"
    yield f"| **together** | | {' | '.join(str(whole[verdict]) for verdict in VERDICTS)} |"


def anchor(experiment: Experiment) -> str:
    return experiment.name.replace(".", "-")


def papers(chosen: dict[str, tuple[str, dict[str, Any]] | None]) -> Iterator[str]:
    """Yield the sections, one for each paper and one below for each experiment."""
    for key, title in PAPERS.items():
        yield from (f"## {NAMES[key]}", "", title, "")
        for experiment in EXPERIMENTS:
            if experiment.paper == key:
                yield from section(experiment, chosen[experiment.name])


NAMES = {
    "templates": "Privacy templates",
    "k": "k-anonymity by one cut",
    "cells": "Confidential cells against classifiers",
    "rules": "Confidential cells against rules",
}


def section(experiment: Experiment, found: tuple[str, dict[str, Any]] | None) -> Iterator[str]:
    yield from (f"### {experiment.title} {{#{anchor(experiment)}}}", "")
    if found is None:
        yield from (f"Not run: {experiment.skipped}" if experiment.skipped else "Not run yet.", "")
        return
    mode, result = found
    settings = ", ".join(f"{name} {listed(value)}" for name, value in result["settings"].items())
    spent = f"{result['cpu']:,} s of CPU time" if result["cpu"] else "less than a second"
    how = f"{mode.capitalize()} run{f' ({settings})' if settings else ''} of {result['date']}"
    yield f"{how}, discreet {result['version']}, {spent}."
    yield ""
    yield from table(["", "paper", "here", ""], [[claim[name] for name in CLAIM] for claim in result["claims"]])
    yield ""
    if experiment.why:
        yield from (f"Why: {experiment.why}" if differs(result) else experiment.why, "")
    elif differs(result):
        yield from ("Why it differs is not known.", "")
    for figures in result["figures"]:
        yield from (f'??? note "{figures["title"]}"', "")
        yield from (f"    {line}" for line in table(figures["header"], figures["rows"]))
        yield ""


def differs(result: dict[str, Any]) -> bool:
    return any(claim["verdict"] == "differs" for claim in result["claims"])


def listed(value: object) -> str:
    """Return a setting in words."""
    if isinstance(value, list):
        return " ".join(listed(one) for one in value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield line(header)
    yield "|" + "---|" * len(header)
    for row in rows:
        yield line(row)


def line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("*", "\\*").strip() for cell in cells) + " |"


if __name__ == "__main__":
    print(__doc__)
