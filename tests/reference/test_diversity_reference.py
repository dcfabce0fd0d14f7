"""The reference version of l-diversity: the inpatients of the paper, groups by hand, and merging, exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.profiles import MANY
from tests.reference.cuts import Cut, Table, evaluate, lm
from tests.reference.disclosure import KAnonymity, Template
from tests.reference.diversity import (
    Diversity,
    Promise,
    Row,
    Silent,
    all_hidden,
    broken,
    every_cut,
    group,
    groups,
    keeps,
    least_loss,
    released,
    silent,
    worst,
)
from tests.reference.parts import Number, Tree, Value

pytestmark = pytest.mark.reference

# Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, figure 1: the inpatients.
HEART, VIRAL, CANCER = "Heart Disease", "Viral Infection", "Cancer"
INPATIENTS = [
    ("13053", "28", "Russian", HEART), ("13068", "29", "American", HEART), ("13068", "21", "Japanese", VIRAL),
    ("13053", "23", "American", VIRAL), ("14853", "50", "Indian", CANCER), ("14853", "55", "Russian", HEART),
    ("14850", "47", "American", VIRAL), ("14850", "49", "American", VIRAL), ("13053", "31", "American", CANCER),
    ("13053", "37", "Indian", CANCER), ("13068", "36", "Japanese", CANCER), ("13068", "35", "American", CANCER),
]  # fmt: skip
NAMES = ("Zip", "Age", "Nationality", "Condition")
KNOWN = NAMES[:3]
ZIP = Tree(
    (
        "*",
        (
            ("130**", (("1305*", (("13053", ()),)), ("1306*", (("13068", ()),)))),
            ("1485*", (("14853", ()), ("14850", ()))),
        ),
    )
)
PATIENTS = Table(NAMES, tuple(INPATIENTS), KNOWN, {"Zip": ZIP, "Age": Number(["30", "40"])})
FOUR_ANONYMOUS: Cut = {
    "Zip": frozenset({"130**", "1485*"}),
    "Age": frozenset({Fraction(30), Fraction(40)}),
    "Nationality": frozenset(),
}
"""Figure 2."""
THREE_DIVERSE: Cut = {
    "Zip": frozenset({"13053", "13068", "1485*"}),  # 1305* and 1306* have one code each
    "Age": frozenset({Fraction(40)}),
    "Nationality": frozenset(),
}
"""Figure 3."""
QUIET = silent()


def diverse(least: int) -> Diversity:
    return Diversity(KNOWN, "Condition", least)


def test_the_four_anonymous_table_of_the_paper_tells_who_has_cancer() -> None:
    rows = released(PATIENTS, FOUR_ANONYMOUS)
    found = groups(rows, KNOWN, "Condition", QUIET)
    assert [(one.rows, one.different) for one in found] == [(4, 2), (4, 3), (4, 1)]
    assert [one.known for one in worst(found)] == [{CANCER}]
    assert broken(rows, [KAnonymity(KNOWN, 4), diverse(1), diverse(2)], QUIET) == [diverse(2)]


def test_the_three_diverse_table_of_the_paper() -> None:
    rows = released(PATIENTS, THREE_DIVERSE)
    found = groups(rows, KNOWN, "Condition", QUIET)
    assert [(one.rows, one.different) for one in found] == [(4, 3)] * 3
    assert len(worst(found)) == 3
    assert broken(rows, [KAnonymity(KNOWN, 4), diverse(3), diverse(4)], QUIET) == [diverse(4)]


def test_the_best_of_all_cuts_of_the_paper_s_table() -> None:
    tried = list(every_cut(PATIENTS, [diverse(3), KAnonymity(KNOWN, 4)], QUIET))
    assert len(tried) == 5 * 4 * 2**4  # any, or 130** or its two beside 1485* or its two; ages; nationalities
    (three,) = (one for one in tried if one.cut == THREE_DIVERSE)
    (four,) = (one for one in tried if one.cut == FOUR_ANONYMOUS)
    assert not three.broken
    assert four.broken == (diverse(3),)
    assert least_loss(PATIENTS, [diverse(4)], QUIET) is None
    found = [least_loss(PATIENTS, [diverse(least)], QUIET) for least in (1, 2, 3)]
    losses = [one[0] for one in found if one is not None]
    assert len(losses) == 3
    assert losses == sorted(losses)
    # Where everybody may be told from everybody, only ages are lost: 21 to 29, 31 to 37 and 47 to 55 of 21 to 55.
    assert losses[0] == Fraction(4 * 8 + 4 * 6 + 4 * 8, 34) / 36
    assert losses[2] <= three.loss


# Groups by hand


def rows_of(text: str) -> list[Row]:
    """`a:x a:y b:?`: rows with a known and a counted cell."""
    return [dict(zip(("q", "s"), cells.split(":"), strict=True)) for cells in text.split()]


Q = Diversity(("q",), "s", 2)


@pytest.mark.parametrize(
    ("text", "different", "holds"),
    [
        ("a:x a:y b:x b:z", [2, 2], True),
        ("a:x a:x b:x b:z", [1, 2], False),
        ("a:x a:* b:x b:z", [1, 2], False),  # who is hidden may be anybody, and adds nothing
        ("a:* a:* b:x b:z", [0, 2], True),  # nothing is known of a
        ("a:? a:? b:x b:z", [0, 2], True),
        ("*:x *:x *:y", [2], True),  # masked rows are a group like any other
        ("*:x *:x a:y a:x", [1, 2], False),
        ("", [], True),
    ],
)
def test_groups_by_hand(text: str, different: list[int], holds: bool) -> None:
    quiet = silent(unknown=["?", None])
    found = groups(rows_of(text), ["q"], "s", quiet)
    assert [one.different for one in found] == different
    assert keeps(rows_of(text), Q, quiet) == holds
    assert {one.different for one in worst(found)} <= {min(filter(None, different), default=0)}


def test_missing_values_are_values_unless_they_are_unknown() -> None:
    rows: list[Row] = [{"q": "a", "s": None}, {"q": "a", "s": "x"}]
    assert keeps(rows, Q, silent())
    assert not keeps(rows, Q, silent(unknown=[None]))


def test_a_coarse_text_breaks_it_and_the_root_tells_nothing() -> None:
    quiet = Silent(silent(root="any").texts, frozenset({"HIV"}))
    ten = [{"q": "a", "s": "HIV"}] * 10
    assert not keeps(ten, Diversity(("q",), "s", 1), quiet)  # its children may be two values, and all are HIV
    assert not keeps([*ten, *rows_of("b:x b:y")], Q, quiet)
    assert not keeps([*rows_of("a:x a:y"), {"q": "a", "s": "HIV"}], Q, quiet)
    assert keeps([{"q": "a", "s": "any"}, *rows_of("b:x b:y")], Q, quiet)


def test_templates_and_k_beside_it() -> None:
    rows = rows_of("a:x a:y a:* b:x b:y")
    promises: list[Promise] = [
        Q, KAnonymity(("q",), 2), KAnonymity(("q",), 3),
        Template(("q",), "s", "x", Fraction(1, 2)), Template(("q",), "s", "x", Fraction(1, 3)),
    ]  # fmt: skip
    assert broken(rows, promises, QUIET) == [promises[2], promises[4]]


# Merging

VALUES = ["v", "w", "x", "y"]


@pytest.mark.parametrize("least", [1, 2, 3, 4, 5])
def test_merging_never_breaks_it_whatever_is_known(least: int) -> None:
    """All pairs of groups there are: what matters of a group is which values it has, and whether some are hidden."""
    sets = [list(some) for size in range(5) for some in combinations(VALUES, size)]
    every = [some + hidden for some, hidden in product(sets, ([], ["*"])) if some + hidden]
    for one, other in product(every, repeat=2):
        if _holds(one, least) and _holds(other, least):
            assert _holds(one + other, least)


def _holds(cells: Sequence[Value], least: int) -> bool:
    return group((), cells, QUIET).keeps(least)


cells = st.lists(st.sampled_from([*VALUES, "*", None, "inner"]), min_size=1, max_size=9)


@MANY
@given(cells, cells, st.integers(1, 5))
def test_merging_never_breaks_it(one: list[Value], other: list[Value], least: int) -> None:
    quiet = Silent(silent(unknown=[None]).texts, frozenset({"inner"}))
    first, second, both = (group((), some, quiet) for some in (one, other, one + other))
    assert both.keeps(least) or not (first.keeps(least) and second.keeps(least))
    assert both.different >= max(first.different, second.different)


# All cuts


@st.composite
def tables(draw: st.DrawFn) -> Table:
    plain, ages, ills = (st.sampled_from(some) for some in (["p", "q", "r"], ["1", "5", "9"], ["v", "w", "x", "*"]))
    town = st.sampled_from(["oslo", "rome", "bari"])
    rows = draw(st.lists(st.tuples(plain, town, ages, ills), min_size=1, max_size=7))
    tree = Tree(("any", (("oslo", ()), ("south", (("rome", ()), ("bari", ()))))))
    return Table(("job", "town", "age", "ill"), tuple(rows), ("job", "town", "age"), {"town": tree, "age": Number()})


@given(tables(), st.integers(1, 4), st.lists(st.sampled_from(["job", "town", "age"]), min_size=1, unique=True))
def test_a_coarser_cut_is_never_less_safe(table: Table, least: int, over: list[str]) -> None:
    promise = Diversity(tuple(over), "ill", least)
    tried = list(every_cut(table, [promise], QUIET))
    safe = {table.bits(one.cut): not one.broken for one in tried}
    assert len(safe) == len(tried)
    hidden = all_hidden([dict(zip(table.names, row, strict=True)) for row in table.rows], table.changeable)
    assert any(safe.values()) == keeps(hidden, promise, QUIET)
    for fine, coarse in product(safe, repeat=2):
        if all(a >= b for a, b in zip(fine, coarse, strict=True)):
            assert safe[coarse] or not safe[fine]


@given(tables(), st.integers(1, 4))
def test_the_loss_is_that_of_the_other_reference(table: Table, k: int) -> None:
    """With k-anonymity alone, what is lost and which cuts need no suppressed row are known from elsewhere."""
    promise = KAnonymity(table.changeable, k)
    weights = {"job": Fraction(3), "age": Fraction(1, 2)}
    for one in every_cut(table, [promise], QUIET, weights):
        outcome = evaluate(table, one.cut, [promise], "ours")
        assert (not outcome.suppressed and outcome.holds) == (not one.broken)
        if not one.broken:
            assert lm(outcome, weights) == one.loss
