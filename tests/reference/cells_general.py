"""The generalising methods of Hintoglu's thesis, chapter 4: DECP-G, INCP-G, DROPP-G.

The confidential cell is generalised at least one level. The adversary's naive Bayes guesses among the leaves below the
published class, trained on the other rows with that class or one below it; null is the root of every taxonomy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tests.reference.cells import finished, have_common
from tests.reference.cells_model import (
    DELETED,
    FAILED,
    SUPPRESSED,
    Cell,
    Chooser,
    Probabilities,
    Result,
    SpreadModel,
    Step,
    Table,
    Taxonomy,
    copied,
    is_above,
    is_top,
    next_best_guesses,
    opening,
    secret,
    spread,
    spread_bayes,
)


@dataclass
class Job:
    """One confidential cell, the working table and the class level now published for it."""

    work: Table
    i: int
    j: int
    predictors: Sequence[int]
    taxonomies: Sequence[Taxonomy]
    actual: str
    level: Cell
    k: int
    chooser: Chooser
    strict: bool
    toss: bool = True

    def model(self) -> SpreadModel:
        return spread_bayes(self.work, self.i, self.j, self.predictors, self.taxonomies, self.level)

    def max_level(self) -> int:
        return max((self.taxonomies[c].max_depth() for c in [self.j, *self.predictors]), default=0)


@dataclass
class Attempt:
    """What came of one class level."""

    status: str
    rnbg: str | None
    p0: Probabilities
    p1: Probabilities
    steps: list[Step] = field(default_factory=list)


def begun(job: Job) -> Attempt | str:
    """An attempt that is over, or the random next best guess."""
    p0 = job.model().p
    begin = opening(p0, job.actual, job.k, job.chooser, job.strict, job.toss)
    return begin.rnbg or Attempt(begin.status, None, p0, p0)


def closing(job: Job, rnbg: str, p0: Probabilities, p1: Probabilities, steps: list[Step]) -> Attempt:
    status = FAILED if is_top(p1, job.actual, job.strict) else SUPPRESSED
    return Attempt(status, rnbg, p0, p1, steps)


def seen(model: SpreadModel) -> Step:
    """The numbers of a model as a step shows them."""
    return {"num": model.num, "F": model.frequency, "p": model.p}


# --- DECP-G ------------------------------------------------------------------------------------------------------


def decp_g(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
    toss: bool = True,
) -> Result:
    """Lower p(actual) to a random next best guess by generalising cells of other rows (Figure 4.4)."""
    classes = taxonomies[j]
    actual = secret(table, i, j, predictors, classes.domain)
    steps: list[Step] = []
    attempts: list[Attempt] = []
    for lj in range(1, classes.depth(actual) + 1):
        chooser.about(i, lj)
        work = copied(table)
        work[i][j] = level = classes.up(actual, lj)
        job = Job(work, i, j, predictors, taxonomies, actual, level, k, chooser, strict, toss)
        attempt = lower_others(job)
        attempts.append(attempt)
        ok = attempt.status != FAILED
        head: Step = {"op": "class_level", "lj": lj, "g": level, "ok": ok, "status": attempt.status}
        steps.append(head | {"steps": attempt.steps})
        if ok:
            return finished(table, work, i, attempt.status, attempt.rnbg, attempt.p0, attempt.p1, steps)
    return finished(table, copied(table), i, DELETED, None, attempts[0].p0, attempts[-1].p1, steps)


def impact(rows: Sequence[Sequence[Cell]], c: int, value: Cell, lam: int, taxonomy: Taxonomy) -> list[int | Fraction]:
    """F1, F2, F3 and their ratio (4.8) for generalising ``value`` from lam - 1 to lam levels; empty if it cannot be."""
    below, above = taxonomy.up(value, lam - 1), taxonomy.up(value, lam)
    if below == above:
        return []
    f1 = sum(1 for row in rows if row[c] == below)
    f2 = sum(1 for row in rows if taxonomy.is_below(row[c], above))
    f3 = sum(1 for row in rows if taxonomy.is_below(row[c], below))
    if f1 < (2 if lam == 1 else 1) or f2 == 1:
        return []
    return [f1, f2, f3, Fraction(f1 + f3 - 1, f1 + f3) * Fraction(f2, f2 - 1)]


def lower_others(job: Job) -> Attempt:
    """One class level of DECP-G."""
    rnbg = begun(job)
    if isinstance(rnbg, Attempt):
        return rnbg
    work, i, actual, strict = job.work, job.i, job.actual, job.strict
    model = job.model()
    p0 = model.p
    steps: list[Step] = []
    for lam in range(1, job.max_level() + 1):
        left = list(job.predictors)
        while is_above(model.p, actual, rnbg, strict):
            same = [row for r, row in enumerate(work) if r != i and row[job.j] == actual]
            info = {c: f for c in left if (f := impact(same, c, work[i][c], lam, job.taxonomies[c]))}
            usable = [c for c in info if info[c][3] < 1]
            if not usable:
                break
            attribute = min(usable, key=lambda c: info[c][3])
            left.remove(attribute)
            taxonomy = job.taxonomies[attribute]
            old, new = taxonomy.up(work[i][attribute], lam - 1), taxonomy.up(work[i][attribute], lam)
            rows = [r for r, row in enumerate(work) if r != i and row[job.j] == actual and row[attribute] == old]
            steps.append({"op": "max_impact", "lam": lam, "attr": attribute, "info": info, "rows": rows})
            for r in rows[:-1] if lam == 1 else rows:
                if not is_above(model.p, actual, rnbg, strict):
                    break
                work[r][attribute] = new
                model = job.model()
                steps.append({"op": "generalize", "row": r, "attr": attribute, "to": new} | seen(model))
    return closing(job, rnbg, p0, model.p, steps)


# --- INCP-G ------------------------------------------------------------------------------------------------------


def incp_g(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """Raise the next best guesses by generalising the class of rows unlike row i; then DECP-G (Figure 4.5)."""
    classes = taxonomies[j]
    actual = secret(table, i, j, predictors, classes.domain)
    steps: list[Step] = []
    for lj in range(1, classes.depth(actual) + 1):
        chooser.about(i, lj)
        work = copied(table)
        work[i][j] = level = classes.up(actual, lj)
        attempt = raise_guesses(Job(work, i, j, predictors, taxonomies, actual, level, k, chooser, strict))
        steps.append({"op": "class_level", "lj": lj, "g": level, "steps": attempt.steps})
        if attempt.status != FAILED:
            return finished(table, work, i, attempt.status, attempt.rnbg, attempt.p0, attempt.p1, steps)
    rest = decp_g(table, i, j, predictors, taxonomies, k, chooser, strict, toss=False)
    rest.steps = [*steps, {"op": "run_decp"}, *rest.steps]
    return rest


def raise_guesses(job: Job) -> Attempt:
    """One class level of INCP-G."""
    rnbg = begun(job)
    if isinstance(rnbg, Attempt):
        return rnbg
    work, i, j, actual, strict = job.work, job.i, job.j, job.actual, job.strict
    classes = job.taxonomies[j]
    model = job.model()
    p0 = model.p
    best = next_best_guesses(p0, actual, rnbg, job.k)
    steps: list[Step] = []
    for lam in range(1, job.max_level() + 1):
        for v in best:
            old, new = classes.up(v, lam - 1), classes.up(v, lam)
            if old == new:
                continue
            for r in [r for r, row in enumerate(work) if r != i and row[j] == old]:
                if not is_above(model.p, actual, v, strict):
                    break
                if not have_common(work[r], work[i], job.predictors):
                    work[r][j] = new
                    model = job.model()
                    steps.append({"op": "generalize_class", "row": r, "to": new} | seen(model))
    return closing(job, rnbg, p0, model.p, steps)


# --- DROPP-G -----------------------------------------------------------------------------------------------------


def dropp_g(
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """Lower p(actual) against a random next best guess by generalising cells of the row itself (Figure 4.6)."""
    classes = taxonomies[j]
    actual = secret(table, i, j, predictors, classes.domain)
    steps: list[Step] = []
    for lj in range(1, classes.depth(actual) + 1):
        chooser.about(i, lj)
        work = copied(table)
        work[i][j] = level = classes.up(actual, lj)
        attempt = lower_own(Job(work, i, j, predictors, taxonomies, actual, level, k, chooser, strict))
        steps.append({"op": "class_level", "lj": lj, "g": level, "steps": attempt.steps})
        if attempt.status != FAILED:
            return finished(table, work, i, attempt.status, attempt.rnbg, attempt.p0, attempt.p1, steps)
    # the golden files give the numbers of the last level here, DECP-G's those of the first before
    return finished(table, copied(table), i, DELETED, None, attempt.p0, attempt.p1, steps)


def own_impact(
    training: Table, j: int, c: int, below: Cell, above: Cell, taxonomy: Taxonomy, actual: str, rnbg: str
) -> list[Fraction]:
    """The four estimated counts and their ratio (4.10) for generalising the row's own value ``below`` to ``above``.

    No count is 0: the guess and the actual value are possible with the row's own value.
    """
    of_rnbg = spread(taxonomy, [row[c] for row in training if row[j] == rnbg])
    of_actual = spread(taxonomy, [row[c] for row in training if row[j] == actual])
    counts = [of_rnbg[above], of_rnbg[below], of_actual[above], of_actual[below]]
    return [*counts, counts[0] / counts[1] * counts[3] / counts[2]]


def lower_own(job: Job) -> Attempt:
    """One class level of DROPP-G.

    What the row has now is compared with what it would have at the level: a column that a lower level passed over,
    for want of a ratio above 1, comes from further below.
    """
    rnbg = begun(job)
    if isinstance(rnbg, Attempt):
        return rnbg
    work, i, actual, strict = job.work, job.i, job.actual, job.strict
    before = list(work[i])
    training = [row for r, row in enumerate(work) if r != i]
    model = job.model()
    p0 = model.p
    steps: list[Step] = []
    for lam in range(1, job.max_level() + 1):
        left = list(job.predictors)
        while is_above(model.p, actual, rnbg, strict):
            info = {}
            for c in left:
                taxonomy = job.taxonomies[c]
                if work[i][c] is not None:
                    above = taxonomy.up(before[c], lam)
                    info[c] = own_impact(training, job.j, c, work[i][c], above, taxonomy, actual, rnbg)
            usable = [c for c in info if info[c][4] > 1]
            if not usable:
                break
            attribute = max(usable, key=lambda c: info[c][4])
            left.remove(attribute)
            new = job.taxonomies[attribute].up(before[attribute], lam)
            work[i][attribute] = new
            model = job.model()
            steps.append({"op": "generalize", "lam": lam, "attr": attribute, "to": new, "info": info} | seen(model))
    return closing(job, rnbg, p0, model.p, steps)
