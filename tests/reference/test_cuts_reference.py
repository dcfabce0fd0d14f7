"""The reference version of cuts, measures and suppression: the paper's numbers, Adult, and small ones by hand."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import load_golden
from tests.reference.cuts import (
    Bits,
    Column,
    Costs,
    Cut,
    Evaluation,
    Rule,
    Table,
    TreeColumn,
    average_group_size,
    best_cuts,
    cm,
    column,
    discernibility,
    distance,
    donors,
    evaluate,
    flip,
    genitor_rank,
    lm,
    mutate,
    removing,
    repair,
    rm,
    valid_strings,
)
from tests.reference.disclosure import KAnonymity, Requirement, Template
from tests.reference.parts import Hidden, Nested, Number, Tree, Value, contracted

pytestmark = pytest.mark.reference

PAPER = load_golden("ga_paper_numbers.json")
REPAIRS = load_golden("ga_repair_work_class.json")
ADULT = load_golden("ga_adult.json")
ADULT_PLACES = {
    "age": 0,
    "workclass": 1,
    "education": 4,
    "marital-status": 5,
    "occupation": 6,
    "race": 8,
    "sex": 9,
    "native-country": 13,
    "salary": 14,
}


def nested(tree: Any) -> Nested:
    """A tree of the worked examples: a leaf, or [label, children]."""
    return (tree, ()) if isinstance(tree, str) else (tree[0], tuple(map(nested, tree[1])))


def bits(text: str) -> Bits:
    return tuple(map(int, text))


def adult_table(folder: Path) -> Table:
    """The complete rows of Adult with the paper's eight columns and the class."""
    lines = (folder / "adult.data").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line and "?" not in line]
    rows = []
    for row in cells:
        row[ADULT_PLACES["education"]] = str(17 - int(row[ADULT_PLACES["education"]]))
        rows.append(tuple(row[place] for place in ADULT_PLACES.values()))
    kinds: dict[str, Tree | Number] = {name: Tree(nested(tree)) for name, tree in ADULT["trees"].items()}
    kinds |= {"age": Number(), "education": Number()}
    return Table(tuple(ADULT_PLACES), tuple(rows), tuple(ADULT["columns"]), kinds)


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Table:
    return adult_table(data_dir)


WORK = column(Tree(nested(REPAIRS["tree"])), set())
EDUCATION = column(Number(), {str(number) for number in range(1, 17)})


# Random columns


@st.composite
def trees(draw: st.DrawFn, most: int = 9) -> TreeColumn:
    """A tree with up to `most` leaves, its nodes numbered; nodes with one child are contracted."""
    labels = map(str, count())

    def grow(leaves: int, depth: int) -> Nested:
        label = next(labels)
        if depth == 0 or (leaves == 1 and draw(st.booleans())):
            return (label, tuple((next(labels), ()) for _ in range(leaves))) if leaves > 1 else (label, ())
        children: list[Nested] = []
        while leaves:
            taken = draw(st.integers(1, leaves))
            children.append(grow(taken, depth - 1))
            leaves -= taken
        return label, tuple(children)

    return TreeColumn(contracted(grow(draw(st.integers(1, most)), draw(st.integers(0, 4)))))


@st.composite
def number_columns(draw: st.DrawFn, most: int = 6) -> Column:
    """Numbers that may be cut everywhere or only at some ends, missing values beside them or not."""
    numbers = draw(st.sets(st.integers(-9, 9), min_size=1, max_size=most))
    missing = draw(st.sets(st.sampled_from([None, "", "?"])))
    ends = draw(st.none() | st.lists(st.integers(-9, 9), max_size=5))
    kind = Number(None if ends is None else [str(end) for end in ends])
    return column(kind, {str(one) for one in numbers} | missing, {"", "?"})


def plain_columns(most: int = 5) -> st.SearchStrategy[Column]:
    values: st.SearchStrategy[Value] = st.sampled_from([None, "", "*", "a", "b", "c", "d"])
    return st.sets(values, min_size=1, max_size=most).map(lambda chosen: column(None, chosen))


