"""How well the class is guessed from a table: two tree learners, each judged on rows it has not seen.

C4.5 is the papers' learner (see `c45.py`). CART is scikit-learn's tree, a second opinion by other people's code:
entropy, one column of zeros and ones for each value, at least two rows in a leaf, cost-complexity pruning with
the strength that does best in five-fold cross-validation on the training part.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import polars as pl

from c45 import Codes, Tree, best_column

STRENGTHS = [0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]
SEED = 1


@dataclass(frozen=True)
class Encoded:
    """The inputs of a table by row and column, how many values each column has, and the class of each row."""

    codes: Codes
    sizes: Codes
    classes: Codes


def encode(table: pl.DataFrame, target: str) -> Encoded:
    columns = [
        np.asarray(table[name].rank("dense").to_numpy(), np.intp) - 1 for name in table.columns if name != target
    ]
    codes = np.column_stack(columns)
    return Encoded(codes, codes.max(axis=0) + 1, np.asarray(table[target].rank("dense").to_numpy(), np.intp) - 1)


def c45(data: Encoded, train: Codes, test: Codes) -> float:
    """Return the share of wrong guesses on the test rows, in per cent."""
    tree = Tree(data.codes[train], data.classes[train], data.sizes)
    return 100 * float(np.mean(tree.predict(data.codes[test]) != data.classes[test]))


def cart(data: Encoded, train: Codes, test: Codes) -> float:
    """Return the share of wrong guesses on the test rows, in per cent."""
    # By name: the package is optional and has no types.
    selection, trees = importlib.import_module("sklearn.model_selection"), importlib.import_module("sklearn.tree")
    inputs = np.hstack(
        [np.eye(size, dtype=np.float32)[column] for column, size in zip(data.codes.T, data.sizes, strict=True)]
    )
    folds = selection.StratifiedKFold(5, shuffle=True, random_state=SEED)
    tree = trees.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=SEED)
    search = selection.GridSearchCV(tree, {"ccp_alpha": STRENGTHS}, cv=folds)
    search.fit(inputs[train], data.classes[train])
    return 100 * float(np.mean(search.predict(inputs[test]) != data.classes[test]))


LEARNERS: dict[str, Callable[[Encoded, Codes, Codes], float]] = {"C4.5": c45}
if find_spec("sklearn"):
    LEARNERS["CART"] = cart


def ranked(table: pl.DataFrame, target: str, number: int) -> list[str]:
    """Return the column at the top of a C4.5 tree, that at the top without it, and so on."""
    order: list[str] = []
    while len(order) < number:
        rest = table.drop(order)
        data = encode(rest, target)
        best = best_column(data.codes, data.classes, data.sizes)
        if best is None:
            break
        order.append([name for name in rest.columns if name != target][best])
    return order


def _numbered(column: pl.Series) -> Codes:
    return np.asarray(column.rank("dense").to_numpy(), np.intp) - 1


if __name__ == "__main__":
    print(__doc__)
