"""Cells that are generalised together: whoever leaves the others' rough classes out of training guesses none, either.

The adversary here is written once more, as plainly as can be: it shares nothing with the methods, verification or the
references.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.chance import chance_from
from discreet.method.cells.chance import drawn
from discreet.method.cells.job import Defence, Ward
from discreet.method.cells.kernels import REFUSE
from discreet.method.cells.table import Bayes
from discreet.method.cells.trees import from_nested
from tests.adversary.strategies import written
from tests.method.cells.strategies import SHAPES, filled
from tests.method.cells.test_job import Whole
from tests.reference.cells_model import Cell, Table, Taxonomy

# --- a plain tree ------------------------------------------------------------------------------------------------


def first_most_common(values: Sequence[Cell], among: Sequence[str]) -> str:
    return max(among, key=lambda value: values.count(value))


def disorder(branches: Sequence[Sequence[Cell]]) -> Fraction:
    """Grows with the entropy of the classes that is left in the branches."""
    above = prod(len(branch) ** len(branch) for branch in branches)
    return Fraction(above, prod(n**n for branch in branches for n in Counter(branch).values()))


def plain_guess(
    training: Sequence[Sequence[Cell]],
    person: Sequence[Cell],
    j: int,
    predictors: Sequence[int],
    candidates: Sequence[str],
    taxonomies: Sequence[Taxonomy],
) -> str:
    """What ID3 of the training rows, all with one of the candidates as class, takes a person for.

    Only the way of this one person through the tree is followed.
    """
    classes = [row[j] for row in training]
    majority = first_most_common(classes, candidates)
    chosen: tuple[Fraction, int, list[str]] | None = None
    for c in predictors if len(set(classes)) > 1 else ():
        domain = taxonomies[c].domain
        known = [row[c] for row in training if row[c] in domain]
        if len(set(known)) < 2:
            continue
        seen = [first_most_common(known, taxonomies[c].leaves(row[c])) for row in training]
        score = disorder([[v for v, s in zip(classes, seen, strict=True) if s == value] for value in set(seen)])
        if chosen is None or score < chosen[0]:
            chosen = (score, c, seen)
    if chosen is None:
        return majority
    _, c, seen = chosen
    way = first_most_common(seen, taxonomies[c].leaves(person[c]))
    alike = [row for row, s in zip(training, seen, strict=True) if s == way]
    if not alike:
        return majority
    return plain_guess(alike, person, j, [p for p in predictors if p != c], candidates, taxonomies)


def guesses_leaving_out(table: Table, i: int, j: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy]) -> str:
    """What a row is taken for by who trains on the rows whose class is told exactly, and can be the row's."""
    candidates = taxonomies[j].leaves(table[i][j])
    training = [row for r, row in enumerate(table) if r != i and row[j] in candidates]
    return plain_guess(training, table[i], j, predictors, candidates, taxonomies)


# --- jobs --------------------------------------------------------------------------------------------------------

DEEP = [shape for shape in SHAPES if Taxonomy(shape).max_depth() > 1]


def several(seed: int, method: str = "hid3", cells: int = 6) -> Whole:
    """A table with several confidential cells in its last column, which has groups."""
    generator = Random(seed)
    nested = [generator.choice(SHAPES[2:]), generator.choice(SHAPES[2:]), generator.choice(DEEP)]
    table = filled(nested, 24, generator, rough=False)
    j, domain = 2, Taxonomy(nested[2]).domain
    rows = sorted(generator.sample([r for r, row in enumerate(table) if row[j] in domain], cells))
    place_of = from_nested(nested[j]).place_of()
    defences: tuple[Defence, ...] = (Defence("hid3"),)
    if method != "hid3":
        defences += (Defence(method, Bayes("spread")),)
    chances = tuple(replace(chance, coin=REFUSE) for chance in drawn(cells, chance_from(seed), 4))
    actuals = tuple(place_of[str(table[r][j])] for r in rows)
    return Whole(table, nested, [Ward(j, (0, 1), tuple(rows), actuals, defences, chances)], [], True, set())


def left_out_and_guessed(whole: Whole) -> tuple[int, int]:
    """How many cells a job calls protected, and how many of these are guessed by who leaves rough classes out."""
    job = whole.job()
    job.run()
    taxonomies = [Taxonomy(nested) for nested in whole.nested]
    ward = whole.wards[0]
    released = [whole.line(job, r) for r in range(len(whole.table))]
    kept = [r for r in ward.rows if job.stories[0, r].status in ("safe", "done")]
    guessed = [
        r
        for r in kept
        if len(taxonomies[2].leaves(released[r][2])) > 1
        and guesses_leaving_out(released, r, 2, ward.predictors, taxonomies) == whole.table[r][2]
    ]
    return len(kept), len(guessed)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hid3", "decp", "incp", "dropp"])
def test_who_leaves_rough_classes_out_guesses_none_of_several_cells(method: str) -> None:
    found = [left_out_and_guessed(several(seed, method)) for seed in range(40)]
    assert sum(kept for kept, _ in found) > 40
    assert sum(guessed for _, guessed in found) == 0


@given(st.integers(0, 2**32), st.sampled_from(["hid3", "decp", "incp", "dropp"]), st.integers(2, 12))
def test_nobody_is_guessed_whatever_the_table(seed: int, method: str, cells: int) -> None:
    assert left_out_and_guessed(several(seed, method, cells))[1] == 0


@pytest.mark.parametrize("seed", range(0, 60, 2))
def test_whole_releases_hold_also_for_cells_that_are_hidden_beside_generalised_ones(seed: int) -> None:
    """By the greedy search, which has to ask both trees too: verification does."""
    whole = several(seed, cells=8)
    rows = [row + 1 for row in whole.wards[0].rows]
    wanted: dict[str, Any] = {"column": "y", "predictors": ["a", "b"], "against": ["id3"], "on_failure": "remove"}
    wanted["tells"] = "warn"  # that a few of them have one value is not what this is about
    policy = d.Policy(
        columns={name: {"taxonomy": written(tree)} for name, tree in zip("aby", whole.nested, strict=True)},
        protect=[
            d.Confidential(**wanted, rows=rows[:5], change="generalise"),
            d.Confidential(**wanted, rows=rows[5:], method="greedy"),
        ],
    )
    table = pl.DataFrame(whole.table, schema=["a", "b", "y"], orient="row")
    release = d.protect(table, policy, seed=seed)
    assert isinstance(release.table, pl.DataFrame)
    taxonomies = [Taxonomy(nested) for nested in whole.nested]
    released: Table = [[None if cell == "*" else cell for cell in row] for row in release.table.rows()]
    kept = [row - 1 for row in range(1, len(table) + 1) if row not in release.plan.removed]
    for i, row in enumerate(kept):
        if row + 1 in rows and len(taxonomies[2].leaves(released[i][2])) > 1:
            assert guesses_leaving_out(released, i, 2, [0, 1], taxonomies) != whole.table[row][2]
