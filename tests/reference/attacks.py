"""The attacks of who knows the method, slow and obvious: every hypothesis is tried on a table of its own.

Exact fractions; hidden cells are null, and the tables that they are hidden in have no nulls of their own.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product

from tests.reference.cells import Domains
from tests.reference.cells_model import Probabilities, Row, Table, copied, is_top, naive_bayes
from tests.reference.cells_tree import classify, id3

Weights = dict[str, Fraction]


def likeliest(weights: Weights) -> set[str]:
    """The values that weigh most; none if all weigh nothing."""
    top = max(weights.values())
    return {value for value, weight in weights.items() if weight == top} if top else set()


def refilled(table: Table, i: int, j: int, predictors: Sequence[int], domain: Sequence[str]) -> Weights:
    """What each value weighs for who knows that only DECP was used, and only for the cell in row i and column j.

    For each value a table is made in which the hidden cells of its rows hold what row i holds. The value fits if it is
    not predicted now, and (where something was hidden) was predicted then, and if it explains every hidden cell.
    """
    now = naive_bayes(table, i, j, predictors, domain)
    hidden = [(r, c) for r, row in enumerate(table) if r != i for c in predictors if row[c] is None]
    weights = {}
    for value in domain:
        before = copied(table)
        for r, c in hidden:
            if table[r][j] == value:
                before[r][c] = table[i][c]
        then = naive_bayes(before, i, j, predictors, domain)
        fits = not is_top(now, value, False)
        if hidden:
            explained = all(before[r][c] is not None for r, c in hidden)
            fits = fits and is_top(then, value, False) and explained
        total = sum(then.values())
        weights[value] = then[value] / total if fits and total else Fraction(0)
    return weights


Guess = Callable[[Table], str | None]
"""What is guessed on a table, if one value alone is."""
Weigh = Callable[[Table], Probabilities]


def inverted(table: Table, i: int, predictors: Sequence[int], domains: Domains, guess: Guess, weigh: Weigh) -> Weights:
    """What each value weighs for who knows that the null cells of row i were hidden because the value was guessed.

    All ways to fill them are tried; each counts for the value that is guessed with it, as `weigh` has it.
    """
    hidden = [c for c in predictors if table[i][c] is None]
    now = guess(table)
    weights: Weights = {}
    for way in product(*(domains[c] for c in hidden)):
        filled = copied(table)
        for c, value in zip(hidden, way, strict=True):
            filled[i][c] = value
        told = weigh(filled)
        for value, weight in told.items():
            weights.setdefault(value, Fraction(0))
            if value != now and (not hidden or guess(filled) == value):
                weights[value] += weight
    return weights


def by_bayes(i: int, j: int, predictors: Sequence[int], domain: Sequence[str]) -> tuple[Guess, Weigh]:
    """Naive Bayes, which guesses and weighs."""

    def weigh(table: Table) -> Probabilities:
        return naive_bayes(table, i, j, predictors, domain)

    def guess(table: Table) -> str | None:
        p = weigh(table)
        return next((value for value in p if is_top(p, value, False)), None)

    return guess, weigh


def by_tree(i: int, j: int, predictors: Sequence[int], domains: Domains) -> tuple[Guess, Weigh]:
    """An ID3 tree guesses; naive Bayes with Laplace smoothing, over the known cells, weighs."""

    def guess(table: Table) -> str | None:
        row: Row = table[i]
        return classify(id3(table, i, j, predictors, domains), row)

    def weigh(table: Table) -> Probabilities:
        found = {}
        rows = [row for r, row in enumerate(table) if r != i and row[j] is not None]
        for value in domains[j]:
            mine = [row for row in rows if row[j] == value]
            p = Fraction(len(mine) + 1, len(rows) + len(domains[j]))
            for c in predictors:
                if (x := table[i][c]) is not None:
                    known = [row[c] for row in mine if row[c] is not None]
                    p *= Fraction(known.count(x) + 1, len(known) + len(domains[c]))
            found[value] = p
        return found

    return guess, weigh


def surer(groups: Sequence[tuple[Sequence[int], int]], limit: Fraction) -> tuple[Fraction, list[list[Fraction]]]:
    """How probable a refinement is refused, and if so how probable a hit is for a row of each part of each group.

    A group is the sizes of its parts and its hits. All worlds are listed: in each the hits of every group lie in other
    rows. It is refused where some part has a larger share of hits than the limit.
    """
    worlds = list(product(*(combinations(range(sum(sizes)), hits) for sizes, hits in groups)))
    parts = [sizes for sizes, _ in groups]
    refused = [world for world in worlds if any(_breaks(*both, limit) for both in zip(parts, world, strict=True))]
    found = []
    for place, (sizes, _) in enumerate(groups):
        starts = [sum(sizes[:part]) for part in range(len(sizes))]
        found.append(
            [Fraction(sum(start in world[place] for world in refused), max(len(refused), 1)) for start in starts]
        )
    return Fraction(len(refused), len(worlds)), found


def _breaks(sizes: Sequence[int], hits: Sequence[int], limit: Fraction) -> bool:
    start = 0
    for size in sizes:
        if sum(start <= hit < start + size for hit in hits) > limit * size:
            return True
        start += size
    return False
