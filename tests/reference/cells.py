"""The deletion methods of Hintoglu's thesis, chapter 3: DECP, INCP, DROPP, e-DECP, e-DROPP, and row deletion (NRD).

The confidential cell (row i, column j) is always hidden. ``suppressed`` and ``not_needed`` promise that naive Bayes,
trained on the other published rows, does not predict the value; a tie counts as not predicted unless ``strict``.
"""

from collections.abc import Sequence
from fractions import Fraction

from tests.reference.cells_model import (
    DELETED,
    FAILED,
    NOT_NEEDED,
    SUPPRESSED,
    Chooser,
    ManyResult,
    Probabilities,
    Result,
    Step,
    Table,
    blank,
    copied,
    count,
    differences,
    is_above,
    is_top,
    matching,
    naive_bayes,
    next_best_guesses,
    opening,
    secret,
)

Domains = Sequence[Sequence[str]]


def finished(
    original: Table,
    work: Table,
    i: int,
    status: str,
    rnbg: str | None = None,
    p0: Probabilities | None = None,
    p1: Probabilities | None = None,
    steps: list[Step] | None = None,
) -> Result:
    """The result; a deleted row gives back all other changes."""
    if status in (DELETED, FAILED):
        status = DELETED
        work = copied(original)
        blank(work, i)
    return Result(status, work, differences(original, work), rnbg, p0, p1, steps or [])


def nrd(table: Table, i: int) -> Result:
    """The baseline: the whole row is deleted."""
    return finished(table, copied(table), i, DELETED)


def decp(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
    toss: bool = True,
) -> Result:
    """Lower p(actual) to that of a random next best guess by hiding cells of other rows (Figure 3.2)."""
    domain = domains[j]
    actual = secret(table, i, j, predictors, domain)
    work = copied(table)
    work[i][j] = None
    p0 = p = naive_bayes(work, i, j, predictors, domain)
    begin = opening(p0, actual, k, chooser, strict, toss)
    if begin.status:
        return finished(table, work, i, begin.status, None, p0, p0)
    rnbg = begin.rnbg
    steps: list[Step] = []
    while is_above(p, actual, rnbg, strict):
        counts = {c: count(work, i, {j: actual, c: work[i][c]}) for c in predictors if work[i][c] is not None}
        usable = [c for c in counts if counts[c] > 1]
        if not usable:
            break
        attribute = min(usable, key=lambda c: counts[c])
        rows = matching(work, i, {j: actual, attribute: work[i][attribute]})
        steps.append({"op": "max_impact", "attr": attribute, "counts": counts, "rows": rows})
        for r in rows[:-1]:  # the last instance of a value is never removed
            if not is_above(p, actual, rnbg, strict):
                break
            work[r][attribute] = None
            p = naive_bayes(work, i, j, predictors, domain)
            steps.append({"op": "delete", "row": r, "attr": attribute, "p": p})
    status = DELETED if is_top(p, actual, strict) else SUPPRESSED
    return finished(table, work, i, status, rnbg, p0, p, steps)


def have_common(row: Sequence[object], other: Sequence[object], columns: Sequence[int]) -> bool:
    """Whether two rows share a known value."""
    return any(row[c] is not None and row[c] == other[c] for c in columns)


