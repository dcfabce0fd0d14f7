"""What several releases tell alike of the same persons is one promise for the search, and never more than that."""

from __future__ import annotations

from typing import Any

import polars as pl

import discreet as d
from discreet.encoded import encode
from discreet.ledger.entry import PERSON, PastRelease, people_frame
from discreet.planning.joint import ANY, NOW, PERSONS, JointPast, JointRows
from discreet.planning.past_people import PastPeople

POLICY: dict[str, Any] = {
    "protect": [{"k": 2, "over": ["age"]}, {"infer": {"ill": "HIV"}, "given": ["age"], "at_most": "50%"}]
}


def about(ills: list[str], now: list[str], policy: dict[str, Any] | None = None) -> list[str]:
    """Return what each promise over all releases counts; `ills` has a text of persons for each release before."""
    past = []
    for number, texts in enumerate(ills):
        people = pl.Series(PERSON, list("abcd")[: len(texts.split())])
        frame = people_frame(people, [pl.Series(["x"] * len(people)), pl.Series(texts.split())])
        past.append(PastRelease(str(number), d.Policy.from_dict(POLICY), ("age", "ill"), frame))
    asked = d.Policy.from_dict(policy or POLICY)
    columns = {"age": encode(pl.Series(["x"] * len(now))), "ill": encode(pl.Series(now))}
    rows = JointRows(("age", "ill"), pl.Series(list("abcd")[: len(now)]), columns.__getitem__)
    return [item.about for item in JointPast(PastPeople(past, asked), asked, rows, "now").items()]


def test_what_is_told_alike_is_counted_once() -> None:
    assert about(["HIV flu flu flu"] * 2, ["HIV", "flu", "flu", "flu"]) == [PERSONS, NOW]


def test_what_is_told_otherwise_is_counted_for_itself() -> None:
    assert about(["flu HIV flu flu", "HIV flu flu flu"], ["HIV", "flu", "flu", "flu"]) == [PERSONS, NOW, "0", ANY]
    assert about(["HIV flu flu"], ["HIV", "flu", "flu", "flu"]) == [PERSONS, NOW, "0", ANY]  # somebody is new
    assert about(["HIV flu flu flu"], ["HIV", "flu", "flu"]) == [PERSONS, NOW, "0", ANY]  # somebody is gone


def test_who_says_that_a_value_tells_nothing_counts_it_for_herself() -> None:
    """`flu` tells nothing by the new policy, but something by that of the first release, which promised as well."""
    unknown = {**POLICY, "missing": {"values": ["flu"], "rows": "unknown"}}
    assert about(["HIV flu flu flu"], ["HIV", "flu", "flu", "flu"], unknown).count("0") >= 1
