"""The generalising methods for several cells at once: e-DECP-G (Figure 4.9) and e-DROPP-G (Figure 4.10)."""

from collections.abc import Sequence
from fractions import Fraction

from tests.reference.cells import averaged, blank_deleted
from tests.reference.cells_general import impact, own_impact
from tests.reference.cells_model import (
    DELETED,
    FAILED,
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
    is_above,
    is_top,
    opening,
    secret,
    spread_bayes,
)


class Rows:
    """The work of e-DECP-G: rows with one confidential column and value."""

    def __init__(
        self, table: Table, rows: Sequence[int], j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy]
    ) -> None:
        self.work = copied(table)
        self.rows, self.j, self.predictors, self.taxonomies = rows, j, predictors, taxonomies
        self.actual = secret(table, rows[0], j, predictors, taxonomies[j].domain)
        if any(table[d][j] != self.actual for d in rows):
            raise ValueError("the confidential cells must hold the same value")
        self.status: dict[int, str] = {}
        self.rnbg: dict[int, str] = {}
        self.steps: list[Step] = []

    def probabilities(self, d: int) -> Probabilities:
        return spread_bayes(self.work, d, self.j, self.predictors, self.taxonomies, self.work[d][self.j]).p

    def begin(self, lj: int, k: int, chooser: Chooser, strict: bool) -> list[int]:
        """Publish the remaining rows one class level higher; those with a guess are active."""
        remaining = [d for d in self.rows if d not in self.status]
        for d in remaining:
            self.work[d][self.j] = self.taxonomies[self.j].up(self.actual, lj)
        active = []
        for d in remaining:
            chooser.about(d, lj)
            begin = opening(self.probabilities(d), self.actual, k, chooser, strict)
            if begin.rnbg:
                self.rnbg[d] = begin.rnbg
                active.append(d)
            elif begin.status != FAILED:
                self.status[d] = settled(begin.status, lj)
        return active

    def generalise(self, active: list[int], lam: int, strict: bool) -> None:
        """One level of generalisation of other rows' cells; rows that come to be safe leave ``active``."""
        for c, value in shared_values(self.work, active, self.j, self.predictors, self.taxonomies, self.actual, lam):
            old, new = self.taxonomies[c].up(value, lam - 1), self.taxonomies[c].up(value, lam)
            instances = [r for r, row in enumerate(self.work) if row[self.j] == self.actual and row[c] == old]
            for r in instances[:-1] if lam == 1 else instances:
                if all(self.work[d][c] != value for d in active):
                    break  # it would touch no remaining row
                self.work[r][c] = new
                self.steps.append({"op": "generalize", "row": r, "attr": c, "to": new})
                for d in list(active):
                    if not is_above(self.probabilities(d), self.actual, self.rnbg[d], strict):
                        self.status[d] = SUPPRESSED
                        active.remove(d)


def settled(status: str, level: int) -> str:
    """What needs no change only because the class is published higher is called suppressed."""
    return SUPPRESSED if status == NOT_NEEDED and level > 1 else status


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
    """DECP-G for the same column and the same value of several rows, sharing the generalised cells.

    What one class level generalised stays so at the next.
    """
    job = Rows(table, rows, j, predictors, taxonomies)
    for lj in range(1, taxonomies[j].depth(job.actual) + 1):
        active = job.begin(lj, k, chooser, strict)
        for lam in range(1, max_depth(taxonomies, predictors) + 1):
            job.generalise(active, lam, strict)
    status = {d: job.status.get(d, DELETED) for d in rows}
    blank_deleted(job.work, status)
    kept = [d for d in rows if status[d] in (SUPPRESSED, NOT_NEEDED)]
    exposed = [d for d in kept if is_top(job.probabilities(d), job.actual, strict)]
    return ManyResult(status, job.rnbg, job.work, differences(table, job.work), exposed, job.steps)


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


class Columns:
    """The work of e-DROPP-G: one row with several confidential columns."""

    def __init__(
        self, table: Table, i: int, columns: Sequence[int], predictors: Sequence[int], taxonomies: Sequence[Taxonomy]
    ) -> None:
        self.work = copied(table)
        self.before = list(table[i])
        self.i, self.columns, self.taxonomies = i, columns, taxonomies
        self.actual = {j: secret(table, i, j, [], taxonomies[j].domain) for j in columns}
        self.free = [c for c in predictors if c not in columns]
        self.training = [row for r, row in enumerate(table) if r != i]
        self.status: dict[int, str] = {}
        self.rnbg: dict[int, str] = {}
        self.steps: list[Step] = []

    def probabilities(self, j: int) -> Probabilities:
        others = [*self.free, *(c for c in self.columns if c != j)]
        return spread_bayes(self.work, self.i, j, others, self.taxonomies, self.work[self.i][j]).p

    def begin(self, level: int, k: int, chooser: Chooser, strict: bool) -> list[int]:
        """Publish the remaining cells one level higher; those with a guess are active."""
        remaining = [j for j in self.columns if j not in self.status]
        for j in remaining:
            self.work[self.i][j] = self.taxonomies[j].up(self.actual[j], level)
        active = []
        for j in remaining:
            chooser.about(j, level)
            begin = opening(self.probabilities(j), self.actual[j], k, chooser, strict)
            if begin.rnbg:
                self.rnbg[j] = begin.rnbg
                active.append(j)
            elif begin.status != FAILED:
                self.status[j] = settled(begin.status, level)
        return active

    def impacts(self, j: int, lam: int) -> dict[int, Fraction]:
        """DROPP-G's ratios; a column that an earlier class level generalised further waits."""
        row, found = self.work[self.i], {}
        for c in self.free:
            taxonomy = self.taxonomies[c]
            if row[c] is not None and row[c] == taxonomy.up(self.before[c], lam - 1):
                above = taxonomy.up(row[c], 1)
                facts = own_impact(self.training, j, c, row[c], above, taxonomy, self.actual[j], self.rnbg[j])
                found[c] = facts[4]
        return found

    def generalise(self, active: list[int], lam: int, strict: bool) -> None:
        """One level of generalisation of the row's other cells; columns that come to be safe leave ``active``."""
        average = averaged([self.impacts(j, lam) for j in active])
        for c in sorted(average, key=lambda c: -average[c]):
            if not active:
                break
            new = self.work[self.i][c] = self.taxonomies[c].up(self.work[self.i][c], 1)
            self.steps.append({"op": "generalize", "attr": c, "to": new, "average": dict(average)})
            for j in list(active):
                if not is_above(self.probabilities(j), self.actual[j], self.rnbg[j], strict):
                    self.status[j] = SUPPRESSED
                    active.remove(j)


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
    job = Columns(table, i, columns, predictors, taxonomies)
    for level in range(1, max_depth(taxonomies, [*columns, *predictors]) + 1):
        active = job.begin(level, k, chooser, strict)
        for lam in range(1, max_depth(taxonomies, job.free) + 1):
            job.generalise(active, lam, strict)
    status = {j: job.status.get(j, DELETED) for j in columns}
    if DELETED in status.values():
        blank(job.work, i)
        return ManyResult(status, job.rnbg, job.work, differences(table, job.work), [], job.steps)
    kept = [j for j in columns if status[j] in (SUPPRESSED, NOT_NEEDED)]
    exposed = [j for j in kept if is_top(job.probabilities(j), job.actual[j], strict)]
    return ManyResult(status, job.rnbg, job.work, differences(table, job.work), exposed, job.steps)


def max_depth(taxonomies: Sequence[Taxonomy], columns: Sequence[int]) -> int:
    return max((taxonomies[c].max_depth() for c in columns), default=0)
