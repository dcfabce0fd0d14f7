"""The hybrids: HID3 against the tree first, then a method against naive Bayes, round again until both hold."""

from collections.abc import Callable, Sequence

from tests.reference.cells import Domains
from tests.reference.cells_model import (
    DECLINED,
    DELETED,
    NOT_NEEDED,
    SUPPRESSED,
    Chooser,
    Result,
    Step,
    Table,
    Taxonomy,
    copied,
    differences,
)
from tests.reference.cells_tree import classify, hid3, hid3_g, id3, is_guessed_g

Method = Callable[[Table, int, int, Sequence[int], Domains, int, Chooser, bool], Result]
GeneralMethod = Callable[[Table, int, int, Sequence[int], Sequence[Taxonomy], int, Chooser, bool], Result]


def hybrid(
    bayes: Method,
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    domains: Domains,
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """HID3 and then DECP, INCP or DROPP.

    A row deleted in a later round keeps the changes the earlier rounds made to other rows.
    """
    actual = table[i][j]
    work = copied(table)
    steps: list[Step] = []
    needed = False
    while True:
        for method in ("tree", "bayes"):
            work[i][j] = actual
            if method == "tree":
                result = hid3(work, i, j, predictors, domains, chooser)
            else:
                result = bayes(work, i, j, predictors, domains, k, chooser, strict)
            steps += [{"op": method, "status": result.status}, *result.steps]
            work = result.published
            needed |= result.status == SUPPRESSED
            if result.status in (DELETED, DECLINED):
                return Result(result.status, work, differences(table, work), steps=steps)
        if classify(id3(work, i, j, predictors, domains), work[i]) != actual:
            status = SUPPRESSED if needed else NOT_NEEDED
            return Result(status, work, differences(table, work), steps=steps)


def hybrid_g(
    bayes: GeneralMethod,
    table: Table,
    i: int,
    j: int,
    predictors: Sequence[int],
    taxonomies: Sequence[Taxonomy],
    k: int,
    chooser: Chooser,
    strict: bool = False,
) -> Result:
    """HID3-G and then DECP-G, INCP-G or DROPP-G; status, guess and probabilities are those of the latter.

    The class cell keeps the more general of the levels the two ask for, and no later round goes below it: a tree can
    know at a higher level what it did not at a lower one, and the rounds must end.
    """
    classes = taxonomies[j]
    actual = table[i][j]
    assert actual is not None
    work = copied(table)
    steps: list[Step] = []
    start = 1
    while True:
        tree = hid3_g(work, i, j, predictors, taxonomies, chooser, start=start)
        steps += [{"op": "tree", "status": tree.status}, *tree.steps]
        work = tree.published
        if tree.status in (DELETED, DECLINED):
            return Result(tree.status, work, differences(table, work), steps=steps)
        level = work[i][j]
        work[i][j] = actual
        result = bayes(work, i, j, predictors, taxonomies, k, chooser, strict)
        steps += [{"op": "bayes", "status": result.status}, *result.steps]
        work = result.published
        if result.status != DELETED:
            work[i][j] = level = classes.higher(level, work[i][j])
            if result.status != DECLINED and is_guessed_g(work, i, j, predictors, taxonomies, actual):
                start = classes.depth(actual) - classes.depth(level)
                work[i][j] = actual
                continue
        changed = differences(table, work)
        return Result(result.status, work, changed, result.rnbg, result.p0, result.p1, steps)
