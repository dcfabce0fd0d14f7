"""The generalising methods for several cells at once: e-DECP-G (Figure 4.9) and e-DROPP-G (Figure 4.10)."""

from collections.abc import Sequence
from fractions import Fraction

from tests.reference.cells_general import impact, own_impact
from tests.reference.cells_model import (
    DECLINED,
    DELETED,
    NOT_NEEDED,
    SUPPRESSED,
    Chooser,
    ManyResult,
    Probabilities,
    Step,
    Table,
    Taxonomy,
    blank,
    copied,
    differences,
    eligible,
    is_above,
    is_top,
    secret,
    spread_bayes,
)


def e_decp_g(
    table: Table,
    rows: Sequence[int],
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> ManyResult:
    """DECP-G for the same column and the same value of several rows, sharing the generalised cells."""
    classes = taxonomies[j]
    actual = secret(table, rows[0], j, predictors, classes.domain)
    if any(table[d][j] != actual for d in rows):
        raise ValueError("the confidential cells must hold the same value")
    work = copied(table)
    status: dict[int, str] = {}
    rnbg: dict[int, str] = {}
    steps: list[Step] = []

    def probabilities(d: int) -> Probabilities:
        return spread_bayes(work, d, j, predictors, taxonomies, work[d][j]).p

    for lj in range(1, classes.depth(actual) + 1):
        remaining = [d for d in rows if d not in status]
        for d in remaining:
            work[d][j] = classes.up(actual, lj)
        active = []
        for d in remaining:
            p = probabilities(d)
            if not is_top(p, actual, strict):
                status[d] = NOT_NEEDED if lj == 1 else SUPPRESSED
            elif len(p) == 2 and not chooser.coin():
                status[d] = DECLINED
            elif guesses := eligible(p, actual, k, strict):
                rnbg[d] = chooser.pick(guesses)
                active.append(d)
        for lam in range(1, max_depth(taxonomies, predictors) + 1):
            for c, value in shared_values(work, active, j, predictors, taxonomies, actual, lam):
                old, new = taxonomies[c].up(value, lam - 1), taxonomies[c].up(value, lam)
                instances = [r for r, row in enumerate(work) if row[j] == actual and row[c] == old]
                for r in instances[:-1] if lam == 1 else instances:
                    if all(work[d][c] != value for d in active):
                        break  # it would touch no remaining row
                    work[r][c] = new
                    steps.append({"op": "generalize", "row": r, "attr": c, "to": new})
                    for d in list(active):
                        if not is_above(probabilities(d), actual, rnbg[d], strict):
                            status[d] = SUPPRESSED
                            active.remove(d)
    for d in rows:
        if status.setdefault(d, DELETED) == DELETED:
            blank(work, d)
    ordered = {d: status[d] for d in rows}
    kept = [d for d in rows if ordered[d] in (SUPPRESSED, NOT_NEEDED)]
    exposed = [d for d in kept if is_top(probabilities(d), actual, strict)]
    return ManyResult(ordered, rnbg, work, differences(table, work), exposed, steps)


def shared_values(
    table: Table,
    rows: Sequence[int],
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    actual: str,
    lam: int,
) -> list[tuple[int, str]]:
    """The values (column, value) of the rows whose generalisation helps.

    In the order of the number of rows that have them, then of the ratio (4.8), the column and the taxonomy.
    """
    same = [row for row in table if row[j] == actual]
    order = []
    for c in predictors:
        for value in taxonomies[c].parent:
            primary = sum(1 for d in rows if table[d][c] == value)
            facts = impact(same, c, value, lam, taxonomies[c])
            if primary and facts and facts[3] < 1:
                order.append((-primary, facts[3], c, value))
    return [(c, value) for _, _, c, value in sorted(order, key=lambda item: item[:2])]


def e_dropp_g(
    table: Table,
    i: int,
    columns: Sequence[int],
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> ManyResult:
    """DROPP-G for several cells of one row, sharing the generalised cells.

    What is left of the other confidential cells predicts too, also of columns that are no predictors otherwise. What
    one class level generalised stays so at the next.
    """
    actual = {j: secret(table, i, j, [], taxonomies[j].domain) for j in columns}
    before = list(table[i])
    free = [c for c in predictors if c not in columns]
    work = copied(table)
    training = [row for r, row in enumerate(table) if r != i]
    status: dict[int, str] = {}
    rnbg: dict[int, str] = {}
    steps: list[Step] = []

    def probabilities(j: int) -> Probabilities:
        others = [*free, *(c for c in columns if c != j)]
        return spread_bayes(work, i, j, others, taxonomies, work[i][j]).p

    for level in range(1, max_depth(taxonomies, [*columns, *predictors]) + 1):
        remaining = [j for j in columns if j not in status]
        for j in remaining:
            work[i][j] = taxonomies[j].up(actual[j], level)
        active = []
        for j in remaining:
            p = probabilities(j)
            if not is_top(p, actual[j], strict):
                status[j] = NOT_NEEDED if level == 1 else SUPPRESSED
            elif len(p) == 2 and not chooser.coin():
                status[j] = DECLINED
            elif guesses := eligible(p, actual[j], k, strict):
                rnbg[j] = chooser.pick(guesses)
                active.append(j)
        for lam in range(1, max_depth(taxonomies, free) + 1):
            average: dict[int, Fraction] = {}
            for c in free:
                # a column that an earlier class level generalised further waits
                if work[i][c] is not None and work[i][c] == taxonomies[c].up(before[c], lam - 1):
                    for j in active:
                        facts = own_impact(training, j, c, work[i][c], taxonomies[c], actual[j], rnbg[j])
                        average[c] = average.get(c, Fraction(0)) + facts[4] / len(active)
            for c in sorted(average, key=lambda c: -average[c]):
                if not active:
                    break
                work[i][c] = taxonomies[c].up(work[i][c], 1)
                steps.append({"op": "generalize", "attr": c, "to": work[i][c], "average": dict(average)})
                for j in list(active):
                    if not is_above(probabilities(j), actual[j], rnbg[j], strict):
                        status[j] = SUPPRESSED
                        active.remove(j)
    ordered = {j: status.get(j, DELETED) for j in columns}
    if DELETED in ordered.values():
        blank(work, i)
        return ManyResult(ordered, rnbg, work, differences(table, work), [], steps)
    kept = [j for j in columns if ordered[j] in (SUPPRESSED, NOT_NEEDED)]
    exposed = [j for j in kept if is_top(probabilities(j), actual[j], strict)]
    return ManyResult(ordered, rnbg, work, differences(table, work), exposed, steps)


def max_depth(taxonomies: Sequence[Taxonomy], columns: Sequence[int]) -> int:
    return max((taxonomies[c].max_depth() for c in columns), default=0)
