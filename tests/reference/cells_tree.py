"""The ID3 tree, and the methods that hide a cell from it: HID3 (Figure 3.5) and HID3-G (Figure 4.7).

The tree is behind two small things: a node has a column, children and their training counts, or is a leaf. Any other
tree of that shape will do for ``hide`` and ``hide_general``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from tests.reference.cells import Domains, finished
from tests.reference.cells_model import (
    DECLINED,
    DELETED,
    NOT_NEEDED,
    SUPPRESSED,
    Cell,
    Chooser,
    Result,
    Row,
    Step,
    Table,
    Taxonomy,
    copied,
    secret,
)

Covers = Callable[[int, Cell, str], bool]


@dataclass
class Node:
    """A leaf with a value, or a decision on a column with a child and a training count for every domain value.

    ``label`` is the branch that leads to the node; the steps name nodes by it.
    """

    value: str | None = None
    column: int | None = None
    children: dict[str, "Node"] = field(default_factory=dict)
    population: dict[str, int] = field(default_factory=dict)
    label: Cell = None


def only_null_covers(_: int, cell: Cell, value: str) -> bool:
    """Of the deletion methods: null can be every value, a value only itself."""
    return cell is None or cell == value


def covering(taxonomies: Sequence[Taxonomy]) -> Covers:
    """Of the generalising methods: a value can be every leaf below it."""
    return lambda column, cell, value: taxonomies[column].covers(cell, value)


def most_common(values: Sequence[str], domain: Sequence[str]) -> str:
    """Ties to the first in domain order."""
    return max(domain, key=values.count)


def filled(rows: Sequence[Row], column: int, domain: Sequence[str], covers: Covers) -> list[str]:
    """The column at this node; an unknown cell is the most common value it can be (ties: first in domain order)."""
    known = [cell for row in rows if (cell := row[column]) is not None and cell in domain]
    result = []
    for row in rows:
        cell = row[column]
        possible = [value for value in domain if covers(column, cell, value)]
        result.append(cell if cell is not None and cell in domain else most_common(known, possible))
    return result


def disorder(split: Sequence[str], classes: Sequence[str]) -> Fraction:
    """Two to the power of rows times the entropy after a split, which orders splits as the gain does, exactly.

    The sum over branches of n log n minus that of n_v log n_v, as a product of powers.
    """
    branches = [[v for s, v in zip(split, classes, strict=True) if s == value] for value in set(split)]
    above = prod(len(branch) ** len(branch) for branch in branches)
    below = prod(branch.count(v) ** branch.count(v) for branch in branches for v in set(branch))
    return Fraction(above, below)


def grow(rows: Sequence[Row], j: int, columns: Sequence[int], domains: Domains, covers: Covers) -> Node:
    """ID3. Ties of gain by column order, of majority by domain order; a split without gain is made too."""
    classes = [value for row in rows if (value := row[j]) is not None]
    majority = most_common(classes, domains[j])
    # a column with fewer than two known values at the node is not split on
    splittable = [c for c in columns if len({row[c] for row in rows if row[c] in domains[c]}) > 1]
    if len(set(classes)) <= 1 or not splittable:
        return Node(value=majority)
    splits = {c: filled(rows, c, domains[c], covers) for c in splittable}
    column = min(splittable, key=lambda c: disorder(splits[c], classes))
    node = Node(column=column)
    for value in domains[column]:
        below = [row for row, s in zip(rows, splits[column], strict=True) if s == value]
        rest = [c for c in columns if c != column]
        child = grow(below, j, rest, domains, covers) if below else Node(value=majority)
        child.label = value
        node.children[value] = child
        node.population[value] = len(below)
    return node


def id3(
    table: Table, i: int, j: int, predictors: Sequence[int], domains: Domains, covers: Covers = only_null_covers
) -> Node:
    """The tree of all rows but row i whose class is, or can be, a value of the domain; no such row: the first value.

    Rows with a null class do not train. A generalised class trains as the most common class it can be.
    """
    known = [value for r, row in enumerate(table) if r != i and (value := row[j]) is not None and value in domains[j]]
    rows = []
    for r, row in enumerate(table):
        possible = [value for value in domains[j] if covers(j, row[j], value)]
        if r != i and row[j] is not None and possible:
            rows.append([most_common(known, possible) if c == j else cell for c, cell in enumerate(row)])
    return grow(rows, j, list(predictors), domains, covers)


def id3_g(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    level: Cell,
    leaves_out: bool = False,
) -> Node:
    """The tree of the rows whose class is ``level`` or below it, among the leaves of ``level``.

    ``leaves_out``: only of those whose class is a leaf, as the thesis has it.
    """
    classes = taxonomies[j]
    training = classes.leaves(level) if leaves_out else [v for v in classes.parent if classes.covers(level, v)]
    inside = [[cell if c != j or cell in training else None for c, cell in enumerate(row)] for row in table]
    domains = [classes.leaves(level) if c == j else t.domain for c, t in enumerate(taxonomies)]
    return id3(inside, i, j, predictors, domains, covering(taxonomies))


def readings_g(
    table: Table, i: int, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], level: Cell
) -> list[Node]:
    """The trees of both meanings of a generalised class: the most common class it can be, and nothing at all."""
    return [id3_g(table, i, j, predictors, taxonomies, level, leaves_out) for leaves_out in (False, True)]


def is_guessed_g(
    table: Table, i: int, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], actual: str
) -> bool:
    """Whether a tree of either meaning predicts the value of a cell as it is published now."""
    trees = readings_g(table, i, j, predictors, taxonomies, table[i][j])
    return any(classify(tree, table[i], covering(taxonomies)) == actual for tree in trees)


def ranked(node: Node, row: Row, covers: Covers) -> list[str]:
    """The branches the row's cell can follow, the most common first (ties in domain order)."""
    assert node.column is not None
    branches = [value for value in node.children if covers(node.column, row[node.column], value)]
    return sorted(branches, key=lambda value: -node.population[value])


