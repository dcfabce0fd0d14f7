"""Why cells were not protected: a reason for each, that is so, and the table is left as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from discreet.method.cells import job as jobs
from discreet.method.cells.chance import Chance
from discreet.method.cells.failures import Failure, Why, failures
from discreet.method.cells.job import Defence, Ward
from discreet.method.cells.kernels import REFUSE
from discreet.method.cells.table import Bayes
from tests.method.cells.test_job import Whole, wholes
from tests.method.cells.test_table import assert_counted
from tests.reference.cells_model import Nested, Table

NESTED: list[Nested] = [{"p": {}, "q": {}}, {"p": {}, "q": {}}, {"u": {}, "v": {}, "w": {}}]


def why(table: Table, nested: list[Nested], defence: Defence, coin: int = 0, strict: bool = False) -> list[Failure]:
    """Why the last cell of the first row is not protected from one adversary."""
    place = list(nested[-1]).index(str(table[0][-1])) + 1
    columns = tuple(range(len(nested) - 1))
    ward = Ward(len(columns), columns, (0,), (place,), (defence,), (Chance(coin),), strict=strict, deletes=True)
    job = Whole(table, nested, [ward], [], False, set()).job()
    job.run()
    assert [story.row for story in job.failing] == [0]
    return failures(job, 0, [0])


@given(wholes())
def test_every_cell_that_fails_has_a_reason(whole: Whole) -> None:
    job = whole.job()
    job.run()
    frame, statuses = job.table.frame, [story.status for story in job.stories.values()]
    codes, locked = frame.codes.copy(), frame.locked.copy()
    for number, ward in enumerate(whole.wards):
        rows = [story.row for story in job.failing if story.ward == number]
        found = failures(job, number, rows)
        assert {row for failure in found for row in failure.rows} == set(rows)
        for failure in found:
            assert failure.places
            assert len(failure.places) == 1 or failure.why is Why.UNDONE
            for row in failure.rows:
                assert any(whole.is_exposed(job, ward, each) for each in ward.rows if job.table.frame.real[each] == row)
            assert bool(failure.kept) == (failure.why in (Why.KEPT, Why.NOTHING))
            if failure.why is Why.KEPT:
                assert all((row, column) in whole.locked for row in failure.rows for column in failure.kept)
    assert np.array_equal(codes, frame.codes)
    assert np.array_equal(locked, frame.locked)
    assert statuses == [story.status for story in job.stories.values()]
    assert_counted(job.table)


def test_only_two_values_are_possible() -> None:
    """Nothing but the coin stands in the way: to hide all of the row would do."""
    table: Table = [["p", "u"], ["p", "u"], ["p", "u"], ["q", "v"], ["q", "v"]]
    for defence in (Defence("dropp", Bayes()), Defence("hid3")):
        (found,) = why(table, [NESTED[0], {"u": {}, "v": {}}], defence, REFUSE)
        assert (found.why, found.places, found.rows) == (Why.TWO_VALUES, (0,), (0,))


def test_what_was_not_tried_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """No method gave up, and yet the cell is guessed: what was done for others is the reason."""
    monkeypatch.setattr(jobs, "ROUNDS", 0)
    table: Table = [["p", "q", "u"], ["p", "q", "u"], ["p", "q", "u"], ["q", "p", "v"], ["p", "q", "w"]]
    (found,) = why(table, NESTED, Defence("dropp", Bayes()))
    assert (found.why, found.places, found.rows, found.methods) == (Why.UNDONE, (0,), (0,), ())
