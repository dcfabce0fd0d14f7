"""Random small tables with unknown values, ties, columns of one value and unbalanced taxonomies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.adversary.releases import Cell, Table

Nested = Mapping[str, "Nested"]

SHAPES: tuple[Nested, ...] = (
    {"a": {}, "b": {}, "c": {}},
    {"A": {"a": {}, "b": {}}, "c": {}},
    {"A": {"a": {}, "B": {"b": {}, "c": {}}}, "d": {}},
    {"A": {"a": {}, "b": {}}, "C": {"c": {}, "D": {"d": {}, "e": {}}}},
)


def flat(letters: str) -> Nested:
    return {letter: {} for letter in letters}


def leaves(tree: Nested) -> list[str]:
    return [leaf for label, below in tree.items() for leaf in (leaves(below) if below else [label])]


def labels(tree: Nested) -> list[str]:
    return [name for label, below in tree.items() for name in (label, *labels(below))]


def written(tree: Nested) -> dict[str, Any]:
    """As in a policy, under the marker."""

    def plain(below: Nested) -> Any:
        return {label: plain(inner) if inner else None for label, inner in below.items()}

    return {"*": plain(tree)}


@dataclass(frozen=True)
class Case:
    """A released table, the row and column to guess, and the trees of all columns."""

    table: Table
    row: int
    column: int
    predictors: list[int]
    trees: list[Nested]

    @property
    def domains(self) -> list[list[str]]:
        return [leaves(tree) for tree in self.trees]


@st.composite
def plain_cases(draw: st.DrawFn) -> Case:
    """Values or nothing; the class of the row is hidden, others may be."""
    width = draw(st.integers(1, 4))
    trees: list[Nested] = [flat("abcd"[: draw(st.integers(1, 4))]) for _ in range(width)]
    trees.append(flat("uvwx"[: draw(st.integers(2, 4))]))
    cells: list[st.SearchStrategy[Cell]] = [st.sampled_from([*leaves(tree), None]) for tree in trees]
    table = [list(row) for row in draw(st.lists(st.tuples(*cells), min_size=1, max_size=14))]
    row = draw(st.integers(0, len(table) - 1))
    table[row][width] = None
    return Case(table, row, width, draw(st.permutations(range(width))), trees)


@st.composite
def rough_cases(draw: st.DrawFn) -> Case:
    """Values, groups or nothing; the class of the row is told roughly or not at all."""
    width = draw(st.integers(1, 3))
    trees = [draw(st.sampled_from(SHAPES)) for _ in range(width + 1)]
    cells: list[st.SearchStrategy[Cell]] = [
        st.one_of(st.sampled_from(leaves(tree)), st.sampled_from([*labels(tree), None])) for tree in trees
    ]
    table = [list(row) for row in draw(st.lists(st.tuples(*cells), min_size=1, max_size=14))]
    row = draw(st.integers(0, len(table) - 1))
    groups = [label for label in labels(trees[-1]) if label not in leaves(trees[-1])]
    table[row][width] = draw(st.sampled_from([None, *groups]))
    return Case(table, row, width, list(range(width)), trees)
