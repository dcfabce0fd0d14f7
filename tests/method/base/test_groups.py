"""Exactness of thresholds within 64 bits, and the monotonicity that the method rests on."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base.limits import largest_below
from discreet.policy import Inference
from discreet.policy.redundant import without_redundant
from tests.jobs import Job, inferences, jobs, mixed_jobs
from tests.reference.disclosure import confidence


@given(st.fractions(0, 1, max_denominator=10**9), st.integers(1, 40))
def test_largest_below_decides_like_the_threshold_itself(share: Fraction, rows: int) -> None:
    near = largest_below(share, rows)
    assert near.denominator <= rows
    for size in range(1, rows + 1):
        for hits in range(size + 1):
            assert (Fraction(hits, size) <= share) == (Fraction(hits, size) <= near)


@given(jobs(), st.data())
def test_suppressing_a_value_everywhere_never_raises_a_confidence(job: Job, data: st.DataObject) -> None:
    """Theorem 3.2, by the slow reference's own count."""
    inference = data.draw(st.sampled_from(inferences(job.policy)))
    column = data.draw(st.sampled_from(inference.given))
    at = job.columns.index(column)
    hidden = data.draw(st.sets(st.sampled_from(sorted({r[at] for r in job.rows}, key=str)), min_size=1))
    covered = [tuple("⊥" if i == at and v in hidden else v for i, v in enumerate(r)) for r in job.rows]
    before = confidence(job.columns, job.rows, inference.given, inference.column, inference.value)
    after = confidence(job.columns, covered, inference.given, inference.column, inference.value)
    assert after <= before


@given(mixed_jobs(), st.data())
def test_merging_whole_groups_never_breaks_a_promise(job: Job, data: st.DataObject) -> None:
    """What every group method rests on, for every kind of requirement, by the verifier's count."""
    names = [name for name in job.columns if name not in job.policy.sensitive]
    column = data.draw(st.sampled_from(names))
    values = sorted({row[job.columns.index(column)] for row in job.rows}, key=str)
    merged = data.draw(st.sets(st.sampled_from(values), min_size=1))
    texts = [("merged" if value in merged else value) for value in job.frame[column].to_list()]
    coarser = job.frame.with_columns(pl.Series(column, texts, dtype=pl.String))
    plain = job.policy.model_copy(update={"columns": {}})
    before, after = (d.verify(frame, plain).requirements for frame in (job.frame, coarser))
    for one, other in zip(before, after, strict=True):
        assert one.worst is not None
        assert other.worst is not None
        assert other.worst.share <= one.worst.share


@given(jobs())
def test_dropped_templates_hold_wherever_the_kept_ones_do(job: Job) -> None:
    """Theorem 3.1: a redundant template is never surer than the one it follows from."""
    _, dropped = without_redundant(inferences(job.policy))
    for weak, strong in dropped:
        assert isinstance(weak, Inference)
        assert isinstance(strong, Inference)
        assert weak.at_most >= strong.at_most
        assert confidence(job.columns, job.rows, weak.given, weak.column, weak.value) <= confidence(
            job.columns, job.rows, strong.given, strong.column, strong.value
        )


def test_of_equal_templates_the_first_stays_and_of_equal_knowledge_the_smallest_threshold() -> None:
    def template(index: int, given: str, at_most: str) -> Inference:
        return Inference(index, tuple(given), "ill", "yes", Fraction(at_most))

    kept, dropped = without_redundant(
        [template(0, "ab", "1/2"), template(1, "ba", "1/2"), template(2, "ab", "1/3"), template(3, "abc", "3/4")]
    )
    assert [inference.index for inference in kept] == [2, 3]
    assert {(weak.index, strong.index) for weak, strong in dropped} >= {(0, 2), (1, 0)}


def test_frame_of_a_job_keeps_missing_values() -> None:
    """The helper that other tests rely on: None is a missing value, '' is not."""
    job = Job(["a"], [(None,), ("",)], None)  # type: ignore[arg-type]
    assert job.frame.get_column("a").to_list() == [None, ""]
    assert job.frame.schema == {"a": pl.String}