def incp(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """Raise the next best guesses by hiding the class of rows unlike row i; then DECP if need be (Figure 3.3)."""
    domain = domains[j]
    actual = secret(table, i, j, predictors, domain)
    work = copied(table)
    work[i][j] = None
    p0 = p = naive_bayes(work, i, j, predictors, domain)
    begin = opening(p0, actual, k, chooser, strict)
    if begin.status == FAILED:
        return decp(table, i, j, predictors, domains, k, chooser, strict, toss=False)
    if begin.status:
        return finished(table, work, i, begin.status, None, p0, p0)
    rnbg = begin.rnbg
    best = next_best_guesses(p0, actual, rnbg, k)
    steps: list[Step] = [{"op": "nbg_set", "S": best}]
    for v in best:
        for r in matching(work, i, {j: v}):
            if not is_above(p, actual, v, strict):
                break
            if not have_common(work[r], work[i], predictors):
                work[r][j] = None
                p = naive_bayes(work, i, j, predictors, domain)
                steps.append({"op": "hide_class", "row": r, "v": v, "p": p})
    if not is_top(p, actual, strict):
        return finished(table, work, i, SUPPRESSED, rnbg, p0, p, steps)
    work[i][j] = actual
    rest = decp(work, i, j, predictors, domains, k, chooser, strict, toss=False)
    steps += [{"op": "run_decp"}, *rest.steps]
    return finished(table, rest.published, i, rest.status, rnbg, p0, rest.p1, steps)


def dropp(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """Lower p(actual) against a random next best guess by hiding cells of the row itself (Figure 3.4)."""
    domain = domains[j]
    actual = secret(table, i, j, predictors, domain)
    work = copied(table)
    work[i][j] = None
    p0 = p = naive_bayes(work, i, j, predictors, domain)
    begin = opening(p0, actual, k, chooser, strict)
    if begin.status:
        return finished(table, work, i, begin.status, None, p0, p0)
    rnbg = begin.rnbg
    n_actual, n_rnbg = count(work, i, {j: actual}), count(work, i, {j: rnbg})
    steps: list[Step] = []
    while is_above(p, actual, rnbg, strict):
        ratios = impacts(work, i, j, predictors, actual, rnbg)
        # n(a,x)/n(a) > n(b,x)/n(b), that is the ratio of the counts above the ratio of the classes
        usable = [c for c in ratios if ratios[c] > Fraction(n_actual, n_rnbg)]
        if not usable:
            break
        attribute = max(usable, key=lambda c: ratios[c])
        work[i][attribute] = None
        p = naive_bayes(work, i, j, predictors, domain)
        steps.append({"op": "hide", "attr": attribute, "ratios": ratios, "p": p})
    status = DELETED if is_top(p, actual, strict) else SUPPRESSED
    return finished(table, work, i, status, rnbg, p0, p, steps)


def impacts(table: Table, i: int, j: int, predictors: Sequence[int], actual: str, rnbg: str) -> dict[int, Fraction]:
    """n(actual, x) / n(rnbg, x) of every known predictor of the row (3.9); the guess's p > 0, so no count is 0."""
    return {
        c: Fraction(count(table, i, {j: actual, c: table[i][c]}), count(table, i, {j: rnbg, c: table[i][c]}))
        for c in predictors
        if table[i][c] is not None
    }


# --- several cells at once ---------------------------------------------------------------------------------------


def e_decp(
    table: Table,
    rows: Sequence[int],
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> ManyResult:
    """DECP for the same column and the same value of several rows, sharing the hidden cells (Figure 3.7)."""
    domain = domains[j]
    actual = secret(table, rows[0], j, predictors, domain)
    if any(table[d][j] != actual for d in rows):
        raise ValueError("the confidential cells must hold the same value")
    work = copied(table)
    for d in rows:
        work[d][j] = None
    status: dict[int, str] = {}
    rnbg: dict[int, str] = {}
    steps: list[Step] = []
    for d in rows:
        chooser.about(d, 1)
        begin = opening(naive_bayes(work, d, j, predictors, domain), actual, k, chooser, strict)
        if begin.rnbg:
            rnbg[d] = begin.rnbg
        elif begin.status != FAILED:
            status[d] = begin.status
    left = list(rnbg)
    for c, value in shared_values(work, left, j, predictors, domains, actual):
        instances = [r for r, row in enumerate(work) if row[j] == actual and row[c] == value]
        for r in instances[:-1]:  # the last instance stays
            if all(work[d][c] != value for d in left):
                break  # it would touch no remaining row
            work[r][c] = None
            steps.append({"op": "delete", "row": r, "attr": c})
            for d in list(left):
                p = naive_bayes(work, d, j, predictors, domain)
                if not is_above(p, actual, rnbg[d], strict):
                    status[d] = SUPPRESSED
                    left.remove(d)
    ordered = {d: status.get(d, DELETED) for d in rows}
    blank_deleted(work, ordered)
    return ManyResult(ordered, rnbg, work, differences(table, work), [], steps)


def blank_deleted(table: Table, status: dict[int, str]) -> None:
    for d in status:
        if status[d] == DELETED:
            blank(table, d)


def shared_values(
    table: Table, rows: Sequence[int], j: int, predictors: Sequence[int], domains: Domains, actual: str
) -> list[tuple[int, str]]:
    """The values (column, value) of the rows by the number of rows that have them, then by rareness, column, domain."""
    values = [(c, value) for c in predictors for value in domains[c] if any(table[d][c] == value for d in rows)]

    def impact(item: tuple[int, str]) -> tuple[int, int]:
        c, value = item
        primary = sum(1 for d in rows if table[d][c] == value)
        secondary = sum(1 for row in table if row[j] == actual and row[c] == value)
        return -primary, secondary

    return sorted(values, key=impact)


def e_dropp(
    table: Table,
    i: int,
    columns: Sequence[int],
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> ManyResult:
    """DROPP for several cells of one row, sharing the hidden cells (Figure 3.8).

    All confidential cells are hidden first; each is predicted from the other predictors.
    """
    actual = {j: secret(table, i, j, [], domains[j]) for j in columns}
    others = [c for c in predictors if c not in columns]
    work = copied(table)
    for j in columns:
        work[i][j] = None
    status: dict[int, str] = {}
    rnbg: dict[int, str] = {}
    steps: list[Step] = []
    for j in columns:
        chooser.about(j, 1)
        begin = opening(naive_bayes(work, i, j, others, domains[j]), actual[j], k, chooser, strict)
        if begin.rnbg:
            rnbg[j] = begin.rnbg
        elif begin.status != FAILED:
            status[j] = begin.status
    left = list(rnbg)
    average = averaged([impacts(work, i, j, others, actual[j], rnbg[j]) for j in left])
    for c in sorted(average, key=lambda c: -average[c]):
        if not left:
            break
        work[i][c] = None
        steps.append({"op": "hide", "attr": c, "average": dict(average)})
        for j in list(left):
            p = naive_bayes(work, i, j, others, domains[j])
            if not is_above(p, actual[j], rnbg[j], strict):
                status[j] = SUPPRESSED
                left.remove(j)
    ordered = {j: status.get(j, DELETED) for j in columns}
    if DELETED in ordered.values():
        blank(work, i)
        return ManyResult(ordered, rnbg, work, differences(table, work), [], steps)
    kept = [j for j in columns if ordered[j] in (SUPPRESSED, NOT_NEEDED)]
    exposed = [j for j in kept if is_top(naive_bayes(work, i, j, others, domains[j]), actual[j], strict)]
    return ManyResult(ordered, rnbg, work, differences(table, work), exposed, steps)


def averaged(ratios: Sequence[dict[int, Fraction]]) -> dict[int, Fraction]:
    """The mean of every column's ratios."""
    return {c: sum((r[c] for r in ratios), Fraction(0)) / len(ratios) for c in (ratios[0] if ratios else {})}
