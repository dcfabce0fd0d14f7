"""The reference version of top-down disclosure with taxonomies, numbers, missing values, k-anonymity, regression.

The expected figures are worked out by hand, beside them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.disclosure import (
    Cell,
    Hidden,
    KAnonymity,
    Number,
    Outcome,
    Requirement,
    Split,
    Template,
    Tree,
    Unsatisfiable,
    Use,
    Value,
    confidence,
    disclose,
    smallest_group,
)
from tests.reference.parts import Nested, Node, contracted, start
from tests.reference.test_disclosure_reference import Rows, assert_steps, number, template

pytestmark = pytest.mark.reference

# Columns with a taxonomy


def leaf(label: str) -> Nested:
    return label, ()


EUROPE: Nested = (
    "Europe",
    (("West", (leaf("DE"), leaf("FR"))), ("East", (leaf("PL"), leaf("CZ"), leaf("HU")))),
)
NOTHING = template(["q"], "s", "x", "0")  # kept by every table without an x, at no loss


def figures(outcome: Outcome) -> list[tuple[Any, ...]]:
    return [(step.kind, step.value, step.cut, step.gain, step.tied) for step in outcome.steps]


def one_column(values: Sequence[str | None], kind: Tree | Number | None, use: Use, **options: Any) -> Outcome:
    """What is disclosed of a single column `q` when nothing is in the way."""
    rows: Rows = [[value, "y"] for value in values]
    return disclose(["q", "s"], rows, [NOTHING], use=use, kinds={"q": kind} if kind else {}, **options)


def test_a_node_is_specialised_into_its_children() -> None:
    values = ["DE", "DE", "FR", "FR", "PL", "PL", "CZ", "CZ"]
    # 8 rows lose 1; then 4 lose 1/4 and 4 lose 2/4; HU is a leaf without rows
    counts = one_column(values, Tree(EUROPE), "counts")
    assert figures(counts) == [
        ("specialise", "Europe", None, 8 - 1 - 2, 1),
        ("specialise", "East", None, 2, 1),
        ("specialise", "West", None, 1, 1),
    ]
    assert counts.nodes == {"q": {"DE", "FR", "PL", "CZ", "HU"}}
    assert (counts.suppressed, counts.cuts) == ({}, {})
    general = one_column(values, Tree(EUROPE), "general")
    assert [step.gain for step in general.steps] == [5 / 8, 2 / 8, 1 / 8]


def test_specialising_for_a_class() -> None:
    west: Rows = [["DE", "x", "1"], ["DE", "x", "1"], ["FR", "y", "0"], ["FR", "y", "0"]]
    east: Rows = [["PL", "x", "1"], ["PL", "y", "0"], ["CZ", "x", "0"], ["CZ", "y", "1"]]
    rows = west + east
    kinds = {"q": Tree(EUROPE)}
    rule = template(["q"], "s", "x", "1")
    outcome = disclose(["q", "s", "c"], rows, [rule], use="classify", target="c", kinds=kinds)
    # half of Europe, of the West, of the East are of class 1 and have x; DE and FR are pure in both
    assert_steps(
        outcome.steps,
        [["q", "Europe", 0, 0, 0, 1], ["q", "West", 1 / (1 + 1 / 2), 1, 1 / 2, 1], ["q", "East", 0, 0, 0, 1]],
    )
    # x of DE may not be inferred: the West stays, and all that are there look alike
    stays = disclose(["q", "s", "c"], rows, [template(["q"], "s", "x", "0.5")], use="classify", target="c", kinds=kinds)
    assert [step.value for step in stays.steps] == ["Europe", "East"]
    assert stays.nodes == {"q": {"West", "PL", "CZ", "HU"}}
    assert stays.released == {"q": {"DE": "West", "FR": "West", "PL": "PL", "CZ": "CZ"}}
    # the East has one class: nothing to be gained there, unless everything is disclosed
    pure = west + [[q, s, "0"] for q, s, _ in east]
    beneficial = disclose(["q", "s", "c"], pure, [rule], use="classify", target="c", kinds=kinds)
    assert beneficial.nodes == {"q": {"DE", "FR", "East"}}
    always = disclose(["q", "s", "c"], pure, [rule], use="classify", target="c", kinds=kinds, always=True)
    assert always.nodes == {"q": {"DE", "FR", "PL", "CZ", "HU"}}


def test_nodes_tie_in_the_order_of_their_leaves() -> None:
    tree: Nested = ("*", (("Z", (leaf("9"), ("M", (leaf("8"), leaf("7"))))), ("A", (leaf("2"), leaf("1"), leaf("0")))))
    outcome = one_column(["9", "8", "2"], Tree(tree), "classify", target="s", always=True)
    assert [(step.value, step.tied) for step in outcome.steps] == [("*", 1), ("Z", 2), ("M", 2), ("A", 1)]


def test_a_node_is_specialised_for_one_child_but_not_for_no_rows() -> None:
    outcome = one_column(["DE"], Tree(EUROPE), "general")
    assert figures(outcome) == [("specialise", "Europe", None, 3 / 4, 1), ("specialise", "West", None, 1 / 4, 1)]
    assert outcome.nodes == {"q": {"DE", "FR", "East"}}
    assert one_column([], Tree(EUROPE), "general").nodes == {"q": {"Europe"}}


def test_nodes_with_one_child_are_contracted() -> None:
    west: Nested = ("West", (leaf("DE"), leaf("FR")))
    middle: Nested = ("Middle", (("Alps", (leaf("CH"),)),))
    tree: Nested = ("*", (("Earth", (("Europe", (west, middle)),)),))
    assert contracted(tree) == ("*", (west, leaf("CH")))
    # 2 of 3 leaves are in the West: each of the 2 rows loses 1, then DE's row loses 1/2
    outcome = one_column(["CH", "DE"], Tree(tree), "counts")
    assert figures(outcome) == [("specialise", "*", None, 2 - 1 / 2, 1), ("specialise", "West", None, 1 / 2, 1)]

    assert contracted(("*", (("Alps", (leaf("CH"),)),))) == leaf("CH")
    only = one_column(["CH", "CH"], Tree(("*", (("Alps", (leaf("CH"),)),))), "counts")
    assert (only.steps, only.nodes) == ([], {"q": {"CH"}})


def test_errors_in_taxonomies() -> None:
    with pytest.raises(ValueError, match="not in the taxonomy"):
        one_column(["DE", "Atlantis"], Tree(EUROPE), "counts")
    with pytest.raises(ValueError, match="same label"):
        one_column(["DE"], Tree(("*", (leaf("DE"), ("West", (leaf("DE"), leaf("FR")))))), "counts")


# Missing values


def test_missing_values_are_the_first_leaves_of_a_taxonomy() -> None:
    values = ["?", "DE", None, "", "FR"]
    outcome = one_column(values, Tree(EUROPE), "counts", missing={"?", "", "absent", "FR"})
    # 8 leaves: None, "" and ? are added, FR was there; of 5 rows 2 are then in the West and lose 1/7
    assert figures(outcome) == [
        ("specialise", "Europe", None, number(5 - 2 / 7), 1),
        ("specialise", "West", None, number(2 / 7), 1),
    ]
    assert outcome.nodes == {"q": {None, "", "?", "DE", "FR", "East"}}
    (root,) = start(Tree(EUROPE), set(values), {None, "?", ""})
    assert isinstance(root, Node)
    assert [child.cell for child in root.children] == [None, "", "?", "West", "East"]
    with pytest.raises(ValueError, match="not in the taxonomy"):
        one_column(["?"], Tree(EUROPE), "counts")


def test_missing_values_beside_a_single_leaf() -> None:
    for tree, label in ((("All", (leaf("DE"),)), "All"), (leaf("DE"), "*")):
        outcome = one_column(["DE", None], Tree(tree), "counts")
        assert figures(outcome) == [("specialise", label, None, 2, 1)]
        assert outcome.nodes == {"q": {"DE", None}}


def test_missing_values_stand_beside_the_numbers() -> None:
    outcome = one_column([None, "?", "10", "20", "30", "30"], Number(), "counts", missing={"?"})
    # the root: 6 - 4*1; cut at 30: 4*1 - 2*1/2 (at 20: 4*1 - 3*1/2); cut at 20: 2*1/2
    assert figures(outcome) == [
        ("specialise", "*", None, 2, 1),
        ("split", "[10, 30]", "30", 3, 1),
        ("split", "[10, 30)", "20", 1, 1),
    ]
    assert outcome.cuts == {"q": ["20", "30"]}
    assert outcome.released == {
        "q": {None: None, "?": "?", "10": "[10, 20)", "20": "[20, 30)", "30": "[30, 30]"}
    }  # fmt: skip
    # one number: the interval has lost nothing, and there is nothing to split
    assert figures(one_column(["10", None], Number(), "counts")) == [("specialise", "*", None, 2, 1)]
    assert figures(one_column([None], Number(), "counts")) == [("specialise", "*", None, 1, 1)]


def test_missing_values_may_not_be_told_apart() -> None:
    rule = template(["q"], "s", "x", "0.5")
    rows: Rows = [[None, "x"], ["1", "y"], ["2", "x"], ["3", "y"]]
    outcome = disclose(["q", "s"], rows, [rule], use="counts", kinds={"q": Number()})
    assert (outcome.steps, outcome.cuts) == ([], {"q": []})
    assert set(outcome.released["q"].values()) == {"*"}


# Numbers


def test_an_interval_is_split_at_the_best_cut() -> None:
    outcome = one_column(["1", "2", "4", "9"], Number(), "general")
    # cut at 9: 4*1 - 3*3/8; at 4: 4*1 - 2*1/8 - 2*5/8; at 2: 4*1 - 3*7/8
    assert figures(outcome) == [
        ("split", "[1, 9]", "9", number((4 - 9 / 8) / 4), 1),
        ("split", "[1, 9)", "4", number((9 / 8 - 2 / 8) / 4), 1),
        ("split", "[1, 4)", "2", number(2 / 8 / 4), 1),
    ]
    assert outcome.cuts == {"q": ["2", "4", "9"]}
    assert outcome.released["q"] == {"1": "[1, 2)", "2": "[2, 4)", "4": "[4, 9)", "9": "[9, 9]"}


def test_ties_of_cuts_and_of_intervals() -> None:
    # each cut parts the only other class from the rest: 1 and 4 are alike
    outcome = disclose(
        ["q", "s", "c"],
        [["1", "y", "+"], ["2", "y", "-"], ["3", "y", "-"], ["4", "y", "+"]],
        [NOTHING],
        use="classify",
        target="c",
        kinds={"q": Number()},
        always=True,
    )
    third = -1 / 3 * math.log2(1 / 3) - 2 / 3 * math.log2(2 / 3)
    assert figures(outcome) == [
        ("split", "[1, 4]", "2", number(1 - 3 / 4 * third), 1),
        ("split", "[2, 4]", "4", number(third), 1),
        ("split", "[2, 4)", "3", 0, 1),
    ]
    # without a gain anywhere: the smallest cut, the first interval, one candidate for each interval
    flat = one_column(["4", "3", "2", "1"], Number(), "classify", target="s", always=True)
    assert [(step.value, step.cut, step.tied) for step in flat.steps] == [
        ("[1, 4]", "2", 1),
        ("[2, 4]", "3", 1),
        ("[3, 4]", "4", 1),
    ]
    # 1 2 | 8 9: both halves are then as good
    halves = one_column(["1", "2", "8", "9"], Number(), "counts")
    assert [(step.value, step.cut, step.tied) for step in halves.steps] == [
        ("[1, 9]", "8", 1),
        ("[1, 8)", "2", 2),
        ("[8, 9]", "9", 1),
    ]


def test_numbers_are_compared_exactly() -> None:
    values = ["1e3", "9", "1000.0", "-3.50", "10", "1000", "0.1", "0.10000000000000000001"]
    outcome = one_column(values, Number(), "classify", target="s", always=True)
    # always the smallest cut; of three texts for a thousand the first in code-point order stands for all
    assert [step.cut for step in outcome.steps] == ["0.1", "0.10000000000000000001", "9", "10", "1000"]
    assert outcome.steps[0].value == "[-3.50, 1000]"
    assert outcome.steps[-1].value == "[10, 1000]"
    assert {outcome.released["q"][text] for text in ("1000", "1e3", "1000.0")} == {"[1000, 1000]"}
    with pytest.raises(ArithmeticError):
        one_column(["1", "many"], Number(), "counts")


def test_the_best_cut_may_be_invalid() -> None:
    rows: Rows = [["1", "x", "1"], ["2", "x", "1"], ["3", "y", "0"], ["4", "y", "0"]]
    runs = {
        split: disclose(
            ["q", "s", "c"],
            rows,
            [template(["q"], "s", "x", "0.7")],
            use="classify",
            target="c",
            kinds={"q": Number()},
            split=split,
        )
        for split in ("best", "best_valid")
    }
    # at 3 all of the left part have x; at 4 two of three, up from two of four
    assert (runs["best"].steps, runs["best"].cuts) == ([], {"q": []})
    third = -1 / 3 * math.log2(1 / 3) - 2 / 3 * math.log2(2 / 3)
    gain, loss = 1 - 3 / 4 * third, 2 / 3 - 1 / 2
    assert_steps(runs["best_valid"].steps, [["q", "[1, 4]", gain / (1 + loss), gain, loss, 1]])
    assert runs["best_valid"].cuts == {"q": ["4"]}


def test_given_end_points_are_the_only_cuts() -> None:
    values = ["5", "17", "23", "40"]
    outcome = one_column(values, Number(ends=["99", "20", "18", "30", "5"]), "general")
    # at 30: 4*1 - 3*18/35 (at 18 or 20: 4*1 - 2*12/35 - 2*17/35); then 18 and 20 part the same rows; the end
    # points 5 and 99 part none, nor does 20 once 18 has
    assert figures(outcome) == [
        ("split", "[5, 40]", "30", number((4 - 54 / 35) / 4), 1),
        ("split", "[5, 30)", "18", number((54 / 35 - 24 / 35) / 4), 1),
    ]
    assert outcome.cuts == {"q": ["18", "30"]}
    assert outcome.released["q"] == {"5": "[5, 18)", "17": "[5, 18)", "23": "[18, 30)", "40": "[30, 40]"}
    assert one_column(values, Number(ends=["40", "4e1"]), "general").cuts == {"q": ["40"]}
    assert one_column(values, Number(ends=[]), "general").steps == []


def test_dates() -> None:
    values = ["2024-12-31", "2024-03-01", "2024-02-28", "2024-02-29"]
    outcome = one_column(values, Number(dates=True), "counts")
    # 307 days from the 59th to the 366th day of a leap year
    assert figures(outcome) == [
        ("split", "[2024-02-28, 2024-12-31]", "2024-12-31", number(4 - 3 * 2 / 307), 1),
        ("split", "[2024-02-28, 2024-12-31)", "2024-02-29", number(3 * 2 / 307 - 2 / 307), 1),
        ("split", "[2024-02-29, 2024-12-31)", "2024-03-01", number(2 / 307), 1),
    ]
    quarters = ["2024-01-01", "2024-04-01", "2024-07-01", "2024-10-01"]
    assert one_column(values, Number(ends=quarters, dates=True), "counts").cuts == {"q": ["2024-04-01"]}


# k-anonymity


def test_k_anonymity() -> None:
    rows: Rows = [["a"], ["a"], ["b"], ["b"], ["c"]]
    rule = KAnonymity(("q",), 2)
    outcome = disclose(["q"], rows, [rule], use="counts")
    # one of 5 before; then a group of 2 is the smallest; c would be alone, and with a gone so would b's rest
    loss = 1 / 2 - 1 / 5
    assert_steps(outcome.steps, [["q", "a", 2 / (1 + loss), 2, loss, 2]])
    assert outcome.suppressed == {"q": {"b", "c"}}
    assert outcome.confidence == {rule: Fraction(1, 2)}
    with pytest.raises(Unsatisfiable) as error:
        disclose(["q"], rows, [KAnonymity(("q",), 6)], use="counts")
    assert error.value.least == {KAnonymity(("q",), 6): Fraction(1, 5)}


def test_k_anonymity_beside_templates() -> None:
    rows: Rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"], ["c", "x"]]
    rules: list[Requirement] = [KAnonymity(("q",), 2), template(["q"], "s", "x", "0.5")]
    outcome = disclose(["q", "s"], rows, rules, use="counts")
    # a: 1/5 to 1/2 and 2/5 to 1/2; without b two of three have x; c would be alone
    loss = (Fraction(1, 2) - Fraction(1, 5) + Fraction(1, 2) - Fraction(2, 5)) / 2
    assert_steps(outcome.steps, [["q", "a", 2 / (1 + loss), 2, loss, 1]])
    assert outcome.confidence == {rules[0]: Fraction(1, 2), rules[1]: Fraction(1, 2)}


def test_k_anonymity_over_intervals_and_nodes() -> None:
    rows: Rows = [["1", "DE"], ["2", "FR"], ["3", "PL"], ["4", "CZ"]]
    kinds: dict[str, Tree | Number] = {"n": Number(), "t": Tree(EUROPE)}
    outcome = disclose(["n", "t"], rows, [KAnonymity(("n", "t"), 2)], use="counts", kinds=kinds)
    # n at 3: 4 - 2*1/3 - 2*1/3; t: 4 - 2*1/4 - 2*2/4; both from 1/4 to 1/2; then t again, at no loss
    assert_steps(outcome.steps, [["n", "[1, 4]", (8 / 3) / (5 / 4), 8 / 3, 1 / 4, 1], ["t", "Europe", 2.5, 2.5, 0, 1]])
    assert (outcome.cuts, outcome.nodes) == ({"n": ["3"]}, {"t": {"West", "East"}})


def test_columns_that_may_not_change_split_groups() -> None:
    rows: Rows = [["a", "x", "1"], ["a", "y", "1"], ["b", "x", "2"], ["b", "y", "2"]]
    over = KAnonymity(("q", "s", "c"), 1)
    outcome = disclose(["q", "s", "c"], rows, [over, template(["q"], "s", "x", "0.5")], use="classify", target="c")
    assert set(outcome.suppressed) == {"q"}
    with pytest.raises(Unsatisfiable) as error:
        disclose(
            ["q", "s", "c"],
            rows,
            [KAnonymity(("q", "s", "c"), 2), template(["q"], "s", "x", "0.5")],
            use="classify",
            target="c",
        )
    assert set(error.value.least.values()) == {Fraction(1)}
    # no template on s: it is hidden like any other
    assert set(disclose(["q", "s", "c"], rows, [over], use="counts").suppressed) == {"q", "s", "c"}


def test_redundant_k_anonymity() -> None:
    rows: Rows = [["a", "b", "x"], ["a", "b", "y"], ["a", "c", "x"], ["a", "c", "y"]]
    rules: list[Requirement] = [
        KAnonymity(("p",), 2),  # implied by the next
        KAnonymity(("q", "p"), 2),
        KAnonymity(("p", "q"), 2),  # the same again
        KAnonymity(("p",), 3),  # fewer columns, but more rows
        KAnonymity(("p", "q"), 1),  # the same columns, fewer rows
        template(["p"], "s", "x", "0.5"),  # another matter
    ]
    outcome = disclose(["p", "q", "s"], rows, rules, use="counts")
    assert outcome.dropped == [rules[0], rules[2], rules[4]]
    assert list(outcome.confidence) == [rules[1], rules[3], rules[5]]
    # one pair for a set of columns, however often it is asked for
    kept = disclose(["p", "q", "s"], rows, rules, use="counts", remove_redundant=False)
    assert kept.steps == outcome.steps
    # p splits nothing; q: {p} has no q in it, {p, q} goes from 1/4 to 1/2
    assert [(step.column, step.value, step.loss) for step in kept.steps] == [
        ("p", "a", 0),
        ("q", "b", 1 / 4),
        ("q", "c", 0),
    ]


# Regression and inputs


def test_regression_takes_variance_away() -> None:
    columns, rule = ["q", "s", "income"], NOTHING
    rows: Rows = [["1", "y", "0"], ["1", "y", "0.0"], ["2", "y", "4"], ["3", "y", "8"]]
    # mean 3, variance 11; without 1 the variance of 4 and 8: 4; without 2 that of 0, 0, 8: 128/9; without 3 32/9
    plain = disclose(columns, rows, [rule], use="regress", target="income")
    assert figures(plain) == [
        ("disclose", "1", None, number((11 - 2 / 4 * 4) / 11), 1),
        ("disclose", "2", None, number(4 / 11), 2),
        ("disclose", "3", None, 0, 1),
    ]
    # at 2 as without 1, at 3 as without 3
    numbers = disclose(columns, rows, [rule], use="regress", target="income", kinds={"q": Number()})
    assert figures(numbers) == [
        ("split", "[1, 3]", "2", number(9 / 11), 1),
        ("split", "[2, 3]", "3", number(4 / 11), 1),
    ]
    tree: Nested = ("*", (leaf("1"), ("more", (leaf("2"), leaf("3")))))
    nodes = disclose(columns, rows, [rule], use="regress", target="income", kinds={"q": Tree(tree)})
    assert figures(nodes) == [
        ("specialise", "*", None, number(9 / 11), 1),
        ("specialise", "more", None, number(4 / 11), 1),
    ]
    same = disclose(columns, [[q, s, "7"] for q, s, _ in rows], [rule], use="regress", target="income")
    assert [(step.value, step.gain, step.tied) for step in same.steps] == [("1", 0, 3), ("2", 0, 2), ("3", 0, 1)]
    with pytest.raises(ValueError, match="target"):
        disclose(columns, rows, [rule], use="regress")


def test_columns_that_are_no_inputs_gain_nothing() -> None:
    columns = ["p", "n", "q", "s", "c"]
    rows: Rows = [["a", "1", "a", "y", "0"], ["a", "2", "b", "y", "0"], ["b", "3", "b", "y", "1"]]
    rules = [template(["p", "n", "q"], "s", "x", "0")]

    def run(use: Use, always: bool | None) -> Outcome:
        kinds = {"n": Number()}
        return disclose(columns, rows, rules, use=use, target="c", kinds=kinds, inputs=["q"], always=always)

    beneficial = run("classify", None)
    assert [(step.column, step.value) for step in beneficial.steps] == [("q", "a"), ("q", "b")]
    assert beneficial.suppressed == {"p": {"a", "b"}, "q": set()}
    assert beneficial.cuts == {"n": []}
    third = -1 / 3 * math.log2(1 / 3) - 2 / 3 * math.log2(2 / 3)
    uses: dict[Use, float] = {"classify": third - 2 / 3, "regress": (2 / 9 - 2 / 3 * 1 / 4) / (2 / 9)}
    for use, first in uses.items():
        always = run(use, always=True)
        assert_steps(
            always.steps,
            [
                ["q", "a", first, first, 0, 2],
                *(["p", "a", 0, 0, 0, 4], ["p", "b", 0, 0, 0, 3]),
                *(["n", "[1, 3]", 0, 0, 0, 2], ["n", "[2, 3]", 0, 0, 0, 2], ["q", "b", 0, 0, 0, 1]),
            ],
        )
        assert always.cuts == {"n": ["2", "3"]}  # the smallest first
    with pytest.raises(ValueError, match="inputs"):
        disclose(columns, rows, rules, use="general", inputs=["q"])


# All together

MIXED = ["p", "t", "n", "s", "c"]
MIXED_KINDS: dict[str, Tree | Number] = {"t": Tree(EUROPE), "n": Number()}
CELLS: list[Sequence[str | None]] = [
    "ab?",
    [None, "DE", "FR", "PL", "HU"],
    [None, "1", "2.0", "2", "10", "?"],
    "xyz",
    "012",
]
rows_of_all_kinds = st.lists(st.tuples(*map(st.sampled_from, CELLS)).map(list), min_size=1, max_size=14)
requirements = st.lists(
    st.one_of(
        st.builds(KAnonymity, st.sampled_from([("p", "t"), ("n",), ("p", "t", "n")]), st.integers(1, 4)),
        st.builds(
            Template,
            st.sampled_from([("p", "n"), ("t",), ("t", "n", "c")]),
            st.just("s"),
            st.sampled_from("xy"),
            st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(4, 5), Fraction(1)]),
        ),
    ),
    min_size=1,
    max_size=3,
)


def holds(columns: Sequence[str], rows: Sequence[Sequence[Cell]], requirement: Requirement) -> bool:
    if isinstance(requirement, KAnonymity):
        return not rows or smallest_group(columns, rows, requirement.over) >= requirement.k
    share = confidence(columns, rows, requirement.given, requirement.column, requirement.value)
    return share <= requirement.at_most


@given(rows_of_all_kinds, requirements, st.sampled_from(MIXED[:3]), st.data())
def test_merging_whole_groups_breaks_nothing(
    rows: Rows, rules: list[Requirement], name: str, data: st.DataObject
) -> None:
    place = MIXED.index(name)
    to = {value: data.draw(st.sampled_from("lm")) for value in dict.fromkeys(row[place] for row in rows)}
    merged = [[*row[:place], to[row[place]], *row[place + 1 :]] for row in rows]
    for rule in rules:
        assert not holds(MIXED, rows, rule) or holds(MIXED, merged, rule)


def test_masking_single_rows_can_break_what_held() -> None:
    rows: Rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "x"]]
    masked: Rows = [["*", "x"], *rows[1:]]
    rules: list[Requirement] = [template(["q"], "s", "x", "0.5"), KAnonymity(("q",), 2)]
    for rule in rules:
        assert holds(["q", "s"], rows, rule)
        assert not holds(["q", "s"], masked, rule)


def finer(kind: Tree | Number | None, now: Mapping[Value, Cell]) -> Iterator[Mapping[Value, Cell]]:
    """Each way to disclose a little more of a column whose values now look like this."""
    for label in set(now.values()):
        values = [value for value in now if now[value] == label]
        if isinstance(kind, Number):
            numbers = sorted({float(value) for value in values if value not in (None, "?")})
            if label == "*":
                yield {**now, **{value: value if value in (None, "?") else "a number" for value in values}}
            for cut in numbers[1:] if label != "*" else ():
                yield {**now, **{value: f"{label}, {float(value or 0) < cut}" for value in values}}
        elif label == "Europe":
            parents: dict[Value, Cell] = {"DE": "West", "FR": "West", "PL": "East", "HU": "East", None: None}
            yield {**now, **{value: parents[value] for value in values}}
        elif label in ("West", "East"):
            yield {**now, **{value: value for value in values}}
        elif label is Hidden.BOTTOM:
            yield from ({**now, value: value} for value in values)


@given(
    rows_of_all_kinds,
    requirements,
    st.sampled_from(["classify", "regress", "counts", "general"]),
    st.sampled_from(["best", "best_valid"]),
    st.booleans(),
)
def test_every_run_keeps_its_promises_and_discloses_all_it_can(
    rows: Rows, rules: list[Requirement], use: Use, split: Split, always: bool
) -> None:
    def keeps(look: Mapping[str, Mapping[Value, Cell]]) -> bool:
        released = [[look.get(name, {}).get(v, v) for name, v in zip(MIXED, row, strict=True)] for row in rows]
        return all(holds(MIXED, released, rule) for rule in rules)

    options: dict[str, Any] = {"use": use, "target": "c", "split": split, "always": always, "missing": {"?"}}
    try:
        outcome = disclose(MIXED, rows, rules, kinds=MIXED_KINDS, **options)
    except Unsatisfiable:
        assert not keeps({name: {row[i]: "*" for row in rows} for i, name in enumerate(MIXED[:3])})
        return
    assert keeps(outcome.released)
    if always and split == "best_valid":
        for name, now in outcome.released.items():
            for more in finer(MIXED_KINDS.get(name), now):
                assert not keeps({**outcome.released, name: more})
