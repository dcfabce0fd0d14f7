"""HID3 on any decision tree, slowly: every leaf that the row can be walked to by making its own cells coarser.

A node asks a column and says for every value, every group and null which child it leads to. The row is walked from the
root again for everything that is tried. The way that changes fewest cells is taken; of several the one that is walked
first, where a walk tries the cell as it is before coarser ones, and goes to the end of one branch before the next.

Two trees: CART as scikit-learn grows it, told in these words, and C4.5 as it is defined here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import Any

from tests.reference.cells import finished
from tests.reference.cells_model import (
    DECLINED,
    DELETED,
    NOT_NEEDED,
    SUPPRESSED,
    Cell,
    Chooser,
    Result,
    Row,
    Table,
    Taxonomy,
    copied,
    differences,
    secret,
)


@dataclass
class Asking:
    """A leaf with the likeliest classes, or a question about a column."""

    best: set[str] = field(default_factory=set)
    column: int | None = None
    ways: dict[Cell, "Asking"] = field(default_factory=dict)


Growing = Callable[[Table, int, Sequence[int], Sequence[Taxonomy], Cell], Asking]
"""From a table, the class column, the predictors, all taxonomies and the class level to a tree."""


def training(table: Table, j: int, classes: Taxonomy, level: Cell) -> Table:
    """Rows whose class is known, and below the level."""
    return [row for row in table if row[j] is not None and row[j] in classes.leaves(level)]


def path(root: Asking, row: Row) -> list[Asking]:
    """The nodes that a row comes by."""
    found = [root]
    while found[-1].column is not None:
        found.append(found[-1].ways[row[found[-1].column]])
    return found


def is_told(root: Asking, row: Row, actual: str, strict: bool) -> bool:
    """Whether the value is the single best guess; strict: one of the best."""
    best = path(root, row)[-1].best
    return actual in best if strict else best == {actual}


def coarser(taxonomy: Taxonomy, cell: Cell, deletes: bool) -> list[Cell]:
    """The cell, and all that it can become."""
    found = [cell]
    while found[-1] is not None:
        found.append(None if deletes else taxonomy.parent[found[-1]])
    return found


def walks(
    root: Asking, node: Asking, row: Row, taxonomies: Sequence[Taxonomy], deletes: bool
) -> Iterator[tuple[Asking, Row]]:
    """Every leaf below a node that the row can come to, with the row as it is then, in the order of walking."""
    if node.column is None:
        yield node, row
        return
    tried: list[Asking] = []
    for cell in coarser(taxonomies[node.column], row[node.column], deletes):
        changed = [cell if c == node.column else old for c, old in enumerate(row)]
        child = node.ways[cell]
        if any(child is other for other in tried) or not any(node is met for met in path(root, changed)):
            continue
        tried.append(child)
        yield from walks(root, child, changed, taxonomies, deletes)


def hid3_any(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    chooser: Chooser,
    grow: Growing,
    *,
    strict: bool,
    deletes: bool,
    start: int = 1,
) -> Result:
    """Make cells of the row coarser, and the class level by level from `start`, until the tree tells another value."""
    classes = taxonomies[j]
    actual = secret(table, i, j, predictors, classes.domain)
    for level in coarser(classes, actual, deletes)[start:]:
        work = copied(table)
        work[i][j] = level
        root = grow(work, j, predictors, taxonomies, level)
        if not is_told(root, work[i], actual, strict):
            return finished(table, work, i, NOT_NEEDED)
        if len(classes.leaves(level)) == 2 and not chooser.coin():
            return finished(table, work, i, DECLINED)
        before = work[i]
        ends = [
            changed
            for leaf, changed in walks(root, root, before, taxonomies, deletes)
            if not (actual in leaf.best if strict else leaf.best == {actual})
        ]
        if ends:
            work[i] = min(ends, key=lambda row: sum(a != b for a, b in zip(row, before, strict=True)))
            return finished(table, work, i, SUPPRESSED)
    return finished(table, copied(table), i, DELETED)


def hybrid_any(
    bayes: Callable[[Table], Result],
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    chooser: Chooser,
    grow: Growing,
    *,
    strict: bool,
    deletes: bool,
) -> Result:
    """HID3 on a tree, then a method against naive Bayes (`bayes`, of a table), round again until the tree holds too.

    The class cell keeps the more general of the levels the two ask for, and no later round goes below it.
    """
    classes, actual = taxonomies[j], table[i][j]
    assert actual is not None
    work, start, needed = copied(table), 1, False
    while True:
        result = hid3_any(
            work, i, j, predictors, taxonomies, chooser, grow, strict=strict, deletes=deletes, start=start
        )  # fmt: skip
        work, level = result.published, result.published[i][j]
        needed |= result.status == SUPPRESSED
        if result.status not in (DELETED, DECLINED):
            work[i][j] = actual
            result = bayes(work)
            work = result.published
            needed |= result.status == SUPPRESSED
            if result.status != DELETED:
                work[i][j] = level = None if deletes else classes.higher(level, work[i][j])
                root = grow(work, j, predictors, taxonomies, level)
                if result.status != DECLINED and is_told(root, work[i], actual, strict):
                    start = 1 if deletes else classes.depth(actual) - classes.depth(level)
                    work[i][j] = actual
                    continue
        status = result.status if result.status in (DELETED, DECLINED) else SUPPRESSED if needed else NOT_NEEDED
        return Result(status, work, differences(table, work))


def fewest_changes(
    root: Asking, row: Row, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], actual: str, *, strict: bool
) -> int | None:
    """By trying all rows that this one can become; None if none is safe."""
    rows = [(0, row)]
    for c in predictors:
        cells = coarser(taxonomies[c], row[c], deletes=False)
        rows = [
            (n + (cell != row[c]), [cell if k == c else old for k, old in enumerate(made)])
            for n, made in rows
            for cell in cells
        ]
    return min((n for n, made in rows if not is_told(root, made, actual, strict)), default=None)


# --- CART --------------------------------------------------------------------------------------------------------


def share(taxonomy: Taxonomy, cell: Cell, value: str) -> Fraction:
    """How much of a value a cell is: a group is shared evenly by its values, null is nothing of any."""
    below = [] if cell is None else taxonomy.leaves(cell)
    return Fraction(below.count(value), len(below) or 1)


Numbers = Mapping[int, Mapping[str, Fraction]]
"""The number of each value of some columns."""


def number(numbers: Mapping[str, Fraction], taxonomy: Taxonomy, cell: Cell) -> Fraction:
    """What a cell is: a group is the mean of its values, null is below all: as far as the largest is above, and one."""
    lowest, highest = min(numbers.values()), max(numbers.values())
    below = [] if cell is None else [numbers[value] for value in taxonomy.leaves(cell)]
    return sum(below, Fraction(0)) / len(below) if below else lowest - (highest - lowest) - 1


def _share(taxonomy: Taxonomy, value: str, cell: Cell) -> float:
    return float(share(taxonomy, cell, value))


def _number(numbers: Mapping[str, Fraction], taxonomy: Taxonomy, cell: Cell) -> float:
    return float(number(numbers, taxonomy, cell))


def cart(
    table: Table,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    level: Cell,
    numbers: Numbers | None = None,
) -> Asking:
    """The tree that scikit-learn grows of numbers: one for each value of each predictor, or that of the cell."""
    import numpy as np
    from sklearn.tree import DecisionTreeClassifier

    rows, domain = training(table, j, taxonomies[j], level), taxonomies[j].domain
    inside = taxonomies[j].leaves(level)
    counts = {value: [row[j] for row in rows].count(value) for value in inside}
    if len({row[j] for row in rows}) < 2:
        return Asking(best={value for value in inside if counts[value] == max(counts.values())})
    features: list[tuple[int, Callable[[Cell], float]]] = []
    for c in predictors:
        if numbers is not None and c in numbers:
            features.append((c, partial(_number, numbers[c], taxonomies[c])))
            continue
        features += [(c, partial(_share, taxonomies[c], value)) for value in taxonomies[c].domain]
    told = np.array([[of(row[c]) for c, of in features] for row in rows])
    learner = DecisionTreeClassifier(random_state=0).fit(told, [domain.index(str(row[j])) for row in rows])
    return _asking(learner, 0, features, taxonomies, domain)


def _asking(
    learner: Any,
    node: int,
    features: Sequence[tuple[int, Callable[[Cell], float]]],
    taxonomies: Sequence[Taxonomy],
    domain: Sequence[str],
) -> Asking:
    tree = learner.tree_
    if tree.feature[node] < 0:
        shares = tree.value[node][0]
        return Asking(
            best={domain[k] for k, p in zip(learner.classes_, shares, strict=True) if p >= max(shares) * (1 - 1e-9)}
        )
    c, of = features[tree.feature[node]]
    sides = [
        _asking(learner, int(child[node]), features, taxonomies, domain)
        for child in (tree.children_left, tree.children_right)
    ]
    import numpy as np

    cells: list[Cell] = [None, *taxonomies[c].parent]
    told = {cell: np.float32(of(cell)) for cell in cells}  # as scikit-learn reads them
    return Asking(column=c, ways={cell: sides[int(told[cell] > tree.threshold[node])] for cell in cells})


# --- C4.5 --------------------------------------------------------------------------------------------------------

LEAST_GAIN = 1024


def n_log_n(n: int) -> int:
    """The whole number next to n log2 n times 2**20."""
    if n < 2:
        return 0
    with localcontext() as context:
        context.prec = 60
        return int((n * Decimal(n).ln() / Decimal(2).ln() * 2**20).to_integral_value())


def spread_of(values: Sequence[object]) -> int:
    """The sum of n log n over how often each value occurs."""
    return sum(n_log_n(values.count(value)) for value in dict.fromkeys(values))


def c45(table: Table, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy], level: Cell) -> Asking:
    """C4.5 of the rows with a known class: of columns of at least average gain the one of the best ratio."""
    return _c45(training(table, j, taxonomies[j], level), j, list(predictors), taxonomies, taxonomies[j].leaves(level))


def _c45(
    rows: Table, j: int, columns: Sequence[int], taxonomies: Sequence[Taxonomy], candidates: Sequence[str]
) -> Asking:
    classes = [row[j] for row in rows]
    most = max(classes.count(value) for value in candidates)
    leaf = Asking(best={value for value in candidates if classes.count(value) == most})
    filled: dict[int, list[str]] = {}
    for c in columns:
        known = [row[c] for row in rows if row[c] in taxonomies[c].domain]
        if len(set(known)) > 1:
            values = [max(taxonomies[c].leaves(row[c]), key=known.count) for row in rows]
            if sum(values.count(value) >= 2 for value in set(values)) >= 2:
                filled[c] = values
    if len(set(classes)) < 2 or not filled:
        return leaf
    gain, split = {}, {}
    for c, values in filled.items():
        split[c] = n_log_n(len(rows)) - spread_of(values)
        within = spread_of(values) - spread_of(list(zip(values, classes, strict=True)))
        gain[c] = n_log_n(len(rows)) - spread_of(classes) - within
    worth = [c for c in filled if gain[c] >= LEAST_GAIN and gain[c] * len(filled) >= sum(gain.values())]
    if not worth:
        return leaf
    column = max(worth, key=lambda c: Fraction(gain[c], split[c]))
    children = {}
    for value in taxonomies[column].domain:
        below = [row for row, here in zip(rows, filled[column], strict=True) if here == value]
        rest = [c for c in columns if c != column]
        children[value] = _c45(below, j, rest, taxonomies, candidates) if below else Asking(best=leaf.best)
    ways = {
        cell: children[max(taxonomies[column].leaves(cell), key=filled[column].count)]
        for cell in [None, *taxonomies[column].parent]
    }
    return Asking(column=column, ways=ways)
