"""Every experiment of the four papers: which figure it is, what data it needs, how it is run quickly and in full.

Nothing heavy is imported here: an experiment names the module and the function that runs it (`papers_*.py`), and what
the function is given. `reproduce.py` runs them, `papers_page.py` writes the page.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(os.environ.get("DISCREET_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
UCI = "UCI Machine Learning Repository"
WHERE = {
    "adult.data": f"{UCI}, Adult, doi:10.24432/C5XW20",
    "adult.test": f"{UCI}, Adult, doi:10.24432/C5XW20",
    "crx-split/crx.data": f"{UCI}, Credit Approval, doi:10.24432/C5FS30: the first 490 lines of crx.data",
    "crx-split/crx.test": f"{UCI}, Credit Approval, doi:10.24432/C5FS30: the last 200 lines of crx.data",
    "german.data": f"{UCI}, Statlog (German Credit Data), doi:10.24432/C5NC77",
    "breast-cancer-wisconsin.data": f"{UCI}, Breast Cancer Wisconsin (Original), doi:10.24432/C5HP4Z",
    "car.data": f"{UCI}, Car Evaluation, doi:10.24432/C5JP48",
}
"""Where to get each file; all are public (CC BY 4.0)."""
ADULT = ("adult.data", "adult.test")
CRX = ("crx-split/crx.data", "crx-split/crx.test")
CELLS = ("breast-cancer-wisconsin.data", "car.data")


@dataclass(frozen=True)
class Claim:
    """What a paper prints or says, what comes out here, and how close that is."""

    what: str
    paper: str
    here: str
    verdict: str
    """same, holds, near, differs, or empty where the paper says nothing that could be compared."""


@dataclass(frozen=True)
class Figures:
    """A table of figures."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Outcome:
    """What an experiment came to."""

    claims: Sequence[Claim]
    figures: Sequence[Figures] = ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def claim(what: str, paper: str, here: str, *, holds: bool) -> Claim:
    """Return a claim that either holds or does not."""
    return Claim(what, paper, here, "holds" if holds else "differs")


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper."""

    name: str
    paper: str
    title: str
    run: str = ""
    """MODULE:FUNCTION."""
    needs: tuple[str, ...] = ()
    always: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    full: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    """Why figures differ, as far as is known."""
    alone: bool = False
    """Whether it measures time, so that nothing may run beside it."""
    skipped: str = ""
    """Why it cannot be run anywhere."""

    def settings(self, mode: str) -> Mapping[str, Any]:
        return self.full if mode == "full" else self.quick

    def missing(self) -> list[str]:
        """Return the files that are not there."""
        return [name for name in self.needs if not (DATA / name).is_file()]

    def outcome(self, mode: str) -> Outcome:
        """Run it here and now."""
        module, _, function = self.run.partition(":")
        found = getattr(importlib.import_module(module), function)(**self.always, **self.settings(mode))
        assert isinstance(found, Outcome)
        return found


PAPERS = {
    "templates": "K. Wang, B. C. M. Fung, P. S. Yu, *Handicapping attacker's confidence: an alternative to "
    "k-anonymization* (2006). Its shorter predecessor of 2005 prints the same figures, the scalability for one set of "
    "known columns only.",
    "k": "V. S. Iyengar, *Transforming data to satisfy privacy constraints* (2002)",
    "cells": "A. Azgın Hintoğlu, *Suppressing microdata to prevent classification based inference* (thesis, 2011)",
    "rules": "C. Li, H. Shirani-Mehr, X. Yang, *Protecting individual information against inference attacks in data "
    "publishing* (2007)",
}
FEW = [10, 100, 250, 500]
SIZES = [10, 25, 50, 75, 100, 150, 200, 250, 500]

EXPERIMENTS = (
    Experiment(
        "templates-tables-1-2",
        "templates",
        "Tables 1 and 2: the bank",
        "papers_templates:bank",
    ),
    Experiment(
        "templates-table-3",
        "templates",
        "Table 3: inferences above a threshold",
        "papers_templates:inferences",
        needs=(*CRX, *ADULT, "german.data"),
        why="Adult: the text names four sensitive columns and four known ones. The printed figures are exactly those "
        "of three sensitive columns (marital-status, relationship, education) and other known ones (work class, "
        "occupation, sex, native country), so the paper's table and its text speak of different columns.",
    ),
    Experiment(
        "templates-figure-3-crx",
        "templates",
        "Figures 3a and 3b: Credit Approval (CRX), errors of a classifier",
        "papers_templates:errors",
        needs=CRX,
        always={"data": "crx"},
        quick={"draws": 5},
        full={"draws": 30},
        why="SE is the error on the release, BE on the table as it is, RE on the table without its sensitive columns. "
        "RanN at 50%: no release may show A9 when A10 or A12 is sensitive (of the rows with A9 = t, 63.9% have "
        "A10 = t), and without A9 the error is about 26, whatever the method: the paper's range cannot hold "
        "there; at 70% and 90% it does. One row of the 188 that are judged is half a point: the smallest RE-SE is "
        "one row off. It is not clear whether the paper's seconds are for one release or for all: ours are for "
        "all of them, verification and all.",
    ),
    Experiment(
        "templates-figure-3-adult",
        "templates",
        "Figures 3c and 3d: Adult, errors of a classifier",
        "papers_templates:errors",
        needs=ADULT,
        always={"data": "adult"},
        quick={"draws": 1},
        full={"draws": 30},
        why="The learner is a C4.5 written from the book; the paper's is Quinlan's program.",
    ),
    Experiment(
        "templates-figure-3-german",
        "templates",
        "Figures 3e and 3f: German Credit, errors of a classifier",
        "papers_templates:errors",
        needs=("german.data",),
        always={"data": "german"},
        quick={"draws": 5},
        full={"draws": 30},
        why="The paper's split into 666 and 334 rows is not to be had (it came with an old library of learners): ours "
        "are means over random splits, as many as draws. One split can be off by some points, so single figures "
        "cannot be compared; what the paper concludes can: RE is flat, and SE is lower. That SE is close to RE "
        "for Top1 is not so here. It is not clear whether the paper's seconds are for one release or for all: "
        "ours are for all of them, verification and all.",
    ),
    Experiment(
        "templates-figure-4",
        "templates",
        "Figures 4a and 4b: time for 200,000 to 1,000,000 rows",
        "papers_templates:scale",
        needs=ADULT,
        quick={"sizes": [200_000, 1_000_000], "sets": 1, "repeat": 1},
        full={"sizes": [200_000, 400_000, 600_000, 800_000, 1_000_000], "sets": 5, "repeat": 3},
        alone=True,
        why="Another machine and 20 years: the paper's was a 3 GHz Pentium IV with 1 GB. Seconds are of the whole "
        "command, from the CSV file to the verified release; those of the paper have no verification.",
    ),
    Experiment(
        "k-figure-6",
        "k",
        "Figure 6: misjudged rows (CM) made few",
        "papers_k:cuts",
        needs=("adult.data",),
        always={"figure": "6"},
        quick={"sizes": SIZES, "genetic": [100], "seeds": 1},
        full={"sizes": SIZES, "genetic": SIZES, "seeds": 3},
        why="The paper prints no taxonomy but that of the work class: the others are our own, with as many bits as "
        "the paper's. Many cuts have the same CM and very different LM; of these ours is the one with the "
        "smallest LM, so LM is lower. At k = 250 our cut tells the occupation in place of the age.",
    ),
    Experiment(
        "k-figure-7",
        "k",
        "Figure 7: loss of detail (LM) made small",
        "papers_k:cuts",
        needs=("adult.data",),
        always={"figure": "7"},
        quick={"sizes": SIZES, "genetic": [100], "seeds": 1},
        full={"sizes": SIZES, "genetic": SIZES, "seeds": 3},
        why="The paper prints no taxonomy but that of the work class: the others are our own, with as many bits as "
        "the paper's. CM is not looked at here: it follows from which of many cuts of nearly the same LM is "
        "taken, and from how many rows are suppressed.",
    ),
    Experiment(
        "k-figure-8",
        "k",
        "Figure 8: errors of C4.5 on the releases",
        "papers_k:errors",
        needs=ADULT,
        quick={"sizes": [10, 200, 500], "folds": 2},
        full={"sizes": SIZES, "folds": 10},
        why="Our releases keep a rule that the paper's do not: suppressed rows are a group too. Numbers and intervals "
        "are categories to our learner, to the paper's they were numbers: the table as it is, with 72 ages, is "
        "judged worse for it. Of cuts with nearly the same LM ours tell a little more of the class, so a learner "
        "does slightly better than the commonest class.",
    ),
    Experiment(
        "k-figures-9-10",
        "k",
        "Figures 9 and 10: the genetic search by iteration",
        "papers_k:iterations",
        needs=("adult.data",),
        quick={"count": 500_000},
        full={"count": 500_000},
    ),
    Experiment(
        "k-figures-11-12",
        "k",
        "Figures 11 and 12: a cut used again on new rows",
        "papers_k:reused",
        needs=ADULT,
        quick={"sizes": FEW},
        full={"sizes": SIZES},
    ),
    Experiment(
        "cells-table-5.2",
        "cells",
        "Table 5.2: time for a cell",
        "papers_cells:times",
        needs=CELLS,
        quick={"data": ["car"]},
        full={"data": ["wbc", "car"]},
        alone=True,
        why="The thesis gives milliseconds of a C++ program with its tables prepared beforehand, on a 2.67 GHz "
        "machine. Ours are of Python with compiled loops, and take about twice as long for naive Bayes. HID3 "
        "looks at a whole tree of decisions for each cell, also where the tree is grown before: how the thesis "
        "does that in the time of the others is not known. A busy machine adds to all of them.",
    ),
    Experiment(
        "cells-table-5.3",
        "cells",
        "Table 5.3 and Figure 5.1: cells that are not guessed, and what that costs",
        "papers_cells:success",
        needs=CELLS,
        quick={"runs": 1, "cells": 60},
        full={"runs": 5, "cells": 100},
        why="The thesis says that a deleted row is no success, and prints 100% for methods that must delete rows: "
        "only where deleted rows count as successes do its figures come out nearly. Both counts stand here. It does "
        "not print its taxonomy of WBC, nor k of Top-k, nor how its SVM was fed (one-hot or integers, which decides "
        "the result), nor which cells were drawn. *Hide* changes nothing but the cell: what a figure is to be "
        "compared with.",
    ),
    Experiment(
        "cells-figures-5.2-5.5",
        "cells",
        "Figures 5.2 to 5.5: cells one after the other on one table",
        "papers_cells:one_after_the_other",
        needs=CELLS,
        quick={"runs": 1, "cells": 60},
        full={"runs": 5, "cells": 100},
        why="The figures themselves are lost; the thesis says in words which method costs more. HID3 and DROPP are "
        "close to each other: which of the two is ahead changes with the cells that are drawn. Figures 5.4 and "
        "5.5 need a rule for how a generalised or hidden cell counts in a pair of columns, which the thesis does "
        "not print; by ours a generalised cell counts as the values below it, as the other cells of its column "
        "lie, and generalising does not come out cheaper.",
    ),
    Experiment(
        "cells-figure-5.6",
        "cells",
        "Figure 5.6: two methods together",
        "papers_cells:hybrids",
        needs=CELLS,
        quick={"runs": 1, "cells": 40},
        full={"runs": 5, "cells": 100},
        why="As for Table 5.3: the thesis's 100% needs deleted rows as successes.",
    ),
    Experiment(
        "cells-figure-5.7",
        "cells",
        "Figure 5.7: many cells at once",
        "papers_cells:enhanced",
        needs=CELLS,
        quick={"runs": 1, "data": ["wbc"]},
        full={"runs": 5, "data": ["wbc"]},
        why="The thesis says *nearly 50%* of all of it, without numbers for one method or number of cells. e-DECP "
        "saves more than that here. e-DROPP saves nothing, though its cells are drawn five to a row, so that they "
        "could share what is hidden; why is not known.",
    ),
    Experiment(
        "rules-figures-3a-3c",
        "rules",
        "Figures 3a and 3c: hidden cells by the number of confidential rows",
        "papers_rules:rows",
        needs=("adult.data",),
        quick={"runs": 3},
        full={"runs": 10},
        why="The paper does not say which rows were drawn. Where no rule leads to the occupation of the rows drawn, "
        "nothing has to be hidden, so means of few runs vary much. Ten runs "
        "([measured](confidential-cells.md#measured)) hid 13 cells at 4 rows and 96 at 35, 0.005% and 0.04%: the "
        "first near the paper's, the second a tenth of it. At 35 rows the paper's figure is 1,080 cells; why so "
        "many is not known.",
    ),
    Experiment(
        "rules-figures-3b-3d",
        "rules",
        "Figures 3b and 3d: hidden cells by the least confidence of a rule",
        "papers_rules:confidence",
        needs=("adult.data",),
        quick={"runs": 2},
        full={"runs": 10},
    ),
    Experiment(
        "rules-figure-3e",
        "rules",
        "Figure 3e: hidden cells by the rows of the table, conditions hidden",
        "papers_rules:size",
        needs=("adult.data",),
        quick={"runs": 2},
        full={"runs": 10},
        why="The confidential rows and the conditions are drawn anew at each size. A quick run has few draws, and the "
        "order of neighbouring points is then by chance.",
    ),
    Experiment(
        "rules-figure-3f",
        "rules",
        "Figure 3f: hidden cells by the number of conditions",
        "papers_rules:conditions",
        needs=("adult.data",),
        quick={"runs": 2},
        full={"runs": 10},
        why="Which conditions are taken is drawn anew for each number. A quick run has few draws, and the order of "
        "neighbouring points is then by chance.",
    ),
    Experiment(
        "rules-values",
        "rules",
        "In words: several sensitive values",
        "papers_rules:values",
        needs=("adult.data",),
        quick={"runs": 2},
        full={"runs": 10},
        why="The confidential rows are drawn anew for each number of values, and rules lead to nearly no other "
        "occupation than Prof-specialty: with more values fewer of the drawn rows have it, and less is to be "
        "hidden. The paper does not say how its values were chosen. A quick run has few draws, and the order of "
        "neighbouring points is then by chance.",
    ),
    Experiment(
        "rules-cases",
        "rules",
        "Lemma 1: all cases beside each other",
        "papers_rules:cases",
        needs=("adult.data",),
        quick={"runs": 2},
        full={"runs": 10},
    ),
    Experiment(
        "rules-bank",
        "rules",
        "Figures 3a to 3d on the second data set",
        skipped="The paper's second data set, 30,000 customers of a bank, was never published; the paper names no "
        "source, and there is nowhere to get it.",
    ),
)
BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}


if __name__ == "__main__":
    print(__doc__)