def columns() -> st.SearchStrategy[Column]:
    return st.one_of(trees(), number_columns(), plain_columns())


def strings(length: int) -> st.SearchStrategy[Bits]:
    return st.tuples(*[st.integers(0, 1)] * length)


# Bits


def test_losses_of_the_paper() -> None:
    government = frozenset({"Self-employed", "Government", "Private", "Unemployed"})
    assert WORK.cells(government)["State-gov"] == ("Government", Fraction(PAPER["state_to_government_loss"]["exact"]))
    for stop, key in (("4", "doctorate_to_doctorate_masters_loss"), ("3", "doctorate_to_doctorate_prof_loss")):
        assert EDUCATION.cells(frozenset({Fraction(stop)}))["1"] == (
            f"[1, {int(stop) - 1}]",
            Fraction(PAPER[key]["exact"]),
        )
    assert {loss for _, loss in WORK.cells(frozenset({"Any"})).values()} == {1}


def test_valid_strings_of_the_paper() -> None:
    assert isinstance(WORK, TreeColumn)
    assert WORK.leaves == PAPER["work_class_leaves"]
    assert sorted(valid_strings(WORK)) == [tuple(one) for one in PAPER["valid_work_class_bits"]]
    # b3, between Federal-gov and State-gov, needs b2, b4, b5 and b6
    assert flip(WORK, bits("0000000"), 2) == bits("0111110")


@pytest.mark.parametrize("how", ["nearest", "split", "merge"])
def test_every_repair_of_the_work_class(how: Any) -> None:
    assert len(REPAIRS["cases"]) == 128
    for case in REPAIRS["cases"]:
        assert WORK.is_valid(tuple(case["bits"])) == case["valid"]
        assert repair(WORK, tuple(case["bits"]), how) == tuple(case[how])


def test_ranks_of_genitor() -> None:
    for case in PAPER["genitor_rank"]:
        u, bias = Fraction(str(case["u"])), Fraction(str(case["bias"]))
        assert genitor_rank(u, case["size"], bias) == case["rank"]


@given(columns())
def test_valid_strings_are_those_of_cuts(one: Column) -> None:
    cuts = list(one.cuts())
    assert len(set(valid_strings(one))) == len(cuts)
    for cut in cuts:
        assert one.cut(one.bits(cut)) == cut
    assert set(valid_strings(one)) == {string for string in product((0, 1), repeat=one.length) if one.is_valid(string)}
    ever = [any(string[place] for string in valid_strings(one)) for place in range(one.length)]
    assert ever == [one.may_be_one(place) for place in range(one.length)]


@given(columns())
def test_bits_say_which_values_look_alike(one: Column) -> None:
    for string in valid_strings(one):
        looks = {cell for cell, _ in one.cells(one.cut(string)).values()}
        if isinstance(one, TreeColumn):
            assert len(looks) == 1 + sum(string)
        assert all(0 <= loss <= 1 for _, loss in one.cells(one.cut(string)).values())


@given(columns(), st.data())
def test_repairs_are_valid_and_leave_valid_strings_alone(one: Column, data: st.DataObject) -> None:
    string = data.draw(strings(one.length))
    possible = tuple(bit * one.may_be_one(place) for place, bit in enumerate(string))
    nearest, split, merge = (repair(one, string, how) for how in ("nearest", "split", "merge"))
    assert all(map(one.is_valid, (nearest, split, merge)))
    assert distance(nearest, possible) <= min(distance(split, possible), distance(merge, possible))
    assert all(a >= b >= c for a, b, c in zip(split, possible, merge, strict=True))
    if one.is_valid(string):
        assert nearest == split == merge == string


