"""Whole jobs: whatever cells of whatever columns are confidential, at the end nobody guesses what is not named."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.chance import chance_from
from discreet.method.cells import job as jobs
from discreet.method.cells.chance import FIRST, Chance, drawn
from discreet.method.cells.job import Defence, Job, Ward
from discreet.method.cells.kernels import REFUSE
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import coded, from_nested
from tests.method.cells.strategies import SHAPES, filled
from tests.method.cells.test_table import assert_counted
from tests.reference.cells_model import Cell, Nested, Table, Taxonomy, is_top, naive_bayes, spread_bayes
from tests.reference.cells_tree import classify, id3, is_guessed_g

METHODS = ("decp", "incp", "dropp", "e-decp", "e-dropp", "hid3")


@dataclass
class Whole:
    """A table, its columns' trees, the wards and rows seen in other ways."""

    table: Table
    nested: Sequence[Nested]
    wards: list[Ward]
    shadows: list[tuple[int, list[Cell]]]
    rough: bool
    locked: set[tuple[int, int]]

    def job(self) -> Job:
        lines = [*self.table, *(cells for _, cells in self.shadows)]
        real = np.array([*range(len(self.table)), *(row for row, _ in self.shadows)], dtype=np.int64)
        trees = [from_nested(nested) for nested in self.nested]
        columns = [coded([line[c] for line in lines], tree, [None]) for c, tree in enumerate(trees)]
        locked = np.zeros((len(trees), len(lines)), dtype=np.bool_)
        for r, c in self.locked:
            locked[c, real == r] = True
        confidential = list(dict.fromkeys(ward.column for ward in self.wards))
        return Job(CellTable(columns, trees, confidential, locked, real), self.wards)

    def line(self, job: Job, row: int) -> list[Cell]:
        """What is released of a row, or of a shadow."""
        nodes = [job.table.node(c, row) for c in range(len(self.nested))]
        return [job.table.trees[c].texts[node][0] if node else None for c, node in enumerate(nodes)]

    def is_exposed(self, job: Job, ward: Ward, row: int) -> bool:
        """Whether some adversary of a ward guesses a cell, by the references."""
        real = int(job.table.frame.real[row])
        kept = [r for r in range(len(self.table)) if not job.table.gone[r]]
        seen = [self.line(job, row if r == real else r) for r in kept]
        i, j, predictors = kept.index(real), ward.column, ward.predictors
        actual = self.table[real][j]
        assert actual is not None
        taxonomies = [Taxonomy(nested) for nested in self.nested]
        for defence in ward.defences:
            if defence.method == "hid3":
                if self.rough:
                    guessed = is_guessed_g(seen, i, j, predictors, taxonomies, actual)
                else:
                    domains = [t.domain for t in taxonomies]
                    guessed = classify(id3(seen, i, j, predictors, domains), seen[i]) == actual
                if guessed:
                    return True
                continue
            assert defence.bayes is not None
            if self.rough:
                p = spread_bayes(seen, i, j, predictors, taxonomies, seen[i][j]).p
            else:
                p = naive_bayes(seen, i, j, predictors, taxonomies[j].domain)
            if is_top(p, actual, defence.bayes.strict):
                return True
        return False