def classify(node: Node, row: Row, covers: Covers = only_null_covers) -> str:
    """The prediction; an unknown cell follows the most common branch it can be."""
    while node.column is not None:
        node = node.children[ranked(node, row, covers)[0]]
    assert node.value is not None
    return node.value


def plain_tree(node: Node) -> object:
    """The tree as nested dictionaries, columns as texts."""
    if node.column is None:
        return node.value
    return {str(node.column): {value: plain_tree(child) for value, child in node.children.items()}}


# --- HID3 --------------------------------------------------------------------------------------------------------


def hid3(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    chooser: Chooser,
    tree: Node | None = None,
) -> Result:
    """Hide cells of the row until the tree (ID3 of the other rows unless given) leads it to another value."""
    actual = secret(table, i, j, predictors, domains[j])
    work = copied(table)
    work[i][j] = None
    root = tree or id3(work, i, j, predictors, domains)
    if classify(root, work[i]) != actual:
        return finished(table, work, i, NOT_NEEDED)
    if len(domains[j]) == 2 and not chooser.coin():
        return finished(table, work, i, DECLINED)
    steps: list[Step] = []
    status = SUPPRESSED if hide(root, work[i], actual, steps) else DELETED
    return finished(table, work, i, status, steps=steps)


def hide(node: Node, row: Row, actual: str, steps: list[Step]) -> bool:
    """Walk the row to a leaf of another value, hiding cells on the way; it is as it was when that fails."""
    if node.column is None:
        steps.append({"op": "leaf", "value": node.value})
        return node.value != actual
    if (value := classify(node, row)) != actual:
        steps.append({"op": "already_wrong", "value": value})
        return True
    column, cell = node.column, row[node.column]
    common = ranked(node, [None] * len(row), only_null_covers)[0]
    if cell is None:
        return hide(node.children[common], row, actual, steps)
    if cell == common:
        steps.append({"op": "hide", "attr": column, "why": "match_is_most_common"})
    else:
        steps.append({"op": "try_match", "attr": column, "child": node.children[cell].label})
        if hide(node.children[cell], row, actual, steps):
            return True
        steps.append({"op": "hide", "attr": column, "why": "match_failed", "child": common})
    row[column] = None
    if hide(node.children[common], row, actual, steps):
        return True
    row[column] = cell
    steps.append({"op": "revert", "attr": column})
    return False


