"""Which group each row goes to: what is known of many different values is put together once, not for each."""

from __future__ import annotations

import time

import discreet as d
from discreet.plan.assigning import NOWHERE, placed
from discreet.plan.local_groups import GroupColumn, Label


def test_many_different_numbers_are_placed_at_once() -> None:
    """Half a second; looking at all numbers for each of them takes most of a minute."""
    many = 80_000
    known = [None, "?", *(str(number) for number in range(0, many, 2))]
    told = GroupColumn("pay", tuple(known), (Label("*", 0, len(known)),), (0,), ())
    policy = d.Policy(
        protect=[d.KAnonymity(k=2, over=["pay"])],
        columns={"pay": d.Column(type="number")},
        missing=d.Missing(values=["?"], rows="value"),
        recoding="local",
    )
    begin = time.process_time()
    found = placed(told, policy, [None, "?", "none", *(str(number) for number in range(many))])
    assert time.process_time() - begin < 8
    assert found.codes[:7].tolist() == [0, 1, NOWHERE, 2, NOWHERE, 3, NOWHERE]
    assert found.positions[:7].tolist() == [0, 1, NOWHERE, 2, 3, 4, 5]
    assert (found.low.tolist(), found.high.tolist()) == ([0], [many + 2])
