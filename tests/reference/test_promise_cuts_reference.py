"""All cuts of tiny tables: what the table with everything hidden says of a promise is true of every cut."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import MANY
from tests.reference.closeness import Close
from tests.reference.cuts import Table
from tests.reference.diversity import all_hidden
from tests.reference.parts import Number, Tree
from tests.reference.populations import beside, membership_figure
from tests.reference.promise_cuts import (
    best_figure,
    effective_values,
    every_cut,
    people,
    possible,
    recoded,
    worst_figure,
)
from tests.reference.promises import PLAIN, AtLeast, Diverse, Infer, Promise, Reading, diverse, kept

pytestmark = pytest.mark.reference

TOWNS = Tree(("any", (("n", (("o", ()), ("t", ()))), ("s", ()))))
ILL = Reading(tree=("ill", (("lung", (("x", ()), ("y", ()))), ("z", ()))))
HALF = Fraction(1, 2)
NAMES = ("p", "t", "n", "f", "s", "who")


def table(*rows: str) -> Table:
    """A plain column, a taxonomy, a number, one that cannot change, the secret, and whose row it is."""
    return Table(NAMES, tuple(tuple(row) for row in rows), ("p", "t", "n"), {"t": TOWNS, "n": Number()})


def promises(over: tuple[str, ...]) -> list[Promise]:
    return [
        AtLeast(over, 2),
        Infer(over, "s", "x", at_most=HALF),
        Infer(over, "s", at_most=HALF),
        Infer(over, "s", "z", at_most=HALF, absent=True),
        Infer(over, "s", times=Fraction(3, 2)),
        Infer(over, "who", within=Fraction(1), at_most=HALF),
        Diverse(over, "s", Fraction(2)),
        Diverse(over, "s", Fraction(3, 2), "entropy"),
        Diverse(over, "s", Fraction(2), "recursive", Fraction(2)),
        Close(over, "s", Fraction(1, 5)),
        Close(over, "s", Fraction(1, 5), "ordered", ("x", "y", "z")),
        Close(over, "s", Fraction(1, 5), "tree"),
    ]


READINGS = {"s": ILL}
ROWS = st.lists(
    st.tuples(*(st.sampled_from(letters) for letters in ("ab", "ots", "13", "fg", "xyz", "1234"))).map("".join),
    min_size=1,
    max_size=6,
)


def test_a_column_that_cannot_change_bounds_what_is_possible() -> None:
    one = table("ao1fx1", "bo1fy2", "at1gz3", "bs3gz4")
    close = Close(("p", "f"), "s", Fraction(1, 10))
    # f and g stay apart: x and y beside z, which are two of four
    assert best_figure(one, close, READINGS) == HALF
    assert not possible(one, [close], READINGS)
    assert possible(one, [Close(("p", "f"), "s", HALF)], READINGS)
    assert possible(one, [AtLeast(("p", "f"), 2), Diverse(("p",), "s", Fraction(2))], READINGS)
    assert not possible(one, [AtLeast(("p", "f"), 3)], READINGS)


def test_each_promise_may_be_possible_and_both_are_not_impossible_together() -> None:
    """All are kept by the same table, that with everything hidden; so what each can have all can have."""
    one = table("ao1fx1", "bo1fy2", "at1fx3", "bs3fy4")
    some: list[Promise] = [AtLeast(("p", "t"), 2), Infer(("n",), "s", at_most=HALF), Close(("t",), "s", Fraction(0))]
    assert all(possible(one, [each], READINGS) for each in some)
    assert possible(one, some, READINGS)


@pytest.mark.parametrize("unit", [None, "who"])
@given(ROWS, st.sampled_from([("p",), ("p", "f"), ("t", "n"), ("p", "t", "n")]))
def test_all_hidden_has_the_best_figure_and_tells_what_is_possible(
    unit: str | None, rows: list[str], over: tuple[str, ...]
) -> None:
    one = table(*rows)
    if unit is not None:  # one value of the secret a person
        first = {row[5]: row[4] for row in rows}
        one = table(*(row[:4] + first[row[5]] + row[5] for row in rows))
    hidden = people(all_hidden([dict(zip(NAMES, row, strict=True)) for row in one.rows], one.changeable), unit)
    tried = list(every_cut(one, promises(over), READINGS, unit=unit))
    for promise in promises(over):
        ever = any(promise not in each.broken for each in tried)
        assert ever == kept(hidden, promise, READINGS)
        reading = READINGS.get(getattr(promise, "of", ""), PLAIN)
        assert worst_figure(hidden, promise, reading) == best_figure(one, promise, READINGS, unit=unit)


@given(ROWS, ROWS, st.sampled_from([("p",), ("p", "f"), ("p", "t", "n")]))
def test_all_hidden_is_best_beside_a_population(rows: list[str], others: list[str], over: tuple[str, ...]) -> None:
    one = table(*rows)
    population = [dict(zip(NAMES, row, strict=True)) for row in (*rows, *others)]
    found = [beside(each.rows, recoded(one, each.cut, population), over) for each in every_cut(one, [])]
    hidden = all_hidden(population, one.changeable)
    best = beside(hidden[: len(rows)], hidden, over)
    assert min(group.population for group in best.values()) == max(
        min(group.population for group in each.values()) for each in found
    )
    assert membership_figure(best) == min(map(membership_figure, found))


@MANY
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), st.fractions(1, 5, max_denominator=20))
def test_effective_values_agree_with_the_exact_comparison(counts: list[int], least: Fraction) -> None:
    found = effective_values(counts)
    if abs(found - float(least)) > 1e-9:
        assert (found > least) == diverse(counts, least, "entropy")