# --- HID3-G ------------------------------------------------------------------------------------------------------


def hid3_g(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    chooser: Chooser,
    tree: Node | None = None,
    start: int = 1,
) -> Result:
    """Generalise cells of the row, and the class level by level, until the trees lead to other values.

    They are those of both meanings of other rows' generalised classes, unless a tree is given.
    """
    classes = taxonomies[j]
    actual = secret(table, i, j, predictors, classes.domain)
    covers = covering(taxonomies)
    steps: list[Step] = []
    for lj in range(start, classes.depth(actual) + 1):
        work = copied(table)
        work[i][j] = level = classes.up(actual, lj)
        trees = [tree] if tree else readings_g(work, i, j, predictors, taxonomies, level)
        if all(classify(root, work[i], covers) != actual for root in trees):
            return finished(table, work, i, NOT_NEEDED, steps=steps)
        if len(classes.leaves(level)) == 2 and not chooser.coin():
            return finished(table, work, i, DECLINED, steps=steps)
        inner: list[Step] = []
        steps.append({"op": "class_level", "lj": lj, "g": level, "steps": inner})
        if hide_from_all(trees, work[i], actual, taxonomies, inner):
            return finished(table, work, i, SUPPRESSED, steps=steps)
    return finished(table, copied(table), i, DELETED, steps=steps)


def hide_from_all(
    trees: Sequence[Node], row: Row, actual: str, taxonomies: Sequence[Taxonomy], steps: list[Step]
) -> bool:
    """Hide the row from one tree after the other until none predicts the value; each time it only becomes coarser."""
    while guessing := [tree for tree in trees if classify(tree, row, covering(taxonomies)) == actual]:
        if not hide_general(guessing[0], row, actual, taxonomies, steps):
            return False
    return True


def hide_general(node: Node, row: Row, actual: str, taxonomies: Sequence[Taxonomy], steps: list[Step]) -> bool:
    """As ``hide``, generalising level by level.

    Once the row follows the most common child it does so at every higher level: there is no more to try.
    """
    covers = covering(taxonomies)
    if node.column is None:
        steps.append({"op": "leaf", "node": node.label, "value": node.value})
        return node.value != actual
    if (value := classify(node, row, covers)) != actual:
        steps.append({"op": "already_wrong", "node": node.label, "value": value})
        return True
    column, cell = node.column, row[node.column]
    common = ranked(node, [None] * len(row), covers)[0]
    if cell is None:
        return hide_general(node.children[common], row, actual, taxonomies, steps)
    while (match := ranked(node, row, covers)[0]) != common:
        child = node.children[match]
        step: Step = {"op": "try_match", "node": node.label, "attr": column, "value": row[column], "child": child.label}
        steps.append(step)
        if hide_general(child, row, actual, taxonomies, steps):
            return True
        row[column] = taxonomies[column].up(row[column], 1)
        steps.append({"op": "generalize", "attr": column, "to": row[column]})
    if row[column] is not None:
        row[column] = taxonomies[column].up(row[column], 1)
        steps.append({"op": "generalize", "attr": column, "to": row[column], "why": "match_is_most_common"})
    if hide_general(node.children[common], row, actual, taxonomies, steps):
        return True
    row[column] = cell
    steps.append({"op": "revert", "attr": column})
    return False
