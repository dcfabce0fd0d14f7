"""What decides is exact: comparisons of probabilities and gains, smoothing, unknown values; the thesis's bounds."""

from collections.abc import Sequence
from fractions import Fraction
from math import log, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.method.cells import hid3, kernels, quotient_kernels, tree_kernels
from discreet.method.cells.chance import Chance
from discreet.method.cells.table import Bayes
from discreet.method.cells.trees import flat
from tests.method.cells.fast import Fast
from tests.method.cells.strategies import Case, cases
from tests.method.cells.test_golden import exact
from tests.reference.cells import Domains
from tests.reference.cells_model import Cell, Probabilities, Table, top_k
from tests.reference.cells_tree import disorder, id3, id3_g, plain_tree

Numbers = list[int]
counts = st.one_of(st.integers(1, 6), st.integers(2**31 - 4, 2**31 - 1), st.integers(1, 2**31 - 1))
products = st.lists(counts, max_size=12)
flat4, two = flat("0123"), flat("12")


def order_of(a: Numbers, b: Numbers, c: Numbers, d: Numbers) -> int:
    arrays = [np.array([*numbers, 0], dtype=np.int64) for numbers in (a, b, c, d)]
    return int(quotient_kernels.order_of(*arrays[:2], len(a), len(b), *arrays[2:], len(c), len(d)))


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


@given(products, products, products, products)
def test_quotients_are_compared_exactly(a: Numbers, b: Numbers, c: Numbers, d: Numbers) -> None:
    assert order_of(a, b, c, d) == sign(Fraction(prod(a), prod(b)) - Fraction(prod(c), prod(d)))


@given(st.lists(st.integers(2**29, 2**31 - 2), min_size=1, max_size=40), st.data())
def test_quotients_that_are_nearly_or_just_equal(numbers: Numbers, data: st.DataObject) -> None:
    """They differ by one part in some billions, or only in the order of their factors; no float can tell."""
    shuffled = data.draw(st.permutations(numbers))
    place = data.draw(st.integers(0, len(numbers) - 1))
    by = data.draw(st.integers(-1, 1))
    shuffled[place] += by
    assert order_of(shuffled, [], numbers, []) == by
    assert order_of([], numbers, [], shuffled) == by
    assert order_of(shuffled, numbers, [1], []) == by
    assert order_of([], [], numbers, shuffled) == by


def test_nothing_is_less_probable_than_impossible() -> None:
    one = np.ones(1, dtype=np.int64)
    assert quotient_kernels.order_of(one, one, -1, 0, one, one, 1, 1) == -1
    assert quotient_kernels.order_of(one, one, 1, 1, one, one, -1, 0) == 1
    assert quotient_kernels.order_of(one, one, -1, 0, one, one, -1, 0) == 0


# --- gains of ID3 ------------------------------------------------------------------------------------------------


@given(cases(), st.booleans())
def test_trees_are_those_of_the_reference(case: Case, leaves_out: bool) -> None:
    """Also where gains tie: the first column, decided by exact products."""
    fast = case.fast()
    top = 0 if not case.rough else int(fast.trees[case.j].parent[fast.actual(case.i, case.j)])
    fast.table.set(case.j, case.i, top)
    tree = hid3.Trees(fast.table).tree(case.j, case.i, case.predictors, leaves_out=leaves_out)
    if case.rough:
        level = case.taxonomies[case.j].up(case.actual, 1)
        expected = id3_g(fast.published(), case.i, case.j, case.predictors, case.taxonomies, level, leaves_out)
        candidates = case.taxonomies[case.j].leaves(level)
    else:
        expected = id3(fast.published(), case.i, case.j, case.predictors, case.domains)
        candidates = case.domains[case.j]
    assert grown(tree, case.domains, candidates, 0) == plain_tree(expected)


def grown(tree: hid3.GrownTree, domains: Domains, candidates: Sequence[str], node: int) -> object:
    common = candidates[int(tree.common[node])]
    if tree.split[node] == tree_kernels.LEAF:
        return common
    column = int(tree.predictors[tree.split[node]])
    branches: dict[str, object] = {}
    for place, value in enumerate(domains[column]):
        child = tree.child_of(node, place)
        branches[value] = common if child is None else grown(tree, domains, candidates, child)
    return {str(column): branches}


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=30)