def test_the_flipped_bit_wins() -> None:
    fine, coarse = bits("1111111"), bits("0000000")
    # the root owns bits 1, 4 and 5, Self-employed 0, Government 2 and 3, Unemployed 6
    assert flip(WORK, fine, 4) == coarse
    assert flip(WORK, fine, 3) == bits("1100111")
    assert flip(WORK, coarse, 5) == bits("0100110")
    assert flip(WORK, bits("0100110"), 0) == bits("1100110")
    # both bits of Government: once; first closed, then opened, whatever the order
    assert mutate(WORK, fine, [2, 3]) == bits("1100111")
    assert mutate(WORK, bits("1100110"), [6, 1]) == bits("0100111")
    assert mutate(WORK, bits("1100110"), [1, 6]) == bits("0100111")
    # a number that may not be cut there, and missing values beside
    beside = column(Number(ends=["3"]), {"1", "2", "3", "4", None})
    assert [beside.may_be_one(place) for place in range(4)] == [True, False, True, False]
    assert flip(beside, bits("0000"), 1) == bits("0000")
    assert flip(beside, bits("0000"), 2) == bits("1010")
    assert flip(beside, bits("1010"), 0) == bits("0000")


# Adult


def test_adult_has_157_bits(adult: Table) -> None:
    assert len(adult.rows) == 30162
    assert [one.length for one in adult.columns().values()] == ADULT["bits_per_column"]
    assert sum(ADULT["bits_per_column"]) == 157
    for name, leaves in ADULT["leaf_order"].items():
        one = adult.columns()[name]
        assert leaves == (
            one.leaves if isinstance(one, TreeColumn) else sorted(int(value or 0) for value in set(adult.values(name)))
        )


@pytest.mark.parametrize("case", ADULT["cases"], ids=lambda case: f"{case['name']}, k={case['k']}")
def test_adult(adult: Table, case: dict[str, Any]) -> None:
    cut = adult.cut(bits(case["bits"]))
    assert adult.bits(cut) == bits(case["bits"])
    outcome = evaluate(adult, cut, [KAnonymity(adult.changeable, case["k"])], "paper")
    assert lm(outcome) == Fraction(case["lm_exact"])
    assert cm(outcome, "salary") == Fraction(case["cm_exact"])
    assert (len(outcome.suppressed), len(outcome.groups)) == (case["suppressed"], case["groups"])
    assert outcome.holds
    ours = evaluate(adult, cut, [KAnonymity(adult.changeable, case["k"])], "ours")
    assert ours.suppressed == outcome.suppressed
    assert ours.holds == (case["suppressed"] == 0 or case["suppressed"] >= case["k"])


# Which rows are suppressed


def table(names: str, rows: Sequence[str], changeable: str, **kinds: Tree | Number) -> Table:
    """One letter for each column and each cell."""
    return Table(tuple(names), tuple(tuple(row) for row in rows), tuple(changeable), kinds)


def shown(one: Table) -> Cut:
    """The cut that tells everything."""
    return {name: next(cut for cut in of.cuts() if all(of.bits(cut))) for name, of in one.columns().items()}


def test_figure_4() -> None:
    rows = [(str(x), str(y), label) for x, y, label in PAPER["fig4_rows"]]
    kinds = {"x": Number(ends=["5", "7.5"]), "y": Number(ends=["3.5", "7"])}
    figure = Table(("x", "y", "class"), tuple(rows), ("x", "y"), kinds)
    cut: Cut = {"x": frozenset({Fraction(15, 2)}), "y": frozenset({Fraction(7, 2)})}
    places = [place for one in figure.columns().values() for place in map(one.may_be_one, range(one.length))]
    assert [bit for bit, free in zip(figure.bits(cut), places, strict=True) if free] == PAPER["fig4_chromosome"]
    outcome = evaluate(figure, cut, [KAnonymity(("x", "y"), PAPER["fig4_k"])], "ours")
    assert (outcome.suppressed, len(outcome.groups)) == (set(), 4)
    assert cm(outcome, "class") == Fraction(PAPER["fig4_cm"]["exact"])


