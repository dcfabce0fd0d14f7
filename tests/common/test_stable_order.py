"""One sort of single numbers comes to what NumPy comes to, however large the keys are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.common.stable_order import counted, numbered, stable_order

KEYS = st.one_of(
    st.lists(st.integers(0, 5), max_size=50),
    st.lists(st.integers(-3, 3), max_size=50),
    st.lists(st.integers(0, 2**63 - 1), max_size=50),
    st.lists(st.sampled_from([0, 1, 2**57, 2**58 - 1, 2**58, 2**62]), max_size=40),
)


@given(KEYS)
def test_is_what_numpy_finds(keys: list[int]) -> None:
    key = np.array(keys, dtype=np.int64)
    before = key.copy()
    assert np.array_equal(stable_order(key), np.argsort(key, kind="stable"))
    assert _same(numbered(key), np.unique(key, return_inverse=True))
    assert _same(counted(key), np.unique(key, return_index=True, return_counts=True))
    assert np.array_equal(key, before)


@given(st.lists(st.integers(0, 255), max_size=50), st.sampled_from(["uint8", "uint16", "int32", "uint64"]))
def test_keys_may_be_narrow(keys: list[int], kind: str) -> None:
    key = np.array(keys, dtype=kind)
    assert np.array_equal(stable_order(key), np.argsort(key, kind="stable"))
    assert _same(numbered(key), np.unique(key, return_inverse=True))
    assert _same(counted(key), np.unique(key, return_index=True, return_counts=True))


@pytest.mark.parametrize("above", [-1, 0, 1])
def test_a_key_that_just_fits_and_one_that_does_not(above: int) -> None:
    """Eight rows take three bits, which leaves 60 for the keys."""
    key = np.array([2**60 + above, 0, 2**60 + above, 5, 5, 0, 1, 2**60 + above], dtype=np.int64)
    assert stable_order(key).tolist() == [1, 5, 6, 3, 4, 0, 2, 7]
    found, which = numbered(key)
    assert found[which].tolist() == key.tolist()
    assert [part.tolist() for part in counted(key)] == [[0, 1, 5, 2**60 + above], [1, 6, 3, 0], [2, 1, 2, 3]]


def _same(ours: tuple[np.ndarray, ...], theirs: tuple[np.ndarray, ...]) -> bool:
    assert all(part.dtype == np.int64 for part in ours)
    return all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))
