"""Promises over several releases, counted anew: equal to the slow version, and to a plain count of the joint view."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.ledger.entry import PERSON
from discreet.verification.joint import check_joint
from tests.ledger.sequences import past_of, sequences
from tests.reference import releases as slow
from tests.reference.releases import Published


@pytest.mark.slow
@given(sequences())
def test_as_the_dictionary_of_persons(releases: list[Published]) -> None:
    *past, last = past_of(releases)
    found = check_joint(past, last)
    wanted: dict[tuple[int, str], set[str]] = defaultdict(set)
    for (place, promise, about), persons in slow.broken(releases).items():
        wanted[releases[place].promises.index(promise), f"release {place} {about}"] |= persons
    mine = [(f"{of} {finding.about}", finding.persons) for finding in found.findings for of in finding.of]
    told = {key: len(persons) for key, persons in wanted.items()}
    # equal items of several policies are counted once, under the place that they have in the last of them
    assert {about for about, _ in mine} <= {about for _, about in told}
    assert found.broken == len(slow.all_broken(releases))
    for (_, about), wanted_number in told.items():
        assert (about, wanted_number) in mine
    assert found.left == len(set(slow.everybody(releases)) - set(releases[-1].rows))
    assert found.new == len(slow.new_persons(releases))


@pytest.mark.slow
@given(sequences(least=2))
def test_k_by_a_plain_count(releases: list[Published]) -> None:
    """The joint view in a few lines of Polars."""
    *past, last = past_of(releases)
    view = pl.DataFrame({PERSON: slow.everybody(releases)})
    for place, release in enumerate([*past, last]):
        age = "years" if "years" in release.columns else "age"
        one = release.people.select(
            PERSON, pl.lit("there").alias(f"in {place}"), pl.col(release.label(age)).alias(f"age {place}")
        )
        view = view.join(one, on=PERSON, how="left")
    sizes = view.select(pl.len().over(view.columns[1:]))
    small = int((sizes.to_series() < 2).sum())
    for finding in check_joint(past, last).findings:
        if finding.promise in ("age: at least 2 rows alike", "years: at least 2 rows alike"):
            assert finding.persons == small


@pytest.mark.slow
@given(sequences(least=2))
def test_only_who_left_or_was_lost_before_is_excused(releases: list[Published]) -> None:
    """`leavers: warn`: a promise may be broken for these and nobody else, who is new least of all."""
    *past, last = past_of(releases)
    said = last.policy.to_dict()
    asked: Any = said.get("ledger") or {}
    last = replace(last, policy=d.Policy.from_dict({**said, "ledger": {**asked, "leavers": "warn"}}))
    found = check_joint(past, last)
    before = releases[:-1]
    asked_now = [*before[-1].promises, *releases[-1].promises]
    same = {**before[-1].same, **releases[-1].same}
    lost = slow.all_broken([*before[:-1], replace(before[-1], promises=asked_now, same=same)])
    here = set(releases[-1].rows)
    mine = [(len(persons), persons & here <= lost) for persons in slow.broken(releases).values() if persons]
    assert {(each.persons, each.excused) for each in found.findings if each.persons} == set(mine)
    assert found.may_go_out == all(excused for _, excused in mine)


@pytest.mark.slow
@given(sequences(least=2), st.lists(st.sampled_from("*#?"), min_size=4, max_size=4), st.booleans())
def test_a_hidden_value_is_hidden_whatever_a_release_writes_for_it(
    releases: list[Published], markers: list[str], of_persons: bool
) -> None:
    """The same answers where each release has a marker of its own, counted on rows or on persons."""
    plain, marked = past_of(releases), []
    for release, marker in zip(plain, markers, strict=False):
        more = {"unit": "nobody's column"} if of_persons else {}
        policy = d.Policy.from_dict({**release.policy.to_dict(), "marker": marker, **more})
        labels = [release.label(name) for name in release.columns]
        people = release.people.with_columns(pl.col(labels).cast(pl.String).replace("*", marker))
        marked.append(replace(release, policy=policy, people=people))
    found, wanted = (check_joint(some[:-1], some[-1]) for some in (marked, plain))
    of = {(name, each.promise, each.about): each.persons for each in found.findings for name in each.of}
    assert of == {(name, each.promise, each.about): each.persons for each in wanted.findings for name in each.of}
    assert found.broken == wanted.broken
