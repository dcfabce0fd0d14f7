"""Winnow learns as its slow definition does."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.adversary.winnow import Winnow
from tests.reference.learners import winnow

pytest.importorskip("scipy")

NUMBERS = st.sampled_from([Fraction(0), Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 4)])


@given(
    st.integers(0, 4).flatmap(lambda n: st.lists(st.lists(NUMBERS, min_size=n, max_size=n), min_size=2, max_size=14)),
    st.data(),
    st.integers(1, 4),
    st.integers(0, 5),
)
def test_as_the_reference(rows: list[list[Fraction]], data: st.DataObject, passes: int, seed: int) -> None:
    """Weights are powers of two and numbers quarters, so floats are exact."""
    from scipy import sparse

    classes = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    present = sorted(set(classes))
    assume(len(present) > 1)
    table = np.array([[float(number) for number in row] for row in rows])
    learned = Winnow(seed, passes).fit(sparse.csr_matrix(table), np.array(classes))
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    slow = winnow(rows, [present.index(one) for one in classes], order, passes)
    assert learned.classes_.tolist() == present
    told = learned.predict_proba(sparse.csr_matrix(table))
    for row, shares in zip(rows, told.tolist(), strict=True):
        sums = [sum((w * n for w, n in zip(line, [*row, Fraction(1)], strict=True)), Fraction(0)) for line in slow]
        assert shares == pytest.approx([float(one / sum(sums)) for one in sums], rel=1e-12)
