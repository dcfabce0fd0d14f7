"""Random sequences of releases about persons with several rows, as the slow version and as the ledger have them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON, PastRelease, people_frame
from tests.ledger.sequences import item_of
from tests.reference.releases import Promised
from tests.reference.releases_of_rows import PublishedRows

WHO = [f"p{number}" for number in range(8)]
TEXTS = {"age": ("x", "y", "*"), "job": ("1", "2"), "ill": ("HIV", "flu", "cold", "*")}
ASKED = [
    Promised("k", ("age",), Fraction(2)),
    Promised("k", ("age", "job"), Fraction(2)),
    Promised("template", ("age",), Fraction(1, 2), "ill", "HIV"),
    Promised("any", ("job",), Fraction(2, 3), "ill"),
    Promised("not", ("age",), Fraction(1, 2), "ill", "HIV"),
    Promised("times", ("age",), Fraction(3, 2), "ill", "HIV"),
]


@st.composite
def row_sequences(draw: st.DrawFn, least: int = 1, most: int = 3) -> list[PublishedRows]:
    """Draw up to three releases of persons whose rows come, change and go; with keys, without, or with some."""
    releases = []
    people = WHO[: draw(st.integers(3, len(WHO)))]
    rows = {
        (person, number): {name: draw(st.sampled_from(values)) for name, values in TEXTS.items()}
        for person in people
        for number in range(draw(st.integers(1, 3)))
    }
    keys = draw(st.sampled_from(["all", "none", "some"]))
    for _ in range(draw(st.integers(least, most))):
        linked = keys == "all" or (keys == "some" and draw(st.booleans()))
        columns = [name for name in TEXTS if name == "age" or draw(st.integers(0, 4))]
        found: dict[str, list[tuple[str | None, dict[str, str]]]] = {}
        for (person, number), texts in rows.items():
            if draw(st.integers(0, 4)) == 0:
                name = draw(st.sampled_from(list(TEXTS)))
                texts[name] = draw(st.sampled_from(TEXTS[name]))
            if draw(st.integers(0, 5)):
                told = {name: texts[name] for name in columns}
                found.setdefault(person, []).append((f"r{number}" if linked else None, told))
        if not found:
            found[people[0]] = [("r0" if linked else None, {name: TEXTS[name][0] for name in columns})]
        some = draw(st.lists(st.sampled_from(ASKED), min_size=1, max_size=3, unique=True))
        asked = [one for one in some if {*one.over, *([one.column] if one.column else [])} <= set(columns)]
        releases.append(PublishedRows(found, asked or ASKED[:1], draw(st.booleans())))
    return releases


def policy_of_rows(release: PublishedRows, /, **more: Any) -> d.Policy:
    """Return the policy of a release."""
    unit = {"id": "id"} if release.counts_rows else {"id": "id", "rows": "unknown"}
    protect = [
        {"infer": {one.column: {"not": one.value}}, "given": list(one.over), "at_most": str(one.limit)}
        if one.kind == "not"
        else item_of(one, {})
        for one in release.promises
    ]
    return d.Policy.from_dict({"protect": protect, "unit": unit, **more})


def past_of_rows(releases: list[PublishedRows]) -> list[PastRelease]:
    """Return the same releases as the ledger has them."""
    found = []
    for place, release in enumerate(releases):
        columns = tuple(sorted(release.columns))
        rows = [(person, key, row) for person in sorted(release.rows) for key, row in release.rows[person]]
        texts = [pl.Series([row[name] for _, _, row in rows], dtype=pl.String) for name in columns]
        keyed = all(key is not None for _, key, _ in rows)
        frame = people_frame(
            pl.Series(PERSON, [person for person, _, _ in rows], dtype=pl.String),
            texts,
            rows=pl.Series([key for _, key, _ in rows], dtype=pl.String) if keyed else None,
        )
        found.append(PastRelease(f"release {place}", policy_of_rows(release), columns, frame))
    return found
