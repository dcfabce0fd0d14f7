"""What a recoding makes of values: the same however often it is asked, and it keeps none of them."""

from __future__ import annotations

import pickle
from decimal import Decimal

from discreet.columns.intervals import Border, between
from discreet.columns.scale import Numbers
from discreet.plan.parts import UNSEEN, Recoding

INTERVALS = (between(None, Border(Decimal(30)), "<30"), between(Border(Decimal(30)), None, ">=30"))


def test_texts_are_the_same_when_they_are_asked_for_again() -> None:
    recoding, scale = Recoding("age", (("?", "*"),), INTERVALS), Numbers()
    asked = [("29", "30", "?"), ("29", "30", "?"), ("30", "x"), ("29", "30", "?")]
    for values in asked:
        fresh = Recoding("age", (("?", "*"),), INTERVALS).texts(list(values), scale)
        found = recoding.texts(values, scale)
        assert found == fresh
        found.clear()  # whoever asked may do with it what he likes
    assert recoding.texts(("29,5",), scale) == [UNSEEN]
    assert recoding.texts(("29,5",), Numbers(",")) == ["<30"]


def test_values_that_were_asked_for_are_no_part_of_it() -> None:
    recoding = Recoding("age", (), INTERVALS)
    recoding.texts(("2917",), Numbers())
    assert recoding == Recoding("age", (), INTERVALS)
    assert "2917" not in repr(recoding)
    assert b"2917" not in pickle.dumps(recoding)
    assert pickle.loads(pickle.dumps(recoding)) == recoding


def test_numbers_that_were_read_already_are_taken_once_and_only_for_their_values() -> None:
    """Which numbers they are is what reading comes to; here others show that they are taken, and when."""
    values, scale, other = ("29", "30", "?"), Numbers(), Decimal(99)
    recoding = Recoding("age", (("?", "*"),), INTERVALS)
    recoding.read_already(values, scale, (other, other, None))
    assert recoding == pickle.loads(pickle.dumps(recoding)) == Recoding("age", (("?", "*"),), INTERVALS)
    assert recoding.texts(["29", "30"], scale) == ["<30", ">=30"]  # other values: read, and the numbers are gone
    assert recoding.texts(values, scale) == ["<30", ">=30", "*"]
    recoding.read_already(("29", "31"), scale, (other, other))
    assert recoding.texts(("29", "31"), Numbers(",")) == ["<30", ">=30"]  # another way to read
    again = Recoding("age", (("?", "*"),), INTERVALS)
    again.read_already(values, scale, (other, other, None))
    assert again.texts(values, scale) == [">=30", ">=30", "*"]
    assert pickle.dumps(again) == pickle.dumps(Recoding("age", (("?", "*"),), INTERVALS))
