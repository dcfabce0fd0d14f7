"""The counts follow every change, whatever is changed, taken back or taken out."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InputError
from discreet.method.cells import bayes, hid3
from discreet.method.cells.chance import FIRST, Chance
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import flat, from_nested
from tests.method.cells.fast import Fast
from tests.method.cells.strategies import Case, cases
from tests.reference.cells_model import Nested, Table


def again(table: CellTable) -> CellTable:
    """The same table counted from the beginning, without shadows and rows that were taken out."""
    kept = np.flatnonzero(~table.gone & (table.frame.real == np.arange(table.rows)))
    columns = [table.frame.codes[c, kept] - table.first[c] for c in range(len(table.trees))]
    return CellTable(columns, table.trees, table.confidential)


def assert_counted(table: CellTable) -> None:
    fresh = again(table).frame
    for name in ("all_own", "all_up", "own", "up"):
        assert np.array_equal(getattr(table.frame, name), getattr(fresh, name)), name


@given(cases(), st.integers(0, 2**32))
def test_counts_never_drift(case: Case, seed: int) -> None:
    generator = Random(seed)
    confidential = sorted({0, case.j})
    fast = case.fast(confidential)
    table = fast.table
    for _ in range(generator.randint(1, 12)):
        row = generator.randrange(table.rows)
        if table.gone[row]:
            continue
        j = generator.choice(confidential)
        predictors = [c for c in range(case.j + 1) if c != j]
        chance = Chance(generator.randrange(2), (generator.randrange(2**62),))
        does = generator.choice(["set", "remove", "decp", "incp", "dropp", "hid3", "e-decp", "e-dropp"])
        if does == "set":
            column = generator.randrange(case.j + 1)
            table.set(column, row, generator.randrange(len(table.trees[column].parent)))
        elif does == "remove":
            table.remove(row)
        elif case.table[row][j] in case.domains[j]:
            table.set(j, row, fast.actual(row, j))
            if does == "hid3":
                fast.hid3(row, j, predictors, chance)
            elif does == "e-decp":
                fast.e_decp([row], j, predictors, case.bayes, {row: chance})
            elif does == "e-dropp":
                fast.e_dropp(row, [j], predictors, case.bayes, {j: chance})
            else:
                fast.bayes(does, row, j, predictors, case.bayes, chance)
        assert_counted(table)


@given(cases(), st.integers(0, 2**32))
def test_a_removed_row_is_as_if_it_had_never_been(case: Case, seed: int) -> None:
    row = Random(seed).randrange(len(case.table))
    if row == case.i or len(case.table) < 3:
        return
    whole, rest = case.fast(), Case(**{**vars(case), "table": case.table[:row] + case.table[row + 1 :]})
    rest.i = case.i - (case.i > row)
    whole.table.remove(row)
    whole.table.remove(row)  # once is enough
    assert_counted(whole.table)
    without = rest.fast()
    for method in ("decp", "hid3"):
        for fast, i in ((whole, case.i), (without, rest.i)):
            if method == "hid3":
                fast.hid3(i, case.j, case.predictors, case.chances[0])
            else:
                fast.bayes(method, i, case.j, case.predictors, case.bayes, case.chances[0])
        assert [line for r, line in enumerate(whole.published()) if r != row] == without.published()
    columns, rows = whole.table.changed()
    assert len(columns) == len(rows)


def test_a_tree_is_grown_anew_when_a_roughly_told_class_changes() -> None:
    """Rows with a group for a class train, too: so a change of theirs counts."""
    nested: Nested = {"A": {"a1": {}, "a2": {}}, "b": {}}
    rows: Table = [["x", "A"], ["x", "a2"], ["y", "b"], ["y", "b"], ["y", None]]
    fast = Fast(rows, [flat(["x", "y"]), from_nested(nested)], [1])
    trees = hid3.Trees(fast.table)
    assert trees.tree(1, 4, [0]).guess(fast.table, 4) == 2
    fast.table.set(0, 2, 0)
    fast.table.set(0, 3, 0)
    fast.table.set(0, 0, 2)
    assert trees.tree(1, 4, [0]).guess(fast.table, 4) == hid3.Trees(fast.table).tree(1, 4, [0]).guess(fast.table, 4)
    fast.table.set(1, 0, 0)
    old, new = trees.tree(1, 4, [0]), hid3.Trees(fast.table).tree(1, 4, [0])
    assert np.array_equal(old.people, new.people)


def test_too_much_to_count_is_refused() -> None:
    many = flat(str(number) for number in range(20_000))
    column = np.ones(1, dtype=np.int32)
    with pytest.raises(InputError, match="too many to count"):
        CellTable([column, column], [many, many], [0])
    small = CellTable([column, column], [flat(["a", "b"])] * 2, [0])
    assert small.guesser(0, [1], Bayes(laplace=Fraction(1, 1000))).over == 1000
    with pytest.raises(InputError, match="whole number"):
        small.guesser(0, [1], Bayes(laplace=Fraction(1, 2**30)))


def test_hiding_another_confidential_cell_of_the_row_is_noted() -> None:
    """A tree of that column learned from the row: it must be grown anew."""
    columns = [np.array(nodes, dtype=np.int32) for nodes in ([1, 1, 1, 2, 2, 2], [1, 1, 1, 2, 1, 2])]
    table = CellTable(columns, [flat("ab"), flat("xy")], [0, 1])
    table.set(0, 0, 0)
    before = dict(table.version)
    outcome = bayes.protect(table, table.guesser(0, [1], Bayes(), deletes=True), 0, 1, "dropp", FIRST)
    assert outcome.changes.tolist() == [[0, 1]]
    assert table.node(1, 0) == 0
    assert table.version[1] > before[1]
