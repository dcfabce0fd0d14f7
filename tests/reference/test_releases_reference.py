"""The counterexamples of the specification of several releases, on the slow version."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.reference.releases import Promised, Published, all_broken, broken, broken_leavers, groups, new_persons

pytestmark = pytest.mark.reference
K2 = Promised("k", ("age",), Fraction(2))


def release(promises: list[Promised], same: dict[str, str] | None = None, **rows: str) -> Published:
    """Return a release of persons with `column=text` pairs, separated by blanks."""
    made = {person: dict(pair.split("=") for pair in said.split()) for person, said in rows.items()}
    return Published(made, promises, same or {})


def test_two_releases_that_keep_k_each_break_it_together() -> None:
    one = release([K2], a="age=x", b="age=x", c="age=y", d="age=y")
    two = release([K2], a="age=x", b="age=y", c="age=x", d="age=y")
    assert not all_broken([one])
    assert not all_broken([two])
    assert all_broken([one, two]) == set("abcd")


def test_an_old_promise_breaks_when_a_column_goes_out_as_it_is() -> None:
    promised = Promised("k", ("age", "zip"), Fraction(2))
    one = release([promised], a="age=x zip=*", b="age=x zip=*")
    two = release([K2], a="age=x zip=1", b="age=x zip=2")
    assert not all_broken([one])
    assert not all_broken([two])
    found = broken([one, two])
    assert found[0, promised, "persons"] == {"a", "b"}
    assert found[1, K2, "persons"] == set()


def test_hiv_then_flu_and_flu_then_hiv_are_sure_together() -> None:
    half = Promised("template", ("age",), Fraction(1, 2), "ill", "HIV")
    one = release([half], a="age=x ill=HIV", b="age=x ill=flu")
    two = release([half], a="age=x ill=flu", b="age=x ill=HIV")
    found = broken([one, two])
    assert not found[1, half, "release 0"]
    assert not found[1, half, "release 1"]
    assert found[1, half, "any release"] == {"a", "b"}


def test_leavers_stand_alone_with_their_past() -> None:
    one = release([K2], a="age=x", b="age=x", c="age=x")
    two = release([K2], a="age=x", b="age=x")
    assert broken_leavers([one, two]) == {"c"}
    assert all_broken([one, two]) == {"c"}


def test_a_small_batch_of_new_persons_is_known_by_being_new() -> None:
    one = release([K2], a="age=x", b="age=x")
    two = release([K2], a="age=x", b="age=x", c="age=x")
    assert all_broken([one, two]) == new_persons([one, two]) == {"c"}


def test_renamed_columns_are_one() -> None:
    one = release([K2], a="age=x", b="age=x", c="age=y", d="age=y")
    two = release([], same={"years": "age"}, a="years=1", b="years=2", c="years=1", d="years=2")
    apart = release([], a="years=1", b="years=2", c="years=1", d="years=2")
    assert all_broken([one, two]) == set("abcd")
    assert not all_broken([one, apart])


def test_presence_tells_persons_apart_whatever_is_known() -> None:
    one = release([K2], a="age=x", b="age=x", c="age=x", d="age=x")
    two = release([], a="job=1", b="job=1")
    assert sorted(map(len, groups([one, two], ()))) == [2, 2]


def test_closeness_and_times_compare_with_the_release_that_is_spoken_of() -> None:
    close = Promised("t", ("age",), Fraction(0), "ill")
    twice = Promised("times", ("age",), Fraction(1), "ill", "HIV")
    one = release([close, twice], a="age=x ill=HIV", b="age=x ill=flu", c="age=x ill=HIV", d="age=x ill=flu")
    two = release([], a="age=x", b="age=x")
    assert not all_broken([one, two])  # both halves are as the whole of the first release
    three = release([], a="age=x", c="age=x")
    assert all_broken([one, three]) == set("abcd")
