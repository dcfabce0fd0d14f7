"""Cuts as bit strings: the same as the slow version on random columns, the paper's numbers, Adult's 157 bits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.columns.taxonomy import Taxonomy
from discreet.method.base.space import Flags, Node, Space
from discreet.method.cuts.bits import Bits, Cuts, cuts_of, genitor_rank
from discreet.planning.tree_column import TreeColumn
from tests.reference import cuts as slow
from tests.reference.parts import Nested, Number
from tests.reference.test_cuts_reference import ADULT, PAPER, REPAIRS, WORK, columns, nested, strings

SEEDS = st.integers(0, 2**32 - 1)


def space_of(column: slow.Column) -> Space:
    """The space of a column of the slow version."""
    if isinstance(column, slow.PlainColumn):
        return Space(len(column.values))
    nodes: list[Node] = []
    if isinstance(column, slow.TreeColumn):
        _plant(column.root, 0, nodes)
        size = len(column.leaves)
        return Space(size, tuple(nodes))
    assert isinstance(column, slow.NumberColumn)
    extra, size = len(column.missing), column.length + 1
    cuts = np.array([False, *(place in column.ways for place in range(size - 1))])
    whole = Node(extra, size, interval=True)
    if not extra:
        return Space(size, (whole,), cuts)
    leaves = [Node(code, code + 1) for code in range(extra)]
    return Space(size, (Node(0, size, tuple(range(1, extra + 2))), *leaves, whole), cuts)


def _plant(node: Nested, first: int, nodes: list[Node]) -> tuple[int, int]:
    """Add a node and all below it; return its place and where its codes stop."""
    place, stop, children = len(nodes), first, []
    nodes.append(Node(0, 0))
    for child in node[1]:
        below, stop = _plant(child, stop, nodes)
        children.append(below)
    stop = max(stop, first + 1)
    nodes[place] = Node(first, stop, tuple(children))
    return place, stop


def fast_of(some: list[slow.Column]) -> Cuts:
    pinned = [
        np.array([value == slow.MARKER for value in column.values], dtype=np.bool_)
        if isinstance(column, slow.PlainColumn)
        else np.zeros(column.length + 1, dtype=np.bool_)
        for column in some
    ]
    return cuts_of([space_of(column) for column in some], pinned)


def array(bits: Any) -> Bits:
    return np.array(bits, dtype=np.uint8)


def each(some: list[slow.Column], bits: Bits | Flags) -> list[slow.Bits]:
    """The bits of each column."""
    found, start = [], 0
    for column in some:
        found.append(tuple(bits[start : start + column.length].tolist()))
        start += column.length
    return found


def together(bits: list[slow.Bits]) -> list[int]:
    return [bit for own in bits for bit in own]


some_columns = st.lists(columns(), min_size=1, max_size=3)


# The same as the slow version


@given(some_columns, st.data())
def test_validity_and_repair_are_those_of_the_slow_version(some: list[slow.Column], data: st.DataObject) -> None:
    fast = fast_of(some)
    assert fast.length == sum(column.length for column in some)
    several = [data.draw(strings(fast.length)) for _ in range(3)]
    valid = [all(c.is_valid(own) for c, own in zip(some, each(some, array(bits)), strict=True)) for bits in several]
    assert [fast.is_valid(array(bits)) for bits in several] == valid
    assert fast.is_valid(array(several)) == all(valid)
    for how in ("nearest", "split", "merge"):
        found = fast.repair(array(several), how)
        for bits, repaired in zip(several, found, strict=True):
            expected = [
                slow.repair(column, own, how) for column, own in zip(some, each(some, array(bits)), strict=True)
            ]
            assert repaired.tolist() == together(expected)
            assert fast.repair(array(bits), how).tolist() == repaired.tolist()
    assert found.dtype == np.uint8


@given(some_columns, SEEDS, st.data())
def test_flips_are_those_of_the_slow_version(some: list[slow.Column], seed: int, data: st.DataObject) -> None:
    fast, rng = fast_of(some), np.random.default_rng(seed)
    bits = array(together([data.draw(st.sampled_from(slow.valid_strings(column))) for column in some]))
    before = bits.copy()
    for place in range(fast.length):
        expected, start = each(some, bits), 0
        for at, column in enumerate(some):
            if start <= place < start + column.length:
                expected[at] = slow.flip(column, expected[at], place - start)
            start += column.length
        assert fast.flip(bits, place).tolist() == together(expected)
    probability = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    drawn = each(some, np.random.default_rng(seed).random(fast.length) < probability)
    mutated = [
        slow.mutate(column, own, np.flatnonzero(hit).tolist())
        for column, own, hit in zip(some, each(some, bits), drawn, strict=True)
    ]
    assert fast.mutate(bits, probability, rng).tolist() == together(mutated)
    assert bits.tolist() == before.tolist()


@given(some_columns, st.data())
def test_parts_are_the_values_that_look_alike(some: list[slow.Column], data: st.DataObject) -> None:
    fast = fast_of(some)
    own = [data.draw(st.sampled_from(slow.valid_strings(column))) for column in some]
    bits = array(together(own))
    found = fast.parts(bits)
    for column, part, string in zip(some, found, own, strict=True):
        looks = looks_of(column, string)
        assert [looks.index(look) for look in looks] == part.tolist()
    again = fast.bits_of(found)
    assert all((a == b).all() for a, b in zip(fast.parts(again), found, strict=True))
    for column, before, after in zip(some, own, each(some, again), strict=True):
        shown_instead = isinstance(column, slow.PlainColumn) and column.length - sum(before) == 1
        assert before == after or (shown_instead and sum(after) == column.length)


def looks_of(column: slow.Column, string: slow.Bits) -> list[object]:
    """How the value of each code looks."""
    cells = column.cells(column.cut(string))
    if isinstance(column, slow.PlainColumn):
        return [cells[value][0] for value in column.values]
    if isinstance(column, slow.TreeColumn):
        return [cells[leaf][0] for leaf in column.leaves]
    assert isinstance(column, slow.NumberColumn)
    texts = {number: text for text, number in column.texts}
    return [cells[text][0] for text in (*column.missing, *(texts[number] for number in column.numbers))]


@given(some_columns, st.data())
def test_found_parts_have_their_nodes(some: list[slow.Column], data: st.DataObject) -> None:
    fast = fast_of(some)
    bits = array(together([data.draw(st.sampled_from(slow.valid_strings(column))) for column in some]))
    for place, found in enumerate(fast.found(bits)):
        space, parts = fast.spaces[place], fast.parts(bits)[place]
        if space.plain:
            assert np.asarray(found).tolist() == fast.column(bits, place).astype(bool).tolist()
            continue
        assert isinstance(found, list)
        assert [first for first, _, _ in found] == np.unique(parts).tolist()
        assert [stop for _, stop, _ in found] == [*np.unique(parts).tolist()[1:], space.size]
        for first, stop, node in found:
            inside = space.nodes[node].first <= first < stop <= space.nodes[node].stop
            assert inside if space.nodes[node].interval else (first, stop) == _range(space.nodes[node])


def _range(node: Node) -> tuple[int, int]:
    return node.first, node.stop


# Chance


@given(some_columns, SEEDS, st.floats(0, 1))
def test_random_cuts_are_valid_and_as_dense_as_asked(some: list[slow.Column], seed: int, density: float) -> None:
    fast, rng = fast_of(some), np.random.default_rng(seed)
    several = fast.random(np.full(20, density), rng)
    assert several.shape == (20, fast.length)
    assert fast.is_valid(several)
    most = int((fast.switch >= 0).sum())
    widest = max(fast.widths.tolist(), default=0)
    assert (np.abs(several.sum(axis=1) - density * most) < max(widest, 1)).all()
    assert fast.random(0.0, rng).sum() == 0
    assert fast.random(1.0, rng).sum() == most


@pytest.mark.parametrize("density", [0.1, 0.5, 0.8])
def test_the_average_density_is_exact(density: float) -> None:
    for some in ([WORK], [WORK, slow.column(None, set("abc"))]):
        fast = fast_of(list(some))
        found = fast.random(np.full(20000, density), np.random.default_rng(1))
        # the standard error is below 0.5 / sqrt(20000)
        assert abs(found.mean() - density) < 4 * 0.5 / 20000**0.5


@given(some_columns, SEEDS)
def test_crossover_takes_a_stretch_of_the_other(some: list[slow.Column], seed: int) -> None:
    fast, rng = fast_of(some), np.random.default_rng(seed)
    one, other = fast.random(rng.random(2), rng)
    child = fast.crossover(one, other, rng)
    assert fast.is_valid(child)
    mixed = []
    for start in range(fast.length):
        for stop in range(start + 1, fast.length):
            mixed.append(fast.repair(np.concatenate([one[:start], other[start:stop], one[stop:]])).tolist())
            assert fast.cross(one, other, start, stop).tolist() == mixed[-1]
    assert child.tolist() in (mixed or [one.tolist()])
    assert (fast.crossover(one, one, rng) == one).all()


def test_crossover_draws_every_stretch() -> None:
    fast = cuts_of([Space(4)])
    rng = np.random.default_rng(1)
    none, every = array([0] * 4), array([1] * 4)
    drawn = {tuple(fast.crossover(none, every, rng).tolist()) for _ in range(500)}
    stretches = [(start, stop) for stop in range(4) for start in range(stop)]
    assert drawn == {tuple(int(start <= place < stop) for place in range(4)) for start, stop in stretches}


def test_the_same_seed_draws_the_same() -> None:
    fast = fast_of([WORK, slow.column(None, set("abcdef"))])

    def draw() -> list[list[int]]:
        rng = np.random.default_rng(7)
        one, other = fast.random(np.array([0.3, 0.6]), rng)
        return [fast.mutate(fast.crossover(one, other, rng), 0.1, rng).tolist() for _ in range(20)]

    assert draw() == draw()


# The paper's numbers


@pytest.mark.parametrize("how", ["nearest", "split", "merge"])
def test_every_repair_of_the_work_class(how: Any) -> None:
    fast = fast_of([WORK])
    cases = REPAIRS["cases"]
    for case in cases:
        assert fast.is_valid(array(case["bits"])) == case["valid"]
    assert fast.repair(array([case["bits"] for case in cases]), how).tolist() == [case[how] for case in cases]


def test_ranks_of_genitor() -> None:
    for case in PAPER["genitor_rank"]:
        assert genitor_rank(case["u"], case["size"], case["bias"]) == case["rank"]
    assert genitor_rank(0.05, 5000) == 168


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 10**6), st.floats(1, 2))
def test_ranks_are_those_of_the_slow_version(u: float, size: int, bias: float) -> None:
    rank = genitor_rank(u, size, bias)
    assert 0 <= rank < size
    # a rounding error may cross from one rank to the next, at its very edge
    assert abs(rank - slow.genitor_rank(Fraction(u), size, Fraction(bias))) <= 1


def test_adult_has_157_bits() -> None:
    spaces = []
    for name, leaves in ADULT["leaf_order"].items():
        if name in ADULT["trees"]:
            spaces.append(TreeColumn(name, taxonomy(ADULT["trees"][name]), tuple(leaves), ()).space)
        else:
            spaces.append(space_of(slow.column(Number(), set(map(str, leaves)))))
    fast = cuts_of(spaces)
    assert np.diff(fast.offsets).tolist() == ADULT["bits_per_column"]
    assert fast.length == 157
    for case in ADULT["cases"]:
        bits = array(list(map(int, case["bits"])))
        assert fast.is_valid(bits)
        assert fast.repair(bits).tolist() == bits.tolist()
        assert fast.bits_of(fast.parts(bits)).tolist() == bits.tolist()
        listed = [text.split(": ", 1)[1] for text in case["cuts"]]
        counts = [
            len(text.split(", " if name in ADULT["trees"] else " "))
            for name, text in zip(ADULT["columns"], listed, strict=True)
        ]
        assert [len(np.unique(part)) for part in fast.parts(bits)] == counts


def taxonomy(tree: Any) -> Taxonomy:
    """A tree of the worked examples."""

    def paths(node: Nested, above: tuple[str, ...]) -> list[list[str]]:
        path = (str(node[0]), *above)
        return [one for child in node[1] for one in paths(child, path)] if node[1] else [list(path)]

    return Taxonomy.from_paths(paths(nested(tree), ()))


# By hand


def test_missing_values_beside_numbers() -> None:
    # two missing values and the numbers 2 to 5, which may be cut in front of 3 and 5
    leaves = (Node(0, 1), Node(1, 2), Node(2, 6, interval=True))
    cuts = np.array([False, False, False, True, False, True])
    fast = cuts_of([Space(6, (Node(0, 6, (1, 2, 3)), *leaves), cuts)])
    assert fast.length == 5
    assert fast.switch.tolist() == [0, 0, 1, -1, 2]
    assert fast.parent.tolist() == [-1, 0, 0]
    assert not fast.is_valid(array([0, 0, 1, 0, 0]))
    assert not fast.is_valid(array([1, 1, 0, 1, 0]))
    assert fast.is_valid(array([1, 1, 1, 0, 0]))
    assert fast.repair(array([0, 0, 1, 1, 1])).tolist() == [1, 1, 1, 0, 1]
    assert fast.repair(array([0, 0, 1, 1, 0])).tolist() == [0, 0, 0, 0, 0]
    assert fast.repair(array([0, 0, 0, 1, 0]), "split").tolist() == [0, 0, 0, 0, 0]
    assert fast.flip(array([0, 0, 0, 0, 0]), 4).tolist() == [1, 1, 0, 0, 1]
    assert fast.flip(array([1, 1, 1, 0, 1]), 1).tolist() == [0, 0, 0, 0, 0]
    assert fast.parts(array([1, 1, 1, 0, 0]))[0].tolist() == [0, 1, 2, 3, 3, 3]
    assert fast.found(array([1, 1, 1, 0, 0])) == [[(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 6, 3)]]
    assert fast.found(array([0, 0, 0, 0, 0])) == [[(0, 6, 0)]]


def test_a_node_with_one_child_decides_nothing() -> None:
    nodes = (Node(0, 3, (1,)), Node(0, 3, (2, 3)), Node(0, 1), Node(1, 3, (4, 5)), Node(1, 2), Node(2, 3))
    fast = cuts_of([Space(3, nodes)])
    assert (fast.switch.tolist(), fast.parent.tolist()) == ([0, 1], [-1, 0])
    assert fast.found(array([1, 0])) == [[(0, 1, 2), (1, 3, 3)]]
    assert fast.found(array([0, 0])) == [[(0, 3, 1)]]


def test_columns_without_a_choice() -> None:
    one = Space(1, (Node(0, 1),))
    fast, rng = cuts_of([one, one]), np.random.default_rng(1)
    empty = array([])
    assert fast.length == 0
    assert fast.is_valid(empty)
    assert [part.tolist() for part in fast.parts(empty)] == [[0], [0]]
    assert fast.random(np.array([0.0, 1.0]), rng).shape == (2, 0)
    for found in (fast.repair(empty), fast.mutate(empty, 1.0, rng), fast.crossover(empty, empty, rng)):
        assert found.shape == (0,)
    assert cuts_of([]).bits_of([]).shape == (0,)


def test_values_that_are_never_shown() -> None:
    fast = cuts_of([Space(3)], [np.array([False, True, False])])
    assert not fast.is_valid(array([0, 1, 0]))
    assert fast.repair(array([1, 1, 0])).tolist() == [1, 0, 0]
    assert fast.flip(array([1, 0, 0]), 1).tolist() == [1, 0, 0]
    assert fast.bits_of([np.array([0, 1, 2])]).tolist() == [1, 0, 1]
    assert fast.random(1.0, np.random.default_rng(1)).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("plain", "parts"),
    [
        (True, [0, 0, 2, 2]),  # two parts of hidden values
        (True, [1, 1, 1, 3]),  # not the first code
        (False, [0, 1, 1, 3]),  # not a node
        (False, [0, 0, 0, 3]),
        (False, [0, 0, 2, 0]),  # a part that is not in one piece
    ],
)
def test_parts_that_are_no_cut_are_refused(plain: bool, parts: list[int]) -> None:
    tree = slow.TreeColumn(("*", (("ab", (("a", ()), ("b", ()))), ("cd", (("c", ()), ("d", ()))))))
    fast = cuts_of([Space(4) if plain else space_of(tree)])
    with pytest.raises(ValueError, match="not those of a cut"):
        fast.bits_of([np.array(parts)])


def test_a_large_column() -> None:
    size = 100_000
    cuts = np.ones(size, dtype=np.bool_)
    fast = cuts_of([Space(size, (Node(0, size, interval=True),), cuts), Space(size)])
    rng = np.random.default_rng(1)
    bits = fast.random(0.3, rng)
    assert fast.is_valid(bits)
    assert fast.bits_of(fast.parts(bits)).tolist() == bits.tolist()
    assert bits.sum() == pytest.approx(0.3 * fast.length, abs=1)
