"""Two things at once: the same as one after the other, and what goes wrong is raised where it is asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from discreet.common import at_once
from discreet.common.at_once import AHEAD, MANY, Meanwhile, each, in_turn
from discreet.policy import KAnonymity, Policy
from discreet.table.local import LocalEngine
from discreet.table.source import reopened


def test_the_order_is_kept_and_two_threads_share_what_there_is() -> None:
    both, seen = threading.Barrier(2, timeout=30), set[str]()

    def name(item: int) -> int:
        both.wait()  # passes only where two are on their way
        seen.add(threading.current_thread().name)
        return item

    assert each(name, range(10), MANY) == list(range(10))
    assert len(seen) == 2


def test_few_rows_and_single_columns_need_no_thread() -> None:
    here = threading.current_thread()
    assert each(lambda _: threading.current_thread(), [1, 2], MANY - 1) == [here, here]
    assert each(lambda _: threading.current_thread(), [1], MANY) == [here]


@pytest.mark.parametrize("rows", [0, MANY])
def test_the_first_error_is_raised(rows: int) -> None:
    def fail(item: int) -> int:
        if item:
            raise ValueError(item)
        return item

    with pytest.raises(ValueError, match="1"):
        each(fail, [0, 1, 2], rows)


def test_what_goes_on_meanwhile_is_waited_for() -> None:
    go, threads = threading.Event(), list[threading.Thread]()

    def work() -> int:
        threads.append(threading.current_thread())
        assert go.wait(30)
        return 42

    with Meanwhile(work) as found:
        go.set()
    assert not threads[0].is_alive()
    assert (found(), len(threads)) == (42, 1)
    assert threads[0] is not threading.current_thread()


def test_what_goes_wrong_meanwhile_is_raised_for_who_asks_and_nobody_else() -> None:
    def fail() -> int:
        raise ValueError("of mine")

    with Meanwhile(fail) as found:
        pass
    with pytest.raises(ValueError, match="of mine"):
        found()


@pytest.mark.parametrize("many", [1, MANY])
def test_two_threads_encode_and_read_back_a_table_as_one_does(
    many: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(at_once, "MANY", many)
    frame = pl.DataFrame({f"c{place}": [f"{row % (place + 2)}" for row in range(60)] for place in range(7)})
    counted = LocalEngine(frame).count(frame.columns)
    assert sum(counted.counts) == 60
    assert [len(domain) for domain in counted.domains] == [place + 2 for place in range(7)]
    assert set(zip(*(code.tolist() for code in counted.codes), strict=True)) == {
        tuple(row % (place + 2) for place in range(7)) for row in range(60)
    }
    policy = Policy(protect=[KAnonymity(k=2, over=["c0"])])
    other = frame.with_columns(c4=pl.when(pl.col("c0") == "0").then(pl.lit("x")).otherwise("c4"))
    for written, same in ((frame, True), (other, False)):
        written.write_csv(tmp_path / "r.csv")
        assert LocalEngine(frame).reads_back(tmp_path / "r.csv", policy, reopened) is same


def test_what_is_worked_on_ahead_comes_in_turn_and_is_not_much() -> None:
    both, taken, here = threading.Barrier(2, timeout=30), list[int](), threading.current_thread()

    def items() -> Iterator[int]:
        for item in range(20):
            assert threading.current_thread() is here
            taken.append(item)
            yield item

    def work(item: int) -> int:
        both.wait()  # passes only where two are on their way
        return item * item

    for asked, found in enumerate(in_turn(work, items())):
        assert found == asked * asked
        assert len(taken) <= asked + AHEAD
    assert asked == 19


def test_a_single_item_needs_no_thread() -> None:
    assert list(in_turn(lambda _: threading.current_thread(), [1])) == [threading.current_thread()]
    assert list(in_turn(str, [])) == []


def test_an_error_of_what_is_worked_on_ahead_comes_in_its_turn() -> None:
    def work(item: int) -> int:
        if item == 3:
            raise ValueError(item)
        return item

    found = in_turn(work, range(9))
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3"):
        next(found)