def test_fewer_than_k_suppressed_rows_pass_in_the_paper_only() -> None:
    one = table("q", ["a", "a", "b"], "q")
    paper, ours = (evaluate(one, shown(one), [KAnonymity(("q",), 2)], rule) for rule in ("paper", "ours"))
    assert paper.suppressed == ours.suppressed == {2}
    assert (paper.holds, ours.holds, ours.stuck) == (True, False, {2})
    assert ours.broken == {KAnonymity(("q",), 2)}
    assert paper.groups == {("a",): [0, 1]}
    removed = removing(one, shown(one), [KAnonymity(("q",), 2)])
    assert (removed.holds, removed.removed, removed.suppressed) == (True, {2}, set())
    # two rows that are suppressed keep each other company
    more = table("q", ["a", "a", "b", "c"], "q")
    assert evaluate(more, shown(more), [KAnonymity(("q",), 2)], "ours").holds


def test_topping_up() -> None:
    one = table("q", ["a", "a", "a", "b", "b", "c"], "q")
    rules: list[Requirement] = [KAnonymity(("q",), 2)]
    outcome = evaluate(one, shown(one), rules, "ours")
    assert (outcome.suppressed, outcome.stuck) == ({5}, {5})
    assert donors(outcome, rules) == {0, 1, 2}
    topped = evaluate(one, shown(one), rules, "ours", masked={1})
    assert (topped.holds, topped.suppressed) == (True, {1, 5})
    # a row from a group of two leaves one behind, which must go too
    assert evaluate(one, shown(one), rules, "ours", masked={3}).suppressed == {3, 4, 5}


def test_a_group_above_a_template_is_suppressed() -> None:
    one = table("qs", ["ax", "ay", "bx", "bx", "by", "cy", "cy"], "q")
    at = {share: Template(("q",), "s", "x", Fraction(share)) for share in ("1/2", "2/3", "1/3")}
    # a: 1/2, b: 2/3, c: 0
    assert evaluate(one, shown(one), [at["2/3"]], "ours").suppressed == set()
    half = evaluate(one, shown(one), [at["1/2"]], "ours")
    assert (half.suppressed, half.stuck, half.broken) == ({2, 3, 4}, {2, 3, 4}, {at["1/2"]})
    assert evaluate(one, shown(one), [at["1/2"]], "paper").holds
    # a and b together: 3/5
    third = evaluate(one, shown(one), [at["1/3"]], "ours")
    assert (third.suppressed, third.holds) == ({0, 1, 2, 3, 4}, False)
    assert evaluate(one, shown(one), [at["1/3"]], "ours", masked={5, 6}).suppressed == set(range(7))
    # exactly at the limit, and k beside it
    both = evaluate(one, shown(one), [at["2/3"], KAnonymity(("q",), 3)], "ours")
    assert (both.suppressed, both.holds) == ({0, 1, 5, 6}, True)


def test_columns_that_do_not_change_split_suppressed_rows() -> None:
    one = table("qf", ["a1", "b1", "c2", "d2", "e3"], "q")
    outcome = evaluate(one, shown(one), [KAnonymity(("q", "f"), 2)], "ours")
    assert (outcome.suppressed, outcome.stuck) == ({0, 1, 2, 3, 4}, {4})
    removed = removing(one, shown(one), [KAnonymity(("q", "f"), 2)])
    assert (removed.suppressed, removed.removed) == ({0, 1, 2, 3}, {4})
    assert evaluate(one, shown(one), [KAnonymity(("q",), 2)], "ours").holds


