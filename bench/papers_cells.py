"""The experiments of Hintoglu's thesis: confidential cells against classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from cells import BETTER, COUNTS, ORDERS, mean, saved, tallies
from cells import said as said_of
from cells_data import DATA, DELETING, SUCCESS
from cells_speed import single_cells
from cells_trials import CLASSIFIERS, Tally, shared, together
from papers import Claim, Figures, Outcome, claim
from papers_templates import Here

POINTS = 5
"""Per cent that a share of some hundred cells may be off and still be near."""


def times(data: Sequence[str]) -> Outcome:
    """Measure the CPU time of a cell."""
    found, rows = [], []
    for name in data:
        for method, median, average, _, thesis, _ in single_cells(name):
            rows.append([DATA[name]().title, method, median, average, thesis])
            if method in ("DECP", "INCP", "DROPP", "HID3, tree grown before"):
                found.append(claim(f"{DATA[name]().title}, {method}: ms a cell (another machine)", thesis,
                                   f"{median} (median), {average} (mean)",
                                   holds=float(median) <= float(thesis)))  # fmt: skip
    header = ["", "method", "median ms", "mean ms", "thesis"]
    return Outcome(found, [Figures("CPU milliseconds a cell, counts prepared", header, rows)])


def success(runs: int, cells: int) -> Outcome:
    """Count cells that are not guessed, and changed cells."""
    found: list[Claim] = []
    rows = []
    svm = find_spec("sklearn") is not None
    for name, made in DATA.items():
        data = made()
        hides = ("hide", "hide-G") if len(data.methods) > len(DELETING) else ("hide",)
        of = tallies(Here(), name, [*hides, *data.methods, "NRD"], runs, cells, svm=svm)
        classifiers = CLASSIFIERS if svm else CLASSIFIERS[:2]
        for method in (*hides, *data.methods, "NRD"):
            rows.append(row_of(data.title, method, of[method], classifiers))
            if method in SUCCESS[name]:
                found.append(shares(f"{data.title}, {method}", of[method], SUCCESS[name][method], classifiers))
        found += costs(data.title, {method: mean([t.average for t in tallied]) for method, tallied in of.items()})
    names = [f"not guessed by {classifier}, %" for classifier in CLASSIFIERS]
    header = ["", "method", "rows deleted, %", "changed cells", *names]
    title = f"{runs} runs of {cells} cells; a deleted row is a failure (in brackets: a success)"
    return Outcome(found, [Figures(title, header, rows)])


def row_of(title: str, method: str, of: Sequence[Tally], classifiers: Sequence[str]) -> list[str]:
    row = [title, method, f"{mean([100 * tally.deleted / tally.cells for tally in of]):.0f}"]
    row.append(f"{mean([tally.average for tally in of]):.1f}")
    for classifier in classifiers if method != "NRD" else ():
        held, more = (mean([t.success(classifier, deleted=deleted) for t in of]) for deleted in (False, True))
        row.append(f"{held:.0f} ({more:.0f})")
    return row + [""] * (4 + len(CLASSIFIERS) - len(row))


def shares(what: str, of: Sequence[Tally], printed: Sequence[int], classifiers: Sequence[str]) -> Claim:
    """Compare naive Bayes, ID3 and the SVM that is fed with integers, deleted rows being successes."""
    asked = [*classifiers[:2], *classifiers[3:4]]
    here = [mean([tally.success(classifier, deleted=True) for tally in of]) for classifier in asked]
    off = max(abs(one - other) for one, other in zip(here, printed, strict=False))
    said = "near" if off <= POINTS else "differs"
    names = " / ".join(["naive Bayes", "ID3", "SVM (integers)"][: len(asked)])
    return Claim(f"{what}: % not guessed by {names}", " / ".join(map(str, printed)),
                 " / ".join(f"{share:.0f}" for share in here), said)  # fmt: skip


def costs(title: str, changed: dict[str, float]) -> list[Claim]:
    """Compare what the thesis says of Figure 5.1."""

    def order(*methods: str) -> str:
        return " < ".join(f"{method} {changed[method]:.1f}" for method in sorted(methods, key=changed.__getitem__))

    def ordered(*methods: str) -> bool:
        figures = [changed[method] for method in methods]
        return figures == sorted(figures)

    found = [
        claim(f"{title}: changed cells", "HID3 < DROPP < NRD", order("HID3", "DROPP", "NRD"),
              holds=ordered("HID3", "DROPP", "NRD")),
        claim(f"{title}: DECP and INCP change more than NRD", "yes", order("DECP", "INCP", "NRD"),
              holds=changed["NRD"] < min(changed["DECP"], changed["INCP"])),
    ]  # fmt: skip
    for method in DELETING if "DECP-G" in changed else ():
        general = changed[f"{method}-G"]
        found.append(claim(f"{title}: {method}-G changes slightly more than {method}", "yes",
                           f"{general:.1f} and {changed[method]:.1f}", holds=general >= changed[method]))  # fmt: skip
    return found


def one_after_the_other(runs: int, cells: int) -> Outcome:
    """Protect cells one after the other on one table, and measure how far it is from the original."""
    found, rows = [], []
    for name, made in DATA.items():
        data = made()
        last = {
            method: [together(name, method, cells, [cells], seed)[-1] for seed in range(1, runs + 1)]
            for method in data.methods
        }
        figure = ""
        for what, here, verdict in said_of(last, data.methods):
            if ": " in what:  # the order of the methods; what follows is of the same figure
                figure, _, paper = what.partition(": ")
                found.append(Claim(f"{data.title}, {figure}", paper, here, verdict))
            else:
                found.append(Claim(f"{data.title}, {figure}: {what.strip()}", "yes", here, verdict))
        for method, of in last.items():
            figures = [f"{mean([getattr(one, measure) for one in of]):.4g}" for measure in ORDERS]
            rows.append([data.title, method, *figures])
    header = ["", "method", *(measure.upper() for measure in BETTER)]
    return Outcome(found, [Figures(f"After {cells} cells, means of {runs} runs", header, rows)])


def hybrids(runs: int, cells: int) -> Outcome:
    """Let two methods take turns."""
    found, rows = [], []
    for name, made in DATA.items():
        data = made()
        ends = ("", "-G") if len(data.methods) > len(DELETING) else ("",)
        methods = [f"HID3{end}+{other}{end}" for end in ends for other in ("DROPP", "INCP", "DECP")]
        of = tallies(Here(), name, methods, runs, cells, svm=False)
        for method in methods:
            more = [mean([t.success(classifier, deleted=True) for t in of[method]]) for classifier in CLASSIFIERS[:2]]
            rows.append(row_of(data.title, method, of[method], CLASSIFIERS[:2])[:6])
            said = "same" if min(more) == 100 else "near" if min(more) >= 100 - POINTS else "differs"
            here = " / ".join(f"{share:.0f}" for share in more)
            found.append(Claim(f"{data.title}, {method}: % not guessed by naive Bayes / ID3", "100 / 100", here, said))
        for end in ends:
            order = [f"HID3{end}+{other}{end}" for other in ("DROPP", "INCP", "DECP")]
            changed = {method: mean([tally.average for tally in of[method]]) for method in order}
            here = " < ".join(f"{method} {changed[method]:.1f}" for method in sorted(order, key=changed.__getitem__))
            found.append(claim(f"{data.title}: changed cells", " < ".join(order), here,
                               holds=sorted(order, key=changed.__getitem__) == order))  # fmt: skip
    header = ["", "method", "rows deleted, %", "changed cells", *(f"not guessed by {c}, %" for c in CLASSIFIERS[:2])]
    return Outcome(found, [Figures(f"{runs} runs of {cells} cells", header, rows)])


def enhanced(runs: int, data: Sequence[str]) -> Outcome:
    """Protect many cells at once."""
    found, rows = [], []
    for name in data:
        for method in (method for method in DATA[name]().methods if method.startswith(("DECP", "DROPP"))):
            fewer = []
            for number in COUNTS:
                pairs = [shared(name, method, number, COUNTS[-1], seed) for seed in range(1, runs + 1)]
                line = saved(pairs, number)
                rows.append([f"e-{method}", *line])
                fewer.append(float(line[3]))
            found.append(Claim(f"{DATA[name]().title}, e-{method}: fewer changes than one by one, %", "nearly 50",
                               f"{min(fewer):.0f} to {max(fewer):.0f}",
                               "near" if 35 <= sum(fewer) / len(fewer) <= 65 else "differs"))  # fmt: skip
    header = ["", "cells", "one by one", "at once", "fewer, %", "deleted", "at once", "exposed", "at once"]
    return Outcome(found, [Figures(f"Changed cells, means of {runs} runs", header, rows)])


if __name__ == "__main__":
    print(__doc__)
