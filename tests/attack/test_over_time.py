"""Attacks on several releases: what the linker and intersection learn without a ledger, and with it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import discreet as d
from discreet.attack.base import Attack
from discreet.attack.over_time import over_time_attacks
from discreet.attack.run import attack
from discreet.compare.scene import Scene
from discreet.ledger.entry import PastRelease, people_frame
from discreet.ledger.note import LinkedReleases
from discreet.table.source import open_table

POLICY = d.Policy.from_dict(
    {
        "protect": [{"k": 2, "over": ["age"]}, {"infer": {"ill": "HIV"}, "given": ["age"], "at_most": "50%"}],
    }
)
WHO = list("abcd")


def told(age: str, ill: str) -> pl.DataFrame:
    return pl.DataFrame({"age": list(age), "ill": ill.split()})


def attacked(earlier: list[pl.DataFrame], last: pl.DataFrame) -> dict[tuple[str, str], Attack]:
    """Attack a release of four people beside earlier ones."""
    past = tuple(
        PastRelease(f"r{number}", POLICY, tuple(one.columns), people_frame(pl.Series(WHO), one.get_columns()))
        for number, one in enumerate(earlier)
    )
    engine = open_table(last, POLICY)
    scene = Scene(engine, engine, POLICY, linked=LinkedReleases(past, pl.Series(WHO)), seed=1)
    return {(one.name, one.kind): one for one in attack(scene, list(over_time_attacks(scene))).found}


def test_the_linker_picks_everybody_whose_groups_cross() -> None:
    found = attacked([told("xxyy", "HIV flu HIV flu")], told("xyxy", "HIV flu HIV flu"))
    linker = found["linker", "linkage"]
    assert (linker.released.right, linker.released.tries) == (4, 4)
    assert linker.figures["below_k"] == 4
    assert linker.figures["right_with_this_release_alone"] == 2
    assert "4 persons stand" in linker.warnings[0]
    assert found["linker", "inference"].released.right == 4


def test_intersection_needs_no_link() -> None:
    """a: {HIV, flu} then {HIV, cold}: only HIV is in both."""
    found = attacked([told("xxyy", "HIV flu cold ulcer")], told("xyxy", "HIV flu cold ulcer"))
    meet = found["intersection", "inference"]
    assert meet.figures["one_value_left"] == 4
    assert (meet.released.right, meet.released.tries) == (4, 4)
    assert meet.baseline is not None
    assert meet.baseline.right == 1


def test_the_same_release_again_tells_nothing_new() -> None:
    again = told("xxyy", "HIV flu HIV flu")
    found = attacked([again], again)
    assert found["linker", "linkage"].released.right == 2
    assert found["linker", "linkage"].figures["below_k"] == 0
    assert found["intersection", "inference"].figures["one_value_left"] == 0


def test_without_earlier_releases_there_is_nothing_to_link() -> None:
    assert attacked([], told("xxyy", "HIV flu HIV flu")) == {}


@pytest.mark.slow
def test_an_audit_with_a_ledger_has_both(tmp_path: Path) -> None:
    rows = pl.DataFrame({"id": [str(n) for n in range(40)], "age": list("xy" * 20), "ill": ["HIV", "flu"] * 20})
    for year in (1, 2):
        moved = rows.with_columns(pl.col("age").reverse() if year == 2 else pl.col("age"))
        release = d.protect(moved, POLICY, ledger=tmp_path / "l", person="id", seed=1)
        release.write(tmp_path / f"{year}.csv")
        d.Ledger(tmp_path / "l").publish(f"{year}.csv")
    audit = release.attack(time_limit=60, seed=1)
    assert audit.attacks is not None
    assert {"linker", "intersection"} <= {one.name for one in audit.attacks.found}
    assert audit.verification.joint is not None
    assert audit.to_dict()["joint"] == audit.verification.joint.to_dict()
    anew = d.audit_release(tmp_path / "2.csv", POLICY, moved, ledger=tmp_path / "l", person="id", seed=1, time_limit=60)
    assert anew.verification.joint is not None
    assert anew.verification.joint.releases == ("1.csv",)
    assert any("1.csv" in text for text in anew.not_covered)
    assert anew.attacks is not None
    linkers = [
        [one.released for one in found.attacks.found if one.name == "linker"]
        for found in (audit, anew)
        if found.attacks is not None
    ]
    assert linkers[0] == linkers[1]
    with pytest.raises(d.InputError, match="--person"):
        d.audit_release(tmp_path / "2.csv", POLICY, moved, ledger=tmp_path / "l", seed=1)
