"""Random sequences of releases about the same people, as the slow version and as the ledger have them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON, PastRelease, people_frame
from tests.reference.releases import Promised, Published

PEOPLE = [f"p{number:02}" for number in range(14)]
COLUMNS = {"age": ("x", "y", "*"), "job": ("1", "2"), "ill": ("HIV", "flu", "cold", "*")}
NAMES = {"age": ("age", "years")}
"""What a column is called in later releases, where it has another name."""
PROMISED = [
    Promised("k", ("age",), Fraction(2)),
    Promised("k", ("age", "job"), Fraction(3)),
    Promised("template", ("age",), Fraction(1, 2), "ill", "HIV"),
    Promised("any", ("job",), Fraction(2, 3), "ill"),
    Promised("l", ("age", "job"), Fraction(2), "ill"),
    Promised("t", ("job",), Fraction(1, 3), "ill"),
    Promised("times", ("age",), Fraction(3, 2), "ill", "HIV"),
]


def item_of(promise: Promised, named: dict[str, str]) -> dict[str, Any]:
    """Return a promise as a policy has it, in the names of its release."""
    over = [named.get(name, name) for name in promise.over]
    if promise.kind == "k":
        return {"k": int(promise.limit), "over": over}
    if promise.kind == "l":
        return {"l": int(promise.limit), "of": promise.column, "over": over}
    if promise.kind == "t":
        return {"t": str(promise.limit), "of": promise.column, "over": over}
    limit = f"{float(promise.limit)}x" if promise.kind == "times" else str(promise.limit)
    infer = {promise.column: {"any": True} if promise.kind == "any" else promise.value}
    return {"infer": infer, "given": over, "at_most": limit}


@st.composite
def sequences(draw: st.DrawFn, least: int = 1, most: int = 4) -> list[Published]:
    """Draw up to four releases with people who come, change and go, and columns that come, go and get other names."""
    releases: list[Published] = []
    people = PEOPLE[: draw(st.integers(4, len(PEOPLE)))]
    texts = {person: {name: draw(st.sampled_from(values)) for name, values in COLUMNS.items()} for person in people}
    renamed = False
    for _ in range(draw(st.integers(least, most))):
        there = [person for person in people if draw(st.integers(0, 4))] or people[:1]
        columns = [name for name in COLUMNS if name == "age" or draw(st.integers(0, 3))]
        for person in there:
            if draw(st.integers(0, 3)) == 0:
                name = draw(st.sampled_from(list(COLUMNS)))
                texts[person] = {**texts[person], name: draw(st.sampled_from(COLUMNS[name]))}
        fresh = not renamed and bool(releases) and draw(st.integers(0, 3)) == 0
        renamed |= fresh
        named = {"age": "years"} if renamed else {}
        some = draw(st.lists(st.sampled_from(PROMISED), min_size=1, max_size=3, unique=True))
        asked = [one for one in some if {*one.over, *([one.column] if one.column else [])} <= set(columns)]
        asked = [
            Promised(one.kind, tuple(named.get(name, name) for name in one.over), one.limit, one.column, one.value)
            for one in asked or PROMISED[:1]
        ]
        rows = {person: {named.get(name, name): texts[person][name] for name in columns} for person in there}
        releases.append(Published(rows, asked, {"years": "age"} if fresh else {}))
    return releases


def policy_of(release: Published) -> d.Policy:
    """Return the policy of a release."""
    said: dict[str, Any] = {"protect": [item_of(promise, {}) for promise in release.promises]}
    if release.same:
        said["ledger"] = {"same": dict(release.same)}
    return d.Policy.from_dict(said)


def past_of(releases: list[Published]) -> list[PastRelease]:
    """Return the same releases as the ledger has them."""
    found = []
    for place, release in enumerate(releases):
        columns = tuple(sorted(release.columns))
        people = sorted(release.rows)
        texts = [pl.Series([release.rows[person][name] for person in people], dtype=pl.String) for name in columns]
        frame = people_frame(pl.Series(PERSON, people, dtype=pl.String), texts)
        found.append(PastRelease(f"release {place}", policy_of(release), columns, frame))
    return found
