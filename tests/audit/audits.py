"""Audits to be reported: a rich made-up one, and real ones from the examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import discreet as d
from discreet.attack.base import Attack, Attacked
from discreet.audit.about import About, Sampled
from discreet.audit.audit import Audit
from discreet.audit.public import Facts, ReleaseCounts, Shares, TargetFigure, Terms, ToldCells, errors
from discreet.audit.risk import Risk, RiskSpread
from discreet.common.rates import Rate
from discreet.measure import usefulness
from discreet.measure.cells import CellMeasures
from discreet.measure.learning import LearnedTarget
from discreet.measure.usefulness import Usefulness
from discreet.measure.utility import Bar, ColumnKept, PairKept, Shown, Utility
from discreet.plan.removal import Removal
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import Against, Cell, CellsFound
from discreet.verification.findings import Finding, Truth, Verification, Worst
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
COLUMNS = ("age", "education", "marital status", "occupation", "hours", "sex", "country", "salary")


@cache
def real(name: str) -> Audit:
    """The audit of an example policy on its table."""
    return d.protect(table_of(name), EXAMPLES / f"{name}.yaml", seed=1).audit


def table_of(name: str) -> Path:
    """The table of an example policy."""
    tables = {
        "two_templates": Path(d.__file__).parent / "cli" / "demo" / "bank.csv",
        "clinic_k": EXAMPLES / "clinic.csv",
    }
    return tables.get(name, EXAMPLES / f"{name}.csv")


ATTACKED = ("clinic", "fig2")


@cache
def attacked(name: str) -> Audit:
    """The same with attacks, risk and utility."""
    return d.protect(table_of(name), EXAMPLES / f"{name}.yaml", seed=1).attack(seed=1)


REAL = ("two_templates", "clinic", "clinic_k", "bob", "fig2")


def template(rows: int, hits: int, group: dict[str, str | None], hidden: int = 0) -> Worst:
    return Worst(group, rows, hits, hidden, Fraction(hits, rows - hidden), Fraction(3, 5), alone=2)


def crowd(rows: int, group: dict[str, str | None]) -> Worst:
    return Worst(
        group, rows, 1, 0, Fraction(1, rows), Fraction(1, 10), alone=5210 if rows == 1 else 0, kind="k-anonymity"
    )


def _risks() -> tuple[Risk, ...]:
    shares = tuple(i / 20 for i in range(20))
    ends = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
    worst = [
        template(40 + 3 * i, 23 + i, {"education": f"Level {i}", "sex": None if i == 3 else "Male"}) for i in range(8)
    ]
    earlier = [template(3 + i, 3 + i, {"education": "Doctorate", "sex": "Female"}) for i in range(8)]
    return (
        Risk(
            0, "k-anonymity", "age, education, sex: at least 10 rows alike", "10", 30162, 30110, 14210, 812, 21034, 0,
            tuple(crowd(1, {"age": str(20 + i), "education": "Doctorate", "sex": "Female"}) for i in range(6)),
            tuple(crowd(10 + i, {"age": "[65-90]", "education": "Doctorate", "sex": "*"}) for i in range(6)),
            RiskSpread(ends, (5210, 4100, 5200, 6524, 3500, 2600, 1500, 900, 628, 0, 0)),
            RiskSpread(ends, (0, 0, 0, 0, 1420, 3200, 5100, 7300, 8100, 4200, 790)),
        ),
        Risk(
            1, "template", "education, sex -> salary = >50K, at most 60%", "3/5", 30162, 30110, 32, 19, 412, 0,
            tuple(earlier), tuple(worst),
            RiskSpread(
                shares, (0, 900, 99, 4200, 6300, 540, 380, 2500, 1700, 1200, 800, 500, 50, 70, 60, 40, 12, 7, 3, 0)
            ),
            RiskSpread(
                shares, (0, 500, 2400, 4700, 6800, 5900, 3900, 2300, 1500, 1100, 700, 310, 0, 0, 0, 0, 0, 0, 0, 0)
            ),
        ),
    )  # fmt: skip


def _cells() -> CellsFound:
    cells = []
    for i in range(9):
        before = 0.55 + 0.04 * i
        cells.append(Cell(10 + 7 * i, "naive_bayes", Answer.HOLDS, True, 0.2 + 0.03 * i, True, before))
        cells.append(Cell(10 + 7 * i, "id3", Answer.HOLDS, True, 0.1 * (i % 4), i % 2 == 0, 0.5))
    against = (
        Against("naive_bayes", 9, 0, 9, 9, 4),
        Against("id3", 9, 0, 9, 5, 4),
        Against("rules", 9, 1, 9, 6, 4, {"all": 1, "published": 2, "absence": 3, "aware": 6}),
    )
    warnings = ("hidden cells of 'occupation' mostly have one value: whoever knows the method reads it",)
    promise = "occupation of 9 rows, against naive_bayes, id3, rules"
    return CellsFound(2, promise, Answer.HOLDS, tuple(cells), against, warnings=warnings)


def _attacks() -> Attacked:
    known = ("age", "education", "sex")
    found = (
        Attack("linkage", "prosecutor", "knows that the person is in the release, picks a row that looks alike",
               None, known, Rate(41.3, 2000), 30110, baseline=Rate(0.07, 2000), original=Rate(1105.2, 2000),
               requirement=0,
               figures={"largest_probability": 0.1, "smallest_group": 10, "median_size": 87}),
        Attack("linkage", "uniqueness", "rows that nobody shares", None, known, Rate(0, 30110), 30110,
               original=Rate(5210, 30162), requirement=0),
        Attack("inference", "naive_bayes", "naive Bayes trained on the release", "salary", known,
               Rate(1512, 2000), 30110, baseline=Rate(1490, 2000), original=Rate(1620, 2000), control=Rate(1498, 2000),
               control_by="rows held out", requirement=1, notes=("unknown cells are left out",)),
        Attack("inference", "random_forest", "a random forest trained on the release", "salary", known,
               Rate(1690, 2000), 30110, baseline=Rate(1490, 2000), original=Rate(1812, 2000), control=Rate(1580, 2000),
               control_by="rows held out", requirement=1),
        Attack("inference", "look_up", "takes the commonest value of the rows that look alike", "salary", known,
               Rate(1560, 2000), 30110, baseline=Rate(1490, 2000), control=Rate(1545, 2000),
               control_by="their own row left out",
               warnings=("6 suppressed rows all have the same value of 'salary'",)),
        Attack("cells", "naive_bayes", "naive Bayes trained on the release", "occupation", COLUMNS[:3],
               Rate(0, 9), 9, baseline=Rate(4, 9), only_hidden=Rate(9, 9), requirement=2,
               surest=Rate(0, 2), surest_only_hidden=Rate(2, 2)),
        Attack("aware", "refill", "puts back what the method would have hidden for each value", "occupation",
               COLUMNS[:3], Rate(8, 9), 9, baseline=Rate(2, 9), only_hidden=Rate(9, 9), requirement=2,
               surest=Rate(1.5, 2),
               warnings=("whoever knows the method guesses most of the confidential cells of 'occupation'",),
               figures={"changed": 9, "changed_right": 8}, notes=("changes for several cells mix",)),
        Attack("aware", "minimality", "knows that the method discloses whatever it may", "salary", known,
               Rate(0, 0), 0),
    )  # fmt: skip
    return Attacked(found, ("gradient_boosting",), thorough=False, victims=2000, seconds=23.417, notes=("a note",))


def _utility() -> Utility:
    changed = {"age": (0, 30110, 0, 0.21), "education": (18000, 11000, 1110, 0.14), "occupation": (30062, 0, 48, 0.002),
               "country": (2110, 0, 28000, 0.87)}  # fmt: skip
    columns = []
    for n, name in enumerate(COLUMNS):
        unchanged, coarser, hidden, loss = changed.get(name, (30110, 0, 0, 0.0))
        bars = tuple(
            Bar(f"{name} {i}", 0.4 / (i + 1), 0.4 / (i + 1) + (0.04 if i % 2 else -0.03) * (name in changed))
            for i in range(7)
        )
        shown = (*(Shown(f"{name} shown {i}", 0.3 / (i + 1)) for i in range(5)), Shown(None, 0.1))
        columns.append(
            ColumnKept(name, 30110, unchanged, coarser, hidden, 16 + n, 9, loss, 0.05 if name in changed else 0.0,
                       (*bars, Bar(None, 0.03, 0.02)), shown)
        )  # fmt: skip
    pairs = tuple(
        PairKept(one, other, 0.3 / (i + j + 1), 0.22 / (i + j + 1))
        for i, one in enumerate(COLUMNS)
        for j, other in enumerate(COLUMNS[i + 1 :])
    )
    learned = (
        LearnedTarget("salary", "decision tree", "error", 0.181, 0.193, 0.241, 0.249, 9000, ("age", "education")),
        LearnedTarget("salary", "random forest", "error", 0.165, 0.184, 0.238, 0.249, 9000, ("age", "education")),
        LearnedTarget("hours", "boosting", "share of the variance explained", 0.42, 0.37, None, -0.02, 9000),
    )
    return Utility(0.31, tuple(columns), pairs, 30, learned, ("learned on a sample of 20,000 rows",))


def rich() -> Audit:
    """An audit with every part in it."""
    before = (
        Finding(0, "k-anonymity", "age, education, sex: at least 10 rows alike", Answer.BROKEN,
                crowd(1, {"age": "82", "education": "Doctorate", "sex": "Female"})),
        Finding(1, "template", "education, sex -> salary = >50K, at most 60%", Answer.BROKEN,
                template(5, 5, {"education": "Doctorate", "sex": "Female"})),
        Finding(2, "confidential", "occupation of 9 rows, against naive_bayes, id3, rules", Answer.NOT_CHECKABLE,
                reason="give the original"),
    )  # fmt: skip
    after = (
        replace(
            before[0], answer=Answer.HOLDS, worst=crowd(10, {"age": "[65-90]", "education": "Doctorate", "sex": "*"})
        ),
        replace(before[1], answer=Answer.HOLDS, worst=template(61, 36, {"education": "Higher", "sex": "Male"}, 1)),
        replace(before[2], answer=Answer.HOLDS, reason=None, cells=_cells()),
    )
    return Audit(
        verification=Verification(after, Truth(Answer.HOLDS)),
        before=before,
        rows=30110,
        sample=None,
        dropped=2399,
        suppressed=37,
        removed=52,
        drawn=4,
        unseen=0,
        hidden_cells={"age": 37, "education": 1110, "country": 28000, "occupation": 48},
        coarser_cells={"age": 30073, "education": 11000, "country": 0, "occupation": 0},
        detail=0.69,
        bound=0.93,
        usefulness=Usefulness(812, 10, 37.1, 4_812_331, (usefulness.ToldTarget("salary", "CM", 0.172, 0.093, 0.249),)),
        cells=CellMeasures(57, 0.024, 1.013, 0, 0.0008, 0.42, 4, 6, 6, (Removal(2, 48, 9, 240880, 12),)),
        warnings=("no promise speaks of the column 'hours'",),
        not_covered=(
            "whoever also knows hours, country of a person",
            "what can be inferred from several releases together",
        ),
        risk=_risks(),
        utility=_utility(),
        attacks=_attacks(),
        about=About(
            name="adult_release.csv",
            columns=COLUMNS,
            use="predicting salary",
            method="one cut of all columns by the coordinate search, then edits of single cells (DECP)",
            promises=(
                "age, education, sex: at least 10 rows alike",
                "salary = >50K at most 60%",
                "occupation of 9 rows",
            ),
            public=(
                "Whoever knows age, education and sex finds at least 10 rows alike",
                "Whoever knows education and sex is at most 60% sure that salary is >50K",
                "Some cells of occupation are confidential; naive Bayes, ID3 and rules do not guess them",
            ),
            changeable=("age", "education", "country"),
        ),
        public=_public(),
    )


def _public() -> Facts:
    """The public facts of the rich audit, with every part in them."""
    terms = Terms(
        use="predicting salary",
        method="one cut of all columns by the coordinate search, then edits of single cells (DECP)",
        promises=(
            "Whoever knows age, education and sex finds at least 10 rows alike",
            "Whoever knows education and sex is at most 60% sure that salary is >50K",
            "Some cells of occupation are confidential; naive Bayes, ID3 and rules do not guess them",
        ),
        kinds=("k-anonymity", "template", "confidential"),
        changeable=("age", "education", "country"),
        sample=None,
        lots=False,
        shuffled=True,
        not_covered=("whoever also knows hours, country of a person", "what can be inferred from several releases"),
    )
    utility = _utility()
    counted = ReleaseCounts(
        answers=(Answer.HOLDS, Answer.HOLDS, Answer.NOT_CHECKABLE),
        masked=37,
        groups=812,
        smallest=10,
        average=37.1,
        targets=(TargetFigure("salary", "CM", 0.17),),
        told=tuple(ToldCells(one.name, one.unchanged, one.coarser, one.hidden) for one in utility.columns),
        shares=tuple(Shares(one.name, one.shown) for one in utility.columns),
        sizes=((10, _risks()[0].spread_after),),
    )
    return Facts("adult_release.csv", COLUMNS, 30110, terms, counted, errors(utility.learned), "quick")


def sampled(audit: Audit) -> Audit:
    """The same audit of a sample."""
    terms = replace(audit.public.terms, sample=("10%", "sample", ()))
    drawn = Sampled(d.ReleaseOptions(sample=Fraction(1, 10)), 301100)
    return replace(audit, sample=drawn, public=replace(audit.public, terms=terms))


Change = Callable[[str, object], object]


def changed(part: Any, change: Change, path: str = "") -> Any:
    """The same audit with each of its leaves (texts, numbers, answers) as `change` makes them, given their path."""
    if is_dataclass(part) and not isinstance(part, type):
        inside = {one.name: changed(getattr(part, one.name), change, f"{path}.{one.name}") for one in fields(part)}
        return replace(part, **inside)
    if isinstance(part, tuple):
        return tuple(changed(one, change, f"{path}[]") for one in part)
    if isinstance(part, Mapping):
        return {
            change(f"{path}.key".removeprefix("."), key): changed(one, change, f"{path}.value")
            for key, one in part.items()
        }
    return change(path.removeprefix("."), part)


def nasty(text: str) -> Audit:
    """The rich audit with a text before each of its own."""
    kept = ("kind", "kinds[]", "limit", "measure", "asked", "attacked", "sample[]")
    found: Audit = changed(
        rich(), lambda path, value: text + str(value) if type(value) is str and not path.endswith(kept) else value
    )
    return found
