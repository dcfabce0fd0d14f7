"""Random tables with random policies of every kind, and a checker of releases that shares no code with the product.

Names that engines could read as patterns, values that look like the marker, people with several rows, numbers as
intervals and medians, costs, rows removed up to a limit, every search, confidential cells chosen by their own value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

Row = dict[str, str | None]
ODD_NAMES = ["^a$", "*", "^.*$", "^[$", "a b", "rows", "0", "é", "count", '"', "$1", "a.b"]
VALUES = {
    "plain": ["p", "q", "r", " p", "", "*"],
    "tree": ["oslo", "turku", "rome", "bari"],
    "number": ["1", "2", "3", "8", "13", "21", "2.5"],
}
TREE = {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}
ILL = ["flu", "cold", "hiv", "ulcer"]


@dataclass(frozen=True)
class FuzzJob:
    """A table, a policy as plain data, and what the columns are for."""

    rows: list[Row]
    policy: dict[str, Any]
    known: list[str]
    kinds: dict[str, str]
    secret: str
    target: str
    person: str

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=dict.fromkeys(self.rows[0], pl.String))


@st.composite
def fuzz_jobs(draw: st.DrawFn) -> FuzzJob:
    names = draw(st.lists(st.sampled_from(ODD_NAMES), min_size=6, max_size=6, unique=True))
    known, (secret, target, person) = names[:3], names[3:]
    kinds = {name: draw(st.sampled_from(["plain", "tree", "number"])) for name in known}
    people = draw(st.integers(1, 8))
    cells = {name: st.sampled_from(VALUES[kind]) for name, kind in kinds.items()}
    others = {secret: st.sampled_from(ILL), target: st.sampled_from("uvw"), person: st.integers(1, people).map(str)}
    rows: list[Row] = draw(st.lists(st.fixed_dictionaries({**cells, **others}), min_size=2, max_size=14))
    protect = draw(st.lists(_promise(known, secret, rows), min_size=1, max_size=3))
    grouped = {name for item in protect for name in item.get("over", item.get("given", []))}
    columns = {name: column for name in known if name in grouped and (column := draw(_column(kinds[name])))}
    columns[person] = {"role": "identifier"}
    search = draw(st.sampled_from(["disclosure", "coordinate", "genetic", "exact", "local"]))
    policy: dict[str, Any] = {
        "columns": columns,
        "use": draw(_use(target, sorted({str(row[target]) for row in rows}), search)),
        "protect": protect,
    }
    if search == "local":
        policy["recoding"] = "local"
    else:
        policy["search"] = search
    if search == "genetic":
        policy["genetic"] = {"population": 10, "iterations": 40}
    if search != "disclosure" and draw(st.booleans()):
        policy["suppress"] = {
            "rows": draw(st.sampled_from(["mask", "remove"])),
            "limit": draw(st.sampled_from(["0%", "20%", "60%", "99%", "100%"])),
        }
    has_marker = any("*" in row.values() for row in rows)
    if has_marker or draw(st.booleans()):
        policy["missing"] = {"values": ["*"] if has_marker else draw(st.sampled_from([[""], ["p"]])), "rows": "value"}
    return FuzzJob(rows, policy, known, kinds, secret, target, person)


@st.composite
def _column(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    if kind == "tree":
        return {"taxonomy": TREE}
    if kind == "plain":
        return {}
    said: dict[str, Any] = {"type": "number"}
    if draw(st.booleans()):
        said["ends"] = draw(st.sampled_from([[4], [2, 10]]))
    if draw(st.booleans()):
        said["open_ends"] = False
    if draw(st.booleans()):
        said["form"] = draw(st.sampled_from(["interval", "median"]))
    return said


@st.composite
def _use(draw: st.DrawFn, target: str, classes: list[str], search: str) -> Any:
    if search == "local":
        return draw(st.sampled_from(["general", "counts"]))
    classify: dict[str, Any] = {"classify": target}
    if search != "disclosure" and len(classes) > 1 and draw(st.booleans()):
        classify["costs"] = {
            one: {other: draw(st.integers(1, 6)) for other in classes if other != one} for one in classes
        }
    return draw(st.sampled_from(["general", "counts", classify]))


@st.composite
def _promise(draw: st.DrawFn, known: Sequence[str], secret: str, rows: list[Row]) -> dict[str, Any]:
    over = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    kind = draw(st.sampled_from(["k", "k", "template", "template", "cells", "rules"]))
    value = draw(st.sampled_from(rows))[secret]
    if kind == "k":
        return {"k": draw(st.integers(1, 4)), "over": over}
    if kind == "template":
        share = Fraction(draw(st.integers(1, 6)), 6)
        return {"infer": {secret: value}, "given": over, "at_most": str(share)}
    chosen: dict[str, Any] = draw(
        st.just({"where": {secret: value}})
        | st.lists(st.integers(1, len(rows)), min_size=1, max_size=2, unique=True).map(lambda some: {"rows": some})
    )
    item = {"column": secret, **chosen, "on_failure": draw(st.sampled_from(["remove", "fail"]))}
    if draw(st.booleans()):
        item["tells"] = draw(st.sampled_from(["refuse", "warn"]))
    if kind == "rules":
        rules = {"min_confidence": "60%", "conditions": over}
        return {**item, "against": [{"rules": rules}], "decoys": draw(st.booleans())}
    if draw(st.booleans()):
        item["decoys"] = draw(st.sampled_from(["50%", "75%"]))
    method = draw(st.sampled_from(["dropp", "decp", "incp"]))
    return {**item, "predictors": over, "against": ["naive_bayes"], "method": method}


def complaints(job: FuzzJob, released: list[Row]) -> list[str]:
    """What is wrong with a release, by counting as one would by hand; nothing where all is well."""
    wrong = []
    if any(job.person in row for row in released):
        wrong.append("the identifier is there")
    for item in job.policy["protect"]:
        if "k" in item:
            smallest = min(Counter(tuple(row[name] for name in item["over"]) for row in released).values())
            wrong += [f"a group of {smallest}"] * (smallest < item["k"])
        elif "infer" in item:
            wrong += _too_sure(job, item, released)
        elif item.get("tells", "refuse") == "refuse":
            wrong += _told(job, item, released)
    if len(released) == len(job.rows):
        wrong += [f"row {at} is not the truth" for at, (row, was) in enumerate(zip(released, job.rows, strict=True), 1)
                  if not all(_covers(job, name, row[name], was[name]) for name in row)]  # fmt: skip
    return wrong


def _too_sure(job: FuzzJob, item: dict[str, Any], released: list[Row]) -> list[str]:
    """Groups in which a property is too frequent: among the rows whose cell is not hidden, and among all."""
    ((secret, value),) = item["infer"].items()
    all_rows: Counter[tuple[str | None, ...]] = Counter()
    hits, hidden = all_rows.copy(), all_rows.copy()
    for row in released:
        group = tuple(row[name] for name in item["given"])
        all_rows[group] += 1
        hits[group] += row[secret] == value
        hidden[group] += row[secret] == "*"
    limit = Fraction(item["at_most"])
    return ["too sure" for group in all_rows if hits[group] > limit * (all_rows[group] - hidden[group])]


def _told(job: FuzzJob, item: dict[str, Any], released: list[Row]) -> list[str]:
    """Two or more hidden cells that all have one value, which no released row has."""
    if len(released) != len(job.rows):
        return []
    hidden = [was[job.secret] for row, was in zip(released, job.rows, strict=True) if row[job.secret] == "*"]
    left = {row[job.secret] for row in released}
    return ["the marker tells the value"] if len(hidden) > 1 and len(set(hidden)) == 1 and hidden[0] not in left else []


def _covers(job: FuzzJob, name: str, now: str | None, was: str | None) -> bool:
    """Whether a released text is the original one, or covers it; medians and intervals are only looked at roughly."""
    if now in (was, "*"):
        return True
    if job.kinds.get(name) == "tree":
        return now == "any" or was in TREE["any"].get(str(now), [])
    return job.kinds.get(name) == "number"