def test_rows_that_look_suppressed_anyway_are_among_them() -> None:
    one = table("q", ["a", "b", "c", "d", "d"], "q")
    rules: list[Requirement] = [KAnonymity(("q",), 2)]
    # a and b are hidden and look alike; c is suppressed and looks like them
    outcome = evaluate(one, {"q": frozenset("cd")}, rules, "ours")
    assert (outcome.suppressed, outcome.holds) == ({2}, True)
    assert set(outcome.groups) == {(Hidden.BOTTOM,), ("d",)}
    # a template that the three together break takes them all
    rich = table("qs", ["ay", "bx", "cx", "dy", "dy"], "q")
    rule = Template(("q",), "s", "x", Fraction(1, 2))
    spoilt = evaluate(rich, {"q": frozenset("cd")}, [rule], "ours")
    assert (spoilt.suppressed, spoilt.stuck) == ({0, 1, 2}, {0, 1, 2})
    # the root of a taxonomy, an uncut number and a value that read like the marker are the marker
    tree = Tree(("*", (("x", ()), ("y", ()))))
    marked = table("tnp", ["x1*", "y2*", "x1a"], "tnp", t=tree, n=Number())
    cut: Cut = {"t": frozenset("*"), "n": frozenset(), "p": frozenset("a")}
    found = evaluate(marked, cut, [KAnonymity(tuple("tnp"), 2)], "ours")
    assert (found.suppressed, found.holds) == ({2}, True)


def test_suppressing_for_one_requirement_is_counted_for_the_others() -> None:
    one = table("pq", ["ax", "ay", "by", "by", "cx", "cx"], "pq")
    # k over both: a-x and a-y go; then nobody but two of c has x, and over q alone y has two left
    rules: list[Requirement] = [KAnonymity(("p", "q"), 2), KAnonymity(("q",), 3)]
    assert evaluate(one, shown(one), rules[:1], "ours").suppressed == {0, 1}
    assert evaluate(one, shown(one), rules[1:], "ours").suppressed == set()
    assert evaluate(one, shown(one), rules, "ours").suppressed == set(range(6))
    assert evaluate(one, shown(one), rules, "paper").suppressed == set(range(6))


# Measures


def outcome_of(one: Table, cut: Cut, k: int, rule: Rule = "ours") -> Evaluation:
    return evaluate(one, cut, [KAnonymity(one.changeable, k)], rule)


def test_lm_by_hand() -> None:
    tree = Tree(("any", (("ab", (("a", ()), ("b", ()))), ("c", ()), ("d", ()))))
    one = table("tnp", ["a1p", "a1q", "b3r", "c5r"], "tnp", t=tree, n=Number())
    cut: Cut = {"t": frozenset({"ab", "c", "d"}), "n": frozenset({Fraction(5)}), "p": frozenset("r")}
    free = outcome_of(one, cut, 1)
    # t: 1/3 for a, a, b; n: 1/2 for 1, 1, 3; p: 1/2 for the hidden p and q
    assert lm(free) == (3 * Fraction(1, 3) + 3 * Fraction(1, 2) + 2 * Fraction(1, 2)) / 12
    assert lm(free, {"t": Fraction(2)}) == (2 * 3 * Fraction(1, 3) + 3 * Fraction(1, 2) + 2 * Fraction(1, 2)) / 16
    # b3r and c5r are alone
    assert lm(outcome_of(one, cut, 2)) == (6 + 2 * (Fraction(1, 3) + Fraction(1, 2) + Fraction(1, 2))) / 12
    assert lm(outcome_of(one, cut, 5)) == 1
    # one value only: nothing to lose, except when suppressed
    same = table("q", ["a", "a"], "q")
    assert lm(outcome_of(same, {"q": frozenset()}, 1)) == 0
    assert lm(outcome_of(same, shown(same), 3)) == 1
    assert lm(outcome_of(table("q", [], "q"), {"q": frozenset()}, 1)) == 0


def test_missing_values_lose_nothing_beside_numbers() -> None:
    rows = tuple((text,) for text in ("1", "3", "9", None))
    one = Table(("n",), rows, ("n",), {"n": Number()})
    assert lm(outcome_of(one, {"n": None}, 1)) == 1
    assert lm(outcome_of(one, {"n": frozenset()}, 1)) == Fraction(3, 4)
    assert lm(outcome_of(one, {"n": frozenset({Fraction(9)})}, 1)) == Fraction(2, 4) * Fraction(2, 8)


