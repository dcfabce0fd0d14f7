"""The groups of local recoding while they change: which of them break a limit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.common.compiled import always
from discreet.method.local.group_kernels import find_broken
from discreet.method.local.group_room import MOST_OF_AN_ITEM, collected, copied
from discreet.method.local.items import ItemPart, breaks, parts_of
from discreet.method.local.shapes import shape_of, units_of
from tests.jobs import Job, jobs
from tests.method.local.test_search import asked


def tight_parts(job: Job) -> list[ItemPart]:
    """Return the parts of a job's table, with tight labels."""
    problem = asked(job)
    units = units_of(
        problem.columns, ["tight"] * len(problem.columns), [Fraction(1)] * len(problem.columns), problem.total
    )
    shapes = [shape_of(column, unit, "tight") for column, unit in zip(problem.columns, units.columns, strict=True)]
    return parts_of(problem, shapes)


@given(jobs(), st.data(), st.booleans())
def test_broken_groups_are_those_in_which_a_promise_is_broken(job: Job, data: st.DataObject, plain: bool) -> None:
    for part in tight_parts(job):
        several = data.draw(st.integers(1, 4))
        of = np.array([data.draw(st.integers(0, several - 1)) for _ in part.sizes], dtype=np.int64)
        groups = collected(part, of, several + 1)  # the last is always without rows
        room = np.full(several + 1, -1, dtype=np.int64)
        with always("plain" if plain else "compiled"):
            found = room[: find_broken(groups, part.limits, room)].tolist()
        rows = [of[part.item_of] == g for g in range(several + 1)]
        broken = [g for g, here in enumerate(rows) if here.any() and any(breaks(table, here) for table in part.tables)]
        assert found == broken


@given(jobs(), st.data())
def test_groups_that_are_copied_are_the_same_and_stay_when_the_others_change(job: Job, data: st.DataObject) -> None:
    for part in tight_parts(job):
        several = data.draw(st.integers(1, 4))
        of = np.array([data.draw(st.integers(0, several - 1)) for _ in part.sizes], dtype=np.int64)
        groups = collected(part, of, several)
        assert len(groups.head) <= several + MOST_OF_AN_ITEM * len(part.sizes) + 64
        groups.figures[several:] = 7  # what is left of attempts
        again = copied(groups)
        for name, old, new in zip(groups._fields, groups, again, strict=True):
            assert old.shape == new.shape
            end = several if name == "figures" else len(old)
            np.testing.assert_array_equal(old[:end], new[:end])
        assert not again.figures[several:].any()
        before = [array.copy() for array in again]
        for array in groups:
            array[:] = -5
        assert all(np.array_equal(one, other) for one, other in zip(before, again, strict=True))
