"""A laxer limit on suppressed rows never fails where a stricter one succeeds, whatever the search and the use.

And "too many" is said only where it is true: brute force over all cuts of tiny tables agrees.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.coordinate import cut_of
from discreet.planning.prepared import prepare
from tests.jobs import Use
from tests.planning.test_removal import REMOVE, removed_slowly
from tests.profiles import FEW

TREE = {"any": {"north": ["oslo", "turku"], "south": ["rome"]}}
VALUES = {
    "job": ["p", "q", "r"],
    "age": ["1", "2", "21"],
    "town": ["oslo", "turku", "rome"],
    "ill": ["n", "y"],
    "class": ["1", "2"],
    "pay": ["1", "2", "9"],
}
LIMITS = [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(99, 100), Fraction(1)]
SEARCHES: list[Literal["coordinate", "genetic", "exact"]] = ["coordinate", "genetic", "exact"]


@st.composite
def tiny(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A tiny table, and promises about it."""
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, VALUES.values())), min_size=1, max_size=7))
    table = pl.DataFrame(rows, schema=dict.fromkeys(VALUES, pl.String), orient="row")
    protect: list[d.KAnonymity | d.Template] = []
    for _ in range(draw(st.integers(1, 2))):
        known = draw(st.lists(st.sampled_from(["job", "age", "town"]), min_size=1, max_size=2, unique=True))
        if draw(st.booleans()):
            protect.append(d.KAnonymity(k=draw(st.integers(1, 4)), over=known))
        else:
            value = draw(st.sampled_from(sorted(set(table["ill"].to_list()))))
            share = draw(st.sampled_from([Fraction(n, 4) for n in range(5)] + [Fraction(1, 3)]))
            protect.append(d.Template(given=known, infer={"ill": value}, at_most=share))
    kinds = {"age": d.Column(type="number"), "town": d.Column(taxonomy=TREE)}
    mentioned = {column for requirement in protect for _, column in requirement.mentions()}
    columns = {name: kind for name, kind in kinds.items() if name in mentioned and draw(st.booleans())}
    return table, {"protect": protect, "columns": columns}


@st.composite
def uses(draw: st.DrawFn, table: pl.DataFrame) -> Use | list[Use]:
    """Uses to which a row may be worth less than nothing, too."""
    costs: Mapping[str, Mapping[str, object]] | None = None
    if table["class"].n_unique() == 2:
        costs = {"1": {"2": 5}, "2": {"1": Fraction(1, 2)}}
    choices: list[Use | list[Use]] = [
        d.General(),
        d.Counts(),
        d.Classify("class"),
        d.Classify("class", costs=costs),
        d.Classify("class", costs=costs, suppressed="dearest"),
        d.Classify("class", suppressed="group"),
        d.Regress("pay"),
        [d.Classify("class", costs=costs), d.Regress("pay", by="median")],
    ]
    return draw(st.sampled_from(choices))


def released(table: pl.DataFrame, policy: d.Policy, **options: Any) -> bool | None:
    """Whether there is a release; None where no limit would help."""
    try:
        release = d.protect(table, policy, seed=1, **options)
    except d.TooManySuppressed:
        return False
    except d.ImpossiblePromise:
        return None
    gone = release.audit.suppressed + release.audit.removed
    assert gone <= floor(policy.suppress.limit * len(table))
    assert release.audit.rows
    return True


def fewest_removed(table: pl.DataFrame, policy: d.Policy) -> int:
    """How few rows any cut removes, by trying all of them."""
    task = prepare(table, policy).task
    cuts = cuts_of([column.space for column in task.columns], [column.pinned for column in task.columns])
    fewest = len(table)
    for line in product((0, 1), repeat=cuts.length):
        bits = np.array(line, dtype=np.uint8)
        if cuts.is_valid(bits):
            recoded = table
            for column, firsts in zip(task.columns, cut_of(bits, cuts), strict=True):
                part = dict(zip(column.domain, firsts[column.codes].tolist(), strict=True))
                recoded = recoded.with_columns(pl.Series(column.name, [part[value] for value in table[column.name]]))
            fewest = min(fewest, len(removed_slowly(recoded, policy)))
    return fewest


def at_each_limit(table: pl.DataFrame, said: dict[str, Any], **options: Any) -> list[bool | None]:
    rows = said.pop("rows")
    every = (d.Policy(**said, suppress=d.Suppress(limit=limit, rows=rows)) for limit in LIMITS)
    return [released(table, policy, **options) for policy in every]


@pytest.mark.parametrize("search", SEARCHES)
@FEW
@given(tiny(), st.sampled_from(["mask", "remove"]), st.data())
def test_what_a_limit_allows_a_laxer_one_does(
    search: Any, job: tuple[pl.DataFrame, dict[str, Any]], rows: Any, data: st.DataObject
) -> None:
    table, said = job
    said |= {"use": data.draw(uses(table)), "search": search}
    said |= {"genetic": d.Genetic(population=20, iterations=200)} if search == "genetic" else {}
    found = at_each_limit(table, {**said, "rows": rows})
    if None in found:
        assert set(found) == {None}
        return
    assert found == sorted(found, key=bool)
    if rows == "remove":
        fewest = fewest_removed(table, d.Policy(**said, suppress=REMOVE))
        assert found == [fewest <= min(floor(limit * len(table)), len(table) - 1) for limit in LIMITS]


@FEW
@given(tiny(), st.sampled_from(["mask", "remove"]))
def test_groups_of_their_own_are_found_within_every_laxer_limit_however_early_it_ends(
    job: tuple[pl.DataFrame, dict[str, Any]], rows: Any
) -> None:
    table, said = job
    said |= {"recoding": "local", "rows": rows}
    found = at_each_limit(table, dict(said))
    if None in found:
        assert set(found) == {None}
        return
    assert found == sorted(found, key=bool)
    assert at_each_limit(table, dict(said), time_limit=0) == found


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("limit", ["0", "99%", "100%"])
def test_nothing_is_no_release_however_little_it_costs(search: Any, limit: str) -> None:
    """To remove all three rows costs 3, to misjudge the first 5."""
    table = pl.DataFrame({"a": ["1", "2", "3"], "t": ["p", "q", "q"]})
    policy = d.Policy(
        use=d.Classify("t", costs={"p": {"q": 5}}),
        protect=[d.KAnonymity(k=3, over=["a"])],
        search=search,
        suppress=d.Suppress(rows="remove", limit=limit),
    )
    assert d.protect(table, policy).audit.rows == 3


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("limit", ["70%", "100%"])
def test_a_search_does_not_end_before_there_is_something_to_release(search: Any, limit: str) -> None:
    """With everything hidden too many are ill, and all would have to go."""
    table = pl.DataFrame({"job": ["a", "b", "b"], "ill": ["n", "y", "y"]})
    template = d.Template(given=["job"], infer={"ill": "y"}, at_most="1/3")
    policy = d.Policy(protect=[template], search=search, suppress=d.Suppress(rows="remove", limit=limit))
    release = d.protect(table, policy, time_limit=0)
    assert release.plan.suppressed == (2, 3)
