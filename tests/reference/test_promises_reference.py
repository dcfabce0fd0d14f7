"""The reference versions of the promises about groups: worked examples, and what merging groups may and may not do."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.profiles import MANY, VERY_MANY
from tests.reference.closeness import Close
from tests.reference.parts import Hidden, Nested, day
from tests.reference.promise_cuts import figure, more_is_better
from tests.reference.promises import (
    PLAIN,
    AtLeast,
    Cell,
    Coarse,
    Diverse,
    Infer,
    Person,
    Promise,
    Reading,
    Span,
    any_of,
    diverse,
    each_row,
    every_start,
    has,
    inside,
    kept,
    known_values,
    lacks,
    lower_ends,
    recursive_figure,
    tally,
)

pytestmark = pytest.mark.reference

TREE: Nested = ("ill", (("HIV", (("HIV-1", ()), ("HIV-2", ()))), ("lung", (("flu", ()), ("cold", ()))), ("well", ())))
ILL = Reading(frozenset({None}), TREE)
HALF = Fraction(1, 2)


def cells(*some: Cell) -> list[Person]:
    """Rows of which nothing is known but the column spoken of: one group."""
    return each_row({"s": cell} for cell in some)


def spans(*ends: tuple[int, int]) -> list[Person]:
    return cells(*(Span(Fraction(low), Fraction(high)) for low, high in ends))


# What a cell tells


def test_what_a_cell_tells_of_a_value_and_of_its_absence() -> None:
    told = {
        cell: (has(ILL, "HIV")(cell), lacks(ILL, "HIV")(cell), has(ILL, "HIV-1")(cell), lacks(ILL, "HIV-1")(cell))
        for cell in ("HIV-1", "HIV-2", "HIV", "flu", "lung", "ill", "*", None, Hidden.BOTTOM)
    }
    unknown = (None, None, None, None)
    assert told == {
        "HIV-1": (True, False, True, False),
        "HIV-2": (True, False, False, True),
        "HIV": (True, False, None, None),  # above HIV-1: it may be that or the other
        "flu": (False, True, False, True),
        "lung": (False, True, False, True),  # no value, but not HIV
        "ill": unknown,
        "*": unknown,
        None: unknown,
        Hidden.BOTTOM: unknown,
    }
    assert has(PLAIN, None)(None) is True  # a missing value that is a value like any other


def test_what_an_interval_tells_of_a_window() -> None:
    window = inside(PLAIN, Fraction(10), Fraction(10))
    assert [window(text) for text in ("9", "10", "20", "20.5", "*")] == [False, True, True, False, None]
    told = [
        window(Span(Fraction(low), Fraction(high))) for low, high in [(10, 20), (5, 10), (5, 11), (15, 21), (20, 25)]
    ]
    assert told == [True, False, None, None, None]
    assert window(Span(Fraction(5), Fraction(10), closed=True)) is None
    assert [window(Span(None, Fraction(15))), window(Span(Fraction(15), None)), window(Span(Fraction(21), None))] == [
        None,
        None,
        False,
    ]
    dates = Reading(number=day)
    assert inside(dates, day("2026-01-31"), Fraction(29))("2026-03-01") is True
    assert inside(dates, day("2026-01-31"), Fraction(28))("2026-03-01") is False


# Templates


def test_hidden_cells_count_for_neither_side_and_for_none() -> None:
    group = cells("HIV-1", "HIV", "flu", "*", "ill")
    found = tally(group, "s", has(ILL, "HIV"))
    assert (found.has, found.open, found.all) == (2, 2, 5)
    assert (found.share, found.worst_case) == (Fraction(2, 3), Fraction(4, 5))
    assert tally(group, "s", has(ILL, "HIV-1")).share == Fraction(1, 2)  # of HIV-1 and flu
    assert tally(cells("*", "*"), "s", has(ILL, "HIV")).share == 0


def test_any_value_looks_at_values_and_at_released_nodes_below_the_root() -> None:
    group = cells("HIV-1", "HIV-2", "flu", "flu")
    anything = Infer((), "s", at_most=HALF)
    assert anything.figure(group, group, ILL) == HALF
    coarse = cells("HIV", "HIV-2", "HIV-1", "flu", "ill")
    assert anything.figure(coarse, coarse, ILL) == Fraction(3, 4)  # HIV, which no single value says
    assert Infer((), "s", but=frozenset({"HIV"}), at_most=HALF).figure(coarse, coarse, ILL) == Fraction(1, 4)
    # HIV is looked at as long as one of its values is not excepted
    assert Infer((), "s", but=frozenset({"HIV-1"}), at_most=HALF).figure(coarse, coarse, ILL) == Fraction(3, 4)
    assert Infer((), "s", but=frozenset({"HIV-1", "HIV-2"}), at_most=HALF).figure(coarse, coarse, ILL) == Fraction(1, 4)
    assert Infer((), "s", at_most=HALF).figure(cells("x", None, None), cells("x", None, None), PLAIN) == Fraction(2, 3)


def test_absence_is_known_and_not_the_value() -> None:
    group = cells("flu", "lung", "HIV-1", "*", "ill")
    assert Infer((), "s", "HIV", at_most=HALF, absent=True).figure(group, group, ILL) == Fraction(2, 3)
    assert Infer((), "s", "HIV-2", at_most=HALF, absent=True).figure(group, group, ILL) == 1


def test_so_many_times_the_usual_share() -> None:
    # 3 of 12 have it, 1 of the 12 is hidden; in a group 2 of 4, with 1 hidden.
    group = cells("a", "a", "b", "*")
    whole = [*group, *cells("a", *"bbbbbbb")]
    twice = Infer((), "s", "a", times=Fraction(2))
    assert twice.figure(group, whole, PLAIN) == max(Fraction(2 * 11, 3 * 3), Fraction(2 * 12, 3 * 4)) == Fraction(22, 9)
    assert not twice.holds(group, whole, PLAIN)
    assert Infer((), "s", "a", times=Fraction(22, 9)).holds(group, whole, PLAIN)
    # hidden cells elsewhere: the share among all rows is what grows most
    whole = cells("a", "b", "*", "*", "*", "*")
    assert twice.figure(cells("a", "b"), whole, PLAIN) == 3
    assert twice.holds(cells("*"), whole, PLAIN)
    assert Infer((), "s", "z", times=Fraction(2)).holds(cells("a"), whole, PLAIN)  # a value that nobody has


# Numbers nearly known


def test_numbers_in_a_window_by_hand() -> None:
    group = cells("1", "5", "8", "9", "20", "*")
    promise = Infer((), "s", within=Fraction(4), at_most=HALF)
    assert promise.figure(group, group, PLAIN) == Fraction(3, 5)  # 5, 8 and 9
    assert Infer((), "s", within=Fraction(0), at_most=HALF).figure(group, group, PLAIN) == Fraction(1, 5)
    ten = spans((0, 10), (10, 20), (20, 30))
    assert Infer((), "s", within=Fraction(10), at_most=HALF).figure(ten, ten, PLAIN) == Fraction(1, 2)  # 20 is in both
    assert Infer((), "s", within=Fraction(9), at_most=HALF).figure(ten, ten, PLAIN) == 0


@MANY
@given(st.lists(st.integers(0, 12), min_size=1, max_size=7), st.integers(0, 6))
def test_of_exact_numbers_windows_that_begin_at_one_are_enough(numbers: list[int], width: int) -> None:
    group = cells("*", *map(str, numbers))
    wide = Fraction(width)
    shares = [tally(group, "s", inside(PLAIN, start, wide)).share for start in every_start(group, "s", wide, PLAIN)]
    assert Infer((), "s", within=wide).figure(group, group, PLAIN) == max(shares)
    here = Infer((), "s", within=wide).figure(group, [*group, *cells("3", "4")], PLAIN)
    assert here == max(shares)  # beginning at numbers of others finds no more


def test_of_intervals_other_windows_may_hold_more() -> None:
    """What lies beside the interval and touches the window is unknown: a window from 2.5 to 4.5 knows [3, 4) only."""
    group = spans((1, 3), (3, 4), (4, 7), (4, 7))
    width = Fraction(2)
    assert Infer((), "s", within=width).figure(group, group, PLAIN) == HALF
    shares = [tally(group, "s", inside(PLAIN, start, width)).share for start in every_start(group, "s", width, PLAIN)]
    assert max(shares) == 1


def test_windows_of_the_group_alone_are_not_safe_under_merging() -> None:
    """Intervals that overlap (local recoding): why windows begin at the lower ends of the whole release."""
    left, right = spans((0, 1), (0, 6), (2, 6), (4, 5)), spans((4, 5), (0, 3))

    def alone(group: Sequence[Person]) -> Fraction:
        starts = lower_ends(group, "s", PLAIN)
        return max(tally(group, "s", inside(PLAIN, start, Fraction(3))).share for start in starts)

    assert (alone(left), alone(right), alone([*left, *right])) == (HALF, HALF, Fraction(2, 3))
    whole = [*left, *right]
    promise = Infer((), "s", within=Fraction(3))
    assert max(promise.figure(left, whole, PLAIN), promise.figure(right, whole, PLAIN)) == Fraction(1)


# Diversity


def test_entropy_at_the_tie() -> None:
    assert diverse([2, 2], 2, "entropy")
    assert diverse([7, 7, 7], 3, "entropy")
    assert not diverse([3, 2], 2, "entropy")
    assert diverse([3, 2], Fraction(19, 10), "entropy")
    assert not diverse([1], Fraction(11, 10), "entropy")
    assert diverse([1], 1, "entropy")
    # 4, 1, 1, 1, 1: 8 / (4^(4/8)) = 4 exactly
    assert diverse([4, 1, 1, 1, 1], 4, "entropy")
    assert not diverse([4, 1, 1, 1, 1], Fraction(4001, 1000), "entropy")


def test_recursive_by_hand() -> None:
    # Machanavajjhala et al., definition 4.3: r1 < c (rl + ... + rm)
    assert recursive_figure([5, 3, 2], 2) == 1
    assert not diverse([5, 3, 2], 2, "recursive", Fraction(1))
    assert diverse([5, 3, 2], 2, "recursive", Fraction(101, 100))
    assert recursive_figure([5, 3, 2], 3) == Fraction(5, 2)
    assert recursive_figure([5, 3, 2], 4) == float("inf")
    assert recursive_figure([5, 3, 2], 1) == HALF


def test_diversity_counts_known_values_and_breaks_on_a_node() -> None:
    two = Diverse((), "s", Fraction(2))
    assert two.holds(cells("flu", "cold", "*"), [], ILL)
    assert not two.holds(cells("flu", "*", "ill"), [], ILL)
    assert two.holds(cells("*", None), [], ILL)
    ten = cells(*["HIV"] * 10)
    assert not two.holds(ten, ten, ILL)
    with pytest.raises(Coarse):
        known_values(ten, "s", ILL)
    assert not Close((), "s", Fraction(1), "tree").holds(ten, ten, ILL)


# Any so many of many columns


def test_any_two_of_three_columns() -> None:
    rows = [{"a": a, "b": b, "c": c} for a in "01" for b in "01" for c in "01"]
    whole = each_row(rows)
    assert [kept(whole, one) for one in any_of(AtLeast((), 2), 2, ("a", "b", "c"))] == [True] * 3
    assert not kept(whole, AtLeast(("a", "b", "c"), 2))


@MANY
@given(
    st.lists(st.fixed_dictionaries({name: st.sampled_from("01") for name in "abcs"}), min_size=1, max_size=9),
    st.integers(1, 3),
)
def test_smaller_sets_follow(rows: list[dict[str, Cell]], k: int) -> None:
    whole = each_row(rows)
    for size in (1, 2, 3):
        if all(kept(whole, one) for one in any_of(AtLeast((), k), size, "abc")):
            assert all(kept(whole, one) for less in range(size) for one in any_of(AtLeast((), k), less, "abc"))


# Merging

LABELS: list[Cell] = ["HIV-1", "HIV-2", "HIV", "flu", "cold", "lung", "well", "ill", "*", None]
VALUES: list[Cell] = ["HIV-1", "HIV-2", "flu", "cold", "well", "*"]
NUMBERS: list[Cell] = ["1", "2", "3", "5", "8", "*"]
INTERVALS: list[Cell] = [
    *NUMBERS,
    *(Span(Fraction(low), Fraction(high)) for low, high in combinations((0, 2, 3, 6, 9), 2)),
    Span(Fraction(6), Fraction(9), closed=True),
    Span(Fraction(6), None),
    Span(None, Fraction(3)),
]
WORST = Fraction(0)  # the limit is set by the test
SAFE: list[tuple[Promise, Reading, list[Cell]]] = [
    (AtLeast((), 1), ILL, LABELS),
    (Infer((), "s", "HIV", at_most=WORST), ILL, LABELS),
    (Infer((), "s", at_most=WORST), ILL, LABELS),
    (Infer((), "s", but=frozenset({"well"}), at_most=WORST), ILL, LABELS),
    (Infer((), "s", "HIV", at_most=WORST, absent=True), ILL, LABELS),
    (Infer((), "s", "HIV", times=WORST), ILL, LABELS),
    (Infer((), "s", times=WORST), ILL, LABELS),
    (Infer((), "s", within=Fraction(3), at_most=WORST), PLAIN, NUMBERS),
    (Infer((), "s", within=Fraction(3), at_most=WORST), PLAIN, INTERVALS),
    (Diverse((), "s", Fraction(1)), ILL, VALUES),
    (Diverse((), "s", Fraction(2), "recursive", WORST), ILL, VALUES),
    (Diverse((), "s", Fraction(3), "recursive", WORST), ILL, VALUES),
    (Diverse((), "s", Fraction(1), "entropy"), ILL, VALUES),
    (Close((), "s", WORST, "equal"), ILL, VALUES),
    (Close((), "s", WORST, "ordered"), PLAIN, NUMBERS),
    (Close((), "s", WORST, "ordered", ("HIV-2", "HIV-1", "well", "cold", "flu")), ILL, VALUES),
    (Close((), "s", WORST, "tree"), ILL, VALUES),
]


@pytest.mark.parametrize(("promise", "reading", "some"), SAFE, ids=lambda one: type(one).__name__)
@MANY
@given(data=st.data())
def test_merging_never_makes_the_figure_worse(
    promise: Promise, reading: Reading, some: list[Cell], data: st.DataObject
) -> None:
    """So what holds in two groups holds in both together, whatever the limit is."""
    groups = st.lists(st.sampled_from(some), min_size=1, max_size=6)
    left, right = cells(*data.draw(groups)), cells(*data.draw(groups))
    whole = [*left, *right, *cells(*data.draw(groups))]
    one, other = figure(left, whole, promise, reading), figure(right, whole, promise, reading)
    both = figure([*left, *right], whole, promise, reading)
    told = [each for each in (one, other) if each is not None]
    if not told:
        assert both is None
        return
    assert both is not None
    if more_is_better(promise):
        assert both >= min(told) - (1e-12 if isinstance(both, float) else 0)  # entropy: see the exact test below
    else:
        assert both <= max(told)


@VERY_MANY
@given(
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
    st.fractions(1, 4, max_denominator=12),
)
def test_entropy_diversity_is_safe_under_merging(left: list[int], right: list[int], least: Fraction) -> None:
    groups = [[count for count in some if count] for some in (left, right, map(sum, zip(left, right, strict=True)))]
    one, other, both = (not some or diverse(some, least, "entropy") for some in groups)
    assert both or not (one and other)


# What is not offered, because merging breaks it


def is_spread(numbers: Sequence[int], near: int, share: Fraction) -> bool:
    """(ε, m)-anonymity: around no number of the group do too many lie."""
    return all(Fraction(sum(abs(other - one) <= near for other in numbers), len(numbers)) <= share for one in numbers)


def test_spread_around_a_present_number_is_not_safe_under_merging() -> None:
    left, right = [0, 0, 4, 4], [2, 9]
    assert is_spread(left, 2, HALF)
    assert is_spread(right, 2, HALF)
    assert not is_spread([*left, *right], 2, HALF)  # the 2 of the one stands between the numbers of the other
    # the promise that is offered says so of the first group at once: a window from 0 to 4 has them all
    assert Infer((), "s", within=Fraction(4)).figure(cells(*map(str, left)), cells(*map(str, left)), PLAIN) == 1


# A release


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=8))
def test_a_release_keeps_a_promise_if_every_group_does(rows: list[tuple[str, str]]) -> None:
    whole = each_row({"q": q, "s": s} for q, s in rows)
    promise = Infer(("q",), "s", at_most=HALF)
    shares = [
        Fraction(sum(1 for other in rows if other == row), sum(1 for other in rows if other[0] == row[0]))
        for row in rows
    ]
    assert kept(whole, promise) == (max(shares) <= HALF)
    assume(max(shares) <= HALF)
    assert kept(whole, Infer((), "s", at_most=HALF))
