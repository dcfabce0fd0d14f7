"""Entropies from pairs of value and class are those of a table of all classes, and disclosure takes the same steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base import class_pairs
from discreet.method.base.class_pairs import ClassPairs, pairs_of
from discreet.method.base.class_spread import ClassSpread, HiddenSpread
from discreet.method.base.gain import _entropy, information_kept
from discreet.method.disclosure.search import Found, Unsatisfiable
from discreet.planning.disclosing import Planner
from discreet.planning.prepared import prepare
from tests.jobs import Job, mixed_jobs

CLASSES = 9


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Rows of each class (second axis) of a few values; some values have none."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(0, draw(st.sampled_from([2, 5, 10**6])), (draw(st.integers(1, 8)), CLASSES)) * rng.integers(
        0, 2, (1, CLASSES)
    )


def _pairs(table: np.ndarray) -> ClassPairs:
    row, one = np.nonzero(table)
    return pairs_of(row, one, table[row, one], len(table), CLASSES)


@given(tables(), st.data())
def test_entropies_are_those_of_all_classes(table: np.ndarray, data: st.DataObject) -> None:
    spread, codes = ClassSpread(_pairs(table)), len(table)
    ends = st.integers(0, codes)
    ranges = np.array(data.draw(st.lists(st.tuples(ends, ends).map(sorted), min_size=1)), dtype=np.int64)
    found, classes = spread.of_ranges(ranges)
    for (first, stop), entropy, number in zip(ranges, found, classes, strict=True):
        counts = table[first:stop].sum(axis=0)
        assert entropy == pytest.approx(float(_entropy(counts)), abs=1e-12)
        assert number == np.count_nonzero(counts)
    first, stop = sorted(data.draw(st.tuples(ends, ends)))
    assume(first < stop)
    for at, (left, right) in enumerate(spread.of_cuts(first, stop), start=first + 1):
        assert left == pytest.approx(float(_entropy(table[first:at].sum(axis=0))), abs=1e-12)
        assert right == pytest.approx(float(_entropy(table[at:stop].sum(axis=0))), abs=1e-12)
    parts = np.array(data.draw(st.lists(st.integers(0, 2), min_size=codes, max_size=codes)), dtype=np.int64)
    merged = spread.merged(np.arange(codes), parts, 3)
    both = np.stack([table[parts == part].sum(axis=0) for part in range(3)])
    np.testing.assert_array_equal(merged.table(), both)
    assert information_kept([(spread.pairs, merged)]) == pytest.approx(information_kept([(table, both)]), abs=1e-9)


@given(tables(), st.data())
def test_hidden_values_are_kept_up_to_date(table: np.ndarray, data: st.DataObject) -> None:
    """Whatever was shown before, and a copy goes on by itself."""
    hidden = HiddenSpread(ClassSpread(_pairs(table)))
    twin, before = hidden.copy(), table.sum(axis=0)
    left = list(range(len(table)))
    for value in data.draw(st.permutations(left)):
        whole, sides = hidden.entropies(np.array(left))
        counts = table[left].sum(axis=0)
        assert whole[0] == pytest.approx(float(_entropy(counts)), abs=1e-12)
        np.testing.assert_allclose(sides[:, 0], _entropy(table[left]), atol=1e-12)
        np.testing.assert_allclose(sides[:, 1], _entropy(counts - table[left]), atol=1e-12)
        hidden.show(value)
        left.remove(value)
    assert not hidden.of_all.any()
    np.testing.assert_array_equal(twin.of_all, before)
    np.testing.assert_allclose(
        twin.entropies(np.arange(len(table)))[1],
        HiddenSpread(ClassSpread(_pairs(table))).entropies(np.arange(len(table)))[1],
    )


@given(mixed_jobs(), st.sampled_from(["always", "beneficial"]), st.sampled_from(["best", "best_valid"]))
def test_disclosure_takes_the_same_steps(job: Job, disclose: Any, split: Any) -> None:
    options = d.Disclosure(disclose=disclose, split=split)
    policy = d.Policy.model_validate({**dict(job.policy), "use": d.Classify("class"), "disclosure": options})
    assume("class" not in {name for promise in policy.promises() for name in promise.given})
    found: list[Any] = []
    for most in (100, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(class_pairs, "MOST_FIELDS", most)
            planner = Planner(prepare(job.frame, policy).task)
        states = planner.search.states
        assert all((state.column.pairs is not None) == (most == 0) for state in states)
        try:
            planner.search.check_limits()
        except Unsatisfiable as answer:
            found.append(answer.least)
            continue
        found.append(planner.search.run())
        kept = information_kept([(state.column.counted, state.released()) for state in states])
        assert kept == pytest.approx(
            information_kept([(_table(state.column.counted), _table(state.released())) for state in states])
        )
    one, other = found
    assert isinstance(one, Found) == isinstance(other, Found)
    if not isinstance(one, Found):
        assert one == other
        return
    assert [(step.column, step.slot, step.loss) for step in one.steps] == [
        (step.column, step.slot, step.loss) for step in other.steps
    ]
    assert [step.gain for step in other.steps] == pytest.approx([step.gain for step in one.steps], abs=1e-9)
    assert (one.refused, one.kept, one.complete) == (other.refused, other.kept, other.complete)


def _table(counted: Any) -> Any:
    return counted.table() if isinstance(counted, ClassPairs) else counted
