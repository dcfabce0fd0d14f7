"""Promises about persons with several rows over several releases, counted anew: equal to the slow version."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given

import discreet as d
from discreet.ledger.entry import PERSON, ROW
from discreet.verification.joint import check_joint
from tests.ledger.row_sequences import past_of_rows, policy_of_rows, row_sequences
from tests.ledger.sequences import past_of, sequences
from tests.reference import releases_of_rows as slow
from tests.reference.releases import Promised, Published
from tests.reference.releases_of_rows import PublishedRows


@given(row_sequences())
def test_as_the_dictionary_of_persons_with_rows(releases: list[PublishedRows]) -> None:
    *past, last = past_of_rows(releases)
    found = check_joint(past, last)
    wanted: dict[tuple[str, str, str], int] = {}
    for (place, promise, about), persons in slow.broken_of_rows(releases).items():
        text = next(iter(policy_of_rows(releases[place]).promises_of(releases[place].promises.index(promise))))
        wanted[f"release {place}", str(text), about] = len(persons)
    told = {(of, each.promise, each.about): each.persons for each in found.findings for of in each.of}
    assert told == wanted
    assert found.broken == len(slow.all_broken_of_rows(releases))
    assert found.left == len(set(slow.all_persons(releases)) - set(releases[-1].rows))


@given(row_sequences(least=2))
def test_k_of_linked_rows_by_a_plain_count(releases: list[PublishedRows]) -> None:
    """The joint view in a few lines of Polars: a line for each row, and a list of lines for each person."""
    *past, last = past_of_rows(releases)
    lines = []
    for place, release in enumerate([*past, last]):
        alone = pl.Series([f"{place}-{row}" for row in range(release.people.height)], dtype=pl.String)
        key = release.people.get_column(ROW) if ROW in release.people.columns else alone
        told = release.texts("age")
        lines.append(pl.DataFrame({PERSON: release.persons, ROW: key, "said": f"{place} " + told}))
    rows = pl.concat(lines).group_by(PERSON, ROW).agg(pl.col("said").sort())
    seen = rows.group_by(PERSON).agg(pl.col("said").list.join(",").sort())
    small = int((seen.select(pl.len().over("said")).to_series() < 2).sum())
    for finding in check_joint(past, last).findings:
        counts_rows = releases[int(finding.of[0][-1])].counts_rows
        if finding.promise == "age: at least 2 rows alike" and counts_rows:
            assert finding.persons == small


@given(sequences())
def test_persons_with_one_row_each_are_counted_as_rows_are(releases: list[Published]) -> None:
    """By the other code: the same promises, l and t among them, of the same tables."""
    rows = past_of(releases)
    persons = [
        replace(one, policy=d.Policy.from_dict({**one.policy.to_dict(), "unit": "nobody's column"})) for one in rows
    ]
    of_rows, of_persons = (check_joint(past[:-1], past[-1]) for past in (rows, persons))
    assert [(each.about, each.promise, each.persons) for each in of_rows.findings] == [
        (each.about, each.promise, each.persons) for each in of_persons.findings
    ]
    assert of_rows.broken == of_persons.broken


@pytest.mark.reference
def test_a_key_tells_which_row_became_which() -> None:
    """Two patients with visits in the same two wards each year: linked, one changed wards and one stayed."""
    k2 = Promised("k", ("ward",), Fraction(2))

    def release(keyed: bool, a: str, b: str) -> PublishedRows:
        rows = {
            who: [(f"{number}" if keyed else None, {"ward": ward}) for number, ward in enumerate(wards)]
            for who, wards in (("a", a), ("b", b))
        }
        return PublishedRows(rows, [k2])

    for keyed in (False, True):
        both = [release(keyed, "XY", "XY"), release(keyed, "XY", "YX")]
        assert slow.all_broken_of_rows(both) == (set("ab") if keyed else set())