@st.composite
def wholes(draw: st.DrawFn) -> Whole:
    rough = draw(st.booleans())
    shapes = [shape for shape in SHAPES if len(Taxonomy(shape).domain) > 1]
    nested = [draw(st.sampled_from(shapes)) for _ in range(draw(st.integers(3, 4)))]
    generator = Random(draw(st.integers(0, 2**32)))
    table = filled(nested, draw(st.sampled_from([24, 12, 30, 6])), generator, rough)
    with_shadows = draw(st.booleans())
    locked = {(r, c) for r in range(len(table)) for c in range(len(nested)) if generator.random() < 0.05}
    if with_shadows:
        locked |= {(r, 0) for r in range(len(table))}
    wards: list[Ward] = []
    shadows: list[tuple[int, list[Cell]]] = []
    for column in draw(st.lists(st.integers(1, len(nested) - 1), min_size=1, max_size=3)):
        domain = Taxonomy(nested[column]).domain
        known = [r for r, row in enumerate(table) if row[column] in domain]
        rows = sorted(generator.sample(known, min(len(known), generator.randint(1, 4))))
        locked -= {(r, column) for r in rows}
        lines = list(rows)
        if with_shadows and generator.random() < 0.5:
            for r in rows[:2]:
                other = [generator.choice(Taxonomy(nested[0]).domain), *table[r][1:]]
                lines.append(len(table) + len(shadows))
                shadows.append((r, other))
        strict = generator.random() < 0.3
        method = draw(st.sampled_from(METHODS))
        options = Bayes("spread" if rough else "count", guesses=draw(st.integers(2, 4)), strict=strict)
        defences: tuple[Defence, ...] = (Defence("hid3"),) if method == "hid3" else (Defence(method, options),)
        if method in ("decp", "incp", "dropp") and draw(st.booleans()):
            defences = (Defence("hid3"), *defences)
        chances = dict(zip(rows, drawn(len(rows), chance_from(generator.randrange(2**32)), 4), strict=True))
        if draw(st.booleans()):
            chances = {row: replace(chance, coin=REFUSE) for row, chance in chances.items()}
        real = [row if row < len(table) else shadows[row - len(table)][0] for row in lines]
        place_of = from_nested(nested[column]).place_of()
        wards.append(
            Ward(
                column,
                tuple(c for c in range(len(nested)) if c != column),
                tuple(lines),
                tuple(place_of[str(table[r][column])] for r in real),
                defences,
                tuple(chances[r] for r in real),
                strict=strict,
                deletes=not rough,
                fall_back=generator.random() < 0.7,
                removes=draw(st.booleans()),
            )
        )
    return Whole(table, nested, wards, shadows, rough, locked)


@given(wholes())
def test_what_is_not_named_as_failing_is_guessed_by_nobody(whole: Whole) -> None:
    job = whole.job()
    job.run()
    assert job.rounds <= jobs.ROUNDS
    failing = {(story.ward, story.row) for story in job.failing}
    exposed = set()
    for number, ward in enumerate(whole.wards):
        for row, chance in zip(ward.rows, ward.chances, strict=True):
            real = int(job.table.frame.real[row])
            status = job.stories[number, real].status
            assert (status == "removed") <= bool(job.table.gone[real])
            if job.table.gone[real]:
                continue
            released = whole.line(job, row)[ward.column]
            assert released != whole.table[real][ward.column]
            assert whole.rough or released is None
            if status == "by lot":
                assert chance.coin == 1
            elif whole.is_exposed(job, ward, row):
                exposed.add((number, real))
    assert exposed == failing
    assert not any(whole.wards[number].removes for number, _ in failing)
    removable = {r for ward in whole.wards if ward.removes for r in ward.rows}
    assert set(np.flatnonzero(job.table.gone[: len(whole.table)]).tolist()) <= {
        int(job.table.frame.real[r]) for r in removable
    }


@given(wholes())
def test_what_is_released_is_true_and_locked_cells_stay(whole: Whole) -> None:
    job = whole.job()
    job.run()
    assert_counted(job.table)
    taxonomies = [Taxonomy(nested) for nested in whole.nested]
    columns, rows = job.table.changed()
    changed = set(zip(rows.tolist(), columns.tolist(), strict=True))
    for r, row in enumerate(whole.table):
        if job.table.gone[r]:
            continue
        line = whole.line(job, r)
        for c, cell in enumerate(row):
            assert taxonomies[c].covers(line[c], cell)
            assert line[c] == cell or (r, c) not in whole.locked
            assert line[c] in (cell, None) or whole.rough
            assert ((r, c) in changed) == (line[c] != cell)
    # all that was changed was changed for some cell, or is one
    noted = {(ward.column, int(job.table.frame.real[row])) for ward in whole.wards for row in ward.rows}
    noted |= {(c, r) for story in job.stories.values() for r, c in story.changes.tolist()}
    shared = any(defence.method.startswith("e-") for ward in whole.wards for defence in ward.defences)
    assert shared or {(c, r) for r, c in changed if not job.table.gone[r]} <= noted
    for shadow, (r, _) in enumerate(whole.shadows, len(whole.table)):  # edited as its row is
        assert whole.line(job, shadow)[1:] == whole.line(job, r)[1:]


