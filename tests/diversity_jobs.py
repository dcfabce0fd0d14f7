"""Random tables with policies that ask for l-diversity, alone or beside k and templates, counted by the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

import discreet as d
from tests.jobs import by
from tests.reference import cuts
from tests.reference.disclosure import KAnonymity, Template
from tests.reference.diversity import Diversity, Promise, Row, Silent, all_hidden, broken, silent
from tests.reference.parts import Nested, Number, Tree, Value

GLOBAL = ["disclosure", "coordinate", "genetic", "exact"]
SEARCHES = [*GLOBAL, "local"]
"""Local recoding has a search of its own."""
TREE = {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}
NESTED: Nested = (
    "any",
    (("north", (("oslo", ()), ("turku", ()))), ("south", (("rome", ()), ("bari", ())))),
)
VALUES: dict[str, list[Value]] = {
    "job": ["p", "q", "r"],
    "town": ["oslo", "turku", "rome", "bari"],
    "age": ["1", "2", "3", "8", "13", "21"],
    "ill": ["Qflu", "Qcold", "Qhiv", "Qulcer"],
    "poor": ["yes", "no"],
    "class": ["u", "v"],
}
SENSITIVE = ["ill", "poor"]
"""The columns that promises may be about; who knows other columns may know them too."""


@dataclass(frozen=True)
class DiversityJob:
    """A table and a policy as plain data."""

    rows: list[dict[str, Value]]
    policy: dict[str, Any]

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=dict.fromkeys(VALUES, pl.String))

    @property
    def missing(self) -> frozenset[Value]:
        """The values that are missing, where the policy says so."""
        said = self.policy.get("missing")
        return frozenset() if said is None else frozenset({None, *said["values"]})

    @property
    def counted(self) -> list[dict[str, Value]]:
        """The rows without those that are dropped."""
        drops = self.policy.get("missing", {}).get("rows") == "drop"
        return [row for row in self.rows if not drops or not self.missing & set(row.values())]

    @property
    def quiet(self) -> Silent:
        """The texts that tell nothing."""
        unknown = self.policy.get("missing", {}).get("rows") == "unknown"
        return silent(unknown=self.missing if unknown else ())

    @property
    def promises(self) -> list[Promise]:
        return [promise_of(item) for item in self.policy["protect"]]

    @property
    def changeable(self) -> list[str]:
        """The columns that somebody knows, but for those that promises are about and the target."""
        known = {name for item in self.policy["protect"] for name in item.get("over", item.get("given", []))}
        never = {promise.of for promise in self.promises if isinstance(promise, Diversity)}
        never |= {promise.column for promise in self.promises if isinstance(promise, Template)}
        use = self.policy["use"]
        never |= {use["classify"]} if isinstance(use, dict) else set()
        return [name for name in VALUES if name in known - never]

    @property
    def removes(self) -> bool:
        return bool(self.policy.get("suppress", {}).get("rows") == "remove")

    def broken_in(self, released: Sequence[Row]) -> list[Promise]:
        """The promises that a release breaks."""
        return broken(released, self.promises, self.quiet)

    @property
    def impossible(self) -> list[Promise]:
        """The promises that even the table with everything hidden breaks."""
        return self.broken_in(all_hidden(self.counted, self.changeable))

    @property
    def table(self) -> cuts.Table:
        """The table as the reference cuts it."""
        kinds: dict[str, Tree | Number] = {}
        for name, said in self.policy["columns"].items():
            if "taxonomy" in said:
                kinds[name] = Tree(NESTED)
            elif said.get("type") == "number":
                ends = said.get("ends")
                kinds[name] = Number(None if ends is None else [str(end) for end in ends])
        rows = tuple(tuple(row[name] for name in VALUES) for row in self.counted)
        return cuts.Table(tuple(VALUES), rows, tuple(self.changeable), kinds, self.missing)

    @property
    def weights(self) -> dict[str, Fraction]:
        return {name: Fraction(said["weight"]) for name, said in self.policy["columns"].items() if "weight" in said}


def promise_of(item: dict[str, Any]) -> Promise:
    """An item of `protect` as the reference knows it."""
    if "l" in item:
        return Diversity(tuple(item["over"]), item["of"], item["l"])
    if "k" in item:
        return KAnonymity(tuple(item["over"]), item["k"])
    ((column, value),) = item["infer"].items()
    return Template(tuple(item["given"]), column, value, Fraction(item["at_most"]))


@st.composite
def diversity_jobs(draw: st.DrawFn, search: str, *, most_rows: int = 14, tiny: bool = False) -> DiversityJob:
    """A job for one search; `tiny`: few enough cuts to try them all, the least loss is wanted, no row suppressed."""
    missing = draw(st.sampled_from([None, None, "unknown", "value", "drop"]))
    rows = draw(_rows(missing, 7 if tiny else most_rows))
    columns = draw(st.lists(st.sampled_from(list(VALUES)), min_size=3, max_size=3 if tiny else 6, unique=True))
    policy: dict[str, Any] = {"protect": draw(_protect(rows, columns)), "use": "general"}
    if missing is not None:
        policy["missing"] = {"values": ["?"], "rows": missing}
    if not tiny:
        classify = [] if search == "local" else [{"classify": "class"}]
        policy["use"] = draw(st.sampled_from(["general", "counts", *classify]))
    policy["columns"] = draw(_columns(DiversityJob(rows, policy).changeable, tiny))
    policy |= by(search)
    if search != "disclosure":
        limits = ["0%"] if tiny else ["0%", "30%", "100%"]
        masks_or_not = draw(st.sampled_from(["mask", "remove"]))
        policy["suppress"] = {"rows": masks_or_not, "limit": draw(st.sampled_from(limits))}
    if search in ("coordinate", "genetic") and not tiny and draw(st.integers(0, 3)) == 0:
        policy["search_on"] = "60%"
    return DiversityJob(rows, policy)


@st.composite
def _rows(draw: st.DrawFn, missing: str | None, most: int) -> list[dict[str, Value]]:
    few = draw(st.sampled_from([1, 2, 3, 3, 4, 4]))  # of the illnesses
    least = draw(st.sampled_from([0, 3, 5, most - 1]))
    # Where nothing is said of missing values, a cell without any is a value like any other.
    holes: dict[str, list[Value]] = {"ill": [None]} if missing is None else {"ill": [None, "?"], "job": [None, "?"]}
    cells = {
        name: st.sampled_from([*(values[:few] if name == "ill" else values), *holes.get(name, [])])
        for name, values in VALUES.items()
    }
    whole = {name: st.sampled_from(values) for name, values in VALUES.items()}
    rest = draw(st.lists(st.fixed_dictionaries(cells), min_size=least, max_size=most - 1))
    rows = [draw(st.fixed_dictionaries(whole)), *rest]  # one row at least is left where others are dropped
    if missing == "unknown" and draw(st.integers(0, 4)) == 0:
        return [{**row, "ill": None} for row in rows]  # nothing is known of anybody
    return rows


@st.composite
def _protect(draw: st.DrawFn, rows: list[dict[str, Value]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Promises of l-diversity over some of the columns, most often that of illnesses; others beside them."""
    of = draw(st.sampled_from(["ill", "ill", "ill", "poor"]))

    def known(of: str) -> list[str]:
        """Columns that are fixed where another promise or the use is about them, or are hidden like others."""
        names = [name for name in columns if name != of]
        fewest = draw(st.integers(1, min(2, len(names))))
        return draw(st.lists(st.sampled_from(names), min_size=fewest, max_size=3, unique=True))

    protect: list[dict[str, Any]] = [{"l": draw(st.sampled_from([1, 2, 2, 2, 3, 3, 4])), "of": of, "over": known(of)}]
    beside = draw(st.sampled_from([[], [], ["l"], ["k"], ["template"], ["k", "template"], ["l", "k"]]))
    for kind in beside:
        column = draw(st.sampled_from(SENSITIVE))
        if kind == "l":
            protect.append({"l": draw(st.integers(1, 2)), "of": column, "over": known(column)})
        elif kind == "k":
            protect.append({"k": draw(st.integers(2, 3)), "over": known("ill")})
        else:
            column = column if rows[0][column] is not None else "poor"
            value = rows[0][column]  # this row is never dropped
            share = Fraction(draw(st.integers(2, 6)), 6)
            protect.append({"infer": {column: value}, "given": known(column), "at_most": str(share)})
    return draw(st.permutations(protect))


@st.composite
def _columns(draw: st.DrawFn, changeable: Sequence[str], tiny: bool) -> dict[str, dict[str, Any]]:
    columns: dict[str, dict[str, Any]] = {}
    if "town" in changeable and (tiny or draw(st.booleans())):
        columns["town"] = {"taxonomy": TREE}
    if "age" in changeable and (tiny or draw(st.booleans())):
        columns["age"] = {"type": "number"}
        if tiny or draw(st.booleans()):
            columns["age"]["ends"] = draw(st.sampled_from([[4], [2, 10]]))
    if tiny and "job" in changeable and draw(st.booleans()):
        columns["job"] = {"weight": 3}
    return columns


def policy_of(job: DiversityJob) -> d.Policy:
    return d.Policy.from_dict(job.policy)