def test_cm_by_hand() -> None:
    one = table("qc", ["ax", "ax", "ay", "bx", "by", "cy", "dy", "dz"], "q")
    outcome = outcome_of(one, shown(one), 2)
    # c is suppressed; one of a, one of b and one of d are in the minority
    assert outcome.suppressed == {5}
    assert cm(outcome, "c") == Fraction(4, 8)
    assert cm(outcome, "c", suppressed="group") == Fraction(3, 8)
    costs: Costs = {
        "x": {"x": Fraction(0), "y": Fraction(3), "z": Fraction(1)},
        "y": {"x": Fraction(5), "y": Fraction(0), "z": Fraction(7)},
        "z": {"x": Fraction(1), "y": Fraction(2), "z": Fraction(0)},
    }
    # a: y taken for x, 5; b: x for y, 3, is cheaper than y for x; d: z for y, 2, cheaper than y for z
    assert cm(outcome, "c", costs=costs) == Fraction(5 + 3 + 2 + 1, 8)
    assert cm(outcome, "c", costs=costs, suppressed="group") == Fraction(5 + 3 + 2, 8)
    assert cm(outcome, "c", costs=costs, suppressed="dearest") == Fraction(5 + 3 + 2 + 7, 8)
    gone = removing(one, shown(one), [KAnonymity(("q",), 2)])
    assert cm(gone, "c", costs=costs, suppressed="group") == Fraction(5 + 3 + 2 + 1, 8)


def test_rm_by_hand() -> None:
    one = table("qy", ["a1", "a3", "b5", "b5", "b8", "c2"], "q")
    outcome = outcome_of(one, shown(one), 2)
    # all: mean 4, squares 9 1 1 1 16 4; a: 1 1; b: mean 6, 1 1 4; c is suppressed, alone or 4 from the mean of all
    assert rm(outcome, "y") == Fraction(2 + 6, 32)
    assert rm(outcome, "y", suppressed="all") == Fraction(2 + 6 + 4, 32)
    # all: median between 3 and 5, distances 2 0 2 2 5 1 from 3; a: 2; b: 3; c: 0 or 1
    assert rm(outcome, "y", by="median") == Fraction(2 + 3, 12)
    assert rm(outcome, "y", by="median", suppressed="all") == Fraction(2 + 3 + 1, 12)
    gone = removing(one, shown(one), [KAnonymity(("q",), 2)])
    assert rm(gone, "y") == Fraction(2 + 6 + 4, 32)
    assert rm(outcome_of(one, {"q": frozenset()}, 2), "y") == 1
    assert rm(outcome_of(table("qy", ["a1", "b1"], "q"), {"q": frozenset()}, 1), "y") == 0


def test_sizes_of_groups_by_hand() -> None:
    one = table("q", ["a", "a", "a", "b", "b", "c"], "q")
    outcome = outcome_of(one, shown(one), 2)
    assert discernibility(outcome) == 9 + 4 + 6
    assert discernibility(outcome, suppressed="group") == 9 + 4 + 1
    assert average_group_size(outcome) == Fraction(5, 2)
    assert average_group_size(outcome_of(one, shown(one), 7)) == 0


# The best of all cuts


def test_the_best_cut_by_hand() -> None:
    tree = Tree(("any", (("ab", (("a", ()), ("b", ()))), ("c", ()), ("d", ()))))
    one = table("tc", ["ax", "by", "cx", "cx"], "t", t=tree)
    rules: list[Requirement] = [KAnonymity(("t",), 2)]
    # a and b together lose 1/3 each; suppressed they would lose 1 each, the root 1 for all
    assert best_cuts(one, rules, lm, "ours") == (Fraction(2, 3) / 4, [{"t": frozenset({"ab", "c", "d"})}])
    # to tell a from b costs two suppressed rows, to keep them together one mistake
    found = best_cuts(one, rules, lambda outcome: cm(outcome, "c"), "paper")
    assert found is not None
    assert (found[0], len(found[1])) == (Fraction(1, 4), 2)  # the root as well
    assert best_cuts(one, [KAnonymity(("t",), 5)], lm, "ours", limit=Fraction(3, 4)) is None
    # b lacks company: suppressed by the paper, removed by us, 1 of 3 is lost either way, and hiding one value of two
    # loses nothing more; where a is hidden it looks like the suppressed b, which may stay
    pair = table("q", ["a", "a", "b"], "q")
    cuts = [{"q": frozenset("b")}, {"q": frozenset("a")}, {"q": frozenset("ab")}]
    for rule in ("paper", "ours"):
        assert best_cuts(pair, [KAnonymity(("q",), 2)], lm, rule, limit=Fraction(1, 3)) == (Fraction(1, 3), cuts)
    assert [len(removing(pair, cut, [KAnonymity(("q",), 2)]).removed) for cut in cuts] == [0, 1, 1]


