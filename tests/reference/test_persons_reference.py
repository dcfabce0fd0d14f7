"""The reference version of promises about persons: groups of persons, and what they say of groups of rows."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import MANY, VERY_MANY
from tests.reference.closeness import Close
from tests.reference.promises import (
    PLAIN,
    AtLeast,
    Cell,
    Diverse,
    Infer,
    Row,
    SeveralValues,
    alike,
    each_row,
    has,
    kept,
    persons,
    persons_in_rows,
    tally,
)

pytestmark = pytest.mark.reference

HALF = Fraction(1, 2)


def visits(*rows: str) -> list[Row]:
    """Rows of three letters: who, what is known, what is secret."""
    return [{"who": row[0], "q": row[1], "s": row[2]} for row in rows]


def test_a_table_of_visits_looks_safe_by_rows_and_is_not() -> None:
    """6 patients with 10 visits each: every group of rows has 10, and is one person."""
    rows = visits(*(f"{who}{who}{'x' if visit else 'y'}" for who in "abcdef" for visit in range(10)))
    assert kept(each_row(rows), AtLeast(("q",), 10))
    assert not kept(persons(rows, "who"), AtLeast(("q",), 2))
    hidden = [{**row, "q": "*"} for row in rows]
    assert kept(persons(hidden, "who"), AtLeast(("q",), 6))


def test_persons_with_as_many_rows_look_alike() -> None:
    rows = visits("1am", "1am", "2am", "3am", "3am", "4bm")
    found = alike(persons(rows, "who"), ["q"])
    assert sorted(len(group) for group in found.values()) == [1, 1, 2]  # 1 and 3; 2; 4
    assert sorted(len(group) for group in alike(persons(rows, "who"), ["q"], counts=False).values()) == [1, 3]


def test_rows_that_differ_make_profiles() -> None:
    rows = visits("1am", "1bm", "2bm", "2am", "3am", "3am")
    assert sorted(len(group) for group in alike(persons(rows, "who"), ["q"]).values()) == [1, 2]


def test_one_row_is_enough_to_have_a_property_and_all_are_needed_to_lack_it() -> None:
    rows = visits("1ax", "1ay", "2ay", "2ay", "3ay", "3a*", "4a*", "4a*")
    group = persons(rows, "who")
    found = tally(group, "s", has(PLAIN, "x"))
    assert (found.has, found.open, found.all) == (1, 2, 4)
    assert Infer(("q",), "s", "x", at_most=HALF).figure(group, group, PLAIN) == HALF
    # known and without it: person 2; person 1 has it; 3 and 4 are open
    assert Infer(("q",), "s", "x", at_most=HALF, absent=True).figure(group, group, PLAIN) == HALF
    assert Infer(("q",), "s", at_most=HALF).figure(group, group, PLAIN) == 1  # y: 1, 2 and 3 have it, 4 is open
    # twice the usual: of persons
    assert Infer(("q",), "s", "x", times=Fraction(2)).figure(group[:1], group, PLAIN) == max(2, 4)


def test_diversity_needs_one_value_a_person() -> None:
    """Four persons with two values each are 2-diverse by counting, and all have the one."""
    rows = visits(*(f"{who}a{value}" for who in "1234" for value in "AB"))
    whole = persons(rows, "who")
    assert Diverse(("q",), "s", Fraction(2)).holds(each_row(rows), each_row(rows), PLAIN)
    for promise in (Diverse(("q",), "s", Fraction(2)), Close(("q",), "s", HALF)):
        with pytest.raises(SeveralValues):
            kept(whole, promise)
    assert Infer(("q",), "s", at_most=HALF).figure(whole, whole, PLAIN) == 1
    # a value and hidden cells are one value
    assert kept(persons(visits("1aA", "1a*", "2aB", "2aB"), "who"), Diverse(("q",), "s", Fraction(2)))


ROWS = st.lists(
    st.fixed_dictionaries({"who": st.sampled_from("12345"), "q": st.sampled_from("abc"), "s": st.sampled_from("xyz*")}),
    min_size=1,
    max_size=12,
)
COARSER = st.fixed_dictionaries({letter: st.sampled_from("ab*") for letter in "abc"})


@VERY_MANY
@given(ROWS, COARSER, st.booleans())
def test_a_coarser_recoding_merges_groups_of_persons_whole(
    rows: list[Row], coarser: dict[Cell, Cell], counts: bool
) -> None:
    before = alike(persons(rows, "who"), ["q"], counts=counts).values()
    after = alike(persons([{**row, "q": coarser[row["q"]]} for row in rows], "who"), ["q"], counts=counts).values()

    def names(groups: Sequence[list[tuple[Row, ...]]]) -> list[set[Cell]]:
        return [{person[0]["who"] for person in group} for group in groups]

    assert all(any(small <= large for large in names(list(after))) for small in names(list(before)))


@VERY_MANY
@given(ROWS, st.integers(1, 3), st.sampled_from([Fraction(1, 3), HALF, Fraction(2, 3)]))
def test_promises_of_persons_imply_those_of_rows(rows: list[Row], k: int, share: Fraction) -> None:
    whole, single = persons(rows, "who"), each_row(rows)
    for promise in (AtLeast(("q",), k), Infer(("q",), "s", "x", at_most=share), Infer(("q",), "s", at_most=share)):
        assert kept(single, promise) or not kept(whole, promise)
    assert min(persons_in_rows(rows, "who", ["q"]).values()) >= k or not kept(whole, AtLeast(("q",), k))


def test_absence_of_persons_does_not_imply_that_of_rows() -> None:
    """A person with x is known not to lack it, whatever her other rows say."""
    rows = visits("1ax", "1ay", "2ax", "2ay")
    promise = Infer(("q",), "s", "x", at_most=Fraction(1, 3), absent=True)
    assert kept(persons(rows, "who"), promise)
    assert not kept(each_row(rows), promise)


@MANY
@given(ROWS, COARSER)
def test_the_number_of_rows_is_a_known_column_where_known_columns_do_not_change(
    rows: list[Row], coarser: dict[Cell, Cell]
) -> None:
    first = {row["who"]: row["q"] for row in reversed(rows)}
    rows = [{**row, "q": coarser[first[row["who"]]]} for row in rows]
    whole = persons(rows, "who")
    short = each_row({"q": person[0]["q"], "rows": str(len(person))} for person in whole)
    for k in (1, 2, 3):
        assert kept(whole, AtLeast(("q",), k)) == kept(short, AtLeast(("q", "rows"), k))
        assert kept(whole, AtLeast(("q",), k), counts=False) == kept(short, AtLeast(("q",), k))


# Who knows one row


@MANY
@given(ROWS, COARSER)
def test_persons_behind_one_row_are_safe_under_merging(rows: list[Row], coarser: dict[Cell, Cell]) -> None:
    before = persons_in_rows(rows, "who", ["q"])
    after = persons_in_rows([{**row, "q": coarser[row["q"]]} for row in rows], "who", ["q"])
    assert min(after.values()) >= min(before.values())


def share_behind_one_row(rows: Sequence[Row], value: str) -> Fraction:
    """Of the persons in a group of rows, those with the value in one of their rows there."""
    return tally(persons(rows, "who"), "s", has(PLAIN, value)).share


def test_templates_behind_one_row_are_not_safe_under_merging() -> None:
    """Where a person is in both groups she is counted once: why only k is served with `knows: one_row`."""
    left, right = visits("1ax", "2ay"), visits("3bx", "2by")
    assert share_behind_one_row(left, "x") == share_behind_one_row(right, "x") == HALF
    assert share_behind_one_row([*left, *right], "x") == Fraction(2, 3)
