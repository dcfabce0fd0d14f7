"""Random tables with random policies of every kind, and a checker of releases that shares no code with the product.

Names that engines could read as patterns, values that look like the marker, people with several rows, numbers as
intervals and medians, with a top and a bottom, costs, rows shuffled, rows removed up to a limit, every search,
every promise about groups over columns or over any of them, of rows and of persons and among a population, secrets that
are words or numbers, confidential cells chosen by their own value, against trees and other adversaries, a column that
is published anyway (a use may count with it, an adversary read it), samples by strata.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import polars as pl
from hypothesis import strategies as st

import discreet as d
from tests import fuzz_cells, vector_promises
from tests.jobs import by
from tests.people import recoded
from tests.reference import populations

Row = dict[str, str | None]
ODD_NAMES = ["^a$", "*", "^.*$", "^[$", "a b", "rows", "0", "é", "count", '"', "$1", "a.b"]
VALUES = {
    "plain": ["p", "q", "r", " p", "", "*"],
    "tree": ["oslo", "turku", "rome", "bari"],
    "number": ["1", "2", "3", "8", "13", "21", "2.5"],
}
TREE = {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}
ILL = ["flu", "cold", "hiv", "ulcer"]
VECTORS: list[dict[str, Any]] = [
    {"infer": {"any": True}, "at_most": "1/2"},
    {"infer": {"any": True}, "at_most": "2x"},
    {"infer": {"any_but": ["flu"]}, "at_most": "2/5"},
    {"infer": {"not": "hiv"}, "at_most": "3/4"},
    {"infer": "hiv", "at_most": "3/2x"},
    {"l": 2},
    {"l": 2, "kind": "entropy"},
    {"l": 2, "kind": "recursive", "c": 2},
    {"t": "1/3", "distance": "equal"},
    {"t": "1/4", "distance": "ordered", "order": ILL},
]
"""Promises about the secret that count more than one number."""
BESIDE = ["1", "2", "2.5", "13", "", "fell from a ladder", "fell from a horse", "ill at ease now"]
"""Of a column that is published anyway: numbers, nothing, and texts that people wrote."""
PAID = ["100", "104", "110", "180", "250"]
AMOUNTS: list[dict[str, Any]] = [
    {"infer": {"within": 10}, "at_most": "1/2"},
    {"infer": {"within": 4}, "at_most": "2/3"},
    {"infer": {"within": 80}, "at_most": "3/2x"},
    {"infer": {"any": True}, "at_most": "1/2"},
    {"l": 2},
    {"t": "1/4", "distance": "ordered", "order": PAID},
]
"""The same where the secret is a number: how nearly it is known, and what holds of any value."""


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
    beside: str
    people: list[Row]
    """The population that the rows are taken from; empty where no promise counts in one."""

    @property
    def frame(self) -> pl.DataFrame:
        return pl.DataFrame(self.rows, schema=dict.fromkeys(self.rows[0], pl.String))


@st.composite
def fuzz_jobs(draw: st.DrawFn) -> FuzzJob:
    names = draw(st.lists(st.sampled_from(ODD_NAMES), min_size=7, max_size=7, unique=True))
    known, (secret, target, person, beside) = names[:3], names[3:]
    kinds = {name: draw(st.sampled_from(["plain", "tree", "number"])) for name in known}
    people = draw(st.integers(1, 8))
    cells = {name: st.sampled_from(VALUES[kind]) for name, kind in kinds.items()}
    is_amount = draw(st.integers(0, 2)) == 0
    secrets, vectors = (PAID, AMOUNTS) if is_amount else (ILL, VECTORS)
    others = {
        secret: st.sampled_from(secrets),
        target: st.sampled_from("uvw"),
        person: st.integers(1, people).map(str),
        beside: st.sampled_from(BESIDE),
    }
    rows: list[Row] = draw(st.lists(st.fixed_dictionaries({**cells, **others}), min_size=2, max_size=14))
    protect = draw(st.lists(_promise(known, secret, beside, rows, vectors), min_size=1, max_size=3))
    population: list[Row] = []
    if draw(st.integers(0, 3)) == 0:
        population = [{name: row[name] for name in known} for row in rows]
        population += draw(st.lists(st.fixed_dictionaries(cells), max_size=10))
        seen = pl.DataFrame(population, schema=dict.fromkeys(known, pl.String))
        protect.append({**draw(_among(known)), "among": seen})
    grouped = {name for item in protect for name in _all_known(item)}
    columns = {name: column for name in known if name in grouped and (column := draw(_column(kinds[name])))}
    columns[person] = {"role": "identifier"}
    if is_amount and any("within" in str(item.get("infer")) for item in protect):
        columns[secret] = {"type": "number"}
    search = draw(st.sampled_from(["disclosure", "coordinate", "genetic", "exact", "local"]))
    policy: dict[str, Any] = {
        "columns": columns,
        "use": draw(_use(target, beside, sorted({str(row[target]) for row in rows}), search)),
        "protect": protect,
    }
    policy |= by(search)
    if search != "disclosure" and draw(st.booleans()):
        policy["suppress"] = {
            "rows": draw(st.sampled_from(["mask", "remove"])),
            "limit": draw(st.sampled_from(["0%", "20%", "60%", "99%", "100%"])),
        }
    policy["shuffle"] = draw(st.integers(0, 3)) == 0
    if draw(st.integers(0, 3)) == 0 and not any("column" in item or "among" in item for item in protect):
        strata = draw(st.lists(st.sampled_from([*known, secret, beside]), min_size=1, max_size=2, unique=True))
        policy["release"] = {"sample": draw(st.sampled_from(["1/3", "50%", "90%", "100%"])), "by": strata}
    fits_persons = (
        not people
        and all(_holds_of_rows_too(item) for item in protect)
        and any("column" not in item for item in protect)
    )
    if fits_persons and draw(st.booleans()):
        policy["unit"] = person
    has_marker = any("*" in row.values() for row in rows)
    if has_marker or draw(st.booleans()):
        policy["missing"] = {"values": ["*"] if has_marker else draw(st.sampled_from([[""], ["p"]])), "rows": "value"}
    return FuzzJob(rows, policy, known, kinds, secret, target, person, beside, population)


@st.composite
def _column(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    if kind == "tree":
        return {"taxonomy": TREE}
    if kind == "plain":
        return {}
    said: dict[str, Any] = {"type": "number"}
    if draw(st.booleans()):
        said["ends"] = draw(st.sampled_from([[4], [2, 10]]))
    if draw(st.integers(0, 2)) == 0:
        said |= draw(st.sampled_from([{"top": 13}, {"bottom": 1}, {"bottom": 1, "top": 13}, {"top": "20.5"}]))
    elif draw(st.booleans()):
        said["open_ends"] = False
    if draw(st.booleans()):
        said["form"] = draw(st.sampled_from(["interval", "median"]))
    return said


@st.composite
def _use(draw: st.DrawFn, target: str, beside: str, classes: list[str], search: str) -> Any:
    if search == "local":
        return draw(st.sampled_from(["general", "counts"]))
    classify: dict[str, Any] = {"classify": target}
    if search != "disclosure" and len(classes) > 1 and draw(st.booleans()):
        classify["costs"] = {
            one: {other: draw(st.integers(1, 6)) for other in classes if other != one} for one in classes
        }
    if search != "disclosure" and draw(st.integers(0, 3)) == 0:
        return {**classify, "beside": [beside]}
    return draw(st.sampled_from(["general", "counts", classify]))


@st.composite
def _among(draw: st.DrawFn, known: Sequence[str]) -> dict[str, Any]:
    """k-map or membership; among whom is said later."""
    over = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    if draw(st.booleans()):
        return {"k": draw(st.integers(1, 3)), "over": over}
    return {"infer": "membership", "given": over, "at_most": draw(st.sampled_from(["2/3", "9/10", "1"]))}


@st.composite
def _promise(
    draw: st.DrawFn,
    known: Sequence[str],
    secret: str,
    beside: str,
    rows: list[Row],
    vectors: list[dict[str, Any]],
) -> dict[str, Any]:
    over = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
    kind = draw(st.sampled_from(["k", "k", "template", "template", "vector", "vector", "cells", "rules"]))
    value = draw(st.sampled_from(rows))[secret]
    known_ones: Any = over
    if len(over) > 1 and draw(st.integers(0, 3)) == 0:
        known_ones = {"any": draw(st.integers(1, len(over) - 1)), "of": over}
    if kind == "k":
        return {"k": draw(st.integers(1, 4)), "over": known_ones}
    if kind == "template":
        share = Fraction(draw(st.integers(1, 6)), 6)
        return {"infer": {secret: value}, "given": known_ones, "at_most": str(share)}
    if kind == "vector":
        item = draw(st.sampled_from(vectors))
        if "infer" in item:
            return {**item, "infer": {secret: item["infer"]}, "given": known_ones}
        return {**item, "of": secret, "over": known_ones}
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
    predictors = [*over, beside] if draw(st.booleans()) else over
    return {**item, "predictors": predictors, **draw(fuzz_cells.against())}


def _holds_of_rows_too(item: dict[str, Any]) -> bool:
    """Whether a promise that is kept of persons with several rows is kept of these rows: k, and shares of values."""
    if "infer" not in item or "among" in item:
        return "k" in item or "column" in item
    (what,) = item["infer"].values()
    return "x" not in item["at_most"] and (isinstance(what, str) or "not" not in what)


def _all_known(item: dict[str, Any]) -> list[str]:
    """The columns that a promise about groups speaks of, all sets together."""
    said = item.get("over", item.get("given", []))
    return list(said["of"] if isinstance(said, dict) else said)


def _sets(item: dict[str, Any]) -> list[dict[str, Any]]:
    """A promise over any of some columns as one over each set of them."""
    field = "given" if "infer" in item else "over"
    said = item[field]
    sets = combinations(said["of"], said["any"]) if isinstance(said, dict) else [said]
    return [{**item, field: list(some)} for some in sets]


def complaints(job: FuzzJob, released: list[Row], plan: d.Plan) -> list[str]:
    """What is wrong with a release, by counting as one would by hand; nothing where all is well.

    The plan is looked at for what it makes of the people of a population, and for nothing else.
    """
    wrong = _too_few_people(job, released, plan) if job.people else []
    if any(job.person in row for row in released):
        wrong.append("the identifier is there")
    for item in job.policy["protect"]:
        if "among" in item:
            continue
        if "k" in item:
            for one in _sets(item):
                smallest = min(Counter(tuple(row[name] for name in one["over"]) for row in released).values())
                wrong += [f"a group of {smallest}"] * (smallest < item["k"])
        elif "infer" in item and isinstance(item["infer"][job.secret], str) and "x" not in item["at_most"]:
            wrong += [found for one in _sets(item) for found in _too_sure(one, released)]
        elif "infer" in item or "of" in item:
            broken = vector_promises.broken(
                released, _sets(item), {"*", *job.policy.get("missing", {}).get("values", [])}
            )
            wrong += [f"broken: {one}" for one in broken]
        else:
            if item.get("tells", "refuse") == "refuse":
                wrong += _told(job, item, released)
            if "predictors" in item and len(released) == len(job.rows):
                recoded = {name for one in job.policy["protect"] if "column" not in one for name in _all_known(one)}
                wrong += fuzz_cells.guessed(item, job.rows, released, recoded)
    wrong += _odd_sample(job, released)
    wrong += [f"{name}: {row[name]} is told" for name in job.known for row in released if _tells(job, name, row[name])]
    if len(released) == len(job.rows):  # of a sample of all rows, these are all, too
        wrong += [f"row {at} is not the truth" for at, (row, was) in enumerate(zip(released, job.rows, strict=True), 1)
                  if not all(_covers(job, name, row[name], was[name]) for name in row)]  # fmt: skip
    return wrong


def _odd_sample(job: FuzzJob, released: list[Row]) -> list[str]:
    """Whether a sample has another size than was asked for, or strata (told as they are) that lack their share."""
    if "release" not in job.policy or "unit" in job.policy:
        return []
    share, by = Fraction(_as_fraction(job.policy["release"]["sample"])), job.policy["release"]["by"]
    fewer = job.policy.get("suppress", {}).get("rows") == "remove"
    wrong = ["a sample of another size"] * (len(released) > math.floor(share * len(job.rows)))
    wrong += ["a sample of fewer rows"] * (not fewer and len(released) < math.floor(share * len(job.rows)))
    if set(by) & set(job.known):
        return wrong
    drawn, whole = (Counter(tuple(row[name] for name in by) for row in some) for some in (released, job.rows))
    least = {stratum: 0 if fewer or not by else math.floor(share * rows) for stratum, rows in whole.items()}
    off = [one for one in whole if not least[one] <= drawn[one] <= math.ceil(share * whole[one])]
    return wrong + ["a stratum of another share"] * len(off)


def _as_fraction(share: str) -> str:
    return f"{share[:-1]}/100" if share.endswith("%") else share


def _too_few_people(job: FuzzJob, released: list[Row], plan: d.Plan) -> list[str]:
    """Promises among a population that are broken. Masked rows may be about whoever is not released otherwise."""
    items = [item for item in job.policy["protect"] if "column" not in item]
    changing = {name for item in items for name in _all_known(item)}
    masks = job.policy["search"] != "disclosure" and job.policy.get("suppress", {}).get("rows") != "remove"
    masked = {at for at, row in enumerate(released) if masks and all(row[name] == "*" for name in changing)}
    people, wrong = recoded(plan, job.people), []
    for item in items:
        if "among" not in item:
            continue
        try:
            found = populations.beside(released, people, _all_known(item), masked)
        except populations.NotCovered:
            wrong.append("a group has more rows than people")
            continue
        if "k" in item and not populations.k_map(found, item["k"]):
            wrong.append("a group of too few people")
        if "infer" in item and not populations.membership(found, Fraction(item["at_most"])):
            wrong.append("too sure that somebody is there")
    return wrong


def _tells(job: FuzzJob, name: str, now: str | None) -> bool:
    """Whether a text is a number that is only told together with others, or ends with one."""
    said = job.policy["columns"].get(name, {})
    missing = job.policy.get("missing", {}).get("values", [])
    numbers = [Fraction(text) for text in re.findall(r"[\d.]+", now or "")] if now not in missing else []
    beyond = [one for one in numbers if "top" in said and one > Fraction(said["top"])]
    beyond += [one for one in numbers if "bottom" in said and one < Fraction(said["bottom"])]
    alone = now is not None and re.fullmatch(r"[\d.]+", now) is not None and now not in missing
    at_end = [one for one in numbers for end in ("top", "bottom") if end in said and one == Fraction(said[end])]
    return bool(beyond) or (alone and bool(at_end))


def _too_sure(item: dict[str, Any], released: list[Row]) -> list[str]:
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
