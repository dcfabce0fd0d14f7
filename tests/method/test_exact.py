"""Exact search finds the best of all cuts, its bound is never above it, and it never claims a proof without one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import discreet as d
from discreet.method.coordinate import Candidate, Objective, cut_of
from discreet.method.cuts import cuts_of
from discreet.method.evaluation import Cut, Evaluator
from discreet.method.exact import Proof, Watch, search
from discreet.planning import objectives
from tests.jobs import Job, mixed_jobs
from tests.method.test_coordinate import evaluator, reference
from tests.reference import cuts as slow

MOST_CUTS = 300


def all_cuts(job: Job, fast: Evaluator) -> list[Cut]:
    """Every cut there is, as the slow version lists them."""
    table, _ = reference(job)
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    found: list[Cut] = []
    for cut in table.cuts():
        found.append(cut_of(np.array(table.bits(cut), dtype=np.uint8), cuts))
        assume(len(found) <= MOST_CUTS)
    return found


def prove(fast: Evaluator, objective: Objective, start: Cut, nodes: int | None = None) -> Proof:
    """Search from some cut, as long as so many sets of cuts."""
    outcome = fast.evaluate(start)

    def carry_on(far: Watch) -> bool:
        assert far.bound <= far.best.cost
        return nodes is None or far.nodes < nodes

    first = Candidate(start, outcome, objective.cost(outcome))
    return search(fast.problem, fast, objective, first, carry_on=carry_on)


@settings(max_examples=40, deadline=None)
@given(mixed_jobs(most_rows=12, search="coordinate"), st.data())
def test_the_best_of_all_cuts_is_found_and_no_bound_is_above_it(job: Job, data: st.DataObject) -> None:
    """Whatever is asked: uses, promises, several sets of known columns, a limit; by the paper's rule and by ours."""
    fast = evaluator(job, few_may_pass=data.draw(st.booleans()), whole=isinstance(job.policy.use, d.Counts))
    cuts = all_cuts(job, fast)
    limit = data.draw(st.sampled_from([len(job.rows), len(job.rows) // 2]))
    objective = objectives(fast, job.policy, limit)[1]
    outcomes = [fast.evaluate(cut) for cut in cuts]
    allowed = [outcome for outcome in outcomes if objective.allows(outcome)]
    start = data.draw(st.sampled_from(cuts))
    proof = prove(fast, objective, start)
    if allowed:
        best = min(objective.cost(outcome) for outcome in allowed)
        assert proof.best.cost == best == objective.cost(fast.evaluate(proof.best.cut))
        assert objective.allows(proof.best.outcome)
    fast.few_may_pass = True  # the bound knows nothing of rows that are needed by lot
    least = min((objective.cost(fast.evaluate(cut)) for cut, o in zip(cuts, outcomes, strict=True) if objective.allows(o)), default=None)
    if least is not None:
        assert proof.bound <= least
        if least == proof.best.cost:
            assert proof.bound == least
            assert proof.proven
    stopped = prove(fast, objective, start, data.draw(st.integers(0, 12)))
    if objective.allows(stopped.best.outcome):
        assert stopped.bound <= stopped.best.cost
    every = [objective.cost(o) for o in map(fast.evaluate, cuts) if objective.allows(o)]
    assert stopped.bound <= min(every, default=stopped.bound)
    assert not stopped.proven or stopped.best.cost == min(every)


@settings(max_examples=60, deadline=None)
@given(mixed_jobs(most_rows=9, search="coordinate"))
def test_the_proof_agrees_with_the_slow_version(job: Job) -> None:
    """The least loss of detail by the paper's rule, counted by code that shares nothing with the search."""
    fast = evaluator(job, few_may_pass=True)
    cuts = all_cuts(job, fast)
    table, wanted = reference(job)
    assume(table.changeable)
    objective = Objective(1, fast.units.per_row, (0,) * len(fast.problem.targets), len(job.rows))
    proof = prove(fast, objective, cuts[0])
    found = slow.best_cuts(table, wanted, slow.lm, "paper")
    assert found is not None
    assert proof.proven
    assert Fraction(proof.bound, fast.units.per_row * len(job.rows)) == found[0]