@given(pairs, st.integers(0, 2**32))
@example([(0, 0), (0, 0), (1, 1), (1, 0)], 1)
def test_splits_with_the_same_gain_are_found_the_same(rows: list[tuple[int, int]], seed: int) -> None:
    """A column beside its copy with other names, or beside another: the smaller disorder, else the first."""
    names = np.random.default_rng(seed).permutation(4)
    first, classes = [str(value) for value, _ in rows], [str(v) for _, v in rows]
    renamed = [str(names[value]) for value, _ in rows]
    other = [*renamed[1:], renamed[0]]
    for column in (renamed, other):
        table: Table = [[a, b, v] for a, b, v in zip(first, column, classes, strict=True)]
        table.append(["0", "0", None])
        fast = Fast(table, [flat4, flat4, flat4], [2])
        split = hid3.Trees(fast.table).tree(2, len(rows), [0, 1]).split[0]
        usable = [c for c in (0, 1) if len({row[c] for row in table[:-1]}) > 1]
        if len(set(classes)) < 2 or not usable:
            assert split == tree_kernels.LEAF
        else:
            assert split == min(usable, key=lambda c: disorder([str(row[c]) for row in table[:-1]], classes))


perhaps = st.sampled_from(["0", "1", "2", "3", None])


@given(st.lists(st.tuples(perhaps, perhaps, st.sampled_from("0123")), min_size=2, max_size=12), st.data())
def test_rows_that_are_alike_count_as_often_as_they_are_there(
    some: list[tuple[Cell, Cell, str]], data: st.DataObject
) -> None:
    """Many rows, few of them different, in any order: the tree of the reference, which looks at every row."""
    often = data.draw(st.lists(st.integers(50, 60), min_size=len(some), max_size=len(some)))
    rows = [row for row, times in zip(some, often, strict=True) for _ in range(times)]
    np.random.default_rng(data.draw(st.integers(0, 2**32))).shuffle(rows)
    table: Table = [["0", "0", None], *[[*row] for row in rows]]
    fast, domains = Fast(table, [flat4, flat4, flat4], [2]), [["0", "1", "2", "3"]] * 3
    trees = hid3.Trees(fast.table)
    leaf, all_rows = fast.table.frame.leaf[fast.table.frame.codes[2]], np.arange(1, len(table), dtype=np.int32)
    taken, times = trees._different(np.arange(2), all_rows, leaf)
    assert (len(taken), int(times[taken].sum())) == (len({(*row,) for row in rows}), len(rows))
    expected = plain_tree(id3(table, 0, 2, [0, 1], domains))
    assert grown(trees.tree(2, 0, [0, 1]), domains, domains[2], 0) == expected


# --- smoothing and unknown values --------------------------------------------------------------------------------


def smoothed(case: Case, table: Table, options: Bayes) -> Probabilities:
    """Naive Bayes with Laplace's correction, and unknown values in the denominator or not: a few lines."""
    i, j, a = case.i, case.j, options.laplace
    rows = [row for r, row in enumerate(table) if r != i and row[j] is not None]
    found = {}
    for v in case.domains[j]:
        of_v = [row for row in rows if row[j] == v]
        over = len(rows) + a * len(case.domains[j])
        p = (len(of_v) + a) / over if over else Fraction(0)
        for c in case.predictors:
            if table[i][c] is not None:
                among = of_v if options.nulls == "count" else [row for row in of_v if row[c] is not None]
                over = len(among) + a * len(case.domains[c])
                p *= (sum(row[c] == table[i][c] for row in among) + a) / over if over else Fraction(0)
        found[v] = Fraction(p)
    return found


weights = st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 2), Fraction(7, 1000)])


@given(cases(rough=False), st.sampled_from(["count", "drop"]), weights, st.sampled_from(["decp", "incp", "dropp"]))
def test_smoothing_and_unknown_values(case: Case, nulls: str, laplace: Fraction, method: str) -> None:
    """The probabilities, the likeliest values and what a method promises, for each meaning of unknown values."""
    options = Bayes(nulls, laplace, case.guesses, case.strict)
    fast = case.fast()
    fast.table.set(case.j, case.i, 0)
    p = smoothed(case, fast.published(), options)
    assert exact(fast.table, case.i, case.j, case.predictors, options) == p
    guesser = fast.table.guesser(case.j, case.predictors, options)
    likeliest = kernels.likeliest(fast.table.frame, guesser, case.i) - fast.table.first[case.j]
    assert [fast.trees[case.j].texts[node][0] for node in likeliest] == top_k(p, case.guesses)
    outcome = fast.bayes(method, case.i, case.j, case.predictors, options, case.chances[0])
    p = smoothed(case, fast.published(), options)
    others = [q for v, q in p.items() if v != case.actual]
    is_best = all(p[case.actual] >= q if case.strict else p[case.actual] > q for q in others)
    assert is_best == (not outcome.holds)