LETTERS = {"t": "abc", "n": "124", "p": "uv", "f": "12", "s": "xy"}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A few rows with a taxonomy, a number, a plain, a fixed and a sensitive column."""
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, LETTERS.values())), min_size=1, max_size=8))
    tree = Tree(("*", (("ab", (("a", ()), ("b", ()))), ("c", ()))))
    return table("tnpfs", ["".join(row) for row in rows], "tnp", t=tree, n=Number())


@st.composite
def requirements(draw: st.DrawFn) -> list[Requirement]:
    found: list[Requirement] = []
    for known in draw(st.lists(st.sets(st.sampled_from("tnpf"), min_size=1), min_size=1, max_size=2)):
        over = tuple(sorted(known))
        if draw(st.booleans()):
            found.append(KAnonymity(over, draw(st.integers(1, 4))))
        else:
            found.append(Template(over, "s", "x", Fraction(draw(st.integers(0, 4)), 4)))
    return found


def looks(outcome: Evaluation, known: Sequence[str]) -> Iterator[tuple[tuple[object, ...], int]]:
    """How each row that is left looks to who knows some columns, written out cell by cell."""
    one = outcome.table
    for row, cells in enumerate(outcome.looks):
        if row in outcome.removed:
            continue
        if row in outcome.suppressed:
            cells = (Hidden.BOTTOM,) * len(cells)
        whole = dict(zip(one.names, one.rows[row], strict=True)) | dict(zip(one.changeable, cells, strict=True))
        yield tuple(whole[name] for name in known), row


@given(tables(), requirements(), st.data())
def test_our_rule_keeps_every_promise_or_says_who_breaks_it(
    one: Table, rules: list[Requirement], data: st.DataObject
) -> None:
    cut = data.draw(st.sampled_from(list(one.cuts())))
    outcome = evaluate(one, cut, rules, "ours")
    assert outcome.stuck <= outcome.suppressed
    assert outcome.holds == (not outcome.stuck)
    broken: set[int] = set()
    for rule in rules:
        groups: dict[tuple[object, ...], list[int]] = {}
        for look, row in looks(outcome, rule.over if isinstance(rule, KAnonymity) else rule.given):
            groups.setdefault(look, []).append(row)
        for rows in groups.values():
            rich = sum(one.rows[row][4] == "x" for row in rows)
            bad = len(rows) < rule.k if isinstance(rule, KAnonymity) else rich > rule.at_most * len(rows)
            broken |= set(rows) if bad else set()
    assert broken == outcome.stuck
    assert removing(one, cut, rules).holds


@given(tables(), requirements())
def test_the_best_cut_is_not_worse_than_any(one: Table, rules: list[Requirement]) -> None:
    for rule in ("paper", "ours"):
        found = best_cuts(one, rules, lm, rule)
        assert found is not None
        least, best = found
        assert 0 <= least <= 1
        for cut in best:
            outcome = evaluate(one, cut, rules, "paper") if rule == "paper" else removing(one, cut, rules)
            assert lm(outcome) == least
    assert best_cuts(one, [], lm, "ours") == (
        Fraction(0),
        [cut for cut in one.cuts() if lm(evaluate(one, cut, [], "ours")) == 0],
    )
