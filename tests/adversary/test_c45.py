"""C4.5 counts as it sorts: the same whether few numbers could be there or many."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.c45 import _counted


@given(st.lists(st.integers(0, 5) | st.integers(0, 10**12)))
def test_numbers_are_counted_as_by_sorting_them(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.int64)
    values, often = _counted(array)
    expected = np.unique(array, return_counts=True)
    assert values.tolist() == expected[0].tolist()
    assert often.tolist() == expected[1].tolist()