def test_chance_decides_where_there_are_two_values() -> None:
    """By lot, refused, or tried: the coin of the cell says which, and the story says so."""
    table: Table = [["x", "p"], ["x", "p"], ["x", "p"], ["x", "q"], ["y", "q"]]
    for coin, status in ((0, "done"), (1, "by lot"), (REFUSE, "failed")):
        ward = Ward(1, (0,), (0,), (1,), (Defence("dropp", Bayes()),), (Chance(coin),), deletes=True)
        whole = Whole(table, [{"x": {}, "y": {}}, {"p": {}, "q": {}}], [ward], [], False, set())
        job = whole.job()
        job.run()
        assert job.stories[0, 0].status == status
        assert [story.row for story in job.failing] == ([0] if status == "failed" else [])
        assert whole.line(job, 0)[1] is None


def one_by_one(table: Table, cells: Sequence[tuple[int, str]]) -> Whole:
    """Confidential cells of the last column, each with a method against naive Bayes, the first guess always."""
    nested: list[Nested] = [{"x": {}, "y": {}}, {"x": {}, "y": {}}, {"u": {}, "v": {}, "w": {}}]
    place_of = from_nested(nested[2]).place_of()
    wards = [
        Ward(
            2,
            (0, 1),
            (row,),
            (place_of[str(table[row][2])],),
            (Defence(method, Bayes()),),
            (FIRST,),
            deletes=True,
        )
        for row, method in cells
    ]
    return Whole(table, nested, wards, [], False, set())


def test_what_a_later_cell_exposes_is_protected_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row 4 is safe until DECP for row 3 takes values away from other rows; a second round mends it."""
    table: Table = [
        ["y", "x", "v"],
        ["x", "x", "u"],
        ["x", "y", "v"],
        ["x", "x", "v"],
        ["x", "x", "u"],
        ["x", "x", "v"],
    ]
    whole = one_by_one(table, [(4, "dropp"), (3, "decp")])
    job = whole.job()
    for row in (4, 3):
        job.table.set(2, row, 0)
    assert not whole.is_exposed(job, whole.wards[0], 4)
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "ROUNDS", 1)
        job = whole.job()
        job.run()
        assert [story.row for story in job.failing] == [4]
        assert whole.is_exposed(job, whole.wards[0], 4)
    job = whole.job()
    job.run()
    assert (job.rounds, job.failing) == (2, [])
    assert [job.stories[0, 4].rounds, job.stories[1, 3].rounds] == [2, 1]
    assert not any(whole.is_exposed(job, ward, ward.rows[0]) for ward in whole.wards)


def test_what_changes_for_others_have_mended_does_not_fail() -> None:
    """DROPP can do nothing for row 0, but DECP for row 5 does."""
    table: Table = [
        ["y", "x", "v"],
        ["y", "x", "v"],
        ["x", "x", "v"],
        ["y", "y", "v"],
        ["y", "x", "u"],
        ["y", "x", "v"],
    ]
    whole = one_by_one(table, [(0, "dropp"), (5, "decp")])
    job = whole.job()
    for row in (0, 5):
        job.table.set(2, row, 0)
    job.take_turns(0, 0)
    assert job.stories[0, 0].status == "failed"
    job = whole.job()
    job.run()
    assert job.failing == []
    assert not any(whole.is_exposed(job, ward, ward.rows[0]) for ward in whole.wards)


def test_a_job_that_is_stopped_says_what_is_exposed() -> None:
    table: Table = [["x", "x", "u"], ["x", "x", "u"], ["x", "x", "u"], ["x", "y", "v"]]
    whole = one_by_one(table, [(0, "dropp")])
    job = whole.job()
    job.run(lambda *_: False)
    assert [story.row for story in job.failing] == [0]
    assert whole.line(job, 0) == ["x", "x", None]


@pytest.mark.parametrize("method", ["decp", "e-decp", "incp"])
def test_shadows_follow_what_is_changed_in_their_rows_for_others(method: str) -> None:
    table: Table = [["x", "x", value] for value in "uuuuv"]
    table += [["x", "y", "v"], ["x", "y", "w"]]
    whole = one_by_one(table, [(0, method)])
    whole.shadows = [(r, ["y", *row[1:]]) for r, row in enumerate(table) if r]
    whole.locked = {(r, 0) for r in range(len(table))}
    job = whole.job()
    job.run()
    assert job.failing == []
    columns, rows = job.table.changed()
    assert set(rows.tolist()) > {0}
    for shadow, (r, _) in enumerate(whole.shadows, len(table)):
        assert whole.line(job, shadow)[1:] == whole.line(job, r)[1:]
    assert 0 not in columns
