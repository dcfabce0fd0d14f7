"""Attacks on several releases about persons with several rows: the linker, and intersection."""

from __future__ import annotations

import polars as pl

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.over_time import over_time_attacks
from discreet.attack.persons_over_time import persons_over_time_attacks
from discreet.attack.run import attack
from discreet.compare.scene import Scene
from discreet.ledger.entry import PastRelease, people_frame
from discreet.ledger.note import LinkedReleases
from discreet.table.source import open_table

POLICY = d.Policy.from_dict(
    {
        "protect": [{"k": 2, "over": ["ward"]}, {"infer": {"ill": "HIV"}, "given": ["ward"], "at_most": "50%"}],
        "unit": "id",
    }
)
WHO, VISITS = pl.Series(list("aabbccdd")), pl.Series(list("12121212"))


def told(ward: str, ill: str) -> pl.DataFrame:
    return pl.DataFrame({"ward": list(ward), "ill": ill.split()})


def attacked(earlier: list[pl.DataFrame], last: pl.DataFrame, *, keyed: bool) -> dict[tuple[str, str], Attack]:
    """Attack a release of four people with two rows each beside earlier ones."""
    rows = VISITS if keyed else None
    past = tuple(
        PastRelease(f"r{number}", POLICY, ("ward", "ill"), people_frame(WHO, one.get_columns(), rows=rows))
        for number, one in enumerate(earlier)
    )
    engine = open_table(last.with_columns(id=WHO), POLICY)
    released = open_table(last, POLICY)
    scene = Scene(released, engine, POLICY, linked=LinkedReleases(past, WHO, rows), seed=1)
    assert not list(over_time_attacks(scene))
    return {(one.name, one.kind): one for one in attack(scene, list(persons_over_time_attacks(scene))).found}


def test_the_linker_of_rows_knows_who_turned() -> None:
    """Each was in X and Y both years; only d was in Y first in the second: known to whoever links rows."""
    ill = "HIV flu flu flu cold cold flu HIV"
    for keyed, right, below in ((True, 2, 1), (False, 1, 0)):
        found = attacked([told("XYXYXYXY", ill)], told("XYXYXYYX", ill), keyed=keyed)
        linker = found["linker", "linkage"]
        assert (linker.released.right, linker.released.tries) == (right, 4)
        assert (linker.figures["below_k"], linker.figures["right_with_this_release_alone"]) == (below, 1)
        assert len(linker.notes) == (1 if keyed else 2)
        guessed = found["linker", "inference"]
        assert guessed.baseline is not None
        assert guessed.baseline.right == 3  # a, b and d have flu in one of their rows
        assert guessed.released.right == 3


def test_intersection_keeps_what_all_releases_allow_of_a_person() -> None:
    """In the first year a was among {HIV, flu}, in the second among {HIV, cold}: a value of a and b is left alone."""
    first = told("XXXXYYYY", "HIV HIV flu flu cold cold ulcer ulcer")
    second = told("XXYYXXYY", "HIV HIV flu flu cold cold ulcer ulcer")
    meet = attacked([first], second, keyed=False)["intersection", "inference"]
    assert meet.figures["one_value_left"] == 4
    assert (meet.released.right, meet.released.tries) == (4, 4)
    assert meet.figures["right_with_this_release_alone"] == 2
    assert "of 4 persons" in meet.warnings[0]