# --- bounds on the changes ---------------------------------------------------------------------------------------


@given(cases(rough=False), st.sampled_from(["decp", "incp", "dropp", "hid3"]))
def test_the_thesis_s_bounds_on_the_changes(case: Case, method: str) -> None:
    fast = case.fast()
    if method == "hid3":
        outcome = fast.hid3(case.i, case.j, case.predictors, case.chances[0])
    else:
        outcome = fast.bayes(method, case.i, case.j, case.predictors, case.bayes, case.chances[0])
    width, same = case.j + 1, sum(row[case.j] == case.actual for r, row in enumerate(case.table) if r != case.i)
    others = [(r, c) for r, c, _ in fast.changed() if (r, c) != (case.i, case.j)]
    if outcome.status != "done":
        assert not others
    elif method == "decp":
        assert len(others) <= (width - 1) * (same - 1)
    elif method in ("dropp", "hid3"):
        assert {r for r, _ in others} == {case.i}
        assert len(others) <= width - 1
    else:
        classes = [r for r, c in others if c == case.j]
        values = {case.table[r][case.j] for r in classes}
        assert case.actual not in values
        assert len(classes) <= len(case.table) - same - 1 - len(values)
        assert len(others) - len(classes) <= (width - 1) * max(same - 1, 0)


# --- locked cells ------------------------------------------------------------------------------------------------


@given(cases(), st.integers(0, 2**32), st.sampled_from(["decp", "incp", "dropp", "hid3", "e-decp", "e-dropp"]))
def test_locked_cells_never_change(case: Case, seed: int, method: str) -> None:
    generator = np.random.default_rng(seed)
    locked = generator.random((case.j + 1, len(case.table))) < generator.choice([0.2, 0.5, 1.0])
    locked[case.j, case.i] = False
    fast = Fast(case.table, case.trees, [case.j], locked, deletes=not case.rough)
    chance = case.chances[0]
    if method == "hid3":
        fast.hid3(case.i, case.j, case.predictors, chance)
    elif method == "e-decp":
        fast.e_decp([case.i], case.j, case.predictors, case.bayes, {case.i: chance})
    elif method == "e-dropp":
        fast.e_dropp(case.i, [case.j], case.predictors, case.bayes, {case.j: chance})
    else:
        fast.bayes(method, case.i, case.j, case.predictors, case.bayes, chance)
    assert not any(locked[c, r] for r, c, _ in fast.changed())


@pytest.mark.parametrize("method", ["decp", "incp", "dropp", "hid3"])
def test_a_refused_cell_of_two_values_fails_and_changes_nothing(method: str) -> None:
    table: Table = [["0", "1"], ["0", "1"], ["0", "1"], ["0", "2"], ["1", "2"]]
    fast = Fast(table, [flat4, two], [1])
    refused = Chance(kernels.REFUSE)
    outcome = fast.hid3(0, 1, [0], refused) if method == "hid3" else fast.bayes(method, 0, 1, [0], Bayes(), refused)
    assert outcome.status == "failed"
    assert fast.changed() == [(0, 1, None)]


@given(
    cases(), st.sampled_from(["count", "drop", "spread"]), st.sampled_from([Fraction(0), Fraction(1), Fraction(1, 3)])
)
def test_logarithms_are_those_of_the_exact_quotients(case: Case, nulls: str, laplace: Fraction) -> None:
    """Far nearer than the margin within which the exact quotients decide, and minus infinity exactly for 0."""
    fast = case.fast()
    frame = fast.table.frame
    spread = nulls == "spread"
    guesser = fast.table.guesser(case.j, case.predictors, Bayes(nulls, Fraction(0) if spread else laplace))
    fast.table.set(case.j, case.i, 0)
    nums, dens = np.empty(guesser.size, dtype=np.int64), np.empty(guesser.size, dtype=np.int64)
    for node in kernels.candidates(frame, guesser, case.i):
        n, d = kernels.terms(frame, guesser, case.i, node, nums, dens)
        found = kernels.logarithm(frame, guesser, case.i, node)
        if n < 0:
            assert found == -np.inf
        else:
            exactly = Fraction(prod(nums[:n].tolist()), prod(dens[:d].tolist()))
            assert abs(found - log(exactly.numerator) + log(exactly.denominator)) < quotient_kernels.MARGIN / 1000
