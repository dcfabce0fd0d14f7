"""Quotients of products of whole numbers, compared exactly: by logarithms where these are clearly apart.

Else they are multiplied out. Factors are below 2**31.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import kernel

MARGIN = 1e-9
"""Logarithms further apart than this are in the right order: the error of some hundred terms is below 1e-12."""
LIMB = 31
FEW = 16
"""So many counts can be multiplied as floats, and their product is off by less than 1e-14 of itself."""


@kernel
def _log(nums, dens, n, d):  # type: ignore[no-untyped-def]
    """Return the logarithm of a quotient; -inf for 0. O(n + d)."""
    if n < 0:
        return -np.inf
    total = 0.0
    for first in range(0, n, FEW):
        product = 1.0
        for i in range(first, min(first + FEW, n)):
            product *= nums[i]
        total += np.log(product)
    for first in range(0, d, FEW):
        product = 1.0
        for i in range(first, min(first + FEW, d)):
            product *= dens[i]
        total -= np.log(product)
    return total


@kernel
def _multiply(limbs, size, by):  # type: ignore[no-untyped-def]
    """Multiply a number in limbs of `LIMB` bits by a factor; return how many limbs it has. O(size)."""
    carry = 0
    for i in range(size):
        product = limbs[i] * by + carry
        limbs[i] = product & ((1 << LIMB) - 1)
        carry = product >> LIMB
    if carry:
        limbs[size] = carry
        size += 1
    return size


@kernel
def _product(first, n, second, m):  # type: ignore[no-untyped-def]
    """Return the product of all factors in limbs, and how many these are. O((n + m)²)."""
    limbs = np.zeros(n + m + 1, dtype=np.int64)
    limbs[0] = 1
    size = 1
    for i in range(n):
        size = _multiply(limbs, size, first[i])
    for i in range(m):
        size = _multiply(limbs, size, second[i])
    return limbs, size


@kernel
def order_of(nums, dens, n, d, other_nums, other_dens, other_n, other_d):  # type: ignore[no-untyped-def]
    """Return 1, 0 or -1 as the first quotient is larger, equal or smaller; exact.

    O(factors); where logarithms are too near to tell, O(factors²).
    """
    if n < 0 or other_n < 0:
        return (0 if other_n < 0 else -1) if n < 0 else 1
    apart = _log(nums, dens, n, d) - _log(other_nums, other_dens, other_n, other_d)
    if apart > MARGIN:
        return 1
    if apart < -MARGIN:
        return -1
    left, size = _product(nums, n, other_dens, other_d)
    right, other_size = _product(other_nums, other_n, dens, d)
    if size != other_size:
        return 1 if size > other_size else -1
    for i in range(size - 1, -1, -1):
        if left[i] != right[i]:
            return 1 if left[i] > right[i] else -1
    return 0
