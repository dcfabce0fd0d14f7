"""The experiments of Li, Shirani-Mehr and Yang (2007): confidential cells against association rules, on Adult."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from itertools import pairwise

import rules
from discreet.method.cells.rules import smc
from papers import Claim, Figures, Outcome, claim

CELLS = 240_000
"""Those of seven conditions and the occupation in 30,000 rows."""


def points(name: str, runs: int) -> tuple[dict[str, dict[str, float]], Figures]:
    """Return the hidden cells of each method by what is varied, and all figures."""
    smc(rules.table_of(rules.Setting(marked=2), 0))  # compiles
    with contextlib.redirect_stdout(io.StringIO()):
        found = rules.print_experiment(name, runs)
    by: dict[str, dict[str, float]] = {}
    for point in found:
        hidden = point["hidden"]
        assert isinstance(hidden, float)
        by.setdefault(str(point["method"]), {})[str(point["x"])] = hidden
    methods = list(by)
    rows = [[x, *(f"{by[method][x]:.1f}" for method in methods)] for x in by[methods[0]]]
    title = f"Cells hidden beyond the confidential ones, means of {runs} runs: {rules.EXPERIMENTS[name][1]}"
    return by, Figures(title, [rules.EXPERIMENTS[name][0], *methods], rows)


def rows(runs: int) -> Outcome:
    """Vary the confidential rows."""
    by, figures = points("rows", runs)
    ours = by["SMC"]
    return Outcome(
        [
            rate("SMC hides at 4 confidential rows, % of all cells", 0.006, 100 * ours["4"] / CELLS),
            rate("SMC hides at 35 confidential rows, % of all cells", 0.45, 100 * ours["35"] / CELLS),
            grows("SMC hides more the more rows are confidential", list(ours.values())),
            below("SMC hides less than CR at every number of rows", ours, by["CR"]),
            below("... and than CR, smallest rules first", ours, by["CR small"]),
        ],
        [figures],
    )


def rate(what: str, paper: float, here: float) -> Claim:
    """Compare rates; within a quarter is near."""
    return Claim(what, f"{paper}", f"{here:.4f}", "near" if 0.75 <= here / paper <= 1.25 else "differs")


def grows(what: str, found: Sequence[float]) -> Claim:
    return claim(what, "yes", " ".join(f"{one:.0f}" for one in found), holds=all(a <= b for a, b in pairwise(found)))


def below(what: str, ours: dict[str, float], other: dict[str, float]) -> Claim:
    wins, ties = sum(ours[x] < other[x] for x in ours), sum(ours[x] == other[x] for x in ours)
    here = f"{wins} of {len(ours)}" + (f", {ties} equal" if ties else "")
    return claim(what, "yes", here, holds=wins + ties == len(ours) and wins > 0)


def confidence(runs: int) -> Outcome:
    """Vary the least confidence of a rule that matters."""
    by, figures = points("confidence", runs)
    falling = list(by["SMC"].values())
    return Outcome(
        [
            claim("SMC hides less the higher the least confidence is", "yes", " ".join(f"{x:.0f}" for x in falling),
                  holds=all(a >= b for a, b in pairwise(falling))),
            below("SMC hides less than CR at every confidence", by["SMC"], by["CR"]),
        ],
        [figures],
    )  # fmt: skip


def size(runs: int) -> Outcome:
    """Vary the rows of the table."""
    return case_b("size", "MAX-DESCENDANT hides more the larger the table is", runs)


def conditions(runs: int) -> Outcome:
    """Vary the conditions."""
    return case_b("conditions", "MAX-DESCENDANT hides more the more conditions there are", runs)


def case_b(name: str, what: str, runs: int) -> Outcome:
    by, figures = points(name, runs)
    found = [
        grows(what, list(by["MAX-D"].values())),
        below("MAX-DESCENDANT hides less than CR every time", by["MAX-D"], by["CR"]),
    ]
    return Outcome(found, [figures])


def values(runs: int) -> Outcome:
    """Vary the different values of the confidential cells."""
    by, figures = points("values", runs)
    return Outcome([grows("more different values need more removals", list(by["MAX-D"].values()))], [figures])


def cases(runs: int) -> Outcome:
    """Go through all cases of what may be hidden."""
    by, figures = points("cases", runs)
    best = by["best"]
    pair = [f"{name} {best[name]:.1f}" for name in "agef"]
    found = [
        claim("case g needs as many cells as a, f as many as e (Lemma 1)", "yes", ", ".join(pair),
              holds=best["g"] == best["a"] and best["f"] == best["e"])
    ]  # fmt: skip
    return Outcome(found, [figures])


if __name__ == "__main__":
    print(__doc__)
