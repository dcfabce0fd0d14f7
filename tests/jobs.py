"""Random tables with random policies, and the bank example: what many tests are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

import discreet as d
from discreet.policy import Inference
from tests.conftest import load_golden

BANK_COLUMNS = ["Job", "Country", "Child", "Bankruptcy", "Rating"]


def inferences(policy: d.Policy) -> list[Inference]:
    """The templates of a policy, one property each."""
    return [promise for promise in policy.promises() if isinstance(promise, Inference)]


def by(search: str) -> dict[str, Any]:
    """What a policy says to be searched so: globally, with a small population where there is one, or locally."""
    genetic = {"genetic": {"population": 10, "iterations": 40}} if search == "genetic" else {}
    return {"recoding": "local"} if search == "local" else {"search": search, **genetic}


def templates(policy: d.Policy) -> list[d.Template]:
    """The templates of a policy as they are written."""
    return [requirement for requirement in policy.protect if isinstance(requirement, d.Template)]


def bank() -> pl.DataFrame:
    """The 24 bank customers of Wang, Fung and Yu."""
    counted = load_golden("tdd_bank.json")["rows [Job, Country, Child, Bankruptcy, Rating, count]"]
    rows = [row[:5] for row in counted for _ in range(row[5])]
    return pl.DataFrame(rows, schema=BANK_COLUMNS, orient="row")


def bank_policy(at_most: str = "75%", *, use: d.Classify | d.Counts | d.General | None = None) -> d.Policy:
    """Example 2 of the paper."""
    template = d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most=at_most)
    return d.Policy(use=use or d.Classify("Rating"), protect=[template])


def two_templates(at_most: str = "50%", *, use: d.Classify | d.Counts | None = None) -> d.Policy:
    """Example 3 of the paper."""
    return d.Policy(
        use=use or d.Classify("Rating"),
        protect=[
            d.Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most=at_most),
            d.Template(given=["Job", "Child"], infer={"Bankruptcy": "Discharged"}, at_most=at_most),
        ],
    )


@dataclass(frozen=True)
class Job:
    """A random table with a random policy on it."""

    columns: list[str]
    rows: list[tuple[str | None, ...]]
    policy: d.Policy

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=dict.fromkeys(self.columns, pl.String), orient="row")


_VALUES: dict[str, Sequence[str | None]] = {
    "a": ["p", "q", "r", None],
    "b": ["x", "", "007"],
    "c": ["u", "é", "NA", " u", "w"],
    "ill": ["yes", "no"],
    "poor": ["yes", "no", None],
    "class": ["1", "2", "3"],
}


@st.composite
def jobs(draw: st.DrawFn, *, most_rows: int = 24) -> Job:
    """Tables with missing, blank and odd values; templates over any columns, sensitive ones and the class included."""
    columns = list(_VALUES)
    row = st.tuples(*(st.sampled_from(list(values)) for values in _VALUES.values()))
    rows = draw(st.lists(row, min_size=1, max_size=most_rows))
    templates = []
    for _ in range(draw(st.integers(1, 3))):
        column = draw(st.sampled_from(["ill", "poor"]))
        given = draw(
            st.lists(st.sampled_from([c for c in columns if c != column]), min_size=1, max_size=4, unique=True)
        )
        occurring = sorted({r[columns.index(column)] for r in rows}, key=lambda value: value or "")
        values = draw(st.lists(st.sampled_from(occurring), min_size=1, max_size=2, unique=True))
        denominator = draw(st.integers(1, 12))
        share = Fraction(draw(st.integers(0, denominator)), denominator)
        templates.append(d.Template(given=given, infer={column: values}, at_most=share))
    uses: list[d.Classify | d.Counts | d.General] = [d.Classify("class"), d.Counts(), d.General()]
    use = draw(st.sampled_from(uses))
    always = draw(st.booleans()) if isinstance(use, d.Classify) else False
    disclosure = d.Disclosure(disclose="always" if always else None)
    return Job(columns, rows, d.Policy(use=use, protect=templates, disclosure=disclosure))


TREE = {"any": {"north": ["oslo", {"finland": ["turku", "espoo"]}], "south": ["rome", "bari"], "nowhere": None}}
_MIXED: dict[str, Sequence[str | None]] = {
    "job": ["p", "q", None],
    "town": ["oslo", "turku", "espoo", "rome", "bari", "?"],
    "age": ["-3", "7", "7.0", "18", "30", "1e2", "?", None],
    "day": ["2023-12-31", "2024-01-01", "2024-02-29", "2024-03-01"],
    "ill": ["yes", "no"],
    "class": ["1", "2", "3"],
    "pay": ["10", "10.5", "-4", "1000"],
}


Use = d.Classify | d.Regress | d.Counts | d.General


@st.composite
def uses_of_cuts(
    draw: st.DrawFn, rows: Sequence[Sequence[str | None]], columns: Sequence[str], inputs: Sequence[str] | None
) -> Use | list[Use]:
    """Every use that a search over cuts serves, with all options; several at once."""
    classes = sorted({str(row[columns.index("class")]) for row in rows})
    costs = {
        one: {other: Fraction(draw(st.integers(0, 6)), 2) if one != other else 0 for other in classes}
        for one in classes
    }
    mattering = any(cost for line in costs.values() for cost in line.values())
    classify = d.Classify(
        "class",
        inputs=inputs,
        costs=costs if mattering and draw(st.booleans()) else None,
        suppressed=draw(st.sampled_from(["one", "group", "dearest"])),
        weight=draw(st.sampled_from([1, "0.5"])),
    )
    regress = d.Regress(
        "pay",
        inputs=inputs,
        by=draw(st.sampled_from(["variance", "median"])),
        suppressed=draw(st.sampled_from(["all", "group"])),
    )
    alone: list[Use] = [classify.model_copy(update={"weight": Fraction(1)}), regress, d.Counts(), d.General()]
    several: list[list[Use]] = [[classify, regress], [regress, d.General(weight=3)], [classify, d.General(), regress]]
    return draw(st.sampled_from(alone) | st.sampled_from(several))


@st.composite
def mixed_jobs(
    draw: st.DrawFn, *, most_rows: int = 20, search: Literal["disclosure", "coordinate", "genetic"] = "disclosure"
) -> Job:
    """Plain, taxonomy, number and date columns; templates and k-anonymity; every use that the search serves."""
    columns = list(_MIXED)
    complete = draw(st.booleans())
    choices = [[v for v in values if v not in (None, "?") or not complete] for values in _MIXED.values()]
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, choices)), min_size=1, max_size=most_rows))
    assume(any(row[columns.index("age")] not in (None, "?") for row in rows))  # a column without numbers is refused
    known = st.lists(
        st.sampled_from([c for c in columns if c not in ("ill", "pay")]), min_size=1, max_size=4, unique=True
    )
    protect: list[d.Template | d.KAnonymity] = []
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.booleans()):
            protect.append(d.KAnonymity(k=draw(st.integers(1, 4)), over=draw(known)))
        else:
            share = Fraction(draw(st.integers(1, 6)), 6)
            value = draw(st.sampled_from(sorted({str(row[columns.index("ill")]) for row in rows})))
            protect.append(d.Template(given=draw(known), infer={"ill": value}, at_most=share))
    inputs = draw(st.none() | st.lists(st.sampled_from(["job", "town", "age", "day"]), min_size=1, unique=True))
    simple: list[d.Classify | d.Regress | d.Counts | d.General] = [
        d.Classify("class", inputs=inputs), d.Regress("pay", inputs=inputs), d.Counts(), d.General(),
    ]  # fmt: skip
    use = draw(st.sampled_from(simple) if search == "disclosure" else uses_of_cuts(rows, columns, inputs))
    always = isinstance(use, d.Classify) and search == "disclosure" and draw(st.booleans())
    targets = d.Policy(use=use, protect=protect, search=search).targets
    changeable = {c for requirement in protect for _, c in requirement.mentions()} - {"ill", *targets}
    kinds = {
        "town": d.Column(taxonomy=TREE),
        "age": d.Column(type="number", ends=draw(st.sampled_from([None, ["0", "18", "20.5", "25"]]))),
        "day": d.Column(type="date"),
    }
    splits: list[Literal["best", "best_valid"]] = ["best", "best_valid"]
    split = draw(st.sampled_from(splits)) if search == "disclosure" else "best_valid"
    policy = d.Policy(
        use=use,
        protect=protect,
        columns={name: column for name, column in kinds.items() if name in changeable},
        missing=None if complete else d.Missing(values=["?"], rows="value"),
        search=search,
        genetic=d.Genetic(population=20, iterations=200) if search == "genetic" else d.Genetic(),
        disclosure=d.Disclosure(disclose="always" if always else None, split=split),
    )
    return Job(columns, rows, policy)
