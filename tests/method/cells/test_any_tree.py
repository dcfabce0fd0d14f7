"""HID3 on CART and C4.5: as the slow methods do, by as few cells as can be, and verification agrees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.make import make
from discreet.adversary.view import Seen, Tree, View, numbers_of
from discreet.columns.scale import Numbers
from discreet.common.n_log_n import n_log_n
from discreet.method.cells import c45, hid3
from discreet.method.cells.table import CellTable
from discreet.method.cells.trees import ValueTree
from discreet.method.cells.walks import Grow, Walks
from discreet.planning.defences import Defences
from discreet.policy.adversaries import C45, Adversary, Learner
from tests.method.cells.fast import STATUS
from tests.method.cells.strategies import Case, cases
from tests.method.cells.test_equal import SINGLE, values
from tests.reference import cells_any_tree as slow
from tests.reference.cells_model import DELETED, NOT_NEEDED, SUPPRESSED, Cell, Result, Table, Taxonomy


def numbers_in(taxonomies: Sequence[Taxonomy]) -> dict[int, dict[str, Fraction]]:
    """Numbers for the values of every other column: some equal, not in the order of the values, far apart."""
    return {
        c: {
            value: Fraction((7 * place * place) % 11 * (10 ** (place % 4)), 3) for place, value in enumerate(one.domain)
        }
        for c, one in enumerate(taxonomies)
        if c % 2 == 0
    }


def by_thresholds(
    table: Table, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], level: Cell
) -> slow.Asking:
    return slow.cart(table, j, predictors, taxonomies, level, numbers_in(taxonomies))


SLOW: dict[str, slow.Growing] = {"c45": slow.c45, "decision_tree": slow.cart, "numbers": by_thresholds}
NAMES = pytest.mark.parametrize("name", SLOW)
TREES = pytest.mark.parametrize("name", ["c45", "decision_tree"])


def adversary(name: str) -> Adversary:
    return C45() if name == "c45" else Learner(name="decision_tree")


@dataclass(frozen=True)
class Told(Numbers):
    """Reads the texts of a column as the numbers that are told of them."""

    values: Mapping[str, Fraction] = field(default_factory=dict)

    def read(self, text: str | None) -> Decimal | None:
        assert text is not None
        return Decimal(self.values[text].numerator) / Decimal(self.values[text].denominator)


def seen_of(name: str, case: Case, c: int, tree: ValueTree, nodes: npt.NDArray[np.int32]) -> Seen:
    told, numbers = as_seen(tree), numbers_in(case.taxonomies)
    reads = name == "numbers" and c in numbers
    return Seen(f"c{c}", told, nodes, numbers_of(told, Told(values=numbers[c])) if reads else None)


def as_seen(tree: ValueTree) -> Tree:
    is_leaf = np.zeros(len(tree.parent) + 1, dtype=np.int64)
    is_leaf[tree.leaves] = 1
    before = np.concatenate([[0], np.cumsum(is_leaf)])
    names = [texts[0] if texts else "" for texts in tree.texts]
    return Tree(
        tuple(names[leaf] for leaf in tree.leaves.tolist()),
        tree.parent.astype(np.int64),
        before[np.arange(len(tree.parent))],
        before[tree.end],
        {name: node for node, name in enumerate(names) if node},
    )


def view(name: str, case: Case, table: CellTable) -> View:
    """The table as it is now, as whoever retrains on it sees it."""
    nodes = [(table.frame.codes[c] - table.first[c]).astype(np.int32) for c in range(len(table.trees))]
    seen = [seen_of(name, case, c, tree, nodes[c]) for c, tree in enumerate(table.trees)]
    return View(seen[case.j], tuple(seen[c] for c in case.predictors))


def grow_of(name: str, case: Case, table: CellTable) -> Grow:
    if name == "c45":
        return c45.grow
    pytest.importorskip("sklearn")
    seen = [seen_of(name, case, c, tree, np.empty(0, dtype=np.int32)) for c, tree in enumerate(table.trees)]
    defences = object.__new__(Defences)
    for said, value in (("seen", seen), ("rows", table.rows)):
        object.__setattr__(defences, said, value)
    return defences.cart


def exposed(name: str, case: Case, table: CellTable) -> bool:
    """Whether an adversary who is trained on the table as it is now has the true value as the single best guess."""
    seen = view(name, case, table)
    true = np.array([seen.classes.tree.domain.index(case.actual)])
    guesses = make(adversary(name)).train(seen).guess(seen.lines(np.array([case.i])))
    return bool(guesses.exposes(true, strict=case.strict)[0])


@NAMES
@given(cases())
def test_as_the_slow_method(name: str, case: Case) -> None:
    expected = slow.hid3_any(
        case.table, case.i, case.j, case.predictors, case.taxonomies, case.chooser(), SLOW[name],
        strict=case.strict, deletes=not case.rough,
    )  # fmt: skip
    fast = case.fast()
    walks = Walks(fast.table, grow_of(name, case, fast.table), strict=case.strict)
    actual = fast.actual(case.i, case.j)
    outcome = hid3.protect(
        walks, case.j, case.predictors, case.i, actual, case.chances[0], deletes=not case.rough
    )  # fmt: skip
    assert STATUS[outcome.status] == expected.status
    if outcome.status == "failed":
        assert fast.changed() == [(case.i, case.j, None)]
    else:
        assert fast.changed() == expected.changed
        assert outcome.status == "by lot" or not exposed(name, case, fast.table)
        beside = {(r, c) for r, c, _ in expected.changed if c != case.j}
        assert {(r, c) for r, c in outcome.changes.tolist()} == beside


@TREES
@given(cases(), st.booleans())
def test_no_way_changes_fewer_cells(name: str, case: Case, strict: bool) -> None:
    fast = case.fast()
    table, actual = fast.table, fast.actual(case.i, case.j)
    table.set(case.j, case.i, 0)
    walks = Walks(table, grow_of(name, case, table), strict=strict)
    (tree,) = walks.trees(case.j, case.i, case.predictors)
    work = [list(row) for row in case.table]
    work[case.i][case.j] = None
    root = SLOW[name](work, case.j, case.predictors, case.taxonomies, None)
    place = int(table.frame.leaf[actual + table.first[case.j]])
    assert tree.tells(table, case.i, place) is slow.is_told(root, work[case.i], case.actual, strict)
    if not tree.tells(table, case.i, place) or not case.rough:
        return
    walk = hid3.RowWalk(table, case.i, place, table.step(deletes=False))
    least = slow.fewest_changes(root, work[case.i], case.predictors, case.taxonomies, case.actual, strict=strict)
    assert walk.hide_from([tree]) is (least is not None)
    if least is not None:
        assert len(walk.keep()) == least
        assert not tree.tells(table, case.i, place)


@NAMES
@given(cases())
def test_verification_counts_apart_and_agrees(name: str, case: Case) -> None:
    fast = case.fast()
    table = fast.table
    table.set(case.j, case.i, 0 if not case.rough else int(table.trees[case.j].parent[fast.actual(case.i, case.j)]))
    walks = Walks(table, grow_of(name, case, table), strict=case.strict)
    (tree,) = walks.trees(case.j, case.i, case.predictors)
    seen = view(name, case, table)
    guesses = make(adversary(name)).train(seen).guess(seen.lines(np.array([case.i])))
    node = table.frame.codes[case.j, case.i]
    for place in range(int(walks.low[node]), int(walks.high[node])):
        told = bool(guesses.exposes(np.array([place]), strict=case.strict)[0])
        assert tree.tells(table, case.i, place - int(walks.low[node])) is told


@NAMES
@given(cases(), st.sampled_from(["decp", "incp", "dropp"]))
def test_together_with_naive_bayes(name: str, case: Case, method: str) -> None:
    run: Callable[..., Result] = SINGLE[method][case.rough]
    expected = slow.hybrid_any(
        lambda table: run(
            table, case.i, case.j, case.predictors, values(case), case.guesses, case.chooser(), case.strict
        ),
        case.table, case.i, case.j, case.predictors, case.taxonomies, case.chooser(), SLOW[name],
        strict=case.strict, deletes=not case.rough,
    )  # fmt: skip
    fast = case.fast()
    grow = grow_of(name, case, fast.table)
    status = STATUS[fast.hybrid(method, case.i, case.j, case.predictors, case.bayes, case.chances[0], grow)]
    assert status == expected.status
    assert fast.changed([case.i] if status == DELETED else []) == expected.changed
    if status in (SUPPRESSED, NOT_NEEDED):
        assert not exposed(name, case, fast.table)


@TREES
@given(cases())
def test_cells_that_must_stay_do(name: str, case: Case) -> None:
    fast = case.fast()
    fast.table.frame.locked[case.predictors[0]] = True
    walks = Walks(fast.table, grow_of(name, case, fast.table), strict=case.strict)
    actual = fast.actual(case.i, case.j)
    outcome = hid3.protect(walks, case.j, case.predictors, case.i, actual, case.chances[0], deletes=not case.rough)
    assert case.predictors[0] not in {c for _, c, _ in fast.changed()}
    assert len(outcome.changes) <= len(case.predictors) - 1


def test_a_tree_is_grown_anew_only_when_its_rows_change(monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    generator = np.random.default_rng(3)
    columns = [generator.integers(1, 4, 40).astype(np.int32) for _ in range(3)]
    tree = ValueTree(((), ("a",), ("b",), ("c",)), np.array([-1, 0, 0, 0], dtype=np.int32))
    table = CellTable(columns, [tree] * 3, [2])
    grown: list[int] = []

    def grow(*said: object) -> object:
        grown.append(1)
        return c45.grow(*said)  # type: ignore[arg-type]

    walks = Walks(table, grow, strict=False)  # type: ignore[arg-type]
    table.set(2, 0, 0)
    walks.trees(2, 0, [0, 1])
    table.set(0, 0, 0)  # the row itself: nobody learns from it
    walks.trees(2, 0, [0, 1])
    assert len(grown) == 1
    table.set(0, 1, 0)
    walks.trees(2, 0, [0, 1])
    assert len(grown) == 2


@given(st.integers(0, 3000))
def test_n_log_n(n: int) -> None:
    assert n_log_n(n)[n] == slow.n_log_n(n)


def test_ways_are_refused_that_go_elsewhere_above() -> None:
    """A column that is asked twice: hiding it for the second test changes the answer of the first."""
    tree = ValueTree(((), ("a",), ("b",), ("c",)), np.array([-1, 0, 0, 0], dtype=np.int32))
    from discreet.method.cells.walks import Branches, GrownWalks

    best = np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=np.bool_)
    # node 0: a goes to 1, all others to 2; node 1: a goes to 4, all others to 3
    child = np.array([2, 1, 2, 2, 3, 4, 3, 3], dtype=np.int64)
    column = np.array([0, 0, -1, -1, -1], dtype=np.int64)
    grown = GrownWalks(Branches(column, np.array([0, 4, 0, 0, 0], dtype=np.int64), child, best), best)
    table = CellTable([np.array([1], dtype=np.int32), np.array([0], dtype=np.int32)], [tree, tree], [1])
    walk = hid3.RowWalk(table, 0, 0, table.step(deletes=True))
    assert not walk.hide_from([grown])
    assert table.node(0, 0) == 1
