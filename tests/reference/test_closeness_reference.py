"""The reference version of t-closeness: the paper's examples, and the formulas beside the transport problem itself."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.profiles import MANY
from tests.reference.closeness import (
    Close,
    Counts,
    by_number,
    equal,
    equal_ground,
    in_tree,
    li_in_tree,
    ordered,
    ordered_ground,
    programmed,
    transported,
    tree_ground,
)
from tests.reference.cuts import leaves
from tests.reference.parts import Nested, Value, in_order
from tests.reference.promise_cuts import worst_figure
from tests.reference.promises import PLAIN, Reading, each_row, kept

pytestmark = pytest.mark.reference

# Li, Li and Venkatasubramanian 2007, tables 3 and 5 and figure 1: salaries in thousands.
PATIENTS = [
    ("4767* <=40", "3", "gastric ulcer"), ("4767* <=40", "5", "stomach cancer"), ("4767* <=40", "9", "pneumonia"),
    ("4790* >=40", "6", "gastritis"), ("4790* >=40", "11", "flu"), ("4790* >=40", "8", "bronchitis"),
    ("4760* <=40", "4", "gastritis"), ("4760* <=40", "7", "bronchitis"), ("4760* <=40", "10", "stomach cancer"),
]  # fmt: skip


def counts(values: Iterable[Value]) -> Counter[Value]:
    return Counter(values)


def leaf(label: str) -> Nested:
    return label, ()


DISEASES: Nested = (
    "respiratory and digestive",
    (
        (
            "respiratory",
            (
                ("respiratory infection", (leaf("flu"), leaf("pneumonia"), leaf("bronchitis"))),
                ("vascular lung", (leaf("pulmonary edema"), leaf("pulmonary embolism"))),
            ),
        ),
        (
            "digestive",
            (
                ("stomach", (leaf("gastric ulcer"), leaf("stomach cancer"), leaf("gastritis"))),
                ("colon", (leaf("colitis"), leaf("colon cancer"))),
            ),
        ),
    ),
)
WHOLE = each_row({"q": q, "salary": salary, "disease": disease} for q, salary, disease in PATIENTS)


def test_the_salaries_of_the_paper() -> None:
    everywhere = counts(salary for _, salary, _ in PATIENTS)
    assert by_number(counts("345"), everywhere, PLAIN) == Fraction(3, 8)
    assert by_number(counts(["6", "8", "11"]), everywhere, PLAIN) == Fraction(1, 6)


def test_the_distances_of_the_paper() -> None:
    ground = tree_ground(DISEASES)
    assert ground["flu", "bronchitis"] == Fraction(1, 3)
    assert ground["flu", "pulmonary embolism"] == Fraction(2, 3)
    assert ground["flu", "stomach cancer"] == 1


def test_the_table_of_the_paper() -> None:
    salary, disease = (
        Close(("q",), "salary", Fraction(1, 6), "ordered"),
        Close(("q",), "disease", Fraction(8, 27), "tree"),
    )
    assert kept(WHOLE, salary)
    assert worst_figure(WHOLE, salary, PLAIN) == Fraction(1, 6)  # 0.167
    # gastritis, flu and bronchitis: 2/9 go the whole way; a third of the way goes 1/9 of what is ill at the stomach
    # and 1/9 of the infections
    readings = {"disease": Reading(tree=DISEASES)}
    assert kept(WHOLE, disease, readings)
    assert worst_figure(WHOLE, disease, readings["disease"]) == Fraction(8, 27)
    everywhere = counts(disease for _, _, disease in PATIENTS)
    here = counts(["gastritis", "flu", "bronchitis"])
    assert abs(programmed(here, everywhere, tree_ground(DISEASES)) - 8 / 27) < 1e-9


def test_who_tells_nothing_is_counted_nowhere() -> None:
    rows = [*({"q": "1", "s": s} for s in "aab*"), *({"q": "2", "s": s} for s in "ab**"), {"q": "3", "s": "*"}]
    whole = each_row(rows)
    promise = Close(("q",), "s", Fraction(1, 10))
    # a 3, b 2 of five that are known; in the one group 2 and 1, in the other 1 and 1
    assert worst_figure(whole, promise, PLAIN) == Fraction(1, 10)
    assert kept(whole, promise)
    assert not kept(whole, Close(("q",), "s", Fraction(99, 1000)))


def test_texts_of_one_number_are_one_value() -> None:
    assert by_number(counts(["1.0", "2"]), counts(["1", "1.0", "2", "3"]), PLAIN) == Fraction(1, 8) + Fraction(0)


def test_one_value_and_one_leaf_are_never_apart() -> None:
    assert equal(counts("a"), counts("aa")) == 0
    assert ordered(counts("a"), counts("aa"), ["a", "b"]) == 0
    assert in_tree(counts("a"), counts("aa"), ("r", (leaf("a"),))) == 0


def test_a_node_with_one_child_is_no_step() -> None:
    chain: Nested = ("r", (("x", (("y", (leaf("a"), leaf("b"))),)), leaf("c")))
    plain: Nested = ("r", (("y", (leaf("a"), leaf("b"))), leaf("c")))
    here, everywhere = counts("a"), counts("abc")
    assert in_tree(here, everywhere, chain) == in_tree(here, everywhere, plain) == Fraction(1, 3) * (1 + Fraction(1, 2))


def trees(letters: str) -> st.SearchStrategy[Nested]:
    """Any tree over some leaves, in their order; nodes with one child too."""

    @st.composite
    def over(draw: st.DrawFn, some: str) -> Nested:
        if len(some) == 1:
            return leaf(some) if draw(st.integers(0, 3)) else (f"({some})", (leaf(some),))
        cuts = sorted(draw(st.sets(st.integers(1, len(some) - 1), min_size=1)))
        ends = [0, *cuts, len(some)]
        children = tuple(draw(over(some[left:right])) for left, right in pairwise(ends))
        return f"<{some}>", children

    return over(letters)


def counted(letters: str, most: int) -> st.SearchStrategy[Counts]:
    some = st.lists(st.integers(0, most), min_size=len(letters), max_size=len(letters)).filter(any)
    return some.map(lambda found: Counter({one: count for one, count in zip(letters, found, strict=True) if count}))


@MANY
@given(trees("abcde"), counted("abcde", 2), counted("abcde", 1))
def test_the_formulas_are_the_cheapest_transport(tree: Nested, here: Counts, rest: Counts) -> None:
    everywhere = Counter(here) + Counter(rest)
    order: list[Value] = in_order(everywhere)
    pairs = [
        (equal(here, everywhere), equal_ground("abcde")),
        (ordered(here, everywhere, order), ordered_ground(order)),
        (in_tree(here, everywhere, tree), tree_ground(tree)),
    ]
    for formula, ground in pairs:
        assert abs(float(formula) - programmed(here, everywhere, ground)) < 1e-9
    assert pairs[2][0] == li_in_tree(here, everywhere, tree)


@given(trees("abcd"), st.lists(st.tuples(*[st.sampled_from("abcd")] * 2), min_size=1, max_size=6))
def test_the_formulas_are_the_best_of_all_pairings(tree: Nested, pairs: list[tuple[str, str]]) -> None:
    """Exactly, on distributions that few equal weights make up."""
    here, everywhere = counts(one for one, _ in pairs), counts(other for _, other in pairs)
    assume(set(here) <= set(everywhere))
    exact = transported(here, everywhere, tree_ground(tree))
    assert exact is not None
    assert in_tree(here, everywhere, tree) == exact
    assert equal(here, everywhere) == transported(here, everywhere, equal_ground("abcd"))
    order: list[Value] = in_order(everywhere)
    assert ordered(here, everywhere, order) == transported(here, everywhere, ordered_ground(order))


@MANY
@given(trees("abcde"), counted("abcde", 3), counted("abcde", 3))
def test_closeness_is_between_nothing_and_all(tree: Nested, here: Counts, rest: Counts) -> None:
    everywhere = Counter(here) + Counter(rest)
    assert in_order(leaves(tree)) == list("abcde")
    found = [equal(here, everywhere), ordered(here, everywhere, "abcde"), in_tree(here, everywhere, tree)]
    assert all(0 <= one < 1 for one in found)
    assert in_tree(here, everywhere, tree) <= equal(here, everywhere)
    flat: Nested = ("r", tuple(map(leaf, "abcde")))
    assert in_tree(here, everywhere, flat) == equal(here, everywhere)
