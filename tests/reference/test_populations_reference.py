"""The reference version of promises that look at a population: groups by hand, masked rows, merging."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import MANY
from tests.reference.cuts import Cut, Table
from tests.reference.parts import Number, Tree
from tests.reference.populations import Beside, NotCovered, beside, k_map, membership, membership_figure
from tests.reference.promise_cuts import recoded
from tests.reference.promises import Cell, Row

pytestmark = pytest.mark.reference

HALF = Fraction(1, 2)


def rows(*looks: str) -> list[Row]:
    return [{"a": look[0], "b": look[1]} for look in looks]


def test_groups_beside_a_population_by_hand() -> None:
    released, population = rows("xu", "xu", "yv"), rows("xu", "xu", "xu", "yv", "yv", "zw")
    found = beside(released, population, ["a", "b"])
    assert found == {("x", "u"): Beside(2, 3), ("y", "v"): Beside(1, 2)}
    assert k_map(found, 2)
    assert not k_map(found, 3)
    assert membership_figure(found) == Fraction(2, 3)
    assert membership(found, Fraction(2, 3))
    assert not membership(found, HALF)
    with pytest.raises(NotCovered):
        beside(released, rows("xu", "yv"), ["a", "b"])


def test_masked_rows_stand_for_whoever_is_not_released_unmasked() -> None:
    released = rows("xu", "xu", "**", "**")
    population = rows("xu", "xu", "yu", "yv", "zw", "zw")
    assert beside(released, population, ["a", "b"], masked={2, 3}) == {
        ("x", "u"): Beside(2, 2),
        ("*", "*"): Beside(2, 4),
    }
    # b cannot change: of the masked rows it is still known
    released = rows("xu", "xu", "*u", "*w")
    found = beside(released, population, ["a", "b"], masked={2, 3}, fixed={"b"})
    assert found == {("x", "u"): Beside(2, 2), ("*", "u"): Beside(1, 1), ("*", "w"): Beside(1, 2)}
    # values that are hidden everywhere look like masked rows: both count
    released = rows("xu", "**", "**")
    population = rows("xu", "**", "yv", "yv")
    assert beside(released, population, ["a", "b"], masked={2})["*", "*"] == Beside(2, 3)


def test_what_the_table_has_not_falls_under_the_marker_or_an_open_interval() -> None:
    tree = Tree(("any", (("n", (("o", ()), ("t", ()))), ("s", ()))))
    table = Table(("p", "n", "t"), (("x", "1", "o"), ("y", "5", "s")), ("p", "n", "t"), {"n": Number(), "t": tree})
    cut: Cut = {"p": frozenset({"x"}), "n": frozenset({Fraction(5)}), "t": frozenset({"n", "s"})}
    people = [
        {"p": p, "n": n, "t": t} for p, n, t in (("x", "1", "o"), ("z", "99", "t"), ("y", "-3", "s"), ("x", "4", "s"))
    ]
    found = recoded(table, cut, people)
    low, high = found[0]["n"], found[1]["n"]
    assert low != high
    assert [row["n"] for row in found] == [low, high, low, low]
    assert [row["t"] for row in found] == ["n", "n", "s", "s"]
    assert found[0]["p"] == found[3]["p"] == "x"
    assert found[1]["p"] == found[2]["p"] != "x"


ROWS = st.lists(st.sampled_from(["xu", "xv", "yu", "yv", "zu"]), min_size=1, max_size=8)
COARSER = st.fixed_dictionaries({letter: st.sampled_from("x*") for letter in "xyz"})


@MANY
@given(ROWS, ROWS, COARSER)
def test_both_promises_are_safe_under_merging(some: list[str], others: list[str], coarser: dict[Cell, Cell]) -> None:
    released, population = rows(*some), rows(*some, *others)
    before = beside(released, population, ["a", "b"])
    merged: list[Row] = [{**row, "a": coarser[row["a"]]} for row in population]
    after = beside(merged[: len(some)], merged, ["a", "b"])
    assert min(group.population for group in after.values()) >= min(group.population for group in before.values())
    assert membership_figure(after) <= membership_figure(before)
