"""One watch: it tells how far a job is, and lets a search go on while nobody objects and there is time."""

import math

import pytest

import discreet as d
from discreet.common.watch import Watch


def test_whoever_hears_may_end_a_search_but_no_stage() -> None:
    heard: list[d.Progress] = []

    def hear(progress: d.Progress) -> bool | None:
        heard.append(progress)
        return None if progress.disclosed < 2 else False

    watch = Watch(hear)
    watch.begins("plan")
    assert [watch.planned(done, 5 - done, 0.5, 1.0) for done in range(3)] == [True, True, False]
    assert [watch.protected(done, 0) for done in (1, 2)] == [True, False]
    may_go_on = watch.attacks(3, 9.0)
    assert [may_go_on(done, 3 - done) for done in (0, 2)] == [True, False]
    assert [progress.stage for progress in heard] == ["plan"] * 4 + ["cells"] * 2 + ["attack"] * 3
    assert [progress.expected for progress in heard if progress.stage == "attack"] == [9.0] * 3
    assert heard[1].bound == 1.0


@pytest.mark.parametrize(("limit", "ends"), [(None, False), (60.0, False), (0.0, True)])
def test_a_search_ends_when_there_is_no_time_left(limit: float | None, ends: bool) -> None:
    watch = Watch(time_limit=limit)
    assert watch.planned(0, 1, 0.0) is watch.protected(0, 1) is not ends
    assert (watch.seconds_left() < 0) is ends
    assert watch.anew().seconds_left() == math.inf
